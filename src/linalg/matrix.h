/* The public view of a matrix: checks with their error messages, and access to entries. */
#ifndef SPGM_LINALG_MATRIX_H
#define SPGM_LINALG_MATRIX_H

#include "base/memory.h"
#include "base/status.h"
#include "base/stop.h"
#include "linalg/normal.h"

/* Checks shapes, pointers, the order of indices, and that every value is finite. `name` ("A") begins the message. */
spgm_error matrix_check(const spgm_matrix *matrix, const char *name, spgm_status *status);
/* The same for the rows of one process, which may have none. */
spgm_error matrix_check_part(const spgm_matrix *matrix, const char *name, spgm_status *status);
/* The same, and that the matrix is plain. */
spgm_error matrix_check_plain(const spgm_matrix *matrix, const char *name, spgm_status *status);
/* Checks that every entry is finite; the message has `name` ("b") and the position counted from 1. */
spgm_error array_check(const double *values, int64_t count, const char *name, spgm_status *status);

/* Sparse, or dense by columns in double precision: readable in place, column by column. */
static inline int matrix_is_plain(const spgm_matrix *A) {
    return A->column_start != NULL ||
           (A->singles == NULL && !A->by_rows && A->normal == NULL && A->row_of == NULL && A->column_of == NULL);
}

/* Dense in double precision, stored by rows; its columns may be a selection of the stored ones (matrix_run). */
static inline int matrix_lies_by_rows(const spgm_matrix *A) {
    return A->by_rows && A->singles == NULL && A->normal == NULL && A->row_of == NULL;
}

/* Give a matrix made from A the memory of A for large arrays. */
static inline spgm_matrix matrix_beside(const spgm_matrix *A, spgm_matrix made) {
    made.memory = A->memory;
    return made;
}

/* The stored row that is row i of a dense matrix. */
static inline int64_t matrix_row_of(const spgm_matrix *A, int64_t i) {
    return A->row_of == NULL ? i : A->row_of[i];
}

/* The same for column j. */
static inline int64_t matrix_column_of(const spgm_matrix *A, int64_t j) {
    return A->column_of == NULL ? j : A->column_of[j];
}

/* How many of the columns first, first + 1, ... before `end` of a dense matrix are stored next to each other. */
static inline int64_t matrix_run(const spgm_matrix *A, int64_t first, int64_t end) {
    int64_t last = A->column_of == NULL ? end : first + 1;

    while (last < end && A->column_of[last] == A->column_of[last - 1] + 1) {
        last++;
    }
    return last - first;
}

/* Entry (i, j) of a dense matrix of any kind. */
static inline double matrix_entry(const spgm_matrix *A, int64_t i, int64_t j) {
    int64_t row = matrix_row_of(A, i), column = matrix_column_of(A, j);
    int64_t at = A->by_rows ? row * A->leading_dimension + column : row + column * A->leading_dimension;

    if (A->normal != NULL) {
        return normal_entry(A->normal, i, j);
    }
    return A->singles != NULL ? (double)A->singles[at] : A->values[at];
}

/* Entries (first + i, columns[c]), i < rows and c < k, of a dense matrix of any kind at tile[i + c * ld]. */
void matrix_tile(const spgm_matrix *dense, int64_t first, int64_t rows, int64_t k, const int64_t *columns, double *tile,
                 int64_t ld);

/* The stored entries of column j: their number, values, and rows (NULL: 0, 1, 2, ...). The values are NULL unless the
 * matrix is plain; matrix_entry then gives them. */
int64_t matrix_column(const spgm_matrix *A, int64_t j, const double **values, const int32_t **rows);
/* values = A x + intercept [rows], where x has the values x [count] at these columns. */
void matrix_predict(const spgm_matrix *A, int64_t count, const int64_t *columns, const double *x, double intercept,
                    double *values);
/* Nonzero when column j has no entry other than zero. */
int matrix_column_is_zero(const spgm_matrix *A, int64_t j);

/* The number of nonzero entries of a dense matrix; if it exceeds `most`, any number above `most`. */
int64_t matrix_nonzeros(const spgm_matrix *dense, int64_t most);
/* A sparse copy of a dense matrix with its arrays in the workspace (check workspace->failed). */
spgm_matrix matrix_compress(const spgm_matrix *dense, int64_t nonzeros, struct workspace *workspace);

/* Entries (rows[i], columns[j]) of a dense matrix of any kind at values[i + j * row_count]; columns NULL: 0, 1, 2, ...
 * stop may be NULL; after a stop the values are incomplete. */
void matrix_pick(const spgm_matrix *dense, int64_t row_count, const int64_t *rows, int64_t column_count,
                 const int64_t *columns, struct stop *stop, double *values);
/* Rows rows[0..count), in that order and possibly repeated, as a matrix of their own. For a large mapped file it is a
 * copy in the caller's memory, or a view of A without a copy. Arrays come from the workspace, whose `failed` must be
 * checked before use. */
spgm_matrix matrix_pick_rows(const spgm_matrix *A, int64_t count, const int64_t *rows, struct workspace *workspace);
/* The same as a view: only the list of rows is new. A must be dense. */
spgm_matrix matrix_view_rows(const spgm_matrix *A, int64_t count, const int64_t *rows, struct workspace *workspace);

#endif
