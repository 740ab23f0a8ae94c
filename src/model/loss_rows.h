/*
 * The text of a loss that is a smooth sum over rows, h(r) = sum_i weight_i phi_i(r_i). The including file defines
 * ROWS_TABLE, the name of its table of functions, ROWS_STEEPEST, the largest |phi'| (an expression in h), and for a row
 * (struct row: label -1 or +1, width)
 *
 *   row_value(p, r)            phi(r)
 *   row_slope(p, r)            phi'(r)
 *   row_second(p, r)           phi''(r), one of them at a break
 *   row_weight(p, r, level)    the curvature of a quadratic surrogate that sees further than phi''
 *   row_prox(p, kappa, c)      argmin over y of kappa phi(y) + (y - c)^2 / 2
 *   row_conjugate(p, u)        phi*(u), +INFINITY outside its domain
 *   row_project(p, u)          the nearest point of the domain of phi*
 *   row_recession(p, d)        lim phi(t d) / t
 *   row_margin(p, u)           the distance of u from the edge of the domain, negative outside; exact but for the last
 *                              digits of u
 *   row_steep(p, u, room)      no |phi*'| is larger within `room` <= row_margin / 2 of u
 *
 * where they have work in common also
 *
 *   ROWS_PROX(h, mu, c, y)                     row_prox of all rows
 *
 * and for at most ROWS_SOME rows of a loss of labels whose second derivative is miss (1 - miss), -label miss the first
 *
 *   ROWS_SOFT(count, label, r, value, miss)
 *   ROWS_PROVE(count, label, u, room, value, steep)       row_conjugate and row_steep
 *
 * and ROWS_UNSURE, 1 where row_conjugate is right to some units of the last digit of 1, 0 where to those of its own.
 */
#include <math.h>

#include "linalg/sum.h"
#include "model/loss.h"

#define LOOP static inline __attribute__((always_inline))

LOOP struct row row_at(const struct loss *h, int64_t i) {
    return (struct row){h->label == NULL ? 1 : h->label[i], h->width};
}

LOOP double weight_at(const struct loss *h, int64_t i) {
    return h->weight == NULL ? 1 : h->weight[i];
}

/* Sums that are proven are added up in so many doubles before they are added up in more digits. */
#ifndef ROWS_SOME
#define ROWS_SOME 64
#endif

LOOP int64_t some_from(const struct loss *h, int64_t first) {
    return h->rows - first < ROWS_SOME ? h->rows - first : ROWS_SOME;
}

#ifdef ROWS_SOFT
#define ROWS_BY(name) soft_##name /* names of their own: gcovr wants one line for each */

static double soft_along(const struct loss *h, const double *r, const double *d, double alpha, double *slope) {
    double sum[2] = {0, 0}, at[ROWS_SOME], phi[ROWS_SOME], miss[ROWS_SOME];
    for (int64_t first = 0; first < h->rows; first += ROWS_SOME) {
        int64_t count = some_from(h, first);
        double value = 0, rise = 0;
        for (int64_t i = 0; i < count; i++)
            at[i] = d == NULL ? r[first + i] : r[first + i] + alpha * d[first + i];
        ROWS_SOFT(count, h->label + first, at, phi, miss);
#pragma omp simd reduction(+ : value, rise)
        for (int64_t i = 0; i < count; i++) {
            double weight = weight_at(h, first + i);
            value += weight * phi[i];
            rise -= d == NULL ? 0 : weight * h->label[first + i] * miss[i] * d[first + i];
        }
        sum[0] += value;
        sum[1] += rise;
    }
    reduce_sum(h->reduce, sum, 2);
    *slope = sum[1];
    return sum[0];
}

static double soft_value(const struct loss *h, const double *r) {
    double slope;
    return soft_along(h, r, NULL, 0, &slope);
}

static void soft_derivatives(const struct loss *h, const double *r, double *u, double *w) {
    double phi[ROWS_SOME], miss[ROWS_SOME];
    for (int64_t first = 0; first < h->rows; first += ROWS_SOME) {
        int64_t count = some_from(h, first);
        ROWS_SOFT(count, h->label + first, r + first, phi, miss);
        for (int64_t i = 0; i < count; i++) {
            double weight = weight_at(h, first + i);
            u[first + i] = -weight * h->label[first + i] * miss[i];
            w[first + i] = weight * miss[i] * (1 - miss[i]);
        }
    }
}
#else
#define ROWS_BY(name) rows_##name

static double rows_value(const struct loss *h, const double *r) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < h->rows; i++)
        sum += weight_at(h, i) * row_value(row_at(h, i), r[i]);
    reduce_sum(h->reduce, &sum, 1);
    return sum;
}

