/* Every allocation of a path and of a cross-validation fails. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common.h"

enum { ROWS = 12, COLUMNS = 6, SIZES = 3 };

static double A[ROWS * COLUMNS], b[ROWS], A_before[ROWS * COLUMNS], b_before[ROWS];
static const int64_t sizes[SIZES] = {3, 1, 2};

static void make_inputs(void) {
    for (int i = 0; i < ROWS * COLUMNS; i++)
        A[i] = sin(1.3 * i + 0.2 * i * i);
    for (int i = 0; i < ROWS; i++)
        b[i] = i % 2 ? 1 : -1; /* fits every loss, classifiers included */
    memcpy(A_before, A, sizeof A);
    memcpy(b_before, b, sizeof b);
}

static int inputs_intact(const void *context, spgm_error error) {
    (void)context;
    (void)error;
    return memcmp(A, A_before, sizeof A) == 0 && memcmp(b, b_before, sizeof b) == 0;
}

static spgm_error run_path(const void *options, spgm_status *status) {
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_problem *problem = NULL;
    spgm_path *path = NULL;
    double values[SIZES];
    spgm_error error = spgm_problem_new(&matrix, b, options, &problem, status);
    if (error == SPGM_OK)
        error = spgm_path_new(problem, sizes, SIZES, options, &path, status);
    if (error == SPGM_OK)
        error = spgm_path_run(path, status);
    if (error == SPGM_OK)
        error = spgm_path_criterion(path, "bic", values, NULL, status);
    spgm_path_free(path);
    spgm_problem_free(problem);
    return error;
}

static spgm_error run_cv(const void *options, spgm_status *status) {
    static const int64_t free_columns[] = {4};
    static const double weights[ROWS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const int64_t folds[ROWS] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_cv *cv = NULL;
    spgm_error error = spgm_cv_new(&matrix, b, weights, free_columns, 1, sizes, SIZES, options, &cv, status);
    if (error == SPGM_OK)
        error = spgm_cv_run(cv, status);
    if (error == SPGM_OK)
        error = spgm_cv_set_folds(cv, folds, 2, status);
    if (error == SPGM_OK)
        error = spgm_cv_run(cv, status);
    spgm_cv_free(cv);
    return error;
}

static void with(const char *method, const char *loss) {
    char name[64];
    spgm_options *options = spgm_options_new();
    const char *const pairs[] = {"method",         method, "loss",   loss, "threads", "1",
                                 "max_iterations", "8",    "effort", "1",  "folds",   "2"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i += 2)
        check(spgm_options_set(options, pairs[i], pairs[i + 1], NULL) == SPGM_OK, "option %s", pairs[i]);
    snprintf(name, sizeof name, "path %s %s", method, loss);
    struct scenario path = {name, run_path, options, inputs_intact};
    fail_every_allocation(&path);
    snprintf(name, sizeof name, "cross-validation %s %s", method, loss);
    struct scenario cv = {name, run_cv, options, inputs_intact};
    fail_every_allocation(&cv);
    spgm_options_free(options);
}

int main(void) {
    make_inputs();
    with("auto", "l1");
    with("auto", "quantile");
    with("spgm-bcd", "hinge");
    return report();
}
