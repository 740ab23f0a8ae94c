/* The public interface: what it refuses, what it promises, what must just work. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spgm/spgm.h"

enum { ROWS = 12, COLUMNS = 5 };

/* A fixed small instance: b = 2 a_1 - 3 a_3 + 1, one outlier. */
static void instance(double *A, double *b) {
    unsigned state = 12345;

    for (int i = 0; i < ROWS * COLUMNS; i++) {
        state = state * 1103515245u + 12345u;
        A[i] = (double)(state >> 16 & 0x7fff) / 16384.0 - 1;
    }
    for (int i = 0; i < ROWS; i++) {
        b[i] = 2 * A[i + ROWS] - 3 * A[i + 3 * ROWS] + 1 + (i == 4 ? 50 : 0);
    }
}

static spgm_options *options_with(const char *name, const char *value) {
    spgm_options *options = spgm_options_new();

    assert_int_equal(spgm_options_set(options, name, value, NULL), SPGM_OK);
    return options;
}

/* F by the book, for the l1 loss. */
static double l1_objective(const double *A, const double *b, const double *x, double intercept) {
    double sum = 0;

    for (int i = 0; i < ROWS; i++) {
        double r = intercept - b[i];

        for (int j = 0; j < COLUMNS; j++) {
            r += A[i + j * ROWS] * x[j];
        }
        sum += fabs(r);
    }
    return sum;
}

static void one_call_finds_the_model_under_an_outlier(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, x[COLUMNS], intercept;
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_info info;
    spgm_status status;

    (void)state;
    instance(A, b);
    assert_int_equal(spgm_solve(&matrix, b, 2, NULL, x, &intercept, &info, &status), SPGM_OK);
    assert_string_equal(status.message, "");
    assert_int_equal(info.support, 2);
    assert_true(fabs(x[1] - 2) < 0.1 && fabs(x[3] + 3) < 0.1 && fabs(intercept - 1) < 0.1);
    assert_true(x[0] == 0 && x[2] == 0 && x[4] == 0);
    assert_true(fabs(info.objective - l1_objective(A, b, x, intercept)) < 1e-12 * info.objective);
    assert_true(info.loss_value + info.smooth_value == info.objective);
    assert_true(info.bound <= info.objective);
}

static void refuse(const spgm_matrix *A, const double *b, int64_t s, spgm_error code, const char *part) {
    double x[COLUMNS];
    spgm_status status;

    assert_int_equal(spgm_solve(A, b, s, NULL, x, NULL, NULL, &status), code);
    assert_int_equal(status.code, code);
    if (strstr(status.message, part) == NULL) {
        fail_msg("'%s' does not say '%s'", status.message, part);
    }
}

static void what_is_wrong_is_said(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, x[COLUMNS];
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);

    (void)state;
    instance(A, b);
    refuse(&matrix, b, -1, SPGM_ERROR_ARGUMENT,
           "the sparsity is -1: it must be at least 0 and at most the 5 columns of the data");
    refuse(&matrix, b, 6, SPGM_ERROR_ARGUMENT, "the sparsity is 6");
    A[7 + 2 * ROWS] = NAN;
    refuse(&matrix, b, 2, SPGM_ERROR_DATA,
           "A is not a number (NaN) in row 8, column 3 (counted from 1): every entry must be a finite number; remove "
           "or impute it first");
    assert_int_equal(spgm_solve(&matrix, b, 2, NULL, x, NULL, NULL, NULL), SPGM_ERROR_DATA);
    A[7 + 2 * ROWS] = 1;
    b[3] = -INFINITY;
    refuse(&matrix, b, 2, SPGM_ERROR_DATA, "b is infinite in row 4");
    refuse(&matrix, NULL, 2, SPGM_ERROR_ARGUMENT, "b is NULL");
    refuse(NULL, b, 2, SPGM_ERROR_ARGUMENT, "A is NULL");
    matrix.leading_dimension = 3;
    refuse(&matrix, b, 2, SPGM_ERROR_ARGUMENT, "leading dimension 3 but 12 rows");
    matrix = spgm_dense(0, COLUMNS, A);
    refuse(&matrix, b, 2, SPGM_ERROR_ARGUMENT, "A has 0 rows and 5 columns: both must be at least 1");
    matrix = spgm_dense(ROWS, COLUMNS, NULL);
    refuse(&matrix, b, 2, SPGM_ERROR_ARGUMENT, "A has no values array");
}

