/*
 * Every method under every kind of feasible set and every loss: each point that is offered is feasible in the data's
 * units, F is what it is said to be, the result is no worse than the start; signs of columns flip with their bounds;
 * bounds that bind nowhere change no bit; and no bound of DIHT is above the minimum over all supports.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "methods.h"
#include "search/registry.h"
#include "share.h"

enum { MOST = 40 };
enum kind { NONE, NONNEGATIVE, BOX, EXCLUDED, CAPPED, GROUPED, CAPPED_BOX, GROUPED_BOX, KINDS };
static const char *const kind_names[KINDS] = {"nothing", "nonnegative", "box",        "excluded",
                                              "capped",  "grouped",     "capped box", "grouped box"};
static const char *const losses[] = {"l1",    "linf",    "l2",    "quantile", "epsilon",
                                     "hinge", "squared", "huber", "logistic", "squared_hinge"};
/* Two searches have tests of their own (test_exchange.c, test_exact.c); the fit of a start chooses no support. */
static const char *const others[] = {"auto", "exact", "polish", NULL};
static struct methods methods; /* all but these */
enum { LOSSES = sizeof losses / sizeof *losses };

/* ---- an instance and its set ------------------------------------------------------------------------------ */

struct instance {
    int64_t m, n, s;
    double A[MOST * MOST], b[MOST], start[MOST];
    const char *loss, *method;
    double ridge;
    int standardize, intercept;
    enum kind kind;
    int has_bounds, limit;
    double lower[MOST], upper[MOST];
    int is_excluded[MOST], is_free[MOST];
    int64_t group_of[MOST]; /* labels of the user, -1: none */
};

static int has_labels(const char *loss) {
    return strcmp(loss, "hinge") == 0 || strcmp(loss, "logistic") == 0 || strcmp(loss, "squared_hinge") == 0;
}

static int is_grouped(const struct instance *p) {
    return p->kind == GROUPED || p->kind == GROUPED_BOX;
}

static int is_capped(const struct instance *p) {
    return p->kind == CAPPED || p->kind == CAPPED_BOX;
}

/* Bounds of all sorts, in the size of the coefficients: none, one side, both, and a column that may only be zero. */
static void make_set(struct instance *p, struct random *random) {
    int is_box = p->kind == BOX || p->kind == CAPPED_BOX || p->kind == GROUPED_BOX;
    p->has_bounds = is_box || p->kind == NONNEGATIVE;
    p->limit = is_capped(p) ? 2 : 0;
    for (int64_t j = 0; j < p->n; j++) {
        int64_t sort = random_below(random, 5);
        p->lower[j] = p->kind == NONNEGATIVE ? 0 : is_box && sort > 1 ? -2 * random_uniform(random) : -INFINITY;
        p->upper[j] = is_box && sort != 2 && sort > 0 ? 1.5 * random_uniform(random) : INFINITY;
        if (is_box && j == 3)
            p->lower[j] = p->upper[j] = 0;
        p->is_excluded[j] = (p->kind == EXCLUDED || p->kind == CAPPED_BOX || p->kind == GROUPED_BOX) && j % 5 == 2;
        p->is_free[j] = (p->kind == EXCLUDED || p->kind == CAPPED_BOX || p->kind == GROUPED_BOX) && j == 4;
        p->group_of[j] = j % 7 == 6 ? -1 : 1000 - 30 * (j / 4);
    }
}

static struct instance *instance_new(uint64_t seed, int64_t m, int64_t n, int64_t s, const char *loss, enum kind kind) {
    struct instance *p = calloc(1, sizeof *p);
    struct random random;
    assert_non_null(p);
    random_seed(&random, seed, 0);
    *p = (struct instance){.m = m, .n = n, .s = s, .loss = loss, .kind = kind, .ridge = 0.1, .intercept = 1};
    p->standardize = seed % 2 == 0;
    for (int64_t i = 0; i < m * n; i++)
        p->A[i] = random_normal(&random);
    for (int64_t i = 0; i < m; i++) {
        p->b[i] = 1 + random_normal(&random) + (i % 10 == 9 ? 8 : 0);
        for (int64_t j = 0; j < n; j += 3)
            p->b[i] += (double)(2 - j % 4) * p->A[i + j * m];
        if (has_labels(loss))
            p->b[i] = i < 2 ? (double)(2 * i - 1) : p->b[i] > 0 ? 1 : -1;
    }
    for (int64_t j = 0; j < n; j++)
        p->start[j] = 0.3 * random_normal(&random);
    make_set(p, &random);
    return p;
}

