/*
 * The bound of a dual vector at a node, the columns that it decides and the boxes that it tightens.
 *
 * HOW IT WORKS: for every alpha in dom h* and every x of the node
 *
 *     F(x) >= base + sum_j (t_j x_j + lambda_j x_j^2 / 2),   base = -b'alpha - h*(alpha),   t = A'alpha + p,
 *
 * so D = base - max over supports of the node of sum_j v_j is a lower bound, where v_j is the maximum of
 * -t_j z - lambda_j z^2 / 2 over the box of x_j. Every number is rounded to the safe side: sums over rows have proven
 * error bounds (linalg/sum.h), and a dot product by the kernels is within (m + 8) eps ||a_j|| ||alpha|| of the exact
 * one in any order of summation.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/exact/internal.h"

void dual_list(struct slot *slot) {
    slot->active_count = 0;
    for (int64_t i = 0; i < slot->tree->count; i++) {
        int64_t j = slot->tree->columns[i];

        if (slot->now.state[j] != COLUMN_OUT) {
            slot->active[slot->active_count++] = j;
        }
    }
}

/* h*(alpha), rounded up. If rounding put alpha outside dom h*, it is moved inside. */
static double conjugate(struct slot *slot) {
    const struct loss *h = &slot->tree->problem->h;
    double value = h->ops->conjugate_above(h, slot->dual.alpha, 0, slot->dual.room, slot->dual.steep);

    if (!isfinite(value)) {
        h->ops->project_dual(h, slot->dual.alpha);
        value = h->ops->conjugate_above(h, slot->dual.alpha, 0, slot->dual.room, slot->dual.steep);
    }
    if (!isfinite(value)) {
        vector_scale(slot->tree->m, 1 - 1e-12, slot->dual.alpha);
        value = h->ops->conjugate_above(h, slot->dual.alpha, 0, slot->dual.room, slot->dual.steep);
    }
    return value;
}

/* The tangent of phi at the x of ADMM, plus p. */
static void measure_smooth(struct slot *slot) {
    const struct problem *p = slot->tree->problem;
    const struct smooth *f = &p->f;

    slot->dual.tangent = (struct smooth_tangent){{0, 0}, 0};
    memset(slot->dual.term_slope, 0, (size_t)slot->active_count * sizeof *slot->dual.term_slope);
    if (f->term != NULL) {
        for (int64_t i = 0; i < slot->active_count; i++) {
            slot->split.step[i] = slot->split.x[slot->active[i]];
        }
        smooth_refresh_columns(f, slot->active_count, slot->active, slot->split.step, slot->dual.term_state);
        slot->dual.tangent = f->term->tangent(f, slot->active_count, slot->active, slot->split.step,
                                              slot->dual.term_state, slot->dual.term_work, slot->dual.term_slope);
    }
    for (int64_t i = 0; f->linear != NULL && i < slot->active_count; i++) {
        int64_t j = slot->active[i];
        double linear = f->linear[j];

        slot->dual.term_slope[i] =
            number_add(slot->dual.term_slope[i], 1, (struct number){linear, problem_rounding(p, j) * fabs(linear)});
    }
}

/* The same, given h*(alpha) rounded up. */
static int measure_with(struct slot *slot, double above) {
    const struct tree *tree = slot->tree;
    const struct problem *p = tree->problem;
    double length;
    struct number total;

    slot->work += 4 * (double)(slot->active_count * tree->m);
    if (!isfinite(above)) {
        return 0;
    }
    measure_smooth(slot);
    total = number_add(slot->dual.tangent.constant, -1, sum_close(sum_dot(tree->m, slot->dual.alpha, p->b), 0, NULL));
    total = number_add(total, -1, (struct number){above, tree->below.error});
    slot->dual.base = number_below(total);
    length = vector_norm(tree->m, slot->dual.alpha) * (1 + ((double)tree->m + 8) * DBL_EPSILON);
    length += 2.2 * tree->below.length; /* the last row is itself a sum of rows */
    linop_transpose_columns(p->A, slot->active_count, slot->active, slot->dual.alpha, slot->split.step);
    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t j = slot->active[i];
        double slope = (double)slot->dual.term_slope[i].value;
        double rounding = 1.1 * ((double)tree->whole_rows + 8) * DBL_EPSILON + problem_rounding(p, j);

        slot->dual.t[j] = slot->split.step[i] + slope;
        slot->dual.error[j] = rounding * tree->norm[j] * length + (double)slot->dual.term_slope[i].error * (1 + 1e-9) +
                              4 * DBL_EPSILON * (fabs(slot->split.step[i]) + fabs(slope));
    }
    return 1;
}

int dual_measure(struct slot *slot) {
    return measure_with(slot, conjugate(slot));
}

int dual_measure_inside(struct slot *slot) {
    const struct loss *h = &slot->tree->problem->h;

    return measure_with(slot, h->ops->conjugate_above(h, slot->dual.alpha, 0, slot->dual.room, slot->dual.steep));
}

