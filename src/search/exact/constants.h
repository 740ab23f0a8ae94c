/*
 * The constants of branch and bound, each with what it was chosen on: generated problems of 100 to 500 rows and 20 to
 * 100 columns, l1, quantile, linf and hinge, unless something else is said. None of them can make a bound wrong but
 * SAFE, which follows from rounding.
 */
#ifndef SPGM_SEARCH_EXACT_CONSTANTS_H
#define SPGM_SEARCH_EXACT_CONSTANTS_H

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

enum { SLOTS = 8, DIVE = 6 }; /* nodes of a round, and how deep each of them is followed in it */
enum { MOST_AT_WORK = 400 };  /* columns of the splitting                                       */
#define LEAST_GAP 5e-8        /* what is within this of the incumbent counts as equal                      */
#define SHRINK_WORK 4e8       /* multiplications that boxes may be shrunk for at the root by the splitting */
#define PULL_WORK 1e10        /* and by fits                                                               */
#define SHRINK_WAIT 3         /* of its work: what the tree takes first */
#define PULL_WAIT 2           /* the same of pulls: 1 is no slower at 500 x 30, and 10 % slower at 100 x 20         */
#define SHRINK_PAYS 0.9       /* of the gap: boxes are shrunk again while the bound of the root rises like this */
#define RHO_OF_KINKS                                                                                                   \
    0.1 /* of |dual| / |residual|: 0.03 to 0.1 within noise, 1 three times slower (l1, quantile, linf) */
#define OPENING_WORK 5e9 /* multiplications after which a better incumbent is looked for              */
#define FITS_DO 1e5      /* up to which fits alone may do                                            */
/* The boxes of the root by pulls: the first tilt in standard deviations, of |dual vector|; how near to the cutoff F is
 * to be, or it is tried again; of the slack: what rounding off kinks may cost; of the columns: rows that are to be
 * bent; of the terms of the gradient: what may be left of it, and what a bound can be made of. */
#define PULL_FIRST 0.1
#define PULL_NEAR 0.6
#define PULL_DAMPING 1e-10
#define PULL_SHARE 0.2
#define PULL_BENT 1.5
#define PULL_BALANCED 1e-4
#define PULL_NEARLY 1e-3
/* Rows for every column: with fewer F over all columns is so low that boxes by the splitting, which knows s, are
 * smaller (100 x 100, quantile 0.9: 4329 nodes, and 15670 by pulls). */
enum { PULL_TALL = 4 };
enum { PULL_TRIES = 3, PULL_STEPS = 15, PULL_USUAL = 6, PULL_HALVES = 4, PULL_WIDTHS = 30 };
enum { FEW_BARE = 8 }; /* columns without ridge and bounds up to which a dual vector is a bound at once */
enum { SHRINK_ROUNDS = 4, ROOT_ROUNDS = 40, INCUMBENT_LEVELS = 3 };
enum { LEAST_ROUNDS = 8 }; /* fewer at the root are worth no more than the dual vector of the incumbent */

/* Rows of the tree, see rows.c: 500 x 30, 15 seeds of normal, correlated and heavy-tailed data: 1.25 to 1.5 within
 * noise, 1 takes a quarter more nodes of linf and 2 a quarter more time. Of all rows: more are not worth the copy. */
#define FEW_REACH 1.5
#define FEW_ENOUGH 0.7

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Projections in turn end where CENTRE_LOOK of them leave CENTRE_STUCK of the squared distance: separable labels, 100 x
 * 20, logistic, 60 seeds: 20 ms to 17. */
#define CENTRE_STUCK 0.995
#define CENTRE_NEAR 1e-20 /* of the widths of dom h*: the decrement at which Newton's method ends */
enum { CENTRE_NEWTON = 30, CENTRE_HALVES = 20 };
enum { CENTRE_STEPS = 300, CENTRE_LOOK = 20, DOUBLINGS = 12, WIDEST = 4, FEW_WARM = 64 };
/* WIDEST: of the rows, so many columns may have boxes; FEW_WARM: columns that pivots from the incumbent fit sooner */
/* What is added to the diagonal, in parts of it, the first that does: the more, the smaller the box. */
#define WELL_CONDITIONED 1e6 /* the inflation of a variance up to which columns do not depend on each other */
#define MOST_LEAK 0.9
#define DAMPINGS                                                                                                       \
    { 0.1, 0.03, 0.01, 1e-3, 1e-5 }

