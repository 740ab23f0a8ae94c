/*
 * h(r) = ||r||_2, not squared.
 *
 *   prox         y = max(1 - mu / ||c||, 0) c
 *   conjugate    0 on the unit ball
 *   dual norm    ||u||_2
 *   L_h          1
 */
#include <math.h>

#include "linalg/sum.h"
#include "linalg/vector.h"
#include "model/loss.h"

/* Over the rows of all processes without overflow: their norms are divided by the largest before they are squared. */
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

static double l2_along(const struct loss *h, const double *r, const double *d, double alpha, double *slope) {
    double largest = 0, sum[2] = {0, 0};
    for (int64_t i = 0; i < h->rows; i++)
        largest = fmax(largest, fabs(r[i] + alpha * d[i]));
    reduce_max(h->reduce, &largest, 1);
    *slope = 0;
    if (!(largest > 0))
        return largest;
    for (int64_t i = 0; i < h->rows; i++) {
        double e = (r[i] + alpha * d[i]) / largest;
        sum[0] += e * e;
        sum[1] += e * d[i];
    }
    reduce_sum(h->reduce, sum, 2);
    *slope = sum[1] / sqrt(sum[0]);
    return largest * sqrt(sum[0]);
}

/* ||r|| <= (||r||^2 / rho + rho) / 2 with equality at rho = ||r||. */
static double l2_curvature(const struct loss *h, const double *r, const double *u, int level, double *w) {
    double norm = l2_value(h, r);
    (void)u, (void)level;
    for (int64_t i = 0; i < h->rows; i++)
        w[i] = 1 / fmax(norm, 1e-100);
    return 0;
}

static void l2_surrogate_slope(const struct loss *h, double floor, const double *r, const double *w, double *u) {
    (void)floor, (void)w;
    l2_subgradient(h, r, u);
}

/* All rows get the same room: the distance to the boundary of the ball. */
static double l2_conjugate_above(const struct loss *h, const double *u, double cap, double *room, double *steep) {
    double norm = sqrt(number_above(sum_close(sum_dot(h->rows, u, u), 0, h->reduce))) * (1 + 2 * DBL_EPSILON);
    double left = fmin(cap, (1 - norm) * (1 - 2 * DBL_EPSILON));
    for (int64_t i = 0; i < h->rows; i++) {
        room[i] = left > 0 ? left : 0;
        steep[i] = 0;
    }
    return norm <= 1 ? 0 : (double)INFINITY;
}

static void l2_prepare(struct loss *h, const struct loss_input *input, struct workspace *workspace) {
    (void)h, (void)input, (void)workspace; /* no parameters */
}

/* Gaussian noise. */
static double l2_deviance(const struct spgm_options *options, double rows, double value) {
    (void)options;
    return rows * log(value * value / rows);
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
    .along = l2_along,
    .curvature = l2_curvature,
    .surrogate_slope = l2_surrogate_slope,
    .recession = l2_value,
    .conjugate_above = l2_conjugate_above,
};

extern const struct loss_kind loss_kind_l2;
const struct loss_kind loss_kind_l2 = {
    .name = "l2",
    .aliases = "euclidean",
    .formula = "(sum_i r_i^2)^(1/2)",
    .ops = &l2,
    .engine = LOSS_BY_LENGTH,
    .reweights = 1,
    .levels = 1,
    .degree = 1,
    .perfect = 1e-12,
    .rate = 1,
    .prepare = l2_prepare,
    .per_row = loss_root_mean,
    .deviance = l2_deviance,
};
