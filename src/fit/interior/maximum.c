/*
 * The interior-point method for h(r) = max_i |r_i|.
 *
 *     minimise   f(z) + theta     subject to   s = theta - r >= 0,   t = theta + r >= 0,   r = A z - b
 *     optimal    A'(p - q) + grad f(z) = 0,   sum(p + q) = 1,   p s = 0,   q t = 0,   p, q >= 0
 *
 * s = primal, t = primal2, p = dual, q = dual2. With D = p/s + q/t and E = p/s - q/t Newton's equations become
 *
 *     [ Q + A'D A   -A'E  ] [ dz     ]   [ -w - A'g                     ]
 *     [ -E'A        sum D ] [ dtheta ] = [ sum(p + q) - 1 + sum of g'   ]
 */
#include <math.h>

#include "fit/interior/internal.h"
#include "linalg/vector.h"

static void gather_dual(struct interior *p) {
    for (int64_t i = 0; i < p->problem->A->rows; i++) {
        p->u[i] = p->pairs.dual[i] - p->pairs.dual2[i];
    }
}

/*
 * For large theta the barrier is nearly quadratic: its minimiser for given theta is that of f(z) + ||r||^2 / (2 m
 * theta). Returns a theta well above the residuals at that point.
 */
static double step_to_parabola(struct interior *p, double theta) {
    struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;

    for (int64_t i = 0; i < m; i++) {
        in->weight[i] = 2 / (in->count * theta);
        in->scratch[i] = in->weight[i] * p->r[i];
    }
    mehrotra_newton(p, in->weight, in->scratch);
    return fmax(2 * interior_max(p, vector_norm_inf(m, p->r)), INTERIOR_LEAST * theta);
}

/* Start with all products equal, sum(p + q) = 1. */
static void maximum_start(struct interior *p) {
    struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;
    double first = interior_max(p, vector_norm_inf(m, p->r));
    double sum = 0;

    in->count = 2 * fmax(interior_sum(p, (double)m), 1);
    in->theta = step_to_parabola(p, step_to_parabola(p, first > 0 ? first : 1));
    for (int64_t i = 0; i < m; i++) {
        in->primal[i] = in->theta - p->r[i];
        in->primal2[i] = in->theta + p->r[i];
        sum += 1 / in->primal[i] + 1 / in->primal2[i];
    }
    sum = interior_sum(p, sum);
    for (int64_t i = 0; i < m; i++) {
        in->dual[i] = 1 / (sum * in->primal[i]);
        in->dual2[i] = 1 / (sum * in->primal2[i]);
    }
    gather_dual(p);
}

static double maximum_complementarity(const struct interior *p, double primal, double dual) {
    const struct pairs *in = &p->pairs;
    double sum = 0;

    for (int64_t i = 0; i < p->problem->A->rows; i++) {
        sum += (in->primal[i] + primal * in->dprimal[i]) * (in->dual[i] + dual * in->ddual[i]);
        sum += (in->primal2[i] + primal * in->dprimal2[i]) * (in->dual2[i] + dual * in->ddual2[i]);
    }
    return interior_sum(p, sum);
}

static int maximum_assemble(struct interior *p) {
    struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;
    int64_t size = p->k + 1;
    double *last = p->system.N + p->k * size;
    double sum = 0;

    for (int64_t i = 0; i < m; i++) {
        double plus = in->dual[i] / in->primal[i];
        double minus = in->dual2[i] / in->primal2[i];

        in->weight[i] = plus + minus;  /* D */
        in->scratch[i] = plus - minus; /* E */
        sum += in->weight[i];
    }
    if (!system_assemble(p, size, in->weight, 1)) {
        return 0;
    }
    interior_transpose(p, in->scratch, last);
    last[p->k] = interior_sum(p, sum);
    for (int64_t j = 0; j < p->k; j++) {
        last[j] = -last[j];
        p->system.N[p->k + j * size] = last[j];
    }
    return 1;
}

/* The terms of dp and dq in Newton's equations that do not depend on dz and dtheta: (c - p rho) / s and (c - q rho) /
 * t. */
struct wish {
    double plus, minus;
};

