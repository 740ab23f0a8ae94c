/* Passes over A: what each operation counts, that threads do not matter, and that pass_limit is kept. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/linop.h"
#include "methods.h"
#include "woken.h"

enum { ROWS = 40, COLUMNS = 90 };

static void instance(double *A, double *b) {
    unsigned seed = 7;

    for (int i = 0; i < ROWS * COLUMNS + ROWS; i++) {
        seed = seed * 1664525u + 1013904223u;
        *(i < ROWS ? &b[i] : &A[i - ROWS]) = (double)(seed >> 8) / (1 << 24) - 0.5;
    }
}

static void no_sum(void *context, double *values, int64_t count) {
    (void)context, (void)values, (void)count;
}

/* By hand: n columns are a pass, a row is 1 / m of one. */
static void every_operation_counts_what_it_reads(void **state) {
    static double A[ROWS * COLUMNS], b[ROWS], u[ROWS], x[COLUMNS], g[COLUMNS * COLUMNS], work[2 * COLUMNS + ROWS];
    const int64_t list[] = {3, 0, 3, 80};
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    struct linop *op = linop_new(&matrix), *framed;
    struct reduction elsewhere = {.sum = no_sum, .max = no_sum};
    double columns = 0;

    (void)state;
    instance(A, b);
    assert_non_null(op);
    assert_true(linop_passes(op) == 0);
    linop_transpose(op, b, x);
    linop_column_squares(op, x);
    columns += 2 * COLUMNS;
    linop_transpose_columns(op, 4, list, b, x);
    linop_add_columns(op, 4, list, b, u);
    linop_gather(op, 4, list, g, ROWS);
    linop_weighted_squares(op, 4, list, b, x);
    columns += 4 * 4;
    linop_gram(op, 4, list, NULL, g);
    linop_cross_column(op, 4, list, 5, NULL, g);
    linop_cross(op, 4, list, NULL, g);
    columns += 4 * 5 / 2.0 + 4 + 4 * COLUMNS;
    memset(x, 0, sizeof x);
    x[1] = x[7] = x[8] = 1; /* zeros are not read */
    linop_multiply(op, x, u);
    columns += 3;
    assert_true(fabs(linop_passes(op) - columns / COLUMNS) < 1e-12);
    linop_row(op, 2, 4, list, x);
    columns += 4.0 / ROWS;
    assert_true(fabs(linop_passes(op) - columns / COLUMNS) < 1e-12);
    assert_true(fabs(linop_price_passes(op) - (2 * COLUMNS + 4.0) / COLUMNS) <
                1e-12); /* A'u, squares of all and of 4 */
    linop_count_priced(op, 4);
    assert_true(fabs(linop_price_passes(op) - (2 * COLUMNS + 8.0) / COLUMNS) < 1e-12);
    op->reduce = &elsewhere; /* rows that only this process reads do not count: all must count the same */
    linop_row(op, 2, 4, list, x);
    assert_true(fabs(linop_passes(op) - columns / COLUMNS) < 1e-12);
    op->reduce = NULL;
    framed = linop_framed_new(op, NULL, 0, 0);
    assert_non_null(framed);
    assert_true(linop_passes(framed) == 0);
    linop_free(framed);
    linop_norm(op, work);
    assert_true(linop_passes(op) > columns / COLUMNS + 2);
    linop_free(op);
}

static spgm_info solve(const char *method, const char *tuning, double limit, const char *threads, double *x) {
    static double A[ROWS * COLUMNS], b[ROWS];
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_options *options = spgm_options_new();
    spgm_info info = {0};

    instance(A, b);
    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "method", method, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "tuning", tuning, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "threads", threads, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "pass_limit", limit, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "effort", "1", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "ridge", "0.01", NULL), SPGM_OK);
    assert_int_equal(spgm_solve(&matrix, b, 6, options, x, NULL, &info, NULL), SPGM_OK);
    spgm_options_free(options);
    return info;
}

static void threads_do_not_matter(void **state) {
    static const char *const without[] = {"exact", "polish", NULL}; /* a tree of no end; no pass over 90 columns */
    const struct methods methods = methods_but(without);
    double x[COLUMNS], y[COLUMNS];

    (void)state;
    wake_always = 1;
    for (int i = 0; i < methods.count; i++) {
        spgm_info one = solve(methods.name[i], "standard", INFINITY, "1", x), three;
        long long before = wakes;

        three = solve(methods.name[i], "standard", INFINITY, "3", y);
        assert_true(wakes > before);
        assert_true(one.passes > 1 && one.passes == three.passes);
        assert_memory_equal(x, y, sizeof x);
    }
    wake_always = 0;
}

/* The last iteration, or the fit that ends a run, may go beyond the limit by what it costs itself. */
static void the_limit_is_kept(void **state) {
    static const char *const without[] = {"auto", "exact", "polish", "omp", NULL}; /* searches, and what ends itself */
    const struct methods methods = methods_but(without);
    double x[COLUMNS];

    (void)state;
    for (int i = 0; i < methods.count; i++) {
        spgm_info few = solve(methods.name[i], "tuned", 150, "1", x);
        spgm_info more = solve(methods.name[i], "tuned", 600, "1", x);

        assert_true(few.feasible && more.feasible && isfinite(few.objective));
        assert_true(few.outcome == SPGM_PASS_LIMIT || few.passes < 150);
        assert_true(more.outcome == SPGM_PASS_LIMIT || more.passes < 600);
        assert_true(few.passes < 150 + 30 && more.passes < 600 + 30);
        assert_true(more.passes > few.passes);
        if (strncmp(methods.name[i], "spgm", 4) != 0) { /* its first runs are those of the smaller limit */
            assert_true(more.objective <= few.objective);
        }
    }
}

static void plain_runs_end_there(void **state) {
    double x[COLUMNS];
    spgm_info whole = solve("admm-iht", "plain", INFINITY, "1", x);
    spgm_info cut = solve("admm-iht", "plain", whole.passes / 2, "1", x);

    (void)state;
    assert_int_equal(cut.outcome, SPGM_PASS_LIMIT);
    assert_true(cut.iterations < whole.iterations && cut.passes < whole.passes / 2 + 3);
    assert_string_equal(spgm_outcome_name(SPGM_PASS_LIMIT), "pass_limit");
    assert_int_equal(spgm_outcome_from_name("pass_limit"), SPGM_PASS_LIMIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_counts_what_it_reads),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(the_limit_is_kept),
        cmocka_unit_test(plain_runs_end_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
