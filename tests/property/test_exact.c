/*
 * Branch and bound against enumeration: on small random problems of every kind the bound is never above the F of any
 * support, the F found is that of the best support, and a run that says `optimal` is. Whatever supports there are is
 * counted here, subset by subset, and each is fitted alone; what the feasible set allows is asked of the raw x.
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

#include "alone.h"
#include "draw.h"
#include "fit/fit.h"
#include "losses.h"
#include "model/problem.h"
#include "search/exact.h"
#include "search/ledger.h"
#include "share.h"
#include "woken.h"

enum { ROWS = 24, COLUMNS = 14, LOSSES = 10 };
static const char *const losses[LOSSES] = {"l1",      "quantile", "hinge", "epsilon",  "linf",
                                           "squared", "l2",       "huber", "logistic", "squared_hinge"};

struct instance {
    int64_t m, n, s;
    const char *loss;
    double A[ROWS * COLUMNS], b[ROWS], weights[ROWS], low[COLUMNS], high[COLUMNS], p[COLUMNS], C[ROWS * COLUMNS],
        d[ROWS];
    int64_t group[COLUMNS], limit, free_column;
    int has_weights, has_bounds, has_groups, has_linear, has_term, has_intercept;
    double ridge;
    spgm_matrix matrix, term;
    spgm_options *options;
    spgm_problem *problem;
    char text[240];
};

static int has_labels(const struct instance *in) {
    return kind_of_loss(in->loss)->target == LOSS_OF_TWO_LABELS;
}

/* ---- instances ------------------------------------------------------------------------------------------ */

static void draw_matrix(struct instance *in, int kind) {
    for (int64_t k = 0; k < in->m * in->n; k++) {
        in->A[k] = kind == 1 ? below(3) - 1 : normal(); /* 1: small integers, full of ties */
    }
    for (int64_t j = 1; kind == 2 && j < in->n; j++) { /* badly scaled */
        double scale = pow(10, 6 * draw() - 3);

        for (int64_t i = 0; i < in->m; i++) {
            in->A[i + j * in->m] *= scale;
        }
    }
    for (int64_t j = 1; kind == 3 && j < in->n; j += 2) { /* duplicates, some nearly so, and a zero column */
        double by = j % 4 == 1 ? 0 : 1e-7;

        for (int64_t i = 0; i < in->m; i++) {
            in->A[i + j * in->m] = j == 5 ? 0 : in->A[i + (j - 1) * in->m] + by * normal();
        }
    }
}

static void draw_target(struct instance *in, int kind) {
    for (int64_t i = 0; i < in->m; i++) {
        double sum = kind == 1 ? below(3) : 0.7 * normal();

        for (int64_t j = 0; j < 3 && j < in->n; j++) {
            sum += in->A[i + j * in->m] * (j == 1 ? -1 : 1);
        }
        in->b[i] = has_labels(in) ? (sum > 0 ? 1 : -1) : sum;
    }
    if (has_labels(in)) {
        in->b[0] = 1;
        in->b[1] = -1;
        in->b[2] = -in->b[2];
    }
}

static void draw_options(struct instance *in) {
    in->has_intercept = below(2);
    in->ridge = below(3) == 0 ? 0.3 * draw() : 0;
    in->has_weights = below(3) == 0 && strcmp(in->loss, "linf") != 0 && strcmp(in->loss, "l2") != 0;
    in->has_bounds = below(3) == 0;
    in->has_groups = below(4) == 0;
    in->limit = in->has_groups ? below(3) : 0;
    in->free_column = below(4) == 0 ? below((int)in->n) : -1;
    in->has_term = below(6) == 0;
    in->has_linear = below(6) == 0;
    if (in->has_linear) { /* bounded below for certain */
        in->ridge = 0.1 + draw();
    }
    for (int64_t i = 0; i < in->m; i++) {
        in->weights[i] = below(4);
        in->d[i] = normal();
    }
    in->weights[0] = in->weights[1] = 1;
    for (int64_t j = 0; j < in->n; j++) {
        in->low[j] = below(3) == 0 ? -INFINITY : -draw();
        in->high[j] = below(3) == 0 ? INFINITY : draw();
        in->group[j] = below(4) - 1;
        in->p[j] = 0.5 * normal();
    }
    for (int64_t k = 0; k < in->m * in->n; k++) {
        in->C[k] = 0.5 * normal();
    }
}

static void set(spgm_options *options, const char *name, const char *value) {
    spgm_status status;

    if (spgm_options_set(options, name, value, &status) != SPGM_OK) {
        fail_msg("%s", status.message);
    }
}

static void set_number(spgm_options *options, const char *name, double value) {
    char text[40];

    snprintf(text, sizeof text, "%.17g", value);
    set(options, name, text);
}

static void build(struct instance *in) {
    spgm_status status;
    int ok;

    in->options = spgm_options_new();
    set(in->options, "loss", in->loss);
    set(in->options, "method", "exact");
    set(in->options, "quantile", "0.8");
    set(in->options, "threads", "1");
    set(in->options, "intercept", in->has_intercept ? "true" : "false");
    set_number(in->options, "ridge", in->ridge);
    in->matrix = spgm_dense(in->m, in->n, in->A);
    in->term = spgm_dense(in->m, in->n, in->C);
    ok = spgm_problem_new(&in->matrix, in->b, in->options, &in->problem, &status) == SPGM_OK;
    ok = ok && (!in->has_weights || spgm_problem_set_weights(in->problem, in->weights, &status) == SPGM_OK);
    ok = ok && (!in->has_bounds || spgm_problem_set_bounds(in->problem, in->low, in->high, &status) == SPGM_OK);
    ok = ok &&
         (in->free_column < 0 || spgm_problem_set_free_columns(in->problem, &in->free_column, 1, &status) == SPGM_OK);
    ok = ok && (!in->has_groups || spgm_problem_set_groups(in->problem, in->group, in->limit, &status) == SPGM_OK);
    ok = ok && (!in->has_linear || spgm_problem_set_linear(in->problem, in->p, &status) == SPGM_OK);
    ok = ok && (!in->has_term || spgm_problem_set_least_squares(in->problem, &in->term, in->d, &status) == SPGM_OK);
    if (!ok) {
        fail_msg("%s: %s", in->text, status.message);
    }
}

