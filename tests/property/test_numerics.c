/*
 * Data that doubles hold badly: columns and targets far from zero next to their spread, and units from 1e-250 to 1e250.
 * What `auto` finds is judged by code of its own: residuals in pairs of long doubles; for squared and l2 every support,
 * by orthogonalisation in long double; for the other losses the same problem centred and scaled by hand.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "share.h"
#include "spgm/spgm.h"

enum { MOST_ROWS = 64, MOST_COLUMNS = 12 };

struct data {
    int64_t m, n, s;
    double A[MOST_ROWS * MOST_COLUMNS]; /* m x n */
    double b[MOST_ROWS];
};

struct answer {
    double x[MOST_COLUMNS], intercept;
    spgm_info info;
    long double F; /* of x and intercept, recomputed */
};

struct setup {
    const char *loss;
    int intercept, standardize, sparse;
};

static double noise(struct random *random) {
    return random_normal(random);
}

/* b = a_0 3 - a_1 2 + a_2 + noise, all of them of size 1; n >= 3. */
static struct data plain_data(int64_t m, int64_t n, int64_t s, uint64_t seed) {
    struct data data = {.m = m, .n = n, .s = s};
    struct random random;
    random_seed(&random, seed, 4);
    for (int64_t e = 0; e < m * n; e++)
        data.A[e] = noise(&random);
    for (int64_t i = 0; i < m; i++)
        data.b[i] = 3 * data.A[i] - 2 * data.A[i + m] + data.A[i + 2 * m] + noise(&random);
    return data;
}

static void shift_column(struct data *data, int64_t j, double by) {
    for (int64_t i = 0; i < data->m; i++)
        data->A[i + j * data->m] += by;
}

static void scale_column(struct data *data, int64_t j, double by) {
    for (int64_t i = 0; i < data->m; i++)
        data->A[i + j * data->m] *= by;
}

static void change_target(struct data *data, double factor, double shift) {
    for (int64_t i = 0; i < data->m; i++)
        data->b[i] = factor * data->b[i] + shift;
}

/* ---- F of a given x ---------------------------------------------------------------------------------------------- */

struct pair {
    long double high, low;
};

static void pair_add(struct pair *sum, long double term) {
    long double total = sum->high + term, part = total - sum->high;
    sum->low += (sum->high - (total - part)) + (term - part);
    sum->high = total;
}

static void pair_add_product(struct pair *sum, double a, double x) {
    long double product = (long double)a * x;
    pair_add(sum, product);
    sum->low += fmal(a, x, -product);
}

static long double loss_of(const char *loss, int64_t m, const double *b, const long double *r) {
    long double sum = 0, top = 0, squares = 0, tilted = 0, outside = 0, hinge = 0;
    for (int64_t i = 0; i < m; i++) {
        outside += fmaxl(fabsl(r[i]) - 0.1L, 0); /* the default of epsilon */
        hinge += fmaxl(-b[i] * r[i], 0);         /* 1 - b (a'x + c) = -b r for labels b */
        sum += fabsl(r[i]);
        top = fmaxl(top, fabsl(r[i]));
        squares += r[i] * r[i];
        tilted += r[i] > 0 ? 0.7L * r[i] : -0.3L * r[i]; /* r = Ax - b, quantile 0.3 */
    }
    if (strcmp(loss, "l1") == 0)
        return sum;
    if (strcmp(loss, "linf") == 0)
        return top;
    if (strcmp(loss, "quantile") == 0)
        return tilted;
    if (strcmp(loss, "epsilon") == 0)
        return outside;
    if (strcmp(loss, "hinge") == 0)
        return hinge;
    return strcmp(loss, "l2") == 0 ? sqrtl(squares) : squares / 2;
}

static long double objective(const struct data *data, const char *loss, const double *x, double intercept) {
    long double r[MOST_ROWS];
    for (int64_t i = 0; i < data->m; i++) {
        struct pair sum = {0, 0};
        for (int64_t j = 0; j < data->n; j++)
            pair_add_product(&sum, data->A[i + j * data->m], x[j]);
        pair_add(&sum, intercept);
        pair_add(&sum, -(long double)data->b[i]);
        r[i] = sum.high + sum.low;
    }
    return loss_of(loss, data->m, data->b, r);
}

