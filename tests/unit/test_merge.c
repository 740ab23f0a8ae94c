/* Equal rows become one with their weights added: against brute force, in both storages, under hashes that fail. */
#include "model/merge.h"

#include <string.h>

#include "unit/model_fixture.h"

enum { MOST_ROWS = 60, MOST_COLUMNS = 7 };

/* A matrix of few values, stored dense and compressed; the latter keeps some zeros. */
struct data {
    int64_t rows, columns;
    double A[MOST_ROWS * MOST_COLUMNS], b[MOST_ROWS], weights[MOST_ROWS];
    double values[MOST_ROWS * MOST_COLUMNS];
    int32_t row[MOST_ROWS * MOST_COLUMNS];
    int64_t start[MOST_COLUMNS + 1];
    spgm_matrix dense, sparse;
};

static void data_finish(struct data *data) {
    int64_t k = 0;
    for (int64_t j = 0; j < data->columns; j++) {
        data->start[j] = k;
        for (int64_t i = 0; i < data->rows; i++) {
            double value = data->A[i + j * data->rows];
            if (value != 0 || (i + j) % 3 == 0) {
                data->row[k] = (int32_t)i;
                data->values[k++] = value;
            }
        }
    }
    data->start[data->columns] = k;
    data->dense = spgm_dense(data->rows, data->columns, data->A);
    data->sparse = spgm_sparse(data->rows, data->columns, data->start, data->row, data->values);
}

static void data_random(struct data *data, int64_t rows, int64_t columns, int64_t variety) {
    data->rows = rows;
    data->columns = columns;
    for (int64_t k = 0; k < rows * columns; k++) {
        int64_t drawn = fixture_below(variety);
        data->A[k] = drawn == 0 && fixture_below(2) ? -0.0 : (double)drawn;
    }
    for (int64_t i = 0; i < rows; i++) {
        data->b[i] = (double)fixture_below(2) - (fixture_below(2) ? 0.0 : 1.0);
        data->weights[i] = (double)fixture_below(4);
    }
    data->weights[0] = 1;
    data_finish(data);
}