static void describe(struct instance *in, uint64_t seed, int kind) {
    snprintf(in->text, sizeof in->text,
             "seed %llu: %s, %lld x %lld, s = %lld, kind %d, ridge %g, weights %d, bounds %d, groups %d (limit %lld), "
             "free %lld, linear %d, term %d, intercept %d",
             (unsigned long long)seed, in->loss, (long long)in->m, (long long)in->n, (long long)in->s, kind, in->ridge,
             in->has_weights, in->has_bounds, in->has_groups, (long long)in->limit, (long long)in->free_column,
             in->has_linear, in->has_term, in->has_intercept);
}

static struct instance *instance_new(uint64_t seed) {
    struct instance *in = calloc(1, sizeof *in);
    int kind;

    assert_non_null(in);
    state_of_draw = seed * UINT64_C(0x2545f4914f6cdd1d);
    in->loss = loss_of_seed(losses, LOSSES, seed);
    kind = below(5);
    in->n = 3 + below(seed % 16 == 0 ? COLUMNS - 2 : 7);
    in->m = 3 + below(ROWS - 2);
    in->s = 1 + below((int)in->n);
    draw_matrix(in, kind);
    draw_target(in, kind);
    draw_options(in);
    describe(in, seed, kind);
    build(in);
    return in;
}

static void instance_free(struct instance *in) {
    spgm_problem_free(in->problem);
    spgm_options_free(in->options);
    free(in);
}

/* ---- enumeration ------------------------------------------------------------------------------------------ */

/* Whether x = 1 on these columns would be counted as at most s. */
static int is_allowed(const struct instance *in, unsigned mask) {
    double x[COLUMNS];
    int64_t units = 0, in_group[4] = {0};
    int has_seen[4] = {0};

    for (int64_t j = 0; j < in->n; j++) {
        int64_t g = in->has_groups ? in->group[j] : -1;

        x[j] = (mask >> j) & 1;
        if (x[j] == 0) {
            continue;
        }
        if (g >= 0 && in->limit > 0) {
            in_group[g]++;
        }
        if (j == in->free_column) {
            continue;
        }
        if (g >= 0 && in->limit == 0) {
            units += !has_seen[g];
            has_seen[g] = 1;
        } else {
            units++;
        }
    }
    for (int g = 0; g < 4 && in->limit > 0; g++) {
        int64_t with_free =
            in_group[g] + (in->free_column >= 0 && !((mask >> in->free_column) & 1) && in->group[in->free_column] == g);

        if (with_free > in->limit) {
            return 0;
        }
    }
    return units <= in->s;
}

/* The lowest F of any support, in the data's units: F of a feasible point, so that no bound may be above it. */
struct least {
    double F;
    double rounding; /* what F may be off by, at worst: x of near duplicates has large entries, whose products cancel */
    double at_zero;  /* F at x = 0, the size of the numbers                                                 */
};

/* (n + 2) eps sum_i w_i (|b_i| + sum_j |a_ij x_j|), no loss of a row being steeper than its weight here. */
static double rounding_of(const struct instance *in, const struct problem *framed, const double *z) {
    double x[COLUMNS], intercept = 0, sum = 0;

    problem_unscale(framed, z, x, &intercept);
    for (int64_t i = 0; i < in->m; i++) {
        double terms = fabs(in->b[i]) + fabs(intercept);

        for (int64_t j = 0; j < in->n; j++) {
            terms += fabs(in->A[i + j * in->m] * x[j]);
        }
        sum += (in->has_weights ? in->weights[i] : 1) * terms;
    }
    return (double)(in->n + 2) * 0x1p-52 * sum;
}

static struct least least_of_all(const struct instance *in) {
    struct problem framed = {0};
    spgm_status status;
    struct least least = {.F = INFINITY};
    double *x = calloc((size_t)in->n + 1, sizeof *x);

    assert_int_equal(spgm_problem_evaluate(in->problem, x, 0, &least.at_zero, NULL, NULL, &status), SPGM_OK);
    assert_int_equal(problem_frame(in->problem, 1, &framed, &status), SPGM_OK);
    for (unsigned mask = 0; mask < 1u << in->n; mask++) {
        int64_t support[COLUMNS + 1], size = 0;
        struct fit_report report;

        if (!is_allowed(in, mask)) {
            continue;
        }
        for (int64_t k = 0; k < framed.A->columns; k++) {
            int64_t j = problem_column(&framed, k);

            if (framed.is_free[k] || (j < in->n && ((mask >> j) & 1))) {
                support[size++] = k;
            }
        }
        memset(x, 0, ((size_t)in->n + 1) * sizeof *x);
        assert_int_equal(fit_once(&framed, size, support, x, &report, NULL, NULL, &status), SPGM_OK);
        if (framed.objective_unit * report.objective < least.F) {
            least.F = framed.objective_unit * report.objective;
            least.rounding = rounding_of(in, &framed, x);
        }
    }
    problem_unframe(&framed);
    free(x);
    return least;
}

/* How far the F of a run may be above that, and from its bound. A fit whose F is as good as zero is measured by F at
 * x = 0 (fit_is_good): it is perfect, or, under a logistic loss, as near to that as one likes. What is not called
 * optimal may be stopped by rounding a little earlier: a logistic loss whose slopes are lost beside those of a term. */
static double slack(const struct least *least, double F, spgm_outcome outcome) {
    double of_zero = outcome == SPGM_OPTIMAL ? 1e-5 : 3e-4;

    return 3e-6 * (fabs(least->F) + 1e-6 * fabs(F) + of_zero * fabs(least->at_zero)) + least->rounding;
}

/* ---- tests ------------------------------------------------------------------------------------------ */

struct tally {
    long runs, proven, bounded, quick;
};

/*
 * The tree alone, below x = 0. The method starts from the best model of `auto`, mostly the optimum, and a bound is
 * never above the incumbent, so that a wrong one would go unseen there. With a ledger boxes are shrunk before the tree
 * begins, which small trees otherwise do without.
 */
