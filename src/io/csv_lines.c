#include "io/csv_lines.h"

#include <string.h>

/* ---- fields ---- */

/* Replace doubled quotes by single ones in place, and a line break by a blank; returns the text after the closing
 * quote, or NULL if there is none. */
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
        p += *p == quote || (*p == '\r' && p[1] == '\n');
        *to++ = (char)(*p == '\n' || *p == '\r' ? ' ' : *p);
    }
    return NULL;
}

static char *take_plain(const struct csv_lines *lines, char *p, const char *line_end, struct field *field) {
    field->begin = p;
    field->quoted = 0;
    while (p < line_end && *p != lines->delimiter && !(lines->delimiter == ' ' && *p == '\t')) {
        p++;
    }
    field->end = p;
    while (field->end > field->begin && csv_is_blank(lines, field->end[-1])) {
        field->end--;
    }
    return p;
}

spgm_error csv_take_field(const struct csv_lines *lines, char **p, const char *line_end, struct field *field) {
    char *begin = csv_skip_blanks(lines, *p);
    char *after = *begin == '"' ? take_quoted(begin, line_end, field) : take_plain(lines, begin, line_end, field);

    if (after == NULL) {
        return source_fail(lines->source, lines->status, SPGM_ERROR_FORMAT, ": has a quote that is never closed");
    }
    if (!csv_after_field(lines, after, line_end, p)) {
        return source_fail(lines->source, lines->status, SPGM_ERROR_FORMAT,
                           ": has text right after a closing quote; a quote inside a field is written twice");
    }
    return SPGM_OK;
}

/* ---- what separates ---- */

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

char csv_find_delimiter(const struct csv_lines *lines, const char *text, const char *end) {
    const char *candidates = lines->has_decimal_commas ? "\t;|" : "\t;,|";

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
    return contains_outside_quotes(text, end, ' ') ? ' ' : lines->has_decimal_commas ? ';' : ',';
}

/* ---- lines ---- */

static int separates(const struct csv_lines *lines, char c) {
    return c == lines->delimiter || (lines->delimiter == ' ' && c == '\t');
}

enum place { FIELD_BEGINS, WITHIN_FIELD, WITHIN_QUOTES };

/*
 * The state at the end of [p, end) if it begins in state `place`. A doubled quote closes the field and opens it again.
 */
static enum place scan(const struct csv_lines *lines, const char *p, const char *end, enum place place) {
    for (; p < end; p++) {
        if (place == WITHIN_QUOTES) {
            place = *p != '"' ? WITHIN_QUOTES : p + 1 < end && p[1] == '"' ? WITHIN_QUOTES : WITHIN_FIELD;
            p += place == WITHIN_QUOTES && *p == '"';
        } else if (separates(lines, *p)) {
            place = FIELD_BEGINS;
        } else if (place == FIELD_BEGINS && !csv_is_blank(lines, *p)) {
            place = *p == '"' ? WITHIN_QUOTES : WITHIN_FIELD;
        }
    }
    return place;
}

/* Append lines until no quote is open, or the file ends. The separator can be found from the part of the first line
 * that is available. */
static spgm_error close_quotes(const struct csv_lines *lines, char **text, char **end) {
    struct csv_lines known = *lines;
    enum place place = WITHIN_FIELD;

    if (memchr(*text, '"', (size_t)(*end - *text)) != NULL) {
        known.delimiter = lines->delimiter == '\0' ? csv_find_delimiter(lines, *text, *end) : lines->delimiter;
        place = scan(&known, *text, *end, FIELD_BEGINS);
    }
    while (place == WITHIN_QUOTES) {
        int64_t scanned = *end - *text;
        spgm_error error = source_more(lines->source, text, end, lines->status);

        if (error != SPGM_OK || *end - *text == scanned) {
            return error;
        }
        place = scan(&known, *text + scanned, *end, WITHIN_QUOTES);
    }
    return SPGM_OK;
}

spgm_error csv_next_line(const struct csv_lines *lines, char **text, char **end) {
    for (;;) {
        spgm_error error = source_line(lines->source, text, end, lines->status);

        if (error != SPGM_OK || *text == NULL) {
            return error;
        }
        if (**text != '#' && *text + strspn(*text, " \t") != *end) {
            return close_quotes(lines, text, end);
        }
    }
}
