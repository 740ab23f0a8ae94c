/*
 * The theory of section 4 along whole runs, through the public interface: both variants, all three schedules of mu, the
 * rate to stationarity, and the four theorems on the way to a global optimum. Points come from spgm_solver_get_iterate;
 * every constant and every inequality is recomputed from the raw data by spgm_fixture.h.
 */
#include "spgm_fixture.h"

#include "share.h"

enum { M = 15, N = 8, S = 2, K = 3, LONGEST = 3000 };

static const char *const methods[] = {"spgm-iht", "spgm-bcd"};
static const char *const schedules[] = {"constant", "diminishing", "halving"};
static const char *const losses[] = {"l1", "linf", "hinge", "quantile"};

struct record {
    struct fixture *f;
    spgm_solver *solver;
    int64_t T;
    double x[LONGEST + 1][N], y[LONGEST + 1][M]; /* entry i: x^{i+1}, y^{i+1} = P_{mu^i}(A x^{i+1} - b) */
    double mu[LONGEST + 1], F[LONGEST + 1], J[LONGEST + 1];
    double said_F[LONGEST + 1], said_J[LONGEST + 1];
};

static int note(const spgm_progress *progress, void *context) {
    struct record *record = context;
    int64_t t = progress->iteration;
    double intercept = -1;
    assert_int_equal(spgm_solver_get_iterate(record->solver, record->x[t], &intercept), 1);
    assert_true(intercept == 0);
    record->mu[t] = progress->mu;
    record->said_F[t] = progress->objective;
    record->said_J[t] = progress->penalised;
    return 0;
}

/* A run from x1 that is not ended by the stopping rule. */
static void run_recorded(struct record *record, int variant, int schedule, const double *x1, int64_t T) {
    struct fixture *f = record->f;
    spgm_status status;
    double c[MOST], none[N];
    fixture_option(f, "method", methods[variant]);
    fixture_option(f, "mu_schedule", schedules[schedule]);
    fixture_option(f, "tuning", "plain");
    fixture_number(f, "random_coordinates", K);
    fixture_number(f, "greedy_coordinates", 0);
    fixture_number(f, "refresh_period", 1);
    fixture_number(f, "max_iterations", (double)T);
    fixture_number(f, "window", (double)T);
    fixture_number(f, "tolerance", 0);
    fixture_number(f, "threads", 1);
    check(spgm_solver_new(f->problem, f->s, f->options, &record->solver, &status), &status);
    check(spgm_solver_set_start(record->solver, x1, 0, &status), &status);
    spgm_solver_set_progress(record->solver, note, record);
    check(spgm_solver_run(record->solver, &status), &status);
    assert_int_equal(spgm_solver_get_iterate(record->solver, none, NULL), 0); /* only from a callback */
    assert_int_equal(spgm_solver_get_info(record->solver).iterations, T);
    memcpy(record->x[0], x1, sizeof record->x[0]);
    record->mu[0] = record->mu[1];
    record->T = T;
    for (int64_t i = 0; i <= T; i++) {
        raw_residual(f, record->x[i], c);
        raw_prox(f, record->mu[i], c, record->y[i]);
        record->F[i] = raw_F(f, record->x[i]);
        record->J[i] = raw_R(f, record->x[i], record->y[i], record->mu[i]) + raw_h(f, record->y[i]);
        assert_true(raw_count(f, record->x[i]) <= f->s);
        if (i > 0) {
            assert_near(record->said_F[i], record->F[i], 1e-9 * (1 + record->F[i]), "F");
            assert_near(record->said_J[i], record->J[i], 1e-9 * (1 + record->F[i]), "J");
        }
    }
    spgm_solver_free(record->solver);
}