static void sparse_matrices_are_checked(void **state) {
    int64_t start[] = {0, 2, 3};
    int32_t rows[] = {0, 2, 1};
    double values[] = {1, 2, 3}, b[] = {1, 2, 3}, x[2];
    spgm_matrix A = spgm_sparse(3, 2, start, rows, values);

    (void)state;
    assert_int_equal(spgm_solve(&A, b, 1, NULL, x, NULL, NULL, NULL), SPGM_OK);
    rows[1] = 3;
    refuse(&A, b, 1, SPGM_ERROR_ARGUMENT, "A has row index 3 in column 1, outside 0..2");
    rows[1] = 0;
    refuse(&A, b, 1, SPGM_ERROR_ARGUMENT, "do not ascend in column 1");
    rows[1] = 2;
    values[2] = INFINITY;
    refuse(&A, b, 1, SPGM_ERROR_DATA, "row 2, column 2");
    values[2] = 3;
    start[1] = 4;
    refuse(&A, b, 1, SPGM_ERROR_ARGUMENT, "column_start falls at column 2");
    start[1] = 2;
    start[0] = 1;
    refuse(&A, b, 1, SPGM_ERROR_ARGUMENT, "column_start[0] is 1");
    start[0] = 0;
    A.row_index = NULL;
    refuse(&A, b, 1, SPGM_ERROR_ARGUMENT, "no row_index");
    A.rows = (int64_t)1 << 40;
    refuse(&A, b, 1, SPGM_ERROR_ARGUMENT, "a sparse matrix has at most");
}

static void labels_must_be_two(void **state) {
    double A[] = {1, 2, 3, 4}, b[] = {1, 0, 1, 2}, x[1];
    spgm_matrix matrix = spgm_dense(4, 1, A);
    spgm_options *options = options_with("loss", "hinge");
    spgm_status status;

    (void)state;
    assert_int_equal(spgm_solve(&matrix, b, 1, options, x, NULL, NULL, &status), SPGM_ERROR_DATA);
    assert_string_equal(status.message, "b has more than two values (0, 2 and, in row 1, 1): a classification loss "
                                        "needs exactly two labels");
    b[0] = b[1] = b[2] = b[3] = 7;
    assert_int_equal(spgm_solve(&matrix, b, 1, options, x, NULL, NULL, &status), SPGM_ERROR_DATA);
    b[0] = b[1] = 3;
    assert_int_equal(spgm_solve(&matrix, b, 1, options, x, NULL, NULL, &status), SPGM_OK);
    assert_true(x[0] > 0);
    spgm_options_free(options);
}

static void a_solver_says_what_it_was_made_from(void **state) {
    double A[] = {1, 2, 3, 4}, b[] = {3, 7, 3, 7}, labels[2] = {-1, -1};
    spgm_matrix matrix = spgm_dense(4, 1, A);
    spgm_options *options = options_with("loss", "hinge");
    spgm_problem *problem;
    spgm_solver *solver;
    char loss[32];

    (void)state;
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, 1, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "loss", "l1", NULL), SPGM_OK); /* the solver has a copy */
    assert_ptr_equal(spgm_solver_get_problem(solver), problem);
    assert_int_equal(spgm_solver_get_sparsity(solver), 1);
    assert_int_equal(spgm_options_get(spgm_solver_get_options(solver), "loss", loss, sizeof loss, NULL), SPGM_OK);
    assert_string_equal(loss, "hinge");
    assert_true(spgm_problem_labels(problem, NULL));
    assert_true(spgm_problem_labels(problem, labels));
    assert_true(labels[0] == 3 && labels[1] == 7);
    spgm_solver_free(solver);
    spgm_problem_free(problem);

    labels[0] = labels[1] = -1;
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    assert_false(spgm_problem_labels(problem, labels));
    assert_true(labels[0] == -1 && labels[1] == -1);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* Any result: finite, within the budget, counted right. */
static void solve_once(const spgm_matrix *A, const double *b, int64_t s, const spgm_options *options) {
    double *x = calloc((size_t)A->columns, sizeof *x);
    double intercept = NAN;
    int64_t nonzeros = 0;
    spgm_info info;
    spgm_status status;
    spgm_error error = spgm_solve(A, b, s, options, x, &intercept, &info, &status);

    assert_string_equal(status.message, "");
    assert_int_equal(error, SPGM_OK);
    for (int64_t j = 0; j < A->columns; j++) {
        assert_true(isfinite(x[j]));
        nonzeros += x[j] != 0;
    }
    assert_true(nonzeros <= s && nonzeros == info.support);
    assert_true(isfinite(info.objective) && isfinite(intercept));
    free(x);
}

