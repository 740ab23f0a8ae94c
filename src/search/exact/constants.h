/*
 * The constants of branch and bound, each with the data it was chosen on: generated problems of 100 to 500 rows and 20
 * to 100 columns, l1, quantile, linf and hinge, unless the comment says otherwise. README.md has the terms (ADMM is the
 * "splitting" of split.c; a pull is bound tightening at the root) and the kinds of data. No constant but SAFE can make
 * a bound wrong; SAFE follows from rounding. Work is counted in multiplications.
 */
#ifndef SPGM_SEARCH_EXACT_CONSTANTS_H
#define SPGM_SEARCH_EXACT_CONSTANTS_H

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

enum { SLOTS = 8, DIVE = 6 }; /* nodes of a round; steps that each of them is followed down within the round */
enum { MOST_AT_WORK = 400 };  /* columns that ADMM works on at most                                      */
#define LEAST_GAP 5e-8        /* relative to the incumbent: a bound this near counts as equal              */
#define SHRINK_WORK 4e8       /* work allowed for tightening boxes at the root by ADMM                     */
#define PULL_WORK 1e10        /* the same by pulls.c                                                       */
#define SHRINK_WAIT 3         /* the tree first takes so many times the work of tightening by ADMM           */
#define PULL_WAIT 2           /* the same for pulls.c: 1 is no slower at 500 x 30, 10 % slower at 100 x 20     */
#define SHRINK_PAYS 0.9       /* boxes are tightened again while the gap of the root falls below this part of it */
/* Rho of ADMM over |dual| / |residual|, losses with kinks: 0.03 to 0.1 within noise, 1 three times slower */
#define RHO_OF_KINKS 0.1
#define OPENING_WORK 5e9 /* after this the tree stops once, and a better incumbent is looked for         */
#define FITS_DO 1e5      /* supports up to which fits alone may prove a problem without boxes         */

/* pulls.c, bound tightening at the root.
 * PULL_FIRST: strength of the first pull, relative to the norm of the dual vector; the tilt is the strength divided by
 * the standard error of x_j.
 * PULL_NEAR: a pull is done when the factor by which its strength should change is between this and its inverse.
 * PULL_DAMPING: added to the diagonal of the Hessian, relative to it.
 * PULL_SHARE: part of the slack below the cutoff that smoothing the kinks may cost.
 * PULL_BENT: rows in the smoothed part of their loss, as a multiple of the columns.
 * PULL_BALANCED, PULL_NEARLY: what may be left of the gradient, relative to its terms: the aim, and the most of which
 * a bound can still be made. */
#define PULL_FIRST 0.1
#define PULL_NEAR 0.6
#define PULL_DAMPING 1e-10
#define PULL_SHARE 0.2
#define PULL_BENT 1.5
#define PULL_BALANCED 1e-4
#define PULL_NEARLY 1e-3
/* Rows for every column from which on pulls.c is used. With fewer rows F over all columns is so low that ADMM, which
 * knows s, gives smaller boxes (100 x 100, quantile 0.9: 4329 nodes, 15670 with pulls.c). */
enum { PULL_TALL = 4 };
enum { PULL_TRIES = 3, PULL_STEPS = 15, PULL_USUAL = 6, PULL_HALVES = 4, PULL_WIDTHS = 30 };
enum { FEW_BARE = 8 }; /* columns without ridge and bounds up to which one dual vector is a bound at once */
enum { SHRINK_ROUNDS = 4, ROOT_ROUNDS = 40, INCUMBENT_LEVELS = 3 };
enum { LEAST_ROUNDS = 8 }; /* fewer ADMM rounds at the root bring no more than the dual vector of the incumbent */

/* Fewer rows (rows.c). FEW_REACH: how near to a kink a row must come to be kept, 500 x 30, 15 seeds of normal,
 * correlated and heavy-tailed data: 1.25 to 1.5 within noise; 1 takes a quarter more nodes for linf, 2 a quarter more
 * time. FEW_ENOUGH: if more than this part of the rows is kept, the copy is not worth it. */
#define FEW_REACH 1.5
#define FEW_ENOUGH 0.7

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* The centre of dom h* by alternating projections, which end where CENTRE_LOOK of them leave more than CENTRE_STUCK of
 * the squared distance: separable labels, 100 x 20, logistic, 60 seeds: 20 ms to 17. */
#define CENTRE_STUCK 0.995
#define CENTRE_NEAR 1e-20 /* relative to the widths of dom h*: the decrement at which Newton's method ends */
enum { CENTRE_NEWTON = 30, CENTRE_HALVES = 20 };
enum { CENTRE_STEPS = 300, CENTRE_LOOK = 20, DOUBLINGS = 12, WIDEST = 4, FEW_WARM = 64 };
/* WIDEST: as a multiple of the rows, the columns that may have boxes. FEW_WARM: up to so many columns are fitted sooner
 * by pivots from the incumbent. */
