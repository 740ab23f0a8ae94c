/*
 * h(r) = ||r||_inf.
 *
 *   prox         y_i = c_i cut to [-t, t], where t >= 0 solves  sum_i (|c_i| - t)+ = mu  (y = 0 if ||c||_1 <= mu);
 *                by Moreau's identity c - y is the projection of c on the l1 ball of radius mu
 *   conjugate    0 on the unit ball of l1
 *   dual norm    ||u||_1
 *   L_h          1
 *
 * The cut is kept as its depth = ||c||_inf - t, which is at most mu: (|c_i| - t)+ = (depth - (||c||_inf - |c_i|))+ then
 * has an error of the order of mu's last digit however small mu is beside c, because the inner difference is exact for
 * entries that near the largest.
 */
#include <math.h>

#include "linalg/sum.h"
#include "linalg/vector.h"
#include "model/loss.h"

enum { BLOCK = 128, FEW_ROWS = 256, MOST_PASSES = 100 };
/* For at most this many rows, a list of few of them takes longer to make than the passes that it saves: proofs of 500 x
 * 30 with 150 to 340 rows, 3 % less time without. */
enum { SHORT_ROWS = 1024 };

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

/* The projection of c onto an l1 ball: everything above ||c||_inf - depth is subtracted. */
struct cut {
    double largest; /* ||c||_inf */
    double depth;   /* largest - t; NaN if c is not finite */
    int inside;     /* ||c||_1 <= radius: all of c is subtracted */
};

/* The part of an entry of this size that is subtracted: the positive part, without an unpredictable branch. NaN is
 * preserved. */
static inline double taken(const struct cut *cut, double size) {
    double off = cut->depth - (cut->largest - size);
    return (off + fabs(off)) / 2;
}

/* sum = ||subtracted part||_1 and count = the number of rows that are cut, over all processes; summed by blocks for
 * accuracy. */
static void measure(const struct loss *h, const double *c, struct cut cut, double *sum, double *count) {
    double total[2] = {0, 0};
    for (int64_t first = 0; first < h->rows; first += BLOCK) {
        int64_t last = first + BLOCK < h->rows ? first + BLOCK : h->rows;
        double number, length = vector_excess(last - first, c + first, cut.largest, cut.depth, &number);
        total[0] += length;
        total[1] += number;
    }
    reduce_sum(h->reduce, total, 2);
    *sum = total[0];
    *count = total[1];
}

/* List the rows that are cut; there are at most FEW_ROWS. */
static int64_t keep_few(const struct loss *h, const double *c, struct cut cut, double *few) {
    int64_t kept = 0;
    for (int64_t i = 0; i < h->rows && kept < FEW_ROWS; i++) {
        few[kept] = fabs(c[i]);
        kept += taken(&cut, few[kept]) > 0;
    }
    return kept;
}

/*
 * The depth with g(depth) = sum_i (depth - (||c||_inf - |c_i|))+ - radius = 0, for 0 < radius < norm1 = ||c||_1.
 *
 * HOW IT WORKS: g is convex, increasing and piecewise linear, so Newton's method from a depth with g >= 0 descends to
 * the root and reaches it exactly on its linear piece: Michelot's selection, restated so that it needs only a sum and a
 * count per pass. It starts from the lesser of two depths where g >= 0 for certain: radius, and ||c||_inf - (||c||_1 -
 * radius) / rows.
 *
 * Convexity gives g_{k+1} / g_k + count_{k+1} / count_k <= 1, so that g count falls by a factor of 4 or more per pass:
 * from rows^2 radius to the last digit of radius in at most 28 + log2(rows) passes, whatever the data. A handful is
 * usual.
 */
static double find_depth(const struct loss *h, const double *c, double radius, double norm1, double largest) {
    double few[FEW_ROWS];
    int64_t kept = -1; /* length of `few`: the rows cut at some depth, which include those cut at any lower one */
    double rows = (double)h->rows, last_count = -1, next = NAN;
    reduce_sum(h->reduce, &rows, 1);
    double whole = largest - (norm1 - radius) / rows + 1e-12 * largest; /* raised a little against rounding */
    double depth = fmin(radius, whole);
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        double sum, count;
        struct cut cut = {largest, depth, 0};
        if (kept < 0)
            measure(h, c, cut, &sum, &count);
        else
            sum = vector_excess(kept, few, largest, depth, &count);
        if (kept < 0 && count <= FEW_ROWS && h->reduce == NULL && h->rows > SHORT_ROWS)
            kept = keep_few(h, c, cut, few);
        next = depth - (sum - radius) / count; /* g'(depth) = count */
        if (!isless(next, depth) || count == last_count)
            break;
        last_count = count;
        depth = next;
    }
    return next;
}

static struct cut cut_to_ball(const struct loss *h, const double *c, double radius) {
    double sum = norm1(h, c);
    struct cut cut = {linf_value(h, c), NAN, islessequal(sum, radius)};
    if (isfinite(sum) && !cut.inside)
        cut.depth = find_depth(h, c, radius, sum, cut.largest);
    return cut;
}

/* t = ||y||_inf >= 0; NaN for NaN */
static double cut_height(const struct cut *cut) {
    double t = cut->inside ? 0 : cut->largest - cut->depth;
    return t < 0 ? 0 : t;
}

