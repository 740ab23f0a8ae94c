/*
 * The constants of branch and bound, each with the data it was chosen on: generated problems of 100 to 500 rows and 20
 * to 100 columns, l1, quantile, linf and hinge, unless the comment says otherwise. README.md defines the terms (a pull
 * is the minimisation of F -+ tau x_j for bound tightening at the root) and the kinds of data. SAFE follows from
 * rounding; no other constant can make a bound wrong. Work is counted in multiplications.
 */
#ifndef SPGM_SEARCH_EXACT_CONSTANTS_H
#define SPGM_SEARCH_EXACT_CONSTANTS_H

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

enum { SLOTS = 8, DIVE = 6 }; /* nodes of a round; further nodes that the dive from each of them processes */
enum { MOST_AT_WORK = 400 };  /* most columns in a pool */
#define LEAST_GAP 5e-8        /* relative to the incumbent: a bound this near counts as equal to F */
#define SHRINK_WORK 4e8       /* most work of bound tightening at the root by ADMM */
#define PULL_WORK 1e10        /* the same by pulls.c */
#define SHRINK_WAIT 3         /* tightening by ADMM waits until the tree has taken so many times its work */
#define PULL_WAIT 2           /* the same for pulls.c: 1 is no slower at 500 x 30, 10 % slower at 100 x 20 */
#define SHRINK_PAYS 0.9       /* boxes are tightened again while the gap of the root falls below this share of it */
/* rho of ADMM for losses with kinks, relative to |dual| / |residual|: 0.03 to 0.1 within noise, 1 three times slower */
#define RHO_OF_KINKS 0.1
#define OPENING_WORK 5e9 /* after this work the tree stops once, and `auto` looks for a better incumbent */
#define FITS_DO 1e5      /* up to so many supports, fits alone may prove a problem without boxes */

/* pulls.c, bound tightening at the root. PULL_FIRST: strength of the first pull, relative to the norm of the dual
 * vector; the tilt is the strength divided by the standard error of x_j. PULL_NEAR: a pull is finished when the factor
 * by which its strength should change is between this and its inverse. PULL_DAMPING: added to the diagonal of the
 * Hessian, relative to it. PULL_SHARE: share of the slack below the cutoff that smoothing the kinks may cost.
 * PULL_BENT: rows in the smoothed part of their loss, as a multiple of the columns. PULL_BALANCED, PULL_NEARLY:
 * residual gradient relative to its terms: the aim, and the most with which a bound can still be made. */
#define PULL_FIRST 0.1
#define PULL_NEAR 0.6
#define PULL_DAMPING 1e-10
#define PULL_SHARE 0.2
#define PULL_BENT 1.5
#define PULL_BALANCED 1e-4
#define PULL_NEARLY 1e-3
/* Rows per column from which on pulls.c is used. With fewer rows, F over all columns is so low that ADMM, which knows
 * s, gives smaller boxes (100 x 100, quantile 0.9: 4329 nodes, 15670 with pulls.c). */
enum { PULL_TALL = 4 };
enum { PULL_TRIES = 3, PULL_STEPS = 15, PULL_USUAL = 6, PULL_HALVES = 4, PULL_WIDTHS = 30 };
enum { FEW_BARE = 8 }; /* up to so many columns without ridge and bounds, one dual vector gives a bound at once */
enum { SHRINK_ROUNDS = 4, ROOT_ROUNDS = 40, INCUMBENT_LEVELS = 3 };
enum { LEAST_ROUNDS = 8 }; /* fewer ADMM rounds at the root bring no more than the dual vector of the incumbent */

/* Fewer rows (rows.c). FEW_REACH: how near to a kink a row must come to be kept. 500 x 30, 15 seeds of normal,
 * correlated and heavy-tailed data: 1.25 to 1.5 within noise; 1 takes a quarter more nodes for linf, 2 a quarter more
 * time. FEW_ENOUGH: if more than this share of the rows is kept, the copy is not worth it. */
#define FEW_REACH 1.5
#define FEW_ENOUGH 0.7

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* The centre of dom h* by alternating projections, which end when CENTRE_LOOK of them leave more than CENTRE_STUCK of
 * the squared distance: separable labels, 100 x 20, logistic, 60 seeds: 20 ms to 17. */
#define CENTRE_STUCK 0.995
#define CENTRE_NEAR 1e-20 /* relative to the widths of dom h*: Newton decrement at which the centre is found */
enum { CENTRE_NEWTON = 30, CENTRE_HALVES = 20 };
enum { CENTRE_STEPS = 300, CENTRE_LOOK = 20, DOUBLINGS = 12, WIDEST = 4, FEW_WARM = 64 };
/* WIDEST: as a multiple of the rows, the columns that may have boxes. FEW_WARM: up to so many columns are fitted sooner
 * by pivots from the incumbent. */
