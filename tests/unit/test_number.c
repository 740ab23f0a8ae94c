/* Decimal to double, bit for bit as strtod does it, in any locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"

static void assert_as_strtod(const char *text) {
    double value = -1, expected = strtod(text, NULL);
    const char *end = text + strlen(text);
    if (number_parse(text, end, &value) != end)
        fail_msg("'%s' was not read to its end", text);
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("'%s' was read as %a, not %a", text, value, expected);
}

static void special_numbers_are_exact(void **state) {
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+1",
        ".5",
        "5.",
        "-.5e1",
        "00012",
        "0.000",
        "1e0",
        "1E+05",
        "1e-5",
        "123456789012345678",
        "9007199254740993", /* halfway between two doubles                  */
        "9007199254740993.00000000000000000001",
        "9007199254740992.99999999999999999999",
        "9007199254740995",
        "0.500000000000000166533453693773481063544750213623046875", /* halfway */
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "8.10109172351e-10",
        "1.50000000000000011102230246251565",
        "18446744073709551615",
        "18446744073709551616",
        "1e22",
        "1e23",
        "9.5e22",
        "89255e-22",
        "104110013277974872254e-225",
        "4.9406564584124654e-324",
        "2.4703282292062327208e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "1e400",
        "-1e400",
        "1e-400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "1234567890123456789012345678901234567890e-40",
        "0.00000000000000000000000000000000000000000000000000000000000000012345678901234567",
        "6929495644600919.5",
        "3.4028234664e38",
        "7.2057594037927933e16",
        "1e64",
        "1e-64",
        "1e65",
        "1e-65",
        "18446744073709551615e64",
        "18446744073709551615e-64"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_as_strtod(texts[i]);
}

/* Zeros that an exponent takes back, more of them than an int counts. */
static void long_texts_are_exact(void **state) {
    (void)state;
    enum { ZEROS = 110000 };
    char *text = malloc(ZEROS + 64);
    memset(text, '0', ZEROS + 2);
    text[1] = '.';
    snprintf(text + ZEROS + 2, 62, "15e%d", ZEROS + 1);
    assert_as_strtod(text);
    double value;
    number_parse(text, text + strlen(text), &value);
    assert_true(value == 1.5);
    free(text);
}

static void random_numbers_are_exact(void **state) {
    struct random random;
    (void)state;
    random_seed(&random, 5, 0);
    for (int i = 0; i < 300000; i++) {
        char text[64];
        uint64_t bits = random_bits(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        switch (i % 5) {
        case 0:
            snprintf(text, sizeof text, "%.17g", random_normal(&random));
            break;
        case 1:
            snprintf(text, sizeof text, "%.*g", (int)random_below(&random, 22), isfinite(value) ? value : 1);
            break;
        case 2:
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)bits, (int)random_below(&random, 140) - 70);
            break;
        case 3:
            snprintf(text, sizeof text, "%llu.%llu", (unsigned long long)bits >> 40,
                     (unsigned long long)random_bits(&random) >> random_below(&random, 64));
            break;
        default: /* 54 bits: every other one is halfway between two doubles */
            snprintf(text, sizeof text, "-%llu", (unsigned long long)(bits >> 10 | UINT64_C(1) << 53));
        }
        assert_as_strtod(text);
    }
}

static void what_is_no_number_is_not_read(void **state) {
    (void)state;
    static const char *const none[] = {"", "-", "+", ".", "-.", "e5", ".e5", "nan", "inf", "--1", "x1"};
    static const struct {
        const char *text;
        ptrdiff_t length;
        double value;
    } prefixes[] = {{"1e", 1, 1},  {"1e+", 1, 1}, {"1.5.5", 3, 1.5}, {"0x10", 1, 0},
                    {"1,5", 1, 1}, {"2 3", 1, 2}, {"1e5e", 3, 1e5},  {"12345678x", 8, 12345678}};
    double value;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_null(number_parse(none[i], none[i] + strlen(none[i]), &value));
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const char *text = prefixes[i].text;
        assert_int_equal(number_parse(text, text + strlen(text), &value) - text, prefixes[i].length);
        assert_true(value == prefixes[i].value);
    }
}

static void print_reads_back(void **state) {
    struct random random;
    (void)state;
    random_seed(&random, 9, 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = random_bits(&random);
        double value;
        char text[40];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        int length = number_print(value, text, sizeof text);
        assert_int_equal(length, strlen(text));
        assert_true(strtod(text, NULL) == value);
    }
}

/* A locale with a decimal comma is made from whatever the system has; without one nothing can be shown. */
static void the_locale_does_not_matter(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8", "fr_FR.utf8", "nl_NL.UTF-8"};
    char text[40];
    double value;
    size_t i = 0;
    while (i < sizeof names / sizeof names[0] && setlocale(LC_ALL, names[i]) == NULL)
        i++;
    if (i == sizeof names / sizeof names[0] || localeconv()->decimal_point[0] != ',') {
        setlocale(LC_ALL, "C");
        skip();
    }
    number_print(0.5, text, sizeof text);
    const char *end = number_parse("1.7976931348623157e308", "1.7976931348623157e308" + 22, &value);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "0.5");
    assert_non_null(end);
    assert_true(value == 1.7976931348623157e308);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_numbers_are_exact), cmocka_unit_test(long_texts_are_exact),
        cmocka_unit_test(random_numbers_are_exact),  cmocka_unit_test(what_is_no_number_is_not_read),
        cmocka_unit_test(print_reads_back),          cmocka_unit_test(the_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
