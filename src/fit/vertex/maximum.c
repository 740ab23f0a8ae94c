/*
 * The largest residual: a dual active-set method (Goldfarb and Idnani, Math. Programming 27, 1983; the exchange method
 * when there is no ridge).
 *
 *     minimise 1/2 ||x - c||^2 + t   subject to   sign (a_i'x - b_i) <= t for every row and sign
 *
 * Z are the active rows, all at the level t. The first is the reference, whose level stands for t; the others have the
 * normals d_i = sign_i a_i - sign_0 a_0, and [d_1, d_2, ...] = Q [R; 0]. The value on Z rises with every pivot and is a
 * lower bound on F, so that a hopeless fit ends at the cutoff.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/vertex/internal.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

enum pivoting { PIVOT_OPTIMAL, PIVOT_GAVE_UP, PIVOT_CUTOFF };

/* x and the multipliers of the problem with equality for the rows of Z. */
static void solve_levelled(struct vertex *p) {
    int64_t s = p->fit->size;
    int64_t k = p->set.count - 1;
    double sum = 0;
    double *level = p->y;
    const double *reference = vertex_row(p, p->set.Z[0]);

    for (int64_t j = 0; j < s; j++) {
        p->g[j] = p->centre[j] - p->set.sign[0] * reference[j];
    }
    factor_project(p, p->g, p->v);
    for (int64_t t = 0; t < k; t++) {
        level[t] =
            p->set.sign[t + 1] * p->fit->problem->b[p->set.Z[t + 1]] - p->set.sign[0] * p->fit->problem->b[p->set.Z[0]];
    }
    factor_solve_transposed(p, k, level);
    for (int64_t t = 0; t < k; t++) {
        p->set.multiplier[t + 1] = p->v[t] - level[t];
    }
    factor_solve(p, k, p->set.multiplier + 1);
    for (int64_t t = 0; t < k; t++) {
        sum += p->set.multiplier[t + 1];
        p->v[t] = level[t];
    }
    p->set.multiplier[0] = 1 - sum;
    memset(p->x, 0, (size_t)s * sizeof *p->x);
    dense_add_columns(s, s, p->factor.Q, s, p->v, p->x);
}

/* Make Z[1] the reference: the normals become d_i - d_1 for the others, -d_1 for the old reference. */
static void change_reference(struct vertex *p) {
    int64_t row = p->set.Z[0];
    signed char sign = p->set.sign[0];
    double multiplier = p->set.multiplier[0];
    double first = p->factor.R[0];

    for (int64_t t = 1; t < p->set.count - 1; t++) {
        p->factor.R[t * p->fit->size] -= first;
    }
    p->factor.R[0] = -first;
    p->set.Z[0] = p->set.Z[1];
    p->set.sign[0] = p->set.sign[1];
    p->set.multiplier[0] = p->set.multiplier[1];
    p->set.Z[1] = row;
    p->set.sign[1] = sign;
    p->set.multiplier[1] = multiplier;
}

static void drop(struct vertex *p, int64_t t) {
    size_t after;

    if (t == 0) {
        change_reference(p);
        t = 1;
    }
    factor_delete(p, p->set.count - 1, t - 1);
    after = (size_t)(p->set.count - 1 - t);
    memmove(p->set.Z + t, p->set.Z + t + 1, after * sizeof *p->set.Z);
    memmove(p->set.sign + t, p->set.sign + t + 1, after);
    memmove(p->set.multiplier + t, p->set.multiplier + t + 1, after * sizeof *p->set.multiplier);
    p->set.count--;
}

/* d = sign a_i - sign_0 a_0 */
static void normal_of(const struct vertex *p, int64_t row, int sign, double *d) {
    const double *a = vertex_row(p, row);
    const double *reference;

    for (int64_t j = 0; j < p->fit->size; j++) {
        d[j] = sign * a[j];
    }
    reference = vertex_row(p, p->set.Z[0]); /* this may overwrite a */
    for (int64_t j = 0; j < p->fit->size; j++) {
        d[j] -= p->set.sign[0] * reference[j];
    }
}

/* Make the given rows active, then drop rows with negative multipliers until the pair is dual feasible. Returns 0 if
 * stopped. */
