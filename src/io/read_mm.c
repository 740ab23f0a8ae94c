/*
 * Matrix Market: coordinate (sparse) and array (dense, by columns); real, integer or pattern; general or symmetric.
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

struct mm {
    struct source *source;
    spgm_status *status;
    int is_array, is_pattern, is_symmetric;
    int64_t rows, columns, claimed; /* of the size line, which claims that `claimed` numbers follow */
    int64_t count;                  /* the numbers that did follow */
    struct entries entries;
    struct series values;
    struct series jumps; /* pairs (entry, line) wherever an entry is not on the line after the previous one */
    int64_t next_line;
};

/* ---- the first lines ---- */

enum { BANNER_WORDS = 5, WORD_SIZE = 32 };

static spgm_error bad_kind(const struct mm *reader, const char *word, const char *choices) {
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": a Matrix Market file of kind '%s' cannot be used; it must be %s", word, choices);
}

static spgm_error read_banner(struct mm *reader) {
    char words[BANNER_WORDS][WORD_SIZE] = {""};
    char *text;
    char *end;
    spgm_error error = source_line(reader->source, &text, &end, reader->status);

    if (error != SPGM_OK) {
        return error;
    }
    if (text == NULL ||
        sscanf(text, "%31s %31s %31s %31s %31s", words[0], words[1], words[2], words[3], words[4]) != 5 ||
        strcasecmp(words[0], "%%MatrixMarket") != 0) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": a Matrix Market file begins with '%%%%MatrixMarket matrix coordinate real general' or "
                           "the like");
    }
    reader->is_array = strcasecmp(words[2], "array") == 0;
    reader->is_pattern = strcasecmp(words[3], "pattern") == 0;
    reader->is_symmetric = strcasecmp(words[4], "symmetric") == 0;
    if (strcasecmp(words[1], "matrix") != 0) {
        return bad_kind(reader, words[1], "matrix");
    }
    if (!reader->is_array && strcasecmp(words[2], "coordinate") != 0) {
        return bad_kind(reader, words[2], "coordinate or array");
    }
    if (strcasecmp(words[3], "real") != 0 && strcasecmp(words[3], "integer") != 0 &&
        strcasecmp(words[3], "double") != 0 && (!reader->is_pattern || reader->is_array)) {
        return bad_kind(reader, words[3], reader->is_array ? "real or integer" : "real, integer or pattern");
    }
    if (!reader->is_symmetric && strcasecmp(words[4], "general") != 0) {
        return bad_kind(reader, words[4], "general or symmetric");
    }
    return SPGM_OK;
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

/* The next line that is neither blank nor a comment, from its first word on; *text is NULL after the last. */
static spgm_error next_line(struct mm *reader, const char **text, const char **end) {
    for (;;) {
        char *start;
        char *stop;
        spgm_error error = source_line(reader->source, &start, &stop, reader->status);

        *text = start == NULL ? NULL : skip_blanks(start);
        *end = stop;
        if (error != SPGM_OK || start == NULL || (**text != '%' && *text != stop)) {
            return error;
        }
    }
}

/* A whole number of up to 18 digits; NULL if there is none, or if it is not followed by a blank or the end. */
static const char *take_whole(const char *p, const char *end, int64_t *value) {
    const char *first = p;

    for (*value = 0; (unsigned char)(*p - '0') < 10 && p - first < 18; p++) {
        *value = *value * 10 + (*p - '0');
    }
    if (p == first || (p != end && *p != ' ' && *p != '\t')) {
        return NULL;
    }
    return skip_blanks(p);
}

static spgm_error bad_size_line(const struct mm *reader) {
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, ": the size line must be %s",
                       reader->is_array ? "ROWS COLUMNS" : "ROWS COLUMNS ENTRIES");
}

static spgm_error check_size(struct mm *reader) {
    if (reader->rows == 0 || reader->columns == 0) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, ": the matrix has no %s",
                           reader->rows == 0 ? "rows" : "columns");
    }
    if (reader->is_symmetric && reader->rows != reader->columns) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": a symmetric matrix cannot have %" PRId64 " rows and %" PRId64 " columns", reader->rows,
                           reader->columns);
    }
    if (reader->rows > INT32_MAX || reader->columns > reader->source->column_limit) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": %" PRId64 " rows and %" PRId64 " columns are too many; at most %d of each can be used",
                           reader->rows, reader->columns, INT32_MAX);
    }
    if (reader->is_array) { /* no overflow: both are below 2^31 */
        reader->claimed = reader->is_symmetric ? reader->rows * (reader->rows + 1) / 2 : reader->rows * reader->columns;
    }
    return SPGM_OK;
}

static spgm_error read_size(struct mm *reader) {
    const char *p;
    const char *end;
    spgm_error error = next_line(reader, &p, &end);

    if (error != SPGM_OK) {
        return error;
    }
    p = p == NULL ? NULL : take_whole(p, end, &reader->rows);
    p = p == NULL ? NULL : take_whole(p, end, &reader->columns);
    p = p == NULL || reader->is_array ? p : take_whole(p, end, &reader->claimed);
    if (p != end || p == NULL) {
        return bad_size_line(reader);
    }
    return check_size(reader);
}

