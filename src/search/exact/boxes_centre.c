/* A dual vector with A_K'u + p = 0 and room around it in dom h*, from which the boxes of boxes.c are measured. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/exact/boxes.h"

/* u += A_K (A_K'A_K)^-1 (-slope - A_K'u). Returns the size of that step. */
static double balance(struct bare *k, double *u) {
    const struct linop *A = k->tree->problem->A;
    double far = 0;

    linop_transpose_columns(A, k->count, k->columns, u, k->g);
    for (int64_t i = 0; i < k->count; i++) {
        k->g[i] = -k->tree->slope[k->columns[i]] - k->g[i];
    }
    dense_dot_columns(k->count, k->count, k->inverse, k->count, k->g, k->h);
    memset(k->slot->split.c, 0, (size_t)k->tree->m * sizeof *u);
    linop_add_columns(A, k->count, k->columns, k->h, k->slot->split.c);
    for (int64_t i = 0; i < k->tree->m; i++) {
        double by = k->live[i] * k->slot->split.c[i];

        u[i] += by;
        far += by * by;
    }
    return far;
}

int boxes_has_room(struct bare *k, const double *u, double cap) {
    const struct loss *h = &k->tree->problem->h;
    double least = INFINITY;

    if (!isfinite(h->ops->conjugate_above(h, u, cap, k->room, k->slot->dual.steep))) {
        return 0;
    }
    for (int64_t i = 0; i < h->rows; i++) {
        least = k->live[i] == 0 ? least : fmin(least, k->room[i]);
    }
    return least > ROOM_LEAST * cap;
}

/* Whether u is in dom h*, without the logarithms that its room may cost. k->from is overwritten. */
static int is_inside(struct bare *k, const double *u) {
    const struct loss *h = &k->tree->problem->h;

    vector_copy(k->tree->m, u, k->from);
    h->ops->project_dual(h, k->from);
    return memcmp(u, k->from, (size_t)k->tree->m * sizeof *u) == 0;
}

static int is_dead(const struct bare *k, int64_t row) {
    return k->endless.count > 0 && k->endless.is_dead[row];
}

void boxes_find_middle(struct bare *k) {
    const struct loss *h = &k->tree->problem->h;
    int64_t m = k->tree->m;

    for (int64_t i = 0; i < m; i++) {
        k->w[i] = k->size;
        k->from[i] = -k->size;
    }
    h->ops->project_dual(h, k->w);
    h->ops->project_dual(h, k->from);
    for (int64_t i = 0; i < m; i++) {
        k->live[i] = k->w[i] > k->from[i] && !is_dead(k, i);
        k->w[i] = k->centre[i] = is_dead(k, i) ? 0 : (k->w[i] + k->from[i]) / 2;
    }
}

/* u and what it is the slope of, sum_i lo_i z_i + (hi_i - lo_i) (z_i + sqrt(1 + z_i^2)) / 2 + slope'x at z = A_K x; the
 * second derivatives into weights. lo is in k->from, hi - lo in k->room. */
static double curve_at(struct bare *k, const double *x) {
    const struct tree *tree = k->tree;
    double *z = k->slot->split.c, value = 0;

    memset(z, 0, (size_t)tree->m * sizeof *z);
    linop_add_columns(tree->problem->A, k->count, k->columns, x, z);
    for (int64_t i = 0; i < tree->m; i++) {
        double size = sqrt(1 + z[i] * z[i]), tail = 0.5 / (size * (size + fabs(z[i])));

        value += k->from[i] * z[i] + k->room[i] * (z[i] + size) / 2;
        k->centre[i] = k->from[i] + k->room[i] * (z[i] > 0 ? 1 - tail : tail);
        k->weights[i] = k->room[i] / (2 * size * size * size);
    }
    for (int64_t i = 0; i < k->count; i++) {
        value += tree->slope[k->columns[i]] * x[i];
    }
    return value;
}

/* Newton direction k->h = H^-1 g at the point of curve_at; returns g'H^-1 g, or NAN if H is singular or the time is up.
 */
