/* Common columns for all levels of a band. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "select/band.h"
#include "select/constants.h"

/*
 * Let the data A, b have m rows and n columns, and the levels be tau_1 to tau_K. The K quantile problems in one are
 *
 *     minimise  sum_k  sum_i w_i rho_k(a_i' x_k + c_k - b_i) + lambda/2 ||x_k||^2     over x_1, ..., x_K, c.
 *
 * The matrix has K copies of A as diagonal blocks, and the K copies of a column are a group, of which s are allowed.
 * c_1 is the intercept, and c_k - c_1 the coefficient of a column that is constant in block k and 0 elsewhere. Such a
 * column is free. The ridge acts on it, but its entries are so large that the ridge on its coefficient is negligible.
 */
struct joint {
    int64_t count, rows, columns, constants; /* number of levels; rows and columns of the data; columns for c_2, ...,
                                                c_K */
    struct workspace workspace;
    spgm_matrix A;
    double *b, *up, *down; /* [count x rows] */
    double *lower, *upper; /* [all columns] */
    int64_t *group_of, *free_columns, *excluded;
    int64_t free_count, excluded_count;
};

spgm_error band_joint_check(const struct spgm_problem *problem, spgm_status *status) {
    if (problem->linear != NULL || problem->term != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "common columns of several quantiles do not allow a linear, quadratic or least-squares "
                          "term; let each quantile have its own columns");
    }
    if (problem->group_of != NULL && problem->group_limit > 0) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "common columns of several quantiles do not allow a limit of %" PRId64
                          " columns of each group; let each quantile have its own columns",
                          problem->group_limit);
    }
    return SPGM_OK;
}

static double constant_of(const spgm_matrix *A) {
    double largest = 0;

    for (int64_t j = 0; j < A->columns; j++) {
        const double *values;
        const int32_t *rows;
        int64_t count = matrix_column(A, j, &values, &rows);
        double sum = 0;

        for (int64_t i = 0; i < count; i++) {
            double value = values == NULL ? matrix_entry(A, i, j) : values[i];

            sum += value * value;
        }
        largest = fmax(largest, sqrt(sum / (double)A->rows));
    }
    return largest > 0 && isfinite(largest) ? BAND_CONSTANT * largest : BAND_CONSTANT;
}

static int64_t stored(const spgm_matrix *A) {
    return A->column_start == NULL ? A->rows * A->columns : A->column_start[A->columns];
}

/* Write one column of block k at `at`; returns where the next one goes. */
static int64_t put_column(const struct joint *joint, const spgm_matrix *A, int64_t k, int64_t j, int64_t at,
                          double *values, int32_t *row_index) {
    const double *entries;
    const int32_t *rows;
    int64_t count = matrix_column(A, j, &entries, &rows);

    for (int64_t i = 0; i < count; i++, at++) {
        values[at] = entries == NULL ? matrix_entry(A, i, j) : entries[i];
        row_index[at] = (int32_t)(k * joint->rows + (rows == NULL ? i : rows[i]));
    }
    return at;
}

static void fill_matrix(struct joint *joint, const spgm_matrix *A) {
    int64_t K = joint->count, n = joint->columns, m = joint->rows, at = 0;
    int64_t nonzeros = K * stored(A) + joint->constants * m;
    double *values = workspace_doubles(&joint->workspace, nonzeros);
    int32_t *row_index = workspace_array(&joint->workspace, nonzeros, sizeof *row_index);
    int64_t *start = workspace_integers(&joint->workspace, K * n + joint->constants + 1);
    double constant = constant_of(A);

    if (joint->workspace.failed) {
        return;
    }
    for (int64_t k = 0; k < K; k++) {
        for (int64_t j = 0; j < n; j++) {
            at = put_column(joint, A, k, j, at, values, row_index);
            start[k * n + j + 1] = at;
        }
    }
    for (int64_t k = 1; k <= joint->constants; k++) {
        for (int64_t i = 0; i < m; i++, at++) {
            values[at] = constant;
            row_index[at] = (int32_t)(k * m + i);
        }
        start[K * n + k] = at;
    }
    joint->A = spgm_sparse(K * m, K * n + joint->constants, start, row_index, values);
}

static void fill_rows(struct joint *joint, const struct spgm_problem *problem, const double *levels) {
    joint->b = workspace_doubles(&joint->workspace, joint->count * joint->rows);
    joint->up = workspace_doubles(&joint->workspace, joint->count * joint->rows);
    joint->down = workspace_doubles(&joint->workspace, joint->count * joint->rows);
    for (int64_t k = 0; !joint->workspace.failed && k < joint->count; k++) {
        for (int64_t i = 0; i < joint->rows; i++) {
            double weight = problem->weights == NULL ? 1 : problem->weights[i];

            joint->b[k * joint->rows + i] = problem->b[i];
            joint->up[k * joint->rows + i] = weight * (1 - levels[k]);
            joint->down[k * joint->rows + i] = weight * levels[k];
        }
    }
}

