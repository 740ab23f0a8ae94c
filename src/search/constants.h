/*
 * The constants of the search, each with what it was chosen on and what it costs elsewhere. Fresh seeds: `spgm gen`
 * with seeds that no other constant was looked at with.
 */
#ifndef SPGM_SEARCH_CONSTANTS_H
#define SPGM_SEARCH_CONSTANTS_H

enum {
    TRIALS = 50, /* exchanges whose F along the surrogate's line is computed. 20 to 100 made no difference beyond
                    noise on random-256-1024, -2048, -C, e2006 (quality.py, 1 s)                              */
    NEAR_CANDIDATES = 64, /* candidates beyond the size of the support; more are seen by the first step of a walk    */
    FIRST_CANDIDATES = 8192, /* candidates of the first step of a walk. 2048 missed what 0.1.0 found where columns are
                                many (71 x 4088, s = 5: F 8 % higher); on wider data a walk must not cost a pass over
                                all of them */
    FEWEST_IMAGES = 4, /* of each kind, however many rows there are                                                  */
    CANDIDATE_BLOCK = 256, /* candidates between two looks at the clock                                              */
    WALK_LEAST = 3,        /* exchanges of a walk before a minimum ends it */
    QUICK_LENGTH = 120, /* exchanges of a walk on surrogates at most; 60 to 240 within noise (fresh seeds, see below) */
    QUICK_RUN = 4,      /* of them on one surrogate at most: 2 to 8 within noise, 16 worse (s = 30 to 90)      */
    QUICK_UNITS =
        10, /* of the support for each of them, so that a surrogate is left before the support is another one. Four at
               s = 5, 10, 20: F 2 % higher at 0.9 of the time, on generated data as wide as gene expression */
    EXACT_RUN =
        32, /* where the surrogate is the loss itself, so that only the candidates grow old: 16 a little worse */
    INVERSE_TURNS = 128, /* exchanges that an inverse follows before it is formed anew, against rounding: the same way
                            as without for 3 s on five seeds (squared, s = 90) */
    EXACT_LENGTH = 20,   /* exchanges of a walk there beyond the size of the support                              */
    TOUR_COLUMNS = 1024, /* of a tour: as good as 2048 for the same number of exchanges, 450 a little worse   */
    TOUR_TURNS = 128,    /* exchanges in single precision before they begin anew from double                     */
    MOST_TRIES = 4,      /* of search_habits */
    DOWN_LENGTH = 4,    /* exchanges for each unit, in a walk down to a minimum: it ends there long before            */
    DROP_SHARE = 3,     /* of what is too much in the union of two elites goes in one turn */
    ELITES = 12,        /* local optima kept                                                                         */
    NORM_AGE = 8,       /* steps of a walk after which the weighted norms of all columns are taken anew              */
    SIGHT = 4,          /* times as many columns are in sight as are candidates, ...                                */
    SIGHT_PART = 32,    /* ... where there are so many times more in all. On generated data like gene expression with
                           12,000 to 30,000 columns F after 0.3, 0.8 and 2 s was 7.9, 4.7, 2.6 % above the lowest without
                           and 4.9, 2.6, 1.7 with it; with 4,000 to 6,000 columns it was no lower               */
    SIGHT_PATIENCE = 4, /* times as many restarts: they take a third of the time to a fifth. F of default fits on seven
                           wide tables 2.7 % above the lowest without sight, 2.9 with it and twice as many, 1.2 with
                           four times as many, in 1, 0.4 and 0.6 of the time */
    SIGHT_FIRST = 512,  /* candidates of a step that looks at all columns, and ... */
    SIGHT_NEAR = 32, /* ... of the other steps of a walk, beyond the size of the support. 2048 and 64: F of default fits
                        (l1, linf, s = 10, 20) on six tables of 12,000 to 40,000 columns, with factors or Gaussian, was
                        1.5 % above the lowest of five versions, with these 1.1 in 1.08 of the time; 8192 within noise.
                        Products of the support with candidates are most of what a restart costs: a third less */
    TENURE = 5,      /* of tabu, about, in steps: 3 to 10 made no difference beyond noise                         */
    PRODUCT_COLUMNS = 2048, /* columns whose inner products are kept: 32 MiB                                        */
    PRODUCT_BATCH = 32,     /* of them that are computed at once                                                */
    MOST_UNREST = 4,        /* doublings of a walk after ends that were known */
    CAUGHT = 8, /* restarts on squares without a lower F, after which the walk is thrown off: 3 and 20 within noise */
    FEW_UNITS = 64,     /* up to which random restarts are worth their while                                         */
    ISLAND_STREAM = 16, /* of random numbers: those of island k are 2 k further                                 */
    COMPANION_STREAM = 1024, /* of random numbers: those of companion k are so much further, for each k */
    VISIT_IDLE = 5,  /* restarts on a companion in a row that bring nothing end a visit                            */
    VISIT_FIRST = 6, /* restarts of the first visit, which comes before the starts are descended: what they would
                          end at is known in a tenth of a second */
    VISIT_MOST = 20, /* restarts of a visit, so that a short time sees what came of them                          */
    SQUARES_TIMES =
        2, /* both so many times on squares, after the first visit: 1, 2, 3 times at 1 s 1.3, 0.7, 0.8 % above the
              lowest on four fresh instances (s = 30 to 90, l1 and linf), 1.0, 0.9, 1.2 on four others */
    MOST_PAUSE = 1048576, /* restarts between two visits, beyond which they do not double any more */
    /* Restarts among few rows that count as one start, without a time limit. 1, 2, 4 on six generated tables, 600 to
     * 2,000 rows and 50 to 120 columns, s = 8 and 20, four seeds: F -0.25 and -0.34 % for 1.29 and 1.68 times the time
     * of 1. */
    FEW_ROWS_TRIES = 2,
    /* Restarts, or work, after which a companion has its COMPANION_SHARE. The first second stays as it was: with shares
     * from the beginning the worst cell of quality.py was 14.8 and 5.8 % above the best known at 1 s, now 5.1. */
    SHARE_AFTER = 50,
    FILL_STAGES = 8 /* a support that lacks many columns is filled in this many fits                             */
};

