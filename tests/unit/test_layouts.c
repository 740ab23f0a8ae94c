/* A dense matrix as it lies in a file, by rows or in single precision, with columns left out or not, is the same
 * problem as in columns of doubles: the check of its entries, equal rows, centred columns, zeros, subsets, fits and the
 * objective. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/matrix.h"
#include "model/problem.h"
#include "spgm/spgm.h"

enum { ROWS = 300, COLUMNS = 20, SIZE = ROWS * COLUMNS, LAYOUTS = 8, SPARSITY = 4 };
enum { WIDTH = COLUMNS + 2, WIDE_SIZE = ROWS * WIDTH };

/* Of WIDTH columns the fourth and the eleventh are left out. */
static const int64_t column_of[COLUMNS] = {0, 1, 2, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};

/* The same numbers, all of which a float holds, in every layout. */
struct sample {
    double columns[SIZE], rows[SIZE], b[ROWS];
    float single_columns[SIZE], single_rows[SIZE];
    double wide_columns[WIDE_SIZE], wide_rows[WIDE_SIZE];
    float wide_single_columns[WIDE_SIZE], wide_single_rows[WIDE_SIZE];
};

enum kind { PLAIN, FAR, REPEATED, HOLLOW, KINDS }; /* columns far from zero; equal rows; mostly zeros */

/* Columns that are left out may hold anything: what is no number, or zeros, which are not counted. */
static void widen(struct sample *s, enum kind kind) {
    for (int64_t k = 0; k < WIDE_SIZE; k++) {
        s->wide_columns[k] = s->wide_rows[k] = kind == HOLLOW ? 0 : NAN;
        s->wide_single_columns[k] = s->wide_single_rows[k] = kind == HOLLOW ? 0 : INFINITY;
    }
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < COLUMNS; j++) {
            int64_t row = i * WIDTH + column_of[j], column = i + column_of[j] * ROWS;

            s->wide_columns[column] = s->wide_rows[row] = s->rows[i * COLUMNS + j];
            s->wide_single_columns[column] = s->wide_single_rows[row] = s->single_rows[i * COLUMNS + j];
        }
    }
}

static void sample_fill(struct sample *s, enum kind kind) {
    struct random random;

    random_seed(&random, 17, (uint64_t)kind);
    for (int64_t i = 0; i < ROWS; i++) {
        s->b[i] = kind == REPEATED ? (double)(i % 7) : random_normal(&random);
        for (int64_t j = 0; j < COLUMNS; j++) {
            double value = kind == REPEATED ? (double)((i * (j + 3)) % 7) : random_normal(&random);

            value = kind == HOLLOW && random_uniform(&random) < 0.9 ? 0 : value;
            value = (double)(float)(value + (kind == FAR && j % 3 == 0 ? 4096 : 0));
            s->columns[i + j * ROWS] = s->rows[i * COLUMNS + j] = value;
            s->single_columns[i + j * ROWS] = s->single_rows[i * COLUMNS + j] = (float)value;
            s->b[i] += j % 5 == 0 ? value : 0;
        }
    }
    widen(s, kind);
}

static spgm_matrix wide_matrix(const struct sample *s, int layout) {
    spgm_matrix A = layout == 0   ? spgm_dense(ROWS, WIDTH, s->wide_columns)
                    : layout == 1 ? spgm_dense_by_rows(ROWS, WIDTH, s->wide_rows)
                    : layout == 2 ? spgm_dense_single(ROWS, WIDTH, s->wide_single_columns, 0)
                                  : spgm_dense_single(ROWS, WIDTH, s->wide_single_rows, 1);

    A.columns = COLUMNS;
    A.column_of = column_of;
    return A;
}

static spgm_matrix sample_matrix(const struct sample *s, int layout) {
    return layout >= 4   ? wide_matrix(s, layout - 4)
           : layout == 0 ? spgm_dense(ROWS, COLUMNS, s->columns)
           : layout == 1
               ? spgm_dense_by_rows(ROWS, COLUMNS, s->rows)
               : spgm_dense_single(ROWS, COLUMNS, layout == 2 ? s->single_columns : s->single_rows, layout == 3);
}

static void set(spgm_options *options, const char *name, const char *value) {
    spgm_status status;

    assert_int_equal(spgm_options_set(options, name, value, &status), SPGM_OK);
}

