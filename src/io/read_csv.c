/*
 * Comma-separated values, and their relatives with semicolons, tabs, bars or blanks.
 *
 * HOW IT WORKS: the first line decides the separator (tab, semicolon, comma, bar, blank, in this order) and the number
 * of fields. It is a header when all its fields are text, or one is text that stands above a number. Row names, as R
 * and pandas write them, are left out: a first column whose name is empty or a word such as "rownames", or that has no
 * name at all (a header that is one field short). A column whose first value is text is a category; in others text is
 * an error. csv_lines.h has what a line and a field are.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/csv_lines.h"
#include "io/data.h"
#include "io/model.h"
#include "io/table.h"
#include "io/words.h"

struct csv {
    struct table table;
    struct csv_lines lines;
    struct source *source;
    const spgm_read_options *options;
    spgm_status *status;
    char decimal;       /* '.' or ','                                          */
    int64_t fields;     /* of every line                                       */
    int64_t quoted;     /* of the fields of the first line                     */
    int has_row_names;  /* the first field of every line is left out           */
    int64_t first_line; /* its number                                         */
    int64_t target;     /* field, or -1: none                                  */
    int64_t weights;    /* the same                                            */
    char *word;         /* room for a level as UTF-8 [word_size]               */
    int64_t word_size;
};

/* Split the line, which is changed, into reader->names. The line has room for it: no field is longer than its text. */
static spgm_error split_names(struct csv *reader, char *text, const char *end) {
    struct table *table = &reader->table;
    char *next = text;
    char *to;
    int64_t count = 0;

    table->names = memory_array(end - text + 2, 1);
    table->start = memory_array(end - text + 2, sizeof *table->start);
    if (table->names == NULL || table->start == NULL) {
        return status_memory(reader->status, (size_t)(end - text) * 9);
    }
    for (to = table->names; next != NULL; count++) {
        struct field field;
        spgm_error error = csv_take_field(&reader->lines, &next, end, &field);

        if (error != SPGM_OK) {
            return error;
        }
        reader->quoted += field.quoted;
        table->start[count] = to - table->names;
        memcpy(to, field.begin, (size_t)(field.end - field.begin));
        to += field.end - field.begin;
        *to++ = '\0';
    }
    reader->fields = count;
    return SPGM_OK;
}

static struct field name_field(const struct csv *reader, int64_t j) {
    char *name = reader->table.names + reader->table.start[j];
    struct field field = {.begin = name, .end = name + strlen(name)};

    return field;
}

