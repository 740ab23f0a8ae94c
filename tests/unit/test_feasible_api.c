/* The setters of the feasible set, their sentences, the check of x, and what the report says of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/problem.h"

enum { ROWS = 12, COLUMNS = 6 };

struct setting {
    double A[ROWS * COLUMNS], b[ROWS];
    spgm_matrix view;
    spgm_options *options;
    spgm_problem *problem;
    spgm_status status;
};

static struct setting *setting_new(const char *method) {
    struct setting *s = calloc(1, sizeof *s);
    uint64_t state = 7;
    assert_non_null(s);
    for (int i = 0; i < ROWS * COLUMNS + ROWS; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        *(i < ROWS * COLUMNS ? &s->A[i] : &s->b[i - ROWS * COLUMNS]) = (double)(state >> 40) * 0x1p-23 - 1;
    }
    s->view = spgm_dense(ROWS, COLUMNS, s->A);
    s->options = spgm_options_new();
    assert_int_equal(spgm_options_set(s->options, "method", method, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_new(&s->view, s->b, s->options, &s->problem, NULL), SPGM_OK);
    return s;
}

static void setting_free(struct setting *s) {
    spgm_problem_free(s->problem);
    spgm_options_free(s->options);
    free(s);
}

static void assert_refused(const struct setting *s, spgm_error error, spgm_error code, const char *part) {
    assert_int_equal(error, code);
    assert_int_equal(s->status.code, code);
    if (strstr(s->status.message, part) == NULL)
        fail_msg("'%s' does not say '%s'", s->status.message, part);
}

/* ---- setters ---------------------------------------------------------------------------------------------------- */

static void test_bounds(void **unused) {
    (void)unused;
    struct setting *s = setting_new("spgm-bcd");
    double lower[COLUMNS] = {0, -1, -INFINITY, 0, 0, 0}, upper[COLUMNS] = {1, INFINITY, 0, 2, 2, 2};
    double x[COLUMNS] = {1, -1, -5, 0, 0, 0};
    assert_int_equal(spgm_problem_set_bounds(s->problem, lower, upper, &s->status), SPGM_OK);
    assert_int_equal(spgm_problem_check(s->problem, x, 3, NULL, &s->status), SPGM_OK);
    x[0] = nextafter(1, 2);
    assert_refused(s, spgm_problem_check(s->problem, x, 3, NULL, &s->status), SPGM_ERROR_DATA, "entry 0");
    x[0] = 1, x[2] = 0x1p-1070;
    assert_refused(s, spgm_problem_check(s->problem, x, 3, NULL, &s->status), SPGM_ERROR_DATA, "entry 2");
    lower[4] = 0.5;
    assert_refused(s, spgm_problem_set_bounds(s->problem, lower, upper, &s->status), SPGM_ERROR_DATA,
                   "lower bound of column 4 (counted from 0) is 0.5");
    lower[4] = 0, upper[5] = -1;
    assert_refused(s, spgm_problem_set_bounds(s->problem, lower, upper, &s->status), SPGM_ERROR_DATA,
                   "upper bound of column 5 (counted from 0) is -1");
    upper[5] = NAN;
    assert_refused(s, spgm_problem_set_bounds(s->problem, NULL, upper, &s->status), SPGM_ERROR_DATA, "NaN");
    assert_refused(s, spgm_problem_check(s->problem, x, 3, NULL, &s->status), SPGM_ERROR_DATA, "entry 2");
    assert_int_equal(spgm_problem_set_bounds(s->problem, NULL, NULL, &s->status), SPGM_OK);
    assert_int_equal(spgm_problem_check(s->problem, x, 3, NULL, &s->status), SPGM_OK);
    setting_free(s);
}

static void test_excluded_and_free(void **unused) {
    (void)unused;
    struct setting *s = setting_new("spgm-bcd");
    int64_t excluded[] = {1, 4}, free_columns[] = {4}, beyond[] = {6};
    double x[COLUMNS] = {0, 2, 0, 0, 0, 0};
    assert_int_equal(spgm_problem_set_excluded(s->problem, excluded, 2, &s->status), SPGM_OK);
    assert_refused(s, spgm_problem_check(s->problem, x, 3, NULL, &s->status), SPGM_ERROR_DATA, "column 1");
    assert_refused(s, spgm_problem_set_free_columns(s->problem, free_columns, 1, &s->status), SPGM_ERROR_ARGUMENT,
                   "column 4 (counted from 0) is both free and excluded");
    assert_refused(s, spgm_problem_set_excluded(s->problem, beyond, 1, &s->status), SPGM_ERROR_ARGUMENT,
                   "excluded column 6");
    assert_refused(s, spgm_problem_set_excluded(s->problem, NULL, 1, &s->status), SPGM_ERROR_ARGUMENT, "list");
    assert_int_equal(spgm_problem_set_excluded(s->problem, NULL, 0, &s->status), SPGM_OK);
    assert_int_equal(spgm_problem_set_free_columns(s->problem, free_columns, 1, &s->status), SPGM_OK);
    assert_refused(s, spgm_problem_set_excluded(s->problem, excluded, 2, &s->status), SPGM_ERROR_ARGUMENT, "both");
    setting_free(s);
}

