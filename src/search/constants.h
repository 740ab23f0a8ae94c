/*
 * The constants of the search, each with the data it was chosen on and what it costs elsewhere. README.md and
 * exchange/README.md define the terms. "Percent above the lowest" is the mean over the lowest F of all runs of that
 * comparison. Fresh seeds are seeds of `spgm gen` on which no other constant was chosen. Work is counted in
 * multiplications.
 */
#ifndef SPGM_SEARCH_CONSTANTS_H
#define SPGM_SEARCH_CONSTANTS_H

enum {
    TRIALS = 50, /* exchanges whose F along the surrogate's line is computed. 20 to 100 made no difference beyond
                    noise on random-256-1024, -2048, -C, e2006 (quality.py, 1 s) */
    NEAR_CANDIDATES = 64,    /* candidates beyond the size of the support; more are seen by the first step of a walk */
    FIRST_CANDIDATES = 8192, /* candidates of the first step of a walk. 2048 missed what version 0.1.0 found where
                                columns are many (71 x 4088, s = 5: F 8 % higher); with still more columns a walk must
                                not cost a pass over all of them */
    /* Room for images of at least so many entering and as many leaving columns, however many rows there are */
    FEWEST_IMAGES = 4,
    CANDIDATE_BLOCK = 256, /* candidates between two looks at the clock */
    WALK_LEAST = 3,        /* exchanges of a walk before a minimum may end it */
    QUICK_LENGTH = 120,    /* most exchanges of a walk on surrogates; 60 to 240 within noise (fresh seeds, see below) */
    QUICK_RUN = 4,         /* most exchanges on one surrogate: 2 to 8 within noise, 16 worse (s = 30 to 90) */
    QUICK_UNITS = 10,      /* units of the support for each exchange on one surrogate, so that a new one is built before
                              much of the support has changed. With four exchanges at s = 5, 10, 20, F was 2 %
                              higher in 0.9 of the time, on generated data as wide as gene expression */
    /* Exchanges on one surrogate for the squared loss, where only the candidates become outdated: 16 a little worse */
    EXACT_RUN = 32,
    INVERSE_TURNS = 128, /* updates of an inverse before it is formed again, because of rounding errors: runs of 3 s
                            on five seeds (squared, s = 90) make the same exchanges as without updates */
    EXACT_LENGTH = 20,   /* squared loss: exchanges of a walk beyond the size of the support */
    TOUR_COLUMNS = 1024, /* candidates of a tour, if not all columns: as good as 2048 for the same number of
                            exchanges, 450 a little worse */
    TOUR_TURNS = 128,    /* exchanges of a tour in single precision before it is rebuilt from double precision */
    MOST_TRIES = 4,      /* the largest `tries` of search_habits below */
    /* Most exchanges, for each unit of the support, of a walk down to a minimum, which ends long before */
    DOWN_LENGTH = 4,
    DROP_SHARE = 3,     /* 1 / DROP_SHARE of the surplus in the union of two elites is dropped at a time */
    ELITES = 12,        /* size of the pool of local optima */
    NORM_AGE = 8,       /* surrogates of a walk between two computations of the weighted norms of all columns */
    SIGHT = 4,          /* columns in sight: this times the number of candidates, ... */
    SIGHT_PART = 32,    /* ... if there are so many times as many columns in all. On generated data like gene expression
                           with 12,000 to 30,000 columns F after 0.3, 0.8 and 2 s was 7.9, 4.7, 2.6 % above the lowest
                           without and 4.9, 2.6, 1.7 with it; with 4,000 to 6,000 columns it was no lower */
    SIGHT_PATIENCE = 4, /* factor on restarts with columns in sight, each of which takes a fifth to a third of the
                           time. F of default fits on seven wide tables: 2.7 % above the lowest without sight; 2.9 with
                           it and twice as many; 1.2 with four times as many; in 1, 0.4 and 0.6 of the time */
    SIGHT_FIRST = 512,  /* candidates of a step that looks at all columns, and ... */
    SIGHT_NEAR = 32, /* ... of the other steps of a walk, beyond the size of the support. F of default fits (l1, linf,
                        s = 10, 20) on six tables of 12,000 to 40,000 columns, with factors or Gaussian: 2048 and 64
                        candidates 1.5 % above the lowest of five versions, these 1.1 % in 1.08 of the time, 8192 within
                        noise. A third fewer products of the support with candidates, which are most of the cost of a
                        restart */
    TENURE = 5,      /* mean tabu tenure in steps, about: 3 to 10 made no difference beyond noise */
    PRODUCT_COLUMNS = 2048, /* columns whose inner products are kept: 32 MiB */
    PRODUCT_BATCH = 32,     /* columns whose products are computed at once */
    MOST_UNREST = 4,        /* most doublings of a walk, after ends at known supports (under a time limit) */
    CAUGHT = 8, /* restarts on squares without a lower F, after which a good support is changed at random: 3, 20 within
                   noise */
    FEW_UNITS = 64,          /* up to so many units, some restarts exchange random units */
    ISLAND_STREAM = 16,      /* first stream of random numbers of islands: island k has that plus 2 k */
    COMPANION_STREAM = 1024, /* companion k has the random stream of its island plus k times this */
    VISIT_IDLE = 5,          /* a visit ends after so many restarts on a companion in a row without a lower F */
    VISIT_FIRST = 6,         /* restarts of the first visit, before the starts are descended: about a tenth of a
                                second */
    VISIT_MOST = 20,         /* most restarts of a visit, so that its end is of use under a short time limit */
    SQUARES_TIMES = 2,    /* factor on VISIT_IDLE and VISIT_MOST for visits to squares after the first. 1, 2, 3: at 1 s
                             1.3, 0.7, 0.8 % above the lowest on four fresh instances (s = 30 to 90, l1 and linf), 1.0,
                             0.9, 1.2 on four others */
    MOST_PAUSE = 1048576, /* most restarts between two visits; visits without success double their number */
    /* Restarts among few rows that count as one start, without a time limit. 1, 2, 4 on six generated tables, 600 to
     * 2,000 rows and 50 to 120 columns, s = 8 and 20, four seeds: F -0.25 and -0.34 % for 1.29 and 1.68 times the time
     * of 1. */
    FEW_ROWS_TRIES = 2,
    /* Restarts (SHARE_AFTER) or work (SHARE_AFTER_WORK) after which a companion has its COMPANION_SHARE. The first
     * second stays as it was: with shares from the beginning the worst cell of quality.py was 14.8 and 5.8 % above the
     * best known at 1 s, now 5.1. */
    SHARE_AFTER = 50,
    FILL_STAGES = 8 /* stages, each with a fit, in which a support that lacks many columns is filled up */
};

