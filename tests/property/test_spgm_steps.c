/*
 * Every step of both methods against the paper, along real runs: all losses, schedules of mu and kinds of f. Each
 * number is recomputed from the raw data by spgm_fixture.h.
 */
#include "spgm_fixture.h"

static const char *const schedules[] = {"halving", "constant", "diminishing"};
static const char *const bounds[] = {"norm", "adaptive"};

/* (x^t, y^t) and mu^{t-1} as the test sees them. */
struct seen {
    double x[MOST], y[MOST], mu, J;
    char label[160];
};

static double raw_mu(const struct fixture *f, const char *schedule, double start, int64_t t) {
    if (strcmp(schedule, "halving") == 0)
        return start * pow(0.5, floor((double)(t - 1) / (double)f->options->mu_period));
    return strcmp(schedule, "constant") == 0 ? start : start * 2 / ((double)t + 1);
}

/* The smallest mu with h(P_mu(-b)) = 0, by bisection. */
static double raw_mu_start(const struct fixture *f) {
    double low = 0, high = 1e6, c[MOST], y[MOST];
    for (int64_t i = 0; i < f->m; i++)
        c[i] = -f->b[i];
    for (int step = 0; step < 200; step++) {
        double mu = (low + high) / 2;
        raw_prox(f, mu, c, y);
        *(raw_h(f, y) > 1e-12 * mu ? &low : &high) = mu;
    }
    return high;
}

/* What holds at every point: F, J, ||A x - y - b|| as reported, y = P_mu(A x - b), Lemma 2(a), Lemma 3(a), feasibility.
 */
static void check_point(const struct fixture *f, const struct smoothing *state, struct seen *seen, double mu) {
    double c[MOST], F, h, gap, lipschitz = raw_lipschitz_square(f);
    double scale, *x = state->point.x;
    raw_residual(f, x, c);
    raw_prox(f, mu, c, seen->y);
    memcpy(seen->x, x, (size_t)f->N * sizeof *x);
    F = raw_F(f, x);
    h = raw_h(f, seen->y);
    seen->mu = mu;
    seen->J = raw_R(f, x, seen->y, mu) + h;
    scale = 1 + fabs(F);
    gap = distance(f->m, c, seen->y);
    assert_near(state->mu, mu, 1e-12 * mu, "%s", seen->label);
    assert_near(state->iteration.mu, mu, 1e-12 * mu, "%s", seen->label);
    assert_near(state->iteration.objective, F, 1e-10 * scale, "%s", seen->label);
    assert_near(state->iteration.penalised, seen->J, 1e-9 * scale, "%s", seen->label);
    assert_near(state->iteration.infeasibility, gap, 1e-9 * (gap + 1e-6 * scale), "%s", seen->label);
    for (int64_t i = 0; i < f->m; i++)
        assert_near(state->d[i], c[i] - seen->y[i], 1e-11 * scale, "%s row %d", seen->label, (int)i);
    assert_at_most(F - mu * lipschitz / 2, seen->J + 1e-11 * scale, "%s Lemma 2(a)", seen->label);
    assert_at_most(seen->J, F + 1e-11 * scale, "%s Lemma 2(a)", seen->label);
    assert_at_most(state->iteration.infeasibility, sqrt(lipschitz) * mu * (1 + 1e-12), "%s Lemma 3(a)", seen->label);
    assert_true(raw_count(f, x) <= f->s);
    assert_int_equal(state->iteration.support, raw_count(f, x));
}

/* Theorem 1(a), and the two sharper inequalities that its proof adds up. theta is that of the x-step. */
static void check_decrease(const struct fixture *f, const struct seen *old, const struct seen *new, double theta,
                           double mu1) {
    double mu = new->mu, step = distance(f->N, old->x, new->x), move = distance(f->m, old->y, new->y);
    double J_old = raw_R(f, old->x, old->y, mu) + raw_h(f, old->y); /* J(x^t, y^t; mu^t)     */
    double J_mid = raw_R(f, new->x, old->y, mu) + raw_h(f, old->y); /* J(x^{t+1}, y^t; mu^t) */
    double tolerance = 1e-10 * (1 + fabs(J_old));
    double psi = raw_lipschitz_square(f) / 2 * (old->mu * old->mu / mu - old->mu);
    assert_at_most(J_mid, J_old - theta / 2 * step * step + tolerance, "%s x-step", new->label);
    assert_at_most(new->J, J_mid - move * move / (2 * mu) + tolerance, "%s y-step", new->label);
    if (isfinite(psi))
        assert_at_most(theta / 2 * step * step + move * move / (2 * mu1), psi + old->J - new->J + tolerance,
                       "%s Theorem 1(a)", new->label);
}

