/*
 * Trees on fewer rows: the problem below another is nowhere above it, by the raw data and the formulas of the losses,
 * and touches it where its slopes were taken; and trees that begin at a mediocre model find what enumeration finds,
 * with a bound that no support is below.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alone.h"
#include "base/random.h"
#include "fit/fit.h"
#include "linalg/vector.h"
#include "method/method.h"
#include "model/problem.h"
#include "search/exact.h"
#include "share.h"

enum { M = 120, N = 9, S = 3, LOSSES = 5 };
static const char *const losses[LOSSES] = {"l1", "quantile", "epsilon", "hinge", "linf"};

#define TAU 0.8
#define EPSILON 0.7

struct tall {
    const char *loss;
    double A[M * N], b[M], weights[M];
    int has_weights;
    spgm_options *options;
    spgm_problem *problem;
    struct problem framed;
};

static void check(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fail_msg("%s", status->message);
    }
}

static int is(const struct tall *t, const char *loss) {
    return strcmp(t->loss, loss) == 0;
}

/* Kinds of data: normal; small integers, where rows are equal and residuals exactly zero; columns far from zero and of
 * scales that are no powers of two. */
static struct tall *make(const char *loss, uint64_t seed) {
    struct tall *t = calloc(1, sizeof *t);
    spgm_matrix A = spgm_dense(M, N, t->A);
    int kind = (int)(seed % 3);
    struct random random;
    spgm_status status;

    t->loss = loss;
    t->has_weights = !is(t, "linf") && seed % 2;
    random_seed(&random, seed, 0);
    for (int64_t k = 0; k < M * N; k++) {
        double z = random_normal(&random);

        t->A[k] = kind == 1 ? (double)(int)(1.3 * z) : kind == 2 ? 3.7 * z + 50 : z;
    }
    for (int64_t i = 0; i < M; i++) {
        double sum = 2 * random_normal(&random), scale = kind == 2 ? 3.7 : 1;

        for (int64_t j = 0; j < 4; j++) {
            sum += (j % 2 ? -1 : 1) * (t->A[i + j * M] - (kind == 2 ? 50 : 0)) / scale;
        }
        t->b[i] = is(t, "hinge") ? (sum > 0 ? 1 : -1) : kind == 1 ? (double)(int)sum : sum;
        t->weights[i] = 0.5 + (double)(i % 3);
    }
    t->options = spgm_options_new();
    check(spgm_options_set(t->options, "loss", loss, &status), &status);
    check(spgm_options_set_number(t->options, "quantile", TAU, &status), &status);
    check(spgm_options_set_number(t->options, "epsilon", EPSILON, &status), &status);
    check(spgm_options_set_number(t->options, "ridge", 0, &status), &status);
    check(spgm_problem_new(&A, t->b, t->options, &t->problem, &status), &status);
    if (t->has_weights) {
        check(spgm_problem_set_weights(t->problem, t->weights, &status), &status);
    }
    check(problem_frame(t->problem, 1, &t->framed, &status), &status);
    return t;
}

static void tall_free(struct tall *t) {
    problem_unframe(&t->framed);
    spgm_problem_free(t->problem);
    spgm_options_free(t->options);
    free(t);
}

/* F at z of the frame, by the raw data and the formulas. *size: of the numbers that were added up. */
static double raw_value(const struct tall *t, const double *z, double *size) {
    double x[N], intercept, F = 0;

    problem_unscale(&t->framed, z, x, &intercept);
    *size = 0;
    for (int64_t i = 0; i < M; i++) {
        double score = intercept, terms = fabs(intercept) + fabs(t->b[i]), r, row, weight = t->weights[i];

        for (int64_t j = 0; j < N; j++) {
            score += t->A[i + j * M] * x[j];
            terms += fabs(t->A[i + j * M] * x[j]);
        }
        r = score - t->b[i];
        row = is(t, "l1")         ? fabs(r)
              : is(t, "quantile") ? fmax(-TAU * r, (1 - TAU) * r)
              : is(t, "epsilon")  ? fmax(fabs(r) - EPSILON, 0)
              : is(t, "hinge")    ? fmax(1 - t->b[i] * score, 0)
                                  : fabs(r);
        row *= t->has_weights ? weight : 1;
        F = is(t, "linf") ? fmax(F, row) : F + row;
        *size += terms * weight;
    }
    return F;
}

/* F of a problem of the frame at z, through its own parts. */
static double value_of(const struct problem *p, const double *z) {
    double *r = calloc((size_t)p->A->rows, sizeof *r), F;

    linop_multiply(p->A, z, r);
    for (int64_t i = 0; i < p->A->rows; i++) {
        r[i] -= p->b[i];
    }
    F = p->h.ops->value(&p->h, r);
    free(r);
    return F;
}

static void residual_at(const struct problem *p, const double *z, double *r) {
    linop_multiply(p->A, z, r);
    for (int64_t i = 0; i < p->A->rows; i++) {
        r[i] -= p->b[i];
    }
}

