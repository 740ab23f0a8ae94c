/*
 * auto: never worse than any method of the library, never worse with more effort, the same bits for any number of
 * threads, the user's start, limits, what it says about itself, and no allocation while it goes on.
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

#include "base/random.h"
#include "count_allocations.h"
#include "fake_clock.h"
#include "share.h"
#include "spgm/spgm.h"

/* ---- problems --------------------------------------------------------------------------------------------------- */

enum { LOSSES = 7 };
static const char *const losses[LOSSES] = {"l1", "quantile", "hinge", "epsilon", "linf", "l2", "squared"};
static const char *const others[] = {"huber", "logistic", "squared_hinge"};

static int has_labels(const char *loss) {
    return strcmp(loss, "hinge") == 0 || strcmp(loss, "logistic") == 0 || strcmp(loss, "squared_hinge") == 0;
}

struct instance {
    int64_t m, n, s;
    double *A, *b, *C, *d;
    spgm_options *options;
    spgm_problem *problem;
};

static void must(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fail_msg("%s", status->message);
    }
}

static void set(spgm_options *options, const char *name, const char *value) {
    spgm_status status;

    must(spgm_options_set(options, name, value, &status), &status);
}

static void fill(struct instance *in, const char *loss, uint64_t seed) {
    struct random random;

    random_seed(&random, seed, 9);
    for (int64_t i = 0; i < in->m * in->n; i++) {
        in->A[i] = random_normal(&random);
    }
    for (int64_t i = 0; i < in->m; i++) {
        in->b[i] = random_normal(&random) * (i % 9 == 0 ? 20 : 1);
        for (int64_t j = 0; j < in->s; j++) {
            in->b[i] += in->A[i + in->m * (3 * j % in->n)] * (double)(1 + j % 3);
        }
        if (has_labels(loss)) {
            in->b[i] = i == 0 || (i > 1 && in->b[i] > 0) ? 1 : -1;
        }
    }
    for (int64_t i = 0; i < 5 * in->n; i++) {
        in->C[i] = 0.2 * random_normal(&random);
        in->d[i % 5] = random_normal(&random);
    }
}

/* with_term: a least-squares term in f as well. */
static struct instance instance_new(const char *loss, int64_t m, int64_t n, int64_t s, int with_term, uint64_t seed) {
    struct instance in = {.m = m, .n = n, .s = s};
    spgm_matrix A, C;
    spgm_status status;

    in.A = calloc((size_t)(m * n), sizeof *in.A);
    in.b = calloc((size_t)m, sizeof *in.b);
    in.C = calloc((size_t)(5 * n), sizeof *in.C);
    in.d = calloc(5, sizeof *in.d);
    fill(&in, loss, seed);
    in.options = spgm_options_new();
    set(in.options, "loss", loss);
    set(in.options, "ridge", seed % 2 == 0 ? "0" : "0.05");
    set(in.options, "intercept", seed % 3 == 0 ? "true" : "false");
    set(in.options, "quantile", "0.3");
    A = spgm_dense(m, n, in.A);
    C = spgm_dense(5, n, in.C);
    must(spgm_problem_new(&A, in.b, in.options, &in.problem, &status), &status);
    if (with_term) {
        must(spgm_problem_set_least_squares(in.problem, &C, in.d, &status), &status);
    }
    return in;
}

static void instance_free(struct instance *in) {
    spgm_problem_free(in->problem);
    spgm_options_free(in->options);
    free(in->A);
    free(in->b);
    free(in->C);
    free(in->d);
}

static spgm_solver *solver_of(const struct instance *in) {
    spgm_solver *solver = NULL;
    spgm_status status;

    must(spgm_solver_new(in->problem, in->s, in->options, &solver, &status), &status);
    return solver;
}

