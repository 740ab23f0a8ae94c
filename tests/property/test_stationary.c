/*
 * spgm_problem_stationary against definitions written out here, and the hierarchy of the paper (Proposition 1): on
 * small random problems every support is fitted, so that it is known which of them are block-k stationary and which is
 * best.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "share.h"
#include "spgm/spgm.h"

enum { ROWS = 20, COLUMNS = 7, SUPPORTS = 1 << COLUMNS, LOSSES = 10, LARGEST = 5 };
static const char *const losses[LOSSES] = {"l1",      "quantile", "hinge", "epsilon",  "linf",
                                           "squared", "l2",       "huber", "logistic", "squared_hinge"};
static const double same = 1e-6, unclear = 1e-5; /* of F: the tolerance promised, and what a test cannot judge */

struct sample {
    const char *loss;
    int64_t m, s, group[COLUMNS], limit;
    int has_groups, has_bounds;
    double A[ROWS * COLUMNS], b[ROWS];
    spgm_matrix matrix;
    spgm_options *options;
    spgm_problem *problem;
    double F[SUPPORTS]; /* the minimum over each support; INFINITY: not allowed */
    double x[SUPPORTS][COLUMNS], intercept[SUPPORTS];
    double best;
};

static uint64_t state_of_draw;

static double draw(void) {
    state_of_draw = state_of_draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state_of_draw >> 11) * 0x1p-53;
}

static double normal(void) {
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        sum += draw();
    }
    return sum;
}

static void must(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fail_msg("%s", status->message);
    }
}

static void set(struct sample *p, const char *name, const char *value) {
    spgm_status status;

    must(spgm_options_set(p->options, name, value, &status), &status);
}

static void draw_data(struct sample *p) {
    int has_labels = strstr("hinge logistic squared_hinge", p->loss) != NULL;

    for (int64_t k = 0; k < p->m * COLUMNS; k++) {
        p->A[k] = normal() + (k >= p->m ? 0.6 * p->A[k - p->m] : 0); /* neighbours are alike */
    }
    for (int64_t i = 0; i < p->m; i++) {
        double sum = 0.7 * normal();

        for (int64_t j = 0; j < COLUMNS; j += 2) {
            sum += p->A[i + j * p->m] * (j == 2 ? -1 : 1);
        }
        p->b[i] = !has_labels ? sum : sum > 0 || i == 0 ? 1 : -1;
        p->b[i] = has_labels && i % 5 == 1 ? -p->b[i] : p->b[i];
    }
}

/* F over the support alone, by the method that does just that. */
static void fit_support(struct sample *p, int mask) {
    double start[COLUMNS];
    spgm_solver *solver = NULL;
    spgm_status status;

    for (int j = 0; j < COLUMNS; j++) {
        start[j] = mask >> j & 1 ? (p->has_bounds ? 0.1 : 1) : 0;
    }
    p->F[mask] = INFINITY;
    if (spgm_problem_check(p->problem, start, p->s, NULL, NULL) != SPGM_OK) {
        return;
    }
    must(spgm_solver_new(p->problem, p->s, p->options, &solver, &status), &status);
    must(spgm_solver_set_start(solver, start, 0, &status), &status);
    must(spgm_solver_run(solver, &status), &status);
    spgm_solver_get_x(solver, p->x[mask], &p->intercept[mask]);
    p->F[mask] = spgm_solver_get_info(solver).objective;
    p->best = fmin(p->best, p->F[mask]);
    spgm_solver_free(solver);
}

static struct sample *sample_new(int seed) {
    struct sample *p = calloc(1, sizeof *p);
    double low[COLUMNS], high[COLUMNS];
    spgm_status status;