/* ---- the definitions, from the raw numbers ---------------------------------------------------------------------- */

static double raw_objective(const struct instance *p, const double *x, double intercept) {
    double f = 0, sum = 0, squares = 0, largest = 0;
    for (int64_t j = 0; j < p->n; j++)
        f += p->ridge / 2 * x[j] * x[j];
    for (int64_t i = 0; i < p->m; i++) {
        double r = intercept - p->b[i], margin;
        for (int64_t j = 0; j < p->n; j++)
            r += p->A[i + j * p->m] * x[j];
        margin = p->b[i] * (r + p->b[i]);
        squares += r * r;
        largest = fmax(largest, fabs(r));
        sum += strcmp(p->loss, "l1") == 0              ? fabs(r)
               : strcmp(p->loss, "quantile") == 0      ? (r > 0 ? 0.7 * r : -0.3 * r)
               : strcmp(p->loss, "epsilon") == 0       ? fmax(0, fabs(r) - 0.5)
               : strcmp(p->loss, "huber") == 0         ? (fabs(r) <= 0.8 ? r * r / 2 : 0.8 * fabs(r) - 0.32)
               : strcmp(p->loss, "logistic") == 0      ? log1p(exp(-margin))
               : strcmp(p->loss, "squared_hinge") == 0 ? fmax(0, 1 - margin) * fmax(0, 1 - margin)
                                                       : fmax(0, 1 - margin);
    }
    return f + (strcmp(p->loss, "linf") == 0      ? largest
                : strcmp(p->loss, "l2") == 0      ? sqrt(squares)
                : strcmp(p->loss, "squared") == 0 ? squares / 2
                                                  : sum);
}

/* What is wrong with x, NULL: nothing. */
static const char *raw_check(const struct instance *p, const double *x) {
    int64_t units = 0;
    for (int64_t j = 0; j < p->n; j++) {
        int64_t inside = 0;
        int is_new = x[j] != 0 && !p->is_free[j];
        if (p->has_bounds && !(x[j] >= p->lower[j] && x[j] <= p->upper[j]))
            return "bounds";
        if (x[j] != 0 && p->is_excluded[j])
            return "an excluded column";
        for (int64_t i = 0; i < p->n && (is_capped(p) || is_grouped(p)); i++) {
            int same = p->group_of[i] >= 0 && p->group_of[i] == p->group_of[j] && x[i] != 0;
            inside += same;
            is_new = is_new && !(is_grouped(p) && i < j && same && !p->is_free[i]);
        }
        if (is_capped(p) && inside > p->limit)
            return "a cap";
        units += is_new;
    }
    return units > p->s ? "the sparsity" : NULL;
}

/* ---- a run ------------------------------------------------------------------------------------------------ */

static spgm_options *options_of(const struct instance *p, int64_t iterations) {
    spgm_options *options = spgm_options_new();
    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "loss", p->loss, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "method", p->method, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "ridge", p->ridge, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "intercept", p->intercept, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "standardize", p->standardize, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "quantile", 0.3, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "epsilon", 0.5, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "delta", 0.8, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "threads", 1, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "max_iterations", (double)iterations, NULL), SPGM_OK);
    return options;
}

static spgm_problem *problem_of(const struct instance *p, const spgm_matrix *A, const spgm_options *options) {
    spgm_problem *problem = NULL;
    spgm_status status;
    int64_t excluded[MOST], free_columns[MOST], excluded_count = 0, free_count = 0;
    for (int64_t j = 0; j < p->n; j++) {
        if (p->is_excluded[j])
            excluded[excluded_count++] = j;
        if (p->is_free[j])
            free_columns[free_count++] = j;
    }
    assert_int_equal(spgm_problem_new(A, p->b, options, &problem, NULL), SPGM_OK);
    if (p->has_bounds)
        assert_int_equal(spgm_problem_set_bounds(problem, p->lower, p->upper, NULL), SPGM_OK);
    if (excluded_count > 0)
        assert_int_equal(spgm_problem_set_excluded(problem, excluded, excluded_count, NULL), SPGM_OK);
    if (free_count > 0)
        assert_int_equal(spgm_problem_set_free_columns(problem, free_columns, free_count, NULL), SPGM_OK);
    if (is_capped(p) || is_grouped(p))
        if (spgm_problem_set_groups(problem, p->group_of, p->limit, &status) != SPGM_OK)
            fail_msg("%s", status.message);
    return problem;
}

