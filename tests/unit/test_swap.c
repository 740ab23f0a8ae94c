/* What exchanges keep against Gaussian elimination, for sets of columns that change by an exchange at a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/kernels.h"
#include "linalg/swap.h"
#include "linalg/tableau.h"

enum { N = 29, ROWS = 35, IN = 12, OUT = N - IN, STEPS = 60 };

static double H[N * N], g[N];

/* x = H_II^-1 y_I by elimination with pivots, x and y by position in the list. */
static void solve(int64_t k, const int64_t *list, const double *y, double *x) {
    double a[N][N + 1];

    for (int64_t i = 0; i < k; i++) {
        for (int64_t j = 0; j < k; j++)
            a[i][j] = H[list[i] + list[j] * N];
        a[i][k] = y[i];
    }
    for (int64_t p = 0; p < k; p++) {
        int64_t best = p;
        for (int64_t i = p; i < k; i++)
            best = fabs(a[i][p]) > fabs(a[best][p]) ? i : best;
        for (int64_t j = 0; j <= k; j++) {
            double kept = a[p][j];
            a[p][j] = a[best][j];
            a[best][j] = kept;
        }
        for (int64_t i = 0; i < k; i++)
            for (int64_t j = k; i != p && j >= p; j--)
                a[i][j] -= a[i][p] / a[p][p] * a[p][j];
    }
    for (int64_t i = 0; i < k; i++)
        x[i] = a[i][k] / a[i][i];
}

