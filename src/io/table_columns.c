/* The columns of a table one by one: levels sorted, gaps filled, names, and the place of each in the matrix. */
#include "io/table_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/data.h"

/* A column with more levels than this, and more than half as many as rows, is taken for names or identifiers. */
enum { LEVELS_ALWAYS = 50 };

/* ---- levels ---- */

/* Sort the levels alphabetically, and renumber the column accordingly. */
spgm_error table_sort_levels(const struct table *table, struct levels *levels, double *column) {
    int64_t *rank = memory_array(levels->count, sizeof *rank);

    if (rank == NULL || !levels_sort(levels, rank)) {
        memory_free(rank);
        return status_memory(table->status, (size_t)levels->count * sizeof *rank);
    }
    for (int64_t i = 0; i < table->rows; i++) {
        column[i] = isnan(column[i]) ? column[i] : (double)rank[(int64_t)column[i]];
    }
    memory_free(rank);
    return SPGM_OK;
}

static spgm_error check_levels(const struct table *table, int64_t j) {
    struct table_field *field = &table->field[j];
    char what[200];

    if (field->levels.count <= LEVELS_ALWAYS || 2 * field->levels.count <= table->rows || field->is_named) {
        return SPGM_OK;
    }
    if (table->options->survey) {
        field->kind = COLUMN_TEXT;
        return SPGM_OK;
    }
    snprintf(what, sizeof what,
             "%" PRId64 " different texts in %" PRId64 " rows, which suggests names or identifiers; exclude the "
             "column, or list it under text to get a column for each text",
             field->levels.count, table->rows);
    return table_fail(table, j, SPGM_ERROR_DATA, what);
}

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;

    return p < q ? -1 : p > q;
}

/* The median of a column of numbers, or the most frequent level of a category; gaps are NaN, and there is at least one
 * value. */
static spgm_error find_fill(const struct table *table, const struct table_field *field, const double *column,
                            double *fill) {
    int64_t count = 0, best = 0;
    double *sorted = memory_array(table->rows, sizeof *sorted);

    if (sorted == NULL) {
        return status_memory(table->status, (size_t)table->rows * sizeof *sorted);
    }
    for (int64_t i = 0; i < table->rows; i++) {
        if (!isnan(column[i])) {
            sorted[count++] = column[i];
        }
    }
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    *fill = count == 0 ? NAN : 0.5 * sorted[(count - 1) / 2] + 0.5 * sorted[count / 2];
    for (int64_t i = 0, run = 0; field->kind == COLUMN_CATEGORY && i < count; i++) {
        run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
        if (run > best) {
            best = run;
            *fill = sorted[i];
        }
    }
    memory_free(sorted);
    return SPGM_OK;
}

static void fill_gaps(const struct table *table, double *column, double fill) {
    for (int64_t i = 0; i < table->rows; i++) {
        column[i] = isnan(column[i]) ? fill : column[i];
    }
}

/* ---- columns ---- */

static spgm_error name_column(const struct table *table, int64_t j, struct table_column *column) {
    const char *name = table_name(table, j);

    if (name != NULL) {
        column->name = memory_array((int64_t)strlen(name) + 1, 1);
        if (column->name == NULL) {
            return status_memory(table->status, strlen(name));
        }
        strcpy(column->name, name);
    }
    return SPGM_OK;
}

/* Finish one column of the table: levels sorted, gaps filled, description made. */
static spgm_error settle_column(const struct table *table, int64_t j, double *raw, struct table_column *column) {
    struct table_field *field = &table->field[j];
    double *values = field->place < 0 ? NULL : raw + field->place * table->rows;
    spgm_error error = name_column(table, j, column);

    column->column = field->feature;
    column->base = -1;
    column->fill = NAN;
    column->missing = field->missing;
    if (error == SPGM_OK && field->kind == COLUMN_CATEGORY) {
        error = check_levels(table, j);
        error = error == SPGM_OK ? table_sort_levels(table, &field->levels, values) : error;
    }
    column->kind = field->kind;
    if (error != SPGM_OK || field->role != ROLE_FEATURE) {
        return error;
    }
    if (table->missing == MISSING_MEDIAN && (field->kind == COLUMN_NUMBER || field->kind == COLUMN_CATEGORY)) {
        error = find_fill(table, field, values, &column->fill);
        if (error == SPGM_OK && !table->options->survey) {
            fill_gaps(table, values, column->fill);
        }
    }
    if (field->kind == COLUMN_CATEGORY) {
        int is_full = table->options->categories != NULL && strcmp(table->options->categories, "full") == 0;

        column->base = is_full ? -1 : 0;
        column->width = field->levels.count - !is_full;
    } else if (field->kind == COLUMN_NUMBER || field->kind == COLUMN_EMPTY) {
        column->width = 1;
    }
    column->levels = field->levels;
    memset(&field->levels, 0, sizeof field->levels);
    return error;
}

