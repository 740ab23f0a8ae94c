/* Bands: held-out predictions, shifts and common columns against computations of our own, from the raw data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alone.h"
#include "base/random.h"
#include "spgm/spgm.h"
#include "woken.h"

enum { ROWS = 60, COLUMNS = 6, LEVELS = 3, FOLDS = 4 };

static const double levels[LEVELS] = {0.1, 0.5, 0.8};

struct sample {
    double A[ROWS * COLUMNS], b[ROWS], weights[ROWS];
};

/* The spread of b grows with column 2. */
static struct sample *sample_new(uint64_t seed) {
    struct sample *sample = calloc(1, sizeof *sample);
    struct random random;
    assert_non_null(sample);
    random_seed(&random, seed, 0);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        sample->A[i] = random_normal(&random);
    for (int i = 0; i < ROWS; i++) {
        const double *a = sample->A + i;
        sample->b[i] = a[0] - 2 * a[ROWS] + (0.3 + fabs(a[2 * ROWS])) * random_normal(&random);
        sample->weights[i] = (double)random_below(&random, 4);
    }
    return sample;
}

static spgm_options *options_new(const char *threads) {
    spgm_options *options = spgm_options_new();
    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "loss", "quantile", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "threads", threads, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "seed", "7", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "ridge", "0.01", NULL), SPGM_OK); /* one minimiser */
    spgm_options_set_number(options, "folds", FOLDS, NULL);
    return options;
}

static spgm_problem *problem_new(const struct sample *sample, const spgm_options *options, int weighted) {
    spgm_matrix A = spgm_dense(ROWS, COLUMNS, sample->A);
    spgm_problem *problem = NULL;
    spgm_status status;
    assert_int_equal(spgm_problem_new(&A, sample->b, options, &problem, &status), SPGM_OK);
    if (weighted)
        assert_int_equal(spgm_problem_set_weights(problem, sample->weights, &status), SPGM_OK);
    return problem;
}

static spgm_band *run_band(const spgm_problem *problem, int64_t s, const spgm_options *options,
                           const spgm_band_settings *settings) {
    spgm_band *band = NULL;
    spgm_status status;
    spgm_error error = spgm_band_new(problem, levels, LEVELS, s, options, settings, &band, &status);
    if (error == SPGM_OK)
        error = spgm_band_run(band, &status);
    if (error != SPGM_OK)
        fail_msg("%s", status.message);
    assert_int_equal(spgm_band_count(band), LEVELS);
    return band;
}

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

/* ---- conformal quantiles, order --------------------------------------------------------------------------- */

/* The definition: the lowest score that is enough, tried one by one. */
static double slow_quantile(const double *scores, const double *weights, int count, double p) {
    double best = INFINITY, total = 0;
    int counted = 0;
    for (int i = 0; i < count; i++) {
        total += weights[i];
        counted += weights[i] > 0;
    }
    for (int i = 0; i < count; i++) {
        double sum = 0;
        for (int j = 0; j < count; j++)
            sum += scores[j] <= scores[i] ? weights[j] : 0;
        if (sum * counted >= p * total * (counted + 1) - 1e-9 && scores[i] < best && weights[i] > 0)
            best = scores[i];
    }
    return best;
}

/* Where the share falls between two rows, in order: the line between their scores. */
static double line_between(const double *scores, const double *weights, int count, double p) {
    double below = -INFINITY, upper = slow_quantile(scores, weights, count, p), total = 0, sum = 0, step = 0;
    int counted = 0;
    for (int i = 0; i < count; i++) {
        total += weights[i];
        counted += weights[i] > 0;
        sum += scores[i] < upper ? weights[i] : 0;
        step += scores[i] == upper ? weights[i] : 0;
        below = scores[i] < upper && weights[i] > 0 ? fmax(below, scores[i]) : below;
    }
    return below + (upper - below) * (p * total * (counted + 1) / counted - sum) / step;
}

