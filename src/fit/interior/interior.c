/*
 * The engine for piecewise linear losses and every smooth term: memory, evaluation of a primal-dual pair with its
 * bound, and the choice of the algorithm by the loss. It always starts from x = 0; the given x is kept if nothing
 * better is found.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fit/interior/internal.h"
#include "linalg/vector.h"

static int interior_applies(const struct problem *problem) {
    return problem->h.kind->engine == LOSS_BY_KINKS || problem->h.kind->engine == LOSS_BY_LEVEL;
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static int64_t parts_of(const struct loss *h) {
    if (h->up == NULL) {
        return 1;
    }
    for (int64_t i = 0; i < h->rows; i++) {
        if (h->dead[i] > 0) {
            return 2;
        }
    }
    return 1;
}

static void take_system(struct system *system, int64_t size, struct workspace *workspace) {
    int64_t square = size <= INT32_MAX ? size * size : -1;

    system->N = workspace_doubles(workspace, square);
    system->R = workspace_doubles(workspace, square);
    system->plan.columns = workspace_integers(workspace, size);
    system->scaling = workspace_doubles(workspace, size);
    system->residual = workspace_doubles(workspace, size);
    system->correction = workspace_doubles(workspace, size);
}

static void take_pairs(struct pairs *in, int64_t rows, struct workspace *workspace) {
    double **arrays[] = {&in->low,     &in->high,     &in->shift, &in->primal, &in->primal2, &in->dual, &in->dual2,
                         &in->dprimal, &in->dprimal2, &in->ddual, &in->ddual2, &in->W,       &in->g};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = workspace_doubles(workspace, in->parts * rows);
    }
    in->weight = workspace_doubles(workspace, rows);
    in->image = workspace_doubles(workspace, rows);
    in->scratch = workspace_doubles(workspace, rows);
}

static void take_vectors(struct interior *p, int64_t capacity, int64_t rows) {
    double **of_support[] = {&p->reach, &p->lengths, &p->pull, &p->z,   &p->gradient,
                             &p->w,     &p->best_z,  &p->dz,   &p->rhs, &p->more};

    for (size_t i = 0; i < sizeof of_support / sizeof *of_support; i++) {
        *of_support[i] = workspace_doubles(&p->workspace, capacity + 1);
    }
    p->Q = workspace_doubles(&p->workspace, capacity <= INT32_MAX ? capacity * capacity : -1);
    p->u = workspace_doubles(&p->workspace, rows);
    p->r = workspace_doubles(&p->workspace, rows);
    p->best_u = workspace_doubles(&p->workspace, rows);
}

static void take_walls(struct walls *walls, int64_t capacity, struct workspace *workspace) {
    double **arrays[] = {&walls->low,       &walls->high, &walls->below, &walls->above,    &walls->low_dual,
                         &walls->high_dual, &walls->dlow, &walls->dhigh, &walls->wish_low, &walls->wish_high};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = workspace_doubles(workspace, capacity);
    }
    walls->is_held = workspace_array(workspace, capacity, 1);
}

static void interior_destroy(void *engine) {
    struct interior *p = engine;

    if (p != NULL) {
        gram_plan_free(&p->system.plan);
        workspace_free(&p->workspace);
        memory_free(p);
    }
}

static void *interior_create(struct fit_state *fit) {
    struct interior *p = memory_array(1, sizeof *p);

    if (p == NULL) {
        return NULL;
    }
    p->workspace.memory = fit->problem->A->memory;
    p->fit = fit;
    p->problem = fit->problem;
    p->support = fit->columns;
    p->system.stop = &fit->stop;
    p->pairs.parts = parts_of(&p->problem->h);
    take_system(&p->system, fit->capacity + 1, &p->workspace);
    take_pairs(&p->pairs, p->problem->A->rows, &p->workspace);
    take_vectors(p, fit->capacity, p->problem->A->rows);
    take_walls(&p->walls, p->problem->lower == NULL ? 0 : fit->capacity, &p->workspace);
    if (p->workspace.failed) {
        interior_destroy(p);
        return NULL;
    }
    return p;
}

static size_t interior_bytes(const struct problem *problem, int64_t capacity) {
    double k = (double)capacity + 1;
    double m = (double)problem->A->rows;

    return (size_t)(sizeof(double) * (3 * k * k + 15 * k + (7 + 11 * (double)parts_of(&problem->h)) * m));
}

/* ---- a pair (z, u) -------------------------------------------------------------------------------------------- */

