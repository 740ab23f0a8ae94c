/* The problem of the user: checked as it is set, framed and scaled for the methods when it is solved. */
#include "model/problem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/definite.h"

/* ---- what the user sets --------------------------------------------------------------------------- */

/* The two values of a classifier's target, or the sentence that says what else it has. */
static spgm_error find_labels(const double *b, int64_t rows, double labels[2], spgm_status *status) {
    double low = b[0];
    double high = b[0];

    for (int64_t i = 1; i < rows; i++) {
        low = b[i] < low ? b[i] : low;
        high = b[i] > high ? b[i] : high;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (b[i] != low && b[i] != high) {
            return status_set(status, SPGM_ERROR_DATA,
                              "b has more than two values (%g, %g and, in row %" PRId64
                              ", %g): a classification loss needs exactly two labels",
                              low, high, i + 1, b[i]);
        }
    }
    if (low == high) {
        return status_set(status, SPGM_ERROR_DATA,
                          "b has the single value %g in every row: a classification loss needs exactly two labels",
                          low);
    }
    labels[0] = low;
    labels[1] = high;
    return SPGM_OK;
}

spgm_error spgm_problem_new(const spgm_matrix *A, const double *b, const spgm_options *options, spgm_problem **problem,
                            spgm_status *status) {
    double began = clock_seconds();
    spgm_error error = matrix_check(A, "A", status);
    spgm_problem *created;

    if (error == SPGM_OK) {
        error = array_check(b, A->rows, "b", status);
    }
    if (error != SPGM_OK) {
        return error;
    }
    if (problem == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_problem_new needs a place for the problem, got NULL");
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    created->A = *A;
    created->b = b;
    if (options != NULL) {
        created->options = *options;
    } else {
        options_defaults(&created->options);
    }
    created->loss = loss_find(created->options.loss);
    if (problem_has_labels(created)) {
        error = find_labels(b, A->rows, created->labels, status);
        if (error != SPGM_OK) {
            memory_free(created);
            return error;
        }
    }
    created->seconds = clock_seconds() - began;
    *problem = created;
    return status_clear(status);
}

void spgm_problem_free(spgm_problem *problem) {
    if (problem == NULL) {
        return;
    }
    memory_free(problem->weights);
    memory_free(problem->up);
    memory_free(problem->down);
    memory_free(problem->dead);
    memory_free(problem->is_free);
    memory_free(problem->is_excluded);
    memory_free(problem->lower);
    memory_free(problem->upper);
    memory_free(problem->group_of);
    memory_free(problem->linear);
    problem_unmerge(problem);
    workspace_free(&problem->owned);
    memory_free(problem);
}

/* Replace *owned by a copy of values. */
static spgm_error copy_array(const double *values, int64_t count, double **owned, spgm_status *status) {
    double *copy = memory_array(count, sizeof *copy);

    if (copy == NULL) {
        return status_memory(status, (size_t)count * sizeof *copy);
    }
    if (values != NULL) {
        vector_copy(count, values, copy);
    }
    memory_free(*owned);
    *owned = copy;
    return SPGM_OK;
}

static spgm_error check_not_negative(const double *values, int64_t count, const char *name, spgm_status *status) {
    spgm_error error = array_check(values, count, name, status);

    for (int64_t i = 0; error == SPGM_OK && i < count; i++) {
        if (values[i] < 0) {
            error = status_set(status, SPGM_ERROR_DATA, "%s is negative (%g) in row %" PRId64 ": it must be at least 0",
                               name, values[i], i + 1);
        }
    }
    return error;
}

spgm_error spgm_problem_set_weights(spgm_problem *problem, const double *weights, spgm_status *status) {
    int64_t rows = problem->A.rows;
    spgm_error error = check_not_negative(weights, rows, "weights", status);

    if (error != SPGM_OK) {
        return error;
    }
    if (!problem->loss->is_sum) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "row weights need a loss that is a sum over rows, and %s is not one: scale the rows instead",
                          problem->loss->name);
    }
    if (vector_norm_inf(rows, weights) == 0) {
        return status_set(status, SPGM_ERROR_DATA, "weights are all zero: at least one must be positive");
    }
    status_clear(status);
    problem_unmerge(problem);
    return copy_array(weights, rows, &problem->weights, status);
}

