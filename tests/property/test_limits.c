/*
 * The time limit, by a clock that multiplications drive: every method, loss and feasible set ends in time, with a model
 * of s units as soon as there was time for a second pass over A.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spgm/spgm.h>

#include "alone.h"
#include "base/random.h"
#include "fake_clock.h"
#include "methods.h"
#include "share.h"

enum { NUMBERS = 200000, MOST_COLUMNS = 400, S = 5, WIDTH = 5 };

static const char *const losses[] = {"l1", "quantile", "hinge",    "epsilon",       "linf",
                                     "l2", "huber",    "logistic", "squared_hinge", "squared"};
static const char *const sets[] = {"plain", "nonnegative", "groups"};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static double A[NUMBERS], b[NUMBERS], labels[NUMBERS];

struct trial {
    int64_t rows, columns; /* NUMBERS in all */
    const char *loss, *method, *set, *ridge;
    double passes, slack; /* the limit, and how much later a run may end */
};

static void must(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fail_msg("%s", status->message);
    }
}

static void make_data(int64_t rows) {
    struct random random;

    random_seed(&random, 71, 3);
    for (int64_t i = 0; i < NUMBERS; i++) {
        A[i] = random_normal(&random);
    }
    for (int64_t i = 0; i < rows; i++) {
        b[i] = random_normal(&random);
        for (int64_t j = 0; j < 2 * S; j++) {
            b[i] += (j % 2 ? -1 : 1) * A[i + rows * 3 * j];
        }
        labels[i] = b[i] > 0 ? 1 : -1;
    }
}

static void restrict_to(spgm_problem *problem, const char *set) {
    double lower[MOST_COLUMNS];
    int64_t group[MOST_COLUMNS];
    spgm_status status;

    for (int64_t j = 0; j < MOST_COLUMNS; j++) {
        lower[j] = 0;
        group[j] = j / WIDTH;
    }
    if (strcmp(set, "nonnegative") == 0) {
        must(spgm_problem_set_bounds(problem, lower, NULL, &status), &status);
    } else if (strcmp(set, "groups") == 0) {
        must(spgm_problem_set_groups(problem, group, 0, &status), &status);
    }
}

