/*
 * Refit: exact minimisation over a support that changes by a column at a time,
 *
 *     minimise  1/2 sum_j ridge_j x_j^2 + h(A_S x - b),      h of the pinball family or the largest |r_i|.
 *
 * Where polish (an interior-point method) starts from nothing, a refit starts from the last active rows and needs a few
 * pivots of O(m s). Every solve ends with a primal-dual pair from fresh residuals. This is what exchanges of columns
 * are tried with; README.md has the mathematics.
 */
#ifndef SPGM_SEARCH_REFIT_H
#define SPGM_SEARCH_REFIT_H

#include "method/polish/polish.h"
#include "model/problem.h"

enum refit_outcome {
    REFIT_OPTIMAL, /* relative gap at most REFIT_GAP                                                */
    REFIT_CUTOFF,  /* a lower bound on F reached the cutoff: x is not optimal, `bound` is valid      */
    REFIT_INEXACT  /* rounding kept the gap above REFIT_GAP; objective and bound say how good it is */
};

#define REFIT_GAP 1e-8

struct refit;

/* Whether this kind of problem can be refitted: no smooth term but ridge; pinball family or linf; all rows here. */
int refit_applies(const struct problem *problem);
/* For supports of at most `capacity` columns. NULL: out of memory. refit_free accepts NULL. */
struct refit *refit_new(const struct problem *problem, int64_t capacity);
void refit_free(struct refit *refit);

/* Give up between two pivots when must_stop says so: REFIT_INEXACT, with F of the x at hand. NULL: never. */
void refit_set_stop(struct refit *refit, int (*must_stop)(void *context), void *context);

void refit_set_size(struct refit *refit, int64_t size); /* new positions must be filled by refit_set_column */
void refit_set_column(struct refit *refit, int64_t position, int64_t column);
void refit_drop_column(struct refit *refit, int64_t position); /* the last column moves to `position` */
/* Where a warm solve starts: x [size]; linf also rows and signs (+1, -1), by default those of the last solve; none: the
 * rows with the largest residuals at x. */
void refit_set_x(struct refit *refit, const double *x);
void refit_set_active(struct refit *refit, int64_t count, const int64_t *rows, const signed char *signs);

/* Cold: polish, then the active set. Warm: from x and the active rows; a linf solve may end at the cutoff. */
enum refit_outcome refit_solve_cold(struct refit *refit);
enum refit_outcome refit_solve_warm(struct refit *refit, double cutoff);

/* Views, valid until the next call. */
const double *refit_x(const struct refit *refit);        /* [size]                               */
const double *refit_residual(const struct refit *refit); /* A_S x - b [rows]                     */
const double *refit_dual(const struct refit *refit);     /* u in the domain of h* [rows]         */
double refit_objective(const struct refit *refit);
double refit_bound(const struct refit *refit);
int64_t refit_active(const struct refit *refit, const int64_t **rows, const signed char **signs);
int64_t refit_pivots(const struct refit *refit); /* since refit_new */

#endif
