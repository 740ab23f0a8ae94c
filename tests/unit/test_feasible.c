/* Every rule of the feasible set against brute force over all supports, whose definition is written here once more. */
#include "unit/model_fixture.h"

#include "model/problem.h"

enum { MOST = 12, LARGE = 3000 };

struct sample {
    struct feasible set;
    struct feasible_work work;
    struct workspace workspace;
    int64_t n, groups, limit;
    unsigned char is_free[LARGE], is_barred[LARGE];
    int64_t group_of[LARGE];
    double gains[LARGE];
};

/* Free and barred columns, and groups of any size, some of one column and some of none; room for the free ones. */
static struct sample *sample_new(const struct feasible_rule *rule, int64_t n, int64_t groups) {
    struct sample *s = calloc(1, sizeof *s);
    int has_groups = rule != &feasible_columns;
    assert_non_null(s);
    s->n = n, s->groups = groups, s->limit = rule == &feasible_capped ? 1 + fixture_below(3) : 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t kind = fixture_below(6);
        s->group_of[j] = fixture_below(groups + 1) - 1;
        s->is_free[j] = kind == 0;
        s->is_barred[j] = kind == 1;
    }
    for (int64_t g = 0; g < groups && s->limit > 0; g++) { /* free ones beyond the limit are another matter: an error */
        int64_t inside = 0;
        for (int64_t j = 0; j < n; j++)
            if (s->group_of[j] == g && s->is_free[j] && ++inside > s->limit)
                s->is_free[j] = 0;
    }
    feasible_init(&s->set, n, s->is_free, s->is_barred, has_groups ? s->group_of : NULL, groups, s->limit,
                  &s->workspace);
    feasible_work_init(&s->work, &s->set, &s->workspace);
    assert_false(s->workspace.failed);
    assert_ptr_equal(s->set.rule, rule);
    return s;
}

static void sample_free(struct sample *s) {
    workspace_free(&s->workspace);
    free(s);
}

static int is_candidate(const struct sample *s, int64_t j) {
    return !s->is_free[j] && !s->is_barred[j];
}

/* ---- the definitions --------------------------------------------------------------------------------------------- */

/* Whether i and j are one unit. */
static int same_unit(const struct sample *s, int64_t i, int64_t j) {
    return i == j ||
           (strcmp(s->set.rule->name, "grouped") == 0 && s->group_of[i] >= 0 && s->group_of[i] == s->group_of[j]);
}

static int64_t units_of(const struct sample *s, uint32_t support) {
    int64_t units = 0;
    for (int64_t j = 0; j < s->n; j++) {
        int is_first = is_candidate(s, j) && (support >> j & 1);
        for (int64_t i = 0; i < j && is_first; i++)
            is_first = !((support >> i & 1) && is_candidate(s, i) && same_unit(s, i, j));
        units += is_first;
    }
    return units;
}

/* The rule and what is barred; s aside. */
static int keeps_rule(const struct sample *s, uint32_t support) {
    const char *name = s->set.rule->name;
    int known = strcmp(name, "columns") == 0 || strcmp(name, "capped") == 0 || strcmp(name, "grouped") == 0;
    if (!known)
        fail_msg("the rule %s is not written here", name);
    for (int64_t j = 0; j < s->n; j++)
        if (s->is_barred[j] && (support >> j & 1))
            return 0;
    for (int64_t g = 0; g < s->groups && strcmp(name, "capped") == 0; g++) {
        int64_t inside = 0;
        for (int64_t j = 0; j < s->n; j++)
            inside += s->group_of[j] == g && (s->is_free[j] || (support >> j & 1));
        if (inside > s->limit)
            return 0;
    }
    return 1;
}

static double total(const struct sample *s, uint32_t support) {
    double sum = 0;
    for (int64_t j = 0; j < s->n; j++)
        if (is_candidate(s, j) && (support >> j & 1))
            sum += s->gains[j];
    return sum;
}

