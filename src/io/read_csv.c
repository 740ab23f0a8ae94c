/*
 * Comma-separated values, and their relatives with semicolons, tabs or spaces.
 *
 * HOW IT WORKS: the first line decides the delimiter (tab, semicolon, comma, space, in this order) and the number of
 * fields. It is a header when one of its fields is text. Row names, as R and pandas write them, are left out: a first
 * column with an empty name, with a name such as "rownames" over text, or with no name at all (a header that is one
 * field short). Blank lines and lines that begin with # are skipped. Fields may be quoted; "" inside is a quote.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/collect.h"
#include "io/data.h"

struct csv {
    struct source *source;
    const spgm_read_options *options;
    spgm_status *status;
    char delimiter;
    int64_t fields;     /* of every line                                      */
    int has_names;      /* the first line was a header                        */
    int has_row_names;  /* the first field of every line is left out          */
    char *names;        /* of the fields, NUL after each; or NULL             */
    int64_t *start;     /* [fields] where each begins                         */
    int64_t first_line; /* its number                                        */
    int64_t target;     /* field, or -1: none                                 */
    int64_t rows;
    struct series values; /* row by row, without row names                   */
};

/* [begin, end): what a field holds, quotes and blanks around it removed. */
struct field {
    char *begin, *end;
    int quoted;
};

static int is_blank(const struct csv *reader, char c) {
    return c == ' ' || (c == '\t' && reader->delimiter != '\t');
}

static char *skip_blanks(const struct csv *reader, char *p) {
    while (is_blank(reader, *p)) {
        p++;
    }
    return p;
}

/* ---- fields ---- */

/* Undouble the quotes in place; returns what follows the closing one, or NULL when there is none. */
static char *take_quoted(char *p, const char *line_end, struct field *field) {
    char quote = *p++;
    char *to = p;

    field->begin = p;
    field->quoted = 1;
    for (; p < line_end; p++) {
        if (*p == quote && p[1] != quote) {
            *to = '\0';
            field->end = to;
            return p + 1;
        }
        p += *p == quote;
        *to++ = *p;
    }
    return NULL;
}

static char *take_plain(const struct csv *reader, char *p, const char *line_end, struct field *field) {
    field->begin = p;
    field->quoted = 0;
    while (p < line_end && *p != reader->delimiter && !(reader->delimiter == ' ' && *p == '\t')) {
        p++;
    }
    field->end = p;
    while (field->end > field->begin && is_blank(reader, field->end[-1])) {
        field->end--;
    }
    return p;
}

/* What follows a field at p: *next is the start of the next one, or NULL after the last. 0: something else stands
 * there. */
static int after_field(const struct csv *reader, char *p, const char *line_end, char **next) {
    char *q = skip_blanks(reader, p);

    *next = NULL;
    if (q == line_end) {
        return 1;
    }
    if (reader->delimiter == ' ') {
        *next = q;
        return q > p;
    }
    *next = q + 1;
    return *q == reader->delimiter;
}

/* Take the field at *p; *p becomes the start of the next one, or NULL after the last. */
static spgm_error take_field(const struct csv *reader, char **p, const char *line_end, struct field *field) {
    char *begin = skip_blanks(reader, *p);
    char *after = *begin == '"' ? take_quoted(begin, line_end, field) : take_plain(reader, begin, line_end, field);

    if (after == NULL) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": has a quote that is not closed on the same line");
    }
    if (!after_field(reader, after, line_end, p)) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": has text right after a closing quote; a quote inside a field is written twice");
    }
    return SPGM_OK;
}

/* ---- the first line ---- */

static int contains_outside_quotes(const char *text, const char *end, char wanted) {
    int quoted = 0;

    for (; text < end; text++) {
        quoted ^= *text == '"';
        if (*text == wanted && !quoted) {
            return 1;
        }
    }
    return 0;
}

