/* Problems without a minimum are said to have none; those that only look like it are solved. */
#include <string.h>

#include "spgm/spgm.h"
#include "unit/model_fixture.h"

#include "methods.h"

enum { ROWS = 20, COLUMNS = 3 };

struct data {
    double A[ROWS * COLUMNS], b[ROWS];
    spgm_matrix matrix;
    const double *lower, *upper; /* or NULL: no bounds */
    int64_t excluded[1], excluded_count;
};

static void data_init(struct data *data) {
    for (int64_t k = 0; k < ROWS * COLUMNS; k++)
        data->A[k] = fixture_normal();
    for (int64_t i = 0; i < ROWS; i++)
        data->b[i] = fixture_normal();
    data->matrix = spgm_dense(ROWS, COLUMNS, data->A);
    data->lower = data->upper = NULL;
    data->excluded_count = 0;
}

/* What is asked: everything that a problem may have beside A and b. */
struct question {
    const char *loss, *method;
    double ridge;
    int64_t s, free_column; /* -1: none */
    const double *linear;
    const spgm_matrix *Q, *C;
};

static spgm_error ask(const struct data *data, struct question q, double *objective, spgm_status *status) {
    const int64_t free_columns[] = {q.free_column};
    const double d[ROWS] = {0};
    spgm_options *options = spgm_options_new();
    spgm_problem *problem;
    spgm_solver *solver = NULL;
    assert_int_equal(spgm_options_set(options, "loss", q.loss, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "method", q.method, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "ridge", q.ridge, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_new(&data->matrix, data->b, options, &problem, NULL), SPGM_OK);
    if (q.linear != NULL)
        assert_int_equal(spgm_problem_set_linear(problem, q.linear, NULL), SPGM_OK);
    if (q.Q != NULL)
        assert_int_equal(spgm_problem_set_quadratic(problem, q.Q, NULL), SPGM_OK);
    if (q.C != NULL)
        assert_int_equal(spgm_problem_set_least_squares(problem, q.C, d, NULL), SPGM_OK);
    if (q.free_column >= 0)
        assert_int_equal(spgm_problem_set_free_columns(problem, free_columns, 1, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_excluded(problem, data->excluded, data->excluded_count, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_bounds(problem, data->lower, data->upper, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, q.s, options, &solver, NULL), SPGM_OK);
    spgm_error error = spgm_solver_run(solver, status);
    *objective = spgm_solver_get_info(solver).objective;
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return error;
}

static void assert_unbounded(const struct data *data, struct question q) {
    double objective;
    spgm_status status;
    spgm_error error = ask(data, q, &objective, &status);
    if (error != SPGM_ERROR_UNBOUNDED)
        fail_msg("%s %s: error %d, F = %g", q.loss, q.method, (int)error, objective);
    assert_non_null(strstr(status.message, "unbounded"));
    assert_string_equal(spgm_error_name(error), "unbounded");
}

static void assert_bounded(const struct data *data, struct question q) {
    double objective;
    spgm_status status;
    assert_int_equal(ask(data, q, &objective, &status), SPGM_OK);
    assert_true(isfinite(objective) && objective > -1e6);
}

static const char *const methods[] = {"auto", "spgm-iht", "spgm-bcd", "omp", "cvx-l1"};
static const char *const losses[] = {"l1", "quantile", "epsilon", "huber", "linf", "l2"};

static void a_linear_term_that_outweighs_the_loss(void **state) {
    (void)state;
    struct data data;
    const double up[COLUMNS] = {100, 0, 0}, down[COLUMNS] = {0, -100, 0}, little[COLUMNS] = {0.01, 0, -0.01};
    data_init(&data);
    for (size_t l = 0; l < sizeof losses / sizeof losses[0]; l++) {
        for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
            struct question q = {losses[l], methods[m], 0, 2, -1, up, NULL, NULL};
            assert_unbounded(&data, q);
            q.linear = down;
            assert_unbounded(&data, q);
            q.ridge = 0.1;
            assert_bounded(&data, q);
            q.ridge = 0;
            q.s = 0; /* nothing may be in the model */
            assert_bounded(&data, q);
            q.free_column = 1;
            assert_unbounded(&data, q);
            q.s = 2;
            q.linear = little;
            assert_bounded(&data, q);
        }
    }
}

/* What curves along the column holds it, whatever p is. */
static void curvature_bounds_it(void **state) {
    (void)state;
    struct data data;
    const double p[COLUMNS] = {100, 0, 0}, Q[9] = {1, 0, 0, 0, 0, 0, 0, 0, 0}, other[9] = {0, 0, 0, 0, 1, 0, 0, 0, 0};
    spgm_matrix held = spgm_dense(3, 3, Q), loose = spgm_dense(3, 3, other);
    data_init(&data);
    assert_bounded(&data, (struct question){"l1", "auto", 0, 2, -1, p, &held, NULL});
    assert_bounded(&data, (struct question){"l1", "auto", 0, 2, -1, p, NULL, &held});
    assert_bounded(&data, (struct question){"squared", "auto", 0, 2, -1, p, NULL, NULL});
    assert_unbounded(&data, (struct question){"l1", "auto", 0, 2, -1, p, &loose, NULL});
    assert_unbounded(&data, (struct question){"l1", "auto", 0, 2, -1, p, NULL, &loose});
    memset(data.A, 0, ROWS * sizeof *data.A); /* nothing curves along a column of zeros */
    assert_unbounded(&data, (struct question){"squared", "auto", 0, 2, -1, p, NULL, NULL});
    assert_bounded(&data, (struct question){"squared", "auto", 0.1, 2, -1, p, NULL, NULL});
}

/* The slopes of each side count: 0.9 upwards, 0.1 downwards, and the other way for the opposite sign of the column. */
static void each_side_has_its_slope(void **state) {
    (void)state;
    struct data data;
    double sum = 0, p[COLUMNS] = {0};
    data_init(&data);
    for (int i = 0; i < ROWS; i++)
        sum += data.A[i] = fabs(data.A[i]);
    /* quantile 0.5: x_0 downwards makes r fall, at the price of 0.5 for each unit */
    p[0] = 0.501 * sum;
    assert_unbounded(&data, (struct question){"quantile", "auto", 0, 1, -1, p, NULL, NULL});
    p[0] = -0.501 * sum;
    assert_unbounded(&data, (struct question){"quantile", "auto", 0, 1, -1, p, NULL, NULL});
    memset(data.A, 0, sizeof data.A);
    for (int i = 0; i < ROWS; i++) { /* hinge: the labels are -1 and +1, the column points the way of the labels */
        data.b[i] = i % 2 ? 1 : -1;
        data.A[i] = data.b[i];
    }
    static const char *const classifiers[] = {"hinge", "logistic", "squared_hinge"};
    for (size_t k = 0; k < 3; k++) {
        p[0] = -1; /* along +x_0 the loss does not rise at all */
        assert_unbounded(&data, (struct question){classifiers[k], "auto", 0, 1, -1, p, NULL, NULL});
        p[0] = 1; /* along -x_0 by 20 for each unit, or faster */
        assert_bounded(&data, (struct question){classifiers[k], "auto", 0, 1, -1, p, NULL, NULL});
        p[0] = 21;
        if (k < 2)
            assert_unbounded(&data, (struct question){classifiers[k], "auto", 0, 1, -1, p, NULL, NULL});
        else
            assert_bounded(&data, (struct question){classifiers[k], "auto", 0, 1, -1, p, NULL, NULL});
    }
}

/* A bound on the side to which F falls, or a column that is never in, holds it. */
static void a_bound_holds_it(void **state) {
    (void)state;
    struct data data;
    const double p[COLUMNS] = {100, 0, 0}, pair[COLUMNS] = {1, 1, 0};
    const double low[COLUMNS] = {-3, -INFINITY, -INFINITY}, high[COLUMNS] = {3, INFINITY, INFINITY};
    data_init(&data);
    struct question q = {"l1", "spgm-bcd", 0, 2, -1, p, NULL, NULL};
    data.upper = high; /* F falls to the other side */
    assert_unbounded(&data, q);
    data.lower = low;
    assert_bounded(&data, q);
    data.lower = data.upper = NULL;
    data.excluded[0] = 0;
    data.excluded_count = 1;
    assert_bounded(&data, q);
    data.excluded[0] = 1;
    assert_unbounded(&data, q);
    data.excluded_count = 0;
    for (int i = 0; i < ROWS; i++) /* along x_0 and x_1 together, where a bound on x_0 ends the ray */
        data.A[i + ROWS] = -data.A[i];
    q.linear = pair;
    assert_unbounded(&data, q);
    data.lower = low;
    assert_bounded(&data, q);
}

/* No column alone, but two of them together: a_1 = -a_0. */
static void a_direction_of_several_columns(void **state) {
    (void)state;
    struct data data;
    const double p[COLUMNS] = {1, 1, 0}, level[COLUMNS] = {1, -1, 0}; /* level: p'd = 0 where A d = 0 */
    const double low[COLUMNS] = {-3, -INFINITY, -INFINITY};
    const double v[COLUMNS] = {1e3, 2e3, 0}, across[COLUMNS] = {200, -100, 0};
    double Q[9] = {0};
    spgm_matrix rank_one = spgm_dense(3, 3, Q);
    data_init(&data);
    for (int k = 0; k < 9; k++)
        Q[k] = v[k % 3] * v[k / 3];
    assert_unbounded(&data, (struct question){"l1", "auto", 0, 2, -1, across, &rank_one, NULL});
    assert_bounded(&data, (struct question){"l1", "auto", 0, 1, -1, across, &rank_one, NULL});
    for (int i = 0; i < ROWS; i++)
        data.A[i + ROWS] = -data.A[i];
    for (size_t l = 0; l < sizeof losses / sizeof losses[0]; l++) {
        assert_unbounded(&data, (struct question){losses[l], "auto", 0, 2, -1, p, NULL, NULL});
        assert_unbounded(&data, (struct question){losses[l], "auto", 0, 3, -1, p, NULL, NULL});
        assert_bounded(&data, (struct question){losses[l], "auto", 0, 1, -1, p, NULL, NULL});
    }
    assert_unbounded(&data, (struct question){"l1", "spgm-bcd", 0, 2, -1, p, NULL, NULL});
    assert_unbounded(&data, (struct question){"squared", "auto", 0, 2, -1, p, NULL, NULL});
    assert_bounded(&data, (struct question){"squared", "auto", 0, 2, -1, level, NULL, NULL});
    assert_bounded(&data, (struct question){"huber", "auto", 0, 2, -1, level, NULL, NULL});
    data.lower = low;
    for (size_t l = 0; l < sizeof losses / sizeof losses[0]; l++)
        assert_bounded(&data, (struct question){losses[l], "auto", 0, 2, -1, p, NULL, NULL});
    assert_bounded(&data, (struct question){"squared", "auto", 0, 2, -1, p, NULL, NULL});
    data.lower = NULL;
    for (int i = 0; i < ROWS; i++)
        data.b[i] = i % 2 ? 1 : -1;
    assert_unbounded(&data, (struct question){"logistic", "auto", 0, 2, -1, p, NULL, NULL});
    assert_unbounded(&data, (struct question){"squared_hinge", "auto", 0, 2, -1, p, NULL, NULL});
}

/* Methods of small steps stop near the beginning of the ray: F there is an ordinary number. */
/* The same where only rounding sets the columns apart. In a row of zeros nothing but the intercept is left, which is
 * rounding, too: it hid the ray, and F = 1e31 was reported. */
static void a_row_of_zeros_hides_no_ray(void **state) {
    static const double left[] = {0, -0.4, 1, -1.2, -0.2, 0.5, 1.5}, right[COLUMNS] = {0.7, -0.7, -0.5};
    static const double linear[COLUMNS] = {-0.05, 0, 0.14};
    static const char *const names[] = {"auto", "exact"};
    struct data data;

    (void)state;
    data_init(&data);
    for (int64_t k = 0; k < 7 * COLUMNS; k++)
        data.A[k] = left[k % 7] * right[k / 7];
    data.matrix = spgm_dense(7, COLUMNS, data.A);
    for (size_t i = 0; i < 2; i++)
        for (int64_t s = 2; s <= COLUMNS; s++)
            assert_unbounded(
                &data,
                (struct question){.loss = "squared", .method = names[i], .s = s, .free_column = -1, .linear = linear});
}

/* Rows that only another column reaches, whose x is 1 where the ray is at 1e85: F = -5e85 was called a local optimum.
 */
static void rows_beside_the_ray_hide_none(void **state) {
    static const double linear[COLUMNS] = {1, 0.1, 0};
    static const char *const names[] = {"auto", "exact"};
    struct data data;

    (void)state;
    data_init(&data);
    for (int i = 0; i < ROWS; i++) {
        data.A[i] = data.A[i + ROWS] = i < 8;
        data.A[i + 2 * ROWS] = i % 3 == 1;
    }
    for (size_t i = 0; i < 2; i++)
        assert_unbounded(&data, (struct question){
                                    .loss = "squared", .method = names[i], .s = 3, .free_column = 2, .linear = linear});
}

static void small_steps_end_on_a_ray_too(void **state) {
    (void)state;
    static const char *const without[] = {"diht", "omp", "polish", NULL}; /* a ridge is needed; no small steps */
    const struct methods every = methods_but(without);
    struct data data;
    const double p[COLUMNS] = {1, 1, 0};
    data_init(&data);
    data.excluded[0] = 2; /* so that the support is the one with the ray */
    data.excluded_count = 1;
    for (int i = 0; i < ROWS; i++)
        data.A[i + ROWS] = -data.A[i];
    for (int m = 0; m < every.count; m++) {
        assert_unbounded(&data, (struct question){"l1", every.name[m], 0, 2, -1, p, NULL, NULL});
        assert_unbounded(&data, (struct question){"squared", every.name[m], 0, 2, -1, p, NULL, NULL});
        assert_unbounded(&data, (struct question){"huber", every.name[m], 0, 2, -1, p, NULL, NULL});
    }
}

static void a_path_says_it_too(void **state) {
    (void)state;
    struct data data;
    const double p[COLUMNS] = {100, 0, 0}, pair[COLUMNS] = {1, 1, 0};
    const int64_t all[] = {0, 1, 2}, none[] = {0}, one[] = {0, 1};
    spgm_problem *problem;
    spgm_path *path;
    data_init(&data);
    for (int i = 0; i < ROWS; i++)
        data.A[i + ROWS] = -data.A[i];
    assert_int_equal(spgm_problem_new(&data.matrix, data.b, NULL, &problem, NULL), SPGM_OK);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(spgm_problem_set_linear(problem, k < 2 ? p : pair, NULL), SPGM_OK);
        assert_int_equal(spgm_path_new(problem,
                                       k == 1   ? none
                                       : k == 3 ? one
                                                : all,
                                       k == 1   ? 1
                                       : k == 3 ? 2
                                                : 3,
                                       NULL, &path, NULL),
                         SPGM_OK);
        assert_int_equal(spgm_path_run(path, NULL), k % 2 == 0 ? SPGM_ERROR_UNBOUNDED : SPGM_OK);
        spgm_path_free(path);
    }
    spgm_problem_free(problem);
}

/* ---- is Q positive semidefinite? ------------------------------------------------------------------------- */

/* Setting Q [n x n], dense and compressed. */
static void assert_quadratic(int64_t n, const double *Q, spgm_error expected, const char *words) {
    double *A = fixture_normals(2 * n, 1), b[2] = {1, 2}, *values = fixture_doubles(n * n);
    int32_t *row = calloc((size_t)(n * n) + 1, sizeof *row);
    int64_t *start = calloc((size_t)n + 1, sizeof *start), stored = 0;
    spgm_matrix matrix = spgm_dense(2, n, A), term;
    spgm_status status;
    spgm_problem *problem;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < n; i++) {
            if (Q[i + j * n] != 0) {
                row[stored] = (int32_t)i;
                values[stored++] = Q[i + j * n];
            }
        }
        start[j + 1] = stored;
    }
    for (int sparse = 0; sparse < 2; sparse++) {
        term = sparse ? spgm_sparse(n, n, start, row, values) : spgm_dense(n, n, Q);
        assert_int_equal(spgm_problem_new(&matrix, b, NULL, &problem, NULL), SPGM_OK);
        spgm_error error = spgm_problem_set_quadratic(problem, &term, &status);
        if (error != expected || strstr(status.message, words) == NULL)
            fail_msg("n = %d: error %d, '%s'", (int)n, (int)error, status.message);
        spgm_problem_free(problem);
    }
    free(A);
    free(values);
    free(row);
    free(start);
}

