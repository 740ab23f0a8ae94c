/* Some of the rows of a problem as a problem of their own, for cross-validation and resampling. */
#include <inttypes.h>

#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/problem.h"

/* values[rows[i]] for each i; NULL for NULL. */
static double *pick(const spgm_problem *problem, const double *values, const int64_t *rows, int64_t count,
                    int *failed) {
    double *picked = values == NULL ? NULL : memory_beside(problem->A.memory, count, sizeof *picked);

    *failed |= values != NULL && picked == NULL;
    for (int64_t i = 0; picked != NULL && i < count; i++) {
        picked[i] = values[rows[i]];
    }
    return picked;
}

static double *copy(const double *values, int64_t count, int *failed) {
    double *copied = values == NULL ? NULL : memory_array(count, sizeof *copied);

    *failed |= values != NULL && copied == NULL;
    if (copied != NULL) {
        vector_copy(count, values, copied);
    }
    return copied;
}

static int fill(const spgm_problem *problem, const int64_t *rows, int64_t count, spgm_problem *subset) {
    int64_t n = problem->A.columns;
    int failed = 0;

    *subset = *problem; /* the options, the loss, the labels, the borrowed term */
    subset->owned = (struct workspace){.memory = problem->A.memory};
    subset->shared = NULL;
    subset->merged = (struct merged_rows){0};
    subset->is_free = subset->is_excluded = NULL;
    subset->lower = subset->upper = NULL;
    subset->group_of = NULL;
    failed = problem_copy_set(problem, subset, NULL) != SPGM_OK;
    subset->A = matrix_pick_rows(&problem->A, count, rows, &subset->owned);
    subset->b = workspace_doubles(&subset->owned, count);
    for (int64_t i = 0; !subset->owned.failed && i < count; i++) {
        ((double *)subset->b)[i] = problem->b[rows[i]];
    }
    subset->weights = pick(problem, problem->weights, rows, count, &failed);
    subset->up = pick(problem, problem->up, rows, count, &failed);
    subset->down = pick(problem, problem->down, rows, count, &failed);
    subset->dead = pick(problem, problem->dead, rows, count, &failed);
    subset->linear = copy(problem->linear, n, &failed);
    subset->deviations = copy(problem->deviations, n, &failed); /* the same f */
    return !failed && !subset->owned.failed;
}

spgm_error spgm_problem_subset(const spgm_problem *problem, const int64_t *rows, int64_t count, spgm_problem **subset,
                               spgm_status *status) {
    spgm_problem *created;

    if (problem == NULL || subset == NULL || rows == NULL || count < (problem->reduce == NULL)) {
        return status_set(
            status, SPGM_ERROR_ARGUMENT,
            "spgm_problem_subset needs a problem, a pointer that receives the subset, and at least one row");
    }
    if (problem_is_normal(problem)) {
        return problem_refuse_normal("subsets of the rows, and so cross-validation and resampling", status);
    }
    for (int64_t i = 0; i < count; i++) {
        if (rows[i] < 0 || rows[i] >= problem->A.rows) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "row %" PRId64 " (counted from 0) does not exist: A has %" PRId64 " rows", rows[i],
                              problem->A.rows);
        }
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL || !fill(problem, rows, count, created)) {
        spgm_problem_free(created);
        return status_memory(status, (size_t)count * (size_t)problem->A.columns * sizeof(double));
    }
    if (problem->merged.A.rows > 0) { /* as it was asked for */
        spgm_error error = spgm_problem_merge_rows(created, NULL, status);

        if (error != SPGM_OK) {
            spgm_problem_free(created);
            return error;
        }
    }
    *subset = created;
    return status_clear(status);
}
