/* Where the methods end: with constant mu a Lipschitz stationary point (IHT) and a block-k stationary point (BCD). */
#include "spgm_fixture.h"

/* R and r of (x, P_mu(A x - b)). */
static void at_end(const struct fixture *f, const double *x, double mu, double *y, double *r) {
    double c[MOST];
    raw_residual(f, x, c);
    raw_prox(f, mu, c, y);
    raw_gradient(f, x, y, mu, r);
}

/* Definition 2: x = Pi_s(x - r / H) and y = P_mu(A x - b). */
static void iht_ends(const char *loss, enum variant variant) {
    struct fixture *f = fixture_new(15, 10, 3, loss, variant, 21);
    struct iht iht;
    double y[MOST], r[MOST], best[MOST], H;
    fixture_option(f, "mu_schedule", "constant");
    fixture_number(f, "mu_start", 0.4);
    fixture_frame(f);
    random_start(f, 1, 4);
    iht_init(&iht, &f->run, &f->workspace);
    iht_start(&iht);
    for (int64_t t = 0, calm = 0; calm < 50; t++) {
        iht_step(&iht);
        calm = iht.base.iteration.step < 1e-12 ? calm + 1 : 0;
        assert_true(t < 1000000);
    }
    at_end(f, iht.base.point.x, 0.4, y, r);
    H = iht.norm * iht.norm / 0.4 + raw_smoothness(f) + f->options->theta;
    for (int64_t j = 0; j < f->N; j++)
        best[j] = iht.base.point.x[j] - r[j] / H;
    raw_project(f, best);
    assert_at_most(distance(f->N, best, iht.base.point.x), 1e-10, "%s %s: not Lipschitz stationary", loss,
                   variant_names[variant]);
    fixture_free(f);
}

/* The lowest value of the majoriser over all blocks of k columns that count, with the free ones in every block. */
static double best_block(const struct fixture *f, const double *x, int64_t k, double mu) {
    double y[MOST], r[MOST], lowest = 0;
    int64_t tried = 0;
    at_end(f, x, mu, y, r);
    for (uint32_t set = 0; set < (UINT32_C(1) << f->N); set++) {
        double H[MOST * 4], g[MOST], z[MOST];
        int mandatory[MOST];
        int64_t B[MOST], size = 0, counted = 0, outside = 0;
        for (int64_t j = 0; j < f->N; j++) {
            counted += !f->is_free[j] && (set >> j & 1);
            outside += !f->is_free[j] && !(set >> j & 1) && x[j] != 0;
            if (set >> j & 1)
                B[size++] = j;
        }
        if (counted != k || size != k + f->framed.free_count)
            continue;
        for (int64_t i = 0; i < size; i++) {
            g[i] = r[B[i]];
            z[i] = x[B[i]];
            mandatory[i] = f->is_free[B[i]];
            for (int64_t l = 0; l < size; l++)
                H[i + l * size] = raw_H(f, B[i], B[l], mu, f->options->theta1, f->options->theta2);
        }
        lowest = fmin(lowest, raw_block_minimum(size, H, g, z, mandatory, f->s - outside, NULL));
        tried++;
    }
    assert_true(tried >= 28); /* pairs of eight columns */
    return lowest;
}

/* Definition 3, tried on every block. */
static void bcd_ends(const char *loss, enum variant variant, int64_t n, int64_t random, int64_t greedy) {
    struct fixture *f = fixture_new(15, n, 4, loss, variant, 22);
    struct bcd bcd;
    spgm_status status;
    int64_t k = random + greedy;
    fixture_option(f, "mu_schedule", "constant");
    fixture_number(f, "mu_start", 0.4);
    fixture_number(f, "random_coordinates", (double)random);
    fixture_number(f, "greedy_coordinates", (double)greedy);
    fixture_frame(f);
    random_start(f, 1, 9);
    check(bcd_init(&bcd, &f->run, &f->workspace, &status), &status);
    bcd_start(&bcd);
    for (int64_t t = 0, calm = 0; calm < 8000; t++) { /* every block of 3 of 12 is drawn some 30 times */
        bcd_step(&bcd);
        calm = bcd.base.iteration.step < 1e-9 ? calm + 1 : 0;
        assert_true(t < 3000000);
    }
    assert_at_most(-best_block(f, bcd.base.point.x, k, 0.4), 1e-12 * (1 + bcd.base.iteration.objective),
                   "%s %s n=%d k=%d: a block improves", loss, variant_names[variant], (int)n, (int)k);
    fixture_free(f);
}

