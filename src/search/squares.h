/*
 * A search on squared residuals beside that on another loss. Its surrogate is exact and its inner products can be kept,
 * so that it makes many times as many exchanges in the same time; and the squares are smoother than most losses, so
 * that it comes through where a search on the loss itself is caught. Where it ends the loss is often low as well.
 */
#ifndef SPGM_SEARCH_SQUARES_H
#define SPGM_SEARCH_SQUARES_H

#include "method/method.h"

struct squares;

/* Beside `run`, from the best x that it has, with a stream of random numbers of its own. *squares stays NULL where this
 * is of no use or would take much memory. */
spgm_error squares_new(const struct run *run, uint64_t stream, struct squares **squares, spgm_status *status);
void squares_free(struct squares *squares); /* accepts NULL */
/* One more restart. 1: it ended lower than all before. */
int squares_restart(struct squares *squares);
const double *squares_best(const struct squares *squares); /* x of the lowest end [columns] */
double squares_objective(const struct squares *squares);   /* its F on squares */
double squares_spent(const struct squares *squares);       /* on it, as run->spent */
spgm_error squares_error(const struct squares *squares, spgm_status *status);

#endif
