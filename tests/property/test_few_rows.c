/*
 * Searches among the rows that decide: the rows are those with the largest residuals, F among them is never above F of
 * all rows, and once an end breaks no other row it is F of all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "fit/fit.h"
#include "search/companion.h"
#include "search/few_rows.h"

enum { M = 600, N = 30, S = 3 };

/* A problem with many rows, and a run on it that has done nothing. */
struct tall {
    double A[M * N], b[M];
    int has_intercept;
    spgm_options *options;
    spgm_problem *problem;
    struct problem framed;
    struct run run;
    struct workspace workspace;
};

#define RIDGE 0.05

static void check(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fail_msg("%s", status->message);
    }
}

static struct tall *make(const char *loss, int has_intercept, uint64_t seed) {
    struct tall *t = calloc(1, sizeof *t);
    spgm_matrix A = spgm_dense(M, N, t->A);
    struct random random;
    spgm_status status;

    random_seed(&random, seed, 0);
    for (int64_t i = 0; i < M * N; i++) {
        t->A[i] = random_normal(&random);
    }
    for (int64_t i = 0; i < M; i++) {
        t->b[i] = 2 * t->A[i] - t->A[i + 7 * M] + random_normal(&random);
    }
    t->has_intercept = has_intercept;
    t->options = spgm_options_new();
    check(spgm_options_set(t->options, "loss", loss, &status), &status);
    check(spgm_options_set_number(t->options, "ridge", RIDGE, &status), &status);
    check(spgm_options_set(t->options, "intercept", has_intercept ? "true" : "false", &status), &status);
    check(spgm_problem_new(&A, t->b, t->options, &t->problem, &status), &status);
    check(problem_frame(t->problem, 1, &t->framed, &status), &status);
    run_init(&t->run, &t->framed, S, t->options, &t->workspace);
    assert_false(t->workspace.failed);
    return t;
}

static void tall_free(struct tall *t) {
    workspace_free(&t->workspace);
    problem_unframe(&t->framed);
    spgm_problem_free(t->problem);
    spgm_options_free(t->options);
    free(t);
}

/* |r_i| at x, by the raw data; returns F. */
static double raw_sizes(const struct tall *t, const double *x, double *size) {
    double largest = 0, squares = 0;

    for (int64_t i = 0; i < M; i++) {
        double r = (t->has_intercept ? x[N] : 0) - t->b[i];

        for (int64_t j = 0; j < N; j++) {
            r += t->A[i + j * M] * x[j];
        }
        size[i] = fabs(r);
        largest = fmax(largest, size[i]);
    }
    for (int64_t j = 0; j < N; j++) {
        squares += x[j] * x[j];
    }
    return largest + RIDGE / 2 * squares;
}

/* No row outside is larger than one inside. */
static void check_largest(const struct few_rows *few, const double *size) {
    double least = INFINITY;

    for (int64_t k = 0; k < few->count; k++) {
        assert_true(k == 0 || few->rows[k - 1] < few->rows[k]);
        assert_true(few->is_in[few->rows[k]]);
        least = fmin(least, size[few->rows[k]]);
    }
    for (int64_t i = 0; i < M; i++) {
        assert_true(few->is_in[i] || size[i] <= least);
    }
}

static double largest_of(const struct few_rows *few, const double *size) {
    double largest = 0;

    for (int64_t k = 0; k < few->count; k++) {
        largest = fmax(largest, size[few->rows[k]]);
    }
    return largest;
}

/* Rows outside that are larger than any inside. */
static int64_t outside(const struct few_rows *few, const double *size, double largest) {
    int64_t count = 0;

    for (int64_t i = 0; i < M; i++) {
        count += !few->is_in[i] && size[i] > largest * (1 + 1e-9);
    }
    return count;
}

/* At first, and then those that another model breaks: the worst of all comes in as long as there is room. */
static void the_largest_come_in(void **state) {
    int64_t learnt = 0, full = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct tall *t = make("linf", seed % 2, seed + 1);
        struct few_rows few = {0};
        double x[N + 1] = {0}, size[M];
        struct random random;
        spgm_status status;

        random_seed(&random, seed, 1);
        assert_true(few_rows_are_of_use(&t->run));
        check(few_rows_take(&few, &t->run, &status), &status);
        raw_sizes(t, t->run.best_x, size);
        check_largest(&few, size);
        for (int step = 0; step < 2000; step++) {
            int64_t before = few.count, broken;

            x[step % N] = random_normal(&random);
            raw_sizes(t, x, size);
            broken = outside(&few, size, largest_of(&few, size));
            assert_int_equal(few_rows_learn(&few, x), broken);
            assert_true(few.count - before <= broken && few.count <= M / 3);
            assert_true(broken == 0 || before == M / 3 || outside(&few, size, largest_of(&few, size)) == 0);
            learnt += few.count > before;
            full += broken > 0 && before == M / 3;
        }
        few_rows_free(&few);
        tall_free(t);
    }
    assert_true(learnt > 100);
    assert_true(full > 8);
}

