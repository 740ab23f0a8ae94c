/*
 * The constants of all engines. Most are rounding tolerances, which follow from the arithmetic: changing one by two
 * powers of ten changes nothing, so only its meaning is stated. Constants that affect speed name the data that they
 * were chosen on. Operation and byte counts (fit_work, fit_bytes) are in the engines, because they are counted, not
 * chosen.
 */
#ifndef SPGM_FIT_CONSTANTS_H
#define SPGM_FIT_CONSTANTS_H

/* ---- shared by all engines -------------------------------------------------------------------------------------- */

#define FIT_PERFECT 1e-14   /* relative to |F(0)|: F below this is a perfect fit */
#define FIT_SMALL 1e-6      /* relative to |F(0)|: gaps are measured against this where |F| is below it */
#define FIT_SMALL_GOOD 1e-3 /* the same for calling a fit good or proven, where more digits are of no use */
/* multiplications that the exponential or conjugate of one row counts as in fit_spent */
#define FIT_ROW_WORK 50

/* The contiguous copy of a support's columns (block.c): this many doubles are always allowed, and this share of the
 * data. */
#define FIT_BLOCK_ROOM 8388608.0
#define FIT_BLOCK_SHARE 0.125
/* The share that is allowed of a mapped file, if it has at least FIT_MAPPED_COLUMNS columns. With fewer columns the 36
 * vectors over rows of `interior` already take 5 % of the file; they are lent by the caller (spgm_memory). */
#define FIT_BLOCK_SHARE_MAPPED 0.03
#define FIT_MAPPED_COLUMNS 720

/* ---- nearly dependent columns (basis.c) ------------------------------------------------------------------------- */

/* What is left of a column after projection onto the others, relative to its length. An engine copes with more than
 * NEARLY. Less than VANISHED is rounding in all but contrived data; coefficients of 1 / VANISHED would leave F no
 * digits. */
#define BASIS_NEARLY 1e-4
#define BASIS_VANISHED 1e-12
#define BASIS_REFINEMENTS 2
#define BASIS_ROUNDS 8 /* fits; each keeps one more bound, which the last one violated */

/* ---- vertex ------------------------------------------------------------------------------------------------------ */

/* Weight of the proximal term, relative to the curvature of a column at which every row is at a kink */
#define PROXIMAL_WEIGHT 1e-6
#define PROXIMAL_ROUNDS 8
#define PROXIMAL_FURTHEST 1e15 /* how far proximal steps may go, where F has no curvature of its own */
/* Relative to its length: if less is left of an active normal after projection onto the others, basis.c tests the
 * columns for dependence. */
#define DOUBTFUL 1e-3
#define LIST_DENSITY 0.25 /* columns are kept as lists of nonzeros if less than this share of A is nonzero */
/* The most entries for which a copy of the rows is kept, 8 MiB (20 MiB with lists). Above that, A is read in place. On
 * 40,000 x 150 dense with 30 columns a search is then no slower (l1 9 s instead of 13, linf 7 instead of 14), on
 * 100,000 x 50,000 sparse with 300 columns faster. */
#define MOST_KEPT (INT64_C(1) << 20)
/* SHORT_ROW: rows of at most this many entries are too short for the kernels, so a copy by columns is kept as well:
 * with 500 x 7 a product takes 0.3 us instead of 1.6. SHORT_ROOM: the same for copies of up to 1 MiB, which stay in the
 * cache: searches with 20 and 30 columns of 300 rows take 0.70 of the time for l1 and 0.76 for linf, with 40 of 256
 * 0.78 and 0.80 (generated data; F is the same). */
#define SHORT_ROW 32
#define SHORT_ROOM (INT64_C(1) << 17)
/* The share of the distance from F to the cutoff that smoothing the kinks may cost when a fit is refused (refuse.c) */
#define REFUSE_SHARE 0.3
/* The same at later steps: if smoothing costs more than this share of the distance, its width is reduced. 500 x 30,
 * duplicated columns, 12 seeds, 5 steps: 0.3, 0.5 and 0.7 are within 2 % of each other; with 3 steps no gain. */
