#include "linalg/matrix.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

#include "linalg/vector.h"

spgm_matrix spgm_dense(int64_t rows, int64_t columns, const double *values) {
    spgm_matrix matrix = {.rows = rows, .columns = columns, .values = values, .leading_dimension = rows};

    return matrix;
}

int spgm_matrix_is_large(const spgm_matrix *A) {
    return A->is_mapped && A->column_start == NULL && A->columns > 0 && A->rows >= (INT64_C(1) << 25) / A->columns;
}

spgm_matrix spgm_sparse(int64_t rows, int64_t columns, const int64_t *column_start, const int32_t *row_index,
                        const double *values) {
    spgm_matrix matrix = {
        .rows = rows, .columns = columns, .values = values, .column_start = column_start, .row_index = row_index};

    return matrix;
}

spgm_matrix spgm_dense_by_rows(int64_t rows, int64_t columns, const double *values) {
    spgm_matrix matrix = {
        .rows = rows, .columns = columns, .values = values, .leading_dimension = columns, .by_rows = 1};

    return matrix;
}

spgm_matrix spgm_dense_single(int64_t rows, int64_t columns, const float *values, int by_rows) {
    spgm_matrix matrix = {.rows = rows,
                          .columns = columns,
                          .singles = values,
                          .leading_dimension = by_rows ? columns : rows,
                          .by_rows = by_rows != 0};

    return matrix;
}

static const char *what_is_bad(double value) {
    return value != value ? "not a number (NaN)" : "infinite";
}

static spgm_error bad_entry(const char *name, int64_t i, int64_t j, double value, spgm_status *status) {
    return status_set(status, SPGM_ERROR_DATA,
                      "%s is %s in row %" PRId64 ", column %" PRId64
                      " (counted from 1): every entry must be a finite number; remove or impute it first",
                      name, what_is_bad(value), i + 1, j + 1);
}

static int64_t first_bad_single(int64_t n, const float *values) {
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return i;
        }
    }
    return -1;
}

/* The index of the first entry of a line that is not finite, or -1. A line is a row if A is stored by rows, otherwise a
 * column. */
static int64_t first_bad_of_line(const spgm_matrix *A, int64_t line, int64_t length) {
    int64_t run, bad = -1, first = 0;

    for (; first < length && bad < 0; first += run) {
        int64_t start = A->by_rows ? line * A->leading_dimension + matrix_column_of(A, first)
                                   : matrix_column_of(A, line) * A->leading_dimension;

        run = A->by_rows ? matrix_run(A, first, length) : length;
        bad = A->singles != NULL ? first_bad_single(run, A->singles + start) : vector_first_bad(run, A->values + start);
        bad = bad < 0 ? -1 : first + bad;
    }
    return bad;
}

static spgm_error check_column_of(const spgm_matrix *A, const char *name, spgm_status *status) {
    int64_t end = A->by_rows ? A->leading_dimension : INT64_MAX;

    for (int64_t j = 0; A->column_of != NULL && j < A->columns; j++) {
        if (A->column_of[j] < 0 || A->column_of[j] >= end) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "%s: column_of[%" PRId64 "] is %" PRId64 ", which is not a column of the array", name, j,
                              A->column_of[j]);
        }
    }
    return SPGM_OK;
}

/* Check line by line, in storage order. */
static spgm_error check_dense(const spgm_matrix *A, const char *name, spgm_status *status) {
    const char *what = A->by_rows ? "columns" : "rows";
    int64_t lines = A->by_rows ? A->rows : A->columns, length = A->by_rows ? A->columns : A->rows;
    spgm_error error = check_column_of(A, name, status);

    if (error != SPGM_OK) {
        return error;
    }
    if (A->leading_dimension < length) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "%s has leading dimension %" PRId64 " but %" PRId64 " %s: it must be at least the %s", name,
                          A->leading_dimension, length, what, what);
    }
    for (int64_t line = 0; line < lines; line++) {
        int64_t bad = first_bad_of_line(A, line, length);
        int64_t i = A->by_rows ? line : bad, j = A->by_rows ? bad : line;

        if (bad >= 0) {
            return bad_entry(name, i, j, matrix_entry(A, i, j), status);
        }
    }
    return SPGM_OK;
}

