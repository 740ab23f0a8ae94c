/*
 * Penalty decomposition: block coordinate descent on
 *
 *     f(x) + h(y) + ||A x - b - y||^2 / (2 mu) + tie / (2 mu) ||x - z||^2   subject to   ||z||_0 <= s
 *
 * while mu falls, until x and z agree.
 *
 *     Z. Lu, Y. Zhang, Sparse approximation via penalty decomposition methods, SIAM J. Optim. 23(4), 2013.
 *
 *     x  (mu H_f + A'A + tie I) x = A'(b + y) + tie z - mu grad f(0)        a few steps of conjugate gradients
 *     y  P_mu(A x - b)
 *     z  Pi_s(x)
 */
#include "method/pdm/pdm.h"
#include "method/constants.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "method/baseline.h"

static const struct stage { double mu, tie; } stages[] = PDM_STAGES;

struct pdm {
    struct baseline base;              /* its point is z */
    double *x;                         /* [columns]      */
    double *c, *y;                     /* A x - b, y [rows] */
    double *p, *q, *residual, *linear; /* [columns]; linear = grad f(0) */
    double *Ap;                        /* [rows] */
    double *state;                     /* of f, for x or p */
    double *start;
    double mu, tie;
};

/* Barred columns stay zero in x, too. */
static void bar(const struct pdm *pdm, double *v) {
    const struct feasible *set = &pdm->base.problem->set;

    for (int64_t i = 0; i < set->barred_count; i++) {
        v[set->barred[i]] = 0;
    }
}

/* residual = -(mu grad f(x) + A'(c - y) + tie (x - z)) */
static void residual(struct pdm *pdm) {
    struct baseline *base = &pdm->base;
    const struct problem *problem = base->problem;

    for (int64_t i = 0; i < problem->A->rows; i++) {
        pdm->Ap[i] = pdm->c[i] - pdm->y[i];
    }
    linop_transpose(problem->A, pdm->Ap, base->g);
    smooth_refresh(&problem->f, pdm->x, pdm->state);
    smooth_gradient(&problem->f, pdm->x, pdm->state, base->slope);
    for (int64_t j = 0; j < problem->A->columns; j++) {
        pdm->residual[j] = -(base->g[j] + pdm->mu * base->slope[j] + pdm->tie * (pdm->x[j] - base->point.x[j]));
    }
    bar(pdm, pdm->residual);
    run_score(base->run, pdm->residual);
    baseline_lap(base, RUN_TIMER_GRADIENT);
}

/* q = (mu H_f + A'A + tie I) p, Ap = A p; H_f p = grad f(p) - grad f(0), f being quadratic */
static void multiply(struct pdm *pdm) {
    const struct problem *problem = pdm->base.problem;

    linop_multiply(problem->A, pdm->p, pdm->Ap);
    linop_transpose(problem->A, pdm->Ap, pdm->q);
    smooth_refresh(&problem->f, pdm->p, pdm->state);
    smooth_gradient(&problem->f, pdm->p, pdm->state, pdm->base.slope);
    for (int64_t j = 0; j < problem->A->columns; j++) {
        pdm->q[j] += pdm->mu * (pdm->base.slope[j] - pdm->linear[j]) + pdm->tie * pdm->p[j];
    }
    bar(pdm, pdm->q);
}

static void x_step(struct pdm *pdm) {
    struct stop stop = run_stop(pdm->base.run);
    int64_t n = pdm->base.problem->A->columns;
    double squares;

    residual(pdm);
    squares = vector_sum_squares(n, pdm->residual);
    vector_copy(n, pdm->residual, pdm->p);
    for (int step = 0; step < PDM_CG_STEPS && isgreater(squares, 0) && (step == 0 || !stop_ask(&stop)); step++) {
        double last = squares;
        double curvature, length;

        multiply(pdm);
        curvature = vector_dot(n, pdm->p, pdm->q);
        length = isgreater(curvature, 0) ? squares / curvature : 0;
        vector_axpy(n, length, pdm->p, pdm->x);
        vector_axpy(pdm->base.problem->A->rows, length, pdm->Ap, pdm->c);
        vector_axpy(n, -length, pdm->q, pdm->residual);
        squares = vector_sum_squares(n, pdm->residual);
        for (int64_t j = 0; j < n; j++) {
            pdm->p[j] = pdm->residual[j] + squares / last * pdm->p[j];
        }
    }
    baseline_lap(&pdm->base, RUN_TIMER_XSTEP);
}

/* y = P_mu(c), z = Pi_s(x) */
static void y_and_z_step(struct pdm *pdm) {
    struct baseline *base = &pdm->base;
    const struct problem *problem = base->problem;

    problem->h.ops->prox(&problem->h, pdm->mu, pdm->c, pdm->y);
    baseline_lap(base, RUN_TIMER_YSTEP);
    vector_copy(problem->A->columns, pdm->x, base->x);
    baseline_project(base, base->x);
    baseline_move(base, base->x);
}

