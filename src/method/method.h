/*
 * A method: one way to minimise. It sees the problem only through its tables of functions, so a new loss, operator or
 * smooth term reaches every method. A new method is one folder and one line in the registry of method.c.
 *
 * Rules: x in `run->x` is feasible on entry (the start). The method calls run_iteration after every iteration with
 * what it knows; that keeps the best point, feeds the callback, applies the stopping rule, the limits and interrupts. It
 * returns when run_iteration says so. Workspace is taken once, before the loop.
 */
#ifndef SPGM_METHOD_METHOD_H
#define SPGM_METHOD_METHOD_H

#include <signal.h>

#include "base/options.h"
#include "base/random.h"
#include "model/point.h"
#include "model/problem.h"

enum run_timer { RUN_TIMER_GRADIENT, RUN_TIMER_XSTEP, RUN_TIMER_YSTEP, RUN_TIMER_OBJECTIVE, RUN_TIMER_POLISH, RUN_TIMER_SEARCH, RUN_TIMER_COUNT };

struct run {
    /* what to do */
    const struct problem *problem;
    int64_t sparsity;
    const struct spgm_options *options;
    struct random random;
    double *x; /* [columns] start, feasible; the method may use it as scratch */
    spgm_progress_function progress;
    void *progress_context;
    const volatile sig_atomic_t *interrupted;

    /* what came of it; run_iteration keeps these */
    double *best_x; /* [columns] */
    double best_objective;
    double bound; /* best proven lower bound, -INFINITY when none */
    int64_t iterations;
    int64_t restarts, agreeing; double spread;
    spgm_outcome outcome;
    double began;             /* clock_seconds at the start */
    double *changes;          /* ring of the last `window` relative changes of F [window] */
    double change_sum;
    double last_objective;
    double timers[RUN_TIMER_COUNT];
};

struct iteration {
    double mu, objective, penalised, step, infeasibility;
    int64_t support;
};

struct method {
    const char *name;    /* "spgm-iht"                         */
    const char *summary; /* one line for --help                */
    spgm_error (*run)(struct run *run, spgm_status *status);
};

const struct method *method_find(const char *name); /* NULL: unknown */
const struct method *method_at(int64_t index);      /* NULL past the end */

/*
 * Record iteration t = run->iterations + 1 at the feasible x. Returns nonzero when the method must return (run->outcome says why).
 * Stopping rule: mean over the last min(t, window) iterations of d_t = |F^t - F^{t+1}| / (1 + |F^t|) <= tolerance.
 * NaN-safe: an objective that is NaN or infinite never becomes the best.
 */
int run_iteration(struct run *run, const double *x, const struct iteration *iteration);
/* Only the limits and interrupts: for inner loops. */
int run_must_stop(struct run *run);

/* Keep free columns and the s largest |x_j| of the others (ties to the lower index), zero the rest. keys, scratch [columns], chosen [columns]. */
void run_project(const struct problem *problem, int64_t sparsity, double *x, double *keys, double *scratch, int64_t *chosen);

/* mu^t of the chosen schedule, t = 1, 2, ... */
struct mu_schedule {
    int kind; /* 0 halving, 1 constant, 2 diminishing */
    double start, eta, offset;
    int64_t period;
};
void mu_schedule_init(struct mu_schedule *schedule, const struct run *run, double *work /* [rows] */);
double mu_schedule_at(const struct mu_schedule *schedule, int64_t t);

#endif
