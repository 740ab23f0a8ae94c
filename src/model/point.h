/*
 * A point x with what follows from it: its support, the residual c = A x - b and the state of f. They are updated by
 * the columns that change, and recomputed from time to time to limit the accumulated rounding.
 */
#ifndef SPGM_MODEL_POINT_H
#define SPGM_MODEL_POINT_H

#include "model/problem.h"

struct point {
    const struct problem *problem;
    double *x;        /* [columns]                                                            */
    double *residual; /* c = A x - b [rows]                                                   */
    double *state;    /* of f [smooth_state_size]                                             */
    int64_t *support; /* indices of x_j != 0 or free, ascending [support_size <= columns]     */
    int64_t support_size;
    int64_t counted;   /* how many of these count towards s */
    double *work;      /* [columns]                                                            */
    int64_t *entering; /* scratch: columns about to enter the support [columns] */
};

/* Take the arrays from the workspace; check workspace->failed. x is zero. */
void point_init(struct point *point, const struct problem *problem, struct workspace *workspace);
/* Replace x by `x` and recompute everything. */
void point_set(struct point *point, const double *x);
/* Replace x by the vector with values_i at columns_i and zero elsewhere; columns ascending, with all free ones among
 * them. */
void point_set_columns(struct point *point, int64_t k, const int64_t *columns, const double *values);
/* x_{columns_i} += change_i, k <= columns. Costs the k columns of A and of f, and one pass over the support when it
 * changes. */
void point_change(struct point *point, int64_t k, const int64_t *columns, const double *change);
/* Recompute residual and state from x. */
void point_refresh(struct point *point);
/* f(x) */
double point_smooth_value(const struct point *point);
/* F(x) = f(x) + h(c) */
double point_objective(const struct point *point);

#endif
