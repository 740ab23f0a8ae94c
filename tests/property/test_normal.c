/*
 * The loss of correlations, h(A'(Ax - b)): with A'A formed, and with A and A' applied in turn, every method does what
 * it does on a matrix A'A that is given, and F is what plain loops over A make of it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alone.h"
#include "spgm/spgm.h"
#include "woken.h"

enum { ROWS = 12, COLUMNS = 30, TALL = 50, SPARSITY = 3, STORED = TALL * COLUMNS };

static double A[TALL * COLUMNS], b[TALL], G[COLUMNS * COLUMNS], g[COLUMNS], by_rows[TALL * COLUMNS];
static float singles[TALL * COLUMNS];
static int64_t column_start[COLUMNS + 1];
static int32_t row_index[STORED];
static double values[STORED];

static int64_t rows = ROWS;

/* The same entries in every layout, of numbers that single precision holds; a quarter of them zero. */
static void make_inputs(int64_t count) {
    int64_t k = 0;

    rows = count;
    for (int64_t j = 0; j < COLUMNS; j++) {
        for (int64_t i = 0; i < rows; i++) {
            int64_t e = i + j * rows;
            double value = (i + 3 * j) % 4 == 0 ? 0 : (double)(float)sin(0.7 * (double)e + 0.01 * (double)(e * e));

            A[e] = by_rows[i * COLUMNS + j] = value;
            singles[e] = (float)value;
            if (value != 0) {
                row_index[k] = (int32_t)i;
                values[k++] = value;
            }
        }
        column_start[j + 1] = k;
    }
    for (int64_t i = 0; i < rows; i++)
        b[i] = 3 * A[i + 4 * rows] - 2 * A[i + 9 * rows] + A[i + 20 * rows] + 0.3 * cos((double)(7 * i));
    for (int64_t j = 0; j < COLUMNS; j++) {
        long double target = 0;
        for (int64_t i = 0; i < rows; i++)
            target += (long double)A[i + j * rows] * b[i];
        g[j] = (double)target;
        for (int64_t l = 0; l < COLUMNS; l++) {
            long double sum = 0;
            for (int64_t i = 0; i < rows; i++)
                sum += (long double)A[i + j * rows] * A[i + l * rows];
            G[l + j * COLUMNS] = (double)sum;
        }
    }
}

struct result {
    spgm_error error;
    double x[COLUMNS];
    spgm_info info;
    spgm_status status;
};

static spgm_options *options_for(const char *method, const char *normal, int threads) {
    const char *const pairs[] = {"method", method,   "normal", normal,  "loss", "linf",           "intercept",
                                 "false",  "effort", "1",      "ridge", "0.01", "max_iterations", "60"};
    spgm_options *options = spgm_options_new();

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i += 2)
        assert_int_equal(spgm_options_set(options, pairs[i], pairs[i + 1], NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "threads", threads, NULL), SPGM_OK);
    return options;
}

static struct result solve(spgm_matrix matrix, const double *target, const char *method, const char *normal,
                           int threads) {
    spgm_options *options = options_for(method, normal, threads);
    struct result r = {0};

    r.error = spgm_solve(&matrix, target, SPARSITY, options, r.x, NULL, &r.info, &r.status);
    spgm_options_free(options);
    return r;
}

/* ||A'(Ax - b)||_inf + 0.01/2 ||x||^2 */
static double objective(const double *x) {
    long double r[TALL], most = 0, squares = 0;

    for (int64_t i = 0; i < rows; i++) {
        r[i] = -(long double)b[i];
        for (int64_t j = 0; j < COLUMNS; j++)
            r[i] += (long double)A[i + j * rows] * x[j];
    }
    for (int64_t j = 0; j < COLUMNS; j++) {
        long double sum = 0;
        for (int64_t i = 0; i < rows; i++)
            sum += (long double)A[i + j * rows] * r[i];
        most = fabsl(sum) > most ? fabsl(sum) : most;
        squares += (long double)x[j] * x[j];
    }
    return (double)(most + 0.005L * squares);
}

