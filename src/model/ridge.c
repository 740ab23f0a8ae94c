/* What the ridge acts on: the coefficients, or each of them times the deviation of its column. */
#include <string.h>

#include "model/problem.h"

/* A deviation is at least this part of the largest one in its column: of a column that is zero but in a few rows the
 * standard deviation is tiny, and a ridge by it alone would let these rows be fitted at next to no price. */
static const double least_share = 0.2;
/* The square of a deviation, and of its inverse, must be a number. */
static const double least = 1e-140, most = 1e140;

static double weight_of(const struct spgm_problem *problem, int64_t i) {
    return problem->weights == NULL ? 1 : problem->weights[i];
}

/* Entries k of column j are at rows row(k); the rows that are not stored hold zeros. */
static int64_t row_of(const spgm_matrix *A, int64_t k) {
    return A->column_start == NULL ? k : A->row_index[k];
}

static const double *column_of(const spgm_matrix *A, int64_t j, int64_t *count, int64_t *first) {
    *first = A->column_start == NULL ? 0 : A->column_start[j];
    *count = A->column_start == NULL ? A->rows : A->column_start[j + 1] - *first;
    return A->values + (A->column_start == NULL ? j * A->leading_dimension : *first);
}

/* The mean of a column by weight. Sums of entries beyond 1e300 would overflow, hence shares. */
static double mean_of(const struct spgm_problem *problem, int64_t j, double all) {
    int64_t count, first;
    const double *a = column_of(&problem->A, j, &count, &first);
    double mean = 0;

    for (int64_t k = 0; k < count; k++) {
        mean += a[k] * (weight_of(problem, row_of(&problem->A, first + k)) / all);
    }
    return mean;
}

static double deviation_of(const struct spgm_problem *problem, int64_t j, double all, double centre) {
    int64_t count, first;
    const double *a = column_of(&problem->A, j, &count, &first);
    double seen = 0, largest = 0, sum = 0, root;

    for (int64_t k = 0; k < count; k++) {
        double weight = weight_of(problem, row_of(&problem->A, first + k));

        largest = weight > 0 ? fmax(largest, fabs(a[k] - centre)) : largest;
        seen += weight;
    }
    if (all - seen > 1e-12 * all) { /* zeros that are not stored */
        largest = fmax(largest, fabs(centre));
        sum = (all - seen) / all * (centre / largest) * (centre / largest);
    }
    for (int64_t k = 0; k < count && largest > 0; k++) {
        double part = (a[k] - centre) / largest;

        sum += weight_of(problem, row_of(&problem->A, first + k)) / all * part * part;
    }
    root = sqrt(sum);
    return largest * fmax(root, least_share);
}

spgm_error problem_scale_ridge(struct spgm_problem *problem, spgm_status *status) {
    int64_t n = problem->A.columns;
    double all = 0;

    memory_free(problem->deviations);
    problem->deviations = NULL;
    if (strcmp(problem->options.ridge_scale, "deviation") != 0) {
        return SPGM_OK;
    }
    problem->deviations = memory_array(n, sizeof *problem->deviations);
    if (problem->deviations == NULL) {
        return status_memory(status, (size_t)n * sizeof *problem->deviations);
    }
    for (int64_t i = 0; i < problem->A.rows; i++) {
        all += weight_of(problem, i);
    }
    for (int64_t j = 0; j < n; j++) {
        double centre = problem->options.intercept ? mean_of(problem, j, all) : 0;
        double deviation = deviation_of(problem, j, all, centre);

        if (deviation <=
            1e-14 * fabs(centre)) { /* the same in every row but for rounding: what is left of it is x_j a_j */
            deviation = fabs(centre);
        }
        problem->deviations[j] = deviation == 0 ? 1 : fmin(fmax(deviation, least), most);
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