static void check_tree(const struct instance *in, const struct least *least, int has_ledger, int is_quick,
                       int has_all) {
    struct exact_limits limits = {.work = 3e7,
                                  .rounds = has_all ? 8 : 0,
                                  .nodes = 1000000,
                                  .bytes = 1e9,
                                  .is_quick = is_quick,
                                  .has_all = has_all};
    struct workspace workspace = {0};
    struct problem framed = {0};
    struct point point;
    struct run run;
    spgm_status status;
    double F, bound;
    int is_done;

    assert_int_equal(problem_frame(in->problem, 1, &framed, &status), SPGM_OK);
    run_init(&run, &framed, in->s < framed.set.most ? in->s : framed.set.most, in->options, &workspace);
    point_init(&point, &framed, &workspace);
    assert_false(workspace.failed);
    memset(run.x, 0, (size_t)framed.A->columns * sizeof *run.x);
    run_start(&run, &point);
    run.ledger = has_ledger ? ledger_new(framed.A->rows, 1e8) : NULL;
    assert_int_equal(exact_tree(&run, &limits, &is_done, &status), SPGM_OK);
    F = framed.objective_unit * run.best_objective;
    bound = framed.objective_unit * run.bound;
    if (!(bound <= least->F + 1e-12 * (fabs(least->F) + 1e-6 * fabs(F) + 1e-6) + 0.01 * least->rounding)) {
        fail_msg("%s: below x = 0 (ledger %d, quick %d, all %d) the bound is %.17g, but some support has F = %.17g",
                 in->text, has_ledger, is_quick, has_all, bound, least->F);
    }
    if (is_done && !(F <= least->F + slack(least, F, run.outcome))) {
        fail_msg("%s: the tree below x = 0 ends at F = %.17g, but some support has %.17g", in->text, F, least->F);
    }
    ledger_free(run.ledger);
    workspace_free(&workspace);
    problem_unframe(&framed);
}

/* What any other method proves of its end, which it leaves as it is. */
static void check_method(const struct instance *in, const struct least *least, const char *method,
                         struct tally *tally) {
    spgm_solver *solver;
    spgm_status status;
    spgm_info info;

    set(in->options, "method", method);
    assert_int_equal(spgm_solver_new(in->problem, in->s, in->options, &solver, &status), SPGM_OK);
    if (spgm_solver_run(solver, &status) != SPGM_OK) {
        fail_msg("%s: %s: %s", in->text, method, status.message);
    }
    info = spgm_solver_get_info(solver);
    tally->quick += isfinite(info.bound);
    if (!(info.bound <=
          least->F + 1e-12 * (fabs(least->F) + 1e-6 * fabs(info.objective) + 1e-6) + 0.01 * least->rounding)) {
        fail_msg("%s: %s has a bound of %.17g, but some support has F = %.17g", in->text, method, info.bound, least->F);
    }
    spgm_solver_free(solver);
}

/* Everything of one instance, which is freed. */
static void check_all(struct instance *in, uint64_t seed, struct tally *tally) {
    struct least least = least_of_all(in);
    double x[COLUMNS], intercept;
    spgm_solver *solver;
    spgm_status status;
    spgm_info info;

    for (int kind = 0; kind < 4; kind++) {
        check_tree(in, &least, 0, kind & 1, kind & 2);
    }
    if (!in->has_term) {
        check_tree(in, &least, 1, 0, 0);
    }
    assert_int_equal(spgm_solver_new(in->problem, in->s, in->options, &solver, &status), SPGM_OK);
    if (spgm_solver_run(solver, &status) != SPGM_OK) {
        fail_msg("%s: %s", in->text, status.message);
    }
    info = spgm_solver_get_info(solver);
    spgm_solver_get_x(solver, x, &intercept);
    tally->runs++;
    tally->proven += info.outcome == SPGM_OPTIMAL;
    tally->bounded += isfinite(info.bound);
    if (!(info.bound <=
          least.F + 1e-12 * (fabs(least.F) + 1e-6 * fabs(info.objective) + 1e-6) + 0.01 * least.rounding)) {
        fail_msg("%s: bound %.17g, but some support has F = %.17g", in->text, info.bound, least.F);
    }
    if (!(info.objective <= least.F + slack(&least, info.objective, info.outcome))) {
        fail_msg("%s: F = %.17g (%s, bound %.17g), but some support has %.17g", in->text, info.objective,
                 spgm_outcome_name(info.outcome), info.bound, least.F);
    }
    if (info.outcome == SPGM_OPTIMAL && !(info.objective - info.bound <= slack(&least, info.objective, info.outcome))) {
        fail_msg("%s: optimal with F = %.17g and bound %.17g", in->text, info.objective, info.bound);
    }
    if (!info.feasible) {
        spgm_problem_check(in->problem, x, in->s, NULL, &status);
        fail_msg("%s: %s", in->text, status.message);
    }
    spgm_solver_free(solver);
    check_method(in, &least, seed % 3 == 0 ? "omp" : seed % 3 == 1 ? "spgm-bcd" : "spgm-iht", tally);
    instance_free(in);
}

static void check_instance(uint64_t seed, struct tally *tally) {
    check_all(instance_new(seed), seed, tally);
}

/* More columns than rows: the vectors that box a column left it on the same side both times, and F = 3e-12 was proven
 * where 0 is to be had. */
static void damped_vectors_are_on_both_sides(void **state) {
    struct tally tally = {0};

    (void)state;
    check_instance(2001569, &tally);
}

/* linf with bounds, whose fits are not for pivots: columns that differ by 1e-7 were fitted 2e-5 above the minimum. */
static void bounds_that_do_not_bind_are_in_nobodys_way(void **state) {
    struct tally tally = {0};

    (void)state;
    check_instance(1006574, &tally);
}

/* Near duplicates that may go anywhere, beside columns that are on a bound: their fits were up to 0.2 % above the
 * minimum. In the last one a column of the pair has a bound. The fits of the enumeration were wrong, too: the proof
 * tells. */
static void near_duplicates_beside_bounds_are_exact(void **state) {
    static const uint64_t seeds[] = {71970, 73354, 73504};
    struct tally tally = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        check_instance(seeds[i], &tally);
    }
    assert_int_equal(tally.proven, 3);
}