spgm_error spgm_problem_set_slopes(spgm_problem *problem, const double *up, const double *down, const double *dead,
                                   spgm_status *status) {
    int64_t rows = problem->A.rows;
    spgm_error error = check_not_negative(up, rows, "up", status);

    if (error == SPGM_OK) {
        error = check_not_negative(down, rows, "down", status);
    }
    if (error == SPGM_OK && dead != NULL) {
        error = check_not_negative(dead, rows, "dead", status);
    }
    if (error == SPGM_OK) {
        problem_unmerge(problem);
        error = copy_array(up, rows, &problem->up, status);
    }
    if (error == SPGM_OK) {
        error = copy_array(down, rows, &problem->down, status);
    }
    if (error == SPGM_OK) {
        error = copy_array(dead, rows, &problem->dead, status);
    }
    if (error == SPGM_OK) {
        problem->loss = &loss_slopes_kind;
        status_clear(status);
    }
    return error;
}

spgm_error spgm_problem_set_linear(spgm_problem *problem, const double *p, spgm_status *status) {
    spgm_error error = array_check(p, problem->A.columns, "p", status);

    return error != SPGM_OK ? error
                            : (status_clear(status), copy_array(p, problem->A.columns, &problem->linear, status));
}

static spgm_error set_term(spgm_problem *problem, const struct smooth_term *term, const spgm_matrix *C,
                           const char *name, const double *d, spgm_status *status) {
    spgm_error error = matrix_check_plain(C, name, status);

    if (error != SPGM_OK) {
        return error;
    }
    if (C->columns != problem->A.columns) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s has %" PRId64 " columns but A has %" PRId64, name,
                          C->columns, problem->A.columns);
    }
    if (problem->term != NULL && problem->term != term) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "the smooth term %s is set already: only one of quadratic and least squares can be used",
                          problem->term->name);
    }
    problem->term = term;
    problem->C = *C;
    problem->d = d;
    return status_clear(status);
}

/* Q(i,j) == Q(j,i) for every stored entry, up to rounding. */
static double entry(const spgm_matrix *Q, int64_t i, int64_t j) {
    if (Q->column_start == NULL) {
        return Q->values[i + j * Q->leading_dimension];
    }
    for (int64_t low = Q->column_start[j], high = Q->column_start[j + 1]; low < high;) {
        int64_t middle = low + (high - low) / 2;

        if (Q->row_index[middle] == i) {
            return Q->values[middle];
        }
        if (Q->row_index[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}

static spgm_error check_symmetric(const spgm_matrix *Q, spgm_status *status) {
    for (int64_t j = 0; j < Q->columns; j++) {
        int64_t first = Q->column_start == NULL ? 0 : Q->column_start[j];
        int64_t last = Q->column_start == NULL ? Q->rows : Q->column_start[j + 1];

        for (int64_t k = first; k < last; k++) {
            int64_t i = Q->column_start == NULL ? k : Q->row_index[k];
            double a = entry(Q, i, j);
            double b = entry(Q, j, i);

            if (!islessequal(fabs(a - b), 1e-8 * (fabs(a) + fabs(b))) || (i == j && a < 0)) {
                return status_set(status, SPGM_ERROR_DATA,
                                  "Q is not symmetric positive semidefinite: entry (%" PRId64 ", %" PRId64
                                  ") is %g and entry (%" PRId64 ", %" PRId64 ") is %g",
                                  i + 1, j + 1, a, j + 1, i + 1, b);
            }
        }
    }
    return SPGM_OK;
}

spgm_error spgm_problem_set_quadratic(spgm_problem *problem, const spgm_matrix *Q, spgm_status *status) {
    spgm_error error = matrix_check_plain(Q, "Q", status);

    if (error == SPGM_OK && Q->rows != Q->columns) {
        error = status_set(status, SPGM_ERROR_ARGUMENT, "Q is %" PRId64 " x %" PRId64 ": it must be square", Q->rows,
                           Q->columns);
    }
    if (error == SPGM_OK) {
        error = check_symmetric(Q, status);
    }
    if (error == SPGM_OK) {
        error = definite_check(Q, status);
    }
    return error != SPGM_OK ? error : set_term(problem, &smooth_quadratic, Q, "Q", NULL, status);
}

spgm_error spgm_problem_set_least_squares(spgm_problem *problem, const spgm_matrix *C, const double *d,
                                          spgm_status *status) {
    spgm_error error = matrix_check_plain(C, "C", status);

    if (error == SPGM_OK) {
        error = array_check(d, C->rows, "d", status);
    }
    return error != SPGM_OK ? error : set_term(problem, &smooth_least_squares, C, "C", d, status);
}

int64_t spgm_problem_rows(const spgm_problem *problem) {
    return problem->A.rows;
}

int64_t spgm_problem_columns(const spgm_problem *problem) {
    return problem->A.columns;
}

int spgm_problem_labels(const spgm_problem *problem, double labels[2]) {
    if (problem_has_labels(problem) && labels != NULL) {
        memcpy(labels, problem->labels, sizeof problem->labels);
    }
    return problem_has_labels(problem) != 0;
}
