/*
 * The problem as methods see it: operator, b, h, f, which columns are free. Columns are those of the
 * framed operator: the data's columns, scaled, then the intercept (if any) as the last, free column.
 */
#ifndef SPGM_MODEL_PROBLEM_H
#define SPGM_MODEL_PROBLEM_H

#include "model/loss.h"
#include "model/smooth.h"

struct problem {
    struct linop *A;     /* framed                                                */
    const double *b;     /* [A->rows]; labels already -1, +1 for a classifier     */
    struct loss h;
    struct smooth f;
    const unsigned char *is_free; /* [A->columns]                                 */
    int64_t free_count;
    int64_t *free_columns; /* [free_count], ascending                             */
};

/* columns that count towards s */
static inline int64_t problem_candidates(const struct problem *p) { return p->A->columns - p->free_count; }

/*
 * HOW SCALING WORKS: the solver works on z with x_j = scale_j z_j and target b / unit. With `standardize` scale_j is
 * the power of two nearest to sqrt(m) / ||a_j||; otherwise it is 1 unless the data are so large or small (column
 * norms outside [1e-60, 1e60]) that squares could overflow, when columns and target are scaled by powers of two. Powers of
 * two change no digits. Zero columns keep 1.
 */

#endif
