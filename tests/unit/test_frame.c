/* The frame changes the numbers methods work with, never the problem: F of the framed point, in the data's units, is F
 * of the user's x; and the gradient of the framed f is the chain rule's. For every loss, with and without scaling,
 * intercept, smooth terms, and for data from 1e-100 to 1e100. */
#include "unit/model_fixture.h"

#include "model/point.h"

enum { ROWS = 9, COLUMNS = 6 };

struct data {
    double A[ROWS * COLUMNS], b[ROWS], Q[COLUMNS * COLUMNS], C[4 * COLUMNS], d[4], p[COLUMNS], x[COLUMNS], intercept;
    spgm_matrix A_view, Q_view, C_view;
};

/* Columns of size column_size, a target of size target_size, and coefficients that make the residual of that size too.
 */
static void data_init(struct data *data, double column_size, double target_size, int classifier) {
    memset(data, 0, sizeof *data);
    for (int64_t j = 0; j < COLUMNS; j++) {
        double size = column_size * (j % 2 == 0 ? 1 : 8);
        for (int64_t i = 0; i < ROWS; i++)
            data->A[i + j * ROWS] = j == 4 ? 0 : size * fixture_normal();
        for (int64_t i = 0; i < 4; i++)
            data->C[i + j * 4] = size * fixture_normal();
        for (int64_t i = 0; i <= j; i++) /* rank one, and a diagonal */
            data->Q[i + j * COLUMNS] = data->Q[j + i * COLUMNS] =
                column_size * column_size / target_size * (i == j ? 3 : 1);
        data->p[j] = column_size * fixture_normal();
        data->x[j] = j == 1 ? 0 : target_size / size * fixture_normal();
    }
    for (int64_t i = 0; i < ROWS; i++)
        data->b[i] = classifier ? (i % 3 == 0 ? 5 : -2) : target_size * fixture_normal();
    for (int64_t i = 0; i < 4; i++)
        data->d[i] = target_size * fixture_normal();
    data->intercept = target_size * fixture_normal();
    data->A_view = spgm_dense(ROWS, COLUMNS, data->A);
    data->Q_view = spgm_dense(COLUMNS, COLUMNS, data->Q);
    data->C_view = spgm_dense(4, COLUMNS, data->C);
}

/* F of the framed problem at the framed x, in the data's units. */
static double framed_objective(const spgm_problem *problem, const struct data *data, double *chain_error) {
    struct problem framed = {0};
    struct workspace workspace = {0};
    struct point point;
    double z[COLUMNS + 1], g[COLUMNS + 1], back[COLUMNS], intercept;
    assert_int_equal(problem_frame(problem, 1, &framed, NULL), SPGM_OK);
    problem_scale(&framed, data->x, data->intercept, z);
    problem_unscale(&framed, z, back, &intercept);
    for (int64_t j = 0; j < COLUMNS; j++)
        assert_near(back[j], data->x[j], 1e-15 * fabs(data->x[j]));
    assert_near(intercept, framed.has_intercept ? data->intercept : 0, 0);
    point_init(&point, &framed, &workspace);
    assert_false(workspace.failed);
    point_set(&point, z);
    double F = point_objective(&point) * framed.objective_unit;
    smooth_gradient(&framed.f, z, point.state, g);
    double f = smooth_value(&framed.f, z, point.state), slope = 0, step = 0x1p-20;
    for (int64_t j = 0; j < framed.A->columns; j++) {
        slope += g[j] * z[j];
        z[j] *= 1 + step;
    }
    point_set(&point, z);
    *chain_error =
        fabs((smooth_value(&framed.f, z, point.state) - f) / step - slope) / (fabs(f) + fabs(slope) + 1e-300);
    workspace_free(&workspace);
    problem_unframe(&framed);
    return F;
}

static void check_one(const struct loss_kind *kind, double column_size, double target_size, int variant) {
    struct data data;
    spgm_problem *problem;
    spgm_options *options = spgm_options_new();
    double expected, chain_error;
    data_init(&data, column_size, target_size, kind->target == LOSS_OF_TWO_LABELS);
    assert_int_equal(spgm_options_set(options, "loss", kind->name, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "intercept", variant & 1, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "standardize", variant >> 1 & 1, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "quantile", 0.2, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "epsilon", 0.1 * target_size, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "delta", 0.7 * target_size, NULL), SPGM_OK);
    if (fabs(log10(column_size)) < 90) /* the ridge times a square must itself be a number */
        spgm_options_set_number(options, "ridge", column_size * column_size / target_size, NULL);
    assert_int_equal(spgm_problem_new(&data.A_view, data.b, options, &problem, NULL), SPGM_OK);
    if (variant >> 2 & 1)
        assert_int_equal(spgm_problem_set_linear(problem, data.p, NULL), SPGM_OK);
    if (variant >> 3 == 1)
        assert_int_equal(spgm_problem_set_quadratic(problem, &data.Q_view, NULL), SPGM_OK);
    if (variant >> 3 == 2)
        assert_int_equal(spgm_problem_set_least_squares(problem, &data.C_view, data.d, NULL), SPGM_OK);
    double intercept = variant & 1 ? data.intercept : 0;
    assert_int_equal(spgm_problem_evaluate(problem, data.x, intercept, &expected, NULL, NULL, NULL), SPGM_OK);
    assert_true(isfinite(expected) && expected != 0);
    assert_near(framed_objective(problem, &data, &chain_error), expected, 1e-12 * fabs(expected));
    assert_at_most(chain_error, 1e-4); /* a difference quotient */
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void frame_keeps_the_objective(void **state) {
    (void)state;
    const double sizes[][2] = {{1, 1},    {1e3, 1e-2},  {1e-100, 1},   {1e100, 1e-3},
                               {1, 1e70}, {1e90, 1e90}, {1e-80, 1e-70}};
    fixture_state = FIXTURE_SEED;
    for (int64_t index = 0; loss_kind_at(index) != NULL; index++)
        for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++)
            for (int variant = 0; variant < 24; variant++)
                check_one(loss_kind_at(index), sizes[size][0], sizes[size][1], variant);
}

/* Tiny columns are scaled up and the ridge on them with it, beyond what a double holds; the problem stays the same. */
static void frame_keeps_any_ridge(void **state) {
    (void)state;
    const double cases[][3] = {{1e-150, 0.01, 1}, {1e-150, 1e150, 1e-75}, {1, 1e200, 1e-100}, {1e150, 1e300, 1e-150}};
    fixture_state = FIXTURE_SEED;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct data data;
        spgm_problem *problem;
        spgm_options *options = spgm_options_new();
        double expected, chain_error, smooth;
        data_init(&data, cases[k][0], 1, 0);
        for (int64_t j = 0; j < COLUMNS; j++)
            data.x[j] = cases[k][2] * fixture_normal();
        assert_int_equal(spgm_options_set_number(options, "ridge", cases[k][1], NULL), SPGM_OK);
        assert_int_equal(spgm_problem_new(&data.A_view, data.b, options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_evaluate(problem, data.x, data.intercept, &expected, NULL, &smooth, NULL),
                         SPGM_OK);
        assert_true(isfinite(expected) && smooth > 1e-3);
        assert_near(framed_objective(problem, &data, &chain_error), expected, 1e-12 * fabs(expected));
        assert_at_most(chain_error, 1e-4); /* a difference quotient */
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(frame_keeps_the_objective),
                                       cmocka_unit_test(frame_keeps_any_ridge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
