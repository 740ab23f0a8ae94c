/*
 * The kernels against BLAS and against plain loops, one thread. The contenders take turns within one run, so that other
 * load slows both. It prints the medians and their ratio (below 1: our kernel is faster).
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "blas.h"

#include "base/memory.h"
#include "base/random.h"
#include "linalg/dense.h"
#include "linalg/linop.h"
#include "linalg/select.h"

enum { ROUNDS = 101, LIST = 256 };

struct bench {
    struct linop *A;
    spgm_matrix matrix;
    int64_t k, columns[LIST];
    double *u, *g, *y, *D, *G, *z;
    int64_t *chosen;
};

static int by_size(const void *p, const void *q) {
    double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

static double median(int count, double *times) {
    qsort(times, (size_t)count, sizeof *times, by_size);
    return times[count / 2];
}

/* Processor time of this process, independent of other jobs on the machine. */
static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_for(void (*run)(struct bench *), struct bench *bench, int64_t repeat) {
    double began = cpu_seconds();
    for (int64_t i = 0; i < repeat; i++)
        run(bench);
    return (cpu_seconds() - began) / (double)repeat;
}

/* Takes turns of about half a millisecond, or one call. `other` may be NULL. Returns the ratio of the medians. */
static double compare(const char *name, void (*own)(struct bench *), void (*other)(struct bench *),
                      struct bench *bench) {
    double own_times[ROUNDS], other_times[ROUNDS];
    double once = fmin(seconds_for(own, bench, 1), seconds_for(own, bench, 1));
    int64_t repeat = (int64_t)fmax(1, 5e-4 / fmax(once, 1e-9));
    int rounds = once > 2e-2 ? ROUNDS / 10 : ROUNDS;
    for (int r = 0; r < rounds; r++) {
        own_times[r] = seconds_for(own, bench, repeat);
        other_times[r] = other ? seconds_for(other, bench, repeat) : 0;
    }
    double a = median(rounds, own_times), b = median(rounds, other_times);
    printf("  %-46s %10.2f us", name, 1e6 * a);
    if (other)
        printf(" %10.2f us   ratio %.2f", 1e6 * b, a / b);
    return other ? a / b : 0;
}

static void show(const char *name, void (*own)(struct bench *), void (*other)(struct bench *), struct bench *bench) {
    compare(name, own, other, bench);
    printf("\n");
    fflush(stdout);
}

/* Returns 1 if the ratio is above the limit. */
static int demand(const char *name, void (*own)(struct bench *), void (*other)(struct bench *), struct bench *bench,
                  double limit) {
    double ratio = compare(name, own, other, bench);
    int missed = !islessequal(ratio, limit);
    printf(", at most %.2f: %s\n", limit, missed ? "MISSED" : "ok");
    fflush(stdout);
    return missed;
}

/* ---- The contenders -------------------------------------------------------------------------- */

static void own_transpose(struct bench *b) {
    linop_transpose(b->A, b->u, b->g);
}

static void blas_transpose(struct bench *b) {
    blas_gemv('T', b->A->rows, b->A->columns, 1, b->matrix.values, b->matrix.leading_dimension, b->u, 0, b->g);
}

static void plain_transpose(struct bench *b) {
    const spgm_matrix *A = &b->matrix;
    for (int64_t j = 0; j < A->columns; j++) {
        double sum = 0;
        for (int64_t e = A->column_start[j]; e < A->column_start[j + 1]; e++)
            sum += A->values[e] * b->u[A->row_index[e]];
        b->g[j] = sum;
    }
}

static void own_multiply(struct bench *b) {
    linop_multiply(b->A, b->g, b->y);
}

static void blas_multiply(struct bench *b) {
    blas_gemv('N', b->A->rows, b->A->columns, 1, b->matrix.values, b->matrix.leading_dimension, b->g, 0, b->y);
}

static void own_add(struct bench *b) {
    linop_add_columns(b->A, b->k, b->columns, b->z, b->y);
}

static void plain_add(struct bench *b) {
    for (int64_t i = 0; i < b->k; i++) {
        const double *a = b->matrix.values + b->columns[i] * b->matrix.leading_dimension;
        for (int64_t r = 0; r < b->A->rows; r++)
            b->y[r] += b->z[i] * a[r];
    }
}

