/*
 * Dual vectors by ADMM (alternating directions, "splitting") on the relaxation of a node,
 *
 *     minimise  h(y) + phi(x) + p'x + G(z)   subject to  y = A x - b,  z = x,
 *
 *     G(z) = min over 0 <= zeta <= 1, sum over open columns of zeta_j <= r, of
 *            sum_j lambda_j z_j^2 / (2 zeta_j),   low_j zeta_j <= z_j <= high_j zeta_j   (zeta_j = 1 where j is in),
 *
 * where r is the number of units left. Its dual is the maximum of D of dual.c over alpha. Every iterate u gives an
 * alpha = rho u in dom h*, because the proximal operator does, and so a bound; none of them needs to be accurate.
 * Columns are scaled by their norms, so that scaling a column changes nothing. The relaxation does not know groups and
 * caps, which the bound does: here every column counts for itself, in a budget that is no smaller.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/exact/internal.h"

double rho_of(const struct problem *p, double residual, double dual) {
    return (residual > 0 && dual > 0 ? dual / residual : 1) * (p->h.ops->derivatives == NULL ? RHO_OF_KINKS : 1);
}

/* ---- matrices ------------------------------------------------------------------------------------------ */

int split_prepare(struct tree *tree, struct slot *slot) {
    const struct problem *p = tree->problem;
    struct stop stop = {.must_stop = slot_is_late, .context = slot};
    int64_t k = tree->count;
    double *scratch;

    if (k > MOST_COLUMNS || k == 0) {
        return 1; /* ADMM is not used */
    }
    tree->H = workspace_doubles(&tree->workspace, k * k);
    scratch = memory_array(k * k, sizeof *scratch);
    if (tree->workspace.failed || scratch == NULL) {
        memory_free(scratch);
        tree->H = NULL;
        return 0;
    }
    if (!linop_gram_until(p->A, k, tree->columns, tree->weight, tree->H, &stop)) {
        memory_free(scratch);
        tree->H = NULL;
        return 1;
    }
    if (p->f.term != NULL) {
        p->f.term->add_curvature(&p->f, k, tree->columns, scratch, NULL);
        vector_axpy(k * k, 1 / tree->rho, scratch, tree->H);
    }
    for (int64_t i = 0; i < k; i++) {
        tree->H[i + i * k] += COUPLING * tree->square[tree->columns[i]];
    }
    memory_free(scratch);
    return k > MOST_AT_WORK || split_invert(tree, slot);
}

int split_invert(struct tree *tree, struct slot *slot) {
    struct stop stop = {.must_stop = slot_is_late, .context = slot};
    int64_t k = tree->count;
    double *scratch;

    if (tree->H == NULL || tree->inverse != NULL) {
        return 1;
    }
    scratch = memory_array(k * k, sizeof *scratch);
    tree->inverse = workspace_doubles(&tree->workspace, k * k);
    if (tree->workspace.failed || scratch == NULL) {
        memory_free(scratch);
        return 0;
    }
    vector_copy(k * k, tree->H, tree->inverse);
    if (!dense_factor_until(k, tree->inverse, k, &stop) || !dense_invert_until(k, tree->inverse, scratch, &stop)) {
        tree->H = NULL;
    }
    memory_free(scratch);
    return 1;
}

/* The inverse for the current columns if it costs no more than the ADMM steps it saves, else one for more columns.
 * NULL: there is none. */
static const double *factor(struct slot *slot) {
    const struct tree *tree = slot->tree;
    int64_t k = slot->active_count;
    double cost = (double)k * (double)k * (double)k, saves = FACTOR_SAVES * (double)(k * (2 * tree->m + k));

    if (slot->split.factored_count == k &&
        memcmp(slot->split.factored, slot->active, (size_t)k * sizeof *slot->split.factored) == 0) {
        return slot->split.inverse;
    }
    if (k == tree->count || cost > saves || k > slot->split.factor_room) {
        slot->split.factored_count = -1;
        return tree->inverse;
    }
    for (int64_t i = 0; i < k; i++) {
        for (int64_t l = 0; l < k; l++) {
            slot->split.inverse[l + i * k] =
                tree->H[tree->place[slot->active[l]] + tree->place[slot->active[i]] * tree->count];
        }
    }
    slot->work += cost;
    if (!dense_factor(k, slot->split.inverse, k)) {
        slot->split.factored_count = -1;
        return tree->inverse;
    }
    dense_invert(k, slot->split.inverse, slot->split.scratch);
    memcpy(slot->split.factored, slot->active, (size_t)k * sizeof *slot->split.factored);
    slot->split.factored_count = k;
    return slot->split.inverse;
}