/* Every loss and method and s on data that are odd but ordinary. */
static void solve_everything(const spgm_matrix *A, const double *b, int classify) {
    for (int64_t l = 0; l < spgm_loss_count(); l++) {
        if (spgm_loss_has_labels(l) && !classify) {
            continue;
        }
        for (int64_t method = 0; method < spgm_method_count(); method++) {
            spgm_options *options = options_with("loss", spgm_loss_name(l));

            spgm_options_set(options, "method", spgm_method_name(method), NULL);
            spgm_options_set(options, "ridge", "0.01", NULL);
            for (int64_t s = 0; s <= A->columns; s++) {
                solve_once(A, b, s, options);
            }
            spgm_options_free(options);
        }
    }
}

static void odd_shapes_just_work(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0};
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);

    (void)state;
    instance(A, b);
    memcpy(A + 2 * ROWS, A, ROWS * sizeof *A); /* duplicate columns */
    memset(A + 4 * ROWS, 0, ROWS * sizeof *A); /* a zero column     */
    solve_everything(&matrix, b, 0);
    matrix = spgm_dense(1, COLUMNS, A); /* one row */
    matrix.leading_dimension = ROWS;
    solve_everything(&matrix, b, 0);
    matrix = spgm_dense(ROWS, 1, A); /* one column */
    solve_everything(&matrix, b, 0);
    matrix = spgm_dense(3, COLUMNS, A); /* m < n */
    matrix.leading_dimension = ROWS;
    solve_everything(&matrix, b, 0);
}

static void odd_values_just_work(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0};
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);

    (void)state;
    instance(A, b);
    for (int i = 0; i < ROWS; i++) {
        b[i] = 3; /* constant target */
    }
    solve_everything(&matrix, b, 0);
    memset(b, 0, sizeof b);
    solve_everything(&matrix, b, 0);
    memset(A, 0, sizeof A);
    solve_everything(&matrix, b, 0);
    instance(A, b);
    for (int i = 0; i < ROWS; i++) {
        b[i] = i % 3 == 0 ? 1 : -1;
    }
    solve_everything(&matrix, b, 1);
}

static void scale_into(int count, const double *from, double factor, double *to) {
    for (int i = 0; i < count; i++) {
        to[i] = from[i] * factor;
    }
}

/* Scaling A and b changes nothing but the units. */
static void huge_and_tiny_values_just_work(void **state) {
    static const double factors[] = {1e-150, 1e-100, 1e100, 1e150};
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, x[COLUMNS], scaled_A[ROWS * COLUMNS], scaled_b[ROWS];
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_matrix scaled = spgm_dense(ROWS, COLUMNS, scaled_A);
    spgm_info plain, info;

    (void)state;
    instance(A, b);
    assert_int_equal(spgm_solve(&matrix, b, 2, NULL, x, NULL, &plain, NULL), SPGM_OK);
    for (int f = 0; f < 4; f++) {
        for (int g = 0; g < 4; g++) {
            scale_into(ROWS * COLUMNS, A, factors[f], scaled_A);
            scale_into(ROWS, b, factors[g], scaled_b);
            if (factors[g] / factors[f] > 1e299) {
                continue; /* the coefficients themselves would overflow */
            }
            assert_int_equal(spgm_solve(&scaled, scaled_b, 2, NULL, x, NULL, &info, NULL), SPGM_OK);
            assert_true(isfinite(info.objective) && info.support <= 2);
            assert_true(info.objective <= 1.05 * plain.objective * factors[g]);
        }
    }
    for (int j = 0; j < COLUMNS; j++) { /* every column of another size */
        scale_into(ROWS, A + j * ROWS, factors[j % 4], scaled_A + j * ROWS);
    }
    assert_int_equal(spgm_solve(&scaled, b, 2, NULL, x, NULL, &info, NULL), SPGM_OK);
    assert_true(isfinite(info.objective) && info.objective <= 1.05 * plain.objective);
}

static int stop_at(const spgm_progress *progress, void *context) {
    return progress->iteration >= *(int64_t *)context;
}

