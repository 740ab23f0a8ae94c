/* Numbers as text, the same in every locale. */
#ifndef SPGM_BASE_NUMBER_H
#define SPGM_BASE_NUMBER_H

#include <stddef.h>

/* The shortest decimal that reads back as the same double ("inf", "-inf", "nan" otherwise); returns its length as
 * snprintf does. */
int number_print(double value, char *text, size_t size);
/* A whole word as a number: decimal or "inf"; 0 when it is not one, or overflows. */
int number_parse_word(const char *text, double *value);
/*
 * The double nearest to the decimal number that [text, end) starts with; returns where it ends, or NULL when there
 * is none. Beyond the range of double *value is infinite. *end must be readable and no part of a number (a NUL,
 * a newline): readers keep it so.
 */
const char *number_parse(const char *text, const char *end, double *value);

#endif