static void finds_what_enumeration_finds(void **state) {
    struct tally tally = {0};
    const char *count = getenv("SPGM_EXACT_CASES"), *first = getenv("SPGM_EXACT_FIRST");
    uint64_t cases = count != NULL ? strtoull(count, NULL, 10) : SHARE(200, 30);
    uint64_t from = first != NULL ? strtoull(first, NULL, 10) : 1;

    (void)state;
    for (uint64_t seed = from; seed != UINT64_MAX; seed = seed_after(losses, LOSSES, seed, from, from + cases)) {
        check_instance(seed, &tally);
    }
    print_message("%ld runs, %ld proven, %ld with a bound, %ld of other methods\n", tally.runs, tally.proven,
                  tally.bounded, tally.quick);
    assert_true(cases < 40 || 10 * tally.proven > 9 * tally.runs);
    assert_true(cases < 40 || 2 * tally.quick > tally.runs);
}

/* Of two columns that differ by 1e-7 one has a use for coefficients of 1e7. The only leaf here is a warm fit that has
 * to get there; one that ends short of it leaves a tree that ends above supports without the column. */
static void leaves_of_near_duplicates_are_exact(void **state) {
    struct tally tally = {0};

    (void)state;
    PLAIN_ONLY();
    check_instance(1000072, &tally);
    assert_int_equal(tally.proven, 1);
    check_instance(1002884, &tally); /* and by the largest residual: 0.4 % too high */
    check_instance(1006504, &tally);
    check_instance(1006468, &tally); /* one of the two has left: F of a warm start is 5e6 times that of x = 0 */
}

/* Where other columns span all there is, near duplicates with coefficients of 1e7 are not needed, and cost digits. */
static void near_duplicates_come_last(void **state) {
    struct tally tally = {0};

    (void)state;
    check_instance(1002906, &tally);
    check_instance(1003556, &tally);
    assert_int_equal(tally.proven, 2);
}

/* Along duplicates without bounds F is straight. Rounding that moves a bounded column with them would end that line at
 * 1e15: the F of such a fit is noise, and was called optimal. */
static void duplicates_beside_bounds_stay_near(void **state) {
    struct tally tally = {0};

    (void)state;
    check_instance(1002928, &tally);
    assert_int_equal(tally.proven, 1);
}

/* Columns that separate the labels: F falls towards zero from exchange to exchange, and the search did not end. */
static void separated_labels_end(void **state) {
    struct tally tally = {0};

    (void)state;
    check_instance(1002068, &tally);
}

/* Up to three columns that are `low` but in some rows of one label, and more, or less, in these: the rest is enough for
 * no two labels to be told apart by it. */
static struct instance *endless_instance(uint64_t seed) {
    static const char *const some[] = {"hinge", "logistic", "squared_hinge"};
    struct instance *in = calloc(1, sizeof *in);

    assert_non_null(in);
    state_of_draw = seed * UINT64_C(0x2545f4914f6cdd1d) + 5;
    in->loss = some[seed % 3];
    in->n = 3 + below(5);
    in->m = ROWS;
    in->s = 1 + below((int)in->n - 1);
    draw_matrix(in, below(2));
    draw_target(in, 0);
    for (int64_t i = 0; i < in->m; i++) { /* noise, or few rows would do without it */
        in->b[i] *= below(4) == 0 ? -1 : 1;
    }
    draw_options(in);
    in->ridge = 0;
    in->has_bounds = in->has_term = in->has_linear = 0;
    for (int64_t j = 0; j < 1 + (int64_t)(seed % 3); j++) {
        double low = below(2) * (below(2) ? 1000.25 : -3), by = below(2) ? 1 : -0.25, label = below(2) ? 1 : -1;

        low = in->has_intercept ? low : 0;
        for (int64_t i = 0; i < in->m; i++) {
            in->A[i + j * in->m] = low + (in->b[i] == label && below(2) ? by * (1 + below(2)) : 0);
        }
    }
    describe(in, seed, 9);
    build(in);
    return in;
}

/* Few columns have no bounds, but no boxes are to be had either: a dual vector proves nothing then, neither that of the
 * incumbent nor that of the fit over all columns, which was taken for a bound above the optimum. */
static void bounds_need_boxes(void **state) {
    struct tally tally = {0};

    (void)state;
    check_instance(1002164, &tally);
}

/* A column that is not 0 for one label only has a coefficient without an end. There were no boxes then, and only what
 * all columns together leave was a bound, or nothing. */
static void columns_of_one_label_have_boxes(void **state) {
    struct tally tally = {0};
    const char *count = getenv("SPGM_EXACT_CASES");
    uint64_t cases = count != NULL ? strtoull(count, NULL, 10) : SHARE(60, 12);

    (void)state;
    for (uint64_t seed = 1; seed <= cases; seed++) {
        check_all(endless_instance(seed), seed, &tally);
    }
    print_message("%ld runs, %ld proven, %ld with a bound, %ld of other methods\n", tally.runs, tally.proven,
                  tally.bounded, tally.quick);
    assert_true(10 * tally.proven > 9 * tally.runs);
}

/* Columns of a one-hot table: the first one less the second is 1 for one label only, so that both coefficients have no
 * end. Without a ridge there are no boxes then, and a leaf with both has no proof, however often that is tried. Returns
 * the multiplications of auto with the logistic loss, by the columns of A that were read. */
static double work_of_one_hot(int64_t m, int64_t n, int64_t s, const char *effort) {
    double *A = calloc((size_t)(m * n), sizeof *A), *b = calloc((size_t)m, sizeof *b),
           *x = calloc((size_t)n, sizeof *x);
    spgm_matrix matrix = spgm_dense(m, n, A);
    spgm_options *options = spgm_options_new();
    spgm_status status;
    spgm_info info;

    state_of_draw = 11;
    for (int64_t i = 0; i < m; i++) {
        b[i] = normal();
        for (int64_t j = 1; j < n; j++) {
            A[i + j * m] = draw() < 0.3;
            b[i] += j <= s ? (j % 2 ? 1 : -0.7) * A[i + j * m] : 0;
        }
        b[i] = b[i] > 0 ? 1 : -1;
        A[i] = A[i + m] + (b[i] > 0 && draw() < 0.5);
    }
    set(options, "loss", "logistic");
    set(options, "effort", effort);
    assert_int_equal(spgm_solve(&matrix, b, s, options, x, NULL, &info, &status), SPGM_OK);
    print_message("%d x %d: %g nodes, %g\n", (int)m, (int)n, (double)info.nodes, info.passes * (double)(m * n));
    spgm_options_free(options);
    free(A);
    free(b);
    free(x);
    return info.passes * (double)(m * n);
}

