/*
 * Cross-validation: folds drawn from the seed and stratified, losses as an independent loop over spgm_path on copied
 * rows gives them, the two rules, the same bits for any number of threads, interrupts, wrong input.
 */
#define FIXTURE_SEED 43
#include "alone.h"
#include "unit/model_fixture.h"

#include <pthread.h>

#include "base/clock.h"
#include "select/folds.h"
#include "share.h"
#include "spgm/spgm.h"
#include "woken.h"

enum { ROWS = 47, COLUMNS = 13, FOLDS = 5, COUNT = 4 };

static const int64_t sparsities[COUNT] = {6, 0, 3, 1}; /* given in any order */
static const int64_t ascending[COUNT] = {0, 1, 3, 6};
static const char *const losses[] = {"l1",      "quantile", "hinge",    "epsilon",       "linf", "l2",
                                     "squared", "huber",    "logistic", "squared_hinge", NULL};

struct instance {
    double A[ROWS * COLUMNS], b[ROWS], weights[ROWS];
    int64_t start[COLUMNS + 1];
    int32_t rows[ROWS * COLUMNS];
    double values[ROWS * COLUMNS];
    spgm_matrix dense, sparse;
    spgm_problem *problem; /* the last one made */
};

/* Every third entry is zero, so that the sparse copy is sparse. */
static struct instance *make_instance(int is_classifier) {
    struct instance *in = calloc(1, sizeof *in);
    int64_t stored = 0;

    assert_non_null(in);
    for (int64_t j = 0; j < COLUMNS; j++) {
        in->start[j] = stored;
        for (int64_t i = 0; i < ROWS; i++) {
            double value = (i + j) % 3 == 0 ? 0 : fixture_normal();

            in->A[i + j * ROWS] = value;
            if (value != 0) {
                in->rows[stored] = (int32_t)i;
                in->values[stored++] = value;
            }
        }
    }
    in->start[COLUMNS] = stored;
    for (int64_t i = 0; i < ROWS; i++) {
        in->b[i] = 3 * in->A[i + 2 * ROWS] - 2 * in->A[i + 5 * ROWS] + 0.7 * fixture_normal();
        in->b[i] = is_classifier ? (in->b[i] > 0.8 ? 4 : 2) : in->b[i]; /* labels 2 and 4, uneven */
        in->weights[i] = 0.25 * (double)(1 + i % 4);
    }
    in->dense = spgm_dense(ROWS, COLUMNS, in->A);
    in->sparse = spgm_sparse(ROWS, COLUMNS, in->start, in->rows, in->values);
    return in;
}

static void free_instance(struct instance *in) {
    spgm_problem_free(in->problem);
    free(in);
}

/* With column 9 free. */
static spgm_problem *make_problem(struct instance *in, int is_sparse, int is_weighted, const spgm_options *options) {
    static const int64_t free_columns[] = {9};
    spgm_status status;

    spgm_problem_free(in->problem);
    in->problem = NULL;
    if (spgm_problem_new(is_sparse ? &in->sparse : &in->dense, in->b, options, &in->problem, &status) != SPGM_OK ||
        spgm_problem_set_free_columns(in->problem, free_columns, 1, &status) != SPGM_OK ||
        (is_weighted && spgm_problem_set_weights(in->problem, in->weights, &status) != SPGM_OK)) {
        fail_msg("%s", status.message);
    }
    return in->problem;
}

static spgm_options *make_options(const char *const *pairs) {
    spgm_options *options = spgm_options_new();

    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "folds", "5", NULL), SPGM_OK);
    for (; *pairs; pairs += 2) {
        assert_int_equal(spgm_options_set(options, pairs[0], pairs[1], NULL), SPGM_OK);
    }
    return options;
}

static spgm_cv *make_cv(struct instance *in, int is_sparse, int is_weighted, const spgm_options *options) {
    spgm_cv *cv = NULL;
    spgm_status status;

    if (spgm_cv_new(make_problem(in, is_sparse, is_weighted, options), sparsities, COUNT, options, &cv, &status) !=
        SPGM_OK) {
        fail_msg("%s", status.message);
    }
    return cv;
}

static void run_cv(spgm_cv *cv) {
    spgm_status status;

    if (spgm_cv_run(cv, &status) != SPGM_OK) {
        fail_msg("%s", status.message);
    }
}

