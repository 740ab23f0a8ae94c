/*
 * The rows that decide, of a loss that few of them do (the largest residual): those with the largest residuals at a
 * model, and then those that the ends of searches among them broke. A problem with a part of the rows is a relaxation:
 * its F is never above that of all rows, so that what is not below the best there needs no look at the rest.
 */
#ifndef SPGM_SEARCH_FEW_ROWS_H
#define SPGM_SEARCH_FEW_ROWS_H

#include "method/method.h"

struct few_rows {
    const struct problem *whole;
    struct point point;         /* over all rows                                     */
    int64_t count, most;        /* rows now, and at most: with more, all are as good */
    int64_t *rows;              /* ascending [most]                                  */
    unsigned char *is_in;       /* [rows of whole]                                   */
    double *size, *spare;       /* |r_i|, -1: not to be taken; scratch [rows of whole] */
    int64_t *chosen;            /* [rows of whole]                                   */
    struct workspace workspace; /* owns the arrays                                   */
};

/* Whether so few rows decide beside the size of supports that it is worth a search of its own. */
int few_rows_are_of_use(const struct run *run);
/* Those with the largest residuals at the best x of the run. *f is zero. */
spgm_error few_rows_take(struct few_rows *f, const struct run *run, spgm_status *status);
void few_rows_free(struct few_rows *f);
/* x fits the rows that are in: those outside that are further off than all of them come in, the worst first, as long as
 * there is room. Returns how many there were outside. */
int64_t few_rows_learn(struct few_rows *f, const double *x);

#endif
