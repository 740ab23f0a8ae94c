/*
 * A small problem as raw arrays, and every formula of the paper recomputed from them by independent code: plain loops,
 * without functions of src/ other than those under test.
 */
#ifndef SPGM_TESTS_FIXTURE_H
#define SPGM_TESTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/spgm_bcd/spgm_bcd.h"
#include "method/spgm_iht/spgm_iht.h"

#define UNUSED_OK static __attribute__((unused))

enum { LOSS_COUNT = 7, MOST = 64 };
static const char *const loss_names[LOSS_COUNT] = {"l1", "quantile", "hinge", "epsilon", "linf", "l2", "squared"};

enum variant { PLAIN, INTERCEPT, WEIGHTED, QUADRATIC, LEAST_SQUARES, FREE, VARIANTS };
static const char *const variant_names[VARIANTS] = {"plain",     "intercept",     "weighted",
                                                    "quadratic", "least squares", "free columns"};

struct fixture {
    int64_t m, n; /* of the data                               */
    int64_t N;    /* columns that a method sees: n, n + 1      */
    int64_t s;
    enum variant variant;
    const char *loss;
    double tau, epsilon, ridge;
    double A[MOST * MOST]; /* m x n, column-major                       */
    double b[MOST], weight[MOST];
    double p[MOST], Q[MOST * MOST], C[MOST * MOST], d[MOST]; /* f; C is 5 x n */
    int is_free[MOST];
    spgm_options *options;
    spgm_problem *problem;
    struct problem framed;
    struct workspace workspace;
    struct run run;
};

/* A generator of the tests' own. */
UNUSED_OK double draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

UNUSED_OK double draw_normal(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += draw(state);
    return sum;
}

UNUSED_OK void check(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK)
        fail_msg("%s", status->message);
}

UNUSED_OK void fixture_option(struct fixture *f, const char *name, const char *value) {
    spgm_status status;
    check(spgm_options_set(f->options, name, value, &status), &status);
}

UNUSED_OK void fixture_number(struct fixture *f, const char *name, double value) {
    spgm_status status;
    check(spgm_options_set_number(f->options, name, value, &status), &status);
}

/* Raw data. Change A, b, s or the options afterwards if needed, then call fixture_frame. */
UNUSED_OK struct fixture *fixture_new(int64_t m, int64_t n, int64_t s, const char *loss, enum variant variant,
                                      uint64_t seed) {
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->m = m, f->n = n, f->s = s, f->loss = loss, f->variant = variant;
    f->N = variant == INTERCEPT ? n + 1 : n;
    f->tau = 0.3, f->epsilon = 0.4, f->ridge = 0.05;
    for (int64_t i = 0; i < m * n; i++)
        f->A[i] = draw_normal(&seed);
    for (int64_t i = 0; i < m; i++) {
        f->b[i] = 3 * draw_normal(&seed) + (i % 7 == 0 ? 10 : 0);
        if (strcmp(loss, "hinge") == 0)
            f->b[i] = f->b[i] > 0 ? 1 : -1;
        f->weight[i] = variant == WEIGHTED ? 3 * draw(&seed) : 1;
    }
    if (strcmp(loss, "hinge") == 0)
        f->b[0] = 1, f->b[m - 1] = m > 1 ? -1 : 1;
    for (int64_t i = 0; i < 5 * n; i++)
        f->C[i] = draw_normal(&seed);
    for (int64_t i = 0; i < 5; i++)
        f->d[i] = draw_normal(&seed);
    for (int64_t i = 0; i < n; i++) { /* Q = C'C + I */
        f->p[i] = variant == QUADRATIC ? draw_normal(&seed) : 0;
        for (int64_t j = 0; j < n; j++) {
            f->Q[i + j * n] = i == j;
            for (int64_t q = 0; q < 5; q++)
                f->Q[i + j * n] += f->C[q + i * 5] * f->C[q + j * 5];
        }
    }
    f->is_free[n] = 1;
    if (variant == FREE)
        f->is_free[1] = f->is_free[n - 1] = 1;
    f->options = spgm_options_new();
    assert_non_null(f->options);
    fixture_option(f, "loss", loss);
    fixture_number(f, "quantile", f->tau);
    fixture_number(f, "epsilon", f->epsilon);
    fixture_number(f, "ridge", f->ridge);
    fixture_option(f, "intercept", variant == INTERCEPT ? "true" : "false");
    return f;
}

