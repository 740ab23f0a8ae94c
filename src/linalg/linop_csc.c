/*
 * A sparse matrix by columns. Transposes read each column once. Products of columns spread one side over a small dense
 * strip of rows on the stack and run the other side over it; where columns are too short for the number of strips, they
 * are intersected pair by pair. Columns with many nonzeros are kept a second time as dense ones, for A'u, A x and A'WA
 * (csc_gram.c).
 */
#include <string.h>

#include "base/parallel.h"
#include "linalg/constants.h"
#include "linalg/csc.h"
#include "linalg/kernels.h"
#include "linalg/vector.h"

enum {
    TILE_ROWS = 1024, /* rows and columns of the cross tile, row by row    */
    TILE_COLUMNS = 8,
    CROSS_BLOCK = 512 /* right columns that share one filling of the tiles */
};

/* ---- Single columns ------------------------------------------------------------------------- */

/* y += the dense ones among the columns; in groups, so that y is read and written once for several. */
static void add_dense(const struct csc *A, int64_t k, const int64_t *columns, const double *z, double *y) {
    enum { GROUP = 16 };
    int64_t list[GROUP];
    double factor[GROUP];
    int64_t count = 0;
    for (int64_t i = 0; i < k; i++) {
        if (A->in_dense[columns[i]] >= 0) {
            list[count] = A->in_dense[columns[i]];
            factor[count++] = z[i];
        }
        if (count == GROUP || (count > 0 && i == k - 1)) {
            kernels_best()->add_columns(A->linop.rows, count, list, A->dense, A->linop.rows, factor, y);
            count = 0;
        }
    }
}

static void csc_add_columns(const struct linop *linop, int64_t k, const int64_t *columns, const double *z, double *y) {
    const struct csc *A = csc_of(linop);
    add_dense(A, k, columns, z, y);
    for (int64_t i = 0; i < k; i++)
        for (int64_t e = A->start[columns[i]]; A->in_dense[columns[i]] < 0 && e < A->start[columns[i] + 1]; e++)
            y[A->row[e]] += z[i] * A->value[e];
}

/* a_j'u for the full columns among those of the call, in groups, so that u is read once for several. */
static void dot_dense(const struct call *call, int64_t first, int64_t last) {
    const struct csc *A = call->A;
    enum { GROUP = 16 };
    int64_t list[GROUP], place[GROUP], count = 0;
    double g[GROUP];
    for (int64_t i = first; i < last; i++) {
        int64_t at = A->in_dense[call->columns ? call->columns[i] : i];
        list[count] = at;
        place[count] = i;
        count += at >= 0;
        if (count == GROUP || (count > 0 && i == last - 1)) {
            kernels_best()->dot_columns(A->linop.rows, count, list, A->dense, A->linop.rows, call->in, g);
            for (int64_t c = 0; c < count; c++)
                call->out[place[c]] = g[c];
            count = 0;
        }
    }
}

static void dot_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    const struct csc *A = call->A;
    dot_dense(call, first, last);
    for (int64_t i = first; i < last; i++) {
        int64_t j = call->columns ? call->columns[i] : i;
        if (A->in_dense[j] < 0)
            call->out[i] = span_dot(A, column_span(A, j), call->in, 0);
    }
}

static void csc_transpose_columns(const struct linop *A, int64_t k, const int64_t *columns, const double *u,
                                  double *g) {
    struct call call = {.A = csc_of(A), .columns = columns, .in = u, .out = g};
    parallel_for(NULL, k, k, dot_block, &call);
}

static void csc_transpose(const struct linop *A, const double *u, double *g) {
    struct call call = {.A = csc_of(A), .in = u, .out = g};
    parallel_for(linop_team(A, A->nonzeros), A->columns, call.A->column_block, dot_block, &call);
}

