/*
 * Cross-validation over s and the ridge: losses as independent fits to copied rows give them, the ridge on deviations,
 * the rules from the losses, several problems at once, the range of s, the same bits for any number of threads.
 */
#define FIXTURE_SEED 59
#include "unit/model_fixture.h"

#include "share.h"
#include "spgm/spgm.h"
#include "woken.h"

enum { ROWS = 60, COLUMNS = 9, FOLDS = 4, RIDGES = 3 };

static const double ridges[RIDGES] = {0.5, 30, 0}; /* given in any order */
static const double descending[RIDGES] = {30, 0.5, 0};

struct instance {
    double A[ROWS * COLUMNS], b[ROWS], weights[ROWS];
    spgm_matrix matrix;
};

/* Columns of very different size, one of them far from zero, one zero but in three rows. */
static void make_instance(struct instance *in, int is_classifier) {
    for (int64_t j = 0; j < COLUMNS; j++) {
        for (int64_t i = 0; i < ROWS; i++) {
            double value = fixture_normal();

            in->A[i + j * ROWS] = j == 4   ? 7 + value
                                  : j == 7 ? (i % 20 == 3 ? value : 0)
                                           : value * pow(10, (double)(j % 3) - 1);
        }
    }
    for (int64_t i = 0; i < ROWS; i++) {
        in->b[i] = 20 * in->A[i] - 3 * in->A[i + 4 * ROWS] + fixture_normal();
        in->b[i] = is_classifier ? (in->b[i] > -21 ? 1 : -1) : in->b[i];
        in->weights[i] = 0.5 * (double)(1 + i % 3);
    }
    in->matrix = spgm_dense(ROWS, COLUMNS, in->A);
}

static spgm_options *make_options(const char *loss) {
    spgm_options *options = spgm_options_new();

    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "folds", "4", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "repeats", "1", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "loss", loss, NULL), SPGM_OK);
    return options;
}

static spgm_problem *make_problem(const struct instance *in, const double *weights, const spgm_options *options) {
    spgm_problem *problem = NULL;

    assert_int_equal(spgm_problem_new(&in->matrix, in->b, options, &problem, NULL), SPGM_OK);
    if (weights != NULL) {
        assert_int_equal(spgm_problem_set_weights(problem, weights, NULL), SPGM_OK);
    }
    return problem;
}

static void run_cv(spgm_cv *cv) {
    spgm_status status;

    if (spgm_cv_run(cv, &status) != SPGM_OK) {
        fail_msg("%s", status.message);
    }
}

/* ---- the ridge on deviations ----------------------------------------------------------------------------------- */

/* The larger of the standard deviation and a fifth of the largest deviation, over rows given by their number. */
static double deviation(const struct instance *in, const double *weights, int64_t j, int64_t count, const int64_t *rows,
                        int has_intercept) {
    double mean = 0, all = 0, square = 0, largest = 0;

    for (int64_t i = 0; i < count; i++) {
        double w = weights == NULL ? 1 : weights[rows[i]];

        mean += w * in->A[rows[i] + j * ROWS];
        all += w;
    }
    mean = has_intercept ? mean / all : 0;
    for (int64_t i = 0; i < count; i++) {
        double d = in->A[rows[i] + j * ROWS] - mean;

        square += (weights == NULL ? 1 : weights[rows[i]]) * d * d / all;
        largest = fmax(largest, fabs(d));
    }
    return fmax(sqrt(square), 0.2 * largest);
}

