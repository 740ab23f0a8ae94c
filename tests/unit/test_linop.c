/*
 * Every operator against a plain dense copy in long double: shapes by name, lists with repeats, weights, leading
 * dimension above the rows, framed with and without scale and constant, some columns replaced; bits across threads; the
 * reduction hook; ||A||.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alone.h"
#include "base/random.h"
#include "linalg/kernels.h"
#include "linalg/linop.h"
#include "linalg/normal.h"
#include "linalg/rows.h"
#include "share.h"
#include "woken.h"

/* ---- A matrix with its reference ---------------------------------------------------------------- */

struct sample {
    int64_t rows, columns; /* of the operator, constant column included */
    double *dense;         /* reference, rows x columns                  */
    double *values, *scale;
    float *singles;
    int64_t *start, *row_of, *column_of;
    int32_t *row;
    double *patch; /* columns that replace others */
    int64_t *patched;
    struct spgm_normal normal;
    double *norms;
    struct linop *base, *inner, *A; /* inner is base unless patched, A is inner unless framed */
};

struct shape {
    const char *name;
    int64_t rows, columns;
    double density; /* above 1: no zeros at all */
    int pad;        /* leading dimension - rows; -1: sparse; + 100: by rows, + 200: in single precision, + 300: both */
    int framed; /* bit 0: framed, bit 1: scale, bit 2: constant, bit 3: every third column replaced, bit 4: every one;
                   bit 5: A'A of what the rest describes, columns x columns; bit 6: a view of some rows of more; bit 7:
                   columns among others that are left out; bit 8: the first 30 rows have no zeros */
};

static double *doubles(int64_t count) {
    return calloc((size_t)count + 1, sizeof(double));
}

static void fill(uint64_t seed, int64_t n, double *x) {
    struct random random;
    random_seed(&random, seed, 0);
    for (int64_t i = 0; i < n; i++)
        x[i] = random_normal(&random);
}

static int is_replaced(const struct shape *shape, int64_t j) {
    return shape->framed & 16 || (shape->framed & 8 && j % 3 == 1);
}

/* Columns that will be replaced have squares beyond all numbers, which must not reach any result. */
static void make_values(struct sample *s, const struct shape *shape) {
    struct random random;
    random_seed(&random, 99, (uint64_t)(shape->rows * 1000 + shape->columns));
    for (int64_t j = 0; j < shape->columns; j++)
        for (int64_t i = 0; i < shape->rows; i++)
            if (shape->density > 1 || (shape->framed & 256 && i < 30) ||
                (random_uniform(&random) < shape->density * (j % 5 == 1 ? 0.02 : 1) &&
                 j % 7 != 3)) /* some columns zero */
                s->dense[i + j * shape->rows] = random_normal(&random) * (is_replaced(shape, j) ? 1e200 : 1);
}

static spgm_matrix dense_matrix(struct sample *s, const struct shape *shape) {
    int64_t ld = shape->rows + shape->pad;
    s->values = doubles(ld * shape->columns);
    for (int64_t e = 0; e < ld * shape->columns; e++)
        s->values[e] = 1e30; /* what lies between the columns must not be read */
    for (int64_t j = 0; j < shape->columns; j++)
        for (int64_t i = 0; i < shape->rows; i++)
            s->values[i + j * ld] = s->dense[i + j * shape->rows];
    return (spgm_matrix){.rows = shape->rows, .columns = shape->columns, .values = s->values, .leading_dimension = ld};
}

/* Where row i of a view is among twice as many rows: from the last to the first. */
static int64_t row_in_view(const struct shape *shape, int64_t i) {
    return shape->framed & 64 ? 2 * (shape->rows - i) - 1 : i;
}

/* Where column j is where the first and one in the middle are left out. */
static int64_t column_among_others(const struct shape *shape, int64_t j) {
    return shape->framed & 128 ? j + 1 + (j >= shape->columns / 2) : j;
}

/* As it lies in a file; the reference is rounded where the entries are. */
static spgm_matrix file_matrix(struct sample *s, const struct shape *shape) {
    int by_rows = shape->pad / 100 % 2, is_single = shape->pad >= 200;
    int64_t rows = shape->framed & 64 ? 2 * shape->rows : shape->rows;
    int64_t width = column_among_others(shape, shape->columns - 1) + 1;
    int64_t ld = (by_rows ? width : rows) + shape->pad % 100;
    int64_t room = ld * (by_rows ? rows : width);

    s->values = doubles(room);
    s->singles = calloc((size_t)room + 1, sizeof *s->singles);
    for (int64_t e = 0; e < room; e++) {
        s->values[e] = 1e30;
        s->singles[e] = 1e30F;
    }
    for (int64_t j = 0; j < shape->columns; j++)
        for (int64_t i = 0; i < shape->rows; i++) {
            double *entry = &s->dense[i + j * shape->rows];
            int64_t row = row_in_view(shape, i), column = column_among_others(shape, j);
            int64_t at = by_rows ? row * ld + column : row + column * ld;

            *entry = is_single ? (double)(float)*entry : *entry;
            s->values[at] = *entry;
            s->singles[at] = is_single ? (float)*entry : 0;
        }
    for (int64_t i = 0; shape->framed & 64 && i < shape->rows; i++) {
        s->row_of = s->row_of == NULL ? calloc((size_t)shape->rows, sizeof *s->row_of) : s->row_of;
        s->row_of[i] = row_in_view(shape, i);
    }
    for (int64_t j = 0; shape->framed & 128 && j < shape->columns; j++) {
        s->column_of = s->column_of == NULL ? calloc((size_t)shape->columns, sizeof *s->column_of) : s->column_of;
        s->column_of[j] = column_among_others(shape, j);
    }
    return (spgm_matrix){.rows = shape->rows,
                         .columns = shape->columns,
                         .values = is_single ? NULL : s->values,
                         .singles = is_single ? s->singles : NULL,
                         .leading_dimension = ld,
                         .by_rows = by_rows,
                         .row_of = s->row_of,
                         .column_of = s->column_of};
}

static spgm_matrix sparse_matrix(struct sample *s, const struct shape *shape) {
    int64_t entries = 0;
    s->values = doubles(shape->rows * shape->columns);
    s->row = calloc((size_t)(shape->rows * shape->columns) + 1, sizeof *s->row);
    s->start = calloc((size_t)shape->columns + 1, sizeof *s->start);
    for (int64_t j = 0; j < shape->columns; j++) {
        for (int64_t i = 0; i < shape->rows; i++)
            if (s->dense[i + j * shape->rows] != 0) {
                s->row[entries] = (int32_t)i;
                s->values[entries++] = s->dense[i + j * shape->rows];
            }
        s->start[j + 1] = entries;
    }
    return (spgm_matrix){.rows = shape->rows,
                         .columns = shape->columns,
                         .values = s->values,
                         .column_start = s->start,
                         .row_index = s->row};
}

