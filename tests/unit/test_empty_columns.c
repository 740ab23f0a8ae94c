/* Columns of sparse data that hold nothing change no result: the same bits as without them, in the data's numbers. */
#include <string.h>

#include "spgm/spgm.h"
#include "unit/model_fixture.h"

enum { ROWS = 15, FULL = 6, ALL = 40, STORED = ROWS * FULL };

/* FULL columns that hold something, and the same among ALL at `place`. */
struct data {
    double values[STORED], b[ROWS];
    int32_t row[STORED];
    int64_t narrow[FULL + 1], wide[ALL + 1], place[FULL];
    spgm_matrix A, A_wide;
};

static void data_init(struct data *data) {
    for (int64_t k = 0; k < STORED; k++) {
        data->values[k] = fixture_normal();
        data->row[k] = (int32_t)(k % ROWS);
    }
    for (int64_t i = 0; i < ROWS; i++)
        data->b[i] = 3 * data->values[i] - data->values[2 * ROWS + i] + fixture_normal();
    for (int64_t j = 0; j <= FULL; j++)
        data->narrow[j] = j * ROWS;
    for (int64_t j = 0, next = 0; j < ALL; j++) {
        data->wide[j + 1] = data->wide[j];
        if (next < FULL && j % 7 == 3) {
            data->place[next++] = j;
            data->wide[j + 1] += ROWS;
        }
    }
    data->A = spgm_sparse(ROWS, FULL, data->narrow, data->row, data->values);
    data->A_wide = spgm_sparse(ROWS, ALL, data->wide, data->row, data->values);
}

static spgm_options *options_of(const char *method) {
    spgm_options *options = spgm_options_new();
    assert_int_equal(spgm_options_set(options, "method", method, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "ridge", "0.01", NULL), SPGM_OK);
    return options;
}

