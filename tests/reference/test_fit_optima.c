/* Fits against solvers that share nothing with them: HiGHS and Clarabel (check_fit_optima.py prints the table), R's
 * quantreg. One fit from x, and where warm fits pivot also cold, which ends at a vertex. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/memory.h"
#include "fit/fit.h"
#include "model/problem.h"

enum {
    DUPLICATE = 1,
    ZERO = 2,
    CONSTANT = 4,
    LINEAR = 8,
    QUADRATIC = 16,
    SQUARES = 32,
    INTERCEPT = 64,
    WEIGHTS = 128,
    OFFSET = 256
};
enum { ROWS = 512, COLUMNS = 64 };

struct case_ {
    int64_t m, k;
    const char *loss;
    double option; /* tau or epsilon */
    double ridge;
    int flags;
    uint64_t seed;
    double optimum;
};

/* Printed by check_fit_optima.py. */
static const struct case_ cases[] = {
    {40, 5, "l1", 0, 0, 0, 1, 156.655325524},
    {40, 5, "l1", 0, 0, 192, 2, 251.750001917},
    {200, 12, "quantile", 0.3, 0, 64, 3, 238.80206793},
    {60, 6, "epsilon", 1.5, 0, 64, 4, 163.8641889},
    {60, 6, "hinge", 0, 0, 0, 5, 37.7506750914},
    {60, 6, "linf", 0, 0, 0, 6, 19.7207064611},
    {60, 6, "linf", 0, 0, 65, 7, 11.9051418138},
    {30, 6, "l1", 0, 0, 3, 8, 100.017055116},
    {4, 9, "l1", 0, 0, 0, 9, 0},
    {4, 9, "linf", 0, 0, 0, 10, 0},
    {40, 5, "l1", 0, 0.5, 0, 11, 145.836839299},
    {40, 5, "l1", 0, 0.5, 24, 12, 149.163579425},
    {40, 8, "quantile", 0.8, 0.25, 96, 13, 98.8285622578},
    {40, 5, "epsilon", 2.0, 0.125, 193, 14, 178.041681594},
    {50, 7, "hinge", 0, 0.25, 64, 15, 27.2991091733},
    {50, 7, "linf", 0, 0.0625, 8, 16, 13.1525334326},
    {50, 7, "linf", 0, 0.0078125, 19, 17, 20.3639689821},
    {50, 7, "l2", 0, 0.5, 64, 18, 48.8058635173},
    {50, 7, "l2", 0, 0, 33, 19, 52.8227596639},
    {4, 9, "l2", 0, 0.03125, 0, 20, 2.72181452467},
    {4, 9, "l2", 0, 0.5, 8, 21, 12.9633217768},
    {50, 7, "squared", 0, 0.5, 88, 22, 1043.10951051},
    {4, 9, "l1", 0, 0.5, 8, 23, 17.5871132715},
    {30, 4, "l1", 0, 0.25, 68, 24, 0},
};

/* ---- data ----------------------------------------------------------------------------------------------------- */

struct data {
    double A[ROWS * COLUMNS], b[ROWS], w[ROWS], p[COLUMNS], G[3 * COLUMNS], Q[COLUMNS * COLUMNS], C[5 * COLUMNS], d[5];
};

static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 2147483648.0;
}

static double bell(uint64_t *state) {
    return uniform(state) + uniform(state) + uniform(state) + uniform(state) - 2.0;
}

static void fill(uint64_t *state, double *values, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        values[i] = bell(state);
    }
}

static void make_target(const struct case_ *c, struct data *data, uint64_t *state) {
    for (int64_t i = 0; i < c->m; i++) {
        data->b[i] = 0;
        for (int64_t j = 0; j < c->k; j++) {
            data->b[i] += data->A[i + j * c->m] * (double)(j % 3 - 1);
        }
        data->b[i] += 2 * bell(state) + (i % 7 == 3 ? 20 : 0);
        data->b[i] = c->flags & CONSTANT ? 5 : data->b[i];
        if (strcmp(c->loss, "hinge") == 0) {
            data->b[i] = data->b[i] > 0 ? 1 : -1;
        }
        data->w[i] = (double)(i % 4);
    }
}