/* ---- the best F of squared and l2 -------------------------------------------------------------------------------- */

static long double dot(int64_t m, const long double *x, const long double *y) {
    long double sum = 0;
    for (int64_t i = 0; i < m; i++)
        sum += x[i] * y[i];
    return sum;
}

/* v less its part along q, |q| = 1 */
static void remove_part(int64_t m, const long double *q, long double *v) {
    long double part = dot(m, q, v);
    for (int64_t i = 0; i < m; i++)
        v[i] -= part * q[i];
}

/* Values less one of them, which loses no digits where they lie close together, and divided by the largest. */
static long double take_column(int64_t m, const double *values, int intercept, long double *v) {
    long double top = 0;
    for (int64_t i = 0; i < m; i++) {
        v[i] = (long double)values[i] - (intercept ? values[0] : 0);
        top = fmaxl(top, fabsl(v[i]));
    }
    for (int64_t i = 0; top > 0 && i < m; i++)
        v[i] /= top;
    return top;
}

/* min 1/2 ||A_S x + c - b||^2 in the units of b: Gram and Schmidt, twice. */
static long double least_squares(const struct data *data, int64_t k, const int64_t *support, int intercept) {
    static long double Q[MOST_COLUMNS + 1][MOST_ROWS];
    long double b[MOST_ROWS], unit;
    int64_t m = data->m, count = 0;
    unit = take_column(m, data->b, intercept, b);
    for (int64_t i = 0; intercept && i < m; i++)
        Q[0][i] = 1 / sqrtl((long double)m);
    count += intercept;
    for (int64_t c = 0; c < k; c++) {
        long double *v = Q[count];
        take_column(m, data->A + support[c] * m, intercept, v);
        long double before = sqrtl(dot(m, v, v)), after;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t q = 0; q < count; q++)
                remove_part(m, Q[q], v);
        after = sqrtl(dot(m, v, v));
        if (after > 1e-15L * before && after > 0) {
            for (int64_t i = 0; i < m; i++)
                v[i] /= after;
            count++;
        }
    }
    for (int pass = 0; pass < 2; pass++)
        for (int64_t q = 0; q < count; q++)
            remove_part(m, Q[q], b);
    return dot(m, b, b) * unit * unit / 2;
}

static long double best_over(const struct data *data, int intercept, int64_t from, int64_t k, int64_t *support) {
    long double best;
    if (k == data->s || from == data->n)
        return least_squares(data, k, support, intercept);
    best = best_over(data, intercept, from + 1, k, support);
    support[k] = from;
    return fminl(best, best_over(data, intercept, from + 1, k + 1, support));
}

static long double best_least_squares(const struct data *data, const char *loss, int intercept) {
    int64_t support[MOST_COLUMNS];
    long double F = best_over(data, intercept, 0, 0, support);
    return strcmp(loss, "l2") == 0 ? sqrtl(2 * F) : F;
}

/* ---- what the library finds ------------------------------------------------------------------------------- */