static spgm_error try_solve(const struct instance *in, double *x, spgm_info *info) {
    spgm_solver *solver = solver_of(in);
    spgm_error error = spgm_solver_run(solver, NULL);

    spgm_solver_get_x(solver, x, NULL);
    *info = spgm_solver_get_info(solver);
    spgm_solver_free(solver);
    return error;
}

static spgm_info solve(const struct instance *in, double *x) {
    spgm_info info;

    assert_int_equal(try_solve(in, x, &info), SPGM_OK);
    return info;
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

/* What every end of auto must satisfy. */
static void check_info(const struct instance *in, const spgm_info *info, const double *x) {
    int64_t count = 0;

    for (int64_t j = 0; j < in->n; j++) {
        assert_true(isfinite(x[j]));
        count += x[j] != 0;
    }
    assert_true(count <= in->s && info->support == count);
    assert_true(isfinite(info->objective));
    assert_true(info->bound <= info->objective);
    assert_true(info->restarts >= 0 && info->agreeing >= 0 && info->agreeing <= info->restarts);
    assert_true(info->restarts == 0 || info->spread >= 0);
    assert_true(info->outcome == SPGM_OPTIMAL || info->outcome == SPGM_LOCAL_OPTIMUM || info->outcome == SPGM_SEARCHED);
}

static void never_worse_than_a_method(const char *loss, int with_term, uint64_t seed) {
    struct instance in = instance_new(loss, 40, 60, 6, with_term, seed);
    double x[60];
    spgm_info best, info;

    set(in.options, "effort", "2");
    best = solve(&in, x);
    check_info(&in, &best, x);
    set(in.options, "polish", "true");
    for (int64_t i = 0; i < spgm_method_count(); i++) {
        const char *method = spgm_method_name(i);
        int is_refused = strcmp(method, "diht") == 0 && seed % 2 == 0; /* it needs a ridge: instance_new */

        if (strcmp(method, "exact") == 0) { /* may be better, and take its time: test_exact */
            continue;
        }
        set(in.options, "method", method);
        assert_int_equal(try_solve(&in, x, &info), is_refused ? SPGM_ERROR_UNSUPPORTED : SPGM_OK);
        if (!is_refused && !(info.objective >= best.objective - 1e-7 * fabs(best.objective))) {
            fail_msg("%s, term %d, seed %d: %s has F %.12g, auto %.12g", loss, with_term, (int)seed, method,
                     info.objective, best.objective);
        }
    }
    instance_free(&in);
}

static void the_promise(void **state) {
    (void)state;
    PLAIN_ONLY();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (int i = 0; i < LOSSES; i++) {
            never_worse_than_a_method(losses[i], 0, seed);
        }
        never_worse_than_a_method("l1", 1, seed);
        never_worse_than_a_method(others[seed % 3], 0, seed);
    }
}

/* F never rises with effort, and the small ones already find what the largest proves to be the optimum. */
static void effort_never_harms(void **state) {
    (void)state;
    PLAIN_ONLY();
    for (int i = 0; i < LOSSES; i++) {
        struct instance in = instance_new(losses[i], 30, 40, 5, i == 1, (uint64_t)i + 10);
        double last = INFINITY, x[40];

        for (int effort = 1; effort <= 5; effort++) {
            char text[12];
            spgm_info info;

            snprintf(text, sizeof text, "%d", effort);
            set(in.options, "effort", text);
            info = solve(&in, x);
            check_info(&in, &info, x);
            if (!(info.objective <= last + 1e-9 * fabs(last))) {
                fail_msg("%s: F %.15g at effort %d, %.15g below it", losses[i], info.objective, effort, last);
            }
            last = fmin(last, info.objective);
        }
        instance_free(&in);
    }
}

