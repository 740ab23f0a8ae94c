/* What every loss promises, for every entry of the registry and for the user's own slopes; nothing here trusts the code
 * under test: values, proximal points, conjugates and norms are recomputed in long double from the formulas. */
#include "losses.h"
#include "model/line.h"
#include "share.h"
#include "unit/model_fixture.h"

typedef void check_function(const struct fixture_loss *fixture);

/* Every kind x with and without weights x lengths around the width of the vector lanes. */
static void for_every_loss(check_function *check, const int64_t *lengths, int count) {
    fixture_state = FIXTURE_SEED;
    for (int64_t index = -1; index < 0 || loss_kind_at(index) != NULL; index++) {
        const struct loss_kind *kind = index < 0 ? &loss_slopes_kind : loss_kind_at(index);
        for (int weighted = 0; weighted <= kind->is_sum; weighted++)
            for (int l = 0; l < count; l++) {
                struct fixture_loss fixture = fixture_loss_new(kind, lengths[l], weighted);
                check(&fixture);
                fixture_loss_free(&fixture);
            }
    }
}

static const int64_t usual_lengths[] = {0, 1, 2, 3, 7, 8, 9, 16, 31};
enum { USUAL_COUNT = sizeof usual_lengths / sizeof usual_lengths[0] };

/* ---- The formulas ------------------------------------------------------------------------------------------------ */

/* One row's loss from its statement, not from its slopes. */
static long double row_formula(const struct fixture_loss *fixture, int64_t i, long double r) {
    const struct loss *h = &fixture->h;
    int has_slopes = strcmp(h->kind->name, "slopes") == 0;
    struct row row = {
        fixture->b[i],          fixture->weights[i],       fixture->options.quantile,   fixture->options.epsilon,
        fixture->options.delta, has_slopes ? h->up[i] : 0, has_slopes ? h->down[i] : 0, has_slopes ? h->dead[i] : 0};
    struct bend bend = {0};
    if (!row_bend(h->kind->name, &row, r, &bend))
        fail_msg(NO_FORMULA, h->kind->name);
    return bend.value;
}

static long double formula(const struct fixture_loss *fixture, const long double *r) {
    const struct loss *h = &fixture->h;
    long double sum = 0, largest = 0, squares = 0;
    for (int64_t i = 0; i < h->rows; i++) {
        sum += h->kind->is_sum ? row_formula(fixture, i, r[i]) : 0;
        squares += r[i] * r[i];
        largest = larger(largest, fabsl(r[i]));
    }
    if (h->kind->is_sum)
        return sum;
    if (strcmp(h->kind->name, "linf") == 0)
        return largest;
    if (strcmp(h->kind->name, "l2") == 0)
        return sqrtl(squares);
    fail_msg("no formula for the loss %s: add one here", h->kind->name);
    return 0;
}

static long double *widen(int64_t n, const double *x) {
    long double *wide = calloc((size_t)n + 1, sizeof *wide);
    assert_non_null(wide);
    for (int64_t i = 0; i < n; i++)
        wide[i] = x[i];
    return wide;
}

static double formula_of(const struct fixture_loss *fixture, const double *r) {
    long double *wide = widen(fixture->h.rows, r);
    long double value = formula(fixture, wide);
    free(wide);
    return (double)value;
}

/* h(y) + ||c - y||^2 / (2 mu) */
static long double prox_objective(const struct fixture_loss *fixture, double mu, const double *c,
                                  const long double *y) {
    long double sum = 0;
    for (int64_t i = 0; i < fixture->h.rows; i++)
        sum += (c[i] - y[i]) * (c[i] - y[i]);
    return formula(fixture, y) + sum / (2 * (long double)mu);
}

static double dot(int64_t n, const double *x, const double *y) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (long double)x[i] * y[i];
    return (double)sum;
}

static double norm(int64_t n, const double *x) {
    return sqrt(dot(n, x, x));
}

/* ---- Value and proximal operator --------------------------------------------------------------------------------- */

static void check_value(const struct fixture_loss *fixture) {
    for (int trial = 0; trial < 20; trial++) {
        double *r = fixture_normals(fixture->h.rows, pow(10, fixture_uniform(-3, 3)));
        double expected = formula_of(fixture, r);
        assert_near(fixture->h.ops->value(&fixture->h, r), expected, 1e-14 * fabs(expected));
        free(r);
    }
}

static void value_is_the_formula(void **state) {
    (void)state;
    for_every_loss(check_value, usual_lengths, USUAL_COUNT);
}

/* argmin over y of h_i(y) + (c - y)^2 / (2 mu) by ternary search, to about the root of the long double's precision */
static double row_prox_by_search(const struct fixture_loss *fixture, int64_t i, double mu, double c) {
    long double width = fabsl((long double)c) + 1, low = c - 20 * mu - width, high = c + 20 * mu + width;
    for (int step = 0; step < 200; step++) {
        long double left = low + (high - low) / 3, right = high - (high - low) / 3;
        long double at_left = row_formula(fixture, i, left) + (c - left) * (c - left) / (2 * (long double)mu);
        long double at_right = row_formula(fixture, i, right) + (c - right) * (c - right) / (2 * (long double)mu);
        if (at_left < at_right)
            high = right;
        else
            low = left;
    }
    return (double)((low + high) / 2);
}

static void check_row_prox(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    double *y = fixture_doubles(h->rows);
    for (int trial = 0; h->kind->is_sum && trial < 20; trial++) {
        double mu = pow(10, fixture_uniform(-2, 1)), *c = fixture_normals(h->rows, 3);
        h->ops->prox(h, mu, c, y);
        for (int64_t i = 0; i < h->rows; i++)
            assert_near(y[i], row_prox_by_search(fixture, i, mu, c[i]), 1e-7 * (1 + fabs(c[i]) + mu));
        free(c);
    }
    free(y);
}

static void prox_of_a_sum_is_the_row_minimiser(void **state) {
    (void)state;
    for_every_loss(check_row_prox, usual_lengths, USUAL_COUNT);
}