double interior_sum(const struct interior *p, double part) {
    reduce_sum(p->problem->A->reduce, &part, 1);
    return part;
}

double interior_max(const struct interior *p, double part) {
    reduce_max(p->problem->A->reduce, &part, 1);
    return part;
}

void interior_transpose(const struct interior *p, const double *v, double *g) {
    linop_transpose_columns(p->A, p->k, p->places, v, g);
}

/* Compute r and the gradient of f from z; returns F. */
static double evaluate_primal(struct interior *p) {
    struct fit_state *fit = p->fit;
    double F = fit_value(fit, p->z, p->r);

    smooth_gradient_columns(&p->problem->f, fit->full, fit->smooth, p->k, p->support, p->gradient);
    return F;
}

static void keep_best(struct interior *p, double F) {
    p->is_best = isless(F, p->best_objective);
    if (p->is_best) {
        p->best_objective = F;
        vector_copy(p->k, p->z, p->best_z);
    }
}

/* The largest decrease of w'd + ridge d^2 / 2 below zero for |d| <= room. */
static double fall(double w, double ridge, double room) {
    if (ridge > 0 && fabs(w) <= ridge * room) {
        return w * w / (2 * ridge);
    }
    return w == 0 ? 0 : fabs(w) * room - (isinf(room) ? 0 : ridge * room * room / 2);
}

/*
 * The same for an estimate of the gap. If column j has neither ridge nor bounds, w_j must vanish. A w_j of the size of
 * rounding is charged over the reach of d_j; a larger one gives no bound.
 */
static double charge(const struct interior *p, int64_t j, double rounding) {
    double w = p->w[j], reach = INTERIOR_REACH * (p->reach[j] + fabs(p->z[j]));
    double by_room = fall(w, p->problem->f.ridge[p->support[j]], walls_distance(p, j, -w));
    double by_reach = fabs(w) <= rounding ? fabs(w) * reach : INFINITY;

    return fmin(by_room, by_reach);
}

/* The sum of the absolute terms of the gradient of f; zero if the column of A is. */
static double gradient_size(const struct interior *p, int64_t j) {
    double size = fabs(p->gradient[j]);

    if (p->problem->f.term != NULL) {
        size = p->pull[j];
        for (int64_t i = 0; i < p->k; i++) {
            size += fabs(p->Q[i + j * p->k] * p->z[i]);
        }
    }
    return size;
}

/*
 * F(z + d) >= u'(A(z + d) - b) - h*(u) + f(z) + grad f(z)'d + sum_j ridge_j d_j^2 / 2
 *           = u'r - h*(u) + f(z) + w'd + sum_j ridge_j d_j^2 / 2,         w = A_S'u + grad f(z),
 * for u in dom h*.
 */
static double dual_bound(struct interior *p) {
    const struct problem *problem = p->problem;
    const struct loss *h = &problem->h;
    int64_t m = problem->A->rows;
    double length = sqrt(interior_sum(p, vector_sum_squares(m, p->u)));
    double bound = interior_sum(p, vector_dot(m, p->u, p->r)) - h->ops->conjugate(h, p->u), size = 0;

    for (int64_t i = 0; i < m; i++) { /* if z is far out, u'r is dominated by rounding */
        size += fabs(p->u[i] * p->r[i]);
    }
    bound += fit_smooth_value(p->fit) - 8 * DBL_EPSILON * interior_sum(p, size);
    for (int64_t j = 0; j < p->k; j++) {
        bound -= charge(p, j, INTERIOR_ROUNDING * (p->lengths[j] * length + gradient_size(p, j)));
    }
    return isnan(bound) ? -INFINITY : bound;
}