static void csc_gather(const struct linop *linop, int64_t k, const int64_t *columns, double *D, int64_t ld) {
    const struct csc *A = csc_of(linop);
    for (int64_t i = 0; i < k && linop->rows > 0; i++) {
        if (is_full(A, columns[i])) {
            vector_copy(linop->rows, full_column(A, columns[i]), D + i * ld);
            continue;
        }
        memset(D + i * ld, 0, (size_t)linop->rows * sizeof *D);
        for (int64_t e = A->start[columns[i]]; e < A->start[columns[i] + 1]; e++)
            D[A->row[e] + i * ld] = A->value[e];
    }
}

static void csc_column_squares(const struct linop *linop, double *squares) {
    const struct csc *A = csc_of(linop);
    for (int64_t j = 0; j < linop->columns; j++)
        squares[j] = vector_sum_squares(A->start[j + 1] - A->start[j], A->value + A->start[j]);
}

static void csc_weighted_squares(const struct linop *linop, int64_t k, const int64_t *columns, const double *w,
                                 double *squares) {
    const struct csc *A = csc_of(linop);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = columns ? columns[i] : i;
        squares[i] = is_full(A, j) ? kernels_best()->weighted_square(linop->rows, w, full_column(A, j)) : 0;
        for (int64_t e = A->start[j]; !is_full(A, j) && e < A->start[j + 1]; e++)
            squares[i] += w[A->row[e]] * A->value[e] * A->value[e];
    }
}

/* ---- Products of columns -------------------------------------------------------------------- */

static void csc_row(const struct linop *linop, int64_t row, int64_t k, const int64_t *columns, double *r) {
    const struct csc *A = csc_of(linop);
    for (int64_t i = 0; i < k; i++) {
        struct span span = column_span(A, columns[i]);
        int64_t e = seek(A, span, row);
        r[i] = e < span.last && A->row[e] == row ? A->value[e] : 0;
    }
}

/*
 * CROSS. The left columns go by eights. Where all eight are full they meet full ones on the right in the dense kernel;
 * the other pairs go through a tile.
 */

static int64_t right_column(const struct call *call, int64_t j) {
    return call->right ? call->right[j] : j;
}

/* Row by row: tile[(row - top) * TILE_COLUMNS + c] = a(row, columns_c), zero elsewhere. */
static void tile_fill(const struct csc *A, int64_t width, const int64_t *columns, int64_t top, int64_t bottom,
                      double *tile) {
    for (int64_t c = 0; c < width; c++) {
        struct span span = rows_between(A, columns[c], top, bottom);
        for (int64_t e = span.first; e < span.last; e++)
            tile[(A->row[e] - top) * TILE_COLUMNS + c] = A->value[e];
    }
}

static void tile_clear(const struct csc *A, int64_t width, const int64_t *columns, int64_t top, int64_t bottom,
                       double *tile) {
    for (int64_t c = 0; c < width; c++) {
        struct span span = rows_between(A, columns[c], top, bottom);
        for (int64_t e = span.first; e < span.last; e++)
            tile[(A->row[e] - top) * TILE_COLUMNS + c] = 0;
    }
}

/* sum += tile' W a over the entries from `e` on that lie above `bottom`; returns the first entry that does not. */
static int64_t tile_apply(const struct csc *A, int64_t e, int64_t last, int64_t top, int64_t bottom, const double *w,
                          const double *tile, double *sum) {
    for (; e < last && A->row[e] < bottom; e++) {
        double value = w ? w[A->row[e]] * A->value[e] : A->value[e];
        const double *line = tile + (A->row[e] - top) * TILE_COLUMNS;
        for (int c = 0; c < TILE_COLUMNS; c++)
            sum[c] += value * line[c];
    }
    return e;
}

/* Right columns of a block, by their places in the list. */
struct some {
    int64_t at[CROSS_BLOCK], count;
};