static spgm_error check_sparse_column(const spgm_matrix *A, int64_t j, const char *name, spgm_status *status) {
    int64_t first = A->column_start[j];
    int64_t last = A->column_start[j + 1];
    int64_t k;

    for (k = first; k < last; k++) {
        if (A->row_index[k] < 0 || A->row_index[k] >= A->rows) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "%s has row index %" PRId32 " in column %" PRId64 ", outside 0..%" PRId64, name,
                              A->row_index[k], j + 1, A->rows - 1);
        }
        if (k > first && A->row_index[k] <= A->row_index[k - 1]) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "%s has row indices that do not ascend in column %" PRId64 " (index %" PRId32
                              " after %" PRId32 "): sort them and sum duplicates",
                              name, j + 1, A->row_index[k], A->row_index[k - 1]);
        }
    }
    k = vector_first_bad(last - first, A->values + first);
    return k < 0 ? SPGM_OK : bad_entry(name, A->row_index[first + k], j, A->values[first + k], status);
}

static spgm_error check_sparse(const spgm_matrix *A, const char *name, spgm_status *status) {
    if (A->rows > INT32_MAX) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s has %" PRId64 " rows: a sparse matrix has at most %d", name,
                          A->rows, INT32_MAX);
    }
    if (A->column_start[0] != 0) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s: column_start[0] is %" PRId64 ", not 0", name,
                          A->column_start[0]);
    }
    for (int64_t j = 0; j < A->columns; j++) {
        if (A->column_start[j + 1] < A->column_start[j]) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "%s: column_start falls at column %" PRId64 " (%" PRId64 " after %" PRId64 ")", name,
                              j + 1, A->column_start[j + 1], A->column_start[j]);
        }
    }
    if (A->column_start[A->columns] > 0 && (A->row_index == NULL || A->values == NULL)) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s has no row_index or values array", name);
    }
    for (int64_t j = 0; j < A->columns; j++) {
        spgm_error error = check_sparse_column(A, j, name, status);

        if (error != SPGM_OK) {
            return error;
        }
    }
    return SPGM_OK;
}

static spgm_error check_matrix(const spgm_matrix *A, int64_t least_rows, const char *name, spgm_status *status) {
    if (A == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL: give a matrix", name);
    }
    if (A->normal != NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "%s has the field `normal` set, which is the library's own: build it with spgm_dense or "
                          "spgm_sparse, and use the option normal",
                          name);
    }
    if (A->row_of != NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "%s has the field `row_of` set, which is the library's own: build it with spgm_dense or "
                          "spgm_sparse, and use spgm_problem_subset",
                          name);
    }
    if (A->rows < least_rows || A->columns < 1) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "%s has %" PRId64 " rows and %" PRId64 " columns: both must be at least 1", name, A->rows,
                          A->columns);
    }
    if (A->column_start != NULL) {
        return check_sparse(A, name, status);
    }
    if (A->rows == 0) {
        return SPGM_OK;
    }
    if (A->values == NULL && A->singles == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s has no values array", name);
    }
    return check_dense(A, name, status);
}

spgm_error matrix_check(const spgm_matrix *A, const char *name, spgm_status *status) {
    return check_matrix(A, 1, name, status);
}

spgm_error matrix_check_part(const spgm_matrix *A, const char *name, spgm_status *status) {
    return check_matrix(A, 0, name, status);
}

spgm_error matrix_check_plain(const spgm_matrix *A, const char *name, spgm_status *status) {
    spgm_error error = matrix_check(A, name, status);

    if (error == SPGM_OK && !matrix_is_plain(A)) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "%s is stored by rows, in single precision or with columns left out, which cannot be used "
                          "here: give it by columns in double precision, or sparse",
                          name);
    }
    return error;
}

