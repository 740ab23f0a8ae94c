#include "linalg/linop.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/random.h"
#include "linalg/constants.h"
#include "linalg/csc.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"

void reduce_sum(const struct reduction *reduce, double *values, int64_t count) {
    if (reduce && reduce->sum)
        reduce->sum(reduce->context, values, count);
}

void reduce_max(const struct reduction *reduce, double *values, int64_t count) {
    if (reduce && reduce->max)
        reduce->max(reduce->context, values, count);
}

struct linop *linop_new(const spgm_matrix *matrix) {
    if (matrix->normal)
        return linop_normal_new(matrix);
    if (matrix->column_start)
        return linop_csc_new(matrix);
    return matrix_is_plain(matrix) ? linop_dense_new(matrix) : linop_tiled_new(matrix);
}

void linop_free(struct linop *A) {
    if (A)
        A->ops->free(A);
}

void linop_set_team(struct linop *A, struct team *team) {
    for (; A; A = A->under)
        A->team = team;
}

struct team *linop_team(const struct linop *A, int64_t work) {
    return parallel_is_worth(work) ? A->team : NULL;
}

int64_t linop_part(const struct stop *stop, int64_t columns, int64_t work, int64_t block) {
    int64_t part = stop && stop->must_stop ? LINOP_PART_WORK / (work > 0 ? work : 1) / block * block : columns;
    return part < block ? block : part;
}

void linop_mirror(int64_t k, double *G, int64_t ld) {
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = j + 1; i < k; i++)
            G[j + i * ld] = G[i + j * ld];
}

static struct linop_meter *meter_of(const struct linop *A) {
    return &((struct linop *)(uintptr_t)A)->meter; /* operators are never const objects */
}

void linop_count(const struct linop *A, int64_t columns, int64_t entries) {
    struct linop_meter *meter = meter_of(A);
    atomic_fetch_add_explicit(&meter->columns, columns, memory_order_relaxed);
    if (entries && !A->reduce)
        atomic_fetch_add_explicit(&meter->entries, entries, memory_order_relaxed);
}

double linop_passes(const struct linop *A) {
    double columns = (double)atomic_load_explicit(&A->meter.columns, memory_order_relaxed);
    double entries = (double)atomic_load_explicit(&A->meter.entries, memory_order_relaxed);
    if (A->rows > 0)
        columns += entries / (double)A->rows;
    return A->columns > 0 ? columns / (double)A->columns : 0;
}

void linop_count_priced(const struct linop *A, int64_t columns) {
    atomic_fetch_add_explicit(&meter_of(A)->priced, columns, memory_order_relaxed);
}

double linop_price_passes(const struct linop *A) {
    double priced = (double)atomic_load_explicit(&A->meter.priced, memory_order_relaxed);
    return A->columns > 0 ? priced / (double)A->columns : 0;
}

void linop_add_columns(const struct linop *A, int64_t k, const int64_t *columns, const double *z, double *y) {
    linop_count(A, k, 0);
    A->ops->add_columns(A, k, columns, z, y);
}

/* y += A x, nonzeros of x only */
static void add_product(const struct linop *A, const double *x, double *y) {
    enum { BLOCK = 512 };
    int64_t columns[BLOCK];
    double z[BLOCK];
    int64_t k = 0;
    for (int64_t j = 0; j < A->columns; j++) {
        if (x[j] == 0)
            continue;
        columns[k] = j;
        z[k++] = x[j];
        if (k == BLOCK) {
            linop_add_columns(A, k, columns, z, y);
            k = 0;
        }
    }
    linop_add_columns(A, k, columns, z, y);
}

void linop_multiply(const struct linop *A, const double *x, double *y) {
    for (int64_t i = 0; i < A->rows; i++)
        y[i] = 0;
    add_product(A, x, y);
}

void linop_transpose(const struct linop *A, const double *u, double *g) {
    linop_count(A, A->columns, 0);
    linop_count_priced(A, A->columns);
    A->ops->transpose(A, u, g);
    reduce_sum(A->reduce, g, A->columns);
}

