/* The sweep operator against Gaussian elimination, for sets of columns that change by one at a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/sweep.h"

enum { N = 17, ROWS = 23, FIRST = 5, STEPS = 60 };

static double H[N * N], g[N];

/* x = H_II^-1 y_I by elimination with pivots, x and y by position in the list. */
static void solve(int64_t k, const int64_t *list, const double *y, double *x) {
    double a[N][N + 1];

    for (int64_t i = 0; i < k; i++) {
        for (int64_t j = 0; j < k; j++)
            a[i][j] = H[list[i] + list[j] * N];
        a[i][k] = y[i];
    }
    for (int64_t p = 0; p < k; p++) {
        int64_t best = p;
        for (int64_t i = p; i < k; i++)
            best = fabs(a[i][p]) > fabs(a[best][p]) ? i : best;
        for (int64_t j = 0; j <= k; j++) {
            double kept = a[p][j];
            a[p][j] = a[best][j];
            a[best][j] = kept;
        }
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = k; i != p && j >= p; j--)
                a[i][j] -= a[i][p] / a[p][p] * a[p][j];
    }
    for (int64_t i = 0; i < k; i++)
        x[i] = a[i][k] / a[i][i];
}

static int64_t list_in(const struct sweep *s, int64_t *list) {
    int64_t k = 0;
    for (int64_t i = 0; i < N; i++)
        if (s->is_in[i])
            list[k++] = i;
    return k;
}

static void assert_near(double seen, double expected) {
    if (!(fabs(seen - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%.17g, expected %.17g", seen, expected);
}

/* All of T and c against their definitions; returns the minimum of the quadratic. */
static double check_all(const struct sweep *s) {
    int64_t list[N], k = list_in(s, list);
    double x[N] = {0}, y[N] = {0}, V[N] = {0}, value = 0;

    for (int64_t i = 0; i < k; i++)
        y[i] = g[list[i]];
    solve(k, list, y, x);
    for (int64_t i = 0; i < k; i++) {
        assert_near(s->c[list[i]], x[i]);
        value -= 0.5 * x[i] * y[i];
    }
    for (int64_t q = 0; q < N; q++) {
        double left = g[q];
        for (int64_t i = 0; i < k; i++) {
            y[i] = s->is_in[q] ? list[i] == q : H[list[i] + q * N];
            left -= H[q + list[i] * N] * x[i];
        }
        solve(k, list, y, V);
        for (int64_t i = 0; i < k; i++) {
            assert_near(s->T[list[i] + q * N], s->is_in[q] ? -V[i] : V[i]);
            assert_near(s->T[q + list[i] * N], s->is_in[q] ? -V[i] : V[i]);
        }
        if (s->is_in[q])
            continue;
        assert_near(s->c[q], left);
        for (int64_t p = 0; p < N; p++) {
            double schur = H[p + q * N];
            for (int64_t i = 0; i < k; i++)
                schur -= H[p + list[i] * N] * V[i];
            if (!s->is_in[p])
                assert_near(s->T[p + q * N], schur);
        }
    }
    return value;
}

static void columns_come_and_go(void **state) {
    double T[N * N], c[N], scratch[N], M[FIRST * FIRST], x[FIRST], V[FIRST * N], A[ROWS * N], start;
    signed char is_in[N];
    struct sweep s = {.n = N, .T = T, .c = c, .is_in = is_in, .scratch = scratch};
    int64_t list[N];
    struct random random;

    (void)state;
    random_seed(&random, 7, 0);
    for (int64_t i = 0; i < ROWS * N; i++)
        A[i] = random_normal(&random);
    for (int64_t i = 0; i < N; i++) {
        g[i] = random_normal(&random);
        list[i] = i;
        for (int64_t j = 0; j < N; j++) {
            H[i + j * N] = i == j ? 0.1 : 0;
            for (int64_t r = 0; r < ROWS; r++)
                H[i + j * N] += A[r + i * ROWS] * A[r + j * ROWS];
        }
    }
    for (int64_t j = 0; j < FIRST; j++) {
        double unit[FIRST] = {0};
        unit[j] = 1;
        solve(FIRST, list, unit, M + j * FIRST);
    }
    solve(FIRST, list, g, x);
    memcpy(T, H, sizeof T);
    for (int64_t q = 0; q < N; q++) {
        c[q] = g[q];
        for (int64_t i = 0; i < FIRST; i++)
            c[q] -= H[q + i * N] * x[i];
    }
    sweep_begin(&s, FIRST, M, x, V);
    start = check_all(&s);
    for (int t = 0; t < STEPS; t++) {
        sweep_toggle(&s, random_below(&random, N));
        assert_near(s.value, check_all(&s) - start);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_come_and_go)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