/* Rows left..left+width-1 of G for some right columns. */
static void cross_by_tiles(const struct call *call, int64_t left, int64_t width, const struct some *some,
                           double *tile) {
    const struct csc *A = call->A;
    int64_t at[CROSS_BLOCK];
    for (int64_t i = 0; i < some->count; i++)
        at[i] = A->start[right_column(call, some->at[i])];
    for (int64_t top = 0; top < A->linop.rows && some->count > 0; top += TILE_ROWS) {
        int64_t bottom = lesser(top + TILE_ROWS, A->linop.rows);
        tile_fill(A, width, call->columns + left, top, bottom, tile);
        for (int64_t i = 0; i < some->count; i++) {
            int64_t j = some->at[i];
            double sum[TILE_COLUMNS] = {0};
            at[i] = tile_apply(A, at[i], A->start[right_column(call, j) + 1], top, bottom, call->in, tile, sum);
            for (int64_t c = 0; c < width; c++)
                call->out[left + c + j * call->ld] += sum[c];
        }
        tile_clear(A, width, call->columns + left, top, bottom, tile);
    }
}

/* The same where all of them are full. */
static void cross_of_full(const struct call *call, int64_t left, int64_t width, const struct some *some) {
    const struct csc *A = call->A;
    int64_t m = A->linop.rows, in_left[TILE_COLUMNS], in_right[CROSS_BLOCK];
    double G[TILE_COLUMNS * CROSS_BLOCK];
    memset(G, 0, (size_t)(width * some->count) * sizeof *G);
    for (int64_t c = 0; c < width; c++)
        in_left[c] = A->in_dense[call->columns[left + c]];
    for (int64_t i = 0; i < some->count; i++)
        in_right[i] = A->in_dense[right_column(call, some->at[i])];
    kernels_best()->add_products(m, 1, call->in, width, (struct columns){A->dense, m, in_left}, some->count,
                                 (struct columns){A->dense, m, in_right}, -some->count, G, width);
    for (int64_t i = 0; i < some->count; i++)
        memcpy(call->out + left + some->at[i] * call->ld, G + i * width, (size_t)width * sizeof *G);
}

static void cross_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    double tile[TILE_ROWS * TILE_COLUMNS];
    memset(tile, 0, sizeof tile);
    for (int64_t j = first; j < last; j++)
        for (int64_t i = 0; i < call->k; i++)
            call->out[i + j * call->ld] = 0;
    struct some all = {.count = 0}, full = {.count = 0}, rest = {.count = 0};
    for (int64_t j = first; j < last; j++) {
        struct some *kind = is_full(call->A, right_column(call, j)) ? &full : &rest;
        all.at[all.count++] = kind->at[kind->count++] = j;
    }
    for (int64_t left = 0; left < call->k; left += TILE_COLUMNS) {
        int64_t width = lesser(TILE_COLUMNS, call->k - left);
        int are_full = 1;
        for (int64_t c = 0; c < width; c++)
            are_full &= is_full(call->A, call->columns[left + c]);
        if (are_full && full.count > 0)
            cross_of_full(call, left, width, &full);
        cross_by_tiles(call, left, width, are_full ? &rest : &all, tile);
    }
}

static void cross_block_by_pairs(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    for (int64_t j = first; j < last; j++)
        for (int64_t i = 0; i < call->k; i++)
            call->out[i + j * call->ld] = intersection(call->A, call->columns[i], right_column(call, j), call->in);
}

static void csc_cross(const struct linop *A, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                      const double *w, double *G, int64_t ld) {
    struct call call = {.A = csc_of(A), .k = k, .columns = columns, .right = right, .in = w, .out = G, .ld = ld};
    int tiles_pay = A->nonzeros >= 2 * strips(A->rows, TILE_ROWS) * A->columns;
    parallel_for(linop_team(A, A->nonzeros * k), l, CROSS_BLOCK, tiles_pay ? cross_block : cross_block_by_pairs, &call);
}