static void assert_same(const struct result *one, const struct result *other, const char *what) {
    if (one->error || other->error)
        fail_msg("%s: %s%s", what, one->status.message, other->status.message);
    if (!(fabs(one->info.objective - objective(one->x)) <= 1e-10 * one->info.objective))
        fail_msg("%s: F is %.17g and reported as %.17g", what, objective(one->x), one->info.objective);
    if (!(fabs(one->info.objective - other->info.objective) <= 1e-6 * other->info.objective))
        fail_msg("%s: F is %.17g instead of %.17g", what, one->info.objective, other->info.objective);
    for (int64_t j = 0; j < COLUMNS; j++)
        if ((one->x[j] != 0) != (other->x[j] != 0))
            fail_msg("%s: column %d", what, (int)j);
}

static void every_method(void **state) {
    (void)state;
    for (int tall = 0; tall < 2; tall++) {
        make_inputs(tall ? TALL : ROWS);
        for (int64_t m = 0; m < spgm_method_count(); m++) {
            const char *method = spgm_method_name(m);
            struct result given = solve(spgm_dense(COLUMNS, COLUMNS, G), g, method, "off", 1);
            struct result formed = solve(spgm_dense(rows, COLUMNS, A), b, method, "formed", 1);

            assert_same(&formed, &given, method);
            if (strcmp(method, "exact") != 0) {
                struct result implied = solve(spgm_dense(rows, COLUMNS, A), b, method, "operator", 1);
                assert_same(&implied, &given, method);
            }
        }
    }
}

static void every_layout(void **state) {
    (void)state;
    for (int tall = 0; tall < 2; tall++) {
        make_inputs(tall ? TALL : ROWS);
        const spgm_matrix layouts[] = {spgm_sparse(rows, COLUMNS, column_start, row_index, values),
                                       spgm_dense_by_rows(rows, COLUMNS, by_rows),
                                       spgm_dense_single(rows, COLUMNS, singles, 0)};
        struct result dense = solve(spgm_dense(rows, COLUMNS, A), b, "spgm-bcd", "operator", 1);

        for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
            struct result operator= solve(layouts[i], b, "spgm-bcd", "operator", 1);
            struct result formed = solve(layouts[i], b, "spgm-bcd", "formed", 1);
            assert_same(&operator, & dense, "operator");
            assert_same(&formed, &dense, "formed");
        }
    }
}

/* Wide enough that threads have blocks of columns to share. */
static void same_bits_for_any_threads(void **state) {
    enum { WIDE = 300 };
    static const char *const methods[] = {"spgm-iht", "spgm-bcd", "cvx-l1", "omp", "auto"};
    static double wide[ROWS * WIDE];
    spgm_matrix matrix = spgm_dense(ROWS, WIDE, wide);
    (void)state;
    make_inputs(ROWS);
    for (int64_t e = 0; e < ROWS * WIDE; e++)
        wide[e] = sin(0.7 * (double)e + 0.01 * (double)(e * e));
    wake_always = 1;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        double x[2][WIDE], F[2];
        for (int i = 0; i < 2; i++) {
            spgm_options *options = options_for(methods[m], "operator", 1 + 2 * i);
            long long before = wakes;
            spgm_info info;
            assert_int_equal(spgm_solve(&matrix, b, SPARSITY, options, x[i], NULL, &info, NULL), SPGM_OK);
            assert_true((wakes > before) == (i == 1));
            F[i] = info.objective;
            spgm_options_free(options);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(&F[0], &F[1], sizeof F[0]);
    }
    wake_always = 0;
}

/* Columns whose squares differ by many orders of magnitude, and extreme ones in A'A: kept apart, and right. */
static void sizes_that_differ(void **state) {
    double scaled[ROWS * COLUMNS];
    (void)state;
    make_inputs(ROWS);
    for (int64_t j = 0; j < COLUMNS; j++)
        for (int64_t i = 0; i < ROWS; i++)
            scaled[i + j * ROWS] = A[i + j * ROWS] * (j % 7 == 5 ? 1e-7 : j == 11 ? 1e-33 : 1);
    memcpy(A, scaled, sizeof scaled);
    struct result formed = solve(spgm_dense(ROWS, COLUMNS, A), b, "spgm-bcd", "formed", 1);
    struct result implied = solve(spgm_dense(ROWS, COLUMNS, A), b, "spgm-bcd", "operator", 1);
    assert_same(&implied, &formed, "scaled");
}

