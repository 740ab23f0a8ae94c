/* What holds for every method of the comparison: feasible, never worse than its start, the same for permuted data, sane
 * on degenerate data, repeatable; and what DIHT promises: a bound below every objective. */
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
#include "methods.h"
#include "spgm/spgm.h"
#include "woken.h"

/* Ours, searches, and the fit of a start are no methods of the comparison. */
static const char *const others[] = {"auto", "exact", "spgm-bcd", "spgm-iht", "polish", NULL};
static struct methods methods; /* all but these */
static const char *const losses[] = {"l1", "linf", "l2", "quantile", "epsilon", "hinge", "squared"};
enum { LOSSES = sizeof losses / sizeof *losses, ROWS = 128, COLUMNS = 256 };

/* ---- a problem and a run of it ---------------------------------------------------------------------------------- */

struct instance {
    int64_t m, n, s;
    double A[ROWS * COLUMNS], b[ROWS], start[COLUMNS];
    double ridge;
    int intercept;
    const char *loss;
    int64_t iterations, threads;
    const char *tuning; /* NULL: standard */
    int terms;          /* a free column, a linear term, and least squares with the first 4 rows of A */
};

struct result {
    double x[COLUMNS], intercept;
    spgm_info info;
    spgm_error error;
    spgm_status status;
};

static struct instance *new_instance(int64_t m, int64_t n, int64_t s, const char *loss) {
    struct instance *p = calloc(1, sizeof *p);

    assert_non_null(p);
    p->m = m;
    p->n = n;
    p->s = s;
    p->loss = loss;
    p->ridge = 0.1;
    p->intercept = 1;
    p->iterations = 300;
    p->threads = 1;
    return p;
}

/* A normal design, a signal on every third column, an outlier in every tenth row; labels for hinge. */
static struct instance *random_instance(uint64_t seed, int64_t m, int64_t n, int64_t s, const char *loss) {
    struct instance *p = new_instance(m, n, s, loss);
    struct random random;

    random_seed(&random, seed, 0);
    for (int64_t i = 0; i < m * n; i++) {
        p->A[i] = random_normal(&random);
    }
    for (int64_t i = 0; i < m; i++) {
        p->b[i] = 1 + random_normal(&random) + (i % 10 == 9 ? 8 : 0);
        for (int64_t j = 0; j < n; j += 3) {
            p->b[i] += (double)(1 + j % 4) * p->A[i + j * m];
        }
    }
    for (int64_t i = 0; loss[0] == 'h' && i < m; i++) {
        p->b[i] = i < 2 ? (double)(2 * i - 1) : p->b[i] > 0 ? 1 : -1;
    }
    for (int64_t j = 0; j < n; j++) {
        p->start[j] = 0.01 * random_normal(&random);
    }
    return p;
}

static void set(spgm_options *options, const char *name, double value) {
    assert_int_equal(spgm_options_set_number(options, name, value, NULL), SPGM_OK);
}

static spgm_options *options_of(const struct instance *p, const char *method) {
    spgm_options *options = spgm_options_new();

    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "loss", p->loss, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "method", method, NULL), SPGM_OK);
    set(options, "ridge", p->ridge);
    set(options, "intercept", p->intercept);
    set(options, "quantile", 0.3);
    set(options, "epsilon", 0.5);
    set(options, "max_iterations", (double)p->iterations);
    set(options, "threads", (double)p->threads);
    assert_int_equal(spgm_options_set(options, "tuning", p->tuning ? p->tuning : "standard", NULL), SPGM_OK);
    return options;
}

