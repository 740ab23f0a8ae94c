/*
 * Is F bounded below? h, the ridge and the terms are nonnegative, so only p'x can make it unbounded.
 *
 * HOW IT WORKS: F decreases without limit along a direction d that no bound ends if f does not curve along it (no
 * ridge, Q d = 0 or C d = 0) and
 *
 *     p'd + h_inf(A d) < 0,        h_inf(r) = lim h(t r) / t        (`recession` of the loss).
 *
 * Single columns are tried before a run. After it the direction is x itself, because a run that follows such a ray ends
 * far out on it.
 *
 * LIMITATIONS: a direction d with several columns is not detected before the run. Sums that cancel to RAY_NEGLIGIBLE of
 * their terms count as zero, and so do sums below RAY_REST of the largest: the part of x that does not belong to the
 * ray.
 */
#include "model/bounded.h"

#include <inttypes.h>
#include <math.h>

#include "linalg/matrix.h"
#include "model/constants.h"

/* d by its nonzeros, as for x in evaluate.c. */
struct direction {
    int64_t count;
    const int64_t *columns;
    const double *values;
    double intercept;
};

/* r = M d without the intercept, and in the same order the sum of the absolute values of its terms. */
static void multiply(const spgm_matrix *M, struct direction d, double *r, double *size) {
    for (int64_t i = 0; i < M->rows; i++) {
        r[i] = 0;
        size[i] = 0;
    }
    for (int64_t c = 0; c < d.count; c++) {
        const double *values;
        const int32_t *rows;
        int64_t count = matrix_column(M, d.columns[c], &values, &rows);

        for (int64_t k = 0; k < count; k++) {
            int64_t i = rows == NULL ? k : rows[k];
            double entry = values == NULL ? matrix_entry(M, k, d.columns[c]) : values[k];

            r[i] += entry * d.values[c];
            size[i] += fabs(entry * d.values[c]);
        }
    }
}

static int is_negligible(int64_t rows, const double *r, const double *size) {
    double most = 0;

    for (int64_t i = 0; i < rows; i++) {
        most = fmax(most, size[i]);
    }
    for (int64_t i = 0; i < rows; i++) {
        if (!islessequal(fabs(r[i]), fmax(RAY_NEGLIGIBLE * size[i], RAY_REST * most))) {
            return 0;
        }
    }
    return 1;
}

/* ---- single columns ------------------------------------------------------------------------------------------ */

/* Buffers for the entries of a column and the parameters of their rows. */
struct part {
    double *r, *up, *down, *weight, *label; /* [rows] */
};

static double *take(const double *from, int64_t count, const int32_t *rows, double *room) {
    for (int64_t k = 0; from != NULL && k < count; k++) {
        room[k] = from[rows == NULL ? k : rows[k]];
    }
    return from == NULL ? NULL : room;
}

/* h_inf(sign a_j), from the rows in which a_j has entries. */
static double column_slope(const struct loss *h, const spgm_matrix *A, int64_t j, double sign, struct part part) {
    struct loss touched = *h;
    const double *values;
    const int32_t *rows;
    int64_t count = matrix_column(A, j, &values, &rows);

    for (int64_t k = 0; k < count; k++) {
        part.r[k] = sign * (values == NULL ? matrix_entry(A, k, j) : values[k]);
    }
    touched.rows = count;
    touched.up = take(h->up, count, rows, part.up);
    touched.down = take(h->down, count, rows, part.down);
    touched.weight = take(h->weight, count, rows, part.weight);
    touched.label = take(h->label, count, rows, part.label);
    touched.are_same = 0;
    return h->ops->recession(&touched, part.r);
}

/* Whether x_j may go to infinity in the direction of `sign`: it is not excluded and has no bound there. */
static int is_open(const struct spgm_problem *problem, int64_t j, double sign) {
    return (problem->is_excluded == NULL || !problem->is_excluded[j]) &&
           (problem->lower == NULL || isinf(sign < 0 ? problem->lower[j] : problem->upper[j]));
}

static spgm_error unbounded_column(int64_t j, double p, double slope, spgm_status *status) {
    return status_set(status, SPGM_ERROR_UNBOUNDED,
                      "F is unbounded below: the linear term changes by %g for each unit of x_%" PRId64
                      ", the loss by at most %g, and no other term bounds it; set a ridge, or correct the linear term",
                      p, j + 1, slope);
}

spgm_error bounded_columns(const struct spgm_problem *problem, int64_t sparsity, spgm_status *status) {
    struct workspace workspace = {.memory = problem->A.memory};
    struct loss h = {0};
    struct part part;
    spgm_error error = SPGM_OK;
    int64_t rows = problem->A.rows;

    if (problem->linear == NULL || problem->options.ridge > 0) {
        return SPGM_OK;
    }
    problem_loss(problem, &workspace, &h);
    h.reduce = problem->reduce;
    part.r = workspace_doubles(&workspace, rows);
    part.up = workspace_doubles(&workspace, rows);
    part.down = workspace_doubles(&workspace, rows);
    part.weight = workspace_doubles(&workspace, rows);
    part.label = workspace_doubles(&workspace, rows);
    error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;
    for (int64_t j = 0; error == SPGM_OK && j < problem->A.columns; j++) {
        double p = problem->linear[j];
        int may_be_in = sparsity > 0 || (problem->is_free != NULL && problem->is_free[j]);
        double slope;

        if (p == 0 || !may_be_in || !is_open(problem, j, -p) ||
            (problem->term != NULL && !matrix_column_is_zero(&problem->C, j))) {
            continue;
        }
        slope = column_slope(&h, &problem->A, j, p > 0 ? -1 : 1, part);
        if (isless(slope, (1 - RAY_SLACK) * fabs(p))) {
            error = unbounded_column(j, p, slope, status);
        }
    }
    workspace_free(&workspace);
    return error;
}