spgm_error array_check(const double *values, int64_t count, const char *name, spgm_status *status) {
    int64_t i;

    if (values == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL: give an array of %" PRId64 " numbers", name, count);
    }
    i = vector_first_bad(count, values);
    if (i >= 0) {
        return status_set(status, SPGM_ERROR_DATA,
                          "%s is %s in row %" PRId64 ": every entry must be a finite number; remove or impute it first",
                          name, what_is_bad(values[i]), i + 1);
    }
    return SPGM_OK;
}

enum { LINE = 8 }; /* doubles in a cache line */

/* The first column of the next tile, for prefetching where columns are read side by side. The processor does not
 * predict these reads, because each row is a stream of its own. With prefetching a pass over 20,000 x 2,500 takes a
 * third of the time. 0: there is no next tile. */
static int64_t way_ahead(const spgm_matrix *A, int64_t k, const int64_t *columns) {
    int is_next = k >= LINE && columns[k - 1] - columns[0] == k - 1 && columns[k - 1] + k < A->columns;

    return is_next ? columns[k - 1] + 1 : 0;
}

static void tile_by_rows(const spgm_matrix *A, int64_t first, int64_t rows, int64_t k, const int64_t *columns,
                         double *tile, int64_t ld) {
    int64_t ahead = way_ahead(A, k, columns);

    for (int64_t i = 0; i < rows; i++) {
        const double *row = A->values + matrix_row_of(A, first + i) * A->leading_dimension;

        for (int64_t c = 0; ahead > 0 && c < k; c += LINE) {
            __builtin_prefetch(row + ahead + c);
        }
        for (int64_t c = 0; c < k; c++) {
            tile[i + c * ld] = row[columns[c]];
        }
    }
}

static void tile_of_singles(const spgm_matrix *A, int64_t first, int64_t rows, int64_t k, const int64_t *columns,
                            double *tile, int64_t ld) {
    int64_t ahead = way_ahead(A, k, columns);

    for (int64_t i = 0; A->by_rows && i < rows; i++) {
        const float *row = A->singles + matrix_row_of(A, first + i) * A->leading_dimension;

        for (int64_t c = 0; ahead > 0 && c < k; c += 2 * LINE) {
            __builtin_prefetch(row + ahead + c);
        }
        for (int64_t c = 0; c < k; c++) {
            tile[i + c * ld] = row[columns[c]];
        }
    }
    for (int64_t c = 0; !A->by_rows && c < k; c++) {
        const float *column = A->singles + columns[c] * A->leading_dimension;

        for (int64_t i = 0; i < rows; i++) {
            tile[i + c * ld] = column[matrix_row_of(A, first + i)];
        }
    }
}

static void tile_by_columns(const spgm_matrix *A, int64_t first, int64_t rows, int64_t k, const int64_t *columns,
                            double *tile, int64_t ld) {
    int64_t ahead = way_ahead(A, k, columns) > 0 ? k * A->leading_dimension : 0;

    for (int64_t c = 0; c < k; c++) {
        const double *column = A->values + columns[c] * A->leading_dimension;

        if (A->row_of == NULL) {
            vector_copy(rows, column + first, tile + c * ld);
            continue;
        }
        for (int64_t i = 0; i < rows; i += LINE) {
            int64_t last = i + LINE < rows ? i + LINE : rows;

            __builtin_prefetch(column + ahead + A->row_of[first + i]);
            __builtin_prefetch(column + ahead + A->row_of[first + last - 1]);
            for (int64_t l = i; l < last; l++) {
                tile[l + c * ld] = column[A->row_of[first + l]];
            }
        }
    }
}