static void patch(struct sample *s, const struct shape *shape) {
    int64_t count = 0;
    s->patch = doubles(shape->rows * shape->columns);
    s->patched = calloc((size_t)shape->columns + 1, sizeof *s->patched);
    fill(13, shape->rows * shape->columns, s->patch);
    for (int64_t j = 0; j < shape->columns; j++) {
        if (!is_replaced(shape, j))
            continue;
        for (int64_t i = 0; i < s->rows; i++)
            s->dense[i + j * s->rows] = s->patch[i + count * s->rows];
        s->patched[count++] = j;
    }
    s->inner = linop_patched_new(s->base, count, s->patched, s->patch);
    assert_non_null(s->inner);
    assert_int_equal(s->inner->columns, shape->columns);
}

static void frame(struct sample *s, const struct shape *shape) {
    double constant = 1.5;
    if (shape->framed & 2) {
        s->scale = doubles(shape->columns);
        fill(5, shape->columns, s->scale);
    }
    s->A = linop_framed_new(s->inner, s->scale, shape->framed & 4, constant);
    for (int64_t j = 0; s->scale && j < shape->columns; j++)
        for (int64_t i = 0; i < s->rows; i++)
            s->dense[i + j * s->rows] *= s->scale[j];
    if (shape->framed & 4)
        for (int64_t i = 0; i < s->rows; i++)
            s->dense[i + shape->columns * s->rows] = constant;
    s->columns = shape->columns + (shape->framed & 4 ? 1 : 0);
}

/* A'A of the matrix, and the reference with it. */
static spgm_matrix normal_matrix(struct sample *s, const struct shape *shape, spgm_matrix root) {
    int64_t m = shape->rows, n = shape->columns;
    double *product = doubles(n * n);
    int64_t *all = calloc((size_t)n + 1, sizeof *all);
    struct linop *A = linop_new(&root);

    s->norms = doubles(n);
    for (int64_t j = 0; j < n; j++) {
        all[j] = j;
        for (int64_t i = 0; i < n; i++) {
            long double sum = 0;
            for (int64_t r = 0; r < m; r++)
                sum += (long double)s->dense[r + i * m] * s->dense[r + j * m];
            product[i + j * n] = (double)sum;
        }
    }
    assert_true(normal_norms(&root, A, all, s->norms));
    linop_free(A);
    free(all);
    free(s->dense);
    s->dense = product;
    s->rows = n;
    s->normal = (struct spgm_normal){root, s->norms};
    return normal_view(&s->normal);
}

static struct sample sample_new(const struct shape *shape) {
    struct sample s = {.rows = shape->rows, .columns = shape->columns};
    s.dense = doubles(shape->rows * (shape->columns + 1));
    make_values(&s, shape);
    int is_view = (shape->framed & 192) != 0;
    spgm_matrix matrix = shape->pad < 0                 ? sparse_matrix(&s, shape)
                         : shape->pad >= 100 || is_view ? file_matrix(&s, shape)
                                                        : dense_matrix(&s, shape);
    if (shape->framed & 32)
        matrix = normal_matrix(&s, shape, matrix);
    s.base = s.inner = linop_new(&matrix);
    if (shape->framed & 24)
        patch(&s, shape);
    s.A = s.inner;
    if (shape->framed & 1)
        frame(&s, shape);
    assert_non_null(s.A);
    assert_int_equal(s.A->rows, s.rows);
    assert_int_equal(s.A->columns, s.columns);
    return s;
}

/* Of every operator that a sample is made of. */
static void set_team(struct sample *s, struct team *team) {
    s->A->team = team;
    linop_set_team(s->inner, team);
}

static void sample_free(struct sample *s) {
    if (s->A != s->inner)
        linop_free(s->A);
    linop_free(s->inner); /* and the base with it */
    free(s->patch);
    free(s->patched);
    free(s->norms);
    free(s->dense);
    free(s->values);
    free(s->singles);
    free(s->scale);
    free(s->start);
    free(s->row_of);
    free(s->column_of);
    free(s->row);
}

