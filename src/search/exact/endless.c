/*
 * Columns whose coefficient has no end, such as a column of 0 and 1 that is 1 for one label only.
 *
 * HOW IT WORKS: let a_j minus a constant v, which the intercept takes, be such that no row has a larger loss when x_j
 * rises from 0 (or falls; then read this with -x_j): some rows J gain, and in the others the column is 0. Then x_j has
 * no upper end, and no dual vector in the interior of dom h* in all rows has the slope 0 in x_j. But
 *   - dual vectors that are 0 in all rows J have the slope 0 in x_j, and prove boxes for the other columns (boxes.c,
 *     where these rows are dead);
 *   - raising x_j never raises F. So in a node where j is in, x_j may be taken as C at once, with C so large that the
 *     rows J have no loss whatever the other columns in their boxes do, or hardly any if the loss is nowhere 0. For an
 *     x with F(x) below the cutoff there is then another one with x_j in [0, C] and F below the cutoff plus `tail`, by
 *     which every bound of the tree is lowered.
 * With a constant v, the intercept is what it would be without such columns plus v x_j: its box is widened by that.
 */
#include <math.h>
#include <string.h>

#include "linalg/select.h"
#include "search/exact/internal.h"

/* Write sign (column - v) to e->by. Returns how many rows it moves. */
static int64_t shift(struct endless *e, int64_t m, double v, int sign) {
    int64_t count = 0;

    for (int64_t i = 0; i < m; i++) {
        e->by[i] = e->column[i] == v ? 0 : sign * (e->column[i] - v);
        count += e->by[i] != 0;
    }
    return count;
}

static void note(struct endless *e, int64_t m, int64_t j, double v, int sign) {
    e->is_one[j] = 1;
    e->columns[e->count] = j;
    e->value[e->count] = v;
    e->sign[e->count++] = sign;
    for (int64_t i = 0; i < m; i++) {
        e->is_dead[i] |= e->by[i] != 0;
    }
}

/* Whether for some v no row has a larger loss as x_j moves in one direction; v and the direction are then noted. */
static int is_endless(struct endless *e, const struct tree *tree, int64_t j) {
    const struct problem *p = tree->problem;
    double least = INFINITY, most = -INFINITY;

    linop_unscaled(p->A, j, e->column);
    for (int64_t i = 0; i < tree->m; i++) {
        least = fmin(least, e->column[i]);
        most = fmax(most, e->column[i]);
    }
    for (int choice = 0; choice < (p->has_intercept ? 6 : 2); choice++) {
        double v = choice < 2 ? 0 : choice < 4 ? least : most;
        int sign = choice % 2 == 0 ? 1 : -1;

        if (shift(e, tree->m, v, sign) > 0 && p->h.ops->recession(&p->h, e->by) <= 0) {
            note(e, tree->m, j, v, sign);
            return 1;
        }
    }
    return 0;
}

void endless_find(struct endless *e, const struct tree *tree, int64_t *columns, int64_t *count) {
    const struct problem *p = tree->problem;
    int64_t left = 0, intercept = p->has_intercept ? p->A->columns - 1 : -1;

    for (int64_t i = 0; i < *count; i++) {
        int64_t j = columns[i];

        if (j == intercept || slot_is_late(e->slot) || !is_endless(e, tree, j)) {
            columns[left++] = j;
        }
    }
    *count = left;
}

int endless_applies(const struct tree *tree) {
    const struct problem *p = tree->problem;

    return p->h.kind->is_sum && p->lower == NULL && p->f.linear == NULL && p->f.term == NULL &&
           tree->run->ledger == NULL;
}

void endless_take(struct endless *e, struct slot *slot, int64_t count, struct workspace *w) {
    int64_t m = slot->tree->m;

    e->slot = slot;
    e->columns = workspace_integers(w, count);
    e->is_one = workspace_array(w, slot->tree->n, 1);
    e->value = workspace_doubles(w, count);
    e->sign = workspace_doubles(w, count);
    e->is_dead = workspace_array(w, m, 1);
    e->column = workspace_doubles(w, m);
    e->by = workspace_doubles(w, m);
    e->sum = workspace_doubles(w, m);
    e->most = workspace_doubles(w, slot->tree->count);
    e->scratch = workspace_doubles(w, slot->tree->count);
    e->chosen = workspace_integers(w, slot->tree->count);
    e->residual = workspace_doubles(w, m);
}

/* The sum of the s largest values, or of as many columns as s units may have. */
static double sum_of_support(struct endless *e) {
    const struct tree *tree = e->slot->tree;
    int64_t largest = tree->problem->set.largest > 1 ? tree->problem->set.largest : 1;
    int64_t most = tree->s * largest < tree->count ? tree->s * largest : tree->count;
    double sum = 0;

    select_largest(tree->count, e->most, most, e->chosen, e->scratch);
    for (int64_t i = 0; i < most; i++) {
        sum += e->most[e->chosen[i]];
    }
    return sum;
}

