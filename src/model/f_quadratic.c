/*
 * phi(z) = 1/2 x'Qx with x = D z, D = diag(scale); Q [n0 x n0] symmetric positive semidefinite. z may have one more
 * entry, the intercept, which does not enter. State: v = Q D z [n0].
 *
 *   gradient    D v, 0 for the intercept
 *   curvature   (D Q D)_BB
 *   M_s         ||D Q D||
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "model/smooth.h"

enum { CHUNK = 64, POWER_STEPS = 300 };

static double scale_of(const struct smooth *f, int64_t j) {
    return f->scale == NULL ? 1 : f->scale[j];
}

static int64_t quadratic_state_size(const struct smooth *f) {
    return f->C->rows;
}

/* v += Q D dz for the columns that Q has; `change` goes with columns, which is NULL for 0..k-1. */
static void add_changes(const struct smooth *f, int64_t k, const int64_t *columns, const double *change, double *v) {
    int64_t chunk_columns[CHUNK];
    double chunk[CHUNK];
    int64_t size = 0;
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns == NULL ? i : columns[i];
        if (j >= f->C->columns || change[i] == 0)
            continue;
        chunk_columns[size] = j;
        chunk[size++] = scale_of(f, j) * change[i];
        if (size == CHUNK) {
            linop_add_columns(f->C, size, chunk_columns, chunk, v);
            size = 0;
        }
    }
    linop_add_columns(f->C, size, chunk_columns, chunk, v);
}

static void quadratic_refresh(const struct smooth *f, const double *z, double *v) {
    memset(v, 0, (size_t)f->C->rows * sizeof *v);
    add_changes(f, f->C->columns, NULL, z, v);
}

static void quadratic_update(const struct smooth *f, int64_t k, const int64_t *columns, const double *change,
                             double *v) {
    add_changes(f, k, columns, change, v);
}

static double quadratic_value(const struct smooth *f, const double *z, const double *v) {
    double sum = 0;
    for (int64_t j = 0; j < f->C->columns; j++)
        sum += scale_of(f, j) * z[j] * v[j];
    return sum / 2;
}

static void quadratic_gradient(const struct smooth *f, const double *v, double *g) {
    for (int64_t j = 0; j < f->C->columns; j++)
        g[j] = scale_of(f, j) * v[j];
    for (int64_t j = f->C->columns; j < f->columns; j++)
        g[j] = 0;
}

static void quadratic_gradient_columns(const struct smooth *f, const double *v, int64_t k, const int64_t *columns,
                                       double *g) {
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns[i];
        g[i] = j < f->C->columns ? scale_of(f, j) * v[j] : 0;
    }
}

/* Q(i, j); in a sparse matrix by bisection of column j. */
static double entry(const spgm_matrix *Q, int64_t i, int64_t j) {
    if (Q->column_start == NULL)
        return Q->values[i + j * Q->leading_dimension];
    int64_t low = Q->column_start[j], end = Q->column_start[j + 1], high = end;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (Q->row_index[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && Q->row_index[low] == i ? Q->values[low] : 0;
}

static void quadratic_add_curvature(const struct smooth *f, int64_t k, const int64_t *columns, double *M) {
    int64_t n0 = f->C->columns;
    for (int64_t b = 0; b < k; b++)
        for (int64_t a = 0; a < k; a++)
            if (columns[a] < n0 && columns[b] < n0)
                M[a + b * k] +=
                    scale_of(f, columns[a]) * entry(&f->Q, columns[a], columns[b]) * scale_of(f, columns[b]);
}

/* y = D Q D x, work [n0] */
static void multiply_scaled(const struct smooth *f, const double *x, double *y) {
    memset(y, 0, (size_t)f->C->rows * sizeof *y);
    add_changes(f, f->C->columns, NULL, x, y);
    for (int64_t j = 0; j < f->C->columns; j++)
        y[j] *= scale_of(f, j);
}

/* max_j of the column sums of |D Q D|, which is at least its norm. */
static double column_sum_bound(const struct smooth *f) {
    const spgm_matrix *Q = &f->Q;
    double bound = 0;
    for (int64_t j = 0; j < Q->columns; j++) {
        double sum = 0;
        int64_t begin = Q->column_start == NULL ? 0 : Q->column_start[j];
        int64_t end = Q->column_start == NULL ? Q->rows : Q->column_start[j + 1];
        for (int64_t p = begin; p < end; p++)
            sum += Q->column_start == NULL ? fabs(Q->values[p + j * Q->leading_dimension]) * scale_of(f, p)
                                           : fabs(Q->values[p]) * scale_of(f, Q->row_index[p]);
        bound = fmax(bound, sum * scale_of(f, j));
    }
    return bound;
}

/*
 * Power iteration from a fixed start; for a positive semidefinite matrix ||D Q D x|| / ||x|| climbs to the norm. The
 * result is raised by one per cent for what is still missing, and cut to the bound by column sums, which is exact for
 * diagonal matrices.
 */
static double quadratic_smoothness(const struct smooth *f, double *work) {
    int64_t n0 = f->C->columns;
    double *x = work, *y = work + n0, norm = 0;
    double bound = column_sum_bound(f);
    if (bound == 0)
        return 0;
    for (int64_t j = 0; j < n0; j++)
        x[j] = 1 + (double)(j * 7919 % 1009) / 1009 * (j % 2 == 0 ? 1 : -1);
    vector_scale(n0, 1 / vector_norm(n0, x), x);
    for (int step = 0; step < POWER_STEPS; step++) {
        multiply_scaled(f, x, y);
        double next = vector_norm(n0, y);
        if (next == 0 || !isfinite(next))
            return bound;
        for (int64_t j = 0; j < n0; j++)
            x[j] = y[j] / next;
        double gain = next - norm;
        norm = next;
        if (gain <= 1e-6 * norm)
            break;
    }
    return fmin(norm * 1.01, bound);
}

const struct smooth_term smooth_quadratic = {
    .name = "quadratic",
    .state_size = quadratic_state_size,
    .refresh = quadratic_refresh,
    .update = quadratic_update,
    .value = quadratic_value,
    .gradient = quadratic_gradient,
    .gradient_columns = quadratic_gradient_columns,
    .add_curvature = quadratic_add_curvature,
    .smoothness = quadratic_smoothness,
};
