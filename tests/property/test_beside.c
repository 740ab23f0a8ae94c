/*
 * Memory of the caller's (spgm_matrix.memory): what is large beside the data comes from there, with every loss, method,
 * path and fold; the result is the same to the last bit as without it; all of it is given back. Rows of a large mapped
 * file are copied into it, or not at all. That nothing large is allocated is tested by a limit on memory that a few
 * vectors over rows would break.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/matrix.h"
#include "memory_limit.h"
#include "model/problem.h"
#include "share.h"
#include "spgm/spgm.h"

/* Large for auto (rows times columns), and a vector over rows is 0.5 MB. */
enum { M = 70000, N = 60, S = 3, WORDS = 8 };
#define ROOM (3 << 19) /* for all that is small */

static double *A, *b, *y;

/* ---- the memory -------------------------------------------------------------------------------------------------- */

/* Shared pages, which a limit on the memory of this process does not count. */
struct lender {
    atomic_llong taken, given; /* bytes */
    int is_empty;
};

static void *lend(void *context, size_t bytes) {
    struct lender *lender = context;
    void *array =
        lender->is_empty ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (array == MAP_FAILED) {
        return NULL;
    }
    atomic_fetch_add(&lender->taken, (long long)bytes);
    return array;
}

static void take_back(void *context, void *array, size_t bytes) {
    struct lender *lender = context;

    atomic_fetch_add(&lender->given, (long long)bytes);
    munmap(array, bytes);
}

static void *shared_doubles(int64_t count) {
    void *array = mmap(NULL, (size_t)count * sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(array != MAP_FAILED);
    return array;
}

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

struct question {
    const char *what; /* "fit", "path" or "cv" */
    const char *settings[WORDS];
};

static const struct question questions[] = {
    {"fit", {"loss", "l1"}},
    {"fit", {"loss", "l1", "polish", "true", "method", "spgm-iht"}},
    {"fit", {"loss", "epsilon_insensitive", "method", "omp"}},
    {"fit", {"loss", "hinge", "method", "omp", "ridge", "1"}},
    {"fit", {"loss", "linf", "method", "omp"}},
    {"fit", {"loss", "squared"}},
    {"fit", {"loss", "l2", "method", "omp"}},
    {"fit", {"loss", "huber", "method", "omp"}},
    {"fit", {"loss", "logistic", "method", "omp", "ridge", "1"}},
    {"fit", {"loss", "l1", "method", "spgm-bcd"}},
    {"fit", {"loss", "l1", "method", "psgd"}},
    {"fit", {"loss", "l1", "method", "admm-iht"}},
    {"fit", {"loss", "l1", "method", "diht", "ridge", "1"}},
    {"fit", {"loss", "l1", "method", "pdm"}},
    {"fit", {"loss", "l1", "method", "cvx-l1"}},
    {"path", {"loss", "quantile", "effort", "1"}},
    {"cv", {"loss", "l1", "method", "omp", "folds", "2"}},
};
enum { QUESTIONS = sizeof questions / sizeof questions[0] };

static int fits(const spgm_problem *problem, const spgm_options *options, double *x, spgm_status *status) {
    spgm_solver *solver = NULL;
    int is_fine =
        spgm_solver_new(problem, S, options, &solver, status) == SPGM_OK && spgm_solver_run(solver, status) == SPGM_OK;

    if (is_fine) {
        spgm_solver_get_x(solver, x, x + N);
        is_fine = spgm_solver_get_info(solver).outcome != SPGM_OUT_OF_MEMORY;
    }
    spgm_solver_free(solver);
    return is_fine;
}

static int walks(const spgm_problem *problem, const spgm_options *options, double *x, spgm_status *status) {
    const int64_t list[] = {S};
    spgm_path *path = NULL;
    int is_fine =
        spgm_path_new(problem, list, 1, options, &path, status) == SPGM_OK && spgm_path_run(path, status) == SPGM_OK;

    if (is_fine) {
        spgm_path_get(path, 0, x, x + N, NULL);
    }
    spgm_path_free(path);
    return is_fine;
}

static int crosses(const spgm_problem *problem, const spgm_options *options, double *x, spgm_status *status) {
    const int64_t list[] = {S};
    spgm_cv *cv = NULL;
    int is_fine = spgm_cv_new(problem, list, 1, options, &cv, status) == SPGM_OK && spgm_cv_run(cv, status) == SPGM_OK;

    if (is_fine) {
        spgm_cv_get(cv, 0, x, NULL, NULL);
    }
    spgm_cv_free(cv);
    return is_fine;
}

/* The answer in x [N + 1]; 0: none, and a sentence. */
static int answer(const struct question *question, const spgm_memory *memory, double *x, spgm_status *status) {
    spgm_matrix matrix = spgm_dense(M, N, A);
    spgm_options *options = spgm_options_new();
    spgm_problem *problem = NULL;
    int has_labels = strcmp(question->settings[1], "hinge") == 0 || strcmp(question->settings[1], "logistic") == 0;
    int is_fine = spgm_options_set(options, "threads", "1", status) == SPGM_OK &&
                  spgm_options_set(options, "max_iterations", "5", status) == SPGM_OK;

    for (int i = 0; is_fine && i < WORDS && question->settings[i] != NULL; i += 2) {
        is_fine = spgm_options_set(options, question->settings[i], question->settings[i + 1], status) == SPGM_OK;
    }
    matrix.memory = memory;
    is_fine = is_fine && spgm_problem_new(&matrix, has_labels ? y : b, options, &problem, status) == SPGM_OK &&
              spgm_problem_merge_rows(problem, NULL, status) == SPGM_OK;
    if (is_fine) {
        is_fine = (strcmp(question->what, "fit") == 0    ? fits
                   : strcmp(question->what, "path") == 0 ? walks
                                                         : crosses)(problem, options, x, status);
    }
    spgm_problem_free(problem);
    spgm_options_free(options);
    return is_fine;
}

/* In a process of its own, below the limit; the answer is left in x, which is shared. */
static void answer_below(const struct question *question, struct lender *lender, double *x) {
    int code = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const spgm_memory memory = {lend, take_back, lender};
        spgm_status status = {0};

        memory_limit(ROOM);
        code = answer(question, &memory, x, &status);
        fprintf(stderr, "%s", status.message);
        _exit(!code ? 1 : lender->taken != lender->given ? 2 : 0);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), 0);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void make_data(void) {
    struct random random;

    A = shared_doubles((int64_t)M * N);
    b = shared_doubles(M);
    y = shared_doubles(M);
    random_seed(&random, 8, 1);
    for (int64_t k = 0; k < (int64_t)M * N; k++) {
        A[k] = random_uniform(&random) - 0.5;
    }
    for (int64_t i = 0; i < M; i++) {
        b[i] = random_normal(&random) + 4 * A[i] + 3 * A[i + 7 * M] + 2 * A[i + 11 * M] + A[i + 20 * M];
        y[i] = b[i] > 0 ? 1 : -1;
    }
}