static void own_columns(struct bench *b) {
    linop_transpose_columns(b->A, b->k, b->columns, b->u, b->g);
}

static void own_gram(struct bench *b) {
    linop_gram(b->A, b->k, b->columns, NULL, b->G);
}
static void own_gram_weighted(struct bench *b) {
    linop_gram(b->A, b->k, b->columns, b->u, b->G);
}

/* The usual way with BLAS: copy the columns into a block, then dsyrk. */
static void blas_gram(struct bench *b) {
    linop_gather(b->A, b->k, b->columns, b->D, b->A->rows);
    blas_syrk('L', 'T', b->k, b->A->rows, 1, b->D, b->A->rows, 0, b->G, b->k);
}

static void own_cross(struct bench *b) {
    linop_cross(b->A, b->k, b->columns, NULL, b->G);
}

static void blas_cross(struct bench *b) {
    linop_gather(b->A, b->k, b->columns, b->D, b->A->rows);
    blas_gemm('T', 'N', b->k, b->A->columns, b->A->rows, 1, b->D, b->A->rows, b->matrix.values,
              b->matrix.leading_dimension, 0, b->G, b->k);
}

static void plain_cross(struct bench *b) {
    for (int64_t i = 0; i < b->k; i++) {
        linop_gather(b->A, 1, &b->columns[i], b->y, b->A->rows);
        linop_transpose(b->A, b->y, b->G + i * b->A->columns);
    }
}

/* k columns of A times a matrix of k x 50 */
static void own_product(struct bench *b) {
    dense_multiply(b->A->rows, 50, b->k, 1, b->matrix.values, b->matrix.leading_dimension, b->D, b->k, b->G,
                   b->A->rows);
}
static void blas_product(struct bench *b) {
    blas_gemm('N', 'N', b->A->rows, 50, b->k, 1, b->matrix.values, b->matrix.leading_dimension, b->D, b->k, 1, b->G,
              b->A->rows);
}

/* The inverse of k x k from its factor; the matrix is refilled each time, at the same cost for both. */
static void diagonally_dominant(struct bench *b) {
    for (int64_t j = 0; j < b->k; j++)
        for (int64_t i = 0; i < b->k; i++)
            b->G[i + j * b->k] = i == j ? (double)b->k : 1 / (double)(1 + i + j);
}
static void own_inverse(struct bench *b) {
    diagonally_dominant(b);
    dense_factor(b->k, b->G, b->k);
    dense_invert(b->k, b->G, b->D);
}
static void blas_inverse(struct bench *b) {
    diagonally_dominant(b);
    lapack_potrf('L', b->k, b->G, b->k);
    lapack_potri('L', b->k, b->G, b->k);
}

static void own_gather(struct bench *b) {
    linop_gather(b->A, b->k, b->columns, b->D, b->A->rows);
}
static void own_norm(struct bench *b) {
    b->G[0] = linop_norm(b->A, b->D);
}
static void own_select(struct bench *b) {
    select_largest(b->A->columns, b->g, b->k, b->chosen, b->D);
}

/* ---- The matrices ---------------------------------------------------------------------------- */

static void *array(int64_t count, size_t size) {
    void *p = memory_array(count, size);
    if (!p)
        exit(1);
    return p;
}

static void fill(struct random *random, int64_t n, double *x) {
    for (int64_t i = 0; i < n; i++)
        x[i] = random_normal(random);
}

static void bench_init(struct bench *b, struct random *random) {
    int64_t m = b->matrix.rows, n = b->matrix.columns;
    b->A = linop_new(&b->matrix);
    b->u = array(m, sizeof(double));
    b->y = array(m, sizeof(double));
    b->g = array(n, sizeof(double));
    b->z = array(LIST, sizeof(double));
    b->D = array(m * LIST + 2 * n, sizeof(double));
    b->G = array(LIST * (n > LIST ? n : LIST), sizeof(double));
    b->chosen = array(n, sizeof(int64_t));
    fill(random, m, b->u);
    fill(random, n, b->g);
    fill(random, LIST, b->z);
    for (int i = 0; i < LIST; i++)
        b->z[i] *= 1e-9;
    random_subset(random, n, n < LIST ? n : LIST, b->columns);
}

