/*
 * A method: one way to minimise. It sees the problem only through its tables of functions, so a new loss, operator or
 * smooth term reaches every method. A new method is one folder and one line in the registry (src/search/registry.c).
 *
 * Rules: x in `run->x` is feasible on entry (the start). The method calls run_iteration after every iteration with
 * what it knows; that keeps the best point, feeds the callback, applies the stopping rule, the limits and interrupts.
 * It returns when run_iteration says so. Workspace is taken once, before the loop.
 */
#ifndef SPGM_METHOD_METHOD_H
#define SPGM_METHOD_METHOD_H

#include <stdatomic.h>

#include "base/options.h"
#include "base/random.h"
#include "base/stop.h"
#include "model/point.h"
#include "model/problem.h"

enum run_timer {
    RUN_TIMER_GRADIENT,
    RUN_TIMER_XSTEP,
    RUN_TIMER_YSTEP,
    RUN_TIMER_OBJECTIVE,
    RUN_TIMER_POLISH,
    RUN_TIMER_SEARCH,
    RUN_TIMER_COUNT
};

struct ledger;

struct run {
    /* what to do */
    const struct problem *problem;
    int64_t sparsity; /* units, at most problem->set.most    */
    const struct spgm_options *options;
    struct random random;
    double *x;       /* [columns] start, feasible; the method may use it as scratch */
    double *keys;    /* of a projection [columns] */
    int64_t *chosen; /* [columns]                 */
    double *scores; /* what the columns promised when all were last looked at, for run_fill; zeros: not yet [columns] */
    struct feasible_work work;
    int start_given;     /* the start is the user's, not a random one */
    int is_fitted_later; /* a greedy method leaves its end in x: it is the caller who fits it */
    spgm_progress_function progress;
    void *progress_context;
    const atomic_int *interrupted;     /* NULL: cannot be interrupted */
    const atomic_int *called_off;      /* the same, for one of several runs side by side; or NULL */
    double deadline;                   /* clock_seconds at which to stop, INFINITY: never */
    double half_time;                  /* that of run_stop_half                            */
    double allowance;                  /* of `spent`; INFINITY: there is no limit          */
    double pass_limit;                 /* passes over A; INFINITY: there is no limit. Of run_iteration only: what
                                          several threads do together is not ended by it   */
    const struct spgm_problem *source; /* what the problem was framed from, NULL: not known; for samples of it */
    const double *current;             /* x^t while the callback is told about it, else NULL */
    const char *phase;                 /* what the callback is told is running            */
    struct ledger *ledger;             /* of the proof of `exact`, or NULL                */

    /* sees every point that is offered, for tests; or NULL */
    void (*offered)(void *context, const double *x);
    void *offered_context;

    /* what came of it; run_iteration keeps these */
    double *best_x; /* [columns] */
    double best_objective;
    double bound;               /* best proven lower bound, -INFINITY when none */
    int64_t iterations;         /* t */
    double spent;               /* by a search, about, in multiplications       */
    int64_t nodes, open;        /* of branch and bound: done, and waiting */
    int64_t restarts, agreeing; /* of a search: starts tried, and how many ended at the best F */
    double spread;              /* of a search: (worst - best) / best over the ends of the starts    */
    spgm_outcome outcome;
    double began; /* clock_seconds at the start */
    double timers[RUN_TIMER_COUNT];