/* ---- numbers ---- */

static spgm_error bad_value(const struct mm *reader, const char *text) {
    const char *end = text + strcspn(text, " \t");
    char excerpt[EXCERPT_SIZE];

    if (text == end) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, ": the value is missing");
    }
    return source_fail(reader->source, reader->status, source_number_code(text, end), ": the value '%s' %s",
                       source_excerpt(text, end, excerpt), source_number_problem(text, end));
}

static spgm_error bad_end(const struct mm *reader, const char *text, const char *end) {
    char excerpt[EXCERPT_SIZE];

    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": '%s' follows the value, where the line should end", source_excerpt(text, end, excerpt));
}

static spgm_error bad_place(const struct mm *reader, int64_t i, int64_t j) {
    if (i < 1 || i > reader->rows) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": row %" PRId64 " is not within 1 to %" PRId64, i, reader->rows);
    }
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": column %" PRId64 " is not within 1 to %" PRId64, j, reader->columns);
}

static spgm_error out_of_memory(const struct mm *reader) {
    return status_memory(reader->status, (size_t)(reader->entries.count + reader->values.count) * 16);
}

/* The value at the end of a line. */
static spgm_error take_value(const struct mm *reader, const char *p, const char *end, double *value) {
    const char *after = number_parse(p, end, value);

    if (after == NULL || (after != end && *after != ' ' && *after != '\t') || !isfinite(*value)) {
        return bad_value(reader, p);
    }
    after = skip_blanks(after);
    return after == end ? SPGM_OK : bad_end(reader, after, end);
}

static spgm_error read_entry(struct mm *reader, const char *text, const char *end) {
    int64_t i = 0;
    int64_t j = 0;
    double value = 1;
    const char *p = take_whole(text, end, &i);
    spgm_error error = SPGM_OK;

    p = p == NULL ? NULL : take_whole(p, end, &j);
    if (p == NULL) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, ": is not ROW COLUMN%s",
                           reader->is_pattern ? "" : " VALUE");
    }
    if (i < 1 || i > reader->rows || j < 1 || j > reader->columns) {
        return bad_place(reader, i, j);
    }
    if (!reader->is_pattern) {
        error = take_value(reader, p, end, &value);
    } else if (p != end) {
        error = bad_end(reader, p, end);
    }
    if (error != SPGM_OK) {
        return error;
    }
    if (!entries_add(&reader->entries, (int32_t)(i - 1), (int32_t)(j - 1), value) ||
        (reader->is_symmetric && i != j && !entries_add(&reader->entries, (int32_t)(j - 1), (int32_t)(i - 1), value))) {
        return out_of_memory(reader);
    }
    return SPGM_OK;
}

static spgm_error read_element(struct mm *reader, const char *text, const char *end) {
    double value;
    spgm_error error = take_value(reader, text, end, &value);

    if (error == SPGM_OK && !series_add(&reader->values, value)) {
        error = out_of_memory(reader);
    }
    return error;
}

static spgm_error wrong_count(const struct mm *reader, const char *word) {
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": the size line promises %" PRId64 " %s, but %s", reader->claimed,
                       reader->is_array ? "values" : "entries", word);
}

/* Record what is needed to find the line of an entry later. */
static int note_line(struct mm *reader) {
    int64_t line = reader->source->line;
    int follows = line == reader->next_line;

    reader->next_line = line + 1;
    return follows || (series_add(&reader->jumps, (double)reader->count) && series_add(&reader->jumps, (double)line));
}

static spgm_error read_numbers(struct mm *reader) {
    for (;;) {
        const char *text;
        const char *end;
        spgm_error error = next_line(reader, &text, &end);
        char word[64];

        if (error != SPGM_OK) {
            return error;
        }
        if (text == NULL && reader->count == reader->claimed) {
            return SPGM_OK;
        }
        if (text == NULL) {
            snprintf(word, sizeof word, "the file ends after %" PRId64, reader->count);
            return wrong_count(reader, word);
        }
        if (reader->count == reader->claimed) {
            return wrong_count(reader, "more follow");
        }
        if (!reader->is_array && !note_line(reader)) {
            return out_of_memory(reader);
        }
        error = reader->is_array ? read_element(reader, text, end) : read_entry(reader, text, end);
        if (error != SPGM_OK) {
            return error;
        }
        reader->count++;
    }
}

/* ---- the end ---- */

/* The line of entry k, from the last jump at or before it. Chunks hold whole pairs, because their sizes are even. */
static int64_t entry_line(const struct mm *reader, int64_t k) {
    int64_t line = 0;

    for (const struct series_chunk *chunk = reader->jumps.first; chunk != NULL; chunk = chunk->next) {
        for (int64_t i = 0; i < chunk->used && (int64_t)chunk->values[i] <= k; i += 2) {
            line = (int64_t)chunk->values[i + 1] + k - (int64_t)chunk->values[i];
        }
    }
    return line;
}