/* ---- the step in z ------------------------------------------------------------------------------------------ */

/* argmin over z of d/2 (z - c)^2 + the cost of an open column at multiplier kappa; also its zeta. */
static double shrink(double c, double d, double lambda, double low, double high, double kappa, double *zeta) {
    double most = c > 0 ? high : -low, size = fabs(c), slope, knee, z;

    *zeta = 0;
    if (!(most > 0)) {
        return 0;
    }
    if (lambda > 0 && kappa <= lambda * most * most / 2) {
        slope = sqrt(2 * lambda * kappa);
        knee = sqrt(2 * kappa / lambda);
    } else {
        slope = lambda * most / 2 + kappa / most;
        knee = most;
    }
    z = size - slope / d;
    if (!(z > 0)) {
        return 0;
    }
    *zeta = z < knee ? z / knee : 1;
    if (z >= knee) {
        z = fmin(most, fmax(knee, d * size / (d + lambda)));
    }
    return c > 0 ? z : -z;
}

static double used_at(const struct slot *slot, int64_t k, const int64_t *columns, double kappa) {
    const struct tree *tree = slot->tree;
    double used = 0, zeta;

    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns[i];

        if (slot->now.state[j] == COLUMN_OPEN) {
            shrink(slot->split.step[i], tree->rho * COUPLING * tree->square[j], tree->ridge[j], slot->now.low[j],
                   slot->now.high[j], kappa, &zeta);
            used += zeta;
        }
    }
    return used;
}

/* The multiplier kappa at which the open columns use up the budget, approximately. */
static double find_kappa(const struct slot *slot, int64_t k, const int64_t *columns, double budget) {
    double low = 0, high = slot->split.kappa > 0 ? slot->split.kappa
                                                 : KAPPA_FIRST * slot->upper / (double)slot->tree->m + 1e-300;
    double at_low = used_at(slot, k, columns, 0) - budget, at_high;

    if (at_low <= 0) {
        return 0;
    }
    at_high = used_at(slot, k, columns, high) - budget;
    for (int i = 0; i < KAPPA_DOUBLINGS && at_high > 0; i++) {
        low = high;
        at_low = at_high;
        high *= 2;
        at_high = used_at(slot, k, columns, high) - budget;
    }
    for (int i = 0; i < KAPPA_STEPS && at_low - at_high > 2 * KAPPA_NEAR * budget; i++) {
        double part = at_low / (at_low - at_high), kappa, at;

        part = part < KAPPA_SIDE ? KAPPA_SIDE : part > 1 - KAPPA_SIDE ? 1 - KAPPA_SIDE : part;
        kappa = low + part * (high - low);
        at = used_at(slot, k, columns, kappa) - budget;
        if (fabs(at) <= KAPPA_NEAR * budget) {
            return kappa;
        }
        if (at > 0) {
            low = kappa;
            at_low = at;
        } else {
            high = kappa;
            at_high = at;
        }
    }
    return high;
}

/* The z-step; slot->split.step [k] is x + w. */
static void step_z(struct slot *slot, int64_t k, const int64_t *columns, double budget) {
    const struct tree *tree = slot->tree;

    slot->split.kappa = find_kappa(slot, k, columns, budget);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns[i];
        double c = slot->split.step[i], d = tree->rho * COUPLING * tree->square[j], z = 0, zeta;
        double low = slot->now.low[j], high = slot->now.high[j];

        if (slot->now.state[j] == COLUMN_OPEN) {
            z = shrink(c, d, tree->ridge[j], low, high, slot->split.kappa, &zeta);
        } else if (slot->now.state[j] == COLUMN_IN) {
            z = d * c / (d + tree->ridge[j]);
            z = z < low ? low : z > high ? high : z;
        }
        slot->split.z[j] = z;
        slot->split.w[j] = c - z;
    }
}

