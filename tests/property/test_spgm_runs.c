/* Whole runs through the public interface: repeatable, feasible, never worse than the start, no allocation in the loop.
 */
#include "alone.h"
#include "spgm_fixture.h"

#include "count_allocations.h"
#include "share.h"
#include "woken.h"

static const char *const methods[] = {"spgm-iht", "spgm-bcd"};

struct watch {
    long first, last;
    int64_t calls;
};

static int note_allocations(const spgm_progress *progress, void *context) {
    struct watch *watch = context;
    if (watch->calls++ == 0)
        watch->first = allocations;
    watch->last = allocations;
    (void)progress;
    return 0;
}

static void test_loop_allocates_nothing(void **unused) {
    (void)unused;
    if (!CAN_COUNT)
        skip();
    for (int loss = 0; loss < LOSS_COUNT; loss++)
        for (int method = 0; method < 2; method++)
            for (int variant = 0; variant < VARIANTS; variant++) {
                struct watch watch = {0};
                struct fixture *f = fixture_new(17, 11, 4, loss_names[loss], (enum variant)variant, 3);
                if (variant == WEIGHTED && !is_separable(f))
                    f->variant = PLAIN;
                fixture_option(f, "method", methods[method]);
                fixture_option(f, "step_bound", variant % 2 ? "adaptive" : "norm");
                fixture_number(f, "threads", 1);
                fixture_frame(f);
                long before = allocations;
                spgm_solver *solver;
                spgm_status status;
                check(spgm_solver_new(f->problem, f->s, f->options, &solver, &status), &status);
                spgm_solver_set_progress(solver, note_allocations, &watch);
                check(spgm_solver_run(solver, &status), &status);
                assert_true(watch.calls > 50);
                assert_true(watch.first > before); /* the counter counts */
                if (watch.last != watch.first)
                    fail_msg("%s %s %s: %ld allocations in the loop", methods[method], loss_names[loss],
                             variant_names[variant], watch.last - watch.first);
                spgm_solver_free(solver);
                fixture_free(f);
            }
}

/* ---- the same bits for any number of threads --------------------------------------------------- */

static void make_data(int64_t m, int64_t n, double density, double *A, double *b) {
    uint64_t seed = 77;
    for (int64_t i = 0; i < m * n; i++)
        A[i] = draw(&seed) < density ? draw_normal(&seed) : 0;
    for (int64_t i = 0; i < m; i++)
        b[i] = A[i] - 2 * A[i + 3 * m] + draw_normal(&seed);
}

static spgm_matrix sparse_copy(int64_t m, int64_t n, const double *A, int64_t *start, int32_t *row, double *value) {
    int64_t count = 0;
    for (int64_t j = 0; j < n; j++) {
        start[j] = count;
        for (int64_t i = 0; i < m; i++)
            if (A[i + j * m] != 0) {
                row[count] = (int32_t)i;
                value[count++] = A[i + j * m];
            }
    }
    start[n] = count;
    return spgm_sparse(m, n, start, row, value);
}

static void solve_with(const spgm_matrix *A, const double *b, const char *method, const char *loss, int threads,
                       double *x, double *intercept, spgm_info *info) {
    spgm_options *options = spgm_options_new();
    spgm_status status;
    assert_non_null(options);
    check(spgm_options_set(options, "method", method, &status), &status);
    check(spgm_options_set(options, "loss", loss, &status), &status);
    check(spgm_options_set_number(options, "threads", threads, &status), &status);
    check(spgm_options_set_number(options, "ridge", 0.01, &status), &status);
    check(spgm_options_set_number(options, "max_iterations", SHARE(12, 4), &status), &status);
    check(spgm_options_set_number(options, "effort", 1, &status), &status);
    check(spgm_solve(A, b, 9, options, x, intercept, info, &status), &status);
    spgm_options_free(options);
}

/* Every product wakes the threads, so that their bits are those of one. */
static void check_bits(const spgm_matrix *A, const double *b, const char *method, const char *loss) {
    size_t bytes = (size_t)A->columns * sizeof(double);
    double *first = malloc(bytes), *x = malloc(bytes), intercept[2];
    spgm_info info[2];
    long long before = wakes;
    solve_with(A, b, method, loss, 1, first, &intercept[0], &info[0]);
    assert_int_equal(wakes - before, 0);
    solve_with(A, b, method, loss, 3, x, &intercept[1], &info[1]);
    if (wakes == before)
        fail_msg("%s woke no thread", method);
    assert_memory_equal(x, first, bytes);
    assert_memory_equal(&intercept[1], &intercept[0], sizeof intercept[0]);
    assert_memory_equal(&info[1].objective, &info[0].objective, sizeof info[0].objective);
    assert_int_equal(info[1].iterations, info[0].iterations);
    free(first), free(x);
}