/* Exact minimiser along a direction by ternary search; y is moved when that is lower. Returns the new objective. */
static long double line_search(const struct fixture_loss *fixture, double mu, const double *c, long double *y,
                               const double *direction, double reach) {
    int64_t n = fixture->h.rows;
    long double *trial = widen(n, c), low = -reach, high = reach, best = prox_objective(fixture, mu, c, y);
    for (int step = 0; step < 60; step++) {
        long double at[2], t[2] = {low + (high - low) / 3, high - (high - low) / 3};
        for (int side = 0; side < 2; side++) {
            for (int64_t i = 0; i < n; i++)
                trial[i] = y[i] + t[side] * direction[i];
            at[side] = prox_objective(fixture, mu, c, trial);
        }
        if (at[0] < at[1])
            high = t[1];
        else
            low = t[0];
    }
    for (int64_t i = 0; i < n; i++)
        trial[i] = y[i] + (low + high) / 2 * direction[i];
    if (prox_objective(fixture, mu, c, trial) < best)
        memcpy(y, trial, (size_t)n * sizeof *y);
    free(trial);
    return prox_objective(fixture, mu, c, y);
}

/* A minimiser that knows nothing of the loss: line searches along random directions from 0, from c and from the claimed
 * minimiser itself. The objective is 1/mu-strongly convex, so a claimed minimiser that is off by d shows as a drop of
 * d^2 / (2 mu). */
static void check_prox_by_descent(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    double mu = pow(10, fixture_uniform(-1, 1)), *c = fixture_normals(h->rows, 2), *y = fixture_doubles(h->rows);
    h->ops->prox(h, mu, c, y);
    long double *claimed = widen(h->rows, y), objective = prox_objective(fixture, mu, c, claimed);
    for (int start = 0; start < 3; start++) {
        long double *point = widen(h->rows, start == 0 ? y : c), reached = 0;
        if (start == 2)
            memset(point, 0, (size_t)h->rows * sizeof *point);
        for (int step = 0; step < 300; step++) {
            double *direction = fixture_normals(h->rows, 1);
            reached = line_search(fixture, mu, c, point, direction, pow(10, fixture_uniform(-8, 1)));
            free(direction);
        }
        assert_true(reached >= objective - 1e-15L * (1 + objective));
        free(point);
    }
    free(claimed), free(c), free(y);
}

static void prox_cannot_be_improved(void **state) {
    (void)state;
    const int64_t lengths[] = {1, 2, 3, 5};
    for (int repeat = 0; repeat < SHARE(2, 1); repeat++)
        for_every_loss(check_prox_by_descent, lengths, SHARE(4, 2));
}

static void check_prox_in_place(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    double *c = fixture_normals(h->rows, 2), *y = fixture_doubles(h->rows);
    h->ops->prox(h, 0.5, c, y);
    h->ops->prox(h, 0.5, c, c);
    assert_memory_equal(c, y, (size_t)h->rows * sizeof *c);
    free(c), free(y);
}

static void prox_works_in_place(void **state) {
    (void)state;
    for_every_loss(check_prox_in_place, usual_lengths, USUAL_COUNT);
}

/* d = c - P_mu(c), h(c), h(y) and ||d||^2 in one pass; ||d|| / mu stays a subgradient however small mu is beside c. */
static void check_split(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    double *y = fixture_doubles(h->rows), *d = fixture_doubles(h->rows);
    for (int trial = 0; trial < 40; trial++) {
        double mu = pow(10, fixture_uniform(-25, 2)), *c = fixture_normals(h->rows, 2);
        struct loss_split values;
        h->ops->prox(h, mu, c, y);
        h->ops->split(h, mu, c, d, &values);
        double at_c = h->ops->value(h, c);
        for (int64_t i = 0; i < h->rows; i++)
            assert_near(c[i] - d[i], y[i], 1e-15 * (1 + fabs(c[i])));
        assert_near(values.at_c, at_c, 1e-14 * at_c);
        assert_near(values.at_y, h->ops->value(h, y), 1e-14 * (1 + at_c));
        assert_near(values.squares, dot(h->rows, d, d), 1e-14 * values.squares);
        for (int64_t i = 0; i < h->rows; i++)
            d[i] /= mu;
        double conjugate = h->ops->conjugate(h, d); /* finite: in the domain to LOSS_DOMAIN_SLACK */
        assert_near(h->ops->value(h, y) + conjugate, dot(h->rows, d, y), 1e-12 * (1 + at_c));
        free(c);
    }
    free(y), free(d);
}

static void split_is_exact_however_small_mu_is(void **state) {
    (void)state;
    for_every_loss(check_split, usual_lengths, USUAL_COUNT);
}

/* ||P(c) - P(d)||^2 <= (P(c) - P(d))'(c - d) */
static void check_firmness(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    int64_t n = h->rows;
    double *p = fixture_doubles(n), *q = fixture_doubles(n);
    for (int trial = 0; trial < 30; trial++) {
        double mu = pow(10, fixture_uniform(-2, 1)), *c = fixture_normals(n, 2), *d = fixture_normals(n, 2);
        h->ops->prox(h, mu, c, p);
        h->ops->prox(h, mu, d, q);
        for (int64_t i = 0; i < n; i++) {
            p[i] -= q[i];
            c[i] -= d[i];
        }
        assert_at_most(dot(n, p, p), dot(n, p, c) + 1e-13 * (1 + dot(n, c, c)));
        free(c), free(d);
    }
    free(p), free(q);
}

static void prox_is_firmly_nonexpansive(void **state) {
    (void)state;
    for_every_loss(check_firmness, usual_lengths, USUAL_COUNT);
}

/* ---- Conjugate, domain, subgradient ------------------------------------------------------------------------------ */

static void check_fenchel_young(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    int64_t n = h->rows;
    double *u = fixture_doubles(n);
    for (int trial = 0; trial < 30; trial++) {
        double *r = fixture_normals(n, pow(10, fixture_uniform(-2, 2)));
        double *v = fixture_normals(n, pow(10, fixture_uniform(-2, 2)));
        h->ops->project_dual(h, v);
        double conjugate = h->ops->conjugate(h, v), value = h->ops->value(h, r);
        assert_true(isfinite(conjugate));
        assert_at_most(dot(n, v, r), value + conjugate + 1e-12 * (1 + value + conjugate));
        h->ops->subgradient(h, r, u);
        assert_near(value + h->ops->conjugate(h, u), dot(n, u, r), 1e-12 * (1 + value));
        free(r), free(v);
    }
    memset(u, 0, (size_t)n * sizeof *u); /* r = 0, where every loss has its kinks */
    double *zero = fixture_doubles(n);
    h->ops->subgradient(h, zero, u);
    assert_near(h->ops->value(h, zero) + h->ops->conjugate(h, u), 0, 1e-15 * (1 + h->ops->value(h, zero)));
    free(u), free(zero);
}

static void fenchel_young_holds_with_equality_at_subgradients(void **state) {
    (void)state;
    for_every_loss(check_fenchel_young, usual_lengths, USUAL_COUNT);
}

