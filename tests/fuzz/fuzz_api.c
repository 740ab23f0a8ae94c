/*
 * The public interface from arrays: a small problem, options by name, and a run that is soon over. Whatever goes in,
 * the answer is a sentence or a feasible point whose objective is what the problem says it is.
 */
#include <math.h>

#include "fuzz/fuzz.h"

struct input {
    const uint8_t *bytes;
    size_t size;
};

static unsigned take(struct input *in) {
    if (in->size == 0)
        return 0;
    in->size--;
    return *in->bytes++;
}

/* Small whole numbers mostly; now and then something extreme, or none. */
static double take_number(struct input *in) {
    static const double rare[] = {1e150, -1e150, 1e-150, -1e-150, -0.0, NAN, INFINITY, 0};
    unsigned byte = take(in);
    return byte < 248 ? (double)byte / 16 - 7.5 : rare[byte - 248];
}

static void take_options(struct input *in, spgm_options *options) {
    static const char *const values[] = {"0",        "1",        "2",        "0.5",      "1e-3", "true",  "false",
                                         "inf",      "-1",       "nan",      "l1",       "linf", "hinge", "quantile",
                                         "spgm-iht", "spgm-bcd", "constant", "adaptive", "",     "10"};
    spgm_options_set(options, "max_iterations", "15", NULL);
    spgm_options_set(options, "method", take(in) & 1 ? "spgm-iht" : "spgm-bcd", NULL);
    spgm_options_set(options, "random_coordinates", "3", NULL);
    for (unsigned count = take(in) % 6; count > 0; count--) {
        const spgm_option_info *option = spgm_option_describe((int64_t)take(in) % spgm_option_count());
        const char *value = values[take(in) % (sizeof values / sizeof values[0])];
        spgm_status status;
        if (strcmp(option->name, "max_iterations") == 0 || strcmp(option->name, "threads") == 0 ||
            strcmp(option->name, "random_coordinates") == 0 || strcmp(option->name, "greedy_coordinates") == 0)
            continue;
        fuzz_check_status(spgm_options_set(options, option->name, value, &status), &status);
    }
    spgm_options_set(options, "threads", "1", NULL);
}

static void check_result(const spgm_problem *problem, const spgm_solver *solver, int64_t columns, int64_t sparsity,
                         int64_t free_columns) {
    double x[8], intercept, objective;
    spgm_info info = spgm_solver_get_info(solver);
    int64_t nonzeros = 0, units = -1;
    spgm_status status;
    spgm_solver_get_x(solver, x, &intercept);
    for (int64_t j = 0; j < columns; j++) {
        fuzz_require(isfinite(x[j]), "x is finite");
        nonzeros += x[j] != 0;
    }
    fuzz_require(spgm_problem_check(problem, x, sparsity, &units, &status) == SPGM_OK && info.feasible,
                 "x is feasible");
    fuzz_require(units == info.units && units <= sparsity, "what s counts is counted");
    fuzz_require(nonzeros - free_columns <= info.support && info.support <= nonzeros, "the support is counted");
    fuzz_require(spgm_problem_evaluate(problem, x, intercept, &objective, NULL, NULL, &status) == SPGM_OK,
                 "F can be had");
    fuzz_require(objective == info.objective || fabs(objective - info.objective) <= 1e-9 * fabs(objective) ||
                     (isnan(objective) && isnan(info.objective)),
                 "the objective is that of the point");
}

/* Bounds, groups, columns that are always or never in; what is refused leaves the set as it was. Returns how many
 * columns may be free. */
static int64_t take_set(struct input *in, spgm_problem *problem, int64_t columns) {
    double lower[8], upper[8];
    int64_t groups[8], list[8], count, free_columns = 0;
    spgm_status status;
    for (unsigned sets = take(in) % 8; sets > 0; sets--) {
        unsigned kind = take(in) % 5, detail = take(in);
        for (int64_t j = 0; j < columns; j++) {
            lower[j] = kind == 0 ? -fabs(take_number(in)) : take_number(in);
            upper[j] = kind == 0 ? fabs(take_number(in)) : 0;
            groups[j] = (int64_t)(take(in) % 5) - 1;
        }
        count = 0;
        for (int64_t j = 0; j < columns; j++)
            if (detail >> j & 1)
                list[count++] = j;
        if (kind < 2) {
            fuzz_check_status(spgm_problem_set_bounds(problem, lower, detail & 1 ? upper : NULL, &status), &status);
        } else if (kind == 2) {
            fuzz_check_status(spgm_problem_set_groups(problem, groups, (int64_t)(detail % 4), &status), &status);
        } else if (kind == 3) {
            fuzz_check_status(spgm_problem_set_excluded(problem, list, count, &status), &status);
        } else {
            fuzz_check_status(spgm_problem_set_free_columns(problem, list, count, &status), &status);
            free_columns = columns;
        }
    }
    return free_columns;
}

static void run(struct input *in, const spgm_matrix *A, const double *b, const spgm_options *options) {
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_status status;
    int64_t sparsity = (int64_t)take(in) % 10 - 1;
    spgm_error error = spgm_problem_new(A, b, options, &problem, &status);
    int64_t free_columns = 0;
    fuzz_check_status(error, &status);
    if (error == SPGM_OK) {
        free_columns = take_set(in, problem, A->columns);
        error = spgm_solver_new(problem, sparsity, options, &solver, &status);
        fuzz_check_status(error, &status);
    }
    if (error == SPGM_OK) {
        error = spgm_solver_run(solver, &status);
        fuzz_check_status(error, &status);
    }
    if (error == SPGM_OK)
        check_result(problem, solver, A->columns, sparsity, free_columns);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct input in = {bytes, size};
    double A[64], b[8];
    spgm_options *options = spgm_options_new();
    int64_t rows = (int64_t)take(&in) % 9, columns = (int64_t)take(&in) % 9;
    fuzz_require(options != NULL, "memory");
    take_options(&in, options);
    for (int64_t k = 0; k < rows * columns; k++)
        A[k] = take_number(&in);
    for (int64_t i = 0; i < rows; i++)
        b[i] = take_number(&in);
    spgm_matrix matrix = spgm_dense(rows, columns, A);
    run(&in, &matrix, b, options);
    spgm_options_free(options);
    return 0;
}
