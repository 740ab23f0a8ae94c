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
        assert_int_equal(spgm_cv_new(A, data.b, NULL, NULL, 0, sparsities, 3, options, &cv, NULL), SPGM_OK);
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
        cmocka_unit_test(a_path_and_folds_find_the_same_models),
        cmocka_unit_test(a_smooth_term_may_use_them),
        cmocka_unit_test(nothing_but_empty_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