/* h*(u) = max_r u r - h(r) for one row, by ternary search over [-1000, 1000]; u inside the domain. At its edge the
 * search may end below the supremum, which is then taken a little inside, too. */
static void check_conjugate_value(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    for (int trial = 0; trial < 30; trial++) {
        double u = fixture_uniform(-3, 3), drawn = u;
        h->ops->project_dual(h, &u);
        int is_edge = u != drawn && trial % 2;
        u *= u != drawn && !is_edge ? 1 - 1e-6 : 1;
        long double low = -1000, high = 1000, at[2];
        for (int step = 0; step < 200; step++) {
            long double t[2] = {low + (high - low) / 3, high - (high - low) / 3};
            for (int side = 0; side < 2; side++)
                at[side] = u * t[side] - formula(fixture, &t[side]);
            if (at[0] > at[1])
                high = t[1];
            else
                low = t[0];
        }
        long double best = (low + high) / 2;
        if (is_edge)
            assert_at_most((double)(u * best - formula(fixture, &best)), h->ops->conjugate(h, &u) + 1e-12);
        else
            assert_near(h->ops->conjugate(h, &u), u * best - formula(fixture, &best), 1e-12);
    }
}

static void conjugate_is_the_supremum(void **state) {
    (void)state;
    const int64_t one = 1;
    for (int repeat = 0; repeat < 10; repeat++)
        for_every_loss(check_conjugate_value, &one, 1);
}

/* Outside the domain the supremum is infinite: a ray of unbounded growth must exist there, and none inside. */
static void check_domain(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    int64_t n = h->rows;
    for (int trial = 0; trial < 30; trial++) {
        double *u = fixture_normals(n, 2), *p = fixture_doubles(n);
        memcpy(p, u, (size_t)n * sizeof *p);
        h->ops->project_dual(h, p);
        double distance = 0;
        for (int64_t i = 0; i < n; i++)
            distance += (u[i] - p[i]) * (u[i] - p[i]);
        if (distance > 1e-6) {
            double *ray = fixture_doubles(n); /* u - p is normal to the domain at p: h grows slower than u'r along it */
            for (int64_t i = 0; i < n; i++)
                ray[i] = 1e6 * (u[i] - p[i]);
            assert_true(dot(n, u, ray) - formula_of(fixture, ray) > 0.9e6 * distance);
            assert_true(isinf(h->ops->conjugate(h, u)));
            free(ray);
        } else if (distance == 0) {
            assert_true(isfinite(h->ops->conjugate(h, u)));
        }
        free(u), free(p);
    }
}

static void conjugate_is_infinite_outside_its_domain(void **state) {
    (void)state;
    for_every_loss(check_domain, usual_lengths, USUAL_COUNT);
}

/* p = project(u): p is in the domain, stays put, and (u - p)'(v - p) <= 0 for v in the domain (subgradients are). */
static void check_projection(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    int64_t n = h->rows;
    double *v = fixture_doubles(n), *gap = fixture_doubles(n), *p = fixture_doubles(n);
    for (int trial = 0; trial < 30; trial++) {
        double *u = fixture_normals(n, pow(10, fixture_uniform(-2, 1))), *r = fixture_normals(n, 1);
        memcpy(p, u, (size_t)n * sizeof *p);
        h->ops->project_dual(h, p);
        memcpy(v, p, (size_t)n * sizeof *v);
        h->ops->project_dual(h, v);
        for (int64_t i = 0; i < n; i++)
            assert_near(v[i], p[i], 1e-14 * (1 + fabs(p[i])));
        h->ops->subgradient(h, r, v);
        for (int64_t i = 0; i < n; i++) {
            gap[i] = u[i] - p[i];
            v[i] -= p[i];
        }
        assert_at_most(dot(n, gap, v), 1e-12 * (1 + norm(n, gap) * norm(n, v)));
        free(u), free(r);
    }
    free(v), free(gap), free(p);
}

static void project_dual_is_the_nearest_point(void **state) {
    (void)state;
    for_every_loss(check_projection, usual_lengths, USUAL_COUNT);
}

/* c = P_mu(c) + mu project(c / mu) where h* is the indicator of its domain: no dead zone, not smooth. Always: (c -
 * P_mu(c)) / mu is a subgradient at P_mu(c), hence in the domain. */
static void check_moreau(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    int64_t n = h->rows;
    int is_indicator = h->kind->engine != LOSS_BY_CURVATURE;
    for (int64_t i = 0; h->dead != NULL && i < n; i++)
        is_indicator &= h->dead[i] == 0;
    double *y = fixture_doubles(n), *u = fixture_doubles(n);
    for (int trial = 0; trial < 30; trial++) {
        double mu = pow(10, fixture_uniform(-2, 1)), *c = fixture_normals(n, 2);
        h->ops->prox(h, mu, c, y);
        for (int64_t i = 0; i < n; i++)
            u[i] = c[i] / mu;
        h->ops->project_dual(h, u);
        for (int64_t i = 0; is_indicator && i < n; i++)
            assert_near(y[i] + mu * u[i], c[i], 1e-13 * (1 + fabs(c[i]) + mu));
        for (int64_t i = 0; i < n; i++)
            u[i] = (c[i] - y[i]) / mu;
        h->ops->project_dual(h, u); /* takes off what rounding put outside */
        assert_near(h->ops->value(h, y) + h->ops->conjugate(h, u), dot(n, u, y), 1e-11 * (1 + dot(n, c, c)));
        free(c);
    }
    free(y), free(u);
}

static void moreau_decomposition_holds(void **state) {
    (void)state;
    for_every_loss(check_moreau, usual_lengths, USUAL_COUNT);
}

/* ---- Constants --------------------------------------------------------------------------------------------------- */

/* L_h bounds every subgradient and is attained, or nearly so far out: signs are chosen one by one to make the
 * subgradient long. */
static void check_lipschitz(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    int64_t n = h->rows;
    double L = h->ops->lipschitz(h), *u = fixture_doubles(n);
    for (int trial = 0; trial < 30; trial++) {
        double *r = fixture_normals(n, 3);
        h->ops->subgradient(h, r, u);
        assert_at_most(norm(n, u), L * (1 + 1e-14));
        free(r);
    }
    double *r = fixture_doubles(n), longest = 0;
    for (int64_t i = 0; i < n; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double before = r[i];
            r[i] = 1e9 * sign;
            h->ops->subgradient(h, r, u);
            if (norm(n, u) < longest)
                r[i] = before;
            longest = fmax(longest, norm(n, u));
        }
    if (isfinite(L))
        assert_near(longest, n == 0 && !h->kind->is_sum ? 0 : L, 1e-14 * L);
    else
        assert_true(h->kind->engine == LOSS_BY_CURVATURE);
    free(u), free(r);
}

