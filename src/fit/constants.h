/*
 * The constants of the fits. Most are about rounding and follow from it: their size is said, not where they were tried,
 * because within two powers of ten nothing changes. Those about speed name the data they were chosen on. What counts
 * operations and bytes (fit_work, fit_bytes) stands in the engines: it is counted, not chosen.
 */
#ifndef SPGM_FIT_CONSTANTS_H
#define SPGM_FIT_CONSTANTS_H

/* ---- what every engine keeps ------------------------------------------------------------------------------------- */

#define FIT_PERFECT 1e-14   /* of |F(0)|: a fit that is perfect */
#define FIT_SMALL 1e-6      /* of |F(0)|: beside an F below it, relative gaps are not relative   */
#define FIT_SMALL_GOOD 1e-3 /* the same where a fit is called good, or proven: nobody needs more digits of it */
#define FIT_ROW_WORK 50     /* multiplications that an exponential or a conjugate of a row takes, about: fit_spent */

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
#define SLOPE_ROUNDING 1e-9 /* of ||a_j|| ||u||: a slope that may be none */
#define SLOPE_REACH 10.0    /* of ||b|| / ||a_j|| + |x_j|: how far x_j is thought to go along such a slope           */
#define LIST_PAYS 0.8       /* of the entries: with more stored ones, three operations each, lists are slower       */
#define KINK_DEPENDENT 1e-9 /* of its length: what is left of the normal of a kink beside the active ones */
#define CRASH_INDEPENDENT 1e-2 /* the same of those a start is made of: a well conditioned one */
#define RELEASE_ROUNDING 1e-10 /* beyond its slopes, in units of them: a multiplier that is not wrong */
#define FACE_VANISHED 1e-13    /* of the gradient in units of the slopes: none                                       */
/* The active set of the maximum: multipliers add up to 1. */
#define LEVEL_START 1e-6          /* as KINK_DEPENDENT, of the rows that a warm start takes over                      */
#define LEVEL_DEPENDENT 1e-10     /* and of a row that comes in */
#define LEVEL_NEGATIVE 1e-12      /* a multiplier that is not negative, ...                                           */
#define LEVEL_UNSOUND 1e-7        /* ... and one that shows that rounding has the upper hand                          */
#define LEVEL_RATE 1e-13          /* at which a multiplier does not move                                              */
#define LEVEL_STRAIGHT 1e-18      /* of its square: what is left of a normal that is no direction                     */
#define LEVEL_GAP 1e-11           /* of F: a residual above the level by less is at it, ...                           */
#define LEVEL_GAP_OF_TARGET 1e-14 /* ... or by less than this of the largest |b_i| */
#define LEVEL_WRONG 1e-9          /* the same of a row that is active already: above, the search has lost its way     */
#define LEVEL_WRONG_OF_TARGET 1e-13
#define STANDING 1e-12       /* of x: a step that is none */
#define FACE_TOLERANCE 1e-10 /* of the projected gradient at a minimiser of the face */
enum {
    STUCK = 2,           /* pivots that stand still                                                                  */
    REFUSE_STEPS = 5,    /* of Newton's method                                                                       */
    REFUSE_WIDTHS = 5,   /* tried for that: the length of b says little where a row stands for many */
    REFRESH_PIVOTS = 60, /* offsets and gradient of separable losses are recomputed this often                       */
    RECOMPUTE_PIVOTS = 16, /* those of the maximum, whose every pivot moves all rows                                  */
    KINK_PIVOTS = 60,      /* at most for no column, ...                                                              */
    LEVEL_PIVOTS = 100,    /* ... of the maximum, ...                                                                 */
    COLUMN_PIVOTS = 20,    /* ... and for each: several times what a cold start takes                                 */
    SAMPLES = 32,          /* breakpoints that tell about where a line ends, ...                                      */
    SAMPLES_BEYOND = 3,    /* ... and how far to go on                                                                */
    CRASH_SPARE = 4        /* one in so many more kinks than columns are looked at for a start, and so many           */
};
/* The search for a width: how far it goes at once, how far down, and when it is near enough. */
#define REFUSE_MOVE 4.0
#define REFUSE_DROP (1.0 / 64)
#define REFUSE_NEAR 0.7
#define REFUSE_BEYOND 1.4
#define REFUSE_RIDGE 1e-9 /* of the trace of the Hessian, so that it has a factor */

/* ---- newton ------------------------------------------------------------------------------------------------------ */

#define NEWTON_ENOUGH 1e-13 /* of |F|: a predicted decrease that is rounding                                      */
#define NEWTON_SLOW 0.25    /* a chord step that leaves more than this part of the decrement asks for a new H, ... */
#define NEWTON_QUICK 4      /* ... and so does one after which more steps than this are left, and ...             */
#define NEWTON_DEAR 32      /* ... one more for so many columns (logistic and huber, 1000 x 5000 with 50 columns) */
#define NEWTON_DWARFED 100  /* times the decrement of a slow step: what a bound is worth that lets go early         */
#define NEWTON_SUFFICIENT 1e-3  /* of the predicted decrease, for a full step to be taken without a line search */
#define NEWTON_NEARLY_FLAT 1e-6 /* of the wider curvature is added to W, so that rows beyond a break keep H regular */
#define NEWTON_DEPENDENCE 1e-9  /* pivots below this part of their diagonal entry call for an orthogonal factor  */
#define NEWTON_SHARP 1e-19      /* of |F|: a predicted decrease that moves x by less than its tenth digit             */
#define NEWTON_FAR_OUT 1e6      /* x from which on it is asked ...                                        */
/* ... whether the rounding of A x is above this part of F: 1e-6 holds back near duplicates, whose coefficients are of
 * use (2 of 792 fits of test_fit_proof); rays go to 1e17 of x, where it is 10 and more. */
