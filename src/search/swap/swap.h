/*
 * Search over exchanges of columns, where warm fits cost a few pivots. README.md: how it works, what was tried.
 *
 * A swap object holds a current support with its exact fit. It can descend by exchanges to a local optimum, walk away
 * from it along forced exchanges, and cross two good supports. Whatever it finds is offered to the run at once, so that
 * the run can be stopped at any moment.
 */
#ifndef SPGM_SEARCH_SWAP_H
#define SPGM_SEARCH_SWAP_H

#include "method/method.h"

struct swap;

/* Whether there is something to exchange, and warm fits cost a few pivots. */
int swap_applies(const struct run *run);
/* For the sparsity of the run. NULL: out of memory. swap_free accepts NULL. */
struct swap *swap_new(struct run *run);
void swap_free(struct swap *swap);

/* Make the largest entries of x the current support (filled up by the best columns for the residual) and fit it. */
void swap_start_from(struct swap *swap, const double *x);
/* The same where x is near its own fit over its nonzeros, which is then found in fewer pivots. */
void swap_start_near(struct swap *swap, const double *x);
/* The same with a greedy support: orthogonal least squares. */
void swap_start_greedy(struct swap *swap);
/* Exchanges until none that is tried lowers F; thorough: among all columns. */
void swap_descend(struct swap *swap, int thorough);
/* Leave the current support by a walk, a crossing or a return to another good one, and descend where it pays. */
void swap_restart(struct swap *swap);
double swap_objective(const struct swap *swap);

/* Fit every exchange of one column of the best support of the run; as searcher.h says. */
int swap_verify(struct swap *swap);
double swap_verify_work(const struct swap *swap);

#endif