/* ---- losses ----------------------------------------------------------------------------------------------- */

/* The loss of one row, by the book; label is -1 or 1. */
static double row_loss(const char *loss, double prediction, double target, double label) {
    double r = prediction - target;

    return strcmp(loss, "l1") == 0              ? fabs(r)
           : strcmp(loss, "quantile") == 0      ? (r > 0 ? 0.7 * r : -0.3 * r)
           : strcmp(loss, "epsilon") == 0       ? fmax(fabs(r) - 0.2, 0)
           : strcmp(loss, "hinge") == 0         ? fmax(1 - label * prediction, 0)
           : strcmp(loss, "squared") == 0       ? r * r / 2
           : strcmp(loss, "huber") == 0         ? (fabs(r) <= 1 ? r * r / 2 : fabs(r) - 0.5)
           : strcmp(loss, "logistic") == 0      ? log1p(exp(-label * prediction))
           : strcmp(loss, "squared_hinge") == 0 ? fmax(1 - label * prediction, 0) * fmax(1 - label * prediction, 0)
                                                : r * r; /* l2; linf takes the root below */
}

static int has_labels(const char *loss) {
    return strcmp(loss, "hinge") == 0 || strcmp(loss, "logistic") == 0 || strcmp(loss, "squared_hinge") == 0;
}

/* Hinges of two labels are judged at the best multiple of the scores: it is searched by thirds, the loss being convex.
 */
static double at_best_multiple(const char *loss, int64_t count, const double *scores, const double *labels,
                               const double *weights) {
    double low = 0, high = 4096, lowest = INFINITY;

    for (int step = 0; step < 300; step++) {
        double at[] = {low + (high - low) / 3, high - (high - low) / 3}, sums[] = {0, 0};

        for (int side = 0; side < 2; side++) {
            for (int64_t i = 0; i < count; i++) {
                sums[side] += weights[i] * row_loss(loss, at[side] * scores[i], 0, labels[i]);
            }
            lowest = fmin(lowest, sums[side]);
        }
        if (sums[0] <= sums[1]) {
            high = at[1];
        } else {
            low = at[0];
        }
    }
    return lowest;
}

/* Losses of a fold for the sparsities in ascending order: rows are copied by hand, then one path on the training rows.
 */
static void book_fold(const struct instance *in, const char *loss, int is_weighted, const spgm_options *options,
                      const int64_t *fold_of_row, int64_t fold, double *expected) {
    static const int64_t free_columns[] = {9};
    double A[ROWS * COLUMNS], b[ROWS], w[ROWS], x[COLUMNS], intercept;
    int64_t m = 0, rows[ROWS];
    spgm_problem *problem = NULL;
    spgm_path *path = NULL;

    for (int64_t i = 0; i < ROWS; i++) {
        if (fold_of_row[i] != fold) {
            rows[m++] = i;
        }
    }
    for (int64_t i = 0; i < m; i++) {
        b[i] = in->b[rows[i]];
        w[i] = in->weights[rows[i]];
        for (int64_t j = 0; j < COLUMNS; j++) {
            A[i + j * m] = in->A[rows[i] + j * ROWS];
        }
    }
    spgm_matrix matrix = spgm_dense(m, COLUMNS, A);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(is_weighted ? spgm_problem_set_weights(problem, w, NULL) : SPGM_OK, SPGM_OK);
    assert_int_equal(spgm_problem_set_free_columns(problem, free_columns, 1, NULL), SPGM_OK);
    assert_int_equal(spgm_path_new(problem, sparsities, COUNT, options, &path, NULL), SPGM_OK);
    assert_int_equal(spgm_path_run(path, NULL), SPGM_OK);
    for (int64_t s = 0; s < COUNT; s++) {
        double sum = 0, weight = 0, top = 0, scores[ROWS], labels[ROWS], counts[ROWS];
        int64_t held = 0;

        assert_int_equal(spgm_path_get(path, s, x, &intercept, NULL), ascending[s]);
        for (int64_t i = 0; i < ROWS; i++) {
            double prediction = intercept, value;

            if (fold_of_row[i] != fold) {
                continue;
            }
            for (int64_t j = 0; j < COLUMNS; j++) {
                prediction += in->A[i + j * ROWS] * x[j];
            }
            value = row_loss(loss, prediction, in->b[i], in->b[i] == 4 ? 1 : -1);
            sum += (is_weighted ? in->weights[i] : 1) * value;
            weight += is_weighted ? in->weights[i] : 1;
            top = fmax(top, sqrt(value));
            scores[held] = prediction;
            labels[held] = in->b[i] == 4 ? 1 : -1;
            counts[held++] = is_weighted ? in->weights[i] : 1;
        }
        if (strstr(loss, "hinge") != NULL) {
            sum = at_best_multiple(loss, held, scores, labels, counts);
        }
        expected[s] = strcmp(loss, "linf") == 0 ? top : strcmp(loss, "l2") == 0 ? sqrt(sum / weight) : sum / weight;
    }
    spgm_path_free(path);
    spgm_problem_free(problem);
}