static int start(struct vertex *p, int64_t count, const int64_t *rows, const signed char *signs) {
    factor_reset(p);
    p->set.Z[0] = rows[0];
    p->set.sign[0] = signs[0];
    p->set.count = 1;
    for (int64_t t = 1; t < count && p->set.count <= p->fit->size; t++) {
        if (vertex_must_stop(p)) {
            return 0;
        }
        normal_of(p, rows[t], signs[t], p->g);
        if (factor_append(p, p->set.count - 1, p->g, LEVEL_START)) {
            p->set.Z[p->set.count] = rows[t];
            p->set.sign[p->set.count++] = signs[t];
        }
    }
    for (;;) {
        int64_t worst = -1;
        double lowest = -LEVEL_NEGATIVE;

        solve_levelled(p);
        for (int64_t t = 0; t < p->set.count; t++) {
            if (p->set.multiplier[t] < lowest) {
                lowest = p->set.multiplier[t];
                worst = t;
            }
        }
        if (worst < 0 || p->set.count == 1) {
            break;
        }
        if (vertex_must_stop(p)) {
            return 0;
        }
        drop(p, worst);
    }
    for (int64_t t = 0; t < p->set.count; t++) {
        p->set.multiplier[t] = fmax(p->set.multiplier[t], 0);
    }
    return 1;
}

static double level_of_reference(const struct vertex *p) {
    return p->set.sign[0] *
           (vector_dot(p->fit->size, vertex_row(p, p->set.Z[0]), p->x) - p->fit->problem->b[p->set.Z[0]]);
}

static double distance_to_centre(const struct vertex *p) {
    double sum = 0;

    for (int64_t j = 0; j < p->fit->size; j++) {
        sum += (p->x[j] - p->centre[j]) * (p->x[j] - p->centre[j]);
    }
    return 0.5 * sum;
}

static int is_active(const struct vertex *p, int64_t row, int sign) {
    for (int64_t t = 0; t < p->set.count; t++) {
        if (p->set.Z[t] == row && p->set.sign[t] == sign) {
            return 1;
        }
    }
    return 0;
}

/* The multiplier that first reaches zero as that of the new row grows, and when; -1: none does. */
static int64_t first_to_leave(const struct vertex *p, double *when) {
    int64_t leaving = -1;

    *when = INFINITY;
    for (int64_t t = 0; t < p->set.count; t++) {
        if (p->set.rate[t] > LEVEL_RATE && p->set.multiplier[t] < *when * p->set.rate[t]) {
            *when = p->set.multiplier[t] / p->set.rate[t];
            leaving = t;
        }
    }
    return leaving;
}

/* The rates at which the multipliers decrease (rate) and x moves (-direction) per unit of the multiplier of the new
 * normal g. Returns ||Q_2'd||^2, which is zero if d depends on the active normals. */
static double response(struct vertex *p) {
    int64_t s = p->fit->size;
    int64_t k = p->set.count - 1;
    double free_part, sum = 0;

    factor_project(p, p->g, p->v);
    free_part = vector_sum_squares(s - k, p->v + k);
    vector_copy(k, p->v, p->set.rate + 1);
    factor_solve(p, k, p->set.rate + 1);
    for (int64_t t = 1; t <= k; t++) {
        sum += p->set.rate[t];
    }
    p->set.rate[0] = 1 - sum;
    if (!isgreater(free_part, LEVEL_STRAIGHT * vector_sum_squares(s, p->g))) {
        return 0;
    }
    memset(p->line.direction, 0, (size_t)s * sizeof *p->line.direction);
    dense_add_columns(s, s - k, p->factor.Q + k * s, s, p->v + k, p->line.direction);
    return free_part;
}

/* Bring the violated row into Z, dropping rows on the way. Returns nonzero on success. */
static int bring_in(struct vertex *p, int64_t row, int sign, double violation) {
    double multiplier = 0;

    for (int64_t drops = 0; drops <= 2 * p->fit->size + 2; drops++) {
        double curvature, full, partial, step;
        int64_t leaving;

        if (vertex_must_stop(p)) {
            return 0;
        }
        normal_of(p, row, sign, p->g);
        curvature = response(p);
        full = curvature > 0 ? violation / curvature : INFINITY;
        leaving = first_to_leave(p, &partial);
        step = fmin(full, partial);
        if (!isless(step, INFINITY)) {
            return 0;
        }
        if (curvature > 0) {
            vector_axpy(p->fit->size, -step, p->line.direction, p->x);
            violation -= step * curvature;
        }
        for (int64_t t = 0; t < p->set.count; t++) {
            double left = p->set.multiplier[t] - step * p->set.rate[t];

            p->set.multiplier[t] = left > 0 ? left : 0;
        }
        multiplier += step;
        p->fit->steps++;
        if (full <= partial) {
            if (!factor_extend(p, p->set.count - 1, LEVEL_DEPENDENT)) { /* p->v is still that of response() */
                return 0;
            }
            p->set.Z[p->set.count] = row;
            p->set.sign[p->set.count] = (signed char)sign;
            p->set.multiplier[p->set.count++] = multiplier;
            return 1;
        }
        if (p->set.count == 1) { /* the only row is replaced */
            p->set.Z[0] = row;
            p->set.sign[0] = (signed char)sign;
            p->set.multiplier[0] = 1;
            solve_levelled(p);
            return 1;
        }
        p->set.multiplier[leaving] = 0;
        drop(p, leaving);
    }
    return 0;
}

