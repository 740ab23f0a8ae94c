/* The funnel: of the pairs that the model likes, the true F along the model's line, minimised; O(rows) each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/swap/internal.h"

enum { LANES = 8 }; /* partial sums side by side, so that loops vectorise in a fixed order */

/* The quadratic part along the line: constant + linear a + quadratic a^2 / 2. */
struct parabola {
    double constant, linear, quadratic;
};

static struct parabola ridge_on_line(const double *ridge, const double *x0, const double *dx, int64_t n) {
    struct parabola sum = {0, 0, 0};

    for (int64_t k = 0; k < n; k++) {
        sum.constant += 0.5 * ridge[k] * x0[k] * x0[k];
        sum.linear += ridge[k] * x0[k] * dx[k];
        sum.quadratic += ridge[k] * dx[k] * dx[k];
    }
    return sum;
}

/* h and its slope at r + alpha d, for the three shapes of loss. */
static double plain_at(const struct swap *a, double alpha, double *slope) {
    double h[LANES] = {0};
    double g[LANES] = {0};
    int64_t whole = a->rows - a->rows % LANES;

    for (int64_t i = 0; i < whole; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            double e = a->line_r[i + l] + alpha * a->line_d[i + l];

            h[l] += fabs(e);
            g[l] += copysign(1.0, e) * a->line_d[i + l];
        }
    }
    for (int64_t i = whole; i < a->rows; i++) {
        double e = a->line_r[i] + alpha * a->line_d[i];

        h[0] += fabs(e);
        g[0] += copysign(1.0, e) * a->line_d[i];
    }
    for (int l = 1; l < LANES; l++) {
        h[0] += h[l];
        g[0] += g[l];
    }
    *slope = g[0];
    return h[0];
}

static double pinball_at(const struct swap *a, double alpha, double *slope) {
    const struct loss *loss = &a->problem->h;
    double h = 0;

    *slope = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        double e = a->line_r[i] + alpha * a->line_d[i];

        if (e > loss->dead[i]) {
            h += loss->up[i] * (e - loss->dead[i]);
            *slope += loss->up[i] * a->line_d[i];
        } else if (e < -loss->dead[i]) {
            h -= loss->down[i] * (e + loss->dead[i]);
            *slope -= loss->down[i] * a->line_d[i];
        }
    }
    return h;
}

static double maximum_at(const struct swap *a, double alpha, double *slope) {
    double h[LANES] = {0};
    int64_t whole = a->rows - a->rows % LANES;
    int64_t at = 0;

    for (int64_t i = 0; i < whole; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            double e = fabs(a->line_r[i + l] + alpha * a->line_d[i + l]);

            h[l] = e > h[l] ? e : h[l];
        }
    }
    for (int64_t i = whole; i < a->rows; i++) {
        h[0] = fmax(h[0], fabs(a->line_r[i] + alpha * a->line_d[i]));
    }
    for (int l = 1; l < LANES; l++) {
        h[0] = fmax(h[0], h[l]);
    }
    while (at < a->rows - 1 && fabs(a->line_r[at] + alpha * a->line_d[at]) < h[0]) {
        at++;
    }
    *slope = a->line_r[at] + alpha * a->line_d[at] > 0 ? a->line_d[at] : -a->line_d[at];
    return h[0];
}

/* A bracket of the minimiser: the last points with falling and with rising F. */
struct bracket {
    double low, high, f_low, f_high, g_low, g_high;
};

static double next_point(const struct swap *a, const struct bracket *b, double *scale) {
    if (b->low == -INFINITY || b->high == INFINITY) {
        *scale *= 2;
        return b->low == -INFINITY ? b->high - *scale / 2 : b->low + *scale / 2;
    }
    if (a->is_maximum) { /* where the tangents meet */
        return (b->f_high - b->f_low + b->g_low * b->low - b->g_high * b->high) / (b->g_low - b->g_high);
    }
    return b->low + (b->high - b->low) * fmin(0.9, fmax(0.1, b->g_low / (b->g_low - b->g_high)));
}

/* A few steps towards the minimiser of the convex F along the line, from *alpha; the lowest F seen and where. */
static double minimise_line(const struct swap *a, struct parabola ridge, int steps, double *alpha) {
    struct bracket b = {-INFINITY, INFINITY, 0, 0, 0, 0};
    double scale = fabs(*alpha) > 0 ? fabs(*alpha) : 1;
    double lowest = INFINITY;
    double at = *alpha;

    for (int t = 0; t < steps; t++) {
        double g;
        double f = a->is_maximum ? maximum_at(a, at, &g) : a->is_plain ? plain_at(a, at, &g) : pinball_at(a, at, &g);

        f += ridge.constant + ridge.linear * at + 0.5 * ridge.quadratic * at * at;
        g += ridge.linear + ridge.quadratic * at;
        if (f < lowest) {
            lowest = f;
            *alpha = at;
        }
        if (g > 0) {
            b.high = at, b.f_high = f, b.g_high = g;
        } else {
            b.low = at, b.f_low = f, b.g_low = g;
        }
        at = next_point(a, &b, &scale);
        if (g == 0 || !(at >= b.low && at <= b.high)) {
            break;
        }
    }
    return lowest;
}