/* The largest contribution of the other columns to a row: those that are in, and s others. */
static void measure_others(struct endless *e) {
    const struct slot *slot = e->slot;
    const struct tree *tree = slot->tree;
    int64_t m = tree->m;
    double all;

    memset(e->sum, 0, (size_t)m * sizeof *e->sum);
    memset(e->most, 0, (size_t)tree->count * sizeof *e->most);
    for (int64_t i = 0; i < tree->count; i++) {
        int64_t j = tree->columns[i], is_in = slot->now.state[j] == COLUMN_IN;
        double far = fmax(-slot->now.low[j], slot->now.high[j]), scale;

        if (slot->now.state[j] == COLUMN_OUT || e->is_one[j]) {
            continue;
        }
        far = j == e->intercept ? e->far : far;
        scale = fabs(linop_unscaled(tree->problem->A, j, e->column)) * far;
        for (int64_t row = 0; row < m; row++) {
            double size = scale * fabs(e->column[row]);

            e->sum[row] += is_in ? size : 0;
            e->most[i] = is_in ? 0 : fmax(e->most[i], e->is_dead[row] * size);
        }
    }
    all = sum_of_support(e);
    for (int64_t row = 0; row < m; row++) {
        e->sum[row] += all;
    }
}

/* The largest excess of the loss over its minimum where x_j has this size. Rows that x_j does not move are at b. */
static double lost_at(struct endless *e, double far) {
    const struct problem *p = e->slot->tree->problem;
    double here;

    for (int64_t i = 0; i < e->slot->tree->m; i++) {
        e->residual[i] = e->by[i] == 0 ? 0 : far * e->by[i] - copysign(e->sum[i], e->by[i]) - p->b[i];
    }
    here = p->h.ops->value(&p->h, e->residual);
    for (int64_t i = 0; i < e->slot->tree->m; i++) {
        e->residual[i] = e->by[i] == 0 ? 0 : copysign(ENDLESS_FAR, e->by[i]);
    }
    return here - p->h.ops->value(&p->h, e->residual) + SAFE * fabs(here);
}

/* |x_j| at which it may be fixed; what that costs is added to *tail. INFINITY: there is none. */
static double limit_of(struct endless *e, int64_t k, double *tail) {
    const struct tree *tree = e->slot->tree;
    double scale = fabs(linop_unscaled(tree->problem->A, e->columns[k], e->column)), reach = 0, beyond = 1, far;

    shift(e, tree->m, e->value[k], (int)e->sign[k]);
    for (int64_t i = 0; i < tree->m; i++) {
        e->by[i] *= scale;
    }
    for (int doubling = 0; doubling < ENDLESS_DOUBLINGS; doubling++, beyond *= 2) {
        reach = 0;
        for (int64_t i = 0; i < tree->m; i++) {
            reach = e->by[i] == 0 ? reach : fmax(reach, (beyond + e->sum[i]) / fabs(e->by[i]));
        }
        far = reach * (1 + 1e-6); /* rounding */
        *tail = lost_at(e, reach);
        if (*tail <= ENDLESS_TAIL * fabs(tree->cutoff)) {
            return far;
        }
    }
    return INFINITY;
}

/* Widen the range of the intercept by what x_j contributes from 0 to x. */
static void widen(struct endless *e, int64_t k, double x) {
    struct node *now = &e->slot->now;
    const struct linop *A = e->slot->tree->problem->A;
    double by = -linop_unscaled(A, e->columns[k], NULL) * e->value[k] / linop_unscaled(A, e->intercept, NULL) * x;

    by *= 1 + 1e-12;
    now->low[e->intercept] += fmin(by, 0);
    now->high[e->intercept] += fmax(by, 0);
}

/* rho without the rows that these columns move: their residuals only show how far the incumbent went. */
static void choose_rho(struct endless *e, struct tree *tree) {
    const struct fit *fit = e->slot->fits.leaf;
    double residual = 0, dual = 0;

    for (int64_t i = 0; i < tree->m; i++) {
        residual += e->is_dead[i] ? 0 : fit_residual(fit)[i] * fit_residual(fit)[i];
        dual += e->is_dead[i] ? 0 : fit_dual(fit)[i] * fit_dual(fit)[i];
    }
    tree->rho = rho_of(tree->problem, sqrt(residual), sqrt(dual));
}

int endless_limit(struct endless *e, struct tree *tree) {
    struct node *now = &e->slot->now;
    int is_first = !e->is_limited;

    e->intercept = tree->problem->has_intercept ? tree->n - 1 : -1;
    if (e->intercept >= 0 && (is_first || !e->is_shifted)) {
        e->far = fmax(-now->low[e->intercept], now->high[e->intercept]);
    }
    if (is_first) {
        choose_rho(e, tree);
    }
    measure_others(e);
    for (int64_t k = 0; k < e->count; k++) {
        int64_t j = e->columns[k];
        double tail, far = limit_of(e, k, &tail);

        if (!isfinite(far)) {
            return 0;
        }
        tree->tail += tail;
        if (e->sign[k] > 0) {
            now->low[j] = fmax(now->low[j], 0);
            now->high[j] = fmin(now->high[j], far);
        } else {
            now->low[j] = fmax(now->low[j], -far);
            now->high[j] = fmin(now->high[j], 0);
        }
        if (is_first && e->value[k] != 0) {
            widen(e, k, e->sign[k] * far);
            e->is_shifted = 1;
        }
    }
    e->is_limited = 1;
    return 1;
}