/* What fits and proofs take is counted, though they take more than was planned: 12 columns have 1e10 / 16
 * multiplications at effort 1, 4.1e8 with the two islands that follow (4.6e8 where they are not counted). Where nothing
 * is left to be proven, the tree of 30 columns has 1e8, and the round that it is in and the search after it take some
 * times as much: 1.3e9 (2.3e9 without that rule, 5.4e9 without both). */
static void proofs_that_fail_are_counted(void **state) {
    (void)state;
    PLAIN_ONLY();
    assert_true(work_of_one_hot(3000, 12, 5, "1") <= 4.4e8);
    assert_true(work_of_one_hot(500, 30, 6, "5") <= 1.7e9);
}

/* Columns of 0 and 1 that tell labels apart together, under strong effects: the logistic loss falls for ever along
 * them, and steps of Newton's method went so far out (coefficients of 1e17 to 1e28) that F was the rounding of A x.
 * Such models were reported, at three times the F of others. */
static void what_separates_together_stays_in_sight(void **state) {
    enum { M = 60, N = 12, S = 4 };
    double A[M * N] = {0}, b[M], effect[N], x[N], near[N], intercept;
    spgm_matrix matrix = spgm_dense(M, N, A);
    spgm_options *options = spgm_options_new();
    int64_t runs = SHARE(20, 8);

    (void)state;
    set(options, "loss", "logistic");
    for (int64_t seed = 1; seed <= runs; seed++) {
        spgm_status status;
        spgm_problem *problem;
        spgm_info info;
        double F;

        state_of_draw = (uint64_t)seed;
        for (int64_t j = 0; j < N; j++) {
            effect[j] = j < S ? 2 * normal() : 0;
        }
        for (int64_t i = 0; i < M; i++) {
            b[i] = 0.3 * normal();
            for (int64_t j = 0; j < N; j++) {
                A[i + j * M] = draw() < 0.3;
                b[i] += effect[j] * A[i + j * M];
            }
            b[i] = b[i] > 0 ? 1 : -1;
        }
        b[0] = 1;
        b[1] = -1;
        set(options, "ridge", "1e-8");
        assert_int_equal(spgm_solve(&matrix, b, S, options, near, &intercept, &info, &status), SPGM_OK);
        set(options, "ridge", "0");
        assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, &status), SPGM_OK);
        assert_int_equal(spgm_problem_evaluate(problem, near, intercept, &F, NULL, NULL, &status), SPGM_OK);
        assert_int_equal(spgm_solve(&matrix, b, S, options, x, &intercept, &info, &status), SPGM_OK);
        for (int64_t j = 0; j < N; j++) {
            if (!(fabs(x[j]) < 1e14) || !(info.objective <= F * (1 + 1e-6) + 1e-6)) {
                fail_msg("seed %d: F = %.10g, with a small ridge %.10g, and a coefficient of %g", (int)seed,
                         info.objective, F, x[j]);
            }
        }
        spgm_problem_free(problem);
    }
    spgm_options_free(options);
}

/* A group whose first column is zero is a group all the same: it was overlooked, and the bound was wrong. */
static void groups_that_begin_with_zeros_count(void **state) {
    struct tally tally = {0};

    (void)state;
    check_instance(1005182, &tally);
}

/* ---- more columns than are looked at together ---------------------------------------------------------------- */

/* The least F of all supports of at most two columns. */
static double least_of_pairs(const struct instance *in) {
    struct problem framed = {0};
    spgm_status status;
    double least = INFINITY, *x;

    assert_int_equal(problem_frame(in->problem, 1, &framed, &status), SPGM_OK);
    x = calloc((size_t)framed.A->columns, sizeof *x);
    for (int64_t j = 0; j < in->n; j++) {
        for (int64_t k = in->s > 1 ? j + 1 : j; k < (in->s > 1 ? in->n : j + 1); k++) {
            int64_t support[2] = {j, k};
            struct fit_report report;

            x[j] = x[k] = 0;
            assert_int_equal(fit_once(&framed, in->s, support, x, &report, NULL, NULL, &status), SPGM_OK);
            x[j] = x[k] = 0;
            least = fmin(least, framed.objective_unit * report.objective);
        }
    }
    problem_unframe(&framed);
    free(x);
    return least;
}

static void check_wide(const char *loss, int64_t n, int64_t s, double ridge) {
    struct instance in = {.m = ROWS, .n = n, .s = s, .loss = loss};
    double *A = calloc((size_t)(in.m * n), sizeof *A);
    struct least least;
    spgm_status status;

    assert_non_null(A);
    for (int64_t k = 0; k < in.m * n; k++) {
        A[k] = normal();
    }
    for (int64_t i = 0; i < in.m; i++) {
        double sum = A[i] - A[i + in.m] + normal();

        in.b[i] = has_labels(&in) ? (sum > 0 ? 1 : -1) : sum;
    }
    snprintf(in.text, sizeof in.text, "%s, %lld columns, s = %lld, ridge %g", loss, (long long)n, (long long)s, ridge);
    in.options = spgm_options_new();
    set(in.options, "loss", loss);
    set(in.options, "intercept", "false");
    set_number(in.options, "ridge", ridge);
    in.matrix = spgm_dense(in.m, n, A);
    assert_int_equal(spgm_problem_new(&in.matrix, in.b, in.options, &in.problem, &status), SPGM_OK);
    least = (struct least){.F = least_of_pairs(&in)};
    check_tree(&in, &least, 0, 0, 0);
    check_tree(&in, &least, 0, 1, 0);
    spgm_problem_free(in.problem);
    spgm_options_free(in.options);
    free(A);
}

/* The splitting works on some of the columns, and on all of them where it needs too many. And boxes of columns that
 * outnumber the rows, without a ridge. */
