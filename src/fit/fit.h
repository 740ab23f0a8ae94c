/*
 * A fit: exact convex minimisation over a support that changes by one column at a time,
 *
 *     minimise  f(x) + h(A x - b)   over x with x_j = 0 outside the support and lower_j <= x_j <= upper_j,
 *
 * for every loss, smooth term and operator of the library. Several engines implement this one contract (engine.h);
 * callers cannot tell which engine answered.
 *
 *     in    a support, by position; a start x; the state that the last fit left behind
 *     out   x, exactly within its bounds; the residual A x - b; a dual vector u in dom h*; F; on demand a proven lower
 *           bound on F over the support (fit_bound)
 *
 * An engine ends when its own estimate of the gap is small enough. That is quick and accurate, except for the effect of
 * rounding on nearly dependent columns. Use fit_bound where the bound must be reliable: it returns -INFINITY rather
 * than a bound that is not proven.
 */
#ifndef SPGM_FIT_FIT_H
#define SPGM_FIT_FIT_H

#include <stdatomic.h>

#include "base/status.h"
#include "model/problem.h"

enum fit_outcome {
    FIT_OPTIMAL, /* the estimated gap is at most FIT_GAP of |F|, or of 1e-3 |F(0)| if F is below that */
    FIT_CUTOFF,  /* no x of this support within reach has F below the cutoff: fit_bound and the dual vector are valid,
                    the rest is not that of the support */
    FIT_INEXACT  /* rounding kept the gap above FIT_GAP, or the fit was stopped; x and F are the best available */
};

#define FIT_GAP 1e-8

struct fit;

/* A summary of the last fit. */
struct fit_report {
    enum fit_outcome outcome;
    double objective, gap;
    int64_t steps;
};

/*
 * A fit for supports of at most `capacity` columns, free ones included. Returns NULL if out of memory; fit_free accepts
 * NULL. fit_new takes only vectors. The first fit takes the matrices of its engine, and later fits take no memory
 * except when nearly dependent columns first need it. If a fit cannot be made (out of memory, or no engine for the
 * loss), it and all later ones end FIT_INEXACT at the given x, and fit_error says why. fit_reserve takes all memory at
 * once and returns 0 if that fails.
 */
struct fit *fit_new(const struct problem *problem, int64_t capacity);
void fit_free(struct fit *fit);
/* The memory that fits take, approximately, for the error message. */
size_t fit_bytes(const struct problem *problem, int64_t capacity);
int fit_reserve(struct fit *fit);
/* Release the memory of the engines until the next fit, so that it can be used elsewhere. x, residual, dual vector and
 * F remain. */
void fit_release(struct fit *fit);
spgm_error fit_error(const struct fit *fit, spgm_status *status);

/* End the fit soon after must_stop returns nonzero: the outcome is FIT_INEXACT, with the best known x (at least as good
 * as the start and x = 0) and its residual, dual vector and F. must_stop is called in every step and every few hundred
 * thousand multiplications; after a nonzero answer it is not called again before the next fit. NULL: never stop. */
void fit_set_stop(struct fit *fit, int (*must_stop)(void *context), void *context);

/* The support. What is known about the column of a position is kept until the position gets another column. x at a new
 * column is undefined: use fit_set_x where it matters. A fit first clips x to its bounds. */
void fit_set_size(struct fit *fit, int64_t size); /* new positions must then be filled by fit_set_column */
void fit_set_column(struct fit *fit, int64_t position, int64_t column);
void fit_set_support(struct fit *fit, int64_t size, const int64_t *columns);

/* What a warm fit starts from besides x: the rows that were active at the end of another fit, and their signs. The
 * arrays [capacity + 2] belong to the caller; engines without active rows set count to 0. */
struct fit_active {
    int64_t count;
    int64_t *rows;
    signed char *signs;
};

void fit_set_x(struct fit *fit, const double *x); /* [size] */
void fit_set_active(struct fit *fit, const struct fit_active *active);
void fit_get_active(const struct fit *fit, struct fit_active *active);

