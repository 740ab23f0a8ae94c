/*
 * Is a symmetric matrix Q positive semidefinite?
 *
 * HOW IT WORKS: no eigenvalue of C = D Q D, where D makes the diagonal 1, may be below -DEFINITE_TOLERANCE; C instead
 * of Q makes the answer independent of the units of the columns. Cheap tests come first: a negative 2 x 2 minor
 * disproves it, a diagonal that dominates every row proves it. Otherwise C + DEFINITE_TOLERANCE I is factored. If that
 * fails, the factor gives an x with x'Qx < 0, which is verified with Q itself.
 *
 * LIMITATIONS: for more than DEFINITE_FACTORED columns the Lanczos method looks for a negative eigenvalue. One that it
 * finds is real, but a small one among many may be missed.
 */
#include "model/definite.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/constants.h"

/* C restricted to the columns with entries off the diagonal; the others cannot be indefinite. */
struct scaled {
    const spgm_matrix *Q;
    int64_t count;    /* number of such columns */
    int64_t *columns; /* [count] of Q                                       */
    int64_t *place;   /* [Q->columns] place among these columns, -1: not one of them */
    double *scale;    /* [Q->columns] 1 / sqrt(q_jj), 0 if q_jj is zero */
    struct workspace workspace;
};

/* ---- entries ---------------------------------------------------------------------------------------------- */

static double diagonal_at(const spgm_matrix *Q, int64_t j) {
    const double *values;
    const int32_t *rows;
    int64_t count = matrix_column(Q, j, &values, &rows);

    for (int64_t k = 0; rows != NULL && k < count; k++) {
        if (rows[k] == j) {
            return values[k];
        }
    }
    return rows == NULL ? values[j] : 0;
}

/* ---- the cheap answers ------------------------------------------------------------------------------------- */

static spgm_error negative_minor(int64_t i, int64_t j, double diagonal_i, double diagonal_j, double between,
                                 spgm_status *status) {
    return status_set(
        status, SPGM_ERROR_DATA,
        "Q is not positive semidefinite: in columns %" PRId64 " and %" PRId64
        " the diagonal has %g and %g, and the entry between them is %g, which exceeds the square root of their product",
        i + 1, j + 1, diagonal_i, diagonal_j, between);
}

/*
 * Compute the scales, list the columns of C, and test the 2 x 2 minors; *dominated says whether the diagonal dominates.
 */
static spgm_error look_at_entries(struct scaled *C, int *dominated, spgm_status *status) {
    const spgm_matrix *Q = C->Q;

    *dominated = 1;
    for (int64_t j = 0; j < Q->columns; j++) {
        double diagonal = diagonal_at(Q, j);

        C->scale[j] = diagonal > 0 ? 1 / sqrt(diagonal) : 0;
        C->place[j] = -1;
    }
    for (int64_t j = 0; j < Q->columns; j++) {
        const double *values;
        const int32_t *rows;
        int64_t count = matrix_column(Q, j, &values, &rows);
        double sum = 0;

        for (int64_t k = 0; k < count; k++) {
            int64_t i = rows == NULL ? k : rows[k];
            double between = values[k] * C->scale[i] * C->scale[j]; /* c_ij */

            if (i == j || values[k] == 0) {
                continue;
            }
            if (C->scale[i] == 0 || C->scale[j] == 0 || fabs(between) > 1 + DEFINITE_TOLERANCE) {
                int64_t low = i < j ? i : j;
                int64_t high = i < j ? j : i;

                return negative_minor(low, high, diagonal_at(Q, low), diagonal_at(Q, high), values[k], status);
            }
            sum += fabs(between);
        }
        *dominated &= sum <= 1;
        if (sum > 0) {
            C->place[j] = C->count;
            C->columns[C->count++] = j;
        }
    }
    return SPGM_OK;
}

/* ---- by factoring ------------------------------------------------------------------------------------------ */

/* C + DEFINITE_TOLERANCE I, count x count, both triangles. */
static void fill_dense(const struct scaled *C, double *M) {
    memset(M, 0, sizeof *M * (size_t)(C->count * C->count));
    for (int64_t column = 0; column < C->count; column++) {
        int64_t j = C->columns[column];
        const double *values;
        const int32_t *rows;
        int64_t count = matrix_column(C->Q, j, &values, &rows);

        for (int64_t k = 0; k < count; k++) {
            int64_t i = rows == NULL ? k : rows[k];

            if (C->place[i] >= 0) {
                M[C->place[i] + column * C->count] = values[k] * C->scale[i] * C->scale[j];
            }
        }
        M[column + column * C->count] = 1 + DEFINITE_TOLERANCE;
    }
}

/* y = C x over the columns of C. */
static void multiply(const struct scaled *C, const double *x, double *y) {
    memset(y, 0, sizeof *y * (size_t)C->count);
    for (int64_t column = 0; column < C->count; column++) {
        int64_t j = C->columns[column];
        const double *values;
        const int32_t *rows;
        int64_t count = matrix_column(C->Q, j, &values, &rows);
        double factor = C->scale[j] * x[column];

        for (int64_t k = 0; factor != 0 && k < count; k++) {
            int64_t i = rows == NULL ? k : rows[k];

            if (C->place[i] >= 0) {
                y[C->place[i]] += factor * C->scale[i] * values[k];
            }
        }
    }
}

/* Compute rows of L until a pivot is not positive; that row is k. Then v = (-(L L')^-1 g, 1) has v'(C +
 * DEFINITE_TOLERANCE I)v <= 0. Returns -1 if all pivots are positive. */