static int is_row_name_word(const char *name) {
    static const char *const words[] = {"row", "rownames", "row.names", "row_names", "rowname", "row_name"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(name, words[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- header or not ---- */

/* A comma within a number is no part of it unless decimals have commas. The field is changed. */
static int take_decimal(const struct csv *reader, struct field *field, double *value) {
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

/* A number of the first line, as decimals are written here; names stay as they are. */
static int name_is_number(const struct csv *reader, struct field field) {
    char *comma = memchr(field.begin, ',', (size_t)(field.end - field.begin));
    double value;
    int is_number = take_decimal(reader, &field, &value) || word_is_infinite(&field);

    if (comma != NULL) {
        *comma = ',';
    }
    return is_number;
}

static int name_is_text(const struct csv *reader, struct field field) {
    return word_is_text(&field) && !name_is_number(reader, field);
}

/* What the second line, a copy of which is given, says of the first. */
struct second {
    int64_t count, quoted;
    int has_text_above_number; /* or above a gap */
    int is_count;              /* 5, 6, 7, ...   */
};

static spgm_error study_second(const struct csv *reader, char *copy, const char *end, struct second *second) {
    char *next = copy;
    double first = 0;

    *second = (struct second){.is_count = 1};
    for (; next != NULL; second->count++) {
        struct field field, name;
        double value = 0;
        spgm_error error = csv_take_field(&reader->lines, &next, end, &field);
        int is_number;

        if (error != SPGM_OK) {
            return error;
        }
        second->quoted += field.quoted;
        is_number = take_decimal(reader, &field, &value);
        first = second->count == 0 ? value : first;
        second->is_count = second->is_count && is_number && value == first + (double)second->count;
        if (second->count < reader->fields) {
            name = name_field(reader, second->count);
            second->has_text_above_number =
                second->has_text_above_number || (name_is_text(reader, name) && (is_number || word_is_missing(&field)));
        }
    }
    return SPGM_OK;
}

static spgm_error neither_header_nor_data(const struct csv *reader, const char *what) {
    reader->source->line = reader->first_line;
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, "%s", what);
}

static spgm_error guess_header(struct csv *reader, const struct second *second) {
    int64_t texts = 0, numbers = 0;
    int first_number = 0, is_count = reader->fields >= 3;
    struct field first = name_field(reader, 0);
    int first_is_name = first.begin == first.end || is_row_name_word(first.begin);
    int is_quoted = reader->quoted == reader->fields && second->count > 0 && second->quoted == 0;

    for (int64_t j = 0; j < reader->fields; j++) {
        struct field field = name_field(reader, j);

        texts += name_is_text(reader, field);
        numbers += name_is_number(reader, field);
        is_count = is_count && j < INT16_MAX && word_is_count(&field, (int)j, &first_number);
    }
    if (texts == 1 && numbers == reader->fields - 1 && reader->fields > 1 && name_is_text(reader, first) &&
        !first_is_name) {
        return neither_header_nor_data(
            reader, ": begins with text and goes on with numbers, so it is neither a header nor data; add a header, "
                    "with 'rownames' for a first column to leave out, or use header=yes or header=no");
    }
    if (is_count && !is_quoted && second->count == reader->fields && !second->is_count && !reader->table.is_strict) {
        return neither_header_nor_data(
            reader, ": its fields count 1, 2, 3, ..., so it may be a header or data; use header=yes or header=no");
    }
    reader->table.has_names = (texts > 0 && (numbers == 0 || second->has_text_above_number)) ||
                              (reader->fields > 1 && first.begin == first.end) || is_quoted;
    return SPGM_OK;
}

static spgm_error find_header(struct csv *reader, const struct second *second) {
    const char *header = reader->options->header;

    if (header == NULL || strcmp(header, "auto") == 0) {
        return guess_header(reader, second);
    }
    reader->table.has_names = strcmp(header, "yes") == 0;
    return SPGM_OK;
}

/* A header that is one field short names all columns but the first: give that one an empty name. */
static void shift_names(struct csv *reader) {
    struct table *table = &reader->table;

    memmove(table->start + 1, table->start, (size_t)reader->fields * sizeof *table->start);
    table->start[0] += (int64_t)strlen(table->names + table->start[0]);
    reader->fields++;
}

static void find_row_names(struct csv *reader, const struct second *second) {
    const char *name = reader->table.names + reader->table.start[0];

    if (second->count == reader->fields + 1) {
        shift_names(reader);
        reader->has_row_names = 1;
    } else {
        reader->has_row_names = reader->fields > 1 && (name[0] == '\0' || is_row_name_word(name));
    }
}

/* ---- the target and the weights ---- */

static const char *field_name(const struct csv *reader, int64_t j) {
    return reader->table.has_names ? reader->table.names + reader->table.start[j] : NULL;
}

static spgm_error find_named(struct csv *reader, const char *what, const char *name, int64_t *found) {
    for (int64_t j = reader->has_row_names; reader->table.has_names && j < reader->fields; j++) {
        if (strcmp(field_name(reader, j), name) != 0) {
            continue;
        }
        if (*found >= 0) {
            return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                               ": two columns (%" PRId64 " and %" PRId64 ") are called '%s'; name the %s by its number",
                               *found + 1, j + 1, name, what);
        }
        *found = j;
    }
    return SPGM_OK;
}

static void find_numbered(const struct csv *reader, const char *number, int64_t *found) {
    char *end;
    long long value = strtoll(number, &end, 10);

    if (*end == '\0' && end != number && value > reader->has_row_names && value <= reader->fields) {
        *found = value - 1;
    }
}

static spgm_error no_such_column(const struct csv *reader, const char *name) {
    int64_t first = reader->has_row_names;
    int64_t last = reader->fields - 1;
    char excerpts[3][EXCERPT_SIZE];

    source_excerpt(name, name + strlen(name), excerpts[0]);
    if (!reader->table.has_names) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": there is no column '%s'; the file has no header, so give a number from 1 to %" PRId64,
                           excerpts[0], reader->fields);
    }
    source_excerpt(field_name(reader, first), name_field(reader, first).end, excerpts[1]);
    source_excerpt(field_name(reader, last), name_field(reader, last).end, excerpts[2]);
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": there is no column '%s'; the columns are '%s' to '%s', or a number from %" PRId64
                       " to %" PRId64,
                       excerpts[0], excerpts[1], excerpts[2], first + 1, reader->fields);
}