/* With the whole of x as the working set one step is the global minimum of the majoriser. */
static void bcd_whole(const char *loss, enum variant variant, int64_t n, int64_t s) {
    struct fixture *f = fixture_new(8, n, s, loss, variant, 23);
    struct bcd bcd;
    spgm_status status;
    double y[MOST], r[MOST], H[MOST * 4], z[MOST], value = 0, best;
    double mu;
    fixture_number(f, "random_coordinates", 12);
    fixture_number(f, "greedy_coordinates", 2);
    fixture_frame(f);
    random_start(f, 1, 2);
    check(bcd_init(&bcd, &f->run, &f->workspace, &status), &status);
    bcd_start(&bcd);
    mu = bcd.base.mu;
    at_end(f, f->run.x, mu, y, r);
    bcd_step(&bcd);
    for (int64_t i = 0; i < f->N; i++)
        for (int64_t l = 0; l < f->N; l++)
            H[i + l * f->N] = raw_H(f, i, l, mu, f->options->theta1, f->options->theta2);
    for (int64_t j = 0; j < f->N; j++)
        z[j] = bcd.base.point.x[j] - f->run.x[j];
    for (int64_t i = 0; i < f->N; i++) {
        value += r[i] * z[i];
        for (int64_t l = 0; l < f->N; l++)
            value += z[i] * H[i + l * f->N] * z[l] / 2;
    }
    best = raw_block_minimum(f->N, H, r, f->run.x, f->is_free, s, NULL);
    assert_near(value, best, 1e-9 * (1 + fabs(best)), "%s %s k=n s=%d", loss, variant_names[variant], (int)s);
    assert_true(raw_count(f, bcd.base.point.x) <= s);
    fixture_free(f);
}

static void test_iht_is_lipschitz_stationary(void **unused) {
    (void)unused;
    for (int loss = 0; loss < LOSS_COUNT; loss++) {
        iht_ends(loss_names[loss], PLAIN);
        iht_ends(loss_names[loss], INTERCEPT);
        iht_ends(loss_names[loss], QUADRATIC);
        iht_ends(loss_names[loss], LEAST_SQUARES);
    }
}

static void test_bcd_is_block_stationary(void **unused) {
    (void)unused;
    for (int loss = 0; loss < LOSS_COUNT; loss++) {
        bcd_ends(loss_names[loss], PLAIN, 12, 2, 0);
        bcd_ends(loss_names[loss], INTERCEPT, 10, 2, 0);
        bcd_ends(loss_names[loss], PLAIN, 12, 3, 0);
        bcd_ends(loss_names[loss], FREE, 10, 3, 0);
        bcd_ends(loss_names[loss], QUADRATIC, 10, 2, 1);
    }
}

static void test_whole_block_is_global(void **unused) {
    (void)unused;
    for (int64_t s = 0; s <= 10; s++) {
        bcd_whole("l1", PLAIN, 10, s);
        bcd_whole("linf", INTERCEPT, 9, s < 9 ? s : 9);
        bcd_whole("hinge", FREE, 10, s < 8 ? s : 8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iht_is_lipschitz_stationary),
        cmocka_unit_test(test_bcd_is_block_stationary),
        cmocka_unit_test(test_whole_block_is_global),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
