/* Large data: what the files of its search share. large.c has the way, large_sample.c what happens in a sample. */
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
    struct fit *fit;           /* on all rows                              */
    struct exchange *exchange; /* on all rows, NULL until it is used       */
    double *sums;              /* of the columns [columns]                 */
    const double *square;      /* of the columns less their means [columns] */
    double *price;             /* [columns]                                */
    double *score, *spare;     /* [columns]                                */
    double *x;                 /* [columns]                                */
    double *r, *d;             /* [rows]                                   */
    int64_t *support, *chosen; /* [columns]                                */
    unsigned char *is_in;      /* [columns] of a part                      */
    int64_t *rows, *columns;   /* of a part [rows], [columns]; the latter as the data has them */
    double *times;             /* how many rows a row stands for [rows]    */
    double *x_data, *x_part;   /* [data_columns]                           */
    double *found;             /* the end of this process's search [data_columns] */
    int64_t samples;           /* samples of a level                       */
    double *ends;              /* of their searches [samples x columns]    */
    double zero;               /* h at x = 0                               */
    double exact;              /* F of the best model that was fitted to the last digit     */
    double descended;          /* F from which exchanges on all rows have led no further     */
    int has_begun;             /* exchanges on all rows have                                 */
    double saved;              /* work that levels have left for exchanges on all rows       */
    int64_t first_row;         /* of this process among all rows                             */
};

static inline double doubled(double amount, int times, int most) {
    return ldexp(amount, times < most ? times : most);
}

/* h is perfect, or the run must stop. */
int large_is_stopped(struct large *L);
/* Whether exchanges on all rows keep within memory; they are not made for rows that live elsewhere. */
int large_fits_memory(const struct run *run);
/* The data are in a large mapped file, and a run should take little beside it. Of rows that live elsewhere never:
 * processes must answer alike, whatever their parts are. */
int large_is_beside_map(const struct run *run);
/* Bytes that a sample and the search in it may take together. */
double large_sample_bytes(const struct run *run);
/* p_j^2 / ||a_j||^2, 0 where a bound is in the way. */
double large_promise(const struct large *L, int64_t j);
/* Fit the support of x on all rows, until F is this near its minimum. The lower F stays the best. */
spgm_error large_judge(struct large *L, const double *x, double gap, spgm_status *status);
/* The prices of all columns at the best model: r = A x - b, its dual vector, A'u. */
void large_price(struct large *L);
/* Not where it has all columns and so many of the rows that these may as well be searched themselves. */
int large_is_worth_a_sample(const struct large *L, int level);
/* Search in samples; all rows judge the ends. */
spgm_error large_search_samples(struct large *L, int level, spgm_status *status);

#endif