static char find_delimiter(const char *text, const char *end) {
    static const char candidates[] = "\t;,";

    while (end > text && end[-1] == ' ') {
        end--;
    }
    while (text < end && *text == ' ') {
        text++;
    }
    for (const char *c = candidates; *c != '\0'; c++) {
        if (contains_outside_quotes(text, end, *c)) {
            return *c;
        }
    }
    return contains_outside_quotes(text, end, ' ') ? ' ' : ',';
}

static int is_missing(const struct field *field) {
    static const char *const words[] = {"", "na", "n/a", "nan", "null", "none", "?", ".", "-"};
    size_t length = (size_t)(field->end - field->begin);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && strncasecmp(field->begin, words[i], length) == 0) {
            return 1;
        }
    }
    return 0;
}

static int is_number(const struct field *field, double *value) {
    return field->begin < field->end && number_parse(field->begin, field->end, value) == field->end;
}

/* Split the line, which is changed, into reader->names. The line has room for it: no field is longer than its text. */
static spgm_error split_names(struct csv *reader, char *text, const char *end) {
    char *next = text;
    char *to;
    int64_t count = 0;

    reader->names = memory_array(end - text + 2, 1);
    reader->start = memory_array(end - text + 2, sizeof *reader->start);
    if (reader->names == NULL || reader->start == NULL) {
        return status_memory(reader->status, (size_t)(end - text) * 9);
    }
    for (to = reader->names; next != NULL; count++) {
        struct field field;
        spgm_error error = take_field(reader, &next, end, &field);

        if (error != SPGM_OK) {
            return error;
        }
        reader->start[count] = to - reader->names;
        memcpy(to, field.begin, (size_t)(field.end - field.begin));
        to += field.end - field.begin;
        *to++ = '\0';
    }
    reader->fields = count;
    return SPGM_OK;
}

static struct field name_field(const struct csv *reader, int64_t j) {
    char *name = reader->names + reader->start[j];
    struct field field = {.begin = name, .end = name + strlen(name)};

    return field;
}

/* inf or infinity, with or without a sign: a number that is refused, not a word */
static int is_infinite(const struct field *field) {
    const char *word = field->begin;
    size_t length;

    word += word < field->end && (*word == '-' || *word == '+');
    length = (size_t)(field->end - word);
    return (length == 3 && strncasecmp(word, "inf", length) == 0) ||
           (length == 8 && strncasecmp(word, "infinity", length) == 0);
}

static int is_text(const struct field *field) {
    double value;

    return !is_number(field, &value) && !is_missing(field) && !is_infinite(field);
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

/* Text makes a header, and so does an empty first field, which is how pandas heads its index. */
static spgm_error find_header(struct csv *reader) {
    int64_t texts = 0;
    struct field first = name_field(reader, 0);
    int first_is_name = first.begin == first.end || is_row_name_word(first.begin);

    for (int64_t j = 0; j < reader->fields; j++) {
        struct field field = name_field(reader, j);

        texts += is_text(&field);
    }
    reader->has_names = texts > 0 || (reader->fields > 1 && first.begin == first.end);
    if (texts == 1 && reader->fields > 1 && is_text(&first) && !first_is_name) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": begins with text and goes on with numbers, so it is neither a header nor data; add a "
                           "header, with 'rownames' for a first column to leave out");
    }
    return SPGM_OK;
}

/* A header that is one field short names all columns but the first: give that one an empty name. */
static void shift_names(struct csv *reader) {
    memmove(reader->start + 1, reader->start, (size_t)reader->fields * sizeof *reader->start);
    reader->start[0] += (int64_t)strlen(reader->names + reader->start[0]);
    reader->fields++;
}

