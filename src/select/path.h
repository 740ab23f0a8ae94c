/* The path object: a problem, a list of sparsities, and the best model found for each. */
#ifndef SPGM_SELECT_PATH_H
#define SPGM_SELECT_PATH_H

#include <stdatomic.h>

#include "base/options.h"
#include "model/problem.h"

struct path_entry {
    int64_t sparsity;
    int64_t capacity; /* free columns included */

    /* the best point so far, in the columns and units of the framed problem */
    int64_t size;
    int64_t *columns; /* free columns and those with nonzeros, ascending [capacity] */
    double *values;   /* [capacity] */
    double objective; /* INFINITY: there is no point yet */
    double bound;     /* a proven bound, or -INFINITY */
    int is_final;     /* no visit can improve it */
    int is_news[2];   /* changed since it was last the start of the entry above (0) and below (1) */

    /* the visits */
    spgm_outcome outcome;
    int64_t iterations, visits, agreeing;
    double worst; /* highest F at the end of a visit */
    double seconds;

    /* the model that is reported, in the units of the data */
    double *x; /* [capacity] values of x at `columns`, without the intercept */
    double intercept;
    spgm_info info;
};

struct spgm_path {
    const struct spgm_problem *problem;
    struct spgm_options options;
    int64_t count;
    struct path_entry *entries; /* [count] ascending in sparsity */
    struct workspace workspace; /* owns the arrays of the entries */
    spgm_progress_function progress;
    void *progress_context;
    atomic_int interrupted; /* set from another thread or a signal handler */
    const atomic_int *stop; /* &interrupted, or the flag of an owner of several paths */
    int has_run;
    int is_for_models; /* only the models are used, so that no bounds are computed */
    double seconds;
    double began, deadline; /* clock_seconds: begin of the run, and deadline of the search in it */
};

/* Find the best point of every entry (sweep.c). */
spgm_error path_sweep(struct spgm_path *path, const struct problem *framed, spgm_status *status);
/* The same for large data, and for rows that live elsewhere (forwards.c). */
spgm_error path_forwards(struct spgm_path *path, const struct problem *framed, spgm_status *status);

#endif
