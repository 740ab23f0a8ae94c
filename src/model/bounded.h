/* Is F bounded below? Only the linear term p'x can make it unbounded, where no other term outweighs it. */
#ifndef SPGM_MODEL_BOUNDED_H
#define SPGM_MODEL_BOUNDED_H

#include "model/problem.h"

/* Returns SPGM_ERROR_UNBOUNDED if F decreases without limit along a single column that a model of `sparsity` columns
 * may have. */
spgm_error bounded_columns(const struct spgm_problem *problem, int64_t sparsity, spgm_status *status);
/* The same along the final x of a run, given by its nonzeros; returns SPGM_ERROR_DATA if F is not finite. */
spgm_error bounded_at(const struct spgm_problem *problem, int64_t count, const int64_t *columns, const double *values,
                      double intercept, double objective, spgm_status *status);

#endif