/* What is added to the diagonal of the Gram matrix, relative to it: the first that works, largest first, since more
 * gives smaller boxes. */
#define WELL_CONDITIONED 1e6 /* variance inflation up to which columns count as independent */
#define MOST_LEAK 0.9        /* the most that slopes of other columns may take of the bound of one (e of boxes.c) */
#define DAMPINGS                                                                                                       \
    { 0.1, 0.03, 0.01, 1e-3, 1e-5 }

/* Columns whose coefficient has no end (endless.c): loss that limiting them may cost, relative to the cutoff;
 * |residual| that stands for infinity. */
#define ENDLESS_TAIL 1e-9
#define ENDLESS_FAR 1e30
enum { ENDLESS_DOUBLINGS = 12 };

/* ---- bounds of nodes --------------------------------------------------------------------------------------------- */

/* c of ADMM: the weight of the constraint z = x beside y = A x - b. 0.01 to 0.1 within noise, 1 far slower. 0.02 is a
 * tenth faster on diabetes64, s = 4, and doubles the nodes of 100 x 100, quantile 0.9. */
#define COUPLING 0.05
#define RELAXED 1.6  /* over-relaxation of ADMM                                           */
#define STALLED 0.03 /* of the gap: what PATIENCE rounds must bring, or ADMM ends          */
/* ADMM steps between two bounds. Smooth losses are near their bound after fewer steps: logistic, 500 x 30, 15 seeds,
 * 31 ms to 28, neighbours 51 to 43; with kinks 5 steps take 5 to 15 % more nodes in the same time. */
enum { ITERATIONS = 10, SMOOTH_ITERATIONS = 5, PATIENCE = 2, PULLS = 2, MOST_COLUMNS = 3000 };
/* ADMM ends when HOPE times the gain of the last round, in every round that remains, would not reach the cutoff. 500 x
 * 30, s = 6, 15 seeds, 1 instead of 4: linf 16.0 ms to 15.7, with correlations of 0.6 43 to 39, hinge 20.6 to 19.8. 4
 * instead of no such rule: linf 38 to 35, logistic 21 to 19. */
#define HOPE 1
#define POOL_NEAR 0.7      /* columns whose v_j is above this part of the multiplier are in the pool */
enum { POOL_ENOUGH = 64 }; /* columns up to which all are in the pool                            */
enum {
    ROUNDS = 6,         /* of ADMM at a node                                                               */
    FEW_FITS = 30,      /* leaves up to which they are fitted before ADMM: most are refused, which costs little */
    FEW_LEFT = 1,       /* units left up to which the fit of the columns that are in gives a dual vector       */
    STRONG_DEPTH = 3,   /* above this depth units are tried both ways before branching                         */
    STRONG_FEW = 50,    /* not with so few columns: a tree of 30 columns takes as long as that                 */
    STRONG_CHOICES = 8, /* units that are tried                                                            */
    STRONG_ROUNDS = 2   /* rounds of ADMM for each of them                                                 */
};
/* Nodes with two units left (pairs.c): open columns at most, and dual vectors that are kept. */
enum { PAIR_COLUMNS = 128, PAIR_VECTORS = 48 };
/* Columns at most that are refused together with one. Instructions on six problems of 500 x 30, s = 6: 4 takes 6 % less
 * than one at a time; hinge on columns of 0 and 1 with ties, three problems: 247, 233, 128 ms to 100, 127, 67. 6
 * instead of 4, since refusals take more steps, 72 problems: hinge 3 to 7 % less on columns of 0 and 1, within 1 % on
 * copies, other losses within 2 %. 8 as 6, but on copies up to 4 % more. */
enum { PAIR_GROUP = 6 };
/* Nodes with three units left or more (cores.c).
 * CORE_COLUMNS: columns of a problem at most, one bit each. CORE_ROWS: rows at most, for the memory of children.
 * CORE_MOST: columns of a core at most. CORE_KNOWN: open columns that a known refused set may lack; with more, a new
 * core is looked for. CORE_SETS, CORE_NEW: refused sets that are kept, and that a slot may add in a round.
 * CORE_PAYS: columns are put back while this part of the tries succeeded. CORE_FADES: weight of earlier tries.
 * linf, 500 x 30: CORE_KNOWN 6 instead of 3, six problems with heavy noise, mean 69 ms for 66, worst 195 for 179;
 * CORE_PAYS 0 (always), 0.3 and 0.6, 10 seeds: heavy 67, 62, 61 ms, copies 47.5, 47.2, 48.6. */
