/*
 * The constants of the fits. Most are about rounding and follow from it: their size is said, not where they were tried,
 * because within two powers of ten nothing changes. Those about speed name the data they were chosen on. What counts
 * operations and bytes (fit_work, fit_bytes) stands in the engines: it is counted, not chosen.
 */
#ifndef SPGM_FIT_CONSTANTS_H
#define SPGM_FIT_CONSTANTS_H

/* ---- what every engine keeps ------------------------------------------------------------------------------------- */

#define FIT_PERFECT 1e-14   /* relative to |F(0)|: F below this is a perfect fit */
#define FIT_SMALL 1e-6      /* relative to |F(0)|: gaps are measured against this where |F| is below it */
#define FIT_SMALL_GOOD 1e-3 /* the same, for calling a fit good or proven: nobody needs more digits of it */
#define FIT_ROW_WORK 50     /* multiplications that an exponential or a conjugate of a row counts as in fit_spent */

/* The copy of a support's columns, where those of A lie apart (block.c): doubles that are always allowed, and the part
 * of the data that is. */
#define FIT_BLOCK_ROOM 8388608.0
#define FIT_BLOCK_SHARE 0.125
/* Of a mapped file this part is allowed, where it has at least FIT_MAPPED_COLUMNS columns; with fewer, vectors over
 * rows (36, interior) are 5 % of it anyway, and are lent (spgm_memory). */
#define FIT_BLOCK_SHARE_MAPPED 0.03
#define FIT_MAPPED_COLUMNS 720

/* ---- columns that nearly depend on each other (basis.c) ---------------------------------------------------------- */

/* What is left of a column beside the others, of its length. An engine copes with more than NEARLY; less than VANISHED
 * is rounding in all but contrived data, and coefficients of 1 / VANISHED would leave F no digits. */
#define BASIS_NEARLY 1e-4
#define BASIS_VANISHED 1e-12
#define BASIS_REFINEMENTS 2
#define BASIS_ROUNDS 8 /* fits, each with a bound that the last one left */

/* ---- vertex ------------------------------------------------------------------------------------------------------ */

/* Weight of the proximal term, relative to the curvature that a column has if every row is bent */
#define PROXIMAL_WEIGHT 1e-6
#define PROXIMAL_ROUNDS 8
#define PROXIMAL_FURTHEST 1e15 /* the furthest that proximal steps go, where F has no curvature of its own */
/* Relative: with less left of an active normal beside the others, basis.c looks at the columns. */
#define DOUBTFUL 1e-3
#define LIST_DENSITY 0.25 /* lists of nonzeros are kept where less than this share of A is stored */
/* Entries of the rows that are kept, 8 MiB and with lists 20: beyond, A is read where it is. On 40,000 x 150 dense with
 * 30 columns a search is then no slower (l1 9 s for 13, linf 7 for 14), on 100,000 x 50,000 sparse with 300 faster. */
#define MOST_KEPT (INT64_C(1) << 20)
/* SHORT_ROW: up to so many entries rows are too short for the kernels, and columns are kept beside them: 500 x 7, an
 * image 1.6 us to 0.3. SHORT_ROOM: the same up to 1 MiB of columns, which stay in the cache: searches with 20 and 30
 * columns of 300 rows take 0.70 of the time for l1 and 0.76 for linf, with 40 of 256 0.78 and 0.80 (generated data; F
 * is the same). */
#define SHORT_ROW 32
#define SHORT_ROOM (INT64_C(1) << 17)
/* Part of the distance to the cutoff that smoothing the kinks may cost in a refusal (refuse.c) */
#define REFUSE_SHARE 0.3
/* The same at a later step: where smoothing costs more than this part of the distance, it is narrowed. 500 x 30,
 * copies, 12 seeds, with 5 steps: 0.3, 0.5 and 0.7 within 2 %; with 3 steps no gain. */
#define REFUSE_MOST 0.7
/* Where many kinks meet in a point pivots stand still. After STUCK of them the kinks are moved apart by SCATTERED times
 * the root mean square of b: hinge on 500 x 30 columns of 0 and 1, ten seeds: 379 ms to 95; after 0 121, after 4 144.
 */
