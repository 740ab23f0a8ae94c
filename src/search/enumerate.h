/*
 * All supports of a small problem, each fitted: the optimum with a proof.
 *
 * Consecutive supports (revolving door order: Knuth, The Art of Computer Programming 4A, 7.2.1.3, Algorithm R) differ
 * by one column, so every fit is warm-started from the last one.
 */
#ifndef SPGM_SEARCH_ENUMERATE_H
#define SPGM_SEARCH_ENUMERATE_H

#include "method/method.h"

/* The number of supports of exactly `sparsity` columns, which contain all smaller ones. INFINITY: too many. */
double enumerate_count(const struct run *run);

/*
 * Fit every one. When all are done, run->bound is the lowest of their proven bounds and run->outcome is SPGM_OPTIMAL,
 * or SPGM_LOCAL_OPTIMUM if rounding keeps that bound more than a millionth below F. Otherwise the outcome says why the
 * run stopped.
 */
spgm_error enumerate_run(struct run *run, spgm_status *status);

#endif
