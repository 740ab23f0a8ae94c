/* Branch and bound: the optimum with a proof, or as much of one as the limits allow. exact/README.md: how it works. */
#ifndef SPGM_SEARCH_EXACT_H
#define SPGM_SEARCH_EXACT_H

#include "method/method.h"

/* What a tree may cost. */
struct exact_limits {
    double gap;    /* stop when (incumbent - bound) is at most this part of the incumbent        */
    double work;   /* multiplications, about; INFINITY: no limit                                  */
    int64_t nodes; /* 0: no node is branched on, so that the bound is that of the root            */
    double bytes;  /* of open nodes                                                                */
};

/*
 * The tree below run->best_x, which must be feasible. What is better is offered to the run; run->bound is raised to
 * what is proven. run->outcome becomes SPGM_OPTIMAL where that is all, and says otherwise why it stopped: it is left as
 * it was where a limit of `limits` ended it, and *is_done is zero then.
 */
spgm_error exact_tree(struct run *run, const struct exact_limits *limits, int *is_done, spgm_status *status);

/* About how many multiplications the bound of the root takes; INFINITY: there is none to be had. */
double exact_root_work(const struct run *run);

extern const struct method method_exact;

#endif