#define BLOCK_ROOM 1048576 /* doubles in the copy of the support's columns of sparse data (8 MiB) */
/* A loss visits its companions if the support's columns have at most so many doubles */
#define COMPANION_ROOM 2097152
#define PRODUCT_WORK 67108864   /* multiplications between two looks at the clock */
#define IMAGE_ROOM 2097152      /* doubles of the images (A times a direction) of entering and leaving columns */
#define IMAGE_SHARE_MAPPED 0.01 /* the same beside a mapped file, as a share of its numbers */
#define BLOCK_DENSITY 0.25      /* from this density of A on, the support's columns are copied whatever their size */
#define CANDIDATE_ROOM 16777216 /* doubles that the products of the support with candidates may take */
#define IMPROVES 1e-9           /* relative to |F|: an exchange must lower F by more than this */
#define RESIDUAL_ROUNDING 1e-12 /* relative to |b|: what rounding may do to residuals */
#define SAME 1e-9               /* relative differences of F below this are rounding */
#define WORTHWHILE 1.1          /* the end of a method is improved by exchanges if F is at most this times the best */
#define ISLAND_COST 2e5 /* from this number (nonzeros times columns of the support) on there are several islands */
/* Relative: ends on squares are fitted for the loss if they are at most this above the lowest of all islands */
#define COMPANION_NEAR 0.02
/* Searches among the rows that decide (linf): FEW_ROWS + ROWS_BY_COLUMN for each column of the support at first, where
 * there are at least FEWER_ROWS times as many rows in all. Chosen on e2006-5000-1024 with fresh seeds 931 to 933 and on
 * generated tall data, Gaussian and heavy-tailed (tables in README.md): 4 and 8 rows by column, shares of 2 and 6
 * within noise. */
