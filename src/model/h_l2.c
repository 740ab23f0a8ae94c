/*
 * h(r) = ||r||_2, not squared.
 *
 *   prox         y = max(1 - mu / ||c||, 0) c
 *   conjugate    0 on the unit ball
 *   dual norm    ||u||_2
 *   L_h          1
 */
#include <math.h>

#include "linalg/vector.h"
#include "model/loss.h"

/* Over all rows, without overflow: the parts' norms are scaled by the largest before they are squared. */
static double l2_value(const struct loss *h, const double *r) {
    double norm = vector_norm(h->rows, r);
    if (h->reduce == NULL)
        return norm;
    double largest = norm;
    reduce_max(h->reduce, &largest, 1);
    if (largest == 0 || !isfinite(largest))
        return largest;
    double squares = (norm / largest) * (norm / largest);
    reduce_sum(h->reduce, &squares, 1);
    return largest * sqrt(squares);
}

static void l2_prox(const struct loss *h, double mu, const double *c, double *y) {
    double norm = l2_value(h, c);
    double factor = norm <= mu ? 0 : (norm - mu) / norm;
#pragma omp simd
    for (int64_t i = 0; i < h->rows; i++)
        y[i] = factor * c[i];
}

static void l2_split(const struct loss *h, double mu, const double *c, double *d, struct loss_split *values) {
    double norm = l2_value(h, c);
    double factor = norm <= mu ? 1 : mu / norm;
    double length = norm <= mu ? norm : mu; /* ||d|| */
    for (int64_t i = 0; i < h->rows; i++)
        d[i] = factor * c[i];
    *values = (struct loss_split){norm, norm - length, length * length};
}

static void l2_subgradient(const struct loss *h, const double *r, double *u) {
    double norm = l2_value(h, r);
    for (int64_t i = 0; i < h->rows; i++)
        u[i] = norm == 0 ? 0 : r[i] / norm;
}

static double l2_conjugate(const struct loss *h, const double *u) {
    return l2_value(h, u) <= 1 + LOSS_DOMAIN_SLACK ? 0 : (double)INFINITY;
}

static void l2_project_dual(const struct loss *h, double *u) {
    double norm = l2_value(h, u);
    if (norm <= 1)
        return;
    for (int64_t i = 0; i < h->rows; i++)
        u[i] /= norm;
}

static double l2_lipschitz(const struct loss *h) {
    (void)h;
    return 1;
}

static const struct loss_ops l2 = {
    .value = l2_value,
    .prox = l2_prox,
    .split = l2_split,
    .subgradient = l2_subgradient,
    .conjugate = l2_conjugate,
    .project_dual = l2_project_dual,
    .dual_norm = l2_value, /* the norm is its own dual */
    .lipschitz = l2_lipschitz,
};

extern const struct loss_kind loss_kind_l2;
const struct loss_kind loss_kind_l2 = {
    .name = "l2",
    .aliases = "euclidean",
    .formula = "(sum_i r_i^2)^(1/2)",
    .ops = &l2,
    .degree = 1,
};
