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

#include "base/random.h"
#include "linalg/constants.h"
#include "linalg/vector.h"
#include "model/smooth.h"

enum { CHUNK = 64 };

static double scale_of(const struct smooth *f, int64_t j) {
    return f->scale == NULL ? 1 : f->scale[j];
}

static int64_t quadratic_state_size(const struct smooth *f) {
    return f->C->rows;
}

/* v += Q D dz for the columns of Q; `change` is parallel to columns, which may be NULL for 0..k-1. */
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

static void quadratic_reset(const struct smooth *f, double *v) {
    memset(v, 0, (size_t)f->C->rows * sizeof *v);
}

static void quadratic_refresh(const struct smooth *f, const double *z, double *v) {
    quadratic_reset(f, v);
    add_changes(f, f->C->columns, NULL, z, v);
}

static void quadratic_update(const struct smooth *f, int64_t k, const int64_t *columns, const double *change,
                             double *v) {
    add_changes(f, k, columns, change, v);
}

static double quadratic_value(const struct smooth *f, const double *z, const double *v) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
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

/* Q(i, j), in a sparse matrix by bisection of column j. */
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

static void quadratic_add_curvature(const struct smooth *f, int64_t k, const int64_t *columns, double *M,
                                    struct stop *stop) {
    int64_t n0 = f->C->columns;
    for (int64_t b = 0; b < k && !stop_after(stop, 8 * k); b++)
        for (int64_t a = 0; a < k; a++)
            if (columns[a] < n0 && columns[b] < n0)
                M[a + b * k] +=
                    scale_of(f, columns[a]) * entry(&f->Q, columns[a], columns[b]) * scale_of(f, columns[b]);
}

static void quadratic_add_cross(const struct smooth *f, int64_t k, const int64_t *columns, int64_t l,
                                const int64_t *right, double *G, int64_t ld) {
    int64_t n0 = f->C->columns;
    for (int64_t b = 0; b < l; b++)
        for (int64_t a = 0; a < k; a++)
            if (columns[a] < n0 && right[b] < n0)
                G[a + b * ld] += scale_of(f, columns[a]) * entry(&f->Q, columns[a], right[b]) * scale_of(f, right[b]);
}

/* y = D Q D x */
static void multiply_scaled(const struct smooth *f, const double *x, double *y) {
    memset(y, 0, (size_t)f->C->rows * sizeof *y);
    add_changes(f, f->C->columns, NULL, x, y);
    for (int64_t j = 0; j < f->C->columns; j++)
        y[j] *= scale_of(f, j);
}

/* The largest absolute column sum of D Q D, an upper bound on its norm. */
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

/* Whether x exceeds all eigenvalues of the symmetric tridiagonal matrix with diagonal a [count] and off-diagonal b. */
static int is_above(int count, const double *a, const double *b, double x) {
    double pivot = x - a[0];
    for (int i = 1; i < count && pivot > 0; i++)
        pivot = x - a[i] - b[i - 1] * (b[i - 1] / pivot);
    return pivot > 0;
}