static void make_case(const struct case_ *c, struct data *data) {
    uint64_t state = c->seed;

    fill(&state, data->A, c->m * c->k);
    if (c->flags & DUPLICATE) {
        memcpy(data->A + (c->k - 1) * c->m, data->A, sizeof(double) * (size_t)c->m);
    }
    for (int64_t i = 0; c->flags & ZERO && i < c->m; i++) {
        data->A[i + c->m] = 0;
    }
    make_target(c, data, &state);
    for (int64_t i = 0; c->flags & OFFSET && i < c->m * c->k; i++) {
        data->A[i] += 2000;
    }
    for (int64_t j = 0; j < c->k; j++) {
        data->p[j] = j % 2 ? 0.25 : -0.5;
    }
    if (c->flags & QUADRATIC) {
        fill(&state, data->G, 3 * c->k);
    }
    if (c->flags & SQUARES) {
        fill(&state, data->C, 5 * c->k);
        fill(&state, data->d, 5);
    }
    for (int64_t i = 0; i < c->k * c->k; i++) {
        const double *u = data->G + 3 * (i % c->k), *v = data->G + 3 * (i / c->k);

        data->Q[i] = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    }
}

/* ---- problems ------------------------------------------------------------------------------------------------- */

struct fixture {
    struct data data;
    spgm_matrix A, Q, C;
    spgm_options *options;
    spgm_problem *user;
    struct problem problem;
};

static void set(spgm_options *options, const char *name, double value) {
    assert_int_equal(spgm_options_set_number(options, name, value, NULL), SPGM_OK);
}

static struct fixture *problem_of(const struct case_ *c) {
    struct fixture *x = calloc(1, sizeof *x);

    assert_non_null(x);
    make_case(c, &x->data);
    x->A = spgm_dense(c->m, c->k, x->data.A);
    x->Q = spgm_dense(c->k, c->k, x->data.Q);
    x->C = spgm_dense(5, c->k, x->data.C);
    x->options = spgm_options_new();
    assert_int_equal(spgm_options_set(x->options, "loss", c->loss, NULL), SPGM_OK);
    set(x->options, "ridge", c->ridge);
    set(x->options, "intercept", c->flags & INTERCEPT ? 1 : 0);
    if (c->option > 0) {
        set(x->options, strcmp(c->loss, "quantile") == 0 ? "quantile" : "epsilon", c->option);
    }
    assert_int_equal(spgm_problem_new(&x->A, x->data.b, x->options, &x->user, NULL), SPGM_OK);
    if (c->flags & WEIGHTS) {
        assert_int_equal(spgm_problem_set_weights(x->user, x->data.w, NULL), SPGM_OK);
    }
    if (c->flags & LINEAR) {
        assert_int_equal(spgm_problem_set_linear(x->user, x->data.p, NULL), SPGM_OK);
    }
    if (c->flags & QUADRATIC) {
        assert_int_equal(spgm_problem_set_quadratic(x->user, &x->Q, NULL), SPGM_OK);
    }
    if (c->flags & SQUARES) {
        assert_int_equal(spgm_problem_set_least_squares(x->user, &x->C, x->data.d, NULL), SPGM_OK);
    }
    assert_int_equal(problem_frame(x->user, 1, &x->problem, NULL), SPGM_OK);
    return x;
}

static void release(struct fixture *x) {
    problem_unframe(&x->problem);
    spgm_problem_free(x->user);
    spgm_options_free(x->options);
    free(x);
}