    /* of the stopping rule */
    double *changes; /* ring of the last `window` relative changes of F [window] */
    double change_sum;
    double last_objective;
    int64_t stage; /* iterations before the current stage */
    int64_t round; /* iterations before the method began, where it is run again with more of them */
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

/* Take the arrays of a run from the workspace (check workspace->failed) and set it to its beginning, now. */
void run_init(struct run *run, const struct problem *problem, int64_t sparsity, const struct spgm_options *options,
              struct workspace *workspace);
/* start_scale * randn for every column. */
void run_draw(struct run *run, double *x);
/* Make run->x the start: feasible, and the best point so far. F is evaluated with the arrays of `point`. */
void run_start(struct run *run, struct point *point);
/* Offer a feasible point with its objective as the best. Returns nonzero when it is. NaN never is. */
int run_offer(struct run *run, const double *x, double objective);

/*
 * Record iteration t = run->iterations + 1 at the feasible x. Returns nonzero when the method must return (run->outcome
 * says why). Stopping rule: mean over the last min(t, window) iterations of d_t = |F^t - F^{t+1}| / (1 + |F^t|) <=
 * tolerance; with tolerance 0 only after `window` iterations, because a random working set may leave x as it is.
 * NaN-safe: an objective that is NaN or infinite never becomes the best.
 */
int run_iteration(struct run *run, const double *x, const struct iteration *iteration);
/* For a search: count and show an iteration, without the stopping rule. Nonzero: stop. */
int run_note(struct run *run, double objective, int64_t support);
/* Only the limits and interrupts: for inner loops. */
int run_must_stop(struct run *run);
int run_is_late(void *run); /* the same, for who asks through a pointer (base/stop.h) */
/* A time limit and no effort: the search goes on until the limit. */
int run_goes_by_time(const struct run *run);
/* Where rows live elsewhere: from now on process 0 says, by the limits and interrupts of this run, when all stop. */
void run_lead(struct run *run);
void run_leave(struct run *run); /* the end of that */
/* Put the deadline off. */
void run_extend(struct run *run, double seconds);
/* For the preparations of a method: the limits and interrupts as above, but the outcome is left to its first iteration,
 * which is to leave a model. */
struct stop run_stop(struct run *run);
/* The same for what prepares a method and can do with less, as constants can: it takes half of the time that is left
 * now, so that the rest is for models. Rows that live elsewhere: run_stop. */
struct stop run_stop_half(struct run *run);
/*
 * For methods that run in stages (several step sizes, several penalties): a new stage begins at a point with this F.
 * The stopping rule and max_iterations apply to each stage; `iterations`, the limits and the trace go on.
 */
void run_stage(struct run *run, double objective);
/* The time or the passes are over or someone asked to stop: no further stage may begin. */
int run_is_over(const struct run *run);
/* For methods: all columns were looked at, and this is the slope of each [columns]. */
void run_score(struct run *run, const double *g);
/* After a run that was cut short: columns that scored best fill the best model up to s, where F falls with them. It
 * costs no pass over A. Where there is no memory for it the model stays as it is. */
void run_fill(struct run *run);
/* Passes over A so far (linop_passes). */
double run_passes(const struct run *run);

/* info->gap. Optimal with a bound of 0: F is 0 but for rounding, of which a share says nothing. */
static inline double run_gap(spgm_outcome outcome, double objective, double bound) {
    double gap = outcome == SPGM_OPTIMAL && bound == 0 ? 0 : objective - bound;

    return !isfinite(bound) ? (double)INFINITY : gap <= 0 ? 0 : gap / fabs(objective);
}

/* One textbook setting and no trials was asked for (option tuning). */
int run_is_plain(const struct run *run);
/* Trials and stages were asked for. */
int run_is_tuned(const struct run *run);
/* The most columns that a feasible point may have, free ones included. */
static inline int64_t run_capacity(const struct run *run) {
    const struct feasible *set = &run->problem->set;

    return run->problem->free_count + set->rule->most_columns(set, run->sparsity);
}
/*
 * The nearest point of the feasible set: free columns and the support with the largest sum of gains stay (without
 * groups and bounds the s largest |x_j|, ties to the lower index), within their bounds, and the rest becomes zero.
 */
void run_project(struct run *run, double *x);

/* mu^t of the chosen schedule, t = 1, 2, ... */
struct mu_schedule {
    int kind; /* 0 halving, 1 constant, 2 diminishing */
    double start, eta, offset;
    int64_t period;
};
void mu_schedule_init(struct mu_schedule *schedule, const struct run *run, double *work /* [rows] */);
double mu_schedule_at(const struct mu_schedule *schedule, int64_t t);

#endif
