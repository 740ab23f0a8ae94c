#include "io/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/data.h"
#include "io/model.h"

/* A column with more levels than this, and than half of the rows have, is taken for names or identifiers. */
enum { LEVELS_ALWAYS = 50, COLUMNS_SHOWN = 5 };
/* A matrix of so many entries is stored sparse where less than a quarter of them are nonzero. */
#define DENSE_ALWAYS INT64_C(1000000)

const char *table_name(const struct table *table, int64_t j) {
    const char *name = table->has_names ? table->names + table->start[j] : NULL;

    return name == NULL || name[0] == '\0' ? NULL : name;
}

spgm_error table_fail(const struct table *table, int64_t j, spgm_error code, const char *what) {
    const char *name = table_name(table, j);
    char excerpt[EXCERPT_SIZE];

    if (name == NULL) {
        return source_fail(table->source, table->status, code, ", column %" PRId64 ": %s", j + 1, what);
    }
    return source_fail(table->source, table->status, code, ", column %" PRId64 " (%s): %s", j + 1,
                       source_excerpt(name, name + strlen(name), excerpt), what);
}

void table_free(struct table *table) {
    for (int64_t j = 0; table->field != NULL && j < table->fields; j++) {
        levels_free(&table->field[j].levels);
    }
    memory_free(table->field);
    memory_free(table->names);
    memory_free(table->start);
    memory_free(table->model_field);
    series_free(&table->values);
    table->field = NULL;
    table->names = NULL;
    table->start = NULL;
}

/* ---- lists of columns: names, patterns, numbers and ranges ---- */

/* * stands for any text, ? for any character. */
static int matches(const char *pattern, const char *pattern_end, const char *text) {
    const char *star = NULL, *retry = NULL;

    while (*text != '\0') {
        if (pattern < pattern_end && *pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (pattern < pattern_end && (*pattern == '?' || *pattern == *text)) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return 0;
        }
    }
    while (pattern < pattern_end && *pattern == '*') {
        pattern++;
    }
    return pattern == pattern_end;
}

/* "7" or "7:9" */
static int is_range(const char *word, const char *end, int64_t *first, int64_t *last) {
    char *after;

    *first = *last = strtoll(word, &after, 10);
    if (after == word) {
        return 0;
    }
    if (after < end && *after == ':') {
        word = after + 1;
        *last = strtoll(word, &after, 10);
    }
    return after == end && after != word && *first >= 1 && *last >= *first;
}

/* Calls mark for every column that the word means; how many there were. */
static int64_t mark_word(struct table *table, const char *word, const char *end, void (*mark)(struct table_field *)) {
    int64_t count = 0, first = 0, last = 0;

    for (int pass = 0; pass < 2 && count == 0; pass++) { /* by name, then by number */
        if (pass == 1 && !is_range(word, end, &first, &last)) {
            break;
        }
        for (int64_t j = 0; j < table->fields; j++) {
            struct table_field *field = &table->field[j];
            const char *name = table_name(table, j);
            int is_meant = pass == 0 ? name != NULL && matches(word, end, name)
                                     : field->feature + 1 >= first && field->feature + 1 <= last;

            if (field->feature >= 0 && is_meant) {
                mark(field);
                count++;
            }
        }
    }
    return count;
}

static spgm_error mark_list(struct table *table, const char *option, const char *list,
                            void (*mark)(struct table_field *)) {
    char excerpt[EXCERPT_SIZE];

    for (const char *word = list; word != NULL && *word != '\0';) {
        const char *comma = strchr(word, ',');
        const char *end = comma == NULL ? word + strlen(word) : comma;

        if (end > word && mark_word(table, word, end, mark) == 0) {
            table->source->line = 0;
            return source_fail(table->source, table->status, SPGM_ERROR_ARGUMENT,
                               " has no column '%s', which '%s' names; give names, patterns such as x*, or numbers "
                               "from 1 to %" PRId64 ", the target not counted",
                               source_excerpt(word, end, excerpt), option, table->features);
        }
        word = comma == NULL ? NULL : comma + 1;
    }
    return SPGM_OK;
}

static void mark_excluded(struct table_field *field) {
    field->role = field->role == ROLE_WEIGHTS ? ROLE_WEIGHTS : ROLE_SKIPPED;
    field->kind = field->role == ROLE_WEIGHTS ? field->kind : COLUMN_EXCLUDED;
}

