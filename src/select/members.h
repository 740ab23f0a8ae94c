/* Models that are each fitted without one of the folds, and their mean. */
#ifndef SPGM_SELECT_MEMBERS_H
#define SPGM_SELECT_MEMBERS_H

#include <stdatomic.h>

#include "base/options.h"
#include "base/status.h"
#include "spgm/spgm.h"

struct member {
    const spgm_choice *choice; /* that is fitted: s, the ridge of all rows */
    int64_t fold;              /* that it does not see                     */
    int is_there;              /* there was time for it                    */
    int64_t size;
    int64_t *columns; /* [size] */
    double *values;   /* [size] */
    double intercept;
};

struct members {
    int64_t count;
    struct member *list; /* [count] choice and fold are given, the others 0 */
    const int64_t *fold_of_row;
    const struct spgm_options *options; /* of the fits: threads, seed and the like */
    double until;                       /* clock_seconds                           */
    int64_t always;                     /* so many are fitted in any case          */
    atomic_int *stop;
};

/* Fits them side by side, at effort 1; progress may be NULL. */
spgm_error members_fit(struct members *members, spgm_progress_function progress, void *context, spgm_status *status);
/* x [columns] and *intercept: the mean of those without a fold, -1: of all. Returns how many there are. */
int64_t members_add_up(const struct members *members, int64_t fold, int64_t columns, double *x, double *intercept);
/* The list itself is the caller's. */
void members_free(struct members *members);

#endif
