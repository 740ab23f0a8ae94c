/*
 * A fit: exact convex minimisation over a support that changes by a column at a time,
 *
 *     minimise  f(x) + h(A x - b)   over x with x_j = 0 outside the support and lower_j <= x_j <= upper_j,
 *
 * for every loss, smooth term and operator of the library. One contract, several engines behind it (engine.h); who asks
 * for a fit cannot tell which one answered.
 *
 *   in    a support, by position; x to start from; what the last fit left behind
 *   out   x, within its bounds to the last digit; the residual A x - b; a dual vector u in dom h*; F; on demand a lower
 *         bound on F over the support that is proven (fit_bound)
 *
 * An engine ends when its own estimate of the gap is small enough: it is quick, and right but for what rounding does to
 * nearly dependent columns. A bound that is to be relied on is fit_bound's. One that is not proven is not given: it is
 * then -INFINITY.
 */
#ifndef SPGM_FIT_FIT_H
#define SPGM_FIT_FIT_H

#include <stdatomic.h>

#include "base/status.h"
#include "model/problem.h"

enum fit_outcome {
    FIT_OPTIMAL, /* the gap, by estimate, is at most FIT_GAP of F, or of 1e-3 |F(0)| where F is below that         */
    FIT_CUTOFF,  /* F over this support, where x is within reach, is not below the cutoff: fit_bound and the dual
                    vector are valid, the rest is not the support's                                                */
    FIT_INEXACT  /* rounding kept the gap above FIT_GAP, or a stop was asked for; x and F are what there is        */
};

#define FIT_GAP 1e-8

struct fit;

/* The numbers of a fit in one place. */
struct fit_report {
    enum fit_outcome outcome;
    double objective, gap;
    int64_t steps;
};

/*
 * For supports of at most `capacity` columns, free ones included. NULL: out of memory. fit_free accepts NULL. Only
 * vectors are taken; the first fit takes the matrices of the engine it needs, and no later one takes
 * anything but what columns need that nearly depend on each other, when they first do. A fit
 * that cannot be made (out of memory, a loss that no engine takes) ends FIT_INEXACT at the x it was given, and so do
 * all after it: fit_error says why. fit_reserve takes everything at once; 0: it failed.
 */
struct fit *fit_new(const struct problem *problem, int64_t capacity);
void fit_free(struct fit *fit);
size_t fit_bytes(const struct problem *problem, int64_t capacity); /* what fits take, about, for the sentence */
int fit_reserve(struct fit *fit);
/* Give back the memory of the engines until the next fit, where something else needs it for a while. x, residual, dual
 * vector and F stay. */
void fit_release(struct fit *fit);
spgm_error fit_error(const struct fit *fit, spgm_status *status);

/* Give up soon when must_stop says so: FIT_INEXACT, with the best x at hand (the start and x = 0 among them) and its
 * residual, dual vector and F. It is asked in every step and every few hundred thousand multiplications, and after a
 * yes not again before the next fit. NULL: never. */
void fit_set_stop(struct fit *fit, int (*must_stop)(void *context), void *context);

/* The support. A position keeps what is known of its column until it is given another one. Its x is then any number:
 * fit_set_x where it matters. What is outside the bounds is brought to the nearest one when a fit starts. */
void fit_set_size(struct fit *fit, int64_t size); /* new positions must be filled by fit_set_column */
void fit_set_column(struct fit *fit, int64_t position, int64_t column);
void fit_set_support(struct fit *fit, int64_t size, const int64_t *columns);

/* What a warm fit starts from besides x: the rows that were active at the end of another fit and their signs. The
 * arrays are the caller's, [capacity + 2]; an engine that has no use for them leaves count 0. */
struct fit_active {
    int64_t count;
    int64_t *rows;
    signed char *signs;
};

void fit_set_x(struct fit *fit, const double *x); /* [size] */
void fit_set_active(struct fit *fit, const struct fit_active *active);
void fit_get_active(const struct fit *fit, struct fit_active *active);