static int64_t find_direction(const struct scaled *C, const double *M, double *L, double *v) {
    for (int64_t k = 0; k < C->count; k++) {
        const double *g = M + k * C->count;

        if (!cholesky_append(k, L, C->count, g, g[k], 0)) {
            vector_copy(k, g, v);
            cholesky_solve(k, L, C->count, v);
            vector_scale(k, -1, v);
            v[k] = 1;
            return k;
        }
    }
    return -1;
}

static spgm_error negative_direction(const struct scaled *C, int64_t k, const double *v, double curvature,
                                     spgm_status *status) {
    return status_set(status, SPGM_ERROR_DATA,
                      "Q is not positive semidefinite: x'Qx = %g for an x on the first %" PRId64
                      " columns with x_%" PRId64 " = %g",
                      curvature, C->columns[k] + 1, C->columns[k] + 1, v[k] * C->scale[C->columns[k]]);
}

static spgm_error check_by_factor(struct scaled *C, spgm_status *status) {
    int64_t n = C->count;
    double *M = workspace_doubles(&C->workspace, n * n);
    double *L = workspace_doubles(&C->workspace, n * n);
    double *v = workspace_doubles(&C->workspace, n);
    double *Cv = workspace_doubles(&C->workspace, n);
    int64_t k;

    if (C->workspace.failed) {
        return status_memory(status, C->workspace.bytes);
    }
    fill_dense(C, M);
    vector_copy(n * n, M, L);
    if (dense_factor(n, L, n)) {
        return SPGM_OK;
    }
    k = find_direction(C, M, L, v);
    if (k < 0) {
        return SPGM_OK;
    }
    vector_scale(n, 1 / vector_norm(n, v), v);
    multiply(C, v, Cv);
    return vector_dot(n, v, Cv) < 0 ? negative_direction(C, k, v, vector_dot(n, v, Cv), status) : SPGM_OK;
}

/* ---- by Lanczos's method ----------------------------------------------------------------------------------- */

/* Whether the tridiagonal matrix has an eigenvalue below `level`: exactly then a pivot of its LDL' is negative. */
static int has_below(int64_t steps, const double *alpha, const double *beta, double level) {
    double pivot = alpha[0] - level;

    for (int64_t k = 1; k < steps && pivot > 0; k++) {
        pivot = alpha[k] - level - beta[k - 1] * beta[k - 1] / pivot;
    }
    return !(pivot > 0);
}

/* Its smallest eigenvalue, which must be below -DEFINITE_TOLERANCE, to three digits. */
static double smallest(int64_t steps, const double *alpha, const double *beta) {
    double low = -DEFINITE_TOLERANCE;
    double high = -DEFINITE_TOLERANCE;

    while (has_below(steps, alpha, beta, low) && low > -1e9) {
        high = low;
        low *= 2;
    }
    for (int halving = 0; halving < 12; halving++) {
        double middle = 0.5 * (low + high);

        *(has_below(steps, alpha, beta, middle) ? &high : &low) = middle;
    }
    return high;
}

/* v, before: the last two vectors; next is scratch [count]. Returns the number of steps. */
static int64_t lanczos(const struct scaled *C, double *v, double *before, double *next, double *alpha, double *beta) {
    for (int64_t k = 0; k < DEFINITE_STEPS; k++) {
        double *last = before;

        multiply(C, v, next);
        alpha[k] = vector_dot(C->count, v, next);
        vector_axpy(C->count, -alpha[k], v, next);
        vector_axpy(C->count, k > 0 ? -beta[k - 1] : 0, before, next);
        beta[k] = vector_norm(C->count, next);
        if (!(beta[k] > 1e-12)) {
            return k + 1;
        }
        vector_scale(C->count, 1 / beta[k], next);
        before = v;
        v = next;
        next = last;
    }
    return DEFINITE_STEPS;
}

static spgm_error check_by_lanczos(struct scaled *C, spgm_status *status) {
    double alpha[DEFINITE_STEPS], beta[DEFINITE_STEPS];
    double *v = workspace_doubles(&C->workspace, C->count);
    double *before = workspace_doubles(&C->workspace, C->count);
    double *next = workspace_doubles(&C->workspace, C->count);
    struct random random;
    int64_t steps;

    if (C->workspace.failed) {
        return status_memory(status, C->workspace.bytes);
    }
    random_seed(&random, 1, 0);
    for (int64_t k = 0; k < C->count; k++) {
        v[k] = random_normal(&random);
    }
    vector_scale(C->count, 1 / vector_norm(C->count, v), v);
    steps = lanczos(C, v, before, next, alpha, beta);
    if (!has_below(steps, alpha, beta, -DEFINITE_TOLERANCE)) {
        return SPGM_OK;
    }
    return status_set(status, SPGM_ERROR_DATA,
                      "Q is not positive semidefinite: scaled to a unit diagonal it has an eigenvalue of %.3g or less",
                      smallest(steps, alpha, beta));
}

spgm_error definite_check(const spgm_matrix *Q, spgm_status *status) {
    struct scaled C = {.Q = Q};
    spgm_error error;
    int dominated = 0;

    C.columns = workspace_integers(&C.workspace, Q->columns);
    C.place = workspace_integers(&C.workspace, Q->columns);
    C.scale = workspace_doubles(&C.workspace, Q->columns);
    error = C.workspace.failed ? status_memory(status, C.workspace.bytes) : look_at_entries(&C, &dominated, status);
    if (error == SPGM_OK && !dominated) {
        error = C.count <= DEFINITE_FACTORED ? check_by_factor(&C, status) : check_by_lanczos(&C, status);
    }
    workspace_free(&C.workspace);
    return error;
}
