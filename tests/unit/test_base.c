/* status, memory, clock, random */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/processor.h"
#include "base/random.h"
#include "base/status.h"

/* ---- status ------------------------------------------------------------------------------------ */

static void status_carries_code_and_sentence(void **state) {
    (void)state;
    spgm_status status;
    assert_int_equal(status_set(&status, SPGM_ERROR_DATA, "row %d, column %d", 3, 4), SPGM_ERROR_DATA);
    assert_int_equal(status.code, SPGM_ERROR_DATA);
    assert_string_equal(status.message, "row 3, column 4");
    assert_int_equal(status_clear(&status), SPGM_OK);
    assert_int_equal(status.code, SPGM_OK);
    assert_string_equal(status.message, "");
}

static void status_may_be_null(void **state) {
    (void)state;
    assert_int_equal(status_set(NULL, SPGM_ERROR_FILE, "%s", "x"), SPGM_ERROR_FILE);
    assert_int_equal(status_memory(NULL, 8), SPGM_ERROR_MEMORY);
    assert_int_equal(status_clear(NULL), SPGM_OK);
}

static void status_cuts_a_long_sentence(void **state) {
    (void)state;
    spgm_status status;
    status_set(&status, SPGM_ERROR_FORMAT, "%0700d", 1);
    assert_int_equal(strlen(status.message), SPGM_MESSAGE_SIZE - 1);
}

static void status_memory_says_how_much(void **state) {
    (void)state;
    spgm_status status;
    status_memory(&status, 12500000);
    assert_int_equal(status.code, SPGM_ERROR_MEMORY);
    assert_non_null(strstr(status.message, "12.5 MB"));
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* Memory of the caller's, which has one array. */
struct lender {
    _Alignas(64) char array[1 << 18];
    size_t taken, given;
};

static void *lend(void *context, size_t bytes) {
    struct lender *lender = context;
    if (lender->taken > 0 || bytes > sizeof lender->array)
        return NULL;
    lender->taken = bytes;
    return lender->array;
}

static void take_back(void *context, void *array, size_t bytes) {
    struct lender *lender = context;
    assert_ptr_equal(array, lender->array);
    lender->given = bytes;
}

static void large_arrays_come_from_the_caller(void **state) {
    (void)state;
    static struct lender lender;
    const spgm_memory memory = {lend, take_back, &lender};
    struct workspace workspace = {.memory = &memory};
    double *small = workspace_doubles(&workspace, 1000);
    assert_int_equal(lender.taken, 0);
    double *large = workspace_doubles(&workspace, 20000), *more = workspace_doubles(&workspace, 20000);
    assert_true(lender.taken >= 160000);
    assert_true((char *)large >= lender.array && (char *)(large + 20000) <= lender.array + lender.taken);
    assert_int_equal((uintptr_t)large % 64, 0);
    assert_true(small && more); /* its own where the caller has no more */
    more[19999] = large[19999] = small[999] = 1;
    workspace_free(&workspace);
    assert_int_equal(lender.given, lender.taken);
    assert_ptr_equal(workspace.memory, &memory); /* for the next arrays */
    assert_null(memory_beside(&memory, -1, 8));
    assert_null(memory_beside(&memory, INT64_MAX, 8));
}

static void arrays_are_aligned_and_zero(void **state) {
    (void)state;
    for (int64_t count = 0; count < 200; count += 7) {
        unsigned char *bytes = memory_array(count, 3);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % 64, 0);
        for (int64_t i = 0; i < 3 * count; i++)
            assert_int_equal(bytes[i], 0);
        memory_free(bytes);
    }
    memory_free(NULL);
}

#ifdef __SANITIZE_ADDRESS__
int __asan_address_is_poisoned(const volatile void *address);

static void the_byte_after_an_array_is_watched(void **state) {
    (void)state;
    for (int64_t count = 1; count < 200; count++) {
        unsigned char *bytes = memory_array(count, 1);
        assert_false(__asan_address_is_poisoned(bytes + count - 1));
        assert_true(__asan_address_is_poisoned(bytes + count));
        memory_free(bytes);
    }
}
#endif