/* The best sum over all supports within `listed`, and the most units and candidates of those allowed. */
struct best {
    double sum;
    int64_t units, candidates;
};

static struct best brute_force(const struct sample *s, int64_t sparsity, uint32_t listed) {
    struct best best = {0, 0, 0};
    for (uint32_t support = 0; support < UINT32_C(1) << s->n; support++) {
        int64_t units = units_of(s, support), candidates = 0;
        if ((support & ~listed) != 0 || units > sparsity || !keeps_rule(s, support))
            continue;
        for (int64_t j = 0; j < s->n; j++)
            candidates += is_candidate(s, j) && (support >> j & 1);
        best.sum = fmax(best.sum, total(s, support));
        best.units = units > best.units ? units : best.units;
        best.candidates = candidates > best.candidates ? candidates : best.candidates;
    }
    return best;
}

/* ---- choose ------------------------------------------------------------------------------------------------------ */

/* No unit that is out could take the place of one that is in with the same sum of gains and a higher first column. */
static void check_ties(const struct sample *s, uint32_t chosen, uint32_t listed) {
    for (int64_t out = 0; out < s->n; out++)
        for (int64_t in = out + 1; in < s->n; in++) {
            uint32_t leaving = 0, entering = 0;
            if (!is_candidate(s, out) || !is_candidate(s, in) || !(listed >> out & 1) || !(chosen >> in & 1) ||
                (chosen >> out & 1) || same_unit(s, in, out))
                continue;
            for (int64_t j = 0; j < s->n; j++) {
                if (!is_candidate(s, j) || !(listed >> j & 1))
                    continue;
                leaving |= same_unit(s, in, j) ? UINT32_C(1) << j : 0;
                entering |= same_unit(s, out, j) ? UINT32_C(1) << j : 0;
            }
            int out_is_first = (entering & ((UINT32_C(1) << out) - 1)) == 0;
            int in_is_first = (leaving & ((UINT32_C(1) << in) - 1)) == 0;
            if (out_is_first && in_is_first && total(s, leaving) == total(s, entering) &&
                keeps_rule(s, (chosen & ~leaving) | entering))
                fail_msg("%s: column %d is in instead of %d, which is worth the same", s->set.rule->name, (int)in,
                         (int)out);
        }
}

static uint32_t choose(struct sample *s, int64_t sparsity, uint32_t listed, int whole) {
    int64_t list[MOST], count = 0, chosen[MOST];
    double gains[MOST];
    uint32_t support = 0;
    for (int64_t j = 0; j < s->n; j++)
        if (listed >> j & 1)
            gains[count] = s->gains[j], list[count++] = j;
    int64_t size = s->set.rule->choose(&s->set, sparsity, count, whole ? NULL : list, gains, &s->work, chosen);
    assert_in_range(size, 0, count);
    for (int64_t i = 0; i < size; i++) {
        assert_in_range(chosen[i], 0, count - 1);
        assert_true(i == 0 || chosen[i] > chosen[i - 1]);
        support |= UINT32_C(1) << list[chosen[i]];
    }
    for (int64_t j = 0; s->work.count != NULL && j < s->n; j++)
        assert_true(s->work.count[j] == 0);
    return support;
}

static void check_choice(struct sample *s, int64_t sparsity, uint32_t listed, int whole) {
    uint32_t support = choose(s, sparsity, listed, whole);
    struct best best = brute_force(s, sparsity, listed);
    assert_true(keeps_rule(s, support));
    assert_near(total(s, support), best.sum, 0); /* whole numbers */
    assert_int_equal(units_of(s, support), best.units);
    for (int64_t j = 0; j < s->n; j++)
        assert_true(!s->is_free[j] || !(listed >> j & 1) || (support >> j & 1));
    check_ties(s, support, listed);
}