static void mark_only(struct table_field *field) {
    field->role = field->role == ROLE_WEIGHTS ? ROLE_WEIGHTS : ROLE_FEATURE;
    field->kind = field->role == ROLE_WEIGHTS ? field->kind : COLUMN_EMPTY;
}

static void mark_text(struct table_field *field) {
    field->is_text = field->is_named = 1;
}

static void number_places(struct table *table) {
    table->width = 0;
    for (int64_t j = 0; j < table->fields; j++) {
        struct table_field *field = &table->field[j];

        field->place = field->role == ROLE_SKIPPED ? -1 : table->width++;
    }
}

spgm_error table_select(struct table *table) {
    const spgm_read_options *options = table->options;
    spgm_error error = SPGM_OK;

    if (options->only != NULL) {
        for (int64_t j = 0; j < table->fields; j++) {
            if (table->field[j].feature >= 0) {
                mark_excluded(&table->field[j]);
            }
        }
        error = mark_list(table, "only", options->only, mark_only);
    }
    if (error == SPGM_OK && options->exclude != NULL) {
        error = mark_list(table, "exclude", options->exclude, mark_excluded);
    }
    if (error == SPGM_OK && options->text != NULL) {
        error = mark_list(table, "text", options->text, mark_text);
    }
    number_places(table);
    return error;
}

/* ---- the columns of a model ---- */

struct needed { /* by a model, for one of its columns */
    const char *name;
    int64_t column;
};

/* The column of the table that the model needs: the one in the same place if that has the name, else the one of that
 * name, else (without names) the one in the same place. */
static spgm_error find_needed(const struct table *table, struct needed needed, int64_t made_from, int64_t *found) {
    int64_t named = -1, count = 0;
    char excerpt[EXCERPT_SIZE];
    const char *end;

    for (int64_t j = 0; j < table->fields; j++) {
        const char *name = table_name(table, j);
        int64_t feature = table->field[j].feature;

        if (feature < 0) {
            continue;
        }
        if (feature == needed.column && (needed.name == NULL || name == NULL || strcmp(name, needed.name) == 0)) {
            *found = j;
            if (table->features == made_from) {
                return SPGM_OK;
            }
        }
        if (name != NULL && needed.name != NULL && strcmp(name, needed.name) == 0) {
            named = j;
            count++;
        }
    }
    if (needed.name == NULL || !table->has_names) {
        return source_fail(table->source, table->status, SPGM_ERROR_DATA,
                           " has %" PRId64 " columns, but the model was made from data with %" PRId64, table->features,
                           made_from);
    }
    end = needed.name + strlen(needed.name);
    if (count != 1) {
        return source_fail(table->source, table->status, SPGM_ERROR_DATA,
                           count == 0 ? " has no column '%s', which the model uses"
                                      : " has two columns called '%s', which the model uses",
                           source_excerpt(needed.name, end, excerpt));
    }
    *found = named;
    return SPGM_OK;
}

static spgm_error select_needed(struct table *table, const struct spgm_model *model) {
    const struct encoding *encoding = model->encoding;
    int64_t count = encoding == NULL ? model->count : encoding->count;
    spgm_error error = SPGM_OK;

    for (int64_t k = 0; k < count && error == SPGM_OK; k++) {
        const struct table_column *column = encoding == NULL ? NULL : &encoding->columns[k];
        struct needed needed = {column != NULL         ? column->name
                                : model->names == NULL ? NULL
                                                       : model->names + model->name_start[k],
                                column != NULL ? column->column : model->support[k]};
        int64_t j = -1;

        if (needed.name != NULL && needed.name[0] == '\0') {
            needed.name = NULL;
        }
        error = find_needed(table, needed, encoding == NULL ? model->columns : encoding->table_columns, &j);
        if (error == SPGM_OK) {
            struct table_field *field = &table->field[j];

            field->role = ROLE_FEATURE;
            field->kind = COLUMN_EMPTY;
            field->known = column;
            field->is_text = column != NULL && column->kind == COLUMN_CATEGORY;
            table->model_field[k] = j;
        }
    }
    return error;
}