#define BLOCK_ROOM 1048576      /* doubles of the support's columns that are copied from sparse data (8 MiB) */
#define COMPANION_ROOM 2097152  /* doubles of the support's columns up to which a loss visits its companions */
#define PRODUCT_WORK 67108864   /* multiplications between two looks at the clock */
#define IMAGE_ROOM 2097152      /* doubles of the images of columns that enter and leave, of both kinds      */
#define IMAGE_SHARE_MAPPED 0.01 /* of the numbers of a mapped file: the same, beside it                      */
#define BLOCK_DENSITY 0.25      /* of A, from which on the support's columns are copied whatever their size  */
#define CANDIDATE_ROOM 16777216 /* doubles that the products with candidates may take */
#define IMPROVES 1e-9           /* of |F|: an exchange must lower it by more than rounding                            */
#define RESIDUAL_ROUNDING 1e-12 /* of |b|: what rounding may do to residuals */
#define SAME 1e-9               /* relative differences of F below this are rounding */
#define WORTHWHILE 1.1          /* the end of a method this far above the best is not improved by exchanges */
#define ISLAND_COST 2e5         /* nonzeros times columns of the support from which on there are several islands */
#define COMPANION_NEAR 0.02     /* above the lowest squares of all islands: what is worth a fit for the loss */
/* Searches among the rows that decide (linf): the rows at first, how many fewer than all they must be, and when they
 * come to their share of the work. Chosen on e2006-5000-1024 with fresh seeds 931 to 933 and on generated tall data,
 * Gaussian and heavy-tailed (tables in README.md): 4 and 8 rows by column, shares of 2 and 6 within noise. */
