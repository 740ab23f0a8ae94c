#include "linalg/normal.h"

#include <math.h>

#include "base/parallel.h"
#include "linalg/constants.h"
#include "linalg/kernels.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"

enum { CHUNK = 64, BAND = 32 };

spgm_matrix normal_view(const struct spgm_normal *normal) {
    int64_t n = normal->root.columns;

    return (spgm_matrix){.rows = n, .columns = n, .normal = normal};
}

static double sparse_entry(const spgm_matrix *A, int64_t i, int64_t j) {
    int64_t k = A->column_start[i], l = A->column_start[j];
    double sum = 0;

    while (k < A->column_start[i + 1] && l < A->column_start[j + 1]) {
        int32_t left = A->row_index[k], right = A->row_index[l];

        sum += left == right ? A->values[k] * A->values[l] : 0;
        k += left <= right;
        l += right <= left;
    }
    return sum;
}

double normal_entry(const struct spgm_normal *normal, int64_t i, int64_t j) {
    const spgm_matrix *A = &normal->root;
    double sum = 0;

    if (A->column_start != NULL) {
        return sparse_entry(A, i, j);
    }
    for (int64_t r = 0; r < A->rows; r++) {
        sum += matrix_entry(A, r, i) * matrix_entry(A, r, j);
    }
    return sum;
}

int normal_is_cheaper_formed(const spgm_matrix *root) {
    double n = (double)root->columns;
    double stored = root->column_start != NULL ? (double)root->column_start[root->columns] : (double)root->rows * n;

    return n * n <= fmax(2 * stored, NORMAL_FORMED_ENTRIES);
}

/* ---- norms of sparse columns ------------------------------------------------------------------------------ */

/* The entries of A by rows. */
struct row_lists {
    int64_t *start; /* [rows + 1] */
    int64_t *column;
    double *value;
};

static struct row_lists list_rows(const spgm_matrix *A, struct workspace *workspace) {
    int64_t stored = A->column_start[A->columns];
    struct row_lists rows = {workspace_integers(workspace, A->rows + 2), workspace_integers(workspace, stored),
                             workspace_doubles(workspace, stored)};

    if (workspace->failed) {
        return rows;
    }
    rows.start++; /* start[i] is first the beginning of row i, and moves to its end, which is the beginning of row i + 1
                   */
    for (int64_t k = 0; k < stored; k++) {
        rows.start[A->row_index[k]]++;
    }
    for (int64_t i = 0, begin = 0; i <= A->rows; i++) {
        int64_t count = rows.start[i];

        rows.start[i] = begin;
        begin += count;
    }
    for (int64_t j = 0; j < A->columns; j++) {
        for (int64_t k = A->column_start[j]; k < A->column_start[j + 1]; k++) {
            int64_t at = rows.start[A->row_index[k]]++;

            rows.column[at] = j;
            rows.value[at] = A->values[k];
        }
    }
    rows.start--;
    return rows;
}

/* v = A'a_j is accumulated from the rows in which a_j is not zero, and cleared by the same rows. */
static double sparse_norm(const spgm_matrix *A, const struct row_lists *rows, int64_t j, double *v) {
    double sum = 0;

    for (int64_t k = A->column_start[j]; k < A->column_start[j + 1]; k++) {
        int64_t i = A->row_index[k];

        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
            v[rows->column[e]] += A->values[k] * rows->value[e];
        }
    }
    for (int64_t k = A->column_start[j]; k < A->column_start[j + 1]; k++) {
        int64_t i = A->row_index[k];

        for (int64_t e = rows->start[i]; e < rows->start[i + 1]; e++) {
            sum += v[rows->column[e]] * v[rows->column[e]];
            v[rows->column[e]] = 0;
        }
    }
    return sqrt(sum);
}

static int sparse_norms(const spgm_matrix *A, double *norms) {
    struct workspace workspace = {0};
    struct row_lists rows = list_rows(A, &workspace);
    double *v = workspace_doubles(&workspace, A->columns);
    int done = !workspace.failed;

    for (int64_t j = 0; done && j < A->columns; j++) {
        norms[j] = sparse_norm(A, &rows, j, v);
    }
    workspace_free(&workspace);
    return done;
}

/* ---- norms of dense columns ------------------------------------------------------------------------------- */