void funnel_line(const struct swap *a, const struct pair *pair, double *x0, double *dx) {
    int64_t j = pair->position;
    const double *v = a->V + pair->candidate * a->size;
    const double *Mj = a->M + j * a->size;

    for (int64_t k = 0; k < a->size; k++) {
        x0[k] = a->x[k] - a->x[j] / Mj[j] * Mj[k];
        dx[k] = -v[k] + v[j] / Mj[j] * Mj[k];
    }
    x0[j] = 0;
    dx[j] = 1;
}

/* Images of what the pairs need: E = a_q - A_S v_q for each column, Fj = A_S M_j for each position. */
static void gather_images(struct swap *a) {
    int64_t columns = 0;
    int64_t positions = 0;

    for (int64_t t = 0; t < a->pair_count; t++) {
        const struct pair *pair = &a->pairs[t];

        if (a->slot[pair->column] < 0) {
            linop_gather(a->problem->A, 1, &pair->column, a->E + columns * a->rows, a->rows);
            vector_copy(a->size, a->V + pair->candidate * a->size, a->Vb + columns * a->size);
            a->slot[pair->column] = columns++;
        }
        if (a->slot[a->S[pair->position]] < 0) {
            vector_copy(a->size, a->M + pair->position * a->size, a->Mb + positions * a->size);
            a->slot[a->S[pair->position]] = positions++;
        }
    }
    memset(a->Fj, 0, (size_t)(a->rows * positions) * sizeof *a->Fj);
    dense_multiply(a->rows, columns, a->size, -1, a->As, a->rows, a->Vb, a->size, a->E, a->rows);
    dense_multiply(a->rows, positions, a->size, 1, a->As, a->rows, a->Mb, a->size, a->Fj, a->rows);
}

static void value_pair(struct swap *a, struct pair *pair) {
    int64_t j = pair->position;
    const double *v = a->V + pair->candidate * a->size;
    const double *f = a->Fj + a->slot[a->S[j]] * a->rows;
    const double *e = a->E + a->slot[pair->column] * a->rows;
    double Mjj = a->M[j * a->size + j];
    double inverse = 1 / a->schur[pair->candidate];
    double step = -a->price[pair->column] * inverse;
    double alpha = step + v[j] * inverse * (a->x[j] - v[j] * step) / (Mjj + v[j] * v[j] * inverse);
    double back = a->x[j] / Mjj;
    double along = v[j] / Mjj;

    for (int64_t i = 0; i < a->rows; i++) {
        a->line_r[i] = a->r[i] - back * f[i];
        a->line_d[i] = e[i] + along * f[i];
    }
    funnel_line(a, pair, a->x0, a->dx);
    pair->line = minimise_line(a, ridge_on_line(a->ridge, a->x0, a->dx, a->size), a->is_maximum ? 8 : 4, &alpha);
    pair->alpha = alpha;
}

static int compare_lines(const void *left, const void *right) {
    const struct pair *a = left;
    const struct pair *b = right;

    if (a->line != b->line) {
        return a->line < b->line ? -1 : 1;
    }
    if (a->column != b->column) {
        return a->column < b->column ? -1 : 1;
    }
    return a->position < b->position ? -1 : a->position > b->position;
}

void funnel_values(struct swap *a) {
    gather_images(a);
    for (int64_t k = 0; k < a->size; k++) {
        a->ridge[k] = k < a->size ? a->problem->f.ridge[a->S[k]] : 0;
    }
    for (int64_t t = 0; t < a->pair_count; t++) {
        double kept = a->ridge[a->pairs[t].position];

        a->ridge[a->pairs[t].position] = a->problem->f.ridge[a->pairs[t].column];
        value_pair(a, &a->pairs[t]);
        a->ridge[a->pairs[t].position] = kept;
    }
    for (int64_t t = 0; t < a->pair_count; t++) {
        a->slot[a->pairs[t].column] = -1;
        a->slot[a->S[a->pairs[t].position]] = -1;
    }
    qsort(a->pairs, (size_t)a->pair_count, sizeof *a->pairs, compare_lines);
}
