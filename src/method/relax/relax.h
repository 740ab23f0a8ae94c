/*
 * The relaxations  minimise F(x) + sigma sum_j penalty(x_j)  for many sigma: what cvx-l1 and ncvx-lp share. They differ
 * in the proximal operator of the penalty, in the direction of the sweep and in whether mu is adapted.
 */
#ifndef SPGM_METHOD_RELAX_RELAX_H
#define SPGM_METHOD_RELAX_RELAX_H

#include "method/method.h"

struct penalty {
    double (*value)(double x);
    double (*prox)(double v, double lambda); /* argmin over x of (x - v)^2 / 2 + lambda value(x) */
    double (*threshold)(double lambda);      /* the largest |v| that prox takes to 0 */
    const struct penalty *begin; /* sweep sigma upwards from a solution for this penalty; NULL: downwards from
                                  * x = 0 */
    int adapts;                  /* balance the residuals by mu (safe for a convex penalty only)          */
    double mu;                   /* in units of the smallest mu with P_mu(-b) = 0                         */
    int64_t share;               /* a sigma takes at most max_iterations / share iterations, ...          */
    int64_t near_share;          /* ... one next to the best, from whose state it begins, so many         */
};

extern const struct penalty penalty_l1;

spgm_error relax_run(struct run *run, const struct penalty *penalty, spgm_status *status);

#endif
