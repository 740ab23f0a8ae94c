/*
 * LIBSVM text: a line is  TARGET INDEX:VALUE INDEX:VALUE ...  with indices from 1, ascending; # starts a comment.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "io/collect.h"
#include "io/data.h"

struct libsvm {
    struct source *source;
    spgm_status *status;
    int no_target;
    struct entries entries;
    struct series target;
    int64_t rows;
    int64_t columns; /* the largest index so far */
    int64_t widest;  /* the line with the largest index */
};

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

static const char *word_end(const char *p) {
    return p + strcspn(p, " \t");
}

/* A NUL byte inside the line does not end a word. */
static inline int ends_word(const char *p, const char *end) {
    return p != NULL && (p == end || *p == ' ' || *p == '\t');
}

static spgm_error out_of_memory(const struct libsvm *reader) {
    return status_memory(reader->status,
                         (size_t)reader->entries.count * 16 + (size_t)reader->target.count * sizeof(double));
}

/* ---- what can be wrong ---- */

static spgm_error bad_value(const struct libsvm *reader, int64_t index, const char *text) {
    char excerpt[EXCERPT_SIZE];
    const char *end = word_end(text);

    if (text == end) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": index %" PRId64 " has no value after the colon", index);
    }
    return source_fail(reader->source, reader->status, source_number_code(text, end),
                       ": the value '%s' of index %" PRId64 " %s", source_excerpt(text, end, excerpt), index,
                       source_number_problem(text, end));
}

static spgm_error bad_index(const struct libsvm *reader, int64_t index, int64_t previous) {
    if (index == 0) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": has index 0; LIBSVM indices start at 1");
    }
    if (index > reader->source->column_limit) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": index %" PRId64 " is too large; at most %" PRId64 " columns can be used", index,
                           reader->source->column_limit);
    }
    if (index == previous) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, ": index %" PRId64 " appears twice",
                           index);
    }
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": index %" PRId64 " comes after index %" PRId64 "; sort the indices of each line", index,
                       previous);
}

static spgm_error bad_pair(const struct libsvm *reader, const char *text) {
    char excerpt[EXCERPT_SIZE];

    if (strncmp(text, "qid:", 4) == 0) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": has 'qid:', which belongs to ranking data; remove it");
    }
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": '%s' is not INDEX:VALUE with a whole number before the colon",
                       source_excerpt(text, word_end(text), excerpt));
}

static spgm_error bad_target(const struct libsvm *reader, const char *text) {
    char excerpt[EXCERPT_SIZE];
    const char *end = word_end(text);

    source_excerpt(text, end, excerpt);
    if (memchr(text, ':', (size_t)(end - text)) != NULL) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": has no target before '%s'; a line is TARGET INDEX:VALUE ...", excerpt);
    }
    return source_fail(reader->source, reader->status, source_number_code(text, end), ": the target '%s' %s", excerpt,
                       source_number_problem(text, end));
}

/* ---- reading ---- */

/* A whole number of up to 12 digits; *p does not move if there is none. */
static inline int64_t parse_index(const char **p) {
    const char *q = *p;
    int64_t index = 0;

    while ((unsigned char)(*q - '0') < 10 && q - *p < 12) {
        index = index * 10 + (*q++ - '0');
    }
    *p = q;
    return index;
}

static spgm_error read_pairs(struct libsvm *reader, const char *p, const char *end) {
    int32_t row = (int32_t)reader->rows;
    int64_t previous = 0;

    for (p = skip_blanks(p); p < end; p = skip_blanks(p)) {
        const char *word = p;
        const char *text;
        int64_t index = parse_index(&p);
        double value;

        if (p == word || *p != ':') {
            return bad_pair(reader, word);
        }
        text = p + 1;
        p = number_parse(text, end, &value);
        if (!ends_word(p, end) || !isfinite(value)) {
            return bad_value(reader, index, text);
        }
        if (index <= previous || index > reader->source->column_limit) {
            return bad_index(reader, index, previous);
        }
        if (!entries_add(&reader->entries, row, (int32_t)(index - 1), value)) {
            return out_of_memory(reader);
        }
        previous = index;
    }
    if (previous > reader->columns) {
        reader->columns = previous;
        reader->widest = reader->source->line;
    }
    return SPGM_OK;
}

static spgm_error read_row(struct libsvm *reader, const char *text, const char *end) {
    double target = 0;
    const char *p = number_parse(text, end, &target);

    if (reader->rows == INT32_MAX) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": is row 2147483648; at most 2147483647 rows can be used");
    }
    if (reader->no_target && p != NULL && *p == ':') {
        p = text; /* a line without a target */
    } else if (!ends_word(p, end) || !isfinite(target)) {
        return bad_target(reader, text);
    }
    if (!reader->no_target && !series_add(&reader->target, target)) {
        return out_of_memory(reader);
    }
    return read_pairs(reader, p, end);
}

/* Cut a comment off the line. */
static char *line_end(char *text, char *end) {
    char *comment = memchr(text, '#', (size_t)(end - text));

    if (comment == NULL) {
        return end;
    }
    *comment = '\0';
    return comment;
}

static spgm_error read_lines(struct libsvm *reader) {
    for (;;) {
        char *text;
        char *end;
        const char *first;
        spgm_error error = source_line(reader->source, &text, &end, reader->status);

        if (error != SPGM_OK || text == NULL) {
            return error;
        }
        end = line_end(text, end);
        first = skip_blanks(text);
        if (first == end) {
            continue;
        }
        error = read_row(reader, first, end);
        if (error != SPGM_OK) {
            return error;
        }
        reader->rows++;
    }
}

static spgm_error bad_width(const struct libsvm *reader) {
    reader->source->line = reader->widest;
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": index %" PRId64 " would make as many columns, too many for the %" PRId64
                       " entries of the file; correct the index, or number the columns without such gaps",
                       reader->columns, reader->entries.count);
}

static spgm_error finish(struct libsvm *reader, const spgm_read_options *options, struct spgm_data *data) {
    spgm_error error = SPGM_OK;

    if (entries_are_too_few(&reader->entries, reader->columns)) {
        return bad_width(reader);
    }
    reader->source->line = 0;
    data->rows = reader->rows;
    data->columns = reader->columns > options->columns ? reader->columns : options->columns;
    if (data->rows == 0) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, " has no rows");
    }
    if (!reader->no_target) {
        error = series_to_array(&reader->target, &data->target, reader->status);
    }
    if (error != SPGM_OK) {
        return error;
    }
    return entries_to_columns(&reader->entries, data->columns, &data->column_start, &data->row_index, &data->values,
                              reader->status);
}

static spgm_error libsvm_read(struct source *source, const spgm_read_options *options, struct spgm_data *data,
                              spgm_status *status) {
    struct libsvm reader = {.source = source, .status = status, .no_target = options->no_target};
    spgm_error error = read_lines(&reader);

    if (error == SPGM_OK) {
        error = finish(&reader, options, data);
    }
    entries_free(&reader.entries);
    series_free(&reader.target);
    return error;
}

const struct reader reader_libsvm = {"libsvm", "svm|libsvm|svmlight", libsvm_read};
