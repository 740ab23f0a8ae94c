/* What every smooth term promises: values against plain sums in long double, gradient and curvature against finite
 * differences, the smoothness constant against eigenvalues, update against refresh; dense and sparse, scaled or not,
 * with intercept or not. */
#include "unit/model_fixture.h"

#include "model/smooth.h"

enum { N0 = 90, ROWS = 25 };
enum term { TERM_NONE, TERM_QUADRATIC, TERM_LEAST_SQUARES, TERM_COUNT };

/* A dense or sparse matrix that owns its arrays. */
struct matrix {
    spgm_matrix view;
    double *full, *values; /* full is dense in any case */
    int64_t *column_start;
    int32_t *row_index;
};

static void matrix_compress(struct matrix *matrix, int64_t rows, int64_t columns) {
    int64_t count = 0;
    matrix->values = fixture_doubles(rows * columns);
    matrix->column_start = calloc((size_t)columns + 1, sizeof *matrix->column_start);
    matrix->row_index = calloc((size_t)(rows * columns), sizeof *matrix->row_index);
    assert_true(matrix->column_start != NULL && matrix->row_index != NULL);
    for (int64_t j = 0; j < columns; j++) {
        for (int64_t i = 0; i < rows; i++)
            if (matrix->full[i + j * rows] != 0) {
                matrix->values[count] = matrix->full[i + j * rows];
                matrix->row_index[count++] = (int32_t)i;
            }
        matrix->column_start[j + 1] = count;
    }
    matrix->view = (spgm_matrix){.rows = rows,
                                 .columns = columns,
                                 .values = matrix->values,
                                 .column_start = matrix->column_start,
                                 .row_index = matrix->row_index};
}

static struct matrix matrix_new(int64_t rows, int64_t columns, double *full, int sparse) {
    struct matrix matrix;
    memset(&matrix, 0, sizeof matrix);
    matrix.full = full;
    matrix.view = (spgm_matrix){.rows = rows, .columns = columns, .values = full, .leading_dimension = rows};
    if (sparse)
        matrix_compress(&matrix, rows, columns);
    return matrix;
}

static void matrix_free(struct matrix *matrix) {
    free(matrix->full), free(matrix->values), free(matrix->column_start), free(matrix->row_index);
}

static double *random_entries(int64_t rows, int64_t columns, int sparse) {
    double *values = fixture_normals(rows * columns, 1);
    for (int64_t i = 0; sparse && i < rows * columns; i++)
        if (fixture_below(5) > 0)
            values[i] = 0;
    return values;
}

/* B'B + a little */
static double *positive_semidefinite(int64_t n, int sparse) {
    double *B = random_entries(n / 3, n, sparse), *Q = fixture_doubles(n * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t r = 0; r < n / 3; r++)
                Q[i + j * n] += B[r + i * (n / 3)] * B[r + j * (n / 3)];
    free(B);
    return Q;
}

struct setup {
    enum term term;
    int sparse, intercept, scaled, linear;
    struct smooth f;
    struct matrix matrix;
    struct linop *base;
    double *d, *scale, *state, *work;
};

static void setup_term(struct setup *s) {
    struct smooth *f = &s->f;
    int quadratic = s->term == TERM_QUADRATIC;
    int64_t rows = quadratic ? N0 : ROWS;
    s->matrix = matrix_new(
        rows, N0, quadratic ? positive_semidefinite(N0, s->sparse) : random_entries(ROWS, N0, s->sparse), s->sparse);
    s->base = linop_new(&s->matrix.view);
    assert_non_null(s->base);
    s->d = fixture_normals(rows, 1);
    f->term = quadratic ? &smooth_quadratic : &smooth_least_squares;
    f->C = quadratic ? s->base : linop_framed_new(s->base, s->scale, s->intercept, 0);
    assert_non_null(f->C);
    f->Q = s->matrix.view;
    f->d = s->d;
    f->scale = s->scale;
}

static struct setup setup_new(enum term term, int variant) {
    struct setup s;
    memset(&s, 0, sizeof s);
    s.term = term;
    s.sparse = variant & 1, s.intercept = variant >> 1 & 1, s.scaled = variant >> 2 & 1, s.linear = variant >> 3 & 1;
    s.f.columns = N0 + s.intercept;
    s.f.ridge = fixture_doubles(s.f.columns);
    s.f.linear = s.linear ? fixture_normals(s.f.columns, 1) : NULL;
    s.scale = s.scaled ? fixture_doubles(N0) : NULL;
    for (int64_t j = 0; j < N0; j++) {
        s.f.ridge[j] = fixture_uniform(0, 2);
        if (s.scaled)
            s.scale[j] = pow(2, (double)fixture_below(9) - 4);
    }
    if (term != TERM_NONE)
        setup_term(&s);
    s.state = fixture_doubles(smooth_state_size(&s.f));
    s.work = fixture_doubles(2 * s.f.columns + N0 + ROWS);
    return s;
}