/* Does the first line of data, a copy of which is given, begin with a row name? */
static spgm_error find_row_names(struct csv *reader, char *copy, const char *end) {
    const char *name = reader->names + reader->start[0];
    struct field first = {0};
    struct field field;
    char *next = copy;
    int64_t count;

    for (count = 0; next != NULL; count++) {
        spgm_error error = take_field(reader, &next, end, &field);

        if (error != SPGM_OK) {
            return error;
        }
        first = count == 0 ? field : first;
    }
    if (count == reader->fields + 1) {
        shift_names(reader);
        reader->has_row_names = 1;
    } else {
        reader->has_row_names = reader->fields > 1 && (name[0] == '\0' || (is_row_name_word(name) && is_text(&first)));
    }
    return SPGM_OK;
}

/* ---- the target ---- */

static const char *field_name(const struct csv *reader, int64_t j) {
    return reader->has_names ? reader->names + reader->start[j] : NULL;
}

static spgm_error find_named(struct csv *reader, const char *name) {
    for (int64_t j = reader->has_row_names; reader->has_names && j < reader->fields; j++) {
        if (strcmp(field_name(reader, j), name) != 0) {
            continue;
        }
        if (reader->target >= 0) {
            return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                               ": two columns (%" PRId64 " and %" PRId64
                               ") are called '%s'; name the target by its number",
                               reader->target + 1, j + 1, name);
        }
        reader->target = j;
    }
    return SPGM_OK;
}

static void find_numbered(struct csv *reader, const char *number) {
    char *end;
    long long value = strtoll(number, &end, 10);

    if (*end == '\0' && end != number && value > reader->has_row_names && value <= reader->fields) {
        reader->target = value - 1;
    }
}

static spgm_error no_such_target(const struct csv *reader, const char *name) {
    int64_t first = reader->has_row_names;
    int64_t last = reader->fields - 1;
    char excerpts[3][EXCERPT_SIZE];

    source_excerpt(name, name + strlen(name), excerpts[0]);
    if (!reader->has_names) {
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

static spgm_error find_target(struct csv *reader) {
    const spgm_read_options *options = reader->options;
    int64_t line = reader->source->line;
    spgm_error error;

    reader->target = -1;
    if (options->no_target) {
        return SPGM_OK;
    }
    if (options->target == NULL) {
        if (!options->optional_target || options->columns != reader->fields - reader->has_row_names) {
            reader->target = reader->fields - 1;
        }
        return SPGM_OK;
    }
    reader->source->line = reader->first_line;
    error = find_named(reader, options->target);
    if (error == SPGM_OK && reader->target < 0) {
        find_numbered(reader, options->target);
    }
    if (error == SPGM_OK && reader->target < 0 && !options->optional_target) {
        error = no_such_target(reader, options->target);
    }
    reader->source->line = line;
    return error;
}

/* ---- rows ---- */

/* ", column 3 (age)" */
static spgm_error bad_field(const struct csv *reader, int64_t j, spgm_error code, const char *what) {
    const char *name = field_name(reader, j);
    char excerpt[EXCERPT_SIZE];

    if (name == NULL || name[0] == '\0') {
        return source_fail(reader->source, reader->status, code, ", column %" PRId64 ": %s", j + 1, what);
    }
    return source_fail(reader->source, reader->status, code, ", column %" PRId64 " (%s): %s", j + 1,
                       source_excerpt(name, name + strlen(name), excerpt), what);
}

static spgm_error bad_number(const struct csv *reader, int64_t j, const struct field *field) {
    char excerpt[EXCERPT_SIZE];
    char what[160];
    const char *advice = "";

    if (is_missing(field)) {
        return bad_field(reader, j, SPGM_ERROR_DATA, "the value is missing; fill it in or remove the row");
    }
    if (memchr(field->begin, ',', (size_t)(field->end - field->begin)) != NULL) {
        advice = "; write decimals with a point";
    } else if (j == 0 && reader->has_names && is_text(field)) {
        advice = "; call the column 'rownames' to leave it out";
    }
    snprintf(what, sizeof what, "'%s' %s%s", source_excerpt(field->begin, field->end, excerpt),
             source_number_problem(field->begin, field->end), advice);
    return bad_field(reader, j, source_number_code(field->begin, field->end), what);
}

static spgm_error ragged(const struct csv *reader, const char *than, int64_t count) {
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": has %s%" PRId64 " field%s, where the lines before have %" PRId64, than, count,
                       count == 1 ? "" : "s", reader->fields);
}

/* The usual field: a number and then the delimiter. 0: look closer. */
static inline int take_number(const struct csv *reader, char **p, const char *end, double *value) {
    char *begin = skip_blanks(reader, *p);
    const char *after = number_parse(begin, end, value);

    return after != NULL && after_field(reader, begin + (after - begin), end, p) && isfinite(*value);
}

static spgm_error store(struct csv *reader, double value) {
    return series_add(&reader->values, value)
               ? SPGM_OK
               : status_memory(reader->status, (size_t)reader->values.count * sizeof value);
}

static spgm_error read_field(struct csv *reader, int64_t j, char **next, const char *end) {
    int is_row_name = j == 0 && reader->has_row_names;
    char *begin = *next;
    struct field field;
    double value;
    spgm_error error;

    if (!is_row_name && take_number(reader, next, end, &value)) {
        return store(reader, value);
    }
    *next = begin;
    error = take_field(reader, next, end, &field);
    if (error != SPGM_OK || is_row_name) {
        return error;
    }
    if (!is_number(&field, &value) || !isfinite(value)) {
        return bad_number(reader, j, &field);
    }
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
    reader->rows++;
    return next == NULL ? SPGM_OK : ragged(reader, "more than ", reader->fields);
}

/* The next line that is neither blank nor a comment; *text is NULL after the last. */
static spgm_error next_line(const struct csv *reader, char **text, char **end) {
    for (;;) {
        spgm_error error = source_line(reader->source, text, end, reader->status);

        if (error != SPGM_OK || *text == NULL) {
            return error;
        }
        if (**text != '#' && *text + strspn(*text, " \t") != *end) {
            return SPGM_OK;
        }
    }
}

/* The length of the UTF-8 character at text, 0 when there is none. */
static int utf8_length(const unsigned char *text, const unsigned char *end) {
    int length = text[0] < 0x80   ? 1
                 : text[0] < 0xc2 ? 0
                 : text[0] < 0xe0 ? 2
                 : text[0] < 0xf0 ? 3
                 : text[0] < 0xf5 ? 4
                                  : 0;

    if (end - text < length) {
        return 0;
    }
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90)) {
        return 0; /* longer than need be, a surrogate, or past the last character */
    }
    return length;
}