/* Record the column of the table, and the level, of each column of the matrix. */
static spgm_error number_columns(const struct table *table, struct encoding *encoding) {
    int64_t j = 0;

    encoding->width = 0;
    for (int64_t i = 0; i < encoding->count; i++) {
        encoding->columns[i].first = encoding->width;
        encoding->width += encoding->columns[i].width;
    }
    encoding->source = memory_array(encoding->width, sizeof *encoding->source);
    encoding->level = memory_array(encoding->width, sizeof *encoding->level);
    if (encoding->source == NULL || encoding->level == NULL) {
        return status_memory(table->status, 2 * (size_t)encoding->width * sizeof *encoding->level);
    }
    for (int64_t i = 0; i < encoding->count; i++) {
        const struct table_column *column = &encoding->columns[i];

        for (int64_t k = 0; k < column->width; k++, j++) {
            encoding->source[j] = i;
            encoding->level[j] = column->kind == COLUMN_CATEGORY ? k + (column->base == 0) : -1;
        }
    }
    return SPGM_OK;
}

spgm_error table_settle_columns(const struct table *table, double *raw, struct encoding *encoding) {
    spgm_error error = SPGM_OK;

    encoding->table_columns = table->features;
    encoding->missing = table->missing;
    encoding->is_plain = table->missing == MISSING_REFUSE;
    encoding->columns = memory_array(table->features, sizeof *encoding->columns);
    if (encoding->columns == NULL) {
        return status_memory(table->status, (size_t)table->features * sizeof *encoding->columns);
    }
    for (int64_t j = 0; j < table->fields && error == SPGM_OK; j++) {
        if (table->field[j].feature >= 0) {
            error = settle_column(table, j, raw, &encoding->columns[encoding->count++]);
            encoding->is_plain = encoding->is_plain && table->field[j].kind == COLUMN_NUMBER;
        }
    }
    return error == SPGM_OK ? number_columns(table, encoding) : error;
}

/*
 * Names of the matrix's columns: "age", "Region=South"; without a header "3=South", or none if all columns are numbers.
 */
spgm_error table_name_columns(const struct table *table, struct spgm_data *data) {
    const struct encoding *encoding = data->encoding;
    int64_t size = 1;
    int has_levels = 0;
    char number[32];

    for (int64_t j = 0; j < encoding->width; j++) {
        const struct table_column *column = &encoding->columns[encoding->source[j]];

        has_levels = has_levels || encoding->level[j] >= 0;
        size += (column->name == NULL ? 24 : (int64_t)strlen(column->name)) + 2 +
                (encoding->level[j] < 0 ? 0 : (int64_t)strlen(levels_name(&column->levels, encoding->level[j])));
    }
    if (!table->has_names && !has_levels) {
        return SPGM_OK;
    }
    data->names = memory_array(size, 1);
    data->name_start = memory_array(encoding->width, sizeof *data->name_start);
    if (data->names == NULL || data->name_start == NULL) {
        return status_memory(table->status, (size_t)size);
    }
    for (int64_t j = 0, at = 0; j < encoding->width; j++) {
        const struct table_column *column = &encoding->columns[encoding->source[j]];
        const char *name = column->name;
        int is_level = encoding->level[j] >= 0;

        snprintf(number, sizeof number, "%" PRId64, column->column + 1);
        name = name != NULL ? name : number;
        data->name_start[j] = at;
        at += snprintf(data->names + at, (size_t)(size - at), "%s%s%s", name, is_level ? "=" : "",
                       is_level ? levels_name(&column->levels, encoding->level[j]) : "") +
              1;
    }
    return SPGM_OK;
}
