/* Small dense matrices: factors, inverses and triangular systems against their definitions, in long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/dense.h"

enum { MOST = 70, LD = 73 };

static double A[LD * MOST], R[LD * MOST], M[MOST * MOST], T[MOST * MOST];

/* A = X'X + I/10 [n x n] with distance ld, both triangles. */
static void make_positive(int64_t n, int64_t ld) {
    double X[2 * MOST];
    struct random random;

    random_seed(&random, (uint64_t)n, 4);
    memset(A, 0, sizeof A);
    for (int64_t row = 0; row < n + 3; row++) {
        for (int64_t j = 0; j < n; j++) {
            X[j] = random_normal(&random);
        }
        for (int64_t j = 0; j < n; j++) {
            for (int64_t i = 0; i < n; i++) {
                A[i + j * ld] += X[i] * X[j];
            }
        }
    }
    for (int64_t j = 0; j < n; j++) {
        A[j + j * ld] += 0.1;
    }
}

/* The factor of the upper triangle; what is below it and between the columns is neither read nor changed. */
static void factor_reproduces_the_matrix(void **state) {
    (void)state;
    for (int64_t n = 0; n <= MOST; n++) {
        make_positive(n, LD);
        memcpy(R, A, sizeof R);
        for (int64_t j = 0; j < n; j++) {
            for (int64_t i = j + 1; i < LD; i++) {
                R[i + j * LD] = NAN;
            }
        }
        assert_int_equal(dense_factor(n, R, LD), 1);
        for (int64_t j = 0; j < n; j++) {
            for (int64_t i = 0; i <= j; i++) {
                long double sum = 0;

                for (int64_t p = 0; p <= i; p++) {
                    sum += (long double)R[p + i * LD] * R[p + j * LD];
                }
                assert_true(fabsl(sum - A[i + j * LD]) <= 1e-13L * (long double)(n + 3));
            }
            assert_true(isnan(R[j + 1 + j * LD]));
        }
    }
}

static void triangles_are_solved(void **state) {
    (void)state;
    for (int64_t n = 0; n <= MOST; n++) {
        double x[MOST], y[MOST];

        make_positive(n, LD);
        assert_int_equal(dense_factor(n, A, LD), 1);
        for (int64_t i = 0; i < n; i++) {
            x[i] = y[i] = cos((double)i);
        }
        dense_solve_upper(n, A, LD, x);
        dense_solve_upper_transposed(n, A, LD, y);
        for (int64_t i = 0; i < n; i++) {
            long double upper = 0, transposed = 0, size = 1;

            for (int64_t p = 0; p < n; p++) {
                upper += p >= i ? (long double)A[i + p * LD] * x[p] : 0;
                transposed += p <= i ? (long double)A[p + i * LD] * y[p] : 0;
                size += fabsl((long double)A[i + p * LD] * x[p]) + fabsl((long double)A[p + i * LD] * y[p]);
            }
            assert_true(fabsl(upper - cosl((long double)i)) <= 1e-13L * size);
            assert_true(fabsl(transposed - cosl((long double)i)) <= 1e-13L * size);
        }
    }
}

static void inverse_times_matrix_is_one(void **state) {
    (void)state;
    for (int64_t n = 0; n <= MOST; n++) {
        make_positive(n, n);
        memcpy(M, A, sizeof M);
        assert_int_equal(dense_factor(n, M, n), 1);
        dense_invert(n, M, T);
        for (int64_t j = 0; j < n; j++) {
            for (int64_t i = 0; i < n; i++) {
                long double sum = i == j ? -1 : 0;
                long double size = 0;

                for (int64_t p = 0; p < n; p++) {
                    sum += (long double)A[i + p * n] * M[p + j * n];
                    size += fabsl((long double)A[i + p * n] * M[p + j * n]);
                }
                assert_true(fabsl(sum) <= 1e-10L * (1 + size));
                assert_true(M[i + j * n] == M[j + i * n]);
            }
        }
    }
}

/* At every place of a matrix of several blocks. */
static void bad_pivots_are_refused(void **state) {
    static const double bad[] = {0, -1, NAN, INFINITY};

    (void)state;
    for (int64_t at = 0; at < 20; at++) {
        for (int b = 0; b < 4; b++) {
            make_positive(20, LD);
            A[at + at * LD] = bad[b];
            assert_int_equal(dense_factor(20, A, LD), 0);
        }
    }
}

/* ---- stop requests --------------------------------------------------------------------------------------------- */

struct asked {
    int questions, yes_from;
};

static int must_stop(void *context) {
    struct asked *asked = context;

    return asked->questions++ >= asked->yes_from;
}

/* The factor and the inverse of a large matrix; 0: given up. */
static int invert_until(int64_t n, const double *matrix, struct asked *asked, double *inverse, double *scratch) {
    struct stop stop = {.must_stop = must_stop, .context = asked};

    memcpy(inverse, matrix, sizeof(double) * (size_t)(n * n));
    return dense_factor_until(n, inverse, n, &stop) && dense_invert_until(n, inverse, scratch, &stop);
}

/* Nobody says stop: the same bits. Someone does: no further question. */
static void stops_are_honoured(void **state) {
    enum { N = 150, SQUARE = N * N };
    double *matrix = calloc(4 * SQUARE, sizeof *matrix);
    double *whole = matrix + SQUARE, *parts = whole + SQUARE, *scratch = parts + SQUARE;
    struct asked asked = {.yes_from = 1000000};
    int total;

    (void)state;
    assert_non_null(matrix);
    for (int64_t i = 0; i < SQUARE; i++) {
        matrix[i] = i % (N + 1) == 0 ? 3 : 1 / (1 + fabs((double)(i % N - i / N)));
    }
    memcpy(whole, matrix, sizeof(double) * SQUARE);
    assert_int_equal(dense_factor(N, whole, N), 1);
    dense_invert(N, whole, scratch);
    assert_int_equal(invert_until(N, matrix, &asked, parts, scratch), 1);
    assert_memory_equal(whole, parts, sizeof(double) * SQUARE);
    total = asked.questions;
    assert_true(total >= 6);
    for (int yes_from = 0; yes_from < total; yes_from++) {
        asked = (struct asked){.yes_from = yes_from};
        assert_int_equal(invert_until(N, matrix, &asked, parts, scratch), 0);
        assert_int_equal(asked.questions, yes_from + 1);
    }
    free(matrix);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_reproduces_the_matrix), cmocka_unit_test(triangles_are_solved),
        cmocka_unit_test(inverse_times_matrix_is_one),  cmocka_unit_test(bad_pivots_are_refused),
        cmocka_unit_test(stops_are_honoured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