static void test_choose(void **unused) {
    (void)unused;
    for (int64_t rule = 0; feasible_rule_at(rule) != NULL; rule++)
        for (int round = 0; round < 60; round++) {
            struct sample *s = sample_new(feasible_rule_at(rule), 1 + fixture_below(9), 1 + fixture_below(4));
            uint32_t all = (UINT32_C(1) << s->n) - 1;
            for (int64_t j = 0; j < s->n; j++)
                s->gains[j] = (double)fixture_below(round % 3 == 0 ? 2 : 6); /* many ties, many zeros */
            for (int64_t sparsity = 0; sparsity <= s->n; sparsity++) {
                check_choice(s, sparsity, all, 1);
                check_choice(s, sparsity, all & (uint32_t)fixture_bits(), 0);
            }
            sample_free(s);
        }
}

/* The largest sum of gains over the allowed supports, which is what a rule chooses. */
static double maximum(struct sample *s, int64_t sparsity, int64_t *chosen, int64_t *size) {
    double sum = 0;
    *size = s->set.rule->choose(&s->set, sparsity, s->n, NULL, s->gains, &s->work, chosen);
    for (int64_t i = 0; i < *size; i++)
        sum += s->gains[chosen[i]];
    return sum;
}

/* Infinite gains never come out of finite ones, and NaN is chosen last. */
static void test_choose_odd_numbers(void **unused) {
    (void)unused;
    for (int64_t rule = 0; feasible_rule_at(rule) != NULL; rule++) {
        struct sample *s = sample_new(feasible_rule_at(rule), MOST, 3);
        int64_t chosen[MOST], size;
        for (int64_t j = 0; j < MOST; j++)
            s->gains[j] = is_candidate(s, j) ? (double)(j + 1) : NAN; /* not looked at */
        double sum = maximum(s, 3, chosen, &size);
        uint32_t support = choose(s, 3, (UINT32_C(1) << MOST) - 1, 1);
        if (s->set.candidates == MOST)
            assert_near(sum, total(s, support), 0);
        assert_near(total(s, support), brute_force(s, 3, (UINT32_C(1) << MOST) - 1).sum, 0);
        for (int64_t j = 0; j < MOST; j++)
            s->gains[j] = is_candidate(s, j) && j % 2 ? NAN : 1;
        support = choose(s, 1, (UINT32_C(1) << MOST) - 1, 1);
        assert_true(keeps_rule(s, support));
        assert_at_most(units_of(s, support), 1);
        sample_free(s);
    }
}

static void test_maximum(void **unused) {
    (void)unused;
    for (int64_t rule = 0; feasible_rule_at(rule) != NULL; rule++)
        for (int round = 0; round < 20; round++) {
            struct sample *s = sample_new(feasible_rule_at(rule), 8, 3);
            int64_t chosen[MOST], size, sparsity = fixture_below(9);
            double expected;
            for (int64_t j = 0; j < s->n; j++)
                s->gains[j] = (double)fixture_below(9);
            expected = brute_force(s, sparsity, 255).sum;
            for (int64_t j = 0; j < s->n; j++)
                expected += s->is_free[j] ? s->gains[j] : 0;
            assert_near(maximum(s, sparsity, chosen, &size), expected, 0);
            sample_free(s);
        }
}

/* ---- projection ------------------------------------------------------------------------------------------- */