static int is_utf8(const char *text, const char *end) {
    const unsigned char *p = (const unsigned char *)text;
    const unsigned char *last = (const unsigned char *)end;

    while (p < last) {
        int length = utf8_length(p, last);

        if (length == 0) {
            return 0;
        }
        p += length;
    }
    return 1;
}

/* A copy of the line with a NUL after it. Names go into model files, which are UTF-8: what is not, is taken for
 * Latin-1. */
static spgm_error line_copy(const struct csv *reader, const char *text, const char *end, char **copy, char **copy_end) {
    int is_latin1 = !is_utf8(text, end);
    char *to = memory_array(2 * (end - text) + 1, 1);

    *copy = to;
    if (to == NULL) {
        return status_memory(reader->status, 2 * (size_t)(end - text));
    }
    for (; text < end; text++) {
        unsigned char c = (unsigned char)*text;

        if (is_latin1 && c >= 0x80) {
            *to++ = (char)(0xc0 | c >> 6);
            c = 0x80 | (c & 0x3f);
        }
        *to++ = (char)c;
    }
    *copy_end = to;
    return SPGM_OK;
}

/* Delimiter, header, row names: all that the first line, and under a header the second, decide. */
static spgm_error study_first_line(struct csv *reader, const char *text, const char *end) {
    char *copy;
    char *copy_end;
    spgm_error error = line_copy(reader, text, end, &copy, &copy_end);

    reader->first_line = reader->source->line;
    reader->delimiter = find_delimiter(text, end);
    if (error == SPGM_OK) {
        error = split_names(reader, copy, copy_end);
    }
    memory_free(copy);
    return error == SPGM_OK ? find_header(reader) : error;
}

