/*
 * The search of a fold: models for some s and ridges, each found from its neighbours.
 *
 * HOW IT WORKS: for each s in turn, the ridges from the largest to the smallest. The starts of a model are: the model
 * of the next smaller s with the same ridge, filled up; that of the same s with the next larger ridge; and, if the loss
 * has a guide (a smooth loss), the columns that the same search finds under the guide. The best of them is improved by
 * exchanges until none lowers F. There are no restarts: a fold only judges, and its models are not reported.
 */
#ifndef SPGM_SELECT_QUICK_H
#define SPGM_SELECT_QUICK_H

#include <stdatomic.h>

#include "base/options.h"
#include "model/problem.h"

/* The models that a later call continues from, packed: one for each ridge, then one for each ridge under the guide.
 * Zero: there are none yet. */
struct quick_trail {
    struct workspace workspace;
    int64_t count;     /* number of models */
    int64_t *sizes;    /* [count] */
    int64_t **columns; /* columns in the frame [count] */
    double **values;   /* [count] */
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
    spgm_progress_function progress; /* fraction is the share of the (s, ridge) pairs that are done */
    void *progress_context;
    /* Called for each model, with x [columns] in the data's units. */
    spgm_error (*found)(void *context, int64_t i, int64_t k, const double *x, double intercept, spgm_status *status);
    void *found_context;
};

/* The number of models in the trail for a problem. */
int64_t quick_models(const spgm_problem *problem, int64_t ridges);
/* Find all models. After a stop it returns SPGM_OK without the rest of them. */
spgm_error quick_run(const struct quick *quick, spgm_status *status);
void quick_forget(struct quick_trail *trail);

#endif