void linop_transpose_columns(const struct linop *A, int64_t k, const int64_t *columns, const double *u, double *g) {
    linop_count(A, k, 0);
    A->ops->transpose_columns(A, k, columns, u, g);
    reduce_sum(A->reduce, g, k);
}

void linop_gram(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G) {
    linop_gram_until(A, k, columns, w, G, NULL);
}

int linop_gram_until(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G,
                     struct stop *stop) {
    return linop_gram_again(A, k, columns, w, G, NULL, stop);
}

void gram_plan_free(struct gram_plan *plan) {
    for (int run = 0; run < GRAM_RUNS; run++)
        csc_free_lists(plan->runs[run].lists);
}

/* What was kept of other columns says nothing about these. */
static void follow_columns(struct gram_plan *plan, int64_t k, const int64_t *columns) {
    size_t bytes = (size_t)k * sizeof *columns;
    if (k == 0 || (plan->count == k && memcmp(plan->columns, columns, bytes) == 0))
        return;
    memcpy(plan->columns, columns, bytes);
    plan->count = k;
    for (int run = 0; run < GRAM_RUNS; run++)
        plan->runs[run].asked = 0;
}

int linop_gram_again(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G,
                     struct gram_plan *plan, struct stop *stop) {
    if (stop_ask(stop))
        return 0;
    linop_count(A, k * (k + 1) / 2, 0);
    if (plan)
        follow_columns(plan, k, columns);
    A->ops->gram(A, k, columns, w, G, k, plan ? plan->runs : NULL, A->reduce ? NULL : stop);
    if (stop && stop->stopped)
        return 0;
    reduce_sum(A->reduce, G, k * k);
    return 1;
}

void linop_cross(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G) {
    linop_count(A, k * A->columns, 0);
    A->ops->cross(A, k, columns, A->columns, NULL, w, G, k);
    reduce_sum(A->reduce, G, k * A->columns);
}

void linop_cross_column(const struct linop *A, int64_t k, const int64_t *columns, int64_t column, const double *w,
                        double *g) {
    linop_count(A, k, 0);
    A->ops->cross(A, k, columns, 1, &column, w, g, k);
    reduce_sum(A->reduce, g, k);
}

void linop_gather(const struct linop *A, int64_t k, const int64_t *columns, double *D, int64_t ld) {
    linop_count(A, k, 0);
    A->ops->gather(A, k, columns, D, ld);
}

double linop_unscaled(const struct linop *A, int64_t j, double *column) {
    if (A->ops->unscaled != NULL) {
        return A->ops->unscaled(A, j, column);
    }
    if (column != NULL) {
        A->ops->gather(A, 1, &j, column, A->rows);
    }
    return 1;
}

void linop_row(const struct linop *A, int64_t row, int64_t k, const int64_t *columns, double *r) {
    linop_count(A, 0, k);
    A->ops->row(A, row, k, columns, r);
}

void linop_column_squares(const struct linop *A, double *squares) {
    linop_count(A, A->columns, 0);
    linop_count_priced(A, A->columns);
    A->ops->column_squares(A, squares);
    reduce_sum(A->reduce, squares, A->columns);
}

void linop_weighted_squares(const struct linop *A, int64_t k, const int64_t *columns, const double *w,
                            double *squares) {
    linop_count(A, k, 0);
    linop_count_priced(A, k);
    A->ops->weighted_squares(A, k, columns, w, squares);
    reduce_sum(A->reduce, squares, k);
}

/* ||u|| over the rows of all processes, safe against over- and underflow. */
static double row_norm(const struct linop *A, const double *u) {
    double norm = vector_norm(A->rows, u);
    double top = norm;
    reduce_max(A->reduce, &top, 1);
    if (top == 0 || !isfinite(top))
        return top;
    double square = (norm / top) * (norm / top);
    reduce_sum(A->reduce, &square, 1);
    return A->reduce ? top * sqrt(square) : norm;
}

