/* The block subproblem alone, against brute force over all subsets, on easy and on degenerate matrices. */
#include "share.h"
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

/* ---- items, caps and bounds ---- */

enum { ITEMS = 1, CAPS = 2, BOUNDS = 4, SORTS = 8 };

struct within {
    int64_t k, mandatory, budget, items;
    int64_t item_of[LARGEST]; /* -1: mandatory */
    int64_t cap_of[LARGEST], room[LARGEST], caps;
    double lower[LARGEST], upper[LARGEST];
    int is_bounded;
};

/* Whether the coordinates of a set may be nonzero together. */
static int is_allowed(const struct within *w, uint32_t set) {
    int64_t items = 0;
    for (int64_t i = 0; i < w->items; i++) {
        int in = 0;
        for (int64_t j = 0; j < w->k; j++)
            in |= w->item_of[j] == i && (set >> j & 1);
        items += in;
    }
    for (int64_t c = 0; c < w->caps; c++) {
        int64_t inside = 0;
        for (int64_t i = 0; i < w->items; i++)
            for (int64_t j = 0; j < w->k && w->cap_of[i] == c; j++)
                if (w->item_of[j] == i && (set >> j & 1)) {
                    inside++;
                    break;
                }
        if (inside > w->room[c])
            return 0;
    }
    return items <= w->budget;
}

/* min over x + z supported on the set and within the bounds of 1/2 z'H z + g'z, by coordinate descent. */
static double descend_within(const struct within *w, uint32_t set, const double *H, const double *g, const double *x) {
    double z[LARGEST];
    for (int64_t i = 0; i < w->k; i++)
        z[i] = set >> i & 1 ? 0 : -x[i];
    for (int sweep = 0; sweep < 20000; sweep++) {
        double moved = 0;
        for (int64_t i = 0; i < w->k; i++) {
            double slope = g[i], old = z[i];
            if (!(set >> i & 1))
                continue;
            for (int64_t j = 0; j < w->k; j++)
                slope += H[i + j * w->k] * z[j];
            z[i] -= slope / H[i + i * w->k];
            if (w->is_bounded)
                z[i] = fmin(fmax(x[i] + z[i], w->lower[i]), w->upper[i]) - x[i];
            moved = fmax(moved, fabs(z[i] - old));
        }
        if (moved < 1e-14)
            break;
    }
    return value_of(w->k, H, g, z);
}

/* Items of one to three coordinates, caps on some of them, bounds around x, which keeps to all of it. */
static struct within make_within(int sort, int64_t k, int64_t mandatory, uint64_t *seed, double *x) {
    struct within w = {.k = k, .mandatory = mandatory, .is_bounded = (sort & BOUNDS) != 0};
    uint32_t set = (UINT32_C(1) << mandatory) - 1;
    for (int64_t j = 0; j < k; j++) {
        int is_new = j == mandatory || !(sort & ITEMS) || draw(seed) < 0.5;
        w.items += j >= mandatory && is_new;
        w.item_of[j] = j < mandatory ? -1 : w.items - 1;
        w.lower[j] = draw(seed) < 0.3 ? -INFINITY : -draw(seed) * (draw(seed) < 0.7);
        w.upper[j] = draw(seed) < 0.3 ? INFINITY : draw(seed) * (draw(seed) < 0.7);
    }
    w.caps = sort & CAPS ? 2 : 0;
    w.room[0] = 1, w.room[1] = 2;
    for (int64_t i = 0; i < w.items; i++)
        w.cap_of[i] = sort & CAPS ? (int64_t)(3 * draw(seed)) - 1 : -1;
    w.budget = (int64_t)((double)(w.items + 2) * draw(seed));
    for (int64_t j = 0; j < k; j++) {
        if (w.is_bounded)
            x[j] = fmin(fmax(x[j], w.lower[j]), w.upper[j]);
        if (x[j] != 0 && is_allowed(&w, set | UINT32_C(1) << j))
            set |= UINT32_C(1) << j;
        else
            x[j] = 0;
    }
    return w;
}

static void try_within(struct block *block, int sort, enum shape shape, int64_t k, int64_t mandatory, uint64_t *seed) {
    double H[LARGEST * LARGEST], g[LARGEST], x[LARGEST], best = INFINITY, change;
    struct within w;
    uint32_t must = (UINT32_C(1) << mandatory) - 1, used = must;
    make_block(shape, k, mandatory, k, seed, H, g, x);
    w = make_within(sort, k, mandatory, seed, x);
    for (int64_t j = 0; j < k; j++)
        H[j + j * k] += 0.1; /* for coordinate descent */
    memcpy(block->H, H, (size_t)(k * k) * sizeof *H);
    memcpy(block->g, g, (size_t)k * sizeof *g);
    memcpy(block->x, x, (size_t)k * sizeof *x);
    memcpy(block->lower, w.lower, (size_t)k * sizeof *x);
    memcpy(block->upper, w.upper, (size_t)k * sizeof *x);
    memcpy(block->item_cap, w.cap_of, (size_t)w.items * sizeof *w.cap_of);
    memcpy(block->cap_room, w.room, 2 * sizeof *w.room);
    block->items = w.items, block->caps = w.caps, block->is_bounded = w.is_bounded;
    for (int64_t j = k - 1; j >= mandatory; j--)
        block->item_start[w.item_of[j]] = j;
    block->item_start[w.items] = k;
    for (uint32_t set = 0; set < UINT32_C(1) << k; set++)
        if ((set & must) == must && is_allowed(&w, set))
            best = fmin(best, descend_within(&w, set, H, g, x));
    change = block_minimise_within(block, k, mandatory, w.budget);
    assert_near(change, best, 1e-8 * (1 + fabs(best)), "sort %d shape %d k=%d mandatory=%d budget=%d items=%d", sort,
                (int)shape, (int)k, (int)mandatory, (int)w.budget, (int)w.items);
    assert_near(value_of(k, H, g, block->change), change, 1e-9 * (1 + fabs(best)), "sort %d", sort);
    for (int64_t j = 0; j < k; j++) {
        double end = x[j] + block->change[j];
        used |= end != 0 ? UINT32_C(1) << j : 0;
        if (w.is_bounded)
            assert_true(end >= w.lower[j] - 1e-15 && end <= w.upper[j] + 1e-15);
    }
    assert_true(is_allowed(&w, used));
    assert_int_equal(block->is_bounded, w.is_bounded);
    assert_memory_equal(block->cap_room, w.room, 2 * sizeof *w.room);
}

static void test_within(void **unused) {
    (void)unused;
    static const enum shape shapes[] = {RANDOM, DUPLICATES, LOW_RANK};
    struct workspace workspace = {0};
    struct block block;
    uint64_t seed = 3;
    block_init(&block, LARGEST, &workspace);
    block_init_within(&block, &workspace);
    assert_false(workspace.failed);
    for (int sort = 0; sort < SORTS; sort++)
        for (int shape = 0; shape < 3; shape++)
            for (int64_t k = 1; k <= SHARE(8, 6); k++)
                for (int64_t mandatory = 0; mandatory <= (k < 2 ? k : 2); mandatory++)
                    for (int round = 0; round < SHARE(3, 1); round++)
                        try_within(&block, sort, shapes[shape], k, mandatory, &seed);
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
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_stays_at_the_minimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
