/* What the paper proves about every single step, and what follows by summing up: along runs of both variants with all
 * three schedules of mu. */
#include "theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { M = THEORY_ROWS, N = THEORY_COLUMNS };

/* Rounding, relative to 1 + |J|: violations below this do not count. */
static const double rounding = 1e-11;

/* The data by which one run of the plan is judged. */
struct judged {
    struct theory *theory;
    const struct theory_trace *trace;
    double L_h, L_f, L_F, norm;
    double ratio;   /* the largest mu^{t-1} / mu^t            */
    double psi_sum; /* proven bound on the sum of all Psi^t   */
    double theta;   /* of the sufficient decrease             */
    double mu1;
    int failed;
};

static void claim(struct judged *j, const char *label, const char *statement, double measured, double proved,
                  int at_least) {
    const struct theory_trace *trace = j->trace;
    struct theory_claim made = {.label = label,
                                .statement = statement,
                                .loss = trace->p->loss,
                                .target = trace->p->target,
                                .variant = trace->how.variant,
                                .schedule = trace->how.schedule,
                                .measured = measured,
                                .proved = proved,
                                .at_least = at_least};
    j->failed |= theory_claim(j->theory, made);
}

static double gap(const struct theory_trace *trace, int64_t i) { /* ||A x - b - y|| */
    const double *x = trace->x + i * N, *y = trace->y + i * M;
    double sum = 0;
    for (int k = 0; k < M; k++) {
        double d = -trace->p->b[k] - y[k];
        for (int c = 0; c < N; c++) {
            d += trace->p->A[k + c * M] * x[c];
        }
        sum += d * d;
    }
    return sqrt(sum);
}

static double x_step(const struct theory_trace *trace, int64_t i) {
    return theory_distance(N, trace->x + (i + 1) * N, trace->x + i * N);
}

static double y_step(const struct theory_trace *trace, int64_t i) {
    return theory_distance(M, trace->y + (i + 1) * M, trace->y + i * M);
}

/* Psi^t of the step that leaves point i. */
static double psi(const struct judged *j, int64_t i) {
    double before = j->trace->mu[i], now = j->trace->mu[i + 1];
    return j->L_h * j->L_h / 2 * (before * before / now - before);
}

static double tolerance(const struct theory_trace *trace, int64_t i) {
    return rounding * (1 + fabs(trace->J[i]));
}

/* ---- smoothing (section 3)
 * ------------------------------------------------------------------------------------------- */

static void judge_sandwich(struct judged *j) {
    const struct theory_trace *trace = j->trace;
    double above = 0, width = 0, largest = 0;
    for (int64_t i = 0; i <= trace->T; i++) {
        double slack = tolerance(trace, i);
        above = fmax(above, trace->J[i] - trace->F[i] - slack);
        width = fmax(width, (trace->F[i] - trace->J[i] - slack) / trace->mu[i]);
        largest = fmax(largest, (gap(trace, i) - slack) / trace->mu[i]);
    }
    claim(j, "lemma:lip:variable:x(a)", "G(x; mu) <= F(x): largest G - F", above, 0, 0);
    claim(j, "lemma:lip:variable:x(a)", "F(x) - G(x; mu) <= mu L_h^2/2: largest (F - G)/mu", width, j->L_h * j->L_h / 2,
          0);
    claim(j, "lemma:first:bound(a)", "||Ax - y - b|| <= L_h mu: largest ||Ax - y - b||/mu", largest, j->L_h, 0);
}

/* G at the last x, over twenty values of mu. */
static int judge_in_mu(struct judged *j) {
    const struct theory_trace *trace = j->trace;
    double least = INFINITY, most = -INFINITY, last = 0;
    for (int k = 0; k <= 20; k++) {
        double mu = ldexp(j->mu1, 4 - k), value;
        spgm_status status;
        if (spgm_problem_smoothing(trace->p->problem, trace->x + trace->T * N, 0, mu, &value, NULL, &status)) {
            return cli_status(&status);
        }
        if (k > 0) { /* mu fell by as much as is left of it */
            double rise = fabs(value - last) <= rounding * (1 + fabs(value)) ? 0 : value - last;
            least = fmin(least, rise / mu);
            most = fmax(most, rise / mu);
        }
        last = value;
    }
    claim(j, "lemma:lip:variable:mu", "G decreases in mu: least fall per unit of mu", least, 0, 1);
    claim(j, "lemma:lip:variable:mu", "G is L_h^2/2-Lipschitz in mu: largest fall per unit of mu", most,
          j->L_h * j->L_h / 2, 0);
    return CLI_DONE;
}

/* ---- single steps (section 4) ----------------------------------------------------------------------------- */

