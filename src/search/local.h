/*
 * Local search: improve a feasible point by exchanges of columns until none that is tried lowers F.
 *
 * `auto` and the path both call it. In: run->best_x with run->best_objective (run_start), run->sparsity, and the limits
 * of the run. Out: the best point, exactly fitted over its support; run->outcome says SPGM_LOCAL_OPTIMUM, or why it
 * stopped before. More than one call on one run is fine.
 */
#ifndef SPGM_SEARCH_LOCAL_H
#define SPGM_SEARCH_LOCAL_H

#include "method/method.h"

spgm_error local_search(struct run *run, spgm_status *status);

#endif