static double rows_along(const struct loss *h, const double *r, const double *d, double alpha, double *slope) {
    double sum[2] = {0, 0};
    double value = 0, rise = 0;
#pragma omp simd reduction(+ : value, rise)
    for (int64_t i = 0; i < h->rows; i++) {
        struct row p = row_at(h, i);
        double e = r[i] + alpha * d[i], weight = weight_at(h, i);
        value += weight * row_value(p, e);
        rise += weight * row_slope(p, e) * d[i];
    }
    sum[0] = value, sum[1] = rise;
    reduce_sum(h->reduce, sum, 2);
    *slope = sum[1];
    return sum[0];
}

static void rows_derivatives(const struct loss *h, const double *r, double *u, double *w) {
    for (int64_t i = 0; i < h->rows; i++) {
        struct row p = row_at(h, i);
        double weight = weight_at(h, i);
        u[i] = weight * row_slope(p, r[i]);
        w[i] = weight * row_second(p, r[i]);
    }
}
#endif

static void rows_prox(const struct loss *h, double mu, const double *c, double *y) {
#ifdef ROWS_PROX
    ROWS_PROX(h, mu, c, y);
#else
    for (int64_t i = 0; i < h->rows; i++)
        y[i] = row_prox(row_at(h, i), mu * weight_at(h, i), c[i]);
#endif
}

/* c - y = kappa phi'(y), which has all its digits however small kappa is; for a large one the difference has them. */
static void rows_split(const struct loss *h, double mu, const double *c, double *d, struct loss_split *values) {
    double sum[3] = {0, 0, 0};
    rows_prox(h, mu, c, d);
    for (int64_t i = 0; i < h->rows; i++) {
        struct row p = row_at(h, i);
        double weight = weight_at(h, i);
        double y = d[i];
        d[i] = mu * weight < 1 ? mu * weight * row_slope(p, y) : c[i] - y;
        sum[0] += weight * row_value(p, c[i]);
        sum[1] += weight * row_value(p, y);
        sum[2] += d[i] * d[i];
    }
    reduce_sum(h->reduce, sum, 3);
    *values = (struct loss_split){sum[0], sum[1], sum[2]};
}

static void rows_subgradient(const struct loss *h, const double *r, double *u) {
    for (int64_t i = 0; i < h->rows; i++)
        u[i] = weight_at(h, i) * row_slope(row_at(h, i), r[i]);
}

/* phi* at v, +INFINITY outside its domain. */
LOOP void conjugate_some(const struct loss *h, int64_t first, int64_t count, const double *v, double *value) {
#ifdef ROWS_PROVE
    double room[ROWS_SOME] = {0}, steep[ROWS_SOME];
    ROWS_PROVE(count, h->label + first, v, room, value, steep);
    for (int64_t i = 0; i < count; i++)
        value[i] = row_margin(row_at(h, first + i), v[i]) >= -LOSS_DOMAIN_SLACK ? value[i] : (double)INFINITY;
#else
    for (int64_t i = 0; i < count; i++)
        value[i] = row_conjugate(row_at(h, first + i), v[i]);
#endif
}

static double rows_conjugate(const struct loss *h, const double *u) {
    double sum = 0, v[ROWS_SOME], value[ROWS_SOME];
    for (int64_t first = 0; first < h->rows; first += ROWS_SOME) {
        int64_t count = some_from(h, first);
        for (int64_t i = 0; i < count; i++) {
            double weight = weight_at(h, first + i), at = u[first + i];
            v[i] = weight > 0 ? at / weight : 0;
            sum = weight > 0 || at == 0 ? sum : (double)INFINITY;
        }
        conjugate_some(h, first, count, v, value);
        for (int64_t i = 0; i < count; i++)
            sum += weight_at(h, first + i) > 0 ? weight_at(h, first + i) * value[i] : 0;
    }
    reduce_sum(h->reduce, &sum, 1);
    return sum;
}

static void rows_project_dual(const struct loss *h, double *u) {
    for (int64_t i = 0; i < h->rows; i++) {
        double weight = weight_at(h, i);
        u[i] = weight > 0 ? weight * row_project(row_at(h, i), u[i] / weight) : 0;
    }
}

/* No mu takes a row to its zone without loss that is not there already. */
static double rows_dual_norm(const struct loss *h, const double *u) {
    double outside = 0;
    for (int64_t i = 0; i < h->rows; i++)
        outside = weight_at(h, i) > 0 && row_value(row_at(h, i), u[i]) != 0 ? 1 : outside;
    reduce_max(h->reduce, &outside, 1);
    return outside > 0 ? (double)INFINITY : 0;
}

static double rows_lipschitz(const struct loss *h) {
    double sum = 0, steepest = ROWS_STEEPEST;
    if (isinf(steepest))
        return INFINITY;
    for (int64_t i = 0; i < h->rows; i++)
        sum += weight_at(h, i) * weight_at(h, i);
    reduce_sum(h->reduce, &sum, 1);
    return steepest * sqrt(sum);
}

