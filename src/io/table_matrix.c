/* The matrix of a table, dense or sparse, or only the columns that a model uses. */
#include "io/table_parts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/data.h"
#include "io/model.h"

/* A matrix with at least this many entries is stored sparse if less than a quarter of them are nonzero. */
#define DENSE_ALWAYS INT64_C(1000000)

static const double *raw_column(const struct table *table, const struct encoding *encoding, int64_t source,
                                const double *raw) {
    int64_t feature = encoding->columns[source].column;

    for (int64_t j = feature; j < table->fields; j++) { /* row names and target may come before it */
        if (table->field[j].feature == feature) {
            return raw + table->field[j].place * table->rows;
        }
    }
    return raw;
}

/* Fill in indicator columns and columns of numbers. */
static spgm_error fill_dense(const struct table *table, struct spgm_data *data, const double *raw) {
    const struct encoding *encoding = data->encoding;
    int64_t rows = table->rows;

    data->values = memory_array(rows * encoding->width, sizeof *data->values);
    if (data->values == NULL) {
        return status_memory(table->status, (size_t)rows * (size_t)encoding->width * sizeof *data->values);
    }
    for (int64_t j = 0; j < encoding->width; j++) {
        const double *from = raw_column(table, encoding, encoding->source[j], raw);
        double *to = data->values + j * rows;

        for (int64_t i = 0; i < rows; i++) {
            to[i] = encoding->level[j] < 0 ? from[i] : from[i] == (double)encoding->level[j];
        }
    }
    return SPGM_OK;
}

static int64_t count_nonzeros(const struct table *table, const struct encoding *encoding, const double *raw) {
    int64_t count = 0;

    for (int64_t j = 0; j < encoding->count; j++) {
        const struct table_column *column = &encoding->columns[j];
        const double *from = column->width == 0 ? NULL : raw_column(table, encoding, j, raw);

        for (int64_t i = 0; from != NULL && i < table->rows; i++) {
            count +=
                column->kind == COLUMN_CATEGORY ? !isnan(from[i]) && (int64_t)from[i] != column->base : from[i] != 0;
        }
    }
    return count;
}

static void fill_compressed_level(const struct table *table, const struct encoding *encoding, int64_t i,
                                  const double *from, struct spgm_data *data) {
    const struct table_column *column = &encoding->columns[i];
    int64_t *end = data->column_start + column->first + 1; /* at the start of each column */

    for (int64_t row = 0; row < table->rows; row++) {
        int64_t level = isnan(from[row]) ? -1 : (int64_t)from[row] - (column->base == 0);

        if (level >= 0) {
            data->row_index[end[level]] = (int32_t)row;
            data->values[end[level]++] = 1;
        }
    }
}

/* Compressed columns: each column of the table is read once over its rows. */
static spgm_error fill_sparse(const struct table *table, struct spgm_data *data, const double *raw, int64_t nonzeros) {
    const struct encoding *encoding = data->encoding;
    int64_t at = 0;

    data->column_start = memory_array(encoding->width + 1, sizeof *data->column_start);
    data->row_index = memory_array(nonzeros, sizeof *data->row_index);
    data->values = memory_array(nonzeros, sizeof *data->values);
    if (data->column_start == NULL || data->row_index == NULL || data->values == NULL) {
        return status_memory(table->status, (size_t)nonzeros * 12 + (size_t)encoding->width * 8);
    }
    for (int64_t i = 0; i < encoding->count; i++) {
        const struct table_column *column = &encoding->columns[i];
        const double *from = column->width == 0 ? NULL : raw_column(table, encoding, i, raw);
        int64_t *end = data->column_start + column->first + 1;

        if (column->width == 0) {
            continue;
        }
        if (column->kind != COLUMN_CATEGORY) {
            end[0] = at;
            for (int64_t row = 0; row < table->rows; row++) {
                if (from[row] != 0) {
                    data->row_index[end[0]] = (int32_t)row;
                    data->values[end[0]++] = from[row];
                }
            }
            at = end[0];
            continue;
        }
        for (int64_t row = 0; row < table->rows; row++) { /* sizes, then starts */
            int64_t level = isnan(from[row]) ? -1 : (int64_t)from[row] - (column->base == 0);

            if (level >= 0) {
                end[level]++;
            }
        }
        for (int64_t k = 0; k < column->width; k++) {
            int64_t size = end[k];

            end[k] = at;
            at += size;
        }
        fill_compressed_level(table, encoding, i, from, data);
    }
    return SPGM_OK;
}

/* If all columns are numbers, the matrix stays in place and is compacted. */
static void close_up(const struct table *table, struct spgm_data *data, double **raw) {
    int64_t to = 0;

    for (int64_t j = 0; j < table->fields; j++) {
        const struct table_field *field = &table->field[j];

        if (field->role == ROLE_FEATURE && field->place != to) {
            memmove(*raw + to * table->rows, *raw + field->place * table->rows, (size_t)table->rows * sizeof **raw);
        }
        to += field->role == ROLE_FEATURE;
    }
    data->values = *raw;
    *raw = NULL;
}

spgm_error table_make_matrix(const struct table *table, struct spgm_data *data, double **raw) {
    const struct encoding *encoding = data->encoding;
    int64_t nonzeros;
    int has_levels = 0, has_left = 0;

    for (int64_t i = 0; i < encoding->count; i++) {
        has_levels = has_levels || encoding->columns[i].kind == COLUMN_CATEGORY;
        has_left = has_left || (encoding->columns[i].kind > COLUMN_WEIGHTS);
    }
    data->columns = encoding->width;
    if (!has_levels && !has_left) {
        close_up(table, data, raw);
        return SPGM_OK;
    }
    if (table->rows * encoding->width > DENSE_ALWAYS && table->rows <= INT32_MAX) {
        nonzeros = count_nonzeros(table, encoding, *raw);
        if (nonzeros < table->rows * encoding->width / 4) {
            return fill_sparse(table, data, *raw, nonzeros);
        }
    }
    return fill_dense(table, data, *raw);
}

/* ---- for a model ---- */

/* The columns that the model uses, in its order. Gaps that are not filled are NaN. */
spgm_error table_make_model_matrix(const struct table *table, struct spgm_data *data, const double *raw) {
    const struct spgm_model *model = table->options->model;
    const struct encoding *encoding = model->encoding;
    int64_t rows = table->rows;

    data->for_model = model;
    data->columns = model->count;
    data->values = memory_array(rows * model->count, sizeof *data->values);
    if (data->values == NULL) {
        return status_memory(table->status, (size_t)rows * (size_t)model->count * sizeof *data->values);
    }
    for (int64_t k = 0; k < model->count; k++) {
        int64_t source = encoding == NULL ? k : encoding->source[k];
        int64_t level = encoding == NULL ? -1 : encoding->level[k];
        double fill = encoding == NULL || table->missing != MISSING_MEDIAN ? NAN : encoding->columns[source].fill;
        const double *from = raw + table->field[table->model_field[source]].place * rows;
        double *to = data->values + k * rows;

        for (int64_t i = 0; i < rows; i++) {
            double value = isnan(from[i]) ? fill : from[i];

            to[i] = level < 0 || isnan(value) ? value : value == (double)level;
        }
    }
    return SPGM_OK;
}
