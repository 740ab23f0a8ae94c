/*
 * The four theorems about the way to a global optimum x-bar: SPGM-IHT and SPGM-BCD, constant and diminishing mu. f is a
 * ridge, so that F is strongly convex. With b = 0 the optimum is x-bar = 0, and the error that the theorems cannot
 * remove, a multiple of L_F ||x-bar||, is none: there the rates themselves are seen.
 */
#include "theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = THEORY_COLUMNS };

/* epsilon of Lemma lemma:condition:constant: kappa <= 1 + epsilon. */
static const double epsilon = 0.5;

/* The right side of a theorem: K gamma^t + D mu + error, or (K + D (1 + ln t)) / t + error. */
struct bound {
    double K, D, gamma, mu, error;
    int is_linear;
};

struct rates {
    struct theory *theory;
    const struct theory_problem *p;
    struct theory_setting how;
    int64_t T, runs;
    double *F, *x; /* means of min F - F(x-bar) and ||x - x-bar||^2 over the runs [T + 1] */
    double L_f, recursion;
    struct bound bound;
};

/*
 * Without the error. The proofs of the two theorems with constant mu sum a geometric series of terms that may be
 * negative and bound its sum by 1 / (1 - gamma) instead of (1 - gamma^t) / (1 - gamma). What they do show has
 * K gamma^t / (1 - gamma^t) in the place of K gamma^t.
 */
static double shrinking(const struct bound *bound, int64_t t, int as_stated) {
    if (bound->is_linear) {
        double power = pow(bound->gamma, (double)t);
        return bound->K * power / (as_stated ? 1 : 1 - power) + bound->D * bound->mu;
    }
    return (bound->K + bound->D * (1 + log((double)t))) / (double)t;
}

static const char *label(const struct rates *rates) {
    static const char *const labels[VARIANTS][2] = {
        {"theorem:IHT:stepsize:constant", "theorem:IHT:stepsize:diminishing"},
        {"theorem:DEC:stepsize:constant", "theorem:DEC:stepsize:diminishing"}};
    return labels[rates->how.variant][rates->how.schedule == SCHEDULE_DIMINISHING];
}

