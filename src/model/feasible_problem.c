/* The user's feasible set: bounds, excluded columns and groups are checked when they are set, and later framed. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/problem.h"

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

static spgm_error check_bound(const char *side, int64_t j, double value, double sign, spgm_status *status) {
    if (isnan(value)) {
        return status_set(status, SPGM_ERROR_DATA,
                          "the %s bound of column %" PRId64
                          " (counted from 0) is NaN: give a number, or %sinf for none",
                          side, j, sign < 0 ? "-" : "");
    }
    if (sign * value < 0) {
        return status_set(status, SPGM_ERROR_DATA,
                          "the %s bound of column %" PRId64
                          " (counted from 0) is %g: a coefficient may always be 0, so %s bounds must be at %s 0",
                          side, j, value, side, sign < 0 ? "most" : "least");
    }
    return SPGM_OK;
}

spgm_error spgm_problem_set_bounds(spgm_problem *problem, const double *lower, const double *upper,
                                   spgm_status *status) {
    int64_t n = problem->A.columns;
    int is_wanted = lower != NULL || upper != NULL;
    spgm_error error = SPGM_OK;
    double *low, *high;

    for (int64_t j = 0; j < n && error == SPGM_OK; j++) {
        error = lower == NULL ? SPGM_OK : check_bound("lower", j, lower[j], -1, status);
        error = upper == NULL || error != SPGM_OK ? error : check_bound("upper", j, upper[j], 1, status);
    }
    if (error != SPGM_OK) {
        return error;
    }
    low = is_wanted ? memory_array(n, sizeof *low) : NULL;
    high = is_wanted ? memory_array(n, sizeof *high) : NULL;
    if (is_wanted && (low == NULL || high == NULL)) {
        memory_free(low);
        memory_free(high);
        return status_memory(status, 2 * (size_t)n * sizeof *low);
    }
    for (int64_t j = 0; is_wanted && j < n; j++) {
        low[j] = lower == NULL ? -INFINITY : lower[j];
        high[j] = upper == NULL ? INFINITY : upper[j];
    }
    memory_free(problem->lower);
    memory_free(problem->upper);
    problem->lower = low;
    problem->upper = high;
    return status_clear(status);
}

/* ---- what contradicts itself ------------------------------------------------------------------------------ */

/* The lists of free and excluded columns and of groups, before they are accepted. */
struct lists {
    const unsigned char *is_free, *is_excluded; /* or NULL */
    const int64_t *group_of;                    /* or NULL */
    int64_t groups, limit;
};

static spgm_error check_caps(const struct spgm_problem *problem, const struct lists *lists, spgm_status *status) {
    int64_t *inside = memory_array(lists->groups, sizeof *inside);
    spgm_error error = SPGM_OK;

    if (inside == NULL) {
        return status_memory(status, (size_t)lists->groups * sizeof *inside);
    }
    for (int64_t j = 0; j < problem->A.columns && error == SPGM_OK; j++) {
        int64_t g = lists->is_free[j] ? lists->group_of[j] : -1;

        if (g >= 0 && ++inside[g] > lists->limit) {
            error =
                status_set(status, SPGM_ERROR_ARGUMENT,
                           "column %" PRId64 " (counted from 0) is one of more than %" PRId64
                           " free columns of its group: free columns are always in the model, which may have %" PRId64
                           " of each group at most; raise the limit or free fewer",
                           j, lists->limit, lists->limit);
        }
    }
    memory_free(inside);
    return error;
}

static spgm_error check_lists(const struct spgm_problem *problem, const struct lists *lists, spgm_status *status) {
    if (lists->is_free == NULL) {
        return SPGM_OK;
    }
    for (int64_t j = 0; lists->is_excluded != NULL && j < problem->A.columns; j++) {
        if (lists->is_free[j] && lists->is_excluded[j]) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "column %" PRId64
                              " (counted from 0) is both free and excluded: it cannot be always and never in the model",
                              j);
        }
    }
    return lists->group_of == NULL || lists->limit == 0 ? SPGM_OK : check_caps(problem, lists, status);
}

static struct lists lists_of(const struct spgm_problem *problem) {
    return (struct lists){problem->is_free, problem->is_excluded, problem->group_of, problem->groups,
                          problem->group_limit};
}

/* ---- free and excluded columns ---------------------------------------------------------------------------------- */

