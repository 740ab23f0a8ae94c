/*
 * The constants of problems, losses and terms. All but SPARSE_* and DEVIATION_SHARE are about rounding and the range of
 * doubles and follow from them. What is not here: sizes of blocks that fit a cache or the stack, beside their loops;
 * what belongs to the contract of losses, in loss.h and in the table of each; the constants of hashing.
 */
#ifndef SPGM_MODEL_CONSTANTS_H
#define SPGM_MODEL_CONSTANTS_H

/* ---- what a double can hold, and a little room (scaling.c) ------------------------------------------------------ */

#define NUMBER_HIGH 1e305    /* entries, coefficients, intercept                                                      */
#define LOSS_HIGH 1e300      /* |b|, or its square where the loss takes it                                            */
#define OBJECTIVE_HIGH 1e306 /* the same over all rows */

/* ---- time that a limit sets aside for the last step and the report (frame.c), by reasoning --------------------- */

/* Part of the time limit at most for the last step: more than the 2 % by which it may be overrun, little to lose */
#define LAST_STEP 0.05
/* Time that a dense column of the model adds to the report, relative to the evaluation of F at x = 0 */
#define COLUMN_REPORT 0.25
#define LINE_NUMBERS 8 /* numbers that come from memory with one: where A lies by rows, those of other columns */

/* ---- the frame (scaling.c) -------------------------------------------------------------------------------- */

/* Norms outside this range could overflow or vanish when squared and summed. */
#define NORM_LOW 1e-60
#define NORM_HIGH 1e60
/* Columns with typical entries outside this range are all scaled by the same power of two, ... */
#define ENTRY_LOW 0x1p-5
#define ENTRY_HIGH 0x1p5
/* ... but a column this many times smaller or larger than the typical one by its own. */
#define APART 1e30
/* A framed ridge beyond this could overflow when it is squared and summed. */
#define RIDGE_HIGH 1e100
/* From |mean| / spread = FRAME_OFFSET on a column or the target is centred. Uncentred, products of columns are wrong by
 * about DBL_EPSILON (mean / spread)^2 of what they are after the intercept has taken its part: at FRAME_OFFSET by
 * 2e-10. */
#define FRAME_OFFSET 1e3
/* The same where all of A may be copied (and has hardly a zero): what is left of a column beside the intercept is then
 * most of its length, by which searches choose among columns, and products keep their digits in single precision.
 * Without it the search on squares of log intensities (71 x 4088, means of 2 to 20 deviations, s = 20) was at twice
 * the F after a second. */
#define CENTRE_OFFSET 1.0
#define CENTRE_ROOM 4e6   /* entries of A at most: 32 MB, as many as searches copy anyway in the course of a fit */
#define CENTRE_SHARE 0.75 /* part of them that must not be zero */
/* From this size on, a dense matrix with at most this share of nonzeros is compressed. */
#define SPARSE_SIZE 65536.0
#define SPARSE_SHARE 0.15
#define SPARSE_SHARE_MAPPED 0.02 /* the same for a mapped file: the copy has 12 bytes for an entry, 3 % of the file */

/* ---- ridges that follow the columns (ridge.c) ------------------------------------------------------------- */

/* A deviation is at least this part of the largest one in its column: of a column that is zero but in a few rows the
 * standard deviation is tiny, and a ridge by it alone would let these rows be fitted at next to no price. */
#define DEVIATION_SHARE 0.2
/* The square of a deviation, and of its inverse, must be a number. */
#define DEVIATION_LOW 1e-140
#define DEVIATION_HIGH 1e140
#define DEVIATION_ROUNDING 1e-14 /* relative to the mean: a column that deviates less is the same in every row */

/* ---- whether F is bounded below (bounded.c) --------------------------------------------------------------- */

#define RAY_NEGLIGIBLE 1e-10 /* relative to the terms: a sum below this counts as zero */
/* Relative to the largest such sum: x reaches 1e85 and more along a ray, and is about 1 otherwise */
#define RAY_REST 1e-20
#define RAY_SLACK 1e-9 /* relative: slopes this near count as equal */
#define RAY_FAR 1e100  /* no ordinary problem comes so far below F(0)                                           */

/* ---- whether Q is positive semidefinite (definite.c, problem.c) ------------------------------------------- */

/* Relative to the diagonal: matrices that were computed in single precision are off by so much */
#define DEFINITE_TOLERANCE 1e-6
#define SYMMETRY_TOLERANCE 1e-8                         /* relative to an entry */
enum { DEFINITE_FACTORED = 3000, DEFINITE_STEPS = 60 }; /* columns that are factored; above them, steps of Lanczos   */

/* ---- equal rows as one (merge.c), by reasoning ------------------------------------------------------------------- */

/* Part of the time limit: a merge that takes longer is given up, and rows stay as they are. */
#define MERGE_SHARE 0.25

/* ---- A'A in the place of A (normal.c) ---------------------------------------------------------------------------- */

/* ||a_j||^2 outside of these would make entries of A'A, or sums of their squares, leave the range of a double. */
#define SQUARE_LOW 1e-70
#define SQUARE_HIGH 1e70

/* ---- classifiers outside their rows (evaluate.c) ---------------------------------------------------------------- */

#define MOST_OF_SCORES 0x1p12  /* the largest multiple of scores: as far apart as the ridges of cross-validation are */
enum { STEPS_OF_SCORES = 40 }; /* steps of a line search: enough for six digits */

/* ---- the report -------------------------------------------------------------------------------------------------- */

/* How far F, evaluated from the raw data, may be above a bound that it reaches: relative to F, and to F(0) where a fit
 * is perfect but for rounding. */
#define REACHES 2e-6
#define REACHES_ZERO 1e-9

#endif
