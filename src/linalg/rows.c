#include "linalg/rows.h"

#include <string.h>

#include "linalg/constants.h"

enum { BLOCK = 16 }; /* columns that are gathered at once */

struct slice {
    const struct linop *A;
    int64_t count;
    const int64_t *rows;
    const double *last; /* an additional row [columns], or NULL */
    double *block;      /* [A->rows x BLOCK] */
};

/* Gather the next columns, as many as fit into a block; returns their number. */
static int64_t gather(const struct slice *s, int64_t first) {
    int64_t columns[BLOCK], width = s->A->columns - first < BLOCK ? s->A->columns - first : BLOCK;

    for (int64_t k = 0; k < width; k++) {
        columns[k] = first + k;
    }
    linop_gather(s->A, width, columns, s->block, s->A->rows);
    return width;
}

static int64_t height(const struct slice *s) {
    return s->count + (s->last != NULL);
}

/* Row i of column j, whose entries in A are given. */
static double entry_at(const struct slice *s, const double *column, int64_t j, int64_t i) {
    return i < s->count ? column[s->rows[i]] : s->last[j];
}

/* Count the nonzeros of a column in the selected rows; also writes them to `row` and `value` if given. */
static int64_t pick(const struct slice *s, const double *column, int64_t j, int32_t *row, double *value) {
    int64_t found = 0;

    for (int64_t i = 0; i < height(s); i++) {
        double entry = entry_at(s, column, j, i);

        if (entry != 0 && row != NULL) {
            row[found] = (int32_t)i;
            value[found] = entry;
        }
        found += entry != 0;
    }
    return found;
}

static struct linop *take_sparse(const struct slice *s, struct workspace *w) {
    int64_t n = s->A->columns, *start = workspace_integers(w, n + 1);
    int32_t *row;
    double *value;
    spgm_matrix matrix;

    if (start == NULL) {
        return NULL;
    }
    for (int64_t first = 0, width; first < n; first += width) {
        width = gather(s, first);
        for (int64_t k = 0; k < width; k++) {
            start[first + k + 1] = start[first + k] + pick(s, s->block + k * s->A->rows, first + k, NULL, NULL);
        }
    }
    row = workspace_array(w, start[n] + 1, sizeof *row);
    value = workspace_doubles(w, start[n] + 1);
    if (row == NULL || value == NULL) {
        return NULL;
    }
    for (int64_t first = 0, width; first < n; first += width) {
        width = gather(s, first);
        for (int64_t k = 0; k < width; k++) {
            pick(s, s->block + k * s->A->rows, first + k, row + start[first + k], value + start[first + k]);
        }
    }
    matrix = spgm_sparse(height(s), n, start, row, value);
    return linop_csc_new(&matrix);
}

static struct linop *take_dense(const struct slice *s, struct workspace *w) {
    int64_t n = s->A->columns;
    double *value = workspace_doubles(w, height(s) * n);
    spgm_matrix matrix;

    if (value == NULL) {
        return NULL;
    }
    for (int64_t first = 0, width; first < n; first += width) {
        width = gather(s, first);
        for (int64_t k = 0; k < width; k++) {
            for (int64_t i = 0; i < height(s); i++) {
                value[(first + k) * height(s) + i] = entry_at(s, s->block + k * s->A->rows, first + k, i);
            }
        }
    }
    matrix = spgm_dense(height(s), n, value);
    return linop_dense_new(&matrix);
}

struct linop *linop_rows_new(const struct linop *A, int64_t count, const int64_t *rows, const double *last,
                             struct workspace *workspace) {
    struct workspace scratch = {.memory = A->memory};
    struct slice s = {A, count, rows, last, workspace_doubles(&scratch, A->rows * BLOCK)};
    int is_sparse = (double)A->nonzeros < ROWS_SPARSE * (double)A->rows * (double)A->columns;
    struct linop *result = scratch.failed ? NULL : is_sparse ? take_sparse(&s, workspace) : take_dense(&s, workspace);

    workspace_free(&scratch);
    if (result == NULL) {
        workspace->failed = 1;
    }
    return result;
}