struct watch {
    const struct instance *p;
    const struct problem *framed;
    int64_t offered;
};

static void on_offer(void *context, const double *z) {
    struct watch *watch = context;
    double x[MOST + 1], intercept;
    const char *wrong;
    watch->offered++;
    for (int64_t j = 0; watch->framed->lower != NULL && j < watch->framed->A->columns; j++)
        if (!(z[j] >= watch->framed->lower[j] && z[j] <= watch->framed->upper[j]))
            fail_msg("%s, %s, %s: a framed point leaves its bounds", watch->p->method, watch->p->loss,
                     kind_names[watch->p->kind]);
    problem_unscale(watch->framed, z, x, &intercept);
    wrong = raw_check(watch->p, x);
    if (wrong != NULL)
        fail_msg("%s, %s, %s: point %d breaks %s", watch->p->method, watch->p->loss, kind_names[watch->p->kind],
                 (int)watch->offered, wrong);
}

struct result {
    double x[MOST], intercept, objective, bound, start;
    int64_t iterations;
};

/* From the start of the instance, projected. */
static struct result run(const struct instance *p, int64_t iterations) {
    spgm_matrix A = spgm_dense(p->m, p->n, p->A);
    spgm_options *options = options_of(p, iterations);
    spgm_problem *problem = problem_of(p, &A, options);
    struct workspace workspace = {0};
    struct problem framed;
    struct point point;
    struct run run;
    struct watch watch = {.p = p, .framed = &framed};
    struct result result;
    double start[MOST], start_intercept;

    memset(&result, 0, sizeof result);
    assert_int_equal(problem_frame(problem, 1, &framed, NULL), SPGM_OK);
    run_init(&run, &framed, p->s, options, &workspace);
    point_init(&point, &framed, &workspace);
    assert_false(workspace.failed);
    run.offered = on_offer;
    run.offered_context = &watch;
    problem_scale(&framed, p->start, 0, run.x);
    run_project(&run, run.x);
    problem_unscale(&framed, run.x, start, &start_intercept);
    result.start = raw_objective(p, start, start_intercept);
    run_start(&run, &point);
    assert_int_equal(method_find(p->method)->run(&run, NULL), SPGM_OK);
    assert_true(watch.offered >= 2);
    problem_unscale(&framed, run.best_x, result.x, &result.intercept);
    result.objective = framed.objective_unit * run.best_objective;
    result.bound = framed.objective_unit * run.bound;
    result.iterations = run.iterations;
    workspace_free(&workspace);
    problem_unframe(&framed);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return result;
}

static void check_run(const struct instance *p, int64_t iterations) {
    struct result result = run(p, iterations);
    double F = raw_objective(p, result.x, result.intercept);
    if (raw_check(p, result.x) != NULL)
        fail_msg("%s, %s, %s: the result breaks %s", p->method, p->loss, kind_names[p->kind], raw_check(p, result.x));
    if (!(fabs(F - result.objective) <= 1e-9 * (1 + fabs(F))))
        fail_msg("%s, %s, %s: F is %.17g, not %.17g", p->method, p->loss, kind_names[p->kind], F, result.objective);
    if (!(F <= result.start * (1 + 1e-12)))
        fail_msg("%s, %s, %s: F is %.17g, above %.17g at the start", p->method, p->loss, kind_names[p->kind], F,
                 result.start);
    if (!(result.bound <= F * (1 + 1e-9)))
        fail_msg("%s, %s, %s: the bound %.17g is above F = %.17g", p->method, p->loss, kind_names[p->kind],
                 result.bound, F);
}