#define REFUSE_MOST 0.7
/* Where many kinks meet in one point, pivots are degenerate. After STUCK pivots without progress the kinks are
 * perturbed by SCATTERED times the root mean square of b. Hinge on 500 x 30 columns of 0 and 1, ten seeds: 379 ms
 * without, 95 ms after 2 pivots, 121 after 0, 144 after 4. */
#define SCATTERED 1e-7
#define SLOPE_ROUNDING 1e-9 /* relative to ||a_j|| ||u||: a slope below this may be zero */
/* relative to ||b|| / ||a_j|| + |x_j|: the largest change of x_j that is assumed along such a slope */
#define SLOPE_REACH 10.0
#define LIST_PAYS 0.8 /* with a larger share of nonzeros, at three operations each, lists are slower */
/*
 * Relative to its length: with less left after projection onto the active normals, the normal of a kink depends on them
 */
#define KINK_DEPENDENT 1e-9
#define CRASH_INDEPENDENT 1e-2 /* the same for the kinks of a start, whose normals should be well conditioned */
#define RELEASE_ROUNDING 1e-10 /* relative to its slopes: a multiplier outside them by less counts as valid */
#define FACE_VANISHED 1e-13    /* a gradient below this, in units of the slopes, counts as zero */
/* The active set of the maximum (linf): the multipliers sum to 1. */
#define LEVEL_START 1e-6      /* as KINK_DEPENDENT, for the rows that a warm start takes over */
#define LEVEL_DEPENDENT 1e-10 /* and for a row that enters */
#define LEVEL_NEGATIVE 1e-12  /* a multiplier above minus this counts as not negative, ... */
#define LEVEL_UNSOUND 1e-7    /* ... and one below minus this shows that rounding dominates */
#define LEVEL_RATE 1e-13      /* a multiplier that moves at a lower rate counts as fixed */
/* relative to its square: with less left of a normal there is no search direction */
#define LEVEL_STRAIGHT 1e-18
#define LEVEL_GAP 1e-11           /* relative to F: a residual above the level by less is at it, ... */
#define LEVEL_GAP_OF_TARGET 1e-14 /* ... or by less than this of the largest |b_i| */
/* The same for an active row: a larger distance shows that the iteration has broken down */
#define LEVEL_WRONG 1e-9
#define LEVEL_WRONG_OF_TARGET 1e-13
#define STANDING 1e-12       /* relative to x: a shorter step counts as none */
#define FACE_TOLERANCE 1e-10 /* of the projected gradient, at a minimiser of the face */
enum {
    STUCK = 2,             /* pivots without a step before the kinks are perturbed */
    REFUSE_STEPS = 5,      /* of Newton's method */
    REFUSE_WIDTHS = 5,     /* smoothing widths that are tried: the length of b says little if one row stands for many */
    REFRESH_PIVOTS = 60,   /* pivots after which offsets and gradient of separable losses are recomputed */
    RECOMPUTE_PIVOTS = 16, /* the same for the maximum, where each pivot changes all rows */
    KINK_PIVOTS = 60,      /* the most pivots: this many, ... */
    LEVEL_PIVOTS = 100,    /* ... for the maximum this many, ... */
    COLUMN_PIVOTS = 20,    /* ... plus this many for each column: several times what a cold start takes */
    SAMPLES = 32,          /* breakpoints in the sample that estimates where a line search ends, ... */
    SAMPLES_BEYOND = 3,    /* ... and how far beyond that estimate to look */
    CRASH_SPARE = 4        /* a start considers k + k / CRASH_SPARE + CRASH_SPARE kinks for k columns */
};
/* The search for the smoothing width of a refusal: the largest factor by which it grows in one step, the smallest by
 * which it shrinks, and the range of factors that is close enough to stop. */
#define REFUSE_MOVE 4.0
#define REFUSE_DROP (1.0 / 64)
#define REFUSE_NEAR 0.7
#define REFUSE_BEYOND 1.4
#define REFUSE_RIDGE 1e-9 /* of the trace of the Hessian, added to make it factorisable */

/* ---- newton ------------------------------------------------------------------------------------------------------ */

