/* SPGM-BCD: Algorithm 1 of spgm.tex with Option II. README.md has the equations and our departures. */
#ifndef SPGM_METHOD_SPGM_BCD_H
#define SPGM_METHOD_SPGM_BCD_H

#include "method/smoothing.h"
#include "method/spgm_bcd/block.h"

/* Most coordinates of a working set that count towards s: there are 2^24 subsets of 24. */
#define BCD_MOST_COORDINATES 24
/* Most free columns in a working set. They cost no subsets. */
#define BCD_MOST_FREE 8

struct bcd {
    struct smoothing base;
    struct block block;
    int64_t random_count, greedy_count;
    int64_t most; /* coordinates that count in a working set: the sum, more where groups are taken whole */
    double support_share;
    int64_t *candidates; /* the columns that count towards s [candidate_count]         */
    int64_t candidate_count;
    double *square;    /* ||a_j||^2 + theta_1 [columns]                              */
    double *curvature; /* M~_jj + theta_2 [columns]                                  */
    double theta1, theta2;
    unsigned char *taken; /* nonzero: already in the working set [columns]              */
    int64_t *B;           /* the working set, free columns first [k]                    */
    int64_t k, mandatory;
    int64_t *moved; /* those of B that change, and by how much [k]                */
    double *change;
    int64_t growth;   /* iterations until the model may have s columns; 0: at once          */
    int64_t looks;    /* the whole gradient is taken every so many iterations               */
    int is_whole;     /* it was in this one                                                 */
    int64_t *watched; /* zeros whose gradient is taken in between [watched_count]           */
    int64_t watched_count;
    double *watched_g; /* [columns] */
    double *M;         /* M~_BB [k^2]                                               */

    /* under groups, with barred columns or with bounds */
    int is_within;  /* any of these                                                                  */
    int64_t budget; /* units that B may have                                                         */
    int64_t *count; /* nonzeros by unit or group, zero between calls [columns]                       */
    double *rise;   /* of the majoriser when a unit is dropped; where groups count as one [units]    */
};

/* Take the arrays; a setting that cannot be used is an error. */
spgm_error bcd_init(struct bcd *bcd, struct run *run, struct workspace *workspace, spgm_status *status);
void bcd_start(struct bcd *bcd);
/* One iteration of Algorithm 1: (x^t, y^t) to (x^{t+1}, y^{t+1}); what it knows is in base.iteration. */
void bcd_step(struct bcd *bcd);

extern const struct method method_spgm_bcd;

#endif
