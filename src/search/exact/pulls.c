/*
 * Bound tightening at the root by Newton's method, for losses with kinks: how far x_j can go where F(x) < cutoff.
 *
 * HOW IT WORKS: the minimiser of F - tilt x_j over all columns that may be in has a dual vector alpha with A'alpha +
 * ridge x = tilt e_j, so x_j <= (cutoff - base) / tilt, up to the residual of that equation (dual.c). This bound is
 * lowest for the tilt at which F at the minimiser equals the cutoff. It is flat there: a tilt that is a third too large
 * or small costs 4 %. F rises like a parabola whose curvature is that of the squares times a factor that is about the
 * same for all columns and is learnt from one column to the next.
 *
 * Kinks are smoothed by a proximal term of width delta, alpha = (r - prox(r)) / delta, so that Newton's method finds
 * the minimum in a few steps: many rows are in the smoothed part (bent) at once, while a vertex has only one such row
 * for every column. Smoothing costs a share of the slack below the cutoff.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/exact/internal.h"

struct pulls {
    struct slot *slot;
    struct workspace workspace;
    int64_t m, count, *columns;
    int64_t *bent_rows;              /* [m] */
    double *lowest_x, lowest, slack; /* the minimiser of F [count], its F, and the cutoff minus that */
    double *lowest_r;                /* A x - b at that minimiser [m] */
    double delta;                    /* width of the smoothing */
    double strength;                 /* tilt times the standard error of a coefficient */
    double *variance;                /* variances of the coefficients of a least-squares fit, up to a factor [count] */
    double *x, *g, *q;               /* [count] */
    double *r, *u, *w, *y, *image;   /* [m] */
    double bent;                     /* number of rows with w > 0 */
    double *H;                       /* [count x count] */
    double *lowest_H;                /* H at the minimiser of F, where every pull begins */
    int has_lowest;                  /* it is computed */
    double *A, *rows;                /* the columns, and their bent rows [m x count] */
};

/* ---- the smoothed loss ---------------------------------------------------------------------------------------- */

/* u in dom h* at the residual, and its derivatives w. */
static void bend_rows(struct pulls *p) {
    const struct loss *h = &p->slot->tree->problem->h;

    h->ops->prox(h, p->delta, p->r, p->y);
    p->bent = 0;
    for (int64_t i = 0; i < p->m; i++) {
        double u = (p->r[i] - p->y[i]) / p->delta;
        double up = h->up != NULL ? h->up[i] : INFINITY;
        double down = h->down != NULL ? h->down[i] : INFINITY;
        int is_bent = u != 0 && u < up * (1 - PULL_EDGE) && u > -down * (1 - PULL_EDGE);

        p->u[i] = u;
        p->w[i] = is_bent ? 1 / p->delta : 0;
        p->bent += is_bent;
    }
}

/* What smoothing costs at the minimum. */
static double cost_at(struct pulls *p, double delta) {
    const struct loss *h = &p->slot->tree->problem->h;

    p->delta = delta;
    vector_copy(p->m, p->lowest_r, p->r);
    bend_rows(p);
    return h->ops->value(h, p->r) + h->ops->conjugate(h, p->u) - vector_dot(p->m, p->u, p->r);
}

/* Choose the width that costs PULL_SHARE of the slack, or one at which about as many rows are bent as there are
 * columns, if that is wider. */
static void choose_width(struct pulls *p) {
    double delta = vector_norm1(p->m, p->lowest_r) / (double)p->m, factor;

    factor = cost_at(p, delta) > PULL_SHARE * p->slack ? 0.5 : 2;
    for (int step = 0; step < PULL_WIDTHS && (cost_at(p, delta * factor) > PULL_SHARE * p->slack) == (factor < 1);
         step++) {
        delta *= factor;
    }
    for (int step = 0; step < PULL_WIDTHS && cost_at(p, delta) < p->slack && p->bent < PULL_BENT * (double)p->count;
         step++) {
        delta *= PULL_WIDER;
    }
    p->delta = delta;
}

