/*
 * h(r) = 1/2 ||r||^2: smooth, here so that every method can also be run on least squares.
 *
 *   prox         y = c / (1 + mu)
 *   conjugate    1/2 ||u||^2
 *   dual norm    +INFINITY: no mu takes a nonzero c to 0
 *   L_h          +INFINITY: the gradient is not bounded
 */
#include <math.h>

#include "linalg/vector.h"
#include "model/loss.h"

static double squared_value(const struct loss *h, const double *r) {
    double sum = vector_sum_squares(h->rows, r);
    reduce_sum(h->reduce, &sum, 1);
    return sum / 2;
}

static void squared_prox(const struct loss *h, double mu, const double *c, double *y) {
    double divisor = 1 + mu;
#pragma omp simd
    for (int64_t i = 0; i < h->rows; i++)
        y[i] = c[i] / divisor;
}

static void squared_split(const struct loss *h, double mu, const double *c, double *d, struct loss_split *values) {
    double at_c = squared_value(h, c);
    double keep = 1 / (1 + mu), take = mu / (1 + mu);
    for (int64_t i = 0; i < h->rows; i++)
        d[i] = take * c[i];
    *values = (struct loss_split){at_c, keep * keep * at_c, 2 * take * take * at_c};
}

static void squared_subgradient(const struct loss *h, const double *r, double *u) {
    vector_copy(h->rows, r, u);
}

static void squared_project_dual(const struct loss *h, double *u) {
    (void)h, (void)u; /* dom h* is the whole space */
}

static double squared_dual_norm(const struct loss *h, const double *u) {
    double largest = vector_norm_inf(h->rows, u);
    reduce_max(h->reduce, &largest, 1);
    return largest == 0 ? 0 : (double)INFINITY;
}

static double squared_lipschitz(const struct loss *h) {
    (void)h;
    return INFINITY;
}

static const struct loss_ops squared = {
    .value = squared_value,
    .prox = squared_prox,
    .split = squared_split,
    .subgradient = squared_subgradient,
    .conjugate = squared_value, /* 1/2 ||.||^2 is its own conjugate */
    .project_dual = squared_project_dual,
    .dual_norm = squared_dual_norm,
    .lipschitz = squared_lipschitz,
};

extern const struct loss_kind loss_kind_squared;
const struct loss_kind loss_kind_squared = {
    .name = "squared",
    .aliases = "squared_error",
    .formula = "1/2 sum_i r_i^2",
    .ops = &squared,
    .degree = 2,
};