/* max over low <= z <= high of -t z - ridge z^2 / 2, rounded up */
static double worth(double low, double high, double ridge, double t, double error) {
    double z = ridge > 0 ? -t / ridge : t > 0 ? low : high;
    double value;

    z = z < low ? low : z > high ? high : z;
    value = z * (-t - ridge * z / 2);
#ifdef SPGM_PLANT_SIGN /* for tests/gates: a wrong sign, which the tests must notice */
    value = -value;
#endif
    return value + 8 * DBL_EPSILON * fabs(z) * (fabs(t) + ridge * fabs(z)) + error * fmax(fabs(low), fabs(high));
}

double dual_worth(const struct slot *slot, int64_t j) {
    return worth(slot->now.low[j], slot->now.high[j], slot->tree->ridge[j], slot->dual.t[j], slot->dual.error[j]);
}

double dual_base_of_in(const struct slot *slot, double *size) {
    double base = slot->dual.base;

    *size = 0;
    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t j = slot->active[i];

        if (slot->now.state[j] == COLUMN_IN) {
            double v = dual_worth(slot, j);

            base -= v;
            *size += fabs(v);
        }
    }
    return base;
}

/* Decide units that must be in and open ones for which there is no room. Returns 0 if the node is empty. */
static int settle(struct slot *slot) {
    const struct tree *tree = slot->tree;
    int64_t in = node_units_in(slot);

    if (in > tree->s) {
        return 0;
    }
    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t j = slot->active[i];

        if (slot->now.state[j] == COLUMN_OPEN) {
            slot->now.low[j] = fmin(slot->now.low[j], 0);
            slot->now.high[j] = fmax(slot->now.high[j], 0);
            if (in == tree->s) {
                slot->now.state[j] = COLUMN_OUT;
            }
        } else if (slot->now.state[j] == COLUMN_IN && slot->now.low[j] > slot->now.high[j]) {
            return 0;
        }
    }
    return 1;
}

struct selection {
    double sum, size;   /* sum of v and of |v| over the best support */
    double least_in;    /* least v of its open units; 0 if there is room for more units */
    double largest_out; /* largest v of the other open units */
};

/* The support of the node with the largest sum of v. */
static struct selection choose(struct slot *slot) {
    const struct tree *tree = slot->tree;
    const struct feasible *set = &tree->problem->set;
    struct selection best = {0, 0, INFINITY, 0};
    double large = 1;
    int64_t size, units = 0;

    memset(slot->dual.gain, 0, (size_t)tree->n * sizeof *slot->dual.gain);
    for (int64_t u = 0; u < set->units; u++) {
        slot->dual.unit_value[u] = 0;
        slot->dual.is_chosen[u] = 0;
    }
    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t j = slot->active[i];

        if (slot->now.state[j] == COLUMN_OPEN) {
            slot->dual.gain[j] = slot->dual.value[j];
            large += slot->dual.value[j];
            slot->dual.unit_value[set->unit_of[j]] += slot->dual.value[j];
        }
    }
    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t j = slot->active[i];

        if (slot->now.state[j] == COLUMN_IN && set->unit_of[j] >= 0) {
            slot->dual.gain[j] = large;
            slot->dual.is_chosen[set->unit_of[j]] = 1;
            units++;
        }
    }
    size = set->rule->choose(set, tree->s, tree->n, NULL, slot->dual.gain, &slot->dual.feasible, slot->dual.chosen);
    for (int64_t i = 0; i < size; i++) {
        int64_t u = set->unit_of[slot->dual.chosen[i]];

        if (u >= 0) {
            slot->dual.is_chosen[u] = 1;
        }
    }
    units = 0;
    for (int64_t u = 0; u < set->units; u++) {
        units += slot->dual.is_chosen[u];
    }
    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t j = slot->active[i];
        int is_open = slot->now.state[j] == COLUMN_OPEN;
        int is_counted = !is_open || slot->dual.is_chosen[set->unit_of[j]];

        best.sum += is_counted ? slot->dual.value[j] : 0;
        best.size += is_counted ? fabs(slot->dual.value[j]) : 0;
        if (is_open) {
            double value = slot->dual.unit_value[set->unit_of[j]];

            best.least_in = is_counted ? fmin(best.least_in, value) : best.least_in;
            best.largest_out = is_counted ? best.largest_out : fmax(best.largest_out, value);
        }
    }
    if (units < tree->s || !isfinite(best.least_in)) {
        best.least_in = 0;
    }
    return best;
}

static void measure_values(struct slot *slot) {
    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t j = slot->active[i];

        slot->dual.value[j] =
            worth(slot->now.low[j], slot->now.high[j], slot->tree->ridge[j], slot->dual.t[j], slot->dual.error[j]);
        if (slot->now.state[j] == COLUMN_OPEN && slot->dual.value[j] < 0) {
            slot->dual.value[j] = 0;
        }
    }
}

