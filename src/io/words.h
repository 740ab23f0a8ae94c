/* Classify a field of a table: a number, a gap, or text that was meant to be something else. */
#ifndef SPGM_IO_WORDS_H
#define SPGM_IO_WORDS_H

#include <stdint.h>

/* [begin, end): the contents of a field, without quotes and blanks around it. *end is not part of a number. */
struct field {
    char *begin, *end;
    int quoted;
};

/* Empty, NA, n/a, NaN, null, none, ?, . or - */
int word_is_missing(const struct field *field);
int word_is_number(const struct field *field, double *value);
/* inf or infinity, with or without a sign: a number that is refused, not a word */
int word_is_infinite(const struct field *field);
int word_is_text(const struct field *field);
/* A date or a time of day. */
int word_is_date(const struct field *field);
/*
 * The problem with text that was meant to be a date or a number ("has a decimal comma"), with advice; NULL for words
 * that may be the name of a level.
 */
const char *word_problem(const struct field *field);
/* 1, 2, 3, ... or 2001, 2002, ...: the field is `place` (from 0) of such a row that begins with *first. */
int word_is_count(const struct field *field, int64_t place, double *first);

/* Is all of [text, end) UTF-8? */
int word_is_utf8(const char *text, const char *end);
/* Copy [text, end) as UTF-8; text that is not UTF-8 is read as Latin-1. `to` must have room for twice as much. Returns
 * the end. */
char *word_to_utf8(const char *text, const char *end, char *to);

#endif
