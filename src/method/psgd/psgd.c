/*
 * Projected subgradient descent:  x+ = Pi_s(x - eta g / ||g||),  g in the subdifferential of F at x.
 *
 *     D. Liu, S. Li, Y. Shen, One-bit compressive sensing with projected subgradient method under sparsity
 *     constraints, IEEE Trans. Information Theory 65(10), 2019.
 *
 * Steps of geometrically falling length (J. L. Goffin, Math. Programming 13, 1977), from three first lengths.
 */
#include "method/psgd/psgd.h"

#include <math.h>
#include <string.h>

#include "linalg/select.h"
#include "linalg/vector.h"
#include "method/baseline.h"

/* First step lengths in units of ||b|| / root mean square of ||a_j||, the size of x; the last is 1e-4 of the first. */
static const double first_lengths[] = {3, 1, 0.3};
static const double last_length = 1e-4;

struct psgd {
    struct baseline base;
    double *u;     /* a subgradient of h [rows] */
    double *start; /* [columns]                 */
};

/* g = A'u + grad f(x), u in the subdifferential of h(A x - b) */
static void subgradient(struct psgd *psgd) {
    struct baseline *base = &psgd->base;
    const struct problem *problem = base->problem;

    problem->h.ops->subgradient(&problem->h, base->point.residual, psgd->u);
    linop_transpose(problem->A, psgd->u, base->g);
    smooth_gradient(&problem->f, base->point.x, base->point.state, base->slope);
    vector_axpy(problem->A->columns, 1, base->slope, base->g);
    baseline_lap(base, RUN_TIMER_GRADIENT);
}

/* ||g|| over the columns that can matter after the projection: those of x and the s largest of the others. */
static double restricted_norm(struct baseline *base) {
    int64_t n = base->problem->A->columns;
    int64_t count = base->point.support_size + base->run->sparsity;
    double sum = 0;

    for (int64_t j = 0; j < n; j++) {
        base->keys[j] = fabs(base->g[j]);
    }
    for (int64_t i = 0; i < base->point.support_size; i++) {
        base->keys[base->point.support[i]] = INFINITY;
    }
    count = count < n ? count : n;
    select_largest(n, base->keys, count, base->chosen, base->scratch);
    for (int64_t i = 0; i < count; i++) {
        sum += base->g[base->chosen[i]] * base->g[base->chosen[i]];
    }
    return sqrt(sum);
}

/* One stage; the steps fall from `length` to last_length times it. */
static void descend(struct psgd *psgd, double length) {
    struct baseline *base = &psgd->base;
    int64_t n = base->problem->A->columns;
    double decay = pow(last_length, 1 / (double)base->run->options->max_iterations);

    baseline_stage(base, psgd->start);
    do {
        double size;

        subgradient(psgd);
        size = restricted_norm(base);
        if (!isgreater(size, 0)) { /* x minimises F over all columns */
            base->run->outcome = SPGM_CONVERGED;
            return;
        }
        vector_copy(n, base->point.x, base->x);
        vector_axpy(n, -length / size, base->g, base->x); /* x - eta g / ||g|| */
        baseline_project(base, base->x);                  /* Pi_s              */
        baseline_lap(base, RUN_TIMER_XSTEP);
        baseline_move(base, base->x);
        length *= decay;
    } while (!baseline_record(base));
}

static double size_of_x(const struct psgd *psgd) {
    double by_b = psgd->base.length_b / sqrt(psgd->base.squares);
    double by_start = vector_norm(psgd->base.problem->A->columns, psgd->start);

    return by_b > 0 ? by_b : by_start > 0 ? by_start : 1;
}

static spgm_error psgd_run(struct run *run, spgm_status *status) {
    struct workspace workspace = {0};
    struct psgd psgd;
    spgm_error error = SPGM_OK;

    baseline_init(&psgd.base, run, &workspace);
    psgd.u = workspace_doubles(&workspace, run->problem->A->rows);
    psgd.start = workspace_doubles(&workspace, run->problem->A->columns);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    } else {
        baseline_measure(&psgd.base);
        vector_copy(run->problem->A->columns, run->x, psgd.start);
        for (size_t i = 0; i < sizeof first_lengths / sizeof *first_lengths && !run_is_over(run); i++) {
            descend(&psgd, first_lengths[i] * size_of_x(&psgd));
        }
    }
    workspace_free(&workspace);
    return error;
}

const struct method method_psgd = {
    .name = "psgd",
    .summary = "projected subgradient descent",
    .run = psgd_run,
};
