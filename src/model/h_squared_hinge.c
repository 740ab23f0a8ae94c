/*
 * The squared hinge of a classifier with labels -1 and +1, h(r) = sum_i weight_i max(0, 1 - b_i a_i'x)^2: with
 * r = a'x - b and b^2 = 1 it is max(0, -b r)^2.
 *
 *   prox         c / (1 + 2 kappa) where b c < 0, c elsewhere,  kappa = mu weight
 *   conjugate    u^2 / (4 weight) on b u <= 0
 *   L_h          +INFINITY: the gradient is not bounded
 */
#include <math.h>

#include "model/loss.h"

struct row {
    double label, width;
};

static inline double row_value(struct row p, double r) {
    double miss = -p.label * r;
    miss = miss < 0 ? 0 : miss; /* a NaN stays */
    return miss * miss;
}

static inline double row_slope(struct row p, double r) {
    return p.label * r < 0 ? 2 * r : p.label * r >= 0 ? 0 : r;
}

static inline double row_second(struct row p, double r) {
    return p.label * r < 0 ? 2 : 0;
}

/* Rows without loss get a weight, too, because they may come to have a loss. */
static inline double row_weight(struct row p, double r, int level) {
    return p.label * r < 0 ? 2 : level == 0 ? 0.5 : 2;
}

static inline double row_prox(struct row p, double kappa, double c) {
    return p.label * c < 0 ? c / (1 + 2 * kappa) : c;
}

static inline double row_conjugate(struct row p, double u) {
    return p.label * u <= 0 ? u * u / 4 : HUGE_VAL;
}

static inline double row_project(struct row p, double u) {
    return p.label * u <= 0 ? u : 0;
}

static inline double row_recession(struct row p, double d) {
    return p.label * d < 0 ? HUGE_VAL : 0;
}

static inline double row_margin(struct row p, double u) {
    return -p.label * u;
}

static inline double row_steep(struct row p, double u, double room) {
    (void)p, (void)room;
    return fabs(u);
}

#define ROWS_TABLE squared_hinge
#define ROWS_STEEPEST ((double)INFINITY)
#define ROWS_UNSURE 0
#include "model/loss_rows.h"

/* There is no likelihood: the support vector machine information criterion (h_pinball.c, hinge). */
static double squared_hinge_deviance(const struct spgm_options *options, double rows, double value) {
    (void)options, (void)rows;
    return 2 * value;
}

extern const struct loss_kind loss_kind_squared_hinge;
const struct loss_kind loss_kind_squared_hinge = {
    .name = "squared_hinge",
    .aliases = "",
    .formula = "sum_i max(0, 1 - b_i a_i'x)^2",
    .ops = &squared_hinge,
    .engine = LOSS_BY_CURVATURE,
    .target = LOSS_OF_TWO_LABELS,
    .is_sum = 1,
    .reweights = 1,
    .has_breaks = 1,
    .levels = 2,
    .perfect = 1e-24,
    .is_of_sign = 1,
    .rate = 1,
    .prepare = rows_prepare,
    .per_row = loss_mean,
    .deviance = squared_hinge_deviance,
};