/* Marks for a list of columns; *marks is NULL on error. */
static spgm_error mark_columns(const struct spgm_problem *problem, const int64_t *columns, int64_t count,
                               const char *kind, unsigned char **marks, spgm_status *status) {
    int64_t n = problem->A.columns;

    *marks = NULL;
    if (count < 0 || (count > 0 && columns == NULL)) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s columns: %" PRId64 " given, but their list is NULL", kind,
                          count);
    }
    for (int64_t i = 0; i < count; i++) {
        if (columns[i] < 0 || columns[i] >= n) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "%s column %" PRId64 " (counted from 0) does not exist: A has %" PRId64 " columns", kind,
                              columns[i], n);
        }
    }
    *marks = memory_array(n, 1);
    if (*marks == NULL) {
        return status_memory(status, (size_t)n);
    }
    for (int64_t i = 0; i < count; i++) {
        (*marks)[columns[i]] = 1;
    }
    return SPGM_OK;
}

/* Replace the old marks by new ones if the resulting set is consistent. */
static spgm_error take_marks(struct spgm_problem *problem, struct lists lists, unsigned char *marks,
                             unsigned char **owned, spgm_status *status) {
    spgm_error error = check_lists(problem, &lists, status);

    if (error != SPGM_OK) {
        memory_free(marks);
        return error;
    }
    memory_free(*owned);
    *owned = marks;
    return status_clear(status);
}

spgm_error spgm_problem_set_free_columns(spgm_problem *problem, const int64_t *columns, int64_t count,
                                         spgm_status *status) {
    struct lists lists = lists_of(problem);
    unsigned char *marks;
    spgm_error error = mark_columns(problem, columns, count, "free", &marks, status);

    lists.is_free = marks;
    return error != SPGM_OK ? error : take_marks(problem, lists, marks, &problem->is_free, status);
}

spgm_error spgm_problem_set_excluded(spgm_problem *problem, const int64_t *columns, int64_t count,
                                     spgm_status *status) {
    struct lists lists = lists_of(problem);
    unsigned char *marks;
    spgm_error error = mark_columns(problem, columns, count, "excluded", &marks, status);

    lists.is_excluded = marks;
    return error != SPGM_OK ? error : take_marks(problem, lists, marks, &problem->is_excluded, status);
}

/* ---- groups ----------------------------------------------------------------------------------------------- */

struct labelled {
    int64_t label, column;
};

static int by_label(const void *a, const void *b) {
    const struct labelled *p = a, *q = b;

    return p->label != q->label ? (p->label > q->label) - (p->label < q->label)
                                : (p->column > q->column) - (p->column < q->column);
}

/* Renumber arbitrary labels as 0, 1, ...; returns how many there are. sorted [columns] is scratch. */
static int64_t number_groups(int64_t n, const int64_t *labels, struct labelled *sorted, int64_t *group_of) {
    int64_t groups = 0;

    for (int64_t j = 0; j < n; j++) {
        sorted[j] = (struct labelled){labels[j], j};
    }
    qsort(sorted, (size_t)n, sizeof *sorted, by_label);
    for (int64_t i = 0; i < n; i++) {
        int is_new = sorted[i].label >= 0 && (i == 0 || sorted[i].label != sorted[i - 1].label);

        groups += is_new;
        group_of[sorted[i].column] = sorted[i].label < 0 ? -1 : groups - 1;
    }
    return groups;
}

static spgm_error check_labels(const struct spgm_problem *problem, const int64_t *labels, int64_t limit,
                               spgm_status *status) {
    if (limit < 0) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "the limit of a group is %" PRId64
                          ": give 0 to count a group as one, or how many columns of each may be in",
                          limit);
    }
    for (int64_t j = 0; j < problem->A.columns; j++) {
        if (labels[j] < -1) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "the group of column %" PRId64 " (counted from 0) is %" PRId64
                              ": groups are numbered from 0, and -1 stands for none",
                              j, labels[j]);
        }
    }
    return SPGM_OK;
}

static void take_groups(struct spgm_problem *problem, int64_t *group_of, int64_t groups, int64_t limit) {
    memory_free(problem->group_of);
    problem->group_of = group_of;
    problem->groups = groups;
    problem->group_limit = limit;
}

spgm_error spgm_problem_set_groups(spgm_problem *problem, const int64_t *group_of_column, int64_t limit,
                                   spgm_status *status) {
    struct lists lists = lists_of(problem);
    int64_t n = problem->A.columns;
    struct labelled *sorted;
    int64_t *group_of;
    spgm_error error;

    if (group_of_column == NULL) {
        take_groups(problem, NULL, 0, 0);
        return status_clear(status);
    }
    error = check_labels(problem, group_of_column, limit, status);
    if (error != SPGM_OK) {
        return error;
    }
    sorted = memory_array(n, sizeof *sorted);
    group_of = memory_array(n, sizeof *group_of);
    if (sorted == NULL || group_of == NULL) {
        error = status_memory(status, (size_t)n * (sizeof *sorted + sizeof *group_of));
    } else {
        lists.group_of = group_of;
        lists.groups = number_groups(n, group_of_column, sorted, group_of);
        lists.limit = limit;
        error = check_lists(problem, &lists, status);
    }
    memory_free(sorted);
    if (error != SPGM_OK) {
        memory_free(group_of);
        return error;
    }
    take_groups(problem, group_of, lists.groups, limit);
    return status_clear(status);
}