UNUSED_OK int is_separable(const struct fixture *f) {
    return strcmp(f->loss, "linf") != 0 && strcmp(f->loss, "l2") != 0 && strcmp(f->loss, "squared") != 0;
}

UNUSED_OK void fixture_frame(struct fixture *f) {
    spgm_status status;
    spgm_matrix A = spgm_dense(f->m, f->n, f->A), Q = spgm_dense(f->n, f->n, f->Q), C = spgm_dense(5, f->n, f->C);
    int64_t free_columns[2] = {1, f->n - 1};
    check(spgm_problem_new(&A, f->b, f->options, &f->problem, &status), &status);
    if (f->variant == WEIGHTED)
        check(spgm_problem_set_weights(f->problem, f->weight, &status), &status);
    if (f->variant == QUADRATIC) {
        check(spgm_problem_set_linear(f->problem, f->p, &status), &status);
        check(spgm_problem_set_quadratic(f->problem, &Q, &status), &status);
    }
    if (f->variant == LEAST_SQUARES)
        check(spgm_problem_set_least_squares(f->problem, &C, f->d, &status), &status);
    if (f->variant == FREE)
        check(spgm_problem_set_free_columns(f->problem, free_columns, 2, &status), &status);
    check(problem_frame(f->problem, 1, &f->framed, &status), &status);
    assert_int_equal(f->framed.A->columns, f->N);
    run_init(&f->run, &f->framed, f->s, f->options, &f->workspace);
    assert_false(f->workspace.failed);
}

UNUSED_OK void fixture_free(struct fixture *f) {
    workspace_free(&f->workspace);
    problem_unframe(&f->framed);
    spgm_problem_free(f->problem);
    spgm_options_free(f->options);
    free(f);
}

/* ---- the formulas, from the raw data ---------------------------------------------------------- */

/* c = A x - b */
UNUSED_OK void raw_residual(const struct fixture *f, const double *x, double *c) {
    for (int64_t i = 0; i < f->m; i++) {
        c[i] = (f->N > f->n ? x[f->n] : 0) - f->b[i];
        for (int64_t j = 0; j < f->n; j++)
            c[i] += f->A[i + j * f->m] * x[j];
    }
}

UNUSED_OK double raw_entry(const struct fixture *f, int64_t i, int64_t j) {
    return j == f->n ? 1 : f->A[i + j * f->m];
}

/* One row of a separable loss. */
UNUSED_OK double raw_row(const struct fixture *f, int64_t i, double r) {
    double value = 0;
    if (strcmp(f->loss, "l1") == 0)
        value = fabs(r);
    else if (strcmp(f->loss, "quantile") == 0)
        value = r > 0 ? (1 - f->tau) * r : -f->tau * r;
    else if (strcmp(f->loss, "hinge") == 0)
        value = fmax(0, 1 - f->b[i] * (r + f->b[i]));
    else if (strcmp(f->loss, "epsilon") == 0)
        value = fmax(0, fabs(r) - f->epsilon);
    else
        fail_msg("%s is not separable", f->loss);
    return f->weight[i] * value;
}

UNUSED_OK double raw_h(const struct fixture *f, const double *r) {
    double sum = 0, squares = 0, largest = 0;
    for (int64_t i = 0; i < f->m; i++) {
        squares += r[i] * r[i];
        largest = fmax(largest, fabs(r[i]));
        if (is_separable(f))
            sum += raw_row(f, i, r[i]);
    }
    if (strcmp(f->loss, "linf") == 0)
        return largest;
    if (strcmp(f->loss, "l2") == 0)
        return sqrt(squares);
    return strcmp(f->loss, "squared") == 0 ? squares / 2 : sum;
}