    assert_non_null(p);
    state_of_draw = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    p->loss = losses[seed % LOSSES];
    p->m = 12 + seed % 9;
    p->s = 2 + (seed / LOSSES) % 3;
    p->has_groups = (seed / LOSSES) % 4 == 3;
    p->limit = (seed / 40) % 2;
    p->has_bounds = (seed / LOSSES) % 5 == 4;
    p->best = INFINITY;
    draw_data(p);
    p->options = spgm_options_new();
    set(p, "loss", p->loss);
    set(p, "method", "polish");
    set(p, "threads", "1");
    set(p, "ridge", seed % 3 == 0 ? "0.2" : strstr("logistic squared_hinge hinge", p->loss) ? "0.05" : "0");
    p->matrix = spgm_dense(p->m, COLUMNS, p->A);
    must(spgm_problem_new(&p->matrix, p->b, p->options, &p->problem, &status), &status);
    for (int j = 0; j < COLUMNS; j++) {
        p->group[j] = j / 2;
        low[j] = -0.1 - draw();
        high[j] = 0.1 + draw();
    }
    if (p->has_groups) {
        must(spgm_problem_set_groups(p->problem, p->group, p->limit, &status), &status);
    }
    if (p->has_bounds) {
        must(spgm_problem_set_bounds(p->problem, low, high, &status), &status);
    }
    for (int mask = 0; mask < SUPPORTS; mask++) {
        fit_support(p, mask);
    }
    return p;
}

static void sample_free(struct sample *p) {
    spgm_problem_free(p->problem);
    spgm_options_free(p->options);
    free(p);
}

/* ---- the definitions ------------------------------------------------------------------------------------------ */

static int count_units(const struct sample *p, int mask) {
    int count = 0, seen = 0;

    for (int j = 0; j < COLUMNS; j++) {
        int unit = p->has_groups && p->limit == 0 ? (int)p->group[j] : j;

        if (mask >> j & 1 && !(seen >> unit & 1)) {
            seen |= 1 << unit;
            count++;
        }
    }
    return count;
}

/* All columns of the units that the support has. */
static int whole_units(const struct sample *p, int mask) {
    int whole = mask;

    for (int j = 0; j < COLUMNS && p->has_groups && p->limit == 0; j++) {
        for (int l = 0; l < COLUMNS; l++) {
            whole |= p->group[j] == p->group[l] && mask >> l & 1 ? 1 << j : 0;
        }
    }
    return whole;
}

/* The lowest F over the supports that differ from this one in at most k units. */
static double lowest_within(const struct sample *p, int mask, int k) {
    double lowest = p->F[mask];

    for (int other = 0; other < SUPPORTS; other++) {
        int a = whole_units(p, mask), b = whole_units(p, other);

        if (count_units(p, a & ~b) + count_units(p, b & ~a) <= k) {
            lowest = fmin(lowest, p->F[other]);
        }
    }
    return lowest;
}

static int support_of(const double *x) {
    int mask = 0;

    for (int j = 0; j < COLUMNS; j++) {
        mask |= x[j] != 0 ? 1 << j : 0;
    }
    return mask;
}

static spgm_stationarity measure(const struct sample *p, const double *x, double intercept, int k) {
    spgm_stationarity result;
    spgm_status status;

    must(spgm_problem_stationary(p->problem, x, intercept, p->s, k, p->options, &result, NULL, NULL, &status), &status);
    return result;
}

/* ---- tests ------------------------------------------------------------------------------------------ */

struct tally {
    int points, lipschitz, weaker_than_lipschitz, block[LARGEST + 1], weaker_than_block, weaker_than_optimal;
};

/* Every verdict on the fit over one support, and that each implies the next. */
static void check_point(const struct sample *p, int mask, struct tally *tally) {
    double F = p->F[mask], tolerance = same * F;
    int is_optimal = F <= p->best + tolerance, was_block = 1, at = support_of(p->x[mask]), is_lipschitz = 0;

    if (at != mask) { /* the fit has zeros: the point of a smaller support */
        return;
    }
    tally->points++;
    for (int k = 1; k <= LARGEST; k++) {
        spgm_stationarity r = measure(p, p->x[mask], p->intercept[mask], k);
        double lowest = lowest_within(p, mask, k);

        assert_true(r.is_basic);
        assert_true(r.support_bound <= F * (1 + 1e-9) && r.support_bound >= F * (1 - 1e-5));
        assert_false(r.is_sampled || r.is_stopped);
        assert_true(r.lowest >= p->best * (1 - 1e-7));
        if (fabs(F - lowest - tolerance) > unclear * F) {
            if (r.is_block != (F <= lowest + tolerance)) {
                fail_msg("%s, support %x, s = %d: block-%d is %d, F = %.10g, lowest %.10g (%.10g)", p->loss,
                         (unsigned)mask, (int)p->s, k, r.is_block, F, lowest, r.lowest);
            }
        }
        assert_true(!is_optimal || r.is_block);        /* optimal => block-k */
        assert_true(!r.is_block || was_block);         /* block-(k+1) => block-k */
        assert_true(!r.is_block || r.is_basic);        /* block-k => basic */
        if (k >= 2 && r.is_block && !r.is_lipschitz) { /* block-k => Lipschitz */
            fail_msg("%s, support %x, s = %d: block-%d and not Lipschitz at mu = %g (largest %g)", p->loss,
                     (unsigned)mask, (int)p->s, k, r.mu, r.largest_mu);
        }
        assert_true(!r.is_lipschitz || r.largest_mu >= 0.999 * r.mu);
        was_block = r.is_block;
        is_lipschitz = r.is_lipschitz;
        tally->block[k] += r.is_block;
        tally->weaker_than_block += k == 2 && r.is_lipschitz && !r.is_block;
        tally->weaker_than_optimal += k == 2 && r.is_block && !is_optimal;
    }
    tally->lipschitz += is_lipschitz;
    tally->weaker_than_lipschitz += !is_lipschitz;
}

