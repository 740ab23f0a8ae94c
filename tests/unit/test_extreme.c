/* Numbers at the ends of what a double holds: solved in finite numbers, or refused with a sentence. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "spgm/spgm.h"

enum { ROWS = 3, COLUMNS = 3 };

static const double identity[ROWS * COLUMNS] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static spgm_options *options_of(const char *loss, const char *method) {
    spgm_options *options = spgm_options_new();

    assert_int_equal(spgm_options_set(options, "loss", loss, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "method", method, NULL), SPGM_OK);
    return options;
}

/* Finite coefficients, at most s of them, and an objective that is F at them and no higher than F at zero. */
static void solve_finitely(const double *b, const char *loss, const char *method, int64_t s) {
    spgm_matrix A = spgm_dense(ROWS, COLUMNS, identity);
    spgm_options *options = options_of(loss, method);
    double x[COLUMNS], zero[COLUMNS] = {0}, intercept, at_zero, again;
    spgm_problem *problem;
    spgm_info info;
    spgm_status status;

    assert_int_equal(spgm_solve(&A, b, s, options, x, &intercept, &info, &status), SPGM_OK);
    assert_int_equal(spgm_problem_new(&A, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_evaluate(problem, zero, 0, &at_zero, NULL, NULL, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_evaluate(problem, x, intercept, &again, NULL, NULL, NULL), SPGM_OK);
    for (int j = 0; j < COLUMNS; j++) {
        assert_true(isfinite(x[j]));
    }
    assert_true(isfinite(intercept) && isfinite(info.objective));
    assert_true(info.support <= s);
    assert_true(info.objective == again && again <= 1.01 * at_zero); /* spgm-iht stops by its tolerance */
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void a_large_target_is_fitted(void **state) {
    static const double targets[][ROWS] = {{1e299, 1, 0}, {0x1p990, 0, 1}, {-9e299, 2, 1}, {DBL_MAX / 1e10, 1e298, -1}};
    static const char *const losses[] = {"l1", "quantile", "epsilon", "linf", "l2"};
    static const char *const methods[] = {"auto", "spgm-iht", "spgm-bcd", "omp"};

    (void)state;
    for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++) {
        for (size_t l = 0; l < sizeof losses / sizeof losses[0]; l++) {
            for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
                for (int64_t s = 0; s <= COLUMNS; s++) {
                    solve_finitely(targets[t], losses[l], methods[m], s);
                }
            }
        }
    }
}

static void a_tiny_target_is_fitted(void **state) {
    static const char *const losses[] = {"l1", "l2", "squared"};
    static const double tiny[] = {1e-200, 1e-200, 1e-140}; /* whose square is a number */
    spgm_matrix A = spgm_dense(ROWS, COLUMNS, identity);
    double x[COLUMNS];

    (void)state;
    for (size_t l = 0; l < sizeof losses / sizeof losses[0]; l++) {
        spgm_options *options = options_of(losses[l], "auto");
        const double b[ROWS] = {tiny[l], 1e-310, 0};

        assert_int_equal(spgm_options_set(options, "intercept", "false", NULL), SPGM_OK);
        assert_int_equal(spgm_solve(&A, b, 1, options, x, NULL, NULL, NULL), SPGM_OK);
        assert_true(fabs(x[0] - tiny[l]) <= 1e-6 * tiny[l] && x[1] == 0 && x[2] == 0);
        spgm_options_free(options);
    }
}

/* F(0) itself is no double, or hardly: whatever came out would be compared with infinity. */
static void a_target_near_the_largest_double_is_refused(void **state) {
    static const struct {
        const char *loss;
        double b[ROWS];
    } cases[] = {{"l1", {1.5e308, -1.5e308, 0}},
                 {"quantile", {1e308, 1, 0}},
                 {"squared", {1e200, 1, 0}},
                 {"l2", {1.7e308, 1.7e308, 1.7e308}}};
    spgm_matrix A = spgm_dense(ROWS, COLUMNS, identity);
    double x[COLUMNS];
    spgm_status status;

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        spgm_options *options = options_of(cases[k].loss, "auto");

        assert_int_equal(spgm_solve(&A, cases[k].b, 1, options, x, NULL, NULL, &status), SPGM_ERROR_DATA);
        assert_non_null(strstr(status.message, "rescale the target"));
        spgm_options_free(options);
    }
}

static void weights_beyond_the_largest_loss_are_refused(void **state) {
    static const double b[ROWS] = {1e10, 1, 0}, weights[ROWS] = {1e300, 1, 1};
    spgm_matrix A = spgm_dense(ROWS, COLUMNS, identity);
    spgm_problem *problem;
    spgm_solver *solver;
    spgm_status status;

    (void)state;
    assert_int_equal(spgm_problem_new(&A, b, NULL, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_weights(problem, weights, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, 1, NULL, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, &status), SPGM_ERROR_DATA);
    assert_non_null(strstr(status.message, "divide"));
    spgm_solver_free(solver);
    spgm_problem_free(problem);
}

static void a_large_column_is_used(void **state) {
    static const double huge[ROWS * COLUMNS] = {1.7e304, 1.7e304, 1.7e304, 0, 1e304, 0, 1, 2, -1};
    spgm_matrix A = spgm_dense(ROWS, COLUMNS, huge);
    const double b[ROWS] = {2, 5, -2};
    double x[COLUMNS], intercept;
    spgm_info info;

    (void)state;
    for (int64_t s = 0; s <= COLUMNS; s++) {
        assert_int_equal(spgm_solve(&A, b, s, NULL, x, &intercept, &info, NULL), SPGM_OK);
        assert_true(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]) && isfinite(intercept));
        assert_true(isfinite(info.objective) && info.objective <= 9);
    }
    assert_true(info.objective <= 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_target_is_fitted),
        cmocka_unit_test(a_tiny_target_is_fitted),
        cmocka_unit_test(a_target_near_the_largest_double_is_refused),
        cmocka_unit_test(weights_beyond_the_largest_loss_are_refused),
        cmocka_unit_test(a_large_column_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
