/* The rows of a CSV file: numbers, levels and gaps. */
#include "io/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/model.h"

int csv_take_decimal(const struct csv *reader, struct field *field, double *value) {
    char *comma = reader->decimal != ',' ? NULL : memchr(field->begin, ',', (size_t)(field->end - field->begin));
    int is_number;

    if (reader->decimal == ',' && memchr(field->begin, '.', (size_t)(field->end - field->begin)) != NULL) {
        return 0;
    }
    if (comma != NULL) {
        *comma = '.';
    }
    is_number = word_is_number(field, value);
    if (comma != NULL && !is_number) {
        *comma = ',';
    }
    return is_number;
}

/* Advice for text where a number should be, in addition to what the text itself suggests. */
static const char *text_advice(const struct csv *reader, const struct table_field *column, const struct field *field) {
    if (reader->decimal == ',' && memchr(field->begin, '.', (size_t)(field->end - field->begin)) != NULL) {
        return "; with a decimal comma, a point cannot separate thousands";
    }
    if (column->role == ROLE_TARGET && column->kind == COLUMN_EMPTY && !reader->table.is_strict) {
        return "; a target of text needs a loss for labels, such as hinge or logistic";
    }
    if (column->role == ROLE_TARGET && column->kind == COLUMN_NUMBER && !reader->table.is_strict) {
        return ", as the values of the target above it are; correct it, or choose another column as the target";
    }
    return column->role == ROLE_FEATURE && column->kind == COLUMN_NUMBER
               ? ", as the values above it are; correct it, exclude the column, or list it under text"
               : "";
}

static spgm_error bad_number(const struct csv *reader, int64_t j, const struct field *field) {
    const struct table_field *column = &reader->table.field[j];
    const char *problem = word_problem(field);
    char excerpt[EXCERPT_SIZE];
    char what[240];
    const char *advice = "";
    int is_text = word_is_text(field);

    if (is_text && word_is_date(field) && column->role == ROLE_TARGET) { /* the target cannot be excluded */
        problem = "is a date or a time, and the column is the target; turn it into a number, or choose another column "
                  "as the target";
    } else if (problem == NULL || !is_text || (reader->decimal == ',' && !word_is_date(field))) {
        problem = source_number_problem(field->begin, field->end);
        advice = is_text ? text_advice(reader, column, field) : "";
    }
    snprintf(what, sizeof what, "'%s' %s%s", source_excerpt(field->begin, field->end, excerpt), problem, advice);
    return table_fail(&reader->table, j, source_number_code(field->begin, field->end), what);
}

static spgm_error ragged(const struct csv *reader, const char *than, int64_t count) {
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": has %s%" PRId64 " field%s, where the lines before have %" PRId64, than, count,
                       count == 1 ? "" : "s", reader->fields);
}

/* The usual field: a number followed by the delimiter. Returns 0 if the field needs a closer look. */
static inline int take_number(const struct csv *reader, char **p, const char *end, double *value) {
    char *begin = csv_skip_blanks(&reader->lines, *p);
    const char *after = number_parse(begin, end, value);

    return after != NULL && csv_after_field(&reader->lines, begin + (after - begin), end, p) && isfinite(*value);
}

static spgm_error store(struct csv *reader, double value) {
    struct series *values = &reader->table.values;

    return series_add(values, value) ? SPGM_OK : status_memory(reader->status, (size_t)values->count * sizeof value);
}

static spgm_error store_gap(struct csv *reader, struct table_field *column) {
    column->first_gap = column->missing++ == 0 ? reader->source->line : column->first_gap;
    return store(reader, NAN);
}

/* The field as UTF-8 in reader->word; model files are UTF-8. */
static spgm_error level_word(struct csv *reader, const struct field *field, const char **begin, const char **end) {
    int64_t size = 2 * (field->end - field->begin) + 1;

    *begin = field->begin;
    *end = field->end;
    if (word_is_utf8(field->begin, field->end)) {
        return SPGM_OK;
    }
    if (size > reader->word_size) {
        memory_free(reader->word);
        reader->word = memory_array(2 * size, 1);
        reader->word_size = reader->word == NULL ? 0 : 2 * size;
        if (reader->word == NULL) {
            return status_memory(reader->status, 2 * (size_t)size);
        }
    }
    *begin = reader->word;
    *end = word_to_utf8(field->begin, field->end, reader->word);
    return SPGM_OK;
}

/* "it knows North, South" */
static spgm_error unseen_level(const struct csv *reader, int64_t j, const struct field *field) {
    const struct levels *levels = &reader->table.field[j].known->levels;
    char excerpt[EXCERPT_SIZE], what[320];
    int at = snprintf(what, sizeof what, "'%s' is a level that the model has not seen; it knows ",
                      source_excerpt(field->begin, field->end, excerpt));

    for (int64_t k = 0; k < levels->count && k < 5; k++) {
        const char *name = levels_name(levels, k);

        at += snprintf(what + at, sizeof what - (size_t)at, "%s%s", k > 0 ? ", " : "",
                       source_excerpt(name, name + strlen(name), excerpt));
        at = at < (int)sizeof what ? at : (int)sizeof what - 1;
    }
    snprintf(what + at, sizeof what - (size_t)at, "%s; use missing=drop for no prediction of the row",
             levels->count > 5 ? " and others" : "");
    return table_fail(&reader->table, j, SPGM_ERROR_DATA, what);
}