static void lipschitz_bounds_subgradients_and_is_attained(void **state) {
    (void)state;
    for_every_loss(check_lipschitz, usual_lengths, USUAL_COUNT);
}

static int prox_has_no_loss(const struct loss *h, double mu, const double *u, double *y) {
    h->ops->prox(h, mu, u, y);
    return h->ops->value(h, y) == 0;
}

/* The smallest mu with h(P_mu(u)) = 0, by bisection. A smooth loss has none, though a prox may be rounded to the edge
 * of a zone without loss. */
static void check_dual_norm(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    double *y = fixture_doubles(h->rows);
    for (int trial = 0; trial < 20; trial++) {
        double *u = fixture_normals(h->rows, 2), low = 0, high = 1e60, dual = h->ops->dual_norm(h, u);
        if (formula_of(fixture, u) == 0) {
            assert_true(dual == 0);
        } else if (h->kind->engine == LOSS_BY_CURVATURE || !prox_has_no_loss(h, high, u, y)) {
            assert_true(isinf(dual) && dual > 0);
        } else {
            for (int step = 0; step < 400; step++) {
                double middle = low + (high - low) / 2;
                if (prox_has_no_loss(h, middle, u, y))
                    high = middle;
                else
                    low = middle;
            }
            assert_near(dual, high, 1e-13 * high);
        }
        free(u);
    }
    free(y);
}

static void dual_norm_is_the_smallest_mu_without_loss(void **state) {
    (void)state;
    for_every_loss(check_dual_norm, usual_lengths, USUAL_COUNT);
}

/* G(c; mu) = min_y h(y) + ||c - y||^2 / (2 mu), from the prox and the formula. */
static double envelope(const struct fixture_loss *fixture, double mu, const double *c) {
    const struct loss *h = &fixture->h;
    double *y = fixture_doubles(h->rows);
    h->ops->prox(h, mu, c, y);
    long double *wide = widen(h->rows, y), value = prox_objective(fixture, mu, c, wide);
    free(wide), free(y);
    return (double)value;
}

/* Lemma 2(a): F - mu L_h^2 / 2 <= G <= F; Lemma 1: 0 <= (psi(mu1) - psi(mu2)) / (mu2 - mu1) <= L_h^2 / 2. */
static void check_lemmas(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    double L = h->ops->lipschitz(h);
    for (int trial = 0; trial < 40; trial++) {
        double *c = fixture_normals(h->rows, pow(10, fixture_uniform(-2, 2)));
        double mu1 = pow(10, fixture_uniform(-3, 2)), mu2 = mu1 * (1 + pow(10, fixture_uniform(-3, 2)));
        double F = formula_of(fixture, c), G1 = envelope(fixture, mu1, c), G2 = envelope(fixture, mu2, c);
        double rounding = 1e-13 * (1 + F);
        assert_at_most(G1, F + rounding);
        assert_at_most(F - mu1 * L * L / 2, G1 + rounding);
        assert_at_most(G2, G1 + rounding);
        assert_at_most(G1 - G2, (mu2 - mu1) * L * L / 2 + rounding);
        free(c);
    }
}

static void lemmas_one_and_two_of_the_paper(void **state) {
    (void)state;
    const int64_t lengths[] = {1, 2, 3, 7, 8, 9, 16, 31}; /* without rows L_h of a norm times infinity is not meant */
    for_every_loss(check_lemmas, lengths, 8);
}

/* ---- Rows elsewhere ---------------------------------------------------------------------------------------------- */

/* The same rows twice. */
static struct fixture_loss twice(const struct fixture_loss *fixture) {
    int64_t m = fixture->h.rows;
    struct fixture_loss both = *fixture;
    double **arrays[] = {&both.b, &both.weights, &both.up, &both.down, &both.dead};
    for (int a = 0; a < 5; a++) {
        double *old = *arrays[a];
        *arrays[a] = fixture_doubles(2 * m);
        memcpy(*arrays[a], old, (size_t)m * sizeof *old);
        memcpy(*arrays[a] + m, old, (size_t)m * sizeof *old);
    }
    fixture_loss_make(&both, fixture->h.kind, 2 * m, fixture->h.kind->is_sum); /* weights of 1 are none */
    return both;
}

static void assert_halves_near(int64_t m, const double *part, const double *whole, double tolerance) {
    for (int64_t i = 0; i < m; i++) {
        assert_near(part[i], whole[i], tolerance);
        assert_near(part[i], whole[m + i], tolerance);
    }
}

static void compare_numbers(const struct loss *part, const struct loss *whole, const double *r, const double *rr) {
    double value = whole->ops->value(whole, rr), dual = whole->ops->dual_norm(whole, rr);
    assert_near(part->ops->value(part, r), value, 1e-14 * value);
    assert_near(part->ops->dual_norm(part, r), dual, 1e-14 * dual);
    assert_near(part->ops->lipschitz(part), whole->ops->lipschitz(whole), 1e-14 * whole->ops->lipschitz(whole));
}

/* What the exchange search asks: the line, the weights and the slope of the quadratic model, the recession. */
static void compare_models(const struct loss *part, const struct loss *whole, const double *r, const double *rr,
                           const double *u, const double *uu) {
    int64_t m = part->rows;
    double *w = fixture_doubles(m), *ww = fixture_doubles(2 * m), *v = fixture_doubles(m), *vv = fixture_doubles(2 * m);
    double slope[2], grown = whole->ops->recession(whole, rr);
    double value = whole->ops->along(whole, rr, uu, 0.3, &slope[1]);
    assert_near(part->ops->along(part, r, u, 0.3, &slope[0]), value, 1e-13 * value);
    assert_near(slope[0], slope[1], 1e-12 * (1 + fabs(slope[1])));
    for (int level = 0; level < part->kind->levels; level++) {
        double floor = part->ops->curvature(part, r, u, level, w);
        assert_near(whole->ops->curvature(whole, rr, uu, level, ww), floor, 1e-13 * floor);
        assert_halves_near(m, w, ww, 1e-13 * (1 + (m > 0 ? w[0] : 0)));
        part->ops->surrogate_slope(part, floor, r, w, v);
        whole->ops->surrogate_slope(whole, floor, rr, ww, vv);
        assert_halves_near(m, v, vv, 1e-12);
    }
    assert_near(part->ops->recession(part, r), grown, 1e-13 * grown);
    free(w), free(ww), free(v), free(vv);
}