/* Only x between low and high [columns], which are the caller's, matters where a warm fit has a cutoff: it may end as
 * soon as no other has F below that, by an estimate. NULL: every x does. */
void fit_set_reach(struct fit *fit, const double *low, const double *high);
/* An F below this is as good as any other: a rough fit may end there, where F has no minimum. Before: -INFINITY. */
void fit_set_enough(struct fit *fit, double objective);

/*
 * Cold: from x = 0, and ready for warm fits. Warm: from x and the active rows. Rough: no worse than x, and only until
 * the relative gap is about `gap`, for a choice among supports; with 0 it is as exact as rounding allows. The last two
 * may end at the cutoff; a rough one as soon as F less the gap by complementarity is above it, which proves it only
 * where the dual equations hold, and with the x and F that it has.
 */
enum fit_outcome fit_cold(struct fit *fit);
enum fit_outcome fit_rough(struct fit *fit, double gap, double cutoff);
enum fit_outcome fit_warm(struct fit *fit, double cutoff);

/* Views of the last fit, valid until the next call. */
const double *fit_x(const struct fit *fit);        /* [size]                       */
const double *fit_residual(const struct fit *fit); /* A_S x - b [rows]             */
const double *fit_dual(const struct fit *fit);     /* u in dom h* [rows]           */
double fit_objective(const struct fit *fit);
double fit_gap(const struct fit *fit);    /* (F - estimate) / max(|F|, 1e-6 |F(0)|)  */
int64_t fit_steps(const struct fit *fit); /* pivots and Newton steps since fit_new   */

double fit_estimate(const struct fit *fit); /* what the engine takes for a bound on F over the support: no proof */

/*
 * A lower bound on F over the support that is proven, for the last fit; -INFINITY where nothing can be. It is computed
 * when it is first asked for: passes over the columns, and where columns have neither ridge nor bounds a Gram matrix.
 * It may take memory, once (fit_error says if there was none); after a stop it is -INFINITY or poor.
 */
double fit_bound(struct fit *fit);
double fit_bound_until(struct fit *fit,
                       double want); /* one that reaches `want` will do, and may be lower than another */

/* A pair to prove with in the place of a fit: x [columns of A], and u [rows], which must be in dom h*. */
void fit_bring(struct fit *fit, const double *x, const double *u);

/* Multiplications of all fits and proofs since fit_new, about: those that were made, by the steps that they took. */
double fit_spent(const struct fit *fit);
/* About how many multiplications a fit over `size` columns costs, warm or cold: to plan with. */
double fit_work(const struct problem *problem, int64_t size, int is_warm);
/* Whether a warm fit costs a few pivots: the search by exchanges is made for that. */
int fit_is_warm(const struct problem *problem);

/* The free columns and the nonzeros of x, ascending, into support [columns]; returns how many. */
int64_t fit_support_of(const struct problem *problem, const double *x, int64_t *support);
/* fit_set_x from x [columns], and back: the fit's values at its columns, zero elsewhere. */
void fit_gather(struct fit *fit, const double *x);
void fit_scatter(const struct fit *fit, double *x);
/* One fit over the support [k] from x [columns], which receives the minimiser and is never made worse. report may be
 * NULL. */
spgm_error fit_once(const struct problem *problem, int64_t k, const int64_t *support, double *x,
                    struct fit_report *report, int (*must_stop)(void *context), void *context, spgm_status *status);
/* Whether F from the raw data is higher than it was in the frame, by more than rounding takes as a rule. */
int fit_has_drowned(const struct spgm_problem *problem, double framed, double objective);
/* Such a z [columns of the frame] nearer to 0, over its support, where F from the raw data is lower; `objective` is
 * that at hand. Only a nonzero `interrupted` (or NULL) stops it. */
spgm_error fit_shorten(const struct spgm_problem *problem, const struct problem *framed, double objective, double *z,
                       const atomic_int *interrupted, spgm_status *status);

#endif
