/* Soft and half thresholding against brute force. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "method/shrink.h"

static double absolute(double x) {
    return fabs(x);
}

static double root(double x) {
    return sqrt(fabs(x));
}

static double objective(double x, double v, double lambda, double (*penalty)(double)) {
    return (x - v) * (x - v) / 2 + lambda * penalty(x);
}

/* The minimum over a fine grid of [0, v], each cell refined by golden sections, and 0 itself. */
static double brute_force(double v, double lambda, double (*penalty)(double)) {
    const double golden = (sqrt(5) - 1) / 2;
    double best = objective(0, v, lambda, penalty);

    for (int cell = 0; cell < 400; cell++) {
        double low = v * cell / 400, high = v * (cell + 1) / 400;

        for (int i = 0; i < 60; i++) {
            double left = high - golden * (high - low), right = low + golden * (high - low);

            if (objective(left, v, lambda, penalty) < objective(right, v, lambda, penalty)) {
                high = right;
            } else {
                low = left;
            }
        }
        best = fmin(best, objective(low, v, lambda, penalty));
    }
    return best;
}

static void check(double v, double lambda, double (*shrink)(double, double), double (*penalty)(double)) {
    double x = shrink(v, lambda);
    double found = objective(x, v, lambda, penalty);
    double least = brute_force(v, lambda, penalty);

    if (!(found <= least + 1e-12 * (1 + v * v))) {
        fail_msg("v %.17g lambda %.17g: x %.17g gives %.17g, brute force %.17g", v, lambda, x, found, least);
    }
    assert_true(shrink(-v, lambda) == -x);
    assert_true(fabs(x) <= fabs(v));
}

static void test_brute_force(void **state) {
    struct random random;

    (void)state;
    random_seed(&random, 1, 0);
    for (int i = 0; i < 300; i++) {
        double v = 3 * random_normal(&random), lambda = 2 * random_uniform(&random);

        check(v, lambda, shrink_soft, absolute);
        check(v, lambda, shrink_half, root);
        check(v * 1e6, lambda, shrink_half, root);
        check(v, lambda * 1e-9, shrink_half, root);
    }
}

/* At the threshold 3/2 lambda^(2/3) zero and 2/3 of v are equally good. */
static void test_threshold(void **state) {
    (void)state;
    for (double lambda = 1e-12; lambda < 1e12; lambda *= 7) {
        double v = 1.5 * pow(lambda, 2.0 / 3);

        assert_true(shrink_half(v * (1 - 1e-9), lambda) == 0);
        assert_true(fabs(shrink_half(v * (1 + 1e-9), lambda) / v - 2.0 / 3) <= 1e-6);
        assert_true(fabs(shrink_half_threshold(lambda) / v - 1) <= 1e-12);
        assert_true(shrink_soft_threshold(lambda) == lambda);
        assert_true(shrink_soft(lambda, lambda) == 0);
        assert_true(shrink_soft(-2 * lambda, lambda) == -lambda);
    }
}

static void test_edges(void **state) {
    (void)state;
    assert_true(shrink_half(0, 1) == 0 && shrink_soft(0, 1) == 0);
    assert_true(shrink_half(-2.5, 0) == -2.5 && shrink_soft(-2.5, 0) == -2.5);
    assert_true(shrink_half(0, 0) == 0);
    assert_true(isfinite(shrink_half(1e300, 1)) && shrink_half(1e300, 1) == 1e300);
    assert_true(isnan(shrink_half(NAN, 1)) && isnan(shrink_soft(NAN, 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
