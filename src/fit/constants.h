/*
 * The constants of the fits. Most are about rounding and follow from it: their size is said, not where they were tried,
 * because within two powers of ten nothing changes. Those about speed name the data they were chosen on.
 */
#ifndef SPGM_FIT_CONSTANTS_H
#define SPGM_FIT_CONSTANTS_H

/* ---- what every engine keeps ------------------------------------------------------------------------------------- */

#define FIT_PERFECT 1e-14 /* of |F(0)|: a fit that is perfect */
#define FIT_ROW_WORK 50   /* multiplications that an exponential or a conjugate of a row takes, about: fit_spent */

/* Of the columns of a support, where those of A lie apart (block.c): doubles whatever the data, and of the data. */
#define FIT_BLOCK_ROOM 8388608.0
#define FIT_BLOCK_SHARE 0.125
#define FIT_BLOCK_SHARE_MAPPED 0.03 /* of a mapped file, and no more, where it has as many columns: */
#define FIT_MAPPED_COLUMNS                                                                                             \
    720 /* beside fewer, vectors over rows (36, interior) are 5 % anyway, and are lent (spgm_memory) */

/* ---- columns that nearly depend on each other (basis.c) ---------------------------------------------------------- */

/* What is left of a column beside the others, of its length. An engine copes with more than NEARLY; less than VANISHED
 * is rounding in all but contrived data, and coefficients of 1 / VANISHED would leave F no digits. */
#define BASIS_NEARLY 1e-4
#define BASIS_VANISHED 1e-12
#define BASIS_REFINEMENTS 2
#define BASIS_ROUNDS 8 /* fits, each with a bound that the last one left */

/* ---- vertex ------------------------------------------------------------------------------------------------------ */

#define PROXIMAL_WEIGHT 1e-6 /* of the proximal term, in units of the curvature a column has if every row is bent */
#define PROXIMAL_ROUNDS 8
#define PROXIMAL_FURTHEST 1e15 /* of proximal steps, where F has no curvature of its own */
#define DOUBTFUL 1e-3          /* what is left of an active normal beside the others, where columns are looked at     */
#define LIST_DENSITY 0.25      /* lists of nonzeros are kept where less than this share of A is stored                */
/* Entries of the rows that are kept, 8 MiB and with lists 20: beyond, A is read where it is. On 40,000 x 150 dense with
 * 30 columns a search is then no slower (l1 9 s for 13, linf 7 for 14), on 100,000 x 50,000 sparse with 300 faster. */
#define MOST_KEPT (INT64_C(1) << 20)
/* Up to so many entries the rows are too short for the kernels, and columns are kept beside them: 500 x 7, an image 1.6
 * us to 0.3. The same up to 1 MiB of columns, which stay in the cache: searches with 20 and 30 columns of 300 rows take
 * 0.70 of the time for l1 and 0.76 for linf, with 40 of 256 0.78 and 0.80 (generated data; F is the same). */
#define SHORT_ROW 32
#define SHORT_ROOM (INT64_C(1) << 17)
#define REFUSE_SHARE 0.3 /* of the distance to the cutoff: what rounding off kinks may cost where a fit is refused */
/* Of the distance at a later step: where rounding off costs more, it is narrowed. 500 x 30, copies, 12 seeds, with 5
 * steps: 0.3, 0.5 and 0.7 within 2 %; with 3 steps no gain. */
#define REFUSE_MOST 0.7
/* Where many kinks meet in a point pivots stand still, and after STUCK of them the kinks are moved apart, in parts of
 * the root mean square of b: hinge on 500 x 30 columns of 0 and 1, ten seeds: 379 ms to 95; after 0 121, after 4 144.
 */
#define SCATTERED 1e-7
#define STANDING 1e-12       /* of x: a step that is none */
#define FACE_TOLERANCE 1e-10 /* of the projected gradient at a minimiser of the face */
enum {
    STUCK = 2,            /* pivots that stand still                                                                  */
    REFUSE_STEPS = 5,     /* of Newton's method                                                                       */
    REFUSE_WIDTHS = 5,    /* tried for that: the length of b says little where a row stands for many */
    REFRESH_PIVOTS = 60,  /* offsets and gradient of separable losses are recomputed this often                       */
    RECOMPUTE_PIVOTS = 16 /* those of the maximum, whose every pivot moves all rows                                   */
};

