/*
 * Local search: improve a feasible point by exchanges of columns until none that is tried lowers F. For every loss and
 * smooth term, with a fit of src/fit for each.
 *
 * The searcher `general` calls it, where no warm fit is to be had. run->outcome says SPGM_SEARCHED, or why it stopped
 * before. What is found is offered to the run at once.
 */
#ifndef SPGM_SEARCH_LOCAL_H
#define SPGM_SEARCH_LOCAL_H

#include "method/method.h"

struct local;

/* For the sparsity of the run. local_free accepts NULL. */
spgm_error local_new(struct run *run, struct local **local, spgm_status *status);
void local_free(struct local *local);
/* Fit over the support (distinct columns, the free ones among them) from x [columns], then exchange columns. */
spgm_error local_improve(struct local *local, int64_t size, const int64_t *support, const double *x,
                         spgm_status *status);
/*
 * Fit every exchange of one column of the support at hand. *verdict: 1 none lowers F; 0 stopped before; -1 one did, and
 * is now at hand.
 */
spgm_error local_verify(struct local *local, int *verdict, spgm_status *status);

/* The point at hand. */
const double *local_x(const struct local *local);
double local_objective(const struct local *local);
int64_t local_support(const struct local *local, const int64_t **support);

#endif