static void losses_are_those_of_separate_paths(void **state) {
    (void)state;
    PLAIN_ONLY();
    for (int l = 0; losses[l]; l++) {
        const char *const pairs[] = {"loss", losses[l], "quantile", "0.3",   "epsilon", "0.2", "ridge",
                                     "0.01", "effort",  "5",        "delta", "1",       NULL};
        int is_weighted = l % 2 == 1 && strcmp(losses[l], "l2") != 0;
        struct instance *in = make_instance(has_labels(losses[l]));
        spgm_options *options = make_options(pairs);
        spgm_cv *cv = make_cv(in, l % 3 == 0, is_weighted, options);
        double seen[FOLDS], mean, error;
        int64_t fold_of_row[ROWS];

        run_cv(cv);
        assert_int_equal(spgm_cv_count(cv), COUNT);
        assert_int_equal(spgm_cv_folds(cv), FOLDS);
        spgm_cv_get_fold_of_row(cv, fold_of_row);
        for (int64_t fold = 0; fold < FOLDS; fold++) {
            double expected[COUNT];

            book_fold(in, losses[l], is_weighted, options, fold_of_row, fold, expected);
            for (int64_t i = 0; i < COUNT; i++) {
                assert_int_equal(spgm_cv_get(cv, i, seen, &mean, &error), ascending[i]);
                assert_near(seen[fold], expected[i],
                            (strstr(losses[l], "hinge") != NULL ? 1e-6 : 1e-9) * (1 + expected[i]));
                assert_true(isfinite(mean) && error >= 0);
            }
        }
        assert_int_equal(spgm_cv_get(cv, COUNT, NULL, NULL, NULL), -1);
        spgm_cv_free(cv);
        spgm_options_free(options);
        free_instance(in);
    }
}