/* x of both, with the free column of the narrow one and of the wide one (which also frees an empty column). */
static void solve_both(const struct data *data, const char *method, int64_t s, int64_t wide_s, int has_free,
                       double *x_narrow, double *x_wide) {
    const int64_t free_narrow[] = {4}, free_wide[] = {data->place[4], 0};
    spgm_options *options = options_of(method);
    double objectives[2], intercepts[2];
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        double *x = is_wide ? x_wide : x_narrow, start[ALL] = {0};
        int64_t columns[ALL];
        double values[ALL];
        spgm_problem *problem;
        spgm_solver *solver;
        assert_int_equal(spgm_problem_new(is_wide ? &data->A_wide : &data->A, data->b, options, &problem, NULL),
                         SPGM_OK);
        if (has_free)
            assert_int_equal(
                spgm_problem_set_free_columns(problem, is_wide ? free_wide : free_narrow, 1 + is_wide, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_new(problem, is_wide ? wide_s : s, options, &solver, NULL), SPGM_OK);
        start[is_wide ? data->place[1] : 1] = 2; /* polish needs one */
        if (strcmp(method, "polish") == 0)
            assert_int_equal(spgm_solver_set_start(solver, start, 0.5, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
        spgm_solver_get_x(solver, x, &intercepts[is_wide]);
        objectives[is_wide] = spgm_solver_get_info(solver).objective;
        int64_t count = spgm_solver_get_nonzeros(solver, columns, values), seen = 0;
        for (int64_t j = 0; j < (is_wide ? ALL : FULL); j++)
            if (x[j] != 0) {
                assert_true(seen < count && columns[seen] == j && values[seen] == x[j]);
                seen++;
            }
        assert_int_equal(seen, count);
        spgm_solver_free(solver);
        spgm_problem_free(problem);
    }
    assert_true(objectives[0] == objectives[1] && intercepts[0] == intercepts[1]);
    spgm_options_free(options);
}

static void assert_same(const struct data *data, const double *x_narrow, const double *x_wide) {
    int64_t next = 0;
    for (int64_t j = 0; j < ALL; j++) {
        if (next < FULL && data->place[next] == j)
            assert_true(x_wide[j] == x_narrow[next++]);
        else
            assert_true(x_wide[j] == 0);
    }
}

static void every_method_finds_the_same_model(void **state) {
    (void)state;
    struct data data = {0};
    double x_narrow[FULL], x_wide[ALL];
    data_init(&data);
    for (int64_t method = 0; method < spgm_method_count(); method++) {
        for (int64_t s = 0; s <= FULL; s++) {
            for (int has_free = 0; has_free < 2; has_free++) {
                solve_both(&data, spgm_method_name(method), s, s == FULL ? ALL : s, has_free, x_narrow, x_wide);
                assert_same(&data, x_narrow, x_wide);
            }
        }
    }
}

/* A ridge in proportion to the columns is that of the column, wherever it stands. */
static void the_ridge_is_the_column_s(void **state) {
    (void)state;
    struct data data = {0};
    double x[2][ALL], intercept[2];
    spgm_info info[2];
    spgm_options *options = options_of("auto");
    assert_int_equal(spgm_options_set(options, "ridge_scale", "deviation", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "ridge", "3", NULL), SPGM_OK);
    data_init(&data);
    for (int64_t k = 0; k < STORED; k++)
        data.values[k] *= (double)(1 + 3 * (k / ROWS));
    for (int64_t s = 1; s <= FULL; s++) {
        assert_int_equal(spgm_solve(&data.A, data.b, s, options, x[0], &intercept[0], &info[0], NULL), SPGM_OK);
        assert_int_equal(spgm_solve(&data.A_wide, data.b, s, options, x[1], &intercept[1], &info[1], NULL), SPGM_OK);
        assert_true(info[0].objective == info[1].objective && intercept[0] == intercept[1]);
        assert_same(&data, x[0], x[1]);
    }
    spgm_options_free(options);
}

static void a_path_and_folds_find_the_same_models(void **state) {
    (void)state;
    struct data data = {0};
    const int64_t sparsities[] = {1, 3, 5};
    spgm_options *options = options_of("auto");
    double losses[2][3][10];
    double x[2][3][ALL];
    data_init(&data);
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        const spgm_matrix *A = is_wide ? &data.A_wide : &data.A;
        spgm_problem *problem;
        spgm_path *path;
        spgm_cv *cv;
        assert_int_equal(spgm_problem_new(A, data.b, options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_path_new(problem, sparsities, 3, options, &path, NULL), SPGM_OK);
        assert_int_equal(spgm_path_run(path, NULL), SPGM_OK);
        assert_int_equal(spgm_options_set(options, "folds", "5", NULL), SPGM_OK);
        assert_int_equal(spgm_cv_new(problem, sparsities, 3, options, &cv, NULL), SPGM_OK);
        assert_int_equal(spgm_cv_run(cv, NULL), SPGM_OK);
        for (int i = 0; i < 3; i++) {
            double intercept, objective;
            spgm_info info;
            spgm_path_get(path, i, x[is_wide][i], &intercept, &info);
            spgm_cv_get(cv, i, losses[is_wide][i], NULL, NULL);
            assert_int_equal(spgm_problem_evaluate(problem, x[is_wide][i], intercept, &objective, NULL, NULL, NULL),
                             SPGM_OK);
            assert_true(objective == info.objective);
        }
        spgm_cv_free(cv);
        spgm_path_free(path);
        spgm_problem_free(problem);
    }
    for (int i = 0; i < 3; i++) {
        assert_same(&data, x[0][i], x[1][i]);
        assert_memory_equal(losses[0][i], losses[1][i], 5 * sizeof(double));
    }
    spgm_options_free(options);
}

/* ---- within a feasible set --------------------------------------------------------------------------------------- */

/* What x may be, for the FULL columns; in the wide data empty columns get limits and groups too. */
struct set {
    double lower[ALL], upper[ALL];
    int64_t group_of[ALL], limit, free_columns[2], free_count, excluded[ALL], excluded_count;
};

enum { BOUNDED, EXCLUDED, GROUPED, CAPPED, KINDS };

static struct set set_of(const struct data *data, int kind, int is_wide) {
    struct set set = {.limit = kind == CAPPED ? 2 : 0};
    for (int64_t j = 0; j < ALL; j++) {
        set.lower[j] = is_wide && j % 3 == 0 ? 0 : -INFINITY;
        set.upper[j] = is_wide && j % 3 == 1 ? 0 : INFINITY;
        set.group_of[j] = is_wide ? (j % 7 == 5 ? -1 : j % 4 == 0 ? 0 : 100 + j) : -1; /* most in groups of their own */
    }
    for (int64_t k = 0; k < FULL; k++) {
        int64_t j = is_wide ? data->place[k] : k;
        set.lower[j] = k % 2 == 0 ? -0.5 : -INFINITY;
        set.upper[j] = k == 2 ? 0 : k == 0 ? 0.75 : INFINITY;
        set.group_of[j] = k < 3 ? 0 : k < 5 ? 1 : -1;
    }
    if (kind == EXCLUDED)
        set.excluded[set.excluded_count++] = is_wide ? data->place[0] : 0;
    for (int64_t j = 0; is_wide && kind == EXCLUDED && j < 3; j++)
        set.excluded[set.excluded_count++] = j; /* which are empty */
    if (kind == CAPPED)
        set.free_columns[set.free_count++] = is_wide ? data->place[1] : 1;
    return set;
}

static spgm_problem *problem_within(const struct data *data, int kind, int is_wide, const spgm_options *options) {
    struct set set = set_of(data, kind, is_wide);
    spgm_problem *problem;
    assert_int_equal(spgm_problem_new(is_wide ? &data->A_wide : &data->A, data->b, options, &problem, NULL), SPGM_OK);
    if (kind == BOUNDED)
        assert_int_equal(spgm_problem_set_bounds(problem, set.lower, set.upper, NULL), SPGM_OK);
    if (kind == EXCLUDED)
        assert_int_equal(spgm_problem_set_excluded(problem, set.excluded, set.excluded_count, NULL), SPGM_OK);
    if (kind == GROUPED || kind == CAPPED)
        assert_int_equal(spgm_problem_set_groups(problem, set.group_of, set.limit, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_free_columns(problem, set.free_columns, set.free_count, NULL), SPGM_OK);
    return problem;
}

static void the_feasible_set_is_that_of_the_data(void **state) {
    (void)state;
    static const char *const methods[] = {"spgm-iht", "spgm-bcd", "omp"};
    struct data data = {0};
    data_init(&data);
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t m = 0; m < (kind == BOUNDED ? 2 : 3); m++) /* omp fits exactly, which bounds refuse */
            for (int64_t s = 0; s <= 4; s++) {
                double x[2][ALL];
                spgm_info info[2];
                for (int is_wide = 0; is_wide < 2; is_wide++) {
                    spgm_options *options = options_of(methods[m]);
                    spgm_problem *problem = problem_within(&data, kind, is_wide, options);
                    spgm_solver *solver;
                    spgm_status status;
                    int64_t units;
                    assert_int_equal(spgm_options_set(options, "polish", "false", NULL), SPGM_OK);
                    assert_int_equal(spgm_solver_new(problem, s, options, &solver, NULL), SPGM_OK);
                    if (spgm_solver_run(solver, &status) != SPGM_OK)
                        fail_msg("%s", status.message);
                    spgm_solver_get_x(solver, x[is_wide], NULL);
                    info[is_wide] = spgm_solver_get_info(solver);
                    assert_int_equal(spgm_problem_check(problem, x[is_wide], s, &units, &status), SPGM_OK);
                    assert_true(info[is_wide].feasible && info[is_wide].units == units);
                    spgm_solver_free(solver);
                    spgm_problem_free(problem);
                    spgm_options_free(options);
                }
                assert_same(&data, x[0], x[1]);
                assert_true(info[0].objective == info[1].objective && info[0].units == info[1].units);
            }
}

/* Two of each group may be in, and a free column without entries is one of them. */
static void an_empty_free_column_takes_a_place_of_its_group(void **state) {
    (void)state;
    struct data data = {0};
    int64_t group_of[ALL];
    spgm_options *options = options_of("spgm-bcd");
    spgm_problem *problem;
    spgm_solver *solver;
    const int64_t free_columns[] = {0};
    data_init(&data);
    assert_true(data.wide[1] == data.wide[0]);
    for (int64_t j = 0; j < ALL; j++)
        group_of[j] = 0;
    assert_int_equal(spgm_problem_new(&data.A_wide, data.b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_groups(problem, group_of, 2, NULL), SPGM_OK);
    for (int has_free = 0; has_free < 2; has_free++) {
        assert_int_equal(spgm_problem_set_free_columns(problem, free_columns, has_free, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_new(problem, 4, options, &solver, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_get_info(solver).units, 2 - has_free);
        spgm_solver_free(solver);
    }
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* A refusal names the column as the user knows it. */
static void sentences_have_the_data_s_numbers(void **state) {
    (void)state;
    struct data data = {0};
    double x[ALL];
    spgm_status status;
    data_init(&data);
    for (int64_t i = 0; i < ROWS; i++) { /* a coefficient of 1e400 */
        data.values[2 * ROWS + i] *= 1e-200;
        data.b[i] *= 1e200;
    }
    assert_int_equal(spgm_solve(&data.A_wide, data.b, 1, NULL, x, NULL, NULL, &status), SPGM_ERROR_DATA);
    assert_non_null(strstr(status.message, "column 18"));
}

/* With p_j x_j in f, an empty column has something to give. */
static void a_smooth_term_may_use_them(void **state) {
    (void)state;
    struct data data = {0};
    double p[ALL] = {0}, x[ALL];
    spgm_options *options = options_of("auto");
    spgm_problem *problem;
    spgm_solver *solver;
    data_init(&data);
    p[0] = -1000;
    assert_int_equal(spgm_problem_new(&data.A_wide, data.b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_linear(problem, p, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, 1, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    spgm_solver_get_x(solver, x, NULL);
    assert_near(x[0], 1000 / 0.01, 1);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void nothing_but_empty_columns(void **state) {
    (void)state;
    const int64_t start[4] = {0};
    const double b[] = {1, 2, 7};
    double x[3] = {1, 1, 1}, intercept;
    spgm_matrix A = spgm_sparse(3, 3, start, NULL, NULL);
    spgm_info info;
    for (int64_t s = 0; s <= 3; s++) {
        assert_int_equal(spgm_solve(&A, b, s, NULL, x, &intercept, &info, NULL), SPGM_OK);
        assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0 && info.support == 0);
        assert_near(info.objective, 6, 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_finds_the_same_model),
        cmocka_unit_test(the_ridge_is_the_column_s),
        cmocka_unit_test(a_path_and_folds_find_the_same_models),
        cmocka_unit_test(the_feasible_set_is_that_of_the_data),
        cmocka_unit_test(an_empty_free_column_takes_a_place_of_its_group),
        cmocka_unit_test(sentences_have_the_data_s_numbers),
        cmocka_unit_test(a_smooth_term_may_use_them),
        cmocka_unit_test(nothing_but_empty_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
