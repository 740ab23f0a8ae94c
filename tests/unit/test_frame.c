/* The frame changes the numbers methods work with, never the problem: F of the framed point, in the data's units, is F
 * of the user's x; and the gradient of the framed f is the chain rule's. For every loss, with and without scaling,
 * intercept, smooth terms, and for data from 1e-100 to 1e100. What methods see of columns and target, centred and
 * scaled, is compared with plain loops in long double. */
#include "unit/model_fixture.h"

#include "linalg/accurate.h"
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
    int is_centred = 0;
    for (int64_t j = 0; j < COLUMNS; j++)
        is_centred |= framed.centre[j] != 0;
    assert_near(intercept, framed.has_intercept ? data->intercept : 0, is_centred ? 1e-15 * fabs(intercept) : 0);
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

static int has_labels(int64_t index) {
    return loss_kind_at(index)->target == LOSS_OF_TWO_LABELS;
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

/* ---- what methods see -------------------------------------------------------------------------------------------- */

/* Columns by kind: ordinary, far from zero, far from zero with a few zeros (of either sign), extreme, constant, zero.
 */
enum { KINDS = 7 };

struct wide {
    int64_t rows, columns;
    double *values, *b;
    int64_t *start;
    int32_t *row;
    double *entries;
    spgm_matrix view;
};

static struct wide wide_new(int64_t rows, int64_t columns, double ratio, int sparse) {
    struct wide wide = {.rows = rows, .columns = columns};
    int64_t count = 0;
    wide.values = fixture_doubles(rows * columns);
    wide.entries = fixture_doubles(rows * columns);
    wide.b = fixture_normals(rows, 1);
    wide.start = calloc((size_t)columns + 1, sizeof *wide.start);
    wide.row = calloc((size_t)(rows * columns) + 1, sizeof *wide.row);
    for (int64_t j = 0; j < columns; j++) {
        double size = pow(3, (double)(j % 5)), mean = (j % 2 == 0 ? 1 : -1) * size * ratio;
        for (int64_t i = 0; i < rows; i++) {
            const double kinds[KINDS] = {fixture_below(32) == 0 ? size * fixture_normal()
                                                                : 0, /* mostly zeros: sparse data stay sparse */
                                         mean + size * fixture_normal(),
                                         mean + 1e-3 * size * fixture_normal(),
                                         1e-200 * fixture_normal(),
                                         1e150 * fixture_normal(),
                                         mean,
                                         0};
            double value = kinds[j < 2 * KINDS ? j % KINDS : 0];
            wide.values[i + j * rows] = value;
            wide.row[count] = (int32_t)i;
            wide.entries[count] = value;
            count += value != 0;
        }
        wide.start[j + 1] = count;
    }
    for (int64_t i = 0; i < rows; i++)
        wide.b[i] -= 7 * ratio;
    wide.view = sparse ? spgm_sparse(rows, columns, wide.start, wide.row, wide.entries)
                       : spgm_dense(rows, columns, wide.values);
    return wide;
}

static void wide_free(struct wide *wide) {
    free(wide->values);
    free(wide->b);
    free(wide->start);
    free(wide->row);
    free(wide->entries);
}

static long double mean_of(int64_t rows, const double *values) {
    long double sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += (long double)values[i] - values[0];
    return values[0] + sum / (long double)rows;
}

/* The root mean square of values less centre. */
static long double spread_of(int64_t rows, const double *values, long double centre) {
    long double sum = 0;
    for (int64_t i = 0; i < rows; i++)
        sum += ((long double)values[i] - centre) * ((long double)values[i] - centre);
    return sqrtl(sum / (long double)rows);
}

/* Column j as methods see it, into v; its scale and centre are what they should be. Empty columns are left out. */
static void expect_column(const struct wide *wide, const struct problem *framed, int64_t j, long double *v) {
    const double *a = wide->values + problem_column(framed, j) * wide->rows;
    long double mean = mean_of(wide->rows, a), spread = spread_of(wide->rows, a, mean);
    int is_far = framed->has_intercept && fabsl(mean) > 1e3L * spread;
    int is_off = framed->has_intercept && fabsl(mean) > spread && !is_far; /* centred where data are small and full */
    long double left = spread_of(wide->rows, a, framed->centre[j]);
    if (is_far)
        assert_at_most(fabsl(framed->centre[j] - mean), 1e-6L * spread + 0x1p-53 * fabsl(mean));
    else if (is_off && framed->centre[j] != 0)
        assert_at_most(fabsl(framed->centre[j] - mean), spread / 2 * (1 + 1e-12L));
    else
        assert_near(framed->centre[j], 0, 0);
    assert_int_equal(framed->is_idle[j], left == 0);
    if (left > 0 && (left < 1e-60 || left > 1e60))
        assert_true(framed->scale[j] * left > 0.25L && framed->scale[j] * left < 4);
    for (int64_t i = 0; i < wide->rows; i++)
        v[i] = framed->scale[j] * ((long double)a[i] - framed->centre[j]);
}

/* Entries, and all products of columns, next to the lengths of the columns. */
static void check_columns(const struct wide *wide, const struct problem *framed) {
    int64_t m = wide->rows, n = framed->A->columns;
    long double *V = calloc((size_t)(m * n), sizeof *V);
    double *D = fixture_doubles(m * n), *G = fixture_doubles(n * n);
    int64_t *all = calloc((size_t)n, sizeof *all);
    for (int64_t j = 0; j < n; j++) {
        all[j] = j;
        if (j < framed->data->columns)
            expect_column(wide, framed, j, V + j * m);
        for (int64_t i = 0; j == framed->data->columns && i < m; i++)
            V[i + j * m] = 1;
    }
    linop_gather(framed->A, n, all, D, m);
    linop_gram(framed->A, n, all, NULL, G);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            long double sum = 0, left = 0, right = 0;
            for (int64_t r = 0; r < m; r++) {
                sum += V[r + i * m] * V[r + j * m];
                left += V[r + i * m] * V[r + i * m];
                right += V[r + j * m] * V[r + j * m];
            }
            assert_near(G[i + j * n], sum, 1e-13L * sqrtl(left) * sqrtl(right));
        }
    for (int64_t e = 0; e < m * n; e++)
        assert_near(D[e], V[e], 1e-15L * fabsl(V[e]));
    free(V);
    free(D);
    free(G);
    free(all);
}

