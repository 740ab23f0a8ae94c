/*
 * A search on a companion of the problem (model/companion.c) beside that on the loss. On squares the surrogate is exact
 * and inner products can be kept, so that it makes many times as many exchanges in the same time; and companions are
 * smoother than most losses, so that it comes through where a search on the loss itself is caught. Where it ends the
 * loss is often low as well.
 */
#ifndef SPGM_SEARCH_COMPANION_H
#define SPGM_SEARCH_COMPANION_H

#include "method/method.h"

struct companion;

enum { OF_FEW_ROWS = MOST_COMPANIONS - 1 }; /* number of the search among the rows that decide */

/* Number `number` beside `run`, from the best x that it has, with a stream of random numbers of its own. *companion
 * stays NULL where there is none, or where it is of no use or would take much memory. */
spgm_error companion_new(const struct run *run, int64_t number, uint64_t stream, struct companion **companion,
                         spgm_status *status);
void companion_free(struct companion *companion); /* accepts NULL */
/* Go on from the support of x, and what exchanges make of it. */
void companion_adopt(struct companion *companion, const double *x);
/* One more restart. 1: it ended lower than all before. */
int companion_restart(struct companion *companion);
const double *companion_best(const struct companion *companion); /* x of the lowest end [columns] */
/* A search on the loss among some of the rows (few_rows.h). */
int companion_is_of_few_rows(const struct companion *companion);
/* Its lowest end was fitted on all rows: those that it broke come in, and it begins anew. */
spgm_error companion_learn(struct companion *companion, const struct run *run, spgm_status *status);
/* It would take so many rows that all are as good: nothing is to be had of it any more. */
int companion_is_closed(const struct companion *companion);
/* Units whose exchanges with its best support were all fitted, or excluded, and none lowers F there. */
int64_t companion_checked(const struct companion *companion);
int companion_is_on_squares(const struct companion *companion);
double companion_objective(const struct companion *companion); /* its F there */
double companion_end(const struct companion *companion);       /* where the last restart ended      */
double companion_near(const struct companion *companion);      /* what is up to this is worth a fit for the loss,
                                                                  relative to the lowest of all islands */
double companion_spent(const struct companion *companion);     /* on it, as run->spent */
spgm_error companion_error(const struct companion *companion, spgm_status *status);

#endif