/* F of the model found and, at x, F from loops of its own. */
static double solve(const struct sample *s, int layout, const char *loss, double *x) {
    spgm_matrix A = sample_matrix(s, layout);
    spgm_options *options = spgm_options_new();
    spgm_status status;
    spgm_info info;
    double intercept, sum = 0;

    set(options, "loss", loss);
    assert_int_equal(spgm_solve(&A, s->b, SPARSITY, options, x, &intercept, &info, &status), SPGM_OK);
    for (int64_t i = 0; i < ROWS; i++) {
        double r = intercept - s->b[i];

        for (int64_t j = 0; j < COLUMNS; j++) {
            r += s->columns[i + j * ROWS] * x[j];
        }
        sum += strcmp(loss, "l1") == 0 ? fabs(r) : r * r / 2;
    }
    assert_true(fabs(sum - info.objective) <= 1e-8 * (1 + sum));
    spgm_options_free(options);
    return info.objective;
}

static void the_same_model_in_every_layout(void **state) {
    static const char *const losses[] = {"l1", "squared"};
    static struct sample s;

    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        sample_fill(&s, (enum kind)kind);
        for (int l = 0; l < 2; l++) {
            double x[COLUMNS], other[COLUMNS];
            double F = solve(&s, 0, losses[l], x);

            for (int layout = 1; layout < LAYOUTS; layout++) {
                assert_true(fabs(solve(&s, layout, losses[l], other) - F) <= 1e-9 * (1 + F));
                for (int64_t j = 0; j < COLUMNS; j++) {
                    assert_true(fabs(x[j] - other[j]) <= 1e-5 * (1 + fabs(x[j])));
                }
            }
        }
    }
}

/* How many entries are not zero, and how long the columns are. */
static void sizes_are_those_of_the_columns(void **state) {
    static struct sample s;
    spgm_options *options = spgm_options_new();

    (void)state;
    set(options, "standardize", "true");
    for (int kind = 0; kind < KINDS; kind++) {
        int64_t nonzeros = 0;
        double scale[COLUMNS];

        sample_fill(&s, (enum kind)kind);
        for (int64_t k = 0; k < SIZE; k++) {
            nonzeros += s.columns[k] != 0;
        }
        for (int layout = 0; layout < LAYOUTS; layout++) {
            spgm_matrix A = sample_matrix(&s, layout);
            struct problem framed;
            spgm_problem *problem;
            spgm_status status;

            assert_int_equal(matrix_nonzeros(&A, SIZE), nonzeros);
            assert_int_equal(spgm_problem_new(&A, s.b, options, &problem, &status), SPGM_OK);
            assert_int_equal(problem_frame(problem, 1, &framed, &status), SPGM_OK);
            for (int64_t j = 0; j < COLUMNS; j++) {
                scale[j] = layout == 0 ? framed.scale[j] : scale[j];
                assert_true(fabs(framed.scale[j] - scale[j]) <= 1e-12 * scale[j]);
            }
            problem_unframe(&framed);
            spgm_problem_free(problem);
        }
    }
    spgm_options_free(options);
}

static void equal_rows_are_found(void **state) {
    static struct sample s;

    (void)state;
    sample_fill(&s, REPEATED);
    for (int layout = 0; layout < LAYOUTS; layout++) {
        spgm_matrix A = sample_matrix(&s, layout);
        spgm_problem *problem;
        spgm_status status;
        int64_t left = 0;

        assert_int_equal(spgm_problem_new(&A, s.b, NULL, &problem, &status), SPGM_OK);
        assert_int_equal(spgm_problem_merge_rows(problem, &left, &status), SPGM_OK);
        assert_int_equal(left, 7);
        spgm_problem_free(problem);
    }
}

static void a_subset_has_the_rows_asked_for(void **state) {
    static struct sample s;
    const int64_t rows[] = {299, 3, 3, 150};

    (void)state;
    sample_fill(&s, PLAIN);
    for (int layout = 0; layout < LAYOUTS; layout++) {
        spgm_matrix A = sample_matrix(&s, layout);
        spgm_problem *problem, *subset;
        spgm_status status;
        double x[COLUMNS] = {1, -2, [19] = 0.5}, F, expected = 0;

        assert_int_equal(spgm_problem_new(&A, s.b, NULL, &problem, &status), SPGM_OK);
        assert_int_equal(spgm_problem_subset(problem, rows, 4, &subset, &status), SPGM_OK);
        assert_int_equal(spgm_problem_evaluate(subset, x, 0, &F, NULL, NULL, &status), SPGM_OK);
        for (int k = 0; k < 4; k++) {
            const double *row = s.rows + rows[k] * COLUMNS;

            expected += fabs(row[0] - 2 * row[1] + 0.5 * row[19] - s.b[rows[k]]);
        }
        assert_true(fabs(F - expected) <= 1e-12 * expected);
        spgm_problem_free(subset);
        spgm_problem_free(problem);
    }
}