enum { CORE_COLUMNS = 64, CORE_ROWS = 4096, CORE_MOST = 8, CORE_KNOWN = 3, CORE_SETS = 1024, CORE_NEW = 8 };
#define CORE_PAYS 0.3
#define CORE_FADES 0.9
#define PAIR_SAFE 1e-12 /* relative: how far a half-plane is moved out for rounding (pairs.c)                    */
#define PAIR_NEAR 0.5   /* of the gap of the root: in long runs pairs close only nodes with less gap than this     */
/* Relative to the cutoff: a fit over all columns with a lower F closes nothing, and ends. Logistic, separable labels:
 * 100 x 20 17 ms to 13, 60 x 40 690 to 230. */
#define WHOLE_ENOUGH 0.01
/* The fit over all columns, for a bound alone (bound.c).
 * QUICK_GAP: its gap, relative to F. GRAM_COST: cost of a multiplication in a Gram matrix, in those of a pass over A.
 * WHOLE_ROOM, WHOLE_MAPPED: bytes at most, and the same beside a large mapped file. WHOLE_PROOF: bytes for each row
 * that the proof takes. CACHED: up to so many entries the passes of a search run from the cache, and the work of a
 * bound counts CACHED_COST times (2,000 x 50 and 1,000 x 200, all losses: the bound takes at most 1.5 times the time of
 * the fit, it was up to 3). */
#define QUICK_GAP 1e-4
#define GRAM_COST 0.3
#define WHOLE_ROOM 67108864.0
#define WHOLE_MAPPED 8388608.0
#define WHOLE_PROOF 72
#define CACHED (INT64_C(1) << 18)
#define CACHED_COST 2
enum { WHOLE_STEPS = 20 }; /* of interior points, assumed */
/* The dual vector for all columns by one factor (all.c): rounds of ITERATIONS steps at most; halvings of the way on
 * which it is drawn into dom h*; what is kept from its edge (ALL_MARGIN); the part of its value that the proof may lose
 * (ALL_NEAR). 5,000 x 300, s = 10, gaps after 1 and 2 rounds: l1 8.7 and 6.6 % (4.3 is all there is), linf 61 and 40 %
 * (28). */
enum { ALL_ROUNDS = 3, ALL_HALVES = 30 };
#define ALL_BYTES(m, k) (16 * (k) * (k) + 32 * (m))
#define ALL_MARGIN 1e-9
#define ALL_NEAR 1e-6
/* First guesses of what changes the tree little; the trials above are about the others. */
#define SHRINK_STEPS 40.0       /* ADMM steps that a box takes, about                                         */
#define SHRINK_PART 3           /* tightening at the root may take 1 / so much of the allowed work             */
#define POOL_DEPENDENT 1e-9     /* of its diagonal: the pivot of a column that depends on others of the pool     */
#define POOL_LEAST 1e-6         /* of the largest v_j: columns below stay out of the pool                        */
#define POOL_RAISE 1.3          /* the multiplier rises by this factor until there is room for the columns       */
#define ROOM_LEAST 1e-6         /* of the cap: the room that a centre has in every row                           */
#define CENTRE_SUFFICIENT 0.1   /* of the predicted decrease, for a step of Newton's method                      */
#define CENTRE_INSIDE 0.9       /* of the way to the edge of dom h*: where centres and first guesses are, ...      */
#define CENTRE_INSIDE_LATE 0.99 /* ... and where they are looked for when nothing was found there                 */
#define PULL_EDGE 1e-9          /* of a slope: a smoothed row is further from both ends of it                     */
#define PULL_WIDER 1.3          /* the smoothing widens by this factor until enough rows are smoothed              */
#define PULL_MOVE 4.0           /* the strength of a pull changes at most by this factor at once                   */
#define STRONG_FLOOR 1e-3       /* of the gap, added to both rises before they are multiplied, for a zero says little */
#define FACTOR_SAVES 60.0       /* ADMM steps that the inverse of the allowed columns serves, about                */
#define KAPPA_FIRST 1e-3        /* of F / m: the first multiplier of the budget                                    */
#define KAPPA_NEAR 0.01         /* of the budget: how near the columns in use come to it                           */
#define KAPPA_SIDE 0.1          /* of the bracket: regula falsi stays so far from its ends                         */
#define EFFECT 0.95             /* a box that shrinks to more than this part of itself calls for no other look      */
#define QUICK_BYTES 1e8         /* of a tree for a bound alone                                                     */
enum { SCREEN_UNITS = 3, KAPPA_DOUBLINGS = 60, KAPPA_STEPS = 8, DUAL_PASSES = 4 };
#define WHOLE_GAP 1e-12 /* relative to F: rounding, the gap of the fit over all columns of a node                */
#define SAFE 1e-13      /* relative to the terms of a short sum: far above its rounding */

#endif