/* ---- Newton's method ------------------------------------------------------------------------------------------ */

/* The bent rows times the square roots of their curvature; returns how many. */
static int64_t gather_bent(struct pulls *p) {
    int64_t bent = 0;

    for (int64_t i = 0; i < p->m; i++) {
        p->bent_rows[bent] = i;
        bent += p->w[i] > 0;
    }
    for (int64_t t = 0; t < bent; t++) {
        p->y[t] = sqrt(p->w[p->bent_rows[t]]);
    }
    for (int64_t j = 0; j < p->count; j++) {
        for (int64_t t = 0; t < bent; t++) {
            p->rows[t + j * p->m] = p->y[t] * p->A[p->bent_rows[t] + j * p->m];
        }
    }
    return bent;
}

/* Factor H = A'(du/dr)A + ridge. du/dr is diagonal except for the largest residual. Returns 0 if H is singular. */
static int factor(struct pulls *p) {
    const struct tree *tree = p->slot->tree;
    int64_t k = p->count, bent = gather_bent(p);

    dense_square(bent, k, p->rows, p->m, p->H);
    if (tree->problem->h.kind->is_peaked && bent > 0) {
        for (int64_t t = 0; t < bent; t++) {
            p->y[t] = copysign(1, p->u[p->bent_rows[t]]);
        }
        dense_dot_columns(bent, k, p->rows, p->m, p->y, p->q);
        dense_rank_one(k, k, -1 / (double)bent, p->q, p->q, p->H, k);
    }
    for (int64_t i = 0; i < k; i++) {
        double ridge = tree->ridge[p->columns[i]];

        p->H[i + i * k] += ridge + PULL_DAMPING * (p->H[i + i * k] + tree->square[p->columns[i]]);
    }
    return dense_factor(k, p->H, k);
}

/* The factor at the common start of all pulls. */
static int factor_lowest(struct pulls *p) {
    size_t bytes = (size_t)(p->count * p->count) * sizeof *p->H;

    if (p->has_lowest) {
        memcpy(p->H, p->lowest_H, bytes);
        return 1;
    }
    p->has_lowest = factor(p);
    memcpy(p->lowest_H, p->H, bytes);
    return p->has_lowest;
}

/* g = A'u + ridge x + slope - tilt e_j. Returns its size relative to its terms. */
static double measure_gradient(struct pulls *p, int64_t position, double tilt) {
    const struct tree *tree = p->slot->tree;
    double length = vector_norm(p->m, p->u), most = 0;

    dense_dot_columns(p->m, p->count, p->A, p->m, p->u, p->g);
    for (int64_t i = 0; i < p->count; i++) {
        int64_t j = p->columns[i];

        p->g[i] += tree->ridge[j] * p->x[i] + tree->slope[j] - (i == position ? tilt : 0);
        most = fmax(most, fabs(p->g[i]) / (tree->norm[j] * length));
    }
    return most;
}

/* The multiplications of a step, if a fifth of the rows are bent. */
static double step_work(const struct tree *tree, int64_t count) {
    double k = (double)count;

    return (double)tree->m * k * (4 + k / 10) + k * k * k / 3;
}

/* F at x by its dual vector: lower by what smoothing costs. */
static double value(const struct pulls *p) {
    const struct tree *tree = p->slot->tree;
    const struct loss *h = &tree->problem->h;
    double F = vector_dot(p->m, p->u, p->r) - h->ops->conjugate(h, p->u);

    for (int64_t i = 0; i < p->count; i++) {
        F += p->x[i] * (tree->slope[p->columns[i]] + tree->ridge[p->columns[i]] * p->x[i] / 2);
    }
    return F;
}

/* The smoothed F - tilt x_j, whose gradient in r is u. */
static double merit(const struct pulls *p, int64_t position, double tilt) {
    return value(p) - p->delta / 2 * vector_sum_squares(p->m, p->u) - (position < 0 ? 0 : tilt * p->x[position]);
}