static void a_solver_starts_stops_and_tells(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, x[COLUMNS], start[COLUMNS] = {5, 4, 3, 2, 1};
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_options *options = options_with("method", "spgm-iht");
    spgm_problem *problem;
    spgm_solver *solver;
    int64_t limit = 3;
    spgm_info info;
    const char *name;
    double seconds, at_start, intercept;

    (void)state;
    instance(A, b);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_rows(problem), ROWS);
    assert_int_equal(spgm_problem_columns(problem), COLUMNS);
    assert_int_equal(spgm_solver_new(problem, 2, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_get_info(solver).outcome, SPGM_NOT_RUN);
    assert_int_equal(spgm_solver_set_start(solver, start, 1, NULL), SPGM_OK);
    spgm_solver_set_progress(solver, stop_at, &limit);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    info = spgm_solver_get_info(solver);
    assert_int_equal(info.outcome, SPGM_INTERRUPTED);
    assert_int_equal(info.iterations, 3);
    start[2] = start[3] = start[4] = 0; /* the start is cut to its two largest entries */
    assert_int_equal(spgm_problem_evaluate(problem, start, 1, &at_start, NULL, NULL, NULL), SPGM_OK);
    assert_true(info.objective <= at_start);
    spgm_solver_get_x(solver, x, &intercept);
    assert_true(fabs(info.objective - l1_objective(A, b, x, intercept)) < 1e-9);
    assert_true(spgm_solver_get_time(solver, 0, &name, &seconds) && seconds >= 0);
    assert_false(spgm_solver_get_time(solver, 1000, &name, &seconds));
    start[0] = NAN;
    assert_int_equal(spgm_solver_set_start(solver, start, 1, NULL), SPGM_ERROR_DATA);
    spgm_solver_free(solver);
    assert_int_equal(spgm_solver_new(NULL, 2, options, &solver, NULL), SPGM_ERROR_ARGUMENT);
    spgm_solver_free(NULL);
    spgm_problem_free(problem);
    spgm_problem_free(NULL);
    spgm_options_free(options);
}