static const struct shape shapes[] = {
    {"dense", 29, 17, 1, 0, 0},
    {"dense, leading dimension above rows", 29, 17, 1, 5, 0},
    {"dense, one row", 1, 9, 1, 0, 0},
    {"dense, one column", 40, 1, 1, 3, 0},
    {"dense, no rows", 0, 4, 1, 0, 0},
    {"dense, no columns", 4, 0, 1, 0, 0},
    {"dense, tall", 1200, 6, 1, 1, 0},
    {"dense, wide", 5, 200, 1, 0, 0},
    {"sparse", 60, 30, 0.3, -1, 0},
    {"sparse, one row", 1, 9, 0.9, -1, 0},
    {"sparse, one column", 40, 1, 0.5, -1, 0},
    {"sparse, no rows", 0, 4, 1, -1, 0},
    {"sparse, no columns", 4, 0, 1, -1, 0},
    {"sparse, empty", 20, 8, 0, -1, 0},
    {"sparse, wider than a cross block", 40, 600, 0.3, -1, 0},
    {"sparse, full columns among others", 90, 40, 0.6, -1, 0},
    {"sparse, no zeros", 60, 30, 2, -1, 0},
    {"framed sparse, no zeros", 60, 30, 2, -1, 7},
    {"sparse, no zeros, some columns replaced", 60, 30, 2, -1, 8},
    {"sparse, several strips", 20000, 6, 0.2, -1, 0},
    {"sparse, several strips, few entries", 20000, 12, 0.001, -1, 0},
    {"framed dense", 29, 17, 1, 2, 1},
    {"framed dense, scale", 29, 17, 1, 2, 3},
    {"framed dense, constant", 29, 17, 1, 2, 5},
    {"framed dense, scale, constant", 300, 300, 1, 0, 7},
    {"framed sparse, scale, constant", 60, 300, 0.2, -1, 7},
    {"framed sparse, full columns", 90, 40, 0.6, -1, 7},
    {"framed, no columns but the constant", 6, 0, 1, 0, 7},
    {"framed, no rows", 0, 3, 1, 0, 7},
    {"framed, one row, one column", 1, 1, 1, 0, 7},
    {"dense, some columns replaced", 29, 17, 1, 4, 8},
    {"dense, some columns replaced, wide", 5, 200, 1, 0, 8},
    {"dense, all columns replaced", 29, 17, 1, 2, 16},
    {"sparse, some columns replaced", 90, 40, 0.3, -1, 8},
    {"sparse, some columns replaced, full ones among others", 90, 40, 0.6, -1, 8},
    {"sparse, some columns replaced, several strips", 20000, 9, 0.01, -1, 8},
    {"sparse, all columns replaced", 60, 30, 0.3, -1, 16},
    {"framed dense, scale, constant, some columns replaced", 300, 150, 1, 0, 15},
    {"framed sparse, scale, constant, some columns replaced", 60, 300, 0.2, -1, 15},
    {"framed dense, scale, constant, all columns replaced", 60, 30, 1, 0, 23},
    {"replaced, no rows", 0, 4, 1, 0, 8},
    {"replaced, no columns", 4, 0, 1, 0, 8},
    {"replaced, one row, two columns", 1, 2, 1, 0, 15},
    {"by rows", 29, 17, 1, 100, 0},
    {"by rows, leading dimension above columns, several tiles", 700, 40, 1, 105, 0},
    {"by rows, one row", 1, 9, 1, 100, 0},
    {"by rows, one column", 300, 1, 1, 103, 0},
    {"by rows, no rows", 0, 4, 1, 100, 0},
    {"single precision", 300, 33, 1, 202, 0},
    {"single precision, by rows", 300, 33, 1, 300, 0},
    {"framed, by rows, scale, constant, some columns replaced", 300, 40, 1, 100, 15},
    {"framed, single precision, by rows, scale, constant", 60, 30, 1, 301, 7},
    {"some rows", 29, 17, 1, 0, 64},
    {"some rows, several tiles", 700, 40, 1, 3, 64},
    {"some rows, by rows", 300, 40, 1, 102, 64},
    {"some rows, single precision", 300, 33, 1, 202, 64},
    {"some rows, single precision, by rows, framed, scale, constant", 300, 33, 1, 300, 71},
    {"columns left out", 29, 17, 1, 2, 128},
    {"columns left out, several tiles", 700, 150, 1, 0, 128},
    {"columns left out, by rows", 300, 150, 1, 103, 128},
    {"columns left out, by rows, few", 300, 5, 1, 100, 128},
    {"columns left out, single precision", 300, 33, 1, 202, 128},
    {"columns left out, single precision, by rows, some rows, framed, scale, constant", 300, 33, 1, 300, 199},
    {"columns left out, by rows, some columns replaced", 90, 40, 1, 100, 136},
    {"normal, wide", 12, 90, 1, 0, 32},
    {"normal, tall", 90, 17, 1, 3, 32},
    {"normal, one row", 1, 9, 1, 0, 32},
    {"normal, one column", 40, 1, 1, 0, 32},
    {"normal, sparse", 30, 70, 0.3, -1, 32},
    {"normal, sparse, empty", 20, 8, 0, -1, 32},
    {"normal, by rows, several chunks", 20, 150, 1, 100, 32},
    {"normal, single precision", 300, 20, 1, 202, 32},
};

enum { SHAPES = sizeof shapes / sizeof *shapes, LIST = 23 };

/* More threads at once than A'A has places for its products: each gets its own result. */
enum { CROWD = 7, ROUNDS = 20 };

struct caller {
    const struct sample *s;
    double *u, *g;
};

static void *call_often(void *context) {
    struct caller *c = context;
    for (int i = 0; i < ROUNDS; i++)
        linop_transpose(c->s->A, c->u, c->g);
    return NULL;
}

static void normal_in_a_crowd(void **state) {
    const struct shape shape = {"normal", 12, 90, 1, 0, 32};
    struct sample s = sample_new(&shape);
    struct caller callers[CROWD];
    pthread_t threads[CROWD];
    double *alone = doubles(s.columns);
    (void)state;
    for (int i = 0; i < CROWD; i++) {
        callers[i] = (struct caller){&s, doubles(s.rows), doubles(s.columns)};
        fill((uint64_t)i, s.rows, callers[i].u);
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < CROWD; i++) {
        linop_transpose(s.A, callers[i].u, alone);
        assert_memory_equal(callers[i].g, alone, (size_t)s.columns * sizeof *alone);
        free(callers[i].u);
        free(callers[i].g);
    }
    free(alone);
    sample_free(&s);
}

/* A list with repeats; the last column, where a constant one is, several times. */
static int64_t make_list(const struct sample *s, int64_t *list) {
    if (s->columns == 0)
        return 0;
    for (int64_t i = 0; i < LIST; i++)
        list[i] = i % 6 == 4 ? s->columns - 1 : (i * 11 + i / 5) % s->columns;
    return LIST;
}

static void assert_near(double value, long double expected, long double size) {
    if (!(fabsl((long double)value - expected) <= 1e-12L * (1 + size)))
        fail_msg("%.17g instead of %.17Lg", value, expected);
}

static long double reference_product(const struct sample *s, int64_t i, int64_t j, const double *w, long double *size) {
    long double sum = 0;
    *size = 0;
    for (int64_t r = 0; r < s->rows; r++) {
        long double term = (long double)s->dense[r + i * s->rows] * s->dense[r + j * s->rows] * (w ? w[r] : 1);
        sum += term;
        *size += fabsl(term);
    }
    return sum;
}

static long double reference_dot(const struct sample *s, int64_t j, const double *u, long double *size) {
    long double sum = 0;
    *size = 0;
    for (int64_t r = 0; r < s->rows; r++) {
        sum += (long double)s->dense[r + j * s->rows] * u[r];
        *size += fabsl((long double)s->dense[r + j * s->rows] * u[r]);
    }
    return sum;
}

/* ---- Operations by shape ------------------------------------------------------------------------ */

static void for_each_shape(void (*check)(const struct sample *s)) {
    for (int c = 0; c < SHAPES; c++) {
        print_message("    %s\n", shapes[c].name);
        struct sample s = sample_new(&shapes[c]);
        check(&s);
        sample_free(&s);
    }
}

static void check_transpose(const struct sample *s) {
    int64_t list[LIST], k = make_list(s, list);
    double *u = doubles(s->rows), *g = doubles(s->columns), listed[LIST];
    long double size;
    fill(1, s->rows, u);
    g[s->columns] = 77;
    linop_transpose(s->A, u, g);
    assert_true(g[s->columns] == 77);
    for (int64_t j = 0; j < s->columns; j++) {
        long double expected = reference_dot(s, j, u, &size);
        assert_near(g[j], expected, size);
    }
    linop_transpose_columns(s->A, k, list, u, listed);
    for (int64_t i = 0; i < k; i++)
        assert_true(listed[i] == g[list[i]]); /* same order of summation, same bits */
    free(u);
    free(g);
}