/* Tighten the box of x_j by t x + ridge x^2 / 2 <= slack. Returns nonzero if it shrinks by more than a little. */
static int tighten(struct slot *slot, int64_t j, double slack) {
    double t = slot->dual.t[j], ridge = slot->tree->ridge[j], error = slot->dual.error[j];
    double *low = &slot->now.low[j], *high = &slot->now.high[j];
    double width = *high - *low, size = fabs(t) - error, edge;

    slack += error * fmax(fabs(*low), fabs(*high));
    if (ridge > 0) {
        double root = t * t + 2 * ridge * slack;
        double reach;

        if (root < 0) {
            *low = 1;
            *high = -1;
            slot->has_effect = 1;
            return 1;
        }
        reach = sqrt(root) * (1 + 1e-12);
        edge = (-t + reach) / ridge;
        *high = fmin(*high, edge + 1e-12 * (fabs(t) + reach) / ridge);
        edge = (-t - reach) / ridge;
        *low = fmax(*low, edge - 1e-12 * (fabs(t) + reach) / ridge);
    } else if (size > 0) {
        edge = slack / size; /* slack < 0: |x_j| is at least this, on the other side */
        edge = slack < 0 ? slack / (fabs(t) + error) : edge;
        edge += 1e-12 * fabs(edge);
        if (t > 0) {
            *high = fmin(*high, edge);
        } else {
            *low = fmax(*low, -edge);
        }
    }
    slot->has_effect |= *high - *low < width;
    return *high - *low < EFFECT * width;
}

/* One pass: compute D, decide columns, tighten boxes. *changed: enough has changed for another pass. */
static double pass(struct slot *slot, int *changed) {
    const struct tree *tree = slot->tree;
    const struct feasible *set = &tree->problem->set;
    struct selection best;
    double D, margin;

    *changed = 0;
    measure_values(slot);
    best = choose(slot);
    margin = SAFE * (fabs(slot->dual.base) + best.size + fabs(slot->cutoff)) +
             (double)slot->active_count * DBL_EPSILON * best.size;
    D = slot->dual.base - best.sum - margin;
    if (D >= slot->cutoff) {
        return INFINITY;
    }
    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t j = slot->active[i], u = set->unit_of[j];
        int is_open = slot->now.state[j] == COLUMN_OPEN;
        int is_counted = !is_open || slot->dual.is_chosen[u];
        double with = is_counted ? D : D - slot->dual.unit_value[u] + best.least_in - margin; /* D if the unit is in */

        if (is_open && is_counted && D + slot->dual.unit_value[u] - best.largest_out - margin >= slot->cutoff) {
            node_set_unit(slot, &slot->now, u, COLUMN_IN);
            *changed = 1;
        } else if (is_open && !is_counted && with >= slot->cutoff) {
            node_set_unit(slot, &slot->now, u, COLUMN_OUT);
            *changed = 1;
        }
        if (slot->now.state[j] != COLUMN_OUT) {
            *changed |= tighten(slot, j, slot->cutoff - with - slot->dual.value[j] + margin);
        }
    }
    return D;
}

void dual_record(struct slot *slot, int64_t column) {
    if (slot->ledger != NULL) {
        ledger_note(slot->ledger, column, slot->dual.alpha);
    }
}

static double apply(struct slot *slot) {
    double best = -INFINITY;
    int changed = 1;

    for (int round = 0; round < DUAL_PASSES && changed; round++) {
        double D = pass(slot, &changed);

        if (isinf(D) && D > 0) {
            return INFINITY;
        }
        best = fmax(best, D);
        slot->has_effect |= changed;
        if (!settle(slot)) {
            return INFINITY;
        }
        dual_list(slot);
    }
    return best;
}

double dual_bound(struct slot *slot) {
    double D;

    slot->has_effect = 0;
    D = apply(slot);
    if (slot->has_effect || D > slot->dual.best) {
        dual_record(slot, -1);
    }
    return D;
}

double dual_support(struct slot *slot, int64_t size, const int64_t *support) {
    double sum = 0, of_sizes = 0, bound = -INFINITY;

    if (!slot->pairs.is_at_work) { /* pairs need t for all columns */
        memcpy(slot->active, support, (size_t)size * sizeof *support);
        slot->active_count = size;
    }
    slot->pairs.is_measured = dual_measure(slot);
    if (slot->pairs.is_measured) {
        for (int64_t i = 0; i < size; i++) {
            double v = dual_worth(slot, support[i]);

            sum += v;
            of_sizes += fabs(v);
        }
        bound =
            slot->dual.base - sum - SAFE * (fabs(slot->dual.base) + of_sizes) - (double)size * DBL_EPSILON * of_sizes;
    }
    dual_list(slot);
    return bound;
}
