/*
 * A file of 320 MB in the place of A, below a limit on anonymous memory of 5 % of it: fit, path and cross-validation
 * end with a model, and of these rows a few columns are planted, which it has. Of 2,000 columns that needs no more; of
 * 40, where a few vectors over rows are more than that, workspace in files (spgm/io.h).
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
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
#include "memory_limit.h"
#include "spgm/io.h"

enum { NUMBERS = 40000000, S = 5, MOST_ROWS = 1000000, MOST_COLUMNS = 2000 };
#define BYTES ((size_t)NUMBERS * sizeof(double))

static int64_t M = 20000, N = 2000;
static double *b; /* in a file, too: it is data */

static double *shared_doubles(int64_t count) {
    FILE *file = tmpfile();
    double *array = MAP_FAILED;

    if (file != NULL && ftruncate(fileno(file), count * (off_t)sizeof *array) == 0) {
        array = mmap(NULL, (size_t)count * sizeof *array, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    }
    assert_true(array != MAP_FAILED);
    return array;
}

/* Columns j < S count j + 1 times; the numbers are of a cheap generator, for they are many. */
static void write_file(const char *path) {
    int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    double *A;
    uint64_t word = 88172645463325252U;
    struct random random;

    assert_true(descriptor >= 0 && ftruncate(descriptor, (off_t)BYTES) == 0);
    A = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    assert_true(A != MAP_FAILED);
    for (int64_t k = 0; k < NUMBERS; k++) {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        A[k] = (double)(word >> 11) * 0x1p-52 - 1;
    }
    random_seed(&random, 1, 1);
    for (int64_t i = 0; i < M; i++) {
        b[i] = random_normal(&random);
        for (int64_t j = 0; j < S; j++) {
            b[i] += (double)(j + 1) * A[i + j * M];
        }
    }
    munmap(A, BYTES);
    close(descriptor);
}

static int has_planted(const double *x) {
    for (int64_t j = 0; j < S; j++) {
        if (!(fabs(x[j] - (double)(j + 1)) < 0.2)) {
            return 0;
        }
    }
    return 1;
}

static int fits(const spgm_problem *problem, const spgm_options *options, double *x, spgm_status *status) {
    spgm_solver *solver = NULL;
    int is_fine =
        spgm_solver_new(problem, S, options, &solver, status) == SPGM_OK && spgm_solver_run(solver, status) == SPGM_OK;

    if (is_fine) {
        spgm_solver_get_x(solver, x, NULL);
        is_fine = spgm_solver_get_info(solver).outcome == SPGM_SEARCHED;
    }
    spgm_solver_free(solver);
    return is_fine && has_planted(x);
}

static int has_path(const spgm_problem *problem, const spgm_options *options, double *x, spgm_status *status) {
    const int64_t list[] = {2, S};
    spgm_path *path = NULL;
    int is_fine =
        spgm_path_new(problem, list, 2, options, &path, status) == SPGM_OK && spgm_path_run(path, status) == SPGM_OK;

    if (is_fine) {
        spgm_path_get(path, 1, x, NULL, NULL);
    }
    spgm_path_free(path);
    return is_fine && has_planted(x);
}

static int is_cross_validated(const spgm_problem *problem, const spgm_options *options, double *x,
                              spgm_status *status) {
    const int64_t list[] = {2, S};
    spgm_cv *cv = NULL;
    int is_fine = spgm_cv_new(problem, list, 2, options, &cv, status) == SPGM_OK && spgm_cv_run(cv, status) == SPGM_OK;

    (void)x;
    spgm_cv_free(cv);
    return is_fine;
}

typedef int task(const spgm_problem *problem, const spgm_options *options, double *x, spgm_status *status);

/* In a process of its own, which ends with 0. */
static void below_the_limit(task *does) {
    int code = -1;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        spgm_status status = {0};
        spgm_options *options = spgm_options_new();
        spgm_problem *problem = NULL;
        int descriptor = open("mapped.bin", O_RDONLY);
        double *values = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, descriptor, 0);
        spgm_matrix A = spgm_dense(M, N, values);
        spgm_scratch *scratch = NULL;
        static double x[MOST_COLUMNS];

        memory_limit(BYTES / 20);
        A.is_mapped = 1;
        if (M == MOST_ROWS) {
            spgm_scratch_new(".", &scratch, &status);
            A.memory = spgm_scratch_memory(scratch);
        }
        code = values != MAP_FAILED && spgm_options_set(options, "loss", "l1", &status) == SPGM_OK &&
               spgm_options_set(options, "threads", "1", &status) == SPGM_OK &&
               spgm_options_set(options, "folds", "2", &status) == SPGM_OK &&
               spgm_problem_new(&A, b, options, &problem, &status) == SPGM_OK && does(problem, options, x, &status);
        fprintf(stderr, "%s", status.message);
        _exit(code ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), 0);
}

/* Wide and tall: the same numbers, and other targets. */
static void both_ways(task *does) {
    for (int is_tall = 0; is_tall < 2; is_tall++) {
        M = is_tall ? MOST_ROWS : 20000;
        N = NUMBERS / M;
        write_file("mapped.bin");
        below_the_limit(does);
    }
}

static void a_fit(void **state) {
    (void)state;
    both_ways(fits);
}

static void a_path(void **state) {
    (void)state;
    both_ways(has_path);
}

static void folds(void **state) {
    (void)state;
    both_ways(is_cross_validated);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit),
        cmocka_unit_test(a_path),
        cmocka_unit_test(folds),
    };
    int failed;

    b = shared_doubles(MOST_ROWS);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink("mapped.bin");
    return failed;
}
