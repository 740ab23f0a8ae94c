/* A dense column-major matrix. Columns are read in place; the kernels do all the work. */
#include <string.h>

#include "base/parallel.h"
#include "linalg/constants.h"
#include "linalg/kernels.h"
#include "linalg/linop.h"
#include "linalg/matrix.h"

struct dense {
    struct linop linop;
    const double *values;
    int64_t ld;
};

/* One call, shared by the threads that work on its blocks. */
struct call {
    const struct dense *A;
    int64_t k;
    const int64_t *columns, *right;
    const double *in; /* u, z or w */
    double *out;
    int64_t ld;
    int64_t base; /* the first column of this part of a Gram matrix */
    int is_wide;  /* there are enough columns on the right to make copying the left ones worthwhile */
};

enum { COLUMN_BLOCK = 64, ROW_BLOCK = 1024, PRODUCT_BLOCK = 128, GRAM_BLOCK = 64 };

static const struct dense *dense_of(const struct linop *A) {
    return (const struct dense *)A;
}

static void add_rows(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    kernels_best()->add_columns(last - first, call->k, call->columns, call->A->values + first, call->A->ld, call->in,
                                call->out + first);
}

static void dense_add_columns(const struct linop *A, int64_t k, const int64_t *columns, const double *z, double *y) {
    struct call call = {.A = dense_of(A), .k = k, .columns = columns, .in = z, .out = y};
    if (k > 0)
        parallel_for(linop_team(A, A->rows * k), A->rows, ROW_BLOCK, add_rows, &call);
}

static void dot_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    const double *a = call->columns ? call->A->values : call->A->values + first * call->A->ld;
    const int64_t *columns = call->columns ? call->columns + first : NULL;
    kernels_best()->dot_columns(call->A->linop.rows, last - first, columns, a, call->A->ld, call->in,
                                call->out + first);
}

static void dense_transpose_columns(const struct linop *A, int64_t k, const int64_t *columns, const double *u,
                                    double *g) {
    struct call call = {.A = dense_of(A), .columns = columns, .in = u, .out = g};
    parallel_for(linop_team(A, A->rows * k), k, COLUMN_BLOCK, dot_block, &call);
}

static void dense_transpose(const struct linop *A, const double *u, double *g) {
    dense_transpose_columns(A, A->columns, NULL, u, g);
}

/* G = left' W right; entries above the diagonal given by `lowest` may stay zero. */
static void products(const struct call *call, int64_t l, const int64_t *right, int64_t lowest, double *G) {
    const struct dense *A = call->A;
    const struct kernels *kernels = kernels_best();
    for (int64_t j = 0; j < l; j++)
        for (int64_t i = 0; i < call->k; i++)
            G[i + j * call->ld] = 0;
    (call->is_wide ? kernels->add_panels : kernels->add_products)(
        A->linop.rows, 1, call->in, call->k, (struct columns){A->values, A->ld, call->columns}, l,
        (struct columns){A->values, A->ld, right}, lowest, G, call->ld);
}

static void gram_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    first += call->base;
    last += call->base;
    products(call, last - first, call->columns + first, first, call->out + first * call->ld);
}

/* The columns on the right may be grouped in any way: the kernels guarantee the same bits. */
static void dense_gram(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G, int64_t ld,
                       struct gram_run *runs, struct stop *stop) {
    (void)runs;
    struct call call = {.A = dense_of(A), .k = k, .columns = columns, .in = w, .out = G, .ld = ld};
    struct team *team = linop_team(A, A->rows * k * k / 2);
    int64_t part = linop_part(stop, k, A->rows * k / 2, GRAM_BLOCK) * (stop ? team_size(team) : 1);
    for (; call.base < k; call.base += part) {
        int64_t count = k - call.base < part ? k - call.base : part;
        parallel_for(team, count, part < k ? GRAM_BLOCK : PRODUCT_BLOCK, gram_block, &call);
        if (part < k && stop_ask(stop))
            return;
    }
    linop_mirror(k, G, ld);
}

static void cross_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;

    int64_t list[PRODUCT_BLOCK];
    for (int64_t j = first; j < last; j++)
        list[j - first] = call->right ? call->right[j] : j;
    products(call, last - first, list, first - last, call->out + first * call->ld);
}

static void dense_cross(const struct linop *A, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                        const double *w, double *G, int64_t ld) {
    struct call call = {.A = dense_of(A), .k = k, .columns = columns, .right = right, .in = w, .out = G, .ld = ld};
    call.is_wide = k >= WIDE_LEFT && l >= WIDE_RIGHT;
    if (k > 0)
        parallel_for(linop_team(A, A->rows * k * l), l, PRODUCT_BLOCK, cross_block, &call);
}

static void dense_products(const struct linop *linop, int64_t p, const struct columns *P, int64_t k,
                           const int64_t *columns, const double *w, double *G, int64_t ld) {
    const struct dense *A = dense_of(linop);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < p; i++)
            G[i + j * ld] = 0;
    if (p > 0 && k > 0)
        kernels_best()->add_products(linop->rows, 1, w, p, *P, k, (struct columns){A->values, A->ld, columns}, -k, G,
                                     ld);
}

static void dense_gather(const struct linop *A, int64_t k, const int64_t *columns, double *D, int64_t ld) {
    const struct dense *dense = dense_of(A);
    for (int64_t i = 0; i < k && A->rows > 0; i++)
        memcpy(D + i * ld, dense->values + columns[i] * dense->ld, (size_t)A->rows * sizeof *D);
}

static void dense_row(const struct linop *A, int64_t row, int64_t k, const int64_t *columns, double *r) {
    const struct dense *dense = dense_of(A);
    for (int64_t i = 0; i < k; i++)
        r[i] = dense->values[row + columns[i] * dense->ld];
}

static void squares_block(void *context, int64_t first, int64_t last) {
    const struct call *call = context;
    for (int64_t j = first; j < last; j++)
        call->out[j] = kernels_best()->sum_squares(call->A->linop.rows, call->A->values + j * call->A->ld);
}

static void dense_column_squares(const struct linop *A, double *squares) {
    struct call call = {.A = dense_of(A), .out = squares};
    parallel_for(linop_team(A, A->nonzeros), A->columns, COLUMN_BLOCK, squares_block, &call);
}

static void dense_weighted_squares(const struct linop *linop, int64_t k, const int64_t *columns, const double *w,
                                   double *squares) {
    const struct dense *A = dense_of(linop);
    for (int64_t i = 0; i < k; i++)
        squares[i] = kernels_best()->weighted_square(linop->rows, w, A->values + (columns ? columns[i] : i) * A->ld);
}

static void dense_free(struct linop *A) {
    memory_free(A);
}

static const struct linop_ops dense_ops = {
    "dense",    dense_add_columns,    dense_transpose,        dense_transpose_columns,
    dense_gram, dense_cross,          dense_products,         dense_gather,
    dense_row,  dense_column_squares, dense_weighted_squares, dense_free,
    NULL};

struct linop *linop_dense_new(const spgm_matrix *matrix) {
    struct dense *A = memory_array(1, sizeof *A);
    if (!A)
        return NULL;
    A->linop = (struct linop){.ops = &dense_ops,
                              .rows = matrix->rows,
                              .columns = matrix->columns,
                              .nonzeros = matrix->rows * matrix->columns,
                              .memory = matrix->memory};
    A->linop.is_mapped = spgm_matrix_is_large(matrix);
    A->values = matrix->values;
    A->ld = matrix->leading_dimension;
    return &A->linop;
}