static void linf_prox(const struct loss *h, double mu, const double *c, double *y) {
    struct cut cut = cut_to_ball(h, c, mu);
    double t = cut_height(&cut);
#pragma omp simd
    for (int64_t i = 0; i < h->rows; i++) {
        double raised = c[i] < -t ? -t : c[i];
        y[i] = raised > t ? t : raised;
    }
}

/* d is the projection of c on the l1 ball of radius mu; ||y||_inf is the threshold, or 0 inside the ball. */
static void linf_split(const struct loss *h, double mu, const double *c, double *d, struct loss_split *values) {
    struct cut cut = cut_to_ball(h, c, mu);
    for (int64_t i = 0; i < h->rows; i++)
        d[i] = cut.inside ? c[i] : copysign(taken(&cut, fabs(c[i])), c[i]);
    double squares = vector_sum_squares(h->rows, d);
    reduce_sum(h->reduce, &squares, 1);
    *values = (struct loss_split){cut.largest, cut_height(&cut), squares};
}

static void linf_project_dual(const struct loss *h, double *u) {
    struct cut cut = cut_to_ball(h, u, 1);
    for (int64_t i = 0; !cut.inside && i < h->rows; i++)
        u[i] = copysign(taken(&cut, fabs(u[i])), u[i]);
}

/* The mean of the extreme points sign(r_i) e_i with |r_i| = ||r||_inf, which treats tied rows equally. */
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

/* The steepest slope among the largest rows. */
static double linf_along(const struct loss *h, const double *r, const double *d, double alpha, double *slope) {
    double steepest, own = vector_peak(h->rows, r, alpha, d, &steepest), largest = own;
    reduce_max(h->reduce, &largest, 1);
    steepest = own < largest ? -INFINITY : steepest;
    reduce_max(h->reduce, &steepest, 1);
    *slope = isfinite(steepest) ? steepest : 0;
    return largest;
}

static double power_of(double base, int level) {
    double square = base * base, fourth = square * square;
    return level == 0 ? fourth : level == 1 ? fourth * fourth * square : square; /* 4, 10, 2 */
}

/* Half from the rows with a nonzero dual variable, half from a power of the residual, for the rows that would become
 * largest next. */
static double linf_curvature(const struct loss *h, const double *r, const double *u, int level, double *w) {
    double top = linf_value(h, r), sum = 0;
    top = top > 0 ? top : 1;
    for (int64_t i = 0; i < h->rows; i++) {
        w[i] = power_of(fabs(r[i]) / top, level);
        sum += w[i];
    }
    reduce_sum(h->reduce, &sum, 1);
    for (int64_t i = 0; i < h->rows; i++)
        w[i] = 0.5 * (fabs(u[i]) + w[i] / (sum > 0 ? sum : 1)) / top;
    return 0;
}

static void linf_surrogate_slope(const struct loss *h, double floor, const double *r, const double *w, double *u) {
    (void)floor, (void)w;
    linf_subgradient(h, r, u);
}

/* ||room q||_1 <= sqrt(rows) room ||q||_2: the same room for all rows. */
static double linf_conjugate_above(const struct loss *h, const double *u, double cap, double *room, double *steep) {
    long double all = 0;
    double rows = (double)h->rows, norm, left;
    struct sum sum;
    for (int64_t first = 0; first < h->rows; first += BLOCK) { /* most rows have u = 0 */
        double size[BLOCK];
        int64_t last = first + BLOCK < h->rows ? first + BLOCK : h->rows, count = 0;
        for (int64_t i = first; i < last; i++) {
            size[count] = fabs(u[i]);
            count += u[i] != 0; /* a NaN is counted */
        }
        for (int64_t i = 0; i < count; i++)
            all += size[i];
    }
    sum = (struct sum){all, all, h->rows + 4};
    reduce_sum(h->reduce, &rows, 1);
    norm = number_above(sum_close(sum, 0, h->reduce));
    left = fmin(cap, (1 - norm) / sqrt(rows) * (1 - 4 * DBL_EPSILON));
    for (int64_t i = 0; i < h->rows; i++) {
        room[i] = left > 0 ? left : 0;
        steep[i] = 0;
    }
    return norm <= 1 ? 0 : (double)INFINITY;
}

/* Uniform noise. */
static double linf_deviance(const struct spgm_options *options, double rows, double value) {
    (void)options;
    return 2 * rows * log(value);
}

static void linf_prepare(struct loss *h, const struct loss_input *input, struct workspace *workspace) {
    (void)h, (void)input, (void)workspace; /* no parameters */
}

static const struct loss_ops linf = {
    .value = linf_value,
    .prox = linf_prox,
    .split = linf_split,
    .subgradient = linf_subgradient,
    .conjugate = linf_conjugate,
    .project_dual = linf_project_dual,
    .dual_norm = linf_dual_norm,
    .lipschitz = linf_lipschitz,
    .along = linf_along,
    .curvature = linf_curvature,
    .surrogate_slope = linf_surrogate_slope,
    .recession = linf_value,
    .conjugate_above = linf_conjugate_above,
};

extern const struct loss_kind loss_kind_linf;
const struct loss_kind loss_kind_linf = {
    .name = "linf",
    .aliases = "chebyshev|max_error",
    .formula = "max_i |r_i|",
    .ops = &linf,
    .engine = LOSS_BY_LEVEL,
    .is_peaked = 1,
    .levels = 3,
    .degree = 1,
    .perfect = 1e-12,
    .rate = 2,
    .prepare = linf_prepare,
    .per_row = loss_largest,
    .deviance = linf_deviance,
};