static void transpose(void **state) {
    (void)state;
    for_each_shape(check_transpose);
}

static void check_add(const struct sample *s) {
    int64_t list[LIST], k = make_list(s, list);
    double *y = doubles(s->rows), *before = doubles(s->rows), *x = doubles(s->columns), z[LIST];
    fill(2, LIST, z);
    z[3] = 0;
    fill(3, s->rows, before);
    memcpy(y, before, (size_t)s->rows * sizeof *y);
    y[s->rows] = 77;
    linop_add_columns(s->A, k, list, z, y);
    linop_add_columns(s->A, 0, list, z, y);
    for (int64_t r = 0; r < s->rows; r++) {
        long double sum = before[r];
        for (int64_t i = 0; i < k; i++)
            sum += (long double)z[i] * s->dense[r + list[i] * s->rows];
        assert_near(y[r], sum, 100);
    }
    for (int64_t j = 0; j < s->columns; j++)
        x[j] = j % 3 == 1 ? 0 : sin((double)j);
    linop_multiply(s->A, x, y);
    assert_true(y[s->rows] == 77);
    for (int64_t r = 0; r < s->rows; r++) {
        long double sum = 0;
        for (int64_t j = 0; j < s->columns; j++)
            sum += (long double)x[j] * s->dense[r + j * s->rows];
        assert_near(y[r], sum, 1000);
    }
    free(y);
    free(before);
    free(x);
}

static void add_columns_and_multiply(void **state) {
    (void)state;
    for_each_shape(check_add);
}

static void check_gram_of(const struct sample *s, int64_t k, const int64_t *list, const double *w) {
    double *G = doubles(k * k);
    long double size;
    for (int64_t e = 0; e <= k * k; e++)
        G[e] = 77;
    linop_gram(s->A, k, list, w, G);
    assert_true(G[k * k] == 77);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < k; i++) {
            long double expected = reference_product(s, list[i], list[j], w, &size);
            assert_near(G[i + j * k], expected, size);
            assert_true(G[i + j * k] == G[j + i * k]);
        }
    linop_gram(s->A, 0, list, w, G);
    free(G);
}

static void check_gram_weighted(const struct sample *s, const double *w) {
    int64_t list[LIST], k = make_list(s, list);
    check_gram_of(s, k, list, w);
}

static void check_gram(const struct sample *s) {
    double *w = doubles(s->rows);
    fill(4, s->rows, w);
    check_gram_weighted(s, NULL);
    check_gram_weighted(s, w);
    free(w);
}

static void gram(void **state) {
    (void)state;
    for_each_shape(check_gram);
}

/* More full columns than the sparse operator takes at a time, with others between them. */
static void gram_of_many_columns(void **state) {
    enum { MANY = 130 };
    static const struct shape many[] = {{"sparse", 70, MANY, 0.7, -1, 0}, {"framed sparse", 70, MANY, 0.7, -1, 7}};
    int64_t list[MANY];
    (void)state;
    for (int c = 0; c < 2; c++) {
        struct sample s = sample_new(&many[c]);
        double *w = doubles(s.rows);
        fill(4, s.rows, w);
        for (int64_t i = 0; i < MANY; i++)
            list[i] = i * 7 % s.columns;
        for (int64_t k = 0; k <= MANY; k += 13)
            check_gram_of(&s, k, list, k % 2 ? w : NULL);
        free(w);
        sample_free(&s);
    }
}

/* Few entries in most rows, so that products are summed by rows; some rows in the middle have all, more than fit into
 * one list of entries, and some columns are full. */
static void gram_of_uneven_rows(void **state) {
    enum { ROWS = 12000, UNEVEN = 130, FIRST = 3000, LAST = 3130 };
    static const struct shape shape = {"sparse, uneven rows", ROWS, UNEVEN, 0.03, -1, 0};
    struct sample s = {.rows = ROWS, .columns = UNEVEN};
    double *w = doubles(ROWS);
    int64_t list[UNEVEN];
    spgm_matrix matrix;
    (void)state;
    s.dense = doubles(ROWS * UNEVEN);
    make_values(&s, &shape);
    for (int64_t j = 0; j < UNEVEN; j++) {
        int is_full = j % 40 == 11;
        fill((uint64_t)j, is_full ? ROWS : LAST - FIRST, s.dense + j * ROWS + (is_full ? 0 : FIRST));
        list[j] = j * 7 % UNEVEN;
    }
    matrix = sparse_matrix(&s, &shape);
    s.A = s.base = s.inner = linop_new(&matrix);
    fill(4, ROWS, w);
    for (int64_t k = SHARE(10, 130); k <= UNEVEN; k += 60)
        check_gram_of(&s, k, list, k % 20 ? NULL : w);
    free(w);
    sample_free(&s);
}

/* Without zeros the values are read where they stand, as those of a dense matrix; one zero, and they are not. */
static void sparse_without_zeros_is_dense(void **state) {
    static const struct shape full = {"sparse, no zeros", 20, 7, 2, -1, 0};
    struct sample s = sample_new(&full);
    (void)state;
    spgm_matrix matrix = {.rows = 20, .columns = 7, .values = s.values, .column_start = s.start, .row_index = s.row};
    assert_string_equal(s.A->ops->name, "dense");
    s.start[7]--;
    struct linop *A = linop_new(&matrix);
    assert_non_null(A);
    assert_string_equal(A->ops->name, "sparse");
    linop_free(A);
    sample_free(&s);
}

static void check_cross_weighted(const struct sample *s, const double *w) {
    int64_t list[LIST], k = make_list(s, list);
    double *G = doubles(k * s->columns);
    long double size;
    for (int64_t e = 0; e <= k * s->columns; e++)
        G[e] = 77;
    linop_cross(s->A, k, list, w, G);
    assert_true(G[k * s->columns] == 77);
    for (int64_t j = 0; j < s->columns; j++)
        for (int64_t i = 0; i < k; i++) {
            long double expected = reference_product(s, list[i], j, w, &size);
            assert_near(G[i + j * k], expected, size);
        }
    linop_cross(s->A, 0, list, w, G);
    free(G);
}

static void check_cross(const struct sample *s) {
    double *w = doubles(s->rows);
    fill(5, s->rows, w);
    check_cross_weighted(s, NULL);
    check_cross_weighted(s, w);
    free(w);
}

static void cross(void **state) {
    (void)state;
    for_each_shape(check_cross);
}

