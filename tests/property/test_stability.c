/* Stability: how samples are drawn, what is counted, and that a run which was stopped goes on to the same end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "spgm/spgm.h"
#include "woken.h"

enum { ROWS = 40, COLUMNS = 8, HALVES = 12, BOOTSTRAPS = 10, ALL = HALVES + BOOTSTRAPS };

struct sample {
    double A[ROWS * COLUMNS], b[ROWS], weights[ROWS];
    spgm_options *options;
    spgm_problem *problem;
};

static struct sample *sample_new(uint64_t seed, const char *loss, const char *threads) {
    struct sample *sample = calloc(1, sizeof *sample);
    struct random random;
    assert_non_null(sample);
    random_seed(&random, seed, 0);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        sample->A[i] = random_normal(&random);
    for (int i = 0; i < ROWS; i++) {
        sample->b[i] = sample->A[i] - 2 * sample->A[i + 3 * ROWS] + random_normal(&random);
        sample->weights[i] = i < ROWS / 2 ? 1 : 0;
    }
    sample->options = spgm_options_new();
    assert_non_null(sample->options);
    assert_int_equal(spgm_options_set(sample->options, "loss", loss, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(sample->options, "threads", threads, NULL), SPGM_OK);
    spgm_matrix A = spgm_dense(ROWS, COLUMNS, sample->A);
    assert_int_equal(spgm_problem_new(&A, sample->b, sample->options, &sample->problem, NULL), SPGM_OK);
    return sample;
}

static void sample_free(struct sample *sample) {
    spgm_problem_free(sample->problem);
    spgm_options_free(sample->options);
    free(sample);
}

static spgm_stability *make(const struct sample *sample, int64_t s, int independent) {
    const spgm_stability_settings settings = {HALVES, independent, BOOTSTRAPS};
    spgm_stability *stability = NULL;
    spgm_status status;
    if (spgm_stability_new(sample->problem, s, sample->options, &settings, &stability, &status) != SPGM_OK)
        fail_msg("%s", status.message);
    return stability;
}

static void run(spgm_stability *stability) {
    spgm_status status;
    if (spgm_stability_run(stability, &status) != SPGM_OK)
        fail_msg("%s", status.message);
}

static void assert_same(const spgm_stability *first, const spgm_stability *second) {
    int64_t columns[2][COLUMNS];
    double values[2][COLUMNS], intercept[2];
    for (int64_t i = 0; i < ALL; i++) {
        int64_t count = spgm_stability_get_sample(first, i, columns[0], values[0], &intercept[0]);
        assert_true(count >= 0);
        assert_int_equal(spgm_stability_get_sample(second, i, columns[1], values[1], &intercept[1]), count);
        assert_memory_equal(columns[0], columns[1], (size_t)count * sizeof columns[0][0]);
        assert_memory_equal(values[0], values[1], (size_t)count * sizeof values[0][0]);
        assert_true(intercept[0] == intercept[1]);
    }
}

/* With no column the least-squares model is the mean of the rows that were drawn. */
static void pairs_share_no_row_and_samples_are_drawn_from_rows_with_weight(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        struct sample *sample = sample_new(1, "squared", "2");
        int rows = weighted ? ROWS / 2 : ROWS, differ = 0;
        double mean = 0, variance = 0, spread = 0, first, second;
        if (weighted)
            assert_int_equal(spgm_problem_set_weights(sample->problem, sample->weights, NULL), SPGM_OK);
        for (int i = 0; i < rows; i++)
            mean += sample->b[i] / rows;
        for (int i = 0; i < rows; i++)
            variance += (sample->b[i] - mean) * (sample->b[i] - mean) / rows;
        spgm_stability *pairs = make(sample, 0, 0), *alone = make(sample, 0, 1);
        run(pairs);
        run(alone);
        for (int64_t i = 0; i < HALVES; i += 2) {
            assert_int_equal(spgm_stability_get_sample(pairs, i, NULL, NULL, &first), 0);
            assert_int_equal(spgm_stability_get_sample(pairs, i + 1, NULL, NULL, &second), 0);
            assert_true(fabs(first + second - 2 * mean) < 1e-9);
            spgm_stability_get_sample(alone, i, NULL, NULL, &first);
            spgm_stability_get_sample(alone, i + 1, NULL, NULL, &second);
            differ += fabs(first + second - 2 * mean) > 1e-6;
        }
        assert_true(differ > 0);
        for (int64_t i = HALVES; i < ALL; i++) {
            spgm_stability_get_sample(pairs, i, NULL, NULL, &first);
            spread += (first - mean) * (first - mean) / BOOTSTRAPS;
        }
        assert_true(spread > 0.2 * variance / rows && spread < 4 * variance / rows); /* chi-square of 10: 1 in 1e3 */
        spgm_stability_free(pairs);
        spgm_stability_free(alone);
        sample_free(sample);
    }
}