/* Formed where it is small, which a proof shows: it needs the entries. */
static void formed_where_cheaper(void **state) {
    (void)state;
    make_inputs(ROWS);
    struct result automatic = solve(spgm_dense(ROWS, COLUMNS, A), b, "exact", "auto", 1);
    struct result given = solve(spgm_dense(COLUMNS, COLUMNS, G), g, "exact", "off", 1);
    struct result implied = solve(spgm_dense(ROWS, COLUMNS, A), b, "exact", "operator", 1);
    assert_same(&automatic, &given, "exact");
    assert_int_equal(automatic.info.outcome, SPGM_OPTIMAL);
    assert_int_equal(implied.error, SPGM_ERROR_UNSUPPORTED);
    assert_non_null(strstr(implied.status.message, "normal formed"));
}

/* Too many columns to form A'A (2^25 entries and twice those of A): a proof is refused. */
static void not_formed_where_dearer(void **state) {
    enum { MANY = 6000 };
    double *wide = calloc(2 * MANY, sizeof *wide), *x = calloc(MANY, sizeof *x), target[2] = {1, -2};
    spgm_matrix matrix = spgm_dense(2, MANY, wide);
    spgm_options *options = options_for("exact", "auto", 1);
    spgm_status status;
    (void)state;
    for (int64_t e = 0; e < 2 * MANY; e++)
        wide[e] = sin(0.3 * (double)e);
    assert_int_equal(spgm_solve(&matrix, target, 1, options, x, NULL, NULL, &status), SPGM_ERROR_UNSUPPORTED);
    assert_non_null(strstr(status.message, "not formed"));
    spgm_options_free(options);
    free(wide);
    free(x);
}

static spgm_error make(const char *name, const char *value, double size, spgm_problem **problem, spgm_status *status) {
    spgm_options *options = options_for("auto", "auto", 1);
    double kept = A[0];
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);

    assert_int_equal(spgm_options_set(options, name, value, NULL), SPGM_OK);
    A[1] = size;
    spgm_error error = spgm_problem_new(&matrix, b, options, problem, status);
    A[1] = kept;
    spgm_options_free(options);
    return error;
}

static void what_does_not_go_with_it(void **state) {
    double ones[COLUMNS];
    int64_t list[] = {0, 1};
    spgm_problem *problem = NULL, *subset = NULL;
    spgm_status status;
    (void)state;
    make_inputs(ROWS);
    for (int64_t j = 0; j < COLUMNS; j++)
        ones[j] = 1;
    assert_int_equal(make("intercept", "true", 1, &problem, &status), SPGM_ERROR_UNSUPPORTED);
    assert_non_null(strstr(status.message, "intercept"));
    assert_int_equal(make("loss", "hinge", 1, &problem, &status), SPGM_ERROR_UNSUPPORTED);
    assert_int_equal(make("ridge", "0", 1e60, &problem, &status), SPGM_ERROR_DATA);
    assert_non_null(strstr(status.message, "column 1 of A is too large"));
    memset(A, 0, ROWS * sizeof *A);
    assert_int_equal(make("ridge", "0", 1e-200, &problem, &status), SPGM_ERROR_DATA);
    assert_non_null(strstr(status.message, "too small"));
    assert_int_equal(make("loss", "l1", 1, &problem, &status), SPGM_OK);
    assert_int_equal(spgm_problem_rows(problem), COLUMNS);
    assert_int_equal(spgm_problem_set_weights(problem, ones, &status), SPGM_ERROR_UNSUPPORTED);
    assert_int_equal(spgm_problem_set_slopes(problem, ones, ones, NULL, &status), SPGM_ERROR_UNSUPPORTED);
    assert_int_equal(spgm_problem_subset(problem, list, 2, &subset, &status), SPGM_ERROR_UNSUPPORTED);
    assert_int_equal(spgm_problem_merge_rows(problem, list, &status), SPGM_OK);
    assert_int_equal(list[0], COLUMNS);
    spgm_problem_free(problem);

    struct spgm_normal *behind = (struct spgm_normal *)(uintptr_t)ones;
    spgm_matrix own = {.rows = 2, .columns = 2, .normal = behind};
    assert_int_equal(spgm_problem_new(&own, b, NULL, &problem, &status), SPGM_ERROR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(every_method),
        unit_test_alone(every_layout),
        cmocka_unit_test(same_bits_for_any_threads),
        unit_test_alone(sizes_that_differ),
        unit_test_alone(formed_where_cheaper),
        unit_test_alone(not_formed_where_dearer),
        unit_test_alone(what_does_not_go_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