#define SCATTERED 1e-7
#define SLOPE_ROUNDING 1e-9 /* relative to ||a_j|| ||u||: a slope below this may be zero */
#define SLOPE_REACH 10.0    /* relative to ||b|| / ||a_j|| + |x_j|: how far x_j is taken to go along such a slope */
#define LIST_PAYS 0.8 /* with more than this part of the entries stored, three operations each, lists are slower */
/* Relative to its length: with less left beside the active normals, the normal of a kink depends on them */
#define KINK_DEPENDENT 1e-9
#define CRASH_INDEPENDENT 1e-2 /* the same for the kinks of a start, which should be well conditioned */
#define RELEASE_ROUNDING 1e-10 /* relative to its slopes: a multiplier that is beyond them by less counts as right */
#define FACE_VANISHED 1e-13    /* a gradient below this, in units of the slopes, counts as zero */
/* The active set of the maximum: multipliers add up to 1. */
#define LEVEL_START 1e-6          /* as KINK_DEPENDENT, for the rows that a warm start takes over */
#define LEVEL_DEPENDENT 1e-10     /* and for a row that comes in */
#define LEVEL_NEGATIVE 1e-12      /* a multiplier above minus this counts as not negative, ... */
#define LEVEL_UNSOUND 1e-7        /* ... and one below minus this shows that rounding has the upper hand */
#define LEVEL_RATE 1e-13          /* a multiplier that moves at a lower rate counts as fixed */
#define LEVEL_STRAIGHT 1e-18      /* relative to its square: with less left of a normal there is no direction */
#define LEVEL_GAP 1e-11           /* relative to F: a residual above the level by less is at it, ... */
#define LEVEL_GAP_OF_TARGET 1e-14 /* ... or by less than this of the largest |b_i| */
/* The same for an active row: one that is further off shows that the iteration has lost its way */
#define LEVEL_WRONG 1e-9
#define LEVEL_WRONG_OF_TARGET 1e-13
#define STANDING 1e-12       /* relative to x: a shorter step counts as none */
#define FACE_TOLERANCE 1e-10 /* of the projected gradient, at a minimiser of the face */
enum {
    STUCK = 2,             /* pivots without a step before kinks are moved apart */
    REFUSE_STEPS = 5,      /* of Newton's method */
    REFUSE_WIDTHS = 5,     /* widths that are tried: the length of b says little where a row stands for many */
    REFRESH_PIVOTS = 60,   /* offsets and gradient of separable losses are recomputed this often */
    RECOMPUTE_PIVOTS = 16, /* the same for the maximum, whose every pivot moves all rows */
    KINK_PIVOTS = 60,      /* pivots at most: so many, ... */
    LEVEL_PIVOTS = 100,    /* ... for the maximum so many, ... */
    COLUMN_PIVOTS = 20,    /* ... and so many more for each column: several times what a cold start takes */
    SAMPLES = 32,          /* breakpoints whose sample tells about where a line ends, ... */
    SAMPLES_BEYOND = 3,    /* ... and how far to go on */
    CRASH_SPARE = 4        /* a start looks at kinks in excess of the columns: 1 / so many of them, and so many */
};
/* The search for the smoothing width of a refusal: the factor by which it moves at once, how far it may drop, and
 * between which factors of the aim it is near enough. */
#define REFUSE_MOVE 4.0
#define REFUSE_DROP (1.0 / 64)
#define REFUSE_NEAR 0.7
#define REFUSE_BEYOND 1.4
#define REFUSE_RIDGE 1e-9 /* of the trace of the Hessian, so that it has a factor */

/* ---- newton ------------------------------------------------------------------------------------------------------ */

#define NEWTON_ENOUGH 1e-13 /* relative to |F|: a predicted decrease that is rounding */
/* A chord step that leaves more than this part of the decrement makes H be formed anew, ... */
#define NEWTON_SLOW 0.25
#define NEWTON_QUICK 4     /* ... and so does one after which more than so many steps seem to be left, and ... */
#define NEWTON_DEAR 32     /* ... one more for each so many columns (logistic and huber, 1000 x 5000 with 50 columns) */
#define NEWTON_DWARFED 100 /* times the decrement of a slow step: what a bound that is released early must be worth */
#define NEWTON_SUFFICIENT 1e-3 /* of the predicted decrease, for a full step to be taken without a line search */
/* This part of the wider curvature is added to W, so that rows beyond a break keep H regular */
#define NEWTON_NEARLY_FLAT 1e-6
#define NEWTON_DEPENDENCE 1e-9 /* pivots below this part of their diagonal entry call for an orthogonal factor */
#define NEWTON_SHARP 1e-19     /* relative to |F|: a predicted decrease that moves x by less than its tenth digit */
#define NEWTON_FAR_OUT 1e6     /* |x| from which on it is asked ... */
/* ... whether the rounding of A x is above this part of F: 1e-6 holds back near duplicates, whose coefficients are of
 * use (2 of 792 fits of test_fit_proof); rays go to 1e17 of x, where it is 10 and more. */
#define NEWTON_DROWNED 1e-3
/* Relative to x: a residual this far beyond a break is beyond it whatever the rounding of A x */
#define NEWTON_BEYOND 0x1p-20
#define NEWTON_CANCELS 1e-9 /* relative to the terms of p'd: a sum below this is rounding */
/* Relative to the curvature of the columns of d: a curvature along d below this is rounding */
#define NEWTON_STRAIGHT 1e-24
#define NEWTON_FAR_AWAY 1e12 /* relative to 1 + |x|: how far x goes where F falls without end */
enum { MOST_STEPS = 200, LINE_STEPS = 25, LINE_TRIES = 4, IDLE = 3, SHARPENING = 4 };
/* Relative to |F|: a step that promises more than this and does not keep it is not explained by rounding */
#define NEWTON_TRUSTED 1e-11
#define NEWTON_BLIND 1e-9 /* relative to |F|: a column at rest that promises less may stay out of the factor */
/* Relative to |F|: a predicted fall this large comes from the small curvature beyond breaks alone */
#define NEWTON_WILD 0.1
#define NEWTON_IDLE_GAP 1e-9 /* relative: where steps bring nothing, a ray is looked for */
#define LENGTH_STEP 100.0    /* the factor by which rho falls at once, or moves where it has one bound only */
/* Steps besides MOST_STEPS for each column, where there are bounds; what the reach of a line is divided by between
 * tries. */
