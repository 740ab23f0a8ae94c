/*
 * All supports of a small problem, one after the other: the optimum, proven.
 *
 * Neighbours in the order (revolving door: Knuth, The Art of Computer Programming 4A, 7.2.1.3, Algorithm R) differ by
 * one column, so that every fit starts from the last one.
 */
#ifndef SPGM_SEARCH_ENUMERATE_H
#define SPGM_SEARCH_ENUMERATE_H

#include "method/method.h"

/* How many supports of exactly `sparsity` columns there are; they contain the smaller ones. INFINITY: too many. */
double enumerate_count(const struct run *run);

/*
 * Fit every one. When all are done run->outcome is SPGM_OPTIMAL, and run->bound the lowest of their proven bounds;
 * SPGM_LOCAL_OPTIMUM with that bound where rounding keeps it more than a millionth below F. Otherwise the outcome says
 * why it stopped.
 */
spgm_error enumerate_run(struct run *run, spgm_status *status);

#endif