static void judge_steps(struct judged *j) {
    const struct theory_trace *trace = j->trace;
    double move = -INFINITY, slope = 0, twist = 0;
    for (int64_t i = 0; i < trace->T; i++) {
        double r[N], ratio = trace->mu[i] / trace->mu[i + 1] - 1;
        slope = fmax(slope, theory_gradient(trace, i, r));
        move = fmax(move, (y_step(trace, i) - j->norm * x_step(trace, i) - tolerance(trace, i)) / trace->mu[i]);
        if (ratio > 1e-9) { /* epsilon^t = (1/mu^{t-1} - 1/mu^t) A'(A x - b - y), and r without f is A'(...) / mu^t */
            for (int c = 0; c < N; c++) {
                r[c] -= trace->p->ridge * trace->x[i * N + c];
            }
            twist = fmax(twist, theory_norm(N, r) * trace->mu[i + 1] / trace->mu[i]);
        }
    }
    claim(j, "lemma:first:bound(b)", "||y+ - y|| <= ||A|| ||x+ - x|| + 2 L_h mu: largest excess over the first term/mu",
          move, 2 * j->L_h, 0);
    claim(j, "lemma:first:bound(c)", "||r|| <= L_F (or L_F'): largest ||r||", slope,
          j->L_f + j->ratio * j->L_h * j->norm, 0);
    if (trace->how.schedule != SCHEDULE_CONSTANT) {
        claim(j, "lemma:first:bound(d)", "||epsilon|| <= (mu/mu+ - 1) ||A|| L_h: largest ||epsilon||/(mu/mu+ - 1)",
              twist, j->norm * j->L_h, 0);
    }
}

/* The steps of x against the gradient, and the inner product with the way to the optimum. */
static void judge_optimum(struct judged *j) {
    const struct theory_trace *trace = j->trace;
    const struct theory_problem *p = trace->p;
    const struct theory_setting *how = &trace->how;
    double V = p->ridge, longest = 0, worst = -INFINITY;
    for (int64_t i = 0; i < trace->T; i++) {
        double r[N], norm = theory_gradient(trace, i, r), inner = 0, mu = trace->mu[i + 1];
        double far = theory_distance(N, trace->x + i * N, p->optimum);
        double upsilon = p->F_optimum - trace->F[i] + trace->mu[i] * j->L_h * j->L_h / 2 +
                         2 * j->L_F * j->L_h / V * j->norm * (trace->mu[i] / mu - 1);
        double H = how->variant == VARIANT_IHT ? p->norm * p->norm / mu + V + how->theta
                                               : (p->low + how->theta1) / mu + V + how->theta2;
        for (int c = 0; c < N; c++) {
            inner += r[c] * (p->optimum[c] - trace->x[i * N + c]);
        }
        worst = fmax(worst, (inner - upsilon + V / 2 * far * far) / (1 + fabs(trace->F[i])));
        longest = norm > 1e-9 * j->L_F ? fmax(longest, H * x_step(trace, i) / norm) : longest;
    }
    claim(j, "lemma:bound:negative:l2(a)",
          "<r, x* - x> <= Upsilon - V_s/2 ||x - x*||^2: largest left side minus right side, over 1 + |F|", worst,
          rounding, 0);
    claim(j, how->variant == VARIANT_IHT ? "lemma:iht:bound(a)" : "lemma:bcd:bound(a)",
          "||x+ - x|| <= 2 ||r||/H: largest H ||x+ - x||/||r||", longest, 2, 0);
}

/* ---- sufficient decrease and what it sums up to
 * ----------------------------------------------------------------------- */

static const char *convergence(const struct judged *j, int part) {
    static const char *const labels[VARIANTS][3] = {
        {"theorem:convergence:iht(a)", "theorem:convergence:iht(b)", "theorem:convergence:iht(c)"},
        {"theorem:convergence:bcd(a)", "theorem:convergence:bcd(b)", "theorem:convergence:bcd(c)"}};
    return labels[j->trace->how.variant][part];
}

/* The part of the decrease that Theorem (a) promises for the step that leaves point i. */
static double promised(const struct judged *j, int64_t i) {
    double dx = x_step(j->trace, i), dy = y_step(j->trace, i);
    return j->theta / 2 * dx * dx + dy * dy / (2 * j->mu1);
}

static void judge_decrease(struct judged *j) {
    const struct theory_trace *trace = j->trace;
    double share = 0, sum = 0, raised = 0;
    for (int64_t i = 0; i < trace->T; i++) {
        double given = psi(j, i) + trace->J[i] - trace->J[i + 1], asked = promised(j, i);
        double g = gap(trace, i);
        if (asked > given + tolerance(trace, i)) {
            share = INFINITY;
        } else if (asked > 100 * tolerance(trace, i)) {
            share = fmax(share, asked / given);
        }
        sum += asked;
        raised += g * g / 2 * (1 / trace->mu[i + 1] - 1 / trace->mu[i]);
    }
    claim(j, "lemma:first:bound(e,f)", "sum of J(x, y; mu+) - J(x, y; mu) <= sum of Psi: the sum", raised, j->psi_sum,
          0);
    claim(j, convergence(j, 0),
          "theta/2 ||x+ - x||^2 + ||y+ - y||^2/(2 mu^1) <= Psi + J - J+: largest left side over right side", share, 1,
          0);
    claim(j, convergence(j, 1), "sum of the left sides <= C", sum, trace->J[0] - trace->J[trace->T] + j->psi_sum, 0);
}

