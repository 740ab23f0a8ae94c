/* select_largest against a full stable sort. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/select.h"

struct item {
    double key;
    int64_t index;
};

/* Larger first, NaN last, lower index first. */
static int by_rank(const void *p, const void *q) {
    const struct item *a = p, *b = q;
    int nan_a = isnan(a->key) != 0, nan_b = isnan(b->key) != 0;
    if (nan_a != nan_b)
        return nan_a - nan_b;
    if (!nan_a && a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static int by_value(const void *p, const void *q) {
    const int64_t *a = p, *b = q;
    return *a < *b ? -1 : *a > *b;
}

static void check(int64_t n, const double *keys, int64_t count) {
    struct item *items = malloc((size_t)(n + 1) * sizeof *items);
    int64_t *chosen = malloc((size_t)(count + 1) * sizeof *chosen);
    int64_t *expected = malloc((size_t)(count + 1) * sizeof *expected);
    double *scratch = malloc((size_t)(n + 1) * sizeof *scratch);
    for (int64_t i = 0; i < n; i++)
        items[i] = (struct item){keys[i], i};
    qsort(items, (size_t)n, sizeof *items, by_rank);
    for (int64_t i = 0; i < count; i++)
        expected[i] = items[i].index;
    qsort(expected, (size_t)count, sizeof *expected, by_value);
    expected[count] = chosen[count] = -7;
    scratch[n] = -7;
    select_largest(n, keys, count, chosen, scratch);
    assert_memory_equal(chosen, expected, (size_t)(count + 1) * sizeof *chosen);
    assert_true(scratch[n] == -7);
    free(items);
    free(chosen);
    free(expected);
    free(scratch);
}

static void check_all_counts(int64_t n, const double *keys) {
    for (int64_t count = 0; count <= n; count += n > 100 ? n / 50 + 1 : 1)
        check(n, keys, count);
    check(n, keys, n);
}

static void nothing_and_one(void **state) {
    (void)state;
    double key = 3;
    check(0, &key, 0);
    check(1, &key, 0);
    check(1, &key, 1);
}

static void random_keys(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 1, 0);
    static double keys[3000];
    for (int64_t n = 2; n <= 3000; n = n * 3 / 2 + 1) {
        for (int64_t i = 0; i < n; i++)
            keys[i] = random_normal(&random);
        check_all_counts(n, keys);
    }
}

static void ties_go_to_the_lower_index(void **state) {
    (void)state;
    double keys[] = {1, 2, 2, 1, 2, 0, 1};
    int64_t chosen[5];
    double scratch[7];
    select_largest(7, keys, 2, chosen, scratch);
    assert_int_equal(chosen[0], 1);
    assert_int_equal(chosen[1], 2);
    select_largest(7, keys, 5, chosen, scratch);
    static const int64_t expected[] = {0, 1, 2, 3, 4};
    assert_memory_equal(chosen, expected, sizeof expected);
}

static void many_equal_keys(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 2, 0);
    static double keys[2000];
    for (int64_t values = 1; values <= 40; values = values * 2 + 1) {
        for (int64_t i = 0; i < 2000; i++)
            keys[i] = (double)random_below(&random, values);
        check_all_counts(2000, keys);
    }
    for (int64_t i = 0; i < 2000; i++)
        keys[i] = i % 100 == 17 ? (double)i : 0; /* a sparse vector's magnitudes */
    check_all_counts(2000, keys);
}

static void ordered_keys(void **state) {
    (void)state;
    static double keys[1500];
    for (int64_t i = 0; i < 1500; i++)
        keys[i] = (double)i;
    check_all_counts(1500, keys);
    for (int64_t i = 0; i < 1500; i++)
        keys[i] = (double)-i;
    check_all_counts(1500, keys);
    for (int64_t i = 0; i < 1500; i++)
        keys[i] = (double)(i < 750 ? i : 1500 - i);
    check_all_counts(1500, keys);
}

static void nan_infinity_and_signed_zero(void **state) {
    (void)state;
    static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1, -1, -NAN};
    struct random random;
    random_seed(&random, 3, 0);
    static double keys[500];
    for (int64_t n = 1; n <= 500; n = 2 * n + 1) {
        for (int64_t i = 0; i < n; i++)
            keys[i] = special[random_below(&random, 8)];
        check_all_counts(n, keys);
    }
    for (int64_t i = 0; i < 500; i++)
        keys[i] = NAN;
    check_all_counts(500, keys);
}

/* A key that is larger than all before it at every place where pivots are sampled: the sorted fallback must cope. */
static void sampled_places_mislead(void **state) {
    (void)state;
    static double keys[100000];
    for (int64_t i = 0; i < 100000; i++)
        keys[i] = (double)((i * 7919) % 100003) * (i % 3226 == 0 ? 1e6 : 1);
    check(100000, keys, 30);
    check(100000, keys, 50000);
    check(100000, keys, 99990);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_and_one),
        cmocka_unit_test(random_keys),
        cmocka_unit_test(ties_go_to_the_lower_index),
        cmocka_unit_test(many_equal_keys),
        cmocka_unit_test(ordered_keys),
        cmocka_unit_test(nan_infinity_and_signed_zero),
        cmocka_unit_test(sampled_places_mislead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