static void setup_free(struct setup *s) {
    if (s->f.C != s->base)
        linop_free(s->f.C);
    linop_free(s->base);
    matrix_free(&s->matrix);
    free(s->f.ridge), free(s->f.linear), free(s->d), free(s->scale), free(s->state), free(s->work);
}

static void for_every_setup(void (*check)(struct setup *s)) {
    fixture_state = FIXTURE_SEED;
    for (enum term term = TERM_NONE; term < TERM_COUNT; term++)
        for (int variant = 0; variant < 16; variant++) {
            struct setup s = setup_new(term, variant);
            check(&s);
            setup_free(&s);
        }
}

/* A sparse z, as methods have. */
static double *random_point(const struct setup *s) {
    double *z = fixture_normals(s->f.columns, 1);
    for (int64_t j = 0; j < N0; j++)
        if (fixture_below(3) > 0)
            z[j] = 0;
    return z;
}

/* f(z) from its definition. */
static long double formula(const struct setup *s, const double *z) {
    const double *full = s->matrix.full;
    long double value = 0;
    for (int64_t j = 0; j < s->f.columns; j++)
        value += (long double)s->f.ridge[j] / 2 * z[j] * z[j] + (s->linear ? (long double)s->f.linear[j] * z[j] : 0);
    int64_t rows = s->matrix.view.rows;
    for (int64_t i = 0; s->term != TERM_NONE && i < rows; i++) {
        long double row = 0;
        for (int64_t j = 0; j < N0; j++)
            row += (long double)full[i + j * rows] * (s->scaled ? s->scale[j] : 1) * z[j];
        if (s->term == TERM_QUADRATIC)
            value += row * (s->scaled ? s->scale[i] : 1) * z[i] / 2;
        else
            value += (row - s->d[i]) * (row - s->d[i]) / 2;
    }
    return value;
}

static double value_at(const struct setup *s, const double *z) {
    smooth_refresh(&s->f, z, s->state);
    return smooth_value(&s->f, z, s->state);
}

static void check_value(struct setup *s) {
    double *z = random_point(s), *zero = fixture_doubles(s->f.columns);
    double expected = (double)formula(s, z);
    assert_near(value_at(s, z), expected, 1e-13 * (1 + fabs(expected)));
    assert_near(value_at(s, zero), formula(s, zero), 1e-13 * (1 + (double)formula(s, zero)));
    free(z), free(zero);
}

static void value_is_the_formula(void **state) {
    (void)state;
    for_every_setup(check_value);
}

/* f is quadratic, so central differences of the formula are exact but for rounding. */
static void check_gradient(struct setup *s) {
    int64_t n = s->f.columns, every[N0 + 1];
    double *z = random_point(s), *g = fixture_normals(n, 1), *part = fixture_normals(n, 1);
    smooth_refresh(&s->f, z, s->state);
    smooth_gradient(&s->f, z, s->state, g);
    for (int64_t j = 0; j < n; j++) {
        double kept = z[j];
        z[j] = kept + 0.5;
        long double above = formula(s, z);
        z[j] = kept - 0.5;
        long double below = formula(s, z);
        z[j] = kept;
        assert_near(g[j], above - below, 1e-12 * (1 + fabs((double)above)));
        every[j] = n - 1 - j; /* columns in any order */
    }
    smooth_gradient_columns(&s->f, z, s->state, n, every, part);
    for (int64_t j = 0; j < n; j++)
        assert_near(part[j], g[n - 1 - j], 1e-12 * (1 + fabs(part[j])));
    smooth_gradient_columns(&s->f, z, s->state, 0, every, NULL);
    free(z), free(g), free(part);
}

/* At a point with few nonzeros the value needs these only. */
static void check_value_of_few(struct setup *s) {
    int64_t few[] = {0, 7, s->f.columns - 1};
    double *z = random_point(s);
    for (int64_t j = 0; j < s->f.columns; j++)
        z[j] = j == few[0] || j == few[1] || j == few[2] ? z[j] : 0;
    smooth_refresh(&s->f, z, s->state);
    long double expected = formula(s, z);
    assert_near(smooth_value_columns(&s->f, z, s->state, 3, few), expected, 1e-12 * (1 + fabs((double)expected)));
    free(z);
}