double interior_size(const struct interior *p) {
    return fmax(fabs(p->best_objective), FIT_SMALL * p->fit->zero_objective);
}

static double relative_gap(const struct interior *p) {
    double gap = fmax(p->best_objective - p->best_bound, 0);

    return gap == 0 ? 0 : gap / interior_size(p);
}

double interior_evaluate(struct interior *p) {
    double bound;

    keep_best(p, evaluate_primal(p));
    p->problem->h.ops->project_dual(&p->problem->h, p->u); /* u in dom h*: in most calls this only removes rounding */
    interior_transpose(p, p->u, p->w);
    for (int64_t j = 0; j < p->k; j++) {
        p->w[j] += p->gradient[j]; /* w = A_S'u + grad f */
    }
    bound = dual_bound(p);
    if (isgreater(bound, p->best_bound)) {
        p->best_bound = bound;
        vector_copy(p->problem->A->rows, p->u, p->best_u);
    }
    return relative_gap(p);
}

int interior_continue(struct interior *p, double gap, struct patience *patience) {
    if (stop_ask(&p->fit->stop)) {
        return 0;
    }
    if (isless(gap, patience->gap / 2) || isinf(gap)) {
        patience->gap = gap;
        patience->idle = 0;
    } else {
        patience->idle++;
    }
    return isgreater(gap, INTERIOR_GAP) && p->steps < INTERIOR_MAX_STEPS &&
           (patience->idle < 2 || isgreater(gap, INTERIOR_ENOUGH));
}

/* ---- one support ---------------------------------------------------------------------------------------------- */

/* Returns 0 if stopped. */
static int measure_columns(struct interior *p) {
    const struct problem *problem = p->problem;
    double length_b = sqrt(interior_sum(p, vector_sum_squares(problem->A->rows, problem->b)));
    double *N = p->system.N;
    double largest = 0;

    memset(p->Q, 0, sizeof(double) * (size_t)(p->k * p->k));
    if (!linop_gram_again(p->A, p->k, p->places, NULL, N, &p->system.plan, &p->fit->stop) ||
        !smooth_add_curvature_until(&problem->f, p->k, p->support, p->Q, &p->fit->stop)) {
        return 0;
    }
    for (int64_t j = 0; j < p->k; j++) {
        p->lengths[j] = sqrt(N[j + j * p->k]);
        p->reach[j] = p->lengths[j] > 0 ? length_b / p->lengths[j] : 0;
        largest = fmax(largest, fabs(p->Q[j + j * p->k]));
    }
    p->has_curvature = largest > 0;
    return 1;
}

/* Set z to the start, and u to a subgradient of h there; returns F. */
static double take_start(struct interior *p) {
    const struct loss *h = &p->problem->h;
    double F;

    vector_copy(p->k, p->fit->x, p->z);
    F = evaluate_primal(p);
    h->ops->subgradient(h, p->r, p->u);
    return F;
}

/* Measure the gradient of f at 0 and how far f alone pulls x. Columns on which f has no curvature (the intercept) may
 * have to follow as far. Without this the scale of x would come from b alone, which may be 0. */
static void measure_pull(struct interior *p) {
    double drawn = 0;

    evaluate_primal(p);
    for (int64_t j = 0; j < p->k; j++) {
        double bend = p->Q[j + j * p->k];

        p->pull[j] = fabs(p->gradient[j]);
        if (bend > 0) {
            p->reach[j] = fmax(p->reach[j], p->pull[j] / bend);
            drawn += p->lengths[j] * p->pull[j] / bend;
        }
    }
    for (int64_t j = 0; j < p->k; j++) {
        if (p->lengths[j] > 0 && !(p->Q[j + j * p->k] > 0)) {
            p->reach[j] = fmax(p->reach[j], drawn / p->lengths[j]);
        }
    }
}

