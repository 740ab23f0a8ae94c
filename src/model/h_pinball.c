/*
 * The separable family: h(r) = sum_i up_i max(r_i - dead_i, 0) + down_i max(-r_i - dead_i, 0).
 *
 * l1, quantile, hinge, epsilon and the user's own slopes differ only in up, down and dead (all >= 0).
 *
 *   prox         up_i mu towards the zone [-dead_i, dead_i] from above, down_i mu from below, and not past its edge
 *   conjugate    h*(u) = sum_i dead_i |u_i| on the box -down <= u <= up
 *   dual norm    max_i (u_i - dead_i)+ / up_i from above, (-u_i - dead_i)+ / down_i from below
 *   L_h          (sum_i max(up_i, down_i)^2)^(1/2)
 *
 * The comparisons are ordered so that a NaN in the data comes out as NaN.
 */
#include <math.h>

#include "linalg/sum.h"
#include "linalg/vector.h"
#include "model/loss.h"

static inline double row_value(double r, double up, double down, double dead) {
    double above = r - dead, below = -r - dead;
    above = above < 0 ? 0 : above;
    below = below < 0 ? 0 : below;
    return up * above + down * below;
}

/*
 * The loops over rows are compiled twice, by a constant `same`: if all rows have the slopes of the first one, these are
 * read only once, which for l1 saves most of the memory traffic. The results are identical.
 */
#define LOOP static inline __attribute__((always_inline))

struct slopes {
    double up, down, dead;
};

LOOP struct slopes slopes_at(const struct loss *h, int64_t i) {
    return (struct slopes){h->up[i], h->down[i], h->dead[i]};
}

LOOP double value_rows(const struct loss *h, const double *r, int same) {
    struct slopes first = same ? slopes_at(h, 0) : (struct slopes){0};
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < h->rows; i++) {
        struct slopes at = same ? first : slopes_at(h, i);
        sum += row_value(r[i], at.up, at.down, at.dead);
    }
    return sum;
}

static double pinball_value(const struct loss *h, const double *r) {
    double sum = h->are_same ? value_rows(h, r, 1) : value_rows(h, r, 0);
    reduce_sum(h->reduce, &sum, 1);
    return sum;
}

static inline double row_prox(double c, double rise, double fall, double dead) {
    double edge = c > dead ? dead : c;
    double lowered = c - rise;
    double y = lowered < edge ? edge : lowered; /* c - mu up, not below the edge; c itself where c <= dead */
    edge = y < -dead ? -dead : y;
    double raised = y + fall;
    return raised > edge ? edge : raised;
}

LOOP void prox_rows(const struct loss *h, double mu, const double *c, double *y, int same) {
    struct slopes first = same ? slopes_at(h, 0) : (struct slopes){0};
#pragma omp simd
    for (int64_t i = 0; i < h->rows; i++) {
        struct slopes at = same ? first : slopes_at(h, i);
        y[i] = row_prox(c[i], mu * at.up, mu * at.down, at.dead);
    }
}

static void pinball_prox(const struct loss *h, double mu, const double *c, double *y) {
    h->are_same ? prox_rows(h, mu, c, y, 1) : prox_rows(h, mu, c, y, 0);
}

/*
 * If r is outside the zone by `over` above or `under` below, the prox moves it by min(over, mu up) or min(under, mu
 * down). The comparisons preserve NaN.
 */
LOOP void split_rows(const struct loss *h, double mu, const double *c, double *d, double *sums, int same) {
    struct slopes first = same ? slopes_at(h, 0) : (struct slopes){0};
    double at_c = 0, at_y = 0, squares = 0;
#pragma omp simd reduction(+ : at_c, at_y, squares)
    for (int64_t i = 0; i < h->rows; i++) {
        struct slopes at = same ? first : slopes_at(h, i);
        double over = c[i] - at.dead, under = -c[i] - at.dead;
        over = over < 0 ? 0 : over;
        under = under < 0 ? 0 : under;
        double lower = mu * at.up < over ? mu * at.up : over;
        double raise = mu * at.down < under ? mu * at.down : under;
        double off = lower - raise;
        d[i] = off;
        at_c += at.up * over + at.down * under;
        at_y += at.up * (over - lower) + at.down * (under - raise);
        squares += off * off;
    }
    sums[0] = at_c;
    sums[1] = at_y;
    sums[2] = squares;
}