#define FEW_ROWS 64      /* at first, ...                                                          */
#define ROWS_BY_COLUMN 8 /* ... and as many more for each column of the support                    */
#define FEWER_ROWS 3     /* times as many rows there must be in all                                */
/* Under a time limit: units whose exchanges with the best support there are all fitted first, and the work of such
 * checks, of that of restarts there. e2006-5000-1024, fresh seeds 92470 and 83950, linf, s = 30, 60, 90, two seeds, at
 * 0.5, 1, 2, 4 s: none 3.6, 3.1, 2.3, 1.7 % above the lowest; 0.7 2.5, 1.9, 1.1, 0.6; 2 2.4, 1.6, 0.9, 0.6. */
#define FEW_ROWS_CHECK 8
#define FEW_ROWS_CHECKS 1.0
#define FEW_ROWS_STEP 4 /* at most this part of them comes in at once                             */
#define FEW_ROWS_ROOM                                                                                                  \
    1.6e7 /* rows times columns: they are gathered from all rows without a look at the clock, in 20 to 40 ms */
#define FEW_ROWS_AFTER 2     /* restarts on all rows that brought nothing: while they do they are let  */
#define FEW_ROWS_SHARE 6.0   /* of the work on all rows                                                */
#define SHARE_AFTER_WORK 4e9 /* multiplications: about a second                                    */
#define COMPANION_SHARE 1.0  /* of the work on the loss: what a companion gets at least, where there is time */
#define ROUND_WORK 1.3e8     /* multiplications of an island between two meetings: some 30 ms */
#define SIGHT_AGE                                                                                                      \
    1.5 /* passes over all columns that looks at those in sight may take before the next one: 0.3 within noise. With 1 \
           prices of a restart cost 1.01 and 1.13 passes under hinge (150 x 16,000 with factors, s = 10, 20). F with   \
           1, 1.5 and 2 was 0.7, 2.2 and 2.2 % above the lowest on 14 cells of four tables of SIGHT_NEAR, 1.8 with     \
           more candidates: one seed, and half of each is one cell */
#define OPTIMAL_GAP 1e-6         /* of |F|: a gap below it is reported as a proof (spgm.h, SPGM_OPTIMAL)              */
#define NEWS 1e-12               /* of |F|: lower by less is rounding                                               */
#define PRUNE_OF_TARGET 1e-11    /* of ||b||, and ... */
#define PRUNE_OF_OBJECTIVE 1e-12 /* ... of |F|: what leaving out an entry that is rounding may cost                 */
#define START_VANISHED 1e-10  /* of its squared length: what is left of a column that the chosen ones make up       */
#define START_DEPENDENT 1e-12 /* the same of a column that is taken all the same, and adds nothing to the basis     */
#define SURROGATE_LEFT 1e-4   /* of its curvature: what a candidate is taken to have beside the support, at least   */
#define SURROGATE_HELD 1e6    /* of the largest curvature: what keeps a coefficient that a bound holds ...          */
#define SURROGATE_RIDGE 1e-10 /* ... and what keeps M regular where columns depend on each other                    */
#define LEVEL 1e-4         /* of |F|: a walk is at a rough minimum when no exchange promises more                   */
#define NEAR_BEST 0.03     /* what ends this near the best is descended (0.01 to 0.1 within noise)               */
#define RECALL_SHARE 0.05  /* of restarts that return to an elite first                                         */
#define DESCEND_ANYWAY 0.1 /* of restarts whose end is descended however bad it is                               */
#define THROWN 0.4         /* of the support, that is exchanged at random then: 0.12 and 1 were worse                */
#define KICK_SHARE                                                                                                     \
    0.3 /* of restarts, where there are few units: random units for random ones. Walks alone left                      \
           18 columns, s = 6 at a local optimum after 500 restarts (l2, 9 rows)              */
/* Steps for which columns are barred on squares, of the root of the units that are in: at least, and what chance adds.
 * 256 x 1024 and 2048, six fresh instances, s = 60, 90, l1 and linf at 1 s, above the lowest: 6 to 16 steps 2.5, 3.0 %;
 * 2/3 and 2/3 2.2, 2.6; these 1.3, 2.1. On wide tables with s = 20 four to five steps beat eleven by far. */
