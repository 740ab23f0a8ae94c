/*
 * The search on large data, with sizes that make small data large: a sample stands for the whole, the first model has
 * its columns after three passes, all rows judge, a level never raises F, any number of threads gives the same bits,
 * and whenever the clock ends it there is a model.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alone.h"
#include "base/random.h"
#include "fake_clock.h"
#include "linalg/vector.h"
#include "model/part.h"
#include "search/large.h"

enum { M = 600, N = 160, S = 4, LOSSES = 8 };
static const char *const losses[LOSSES] = {"l1",    "quantile", "hinge",    "epsilon",
                                           "huber", "squared",  "logistic", "linf"};

static const struct large_sizes small = {
    .entries = 1,
    .sample_rows = 600,
    .fewest_rows = 100,
    .columns = 1,
    .sample_work = 1e6,
    .full_work = 1e7,
    .cached_rows = 800,
    .passes = 10,
};

struct large_case {
    double A[M * N], b[M], weights[M];
    spgm_options *options;
    spgm_problem *problem;
    struct problem framed;
    struct workspace workspace;
    struct run run;
    double start[N + 1];
};

static void must(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fail_msg("%s", status->message);
    }
}

static void assert_near(double value, double expected, double slack) {
    if (!(fabs(value - expected) <= slack)) {
        fail_msg("%.17g, not %.17g", value, expected);
    }
}

static void set(struct large_case *c, const char *name, const char *value) {
    spgm_status status;

    must(spgm_options_set(c->options, name, value, &status), &status);
}

/* Columns 0, 7, 14, 21 make the target; every other entry of a sparse one is zero. */
static void fill(struct large_case *c, int is_labelled, uint64_t seed) {
    struct random random;

    random_seed(&random, seed, 3);
    for (int64_t i = 0; i < M * N; i++) {
        c->A[i] = random_normal(&random) + (i / M % 5 == 0 ? 3 : 0);
    }
    for (int64_t i = 0; i < M; i++) {
        c->b[i] = 1 + random_normal(&random) * (i % 11 == 0 ? 8 : 1);
        for (int64_t j = 0; j < S; j++) {
            c->b[i] += (j % 2 ? -2 : 2) * c->A[i + M * 7 * j];
        }
        c->b[i] = !is_labelled ? c->b[i] : c->b[i] > 8 ? 1 : -1;
        c->weights[i] = 0.5 + random_uniform(&random);
    }
}

static void spoil(struct large_case *c, double outlier) {
    struct random random;

    random_seed(&random, 5, 7);
    for (int64_t i = 0; i < M; i += 20) {
        c->b[i] += outlier * random_normal(&random);
    }
}

/* Every twentieth row is so far off. */
static struct large_case *case_with_outliers(const char *loss, int threads, uint64_t seed, double outlier) {
    struct large_case *c = calloc(1, sizeof *c);
    int is_labelled = strcmp(loss, "hinge") == 0 || strcmp(loss, "logistic") == 0;
    spgm_matrix A = spgm_dense(M, N, c->A);
    spgm_status status;

    fill(c, is_labelled, seed);
    spoil(c, outlier);
    c->options = spgm_options_new();
    set(c, "loss", loss);
    set(c, "ridge", "0.1");
    must(spgm_problem_new(&A, c->b, c->options, &c->problem, &status), &status);
    must(problem_frame(c->problem, threads, &c->framed, &status), &status);
    run_init(&c->run, &c->framed, S, c->options, &c->workspace);
    assert_false(c->workspace.failed);
    c->run.source = c->problem;
    return c;
}

static struct large_case *case_new(const char *loss, int threads, uint64_t seed) {
    return case_with_outliers(loss, threads, seed, 0);
}

static void case_free(struct large_case *c) {
    workspace_free(&c->workspace);
    problem_unframe(&c->framed);
    spgm_problem_free(c->problem);
    spgm_options_free(c->options);
    free(c);
}

/* F of the best model, from the raw data; how many columns it has goes to *support. */
static double evaluate(struct large_case *c, int64_t *support) {
    double x[N], intercept, F;
    spgm_status status;

    problem_unscale(&c->framed, c->run.best_x, x, &intercept);
    must(spgm_problem_evaluate(c->problem, x, intercept, &F, NULL, NULL, &status), &status);
    *support = 0;
    for (int64_t j = 0; j < N; j++) {
        *support += x[j] != 0;
    }
    return F;
}

static double zero_of(struct large_case *c) {
    double x[N] = {0}, F;
    spgm_status status;

    must(spgm_problem_evaluate(c->problem, x, 0, &F, NULL, NULL, &status), &status);
    return F;
}

static void search_sizes(struct large_case *c, const struct large_sizes *sizes, int levels) {
    double square[N + 1];
    spgm_status status;

    must(large_first(&c->run, sizes, square, &status), &status);
    must(large_search(&c->run, sizes, square, NULL, c->start, levels, &status), &status);
}