static void pinball_split(const struct loss *h, double mu, const double *c, double *d, struct loss_split *values) {
    double sum[3];
    h->are_same ? split_rows(h, mu, c, d, sum, 1) : split_rows(h, mu, c, d, sum, 0);
    reduce_sum(h->reduce, sum, 3);
    *values = (struct loss_split){sum[0], sum[1], sum[2]};
}

/* Selects between numbers that are already computed. If one of them had to be computed here, even `0 - down`, the
 * compiler would branch on the sign of each row, which takes ten times as long. */
LOOP double row_slope(double r, double up, double fall, double dead) {
    double below = r < -dead ? fall : 0;
    return r > dead ? up : below;
}

LOOP void subgradient_rows(const struct loss *h, const double *r, double *u, int same) {
    struct slopes first = same ? slopes_at(h, 0) : (struct slopes){0};
    double fall = 0 - first.down;
#pragma omp simd
    for (int64_t i = 0; i < h->rows; i++) {
        struct slopes at = same ? first : slopes_at(h, i);
        u[i] = row_slope(r[i], at.up, same ? fall : 0 - at.down, at.dead);
    }
}

static void pinball_subgradient(const struct loss *h, const double *r, double *u) {
    h->are_same ? subgradient_rows(h, r, u, 1) : subgradient_rows(h, r, u, 0);
}

/* Whether u is in the box, up to an excess relative to the slope; rows with slope 0 have no tolerance. */
static int is_inside(double u, double up, double down) {
    return u <= up * (1 + LOSS_DOMAIN_SLACK) && -u <= down * (1 + LOSS_DOMAIN_SLACK);
}

static double pinball_conjugate(const struct loss *h, const double *u) {
    double part[2] = {0, 0}; /* sum of dead |u|, number of rows outside the box */
    for (int64_t i = 0; i < h->rows; i++) {
        part[0] += h->dead[i] * fabs(u[i]);
        part[1] += is_inside(u[i], h->up[i], h->down[i]) ? 0 : 1;
    }
    reduce_sum(h->reduce, part, 2);
    return part[1] > 0 ? (double)INFINITY : part[0];
}

static void pinball_project_dual(const struct loss *h, double *u) {
    for (int64_t i = 0; i < h->rows; i++)
        u[i] = u[i] > h->up[i] ? h->up[i] : u[i] < -h->down[i] ? -h->down[i] : u[i];
}

static double pinball_dual_norm(const struct loss *h, const double *u) {
    double norm = 0;
    for (int64_t i = 0; i < h->rows; i++) {
        double slope = u[i] > 0 ? h->up[i] : h->down[i];
        double excess = fabs(u[i]) - h->dead[i];
        if (slope > 0 && excess > 0)
            norm = fmax(norm, excess / slope);
    }
    reduce_max(h->reduce, &norm, 1);
    return norm;
}

static double pinball_lipschitz(const struct loss *h) {
    double largest = 0, sum = 0;
    for (int64_t i = 0; i < h->rows; i++)
        largest = fmax(largest, fmax(h->up[i], h->down[i]));
    reduce_max(h->reduce, &largest, 1);
    if (largest == 0)
        return 0;
    for (int64_t i = 0; i < h->rows; i++) {
        double slope = fmax(h->up[i], h->down[i]) / largest;
        sum += slope * slope;
    }
    reduce_sum(h->reduce, &sum, 1);
    return largest * sqrt(sum);
}