static spgm_error study_second_line(struct csv *reader, const char *text, const char *end) {
    char *copy;
    char *copy_end;
    spgm_error error = line_copy(reader, text, end, &copy, &copy_end);

    if (error == SPGM_OK) {
        error = find_row_names(reader, copy, copy_end);
    }
    memory_free(copy);
    return error;
}

static spgm_error no_rows(const struct csv *reader) {
    reader->source->line = 0;
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       reader->has_names ? " has a header but no rows" : " has no rows");
}

static spgm_error read_lines(struct csv *reader) {
    char *text;
    char *end;
    spgm_error error = next_line(reader, &text, &end);

    if (error == SPGM_OK && text != NULL) {
        error = study_first_line(reader, text, end);
    }
    if (error == SPGM_OK && reader->has_names) {
        error = next_line(reader, &text, &end);
        if (error == SPGM_OK && text != NULL) {
            error = study_second_line(reader, text, end);
        }
    }
    if (error == SPGM_OK && text == NULL) {
        error = no_rows(reader);
    }
    if (error == SPGM_OK) {
        error = find_target(reader);
    }
    while (error == SPGM_OK && text != NULL) {
        error = read_row(reader, text, end);
        if (error == SPGM_OK) {
            error = next_line(reader, &text, &end);
        }
    }
    return error;
}

/* ---- the end ---- */

/* The target leaves the matrix; the columns after it move up. */
static spgm_error split_target(const struct csv *reader, struct spgm_data *data) {
    size_t bytes = (size_t)data->rows * sizeof *data->target;
    int64_t j = reader->target - reader->has_row_names;
    double *column = data->values + j * data->rows;

    if (reader->target < 0) {
        return SPGM_OK;
    }
    data->target = memory_array(data->rows, sizeof *data->target);
    if (data->target == NULL) {
        return status_memory(reader->status, bytes);
    }
    memcpy(data->target, column, bytes);
    memmove(column, column + data->rows, (size_t)(data->columns - 1 - j) * bytes);
    data->columns--;
    if (reader->has_names && field_name(reader, reader->target)[0] != '\0') {
        return data_set_target_name(data, field_name(reader, reader->target), reader->status);
    }
    return SPGM_OK;
}

/* data takes the names, without those of the row names and the target. */
static void move_names(struct csv *reader, struct spgm_data *data) {
    int64_t count = 0;

    if (!reader->has_names) {
        return;
    }
    for (int64_t j = reader->has_row_names; j < reader->fields; j++) {
        if (j != reader->target) {
            reader->start[count++] = reader->start[j];
        }
    }
    data->names = reader->names;
    data->name_start = reader->start;
    reader->names = NULL;
    reader->start = NULL;
}

static spgm_error finish(struct csv *reader, struct spgm_data *data) {
    spgm_error error;

    data->rows = reader->rows;
    data->columns = reader->fields - reader->has_row_names;
    reader->source->line = 0;
    error = series_to_columns(&reader->values, data->columns, &data->values, reader->status);
    if (error == SPGM_OK) {
        error = split_target(reader, data);
    }
    if (error == SPGM_OK) {
        move_names(reader, data);
    }
    return error;
}

static spgm_error csv_read(struct source *source, const spgm_read_options *options, struct spgm_data *data,
                           spgm_status *status) {
    struct csv reader = {.source = source, .options = options, .status = status};
    spgm_error error = read_lines(&reader);

    if (error == SPGM_OK) {
        error = finish(&reader, data);
    }
    series_free(&reader.values);
    memory_free(reader.names);
    memory_free(reader.start);
    return error;
}

const struct reader reader_csv = {"csv", "csv|tsv|tab", csv_read};
