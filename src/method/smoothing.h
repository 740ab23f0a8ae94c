/*
 * What the two variants of Algorithm 1 share: the point (x^t, y^t), mu^t, the gradient and the y-step.
 *
 * HOW IT WORKS: y is stored as d = A x - b - y, the only form in which the x-step uses it, and everything is multiplied
 * by mu:
 *
 *     g = mu r = A'd + mu grad f(x),    mu H = A_s^2 + mu (M_s + theta)   or   A'A + theta_1 I + mu (M~ + theta_2 I)
 *
 * so that nothing overflows or loses digits when mu becomes tiny.
 */
#ifndef SPGM_METHOD_SMOOTHING_H
#define SPGM_METHOD_SMOOTHING_H

#include "method/method.h"

struct smoothing {
    struct run *run;
    const struct problem *problem;
    struct point point; /* x^t, c = A x^t - b, its support       */
    struct mu_schedule schedule;
    int64_t t;
    double mu;       /* mu^t                                  */
    double *d;       /* A x^t - b - y^t [rows]                */
    double *g;       /* mu^t r^t [columns]                    */
    double *f_slope; /* grad f(x^t) [columns]                 */
    double clock;    /* when the current phase began          */
    struct iteration iteration;
};

/* Take the arrays (check workspace->failed) and the start: x^1 = run->x, mu^0 = mu^1, y^1 = P_mu0(A x^1 - b). */
void smoothing_init(struct smoothing *smoothing, struct run *run, struct workspace *workspace);
void smoothing_start(struct smoothing *smoothing);
/* Begin iteration t: set mu^t. */
void smoothing_next(struct smoothing *smoothing);
/* g = mu r^t, all columns. */
void smoothing_gradient(struct smoothing *smoothing);
/* g_i = mu r^t_{columns_i}, i < k. */
void smoothing_gradient_columns(struct smoothing *smoothing, int64_t k, const int64_t *columns, double *g);
/* y^{t+1} = P_mu(A x^{t+1} - b), and F, J and ||A x - b - y|| of the new point for the record. */
void smoothing_y_step(struct smoothing *smoothing);
/* Add the time since the last call to a timer of the run. */
void smoothing_lap(struct smoothing *smoothing, enum run_timer timer);

#endif