#define NEWTON_ENOUGH 1e-13 /* relative to |F|: a predicted decrease of this size is rounding */
/* H is formed anew after a chord step that leaves more than this share of the Newton decrement, ... */
#define NEWTON_SLOW 0.25
#define NEWTON_QUICK 4 /* ... or after which more than this many steps seem to be left, ... */
/* ... plus one for every 32 columns (chosen on logistic and huber, 1000 x 5000 with 50 columns) */
#define NEWTON_DEAR 32
/* times the decrement of a slow step: a bound is released before the minimum of the face if it is worth more */
#define NEWTON_DWARFED 100
/* of the predicted decrease: a full step that achieves it is taken without a line search */
#define NEWTON_SUFFICIENT 1e-3
/* This share of the wider curvature is added to W, so that H stays regular where rows are beyond a break */
#define NEWTON_NEARLY_FLAT 1e-6
#define NEWTON_DEPENDENCE 1e-9 /* pivots below this share of their diagonal entry call for an orthogonal factor */
/* relative to |F|: a predicted decrease that changes x by less than its tenth digit */
#define NEWTON_SHARP 1e-19
#define NEWTON_FAR_OUT 1e6 /* |x| from which the next test is made: ... */
/* ... whether the rounding of A x exceeds this share of F. 1e-6 stops fits of near duplicates whose coefficients are
 * useful (2 of 792 fits of test_fit_proof); rays reach |x| = 1e17, where the ratio is 10 and more. */
#define NEWTON_DROWNED 1e-3
/* Relative to x: a residual this far beyond a break is beyond it in spite of the rounding of A x */
#define NEWTON_BEYOND 0x1p-20
#define NEWTON_CANCELS 1e-9 /* relative to the terms of p'd: a sum below this is rounding */
/* Relative to the curvature of the columns of d: a curvature along d below this is rounding */
#define NEWTON_STRAIGHT 1e-24
#define NEWTON_FAR_AWAY 1e12 /* relative to 1 + |x|: how far x is moved where F decreases without limit */
enum { MOST_STEPS = 200, LINE_STEPS = 25, LINE_TRIES = 4, IDLE = 3, SHARPENING = 4 };
/* Relative to |F|: if a step predicts a larger decrease and does not achieve it, rounding is not the reason */
#define NEWTON_TRUSTED 1e-11
/* relative to |F|: a resting column that predicts a smaller decrease may stay out of the factor */
#define NEWTON_BLIND 1e-9
/* Relative to |F|: a predicted decrease this large comes only from the small curvature beyond the breaks */
#define NEWTON_WILD 0.1
#define NEWTON_IDLE_GAP 1e-9 /* relative: the gap above which a ray is looked for when steps make no progress */
/* the factor by which rho is first reduced, or changed while it is bounded on one side only */
#define LENGTH_STEP 100.0
/* With bounds: additional steps to MOST_STEPS for each column; and the divisor of the reach of a line between tries. */
enum { BOUND_STEPS = 10, LINE_NEARER = 64 };
enum { LINE_USUAL = 5 };     /* typical steps of a line search, for fit_spent */
#define FACE_DEPENDENT 1e-14 /* pivots below this share of their diagonal entry are rounding */
/* Relative to the column that moves: smaller changes of other columns are rounding */
#define FACE_ROUNDING 1e-10
#define LENGTH_ROOT 1e-11 /* tolerance of | ||u|| - 1 | at the end of l2 */
/* Relative to |F(0)|: below this the direction of a residual is rounding; also the least rho for which H is accurate */
#define LENGTH_VANISHED 1e-8
enum { MOST_ROOTS = 60, LENGTH_ROUNDS = 3 };
/* relative to its length: a column with less left after projection onto the others depends on them */
#define QR_VANISHED 1e-13
/* the most numbers of a basis that is taken at once with the other arrays: 8 MiB */
#define MOST_AT_ONCE (INT64_C(1) << 20)

/* ---- interior ---------------------------------------------------------------------------------------------------- */