static void search_finds_what_enumeration_proves(void **state) {
    static const char *const exact[] = {"l1", "quantile", "linf"};

    (void)state;
    for (uint64_t seed = 0; seed < SHARE(6, 1); seed++) {
        struct instance in = instance_new(exact[seed % 3], 25, 33, 4, 0, 2 * seed + 50);
        double x[33];
        spgm_info quick, proven;

        set(in.options, "effort", "1"); /* too little for a proof: more columns than rows, no ridge */
        quick = solve(&in, x);
        assert_int_not_equal(quick.outcome, SPGM_OPTIMAL);
        set(in.options, "effort", "9");
        proven = solve(&in, x);
        assert_int_equal(proven.outcome, SPGM_OPTIMAL);
        if (!(fabs(quick.objective - proven.objective) <= 1e-7 * proven.objective)) {
            fail_msg("%s, seed %d: %.12g by search, %.12g is the optimum", exact[seed % 3], (int)seed, quick.objective,
                     proven.objective);
        }
        instance_free(&in);
    }
}

/* As few supports as 16 columns have are proven at the default effort, also where the tree needs many nodes. */
static void few_supports_are_proven(void **state) {
    struct instance in = instance_new("linf", 600, 14, 7, 0, 4);
    double x[14];

    (void)state;
    assert_int_equal(solve(&in, x).outcome, SPGM_OPTIMAL);
    instance_free(&in);
}

/* b is a multiple of one column: what more would fit is rounding, whatever the order of the sums. */
static void rounding_is_not_fitted(void **state) {
    static const char *const kinds[] = {"l1", "quantile", "linf", "l2", "squared"};

    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct instance in = instance_new(kinds[seed / 2], 23, seed % 2 == 0 ? 9 : 40, 3, 0, 4 * seed + 80);
        double x[40];
        spgm_info info;

        for (int64_t i = 0; i < in.m; i++) {
            in.b[i] = 0.3 * in.A[i + 4 * in.m];
        }
        info = solve(&in, x);
        assert_int_equal(info.support, 1);
        assert_true(fabs(x[4] - 0.3) < 1e-10);
        instance_free(&in);
    }
}

/* Every product wakes the threads, however small it is. */
static void threads_change_no_bit(void **state) {
    (void)state;
    wake_always = 1;
    for (int i = 0; i < LOSSES; i += SHARE(1, 2)) {
        struct instance in = instance_new(losses[i], 120, 200, 8, 0, (uint64_t)i + 20);
        double x[200], y[200];
        spgm_info first, other;

        set(in.options, "effort", "1");
        set(in.options, "threads", "1");
        first = solve(&in, x);
        for (int threads = 2; threads <= 3; threads++) {
            long long before = wakes;

            set(in.options, "threads", threads == 2 ? "2" : "3");
            other = solve(&in, y);
            assert_true(wakes > before + 10);
            assert_memory_equal(x, y, sizeof x);
            assert_true(first.objective == other.objective && first.restarts == other.restarts &&
                        first.agreeing == other.agreeing && first.iterations == other.iterations);
        }
        instance_free(&in);
    }
    wake_always = 0;
}

/* The optimum as the start, and then its support alone with values that mean nothing: whatever the effort, it is not
 * lost. Without it the lowest effort ends higher for some loss. */
static void the_start_is_used(void **state) {
    int higher = 0;

    (void)state;
    PLAIN_ONLY();
    for (int i = 0; i < LOSSES; i++) {
        struct instance in = instance_new(losses[i], 60, 120, 8, 0, (uint64_t)i + 31);
        double x[120], intercept, y[120];
        spgm_solver *solver;
        spgm_info best, info, alone;

        for (int64_t j = 0; j < in.m && strcmp(losses[i], "hinge") != 0;
             j++) { /* noise alone: there are many valleys */
            in.b[j] = sin(1.7 * (double)(j * j + i));
        }
        set(in.options, "effort", "6");
        solver = solver_of(&in);
        assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
        best = spgm_solver_get_info(solver);
        spgm_solver_get_x(solver, x, &intercept);
        spgm_solver_free(solver);
        set(in.options, "effort", "1");
        set(in.options, "seed", "77");
        alone = solve(&in, y);
        higher += alone.objective > best.objective * (1 + 1e-6);
        for (int is_support = 0; is_support < 2; is_support++) {
            for (int64_t j = 0; j < 120 && is_support; j++) {
                x[j] = x[j] != 0 ? (j % 2 ? -40.0 : 30.0) : 0;
            }
            solver = solver_of(&in);
            assert_int_equal(spgm_solver_set_start(solver, x, intercept, NULL), SPGM_OK);
            assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
            info = spgm_solver_get_info(solver);
            spgm_solver_get_x(solver, y, NULL);
            check_info(&in, &info, y);
            assert_true(info.objective <= best.objective + 1e-8 * fabs(best.objective));
            spgm_solver_free(solver);
        }
        instance_free(&in);
    }
    assert_true(higher > 0);
}

