/* The user's problem: checked as it is set, framed and scaled for the methods when it is solved. */
#include "model/problem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/party.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/constants.h"
#include "model/definite.h"

/* ---- what the user sets --------------------------------------------------------------------------- */

/* The two labels of a classifier's target over all processes, or the error that says what else it has. */
static spgm_error find_labels(const double *b, int64_t rows, const struct reduction *reduce, double labels[2],
                              spgm_status *status) {
    double ends[2] = {-INFINITY, -INFINITY}; /* of -b and b */
    double low, high;

    for (int64_t i = 0; i < rows; i++) {
        ends[0] = -b[i] > ends[0] ? -b[i] : ends[0];
        ends[1] = b[i] > ends[1] ? b[i] : ends[1];
    }
    reduce_max(reduce, ends, 2);
    low = -ends[0];
    high = ends[1];
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

/* Set the user's input in a zeroed problem. */
static void fill_problem(spgm_problem *created, const spgm_matrix *A, const double *b, const spgm_options *options) {
    static const double nothing = 0; /* for a part without rows: a valid pointer */

    created->A = *A;
    created->b = b;
    if (A->rows == 0) {
        created->b = &nothing;
        created->A = A->column_start == NULL ? spgm_dense(0, A->columns, &nothing) : *A;
        created->A.values = &nothing;
    }
    options_take(&created->options, options);
    created->loss = loss_find(created->options.loss);
}

static spgm_error set_labels(spgm_problem *created, spgm_status *status) {
    return problem_has_labels(created)
               ? find_labels(created->b, created->A.rows, created->reduce, created->labels, status)
               : SPGM_OK;
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
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "spgm_problem_new: the pointer that receives the problem is NULL");
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    fill_problem(created, A, b, options);
    error = problem_is_normal(created) ? problem_make_normal(created, status) : set_labels(created, status);
    error = error == SPGM_OK ? problem_scale_ridge(created, status) : error;
    if (error != SPGM_OK) {
        spgm_problem_free(created);
        return error;
    }
    created->seconds = clock_seconds() - began;
    *problem = created;
    return status_clear(status);
}

/* ---- rows on many machines ------------------------------------------------------------------------- */

struct distribution {
    struct party party;
    struct reduction reduce;
};

static spgm_error check_communicator(const spgm_communicator *c, spgm_status *status) {
    if (c == NULL || c->sum == NULL || c->max == NULL || c->broadcast == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "a communicator needs the functions sum, max and broadcast, and one of them is NULL");
    }
    if (c->size < 1 || c->rank < 0 || c->rank >= c->size) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "the communicator has rank %" PRId64 " of %" PRId64 ": ranks go from 0 to size - 1", c->rank,
                          c->size);
    }
    return SPGM_OK;
}

/* Names the process in front of its error message, so that its rows can be found. */
static spgm_error name_process(const struct party *party, spgm_error error, spgm_status *status) {
    if (error != SPGM_OK && status != NULL && party->all.size > 1) {
        spgm_status said = *status;

        status_set(status, error, "process %" PRId64 ": %.480s", party->all.rank, said.message);
    }
    return error;
}

/* Check each part, then what they must have in common. All processes return the same error. */
static spgm_error check_parts(spgm_problem *created, const spgm_matrix *A, const double *b, spgm_status *status) {
    struct party *party = &created->shared->party;
    spgm_status said = {0};
    spgm_error error = matrix_check_part(A, "A", &said);
    double rows;

    if (error == SPGM_OK && A->rows > 0) {
        error = array_check(b, A->rows, "b", &said);
    }
    error = party_agree(party, name_process(party, error, &said), &said);
    if (error == SPGM_OK) {
        rows = (double)A->rows;
        party_sum(party, &rows, 1);
        if (!party_is_same(party, (uint64_t)A->columns)) {
            error = status_set(&said, SPGM_ERROR_ARGUMENT,
                               "the parts of A have different numbers of columns (here %" PRId64
                               "): give every process the same columns",
                               A->columns);
        } else if (rows == 0) {
            error = status_set(&said, SPGM_ERROR_ARGUMENT, "no process has any row of A: give at least one row");
        }
    }
    if (status != NULL) {
        *status = said;
    }
    return party_end(party, error, status);
}

spgm_error spgm_problem_new_distributed(const spgm_matrix *A, const double *b, const spgm_options *options,
                                        const spgm_communicator *communicator, spgm_problem **problem,
                                        spgm_status *status) {
    double began = clock_seconds();
    spgm_error error = check_communicator(communicator, status);
    spgm_problem *created;

    if (error != SPGM_OK) {
        return error;
    }
    if (problem == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "spgm_problem_new_distributed: the pointer that receives the problem is NULL");
    }
    created = memory_array(1, sizeof *created);
    if (created != NULL) {
        created->shared = memory_array(1, sizeof *created->shared);
    }
    if (created == NULL || created->shared == NULL) {
        struct party alone = {.all = *communicator};

        memory_free(created);
        return party_end(&alone, status_memory(status, sizeof *created + sizeof *created->shared), status);
    }
    created->shared->party.all = *communicator;
    created->shared->reduce =
        (struct reduction){party_sum, party_max, &created->shared->party, &created->shared->party};
    created->reduce = &created->shared->reduce;
    error = check_parts(created, A, b, status);
    if (error == SPGM_OK) {
        spgm_status said = {0};

        fill_problem(created, A, b, options);
        error = problem_is_normal(created) ? problem_refuse_normal("rows that are spread over processes", &said)
                                           : set_labels(created, &said);
        error = party_agree(&created->shared->party, name_process(&created->shared->party, error, &said), &said);
        if (error != SPGM_OK && status != NULL) {
            *status = said;
        }
    }
    if (error != SPGM_OK) {
        spgm_problem_free(created);
        return error;
    }
    created->seconds = clock_seconds() - began;
    *problem = created;
    return status_clear(status);
}

