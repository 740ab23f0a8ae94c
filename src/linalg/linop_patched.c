/*
 * An operator with some columns replaced by dense ones. The base first works on the whole list; the results for
 * replaced columns are then overwritten. That is cheap because these columns are few.
 */
#include <string.h>

#include "linalg/kernels.h"
#include "linalg/linop.h"
#include "linalg/vector.h"

struct patched {
    struct linop linop;
    struct linop *base; /* owned */
    int64_t count;
    const int64_t *replaced; /* [count], ascending                                     */
    const double *values;    /* [rows x count]                                         */
    int64_t *place;          /* index of column j in values, -1: in the base [columns] */
};

enum { TILE = 32 };

/* The columns of a list that are replaced, or that are not: their positions in the list, and their numbers in values or
 * in the base. */
struct group {
    int64_t count;
    int64_t at[TILE], column[TILE];
};

static const struct patched *patched_of(const struct linop *A) {
    return (const struct patched *)A;
}

static const double *replacement(const struct patched *A, int64_t place) {
    return A->values + place * A->linop.rows;
}

static struct columns replacements(const struct patched *A, const struct group *group) {
    return (struct columns){A->values, A->linop.rows, group->column};
}

/* The next such columns from position `from` on, as many as fit; moves `from` behind the last. `columns` NULL: 0, 1, 2,
 * ... */
static struct group next_group(const struct patched *A, int replaced, int64_t k, const int64_t *columns,
                               int64_t *from) {
    struct group group = {.count = 0};
    for (; *from < k && group.count < TILE; ++*from) {
        int64_t j = columns ? columns[*from] : *from;
        if ((A->place[j] >= 0) == replaced) {
            group.at[group.count] = *from;
            group.column[group.count++] = replaced ? A->place[j] : j;
        }
    }
    return group;
}

static void patched_add_columns(const struct linop *linop, int64_t k, const int64_t *columns, const double *z,
                                double *y) {
    const struct patched *A = patched_of(linop);
    double factor[TILE];
    for (int replaced = 0; replaced <= 1; replaced++)
        for (int64_t from = 0; from < k;) {
            struct group group = next_group(A, replaced, k, columns, &from);
            for (int64_t i = 0; i < group.count; i++)
                factor[i] = z[group.at[i]];
            if (replaced)
                kernels_best()->add_columns(linop->rows, group.count, group.column, A->values, linop->rows, factor, y);
            else
                A->base->ops->add_columns(A->base, group.count, group.column, factor, y);
        }
}

static void patched_transpose(const struct linop *linop, const double *u, double *g) {
    const struct patched *A = patched_of(linop);
    A->base->ops->transpose(A->base, u, g);
    for (int64_t c = 0; c < A->count; c++)
        kernels_best()->dot_columns(linop->rows, 1, &c, A->values, linop->rows, u, g + A->replaced[c]);
}

static void patched_transpose_columns(const struct linop *linop, int64_t k, const int64_t *columns, const double *u,
                                      double *g) {
    const struct patched *A = patched_of(linop);
    A->base->ops->transpose_columns(A->base, k, columns, u, g);
    for (int64_t i = 0; i < k; i++)
        if (A->place[columns[i]] >= 0)
            kernels_best()->dot_columns(linop->rows, 1, &A->place[columns[i]], A->values, linop->rows, u, g + i);
}

/* Tile [P x Q] = P' W Q for replaced columns P and a group of columns Q. */
static void tile_products(const struct patched *A, const struct group *P, int replaced, const struct group *Q,
                          const double *w, double *tile) {
    struct columns left = replacements(A, P);
    if (!replaced) {
        A->base->ops->products(A->base, P->count, &left, Q->count, Q->column, w, tile, TILE);
        return;
    }
    memset(tile, 0, TILE * TILE * sizeof *tile);
    if (Q->count > 0)
        kernels_best()->add_products(A->linop.rows, 1, w, P->count, left, Q->count, replacements(A, Q), -Q->count, tile,
                                     TILE);
}

/* The entries of G in rows of replaced columns; with `mirror` also those in their columns, from the same sums. */
static void patch_rows(const struct patched *A, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                       const double *w, int mirror, double *G, int64_t ld) {
    double tile[TILE * TILE];
    for (int64_t from = 0; from < k;) {
        struct group P = next_group(A, 1, k, columns, &from);
        for (int replaced = 0; P.count > 0 && replaced <= 1; replaced++)
            for (int64_t next = 0; next < l;) {
                struct group Q = next_group(A, replaced, l, right, &next);
                tile_products(A, &P, replaced, &Q, w, tile);
                for (int64_t j = 0; j < Q.count; j++)
                    for (int64_t i = 0; i < P.count; i++) {
                        if (mirror && replaced && P.at[i] < Q.at[j])
                            continue;
                        G[P.at[i] + Q.at[j] * ld] = tile[i + j * TILE];
                        if (mirror)
                            G[Q.at[j] + P.at[i] * ld] = tile[i + j * TILE];
                    }
            }
    }
}

static void patched_gram(const struct linop *linop, int64_t k, const int64_t *columns, const double *w, double *G,
                         int64_t ld, struct gram_run *runs, struct stop *stop) {
    const struct patched *A = patched_of(linop);
    A->base->ops->gram(A->base, k, columns, w, G, ld, runs, stop);
    patch_rows(A, k, columns, k, columns, w, 1, G, ld);
}

