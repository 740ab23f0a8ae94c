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
#define RADIUS 30.0 /* no coefficient of a fit is larger: they are 1, or 1 / 3.7, and an intercept of a few */

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

/* ---- a referee -------------------------------------------------------------------------------------------------- */

/* F over the support with an intercept, at coefficients of columns less their means, and a subgradient. */
static double value_at(const struct tall *t, const int64_t *support, const double *mean, const double *y, double *g) {
    double F = 0, peak = -1, peak_g[S + 1] = {0};

    memset(g, 0, (S + 1) * sizeof *g);
    for (int64_t i = 0; i < M; i++) {
        double a[S + 1], score = y[S], r, row, slope, weight = t->has_weights ? t->weights[i] : 1;

        a[S] = 1;
        for (int64_t k = 0; k < S; k++) {
            a[k] = t->A[i + support[k] * M] - mean[k];
            score += a[k] * y[k];
        }
        r = score - t->b[i];
        if (is(t, "quantile")) {
            row = fmax(-TAU * r, (1 - TAU) * r);
            slope = r > 0 ? 1 - TAU : -TAU;
        } else if (is(t, "epsilon")) {
            row = fmax(fabs(r) - EPSILON, 0);
            slope = row > 0 ? copysign(1, r) : 0;
        } else if (is(t, "hinge")) {
            row = fmax(1 - t->b[i] * score, 0);
            slope = row > 0 ? -t->b[i] : 0;
        } else {
            row = fabs(r);
            slope = copysign(1, r);
        }
        F += weight * row;
        for (int64_t k = 0; k <= S; k++) {
            g[k] += weight * slope * a[k];
            peak_g[k] = row > peak ? slope * a[k] : peak_g[k];
        }
        peak = fmax(peak, row);
    }
    if (is(t, "linf")) {
        memcpy(g, peak_g, sizeof peak_g);
    }
    return is(t, "linf") ? peak : F;
}

/* The minimum over a support by the ellipsoid method, which knows nothing of kinks, vertices or dual vectors: *above is
 * attained, and nothing in the ball that it begins with is lower than *below. The ellipsoid is y + B times the unit
 * ball. */
static void referee(const struct tall *t, const int64_t *support, double *above, double *below) {
    enum { K = S + 1 };
    double mean[S] = {0}, y[K] = {0}, B[K][K] = {{0}}, g[K];

    *above = INFINITY;
    *below = -INFINITY;
    for (int64_t k = 0; k < S; k++) {
        for (int64_t i = 0; i < M; i++) {
            mean[k] += t->A[i + support[k] * M] / M;
        }
    }
    for (int k = 0; k < K; k++) {
        B[k][k] = RADIUS;
    }
    for (int step = 0; step < 20000 && (step == 0 || *above - *below > 1e-7 * *above); step++) {
        double F = value_at(t, support, mean, y, g), p[K] = {0}, length = 0, deep, by, part, more;

        *above = fmin(*above, F);
        for (int k = 0; k < K; k++) {
            for (int l = 0; l < K; l++) {
                p[k] += B[l][k] * g[l]; /* B'g */
            }
            length += p[k] * p[k];
        }
        length = sqrt(length);
        *below = fmax(*below, F - length);
        deep = length > 0 ? fmin((F - *above) / length, 0.99) : 0; /* what is not lower than the best is cut off */
        by = (1 + K * deep) / (K + 1);
        part = 1 - sqrt(1 - 2 * by / (1 + deep));
        more = sqrt((double)(K * K) / (K * K - 1) * (1 - deep * deep));
        for (int k = 0; k < K && length > 0; k++) {
            double Bp = 0;

            for (int l = 0; l < K; l++) {
                Bp += B[k][l] * p[l] / length;
            }
            y[k] -= by * Bp;
            for (int l = 0; l < K; l++) {
                B[k][l] = more * (B[k][l] - part * Bp * p[l] / length);
            }
        }
    }
}

struct least {
    double above, below; /* the lowest F of all supports is between them */
};

