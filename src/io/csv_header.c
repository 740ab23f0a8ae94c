/* The first two lines of a CSV file: separator, names, whether there is a header, and row names. */
#include "io/csv.h"

#include <string.h>
#include <strings.h>

#include "base/memory.h"

/* Split the line, which is modified, into reader->names. The line provides the memory: no field is longer than its
 * text. */
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

struct field csv_name_field(const struct csv *reader, int64_t j) {
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

/* Whether a name in the first line is a number with the decimal sign of the file; the name is not modified. */
static int name_is_number(const struct csv *reader, struct field field) {
    char *comma = memchr(field.begin, ',', (size_t)(field.end - field.begin));
    double value;
    int is_number = csv_take_decimal(reader, &field, &value) || word_is_infinite(&field);

    if (comma != NULL) {
        *comma = ',';
    }
    return is_number;
}

static int name_is_text(const struct csv *reader, struct field field) {
    return word_is_text(&field) && !name_is_number(reader, field);
}

/* What the second line, given as a copy, says about the first. */
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
        is_number = csv_take_decimal(reader, &field, &value);
        first = second->count == 0 ? value : first;
        second->is_count = second->is_count && is_number && value == first + (double)second->count;
        if (second->count < reader->fields) {
            name = csv_name_field(reader, second->count);
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
    double first_number = 0;
    int is_count = reader->fields >= 3;
    struct field first = csv_name_field(reader, 0);
    int first_is_name = first.begin == first.end || is_row_name_word(first.begin);
    int is_quoted = reader->quoted == reader->fields && second->count > 0 && second->quoted == 0;

    for (int64_t j = 0; j < reader->fields; j++) {
        struct field field = csv_name_field(reader, j);

        texts += name_is_text(reader, field);
        numbers += name_is_number(reader, field);
        is_count = is_count && word_is_count(&field, j, &first_number);
    }
    if (texts == 1 && numbers == reader->fields - 1 && reader->fields > 1 && name_is_text(reader, first) &&
        !first_is_name) {
        return neither_header_nor_data(
            reader, ": begins with text and continues with numbers, so it is neither a header nor data; add a header "
                    "(in which a first column of row names is called 'rownames'), or use header=yes or header=no");
    }
    /* 1, 2, 3 are numbers of columns; 5, 6, 7 may well be data; 2001, 2002, 2003, 2004 hardly are */
    is_count = is_count && (first_number <= 1 || reader->fields >= 4);
    if (is_count && !is_quoted && second->count == reader->fields && !second->is_count && !reader->table.is_strict) {
        return neither_header_nor_data(
            reader, ": its fields count up one by one, so it may be a header or data; use header=yes or header=no");
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

/* A header that is one field short names all columns but the first: give the first one an empty name. */
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

/* ---- the first two lines ---- */

spgm_error csv_copy_line(const struct csv *reader, const char *text, const char *end, struct csv_line *line) {
    line->text = text == NULL ? NULL : memory_array(2 * (end - text) + 1, 1);
    if (text != NULL && line->text == NULL) {
        return status_memory(reader->status, 2 * (size_t)(end - text));
    }
    line->end = text == NULL ? NULL : word_to_utf8(text, end, line->text);
    return SPGM_OK;
}

spgm_error csv_study_first_line(struct csv *reader, const char *text, const char *end) {
    struct csv_line copy = {0};
    spgm_error error = csv_copy_line(reader, text, end, &copy);

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

spgm_error csv_study_second_line(struct csv *reader, const char *text, const char *end) {
    struct second second = {0};
    struct csv_line copy = {0};
    int64_t line = reader->source->line;
    spgm_error error = csv_copy_line(reader, text, end, &copy);

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
