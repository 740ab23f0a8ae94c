/*
 * The islands of `auto` give the same bits on any number of threads. Here only rounds of islands wake threads, no
 * product does, and whoever wakes them waits until another thread has taken an island.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/parallel.h"
#include "share.h"
#include "spgm/spgm.h"

enum { ROWS = 100, COLUMNS = 600, SPARSITY = 20 };

static double A[ROWS * COLUMNS], b[ROWS];
static atomic_llong wakes;

int parallel_is_worth(int64_t count) {
    (void)count;
    return 0;
}

void parallel_woken(const atomic_llong *taken) {
    atomic_fetch_add(&wakes, 1);
    while (atomic_load(taken) == 0) {
        sched_yield();
    }
}

static int make_inputs(void **state) {
    uint32_t word = 12345;

    (void)state;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        word = word * 1664525u + 1013904223u;
        A[i] = (double)word / 4294967296.0 - 0.5;
    }
    for (int i = 0; i < ROWS; i++) {
        b[i] = sin(37.0 * i);
        for (int j = 0; j < 15; j++) {
            b[i] += cos(5.0 * j) * A[i + 11 * j * ROWS];
        }
    }
    return 0;
}

/* What a run gives, and what its callback saw. */
struct result {
    double x[COLUMNS], intercept;
    spgm_info info;
    pthread_t caller;
    int64_t calls, strangers, stop_after, last;
    double best;
};

static int watch(const spgm_progress *progress, void *context) {
    struct result *result = context;

    result->calls++;
    result->strangers += !pthread_equal(pthread_self(), result->caller);
    assert_true(progress->iteration >= result->last);
    assert_true(progress->best <= result->best);
    result->last = progress->iteration;
    result->best = progress->best;
    return result->calls >= result->stop_after;
}

static void run(const char *loss, const char *effort, int threads, struct result *result) {
    spgm_options *options = spgm_options_new();
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_status status;

    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "loss", loss, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "effort", effort, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "threads", threads, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, &status), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, SPARSITY, options, &solver, &status), SPGM_OK);
    result->caller = pthread_self();
    result->best = INFINITY;
    spgm_solver_set_progress(solver, watch, result);
    assert_int_equal(spgm_solver_run(solver, &status), SPGM_OK);
    result->info = spgm_solver_get_info(solver);
    spgm_solver_get_x(solver, result->x, &result->intercept);
    assert_int_equal(result->strangers, 0);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void same_bits(const char *loss, const char *effort) {
    static const int threads[] = {2, 3, 7};
    struct result alone = {.stop_after = INT64_MAX};
    long long before = wakes;

    run(loss, effort, 1, &alone);
    assert_int_equal(wakes, before);
    for (int t = SHARE(0, 2); t < 3; t++) {
        struct result other = {.stop_after = INT64_MAX};

        before = wakes;
        run(loss, effort, threads[t], &other);
        assert_true(wakes > before + 2); /* the opening, and rounds */
        assert_memory_equal(other.x, alone.x, sizeof alone.x);
        assert_memory_equal(&other.intercept, &alone.intercept, sizeof(double));
        assert_memory_equal(&other.info.objective, &alone.info.objective, sizeof(double));
        assert_memory_equal(&other.info.spread, &alone.info.spread, sizeof(double));
        assert_int_equal(other.info.restarts, alone.info.restarts);
        assert_int_equal(other.info.agreeing, alone.info.agreeing);
        assert_int_equal(other.info.iterations, alone.info.iterations);
        assert_int_equal(other.info.outcome, alone.info.outcome);
    }
}

static void same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    same_bits("l1", SHARE("3", "2"));
    same_bits("linf", "2");
    if (SHARE(1, 0))
        same_bits("squared", "3");
}

/* After a stop request the callback is not called again, whoever is at work. */
static void stops_when_asked(void **state) {
    (void)state;
    for (int64_t after = 60; after <= 240; after += SHARE(60, 180)) {
        struct result result = {.stop_after = after};

        run("l1", "9", 2, &result);
        assert_int_equal(result.info.outcome, SPGM_INTERRUPTED);
        assert_int_equal(result.calls, after);
        assert_true(isfinite(result.info.objective));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(stops_when_asked),
    };
    return cmocka_run_group_tests(tests, make_inputs, NULL);
}
