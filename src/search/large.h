/*
 * Large data: searches in samples of rows and columns, judged on all rows. The first model takes three passes over A;
 * after that every level takes a few passes, however many rows there are.
 */
#ifndef SPGM_SEARCH_LARGE_H
#define SPGM_SEARCH_LARGE_H

#include "method/method.h"

/* When data are large, and the sizes of samples and searches. */
struct large_sizes {
    double entries; /* data are large from this number of nonzeros of A, or of rows times columns of the support */
    double
        sample_rows; /* rows of the sample of the first level, for each column of the support; doubled at each level */
    int64_t fewest_rows;
    int64_t columns;    /* columns of a sample beyond four times the support */
    double sample_work; /* multiplications of the search in the sample of the first level; doubled at each level */
    double full_work;   /* the same for the search on all rows at level 5 */
    double cached_rows; /* with fewer rows a vector stays in the cache, so that the same work takes a fraction of the
                           time */
    double passes;      /* the work may take at least so many passes over A */
};

extern const struct large_sizes large_sizes;

int large_is(const struct run *run, const struct large_sizes *sizes);
/* Whether the data are large and can be searched by samples. */
int large_applies(const struct run *run, const struct large_sizes *sizes);
/* The limit on the work of a search at this level of effort; INFINITY if the data are not large. */
double large_work(const struct run *run, const struct large_sizes *sizes, int level);
/* Offer a first model of s columns to the run, after three passes over A. square [columns] receives the squared norms
 * of the columns over all rows (with an intercept, of the centred columns), for large_search. */
spgm_error large_first(struct run *run, const struct large_sizes *sizes, double *square, spgm_status *status);
/* Whether one pass for every column of the support is within the work of the default effort. */
int large_affords_greedy(const struct run *run, const struct large_sizes *sizes);
/* Levels 1 .. levels: search in a sample, fit the end on all rows and, if memory allows, improve it there. The search
 * begins from the end of OMP, which is fitted here (greedy [columns]; NULL: from the best model of the run), and from
 * the user's start [columns], if there is one. run->outcome says why it stopped before the last level. */
spgm_error large_search(struct run *run, const struct large_sizes *sizes, const double *square, const double *greedy,
                        const double *start, int levels, spgm_status *status);

#endif