/* The proven bound of a fit over all columns from x = 0. */
static double prove(const struct fixture *x) {
    int64_t n = x->problem.A->columns;
    int64_t support[COLUMNS + 1];
    struct fit *fit = fit_new(&x->problem, n);
    double bound, F;

    assert_non_null(fit);
    for (int64_t j = 0; j < n; j++) {
        support[j] = j;
    }
    fit_set_support(fit, n, support);
    fit_rough(fit, 0, INFINITY);
    bound = fit_bound(fit);
    F = fit_objective(fit);
    fit_free(fit);
    if (!(bound <= F && bound >= F - 1e-8 * fabs(F) - 1e-14)) { /* that of perfect fits is 0 */
        fail_msg("%s: F %.12g, bound %.12g", x->problem.h.kind->name, F, bound);
    }
    return bound;
}

/* A fit over all columns from x = 0, with the checks that hold for every problem. F in the data's units. */
static double fit_all(const struct fixture *x, double *coefficients, double *intercept, struct fit_report *report) {
    int64_t n = x->problem.A->columns;
    int64_t support[COLUMNS + 1];
    double z[COLUMNS + 1] = {0};
    double F;

    for (int64_t j = 0; j < n; j++) {
        support[j] = j;
    }
    assert_int_equal(fit_once(&x->problem, n, support, z, report, NULL, NULL, NULL), SPGM_OK);
    problem_unscale(&x->problem, z, coefficients, intercept);
    assert_int_equal(spgm_problem_evaluate(x->user, coefficients, *intercept, &F, NULL, NULL, NULL), SPGM_OK);
    assert_true(fabs(F - x->problem.objective_unit * report->objective) <= 1e-12 * (1 + fabs(F)));
    assert_true(report->gap <= 1e-8);
    assert_true(report->steps <= 30);
    return F;
}

static void test_table(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct case_ *c = &cases[i];
        struct fixture *x = problem_of(c);
        double coefficients[COLUMNS], intercept;
        struct fit_report report;
        double F = fit_all(x, coefficients, &intercept, &report);

        double bound = prove(x);

        if (!(fabs(F - c->optimum) <= 2e-9 * (1 + c->optimum) && bound <= c->optimum + 2e-9 * (1 + c->optimum))) {
            fail_msg("case %zu (%s): F %.12g, bound %.12g, reference %.12g", i + 1, c->loss, F, bound, c->optimum);
        }
        release(x);
    }
}

/* Any start gives the same optimum, and a start that is optimal is kept. */
static void test_start_does_not_matter(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture *x = problem_of(&cases[i]);
        int64_t n = x->problem.A->columns;
        int64_t support[COLUMNS + 1];
        double z[COLUMNS + 1] = {0};
        struct fit_report first, second;

        for (int64_t j = 0; j < n; j++) {
            support[j] = n - 1 - j;
            z[j] = (double)(j - 2) * 3;
        }
        assert_int_equal(fit_once(&x->problem, n, support, z, &first, NULL, NULL, NULL), SPGM_OK);
        assert_true(fabs(first.objective - cases[i].optimum) <= 2e-9 * (1 + cases[i].optimum));
        assert_int_equal(fit_once(&x->problem, n, support, z, &second, NULL, NULL, NULL), SPGM_OK);
        assert_true(second.objective <= first.objective);
        release(x);
    }
}

/* Entries outside the support are ignored on entry and zero on return; an empty support is exact. */
static void test_part_of_the_columns(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture *x = problem_of(&cases[i]);
        int64_t n = x->problem.A->columns;
        const int64_t support[] = {3, 0};
        double z[COLUMNS + 1], zero[COLUMNS + 1] = {0};
        struct fit_report none, two;

        for (int64_t j = 0; j < n; j++) {
            z[j] = 100;
        }
        assert_int_equal(fit_once(&x->problem, 0, support, zero, &none, NULL, NULL, NULL), SPGM_OK);
        assert_true(none.gap <= 1e-14);
        assert_int_equal(fit_once(&x->problem, 2, support, z, &two, NULL, NULL, NULL), SPGM_OK);
        assert_true(two.gap <= 1e-8 && two.objective <= none.objective);
        for (int64_t j = 0; j < n; j++) {
            assert_true(j == 0 || j == 3 || z[j] == 0);
        }
        release(x);
    }
}