static double tridiagonal_largest(int count, const double *a, const double *b) {
    double low = a[0], high = a[0];
    for (int i = 0; i < count; i++) {
        low = fmax(low, a[i]);
        high = fmax(high, a[i] + (i > 0 ? b[i - 1] : 0) + (i + 1 < count ? b[i] : 0));
    }
    for (int halving = 0; halving < 40; halving++) {
        double middle = low + (high - low) / 2;
        if (is_above(count, a, b, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void lanczos_start(int64_t n, double *v) {
    struct random random;
    random_seed(&random, 1, 0);
    for (int64_t j = 0; j < n; j++)
        v[j] = random_normal(&random);
    vector_scale(n, 1 / vector_norm(n, v), v);
}

/* Advance: previous = v, v = w / length. */
static void lanczos_advance(int64_t n, double length, const double *w, double *v, double *previous) {
    for (int64_t j = 0; j < n; j++) {
        previous[j] = v[j];
        v[j] = w[j] / length;
    }
}

/*
 * Lanczos iteration from a fixed start. Its largest value rises to the norm and needs no reorthogonalisation. The
 * iteration ends when NORM_SETTLE steps gain less than NORM_SETTLED; the result is raised by one per cent for what is
 * still missing, but not above the bound by column sums, which is exact for diagonal matrices. work [3 n0]
 */
static double quadratic_smoothness(const struct smooth *f, double *work, struct stop *stop) {
    int64_t n0 = f->C->columns;
    double *v = work, *w = work + n0, *previous = work + 2 * n0;
    double a[NORM_STEPS], b[NORM_STEPS], value[NORM_STEPS], bound = column_sum_bound(f);
    if (bound == 0)
        return 0;
    memset(previous, 0, (size_t)n0 * sizeof *previous);
    lanczos_start(n0, v);
    for (int k = 0;; k++) {
        if (!f->C->reduce && stop_ask(stop))
            return bound;
        multiply_scaled(f, v, w);
        a[k] = vector_dot(n0, v, w);
        vector_axpy(n0, -a[k], v, w);
        vector_axpy(n0, k > 0 ? -b[k - 1] : 0, previous, w);
        b[k] = vector_norm(n0, w);
        value[k] = tridiagonal_largest(k + 1, a, b);
        int settled = k >= NORM_SETTLE && value[k] - value[k - NORM_SETTLE] <= NORM_SETTLED * value[k];
        if (settled || b[k] <= 1e-12 * bound || k == NORM_STEPS - 1)
            return fmin(value[k] * NORM_RAISED, bound);
        lanczos_advance(n0, b[k], w, v, previous);
    }
}

/* 1/2 x'Mx >= z'Mx - 1/2 z'Mz for positive semidefinite M = D Q D and every z; M z is computed from the entries on the
 * support, of the symmetric part of Q. */
static struct smooth_tangent quadratic_tangent(const struct smooth *f, int64_t k, const int64_t *columns,
                                               const double *z, const double *state, double *work,
                                               struct number *slope) {
    struct number constant = {0, 0};
    int64_t n0 = f->C->columns;
    (void)state, (void)work;
    for (int64_t b = 0; b < k; b++) {
        struct sum sum = {0};
        for (int64_t a = 0; a < k && columns[b] < n0; a++)
            if (columns[a] < n0)
                sum_add(&sum,
                        ((long double)entry(&f->Q, columns[a], columns[b]) + entry(&f->Q, columns[b], columns[a])) / 2 *
                            scale_of(f, columns[a]) * scale_of(f, columns[b]) * z[a]);
        slope[b] = sum_close(sum, 8 * DBL_EPSILON, NULL);
        constant = number_add(constant, -0.5L * z[b], slope[b]);
    }
    return (struct smooth_tangent){constant, sqrt(fmax(-2 * number_below(constant), 0)) * (1 + 4 * DBL_EPSILON)};
}

static double quadratic_formula(int64_t rows, const double *x, const double *v, const double *d) {
    (void)d;
    double sum = 0;
    for (int64_t j = 0; j < rows; j++)
        sum += x[j] * v[j];
    return sum < 0 ? 0 : sum / 2; /* Q has no negative eigenvalues: that is rounding, and far out it may be much */
}

const struct smooth_term smooth_quadratic = {
    .name = "quadratic",
    .state_size = quadratic_state_size,
    .reset = quadratic_reset,
    .refresh = quadratic_refresh,
    .update = quadratic_update,
    .value = quadratic_value,
    .gradient = quadratic_gradient,
    .gradient_columns = quadratic_gradient_columns,
    .add_curvature = quadratic_add_curvature,
    .add_cross = quadratic_add_cross,
    .smoothness = quadratic_smoothness,
    .tangent = quadratic_tangent,
    .formula = quadratic_formula,
};