static void tile_of_normal(const struct spgm_normal *normal, int64_t first, int64_t rows, int64_t k,
                           const int64_t *columns, double *tile, int64_t ld) {
    for (int64_t c = 0; c < k; c++) {
        for (int64_t i = 0; i < rows; i++) {
            tile[i + c * ld] = normal_entry(normal, first + i, columns[c]);
        }
    }
}

/* Columns are given by their stored numbers. */
static void read_tile(const spgm_matrix *A, int64_t first, int64_t rows, int64_t k, const int64_t *columns,
                      double *tile, int64_t ld) {
    if (A->normal != NULL) {
        tile_of_normal(A->normal, first, rows, k, columns, tile, ld);
    } else if (A->singles != NULL) {
        tile_of_singles(A, first, rows, k, columns, tile, ld);
    } else if (A->by_rows) {
        tile_by_rows(A, first, rows, k, columns, tile, ld);
    } else {
        tile_by_columns(A, first, rows, k, columns, tile, ld);
    }
}

void matrix_tile(const spgm_matrix *A, int64_t first, int64_t rows, int64_t k, const int64_t *columns, double *tile,
                 int64_t ld) {
    enum { AT_ONCE = 64 };
    int64_t places[AT_ONCE];

    if (A->column_of == NULL) {
        read_tile(A, first, rows, k, columns, tile, ld);
        return;
    }
    for (int64_t from = 0; from < k; from += AT_ONCE) {
        int64_t count = k - from < AT_ONCE ? k - from : AT_ONCE;

        for (int64_t c = 0; c < count; c++) {
            places[c] = A->column_of[columns[from + c]];
        }
        read_tile(A, first, rows, count, places, tile + from * ld, ld);
    }
}

void spgm_matrix_column(const spgm_matrix *A, int64_t j, double *column) {
    if (A->column_start == NULL) {
        matrix_tile(A, 0, A->rows, 1, &j, column, A->rows);
        return;
    }
    for (int64_t i = 0; i < A->rows; i++) {
        column[i] = 0;
    }
    for (int64_t k = A->column_start[j]; k < A->column_start[j + 1]; k++) {
        column[A->row_index[k]] = A->values[k];
    }
}

int64_t matrix_column(const spgm_matrix *A, int64_t j, const double **values, const int32_t **rows) {
    int64_t first = A->column_start == NULL ? j * A->leading_dimension : A->column_start[j];

    *values = A->values == NULL || !matrix_is_plain(A) ? NULL : A->values + first;
    *rows = A->column_start == NULL || A->row_index == NULL ? NULL : A->row_index + first;
    return A->column_start == NULL ? A->rows : A->column_start[j + 1] - first;
}

void matrix_predict(const spgm_matrix *A, int64_t count, const int64_t *columns, const double *x, double intercept,
                    double *values) {
    for (int64_t i = 0; i < A->rows; i++) {
        values[i] = intercept;
        for (int64_t k = 0; A->by_rows && k < count; k++) { /* a row is contiguous */
            values[i] += x[k] * matrix_entry(A, i, columns[k]);
        }
    }
    for (int64_t k = 0; !A->by_rows && k < count; k++) {
        const double *entries;
        const int32_t *rows;
        int64_t length = matrix_column(A, columns[k], &entries, &rows);

        for (int64_t i = 0; i < length; i++) {
            values[rows == NULL ? i : rows[i]] +=
                x[k] * (entries == NULL ? matrix_entry(A, i, columns[k]) : entries[i]);
        }
    }
}

int matrix_column_is_zero(const spgm_matrix *A, int64_t j) {
    const double *values;
    const int32_t *rows;
    int64_t count = matrix_column(A, j, &values, &rows);

    for (int64_t k = 0; k < count; k++) {
        if (values[k] != 0) {
            return 0;
        }
    }
    return 1;
}

