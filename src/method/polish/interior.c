/*
 * Mehrotra's predictor-corrector interior-point method (SIAM J. Optim. 2(4), 1992), for the pairs that rows.c and
 * maximum.c define. z is free; the primal equations hold up to rounding from the start, the dual ones in the limit.
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "method/polish/internal.h"

void interior_newton(struct polish *p, const double *weight, const double *pull) {
    polish_transpose(p, pull, p->rhs);
    for (int64_t j = 0; j < p->k; j++) {
        p->rhs[j] = -p->rhs[j] - p->gradient[j];
    }
    system_assemble(p, p->k, weight, 1);
    system_factor(&p->system);
    system_solve(&p->system, p->rhs, p->dz);
    vector_axpy(p->k, 1, p->dz, p->z);
    polish_evaluate(p);
}

/* Stay this far from the boundary. */
static double damp(double length) {
    return fmin(1, 0.995 * length);
}

static void step_lengths(const struct polish *p, const struct interior_ops *ops, double *primal, double *dual) {
    ops->lengths(p, primal, dual);
    *primal = damp(*primal);
    *dual = damp(*dual);
    if (p->has_curvature) { /* Q z is part of the dual equations: both must move together */
        *primal = *dual = fmin(*primal, *dual);
    }
}

static void one_step(struct polish *p, const struct interior_ops *ops) {
    double total = ops->complementarity(p, 0, 0);
    double mu = total / p->interior.count;
    double primal, dual, centring;

    ops->assemble(p);
    system_factor(&p->system);
    ops->direction(p, 0, 0); /* predictor */
    ops->lengths(p, &primal, &dual);
    primal = fmin(primal, 1);
    dual = fmin(dual, 1);
    if (p->has_curvature) {
        primal = dual = fmin(primal, dual);
    }
    centring = fmax(ops->complementarity(p, primal, dual), 0) / total;
    centring *= centring * centring;
    ops->direction(p, centring * mu, 1); /* corrector */
    step_lengths(p, ops, &primal, &dual);
    ops->move(p, primal, dual);
    p->steps++;
}

void interior_run(struct polish *p, const struct interior_ops *ops) {
    struct patience patience = {INFINITY, 0};
    double gap;

    memset(p->z, 0, sizeof(double) * (size_t)p->k);
    memset(p->u, 0, sizeof(double) * (size_t)p->problem->A->rows);
    polish_evaluate(p);
    ops->start(p);
    gap = polish_evaluate(p);
    while (polish_continue(p, gap, &patience)) {
        one_step(p, ops);
        gap = polish_evaluate(p);
    }
}
