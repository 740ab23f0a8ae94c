/* Numbers as text, the same in every locale. */
#ifndef SPGM_BASE_NUMBER_H
#define SPGM_BASE_NUMBER_H

#include <stddef.h>

/* The shortest decimal that reads back as the same double ("inf", "-inf", "nan" otherwise); returns its length as
 * snprintf does. */
int number_print(double value, char *text, size_t size);
/* A whole word as a number: decimal or "inf"; 0 when it is not one, or overflows. */
int number_parse_word(const char *text, double *value);

#endif