static void assert_near(double seen, double expected) {
    if (!(fabs(seen - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%.17g, expected %.17g", seen, expected);
}

/* The minimum of the quadratic over these columns. */
static double minimum_of(int64_t k, const int64_t *list) {
    double x[N], y[N] = {0}, value = 0;

    for (int64_t i = 0; i < k; i++)
        y[i] = g[list[i]];
    solve(k, list, y, x);
    for (int64_t i = 0; i < k; i++)
        value -= 0.5 * x[i] * y[i];
    return value;
}

static void check_inside(const struct swap *s, const int64_t *in) {
    double x[N], y[N];

    for (int64_t i = 0; i < IN; i++)
        y[i] = g[in[i]];
    solve(IN, in, y, x);
    for (int64_t i = 0; i < IN; i++)
        assert_near(s->x[i], x[i]);
    for (int64_t j = 0; j < IN; j++) {
        for (int64_t i = 0; i < IN; i++)
            y[i] = i == j;
        solve(IN, in, y, x);
        for (int64_t i = 0; i < IN; i++)
            assert_near(s->M[i + j * IN], x[i]);
    }
}

static void check_outside(const struct swap *s, const int64_t *in, const int64_t *out) {
    for (int64_t q = 0; q < OUT; q++) {
        double y[N], v[N], schur = H[out[q] + out[q] * N], pull = g[out[q]];

        for (int64_t i = 0; i < IN; i++) {
            y[i] = H[in[i] + out[q] * N];
            assert_near(s->G[i + q * IN], y[i]);
            pull -= y[i] * s->x[i];
        }
        solve(IN, in, y, v);
        for (int64_t i = 0; i < IN; i++) {
            assert_near(s->V[i + q * IN], v[i]);
            schur -= y[i] * v[i];
        }
        assert_near(s->schur[q], schur);
        assert_near(s->pull[q], pull);
    }
}

static void check_changes(const struct swap *s, const int64_t *in, const int64_t *out) {
    double now = minimum_of(IN, in);

    for (int64_t j = 0; j < IN; j++) {
        for (int64_t q = 0; q < OUT; q++) {
            int64_t list[IN];

            memcpy(list, in, sizeof list);
            list[j] = out[q];
            assert_near(swap_change(s, j, q), minimum_of(IN, list) - now);
        }
    }
}

static void make_quadratic(struct random *random) {
    double A[ROWS * N];

    for (int64_t i = 0; i < ROWS * N; i++)
        A[i] = random_normal(random);
    for (int64_t i = 0; i < N; i++) {
        g[i] = random_normal(random);
        for (int64_t j = 0; j < N; j++) {
            H[i + j * N] = i == j ? 0.1 : 0;
            for (int64_t r = 0; r < ROWS; r++)
                H[i + j * N] += A[r + i * ROWS] * A[r + j * ROWS];
        }
    }
}

/* The first IN columns are in. */
static void begin(struct swap *s, const int64_t *in, const int64_t *out) {
    double y[N];

    for (int64_t j = 0; j < IN; j++) {
        for (int64_t i = 0; i < IN; i++)
            y[i] = i == j;
        solve(IN, in, y, s->M + j * IN);
    }
    solve(IN, in, g, s->x);
    for (int64_t q = 0; q < OUT; q++) {
        s->schur[q] = H[out[q] + out[q] * N];
        s->pull[q] = g[out[q]];
        for (int64_t i = 0; i < IN; i++) {
            s->G[i + q * IN] = H[in[i] + out[q] * N];
            s->pull[q] -= s->G[i + q * IN] * s->x[i];
        }
    }
    swap_begin(s);
}

static void columns_take_places(void **state) {
    double M[IN * IN], G[IN * OUT], V[IN * OUT], schur[OUT], pull[OUT], x[IN], inside[2 * IN], outside[2 * OUT];
    struct swap s = {IN, OUT, M, G, V, schur, pull, x, 0, inside, outside};
    int64_t list[N], *in = list, *out = list + IN;
    struct random random;
    double start;

    (void)state;
    random_seed(&random, 7, 0);
    make_quadratic(&random);
    for (int64_t i = 0; i < N; i++)
        list[i] = i;
    begin(&s, in, out);
    start = minimum_of(IN, in);
    for (int t = 0; t < STEPS; t++) {
        int64_t j = random_below(&random, IN), q = random_below(&random, OUT), left = in[j];
        double entering[OUT], leaving[IN];

        check_inside(&s, in);
        check_outside(&s, in, out);
        check_changes(&s, in, out);
        assert_near(s.value, minimum_of(IN, in) - start);
        for (int64_t o = 0; o < OUT; o++)
            entering[o] = H[out[q] + out[o] * N];
        for (int64_t i = 0; i < IN; i++)
            leaving[i] = H[left + in[i] * N];
        swap_turn(&s, j, q, entering, leaving);
        in[j] = out[q];
        out[q] = left;
    }
}

/* Columns of length one, and H without its diagonal in single precision. */
static void make_unit_lengths(float *single) {
    double length[N];

    for (int64_t i = 0; i < N; i++)
        length[i] = sqrt(H[i + i * N]);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            H[i + j * N] /= length[i] * length[j];
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            single[i * SINGLES + j] = i == j ? 0 : (float)H[i + j * N];
}

static void assert_roughly(double seen, double expected) {
    if (!(fabs(seen - expected) <= 1e-4 * (1 + fabs(expected))))
        fail_msg("%.17g, expected about %.17g", seen, expected);
}

/* The lowest change of each column that is not in, over the rows that may leave; and what there is where none may. */
/* By how much the minimum rises without the column in row j. */
static double cost_of(const int64_t *in, int64_t j) {
    int64_t list[IN];

    memcpy(list, in, sizeof list);
    list[j] = list[IN - 1];
    return minimum_of(IN - 1, list) - minimum_of(IN, in);
}

/* Of the rows that may leave, those that are cheapest: which[j]. */
static void list_cheapest(const int64_t *in, const unsigned char *stays, unsigned char *which) {
    double cost[IN];

    for (int64_t j = 0; j < IN; j++)
        cost[j] = cost_of(in, j);
    for (int64_t j = 0; j < IN; j++) {
        int cheaper = 0;
        for (int64_t i = 0; i < IN; i++)
            cheaper += !stays[i] && cost[i] < cost[j];
        which[j] = !stays[j] && cheaper < TABLEAU_ROWS;
    }
}

static void check_prices(const struct tableau *t, const unsigned char *leaves) {
    double now = minimum_of(IN, t->in);

    for (int64_t c = 0; c < N; c++) {
        double lowest = INFINITY, found = INFINITY;
        int is_in = 0;

        for (int64_t j = 0; j < IN; j++)
            is_in |= t->in[j] == c;
        for (int64_t j = 0; !is_in && j < IN; j++) {
            int64_t list[IN];
            double change;

            memcpy(list, t->in, sizeof list);
            list[j] = c;
            change = minimum_of(IN, list) - now;
            lowest = leaves[j] && change < lowest ? change : lowest;
            found = j == tableau_row(t, c) ? change : found;
        }
        if (is_in) {
            assert_true(isinf(t->schur[c]) && t->change[c] == INFINITY);
        } else if (isinf(lowest)) {
            assert_true(t->change[c] == INFINITY);
        } else {
            assert_roughly(0.5 * (double)t->change[c], lowest);
            assert_roughly(found, lowest);
        }
    }
}

static void all_columns_take_places(void **state) {
    float single[N * SINGLES];
    struct workspace workspace = {0};
    struct tableau t = {.inside = IN, .columns = N, .H = single, .ld = SINGLES};
    struct random random;
    double pull[N], start, y[N];

    (void)state;
    random_seed(&random, 8, 0);
    make_quadratic(&random);
    make_unit_lengths(single);
    tableau_take(&t, IN, N, &workspace);
    for (int64_t j = 0; j < IN; j++)
        t.in[j] = t.row[j] = N - 1 - 2 * j;
    for (int64_t j = 0; j < IN; j++) {
        for (int64_t i = 0; i < IN; i++)
            y[i] = i == j;
        solve(IN, t.in, y, t.M + j * IN);
    }
    for (int64_t i = 0; i < IN; i++)
        y[i] = g[t.in[i]];
    solve(IN, t.in, y, t.x);
    for (int64_t c = 0; c < N; c++) {
        pull[c] = g[c];
        for (int64_t i = 0; i < IN; i++)
            pull[c] -= H[c + t.in[i] * N] * t.x[i];
    }
    tableau_begin(&t, pull);
    start = minimum_of(IN, t.in);
    for (int step = 0; step < STEPS; step++) {
        unsigned char stays[IN], leaves[IN];
        int64_t enters, leaving;

        for (int64_t i = 0; i < IN; i++)
            stays[i] = step % 10 == 8 || random_below(&random, step % 3 + 2) == 0;
        tableau_price(&t, stays, 0);
        list_cheapest(t.in, stays, leaves);
        check_prices(&t, leaves);
        if (step % 10 == 8)
            continue; /* none may leave */
        assert_roughly(t.value, minimum_of(IN, t.in) - start);
        do
            enters = random_below(&random, N);
        while (isinf(t.schur[enters]));
        do
            leaving = random_below(&random, IN);
        while (!leaves[leaving]);
        tableau_turn(&t, leaving, enters, enters);
    }
    workspace_free(&workspace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_take_places),
        cmocka_unit_test(all_columns_take_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
