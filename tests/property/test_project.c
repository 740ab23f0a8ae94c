/*
 * The mean of models and the columns that stand for it: the mean as independent fits to copied rows give it, the same
 * bits for any number of threads, what a stop leaves, and what is refused. bindings/python/tests/test_choosing.py
 * recomputes the number of columns.
 */
#define FIXTURE_SEED 83
#include "unit/model_fixture.h"

#include "spgm/spgm.h"
#include "woken.h"

enum { ROWS = 60, COLUMNS = 8, FOLDS = 4, CHOICES = 4, MEMBERS = 20 };

struct instance {
    double A[ROWS * COLUMNS], b[ROWS];
    spgm_matrix matrix;
    int64_t fold_of_row[ROWS];
    spgm_problem *problems[2]; /* absolute errors, squares */
    spgm_options *options;     /* of the squares that follow */
    spgm_choice choices[CHOICES];
};

static spgm_options *make_options(const char *loss) {
    spgm_options *options = spgm_options_new();

    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "loss", loss, NULL), SPGM_OK);
    return options;
}

static spgm_problem *make_problem(const struct instance *in, const char *loss) {
    spgm_options *options = make_options(loss);
    spgm_problem *problem = NULL;

    assert_int_equal(spgm_problem_new(&in->matrix, in->b, options, &problem, NULL), SPGM_OK);
    spgm_options_free(options);
    return problem;
}

/* Two choices near the lowest loss, one that is too far, one that was not tried. */
static void make_instance(struct instance *in) {
    for (int64_t k = 0; k < ROWS * COLUMNS; k++) {
        in->A[k] = fixture_normal();
    }
    for (int64_t i = 0; i < ROWS; i++) {
        in->b[i] = 5 + 3 * in->A[i] - 2 * in->A[i + ROWS] + fixture_normal();
        in->fold_of_row[i] = i % FOLDS;
    }
    in->matrix = spgm_dense(ROWS, COLUMNS, in->A);
    in->problems[0] = make_problem(in, "l1");
    in->problems[1] = make_problem(in, "squared");
    in->options = make_options("squared");
    in->choices[0] = (spgm_choice){in->problems[1], 2, 0, 0, 0.83};
    in->choices[1] = (spgm_choice){in->problems[0], 3, 4, 0, 0.8};
    in->choices[2] = (spgm_choice){in->problems[0], 1, 0, 0, 1.2};
    in->choices[3] = (spgm_choice){in->problems[1], 5, 0, 0, NAN};
}

static void free_instance(struct instance *in) {
    spgm_problem_free(in->problems[0]);
    spgm_problem_free(in->problems[1]);
    spgm_options_free(in->options);
}

static spgm_error project(const struct instance *in, spgm_progress_function progress, double *target, int64_t *s,
                          spgm_status *status) {
    double ridge, linear[COLUMNS];

    return spgm_project(in->choices, CHOICES, in->fold_of_row, FOLDS, in->options, progress, NULL, target, s, &ridge,
                        linear, status);
}

/* The model of a choice on the rows outside a fold, copied; its predictions for all rows are added, times share. */
static void add_member(const struct instance *in, const char *loss, int64_t s, double ridge, int64_t fold, double share,
                       double *mean) {
    double A[ROWS * COLUMNS], b[ROWS], x[COLUMNS], intercept;
    int64_t rows = 0;
    spgm_options *options = make_options(loss);
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;

    for (int64_t i = 0; i < ROWS; i++) {
        rows += in->fold_of_row[i] != fold;
    }
    for (int64_t i = 0, at = 0; i < ROWS; i++) {
        if (in->fold_of_row[i] != fold) {
            for (int64_t j = 0; j < COLUMNS; j++) {
                A[at + j * rows] = in->A[i + j * ROWS];
            }
            b[at++] = in->b[i];
        }
    }
    spgm_matrix matrix = spgm_dense(rows, COLUMNS, A);
    assert_int_equal(spgm_options_set_number(options, "ridge", ridge * (double)rows / ROWS, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, s, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    spgm_solver_get_x(solver, x, &intercept);
    for (int64_t i = 0; i < ROWS; i++) {
        mean[i] += share * intercept;
        for (int64_t j = 0; j < COLUMNS; j++) {
            mean[i] += share * in->A[i + j * ROWS] * x[j];
        }
    }
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void the_mean_is_that_of_fits_without_a_fold(void **state) {
    struct instance in;
    double target[ROWS], expected[ROWS] = {0};
    int64_t s = -1;
    (void)state;

    make_instance(&in);
    assert_int_equal(project(&in, NULL, target, &s, NULL), SPGM_OK);
    for (int64_t member = 0; member < MEMBERS; member++) {
        int is_first = member % 2 == 0; /* the lowest loss comes first */

        add_member(&in, is_first ? "l1" : "squared", is_first ? 3 : 2, is_first ? 4 : 0, (member + member / 2) % FOLDS,
                   1. / MEMBERS, expected);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        assert_float_equal(target[i], expected[i], 1e-6);
    }
    assert_true(s == 2 || s == 3);
    free_instance(&in);
}

static void threads_change_no_bit(void **state) {
    struct instance in;
    double target[2][ROWS];
    int64_t s[2];
    (void)state;

    make_instance(&in);
    assert_int_equal(spgm_options_set(in.options, "threads", "1", NULL), SPGM_OK);
    assert_int_equal(project(&in, NULL, target[0], &s[0], NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(in.options, "threads", "3", NULL), SPGM_OK);
    assert_int_equal(project(&in, NULL, target[1], &s[1], NULL), SPGM_OK);
    assert_memory_equal(target[0], target[1], sizeof target[0]);
    assert_int_equal(s[0], s[1]);
    free_instance(&in);
}

static int at_once(const spgm_progress *progress, void *context) {
    (void)progress;
    (void)context;
    return 1;
}

static void a_stop_leaves_the_mean_of_what_is_there(void **state) {
    struct instance in;
    double target[ROWS];
    int64_t s = -1;
    (void)state;

    make_instance(&in);
    assert_int_equal(project(&in, at_once, target, &s, NULL), SPGM_OK);
    for (int64_t i = 0; i < ROWS; i++) {
        assert_true(isfinite(target[i]));
    }
    assert_in_range(s, 0, 3);
    free_instance(&in);
}

static void refused(const struct instance *in, const char *words) {
    double target[ROWS];
    int64_t s;
    spgm_status status;

    assert_int_not_equal(project(in, NULL, target, &s, &status), SPGM_OK);
    assert_non_null(strstr(status.message, words));
}

static void what_is_wrong_is_said(void **state) {
    struct instance in;
    double lower[COLUMNS] = {0};
    (void)state;

    make_instance(&in);
    assert_int_equal(spgm_options_set(in.options, "ridge", "1", NULL), SPGM_OK);
    refused(&in, "without a ridge");
    assert_int_equal(spgm_options_set(in.options, "ridge", "0", NULL), SPGM_OK);
    for (int64_t c = 0; c < CHOICES; c++) {
        in.choices[c].loss = NAN;
    }
    refused(&in, "choices with losses");
    assert_int_equal(spgm_problem_set_bounds(in.problems[0], lower, NULL, NULL), SPGM_OK);
    refused(&in, "no restrictions");
    free_instance(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_is_that_of_fits_without_a_fold),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_stop_leaves_the_mean_of_what_is_there),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