static void counts_are_those_of_the_samples(void **state) {
    static const int64_t free_columns[] = {5}, excluded[] = {6};
    struct sample *sample = sample_new(2, "l1", "3");
    (void)state;
    assert_int_equal(spgm_problem_set_free_columns(sample->problem, free_columns, 1, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_excluded(sample->problem, excluded, 1, NULL), SPGM_OK);
    spgm_stability *stability = make(sample, 2, 0);
    double frequencies[COLUMNS], count[COLUMNS] = {0}, q = 0, low, high;
    int64_t columns[COLUMNS], finished, stable = 0;
    spgm_stable_columns result;
    assert_null(spgm_stability_solver(stability));
    run(stability);
    assert_int_equal(spgm_stability_halves(stability, &finished), HALVES);
    assert_int_equal(finished, HALVES);
    assert_int_equal(spgm_stability_bootstraps(stability, &finished), BOOTSTRAPS);
    assert_int_equal(finished, BOOTSTRAPS);
    for (int64_t i = 0; i < HALVES; i++) {
        int64_t nonzeros = spgm_stability_get_sample(stability, i, columns, NULL, NULL);
        for (int64_t k = 0; k < nonzeros; k++)
            count[columns[k]]++;
    }
    spgm_stability_get_frequencies(stability, frequencies);
    for (int j = 0; j < COLUMNS; j++) {
        assert_true(fabs(frequencies[j] - count[j] / HALVES) < 1e-12);
        if (j != 5 && j != 6) {
            q += count[j] / HALVES;
            stable += count[j] >= 0.7 * HALVES;
        }
    }
    assert_true(frequencies[6] == 0);
    assert_int_equal(spgm_stability_stable(stability, 0.7, &result, NULL), SPGM_OK);
    assert_int_equal(result.count, stable);
    assert_true(fabs(result.selected - q) < 1e-12 && result.candidates == COLUMNS - 2);
    assert_true(fabs(result.bound - q * q / (COLUMNS - 2) / (2 * 0.7 - 1)) < 1e-12);
    assert_true(fabs(result.unimodal - q * q / (COLUMNS - 2) / 2 / (2 * 0.7 - 1 - 1.0 / HALVES)) < 1e-12);
    assert_int_equal(spgm_stability_stable(stability, 0.9, &result, NULL), SPGM_OK);
    assert_true(fabs(result.unimodal - q * q / (COLUMNS - 2) * 4 * (0.1 + 1.0 / HALVES) / (1 + 2.0 / HALVES)) < 1e-12);
    assert_int_equal(spgm_stability_stable(stability, 0.5, &result, NULL), SPGM_OK);
    assert_true(isnan(result.bound) && isnan(result.unimodal));
    for (int j = -1; j < COLUMNS; j++) { /* at level 1 - 2/9 the ends are the second lowest and the second highest */
        double values[BOOTSTRAPS], lowest = INFINITY, highest = -INFINITY;
        int at[2] = {0, 0};
        for (int i = 0; i < BOOTSTRAPS; i++) {
            double x[COLUMNS], intercept;
            int64_t nonzeros = spgm_stability_get_sample(stability, HALVES + i, columns, x, &intercept);
            values[i] = j < 0 ? intercept : 0;
            for (int64_t k = 0; k < nonzeros; k++)
                values[i] = columns[k] == j ? x[k] : values[i];
            at[0] = values[i] < values[at[0]] ? i : at[0];
            at[1] = values[i] > values[at[1]] ? i : at[1];
        }
        for (int i = 0; i < BOOTSTRAPS; i++) {
            lowest = i != at[0] && values[i] < lowest ? values[i] : lowest;
            highest = i != at[1] && values[i] > highest ? values[i] : highest;
        }
        spgm_stability_get_interval(stability, j, 1 - 2.0 / 9, &low, &high);
        assert_true(fabs(low - lowest) < 1e-9 && fabs(high - highest) < 1e-9);
    }
    spgm_stability_free(stability);
    sample_free(sample);
}

static int stop_after(const spgm_progress *progress, void *context) {
    return strcmp(progress->method, "stability") == 0 && progress->iteration >= *(int *)context;
}

/* The same bits on three threads, which only samples wake here. What is stopped runs on one: the callback is that of
 * one thread, and the others may finish everything before it is asked. */
static void a_run_that_was_stopped_goes_on_to_the_same_bits(void **state) {
    struct sample *sample = sample_new(3, "l1", "1"), *other = sample_new(3, "l1", "3");
    spgm_stability *whole = make(sample, 3, 0), *stopped = make(sample, 3, 0), *next = make(other, 3, 0),
                   *late = make(other, 3, 0);
    int64_t columns[COLUMNS], halves, bootstraps;
    double values[COLUMNS], intercept;
    long long before = wakes;
    int after = 5;
    (void)state;
    run(whole);
    assert_int_equal(wakes, before);
    spgm_stability_set_progress(stopped, stop_after, &after);
    run(stopped);
    spgm_stability_halves(stopped, &halves);
    spgm_stability_bootstraps(stopped, &bootstraps);
    assert_true(halves + bootstraps > 0 && halves + bootstraps < ALL);
    for (int64_t i = 0; i < ALL; i++) { /* another process */
        int64_t count = spgm_stability_get_sample(stopped, i, columns, values, &intercept);
        if (count >= 0)
            assert_int_equal(spgm_stability_set_sample(next, i, columns, values, count, intercept, NULL), SPGM_OK);
    }
    spgm_stability_set_progress(stopped, NULL, NULL);
    run(stopped);
    assert_int_equal(wakes, before);
    run(next);
    assert_true(wakes > before);
    before = wakes;
    spgm_stability_set_progress(late, stop_after, &after);
    run(late); /* stopped on three threads, wherever they were */
    assert_true(wakes > before);
    spgm_stability_set_progress(late, NULL, NULL);
    run(late);
    assert_same(whole, late);
    assert_same(whole, stopped);
    assert_same(whole, next);
    spgm_stability_free(whole);
    spgm_stability_free(stopped);
    spgm_stability_free(next);
    spgm_stability_free(late);
    sample_free(sample);
    sample_free(other);
}

static void what_cannot_be_is_said(void **state) {
    struct sample *sample = sample_new(4, "l1", "2");
    spgm_matrix three = spgm_dense(3, 1, sample->A);
    int64_t falling[] = {3, 1};
    double values[] = {1, 1}, low, high;
    spgm_problem *tiny = NULL;
    spgm_stability *stability = NULL;
    spgm_status status;
    (void)state;
    assert_int_equal(spgm_problem_new(&three, sample->b, sample->options, &tiny, NULL), SPGM_OK);
    assert_int_equal(spgm_stability_new(tiny, 1, NULL, NULL, &stability, &status), SPGM_ERROR_DATA);
    assert_non_null(strstr(status.message, "too few"));
    assert_int_equal(spgm_stability_new(NULL, 1, NULL, NULL, &stability, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_stability_new(sample->problem, 1, NULL, &(spgm_stability_settings){.halves = 2000000},
                                        &stability, &status),
                     SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_stability_new(sample->problem, COLUMNS + 1, NULL, NULL, &stability, &status),
                     SPGM_ERROR_ARGUMENT);
    stability = make(sample, 2, 0);
    assert_int_equal(spgm_stability_set_sample(stability, ALL, falling, values, 1, 0, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_stability_set_sample(stability, 0, falling, values, 2, 0, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_stability_get_sample(stability, 0, NULL, NULL, NULL), -1);
    assert_int_equal(spgm_stability_get_sample(stability, -1, NULL, NULL, NULL), -1);
    spgm_stability_get_interval(stability, 0, 0.9, &low, &high);
    assert_true(isnan(low) && isnan(high));
    spgm_stability_free(stability);
    spgm_problem_free(tiny);
    sample_free(sample);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_share_no_row_and_samples_are_drawn_from_rows_with_weight),
        cmocka_unit_test(counts_are_those_of_the_samples),
        cmocka_unit_test(a_run_that_was_stopped_goes_on_to_the_same_bits),
        cmocka_unit_test(what_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