/* What the caller took for its data counts as if the run had taken it. */
static void time_before_the_run_counts(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0};
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_options *options = options_with("time_limit", "50");
    spgm_problem *problem;
    spgm_solver *solver;

    (void)state;
    instance(A, b);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    spgm_problem_charge(problem, -3);
    spgm_problem_charge(problem, NAN);
    spgm_problem_charge(problem, 40);
    spgm_problem_charge(problem, 40);
    assert_int_equal(spgm_solver_new(problem, 2, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    assert_true(spgm_solver_get_info(solver).seconds >= 80);
    assert_int_equal(spgm_solver_get_info(solver).outcome, SPGM_TIME_LIMIT);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void weights_and_free_columns_count(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, x[COLUMNS], weights[ROWS], intercept;
    int64_t free_columns[] = {0, 2};
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_options *options = spgm_options_new();
    spgm_problem *problem;
    spgm_solver *solver;
    spgm_info info;

    (void)state;
    instance(A, b);
    for (int i = 0; i < ROWS; i++) {
        weights[i] = i == 4 ? 0 : 1;
    }
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_weights(problem, weights, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_free_columns(problem, free_columns, 2, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, 2, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    info = spgm_solver_get_info(solver);
    spgm_solver_get_x(solver, x, &intercept);
    assert_int_equal(info.support, (x[1] != 0) + (x[3] != 0) + (x[4] != 0));
    assert_true(info.support <= 2);
    assert_true(info.objective < 0.5); /* the outlier has no weight */
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void slopes_replace_the_loss(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, x[COLUMNS] = {0}, up[ROWS], down[ROWS], dead[ROWS];
    double value, expected = 0;
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_problem *problem;

    (void)state;
    instance(A, b);
    for (int i = 0; i < ROWS; i++) {
        up[i] = 0.3 + i;
        down[i] = 0.7;
        dead[i] = 2;
        expected += (0.3 + i) * (1000 - b[i] - 2);
    }
    assert_int_equal(spgm_problem_new(&matrix, b, NULL, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_slopes(problem, up, down, dead, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_evaluate(problem, x, 1000, &value, NULL, NULL, NULL), SPGM_OK);
    assert_true(fabs(value - expected) < 1e-9 * expected);
    assert_int_equal(spgm_problem_set_slopes(problem, up, down, NULL, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_evaluate(problem, x, -1000, &value, NULL, NULL, NULL), SPGM_OK);
    expected = 0;
    for (int i = 0; i < ROWS; i++) {
        expected += 0.7 * (1000 + b[i]);
    }
    assert_true(fabs(value - expected) < 1e-9 * expected);
    spgm_problem_free(problem);
}

static void settings_of_a_problem_are_checked(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, weights[ROWS] = {1, -1};
    int64_t free_columns[] = {0, 5};
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_options *options = options_with("loss", "linf");
    spgm_problem *problem;
    spgm_status status;

    (void)state;
    instance(A, b);
    assert_int_equal(spgm_problem_new(&matrix, b, options, NULL, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, &status), SPGM_OK);
    assert_int_equal(spgm_problem_set_weights(problem, weights, &status), SPGM_ERROR_DATA);
    assert_string_equal(status.message, "weights is negative (-1) in row 2: it must be at least 0");
    weights[1] = 1;
    assert_int_equal(spgm_problem_set_weights(problem, weights, &status), SPGM_ERROR_UNSUPPORTED);
    spgm_problem_free(problem);
    assert_int_equal(spgm_problem_new(&matrix, b, NULL, &problem, &status), SPGM_OK);
    memset(weights, 0, sizeof weights);
    assert_int_equal(spgm_problem_set_weights(problem, weights, &status), SPGM_ERROR_DATA);
    assert_int_equal(spgm_problem_set_free_columns(problem, free_columns, 2, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "free column 5 (counted from 0) does not exist: A has 5 columns");
    assert_int_equal(spgm_problem_set_free_columns(problem, NULL, 2, &status), SPGM_ERROR_ARGUMENT);
    weights[0] = -1;
    assert_int_equal(spgm_problem_set_slopes(problem, weights, weights, NULL, &status), SPGM_ERROR_DATA);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void smooth_terms_are_checked_and_counted(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, Q[COLUMNS * COLUMNS] = {0}, p[COLUMNS] = {1, 2, 3, 4, 5};
    double x[COLUMNS] = {1, 0, -1, 0, 2}, F, h, f;
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_matrix quadratic = spgm_dense(COLUMNS, COLUMNS, Q);
    spgm_options *options = options_with("ridge", "3");
    spgm_problem *problem;
    spgm_status status;

    (void)state;
    instance(A, b);
    for (int j = 0; j < COLUMNS; j++) {
        Q[j * (COLUMNS + 1)] = j + 1;
    }
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, &status), SPGM_OK);
    assert_int_equal(spgm_problem_set_linear(problem, p, &status), SPGM_OK);
    assert_int_equal(spgm_problem_set_quadratic(problem, &quadratic, &status), SPGM_OK);
    assert_int_equal(spgm_problem_evaluate(problem, x, 0.5, &F, &h, &f, &status), SPGM_OK);
    assert_true(fabs(f - (1.5 * 6 + 1 - 3 + 10 + 0.5 * (1 + 3 + 20))) < 1e-12);
    assert_true(fabs(h - l1_objective(A, b, x, 0.5)) < 1e-9);
    assert_int_equal(spgm_problem_set_least_squares(problem, &matrix, b, &status), SPGM_ERROR_UNSUPPORTED);
    Q[1] = 1;
    assert_int_equal(spgm_problem_set_quadratic(problem, &quadratic, &status), SPGM_ERROR_DATA);
    assert_non_null(strstr(status.message, "entry (2, 1) is 1 and entry (1, 2) is 0"));
    quadratic.columns = 4;
    assert_int_equal(spgm_problem_set_quadratic(problem, &quadratic, &status), SPGM_ERROR_ARGUMENT);
    p[2] = NAN;
    assert_int_equal(spgm_problem_set_linear(problem, p, &status), SPGM_ERROR_DATA);
    spgm_problem_free(problem);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, &status), SPGM_OK);
    assert_int_equal(spgm_problem_set_least_squares(problem, &matrix, b, &status), SPGM_OK);
    assert_int_equal(spgm_problem_evaluate(problem, x, 0, NULL, NULL, &f, &status), SPGM_OK);
    matrix.columns = 4;
    assert_int_equal(spgm_problem_set_least_squares(problem, &matrix, b, &status), SPGM_ERROR_ARGUMENT);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* A least-squares term and a loss: the result must be far below F(0), whatever the scaling. */
static void minimise_with_term(const spgm_matrix *A, const double *b, const double *d, const char *method,
                               int standardize) {
    double zero[COLUMNS] = {0}, x[COLUMNS], before, after, intercept;
    spgm_options *options = options_with("method", method);
    spgm_problem *problem;
    spgm_solver *solver;

    spgm_options_set_number(options, "standardize", standardize, NULL);
    spgm_options_set_number(options, "ridge", 1e-3, NULL);
    assert_int_equal(spgm_problem_new(A, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_least_squares(problem, A, d, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, 3, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    spgm_solver_get_x(solver, x, &intercept);
    spgm_problem_evaluate(problem, zero, 0, &before, NULL, NULL, NULL);
    spgm_problem_evaluate(problem, x, intercept, &after, NULL, NULL, NULL);
    assert_true(after == spgm_solver_get_info(solver).objective);
    assert_true(after < 0.7 * before);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void smooth_terms_are_minimised(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, d[ROWS];
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);

    (void)state;
    instance(A, b);
    scale_into(ROWS, A, 10, d);
    for (int64_t method = 0; method < spgm_method_count(); method++) {
        minimise_with_term(&matrix, b, d, spgm_method_name(method), 0);
        minimise_with_term(&matrix, b, d, spgm_method_name(method), 1);
    }
}

/* Polished is never worse, keeps the support, and repeats bit for bit. */
static void every_method_can_be_polished(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, x[COLUMNS], again[COLUMNS];
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);

    (void)state;
    instance(A, b);
    for (int64_t method = 0; method < spgm_method_count(); method++) {
        spgm_options *options = options_with("method", spgm_method_name(method));
        spgm_info raw, polished;

        spgm_options_set(options, "ridge", "0.01", NULL);
        assert_int_equal(spgm_solve(&matrix, b, 2, options, again, NULL, &raw, NULL), SPGM_OK);
        spgm_options_set(options, "polish", "true", NULL);
        assert_int_equal(spgm_solve(&matrix, b, 2, options, x, NULL, &polished, NULL), SPGM_OK);
        assert_true(polished.objective <= raw.objective);
        assert_int_equal(polished.support, raw.support);
        for (int j = 0; j < COLUMNS; j++) {
            assert_int_equal(x[j] != 0, again[j] != 0);
        }
        assert_int_equal(spgm_solve(&matrix, b, 2, options, again, NULL, &polished, NULL), SPGM_OK);
        assert_memory_equal(x, again, sizeof x);
        spgm_options_free(options);
    }
}

/* The method "polish" from the end of a raw run gives what the option `polish` gives in one run. */
static void polish_can_follow_a_raw_run(void **state) {
    double A[ROWS * COLUMNS] = {0}, b[ROWS] = {0}, x[COLUMNS], after[COLUMNS], intercept;
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_options *options = options_with("method", "spgm-iht");
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_info once;

    (void)state;
    instance(A, b);
    assert_int_equal(spgm_solve(&matrix, b, 2, options, x, &intercept, NULL, NULL), SPGM_OK);
    spgm_options_set(options, "polish", "true", NULL);
    assert_int_equal(spgm_solve(&matrix, b, 2, options, after, NULL, &once, NULL), SPGM_OK);
    spgm_options_set(options, "method", "polish", NULL);
    spgm_options_set(options, "polish", "false", NULL);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, 2, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_set_start(solver, x, intercept, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    assert_true(fabs(spgm_solver_get_info(solver).objective - once.objective) <= 1e-9 * once.objective);
    assert_int_equal(spgm_solver_get_info(solver).outcome, SPGM_CONVERGED);
    spgm_solver_get_x(solver, after, NULL);
    for (int j = 0; j < COLUMNS; j++) {
        assert_true(x[j] != 0 || after[j] == 0);
    }
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* A dense matrix of mostly zeros gives the bits of the sparse one. */
static void mostly_zero_is_sparse(void **state) {
    enum { M = 400, N = 200 };
    double *dense = calloc(M * N, sizeof *dense), *values = calloc(M * N, sizeof *values), b[M], x[N], y[N];
    int64_t start[N + 1] = {0};
    int32_t *row = calloc(M * N, sizeof *row);
    spgm_matrix thick = spgm_dense(M, N, dense), thin;
    unsigned seed = 7;

    (void)state;
    for (int j = 0; j < N; j++) {
        start[j + 1] = start[j];
        for (int i = 0; i < M; i++) {
            seed = seed * 1103515245u + 12345u;
            if ((seed >> 16) % 20 == 0) {
                dense[i + j * M] = values[start[j + 1]] = (double)(seed >> 8 & 0xff) - 127.5;
                row[start[j + 1]++] = i;
            }
        }
    }
    for (int i = 0; i < M; i++) {
        b[i] = dense[i] - 2 * dense[i + 3 * M] + i % 7;
    }
    thin = spgm_sparse(M, N, start, row, values);
    assert_int_equal(spgm_solve(&thick, b, 3, NULL, x, NULL, NULL, NULL), SPGM_OK);
    assert_int_equal(spgm_solve(&thin, b, 3, NULL, y, NULL, NULL, NULL), SPGM_OK);
    assert_memory_equal(x, y, sizeof x);
    free(dense);
    free(values);
    free(row);
}

static void names_go_both_ways(void **state) {
    (void)state;
    for (int outcome = 0; outcome < SPGM_OUTCOME_COUNT; outcome++) {
        assert_int_equal(spgm_outcome_from_name(spgm_outcome_name((spgm_outcome)outcome)), outcome);
        assert_true(strlen(spgm_outcome_text((spgm_outcome)outcome)) > 10);
    }
    assert_int_equal(spgm_outcome_from_name("nonsense"), SPGM_OUTCOME_COUNT);
    assert_int_equal(spgm_outcome_from_name(NULL), SPGM_OUTCOME_COUNT);
    assert_string_equal(spgm_outcome_name(SPGM_OUTCOME_COUNT), "unknown");
    assert_string_equal(spgm_outcome_text(SPGM_OUTCOME_COUNT), "unknown");
    assert_string_equal(spgm_error_name(SPGM_ERROR_UNSUPPORTED), "unsupported");
    assert_string_equal(spgm_error_name(SPGM_ERROR_COUNT), "unknown");
    assert_true(spgm_method_count() >= 3 && spgm_loss_count() >= 6);
    assert_null(spgm_method_name(-1));
    assert_null(spgm_method_summary(spgm_method_count()));
    assert_null(spgm_loss_name(spgm_loss_count()));
    assert_null(spgm_loss_aliases(-1));
    assert_null(spgm_loss_formula(-1));
    assert_string_equal(spgm_method_name(0), "auto");
    assert_true(strlen(spgm_version()) >= 5);
}

/* One after the other, for targets that are numbers, and the judge needs no parameter. */
static void losses_to_choose_from_have_places(void **state) {
    int64_t seen = -1, place = 1;

    (void)state;
    for (int64_t index; (index = spgm_loss_candidate(place)) >= 0; place++) {
        assert_true(index < spgm_loss_count() && index != seen);
        assert_true(spgm_loss_is_sum(index) && !spgm_loss_has_labels(index));
        seen = index;
    }
    assert_true(place > 2);
    assert_null(spgm_loss_parameter(spgm_loss_candidate(1)));
    for (int64_t beyond = -1; beyond <= 0; beyond++) {
        assert_int_equal(spgm_loss_candidate(beyond), -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_finds_the_model_under_an_outlier),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(sparse_matrices_are_checked),
        cmocka_unit_test(labels_must_be_two),
        cmocka_unit_test(odd_shapes_just_work),
        cmocka_unit_test(odd_values_just_work),
        cmocka_unit_test(huge_and_tiny_values_just_work),
        cmocka_unit_test(a_solver_says_what_it_was_made_from),
        cmocka_unit_test(a_solver_starts_stops_and_tells),
        cmocka_unit_test(time_before_the_run_counts),
        cmocka_unit_test(weights_and_free_columns_count),
        cmocka_unit_test(slopes_replace_the_loss),
        cmocka_unit_test(settings_of_a_problem_are_checked),
        cmocka_unit_test(smooth_terms_are_checked_and_counted),
        cmocka_unit_test(smooth_terms_are_minimised),
        cmocka_unit_test(every_method_can_be_polished),
        cmocka_unit_test(polish_can_follow_a_raw_run),
        cmocka_unit_test(mostly_zero_is_sparse),
        cmocka_unit_test(names_go_both_ways),
        cmocka_unit_test(losses_to_choose_from_have_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