/* With a cutoff, a warm fit then considers only x between low and high [columns]: it may end as soon as no such x is
 * estimated to have F below the cutoff. The arrays belong to the caller. NULL: all x count. */
void fit_set_reach(struct fit *fit, const double *low, const double *high);
/* A rough fit may end as soon as F is below this value; needed where F has no minimum. Default: -INFINITY. */
void fit_set_enough(struct fit *fit, double objective);

/*
 * Cold: from x = 0; prepares later warm fits. Warm: from x and the active rows. Rough: no worse than x, and only to a
 * relative gap of about `gap`, to choose among supports; with gap 0 it is as exact as rounding allows. Warm and rough
 * fits may end at the cutoff. A rough one does so as soon as F minus the complementarity gap exceeds the cutoff, and
 * returns the x and F that it has; that is a proof only where the dual equations hold.
 */
enum fit_outcome fit_cold(struct fit *fit);
enum fit_outcome fit_rough(struct fit *fit, double gap, double cutoff);
enum fit_outcome fit_warm(struct fit *fit, double cutoff);

/* Read-only views of the last fit, valid until the next call. */
const double *fit_x(const struct fit *fit);        /* [size]                       */
const double *fit_residual(const struct fit *fit); /* A_S x - b [rows]             */
const double *fit_dual(const struct fit *fit);     /* u in dom h* [rows]           */
double fit_objective(const struct fit *fit);
double fit_gap(const struct fit *fit);    /* (F - estimate) / max(|F|, 1e-6 |F(0)|)  */
int64_t fit_steps(const struct fit *fit); /* pivots and Newton steps since fit_new   */

/* The engine's estimate of a lower bound on F over the support; not proven. */
double fit_estimate(const struct fit *fit);

/*
 * A proven lower bound on F over the support, for the last fit; -INFINITY where nothing can be proven. It is computed
 * when it is first asked for, which takes passes over the columns and, if columns have neither ridge nor bounds, a Gram
 * matrix. The first call may take memory (fit_error reports a failure). After a stop the bound is -INFINITY or poor.
 */
double fit_bound(struct fit *fit);
double fit_bound_until(struct fit *fit, double want); /* may end early with any bound that reaches `want` */

/* Set the pair that fit_bound uses in place of a fit: x [columns of A], and u [rows], which must be in dom h*. */
void fit_bring(struct fit *fit, const double *x, const double *u);

/* Multiplications of all fits and proofs since fit_new, approximately, counted from the steps they took. */
double fit_spent(const struct fit *fit);
/* Expected multiplications of a fit over `size` columns, warm or cold, for planning. */
double fit_work(const struct problem *problem, int64_t size, int is_warm);
/* Whether a warm fit costs only a few pivots, as the exchange search assumes. */
int fit_is_warm(const struct problem *problem);

/* Write the free columns and the nonzeros of x to support [columns], ascending; returns their number. */
int64_t fit_support_of(const struct problem *problem, const double *x, int64_t *support);
/* fit_gather: fit_set_x from the full vector x [columns]. fit_scatter: the reverse, with zeros outside the support. */
void fit_gather(struct fit *fit, const double *x);
void fit_scatter(const struct fit *fit, double *x);
/* One fit over the support [k] from x [columns]. x receives the minimiser and never gets worse. report may be NULL. */
spgm_error fit_once(const struct problem *problem, int64_t k, const int64_t *support, double *x,
                    struct fit_report *report, int (*must_stop)(void *context), void *context, spgm_status *status);
/* Whether F from the raw data is higher than it was in the frame, by more than rounding takes as a rule. */
int fit_has_drowned(const struct spgm_problem *problem, double framed, double objective);
/* Such a z [columns of the frame] nearer to 0, over its support, where F from the raw data is lower; `objective` is
 * that at hand. Only a nonzero `interrupted` (or NULL) stops it. */
spgm_error fit_shorten(const struct spgm_problem *problem, const struct problem *framed, double objective, double *z,
                       const atomic_int *interrupted, spgm_status *status);

#endif
