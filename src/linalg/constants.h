/*
 * The constants of matrices and operators. Sizes of blocks and tiles that fit registers, a cache or the stack are
 * beside their loops instead.
 */
#ifndef SPGM_LINALG_CONSTANTS_H
#define SPGM_LINALG_CONSTANTS_H

#include <stdint.h>

/* ---- products (linop_dense.c, linop_tiled.c, rows.c) ------------------------------------------------------------ */

/* From this many columns on each side, copying those on the left pays (kernels.h). Time relative to no copy for 40 to
 * 2,000 rows: with 5 on the left and 40, 70, 150 on the right 0.71 to 0.97, 0.66 to 0.85, 0.56 to 0.75 (AVX2 0.5 to
 * 0.6); with 20 on the left 0.3 to 0.5; with 4 above 1. */
enum { WIDE_LEFT = 5, WIDE_RIGHT = 40 };
#define STRETCH_ENTRIES (INT64_C(1) << 20) /* 8 MB of doubles: enough to be worth waking threads for */
#define ROWS_SPARSE 0.25                   /* density of A below which gathered rows are kept as a sparse matrix */

/* ---- sparse columns (linop_csc.c, csc_gram.c) ------------------------------------------------------------------- */

/* Most entries of the dense copies of full columns, 32 MiB: the user's matrix is used in place, and a large one is not
 * copied. */
#define DENSE_MOST (INT64_C(1) << 22)
enum {
    /* If both columns have more than this many entries for each of the shorter one, seeking is faster than stepping */
    UNEVEN = 16,
    STEP_WORK = 4, /* one step of an intersection takes as long as this many multiplications */
    /*
     * The costs of a Gram matrix that is summed by rows, in products of a strip; 49,749 x 300 with 12 entries in a row.
     */
    ROW_PAIR = 2, /* adding one product at its row and column */
    ROW_ENTRY = 8 /* making one entry of the lists by rows */
};
#define LISTS_MOST (INT64_C(1) << 22) /* entries of lists by rows that are kept: 48 MB */

/* ---- norms of operators (linop.c, model/f_quadratic.c) ---------------------------------------------------------- */

/* Lanczos iteration ends after NORM_STEPS steps, or when NORM_SETTLE consecutive steps together gain less than
 * NORM_SETTLED of the norm. The result is raised by NORM_RAISED to cover what is still missing. */
enum { NORM_STEPS = 200, NORM_SETTLE = 4 };
#define NORM_SETTLED 1e-3
#define NORM_RAISED 1.01
#define NORM_INVARIANT 1e-14 /* relative to the norm: a next direction below this is rounding */

/* ---- A'A in the place of A (normal.c, normal.h) ----------------------------------------------------------------- */

/* The least share of trace(AA') ||a_j||^2 that a_j'(AA')a_j may be: below it rounding could cost more than four digits
 * of ||A'a_j||^2. */
#define SAFE_PART 1e-4
/* The most entries of A'A for which it is always formed, whatever products cost: 256 MB. Processor time with m = 100, s
 * = 8, not formed and formed: n = 1000, spgm-bcd 0.11 s and 0.07 s, auto 0.8 s and 0.06 s; n = 4000, spgm-bcd 0.4 s and
 * 1.4 s, auto 6.2 s and 0.6 s. */
#define NORMAL_FORMED_ENTRIES (1 << 25)

#endif
