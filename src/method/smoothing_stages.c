/*
 * The tuned form of both variants of Algorithm 1, in stages: mu falls slowly, a stage ends only when mu no longer
 * matters, F is then minimised exactly over the support, and mu is raised again ("re-heated") from the best point.
 * spgm_bcd/README.md says what was tried.
 */
#include "method/smoothing_stages.h"
#include "method/constants.h"

#include <math.h>
#include <string.h>

#include "fit/fit.h"

static const double heats[] = HEATS;

/* One stage from x^1, the current point. Returns nonzero if the run is over. */
static int run_one(const struct stages *stages, double mu, int64_t steps) {
    struct smoothing *base = stages->base;
    struct run *run = base->run;

    base->schedule =
        (struct mu_schedule){.start = mu, .period = steps > HALVINGS ? steps / HALVINGS : 1}; /* kind: halving */
    base->t = 0;
    base->mu = mu;
    smoothing_y_step(base);
    run_stage(run, base->iteration.objective);
    run->pass_limit = stages->limit - stages->reserve;
    for (int64_t t = 0; t < steps; t++) {
        double F;

        stages->step(stages->method);
        run_iteration(run, base->point.x, &base->iteration); /* its stopping rule ignores mu */
        F = base->iteration.objective;
        if (run_is_over(run)) {
            return 1;
        }
        if (islessequal(F - base->iteration.penalised, SETTLED * (1 + fabs(F)))) {
            return 0;
        }
    }
    return 0;
}

/* Minimise F over the support of the point, and record it. */
static spgm_error minimise(struct stages *stages, struct fit *fit, spgm_status *status) {
    const struct point *point = &stages->base->point;
    struct run *run = stages->base->run;
    double before = run_passes(run);
    spgm_error error;

    fit_set_support(fit, point->support_size, point->support);
    fit_gather(fit, point->x);
    fit_rough(fit, 0, INFINITY);
    error = fit_error(fit, status);
    if (error != SPGM_OK) {
        return error;
    }
    fit_scatter(fit, run->x);
    run_offer(run, run->x, fit_objective(fit));
    stages->reserve = fmax(stages->reserve, run_passes(run) - before);
    smoothing_lap(stages->base, RUN_TIMER_POLISH);
    return SPGM_OK;
}

/* The expected number of iterations: max_iterations, or what a limit on passes allows. */
static int64_t horizon(const struct stages *stages) {
    const struct run *run = stages->base->run;
    double left = (run->pass_limit - run_passes(run)) / stages->passes;

    if (!isfinite(run->pass_limit)) {
        return run->options->max_iterations;
    }
    return left < 1 ? 1 : left < 1e15 ? (int64_t)left : (int64_t)1e15;
}

/* Growth of the model from x = 0. The columns of a random start are useless, and if they fill the budget they leave
 * only one by one. */
static void begin_growth(const struct stages *stages, int64_t steps) {
    struct run *run = stages->base->run;

    if (stages->growth != NULL && !run->start_given) {
        memset(run->x, 0, (size_t)run->problem->A->columns * sizeof *run->x);
        point_set(&stages->base->point, run->x);
        *stages->growth = steps;
    }
}

static spgm_error run_all(struct stages *stages, struct fit *fit, spgm_status *status) {
    struct run *run = stages->base->run;
    int64_t most = horizon(stages), last = run->round + most;
    int64_t later = most / LATER_SHARE > 0 ? most / LATER_SHARE : 1;
    double mu = stages->base->schedule.start;
    int over;

    begin_growth(stages, most / FIRST_SHARE / GROWTH_SHARE);
    over = run_one(stages, mu, (most + FIRST_SHARE - 1) / FIRST_SHARE);

    if (stages->growth != NULL) {
        *stages->growth = 0;
    }
    for (size_t stage = 0; !over; stage++) {
        int64_t left = isfinite(run->pass_limit) ? later : last - run->iterations;
        spgm_error error = minimise(stages, fit, status);

        if (error != SPGM_OK) {
            return error;
        }
        if (left <= 0) {
            run->outcome = SPGM_ITERATION_LIMIT;
            break;
        }
        point_set(&stages->base->point, run->best_x);
        over = run_one(stages, heats[stage % (sizeof heats / sizeof *heats)] * mu, later < left ? later : left);
    }
    return over && run->outcome == SPGM_PASS_LIMIT ? minimise(stages, fit, status) : SPGM_OK;
}

spgm_error stages_run(struct stages *stages, spgm_status *status) {
    struct run *run = stages->base->run;
    int64_t capacity = run_capacity(run);
    double columns = (double)run->problem->A->columns;
    struct fit *fit = fit_new(run->problem, capacity);
    spgm_error error;

    if (fit == NULL) {
        return status_memory(status, fit_bytes(run->problem, capacity));
    }
    fit_set_stop(fit, run_is_late, run);
    stages->limit = run->pass_limit;
    stages->reserve = FIT_STEPS * (double)capacity * (double)(capacity + 1) / 2 / columns;
    stages->reserve = fmin(stages->reserve, stages->limit / FIRST_SHARE);
    error = run_all(stages, fit, status);
    run->pass_limit = stages->limit;
    fit_free(fit);
    return error;
}
