/* Different objects may be used from different threads at once, and a run may be stopped from another thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "spgm/spgm.h"
#include "woken.h"

enum { ROWS = 40, COLUMNS = 150, SPARSITY = 5, RUNS = 4 };

static double A[ROWS * COLUMNS], b[ROWS];

/* One solve on its own thread. Inputs are shared by all of them. */
struct task {
    const spgm_options *options;
    double x[COLUMNS], intercept;
    spgm_info info;
    spgm_error error;
    spgm_status status;
};

static int make_inputs(void **state) {
    (void)state;
    wake_always = 1;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        A[i] = sin(0.7 * i + 0.01 * i * i);
    for (int i = 0; i < ROWS; i++)
        b[i] = 3 * A[i] - 2 * A[i + 7 * ROWS] + 0.1 * cos(i);
    return 0;
}

static spgm_options *options_for(const char *method, int threads) {
    spgm_options *options = spgm_options_new();
    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "method", method, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "node_limit", "50", NULL), SPGM_OK); /* of exact */
    assert_int_equal(spgm_options_set_number(options, "threads", threads, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "max_iterations", "60", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "ridge", "0.01", NULL), SPGM_OK); /* diht needs one */
    return options;
}

static void *solve(void *context) {
    struct task *task = context;
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    task->error =
        spgm_solve(&matrix, b, SPARSITY, task->options, task->x, &task->intercept, &task->info, &task->status);
    return NULL;
}

/* The same solve several times at once, each on threads of its own, gives the bits of the solve alone on one. */
static void solves_side_by_side(const char *method) {
    struct task alone = {0}, tasks[RUNS] = {{0}};
    pthread_t threads[RUNS];
    spgm_options *options = options_for(method, 2), *one = options_for(method, 1);
    long long before = wakes;

    alone.options = one;
    solve(&alone);
    assert_int_equal(alone.error, SPGM_OK);
    assert_int_equal(wakes - before, 0);
    for (int i = 0; i < RUNS; i++) {
        tasks[i].options = options;
        assert_int_equal(pthread_create(&threads[i], NULL, solve, &tasks[i]), 0);
    }
    for (int i = 0; i < RUNS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(wakes >= before + RUNS);
    for (int i = 0; i < RUNS; i++) {
        assert_int_equal(tasks[i].error, SPGM_OK);
        assert_memory_equal(tasks[i].x, alone.x, sizeof alone.x);
        assert_memory_equal(&tasks[i].intercept, &alone.intercept, sizeof alone.intercept);
        assert_memory_equal(&tasks[i].info.objective, &alone.info.objective, sizeof(double));
    }
    spgm_options_free(options);
    spgm_options_free(one);
}

static void every_method_side_by_side(void **state) {
    (void)state;
    for (int64_t m = 0; m < spgm_method_count(); m++)
        solves_side_by_side(spgm_method_name(m));
}

/* ---- stopping ----------------------------------------------------------------------------------- */

struct endless {
    spgm_solver *solver;
    spgm_error error;
    spgm_status status;
    pthread_mutex_t mutex;
    pthread_cond_t running;
    int64_t iterations;
};

static int count_iterations(const spgm_progress *progress, void *context) {
    struct endless *run = context;
    pthread_mutex_lock(&run->mutex);
    run->iterations = progress->iteration;
    pthread_cond_signal(&run->running);
    pthread_mutex_unlock(&run->mutex);
    return 0;
}

static void *run_endless(void *context) {
    struct endless *run = context;
    run->error = spgm_solver_run(run->solver, &run->status);
    return NULL;
}

static void stopped_from_another_thread(void **state) {
    (void)state;
    static const char *const methods[] = {"spgm-iht", "spgm-bcd"};
    for (int m = 0; m < 2; m++) {
        spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
        spgm_options *options = options_for(methods[m], 1);
        spgm_problem *problem = NULL;
        struct endless run = {.mutex = PTHREAD_MUTEX_INITIALIZER, .running = PTHREAD_COND_INITIALIZER};
        pthread_t thread;

        spgm_options_set(options, "max_iterations", "1000000000000", NULL);
        spgm_options_set(options, "tolerance", "0", NULL);
        spgm_options_set(options, "window", "1000000", NULL);
        assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_new(problem, SPARSITY, options, &run.solver, NULL), SPGM_OK);
        spgm_solver_set_progress(run.solver, count_iterations, &run);
        assert_int_equal(pthread_create(&thread, NULL, run_endless, &run), 0);
        pthread_mutex_lock(&run.mutex);
        while (run.iterations < 10)
            pthread_cond_wait(&run.running, &run.mutex);
        pthread_mutex_unlock(&run.mutex);
        spgm_solver_interrupt(run.solver);
        assert_int_equal(pthread_join(thread, NULL), 0);

        assert_int_equal(run.error, SPGM_OK);
        assert_int_equal(spgm_solver_get_info(run.solver).outcome, SPGM_INTERRUPTED);
        assert_true(spgm_solver_get_info(run.solver).iterations >= 10);
        spgm_solver_free(run.solver);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_side_by_side),
        cmocka_unit_test(stopped_from_another_thread),
    };
    return cmocka_run_group_tests(tests, make_inputs, NULL);
}
