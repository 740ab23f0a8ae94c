/* Some rows and some columns of a problem as a problem of their own: what a search on a sample sees. */
#ifndef SPGM_MODEL_PART_H
#define SPGM_MODEL_PART_H

#include "model/problem.h"

/* Groups and smooth terms other than a ridge and a linear part are not taken apart. */
int part_is_possible(const struct spgm_problem *problem);
/*
 * The rows `rows` [row_count] and the columns `columns` [column_count] of the problem that methods see, both ascending
 * and distinct. Row i counts times[i] times (NULL: once), so that a sample can stand for the whole beside f; the loss
 * must then be a sum over rows. All arrays are in part->owned, which the caller frees, and not with spgm_problem_free:
 * the part itself is the caller's. A part of all rows is a copy of many megabytes: stop (NULL: never) is asked on the
 * way, and stopped the part is good for nothing but to be freed.
 */
spgm_error part_make(const struct spgm_problem *problem, int64_t row_count, const int64_t *rows, const double *times,
                     int64_t column_count, const int64_t *columns, struct stop *stop, struct spgm_problem *part,
                     spgm_status *status);

/* Those of the places [count], in the workspace; NULL stays NULL. */
double *part_doubles(const double *values, int64_t count, const int64_t *places, struct workspace *workspace);
unsigned char *part_marks(const unsigned char *marks, int64_t count, const int64_t *places,
                          struct workspace *workspace);

#endif
