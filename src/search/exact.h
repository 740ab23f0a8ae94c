/* Branch and bound: the optimum with a proof, or the bound that the limits allow. How it works: exact/README.md. */
#ifndef SPGM_SEARCH_EXACT_H
#define SPGM_SEARCH_EXACT_H

#include "method/method.h"

/* Limits on the cost of a tree. */
struct exact_limits {
    double gap;    /* stop when incumbent - bound is at most this share of the incumbent */
    double work;   /* limit on multiplications as fits are planned; INFINITY: none */
    double total;  /* limit on multiplications that fits and proofs really take; 0: none */
    double stuck;  /* replaces `total` once a leaf without a proof keeps the bound from rising; 0: it does not */
    int rounds;    /* most rounds of ADMM at the root; 0: as many as pay */
    int has_all;   /* if the boxes are those of a ridge, begin with the dual vector of the fit over all columns */
    int64_t nodes; /* most nodes that are branched on; 0: the bound is that of the root */
    double bytes;  /* memory of the open nodes */
    int keeps_x;   /* keep the incumbent even if a fit on its support is better */
    int is_quick;  /* only the bound of the incumbent's dual vector, or of the fit over all columns */
};

/*
 * Search the tree with run->best_x, which must be feasible, as incumbent. Better models are offered to the run, and
 * run->bound is raised to what is proven. *is_done: the tree ended; run->outcome is then SPGM_OPTIMAL; or
 * SPGM_CONVERGED if the gap that was asked for was reached and no more is proven; or SPGM_LOCAL_OPTIMUM if rounding
 * kept a bound below F. Otherwise the outcome says why the run was stopped, or is unchanged if one of the limits ended
 * the tree.
 */
spgm_error exact_tree(struct run *run, const struct exact_limits *limits, int *is_done, spgm_status *status);

/* Estimate of the multiplications that the bound of the root takes; INFINITY: there is no such bound. */
double exact_root_work(const struct run *run);

/* The work that the bound at the end of a method may take: about as many multiplications as this many passes over A and
 * iterations of it took, and at least BOUND_LEAST. */
double exact_bound_work(const struct run *run, double passes, double iterations);

/* Compute a bound for a run that has none yet, if that takes at most `work` multiplications. The best point stays.
 * *is_tried: the work was done, whether or not it gave a bound; BOUND_OF_ALL: it was the fit over all columns, whose
 * bound is the same for every s. */
enum { BOUND_OF_ALL = 2 };
spgm_error exact_bound(struct run *run, double work, int *is_tried, spgm_status *status);

extern const struct method method_exact;

#endif