static void check_hook(const struct fixture_loss *fixture) {
    struct fixture_loss both = twice(fixture);
    struct loss part = fixture->h, *whole = &both.h;
    int64_t m = part.rows;
    part.reduce = &fixture_two_ranks;
    double *u = fixture_doubles(m), *uu = fixture_doubles(2 * m), *rr = fixture_doubles(2 * m);
    for (int trial = 0; trial < 10; trial++) {
        double mu = pow(10, fixture_uniform(-1, 1)), *r = fixture_normals(m, 2);
        memcpy(rr, r, (size_t)m * sizeof *r);
        memcpy(rr + m, r, (size_t)m * sizeof *r);
        compare_numbers(&part, whole, r, rr);
        part.ops->prox(&part, mu, r, u);
        whole->ops->prox(whole, mu, rr, uu);
        assert_halves_near(m, u, uu, 1e-13);
        struct loss_split one, two;
        part.ops->split(&part, mu, r, u, &one);
        whole->ops->split(whole, mu, rr, uu, &two);
        assert_halves_near(m, u, uu, 1e-13);
        assert_near(one.at_c, two.at_c, 1e-14 * two.at_c);
        assert_near(one.at_y, two.at_y, 1e-13 * two.at_c);
        assert_near(one.squares, two.squares, 1e-13 * two.squares);
        part.ops->subgradient(&part, r, u);
        whole->ops->subgradient(whole, rr, uu);
        assert_halves_near(m, u, uu, 1e-14);
        compare_models(&part, whole, r, rr, u, uu);
        assert_near(part.ops->conjugate(&part, u), whole->ops->conjugate(whole, uu), 1e-12);
        part.ops->project_dual(&part, r);
        whole->ops->project_dual(whole, rr);
        assert_halves_near(m, r, rr, 1e-14);
        free(r);
    }
    free(u), free(uu), free(rr);
    fixture_loss_free(&both);
}

static void reduction_hook_stands_for_rows_elsewhere(void **state) {
    (void)state;
    for_every_loss(check_hook, usual_lengths, USUAL_COUNT);
}

/* ---- Extreme numbers --------------------------------------------------------------------------------------------- */

/* h(t r) = t^degree h(r) and P_{t^(2 - degree) mu}(t c) = t P_mu(c), with lengths scaled, for t = 2^(+-500), 2^(+-60).
 */
static void check_homogeneity(const struct fixture_loss *fixture) {
    const int exponents[] = {-500, -60, 60, 500};
    int64_t n = fixture->h.rows;
    double mu = 0.7, *c = fixture_normals(n, 2), *y = fixture_doubles(n), *z = fixture_doubles(n);
    struct loss h = fixture->h;
    h.ops->prox(&h, mu, c, y);
    double value = h.ops->value(&h, c), dual = h.ops->dual_norm(&h, c), *dead = h.dead;
    h.dead = dead == NULL ? NULL : fixture_doubles(n);
    for (int e = 0; h.kind->degree > 0 && e < 4; e++) {
        double t = ldexp(1, exponents[e]), unit = h.kind->degree == 1 ? t : t * t;
        if (h.kind->degree == 2 && abs(exponents[e]) > 100)
            continue; /* squares leave the range of numbers */
        h.width = t * fixture->h.width;
        for (int64_t i = 0; i < n; i++) {
            z[i] = t * c[i];
            if (h.dead != NULL)
                h.dead[i] = t * dead[i];
        }
        assert_near(h.ops->value(&h, z) / unit, value, 1e-14 * value);
        assert_near(h.ops->dual_norm(&h, z) / t, dual, 1e-14 * dual);
        h.ops->prox(&h, h.kind->degree == 1 ? t * mu : mu, z, z);
        for (int64_t i = 0; i < n; i++)
            assert_near(z[i] / t, y[i], 1e-14);
    }
    free(h.dead), free(c), free(y), free(z);
}

static void losses_scale_from_1e_minus_150_to_1e150(void **state) {
    (void)state;
    for_every_loss(check_homogeneity, usual_lengths, USUAL_COUNT);
}

static void check_nan(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    for (int64_t i = 0; i < h->rows; i++) {
        if (h->up != NULL && h->up[i] == 0 && h->down[i] == 0)
            continue; /* a row of weight 0 may be anything */
        double *r = fixture_normals(h->rows, 1);
        r[i] = NAN;
        assert_true(isnan(h->ops->value(h, r)));
        h->ops->prox(h, 0.5, r, r);
        assert_true(isnan(r[i]));
        free(r);
    }
}

static void nan_is_never_hidden(void **state) {
    (void)state;
    for_every_loss(check_nan, usual_lengths, USUAL_COUNT);
}

/* ---- linf: the selection ----------------------------------------------------------------------------------------- */

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The threshold by sorting (Held, Wolfe and Crowder), in long double. */
static double threshold_by_sorting(int64_t n, const double *c, double radius) {
    double *sorted = fixture_doubles(n);
    long double sum = 0, t = 0;
    for (int64_t i = 0; i < n; i++)
        sorted[i] = fabs(c[i]);
    qsort(sorted, (size_t)n, sizeof *sorted, descending);
    for (int64_t k = 0; k < n; k++) {
        sum += sorted[k];
        long double candidate = (sum - radius) / (long double)(k + 1);
        if (sorted[k] > candidate)
            t = candidate;
    }
    free(sorted);
    return t > 0 ? (double)t : 0;
}

static int passes_of_prox(int64_t n, const double *c, double mu) {
    const struct loss_kind *kind = loss_find("linf");
    int passes = 0;
    struct reduction counting = {.sum = fixture_double_sum, .max = fixture_same_max, .context = &passes};
    struct loss h = {.kind = kind, .ops = kind->ops, .reduce = &counting, .rows = n};
    double *y = fixture_doubles(n);
    h.ops->prox(&h, 2 * mu, c, y); /* the hook doubles every sum: the same iteration as radius mu without it */
    free(y);
    return passes;
}

static void compare_with_sorting(int64_t n, const double *c, double mu) {
    const struct loss_kind *kind = loss_find("linf");
    struct loss h = {.kind = kind, .ops = kind->ops, .rows = n};
    double *y = fixture_doubles(n), t = threshold_by_sorting(n, c, mu), largest = 0;
    h.ops->prox(&h, mu, c, y);
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(c[i]));
    for (int64_t i = 0; i < n; i++)
        assert_near(y[i], fmax(-t, fmin(c[i], t)), 4e-15 * largest);
    free(y);
    assert_at_most(passes_of_prox(n, c, mu), 2 + 28 + log2((double)(2 * n))); /* two more for the start */
}

