/* After a run that woke threads, or in the midst of one, a child made by fork() runs too: it ends, with the same bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "spgm/spgm.h"
#include "woken.h"

enum { ROWS = 60, COLUMNS = 200, FOLDS = 3, SIZES = 2, LATE = 120 };

static double A[ROWS * COLUMNS], b[ROWS];

static int make_inputs(void **state) {
    (void)state;
    wake_always = 1;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        A[i] = sin(0.7 * i + 0.01 * (i % 1009) * (i % 1013));
    for (int i = 0; i < ROWS; i++)
        b[i] = 3 * A[i] - 2 * A[i + 7 * ROWS] + 0.1 * cos(i);
    return 0;
}

static spgm_options *options_with(const char *const *pairs) {
    spgm_options *options = spgm_options_new();
    for (; options && *pairs; pairs += 2)
        if (spgm_options_set(options, pairs[0], pairs[1], NULL) != SPGM_OK)
            return NULL;
    return options;
}

/* What a work leaves: x, or the losses of the folds. No work asserts: a child must not unwind into cmocka. */
struct result {
    double values[COLUMNS];
};

/* Products on three threads. */
static int solve(spgm_progress_function progress, void *context, struct result *result) {
    static const char *const pairs[] = {"method", "spgm-iht", "max_iterations", "30", "threads", "3", NULL};
    spgm_options *options = options_with(pairs);
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    int done = options && spgm_problem_new(&matrix, b, options, &problem, NULL) == SPGM_OK &&
               spgm_solver_new(problem, 3, options, &solver, NULL) == SPGM_OK;
    if (done) {
        spgm_solver_set_progress(solver, progress, context);
        done = spgm_solver_run(solver, NULL) == SPGM_OK;
        spgm_solver_get_x(solver, result->values, NULL);
    }
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return done;
}

/* Folds on three threads. */
static int validate(spgm_progress_function progress, void *context, struct result *result) {
    static const char *const pairs[] = {"effort", "1", "folds", "3", "threads", "3", NULL};
    static const int64_t sizes[SIZES] = {1, 2};
    spgm_options *options = options_with(pairs);
    spgm_matrix matrix = spgm_dense(ROWS, 20, A);
    spgm_problem *problem = NULL;
    spgm_cv *cv = NULL;
    int done = options && spgm_problem_new(&matrix, b, options, &problem, NULL) == SPGM_OK &&
               spgm_cv_new(problem, sizes, SIZES, options, &cv, NULL) == SPGM_OK;
    if (done) {
        spgm_cv_set_progress(cv, progress, context);
        done = spgm_cv_run(cv, NULL) == SPGM_OK;
        for (int64_t i = 0; i < SIZES; i++)
            spgm_cv_get(cv, i, result->values + i * FOLDS, NULL, NULL);
    }
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return done;
}

typedef int work_function(spgm_progress_function progress, void *context, struct result *result);

/* ---- after a run ------------------------------------------------------------------------------------------------- */

enum { SAME, OTHER, FAILED, NOT_WOKEN, KILLED = 128 };

static int end_of(pid_t child) {
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? KILLED + WTERMSIG(status) : WEXITSTATUS(status);
}

static int child_of(work_function *work, const struct result *expected) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct result result = {0};
        long long before = wakes;
        alarm(LATE); /* ends a child that hangs */
        if (!work(NULL, NULL, &result))
            _exit(FAILED);
        _exit(wakes == before ? NOT_WOKEN : memcmp(&result, expected, sizeof result) != 0 ? OTHER : SAME);
    }
    return end_of(child);
}

static void children_run_as_their_parent(void **state) {
    (void)state;
    work_function *const works[] = {solve, validate};
    for (int w = 0; w < 2; w++) {
        struct result before = {0}, after = {0};
        long long woken = wakes;
        assert_int_equal(child_of(works[w], &before), OTHER); /* before any run: nothing to compare with */
        assert_true(works[w](NULL, NULL, &before));
        assert_true(wakes > woken);
        assert_int_equal(child_of(works[w], &before), SAME);
        assert_int_equal(child_of(works[w], &before), SAME);
        assert_true(works[w](NULL, NULL, &after)); /* the parent goes on */
        assert_memory_equal(&before, &after, sizeof before);
    }
}

/* ---- within a run ------------------------------------------------------------------------------------------------ */

/* The clock of this program, in the place of src/base/clock.c: while the gate is closed, threads other than the first
 * wait in it, so that they cannot take all folds before the first has one. */
static pthread_t first_thread;
static atomic_int gate_is_closed;

double clock_seconds(void) {
    while (atomic_load(&gate_is_closed) && !pthread_equal(pthread_self(), first_thread))
        sched_yield();
    return 0;
}

struct branching {
    int64_t calls, fork_at;
    pid_t child; /* 0 in the child, -1 before */
};

static int fork_once(const spgm_progress *progress, void *context) {
    struct branching *branching = context;
    (void)progress;
    if (++branching->calls == branching->fork_at && (branching->child = fork()) == 0)
        alarm(LATE);
    if (branching->child != -1)
        atomic_store(&gate_is_closed, 0);
    return 0;
}

/* A callback forks, and the child goes on with the run that it was called from. */
static void a_child_of_a_callback_ends_the_run(void **state) {
    (void)state;
    struct result expected = {0}, result = {0};
    struct branching branching = {.fork_at = 5, .child = -1};
    assert_true(solve(NULL, NULL, &expected));
    int done = solve(fork_once, &branching, &result), same = memcmp(&result, &expected, sizeof result) == 0;
    if (branching.child == 0)
        _exit(!done ? FAILED : same ? SAME : OTHER);
    assert_true(branching.child > 0);
    assert_true(done && same);
    assert_int_equal(end_of(branching.child), SAME);
}

/* The same in a cross-validation: the child knows the folds of its own thread, and no wrong ones. */
static void a_child_of_a_callback_ends_the_folds(void **state) {
    (void)state;
    struct result expected = {0}, result = {0};
    struct branching branching = {.fork_at = 2, .child = -1};
    assert_true(validate(NULL, NULL, &expected));
    first_thread = pthread_self();
    gate_is_closed = 1;
    int done = validate(fork_once, &branching, &result), right = 1;
    for (int i = 0; i < SIZES * FOLDS; i++)
        right &= result.values[i] == expected.values[i] || (branching.child == 0 && isnan(result.values[i]));
    if (branching.child == 0)
        _exit(!done ? FAILED : right ? SAME : OTHER);
    assert_true(branching.child > 0);
    assert_true(done && right);
    assert_int_equal(end_of(branching.child), SAME);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_run_as_their_parent),
        cmocka_unit_test(a_child_of_a_callback_ends_the_run),
        cmocka_unit_test(a_child_of_a_callback_ends_the_folds),
    };
    return cmocka_run_group_tests(tests, make_inputs, NULL);
}
