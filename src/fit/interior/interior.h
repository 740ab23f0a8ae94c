/*
 * Polish: exact convex minimisation with the support fixed,
 *
 *     minimise  f(x) + h(A x - b)   over x with x_j = 0 outside the support,
 *
 * for every h and f of the library. The result carries its own proof: an explicitly feasible dual point u gives
 *
 *     F(x) >= u'(A y - b) - h*(u) + f(y) - sum_j w_j^2 / (2 ridge_j),     w = A_S'u + grad f_S(y),
 *
 * for any y, and the reported bound is the best such value seen (README.md: what happens where ridge_j = 0).
 */
#ifndef SPGM_METHOD_POLISH_POLISH_H
#define SPGM_METHOD_POLISH_POLISH_H

#include "base/status.h"
#include "model/problem.h"

struct polish_report {
    double objective; /* F at the point returned                                     */
    double bound;     /* a proven lower bound on F over the support                  */
    double gap;       /* (objective - bound) / max(|objective|, 1e-6 |F(0)|)         */
    int64_t steps;    /* linear systems factored                                     */
};

struct polish;

/* Take all memory for supports of at most `capacity` columns. NULL: out of memory. polish_free accepts NULL. */
struct polish *polish_new(const struct problem *problem, int64_t capacity);
void polish_free(struct polish *polish);
/* Give up between two steps when must_stop says so: the best point so far, with the gap that it has. NULL: never. */
void polish_set_stop(struct polish *polish, int (*must_stop)(void *context), void *context);
/* For the choice among supports: stop when the relative gap by complementarity is `gap` already, and give up when F
 * less this gap is above `cutoff`: the minimum is then very probably not below it (proven only when the dual equations
 * hold). 0 and INFINITY, as at first: the exact minimum. */
void polish_set_limits(struct polish *polish, double gap, double cutoff);
size_t polish_bytes(const struct problem *problem, int64_t capacity);

/*
 * support [k], distinct columns. x [columns]: in, the start (entries outside the support are ignored); out, the
 * minimiser, zero outside the support, never worse than the start. Allocates nothing. SPGM_ERROR_UNSUPPORTED for a loss
 * it does not know.
 */
spgm_error polish_run(struct polish *polish, int64_t k, const int64_t *support, double *x, struct polish_report *report,
                      spgm_status *status);

/* The dual vector u in dom h* that the last run ended with [rows]: A_S'u + grad f_S(x) is zero, nearly. */
const double *polish_dual(const struct polish *polish);

/* The same in one call. report may be NULL. */
spgm_error polish_support(const struct problem *problem, int64_t k, const int64_t *support, double *x,
                          struct polish_report *report, spgm_status *status);

/* The free columns and the nonzeros of x, ascending, into support [columns]; returns how many. */
int64_t polish_support_of(const struct problem *problem, const double *x, int64_t *support);

#endif