/* x^{t+1} = Pi_s(x^t - r^t / H^t): the same majoriser value as the projection made by the test. */
static void check_threshold(const struct fixture *f, const struct iht *iht, const struct seen *old,
                            const struct seen *new, double M_s) {
    double r[MOST], best[MOST], value = 0, best_value = 0;
    double H = iht->A_s * iht->A_s / new->mu + M_s + f->options->theta;
    raw_gradient(f, old->x, old->y, new->mu, r);
    for (int64_t j = 0; j < f->N; j++)
        best[j] = old->x[j] - r[j] / H;
    raw_project(f, best);
    for (int64_t j = 0; j < f->N; j++) {
        double z = new->x[j] - old->x[j], u = best[j] - old->x[j];
        value += z * (H / 2 * z + r[j]);
        best_value += u * (H / 2 * u + r[j]);
    }
    assert_near(value, best_value, 1e-9 * (1 + fabs(best_value)), "%s eq. 5", new->label);
}

static void iht_along(enum variant variant, const char *loss, const char *schedule, const char *bound, uint64_t seed) {
    struct fixture *f = fixture_new(17, 11, 4, loss, variant, seed);
    struct iht iht;
    struct seen seen[2];
    double mu1, norm, M_s;
    fixture_option(f, "mu_schedule", schedule);
    fixture_option(f, "step_bound", bound);
    fixture_number(f, "mu_period", 4);
    fixture_number(f, "theta", 0.7);
    fixture_frame(f);
    random_start(f, 1, seed);
    iht_init(&iht, &f->run, &f->workspace);
    assert_false(f->workspace.failed);
    norm = raw_norm(f);
    M_s = raw_smoothness(f);
    assert_at_most(norm, iht.norm * (1 + 1e-9), "%s ||A||", loss);
    assert_at_most(iht.norm, norm * 1.1, "%s ||A||", loss);
    assert_at_most(M_s, iht.M_s * (1 + 1e-9), "%s M_s %s", loss, variant_names[variant]);
    assert_at_most(iht.M_s, 1e-9 + M_s * 1.15, "%s M_s %s", loss, variant_names[variant]);
    iht_start(&iht);
    mu1 = iht.base.mu;
    if (strcmp(loss, "squared") != 0)
        assert_near(mu1, raw_mu_start(f), 1e-6 * mu1, "%s mu^1", loss);
    snprintf(seen[1].label, sizeof seen[1].label, "iht %s %s %s %s start", loss, variant_names[variant], schedule,
             bound);
    check_point(f, &iht.base, &seen[1], mu1);
    for (int64_t t = 1; t <= 60; t++) {
        struct seen *old = &seen[t % 2], *new = &seen[(t + 1) % 2];
        iht_step(&iht);
        snprintf(new->label, sizeof new->label, "iht %s %s %s %s t=%d", loss, variant_names[variant], schedule, bound,
                 (int)t);
        check_point(f, &iht.base, new, raw_mu(f, schedule, mu1, t));
        assert_near(iht.base.iteration.step, distance(f->N, old->x, new->x), 1e-12, "%s", new->label);
        check_decrease(f, old, new, 0.7, mu1);
        check_threshold(f, &iht, old, new, iht.M_s);
        assert_at_most(iht.A_s, iht.norm, "%s", new->label);
    }
    fixture_free(f);
}