static void wide_problems_too(void **state) {
    static const char *const some[] = {"l1", "hinge", "linf", "squared"};

    (void)state;
    PLAIN_ONLY();
    state_of_draw = 11;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        check_wide(some[i], 90, 2, 2);
        check_wide(some[i], 440, 1, 0.05);
        check_wide(some[i], ROWS + 3, 2, 0);
    }
}

/* ---- labels that are nearly told apart ------------------------------------------------------------------------ */

/* Pairs of equal rows with both labels, and rows that are far on the right side of one x: some dual vector is inside
 * dom h* in every row, but has next to no room in the far ones. Projections do not find it, and there were no boxes. */
static void nearly_separated_labels_have_boxes(void **state) {
    static const char *const some[] = {"hinge", "logistic", "squared_hinge"};

    (void)state;
    for (int seed = 0; seed < SHARE(30, 9); seed++) {
        struct exact_limits limits = {.work = INFINITY, .nodes = 1000000, .bytes = 1e9};
        struct instance in = {.m = ROWS, .n = 5, .s = 2, .loss = some[seed % 3]};
        struct workspace workspace = {0};
        struct problem framed = {0};
        struct point point;
        struct run run;
        struct least least;
        spgm_status status;
        int is_done;

        state_of_draw = 300 + (uint64_t)seed;
        for (int64_t i = 0; i < in.m; i++) {
            int is_pair = i < 12;
            double side = 0;

            for (int64_t j = 0; j < in.n; j++) {
                in.A[i + j * in.m] = is_pair && i % 2 ? in.A[i - 1 + j * in.m] : (is_pair ? 1 : 30) * normal();
                side += in.A[i + j * in.m];
            }
            in.b[i] = is_pair ? (i % 2 ? 1 : -1) : side > 0 ? 1 : -1;
        }
        in.options = spgm_options_new();
        set(in.options, "loss", in.loss);
        set(in.options, "intercept", "false");
        set_number(in.options, "ridge", 0);
        in.matrix = spgm_dense(in.m, in.n, in.A);
        assert_int_equal(spgm_problem_new(&in.matrix, in.b, in.options, &in.problem, &status), SPGM_OK);
        least = (struct least){.F = least_of_pairs(&in)};
        assert_int_equal(problem_frame(in.problem, 1, &framed, &status), SPGM_OK);
        run_init(&run, &framed, in.s, in.options, &workspace);
        point_init(&point, &framed, &workspace);
        assert_false(workspace.failed);
        memset(run.x, 0, (size_t)framed.A->columns * sizeof *run.x);
        run_start(&run, &point);
        run.ledger = ledger_new(framed.A->rows, 1e8);
        assert_int_equal(exact_tree(&run, &limits, &is_done, &status), SPGM_OK);
        if (!run.ledger->has_boxes) {
            fail_msg("%s, seed %d: no boxes", in.loss, seed);
        }
        assert_true(is_done);
        assert_true(framed.objective_unit * run.bound <= least.F * (1 + 1e-12));
        assert_true(framed.objective_unit * run.best_objective <= least.F * (1 + 3e-6));
        ledger_free(run.ledger);
        workspace_free(&workspace);
        problem_unframe(&framed);
        spgm_problem_free(in.problem);
        spgm_options_free(in.options);
    }
}

/* ---- many rows, no ridge ------------------------------------------------------------------------------------ */

enum { TALL = 3000, TALL_COLUMNS = 120 };

static int stop_at_a_bound(const spgm_progress *progress, void *context) {
    int64_t *calls = context;

    return progress->bound > -INFINITY || ++*calls > 100000;
}

/* Without effort it goes on until it is stopped, as under a time limit: a bound comes on the way. */
static spgm_info solve_tall(const char *loss, const char *method, const double *A, const double *b, int is_endless) {
    spgm_matrix matrix = spgm_dense(TALL, TALL_COLUMNS, A);
    spgm_options *options = spgm_options_new();
    spgm_problem *problem;
    spgm_solver *solver;
    spgm_status status;
    spgm_info info;
    int64_t calls = 0;

    set(options, "loss", loss);
    set(options, "method", method);
    set(options, "ridge", "0");
    set(options, "effort", is_endless ? "0" : "4");
    set(options, "time_limit", is_endless ? "1000000" : "inf");
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, &status), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, 5, options, &solver, &status), SPGM_OK);
    if (is_endless) {
        spgm_solver_set_progress(solver, stop_at_a_bound, &calls);
    }
    assert_int_equal(spgm_solver_run(solver, &status), SPGM_OK);
    info = spgm_solver_get_info(solver);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return info;
}

/* The fit over all columns takes less than the search: kinks had no bound here, nor had runs under a time limit. */
static void tall_problems_have_a_bound(void **state) {
    static const char *const some[] = {"l1", "hinge", "linf", "huber"};
    double *A = calloc((size_t)TALL * TALL_COLUMNS, sizeof *A), *b = calloc((size_t)TALL, sizeof *b);

    (void)state;
    state_of_draw = 12;
    assert_true(A != NULL && b != NULL);
    for (int64_t k = 0; k < TALL * TALL_COLUMNS; k++) {
        A[k] = normal();
    }
    for (size_t i = 0; i < sizeof some / sizeof *some; i += SHARE(1, 3)) {
        struct instance in = {.loss = some[i]};

        for (int64_t k = 0; k < TALL; k++) {
            double sum = A[k] - A[k + TALL] + A[k + 2 * TALL] + 2 * normal();

            b[k] = has_labels(&in) ? (sum > 0 ? 1 : -1) : sum;
        }
        for (int is_endless = 0; is_endless < SHARE(2, 1); is_endless++) {
            spgm_info info = solve_tall(some[i], "auto", A, b, is_endless);

            assert_true(info.bound <= info.objective && info.bound > 0.6 * info.objective);
        }
        if (i == 0 || i == 3) { /* too short for that fit: one factor does (search/exact/all.c) */
            spgm_info info = solve_tall(some[i], "spgm-iht", A, b, 0);

            assert_true(info.bound <= info.objective && info.bound > 0.6 * info.objective);
        }
    }
    free(A);
    free(b);
}