/* ---- newton ------------------------------------------------------------------------------------------------------ */

#define NEWTON_ENOUGH 1e-13    /* of |F|: a predicted decrease that is rounding                                      */
#define NEWTON_SLOW 0.25       /* a chord step that leaves more than this part of the decrement asks for a new H, ... */
#define NEWTON_QUICK 4         /* ... and so does one after which more steps than this are left, and ...             */
#define NEWTON_DEAR 32         /* ... one more for so many columns (logistic and huber, 1000 x 5000 with 50 columns) */
#define NEWTON_SUFFICIENT 1e-3 /* of the predicted decrease, for a full step to be taken without a line search */
#define NEWTON_NEARLY_FLAT 1e-6 /* of the wider curvature is added to W, so that rows beyond a break keep H regular */
#define NEWTON_DEPENDENCE 1e-9  /* pivots below this part of their diagonal entry call for an orthogonal factor  */
#define NEWTON_SHARP 1e-19      /* of |F|: a predicted decrease that moves x by less than its tenth digit             */
#define NEWTON_BEYOND 0x1p-20   /* of x: how far beyond a break is beyond the rounding of A x   */
#define NEWTON_CANCELS 1e-9     /* of the terms of p'd: what is left of them is rounding                              */
#define NEWTON_STRAIGHT 1e-24   /* of the curvature of the columns of d: what is left of it is rounding               */
#define NEWTON_FAR_AWAY 1e12    /* times 1 + |x|, where F falls without end                                           */
enum { MOST_STEPS = 200, LINE_STEPS = 25, LINE_TRIES = 4, IDLE = 3, SHARPENING = 4 };
enum { LINE_USUAL = 5 };     /* steps of a line, for fit_spent */
#define FACE_DEPENDENT 1e-14 /* pivots below this part of their diagonal entry are rounding */
#define FACE_ROUNDING 1e-10  /* of the column that moves: how much of another one it takes with it for certain       */
#define LENGTH_ROOT 1e-11    /* | ||u|| - 1 | at the end of l2                                                        */
#define LENGTH_VANISHED 1e-8 /* of |F(0)|: a residual whose direction is rounding, and a rho at which H has digits */
enum { MOST_ROOTS = 60, LENGTH_ROUNDS = 3 };
#define QR_VANISHED 1e-13               /* of its length: what is left of a column that depends on the others         */
#define MOST_AT_ONCE (INT64_C(1) << 20) /* numbers of a basis that is taken with the rest: 8 MiB */

/* ---- interior ---------------------------------------------------------------------------------------------------- */

#define INTERIOR_GAP 1e-10    /* stop at this relative gap, ...                                                       */
#define INTERIOR_ENOUGH 1e-8  /* ... at this one when rounding keeps it from falling, ...  */
#define INTERIOR_MAX_STEPS 60 /* ... or after this many steps */
#define INTERIOR_PASSES 4     /* most solves per direction: one, and others for what rounding left                    */
#define INTERIOR_FAR 1e-5     /* a gap that rounding does not stop                                                    */
#define INTERIOR_FURTHEST 1e12 /* of ||b|| / ||a_j||: how far the first steps go, but for singular systems */
enum { CIRCLE = 4 };
#define INTERIOR_INSIDE 0.1 /* of the width, or of the size of a coefficient: how far from a bound the start is */
#define REGULARISATION 1e-15
#define SYSTEM_REFINEMENTS 4

/* ---- certificate ------------------------------------------------------------------------------------------------- */

#define CERTIFICATE_WIDE 16     /* room that a row may use, in units of what it has at the edge                       */
#define CERTIFICATE_ENOUGH 1e-9 /* of |F|: a gap that is small enough */
#define CERTIFICATE_CHEAP 1e-13 /* of |F|: what a column may cost before it is pinned */
#define CERTIFICATE_TERM 0x1p10 /* rows of phi to rows of A: how much rather the tangent moves than u */
enum { CERTIFICATE_ROUNDS = 4, CORRECTIONS = 3 };
#define DIRECTION_VANISHED 1e-12 /* of its length: what is left of a column that may depend on others exactly */
#define DIRECTION_GRID 0x1p10 /* coefficients of an exact dependence are multiples of 1 / (q GRID), q <= MOST_PARTS */
enum { MOST_PARTS = 24 };
#define LEAST_SQUARE 1e-250 /* products below may have lost digits to underflow */

#endif