static double pinball_along(const struct loss *h, const double *r, const double *d, double alpha, double *slope) {
    struct bends bends = {h->up, h->down, h->dead, h->are_same};
    double sum[2];
    sum[0] = vector_bend(h->rows, r, alpha, d, bends, &sum[1]);
    reduce_sum(h->reduce, sum, 2);
    *slope = sum[1];
    return sum[0];
}

/*
 * Reweighted least squares: (up + down) / 2 over the distance from the kink, but at least `floor`, a share of the mean
 * |r|. A row with a dead zone has two kinks. If r = 0 in all rows any floor will do.
 */
static double pinball_curvature(const struct loss *h, const double *r, const double *u, int level, double *w) {
    static const double share[LOSS_LEVELS] = {1, 0.5, 3};
    double sum[2] = {vector_norm1(h->rows, r), (double)h->rows}, largest = vector_norm_inf(h->rows, r), floor;
    (void)u;
    reduce_sum(h->reduce, sum, 2);
    reduce_max(h->reduce, &largest, 1);
    floor = share[level] * sum[0] / sum[1] + 1e-12 * largest;
    floor = floor > 0 ? floor : 1;
    for (int64_t i = 0; i < h->rows; i++) {
        double dead = h->dead[i];
        w[i] = dead > 0
                   ? 0.5 * h->up[i] / fmax(fabs(r[i] - dead), floor) + 0.5 * h->down[i] / fmax(fabs(r[i] + dead), floor)
                   : 0.5 * (h->up[i] + h->down[i]) / fmax(fabs(r[i]), floor);
    }
    return floor;
}

/* The derivative where |r_i| >= floor, linear through 0 within. */
static void pinball_surrogate_slope(const struct loss *h, double floor, const double *r, const double *w, double *u) {
    for (int64_t i = 0; i < h->rows; i++) {
        double dead = h->dead[i];
        if (dead > 0) {
            double above = 0.5 * h->up[i] / fmax(fabs(r[i] - dead), floor);
            double below = 0.5 * h->down[i] / fmax(fabs(r[i] + dead), floor);
            u[i] = above * (r[i] - dead) + 0.5 * h->up[i] + below * (r[i] + dead) - 0.5 * h->down[i];
        } else {
            u[i] = w[i] * r[i] + 0.5 * (h->up[i] - h->down[i]);
        }
    }
}

static double pinball_recession(const struct loss *h, const double *d) {
    double sum = 0;
    for (int64_t i = 0; i < h->rows; i++)
        sum += d[i] > 0 ? h->up[i] * d[i] : -h->down[i] * d[i];
    reduce_sum(h->reduce, &sum, 1);
    return sum;
}

/* u is compared with the exact box, without tolerance. */
LOOP double rooms(const struct loss *h, const double *u, double cap, double *room, double *steep, int same) {
    struct slopes first = same ? slopes_at(h, 0) : (struct slopes){0};
    double outside = 0;
#pragma omp simd reduction(+ : outside)
    for (int64_t i = 0; i < h->rows; i++) {
        struct slopes at = same ? first : slopes_at(h, i);
        double above = at.up - u[i], below = u[i] + at.down, left = above < below ? above : below;
        left *= 1 - 4 * DBL_EPSILON;
        left = left < cap ? left : cap;
        room[i] = left > 0 ? left : 0;
        steep[i] = at.dead;
        outside += !(u[i] <= at.up) + !(-u[i] <= at.down);
    }
    return outside;
}

static double pinball_conjugate_above(const struct loss *h, const double *u, double cap, double *room, double *steep) {
    struct sum sum = {0};
    double outside = h->are_same ? rooms(h, u, cap, room, steep, 1) : rooms(h, u, cap, room, steep, 0);
    for (int64_t i = 0; i < h->rows && !(h->are_same && h->dead[0] == 0); i++)
        if (h->dead[i] > 0)
            sum_add(&sum, (long double)h->dead[i] * fabs(u[i]));
    reduce_max(h->reduce, &outside, 1);
    return outside > 0 ? (double)INFINITY : number_above(sum_close(sum, 0, h->reduce));
}