/* Recompute against accumulated rounding. Returns 0 if a multiplier is negative beyond rounding. */
static int recompute(struct vertex *p) {
    int sound = 1;

    solve_levelled(p);
    for (int64_t t = 0; t < p->set.count; t++) {
        sound &= p->set.multiplier[t] >= -LEVEL_UNSOUND;
        p->set.multiplier[t] = fmax(0, p->set.multiplier[t]);
    }
    return sound;
}

/* The first of the largest residuals. */
static int64_t largest_residual(struct vertex *p) {
    double *r = p->fit->residual, largest;
    int64_t i = 0;

    vertex_multiply(p, p->x, r);
    vector_axpy(p->rows, -1, p->fit->problem->b, r);
    largest = vector_norm_inf(p->rows, r);
    while (i < p->rows - 1 && fabs(r[i]) < largest) {
        i++;
    }
    return i;
}

/* A lower bound on F from the current multipliers: A'u = centre - x. */
static double bound_at(struct vertex *p, double level, double value, int is_proximal) {
    if (p->fit->low == NULL) {
        return is_proximal ? -(double)INFINITY : value;
    }
    for (int64_t j = 0; j < p->fit->size; j++) {
        p->y[j] = p->centre[j] - p->x[j];
    }
    return vertex_value_within(p, level, p->y);
}

/* u'(A x - b) for u = sign * multiplier, as a vector of dom h*. A'u goes into p->y, the sum of its absolute terms into
 * p->g, and that of the value into size. */
static double multiply_out(struct vertex *p, double *size) {
    int64_t s = p->fit->size;
    double sum = 0, value = 0;

    *size = 0;
    memset(p->y, 0, (size_t)s * sizeof *p->y);
    memset(p->g, 0, (size_t)s * sizeof *p->g);
    for (int64_t t = 0; t < p->set.count; t++) {
        sum += fmax(p->set.multiplier[t], 0);
    }
    for (int64_t t = 0; t < p->set.count; t++) {
        double u = p->set.sign[t] * fmax(p->set.multiplier[t], 0) / sum, b = p->fit->problem->b[p->set.Z[t]];
        const double *a = vertex_row(p, p->set.Z[t]);

        value += u * (vector_dot(s, a, p->x) - b);
        *size += fabs(u * b);
        for (int64_t j = 0; j < s; j++) {
            *size += fabs(u * a[j] * p->x[j]);
            p->y[j] += u * a[j];
            p->g[j] += fabs(u * a[j]);
        }
    }
    return value;
}

/*
 * The bound of bound_at without its assumptions that the rows of Z are at the level and that x is the point of the
 * multipliers. Both hold up to rounding, which grows with the condition number of the normals; a fit whose F is as
 * small as that rounding must not be refused because of it.
 */
static int is_hopeless(struct vertex *p, double cutoff) {
    int64_t s = p->fit->size;
    double size, value = multiply_out(p, &size), least = value;

    for (int64_t j = 0; j < s; j++) {
        double width = fabs(p->y[j]) + fabs(p->x[j]);

        if (p->fit->low != NULL) {
            double x = p->x[j] * p->products.scale[j];
            int64_t column = p->fit->columns[j];

            width = fmax(fabs(p->fit->low[column] - x), fabs(p->fit->high[column] - x)) / p->products.scale[j];
        } else {
            least -= p->y[j] * (p->x[j] + 0.5 * p->y[j]); /* x = -y is the minimiser */
        }
        size += p->g[j] * width;
    }
    least = p->fit->low != NULL ? vertex_value_within(p, value, p->y) : least;
    p->fit->bound = least - DBL_EPSILON * (double)(s + p->set.count + 8) * size;
    return p->fit->bound > cutoff;
}