#define FEW_ROWS 64      /* rows at first, ... */
#define ROWS_BY_COLUMN 8 /* ... plus so many for each column of the support */
#define FEWER_ROWS 3     /* how many times as many rows there must be in all */
/* Under a time limit, checks of all exchanges of the best support there: units of the first round, and the work of
 * checks relative to that of restarts there. e2006-5000-1024, fresh seeds 92470 and 83950, linf, s = 30, 60, 90, two
 * seeds, at 0.5, 1, 2, 4 s: none 3.6, 3.1, 2.3, 1.7 % above the lowest; 0.7 2.5, 1.9, 1.1, 0.6; 2 2.4, 1.6, 0.9, 0.6.
 */
#define FEW_ROWS_CHECK 8
#define FEW_ROWS_CHECKS 1.0
#define FEW_ROWS_STEP 4 /* of the rows in use, at most 1 / FEW_ROWS_STEP more join at once */
/* Most entries (rows times columns) of such a problem: they are gathered without a look at the clock, in 20 to 40 ms */
#define FEW_ROWS_ROOM 1.6e7
/* Restarts on all rows in a row without a lower F, before the search among few rows begins */
#define FEW_ROWS_AFTER 2
#define FEW_ROWS_SHARE 6.0   /* most work among few rows, relative to that on all rows since F last fell */
#define SHARE_AFTER_WORK 4e9 /* multiplications: about a second */
/* Under a time limit, the least work on a companion, relative to the work on the loss since F last fell */
#define COMPANION_SHARE 1.0
#define ROUND_WORK 1.3e8 /* work of an island between two meetings: some 30 ms */
/* Columns in sight may be priced for so many passes before all columns are looked at: 0.3 within noise. With 1, the
 * prices of a restart cost 1.01 and 1.13 passes under hinge (150 x 16,000 with factors, s = 10, 20). F with 1, 1.5 and
 * 2 was 0.7, 2.2 and 2.2 % above the lowest on 14 cells of the four tables of SIGHT_NEAR, and 1.8 with more candidates;
 * but these are from one seed, and half of each is due to one cell */
#define SIGHT_AGE 1.5
#define OPTIMAL_GAP 1e-6      /* relative to |F|: a gap below this is reported as a proof (spgm.h, SPGM_OPTIMAL) */
#define NEWS 1e-12            /* relative to |F|: a smaller fall is rounding */
#define PRUNE_OF_TARGET 1e-11 /* relative to ||b||, ... */
/* ... and to |F|: the change by leaving out a coefficient that fits rounding errors */
#define PRUNE_OF_OBJECTIVE 1e-12
/* Relative to the squared length of a column: if less is left beside the chosen columns, it depends on them */
#define START_VANISHED 1e-10
#define START_DEPENDENT 1e-12 /* the same for a column that is taken all the same and adds nothing to the basis */
/* Relative to the curvature of a candidate: the least that is assumed to be left beside the support */
#define SURROGATE_LEFT 1e-4
/* Added to the diagonal of the surrogate, relative to the largest curvature: HELD for a coefficient at its bound, which
 * must not move; RIDGE for all others, so that M exists where columns depend on each other. */
#define SURROGATE_HELD 1e6
#define SURROGATE_RIDGE 1e-10
#define LEVEL 1e-4        /* relative to |F|: a walk is at a rough minimum when no exchange promises a larger fall */
#define NEAR_BEST 0.03    /* relative: the end of a walk this near the best F is descended (0.01 to 0.1 within noise) */
#define RECALL_SHARE 0.05 /* share of restarts that first return to an elite */
#define DESCEND_ANYWAY 0.1 /* share of restarts whose end is descended in any case */
#define THROWN 0.4 /* share of the support that is exchanged at random after CAUGHT restarts: 0.12 and 1 were worse */
/* Share of restarts with at most FEW_UNITS units that exchange random units for random ones. Walks alone left 18
 * columns, s = 6 at a local optimum after 500 restarts (l2, 9 rows) */
