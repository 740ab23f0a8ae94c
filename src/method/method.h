/*
 * A method: one way to minimise. It sees the problem only through the problem's tables of functions, so that a new
 * loss, operator or smooth term reaches every method. A new method is one folder and one line in the registry
 * (src/search/registry.c).
 *
 * Rules: run->x is feasible on entry (the start). The method calls run_iteration after every iteration. run_iteration
 * keeps the best point, calls the progress callback, and applies the stopping rule, the limits and interrupts; when it
 * returns nonzero, the method returns. Workspace is taken once, before the loop.
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
    /* input */
    const struct problem *problem;
    int64_t sparsity; /* in units, at most problem->set.most */
    const struct spgm_options *options;
    struct random random;
    double *x;       /* [columns] the feasible start; the method may use it as scratch */
    double *keys;    /* scratch of projections [columns] */
    int64_t *chosen; /* [columns]                 */
    double *scores;  /* gradient-based scores of all columns when they were last computed, for run_fill; zeros: not yet
                        [columns] */
    struct feasible_work work;
    int start_given;     /* the start was given by the user, not drawn at random */
    int is_fitted_later; /* a greedy method leaves its last support in x without a fit, because the caller fits it */
    spgm_progress_function progress;
    void *progress_context;
    const atomic_int *interrupted; /* NULL: cannot be interrupted */
    const atomic_int *called_off;  /* the same for one of several runs side by side; or NULL */
    double deadline;               /* clock_seconds at which to stop, INFINITY: never */
    double half_time;              /* the deadline of run_stop_half */
    double allowance;              /* the limit of `spent`; INFINITY: none */
    double pass_limit; /* the limit on passes over A; INFINITY: none. Only run_iteration applies it: work that several
                          threads share is not ended by it */
    const struct spgm_problem *source; /* the problem that was framed, for drawing samples of its rows; NULL: unknown */
    const double *current;             /* x^t during the progress callback, else NULL */
    const char *phase;                 /* the current phase, for the callback */
    struct ledger *ledger;             /* the ledger of the proof of `exact`, or NULL */

    /* called with every point that is offered, for tests; or NULL */
    void (*offered)(void *context, const double *x);
    void *offered_context;

    /* output, kept by run_iteration */
    double *best_x; /* [columns] */
    double best_objective;
    double bound;               /* the best proven lower bound; -INFINITY: none */
    int64_t iterations;         /* t */
    double spent;               /* multiplications of a search, approximately */
    int64_t nodes, open;        /* of branch and bound: nodes done and nodes open */
    int64_t restarts, agreeing; /* of a search: starts tried, and how many of them ended at the best F */
    double spread;              /* of a search: (worst - best) / best over the final F of the starts */
    spgm_outcome outcome;
    double began; /* clock_seconds at the start */
    double timers[RUN_TIMER_COUNT];

    /* state of the stopping rule */
    double *changes; /* ring buffer of the last `window` relative changes of F [window] */
    double change_sum;
    double last_objective;
    int64_t stage; /* iterations before the current stage */
    int64_t round; /* iterations before this call of the method, if it is run again with more of them */
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

/* Take the arrays of a run from the workspace (check workspace->failed) and initialise it; its clock starts now. */
void run_init(struct run *run, const struct problem *problem, int64_t sparsity, const struct spgm_options *options,
              struct workspace *workspace);
/* Draw x: start_scale * randn for every column. */
void run_draw(struct run *run, double *x);
/* Make run->x feasible and the best point so far. F is evaluated with the arrays of `point`. */
void run_start(struct run *run, struct point *point);
/* Offer a feasible point with its objective. Returns nonzero if it becomes the best; a NaN never does. */
int run_offer(struct run *run, const double *x, double objective);

/*
 * Record iteration t = run->iterations + 1 at the feasible x. Returns nonzero if the method must return (run->outcome
 * says why). Stopping rule: mean over the last min(t, window) iterations of d_t = |F^t - F^{t+1}| / (1 + |F^t|) <=
 * tolerance; with tolerance 0 only after `window` iterations, because a random working set may leave x unchanged.
 * NaN-safe: a point whose objective is NaN or infinite never becomes the best.
 */
int run_iteration(struct run *run, const double *x, const struct iteration *iteration);
/* For a search: count and report an iteration, without the stopping rule. Nonzero: stop. */
int run_note(struct run *run, double objective, int64_t support);
/* For inner loops: check only the limits and interrupts. */
int run_must_stop(struct run *run);
int run_is_late(void *run); /* the same, as a callback (base/stop.h) */
/* A time limit but no effort was given: the search continues until the limit. */
int run_goes_by_time(const struct run *run);
/* With rows spread over processes: from now on process 0 decides, by the limits and interrupts of this run, when all
 * stop. */
void run_lead(struct run *run);
void run_leave(struct run *run); /* end run_lead */
/* Postpone the deadline. */
void run_extend(struct run *run, double seconds);
/* For the preparations of a method: a stop request by the limits and interrupts above. It leaves the outcome to the
 * first iteration, which should still produce a model. */
struct stop run_stop(struct run *run);
/* The same for preparations that can be cut short, such as computing constants: they get half of the remaining time, so
 * that the rest is left for models. With rows spread over processes it is run_stop. */
struct stop run_stop_half(struct run *run);
/*
 * For methods that run in stages (several step sizes, several penalties): a new stage begins at a point with this F.
 * The stopping rule and max_iterations apply to each stage; `iterations`, the limits and the trace continue across
 * stages.
 */
void run_stage(struct run *run, double objective);
/* The time or the passes are used up or a stop was requested: no further stage may begin. */
int run_is_over(const struct run *run);
/* For methods: report the gradient of all columns [columns], for the scores. */
void run_score(struct run *run, const double *g);
/* After a run that was cut short: fill the best model up to s with the columns of the best scores, where that lowers F.
 * Takes no pass over A. The model stays as it is if memory is lacking. */
void run_fill(struct run *run);
/* Passes over A so far (linop_passes). */
double run_passes(const struct run *run);

/* info->gap. If the run is optimal with bound 0, F differs from 0 by rounding only and a relative gap is meaningless:
 * the gap is 0. */
static inline double run_gap(spgm_outcome outcome, double objective, double bound) {
    double gap = outcome == SPGM_OPTIMAL && bound == 0 ? 0 : objective - bound;

    return !isfinite(bound) ? (double)INFINITY : gap <= 0 ? 0 : gap / fabs(objective);
}

/* The option tuning asks for plain forms: one textbook setting and no trials. */
int run_is_plain(const struct run *run);
/* The option tuning asks for tuned forms: trials and stages. */
int run_is_tuned(const struct run *run);
/* The largest number of columns of a feasible point, free ones included. */
static inline int64_t run_capacity(const struct run *run) {
    const struct feasible *set = &run->problem->set;

    return run->problem->free_count + set->rule->most_columns(set, run->sparsity);
}
/*
 * Project x onto the feasible set: the free columns and the support with the largest sum of gains are kept (without
 * groups and bounds the s largest |x_j|, ties to the lower index), clipped to their bounds; the rest becomes zero.
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