static void csc_products(const struct linop *linop, int64_t p, const struct columns *P, int64_t k,
                         const int64_t *columns, const double *w, double *G, int64_t ld) {
    const struct csc *A = csc_of(linop);
    for (int64_t j = 0; j < k; j++) {
        struct span span = column_span(A, columns ? columns[j] : j);
        for (int64_t i = 0; i < p; i++) {
            const double *left = P->values + (P->list ? P->list[i] : i) * P->ld;
            double sum = 0;
            for (int64_t e = span.first; e < span.last; e++)
                sum += (w ? w[A->row[e]] * A->value[e] : A->value[e]) * left[A->row[e]];
            G[i + j * ld] = sum;
        }
    }
}

/* ---- The table ------------------------------------------------------------------------------ */

static void csc_free(struct linop *linop) {
    struct csc *A = (struct csc *)linop;
    memory_free(A->dense);
    memory_free(A->in_dense);
    memory_free(A);
}

/* Number the columns with at least rows / part nonzeros, as many as DENSE_MOST has room for; returns how many. */
static int64_t number_full(struct csc *A, int64_t part) {
    int64_t m = A->linop.rows, count = 0;
    for (int64_t j = 0; j < A->linop.columns; j++) {
        int is_full = m >= 16 && part * (A->start[j + 1] - A->start[j]) >= m && (count + 1) * m <= DENSE_MOST;
        A->in_dense[j] = is_full ? count++ : -1;
    }
    return count;
}

/* From a quarter on it pays; from a half on when that would take more memory than the nonzeros. Zero: out of memory. */
static int copy_full(struct csc *A) {
    int64_t m = A->linop.rows;
    if (!(A->in_dense = memory_array(A->linop.columns, sizeof *A->in_dense)))
        return 0;
    int64_t count = number_full(A, 4);
    if (count > 0 && m * count > 2 * A->linop.nonzeros)
        count = number_full(A, 2);
    if (!(A->dense = memory_array(m * count, sizeof *A->dense)))
        return 0;
    for (int64_t j = 0; j < A->linop.columns; j++)
        for (int64_t e = A->start[j]; A->in_dense[j] >= 0 && e < A->start[j + 1]; e++)
            A->dense[A->in_dense[j] * m + A->row[e]] = A->value[e];
    return 1;
}

static const struct linop_ops csc_ops = {
    "sparse",   csc_add_columns, csc_transpose,      csc_transpose_columns, csc_gram, csc_cross, csc_products,
    csc_gather, csc_row,         csc_column_squares, csc_weighted_squares,  csc_free, NULL};

static int has_no_zeros(const spgm_matrix *matrix) {
    for (int64_t j = 0; j < matrix->columns; j++)
        if (matrix->column_start[j + 1] - matrix->column_start[j] < matrix->rows)
            return 0;
    return matrix->columns > 0;
}

/* Rows are ascending in each column, so that without zeros the values are a dense matrix as they stand: nothing is
 * copied, and no kernel asks of a column where it lies. Tables in LIBSVM's format are often of this kind. */
static struct linop *dense_in_place(const spgm_matrix *matrix) {
    spgm_matrix dense = spgm_dense(matrix->rows, matrix->columns, matrix->values);
    dense.memory = matrix->memory;
    return linop_dense_new(&dense);
}

struct linop *linop_csc_new(const spgm_matrix *matrix) {
    if (has_no_zeros(matrix))
        return dense_in_place(matrix);
    struct csc *A = memory_array(1, sizeof *A);
    if (!A)
        return NULL;
    int64_t nonzeros = matrix->column_start[matrix->columns];
    A->linop = (struct linop){.ops = &csc_ops,
                              .rows = matrix->rows,
                              .columns = matrix->columns,
                              .nonzeros = nonzeros,
                              .memory = matrix->memory};
    A->start = matrix->column_start;
    A->row = matrix->row_index;
    A->value = matrix->values;
    A->column_block = 64;
    while (A->column_block < 8192 && A->column_block * nonzeros < 65536 * matrix->columns)
        A->column_block *= 2;
    if (!copy_full(A)) {
        csc_free(&A->linop);
        return NULL;
    }
    return &A->linop;
}