/* x -= H^-1 g, or a part of that, with u at the new x. Returns 0 if no part lowers the merit. */
static int step(struct pulls *p, int64_t position, double tilt) {
    double before = merit(p, position, tilt), part = -1;

    dense_solve_upper_transposed(p->count, p->H, p->count, p->g);
    dense_solve_upper(p->count, p->H, p->count, p->g);
    memset(p->image, 0, (size_t)p->m * sizeof *p->image);
    dense_add_columns(p->m, p->count, p->A, p->m, p->g, p->image);
    for (int half = 0; half < PULL_HALVES; half++) {
        vector_axpy(p->count, part, p->g, p->x);
        vector_axpy(p->m, part, p->image, p->r);
        bend_rows(p);
        if (merit(p, position, tilt) <= before + 1e-12 * fabs(before)) {
            return 1;
        }
        part = fabs(part) / 2; /* take back half of the step */
    }
    return 0;
}

/* The approximate minimiser of F - tilt x_j, with its dual vector in p->u. Returns 0 if it was not found. */
static int minimise(struct pulls *p, int64_t position, double tilt) {
    double off = INFINITY;

    vector_copy(p->count, p->lowest_x, p->x);
    vector_copy(p->m, p->lowest_r, p->r);
    bend_rows(p);
    for (int round = 0; round < PULL_STEPS; round++) {
        off = measure_gradient(p, position, tilt);
        if (off < PULL_BALANCED || !(round == 0 && position >= 0 ? factor_lowest(p) : factor(p)) ||
            !step(p, position, tilt)) {
            break;
        }
        p->slot->work += step_work(p->slot->tree, p->count);
    }
    return off < PULL_NEARLY;
}

/* ---- pulls ---------------------------------------------------------------------------------------------------- */

/* Returns (F - lowest) / slack at the minimiser, NAN: none was found. *is_full = 0: the node is empty. */
static double pull_once(struct pulls *p, int64_t position, double tilt, int *is_full) {
    struct slot *slot = p->slot;

    if (!minimise(p, position, tilt)) {
        return NAN;
    }
    vector_copy(p->m, p->u, slot->dual.alpha);
    if (dual_measure(slot)) {
        double D = dual_bound(slot);

        *is_full = !(isinf(D) && D > 0);
        slot->dual.best = *is_full ? fmax(slot->dual.best, D) : INFINITY;
    }
    return fmax(value(p) - p->lowest, 0) / p->slack;
}

/* Pull at one column in one direction. Returns 0 if the node is empty. */
static int pull(struct pulls *p, int64_t position, int sign) {
    int64_t j = p->columns[position];
    double unit = 1 / sqrt(p->variance[position]), strength = p->strength;
    int is_full = 1;

    for (int attempt = 0; attempt < PULL_TRIES && is_full && p->slot->now.state[j] != COLUMN_OUT; attempt++) {
        double part = pull_once(p, position, sign * strength * unit, &is_full), by = sqrt(1 / part);

        by = isnan(by) ? 1 / PULL_MOVE : fmin(fmax(by, 1 / PULL_MOVE), PULL_MOVE);
        strength *= by;
        if (by > PULL_NEAR && by < 1 / PULL_NEAR) {
            p->strength = sqrt(p->strength * strength);
            break;
        }
    }
    return is_full;
}

/* The variances, from the inverse of A'A. */
static int measure_variances(struct pulls *p) {
    const struct tree *tree = p->slot->tree;
    int64_t k = p->count;
    double *scratch = memory_array(k * k, sizeof *scratch);
    int is_regular;

    dense_square(p->m - tree->below.is_there, k, p->A, p->m, p->H);
    for (int64_t i = 0; i < k; i++) {
        p->H[i + i * k] += tree->ridge[p->columns[i]] + PULL_DAMPING * tree->square[p->columns[i]];
    }
    is_regular = scratch != NULL && dense_factor(k, p->H, k);
    if (is_regular) {
        dense_invert(k, p->H, scratch);
    }
    for (int64_t i = 0; i < k && is_regular; i++) {
        p->variance[i] = p->H[i + i * k];
    }
    memory_free(scratch);
    return is_regular;
}

