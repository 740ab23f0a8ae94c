/*
 * A stop request in the middle of a fit, at every question that is asked: the fit asks no further question, and leaves
 * a model with its own residual and F, no worse than x = 0 and the start, whose bound holds. Without a request the bits
 * are those of a fit that is never asked to stop.
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
#include "fit/fit.h"
#include "share.h"

enum { ROWS = 240, COLUMNS = 160, SIZE = 120, TERM = 40 };
enum { PLAIN, SPARSE, LEAST_SQUARES, QUADRATIC };
enum how { COLD, WARM, ROUGH, ONCE, WAYS };
static const char *const how_names[WAYS] = {"cold", "warm", "rough", "once"};

static const struct case_ {
    const char *loss;
    double ridge;
    int kind;
} cases[] = {
    {"l1", 0.1, PLAIN},    {"l1", 0, PLAIN},         {"quantile", 0.1, SPARSE},   {"epsilon", 0.1, PLAIN},
    {"hinge", 0.1, PLAIN}, {"linf", 0.1, PLAIN},     {"linf", 0, SPARSE},         {"l2", 0.1, PLAIN},
    {"squared", 0, PLAIN}, {"l1", 0, LEAST_SQUARES}, {"squared", 0.1, QUADRATIC},
};

struct instance {
    const struct case_ *what;
    double A[ROWS * COLUMNS], b[ROWS], C[TERM * COLUMNS], d[TERM], Q[COLUMNS * COLUMNS];
    int64_t start[COLUMNS + 1];
    int32_t row[ROWS * COLUMNS];
    double value[ROWS * COLUMNS];
    spgm_options *options;
    spgm_problem *user;
    struct problem problem;
    int64_t support[SIZE + 1]; /* and the column that enters for the last but one of them */
    double x[COLUMNS];         /* the start of rough fits, and of `once`                    */
};

static void must(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fail_msg("%s", status->message);
    }
}

static void fill(struct instance *in) {
    struct random random;

    random_seed(&random, 11, 0);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
        int is_zero = in->what->kind == SPARSE && random_uniform(&random) < 0.85;

        in->A[i] = is_zero ? 0 : random_normal(&random);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        in->b[i] = 3 * random_normal(&random) + in->A[i] - 2 * in->A[i + ROWS];
        if (strcmp(in->what->loss, "hinge") == 0) {
            in->b[i] = in->b[i] > 0 ? 1 : -1;
        }
    }
    for (int64_t i = 0; i < TERM * COLUMNS; i++) {
        in->C[i] = random_normal(&random);
    }
    for (int64_t i = 0; i < TERM; i++) {
        in->d[i] = random_normal(&random);
    }
    for (int64_t j = 0; j < COLUMNS; j++) {
        in->Q[j * (COLUMNS + 1)] = 1 + random_uniform(&random);
    }
    random_subset(&random, COLUMNS, SIZE + 1, in->support);
    for (int64_t i = 0; i < SIZE; i++) {
        in->x[in->support[i]] = 0.1 * random_normal(&random);
    }
}

static spgm_matrix matrix_of(struct instance *in) {
    int64_t count = 0;

    if (in->what->kind != SPARSE) {
        return spgm_dense(ROWS, COLUMNS, in->A);
    }
    for (int64_t j = 0; j < COLUMNS; j++) {
        for (int64_t i = 0; i < ROWS; i++) {
            if (in->A[i + j * ROWS] != 0) {
                in->row[count] = (int32_t)i;
                in->value[count++] = in->A[i + j * ROWS];
            }
        }
        in->start[j + 1] = count;
    }
    return spgm_sparse(ROWS, COLUMNS, in->start, in->row, in->value);
}

static struct instance *instance_new(const struct case_ *what) {
    struct instance *in = calloc(1, sizeof *in);
    spgm_matrix A, C, Q;
    spgm_status status;

    assert_non_null(in);
    in->what = what;
    fill(in);
    A = matrix_of(in);
    C = spgm_dense(TERM, COLUMNS, in->C);
    Q = spgm_dense(COLUMNS, COLUMNS, in->Q);
    in->options = spgm_options_new();
    must(spgm_options_set(in->options, "loss", what->loss, &status), &status);
    must(spgm_options_set_number(in->options, "ridge", what->ridge, &status), &status);
    must(spgm_options_set_number(in->options, "intercept", 0, &status), &status);
    must(spgm_problem_new(&A, in->b, in->options, &in->user, &status), &status);
    if (what->kind == LEAST_SQUARES) {
        must(spgm_problem_set_least_squares(in->user, &C, in->d, &status), &status);
    }
    if (what->kind == QUADRATIC) {
        must(spgm_problem_set_quadratic(in->user, &Q, &status), &status);
    }
    must(problem_frame(in->user, 1, &in->problem, &status), &status);
    return in;
}

static void instance_free(struct instance *in) {
    problem_unframe(&in->problem);
    spgm_problem_free(in->user);
    spgm_options_free(in->options);
    free(in);
}

/* ---- who asks -------------------------------------------------------------------------------------------------- */

struct asked {
    int64_t questions, yes_from; /* the answer is yes from this question on */
    int64_t after;               /* questions after the first yes           */
};

static int must_stop(void *context) {
    struct asked *asked = context;

    asked->after += asked->questions > asked->yes_from;
    return asked->questions++ >= asked->yes_from;
}

/* ---- one fit --------------------------------------------------------------------------------------------------- */

struct end {
    enum fit_outcome outcome;
    double x[COLUMNS], residual[ROWS], dual[ROWS], objective, bound;
    double start; /* F there */
};

