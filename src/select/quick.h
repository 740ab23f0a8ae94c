/*
 * The search of a fold: a model for each of some s and ridges, each from its neighbours.
 *
 * HOW IT WORKS: for each s in turn the ridges from the largest to the smallest. A model starts from that of the next
 * smaller s with the same ridge, filled up, from that of the same s with the next larger ridge and, where the loss has
 * a guide, from the columns that the same search finds under that smooth loss; the best one of them is improved by
 * exchanges until none helps. There are no restarts: a fold is judged, not reported.
 */
#ifndef SPGM_SELECT_QUICK_H
#define SPGM_SELECT_QUICK_H

#include <stdatomic.h>

#include "base/options.h"
#include "model/problem.h"

/* The last models, one for each ridge and then one for each under the guide, packed; zero: none yet. */
struct quick_trail {
    struct workspace workspace;
    int64_t count;     /* of models                */
    int64_t *sizes;    /* [count]                  */
    int64_t **columns; /* [count], of the frame    */
    double **values;   /* [count]                  */
};

struct quick {
    const struct spgm_problem *problem;
    const struct spgm_options *options;
    int64_t count;
    const int64_t *sparsities; /* [count] ascending */
    int64_t ridge_count;
    const double *ridges;            /* [ridge_count] descending */
    int64_t first_ridge, last_ridge; /* models are found for the ridges [first_ridge, last_ridge) */
    struct quick_trail *trail;
    const atomic_int *stop;
    spgm_progress_function progress; /* its fraction is that of the (s, ridge) done */
    void *progress_context;
    /* Called for each model, in the data's units: x [columns]. */
    spgm_error (*found)(void *context, int64_t i, int64_t k, const double *x, double intercept, spgm_status *status);
    void *found_context;
};

/* Models that the trail of a problem has. */
int64_t quick_models(const spgm_problem *problem, int64_t ridges);
/* After a stop it returns SPGM_OK, and the rest is not found. */
spgm_error quick_run(const struct quick *quick, spgm_status *status);
void quick_forget(struct quick_trail *trail);

#endif
