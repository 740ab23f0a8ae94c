/*
 * The largest residual: a dual active-set method (Goldfarb and Idnani, Math. Programming 27, 1983; the exchange method
 * when there is no ridge).
 *
 *     minimise 1/2 ||x - c||^2 + t   subject to   sign (a_i'x - b_i) <= t for every row and sign
 *
 * Z are the levelled rows. The first is the reference, whose level stands for t; the others have the normals
 * d_i = sign_i a_i - sign_0 a_0, and [d_1, d_2, ...] = Q [R; 0]. The value on Z rises with every pivot and is a lower
 * bound on F, so that a hopeless refit ends at the cutoff.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/refit/internal.h"

#define RECOMPUTE_PIVOTS 16
#define PROXIMAL_ROUNDS 8

enum pivoting { PIVOT_OPTIMAL, PIVOT_GAVE_UP, PIVOT_CUTOFF };

/* x and multipliers of the problem with the rows of Z level. */
static void solve_levelled(struct refit *p) {
    int64_t s = p->size;
    int64_t k = p->active - 1;
    double sum = 0;
    double *level = p->y;

    for (int64_t j = 0; j < s; j++) {
        p->g[j] = p->centre[j] - p->sign[0] * refit_row(p, p->Z[0])[j];
    }
    factor_project(p, p->g, p->v);
    for (int64_t t = 0; t < k; t++) {
        level[t] = p->sign[t + 1] * p->problem->b[p->Z[t + 1]] - p->sign[0] * p->problem->b[p->Z[0]];
    }
    factor_solve_transposed(p, k, level);
    for (int64_t t = 0; t < k; t++) {
        p->multiplier[t + 1] = p->v[t] - level[t];
    }
    factor_solve(p, k, p->multiplier + 1);
    for (int64_t t = 0; t < k; t++) {
        sum += p->multiplier[t + 1];
        p->v[t] = level[t];
    }
    p->multiplier[0] = 1 - sum;
    memset(p->x, 0, (size_t)s * sizeof *p->x);
    dense_add_columns(s, s, p->Q, s, p->v, p->x);
}

/* Z[1] becomes the reference: d_i - d_1 for the others, -d_1 for the old one. */
static void change_reference(struct refit *p) {
    int64_t row = p->Z[0];
    signed char sign = p->sign[0];
    double multiplier = p->multiplier[0];
    double first = p->R[0];

    for (int64_t t = 1; t < p->active - 1; t++) {
        p->R[t * p->size] -= first;
    }
    p->R[0] = -first;
    p->Z[0] = p->Z[1];
    p->sign[0] = p->sign[1];
    p->multiplier[0] = p->multiplier[1];
    p->Z[1] = row;
    p->sign[1] = sign;
    p->multiplier[1] = multiplier;
}

static void drop(struct refit *p, int64_t t) {
    size_t after;

    if (t == 0) {
        change_reference(p);
        t = 1;
    }
    factor_delete(p, p->active - 1, t - 1);
    after = (size_t)(p->active - 1 - t);
    memmove(p->Z + t, p->Z + t + 1, after * sizeof *p->Z);
    memmove(p->sign + t, p->sign + t + 1, after);
    memmove(p->multiplier + t, p->multiplier + t + 1, after * sizeof *p->multiplier);
    p->active--;
}

/* d = sign a_i - sign_0 a_0 */
static void normal_of(const struct refit *p, int64_t row, int sign, double *d) {
    const double *a = refit_row(p, row);
    const double *reference = refit_row(p, p->Z[0]);

    for (int64_t j = 0; j < p->size; j++) {
        d[j] = sign * a[j] - p->sign[0] * reference[j];
    }
}

/* Level the given rows, then drop what has a negative multiplier until the pair is dual feasible. */
static void start(struct refit *p, int64_t count, const int64_t *rows, const signed char *signs) {
    factor_reset(p);
    p->Z[0] = rows[0];
    p->sign[0] = signs[0];
    p->active = 1;
    for (int64_t t = 1; t < count && p->active <= p->size; t++) {
        normal_of(p, rows[t], signs[t], p->g);
        if (factor_append(p, p->active - 1, p->g, 1e-6)) {
            p->Z[p->active] = rows[t];
            p->sign[p->active++] = signs[t];
        }
    }
    for (;;) {
        int64_t worst = -1;
        double lowest = -1e-12;

        solve_levelled(p);
        for (int64_t t = 0; t < p->active; t++) {
            if (p->multiplier[t] < lowest) {
                lowest = p->multiplier[t];
                worst = t;
            }
        }
        if (worst < 0 || p->active == 1) {
            break;
        }
        drop(p, worst);
    }
    for (int64_t t = 0; t < p->active; t++) {
        p->multiplier[t] = fmax(p->multiplier[t], 0);
    }
}