static void test_same_bits_for_any_threads(void **unused) {
    (void)unused;
    static const char *const names[] = {"spgm-iht", "spgm-bcd", "psgd", "admm-iht", "omp", "auto"};
    int64_t m = 2099, n = 525, cells = m * n; /* several blocks of rows and of columns */
    double *A = calloc((size_t)cells, sizeof *A), *value = calloc((size_t)cells, sizeof *value);
    double *b = calloc((size_t)m, sizeof *b);
    int64_t *start = calloc((size_t)n + 1, sizeof *start);
    int32_t *row = calloc((size_t)cells, sizeof *row);
    make_data(m, n, 1, A, b);
    wake_always = 1;
    for (int sparse = 0; sparse < 2; sparse++) {
        spgm_matrix matrix = sparse ? sparse_copy(m, n, A, start, row, value) : spgm_dense(m, n, A);
        for (int i = 0; i < (sparse ? 2 : 6); i += SHARE(1, 2))
            check_bits(&matrix, b, names[i], i % 2 ? "l1" : "linf");
    }
    wake_always = 0;
    free(A), free(value), free(b), free(start), free(row);
}

/* ---- ordinary though extreme ------------------------------------------------------------------- */

/* Best of a run against F at its start and at zero, from the raw data. */
static void run_edge(struct fixture *f, const char *method, const char *what) {
    double x[MOST] = {0}, start[MOST] = {0}, intercept = 0;
    spgm_solver *solver;
    spgm_status status;
    spgm_info info;
    uint64_t seed = 5;
    fixture_option(f, "method", method);
    fixture_frame(f);
    for (int64_t j = 0; j < f->n; j++)
        start[j] = draw_normal(&seed);
    raw_project(f, start);
    check(spgm_solver_new(f->problem, f->s, f->options, &solver, &status), &status);
    check(spgm_solver_set_start(solver, start, 0, &status), &status);
    check(spgm_solver_run(solver, &status), &status);
    spgm_solver_get_x(solver, x, &intercept);
    info = spgm_solver_get_info(solver);
    if (f->N > f->n)
        x[f->n] = intercept;
    assert_true(isfinite(info.objective));
    assert_near(info.objective, raw_F(f, x), 1e-9 * (1 + fabs(info.objective)), "%s %s %s", what, method, f->loss);
    assert_at_most(info.objective, raw_F(f, start) * (1 + 1e-12) + 1e-12, "%s %s %s", what, method, f->loss);
    assert_true(raw_count(f, x) <= f->s);
    assert_int_equal(info.support, raw_count(f, x));
    assert_true(info.outcome == SPGM_CONVERGED || info.outcome == SPGM_ITERATION_LIMIT ||
                info.outcome == SPGM_OPTIMAL); /* its bound is there */
    spgm_solver_free(solver);
    fixture_free(f);
}

static struct fixture *with_odd_columns(int64_t m, int64_t n, int64_t s, const char *loss, enum variant variant) {
    struct fixture *f = fixture_new(m, n, s, loss, variant, 31);
    for (int64_t i = 0; i < m; i++) {
        f->A[i] = 0;                       /* a zero column    */
        f->A[i + 3 * m] = f->A[i + 2 * m]; /* two equal ones   */
        f->A[i + 5 * m] = -f->A[i + 4 * m];
    }
    return f;
}

static void test_edges(void **unused) {
    (void)unused;
    for (int loss = 0; loss < LOSS_COUNT; loss++)
        for (int method = 0; method < 2; method++) {
            const char *name = loss_names[loss], *how = methods[method];
            int labels = strcmp(name, "hinge") == 0;
            for (int variant = 0; variant < 2; variant++) {
                enum variant v = (enum variant)variant;
                run_edge(fixture_new(12, 8, 0, name, v, 1), how, "s = 0");
                run_edge(fixture_new(12, 8, 8, name, v, 1), how, "s = n");
                run_edge(fixture_new(12, 3, 2, name, v, 1), how, "n < k");
                run_edge(fixture_new(5, 40, 3, name, v, 1), how, "m << n");
                run_edge(fixture_new(60, 1, 1, name, v, 1), how, "one column");
                run_edge(fixture_new(60, 1, 0, name, v, 1), how, "one column, s = 0");
                run_edge(with_odd_columns(12, 8, 4, name, v), how, "zero and equal columns");
                run_edge(with_odd_columns(12, 8, 8, name, v), how, "zero and equal columns, s = n");
                if (!labels)
                    run_edge(fixture_new(1, 8, 2, name, v, 1), how, "one row");
            }
            run_edge(fixture_new(12, 8, 0, name, FREE, 1), how, "free, s = 0");
        }
}

