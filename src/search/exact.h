/* Branch and bound: the optimum with a proof, or as much of one as the limits allow. exact/README.md: how it works. */
#ifndef SPGM_SEARCH_EXACT_H
#define SPGM_SEARCH_EXACT_H

#include "method/method.h"

/* What a tree may cost. */
struct exact_limits {
    double gap;    /* stop when (incumbent - bound) is at most this part of the incumbent        */
    double work;   /* multiplications, about, as fits are planned; INFINITY: no limit             */
    double total;  /* the same with what fits and proofs really take; 0: no limit                    */
    double stuck;  /* of `total`, once a leaf without a proof keeps the bound where it is; 0: as `total` */
    int rounds;    /* of the splitting at the root, at most; 0: as many as may pay                         */
    int has_all;   /* where boxes are those of a ridge: the dual vector of the fit over all columns first   */
    int64_t nodes; /* 0: no node is branched on, so that the bound is that of the root            */
    double bytes;  /* of open nodes                                                                */
    int keeps_x;   /* the incumbent stays as it is, though a fit over its support may be better      */
    int is_quick;  /* only the bound of the incumbent's dual vector, or of the fit over all columns   */
};

/*
 * The tree below run->best_x, which must be feasible. What is better is offered to the run; run->bound is raised to
 * what is proven. *is_done: the tree ended; run->outcome is then SPGM_OPTIMAL, SPGM_CONVERGED where the gap asked for
 * was reached and more is not proven, or SPGM_LOCAL_OPTIMUM where rounding kept a bound from F. Otherwise the outcome
 * says why the run was stopped, or is left as it was where one of the limits ended it.
 */
spgm_error exact_tree(struct run *run, const struct exact_limits *limits, int *is_done, spgm_status *status);

/* About how many multiplications the bound of the root takes; INFINITY: there is none to be had. */
double exact_root_work(const struct run *run);

/* What the bound at the end of the method of a run may take: about as many multiplications as these passes over A and
 * iterations of it took, and never less than BOUND_LEAST. */
double exact_bound_work(const struct run *run, double passes, double iterations);

/* A bound for a run that has none yet, where that takes at most so many multiplications; its best point stays.
 * *is_tried: it did take them, whatever came of it; BOUND_OF_ALL: for the fit over all columns, which says the same
 * for every s. */
enum { BOUND_OF_ALL = 2 };
spgm_error exact_bound(struct run *run, double work, int *is_tried, spgm_status *status);

extern const struct method method_exact;

#endif
