/*
 * Dual iterative hard thresholding: proximal supergradient ascent on
 *
 *     D(alpha) = min over ||x||_0 <= s of  f(x) + alpha'(A x - b)  -  h*(alpha)  <=  F(x) for every feasible x.
 *
 *     X.-T. Yuan, B. Liu, L. Wang, Q. Liu, D. N. Metaxas, Dual iterative hard thresholding, JMLR 21, 2020.
 *
 * With ridge omega_j and c = A'alpha + G the minimiser is x_j = -c_j / omega_j for the s largest c_j^2 / omega_j, where
 * f(x) >= sum_j omega_j x_j^2 / 2 + G'x + constant with equality when f has no term beyond ridge and linear. A x - b is
 * a supergradient of the first part, and h* is treated by its proximal operator, from that of h by Moreau's identity:
 *
 *     v = alpha + eta (A x(alpha) - b),    alpha+ = v - eta P_{1/eta}(v / eta)
 */
#include "method/diht/diht.h"
#include "method/constants.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "linalg/cholesky.h"
#include "linalg/select.h"
#include "linalg/vector.h"
#include "method/baseline.h"

static const struct stage {
    double step, last; /* eta in units of 1 / L; the last one relative to the first */
    int64_t share;     /* max_iterations / share steps                              */
} stages[] = DIHT_STAGES, plain = DIHT_PLAIN;

struct progress {
    double objective, bound;
    int64_t iteration;
    int counts_bound;
};

struct diht {
    struct baseline base;
    double *alpha, *next; /* alpha, alpha+ [rows]                                */
    double *v, *residual; /* work, A x - b [rows]                                */
    double *c;            /* A'alpha + G [columns]                               */
    double *anchor;       /* the point at which the term of f is linearised [columns] */
    double *anchor_state; /* of f                                                */
    double *G;            /* slope of the linear minorant of the term [columns] */
    double constant;      /* constant of that minorant */
    double L;             /* ||A omega^{-1/2}||^2                                */
    double follow;        /* the share of the way to x(alpha) by which the anchor moves */

    /* "Loose" columns: free columns without ridge, for which A_F'alpha + G_F must vanish. */
    int64_t loose, kept;    /* their number, and the number of independent ones */
    int64_t *loose_columns; /* [loose]                                             */
    int64_t *kept_columns;  /* [kept]                                              */
    double *loose_length;   /* ||a_j|| [loose]                                     */
    double *kept_length;    /* [kept]                                              */
    double *kept_x;         /* their coefficients [kept]                           */
    double *gram, *row;     /* factor of A_F'A_F [loose x loose]; work [loose + 1] */
};

/* ---- f from below -------------------------------------------------------------------------------------------- */

/* The minorant f(x) >= sum omega x^2 / 2 + G'x + constant, by linearising everything but the ridge at the anchor. */
static void linearise(struct diht *diht) {
    const struct smooth *f = &diht->base.problem->f;
    int64_t n = diht->base.problem->A->columns;
    double value;

    smooth_refresh(f, diht->anchor, diht->anchor_state);
    smooth_gradient(f, diht->anchor, diht->anchor_state, diht->G);
    value = smooth_value(f, diht->anchor, diht->anchor_state);
    for (int64_t j = 0; j < n; j++) {
        value -= diht->G[j] * diht->anchor[j] - f->ridge[j] * diht->anchor[j] * diht->anchor[j] / 2;
        diht->G[j] -= f->ridge[j] * diht->anchor[j];
    }
    diht->constant = value;
}

/* ---- free columns without ridge: A_F'alpha + G_F must vanish ---------------------------------------------------- */

static void factor_loose(struct diht *diht) {
    const struct problem *problem = diht->base.problem;
    int64_t k = diht->loose;
    double *gram = diht->base.norm_work; /* columns of one row at a time */

    diht->kept = 0;
    for (int64_t i = 0; i < k; i++) {
        int64_t j = diht->loose_columns[i];

        diht->kept_columns[diht->kept] = j;
        linop_gather(problem->A, 1, &j, diht->v, problem->A->rows);
        linop_transpose_columns(problem->A, diht->kept + 1, diht->kept_columns, diht->v, gram);
        diht->kept_length[diht->kept] = sqrt(fmax(gram[diht->kept], 0));
        diht->kept += cholesky_append(diht->kept, diht->gram, k, gram, gram[diht->kept], DIHT_DEPENDENT);
    }
}