#define STEADY_TENURE (2.0 / 3)
#define STEADY_CHANCE 1.0
#define TOUR_TRUST 1e-3  /* of F: a tour in single precision that is further off is the last one                */
#define TOUR_IMAGE 4e6   /* numbers of a copy of A in single precision, where products are not kept (16 MB)       */
#define TOUR_START 1.6e7 /* multiplications that the products of a first tour may take                          */
/* Multiplications for every number of its tableau, in an exchange, and how many of its products are allowed for them.
 * random-256-1024, -2048, -C, fresh seeds, s = 30 to 90, l1 and linf, at 1 s: 2.7 % above the lowest with steps of
 * 3, 1.7 with 1.5, 1.1 with 1 (an exchange takes a third of the time that it took when 3 was right). A credit of 1, 3
 * and 10 at 0.1 s: 17.1, 12.7, 16.1. */
#define TOUR_STEP 1.0
#define TOUR_CREDIT 3.0
#define DEPENDENT_SINGLE 1e-4f /* the same as below, in single precision, of the squared length                     */
#define DEPENDENT_ENTRY 1e-9   /* a column of which the support leaves less than this is no candidate                */

/* What depends on whether one reweighted step comes near a fit (loss table: reweights). Chosen on the four instances of
 * ../shared/quality in the first version; rough against exact walks is beyond doubt, the rest within a factor of two.
 */
struct search_habits {
    int tries;         /* trials fitted exactly before a level counts as failed. Peaks: exchange/README.md */
    int line_steps;    /* evaluations of F along a line; the same                                 */
    int walk_length;   /* steps of a walk at most. Peaks: 3 to 5 of 3 to 20 (exchange/README.md)     */
    double crossing;   /* share of restarts that cross two elites                           */
    int walks_roughly; /* one reweighted step for a fit while walking                       */
};

static const struct search_habits habits_of_sums = {2, 4, 60, 0.03, 1};
static const struct search_habits habits_of_peaks = {3, 6, 5, 0.15, 0};

/* ---- auto: what is tried, and how long --------------------------------------------------------------------------- */

enum { DEFAULT_EFFORT = 5 };
#define TREE_WORK 1e8        /* multiplications of branch and bound at effort 5: what a search takes at least */
#define SOME_SUPPORTS 6e5    /* all of 30 columns by 6: the tree may take SOME_WORK, where columns are few       */
#define SOME_COLUMNS 50      /* so few                                                                    */
#define SOME_WORK 3e9        /* half a second; l1, quantile, linf and hinge take 2e8 to 2e9 with 500 rows and noise */
#define FEW_SUPPORTS 13000   /* all of 16 columns: the tree may take FEW_WORK, and nearly always ends */
#define FEW_WORK 1e10        /* five seconds; 60 of 60 proven with n = 12 to 16, 60 to 600 rows, in 0.5 s at most */
#define BOUND_WORK 2e9       /* or of the bound alone, at the end                                           */
#define BOUND_LEAST 4e6      /* multiplications that a bound may always take at the end: a millisecond or two      */
#define BOUND_PART 0.5       /* of the work done: what the bound alone takes where time is the limit         */
#define TREE_BYTES 268435456 /* of open nodes                                                             */
/* Multiplications for every row in an iteration of a method, besides its passes. PSGD, which looks at few columns most
 * of the time: 1.2 to 2.2 ns under l1 and huber, 2.4 to 5.5 under linf (1,000 x 40, 3,000 x 60), where one takes 0.1 to
 * 0.2 ns; so bounds that take 0.2 to 0.6 of the time of such a fit are not left out. */
#define BOUND_ROW 8
/* Of the work under a time limit: what the check of all exchanges of the best support may take. The surrogate of linf
 * misses most of what lowers F where s is small. linf, fresh instances of 256 x 1024 and 2048, s = 10, 30, two seeds,
 * percent above the lowest of these runs at 0.3, 1, 3 s: none 4.4, 3.0, 1.1; 0.2 4.1, 2.9, 1.1; 0.4 3.7, 2.5, 0.8. l1,
 * s = 10, 30, at 0.3, 1, 2.5 s: none 0.4, 0.4, 0.3; 0.4 0.8, 0.4, 0.2. With the fits of others that exclude most of
 * them, fresh seeds 19016, 72689, C-15008, s = 10, 30: 0.4 2.9, 1.5, 0.8; 0.2 2.6, 1.1, 0.7; 0.1 2.6, 1.2, 0.7; s = 60,
 * 90 at 1, 3, 10 s: 0.4 without such 5.0, 3.4, 2.3; 0.2 5.0, 3.2, 1.7; 0.1 4.9, 3.2, 2.0. */
