/*
 * Mehrotra's predictor-corrector interior-point method (SIAM J. Optim. 2(4), 1992), for the pairs that rows.c and
 * maximum.c define. z is free; the primal equations hold up to rounding from the start, the dual ones in the limit.
 */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/interior/internal.h"
#include "linalg/vector.h"

/* If the system is singular up to rounding, for instance when all rows are flat, its solutions are extremely large. */
static int is_beyond(const struct interior *p) {
    for (int64_t j = 0; j < p->k; j++) {
        double reach = INTERIOR_FURTHEST * (p->reach[j] + fabs(p->z[j]));

        if (p->lengths[j] > 0 && !islessequal(fabs(p->dz[j]), reach)) {
            return 1;
        }
    }
    return 0;
}

void mehrotra_newton(struct interior *p, const double *weight, const double *pull) {
    if (stop_ask(&p->fit->stop)) {
        return;
    }
    interior_transpose(p, pull, p->rhs);
    for (int64_t j = 0; j < p->k; j++) {
        p->rhs[j] = -p->rhs[j] - p->gradient[j];
    }
    if (!system_assemble(p, p->k, weight, 1)) {
        return;
    }
    walls_close_system(p, 0);
    if (!system_factor(&p->system)) {
        return;
    }
    system_solve(&p->system, p->rhs, p->dz);
    if (is_beyond(p)) {
        return;
    }
    vector_axpy(p->k, 1, p->dz, p->z);
    walls_enter(p);
    interior_evaluate(p);
}

void interior_dual_residual(struct interior *p, const double *du) {
    interior_transpose(p, du, p->rhs);
    for (int64_t j = 0; j < p->k; j++) {
        p->rhs[j] = -p->rhs[j] - p->w[j];
    }
    for (int64_t j = 0; j < p->k && p->has_curvature; j++) {
        vector_axpy(p->k, -p->dz[j], p->Q + j * p->k, p->rhs);
    }
    walls_add_residual(p);
}

int interior_is_left(const struct interior *p) {
    double length = sqrt(interior_sum(p, vector_sum_squares(p->problem->A->rows, p->u)));

    for (int64_t j = 0; j < p->k; j++) {
        double walls = p->walls.is_there ? p->walls.low_dual[j] + p->walls.high_dual[j] : 0;

        if (isgreater(fabs(p->rhs[j]), INTERIOR_LEFT * (p->lengths[j] * length + fabs(p->gradient[j]) + walls))) {
            return 1;
        }
    }
    return p->system.size > p->k && isgreater(fabs(p->rhs[p->k]), INTERIOR_LEFT);
}

void interior_add_solution(struct interior *p) {
    system_solve(&p->system, p->rhs, p->more);
    vector_axpy(p->system.size, 1, p->more, p->dz);
    linop_add_columns(p->A, p->k, p->places, p->more, p->pairs.image);
}

static double complementarity(const struct interior *p, const struct mehrotra_ops *ops, double primal, double dual) {
    return ops->complementarity(p, primal, dual) + walls_complementarity(p, primal, dual);
}

static void find_direction(struct interior *p, const struct mehrotra_ops *ops, double target, int correct) {
    walls_wish(p, target, correct);
    ops->direction(p, target, correct);
    walls_direct(p);
}

static void find_lengths(const struct interior *p, const struct mehrotra_ops *ops, double *primal, double *dual) {
    ops->lengths(p, primal, dual);
    walls_lengths(p, primal, dual);
}

/* The damped step length, which keeps away from the boundary. */
static double damp(double length) {
    return fmin(1, INTERIOR_DAMPING * length);
}

static void step_lengths(const struct interior *p, const struct mehrotra_ops *ops, double *primal, double *dual) {
    find_lengths(p, ops, primal, dual);
    *primal = damp(*primal);
    *dual = damp(*dual);
    if (p->has_curvature) { /* Q z is part of the dual equations, so both step lengths must be equal */
        *primal = *dual = fmin(*primal, *dual);
    }
}

/* `least` is the smallest target of the products: the wanted gap divided by the number of pairs. A careful step omits
 * the second-order terms, with which the method may cycle. After a stop the point does not move. */
static void one_step(struct interior *p, const struct mehrotra_ops *ops, double least, int is_careful) {
    double total = complementarity(p, ops, 0, 0);
    double mu = total / p->pairs.count;
    double primal, dual, centring;

    if (!ops->assemble(p)) {
        return;
    }
    walls_close_system(p, 1);
    if (!system_factor(&p->system)) {
        return;
    }
    find_direction(p, ops, 0, 0); /* predictor */
    if (stop_ask(&p->fit->stop)) {
        return;
    }
    find_lengths(p, ops, &primal, &dual);
    primal = fmin(primal, 1);
    dual = fmin(dual, 1);
    if (p->has_curvature) {
        primal = dual = fmin(primal, dual);
    }
    centring = fmax(complementarity(p, ops, primal, dual), 0) / total;
    centring = is_careful ? INTERIOR_CENTRING : centring * centring * centring;
    find_direction(p, ops, fmax(centring * mu, least), !is_careful); /* corrector */
    if (stop_ask(&p->fit->stop)) {
        return;
    }
    step_lengths(p, ops, &primal, &dual);
    ops->move(p, primal, dual);
    walls_move(p, primal, dual);
    p->steps++;
}

/* Whether a rough fit may end, see fit_rough. `open` is the gap if the dual equations hold. */
static int is_enough(struct interior *p, double open) {
    p->is_cut = isgreater(p->best_objective - open, p->cutoff);
    return p->is_cut || islessequal(open, p->enough * interior_size(p));
}

void mehrotra_run(struct interior *p, const struct mehrotra_ops *ops) {
    struct patience patience = {INFINITY, 0};
    double aim = INTERIOR_GAP / 4;
    double gap;

    memset(p->z, 0, sizeof(double) * (size_t)p->k);
    memset(p->u, 0, sizeof(double) * (size_t)p->problem->A->rows);
    walls_enter(p);
    interior_evaluate(p);
    ops->start(p);
    if (stop_ask(&p->fit->stop)) {
        return;
    }
    walls_centre(p, ops->complementarity(p, 0, 0) / p->pairs.count);
    p->pairs.count += p->walls.count;
    gap = interior_evaluate(p);
    while (interior_continue(p, gap, &patience) && !is_enough(p, complementarity(p, ops, 0, 0))) {
        /* rounding prevents progress: raise the target, where the systems are better conditioned */
        if (patience.idle > 1) {
            aim = fmin(INTERIOR_LESS_LOW * aim, INTERIOR_ENOUGH / 2);
        }
        one_step(p, ops, aim * interior_size(p) / p->pairs.count, patience.idle >= CIRCLE && gap > INTERIOR_FAR);
        if (p->fit->stop.stopped) {
            return;
        }
        gap = interior_evaluate(p);
    }
}