/* row = (A_F'A_F)^{-1} A_F'u */
static void fit_loose(struct diht *diht, const double *u) {
    linop_transpose_columns(diht->base.problem->A, diht->kept, diht->kept_columns, u, diht->row);
    cholesky_solve(diht->kept, diht->gram, diht->loose, diht->row);
}

/* ---- D and its supergradient ----------------------------------------------------------------------------------- */

/* Twice the decrease of omega_j x_j^2 / 2 + c_j x_j from x_j = 0 to its minimum within the bounds, which is written to
 * *x. */
static double gain_of(const struct diht *diht, int64_t j, double *x) {
    const struct problem *problem = diht->base.problem;
    double omega = problem->f.ridge[j];
    double v = -diht->c[j] / omega;

    *x = problem_clip(problem, j, v);
    return *x == v ? diht->c[j] * diht->c[j] / omega : omega * *x * (2 * v - *x);
}

static double key_of(const struct diht *diht, int64_t j) {
    const struct problem *problem = diht->base.problem;
    double x, gain;

    if (problem->lower == NULL && !problem->set.rule->adds) {
        return fabs(diht->c[j]) / sqrt(problem->f.ridge[j]);
    }
    gain = gain_of(diht, j, &x);
    return problem->set.rule->adds                  ? gain
           : x == -diht->c[j] / problem->f.ridge[j] ? fabs(diht->c[j]) / sqrt(problem->f.ridge[j])
                                                    : sqrt(gain);
}

/* The best feasible support (without groups and bounds the s largest c_j^2 / omega_j) and the free columns with ridge:
 * x_j = -c_j / omega_j, clipped to its bounds, into columns and values; the loose columns keep their values. Returns
 * the decrease, without bounds sum c_j^2 / (2 omega_j). */
static double minimise_over_x(struct diht *diht, int64_t *k) {
    struct baseline *base = &diht->base;
    const struct problem *problem = base->problem;
    const double *omega = problem->f.ridge;
    double gain = 0;
    int64_t next = 0;

    for (int64_t i = 0; i < base->active_count; i++) {
        int64_t j = base->active[i];

        base->keys[i] = problem->is_free[j] ? INFINITY : key_of(diht, j);
    }
    *k = baseline_choose(base);
    for (int64_t i = 0; i < *k; i++) {
        int64_t j = base->columns[i];

        base->values[i] = 0;
        if (omega[j] > 0) {
            gain += gain_of(diht, j, &base->values[i]) / 2;
        } else if (next < diht->kept && diht->kept_columns[next] == j) {
            base->values[i] = diht->kept_x[next++];
        }
    }
    return gain;
}

/* The minimum of c_F x_F, which is attained at a bound. Without a bound c_F = A_F'alpha + G_F must vanish: a c_F of the
 * size of rounding is charged over ten times the size of x_F; a larger one proves nothing. */
static double charge_loose(const struct diht *diht) {
    const struct problem *problem = diht->base.problem;
    double length = baseline_norm(problem, diht->alpha);
    double sum = 0;

    for (int64_t i = 0; i < diht->loose; i++) {
        int64_t j = diht->loose_columns[i];
        double column = diht->loose_length[i];
        double reach = fabs(diht->base.point.x[j]) + (column > 0 ? diht->base.length_b / column : 0);
        double bound = problem->lower == NULL ? INFINITY : diht->c[j] > 0 ? problem->lower[j] : problem->upper[j];

        if (isfinite(bound)) {
            sum += fabs(diht->c[j] * bound);
            continue;
        }
        if (fabs(diht->c[j]) > DIHT_ROUNDING * column * length) {
            return INFINITY;
        }
        sum += DIHT_REACH * fabs(diht->c[j]) * reach;
    }
    return sum;
}