/* Columns that are nearly constant (years), beside an intercept and without ridge. */
static void test_ill_conditioned(void **state) {
    static const char *const losses[] = {"l1", "quantile", "epsilon", "hinge", "linf", "l2", "squared"};

    (void)state;
    for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct case_ c = {60, 8, losses[l], 0, 0, INTERCEPT | OFFSET, seed, 0};
            struct fixture *x = problem_of(&c);
            int64_t support[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
            double z[9] = {0};
            struct fit_report report;

            assert_int_equal(fit_once(&x->problem, 9, support, z, &report, NULL, NULL, NULL), SPGM_OK);
            if (!(report.gap <= 1e-8)) {
                fail_msg("%s, seed %d: F %.12g, gap %.3g, %d steps", losses[l], (int)seed, report.objective, report.gap,
                         (int)report.steps);
            }
            release(x);
        }
    }
}

/* ---- textbook ------------------------------------------------------------------------------------------------- */

/* Brownlee 1965: air flow, water temperature, acid concentration, stack loss. */
static const double stackloss[21][4] = {
    {80, 27, 89, 42}, {80, 27, 88, 37}, {75, 25, 90, 37}, {62, 24, 87, 28}, {62, 22, 87, 18}, {62, 23, 87, 18},
    {62, 24, 93, 19}, {62, 24, 93, 20}, {58, 23, 87, 15}, {58, 18, 80, 14}, {58, 18, 89, 14}, {58, 17, 88, 13},
    {58, 18, 82, 11}, {58, 19, 93, 12}, {50, 18, 89, 8},  {50, 18, 86, 7},  {50, 19, 72, 8},  {50, 19, 79, 8},
    {50, 20, 80, 9},  {56, 20, 82, 15}, {70, 20, 91, 15}};

static struct fixture *quantile_problem(int64_t m, int64_t k, double tau) {
    struct fixture *x = calloc(1, sizeof *x);

    assert_non_null(x);
    x->A = spgm_dense(m, k, x->data.A);
    x->options = spgm_options_new();
    assert_int_equal(spgm_options_set(x->options, "loss", "quantile", NULL), SPGM_OK);
    set(x->options, "quantile", tau);
    return x;
}

static void frame(struct fixture *x) {
    assert_int_equal(spgm_problem_new(&x->A, x->data.b, x->options, &x->user, NULL), SPGM_OK);
    assert_int_equal(problem_frame(x->user, 1, &x->problem, NULL), SPGM_OK);
}

static void test_stackloss(void **state) {
    const double taus[] = {0.25, 0.5, 0.75};
    const double losses[] = {16.625, 21.0405797101449, 16.2521551724138};
    const double fits[][4] = {{-36, 0.5, 1, 0},
                              {-39.6898550724638, 0.831884057971014, 0.573913043478265, -0.0608695652173913},
                              {-54.1896551724138, 0.870689655172414, 0.982758620689655, 0}};

    (void)state;
    for (int t = 0; t < 3; t++) {
        struct fixture *x = quantile_problem(21, 3, taus[t]);
        double coefficients[3], intercept, F;
        struct fit_report report;

        for (int i = 0; i < 21; i++) {
            x->data.b[i] = stackloss[i][3];
            for (int j = 0; j < 3; j++) {
                x->data.A[i + 21 * j] = stackloss[i][j];
            }
        }
        frame(x);
        F = fit_all(x, coefficients, &intercept, &report);
        assert_true(fabs(F - losses[t]) <= 1e-8 * losses[t]);
        assert_true(fabs(intercept - fits[t][0]) <= 1e-5);
        for (int j = 0; j < 3; j++) {
            assert_true(fabs(coefficients[j] - fits[t][1 + j]) <= 1e-6);
        }
        release(x);
    }
}

