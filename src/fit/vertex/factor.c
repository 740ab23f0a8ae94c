/* A full QR factor of the active normals, one column added or deleted at a time, O(s^2) each. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/refit/internal.h"

void factor_reset(struct refit *p) {
    int64_t s = p->size;

    memset(p->Q, 0, (size_t)(s * s) * sizeof *p->Q);
    for (int64_t j = 0; j < s; j++) {
        p->Q[j * s + j] = 1;
    }
    p->active = 0;
}

void factor_project(const struct refit *p, const double *g, double *v) {
    dense_dot_columns(p->size, p->size, p->Q, p->size, g, v);
}

/* Reflect the tail of v to alpha e_1 and take Q along: Q_2 -= 2 (Q_2 h) h' / h'h. */
static double reflect(struct refit *p, int64_t count, double *v, double tail) {
    int64_t s = p->size;
    int64_t left = s - count;
    double *h = v + count;
    double alpha = h[0] > 0 ? -tail : tail;
    double *Q2 = p->Q + count * s;

    if (left == 1) {
        return h[0];
    }
    h[0] -= alpha;
    memset(p->householder, 0, (size_t)s * sizeof *p->householder);
    dense_add_columns(s, left, Q2, s, h, p->householder);
    dense_rank_one(s, left, -2 / vector_sum_squares(left, h), p->householder, h, Q2, s);
    return alpha;
}

int factor_append(struct refit *p, int64_t count, const double *a, double tolerance) {
    int64_t s = p->size;
    double *v = p->v;
    double head, tail;

    if (count >= s) {
        return 0;
    }
    factor_project(p, a, v);
    head = sqrt(vector_sum_squares(count, v));
    tail = sqrt(vector_sum_squares(s - count, v + count));
    if (!isgreater(tail, tolerance * (head + tail))) {
        return 0;
    }
    p->R[count * s + count] = reflect(p, count, v, tail);
    vector_copy(count, v, p->R + count * s);
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

void factor_delete(struct refit *p, int64_t count, int64_t j) {
    int64_t s = p->size;

    for (int64_t t = j; t + 1 < count; t++) {
        vector_copy(t + 2, p->R + (t + 1) * s, p->R + t * s);
    }
    for (int64_t t = j; t + 1 < count; t++) {
        double a = p->R[t * s + t];
        double b = p->R[t * s + t + 1];
        double h = sqrt(a * a + b * b);

        if (h == 0) {
            continue;
        }
        p->R[t * s + t] = h;
        rotate(count - 2 - t, a / h, b / h, p->R + (t + 1) * s + t, p->R + (t + 1) * s + t + 1, s);
        rotate(s, a / h, b / h, p->Q + t * s, p->Q + (t + 1) * s, 1);
    }
}

void factor_solve(const struct refit *p, int64_t count, double *v) {
    dense_solve_upper(count, p->R, p->size, v);
}

void factor_solve_transposed(const struct refit *p, int64_t count, double *v) {
    dense_solve_upper_transposed(count, p->R, p->size, v);
}
