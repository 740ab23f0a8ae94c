/* A copy of some rows of an operator, as an operator of its own. */
#ifndef SPGM_LINALG_ROWS_H
#define SPGM_LINALG_ROWS_H

#include "linalg/linop.h"

/* The local rows [count] of A, ascending, followed by `last` [columns], a row given by the caller, or NULL. The numbers
 * are in the workspace; if there is no memory, its `failed` is set and the result is NULL. Used by one thread. */
struct linop *linop_rows_new(const struct linop *A, int64_t count, const int64_t *rows, const double *last,
                             struct workspace *workspace);

#endif