static void search(struct large_case *c, int levels) {
    search_sizes(c, &small, levels);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void part_is_what_its_rows_and_columns_say(void **state) {
    static const int64_t rows[] = {2, 3, 50, 599}, columns[] = {0, 5, 159};
    static const double times[] = {1, 2, 3, 4};
    struct large_case *c = case_new("l1", 1, 1);
    double x[3] = {1, -2, 0.5}, F, expected = 0.1 / 2 * (1 + 4 + 0.25);
    struct spgm_problem part;
    spgm_status status;

    (void)state;
    must(spgm_problem_set_weights(c->problem, c->weights, &status), &status);
    must(part_make(c->problem, 4, rows, times, 3, columns, NULL, &part, &status), &status);
    must(spgm_problem_evaluate(&part, x, 0.25, &F, NULL, NULL, &status), &status);
    for (int i = 0; i < 4; i++) {
        double r = 0.25 - c->b[rows[i]];

        for (int j = 0; j < 3; j++) {
            r += c->A[rows[i] + M * columns[j]] * x[j];
        }
        expected += times[i] * c->weights[rows[i]] * fabs(r);
    }
    assert_near(F, expected, 1e-12 * expected);
    workspace_free(&part.owned);
    case_free(c);
}

static void sparse_part_is_the_dense_one(void **state) {
    static const int64_t rows[] = {0, 4, 5, 301}, columns[] = {1, 2, 17};
    struct large_case *c = case_new("squared", 1, 2);
    int64_t start[N + 1] = {0}, stored = 0;
    int32_t *row = calloc(M * N, sizeof *row);
    double *value = calloc(M * N, sizeof *value), x[3] = {0.5, 1, -1}, F[2];
    struct spgm_problem part[2], sparse = *c->problem;
    spgm_status status;

    (void)state;
    for (int64_t i = 0; i < M * N; i++) {
        c->A[i] = c->A[i] > 1 ? 0 : c->A[i];
        if (c->A[i] != 0) {
            row[stored] = (int32_t)(i % M);
            value[stored++] = c->A[i];
        }
        start[i / M + 1] = stored;
    }
    sparse.A = spgm_sparse(M, N, start, row, value);
    must(part_make(c->problem, 4, rows, NULL, 3, columns, NULL, &part[0], &status), &status);
    must(part_make(&sparse, 4, rows, NULL, 3, columns, NULL, &part[1], &status), &status);
    for (int k = 0; k < 2; k++) {
        must(spgm_problem_evaluate(&part[k], x, 0, &F[k], NULL, NULL, &status), &status);
        workspace_free(&part[k].owned);
    }
    assert_near(F[0], F[1], 1e-13 * F[0]);
    free(row);
    free(value);
    case_free(c);
}

static int stop_at_once(void *asked) {
    return ++*(int *)asked > 0;
}

/* All rows and columns are more than may be copied between two looks at the clock. */
static void part_is_not_copied_when_time_is_up(void **state) {
    static int64_t rows[M], columns[4 * N];
    static double A[4 * M * N];
    struct large_case *c = case_new("l2", 1, 3);
    struct spgm_problem part, whole = *c->problem;
    spgm_status status;

    (void)state;
    for (int64_t i = 0; i < M; i++) {
        rows[i] = i;
    }
    for (int64_t j = 0; j < 4 * N; j++) {
        columns[j] = j;
    }
    for (int64_t i = 0; i < 4 * M * N; i++) {
        A[i] = 1;
    }
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        int asked = 0;
        struct stop stop = {.must_stop = stop_at_once, .context = &asked};

        whole.A = by_rows ? spgm_dense_by_rows(M, 4 * N, A) : spgm_dense(M, 4 * N, A);
        must(part_make(&whole, M, rows, NULL, 4 * N, columns, &stop, &part, &status), &status);
        assert_true(stop.stopped);
        assert_int_equal(asked, 1);
        assert_true(part.A.values[4 * M * N - 1] == 0); /* the last is not there yet */
        workspace_free(&part.owned);
    }
    case_free(c);
}

static void first_model_has_its_columns(void **state) {
    (void)state;
    for (int k = 0; k < LOSSES; k++) {
        struct large_case *c = case_new(losses[k], 1, (uint64_t)k);
        int64_t support;
        spgm_status status;
        double F, square[N + 1];

        must(large_first(&c->run, &small, square, &status), &status);
        F = evaluate(c, &support);
        assert_int_equal(support, S);
        assert_true(F < zero_of(c));
        assert_near(F, c->run.best_objective * c->framed.objective_unit, 1e-9 * F);
        case_free(c);
    }
}

static void finds_what_is_there(void **state) {
    (void)state;
    for (int k = 0; k < LOSSES; k++) {
        struct large_case *c = case_new(losses[k], 1, 10 + (uint64_t)k);
        int64_t support;
        double F;

        search(c, 5);
        F = evaluate(c, &support);
        assert_int_equal(c->run.outcome, SPGM_SEARCHED);
        assert_int_equal(support, S);
        assert_near(F, c->run.best_objective * c->framed.objective_unit, 1e-9 * F);
        for (int64_t j = 0; j < N && c->problem->loss->is_sum; j++) {
            assert_int_equal(c->run.best_x[j] != 0, j % 7 == 0 && j < 7 * S);
        }
        case_free(c);
    }
}

