/* Watching a run: the 90 % quantile of a generated target from three of fifty features. */
#include <math.h>
#include <spgm/io.h>
#include <stdio.h>

static int watch(const spgm_progress *progress, void *context) {
    double *shown = context;
    if (progress->best < 0.8 * *shown) {
        printf("iteration %4lld of %s: F = %.3f\n", (long long)progress->iteration, progress->method, progress->best);
        *shown = progress->best;
    }
    return 0; /* anything else stops the run, which then keeps its best point */
}

static void print_model(const spgm_solver *solver, const double *truth) {
    double x[50], intercept;
    spgm_info info = spgm_solver_get_info(solver);
    spgm_solver_get_x(solver, x, &intercept);
    printf("F = %.3f: %s\n", info.objective, spgm_outcome_text(info.outcome));
    for (int j = 0; j < 50; j++)
        if (x[j] != 0 || truth[j] != 0)
            printf("feature %2d: %7.3f, truth %7.3f\n", j, x[j], truth[j]);
}

static spgm_error fit(const spgm_data *data, spgm_options *options, spgm_status *status) {
    double shown = INFINITY;
    spgm_matrix A = spgm_data_matrix(data);
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_error error = spgm_options_set(options, "loss", "quantile", status);
    if (error == SPGM_OK)
        error = spgm_options_set_number(options, "quantile", 0.9, status);
    if (error == SPGM_OK)
        error = spgm_options_set(options, "method", "spgm-bcd", status);
    if (error == SPGM_OK)
        error = spgm_problem_new(&A, spgm_data_target(data), options, &problem, status);
    if (error == SPGM_OK)
        error = spgm_solver_new(problem, 3, options, &solver, status);
    if (error == SPGM_OK) {
        spgm_solver_set_progress(solver, watch, &shown);
        error = spgm_solver_run(solver, status);
    }
    if (error == SPGM_OK)
        print_model(solver, spgm_data_truth(data));
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    return error;
}

int main(void) {
    spgm_generate_options how = {.support = 3, .noise = 0.1};
    spgm_status status = {SPGM_OK, "out of memory"};
    spgm_data *data = NULL;
    spgm_options *options = spgm_options_new();
    spgm_error error = options ? SPGM_OK : SPGM_ERROR_MEMORY;
    if (error == SPGM_OK)
        error = spgm_data_generate("random-200-50", 1, &how, &data, &status);
    if (error == SPGM_OK)
        error = fit(data, options, &status);
    if (error != SPGM_OK)
        fprintf(stderr, "watch: %s\n", status.message);
    spgm_data_free(data);
    spgm_options_free(options);
    return error != SPGM_OK;
}