/* The entries of G in columns of replaced columns, for the other rows. */
static void patch_columns(const struct patched *A, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                          const double *w, double *G, int64_t ld) {
    double tile[TILE * TILE];
    for (int64_t from = 0; from < l;) {
        struct group P = next_group(A, 1, l, right, &from);
        for (int64_t next = 0; P.count > 0 && next < k;) {
            struct group Q = next_group(A, 0, k, columns, &next);
            tile_products(A, &P, 0, &Q, w, tile);
            for (int64_t i = 0; i < P.count; i++)
                for (int64_t j = 0; j < Q.count; j++)
                    G[Q.at[j] + P.at[i] * ld] = tile[i + j * TILE];
        }
    }
}

static void patched_cross(const struct linop *linop, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                          const double *w, double *G, int64_t ld) {
    const struct patched *A = patched_of(linop);
    A->base->ops->cross(A->base, k, columns, l, right, w, G, ld);
    patch_rows(A, k, columns, l, right, w, 0, G, ld);
    patch_columns(A, k, columns, l, right, w, G, ld);
}

static void patched_products(const struct linop *linop, int64_t p, const struct columns *P, int64_t k,
                             const int64_t *columns, const double *w, double *G, int64_t ld) {
    const struct patched *A = patched_of(linop);
    A->base->ops->products(A->base, p, P, k, columns, w, G, ld);
    for (int64_t j = 0; j < k; j++) {
        int64_t place = A->place[columns ? columns[j] : j];
        if (place < 0)
            continue;
        for (int64_t i = 0; i < p; i++)
            G[i + j * ld] = 0;
        if (p > 0)
            kernels_best()->add_products(linop->rows, 1, w, p, *P, 1, (struct columns){A->values, linop->rows, &place},
                                         -1, G + j * ld, ld);
    }
}

static void patched_gather(const struct linop *linop, int64_t k, const int64_t *columns, double *D, int64_t ld) {
    const struct patched *A = patched_of(linop);
    A->base->ops->gather(A->base, k, columns, D, ld);
    for (int64_t i = 0; i < k; i++)
        if (A->place[columns[i]] >= 0)
            vector_copy(linop->rows, replacement(A, A->place[columns[i]]), D + i * ld);
}

static void patched_row(const struct linop *linop, int64_t row, int64_t k, const int64_t *columns, double *r) {
    const struct patched *A = patched_of(linop);
    A->base->ops->row(A->base, row, k, columns, r);
    for (int64_t i = 0; i < k; i++)
        if (A->place[columns[i]] >= 0)
            r[i] = replacement(A, A->place[columns[i]])[row];
}

static void patched_column_squares(const struct linop *linop, double *squares) {
    const struct patched *A = patched_of(linop);
    A->base->ops->column_squares(A->base, squares);
    for (int64_t c = 0; c < A->count; c++)
        squares[A->replaced[c]] = vector_sum_squares(linop->rows, replacement(A, c));
}

static void patched_weighted_squares(const struct linop *linop, int64_t k, const int64_t *columns, const double *w,
                                     double *squares) {
    const struct patched *A = patched_of(linop);
    A->base->ops->weighted_squares(A->base, k, columns, w, squares);
    for (int64_t i = 0; i < k; i++) {
        int64_t place = A->place[columns ? columns[i] : i];
        double sum = 0;
        if (place < 0)
            continue;
        for (int64_t r = 0; r < linop->rows; r++)
            sum += w[r] * replacement(A, place)[r] * replacement(A, place)[r];
        squares[i] = sum;
    }
}

static void patched_free(struct linop *linop) {
    struct patched *A = (struct patched *)linop;
    linop_free(A->base);
    memory_free(A->place);
    memory_free(A);
}

static const struct linop_ops patched_ops = {
    "patched",    patched_add_columns,    patched_transpose,        patched_transpose_columns,
    patched_gram, patched_cross,          patched_products,         patched_gather,
    patched_row,  patched_column_squares, patched_weighted_squares, patched_free,
    NULL};

/* All columns are replaced: only the row distribution of the base is used. */
static struct linop *dense_like(const struct linop *base, const double *values) {
    spgm_matrix matrix = spgm_dense(base->rows, base->columns, values);
    matrix.memory = base->memory;
    struct linop *A = linop_dense_new(&matrix);
    if (!A)
        return NULL;
    A->reduce = base->reduce;
    A->team = base->team;
    return A;
}

static struct linop *patched_like(struct linop *base, int64_t count, const int64_t *replaced, const double *values) {
    struct patched *A = memory_array(1, sizeof *A);
    int64_t *place = memory_array(base->columns, sizeof *place);
    if (!A || !place) {
        memory_free(A);
        memory_free(place);
        return NULL;
    }
    *A = (struct patched){*base, base, count, replaced, values, place};
    A->linop.ops = &patched_ops;
    A->linop.under = base;
    for (int64_t j = 0; j < base->columns; j++)
        place[j] = -1;
    for (int64_t c = 0; c < count; c++)
        place[replaced[c]] = c;
    return &A->linop;
}

struct linop *linop_patched_new(struct linop *base, int64_t count, const int64_t *replaced, const double *values) {
    int is_whole = count > 0 && count == base->columns;
    struct linop *A = is_whole ? dense_like(base, values) : patched_like(base, count, replaced, values);
    if (!A || is_whole)
        linop_free(base);
    return A;
}