static void an_indefinite_quadratic_is_refused(void **state) {
    (void)state;
    const double pair[] = {0, 1, 1, 0}, minor[] = {1, 2, 2, 1}, negative[] = {1, 0, 0, -1};
    const double three[] = {1, -0.9, -0.9, -0.9, 1, -0.9, -0.9, -0.9, 1}; /* every 2 x 2 minor is positive */
    const double scaled[] = {1e-200, 0, -0.9, 0, 5, 0, -0.9, 0, 1e200},
                 wide[] = {1e-200, 0, -1.1, 0, 5, 0, -1.1, 0, 1e200};
    assert_quadratic(2, pair, SPGM_ERROR_DATA, "columns 1 and 2");
    assert_quadratic(2, minor, SPGM_ERROR_DATA, "columns 1 and 2");
    assert_quadratic(2, negative, SPGM_ERROR_DATA, "(2, 2) is -1");
    assert_quadratic(3, three, SPGM_ERROR_DATA, "x'Qx = -");
    assert_quadratic(3, scaled, SPGM_OK, "");
    assert_quadratic(3, wide, SPGM_ERROR_DATA, "columns 1 and 3");
    enum { N = 60 };
    static double big[N * N];
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++)
            big[i + j * N] = i == j ? 1 : -1.0 / (N - 1.5); /* smallest eigenvalue -1 / 117 */
    assert_quadratic(N, big, SPGM_ERROR_DATA, "x'Qx = -");
}