static spgm_problem *problem_of(const spgm_matrix *A, const double *b, const char *loss) {
    spgm_options *options = spgm_options_new();
    spgm_problem *problem;
    assert_int_equal(spgm_options_set(options, "loss", loss, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_new(A, b, options, &problem, NULL), SPGM_OK);
    spgm_options_free(options);
    return problem;
}

static int64_t merge(spgm_problem *problem) {
    int64_t left = -1;
    spgm_status status = {SPGM_ERROR_COUNT, "untouched"};
    assert_int_equal(spgm_problem_merge_rows(problem, &left, &status), SPGM_OK);
    assert_string_equal(status.message, "");
    return left;
}

static int rows_agree(const struct data *data, int64_t i, int64_t k) {
    int agree = data->b[i] == data->b[k];
    for (int64_t j = 0; j < data->columns; j++)
        agree &= data->A[i + j * data->rows] == data->A[k + j * data->rows];
    return agree;
}

/* What is left by brute force: the first of each kind of row with weight, in order, and its sum of weights. */
static int64_t brute(const struct data *data, const double *weights, int64_t *first, double *sum) {
    int64_t count = 0;
    for (int64_t i = 0; i < data->rows; i++) {
        int64_t k = 0;
        while (k < count && !rows_agree(data, first[k], i))
            k++;
        if (weights[i] == 0)
            continue;
        if (k == count) {
            sum[count] = 0;
            first[count++] = i;
        }
        sum[k] += weights[i];
    }
    return count;
}

static double entry(const spgm_matrix *A, int64_t i, int64_t j) {
    if (A->column_start == NULL)
        return A->values[i + j * A->leading_dimension];
    for (int64_t k = A->column_start[j]; k < A->column_start[j + 1]; k++)
        if (A->row_index[k] == i)
            return A->values[k];
    return 0;
}

/* The rows that the methods see are exactly those. */
static void assert_rows(const spgm_problem *problem, const struct data *data, int64_t count, const int64_t *first,
                        const double *sum) {
    struct spgm_problem seen = problem_merged(problem);
    assert_int_equal(seen.A.rows, count);
    assert_int_equal(seen.A.columns, data->columns);
    for (int64_t k = 0; k < count; k++) {
        assert_true(seen.b[k] == data->b[first[k]]);
        assert_true((seen.weights == NULL ? 1 : seen.weights[k]) == sum[k]);
        for (int64_t j = 0; j < data->columns; j++)
            assert_true(entry(&seen.A, k, j) == data->A[first[k] + j * data->rows]);
    }
}

static double objective_at(const spgm_problem *problem, const double *x, double intercept) {
    double value;
    assert_int_equal(spgm_problem_evaluate(problem, x, intercept, &value, NULL, NULL, NULL), SPGM_OK);
    return value;
}

static void check(const struct data *data, const spgm_matrix *A, int weighted, uint64_t (*mix)(uint64_t)) {
    int64_t first[MOST_ROWS], left = -1;
    double sum[MOST_ROWS], ones[MOST_ROWS], *x = fixture_normals(data->columns, 1);
    spgm_problem *problem = problem_of(A, data->b, "l1");
    for (int64_t i = 0; i < data->rows; i++)
        ones[i] = 1;
    if (weighted)
        assert_int_equal(spgm_problem_set_weights(problem, data->weights, NULL), SPGM_OK);
    double before = objective_at(problem, x, 0.3);
    assert_int_equal(merge_rows(problem, mix, &left, NULL), SPGM_OK);
    assert_true(objective_at(problem, x, 0.3) == before);
    assert_int_equal(spgm_problem_rows(problem), data->rows);
    int64_t count = brute(data, weighted ? data->weights : ones, first, sum);
    if (mix == merge_mix) {
        assert_int_equal(left, count);
        assert_rows(problem, data, count, first, sum);
    } else {
        assert_true(left >= count);
    }
    /* and the sum over the rows that are left is the sum over all */
    struct spgm_problem seen = problem_merged(problem);
    double after = 0;
    for (int64_t i = 0; i < seen.A.rows; i++) {
        double r = 0.3 - seen.b[i];
        for (int64_t j = 0; j < data->columns; j++)
            r += x[j] * entry(&seen.A, i, j);
        after += (seen.weights == NULL ? 1 : seen.weights[i]) * fabs(r);
    }
    assert_true(fabs(after - before) <= 1e-12 * before);
    assert_int_equal(seen.A.rows, left);
    free(x);
    spgm_problem_free(problem);
}

static uint64_t all_alike(uint64_t word) {
    (void)word;
    return 1;
}

static uint64_t nearly_alike(uint64_t word) {
    return word >> 62;
}

static void what_is_left_is_what_brute_force_leaves(void **state) {
    (void)state;
    static struct data data;
    for (int trial = 0; trial < 400; trial++) {
        data_random(&data, 1 + fixture_below(MOST_ROWS), 1 + fixture_below(MOST_COLUMNS), 2 + fixture_below(3));
        for (int weighted = 0; weighted < 2; weighted++) {
            check(&data, &data.dense, weighted, merge_mix);
            check(&data, &data.sparse, weighted, merge_mix);
        }
    }
}

/* A hash that tells no row from another may cost merges, never a wrong one. */
static void a_bad_hash_merges_nothing_unequal(void **state) {
    (void)state;
    static struct data data;
    for (int trial = 0; trial < 100; trial++) {
        data_random(&data, 1 + fixture_below(MOST_ROWS), 1 + fixture_below(MOST_COLUMNS), 2);
        for (int weighted = 0; weighted < 2; weighted++) {
            check(&data, &data.dense, weighted, all_alike);
            check(&data, &data.sparse, weighted, all_alike);
            check(&data, &data.sparse, weighted, nearly_alike);
        }
    }
}

static void rows_that_differ_stay_borrowed(void **state) {
    (void)state;
    static struct data data;
    data_random(&data, 20, 3, 2);
    for (int64_t i = 0; i < 20; i++)
        data.b[i] = (double)i;
    for (int sparse = 0; sparse < 2; sparse++) {
        const spgm_matrix *A = sparse ? &data.sparse : &data.dense;
        spgm_problem *problem = problem_of(A, data.b, "quantile");
        assert_int_equal(merge(problem), 20);
        struct spgm_problem seen = problem_merged(problem);
        assert_ptr_equal(seen.A.values, A->values);
        assert_ptr_equal(seen.b, data.b);
        spgm_problem_free(problem);
    }
}

/* Only what is a sum over rows and takes weights; a maximum or a norm is left as it is. */
static void norms_are_left_alone(void **state) {
    (void)state;
    const double A[] = {1, 1, 2}, b[] = {3, 3, 4};
    spgm_matrix matrix = spgm_dense(3, 1, A);
    for (int64_t index = 0; loss_kind_at(index) != NULL; index++) {
        spgm_problem *problem = problem_of(&matrix, b, loss_kind_at(index)->name);
        int takes_weights = spgm_problem_set_weights(problem, b, NULL) == SPGM_OK;
        assert_int_equal(merge(problem), takes_weights ? 2 : 3);
        spgm_problem_free(problem);
    }
}

static void slopes_must_be_equal_too(void **state) {
    (void)state;
    const double A[] = {1, 1, 1, 1, 1}, b[] = {2, 2, 2, 2, 2};
    const double up[] = {1, 1, 2, 1, 1}, down[] = {1, 1, 1, 3, 1}, dead[] = {0, 0, 0, 0, 4};
    spgm_matrix matrix = spgm_dense(5, 1, A);
    spgm_problem *problem = problem_of(&matrix, b, "l1");
    assert_int_equal(spgm_problem_set_slopes(problem, up, down, dead, NULL), SPGM_OK);
    assert_int_equal(merge(problem), 4);
    struct spgm_problem seen = problem_merged(problem);
    assert_true(seen.weights[0] == 2 && seen.weights[1] == 1 && seen.weights[2] == 1 && seen.weights[3] == 1);
    assert_true(seen.up[1] == 2 && seen.down[2] == 3 && seen.dead[3] == 4 && seen.dead[0] == 0);
    spgm_problem_free(problem);
}

/* What is set for rows after merging is set for the rows of the user. */
static void setting_rows_anew_undoes_it(void **state) {
    (void)state;
    const double A[] = {1, 1, 2, 2}, b[] = {3, 3, 4, 4}, weights[] = {1, 2, 3, 4}, up[] = {1, 2, 3, 4};
    spgm_matrix matrix = spgm_dense(4, 1, A);
    spgm_problem *problem = problem_of(&matrix, b, "l1");
    assert_int_equal(merge(problem), 2);
    assert_int_equal(merge(problem), 2);
    assert_int_equal(spgm_problem_set_weights(problem, weights, NULL), SPGM_OK);
    assert_int_equal(problem_merged(problem).A.rows, 4);
    assert_int_equal(merge(problem), 2);
    assert_true(problem_merged(problem).weights[0] == 3 && problem_merged(problem).weights[1] == 7);
    assert_int_equal(spgm_problem_set_slopes(problem, up, up, NULL, NULL), SPGM_OK);
    assert_int_equal(merge(problem), 4);
    assert_int_equal(spgm_problem_merge_rows(NULL, NULL, NULL), SPGM_ERROR_ARGUMENT);
    spgm_problem_free(problem);
}

/* Rows that there is no time to compare stay as they are. */
static void no_longer_than_the_limit_allows(void **state) {
    (void)state;
    const double A[] = {1, 1, 2, 2}, b[] = {3, 3, 4, 4};
    spgm_matrix matrix = spgm_dense(4, 1, A);
    spgm_problem *problem = problem_of(&matrix, b, "l1");
    problem->options.time_limit = 0;
    assert_int_equal(merge(problem), 4);
    problem->options.time_limit = 1000;
    assert_int_equal(merge(problem), 2);
    spgm_problem_free(problem);
}

/* A row of weight two and the same row twice are one problem: the same bits. */
static void weights_and_repeated_rows_give_the_same_model(void **state) {
    (void)state;
    enum { ROWS = 40, COLUMNS = 12 };
    static double A[ROWS * COLUMNS], b[ROWS], twice[2 * ROWS * COLUMNS], b_twice[2 * ROWS], weights[ROWS];
    double x[COLUMNS], y[COLUMNS], at_x, at_y;
    spgm_matrix once = spgm_dense(ROWS, COLUMNS, A), repeated = spgm_dense(2 * ROWS, COLUMNS, twice);
    for (int i = 0; i < ROWS; i++) {
        weights[i] = 2;
        b[i] = b_twice[2 * i] = b_twice[2 * i + 1] = fixture_normal();
        for (int j = 0; j < COLUMNS; j++)
            A[i + j * ROWS] = twice[2 * i + j * 2 * ROWS] = twice[2 * i + 1 + j * 2 * ROWS] = fixture_normal();
    }
    for (int which = 0; which < 2; which++) {
        spgm_problem *problem = problem_of(which ? &repeated : &once, which ? b_twice : b, "l1");
        spgm_solver *solver;
        if (!which)
            assert_int_equal(spgm_problem_set_weights(problem, weights, NULL), SPGM_OK);
        assert_int_equal(merge(problem), ROWS);
        assert_int_equal(spgm_solver_new(problem, 4, NULL, &solver, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
        spgm_solver_get_x(solver, which ? y : x, which ? &at_y : &at_x);
        assert_true(fabs(objective_at(problem, which ? y : x, which ? at_y : at_x) -
                         spgm_solver_get_info(solver).objective) == 0);
        spgm_solver_free(solver);
        spgm_problem_free(problem);
    }
    assert_memory_equal(x, y, sizeof x);
    assert_true(at_x == at_y);
}

/* As if merging had taken a hundred seconds of a limit of fifty. */
static void its_seconds_are_those_of_the_run(void **state) {
    (void)state;
    const double A[] = {1, 1, 2, 5, 3, 1, 4, 1, 5, 9, 2, 6}, b[] = {3, 3, 4, 1};
    const int64_t sparsities[] = {1, 2};
    spgm_matrix matrix = spgm_dense(4, 3, A);
    spgm_options *options = spgm_options_new();
    spgm_problem *problem = problem_of(&matrix, b, "l1");
    spgm_solver *solver;
    spgm_path *path;
    assert_int_equal(spgm_options_set(options, "time_limit", "50", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "method", "spgm-iht", NULL), SPGM_OK);
    assert_int_equal(merge(problem), 4);
    assert_true(problem->merged.seconds > 0); /* it was measured */
    problem->merged.seconds = 100;
    assert_int_equal(spgm_solver_new(problem, 1, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_get_info(solver).outcome, SPGM_TIME_LIMIT);
    assert_true(spgm_solver_get_info(solver).seconds >= 100);
    assert_int_equal(spgm_path_new(problem, sparsities, 2, options, &path, NULL), SPGM_OK);
    assert_int_equal(spgm_path_run(path, NULL), SPGM_OK);
    assert_true(spgm_path_seconds(path) >= 100);
    spgm_path_free(path);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* ---- some of the rows ------------------------------------------------------------------------------------------- */

/* Rows 2 i and 2 i + 1 are equal. */
struct pairs {
    double A[40 * 3], b[40];
    spgm_matrix matrix;
};

static void pairs_init(struct pairs *pairs) {
    for (int i = 0; i < 20; i++) {
        pairs->b[2 * i] = pairs->b[2 * i + 1] = fixture_normal();
        for (int j = 0; j < 3; j++)
            pairs->A[2 * i + j * 40] = pairs->A[2 * i + 1 + j * 40] = fixture_normal();
    }
    pairs->matrix = spgm_dense(40, 3, pairs->A);
}

/* They are numbered as the user gave them, whatever was merged; and those of the subset are merged again. */
static void a_subset_is_of_the_rows_as_given(void **state) {
    (void)state;
    struct pairs pairs;
    const int64_t rows[] = {4, 5, 39, 0, 4};
    const double x[] = {1, -2, 0.5};
    pairs_init(&pairs);
    spgm_problem *problem = problem_of(&pairs.matrix, pairs.b, "l1"), *subset, *plain;
    assert_int_equal(spgm_problem_subset(problem, rows, 5, &plain, NULL), SPGM_OK);
    assert_int_equal(problem_merged(plain).A.rows, 5); /* nobody asked for it */
    assert_int_equal(merge(problem), 20);
    assert_int_equal(spgm_problem_subset(problem, rows, 5, &subset, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_rows(subset), 5);
    assert_int_equal(problem_merged(subset).A.rows, 3);
    assert_true(problem_merged(subset).weights[0] == 3);
    assert_true(objective_at(subset, x, 0.25) == objective_at(plain, x, 0.25));
    spgm_problem_free(problem); /* it owns nothing of the subset */
    assert_true(objective_at(subset, x, 0.25) == objective_at(plain, x, 0.25));
    spgm_problem_free(subset);
    spgm_problem_free(plain);
}

static void folds_are_of_the_rows_as_given(void **state) {
    (void)state;
    struct pairs pairs;
    const int64_t sparsities[] = {0, 1, 2};
    int64_t folds[2][40];
    double mean[2][3];
    pairs_init(&pairs);
    spgm_options *options = spgm_options_new();
    assert_int_equal(spgm_options_set(options, "loss", "squared", NULL), SPGM_OK); /* whose minimum is unique */
    for (int is_merged = 0; is_merged < 2; is_merged++) {
        spgm_problem *problem = problem_of(&pairs.matrix, pairs.b, "squared");
        spgm_cv *cv;
        if (is_merged)
            assert_int_equal(merge(problem), 20);
        assert_int_equal(spgm_cv_new(problem, sparsities, 3, options, &cv, NULL), SPGM_OK);
        assert_int_equal(spgm_cv_run(cv, NULL), SPGM_OK);
        spgm_cv_get_fold_of_row(cv, folds[is_merged]);
        for (int i = 0; i < 3; i++)
            spgm_cv_get(cv, i, NULL, &mean[is_merged][i], NULL);
        spgm_cv_free(cv);
        spgm_problem_free(problem);
    }
    assert_memory_equal(folds[0], folds[1], sizeof folds[0]);
    for (int i = 0; i < 3; i++)
        assert_near(mean[0][i], mean[1][i], 1e-9 * mean[0][i]);
    spgm_options_free(options);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_is_what_brute_force_leaves),
        cmocka_unit_test(a_bad_hash_merges_nothing_unequal),
        cmocka_unit_test(rows_that_differ_stay_borrowed),
        cmocka_unit_test(norms_are_left_alone),
        cmocka_unit_test(slopes_must_be_equal_too),
        cmocka_unit_test(setting_rows_anew_undoes_it),
        cmocka_unit_test(no_longer_than_the_limit_allows),
        cmocka_unit_test(weights_and_repeated_rows_give_the_same_model),
        cmocka_unit_test(its_seconds_are_those_of_the_run),
        cmocka_unit_test(a_subset_is_of_the_rows_as_given),
        cmocka_unit_test(folds_are_of_the_rows_as_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