spgm_error table_select_model(struct table *table) {
    const struct spgm_model *model = table->options->model;
    int64_t line = table->source->line;
    spgm_error error;

    table->model_field = memory_array(model->count, sizeof *table->model_field);
    if (table->model_field == NULL) {
        return status_memory(table->status, (size_t)model->count * sizeof *table->model_field);
    }
    for (int64_t j = 0; j < table->fields; j++) {
        if (table->field[j].role == ROLE_FEATURE) {
            mark_excluded(&table->field[j]);
        }
    }
    table->source->line = 0;
    error = select_needed(table, model);
    table->source->line = line;
    number_places(table);
    return error;
}

/* ---- gaps ---- */

/* Has it gaps that matter? Where a model is applied, the target is only for comparison. */
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
                                  ? "the value of the target is missing, and is not to be made up; use missing=drop"
                                  : "the weight is missing, and is not to be made up; use missing=drop");
        }
        if (field->role == ROLE_FEATURE && field->kind == COLUMN_EMPTY && field->known == NULL && field->missing > 0) {
            return table_fail(table, j, SPGM_ERROR_DATA, "there are no values at all, so no median; exclude it");
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
                                  " has no row without a gap; exclude columns that have many");
}

/* For a model: gaps stay, or become what it was made with. */
static spgm_error treat_model_gaps(const struct table *table, const double *raw) {
    for (int64_t j = 0; j < table->fields && table->missing == MISSING_MEDIAN; j++) {
        const struct table_field *field = &table->field[j];

        if (counts(table, field) && (field->known == NULL || isnan(field->known->fill))) {
            table->source->line = field->first_gap;
            return table_fail(table, j, SPGM_ERROR_DATA,
                              "the value is missing, and the model holds no median of the column; fit it with "
                              "missing=median, or use missing=drop for no prediction of the row");
        }
    }
    return table->missing == MISSING_REFUSE ? refuse_gaps(table, raw) : SPGM_OK;
}

static spgm_error treat_gaps(struct table *table, struct spgm_data *data, double *raw) {
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

/* ---- levels ---- */

/* Levels in alphabetical order, and the numbers in the column with them. */
static spgm_error sort_levels(const struct table *table, struct levels *levels, double *column) {
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
             "%" PRId64 " different texts in %" PRId64 " rows, as of names or identifiers; exclude the column, or list "
             "it under text to have a column for each",
             field->levels.count, table->rows);
    return table_fail(table, j, SPGM_ERROR_DATA, what);
}

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;

    return p < q ? -1 : p > q;
}

/* The median of a column of numbers, the most frequent level of a category; gaps are NaN, and there is a value. */
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

/* ---- the matrix ---- */

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

/* One column of the table: sorted, filled, described. */
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
        error = error == SPGM_OK ? sort_levels(table, &field->levels, values) : error;
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

/* Which column of the table, and which level, each column of the matrix is. */
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

