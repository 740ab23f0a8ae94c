/*
 * Projected subgradient descent:  x+ = Pi_s(x - eta g / ||g||),  g in the subdifferential of F at x.
 *
 *     D. Liu, S. Li, Y. Shen, One-bit compressive sensing with projected subgradient method under sparsity
 *     constraints, IEEE Trans. Information Theory 65(10), 2019.
 *
 * Steps of geometrically falling length (J. L. Goffin, Math. Programming 13, 1977), from the best of a few first
 * lengths.
 */
#include "method/psgd/psgd.h"
#include "method/constants.h"

#include <math.h>
#include <string.h>

#include "linalg/select.h"
#include "linalg/vector.h"
#include "method/baseline.h"

static const double first_lengths[] = PSGD_LENGTHS;

struct psgd {
    struct baseline base;
    struct row_updates updates;
    double *u;     /* a subgradient of h [rows] */
    double *start; /* [columns]                 */
    double unit;   /* of step lengths           */
};

/* g = A'u + grad f(x), u in the subdifferential of h(A x - b) */
static void subgradient(struct psgd *psgd) {
    struct baseline *base = &psgd->base;
    const struct problem *problem = base->problem;

    problem->h.ops->subgradient(&problem->h, base->point.residual, psgd->u);
    baseline_gradient(base, psgd->u, 1, base->point.x, base->point.state);
    baseline_lap(base, RUN_TIMER_GRADIENT);
}

/* The norm of g over some columns. */
static double norm_over(const struct baseline *base, int64_t count, const int64_t *columns) {
    double sum = 0;

    for (int64_t i = 0; i < count; i++) {
        sum += base->g[columns[i]] * base->g[columns[i]];
    }
    return sqrt(sum);
}

/* ||g|| over the columns that can matter after the projection: those of x and the s largest of the others; or the
 * watched ones. */
static double restricted_norm(struct baseline *base) {
    int64_t count = run_is_plain(base->run) ? base->active_count : base->point.support_size + base->run->sparsity;
    double watched = base->longest_period > 1 ? norm_over(base, base->watched_count, base->watched) : 0;

    if (isgreater(watched, 0)) {
        return watched;
    }
    if (count >= base->active_count) {
        return norm_over(base, base->active_count, base->active);
    }
    for (int64_t i = 0; i < base->active_count; i++) {
        int64_t j = base->active[i];

        base->keys[i] = base->point.x[j] != 0 || base->problem->is_free[j] ? INFINITY : fabs(base->g[j]);
    }
    select_largest(base->active_count, base->keys, count, base->chosen, base->scratch);
    for (int64_t i = 0; i < count; i++) {
        base->chosen[i] = base->active[base->chosen[i]];
    }
    return norm_over(base, count, base->chosen);
}

/* x+ = Pi_s(x - eta g / ||g||); returns zero if g vanishes on all columns. */
static int step(struct psgd *psgd, double length) {
    struct baseline *base = &psgd->base;
    double size = 0;
    int64_t k;

    while (!isgreater(size, 0)) {
        int all = baseline_look(base);

        subgradient(psgd);
        size = restricted_norm(base);
        if (!isgreater(size, 0) && all) {
            return 0;
        }
        if (!isgreater(size, 0)) {
            baseline_look_next(base);
        }
    }
    k = baseline_threshold(base, length / size);
    baseline_lap(base, RUN_TIMER_XSTEP);
    baseline_move_columns(base, k);
    return 1;
}

/* One stage of `steps` steps, whose lengths fall from the first to PSGD_LAST times it; returns the lowest F. */
static double descend(struct baseline *base, int64_t first, int64_t steps) {
    struct psgd *psgd = (struct psgd *)base;
    double length = first_lengths[first] * psgd->unit;
    double decay = pow(PSGD_LAST, 1 / (double)steps);
    double least = INFINITY;
    int stop = 0;

    baseline_stage(base, psgd->start);
    baseline_look_next(base);
    for (int64_t t = 0; t < steps && !stop; t++) {
        if (!step(psgd, length)) { /* x minimises F over all columns */
            base->run->outcome = SPGM_CONVERGED;
            return least;
        }
        length *= decay;
        least = fmin(least, base->iteration.objective);
        stop = baseline_record(base);
    }
    base->run->outcome = stop ? base->run->outcome : SPGM_ITERATION_LIMIT;
    return least;
}

/* The plain form: eta_t = eta_0 / sqrt(t), with eta_0 the size of x. */
static void descend_plainly(struct psgd *psgd) {
    struct baseline *base = &psgd->base;
    int more = 1;

    baseline_stage(base, psgd->start);
    for (int64_t t = 1; more; t++) {
        if (!step(psgd, base->run->options->step_scale * psgd->unit / sqrt((double)t))) {
            base->run->outcome = SPGM_CONVERGED;
            return;
        }
        more = !baseline_record(base);
    }
}

/* Try the lengths in short stages, then use the best for the rest of max_iterations. */
static void run_stages(struct psgd *psgd) {
    struct run *run = psgd->base.run;
    int64_t best = baseline_try(&psgd->base, sizeof first_lengths / sizeof *first_lengths, PSGD_TRIAL, descend);

    if (best >= 0 && run->iterations - run->round < run->options->max_iterations) {
        descend(&psgd->base, best, run->options->max_iterations - (run->iterations - run->round));
    }
}

static double size_of_x(const struct psgd *psgd) {
    double by_b = psgd->base.length_b / sqrt(psgd->base.squares);
    double by_start = vector_norm(psgd->base.problem->A->columns, psgd->start);

    return by_b > 0 ? by_b : by_start > 0 ? by_start : 1;
}

/* A subgradient of linf depends on a single row, which changes all the time: watching columns does not work. */
static int64_t longest_period(const struct psgd *psgd) {
    return run_is_plain(psgd->base.run)       ? 1
           : psgd->base.problem->h.up == NULL ? 1
           : psgd->updates.At != NULL         ? PSGD_PERIOD_BY_ROWS
                                              : PSGD_PERIOD;
}

static spgm_error psgd_run(struct run *run, spgm_status *status) {
    struct workspace workspace = {.memory = run->problem->A->memory};
    struct psgd psgd;
    spgm_error error = SPGM_OK;

    baseline_init(&psgd.base, run, &workspace);
    row_updates_init(&psgd.updates, run->problem->A, &workspace); /* few signs change */
    psgd.base.updates = &psgd.updates;
    psgd.base.longest_period = longest_period(&psgd);
    psgd.u = workspace_doubles(&workspace, run->problem->A->rows);
    psgd.start = workspace_doubles(&workspace, run->problem->A->columns);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    } else {
        row_updates_fill(&psgd.updates);
        baseline_measure(&psgd.base);
        vector_copy(run->problem->A->columns, run->x, psgd.start);
        psgd.unit = size_of_x(&psgd);
        if (run_is_plain(run)) {
            descend_plainly(&psgd);
        } else {
            run_stages(&psgd);
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
