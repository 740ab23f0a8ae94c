/*
 * The exchange search: the current support with its exact fit, and the ways to improve it. It descends to a local
 * optimum by exchanging one unit (a column, or a group that counts as one) for another, walks away from it by forced
 * exchanges, and crosses pairs of good supports. It serves every loss, smooth term, operator and feasible set.
 * Improvements are offered to the run at once, so that the run can be stopped at any moment. How it works:
 * exchange/README.md.
 */
#ifndef SPGM_SEARCH_EXCHANGE_H
#define SPGM_SEARCH_EXCHANGE_H

#include "method/method.h"

struct exchange;

/* How many doubles the images (A times a direction) of entering and leaving columns may take, where the columns of the
 * support are copied. */
double exchange_image_room(const struct linop *A);
/* A search for the sparsity of the run, at which some exchange must be possible. exchange_free accepts NULL. */
spgm_error exchange_new(struct run *run, struct exchange **search, spgm_status *status);
void exchange_free(struct exchange *search);

/* exchange_begin fits two starts and keeps both: x, which is near the fit on its support, and a greedy start.
 * exchange_descend_starts then improves those with F of at most `worthwhile` by exchanges; the better end becomes the
 * current support. Between the two calls only exchange_start is allowed. */
void exchange_begin(struct exchange *search, const double *x);
void exchange_descend_starts(struct exchange *search, double worthwhile);
/* Begin from x alone, which is near the fit on its support, without a greedy start and without exchanges. */
void exchange_settle(struct exchange *search, const double *x);
/* Fit on the nonzeros of x; too few are filled up, too many are cut. is_near: x is near that fit, which is then found
 * sooner. The fit is improved by exchanges if its F is at most `worthwhile`. */
void exchange_start(struct exchange *search, const double *x, int is_near, double worthwhile);
/* Leave the current support by a walk, a crossing or a return to an elite, and descend if that is worth it. */
void exchange_restart(struct exchange *search);
/* Fit all exchanges with the best support of the run for the units number `first` to `last` - 1, in the order of
 * promise. Returns 1: none lowers F; 0: stopped before the end; -1: one lowers F, and the search descended from it. 0
 * to all units is the whole check. */
int exchange_verify(struct exchange *search, int64_t first, int64_t last);
/* Estimate of the multiplications that this takes; first > 0: the last check was of the units before it. */
double exchange_verify_work(const struct exchange *search, int64_t first, int64_t last);

/* Progress of the check of all exchanges of the best support of a run: for a new support `first` units, then
 * VERIFY_GROWTH times as many in all, and so on up to all. Initialise `of` to INFINITY. */
struct checks {
    int64_t first, done; /* units in the first round; units whose exchanges were all fitted and none lowers F */
    double of;           /* F of the support that is checked */
    double spent;        /* multiplications, over all supports */
};
int64_t checks_done(const struct checks *checks, const struct run *run); /* units checked for the support that is now
                                                                            the best */
int64_t checks_next(const struct checks *checks, const struct run *run); /* that number after the next round */
double checks_work(const struct checks *checks, const struct run *run, const struct exchange *search);
int checks_go_on(struct checks *checks, struct run *run, struct exchange *search); /* make the next round; returns as
                                                                                      exchange_verify */

int64_t
exchange_patience(const struct exchange *search); /* how many restarts cost as much as one does where columns are few */
double exchange_objective(const struct exchange *search); /* F at the current support */
double exchange_origin(const struct exchange *search);    /* F where the last restart began; INFINITY: at no single
                                                             support */
double exchange_lowest(const struct exchange *search);    /* the lowest F that it fitted */
/* Factor on constants that are relative to F. If F is a high power of the residuals, a small change of these moves F
 * many times as much. */
double exchange_swing(const struct problem *problem);
/* The least fall of F that is more than rounding: a share of F and, where residuals are squared, of their rounding. */
double exchange_margin(const struct exchange *search, double F);
void exchange_get_x(const struct exchange *search, double *x); /* [columns] of the current support */
/* SPGM_OK, or the error of an exact fit. */
spgm_error exchange_error(const struct exchange *search, spgm_status *status);

#endif
