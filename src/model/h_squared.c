/*
 * h(r) = 1/2 sum_i weight_i r_i^2.
 *
 *   prox         y = c / (1 + kappa),  kappa = mu weight
 *   conjugate    1/2 u^2 / weight
 *   L_h          +INFINITY: the gradient is not bounded
 */
#include <math.h>

struct row {
    double label, width;
};

static inline double row_value(struct row p, double r) {
    (void)p;
    return r * r / 2;
}

static inline double row_slope(struct row p, double r) {
    (void)p;
    return r;
}

static inline double row_second(struct row p, double r) {
    (void)p, (void)r;
    return 1;
}

static inline double row_weight(struct row p, double r, int level) {
    (void)p, (void)r, (void)level;
    return 1;
}

static inline double row_prox(struct row p, double kappa, double c) {
    (void)p;
    return c / (1 + kappa);
}

static inline double row_conjugate(struct row p, double u) {
    (void)p;
    return u * u / 2;
}

static inline double row_project(struct row p, double u) {
    (void)p;
    return u; /* the whole line */
}

static inline double row_recession(struct row p, double d) {
    (void)p;
    return d == 0 ? 0 : HUGE_VAL;
}

static inline double row_margin(struct row p, double u) {
    (void)p, (void)u;
    return HUGE_VAL;
}

static inline double row_steep(struct row p, double u, double room) {
    (void)p;
    return (fabs(u) + room) * (1 + 1e-15);
}

#define ROWS_TABLE squared
#define ROWS_STEEPEST ((double)INFINITY)
#define ROWS_UNSURE 0
#include "model/loss_rows.h"

/* Gaussian noise. */
static double squared_deviance(const struct spgm_options *options, double rows, double value) {
    (void)options;
    return rows * log(2 * value / rows);
}

extern const struct loss_kind loss_kind_squared;
const struct loss_kind loss_kind_squared = {
    .name = "squared",
    .aliases = "squared_error",
    .formula = "1/2 sum_i r_i^2",
    .ops = &squared,
    .engine = LOSS_BY_CURVATURE,
    .is_sum = 1,
    .reweights = 1,
    .is_quadratic = 1,
    .levels = 1,
    .degree = 2,
    .perfect = 1e-24,
    .candidate = 3,
    .rate = 1,
    .prepare = rows_prepare,
    .per_row = loss_mean,
    .deviance = squared_deviance,
};