enum { BOUND_STEPS = 10, LINE_NEARER = 64 };
enum { LINE_USUAL = 5 };     /* steps of a line, for fit_spent */
#define FACE_DEPENDENT 1e-14 /* pivots below this part of their diagonal entry are rounding */
/* Relative to the column that moves: a smaller part of another one that moves with it is rounding */
#define FACE_ROUNDING 1e-10
#define LENGTH_ROOT 1e-11 /* | ||u|| - 1 | at the end of l2 */
/* Relative to |F(0)|: below this the direction of a residual is rounding; and the least rho at which H has digits */
#define LENGTH_VANISHED 1e-8
enum { MOST_ROOTS = 60, LENGTH_ROUNDS = 3 };
#define QR_VANISHED 1e-13 /* relative to its length: a column with less left beside the others depends on them */
#define MOST_AT_ONCE (INT64_C(1) << 20) /* numbers of a basis up to which it is taken at once, with the rest: 8 MiB */

/* ---- interior ---------------------------------------------------------------------------------------------------- */

#define INTERIOR_GAP 1e-10     /* stop at this relative gap, ... */
#define INTERIOR_ENOUGH 1e-8   /* ... at this one when rounding keeps it from falling, ... */
#define INTERIOR_MAX_STEPS 60  /* ... or after this many steps */
#define INTERIOR_PASSES 4      /* most solves per direction: one, and others for what rounding left */
#define INTERIOR_FAR 1e-5      /* a gap above this is not due to rounding */
#define INTERIOR_FURTHEST 1e12 /* relative to ||b|| / ||a_j||: how far the first steps go, but for singular systems */
#define INTERIOR_DAMPING 0.995 /* steps go this part of the way to the boundary, as usual since Mehrotra */
/* The aim relative to the complementarity, where steps go in circles: the middle of what is usual */
#define INTERIOR_CENTRING 0.2
#define INTERIOR_LESS_LOW 3 /* the aim rises by this factor where rounding is in the way */
#define INTERIOR_LEAST 1e-6 /* relative to the first complementarity: the least that a start is centred at */
#define INTERIOR_SAME 1e-13 /* relative to |F|: an F higher by less counts as the same */
/* Relative to the terms of the gradient: what may be left of a gradient that counts as zero, ... */
#define INTERIOR_ROUNDING 1e-9
#define INTERIOR_REACH 10.0   /* ... and how many times its own size d is taken to have along it */
#define INTERIOR_LEFT 0x1p-50 /* relative to the terms: an equation with less left over holds */
/* Slacks and multipliers do not fall below this, so that their products do not underflow */
#define INTERIOR_POSITIVE 1e-280
#define INTERIOR_WEIGHT 1e-250 /* the same for the inverse of a row's weight */
enum { CIRCLE = 4 };
/* Relative to the width, or to the size of a coefficient: how far from a bound the start is */
#define INTERIOR_INSIDE 0.1
#define REGULARISATION 1e-15
#define MORE_REGULARISATION 100 /* times as much, where a factor fails ... */
#define MOST_REGULARISATION 1e3 /* ... up to here */
#define SYSTEM_REFINEMENTS 4

/* ---- certificate ------------------------------------------------------------------------------------------------- */

#define CERTIFICATE_WIDE 16     /* room that a row may use, in units of what it has at the edge */
#define CERTIFICATE_ENOUGH 1e-9 /* relative to |F|: a gap that is small enough */
/* How far u is drawn in; the next one is tried where the last proved less than CERTIFICATE_ENOUGH. */
#define CERTIFICATE_SHRINKS                                                                                            \
    { 0x1p-40, 0x1p-30, 0x1p-22 }
/* A correction that leaves more than this part of what was left before is the last one. */
#define CORRECTION_PAYS 0.25
#define CERTIFICATE_CHEAP 1e-13 /* relative to |F|: a column that costs more is pinned */
#define CERTIFICATE_TERM 0x1p10 /* how much more readily the tangent of phi moves than u, where u has no room */
enum { CERTIFICATE_ROUNDS = 4, CORRECTIONS = 3 };
/* Relative to its length: a column with less left beside others may depend on them exactly */
#define DIRECTION_VANISHED 1e-12
#define DIRECTION_GRID 0x1p10 /* coefficients of an exact dependence are multiples of 1 / (q GRID), q <= MOST_PARTS */
enum { MOST_PARTS = 24 };
#define DIRECTION_OFF 1e-3 /* relative to a unit of the grid: a number this near to a multiple counts as one */
/* SHIFT: the first shift of the diagonal under which a factor proves the least eigenvalue; each next one is SMALLER
 * times as small. FORCE: the first shift that makes a matrix definite; each next one is MORE_FORCE times as large. */
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
