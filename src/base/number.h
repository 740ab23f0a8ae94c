/* Numbers as text, the same in every locale. */
#ifndef SPGM_BASE_NUMBER_H
#define SPGM_BASE_NUMBER_H

#include <stddef.h>

/* The shortest decimal that reads back as the same double ("inf", "-inf", "nan" otherwise); returns its length as
 * snprintf does. */
int number_print(double value, char *text, size_t size);
/* Parse a whole word as a number, decimal or "inf". Returns 0 if it is not a number or overflows. */
int number_parse_word(const char *text, double *value);
/*
 * Parse the decimal number at the start of [text, end), to the nearest double. Returns where it ends, or NULL if there
 * is none. Beyond the range of double *value is infinite. *end must be readable and not part of a number (such as a NUL
 * or a newline); the readers ensure that.
 */
const char *number_parse(const char *text, const char *end, double *value);

#endif
