/*
 * The relaxations  minimise F(x) + sigma sum_j penalty(x_j)  for many values of sigma, for cvx-l1 and ncvx-lp. These
 * differ in the proximal operator of the penalty, in the direction of the sweep, and in whether mu is adapted.
 */
#ifndef SPGM_METHOD_RELAX_RELAX_H
#define SPGM_METHOD_RELAX_RELAX_H

#include "method/method.h"

struct penalty {
    double (*value)(double x);
    double (*prox)(double v, double lambda); /* argmin over x of (x - v)^2 / 2 + lambda value(x) */
    double (*threshold)(double lambda);      /* the largest |v| that prox maps to 0 */
    const struct penalty *begin; /* sweep sigma upwards from a solution for this penalty; NULL: downwards from
                                  * x = 0 */
    int adapts;                  /* adapt mu to balance the residuals (safe only for a convex penalty) */
    double mu;                   /* in units of the smallest mu with P_mu(-b) = 0                         */
    int64_t share;               /* at most max_iterations / share iterations for each sigma, ... */
    int64_t near_share; /* ... and at most max_iterations / near_share close to the best sigma, where the iteration
                           starts from its solution */
};

extern const struct penalty penalty_l1;

spgm_error relax_run(struct run *run, const struct penalty *penalty, spgm_status *status);

#endif