static void test_feasible(void **unused) {
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int l = 0; l < LOSSES; l++)
            for (int k = 0; k < methods.count; k++)
                for (uint64_t seed = 1; seed <= SHARE(3, 1); seed++) {
                    struct instance *p = instance_new(seed + 10 * (uint64_t)kind, seed == 3 ? 12 : 30, 24, 5, losses[l],
                                                      (enum kind)kind);
                    p->method = methods.name[k];
                    p->intercept = seed != 3;
                    check_run(p, SHARE(150, 60));
                    free(p);
                }
}

/* More free columns than a block takes, all of them bounded; and budgets at both ends. */
static void test_edges(void **unused) {
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int k = 0; k < methods.count; k++)
            for (int64_t s = 0; s <= 24; s += 12) {
                struct instance *p = instance_new(5, 30, 24, s, "l1", (enum kind)kind);
                p->method = methods.name[k];
                for (int64_t j = 0; s == 12 && j < p->n; j++)
                    p->is_free[j] = j % 2 == 0 && !p->is_excluded[j] && !is_capped(p);
                for (int64_t j = 0; s == 24 && j < p->n; j++)
                    p->is_excluded[j] = !p->is_free[j]; /* nothing is left to choose */
                check_run(p, 60);
                free(p);
            }
}

/* ---- invariances ------------------------------------------------------------------------------------------------ */

static void assert_same(const struct instance *p, const struct result *a, const struct result *b, const char *what) {
    int same = a->iterations == b->iterations && a->objective == b->objective;
    for (int64_t j = 0; j < p->n; j++)
        same = same && fabs(a->x[j]) == fabs(b->x[j]);
    if (!same)
        fail_msg("%s, %s, %s: %s: F %.17g and %.17g after %d and %d iterations", p->method, p->loss,
                 kind_names[p->kind], what, a->objective, b->objective, (int)a->iterations, (int)b->iterations);
}

static void test_flipped_signs(void **unused) {
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (int k = 0; k < methods.count; k++) {
            struct instance *p = instance_new(21, 30, 24, 5, losses[(kind + k) % LOSSES], (enum kind)kind);
            struct result before, after;
            p->method = methods.name[k];
            before = run(p, 100);
            for (int64_t j = 0; j < p->n; j += 2) {
                double lower = p->lower[j];
                p->lower[j] = -p->upper[j];
                p->upper[j] = -lower;
                p->start[j] = -p->start[j];
                for (int64_t i = 0; i < p->m; i++)
                    p->A[i + j * p->m] = -p->A[i + j * p->m];
            }
            after = run(p, 100);
            for (int64_t j = 0; j < p->n; j++) /* ||A|| comes from a vector of random signs: its last digits differ */
                if (!(fabs(after.x[j] - (j % 2 == 0 ? -1 : 1) * before.x[j]) <= 1e-6))
                    fail_msg("%s, %s, %s: x_%d = %.17g became %.17g when columns changed sign, F %.17g and %.17g",
                             p->method, p->loss, kind_names[kind], (int)j, before.x[j], after.x[j], before.objective,
                             after.objective);
            free(p);
        }
}

static int ends_with_a_fit(const struct instance *p) {
    static const char *const methods_with_fits[] = {"omp", "cvx-l1", "ncvx-lp"};
    for (int k = 0; k < 3; k++)
        if (strcmp(p->method, methods_with_fits[k]) == 0)
            return 1;
    return 0;
}

static void test_bounds_that_bind_nowhere(void **unused) {
    (void)unused;
    for (int l = 0; l < LOSSES; l++)
        for (int k = 0; k < methods.count; k++)
            for (int kind = 0; kind < KINDS; kind++) {
                struct instance *p = instance_new(31, 30, 24, 5, losses[l], (enum kind)kind);
                struct result none, infinite, huge;
                if (p->has_bounds) {
                    free(p);
                    continue;
                }
                p->method = methods.name[k];
                none = run(p, 100);
                p->has_bounds = 1;
                infinite = run(p, 100);
                for (int64_t j = 0; j < p->n; j++)
                    p->lower[j] = -1e30, p->upper[j] = 1e25;
                huge = run(p, 100);
                assert_same(p, &none, &infinite, "infinite bounds");
                if (!ends_with_a_fit(p))
                    assert_same(p, &none, &huge, "huge bounds");
                else if (!(fabs(huge.objective - none.objective) <=
                           1e-8 * fabs(none.objective))) /* another way there */
                    fail_msg("%s, %s, %s: F is %.17g, within huge bounds %.17g", p->method, p->loss, kind_names[kind],
                             none.objective, huge.objective);
                free(p);
            }
}