/* Damping, added to the diagonal of the Gram matrix relative to it: the first value that works is taken, largest first,
 * since more damping gives smaller boxes. */
#define WELL_CONDITIONED 1e6 /* variance inflation up to which columns count as independent */
/* Largest e of boxes.c: the share of a column's box that slopes of other columns may take */
#define MOST_LEAK 0.9
#define DAMPINGS                                                                                                       \
    { 0.1, 0.03, 0.01, 1e-3, 1e-5 }

/* Columns without an end (endless.c). The loss that a finite box for them may cost, relative to the cutoff; the
 * |residual| that stands for infinity. */
#define ENDLESS_TAIL 1e-9
#define ENDLESS_FAR 1e30
enum { ENDLESS_DOUBLINGS = 12 };

/* ---- bounds of nodes --------------------------------------------------------------------------------------------- */

/* c of ADMM: the weight of the constraint z = x beside y = A x - b. 0.01 to 0.1 within noise, 1 far slower. 0.02 is a
 * tenth faster on diabetes64, s = 4, and doubles the nodes of 100 x 100, quantile 0.9. */
#define COUPLING 0.05
#define RELAXED 1.6  /* over-relaxation of ADMM */
#define STALLED 0.03 /* ADMM ends if PATIENCE rounds bring less than this share of the gap */
/* ADMM steps between two bounds. Smooth losses are near their bound after fewer steps: logistic, 500 x 30, 15 seeds, 31
 * ms to 28, neighbours 51 to 43; with kinks 5 steps take 5 to 15 % more nodes in the same time. */
enum { ITERATIONS = 10, SMOOTH_ITERATIONS = 5, PATIENCE = 2, PULLS = 2, MOST_COLUMNS = 3000 };
/* ADMM ends if HOPE times the gain of the last round, in every round that remains, would not reach the cutoff. 500 x
 * 30, s = 6, 15 seeds, 1 instead of 4: linf 16.0 ms to 15.7, with correlations of 0.6 43 to 39, hinge 20.6 to 19.8. 4
 * instead of no such rule: linf 38 to 35, logistic 21 to 19. */
#define HOPE 1
#define POOL_NEAR 0.7      /* columns with v_j above this share of the multiplier of the budget are in the pool */
enum { POOL_ENOUGH = 64 }; /* up to so many columns, all are in the pool */
enum {
    ROUNDS = 6,         /* ADMM rounds at a node */
    FEW_FITS = 30,      /* up to so many leaves, they are fitted before ADMM: most are refused, which costs little */
    FEW_LEFT = 1,       /* with at most so many units left, the fit of the columns that are in gives a dual vector */
    STRONG_DEPTH = 3,   /* strong branching above this depth */
    STRONG_FEW = 50,    /* no strong branching with so few columns: a tree of 30 columns takes no longer than that */
    STRONG_CHOICES = 8, /* units that strong branching tries */
    STRONG_ROUNDS = 2   /* ADMM rounds for each child of them */
};
/* Nodes with two units left (pairs.c): most open columns, and dual vectors that are kept. */
enum { PAIR_COLUMNS = 128, PAIR_VECTORS = 48 };
/* Most columns that are fitted together with one. Instructions on six problems of 500 x 30, s = 6: 4 takes 6 % less
 * than one at a time; hinge on columns of 0 and 1 with ties, three problems: 247, 233, 128 ms to 100, 127, 67. 6
 * instead of 4, since refusals take more steps, 72 problems: hinge 3 to 7 % less on columns of 0 and 1, within 1 % on
 * copies, other losses within 2 %. 8 as 6, but on copies up to 4 % more. */
enum { PAIR_GROUP = 6 };
/* Nodes with three units left or more (cores.c). CORE_COLUMNS: most columns of a problem, one bit each. CORE_ROWS: most
 * rows, for the memory of children. CORE_MOST: most columns of a core. CORE_KNOWN: most open columns outside a known
 * refused set; with more, a new core is looked for. CORE_SETS, CORE_NEW: refused sets that are kept, and that a slot
 * may add in a round. CORE_PAYS: columns are put back while this share of the tries succeeded. CORE_FADES: weight of
 * earlier tries. linf, 500 x 30: CORE_KNOWN 6 instead of 3, six problems with heavy noise, mean 69 ms for 66, worst 195
 * for 179; CORE_PAYS 0 (always), 0.3 and 0.6, 10 seeds: heavy 67, 62, 61 ms, copies 47.5, 47.2, 48.6. */