static spgm_error run(const struct data *data, const struct setup *setup, struct answer *answer, spgm_status *status) {
    int64_t start[MOST_COLUMNS + 1] = {0}, entries = 0;
    int32_t row[MOST_ROWS * MOST_COLUMNS];
    double value[MOST_ROWS * MOST_COLUMNS];
    spgm_matrix A = spgm_dense(data->m, data->n, data->A);
    spgm_options *options = spgm_options_new();
    spgm_error error;
    for (int64_t e = 0; e < data->m * data->n; e++) {
        row[entries] = (int32_t)(e % data->m);
        value[entries] = data->A[e];
        entries += data->A[e] != 0;
        start[e / data->m + 1] = entries;
    }
    if (setup->sparse)
        A = spgm_sparse(data->m, data->n, start, row, value);
    assert_int_equal(spgm_options_set(options, "loss", setup->loss, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "quantile", 0.3, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "intercept", setup->intercept, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set_number(options, "standardize", setup->standardize, NULL), SPGM_OK);
    memset(answer, 0, sizeof *answer);
    error = spgm_solve(&A, data->b, data->s, options, answer->x, &answer->intercept, &answer->info, status);
    answer->F = objective(data, setup->loss, answer->x, answer->intercept);
    spgm_options_free(options);
    return error;
}

static struct answer solve(const struct data *data, const struct setup *setup) {
    struct answer answer;
    spgm_status status;
    if (run(data, setup, &answer, &status) != SPGM_OK)
        fail_msg("%s", status.message);
    return answer;
}

/* How far F may be above the best because the intercept is one double: half a unit in its last place, in every row. The
 * mean of squares is at its least, so that there only the square of it counts. */
static long double rounding(const struct data *data, const char *loss, double intercept, long double best) {
    long double step = (nextafter(fabs(intercept), INFINITY) - fabs(intercept)) / 2;
    if (strcmp(loss, "squared") == 0)
        return (long double)data->m * step * step / 2;
    if (strcmp(loss, "l2") == 0 && best > 0)
        return (long double)data->m * step * step / (2 * best);
    return strcmp(loss, "linf") == 0 ? step : (long double)data->m * step;
}

/* F is what the library says; it is the best; the bound is not above it. `tiny`: what is as good as zero. */
static void check(const struct data *data, const struct setup *setup, const struct answer *answer, long double best,
                  long double tiny, const char *what, double value) {
    long double allowed = best * (1 + 1e-7L) + 2 * rounding(data, setup->loss, answer->intercept, best) + tiny;
    long double said = answer->info.objective;
    int64_t count = 0;
    for (int64_t j = 0; j < data->n; j++)
        count += answer->x[j] != 0;
    if (count > data->s || !(fabsl(said - answer->F) <= 1e-9L * answer->F + tiny) || !(answer->F <= allowed) ||
        !(answer->info.bound <= best * (1 + 1e-9L) + tiny))
        fail_msg("%s, %s %g, intercept %d, standardize %d, sparse %d: F %.12Lg, said %.12Lg, best %.12Lg, bound %.12g, "
                 "%d columns, %s",
                 setup->loss, what, value, setup->intercept, setup->standardize, setup->sparse, answer->F, said, best,
                 answer->info.bound, (int)count, spgm_outcome_name(answer->info.outcome));
}

/* `by_hand` is the same problem without the difficulty, F there `unit` times smaller. */
static void check_against(const struct data *data, const struct data *by_hand, long double unit,
                          const struct setup *setup, const char *what, double value) {
    int is_quadratic = strcmp(setup->loss, "squared") == 0 || strcmp(setup->loss, "l2") == 0;
    struct answer answer = solve(data, setup);
    struct setup plain = {setup->loss, setup->intercept, 0, 0};
    long double best =
        is_quadratic ? best_least_squares(data, setup->loss, setup->intercept) : unit * solve(by_hand, &plain).F;
    check(data, setup, &answer, best, 1e-12L * unit, what, value);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

enum { LOSSES = 5, ALL = 7 }; /* the last two have a unit of their own */
static const char *const losses[ALL] = {"squared", "l2", "l1", "quantile", "linf", "epsilon", "hinge"};

/* Labels for hinge: whether b is above its first entry. */
static void set_labels(const char *loss, struct data *data, struct data *by_hand) {
    double first = data->b[0];
    for (int64_t i = 0; strcmp(loss, "hinge") == 0 && i < data->m; i++)
        data->b[i] = by_hand->b[i] = data->b[i] > first ? 1 : -1;
}

/* The data less their means, exactly: entries that lie close together lose nothing. */
static struct data centred(const struct data *data) {
    struct data out = *data;
    for (int64_t j = 0; j < data->n; j++)
        shift_column(&out, j, -data->A[j * data->m]);
    change_target(&out, 1, -data->b[0]);
    return out;
}

/* As reported: F = 147.5 was called optimal where 13.57 is. */
static void large_means_as_reported(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int loss = 0; loss < ALL; loss++) {
            struct data data = plain_data(40, 8, 3, seed), by_hand;
            for (int64_t j = 0; j < data.n; j++)
                shift_column(&data, j, 1e5);
            change_target(&data, 1, 1e8 + 2e5);
            by_hand = centred(&data);
            set_labels(losses[loss], &data, &by_hand);
            check_against(&data, &by_hand, 1, &(struct setup){losses[loss], 1, 0, 0}, "seed", (double)seed);
        }
}

static void means_far_above_the_spread(void **state) {
    (void)state;
    PLAIN_ONLY();
    for (double ratio = 1e3; ratio <= 1e12; ratio *= 10)
        for (int variant = 0; variant < 8; variant++) {
            struct data data = plain_data(40, 8, 3, (uint64_t)variant + 10), by_hand;
            for (int64_t j = 0; j < data.n; j++) /* of both signs, and in variants 4 to 7 some columns only */
                if (variant < 4 || j % 3 == 1)
                    shift_column(&data, j, j % 2 == 0 ? ratio : -ratio / 3);
            if (variant % 2 == 0)
                change_target(&data, 1, -ratio);
            by_hand = centred(&data);
            for (int loss = 0; loss < ALL; loss++) {
                set_labels(losses[loss], &data, &by_hand); /* hinge is the last */
                check_against(&data, &by_hand, 1, &(struct setup){losses[loss], 1, variant & 1, variant >> 1 & 1},
                              "ratio", ratio);
            }
        }
}

/* Spread and mean in units far from 1. */
static void means_in_other_units(void **state) {
    (void)state;
    const double units[] = {0x1p-830, 0x1p-530, 0x1p-17, 0x1p17, 0x1p530, 0x1p830}; /* they round nothing */
    for (int unit = 0; unit < 6; unit++)
        for (int loss = 0; loss < LOSSES; loss++) {
            struct data data = plain_data(40, 8, 3, 20), by_hand;
            for (int64_t j = 0; j < data.n; j++)
                shift_column(&data, j, j % 2 == 0 ? 1e8 : 3);
            by_hand = centred(&data);
            for (int64_t j = 0; j < data.n; j++)
                scale_column(&data, j, units[unit]);
            check_against(&data, &by_hand, 1, &(struct setup){losses[loss], 1, unit & 1, 0}, "unit", units[unit]);
        }
}

static void units_of_columns(void **state) {
    (void)state;
    PLAIN_ONLY();
    const double units[] = {1e-300, 1e-250, 1e-200, 1e-160, 1e-5, 1e5, 1e160, 1e200, 1e250, 1e300};
    for (int unit = 0; unit < 10; unit++)
        for (int variant = 0; variant < 8; variant++)
            for (int loss = 0; loss < LOSSES; loss++) {
                struct data data = plain_data(30, 8, 3, (uint64_t)variant + 30), by_hand = data;
                for (int64_t j = 0; j < data.n; j++) /* all of them, or every third */
                    if (variant < 4 || j % 3 == 1)
                        scale_column(&data, j, units[unit]);
                check_against(&data, &by_hand, 1,
                              &(struct setup){losses[loss], variant & 1, variant >> 1 & 1, variant & 1}, "unit",
                              units[unit]);
            }
}

/* Columns of every size at once. */
static void units_that_differ_by_column(void **state) {
    (void)state;
    for (int variant = 0; variant < 8; variant++)
        for (int loss = 0; loss < LOSSES; loss++) {
            struct data data = plain_data(30, 8, 3, (uint64_t)variant + 50), by_hand = data;
            for (int64_t j = 0; j < data.n; j++)
                scale_column(&data, j, pow(10, (double)(j - 4) * (variant < 4 ? 60 : 14)));
            check_against(&data, &by_hand, 1, &(struct setup){losses[loss], variant & 1, variant >> 1 & 1, variant & 1},
                          "variant", variant);
        }
}

static void units_of_the_target(void **state) {
    (void)state;
    const double units[] = {1e-250, 1e-160, 1e-140, 1e-5, 1e5, 1e140, 1e160, 1e250};
    for (int unit = 0; unit < 8; unit++)
        for (int variant = 0; variant < 4; variant++)
            for (int loss = 0; loss < LOSSES; loss++) {
                struct data data = plain_data(30, 8, 3, (uint64_t)variant + 40), by_hand = data;
                long double size = units[unit];
                int is_squared = strcmp(losses[loss], "squared") == 0;
                change_target(&data, units[unit], 0);
                for (int64_t j = 0; variant < 2 && j < data.n; j++) /* with the columns in the same unit, or not */
                    scale_column(&data, j, units[unit]);
                if (is_squared && fabs(log10(units[unit])) > 150)
                    continue; /* refused: see below */
                check_against(&data, &by_hand, is_squared ? size * size : size,
                              &(struct setup){losses[loss], variant & 1, variant & 1, 0}, "unit", units[unit]);
            }
}

static void check_refused(const struct data *data, const char *loss, const char *part, const char *other) {
    struct answer answer;
    spgm_status status;
    for (int intercept = 0; intercept < 2; intercept++) {
        assert_int_equal(run(data, &(struct setup){loss, intercept, 0, 0}, &answer, &status), SPGM_ERROR_DATA);
        if (strstr(status.message, part) == NULL || strstr(status.message, other) == NULL)
            fail_msg("'%s' and '%s' are not in: %s", part, other, status.message);
    }
}

static void what_doubles_cannot_hold_is_refused(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct data data = plain_data(20, 5, 2, 60);
        change_target(&data, pow(10, 200 * sign), 0); /* F = 1e400, 1e-400 */
        check_refused(&data, "squared", "target", "rescale");
        data = plain_data(20, 5, 2, 61);
        change_target(&data, pow(10, 200 * sign), 0); /* a coefficient of 1e400, 1e-400 */
        scale_column(&data, 3, pow(10, -200 * sign));
        check_refused(&data, "l1", "column 4", "rescale");
    }
}