#define KICK_SHARE 0.3
/* Tabu tenure on squares, as multiples of the square root of the number of units: its least value, and the range of the
 * random addition. 256 x 1024 and 2048, six fresh instances, s = 60, 90, l1 and linf at 1 s, above the lowest: 6 to 16
 * steps 2.5, 3.0 %; 2/3 and 2/3 2.2, 2.6; these 1.3, 2.1. On wide tables with s = 20 four to five steps were far better
 * than eleven. */
#define STEADY_TENURE (2.0 / 3)
#define STEADY_CHANCE 1.0
#define TOUR_TRUST 1e-3 /* relative to F: if a tour in single precision is further off, it is the last one */
/* Most entries of A for which a copy in single precision is made if products are not kept (16 MB) */
#define TOUR_IMAGE 4e6
#define TOUR_START 1.6e7 /* work that the products of a first tour may take */
/* TOUR_STEP: the work that an exchange counts, for every number of the tableau. TOUR_CREDIT: how much work new products
 * may take for each unit of work on exchanges so far. random-256-1024, -2048, -C, fresh seeds, s = 30 to 90, l1 and
 * linf, at 1 s: 2.7 % above the lowest with steps of 3, 1.7 with 1.5, 1.1 with 1 (an exchange takes a third of the time
 * that it took when 3 was chosen). A credit of 1, 3 and 10 at 0.1 s: 17.1, 12.7, 16.1. */
#define TOUR_STEP 1.0
#define TOUR_CREDIT 3.0
/* The same as DEPENDENT_ENTRY, in single precision and relative to the squared length */
#define DEPENDENT_SINGLE 1e-4f
#define DEPENDENT_ENTRY 1e-9 /* relative: a column with less left beside the support is no candidate */

/* Parameters of the search that depend on whether one reweighted least-squares step comes near an exact fit: `sums`
 * where it does (loss table: reweights), `peaks` where it does not (linf). Chosen on the four instances of
 * ../shared/quality in the first version. That rough walks are better than exact ones for sums is beyond doubt; the
 * rest is known within a factor of two. */
struct search_habits {
    int tries; /* trials fitted exactly for each weighting before the descent gives up. Peaks: exchange/README.md */
    int line_steps;    /* evaluations of F along a line; the same */
    int walk_length;   /* most steps of a walk. Peaks: 3 to 5 of 3 to 20 (exchange/README.md) */
    double crossing;   /* share of restarts that cross two elites */
    int walks_roughly; /* steps of a walk are fitted by one reweighted step */
};

static const struct search_habits habits_of_sums = {2, 4, 60, 0.03, 1};
static const struct search_habits habits_of_peaks = {3, 6, 5, 0.15, 0};

/* ---- auto: what is tried, and for how long ----------------------------------------------------------------------- */

enum { DEFAULT_EFFORT = 5 };
#define TREE_WORK 1e8     /* work of branch and bound at effort 5: about that of the shortest search */
#define SOME_SUPPORTS 6e5 /* up to so many supports (30 columns by 6) the tree may do SOME_WORK, ... */
#define SOME_COLUMNS 50   /* ... if there are at most so many columns */
#define SOME_WORK 3e9     /* half a second; l1, quantile, linf and hinge take 2e8 to 2e9 with 500 rows and noise */
/* Up to so many supports (all of 16 columns) it may do FEW_WORK, and it nearly always ends */
#define FEW_SUPPORTS 13000
#define FEW_WORK 1e10        /* five seconds; 60 of 60 proven with n = 12 to 16, 60 to 600 rows, in 0.5 s at most */
#define BOUND_WORK 2e9       /* work of the bound of the root alone, at the end of a run */
#define BOUND_LEAST 4e6      /* a bound may always take this much at the end: a millisecond or two */
#define BOUND_PART 0.5       /* work of the bound alone under a time limit, relative to the work done by then */
#define TREE_BYTES 268435456 /* memory of open nodes */
/* Multiplications for each row that an iteration of a method counts, besides its passes. PSGD, which looks at few
 * columns most of the time, takes 1.2 to 2.2 ns for each row under l1 and huber and 2.4 to 5.5 ns under linf (1,000 x
 * 40, 3,000 x 60); a multiplication takes 0.1 to 0.2 ns. Without this, bounds that take 0.2 to 0.6 of the time of such
 * a fit would be left out. */