static void hierarchy(void **state) {
    struct tally tally = {0};

    (void)state;
    for (int seed = 0; seed < SHARE(80, 30); seed++) {
        struct sample *p = sample_new(seed);

        for (int mask = 1; mask < SUPPORTS; mask += 3 + seed % 4) {
            if (isfinite(p->F[mask])) {
                check_point(p, mask, &tally);
            }
        }
        sample_free(p);
    }
    assert_true(tally.points > SHARE(300, 100));
    /* every inclusion is strict: what is weaker than the next was found */
    assert_true(tally.weaker_than_lipschitz > 0);
    assert_true(tally.weaker_than_block > 0);
    assert_true(tally.weaker_than_optimal > 0);
    assert_true(tally.block[1] > tally.block[2] && tally.block[2] > tally.block[4]);
}

/* A point beside the minimum over its support is not basic, and nothing else either. */
static void not_basic(void **state) {
    (void)state;
    for (int seed = 0; seed < 2 * LOSSES; seed++) {
        struct sample *p = sample_new(seed);
        double x[COLUMNS];
        spgm_stationarity r;

        memcpy(x, p->x[3], sizeof x);
        x[0] += 0.5;
        r = measure(p, x, p->intercept[3], 2);
        if (r.is_basic || r.is_lipschitz || r.is_block || r.largest_mu != 0) {
            fail_msg("%s, seed %d: F = %.10g, %.10g over the support: basic %d, Lipschitz %d, block-2 %d", p->loss,
                     seed, r.objective, r.support_minimum, r.is_basic, r.is_lipschitz, r.is_block);
        }
        assert_true(fabs(r.support_minimum - p->F[3]) <= 1e-6 * p->F[3]);
        sample_free(p);
    }
}