static void conformal_quantiles_are_those_of_the_definition(void **state) {
    struct random random;
    double scores[40], weights[40], quantile;
    (void)state;
    random_seed(&random, 3, 0);
    for (int trial = 0; trial < 400; trial++) {
        int count = 1 + (int)random_below(&random, 40), is_weighted = trial % 2;
        double p = (1 + (double)random_below(&random, 19)) / 20;
        for (int i = 0; i < count; i++) {
            scores[i] = (double)random_below(&random, 12); /* ties */
            weights[i] = is_weighted ? (double)random_below(&random, 3) : 1;
        }
        weights[0] = 1;
        assert_int_equal(spgm_conformal_quantile(scores, is_weighted ? weights : NULL, count, p, &quantile, NULL),
                         SPGM_OK);
        assert_true(quantile == slow_quantile(scores, weights, count, p));
    }
    assert_int_equal(spgm_conformal_quantile(scores, NULL, 3, 1, &quantile, NULL), SPGM_ERROR_ARGUMENT);
}

static void levels_never_cross_and_only_widen(void **state) {
    static const double lists[3][5] = {
        {0.05, 0.25, 0.5, 0.75, 0.95}, {0.1, 0.2, 0.4, 0.6, 0.9}, {0.6, 0.7, 0.8, 0.9, 0.95}};
    struct random random;
    (void)state;
    random_seed(&random, 4, 0);
    for (int trial = 0; trial < 900; trial++) {
        const double *list = lists[trial % 3];
        double values[5], sorted[5], shifts[5];
        for (int k = 0; k < 5; k++) {
            sorted[k] = values[k] = random_normal(&random);
            shifts[k] = list[k] == 0.5 ? 0 : random_normal(&random);
        }
        qsort(sorted, 5, sizeof *sorted, by_value);
        spgm_band_arrange(list, shifts, 5, values);
        for (int k = 0; k < 5; k++) {
            assert_true(k == 0 || values[k] >= values[k - 1]);
            assert_true(list[k] >= 0.5 || values[k] <= sorted[k] + shifts[k]);
            assert_true(list[k] <= 0.5 || values[k] >= sorted[k] + shifts[k]);
            assert_true(list[k] != 0.5 || values[k] == sorted[k]);
        }
    }
}

/* Each level has columns of its own, so that a gap may leave some without a prediction. */
static void a_row_with_a_gap_has_no_band(void **state) {
    static const double list[4] = {0.1, 0.3, 0.6, 0.9}, shifts[4] = {-1, 0, 0, 1};
    (void)state;
    for (int gap = 0; gap < 4; gap++) {
        double values[4] = {3, 1, 2, 0};
        values[gap] = NAN;
        spgm_band_arrange(list, shifts, 4, values);
        for (int k = 0; k < 4; k++)
            assert_true(isnan(values[k]));
    }
}

/* ---- the whole of it -------------------------------------------------------------------------------------- */