static int claim(struct rates *rates, const char *name, const char *statement, double measured, double proved) {
    struct theory_claim made = {.label = name,
                                .statement = statement,
                                .loss = rates->p->loss,
                                .target = rates->p->target,
                                .variant = rates->how.variant,
                                .schedule = rates->how.schedule,
                                .measured = measured,
                                .proved = proved};
    return theory_claim(rates->theory, made);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

/* The settings that the theorem requires. */
static struct theory_setting setting(const struct theory *theory, const struct theory_problem *p,
                                     enum theory_variant variant, enum theory_schedule schedule, double F1) {
    struct theory_setting how = {
        .variant = variant, .schedule = schedule, .period = 10, .t0 = 1, .theta = 1e-3, .theta2 = 1e-3};
    how.theta1 = fmax(0, (p->high - p->low * (1 + epsilon)) / epsilon); /* T_1(epsilon); T_2 is below zero */
    how.eta = (variant == VARIANT_IHT ? p->norm * p->norm : p->high + how.theta1) / p->ridge;
    how.mu = schedule == SCHEDULE_CONSTANT ? 0.01 * F1 / (p->L_h * p->L_h) : how.eta / (1 + how.t0);
    how.iterations = theory->quick ? 1000 : 8000;
    return how;
}

/* The recursive inequality of the two theorems on SPGM-IHT, for every step: largest left side over right side. */
static double recursion(const struct rates *rates, const struct theory_trace *trace) {
    const struct theory_problem *p = rates->p;
    double V = p->ridge, L_h = p->L_h, L_F = theory_L_f(trace) + p->norm * L_h, worst = 0;
    double rise = rates->how.schedule == SCHEDULE_DIMINISHING ? (rates->how.t0 + 1) / rates->how.t0 : 1;
    double L = theory_L_f(trace) + rise * p->norm * L_h, size = theory_norm(N, p->optimum), lowest = INFINITY;
    for (int64_t i = 0; i < trace->T; i++) {
        double mu = trace->mu[i + 1], H = p->norm * p->norm / mu + V + rates->how.theta;
        double before = theory_distance(N, trace->x + i * N, p->optimum);
        double after = theory_distance(N, trace->x + (i + 1) * N, p->optimum);
        double right = (H - V) / 2 * before * before + L * size, left = H / 2 * after * after;
        lowest = fmin(lowest, trace->F[i]);
        if (rates->how.schedule == SCHEDULE_CONSTANT) {
            right += 3 * L * L / H + mu * L_h * L_h / 2 - (lowest - p->F_optimum);
        } else {
            right += 3 * L * L / (V * (double)(i + 1)) + p->F_optimum - trace->F[i] + trace->mu[i] * L_h * L_h / 2 +
                     2 * L_F * L_h / V * p->norm * (trace->mu[i] / mu - 1);
        }
        worst = fmax(worst, left / right);
    }
    return worst;
}

static int add_run(struct rates *rates, int64_t seed) {
    struct theory_trace trace;
    struct theory_setting how = rates->how;
    double lowest = INFINITY, share = 1 / (double)rates->runs;
    how.seed = seed;
    int result = theory_trace_make(&trace, rates->p, &how, 0);
    for (int64_t i = 0; result == CLI_DONE && i <= rates->T; i++) {
        int64_t at = i < trace.T ? i : trace.T; /* F no longer changed: nor does anything else */
        double far = theory_distance(N, trace.x + at * N, rates->p->optimum);
        lowest = fmin(lowest, trace.F[at]);
        rates->F[i] += share * fmax(lowest - rates->p->F_optimum, 0);
        rates->x[i] += share * far * far;
    }
    if (result == CLI_DONE) {
        rates->L_f = fmax(rates->L_f, theory_L_f(&trace));
        rates->recursion = how.variant == VARIANT_IHT ? recursion(rates, &trace) : 0;
    }
    theory_trace_free(&trace);
    return result;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

static void make_bound(struct rates *rates) {
    const struct theory_problem *p = rates->p;
    const struct theory_setting *how = &rates->how;
    struct bound *bound = &rates->bound;
    int iht = how->variant == VARIANT_IHT;
    double V = p->ridge, L_h = p->L_h, square = p->norm * p->norm, L_F = rates->L_f + L_h * p->norm;
    double size = theory_norm(N, p->optimum), factor = iht ? 1 : 3 + 2 * epsilon;
    double far = rates->x[0]; /* Delta_x^1 */
    bound->is_linear = how->schedule == SCHEDULE_CONSTANT;
    if (bound->is_linear) {
        double H = iht ? square / how->mu + V + how->theta : (p->high + how->theta1) / how->mu + V + how->theta2;
        bound->mu = how->mu;
        bound->gamma = 1 - V / H;
        bound->K = V / 2 * far * (iht ? 1 : 1 + epsilon); /* K_1, K_3 */
        bound->D =
            (iht ? 3 * L_F * L_F / square : 2 * L_F * L_F / (how->theta1 + p->high)) + L_h * L_h / 2; /* D_1, D_3 */
        bound->error = factor * L_F * size;
    } else {
        double rise = (how->t0 + 1) / how->t0, L = rates->L_f + rise * L_h * p->norm; /* L_F' */
        double mu1 = how->eta / (1 + how->t0);
        double H1 = iht ? square / mu1 + V + how->theta : (p->high + how->theta1) / mu1 + V + how->theta2;
        double C = how->eta * L_h * L_h / 2 + 2 * L_F * L_h / V * p->norm; /* C_Upsilon */
        bound->K = H1 / 2 * far;                                           /* K_2, K_4  */
        bound->D = (iht ? 3 : 2) * L * L / V + C;                          /* D_2, D_4  */
        bound->error = factor * L * size;
    }
}

/* Entry i belongs to t = i + 1. */
static int judge_bounds(struct rates *rates) {
    const struct bound *bound = &rates->bound;
    double stated = 0, proved = 0, worst_x = 0;
    for (int64_t i = 0; i < rates->T; i++) {
        double right = shrinking(bound, i + 1, 1) + bound->error, right_x = right;
        if (!bound->is_linear) {
            right_x = (bound->K + bound->D * (1 + log((double)(i + 1)))) / (double)(i + 2) + bound->error;
        }
        stated = fmax(stated, rates->F[i] / right);
        proved = fmax(proved, rates->F[i] / (shrinking(bound, i + 1, 0) + bound->error));
        worst_x = fmax(worst_x, rates->x[i + 1] / (right_x * 2 / rates->p->ridge));
    }
    int failed = claim(rates, label(rates), "Delta_F <= its bound as stated: largest ratio over t", stated, 1) ||
                 claim(rates, label(rates), "Delta_x <= its bound: largest ratio over t", worst_x, 1);
    if (!failed && bound->is_linear) {
        failed = claim(rates, label(rates), "Delta_F <= its bound with K gamma^t/(1 - gamma^t): largest ratio over t",
                       proved, 1);
    }
    if (!failed && rates->how.variant == VARIANT_IHT) {
        failed =
            claim(rates, label(rates), "recursive inequality: largest left side over right side", rates->recursion, 1);
    }
    return failed;
}

static int judge_condition(struct rates *rates) {
    const struct theory_problem *p = rates->p;
    const struct theory_setting *how = &rates->how;
    double mu = rates->bound.is_linear ? how->mu : how->eta / ((double)rates->T + how->t0);
    double rest = p->ridge + how->theta2;
    if (how->variant == VARIANT_IHT) {
        return CLI_DONE;
    }
    return claim(rates, "lemma:condition:constant", "kappa <= 1 + epsilon: the last kappa",
                 ((p->high + how->theta1) / mu + rest) / ((p->low + how->theta1) / mu + rest), 1 + epsilon);
}

/* Iterations until Delta_F is half of what it was at first; its share per iteration until then. */
static double early_factor(const struct rates *rates) {
    int64_t i = 0;
    while (i < rates->T && rates->F[i] > rates->F[0] / 2) {
        i++;
    }
    return i > 0 ? pow(rates->F[i] / rates->F[0], 1 / (double)i) : 0;
}

/* The rate itself: measured constants beside those of the theorem. */
static int judge_speed(struct rates *rates) {
    const struct bound *bound = &rates->bound;
    double largest = 0;
    int failed = claim(rates, label(rates), "Delta_F at the end, and its bound there", rates->F[rates->T],
                       shrinking(bound, rates->T + 1, 0) + bound->error);
    if (failed || strcmp(rates->p->target, "zero") != 0) {
        return failed;
    }
    if (bound->is_linear) {
        return claim(rates, label(rates), "factor per iteration until Delta_F is halved, and gamma",
                     early_factor(rates), bound->gamma);
    }
    for (int64_t i = 0; i <= rates->T; i++) {
        largest = fmax(largest, rates->F[i] * (double)(i + 1) / (1 + log((double)(i + 1))));
    }
    return claim(rates, label(rates), "largest t Delta_F/(1 + ln t), and K + D", largest, bound->K + bound->D);
}

static int add_curves(struct rates *rates) {
    int64_t times[THEORY_POINTS];
    struct theory_curves curves = {.figure = FIGURE_GLOBAL,
                                   .y_label = "Delta_F",
                                   .log_y = 1,
                                   .points = theory_times(rates->T, times),
                                   .lines = 2,
                                   .name = {"measured", "proved"}};
    if (!rates->p->is_sum) {
        return CLI_DONE;
    }
    snprintf(curves.title, sizeof curves.title, "%s, %s mu, %s", theory_variant_name(rates->how.variant),
             theory_schedule_name(rates->how.schedule), strcmp(rates->p->target, "zero") == 0 ? "b = 0" : "planted");
    for (int k = 0; k < curves.points; k++) {
        curves.t[k] = (double)times[k];
        curves.value[0][k] = fmax(rates->F[times[k] - 1], 1e-12 * rates->F[0]);
        curves.value[1][k] = shrinking(&rates->bound, times[k], 0) + rates->bound.error;
    }
    return theory_curves(rates->theory, &curves);
}

/* ---- the plan --------------------------------------------------------------------------------------------- */

static int follow(struct theory *theory, const struct theory_problem *p, enum theory_variant variant,
                  enum theory_schedule schedule, double F1) {
    struct rates rates = {.theory = theory, .p = p, .how = setting(theory, p, variant, schedule, F1)};
    rates.T = rates.how.iterations;
    rates.runs = variant == VARIANT_IHT ? 1 : theory->quick ? 5 : 20;
    rates.F = calloc(2 * (size_t)(rates.T + 1), sizeof *rates.F);
    if (!rates.F) {
        return cli_out_of_memory();
    }
    rates.x = rates.F + rates.T + 1;
    int result = CLI_DONE;
    for (int64_t seed = 1; result == CLI_DONE && seed <= rates.runs; seed++) {
        screen_note(theory->args, "rates: %s, %s, %s, target %s, run %lld of %lld", p->loss,
                    theory_variant_name(variant), theory_schedule_name(schedule), p->target, (long long)seed,
                    (long long)rates.runs);
        result = add_run(&rates, seed);
    }
    if (result == CLI_DONE) {
        make_bound(&rates);
        result = judge_bounds(&rates);
    }
    if (result == CLI_DONE) {
        result = judge_condition(&rates);
    }
    if (result == CLI_DONE) {
        result = judge_speed(&rates);
    }
    if (result == CLI_DONE) {
        result = add_curves(&rates);
    }
    free(rates.F);
    return result;
}

static int follow_problem(struct theory *theory, const char *loss, const char *target) {
    struct theory_problem p;
    spgm_status status;
    double F1;
    int result = theory_problem_make(&p, loss, target, 2);
    if (result == CLI_DONE && spgm_problem_evaluate(p.problem, p.x1, 0, &F1, NULL, NULL, &status)) {
        result = cli_status(&status);
    }
    for (int i = 0; result == CLI_DONE && i < 4; i++) {
        result = follow(theory, &p, (enum theory_variant)(i / 2), i % 2 ? SCHEDULE_DIMINISHING : SCHEDULE_CONSTANT, F1);
    }
    theory_problem_free(&p);
    return result;
}

int theory_rates(struct theory *theory) {
    static const char *const losses[] = {"l1", "linf"}, *const targets[] = {"zero", "planted"};
    int result = CLI_DONE;
    for (int i = 0; result == CLI_DONE && i < 4; i++) {
        result = follow_problem(theory, losses[i % 2], targets[i / 2]);
    }
    return result;
}
