/*
 * HOW IT WORKS: factors are upper triangular, A = R'R, so that every inner product runs along columns. Blocks of STEP
 * rows are updated by one product with all rows above them, then solved row by row.
 */
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#include "linalg/kernels.h"

enum { STEP = 12, GROUP = 24 };

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

void dense_dot_columns(int64_t m, int64_t n, const double *A, int64_t ld, const double *x, double *y) {
    kernels_best()->dot_columns(m, n, NULL, A, ld, x, y);
}

void dense_add_columns(int64_t m, int64_t n, const double *A, int64_t ld, const double *x, double *y) {
    kernels_best()->add_columns(m, n, NULL, A, ld, x, y);
}

void dense_rank_one(int64_t m, int64_t n, double factor, const double *x, const double *y, double *A, int64_t ld) {
    kernels_best()->rank_one(m, n, factor, x, y, A, ld);
}

void dense_multiply(int64_t m, int64_t n, int64_t k, double factor, const double *A, int64_t lda, const double *B,
                    int64_t ldb, double *C, int64_t ldc) {
    kernels_best()->multiply(m, n, k, factor, A, lda, B, ldb, C, ldc);
}

/* C += factor A'B                                 C [k x l], A [m x k], B [m x l] */
static void add_products(int64_t m, double factor, int64_t k, const double *A, int64_t l, const double *B, int64_t ld,
                         double *C) {
    kernels_best()->add_products(m, factor, NULL, k, (struct columns){A, ld, NULL}, l, (struct columns){B, ld, NULL},
                                 -l, C, ld);
}

void dense_square(int64_t m, int64_t n, const double *A, int64_t ld, double *C) {
    memset(C, 0, (size_t)(n * n) * sizeof *C);
    kernels_best()->add_products(m, 1, NULL, n, (struct columns){A, ld, NULL}, n, (struct columns){A, ld, NULL}, 0, C,
                                 n);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < j; i++) {
            C[i + j * n] = C[j + i * n];
        }
    }
}

/* ---- triangles -------------------------------------------------------------------------------------------------- */

/* x = R^-T x for the few rows of a block */
static void solve_block_transposed(int64_t n, const double *R, int64_t ld, double *x) {
    for (int64_t i = 0; i < n; i++) {
        double sum = x[i];

        for (int64_t p = 0; p < i; p++) {
            sum -= R[p + i * ld] * x[p];
        }
        x[i] = sum / R[i + i * ld];
    }
}

/* The divisions are independent of each other. */
static void solve_block(int64_t n, const double *R, int64_t ld, double *x) {
    double inverse[STEP];

    for (int64_t i = 0; i < n; i++) {
        inverse[i] = 1 / R[i + i * ld];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] *= inverse[i];
        for (int64_t p = 0; p < i; p++) {
            x[p] -= R[p + i * ld] * x[i];
        }
    }
}

void dense_solve_upper(int64_t n, const double *R, int64_t ld, double *x) {
    for (int64_t first = n > 0 ? (n - 1) / STEP * STEP : -1; first >= 0; first -= STEP) {
        int64_t count = least(STEP, n - first);
        double z[STEP];

        solve_block(count, R + first + first * ld, ld, x + first);
        for (int64_t i = 0; i < count; i++) {
            z[i] = -x[first + i];
        }
        dense_add_columns(first, count, R + first * ld, ld, z, x);
    }
}

void dense_solve_upper_transposed(int64_t n, const double *R, int64_t ld, double *x) {
    for (int64_t first = 0; first < n; first += STEP) {
        int64_t count = least(STEP, n - first);
        double sum[STEP];

        dense_dot_columns(first, count, R + first * ld, ld, x, sum);
        for (int64_t i = 0; i < count; i++) {
            x[first + i] -= sum[i];
        }
        solve_block_transposed(count, R + first + first * ld, ld, x + first);
    }
}

/* ---- symmetric matrices ----------------------------------------------------------------------------------------- */

/* Factor the diagonal block; returns 0 if a pivot is not positive. */
static int factor_block(int64_t n, double *A, int64_t ld) {
    for (int64_t j = 0; j < n; j++) {
        double *a = A + j * ld;
        double pivot = a[j];

        solve_block_transposed(j, A, ld, a);
        for (int64_t p = 0; p < j; p++) {
            pivot -= a[p] * a[p];
        }
        if (!isgreater(pivot, 0) || !isfinite(pivot)) {
            return 0;
        }
        a[j] = sqrt(pivot);
    }
    return 1;
}

int dense_factor(int64_t n, double *A, int64_t ld) {
    return dense_factor_until(n, A, ld, NULL);
}

int dense_factor_until(int64_t n, double *A, int64_t ld, struct stop *stop) {
    for (int64_t first = 0; first < n; first += STEP) {
        int64_t count = least(STEP, n - first);
        double *above = A + first * ld;
        double *block = above + first;

        if (stop_after(stop, (first + count) * count * (n - first))) {
            return 0;
        }
        add_products(first, -1, count, above, n - first, above, ld, block);
        if (!factor_block(count, block, ld)) {
            return 0;
        }
        for (int64_t j = count; j < n - first; j++) {
            solve_block_transposed(count, block, ld, block + j * ld);
        }
    }
    return 1;
}

/* T = R^-T, lower triangular: its rows in blocks, and only below the diagonal. */
static int invert_transposed(int64_t n, const double *R, double *T, struct stop *stop) {
    memset(T, 0, (size_t)(n * n) * sizeof *T);
    for (int64_t first = 0; first < n; first += STEP) {
        int64_t count = least(STEP, n - first);

        if (stop_after(stop, (first + count) * count * first / 2)) {
            return 0;
        }
        for (int64_t j = 0; j < first; j += GROUP) {
            add_products(first - j, -1, count, R + first * n + j, least(GROUP, first - j), T + j * n + j, n,
                         T + j * n + first);
        }
        for (int64_t i = 0; i < count; i++) {
            T[(first + i) * (n + 1)] = 1;
        }
        for (int64_t j = 0; j < first + count; j++) {
            solve_block_transposed(count, R + first * (n + 1), n, T + j * n + first);
        }
    }
    return 1;
}

void dense_invert(int64_t n, double *R, double *T) {
    dense_invert_until(n, R, T, NULL);
}

int dense_invert_until(int64_t n, double *R, double *T, struct stop *stop) {
    if (!invert_transposed(n, R, T, stop)) {
        return 0;
    }
    memset(R, 0, (size_t)(n * n) * sizeof *R);
    for (int64_t j = 0; j < n; j += GROUP) { /* A^-1 = T'T, columns j and on below their diagonal block */
        if (stop_after(stop, (n - j) * (n - j) * GROUP)) {
            return 0;
        }
        add_products(n - j, 1, n - j, T + j * (n + 1), least(GROUP, n - j), T + j * (n + 1), n, R + j * (n + 1));
    }
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = j + 1; i < n; i++) {
            R[j + i * n] = R[i + j * n];
        }
    }
    return 1;
}