static spgm_error settle_columns(const struct table *table, double *raw, struct encoding *encoding) {
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

/* Names of the matrix's columns: "age", "Region=South"; without a header "3=South", or none when all are numbers. */
static spgm_error name_columns(const struct table *table, struct spgm_data *data) {
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

static const double *raw_column(const struct table *table, const struct encoding *encoding, int64_t source,
                                const double *raw) {
    int64_t feature = encoding->columns[source].column;

    for (int64_t j = feature; j < table->fields; j++) { /* row names and target may stand before it */
        if (table->field[j].feature == feature) {
            return raw + table->field[j].place * table->rows;
        }
    }
    return raw;
}

/* Columns of zeros and ones, and of numbers. */
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
    int64_t *end = data->column_start + column->first + 1; /* stands at the start of each column */

    for (int64_t row = 0; row < table->rows; row++) {
        int64_t level = isnan(from[row]) ? -1 : (int64_t)from[row] - (column->base == 0);

        if (level >= 0) {
            data->row_index[end[level]] = (int32_t)row;
            data->values[end[level]++] = 1;
        }
    }
}

/* Compressed columns: each column of the table once over its rows. */
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

/* Numbers only: the matrix stays where it is, and closes up. */
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

static spgm_error make_matrix(const struct table *table, struct spgm_data *data, double **raw) {
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

/* The columns that the model uses, in its order. Gaps that stay are NaN. */
static spgm_error make_model_matrix(const struct table *table, struct spgm_data *data, const double *raw) {
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

/* ---- target and weights ---- */

static spgm_error take_vector(const struct table *table, const struct table_field *field, const double *raw,
                              double **vector) {
    *vector = memory_array(table->rows, sizeof **vector);
    if (*vector == NULL) {
        return status_memory(table->status, (size_t)table->rows * sizeof **vector);
    }
    memcpy(*vector, raw + field->place * table->rows, (size_t)table->rows * sizeof **vector);
    return SPGM_OK;
}

static spgm_error take_target(const struct table *table, int64_t j, double *raw, struct spgm_data *data) {
    struct table_field *field = &table->field[j];
    const char *name = table_name(table, j);
    spgm_error error = SPGM_OK;

    if (table->options->model != NULL && field->missing == table->rows) {
        return SPGM_OK; /* an empty column for what is to be predicted */
    }
    if (field->kind == COLUMN_CATEGORY && field->known == NULL) {
        error = sort_levels(table, &field->levels, raw + field->place * table->rows);
    }
    error = error == SPGM_OK ? take_vector(table, field, raw, &data->target) : error;
    data->labels = field->levels;
    data->target_missing = field->missing;
    memset(&field->levels, 0, sizeof field->levels);
    return error == SPGM_OK && name != NULL ? data_set_target_name(data, name, table->status) : error;
}

static spgm_error take_vectors(const struct table *table, double *raw, struct spgm_data *data) {
    spgm_error error = SPGM_OK;

    for (int64_t j = 0; j < table->fields && error == SPGM_OK; j++) {
        if (table->field[j].role == ROLE_TARGET) {
            error = take_target(table, j, raw, data);
        } else if (table->field[j].role == ROLE_WEIGHTS) {
            error = take_vector(table, &table->field[j], raw, &data->weights);
        }
    }
    return error;
}

/* ---- levels that a model has not seen ---- */

static spgm_error add_unseen(const struct table *table, const char *name, const char *level, struct levels *unseen) {
    size_t size = strlen(name) + strlen(level) + 2;
    char *text = memory_array((int64_t)size, 1);
    int64_t added = -1;

    if (text != NULL) {
        snprintf(text, size, "%s%s%s", name, name[0] == '\0' ? "" : "=", level);
        added = levels_add(unseen, text, text + strlen(text));
    }
    memory_free(text);
    return added < 0 ? status_memory(table->status, size) : SPGM_OK;
}

static spgm_error take_unseen(const struct table *table, struct levels *unseen) {
    spgm_error error = SPGM_OK;

    for (int64_t j = 0; j < table->fields; j++) {
        const struct table_field *field = &table->field[j];
        const char *name = table_name(table, j);

        for (int64_t k = 0; field->known != NULL && k < field->levels.count && error == SPGM_OK; k++) {
            error = add_unseen(table, name == NULL ? "" : name, levels_name(&field->levels, k), unseen);
        }
    }
    return error;
}

/* ---- the end ---- */

spgm_error table_finish(struct table *table, struct spgm_data *data) {
    double *raw = NULL;
    spgm_error error = SPGM_OK;

    table->source->line = 0;
    data->rows_read = table->rows;
    if (table->width > 0) {
        error = series_to_columns(&table->values, table->width, &raw, table->status);
    }
    error = error == SPGM_OK ? treat_gaps(table, data, raw) : error;
    data->rows = table->rows;
    error = error == SPGM_OK ? take_vectors(table, raw, data) : error;
    if (error == SPGM_OK && table->options->model != NULL) {
        error = make_model_matrix(table, data, raw);
        error = error == SPGM_OK ? take_unseen(table, &data->unseen) : error;
        memory_free(raw);
        return error;
    }
    data->encoding = error == SPGM_OK ? memory_array(1, sizeof *data->encoding) : NULL;
    if (error == SPGM_OK && data->encoding == NULL) {
        error = status_memory(table->status, sizeof *data->encoding);
    }
    error = error == SPGM_OK ? settle_columns(table, raw, data->encoding) : error;
    error = error == SPGM_OK ? name_columns(table, data) : error;
    error = error == SPGM_OK ? make_matrix(table, data, &raw) : error;
    memory_free(raw);
    return error;
}