static const struct loss_ops pinball = {
    .value = pinball_value,
    .prox = pinball_prox,
    .split = pinball_split,
    .subgradient = pinball_subgradient,
    .conjugate = pinball_conjugate,
    .project_dual = pinball_project_dual,
    .dual_norm = pinball_dual_norm,
    .lipschitz = pinball_lipschitz,
    .along = pinball_along,
    .curvature = pinball_curvature,
    .surrogate_slope = pinball_surrogate_slope,
    .recession = pinball_recession,
    .conjugate_above = pinball_conjugate_above,
};

/* ---- up, down and dead of each kind ------------------------------------------------------------------------------ */

/* The slopes of a row with target b; dead in the units of the data. */
typedef struct slopes slopes_function(const struct spgm_options *options, double b);

static void compare_rows(struct loss *h) {
    h->are_same = h->rows > 0;
    for (int64_t i = 0; i < h->rows && h->are_same; i++)
        h->are_same = h->up[i] == h->up[0] && h->down[i] == h->down[0] && h->dead[i] == h->dead[0];
}

static void prepare(struct loss *h, const struct loss_input *input, struct workspace *workspace,
                    slopes_function *slopes) {
    h->up = workspace_doubles(workspace, h->rows);
    h->down = workspace_doubles(workspace, h->rows);
    h->dead = workspace_doubles(workspace, h->rows);
    if (workspace->failed)
        return;
    for (int64_t i = 0; i < h->rows; i++) {
        double weight = input->weights == NULL ? 1 : input->weights[i];
        struct slopes row = slopes == NULL ? (struct slopes){input->up[i], input->down[i], input->dead[i]}
                                           : slopes(input->options, input->b[i]);
        h->up[i] = row.up * weight;
        h->down[i] = row.down * weight;
        h->dead[i] = row.dead / input->unit;
    }
    compare_rows(h);
}

static struct slopes l1_slopes(const struct spgm_options *options, double b) {
    (void)options, (void)b;
    return (struct slopes){1, 1, 0};
}

static void l1_prepare(struct loss *h, const struct loss_input *input, struct workspace *workspace) {
    prepare(h, input, workspace, l1_slopes);
}

/* r = a'x - b > 0 means that the prediction is too high, which a high quantile forgives. */
static struct slopes quantile_slopes(const struct spgm_options *options, double b) {
    (void)b;
    return (struct slopes){1 - options->quantile, options->quantile, 0};
}

static void quantile_prepare(struct loss *h, const struct loss_input *input, struct workspace *workspace) {
    prepare(h, input, workspace, quantile_slopes);
}

/* max(0, 1 - b a'x) = max(0, -b r) for b = -1, +1 and r = a'x - b. */
static struct slopes hinge_slopes(const struct spgm_options *options, double b) {
    (void)options;
    return (struct slopes){b < 0 ? 1 : 0, b < 0 ? 0 : 1, 0};
}

static void hinge_prepare(struct loss *h, const struct loss_input *input, struct workspace *workspace) {
    prepare(h, input, workspace, hinge_slopes);
}

static struct slopes epsilon_slopes(const struct spgm_options *options, double b) {
    (void)b;
    return (struct slopes){1, 1, options->epsilon};
}

static void epsilon_prepare(struct loss *h, const struct loss_input *input, struct workspace *workspace) {
    prepare(h, input, workspace, epsilon_slopes);
}

static void slopes_prepare(struct loss *h, const struct loss_input *input, struct workspace *workspace) {
    prepare(h, input, workspace, NULL);
}

/* ---- likelihoods ------------------------------------------------------------------------------------------------- */

/* The deviance of (for quantiles asymmetric) Laplace noise at the best scale. */
static double laplace_deviance(const struct spgm_options *options, double rows, double value) {
    (void)options;
    return 2 * rows * log(value / rows);
}