#define VERIFY_PART 0.1
#define VERIFY_PART_PEAKS 0.2
enum {
    VERIFY_FIRST = 32, /* units whose exchanges are all fitted first, those that promise most, ...  */
    VERIFY_GROWTH = 4  /* ... then so many times as many in all                                     */
};
#define EXCLUDED_ROOM 4e6 /* exchanges of which is kept what fits of others say of them (4 MB) */
/* For the squared loss exchanges that are priced above EXCLUDED of F(0) are not fitted: prices are exact but for the
 * 1e-10 of the diagonal by which the inverse is kept definite, which moves them by 1e-10 WELL_POSED F(0) at the most.
 */
#define EXCLUDED 1e-6
#define WELL_POSED 1e3
#define VERIFY_RISE 2.0    /* times the work of the last round of it that the next one takes at most, about */
#define VERIFY_AT_ONCE 0.1 /* and a round of it, so that a round that finds nothing costs little */
#define VERIFY_WORK 1e8    /* multiplications for the check of all exchanges at effort 5                  */
/* Nonzeros times columns of the support, below which more restarts are made, and how many times as many at most: a
 * third of that left seeds up to 10 % apart (100 x 1500 with factors, s = 20), in a third of the time. linf: twice as
 * many lower F by 1.6 % in the mean over ten kinds of fits (generated, 100 to 120 rows, s = 5, 10), in 1.56 of the
 * time. */
#define SMALL_COST 8e6
#define MOST_TIMES 32
#define QUADRATIC_PATIENCE                                                                                             \
    3 /* times as many restarts where the surrogate is the loss itself, and a walk costs next to nothing */
#define AGREEING_PART 8 /* of the restarts: one in so many, or more, that arrive at the best F again: starts agree */
/* The same where a walk is a few exact steps (linf), and restarts are many. One in 8: 74 default fits of 28 generated
 * tables (tall, and wide as gene expression, s = 5 to 20) took 1.28 and 1.35 (tall), 1.09 and 1.06 (wide) of the time,
 * with a lower F in none. However few they are: F 0.3 % higher in the mean over 16 of the wide ones. For sums (48 fits,
 * s = 5, 10) 32 raises F by 0.1 to 0.2 % and saves 7 to 11 % of the time. */
#define AGREEING_PART_PEAKS 32
/* As many restarts, for sums, while no start but that which found the best F has ended there, where rows times columns
 * of the support are at most ALONE_SIZE. l1, eight generated wide tables (65 to 120 rows, 420 to 3,500 columns, s = 10,
 * 20), four seeds, fresh: 5.85 % above the lowest for 6.78 without, in 1.28 of the time (effort 6: 4.50 in 1.63). Where
 * fits are larger it is worth less: 256 x 1024, seeds 801 and 802, s = 20 to 90, six seeds: F 0.4 % lower in 1.36 of
 * the time. */
#define ALONE_SIZE 3000
#define ALONE_TIMES 2
#define METHODS_LEVEL 4 /* the first that takes the ends of SPGM and of the methods it is compared with */
#define PORTFOLIO_AFTER                                                                                                \
    400 /* restarts, where time is the limit: a second or two at s = 90 of 256 rows, of which they take a third */

/* ---- large data: samples of rows, judged on all of them ---------------------------------------------------------- */

