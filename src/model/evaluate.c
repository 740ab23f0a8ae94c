/* F from the data as the user gave them: plain sums that share nothing with the operators the methods use. */
#include <math.h>

#include "linalg/matrix.h"
#include "model/problem.h"

static void add_column(const spgm_matrix *A, int64_t j, double coefficient, double *r) {
    if (A->column_start == NULL) {
        const double *column = A->values + j * A->leading_dimension;

        for (int64_t i = 0; i < A->rows; i++) {
            r[i] += coefficient * column[i];
        }
        return;
    }
    for (int64_t k = A->column_start[j]; k < A->column_start[j + 1]; k++) {
        r[A->row_index[k]] += coefficient * A->values[k];
    }
}

/* x by its nonzeros. */
struct nonzeros {
    int64_t count;
    const int64_t *columns; /* [count] ascending */
    const double *values;   /* [count]           */
};

/* r = M x + constant - target */
static void residual(const spgm_matrix *M, struct nonzeros x, double constant, const double *target, double *r) {
    for (int64_t i = 0; i < M->rows; i++) {
        r[i] = constant;
    }
    for (int64_t k = 0; k < x.count; k++) {
        add_column(M, x.columns[k], x.values[k], r);
    }
    for (int64_t i = 0; target != NULL && i < M->rows; i++) {
        r[i] -= target[i];
    }
}

/* phi(x); it takes x as a vector. */
static spgm_error term_part(const spgm_problem *problem, struct nonzeros x, double *value, spgm_status *status) {
    struct workspace workspace = {0};
    double *whole = workspace_doubles(&workspace, problem->A.columns);
    double *r = workspace_doubles(&workspace, problem->C.rows);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    for (int64_t k = 0; error == SPGM_OK && k < x.count; k++) {
        whole[x.columns[k]] = x.values[k];
    }
    if (error == SPGM_OK) {
        residual(&problem->C, x, 0, NULL, r); /* C x */
        *value = problem->term->formula(problem->C.rows, whole, r, problem->d);
    }
    workspace_free(&workspace);
    return error;
}

static spgm_error smooth_part(const spgm_problem *problem, struct nonzeros x, double *value, spgm_status *status) {
    double squares = 0;
    double linear = 0;
    double term = 0;
    spgm_error error = problem->term == NULL ? SPGM_OK : term_part(problem, x, &term, status);

    for (int64_t k = 0; k < x.count; k++) {
        squares += problem->options.ridge == 0 ? 0 : problem->options.ridge * x.values[k] * x.values[k];
        linear += problem->linear == NULL ? 0 : problem->linear[x.columns[k]] * x.values[k];
    }
    *value = 0.5 * squares + linear + term;
    return error;
}

/* h(r) through the loss of the library at unit scale; labels become -1 and +1. */
static spgm_error loss_part(const spgm_problem *problem, struct nonzeros x, double intercept, double *value,
                            spgm_status *status) {
    struct workspace workspace = {0};
    struct loss h = {0};
    const double *b = problem_loss(problem, &workspace, &h);
    double *r = workspace_doubles(&workspace, problem->A.rows);
    spgm_error error;

    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    } else {
        residual(&problem->A, x, intercept, b, r);
        *value = h.ops->value(&h, r);
        error = SPGM_OK;
    }
    workspace_free(&workspace);
    return error;
}

spgm_error problem_evaluate(const struct spgm_problem *problem, int64_t count, const int64_t *columns,
                            const double *values, double intercept, double *objective, double *loss_value,
                            double *smooth_value, spgm_status *status) {
    struct nonzeros x = {count, columns, values};
    double loss = 0;
    double smooth = 0;
    spgm_error error = loss_part(problem, x, intercept, &loss, status);

    error = error == SPGM_OK ? smooth_part(problem, x, &smooth, status) : error;
    if (error != SPGM_OK) {
        return error;
    }
    if (objective != NULL) {
        *objective = loss + smooth;
    }
    if (loss_value != NULL) {
        *loss_value = loss;
    }
    if (smooth_value != NULL) {
        *smooth_value = smooth;
    }
    return status_clear(status);
}

spgm_error spgm_problem_evaluate(const spgm_problem *problem, const double *x, double intercept, double *objective,
                                 double *loss_value, double *smooth_value, spgm_status *status) {
    struct workspace workspace = {0};
    int64_t count = 0;
    int64_t *columns;
    double *values;
    spgm_error error;

    for (int64_t j = 0; j < problem->A.columns; j++) {
        count += x[j] != 0;
    }
    columns = workspace_integers(&workspace, count);
    values = workspace_doubles(&workspace, count);
    for (int64_t j = 0, k = 0; !workspace.failed && j < problem->A.columns; j++) {
        if (x[j] != 0) {
            columns[k] = j;
            values[k++] = x[j];
        }
    }
    error = workspace.failed ? status_memory(status, workspace.bytes)
                             : problem_evaluate(problem, count, columns, values, intercept, objective, loss_value,
                                                smooth_value, status);
    workspace_free(&workspace);
    return error;
}