#define BOUND_ROW 8
/* Under a time limit, the share of the work that the check of all exchanges of the best support may take; PEAKS: for
 * linf, whose surrogate misses most of what lowers F where s is small. linf, fresh instances of 256 x 1024 and 2048, s
 * = 10, 30, two seeds, percent above the lowest of these runs at 0.3, 1, 3 s: none 4.4, 3.0, 1.1; 0.2 4.1, 2.9, 1.1;
 * 0.4 3.7, 2.5, 0.8. l1, s = 10, 30, at 0.3, 1, 2.5 s: none 0.4, 0.4, 0.3; 0.4 0.8, 0.4, 0.2. Since most exchanges are
 * excluded by the fits of others, fresh seeds 19016, 72689, C-15008, s = 10, 30: 0.4 2.9, 1.5, 0.8; 0.2 2.6, 1.1, 0.7;
 * 0.1 2.6, 1.2, 0.7; s = 60, 90 at 1, 3, 10 s: 0.4 without exclusion 5.0, 3.4, 2.3; 0.2 5.0, 3.2, 1.7; 0.1 4.9, 3.2,
 * 2.0. */
#define VERIFY_PART 0.1
#define VERIFY_PART_PEAKS 0.2
enum {
    VERIFY_FIRST = 32, /* units of the first round of the check, those that promise most; ... */
    VERIFY_GROWTH = 4  /* ... each further round has so many times as many in all */
};
#define EXCLUDED_ROOM 4e6 /* pairs at most for which the signs of excluded.c are kept (4 MB) */
/* For the squared loss, exchanges whose priced change is above EXCLUDED F(0) are not fitted. Prices are exact except
 * for the 1e-10 that is added to the diagonal to keep the inverse definite, which moves them by at most 1e-10
 * WELL_POSED F(0). */
#define EXCLUDED 1e-6
#define WELL_POSED 1e3
#define VERIFY_RISE 2.0 /* most work of the next round of the check, about, relative to the last one */
/* Share of the work so far that one round may take, so that a round without success costs little */
#define VERIFY_AT_ONCE 0.1
#define VERIFY_WORK 1e8 /* for the check of all exchanges at effort 5, without a time limit */
/* SMALL_COST: below this number (nonzeros times columns of the support) more restarts are made; MOST_TIMES: at most so
 * many times as many. A third of that left seeds up to 10 % apart (100 x 1500 with factors, s = 20), in a third of the
 * time. linf: twice as many lower F by 1.6 % in the mean over ten kinds of fits (generated, 100 to 120 rows, s = 5,
 * 10), in 1.56 of the time. */
#define SMALL_COST 8e6
#define MOST_TIMES 32
#define QUADRATIC_PATIENCE 3 /* factor on restarts for the squared loss, where a walk costs little */
/* Starts agree if at least 1 / AGREEING_PART of the restarts end at the best F again from a higher one */
#define AGREEING_PART 8
/* The same for losses where a walk is a few exact steps (linf) and restarts are many. 8: 74 default fits of 28
 * generated tables (tall, and wide as gene expression, s = 5 to 20) took 1.28 and 1.35 (tall), 1.09 and 1.06 (wide) of
 * the time, with a lower F in none. No least share at all: F 0.3 % higher in the mean over 16 of the wide ones. For
 * sums (48 fits, s = 5, 10) 32 raises F by 0.1 to 0.2 % and saves 7 to 11 % of the time. */
#define AGREEING_PART_PEAKS 32
/* ALONE_TIMES as many restarts, for sums, while no start but the one that found the best F has ended there, where rows
 * times columns of the support are at most ALONE_SIZE. l1, eight generated wide tables (65 to 120 rows, 420 to 3,500
 * columns, s = 10, 20), four seeds, fresh: 5.85 % above the lowest for 6.78 without, in 1.28 of the time (effort
 * 6: 4.50 in 1.63). Where fits are larger it is worth less: 256 x 1024, seeds 801 and 802, s = 20 to 90, six seeds: F
 * 0.4 % lower in 1.36 of the time. */
#define ALONE_SIZE 3000
#define ALONE_TIMES 2
#define METHODS_LEVEL 4 /* level 4 begins with SPGM and the methods it is compared with */
/* Restarts before these methods run, under a time limit: a second or two at s = 90 of 256 rows, of which the methods
 * take a third */