struct watch {
    long allocations, grown;
    int was_auto;
    int64_t pairs; /* of callbacks of the search, one after the other */
    int64_t calls, stop_after, last_iteration;
    double best;
};

/* Between two callbacks of the search itself nothing is allocated; the methods of the portfolio take their own. */
static int watch_progress(const spgm_progress *progress, void *context) {
    struct watch *watch = context;
    int is_auto = strcmp(progress->method, "auto") == 0;

    if (is_auto && watch->was_auto) {
        watch->grown += allocations - watch->allocations;
        watch->pairs++;
    }
    assert_true(progress->best <= watch->best);
    assert_true(progress->iteration > watch->last_iteration);
    watch->best = progress->best;
    watch->last_iteration = progress->iteration;
    watch->was_auto = is_auto;
    watch->allocations = allocations;
    return ++watch->calls == watch->stop_after;
}

static void the_loop_allocates_nothing(void **state) {
    (void)state;
    for (int i = 0; i < LOSSES; i++) {
        struct instance in = instance_new(losses[i], 60, 120, 8, i == 0, (uint64_t)i + 41);
        struct watch watch = {.best = INFINITY, .stop_after = -1, .last_iteration = -1};
        long before = allocations;
        spgm_solver *solver;

        set(in.options, "effort", SHARE("3", "2"));
        solver = solver_of(&in);
        spgm_solver_set_progress(solver, watch_progress, &watch);
        assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
        assert_true(watch.pairs > SHARE(20, 2));
        assert_int_equal(watch.grown, 0);
        assert_true(!CAN_COUNT || allocations > before); /* the counter counts */
        spgm_solver_free(solver);
        instance_free(&in);
    }
}

/* Stopped anywhere: a feasible point, and the callback is not called again. */
static void stopped_anywhere(void **state) {
    (void)state;
    for (int i = 0; i < LOSSES; i += 2) {
        struct instance in = instance_new(losses[i], 60, 120, 8, 0, (uint64_t)i + 61);

        for (int64_t after = 1; after < 40; after += SHARE(3, 9)) {
            struct watch watch = {.best = INFINITY, .stop_after = after, .last_iteration = -1};
            spgm_solver *solver = solver_of(&in);
            spgm_info info;

            spgm_solver_set_progress(solver, watch_progress, &watch);
            assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
            info = spgm_solver_get_info(solver);
            assert_int_equal(watch.calls, after);
            assert_int_equal(info.outcome, SPGM_INTERRUPTED);
            assert_true(info.support <= 8 && isfinite(info.objective));
            spgm_solver_free(solver);
        }
        instance_free(&in);
    }
}

enum { MOST_REPORTS = 20000 };

struct record {
    double objective[MOST_REPORTS];
    int64_t calls, in_time, stop_after;
};

struct seek {
    double objective; /* to be said */
    int said;
};

static int seek_objective(const spgm_progress *progress, void *context) {
    struct seek *seek = context;

    assert_string_equal(progress->method, "omp"); /* it comes first */
    seek->said = fabs(progress->objective - seek->objective) <= 1e-9 * fabs(seek->objective);
    return seek->said; /* and that is enough */
}

