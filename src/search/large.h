/*
 * Large data: the search goes on in samples of rows and columns, and all rows judge what it finds. The first model
 * needs three passes over A; after that every level costs a few, whatever the number of rows.
 */
#ifndef SPGM_SEARCH_LARGE_H
#define SPGM_SEARCH_LARGE_H

#include "method/method.h"

/* What is large, and how much of it is looked at. */
struct large_sizes {
    double entries; /* nonzeros of A, or rows times columns of the support, from which on data are large        */
    double
        sample_rows; /* times columns of the support: the sample of the first level, twice as many in each after it */
    int64_t fewest_rows;
    int64_t columns;    /* of a sample, beyond four times the support                                                */
    double sample_work; /* multiplications of the search in the sample of the first level, twice as many in each after
                           it */
    double full_work;   /* the same for the search on all rows at level 5                                            */
    double cached_rows; /* of which a vector stays in the cache, so that the same work takes a fraction of the time   */
    double passes;      /* over A that this may be at least                                                          */
};

extern const struct large_sizes large_sizes;

int large_is(const struct run *run, const struct large_sizes *sizes);
/* And can be searched by samples. */
int large_applies(const struct run *run, const struct large_sizes *sizes);
/* A limit on the work of a search at this level of effort: INFINITY where data are not large. */
double large_work(const struct run *run, const struct large_sizes *sizes, int level);
/* A model of s columns after three passes over A, offered to the run. square [columns] receives the squares of the
 * columns over all rows, with an intercept less their means, for large_search. */
spgm_error large_first(struct run *run, const struct large_sizes *sizes, double *square, spgm_status *status);
/* Whether a pass for every column of the support is within the work of the default effort. */
int large_affords_greedy(const struct run *run, const struct large_sizes *sizes);
/* Levels 1 .. levels: a search in a sample, its end judged and, where memory allows, improved on all rows, from the
 * end of OMP, which is fitted here (greedy [columns]; NULL: the best model of the run), and from start [columns], if
 * that is the user's. run->outcome says why it stopped before the last one. */
spgm_error large_search(struct run *run, const struct large_sizes *sizes, const double *square, const double *greedy,
                        const double *start, int levels, spgm_status *status);

#endif