/* ||x - z||, and the merit function for the record. */
static double disagreement(struct pdm *pdm) {
    struct baseline *base = &pdm->base;
    const struct problem *problem = base->problem;
    double apart = 0;
    double squares = 0;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        apart += (pdm->x[j] - base->point.x[j]) * (pdm->x[j] - base->point.x[j]);
    }
    for (int64_t i = 0; i < problem->A->rows; i++) {
        squares += (pdm->c[i] - pdm->y[i]) * (pdm->c[i] - pdm->y[i]);
    }
    reduce_sum(problem->A->reduce, &squares, 1);
    smooth_refresh(&problem->f, pdm->x, pdm->state);
    base->iteration.mu = pdm->mu;
    base->iteration.infeasibility = sqrt(squares);
    base->iteration.penalised = smooth_value(&problem->f, pdm->x, pdm->state) +
                                problem->h.ops->value(&problem->h, pdm->y) + squares / (2 * pdm->mu) +
                                pdm->tie * apart / (2 * pdm->mu);
    return sqrt(apart);
}

static void begin(struct pdm *pdm, const struct stage *stage) {
    struct baseline *base = &pdm->base;
    const struct problem *problem = base->problem;

    baseline_stage(base, pdm->start);
    pdm->mu = stage->mu * base->mu;
    pdm->tie = stage->tie * base->squares;
    vector_copy(problem->A->columns, base->point.x, pdm->x);
    vector_copy(problem->A->rows, base->point.residual, pdm->c);
    problem->h.ops->prox(&problem->h, pdm->mu, pdm->c, pdm->y);
}

/* Recompute c = A x - b, to limit accumulated rounding. */
static void refresh(struct pdm *pdm) {
    linop_multiply(pdm->base.problem->A, pdm->x, pdm->c);
    vector_axpy(pdm->base.problem->A->rows, -1, pdm->base.problem->b, pdm->c);
}

/* At most `steps` iterations; returns the lowest F among them. */
static double run_one(struct baseline *base, int64_t stage, int64_t steps) {
    struct pdm *pdm = (struct pdm *)base;
    struct run *run = pdm->base.run;
    int64_t n = pdm->base.problem->A->columns;
    double decay = pow(PDM_LAST_MU, 1 / (double)steps);
    double apart = INFINITY, least = INFINITY;
    int stop = 0;

    begin(pdm, &stages[stage]);
    for (int64_t t = 0; t < steps && !stop; t++) {
        x_step(pdm);
        y_and_z_step(pdm);
        apart = disagreement(pdm);
        least = fmin(least, pdm->base.iteration.objective);
        pdm->mu *= decay;
        if ((run->iterations - run->stage) % run->options->refresh_period == 0) {
            refresh(pdm);
        }
        stop = baseline_record(&pdm->base);
        if (!stop && !isgreater(apart, PDM_AGREEMENT * vector_norm(n, pdm->base.point.x))) {
            run->outcome = SPGM_CONVERGED;
            return least;
        }
    }
    run->outcome = stop ? run->outcome : SPGM_ITERATION_LIMIT;
    return least;
}

/* Try the parameters in short stages, then run the best in a long one. */
static void run_stages(struct pdm *pdm) {
    int64_t best = run_is_plain(pdm->base.run)
                       ? PDM_PLAIN
                       : baseline_try(&pdm->base, sizeof stages / sizeof *stages, PDM_TRIAL, run_one);

    if (best >= 0) {
        run_one(&pdm->base, best, pdm->base.run->options->max_iterations);
    }
}

static void pdm_init(struct pdm *pdm, struct run *run, struct workspace *workspace) {
    int64_t m = run->problem->A->rows;
    int64_t n = run->problem->A->columns;

    baseline_init(&pdm->base, run, workspace);
    pdm->x = workspace_doubles(workspace, n);
    pdm->p = workspace_doubles(workspace, n);
    pdm->q = workspace_doubles(workspace, n);
    pdm->residual = workspace_doubles(workspace, n);
    pdm->linear = workspace_doubles(workspace, n);
    pdm->start = workspace_doubles(workspace, n);
    pdm->c = workspace_doubles(workspace, m);
    pdm->y = workspace_doubles(workspace, m);
    pdm->Ap = workspace_doubles(workspace, m);
    pdm->state = workspace_doubles(workspace, smooth_state_size(&run->problem->f));
}

static spgm_error pdm_run(struct run *run, spgm_status *status) {
    struct workspace workspace = {.memory = run->problem->A->memory};
    struct pdm pdm;
    spgm_error error = SPGM_OK;

    pdm_init(&pdm, run, &workspace);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    } else {
        baseline_measure(&pdm.base);
        vector_copy(run->problem->A->columns, run->x, pdm.start);
        smooth_refresh(&run->problem->f, pdm.p, pdm.state);
        smooth_gradient(&run->problem->f, pdm.p, pdm.state, pdm.linear);
        run_stages(&pdm);
    }
    workspace_free(&workspace);
    return error;
}

const struct method method_pdm = {
    .name = "pdm",
    .summary = "penalty decomposition",
    .run = pdm_run,
};