/* ---- for another problem, and for methods ----------------------------------------------------------------------- */

/* Returns NULL for NULL, and also, with *failed set, if out of memory. */
static void *copy_of(const void *from, int64_t count, size_t size, int *failed) {
    void *copy = from == NULL ? NULL : memory_array(count, size);

    if (copy != NULL) {
        memcpy(copy, from, (size_t)count * size);
    }
    *failed |= from != NULL && copy == NULL;
    return copy;
}

spgm_error problem_copy_set(const struct spgm_problem *from, struct spgm_problem *to, spgm_status *status) {
    int64_t n = from->A.columns;
    int failed = 0;

    memory_free(to->is_free);
    memory_free(to->is_excluded);
    memory_free(to->lower);
    memory_free(to->upper);
    memory_free(to->group_of);
    to->is_free = copy_of(from->is_free, n, sizeof *from->is_free, &failed);
    to->is_excluded = copy_of(from->is_excluded, n, sizeof *from->is_excluded, &failed);
    to->lower = copy_of(from->lower, n, sizeof *from->lower, &failed);
    to->upper = copy_of(from->upper, n, sizeof *from->upper, &failed);
    to->group_of = copy_of(from->group_of, n, sizeof *from->group_of, &failed);
    to->groups = from->groups;
    to->group_limit = from->group_limit;
    return failed ? status_memory(status, (size_t)n * sizeof(double)) : SPGM_OK;
}

static int has_bounds(const struct spgm_problem *problem) {
    for (int64_t j = 0; problem->lower != NULL && j < problem->A.columns; j++) {
        if (isfinite(problem->lower[j]) || isfinite(problem->upper[j])) {
            return 1;
        }
    }
    return 0;
}

static void frame_bounds(const struct spgm_problem *problem, struct problem *framed, unsigned char *is_barred) {
    int64_t n = problem->A.columns;

    framed->lower = workspace_doubles(&framed->workspace, framed->A->columns);
    framed->upper = workspace_doubles(&framed->workspace, framed->A->columns);
    framed->data_lower = problem->lower;
    framed->data_upper = problem->upper;
    for (int64_t j = 0; !framed->workspace.failed && j < framed->A->columns; j++) {
        framed->lower[j] = j < n ? problem->lower[j] / framed->scale[j] / framed->target_unit : -INFINITY;
        framed->upper[j] = j < n ? problem->upper[j] / framed->scale[j] / framed->target_unit : INFINITY;
        is_barred[j] |= framed->lower[j] == 0 && framed->upper[j] == 0 && !framed->is_free[j];
    }
}

void problem_frame_set(const struct spgm_problem *problem, struct problem *framed) {
    struct workspace *workspace = &framed->workspace;
    int64_t columns = framed->A->columns, n = problem->A.columns;
    unsigned char *is_barred = workspace_array(workspace, columns, 1);
    int64_t *group_of = problem->group_of == NULL ? NULL : workspace_integers(workspace, columns);

    if (workspace->failed) {
        return;
    }
    for (int64_t j = 0; j < columns; j++) {
        is_barred[j] = j < n && problem->is_excluded != NULL && problem->is_excluded[j];
        if (group_of != NULL) {
            group_of[j] = j < n ? problem->group_of[j] : -1;
        }
    }
    if (has_bounds(problem)) {
        frame_bounds(problem, framed, is_barred);
    }
    feasible_init(&framed->set, columns, framed->is_free, is_barred, group_of, problem->groups, problem->group_limit,
                  workspace);
}

/* ---- what was set ------------------------------------------------------------------------------------------------ */

void spgm_problem_bounds(const spgm_problem *problem, const double **lower, const double **upper) {
    *lower = problem->lower;
    *upper = problem->upper;
}

const unsigned char *spgm_problem_excluded(const spgm_problem *problem) {
    return problem->is_excluded;
}

const int64_t *spgm_problem_groups(const spgm_problem *problem, int64_t *limit) {
    *limit = problem->group_limit;
    return problem->group_of;
}