/* Fit the rows outside of a fold at one level, by a call of its own, and predict all rows. */
static void predict_without(const struct sample *sample, const int64_t *fold_of_row, int64_t fold, double level,
                            int64_t s, int weighted, double *prediction) {
    double A[ROWS * COLUMNS], b[ROWS], weights[ROWS], x[COLUMNS], intercept;
    spgm_options *options = options_new("1");
    spgm_solver *solver = NULL;
    spgm_problem *problem = NULL;
    int64_t rows = 0;
    for (int i = 0; i < ROWS; i++)
        rows += fold_of_row[i] != fold;
    for (int i = 0, at = 0; i < ROWS; i++) {
        if (fold_of_row[i] == fold)
            continue;
        for (int j = 0; j < COLUMNS; j++)
            A[at + j * rows] = sample->A[i + j * ROWS];
        b[at] = sample->b[i];
        weights[at++] = sample->weights[i];
    }
    spgm_matrix matrix = spgm_dense(rows, COLUMNS, A);
    spgm_options_set_number(options, "quantile", level, NULL);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    if (weighted)
        assert_int_equal(spgm_problem_set_weights(problem, weights, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, s, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    spgm_solver_get_x(solver, x, &intercept);
    for (int i = 0; i < ROWS; i++) {
        prediction[i] = intercept;
        for (int j = 0; j < COLUMNS; j++)
            prediction[i] += sample->A[i + j * ROWS] * x[j];
    }
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* Of the folds the first `done` were held out. */
static void check_held_out(const struct sample *sample, const spgm_band *band, const int64_t *fold_of_row, int64_t s,
                           int weighted, int64_t done) {
    static double all[FOLDS + 1][ROWS * LEVELS]; /* of the models without each fold, then of those of all rows */
    double held[ROWS * LEVELS], prediction[ROWS], scores[ROWS], weights[ROWS], limits[ROWS], shift;
    spgm_band_get_held_out(band, held);
    for (int64_t fold = 0; fold <= FOLDS; fold++) {
        for (int k = 0; k < LEVELS; k++) {
            predict_without(sample, fold_of_row, fold, levels[k], s, weighted, prediction);
            for (int i = 0; i < ROWS; i++)
                all[fold][i * LEVELS + k] = prediction[i];
        }
        for (int i = 0; i < ROWS; i++)
            qsort(all[fold] + i * LEVELS, LEVELS, sizeof **all, by_value);
    }
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < LEVELS; k++) {
            double other = all[fold_of_row[i]][i * LEVELS + k];
            assert_true(fold_of_row[i] < done ? fabs(held[i * LEVELS + k] - other) < 1e-7
                                              : isnan(held[i * LEVELS + k]));
        }
    for (int k = 0; k < LEVELS; k++) {
        double sign = levels[k] < 0.5 ? -1 : 1;
        for (int at = 0; at < ROWS; at++) { /* the limit of CV+ there, less what the models of all rows predict */
            int count = 0;
            for (int i = 0; i < ROWS; i++) {
                double limit = all[fold_of_row[i]][at * LEVELS + k] + sample->b[i] - held[i * LEVELS + k];
                if (fold_of_row[i] >= done)
                    continue;
                scores[count] = sign * (limit - all[FOLDS][at * LEVELS + k]);
                weights[count++] = weighted ? sample->weights[i] : 1;
            }
            limits[at] = line_between(scores, weights, count, fmax(levels[k], 1 - levels[k]));
        }
        for (int at = 0; at < ROWS; at++)
            weights[at] = weighted ? sample->weights[at] : 1;
        double median = line_between(limits, weights, ROWS, 0.5);
        assert_true(spgm_band_level(band, k, &shift) == levels[k]);
        assert_true(fabs(shift - (levels[k] == 0.5 ? 0 : sign * median)) < 1e-7);
    }
}

static void shifts_are_those_of_rows_that_were_not_fitted(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        struct sample *sample = sample_new(11 + (uint64_t)weighted);
        spgm_options *options = options_new("3");
        spgm_problem *problem = problem_new(sample, options, weighted);
        int64_t sparsity = 2, done, fold_of_row[ROWS];
        spgm_cv *cv = NULL;
        spgm_band *band = run_band(problem, sparsity, options, NULL);
        assert_int_equal(spgm_cv_new(problem, &sparsity, 1, options, &cv, NULL), SPGM_OK);
        spgm_cv_get_fold_of_row(cv, fold_of_row); /* the folds of the same seed */
        check_held_out(sample, band, fold_of_row, sparsity, weighted, FOLDS);
        assert_int_equal(spgm_band_folds(band, &done), FOLDS);
        assert_int_equal(done, FOLDS);
        for (int k = 0; k < LEVELS; k++) {
            double x[COLUMNS], alone[COLUMNS], intercept;
            spgm_options_set_number(options, "quantile", levels[k], NULL);
            spgm_problem *one = problem_new(sample, options, weighted);
            spgm_solver *solver = NULL;
            assert_int_equal(spgm_solver_new(one, sparsity, options, &solver, NULL), SPGM_OK);
            assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
            spgm_solver_get_x(solver, alone, &intercept);
            spgm_solver_get_x(spgm_band_solver(band, k), x, &intercept);
            for (int j = 0; j < COLUMNS; j++)
                assert_true(fabs(x[j] - alone[j]) < 1e-7);
            spgm_solver_free(solver);
            spgm_problem_free(one);
        }
        spgm_cv_free(cv);
        spgm_band_free(band);
        spgm_problem_free(problem);
        spgm_options_free(options);
        free(sample);
    }
}

/* Without columns the limits are those of the targets themselves, at the rank level (n + 1), whatever models of fewer
 * rows say: adding what they miss to the quantile of all rows covers too much. */
static void a_band_of_constants_has_the_quantiles_of_the_target(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        struct sample *sample = sample_new(51 + (uint64_t)weighted);
        spgm_options *options = options_new("1");
        spgm_problem *problem = problem_new(sample, options, weighted);
        spgm_band *band = run_band(problem, 0, options, NULL);
        double scores[ROWS], weights[ROWS], shift, constant;
        for (int k = 0; k < LEVELS; k++) {
            double sign = levels[k] < 0.5 ? -1 : 1;
            for (int i = 0; i < ROWS; i++) {
                scores[i] = sign * sample->b[i];
                weights[i] = weighted ? sample->weights[i] : 1;
            }
            spgm_solver_get_x(spgm_band_solver(band, k), NULL, &constant);
            spgm_band_level(band, k, &shift);
            if (levels[k] != 0.5)
                assert_true(fabs(constant + shift -
                                 sign * line_between(scores, weights, ROWS, fmax(levels[k], 1 - levels[k]))) < 1e-9);
        }
        spgm_band_free(band);
        spgm_problem_free(problem);
        spgm_options_free(options);
        free(sample);
    }
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    struct sample *sample = sample_new(21);
    double first[ROWS * LEVELS], held[ROWS * LEVELS], shifts[LEVELS], shift;
    (void)state;
    for (int common = 0; common < 2; common++)
        for (int threads = 1; threads <= 3; threads++) {
            char text[8] = {(char)('0' + threads), 0};
            spgm_options *options = options_new(text);
            spgm_problem *problem = problem_new(sample, options, 0);
            long long before = wakes;
            spgm_band *band =
                run_band(problem, 2, options, &(spgm_band_settings){.common_columns = common, .calibration = "cross"});
            assert_true(threads == 1 || wakes > before);
            spgm_band_get_held_out(band, threads == 1 ? first : held);
            assert_true(threads == 1 || memcmp(first, held, sizeof held) == 0);
            for (int k = 0; k < LEVELS; k++) {
                spgm_band_level(band, k, &shift);
                shifts[k] = threads == 1 ? shift : shifts[k];
                assert_true(shift == shifts[k]);
            }
            spgm_band_free(band);
            spgm_problem_free(problem);
            spgm_options_free(options);
        }
    free(sample);
}

