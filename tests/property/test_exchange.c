/* The parts of the exchange search: its starts leave nothing of the support before them, and its tableaus are what they
 * claim to be. */
#include "property/spgm_fixture.h"
#include "search/exchange/internal.h"

enum { M = 20, N = 24, S = 5 };

/* Every column stands where the table says, and no other is said to be in. */
static void check_positions(const struct exchange *a) {
    int64_t in = 0;

    for (int64_t q = 0; q < a->columns; q++) {
        int64_t k = a->current.position[q];

        assert_true(k < a->current.size);
        in += k >= 0;
        assert_true(k < 0 || a->current.columns[k] == q);
    }
    assert_int_equal(in, a->current.size);
}

static struct fixture *make(const char *loss, enum variant variant, uint64_t seed, struct exchange **search) {
    struct fixture *f = fixture_new(M, N, S, loss, variant, seed);
    spgm_status status;

    fixture_frame(f);
    check(exchange_new(&f->run, search, &status), &status);
    return f;
}

static void starts_leave_nothing_behind(void **state) {
    static const enum variant variants[] = {PLAIN, INTERCEPT, FREE};

    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct exchange *a;
        struct fixture *f = make(seed % 2 ? "l1" : "squared", variants[seed % 3], seed + 1, &a);
        double x[N + 1] = {0};

        for (int64_t j = 3; j < 3 + S; j++) {
            x[j] = 1;
        }
        start_from(a, x, 0);
        check_positions(a);
        start_greedy(a);
        check_positions(a);
        exchange_descend(a);
        check_positions(a);
        start_marginal(a);
        check_positions(a);
        walk_down(a);
        check_positions(a);
        walk_away(a);
        check_positions(a);
        exchange_free(a);
        fixture_free(f);
    }
}

/* The lowest squares over some columns, by coordinate descent from the raw data. */
static double lowest_squares(const struct fixture *f, int64_t k, const int64_t *columns) {
    double x[N + 1] = {0}, r[M], F = 0;

    raw_residual(f, x, r);
    for (int round = 0; round < 3000; round++) {
        for (int64_t i = 0; i < k; i++) {
            double slope = f->ridge * x[columns[i]], curve = f->ridge, step;

            for (int64_t row = 0; row < f->m; row++) {
                slope += raw_entry(f, row, columns[i]) * r[row];
                curve += raw_entry(f, row, columns[i]) * raw_entry(f, row, columns[i]);
            }
            step = -slope / curve;
            x[columns[i]] += step;
            for (int64_t row = 0; row < f->m; row++) {
                r[row] += step * raw_entry(f, row, columns[i]);
            }
        }
    }
    for (int64_t row = 0; row < f->m; row++) {
        F += 0.5 * r[row] * r[row];
    }
    for (int64_t j = 0; j < f->n; j++) {
        F += 0.5 * f->ridge * x[j] * x[j];
    }
    return F;
}

/* For the squared loss the model is the loss: what the tableau says of F after each exchange is its minimum. */
static void squares_on_a_tableau_are_exact(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct exchange *a;
        struct fixture *f = make("squared", PLAIN, seed + 20, &a);
        double unit = f->framed.objective_unit;

        start_greedy(a);
        assert_true(a->tableau.most > 0);
        for (int step = 0; step < 6; step++) {
            double F = a->current.objective;

            a->tabu.step += 100; /* nothing is barred */
            assert_true(tableau_build(a, 0, N));
            assert_int_equal(tableau_walk(a, 3, 3, -INFINITY), 0);
            F += a->tableau.sweep.value;
            tableau_leave(a);
            check_positions(a);
            assert_true(fabs(unit * F - lowest_squares(f, a->current.size, a->current.columns)) <= 1e-7 * unit * F);
            current_warm(a, a->current.x);
            assert_true(fabs(a->current.objective - F) <= 1e-7 * F);
        }
        exchange_free(a);
        fixture_free(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_leave_nothing_behind),
        cmocka_unit_test(squares_on_a_tableau_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
