/* The solver object: a problem, a sparsity, a copy of the options, and what came of the last run. */
#ifndef SPGM_SOLVER_H
#define SPGM_SOLVER_H

#include "base/options.h"
#include "method/method.h"
#include "model/problem.h"

struct spgm_solver {
    const struct spgm_problem *problem;
    int64_t sparsity;
    struct spgm_options options;
    int64_t start_count;    /* nonzeros of the start, -1: none was given */
    int64_t *start_columns; /* [start_count] ascending, owned            */
    double *start_values;   /* [start_count], owned                      */
    double start_intercept;
    spgm_progress_function progress;
    void *progress_context;
    const struct run *running; /* while a method runs, else NULL */
    atomic_int interrupted;    /* set from another thread or a signal handler */

    int64_t count;    /* nonzeros of x     */
    int64_t *columns; /* [count] ascending */
    double *values;   /* [count]           */
    double intercept;
    spgm_info info;
    double timers[RUN_TIMER_COUNT];

    int keeps_certificate;
    struct ledger *ledger; /* of the last run, in the data's columns and units; or NULL */
    double *centre, shift; /* x and F stay as they are where column j becomes a_j - centre_j, and b b - shift */
};

#endif