/* The first model of `auto` is OMP's support, fitted: its callback says so. */
static void the_fit_of_omp_is_said(void **state) {
    struct instance in = instance_new("l1", 60, 80, 8, 0, 5);
    struct seek seek = {0};
    spgm_status status;
    double x[80];
    spgm_info info;
    spgm_solver *solver;

    (void)state;
    set(in.options, "method", "omp");
    must(try_solve(&in, x, &info), &status);
    seek.objective = info.objective;
    set(in.options, "method", "auto");
    solver = solver_of(&in);
    spgm_solver_set_progress(solver, seek_objective, &seek);
    must(spgm_solver_run(solver, &status), &status);
    assert_int_equal(seek.said, 1);
    spgm_solver_free(solver);
    instance_free(&in);
}

static const double limit_seconds = 0.1;

static int note_objective(const spgm_progress *progress, void *context) {
    struct record *record = context;

    record->objective[record->calls++] = progress->objective;
    record->in_time += progress->seconds < 0.99 * limit_seconds; /* the search leaves some of it to what follows */
    return record->calls >= record->stop_after;
}

/* Nothing is decided by the clock: a longer limit goes the way of a shorter one, so that it is never worse. */
static void a_longer_limit_goes_the_same_way(void **state) {
    static const char *const kinds[] = {"l1", "linf", "l2"};
    struct record *records = calloc(2, sizeof *records);

    (void)state;
    assert_non_null(records);
    for (int i = 0; i < SHARE(3, 1); i++) {
        struct instance in = instance_new(kinds[i], 80, 150, 10, 0, 90);
        int64_t reports = MOST_REPORTS;

        for (int k = 0; k < 2; k++) {
            spgm_solver *solver;

            records[k] = (struct record){.stop_after = reports};
            spgm_options_set_number(in.options, "time_limit", k == 0 ? limit_seconds : 1000, NULL);
            solver = solver_of(&in);
            spgm_solver_set_progress(solver, note_objective, &records[k]);
            assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
            assert_int_equal(spgm_solver_get_info(solver).outcome, k == 0 ? SPGM_TIME_LIMIT : SPGM_INTERRUPTED);
            spgm_solver_free(solver);
            reports = records[k].calls;
        }
        print_message("%s: %d reports, %d in time\n", kinds[i], (int)reports, (int)records[0].in_time);
        assert_true(reports == records[0].calls && records[0].in_time > 100);
        /* what the limit cut short is reported after it */
        assert_memory_equal(records[0].objective, records[1].objective, (size_t)records[0].in_time * sizeof(double));
        instance_free(&in);
    }
    free(records);
}

/* A dense problem where one pass over A takes 3 ms of the clock of these tests: the limit is kept to some thirty. */
static void time_limits_hold(void **state) {
    static const char *const slow[] = {"l1", "linf", "squared"};

    (void)state;
    for (int i = 0; i < 3; i += SHARE(1, 2)) {
        struct instance in = instance_new(slow[i], 2000, 1500, 60, 0, 71);
        double *x = calloc(1500, sizeof *x), zero;
        spgm_info info;

        must(spgm_problem_evaluate(in.problem, x, 0, &zero, NULL, NULL, NULL), &(spgm_status){0});
        for (double limit = 0.02; limit < 1; limit *= 3) {
            char text[32];

            snprintf(text, sizeof text, "%g", limit);
            set(in.options, "time_limit", text);
            info = solve(&in, x);
            print_message("%s, limit %g s: %.3f s, F %.6g, %s\n", slow[i], limit, info.seconds, info.objective,
                          spgm_outcome_name(info.outcome));
            assert_int_equal(info.outcome, SPGM_TIME_LIMIT);
            assert_true(info.objective <= zero);
            assert_true(info.seconds >= limit && info.seconds < limit + 0.1);
        }
        free(x);
        instance_free(&in);
    }
}

