/*
 * h(r) = ||r||_inf.
 *
 *   prox         y_i = c_i cut to [-t, t], where t >= 0 solves  sum_i (|c_i| - t)+ = mu  (t = 0 if ||c||_1 <= mu);
 *                by Moreau's identity c - y is the projection of c on the l1 ball of radius mu
 *   conjugate    0 on the unit ball of l1
 *   dual norm    ||u||_1
 *   L_h          1
 */
#include <math.h>

#include "linalg/vector.h"
#include "model/loss.h"

enum { LANES = 8, NEWTON_PASSES = 24, MOST_PASSES = 400 };

static double linf_value(const struct loss *h, const double *r) {
    double largest = vector_norm_inf(h->rows, r);
    reduce_max(h->reduce, &largest, 1);
    return largest;
}

static double norm1(const struct loss *h, const double *u) {
    double sum = vector_norm1(h->rows, u);
    reduce_sum(h->reduce, &sum, 1);
    return sum;
}

/* excess = sum_i (|c_i| - t)+ and count = #{i : |c_i| > t} over all rows. */
static void excess_over(const struct loss *h, const double *c, double t, double *excess, double *count) {
    double sum[LANES] = {0}, number[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= h->rows; i += LANES)
        for (int64_t l = 0; l < LANES; l++) {
            double over = fabs(c[i + l]) - t;
            sum[l] += over > 0 ? over : 0;
            number[l] += over > 0 ? 1 : 0;
        }
    for (; i < h->rows; i++) {
        double over = fabs(c[i]) - t;
        sum[0] += over > 0 ? over : 0;
        number[0] += over > 0 ? 1 : 0;
    }
    double total[2] = {((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])),
                       ((number[0] + number[4]) + (number[1] + number[5])) +
                           ((number[2] + number[6]) + (number[3] + number[7]))};
    reduce_sum(h->reduce, total, 2);
    *excess = total[0];
    *count = total[1];
}

/*
 * The t > 0 with g(t) = sum_i (|c_i| - t)+ - radius = 0, for 0 < radius < ||c||_1.
 *
 * HOW IT WORKS: g is convex, decreasing and piecewise linear, so Newton's method from a point with g >= 0 climbs to the
 * root and reaches it exactly on its linear piece: Michelot's selection, restated so that it needs only a sum and a
 * count per pass. It starts from the better of two points where g >= 0 for certain: max|c| - radius, and (||c||_1 -
 * radius) / rows. A handful of passes is usual. Should some data need more, every other pass halves the bracket, which
 * bounds the number of passes.
 */
static double threshold(const struct loss *h, const double *c, double radius, double sum, double largest) {
    double rows = (double)h->rows;
    reduce_sum(h->reduce, &rows, 1);
    double low = fmax(fmax(largest - radius, (sum - radius) / rows), 0), high = largest;
    double last_count = -1;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        double excess, count, t = low;
        if (pass > NEWTON_PASSES && pass % 2 == 1) {
            t = low + (high - low) / 2;
            excess_over(h, c, t, &excess, &count);
            if (isless(excess, radius)) {
                high = t;
                continue;
            }
        } else {
            excess_over(h, c, t, &excess, &count);
        }
        low = fmin(t + (excess - radius) / count, high); /* Newton: g'(t) = -count */
        if (!isgreater(low, t) || count == last_count)
            return low;
        last_count = count;
    }
    return low;
}

/* The threshold that takes c to the sphere of radius `radius` in l1, 0 for a c inside, NaN for a c that is not finite.
 */
static double ball_threshold(const struct loss *h, const double *c, double radius) {
    double sum = norm1(h, c);
    if (islessequal(sum, radius))
        return 0;
    if (!isfinite(sum))
        return NAN;
    return threshold(h, c, radius, sum, linf_value(h, c));
}

static void linf_prox(const struct loss *h, double mu, const double *c, double *y) {
    double t = ball_threshold(h, c, mu);
#pragma omp simd
    for (int64_t i = 0; i < h->rows; i++) {
        double raised = c[i] < -t ? -t : c[i];
        y[i] = raised > t ? t : raised;
    }
}

static void linf_project_dual(const struct loss *h, double *u) {
    double sum = norm1(h, u);
    if (islessequal(sum, 1))
        return;
    double t = ball_threshold(h, u, 1);
    for (int64_t i = 0; i < h->rows; i++) {
        double over = fabs(u[i]) - t;
        u[i] = over <= 0 ? 0 : copysign(over, u[i]);
    }
}

/* The mean of the extreme points sign(r_i) e_i with |r_i| = ||r||_inf, so that no row needs to be told from another. */
static void linf_subgradient(const struct loss *h, const double *r, double *u) {
    double largest = linf_value(h, r), count = 0;
    for (int64_t i = 0; i < h->rows; i++)
        count += fabs(r[i]) == largest ? 1 : 0;
    reduce_sum(h->reduce, &count, 1);
    for (int64_t i = 0; i < h->rows; i++)
        u[i] = largest > 0 && fabs(r[i]) == largest ? copysign(1 / count, r[i]) : 0;
}

static double linf_conjugate(const struct loss *h, const double *u) {
    return norm1(h, u) <= 1 + LOSS_DOMAIN_SLACK ? 0 : (double)INFINITY;
}

static double linf_dual_norm(const struct loss *h, const double *u) {
    return norm1(h, u);
}

static double linf_lipschitz(const struct loss *h) {
    (void)h;
    return 1;
}

static const struct loss_ops linf = {
    .value = linf_value,
    .prox = linf_prox,
    .subgradient = linf_subgradient,
    .conjugate = linf_conjugate,
    .project_dual = linf_project_dual,
    .dual_norm = linf_dual_norm,
    .lipschitz = linf_lipschitz,
};

extern const struct loss_kind loss_kind_linf;
const struct loss_kind loss_kind_linf = {
    .name = "linf",
    .aliases = "chebyshev|max_error",
    .formula = "max_i |r_i|",
    .ops = &linf,
    .degree = 1,
};
