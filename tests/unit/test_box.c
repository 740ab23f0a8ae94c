/* box_minimise against the conditions that make a point the minimum over a box, and against coordinate descent. */
#include "unit/model_fixture.h"

#include "linalg/box.h"

enum { MOST = 12 };

struct programme {
    int64_t k;
    double H[MOST * MOST], p[MOST], lower[MOST], upper[MOST];
};

/* H = C'C with `rank` rows, and a little on the diagonal; some bounds infinite, some coordinates fixed at 0. */
static struct programme draw(int64_t k, int64_t rank, double ridge) {
    struct programme q = {.k = k};
    double C[MOST * MOST];
    for (int64_t i = 0; i < rank * k; i++)
        C[i] = fixture_normal();
    for (int64_t a = 0; a < k; a++) {
        for (int64_t b = 0; b < k; b++) {
            q.H[a + b * k] = a == b ? ridge : 0;
            for (int64_t i = 0; i < rank; i++)
                q.H[a + b * k] += C[i + a * rank] * C[i + b * rank];
        }
        q.lower[a] = fixture_below(3) == 0 ? -INFINITY : -fixture_uniform(0, 1) * (double)fixture_below(2);
        q.upper[a] = fixture_below(3) == 0 ? INFINITY : fixture_uniform(0, 1) * (double)fixture_below(2);
        q.p[a] = 0;
    }
    for (int64_t i = 0; i < rank; i++) { /* p in the range of H, so that there is a minimum */
        double v = 3 * fixture_normal();
        for (int64_t a = 0; a < k; a++)
            q.p[a] += C[i + a * rank] * v;
    }
    return q;
}

static double value(const struct programme *q, const double *z) {
    double sum = 0;
    for (int64_t i = 0; i < q->k; i++) {
        sum -= q->p[i] * z[i];
        for (int64_t j = 0; j < q->k; j++)
            sum += z[i] * q->H[i + j * q->k] * z[j] / 2;
    }
    return sum;
}

/* Many sweeps, each coordinate to its minimum. */
static void descend(const struct programme *q, double *z) {
    for (int sweep = 0; sweep < 4000; sweep++)
        for (int64_t i = 0; i < q->k; i++) {
            double r = q->p[i];
            for (int64_t j = 0; j < q->k; j++)
                r -= q->H[i + j * q->k] * z[j];
            if (q->H[i + i * q->k] > 0)
                z[i] = fmin(fmax(z[i] + r / q->H[i + i * q->k], q->lower[i]), q->upper[i]);
        }
}

static void check(struct box *box, const struct programme *q, const double *start) {
    double z[MOST], reference[MOST] = {0};
    memcpy(z, start, sizeof z);
    box_minimise(box, q->k, q->H, q->k, q->p, q->lower, q->upper, z);
    descend(q, reference);
    assert_at_most(value(q, z), value(q, start));
    assert_at_most(value(q, z), value(q, reference) + 1e-9 * (1 + fabs(value(q, reference))));
    for (int64_t i = 0; i < q->k; i++)
        assert_true(z[i] >= q->lower[i] && z[i] <= q->upper[i]);
}

static void test_against_descent(void **unused) {
    (void)unused;
    struct workspace workspace = {0};
    struct box box;
    box_init(&box, MOST, &workspace);
    assert_false(workspace.failed);
    for (int round = 0; round < 400; round++) {
        int64_t k = 1 + fixture_below(MOST);
        struct programme q = draw(k, round % 4 == 0 ? 1 + fixture_below(k) : k, round % 4 == 0 ? 0 : 0.01);
        double start[MOST] = {0};
        check(&box, &q, start);
        for (int64_t i = 0; i < k; i++)
            start[i] = fmin(fmax(fixture_normal(), q.lower[i]), q.upper[i]);
        check(&box, &q, start);
    }
    workspace_free(&workspace);
}

static void test_edges(void **unused) {
    (void)unused;
    struct workspace workspace = {0};
    struct box box;
    box_init(&box, 2, &workspace);
    double H[4] = {2, 0, 0, 2}, p[2] = {4, -4}, lower[2] = {0, 0}, upper[2] = {1, 1}, z[2] = {0, 0};
    box_minimise(&box, 2, H, 2, p, lower, upper, z);
    assert_true(z[0] == 1 && z[1] == 0);
    double wide_lower[2] = {-INFINITY, -INFINITY}, wide_upper[2] = {INFINITY, INFINITY};
    box_minimise(&box, 2, H, 2, p, wide_lower, wide_upper, z);
    assert_near(z[0], 2, 1e-15);
    assert_near(z[1], -2, 1e-15);
    double zeros[4] = {0}, fixed[2] = {0, 0};
    z[0] = z[1] = 0;
    box_minimise(&box, 2, H, 2, p, fixed, fixed, z);
    assert_true(z[0] == 0 && z[1] == 0);
    box_minimise(&box, 2, zeros, 2, fixed, lower, upper, z);
    assert_true(z[0] == 0 && z[1] == 0);
    box_minimise(&box, 0, H, 2, p, lower, upper, z);
    workspace_free(&workspace);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_descent), cmocka_unit_test(test_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