/* Gamma_x + Gamma_y at point i: its distance from stationarity. */
static int residual(const struct judged *j, int64_t i, double *value) {
    const struct theory_trace *trace = j->trace;
    double y[M], dx = x_step(trace, i), dy;
    spgm_status status;
    if (spgm_problem_smoothing(trace->p->problem, trace->x + i * N, 0, trace->mu[i + 1], NULL, y, &status)) {
        return cli_status(&status);
    }
    dy = theory_distance(M, y, trace->y + i * M);
    *value = (trace->how.variant == VARIANT_IHT ? dx * dx : theory_block_distance(trace, i)) + dy * dy;
    return CLI_DONE;
}

/* 2 C / (T min(theta, 1/mu^1)), C at T. */
static double stationarity_bound(const struct judged *j, int64_t T) {
    double C = j->trace->J[0] - j->trace->J[T] + j->psi_sum;
    return 2 * C / ((double)T * fmin(j->theta, 1 / j->mu1));
}

static void add_stationarity(struct judged *j, int points, const int64_t *times, const double *least) {
    const struct theory_trace *trace = j->trace;
    struct theory_curves curves = {.figure = FIGURE_STATIONARITY,
                                   .y_label = "squared distance to stationarity",
                                   .log_y = 1,
                                   .points = points,
                                   .lines = 2,
                                   .name = {"measured", "proved"}};
    snprintf(curves.title, sizeof curves.title, "%s, %s mu", theory_variant_name(trace->how.variant),
             theory_schedule_name(trace->how.schedule));
    for (int k = 0; k < points; k++) {
        curves.t[k] = (double)times[k];
        curves.value[0][k] = fmax(least[k], 1e-30);
        curves.value[1][k] = stationarity_bound(j, times[k]);
    }
    if (trace->p->is_sum) {
        j->failed |= theory_curves(j->theory, &curves);
    }
}

/* Theorem (c): within T steps there is a point whose distance to stationarity is at most the bound. */
static int judge_stationarity(struct judged *j) {
    const struct theory_trace *trace = j->trace;
    int64_t times[THEORY_POINTS], i = 0;
    double least[THEORY_POINTS], least_step = INFINITY, least_seen = INFINITY, worst_step = 0, worst = 0;
    int points = theory_times(trace->T, times);
    for (int k = 0; k < points; k++) {
        double seen = INFINITY, bound = stationarity_bound(j, times[k]);
        for (; i < times[k]; i++) {
            double dx = x_step(trace, i), dy = y_step(trace, i);
            least_step = fmin(least_step, dx * dx + dy * dy);
        }
        if (residual(j, i - 1, &seen)) {
            return CLI_FAILED;
        }
        least[k] = least_seen = fmin(least_seen, seen);
        worst_step = fmax(worst_step, least_step / bound);
        worst = fmax(worst, least_seen / bound);
    }
    claim(j, convergence(j, 2), "min ||x+ - x||^2 + ||y+ - y||^2 <= 2C/(T min(theta, 1/mu^1)): largest ratio",
          worst_step, 1, 0);
    claim(j, convergence(j, 2), "least distance^2 to stationarity <= 2C/(T min(theta, 1/mu^1)): largest ratio", worst,
          1, 0);
    add_stationarity(j, points, times, least);
    return CLI_DONE;
}

/* ---- figures
 * ------------------------------------------------------------------------------------------------------------ */

static void fill_point(const struct judged *j, struct theory_curves *curves, int k, int64_t i) {
    const struct theory_trace *trace = j->trace;
    switch (curves->figure) {
    case FIGURE_SANDWICH:
        curves->value[0][k] = trace->F[i];
        curves->value[1][k] = trace->J[i];
        curves->value[2][k] = trace->F[i] - trace->mu[i] * j->L_h * j->L_h / 2;
        break;
    case FIGURE_FEASIBILITY:
        curves->value[0][k] = gap(trace, i);
        curves->value[1][k] = j->L_h * trace->mu[i];
        break;
    default:
        curves->value[0][k] = fmax(promised(j, i - 1), 1e-16);
        curves->value[1][k] = fmax(psi(j, i - 1) + trace->J[i - 1] - trace->J[i], 1e-16);
    }
}