/* Set the restrictions of the data's columns on all their copies. */
static void fill_set(struct joint *joint, const struct spgm_problem *problem) {
    int64_t all = joint->A.columns, n = joint->columns;

    joint->lower = workspace_doubles(&joint->workspace, all);
    joint->upper = workspace_doubles(&joint->workspace, all);
    joint->group_of = workspace_integers(&joint->workspace, all);
    joint->free_columns = workspace_integers(&joint->workspace, all);
    joint->excluded = workspace_integers(&joint->workspace, all);
    for (int64_t at = 0; !joint->workspace.failed && at < all; at++) {
        int64_t j = at % n;
        int is_constant = at >= joint->count * n;
        int is_free = is_constant || (problem->is_free != NULL && problem->is_free[j]);
        int64_t group = problem->group_of == NULL || problem->group_of[j] < 0 ? -1 : problem->group_of[j];

        joint->lower[at] = is_constant || problem->lower == NULL ? -INFINITY : problem->lower[j];
        joint->upper[at] = is_constant || problem->upper == NULL ? INFINITY : problem->upper[j];
        joint->group_of[at] = is_free ? -1 : group >= 0 ? n + group : j;
        if (is_free) {
            joint->free_columns[joint->free_count++] = at;
        } else if (problem->is_excluded != NULL && problem->is_excluded[j]) {
            joint->excluded[joint->excluded_count++] = at;
        }
    }
}

static spgm_error set_problem(const struct joint *joint, spgm_problem *stacked, spgm_status *status) {
    spgm_error error = spgm_problem_set_slopes(stacked, joint->up, joint->down, NULL, status);

    error = error ? error : spgm_problem_set_free_columns(stacked, joint->free_columns, joint->free_count, status);
    error = error ? error : spgm_problem_set_excluded(stacked, joint->excluded, joint->excluded_count, status);
    error = error ? error : spgm_problem_set_bounds(stacked, joint->lower, joint->upper, status);
    return error ? error : spgm_problem_set_groups(stacked, joint->group_of, 0, status);
}

static spgm_error solve(const struct joint *joint, int64_t sparsity, const struct spgm_options *options,
                        spgm_progress_function progress, void *context, double *x, spgm_status *status) {
    spgm_problem *stacked = NULL;
    spgm_solver *solver = NULL;
    double *all = memory_array(joint->A.columns, sizeof *all);
    spgm_error error = all == NULL ? status_memory(status, (size_t)joint->A.columns * sizeof *all)
                                   : spgm_problem_new(&joint->A, joint->b, options, &stacked, status);

    error = error ? error : set_problem(joint, stacked, status);
    error = error ? error : spgm_solver_new(stacked, sparsity, options, &solver, status);
    if (error == SPGM_OK) {
        spgm_solver_set_progress(solver, progress, context);
        error = spgm_solver_run(solver, status);
    }
    if (error == SPGM_OK && spgm_solver_get_info(solver).outcome == SPGM_OUT_OF_MEMORY) {
        error = status_memory(status, (size_t)joint->A.columns * sizeof *all);
    }
    if (error == SPGM_OK) {
        double intercept;

        spgm_solver_get_x(solver, all, &intercept);
        memcpy(x, all, (size_t)(joint->count * joint->columns) * sizeof *x);
    }
    spgm_solver_free(solver);
    spgm_problem_free(stacked);
    memory_free(all);
    return error;
}

spgm_error band_joint(const struct spgm_band *band, const struct spgm_problem *problem,
                      const struct spgm_options *options, spgm_progress_function progress, void *context, double *x,
                      spgm_status *status) {
    struct joint joint = {.count = band->count,
                          .rows = problem->A.rows,
                          .columns = problem->A.columns,
                          .constants = problem->options.intercept ? band->count - 1 : 0};
    struct spgm_options own = *options;
    spgm_error error;

    if (joint.rows > INT32_MAX / joint.count || joint.columns > INT32_MAX / joint.count - 1) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "common columns of %" PRId64 " quantiles take a copy of the data for each, and %" PRId64
                          " rows are too many for that; let each quantile have its own columns",
                          joint.count, joint.rows);
    }
    own.intercept = problem->options.intercept;
    own.ridge = problem->options.ridge;
    own.standardize = problem->options.standardize;
    fill_matrix(&joint, &problem->A);
    fill_rows(&joint, problem, band->levels);
    if (!joint.workspace.failed) {
        fill_set(&joint, problem);
    }
    error = joint.workspace.failed ? status_memory(status, joint.workspace.bytes)
                                   : solve(&joint, band->sparsity, &own, progress, context, x, status);
    workspace_free(&joint.workspace);
    return error;
}