/* ---- the iteration ------------------------------------------------------------------------------------------ */

static void iterate(struct slot *slot, const double *inverse, int64_t ld, int64_t k, const int64_t *columns,
                    double budget) {
    const struct tree *tree = slot->tree;
    const struct problem *p = tree->problem;
    int64_t m = tree->m;

    for (int64_t i = 0; i < m; i++) {
        slot->split.c[i] = p->b[i] + slot->split.y[i] - slot->split.u[i];
    }
    if (tree->below.is_there) { /* the combined row has only a slope: it has no part in H */
        slot->split.c[m - 1] = -slot->split.u[m - 1];
    }
    linop_transpose_columns(p->A, k, columns, slot->split.c, slot->split.rhs);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns[i];

        slot->split.rhs[i] +=
            COUPLING * tree->square[j] * (slot->split.z[j] - slot->split.w[j]) - tree->slope[j] / tree->rho;
        slot->split.rhs[i] += j == slot->split.tilt_column ? slot->split.tilt / tree->rho : 0;
    }
    dense_dot_columns(k, k, inverse, ld, slot->split.rhs, slot->split.step); /* x = H^-1 rhs */
    for (int64_t i = 0; i < m; i++) {
        slot->split.c[i] = (1 - RELAXED) * slot->split.y[i] + slot->split.u[i] - RELAXED * p->b[i];
    }
    for (int64_t i = 0; i < k; i++) {
        slot->split.rhs[i] = RELAXED * slot->split.step[i];
    }
    linop_add_columns(p->A, k, columns, slot->split.rhs, slot->split.c); /* R (A x - b) + (1 - R) y + u, with
                                                                            over-relaxation R */
    p->h.ops->prox(&p->h, 1 / tree->rho, slot->split.c, slot->split.y);
    for (int64_t i = 0; i < m; i++) {
        slot->split.u[i] = slot->split.c[i] - slot->split.y[i];
    }
    if (tree->below.is_there) {
        slot->split.u[m - 1] = 1 / tree->rho;
    }
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns[i];

        slot->split.x[j] = slot->split.step[i];
        slot->split.step[i] = RELAXED * slot->split.step[i] + (1 - RELAXED) * slot->split.z[j] + slot->split.w[j];
    }
    step_z(slot, k, columns, budget);
    slot->work += (double)(k * (2 * m + k));
}

static void some_iterations(struct slot *slot) {
    const struct tree *tree = slot->tree;
    int64_t largest = tree->problem->set.largest > 1 ? tree->problem->set.largest : 1, k, ld;
    double budget = (double)((tree->s - node_units_in(slot)) * largest);
    const double *inverse;
    const int64_t *columns;
    int most = tree->problem->h.ops->derivatives != NULL ? SMOOTH_ITERATIONS : ITERATIONS;

    if (pool_is_used(slot) && pool_refresh(slot)) {
        slot->split.factored_count = -1;
        inverse = slot->split.inverse;
        columns = slot->pool.columns;
        k = slot->pool.count;
        ld = slot->split.factor_room;
    } else {
        pool_clear(slot);
        inverse = factor(slot);
        columns = inverse == tree->inverse ? tree->columns : slot->active;
        ld = k = inverse == tree->inverse ? tree->count : slot->active_count;
    }
    for (int64_t i = 0; i < k && inverse != NULL; i++) {
        slot->split.unsure[columns[i]] = sqrt(inverse[i + i * ld]);
    }
    for (int i = 0; i < most && inverse != NULL; i++) {
        iterate(slot, inverse, ld, k, columns, budget);
    }
}

/* The bound at the present iterate, see dual_bound; -INFINITY: there is none. */
static double measure(struct slot *slot) {
    const struct tree *tree = slot->tree;

    vector_copy(tree->m, slot->split.u, slot->dual.alpha);
    vector_scale(tree->m, tree->rho, slot->dual.alpha);
    if (!dual_measure(slot)) {
        return -INFINITY;
    }
    for (int64_t i = 0; i < slot->active_count && slot->pool.count > 0; i++) {
        int64_t j = slot->active[i];

        if (!slot->pool.is_in[j]) { /* as it would be if the column were in the pool */
            slot->split.w[j] = -slot->dual.t[j] / (tree->rho * COUPLING * tree->square[j]);
        }
    }
    return dual_bound(slot);
}