static void value_of_few_columns(void **state) {
    (void)state;
    for_every_setup(check_value_of_few);
}

static void gradient_is_the_derivative_of_the_formula(void **state) {
    (void)state;
    for_every_setup(check_gradient);
}

/* The Hessian times a unit vector: a difference of gradients. H [columns x columns] */
static double *hessian(struct setup *s) {
    int64_t n = s->f.columns;
    double *H = fixture_doubles(n * n), *z = random_point(s), *g = fixture_doubles(n);
    smooth_refresh(&s->f, z, s->state);
    smooth_gradient(&s->f, z, s->state, g);
    for (int64_t j = 0; j < n; j++) {
        double kept = z[j];
        z[j] += 1;
        smooth_refresh(&s->f, z, s->state);
        smooth_gradient(&s->f, z, s->state, H + j * n);
        z[j] = kept;
        for (int64_t i = 0; i < n; i++)
            H[i + j * n] -= g[i];
    }
    free(z), free(g);
    return H;
}

/* For sizes on both sides of the blocks that the terms use inside. M must be added to, not overwritten. */
static void check_curvature(struct setup *s) {
    const int64_t sizes[] = {0, 1, 2, 10, 16, 31, 32, 33, 48, 70, 90};
    int64_t n = s->f.columns, order[N0 + 1];
    double *H = hessian(s), *M = fixture_doubles(n * n);
    for (size_t t = 0; t < sizeof sizes / sizeof sizes[0]; t++) {
        int64_t k = sizes[t];
        for (int64_t j = 0; j < n; j++)
            order[j] = j;
        for (int64_t j = n - 1; j > 0; j--) { /* shuffle: the intercept may be anywhere */
            int64_t other = fixture_below(j + 1), kept = order[j];
            order[j] = order[other];
            order[other] = kept;
        }
        for (int64_t i = 0; i < k * k; i++)
            M[i] = 3;
        smooth_add_curvature(&s->f, k, order, M);
        for (int64_t b = 0; b < k; b++)
            for (int64_t a = 0; a < k; a++) {
                double expected = H[order[a] + order[b] * n];
                assert_near(M[a + b * k] - 3, expected, 1e-10 * (1 + fabs(expected)));
            }
    }
    free(H), free(M);
}

static void curvature_is_the_difference_of_gradients(void **state) {
    (void)state;
    for_every_setup(check_curvature);
}

/* The largest eigenvalue of a symmetric matrix by cyclic Jacobi rotations; H is overwritten. */
static double largest_eigenvalue(int64_t n, double *H) {
    for (int sweep = 0; sweep < 12; sweep++)
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                if (fabs(H[p + q * n]) < 1e-300)
                    continue;
                double theta = (H[q + q * n] - H[p + p * n]) / (2 * H[p + q * n]);
                double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), sine = t * c;
                for (int64_t i = 0; i < n; i++) {
                    double a = H[i + p * n], b = H[i + q * n];
                    H[i + p * n] = c * a - sine * b;
                    H[i + q * n] = sine * a + c * b;
                }
                for (int64_t i = 0; i < n; i++) {
                    double a = H[p + i * n], b = H[q + i * n];
                    H[p + i * n] = c * a - sine * b;
                    H[q + i * n] = sine * a + c * b;
                }
            }
    double largest = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, H[i + i * n]);
    return largest;
}

static void check_smoothness(struct setup *s) {
    int64_t n = s->f.columns;
    double *H = hessian(s), constant = smooth_smoothness(&s->f, s->work, NULL), ridge = 0;
    double exact = largest_eigenvalue(n, H);
    for (int64_t j = 0; j < n; j++)
        ridge = fmax(ridge, s->f.ridge[j]);
    assert_at_most(exact, constant * (1 + 1e-12));
    assert_at_most(constant, 1.05 * exact + ridge); /* not wastefully large either */
    free(H);
    for (int trial = 0; trial < 20; trial++) { /* Q(z, w) <= M_s / 2 ||z - w||^2 */
        double *z = random_point(s), *w = random_point(s), *g = fixture_doubles(n);
        long double bregman = formula(s, w) - formula(s, z), squares = 0;
        smooth_refresh(&s->f, z, s->state);
        smooth_gradient(&s->f, z, s->state, g);
        for (int64_t j = 0; j < n; j++) {
            bregman -= (long double)g[j] * (w[j] - z[j]);
            squares += (long double)(w[j] - z[j]) * (w[j] - z[j]);
        }
        assert_at_most(bregman, constant / 2 * squares * (1 + 1e-9L));
        free(z), free(w), free(g);
    }
}