/* Where the best model of a size is known to be found, the losses are those of single fits. */
static void losses_are_those_of_single_fits(void **state) {
    static const char *const pairs[] = {"method", "omp", "ridge", "0.01", "loss", "quantile", "quantile", "0.3", NULL};
    static const int64_t list[] = {0, COLUMNS};
    struct instance *in = make_instance(0);
    spgm_options *options = make_options(pairs);
    int64_t fold_of_row[ROWS];
    double A[ROWS * COLUMNS], b[ROWS], x[COLUMNS], intercept, seen[2][FOLDS];
    spgm_cv *cv = NULL;

    (void)state;
    make_problem(in, 0, 0, options);
    assert_int_equal(spgm_problem_set_free_columns(in->problem, NULL, 0, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_new(in->problem, list, 2, options, &cv, NULL), SPGM_OK);
    run_cv(cv);
    spgm_cv_get_fold_of_row(cv, fold_of_row);
    for (int64_t i = 0; i < 2; i++) {
        assert_int_equal(spgm_cv_get(cv, i, seen[i], NULL, NULL), list[i]);
    }
    for (int64_t fold = 0; fold < FOLDS; fold++) {
        int64_t m = 0, k = 0;

        for (int64_t i = 0; i < ROWS; i++) {
            m += fold_of_row[i] != fold;
        }
        for (int64_t i = 0; i < ROWS; i++) {
            if (fold_of_row[i] != fold) {
                b[k] = in->b[i];
                for (int64_t j = 0; j < COLUMNS; j++) {
                    A[k + j * m] = in->A[i + j * ROWS];
                }
                k++;
            }
        }
        spgm_matrix matrix = spgm_dense(m, COLUMNS, A);
        for (int64_t s = 0; s < 2; s++) {
            double sum = 0;

            assert_int_equal(spgm_solve(&matrix, b, list[s], options, x, &intercept, NULL, NULL), SPGM_OK);
            for (int64_t i = 0; i < ROWS; i++) {
                double r = intercept - in->b[i];

                for (int64_t j = 0; j < COLUMNS; j++) {
                    r += in->A[i + j * ROWS] * x[j];
                }
                sum += fold_of_row[i] == fold ? row_loss("quantile", r, 0, 0) : 0;
            }
            assert_near(seen[s][fold], sum / (double)(ROWS - m), 1e-6 * sum);
        }
    }
    spgm_cv_free(cv);
    spgm_options_free(options);
    free_instance(in);
}

/* ---- the rules -------------------------------------------------------------------------------------------- */

/* The first size within so many standard errors of the best. */
static int64_t simplest(const double *means, const double *errors, int64_t best, double times) {
    int64_t simple = 0;

    while (means[simple] > means[best] + times * errors[best]) {
        simple++;
    }
    return simple;
}

/* 1: half the standard error would choose another size; 2: twice as much would. */
static int check_rules(double noise) {
    static const char *const pairs[] = {NULL};
    struct instance *in = make_instance(0);
    spgm_options *options = make_options(pairs);
    double means[COUNT], errors[COUNT];
    int64_t best = 0, simple;
    int differ;
    spgm_cv *cv;

    for (int64_t i = 0; i < ROWS; i++) {
        in->b[i] += noise * fixture_normal();
    }
    cv = make_cv(in, 0, 0, options);
    assert_int_equal(spgm_cv_best(cv), -1); /* not run */
    assert_int_equal(spgm_cv_one_standard_error(cv), -1);
    run_cv(cv);
    for (int64_t i = 0; i < COUNT; i++) {
        double seen[FOLDS], mean, error, sum = 0, squares = 0;

        spgm_cv_get(cv, i, seen, &mean, &error);
        for (int64_t fold = 0; fold < FOLDS; fold++) {
            sum += seen[fold];
            squares += seen[fold] * seen[fold];
        }
        means[i] = sum / FOLDS;
        errors[i] = sqrt((squares - sum * sum / FOLDS) / (FOLDS - 1) / FOLDS);
        assert_near(mean, means[i], 1e-12 * means[i]);
        assert_near(error, errors[i], 1e-9 * means[i]);
        best = means[i] < means[best] ? i : best;
    }
    simple = simplest(means, errors, best, 1);
    differ = (simplest(means, errors, best, 0.5) != simple) + 2 * (simplest(means, errors, best, 2) != simple);
    assert_int_equal(spgm_cv_best(cv), best);
    assert_int_equal(spgm_cv_one_standard_error(cv), simple);
    assert_true(ascending[best] > 1 || noise > 0); /* two columns make the target */
    spgm_cv_free(cv);
    spgm_options_free(options);
    free_instance(in);
    return differ;
}

static void rules_follow_from_the_losses(void **state) {
    int differ = 0;

    (void)state;
    for (int i = 0; i < 24; i++) {
        differ |= check_rules(2.0 * (i % 4));
    }
    assert_int_equal(differ, 3); /* or neither of them would be noticed */
}

/* ---- folds
 * ----------------------------------------------------------------------------------------------------------- */

static void folds_of(const char *loss, const char *seed, int64_t *fold_of_row, struct instance *in) {
    const char *const pairs[] = {"loss", loss, "seed", seed, NULL};
    spgm_options *options = make_options(pairs);
    spgm_cv *cv = make_cv(in, 0, 0, options);

    spgm_cv_get_fold_of_row(cv, fold_of_row);
    spgm_cv_free(cv);
    spgm_options_free(options);
}

static void folds_repeat_and_are_even(void **state) {
    struct instance *in = make_instance(1);
    int64_t first[ROWS], again[ROWS], other[ROWS];

    (void)state;
    for (int h = 0; h < 2; h++) {
        const char *loss = h ? "hinge" : "l1";

        folds_of(loss, "7", first, in);
        folds_of(loss, "7", again, in);
        folds_of(loss, "8", other, in);
        assert_memory_equal(first, again, sizeof first);
        assert_memory_not_equal(first, other, sizeof first);
        for (int label = 0; label < 2; label++) { /* of each label, and of all rows, folds differ by at most one */
            int64_t low = ROWS, high = 0, low_all = ROWS, high_all = 0;

            for (int64_t fold = 0; fold < FOLDS; fold++) {
                int64_t count = 0, all = 0;

                for (int64_t i = 0; i < ROWS; i++) {
                    all += first[i] == fold;
                    count += first[i] == fold && in->b[i] == (label ? 4 : 2);
                }
                low = count < low ? count : low;
                high = count > high ? count : high;
                low_all = all < low_all ? all : low_all;
                high_all = all > high_all ? all : high_all;
            }
            assert_true(high_all - low_all <= 1);
            assert_true(!h || high - low <= 1);
        }
    }
    free_instance(in);
}

static void given_folds_are_used(void **state) {
    static const char *const pairs[] = {"ridge", "0.01", NULL};
    struct instance *in = make_instance(0);
    spgm_options *options = make_options(pairs);
    spgm_cv *cv = make_cv(in, 0, 0, options);
    int64_t folds[ROWS], seen[ROWS];
    double expected[COUNT], got[3];

    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        folds[i] = i / 20;
    }
    assert_int_equal(spgm_cv_set_folds(cv, folds, 3, NULL), SPGM_OK);
    run_cv(cv);
    assert_int_equal(spgm_cv_folds(cv), 3);
    spgm_cv_get_fold_of_row(cv, seen);
    assert_memory_equal(folds, seen, sizeof folds);
    book_fold(in, "l1", 0, options, folds, 2, expected);
    spgm_cv_get(cv, 2, got, NULL, NULL);
    assert_near(got[2], expected[2], 1e-9);
    spgm_cv_free(cv);
    spgm_options_free(options);
    free_instance(in);
}

