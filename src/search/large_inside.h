/* Large data: what the files of its search share. large.c explains the search, large_sample.c the samples. */
#ifndef SPGM_SEARCH_LARGE_INSIDE_H
#define SPGM_SEARCH_LARGE_INSIDE_H

#include <math.h>

#include "search/constants.h"
#include "search/large.h"
#include "search/share.h"

struct large {
    struct run *run;
    const struct problem *problem;
    const struct large_sizes *sizes;
    struct workspace workspace;
    struct fit *fit;           /* on all rows */
    struct exchange *exchange; /* on all rows, NULL until it is used */
    double *sums;              /* sums of the columns [columns] */
    const double *square;      /* squared norms of the centred columns [columns] */
    double *price;             /* [columns] */
    double *score, *spare;     /* [columns] */
    double *x;                 /* [columns] */
    double *r, *d;             /* [rows] */
    int64_t *support, *chosen; /* [columns] */
    unsigned char *is_in;      /* which columns are in a sample [columns] */
    int64_t *rows, *columns;   /* rows of a sample [rows] and its columns [columns]; the columns as the data numbers
                                  them */
    double *times;             /* how many rows each sampled row stands for [rows] */
    double *x_data, *x_part;   /* [data_columns] */
    double *found;             /* end of this process's search [data_columns] */
    int64_t samples;           /* samples per level */
    double *ends;              /* ends of their searches [samples x columns] */
    double zero;               /* h at x = 0 */
    double exact;              /* F of the best model that was fitted to full accuracy */
    double descended;          /* F at which exchanges on all rows have not found anything lower */
    int has_begun;             /* exchanges on all rows have begun */
    double saved;              /* work that levels have left over for exchanges on all rows */
    int64_t first_row;         /* number of this process's first row among all rows */
};

static inline double doubled(double amount, int times, int most) {
    return ldexp(amount, times < most ? times : most);
}

/* Whether F is a perfect fit or the run must stop. */
int large_is_stopped(struct large *L);
/* Whether exchanges on all rows have enough memory; they are not made if rows live elsewhere. */
int large_fits_memory(const struct run *run);
/* Whether the data are in a large mapped file, beside which a run should take little memory. Never if rows live
 * elsewhere: processes must decide alike, whatever their parts are. */
int large_is_beside_map(const struct run *run);
/* Bytes that a sample and the search in it may take. */
double large_sample_bytes(const struct run *run);
/* p_j^2 / ||a_j||^2, or 0 if a bound keeps x_j from moving. */
double large_promise(const struct large *L, int64_t j);
/* Fit on the support of x over all rows, until F is within the relative gap of its minimum. The lower F stays the best.
 */
spgm_error large_judge(struct large *L, const double *x, double gap, spgm_status *status);
/* The prices of all columns at the best model: r = A x - b, its dual vector u, and A'u. */
void large_price(struct large *L);
/* Whether a sample at this level pays. Not if it has all columns and so many of the rows that these may as well all be
 * searched. */
int large_is_worth_a_sample(const struct large *L, int level);
/* Search in samples; the ends are fitted on all rows. */
spgm_error large_search_samples(struct large *L, int level, spgm_status *status);

#endif
