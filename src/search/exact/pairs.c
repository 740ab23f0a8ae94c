/*
 * Nodes with two units left, closed without children: their pairs of columns are refused by all dual vectors of the
 * node together.
 *
 * HOW IT WORKS: every dual vector says of every x of the node with F(x) below the cutoff
 *
 *     base + sum_j t_j x_j < cutoff        (dual.c; a ridge only adds to the left side),
 *
 * and the boxes bound what the columns that are in can subtract from the sum. For a pair (v, w) this leaves a
 * half-plane of (x_v, x_w). The pair is refused if its box and the half-planes of all vectors have no common point,
 * which is what the best convex combination of the vectors would prove. The vectors are those of the stem (the fit of
 * the columns that are in), of fits with one column more, and of pairs that were not refused; each helps to refuse
 * others. The pairs of one column are fitted in groups: if F over all columns of a group is not below the cutoff, all
 * its pairs are refused.
 *
 * The heaviest column comes first; when all its pairs are closed it is out. When the fits have taken as long as ADMM
 * does, ADMM is tried on what is left, which it often closes at once.
 *
 * ROUNDING: a half-plane is moved outwards by PAIR_SAFE of its terms. A corner is computed on an edge between two
 * others, to a few DBL_EPSILON of the box. So after PAIR_VECTORS cuts the corners are within some 200 DBL_EPSILON of
 * the exact polygon: far less than the half-planes were moved by.
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/exact/internal.h"

struct corner {
    double v, w;
};

void pairs_take(struct slot *slot) {
    struct pairs *pairs = &slot->pairs;
    struct workspace *w = &slot->workspace;

    pairs->room = slot->tree->count < PAIR_COLUMNS ? slot->tree->count : PAIR_COLUMNS;
    pairs->columns = workspace_integers(w, pairs->room);
    pairs->base = workspace_doubles(w, PAIR_VECTORS);
    pairs->t = workspace_doubles(w, PAIR_VECTORS * pairs->room);
    pairs->charge = workspace_doubles(w, PAIR_VECTORS * pairs->room);
    pairs->value = workspace_doubles(w, PAIR_VECTORS * pairs->room);
    pairs->is_open = workspace_array(w, pairs->room * pairs->room, 1);
}

/* ---- vectors ------------------------------------------------------------------------------------------ */