/* ---- threads and interrupts
 * ------------------------------------------------------------------------------------------- */

static void losses_do_not_depend_on_threads(void **state) {
    double seen[2][COUNT][FOLDS];
    struct instance *in = make_instance(0);

    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *const pairs[] = {"threads", k ? "4" : "1", NULL};
        spgm_options *options = make_options(pairs);
        spgm_cv *cv = make_cv(in, 0, 0, options);
        long long before = wakes;

        run_cv(cv);
        assert_int_equal(wakes - before, k);
        for (int64_t i = 0; i < COUNT; i++) {
            spgm_cv_get(cv, i, seen[k][i], NULL, NULL);
        }
        spgm_cv_free(cv);
        spgm_options_free(options);
    }
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    free_instance(in);
}

struct watcher {
    spgm_cv *cv;
    int64_t calls, folds, last;
    double fraction;
};

static int watch(const spgm_progress *progress, void *context) {
    struct watcher *watcher = context;

    watcher->calls++;
    assert_true(progress->iteration >= watcher->last && progress->iteration % COUNT == 0);
    assert_true(progress->fraction >= 0 && progress->fraction < 1 && progress->fraction >= watcher->fraction);
    watcher->last = progress->iteration;
    watcher->fraction = progress->fraction;
    return progress->iteration == watcher->folds * COUNT;
}

/* Stopped after the second fold: two folds have losses, the rest are NaN and left out of the means. */
static void interrupted_folds_are_left_out(void **state) {
    static const char *const pairs[] = {"threads", "1", NULL};
    struct instance *in = make_instance(0);
    spgm_options *options = make_options(pairs);
    struct watcher watcher = {.folds = 2};
    spgm_cv *cv = make_cv(in, 0, 0, options);
    double seen[FOLDS], mean, error;

    (void)state;
    spgm_cv_set_progress(cv, watch, &watcher);
    run_cv(cv);
    assert_true(watcher.calls > 2);
    spgm_cv_get(cv, 1, seen, &mean, &error);
    assert_true(isfinite(seen[0]) && isfinite(seen[1]) && isnan(seen[2]) && isnan(seen[3]) && isnan(seen[4]));
    assert_near(mean, (seen[0] + seen[1]) / 2, 1e-12 * mean);
    assert_near(error, fabs(seen[0] - seen[1]) / 2, 1e-12 * mean);
    assert_true(spgm_cv_best(cv) >= 0 && !spgm_cv_is_whole(cv));
    watcher = (struct watcher){.folds = 0};
    run_cv(cv);
    assert_int_equal(spgm_cv_best(cv), -1);
    assert_int_equal(spgm_cv_one_standard_error(cv), -1);
    spgm_cv_set_progress(cv, NULL, NULL);
    run_cv(cv); /* a run after a stopped one is whole */
    spgm_cv_get(cv, 1, seen, NULL, NULL);
    assert_true(isfinite(seen[4]));
    spgm_cv_free(cv);
    spgm_options_free(options);
    free_instance(in);
}

