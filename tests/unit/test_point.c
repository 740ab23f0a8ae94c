/* A point follows its x: after any sequence of changes, support, residual, state and objective are those of a fresh
 * point. */
#include "unit/model_fixture.h"

#include "model/point.h"

enum { ROWS = 11, COLUMNS = 40 };

/* F = ridge + least squares + l1 over a random dense A; columns 3 and 17 are free, and so is the last. */
struct setup {
    struct problem problem;
    struct fixture_loss loss;
    double *A, *C, *b, *d;
    unsigned char is_free[COLUMNS];
    int64_t free_columns[COLUMNS];
    spgm_matrix A_view, C_view;
    struct workspace workspace;
    struct point point;
};

static void setup_free_columns(struct setup *s) {
    const int64_t free_columns[] = {3, 17, COLUMNS - 1};
    for (int i = 0; i < 3; i++) {
        s->is_free[free_columns[i]] = 1;
        s->free_columns[i] = free_columns[i];
    }
    s->problem.is_free = s->is_free;
    s->problem.free_columns = s->free_columns;
    s->problem.free_count = 3;
}

static spgm_matrix view_of(int64_t rows, const double *values) {
    return (spgm_matrix){.rows = rows, .columns = COLUMNS, .values = values, .leading_dimension = rows};
}

static void setup_init(struct setup *s) {
    memset(s, 0, sizeof *s);
    fixture_state = FIXTURE_SEED;
    s->loss = fixture_loss_new(loss_find("l1"), ROWS, 0);
    s->A = fixture_normals(ROWS * COLUMNS, 1);
    s->C = fixture_normals(5 * COLUMNS, 1);
    s->b = fixture_normals(ROWS, 1);
    s->d = fixture_normals(5, 1);
    s->A_view = view_of(ROWS, s->A);
    s->C_view = view_of(5, s->C);
    s->problem.A = linop_new(&s->A_view);
    s->problem.b = s->b;
    s->problem.h = s->loss.h;
    s->problem.f.columns = COLUMNS;
    s->problem.f.ridge = fixture_doubles(COLUMNS);
    for (int64_t j = 0; j < COLUMNS; j++)
        s->problem.f.ridge[j] = 0.25;
    s->problem.f.term = &smooth_least_squares;
    s->problem.f.C = linop_new(&s->C_view);
    s->problem.f.d = s->d;
    assert_true(s->problem.A != NULL && s->problem.f.C != NULL);
    setup_free_columns(s);
    point_init(&s->point, &s->problem, &s->workspace);
    assert_false(s->workspace.failed);
}

static void setup_clear(struct setup *s) {
    workspace_free(&s->workspace);
    linop_free(s->problem.A);
    linop_free(s->problem.f.C);
    fixture_loss_free(&s->loss);
    free(s->problem.f.ridge), free(s->A), free(s->C), free(s->b), free(s->d);
}

/* F at x by plain sums. */
static double objective(const struct setup *s, const double *x) {
    long double value = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        long double r = -s->b[i];
        for (int64_t j = 0; j < COLUMNS; j++)
            r += (long double)s->A[i + j * ROWS] * x[j];
        value += fabsl(r);
    }
    for (int64_t i = 0; i < 5; i++) {
        long double e = -s->d[i];
        for (int64_t j = 0; j < COLUMNS; j++)
            e += (long double)s->C[i + j * 5] * x[j];
        value += e * e / 2;
    }
    for (int64_t j = 0; j < COLUMNS; j++)
        value += 0.125L * x[j] * x[j];
    return (double)value;
}

/* Everything against x, which the test keeps by itself. */
static void check(const struct setup *s, const double *x) {
    const struct point *point = &s->point;
    int64_t size = 0, counted = 0;
    for (int64_t j = 0; j < COLUMNS; j++) {
        assert_true(point->x[j] == x[j]);
        if (x[j] == 0 && !s->is_free[j])
            continue;
        assert_true(size < point->support_size);
        assert_int_equal(point->support[size++], j);
        counted += !s->is_free[j];
    }
    assert_int_equal(point->support_size, size);
    assert_int_equal(point->counted, counted);
    for (int64_t i = 0; i < ROWS; i++) {
        double r = -s->b[i];
        for (int64_t j = 0; j < COLUMNS; j++)
            r += s->A[i + j * ROWS] * x[j];
        assert_near(point->residual[i], r, 1e-10 * (1 + fabs(r)));
    }
    double expected = objective(s, x);
    assert_near(point_objective(point), expected, 1e-10 * (1 + expected));
}

static void starts_at_zero_with_the_free_columns(void **state) {
    struct setup s;
    double x[COLUMNS] = {0};
    (void)state;
    setup_init(&s);
    check(&s, x);
    assert_int_equal(s.point.support_size, 3);
    assert_int_equal(s.point.counted, 0);
    setup_clear(&s);
}

