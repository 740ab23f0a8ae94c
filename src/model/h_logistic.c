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

#include "model/loss.h"

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

static inline void row_bend(struct row p, double r, double *slope, double *second) {
    double t = margin(p, r), e = exp(-fabs(t)), part = 1 / (1 + e);
    *slope = -p.label * (t > 0 ? e * part : part);
    *second = e * part * part;
}

/* Jaakkola and Jordan's parabola, which touches the loss at t and -t and lies above it; or the curvature itself. */
static inline double row_weight(struct row p, double r, int level) {
    double t = fabs(margin(p, r));
    if (level > 0)
        return row_second(p, r);
    return t > 1e-3 ? tanh(t / 2) / (2 * t) : 0.25;
}

/* About the root of t = t_0 + kappa / (1 + e^t): with 1/2 - t/4 for the fraction, where that is between 0 and 1; for a
 * large kappa it is near log kappa. */
static inline double guess(double t0, double kappa) {
    double t = (t0 + kappa / 2) / (1 + kappa / 4);
    return kappa > 100 ? log1p(kappa) : t > 2 ? t0 : t < -2 ? t0 + kappa : t;
}

/* Halley's method between brackets: the root is in [t_0, t_0 + kappa], where the function rises. */
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

enum { SOME_ROWS = 64 };

/*
 * 1 / (1 + e^t) to a few units of the last digit of 1, without a question, so that many rows are taken at once:
 * e^-|t| = 2^-k e^r with |r| <= log(2) / 2. |t| must be below 708.
 */
static inline double miss_quickly(double t) {
    union {
        double number;
        uint64_t bits;
    } k, scale;
    double a = fabs(t), r, q, low, high, e;
    k.number = a * 0x1.71547652b82fep0 + 0x1.8p52; /* a / log 2, rounded to an integer in its last bits */
    scale.bits = (UINT64_C(1023) - k.bits) << 52;
    k.number -= 0x1.8p52;
    r = k.number * 0x1.62e42fee00000p-1 - a + k.number * 0x1.a39ef35793c76p-33;
    q = r * r;
    low = 1 + r + q * (0.5 + 1.0 / 6 * r + q * (1.0 / 24 + 1.0 / 120 * r));
    high = 1.0 / 720 + 1.0 / 5040 * r + q * (1.0 / 40320 + 1.0 / 362880 * r + q * (1.0 / 3628800 + 1.0 / 39916800 * r));
    e = (low + q * q * q * (high + q * q * q * (1.0 / 479001600))) * scale.number;
    return 0.5 - copysign(1 / (1 + e) - 0.5, t);
}

/* A step of Halley's method from t, where q = 1 / (1 + e^t). */
static inline double halley(double t, double q, double t0, double kappa) {
    double off = t - t0 - kappa * q, bend = kappa * q * (1 - q), slope = 1 + bend;
    return off * slope / (slope * slope + off * bend * (0.5 - q));
}

/*
 * The same in many rows at once: a few steps of Halley's method without a question. over: of the last one, where it is
 * too far for the row to be done.
 */
static void prox_some(int64_t rows, const double *label, const double *kappa, const double *c, double *y,
                      double *over) {
#pragma omp simd
    for (int64_t i = 0; i < rows; i++) {
        double t0 = label[i] * c[i] + 1, k = kappa[i], most = t0 + k, t = (t0 + k / 2) / (1 + k / 4), last, q;
        double size, excess;
        t = t < t0 ? t0 : t;
        t = t > most ? most : t;
        t -= halley(t, miss_quickly(t), t0, k);
        t -= halley(t, miss_quickly(t), t0, k);
        q = miss_quickly(t);
        last = halley(t, q, t0, k);
        t -= last;
        q += q * (1 - q) * last * (1 + (0.5 - q) * last); /* that of the new t, but for last^3 / 6 */
        y[i] = c[i] + label[i] * k * q;
        size = fabs(last) - 3e-6;
        excess = fabs(t - t0 - k / 2) - (k / 2 + 1e-14 * (1 + fabs(t)));
        over[i] = size > excess ? size : excess; /* a NaN is not at most 0 */
    }
}

static void prox_all(const struct loss *h, double mu, const double *c, double *y) {
    double kappa[SOME_ROWS], over[SOME_ROWS], out[SOME_ROWS];
    for (int64_t first = 0; first < h->rows; first += SOME_ROWS) {
        int64_t count = h->rows - first < SOME_ROWS ? h->rows - first : SOME_ROWS;
        for (int64_t i = 0; i < count; i++)
            kappa[i] = h->weight == NULL ? mu : mu * h->weight[first + i];
        prox_some(count, h->label + first, kappa, c + first, out, over);
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

/* Both at once, because they have the logarithms in common. */
static inline void row_prove(struct row p, double u, double room, double *value, double *steep) {
    double q = -p.label * u, below = q > 0 ? log(q) : 0, above = q < 1 ? log(1 - q) : 0;
    *value = q * below + (1 - q) * above + q;
    *steep = room > 0 || (q > 0 && q < 1) ? 3 + fabs(below) + fabs(above) : 0;
}

#define ROWS_BEND row_bend
#define ROWS_PROX prox_all
#define ROWS_PROVE row_prove
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