static void frame_of(const struct wide *wide, int intercept, const struct reduction *reduce, const char *loss,
                     struct problem *framed) {
    spgm_options *options = spgm_options_new();
    spgm_problem *problem;
    spgm_status status;
    assert_int_equal(spgm_options_set_number(options, "intercept", intercept, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "loss", loss, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_new(&wide->view, wide->b, options, &problem, NULL), SPGM_OK);
    problem->reduce = reduce;
    if (problem_frame(problem, 1, framed, &status) != SPGM_OK)
        fail_msg("%s", status.message);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static void columns_are_centred_and_scaled(void **state) {
    (void)state;
    const int64_t shapes[][2] = {{30, 2 * KINDS}, {1, KINDS}, {2, KINDS}, {600, 125}};
    fixture_state = FIXTURE_SEED;
    for (int shape = 0; shape < 4; shape++)
        for (double ratio = 1; ratio < 1e14; ratio *= 1e3)
            for (int variant = 0; variant < 4; variant++) {
                struct wide wide = wide_new(shapes[shape][0], shapes[shape][1], ratio, variant & 1);
                struct problem framed = {0};
                frame_of(&wide, variant >> 1, NULL, "squared", &framed);
                check_columns(&wide, &framed);
                if (shape == 3) /* dense or not, few of its entries are not zero */
                    assert_true(framed.data->nonzeros < wide.rows * wide.columns / 5);
                long double mean = mean_of(wide.rows, wide.b), spread = spread_of(wide.rows, wide.b, mean);
                if (variant >> 1 && spread > 0 && fabsl(mean) > 1e3L * spread)
                    assert_at_most(fabsl(framed.shift - mean), 1e-6L * spread + 0x1p-53 * fabsl(mean));
                else
                    assert_near(framed.shift, 0, 0);
                for (int64_t i = 0; i < wide.rows; i++)
                    assert_near(framed.b[i], (wide.b[i] - framed.shift) / framed.target_unit, 0);
                problem_unframe(&framed);
                wide_free(&wide);
            }
}

/* In small data a column whose mean is above its spread is taken from a number near the mean, and without rounding, so
 * that rows that tie still do; others stay, and without an intercept all do. */
static void columns_of_small_data_are_taken_from_round_numbers(void **state) {
    enum { LENGTH = 40 };
    double A[3 * LENGTH] = {0}, b[LENGTH], column[LENGTH];
    spgm_matrix matrix = spgm_dense(LENGTH, 3, A);

    (void)state;
    for (int i = 0; i < LENGTH; i++) {
        A[i] = 7.3 + 0.01 * (i % 7);            /* far from zero, with ties */
        A[LENGTH + i] = i % 10 != 0;            /* mostly ones */
        A[2 * LENGTH + i] = i % 4 < 2 ? 1 : -1; /* its mean is zero */
        b[i] = sin(i);
    }
    for (int intercept = 0; intercept <= 1; intercept++) {
        spgm_problem *problem = NULL;
        spgm_options *options = spgm_options_new();
        spgm_status status;
        struct problem framed = {0};

        assert_int_equal(spgm_options_set(options, "intercept", intercept ? "true" : "false", &status), SPGM_OK);
        assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, &status), SPGM_OK);
        assert_int_equal(problem_frame(problem, 1, &framed, &status), SPGM_OK);
        for (int64_t j = 0; j < 3; j++) {
            double mean = 0, spread = 0;

            for (int i = 0; i < LENGTH; i++) {
                mean += A[j * LENGTH + i] / LENGTH;
            }
            for (int i = 0; i < LENGTH; i++) {
                spread += (A[j * LENGTH + i] - mean) * (A[j * LENGTH + i] - mean) / LENGTH;
            }
            assert_int_equal(framed.centre[j] != 0, intercept && j < 2);
            assert_true(framed.centre[j] == 0 || fabs(framed.centre[j] - mean) <= sqrt(spread) / 2 * (1 + 1e-12));
            linop_gather(framed.A, 1, &j, column, LENGTH);
            for (int i = 0; i < LENGTH; i++) { /* no digit is lost on the way back */
                assert_true(column[i] / framed.scale[j] + framed.centre[j] == A[j * LENGTH + i]);
            }
        }
        problem_unframe(&framed);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
}

/* Columns that are neither centred nor of extreme size are read where they lie: what is changed there shows. */
static void only_what_needs_it_is_copied(void **state) {
    (void)state;
    struct wide wide = wide_new(30, KINDS, 1e6, 0);
    struct problem framed = {0};
    int64_t all[KINDS];
    double before[30 * KINDS], after[30 * KINDS];
    for (int64_t j = 0; j < KINDS; j++)
        all[j] = j;
    wide.values[0] = 1;
    frame_of(&wide, 1, NULL, "l1", &framed);
    linop_gather(framed.A, KINDS, all, before, 30);
    for (int64_t e = 0; e < 30 * KINDS; e++)
        wide.values[e] *= 2;
    linop_gather(framed.A, KINDS, all, after, 30);
    for (int64_t e = 0; e < 30 * KINDS; e++)
        assert_near(after[e], (e < 30 ? 2 : 1) * before[e], 0);
    problem_unframe(&framed);
    wide_free(&wide);
}

/* So few zeros that the mean is still far above the spread: a sparse column is centred in the rows without an entry
 * too. One zero more, and it is taken from a round number. */
static void zeros_of_a_sparse_column_are_centred(void **state) {
    (void)state;
    enum { ROWS_HERE = 1 << 20 };
    for (int64_t zeros = 1; zeros <= 2; zeros++) {
        int64_t count = ROWS_HERE - zeros;
        struct wide wide = {.rows = ROWS_HERE, .columns = 1, .b = fixture_doubles(ROWS_HERE)};
        struct problem framed = {0};
        double *column = fixture_doubles(ROWS_HERE);
        wide.entries = fixture_doubles(ROWS_HERE);
        wide.row = calloc((size_t)count, sizeof *wide.row);
        wide.start = calloc(2, sizeof *wide.start);
        wide.start[1] = count;
        for (int64_t k = 0; k < count; k++) {
            wide.entries[k] = 3;
            wide.row[k] = (int32_t)(k < 77 ? k : k + zeros);
        }
        wide.view = spgm_sparse(ROWS_HERE, 1, wide.start, wide.row, wide.entries);
        frame_of(&wide, 1, NULL, "l1", &framed);
        linop_gather(framed.A, 1, (int64_t[]){0}, column, ROWS_HERE);
        assert_near(framed.centre[0], zeros == 1 ? 3 * (1 - 0x1p-20) : 3, 1e-14);
        assert_near(column[77], framed.scale[0] * (0 - framed.centre[0]), 0);
        assert_near(column[78 + zeros], framed.scale[0] * (3 - framed.centre[0]), 0);
        problem_unframe(&framed);
        free(column);
        wide_free(&wide);
    }
}

/* Every row twice: once in one matrix, and once as two parts that each hold the same rows. */
static void means_and_norms_are_over_all_rows(void **state) {
    (void)state;
    fixture_state = FIXTURE_SEED;
    for (int variant = 0; variant < 4; variant++) {
        struct wide part = wide_new(40, 2 * KINDS, 1e6, 0), whole = wide_new(80, 2 * KINDS, 1e6, 0);
        struct problem some = {0}, all = {0};
        for (int64_t i = 0; i < whole.rows; i++)
            for (int64_t j = 0; j < whole.columns; j++)
                whole.values[i + j * whole.rows] = part.values[i % part.rows + j * part.rows];
        for (int64_t i = 0; i < whole.rows; i++)
            whole.b[i] = part.b[i % part.rows];
        frame_of(&part, variant & 1, &fixture_two_ranks, "l1", &some);
        frame_of(&whole, variant & 1, NULL, "l1", &all);
        assert_ptr_equal(some.A->reduce, &fixture_two_ranks);
        for (int64_t j = 0; j < part.columns; j++) {
            assert_near(some.centre[j], all.centre[j], 1e-15 * fabs(all.centre[j]));
            assert_near(some.scale[j], all.scale[j], 0);
            assert_int_equal(some.is_idle[j], all.is_idle[j]);
        }
        assert_near(some.shift, all.shift, 1e-15 * fabs(all.shift));
        assert_true(variant & 1 ? all.shift != 0 && all.centre[1] != 0 : all.shift == 0 && all.centre[1] == 0);
        problem_unframe(&some);
        problem_unframe(&all);
        wide_free(&part);
        wide_free(&whole);
    }
}

/* An x whose residuals are small though their terms are large: through the frame and back, and F there. */
static void intercepts_move_with_the_centres(void **state) {
    (void)state;
    fixture_state = FIXTURE_SEED;
    for (double ratio = 1e4; ratio < 1e13; ratio *= 10)
        for (int64_t index = 0; loss_kind_at(index) != NULL; index++) {
            struct data data;
            spgm_options *options = spgm_options_new();
            spgm_problem *problem;
            struct accurate move = {0, 0};
            double expected, chain_error;
            data_init(&data, 1, 1, has_labels(index));
            for (int64_t j = 0; j < COLUMNS; j++)
                for (int64_t i = 0; i < ROWS; i++)
                    data.A[i + j * ROWS] += (double)(j + 1) * ratio;
            for (int64_t i = 0; i < ROWS && !has_labels(index); i++)
                data.b[i] += ratio;
            for (int64_t j = 0; j < COLUMNS; j++)
                accurate_add_product(&move, -(double)(j + 1) * ratio, data.x[j]);
            data.intercept = accurate_value(move) + (has_labels(index) ? 0 : ratio);
            assert_int_equal(spgm_options_set(options, "loss", loss_kind_at(index)->name, NULL), SPGM_OK);
            assert_int_equal(spgm_problem_new(&data.A_view, data.b, options, &problem, NULL), SPGM_OK);
            assert_int_equal(spgm_problem_evaluate(problem, data.x, data.intercept, &expected, NULL, NULL, NULL),
                             SPGM_OK);
            assert_true(expected < 1e3);
            assert_near(framed_objective(problem, &data, &chain_error), expected, 1e-11 * expected);
            spgm_problem_free(problem);
            spgm_options_free(options);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(frame_keeps_the_objective),
                                       cmocka_unit_test(frame_keeps_any_ridge),
                                       cmocka_unit_test(columns_are_centred_and_scaled),
                                       cmocka_unit_test(zeros_of_a_sparse_column_are_centred),
                                       cmocka_unit_test(only_what_needs_it_is_copied),
                                       cmocka_unit_test(means_and_norms_are_over_all_rows),
                                       cmocka_unit_test(intercepts_move_with_the_centres),
                                       cmocka_unit_test(columns_of_small_data_are_taken_from_round_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