/* ---- the end of a run ---------------------------------------------------------------------------------------- */

/* Whether the term of f does not curve along d: Q d = 0, or C d = 0. */
static int is_straight(const struct spgm_problem *problem, struct direction d, struct workspace *workspace) {
    double *r = workspace_doubles(workspace, problem->C.rows);
    double *size = workspace_doubles(workspace, problem->C.rows);

    if (workspace->failed) {
        return 0;
    }
    multiply(&problem->C, d, r, size);
    return is_negligible(problem->C.rows, r, size);
}

/* The intercept of d, or 0 if it is rounding relative to A d; for a zero row there is no other reference. */
static double intercept_along(const struct spgm_problem *problem, struct direction d, const double *size) {
    double most = 0;

    for (int64_t i = 0; i < problem->A.rows; i++) {
        most = fmax(most, size[i]);
    }
    reduce_max(problem->reduce, &most, 1);
    return fabs(d.intercept) > RAY_NEGLIGIBLE * most ? d.intercept : 0;
}

/* h_inf(A d + intercept), with entries that are zero up to rounding set to zero. */
static double slope_along(const struct spgm_problem *problem, struct direction d, struct workspace *workspace) {
    struct loss h = {0};
    double *r = workspace_doubles(workspace, problem->A.rows);
    double *size = workspace_doubles(workspace, problem->A.rows);
    double intercept, most = 0;

    problem_loss(problem, workspace, &h);
    if (workspace->failed) {
        return INFINITY;
    }
    h.reduce = problem->reduce;
    multiply(&problem->A, d, r, size);
    intercept = intercept_along(problem, d, size);
    for (int64_t i = 0; i < problem->A.rows; i++) {
        r[i] += intercept;
        size[i] += fabs(intercept);
        most = fmax(most, size[i]);
    }
    reduce_max(problem->reduce, &most, 1);
    for (int64_t i = 0; i < problem->A.rows; i++) {
        r[i] = islessequal(fabs(r[i]), fmax(RAY_NEGLIGIBLE * size[i], RAY_REST * most)) ? 0 : r[i];
    }
    return h.ops->recession(&h, r);
}

/* Whether any of the nonzeros of x may go to infinity. */
static int has_open(const struct spgm_problem *problem, struct direction x) {
    for (int64_t k = 0; k < x.count; k++) {
        if (is_open(problem, x.columns[k], x.values[k])) {
            return 1;
        }
    }
    return 0;
}

/* Whether x, without the entries that a bound holds, is the direction of a ray. x is scaled first, because on a ray it
 * may be close to the largest double. */
static int is_ray(const struct spgm_problem *problem, struct direction x, struct workspace *workspace) {
    double *values = workspace_doubles(workspace, x.count);
    struct direction d = {x.count, x.columns, values, 0};
    double largest = fabs(x.intercept);
    double fall = 0;
    double size = 0;

    for (int64_t k = 0; k < x.count; k++) {
        largest = is_open(problem, x.columns[k], x.values[k]) ? fmax(largest, fabs(x.values[k])) : largest;
    }
    if (workspace->failed || largest == 0 || !isfinite(largest)) {
        return 0;
    }
    d.intercept = x.intercept / largest;
    for (int64_t k = 0; k < x.count; k++) {
        values[k] = is_open(problem, x.columns[k], x.values[k]) ? x.values[k] / largest : 0;
        fall += problem->linear[x.columns[k]] * values[k];
        size += fabs(problem->linear[x.columns[k]] * values[k]);
    }
    return isless(fall, 0) && (problem->term == NULL || is_straight(problem, d, workspace)) &&
           isless(fall + slope_along(problem, d, workspace), -RAY_SLACK * size);
}

spgm_error bounded_at(const struct spgm_problem *problem, int64_t count, const int64_t *columns, const double *values,
                      double intercept, double objective, spgm_status *status) {
    struct workspace workspace = {.memory = problem->A.memory};
    struct direction x = {count, columns, values, intercept};
    int may_fall = problem->linear != NULL && problem->options.ridge == 0 && has_open(problem, x);
    double at_zero = 0;
    spgm_error error = SPGM_OK;

    if (!may_fall && isfinite(objective)) {
        return SPGM_OK;
    }
    if (!may_fall) {
        return status_set(status, SPGM_ERROR_DATA,
                          "F or its coefficients exceed the largest double: rescale the columns of A, the target and "
                          "the smooth terms to sizes nearer 1");
    }
    error = problem_evaluate(problem, 0, NULL, NULL, 0, &at_zero, NULL, NULL, status);
    if (error == SPGM_OK && (!isgreater(objective, -RAY_FAR * (1 + fabs(at_zero))) || !isfinite(objective) ||
                             is_ray(problem, x, &workspace))) {
        error = status_set(status, SPGM_ERROR_UNBOUNDED,
                           "F is unbounded below: it was %g where the run ended, and it decreases without limit along "
                           "the same line; set a ridge, or correct the linear term",
                           objective);
    }
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    }
    workspace_free(&workspace);
    return error;
}
