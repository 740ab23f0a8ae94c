/*
 * A'A as two products: A first, then A'. Nothing of size n^2 is stored; a column of A'A that is needed is computed as
 * A'a_j.
 *
 * HOW IT WORKS: a product needs a vector over the rows of A in between, and some operations need columns of A'A. The
 * buffers for these are taken when the operator is made, in SLOTS slots, so that as many threads can work at once. A
 * thread that finds no free slot waits. A thread that has a slot never waits for another one, so every wait ends.
 */
#include <sched.h>
#include <stdatomic.h>

#include "linalg/kernels.h"
#include "linalg/matrix.h"
#include "linalg/normal.h"
#include "linalg/vector.h"

enum { SLOTS = 4, BLOCK = 16 };

struct slot {
    atomic_flag is_taken;
    double *t;       /* over the rows of A [m] */
    double *v;       /* over its columns [n] */
    double *out;     /* the same                           */
    double *columns; /* of A [m x BLOCK]                   */
    double *block;   /* their products with A [BLOCK x n]  */
};

struct normal {
    struct linop linop;
    struct linop *root;  /* owned */
    const double *norms; /* [n], borrowed */
    int64_t *all;        /* 0, 1, 2, ... [n] */
    struct slot slots[SLOTS];
    struct workspace workspace; /* owns the arrays */
};

static const struct normal *normal_of(const struct linop *A) {
    return (const struct normal *)A;
}

static struct slot *slot_take(const struct linop *linop) {
    struct normal *A = (struct normal *)(uintptr_t)linop; /* operators are never const objects */

    for (int i = 0;; i = (i + 1) % SLOTS) {
        if (!atomic_flag_test_and_set_explicit(&A->slots[i].is_taken, memory_order_acquire)) {
            return &A->slots[i];
        }
        if (i + 1 == SLOTS) {
            sched_yield();
        }
    }
}

static void slot_give(struct slot *slot) {
    atomic_flag_clear_explicit(&slot->is_taken, memory_order_release);
}

/* t = A v */
static void apply(const struct normal *A, const double *v, double *t) {
    for (int64_t i = 0; i < A->root->rows; i++)
        t[i] = 0;
    A->root->ops->add_columns(A->root, A->root->columns, A->all, v, t);
}

static void normal_add_columns(const struct linop *linop, int64_t k, const int64_t *columns, const double *z,
                               double *y) {
    const struct normal *A = normal_of(linop);
    struct slot *slot = slot_take(linop);
    for (int64_t i = 0; i < A->root->rows; i++)
        slot->t[i] = 0;
    A->root->ops->add_columns(A->root, k, columns, z, slot->t);
    A->root->ops->transpose(A->root, slot->t, slot->v);
    for (int64_t j = 0; j < linop->rows; j++)
        y[j] += slot->v[j];
    slot_give(slot);
}

static void normal_transpose(const struct linop *linop, const double *u, double *g) {
    const struct normal *A = normal_of(linop);
    struct slot *slot = slot_take(linop);
    apply(A, u, slot->t);
    A->root->ops->transpose(A->root, slot->t, g);
    slot_give(slot);
}

static void normal_transpose_columns(const struct linop *linop, int64_t k, const int64_t *columns, const double *u,
                                     double *g) {
    const struct normal *A = normal_of(linop);
    struct slot *slot = slot_take(linop);
    apply(A, u, slot->t);
    A->root->ops->transpose_columns(A->root, k, columns, slot->t, g);
    slot_give(slot);
}

/* t = A W A'a_j, from which a_i't is the product of columns i and j of A'A */
static void apply_to_column(const struct normal *A, struct slot *slot, int64_t j, const double *w) {
    A->root->ops->gather(A->root, 1, &j, slot->t, A->root->rows);
    A->root->ops->transpose(A->root, slot->t, slot->v);
    for (int64_t i = 0; w && i < A->root->columns; i++)
        slot->v[i] *= w[i];
    apply(A, slot->v, slot->t);
}

static void normal_gram(const struct linop *linop, int64_t k, const int64_t *columns, const double *w, double *G,
                        int64_t ld, struct gram_run *runs, struct stop *stop) {
    (void)runs;
    const struct normal *A = normal_of(linop);
    struct slot *slot = slot_take(linop);
    for (int64_t j = 0; j < k && !stop_after(stop, linop->nonzeros); j++) {
        apply_to_column(A, slot, columns[j], w);
        A->root->ops->transpose_columns(A->root, k - j, columns + j, slot->t, G + j + j * ld);
        for (int64_t i = j + 1; i < k; i++)
            G[j + i * ld] = G[i + j * ld];
    }
    slot_give(slot);
}

/* row [count], with entries ld apart, = A_j'(slot->t) for the columns j; as many at a time as fit into slot->out. */
static void put_row(const struct normal *A, struct slot *slot, int64_t count, const int64_t *columns, double *row,
                    int64_t ld) {
    int64_t room = A->root->columns;
    for (int64_t first = 0, now; first < count; first += now) {
        now = count - first < room ? count - first : room;
        A->root->ops->transpose_columns(A->root, now, columns + first, slot->t, slot->out);
        for (int64_t j = 0; j < now; j++)
            row[(first + j) * ld] = slot->out[j];
    }
}