/*
 * ||A'a_j||^2 = a_j'K a_j with K = AA' costs 2 m^2 n, where forming all of A'A would cost m n^2. A'a_j is formed if a_j
 * is so small, or so far from the other columns, that K loses its digits, and if m is not below n.
 */
struct norms {
    const struct linop *A;
    const int64_t *all;
    double *K;       /* [rows x rows], the lower triangle, then both        */
    double *block;   /* columns of A [rows x CHUNK]                         */
    double *turned;  /* the same, by rows [CHUNK x rows]                    */
    double *product; /* of the block with K [rows x CHUNK], with A [columns] */
    int64_t count;   /* columns in the block                                */
};

static void add_band(void *context, int64_t from, int64_t to) {
    const struct norms *s = context;
    int64_t m = s->A->rows;
    struct columns left = {s->turned + from * CHUNK, CHUNK, NULL};

    kernels_best()->add_products(s->count, 1, NULL, m - from, left, to - from, left, 0, s->K + from + from * m, m);
}

/* K += the block times its transpose */
static void add_block(struct norms *s) {
    int64_t m = s->A->rows;

    for (int64_t i = 0; i < m; i++) {
        for (int64_t c = 0; c < s->count; c++) {
            s->turned[c + i * CHUNK] = s->block[i + c * m];
        }
    }
    parallel_for(linop_team(s->A, m * m / 2 * s->count), m, BAND, add_band, s);
}

static void read_block(struct norms *s, int64_t first) {
    s->count = s->A->columns - first < CHUNK ? s->A->columns - first : CHUNK;
    s->A->ops->gather(s->A, s->count, s->all + first, s->block, s->A->rows);
}

static double direct_norm(const struct norms *s, const double *column) {
    s->A->ops->transpose(s->A, column, s->product);
    return vector_norm(s->A->columns, s->product);
}

static void block_norms(struct norms *s, int64_t first, double trace, double *norms) {
    int64_t m = s->A->rows;
    struct columns K = {s->K, m, NULL};

    s->A->ops->products(s->A, m, &K, s->count, s->all + first, NULL, s->product, m);
    for (int64_t c = 0; c < s->count; c++) {
        const double *column = s->block + c * m;

        norms[first + c] = vector_dot(m, column, s->product + c * m) / vector_sum_squares(m, column) / trace;
    }
    for (int64_t c = 0; c < s->count; c++) {
        const double *column = s->block + c * m;
        double part = norms[first + c], square = vector_sum_squares(m, column);

        norms[first + c] = isgreater(part, SAFE_PART) ? sqrt(part * square * trace) : direct_norm(s, column);
    }
}

static void by_rows(struct norms *s, double *norms) {
    int64_t m = s->A->rows, n = s->A->columns;
    double trace = 0;

    for (int64_t first = 0; first < n; first += CHUNK) {
        read_block(s, first);
        add_block(s);
    }
    for (int64_t j = 0; j < m; j++) {
        trace += s->K[j + j * m];
        for (int64_t i = j + 1; i < m; i++) {
            s->K[j + i * m] = s->K[i + j * m];
        }
    }
    for (int64_t first = 0; first < n; first += CHUNK) {
        read_block(s, first);
        block_norms(s, first, trace, norms);
    }
}

static void by_columns(struct norms *s, double *norms) {
    for (int64_t j = 0; j < s->A->columns; j++) {
        s->A->ops->gather(s->A, 1, s->all + j, s->block, s->A->rows);
        norms[j] = direct_norm(s, s->block);
    }
}

static int dense_norms(const struct linop *root, const int64_t *all, double *norms) {
    struct workspace workspace = {0};
    int64_t m = root->rows, n = root->columns, product = m * CHUNK > n ? m * CHUNK : n;
    int is_wide = m < n, done;
    struct norms s = {.A = root, .all = all, .K = is_wide ? workspace_doubles(&workspace, m * m) : NULL};

    s.block = workspace_doubles(&workspace, m * CHUNK);
    s.turned = workspace_doubles(&workspace, m * CHUNK);
    s.product = workspace_doubles(&workspace, product);
    done = !workspace.failed;
    if (done && is_wide) {
        by_rows(&s, norms);
    } else if (done) {
        by_columns(&s, norms);
    }
    workspace_free(&workspace);
    return done;
}

int normal_norms(const spgm_matrix *matrix, const struct linop *root, const int64_t *all, double *norms) {
    return matrix->column_start != NULL ? sparse_norms(matrix, norms) : dense_norms(root, all, norms);
}