/* P' W A for columns P that are not the operator's: of a list and of the first ones. */
static void check_products_weighted(const struct sample *s, const double *w) {
    enum { BLOCK = 5, LEFT = 4 };
    int64_t list[LIST], k = make_list(s, list), places[LEFT] = {3, 0, 4, 3}, ld = s->rows + 2;
    double *P = doubles(ld * BLOCK), *G = doubles((LEFT + 1) * LIST), *first = doubles(LEFT * s->columns);
    long double size;
    fill(31, ld * BLOCK, P);
    for (int64_t e = 0; e < (LEFT + 1) * LIST; e++)
        G[e] = 77;
    struct columns left = {P, ld, places};
    s->A->ops->products(s->A, LEFT, &left, k, list, w, G, LEFT + 1);
    s->A->ops->products(s->A, LEFT, &left, s->columns, NULL, w, first, LEFT);
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < LEFT; i++) {
            long double sum = 0;
            size = 0;
            for (int64_t r = 0; r < s->rows; r++) {
                long double term =
                    (long double)P[r + places[i] * ld] * s->dense[r + list[j] * s->rows] * (w ? w[r] : 1);
                sum += term;
                size += fabsl(term);
            }
            assert_near(G[i + j * (LEFT + 1)], sum, size);
            assert_near(first[i + list[j] * LEFT], sum, size);
        }
        assert_true(G[LEFT + j * (LEFT + 1)] == 77);
    }
    free(P);
    free(G);
    free(first);
}

static void check_products(const struct sample *s) {
    double *w = doubles(s->rows);
    fill(32, s->rows, w);
    check_products_weighted(s, NULL);
    check_products_weighted(s, w);
    free(w);
}

static void products(void **state) {
    (void)state;
    for_each_shape(check_products);
}

/* A frame around a frame: lists on both sides, and an inner constant column that is an ordinary one outside. */
static void framed_twice(void **state) {
    (void)state;
    struct sample s = sample_new(&(struct shape){"", 30, 11, 1, 0, 7});
    double scale[12], w[30];
    fill(6, 12, scale);
    fill(7, 30, w);
    struct linop *outer = linop_framed_new(s.A, scale, 1, -2);
    int64_t list[6] = {11, 12, 0, 11, 12, 5};
    double G[36], C[6 * 13], D[30 * 6], H[36];
    linop_gram(outer, 6, list, w, G);
    linop_cross(outer, 6, list, w, C);
    linop_gather(outer, 6, list, D, 30);
    outer->ops->cross(outer, 6, list, 6, list, w, H, 6);
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) {
            long double sum = 0;
            for (int r = 0; r < 30; r++)
                sum += (long double)D[r + 30 * i] * D[r + 30 * j] * w[r];
            assert_near(G[i + 6 * j], sum, 100);
            assert_near(C[i + 6 * list[j]], sum, 100);
            assert_near(H[i + 6 * j], sum, 100);
        }
    linop_free(outer);
    sample_free(&s);
}

static void check_gather(const struct sample *s) {
    int64_t list[LIST], k = make_list(s, list), ld = s->rows + 3;
    double *D = doubles(ld * LIST), *squares = doubles(s->columns);
    for (int64_t e = 0; e < ld * LIST; e++)
        D[e] = 77;
    linop_gather(s->A, k, list, D, ld);
    for (int64_t i = 0; i < k; i++)
        for (int64_t r = 0; r < ld; r++)
            if (r < s->rows)
                assert_near(D[r + i * ld], s->dense[r + list[i] * s->rows], 1);
            else
                assert_true(D[r + i * ld] == 77);
    for (int64_t r = 0; r < s->rows; r += 1 + s->rows / 50) {
        double row[LIST];
        linop_row(s->A, r, k, list, row);
        for (int64_t i = 0; i < k; i++)
            if (s->A->is_implied) /* another order of the same sum */
                assert_near(row[i], D[r + i * ld], 1);
            else
                assert_true(row[i] == D[r + i * ld]);
    }
    for (int64_t i = 0; i < k; i++) { /* the scale times the column before it */
        double scale = linop_unscaled(s->A, list[i], D);
        assert_true(scale == linop_unscaled(s->A, list[i], NULL));
        for (int64_t r = 0; r < s->rows; r++)
            assert_near(scale * D[r], s->dense[r + list[i] * s->rows], 1);
        if (s->scale && list[i] < s->columns - 1)
            assert_true(scale == s->scale[list[i]]);
    }
    linop_column_squares(s->A, squares);
    long double size;
    for (int64_t j = 0; j < s->columns; j++) {
        long double expected = reference_product(s, j, j, NULL, &size);
        assert_near(squares[j], expected, size);
    }
    free(D);
    free(squares);
}

/* Of all columns and of a list. */
static void check_weighted_squares(const struct sample *s) {
    int64_t list[LIST], k = make_list(s, list);
    double *w = doubles(s->rows), *all = doubles(s->columns), some[LIST];
    long double size;
    fill(21, s->rows, w);
    linop_weighted_squares(s->A, s->columns, NULL, w, all);
    linop_weighted_squares(s->A, k, list, w, some);
    for (int64_t j = 0; j < s->columns; j++) {
        long double expected = reference_product(s, j, j, w, &size);
        assert_near(all[j], expected, size);
    }
    for (int64_t i = 0; i < k; i++) {
        long double expected = reference_product(s, list[i], list[i], w, &size);
        if (s->A->is_implied) /* products of another block, which some processors round otherwise */
            assert_near(some[i], expected, size);
        else
            assert_true(some[i] == all[list[i]]);
    }
    free(w);
    free(all);
}

static void weighted_squares(void **state) {
    (void)state;
    for_each_shape(check_weighted_squares);
}

static void gather_and_column_squares(void **state) {
    (void)state;
    for_each_shape(check_gather);
}

static void freeing_nothing_is_fine(void **state) {
    (void)state;
    linop_free(NULL);
}

/* ---- Stop requests ------------------------------------------------------------------------------ */

struct asked {
    int questions, yes_from;
};

static int must_stop(void *context) {
    struct asked *asked = context;
    return asked->questions++ >= asked->yes_from;
}

static struct stop stop_of(struct asked *asked) {
    return (struct stop){.must_stop = must_stop, .context = asked};
}