/* What a short method proves of its end where a ridge makes it possible: in proportion to F, not 0 because the dual
 * vector of a few columns takes more from a small ridge than there is. */
static void short_runs_with_a_ridge_have_a_bound(void **state) {
    static const struct {
        int64_t m, n;
        double part; /* of F that the bound must be above, for OMP */
    } sizes[] = {{200, 15, 0.5}, {40, 60, 0.05}};
    double *A = calloc(3000, sizeof *A), b[200], x[60], intercept;

    (void)state;
    state_of_draw = 31;
    for (int k = 0; k < 3000; k++) {
        A[k] = normal();
    }
    for (int l = 0; l < 2 * LOSSES; l++) {
        struct instance in = {.loss = losses[l % LOSSES], .m = sizes[l / LOSSES].m, .n = sizes[l / LOSSES].n};
        spgm_matrix matrix = spgm_dense(in.m, in.n, A);
        spgm_options *options = spgm_options_new();
        spgm_status status;
        spgm_info info;

        for (int64_t i = 0; i < in.m; i++) {
            double sum = A[i] - A[i + in.m] + A[i + 2 * in.m] + normal();

            b[i] = has_labels(&in) ? (sum > 0 ? 1 : -1) : sum;
        }
        set(options, "method", "omp");
        set(options, "loss", in.loss);
        set(options, "ridge", strcmp(in.loss, "linf") == 0 || strcmp(in.loss, "l2") == 0 ? "0.05" : "2");
        assert_int_equal(spgm_solve(&matrix, b, 4, options, x, &intercept, &info, &status), SPGM_OK);
        if (!(info.bound <= info.objective) || !(info.bound > sizes[l / LOSSES].part * info.objective)) {
            fail_msg("%s, %d x %d: F = %g, bound %g", in.loss, (int)in.m, (int)in.n, info.objective, info.bound);
        }
        spgm_options_free(options);
    }
    free(A);
}

/* ---- limits ------------------------------------------------------------------------------------------ */

/* A problem that takes a few hundred nodes: noise only. */
static struct instance *hard_instance(void) {
    struct instance *in = calloc(1, sizeof *in);

    assert_non_null(in);
    state_of_draw = 7;
    in->loss = "l1";
    in->m = ROWS;
    in->n = COLUMNS;
    in->s = 5;
    in->has_intercept = 1;
    in->free_column = -1;
    for (int64_t k = 0; k < in->m * in->n; k++) {
        in->A[k] = normal();
    }
    for (int64_t i = 0; i < in->m; i++) {
        in->b[i] = normal();
    }
    build(in);
    return in;
}

static spgm_info solve(const struct instance *in, double *x) {
    spgm_solver *solver;
    spgm_status status;
    spgm_info info;

    assert_int_equal(spgm_solver_new(in->problem, in->s, in->options, &solver, &status), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, &status), SPGM_OK);
    info = spgm_solver_get_info(solver);
    spgm_solver_get_x(solver, x, NULL);
    spgm_solver_free(solver);
    return info;
}

static void check_threads(const char *loss) {
    struct instance *in = hard_instance();
    double one[COLUMNS], three[COLUMNS];
    spgm_info first, second;
    long long before;

    wake_always = 1;
    set(in->options, "loss", loss);
    set(in->options, "threads", "1");
    first = solve(in, one);
    before = wakes;
    set(in->options, "threads", "3");
    second = solve(in, three);
    wake_always = 0;
    assert_true(wakes > before);
    assert_true(first.nodes > 8); /* or nothing was shared */
    assert_int_equal(first.nodes, second.nodes);
    assert_memory_equal(&first.objective, &second.objective, sizeof first.objective);
    assert_memory_equal(&first.bound, &second.bound, sizeof first.bound);
    assert_memory_equal(one, three, sizeof(double) * (size_t)in->n);
    instance_free(in);
}

static void threads_change_nothing(void **state) {
    (void)state;
    check_threads("l1");
    check_threads("linf"); /* whose nodes have cores */
}

/* More nodes never give a worse bound, and every bound is one. */
static void limits_return_a_bound(void **state) {
    static const char *const limits[] = {"1", "10", "40", "1000000"};
    struct instance *in = hard_instance();
    double x[COLUMNS], least = least_of_all(in).F, last = 0;

    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        spgm_info info;

        set(in->options, "node_limit", limits[i]);
        info = solve(in, x);
        assert_true(isfinite(info.bound));
        assert_true(info.bound <= least * (1 + 1e-12));
        assert_true(info.bound >= last);
        assert_true(fabs(info.gap - (info.objective - info.bound) / info.objective) <= 1e-12);
        last = info.bound;
        assert_true(i > 0 || info.outcome == SPGM_ITERATION_LIMIT);
    }
    assert_true(last >= least * (1 - 1e-6));
    instance_free(in);
}

/* Of noise, with so many rows that a megabyte holds 64 open nodes: that ends the run, and not before it must. */
static void memory_ends_with_a_bound(void **state) {
    enum { M = 1500, N = 40 };
    double *A = malloc(sizeof *A * M * N), *b = malloc(sizeof *b * M), x[N], intercept;
    spgm_options *options = spgm_options_new();
    spgm_matrix matrix;
    spgm_info tight, ample;
    spgm_status status;

    (void)state;
    assert_true(A != NULL && b != NULL && options != NULL);
    state_of_draw = 11;
    for (int k = 0; k < M * N; k++) {
        A[k] = normal();
    }
    for (int i = 0; i < M; i++) {
        b[i] = normal();
    }
    matrix = spgm_dense(M, N, A);
    set(options, "loss", "squared");
    set(options, "method", "exact");
    set(options, "memory_limit", "1");
    assert_int_equal(spgm_solve(&matrix, b, 8, options, x, &intercept, &tight, &status), SPGM_OK);
    set(options, "memory_limit", "100");
    set(options, "node_limit", "1500");
    assert_int_equal(spgm_solve(&matrix, b, 8, options, x, &intercept, &ample, &status), SPGM_OK);
    assert_int_equal(tight.outcome, SPGM_ITERATION_LIMIT);
    assert_true(tight.nodes < 1500 && ample.nodes >= 1500);
    assert_true(tight.bound > 0 && tight.bound <= ample.bound && ample.bound < ample.objective);
    assert_true(fabs(tight.gap - (tight.objective - tight.bound) / tight.objective) <= 1e-12 && tight.gap > 1e-6);
    spgm_options_free(options);
    free(A);
    free(b);
}