/* c = A'alpha + G for the active columns. */
static void dual_slope(struct diht *diht) {
    struct baseline *base = &diht->base;

    if (base->active == base->every) {
        linop_transpose(base->problem->A, diht->alpha, diht->c);
        vector_axpy(base->active_count, 1, diht->G, diht->c);
        run_score(base->run, diht->c);
    } else {
        linop_transpose_columns(base->problem->A, base->active_count, base->active, diht->alpha, base->keys);
        for (int64_t i = 0; i < base->active_count; i++) {
            diht->c[base->active[i]] = base->keys[i] + diht->G[base->active[i]];
        }
    }
    baseline_lap(base, RUN_TIMER_GRADIENT);
}

/* Compute x(alpha) and its residual r = A x(alpha) - b; after a look at all columns also D(alpha). */
static void evaluate(struct diht *diht) {
    struct baseline *base = &diht->base;
    const struct problem *problem = base->problem;
    int all = baseline_look(base);
    int64_t k;
    double gain, D;

    dual_slope(diht);
    gain = minimise_over_x(diht, &k);
    baseline_lap(base, RUN_TIMER_XSTEP);
    baseline_move_columns(base, k);
    if (!all) { /* an inactive column might lower the minimum */
        return;
    }
    D = diht->constant - baseline_dot(problem, diht->alpha, problem->b) - gain -
        problem->h.ops->conjugate(&problem->h, diht->alpha) - charge_loose(diht);
    base->iteration.penalised = D;
    if (isgreater(D, base->run->bound)) {
        base->run->bound = D;
    }
}

/* next = prox of eta h* at alpha + eta (A x - b), by Moreau's identity; uses v. */
static void proximal_step(struct diht *diht, double eta) {
    const struct problem *problem = diht->base.problem;
    int64_t m = problem->A->rows;
    struct loss_split values;

    for (int64_t i = 0; i < m; i++) {
        diht->v[i] = diht->alpha[i] / eta + diht->residual[i];
    }
    problem->h.ops->split(&problem->h, 1 / eta, diht->v, diht->next, &values);
    vector_scale(m, eta, diht->next);
}

/* x_F += change, for one loose column; returns a_F'alpha+ + G_F, which rises with x_F. */
static double shift_loose(struct diht *diht, double eta, int64_t i, double change) {
    const struct problem *problem = diht->base.problem;
    double value;

    diht->kept_x[i] += change;
    linop_add_columns(problem->A, 1, diht->kept_columns + i, &change, diht->residual);
    proximal_step(diht, eta);
    linop_transpose_columns(problem->A, 1, diht->kept_columns + i, diht->next, &value);
    return value + diht->G[diht->kept_columns[i]];
}

/* At a bound a_F'alpha+ + G_F may be nonzero, with the sign that holds x_F there. */
static void bound_loose(struct diht *diht, double eta, int64_t i) {
    double x = problem_clip(diht->base.problem, diht->kept_columns[i], diht->kept_x[i]);

    if (x != diht->kept_x[i]) {
        shift_loose(diht, eta, i, x - diht->kept_x[i]);
        diht->kept_x[i] = x;
    }
}

/*
 * The coefficient of a loose column is the multiplier of a_F'alpha + G_F = 0. It is moved until the proximal step
 * satisfies this equation, by doubling until the root is bracketed and then by false position (Illinois). Each trial is
 * a proximal step, which for some losses takes longer than a pass over A. If the time runs out, the equation does not
 * hold, and the dual value of the step is no bound.
 */
static void settle_loose(struct diht *diht, double eta, int64_t i) {
    struct stop stop = run_stop(diht->base.run);
    double length = diht->kept_length[i];
    double here = shift_loose(diht, eta, i, 0);
    double tolerance = DIHT_LEVEL * length * (baseline_norm(diht->base.problem, diht->next) + DBL_MIN);
    double change = -here / (eta * length * length); /* not past the root: the slope is at most eta ||a_F||^2 */
    double there;

    if (stop_ask(&stop)) {
        return;
    }
    there = shift_loose(diht, eta, i, change);
    for (int pass = 0; pass < DIHT_LOOSE_PASSES && there * here > 0 && fabs(there) > tolerance && !stop_ask(&stop);
         pass++) {
        here = there;
        change *= 2;
        there = shift_loose(diht, eta, i, change);
    }
    for (int pass = 0; pass < DIHT_LOOSE_PASSES && there * here < 0 && fabs(there) > tolerance && !stop_ask(&stop);
         pass++) {
        double back = -change * there / (there - here); /* from `there` back towards `here`, at distance -change */
        double value = shift_loose(diht, eta, i, back);

        if (value * there < 0) {
            here = there;
            change = back;
        } else {
            here /= 2;
            change += back;
        }
        there = value;
    }
    bound_loose(diht, eta, i);
}