static void bench_free(struct bench *b) {
    linop_free(b->A);
    memory_free(b->u);
    memory_free(b->y);
    memory_free(b->g);
    memory_free(b->z);
    memory_free(b->D);
    memory_free(b->G);
    memory_free(b->chosen);
}

static int bench_dense(int64_t m, int64_t n) {
    struct random random;
    random_seed(&random, 1, 0);
    double *values = array(m * n, sizeof *values);
    fill(&random, m * n, values);
    struct bench b = {.matrix = {.rows = m, .columns = n, .values = values, .leading_dimension = m}};
    bench_init(&b, &random);
    printf("dense %lld x %lld: own, BLAS\n", (long long)m, (long long)n);
    int missed = demand("A'u", own_transpose, blas_transpose, &b, 1.1);
    show("A x, all columns", own_multiply, blas_multiply, &b);
    b.k = 30;
    show("A x, 30 columns (other: plain loop)", own_add, plain_add, &b);
    show("30 largest of |columns|", own_select, NULL, &b);
    b.k = 10;
    show("10 entries of A'u", own_columns, NULL, &b);
    show("gather 10 columns", own_gather, NULL, &b);
    show("Gram of 10 columns (other: gather + dsyrk)", own_gram, blas_gram, &b);
    show("Gram of 10 columns with weights", own_gram_weighted, NULL, &b);
    b.k = 100;
    show("Gram of 100 columns (other: gather + dsyrk)", own_gram, blas_gram, &b);
    b.k = 10;
    show("A_B'A, 10 columns (other: gather + dgemm)", own_cross, blas_cross, &b);
    b.k = 100;
    show("A_B'A, 100 columns (other: gather + dgemm)", own_cross, blas_cross, &b);
    b.k = 90;
    show("90 columns times 90 x 50 (other: dgemm)", own_product, blas_product, &b);
    show("inverse of 90 x 90 (other: dpotrf + dpotri)", own_inverse, blas_inverse, &b);
    if (m * n < 1000000)
        show("||A||", own_norm, NULL, &b);
    bench_free(&b);
    memory_free(values);
    return missed;
}

/* Column lengths are distributed like word frequencies in documents: a few full columns, many with a handful of
 * entries. */
static int bench_sparse(int64_t m, int64_t n) {
    struct random random;
    random_seed(&random, 2, 0);
    int64_t *start = array(n + 1, sizeof *start), room = 0;
    double *density = array(n, sizeof *density);
    for (int64_t j = 0; j < n; j++) {
        density[j] = fmin(0.9, 50 / (double)(1 + random_below(&random, n)));
        room += (int64_t)(1.2 * density[j] * (double)m) + 100;
    }
    double *values = array(room, sizeof *values);
    int32_t *row = array(room, sizeof *row);
    for (int64_t j = 0, e = 0; j < n; j++) {
        for (int64_t i = 0; i < m && e < room; i++)
            if (random_uniform(&random) < density[j]) {
                row[e] = (int32_t)i;
                values[e++] = random_normal(&random);
            }
        start[j + 1] = e;
    }
    struct bench b = {.matrix = {.rows = m, .columns = n, .values = values, .column_start = start, .row_index = row}};
    bench_init(&b, &random);
    printf("sparse %lld x %lld, %lld entries: own, plain loop\n", (long long)m, (long long)n, (long long)start[n]);
    int missed = demand("A'u", own_transpose, plain_transpose, &b, 1.1);
    b.k = 30;
    show("A x, 30 columns", own_add, NULL, &b);
    b.k = 10;
    show("Gram of 10 columns (other: gather + dsyrk)", own_gram, blas_gram, &b);
    show("A_B'A, 10 columns (other: 10 A'u)", own_cross, plain_cross, &b);
    bench_free(&b);
    memory_free(values);
    memory_free(row);
    memory_free(start);
    memory_free(density);
    return missed;
}

int main(void) {
    int missed = bench_dense(256, 1024);
    missed += bench_dense(5000, 2048);
    missed += bench_sparse(5000, 2048);
    missed += bench_sparse(5000, 50000);
    return missed > 0;
}
