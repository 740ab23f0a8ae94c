/*
 * A dense matrix in its storage format in a file: by rows, in single precision, with columns left out. It is not
 * copied: tiles of a few rows and columns are read into a buffer on the stack, as columns of doubles, and the kernels
 * work on these.
 *
 * Rows are processed in stretches, all columns of a stretch before the next one. So a file larger than memory is read
 * once per operation, and if it is stored by rows, in the order of the file. If it is stored by columns, operations
 * that need each column once take all rows at a time, which is then the order of the file. If doubles are stored by
 * rows and all columns are needed, no tile is made: a row is a column of A', and rows are added up in place.
 */
#include <string.h>

#include "base/parallel.h"
#include "linalg/constants.h"
#include "linalg/kernels.h"
#include "linalg/linop.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"

enum { TILE_ROWS = 256, TILE_COLUMNS = 16 };
enum { TILE_LD = TILE_ROWS + 8 }; /* a power of two would map the entries of a row to two sets of the cache */

struct tiled {
    struct linop linop;
    spgm_matrix matrix;
    int64_t stretch; /* rows of a stretch, a multiple of TILE_ROWS */
    int64_t reach;   /* the same for operations that read each column once */
};

/* A tile: rows [first, first + rows) of the columns listed. */
struct tile {
    int64_t first, rows, count;
    int64_t columns[TILE_COLUMNS];
    double values[TILE_LD * TILE_COLUMNS];
};

/* One operation on one stretch, shared by the threads that work on its blocks. */
struct call {
    const struct tiled *A;
    int64_t first, last; /* the rows of the stretch */
    int64_t k, l;
    const int64_t *columns, *right; /* NULL: 0, 1, 2, ... */
    const struct columns *P;
    const double *in; /* u, z or w; of all rows, or of k columns */
    double *out;
    int64_t ld;
};

