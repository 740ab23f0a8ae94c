/*
 * The rows that decide, for a loss whose value depends on few rows (the largest residual). They are the rows with the
 * largest residuals at a model, and later the rows that the ends of searches among them broke. A problem on some of the
 * rows is a relaxation: its F is never above that on all rows. So a support that is not below the best F there needs no
 * look at the other rows.
 */
#ifndef SPGM_SEARCH_FEW_ROWS_H
#define SPGM_SEARCH_FEW_ROWS_H

#include "method/method.h"

struct few_rows {
    const struct problem *whole;
    struct point point;         /* over all rows */
    int64_t count, most;        /* current number of rows; with more than `most`, all rows are as good */
    int64_t *rows;              /* ascending [most] */
    unsigned char *is_in;       /* [rows of whole] */
    double *size, *spare;       /* |r_i|, or -1 for rows that are not to be taken; scratch [rows of whole] */
    int64_t *chosen;            /* [rows of whole] */
    struct workspace workspace; /* owns the arrays */
};

/* Whether the rows that decide are so few beside the size of the supports that a search among them pays. */
int few_rows_are_of_use(const struct run *run);
/* Take the rows with the largest residuals at the best x of the run. *f must be zero. */
spgm_error few_rows_take(struct few_rows *f, const struct run *run, spgm_status *status);
void few_rows_free(struct few_rows *f);
/* x is a fit on the rows taken so far. Rows outside whose residuals are larger than all of those are added, the largest
 * first, as long as there is room. Returns how many such rows there were. */
int64_t few_rows_learn(struct few_rows *f, const double *x);

#endif