/* The block subproblem of this very iteration, by brute force over all subsets of the working set. */
static void check_block(const struct fixture *f, const struct bcd *bcd, const struct seen *old,
                        const struct seen *new) {
    double r[MOST], H[MOST * 4], g[MOST], x[MOST], value = 0, best;
    int mandatory[MOST], inside[MOST] = {0};
    int64_t k = bcd->k, outside = 0;
    raw_gradient(f, old->x, old->y, new->mu, r);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = bcd->B[i];
        inside[j]++;
        g[i] = r[j];
        x[i] = old->x[j];
        mandatory[i] = f->is_free[j];
        for (int64_t l = 0; l < k; l++)
            H[i + l * k] = raw_H(f, j, bcd->B[l], new->mu, f->options->theta1, f->options->theta2);
    }
    for (int64_t j = 0; j < f->N; j++) {
        assert_true(inside[j] <= 1);
        if (!inside[j]) {
            assert_true(new->x[j] == old->x[j]);
            outside += old->x[j] != 0 && !f->is_free[j];
        }
    }
    for (int64_t i = 0; i < k; i++) {
        double z = new->x[bcd->B[i]] - x[i];
        value += g[i] * z;
        for (int64_t l = 0; l < k; l++)
            value += z * H[i + l * k] * (new->x[bcd->B[l]] - x[l]) / 2;
    }
    best = raw_block_minimum(k, H, g, x, mandatory, f->s - outside, NULL);
    assert_near(value, best, 1e-9 * (1 + fabs(best)), "%s eq. 7", new->label);
}

/* The greedy half: of the support, the cheapest to drop; of the zeros, the best to free. Random ones were taken before.
 */
static void check_greedy(const struct fixture *f, const struct bcd *bcd, const struct seen *old,
                         const struct seen *new) {
    double r[MOST], drop = INFINITY, release = -1;
    int before[MOST] = {0};
    int64_t first = bcd->k - 2, cheapest = -1, strongest = -1;
    raw_gradient(f, old->x, old->y, new->mu, r);
    for (int64_t i = 0; i < first; i++)
        before[bcd->B[i]] = 1;
    for (int64_t j = 0; j < f->N; j++) {
        double H = raw_H(f, j, j, new->mu, f->options->theta1, f->options->theta2);
        double increase = H / 2 * old->x[j] * old->x[j] - r[j] * old->x[j];
        if (before[j] || f->is_free[j])
            continue;
        if (old->x[j] != 0 && increase < drop)
            drop = increase, cheapest = j;
        if (old->x[j] == 0 && r[j] * r[j] / H > release)
            release = r[j] * r[j] / H, strongest = j;
    }
    if (cheapest >= 0 && strongest >= 0) {
        assert_int_equal(bcd->B[first], cheapest);
        assert_int_equal(bcd->B[first + 1], strongest);
    }
}

static void bcd_along(enum variant variant, const char *loss, const char *schedule, int greedy, uint64_t seed) {
    struct fixture *f = fixture_new(17, 11, 4, loss, variant, seed);
    struct bcd bcd;
    struct seen seen[2];
    spgm_status status;
    double mu1;
    fixture_option(f, "mu_schedule", schedule);
    fixture_number(f, "mu_period", 4);
    fixture_number(f, "random_coordinates", 4);
    fixture_number(f, "greedy_coordinates", greedy);
    fixture_number(f, "theta1", 0.02);
    fixture_number(f, "theta2", 0.3);
    fixture_number(f, "refresh_period", 7);
    fixture_frame(f);
    random_start(f, 1, seed);
    check(bcd_init(&bcd, &f->run, &f->workspace, &status), &status);
    bcd_start(&bcd);
    mu1 = bcd.base.mu;
    snprintf(seen[1].label, sizeof seen[1].label, "bcd %s %s %s start", loss, variant_names[variant], schedule);
    check_point(f, &bcd.base, &seen[1], mu1);
    for (int64_t t = 1; t <= 60; t++) {
        struct seen *old = &seen[t % 2], *new = &seen[(t + 1) % 2];
        bcd_step(&bcd);
        snprintf(new->label, sizeof new->label, "bcd %s %s %s t=%d", loss, variant_names[variant], schedule, (int)t);
        check_point(f, &bcd.base, new, raw_mu(f, schedule, mu1, t));
        assert_near(bcd.base.iteration.step, distance(f->N, old->x, new->x), 1e-12, "%s", new->label);
        check_decrease(f, old, new, 0.02 / new->mu + 0.3, mu1);
        check_block(f, &bcd, old, new);
        if (greedy > 0)
            check_greedy(f, &bcd, old, new);
    }
    fixture_free(f);
}