enum { CORE_COLUMNS = 64, CORE_ROWS = 4096, CORE_MOST = 8, CORE_KNOWN = 3, CORE_SETS = 1024, CORE_NEW = 8 };
#define CORE_PAYS 0.3
#define CORE_FADES 0.9
#define PAIR_SAFE 1e-12 /* relative: how far a half-plane is moved outwards because of rounding (pairs.c) */
#define PAIR_NEAR 0.5   /* in long runs pairs close only nodes whose gap is at most this share of the gap of the root */
/* Relative to the cutoff: a fit over all columns that gets below this closes nothing and is ended. Logistic, separable
 * labels: 100 x 20 17 ms to 13, 60 x 40 690 to 230. */
#define WHOLE_ENOUGH 0.01
/* The fit over all columns, for a bound alone (bound.c). QUICK_GAP: its gap, relative to F. GRAM_COST: cost of a
 * multiplication in a Gram matrix, relative to one in a pass over A. WHOLE_ROOM, WHOLE_MAPPED: most memory in bytes,
 * and the same beside a large mapped file. WHOLE_PROOF: bytes for each row that the proof takes. CACHED: up to so many
 * entries the passes of a search run from the cache, and the work of a bound counts CACHED_COST times (2,000 x 50 and
 * 1,000 x 200, all losses: the bound takes at most 1.5 times the time of the fit, it was up to 3). */
#define QUICK_GAP 1e-4
#define GRAM_COST 0.3
#define WHOLE_ROOM 67108864.0
#define WHOLE_MAPPED 8388608.0
#define WHOLE_PROOF 72
#define CACHED (INT64_C(1) << 18)
#define CACHED_COST 2
enum { WHOLE_STEPS = 20 }; /* interior-point steps of that fit, assumed for its cost */
/* The dual vector for all columns by one factor (all.c): most rounds of ITERATIONS steps; bisection steps for the
 * scaling into dom h*; distance kept from its boundary (ALL_MARGIN); share of its value that the proof may lose
 * (ALL_NEAR). 5,000 x 300, s = 10, gaps after 1 and 2 rounds: l1 8.7 and 6.6 % (the best possible is 4.3), linf 61 and
 * 40 % (28). */
enum { ALL_ROUNDS = 3, ALL_HALVES = 30 };
#define ALL_BYTES(m, k) (16 * (k) * (k) + 32 * (m))
#define ALL_MARGIN 1e-9
#define ALL_NEAR 1e-6
/* First guesses that change the tree little; the trials above are about the others. */
#define SHRINK_STEPS 40.0     /* ADMM steps that tightening a box takes, about */
#define SHRINK_PART 3         /* tightening at the root may take 1 / SHRINK_PART of the allowed work */
#define POOL_DEPENDENT 1e-9   /* relative to the diagonal: pivot below which a column depends on others of the pool */
#define POOL_LEAST 1e-6       /* relative to the largest v_j: columns below stay out of the pool */
#define POOL_RAISE 1.3        /* factor by which the multiplier is raised until there is room for the columns */
#define ROOM_LEAST 1e-6       /* relative to the cap: the room that a centre has in every row */
#define CENTRE_SUFFICIENT 0.1 /* share of the predicted decrease that a step of Newton's method must bring */
/* Relative to the width of dom h*: centres and first guesses are within this part of it, ... */
#define CENTRE_INSIDE 0.9
#define CENTRE_INSIDE_LATE 0.99 /* ... or within this part if nothing was found there */
#define PULL_EDGE 1e-9          /* relative to a slope: a smoothed row is further than this from both ends of it */
#define PULL_WIDER 1.3          /* factor by which the smoothing is widened until enough rows are smoothed */
#define PULL_MOVE 4.0           /* largest factor by which the strength of a pull changes at once */
/* Relative to the gap: added to both rises before they are multiplied, since a rise of zero says little */
#define STRONG_FLOOR 1e-3
#define FACTOR_SAVES 60.0 /* ADMM steps that an inverse for the allowed columns serves, about */
#define KAPPA_FIRST 1e-3  /* relative to F / m: first multiplier of the budget */
#define KAPPA_NEAR 0.01   /* relative to the budget: how near the use of the columns comes to it */
#define KAPPA_SIDE 0.1    /* relative to the bracket: regula falsi stays so far from its ends */
#define EFFECT 0.95       /* a box that keeps more than this share of itself is no reason for another pass */
#define QUICK_BYTES 1e8   /* memory of a tree for a bound alone */
enum { SCREEN_UNITS = 3, KAPPA_DOUBLINGS = 60, KAPPA_STEPS = 8, DUAL_PASSES = 4 };
#define WHOLE_GAP 1e-12 /* relative to F: rounding, and the gap of the fit over all columns of a node */
#define SAFE 1e-13      /* relative to the terms of a short sum: far above its rounding error */

#endif