static void test_groups(void **unused) {
    (void)unused;
    struct setting *s = setting_new("spgm-bcd");
    int64_t groups[COLUMNS] = {700, 700, 700, -1, INT64_MAX, INT64_MAX}, free_columns[] = {0, 1}, units;
    double x[COLUMNS] = {1, 1, 0, 1, 1, 0}, beside_free[COLUMNS] = {0, 0, 1, 0, 0, 0};
    assert_int_equal(spgm_problem_set_groups(s->problem, groups, 0, &s->status), SPGM_OK);
    assert_int_equal(spgm_problem_check(s->problem, x, 3, &units, &s->status), SPGM_OK);
    assert_int_equal(units, 3);
    assert_refused(s, spgm_problem_check(s->problem, x, 2, &units, &s->status), SPGM_ERROR_DATA, "3 groups");
    assert_int_equal(spgm_problem_set_groups(s->problem, groups, 1, &s->status), SPGM_OK);
    assert_refused(s, spgm_problem_check(s->problem, x, 6, &units, &s->status), SPGM_ERROR_DATA, "2 nonzeros in one");
    assert_refused(s, spgm_problem_set_free_columns(s->problem, free_columns, 2, &s->status), SPGM_ERROR_ARGUMENT,
                   "more than 1 free columns of its group");
    assert_int_equal(spgm_problem_set_groups(s->problem, groups, 2, &s->status), SPGM_OK);
    assert_int_equal(spgm_problem_set_free_columns(s->problem, free_columns, 2, &s->status), SPGM_OK);
    assert_int_equal(spgm_problem_check(s->problem, x, 2, &units, &s->status), SPGM_OK);
    assert_int_equal(units, 2); /* columns 3 and 4; the others are free */
    assert_refused(s, spgm_problem_check(s->problem, beside_free, 2, NULL, &s->status), SPGM_ERROR_DATA,
                   "3 nonzeros and free columns in one group"); /* free columns are in at 0 too */
    assert_refused(s, spgm_problem_set_groups(s->problem, groups, 1, &s->status), SPGM_ERROR_ARGUMENT,
                   "raise the limit");
    assert_refused(s, spgm_problem_set_groups(s->problem, groups, -1, &s->status), SPGM_ERROR_ARGUMENT, "limit");
    groups[3] = -2;
    assert_refused(s, spgm_problem_set_groups(s->problem, groups, 1, &s->status), SPGM_ERROR_ARGUMENT, "column 3");
    assert_int_equal(spgm_problem_set_groups(s->problem, NULL, 0, &s->status), SPGM_OK);
    assert_int_equal(spgm_problem_check(s->problem, x, 2, &units, &s->status), SPGM_OK);
    setting_free(s);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* s beyond what the set allows is cut, as one beyond the columns that are not free; beyond the columns it is an error.
 */
static void test_report(void **unused) {
    (void)unused;
    struct setting *s = setting_new("spgm-bcd");
    int64_t groups[COLUMNS] = {0, 0, 0, 1, 1, 1}, excluded[] = {5};
    double lower[COLUMNS] = {-0.01, -0.01, -0.01, -0.01, -0.01, -0.01}, x[COLUMNS], intercept;
    spgm_solver *solver = NULL;
    spgm_info info;
    assert_int_equal(spgm_problem_set_bounds(s->problem, lower, NULL, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_excluded(s->problem, excluded, 1, NULL), SPGM_OK);
    for (int64_t limit = 0; limit <= 1; limit++) {
        assert_int_equal(spgm_problem_set_groups(s->problem, groups, limit, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_new(s->problem, COLUMNS, s->options, &solver, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_run(solver, &s->status), SPGM_OK);
        info = spgm_solver_get_info(solver);
        spgm_solver_get_x(solver, x, &intercept);
        assert_int_equal(info.feasible, 1);
        assert_int_equal(info.units, 2); /* two groups, or one column of each */
        assert_int_equal(info.support, limit == 0 ? 5 : 2);
        assert_int_equal(spgm_problem_check(s->problem, x, 2, NULL, NULL), SPGM_OK);
        spgm_solver_free(solver);
    }
    assert_int_equal(spgm_solver_new(s->problem, COLUMNS + 1, s->options, &solver, NULL), SPGM_ERROR_ARGUMENT);
    setting_free(s);
}

/* Scaling by numbers that are no powers of two must not carry x over a bound. */
static void test_unscaled_bounds(void **unused) {
    (void)unused;
    struct setting *s = setting_new("spgm-iht");
    struct problem framed;
    double upper[COLUMNS], z[COLUMNS + 1], x[COLUMNS], intercept;
    assert_int_equal(spgm_options_set(s->options, "standardize", "true", NULL), SPGM_OK);
    for (int round = 0; round < 200; round++) {
        spgm_problem *problem = NULL;
        for (int i = 0; i < ROWS * COLUMNS; i++)
            s->A[i] *= 1.0123;
        for (int64_t j = 0; j < COLUMNS; j++)
            upper[j] = (0.1 + (double)j) / (3 + round);
        assert_int_equal(spgm_problem_new(&s->view, s->b, s->options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_bounds(problem, NULL, upper, NULL), SPGM_OK);
        assert_int_equal(problem_frame(problem, 1, &framed, NULL), SPGM_OK);
        for (int64_t j = 0; j <= COLUMNS; j++)
            z[j] = framed.upper[j];
        z[COLUMNS] = 0; /* the intercept has no bounds */
        assert_true(isinf(framed.upper[COLUMNS]) && isinf(framed.lower[0]));
        problem_unscale(&framed, z, x, &intercept);
        for (int64_t j = 0; j < COLUMNS; j++)
            assert_true(x[j] <= upper[j] && x[j] >= upper[j] * (1 - 1e-15));
        problem_unframe(&framed);
        spgm_problem_free(problem);
    }
    setting_free(s);
}

/* auto, a fit of its own, paths and cross-validation honour the set: every x is feasible, and the report says so. */
static void test_searched(void **unused) {
    (void)unused;
    static const char *const methods[] = {"auto", "polish", "spgm-bcd"};
    double lower[COLUMNS] = {0}, x[COLUMNS];
    int64_t capped[COLUMNS] = {0, 0, 0, 1, 1, 1}, sparsities[] = {1, 2};
    for (int k = 0; k < 3; k++)
        for (int set = 0; set < 4; set++) {
            struct setting *s = setting_new(methods[k]);
            spgm_solver *solver = NULL;
            spgm_path *path = NULL;
            spgm_cv *cv = NULL;
            if (k == 2)
                assert_int_equal(spgm_options_set(s->options, "polish", "true", NULL), SPGM_OK);
            if (set == 1 || set == 2)
                assert_int_equal(spgm_problem_set_groups(s->problem, capped, set == 1, NULL), SPGM_OK);
            if (set == 3)
                assert_int_equal(spgm_problem_set_bounds(s->problem, lower, NULL, NULL), SPGM_OK);
            assert_int_equal(spgm_solver_new(s->problem, 2, s->options, &solver, NULL), SPGM_OK);
            assert_int_equal(spgm_solver_run(solver, &s->status), SPGM_OK);
            spgm_solver_get_x(solver, x, NULL);
            assert_int_equal(spgm_problem_check(s->problem, x, 2, NULL, NULL), SPGM_OK);
            assert_true(spgm_solver_get_info(solver).feasible);
            assert_int_equal(spgm_path_new(s->problem, sparsities, 2, s->options, &path, NULL), SPGM_OK);
            assert_int_equal(spgm_path_run(path, &s->status), SPGM_OK);
            for (int64_t i = 0; i < 2; i++) {
                spgm_info info;
                assert_int_equal(spgm_path_get(path, i, x, NULL, &info), sparsities[i]);
                assert_int_equal(spgm_problem_check(s->problem, x, sparsities[i], NULL, NULL), SPGM_OK);
                assert_true(info.feasible);
            }
            assert_int_equal(spgm_options_set(s->options, "folds", "2", NULL), SPGM_OK);
            assert_int_equal(spgm_cv_new(s->problem, sparsities, 2, s->options, &cv, NULL), SPGM_OK);
            assert_int_equal(spgm_cv_run(cv, &s->status), SPGM_OK);
            spgm_cv_free(cv);
            spgm_path_free(path);
            spgm_solver_free(solver);
            setting_free(s);
        }
}

/* A copy has the same set. */
static void test_copy(void **unused) {
    (void)unused;
    struct setting *s = setting_new("spgm-bcd"), *other = setting_new("spgm-bcd");
    double upper[COLUMNS] = {1, 1, 1, 1, 1, 1}, x[COLUMNS] = {2};
    int64_t groups[COLUMNS] = {0, 0, 1, 1, 2, 2}, excluded[] = {3}, free_columns[] = {5};
    assert_int_equal(spgm_problem_set_bounds(s->problem, NULL, upper, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_excluded(s->problem, excluded, 1, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_free_columns(s->problem, free_columns, 1, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_groups(s->problem, groups, 1, NULL), SPGM_OK);
    assert_int_equal(problem_copy_set(s->problem, other->problem, NULL), SPGM_OK);
    assert_int_equal(problem_copy_set(s->problem, other->problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_check(other->problem, x, 3, NULL, NULL), SPGM_ERROR_DATA);
    x[0] = 1, x[1] = 1;
    assert_refused(other, spgm_problem_check(other->problem, x, 3, NULL, &other->status), SPGM_ERROR_DATA, "group");
    x[1] = 0, x[3] = 1;
    assert_refused(other, spgm_problem_check(other->problem, x, 3, NULL, &other->status), SPGM_ERROR_DATA, "excluded");
    assert_int_equal(other->problem->is_free[5], 1);
    setting_free(s);
    setting_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds), cmocka_unit_test(test_excluded_and_free), cmocka_unit_test(test_groups),
        cmocka_unit_test(test_report), cmocka_unit_test(test_unscaled_bounds),   cmocka_unit_test(test_searched),
        cmocka_unit_test(test_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