/* Nobody says stop: the same bits, with some questions on the way. Someone does: no further question. */
static void check_gram_in_parts(const struct sample *s, int64_t k, const int64_t *list, const double *w) {
    double *whole = doubles(k * k), *parts = doubles(k * k);
    struct asked asked = {.yes_from = 1000000};
    struct stop stop = stop_of(&asked);
    linop_gram(s->A, k, list, w, whole);
    assert_int_equal(linop_gram_until(s->A, k, list, w, parts, &stop), 1);
    assert_memory_equal(whole, parts, sizeof(double) * (size_t)(k * k));
    assert_true(asked.questions >= 3);
    for (int yes_from = 0, total = asked.questions; yes_from < total; yes_from++) {
        asked = (struct asked){.yes_from = yes_from};
        stop = stop_of(&asked);
        assert_int_equal(linop_gram_until(s->A, k, list, w, parts, &stop), 0);
        assert_int_equal(asked.questions, yes_from + 1);
    }
    free(whole);
    free(parts);
}

/* Columns of few entries in many rows have few multiplications, but each takes many steps to find; with some full rows
 * they are not summed row by row. */
static void gram_of_short_columns_asks(void **state) {
    (void)state;
    enum { SHORT_LIST = 1000 };
    static const struct shape thin = {"sparse, some full rows", 20000, 1000, 0.0005, -1, 256};
    struct sample s = sample_new(&thin);
    int64_t list[SHORT_LIST];
    for (int64_t i = 0; i < SHORT_LIST; i++)
        list[i] = i;
    check_gram_in_parts(&s, SHORT_LIST, list, NULL);
    sample_free(&s);
}

static void gram_in_parts(void **state) {
    (void)state;
    enum { PART_LIST = 290 };
    static const struct shape big[] = {{"dense", 4000, 300, 1, 1, 0},
                                       {"framed dense", 4000, 300, 1, 0, 7},
                                       {"sparse", 8000, 300, 0.5, -1, 0},
                                       {"framed sparse", 8000, 300, 0.5, -1, 7},
                                       {"by rows, in single precision", 8000, 300, 1, 300, 0},
                                       {"sparse, few entries in a row", 250000, 300, 0.1, -1, 0}};
    for (int c = SHARE(0, 1); c < SHARE(6, 5); c += SHARE(1, 4)) {
        struct sample s = sample_new(&big[c]);
        double *w = doubles(s.rows);
        int64_t list[PART_LIST];
        fill(8, s.rows, w);
        for (int64_t i = 0; i < PART_LIST; i++)
            list[i] = (i * 7 + 5) % s.columns; /* the constant column is in the middle */
        for (int threads = 1; threads <= SHARE(2, 1); threads++) {
            struct team *team = team_new(threads);
            set_team(&s, team);
            check_gram_in_parts(&s, PART_LIST, list, w);
            set_team(&s, NULL);
            team_free(team);
        }
        free(w);
        sample_free(&s);
    }
}

/* With a plan the same bits, once, again and with lists of rows, also when the columns are others, or fewer. */
static void check_gram_again(const struct sample *s, int64_t k, const int64_t *list, const double *w) {
    double *whole = doubles(k * k), *again = doubles(k * k);
    int64_t *mine = malloc((size_t)k * sizeof *mine), *kept = malloc((size_t)k * sizeof *kept);
    struct gram_plan plan = {.columns = kept};
    memcpy(mine, list, (size_t)k * sizeof *mine);
    for (int time = 0; time < 12; time++) {
        int64_t count = time >= 9 ? k / 2 : k;
        const double *weights = time % 3 == 1 ? NULL : w;
        if (time % 4 == 3) { /* one leaves, another comes; and one changes its place */
            mine[time] = list[k - 1 - time];
            mine[k / 3] = mine[0];
        }
        linop_gram(s->A, count, mine, weights, whole);
        assert_int_equal(linop_gram_again(s->A, count, mine, weights, again, &plan, NULL), 1);
        assert_memory_equal(whole, again, sizeof(double) * (size_t)(count * count));
    }
    gram_plan_free(&plan);
    free(mine);
    free(kept);
    free(whole);
    free(again);
}

static void gram_again(void **state) {
    (void)state;
    enum { AGAIN_LIST = 90 };
    static const struct shape some[] = {{"sparse", 20000, 120, 0.02, -1, 0},
                                        {"framed sparse", 20000, 120, 0.02, -1, 7},
                                        {"sparse, strips", 300, 120, 0.2, -1, 0},
                                        {"framed, some columns replaced", 3000, 120, 0.02, -1, 15},
                                        {"dense", 30, 120, 1, 0, 0}};
    for (int c = 0; c < 5; c++) {
        struct sample s = sample_new(&some[c]);
        double *w = doubles(s.rows);
        int64_t list[AGAIN_LIST];
        fill(8, s.rows, w);
        for (int64_t i = 0; i < AGAIN_LIST; i++)
            list[i] = (i * 7 + 5) % s.columns; /* the constant column is in the middle */
        for (int threads = 1; threads <= 2; threads++) {
            struct team *team = team_new(threads);
            long long before = wakes;
            wake_always = 1;
            set_team(&s, team);
            check_gram_again(&s, AGAIN_LIST, list, w);
            set_team(&s, NULL);
            wake_always = 0;
            assert_int_equal(wakes > before, threads > 1 && some[c].density < 1); /* a dense one is too small */
            team_free(team);
        }
        free(w);
        sample_free(&s);
    }
}

/* ---- Threads ------------------------------------------------------------------------------------ */

enum { WIDE_LIST = 300, PRODUCTS = 6 };

/* Everything an operator computes that threads may share, one after the other; returns the number of values, and at
 * woken whether each of them woke threads. */
static int64_t everything(struct sample *s, struct team *team, double *out, int woken[PRODUCTS]) {
    double *at = out, *u = doubles(s->rows), *z = doubles(s->columns);
    int64_t list[WIDE_LIST];
    long long before = wakes;
    set_team(s, team);
    for (int64_t i = 0; i < WIDE_LIST; i++)
        list[i] = i * 7 % s->columns;
    fill(8, s->rows, u);
    fill(9, s->columns, z);
#define PRODUCT(number, length, call) (call, at += (length), woken[number] = wakes > before, before = wakes)
    PRODUCT(0, s->columns, linop_transpose(s->A, u, at));
    PRODUCT(1, WIDE_LIST * WIDE_LIST, linop_gram(s->A, WIDE_LIST, list, u, at));
    PRODUCT(2, WIDE_LIST * s->columns, linop_cross(s->A, WIDE_LIST, list, NULL, at));
    PRODUCT(3, WIDE_LIST, linop_transpose_columns(s->A, WIDE_LIST, list, u, at));
    PRODUCT(4, s->rows, linop_multiply(s->A, z, at));
    PRODUCT(5, s->columns, linop_column_squares(s->A, at));
    free(u);
    free(z);
    return at - out;
}