/* Shapes that are hard for selections: ties, geometric and harmonic series, clusters, one large among tiny ones. */
static double shape(int which, int64_t i, int64_t n) {
    double sign = i % 3 == 0 ? -1 : 1, position = (double)(i + 1);
    switch (which) {
    case 0:
        return sign;
    case 1:
        return sign * pow(0.5, (double)(i % 900));
    case 2:
        return sign / position;
    case 3:
        return sign * (i == n / 2 ? 1e100 : 1e-100 * position);
    case 4:
        return sign * (1 + 1e-15 * (double)(i % 7));
    case 5:
        return sign * pow(position, 3);
    case 6:
        return sign * exp(-(double)i * (double)i / 50);
    case 7:
        return i % 2 == 0 ? 0 : sign * sqrt(position);
    default:
        return fixture_normal();
    }
}

static void linf_selection_is_exact_for_hard_data(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 2, 7, 8, 9, 100, 1000, 2500}; /* above 1024 a list of few rows is made */
    for (int s = 0; s < 8; s++)
        for (int which = 0; which <= 8; which++) {
            int64_t n = sizes[s];
            double *c = fixture_doubles(n), sum = 0;
            for (int64_t i = 0; i < n; i++)
                sum += fabs(c[i] = shape(which, i, n));
            for (int e = -18; e <= 2; e++)
                compare_with_sorting(n, c, sum * pow(10, e));
            compare_with_sorting(n, c, sum);
            compare_with_sorting(n, c, sum * (1 - 1e-15));
            free(c);
        }
}

static void linf_selection_is_quick_on_normal_data(void **state) {
    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        double *c = fixture_normals(5000, 10);
        for (double mu = 1e-6; mu < 1e6; mu *= 7)
            assert_at_most(passes_of_prox(5000, c, mu), 16);
        free(c);
    }
}

/* ---- The registry ------------------------------------------------------------------------------------------------ */