static double level_of_reference(const struct refit *p) {
    return p->sign[0] * (vector_dot(p->size, refit_row(p, p->Z[0]), p->x) - p->problem->b[p->Z[0]]);
}

static double distance_to_centre(const struct refit *p) {
    double sum = 0;

    for (int64_t j = 0; j < p->size; j++) {
        sum += (p->x[j] - p->centre[j]) * (p->x[j] - p->centre[j]);
    }
    return 0.5 * sum;
}

static int is_active(const struct refit *p, int64_t row, int sign) {
    for (int64_t t = 0; t < p->active; t++) {
        if (p->Z[t] == row && p->sign[t] == sign) {
            return 1;
        }
    }
    return 0;
}

/* The multiplier that reaches zero first as the new row's grows, and when; -1: none does. */
static int64_t first_to_leave(const struct refit *p, double *when) {
    int64_t leaving = -1;

    *when = INFINITY;
    for (int64_t t = 0; t < p->active; t++) {
        if (p->rate[t] > 1e-13 && p->multiplier[t] < *when * p->rate[t]) {
            *when = p->multiplier[t] / p->rate[t];
            leaving = t;
        }
    }
    return leaving;
}

/* How the multipliers fall (rate) and x moves (-direction) per unit of the multiplier of the new normal g.
 * Returns ||Q_2'd||^2, zero when d depends on the active normals. */
static double response(struct refit *p) {
    int64_t s = p->size;
    int64_t k = p->active - 1;
    double free_part, sum = 0;

    factor_project(p, p->g, p->v);
    free_part = vector_sum_squares(s - k, p->v + k);
    vector_copy(k, p->v, p->rate + 1);
    factor_solve(p, k, p->rate + 1);
    for (int64_t t = 1; t <= k; t++) {
        sum += p->rate[t];
    }
    p->rate[0] = 1 - sum;
    if (!isgreater(free_part, 1e-18 * vector_sum_squares(s, p->g))) {
        return 0;
    }
    memset(p->direction, 0, (size_t)s * sizeof *p->direction);
    dense_add_columns(s, s - k, p->Q + k * s, s, p->v + k, p->direction);
    return free_part;
}

/* Bring the violated row into Z, dropping rows on the way. Nonzero on success. */
static int bring_in(struct refit *p, int64_t row, int sign, double violation) {
    double multiplier = 0;

    for (int64_t drops = 0; drops <= 2 * p->size + 2; drops++) {
        double curvature, full, partial, step;
        int64_t leaving;

        normal_of(p, row, sign, p->g);
        curvature = response(p);
        full = curvature > 0 ? violation / curvature : INFINITY;
        leaving = first_to_leave(p, &partial);
        step = fmin(full, partial);
        if (!isless(step, INFINITY)) {
            return 0;
        }
        if (curvature > 0) {
            vector_axpy(p->size, -step, p->direction, p->x);
            violation -= step * curvature;
        }
        for (int64_t t = 0; t < p->active; t++) {
            p->multiplier[t] = fmax(0, p->multiplier[t] - step * p->rate[t]);
        }
        multiplier += step;
        p->pivots++;
        if (full <= partial) {
            if (!factor_append(p, p->active - 1, p->g, 1e-10)) {
                return 0;
            }
            p->Z[p->active] = row;
            p->sign[p->active] = (signed char)sign;
            p->multiplier[p->active++] = multiplier;
            return 1;
        }
        if (p->active == 1) { /* the only row is replaced */
            p->Z[0] = row;
            p->sign[0] = (signed char)sign;
            p->multiplier[0] = 1;
            solve_levelled(p);
            return 1;
        }
        p->multiplier[leaving] = 0;
        drop(p, leaving);
    }
    return 0;
}