static spgm_problem *problem_of(const struct instance *p, const spgm_matrix *A, const spgm_options *options) {
    static const int64_t free_column = 1;
    static const double d[4] = {1, -2, 3, 0.5};
    double linear[COLUMNS];
    spgm_matrix C = *A;
    spgm_problem *problem = NULL;

    assert_int_equal(spgm_problem_new(A, p->b, options, &problem, NULL), SPGM_OK);
    if (p->terms) {
        for (int64_t j = 0; j < p->n; j++) {
            linear[j] = 0.5 * (double)(j % 3 - 1);
        }
        C.rows = 4; /* the leading dimension stays */
        assert_int_equal(spgm_problem_set_linear(problem, linear, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_least_squares(problem, &C, d, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_free_columns(problem, &free_column, 1, NULL), SPGM_OK);
    }
    return problem;
}

/* Run, and check what must hold for every run: recomputed F, feasible, not worse than the start cut to s entries. */
static struct result run_with(const struct instance *p, const char *method, spgm_progress_function progress,
                              void *context) {
    spgm_matrix A = spgm_dense(p->m, p->n, p->A);
    spgm_options *options = options_of(p, method);
    struct result result;
    spgm_problem *problem = problem_of(p, &A, options);
    spgm_solver *solver = NULL;

    memset(&result, 0, sizeof result);
    assert_int_equal(spgm_solver_new(problem, p->s, options, &solver, &result.status), SPGM_OK);
    assert_int_equal(spgm_solver_set_start(solver, p->start, 0, &result.status), SPGM_OK);
    spgm_solver_set_progress(solver, progress, context);
    result.error = spgm_solver_run(solver, &result.status);
    spgm_solver_get_x(solver, result.x, &result.intercept);
    result.info = spgm_solver_get_info(solver);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return result;
}

static double objective_at(const struct instance *p, const double *x, double intercept) {
    spgm_matrix A = spgm_dense(p->m, p->n, p->A);
    spgm_options *options = options_of(p, "omp");
    spgm_problem *problem = problem_of(p, &A, options);
    double F;

    assert_int_equal(spgm_problem_evaluate(problem, x, intercept, &F, NULL, NULL, NULL), SPGM_OK);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return F;
}

/* The start cut to its s largest entries besides the free column. */
static void cut(const struct instance *p, double *x) {
    int64_t counted = 0;

    memcpy(x, p->start, sizeof(double) * (size_t)p->n);
    for (int64_t j = 0; j < p->n; j++) {
        counted += x[j] != 0 && !(p->terms && j == 1);
    }
    for (int64_t kept = counted; kept > p->s; kept--) {
        int64_t least = -1;

        for (int64_t j = 0; j < p->n; j++) {
            if (x[j] != 0 && !(p->terms && j == 1) && (least < 0 || fabs(x[j]) < fabs(x[least]))) {
                least = j;
            }
        }
        if (least >= 0) {
            x[least] = 0;
        }
    }
}

static struct result run_method(const struct instance *p, const char *method) {
    struct result result = run_with(p, method, NULL, NULL);
    double start[COLUMNS];
    double F, F_start;
    int64_t nonzeros = 0;

    if (result.error != SPGM_OK) {
        fail_msg("%s, %s: %s", method, p->loss, result.status.message);
    }
    cut(p, start);
    for (int64_t j = 0; j < p->n; j++) {
        nonzeros += result.x[j] != 0 && !(p->terms && j == 1);
    }
    F = objective_at(p, result.x, result.intercept);
    F_start = objective_at(p, start, 0);
    if (!(nonzeros <= p->s && isfinite(F) && fabs(F - result.info.objective) <= 1e-9 * (1 + fabs(F)) &&
          F <= F_start + 1e-12 * fabs(F_start) && result.info.bound <= F + 1e-12 * fabs(F) + 1e-12)) {
        fail_msg("%s, %s: %d of %d columns, F %.12g (reported %.12g, start %.12g), bound %.12g", method, p->loss,
                 (int)nonzeros, (int)p->s, F, result.info.objective, F_start, result.info.bound);
    }
    return result;
}

/* ---- every method, every loss ------------------------------------------------------------------------------------ */

static void test_feasible_and_not_worse(void **state) {
    (void)state;
    for (int l = 0; l < LOSSES; l++) {
        for (int64_t s = 0; s <= 15; s += 5) {
            struct instance *p = random_instance(7 + (uint64_t)l, 40, 15, s, losses[l]);

            for (int k = 0; k < methods.count; k++) {
                run_method(p, methods.name[k]);
            }
            free(p);
        }
    }
}

/* So many columns that few of them are watched; free columns, a linear term and a term of f besides. */
static void test_many_columns(void **state) {
    (void)state;
    for (int l = 0; l < 2 * LOSSES; l++) {
        struct instance *p = random_instance(70 + (uint64_t)l, 30, 150, 4, losses[l / 2]);
        double bound = -INFINITY, least = INFINITY;

        p->terms = l % 2;
        p->iterations = 200;
        for (int k = 0; k < methods.count; k++) {
            spgm_info info = run_method(p, methods.name[k]).info;

            bound = fmax(bound, info.bound);
            least = fmin(least, info.objective);
        }
        if (!(isfinite(bound) && bound <= least + 1e-9 * fabs(least))) {
            fail_msg("%s, terms %d: bound %.12g, lowest F %.12g", p->loss, p->terms, bound, least);
        }
        free(p);
    }
}

/* Row i and column j of the permuted instance are row and column (7 i) mod m and (7 j) mod n of the first. */
static struct instance *permuted(const struct instance *p) {
    struct instance *q = malloc(sizeof *q);

    assert_non_null(q);
    *q = *p;
    for (int64_t j = 0; j < p->n; j++) {
        q->start[j] = p->start[7 * j % p->n];
        for (int64_t i = 0; i < p->m; i++) {
            q->A[i + j * p->m] = p->A[7 * i % p->m + 7 * j % p->n * p->m];
            q->b[i] = p->b[7 * i % p->m];
        }
    }
    return q;
}

static void test_permutation(void **state) {
    (void)state;
    for (int l = 0; l < LOSSES; l++) {
        struct instance *p = random_instance(31 + (uint64_t)l, 40, 15, 4, losses[l]);
        struct instance *q = permuted(p);

        for (int k = 0; k < methods.count; k++) {
            double F = run_method(p, methods.name[k]).info.objective;
            double G = run_method(q, methods.name[k]).info.objective;

            if (!(fabs(F - G) <= 1e-6 * (1 + fabs(F)))) {
                fail_msg("%s, %s: %.12g, permuted %.12g", methods.name[k], losses[l], F, G);
            }
        }
        free(p);
        free(q);
    }
}

/* Every product wakes the threads, however small it is. */
static void test_same_bits(void **state) {
    (void)state;
    wake_always = 1;
    for (int k = 0; k < methods.count; k++) {
        struct instance *p = random_instance(5, 60, 200, 6, k % 2 ? "l1" : "linf");
        struct result first, second;
        long long before = wakes;

        p->iterations = 60;
        first = run_method(p, methods.name[k]);
        assert_int_equal(wakes - before, 0);
        p->threads = 3;
        second = run_method(p, methods.name[k]);
        print_message("%s: threads woken %d times\n", methods.name[k], (int)(wakes - before));
        assert_true(wakes > before);
        assert_memory_equal(first.x, second.x, sizeof first.x);
        assert_memory_equal(&first.intercept, &second.intercept, sizeof first.intercept);
        assert_true(first.info.bound == second.info.bound && first.info.iterations == second.info.iterations);
        free(p);
    }
    wake_always = 0;
}

/* ---- degenerate data -------------------------------------------------------------------------------------- */

static void spoil(struct instance *p, int kind) {
    for (int64_t i = 0; i < p->m * p->n; i++) {
        int64_t j = i / p->m;

        if ((kind == 1 && j % 2 == 0) || kind == 2) {
            p->A[i] = 0;
        } else if (kind == 3) {
            p->A[i] = p->A[i % p->m];
        } else if (kind == 4) {
            p->A[i] = 1;
        }
        p->A[i] *= kind == 5 ? 1e150 : kind == 6 ? 1e-150 : kind == 7 ? ldexp(1, (int)(j % 40) - 20) : 1;
    }
    for (int64_t i = 0; i < p->m && strcmp(p->loss, "hinge") != 0; i++) {
        p->b[i] = kind == 8 ? 3 : kind == 9 ? 0 : p->b[i];
        p->b[i] *= kind == 5 ? 1e-150 : kind == 6 ? 1e150 : 1;
    }
}

static void test_degenerate(void **state) {
    static const int64_t shapes[][3] = {{1, 1, 1}, {2, 12, 4}, {12, 1, 0}, {30, 8, 8}, {30, 8, 0}, {9, 14, 3}};

    (void)state;
    for (int kind = 0; kind < 10; kind++) {
        for (int i = 0; i < 6; i++) {
            const char *loss = losses[(kind + i) % LOSSES];
            struct instance *p = random_instance(3, shapes[i][0], shapes[i][1], shapes[i][2], loss);

            if (p->m < 2 && strcmp(loss, "hinge") == 0) {
                p->loss = "l1";
            }
            p->iterations = 40;
            p->intercept = i % 2;
            p->ridge = kind == 5 || kind == 6 ? 0 : 0.1; /* beside such data a ridge is nothing, or all there is */
            spoil(p, kind);
            for (int k = 0; k < methods.count; k++) {
                if (strcmp(methods.name[k], "diht") != 0 || p->ridge > 0) {
                    run_method(p, methods.name[k]);
                }
            }
            free(p);
        }
    }
}

static void test_no_ridge(void **state) {
    struct instance *p = random_instance(11, 40, 15, 4, "l1");

    (void)state;
    p->ridge = 0;
    for (int k = 0; k < methods.count; k++) {
        if (strcmp(methods.name[k], "diht") != 0) {
            run_method(p, methods.name[k]);
        }
    }
    free(p);
}

/* The size of the entries of A is a matter of units: with an intercept beside them, and without ridge, small columns
 * end where ordinary ones do. Powers of two, so that nothing is rounded. */
static void test_units_of_columns(void **state) {
    /* a ridge is needed; all supports are tried; no support is chosen */
    static const char *const without[] = {"diht", "auto", "exact", "polish", NULL};
    const struct methods all = methods_but(without);
    static const double sizes[] = {1, 0x1p-13, 0x1p-20, 0x1p13};

    (void)state;
    for (int k = 0; k < all.count; k++) {
        double F[4];

        for (int i = 0; i < 4; i++) {
            struct instance *p = random_instance(41, 60, 20, 5, "l1");

            p->ridge = 0;
            for (int64_t e = 0; e < p->m * p->n; e++) {
                p->A[e] *= sizes[i];
            }
            for (int64_t j = 0; j < p->n; j++) {
                p->start[j] /= sizes[i];
            }
            F[i] = run_method(p, all.name[k]).info.objective;
            free(p);
        }
        if (!(fabs(F[1] - F[2]) <= 1e-9 * F[1] && F[1] <= 1.1 * F[0] && F[3] <= 1.1 * F[0])) {
            fail_msg("%s: F %.9g, with small columns %.9g and %.9g, with large ones %.9g", all.name[k], F[0], F[1],
                     F[2], F[3]);
        }
    }
}

/* ---- quality ---------------------------------------------------------------------------------------------- */

/* Without noise but for gross outliers, the least absolute deviations find what is planted, by every primal method. */
static void test_planted(void **state) {
    (void)state;
    for (int k = 0; k < methods.count; k++) {
        struct instance *p = random_instance(17, 100, 200, 5, "l1");
        double truth[COLUMNS] = {0};
        struct result result;

        if (strcmp(methods.name[k], "diht") == 0) {
            free(p);
            continue;
        }
        for (int64_t i = 0; i < p->m; i++) {
            p->b[i] = i % 20 == 7 ? 15 : 0;
            for (int64_t j = 0; j < 5; j++) {
                truth[40 * j] = (double)(j + 2);
                p->b[i] += truth[40 * j] * p->A[i + 40 * j * p->m];
            }
        }
        p->ridge = 0;
        p->intercept = 0;
        p->iterations = 1000;
        result = run_method(p, methods.name[k]);
        for (int64_t j = 0; j < p->n; j++) {
            if (!(fabs(result.x[j] - truth[j]) <= 0.02)) {
                fail_msg("%s: x_%d is %g, not %g", methods.name[k], (int)j + 1, result.x[j], truth[j]);
            }
        }
        free(p);
    }
}

/* OMP written down naively: normal equations by elimination, correlations column by column. */
static void naive_omp(const struct instance *p, int64_t *chosen) {
    double r[ROWS], G[16][17];

    memcpy(r, p->b, sizeof(double) * (size_t)p->m);
    for (int64_t k = 0; k < p->s; k++) {
        double most = -1;

        for (int64_t j = 0; j < p->n; j++) {
            double dot = 0, square = 0;

            for (int64_t i = 0; i < p->m; i++) {
                dot += p->A[i + j * p->m] * r[i];
                square += p->A[i + j * p->m] * p->A[i + j * p->m];
            }
            if (fabs(dot) / sqrt(square) > most) {
                most = fabs(dot) / sqrt(square);
                chosen[k] = j;
            }
        }
        for (int64_t a = 0; a <= k; a++) {
            for (int64_t c = 0; c <= k + 1; c++) {
                const double *other = c <= k ? p->A + chosen[c] * p->m : p->b;

                G[a][c] = 0;
                for (int64_t i = 0; i < p->m; i++) {
                    G[a][c] += p->A[i + chosen[a] * p->m] * other[i];
                }
            }
        }
        for (int64_t a = 0; a <= k; a++) { /* Gauss-Jordan; the matrix is positive definite */
            for (int64_t c = 0; c <= k; c++) {
                double factor = c == a ? 0 : G[c][a] / G[a][a];

                for (int64_t d = 0; d <= k + 1; d++) {
                    G[c][d] -= factor * G[a][d];
                }
            }
        }
        for (int64_t i = 0; i < p->m; i++) {
            r[i] = p->b[i];
            for (int64_t a = 0; a <= k; a++) {
                r[i] -= p->A[i + chosen[a] * p->m] * G[a][k + 1] / G[a][a];
            }
        }
    }
}

static void test_omp_is_omp(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct instance *p = random_instance(seed, 50, 40, 8, "l1");
        int64_t chosen[16];
        struct result result;

        p->ridge = 0;
        p->intercept = 0;
        result = run_method(p, "omp");
        naive_omp(p, chosen);
        for (int64_t k = 0; k < p->s; k++) {
            assert_true(result.x[chosen[k]] != 0);
        }
        free(p);
    }
}

/* ---- DIHT's bound ----------------------------------------------------------------------------------------- */

/* The best of all supports of s columns, each minimised exactly. */
static double enumerate(const struct instance *p) {
    struct instance *q = malloc(sizeof *q);
    double best = INFINITY;

    assert_non_null(q);
    *q = *p;
    for (int64_t mask = 0; mask < 1 << p->n; mask++) {
        int64_t k = 0;

        for (int64_t j = 0; j < p->n; j++) {
            q->start[j] = (double)(mask >> j & 1);
            k += (mask >> j & 1) && !(p->terms && j == 1);
        }
        if (k == p->s) {
            best = fmin(best, run_method(q, "polish").info.objective);
        }
    }
    free(q);
    return best;
}

static void test_bound(void **state) {
    (void)state;
    for (int i = 0; i < 2 * LOSSES; i++) {
        struct instance *p = random_instance(91 + (uint64_t)i, 25, 7, 3, losses[i / 2]);
        double least, bound;

        p->ridge = i % 3 ? 0.1 : 2;
        p->terms = i % 2;
        least = enumerate(p);
        bound = run_method(p, "diht").info.bound;
        if (!(isfinite(bound) && bound <= least + 1e-9 * fabs(least))) {
            fail_msg("%s, terms %d: bound %.12g, optimum %.12g", p->loss, p->terms, bound, least);
        }
        for (int k = 0; k < methods.count; k++) {
            double F = run_method(p, methods.name[k]).info.objective;

            assert_true(F >= least - 1e-9 * fabs(least) && F >= bound);
        }
        free(p);
    }
}

/* With s = n nothing is relaxed: the bound is the minimum itself, in the limit. */
static void test_bound_is_tight_without_sparsity(void **state) {
    (void)state;
    for (int l = 0; l < LOSSES; l++) {
        struct instance *p = random_instance(55, 30, 5, 5, losses[l]);
        double F, bound;

        p->ridge = 20;
        p->iterations = 5000;
        F = run_method(p, "omp").info.objective; /* exact: every column is in */
        bound = run_method(p, "diht").info.bound;
        if (!(bound >= F - 5e-3 * fabs(F))) {
            fail_msg("%s: bound %.12g, minimum %.12g", losses[l], bound, F);
        }
        free(p);
    }
}

static void test_diht_needs_ridge(void **state) {
    struct instance *p = random_instance(1, 20, 6, 2, "l1");
    struct result result;

    (void)state;
    p->ridge = 0;
    result = run_with(p, "diht", NULL, NULL);
    assert_int_equal(result.error, SPGM_ERROR_UNSUPPORTED);
    assert_non_null(strstr(result.status.message, "ridge"));
    free(p);
}

/* ---- the frame of a run
 * ---------------------------------------------------------------------------------------------- */

struct watch {
    int64_t calls, stop_at;
    double best;
    int ordered, above; /* iterations come one by one; no objective lies below `best` */
};

static int watch(const spgm_progress *progress, void *context) {
    struct watch *w = context;

    w->calls++;
    w->ordered &= progress->iteration == w->calls;
    w->above &= progress->objective >= progress->best * (1 - 1e-15) && progress->best <= w->best;
    w->best = progress->best;
    return w->calls == w->stop_at;
}

static void test_trace_and_interrupt(void **state) {
    (void)state;
    for (int k = 0; k < methods.count; k++) {
        struct instance *p = random_instance(23, 40, 15, 6, "l1");
        struct watch all = {0, -1, INFINITY, 1, 1}, some = {0, 4, INFINITY, 1, 1};
        struct result result = run_with(p, methods.name[k], watch, &all);

        assert_int_equal(result.error, SPGM_OK);
        assert_int_equal(result.info.iterations, all.calls);
        assert_true(all.ordered && all.above && all.calls > 0);
        assert_true(result.info.objective <= all.best * (1 + 1e-12));
        assert_true(result.info.outcome == SPGM_CONVERGED || result.info.outcome == SPGM_ITERATION_LIMIT);
        result = run_with(p, methods.name[k], watch, &some);
        assert_int_equal(result.error, SPGM_OK);
        assert_int_equal(some.calls, 4);
        assert_int_equal(result.info.outcome, SPGM_INTERRUPTED);
        free(p);
    }
}

/* max_iterations holds for each stage: documented numbers of stages. */
static void test_iteration_limit(void **state) {
    static const struct {
        const char *method;
        int64_t stages;
    } documented[] = {{"psgd", 2},    {"admm-iht", 2}, {"diht", 2}, {"pdm", 3},
                      {"cvx-l1", 50}, {"ncvx-lp", 74}, {"omp", 1}};
    enum { DOCUMENTED = sizeof documented / sizeof *documented };

    (void)state;
    for (int k = 0; k < methods.count; k++) {
        struct instance *p = random_instance(29, 40, 15, 6, "linf");

        int at = 0;

        while (at < DOCUMENTED && strcmp(documented[at].method, methods.name[k]) != 0) {
            at++;
        }
        if (at == DOCUMENTED) {
            fail_msg("how many stages has %s?", methods.name[k]);
        }
        p->iterations = 3;
        assert_true(run_method(p, methods.name[k]).info.iterations <= documented[at].stages * p->iterations);
        free(p);
    }
}

/* ---- plain and tuned forms -------------------------------------------------------------------------------- */

static int stages_seen;

/* A new stage begins where mu rises. */
static int count_stages(const spgm_progress *progress, void *context) {
    double *last = context;

    stages_seen += progress->mu > *last * (1 + 1e-9);
    *last = progress->mu;
    return 0;
}

/* No trials: max_iterations holds for the run, and mu never rises. The sweep over sigma keeps its mu. */
static void test_plain_has_one_stage(void **state) {
    (void)state;
    for (int k = 0; k < methods.count; k++) {
        struct instance *p = random_instance(31, 40, 60, 6, "l1");
        double last = INFINITY;

        p->iterations = 60;
        p->tuning = "plain";
        stages_seen = 0;
        assert_true(run_method(p, methods.name[k]).info.iterations <= p->iterations);
        run_with(p, methods.name[k], count_stages, &last);
        assert_int_equal(stages_seen, 0);
        free(p);
    }
}

/* The plain form of the two variants of Algorithm 1 is what the options say, bit for bit. */
static void test_plain_is_the_algorithm(void **state) {
    static const char *const own[] = {"spgm-iht", "spgm-bcd"};

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct instance *p = random_instance(37, 40, 60, 6, "l1");
        spgm_matrix A = spgm_dense(p->m, p->n, p->A);
        double x[2][COLUMNS];

        for (int plain = 0; plain < 2; plain++) {
            spgm_options *options = options_of(p, own[k]);
            spgm_problem *problem = problem_of(p, &A, options);
            spgm_solver *solver = NULL;

            set(options, "support_share", plain ? 0.7 : 0);
            assert_int_equal(spgm_options_set(options, "tuning", plain ? "plain" : "standard", NULL), SPGM_OK);
            assert_int_equal(spgm_solver_new(problem, p->s, options, &solver, NULL), SPGM_OK);
            assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
            spgm_solver_get_x(solver, x[plain], NULL);
            spgm_solver_free(solver);
            spgm_problem_free(problem);
            spgm_options_free(options);
        }
        assert_memory_equal(x[0], x[1], sizeof(double) * (size_t)p->n);
        free(p);
    }
}

