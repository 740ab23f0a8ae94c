/* The rules of the feasible set: their selections, and the lists of units and groups. */
#include "model/feasible.h"

#include <math.h>
#include <string.h>

#include "linalg/select.h"

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t column_at(const int64_t *columns, int64_t i) {
    return columns == NULL ? i : columns[i];
}

static int is_barred(const struct feasible *set, int64_t j) {
    return set->is_barred != NULL && set->is_barred[j];
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/*
 * The listed free columns and the s largest gains among those that are neither barred nor marked in is_out (NULL:
 * none). Free columns get the largest possible key, so that one selection returns both in order.
 */
static int64_t choose_best(const struct feasible *set, int64_t s, int64_t count, const int64_t *columns,
                           const double *gains, const unsigned char *is_out, struct feasible_work *work,
                           int64_t *chosen) {
    int64_t open = 0, free_columns = 0, kept;

    for (int64_t i = 0; i < count; i++) {
        int64_t j = column_at(columns, i);

        if (is_barred(set, j) || (is_out != NULL && is_out[i])) {
            continue;
        }
        work->list[open] = i;
        work->values[open++] = set->is_free[j] ? INFINITY : gains[i];
        free_columns += set->is_free[j];
    }
    kept = smaller(open, free_columns + s);
    select_largest(open, work->values, kept, chosen, work->scratch);
    for (int64_t i = 0; i < kept; i++) {
        chosen[i] = work->list[chosen[i]];
    }
    return kept;
}

static int64_t columns_choose(const struct feasible *set, int64_t s, int64_t count, const int64_t *columns,
                              const double *gains, struct feasible_work *work, int64_t *chosen) {
    return choose_best(set, s, count, columns, gains, NULL, work, chosen);
}

static int always(const struct feasible *set, const int64_t *used, int64_t entering, int64_t leaving) {
    (void)set, (void)used, (void)entering, (void)leaving;
    return 1;
}

static int64_t all_units(const struct feasible *set) {
    return set->units;
}

static int64_t one_each(const struct feasible *set, int64_t s) {
    return smaller(s, set->most);
}

const struct feasible_rule feasible_columns = {
    .name = "columns",
    .unit = "nonzeros",
    .adds = 0,
    .choose = columns_choose,
    .may_enter = always,
    .most_units = all_units,
    .most_columns = one_each,
};

/* ---- capped ------------------------------------------------------------------------------------------------------ */

/* The group of a candidate; otherwise -1. */
static int64_t capped_group(const struct feasible *set, int64_t j) {
    return set->unit_of[j] < 0 ? -1 : set->group_of[j];
}

/* For each group with more listed members than its limit, write their positions to `list`, group after group; the
 * groups go to `touched`, and count[g] is where the members of group g end. Returns the number of these groups. */
static int64_t list_by_group(const struct feasible *set, int64_t count, const int64_t *columns,
                             struct feasible_work *work) {
    int64_t touched = 0, end = 0;

    for (int64_t i = 0; i < count; i++) {
        int64_t g = capped_group(set, column_at(columns, i));

        if (g >= 0 && work->count[g]++ == 0) {
            work->touched[touched++] = g;
        }
    }
    for (int64_t t = 0; t < touched; t++) {
        int64_t g = work->touched[t], members = work->count[g];

        work->count[g] = members > set->room[g] ? end : -1;
        end += members > set->room[g] ? members : 0;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t g = capped_group(set, column_at(columns, i));

        if (g >= 0 && work->count[g] >= 0) {
            work->list[work->count[g]++] = i;
        }
    }
    return touched;
}

/* In each group with too many members keep the best, by a selection, and mark the others as out. */
static void cap_groups(const struct feasible *set, int64_t count, const int64_t *columns, const double *gains,
                       struct feasible_work *work, int64_t *chosen) {
    int64_t touched = list_by_group(set, count, columns, work);
    int64_t begin = 0;

    for (int64_t i = 0; i < count; i++) {
        work->is_out[i] = 0;
    }
    for (int64_t t = 0; t < touched; t++) {
        int64_t g = work->touched[t], end = work->count[g];
        int64_t room = set->room[g];

        work->count[g] = 0;
        if (end < 0) {
            continue;
        }
        for (int64_t i = begin; i < end; i++) {
            work->values[i - begin] = gains[work->list[i]];
            work->is_out[work->list[i]] = 1;
        }
        select_largest(end - begin, work->values, room, chosen, work->scratch);
        for (int64_t i = 0; i < room; i++) {
            work->is_out[work->list[begin + chosen[i]]] = 0;
        }
        begin = end;
    }
}

static int64_t capped_choose(const struct feasible *set, int64_t s, int64_t count, const int64_t *columns,
                             const double *gains, struct feasible_work *work, int64_t *chosen) {
    cap_groups(set, count, columns, gains, work, chosen);
    return choose_best(set, s, count, columns, gains, work->is_out, work, chosen);
}

static int64_t group_of_unit(const struct feasible *set, int64_t unit) {
    return set->group_of[set->unit_columns[set->unit_start[unit]]];
}

static int capped_may_enter(const struct feasible *set, const int64_t *used, int64_t entering, int64_t leaving) {
    int64_t g = group_of_unit(set, entering);
    int makes_room = leaving >= 0 && group_of_unit(set, leaving) == g;

    return g < 0 || used[g] - makes_room < set->room[g];
}

static int64_t capped_most(const struct feasible *set) {
    int64_t most = set->candidates;

    for (int64_t g = 0; g < set->groups; g++) {
        int64_t members = set->group_start[g + 1] - set->group_start[g];

        most -= members > set->room[g] ? members - set->room[g] : 0;
    }
    return most;
}

const struct feasible_rule feasible_capped = {
    .name = "capped",
    .unit = "nonzeros",
    .adds = 0,
    .choose = capped_choose,
    .may_enter = capped_may_enter,
    .most_units = capped_most,
    .most_columns = one_each,
};

/* ---- grouped ----------------------------------------------------------------------------------------------------- */

/* Write the units that occur in the list to `touched`, the sums of their gains to values, and to count[u] the place of
 * unit u among them, counted from 1. Returns their number. */
static int64_t add_by_unit(const struct feasible *set, int64_t count, const int64_t *columns, const double *gains,
                           struct feasible_work *work) {
    int64_t touched = 0;

    for (int64_t i = 0; i < count; i++) {
        int64_t u = set->unit_of[column_at(columns, i)];

        if (u < 0) {
            continue;
        }
        if (work->count[u] == 0) {
            work->values[touched] = 0;
            work->touched[touched++] = u;
            work->count[u] = touched;
        }
        work->values[work->count[u] - 1] += gains[i];
    }
    return touched;
}

static int64_t grouped_choose(const struct feasible *set, int64_t s, int64_t count, const int64_t *columns,
                              const double *gains, struct feasible_work *work, int64_t *chosen) {
    int64_t touched = add_by_unit(set, count, columns, gains, work);
    int64_t kept = smaller(s, touched), size = 0;

    select_largest(touched, work->values, kept, chosen, work->scratch);
    memset(work->is_out, 1, (size_t)touched);
    for (int64_t i = 0; i < kept; i++) {
        work->is_out[chosen[i]] = 0;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t j = column_at(columns, i);
        int64_t u = set->unit_of[j];

        if (u >= 0 ? !work->is_out[work->count[u] - 1] : set->is_free[j]) {
            chosen[size++] = i;
        }
    }
    for (int64_t t = 0; t < touched; t++) {
        work->count[work->touched[t]] = 0;
    }
    return size;
}

static int64_t grouped_most_columns(const struct feasible *set, int64_t s) {
    int64_t most = 0;

    for (int64_t size = set->largest; size > 0 && s > 0; size--) {
        int64_t taken = smaller(set->of_size[size], s);

        most += taken * size;
        s -= taken;
    }
    return most;
}

const struct feasible_rule feasible_grouped = {
    .name = "grouped",
    .unit = "groups",
    .adds = 1,
    .choose = grouped_choose,
    .may_enter = always,
    .most_units = all_units,
    .most_columns = grouped_most_columns,
};

static const struct feasible_rule *const rules[] = {&feasible_columns, &feasible_capped, &feasible_grouped};

const struct feasible_rule *feasible_rule_at(int64_t index) {
    int64_t count = (int64_t)(sizeof rules / sizeof rules[0]);

    return index >= 0 && index < count ? rules[index] : NULL;
}

/* ---- the set ----------------------------------------------------------------------------------------------------- */

static void list_barred(struct feasible *set, const unsigned char *is_barred_in, struct workspace *workspace) {
    int64_t count = 0;

    for (int64_t j = 0; is_barred_in != NULL && j < set->columns; j++) {
        count += is_barred_in[j] != 0;
    }
    set->barred_count = count;
    if (count == 0) {
        return;
    }
    set->is_barred = workspace_array(workspace, set->columns, 1);
    set->barred = workspace_integers(workspace, count);
    for (int64_t j = 0, i = 0; !workspace->failed && j < set->columns; j++) {
        set->is_barred[j] = is_barred_in[j] != 0;
        if (is_barred_in[j]) {
            set->barred[i++] = j;
        }
    }
}

/* start [lists + 1] is zero on entry; list_of [set->columns] is -1 for no list. Only candidates are listed. */
static void list_members(const struct feasible *set, const int64_t *list_of, int64_t lists, int64_t *start,
                         int64_t *columns) {
    for (int64_t j = 0; j < set->columns; j++) {
        if (list_of[j] >= 0 && set->unit_of[j] >= 0) {
            start[list_of[j] + 1]++;
        }
    }
    for (int64_t l = 0; l < lists; l++) {
        start[l + 1] += start[l];
    }
    for (int64_t j = 0; j < set->columns; j++) {
        if (list_of[j] >= 0 && set->unit_of[j] >= 0) {
            columns[start[list_of[j]]++] = j; /* the start of a list moves to its end, the start of the next one */
        }
    }
    for (int64_t l = lists; l > 0; l--) {
        start[l] = start[l - 1];
    }
    start[0] = 0;
}

/* Number the units by ascending candidates; with the rule `grouped` the columns of a group share the number of the
 * first one. unit_of_group [groups]. */
static void number_units(struct feasible *set, int64_t *unit_of_group) {
    for (int64_t g = 0; g < set->groups; g++) {
        unit_of_group[g] = -1;
    }
    for (int64_t j = 0; j < set->columns; j++) {
        int64_t g = set->rule == &feasible_grouped ? set->group_of[j] : -1;

        set->unit_of[j] = -1;
        if (set->is_free[j] || is_barred(set, j)) {
            continue;
        }
        set->candidates++;
        set->unit_of[j] = g >= 0 && unit_of_group[g] >= 0 ? unit_of_group[g] : set->units++;
        if (g >= 0) {
            unit_of_group[g] = set->unit_of[j];
        }
    }
}

static void count_sizes(struct feasible *set) {
    for (int64_t u = 0; u < set->units; u++) {
        int64_t size = set->unit_start[u + 1] - set->unit_start[u];

        set->of_size[size]++;
        set->largest = size > set->largest ? size : set->largest;
    }
}

/* The room of each group after its free columns. */
static void make_room(struct feasible *set, int64_t limit) {
    for (int64_t g = 0; g < set->groups; g++) {
        set->room[g] = limit;
    }
    for (int64_t j = 0; j < set->columns; j++) {
        if (set->is_free[j] && set->group_of[j] >= 0 && set->room[set->group_of[j]] > 0) {
            set->room[set->group_of[j]]--;
        }
    }
}

void feasible_init(struct feasible *set, int64_t columns, const unsigned char *is_free,
                   const unsigned char *is_barred_in, const int64_t *group_of, int64_t groups, int64_t limit,
                   struct workspace *workspace) {
    int64_t *unit_of_group;

    *set = (struct feasible){.columns = columns, .is_free = is_free, .groups = group_of == NULL ? 0 : groups};
    set->rule = group_of == NULL ? &feasible_columns : limit > 0 ? &feasible_capped : &feasible_grouped;
    list_barred(set, is_barred_in, workspace);
    set->is_plain = group_of == NULL && set->barred_count == 0;
    set->unit_of = workspace_integers(workspace, columns);
    set->unit_start = workspace_integers(workspace, columns + 1);
    set->unit_columns = workspace_integers(workspace, columns);
    unit_of_group = workspace_integers(workspace, set->groups);
    if (group_of != NULL) {
        set->group_of = workspace_integers(workspace, columns);
        set->group_start = workspace_integers(workspace, groups + 1);
        set->group_columns = workspace_integers(workspace, columns);
    }
    if (set->rule == &feasible_capped) {
        set->room = workspace_integers(workspace, groups);
    }
    if (set->rule == &feasible_grouped) {
        set->of_size = workspace_integers(workspace, columns + 1);
    }
    if (workspace->failed) {
        return;
    }
    if (group_of != NULL) {
        memcpy(set->group_of, group_of, (size_t)columns * sizeof *group_of);
    }
    number_units(set, unit_of_group);
    list_members(set, set->unit_of, set->units, set->unit_start, set->unit_columns);
    set->largest = 1;
    if (set->of_size != NULL) {
        count_sizes(set);
    }
    if (group_of != NULL) {
        list_members(set, set->group_of, set->groups, set->group_start, set->group_columns);
    }
    if (set->room != NULL) {
        make_room(set, limit);
    }
    set->most = set->rule->most_units(set);
}

void feasible_work_init(struct feasible_work *work, const struct feasible *set, struct workspace *workspace) {
    work->values = workspace_doubles(workspace, set->columns);
    work->scratch = workspace_doubles(workspace, set->columns);
    work->list = workspace_integers(workspace, set->columns);
    if (set->group_of != NULL) {
        work->is_out = workspace_array(workspace, set->columns, 1);
        work->touched = workspace_integers(workspace, set->columns);
        work->count = workspace_integers(workspace, set->columns > set->groups ? set->columns : set->groups);
    }
}

/* ---- questions about a support ---------------------------------------------------------------------------- */

int64_t feasible_count(const struct feasible *set, int64_t size, const int64_t *support, struct feasible_work *work) {
    int64_t units = 0;

    for (int64_t i = 0; i < size && !set->rule->adds; i++) { /* a unit is a column */
        units += set->unit_of[support[i]] >= 0;
    }
    if (!set->rule->adds) {
        return units;
    }
    for (int64_t i = 0; i < size; i++) {
        int64_t u = set->unit_of[support[i]];

        if (u >= 0 && work->count[u] == 0) {
            work->count[u] = 1;
            work->touched[units++] = u;
        }
    }
    for (int64_t t = 0; t < units; t++) {
        work->count[work->touched[t]] = 0;
    }
    return units;
}

int64_t feasible_count_x(const struct feasible *set, const double *x, struct feasible_work *work) {
    int64_t size = 0;

    for (int64_t j = 0; j < set->columns; j++) {
        if (x[j] != 0) {
            work->list[size++] = j;
        }
    }
    return feasible_count(set, size, work->list, work);
}

/* With caps: whether the candidates of every group fit. */
static int fits_in_groups(const struct feasible *set, int64_t size, const int64_t *support, int64_t *used) {
    int fits = 1;

    for (int64_t i = 0; i < size; i++) {
        int64_t g = capped_group(set, support[i]);

        fits = fits && (g < 0 || ++used[g] <= set->room[g]);
    }
    for (int64_t i = 0; i < size; i++) {
        int64_t g = capped_group(set, support[i]);

        if (g >= 0) {
            used[g] = 0;
        }
    }
    return fits;
}

int feasible_allows(const struct feasible *set, int64_t s, int64_t size, const int64_t *support,
                    struct feasible_work *work) {
    for (int64_t i = 0; i < size; i++) {
        if (is_barred(set, support[i])) {
            return 0;
        }
    }
    return feasible_count(set, size, support, work) <= s &&
           (set->room == NULL || fits_in_groups(set, size, support, work->count));
}

void feasible_note(const struct feasible *set, int64_t *used, int64_t unit, int64_t change) {
    if (set->room != NULL) {
        int64_t g = group_of_unit(set, unit);

        if (g >= 0) {
            used[g] += change;
        }
    }
}