/* There is no likelihood: the support vector machine information criterion of Claeskens, Croux, Van Kerckhoven (JMLR 9,
 * 2008). */
static double hinge_deviance(const struct spgm_options *options, double rows, double value) {
    (void)options, (void)rows;
    return 2 * value;
}

/* The density exp(-max(|r| - eps, 0) / t) / (2 (eps + t)) at the best t, which solves m t^2 = L (eps + t). */
static double epsilon_deviance(const struct spgm_options *options, double rows, double value) {
    double epsilon = options->epsilon;
    double t = (value + sqrt(value * value + 4 * rows * value * epsilon)) / (2 * rows);
    if (epsilon == 0)
        return laplace_deviance(options, rows, value);
    return 2 * rows * log(2 * (epsilon + t)) + (t > 0 ? 2 * value / t : 0);
}

extern const struct loss_kind loss_kind_l1, loss_kind_quantile, loss_kind_hinge, loss_kind_epsilon;
extern const struct loss_kind loss_kind_squared_hinge;

const struct loss_kind loss_kind_l1 = {
    .name = "l1",
    .aliases = "absolute_error|lad|mae",
    .formula = "sum_i |r_i|",
    .ops = &pinball,
    .engine = LOSS_BY_KINKS,
    .is_sum = 1,
    .reweights = 1,
    .levels = 3,
    .degree = 1,
    .perfect = 1e-12,
    .candidate = 1,
    .rate = 1,
    .prepare = l1_prepare,
    .per_row = loss_mean,
    .deviance = laplace_deviance,
};

const struct loss_kind loss_kind_quantile = {
    .name = "quantile",
    .aliases = "pinball",
    .formula = "sum_i tau max(-r_i, 0) + (1 - tau) max(r_i, 0)",
    .parameter = "quantile",
    .ops = &pinball,
    .engine = LOSS_BY_KINKS,
    .is_sum = 1,
    .reweights = 1,
    .levels = 3,
    .degree = 1,
    .perfect = 1e-12,
    .rate = 1,
    .prepare = quantile_prepare,
    .per_row = loss_mean,
    .deviance = laplace_deviance,
};

const struct loss_kind loss_kind_hinge = {
    .name = "hinge",
    .aliases = "",
    .formula = "sum_i max(0, 1 - b_i a_i'x)",
    .ops = &pinball,
    .engine = LOSS_BY_KINKS,
    .target = LOSS_OF_TWO_LABELS,
    .is_sum = 1,
    .reweights = 1,
    .levels = 3,
    .degree = 1,
    .perfect = 1e-12,
    .is_of_sign = 1,
    .guide = &loss_kind_squared_hinge,
    .guide_share = 0.25,
    .rate = 1,
    .prepare = hinge_prepare,
    .per_row = loss_mean,
    .deviance = hinge_deviance,
};

const struct loss_kind loss_kind_epsilon = {
    .name = "epsilon",
    .aliases = "epsilon_insensitive",
    .formula = "sum_i max(0, |r_i| - epsilon)",
    .parameter = "epsilon",
    .ops = &pinball,
    .engine = LOSS_BY_KINKS,
    .is_sum = 1,
    .reweights = 1,
    .levels = 3,
    .degree = 1,
    .perfect = 1e-12,
    .rate = 1,
    .prepare = epsilon_prepare,
    .per_row = loss_mean,
    .deviance = epsilon_deviance,
};

const struct loss_kind loss_slopes_kind = {
    .name = "slopes",
    .aliases = "",
    .formula = "sum_i up_i max(r_i - dead_i, 0) + down_i max(-r_i - dead_i, 0)",
    .ops = &pinball,
    .engine = LOSS_BY_KINKS,
    .is_sum = 1,
    .reweights = 1,
    .levels = 3,
    .degree = 1,
    .perfect = 1e-12,
    .rate = 1,
    .prepare = slopes_prepare,
    .per_row = loss_mean,
    .deviance = laplace_deviance,
};
