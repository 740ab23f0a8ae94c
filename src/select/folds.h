/* Rows split into folds, drawn from a seed. */
#ifndef SPGM_SELECT_FOLDS_H
#define SPGM_SELECT_FOLDS_H

#include <stdint.h>

/* fold_of_row [rows]: fold sizes differ by at most one. With labels [rows] (else NULL), the rows with label `upper` and
 * the other rows are each spread evenly as well. With weights [rows] (else NULL), so are the rows without weight, apart
 * from the others. Every repeat (from 0) is another draw. work [rows]. */
void folds_draw(int64_t rows, const double *labels, double upper, const double *weights, int64_t folds, uint64_t seed,
                int64_t repeat, int64_t *fold_of_row, int64_t *work);

#endif
