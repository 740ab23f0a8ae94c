/*
 * h(r) = ||r||_2 by one equation in one unknown.
 *
 * ||r|| = min over rho > 0 of (||r||^2 / rho + rho) / 2, and for given rho the minimiser in z solves
 *
 *     (A'A + rho Q) z = A'b - rho grad f(0),   that is   A'u + grad f(z) = 0 with u = r / rho.
 *
 * So every rho gives an exactly stationary pair, feasible for the dual as soon as ||u|| <= 1, with the gap
 * ||r|| - u'r = ||r|| (1 - ||u||) <= rho / 4. ||u|| falls as rho rises; the optimum is ||u|| = 1, or rho -> 0 where the
 * optimal residual is zero. The root of log ||u|| in log rho is found by Newton's method between brackets.
 */
#include <math.h>
#include <string.h>

#include "fit/interior/internal.h"
#include "linalg/vector.h"

#define CORRECTIONS 2

/* z for this rho, from the z at hand, with corrections against the residual of the normal equations. 0: stopped. */
static int solve_for(struct interior *p, double rho) {
    int64_t m = p->problem->A->rows;

    if (!system_assemble(p, p->k, NULL, rho) || !system_factor(&p->system)) {
        return 0;
    }
    p->steps++;
    for (int correction = 0; correction <= CORRECTIONS; correction++) {
        interior_transpose(p, p->r, p->rhs);
        for (int64_t j = 0; j < p->k; j++) {
            p->rhs[j] = -p->rhs[j] - rho * p->gradient[j];
        }
        system_solve(&p->system, p->rhs, p->dz);
        vector_axpy(p->k, 1, p->dz, p->z);
        memset(p->u, 0, sizeof(double) * (size_t)m);
        interior_evaluate(p);
    }
    return 1;
}

/* d log ||r|| / d log rho = rho^2 grad f' (A'A + rho Q)^{-1} grad f / ||r||^2, in [0, 1] */
static double slope(struct interior *p, double rho, double length) {
    system_solve(&p->system, p->gradient, p->dz);
    return fmin(fmax(rho / length * vector_dot(p->k, p->gradient, p->dz) * (rho / length), 0), 1);
}

/*
 * The same with rho = 1 is the whole solution for h = ||.||^2 / 2: u = r. F is a quadratic with Hessian N, so that its
 * minimum is F - w'N^{-1}w / 2; twice that covers the rounding of N.
 */
void squares_run(struct interior *p) {
    if (!solve_for(p, 1)) {
        return;
    }
    vector_copy(p->problem->A->rows, p->r, p->u);
    interior_evaluate(p);
    system_solve(&p->system, p->w, p->dz);
    p->best_bound = fmax(p->best_bound, p->best_objective - fabs(vector_dot(p->k, p->w, p->dz)));
}

/* The next rho from log ||u|| at this one; [low, high] holds the root. */
static double next_rho(struct interior *p, double rho, double length, double *low, double *high) {
    double excess = log(length / rho);
    double next = rho * fmax(exp(excess / fmax(1 - slope(p, rho, length), 1e-2)), 1e-2);

    *low = excess > 0 ? rho : *low;
    *high = excess > 0 ? *high : rho;
    if (isgreater(next, *low) && isless(next, *high)) {
        return next;
    }
    return *low == 0 ? *high / 100 : isinf(*high) ? 100 * *low : sqrt(*low) * sqrt(*high);
}

void euclidean_run(struct interior *p) {
    int64_t m = p->problem->A->rows;
    double rho = sqrt(interior_sum(p, vector_sum_squares(m, p->problem->b)));
    double low = 0;
    double high = INFINITY;
    double length = 1;
    double gap = INFINITY;
    struct patience patience = {INFINITY, 0};

    rho = rho > 0 ? rho : 1;
    while (interior_continue(p, gap, &patience) && length > 0 && rho > 0) {
        if (!solve_for(p, rho)) {
            return;
        }
        length = sqrt(interior_sum(p, vector_sum_squares(m, p->r)));
        for (int64_t i = 0; i < m; i++) {
            p->u[i] = p->r[i] / rho;
        }
        gap = interior_evaluate(p);
        rho = next_rho(p, rho, length, &low, &high);
    }
}
