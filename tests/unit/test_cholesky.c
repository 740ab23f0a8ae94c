/* Appended rows and solves against the matrix they came from, and the LAPACK shim against both. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/cholesky.h"

enum { K = 13, LD = 16, M = 40 };

/* G = X'X + I / 10 for a random M x K matrix X. */
static void make_spd(uint64_t seed, double *G, double *X) {
    struct random random;
    random_seed(&random, seed, 0);
    for (int i = 0; i < M * K; i++)
        X[i] = random_normal(&random);
    for (int i = 0; i < K; i++)
        for (int j = 0; j < K; j++) {
            G[i * K + j] = i == j ? 0.1 : 0;
            for (int r = 0; r < M; r++)
                G[i * K + j] += X[r + M * i] * X[r + M * j];
        }
}

static void appended_rows_reproduce_the_matrix(void **state) {
    (void)state;
    double G[K * K], X[M * K], L[K * LD] = {0};
    make_spd(1, G, X);
    for (int k = 0; k < K; k++)
        assert_int_equal(cholesky_append(k, L, LD, G + k * K, G[k * K + k], 1e-12), 1);
    for (int i = 0; i < K; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int l = 0; l <= j; l++)
                sum += L[i * LD + l] * L[j * LD + l];
            assert_true(fabs(sum - G[i * K + j]) < 1e-12 * M);
        }
}

static void solve_inverts_every_leading_block(void **state) {
    (void)state;
    double G[K * K], X[M * K], L[K * LD];
    make_spd(2, G, X);
    for (int k = 0; k < K; k++)
        cholesky_append(k, L, LD, G + k * K, G[k * K + k], 0);
    for (int k = 0; k <= K; k++) {
        double r[K + 1];
        for (int i = 0; i < k; i++)
            r[i] = sin(i + 1);
        r[k] = 42;
        cholesky_solve(k, L, LD, r);
        assert_true(r[k] == 42);
        for (int i = 0; i < k; i++) {
            double sum = 0;
            for (int j = 0; j < k; j++)
                sum += G[i * K + j] * r[j];
            assert_true(fabs(sum - sin(i + 1)) < 1e-11);
        }
    }
}

static void dependent_row_is_refused(void **state) {
    (void)state;
    /* The second column is the first: the pivot is zero. */
    double L[2 * 2] = {0}, g[1] = {4};
    assert_int_equal(cholesky_append(0, L, 2, NULL, 4, 1e-12), 1);
    assert_true(L[0] == 2);
    assert_int_equal(cholesky_append(1, L, 2, g, 4, 1e-12), 0);
    assert_int_equal(cholesky_append(1, L, 2, g, 4 + 1e-13, 1e-12), 0);
    assert_int_equal(cholesky_append(1, L, 2, g, 5, 1e-12), 1);
    assert_true(L[3] == 1);
}

static void zero_negative_and_nan_pivots_are_refused(void **state) {
    (void)state;
    double L[1];
    assert_int_equal(cholesky_append(0, L, 1, NULL, 0, 0), 0);
    assert_int_equal(cholesky_append(0, L, 1, NULL, -1, 0), 0);
    assert_int_equal(cholesky_append(0, L, 1, NULL, NAN, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appended_rows_reproduce_the_matrix),
        cmocka_unit_test(solve_inverts_every_leading_block),
        cmocka_unit_test(dependent_row_is_refused),
        cmocka_unit_test(zero_negative_and_nan_pivots_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