static const struct tiled *tiled_of(const struct linop *A) {
    return (const struct tiled *)A;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Columns [from, to) of the list, at most TILE_COLUMNS. */
static void tile_set_columns(struct tile *tile, const int64_t *list, int64_t from, int64_t to) {
    tile->count = least(to - from, TILE_COLUMNS);
    for (int64_t c = 0; c < tile->count; c++)
        tile->columns[c] = list ? list[from + c] : from + c;
}

static void tile_read(struct tile *tile, const struct tiled *A, int64_t first, int64_t last) {
    tile->first = first;
    tile->rows = least(last - first, TILE_ROWS);
    matrix_tile(&A->matrix, first, tile->rows, tile->count, tile->columns, tile->values, TILE_LD);
}

static struct columns tile_columns(const struct tile *tile) {
    return (struct columns){tile->values, TILE_LD, NULL};
}

/* Run the operation on every stretch in turn; the threads share `count` items, `block` at a time. */
static void for_stretches(struct call *call, int64_t stretch, int64_t work, int64_t count, int64_t block,
                          void (*body)(void *context, int64_t first, int64_t last)) {
    const struct tiled *A = call->A;
    struct team *team = linop_team(&A->linop, work);

    for (call->first = 0; call->first < A->linop.rows; call->first = call->last) {
        call->last = least(call->first + stretch, A->linop.rows);
        parallel_for(team, count, block, body, call);
    }
}

/* ---- A_B'u and sums of squares, rows as they lie ----------------------------------------------------------------- */

/*
 * A row is a column of A', so A'u is the sum of the rows with the weights u_i. For a list of columns the rows are
 * gathered first, LIST_ROWS at a time. The kernel takes rows in groups of four: each column is summed in the same order
 * either way, with the same bits, however columns are shared among threads. The kernel takes WIDEST columns at a time;
 * remaining columns are gathered and padded with zeros, so that they are rounded in the same way.
 */
enum { LIST_ROWS = 64, LIST_COLUMNS = 64, RUN = 512, WIDEST = 8 };

/* The number of columns that a thread takes at a time: enough for long reads along a row, few enough to occupy all
 * threads. */
static int64_t run_of(int64_t k) {
    int64_t run = k / 8 / WIDEST * WIDEST;

    return run > RUN ? RUN : run < TILE_COLUMNS ? TILE_COLUMNS : run;
}

/* Rows first to last of some columns, in place. */
struct rows_at {
    int64_t first, last, count, ld;
    const double *values;
};

static void add_rows_up(const struct call *call, struct rows_at rows, double *out) {
    kernels_best()->add_columns(rows.count, rows.last - rows.first, NULL, rows.values, rows.ld, call->in + rows.first,
                                out);
}

/* sums_j += weight v_j^2 for WIDEST columns */
static inline void add_square(double weight, const double *restrict v, double *restrict sums) {
#pragma omp simd
    for (int j = 0; j < WIDEST; j++)
        sums[j] += weight * (v[j] * v[j]);
}

/* The sums of WIDEST columns stay in registers. */
static void add_squares_up(const struct call *call, struct rows_at rows, double *out) {
    for (int64_t c = 0; c < rows.count; c += WIDEST) {
        const double *row = rows.values + c;
        double sums[WIDEST];

        memcpy(sums, out + c, sizeof sums);
        if (call->in != NULL)
            for (int64_t i = rows.first; i < rows.last; i++, row += rows.ld)
                add_square(call->in[i], row, sums);
        else
            for (int64_t i = rows.first; i < rows.last; i++, row += rows.ld)
                add_square(1, row, sums);
        memcpy(out + c, sums, sizeof sums);
    }
}

typedef void row_adder(const struct call *call, struct rows_at rows, double *out);

/* The position in a stored row of the column at place c of the list. */
static int64_t place_of(const struct call *call, int64_t c) {
    return matrix_column_of(&call->A->matrix, call->columns ? call->columns[c] : c);
}

/* Gather the rows of at most LIST_COLUMNS columns of the list from place `from` on, padded with zeros. */
static void gather_rows(const struct call *call, int64_t from, int64_t count, row_adder *add) {
    const spgm_matrix *M = &call->A->matrix;
    int64_t padded = (count + WIDEST - 1) / WIDEST * WIDEST;
    double tile[LIST_ROWS * LIST_COLUMNS] = {0}, sums[LIST_COLUMNS] = {0};
    int64_t place[LIST_COLUMNS];

    for (int64_t j = 0; j < count; j++)
        place[j] = place_of(call, from + j);
    memcpy(sums, call->out + from, (size_t)count * sizeof *sums);
    for (int64_t first = call->first; first < call->last; first += LIST_ROWS) {
        struct rows_at rows = {first, least(first + LIST_ROWS, call->last), padded, LIST_COLUMNS, tile};

        for (int64_t i = first; i < rows.last; i++)
            for (int64_t j = 0; j < count; j++)
                tile[j + (i - first) * LIST_COLUMNS] = M->values[place[j] + i * M->leading_dimension];
        add(call, rows, sums);
    }
    memcpy(call->out + from, sums, (size_t)count * sizeof *sums);
}

static void take_rows(const struct call *call, int64_t from, int64_t to, row_adder *add) {
    const spgm_matrix *M = &call->A->matrix;
    int64_t ld = M->leading_dimension, count;

    for (int64_t c = from; c < to; c += count) {
        int64_t straight = call->columns ? 0 : matrix_run(M, c, to) / WIDEST * WIDEST;
        struct rows_at rows = {call->first, call->last, straight, ld, M->values + call->first * ld + place_of(call, c)};

        count = straight > 0 ? straight : least(to - c, LIST_COLUMNS);
        if (straight > 0)
            add(call, rows, call->out + c);
        else
            gather_rows(call, c, count, add);
    }
}

static void rows_by_u(void *context, int64_t from, int64_t to) {
    take_rows(context, from, to, add_rows_up);
}

static void rows_squared(void *context, int64_t from, int64_t to) {
    take_rows(context, from, to, add_squares_up);
}

/* ---- y += A_B z ------------------------------------------------------------------------------------------- */

static void add_rows(void *context, int64_t from, int64_t to) {
    const struct call *call = context;
    struct tile tile;

    for (int64_t first = from; first < to; first += TILE_ROWS)
        for (int64_t c = 0; c < call->k; c += TILE_COLUMNS) {
            tile_set_columns(&tile, call->columns, c, call->k);
            tile_read(&tile, call->A, first, to);
            kernels_best()->add_columns(tile.rows, tile.count, NULL, tile.values, TILE_LD, call->in + c,
                                        call->out + first);
        }
}

static void tiled_add_columns(const struct linop *A, int64_t k, const int64_t *columns, const double *z, double *y) {
    struct call call = {.A = tiled_of(A), .k = k, .columns = columns, .in = z, .out = y};
    if (k > 0)
        parallel_for(linop_team(A, A->rows * k), A->rows, TILE_ROWS, add_rows, &call);
}

/* ---- A_B'u, and sums of squares --------------------------------------------------------------------------- */

static void dot_block(void *context, int64_t from, int64_t to) {
    const struct call *call = context;
    struct tile tile;
    double sums[TILE_COLUMNS];

    for (int64_t c = from; c < to; c += TILE_COLUMNS) {
        tile_set_columns(&tile, call->columns, c, to);
        for (int64_t first = call->first; first < call->last; first += TILE_ROWS) {
            tile_read(&tile, call->A, first, call->last);
            kernels_best()->dot_columns(tile.rows, tile.count, NULL, tile.values, TILE_LD, call->in + first, sums);
            for (int64_t i = 0; i < tile.count; i++)
                call->out[c + i] += sums[i];
        }
    }
}

/* out [k] as sums over the rows, for k columns: directly if A is stored by rows, otherwise by tiles. */
static void sum_columns(struct call *call, int64_t k, void (*by_rows)(void *context, int64_t first, int64_t last),
                        void (*by_tiles)(void *context, int64_t first, int64_t last)) {
    int lies_by_rows = matrix_lies_by_rows(&call->A->matrix);

    for (int64_t i = 0; i < k; i++)
        call->out[i] = 0;
    for_stretches(call, call->A->reach, call->A->linop.rows * k, k, lies_by_rows ? run_of(k) : TILE_COLUMNS,
                  lies_by_rows ? by_rows : by_tiles);
}

static void tiled_transpose_columns(const struct linop *A, int64_t k, const int64_t *columns, const double *u,
                                    double *g) {
    struct call call = {.A = tiled_of(A), .columns = columns, .in = u, .out = g};

    sum_columns(&call, k, rows_by_u, dot_block);
}

static void tiled_transpose(const struct linop *A, const double *u, double *g) {
    tiled_transpose_columns(A, A->columns, NULL, u, g);
}

static void squares_block(void *context, int64_t from, int64_t to) {
    const struct call *call = context;
    struct tile tile;

    for (int64_t c = from; c < to; c += TILE_COLUMNS) {
        tile_set_columns(&tile, call->columns, c, to);
        for (int64_t first = call->first; first < call->last; first += TILE_ROWS) {
            tile_read(&tile, call->A, first, call->last);
            for (int64_t i = 0; i < tile.count; i++) {
                const double *column = tile.values + i * TILE_LD;

                call->out[c + i] += call->in ? kernels_best()->weighted_square(tile.rows, call->in + first, column)
                                             : kernels_best()->sum_squares(tile.rows, column);
            }
        }
    }
}

static void tiled_weighted_squares(const struct linop *A, int64_t k, const int64_t *columns, const double *w,
                                   double *squares) {
    struct call call = {.A = tiled_of(A), .columns = columns, .in = w, .out = squares};

    sum_columns(&call, k, rows_squared, squares_block);
}

static void tiled_column_squares(const struct linop *A, double *squares) {
    tiled_weighted_squares(A, A->columns, NULL, NULL, squares);
}

/* ---- products --------------------------------------------------------------------------------------------- */

/* G(:, right) += left' W right over the rows of two tiles */
static void add_tiles(const struct call *call, const struct tile *left, const struct tile *right, double *G) {
    kernels_best()->add_products(right->rows, 1, call->in ? call->in + right->first : NULL, left->count,
                                 tile_columns(left), right->count, tile_columns(right), -right->count, G, call->ld);
}

static void cross_block(void *context, int64_t from, int64_t to) {
    const struct call *call = context;
    struct tile left, right;

    for (int64_t c = from; c < to; c += TILE_COLUMNS) {
        tile_set_columns(&right, call->right, c, to);
        for (int64_t first = call->first; first < call->last; first += TILE_ROWS) {
            tile_read(&right, call->A, first, call->last);
            for (int64_t b = 0; b < call->k; b += TILE_COLUMNS) {
                tile_set_columns(&left, call->columns, b, call->k);
                tile_read(&left, call->A, first, call->last);
                add_tiles(call, &left, &right, call->out + b + c * call->ld);
            }
        }
    }
}

static void clear(int64_t k, int64_t l, double *G, int64_t ld) {
    for (int64_t j = 0; j < l; j++)
        for (int64_t i = 0; i < k; i++)
            G[i + j * ld] = 0;
}

static void tiled_cross(const struct linop *A, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                        const double *w, double *G, int64_t ld) {
    struct call call = {.A = tiled_of(A), .k = k, .columns = columns, .right = right, .in = w, .out = G, .ld = ld};

    clear(k, l, G, ld);
    for_stretches(&call, call.A->stretch, A->rows * k * l, l, TILE_COLUMNS, cross_block);
}

/* The lower triangle by blocks. Sums go down the rows tile by tile, and are the same wherever they are interrupted. */
static void gram_block(void *context, int64_t from, int64_t to) {
    const struct call *call = context;
    struct tile left, right;

    for (int64_t c = from; c < to; c += TILE_COLUMNS) {
        tile_set_columns(&right, call->columns, c, to);
        for (int64_t first = call->first; first < call->last; first += TILE_ROWS) {
            tile_read(&right, call->A, first, call->last);
            for (int64_t b = c; b < call->k; b += TILE_COLUMNS) {
                tile_set_columns(&left, call->columns, b, call->k);
                tile_read(&left, call->A, first, call->last);
                add_tiles(call, &left, &right, call->out + b + c * call->ld);
            }
        }
    }
}

static void tiled_gram(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G, int64_t ld,
                       struct gram_run *runs, struct stop *stop) {
    (void)runs;
    struct call call = {.A = tiled_of(A), .k = k, .columns = columns, .in = w, .out = G, .ld = ld};
    struct team *team = linop_team(A, A->rows * k * k / 2);
    int64_t stretch = least(call.A->stretch, linop_part(stop, A->rows, k * k / 2, TILE_ROWS) * team_size(team));

    clear(k, k, G, ld);
    for (call.first = 0; call.first < A->rows; call.first = call.last) {
        call.last = least(call.first + stretch, A->rows);
        parallel_for(team, k, TILE_COLUMNS, gram_block, &call);
        if (call.last < A->rows && stop_ask(stop))
            return;
    }
    linop_mirror(k, G, ld);
}

static void products_block(void *context, int64_t from, int64_t to) {
    const struct call *call = context;
    struct tile right;

    for (int64_t c = from; c < to; c += TILE_COLUMNS) {
        tile_set_columns(&right, call->right, c, to);
        for (int64_t first = call->first; first < call->last; first += TILE_ROWS) {
            tile_read(&right, call->A, first, call->last);
            kernels_best()->add_products(right.rows, 1, call->in ? call->in + first : NULL, call->k,
                                         (struct columns){call->P->values + first, call->P->ld, call->P->list},
                                         right.count, tile_columns(&right), -right.count, call->out + c * call->ld,
                                         call->ld);
        }
    }
}

static void tiled_products(const struct linop *A, int64_t p, const struct columns *P, int64_t k, const int64_t *columns,
                           const double *w, double *G, int64_t ld) {
    struct call call = {.A = tiled_of(A), .k = p, .right = columns, .P = P, .in = w, .out = G, .ld = ld};

    clear(p, k, G, ld);
    if (p > 0)
        for_stretches(&call, call.A->stretch, A->rows * p * k, k, TILE_COLUMNS, products_block);
}

/* ---- entries ---------------------------------------------------------------------------------------------- */

static void tiled_gather(const struct linop *A, int64_t k, const int64_t *columns, double *D, int64_t ld) {
    for (int64_t first = 0; first < A->rows; first += TILE_ROWS)
        matrix_tile(&tiled_of(A)->matrix, first, least(A->rows - first, TILE_ROWS), k, columns, D + first, ld);
}

static void tiled_row(const struct linop *A, int64_t row, int64_t k, const int64_t *columns, double *r) {
    matrix_tile(&tiled_of(A)->matrix, row, 1, k, columns, r, 1);
}

static void tiled_free(struct linop *A) {
    memory_free(A);
}

static const struct linop_ops tiled_ops = {
    "tiled",    tiled_add_columns,    tiled_transpose,        tiled_transpose_columns,
    tiled_gram, tiled_cross,          tiled_products,         tiled_gather,
    tiled_row,  tiled_column_squares, tiled_weighted_squares, tiled_free,
    NULL};

struct linop *linop_tiled_new(const spgm_matrix *matrix) {
    struct tiled *A = memory_array(1, sizeof *A);
    int64_t rows = STRETCH_ENTRIES / matrix->columns / TILE_ROWS * TILE_ROWS;

    if (!A)
        return NULL;
    A->linop = (struct linop){.ops = &tiled_ops,
                              .rows = matrix->rows,
                              .columns = matrix->columns,
                              .nonzeros = matrix->rows * matrix->columns,
                              .is_apart = matrix->by_rows,
                              .memory = matrix->memory};
    A->linop.is_mapped = spgm_matrix_is_large(matrix);
    A->matrix = *matrix;
    A->stretch = rows < TILE_ROWS ? TILE_ROWS : rows;
    A->reach = matrix->by_rows ? A->stretch : matrix->rows;
    return &A->linop;
}