/* y_i: the best of the kinks and of the stationary points c_i - mu g for every occurring slope g. */
UNUSED_OK double raw_prox_row(const struct fixture *f, int64_t i, double mu, double c) {
    double w = f->weight[i];
    double tries[] = {
        0, f->epsilon, -f->epsilon, c, c - mu * w, c + mu * w, c - mu * w * (1 - f->tau), c + mu * w * f->tau};
    double best = INFINITY, y = 0;
    for (size_t k = 0; k < sizeof tries / sizeof tries[0]; k++) {
        double value = raw_row(f, i, tries[k]) + (c - tries[k]) * (c - tries[k]) / (2 * mu);
        if (value < best)
            best = value, y = tries[k];
    }
    return y;
}

UNUSED_OK void raw_prox(const struct fixture *f, double mu, const double *c, double *y) {
    double norm1 = 0, norm2 = 0, low = 0, high = 0;
    for (int64_t i = 0; i < f->m; i++) {
        norm1 += fabs(c[i]);
        norm2 += c[i] * c[i];
        high = fmax(high, fabs(c[i]));
    }
    norm2 = sqrt(norm2);
    for (int step = 0; step < 200; step++) { /* linf: sum (|c_i| - t)+ = mu */
        double t = (low + high) / 2, sum = 0;
        for (int64_t i = 0; i < f->m; i++)
            sum += fmax(fabs(c[i]) - t, 0);
        *(sum > mu ? &low : &high) = t;
    }
    if (norm1 <= mu)
        high = 0;
    for (int64_t i = 0; i < f->m; i++) {
        if (strcmp(f->loss, "linf") == 0)
            y[i] = fmax(-high, fmin(high, c[i]));
        else if (strcmp(f->loss, "l2") == 0)
            y[i] = norm2 <= mu ? 0 : (1 - mu / norm2) * c[i];
        else if (strcmp(f->loss, "squared") == 0)
            y[i] = c[i] / (1 + mu);
        else
            y[i] = raw_prox_row(f, i, mu, c[i]);
    }
}

/* L_h^2 */
UNUSED_OK double raw_lipschitz_square(const struct fixture *f) {
    double sum = 0;
    if (strcmp(f->loss, "squared") == 0)
        return INFINITY;
    if (!is_separable(f))
        return 1;
    for (int64_t i = 0; i < f->m; i++) {
        double slope = f->weight[i] * (strcmp(f->loss, "quantile") == 0 ? fmax(f->tau, 1 - f->tau) : 1);
        sum += slope * slope;
    }
    return sum;
}

UNUSED_OK double raw_f(const struct fixture *f, const double *x) {
    double value = 0;
    for (int64_t j = 0; j < f->n; j++) {
        value += f->ridge / 2 * x[j] * x[j] + f->p[j] * x[j];
        for (int64_t k = 0; f->variant == QUADRATIC && k < f->n; k++)
            value += f->Q[j + k * f->n] * x[j] * x[k] / 2;
    }
    for (int64_t q = 0; f->variant == LEAST_SQUARES && q < 5; q++) {
        double v = -f->d[q];
        for (int64_t j = 0; j < f->n; j++)
            v += f->C[q + j * 5] * x[j];
        value += v * v / 2;
    }
    return value;
}

/* M~_jk */
UNUSED_OK double raw_curvature(const struct fixture *f, int64_t j, int64_t k) {
    double value = j == k ? f->ridge : 0;
    if (j == f->n || k == f->n)
        return 0;
    if (f->variant == QUADRATIC)
        value += f->Q[j + k * f->n];
    for (int64_t q = 0; f->variant == LEAST_SQUARES && q < 5; q++)
        value += f->C[q + j * 5] * f->C[q + k * 5];
    return value;
}

UNUSED_OK double raw_F(const struct fixture *f, const double *x) {
    double c[MOST];
    raw_residual(f, x, c);
    return raw_f(f, x) + raw_h(f, c);
}

/* R(x, y; mu) */
UNUSED_OK double raw_R(const struct fixture *f, const double *x, const double *y, double mu) {
    double c[MOST], squares = 0;
    raw_residual(f, x, c);
    for (int64_t i = 0; i < f->m; i++)
        squares += (c[i] - y[i]) * (c[i] - y[i]);
    return raw_f(f, x) + squares / (2 * mu);
}

