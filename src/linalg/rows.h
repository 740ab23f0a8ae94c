/* Some rows of an operator, copied: an operator of its own. */
#ifndef SPGM_LINALG_ROWS_H
#define SPGM_LINALG_ROWS_H

#include "linalg/linop.h"

/* Rows [count] of A, ascending, all at hand, and below them `last` [columns], a row of the caller's, or NULL. Its
 * numbers are in the workspace, whose `failed` is set where there is no memory, and then the result is NULL. One thread
 * works on it. */
struct linop *linop_rows_new(const struct linop *A, int64_t count, const int64_t *rows, const double *last,
                             struct workspace *workspace);

#endif