/* The minimiser of F over all columns that may be in. Returns 0 if it was not found. */
static int fit_all(struct pulls *p) {
    struct slot *slot = p->slot;
    const struct problem *problem = slot->tree->problem;
    struct fit *fit = fit_new(problem, p->count);
    enum fit_outcome outcome = FIT_INEXACT;

    if (fit != NULL) {
        fit_set_stop(fit, slot_is_late, slot);
        fit_set_support(fit, p->count, p->columns);
        fit_gather(fit, slot->best_x);
        outcome = p->count <= FEW_WARM ? fit_warm(fit, INFINITY) : fit_cold(fit);
        vector_copy(p->count, fit_x(fit), p->lowest_x);
        vector_copy(p->m, fit_residual(fit), p->lowest_r);
        p->lowest = fit_objective(fit);
        p->strength = PULL_FIRST * vector_norm(p->m, fit_dual(fit));
        p->slack = slot->cutoff - p->lowest;
    }
    fit_free(fit);
    return outcome == FIT_OPTIMAL && p->slack > 0;
}

static int begin(struct pulls *p) {
    struct slot *slot = p->slot;
    struct workspace *w = &p->workspace;
    double **over_columns[] = {&p->lowest_x, &p->variance, &p->x, &p->g, &p->q};
    double **over_rows[] = {&p->lowest_r, &p->r, &p->u, &p->w, &p->y, &p->image};

    p->m = slot->tree->m;
    p->count = slot->active_count;
    p->columns = workspace_integers(w, p->count);
    p->H = workspace_doubles(w, p->count * p->count);
    p->lowest_H = workspace_doubles(w, p->count * p->count);
    p->A = workspace_doubles(w, p->m * p->count);
    p->rows = workspace_doubles(w, p->m * p->count);
    p->bent_rows = workspace_integers(w, p->m);
    for (size_t i = 0; i < sizeof over_columns / sizeof *over_columns; i++) {
        *over_columns[i] = workspace_doubles(w, p->count);
    }
    for (size_t i = 0; i < sizeof over_rows / sizeof *over_rows; i++) {
        *over_rows[i] = workspace_doubles(w, p->m);
    }
    if (w->failed) {
        return 0;
    }
    memcpy(p->columns, slot->active, (size_t)p->count * sizeof *p->columns);
    linop_gather(slot->tree->problem->A, p->count, p->columns, p->A, p->m);
    if (!fit_all(p) || !measure_variances(p)) {
        return 0;
    }
    choose_width(p);
    if (!minimise(p, -1, 0)) {
        return 0;
    }
    vector_copy(p->count, p->x, p->lowest_x);
    vector_copy(p->m, p->r, p->lowest_r);
    p->lowest = value(p);
    p->slack = slot->cutoff - p->lowest;
    return 1;
}

int pulls_apply(const struct tree *tree) {
    return fit_is_warm(tree->problem) && tree->problem->lower == NULL && tree->whole_rows >= PULL_TALL * tree->count;
}

double pulls_work(const struct tree *tree) {
    return 2 * (double)tree->count * PULL_USUAL * step_work(tree, tree->count);
}

int pulls_shrink_boxes(struct slot *slot) {
    struct pulls p = {.slot = slot};
    int is_full = 1;

    if (begin(&p)) {
        for (int64_t i = 0; i < p.count && is_full && !slot_is_late(slot); i++) {
            is_full = pull(&p, i, 1) && pull(&p, i, -1);
        }
    }
    workspace_free(&p.workspace);
    return is_full;
}