/* r = grad f(x) + A'(A x - b - y) / mu; grad f is M~ (x - 0) + grad f(0). */
UNUSED_OK void raw_gradient(const struct fixture *f, const double *x, const double *y, double mu, double *r) {
    double c[MOST];
    raw_residual(f, x, c);
    for (int64_t j = 0; j < f->N; j++) {
        r[j] = j < f->n ? f->p[j] : 0;
        for (int64_t k = 0; k < f->N; k++)
            r[j] += raw_curvature(f, j, k) * x[k];
        for (int64_t q = 0; f->variant == LEAST_SQUARES && j < f->n && q < 5; q++)
            r[j] -= f->C[q + j * 5] * f->d[q];
        for (int64_t i = 0; i < f->m; i++)
            r[j] += raw_entry(f, i, j) * (c[i] - y[i]) / mu;
    }
}

/* H_jk of SPGM-BCD */
UNUSED_OK double raw_H(const struct fixture *f, int64_t j, int64_t k, double mu, double theta1, double theta2) {
    double product = j == k ? theta1 : 0;
    for (int64_t i = 0; i < f->m; i++)
        product += raw_entry(f, i, j) * raw_entry(f, i, k);
    return product / mu + raw_curvature(f, j, k) + (j == k ? theta2 : 0);
}

UNUSED_OK int64_t raw_count(const struct fixture *f, const double *x) {
    int64_t count = 0;
    for (int64_t j = 0; j < f->N; j++)
        count += x[j] != 0 && !f->is_free[j];
    return count;
}

/* Pi_s, by picking the largest entry s times; free columns stay. */
UNUSED_OK void raw_project(const struct fixture *f, double *x) {
    int keep[MOST] = {0};
    for (int64_t pick = 0; pick < f->s; pick++) {
        int64_t best = -1;
        for (int64_t j = 0; j < f->N; j++)
            if (!f->is_free[j] && !keep[j] && (best < 0 || fabs(x[j]) > fabs(x[best])))
                best = j;
        if (best >= 0)
            keep[best] = 1;
    }
    for (int64_t j = 0; j < f->N; j++)
        if (!keep[j] && !f->is_free[j])
            x[j] = 0;
}

UNUSED_OK void random_start(struct fixture *f, double scale, uint64_t seed) {
    for (int64_t j = 0; j < f->N; j++)
        f->run.x[j] = scale * draw_normal(&seed);
    raw_project(f, f->run.x);
}

/* The largest eigenvalue of a symmetric matrix (order N, entry by function of the tests) by long power iteration. */
UNUSED_OK double raw_largest_eigenvalue(const struct fixture *f, const double *G) {
    double v[MOST], w[MOST], value = 0;
    uint64_t seed = 7;
    for (int64_t j = 0; j < f->N; j++)
        v[j] = draw_normal(&seed);
    for (int step = 0; step < 1500; step++) {
        double norm = 0;
        for (int64_t j = 0; j < f->N; j++) {
            w[j] = 0;
            for (int64_t k = 0; k < f->N; k++)
                w[j] += G[j + k * f->N] * v[k];
            norm += w[j] * w[j];
        }
        value = norm = sqrt(norm);
        for (int64_t j = 0; norm > 0 && j < f->N; j++)
            v[j] = w[j] / norm;
    }
    return value;
}

UNUSED_OK double raw_norm(const struct fixture *f) {
    double G[MOST * MOST];
    for (int64_t j = 0; j < f->N; j++)
        for (int64_t k = 0; k < f->N; k++) {
            G[j + k * f->N] = 0;
            for (int64_t i = 0; i < f->m; i++)
                G[j + k * f->N] += raw_entry(f, i, j) * raw_entry(f, i, k);
        }
    return sqrt(raw_largest_eigenvalue(f, G));
}

UNUSED_OK double raw_smoothness(const struct fixture *f) {
    double M[MOST * MOST];
    for (int64_t j = 0; j < f->N; j++)
        for (int64_t k = 0; k < f->N; k++)
            M[j + k * f->N] = raw_curvature(f, j, k);
    return raw_largest_eigenvalue(f, M);
}