/* Whether the gain of HOPE times the last round, in all rounds that remain, would not reach the cutoff: a child
 * continues from here. A first round without any gain says nothing, as happens with correlated columns. */
static int is_hopeless(const struct slot *slot, double last, int left) {
    double gain = slot->dual.best - last;

    return gain > 0 && slot->dual.best + left * HOPE * gain < slot->cutoff;
}

double split_run(struct slot *slot, int rounds) {
    const struct tree *tree = slot->tree;
    double trail[PATIENCE], last = slot->dual.best;

    for (int round = 0; round < rounds && tree->H != NULL && slot->active_count > 0; round++) {
        double D;

        some_iterations(slot);
        D = measure(slot);
        if (isinf(D) && D > 0) {
            return INFINITY;
        }
        slot->dual.best = fmax(slot->dual.best, D);
        if (round >= 1 && rounds == ROUNDS && is_hopeless(slot, last, rounds - round - 1)) {
            break;
        }
        last = slot->dual.best;
        if (round >= PATIENCE &&
            slot->dual.best - trail[round % PATIENCE] < STALLED * (slot->cutoff - slot->dual.best)) {
            break;
        }
        trail[round % PATIENCE] = slot->dual.best;
        if (slot_is_late(slot)) {
            break;
        }
    }
    return slot->dual.best;
}

/* ---- from node to node ------------------------------------------------------------------------------------------ */

void split_load(struct slot *slot, const struct node *node) {
    const struct tree *tree = slot->tree;

    slot->split.kappa = node->kappa;
    for (int64_t i = 0; i < tree->m; i++) {
        slot->split.u[i] = node->u[i];
        slot->split.y[i] = -tree->problem->b[i];
    }
    for (int64_t j = 0; j < tree->n; j++) {
        slot->split.w[j] = node->w[j];
        slot->split.x[j] = slot->split.z[j] = node->state[j] == COLUMN_OUT ? 0 : (double)node->z[j];
    }
    linop_multiply(tree->problem->A, slot->split.z, slot->split.c);
    vector_axpy(tree->m, 1, slot->split.c, slot->split.y); /* y = A z - b */
}

void split_store(const struct slot *slot, struct node *node) {
    const struct tree *tree = slot->tree;

    node->kappa = slot->split.kappa;
    for (int64_t i = 0; i < tree->m; i++) {
        node->u[i] = (float)slot->split.u[i];
    }
    for (int64_t j = 0; j < tree->n; j++) {
        node->w[j] = (float)slot->split.w[j];
        node->z[j] = (float)slot->split.z[j];
    }
}

/* ---- boxes ------------------------------------------------------------------------------------------ */

/* Pull at one column in one direction by ADMM. Returns 0 if the node is empty. */
static int pull(struct slot *slot, int64_t j, int sign) {
    double width = sign > 0 ? slot->now.high[j] : -slot->now.low[j];
    int is_full = 1;

    if (!(width > 0) || slot->now.state[j] == COLUMN_OUT) {
        return 1;
    }
    split_load(slot, &slot->saved);
    slot->split.tilt_column = j;
    slot->split.tilt = sign * 2 * (slot->cutoff - slot->dual.best) / width;
    for (int round = 0; round < PULLS && is_full; round++) {
        double D;

        some_iterations(slot);
        D = measure(slot);
        is_full = !(isinf(D) && D > 0);
        slot->dual.best = is_full ? fmax(slot->dual.best, D) : slot->dual.best;
    }
    slot->split.tilt_column = -1;
    return is_full;
}

int split_shrink_boxes(struct slot *slot) {
    const struct tree *tree = slot->tree;

    if (tree->H == NULL) {
        return 1;
    }
    split_store(slot, &slot->saved);
    for (int64_t i = 0; i < tree->count && !slot_is_late(slot); i++) {
        if (!pull(slot, tree->columns[i], 1) || !pull(slot, tree->columns[i], -1)) {
            return 0;
        }
    }
    split_load(slot, &slot->saved);
    return 1;
}