static void arrays_refuse_overflow_and_negative_counts(void **state) {
    (void)state;
    assert_null(memory_array(-1, 8));
    assert_null(memory_array(INT64_MAX, 8));
    assert_null(memory_array(INT64_MAX / 8 + 1, 8));
    assert_null(memory_array(INT64_MAX / 2, 2));
    assert_null(memory_array(INT64_MAX, 1));
}

static void workspace_remembers_a_failure(void **state) {
    (void)state;
    struct workspace workspace = {0};
    double *first = workspace_doubles(&workspace, 10);
    int64_t *second = workspace_integers(&workspace, 5);
    assert_non_null(first);
    assert_non_null(second);
    assert_int_equal(workspace.bytes, 120);
    first[9] = 1;
    second[4] = 1;
    assert_null(workspace_array(&workspace, INT64_MAX, 8));
    assert_true(workspace.failed);
    assert_null(workspace_doubles(&workspace, 1));
    workspace_free(&workspace);
    assert_false(workspace.failed);
    assert_null(workspace.blocks);
    workspace_free(&workspace);
}

/* ---- clock, processor ----------------------------------------------------------------------------- */

static void clock_does_not_go_back(void **state) {
    (void)state;
    double first = clock_seconds(), before = first;
    for (int i = 0; i < 1000 || before == first; i++) { /* and it goes forward */
        double now = clock_seconds();
        assert_true(now >= before);
        before = now;
    }
}

/* What tests/woken.h takes the place of elsewhere. */
static void only_large_products_are_worth_threads(void **state) {
    (void)state;
    assert_true(parallel_is_worth(INT64_C(1) << 22));
    assert_false(parallel_is_worth((INT64_C(1) << 22) - 1));
}

static void processor_level_is_in_range(void **state) {
    (void)state;
    assert_in_range(processor_level(), PROCESSOR_BASELINE, PROCESSOR_AVX512);
}

/* ---- random --------------------------------------------------------------------------------------- */

static void bits_match_the_published_generator(void **state) {
    (void)state;
    /* xoshiro256++ from the state {1, 2, 3, 4}: reference values of the authors' C code. */
    struct random random = {.state = {1, 2, 3, 4}};
    static const uint64_t expected[] = {41943041, 58720359, 3588806011781223, 3591011842654386};
    for (int i = 0; i < 4; i++)
        assert_true(random_bits(&random) == expected[i]);
    /* splitmix64 from 0 fills the state: 0xe220a8397b1dcdaf is its first number. */
    random_seed(&random, 0, 0);
    assert_true(random.state[0] == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(random.state[1] == UINT64_C(0x6e789e6aa1b965f4));
}

static void same_seed_same_numbers_other_stream_other_numbers(void **state) {
    (void)state;
    struct random a, b, c, d;
    random_seed(&a, 5, 0);
    random_seed(&b, 5, 0);
    random_seed(&c, 5, 1);
    random_seed(&d, 6, 0);
    int differs_c = 0, differs_d = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t bits = random_bits(&a);
        assert_true(bits == random_bits(&b));
        differs_c += bits != random_bits(&c);
        differs_d += bits != random_bits(&d);
    }
    assert_int_equal(differs_c, 100);
    assert_int_equal(differs_d, 100);
}

static void uniform_stays_in_its_interval(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 1, 0);
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        double u = random_uniform(&random);
        assert_true(u >= 0 && u < 1);
        sum += u;
    }
    assert_true(fabs(sum / 100000 - 0.5) < 5 * sqrt(1.0 / 12 / 100000));
}

