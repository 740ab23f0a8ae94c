/*
 * The exchange search: a current support with its exact fit, and the ways to improve it. It descends by exchanges of
 * one unit (a column, or a group that counts as one) for another to a local optimum, walks away from it along forced
 * exchanges, and crosses two good supports. Every loss, smooth term, operator and feasible set goes through it; what it
 * finds is offered to the run at once, so that the run can be stopped at any moment. README.md: how it works.
 */
#ifndef SPGM_SEARCH_EXCHANGE_H
#define SPGM_SEARCH_EXCHANGE_H

#include "method/method.h"

struct exchange;

/* Doubles of the images of columns that enter and leave, where the columns of the support are copied. */
double exchange_image_room(const struct linop *A);
/* For the sparsity of the run, which must leave something to exchange. exchange_free accepts NULL. */
spgm_error exchange_new(struct run *run, struct exchange **search, spgm_status *status);
void exchange_free(struct exchange *search);

/* From x, which is near its own fit, and from a greedy start; both are kept. Then what exchanges make of those that are
 * at most `worthwhile`: the better end becomes the current support. Nothing may come between but exchange_start. */
void exchange_begin(struct exchange *search, const double *x);
void exchange_descend_starts(struct exchange *search, double worthwhile);
/* Begin with x, which is near its own fit, alone, and without exchanges. */
void exchange_settle(struct exchange *search, const double *x);
/* Fit over the nonzeros of x, too few of which are filled up and too many cut; is_near: x is near that fit, which is
 * then found sooner. Improve by exchanges when F is then at most `worthwhile`. */
void exchange_start(struct exchange *search, const double *x, int is_near, double worthwhile);
/* Leave the current support by a walk, a crossing or a return to another good one, and descend where it pays. */
void exchange_restart(struct exchange *search);
/* Fit the exchanges of one unit of the best support of the run for each of those that promise most, from number `first`
 * to before number `last`: 1 none lowers F; 0 stopped before; -1 one did, and was improved further. All of them: from 0
 * to all units. */
int exchange_verify(struct exchange *search, int64_t first, int64_t last);
/* About how many multiplications that takes; first > 0: where the last check was of those before. */
double exchange_verify_work(const struct exchange *search, int64_t first, int64_t last);

/* How far the exchanges of the best support of a run were fitted: of a new one `first` units, then VERIFY_GROWTH times
 * as many, up to all. Begin with of = INFINITY. */
struct checks {
    int64_t first, done; /* units whose exchanges were fitted, none of which lowers F */
    double of;           /* F of the support that they were exchanges of              */
    double spent;        /* multiplications, of all supports                           */
};
int64_t checks_done(const struct checks *checks, const struct run *run); /* for the support that is the best now */
int64_t checks_next(const struct checks *checks, const struct run *run); /* as many of them as come next, in all  */
double checks_work(const struct checks *checks, const struct run *run, const struct exchange *search);
int checks_go_on(struct checks *checks, struct run *run, struct exchange *search); /* as exchange_verify */

int64_t
exchange_patience(const struct exchange *search); /* how many restarts cost what one does where columns are few */
double exchange_objective(const struct exchange *search); /* F at the current support */
double exchange_origin(const struct exchange *search);    /* F where the last restart began; INFINITY: at none */
double exchange_lowest(const struct exchange *search);    /* F of all that it fitted  */
/* What the constants that are parts of F are multiplied by: F of a high power of the residuals moves so many times as
 * much as they do. */
double exchange_swing(const struct problem *problem);
/* What F must fall by for more than rounding: a share of it, and where residuals are squared that of their rounding. */
double exchange_margin(const struct exchange *search, double F);
void exchange_get_x(const struct exchange *search, double *x); /* [columns] of the current support */
/* SPGM_OK, or what an exact fit could not get; status as usual. */
spgm_error exchange_error(const struct exchange *search, spgm_status *status);

#endif
