#include "io/words.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"

static int is_one_of(const char *begin, const char *end, const char *const *words, size_t count) {
    size_t length = (size_t)(end - begin);

    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == length && strncasecmp(begin, words[i], length) == 0) {
            return 1;
        }
    }
    return 0;
}

int word_is_missing(const struct field *field) {
    static const char *const words[] = {"", "na", "n/a", "nan", "null", "none", "?", ".", "-"};

    return is_one_of(field->begin, field->end, words, sizeof words / sizeof words[0]);
}

int word_is_number(const struct field *field, double *value) {
    return field->begin < field->end && number_parse(field->begin, field->end, value) == field->end;
}

int word_is_infinite(const struct field *field) {
    static const char *const words[] = {"inf", "infinity"};
    const char *word = field->begin;

    word += word < field->end && (*word == '-' || *word == '+');
    return is_one_of(word, field->end, words, sizeof words / sizeof words[0]);
}

int word_is_text(const struct field *field) {
    double value;

    return !word_is_number(field, &value) && !word_is_missing(field) && !word_is_infinite(field);
}

int word_is_count(const struct field *field, int64_t place, double *first) {
    double value;

    if (!word_is_number(field, &value)) {
        return 0;
    }
    if (place == 0) {
        *first = value;
        return value >= 0 && value < 1e9 && value == floor(value);
    }
    return value == *first + (double)place;
}

/* ---- patterns ---- */

/* Take digits from *p on, at least `low` and at most `high`; moves *p past them. */
static int digits(const char **p, const char *end, int low, int high) {
    int count = 0;

    while (*p < end && isdigit((unsigned char)**p) && count <= high) {
        (*p)++;
        count++;
    }
    return count >= low && count <= high;
}

static int one_of(const char **p, const char *end, const char *wanted) {
    if (*p < end && **p != '\0' && strchr(wanted, **p) != NULL) {
        (*p)++;
        return 1;
    }
    return 0;
}

/* 14:30 or 14:30:59, and what may follow: fractions, a zone */
static int is_time(const char *p, const char *end) {
    return digits(&p, end, 1, 2) && one_of(&p, end, ":") && digits(&p, end, 2, 2) &&
           (p == end || (one_of(&p, end, ":") && digits(&p, end, 2, 2)));
}

/* 2024-01-31 or 31.1.2024 or 1/31/24, alone or before a T or a blank */
int word_is_date(const struct field *field) {
    const char *p = field->begin, *end = field->end;
    char mark;

    if (is_time(p, end)) {
        return 1;
    }
    if (!digits(&p, end, 1, 4) || p == end) {
        return 0;
    }
    mark = *p;
    if (!one_of(&p, end, "-/.") || !digits(&p, end, 1, 2) || p == end || *p++ != mark || !digits(&p, end, 1, 4)) {
        return 0;
    }
    return p == end || *p == 'T' || *p == ' ';
}

/* 1,000 or 12 345.6 or 1'000'000 */
static int has_thousands(const char *p, const char *end) {
    int groups = 0;

    one_of(&p, end, "+-");
    if (!digits(&p, end, 1, 3)) {
        return 0;
    }
    while (one_of(&p, end, ",' ")) {
        if (!digits(&p, end, 3, 3)) {
            return 0;
        }
        groups++;
    }
    if (one_of(&p, end, ".")) {
        digits(&p, end, 0, 400);
    }
    return groups > 0 && p == end;
}

/* Whether there are only digits and these marks, with at least one digit */
static int is_all_of(const char *p, const char *end, const char *marks) {
    int count = 0;

    for (; p < end; p++) {
        if (isdigit((unsigned char)*p)) {
            count++;
        } else if (*p == '\0' || strchr(marks, *p) == NULL) {
            return 0;
        }
    }
    return count > 0;
}

static int is_money(const char *p, const char *end) {
    static const char *const signs[] = {"$", "\xe2\x82\xac", "\xc2\xa3"};

    one_of(&p, end, "+-");
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t length = strlen(signs[i]);

        if ((size_t)(end - p) > length && memcmp(p, signs[i], length) == 0) {
            return is_all_of(p + length, end, "., ");
        }
        if ((size_t)(end - p) > length && memcmp(end - length, signs[i], length) == 0) {
            return is_all_of(p, end - length, "., ");
        }
    }
    return 0;
}

const char *word_problem(const struct field *field) {
    const char *begin = field->begin, *end = field->end;

    if (memchr(begin, '\0', (size_t)(end - begin)) != NULL) {
        return "is not a number";
    }
    if (word_is_date(field)) {
        return "is a date or a time; turn it into a number, or exclude the column";
    }
    if (has_thousands(begin, end)) {
        return memchr(begin, ',', (size_t)(end - begin)) != NULL
                   ? "is not a number: remove the thousands separators; if it is a decimal comma, use decimal=,"
                   : "is not a number: remove the thousands separators";
    }
    if (is_all_of(begin, end, "+-,.eE") && memchr(begin, ',', (size_t)(end - begin)) != NULL) {
        return "is not a number; write decimals with a point, or use decimal=,";
    }
    if (is_all_of(begin, end, "+-,. %") && end[-1] == '%') {
        return "is not a number: remove the percent signs";
    }
    if (is_money(begin, end)) {
        return "is not a number: remove the currency signs";
    }
    return is_all_of(begin, end, " ") ? "is not a number" : NULL;
}

/* ---- UTF-8 ---- */

/* The length of the UTF-8 character at text; 0 if it is not valid. */
static int utf8_length(const unsigned char *text, const unsigned char *end) {
    int length = text[0] < 0x80   ? 1
                 : text[0] < 0xc2 ? 0
                 : text[0] < 0xe0 ? 2
                 : text[0] < 0xf0 ? 3
                 : text[0] < 0xf5 ? 4
                                  : 0;

    if (end - text < length) {
        return 0;
    }
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90)) {
        return 0; /* an overlong encoding, a surrogate, or beyond the last character */
    }
    return length;
}

int word_is_utf8(const char *text, const char *end) {
    const unsigned char *p = (const unsigned char *)text;
    const unsigned char *last = (const unsigned char *)end;

    while (p < last) {
        int length = utf8_length(p, last);

        if (length == 0) {
            return 0;
        }
        p += length;
    }
    return 1;
}

char *word_to_utf8(const char *text, const char *end, char *to) {
    int is_latin1 = !word_is_utf8(text, end);

    for (; text < end; text++) {
        unsigned char c = (unsigned char)*text;

        if (is_latin1 && c >= 0x80) {
            *to++ = (char)(0xc0 | c >> 6);
            c = 0x80 | (c & 0x3f);
        }
        *to++ = (char)c;
    }
    return to;
}