/* What a method prepares (norms, scaling) looks at the clock as its iterations do: a limit of one pass over A is over
 * after a handful of them, with a model. One pass takes 0.8 ms of the clock of these tests. */
static void methods_prepare_within_the_limit(void **state) {
    const double pass = 1e-9 * 1000 * 800;

    (void)state;
    for (int64_t i = 0; i < spgm_method_count(); i++) {
        for (int with_term = 0; with_term < 2; with_term++) {
            struct instance in = instance_new("l1", 1000, 800, 20, with_term, 73); /* an odd seed: with a ridge */
            double *x = calloc(800, sizeof *x);
            spgm_info info;

            set(in.options, "method", spgm_method_name(i));
            assert_int_equal(spgm_options_set_number(in.options, "time_limit", pass, NULL), SPGM_OK);
            assert_int_equal(try_solve(&in, x, &info), SPGM_OK);
            print_message("%s: %.1f passes, %s\n", spgm_method_name(i), info.seconds / pass,
                          spgm_outcome_name(info.outcome));
            assert_int_equal(info.outcome, SPGM_TIME_LIMIT);
            assert_true(isfinite(info.objective) && info.support <= 20);
            assert_true(info.seconds < 8 * pass);
            free(x);
            instance_free(&in);
        }
    }
}

/* ---- cut short --------------------------------------------------------------------------------------------------- */

static int note_best(const spgm_progress *progress, void *best) {
    *(double *)best = progress->best;
    return 0;
}

/* One run under a limit: never above the best that its callback was told, and once all columns were looked at (two
 * passes: norms and slopes) with all the columns it may have. Nonzero: it came to its end. */
static int check_cut(struct instance *in, double limit, const double *start) {
    double best = INFINITY;
    spgm_solver *solver;
    spgm_error error;
    spgm_info info;

    assert_int_equal(spgm_options_set_number(in->options, "time_limit", limit, NULL), SPGM_OK);
    solver = solver_of(in);
    if (start != NULL) {
        assert_int_equal(spgm_solver_set_start(solver, start, 0, NULL), SPGM_OK);
    }
    spgm_solver_set_progress(solver, note_best, &best);
    error = spgm_solver_run(solver, NULL);
    info = spgm_solver_get_info(solver);
    if (error == SPGM_ERROR_UNSUPPORTED) { /* a method that is not for this loss */
        spgm_solver_free(solver);
        return 1;
    }
    assert_int_equal(error, SPGM_OK);
    if (!info.feasible || !(info.objective <= best * (1 + 1e-12) + 1e-9)) {
        fail_msg("F %.17g above %.17g, limit %g", info.objective, best, limit);
    }
    if (info.outcome == SPGM_TIME_LIMIT && info.passes >= 2.1 && info.support != in->s) {
        fail_msg("%lld columns after %.2f passes, limit %g", (long long)info.support, info.passes, limit);
    }
    spgm_solver_free(solver);
    return info.outcome != SPGM_TIME_LIMIT;
}

/* Wherever the clock ends a method, its model has s columns. Steps of OMP, and of auto at first, are all met. */
static void any_limit_fills_the_model(void **state) {
    static const char *const kinds[] = {"l1", "linf", "hinge", "squared", "quantile"};
    static const double zero[100] = {0};

    (void)state;
    for (int64_t i = 0; i < spgm_method_count(); i++) {
        int by_ticks = strcmp(spgm_method_name(i), "omp") == 0 || strcmp(spgm_method_name(i), "auto") == 0;

        for (int k = 0; k < SHARE(5, 2) && strcmp(spgm_method_name(i), "polish") != 0; k++) {
            struct instance in = instance_new(kinds[k], 60, 100, 8, k == 4, 80 + (uint64_t)k);
            int is_done = 0;

            set(in.options, "method", spgm_method_name(i));
            for (double limit = 2e-6; limit < 1.5e-3 && !is_done;
                 limit = by_ticks ? limit + SHARE(4e-6, 16e-6) : limit * 2.1) {
                is_done = check_cut(&in, limit, NULL);
                if (!by_ticks && !is_done) {
                    check_cut(&in, limit, zero);
                }
            }
            instance_free(&in);
        }
    }
}