static void columns_can_be_read(void **state) {
    static struct sample s;
    const int64_t start[] = {0, 2, 2};
    const int32_t row[] = {1, 2};
    const double values[] = {5, 6};
    spgm_matrix sparse = spgm_sparse(3, 2, start, row, values);
    double column[ROWS];

    (void)state;
    sample_fill(&s, PLAIN);
    for (int layout = 0; layout < LAYOUTS; layout++) {
        spgm_matrix A = sample_matrix(&s, layout);

        spgm_matrix_column(&A, 7, column);
        assert_memory_equal(column, s.columns + 7 * ROWS, sizeof column);
    }
    spgm_matrix_column(&sparse, 0, column);
    assert_true(column[0] == 0 && column[1] == 5 && column[2] == 6);
}

static void assert_refused(const spgm_matrix *A, const double *b, const char *sentence) {
    spgm_problem *problem;
    spgm_status status;

    assert_int_not_equal(spgm_problem_new(A, b, NULL, &problem, &status), SPGM_OK);
    assert_string_equal(status.message, sentence);
}

static void what_is_wrong_is_said(void **state) {
    static struct sample s;
    spgm_matrix A, Q;
    spgm_problem *problem;
    spgm_status status;

    (void)state;
    sample_fill(&s, PLAIN);
    s.rows[5 * COLUMNS + 2] = NAN;
    s.single_rows[5 * COLUMNS + 2] = INFINITY;
    A = sample_matrix(&s, 1);
    assert_refused(
        &A, s.b,
        "A is not a number (NaN) in row 6, column 3 (counted from 1): every entry must be a finite number; remove or "
        "impute it first");
    A = sample_matrix(&s, 3);
    assert_refused(
        &A, s.b,
        "A is infinite in row 6, column 3 (counted from 1): every entry must be a finite number; remove or impute it "
        "first");
    widen(&s, PLAIN);
    A = sample_matrix(&s, 5);
    assert_refused(
        &A, s.b,
        "A is not a number (NaN) in row 6, column 3 (counted from 1): every entry must be a finite number; remove or "
        "impute it first");
    A.column_of = (const int64_t[COLUMNS]){[3] = WIDTH};
    assert_refused(&A, s.b, "A: column_of[3] is 22, which is not a column of the array");
    A.column_of = (const int64_t[COLUMNS]){[4] = -1};
    assert_refused(&A, s.b, "A: column_of[4] is -1, which is not a column of the array");
    A = sample_matrix(&s, 3);
    A.leading_dimension = COLUMNS - 1;
    assert_refused(&A, s.b, "A has leading dimension 19 but 20 columns: it must be at least the columns");
    A = sample_matrix(&s, 2);
    assert_int_equal(spgm_problem_new(&A, s.b, NULL, &problem, &status), SPGM_OK);
    Q = spgm_dense_by_rows(COLUMNS, COLUMNS, s.columns);
    assert_int_equal(spgm_problem_set_quadratic(problem, &Q, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "Q is stored by rows, in single precision or with columns left out, which "
                                        "cannot be used here: give it by columns in double precision, or sparse");
    spgm_problem_free(problem);
}

/* Along a column whose linear term nothing holds. */
static void unbounded_problems_are_found(void **state) {
    static struct sample s;
    double linear[COLUMNS] = {[3] = 1e6};

    (void)state;
    sample_fill(&s, PLAIN);
    for (int layout = 0; layout < LAYOUTS; layout++) {
        spgm_matrix A = sample_matrix(&s, layout);
        spgm_problem *problem;
        spgm_solver *solver;
        spgm_status status;
        spgm_error error;

        assert_int_equal(spgm_problem_new(&A, s.b, NULL, &problem, &status), SPGM_OK);
        assert_int_equal(spgm_problem_set_linear(problem, linear, &status), SPGM_OK);
        error = spgm_solver_new(problem, SPARSITY, NULL, &solver, &status);
        error = error == SPGM_OK ? spgm_solver_run(solver, &status) : error;
        assert_int_equal(error, SPGM_ERROR_UNBOUNDED);
        spgm_solver_free(solver);
        spgm_problem_free(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_model_in_every_layout),
        cmocka_unit_test(sizes_are_those_of_the_columns),
        cmocka_unit_test(equal_rows_are_found),
        cmocka_unit_test(a_subset_has_the_rows_asked_for),
        cmocka_unit_test(columns_can_be_read),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(unbounded_problems_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