/* v = v / length without computing 1 / length, which may overflow */
static void divide(int64_t n, double length, double *v) {
    for (int64_t i = 0; i < n; i++)
        v[i] /= length;
}

/* The Frobenius norm, an upper bound on the norm; meaningless if its squares leave the range of a double. */
static double frobenius_bound(const struct linop *A, double *squares) {
    linop_column_squares(A, squares);
    double sum = vector_norm1(A->columns, squares);
    return isgreater(sum, 1e-280) && isfinite(sum) ? sqrt(sum) * (1 + 1e-12) : INFINITY;
}

/* Whether x exceeds all eigenvalues of the symmetric tridiagonal matrix with diagonal 0 and off-diagonal c [count]. */
static int above_spectrum(int count, const double *c, double x) {
    double pivot = x;
    for (int i = 0; i < count && pivot > 0; i++)
        pivot = x - c[i] * (c[i] / pivot);
    return pivot > 0;
}

/* The largest singular value of the bidiagonal matrix with entries c_0, c_1, ... along its two diagonals. */
static double bidiagonal_norm(int count, const double *c) {
    double low = 0, high = 0;
    for (int i = 0; i < count; i++) {
        low = fmax(low, c[i]);
        high = fmax(high, c[i] + (i > 0 ? c[i - 1] : 0));
    }
    for (int halving = 0; halving < 40; halving++) {
        double middle = low + (high - low) / 2;
        if (above_spectrum(count, c, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/*
 * Golub-Kahan bidiagonalisation (SIAM J. Numer. Anal. 2, 1965): a power iteration with memory. The largest singular
 * value needs no reorthogonalisation. The iteration ends when NORM_SETTLE steps gain less than NORM_SETTLED; the norm
 * is then less than one per cent above the value found.
 */
double linop_norm(const struct linop *A, double *work) {
    return linop_norm_until(A, work, NULL);
}

double linop_norm_until(const struct linop *A, double *work, struct stop *stop) {
    int64_t n = A->columns;
    double *v = work, *g = work + n, *u = work + 2 * n;
    double c[2 * NORM_STEPS], norms[NORM_STEPS], norm = 0;
    double bound = frobenius_bound(A, g);
    struct random random;
    struct stop *between = A->reduce ? NULL : stop; /* all processes must take the same passes */
    int is_late = stop_ask(stop);
    if (is_late && isfinite(bound))
        return bound;
    random_seed(&random, 20, 7);
    for (int64_t j = 0; j < n; j++)
        v[j] = random_normal(&random);
    divide(n, vector_norm(n, v), v);
    linop_multiply(A, v, u);
    for (int t = 0; t < NORM_STEPS; t++) {
        double alpha = c[2 * t] = row_norm(A, u); /* alpha u = A v - beta u  */
        norms[t] = norm = bidiagonal_norm(2 * t + 1, c);
        is_late = is_late || stop_ask(between);
        if (is_late || !isgreater(alpha, NORM_INVARIANT * norm))
            break;
        divide(A->rows, alpha, u);
        linop_transpose(A, u, g);
        vector_axpy(n, -alpha, v, g);
        double beta = c[2 * t + 1] = vector_norm(n, g); /* beta v = A' u - alpha v */
        norms[t] = norm = bidiagonal_norm(2 * t + 2, c);
        int settled = t >= NORM_SETTLE && islessequal(norm - norms[t - NORM_SETTLE], NORM_SETTLED * norm);
        is_late = !settled && stop_ask(between);
        if (settled || is_late || !isgreater(beta, NORM_INVARIANT * norm))
            break;
        divide(n, beta, g);
        vector_copy(n, g, v);
        vector_scale(A->rows, -beta, u);
        add_product(A, v, u);
    }
    return is_late && isfinite(bound) ? bound : fmin(NORM_RAISED * norm, bound);
}
