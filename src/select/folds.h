/* Rows split into folds: drawn from a seed. */
#ifndef SPGM_SELECT_FOLDS_H
#define SPGM_SELECT_FOLDS_H

#include <stdint.h>

/* fold_of_row [rows]: sizes that differ by at most one. With labels [rows] (else NULL) the rows with label `upper` and
 * the others are each spread evenly too; with weights [rows] (else NULL) so are, apart, the rows without weight. Every
 * repeat (from 0) is another draw. work [rows]. */
void folds_draw(int64_t rows, const double *labels, double upper, const double *weights, int64_t folds, uint64_t seed,
                int64_t repeat, int64_t *fold_of_row, int64_t *work);

#endif