/* Add slot->dual.alpha, which was measured, to the vectors of the node; the oldest one is replaced. */
static void add_vector(struct slot *slot) {
    struct pairs *pairs = &slot->pairs;
    int64_t k = pairs->vectors % PAIR_VECTORS;
    double size, base;

    if (!pairs->is_measured) {
        return;
    }
    pairs->is_measured = 0;
    pairs->vectors++;
    base = dual_base_of_in(slot, &size);
    pairs->base[k] = base - SAFE * (fabs(slot->dual.base) + size);
    for (int64_t i = 0; i < pairs->count; i++) {
        int64_t j = pairs->columns[i], at = i + k * pairs->room;
        double reach = fmax(fabs(slot->now.low[j]), fabs(slot->now.high[j]));

        if (slot->now.state[j] != COLUMN_OUT) {
            pairs->t[at] = slot->dual.t[j];
            pairs->charge[at] = (slot->dual.error[j] + PAIR_SAFE * fabs(slot->dual.t[j])) * reach;
            pairs->value[at] = fmax(dual_worth(slot, j), 0);
        }
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------ */

/* Cut the polygon by a v + b w <= c, into `to`; returns the number of corners. */
static int clip(int count, const struct corner *from, struct corner *to, double a, double b, double c) {
    int left = 0;

    for (int i = 0; i < count; i++) {
        const struct corner *p = &from[i], *q = &from[i + 1 < count ? i + 1 : 0];
        double at_p = a * p->v + b * p->w - c, at_q = a * q->v + b * q->w - c;

        if (at_p <= 0) {
            to[left++] = *p;
        }
        if ((at_p < 0 && at_q > 0) || (at_p > 0 && at_q < 0)) {
            double part = at_p / (at_p - at_q);

            to[left].v = p->v + part * (q->v - p->v);
            to[left++].w = p->w + part * (q->w - p->w);
        }
    }
    return left;
}

/* Whether all vectors together refuse the columns at i and l of the list. */
static int is_refused(struct slot *slot, int64_t i, int64_t l) {
    const struct pairs *pairs = &slot->pairs;
    int64_t v = pairs->columns[i], w = pairs->columns[l];
    int64_t vectors = pairs->vectors < PAIR_VECTORS ? pairs->vectors : PAIR_VECTORS;
    struct corner corners[2][PAIR_VECTORS + 5] = {{{slot->now.low[v], slot->now.low[w]},
                                                   {slot->now.high[v], slot->now.low[w]},
                                                   {slot->now.high[v], slot->now.high[w]},
                                                   {slot->now.low[v], slot->now.high[w]}}};
    int count = 4, at = 0;

    slot->work += 20 * (double)vectors;
    for (int64_t k = vectors - 1; k >= 0 && count > 0; k--) { /* the newest vectors are the most likely to refuse it */
        int64_t first = i + k * pairs->room, second = l + k * pairs->room;
        double margin = PAIR_SAFE * (fabs(slot->cutoff) + fabs(pairs->base[k]));
        double slack = slot->cutoff - pairs->base[k] + margin;

        if (slack + pairs->value[first] + pairs->value[second] <= 0) {
            return 1;
        }
        count = clip(count, corners[at], corners[1 - at], pairs->t[first], pairs->t[second],
                     slack + pairs->charge[first] + pairs->charge[second]);
        at = 1 - at;
    }
    return count == 0;
}

static void close_pair(struct slot *slot, int64_t i, int64_t l) {
    struct pairs *pairs = &slot->pairs;

    pairs->is_open[i * pairs->room + l] = pairs->is_open[l * pairs->room + i] = 0;
}

/* Close the pairs of the column at i that are refused; returns how many are left. */
static int64_t look_at(struct slot *slot, int64_t i) {
    struct pairs *pairs = &slot->pairs;
    int64_t left = 0;

    for (int64_t l = 0; l < pairs->count; l++) {
        if (pairs->is_open[i * pairs->room + l] && is_refused(slot, i, l)) {
            close_pair(slot, i, l);
        }
        left += pairs->is_open[i * pairs->room + l];
    }
    return left;
}

/* Close the pairs of columns that are out. Returns nonzero if some are open. */
static int close_decided(struct slot *slot) {
    struct pairs *pairs = &slot->pairs;
    int has_open = 0;

    for (int64_t i = 0; i < pairs->count; i++) {
        int is_out = slot->now.state[pairs->columns[i]] == COLUMN_OUT;

        for (int64_t l = 0; l < pairs->count; l++) {
            if (is_out) {
                close_pair(slot, i, l);
            }
            has_open |= pairs->is_open[i * pairs->room + l];
        }
    }
    return has_open;
}

/* ---- the node ------------------------------------------------------------------------------------------ */

/* List columns from l on whose pairs with that at i are not refused, as many as a group may have. */
static int64_t list_group(struct slot *slot, int64_t i, int64_t l, int64_t *group) {
    struct pairs *pairs = &slot->pairs;
    int64_t count = 0;

    for (group[count++] = l++; l < pairs->count && count < pairs->group; l++) {
        if (pairs->is_open[i * pairs->room + l] && !is_refused(slot, i, l)) {
            group[count++] = l;
        }
    }
    return count;
}

/* Close the pair at i and l, together with others if they are refused together. The group grows by one column after
 * each success. */
static void close_some(struct slot *slot, int64_t i, int64_t l) {
    struct pairs *pairs = &slot->pairs;
    int64_t group[PAIR_GROUP], columns[PAIR_GROUP], count = list_group(slot, i, l, group);
    int is_closed = count == 1;

    for (int64_t a = 0; a < count; a++) {
        columns[a] = pairs->columns[group[a]];
    }
    if (count > 1) {
        is_closed = slot_refuses_group(slot, pairs->columns[i], count, columns);
        add_vector(slot);
        for (int64_t a = 0; a < count && is_closed; a++) {
            close_pair(slot, i, group[a]);
            for (int64_t c = 0; c < a; c++) {
                close_pair(slot, group[a], group[c]);
            }
        }
    }
    if (count == 1 || !is_closed) {
        slot_fit_pair(slot, pairs->columns[i], pairs->columns[l]);
        add_vector(slot);
    }
    pairs->group = !is_closed ? 1 : pairs->group < PAIR_GROUP ? pairs->group + 1 : PAIR_GROUP;
}

/* Close all pairs of the column at i. */
static void close_column(struct slot *slot, int64_t i) {
    struct pairs *pairs = &slot->pairs;

    if (look_at(slot, i) > 0) {
        slot_fit_branch(slot, pairs->columns[i]);
        add_vector(slot);
    }
    for (int64_t l = 0; l < pairs->count && !slot_is_late(slot) && slot->error_code == SPGM_OK; l++) {
        if (pairs->is_open[i * pairs->room + l] && !is_refused(slot, i, l)) {
            close_some(slot, i, l);
        }
    }
    if (!slot->is_stopped && slot->error_code == SPGM_OK) {
        slot->now.state[pairs->columns[i]] = COLUMN_OUT;
        dual_list(slot);
    }
}

static void begin(struct slot *slot) {
    struct pairs *pairs = &slot->pairs;
    const struct feasible *set = &slot->tree->problem->set;

    pairs->count = slot_list_units(slot);
    pairs->vectors = 0;
    pairs->group = slot->tree->has_boxes ? 2 : PAIR_GROUP;
    pairs->is_measured = 0;
    for (int64_t i = 0; i < pairs->count; i++) {
        pairs->columns[i] = set->unit_columns[set->unit_start[slot->units[i]]];
        for (int64_t l = 0; l < pairs->count; l++) {
            pairs->is_open[i * pairs->room + l] = i != l;
        }
    }
    slot_fit_stem(slot);
    add_vector(slot);
}

static int64_t heaviest_of(struct slot *slot) {
    const struct feasible *set = &slot->tree->problem->set;
    int64_t column = set->unit_columns[set->unit_start[slot_heaviest(slot)]], i = 0;

    while (slot->pairs.columns[i] != column) {
        i++;
    }
    return i;
}

/* Whether an unproven leaf leaves nothing to be proven, and the work for that case is done (is_worked_off in exact.c).
 */
static int is_stuck(const struct slot *slot) {
    const struct tree *tree = slot->tree;

    return tree->limits.stuck > 0 && fmin(slot->unproven, tree->unproven) <= slot->dual.best &&
           tree->work + tree->beyond + slot->work + slot->beyond >= tree->limits.stuck;
}

/* Without boxes there are no half-planes: close the node by groups alone, and by the fit over all columns left. Returns
 * 0 if the work of the run is done; what is left stays open. */
static int close_bare(struct slot *slot) {
    begin(slot);
    while (!slot_is_late(slot) && slot->error_code == SPGM_OK && close_decided(slot)) {
        if (slot_is_spent(slot) || is_stuck(slot)) {
            return 0;
        }
        close_column(slot, heaviest_of(slot));
        if (slot->active_count < slot->tree->m && (!slot_bound_whole(slot, 1) || slot->dual.best >= slot->cutoff)) {
            return 1;
        }
    }
    return 1;
}

/* Returns 0 if a column was decided to be in. */
static int close_all(struct slot *slot) {
    double m = (double)slot->tree->m, k = (double)slot->active_count;
    double cost = 2 * ITERATIONS * k * (2 * m + k), since = slot->work;

    begin(slot);
    while (!slot_is_late(slot) && slot->error_code == SPGM_OK && close_decided(slot)) {
        close_column(slot, heaviest_of(slot));
        if (slot->work - since > cost) {
            since = slot->work;
            if (split_run(slot, ROUNDS) >= slot->cutoff) {
                return 1;
            }
            if (slot->tree->s - node_units_in(slot) != 2) {
                return 0;
            }
            cost = slot->work - since;
            since = slot->work;
        }
    }
    return 1;
}

/* In long runs, which may not end, only nodes near the cutoff are closed, so that the tree continues where the bound is
 * lowest. */
static int is_worth_while(const struct slot *slot) {
    const struct tree *tree = slot->tree;

    return tree->work < OPENING_WORK || slot->cutoff - slot->dual.best < PAIR_NEAR * (slot->cutoff - tree->root.bound);
}

int pairs_apply(const struct tree *tree) {
    return tree->run->ledger == NULL && tree->problem->set.rule == &feasible_columns;
}

/* Without boxes and with a loss that falls for ever along a ray, leaves have proofs only where their fits happen to go
 * far out. More of them do as children of a node. */
static int is_for_children(const struct tree *tree) {
    const struct loss_kind *kind = tree->problem->h.kind;

    return !tree->has_boxes && tree->problem->h.ops->derivatives != NULL && !kind->is_quadratic && !kind->has_breaks;
}

int pairs_close(struct slot *slot) {
    int is_closed;

    if (!is_worth_while(slot) || is_for_children(slot->tree) || !pairs_apply(slot->tree) ||
        slot->tree->s - node_units_in(slot) != 2 || slot_list_units(slot) > slot->pairs.room) {
        return 0;
    }
    if (!slot->tree->has_boxes) {
        return close_bare(slot);
    }
    slot->pairs.is_at_work = 1;
    is_closed = close_all(slot);
    slot->pairs.is_at_work = 0;
    return is_closed;
}