static void set_replaces_everything(void **state) {
    struct setup s;
    double x[COLUMNS];
    (void)state;
    setup_init(&s);
    for (int trial = 0; trial < 20; trial++) {
        for (int64_t j = 0; j < COLUMNS; j++)
            x[j] = fixture_below(3) == 0 ? fixture_normal() : 0;
        point_set(&s.point, x);
        check(&s, x);
    }
    for (int64_t j = 0; j < COLUMNS; j++)
        x[j] = 1 + (double)j;
    point_set(&s.point, x);
    check(&s, x);
    setup_clear(&s);
}

/* The same from a list of columns, free ones among them, some of whose values are zero. */
static void set_columns_replaces_everything(void **state) {
    struct setup s;
    double x[COLUMNS], values[COLUMNS];
    int64_t columns[COLUMNS];
    (void)state;
    setup_init(&s);
    for (int trial = 0; trial < 50; trial++) {
        int64_t k = 0;
        for (int64_t j = 0; j < COLUMNS; j++) {
            x[j] = fixture_below(4) == 0 ? fixture_normal() : 0;
            columns[k] = j;
            values[k] = x[j];
            k += x[j] != 0 || s.is_free[j] || fixture_below(5) == 0;
        }
        point_set_columns(&s.point, k, columns, values);
        check(&s, x);
    }
    setup_clear(&s);
}

/* Random steps: entries arrive, move, leave, also all at once, in any order. */
static void changes_follow_x(void **state) {
    struct setup s;
    double x[COLUMNS] = {0}, change[COLUMNS];
    int64_t columns[COLUMNS];
    (void)state;
    setup_init(&s);
    for (int step = 0; step < 3000; step++) {
        int64_t k = step % 50 == 0 ? COLUMNS : fixture_below(12), first = fixture_below(COLUMNS);
        int64_t stride = (const int64_t[]){1, 3, 7, 39}[fixture_below(4)]; /* coprime to COLUMNS: no column twice */
        for (int64_t i = 0; i < k; i++) {
            int64_t j = columns[i] = (first + i * stride) % COLUMNS, kind = fixture_below(3);
            change[i] = kind == 0 ? -x[j] : kind == 1 ? 0 : fixture_normal();
            x[j] += change[i];
        }
        point_change(&s.point, k, columns, change);
        check(&s, x);
        if (step % 500 == 499)
            point_refresh(&s.point);
    }
    setup_clear(&s);
}

/* A column that is listed twice counts with the sum of its changes. */
static void a_column_may_be_listed_twice(void **state) {
    struct setup s;
    double x[COLUMNS] = {0};
    const int64_t columns[][4] = {{5, 5, 2, 2}, {5, 2, 5, 2}, {9, 5, 9, 9}, {3, 3, 5, 5}};
    const double change[][4] = {{1, 1, 1, -1}, {-2, 1, 0, -1}, {1, 1, -1, 1}, {1, -1, -1, 0}};
    (void)state;
    setup_init(&s);
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < 4; i++)
            x[columns[t][i]] += change[t][i];
        point_change(&s.point, 4, columns[t], change[t]);
        check(&s, x);
    }
    setup_clear(&s);
}

static void refresh_removes_drift(void **state) {
    struct setup s;
    double x[COLUMNS] = {0}, one = 1;
    int64_t column = 6;
    (void)state;
    setup_init(&s);
    x[6] = 1;
    point_change(&s.point, 1, &column, &one);
    for (int64_t i = 0; i < ROWS; i++)
        s.point.residual[i] += 0.5;
    for (int64_t i = 0; i < 5; i++)
        s.point.state[i] -= 0.5;
    point_refresh(&s.point);
    check(&s, x);
    setup_clear(&s);
}

/* The residual is over the rows at hand; the objective is over all rows. */
static void objective_is_over_all_rows(void **state) {
    struct setup s;
    double x[COLUMNS] = {0};
    (void)state;
    setup_init(&s);
    s.problem.h.reduce = s.problem.A->reduce = &fixture_two_ranks;
    memset(s.problem.f.ridge, 0, COLUMNS * sizeof *s.problem.f.ridge);
    s.problem.f.C->reduce = &fixture_two_ranks;
    x[1] = 2, x[20] = -3, x[COLUMNS - 1] = 1;
    point_set(&s.point, x);
    double ridge = 0.125 * (4 + 9 + 1);
    assert_near(point_objective(&s.point), 2 * (objective(&s, x) - ridge), 1e-10);
    setup_clear(&s);
}

/* Only the first failure counts; nothing is touched after it. */
static void a_failed_workspace_is_left_alone(void **state) {
    struct setup s;
    struct workspace failed = {.failed = 1};
    struct point point;
    (void)state;
    setup_init(&s);
    point_init(&point, &s.problem, &failed);
    assert_true(failed.failed);
    workspace_free(&failed);
    setup_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_at_zero_with_the_free_columns), cmocka_unit_test(set_replaces_everything),
        cmocka_unit_test(set_columns_replaces_everything),      cmocka_unit_test(changes_follow_x),
        cmocka_unit_test(a_column_may_be_listed_twice),         cmocka_unit_test(refresh_removes_drift),
        cmocka_unit_test(objective_is_over_all_rows),           cmocka_unit_test(a_failed_workspace_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