/* Solve G z = r by Gaussian elimination with pivoting; G [k x k] and r are overwritten, r becomes z. */
UNUSED_OK void raw_solve(int64_t k, double *G, double *r) {
    for (int64_t p = 0; p < k; p++) {
        int64_t top = p;
        for (int64_t i = p; i < k; i++)
            if (fabs(G[i + p * k]) > fabs(G[top + p * k]))
                top = i;
        for (int64_t j = 0; j < k; j++) {
            double swapped = G[p + j * k];
            G[p + j * k] = G[top + j * k], G[top + j * k] = swapped;
        }
        double swapped = r[p];
        r[p] = r[top], r[top] = swapped;
        for (int64_t i = p + 1; i < k; i++) {
            double factor = G[i + p * k] / G[p + p * k];
            for (int64_t j = p; j < k; j++)
                G[i + j * k] -= factor * G[p + j * k];
            r[i] -= factor * r[p];
        }
    }
    for (int64_t p = k - 1; p >= 0; p--) {
        for (int64_t j = p + 1; j < k; j++)
            r[p] -= G[p + j * k] * r[j];
        r[p] /= G[p + p * k];
    }
}

/*
 * The minimum of 1/2 z'H z + g'z over z with at most `budget` nonzeros of x + z among the optional ones, by brute force
 * over all subsets of every size. H [k x k]; mandatory[i]: may always be nonzero. best_z [k] may be NULL.
 */
UNUSED_OK double raw_block_minimum(int64_t k, const double *H, const double *g, const double *x, const int *mandatory,
                                   int64_t budget, double *best_z) {
    double best = INFINITY;
    for (uint32_t set = 0; set < (UINT32_C(1) << k); set++) {
        double G[MOST * 4], r[MOST], z[MOST], value = 0;
        int64_t in[MOST], size = 0, counted = 0;
        int skip = 0;
        for (int64_t i = 0; i < k; i++) {
            if (set >> i & 1) {
                in[size++] = i;
                counted += !mandatory[i];
            }
            skip |= mandatory[i] && !(set >> i & 1);
        }
        if (counted > budget || skip)
            continue;
        for (int64_t i = 0; i < k; i++)
            z[i] = set >> i & 1 ? 0 : -x[i];
        for (int64_t i = 0; i < size; i++) {
            r[i] = -g[in[i]];
            for (int64_t j = 0; j < k; j++)
                r[i] -= H[in[i] + j * k] * z[j];
            for (int64_t j = 0; j < size; j++)
                G[i + j * size] = H[in[i] + in[j] * k];
        }
        raw_solve(size, G, r);
        for (int64_t i = 0; i < size; i++)
            z[in[i]] = r[i];
        for (int64_t i = 0; i < k; i++) {
            value += g[i] * z[i];
            for (int64_t j = 0; j < k; j++)
                value += z[i] * H[i + j * k] * z[j] / 2;
        }
        if (value < best) {
            best = value;
            for (int64_t i = 0; best_z != NULL && i < k; i++)
                best_z[i] = z[i];
        }
    }
    return best;
}

UNUSED_OK double distance(int64_t n, const double *x, const double *y) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

#define assert_near(actual, expected, tolerance, ...)                                                                  \
    do {                                                                                                               \
        double actual_ = (actual), expected_ = (expected);                                                             \
        if (!(fabs(actual_ - expected_) <= (tolerance))) {                                                             \
            print_error(__VA_ARGS__);                                                                                  \
            fail_msg(": %s is %.17g, not %.17g", #actual, actual_, expected_);                                         \
        }                                                                                                              \
    } while (0)

#define assert_at_most(actual, bound, ...)                                                                             \
    do {                                                                                                               \
        double actual_ = (actual), bound_ = (bound);                                                                   \
        if (!(actual_ <= bound_)) {                                                                                    \
            print_error(__VA_ARGS__);                                                                                  \
            fail_msg(": %s is %.17g, above %.17g", #actual, actual_, bound_);                                          \
        }                                                                                                              \
    } while (0)

#endif