/* Evaluate x = 0, and the start within its bounds. Returns 0 if stopped before both were done. */
static int begin(struct interior *p) {
    p->k = p->fit->size;
    p->places = fit_places(p->fit, &p->A);
    p->steps = 0;
    walls_load(p);
    p->is_cut = 0;
    p->best_objective = INFINITY;
    p->best_bound = -INFINITY;
    memset(p->z, 0, sizeof(double) * (size_t)p->k);
    memset(p->best_z, 0, sizeof(double) * (size_t)p->k);
    memset(p->u, 0, sizeof(double) * (size_t)p->problem->A->rows);
    if (!measure_columns(p)) {
        keep_best(p, evaluate_primal(p));
        keep_best(p, take_start(p));
        return 0;
    }
    if (p->problem->f.term != NULL || p->problem->f.linear != NULL) {
        measure_pull(p);
    }
    interior_evaluate(p);
    take_start(p);
    return 1;
}

/* Move coefficients that approach a bound onto it, if that raises F by no more than rounding. */
static void lean_on_walls(struct interior *p) {
    double F;

    walls_lean(p, sqrt(interior_sum(p, vector_sum_squares(p->problem->A->rows, p->u))));
    F = evaluate_primal(p);
    if (islessequal(F, p->best_objective + INTERIOR_SAME * interior_size(p))) {
        p->best_objective = F;
        p->is_best = 1;
        vector_copy(p->k, p->z, p->best_z);
    } else {
        p->is_best = 0;
    }
}

static void minimise(struct interior *p) {
    const struct loss *h = &p->problem->h;

    if (islessequal(interior_evaluate(p), INTERIOR_GAP)) {
        return;
    }
    mehrotra_run(p, h->kind->engine == LOSS_BY_KINKS ? &mehrotra_rows : &mehrotra_maximum);
    if (p->walls.is_there && !p->fit->stop.stopped) {
        lean_on_walls(p);
    }
}

static void interior_restore(void *engine) {
    struct interior *p = engine;
    struct fit_state *fit = p->fit;
    int64_t m = p->problem->A->rows;

    if (!p->is_best) {
        fit_value(fit, p->best_z, p->r);
        p->is_best = 1;
    }
    vector_copy(p->k, p->best_z, fit->x);
    vector_copy(m, p->r, fit->residual);
    vector_copy(m, isfinite(p->best_bound) ? p->best_u : p->u, fit->dual);
    fit->objective = p->best_objective;
    fit->bound = fmin(p->best_bound, p->best_objective); /* it exceeds F only by rounding */
    fit->active.count = 0;
}

/* Of a step: forming the matrix, and passes over the columns. */
static double step_work(const struct problem *problem, int64_t size) {
    double k = (double)size;

    return (double)problem->A->rows * k * (10 + k / 2);
}

static enum fit_outcome interior_solve(void *engine, double gap, double cutoff) {
    struct interior *p = engine;

    p->enough = gap;
    p->cutoff = cutoff;
    if (begin(p)) {
        minimise(p);
    }
    p->fit->steps += p->steps;
    p->fit->spent += (double)p->steps * step_work(p->problem, p->fit->size);
    interior_restore(p);
    return fit_is_good(p->fit) ? FIT_OPTIMAL : p->is_cut ? FIT_CUTOFF : FIT_INEXACT;
}

/* The usual number of steps of O(m k^2). */
static double interior_work(const struct problem *problem, int64_t size, int is_warm) {
    (void)is_warm;
    return 4 * (double)size * step_work(problem, size);
}

const struct fit_engine fit_interior = {
    .name = "interior",
    .applies = interior_applies,
    .bytes = interior_bytes,
    .create = interior_create,
    .destroy = interior_destroy,
    .solve = interior_solve,
    .work = interior_work,
    .restore = interior_restore,
};
