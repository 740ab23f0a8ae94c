/*
 * Huber's loss: a parabola within delta of zero, straight beyond,
 *
 *     h(r) = sum_i weight_i (r_i^2 / 2 where |r_i| <= delta, delta |r_i| - delta^2 / 2 elsewhere).
 *
 *   prox         c / (1 + kappa) where that is within delta, c -+ kappa delta elsewhere,  kappa = mu weight
 *   conjugate    1/2 u^2 / weight on |u| <= weight delta
 *   L_h          delta (sum_i weight_i^2)^(1/2)
 */
#include <math.h>

#include "model/loss.h"

struct row {
    double label, width;
};

static inline double row_value(struct row p, double r) {
    double size = fabs(r);
    return size <= p.width ? r * r / 2 : p.width * (size - p.width / 2);
}

static inline double row_slope(struct row p, double r) {
    double raised = r < -p.width ? -p.width : r;
    return raised > p.width ? p.width : raised;
}

static inline double row_second(struct row p, double r) {
    return fabs(r) <= p.width ? 1 : 0;
}

/* The parabola that touches the loss at r and lies above it; at higher levels a flatter one. */
static inline double row_weight(struct row p, double r, int level) {
    double above = fabs(r) <= p.width ? 1 : p.width / fabs(r);
    return level == 0 || fabs(r) <= p.width ? above : above / 4;
}

static inline double row_prox(struct row p, double kappa, double c) {
    double inside = c / (1 + kappa);
    return fabs(inside) <= p.width ? inside : c > 0 ? c - kappa * p.width : c + kappa * p.width;
}

static inline double row_conjugate(struct row p, double u) {
    return fabs(u) <= p.width * (1 + LOSS_DOMAIN_SLACK) ? u * u / 2 : HUGE_VAL;
}

static inline double row_project(struct row p, double u) {
    return row_slope(p, u); /* clipped to [-delta, delta] */
}

static inline double row_recession(struct row p, double d) {
    return p.width * fabs(d);
}

static inline double row_margin(struct row p, double u) {
    return p.width - fabs(u);
}

static inline double row_steep(struct row p, double u, double room) {
    (void)u, (void)room;
    return p.width;
}

#define ROWS_TABLE huber
#define ROWS_STEEPEST (h->width)
#define ROWS_UNSURE 0
#include "model/loss_rows.h"

static void huber_prepare(struct loss *h, const struct loss_input *input, struct workspace *workspace) {
    rows_prepare(h, input, workspace);
    h->width = input->options->delta / input->unit;
}

/* 2 m log Z(t) + 2 L / t, where exp(-phi(r) / t) / Z(t) is the density of the noise. */
static double deviance_at(double rows, double value, double delta, double t) {
    double root = sqrt(2 * t);
    double inside = root * sqrt(acos(-1.0)) * erf(delta / root);
    double outside = 2 * t / delta * exp(-delta / root * (delta / root));
    return 2 * rows * log(inside + outside) + 2 * value / t;
}

/* At the best t, by golden section over log t. The result lies between the Gaussian deviance (large delta) and the
 * Laplace deviance (small delta). */
static double huber_deviance(const struct spgm_options *options, double rows, double value) {
    const double golden = (sqrt(5.0) - 1) / 2;
    double middle = log(value / rows), low = middle - 12, high = middle + 12;
    for (int section = 0; section < 80; section++) {
        double left = high - golden * (high - low), right = low + golden * (high - low);
        if (deviance_at(rows, value, options->delta, exp(left)) < deviance_at(rows, value, options->delta, exp(right)))
            high = right;
        else
            low = left;
    }
    return deviance_at(rows, value, options->delta, exp((low + high) / 2));
}

extern const struct loss_kind loss_kind_huber;
const struct loss_kind loss_kind_huber = {
    .name = "huber",
    .aliases = "",
    .formula = "sum_i r_i^2/2 where |r_i| <= delta, delta |r_i| - delta^2/2 elsewhere",
    .parameter = "delta",
    .ops = &huber,
    .engine = LOSS_BY_CURVATURE,
    .is_sum = 1,
    .reweights = 1,
    .has_breaks = 1,
    .levels = 2,
    .degree = 2,
    .perfect = 1e-24,
    .candidate = 2,
    .rate = 1,
    .prepare = huber_prepare,
    .per_row = loss_mean,
    .deviance = huber_deviance,
};