/* The clock of this program, in the place of src/base/clock.c: while the gate is closed, threads other than the caller
 * wait in it, so that none can end a fold before the caller has set the flag. */
/* Whole: every fold is done. Perfect: a model without an error in the rows that have a weight, however small these
 * are. */
static void a_run_that_is_whole_or_perfect_says_so(void **state) {
    spgm_options *options = make_options((const char *[]){"folds", "4", "loss", "l1", NULL});

    (void)state;
    for (int is_exact = 0; is_exact < 2; is_exact++) {
        for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
            struct instance *in = make_instance(0);
            spgm_cv *cv;

            for (int64_t i = 0; i < ROWS; i++) {
                in->b[i] =
                    1e-9 * (in->A[i + 2 * ROWS] - in->A[i + 5 * ROWS] + (is_exact ? 0 : 1e-9 * fixture_normal()));
                in->weights[i] = 1e6 * in->weights[i];
            }
            cv = make_cv(in, 0, is_weighted, options);
            assert_false(spgm_cv_is_whole(cv));
            run_cv(cv);
            assert_true(spgm_cv_is_whole(cv));
            assert_int_equal(spgm_cv_is_perfect(cv), is_exact);
            spgm_cv_free(cv);
            free_instance(in);
        }
    }
    spgm_options_free(options);
}

static pthread_t caller;
static atomic_int gate_is_closed, waiting;

double clock_seconds(void) {
    int is_counted = 0;

    while (atomic_load(&gate_is_closed) && !pthread_equal(pthread_self(), caller)) {
        atomic_fetch_add(&waiting, !is_counted);
        is_counted = 1;
        sched_yield();
    }
    return 0;
}

/* When both other threads are at work. */
static int interrupt(const spgm_progress *progress, void *context) {
    (void)progress;
    while (atomic_load(&gate_is_closed) && atomic_load(&waiting) < 2) {
        sched_yield();
    }
    spgm_cv_interrupt(context);
    atomic_store(&gate_is_closed, 0);
    return 0;
}

static void the_flag_stops_every_thread(void **state) {
    static const char *const pairs[] = {"threads", "3", NULL};
    struct instance *in = make_instance(0);
    spgm_options *options = make_options(pairs);
    spgm_cv *cv = make_cv(in, 0, 0, options);
    double seen[FOLDS];

    (void)state;
    caller = pthread_self();
    gate_is_closed = 1;
    spgm_cv_set_progress(cv, interrupt, cv);
    run_cv(cv);
    assert_int_equal(waiting, 2);
    assert_int_equal(spgm_cv_best(cv), -1);
    spgm_cv_get(cv, 1, seen, NULL, NULL);
    for (int64_t fold = 0; fold < FOLDS; fold++) {
        assert_true(isnan(seen[fold]));
    }
    spgm_cv_free(cv);
    spgm_options_free(options);
    free_instance(in);
}

/* ---- what is set on the problem goes to the folds --------------------------------------------------------- */

static void losses_of(const spgm_problem *problem, const spgm_options *options, double *seen) {
    spgm_cv *cv = NULL;

    assert_int_equal(spgm_cv_new(problem, sparsities, COUNT, options, &cv, NULL), SPGM_OK);
    run_cv(cv);
    for (int64_t i = 0; i < COUNT; i++) {
        assert_int_equal(spgm_cv_get(cv, i, seen + i * FOLDS, NULL, NULL), ascending[i]);
    }
    spgm_cv_free(cv);
}

/* The user's slopes of a quantile give the losses of that quantile, and a linear term of zeros changes nothing; a
 * quadratic term that is large leaves the model of the intercept alone, whatever s. */
