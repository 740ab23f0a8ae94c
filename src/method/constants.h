/*
 * The constants of the methods. The data that those of a method were chosen on, and what they cost elsewhere, are in
 * the last section of its README; cvx-l1 and ncvx-lp share that of `relax`, both forms of SPGM that of `spgm_bcd`.
 * Constants of rounding follow from it.
 */
#ifndef SPGM_METHOD_CONSTANTS_H
#define SPGM_METHOD_CONSTANTS_H

#include <float.h>
#include <stdint.h>

/* ---- what first-order methods share (baseline.c, row_updates.c: README of psgd) --------------------------------- */

enum {
    LONGEST_PERIOD = 8, /* iterations between looks at all columns at most, unless the method says otherwise; ... */
    TALL_PERIOD = 16,   /* ... and where rows are many: */
    TALL = 50,          /* so many for each of s columns. There a few columns stand out */
    SPARE_COLUMNS = 16  /* columns watched beyond the s that are needed */
};
#define ROW_ENTRIES ((int64_t)1 << 22) /* entries of A up to which a copy by rows is kept: 32 MiB */
enum {
    ROW_UPDATES = 64, /* updates by rows before a whole product, against rounding */
    ROW_SHARE = 2,    /* where more than rows / ROW_SHARE rows have changed a whole product is cheaper */
    ROW_BLOCK = 8     /* columns that are transposed at a time */
};
#define LEAST_DIVISOR 1e-300 /* the least that a divisor may be, so that a quotient is a number */
/* A bound on ||A d|| / ||d|| that a step breaks is raised to so many times what the step shows, so that few steps break
 * it */
#define BOUND_RAISE 1.05

/* ---- a run that is cut short (fill.c) --------------------------------------------------------------------------- */

/* Evaluations along the line; smoothings of h that are tried, each with 1 / FILL_FALL of the mu before; rounds for
 * columns that a bound holds at 0. First guesses: a run ends so rarely, and a fit of any line is better than none. */
enum { FILL_STEPS = 12, FILL_SMOOTHINGS = 4, FILL_FALL = 8, FILL_ROUNDS = 8 };

/* ---- SPGM (mu_schedule.c, smoothing_stages.c, spgm_iht, spgm_bcd) ----------------------------------------------- */

/* No step is left to take long before mu is this many halvings below its start; below, 1/mu would overflow. */
enum { MOST_HALVINGS = 400 };
#define SMALLEST_MU 1e-290
enum {
    FIRST_SHARE = 2,  /* the first stage takes at most 1 / FIRST_SHARE of the iterations there are, ... */
    LATER_SHARE = 8,  /* ... each later one 1 / LATER_SHARE                                             */
    HALVINGS = 20,    /* halvings of mu in a stage */
    GROWTH_SHARE = 4, /* 1 / GROWTH_SHARE of the first stage is for the growth of the model */
    FIT_STEPS = 28    /* Gram matrices that the first fit takes, about */
};
#define HEATS                                                                                                          \
    { 0.25, 0.06, 0.5, 0.125 }        /* first mu of the later stages, in turn, relative to mu^1 */
#define SETTLED 1e-6                  /* F - J <= SETTLED (1 + |F|): the smoothing no longer matters */
#define IHT_RAISE 1.25                /* a raised bound takes at least this step, so that a run has few failures */
#define IHT_CUT 0.9                   /* the cut of the next selection, relative to the smallest key kept by this one */
#define BLOCK_TINY (64 * DBL_EPSILON) /* relative to its curvature: a column with less left depends on others */
/* The working set of the tuned form of spgm-bcd. There the whole gradient is taken every LOOK_PERIOD iterations, and in
 * between that of the support and of the zeros that were most promising then: s / 2 and SPARE_COLUMNS. */
enum { TUNED_RANDOM = 4, TUNED_GREEDY = 6, LOOK_PERIOD = 8 };
#define TUNED_SHARE 0.5

/* ---- the methods that SPGM is compared with: a trial takes max_iterations / TRIAL steps ------------------------- */

/* mu in units of the smallest mu with P_mu(-b) = 0; adaptive: see admm_iht.c. mu is halved after each of the first
 * ADMM_PARTS - 1 equal parts of a stage. */
#define ADMM_STAGES                                                                                                    \
    {                                                                                                                  \
        {1, 1}, {1, 0}, {                                                                                              \
            0.3, 1                                                                                                     \
        }                                                                                                              \
    }
#define ADMM_PLAIN                                                                                                     \
    { 0.01, 0 }
enum { ADMM_PARTS = 5, ADMM_TRIAL = 24 };

