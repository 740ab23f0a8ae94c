#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_TEXT = 64, POWER_LOWEST = -64, POWER_HIGHEST = 64 };

static const int64_t exponent_limit = INT64_C(1000000000000000); /* no text has that many digits */

/* Printing and strtod use the locale of the thread; this sets the "C" locale meanwhile. If it is "C" already, that
 * costs almost nothing. */
struct plain_locale {
    locale_t plain, before;
};

static struct plain_locale locale_enter(void) {
    struct plain_locale scope = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};

    scope.before = scope.plain == (locale_t)0 ? (locale_t)0 : uselocale(scope.plain);
    return scope;
}

static void locale_leave(struct plain_locale scope) {
    if (scope.plain != (locale_t)0) {
        uselocale(scope.before);
        freelocale(scope.plain);
    }
}

int number_print(double value, char *text, size_t size) {
    struct plain_locale scope = locale_enter();
    char buffer[NUMBER_TEXT];

    for (int digits = 15; digits <= 17; digits++) {
        double back = 0;
        int length = snprintf(buffer, sizeof buffer, "%.*g", digits, value);

        if (!isfinite(value) || (number_parse(buffer, buffer + length, &back) != NULL && back == value)) {
            break;
        }
    }
    locale_leave(scope);
    return snprintf(text, size, "%s", buffer);
}

int number_parse_word(const char *text, double *value) {
    const char *end = text + strlen(text);
    const char *word = text + (text[0] == '-' || text[0] == '+');

    if (strcmp(word, "inf") == 0 || strcmp(word, "INF") == 0 || strcmp(word, "Inf") == 0) {
        *value = text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
        return 1;
    }
    return number_parse(text, end, value) == end && end != text && isfinite(*value);
}

static double parse_slowly(const char *text) {
    struct plain_locale scope = locale_enter();
    double value = strtod(text, NULL);

    locale_leave(scope);
    return value;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

/* 10^q = (high 2^64 + low) 2^(e - 127), truncated, with e = floor(log2 10^q) = q 217706 >> 16 for these q. */
static const struct {
    uint64_t high, low;
} powers_of_ten[] = {
#include "base/powers_of_ten.inc"
};

/*
 * HOW IT WORKS: w 10^q from the upper 128 bits of w times a power of ten that is truncated to 128 bits. The product is
 * below the exact one by less than 2 units in the last place. If that interval lies on one side of the midpoint between
 * two doubles, the rounding is certain; otherwise (about once in 2^60) this returns 0, and strtod decides.
 */
static int scale_by_power(uint64_t w, int64_t q, double *value) {
    int zeros = __builtin_clzll(w);
    uint64_t normal = w << zeros;
    wide upper = (wide)normal * powers_of_ten[q - POWER_LOWEST].high;
    wide lower = (wide)normal * powers_of_ten[q - POWER_LOWEST].low;
    wide product = upper + (uint64_t)(lower >> 64);
    int shift = 64 + 10 + (int)(product >> 127);
    wide half = (wide)1 << (shift - 1);
    wide rest = product & ((half << 1) - 1);
    uint64_t mantissa = (uint64_t)(product >> shift);
    int exponent = shift - 64 + 1 - zeros + (int)((q * 217706) >> 16);
    uint64_t bits;

    if (rest + 2 > half && rest <= half) {
        return 0;
    }
    mantissa += rest > half; /* 2^53 carries into the exponent below, as it should */
    bits = mantissa + ((uint64_t)(exponent + 52 + 1022) << 52);
    memcpy(value, &bits, sizeof bits);
    return 1;
}
#else
static int scale_by_power(uint64_t w, int64_t q, double *value) {
    (void)w, (void)q, (void)value;
    return 0;
}
#endif

/* Exact: both w and 10^|q| are doubles, so there is one rounding. */
static int scale_exactly(uint64_t w, int64_t q, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    if (FLT_EVAL_METHOD != 0 || w > (UINT64_C(1) << 53) || q < -22 || q > 22) {
        return 0;
    }
    *value = q < 0 ? (double)w / powers[-q] : (double)w * powers[q];
    return 1;
}

static inline int is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* Eight digits at once: pairs, groups of four, then all eight. Bytes are in memory order, the lowest first. */
static inline int eight_digits(const char *text, uint64_t *digits) {
    uint64_t word = 0;

    for (int i = 0; i < 8; i++) {
        word |= (uint64_t)(unsigned char)text[i] << (8 * i);
    }
    if (((word & (word + UINT64_C(0x0606060606060606)) & UINT64_C(0xf0f0f0f0f0f0f0f0)) !=
         UINT64_C(0x3030303030303030))) {
        return 0;
    }
    word -= UINT64_C(0x3030303030303030);
    word = word * 10 + (word >> 8);
    word = ((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            ((word >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
    *digits = word & UINT64_C(0xffffffff);
    return 1;
}

/* w = w 10^k + the k digits at text, modulo 2^64; returns where they end. */
static inline const char *parse_digits(const char *text, const char *end, uint64_t *w) {
    uint64_t digits;

    while (end - text >= 8 && eight_digits(text, &digits)) {
        *w = *w * 100000000 + digits;
        text += 8;
    }
    while (is_digit(*text)) {
        *w = *w * 10 + (uint64_t)(*text++ - '0');
    }
    return text;
}

/* Parse "e-7" and the like; an incomplete exponent is left in the text. */
static const char *parse_exponent(const char *text, int64_t *exponent) {
    const char *p = text + 1;
    int negative = *p == '-';
    int64_t value = 0;

    p += *p == '-' || *p == '+';
    if (!is_digit(*p)) {
        return text;
    }
    for (; is_digit(*p); p++) {
        value = value < exponent_limit ? value * 10 + (*p - '0') : value;
    }
    *exponent += negative ? -value : value;
    return p;
}

/* The number of digits without leading zeros: up to 19 of them fit 64 bits. */
static ptrdiff_t significant_digits(const char *text, const char *end) {
    ptrdiff_t count = 0;

    for (; text < end; text++) {
        count += is_digit(*text) && (count > 0 || *text != '0');
    }
    return count;
}

const char *number_parse(const char *text, const char *end, double *value) {
    const char *first = text + (*text == '-' || *text == '+');
    const char *point = NULL;
    const char *last;
    const char *p;
    uint64_t w = 0;
    int64_t q = 0;
    double magnitude;

    p = last = parse_digits(first, end, &w);
    if (*p == '.') {
        point = p;
        p = last = parse_digits(p + 1, end, &w);
    }
    if (last - first - (point != NULL) <= 0) {
        return NULL;
    }
    if (point != NULL) {
        q = -(last - point - 1);
    }
    if ((*p | 0x20) == 'e') {
        p = parse_exponent(p, &q);
    }
    if (last - first > 19 && significant_digits(first, last) > 19) {
        magnitude = parse_slowly(first);
    } else if (w == 0) {
        magnitude = 0;
    } else if (!scale_exactly(w, q, &magnitude) &&
               (q < POWER_LOWEST || q > POWER_HIGHEST || !scale_by_power(w, q, &magnitude))) {
        magnitude = parse_slowly(first);
    }
    *value = *text == '-' ? -magnitude : magnitude;
    return p;
}