static void test_iht_steps(void **unused) {
    (void)unused;
    for (int loss = 0; loss < LOSS_COUNT; loss++)
        for (int schedule = 0; schedule < 3; schedule++)
            for (int variant = 0; variant < VARIANTS; variant++) {
                struct fixture probe = {.loss = loss_names[loss]};
                if (variant == WEIGHTED && !is_separable(&probe))
                    continue;
                for (int bound = 0; bound < 2; bound++)
                    iht_along((enum variant)variant, loss_names[loss], schedules[schedule], bounds[bound],
                              (uint64_t)(100 * loss + 10 * schedule + variant));
            }
}

static void test_bcd_steps(void **unused) {
    (void)unused;
    for (int loss = 0; loss < LOSS_COUNT; loss++)
        for (int schedule = 0; schedule < 3; schedule++)
            for (int variant = 0; variant < VARIANTS; variant++) {
                struct fixture probe = {.loss = loss_names[loss]};
                if (variant == WEIGHTED && !is_separable(&probe))
                    continue;
                bcd_along((enum variant)variant, loss_names[loss], schedules[schedule], schedule == 1 ? 0 : 2,
                          (uint64_t)(100 * loss + 10 * schedule + variant));
            }
}

/* The adaptive bound must be smaller where that is safe, or it is of no use; and larger than the restricted norm. */
static void test_adaptive_bound_is_used(void **unused) {
    (void)unused;
    struct fixture *f = fixture_new(40, 60, 3, "l1", PLAIN, 5);
    struct iht iht;
    fixture_option(f, "step_bound", "adaptive");
    fixture_frame(f);
    random_start(f, 1, 5);
    iht_init(&iht, &f->run, &f->workspace);
    iht_start(&iht);
    for (int t = 0; t < 100; t++)
        iht_step(&iht);
    assert_at_most(iht.A_s, 0.9 * iht.norm, "adaptive");
    fixture_free(f);
}

/* A thousand iterations at the defaults: mu falls to 2^-99 of its start and nothing overflows or becomes NaN. */
static void test_tiny_mu(void **unused) {
    (void)unused;
    for (int loss = 0; loss < LOSS_COUNT; loss++) {
        struct fixture *f = fixture_new(17, 11, 4, loss_names[loss], INTERCEPT, 3);
        struct bcd bcd;
        struct iht iht;
        spgm_status status;
        double best_iht, best_bcd;
        fixture_frame(f);
        random_start(f, 1e-3, 3);
        iht_init(&iht, &f->run, &f->workspace);
        check(bcd_init(&bcd, &f->run, &f->workspace, &status), &status);
        iht_start(&iht);
        bcd_start(&bcd);
        for (int t = 1; t <= 5000; t++) {
            double mu_before = iht.base.mu;
            iht_step(&iht);
            bcd_step(&bcd);
            assert_true(iht.base.mu > 0 && iht.base.mu <= mu_before);
            assert_true(isfinite(iht.base.iteration.penalised) && isfinite(bcd.base.iteration.penalised));
            assert_true(isfinite(iht.base.iteration.step) && isfinite(bcd.base.iteration.step));
            if (t == 1000)
                assert_true(iht.base.mu < 1e-29 * mu_before * 1e30 && iht.base.mu < 1e-27);
        }
        best_iht = raw_F(f, iht.base.point.x);
        best_bcd = raw_F(f, bcd.base.point.x);
        assert_near(iht.base.iteration.objective, best_iht, 1e-10 * (1 + best_iht), "%s", loss_names[loss]);
        assert_near(bcd.base.iteration.objective, best_bcd, 1e-10 * (1 + best_bcd), "%s", loss_names[loss]);
        fixture_free(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iht_steps),
        cmocka_unit_test(test_bcd_steps),
        cmocka_unit_test(test_adaptive_bound_is_used),
        cmocka_unit_test(test_tiny_mu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