static void the_gap_ends_the_run(void **state) {
    struct instance *in = hard_instance();
    double x[COLUMNS], least = least_of_all(in).F;
    spgm_info whole = solve(in, x), part;

    (void)state;
    set(in->options, "gap", "0.1");
    part = solve(in, x);
    assert_true(part.nodes < whole.nodes);
    assert_int_equal(whole.outcome, SPGM_OPTIMAL);
    assert_true(part.gap > 1e-6 && part.outcome == SPGM_CONVERGED);
    assert_true(part.gap <= 0.1 * (1 + 1e-9));
    assert_true(part.bound <= least * (1 + 1e-12));
    instance_free(in);
}

static int stop_at_once(const spgm_progress *progress, void *context) {
    double *seen = context;

    seen[0] = progress->bound;
    seen[1] = (double)progress->open;
    return progress->open > 0;
}

static void a_stop_returns_what_is_known(void **state) {
    struct instance *in = hard_instance();
    double least = least_of_all(in).F, seen[2] = {0};
    spgm_solver *solver;
    spgm_status status;
    spgm_info info;

    (void)state;
    assert_int_equal(spgm_solver_new(in->problem, in->s, in->options, &solver, &status), SPGM_OK);
    spgm_solver_set_progress(solver, stop_at_once, seen);
    assert_int_equal(spgm_solver_run(solver, &status), SPGM_OK);
    info = spgm_solver_get_info(solver);
    assert_int_equal(info.outcome, SPGM_INTERRUPTED);
    assert_true(seen[1] > 0);
    assert_true(isfinite(info.bound) && info.bound <= least * (1 + 1e-12) && info.bound >= seen[0] * (1 - 1e-12));
    spgm_solver_free(solver);
    instance_free(in);
}

/* F is 1e-30 or so, and all of it rounding: nothing is 100 % above the optimum. */
static void a_perfect_fit_has_no_gap(void **state) {
    static const char *const names[] = {"auto", "exact"};
    double A[36] = {0}, b[12], x[3], intercept;
    spgm_matrix matrix = spgm_dense(12, 3, A);
    spgm_options *options = spgm_options_new();

    (void)state;
    for (int i = 0; i < 36; i++) {
        A[i] = sin(1.7 * i * i + 0.3 * i);
    }
    for (int i = 0; i < 12; i++) {
        b[i] = A[i] / 3 - 0.7 * A[i + 12] + 0.1;
    }
    set(options, "loss", "squared");
    for (int i = 0; i < 2; i++) {
        spgm_status status;
        spgm_info info;

        set(options, "method", names[i]);
        assert_int_equal(spgm_solve(&matrix, b, 2, options, x, &intercept, &info, &status), SPGM_OK);
        assert_true(info.objective > 0 && info.objective < 1e-20);
        assert_int_equal(info.outcome, SPGM_OPTIMAL);
        assert_true(info.bound == 0 && info.gap == 0);
    }
    spgm_options_free(options);
}

/* Columns that stand twice leave no box without a ridge: what depends exactly must be seen before its scale rounds it.
 */
static void copies_are_proven_when_standardized(void **state) {
    double A[30 * 6] = {0}, b[30], x[6], intercept;
    spgm_matrix matrix = spgm_dense(30, 6, A);
    spgm_options *options = spgm_options_new();

    (void)state;
    state_of_draw = 7;
    for (int k = 0; k < 30 * 3; k++) { /* the last column is three times the one before it */
        A[k / 30 * 60 + k % 30] = rint(64 * normal()) / 64;
        A[k / 30 * 60 + 30 + k % 30] = (k < 60 ? 1 : 3) * A[k / 30 * 60 + k % 30];
    }
    set(options, "method", "exact");
    set(options, "standardize", "true");
    for (int l = 0; l < LOSSES; l++) {
        int has_labels = strstr(losses[l], "hinge") != NULL || strcmp(losses[l], "logistic") == 0;
        spgm_status status;
        spgm_info info;

        for (int i = 0; i < 30; i++) {
            b[i] = A[i] - A[i + 60] + normal();
            b[i] = has_labels ? (b[i] > 0 ? 1 : -1) : b[i];
        }
        set(options, "loss", losses[l]);
        assert_int_equal(spgm_solve(&matrix, b, 3, options, x, &intercept, &info, &status), SPGM_OK);
        if (info.outcome != SPGM_OPTIMAL) {
            fail_msg("%s ended with a bound of %g below %g", losses[l], info.bound, info.objective);
        }
    }
    spgm_options_free(options);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(finds_what_enumeration_finds),
        cmocka_unit_test(damped_vectors_are_on_both_sides),
        cmocka_unit_test(bounds_that_do_not_bind_are_in_nobodys_way),
        unit_test_alone(near_duplicates_beside_bounds_are_exact),
        unit_test_alone(leaves_of_near_duplicates_are_exact),
        unit_test_alone(near_duplicates_come_last),
        unit_test_alone(duplicates_beside_bounds_stay_near),
        unit_test_alone(separated_labels_end),
        unit_test_alone(bounds_need_boxes),
        unit_test_alone(columns_of_one_label_have_boxes),
        unit_test_alone(proofs_that_fail_are_counted),
        unit_test_alone(what_separates_together_stays_in_sight),
        unit_test_alone(groups_that_begin_with_zeros_count),
        unit_test_alone(wide_problems_too),
        unit_test_alone(nearly_separated_labels_have_boxes),
        unit_test_alone(tall_problems_have_a_bound),
        unit_test_alone(short_runs_with_a_ridge_have_a_bound),
        cmocka_unit_test(threads_change_nothing),
        unit_test_alone(limits_return_a_bound),
        unit_test_alone(memory_ends_with_a_bound),
        unit_test_alone(the_gap_ends_the_run),
        unit_test_alone(a_stop_returns_what_is_known),
        unit_test_alone(a_perfect_fit_has_no_gap),
        unit_test_alone(copies_are_proven_when_standardized),
    };

    return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}
