/* Gaps (missing values): they are counted and refused, their rows are dropped, or they are left to be filled. */
#include "io/table_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/data.h"

enum { COLUMNS_SHOWN = 5 };

/* Whether gaps in this field matter. When a model is applied, those of the target do not, because it only serves for
 * comparison. */
static int counts(const struct table *table, const struct table_field *field) {
    return field->role != ROLE_SKIPPED && field->missing > 0 &&
           (table->options->model == NULL || field->role == ROLE_FEATURE);
}

static int64_t count_gaps(const struct table *table, int64_t *columns, int64_t *first) {
    int64_t gaps = 0;

    *columns = 0;
    *first = -1;
    for (int64_t j = 0; j < table->fields; j++) {
        const struct table_field *field = &table->field[j];

        if (counts(table, field)) {
            gaps += field->missing;
            *columns += 1;
            *first = *first < 0 || field->first_gap < table->field[*first].first_gap ? j : *first;
        }
    }
    return gaps;
}

/* "age (12), Region (4) and 2 more" */
static void list_gaps(const struct table *table, char *text, size_t size) {
    int64_t shown = 0, left = 0;
    size_t at = 0;

    text[0] = '\0';
    for (int64_t j = 0; j < table->fields; j++) {
        const struct table_field *field = &table->field[j];
        const char *name = table_name(table, j);
        char excerpt[EXCERPT_SIZE];
        char number[32];

        if (!counts(table, field)) {
            continue;
        }
        if (shown == COLUMNS_SHOWN || at + 64 > size) {
            left++;
            continue;
        }
        snprintf(number, sizeof number, "%" PRId64, j + 1);
        name = name == NULL ? number : source_excerpt(name, name + strlen(name), excerpt);
        at += (size_t)snprintf(text + at, size - at, "%s%s (%" PRId64 ")", shown > 0 ? ", " : "", name, field->missing);
        shown++;
    }
    if (left > 0) {
        snprintf(text + at, size - at, " and %" PRId64 " more", left);
    }
}

static int64_t rows_with_gaps(const struct table *table, const double *raw) {
    int64_t count = 0;

    for (int64_t i = 0; i < table->rows; i++) {
        int has_gap = 0;

        for (int64_t k = 0; k < table->width && !has_gap; k++) {
            has_gap = isnan(raw[i + k * table->rows]);
        }
        count += has_gap;
    }
    return count;
}

static spgm_error refuse_gaps(const struct table *table, const double *raw) {
    int64_t columns, first, gaps = count_gaps(table, &columns, &first), rows = rows_with_gaps(table, raw);
    char list[256];

    if (gaps == 1 || table->is_strict) {
        table->source->line = table->field[first].first_gap;
        return table_fail(
            table, first, SPGM_ERROR_DATA,
            table->is_strict ? "the value is missing; fill it in or remove the row"
            : table->options->model != NULL
                ? "the value is missing; fill it in, or use missing=drop for no prediction of the row"
                : "the value is missing; fill it in, or use missing=drop (leaves out the row) or missing=median");
    }
    list_gaps(table, list, sizeof list);
    if (table->options->model != NULL) {
        return source_fail(table->source, table->status, SPGM_ERROR_DATA,
                           ": %" PRId64 " values are missing, first in line %" PRId64
                           ", by column: %s; use missing=drop for no predictions of %" PRId64 " of %" PRId64 " rows",
                           gaps, table->field[first].first_gap, list, rows, table->rows);
    }
    return source_fail(table->source, table->status, SPGM_ERROR_DATA,
                       ": %" PRId64 " values are missing, first in line %" PRId64
                       ", by column: %s; use missing=drop (leaves out %" PRId64 " of %" PRId64
                       " rows) or missing=median, or exclude columns",
                       gaps, table->field[first].first_gap, list, rows, table->rows);
}

/* A gap in the target or the weights is never filled in. */
static spgm_error refuse_filling(const struct table *table) {
    for (int64_t j = 0; j < table->fields; j++) {
        const struct table_field *field = &table->field[j];

        if ((field->role == ROLE_TARGET || field->role == ROLE_WEIGHTS) && field->missing > 0) {
            table->source->line = field->first_gap;
            return table_fail(table, j, SPGM_ERROR_DATA,
                              field->role == ROLE_TARGET
                                  ? "the target is missing, and targets are never filled in; use missing=drop"
                                  : "the weight is missing, and weights are never filled in; use missing=drop");
        }
        if (field->role == ROLE_FEATURE && field->kind == COLUMN_EMPTY && field->known == NULL && field->missing > 0) {
            return table_fail(table, j, SPGM_ERROR_DATA,
                              "all values are missing, so there is no median; exclude the column");
        }
    }
    return SPGM_OK;
}

static spgm_error drop_rows(struct table *table, struct spgm_data *data, double *raw) {
    int64_t rows = table->rows, kept = 0;
    int64_t *row_of = memory_array(rows, sizeof *row_of);

    if (row_of == NULL) {
        return status_memory(table->status, (size_t)rows * sizeof *row_of);
    }
    for (int64_t i = 0; i < rows; i++) {
        int has_gap = 0;

        for (int64_t k = 0; k < table->width && !has_gap; k++) {
            has_gap = isnan(raw[i + k * rows]);
        }
        if (!has_gap) {
            row_of[kept++] = i;
        }
    }
    data->row_of = row_of;
    data->rows_read = rows;
    for (int64_t k = 0; k < table->width; k++) {
        for (int64_t i = 0; i < kept; i++) {
            raw[i + k * kept] = raw[row_of[i] + k * rows];
        }
    }
    table->rows = kept;
    return kept > 0 ? SPGM_OK
                    : source_fail(table->source, table->status, SPGM_ERROR_DATA,
                                  " has no row without a missing value; exclude the columns with the most");
}

/* For a model: gaps stay, or get the values that the model recorded. */
static spgm_error treat_model_gaps(const struct table *table, const double *raw) {
    for (int64_t j = 0; j < table->fields && table->missing == MISSING_MEDIAN; j++) {
        const struct table_field *field = &table->field[j];

        if (counts(table, field) && (field->known == NULL || isnan(field->known->fill))) {
            table->source->line = field->first_gap;
            return table_fail(table, j, SPGM_ERROR_DATA,
                              "the value is missing, and the model has no median for the column; fit it with "
                              "missing=median, or use missing=drop for no prediction of the row");
        }
    }
    return table->missing == MISSING_REFUSE ? refuse_gaps(table, raw) : SPGM_OK;
}

spgm_error table_treat_gaps(struct table *table, struct spgm_data *data, double *raw) {
    int64_t columns, first;

    if (table->options->survey || count_gaps(table, &columns, &first) == 0) {
        return SPGM_OK;
    }
    if (table->options->model != NULL) {
        return treat_model_gaps(table, raw);
    }
    if (table->missing == MISSING_REFUSE) {
        return refuse_gaps(table, raw);
    }
    return table->missing == MISSING_DROP ? drop_rows(table, data, raw) : refuse_filling(table);
}