/* The nearest point of the feasible set to v by problem_key, choose and problem_clip is the nearest of all supports. */
static void test_projection(void **unused) {
    (void)unused;
    for (int64_t rule = 0; feasible_rule_at(rule) != NULL; rule++)
        for (int round = 0; round < 60; round++) {
            struct sample *s = sample_new(feasible_rule_at(rule), 8, 3);
            double lower[MOST], upper[MOST], v[MOST], nearest = INFINITY, distance = 0,
                                                      size = ldexp(1, round % 7 * 30 - 90);
            int64_t sparsity = fixture_below(6);
            struct problem problem = {.set = s->set};
            if (round % 3 > 0)
                problem.lower = lower, problem.upper = upper;
            for (int64_t j = 0; j < s->n; j++) {
                lower[j] = fixture_below(3) == 0 ? -INFINITY : -size * fixture_uniform(0, 1) * (double)fixture_below(2);
                upper[j] = fixture_below(3) == 0 ? INFINITY : size * fixture_uniform(0, 1) * (double)fixture_below(2);
                v[j] = size * fixture_normal();
                s->gains[j] = problem_key(&problem, j, v[j]);
                assert_true(isfinite(s->gains[j]) && s->gains[j] >= 0);
            }
            uint32_t chosen = choose(s, sparsity, 255, 1);
            for (uint32_t support = 0; support < 256; support++) {
                double sum = 0;
                int has_free = 1;
                for (int64_t j = 0; j < s->n; j++) {
                    double out = v[j], in = problem.lower == NULL ? 0 : v[j] - fmin(fmax(v[j], lower[j]), upper[j]);
                    has_free = has_free && (!s->is_free[j] || (support >> j & 1));
                    sum += support >> j & 1 ? in * in : out * out;
                }
                if (has_free && units_of(s, support) <= sparsity && keeps_rule(s, support))
                    nearest = fmin(nearest, sum);
            }
            for (int64_t j = 0; j < s->n; j++) {
                double x = chosen >> j & 1 ? problem_clip(&problem, j, v[j]) : 0;
                distance += (x - v[j]) * (x - v[j]);
            }
            assert_near(distance, nearest, 1e-14 * nearest);
            sample_free(s);
        }
}

/* Large sets: the greedy rule over a sorted list, one unit after the other, which is exact for a matroid. */
static void test_choose_large(void **unused) {
    (void)unused;
    for (int64_t rule = 0; feasible_rule_at(rule) != NULL; rule++)
        for (int round = 0; round < 6; round++) {
            struct sample *s = sample_new(feasible_rule_at(rule), LARGE, round < 3 ? 40 : 900);
            int64_t *chosen = calloc(LARGE, sizeof *chosen), *used = calloc(LARGE, sizeof *used);
            double *sums = fixture_doubles(LARGE);
            int64_t size, sparsity = 1 + fixture_below(300), left = sparsity;
            double sum = 0;
            for (int64_t j = 0; j < LARGE; j++)
                s->gains[j] = (double)fixture_below(round % 2 ? 20 : 1000000);
            for (int64_t j = 0; j < LARGE; j++)
                if (is_candidate(s, j))
                    sums[s->set.unit_of[j]] += s->gains[j];
            for (; left > 0; left--) {
                int64_t best = -1;
                for (int64_t u = 0; u < s->set.units; u++)
                    if (sums[u] >= 0 && (best < 0 || sums[u] > sums[best]) &&
                        s->set.rule->may_enter(&s->set, used, u, -1))
                        best = u;
                if (best < 0)
                    break;
                sum += sums[best];
                sums[best] = -1;
                feasible_note(&s->set, used, best, 1);
            }
            for (int64_t j = 0; j < LARGE; j++)
                s->gains[j] = is_candidate(s, j) ? s->gains[j] : 0;
            assert_near(maximum(s, sparsity, chosen, &size), sum, 0);
            assert_true(feasible_allows(&s->set, sparsity, size, chosen, &s->work));
            free(chosen), free(used), free(sums);
            sample_free(s);
        }
}

/* ---- questions -------------------------------------------------------------------------------------------- */

static int64_t list_support(int64_t n, uint32_t support, int64_t *list) {
    int64_t size = 0;
    for (int64_t j = 0; j < n; j++)
        if (support >> j & 1)
            list[size++] = j;
    return size;
}