static uint64_t word_of(uint64_t word, const void *values, int64_t count, size_t size) {
    int64_t bytes = values == NULL ? 0 : count * (int64_t)size;

    return party_word(party_word(word, &bytes, sizeof bytes), values, bytes);
}

/* A hash of everything that must be the same on all processes, that is, all that does not belong to rows. */
static uint64_t shared_word(const struct spgm_problem *p, int64_t sparsity, const struct spgm_options *options) {
    int64_t n = p->A.columns, numbers[] = {sparsity, p->group_limit, p->weights != NULL, p->C.rows};
    uint64_t word = word_of(0, numbers, 4, sizeof *numbers);
    char text[64];

    for (int64_t i = 0; i < 2 * spgm_option_count(); i++) {
        const spgm_option_info *option = spgm_option_describe(i / 2);

        if (spgm_options_get(i % 2 == 0 ? &p->options : options, option->name, text, sizeof text, NULL) == SPGM_OK &&
            strcmp(option->name, "threads") != 0) {
            word = word_of(word, text, (int64_t)strlen(text), 1);
        }
    }
    word = word_of(word, p->loss->name, (int64_t)strlen(p->loss->name), 1);
    word = word_of(word, p->is_free, n, 1);
    word = word_of(word, p->is_excluded, n, 1);
    word = word_of(word, p->lower, n, sizeof *p->lower);
    word = word_of(word, p->upper, n, sizeof *p->upper);
    word = word_of(word, p->group_of, n, sizeof *p->group_of);
    word = word_of(word, p->linear, n, sizeof *p->linear);
    return word_of(word, p->d, p->C.rows, sizeof *p->d);
}

spgm_error problem_check_shared(const struct spgm_problem *problem, int64_t sparsity,
                                const struct spgm_options *options, spgm_status *status) {
    struct party *party = problem_party(problem);

    if (party != NULL && !party->has_failed && !party_is_same(party, shared_word(problem, sparsity, options))) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "the calls of the processes differ: the options (except threads), the sparsity, whether "
                          "there are weights, and everything that is set for columns must be the same on all of them");
    }
    return SPGM_OK;
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
    memory_free(problem->deviations);
    problem_unmerge(problem);
    workspace_free(&problem->owned);
    memory_free(problem->shared);
    memory_free(problem);
}

/* Replace *owned by a copy of values. */
static spgm_error copy_array(const spgm_memory *memory, const double *values, int64_t count, double **owned,
                             spgm_status *status) {
    double *copy = memory_beside(memory, count, sizeof *copy);

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
    spgm_error error = problem_is_normal(problem) ? problem_refuse_normal("row weights", status)
                                                  : check_not_negative(weights, rows, "weights", status);

    if (error != SPGM_OK) {
        return error;
    }
    if (!problem->loss->is_sum) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "row weights need a loss that is a sum over rows, and %s is not one: scale the rows instead",
                          problem->loss->name);
    }
    if (problem->reduce == NULL && vector_norm_inf(rows, weights) == 0) {
        return status_set(status, SPGM_ERROR_DATA, "weights are all zero: at least one must be positive");
    }
    status_clear(status);
    problem_unmerge(problem);
    error = copy_array(problem->A.memory, weights, rows, &problem->weights, status);
    return error == SPGM_OK ? problem_scale_ridge(problem, status) : error;
}

spgm_error spgm_problem_set_slopes(spgm_problem *problem, const double *up, const double *down, const double *dead,
                                   spgm_status *status) {
    int64_t rows = problem->A.rows;
    spgm_error error = problem_is_normal(problem) ? problem_refuse_normal("slopes by row", status)
                                                  : check_not_negative(up, rows, "up", status);

    if (error == SPGM_OK) {
        error = check_not_negative(down, rows, "down", status);
    }
    if (error == SPGM_OK && dead != NULL) {
        error = check_not_negative(dead, rows, "dead", status);
    }
    if (error == SPGM_OK) {
        problem_unmerge(problem);
        error = copy_array(problem->A.memory, up, rows, &problem->up, status);
    }
    if (error == SPGM_OK) {
        error = copy_array(problem->A.memory, down, rows, &problem->down, status);
    }
    if (error == SPGM_OK) {
        error = copy_array(problem->A.memory, dead, rows, &problem->dead, status);
    }
    if (error == SPGM_OK) {
        problem->loss = &loss_slopes_kind;
        status_clear(status);
    }
    return error;
}

spgm_error spgm_problem_set_linear(spgm_problem *problem, const double *p, spgm_status *status) {
    spgm_error error = array_check(p, problem->A.columns, "p", status);

    return error != SPGM_OK
               ? error
               : (status_clear(status), copy_array(problem->A.memory, p, problem->A.columns, &problem->linear, status));
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

/* Q(i, j) == Q(j, i) for every stored entry, up to rounding. */
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

            if (!islessequal(fabs(a - b), SYMMETRY_TOLERANCE * (fabs(a) + fabs(b))) || (i == j && a < 0)) {
                return status_set(status, SPGM_ERROR_DATA,
                                  "Q is not symmetric positive semidefinite: entry (%" PRId64 ", %" PRId64
                                  ") is %g and entry (%" PRId64 ", %" PRId64 ") is %g",
                                  i + 1, j + 1, a, j + 1, i + 1, b);
            }
        }
    }
    return SPGM_OK;
}

void spgm_problem_charge(spgm_problem *problem, double seconds) {
    problem->seconds += isgreater(seconds, 0) ? seconds : 0;
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