/* The same where data are large: a pass takes 4 ms of this clock, and OMP is cut off after any of its columns. */
static void any_limit_fills_the_model_of_large_data(void **state) {
    static const char *const kinds[] = {"l1", "hinge"};

    (void)state;
    for (int k = 0; k < SHARE(2, 1); k++) {
        struct instance in = instance_new(kinds[k], 20000, 200, 8, 0, 84);

        for (double limit = 6e-3; limit < 0.09; limit += SHARE(4e-3, 12e-3)) {
            check_cut(&in, limit, NULL);
        }
        instance_free(&in);
    }
}

/* After the first model no two passes go by without a look at the clock: OMP, which comes next, is called off even
 * while it prepares. */
static void large_data_keep_the_limit_to_a_pass(void **state) {
    const double pass = 1e-9 * 20000 * 200;
    struct instance in = instance_new("l1", 20000, 200, 8, 0, 85);
    double x[200], shortest = 0;

    (void)state;
    for (double limit = 1e-3; limit < 0.08; limit += SHARE(1e-3, 3e-3)) {
        spgm_info info;

        assert_int_equal(spgm_options_set_number(in.options, "time_limit", limit, NULL), SPGM_OK);
        info = solve(&in, x);
        shortest = shortest == 0 ? info.seconds : shortest;
        print_message("limit %g: %.2f passes over\n", limit, (info.seconds - fmax(limit, shortest)) / pass);
        assert_true(info.seconds <= fmax(limit, shortest) + 1.5 * pass);
    }
    instance_free(&in);
}

/* ---- large sparse data ------------------------------------------------------------------------------------------- */

/* So tall that neither fits nor the search copy the support's columns (MOST_KEPT, BLOCK_ROOM). */
enum { TALL = 27000, NARROW = 60, PLANTED = 40, STORED = 900 };

struct tall {
    double value[NARROW * STORED], b[TALL];
    int32_t row[NARROW * STORED];
    int64_t start[NARROW + 1];
};

static void fill_tall(struct tall *t) {
    struct random random;

    random_seed(&random, 4, 9);
    for (int64_t i = 0; i < TALL; i++) {
        t->b[i] = 0.1 * random_normal(&random);
    }
    for (int64_t j = 0; j < NARROW; j++) {
        t->start[j + 1] = (j + 1) * STORED;
        for (int64_t k = 0; k < STORED; k++) {
            int64_t e = j * STORED + k;

            t->row[e] = (int32_t)(k * (TALL / STORED) + random_below(&random, TALL / STORED)); /* ascending */
            t->value[e] = random_normal(&random);
            t->b[t->row[e]] += j % 3 != 0 ? t->value[e] : 0; /* two of three columns */
        }
    }
}

static spgm_info solve_tall(const struct tall *t, const char *loss, const char *method, const char *threads,
                            double *x) {
    spgm_matrix A = spgm_sparse(TALL, NARROW, t->start, t->row, t->value);
    spgm_options *options = spgm_options_new();
    spgm_status status;
    spgm_info info;

    set(options, "loss", loss);
    set(options, "method", method);
    set(options, "threads", threads);
    set(options, "effort", "1");
    set(options, "tolerance", "0");
    set(options, "time_limit", "0.15"); /* of the clock of these tests: the starts and a few descents */
    must(spgm_solve(&A, t->b, PLANTED, options, x, NULL, &info, &status), &status);
    spgm_options_free(options);
    return info;
}