/* A column by name or number; *found stays -1 where it need not be there and is not. */
static spgm_error find_column(struct csv *reader, const char *what, const char *name, int is_optional, int64_t *found) {
    int64_t line = reader->source->line;
    spgm_error error;

    reader->source->line = reader->first_line;
    error = find_named(reader, what, name, found);
    if (error == SPGM_OK && *found < 0) {
        find_numbered(reader, name, found);
    }
    if (error == SPGM_OK && *found < 0 && !is_optional) {
        error = no_such_column(reader, name);
    }
    reader->source->line = line;
    return error;
}

/* How many columns a table without a target has, where it may be one. */
static int64_t columns_without_target(const struct csv *reader) {
    const struct spgm_model *model = reader->options->model;

    if (model == NULL) {
        return reader->options->columns;
    }
    return model->encoding == NULL ? model->columns : model->encoding->table_columns;
}

static spgm_error find_target(struct csv *reader) {
    const spgm_read_options *options = reader->options;

    reader->target = -1;
    if (options->no_target) {
        return SPGM_OK;
    }
    if (options->target == NULL) {
        if (!options->optional_target || columns_without_target(reader) != reader->fields - reader->has_row_names) {
            reader->target = reader->fields - 1;
        }
        return SPGM_OK;
    }
    return find_column(reader, "target", options->target, options->optional_target, &reader->target);
}

static spgm_error find_weights(struct csv *reader) {
    spgm_error error = SPGM_OK;

    reader->weights = -1;
    if (reader->options->weights != NULL) {
        error = find_column(reader, "weights", reader->options->weights, 0, &reader->weights);
    }
    if (error == SPGM_OK && reader->weights >= 0 && reader->weights == reader->target) {
        reader->source->line = reader->first_line;
        error = source_fail(reader->source, reader->status, SPGM_ERROR_ARGUMENT,
                            ": column %" PRId64 " cannot be both target and weights", reader->target + 1);
    }
    return error;
}

/* What each field is for. */
static spgm_error set_roles(struct csv *reader) {
    struct table *table = &reader->table;
    spgm_error error = find_target(reader);

    error = error == SPGM_OK ? find_weights(reader) : error;
    if (error != SPGM_OK) {
        return error;
    }
    table->fields = reader->fields;
    table->field = memory_array(reader->fields, sizeof *table->field);
    if (table->field == NULL) {
        return status_memory(reader->status, (size_t)reader->fields * sizeof *table->field);
    }
    for (int64_t j = 0; j < reader->fields; j++) {
        struct table_field *field = &table->field[j];
        int is_row_name = j < reader->has_row_names;

        field->role = is_row_name            ? ROLE_SKIPPED
                      : j == reader->target  ? ROLE_TARGET
                      : j == reader->weights ? ROLE_WEIGHTS
                                             : ROLE_FEATURE;
        field->feature = is_row_name || j == reader->target ? -1 : table->features++;
        field->kind = j == reader->weights ? COLUMN_WEIGHTS : COLUMN_EMPTY;
    }
    return reader->options->model != NULL ? table_select_model(table) : table_select(table);
}

/* ---- rows ---- */

