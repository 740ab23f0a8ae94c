/* Some of the rows and columns of a problem as a problem of its own, for a search on a sample. */
#ifndef SPGM_MODEL_PART_H
#define SPGM_MODEL_PART_H

#include "model/problem.h"

/* Not possible with groups, or with smooth terms other than a ridge and a linear part. */
int part_is_possible(const struct spgm_problem *problem);
/*
 * The rows `rows` [row_count] and the columns `columns` [column_count] of the problem that methods see, both ascending
 * and distinct. Row i counts times[i] times (NULL: once), so that a sample can balance f like all rows do; the loss
 * must then be a sum over rows. The caller owns the part and frees part->owned, which has all arrays, instead of
 * calling spgm_problem_free. A part with all rows is a copy of many megabytes, so `stop` (NULL: never) is asked on the
 * way; after a stop the part can only be freed.
 */
spgm_error part_make(const struct spgm_problem *problem, int64_t row_count, const int64_t *rows, const double *times,
                     int64_t column_count, const int64_t *columns, struct stop *stop, struct spgm_problem *part,
                     spgm_status *status);

/* The entries at `places` [count], in the workspace; NULL for NULL. */
double *part_doubles(const double *values, int64_t count, const int64_t *places, struct workspace *workspace);
unsigned char *part_marks(const unsigned char *marks, int64_t count, const int64_t *places,
                          struct workspace *workspace);

#endif