static void other_losses_have_none(void **state) {
    static const char *const losses[] = {"l1", "squared", "l2", "huber"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct tall *t = make(losses[i], 0, 5);

        assert_false(few_rows_are_of_use(&t->run));
        tall_free(t);
    }
}

/* A search that learns until no row is broken: F there is F, and before that a bound on it. */
static void what_breaks_no_row_is_a_fit(void **state) {
    int64_t learnt = 0, ended = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct tall *t = make("linf", seed % 2, seed + 20);
        struct companion *q;
        double size[M];
        spgm_status status;

        check(companion_new(&t->run, OF_FEW_ROWS, 3, &q, &status), &status);
        assert_non_null(q);
        assert_true(companion_is_of_few_rows(q));
        for (int round = 0; round < 60 && !companion_is_closed(q); round++) {
            double whole, part, spent = companion_spent(q);

            companion_restart(q);
            companion_restart(q);
            check(companion_error(q, &status), &status);
            part = companion_objective(q);
            whole = raw_sizes(t, companion_best(q), size);
            assert_true(part <= whole * (1 + 1e-9));
            check(companion_learn(q, &t->run, &status), &status);
            assert_true(companion_spent(q) >= spent);
            learnt += companion_objective(q) > part;
            if (whole <= part * (1 + 1e-9)) {
                ended++;
                break;
            }
        }
        companion_free(q);
        tall_free(t);
    }
    assert_true(learnt > 6);
    assert_true(ended >= 4);
}

/* F of the best x with column `in` in the place of column `out`, on all rows. */
static double exchanged(const struct tall *t, const double *x, int64_t out, int64_t in) {
    int64_t columns[S + 1], count = 0;
    struct fit *fit = fit_new(&t->framed, S + 1);
    double F;

    assert_non_null(fit);
    for (int64_t j = 0; j < t->framed.A->columns; j++) {
        if ((x[j] != 0 || j == N) && j != out) {
            columns[count++] = j;
        }
    }
    columns[count++] = in;
    assert_true(count <= S + 1);
    fit_set_support(fit, count, columns);
    fit_cold(fit);
    F = fit_objective(fit) * t->framed.objective_unit;
    fit_free(fit);
    return F;
}

/* Under a time limit: in the end none of them lowers F. Without one there is no such check. */
static void all_exchanges_among_few_rows_are_checked(void **state) {
    int64_t ended = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct tall *t = make("linf", 0, seed + 40);
        struct companion *q;
        double size[M], F = 0;
        spgm_status status;

        if (seed < 4) {
            check(spgm_options_set_number(t->options, "time_limit", 1e6, &status), &status);
        }
        check(companion_new(&t->run, OF_FEW_ROWS, 3, &q, &status), &status);
        assert_non_null(q);
        for (int round = 0; round < 400 && !companion_is_closed(q); round++) {
            companion_restart(q);
            check(companion_error(q, &status), &status);
            assert_true(seed < 4 || companion_checked(q) == 0);
            F = raw_sizes(t, companion_best(q), size);
            if (companion_checked(q) == N && F <= companion_objective(q) * (1 + 1e-9)) {
                break; /* it breaks no row */
            }
            if (companion_checked(q) == N) {
                check(companion_learn(q, &t->run, &status), &status);
                assert_int_equal(companion_checked(q), 0);
            }
        }
        if (companion_checked(q) == N) {
            for (int64_t out = 0; out < N; out++) {
                for (int64_t in = 0; in < N && companion_best(q)[out] != 0; in++) {
                    assert_true(companion_best(q)[in] != 0 ||
                                exchanged(t, companion_best(q), out, in) >= F * (1 - 1e-7));
                }
            }
            ended++;
        }
        companion_free(q);
        tall_free(t);
    }
    assert_int_equal(ended, 4);
}

/* A power of the residuals is no companion where a search among few rows is one: squares are. */
static void the_search_takes_the_place_of_the_power(void **state) {
    struct tall *t = make("linf", 0, 60);
    struct companion *q;
    spgm_status status;

    (void)state;
    assert_true(few_rows_are_of_use(&t->run));
    check(companion_new(&t->run, 0, 3, &q, &status), &status);
    assert_non_null(q);
    assert_true(companion_is_on_squares(q));
    companion_free(q);
    check(companion_new(&t->run, 1, 3, &q, &status), &status);
    assert_null(q);
    t->run.sparsity = N - 1; /* so many rows decide that all are as good */
    assert_false(few_rows_are_of_use(&t->run));
    check(companion_new(&t->run, 1, 3, &q, &status), &status);
    assert_non_null(q);
    assert_false(companion_is_on_squares(q));
    companion_free(q);
    tall_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_takes_the_place_of_the_power),
        cmocka_unit_test(the_largest_come_in),
        cmocka_unit_test(other_losses_have_none),
        cmocka_unit_test(what_breaks_no_row_is_a_fit),
        cmocka_unit_test(all_exchanges_among_few_rows_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
