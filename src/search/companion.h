/*
 * A companion (model/companion.c): a problem on a smoother loss, or on few rows, that is searched beside the loss. On
 * squares the surrogate is exact and inner products can be kept, so the search makes many times as many exchanges in
 * the same time. Companions are also smoother than most losses, so their searches get past points where a search on the
 * loss itself is caught. Supports that are good for a companion are often good for the loss.
 */
#ifndef SPGM_SEARCH_COMPANION_H
#define SPGM_SEARCH_COMPANION_H

#include "method/method.h"

struct companion;

enum { OF_FEW_ROWS = MOST_COMPANIONS - 1 }; /* the number of the search among the rows that decide */

/* Companion `number` of the run, from its best x, with its own stream of random numbers. *companion stays NULL if the
 * problem has no such companion, or it would be of no use or take too much memory. */
spgm_error companion_new(const struct run *run, int64_t number, uint64_t stream, struct companion **companion,
                         spgm_status *status);
void companion_free(struct companion *companion); /* accepts NULL */
/* Continue from the support of x, improved by exchanges. */
void companion_adopt(struct companion *companion, const double *x);
/* One more restart. Returns 1 if it ended lower than all before. */
int companion_restart(struct companion *companion);
const double *companion_best(const struct companion *companion); /* x of the lowest end [columns] */
/* Whether it is a search on the loss among some of the rows (few_rows.h). */
int companion_is_of_few_rows(const struct companion *companion);
/* Its lowest end was fitted on all rows: add the rows that it broke, and begin the search again. */
spgm_error companion_learn(struct companion *companion, const struct run *run, spgm_status *status);
/* Whether it is finished because it would take so many rows that all rows are as good. */
int companion_is_closed(const struct companion *companion);
/* The number of units whose exchanges with its best support were all fitted or excluded without lowering F there. */
int64_t companion_checked(const struct companion *companion);
int companion_is_on_squares(const struct companion *companion);
double companion_objective(const struct companion *companion); /* F of its lowest end, on the companion */
double companion_end(const struct companion *companion);       /* F at which the last restart ended */
double companion_near(const struct companion *companion);      /* ends within this of the lowest of all islands,
                                                                  relatively, are worth a fit for the loss */
double companion_spent(const struct companion *companion);     /* work on it, as run->spent */
spgm_error companion_error(const struct companion *companion, spgm_status *status);

#endif
