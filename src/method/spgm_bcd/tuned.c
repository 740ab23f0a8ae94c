/*
 * The tuned form of SPGM-BCD: Algorithm 1 in stages. mu falls slowly, a stage ends only when mu no longer matters, F is
 * then minimised exactly over the support, and mu is raised again ("re-heated") from the best point. README.md says
 * what was tried.
 */
#include <math.h>

#include "fit/fit.h"
#include "method/spgm_bcd/spgm_bcd.h"

enum {
    FIRST_SHARE = 2, /* the first stage takes at most max_iterations / FIRST_SHARE iterations, ... */
    LATER_SHARE = 8, /* ... each later one max_iterations / LATER_SHARE                            */
    HALVINGS = 20    /* of mu in a stage                                                           */
};
/* First mu of the later stages, in turn, relative to mu^1. */
static const double heats[] = {0.25, 0.06, 0.5, 0.125};
static const double settled = 1e-6; /* F - J <= settled (1 + |F|): the smoothing no longer matters */

/* x^1 is the point at hand. Nonzero: the run is over. */
static int run_one(struct bcd *bcd, double mu, int64_t steps) {
    struct smoothing *base = &bcd->base;
    struct run *run = base->run;

    base->schedule =
        (struct mu_schedule){.start = mu, .period = steps > HALVINGS ? steps / HALVINGS : 1}; /* kind: halving */
    base->t = 0;
    base->mu = mu;
    smoothing_y_step(base);
    run_stage(run, base->iteration.objective);
    for (int64_t t = 0; t < steps; t++) {
        double F;

        bcd_step(bcd);
        run_iteration(run, base->point.x, &base->iteration); /* its stopping rule does not know mu */
        F = base->iteration.objective;
        if (run_is_over(run)) {
            return 1;
        }
        if (islessequal(F - base->iteration.penalised, settled * (1 + fabs(F)))) {
            return 0;
        }
    }
    return 0;
}

/* F minimised over the support of the point, for the record. */
static spgm_error minimise(struct bcd *bcd, struct fit *fit, spgm_status *status) {
    const struct point *point = &bcd->base.point;
    struct run *run = bcd->base.run;
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
    smoothing_lap(&bcd->base, RUN_TIMER_POLISH);
    return SPGM_OK;
}

spgm_error bcd_run_tuned(struct bcd *bcd, struct fit *fit, spgm_status *status) {
    struct run *run = bcd->base.run;
    int64_t most = run->options->max_iterations;
    int64_t later = most / LATER_SHARE > 0 ? most / LATER_SHARE : 1;
    double mu = bcd->base.schedule.start;
    int over = run_one(bcd, mu, (most + FIRST_SHARE - 1) / FIRST_SHARE);

    for (size_t stage = 0; !over; stage++) {
        spgm_error error = minimise(bcd, fit, status);

        if (error != SPGM_OK) {
            return error;
        }
        if (run->iterations >= most) {
            run->outcome = SPGM_ITERATION_LIMIT;
            break;
        }
        point_set(&bcd->base.point, run->best_x);
        over = run_one(bcd, heats[stage % (sizeof heats / sizeof *heats)] * mu,
                       run->iterations + later <= most ? later : most - run->iterations);
    }
    return SPGM_OK;
}
