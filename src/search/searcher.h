/*
 * What auto drives: a search that holds a current support with its exact fit, and knows how to start, how to leave a
 * local optimum, and how to check one. `swap` is the fast one, where warm fits cost a few pivots; `general` takes
 * everything. Whatever is found is offered to the run at once.
 */
#ifndef SPGM_SEARCH_SEARCHER_H
#define SPGM_SEARCH_SEARCHER_H

#include "method/method.h"

struct searcher {
    spgm_error (*create)(struct run *run, void **object, spgm_status *status);
    void (*destroy)(void *object); /* accepts NULL */
    /* From x, which is near its own fit, and from the searcher's own start; NULL: it has none. */
    spgm_error (*begin)(void *object, const double *x, spgm_status *status);
    /* Fit over the nonzeros of x; improve by exchanges when F is then at most `worthwhile`. */
    spgm_error (*start_from)(void *object, const double *x, double worthwhile, spgm_status *status);
    /* The same where x is near its own fit over its nonzeros, which is then found sooner. */
    spgm_error (*start_near)(void *object, const double *x, double worthwhile, spgm_status *status);
    /* Leave the current support, and improve what is found there. */
    spgm_error (*restart)(void *object, spgm_status *status);
    /*
     * Fit every exchange of one column of the best support of the run. *verdict: 1 none lowers F; 0 stopped before; -1
     * one did, and was improved further.
     */
    spgm_error (*verify)(void *object, int *verdict, spgm_status *status);
    double (*verify_work)(const void *object); /* about how many multiplications that takes */
    double (*objective)(const void *object);   /* F at the current support */
};

extern const struct searcher searcher_swap, searcher_general;

#endif