static void try_limit(const struct trial *t) {
    int is_labelled = strstr("hinge logistic squared_hinge", t->loss) != NULL;
    spgm_matrix matrix = spgm_dense(t->rows, t->columns, A);
    double pass = 1e-9 * NUMBERS, began = clock_seconds(), took;
    spgm_options *options = spgm_options_new();
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_status status;
    spgm_info info;

    must(spgm_options_set(options, "loss", t->loss, &status), &status);
    must(spgm_options_set(options, "method", t->method, &status), &status);
    must(spgm_options_set(options, "ridge", t->ridge, &status), &status);
    must(spgm_options_set_number(options, "time_limit", t->passes * pass, &status), &status);
    must(spgm_problem_new(&matrix, is_labelled ? labels : b, options, &problem, &status), &status);
    restrict_to(problem, t->set);
    must(spgm_solver_new(problem, S, options, &solver, &status), &status);
    must(spgm_solver_run(solver, &status), &status);
    info = spgm_solver_get_info(solver);
    took = (clock_seconds() - began) / pass;
    if (info.units != S) {
        fail_msg("%s, %s, %s, %g passes: %d of %d units", t->loss, t->method, t->set, t->passes, (int)info.units, S);
    }
    if (!(took <= 1.02 * t->passes + t->slack)) {
        fail_msg("%s, %s, %s: a limit of %g passes ended after %.3g", t->loss, t->method, t->set, t->passes, took);
    }
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* With a ridge, which diht needs. The clock counts the Gram matrix of a search (and that of all columns, which a proof
 * takes) as passes, all at once. */
static void every_method_keeps_the_limit(void **state) {
    static const double limits[] = {1, 12, 60};
    static const char *const without[] = {"polish", NULL}; /* what it is given is all it has */
    const struct methods methods = methods_but(without);

    (void)state;
    make_data(2000);
    for (int i = 0; i < COUNT(losses) * methods.count; i++) {
        for (int k = SHARE(0, i % COUNT(limits)); k < COUNT(sets) * COUNT(limits); k += SHARE(1, COUNT(limits) + 1)) {
            const char *method = methods.name[i % methods.count];
            struct trial trial = {.rows = 2000,
                                  .columns = 100,
                                  .loss = losses[i / methods.count],
                                  .method = method,
                                  .set = sets[k / COUNT(limits)],
                                  .ridge = "1",
                                  .passes = limits[k % COUNT(limits)],
                                  .slack = strcmp(method, "exact") == 0 ? 80 : 30};

            try_limit(&trial);
        }
    }
}

/* Without a ridge boxes come from inverses over all columns: one Gram matrix is 200 passes, and there is no second. */
static void boxes_of_a_proof_keep_the_limit(void **state) {
    (void)state;
    make_data(500);
    for (int i = 0; i < COUNT(losses); i++) {
        struct trial trial = {.rows = 500,
                              .columns = 400,
                              .loss = losses[i],
                              .method = "exact",
                              .set = "nonnegative",
                              .ridge = "0",
                              .passes = 100,
                              .slack = 200};

        try_limit(&trial);
    }
}

/* ---- folds and samples ------------------------------------------------------------------------------------------- */

enum { FOLDS = 4, MORE_FOLDS = 10, RIDGES = 20, SIZES = 3, HALVES = 50 };

static spgm_problem *limited_problem(spgm_options *options, double passes) {
    spgm_matrix matrix = spgm_dense(2000, 100, A);
    spgm_problem *problem = NULL;
    spgm_status status;

    make_data(2000);
    must(spgm_options_set(options, "loss", "l1", &status), &status);
    must(spgm_options_set(options, "threads", "1", &status), &status);
    must(spgm_options_set_number(options, "folds", FOLDS, &status), &status);
    must(spgm_options_set_number(options, "time_limit", 1e-9 * NUMBERS * passes, &status), &status);
    must(spgm_problem_new(&matrix, b, options, &problem, &status), &status);
    return problem;
}

/* A path for each of 20 ridges would take ten times as long: some ridges are left out, the same ones in all folds. */
static void ridges_beyond_the_limit_are_left_out(void **state) {
    static const int64_t sizes[SIZES] = {1, 3, 5};
    spgm_options *options = spgm_options_new();
    double ridges[RIDGES], found[FOLDS], began, passes = 60;
    spgm_problem *problem = limited_problem(options, passes);
    spgm_cv *cv = NULL;
    spgm_status status;
    int64_t tried = 0;

    (void)state;
    for (int k = 0; k < RIDGES; k++) {
        ridges[k] = ldexp(1, RIDGES - k);
    }
    must(spgm_cv_new(problem, sizes, SIZES, options, &cv, &status), &status);
    must(spgm_cv_set_ridges(cv, ridges, RIDGES, &status), &status);
    began = clock_seconds();
    must(spgm_cv_run(cv, &status), &status);
    assert_true((clock_seconds() - began) / (1e-9 * NUMBERS) <=
                3 * passes); /* a path of a fold may take all of its own */
    assert_true(spgm_cv_best(cv) >= 0);
    for (int64_t k = 0; k < RIDGES; k++) {
        int64_t known = 0;

        assert_int_equal(spgm_cv_get_at(cv, SIZES - 1, k, found, NULL, NULL), 5);
        for (int fold = 0; fold < FOLDS; fold++) {
            known += !isnan(found[fold]);
        }
        assert_true(known == 0 || known == FOLDS);
        tried += known > 0;
    }
    assert_in_range(tried, 1, RIDGES - 1);
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* Ten folds of ten sizes each take some passes whatever the limit is: those that would end too late do not begin, and
 * the others have all sizes. With two labels of a task each, none has a fold of its own. */
static void try_folds(int64_t parts, double passes, const int64_t *sizes, int64_t count) {
    spgm_options *options = spgm_options_new();
    spgm_problem *problem = limited_problem(options, passes);
    double found[MORE_FOLDS], began, took;
    int64_t done = 0;
    spgm_cv *cv = NULL;
    spgm_status status;

    must(spgm_options_set_number(options, "folds", MORE_FOLDS, &status), &status);
    must(spgm_cv_new(problem, sizes, count, options, &cv, &status), &status);
    for (int64_t part = 1; part < parts; part++) {
        must(spgm_cv_add(cv, problem, &status), &status);
    }
    began = clock_seconds();
    must(spgm_cv_run(cv, &status), &status);
    took = (clock_seconds() - began) / (1e-9 * NUMBERS);
    if (!(took <= 1.02 * passes + 2)) {
        fail_msg("%d parts: a limit of %g passes ended after %.3g", (int)parts, passes, took);
    }
    assert_true(spgm_cv_best(cv) >= 0);
    for (int64_t i = 0; i < spgm_cv_count(cv); i++) {
        int64_t known = 0;

        assert_true(spgm_cv_get(cv, i, found, NULL, NULL) >= 0);
        for (int64_t fold = 0; fold < MORE_FOLDS; fold++) {
            assert_true(known == fold || isnan(found[fold]));
            known += !isnan(found[fold]);
        }
        assert_true(i == 0 || known == done);
        done = known;
    }
    assert_in_range(done, 1, MORE_FOLDS - 1);
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void folds_beyond_the_limit_are_left_out(void **state) {
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

    (void)state;
    try_folds(1, 20, sizes, COUNT(sizes));
    try_folds(2, 20, sizes, COUNT(sizes));
    try_folds(1, 10, NULL, 0);
}

/* Rows that may live elsewhere: what this process has is all there is. */
static int as_it_is(void *context, double *values, int64_t count) {
    (void)context;
    (void)values;
    (void)count;
    return 0;
}

static int as_it_was(void *context, void *data, int64_t bytes, int64_t root) {
    (void)context;
    (void)data;
    (void)bytes;
    (void)root;
    return 0;
}

/* Each s has a search of its own; once the time is over, the scores of one look at all columns serve those that are
 * left. */
static void sizes_beyond_the_limit_cost_no_pass(void **state) {
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const spgm_communicator alone = {.size = 1, .sum = as_it_is, .max = as_it_is, .broadcast = as_it_was};
    spgm_matrix matrix = spgm_dense(2000, 100, A);
    spgm_options *options = spgm_options_new();
    spgm_problem *problem = NULL;
    spgm_path *path = NULL;
    spgm_status status;
    spgm_info info;
    double began, took, below = INFINITY;

    (void)state;
    make_data(2000);
    must(spgm_options_set(options, "loss", "l1", &status), &status);
    must(spgm_options_set_number(options, "time_limit", 1e-9 * NUMBERS, &status), &status);
    must(spgm_problem_new_distributed(&matrix, b, options, &alone, &problem, &status), &status);
    must(spgm_path_new(problem, sizes, COUNT(sizes), options, &path, &status), &status);
    began = clock_seconds();
    must(spgm_path_run(path, &status), &status);
    took = (clock_seconds() - began) / (1e-9 * NUMBERS);
    for (int i = 0; i < COUNT(sizes); i++) {
        assert_int_equal(spgm_path_get(path, i, NULL, NULL, &info), sizes[i]);
        assert_int_equal(info.support, sizes[i]);
        assert_true(info.objective < below);
        below = info.objective;
    }
    if (!(took <= 12)) { /* 5 for the first model, and 0.3 for each of the others */
        fail_msg("a limit of one pass ended after %.3g", took);
    }
    spgm_path_free(path);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void samples_beyond_the_limit_are_not_drawn(void **state) {
    spgm_options *options = spgm_options_new();
    double began, passes = 60;
    spgm_problem *problem = limited_problem(options, passes);
    spgm_stability_settings settings = {.halves = HALVES, .bootstrap = -1};
    spgm_stability *stability = NULL;
    spgm_status status;
    int64_t finished = 0;

    (void)state;
    must(spgm_stability_new(problem, S, options, &settings, &stability, &status), &status);
    began = clock_seconds();
    must(spgm_stability_run(stability, &status), &status);
    assert_true((clock_seconds() - began) / (1e-9 * NUMBERS) <=
                1.02 * passes + 10); /* a sample that was thought shorter */
    spgm_stability_halves(stability, &finished);
    assert_in_range(finished, 1, HALVES - 1);
    spgm_stability_free(stability);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(every_method_keeps_the_limit),         unit_test_alone(boxes_of_a_proof_keep_the_limit),
        unit_test_alone(ridges_beyond_the_limit_are_left_out), unit_test_alone(folds_beyond_the_limit_are_left_out),
        unit_test_alone(sizes_beyond_the_limit_cost_no_pass),  unit_test_alone(samples_beyond_the_limit_are_not_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