/* F from the raw data, in the units of the framed problem. */
static double evaluate(const struct instance *in, const double *x) {
    double raw[COLUMNS], intercept, F;

    problem_unscale(&in->problem, x, raw, &intercept);
    assert_int_equal(spgm_problem_evaluate(in->user, raw, intercept, &F, NULL, NULL, NULL), SPGM_OK);
    return F / in->problem.objective_unit;
}

static void take_end(struct fit *fit, enum fit_outcome outcome, struct end *end) {
    end->outcome = outcome;
    end->objective = fit_objective(fit);
    end->bound = fit_bound(fit); /* a stop may come here, too */
    fit_scatter(fit, end->x);
    memcpy(end->residual, fit_residual(fit), sizeof end->residual);
    memcpy(end->dual, fit_dual(fit), sizeof end->dual);
}

static void run_once(struct instance *in, struct asked *asked, struct end *end) {
    struct fit_report report;
    spgm_status status;

    end->start = evaluate(in, in->x);
    memcpy(end->x, in->x, sizeof in->x);
    must(fit_once(&in->problem, SIZE, in->support, end->x, &report, asked == NULL ? NULL : must_stop, asked, &status),
         &status);
    end->outcome = report.outcome;
    end->objective = report.objective;
    end->bound = -INFINITY; /* it is not asked for */
    linop_multiply(in->problem.A, end->x, end->residual);
    for (int64_t i = 0; i < ROWS; i++) {
        end->residual[i] -= in->problem.b[i];
    }
}

/* asked NULL: without limits. */
static void run(struct instance *in, enum how how, struct asked *asked, struct end *end) {
    struct fit *fit;
    spgm_status status;

    if (how == ONCE) {
        run_once(in, asked, end);
        return;
    }
    fit = fit_new(&in->problem, SIZE);
    assert_non_null(fit);
    fit_set_support(fit, SIZE, in->support);
    if (how == WARM) {
        fit_cold(fit);
        fit_set_column(fit, SIZE - 2, in->support[SIZE]);
        for (int64_t i = 0; i < SIZE; i++) { /* far enough away to be some pivots */
            end->x[i] = i % 3 == 0 ? 0 : fit_x(fit)[i];
        }
        fit_set_x(fit, end->x);
    } else if (how == ROUGH) {
        fit_gather(fit, in->x);
    }
    fit_scatter(fit, end->x);
    end->start = evaluate(in, end->x);
    if (asked != NULL) {
        fit_set_stop(fit, must_stop, asked);
    }
    take_end(fit,
             how == COLD   ? fit_cold(fit)
             : how == WARM ? fit_warm(fit, INFINITY)
                           : fit_rough(fit, 0, INFINITY),
             end);
    must(fit_error(fit, &status), &status);
    fit_free(fit);
}

/* ---- what must hold -------------------------------------------------------------------------------------------- */

#define expect(condition, text, a, b)                                                                                  \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fail_msg("%s, ridge %g, %s, yes from question %lld on: %s: %.17g, %.17g", in->what->loss, in->what->ridge, \
                     how_names[how], (long long)yes_from, text, (double)(a), (double)(b));                             \
        }                                                                                                              \
    } while (0)

static void check(const struct instance *in, enum how how, int64_t yes_from, const struct end *end, double best) {
    static const double zero[COLUMNS];
    double at_zero = evaluate(in, zero);
    double F = evaluate(in, end->x);
    double r[ROWS];

    linop_multiply(in->problem.A, end->x, r);
    for (int64_t i = 0; i < ROWS; i++) {
        r[i] -= in->problem.b[i];
        expect(fabs(r[i] - end->residual[i]) <= 1e-11 * (1 + fabs(r[i])), "residual", end->residual[i], r[i]);
    }
    expect(fabs(F - end->objective) <= 1e-11 * at_zero, "F", end->objective, F);
    expect(F <= at_zero * (1 + 1e-12), "worse than x = 0", F, at_zero);
    expect(F <= end->start * (1 + 1e-12), "worse than the start", F, end->start);
    expect(F >= best - 1e-8 * at_zero, "below the optimum", F, best);
    expect(end->bound <= end->objective, "bound above F", end->bound, end->objective);
    expect(end->bound <= best + 1e-9 * at_zero, "bound above the optimum", end->bound, best);
    expect(end->outcome != FIT_CUTOFF, "cut off", F, 0);
    expect(end->outcome != FIT_OPTIMAL || F <= best + 1e-7 * at_zero, "optimal", F, best);
}

static void stop_everywhere(struct instance *in, enum how how) {
    struct asked asked;
    struct end free_end = {0}, end = {0};
    int64_t yes_from = 0;

    run(in, how, NULL, &free_end);
    check(in, how, -1, &free_end, free_end.objective);
    for (;; yes_from += 1 + yes_from / SHARE(16, 2)) {
        memset(&end, 0, sizeof end);
        asked = (struct asked){.yes_from = yes_from};
        run(in, how, &asked, &end);
        if (asked.questions <= yes_from) {
            break;
        }
        expect(asked.after == 0, "questions after the answer", asked.after, 0);
        check(in, how, yes_from, &end, free_end.objective);
    }
    expect(asked.questions >= 2, "questions", asked.questions, 2); /* a warm fit of squares is one step */
    expect(memcmp(&end, &free_end, sizeof end) == 0, "other bits when nobody says stop", end.objective,
           free_end.objective);
}

static void a_stop_is_honoured_at_every_question(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c += SHARE(1, 5)) {
        struct instance *in = instance_new(&cases[c]);

        for (int how = 0; how < WAYS; how++) {
            stop_everywhere(in, (enum how)how);
        }
        instance_free(in);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_is_honoured_at_every_question),
    };

    return cmocka_run_group_tests_name("fit_stop", tests, NULL, NULL);
}
