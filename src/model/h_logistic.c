/*
 * The logistic loss of a classifier with labels -1 and +1, h(r) = sum_i weight_i log(1 + exp(-b_i a_i'x)): with
 * r = a'x - b and b^2 = 1 the margin is t = b a'x = b r + 1.
 *
 *   prox         the margin solves t = t_0 + kappa / (1 + e^t),  kappa = mu weight
 *   conjugate    weight (q log q + (1 - q) log(1 - q) + q),  q = -b u / weight in [0, 1]
 *   L_h          (sum_i weight_i^2)^(1/2)
 */
#include <math.h>
#include <stdint.h>

#include "linalg/vector.h"
#include "model/loss.h"

#define ROWS_SOME 64

struct row {
    double label, width;
};

static inline double margin(struct row p, double r) {
    return p.label * r + 1;
}

/* 1 / (1 + e^t), which neither overflows nor loses digits */
static inline double miss(double t) {
    double e = exp(-fabs(t));
    return t > 0 ? e / (1 + e) : 1 / (1 + e);
}

static inline double row_value(struct row p, double r) {
    double t = margin(p, r);
    return log1p(exp(-fabs(t))) + (t < 0 ? -t : 0 * t);
}

static inline double row_slope(struct row p, double r) {
    return -p.label * miss(margin(p, r));
}

static inline double row_second(struct row p, double r) {
    double e = exp(-fabs(margin(p, r)));
    return e / ((1 + e) * (1 + e));
}

/*
 * The parabola of Jaakkola and Jordan, which touches the loss at t and -t and lies above it; or the curvature itself.
 */
static inline double row_weight(struct row p, double r, int level) {
    double t = fabs(margin(p, r));
    if (level > 0)
        return row_second(p, r);
    return t > 1e-3 ? tanh(t / 2) / (2 * t) : 0.25;
}

/* An approximate root of t = t_0 + kappa / (1 + e^t): replaces the fraction by 1/2 - t/4 where that is between 0 and 1;
 * for large kappa the root is near log kappa. */
static inline double guess(double t0, double kappa) {
    double t = (t0 + kappa / 2) / (1 + kappa / 4);
    return kappa > 100 ? log1p(kappa) : t > 2 ? t0 : t < -2 ? t0 + kappa : t;
}

/* Halley's method within a bracket: the root is in [t_0, t_0 + kappa], where the function increases. */
static inline double row_prox(struct row p, double kappa, double c) {
    double t0 = margin(p, c), low = t0, high = t0 + kappa, t = fmin(fmax(guess(t0, kappa), low), high);
    for (int step = 0; step < 100; step++) {
        double q = miss(t), over = t - t0 - kappa * q, bend = kappa * q * (1 - q), slope = 1 + bend, next;
        if (over > 0)
            high = t;
        else
            low = t;
        next = t - over * slope / (slope * slope + over * bend * (0.5 - q));
        int is_inside = next > low && next < high;
        if (!is_inside)
            next = low + (high - low) / 2;
        int is_last =
            !(fabs(next - t) > (is_inside ? 1e-5 : 1e-16) * (1 + fabs(t))); /* the error is about step^3 / 6 */
        t = next;
        if (is_last)
            break;
    }
    return c + p.label * kappa * miss(t);
}

static void prox_all(const struct loss *h, double mu, const double *c, double *y) {
    double kappa[ROWS_SOME], over[ROWS_SOME], out[ROWS_SOME];
    for (int64_t first = 0; first < h->rows; first += ROWS_SOME) {
        int64_t count = h->rows - first < ROWS_SOME ? h->rows - first : ROWS_SOME;
        for (int64_t i = 0; i < count; i++)
            kappa[i] = h->weight == NULL ? mu : mu * h->weight[first + i];
        vector_soft_prox(count, h->label + first, kappa, c + first, out, over);
        for (int64_t i = 0; i < count; i++)
            y[first + i] = over[i] <= 0 && kappa[i] <= 100 && fabs(c[first + i]) <= 500
                               ? out[i]
                               : row_prox((struct row){h->label[first + i], h->width}, kappa[i], c[first + i]);
    }
}