static void the_ridge_acts_on_deviations(void **state) {
    struct instance in;
    int64_t rows[ROWS];

    (void)state;
    make_instance(&in, 0);
    for (int64_t i = 0; i < ROWS; i++) {
        rows[i] = i;
    }
    for (int kind = 0; kind < 4; kind++) {
        const double *weights = kind % 2 ? in.weights : NULL;
        spgm_options *options = make_options("l1");
        double x[COLUMNS], smooth, expected = 0;
        spgm_problem *problem;

        assert_int_equal(spgm_options_set(options, "intercept", kind < 2 ? "true" : "false", NULL), SPGM_OK);
        assert_int_equal(spgm_options_set(options, "ridge", "3", NULL), SPGM_OK);
        assert_int_equal(spgm_options_set(options, "ridge_scale", "deviation", NULL), SPGM_OK);
        problem = make_problem(&in, weights, options);
        for (int64_t j = 0; j < COLUMNS; j++) {
            double d = deviation(&in, weights, j, ROWS, rows, kind < 2);

            x[j] = fixture_normal();
            expected += 1.5 * d * d * x[j] * x[j];
        }
        assert_int_equal(spgm_problem_evaluate(problem, x, 0, NULL, NULL, &smooth, NULL), SPGM_OK);
        assert_near(smooth, expected, 1e-12 * expected);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
}

/* Units do not matter, and stored zeros neither. */
static void columns_in_other_units_give_the_same_model(void **state) {
    struct instance in, other;
    spgm_options *options = make_options("l1");
    spgm_problem *problem;
    double x[2][COLUMNS], c[2], smooth[2];
    spgm_info info[2];

    (void)state;
    make_instance(&in, 0);
    other = in;
    other.matrix = spgm_dense(ROWS, COLUMNS, other.A);
    for (int64_t k = 0; k < ROWS * COLUMNS; k++) {
        other.A[k] *= 1000;
    }
    for (int k = 0; k < 2; k++) {
        spgm_solver *solver = NULL;

        problem = make_problem(k ? &other : &in, NULL, options);
        assert_int_equal(spgm_problem_set_ridge(problem, 5, 1, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_new(problem, 4, options, &solver, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
        spgm_solver_get_x(solver, x[k], &c[k]);
        info[k] = spgm_solver_get_info(solver);
        smooth[k] = info[k].smooth_value;
        spgm_solver_free(solver);
        spgm_problem_free(problem);
    }
    assert_near(info[0].objective, info[1].objective, 1e-7 * info[0].objective);
    assert_near(smooth[0], smooth[1], 1e-5 * smooth[0]);
    for (int64_t j = 0; j < COLUMNS; j++) {
        assert_near(x[0][j], 1000 * x[1][j], 1e-5 * (1 + fabs(x[0][j])));
    }
    spgm_options_free(options);
}

static void a_ridge_that_is_none_is_refused(void **state) {
    struct instance in;
    spgm_options *options = make_options("l1");
    spgm_problem *problem;
    spgm_status status;

    (void)state;
    make_instance(&in, 0);
    problem = make_problem(&in, NULL, options);
    assert_int_equal(spgm_problem_set_ridge(problem, -1, 0, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "the ridge is -1: it must be a number of at least 0");
    assert_int_equal(spgm_problem_set_ridge(problem, NAN, 0, NULL), SPGM_ERROR_ARGUMENT);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* ---- losses of the grid ---------------------------------------------------------------------------------------- */

/* Of a hinge at the best multiple of the scores: at one of the kinks, or at 0. */
static double book_hinge(int64_t count, const double *margins, const double *weights) {
    double lowest = INFINITY;

    for (int64_t k = -1; k < count; k++) {
        double t = k < 0 ? 0 : 1 / margins[k], sum = 0;

        for (int64_t i = 0; i < count; i++) {
            sum += weights[i] * fmax(0, 1 - t * margins[i]);
        }
        lowest = t >= 0 && t <= 4096 ? fmin(lowest, sum) : lowest;
    }
    return lowest;
}

static double row_loss(const char *loss, double r) {
    return strcmp(loss, "squared") == 0 ? r * r / 2 : fabs(r);
}

/* The fit of all columns to the rows outside a fold, with the ridge times their share of the weight, and its loss on
 * the rows of the fold. */
static double book_loss(const struct instance *in, const char *loss, const double *weights, const spgm_options *options,
                        const int64_t *fold_of_row, int64_t fold, double ridge, int by_deviation) {
    double A[ROWS * COLUMNS], b[ROWS], w[ROWS], x[COLUMNS], c, inside = 0, outside = 0, sum = 0;
    double margins[ROWS], shares[ROWS];
    int64_t rows[ROWS], count = 0, held = 0;
    spgm_matrix matrix;
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;

    for (int64_t i = 0; i < ROWS; i++) {
        double weight = weights == NULL ? 1 : weights[i];

        if (fold_of_row[i] == fold) {
            inside += weight;
        } else {
            outside += weight;
            rows[count++] = i;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        b[i] = in->b[rows[i]];
        w[i] = weights == NULL ? 1 : weights[rows[i]];
        for (int64_t j = 0; j < COLUMNS; j++) {
            /* the deviation put into the column, so that a plain ridge does the same */
            double d = by_deviation ? deviation(in, weights, j, count, rows, 1) : 1;

            A[i + j * count] = in->A[rows[i] + j * ROWS] / d;
        }
    }
    matrix = spgm_dense(count, COLUMNS, A);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_weights(problem, w, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_ridge(problem, ridge * outside / (inside + outside), 0, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, COLUMNS, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    spgm_solver_get_x(solver, x, &c);
    for (int64_t i = 0; i < ROWS; i++) {
        double p = c;

        for (int64_t j = 0; fold_of_row[i] == fold && j < COLUMNS; j++) {
            double d = by_deviation ? deviation(in, weights, j, count, rows, 1) : 1;

            p += x[j] * in->A[i + j * ROWS] / d;
        }
        if (fold_of_row[i] == fold) {
            margins[held] = p * in->b[i];
            shares[held] = weights == NULL ? 1 : weights[i];
            sum += shares[held++] * row_loss(loss, p - in->b[i]);
        }
    }
    if (strcmp(loss, "hinge") == 0) {
        sum = book_hinge(held, margins, shares);
    }
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    return sum / inside;
}

static void losses_are_those_of_fits_with_each_ridge(void **state) {
    static const char *const losses[] = {"l1", "hinge", "squared"};
    static const int64_t sizes[] = {COLUMNS, 0}; /* where there is but one support */

    (void)state;
    for (int l = 0; l < 6; l++) {
        const char *loss = losses[l % 3];
        int is_scaled = l >= 3;
        struct instance in;
        spgm_options *options = make_options(loss);
        const double *weights;
        spgm_problem *problem;
        spgm_cv *cv = NULL;
        int64_t fold_of_row[ROWS];
        double seen[FOLDS];

        make_instance(&in, l % 3 == 1);
        weights = l % 2 ? in.weights : NULL;
        problem = make_problem(&in, weights, options);
        assert_int_equal(spgm_cv_new(problem, sizes, 2, options, &cv, NULL), SPGM_OK);
        assert_int_equal(spgm_cv_set_ridges(cv, is_scaled ? NULL : ridges, is_scaled ? 0 : RIDGES, NULL), SPGM_OK);
        run_cv(cv);
        spgm_cv_get_fold_of_row(cv, fold_of_row);
        assert_int_equal(spgm_cv_ridge_count(cv), is_scaled ? 7 : RIDGES);
        for (int64_t k = 0; k < spgm_cv_ridge_count(cv); k++) {
            double ridge = spgm_cv_ridge(cv, k);

            assert_true(is_scaled || ridge == descending[k]);
            assert_int_equal(spgm_cv_get_at(cv, 1, k, seen, NULL, NULL), COLUMNS);
            for (int64_t fold = 0; fold < FOLDS; fold++) {
                double expected = book_loss(&in, loss, weights, options, fold_of_row, fold, ridge, is_scaled);

                if (ridge > 0) { /* of a hinge without ridge there may be several minimisers */
                    assert_near(seen[fold], expected, 1e-4 * (1 + expected));
                }
            }
        }
        spgm_cv_free(cv);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
}

/* ---- ridges in proportion to the data --------------------------------------------------------------------- */

static double largest_scaled(const struct instance *in, const char *loss) {
    spgm_options *options = make_options(loss);
    spgm_problem *problem = make_problem(in, NULL, options);
    spgm_cv *cv = NULL;
    const int64_t size = 1;
    double largest;

    assert_int_equal(spgm_cv_new(problem, &size, 1, options, &cv, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_set_ridges(cv, NULL, 0, NULL), SPGM_OK);
    assert_true(isnan(spgm_cv_ridge(cv, 0)));
    run_cv(cv);
    largest = spgm_cv_ridge(cv, 0);
    assert_true(spgm_cv_ridge(cv, spgm_cv_ridge_count(cv) - 1) == 0);
    assert_true(isnan(spgm_cv_ridge(cv, spgm_cv_ridge_count(cv))));
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return largest;
}

static void ridges_follow_the_units_of_the_target(void **state) {
    struct instance in;
    double l1, squared, l1_large, squared_large, sum = 0, median_sum = 0, mean = 0;

    (void)state;
    make_instance(&in, 0);
    l1 = largest_scaled(&in, "l1");
    squared = largest_scaled(&in, "squared");
    for (int64_t i = 0; i < ROWS; i++) {
        mean += in.b[i] / ROWS;
    }
    for (int64_t i = 0; i < ROWS; i++) { /* 16 ||u||_1^2 / (2 h) at the mean, by hand */
        sum += fabs(in.b[i] - mean);
        median_sum += (in.b[i] - mean) * (in.b[i] - mean) / 2;
    }
    assert_near(squared, 16 * sum * sum / (2 * median_sum), 1e-6 * squared);
    for (int64_t i = 0; i < ROWS; i++) {
        in.b[i] *= 100;
    }
    l1_large = largest_scaled(&in, "l1");
    squared_large = largest_scaled(&in, "squared");
    assert_near(l1_large, l1 / 100, 1e-6 * l1);
    assert_near(squared_large, squared, 1e-6 * squared);
    for (int64_t i = 0; i < ROWS; i++) { /* a constant model is perfect: nothing to shrink */
        in.b[i] = 3;
    }
    assert_true(largest_scaled(&in, "l1") == 0);
}

/* ---- rules ------------------------------------------------------------------------------------------------ */

static void rules_follow_from_the_grid(void **state) {
    static const int64_t sizes[] = {0, 1, 2, 4, 9};
    struct instance in;
    spgm_options *options = make_options("l1");
    spgm_problem *problem;
    spgm_cv *cv = NULL;
    double mean[5][RIDGES], error[5][RIDGES], limit, curve;
    int64_t best = 0, best_k = 0, i, k, simple = -1, shrunk = -1;
    spgm_status status;

    (void)state;
    make_instance(&in, 0);
    problem = make_problem(&in, NULL, options);
    assert_int_equal(spgm_cv_new(problem, sizes, 5, options, &cv, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_set_ridges(cv, ridges, RIDGES, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_choose(cv, "min", &i, &k, NULL), SPGM_OK);
    assert_true(i == -1 && k == -1); /* not run */
    run_cv(cv);
    for (i = 0; i < 5; i++) {
        for (k = 0; k < RIDGES; k++) {
            double losses[FOLDS], sum = 0, square = 0;

            assert_int_equal(spgm_cv_get_at(cv, i, k, losses, &mean[i][k], &error[i][k]), sizes[i]);
            for (int fold = 0; fold < FOLDS; fold++) {
                sum += losses[fold] / FOLDS;
            }
            for (int fold = 0; fold < FOLDS; fold++) {
                square += (losses[fold] - sum) * (losses[fold] - sum);
            }
            assert_near(mean[i][k], sum, 1e-12 * sum);
            assert_near(error[i][k], sqrt(square / (FOLDS - 1) / FOLDS), 1e-9 * sum);
            if (mean[i][k] < mean[best][best_k]) {
                best = i;
                best_k = k;
            }
        }
        spgm_cv_get(cv, i, NULL, &curve, NULL);
        assert_true(curve == fmin(mean[i][0], fmin(mean[i][1], mean[i][2])));
    }
    limit = mean[best][best_k] + error[best][best_k];
    for (i = 4; i >= 0; i--) {
        for (k = 0; k < RIDGES; k++) {
            simple = mean[i][k] <= limit ? i : simple;
        }
    }
    for (k = RIDGES - 1; k >= 0; k--) {
        shrunk = mean[best][k] <= limit ? k : shrunk;
    }
    assert_int_equal(spgm_cv_choose(cv, "min", &i, &k, NULL), SPGM_OK);
    assert_true(i == best && k == best_k);
    assert_int_equal(spgm_cv_choose(cv, "shrunk", &i, &k, NULL), SPGM_OK);
    assert_true(i == best && k == shrunk);
    assert_int_equal(spgm_cv_choose(cv, "projected", &i, &k, NULL), SPGM_OK);
    assert_true(i == best && k == best_k);
    assert_int_equal(spgm_cv_choose(cv, "1se", &i, &k, NULL), SPGM_OK);
    assert_int_equal(i, simple);
    for (int64_t other = 0; other < RIDGES; other++) {
        assert_true(mean[simple][k] <= mean[simple][other]);
    }
    assert_int_equal(spgm_cv_choose(cv, "2se", &i, &k, &status), SPGM_ERROR_OPTION);
    assert_string_equal(status.message, "there is no rule '2se': it must be one of min|1se|shrunk|projected");
    assert_int_equal(spgm_cv_choose(cv, NULL, NULL, NULL, NULL), SPGM_ERROR_OPTION);
    assert_int_equal(spgm_cv_get_at(cv, 0, RIDGES, NULL, NULL, NULL), -1);
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* ---- several problems, threads, the range of s
 * ------------------------------------------------------------------------ */

/* Losses of (s, ridge, fold) for any number of threads, of one problem or of two together. */
static int64_t losses_of(spgm_problem *const *problems, int64_t count, const char *threads, double *seen) {
    spgm_options *options = make_options("hinge");
    spgm_cv *cv = NULL;
    int64_t sizes;

    assert_int_equal(spgm_options_set(options, "threads", threads, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_new(problems[0], NULL, 0, options, &cv, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_count(cv), 0);
    for (int64_t k = 1; k < count; k++) {
        assert_int_equal(spgm_cv_add(cv, problems[k], NULL), SPGM_OK);
    }
    assert_int_equal(spgm_cv_set_ridges(cv, ridges, RIDGES, NULL), SPGM_OK);
    run_cv(cv);
    sizes = spgm_cv_count(cv);
    for (int64_t i = 0; i < sizes; i++) {
        for (int64_t k = 0; k < RIDGES; k++) {
            spgm_cv_get_at(cv, i, k, seen + (i * RIDGES + k) * FOLDS, NULL, NULL);
        }
    }
    spgm_cv_free(cv);
    spgm_options_free(options);
    return sizes;
}

static void problems_together_have_mean_losses(void **state) {
    struct instance in[2];
    spgm_options *options = make_options("logistic"); /* hinges of several labels are judged otherwise than of two */
    spgm_problem *problems[2];
    double one[COLUMNS + 1][RIDGES][FOLDS], two[COLUMNS + 1][RIDGES][FOLDS], both[COLUMNS + 1][RIDGES][FOLDS];
    double again[COLUMNS + 1][RIDGES][FOLDS];
    int64_t sizes, alone;

    (void)state;
    make_instance(&in[0], 1);
    in[1] = in[0];
    in[1].matrix = spgm_dense(ROWS, COLUMNS, in[1].A);
    for (int k = 0; k < 2; k++) {
        problems[k] = make_problem(&in[k], NULL, options);
    }
    /* the same folds, which follow the labels of the first */
    alone = losses_of(problems, 1, "1", &one[0][0][0]);
    assert_int_equal(losses_of(problems + 1, 1, "3", &two[0][0][0]), alone);
    assert_memory_equal(one, two, (size_t)alone * sizeof one[0]);
    sizes = losses_of(problems, 2, "1", &both[0][0][0]);
    assert_int_equal(losses_of(problems, 2, "3", &again[0][0][0]), sizes);
    assert_memory_equal(both, again, (size_t)sizes * sizeof both[0]);
    assert_int_equal(sizes, alone);
    for (int64_t i = 0; i < sizes; i++) {
        for (int64_t k = 0; k < RIDGES; k++) {
            for (int64_t fold = 0; fold < FOLDS; fold++) {
                assert_near(both[i][k][fold], one[i][k][fold], 1e-12);
            }
        }
    }
    for (int k = 0; k < 2; k++) {
        spgm_problem_free(problems[k]);
    }
    spgm_options_free(options);
}

/* Splits are those of other draws; the standard error is that of one of them. */
static void splits_are_repeated(void **state) {
    static const int64_t size = 2;
    struct instance in;
    spgm_options *options = make_options("l1");
    spgm_problem *problem;
    double seen[3 * FOLDS], first[FOLDS], mean, error, sum = 0, square = 0;

    (void)state;
    make_instance(&in, 0);
    problem = make_problem(&in, NULL, options);
    for (int repeats = 1; repeats <= 3; repeats += 2) {
        spgm_cv *cv = NULL;

        assert_int_equal(spgm_options_set(options, "repeats", repeats == 1 ? "1" : "3", NULL), SPGM_OK);
        assert_int_equal(spgm_cv_new(problem, &size, 1, options, &cv, NULL), SPGM_OK);
        run_cv(cv);
        assert_int_equal(spgm_cv_folds(cv), repeats * FOLDS);
        spgm_cv_get(cv, 0, repeats == 1 ? first : seen, &mean, &error);
        spgm_cv_free(cv);
    }
    assert_memory_equal(first, seen, sizeof first);
    assert_true(memcmp(seen, seen + FOLDS, sizeof first) != 0);
    assert_true(memcmp(seen + FOLDS, seen + 2 * FOLDS, sizeof first) != 0);
    for (int k = 0; k < 3 * FOLDS; k++) {
        sum += seen[k] / (3 * FOLDS);
    }
    for (int k = 0; k < 3 * FOLDS; k++) {
        square += (seen[k] - sum) * (seen[k] - sum);
    }
    assert_near(mean, sum, 1e-12 * sum);
    assert_near(error, sqrt(square / (3 * FOLDS - 1) / FOLDS), 1e-9 * sum);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* 200 rows, 100 columns, of which `relevant` matter: s goes far enough, and not to the end of what rows carry. */
static void the_range_of_s_follows_the_data(void **state) {
    enum { M = 200, N = 100 };
    static double A[M * N], b[M];
    static const int64_t relevants[] = {2, 14};

    (void)state;
    for (int64_t k = 0; k < M * N; k++) {
        A[k] = fixture_normal();
    }
    for (int t = 0; t < 2; t++) {
        int64_t relevant = relevants[t], i, largest;
        spgm_options *options = make_options("l1");
        spgm_matrix matrix = spgm_dense(M, N, A);
        spgm_problem *problem = NULL;
        spgm_cv *cv = NULL;

        for (i = 0; i < M; i++) {
            b[i] = 0.5 * fixture_normal();
            for (int64_t j = 0; j < relevant; j++) {
                b[i] += A[i + j * M];
            }
        }
        assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_cv_new(problem, NULL, 0, options, &cv, NULL), SPGM_OK);
        run_cv(cv);
        assert_int_equal(spgm_cv_choose(cv, "1se", &i, NULL, NULL), SPGM_OK);
        assert_true(spgm_cv_get(cv, i, NULL, NULL, NULL) >= relevant);
        largest = spgm_cv_get(cv, spgm_cv_count(cv) - 1, NULL, NULL, NULL);
        assert_true(largest >= 2 * relevant &&
                    largest >= 31); /* at least the first 32 are looked at, whatever the first 8 say */
        assert_true(largest <= 32 || largest <= 4 * relevant);
        assert_int_equal(spgm_cv_get(cv, spgm_cv_count(cv), NULL, NULL, NULL), -1);
        spgm_cv_free(cv);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
}

/* The lowest mean of [first, last) and its standard error. */
static double lowest_of(const spgm_cv *cv, int64_t first, int64_t last, double *standard_error) {
    double lowest = INFINITY;

    for (int64_t i = first; i < last; i++) {
        double mean, spread;

        spgm_cv_get(cv, i, NULL, &mean, &spread);
        *standard_error = mean < lowest ? spread : *standard_error;
        lowest = fmin(lowest, mean);
    }
    return lowest;
}

/* With labels the range goes on from 32 and 64 unless its upper half is above the lower one by a standard error. */
static void the_range_of_s_is_longer_with_labels(void **state) {
    enum { M = 200, N = 100 };
    static double A[M * N], b[M];
    static const char *const losses[] = {"hinge", "logistic"};
    int went_on_without_gain = 0;

    (void)state;
    PLAIN_ONLY();
    for (int trial = 0; trial < 6; trial++) {
        spgm_options *options = make_options(losses[trial % 2]);
        spgm_matrix matrix = spgm_dense(M, N, A);
        spgm_problem *problem = NULL;
        spgm_cv *cv = NULL;
        int64_t most = 32, count, largest;

        for (int64_t k = 0; k < M * N; k++) {
            A[k] = fixture_normal();
        }
        for (int64_t i = 0; i < M; i++) {
            double score = fixture_normal();

            for (int64_t j = 0; j < 8; j++) {
                score += A[i + j * M] / 4;
            }
            b[i] = score > 0 ? 1 : -1;
        }
        assert_int_equal(spgm_options_set(options, "ridge", "300", NULL), SPGM_OK); /* hardly anything is fitted */
        assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_cv_new(problem, NULL, 0, options, &cv, NULL), SPGM_OK);
        run_cv(cv);
        count = spgm_cv_count(cv);
        largest = spgm_cv_get(cv, count - 1, NULL, NULL, NULL);
        for (int is_over = 0; !is_over; most *= 2) {
            int64_t half = 0, last = 0, reached;
            double spread = 0, lower = 0, upper = 0, unused = 0;

            while (last < count && spgm_cv_get(cv, last, NULL, NULL, NULL) <= most) {
                last++;
            }
            reached = spgm_cv_get(cv, last - 1, NULL, NULL, NULL);
            while (spgm_cv_get(cv, half, NULL, NULL, NULL) <= reached / 2) {
                half++;
            }
            lower = lowest_of(cv, 0, half, &spread);
            upper = lowest_of(cv, half, last, &unused);
            is_over = reached == largest;
            if (!is_over) {
                assert_true(upper < lower + spread);
                went_on_without_gain += upper >= lower;
            } else if (largest <
                       (trial % 2 == 1 ? N : M * 3 / 8)) { /* logistic: all columns; hinge: half the rows of a fit */
                assert_true(upper >= lower + spread);
            }
        }
        spgm_cv_free(cv);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
    assert_true(went_on_without_gain > 0);
}

/* How far s is tried on these data. */
static int64_t largest_tried(const spgm_problem *problem, const spgm_options *options, const double *list,
                             int64_t count) {
    spgm_cv *cv = NULL;
    int64_t largest;

    assert_int_equal(spgm_cv_new(problem, NULL, 0, options, &cv, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_set_ridges(cv, list, count, NULL), SPGM_OK);
    run_cv(cv);
    largest = spgm_cv_get(cv, spgm_cv_count(cv) - 1, NULL, NULL, NULL);
    spgm_cv_free(cv);
    return largest;
}

/* Columns that all say a little about the labels: with a ridge s goes to twice the rows of a fit, without one to half
 * of them. */
static void a_ridge_lets_s_exceed_the_rows(void **state) {
    enum { M = 40, N = 150, FITTED = M * (FOLDS - 1) / FOLDS };
    static double A[M * N], b[M];
    static const double none[] = {0}, some[] = {10, 0};
    spgm_options *options = make_options("logistic");
    spgm_matrix matrix = spgm_dense(M, N, A);
    spgm_problem *problem = NULL;

    (void)state;
    for (int64_t i = 0; i < M; i++) {
        b[i] = i % 2 == 0 ? 1 : -1;
        for (int64_t j = 0; j < N; j++) {
            A[i + j * M] = 0.4 * b[i] + fixture_normal();
        }
    }
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(largest_tried(problem, options, NULL, 0), 2 * FITTED);
    assert_int_equal(largest_tried(problem, options, some, 2), 2 * FITTED);
    assert_true(largest_tried(problem, options, none, 1) <= FITTED / 2);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

enum { FOLLOW_RIDGES = 7 }; /* that are in proportion to the data */

/* The mean over the folds, and the losses of each [FOLDS]. */
static double mean_at(const spgm_cv *cv, int64_t i, int64_t k, double *losses) {
    double mean;

    spgm_cv_get_at(cv, i, k, losses, &mean, NULL);
    return mean;
}

/* The sparsities [first, last) of one round that was tried with the ridges [from, to): of the next round those ridges
 * that are not above the best by two standard errors of the difference, side by side with it, and its neighbours. */
static void ridges_to_follow(const spgm_cv *cv, int64_t first, int64_t last, int64_t *from, int64_t *to) {
    double best_losses[FOLDS] = {0}, losses[FOLDS], lowest = INFINITY;
    int64_t best = 0, left, right;
    int is_beaten[FOLLOW_RIDGES] = {0};

    for (int64_t k = *from; k < *to; k++) {
        for (int64_t i = first; i < last; i++) {
            if (mean_at(cv, i, k, losses) < lowest) {
                lowest = mean_at(cv, i, k, best_losses);
                best = k;
            }
        }
    }
    for (int64_t k = *from; k < *to; k++) {
        int64_t at = first;
        double mean = 0, squares = 0;

        for (int64_t i = first; i < last; i++) {
            at = mean_at(cv, i, k, losses) < mean_at(cv, at, k, losses) ? i : at;
        }
        mean_at(cv, at, k, losses);
        for (int64_t fold = 0; fold < FOLDS; fold++) {
            mean += (losses[fold] - best_losses[fold]) / FOLDS;
        }
        for (int64_t fold = 0; fold < FOLDS; fold++) {
            squares += pow(losses[fold] - best_losses[fold] - mean, 2);
        }
        is_beaten[k] = mean > 2 * sqrt(squares / (FOLDS - 1) / FOLDS);
    }
    for (left = best; left > *from && !is_beaten[left - 1]; left--) {
    }
    for (right = best; right < *to - 1 && !is_beaten[right + 1]; right++) {
    }
    left = left == best ? best - 1 : left;
    right = right == best ? best + 1 : right;
    *from = left < 0 ? 0 : left;
    *to = right >= FOLLOW_RIDGES ? FOLLOW_RIDGES : right + 1;
}

/* Rounds end at s = 8, 16, 32: each is tried with the ridges that the one before leaves. */
static void later_rounds_follow_the_best_ridge(void **state) {
    enum { M = 120, N = 40 };
    static double A[M * N], b[M];
    int64_t left_out = 0;

    (void)state;
    for (int64_t k = 0; k < M * N; k++) {
        A[k] = fixture_normal();
    }
    for (int t = 0; t < 2; t++) { /* few columns matter, or all do a little */
        spgm_options *options = make_options("squared");
        spgm_matrix matrix = spgm_dense(M, N, A);
        spgm_problem *problem = NULL;
        spgm_cv *cv = NULL;
        int64_t from = 0, to = FOLLOW_RIDGES, first = 0, round = 8;
        double losses[FOLDS];

        for (int64_t i = 0; i < M; i++) {
            b[i] = (t == 0 ? 0.3 : 3) * fixture_normal();
            for (int64_t j = 0; j < (t == 0 ? 3 : N); j++) {
                b[i] += A[i + j * M] / (t == 0 ? 1 : 4);
            }
        }
        assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_cv_new(problem, NULL, 0, options, &cv, NULL), SPGM_OK);
        assert_int_equal(spgm_cv_set_ridges(cv, NULL, 0, NULL), SPGM_OK);
        run_cv(cv);
        assert_int_equal(spgm_cv_ridge_count(cv), FOLLOW_RIDGES);
        for (int64_t i = 0; i < spgm_cv_count(cv); i++) {
            if (spgm_cv_get(cv, i, NULL, NULL, NULL) > round) {
                ridges_to_follow(cv, first, i, &from, &to);
                first = i;
                round *= 2;
            }
            for (int64_t k = 0; k < FOLLOW_RIDGES; k++) {
                assert_int_equal(!isnan(mean_at(cv, i, k, losses)), k >= from && k < to);
                left_out += k < from || k >= to;
            }
        }
        assert_true(round > 8);
        spgm_cv_free(cv);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
    assert_true(left_out > 0);
}

/* ---- stopped, refused ------------------------------------------------------------------------------------- */

static int stop_at(const spgm_progress *progress, void *context) {
    double *most = context;

    assert_true(progress->fraction >= 0 && progress->fraction < 1);
    assert_string_equal(progress->method, "cross-validation");
    return progress->fraction > *most;
}

static void a_fold_that_was_stopped_is_left_out_with_every_ridge(void **state) {
    static const int64_t sizes[] = {1, 2, 3, 4};
    struct instance in;
    spgm_options *options = make_options("l1");
    spgm_problem *problem;
    spgm_cv *cv = NULL;
    double seen[FOLDS], mean, most = 0.6;
    int64_t known = -1;

    (void)state;
    make_instance(&in, 0);
    problem = make_problem(&in, NULL, options);
    assert_int_equal(spgm_options_set(options, "threads", "1", NULL), SPGM_OK);
    assert_int_equal(spgm_cv_new(problem, sizes, 4, options, &cv, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_set_ridges(cv, ridges, RIDGES, NULL), SPGM_OK);
    spgm_cv_set_progress(cv, stop_at, &most);
    run_cv(cv);
    for (int64_t i = 0; i < 4; i++) {
        for (int64_t k = 0; k < RIDGES; k++) {
            int64_t finished = 0;

            spgm_cv_get_at(cv, i, k, seen, &mean, NULL);
            for (int fold = 0; fold < FOLDS; fold++) {
                finished += !isnan(seen[fold]);
            }
            assert_true(finished >= 1 && finished < FOLDS && isfinite(mean));
            assert_true(known < 0 || known == finished);
            known = finished;
        }
    }
    most = 0;
    run_cv(cv);
    assert_int_equal(spgm_cv_best(cv), -1);
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void what_is_wrong_is_said(void **state) {
    static const double twice[] = {1, 2, 1}, negative[] = {1, -2};
    struct instance in, small;
    spgm_options *options = make_options("l1");
    spgm_problem *problem, *other;
    spgm_cv *cv = NULL;
    spgm_status status;

    (void)state;
    make_instance(&in, 0);
    small = in;
    small.matrix = spgm_dense(ROWS, COLUMNS - 1, small.A);
    problem = make_problem(&in, NULL, options);
    other = make_problem(&small, NULL, options);
    assert_int_equal(spgm_cv_new(problem, NULL, 0, options, &cv, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_set_ridges(cv, twice, 3, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "the ridge 1 is in the list twice: each may appear once");
    assert_int_equal(spgm_cv_set_ridges(cv, negative, 2, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "ridge 2 of the list is -2: it must be a number of at least 0");
    assert_int_equal(spgm_cv_set_ridges(cv, NULL, 2, NULL), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_cv_add(cv, other, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "spgm_cv_add needs a problem with as many rows and columns as the first one");
    assert_int_equal(spgm_cv_judge_by(cv, other, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message,
                        "spgm_cv_judge_by needs a problem with as many rows and columns as the first one");
    assert_int_equal(spgm_cv_judge_by(cv, NULL, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_ridge_count(cv), 1);
    assert_true(spgm_cv_ridge(cv, 0) == 0);
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    spgm_problem_free(other);
    spgm_options_free(options);
}

/* Models of squares judged by absolute errors, by fits to copied rows; all columns, so that there is but one support.
 */
static void another_loss_may_judge(void **state) {
    struct instance in;
    spgm_options *options[2] = {make_options("squared"), make_options("l1")};
    spgm_problem *problem[2];
    int64_t sparsity = COLUMNS, fold_of_row[ROWS];
    double losses[FOLDS];
    spgm_cv *cv = NULL;

    (void)state;
    make_instance(&in, 0);
    for (int k = 0; k < 2; k++) {
        problem[k] = make_problem(&in, in.weights, options[k]);
    }
    assert_int_equal(spgm_cv_new(problem[0], &sparsity, 1, options[0], &cv, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_judge_by(cv, problem[1], NULL), SPGM_OK);
    run_cv(cv);
    spgm_cv_get_fold_of_row(cv, fold_of_row);
    assert_int_equal(spgm_cv_get(cv, 0, losses, NULL, NULL), COLUMNS);
    for (int64_t fold = 0; fold < FOLDS; fold++) {
        double kept[ROWS], x[COLUMNS], c, sum = 0, weight = 0;

        for (int64_t i = 0; i < ROWS; i++) {
            kept[i] = fold_of_row[i] == fold ? 0 : in.weights[i];
        }
        spgm_problem *rest = make_problem(&in, kept, options[0]);
        spgm_solver *solver = NULL;

        assert_int_equal(spgm_solver_new(rest, COLUMNS, options[0], &solver, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
        spgm_solver_get_x(solver, x, &c);
        for (int64_t i = 0; i < ROWS; i++) {
            double r = c - in.b[i];

            for (int64_t j = 0; j < COLUMNS; j++) {
                r += in.A[i + j * ROWS] * x[j];
            }
            sum += fold_of_row[i] == fold ? in.weights[i] * fabs(r) : 0;
            weight += fold_of_row[i] == fold ? in.weights[i] : 0;
        }
        assert_near(losses[fold], sum / weight, 1e-6 * sum / weight);
        spgm_solver_free(solver);
        spgm_problem_free(rest);
    }
    spgm_cv_free(cv);
    for (int k = 0; k < 2; k++) {
        spgm_problem_free(problem[k]);
        spgm_options_free(options[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ridge_acts_on_deviations),
        cmocka_unit_test(columns_in_other_units_give_the_same_model),
        cmocka_unit_test(a_ridge_that_is_none_is_refused),
        cmocka_unit_test(losses_are_those_of_fits_with_each_ridge),
        cmocka_unit_test(ridges_follow_the_units_of_the_target),
        cmocka_unit_test(rules_follow_from_the_grid),
        cmocka_unit_test(problems_together_have_mean_losses),
        cmocka_unit_test(another_loss_may_judge),
        cmocka_unit_test(splits_are_repeated),
        cmocka_unit_test(the_range_of_s_follows_the_data),
        cmocka_unit_test(the_range_of_s_is_longer_with_labels),
        cmocka_unit_test(a_ridge_lets_s_exceed_the_rows),
        cmocka_unit_test(later_rounds_follow_the_best_ridge),
        cmocka_unit_test(a_fold_that_was_stopped_is_left_out_with_every_ridge),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