/* The interior fit at the end of OMP, which knows nothing of all this, must not be below. */
static void large_sparse_data_is_read_in_place(void **state) {
    static const char *const kinds[] = {"l1", "linf", "squared"};
    struct tall *t = calloc(1, sizeof *t);

    (void)state;
    assert_non_null(t);
    fill_tall(t);
    for (int i = 0; i < SHARE(3, 1); i++) {
        double x[3][NARROW];
        spgm_info by_omp = solve_tall(t, kinds[i], "omp", "1", x[0]), info;

        wake_always = i == 0;
        info = solve_tall(t, kinds[i], "auto", "2", x[1]);
        wake_always = 0;
        print_message("%s: F %.17g, OMP %.17g, %s\n", kinds[i], info.objective, by_omp.objective,
                      spgm_outcome_name(info.outcome));
        if (i == 0) {
            solve_tall(t, kinds[i], "auto", "1", x[2]);
            assert_memory_equal(x[1], x[2], sizeof x[1]);
        }
        assert_true(info.objective <= by_omp.objective * (1 + 1e-9));
        for (int64_t j = 0; i != 1 && j < NARROW; j++) { /* the largest residual is not robust */
            assert_true((x[1][j] != 0) == (j % 3 != 0) && fabs(x[1][j] - x[0][j]) < 1e-4);
        }
    }
    free(t);
}

/* Powers of t for exp(t): from some s on F is rounding, which changes from fit to fit and must not keep the search
 * going. More columns never have a higher F, and what is called proven has a bound that says so. */
static void rounding_ends_the_search(void **state) {
    enum { POINTS = 400, POWERS = 11 };
    static double A[POINTS * POWERS], b[POINTS];
    spgm_matrix matrix = spgm_dense(POINTS, POWERS, A);

    (void)state;
    for (int64_t i = 0; i < POINTS; i++) {
        double t = (double)i / (POINTS - 1), power = 1;

        b[i] = exp(t);
        for (int64_t j = 0; j < POWERS; j++) {
            A[i + j * POINTS] = power *= t;
        }
    }
    double last = INFINITY;
    for (int64_t s = 4; s <= 9; s++) {
        spgm_options *options = spgm_options_new();
        spgm_status status;
        spgm_info info;
        double x[POWERS], intercept;

        set(options, "loss", "squared");
        must(spgm_solve(&matrix, b, s, options, x, &intercept, &info, &status), &status);
        assert_true((s < 7 || info.objective < 1e-15) && info.restarts < 2000);
        assert_true(info.objective <= last);
        assert_true(info.outcome != SPGM_OPTIMAL || info.bound >= info.objective * (1 - 1e-6) ||
                    info.objective < 1e-20);
        last = info.objective;
        spgm_options_free(options);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_promise),
        cmocka_unit_test(effort_never_harms),
        cmocka_unit_test(search_finds_what_enumeration_proves),
        cmocka_unit_test(few_supports_are_proven),
        cmocka_unit_test(rounding_ends_the_search),
        cmocka_unit_test(rounding_is_not_fitted),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(the_start_is_used),
        cmocka_unit_test(the_loop_allocates_nothing),
        cmocka_unit_test(stopped_anywhere),
        cmocka_unit_test(the_fit_of_omp_is_said),
        cmocka_unit_test(a_longer_limit_goes_the_same_way),
        cmocka_unit_test(time_limits_hold),
        cmocka_unit_test(methods_prepare_within_the_limit),
        cmocka_unit_test(any_limit_fills_the_model),
        cmocka_unit_test(any_limit_fills_the_model_of_large_data),
        cmocka_unit_test(large_data_keep_the_limit_to_a_pass),
        cmocka_unit_test(large_sparse_data_is_read_in_place),
    };

    cmocka_set_test_filter(getenv("SPGM_TEST_FILTER")); /* NULL: all of them */
    return cmocka_run_group_tests_name("auto", tests, NULL, NULL);
}