/* Columns without an end: what is lost where they are limited, of the cutoff; |residual| that loses no more. */
#define ENDLESS_TAIL 1e-9
#define ENDLESS_FAR 1e30
enum { ENDLESS_DOUBLINGS = 12 };

/* ---- bounds of nodes --------------------------------------------------------------------------------------------- */

/* c: weight of z = x beside y = A x - b; 0.01 to 0.1 within noise, 1 far slower. 0.02 takes a tenth off diabetes64, s =
 * 4, and doubles the nodes of 100 x 100, quantile 0.9. */
#define COUPLING 0.05
#define RELAXED 1.6  /* over-relaxation                                             */
#define STALLED 0.03 /* of the gap: what a few rounds must bring, or they end       */
/* Smooth losses are near their bound after fewer: logistic, 500 x 30, correlated columns, 15 seeds each: 31 ms to 28
 * and 51 to 45; with kinks 5 take 5 to 15 % more nodes for the same time. */
enum { ITERATIONS = 10, SMOOTH_ITERATIONS = 5, PATIENCE = 2, PULLS = 2, MOST_COLUMNS = 3000 };
/* Of what the last round brought: 500 x 30, s = 6, 15 seeds, 1 instead of 4: linf 16.0 ms to 15.7, with correlations of
 * 0.6 43 to 39, hinge 20.6 to 19.8. Before that 4 instead of no such rule: linf 38 to 35, logistic 21 to 19. */
#define HOPE 1
#define POOL_NEAR 0.7      /* of the multiplier: columns whose v_j is above are at work */
enum { POOL_ENOUGH = 64 }; /* columns up to which all are                                */
enum {
    ROUNDS = 6,         /* of the splitting for a node                                           */
    FEW_FITS = 30,      /* are made at once, without a bound before: most are refused, which takes next to nothing */
    FEW_LEFT = 1,       /* units that may still enter where the fit of the others is looked at   */
    STRONG_DEPTH = 3,   /* nodes above are branched on by trying                                 */
    STRONG_FEW = 50,    /* up to so many columns none is: a tree of 30 takes as long as that        */
    STRONG_CHOICES = 8, /* units that are tried                                                  */
    STRONG_ROUNDS = 2   /* of the splitting for each of them                                     */
};
/* Nodes where two columns may still enter (pairs.c): with so many open at most; vectors that are kept; and how far a
 * half-plane is moved out for rounding, of its terms. */
enum { PAIR_COLUMNS = 128, PAIR_VECTORS = 48 };
/* Columns at most that are refused together with one. Instructions of six problems of 500 x 30, s = 6: 4 takes 6 % off
 * one at a time; hinge on columns of 0 and 1 with ties, three problems: 247, 233, 128 ms to 100, 127, 67. 6 for 4, now
 * that refusals take more steps, 72 problems: hinge 3 to 7 % less on columns of 0 and 1, within 1 % on copies, the
 * others within 2 %; 8 the same as 6, but on copies up to 4 % more. */
enum { PAIR_GROUP = 6 };
/* Nodes where three columns or more may still enter (cores.c): columns of a problem, one bit each, and rows at most,
 * for the memory of children; columns of a core at most; how many one that is known may have, or another is looked for;
 * sets that are kept, and of a slot in a round; of what was put back that much must have stayed refused, and how the
 * tries of before fade. linf, 500 x 30: 6 instead of 3 that are known, mean of 6 with heavy noise 69 ms for 66, worst
 * 195 for 179; always putting back, 0.3 and 0.6, 10 seeds: heavy 67, 62, 61 ms, copies 47.5, 47.2, 48.6. */
