/* Rows of all processes on one of them: for what needs rows in one place, a sample or a small problem. */
#ifndef SPGM_MODEL_GATHER_H
#define SPGM_MODEL_GATHER_H

#include "model/part.h"

/*
 * part_make where rows live elsewhere: every process gives rows of its own (row_count may be 0), and all give the same
 * columns. On the process `owner` *part has the rows of all, in the order of the processes; elsewhere it is of no use
 * but to be freed. All return the same error. Without other processes it is part_make, which alone asks stop.
 */
spgm_error part_gather(const struct spgm_problem *problem, int64_t row_count, const int64_t *rows, const double *times,
                       int64_t column_count, const int64_t *columns, int64_t owner, struct stop *stop,
                       struct spgm_problem *part, spgm_status *status);
/* The same on process 0 for all rows and columns, groups and smooth terms included. */
spgm_error part_gather_all(const struct spgm_problem *problem, struct spgm_problem *part, spgm_status *status);

#endif