static void duplicates_and_constants(void **state) {
    (void)state;
    PLAIN_ONLY();
    for (int variant = 0; variant < 8; variant++)
        for (int loss = 0; loss < LOSSES; loss++) {
            struct data data = plain_data(30, 9, 4, (uint64_t)variant + 70), by_hand;
            double mean = variant & 1 ? 1e9 : 0.1;
            for (int64_t i = 0; i < data.m; i++) {
                data.A[i + 5 * data.m] = data.A[i];
                data.A[i + 6 * data.m] = data.A[i + data.m];
                data.A[i + 3 * data.m] = 0;
                data.A[i + 7 * data.m] = 0;
            }
            for (int64_t j = 0; j < data.n; j++)
                shift_column(&data, j, j == 2 ? 0 : mean);
            shift_column(&data, 7, 0.1);
            by_hand = centred(&data);
            check_against(&data, &by_hand, 1, &(struct setup){losses[loss], 1, variant >> 1 & 1, variant >> 2 & 1},
                          "variant", variant);
            struct answer answer = solve(&data, &(struct setup){losses[loss], 1, 0, 0});
            assert_true(answer.x[3] == 0 && answer.x[7] == 0); /* the intercept is as good */
        }
}

static void constant_target(void **state) {
    (void)state;
    for (int loss = 0; loss < LOSSES; loss++) {
        struct data data = plain_data(12, 4, 2, 80);
        change_target(&data, 0, 1e10 / 3);
        struct answer answer = solve(&data, &(struct setup){losses[loss], 1, 0, 0});
        assert_true(answer.F == 0 && answer.info.objective == 0 && answer.intercept == data.b[0]);
    }
}