static enum pivoting active_set(struct vertex *p, double cutoff, int is_proximal) {
    for (int64_t pivot = 1; pivot <= LEVEL_PIVOTS + COLUMN_PIVOTS * p->fit->size; pivot++) {
        double level = level_of_reference(p);
        double value = level + distance_to_centre(p);
        int64_t worst;
        double top;
        int sign;

        p->fit->bound = bound_at(p, level, value, is_proximal);
        if (p->fit->bound > cutoff && is_hopeless(p, cutoff)) {
            return PIVOT_CUTOFF;
        }
        worst = largest_residual(p);
        top = fabs(p->fit->residual[worst]);
        sign = p->fit->residual[worst] > 0 ? 1 : -1;
        if (!isgreater(top - level, LEVEL_GAP * (top + fabs(value)) + LEVEL_GAP_OF_TARGET * p->target.largest)) {
            return PIVOT_OPTIMAL;
        }
        if (is_active(p, worst, sign)) { /* it is active already: this is rounding */
            return top - level > LEVEL_WRONG * top + LEVEL_WRONG_OF_TARGET * p->target.largest ? PIVOT_GAVE_UP
                                                                                               : PIVOT_OPTIMAL;
        }
        if (!bring_in(p, worst, sign, top - level) || (pivot % RECOMPUTE_PIVOTS == 0 && !recompute(p))) {
            return PIVOT_GAVE_UP;
        }
    }
    return PIVOT_GAVE_UP;
}

/* Set u from the multipliers; returns -u'b. */
static double gather_dual(struct vertex *p) {
    double sum = 0;
    double linear = 0;

    for (int64_t t = 0; t < p->set.count; t++) {
        sum += fmax(p->set.multiplier[t], 0);
    }
    memset(p->fit->dual, 0, (size_t)p->rows * sizeof *p->fit->dual);
    for (int64_t t = 0; t < p->set.count; t++) {
        double u = p->set.sign[t] * fmax(p->set.multiplier[t], 0) / sum;

        p->fit->dual[p->set.Z[t]] += u;
        linear -= u * p->fit->problem->b[p->set.Z[t]];
    }
    return linear;
}

static void certify(struct vertex *p) {
    solve_levelled(p);
    vertex_evaluate(p);
    for (int64_t t = 0; t < p->set.count; t++) {
        p->fit->active.rows[t] = p->set.Z[t];
        p->fit->active.signs[t] = p->set.sign[t];
    }
    p->fit->bound = vertex_dual_value(p, gather_dual(p));
    p->fit->active.count = p->set.count;
}

void maximum_rows(struct vertex *p, int64_t want, signed char *signs) {
    for (int64_t i = 0; i < p->rows; i++) {
        p->line.break_at[i] = -fabs(p->fit->residual[i]);
        p->line.order[i] = i;
    }
    vertex_smallest(p->line.break_at, p->line.order, p->rows, want);
    for (int64_t t = 0; t < want; t++) {
        signs[t] = p->fit->residual[p->line.order[t]] > 0 ? 1 : -1;
    }
}

enum fit_outcome maximum_solve(struct vertex *p, int64_t count, const int64_t *rows, const signed char *signs,
                               double cutoff) {
    int proximal = vertex_is_proximal(p);

    memset(p->centre, 0, (size_t)p->fit->size * sizeof *p->centre);
    vertex_set_centre(p);
    if (!start(p, count, rows, signs)) {
        return FIT_INEXACT;
    }
    for (int round = 0; round < (proximal ? PROXIMAL_ROUNDS : 1); round++) {
        enum pivoting end = active_set(p, cutoff, proximal);

        if (end == PIVOT_CUTOFF) {
            gather_dual(p);
            p->fit->objective = INFINITY; /* not known */
        }
        if (end != PIVOT_OPTIMAL) {
            return end == PIVOT_CUTOFF ? FIT_CUTOFF : FIT_INEXACT;
        }
        certify(p);
        if (fit_is_good(p->fit)) {
            return FIT_OPTIMAL;
        }
        vertex_set_centre(p);
        if (!start(p, p->fit->active.count, p->fit->active.rows, p->fit->active.signs)) {
            return FIT_INEXACT;
        }
    }
    return FIT_INEXACT;
}
