/*
 * Lines of a text table and their fields.
 *
 * HOW IT WORKS: blank lines and lines that begin with # are skipped. A field may be quoted; "" inside is a quote, and a
 * line that ends inside a quoted field continues in the next one: the line break becomes a blank. A quote inside a
 * field that does not begin with one is an ordinary character.
 */
#ifndef SPGM_IO_CSV_LINES_H
#define SPGM_IO_CSV_LINES_H

#include "io/source.h"
#include "io/words.h"

struct csv_lines {
    struct source *source;
    spgm_status *status;
    char delimiter;         /* 0: not known yet                       */
    int has_decimal_commas; /* then a comma is not a separator */
};

/* The next line; *text is NULL after the last. The source's line is the number of its first one. */
spgm_error csv_next_line(const struct csv_lines *lines, char **text, char **end);
/* The first of tab, semicolon, comma, bar and blank, in this order, that occurs outside quotes. */
char csv_find_delimiter(const struct csv_lines *lines, const char *text, const char *end);
/* Take the field at *p, in place; *p moves to the start of the next one, or becomes NULL after the last. */
spgm_error csv_take_field(const struct csv_lines *lines, char **p, const char *line_end, struct field *field);

static inline int csv_is_blank(const struct csv_lines *lines, char c) {
    return c == ' ' || (c == '\t' && lines->delimiter != '\t');
}

static inline char *csv_skip_blanks(const struct csv_lines *lines, char *p) {
    while (csv_is_blank(lines, *p)) {
        p++;
    }
    return p;
}

/* Skip what follows a field at p: *next is the start of the next field, or NULL after the last. Returns 0 if something
 * else follows. */
static inline int csv_after_field(const struct csv_lines *lines, char *p, const char *line_end, char **next) {
    char *q = csv_skip_blanks(lines, p);

    *next = NULL;
    if (q == line_end) {
        return 1;
    }
    if (lines->delimiter == ' ') {
        *next = q;
        return q > p;
    }
    *next = q + 1;
    return *q == lines->delimiter;
}

#endif
