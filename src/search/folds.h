/* Rows split into folds: drawn from a seed, and the rows of a fold or of its complement as a matrix of their own. */
#ifndef SPGM_SEARCH_FOLDS_H
#define SPGM_SEARCH_FOLDS_H

#include "base/memory.h"
#include "base/status.h"

/* fold_of_row [rows]: sizes that differ by at most one. With labels [rows] (else NULL) the rows with label `upper` and
 * the others are each spread evenly too. work [rows]. */
void folds_draw(int64_t rows, const double *labels, double upper, int64_t folds, uint64_t seed, int64_t *fold_of_row,
                int64_t *work);

/* The rows whose place[i] >= 0, at that place of the copy; `count` of them. Arrays come from the workspace, whose
 * `failed` must be checked before the copy is used. */
spgm_matrix folds_copy_rows(const spgm_matrix *A, int64_t count, const int64_t *place, struct workspace *workspace);

#endif