/* |r_j| <= H min |x_S| with H = ||A||^2 / mu + ridge + theta, for the squared loss, where r is plain. */
static void lipschitz_by_formula(void **state) {
    int verdicts[2] = {0, 0};

    (void)state;
    for (int seed = 5; seed < 100; seed += LOSSES) {
        struct sample *p = sample_new(seed);
        double v[COLUMNS], ridge = seed % 3 == 0 ? 0.2 : 0, norm = 0;
        spgm_status status;

        assert_string_equal(p->loss, "squared");
        spgm_problem_free(p->problem);
        p->has_groups = p->has_bounds = 0;
        p->s = 3;
        set(p, "intercept", "false");
        must(spgm_problem_new(&p->matrix, p->b, p->options, &p->problem, &status), &status);
        for (int j = 0; j < COLUMNS; j++) {
            v[j] = 1;
        }
        for (int step = 0; step < 500; step++) {
            double u[ROWS] = {0}, w[COLUMNS] = {0}, length = 0;

            for (int64_t i = 0; i < p->m; i++) {
                for (int j = 0; j < COLUMNS; j++) {
                    u[i] += p->A[i + j * p->m] * v[j];
                }
            }
            for (int j = 0; j < COLUMNS; j++) {
                for (int64_t i = 0; i < p->m; i++) {
                    w[j] += p->A[i + j * p->m] * u[i];
                }
                length += w[j] * w[j];
            }
            norm = sqrt(sqrt(length));
            for (int j = 0; j < COLUMNS; j++) {
                v[j] = w[j] / sqrt(length);
            }
        }
        for (int mask = 7; mask < SUPPORTS; mask++) {
            double least = INFINITY, most = 0, mu, H;
            spgm_stationarity r;

            fit_support(p, mask);
            if (!isfinite(p->F[mask]) || count_units(p, mask) != 3) {
                continue;
            }
            for (int j = 0; j < COLUMNS; j++) {
                double slope = 0;

                for (int64_t i = 0; i < p->m; i++) {
                    double residual = -p->b[i];

                    for (int l = 0; l < COLUMNS; l++) {
                        residual += p->A[i + l * p->m] * p->x[mask][l];
                    }
                    slope += p->A[i + j * p->m] * residual;
                }
                if (mask >> j & 1) {
                    least = fmin(least, fabs(p->x[mask][j]));
                } else {
                    most = fmax(most, fabs(slope));
                }
            }
            mu = norm * norm / fmax(most / least - ridge - 1e-3, 1e-9); /* H at which it is just so */
            H = norm * norm / mu + ridge + 1e-3;
            for (int side = 0; side < 2 && most > (ridge + 1e-3) * least; side++) {
                char text[40];

                snprintf(text, sizeof text, "%.17g", mu * (side ? 1.05 : 0.98));
                set(p, "mu_start", text);
                r = measure(p, p->x[mask], 0, 0);
                verdicts[side]++;
                assert_int_equal(r.is_lipschitz, !side);
                assert_true(r.largest_mu > 0.98 * mu && r.largest_mu < 1.05 * mu && H > 0);
            }
            set(p, "mu_start", "0");
        }
        sample_free(p);
    }
    assert_true(verdicts[0] > 50 && verdicts[1] > 50);
}

/* Too many to try them all: as many as are affordable, the same for the same seed; and what is wrong is said. */
static void sampled_and_refused(void **state) {
    enum { MANY = 400 };
    struct sample *p = sample_new(0);
    double *A = malloc(ROWS * MANY * sizeof *A), *x = calloc(MANY, sizeof *x), *better = malloc(MANY * sizeof *better);
    double b[ROWS];
    spgm_matrix matrix = spgm_dense(ROWS, MANY, A);
    spgm_problem *problem;
    spgm_status status;
    spgm_stationarity one, two;
    double F, intercept;

    (void)state;
    assert_true(A != NULL && x != NULL && better != NULL);
    for (int k = 0; k < ROWS * MANY; k++) {
        A[k] = normal();
    }
    for (int i = 0; i < ROWS; i++) {
        b[i] = normal();
    }
    x[0] = x[7] = x[9] = 0.25;
    set(p, "time_limit", "0.2");
    must(spgm_problem_new(&matrix, b, p->options, &problem, &status), &status);
    must(spgm_problem_stationary(problem, x, 0.5, 3, 6, p->options, &one, better, &intercept, &status), &status);
    assert_true(one.is_sampled && one.changes > 0 && (double)one.changes < one.all_changes && !one.is_basic);
    must(spgm_problem_evaluate(problem, better, intercept, &F, NULL, NULL, &status), &status);
    assert_true(fabs(F - one.lowest) <= 1e-7 * F && F < one.support_minimum);
    must(spgm_problem_check(problem, better, 3, NULL, &status), &status);
    set(p, "time_limit", "inf");
    must(spgm_problem_stationary(problem, x, 0.5, 3, 1, p->options, &one, NULL, NULL, &status), &status);
    must(spgm_problem_stationary(problem, x, 0.5, 3, 1, NULL, &two, NULL, NULL, &status), &status);
    assert_true(one.lowest == two.lowest && one.changes == two.changes);
    assert_int_equal(spgm_problem_stationary(problem, x, 0, 2, 1, NULL, &one, NULL, NULL, &status), SPGM_ERROR_DATA);
    assert_int_equal(spgm_problem_stationary(problem, x, 0, 3, 9, NULL, &one, NULL, NULL, &status),
                     SPGM_ERROR_ARGUMENT);
    spgm_problem_free(problem);
    free(A);
    free(x);
    free(better);
    sample_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hierarchy),
        cmocka_unit_test(not_basic),
        cmocka_unit_test(lipschitz_by_formula),
        cmocka_unit_test(sampled_and_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