static void smoothness_is_just_above_the_largest_eigenvalue(void **state) {
    (void)state;
    for_every_setup(check_smoothness);
}

/* Steps over k columns, the intercept and zero changes among them, follow a refresh. */
static void check_update(struct setup *s) {
    int64_t n = s->f.columns, size = smooth_state_size(&s->f), columns[N0 + 1];
    double *z = random_point(s), *fresh = fixture_doubles(size), *change = fixture_doubles(n);
    const int64_t sizes[] = {0, 1, 5, 63, 64, 65, N0};
    smooth_refresh(&s->f, z, s->state);
    for (size_t t = 0; t < sizeof sizes / sizeof sizes[0]; t++) {
        for (int64_t i = 0; i < sizes[t]; i++) {
            columns[i] = n - 1 - i;
            change[i] = fixture_below(4) == 0 ? 0 : fixture_normal();
            z[columns[i]] += change[i];
        }
        smooth_update(&s->f, sizes[t], columns, change, s->state);
        smooth_refresh(&s->f, z, fresh);
        for (int64_t i = 0; i < size; i++)
            assert_near(s->state[i], fresh[i], 1e-11 * (1 + fabs(fresh[i])));
    }
    free(z), free(fresh), free(change);
}

static void update_follows_refresh(void **state) {
    (void)state;
    for_every_setup(check_update);
}

/* The state at few columns is that of a refresh. */
static void check_refresh_of_few(struct setup *s) {
    int64_t size = smooth_state_size(&s->f), columns[5] = {0, 7, 31, N0 - 1, s->f.columns - 1};
    int64_t k = s->intercept ? 5 : 4;
    double *z = fixture_doubles(s->f.columns), *few = fixture_normals(k, 1), *fresh = fixture_doubles(size);
    for (int64_t i = 0; i < k; i++)
        z[columns[i]] = few[i];
    memset(s->state, 0x7f, (size_t)size * sizeof *s->state);
    smooth_refresh_columns(&s->f, k, columns, few, s->state);
    smooth_refresh(&s->f, z, fresh);
    for (int64_t i = 0; i < size; i++)
        assert_near(s->state[i], fresh[i], 1e-13 * (1 + fabs(fresh[i])));
    free(z), free(few), free(fresh);
}

static void refresh_of_few_columns(void **state) {
    (void)state;
    for_every_setup(check_refresh_of_few);
}

/* phi alone */
static long double term_formula(const struct setup *s, const double *z) {
    long double value = formula(s, z);
    for (int64_t j = 0; j < s->f.columns; j++)
        value -= (long double)s->f.ridge[j] / 2 * z[j] * z[j] + (s->linear ? (long double)s->f.linear[j] * z[j] : 0);
    return value;
}

/* A tangent lies below phi whatever x is, whatever the state is, and touches it at z; when the state moves, the
 * constant falls no faster than it says. */
static void check_tangent(struct setup *s) {
    int64_t columns[5] = {3, 0, 31, N0 - 1, s->f.columns - 1}, k = s->intercept ? 5 : 4;
    struct number slope[5], moved[5];
    double *x = fixture_doubles(s->f.columns), *work = fixture_doubles(N0 + ROWS);
    for (int trial = 0; s->term != TERM_NONE && trial < 20; trial++) {
        double *z = fixture_normals(k, pow(10, fixture_uniform(-2, 2)));
        smooth_refresh_columns(&s->f, k, columns, z, s->state);
        struct smooth_tangent t = s->f.term->tangent(&s->f, k, columns, z, s->state, work, slope);
        assert_true(t.constant.error >= 0 && t.constant.error <= 1e-12L * (1 + fabsl(t.constant.value)));
        for (int point = 0; point < 20; point++) {
            long double below = t.constant.value, error = t.constant.error, phi;
            for (int64_t i = 0; i < k; i++) {
                x[columns[i]] = z[i] + (point == 0 ? 0 : fixture_normal() * pow(10, -fixture_uniform(0, 6)));
                below += slope[i].value * x[columns[i]];
                error += slope[i].error * fabs(x[columns[i]]);
            }
            phi = term_formula(s, x);
            assert_true(below - error <=
                        phi + 1e-13L * (1 + phi)); /* what rounding made of Q is not quite semidefinite */
            if (point == 0)
                assert_near((double)below, (double)phi, 1e-11 * (1 + (double)phi));
        }
        double change[5] = {0}, length = 0;
        for (int64_t i = 0; i < k; i++) {
            change[i] = 1e-3 * fixture_normal();
            z[i] += change[i];
        }
        smooth_update(&s->f, k, columns, change, s->state);
        struct smooth_tangent after = s->f.term->tangent(&s->f, k, columns, z, s->state, work, moved);
        for (int64_t i = 0; i < k; i++)
            length += change[i] * (double)(moved[i].value - slope[i].value); /* d'd for the v that makes the slopes */
        length = sqrt(fmax(length, 0)) * (1 + 1e-9);
        assert_at_most((double)(t.constant.value - after.constant.value),
                       length * t.length + length * length / 2 + 1e-11 * (1 + t.length * t.length));
        free(z);
    }
    free(x), free(work);
}