static double rows_curvature(const struct loss *h, const double *r, const double *u, int level, double *w) {
    (void)u;
    for (int64_t i = 0; i < h->rows; i++)
        w[i] = weight_at(h, i) * row_weight(row_at(h, i), r[i], level);
    return 0;
}

static void rows_surrogate_slope(const struct loss *h, double floor, const double *r, const double *w, double *u) {
    (void)floor, (void)w;
    rows_subgradient(h, r, u);
}

static double rows_recession(const struct loss *h, const double *d) {
    double sum = 0;
    for (int64_t i = 0; i < h->rows; i++)
        sum += weight_at(h, i) > 0 ? weight_at(h, i) * row_recession(row_at(h, i), d[i]) : 0;
    reduce_sum(h->reduce, &sum, 1);
    return sum;
}

/* One row for certain: u / weight is right to half a digit, a row without weight must have u = 0. Returns the room. */
LOOP double row_room(struct row p, double weight, double u, double cap, int *is_outside) {
    double v = weight > 0 ? u / weight : 0, unsure = 4 * DBL_EPSILON * fabs(v);
    double margin = weight > 0 ? row_margin(p, v) : u == 0 ? 0 : -1;
    double room = weight * (1 - 4 * DBL_EPSILON) * (margin / 2 - unsure);
    *is_outside = !(margin >= unsure) || (v == 0 && u != 0);
    return !(room > 0) ? 0 : room < cap ? room : cap;
}

/* phi* and the largest of |phi*'| in the room around v. */
LOOP void prove_some(const struct loss *h, int64_t first, int64_t count, const double *v, const double *room,
                     double *value, double *steep) {
#ifdef ROWS_PROVE
    ROWS_PROVE(count, h->label + first, v, room, value, steep);
#else
    for (int64_t i = 0; i < count; i++) {
        steep[i] = row_steep(row_at(h, first + i), v[i], room[i]);
        value[i] = row_conjugate(row_at(h, first + i), v[i]);
    }
#endif
}

static double rows_conjugate_above(const struct loss *h, const double *u, double cap, double *room, double *steep) {
    struct sum sum = {0}, unsure = {0};
    double outside = 0, v[ROWS_SOME], near[ROWS_SOME], value[ROWS_SOME];
    for (int64_t first = 0; first < h->rows; first += ROWS_SOME) {
        int64_t count = some_from(h, first);
        double part = 0, size = 0, doubt = 0;
        for (int64_t i = 0; i < count; i++) {
            double weight = weight_at(h, first + i);
            int is_outside;
            room[first + i] = row_room(row_at(h, first + i), weight, u[first + i], cap, &is_outside);
            outside = is_outside ? 1 : outside;
            v[i] = weight > 0 && !is_outside ? u[first + i] / weight : 0;
            near[i] = weight > 0 ? room[first + i] / weight : 0;
        }
        prove_some(h, first, count, v, near, value, steep + first);
        for (int64_t i = 0; i < count; i++) {
            double weight = weight_at(h, first + i), term = weight * value[i];
            steep[first + i] = weight > 0 ? steep[first + i] : 0;
            part += term;
            size += fabs(term);
            doubt += weight * (fabs(value[i]) + steep[first + i] * fabs(v[i]) + ROWS_UNSURE);
        }
        sum_add(&sum, part);
        sum_add(&unsure, (2 * ROWS_SOME + 8) * DBL_EPSILON * size + 16 * DBL_EPSILON * doubt);
    }
    reduce_max(h->reduce, &outside, 1);
    return outside > 0
               ? (double)INFINITY
               : number_above(number_add(sum_close(sum, 0, h->reduce), 1.001L, sum_close(unsure, 0, h->reduce)));
}

/* Weights where the user has any, labels where the loss is of labels. */
static void rows_prepare(struct loss *h, const struct loss_input *input, struct workspace *workspace) {
    h->weight = input->weights == NULL ? NULL : workspace_doubles(workspace, h->rows);
    h->label = h->kind->target == LOSS_OF_TWO_LABELS ? input->b : NULL;
    for (int64_t i = 0; h->weight != NULL && i < h->rows; i++)
        h->weight[i] = input->weights[i];
}

static const struct loss_ops ROWS_TABLE = {
    .value = ROWS_BY(value),
    .prox = rows_prox,
    .split = rows_split,
    .subgradient = rows_subgradient,
    .conjugate = rows_conjugate,
    .project_dual = rows_project_dual,
    .dual_norm = rows_dual_norm,
    .lipschitz = rows_lipschitz,
    .along = ROWS_BY(along),
    .curvature = rows_curvature,
    .surrogate_slope = rows_surrogate_slope,
    .derivatives = ROWS_BY(derivatives),
    .recession = rows_recession,
    .conjugate_above = rows_conjugate_above,
};
