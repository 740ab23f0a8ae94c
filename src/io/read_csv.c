/*
 * Comma-separated values, and their relatives with semicolons, tabs, bars or blanks.
 *
 * HOW IT WORKS: the first line decides the separator (tab, semicolon, comma, bar, blank, in this order) and the number
 * of fields. It is a header when all its fields are text, or one is text that stands above a number. Row names, as R
 * and pandas write them, are left out: a first column whose name is empty or a word such as "rownames", or that has no
 * name at all (a header that is one field short). A column whose first value is text is a category; in others text is
 * an error. csv_lines.h has what a line and a field are, csv.h where the parts of the reader are.
 */
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "io/csv.h"
#include "io/data.h"
#include "io/model.h"

/* ---- lines ---- */

static spgm_error no_rows(const struct csv *reader) {
    reader->source->line = 0;
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       reader->table.has_names ? " has a header but no rows" : " has no rows");
}

/* A first line that is not a header is the first row. */
static spgm_error read_first_row(struct csv *reader, const struct csv_line *first) {
    int64_t line = reader->source->line;
    spgm_error error;

    reader->source->line = reader->first_line;
    error = csv_read_row(reader, first->text, first->end);
    if (error == SPGM_OK) {
        reader->source->line = line;
    }
    return error;
}

/* Excel states the separator in a line of its own, "sep=;"; *text is then the line after it. */
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
    struct csv_line first = {0};
    char *text;
    char *end;
    spgm_error error = csv_next_line(&reader->lines, &text, &end);

    error = error == SPGM_OK ? skip_separator_line(reader, &text, &end) : error;
    if (error == SPGM_OK && text == NULL) {
        return no_rows(reader);
    }
    error = error == SPGM_OK ? csv_copy_line(reader, text, end, &first) : error;
    error = error == SPGM_OK ? csv_study_first_line(reader, text, end) : error;
    error = error == SPGM_OK ? csv_next_line(&reader->lines, &text, &end) : error;
    error = error == SPGM_OK ? csv_study_second_line(reader, text, end) : error;
    if (error == SPGM_OK && reader->table.has_names && text == NULL) {
        error = no_rows(reader);
    }
    error = error == SPGM_OK ? csv_set_roles(reader) : error;
    if (error == SPGM_OK && !reader->table.has_names) {
        error = read_first_row(reader, &first);
    }
    memory_free(first.text);
    while (error == SPGM_OK && text != NULL) {
        error = csv_read_row(reader, text, end);
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

static const char *either(const char *given, const char *known) {
    return given == NULL ? known : given;
}

/* The options with which the model of `like` was read. */
static spgm_read_options complete(const spgm_read_options *options) {
    spgm_read_options all = *options;
    const struct encoding *encoding = options->like == NULL ? NULL : options->like->encoding;

    if (encoding != NULL) {
        all.missing = either(all.missing, missing_policy_name(encoding->missing));
        all.exclude = either(all.exclude, encoding->reading[READING_EXCLUDE]);
        all.only = either(all.only, encoding->reading[READING_ONLY]);
        all.text = either(all.text, encoding->reading[READING_TEXT]);
        all.categories = either(all.categories, encoding->reading[READING_CATEGORIES]);
    }
    return all;
}

static spgm_error csv_read(struct source *source, const spgm_read_options *given, struct spgm_data *data,
                           spgm_status *status) {
    const spgm_read_options options = complete(given);
    struct csv reader = {.source = source, .options = &options, .status = status};
    spgm_error error;

    reader.table.source = source;
    reader.table.options = &options;
    reader.table.status = status;
    error = take_options(&reader);
    reader.lines = (struct csv_lines){source, status, options.separator, reader.decimal == ','};
    error = error == SPGM_OK ? read_lines(&reader) : error;
    error = error == SPGM_OK ? table_finish(&reader.table, data) : error;
    table_free(&reader.table);
    memory_free(reader.word);
    return error;
}

const struct reader reader_csv = {"csv", "csv|tsv|tab", csv_read};