/* Squares see the outliers alone, and may take all of the work of a sample; exchanges on all rows are left out. */
static void outliers_do_not_lead_astray(void **state) {
    static const char *const robust[] = {"l1", "quantile", "epsilon", "huber"};
    struct large_sizes starved = small;

    (void)state;
    starved.sample_work = 2e5;
    starved.full_work = starved.passes = 0;
    for (int k = 0; k < 4; k++) {
        struct large_case *c = case_with_outliers(robust[k], 1, 50 + (uint64_t)k, 1e5);

        search_sizes(c, &starved, 9);
        for (int64_t j = 0; j < N; j++) {
            assert_int_equal(c->run.best_x[j] != 0, j % 7 == 0 && j < 7 * S);
        }
        case_free(c);
    }
}

static void never_rises_with_levels(void **state) {
    (void)state;
    for (int k = 0; k < LOSSES; k++) {
        double last = INFINITY;

        for (int levels = 1; levels <= 5; levels += 2) {
            struct large_case *c = case_new(losses[k], 1, 20 + (uint64_t)k);

            search(c, levels);
            assert_true(c->run.best_objective <= last * (1 + 1e-8));
            last = c->run.best_objective;
            case_free(c);
        }
    }
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    wake_always = 1;
    for (int k = 0; k < LOSSES; k++) {
        struct large_case *one = case_new(losses[k], 1, 30 + (uint64_t)k);
        struct large_case *three = case_new(losses[k], 3, 30 + (uint64_t)k);
        long long before;

        set(one, "threads", "1");
        set(three, "threads", "3");
        search(one, 3);
        before = atomic_load(&wakes);
        search(three, 3);
        assert_true(atomic_load(&wakes) > before);
        assert_memory_equal(one->run.best_x, three->run.best_x, (N + 1) * sizeof(double));
        assert_memory_equal(&one->run.spent, &three->run.spent, sizeof(double));
        case_free(one);
        case_free(three);
    }
    wake_always = 0;
}

/* Wherever the clock ends it: a model with all its columns, as F says. */
static void any_limit_leaves_a_model(void **state) {
    double last = INFINITY;

    (void)state;
    for (double limit = 1e-6; limit < 1; limit *= 3) {
        struct large_case *c = case_new("quantile", 1, 40);
        int64_t support;
        double F;

        c->run.deadline = clock_seconds() + limit;
        search(c, 5);
        F = evaluate(c, &support);
        assert_int_equal(support, S);
        assert_near(F, c->run.best_objective * c->framed.objective_unit, 1e-9 * F);
        assert_true(F <= last * (1 + 1e-12)); /* a longer limit goes the way of a shorter one */
        assert_int_equal(c->run.outcome == SPGM_TIME_LIMIT, clock_seconds() >= c->run.deadline);
        last = F;
        case_free(c);
    }
}

/* Checks, framing and the report are part of the time that is limited and reported. */
static void the_limit_is_that_of_the_caller(void **state) {
    (void)state;
    for (double limit = 1e-3; limit < 0.2; limit *= 2) {
        struct large_case *c = case_new("l1", 1, 60);
        spgm_matrix A = spgm_dense(M, N, c->A);
        double began, took, x[N], pass = 1e-9 * M * N;
        spgm_status status;
        spgm_info info;

        must(spgm_options_set_number(c->options, "time_limit", limit, &status), &status);
        began = clock_seconds();
        must(spgm_solve(&A, c->b, S, c->options, x, NULL, &info, &status), &status);
        took = clock_seconds() - began;
        assert_near(info.seconds, took, 4 * clock_step);
        assert_true(took <= 1.02 * limit + 0.05 + pass);
        case_free(c);
    }
}

static void small_data_are_not_large(void **state) {
    struct large_case *c = case_new("l1", 1, 50);

    (void)state;
    assert_false(large_applies(&c->run, &large_sizes));
    assert_true(large_applies(&c->run, &small));
    assert_true(isinf(large_work(&c->run, &large_sizes, 5)));
    assert_true(large_work(&c->run, &small, 5) < large_work(&c->run, &small, 6));
    c->run.source = NULL;
    assert_false(large_applies(&c->run, &small));
    case_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(part_is_what_its_rows_and_columns_say),
        unit_test_alone(sparse_part_is_the_dense_one),
        unit_test_alone(part_is_not_copied_when_time_is_up),
        unit_test_alone(first_model_has_its_columns),
        unit_test_alone(finds_what_is_there),
        unit_test_alone(outliers_do_not_lead_astray),
        unit_test_alone(never_rises_with_levels),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(any_limit_leaves_a_model),
        unit_test_alone(the_limit_is_that_of_the_caller),
        unit_test_alone(small_data_are_not_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
