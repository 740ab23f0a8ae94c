/* Sums with a proven error: the exact sum, known because its terms have few digits and a wider type holds all of
 * theirs, is never further from the value than the error says, and a number below is below. */
#include "unit/model_fixture.h"

#include "linalg/sum.h"

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide;
#else
typedef long double wide; /* has as many bits where there is no other */
#endif

enum { TERMS = 400 };

static void errors_are_bounds(void **state) {
    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        double x[TERMS], one[TERMS];
        wide exact = 0, off;
        int n = 1 + (int)fixture_below(TERMS);
        for (int i = 0; i < n; i++) {
            x[i] = ldexp(rint(fixture_normal() * 0x1p30), (int)fixture_below(50) - 60);
            x[i] = i > 0 && fixture_below(3) == 0 ? -x[i - 1] : x[i];
            one[i] = 1;
            exact += x[i];
        }
        struct number sum = sum_close(sum_dot(n, x, one), 0, NULL);
        off = exact - sum.value;
        assert_true(off <= sum.error && -off <= sum.error);
        assert_true(sum.error <= 1e-13L * 0x1p25L);
        assert_true(number_below(sum) <= exact && exact <= number_above(sum));
        assert_true(number_below(sum) < sum.value - sum.error || sum.error == 0);
        assert_true(number_above(sum) > sum.value + sum.error || sum.error == 0);
    }
}

/* As if another part had the same rows. */
static void parts_are_added(void **state) {
    (void)state;
    double x[3] = {1, 0x1p-40, -3}, y[3] = {1, 1, 1};
    struct number here = sum_close(sum_dot(3, x, y), 0, NULL),
                  both = sum_close(sum_dot(3, x, y), 0, &fixture_two_ranks);
    assert_true(fabsl(both.value - 2 * here.value) <= both.error);
    assert_true(both.error > here.error && both.error < 1e-13L);
}

static void numbers_keep_their_errors(void **state) {
    (void)state;
    struct number a = {1, 1e-3L}, b = {-2, 1e-4L}, c = number_add(a, -3, b);
    assert_near(c.value, 7, 1e-15);
    assert_true(c.error >= 1.3e-3L && c.error <= 1.3001e-3L);
    assert_true(number_below(c) < 7 - 1.3e-3 && number_above(c) > 7 + 1.3e-3);
    assert_true(isnan(number_below((struct number){NAN, 0})));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_bounds),
        cmocka_unit_test(parts_are_added),
        cmocka_unit_test(numbers_keep_their_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
