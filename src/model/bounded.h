/* Has F a minimum? Only p'x, where nothing holds it, can take it away. */
#ifndef SPGM_MODEL_BOUNDED_H
#define SPGM_MODEL_BOUNDED_H

#include "model/problem.h"

/* SPGM_ERROR_UNBOUNDED where F falls without end along a single column that may be in a model of `sparsity` columns. */
spgm_error bounded_columns(const struct spgm_problem *problem, int64_t sparsity, spgm_status *status);
/* The same along the end of a run, x by its nonzeros; and SPGM_ERROR_DATA where F is no number. */
spgm_error bounded_at(const struct spgm_problem *problem, int64_t count, const int64_t *columns, const double *values,
                      double intercept, double objective, spgm_status *status);

#endif