#define NEWTON_DROWNED 1e-3
#define NEWTON_BEYOND 0x1p-20 /* of x: how far beyond a break is beyond the rounding of A x   */
#define NEWTON_CANCELS 1e-9   /* of the terms of p'd: what is left of them is rounding                              */
#define NEWTON_STRAIGHT 1e-24 /* of the curvature of the columns of d: what is left of it is rounding               */
#define NEWTON_FAR_AWAY 1e12  /* times 1 + |x|, where F falls without end                                           */
enum { MOST_STEPS = 200, LINE_STEPS = 25, LINE_TRIES = 4, IDLE = 3, SHARPENING = 4 };
#define NEWTON_TRUSTED 1e-11 /* of |F|: above it, a step that promises so much and does not hold it was no rounding */
#define NEWTON_BLIND 1e-9    /* of |F|: what a column at rest must promise, or the factor may go on without it      */
#define NEWTON_WILD 0.1      /* of |F|: a fall that the curvature beyond breaks alone makes                          */
#define NEWTON_IDLE_GAP 1e-9 /* relative: where steps bring nothing, a ray is looked for */
#define LENGTH_STEP 100.0    /* times: how far rho falls at once, or moves where it has one bound only               */
enum { BOUND_STEPS = 10, LINE_NEARER = 64 }; /* more for each column with bounds; between tries of a line            */
enum { LINE_USUAL = 5 };                     /* steps of a line, for fit_spent */
#define FACE_DEPENDENT 1e-14                 /* pivots below this part of their diagonal entry are rounding */
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
#define INTERIOR_DAMPING 0.995 /* of the way to the boundary, as usual since Mehrotra */
#define INTERIOR_CENTRING 0.2  /* of the complementarity, where steps go in circles: the middle of what is usual     */
#define INTERIOR_LESS_LOW 3    /* the aim rises by this factor where rounding is in the way                          */
#define INTERIOR_LEAST 1e-6    /* of the first complementarity: what a start is centred at, at least                 */
#define INTERIOR_SAME 1e-13    /* of |F|: a higher one is the same                                                   */
#define INTERIOR_ROUNDING 1e-9 /* of the terms of the gradient: what may be left of it where it vanishes, ... */
#define INTERIOR_REACH 10.0    /* ... and how many times its own size d may have along it                            */
#define INTERIOR_LEFT 0x1p-50  /* of the terms: an equation that holds                                               */
#define INTERIOR_POSITIVE 1e-280 /* what slacks and multipliers do not fall below: their products are numbers */
#define INTERIOR_WEIGHT 1e-250   /* the same of the inverse of a row's weight                                        */
enum { CIRCLE = 4 };
#define INTERIOR_INSIDE 0.1 /* of the width, or of the size of a coefficient: how far from a bound the start is */
#define REGULARISATION 1e-15
#define MORE_REGULARISATION 100 /* times as much, where a factor fails ... */
#define MOST_REGULARISATION 1e3 /* ... up to here */
#define SYSTEM_REFINEMENTS 4

/* ---- certificate ------------------------------------------------------------------------------------------------- */

#define CERTIFICATE_WIDE 16     /* room that a row may use, in units of what it has at the edge                       */
#define CERTIFICATE_ENOUGH 1e-9 /* of |F|: a gap that is small enough */
/* How far u is drawn in; the next one is tried where the last proved less than CERTIFICATE_ENOUGH. */
#define CERTIFICATE_SHRINKS                                                                                            \
    { 0x1p-40, 0x1p-30, 0x1p-22 }
#define CORRECTION_PAYS 0.25    /* of what was left before: a correction that brings less is the last one */
#define CERTIFICATE_CHEAP 1e-13 /* of |F|: what a column may cost before it is pinned */
#define CERTIFICATE_TERM 0x1p10 /* rows of phi to rows of A: how much rather the tangent moves than u */
enum { CERTIFICATE_ROUNDS = 4, CORRECTIONS = 3 };
#define DIRECTION_VANISHED 1e-12 /* of its length: what is left of a column that may depend on others exactly */
#define DIRECTION_GRID 0x1p10 /* coefficients of an exact dependence are multiples of 1 / (q GRID), q <= MOST_PARTS */
enum { MOST_PARTS = 24 };
#define DIRECTION_OFF 1e-3 /* of a unit of the grid: a multiple that is one but for rounding */
/* Shifts of the diagonal under which a factor proves the least eigenvalue, the largest first, in steps; and those that
 * make a matrix definite, the smallest first. */
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