/* All supports by the referee. The one of the given rank from below, fitted, is where a tree is to begin: x. */
static struct least enumerate(struct tall *t, int rank, double *x) {
    double F[1 << N];
    int masks = 0, mask_of[1 << N];
    struct least least = {INFINITY, INFINITY};
    int64_t support[S + 1], size = 0;
    struct fit_report report;
    spgm_status status;

    for (int mask = 0; mask < 1 << N; mask++) {
        int place = masks;
        double above, below;

        size = 0;
        for (int64_t j = 0; j < N && size <= S; j++) {
            if ((mask >> j) & 1) {
                support[size++] = j;
            }
        }
        if (size != S) {
            continue;
        }
        referee(t, support, &above, &below);
        least.above = fmin(least.above, above);
        least.below = fmin(least.below, below);
        for (; place > 0 && F[place - 1] > above; place--) {
            F[place] = F[place - 1];
            mask_of[place] = mask_of[place - 1];
        }
        F[place] = above;
        mask_of[place] = mask;
        masks++;
    }
    size = 0;
    for (int64_t j = 0; j < N; j++) {
        if ((mask_of[rank] >> j) & 1) {
            support[size++] = j;
        }
    }
    support[size++] = N; /* the intercept */
    memset(x, 0, (N + 1) * sizeof *x);
    check(fit_once(&t->framed, size, support, x, &report, NULL, NULL, &status), &status);
    least.above /= t->framed.objective_unit; /* as the run has it */
    least.below /= t->framed.objective_unit;
    assert_true(isfinite(least.above) && least.above - least.below <= 1e-6 * least.above);
    return least;
}

/* ---- trees ------------------------------------------------------------------------------------------------------ */

static void run_tree(struct tall *t, const double *x, const struct exact_limits *limits, struct run *run,
                     int *is_done) {
    struct workspace workspace = {0};
    struct point point;
    spgm_status status;

    run_init(run, &t->framed, S, t->options, &workspace);
    point_init(&point, &t->framed, &workspace);
    assert_false(workspace.failed);
    memcpy(run->x, x, (N + 1) * sizeof *x);
    run_start(run, &point);
    check(exact_tree(run, limits, is_done, &status), &status);
    workspace_free(&workspace);
}

static void trees_find_what_enumeration_finds(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SHARE(40, 10); seed++) {
        struct tall *t = make(losses[seed % LOSSES], 1000 + seed);
        struct exact_limits limits = {.work = INFINITY, .nodes = 1000000, .bytes = 1e9};
        double x[N + 1];
        struct least least = enumerate(t, (int)(seed % 30), x);
        struct run run;
        int is_done;

        run_tree(t, x, &limits, &run, &is_done);
        if (!(run.bound <= least.above * (1 + 1e-12)) || !(run.best_objective <= least.above * (1 + 3e-6)) ||
            !(run.bound >= least.below * (1 - 3e-6)) || !is_done) {
            fail_msg("%s, seed %d: F = %.17g, bound %.17g, but the best support has %.17g", t->loss, (int)seed,
                     run.best_objective, run.bound, least.above);
        }
        tall_free(t);
    }
}

/* The dual vector for all columns by one factor (search/exact/all.c), which runs have that are shorter than a fit over
 * all columns. */
static void one_factor_gives_a_bound(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SHARE(20, 5); seed++) {
        struct tall *t = make(losses[seed % LOSSES], 3000 + seed);
        struct exact_limits limits = {.is_quick = 1, .keeps_x = 1, .bytes = 1e9};
        double x[N + 1];
        struct least least = enumerate(t, (int)(seed % 30), x);
        struct run run;
        int is_done;

        run_tree(t, x, &limits, &run, &is_done);
        if (!(run.bound <= least.above * (1 + 1e-12)) ||
            (!is(t, "hinge") && !(run.bound > (is(t, "linf") ? 0.1 : 0.5) * least.below))) {
            fail_msg("%s, seed %d: bound %.17g, and the best support has %.17g", t->loss, (int)seed, run.bound,
                     least.above);
        }
        tall_free(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(it_is_nowhere_above),
        unit_test_alone(reaches_are_where_slopes_change),
        unit_test_alone(trees_find_what_enumeration_finds),
        unit_test_alone(one_factor_gives_a_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