static void same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    static const struct shape big[] = {{"dense", 1100, 701, 1, 1, 0},
                                       {"framed dense", 1100, 701, 1, 0, 7},
                                       {"sparse", 1500, 901, 0.25, -1, 0},
                                       {"framed sparse", 1500, 901, 0.25, -1, 7},
                                       {"framed dense, some columns replaced", 1100, 301, 1, 0, 15},
                                       {"framed sparse, some columns replaced", 1500, 901, 0.25, -1, 15},
                                       {"by rows", 1100, 301, 1, 100, 0},
                                       {"framed, single precision, by rows", 1100, 301, 1, 300, 7},
                                       {"columns left out, by rows", 1100, 301, 1, 100, 128},
                                       {"framed sparse, few entries in a row", 4000, 301, 0.01, -1, 7}};
    static const int threads[] = {3, 2, 7};
    wake_always = 1;
    for (int c = 0; c < 10; c += SHARE(1, 3)) {
        struct sample s = sample_new(&big[c]);
        int64_t room = s.rows + (WIDE_LIST + 2) * s.columns + WIDE_LIST * (WIDE_LIST + 1);
        double *one = doubles(room), *many = doubles(room);
        int woken[PRODUCTS];
        int64_t count = everything(&s, NULL, one, woken);
        for (int p = 0; p < PRODUCTS; p++)
            assert_false(woken[p]);
        for (int t = 0; t < SHARE(3, 1); t++) {
            struct team *team = team_new(threads[t]);
            memset(many, 0, (size_t)room * sizeof *many);
            everything(&s, team, many, woken);
            int is_thin = big[c].density < 0.1; /* its columns are one block of A'u */
            for (int p = is_thin; p < (is_thin ? 2 : big[c].pad < 0 ? 3 : PRODUCTS); p++) /* sparse: the first three */
                if (!woken[p])
                    fail_msg("%s: product %d woke no thread", big[c].name, p);
            assert_memory_equal(one, many, (size_t)count * sizeof *one);
            team_free(team);
        }
        free(one);
        free(many);
        sample_free(&s);
    }
}

struct shared {
    struct sample *s;
    double *u, *out; /* one block of `size` values per caller */
    int64_t size;
};

static void use_shared(void *context, int64_t first, int64_t last) {
    struct shared *shared = context;
    const struct linop *A = shared->s->A;
    int64_t list[20];
    for (int64_t i = 0; i < 20; i++)
        list[i] = i * 5 % A->columns;
    for (int64_t c = first; c < last; c++) {
        double *at = shared->out + c * shared->size;
        linop_transpose(A, shared->u, at);
        linop_gram(A, 20, list, shared->u, at + A->columns);
        linop_cross(A, 20, list, shared->u, at + A->columns + 400);
        linop_add_columns(A, 20, list, shared->u, at + 21 * A->columns + 400);
    }
}

static void one_operator_serves_several_threads(void **state) {
    (void)state;
    static const struct shape kinds[] = {{"", 400, 90, 1, 0, 7}, {"", 400, 90, 0.2, -1, 7}};
    enum { CALLERS = 6 };
    for (int kind = 0; kind < 2; kind++) {
        struct sample s = sample_new(&kinds[kind]);
        int64_t size = 21 * s.columns + 400 + s.rows;
        struct shared shared = {&s, doubles(s.rows), doubles(CALLERS * size), size};
        fill(11, s.rows, shared.u);
        /* two teams: the callers, and the one of the operator, which is busy for all callers but one */
        struct team *callers = team_new(CALLERS), *team = team_new(2);
        set_team(&s, team);
        wake_always = 1;
        long long before = wakes;
        parallel_for(callers, CALLERS, 1, use_shared, &shared);
        assert_true(wakes > before + 1); /* the callers, and some products */
        team_free(callers);
        team_free(team);
        for (int64_t c = 1; c < CALLERS; c++)
            assert_memory_equal(shared.out, shared.out + c * size, (size_t)size * sizeof(double));
        assert_true(shared.out[0] != 0);
        free(shared.u);
        free(shared.out);
        sample_free(&s);
    }
}

/* ---- The reduction hook ------------------------------------------------------------------------- */

/* A second part with the same rows: sums double. */
static void twice(void *context, double *values, int64_t count) {
    (*(int *)context)++;
    for (int64_t i = 0; i < count; i++)
        values[i] *= 2;
}

static void sums_over_rows_go_through_the_hook(void **state) {
    (void)state;
    struct sample s = sample_new(&(struct shape){"", 30, 10, 1, 0, 0});
    int calls = 0;
    struct reduction hook = {.sum = twice, .context = &calls};
    int64_t list[3] = {4, 1, 9};
    double u[30], plain[100], doubled[100], work[50];
    fill(10, 30, u);
    double norm = linop_norm(s.A, work);
#define COMPARE(count, call)                                                                                           \
    do {                                                                                                               \
        double *out = plain;                                                                                           \
        s.A->reduce = NULL;                                                                                            \
        call;                                                                                                          \
        out = doubled;                                                                                                 \
        s.A->reduce = &hook;                                                                                           \
        call;                                                                                                          \
        for (int i = 0; i < (count); i++)                                                                              \
            assert_true(doubled[i] == 2 * plain[i]);                                                                   \
    } while (0)
    COMPARE(10, linop_transpose(s.A, u, out));
    COMPARE(3, linop_transpose_columns(s.A, 3, list, u, out));
    COMPARE(9, linop_gram(s.A, 3, list, NULL, out));
    COMPARE(30, linop_cross(s.A, 3, list, u, out));
    COMPARE(10, linop_column_squares(s.A, out));
    assert_int_equal(calls, 5);
    assert_true(fabs(linop_norm(s.A, work) / (sqrt(2) * norm) - 1) < 1e-3); /* [A; A] */
    linop_add_columns(s.A, 3, list, u, plain);
    struct linop *framed = linop_framed_new(s.A, NULL, 1, 1);
    COMPARE(10, linop_transpose(s.A, u, out));
    double g[11];
    linop_transpose(framed, u, g);
    for (int j = 0; j < 10; j++)
        assert_true(g[j] == doubled[j]); /* once, not once per layer */
    linop_free(framed);
    reduce_max(&hook, plain, 1);
    reduce_max(NULL, plain, 1);
    sample_free(&s);
}

/* ---- The norm ----------------------------------------------------------------------------------- */