/* The library's smoothing against the formulas, and Lemma lemma:lip:variable:mu: decreasing in mu, and Lipschitz. */
static void check_smoothing(const struct fixture *f, const double *x) {
    double y[M], expected[MOST], c[MOST], G, last = NAN, square = raw_lipschitz_square(f);
    spgm_status status;
    raw_residual(f, x, c);
    for (double mu = 64; mu > 1e-4; mu /= 2) {
        check(spgm_problem_smoothing(f->problem, x, 0, mu, &G, y, &status), &status);
        raw_prox(f, mu, c, expected);
        assert_near(distance(f->m, y, expected), 0, 1e-9 * (1 + raw_F(f, x)), "%s y", f->loss);
        assert_near(G, raw_R(f, x, expected, mu) + raw_h(f, expected), 1e-9 * (1 + raw_F(f, x)), "%s G", f->loss);
        if (!isnan(last)) { /* mu fell by mu */
            assert_at_most(last, G + 1e-12 * (1 + fabs(G)), "%s G rises with mu", f->loss);
            assert_at_most(G - last, mu * square / 2 + 1e-12 * (1 + fabs(G)), "%s G in mu", f->loss);
        }
        last = G;
    }
    assert_int_equal(spgm_problem_smoothing(f->problem, x, 0, 0, &G, y, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_problem_smoothing(f->problem, x, 0, NAN, NULL, NULL, &status), SPGM_ERROR_ARGUMENT);
    assert_non_null(strstr(status.message, "smoothing parameter"));
}

/* Lemma lemma:first:bound(b, c, d), and the lengths of the steps: lemma:iht:bound(a), lemma:bcd:bound(a). */
static void check_bounds(const struct record *record, int variant, double rise, double A_norm, double largest) {
    const struct fixture *f = record->f;
    double L_h = sqrt(raw_lipschitz_square(f)), L = f->ridge * largest + rise * L_h * A_norm;
    for (int64_t i = 0; i < record->T; i++) {
        double r[MOST], mu = record->mu[i + 1], before = record->mu[i];
        double dx = distance(N, record->x[i + 1], record->x[i]), dy = distance(M, record->y[i + 1], record->y[i]);
        double theta = variant == 0 ? f->options->theta : f->options->theta1 / mu + f->options->theta2;
        double H = (variant == 0 ? A_norm * A_norm / mu : 0) + f->ridge + theta, norm = 0;
        raw_gradient(f, record->x[i], record->y[i], mu, r);
        for (int64_t j = 0; j < N; j++)
            norm += r[j] * r[j];
        norm = sqrt(norm);
        assert_at_most(dy, A_norm * dx + 2 * L_h * before + 1e-9, "%s t=%d first:bound(b)", f->loss, (int)i + 1);
        assert_at_most(norm, L * (1 + 1e-6) + 1e-9, "%s t=%d first:bound(c)", f->loss, (int)i + 1);
        assert_at_most(H * dx, 2 * norm * (1 + 1e-6) + 1e-9, "%s t=%d length of the step", f->loss, (int)i + 1);
        for (int64_t j = 0; j < N; j++) /* epsilon^t */
            r[j] = (r[j] - f->ridge * record->x[i][j]) * mu * (1 / before - 1 / mu);
        norm = 0;
        for (int64_t j = 0; j < N; j++)
            norm += r[j] * r[j];
        assert_at_most(sqrt(norm), (before / mu - 1) * A_norm * L_h * (1 + 1e-6) + 1e-9, "%s t=%d first:bound(d)",
                       f->loss, (int)i + 1);
    }
}

/* Theorems theorem:convergence:iht and :bcd (b) and (c): sums, and min over T of the residual at most O(1/T). */
static void check_stationarity(const struct record *record, int variant, int schedule) {
    const struct fixture *f = record->f;
    double square = raw_lipschitz_square(f), mu1 = record->mu[1], sum = 0, least = INFINITY;
    double psi = schedule == 0 ? 0 : schedule == 1 ? 2 * mu1 * square : mu1 * square; /* eta = 2 mu^1 for t0 = 1 */
    double theta = variant == 0 ? f->options->theta : f->options->theta1 / mu1 + f->options->theta2;
    double raised = 0;
    for (int64_t i = 0; i < record->T; i++) {
        double dx = distance(N, record->x[i + 1], record->x[i]), dy = distance(M, record->y[i + 1], record->y[i]), C;
        raised += raw_R(f, record->x[i], record->y[i], record->mu[i + 1]) -
                  raw_R(f, record->x[i], record->y[i], record->mu[i]);
        sum += theta / 2 * dx * dx + dy * dy / (2 * mu1);
        least = fmin(least, dx * dx + dy * dy);
        C = record->J[0] - record->J[i + 1] + psi;
        assert_at_most(sum, C + 1e-8 * (1 + C), "%s %s %s T=%d (b)", f->loss, methods[variant], schedules[schedule],
                       (int)i + 1);
        assert_at_most(least, 2 * C / ((double)(i + 1) * fmin(theta, 1 / mu1)) + 1e-12, "%s %s %s T=%d (c)", f->loss,
                       methods[variant], schedules[schedule], (int)i + 1);
    }
    assert_at_most(raised, psi * (1 + 1e-6) + 1e-8, "%s %s sum of Psi", f->loss, schedules[schedule]);
}

static void test_every_run(void **unused) {
    (void)unused;
    struct record *record = calloc(1, sizeof *record);
    assert_non_null(record);
    for (int k = 0; k < 4 * 2 * 3; k++) {
        int variant = k / 3 % 2, schedule = k % 3;
        struct fixture *f = fixture_new(M, N, S, losses[k / 6], PLAIN, (uint64_t)(50 + k));
        double start[MOST] = {[1] = 1.5, [4] = -2}, largest = 0;
        record->f = f;
        fixture_number(f, "mu_start", schedule == 0 ? 0.1 : 1);
        fixture_number(f, "mu_period", 20);
        fixture_number(f, "theta", 0.7);
        fixture_number(f, "theta1", 0.5);
        fixture_number(f, "theta2", 0.3);
        fixture_frame(f);
        run_recorded(record, variant, schedule, start, 200);
        for (int64_t i = 0; i <= record->T; i++)
            largest = fmax(largest, distance(N, record->x[i], (double[N]){0}));
        check_smoothing(f, record->x[record->T]);
        check_bounds(record, variant, schedule == 0 ? 1 : 2, raw_norm(f), largest);
        check_stationarity(record, variant, schedule);
        fixture_free(f);
    }
    free(record);
}

/* ---- the way to the optimum ----------------------------------------------------------------------------------- */

/* The eigenvalues of (A'A)_BB over all |B| = K. */
static void block_eigenvalues(const struct fixture *f, double *low, double *high) {
    *low = INFINITY, *high = 0;
    for (uint32_t set = 0; set < (UINT32_C(1) << N); set++) {
        double G[K * K], v[K], w[K], value[2];
        int64_t B[N], size = 0;
        for (int64_t j = 0; j < N; j++)
            if (set >> j & 1)
                B[size++] = j;
        if (size != K)
            continue;
        for (int pass = 0; pass < 2; pass++) { /* the largest of G, then of (largest I - G) */
            uint64_t seed = 3;
            for (int64_t a = 0; a < K * K; a++) {
                double product = 0;
                for (int64_t i = 0; i < M; i++)
                    product += f->A[i + B[a % K] * M] * f->A[i + B[a / K] * M];
                G[a] = pass ? (a % K == a / K ? value[0] : 0) - product : product;
            }
            for (int64_t i = 0; i < K; i++)
                v[i] = draw_normal(&seed);
            for (int step = 0; step < 3000; step++) {
                double norm = 0;
                for (int64_t i = 0; i < K; i++) {
                    w[i] = 0;
                    for (int64_t j = 0; j < K; j++)
                        w[i] += G[i + j * K] * v[j];
                    norm += w[i] * w[i];
                }
                value[pass] = norm = sqrt(norm);
                for (int64_t i = 0; i < K; i++)
                    v[i] = w[i] / norm;
            }
        }
        *high = fmax(*high, value[0]);
        *low = fmin(*low, value[0] - value[1]);
    }
}

/* The global optimum: exact, and proven. */
static double find_optimum(struct fixture *f, double *x) {
    spgm_solver *solver;
    spgm_status status;
    double F;
    fixture_option(f, "method", "exact");
    check(spgm_solver_new(f->problem, f->s, f->options, &solver, &status), &status);
    check(spgm_solver_run(solver, &status), &status);
    assert_int_equal(spgm_solver_get_info(solver).outcome, SPGM_OPTIMAL);
    spgm_solver_get_x(solver, x, NULL);
    F = spgm_solver_get_info(solver).objective;
    assert_near(F, raw_F(f, x), 1e-9 * (1 + F), "the optimum");
    spgm_solver_free(solver);
    return F;
}

/* Theorems theorem:IHT:stepsize:* and theorem:DEC:stepsize:*; b = 0 leaves no error L_F ||x-bar||, and then the bound
 * K gamma^t as stated is wrong at t = 1 (its proof gives K gamma^t / (1 - gamma^t)). */
static void follow(struct record *record, int variant, int schedule, const char *loss, int is_zero) {
    struct fixture *f = fixture_new(M, N, S, loss, PLAIN, 7);
    double start[MOST] = {[0] = 1, [5] = -1.5}, optimum[N] = {0}, low, high, theta1, eta, mu, eps = 0.5;
    double F_mean[LONGEST + 1] = {0}, x_mean[LONGEST + 1] = {0}, F_star, largest = 0, V, L_h, norm;
    int64_t T = SHARE(LONGEST, 600), runs = variant == 0 ? 1 : 6;
    record->f = f;
    if (is_zero)
        memset(f->b, 0, sizeof f->b);
    f->ridge = V = 3;
    fixture_number(f, "ridge", V);
    fixture_frame(f);
    norm = raw_norm(f), L_h = sqrt(raw_lipschitz_square(f));
    block_eigenvalues(f, &low, &high);
    assert_at_most(high, norm * norm * (1 + 1e-9), "largest eigenvalue of a block");
    theta1 = fmax(0, (high - low * (1 + eps)) / eps);
    eta = (variant == 0 ? norm * norm : high + theta1) / V;
    mu = schedule == 0 ? 0.3 / (L_h * L_h) : eta / 2;
    F_star = find_optimum(f, optimum);
    fixture_number(f, "mu_start", mu);
    fixture_number(f, "mu_eta", eta);
    fixture_number(f, "mu_offset", 1);
    fixture_number(f, "theta1", theta1);
    for (int64_t run = 0; run < runs; run++) {
        double lowest = INFINITY;
        fixture_number(f, "seed", (double)(run + 1));
        run_recorded(record, variant, schedule, start, T);
        for (int64_t i = 0; i <= T; i++) {
            double far = distance(N, record->x[i], optimum);
            lowest = fmin(lowest, record->F[i]);
            F_mean[i] += (lowest - F_star) / (double)runs;
            x_mean[i] += far * far / (double)runs;
            largest = fmax(largest, distance(N, record->x[i], (double[N]){0}));
        }
    }
    double L_f = V * fmax(largest, distance(N, optimum, (double[N]){0})), L_F = L_f + L_h * norm;
    double L = schedule == 0 ? L_F : L_f + 2 * L_h * norm, far = distance(N, optimum, (double[N]){0});
    double error = (variant == 0 ? 1 : 3 + 2 * eps) * L * far, worst_as_stated = 0;
    double theta = variant == 0 ? f->options->theta : f->options->theta2;
    double square = variant == 0 ? norm * norm : high + theta1, H = square / mu + V + theta, gamma = 1 - V / H;
    double D = (variant == 0 ? 3 : 2) * L_F * L_F / square + L_h * L_h / 2;
    double K1 = V / 2 * x_mean[0] * (variant == 0 ? 1 : 1 + eps), K2 = H / 2 * x_mean[0];
    double D2 = (variant == 0 ? 3 : 2) * L * L / V + eta * L_h * L_h / 2 + 2 * L_F * L_h / V * norm;
    for (int64_t t = 1; t <= T; t++) {
        double power = pow(gamma, (double)t), logarithm = 1 + log((double)t);
        double shrinking = schedule == 0 ? K1 * power / (1 - power) + D * mu : (K2 + D2 * logarithm) / (double)t;
        double stated = schedule == 0 ? K1 * power + D * mu + error : shrinking + error;
        double later = schedule == 0 ? stated : (K2 + D2 * logarithm) / (double)(t + 1) + error;
        assert_at_most(F_mean[t - 1], shrinking + error, "%s %s %s t=%d F", loss, methods[variant], schedules[schedule],
                       (int)t);
        assert_at_most(x_mean[t], later * 2 / V, "%s %s %s t=%d x", loss, methods[variant], schedules[schedule],
                       (int)t);
        worst_as_stated = fmax(worst_as_stated, F_mean[t - 1] / stated);
    }
    if (!is_zero || schedule == 1)
        assert_at_most(worst_as_stated, 1, "%s %s %s as stated", loss, methods[variant], schedules[schedule]);
    if (is_zero)
        assert_at_most(F_mean[T], 0.8 * F_mean[0], "%s %s %s does not converge", loss, methods[variant],
                       schedules[schedule]);
    fixture_free(f);
}

static void test_way_to_the_optimum(void **unused) {
    (void)unused;
    struct record *record = calloc(1, sizeof *record);
    assert_non_null(record);
    for (int k = 0; k < 16; k++)
        follow(record, k % 2, k / 2 % 2, losses[k / 4 % 2], k / 8);
    free(record);
}

/* ---- what the paper leaves open --------------------------------------------------------------------------- */

struct first {
    spgm_solver *solver;
    double x[N], mu;
};

static int stop_at_once(const spgm_progress *progress, void *context) {
    struct first *first = context;
    first->mu = progress->mu;
    assert_int_equal(spgm_solver_get_iterate(first->solver, first->x, NULL), 1);
    return 1;
}

/* x^2 and mu^1 of a plain run. */
static struct first first_step(const char *method, int64_t s, const double *x1, double mu_scale, double step_scale) {
    struct first first = {0};
    struct fixture *f = fixture_new(M, N, s, "l1", PLAIN, 3);
    spgm_status status;
    fixture_option(f, "method", method);
    fixture_option(f, "tuning", "plain");
    fixture_number(f, "mu_scale", mu_scale);
    fixture_number(f, "step_scale", step_scale);
    fixture_frame(f);
    check(spgm_solver_new(f->problem, s, f->options, &first.solver, &status), &status);
    check(spgm_solver_set_start(first.solver, x1, 0, &status), &status);
    spgm_solver_set_progress(first.solver, stop_at_once, &first);
    check(spgm_solver_run(first.solver, &status), &status);
    spgm_solver_free(first.solver);
    if (strcmp(method, "spgm-iht") == 0) { /* x^2 = Pi_s(x^1 - r / H) */
        double c[MOST], y[MOST], r[MOST], best[MOST] = {0};
        double H = raw_norm(f) * raw_norm(f) / step_scale / first.mu + f->ridge + f->options->theta;
        raw_residual(f, x1, c);
        raw_prox(f, first.mu, c, y);
        raw_gradient(f, x1, y, first.mu, r);
        for (int64_t j = 0; j < N; j++)
            best[j] = x1[j] - r[j] / H;
        raw_project(f, best);
        assert_at_most(distance(N, best, first.x), 0.02 * distance(N, best, x1), "A_s^2 over %g", step_scale);
    }
    fixture_free(f);
    return first;
}

static void test_scales(void **unused) {
    (void)unused;
    double x1[MOST] = {[1] = 1, [3] = -2};
    struct first one = first_step("spgm-iht", S, x1, 1, 1), quarter = first_step("spgm-iht", S, x1, 0.25, 1);
    assert_near(quarter.mu, one.mu / 4, 1e-12 * one.mu, "mu^1");
    first_step("spgm-iht", S, x1, 1, 4);
    assert_near(first_step("spgm-bcd", S, x1, 3, 1).mu, 3 * one.mu, 1e-12 * one.mu, "mu^1 of spgm-bcd");
    one = first_step("psgd", N, x1, 1, 1); /* s = n: nothing is cut off */
    quarter = first_step("psgd", N, x1, 1, 0.25);
    assert_near(distance(N, quarter.x, x1), distance(N, one.x, x1) / 4, 1e-9, "the step of psgd");
    one = first_step("diht", N, x1, 1, 1);
    quarter = first_step("diht", N, x1, 1, 1e-3);
    assert_true(distance(N, quarter.x, one.x) > 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_run),
        cmocka_unit_test(test_way_to_the_optimum),
        cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