/* alpha+ = prox of eta h* at alpha + eta (A x - b) */
static void ascend(struct diht *diht, double eta) {
    const struct problem *problem = diht->base.problem;

    vector_copy(problem->A->rows, diht->base.point.residual, diht->residual);
    if (diht->kept == 0) {
        proximal_step(diht, eta);
    }
    for (int64_t i = 0; i < diht->kept * (diht->kept > 1 ? DIHT_LOOSE_SWEEPS : 1); i++) {
        settle_loose(diht, eta, i % diht->kept);
    }
    vector_copy(problem->A->rows, diht->next, diht->alpha);
    problem->h.ops->project_dual(&problem->h, diht->alpha); /* no more than rounding */
    if (problem->f.term != NULL) {
        for (int64_t j = 0; j < problem->A->columns; j++) {
            diht->anchor[j] += diht->follow * (diht->base.point.x[j] - diht->anchor[j]);
        }
        linearise(diht);
    }
    diht->base.iteration.mu = 1 / eta;
    baseline_lap(&diht->base, RUN_TIMER_YSTEP);
}

/* Neither the points nor the bound improve: the iterates cycle. */
static int is_stalled(struct diht *diht, struct progress *progress) {
    const struct run *run = diht->base.run;
    double F = run->best_objective;
    double bound = run->bound;
    double least = run->options->tolerance * (1 + fabs(F));

    if (F < progress->objective - least ||
        (progress->counts_bound && bound > progress->bound + DIHT_BOUND_GAIN * fabs(bound))) {
        *progress = (struct progress){F, bound, run->iterations, progress->counts_bound};
    }
    return run->iterations - progress->iteration >= DIHT_PATIENCE * run->options->window;
}