/* The largest eigenvalue of A'A by Jacobi rotations, in long double. */
static double reference_norm(const struct sample *s) {
    int64_t n = s->columns;
    long double *M = calloc((size_t)(n * n) + 1, sizeof *M), size, top = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            M[i + j * n] = reference_product(s, i, j, NULL, &size);
    for (int sweep = 0; sweep < 30; sweep++)
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                if (M[p + q * n] == 0)
                    continue;
                long double theta = (M[q + q * n] - M[p + p * n]) / (2 * M[p + q * n]);
                long double t = (theta < 0 ? -1 : 1) / (fabsl(theta) + sqrtl(theta * theta + 1));
                long double cosine = 1 / sqrtl(t * t + 1), sine = t * cosine;
                for (int64_t i = 0; i < n; i++) {
                    long double a = M[i + p * n], b = M[i + q * n];
                    M[i + p * n] = cosine * a - sine * b;
                    M[i + q * n] = sine * a + cosine * b;
                }
                for (int64_t i = 0; i < n; i++) {
                    long double a = M[p + i * n], b = M[q + i * n];
                    M[p + i * n] = cosine * a - sine * b;
                    M[q + i * n] = sine * a + cosine * b;
                }
            }
    for (int64_t j = 0; j < n; j++)
        top = fmaxl(top, M[j + j * n]);
    free(M);
    return (double)sqrtl(top);
}

static void norm_is_a_tight_upper_estimate(void **state) {
    (void)state;
    for (int c = 0; c < SHAPES; c++) {
        if (shapes[c].columns > 100)
            continue;
        struct sample s = sample_new(&shapes[c]);
        double *work = doubles(2 * s.columns + s.rows), expected = reference_norm(&s);
        double norm = linop_norm(s.A, work);
        print_message("    %s: %g, exact %g\n", shapes[c].name, norm, expected);
        assert_true(norm >= expected);
        assert_true(norm <= 1.02 * expected);
        assert_true(norm == linop_norm(s.A, work));
        free(work);
        sample_free(&s);
    }
}

static double norm_of_dense(int64_t m, int64_t n, const double *values) {
    spgm_matrix matrix = {.rows = m, .columns = n, .values = values, .leading_dimension = m};
    struct linop *A = linop_dense_new(&matrix);
    double *work = doubles(2 * n + m), norm = linop_norm(A, work);
    free(work);
    linop_free(A);
    return norm;
}

static void norm_of_zero_and_rank_one(void **state) {
    (void)state;
    double zero[6] = {0}, row[3] = {3, 0, 4}, ones[20];
    for (int i = 0; i < 20; i++)
        ones[i] = 1;
    assert_true(norm_of_dense(2, 3, zero) == 0);
    assert_true(fabs(norm_of_dense(1, 3, row) - 5) < 1e-9);
    assert_true(fabs(norm_of_dense(3, 1, row) - 5) < 1e-9);
    assert_true(fabs(norm_of_dense(4, 5, ones) - sqrt(20)) < 1e-9); /* duplicates: Frobenius is exact */
}

static void norm_at_the_ends_of_the_range(void **state) {
    (void)state;
    static const double sizes[] = {1e-160, 1e-150, 1e150, 1e160};
    for (int c = 0; c < 4; c++) {
        double A[6] = {3, 0, 0, 4, 0, 0}; /* 2 x 3 with singular values 3 and 4 */
        for (int i = 0; i < 6; i++)
            A[i] *= sizes[c];
        double norm = norm_of_dense(2, 3, A) / sizes[c];
        assert_true(norm >= 4 && norm < 4.1);
    }
}

/* Singular values that crowd below the largest: the slow case of a power iteration. */
static void norm_of_a_crowded_spectrum(void **state) {
    (void)state;
    enum { N = 400 };
    static double A[N * N];
    for (int64_t j = 0; j < N; j++)
        A[j + j * N] = 1 - 0.5 * (double)j / N;
    double norm = norm_of_dense(N, N, A);
    assert_true(norm >= 1 && norm < 1.011);
    for (int64_t j = 0; j < N; j++)
        A[j + j * N] = j == N / 2 ? 1 : 0.999;
    norm = norm_of_dense(N, N, A);
    assert_true(norm >= 1 && norm < 1.011);
}

/* Every third row, of every operator: the same entries; and a row of the caller's below them. */
static void rows_copied(void **state) {
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        struct sample s = sample_new(&shapes[k]);
        struct workspace w = {0};
        int64_t *rows = calloc((size_t)s.rows + 1, sizeof *rows), count = 0;
        for (int64_t i = 1; i < s.rows; i += 3)
            rows[count++] = i;
        double *last = doubles(s.columns);
        for (int64_t j = 0; j < s.columns; j++)
            last[j] = j % 3 == 0 ? 0 : (double)j;
        int64_t height = count + k % 2;
        struct linop *few = linop_rows_new(s.A, count, rows, k % 2 ? last : NULL, &w);
        assert_non_null(few);
        assert_int_equal(few->rows, height);
        assert_int_equal(few->columns, s.columns);
        double *column = doubles(height);
        for (int64_t j = 0; j < s.columns; j++) {
            linop_gather(few, 1, &j, column, height);
            for (int64_t i = 0; i < count; i++)
                assert_near(column[i], s.dense[rows[i] + j * s.rows], fabs(s.dense[rows[i] + j * s.rows]));
            assert_true(height == count || column[count] == last[j]);
        }
        free(last);
        free(column);
        free(rows);
        linop_free(few);
        workspace_free(&w);
        sample_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(rows_copied),
        cmocka_unit_test(gram_of_uneven_rows),
        cmocka_unit_test(sparse_without_zeros_is_dense),
        cmocka_unit_test(normal_in_a_crowd),
        unit_test_alone(transpose),
        unit_test_alone(add_columns_and_multiply),
        unit_test_alone(gram),
        unit_test_alone(gram_of_many_columns),
        unit_test_alone(cross),
        unit_test_alone(products),
        unit_test_alone(framed_twice),
        unit_test_alone(gather_and_column_squares),
        unit_test_alone(weighted_squares),
        unit_test_alone(freeing_nothing_is_fine),
        unit_test_alone(gram_in_parts),
        cmocka_unit_test(gram_again),
        unit_test_alone(gram_of_short_columns_asks),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(one_operator_serves_several_threads),
        unit_test_alone(sums_over_rows_go_through_the_hook),
        unit_test_alone(norm_is_a_tight_upper_estimate),
        unit_test_alone(norm_of_zero_and_rank_one),
        unit_test_alone(norm_at_the_ends_of_the_range),
        unit_test_alone(norm_of_a_crowded_spectrum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
