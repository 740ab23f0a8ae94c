/* Remove columns that only fit rounding errors. */
#ifndef SPGM_SEARCH_PRUNE_H
#define SPGM_SEARCH_PRUNE_H

#include "method/method.h"

/*
 * Set to zero those coefficients of run->best_x whose columns change the residual by less than 1e-11 of b, if F does
 * not rise by more than 1e-12 of F(0). Whether such a column is in the model depends on the last bit of sums, and so on
 * the compiler.
 */
spgm_error prune_rounding(struct run *run, spgm_status *status);

#endif