static void run_one(struct diht *diht, const struct stage *stage) {
    struct run *run = diht->base.run;
    int64_t steps = (run->options->max_iterations + stage->share - 1) / stage->share;
    double scale = run_is_plain(diht->base.run) ? diht->base.run->options->step_scale : 1;
    double eta = scale * stage->step / diht->L;
    double decay = pow(stage->last, 1 / (double)steps);
    struct progress progress = {INFINITY, -INFINITY, run->iterations, stage->last < 1};
    struct stop due = run_stop(run);
    int stop = 0;

    baseline_look_next(&diht->base);
    evaluate(diht);
    run_stage(run, diht->base.iteration.objective);
    if (stop_ask(&due)) { /* this is the model that is returned; one step may take longer than all before it */
        baseline_record(&diht->base);
        return;
    }
    for (int64_t t = 0; t < steps && !stop; t++) {
        ascend(diht, eta);
        evaluate(diht);
        eta *= decay;
        stop = baseline_record(&diht->base);
        if (!stop && !run_is_plain(run) && is_stalled(diht, &progress)) {
            run->outcome = SPGM_CONVERGED;
            return;
        }
    }
    run->outcome = stop ? run->outcome : SPGM_ITERATION_LIMIT;
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static spgm_error check_ridge(const struct problem *problem, spgm_status *status) {
    for (int64_t j = 0; j < problem->A->columns; j++) {
        if (!problem->is_free[j] && !isgreater(problem->f.ridge[j], 0)) {
            return status_set(status, SPGM_ERROR_UNSUPPORTED,
                              "the method diht needs a ridge above 0 (column %" PRId64
                              " has none), and well above 0 for data of extreme scale: without a ridge its dual "
                              "problem does not exist; set the option ridge, or choose another method",
                              j + 1);
        }
    }
    return SPGM_OK;
}

static void diht_init(struct diht *diht, struct run *run, struct workspace *workspace) {
    const struct problem *problem = run->problem;
    int64_t m = problem->A->rows;
    int64_t n = problem->A->columns;
    int64_t k = problem->free_count;

    *diht = (struct diht){0};
    baseline_init(&diht->base, run, workspace);
    diht->alpha = workspace_doubles(workspace, m);
    diht->v = workspace_doubles(workspace, m);
    diht->next = workspace_doubles(workspace, m);
    diht->residual = workspace_doubles(workspace, m);
    diht->c = workspace_doubles(workspace, n);
    diht->anchor = workspace_doubles(workspace, n);
    diht->anchor_state = workspace_doubles(workspace, smooth_state_size(&problem->f));
    diht->G = workspace_doubles(workspace, n);
    diht->loose_columns = workspace_integers(workspace, k);
    diht->kept_columns = workspace_integers(workspace, k + 1);
    diht->gram = workspace_doubles(workspace, k * k);
    diht->kept_x = workspace_doubles(workspace, k);
    diht->row = workspace_doubles(workspace, k + 1);
    diht->loose_length = workspace_doubles(workspace, k);
    diht->kept_length = workspace_doubles(workspace, k);
}

static void list_loose(struct diht *diht) {
    const struct problem *problem = diht->base.problem;

    linop_column_squares(problem->A, diht->c);
    for (int64_t i = 0; i < problem->free_count; i++) {
        int64_t j = problem->free_columns[i];

        if (!isgreater(problem->f.ridge[j], 0)) {
            diht->loose_length[diht->loose] = sqrt(diht->c[j]);
            diht->loose_columns[diht->loose++] = j;
        }
    }
    factor_loose(diht);
    fit_loose(diht, problem->b); /* the least-squares values at x = 0 */
    for (int64_t i = 0; i < diht->kept; i++) {
        diht->kept_x[i] = problem_clip(problem, diht->kept_columns[i], diht->row[i]);
    }
}

/* A term of f has a dual variable of its own, its slope at the anchor: each of the two gets half of the step. */
static void share_steps(struct diht *diht) {
    const struct problem *problem = diht->base.problem;
    struct stop stop = run_stop(diht->base.run);
    double least = INFINITY;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        least = problem->f.ridge[j] > 0 ? fmin(least, problem->f.ridge[j]) : least;
    }
    diht->L *= 2;
    diht->follow =
        isfinite(least) ? 0.5 * least / (least + smooth_smoothness(&problem->f, diht->base.norm_work, &stop)) : 0;
}

/* L = ||A omega^{-1/2}||^2. Columns without ridge do not count, because alpha is orthogonal to them. */
static int measure(struct diht *diht) {
    const struct problem *problem = diht->base.problem;
    struct stop stop = run_stop_half(diht->base.run);
    struct linop *scaled;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        diht->c[j] = problem->f.ridge[j] > 0 ? 1 / sqrt(problem->f.ridge[j]) : 0;
    }
    scaled = linop_framed_new(problem->A, diht->c, 0, 0);
    if (scaled == NULL) {
        return 0;
    }
    diht->L = linop_norm_until(scaled, diht->base.norm_work, &stop);
    diht->L = fmax(diht->L * diht->L, DBL_MIN);
    linop_count(problem->A, scaled->meter.columns, scaled->meter.entries);
    linop_free(scaled);
    if (problem->f.term != NULL) {
        share_steps(diht);
    }
    return 1;
}

static spgm_error diht_run(struct run *run, spgm_status *status) {
    struct workspace workspace = {.memory = run->problem->A->memory};
    struct diht diht;
    spgm_error error = check_ridge(run->problem, status);

    if (error != SPGM_OK) {
        return error;
    }
    diht_init(&diht, run, &workspace);
    if (workspace.failed || !measure(&diht)) {
        error = status_memory(status, workspace.bytes);
    } else {
        baseline_measure(&diht.base);
        list_loose(&diht);
        linearise(&diht);
        if (run_is_plain(run)) {
            run_one(&diht, &plain);
        }
        for (size_t i = 0; !run_is_plain(run) && i < sizeof stages / sizeof *stages && !run_is_over(run); i++) {
            run_one(&diht, &stages[i]);
        }
    }
    workspace_free(&workspace);
    return error;
}

const struct method method_diht = {
    .name = "diht",
    .summary = "dual hard thresholding, with a lower bound; ridge > 0",
    .run = diht_run,
};