#define PORTFOLIO_AFTER 400

/* ---- large data: samples of rows, judged on all of them ---------------------------------------------------------- */

enum {
    QUIET_LEVELS = 2, /* the search ends after so many levels in a row without a lower F */
    MOST_EFFORT = 9,  /* a run with more levels than this is under a time limit */
    MOST_LEVELS = 56, /* levels under a time limit: the work of the last one would take years */
    DESCENT_STEPS = 4 /* a search on all rows begins only if there is work for so many exchanges */
};
/* The values of large_sizes (described in large.h), chosen on the cases of bench_scale. COLUMNS_FOR_EACH: how many more
 * columns a sample has for each that may be in the model. */
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
#define LARGE_ROOM 67108864.0 /* bytes of an m x s block that are always allowed */
#define LARGE_SHARE 0.25      /* share of the data that an m x s block may take */
/* Vectors over rows that the search on all rows needs: 14 itself, 33 for fits, 8 for the run */
#define LARGE_VECTORS 55.0
/* Vectors over rows that are always allowed: a fit by the engine `interior` needs 22 */
#define LARGE_FEW_VECTORS 24.0
#define MAPPED_SHARE 0.05        /* share of a mapped file that a run should take in all, */
#define MAPPED_PROCESS 8388608.0 /* of which this is for the program itself */
#define MAPPED_VECTORS 14.0      /* and so many vectors over rows at any time */
#define MAPPED_SAMPLE 8388608.0  /* bytes that a sample and its search may always take */
/* Vectors over rows for a search in a sample: images of entering and leaving columns, fits */
#define SEARCH_VECTORS 320.0
#define LARGE_QUICK 6      /* factor on the work if vectors over rows stay in the cache */
#define GREEDY_SHARE 0.34  /* share of the work that OMP, with one pass for each column, may take */
#define LARGE_LINE_STEPS 8 /* evaluations of F along the first line */
enum {
    LARGE_SAMPLES = 4, /* samples of a level if rows live elsewhere: so many processes have something to search */
    MOST_WORK = 12     /* doublings of the work of a level */
};
#define JUDGE_GAP 1e-4 /* relative to F: gap of the fits on all rows that compare supports */
enum {
    PART_LEVELS = 3,   /* levels of `auto` in a sample */
    MOST_DOUBLINGS = 3 /* most doublings of the size of a sample */
};
#define LARGEST_SHARE 0.9     /* share of a sample that is the rows with the largest residuals, if few rows decide */
#define BISECTIONS 40         /* bisection steps to find how large these residuals are */
#define ROW_SHARE 0.125       /* share of the rows that a sample may take */
#define SAMPLE_ROOM 8388608.0 /* entries that a sample may always have */
#define SAMPLE_SHARE 0.0625   /* share of the entries of the data that a sample may have */
#define WORTH_ROWS 0.2        /* share of the rows from which on a sample is no better than all rows */
#define OCCUPANCY 64.0        /* nonzeros that a column should have in a sample */
#define GATHERED 3.2e7        /* entries of a sample that one process may have */

/* ---- checks of stationarity -------------------------------------------------------------------------------------- */

/* Relative to the squares that the projection leaves out: a point this near counts as a projection */
#define NEAREST_ROUNDING 1e-12
#define MU_NEAR 1.0001  /* the factor within which the largest mu of a Lipschitz stationary point is found */
#define BLOCK_LEAST 100 /* supports that are always tried, however long a fit takes */
/* Relative to |F|: a smaller fall is rounding, or the tolerance of the method that made x */
#define STATIONARY_SAME 1e-6
#define NO_SLOPE 1e-7   /* relative to ||a_j|| ||u||: a slope below this counts as zero */
#define SMALL_MU 1e-3   /* mu of the verdict, relative to the start of the schedule of mu */
#define BLOCK_WORK 1e10 /* work up to which all changes of the support are tried */
/* MU_HALVINGS: mu is looked at down to and up to so many halvings and doublings of the start of its schedule */
enum { LARGEST_BLOCK = 8, MU_HALVINGS = 100 };
#endif