/* ---- R's quantreg, where ../shared is ------------------------------------------------------------------------- */

struct table {
    char names[32][32];
    double values[32][ROWS];
    int64_t columns, rows;
};

static void read_table(const char *path, struct table *table) {
    char line[4096];
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    memset(table, 0, sizeof *table);
    assert_non_null(fgets(line, sizeof line, file));
    for (char *cell = strtok(line, ",\n"); cell != NULL; cell = strtok(NULL, ",\n")) {
        snprintf(table->names[table->columns++], 32, "%.*s", (int)strlen(cell) - 2, cell + 1); /* without quotes */
    }
    while (fgets(line, sizeof line, file) != NULL) {
        int64_t j = 0;

        for (char *cell = strtok(line, ",\n"); cell != NULL; cell = strtok(NULL, ",\n")) {
            table->values[j++][table->rows] = strtod(cell, NULL);
        }
        table->rows++;
    }
    fclose(file);
}

static const double *column(const struct table *table, const char *name) {
    for (int64_t j = 0; j < table->columns; j++) {
        if (strcmp(table->names[j], name) == 0) {
            return table->values[j];
        }
    }
    fail_msg("no column %s", name);
    return NULL;
}

static void check_fit(const json_t *fit, const struct table *table) {
    const char *formula = json_string_value(json_object_get(fit, "formula"));
    double tau = json_number_value(json_object_get(fit, "tau"));
    double loss = json_number_value(json_object_get(fit, "check_loss"));
    json_t *coefficients = json_object_get(fit, "coef");
    struct fixture *x = quantile_problem(table->rows, (int64_t)json_object_size(coefficients) - 1, tau);
    char target[32];
    double ours[COLUMNS], intercept, F;
    struct fit_report report;
    const char *name;
    json_t *value;
    int64_t j = 0;

    assert_int_equal(sscanf(formula, "%31s", target), 1);
    memcpy(x->data.b, column(table, target), sizeof(double) * (size_t)table->rows);
    json_object_foreach(coefficients, name, value) {
        if (strcmp(name, "(Intercept)") != 0) {
            memcpy(x->data.A + table->rows * j++, column(table, name), sizeof(double) * (size_t)table->rows);
        }
    }
    frame(x);
    F = fit_all(x, ours, &intercept, &report);
    if (!(fabs(F - loss) <= 1e-8 * loss)) {
        fail_msg("%s, tau %g: %.12g, quantreg has %.12g", formula, tau, F, loss);
    }
    j = 0;
    json_object_foreach(coefficients, name, value) {
        double expected = json_number_value(value);
        double got = strcmp(name, "(Intercept)") == 0 ? intercept : ours[j++];

        assert_true(fabs(got - expected) <= 1e-5 * (1 + fabs(expected)));
    }
    release(x);
}

static void test_quantreg(void **state) {
    static struct table table;
    const char *shared = getenv("SPGM_SHARED");
    char path[1024];
    json_t *fits;

    (void)state;
    if (shared == NULL) {
        skip();
    }
    snprintf(path, sizeof path, "%s/data/qr_textbook/reference_fits.json", shared);
    fits = json_load_file(path, 0, NULL);
    if (fits == NULL) {
        skip();
    }
    assert_true(json_array_size(fits) >= 20);
    for (size_t i = 0; i < json_array_size(fits); i++) {
        const json_t *fit = json_array_get(fits, i);

        snprintf(path, sizeof path, "%s/data/qr_textbook/%s", shared, json_string_value(json_object_get(fit, "data")));
        read_table(path, &table);
        check_fit(fit, &table);
    }
    json_decref(fits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),     cmocka_unit_test(test_start_does_not_matter),
        cmocka_unit_test(test_stackloss), cmocka_unit_test(test_part_of_the_columns),
        cmocka_unit_test(test_quantreg),  cmocka_unit_test(test_ill_conditioned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
