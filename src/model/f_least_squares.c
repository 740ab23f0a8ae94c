/*
 * phi(x) = 1/2 ||C x - d||^2. State: e = C x - d [C->rows], the rows at hand.
 *
 *   gradient    C' e
 *   curvature   C_B' C_B
 *   M_s         ||C||^2
 */
#include "linalg/vector.h"
#include "model/smooth.h"

enum { HALF = 16, TILE = 2 * HALF }; /* columns of the Gram blocks that fit on the stack */

static int64_t least_squares_state_size(const struct smooth *f) {
    return f->C->rows;
}

static void least_squares_reset(const struct smooth *f, double *e) {
    for (int64_t i = 0; i < f->C->rows; i++)
        e[i] = -f->d[i];
}

static void least_squares_refresh(const struct smooth *f, const double *x, double *e) {
    linop_multiply(f->C, x, e);
    for (int64_t i = 0; i < f->C->rows; i++)
        e[i] -= f->d[i];
}

static void least_squares_update(const struct smooth *f, int64_t k, const int64_t *columns, const double *change,
                                 double *e) {
    linop_add_columns(f->C, k, columns, change, e);
}

static double least_squares_value(const struct smooth *f, const double *x, const double *e) {
    (void)x;
    double sum = vector_sum_squares(f->C->rows, e);
    reduce_sum(f->C->reduce, &sum, 1);
    return sum / 2;
}

static void least_squares_gradient(const struct smooth *f, const double *e, double *g) {
    linop_transpose(f->C, e, g);
}

static void least_squares_gradient_columns(const struct smooth *f, const double *e, int64_t k, const int64_t *columns,
                                           double *g) {
    linop_transpose_columns(f->C, k, columns, e, g);
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* M(I, J) and M(J, I) += C_I' C_J for the positions I = [first, first + ki), J = [second, second + kj). */
static void add_block(const struct smooth *f, int64_t k, const int64_t *columns, int64_t first, int64_t ki,
                      int64_t second, int64_t kj, double *M) {
    int64_t both[TILE];
    double G[TILE * TILE];
    for (int64_t i = 0; i < ki; i++)
        both[i] = columns[first + i];
    for (int64_t j = 0; j < kj; j++)
        both[ki + j] = columns[second + j];
    linop_gram(f->C, ki + kj, both, NULL, G);
    for (int64_t j = 0; j < kj; j++)
        for (int64_t i = 0; i < ki; i++) {
            M[first + i + (second + j) * k] += G[i + (ki + j) * (ki + kj)];
            M[second + j + (first + i) * k] += G[i + (ki + j) * (ki + kj)];
        }
}

/* M += C_I' C_I for I = [first, first + ki), ki <= TILE. */
static void add_diagonal_block(const struct smooth *f, int64_t k, const int64_t *columns, int64_t first, int64_t ki,
                               double *M) {
    double G[TILE * TILE];
    linop_gram(f->C, ki, columns + first, NULL, G);
    for (int64_t j = 0; j < ki; j++)
        for (int64_t i = 0; i < ki; i++)
            M[first + i + (first + j) * k] += G[i + j * ki];
}

/* By blocks, because the products need memory besides M. */
static void least_squares_add_curvature(const struct smooth *f, int64_t k, const int64_t *columns, double *M,
                                        struct stop *stop) {
    if (k <= TILE) {
        add_diagonal_block(f, k, columns, 0, k, M);
        return;
    }
    for (int64_t first = 0; first < k; first += HALF) {
        int64_t ki = smaller(HALF, k - first);
        add_diagonal_block(f, k, columns, first, ki, M);
        for (int64_t second = first + HALF; second < k; second += HALF) {
            if (f->C->reduce == NULL && stop_after(stop, f->C->rows * TILE * TILE))
                return;
            add_block(f, k, columns, first, ki, second, smaller(HALF, k - second), M);
        }
    }
}

/* One column of the second list at a time, so that the products need little memory besides G. */
static void least_squares_add_cross(const struct smooth *f, int64_t k, const int64_t *columns, int64_t l,
                                    const int64_t *right, double *G, int64_t ld) {
    double g[TILE];
    for (int64_t b = 0; b < l; b++)
        for (int64_t first = 0; first < k; first += TILE) {
            int64_t count = smaller(TILE, k - first);
            linop_cross_column(f->C, count, columns + first, right[b], NULL, g);
            for (int64_t a = 0; a < count; a++)
                G[first + a + b * ld] += g[a];
        }
}

static double least_squares_smoothness(const struct smooth *f, double *work, struct stop *stop) {
    double norm = linop_norm_until(f->C, work, stop);
    return norm * norm;
}

/* 1/2 ||C x - d||^2 >= v'(C x - d) - 1/2 ||v||^2 for every v; the state is used as v. */
static struct smooth_tangent least_squares_tangent(const struct smooth *f, int64_t k, const int64_t *columns,
                                                   const double *z, const double *v, double *work,
                                                   struct number *slope) {
    int64_t rows = f->C->rows;
    struct number vv = sum_close(sum_dot(rows, v, v), 0, f->C->reduce);
    struct number dd = sum_close(sum_dot(rows, f->d, f->d), 8 * DBL_EPSILON, f->C->reduce);
    struct number vd = sum_close(sum_dot(rows, v, f->d), 8 * DBL_EPSILON, f->C->reduce);
    (void)z;
    for (int64_t i = 0; i < k; i++) {
        linop_gather(f->C, 1, columns + i, work, rows);
        slope[i] = sum_close(sum_dot(rows, v, work), 8 * DBL_EPSILON, f->C->reduce);
    }
    return (struct smooth_tangent){number_add((struct number){-vv.value / 2, vv.error / 2}, -1, vd),
                                   (sqrt(number_above(vv)) + sqrt(number_above(dd))) * (1 + 4 * DBL_EPSILON)};
}

static double least_squares_formula(int64_t rows, const double *x, const double *v, const double *d) {
    (void)x;
    double sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += (v[i] - d[i]) * (v[i] - d[i]);
    return sum / 2;
}

const struct smooth_term smooth_least_squares = {
    .name = "least squares",
    .state_size = least_squares_state_size,
    .reset = least_squares_reset,
    .refresh = least_squares_refresh,
    .update = least_squares_update,
    .value = least_squares_value,
    .gradient = least_squares_gradient,
    .gradient_columns = least_squares_gradient_columns,
    .add_curvature = least_squares_add_curvature,
    .add_cross = least_squares_add_cross,
    .smoothness = least_squares_smoothness,
    .tangent = least_squares_tangent,
    .formula = least_squares_formula,
    .is_framed = 1,
};