static void tangents_lie_below(void **state) {
    (void)state;
    for_every_setup(check_tangent);
}

/* A hook that doubles sums over the rows of C stands for C and d twice. */
static void rows_of_least_squares_may_live_elsewhere(void **state) {
    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        struct setup s = setup_new(TERM_LEAST_SQUARES, variant);
        int64_t n = s.f.columns, columns[3] = {4, n - 1, 0};
        double *z = random_point(&s), *g = fixture_doubles(n), *gg = fixture_doubles(n), once[9] = {0}, both[9] = {0};
        memset(s.f.ridge, 0, (size_t)n * sizeof *s.f.ridge);
        if (s.linear)
            memset(s.f.linear, 0, (size_t)n * sizeof *s.f.linear);
        double value = value_at(&s, z), constant = smooth_smoothness(&s.f, s.work, NULL);
        smooth_gradient(&s.f, z, s.state, g);
        smooth_add_curvature(&s.f, 3, columns, once);
        s.f.C->reduce = &fixture_two_ranks;
        assert_near(value_at(&s, z), 2 * value, 1e-12 * value);
        assert_near(smooth_smoothness(&s.f, s.work, NULL), 2 * constant, 0.02 * constant);
        smooth_gradient(&s.f, z, s.state, gg);
        for (int64_t j = 0; j < n; j++)
            assert_near(gg[j], 2 * g[j], 1e-12 * (1 + fabs(g[j])));
        smooth_gradient_columns(&s.f, z, s.state, 3, columns, gg);
        for (int i = 0; i < 3; i++)
            assert_near(gg[i], 2 * g[columns[i]], 1e-12 * (1 + fabs(gg[i])));
        smooth_add_curvature(&s.f, 3, columns, both);
        for (int i = 0; i < 9; i++)
            assert_near(both[i], 2 * once[i], 1e-12 * (1 + fabs(once[i])));
        free(z), free(g), free(gg);
        setup_free(&s);
    }
}

static void degenerate_quadratics_have_exact_constants(void **state) {
    (void)state;
    const double diagonals[][3] = {{0, 0, 0}, {4, 0, 0}, {1, 1, 1}, {1e-100, 3e-100, 2e-100}, {1e100, 1, 1e-100}};
    for (int t = 0; t < 5; t++)
        for (int sparse = 0; sparse < 2; sparse++) {
            double *full = fixture_doubles(9), ridge[3] = {0, 0, 0}, work[9], largest = 0;
            for (int i = 0; i < 3; i++)
                largest = fmax(largest, full[4 * i] = diagonals[t][i]);
            struct matrix matrix = matrix_new(3, 3, full, sparse);
            struct linop *Q = linop_new(&matrix.view);
            struct smooth f = {.columns = 3, .ridge = ridge, .term = &smooth_quadratic, .C = Q, .Q = matrix.view};
            double constant = smooth_smoothness(&f, work, NULL);
            assert_true(constant >= largest && constant <= 1.01 * largest);
            linop_free(Q);
            matrix_free(&matrix);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_is_the_formula),
        cmocka_unit_test(value_of_few_columns),
        cmocka_unit_test(gradient_is_the_derivative_of_the_formula),
        cmocka_unit_test(curvature_is_the_difference_of_gradients),
        cmocka_unit_test(smoothness_is_just_above_the_largest_eigenvalue),
        cmocka_unit_test(update_follows_refresh),
        cmocka_unit_test(refresh_of_few_columns),
        cmocka_unit_test(tangents_lie_below),
        cmocka_unit_test(rows_of_least_squares_may_live_elsewhere),
        cmocka_unit_test(degenerate_quadratics_have_exact_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
