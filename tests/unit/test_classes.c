/* Shifts of classes: the likelihood is highest there, recomputed here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "alone.h"
#include "base/random.h"
#include "spgm/spgm.h"

enum { ROWS = 80, CLASSES = 4 };

struct sample {
    double scores[ROWS * CLASSES], weights[ROWS];
    int64_t classes[ROWS];
};

/* Scores that know the class a little, and one class that they pass over. */
static void fill(struct sample *sample, uint64_t seed) {
    struct random random;
    random_seed(&random, seed, 0);
    for (int i = 0; i < ROWS; i++) {
        sample->classes[i] = i < CLASSES ? i : random_below(&random, CLASSES);
        sample->weights[i] = i < CLASSES ? 1 : (double)random_below(&random, 3);
        for (int k = 0; k < CLASSES; k++)
            sample->scores[i * CLASSES + k] = random_normal(&random) + (k == sample->classes[i]) - 3 * (k == 1);
    }
}

static double likelihood(const struct sample *sample, const double *shifts, int is_weighted, double *there) {
    double sum = 0;
    for (int k = 0; k < CLASSES; k++)
        there[k] = 0;
    for (int i = 0; i < ROWS; i++) {
        const double *z = sample->scores + i * CLASSES;
        double all = 0, weight = is_weighted ? sample->weights[i] : 1;
        for (int k = 0; k < CLASSES; k++)
            all += exp(z[k] + shifts[k]);
        for (int k = 0; k < CLASSES; k++)
            there[k] += weight * exp(z[k] + shifts[k]) / all;
        sum += weight * (z[sample->classes[i]] + shifts[sample->classes[i]] - log(all));
    }
    return sum;
}

static void the_likelihood_is_highest(void **state) {
    struct sample sample;
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        int is_weighted = trial % 2;
        double shifts[CLASSES], there[CLASSES], wanted[CLASSES] = {0}, sum = 0, highest;
        fill(&sample, (uint64_t)trial);
        assert_int_equal(spgm_class_shifts(sample.scores, sample.classes, is_weighted ? sample.weights : NULL, ROWS,
                                           CLASSES, shifts, NULL),
                         SPGM_OK);
        highest = likelihood(&sample, shifts, is_weighted, there);
        for (int i = 0; i < ROWS; i++)
            wanted[sample.classes[i]] += is_weighted ? sample.weights[i] : 1;
        for (int k = 0; k < CLASSES; k++) {
            assert_true(fabs(there[k] - wanted[k]) <= 1e-6 * wanted[k]);
            sum += shifts[k];
        }
        assert_true(fabs(sum) < 1e-12);
        assert_true(shifts[1] > 1); /* the class that was passed over */
        for (int k = 0; k < CLASSES; k++) {
            for (double step = -0.1; step < 0.2; step += 0.2) {
                double scratch[CLASSES];
                shifts[k] += step;
                assert_true(likelihood(&sample, shifts, is_weighted, scratch) < highest);
                shifts[k] -= step;
            }
        }
    }
}

static void large_scores_have_shifts_too(void **state) {
    double scores[] = {1e4, -1e4, 0, -1e4, 1e4, 0, -1e4, 0, 1e4}, shifts[3];
    const int64_t classes[] = {0, 1, 2};
    (void)state;
    assert_int_equal(spgm_class_shifts(scores, classes, NULL, 3, 3, shifts, NULL), SPGM_OK);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(shifts[k]) < 1e-6);
}

static void what_is_wrong_is_said(void **state) {
    const double scores[] = {1, 2, 3, 4};
    const int64_t classes[] = {0, 2};
    double shifts[2];
    spgm_status status;
    (void)state;
    assert_int_equal(spgm_class_shifts(scores, classes, NULL, 2, 2, shifts, &status), SPGM_ERROR_DATA);
    assert_string_equal(status.message, "row 2 is of class 2: there are 2");
    assert_int_equal(spgm_class_shifts(scores, NULL, NULL, 2, 2, shifts, NULL), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_class_shifts(scores, classes, NULL, 2, 1, shifts, NULL), SPGM_ERROR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(the_likelihood_is_highest),
        unit_test_alone(large_scores_have_shifts_too),
        unit_test_alone(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