static struct wish maximum_wish(const struct interior *p, int64_t i, double target, int correct) {
    const struct pairs *in = &p->pairs;
    double rho_s = in->theta - p->r[i] - in->primal[i];
    double rho_t = in->theta + p->r[i] - in->primal2[i];
    double c_s = target - in->primal[i] * in->dual[i];
    double c_t = target - in->primal2[i] * in->dual2[i];

    if (correct) {
        c_s -= in->dprimal[i] * in->ddual[i];
        c_t -= in->dprimal2[i] * in->ddual2[i];
    }
    return (struct wish){(c_s - in->dual[i] * rho_s) / in->primal[i], (c_t - in->dual2[i] * rho_t) / in->primal2[i]};
}

/* dp and dq for the current dz and dtheta, and the residual of the dual equations in rhs. */
static void maximum_residual(struct interior *p) {
    struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;
    double sum = 0;

    for (int64_t i = 0; i < m; i++) {
        in->ddual[i] = in->dprimal[i] - in->dual[i] / in->primal[i] * (in->dtheta - in->image[i]);
        in->ddual2[i] = in->dprimal2[i] - in->dual2[i] / in->primal2[i] * (in->dtheta + in->image[i]);
        in->scratch[i] = in->ddual[i] - in->ddual2[i];
        sum += in->dual[i] + in->dual2[i] + in->ddual[i] + in->ddual2[i];
    }
    interior_dual_residual(p, in->scratch);
    p->rhs[p->k] = interior_sum(p, sum) - 1;
}

/* As in rows.c: each pass corrects the residual, measured with A itself. */
static void maximum_direction(struct interior *p, double target, int correct) {
    struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;

    for (int64_t i = 0; i < m; i++) {
        struct wish c = maximum_wish(p, i, target, correct);

        in->dprimal[i] = c.plus; /* stored here until dp and dq are known */
        in->dprimal2[i] = c.minus;
    }
    vector_scale(m, 0, in->image);
    vector_scale(p->k + 1, 0, p->dz);
    in->dtheta = 0;
    maximum_residual(p);
    for (int pass = 0; pass < INTERIOR_PASSES && interior_is_left(p); pass++) {
        interior_add_solution(p);
        in->dtheta = p->dz[p->k];
        maximum_residual(p);
    }
    for (int64_t i = 0; i < m; i++) {
        in->dprimal[i] = in->dtheta - in->image[i] + (in->theta - p->r[i] - in->primal[i]);
        in->dprimal2[i] = in->dtheta + in->image[i] + (in->theta + p->r[i] - in->primal2[i]);
    }
}

static void maximum_lengths(const struct interior *p, double *primal, double *dual) {
    const struct pairs *in = &p->pairs;
    double by_primal = 0;
    double by_dual = 0;

    for (int64_t i = 0; i < p->problem->A->rows; i++) {
        by_primal = larger_ratio(by_primal, -in->dprimal[i], in->primal[i]);
        by_primal = larger_ratio(by_primal, -in->dprimal2[i], in->primal2[i]);
        by_dual = larger_ratio(by_dual, -in->ddual[i], in->dual[i]);
        by_dual = larger_ratio(by_dual, -in->ddual2[i], in->dual2[i]);
    }
    *primal = 1 / fmax(interior_max(p, by_primal), 1e-3);
    *dual = 1 / fmax(interior_max(p, by_dual), 1e-3);
}

static void maximum_move(struct interior *p, double primal, double dual) {
    struct pairs *in = &p->pairs;

    vector_axpy(p->k, primal, p->dz, p->z);
    in->theta += primal * in->dtheta;
    for (int64_t i = 0; i < p->problem->A->rows; i++) {
        in->primal[i] = larger(in->primal[i] + primal * in->dprimal[i], INTERIOR_POSITIVE);
        in->primal2[i] = larger(in->primal2[i] + primal * in->dprimal2[i], INTERIOR_POSITIVE);
        in->dual[i] = larger(in->dual[i] + dual * in->ddual[i], INTERIOR_POSITIVE);
        in->dual2[i] = larger(in->dual2[i] + dual * in->ddual2[i], INTERIOR_POSITIVE);
    }
    gather_dual(p);
}

const struct mehrotra_ops mehrotra_maximum = {
    .unknowns = 1,
    .start = maximum_start,
    .complementarity = maximum_complementarity,
    .assemble = maximum_assemble,
    .direction = maximum_direction,
    .lengths = maximum_lengths,
    .move = maximum_move,
};