static void it_is_nowhere_above(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SHARE(120, 30); seed++) {
        struct tall *t = make(losses[seed % LOSSES], seed);
        struct workspace workspace = {0};
        struct problem part = {0};
        struct below below;
        struct random random;
        double z[N + 1], at[N + 1], r[M], size, F;
        int64_t rows[M + 1], count = 0;

        random_seed(&random, seed, 1);
        assert_true(problem_has_below(&t->framed));
        for (int64_t j = 0; j <= N; j++) {
            at[j] = random_normal(&random);
        }
        residual_at(&t->framed, at, r);
        for (int64_t i = 0; i < M; i++) {
            rows[count] = i;
            count += fabs(r[i]) == vector_norm_inf(M, r) || random_uniform(&random) < 0.4;
        }
        problem_below(&t->framed, count, rows, r, &workspace, &part, &below);
        assert_false(workspace.failed);
        assert_true(part.A->rows <= count + 1);
        F = raw_value(t, at, &size);
        assert_true(fabs(t->framed.objective_unit * value_of(&part, at) - F) <= 1e-12 * size);
        for (int step = 0; step < 200; step++) {
            for (int64_t j = 0; j <= N; j++) {
                z[j] = at[j] + pow(10, 4 * random_uniform(&random) - 3) * random_normal(&random);
            }
            F = raw_value(t, z, &size);
            if (!(t->framed.objective_unit * value_of(&part, z) <= F + 1e-12 * size)) {
                fail_msg("%s, seed %d: %.17g is above F = %.17g", t->loss, (int)seed,
                         t->framed.objective_unit * value_of(&part, z), F);
            }
        }
        linop_free(part.A);
        workspace_free(&workspace);
        tall_free(t);
    }
}

/* How far a row is from where its loss bends, by its definition: the slopes on both sides of a shorter way are the
 * same, and some row within a little more has another one. */
static void reaches_are_where_slopes_change(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct tall *t = make(losses[seed % (LOSSES - 1)], seed);
        double r[M], reach[M], u[M], other[M], moved[M];
        struct random random;

        random_seed(&random, seed, 2);
        for (int64_t i = 0; i < M; i++) {
            r[i] = 2 * random_normal(&random);
        }
        problem_reaches(&t->framed, r, reach);
        t->framed.h.ops->subgradient(&t->framed.h, r, u);
        for (int side = -1; side <= 1; side += 2) {
            for (int64_t i = 0; i < M; i++) {
                moved[i] = r[i] + side * 0.999 * fmin(reach[i], 1e3);
            }
            t->framed.h.ops->subgradient(&t->framed.h, moved, other);
            assert_memory_equal(u, other, sizeof u);
        }
        for (int64_t i = 0; i < M; i++) { /* a row in the other direction has changed: it is not shorter than need be */
            double both[2];

            for (int side = 0; side < 2; side++) {
                memcpy(moved, r, sizeof moved);
                moved[i] += (2 * side - 1) * 1.001 * reach[i];
                t->framed.h.ops->subgradient(&t->framed.h, moved, other);
                both[side] = other[i];
            }
            assert_true(isinf(reach[i]) || both[0] != u[i] || both[1] != u[i]);
        }
        tall_free(t);
    }
}

/* The fits of all supports: the least F, and x of the one of the given rank from below. */
static double enumerate(struct tall *t, int rank, double *x) {
    double F[1 << N], least = INFINITY;
    int masks = 0, mask_of[1 << N];
    spgm_status status;

    for (int pass = 0; pass < 2; pass++) {
        for (int mask = 0; mask < 1 << N; mask++) {
            int64_t support[S + 1], size = 0;
            struct fit_report report;

            for (int64_t j = 0; j < N && size <= S; j++) {
                if ((mask >> j) & 1) {
                    support[size++] = j;
                }
            }
            if (size != S || (pass == 1 && mask != mask_of[rank])) {
                continue;
            }
            support[size++] = N; /* the intercept */
            memset(x, 0, (N + 1) * sizeof *x);
            check(fit_once(&t->framed, size, support, x, &report, NULL, NULL, &status), &status);
            if (pass == 1) {
                return least;
            }
            least = fmin(least, report.objective);
            F[masks] = report.objective;
            mask_of[masks++] = mask;
        }
        for (int i = 0; i < masks; i++) { /* by F, ascending */
            for (int k = i; k > 0 && F[k] < F[k - 1]; k--) {
                double value = F[k];
                int mask = mask_of[k];

                F[k] = F[k - 1];
                F[k - 1] = value;
                mask_of[k] = mask_of[k - 1];
                mask_of[k - 1] = mask;
            }
        }
    }
    return least;
}

static void trees_find_what_enumeration_finds(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SHARE(150, 20); seed++) {
        struct tall *t = make(losses[seed % LOSSES], 1000 + seed);
        struct exact_limits limits = {.work = INFINITY, .nodes = 1000000, .bytes = 1e9};
        struct workspace workspace = {0};
        struct point point;
        struct run run;
        spgm_status status;
        double x[N + 1], least = enumerate(t, (int)(seed % 30), x);
        int is_done;

        run_init(&run, &t->framed, S, t->options, &workspace);
        point_init(&point, &t->framed, &workspace);
        assert_false(workspace.failed);
        memcpy(run.x, x, sizeof x);
        run_start(&run, &point);
        check(exact_tree(&run, &limits, &is_done, &status), &status);
        if (!(run.bound <= least * (1 + 1e-12)) || !(run.best_objective <= least * (1 + 3e-6)) ||
            !(run.bound >= least * (1 - 3e-6)) || !is_done) {
            fail_msg("%s, seed %d: F = %.17g, bound %.17g, but the best support has %.17g", t->loss, (int)seed,
                     run.best_objective, run.bound, least);
        }
        workspace_free(&workspace);
        tall_free(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(it_is_nowhere_above),
        unit_test_alone(reaches_are_where_slopes_change),
        unit_test_alone(trees_find_what_enumeration_finds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
