/*
 * The constants of matrices and operators. What is not here: sizes of blocks and tiles that fit registers, a cache or
 * the stack, beside their loops.
 */
#ifndef SPGM_LINALG_CONSTANTS_H
#define SPGM_LINALG_CONSTANTS_H

#include <stdint.h>

/* ---- products (linop_dense.c, linop_tiled.c, rows.c) ------------------------------------------------------------ */

/* Columns from which on a copy of those on the left pays (kernels.h). 40 to 2,000 rows, time over that without: with 5
 * on the left and 40, 70, 150 on the right 0.71 to 0.97, 0.66 to 0.85, 0.56 to 0.75 (AVX2 0.5 to 0.6); with 20 0.3 to
 * 0.5; with 4 above 1. */
enum { WIDE_LEFT = 5, WIDE_RIGHT = 40 };
#define STRETCH_ENTRIES (INT64_C(1) << 20) /* 8 MB of doubles: enough to be worth waking threads for */
#define ROWS_SPARSE 0.25                   /* density of A below which gathered rows are kept as a sparse matrix */

/* ---- sparse columns (linop_csc.c, csc_gram.c) ------------------------------------------------------------------- */

/* Entries of dense columns, 32 MiB: the user's matrix is used in place, and a large one has no second copy. */
#define DENSE_MOST (INT64_C(1) << 22)
enum {
    /* Entries of both columns for each of the shorter one, from which on seeking is quicker than stepping */
    UNEVEN = 16,
    STEP_WORK = 4, /* a step of an intersection takes as long as so many multiplications */
    /* What a Gram matrix that is summed by rows takes, in products of a strip; 49,749 x 300 with 12 entries in a row.
     */
    ROW_PAIR = 2, /* adding one product at the place that its row and column say */
    ROW_ENTRY = 8 /* making one entry of the lists by rows */
};
#define LISTS_MOST (INT64_C(1) << 22) /* entries of lists by rows that are kept: 48 MB */

/* ---- norms of operators (linop.c, model/f_quadratic.c) ---------------------------------------------------------- */

/* Lanczos's iteration ends after NORM_STEPS steps, or when NORM_SETTLE of them together gain less than NORM_SETTLED of
 * the norm, which is then raised by NORM_RAISED for what is still missing. */
enum { NORM_STEPS = 200, NORM_SETTLE = 4 };
#define NORM_SETTLED 1e-3
#define NORM_RAISED 1.01
#define NORM_INVARIANT 1e-14 /* relative to the norm: a next direction below this is rounding */

/* ---- A'A in the place of A (normal.c, normal.h) ----------------------------------------------------------------- */

/* The least part of trace(AA') ||a_j||^2 that a_j'(AA')a_j may be: below it rounding could take more than four of the
 * digits of ||A'a_j||^2. */
#define SAFE_PART 1e-4
/* Entries of A'A up to which it is formed whatever products cost: 256 MB. Processor time with m = 100, s = 8, not
 * formed and formed: n = 1000, spgm-bcd 0.11 s and 0.07 s, auto 0.8 s and 0.06 s; n = 4000, spgm-bcd 0.4 s and 1.4 s,
 * auto 6.2 s and 0.6 s. */
#define NORMAL_FORMED_ENTRIES (1 << 25)

#endif