/* The nonzeros of one line: a row if A is stored by rows, otherwise a column. */
static int64_t nonzeros_of_line(const spgm_matrix *A, int64_t line, int64_t length) {
    int64_t start = line * A->leading_dimension, count = 0;
    int is_picked = A->row_of != NULL || A->column_of != NULL;

    for (int64_t i = 0; is_picked && i < length; i++) {
        count += (A->by_rows ? matrix_entry(A, line, i) : matrix_entry(A, i, line)) != 0;
    }
    for (int64_t i = start; !is_picked && A->singles != NULL && i < start + length; i++) {
        count += A->singles[i] != 0;
    }
    for (int64_t i = start; !is_picked && A->singles == NULL && i < start + length; i++) {
        count += A->values[i] != 0;
    }
    return count;
}

/* Count line by line, in storage order. */
int64_t matrix_nonzeros(const spgm_matrix *A, int64_t most) {
    int64_t lines = A->by_rows ? A->rows : A->columns, length = A->by_rows ? A->columns : A->rows;
    int64_t count = 0;

    for (int64_t line = 0; line < lines && count <= most; line++) {
        count += nonzeros_of_line(A, line, length);
    }
    return count;
}

/* All columns at once: start[j + 1] is first the size of column j, then the place of its next entry. */
static void compress_by_rows(const spgm_matrix *A, int64_t *start, int32_t *row, double *value) {
    int64_t before = 0;

    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t j = 0; j < A->columns; j++) {
            start[j + 1] += matrix_entry(A, i, j) != 0;
        }
    }
    for (int64_t j = 1; j <= A->columns; j++) {
        int64_t count = start[j];

        start[j] = before;
        before += count;
    }
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t j = 0; j < A->columns; j++) {
            double entry = matrix_entry(A, i, j);

            if (entry != 0) {
                row[start[j + 1]] = (int32_t)i;
                value[start[j + 1]++] = entry;
            }
        }
    }
}

spgm_matrix matrix_compress(const spgm_matrix *A, int64_t nonzeros, struct workspace *workspace) {
    int64_t *start = workspace_integers(workspace, A->columns + 1);
    int32_t *row = workspace_array(workspace, nonzeros, sizeof *row);
    double *value = workspace_doubles(workspace, nonzeros);
    int64_t k = 0;

    if (!workspace->failed && A->by_rows) {
        compress_by_rows(A, start, row, value);
    }
    for (int64_t j = 0; !workspace->failed && !A->by_rows && j < A->columns; j++) {
        for (int64_t i = 0; i < A->rows; i++) {
            double entry = matrix_entry(A, i, j);

            if (entry != 0) {
                row[k] = (int32_t)i;
                value[k++] = entry;
            }
        }
        start[j + 1] = k;
    }
    return matrix_beside(A, spgm_sparse(A->rows, A->columns, start, row, value));
}

void matrix_pick(const spgm_matrix *A, int64_t row_count, const int64_t *rows, int64_t column_count,
                 const int64_t *columns, struct stop *stop, double *values) {
    if (A->by_rows) {
        for (int64_t i = 0; i < row_count && !stop_after(stop, column_count); i++) {
            for (int64_t j = 0; j < column_count; j++) {
                values[i + j * row_count] = matrix_entry(A, rows[i], columns == NULL ? j : columns[j]);
            }
        }
        return;
    }
    for (int64_t j = 0; j < column_count && !stop_after(stop, row_count); j++) {
        for (int64_t i = 0; i < row_count; i++) {
            values[i + j * row_count] = matrix_entry(A, rows[i], columns == NULL ? j : columns[j]);
        }
    }
}