/* eta in units of 1 / L, the last one relative to the first, and max_iterations by the steps: first a short step, whose
 * path holds the better points, then a long one that shrinks, for the bound. */
#define DIHT_STAGES                                                                                                    \
    {                                                                                                                  \
        {0.2, 1, 1}, {                                                                                                 \
            1, 1e-3, 4                                                                                                 \
        }                                                                                                              \
    }
#define DIHT_PLAIN                                                                                                     \
    { 1, 1, 1 }
enum { DIHT_PATIENCE = 1, DIHT_LOOSE_PASSES = 60, DIHT_LOOSE_SWEEPS = 4 };
#define DIHT_BOUND_GAIN 1e-2
/* Relative to its length: a free column without ridge with less left beside others depends on them. */
#define DIHT_DEPENDENT 1e-12
#define DIHT_ROUNDING 1e-9 /* relative to ||a_j|| ||alpha||: a c_j below this may be zero, ... */
#define DIHT_REACH 10      /* ... and x_j is taken to go this many times ||b|| / ||a_j|| + |x_j| along it */
#define DIHT_LEVEL 1e-13   /* relative to ||a_j|| ||alpha||: below this the equation of a free column is solved */

/* mu in the same units, tie in units of the mean of ||a_j||^2; the stage of the plain form. mu at max_iterations,
 * relative to the first; ||x - z|| <= PDM_AGREEMENT ||z||: done. */
#define PDM_STAGES                                                                                                     \
    {                                                                                                                  \
        {1, 0.3}, {1, 1}, {                                                                                            \
            0.3, 3                                                                                                     \
        }                                                                                                              \
    }
enum { PDM_PLAIN = 1, PDM_CG_STEPS = 3, PDM_TRIAL = 16 };
#define PDM_LAST_MU 1e-9
#define PDM_AGREEMENT 1e-6

/* First step lengths in units of ||b|| / root mean square of ||a_j||, the size of x; the last is 1e-4 of the first. A
 * trial has a length, the rest is for the best one. Between looks at all columns: with a copy of A by rows, and
 * without. */
#define PSGD_LENGTHS                                                                                                   \
    { 3, 1, 0.3, 0.1 }
#define PSGD_LAST 1e-4
enum { PSGD_TRIAL = 12, PSGD_PERIOD_BY_ROWS = 6, PSGD_PERIOD = 8 };

/* cvx-l1 and ncvx-lp: mu in the same units, and max_iterations by the steps of a sigma, far from the end and near it.
 */
#define CVX_L1_MU 0.1
#define NCVX_LP_MU 1
enum { CVX_L1_SHARE = 16, CVX_L1_NEAR_SHARE = 32, NCVX_LP_SHARE = 12, NCVX_LP_NEAR_SHARE = 12 };
enum {
    RELAX_LOWEST = -9, /* sigma = 2^LOWEST, 2^(LOWEST + 2), ..., 2^HIGHEST, as in spgm.tex               */
    RELAX_HIGHEST = 9,
    RELAX_EXTENSIONS = 12, /* at most so many powers of 4 beyond, until the solutions pass from sparse to dense */
    RELAX_BISECTIONS = 2,  /* of log sigma between the last dense and the first sparse solution          */
    RELAX_PERIOD = 10,     /* iterations between two looks at the residuals                              */
    RELAX_IDLE = 1,        /* a downward sweep ends when so many dense solutions in a row were not the best  */
    RELAX_FULL = 16,       /* ... or with so many times s nonzeros                                           */
    RELAX_FULLER = 4,      /* the start of an upward sweep has so many times s nonzeros                      */
    RELAX_SEEN = 64        /* supports that are remembered, so that none is fitted twice                     */
};
#define RELAX_MARGIN 1.25   /* columns are watched when v is within this factor of not being cut to 0            */
#define RELAX_CLOSE 1e-2    /* relative gap to which supports are re-optimised to find the best                  */
#define RELAX_ACCURACY 1e-3 /* relative primal and dual residuals at which a sigma is solved                     */
#define RELAX_KEEPS 0.8     /* relative to A_s of the last sigma: the least that the next one begins with */
#define RELAX_BALANCE 3     /* residuals further apart than this move mu, by a factor of 2 at most               */
#define RELAX_SAME 0.01     /* relative: a sigma this near to one that was solved counts as the same */
#define RELAX_NEAR 4        /* from 1 / RELAX_NEAR of the nonzeros that are wanted sigma falls in smaller steps */

#define OMP_DEPENDENT 1e-10 /* relative to its curvature: a column with less left depends on those already in */

#endif