static spgm_error store_level(struct csv *reader, int64_t j, const struct field *field) {
    struct table_field *column = &reader->table.field[j];
    const char *begin, *end;
    int64_t level;
    spgm_error error;

    if (memchr(field->begin, '\0', (size_t)(field->end - field->begin)) != NULL) {
        return bad_number(reader, j, field);
    }
    error = level_word(reader, field, &begin, &end);
    if (error != SPGM_OK) {
        return error;
    }
    if (column->known != NULL) {
        level = levels_find(&column->known->levels, begin, end);
        if (level >= 0) {
            return store(reader, (double)level);
        }
        if (reader->table.missing != MISSING_DROP) {
            return unseen_level(reader, j, field);
        }
        return levels_add(&column->levels, begin, end) < 0 ? status_memory(reader->status, (size_t)column->levels.used)
                                                           : store_gap(reader, column);
    }
    column->kind = COLUMN_CATEGORY;
    level = levels_add(&column->levels, begin, end);
    return level < 0 ? status_memory(reader->status, (size_t)column->levels.used) : store(reader, (double)level);
}

/* Text in a column that is not a category yet. */
static spgm_error store_text(struct csv *reader, int64_t j, const struct field *field) {
    struct table_field *column = &reader->table.field[j];
    int is_survey = reader->options->survey && word_is_text(field);
    int may_be_text = column->role == ROLE_FEATURE
                          ? !reader->table.is_strict && reader->options->model == NULL
                          : column->role == ROLE_TARGET && (reader->options->text_target || is_survey);

    if (is_survey && column->role == ROLE_FEATURE &&
        (word_problem(field) == NULL ? column->kind == COLUMN_NUMBER : word_is_date(field))) {
        column->kind = column->kind == COLUMN_EMPTY && word_is_date(field) ? COLUMN_DATE : COLUMN_MIXED;
        return store(reader, NAN);
    }
    if (column->kind != COLUMN_EMPTY || !may_be_text || !word_is_text(field) || word_problem(field) != NULL) {
        return bad_number(reader, j, field);
    }
    return store_level(reader, j, field);
}

/* When a model is applied, the target only serves for comparison, and a value that does not fit counts as missing. */
static spgm_error store_comparison(struct csv *reader, struct table_field *column, struct field *field) {
    const struct spgm_model *model =
        reader->options->model->combined != NULL ? reader->options->model->combined : reader->options->model;
    const struct levels *labels = model->classes != NULL ? &model->class_names : &model->label_names;
    const char *begin, *end;
    double value;
    int64_t level;
    spgm_error error = level_word(reader, field, &begin, &end);

    if (error != SPGM_OK) {
        return error;
    }
    level = levels_find(labels, begin, end);
    if (level >= 0) {
        return store(reader, model->classes != NULL ? model->class_labels[level] : model->labels[level]);
    }
    return csv_take_decimal(reader, field, &value) && isfinite(value) ? store(reader, value)
                                                                      : store_gap(reader, column);
}

static spgm_error read_field(struct csv *reader, int64_t j, char **next, const char *end) {
    struct table_field *column = &reader->table.field[j];
    char *begin = *next;
    struct field field;
    double value;
    spgm_error error;

    if (column->kind <= COLUMN_NUMBER && column->role != ROLE_SKIPPED && !column->is_text && reader->decimal == '.' &&
        take_number(reader, next, end, &value)) {
        column->kind = COLUMN_NUMBER;
        return store(reader, value);
    }
    *next = begin;
    error = csv_take_field(&reader->lines, next, end, &field);
    if (error != SPGM_OK || column->role == ROLE_SKIPPED) {
        return error;
    }
    if (word_is_missing(&field)) {
        return store_gap(reader, column);
    }
    if (column->role == ROLE_TARGET && reader->options->model != NULL) {
        return store_comparison(reader, column, &field);
    }
    if (column->kind == COLUMN_CATEGORY || column->is_text) {
        return store_level(reader, j, &field);
    }
    if (column->kind >= COLUMN_DATE) {
        return store(reader, NAN);
    }
    if (!csv_take_decimal(reader, &field, &value) || !isfinite(value)) {
        return store_text(reader, j, &field);
    }
    column->kind = column->kind == COLUMN_EMPTY ? COLUMN_NUMBER : column->kind;
    return store(reader, value);
}

spgm_error csv_read_row(struct csv *reader, char *text, const char *end) {
    char *next = text;

    for (int64_t j = 0; j < reader->fields; j++) {
        spgm_error error = next == NULL ? ragged(reader, "only ", j) : read_field(reader, j, &next, end);

        if (error != SPGM_OK) {
            return error;
        }
    }
    reader->table.rows++;
    return next == NULL ? SPGM_OK : ragged(reader, "more than ", reader->fields);
}