/* Find the entry in the order of the file, and report its line. */
static spgm_error duplicate_entry(const struct mm *reader, int32_t row, int32_t column) {
    int64_t lines[2] = {0, 0};
    int found = 0;
    int has_mirror = 0;
    int64_t place = 0;

    for (const struct entry_chunk *chunk = reader->entries.first; chunk != NULL; chunk = chunk->next) {
        for (int64_t k = 0; k < chunk->used && found < 2; k++) {
            const struct entry *entry = &chunk->entries[k];

            if (entry->row == row && entry->column == column) {
                lines[found++] = entry_line(reader, place);
            }
            /* each entry of a symmetric file off the diagonal is stored twice, followed by its mirror image */
            has_mirror = reader->is_symmetric && entry->row != entry->column && !has_mirror;
            place += !has_mirror;
        }
    }
    reader->source->line = lines[1];
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": the entry in row %d, column %d is on line %" PRId64 " already%s", row + 1, column + 1,
                       lines[0], reader->is_symmetric ? " (a symmetric file holds one triangle)" : "");
}

struct pair {
    int32_t row;
    double value;
};

static int compare_rows(const void *a, const void *b) {
    int32_t i = ((const struct pair *)a)->row;
    int32_t j = ((const struct pair *)b)->row;

    return (i > j) - (i < j);
}

static int ascends(const int32_t *row, int64_t count) {
    for (int64_t k = 1; k < count; k++) {
        if (row[k] <= row[k - 1]) {
            return 0;
        }
    }
    return 1;
}

static int sort_column(int32_t *row, double *value, int64_t count) {
    struct pair *pairs = memory_array(count, sizeof *pairs);

    if (pairs == NULL) {
        return 0;
    }
    for (int64_t k = 0; k < count; k++) {
        pairs[k].row = row[k];
        pairs[k].value = value[k];
    }
    qsort(pairs, (size_t)count, sizeof *pairs, compare_rows);
    for (int64_t k = 0; k < count; k++) {
        row[k] = pairs[k].row;
        value[k] = pairs[k].value;
    }
    memory_free(pairs);
    return 1;
}

static spgm_error sort_columns(const struct mm *reader, struct spgm_data *data) {
    for (int64_t j = 0; j < data->columns; j++) {
        int32_t *row = data->row_index + data->column_start[j];
        double *value = data->values + data->column_start[j];
        int64_t count = data->column_start[j + 1] - data->column_start[j];

        if (ascends(row, count)) {
            continue;
        }
        if (!sort_column(row, value, count)) {
            return status_memory(reader->status, (size_t)count * sizeof(struct pair));
        }
        for (int64_t k = 1; k < count; k++) {
            if (row[k] == row[k - 1]) {
                return duplicate_entry(reader, row[k], (int32_t)j);
            }
        }
    }
    return SPGM_OK;
}

/* Expand the lower triangle, by columns, to the whole matrix. */
static spgm_error unfold(const struct mm *reader, struct spgm_data *data) {
    int64_t n = reader->rows;
    const double *triangle = data->values;
    double *A = memory_array(n * n, sizeof *A);

    if (A == NULL) {
        return status_memory(reader->status, (size_t)(n * n) * sizeof *A);
    }
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = j; i < n; i++) {
            A[i + j * n] = A[j + i * n] = *triangle++;
        }
    }
    memory_free(data->values);
    data->values = A;
    return SPGM_OK;
}

static spgm_error finish(struct mm *reader, struct spgm_data *data) {
    spgm_error error;

    data->rows = reader->rows;
    data->columns = reader->columns;
    if (reader->is_array) {
        error = series_to_array(&reader->values, &data->values, reader->status);
        return error == SPGM_OK && reader->is_symmetric ? unfold(reader, data) : error;
    }
    if (entries_are_too_few(&reader->entries, data->columns)) {
        reader->source->line = 0;
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           " claims %" PRId64 " columns, too many for its %" PRId64 " entries; correct the size line",
                           data->columns, reader->entries.count);
    }
    error = entries_to_columns(&reader->entries, data->columns, &data->column_start, &data->row_index, &data->values,
                               reader->status);
    return error == SPGM_OK ? sort_columns(reader, data) : error;
}

static spgm_error mm_read(struct source *source, const spgm_read_options *options, struct spgm_data *data,
                          spgm_status *status) {
    struct mm reader = {.source = source, .status = status};
    spgm_error error = read_banner(&reader);

    (void)options;
    if (error == SPGM_OK) {
        error = read_size(&reader);
    }
    if (error == SPGM_OK) {
        error = read_numbers(&reader);
    }
    if (error == SPGM_OK) {
        error = finish(&reader, data);
    }
    entries_free(&reader.entries);
    series_free(&reader.values);
    series_free(&reader.jumps);
    return error;
}

const struct reader reader_mm = {"mm", "mtx|mm", mm_read};