static double newton_direction(struct bare *k) {
    const struct linop *A = k->tree->problem->A;
    struct stop stop = {.must_stop = slot_is_late, .context = k->slot};
    double decrement = 0;

    linop_transpose_columns(A, k->count, k->columns, k->centre, k->g);
    if (!linop_gram_until(A, k->count, k->columns, k->weights, k->scratch, &stop) ||
        !dense_factor_until(k->count, k->scratch, k->count, &stop)) {
        return NAN;
    }
    for (int64_t i = 0; i < k->count; i++) {
        k->g[i] += k->tree->slope[k->columns[i]];
        k->h[i] = k->g[i];
    }
    dense_solve_upper_transposed(k->count, k->scratch, k->count, k->h);
    dense_solve_upper(k->count, k->scratch, k->count, k->h);
    for (int64_t i = 0; i < k->count; i++) {
        decrement += k->g[i] * k->h[i];
    }
    return decrement;
}

/*
 * A centre by Newton's method where projections find none: the derivatives of a smooth sum, which are inside dom h* for
 * every x and satisfy A_K'u = -slope at the minimum of the sum. If K nearly separates the labels, some rows have so
 * little room that projections take thousands of steps; if K separates them, there is no minimum and no centre. The
 * derivatives of the logistic loss would do as well but approach the ends so fast that rounding leaves no room; these
 * approach them like 1 / z^2.
 */
static int find_centre_by_newton(struct bare *k) {
    const struct loss *h = &k->tree->problem->h;
    double *x = k->t_w, value, width = 0; /* not used before there is a centre */

    for (int64_t i = 0; i < k->tree->m; i++) {
        k->room[i] = k->size;
        k->from[i] = -k->size;
    }
    h->ops->project_dual(h, k->room);
    h->ops->project_dual(h, k->from);
    for (int64_t i = 0; i < k->tree->m; i++) {
        k->room[i] = is_dead(k, i) ? 0 : k->room[i] - k->from[i];
        k->from[i] = is_dead(k, i) ? 0 : k->from[i];
        width += k->room[i];
    }
    memset(x, 0, (size_t)k->count * sizeof *x);
    value = curve_at(k, x);
    for (int step = 0; step < CENTRE_NEWTON; step++) {
        double decrement = newton_direction(k), part = -1, next;

        if (!isgreater(decrement, CENTRE_NEAR * width) || slot_is_late(k->slot)) {
            break;
        }
        vector_axpy(k->count, part, k->h, x);
        next = curve_at(k, x);
        for (int half = 0; half < CENTRE_HALVES && !(next <= value + CENTRE_SUFFICIENT * part * decrement); half++) {
            vector_axpy(k->count, -part / 2, k->h, x);
            part /= 2;
            next = curve_at(k, x);
        }
        value = next;
    }
    balance(k, k->centre);
    balance(k, k->centre);
    return boxes_has_room(k, k->centre, k->size);
}

int boxes_find_centre(struct bare *k) {
    const struct loss *h = &k->tree->problem->h;
    int64_t m = k->tree->m;
    double size = k->size, inside = CENTRE_INSIDE, last = INFINITY;

    for (int step = 0; step < CENTRE_STEPS && !slot_is_late(k->slot); step++) {
        double far = balance(k, k->centre);

        if (is_inside(k, k->centre) && boxes_has_room(k, k->centre, size)) {
            balance(k, k->centre);
            return boxes_has_room(k, k->centre, size);
        }
        if (step % CENTRE_LOOK == CENTRE_LOOK - 1) { /* the distance does not go to 0 if the two sets do not meet */
            if (far > CENTRE_STUCK * last) {
                break;
            }
            last = far;
        }
        inside = step == CENTRE_STEPS / 2 ? CENTRE_INSIDE_LATE : inside;
        for (int64_t i = 0; i < m; i++) {
            k->centre[i] = k->w[i] + (k->centre[i] - k->w[i]) / inside;
        }
        h->ops->project_dual(h, k->centre);
        for (int64_t i = 0; i < m; i++) {
            k->centre[i] = k->w[i] + (k->centre[i] - k->w[i]) * inside;
        }
    }
    memset(k->centre, 0, (size_t)m * sizeof *k->centre); /* often inside, if not far: pinballs have 0 between slopes */
    balance(k, k->centre);
    return boxes_has_room(k, k->centre, size) || (k->damping == 0 && find_centre_by_newton(k));
}