static void names_and_aliases_are_found(void **state) {
    (void)state;
    const char *pairs[][2] = {{"l1", "l1"},
                              {"absolute_error", "l1"},
                              {"lad", "l1"},
                              {"mae", "l1"},
                              {"quantile", "quantile"},
                              {"pinball", "quantile"},
                              {"hinge", "hinge"},
                              {"epsilon", "epsilon"},
                              {"epsilon_insensitive", "epsilon"},
                              {"linf", "linf"},
                              {"chebyshev", "linf"},
                              {"max_error", "linf"},
                              {"l2", "l2"},
                              {"squared", "squared"},
                              {"squared_error", "squared"},
                              {"huber", "huber"},
                              {"logistic", "logistic"},
                              {"log_loss", "logistic"},
                              {"squared_hinge", "squared_hinge"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        assert_non_null(loss_find(pairs[i][0]));
        assert_string_equal(loss_find(pairs[i][0])->name, pairs[i][1]);
    }
    const char *unknown[] = {"", "l", "l11", "absolute", "absolute_error|lad", "lad|mae", "|", "slopes", "L1"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_null(loss_find(unknown[i]));
    assert_null(loss_find(NULL));
}

static void registry_is_complete(void **state) {
    (void)state;
    int64_t count = 0;
    for (; loss_kind_at(count) != NULL; count++) {
        const struct loss_kind *kind = loss_kind_at(count);
        assert_ptr_equal(loss_find(kind->name), kind);
        assert_true(strlen(kind->formula) > 0 && kind->aliases != NULL);
        assert_true(kind->degree >= 0 && kind->degree <= 2);
        assert_true(kind->levels >= 1 && kind->levels <= LOSS_LEVELS);
        assert_true(kind->rate > 0);
        assert_non_null(kind->prepare);
        assert_non_null(kind->per_row);
        assert_non_null(kind->deviance);
        assert_non_null(kind->ops->value);
        assert_non_null(kind->ops->prox);
        assert_non_null(kind->ops->split);
        assert_non_null(kind->ops->subgradient);
        assert_non_null(kind->ops->conjugate);
        assert_non_null(kind->ops->project_dual);
        assert_non_null(kind->ops->dual_norm);
        assert_non_null(kind->ops->lipschitz);
        assert_non_null(kind->ops->along);
        assert_non_null(kind->ops->curvature);
        assert_non_null(kind->ops->surrogate_slope);
        assert_non_null(kind->ops->recession);
        assert_non_null(kind->ops->conjugate_above);
        assert_true((kind->engine == LOSS_BY_CURVATURE) == (kind->ops->derivatives != NULL));
    }
    assert_true(count >= 10);
    assert_null(loss_kind_at(-1));
}

/* ---- What the fits and the exchange search ask ------------------------------------------------------------------- */

/* F along the line from the formula, its slope by a difference wide enough for long doubles. */
static long double along_formula(const struct fixture_loss *fixture, const double *r, const double *d, long double a) {
    long double *at = widen(fixture->h.rows, r), value;
    for (int64_t i = 0; i < fixture->h.rows; i++)
        at[i] += a * d[i];
    value = formula(fixture, at);
    free(at);
    return value;
}

static void check_along(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    for (int trial = 0; trial < 20; trial++) {
        double *r = fixture_normals(h->rows, 2), *d = fixture_normals(h->rows, 1), slope = NAN;
        double alpha = fixture_uniform(-2, 2), value = h->ops->along(h, r, d, alpha, &slope);
        long double step = 1e-7L, left = along_formula(fixture, r, d, alpha - step);
        long double middle = along_formula(fixture, r, d, alpha), right = along_formula(fixture, r, d, alpha + step);
        double low = (double)((middle - left) / step), high = (double)((right - middle) / step);
        assert_near(value, middle, 1e-13 * (1 + (double)middle));
        assert_at_most(slope, high + 1e-5 * (1 + fabs(high))); /* between the one-sided slopes: h is convex */
        assert_at_most(low - 1e-5 * (1 + fabs(low)), slope);
        free(r), free(d);
    }
}

static void along_is_the_formula_and_its_slope(void **state) {
    (void)state;
    for_every_loss(check_along, usual_lengths, USUAL_COUNT);
}

/* The second difference of a row's loss around r. */
static double second_difference(const struct fixture_loss *fixture, int64_t i, long double r, long double step) {
    long double middle = row_formula(fixture, i, r);
    long double outer = row_formula(fixture, i, r - step) + row_formula(fixture, i, r + step);
    return (double)((outer - 2 * middle) / (step * step));
}

/*
 * The derivatives of smooth losses by differences, away from breaks: where the second derivative jumps within a step of
 * r, the differences on either side of r are apart by half the jump and more.
 */
static void check_derivatives(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    double *u = fixture_doubles(h->rows), *w = fixture_doubles(h->rows);
    int64_t rows = 0, breaks = 0;
    for (int trial = 0; h->kind->engine == LOSS_BY_CURVATURE && trial < 20; trial++) {
        double *r = fixture_normals(h->rows, 2);
        h->ops->derivatives(h, r, u, w);
        for (int64_t i = 0; i < h->rows; i++) {
            long double step = 1e-4L, left = row_formula(fixture, i, r[i] - step),
                        right = row_formula(fixture, i, r[i] + step);
            double weight = fixture->weights[i], below = second_difference(fixture, i, r[i] - step, step);
            int is_break = fabs(second_difference(fixture, i, r[i] + step, step) - below) > 1e-4 * weight;
            assert_near(u[i], (right - left) / (2 * step), 1e-3 * weight);
            if (!is_break)
                assert_near(w[i], second_difference(fixture, i, r[i], step), 1e-6 * (1 + weight));
            rows++, breaks += is_break;
        }
        free(r);
    }
    assert_true(breaks * 50 <= rows); /* nearly all rows are compared */
    free(u), free(w);
}

static void derivatives_are_those_of_the_formula(void **state) {
    (void)state;
    for_every_loss(check_derivatives, usual_lengths, USUAL_COUNT);
}

/* Weights are finite and not negative, none where a row has no loss; the slope of the model is near a subgradient. For
 * squared, l2 and, at level 0, huber and logistic the parabola lies above the loss. */
static void check_model(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    int64_t n = h->rows;
    const char *name = h->kind->name;
    int is_above = strcmp(name, "squared") == 0 || strcmp(name, "l2") == 0 || strcmp(name, "huber") == 0 ||
                   strcmp(name, "logistic") == 0;
    double *u = fixture_doubles(n), *w = fixture_doubles(n), *v = fixture_doubles(n), *at = fixture_doubles(n);
    for (int trial = 0; trial < 10; trial++)
        for (int level = 0; level < h->kind->levels; level++) {
            double *r = fixture_normals(n, 2), *d = fixture_normals(n, pow(10, fixture_uniform(-2, 1)));
            h->ops->subgradient(h, r, u);
            double floor = h->ops->curvature(h, r, u, level, w), rise = 0;
            h->ops->surrogate_slope(h, floor, r, w, v);
            for (int64_t i = 0; i < n; i++) {
                assert_true(isfinite(w[i]) && w[i] >= 0);
                assert_true(isfinite(v[i]));
                assert_true(!h->kind->is_sum || fixture->weights[i] > 0 || w[i] == 0);
                rise += v[i] * d[i] + w[i] * d[i] * d[i] / 2;
                at[i] = r[i] + d[i];
            }
            if (is_above && level == 0)
                assert_at_most(formula_of(fixture, at), formula_of(fixture, r) + rise + 1e-12 * (1 + fabs(rise)));
            free(r), free(d);
        }
    free(u), free(w), free(v), free(at);
}

static void the_quadratic_model_is_sound(void **state) {
    (void)state;
    for_every_loss(check_model, usual_lengths, USUAL_COUNT);
}

static void check_recession(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    for (int trial = 0; trial < 20; trial++) {
        double *d = fixture_normals(h->rows, 1), *far = fixture_doubles(h->rows), growth = h->ops->recession(h, d);
        for (int64_t i = 0; i < h->rows; i++)
            far[i] = 1e9 * d[i];
        double ratio = formula_of(fixture, far) / 1e9;
        if (isinf(growth))
            assert_true(ratio > 1e3);
        else
            assert_near(ratio, growth, 1e-7 * (1 + growth));
        free(d), free(far);
    }
}

static void recession_is_the_growth_far_out(void **state) {
    (void)state;
    for_every_loss(check_recession, usual_lengths, USUAL_COUNT);
}

/* A point of the unit ball, now and then at its edge. */
static double *random_in_ball(int64_t n) {
    double *q = fixture_normals(n, 1), length = norm(n, q), reach = fixture_below(2) == 0 ? 1 : fixture_uniform(0, 1);
    for (int64_t i = 0; i < n && length > 0; i++)
        q[i] *= reach * (1 - 1e-15) / length;
    return q;
}

/* u'r - h(r), which no h*(u) is below, in long double; at r that a maximiser may be near. */
static long double fenchel(const struct fixture_loss *fixture, const double *u, const double *r) {
    long double *wide = widen(fixture->h.rows, r), sum = -formula(fixture, wide);
    for (int64_t i = 0; i < fixture->h.rows; i++)
        sum += (long double)u[i] * wide[i];
    free(wide);
    return sum;
}

/* conjugate_above is not below h*(u) by a digit, and next to it; around u there is the room that it says, where h*
 * rises no faster than it says; a u that is outside, be it by rounding, is not taken for one that is inside. */
static void check_conjugate_above(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    int64_t n = h->rows;
    double *room = fixture_doubles(n), *steep = fixture_doubles(n), *v = fixture_doubles(n), *none = fixture_doubles(n);
    for (int trial = 0; trial < 40; trial++) {
        double *r = fixture_normals(n, pow(10, fixture_uniform(-2, 2))), *u = fixture_doubles(n), *q[2];
        double cap = pow(10, fixture_uniform(-12, 1)), above, at[2], rise = 0;
        h->ops->subgradient(h, r, u);
        for (int64_t i = 0; i < n; i++)
            u[i] *= 1 - 1e-9; /* from the edge of the domain */
        above = h->ops->conjugate_above(h, u, cap, room, steep);
        assert_true(isfinite(above));
        assert_near(above, h->ops->conjugate(h, u), 1e-12 * (1 + fabs(above)));
        assert_true(fenchel(fixture, u, r) <= above);
        for (int k = 0; k < 2; k++) {
            q[k] = random_in_ball(n);
            for (int64_t i = 0; i < n; i++) {
                assert_true(room[i] >= 0 && room[i] <= cap && steep[i] >= 0);
                v[i] = u[i] + room[i] * q[k][i] * (1 - 1e-12);
            }
            at[k] = h->ops->conjugate_above(h, v, 0, none, none);
            assert_true(isfinite(at[k]));
        }
        for (int64_t i = 0; i < n; i++)
            rise += steep[i] * room[i] * fabs(q[0][i] - q[1][i]);
        assert_at_most(fabs(at[0] - at[1]), rise + 1e-12 * (1 + fabs(at[0])));
        free(r), free(u), free(q[0]), free(q[1]);
    }
    for (int trial = 0; trial < 20; trial++) {
        double *u = fixture_normals(n, 2);
        if (isinf(h->ops->conjugate(h, u)))
            assert_true(isinf(h->ops->conjugate_above(h, u, 1, room, steep)));
        free(u);
    }
    free(room), free(steep), free(v), free(none);
}

static void conjugates_are_rounded_up_and_have_room(void **state) {
    (void)state;
    for_every_loss(check_conjugate_above, usual_lengths, USUAL_COUNT);
}

/* A line search ends as low as a search by thirds, nearly, and never outside its bounds. */
static void check_line(const struct fixture_loss *fixture) {
    const struct loss *h = &fixture->h;
    for (int trial = 0; h->rows > 0 && trial < 20; trial++) {
        double *r = fixture_normals(h->rows, 2), *d = fixture_normals(h->rows, 1), alpha = fixture_uniform(-1, 1);
        struct parabola f = {fixture_uniform(0, 1), fixture_uniform(-1, 1), fixture_uniform(0.5, 2)};
        double low = trial % 2 == 0 ? -INFINITY : fixture_uniform(-2, 0), high = low + 1 > low ? low + 1 : INFINITY;
        double found = line_minimise(h, r, d, f, low, high, 60, INFINITY, &alpha), left = fmax(low, -50),
               right = fmin(high, 50);
        assert_true(alpha >= low && alpha <= high);
        for (int step = 0; step < 200; step++) {
            double t[2] = {left + (right - left) / 3, right - (right - left) / 3}, at[2];
            for (int k = 0; k < 2; k++)
                at[k] = (double)along_formula(fixture, r, d, t[k]) + f.constant + f.linear * t[k] +
                        f.quadratic / 2 * t[k] * t[k];
            if (at[0] < at[1])
                right = t[1];
            else
                left = t[0];
        }
        double best =
            (double)along_formula(fixture, r, d, left) + f.constant + f.linear * left + f.quadratic / 2 * left * left;
        assert_at_most(found, best + 1e-4 * (1 + fabs(best)));
        assert_at_most(best, found + 1e-9 * (1 + fabs(best)));
        free(r), free(d);
    }
}

static void line_searches_end_at_the_minimum(void **state) {
    (void)state;
    for_every_loss(check_line, usual_lengths, USUAL_COUNT);
}

/* A criterion needs a misfit that rises with the loss; the loss per row of a sum does not depend on how many there are.
 */
static void misfits_rise_with_the_loss(void **state) {
    (void)state;
    struct spgm_options options;
    memset(&options, 0, sizeof options);
    options.epsilon = 0.4;
    options.delta = 0.9;
    for (int64_t index = 0; loss_kind_at(index) != NULL; index++) {
        const struct loss_kind *kind = loss_kind_at(index);
        double last = -INFINITY;
        for (double value = 1e-3; value < 1e6; value *= 1.7) {
            double misfit = kind->deviance(&options, 50, value);
            assert_true(isfinite(misfit) && misfit > last);
            last = misfit;
        }
        if (kind->is_sum)
            assert_near(kind->per_row(6, 4), kind->per_row(3, 2), 1e-15);
        if (kind->probability != NULL) {
            assert_near(kind->probability(0), 0.5, 1e-16);
            assert_near(kind->probability(3) + kind->probability(-3), 1, 1e-15);
            assert_near(kind->probability(3), 1 / (1 + exp(-3.0)), 1e-15);
            assert_true(kind->probability(800) == 1 && kind->probability(-800) >= 0);
        }
    }
}

/* Huber's misfit is that of its density: between Gauss's for a wide zone and Laplace's for a narrow one. */
static void misfit_of_huber_has_the_right_limits(void **state) {
    (void)state;
    struct spgm_options options;
    memset(&options, 0, sizeof options);
    double m = 40, L = 7, pi = acos(-1.0);
    options.delta = 1e4;
    assert_near(loss_find("huber")->deviance(&options, m, L), m * log(2 * pi * 2 * L / m) + m, 1e-6);
    options.delta = 1e-4; /* the loss is delta times the sum of sizes: (L / delta) / m is their mean */
    assert_near(loss_find("huber")->deviance(&options, m, L), 2 * m * log(2 * L / (options.delta * m)) + 2 * m, 1e-2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_aliases_are_found),
        cmocka_unit_test(registry_is_complete),
        cmocka_unit_test(value_is_the_formula),
        cmocka_unit_test(prox_of_a_sum_is_the_row_minimiser),
        cmocka_unit_test(prox_cannot_be_improved),
        cmocka_unit_test(prox_works_in_place),
        cmocka_unit_test(split_is_exact_however_small_mu_is),
        cmocka_unit_test(prox_is_firmly_nonexpansive),
        cmocka_unit_test(fenchel_young_holds_with_equality_at_subgradients),
        cmocka_unit_test(conjugate_is_the_supremum),
        cmocka_unit_test(conjugate_is_infinite_outside_its_domain),
        cmocka_unit_test(project_dual_is_the_nearest_point),
        cmocka_unit_test(moreau_decomposition_holds),
        cmocka_unit_test(lipschitz_bounds_subgradients_and_is_attained),
        cmocka_unit_test(dual_norm_is_the_smallest_mu_without_loss),
        cmocka_unit_test(lemmas_one_and_two_of_the_paper),
        cmocka_unit_test(reduction_hook_stands_for_rows_elsewhere),
        cmocka_unit_test(losses_scale_from_1e_minus_150_to_1e150),
        cmocka_unit_test(nan_is_never_hidden),
        cmocka_unit_test(along_is_the_formula_and_its_slope),
        cmocka_unit_test(derivatives_are_those_of_the_formula),
        cmocka_unit_test(the_quadratic_model_is_sound),
        cmocka_unit_test(recession_is_the_growth_far_out),
        cmocka_unit_test(conjugates_are_rounded_up_and_have_room),
        cmocka_unit_test(line_searches_end_at_the_minimum),
        cmocka_unit_test(misfits_rise_with_the_loss),
        cmocka_unit_test(misfit_of_huber_has_the_right_limits),
        cmocka_unit_test(linf_selection_is_exact_for_hard_data),
        cmocka_unit_test(linf_selection_is_quick_on_normal_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
