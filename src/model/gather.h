/* Bring rows of all processes to one of them, for a sample or for a small problem. */
#ifndef SPGM_MODEL_GATHER_H
#define SPGM_MODEL_GATHER_H

#include "model/part.h"

/*
 * part_make for rows that are spread over processes: every process contributes rows of its own (row_count may be 0),
 * and all pass the same columns. On the process `owner` *part has all these rows, in the order of the processes;
 * elsewhere *part can only be freed. All processes return the same error. With one process this is part_make, and only
 * then is `stop` asked.
 */
spgm_error part_gather(const struct spgm_problem *problem, int64_t row_count, const int64_t *rows, const double *times,
                       int64_t column_count, const int64_t *columns, int64_t owner, struct stop *stop,
                       struct spgm_problem *part, spgm_status *status);
/* The same on process 0 with all rows and columns, including groups and smooth terms. */
spgm_error part_gather_all(const struct spgm_problem *problem, struct spgm_problem *part, spgm_status *status);

#endif