static void folds_take_slopes_and_terms(void **state) {
    static const char *const pairs[] = {"method", "exact", "loss", "quantile", "quantile", "0.3", "ridge", "2", NULL};
    static const char *const plain[] = {"method", "exact", "ridge", "2", NULL};
    struct instance *in = make_instance(0);
    spgm_options *options = make_options(pairs), *others = make_options(plain);
    double up[ROWS], down[ROWS], p[COLUMNS] = {0}, Q[COLUMNS * COLUMNS] = {0};
    double expected[COUNT * FOLDS], seen[COUNT * FOLDS];
    spgm_matrix square = spgm_dense(COLUMNS, COLUMNS, Q);

    (void)state;
    losses_of(make_problem(in, 0, 0, options), options, expected);
    for (int64_t i = 0; i < ROWS; i++) {
        up[i] = 0.7;
        down[i] = 0.3;
    }
    for (int64_t j = 0; j < COLUMNS; j++) {
        Q[j + j * COLUMNS] = 1e12;
    }
    make_problem(in, 1, 0, others);
    assert_int_equal(spgm_problem_set_slopes(in->problem, up, down, NULL, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_linear(in->problem, p, NULL), SPGM_OK);
    losses_of(in->problem, others, seen);
    for (int64_t i = 0; i < COUNT * FOLDS; i++) {
        assert_near(seen[i], expected[i], 1e-6 * (1 + expected[i]));
    }
    assert_int_equal(spgm_problem_set_free_columns(in->problem, NULL, 0, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_quadratic(in->problem, &square, NULL), SPGM_OK);
    losses_of(in->problem, others, seen);
    for (int64_t i = 0; i < COUNT * FOLDS; i++) {
        assert_near(seen[i], seen[i % FOLDS], 1e-4 * (1 + seen[i % FOLDS]));
    }
    spgm_options_free(options);
    spgm_options_free(others);
    free_instance(in);
}

/* Rows in any order and more than once, dense and sparse; wrong rows get a sentence. */
static void a_subset_is_its_rows(void **state) {
    static const int64_t rows[] = {5, 2, 40, 5, 0, 46};
    struct instance *in = make_instance(0);
    spgm_options *options = make_options((const char *const[]){"intercept", "false", NULL});
    double x[COLUMNS];
    spgm_status status;

    (void)state;
    for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
        spgm_problem *subset = NULL;
        double loss, expected = 0;

        make_problem(in, is_sparse, 1, options);
        assert_int_equal(spgm_problem_subset(in->problem, rows, 6, &subset, &status), SPGM_OK);
        assert_int_equal(spgm_problem_rows(subset), 6);
        for (int64_t j = 0; j < COLUMNS; j++) {
            x[j] = fixture_normal();
        }
        for (int64_t k = 0; k < 6; k++) {
            double r = -in->b[rows[k]];

            for (int64_t j = 0; j < COLUMNS; j++) {
                r += in->A[rows[k] + j * ROWS] * x[j];
            }
            expected += in->weights[rows[k]] * fabs(r);
        }
        assert_int_equal(spgm_problem_evaluate(subset, x, 0, &loss, NULL, NULL, &status), SPGM_OK);
        assert_near(loss, expected, 1e-13 * expected);
        spgm_problem_free(subset);
        subset = NULL;
        assert_int_equal(spgm_problem_subset(in->problem, (const int64_t[]){1, 47}, 2, &subset, &status),
                         SPGM_ERROR_ARGUMENT);
        assert_null(subset);
        assert_string_equal(status.message, "row 47 (counted from 0) does not exist: A has 47 rows");
        assert_int_equal(spgm_problem_subset(in->problem, rows, 0, &subset, &status), SPGM_ERROR_ARGUMENT);
    }
    spgm_options_free(options);
    free_instance(in);
}

/* ---- what is refused
 * ----------------------------------------------------------------------------------------------------- */

static void refuse_new(struct instance *in, const char *name, const char *value, const int64_t *list, int64_t count,
                       spgm_error code, const char *sentence) {
    const char *const pairs[] = {name, value, NULL};
    spgm_options *options = make_options(pairs);
    spgm_cv *cv = NULL;
    spgm_status status;

    assert_int_equal(spgm_cv_new(make_problem(in, 0, 0, options), list, count, options, &cv, &status), code);
    assert_null(cv);
    assert_string_equal(status.message, sentence);
    spgm_options_free(options);
}

static void refuse_folds(spgm_cv *cv, const int64_t *folds, int64_t count, const char *sentence) {
    spgm_status status;

    assert_int_equal(spgm_cv_set_folds(cv, folds, count, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, sentence);
}

static void refuse_run(spgm_cv *cv, const char *sentence) {
    spgm_status status;

    assert_int_equal(spgm_cv_run(cv, &status), SPGM_ERROR_DATA);
    assert_string_equal(status.message, sentence);
}

static void what_is_wrong_is_said(void **state) {
    static const char *const pairs[] = {"loss", "hinge", NULL};
    struct instance *in = make_instance(1);
    spgm_options *options = make_options(pairs);
    int64_t folds[ROWS] = {0}, high[] = {14};
    spgm_cv *cv = NULL;
    double weights[ROWS] = {0};
    spgm_status status;

    (void)state;
    refuse_new(in, "folds", "48", sparsities, COUNT, SPGM_ERROR_OPTION,
               "option folds is 48 but the data have 47 rows: every fold needs at least one");
    refuse_new(in, "folds", "5", high, 1, SPGM_ERROR_ARGUMENT,
               "sparsity 1 of the list is 14: it must be at least 0 and at most the 13 columns of the data");
    refuse_new(in, "folds", "5", sparsities, 0, SPGM_ERROR_ARGUMENT,
               "the list of sparsities is empty: give at least one number of nonzeros");
    assert_int_equal(spgm_cv_new(NULL, high, 1, NULL, &cv, &status), SPGM_ERROR_ARGUMENT);
    cv = make_cv(in, 0, 0, options);
    refuse_folds(cv, folds, 1,
                 "1 folds given: there must be at least 2, at most the 47 rows, and a fold for every row");
    refuse_folds(cv, folds, 2, "fold 1 (counted from 0) has no rows: number the folds without gaps");
    folds[3] = 2;
    refuse_folds(cv, folds, 2, "row 4 is in fold 2: folds are numbered 0 to 1");
    for (int64_t i = 0; i < ROWS; i++) {
        folds[i] = in->b[i] == 4;
    }
    assert_int_equal(spgm_cv_set_folds(cv, folds, 2, NULL), SPGM_OK);
    refuse_run(cv, "all rows with the label 2 are in fold 1: a label needs rows in at least two folds");
    spgm_cv_free(cv);
    weights[5] = 1;
    make_problem(in, 0, 0, NULL);
    assert_int_equal(spgm_problem_set_weights(in->problem, weights, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_new(in->problem, sparsities, COUNT, NULL, &cv, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_run(cv, &status), SPGM_ERROR_DATA);
    assert_non_null(strstr(status.message, "have weight zero: use fewer folds, or drop rows without weight"));
    spgm_cv_free(cv);
    spgm_cv_free(NULL);
    spgm_options_free(options);
    free_instance(in);
}

/* Few rows with weight: every fold has its part of them, and its part of all. */
static void rows_without_weight_are_dealt_apart(void **state) {
    enum { ALL = 60, WITH = 14, PARTS = 10 };
    double weights[ALL] = {0};
    int64_t fold_of_row[ALL], work[ALL];

    (void)state;
    for (int i = 0; i < WITH; i++) {
        weights[(7 * i) % ALL] = 1 + i;
    }
    for (int64_t repeat = 0; repeat < 50; repeat++) {
        int with[PARTS] = {0}, all[PARTS] = {0};

        folds_draw(ALL, NULL, 0, weights, PARTS, 1, repeat, fold_of_row, work);
        for (int i = 0; i < ALL; i++) {
            with[fold_of_row[i]] += weights[i] > 0;
            all[fold_of_row[i]]++;
        }
        for (int fold = 0; fold < PARTS; fold++) {
            assert_in_range(with[fold], WITH / PARTS, WITH / PARTS + 1);
            assert_int_equal(all[fold], ALL / PARTS);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(losses_are_those_of_separate_paths),
        unit_test_alone(losses_are_those_of_single_fits),
        unit_test_alone(rules_follow_from_the_losses),
        unit_test_alone(folds_repeat_and_are_even),
        unit_test_alone(given_folds_are_used),
        cmocka_unit_test(losses_do_not_depend_on_threads),
        cmocka_unit_test(rows_without_weight_are_dealt_apart),
        cmocka_unit_test(interrupted_folds_are_left_out),
        cmocka_unit_test(a_run_that_is_whole_or_perfect_says_so),
        cmocka_unit_test(the_flag_stops_every_thread),
        unit_test_alone(folds_take_slopes_and_terms),
        unit_test_alone(a_subset_is_its_rows),
        unit_test_alone(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