enum {
    QUIET_LEVELS = 2, /* in a row that bring nothing: the search ends               */
    MOST_EFFORT = 9,  /* more levels than these are a time limit's                  */
    MOST_LEVELS = 56, /* under a time limit: the work of the last one would take years     */
    DESCENT_STEPS = 4 /* for less than these no search on all rows is begun         */
};
/* The sizes of large_sizes (large_inside.h says what each is), chosen on the cases of bench_scale; COLUMNS_FOR_EACH
 * more columns of a sample for each that may be in. */
#define LARGE_ENTRIES 4e6
#define LARGE_SAMPLE_WORK 2.5e8
#define LARGE_FULL_WORK 4e9
enum {
    LARGE_SAMPLE_ROWS = 524288,
    LARGE_FEWEST_ROWS = 4096,
    LARGE_CACHED_ROWS = 131072,
    LARGE_COLUMNS = 512,
    LARGE_PASSES = 30,
    COLUMNS_FOR_EACH = 4
};
#define LARGE_ROOM 67108864.0    /* bytes of an m x s block that are allowed whatever the data */
#define LARGE_SHARE 0.25         /* of the data: what an m x s block may take                  */
#define LARGE_VECTORS 55.0       /* over rows, of the search on all rows: its own 14, 33 of fits, 8 of the run */
#define LARGE_FEW_VECTORS 24.0   /* that are taken for granted: a fit of the engine `interior` has 22          */
#define MAPPED_SHARE 0.05        /* of a mapped file: what a run should take in all,           */
#define MAPPED_PROCESS 8388608.0 /* of which this goes to the program itself                 */
#define MAPPED_VECTORS 14.0      /* and these over rows, whatever is going on                  */
#define MAPPED_SAMPLE 8388608.0  /* bytes of a sample and its search, however small the file  */
#define SEARCH_VECTORS 320.0     /* over rows, of a search in a sample: images of columns that enter and leave, fits */
#define LARGE_QUICK 6            /* times the work where vectors over rows stay in the cache   */
#define GREEDY_SHARE 0.34        /* of the work: what OMP, with a pass for each column, may take */
#define LARGE_LINE_STEPS 8       /* evaluations of F along the first line                      */
enum {
    LARGE_SAMPLES = 4, /* samples of a level where rows live elsewhere: as many processes have something to search */
    MOST_WORK = 12     /* doublings of the work of a level                                                         */
};
#define JUDGE_GAP 1e-4 /* of F: to tell supports apart on all rows                   */
enum {
    PART_LEVELS = 3,   /* of auto in a sample     */
    MOST_DOUBLINGS = 3 /* of the size of a sample */
};
#define LARGEST_SHARE 0.9     /* of a sample: rows with the largest residuals, where few rows decide */
#define BISECTIONS 40         /* to find how large these are                                */
#define ROW_SHARE 0.125       /* of the rows: what a sample may take                        */
#define SAMPLE_ROOM 8388608.0 /* numbers that a sample may have whatever the data */
#define SAMPLE_SHARE 0.0625   /* of the numbers of the data: what a sample may have */
#define WORTH_ROWS 0.2        /* of the rows: a sample of more is no better than all        */
#define OCCUPANCY 64.0        /* entries of a column that a sample should have              */
#define GATHERED 3.2e7        /* numbers of a sample that one process may have              */

/* ---- checks of stationarity -------------------------------------------------------------------------------------- */

#define NEAREST_ROUNDING 1e-12 /* of the squares that the projection leaves out: a point as near as the nearest  */
#define MU_NEAR 1.0001         /* a factor: how near the largest mu of a Lipschitz stationary point is found     */
#define BLOCK_LEAST 100        /* working sets that are tried however much each takes                            */
#define STATIONARY_SAME 1e-6   /* of |F|: lower by less is rounding, or the tolerance of what made x           */
#define NO_SLOPE 1e-7          /* of ||a_j|| ||u||: a slope below this is zero                                  */
#define SMALL_MU 1e-3          /* of where the schedule of mu starts: the mu of the verdict                     */
#define BLOCK_WORK 1e10        /* multiplications up to which all working sets are tried                        */
enum { LARGEST_BLOCK = 8, MU_HALVINGS = 100 }; /* of where the schedule starts: the largest and least mu looked at */

#endif