/* The sum over the levels of the lowest F with these two columns. */
static double lowest_with(const struct sample *sample, int first, int second) {
    double total = 0;
    for (int k = 0; k < LEVELS; k++) {
        spgm_options *options = options_new("1");
        spgm_options_set_number(options, "quantile", levels[k], NULL);
        spgm_problem *problem = problem_new(sample, options, 0);
        spgm_solver *solver = NULL;
        int64_t excluded[COLUMNS], count = 0;
        for (int j = 0; j < COLUMNS; j++)
            if (j != first && j != second)
                excluded[count++] = j;
        assert_int_equal(spgm_problem_set_excluded(problem, excluded, count, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_new(problem, 2, options, &solver, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
        total += spgm_solver_get_info(solver).objective;
        spgm_solver_free(solver);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
    return total;
}

static void common_columns_are_the_best_pair_for_all_levels(void **state) {
    (void)state;
    for (uint64_t seed = 31; seed < 37; seed++) {
        struct sample *sample = sample_new(seed);
        spgm_options *options = options_new("2");
        spgm_problem *problem = problem_new(sample, options, 0);
        spgm_band *band =
            run_band(problem, 2, options, &(spgm_band_settings){.common_columns = 1, .calibration = "none"});
        double lowest = INFINITY, found = 0, x[COLUMNS];
        int used[COLUMNS] = {0}, count = 0;
        for (int i = 0; i < COLUMNS; i++)
            for (int j = i + 1; j < COLUMNS; j++)
                lowest = fmin(lowest, lowest_with(sample, i, j));
        for (int k = 0; k < LEVELS; k++) {
            found += spgm_solver_get_info(spgm_band_solver(band, k)).objective;
            spgm_solver_get_x(spgm_band_solver(band, k), x, NULL);
            for (int j = 0; j < COLUMNS; j++)
                used[j] |= x[j] != 0;
        }
        for (int j = 0; j < COLUMNS; j++)
            count += used[j];
        assert_true(count <= 2);
        assert_true(fabs(found - lowest) <= 1e-6 * lowest);
        spgm_band_free(band);
        spgm_problem_free(problem);
        spgm_options_free(options);
        free(sample);
    }
}

/* 20 rows would be enough for the quantile 0.1, which takes 9: seven of them have a weight. */
static void rows_without_weight_are_not_counted(void **state) {
    struct sample *sample = sample_new(42);
    spgm_options *options = options_new("1");
    spgm_matrix A = spgm_dense(20, 3, sample->A);
    spgm_problem *problem = NULL;
    spgm_band *band = NULL;
    spgm_status status;
    double weights[20];
    (void)state;
    for (int i = 0; i < 20; i++)
        weights[i] = i < 7;
    assert_int_equal(spgm_problem_new(&A, sample->b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_weights(problem, weights, NULL), SPGM_OK);
    assert_int_equal(spgm_band_new(problem, levels, 1, 1, options, NULL, &band, NULL), SPGM_OK);
    assert_int_equal(spgm_band_run(band, &status), SPGM_ERROR_DATA);
    assert_non_null(strstr(status.message, "7 rows with a weight above 0 are too few to calibrate the quantile 0.1"));
    spgm_band_free(band);
    spgm_problem_free(problem);
    spgm_options_free(options);
    free(sample);
}

/* NaN says so; 0 would be a prediction. */
static void before_a_run_no_row_was_held_out(void **state) {
    struct sample *sample = sample_new(41);
    spgm_options *options = options_new("1");
    spgm_problem *problem = problem_new(sample, options, 0);
    spgm_band *band = NULL;
    double held[ROWS * LEVELS];
    (void)state;
    assert_int_equal(spgm_band_new(problem, levels, LEVELS, 2, options, NULL, &band, NULL), SPGM_OK);
    spgm_band_get_held_out(band, held);
    for (int i = 0; i < ROWS * LEVELS; i++)
        assert_true(isnan(held[i]));
    spgm_band_free(band);
    spgm_problem_free(problem);
    spgm_options_free(options);
    free(sample);
}

/* Three quarters are fitted, and the others, which alone have predictions, calibrate. */
static void a_split_never_calibrates_on_what_it_fitted(void **state) {
    struct sample *sample = sample_new(41);
    spgm_options *options = options_new("2");
    spgm_problem *problem = problem_new(sample, options, 0);
    spgm_band *band = run_band(problem, 2, options, &(spgm_band_settings){.calibration = "split"});
    double held[ROWS * LEVELS], x[COLUMNS], intercept;
    int known = 0;
    (void)state;
    spgm_band_get_held_out(band, held);
    for (int i = 0; i < ROWS; i++)
        known += !isnan(held[i * LEVELS]);
    assert_int_equal(known, ROWS / 4);
    assert_int_equal(spgm_problem_rows(spgm_solver_get_problem(spgm_band_solver(band, 0))), ROWS - ROWS / 4);
    spgm_solver_get_x(spgm_band_solver(band, 1), x, &intercept);
    for (int i = 0; i < ROWS; i++) {
        double value = intercept;
        for (int j = 0; j < COLUMNS; j++)
            value += sample->A[i + j * ROWS] * x[j];
        int is_there = 0;
        for (int k = 0; k < LEVELS; k++)
            is_there |= fabs(held[i * LEVELS + k] - value) < 1e-9;
        assert_true(isnan(held[i * LEVELS]) || is_there);
    }
    assert_true(isnan(spgm_band_level(band, LEVELS, NULL)) && spgm_band_solver(band, LEVELS) == NULL);
    spgm_band_free(band);
    spgm_problem_free(problem);
    spgm_options_free(options);
    free(sample);
}

/* ---- what is stopped -------------------------------------------------------------------------------------- */

/* In the piece after so many. */
static int stop_after(const spgm_progress *progress, void *context) {
    return progress->iteration >= *(const int64_t *)context;
}

/* The models of all rows come first, then one fold after the other. */
static void a_band_that_is_stopped_is_calibrated_by_the_folds_that_are_done(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++)
        for (int64_t pieces = 1; pieces <= FOLDS; pieces++) {
            struct sample *sample = sample_new(61 + (uint64_t)weighted);
            spgm_options *options = options_new("1");
            spgm_problem *problem = problem_new(sample, options, weighted);
            int64_t sparsity = 2, done = -1, fold_of_row[ROWS];
            double held[ROWS * LEVELS], shift;
            spgm_cv *cv = NULL;
            spgm_band *band = NULL;
            assert_int_equal(spgm_cv_new(problem, &sparsity, 1, options, &cv, NULL), SPGM_OK);
            spgm_cv_get_fold_of_row(cv, fold_of_row);
            assert_int_equal(spgm_band_new(problem, levels, LEVELS, sparsity, options, NULL, &band, NULL), SPGM_OK);
            spgm_band_set_progress(band, stop_after, &pieces);
            assert_int_equal(spgm_band_run(band, NULL), SPGM_OK);
            assert_int_equal(spgm_band_folds(band, &done), FOLDS);
            assert_int_equal(done, pieces - 1);
            if (done > 0)
                check_held_out(sample, band, fold_of_row, sparsity, weighted, done);
            spgm_band_get_held_out(band, held);
            for (int k = 0; k < LEVELS; k++) {
                spgm_band_level(band, k, &shift);
                assert_true(done > 0 || (shift == 0 && isnan(held[k])));
                assert_true(isfinite(spgm_solver_get_info(spgm_band_solver(band, k)).objective));
            }
            spgm_cv_free(cv);
            spgm_band_free(band);
            spgm_problem_free(problem);
            spgm_options_free(options);
            free(sample);
        }
}

/* Where common columns are being chosen every level has a model of these, a split is calibrated by what it held out. */
static void a_stop_leaves_what_can_be_had(void **state) {
    static const spgm_band_settings settings[] = {{.common_columns = 1}, {1, "split"}, {1, "none"}};
    struct sample *sample = sample_new(71);
    spgm_options *options = options_new("1");
    spgm_problem *problem = problem_new(sample, options, 0);
    int64_t at_once = 0, done;
    (void)state;
    for (int i = 0; i < 3; i++) {
        spgm_band *band = NULL;
        assert_int_equal(spgm_band_new(problem, levels, LEVELS, 2, options, &settings[i], &band, NULL), SPGM_OK);
        spgm_band_set_progress(band, stop_after, &at_once);
        assert_int_equal(spgm_band_run(band, NULL), SPGM_OK);
        assert_int_equal(spgm_band_folds(band, &done), i == 0 ? FOLDS : i == 1);
        assert_int_equal(done, i == 1);
        for (int k = 0; k < LEVELS; k++)
            assert_int_equal(spgm_solver_get_info(spgm_band_solver(band, k)).feasible, 1);
        spgm_band_free(band);
    }
    spgm_problem_free(problem);
    spgm_options_free(options);
    free(sample);
}

/* ---- what is refused -------------------------------------------------------------------------------------- */

static int stop_at_once(const spgm_progress *progress, void *context) {
    (void)progress;
    (void)context;
    return 1;
}

static void refused(const spgm_problem *problem, const double *list, int64_t count, const spgm_options *options,
                    const spgm_band_settings *settings, const char *words) {
    spgm_band *band = NULL;
    spgm_status status = {0};
    spgm_error error = spgm_band_new(problem, list, count, 2, options, settings, &band, &status);
    if (error == SPGM_OK)
        error = spgm_band_run(band, &status);
    assert_int_not_equal(error, SPGM_OK);
    if (!strstr(status.message, words))
        fail_msg("'%s' does not say '%s'", status.message, words);
    spgm_band_free(band);
}

static void what_cannot_be_is_said(void **state) {
    static const double falling[] = {0.5, 0.1}, outside[] = {0.5, 1}, extreme[] = {0.001, 0.5};
    struct sample *sample = sample_new(51);
    spgm_options *options = options_new("2"), *l1 = spgm_options_new();
    spgm_problem *problem = problem_new(sample, options, 0), *other = problem_new(sample, l1, 0);
    const spgm_band_settings common = {.common_columns = 1}, unknown = {.calibration = "guess"};
    int64_t group_of[COLUMNS] = {0, 0, 1, 1, 2, 2};
    double p[COLUMNS] = {0};
    spgm_band *band = NULL;
    spgm_status status;
    (void)state;
    refused(other, levels, LEVELS, options, NULL, "need the loss quantile");
    refused(problem, falling, 2, options, NULL, "each above the one before");
    refused(problem, outside, 2, options, NULL, "between 0 and 1");
    refused(problem, levels, 0, options, NULL, "no quantiles");
    refused(problem, extreme, 2, options, NULL, "at least 999");
    refused(problem, levels, LEVELS, options, &unknown, "cross, split or none");
    refused(NULL, levels, LEVELS, options, NULL, "needs a problem");
    spgm_options_set_number(options, "folds", ROWS + 1, NULL);
    refused(problem, levels, LEVELS, options, NULL, "use fewer folds");
    spgm_options_set_number(options, "folds", FOLDS, NULL);
    /* on one thread: with two the other one may have done every piece before the caller has one to tell of */
    spgm_options_set(options, "threads", "1", NULL);
    assert_int_equal(spgm_band_new(problem, levels, LEVELS, 2, options, NULL, &band, &status), SPGM_OK);
    spgm_options_set(options, "threads", "2", NULL);
    spgm_band_set_progress(band, stop_at_once, NULL);
    assert_int_equal(spgm_band_run(band, &status), SPGM_ERROR_UNSUPPORTED);
    assert_true(spgm_band_solver(band, 0) == NULL);
    spgm_band_set_progress(band, NULL, NULL);
    assert_int_equal(spgm_band_run(band, &status), SPGM_OK); /* afresh */
    spgm_band_free(band);
    assert_int_equal(spgm_problem_set_groups(problem, group_of, 1, NULL), SPGM_OK);
    refused(problem, levels, LEVELS, options, &common, "own columns");
    assert_int_equal(spgm_problem_set_groups(problem, group_of, 0, NULL), SPGM_OK);
    spgm_band_free(run_band(problem, 2, options, &common)); /* groups that count as one are fine */
    assert_int_equal(spgm_problem_set_linear(problem, p, NULL), SPGM_OK);
    refused(problem, levels, LEVELS, options, &common, "linear");
    spgm_problem_free(problem);
    spgm_problem_free(other);
    spgm_options_free(options);
    spgm_options_free(l1);
    free(sample);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(conformal_quantiles_are_those_of_the_definition),
        unit_test_alone(levels_never_cross_and_only_widen),
        unit_test_alone(a_row_with_a_gap_has_no_band),
        unit_test_alone(shifts_are_those_of_rows_that_were_not_fitted),
        unit_test_alone(a_band_of_constants_has_the_quantiles_of_the_target),
        cmocka_unit_test(before_a_run_no_row_was_held_out),
        cmocka_unit_test(rows_without_weight_are_not_counted),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        unit_test_alone(common_columns_are_the_best_pair_for_all_levels),
        unit_test_alone(a_split_never_calibrates_on_what_it_fitted),
        unit_test_alone(a_band_that_is_stopped_is_calibrated_by_the_folds_that_are_done),
        unit_test_alone(a_stop_leaves_what_can_be_had),
        unit_test_alone(what_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
