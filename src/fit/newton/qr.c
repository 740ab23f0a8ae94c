/*
 * The Newton step as a least-squares problem: H = B'B with B = [ (c W)^(1/2) A ; Omega^(1/2) ], and H d = -g is
 * minimise ||B d - y|| with B'y = -g. An orthogonal factor of B keeps full accuracy where the normal matrix has lost
 * half the digits. It is computed by Gram-Schmidt with each column orthogonalised twice; columns that vanish rest.
 * Nearly dependent columns come last: once the other columns span the whole space, none of them needs coefficients of
 * 1e7.
 */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/newton/internal.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

static int64_t height(const struct newton *n) {
    return n->rows + n->state->capacity;
}

static double root_weight(const struct newton *n, int64_t i) {
    return sqrt(n->normal.c * (n->normal.is_plain ? 1 : n->normal.W[i]));
}

/* Column `position` of B. */
static void weigh_column(struct newton *n, int64_t position, double *v) {
    const struct fit_state *s = n->state;

    linop_gather(s->problem->A, 1, &s->columns[position], v, n->rows);
    for (int64_t i = 0; i < n->rows; i++) {
        v[i] *= root_weight(n, i);
    }
    memset(v + n->rows, 0, (size_t)s->capacity * sizeof *v);
    v[n->rows + position] = sqrt(n->normal.diagonal[position]);
}

/* The rows of A may be spread over processes. Those of Omega are the same in every process and must count once. */
static double dot_all(const struct newton *n, const double *x, const double *y) {
    double sum = vector_dot(n->rows, x, y);

    reduce_sum(n->state->problem->A->reduce, &sum, 1);
    return sum + vector_dot(n->state->capacity, x + n->rows, y + n->rows);
}

/* coefficients [k] = basis'v, v -= basis coefficients */
static void orthogonalise(struct newton *n, int64_t k, double *v, double *coefficients) {
    int64_t ld = height(n);

    dense_dot_columns(n->rows, k, n->basis, ld, v, coefficients);
    reduce_sum(n->state->problem->A->reduce, coefficients, k);
    for (int64_t j = 0; j < k; j++) {
        coefficients[j] += vector_dot(n->state->capacity, n->basis + j * ld + n->rows, v + n->rows);
    }
    for (int64_t j = 0; j < k; j++) {
        vector_axpy(ld, -coefficients[j], n->basis + j * ld, v);
    }
}

/* Append a column to the basis and to R if more than this share of its length is left after projection, otherwise let
 * it rest. */
static void append(struct newton *n, int64_t position, double least) {
    struct face *face = &n->face;
    int64_t k = face->count, ld = n->state->capacity;
    double *v = n->basis + k * height(n), *column = face->R + k * ld, *again = n->weighted + height(n);
    double whole, left;

    weigh_column(n, position, v);
    whole = sqrt(dot_all(n, v, v));
    orthogonalise(n, k, v, column);
    orthogonalise(n, k, v, again);
    vector_axpy(k, 1, again, column);
    left = sqrt(dot_all(n, v, v));
    if (!isgreater(left, least * whole)) {
        face->state[position] = RESTS;
        return;
    }
    vector_scale(height(n), 1 / left, v);
    column[k] = left;
    face->order[k] = position;
    face->state[position] = MOVES;
    face->count++;
}

/* d = R^-1 Q'y with y = [ -u / (c W)^(1/2) ; 0 ], plus R^-1 R^-T of the gradient of f. */
static void solve(struct newton *n) {
    struct face *face = &n->face;
    int64_t k = face->count, ld = n->state->capacity;
    double *y = n->weighted, *pull = n->weighted + height(n), *part = pull + ld;

    memset(y, 0, (size_t)height(n) * sizeof *y);
    for (int64_t i = 0; i < n->rows; i++) {
        double root = root_weight(n, i);

        y[i] = root > 0 ? -n->state->dual[i] / root : 0;
    }
    orthogonalise(n, k, y, part);
    for (int64_t i = 0; i < k; i++) {
        pull[i] = -n->smooth[face->order[i]];
    }
    dense_solve_upper_transposed(k, face->R, ld, pull);
    vector_axpy(k, 1, pull, part);
    n->decrement = vector_sum_squares(k, part);
    dense_solve_upper(k, face->R, ld, part);
    memset(n->d, 0, (size_t)n->state->size * sizeof *n->d);
    for (int64_t i = 0; i < k; i++) {
        n->d[face->order[i]] = part[i];
    }
}

/* B cannot represent rows of weight 0 with a slope, nor terms of f other than a ridge. */
static int applies(const struct newton *n) {
    double is_wrong = 0;

    for (int64_t i = 0; !n->normal.is_plain && i < n->rows; i++) {
        is_wrong = n->normal.W[i] == 0 && n->state->dual[i] != 0 ? 1 : is_wrong;
    }
    reduce_max(n->state->problem->A->reduce, &is_wrong, 1);
    return is_wrong == 0 && n->state->problem->f.term == NULL;
}

int qr_is_large(const struct newton *n) {
    return (double)height(n) * (double)n->state->capacity > MOST_AT_ONCE;
}

/* Returns 0 if there is no memory for the basis. The normal matrix is then used instead. */
static int has_basis(struct newton *n) {
    double is_missing;

    if (n->basis == NULL) {
        n->basis = n->late_basis =
            memory_beside(n->state->problem->A->memory, height(n), (size_t)n->state->capacity * sizeof *n->basis);
    }
    is_missing = n->basis == NULL;
    reduce_max(n->state->problem->A->reduce, &is_missing, 1);
    return is_missing == 0;
}

/* Append the columns that may move and are not in the basis yet. Returns 0 if stopped. */
static int append_all(struct newton *n, double least) {
    struct face *face = &n->face;

    for (int64_t i = 0; i < n->state->size; i++) {
        if (face->state[i] == RESTS) {
            append(n, i, least);
            n->state->spent += 4 * (double)height(n) * (double)(face->count + 1);
            if (stop_after(&n->state->stop, 4 * height(n) * (face->count + 1))) {
                return 0;
            }
        }
    }
    return 1;
}

int qr_step(struct newton *n) {
    struct face *face = &n->face;

    if (!applies(n) || !has_basis(n)) {
        return 0;
    }
    face->count = 0;
    for (int64_t i = 0; i < n->state->size; i++) {
        face->state[i] = face->state[i] == MOVES ? RESTS : face->state[i];
    }
    if (!append_all(n, BASIS_NEARLY) || !append_all(n, QR_VANISHED)) {
        return 0;
    }
    solve(n);
    return 1;
}
