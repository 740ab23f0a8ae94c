/* Settings by name: every line of options.def can be read, written and refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/options.h"
#include "spgm/spgm.h"

static void every_default_reads_back(void **state) {
    spgm_options *options = spgm_options_new();
    char text[128];
    spgm_status status;

    (void)state;
    assert_non_null(options);
    assert_true(spgm_option_count() > 20);
    for (int64_t i = 0; i < spgm_option_count(); i++) {
        const spgm_option_info *info = spgm_option_describe(i);

        assert_true(strlen(info->help) > 10);
        assert_int_equal(spgm_options_get(options, info->name, text, sizeof text, &status), SPGM_OK);
        assert_int_equal(spgm_options_set(options, info->name, text, &status), SPGM_OK);
        if (info->type == SPGM_OPTION_REAL) {
            assert_true(strtod(text, NULL) == strtod(info->default_value, NULL));
        } else {
            assert_string_equal(text, info->default_value);
        }
    }
    assert_null(spgm_option_describe(-1));
    assert_null(spgm_option_describe(spgm_option_count()));
    spgm_options_free(options);
    spgm_options_free(NULL);
}

static void refuse_number(spgm_options *options, const char *name, double value) {
    spgm_status status;

    assert_int_equal(spgm_options_set_number(options, name, value, &status), SPGM_ERROR_OPTION);
    assert_non_null(strstr(status.message, name));
}

static void every_bound_is_kept(void **state) {
    spgm_options *options = spgm_options_new();
    spgm_status status;

    (void)state;
    for (int64_t i = 0; i < spgm_option_count(); i++) {
        const spgm_option_info *info = spgm_option_describe(i);

        if (info->type == SPGM_OPTION_CHOICE) {
            assert_int_equal(spgm_options_set(options, info->name, "nonsense", &status), SPGM_ERROR_OPTION);
            assert_non_null(strstr(status.message, info->name));
            refuse_number(options, info->name, 1);
            continue;
        }
        refuse_number(options, info->name, info->low - 1);
        refuse_number(options, info->name, NAN);
        assert_int_equal(spgm_options_set_number(options, info->name, info->low, &status),
                         info->open ? SPGM_ERROR_OPTION : SPGM_OK);
        if (info->high < 1e300) {
            refuse_number(options, info->name, info->high * 1.5 + 1);
        }
        if (info->type == SPGM_OPTION_INTEGER) {
            refuse_number(options, info->name, info->low + 0.5);
        }
    }
    spgm_options_free(options);
}

static void refuse_text(const char *name, const char *value, const char *sentence) {
    spgm_options *options = spgm_options_new();
    spgm_status status;

    assert_int_equal(spgm_options_set(options, name, value, &status), SPGM_ERROR_OPTION);
    assert_string_equal(status.message, sentence);
    spgm_options_free(options);
}

static void text_that_is_no_value_is_refused(void **state) {
    (void)state;
    refuse_text("ridge", "0.01x", "option ridge is '0.01x': it must be a number");
    refuse_text("ridge", "", "option ridge is '': it must be a number");
    refuse_text("ridge", "1e400", "option ridge is '1e400': it must be a number");
    refuse_text("ridge", "nan", "option ridge is 'nan': it must be a number");
    refuse_text("ridge", "-1", "option ridge is -1: it must be at least 0 and at most 1e+300");
    refuse_text("quantile", "1", "option quantile is 1: it must be above 0 and below 1");
    refuse_text("intercept", "maybe", "option intercept is 'maybe': it must be true or false");
    refuse_text("mu_schedule", "up", "option mu_schedule is 'up': it must be one of halving|constant|diminishing");
    refuse_text("no_such", "1", "there is no option 'no_such': spgm_option_describe lists all of them");
}

static void missing_arguments_are_refused(void **state) {
    spgm_options *options = spgm_options_new();
    spgm_status status;
    char tiny[3];

    (void)state;
    assert_int_equal(spgm_options_set(options, NULL, "1", &status), SPGM_ERROR_OPTION);
    assert_int_equal(spgm_options_set(options, "ridge", NULL, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_options_set(NULL, "ridge", "1", &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_options_set_number(NULL, "ridge", 1, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_options_set_number(options, "no_such", 1, NULL), SPGM_ERROR_OPTION);
    assert_int_equal(spgm_options_get(options, "no_such", tiny, sizeof tiny, &status), SPGM_ERROR_OPTION);
    assert_int_equal(spgm_options_get(options, "mu_schedule", tiny, sizeof tiny, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_options_get(options, "ridge", NULL, 0, &status), SPGM_ERROR_ARGUMENT);
    spgm_options_free(options);
}

static void aliases_become_names(void **state) {
    spgm_options *options = spgm_options_new();
    spgm_options *copy;
    char text[32];

    (void)state;
    assert_int_equal(spgm_options_set(options, "loss", "absolute_error", NULL), SPGM_OK);
    spgm_options_get(options, "loss", text, sizeof text, NULL);
    assert_string_equal(text, "l1");
    assert_int_equal(spgm_options_set(options, "loss", "chebyshev", NULL), SPGM_OK);
    copy = spgm_options_copy(options);
    spgm_options_get(copy, "loss", text, sizeof text, NULL);
    assert_string_equal(text, "linf");
    assert_null(spgm_options_copy(NULL));
    spgm_options_free(copy);
    spgm_options_free(options);
}

static void numbers_print_shortest_and_read_back(void **state) {
    static const double values[] = {0, 1, 0.1, 1.0 / 3, 1e-300, 5e-324, 1.7976931348623157e308, -2.5, 1e22, INFINITY};
    char text[64];
    double back;

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        number_print(values[i], text, sizeof text);
        assert_true(number_parse_word(text, &back));
        assert_true(back == values[i]);
    }
    number_print(0.1, text, sizeof text);
    assert_string_equal(text, "0.1");
    assert_false(number_parse_word("1 2", &back));
    assert_false(number_parse_word("0x10", &back));
    assert_false(number_parse_word("1e999", &back));
    assert_true(number_parse_word("1111111111111111111111111111111111111111111111111111111111111111111", &back));
    assert_true(back == 1111111111111111111111111111111111111111111111111111111111111111111.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_reads_back),
        cmocka_unit_test(every_bound_is_kept),
        cmocka_unit_test(text_that_is_no_value_is_refused),
        cmocka_unit_test(missing_arguments_are_refused),
        cmocka_unit_test(aliases_become_names),
        cmocka_unit_test(numbers_print_shortest_and_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
