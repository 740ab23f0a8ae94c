/* The path object: a problem, a list of sparsities, and for each the best model found. */
#ifndef SPGM_SELECT_PATH_H
#define SPGM_SELECT_PATH_H

#include <stdatomic.h>

#include "base/options.h"
#include "model/problem.h"

struct path_entry {
    int64_t sparsity;
    int64_t capacity; /* free columns included */

    /* the best point, in the columns and units of the framed problem */
    int64_t size;
    int64_t *columns; /* [capacity] ascending: free ones, and nonzeros */
    double *values;   /* [capacity]                                    */
    double objective; /* INFINITY: none yet                            */
    double bound;     /* proven, or -INFINITY                          */
    int is_final;     /* nothing better can be found                   */
    int is_news[2];   /* changed since its neighbour above (0) and below (1) last started from it */

    /* the visits */
    spgm_outcome outcome;
    int64_t iterations, visits, agreeing;
    double worst; /* F at the end of the worst visit */
    double seconds;

    /* the report, in the units of the data */
    double *x; /* [capacity] values of x at `columns`, without the intercept */
    double intercept;
    spgm_info info;
};

struct spgm_path {
    const struct spgm_problem *problem;
    struct spgm_options options;
    int64_t count;
    struct path_entry *entries; /* [count] ascending in sparsity */
    struct workspace workspace; /* owns what the entries point to */
    spgm_progress_function progress;
    void *progress_context;
    atomic_int interrupted; /* set from another thread or a signal handler */
    const atomic_int *stop; /* &interrupted, or the flag of whoever runs many paths */
    int has_run;
    int is_for_models; /* nobody reads the bounds */
    double seconds;
    double began, deadline; /* clock_seconds: of the run, and of the search in it */
};

/* Find the best point of every entry (sweep.c). */
spgm_error path_sweep(struct spgm_path *path, const struct problem *framed, spgm_status *status);
/* The same for large data, and for rows that live elsewhere (forwards.c). */
spgm_error path_forwards(struct spgm_path *path, const struct problem *framed, spgm_status *status);

#endif