/* Tuned SPGM-BCD ends in minima over supports, within max_iterations, and here below the plain form. */
static void test_tuned_bcd(void **state) {
    (void)state;
    for (int k = 0; k < LOSSES; k++) {
        struct instance *p = random_instance(41, 60, 90, 8, losses[k]);
        double plain, tuned, polished;
        struct result result;

        p->iterations = 400;
        p->tuning = "plain";
        plain = run_method(p, "spgm-bcd").info.objective;
        p->tuning = "tuned";
        result = run_method(p, "spgm-bcd");
        tuned = result.info.objective;
        assert_true(result.info.iterations <= p->iterations);
        assert_true(tuned <= plain * (1 + 1e-12));
        memcpy(p->start, result.x, sizeof(double) * (size_t)p->n);
        polished = run_with(p, "polish", NULL, NULL).info.objective;
        assert_true(polished >= tuned * (1 - 1e-6));
        free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(test_feasible_and_not_worse),
        unit_test_alone(test_many_columns),
        unit_test_alone(test_permutation),
        cmocka_unit_test(test_same_bits),
        unit_test_alone(test_degenerate),
        unit_test_alone(test_no_ridge),
        unit_test_alone(test_units_of_columns),
        unit_test_alone(test_planted),
        unit_test_alone(test_omp_is_omp),
        unit_test_alone(test_bound),
        unit_test_alone(test_bound_is_tight_without_sparsity),
        unit_test_alone(test_diht_needs_ridge),
        unit_test_alone(test_trace_and_interrupt),
        unit_test_alone(test_iteration_limit),
        unit_test_alone(test_plain_has_one_stage),
        unit_test_alone(test_plain_is_the_algorithm),
        unit_test_alone(test_tuned_bcd),
    };
    methods = methods_but(others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
