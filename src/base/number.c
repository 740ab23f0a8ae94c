#include "base/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_TEXT = 64 };

/* Put `to` where `from` first stands: between the program's decimal point and ours. */
static int replace_point(char *text, size_t size, const char *from, const char *to) {
    char *point = strstr(text, from);
    size_t tail = point == NULL ? 0 : strlen(point + strlen(from)) + 1;

    if (point == NULL || strcmp(from, to) == 0) {
        return 1;
    }
    if ((size_t)(point - text) + strlen(to) + tail > size) {
        return 0;
    }
    memmove(point + strlen(to), point + strlen(from), tail);
    memcpy(point, to, strlen(to));
    return 1;
}

int number_print(double value, char *text, size_t size) {
    char buffer[NUMBER_TEXT];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value || isnan(value)) {
            break;
        }
    }
    replace_point(buffer, sizeof buffer, localeconv()->decimal_point, ".");
    return snprintf(text, size, "%s", buffer);
}

int number_parse_word(const char *text, double *value) {
    char buffer[NUMBER_TEXT];
    char *end;

    if (text[0] == '\0' || strlen(text) >= sizeof buffer || strspn(text, "0123456789+-.eEinfINF") != strlen(text)) {
        return 0;
    }
    strcpy(buffer, text);
    if (!replace_point(buffer, sizeof buffer, ".", localeconv()->decimal_point)) {
        return 0;
    }
    errno = 0;
    *value = strtod(buffer, &end);
    return *end == '\0' && !(errno == ERANGE && isinf(*value));
}