static spgm_error bad_number(const struct csv *reader, int64_t j, const struct field *field) {
    const struct table_field *column = &reader->table.field[j];
    const char *problem = word_problem(field);
    char excerpt[EXCERPT_SIZE];
    char what[240];
    const char *advice = "";
    int is_text = word_is_text(field);

    if (problem == NULL || !is_text || (reader->decimal == ',' && !word_is_date(field))) {
        problem = source_number_problem(field->begin, field->end);
        advice = !is_text ? ""
                 : reader->decimal == ',' && memchr(field->begin, '.', (size_t)(field->end - field->begin)) != NULL
                     ? "; decimals have a comma here, and thousands no point"
                 : column->role == ROLE_TARGET && column->kind == COLUMN_EMPTY && !reader->table.is_strict
                     ? "; a target of text needs a loss of labels, such as hinge or logistic"
                 : column->role == ROLE_FEATURE && column->kind == COLUMN_NUMBER
                     ? ", as the values above it are; correct it, exclude the column, or list it under text"
                     : "";
    }
    snprintf(what, sizeof what, "'%s' %s%s", source_excerpt(field->begin, field->end, excerpt), problem, advice);
    return table_fail(&reader->table, j, source_number_code(field->begin, field->end), what);
}

static spgm_error ragged(const struct csv *reader, const char *than, int64_t count) {
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": has %s%" PRId64 " field%s, where the lines before have %" PRId64, than, count,
                       count == 1 ? "" : "s", reader->fields);
}

/* The usual field: a number and then the delimiter. 0: look closer. */
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

/* Text in a column that is no category yet. */
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

/* The target where a model is applied is there for comparison, and whatever does not fit is a gap. */
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
    return take_decimal(reader, field, &value) && isfinite(value) ? store(reader, value) : store_gap(reader, column);
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
    if (!take_decimal(reader, &field, &value) || !isfinite(value)) {
        return store_text(reader, j, &field);
    }
    column->kind = column->kind == COLUMN_EMPTY ? COLUMN_NUMBER : column->kind;
    return store(reader, value);
}

static spgm_error read_row(struct csv *reader, char *text, const char *end) {
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

/* ---- the first lines ---- */

struct line {
    char *text, *end; /* a copy with a NUL after it, as UTF-8; text NULL: no line */
};

static spgm_error line_copy(const struct csv *reader, const char *text, const char *end, struct line *line) {
    line->text = text == NULL ? NULL : memory_array(2 * (end - text) + 1, 1);
    if (text != NULL && line->text == NULL) {
        return status_memory(reader->status, 2 * (size_t)(end - text));
    }
    line->end = text == NULL ? NULL : word_to_utf8(text, end, line->text);
    return SPGM_OK;
}

static spgm_error study_first_line(struct csv *reader, const char *text, const char *end) {
    struct line copy = {0};
    spgm_error error = line_copy(reader, text, end, &copy);

    reader->first_line = reader->source->line;
    if (reader->lines.delimiter == '\0') {
        reader->lines.delimiter = csv_find_delimiter(&reader->lines, text, end);
    }
    if (error == SPGM_OK) {
        error = split_names(reader, copy.text, copy.end);
    }
    memory_free(copy.text);
    return error;
}

/* Header and row names; the second line decides with the first. */
static spgm_error study_second_line(struct csv *reader, const char *text, const char *end) {
    struct second second = {0};
    struct line copy = {0};
    int64_t line = reader->source->line;
    spgm_error error = line_copy(reader, text, end, &copy);

    if (error == SPGM_OK && copy.text != NULL) {
        error = study_second(reader, copy.text, copy.end, &second);
    }
    memory_free(copy.text);
    error = error == SPGM_OK ? find_header(reader, &second) : error;
    if (error == SPGM_OK) {
        reader->source->line = line;
        if (reader->table.has_names) {
            find_row_names(reader, &second);
        }
    }
    return error;
}

static spgm_error no_rows(const struct csv *reader) {
    reader->source->line = 0;
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       reader->table.has_names ? " has a header but no rows" : " has no rows");
}

/* A first line that is no header is the first row. */
static spgm_error read_first_row(struct csv *reader, const struct line *first) {
    int64_t line = reader->source->line;
    spgm_error error;

    reader->source->line = reader->first_line;
    error = read_row(reader, first->text, first->end);
    if (error == SPGM_OK) {
        reader->source->line = line;
    }
    return error;
}