enum { CORE_COLUMNS = 64, CORE_ROWS = 4096, CORE_MOST = 8, CORE_KNOWN = 3, CORE_SETS = 1024, CORE_NEW = 8 };
#define CORE_PAYS 0.3
#define CORE_FADES 0.9
#define PAIR_SAFE 1e-12
#define PAIR_NEAR 0.5 /* of the gap of the root: what is left of it at nodes that are closed so in long runs */
/* Of the cutoff: a fit over all columns that is lower closes nothing. Logistic, separable: 100 x 20 17 ms to 13, 60 x
 * 40 690 to 230. */
#define WHOLE_ENOUGH 0.01
/* The fit over all columns for a bound alone: to a part of F; a multiplication in a Gram matrix, of one in a pass over
 * A; steps of interior points; bytes at most, and beside a large mapped file, with so many for every row for the proof.
 * Up to CACHED numbers the passes of a search run from the cache, and what a bound takes counts CACHED_COST times
 * (2,000 x 50 and 1,000 x 200, all losses: at most 1.5 times the time of the fit, it was up to 3). */
#define QUICK_GAP 1e-4
#define GRAM_COST 0.3
#define WHOLE_ROOM 67108864.0
#define WHOLE_MAPPED 8388608.0
#define WHOLE_PROOF 72
#define CACHED (INT64_C(1) << 18)
#define CACHED_COST 2
enum { WHOLE_STEPS = 20 };
/* The dual vector for all columns by one factor (all.c): rounds of ITERATIONS steps at most; how it is drawn into dom
 * h*; and which part of its value a proof may lose. 5,000 x 300, s = 10, gaps after 1 and 2 rounds: l1 8.7 and 6.6 %
 * (4.3 is all there is), linf 61 and 40 % (28). */
enum { ALL_ROUNDS = 3, ALL_HALVES = 30 };
#define ALL_BYTES(m, k) (16 * (k) * (k) + 32 * (m))
#define ALL_MARGIN 1e-9
#define ALL_NEAR 1e-6
/* First guesses of what changes the tree little: the trials above are about the others. */
#define SHRINK_STEPS 40.0       /* of the splitting that a box takes, about                                           */
#define SHRINK_PART 3           /* of the work that is allowed: what boxes of the root may take                       */
#define POOL_DEPENDENT 1e-9     /* of its diagonal: the pivot of a column that depends on those at work               */
#define POOL_LEAST 1e-6         /* of the largest v_j: columns below are not at work, however small the multiplier    */
#define POOL_RAISE 1.3          /* the multiplier rises by this factor until there is room for the columns            */
#define ROOM_LEAST 1e-6         /* of the cap: the room that a centre has in every row                                */
#define CENTRE_SUFFICIENT 0.1   /* of the promised decrease, for a step of Newton's method                        */
#define CENTRE_INSIDE 0.9       /* of the way to the edge of dom h*: where centres and first guesses are, ...      */
#define CENTRE_INSIDE_LATE 0.99 /* ... and where they are looked for when nothing was found there                 */
#define PULL_EDGE 1e-9          /* of a slope: a row that is bent is further from both                                */
#define PULL_WIDER 1.3          /* times, until enough rows are bent                                                  */
#define PULL_MOVE 4.0           /* times: how far the strength of a pull moves at once                                */
#define STRONG_FLOOR 1e-3       /* of the gap, added to both rises before they are multiplied: a zero says little     */
#define FACTOR_SAVES 60.0       /* iterations that an inverse of the columns at hand serves, about                    */
#define KAPPA_FIRST 1e-3        /* of F / m: the first multiplier                                                     */
#define KAPPA_NEAR 0.01         /* of the budget: how near its use is to be                                           */
#define KAPPA_SIDE 0.1          /* of the bracket: regula falsi stays so far from its ends                            */
#define EFFECT 0.95             /* of a box: one that shrinks by less calls for no other look                         */
#define QUICK_BYTES 1e8         /* of a tree for a bound alone                                                        */
enum { SCREEN_UNITS = 3, KAPPA_DOUBLINGS = 60, KAPPA_STEPS = 8, DUAL_PASSES = 4 };
#define WHOLE_GAP 1e-12 /* of F where it is not: rounding                                     */
#define SAFE 1e-13      /* of the numbers of a short sum: far above its rounding */

#endif
