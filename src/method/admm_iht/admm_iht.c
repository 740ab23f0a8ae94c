/*
 * ADMM for  minimise f(x) + h(y)  subject to  A x - b = y,  ||x||_0 <= s,  with hard thresholding in the x-step:
 *
 *     x+  = Pi_s(x - (grad f(x) + A'pi + A'(A x - b - y) / mu) / H),   H = A_s^2 / mu + M_s
 *     y+  = P_mu(A x+ - b + mu pi)
 *     pi+ = pi + (A x+ - b - y+) / mu
 *
 *     B. He, X. Yuan, On the O(1/n) convergence rate of the Douglas-Rachford alternating direction method, SIAM J.
 *     Numer. Anal. 50(2), 2012; the thresholding as in spgm.tex, section 6.
 *
 * As in smoothing.h everything is multiplied by mu = 1 / beta, and w = mu pi is kept.
 */
#include "method/admm_iht/admm_iht.h"
#include "method/constants.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "method/baseline.h"

/* The penalty parameters to try: mu in units of the smallest mu with P_mu(-b) = 0, and the bound on ||A d|| / ||d||. */
static const struct stage {
    double mu;
    int adaptive; /* A_s begins at the root mean square of ||a_j|| and is raised when ||A d|| > A_s ||d||; otherwise it
                     is ||A|| */
} stages[] = ADMM_STAGES, plain = ADMM_PLAIN;

struct admm {
    struct baseline base;
    double *w;        /* mu pi [rows]                          */
    double *d;        /* A x - b - y + w [rows]                */
    double *next, *v; /* work [rows]                           */
    double *start;    /* [columns] */
    double mu, A_s;
};

/* x+ = Pi_s(x - g / H), g = A'(A x - b - y + w) + mu grad f(x) */
static void x_step(struct admm *admm) {
    struct baseline *base = &admm->base;
    double H = admm->A_s * admm->A_s + admm->mu * base->M;
    int64_t k;

    baseline_look(base);
    baseline_gradient(base, admm->d, admm->mu, base->point.x, base->point.state);
    baseline_lap(base, RUN_TIMER_GRADIENT);
    k = baseline_threshold(base, H >= DBL_MIN ? 1 / H : 0);
    baseline_lap(base, RUN_TIMER_XSTEP);
    vector_copy(base->problem->A->rows, base->point.residual, admm->v);
    baseline_move_columns(base, k);
}

/* Raise A_s when the step just made shows it to be too small; v holds the last A x - b.
 *     ||A (x+ - x)|| <= A_s ||x+ - x|| */
static void check_bound(struct admm *admm) {
    struct baseline *base = &admm->base;
    double moved = baseline_distance(base->problem, base->point.residual, admm->v);

    if (isgreater(moved, admm->A_s * base->iteration.step)) {
        admm->A_s = fmin(base->norm, BOUND_RAISE * moved / base->iteration.step);
    }
}

/* w+ = v - P_mu(v) with v = c + w,  y+ = v - w+,  c = A x+ - b; so that c - y+ = w+ - w. */
static void y_step(struct admm *admm) {
    struct baseline *base = &admm->base;
    const struct problem *problem = base->problem;
    double *w = admm->w, *next = admm->next;
    struct loss_split values;
    double squares = 0;

    for (int64_t i = 0; i < problem->A->rows; i++) {
        admm->v[i] = base->point.residual[i] + w[i];
    }
    problem->h.ops->split(&problem->h, admm->mu, admm->v, next, &values);
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < problem->A->rows; i++) {
        double off = next[i] - w[i];

        admm->d[i] = off + next[i];
        squares += off * off;
    }
    admm->w = next;
    admm->next = w;
    reduce_sum(problem->A->reduce, &squares, 1);
    base->iteration.mu = admm->mu;
    base->iteration.infeasibility = sqrt(squares);
    base->iteration.penalised = point_smooth_value(&base->point) + values.at_y + squares / (2 * admm->mu);
    baseline_lap(base, RUN_TIMER_YSTEP);
}

static void begin(struct admm *admm, const struct stage *stage) {
    struct baseline *base = &admm->base;
    const struct problem *problem = base->problem;
    struct loss_split values;

    baseline_stage(base, admm->start);
    baseline_look_next(base);
    admm->mu = stage->mu * base->mu;
    admm->A_s = stage->adaptive ? fmin(base->norm, sqrt(base->squares)) : base->norm;
    memset(admm->w, 0, sizeof(double) * (size_t)problem->A->rows);
    problem->h.ops->split(&problem->h, admm->mu, base->point.residual, admm->d, &values);
}

/* At most `steps` iterations; returns the lowest F among them. */
static double run_one(struct baseline *base, int64_t stage, int64_t steps) {
    struct admm *admm = (struct admm *)base;
    int is_plain = run_is_plain(base->run);
    int64_t part = is_plain ? 0 : steps / ADMM_PARTS;
    double least = INFINITY;
    int stop = 0;

    begin(admm, is_plain ? &plain : &stages[stage]);
    for (int64_t t = 0; t < steps && !stop; t++) {
        if (part > 0 && t > 0 && t % part == 0) {
            admm->mu /= 2;
            vector_scale(base->problem->A->rows, 0.5, admm->w); /* pi stays */
            vector_axpy(base->problem->A->rows, -1, admm->w, admm->d);
        }
        x_step(admm);
        check_bound(admm);
        y_step(admm);
        least = fmin(least, admm->base.iteration.objective);
        stop = baseline_record(&admm->base);
    }
    admm->base.run->outcome = stop ? admm->base.run->outcome : SPGM_ITERATION_LIMIT;
    return least;
}

/* Try the penalty parameters in short stages, then run the best in a long one. */
static void run_stages(struct admm *admm) {
    int64_t best = run_is_plain(admm->base.run)
                       ? 0
                       : baseline_try(&admm->base, sizeof stages / sizeof *stages, ADMM_TRIAL, run_one);

    if (best >= 0) {
        run_one(&admm->base, best, admm->base.run->options->max_iterations);
    }
}

static spgm_error admm_run(struct run *run, spgm_status *status) {
    struct workspace workspace = {.memory = run->problem->A->memory};
    int64_t m = run->problem->A->rows;
    struct admm admm;
    spgm_error error = SPGM_OK;

    baseline_init(&admm.base, run, &workspace);
    admm.next = workspace_doubles(&workspace, m);
    admm.v = workspace_doubles(&workspace, m);
    admm.w = workspace_doubles(&workspace, m);
    admm.d = workspace_doubles(&workspace, m);
    admm.start = workspace_doubles(&workspace, run->problem->A->columns);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    } else {
        baseline_measure(&admm.base);
        baseline_measure_norm(&admm.base);
        vector_copy(run->problem->A->columns, run->x, admm.start);
        run_stages(&admm);
    }
    workspace_free(&workspace);
    return error;
}

const struct method method_admm_iht = {
    .name = "admm-iht",
    .summary = "alternating directions (ADMM) with hard thresholding",
    .run = admm_run,
};