/* Excel tells what separates fields in a line of its own, "sep=;"; *text is then the line after it. */
static spgm_error skip_separator_line(struct csv *reader, char **text, char **end) {
    if (*text == NULL || *end - *text != 5 || strncasecmp(*text, "sep=", 4) != 0) {
        return SPGM_OK;
    }
    if (reader->lines.delimiter == '\0') {
        reader->lines.delimiter = (*text)[4];
    }
    return csv_next_line(&reader->lines, text, end);
}

static spgm_error read_lines(struct csv *reader) {
    struct line first = {0};
    char *text;
    char *end;
    spgm_error error = csv_next_line(&reader->lines, &text, &end);

    error = error == SPGM_OK ? skip_separator_line(reader, &text, &end) : error;
    if (error == SPGM_OK && text == NULL) {
        return no_rows(reader);
    }
    error = error == SPGM_OK ? line_copy(reader, text, end, &first) : error;
    error = error == SPGM_OK ? study_first_line(reader, text, end) : error;
    error = error == SPGM_OK ? csv_next_line(&reader->lines, &text, &end) : error;
    error = error == SPGM_OK ? study_second_line(reader, text, end) : error;
    if (error == SPGM_OK && reader->table.has_names && text == NULL) {
        error = no_rows(reader);
    }
    error = error == SPGM_OK ? set_roles(reader) : error;
    if (error == SPGM_OK && !reader->table.has_names) {
        error = read_first_row(reader, &first);
    }
    memory_free(first.text);
    while (error == SPGM_OK && text != NULL) {
        error = read_row(reader, text, end);
        if (error == SPGM_OK) {
            error = csv_next_line(&reader->lines, &text, &end);
        }
    }
    return error;
}

/* ---- all of it ---- */

static spgm_error bad_option(spgm_status *status, const char *name, const char *value, const char *choices) {
    return status_set(status, SPGM_ERROR_ARGUMENT, "%s is '%.40s': it must be %s", name, value, choices);
}

static int is_among(const char *word, const char *a, const char *b, const char *c) {
    return word == NULL || strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static spgm_error take_options(struct csv *reader) {
    const spgm_read_options *options = reader->options;
    const struct spgm_model *model = options->model;
    struct table *table = &reader->table;
    char sign[2] = {options->decimal, '\0'};

    table->is_strict = options->categories != NULL && strcmp(options->categories, "refuse") == 0;
    reader->decimal = options->decimal == '\0' ? '.' : options->decimal;
    if (model != NULL && model->encoding != NULL) {
        table->missing = model->encoding->missing == MISSING_MEDIAN ? MISSING_MEDIAN : MISSING_REFUSE;
    }
    if (options->missing != NULL && !missing_policy_find(options->missing, &table->missing)) {
        return bad_option(reader->status, "missing", options->missing, "refuse, drop or median");
    }
    if (!is_among(options->categories, "reference", "full", "refuse")) {
        return bad_option(reader->status, "categories", options->categories, "reference, full or refuse");
    }
    if (!is_among(options->header, "auto", "yes", "no")) {
        return bad_option(reader->status, "header", options->header, "auto, yes or no");
    }
    if (reader->decimal != '.' && reader->decimal != ',') {
        return bad_option(reader->status, "decimal", sign, "a point or a comma");
    }
    return reader->decimal == ',' && options->separator == ','
               ? bad_option(reader->status, "separator", ",", "another than the decimal comma")
               : SPGM_OK;
}

static spgm_error csv_read(struct source *source, const spgm_read_options *options, struct spgm_data *data,
                           spgm_status *status) {
    struct csv reader = {.source = source, .options = options, .status = status};
    spgm_error error;

    reader.table.source = source;
    reader.table.options = options;
    reader.table.status = status;
    error = take_options(&reader);
    reader.lines = (struct csv_lines){source, status, options->separator, reader.decimal == ','};
    error = error == SPGM_OK ? read_lines(&reader) : error;
    error = error == SPGM_OK ? table_finish(&reader.table, data) : error;
    table_free(&reader.table);
    memory_free(reader.word);
    return error;
}

const struct reader reader_csv = {"csv", "csv|tsv|tab", csv_read};
