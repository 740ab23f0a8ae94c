/* The block subproblem alone, against brute force over all subsets, on easy and on degenerate matrices. */
#include "spgm_fixture.h"

enum { LARGEST = 10 };

enum shape { RANDOM, DUPLICATES, ZERO_COLUMNS, LOW_RANK, HUGE_SCALE, TINY_SCALE, SHAPES };

/* H = C'C + ridge I with C of some shape; x with at most `budget` optional nonzeros. */
static void make_block(enum shape shape, int64_t k, int64_t mandatory, int64_t budget, uint64_t *seed, double *H,
                       double *g, double *x) {
    double C[12 * LARGEST], scale = shape == HUGE_SCALE ? 1e60 : shape == TINY_SCALE ? 1e-60 : 1;
    int64_t rank = shape == LOW_RANK ? 2 : 12, counted = 0;
    for (int64_t i = 0; i < 12 * k; i++)
        C[i] = i % 12 < rank ? draw_normal(seed) : 0;
    for (int64_t i = 0; i < 12; i++) {
        if (shape == DUPLICATES && k > 2)
            C[i + 12] = C[i], C[i + 12 * (k - 1)] = -2 * C[i];
        if (shape == ZERO_COLUMNS)
            C[i + 12 * (k / 2)] = 0;
    }
    for (int64_t a = 0; a < k; a++) {
        for (int64_t b = 0; b < k; b++) {
            H[a + b * k] = a == b ? 1e-3 * scale : 0;
            for (int64_t i = 0; i < 12; i++)
                H[a + b * k] += scale * C[i + a * 12] * C[i + b * 12];
        }
        g[a] = scale * draw_normal(seed);
        x[a] = draw(seed) < 0.5 ? draw_normal(seed) : 0;
        if (a >= mandatory && x[a] != 0 && ++counted > budget)
            x[a] = 0;
    }
}

static double value_of(int64_t k, const double *H, const double *g, const double *z) {
    double value = 0;
    for (int64_t i = 0; i < k; i++) {
        value += g[i] * z[i];
        for (int64_t j = 0; j < k; j++)
            value += z[i] * H[i + j * k] * z[j] / 2;
    }
    return value;
}

static void try_block(struct block *block, enum shape shape, int64_t k, int64_t mandatory, int64_t budget,
                      uint64_t *seed) {
    double H[LARGEST * LARGEST], g[LARGEST], x[LARGEST], best, change;
    int is_mandatory[LARGEST];
    int64_t counted = 0;
    make_block(shape, k, mandatory, budget, seed, H, g, x);
    memcpy(block->H, H, (size_t)(k * k) * sizeof *H);
    memcpy(block->g, g, (size_t)k * sizeof *g);
    memcpy(block->x, x, (size_t)k * sizeof *x);
    for (int64_t i = 0; i < k; i++)
        is_mandatory[i] = i < mandatory;
    best = raw_block_minimum(k, H, g, x, is_mandatory, budget, NULL);
    change = block_minimise(block, k, mandatory, budget);
    assert_near(change, best, 1e-9 * fabs(best), "shape %d k=%d mandatory=%d budget=%d", (int)shape, (int)k,
                (int)mandatory, (int)budget);
    assert_near(value_of(k, H, g, block->change), best, 1e-9 * fabs(best), "shape %d k=%d mandatory=%d budget=%d",
                (int)shape, (int)k, (int)mandatory, (int)budget);
    for (int64_t i = mandatory; i < k; i++)
        counted += x[i] + block->change[i] != 0;
    assert_true(counted <= budget);
}

static void test_against_brute_force(void **unused) {
    (void)unused;
    struct workspace workspace = {0};
    struct block block;
    uint64_t seed = 1;
    block_init(&block, LARGEST, &workspace);
    assert_false(workspace.failed);
    for (int shape = 0; shape < SHAPES; shape++)
        for (int64_t k = 1; k <= LARGEST; k++)
            for (int64_t mandatory = 0; mandatory <= (k < 3 ? k : 3); mandatory++)
                for (int64_t budget = 0; budget <= k - mandatory + 1; budget++)
                    try_block(&block, (enum shape)shape, k, mandatory, budget, &seed);
    workspace_free(&workspace);
}

/* Singular H, as with theta_1 = 0: the minimum is that of the columns that are left, and never an increase. */
static void test_singular(void **unused) {
    (void)unused;
    struct workspace workspace = {0};
    struct block block;
    block_init(&block, 3, &workspace);
    double H[9] = {4, 4, 0, 4, 4, 0, 0, 0, 0}, g[3] = {2, 2, 0}, x[3] = {0, 0, 5};
    memcpy(block.H, H, sizeof H);
    memcpy(block.g, g, sizeof g);
    memcpy(block.x, x, sizeof x);
    assert_near(block_minimise(&block, 3, 0, 2), -0.5, 1e-14, "two copies of one column");
    assert_near(block_minimise(&block, 3, 0, 1), -0.5, 1e-14, "one of two copies");
    block.H[8] = 1;
    block.g[2] = 1;
    block.x[2] = 0;
    assert_near(block_minimise(&block, 3, 0, 3), -1, 1e-14, "two copies and another column");
    assert_near(block_minimise(&block, 3, 2, 1), -1, 1e-14, "two copies that are mandatory");
    memset(block.H, 0, sizeof H);
    memset(block.g, 0, sizeof g);
    assert_near(block_minimise(&block, 3, 0, 1), 0, 0, "zero matrix");
    assert_true(block.change[0] == 0 && block.change[1] == 0 && block.change[2] == 0);
    block.H[0] = NAN;
    assert_near(block_minimise(&block, 3, 0, 1), 0, 0, "NaN");
    assert_true(block.change[0] == 0 && block.change[1] == 0 && block.change[2] == 0);
    assert_near(block_minimise(&block, 0, 0, 1), 0, 0, "empty");
    workspace_free(&workspace);
}

/* At the minimum over the block nothing moves, not even by rounding. */
static void test_stays_at_the_minimum(void **unused) {
    (void)unused;
    struct workspace workspace = {0};
    struct block block;
    uint64_t seed = 9;
    double H[36], g[6], x[6];
    block_init(&block, 6, &workspace);
    make_block(RANDOM, 6, 0, 3, &seed, H, g, x);
    for (int round = 0; round < 3; round++) {
        memcpy(block.H, H, sizeof H);
        memcpy(block.g, g, sizeof g);
        memcpy(block.x, x, sizeof x);
        block_minimise(&block, 6, 0, 3);
        for (int i = 0; i < 6; i++) {
            if (round > 0)
                assert_near(block.change[i], 0, 1e-14, "round %d", round);
            for (int j = 0; j < 6; j++)
                g[i] += H[i + j * 6] * block.change[j];
        }
        for (int i = 0; i < 6; i++)
            x[i] += block.change[i];
    }
    workspace_free(&workspace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_brute_force),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_stays_at_the_minimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