static void test_supports(void **unused) {
    (void)unused;
    for (int64_t rule = 0; feasible_rule_at(rule) != NULL; rule++)
        for (int round = 0; round < 20; round++) {
            struct sample *s = sample_new(feasible_rule_at(rule), 8, 3);
            struct best all = brute_force(s, s->n, 255);
            assert_int_equal(s->set.most, all.units);
            for (int64_t sparsity = 0; sparsity <= s->n; sparsity++)
                assert_int_equal(s->set.rule->most_columns(&s->set, sparsity),
                                 brute_force(s, sparsity, 255).candidates);
            for (uint32_t support = 0; support < 256; support++) {
                int64_t list[MOST], size = list_support(s->n, support, list);
                double x[MOST] = {0};
                for (int64_t i = 0; i < size; i++)
                    x[list[i]] = 1;
                int64_t units = units_of(s, support);
                assert_int_equal(feasible_count(&s->set, size, list, &s->work), units);
                assert_int_equal(feasible_count_x(&s->set, x, &s->work), units);
                for (int64_t sparsity = 0; sparsity <= 3; sparsity++)
                    assert_int_equal(feasible_allows(&s->set, sparsity, size, list, &s->work),
                                     units <= sparsity && keeps_rule(s, support));
            }
            sample_free(s);
        }
}

/* The columns of a unit as a support. */
static uint32_t unit_support(const struct sample *s, int64_t u) {
    uint32_t support = 0;
    for (int64_t i = s->set.unit_start[u]; i < s->set.unit_start[u + 1]; i++)
        support |= UINT32_C(1) << s->set.unit_columns[i];
    return support;
}

static void test_units(void **unused) {
    (void)unused;
    for (int64_t rule = 0; feasible_rule_at(rule) != NULL; rule++)
        for (int round = 0; round < 20; round++) {
            struct sample *s = sample_new(feasible_rule_at(rule), 9, 3);
            int64_t candidates = 0, last = -1;
            for (int64_t j = 0; j < s->n; j++) {
                int64_t u = s->set.unit_of[j];
                candidates += is_candidate(s, j);
                assert_int_equal(u >= 0, is_candidate(s, j));
                for (int64_t i = 0; u >= 0 && i < s->n; i++)
                    assert_int_equal(unit_support(s, u) >> i & 1, is_candidate(s, i) && same_unit(s, i, j));
                assert_true(u <= last + 1); /* numbered by the first column */
                last = u > last ? u : last;
            }
            assert_int_equal(s->set.units, last + 1);
            assert_int_equal(s->set.candidates, candidates);
            assert_int_equal(s->set.unit_start[s->set.units], candidates);
            for (int64_t g = 0; g < s->set.groups; g++)
                for (int64_t i = s->set.group_start[g]; i < s->set.group_start[g + 1]; i++) {
                    assert_int_equal(s->set.group_of[s->set.group_columns[i]], g);
                    assert_true(is_candidate(s, s->set.group_columns[i]));
                }
            sample_free(s);
        }
}

/* q may enter when p leaves: exactly when the support that results keeps to the rule. */
static void test_may_enter(void **unused) {
    (void)unused;
    for (int64_t rule = 0; feasible_rule_at(rule) != NULL; rule++)
        for (int round = 0; round < 30; round++) {
            struct sample *s = sample_new(feasible_rule_at(rule), 9, 3);
            int64_t used[MOST] = {0};
            uint32_t support = 0;
            for (int64_t u = 0; u < s->set.units; u++) /* units in a random support that keeps to the rule */
                if (fixture_below(2) && keeps_rule(s, support | unit_support(s, u))) {
                    support |= unit_support(s, u);
                    feasible_note(&s->set, used, u, 1);
                }
            for (int64_t q = 0; q < s->set.units; q++)
                for (int64_t p = -1; p < s->set.units; p++) {
                    uint32_t left = p < 0 ? support : support & ~unit_support(s, p);
                    if ((support & unit_support(s, q)) != 0 || (p >= 0 && left == support))
                        continue;
                    assert_int_equal(s->set.rule->may_enter(&s->set, used, q, p),
                                     keeps_rule(s, left | unit_support(s, q)));
                }
            sample_free(s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_choose),
        cmocka_unit_test(test_choose_odd_numbers),
        cmocka_unit_test(test_maximum),
        cmocka_unit_test(test_choose_large),
        cmocka_unit_test(test_supports),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_may_enter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