#define INTERIOR_GAP 1e-10    /* stop at this relative gap, ... */
#define INTERIOR_ENOUGH 1e-8  /* ... at this one if rounding keeps it from falling, ... */
#define INTERIOR_MAX_STEPS 60 /* ... or after this many steps */
#define INTERIOR_PASSES 4     /* the most solves per direction: one, and others for the remaining residual */
#define INTERIOR_FAR 1e-5     /* a gap above this is not due to rounding */
/* relative to ||b|| / ||a_j||: the longest first steps, unless the system is singular */
#define INTERIOR_FURTHEST 1e12
#define INTERIOR_DAMPING 0.995 /* steps go this share of the way to the boundary, as is usual since Mehrotra */
/* The centring parameter where the iteration cycles: in the middle of the usual range */
#define INTERIOR_CENTRING 0.2
/* the factor by which the target of the complementarity products rises where rounding prevents progress */
#define INTERIOR_LESS_LOW 3
#define INTERIOR_LEAST 1e-6 /* relative to the first complementarity: the least to which a start is centred */
#define INTERIOR_SAME 1e-13 /* relative to |F|: an F higher by less counts as the same */
/* Relative to the terms of the gradient: how large a gradient that counts as zero may be, ... */
#define INTERIOR_ROUNDING 1e-9
#define INTERIOR_REACH 10.0   /* ... and by how many times its own size d is assumed to move along it */
#define INTERIOR_LEFT 0x1p-50 /* relative to the terms: an equation with a smaller residual holds */
/* Slacks and multipliers stay above this, so that their products do not underflow */
#define INTERIOR_POSITIVE 1e-280
#define INTERIOR_WEIGHT 1e-250 /* the same for the inverse of a row's weight */
enum { CIRCLE = 4 };
/* Relative to the width between the bounds, or to the size of a coefficient: the distance of the start from a bound */
#define INTERIOR_INSIDE 0.1
#define REGULARISATION 1e-15
#define MORE_REGULARISATION 100 /* the factor by which regularisation grows when a factorisation fails ... */
#define MOST_REGULARISATION 1e3 /* ... up to this factor */
#define SYSTEM_REFINEMENTS 4

/* ---- certificate ------------------------------------------------------------------------------------------------- */

#define CERTIFICATE_WIDE 16     /* the most room that a row may use, in units of its room at the edge */
#define CERTIFICATE_ENOUGH 1e-9 /* relative to |F|: a gap that needs no further reduction */
/* How far u is shrunk towards the interior of dom h*; the next value is tried if the last one did not prove
 * CERTIFICATE_ENOUGH. */
#define CERTIFICATE_SHRINKS                                                                                            \
    { 0x1p-40, 0x1p-30, 0x1p-22 }
/* A correction that leaves more than this share of the previous defect is the last one. */
#define CORRECTION_PAYS 0.25
#define CERTIFICATE_CHEAP 1e-13 /* relative to |F|: a column whose slope costs more than this is pinned */
#define CERTIFICATE_TERM 0x1p10 /* how much more readily the tangent of phi moves than u, where u has no room */
enum { CERTIFICATE_ROUNDS = 4, CORRECTIONS = 3 };
/* Relative to its length: a column with less left after projection onto others may depend on them exactly */
#define DIRECTION_VANISHED 1e-12
#define DIRECTION_GRID 0x1p10 /* coefficients of an exact dependence are multiples of 1 / (q GRID), q <= MOST_PARTS */
enum { MOST_PARTS = 24 };
/* relative to a unit of the grid: a number this close to a multiple counts as that multiple */
#define DIRECTION_OFF 1e-3
/* SHIFT: the first diagonal shift under which a factor proves the least eigenvalue; each next one is divided by
 * SMALLER. FORCE: the first shift that makes a matrix definite; each next one is multiplied by MORE_FORCE. */
#define DIRECTION_SHIFT 0x1p-4
#define DIRECTION_FORCE 0x1p-46
enum { DIRECTION_SMALLER = 64, DIRECTION_MORE_FORCE = 16 };
#define LEAST_SQUARE 1e-250 /* products below may have lost digits to underflow */

/* ---- back from far out (shorten.c): logistic fits with a column of 100 and 100 + 10^-2 .. 100 + 10^-10 ------ */

#define SHORTEN_LOST 1e-7      /* of F in the frame, by which F from the raw data is higher, ... */
#define SHORTEN_LOST_ZERO 1e-9 /* ... and of F(0)                                                */
#define SHORTEN_FACTOR 0x1p-4  /* of a box, for the next                                         */
enum { SHORTEN_BOXES = 16 };

#endif