/* For a large mapped file the copy is in the caller's memory; if there is none, the result is a view. */
static spgm_matrix pick_dense(const spgm_matrix *A, int64_t count, const int64_t *rows, struct workspace *workspace) {
    int64_t entries = A->columns > 0 && count > INT64_MAX / 8 / A->columns ? -1 : count * A->columns;
    int is_large = spgm_matrix_is_large(A);
    double *values =
        is_large ? workspace_lent(workspace, entries, sizeof *values) : workspace_doubles(workspace, entries);
    spgm_matrix picked = matrix_beside(A, spgm_dense(count, A->columns, values));

    if (is_large && values == NULL) {
        return matrix_view_rows(A, count, rows, workspace);
    }
    if (!workspace->failed) {
        matrix_pick(A, count, rows, A->columns, NULL, NULL, values);
    }
    picked.is_mapped = is_large;
    return picked;
}

/* For every row of A list its places in the selection: first[row], then next of each place; -1 ends the list. */
static void list_places(int64_t all, int64_t count, const int64_t *rows, int64_t *first, int64_t *next) {
    for (int64_t i = 0; i < all; i++) {
        first[i] = -1;
    }
    for (int64_t k = count - 1; k >= 0; k--) {
        next[k] = first[rows[k]];
        first[rows[k]] = k;
    }
}

static int ascending(int64_t count, const int64_t *rows) {
    for (int64_t i = 1; i < count; i++) {
        if (rows[i] < rows[i - 1]) {
            return 0;
        }
    }
    return 1;
}

/* Sort the entries of one column by their new rows: by insertion, which costs nothing if the rows are in order. */
static void sort_entries(int64_t count, int32_t *row_index, double *values) {
    for (int64_t i = 1; i < count; i++) {
        int32_t row = row_index[i];
        double value = values[i];
        int64_t j = i;

        for (; j > 0 && row_index[j - 1] > row; j--) {
            row_index[j] = row_index[j - 1];
            values[j] = values[j - 1];
        }
        row_index[j] = row;
        values[j] = value;
    }
}

static spgm_matrix pick_sparse(const spgm_matrix *A, int64_t count, const int64_t *rows, struct workspace *workspace) {
    int64_t *start = workspace_integers(workspace, A->columns + 1);
    int64_t *first = workspace_integers(workspace, A->rows);
    int64_t *next = workspace_integers(workspace, count);
    int32_t *row_index;
    double *values;
    int64_t stored = 0;
    int in_order = ascending(count, rows);

    if (workspace->failed) {
        return spgm_sparse(count, A->columns, start, NULL, NULL);
    }
    list_places(A->rows, count, rows, first, next);
    for (int64_t k = 0; k < A->column_start[A->columns]; k++) {
        for (int64_t place = first[A->row_index[k]]; place >= 0; place = next[place]) {
            stored++;
        }
    }
    row_index = workspace_array(workspace, stored, sizeof *row_index);
    values = workspace_doubles(workspace, stored);
    stored = 0;
    for (int64_t j = 0; !workspace->failed && j < A->columns; j++) {
        start[j] = stored;
        for (int64_t k = A->column_start[j]; k < A->column_start[j + 1]; k++) {
            for (int64_t place = first[A->row_index[k]]; place >= 0; place = next[place]) {
                row_index[stored] = (int32_t)place;
                values[stored++] = A->values[k];
            }
        }
        start[j + 1] = stored;
        if (!in_order) {
            sort_entries(stored - start[j], row_index + start[j], values + start[j]);
        }
    }
    return matrix_beside(A, spgm_sparse(count, A->columns, start, row_index, values));
}

spgm_matrix matrix_view_rows(const spgm_matrix *A, int64_t count, const int64_t *rows, struct workspace *workspace) {
    int64_t *row_of = workspace_integers(workspace, count);
    spgm_matrix view = *A;

    for (int64_t i = 0; row_of != NULL && i < count; i++) {
        row_of[i] = matrix_row_of(A, rows[i]);
    }
    view.rows = count;
    view.row_of = row_of;
    return view;
}

spgm_matrix matrix_pick_rows(const spgm_matrix *A, int64_t count, const int64_t *rows, struct workspace *workspace) {
    return A->column_start == NULL ? pick_dense(A, count, rows, workspace) : pick_sparse(A, count, rows, workspace);
}