/* ---- the minimum over all supports ------------------------------------------------------------------------------ */

/* min over x within the bounds and supported on S of F, squared loss: coordinate descent to the end. */
static double minimum_over(const struct instance *p, const int *in, double *x, double *intercept) {
    double r[MOST];
    memset(x, 0, sizeof *x * (size_t)p->n);
    *intercept = 0;
    for (int64_t i = 0; i < p->m; i++)
        r[i] = -p->b[i];
    for (int sweep = 0; sweep < 3000; sweep++) {
        double largest = 0;
        for (int64_t j = 0; j <= p->n; j++) {
            double squares = j < p->n ? p->ridge : 0, slope = j < p->n ? p->ridge * x[j] : 0, old, new;
            if (j < p->n && !in[j])
                continue;
            for (int64_t i = 0; i < p->m; i++) {
                double a = j < p->n ? p->A[i + j * p->m] : 1;
                squares += a * a;
                slope += a * r[i];
            }
            old = j < p->n ? x[j] : *intercept;
            new = old - slope / squares;
            if (j < p->n && p->has_bounds)
                new = fmin(fmax(new, p->lower[j]), p->upper[j]);
            for (int64_t i = 0; i < p->m; i++)
                r[i] += (new - old) * (j < p->n ? p->A[i + j * p->m] : 1);
            *(j < p->n ? &x[j] : intercept) = new;
            largest = fmax(largest, fabs(new - old));
        }
        if (largest < 1e-13)
            break;
    }
    return raw_objective(p, x, *intercept);
}

static double enumerate(const struct instance *p) {
    double best = INFINITY;
    for (uint32_t set = 0; set < UINT32_C(1) << p->n; set++) {
        double x[MOST], ones[MOST], intercept;
        int in[MOST], has_free = 1;
        for (int64_t j = 0; j < p->n; j++) {
            in[j] = set >> j & 1;
            ones[j] = in[j] && !(p->has_bounds && p->lower[j] == 0 && p->upper[j] == 0);
            has_free = has_free && (in[j] || !p->is_free[j]);
        }
        struct instance without = *p;
        without.has_bounds = 0;
        if (has_free && raw_check(&without, ones) == NULL)
            best = fmin(best, minimum_over(p, in, x, &intercept));
    }
    return best;
}

static void test_against_enumeration(void **unused) {
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t seed = 1; seed <= SHARE(4, 1); seed++) {
            struct instance *p = instance_new(40 + seed, 14, 9, 3, "squared", (enum kind)kind);
            double optimum, lowest = INFINITY;
            p->standardize = 0;
            optimum = enumerate(p);
            for (int k = 0; k < methods.count; k++) {
                struct result result;
                p->method = methods.name[k];
                result = run(p, 1000);
                lowest = fmin(lowest, result.objective);
                if (strcmp(p->method, "spgm-bcd") == 0 && !(result.objective <= 1.05 * optimum))
                    fail_msg("%s: blocks of all columns end at %.10g, the minimum is %.10g", kind_names[kind],
                             result.objective, optimum);
                if (!(result.objective >= optimum * (1 - 1e-9)))
                    fail_msg("%s, %s: F = %.17g is below the minimum %.17g over all supports", p->method,
                             kind_names[kind], result.objective, optimum);
                if (!(result.bound <= optimum * (1 + 1e-9)))
                    fail_msg("%s, %s: the bound %.17g is above the minimum %.17g over all supports", p->method,
                             kind_names[kind], result.bound, optimum);
            }
            if (!(lowest <= optimum * 1.02))
                fail_msg("%s: no method comes near the minimum %.10g over all supports: %.10g", kind_names[kind],
                         optimum, lowest);
            free(p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feasible),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_flipped_signs),
        cmocka_unit_test(test_bounds_that_bind_nowhere),
        cmocka_unit_test(test_against_enumeration),
    };
    methods = methods_but(others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
