/* A full QR factor of the active normals, one column added or deleted at a time, O(s^2) each. */
#include <math.h>
#include <string.h>

#include "fit/vertex/internal.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

void factor_reset(struct vertex *p) {
    int64_t s = p->fit->size;

    memset(p->factor.Q, 0, (size_t)(s * s) * sizeof *p->factor.Q);
    for (int64_t j = 0; j < s; j++) {
        p->factor.Q[j * s + j] = 1;
    }
    p->set.count = 0;
}

void factor_project(const struct vertex *p, const double *g, double *v) {
    dense_dot_columns(p->fit->size, p->fit->size, p->factor.Q, p->fit->size, g, v);
}

/* Reflect the tail of v to alpha e_1 and update Q: Q_2 -= 2 (Q_2 h) h' / h'h. */
static double reflect(struct vertex *p, int64_t count, double *v, double tail) {
    int64_t s = p->fit->size;
    int64_t left = s - count;
    double *h = v + count;
    double alpha = h[0] > 0 ? -tail : tail;
    double *Q2 = p->factor.Q + count * s;

    if (left == 1) {
        return h[0];
    }
    h[0] -= alpha;
    memset(p->factor.householder, 0, (size_t)s * sizeof *p->factor.householder);
    dense_add_columns(s, left, Q2, s, h, p->factor.householder);
    dense_rank_one(s, left, -2 / vector_sum_squares(left, h), p->factor.householder, h, Q2, s);
    return alpha;
}

int factor_append(struct vertex *p, int64_t count, const double *a, double tolerance) {
    if (count >= p->fit->size) {
        return 0;
    }
    factor_project(p, a, p->v);
    return factor_extend(p, count, tolerance);
}

int factor_extend(struct vertex *p, int64_t count, double tolerance) {
    int64_t s = p->fit->size;
    double *v = p->v;
    double head, tail;

    if (count >= s) {
        return 0;
    }
    head = sqrt(vector_sum_squares(count, v));
    tail = sqrt(vector_sum_squares(s - count, v + count));
    if (!isgreater(tail, tolerance * (head + tail))) {
        return 0;
    }
    p->factor.R[count * s + count] = reflect(p, count, v, tail);
    vector_copy(count, v, p->factor.R + count * s);
    return 1;
}

static void rotate(int64_t n, double c, double sn, double *a, double *b, int64_t stride) {
    for (int64_t i = 0; i < n; i++) {
        double a0 = a[i * stride];
        double b0 = b[i * stride];

        a[i * stride] = c * a0 + sn * b0;
        b[i * stride] = c * b0 - sn * a0;
    }
}

void factor_delete(struct vertex *p, int64_t count, int64_t j) {
    int64_t s = p->fit->size;

    for (int64_t t = j; t + 1 < count; t++) {
        vector_copy(t + 2, p->factor.R + (t + 1) * s, p->factor.R + t * s);
    }
    for (int64_t t = j; t + 1 < count; t++) {
        double a = p->factor.R[t * s + t];
        double b = p->factor.R[t * s + t + 1];
        double h = sqrt(a * a + b * b);

        if (h == 0) {
            continue;
        }
        p->factor.R[t * s + t] = h;
        rotate(count - 2 - t, a / h, b / h, p->factor.R + (t + 1) * s + t, p->factor.R + (t + 1) * s + t + 1, s);
        rotate(s, a / h, b / h, p->factor.Q + t * s, p->factor.Q + (t + 1) * s, 1);
    }
}

void factor_solve(const struct vertex *p, int64_t count, double *v) {
    dense_solve_upper(count, p->factor.R, p->fit->size, v);
}

void factor_solve_transposed(const struct vertex *p, int64_t count, double *v) {
    dense_solve_upper_transposed(count, p->factor.R, p->fit->size, v);
}