static void a_semidefinite_quadratic_is_taken(void **state) {
    (void)state;
    enum { N = 40 };
    static double Q[N * N];
    for (int rank = 0; rank < 4; rank++) {
        memset(Q, 0, sizeof Q);
        for (int k = 0; k < rank * 7; k++) { /* sum of v v', with columns of zeros */
            double v[N];
            for (int i = 0; i < N; i++)
                v[i] = i % 5 == 0 ? 0 : fixture_normal() * pow(10, i % 7 - 3);
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++)
                    Q[i + j * N] += v[i] * v[j];
        }
        assert_quadratic(N, Q, SPGM_OK, "");
    }
    const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_quadratic(3, ones, SPGM_OK, "");
}

/* Too large for a factorisation: a chain of blocks, each with the eigenvalue 1 - 2 c. */
static void large_sparse_quadratics(void **state) {
    (void)state;
    enum { BLOCKS = 1500, N = 3 * BLOCKS };
    static double values[3 * N], A[2 * N];
    static int32_t row[3 * N];
    static int64_t start[N + 1];
    const double b[] = {1, 2};
    spgm_matrix matrix = spgm_dense(2, N, A), Q = spgm_sparse(N, N, start, row, values);
    spgm_status status;
    for (int64_t j = 0; j < N; j++) {
        A[j] = 1;
        start[j + 1] = 3 * (j + 1);
        for (int64_t i = 0; i < 3; i++)
            row[3 * j + i] = (int32_t)(j / 3 * 3 + i);
    }
    for (int indefinite = 0; indefinite < 2; indefinite++) {
        spgm_problem *problem;
        for (int64_t j = 0; j < N; j++) {
            /* 0.5: semidefinite and singular; with the row sums above the diagonal, and one block that is indefinite */
            double c = indefinite && j / 3 == 700 ? 0.9 : 0.5000000001;
            for (int64_t i = 0; i < 3; i++)
                values[3 * j + i] = i == j % 3 ? 1 : -c;
        }
        assert_int_equal(spgm_problem_new(&matrix, b, NULL, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_quadratic(problem, &Q, &status), indefinite ? SPGM_ERROR_DATA : SPGM_OK);
        assert_true(!indefinite || strstr(status.message, "eigenvalue") != NULL);
        spgm_problem_free(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_term_that_outweighs_the_loss),
        cmocka_unit_test(curvature_bounds_it),
        cmocka_unit_test(each_side_has_its_slope),
        cmocka_unit_test(a_bound_holds_it),
        cmocka_unit_test(a_direction_of_several_columns),
        cmocka_unit_test(a_row_of_zeros_hides_no_ray),
        cmocka_unit_test(rows_beside_the_ray_hide_none),
        cmocka_unit_test(small_steps_end_on_a_ray_too),
        cmocka_unit_test(a_path_says_it_too),
        cmocka_unit_test(an_indefinite_quadratic_is_refused),
        cmocka_unit_test(a_semidefinite_quadratic_is_taken),
        cmocka_unit_test(large_sparse_quadratics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