static void below_is_fair(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 2, 0);
    assert_int_equal(random_below(&random, 1), 0);
    enum { FACES = 6, THROWS = 60000 };
    int count[FACES] = {0};
    for (int i = 0; i < THROWS; i++)
        count[random_below(&random, FACES)]++;
    double chi2 = 0;
    for (int f = 0; f < FACES; f++)
        chi2 += pow(count[f] - THROWS / FACES, 2) / (THROWS / FACES);
    assert_true(chi2 < 30); /* 5 degrees of freedom: p < 2e-5 */
    /* A bound of 3/4 * 2^63: without rejection the lower third would come up half as often again. */
    int64_t bound = INT64_C(3) << 61, low = 0;
    for (int i = 0; i < THROWS; i++) {
        int64_t value = random_below(&random, bound);
        assert_true(value >= 0 && value < bound);
        low += value < bound / 3;
    }
    assert_true(fabs((double)low / THROWS - 1.0 / 3) < 0.01);
}

static void normals_have_the_right_moments(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 3, 0);
    enum { DRAWS = 200000 };
    double mean = 0, square = 0, fourth = 0, product = 0, before = 0;
    for (int i = 0; i < DRAWS; i++) {
        double z = random_normal(&random);
        mean += z / DRAWS;
        square += z * z / DRAWS;
        fourth += z * z * z * z / DRAWS;
        product += z * before / DRAWS;
        before = z;
    }
    double unit = 1 / sqrt((double)DRAWS);
    assert_true(fabs(mean) < 5 * unit);
    assert_true(fabs(square - 1) < 5 * sqrt(2) * unit);
    assert_true(fabs(fourth - 3) < 5 * sqrt(96) * unit);
    assert_true(fabs(product) < 5 * unit);
}

static void subsets_are_distinct_and_fair(void **state) {
    (void)state;
    static const int64_t shape[][2] = {{1, 1}, {5, 0}, {7, 7}, {10, 3}, {100, 40}, {1000, 30}, {3000, 50}, {0, 0}};
    struct random random;
    random_seed(&random, 4, 0);
    for (size_t c = 0; c < sizeof shape / sizeof *shape; c++) {
        int64_t bound = shape[c][0], count = shape[c][1], subset[100];
        for (int repeat = 0; repeat < 50; repeat++) {
            unsigned char seen[3000] = {0};
            random_subset(&random, bound, count, subset);
            for (int64_t i = 0; i < count; i++) {
                assert_in_range(subset[i], 0, bound - 1);
                assert_false(seen[subset[i]]);
                seen[subset[i]] = 1;
            }
        }
    }
    /* Every ordered pair of {0..4} equally often, by either way of drawing. */
    for (int64_t count = 2; count <= 4; count += 2) {
        int pairs[25] = {0};
        for (int i = 0; i < 20000; i++) {
            int64_t subset[4];
            random_subset(&random, 5, count, subset);
            pairs[5 * subset[0] + subset[1]]++;
        }
        double chi2 = 0;
        for (int p = 0; p < 25; p++)
            chi2 += p % 6 == 0 ? 1e9 * pairs[p] : pow(pairs[p] - 1000, 2) / 1000;
        assert_true(chi2 < 60); /* 19 degrees of freedom */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_carries_code_and_sentence),
        cmocka_unit_test(status_may_be_null),
        cmocka_unit_test(status_cuts_a_long_sentence),
        cmocka_unit_test(status_memory_says_how_much),
        cmocka_unit_test(arrays_are_aligned_and_zero),
        cmocka_unit_test(large_arrays_come_from_the_caller),
#ifdef __SANITIZE_ADDRESS__
        cmocka_unit_test(the_byte_after_an_array_is_watched),
#endif
        cmocka_unit_test(arrays_refuse_overflow_and_negative_counts),
        cmocka_unit_test(workspace_remembers_a_failure),
        cmocka_unit_test(clock_does_not_go_back),
        cmocka_unit_test(only_large_products_are_worth_threads),
        cmocka_unit_test(processor_level_is_in_range),
        cmocka_unit_test(bits_match_the_published_generator),
        cmocka_unit_test(same_seed_same_numbers_other_stream_other_numbers),
        cmocka_unit_test(uniform_stays_in_its_interval),
        cmocka_unit_test(below_is_fair),
        cmocka_unit_test(normals_have_the_right_moments),
        cmocka_unit_test(subsets_are_distinct_and_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