static void few_rows(void **state) {
    (void)state;
    for (int64_t m = 1; m <= 4; m++)
        for (int variant = 0; variant < 4; variant++)
            for (int loss = 0; loss < LOSSES; loss++) {
                struct data data = plain_data(m, 6, 4, (uint64_t)(10 * m) + 90);
                double size = variant & 1 ? 1e9 : 1;
                for (int64_t j = 0; j < data.n; j++)
                    shift_column(&data, j, variant & 1 ? 1e9 : 0);
                change_target(&data, 1, variant & 1 ? -1e9 : 0);
                struct setup setup = {losses[loss], 1, variant >> 1, 0};
                struct answer answer = solve(&data, &setup); /* m <= s + 1 rows can be met */
                check(&data, &setup, &answer, 0, 1e-13L * size, "rows", (double)m);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_means_as_reported),
        cmocka_unit_test(means_far_above_the_spread),
        cmocka_unit_test(means_in_other_units),
        cmocka_unit_test(units_of_columns),
        cmocka_unit_test(units_that_differ_by_column),
        cmocka_unit_test(units_of_the_target),
        cmocka_unit_test(what_doubles_cannot_hold_is_refused),
        cmocka_unit_test(duplicates_and_constants),
        cmocka_unit_test(constant_target),
        cmocka_unit_test(few_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