static void nothing_large_is_allocated(void **state) {
    double *x = shared_doubles(N + 1), plain[N + 1];

    (void)state;
    for (int i = SHARE(0, 2); i < QUESTIONS; i += SHARE(1, 7)) {
        struct lender lender = {0};
        spgm_status status = {0};

        print_message("%s %s %s\n", questions[i].what, questions[i].settings[1],
                      questions[i].settings[2] == NULL ? "" : questions[i].settings[3]);
        memset(x, 0, (N + 1) * sizeof *x);
        memset(plain, 0, sizeof plain);
        answer_below(&questions[i], &lender, x);
        assert_true(answer(&questions[i], NULL, plain, &status));
        assert_memory_equal(x, plain, sizeof plain);
    }
    munmap(x, (N + 1) * sizeof *x);
}

/* A lender that has nothing: memory is allocated, and the answer is the same. */
static void an_empty_lender_is_no_error(void **state) {
    struct lender lender = {.is_empty = 1};
    const spgm_memory memory = {lend, take_back, &lender};
    double x[N + 1], plain[N + 1];
    spgm_status status = {0};

    (void)state;
    assert_true(answer(&questions[5], &memory, x, &status));
    assert_true(answer(&questions[5], NULL, plain, &status));
    assert_memory_equal(x, plain, sizeof plain);
    assert_int_equal(lender.taken + lender.given, 0);
}

/* Some rows of a large mapped file, as a fold has them, are columns in the lender's memory; of one that has nothing
 * they are looked at where they stand, and nothing is copied. */
static void rows_of_a_large_file_are_lent(void **state) {
    enum { LINES = 1 << 20, WIDTH = 32, PART = 1 << 14, BLOCK = 64 }; /* the rows: the last block of every fourth */
    size_t bytes = (size_t)LINES * WIDTH * sizeof(double);
    double *numbers = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    double *target = shared_doubles(LINES), x[WIDTH] = {[5] = 1, [31] = 2}, F[2];
    int64_t *rows = (int64_t *)shared_doubles(PART);

    (void)state;
    assert_true(numbers != MAP_FAILED);
    for (int64_t i = 0; i < PART; i++) {
        rows[i] = i / BLOCK * 4 * BLOCK + i % BLOCK;
        numbers[rows[i] * WIDTH + 5] = (double)i;
        numbers[rows[i] * WIDTH + 31] = 1;
    }
    for (int is_empty = 0; is_empty < 2; is_empty++) {
        struct lender lender = {.is_empty = is_empty};
        const spgm_memory memory = {lend, take_back, &lender};
        spgm_matrix matrix = spgm_dense_by_rows(LINES, WIDTH, numbers);
        spgm_problem *problem = NULL, *part = NULL;
        spgm_status status;

        matrix.is_mapped = 1;
        matrix.memory = &memory;
        assert_int_equal(spgm_problem_new(&matrix, target, NULL, &problem, &status), SPGM_OK);
        lender.taken = lender.given = 0;
        assert_int_equal(spgm_problem_subset(problem, rows, PART, &part, &status), SPGM_OK);
        if (is_empty) {
            assert_true(part->A.row_of != NULL && part->A.values == numbers);
        } else {
            assert_true(lender.taken >= (long long)PART * WIDTH * (long long)sizeof(double));
            assert_true(matrix_is_plain(&part->A) && part->A.is_mapped && part->A.memory == &memory);
        }
        assert_int_equal(spgm_problem_evaluate(part, x, 0, &F[is_empty], NULL, NULL, &status), SPGM_OK);
        spgm_problem_free(part);
        spgm_problem_free(problem);
        assert_true(lender.taken == lender.given);
    }
    assert_true(F[0] == F[1] && F[0] == (double)PART * (PART - 1) / 2 + 2 * (double)PART);
    munmap(numbers, bytes);
    munmap(target, LINES * sizeof *target);
    munmap(rows, PART * sizeof *rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_large_file_are_lent),
        cmocka_unit_test(nothing_large_is_allocated),
        cmocka_unit_test(an_empty_lender_is_no_error),
    };

    make_data();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