static void add_figure(struct judged *j, struct theory_curves curves) {
    const struct theory_trace *trace = j->trace;
    int64_t times[THEORY_POINTS];
    curves.points = theory_times(trace->T, times);
    snprintf(curves.title, sizeof curves.title, "%s, %s mu", theory_variant_name(trace->how.variant),
             theory_schedule_name(trace->how.schedule));
    for (int k = 0; k < curves.points; k++) {
        curves.t[k] = (double)times[k];
        fill_point(j, &curves, k, times[k]);
    }
    j->failed |= theory_curves(j->theory, &curves);
}

static void add_figures(struct judged *j) {
    if (!j->trace->p->is_sum) {
        return;
    }
    add_figure(j, (struct theory_curves){.figure = FIGURE_SANDWICH,
                                         .y_label = "F and its smoothing",
                                         .lines = 3,
                                         .name = {"F", "G", "F - mu L^2/2"}});
    add_figure(j, (struct theory_curves){.figure = FIGURE_FEASIBILITY,
                                         .y_label = "feasibility gap",
                                         .log_y = 1,
                                         .lines = 2,
                                         .name = {"gap", "L_h mu"}});
    add_figure(j, (struct theory_curves){.figure = FIGURE_DECREASE,
                                         .y_label = "decrease in a step",
                                         .log_y = 1,
                                         .lines = 2,
                                         .name = {"promised", "measured"}});
}

/* ---- the plan
 * ---------------------------------------------------------------------------------------------------------- */

/* What the theory knows about a schedule: the largest mu^{t-1}/mu^t, and the sum of all Psi^t. */
static void know_schedule(struct judged *j) {
    const struct theory_setting *how = &j->trace->how;
    double square = j->L_h * j->L_h;
    j->ratio = 1;
    j->psi_sum = 0;
    if (how->schedule == SCHEDULE_DIMINISHING) {
        j->ratio = (how->t0 + 1) / how->t0;
        j->psi_sum = how->eta * square;
    } else if (how->schedule == SCHEDULE_HALVING) { /* Psi = L_h^2 mu / 2 at each halving of mu: at most L_h^2 mu^1 */
        j->ratio = 2;
        j->psi_sum = j->mu1 * square;
    }
}

static int judge(struct theory *theory, const struct theory_trace *trace) {
    const struct theory_setting *how = &trace->how;
    struct judged j = {.theory = theory, .trace = trace, .L_h = trace->p->L_h, .norm = trace->p->norm};
    j.L_f = theory_L_f(trace);
    j.L_F = j.L_f + j.norm * j.L_h;
    j.mu1 = trace->mu[1];
    j.theta = how->variant == VARIANT_IHT ? how->theta : how->theta1 / j.mu1 + how->theta2;
    know_schedule(&j);
    judge_sandwich(&j);
    judge_steps(&j);
    judge_optimum(&j);
    judge_decrease(&j);
    add_figures(&j);
    int result = judge_in_mu(&j);
    if (result == CLI_DONE) {
        result = judge_stationarity(&j);
    }
    return result ? result : j.failed;
}

static int judge_run(struct theory *theory, const struct theory_problem *p, enum theory_variant variant,
                     enum theory_schedule schedule) {
    struct theory_trace trace;
    struct theory_setting how = {.variant = variant,
                                 .schedule = schedule,
                                 .period = theory->quick ? 10 : 50, /* mu falls to 2^-20 of its start */
                                 .t0 = 1,
                                 .theta = 1,
                                 .theta1 = 1,
                                 .theta2 = 1,
                                 .iterations = theory->quick ? 200 : 1000,
                                 .seed = 1};
    how.mu = schedule == SCHEDULE_CONSTANT ? 0.05 : 1;
    how.eta = how.mu * (1 + how.t0);
    int result = theory_trace_make(&trace, p, &how, 1);
    if (result == CLI_DONE) {
        result = judge(theory, &trace);
    }
    theory_trace_free(&trace);
    return result;
}

int theory_lemmas(struct theory *theory) {
    static const char *const losses[] = {"l1", "linf"};
    int result = CLI_DONE;
    for (int k = 0; result == CLI_DONE && k < 2; k++) {
        struct theory_problem p;
        result = theory_problem_make(&p, losses[k], "planted", 1);
        for (int i = 0; result == CLI_DONE && i < VARIANTS * SCHEDULES; i++) {
            screen_note(theory->args, "lemmas: %s, %s, %s", losses[k],
                        theory_variant_name((enum theory_variant)(i / SCHEDULES)),
                        theory_schedule_name((enum theory_schedule)(i % SCHEDULES)));
            result = judge_run(theory, &p, (enum theory_variant)(i / SCHEDULES), (enum theory_schedule)(i % SCHEDULES));
        }
        theory_problem_free(&p);
    }
    return result;
}