/* All of A zero, and nothing in f: there is nothing to divide by. */
static void test_nothing_to_divide_by(void **unused) {
    (void)unused;
    for (int method = 0; method < 2; method++) {
        struct fixture *f = fixture_new(6, 4, 2, "l1", PLAIN, 8);
        memset(f->A, 0, sizeof f->A);
        f->ridge = 0;
        fixture_number(f, "ridge", 0);
        fixture_number(f, "theta", 0);
        fixture_number(f, "theta1", 0);
        fixture_number(f, "theta2", 0);
        run_edge(f, methods[method], "A = 0");
        f = fixture_new(6, 4, 2, "l1", PLAIN, 8);
        memset(f->b, 0, sizeof f->b);
        run_edge(f, methods[method], "b = 0");
    }
}

/* Nine free columns and more: the block takes the best eight, and still all of them reach their optimum. */
static void test_many_free_columns(void **unused) {
    (void)unused;
    struct fixture *f = fixture_new(40, 16, 1, "squared", PLAIN, 12);
    spgm_status status;
    spgm_solver *solver;
    int64_t columns[12];
    double x[MOST], G[MOST * 4], r[MOST], best = INFINITY;
    for (int64_t j = 0; j < 12; j++)
        columns[j] = j;
    f->ridge = 0; /* without it the smoothed loss has the same minimum */
    fixture_number(f, "ridge", 0);
    fixture_option(f, "method", "spgm-bcd");
    fixture_number(f, "max_iterations", 20000);
    fixture_option(f, "mu_schedule", "constant");
    fixture_number(f, "mu_start", 10);
    fixture_number(f, "tolerance", 0);
    fixture_frame(f);
    check(spgm_problem_set_free_columns(f->problem, columns, 12, &status), &status);
    check(spgm_solver_new(f->problem, 1, f->options, &solver, &status), &status);
    check(spgm_solver_run(solver, &status), &status);
    for (int64_t j = 12; j < 16; j++) { /* least squares on the free columns and one more */
        for (int64_t k = 0; k < 13; k++) {
            int64_t a = k < 12 ? k : j;
            r[k] = 0;
            for (int64_t i = 0; i < f->m; i++)
                r[k] += f->A[i + a * f->m] * f->b[i];
            for (int64_t l = 0; l < 13; l++) {
                G[k + l * 13] = k == l ? f->ridge : 0;
                for (int64_t i = 0; i < f->m; i++)
                    G[k + l * 13] += f->A[i + a * f->m] * f->A[i + (l < 12 ? l : j) * f->m];
            }
        }
        memset(x, 0, sizeof x);
        raw_solve(13, G, r);
        for (int64_t k = 0; k < 13; k++)
            x[k < 12 ? k : j] = r[k];
        best = fmin(best, raw_F(f, x));
    }
    assert_near(spgm_solver_get_info(solver).objective, best, 1e-6 * best, "twelve free columns");
    spgm_solver_free(solver);
    fixture_free(f);
}

static void test_working_set_limits(void **unused) {
    (void)unused;
    int64_t wrong[][2] = {{0, 0}, {24, 1}, {13, 12}};
    for (int i = 0; i < 3; i++) {
        struct fixture *f = fixture_new(6, 4, 2, "l1", PLAIN, 8);
        spgm_status status;
        spgm_solver *solver;
        fixture_option(f, "method", "spgm-bcd");
        fixture_number(f, "random_coordinates", (double)wrong[i][0]);
        fixture_number(f, "greedy_coordinates", (double)wrong[i][1]);
        fixture_frame(f);
        check(spgm_solver_new(f->problem, 2, f->options, &solver, &status), &status);
        assert_int_equal(spgm_solver_run(solver, &status), SPGM_ERROR_OPTION);
        assert_non_null(strstr(status.message, "random_coordinates"));
        spgm_solver_free(solver);
        fixture_free(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(test_loop_allocates_nothing),
        cmocka_unit_test(test_same_bits_for_any_threads),
        unit_test_alone(test_edges),
        unit_test_alone(test_nothing_to_divide_by),
        unit_test_alone(test_many_free_columns),
        unit_test_alone(test_working_set_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