/* One column of the shorter list at a time. */
static void normal_cross(const struct linop *linop, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                         const double *w, double *G, int64_t ld) {
    const struct normal *A = normal_of(linop);
    struct slot *slot = slot_take(linop);
    right = right ? right : A->all;
    for (int64_t j = 0; l < k && j < l; j++) {
        apply_to_column(A, slot, right[j], w);
        A->root->ops->transpose_columns(A->root, k, columns, slot->t, G + j * ld);
    }
    for (int64_t i = 0; k <= l && i < k; i++) {
        apply_to_column(A, slot, columns[i], w);
        put_row(A, slot, l, right, G + i, ld);
    }
    slot_give(slot);
}

static void normal_products(const struct linop *linop, int64_t p, const struct columns *P, int64_t k,
                            const int64_t *columns, const double *w, double *G, int64_t ld) {
    const struct normal *A = normal_of(linop);
    struct slot *slot = slot_take(linop);
    columns = columns ? columns : A->all;
    for (int64_t i = 0; i < p; i++) {
        const double *left = P->values + (P->list ? P->list[i] : i) * P->ld;
        for (int64_t j = 0; w && j < linop->rows; j++)
            slot->v[j] = w[j] * left[j];
        apply(A, w ? slot->v : left, slot->t);
        put_row(A, slot, k, columns, G + i, ld);
    }
    slot_give(slot);
}

/* Up to BLOCK columns of A'A from position `first` of the list on: entry (r, i) at block[i + r * count]. Returns their
 * number. */
static int64_t read_block(const struct normal *A, struct slot *slot, int64_t k, const int64_t *columns, int64_t first) {
    int64_t count = k - first < BLOCK ? k - first : BLOCK;
    struct columns left = {slot->columns, A->root->rows, NULL};
    A->root->ops->gather(A->root, count, columns + first, slot->columns, A->root->rows);
    A->root->ops->products(A->root, count, &left, A->root->columns, NULL, NULL, slot->block, count);
    return count;
}

static void normal_gather(const struct linop *linop, int64_t k, const int64_t *columns, double *D, int64_t ld) {
    const struct normal *A = normal_of(linop);
    struct slot *slot = slot_take(linop);
    for (int64_t first = 0, count; first < k; first += count) {
        count = read_block(A, slot, k, columns, first);
        for (int64_t i = 0; i < count; i++)
            for (int64_t r = 0; r < linop->rows; r++)
                D[r + (first + i) * ld] = slot->block[i + r * count];
    }
    slot_give(slot);
}

static void normal_row(const struct linop *linop, int64_t row, int64_t k, const int64_t *columns, double *r) {
    const struct normal *A = normal_of(linop);
    struct slot *slot = slot_take(linop);
    A->root->ops->gather(A->root, 1, &row, slot->t, A->root->rows);
    A->root->ops->transpose_columns(A->root, k, columns, slot->t, r);
    slot_give(slot);
}

static void normal_column_squares(const struct linop *linop, double *squares) {
    for (int64_t j = 0; j < linop->columns; j++)
        squares[j] = normal_of(linop)->norms[j] * normal_of(linop)->norms[j];
}

static void normal_weighted_squares(const struct linop *linop, int64_t k, const int64_t *columns, const double *w,
                                    double *squares) {
    const struct normal *A = normal_of(linop);
    struct slot *slot = slot_take(linop);
    columns = columns ? columns : A->all;
    for (int64_t first = 0, count; first < k; first += count) {
        count = read_block(A, slot, k, columns, first);
        for (int64_t i = 0; i < count; i++) {
            double sum = 0;
            for (int64_t r = 0; r < linop->rows; r++)
                sum += w[r] * slot->block[i + r * count] * slot->block[i + r * count];
            squares[first + i] = sum;
        }
    }
    slot_give(slot);
}

static void normal_free(struct linop *linop) {
    struct normal *A = (struct normal *)linop;
    linop_free(A->root);
    workspace_free(&A->workspace);
    memory_free(A);
}

static const struct linop_ops normal_ops = {
    "normal",    normal_add_columns,    normal_transpose,        normal_transpose_columns,
    normal_gram, normal_cross,          normal_products,         normal_gather,
    normal_row,  normal_column_squares, normal_weighted_squares, normal_free,
    NULL};

static void slot_init(struct normal *A, struct slot *slot) {
    int64_t m = A->root->rows, n = A->root->columns;
    atomic_flag_clear(&slot->is_taken);
    slot->t = workspace_doubles(&A->workspace, m);
    slot->v = workspace_doubles(&A->workspace, n);
    slot->out = workspace_doubles(&A->workspace, n);
    slot->columns = workspace_doubles(&A->workspace, m * BLOCK);
    slot->block = workspace_doubles(&A->workspace, n * BLOCK);
}

struct linop *linop_normal_new(const spgm_matrix *matrix) {
    struct normal *A = memory_array(1, sizeof *A);
    if (!A)
        return NULL;
    A->workspace.memory = matrix->normal->root.memory;
    A->root = linop_new(&matrix->normal->root);
    if (A->root)
        for (int i = 0; i < SLOTS; i++)
            slot_init(A, &A->slots[i]);
    A->all = workspace_integers(&A->workspace, matrix->columns);
    if (!A->root || A->workspace.failed) {
        normal_free(&A->linop);
        return NULL;
    }
    for (int64_t j = 0; j < matrix->columns; j++)
        A->all[j] = j;
    A->linop = (struct linop){.ops = &normal_ops,
                              .rows = matrix->rows,
                              .columns = matrix->columns,
                              .nonzeros = 2 * A->root->nonzeros,
                              .is_apart = 1,
                              .is_implied = 1,
                              .memory = matrix->normal->root.memory,
                              .under = A->root};
    A->norms = matrix->normal->norms;
    return &A->linop;
}