/* Against drift; 0 when a multiplier has become negative beyond rounding. */
static int recompute(struct refit *p) {
    int sound = 1;

    solve_levelled(p);
    for (int64_t t = 0; t < p->active; t++) {
        sound &= p->multiplier[t] >= -1e-7;
        p->multiplier[t] = fmax(0, p->multiplier[t]);
    }
    return sound;
}

static int64_t largest_residual(struct refit *p) {
    int64_t largest = 0;

    refit_multiply(p, p->x, p->residual);
    for (int64_t i = 0; i < p->rows; i++) {
        p->residual[i] -= p->problem->b[i];
        largest = fabs(p->residual[i]) > fabs(p->residual[largest]) ? i : largest;
    }
    return largest;
}

static enum pivoting active_set(struct refit *p, double cutoff) {
    for (int64_t pivot = 1; pivot <= 100 + 20 * p->size; pivot++) {
        double level = level_of_reference(p);
        double value = level + distance_to_centre(p);
        int64_t worst;
        double top;
        int sign;

        if (value > cutoff) {
            p->bound = value;
            return PIVOT_CUTOFF;
        }
        worst = largest_residual(p);
        top = fabs(p->residual[worst]);
        sign = p->residual[worst] > 0 ? 1 : -1;
        if (!isgreater(top - level, 1e-11 * (top + fabs(value)) + 1e-14 * p->b_max)) {
            return PIVOT_OPTIMAL;
        }
        if (is_active(p, worst, sign)) { /* level already: rounding */
            return top - level > 1e-9 * top + 1e-13 * p->b_max ? PIVOT_GAVE_UP : PIVOT_OPTIMAL;
        }
        if (pivot % RECOMPUTE_PIVOTS == 0 && refit_must_stop(p)) {
            return PIVOT_GAVE_UP;
        }
        if (!bring_in(p, worst, sign, top - level) || (pivot % RECOMPUTE_PIVOTS == 0 && !recompute(p))) {
            return PIVOT_GAVE_UP;
        }
    }
    return PIVOT_GAVE_UP;
}

static void certify(struct refit *p) {
    double sum = 0;
    double linear = 0;

    solve_levelled(p);
    refit_evaluate(p);
    for (int64_t t = 0; t < p->active; t++) {
        sum += fmax(p->multiplier[t], 0);
    }
    memset(p->dual, 0, (size_t)p->rows * sizeof *p->dual);
    for (int64_t t = 0; t < p->active; t++) {
        double u = p->sign[t] * fmax(p->multiplier[t], 0) / sum;

        p->dual[p->Z[t]] += u;
        linear -= u * p->problem->b[p->Z[t]];
        p->out_rows[t] = p->Z[t];
        p->out_signs[t] = p->sign[t];
    }
    p->bound = refit_dual_value(p, linear);
    p->out_count = p->active;
}

void maximum_rows(struct refit *p, int64_t want, signed char *signs) {
    for (int64_t i = 0; i < p->rows; i++) {
        p->break_at[i] = -fabs(p->residual[i]);
        p->order[i] = i;
    }
    refit_smallest(p->break_at, p->order, p->rows, want);
    for (int64_t t = 0; t < want; t++) {
        signs[t] = p->residual[p->order[t]] > 0 ? 1 : -1;
    }
}

enum refit_outcome maximum_solve(struct refit *p, int64_t count, const int64_t *rows, const signed char *signs,
                                 double cutoff) {
    int proximal = refit_is_proximal(p);

    memset(p->centre, 0, (size_t)p->size * sizeof *p->centre);
    refit_set_centre(p);
    start(p, count, rows, signs);
    for (int round = 0; round < (proximal ? PROXIMAL_ROUNDS : 1); round++) {
        enum pivoting end = active_set(p, proximal ? INFINITY : cutoff);

        if (end != PIVOT_OPTIMAL) {
            return end == PIVOT_CUTOFF ? REFIT_CUTOFF : REFIT_INEXACT;
        }
        certify(p);
        if (refit_is_good(p)) {
            return REFIT_OPTIMAL;
        }
        refit_set_centre(p);
        start(p, p->out_count, p->out_rows, p->out_signs);
    }
    return REFIT_INEXACT;
}
