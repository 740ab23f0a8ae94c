/*
 * Least squares beside h(A x) with b = 0, as where h is a penalty of differences: what draws x away from 0 is f alone.
 * A walk of random steps, by F as recomputed here, must find nothing lower than the fit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "spgm/spgm.h"

enum { M = 20, N = 4, R = 4, STEPS = 4000 };

struct data {
    const char *loss;
    double A[M * N], b[M], C[R * N], d[R], ridge;
};

static double value(const struct data *in, const double *x, double intercept) {
    double h = 0, most = 0, f = 0;

    for (int i = 0; i < M; i++) {
        double r = intercept;

        for (int j = 0; j < N; j++) {
            r += in->A[i + j * M] * x[j];
        }
        most = fmax(most, fabs(r));
        h += strcmp(in->loss, "l1") == 0 ? fabs(r) : fmax(0.2 * r, -0.8 * r);
    }
    for (int i = 0; i < R; i++) {
        double r = -in->d[i];

        for (int j = 0; j < N; j++) {
            r += in->C[i + j * R] * x[j];
        }
        f += r * r / 2;
    }
    for (int j = 0; j < N; j++) {
        f += in->ridge / 2 * x[j] * x[j];
    }
    return f + (strcmp(in->loss, "linf") == 0 ? most : h);
}

/* The lowest F of random steps from x, which grow where they help. */
static double walk(const struct data *in, const double *x, double intercept, struct random *random) {
    double at[N + 1], size = 0.1, best = value(in, x, intercept);

    memcpy(at, x, N * sizeof *at);
    at[N] = intercept;
    for (int step = 0; step < STEPS; step++) {
        double next[N + 1], F;

        for (int j = 0; j <= N; j++) {
            next[j] = at[j] + (j < N || intercept != 0 ? size * random_normal(random) : 0);
        }
        F = value(in, next, next[N]);
        size *= F < best ? 1.5 : 0.95;
        size = fmax(size, 1e-4);
        if (F < best) {
            best = F;
            memcpy(at, next, sizeof at);
        }
    }
    return best;
}

static void nothing_lower_is_near(void **state) {
    static const char *const losses[] = {"l1", "quantile", "linf"};
    static const double ridges[] = {0, 1e-8, 1e-4, 1};
    struct random random;

    (void)state;
    random_seed(&random, 5, 0);
    for (int which = 0; which < 96; which++) {
        struct data in = {.loss = losses[which % 3], .ridge = ridges[which / 3 % 4]};
        spgm_options *options = spgm_options_new();
        spgm_problem *problem;
        spgm_solver *solver;
        spgm_status status;
        spgm_matrix matrix = spgm_dense(M, N, in.A), term = spgm_dense(R, N, in.C);
        double x[N], intercept, F, lowest;

        for (int k = 0; k < M * N; k++) {
            in.A[k] = random_normal(&random) * (random_normal(&random) > 0);
        }
        for (int k = 0; k < R * N; k++) {
            in.C[k] = 10 * random_normal(&random);
            in.d[k % R] = 10 * random_normal(&random);
        }
        assert_int_equal(spgm_options_set(options, "loss", in.loss, &status), SPGM_OK);
        assert_int_equal(spgm_options_set(options, "quantile", "0.8", &status), SPGM_OK);
        assert_int_equal(spgm_options_set_number(options, "ridge", in.ridge, &status), SPGM_OK);
        assert_int_equal(spgm_options_set_number(options, "intercept", which % 2, &status), SPGM_OK);
        assert_int_equal(spgm_problem_new(&matrix, in.b, options, &problem, &status), SPGM_OK);
        assert_int_equal(spgm_problem_set_least_squares(problem, &term, in.d, &status), SPGM_OK);
        assert_int_equal(spgm_solver_new(problem, N, options, &solver, &status), SPGM_OK);
        assert_int_equal(spgm_solver_run(solver, &status), SPGM_OK);
        spgm_solver_get_x(solver, x, &intercept);
        F = value(&in, x, intercept);
        lowest = walk(&in, x, intercept, &random);
        if (!(F <= (1 + 1e-4) * lowest)) {
            fail_msg("%s, ridge %g: F is %.10g, and %.10g is near", in.loss, in.ridge, F, lowest);
        }
        spgm_solver_free(solver);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_lower_is_near)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
