/* What the ridge acts on: the coefficients, or the coefficients times the deviations of their columns. */
#include <string.h>

#include "linalg/matrix.h"
#include "model/constants.h"
#include "model/problem.h"

static double weight_of(const struct spgm_problem *problem, int64_t i) {
    return problem->weights == NULL ? 1 : problem->weights[i];
}

/* The stored entries of a column, and their rows; the other rows are zero. */
struct stored {
    const spgm_matrix *A;
    const double *values; /* NULL: matrix_entry has them */
    const int32_t *rows;  /* NULL: 0, 1, 2, ...          */
    int64_t count, column;
};

static struct stored stored_of(const spgm_matrix *A, int64_t j) {
    struct stored a = {.A = A, .column = j};

    a.count = matrix_column(A, j, &a.values, &a.rows);
    return a;
}

static double value_of(struct stored a, int64_t k) {
    return a.values == NULL ? matrix_entry(a.A, k, a.column) : a.values[k];
}

static int64_t row_of(struct stored a, int64_t k) {
    return a.rows == NULL ? k : a.rows[k];
}

/*
 * The weighted mean of a column. Sums of entries above 1e300 would overflow, so each entry is multiplied by its share.
 */
static double mean_of(const struct spgm_problem *problem, int64_t j, double all) {
    struct stored a = stored_of(&problem->A, j);
    double mean = 0;

    for (int64_t k = 0; k < a.count; k++) {
        mean += value_of(a, k) * (weight_of(problem, row_of(a, k)) / all);
    }
    return mean;
}

static double deviation_of(const struct spgm_problem *problem, int64_t j, double all, double centre) {
    struct stored a = stored_of(&problem->A, j);
    double seen = 0, largest = 0, sum = 0, root;

    for (int64_t k = 0; k < a.count; k++) {
        double weight = weight_of(problem, row_of(a, k)), size = fabs(value_of(a, k) - centre);

        largest = weight > 0 && size > largest ? size : largest;
        seen += weight;
    }
    if (all - seen > 1e-12 * all) { /* zeros that are not stored */
        largest = fmax(largest, fabs(centre));
        sum = (all - seen) / all * (centre / largest) * (centre / largest);
    }
    for (int64_t k = 0; k < a.count && largest > 0; k++) {
        double part = (value_of(a, k) - centre) / largest;

        sum += weight_of(problem, row_of(a, k)) / all * part * part;
    }
    root = sqrt(sum);
    return largest * fmax(root, DEVIATION_SHARE);
}

spgm_error problem_scale_ridge(struct spgm_problem *problem, spgm_status *status) {
    int64_t n = problem->A.columns;
    struct spgm_problem merged;
    double all = 0;

    memory_free(problem->deviations);
    problem->deviations = NULL;
    if (strcmp(problem->options.ridge_scale, "deviation") != 0) {
        return SPGM_OK;
    }
    if (problem->reduce != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "option ridge_scale is deviation, which is not computed where the rows are spread over "
                          "processes: standardise the columns, and use ridge_scale data");
    }
    problem->deviations = memory_array(n, sizeof *problem->deviations);
    if (problem->deviations == NULL) {
        return status_memory(status, (size_t)n * sizeof *problem->deviations);
    }
    merged = problem_merged(problem); /* merged: a row of weight 2 and two rows give the same bits */
    for (int64_t i = 0; i < merged.A.rows; i++) {
        all += weight_of(&merged, i);
    }
    for (int64_t j = 0; j < n; j++) {
        double centre = problem->options.intercept ? mean_of(&merged, j, all) : 0;
        double deviation = deviation_of(&merged, j, all, centre);

        if (deviation <= DEVIATION_ROUNDING * fabs(centre)) { /* a constant column: the ridge acts on x_j a_j */
            deviation = fabs(centre);
        }
        problem->deviations[j] = deviation == 0 ? 1 : fmin(fmax(deviation, DEVIATION_LOW), DEVIATION_HIGH);
    }
    return SPGM_OK;
}

spgm_error spgm_problem_set_ridge(spgm_problem *problem, double ridge, int by_deviation, spgm_status *status) {
    spgm_error error;

    if (!(ridge >= 0) || isinf(ridge)) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "the ridge is %g: it must be a number of at least 0", ridge);
    }
    problem->options.ridge = ridge;
    memcpy(problem->options.ridge_scale, by_deviation ? "deviation" : "data", by_deviation ? 10 : 5);
    error = problem_scale_ridge(problem, status);
    return error == SPGM_OK ? status_clear(status) : error;
}