static inline double entropy(double q) {
    return q > 0 ? q * log(q) : 0;
}

static inline double row_conjugate(struct row p, double u) {
    double q = -p.label * u;
    if (!(q >= -LOSS_DOMAIN_SLACK && q <= 1 + LOSS_DOMAIN_SLACK))
        return HUGE_VAL;
    return entropy(q) + entropy(1 - q) + q;
}

static inline double row_project(struct row p, double u) {
    double q = -p.label * u;
    q = q < 0 ? 0 : q;
    return -p.label * (q > 1 ? 1 : q);
}

static inline double row_recession(struct row p, double d) {
    return p.label * d < 0 ? fabs(d) : 0;
}

static inline double row_margin(struct row p, double u) {
    double q = -p.label * u;
    return fmin(q, 1 - q);
}

/* phi*' = log(q / (1 - q)) + 1, between q / 2 and (1 + q) / 2 */
static inline double row_steep(struct row p, double u, double room) {
    double q = -p.label * u;
    return room > 0 || (q > 0 && q < 1) ? 3 + fabs(log(q)) + fabs(log(1 - q)) : 0;
}

/* phi and -label phi' at some margins. */
static void soft_some(int64_t count, const double *label, const double *r, double *value, double *miss) {
    double t[ROWS_SOME];
    for (int64_t i = 0; i < count; i++)
        t[i] = label[i] * r[i] + 1;
    vector_soft(count, t, value, miss);
}

/* The logarithms of q and 1 - q, with 0 for a negligible argument: both arguments are 0 or at least 2^-53. */
static void entropy_some(int64_t count, const double *label, const double *v, const double *room, double *value,
                         double *steep) {
    double q[ROWS_SOME] = {0}, rest[ROWS_SOME] = {0}, below[ROWS_SOME], above[ROWS_SOME];
    for (int64_t i = 0; i < count; i++) {
        double at = -label[i] * v[i], left = 1 - at;
        q[i] = at >= 0x1p-1000 ? at : 1;
        rest[i] = left > 0 ? left : 1;
    }
    vector_log(count, q, below);
    vector_log(count, rest, above);
    for (int64_t i = 0; i < count; i++) {
        double at = -label[i] * v[i];
        below[i] = at > 0 && at < 0x1p-1000 ? -746 : below[i];
        value[i] = at * below[i] + (1 - at) * above[i] + at;
        steep[i] = room[i] > 0 || (at > 0 && at < 1) ? 3 + fabs(below[i]) + fabs(above[i]) : 0;
    }
}

#define ROWS_SOFT soft_some
#define ROWS_PROX prox_all
#define ROWS_PROVE entropy_some
#define ROWS_TABLE logistic
#define ROWS_STEEPEST 1.0
#define ROWS_UNSURE 1
#include "model/loss_rows.h"

static double logistic_deviance(const struct spgm_options *options, double rows, double value) {
    (void)options, (void)rows;
    return 2 * value;
}

static double logistic_probability(double score) {
    return miss(-score);
}

extern const struct loss_kind loss_kind_logistic;
const struct loss_kind loss_kind_logistic = {
    .name = "logistic",
    .aliases = "log_loss",
    .formula = "sum_i log(1 + exp(-b_i a_i'x))",
    .ops = &logistic,
    .engine = LOSS_BY_CURVATURE,
    .target = LOSS_OF_TWO_LABELS,
    .is_sum = 1,
    .reweights = 1,
    .levels = 2,
    .perfect = 1e-24,
    .rate = 1,
    .prepare = rows_prepare,
    .per_row = loss_mean,
    .deviance = logistic_deviance,
    .probability = logistic_probability,
};
