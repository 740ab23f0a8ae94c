/*
 * A sweep over sigma of linearised ADMM on  minimise F(x) + sigma sum_j penalty(x_j)  over all x:
 *
 *     x+  = prox of sigma penalty / H at x - (grad f(x) + A'pi + A'(A x - b - y) / mu) / H,   H = ||A||^2 / mu + M
 *     y+  = P_mu(A x+ - b + mu pi)
 *     pi+ = pi + (A x+ - b - y+) / mu
 *
 * Every solution is cut to its s largest entries, and F is minimised exactly over these columns; the best is kept. Free
 * columns carry no penalty. As in smoothing.h everything is multiplied by mu, and w = mu pi is kept.
 */
#include "method/relax/relax.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "linalg/vector.h"
#include "method/baseline.h"
#include "method/polish/polish.h"

enum {
    LOWEST = -9, /* sigma = 2^LOWEST, 2^(LOWEST + 2), ..., 2^HIGHEST, as in spgm.tex                */
    HIGHEST = 9,
    EXTENSIONS = 12, /* at most so many powers of 4 beyond, until the solutions pass from sparse to dense */
    BISECTIONS = 4,  /* of log sigma between the last dense and the first sparse solution              */
    PERIOD = 10,     /* iterations between two looks at the residuals                                  */
};

static const double accuracy = 1e-3; /* relative primal and dual residuals at which a sigma is solved */

/* What a solve starts from and ends in. */
struct state {
    double *x;               /* [columns]                */
    double *w;               /* mu pi [rows]             */
    double mu, sigma, value; /* value: F re-optimised over the s largest entries */
    int64_t nonzeros;        /* that count towards s */
};

struct relax {
    struct baseline base; /* its point is x cut to s entries */
    const struct penalty *penalty;
    struct polish *polish;
    struct state now, dense, best; /* dense: the largest sigma with at least s nonzeros */
    double sparse_sigma;           /* the smallest sigma above dense.sigma with fewer   */
    double *old;                   /* the last x [columns]  */
    double *c, *y, *d;             /* A x - b, y, work [rows] */
    double *state;                 /* of f at x             */
    int64_t *support;              /* the support that was polished last [columns] */
    int64_t support_size;
    double support_value;
    double primal, dual; /* relative residuals */
};

/* ---- linearised ADMM for one sigma ------------------------------------------------------------------------------- */

/* x+ = prox(x - g / H), g = A'(c - y + w) + mu grad f(x) */
static void x_step(struct relax *relax) {
    struct baseline *base = &relax->base;
    const struct problem *problem = base->problem;
    int64_t n = problem->A->columns;
    double mu = relax->now.mu;
    double H = fmax(base->norm * base->norm + mu * base->M, 1e-300);
    double *x = relax->now.x;

    for (int64_t i = 0; i < problem->A->rows; i++) {
        relax->d[i] = relax->c[i] - relax->y[i] + relax->now.w[i];
    }
    linop_transpose(problem->A, relax->d, base->g);
    smooth_gradient(&problem->f, x, relax->state, base->slope);
    baseline_lap(base, RUN_TIMER_GRADIENT);
    vector_copy(n, x, relax->old);
    for (int64_t j = 0; j < n; j++) {
        double v = x[j] - (base->g[j] + mu * base->slope[j]) / H;

        x[j] = problem->is_free[j] ? v : relax->penalty->prox(v, mu * relax->now.sigma / H);
    }
    linop_multiply(problem->A, x, relax->c);
    vector_axpy(problem->A->rows, -1, problem->b, relax->c);
    smooth_refresh(&problem->f, x, relax->state);
    baseline_lap(base, RUN_TIMER_XSTEP);
}

/* y+ = P_mu(c + w),  w+ = w + c - y+ */
static void y_step(struct relax *relax) {
    const struct problem *problem = relax->base.problem;
    double *w = relax->now.w;

    for (int64_t i = 0; i < problem->A->rows; i++) {
        w[i] += relax->c[i];
    }
    problem->h.ops->prox(&problem->h, relax->now.mu, w, relax->y);
    for (int64_t i = 0; i < problem->A->rows; i++) {
        w[i] -= relax->y[i];
        relax->d[i] = relax->c[i] - relax->y[i];
    }
    relax->base.iteration.infeasibility = baseline_norm(problem, relax->d);
    baseline_lap(&relax->base, RUN_TIMER_YSTEP);
}

/* ||A x - b - y|| / ||b||, and ||H (x+ - x)|| against ||A'(pi + ...)||, both free of units. */
static void measure_residuals(struct relax *relax) {
    struct baseline *base = &relax->base;
    int64_t n = base->problem->A->columns;
    double H = base->norm * base->norm + relax->now.mu * base->M;

    vector_axpy(n, -1, relax->now.x, relax->old);
    relax->primal = base->iteration.infeasibility / fmax(base->length_b, 1e-300);
    relax->dual = H * vector_norm(n, relax->old) / fmax(vector_norm(n, base->g), 1e-300);
}

/* Larger mu weakens the penalty on A x - b - y. pi = w / mu stays. */
static void change_mu(struct relax *relax, double factor) {
    relax->now.mu *= factor;
    vector_scale(relax->base.problem->A->rows, factor, relax->now.w);
}

static void balance(struct relax *relax) {
    if (relax->primal > 4 * relax->dual) {
        change_mu(relax, 1 / 1.5);
    } else if (relax->dual > 4 * relax->primal) {
        change_mu(relax, 1.5);
    }
}

/* The feasible point: x cut to its s largest entries. */
static void cut(struct relax *relax) {
    struct baseline *base = &relax->base;

    vector_copy(base->problem->A->columns, relax->now.x, base->x);
    baseline_project(base, base->x);
    baseline_move(base, base->x);
}

static void describe(struct relax *relax) {
    const struct problem *problem = relax->base.problem;
    double sum = 0;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        sum += problem->is_free[j] ? 0 : relax->penalty->value(relax->now.x[j]);
    }
    relax->base.iteration.mu = relax->now.mu;
    relax->base.iteration.penalised = smooth_value(&problem->f, relax->now.x, relax->state) +
                                      problem->h.ops->value(&problem->h, relax->c) + relax->now.sigma * sum;
}

static void begin(struct relax *relax) {
    const struct problem *problem = relax->base.problem;

    linop_multiply(problem->A, relax->now.x, relax->c);
    vector_axpy(problem->A->rows, -1, problem->b, relax->c);
    smooth_refresh(&problem->f, relax->now.x, relax->state);
    vector_copy(problem->A->rows, relax->c, relax->d);
    vector_axpy(problem->A->rows, 1, relax->now.w, relax->d);
    problem->h.ops->prox(&problem->h, relax->now.mu, relax->d, relax->y);
    cut(relax);
    run_stage(relax->base.run, relax->base.iteration.objective);
}

/* From the state at hand to the solution for sigma, nearly. */
static void solve(struct relax *relax, double sigma) {
    struct run *run = relax->base.run;
    int64_t limit = run->options->max_iterations;
    int stop = 0;

    limit = run->iterations == 0 ? limit : (limit + 3) / 4; /* warm starts need less */
    relax->now.sigma = sigma;
    begin(relax);
    for (int64_t t = 1; !stop; t++) {

        x_step(relax);
        y_step(relax);
        cut(relax);
        describe(relax);
        stop = baseline_record(&relax->base) || t >= limit;
        if (t % PERIOD == 0) {
            measure_residuals(relax);
            stop |= islessequal(fmax(relax->primal, relax->dual), accuracy);
            if (relax->penalty->adapts && t < limit / 2) {
                balance(relax);
            }
        }
    }
}

/* ---- the sweep ----------------------------------------------------------------------------------------------------
 */

static void copy_state(const struct relax *relax, const struct state *from, struct state *to) {
    struct state kept = *to;

    vector_copy(relax->base.problem->A->columns, from->x, kept.x);
    vector_copy(relax->base.problem->A->rows, from->w, kept.w);
    *to = *from;
    to->x = kept.x;
    to->w = kept.w;
}

/* F minimised exactly over the support of the point; the last value again when the support is the same. */
static spgm_error reoptimise(struct relax *relax, spgm_status *status) {
    struct baseline *base = &relax->base;
    const struct point *point = &base->point;
    size_t bytes = sizeof(int64_t) * (size_t)point->support_size;
    struct polish_report report;
    spgm_error error;

    relax->now.value = relax->support_value;
    if (relax->support_size == point->support_size && memcmp(relax->support, point->support, bytes) == 0) {
        return SPGM_OK;
    }
    vector_copy(base->problem->A->columns, point->x, base->x);
    error = polish_run(relax->polish, point->support_size, point->support, base->x, &report, status);
    if (error != SPGM_OK) {
        return error;
    }
    memcpy(relax->support, point->support, bytes);
    relax->support_size = point->support_size;
    relax->support_value = relax->now.value = report.objective;
    run_offer(base->run, base->x, report.objective);
    baseline_lap(base, RUN_TIMER_POLISH);
    return SPGM_OK;
}

static int64_t count_nonzeros(const struct relax *relax) {
    const struct problem *problem = relax->base.problem;
    int64_t count = 0;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        count += relax->now.x[j] != 0 && !problem->is_free[j];
    }
    return count;
}

/* Solve for sigma from the state at hand and keep what is learnt. */
static spgm_error visit(struct relax *relax, double sigma, spgm_status *status) {
    struct run *run = relax->base.run;
    spgm_error error;

    if (run_is_over(run)) {
        return SPGM_OK;
    }
    solve(relax, sigma);
    if (run_is_over(run)) {
        return SPGM_OK;
    }
    error = reoptimise(relax, status);
    relax->now.nonzeros = count_nonzeros(relax);
    if (relax->now.nonzeros >= run->sparsity) {
        if (!isless(sigma, relax->dense.sigma)) {
            copy_state(relax, &relax->now, &relax->dense);
        }
    } else if (isgreater(sigma, relax->dense.sigma)) {
        relax->sparse_sigma = fmin(relax->sparse_sigma, sigma);
    }
    if (isless(relax->now.value, relax->best.value)) {
        copy_state(relax, &relax->now, &relax->best);
    }
    return error;
}

/* Upwards: first as far down as a dense solution needs, then up through the grid until solutions are sparse. */
static spgm_error sweep_up(struct relax *relax, spgm_status *status) {
    int64_t s = relax->base.run->sparsity;
    int exponent = LOWEST;
    spgm_error error = visit(relax, ldexp(1, exponent), status);

    for (int i = 0; i < EXTENSIONS && error == SPGM_OK && relax->now.nonzeros < s; i++) {
        exponent -= 2;
        error = visit(relax, ldexp(1, exponent), status);
    }
    for (exponent += 2; exponent <= HIGHEST + 2 * EXTENSIONS && error == SPGM_OK; exponent += 2) {
        if (exponent <= HIGHEST || relax->now.nonzeros >= s) {
            error = visit(relax, ldexp(1, exponent), status);
        }
    }
    return error;
}

/* Downwards from x = 0: first as far up as x = 0 needs, then down until solutions are dense. */
static spgm_error sweep_down(struct relax *relax, spgm_status *status) {
    int64_t s = relax->base.run->sparsity;
    int exponent = HIGHEST;
    spgm_error error = visit(relax, ldexp(1, exponent), status);

    for (int i = 0; i < EXTENSIONS && error == SPGM_OK && relax->now.nonzeros >= s && s > 0; i++) {
        exponent += 2;
        error = visit(relax, ldexp(1, exponent), status);
    }
    for (exponent -= 2; exponent >= LOWEST - 2 * EXTENSIONS && error == SPGM_OK; exponent -= 2) {
        if (exponent >= LOWEST || relax->now.nonzeros < s) {
            error = visit(relax, ldexp(1, exponent), status);
        }
    }
    return error;
}

/* Between the last dense solution and the first sparse one. */
static spgm_error bisect(struct relax *relax, spgm_status *status) {
    spgm_error error = SPGM_OK;

    for (int i = 0; i < BISECTIONS && error == SPGM_OK; i++) {
        if (relax->dense.sigma <= 0 || isinf(relax->sparse_sigma)) {
            return SPGM_OK;
        }
        copy_state(relax, &relax->dense, &relax->now);
        error = visit(relax, sqrt(relax->dense.sigma) * sqrt(relax->sparse_sigma), status);
    }
    return error;
}

/* Around the best sigma, by factors of 2 and then sqrt(2), moving along when that is better. */
static spgm_error refine(struct relax *relax, spgm_status *status) {
    static const double factors[] = {2, 0.5, 1.4142135623730951, 0.70710678118654757};
    spgm_error error = SPGM_OK;

    for (size_t i = 0; i < sizeof factors / sizeof *factors && error == SPGM_OK; i++) {
        if (isinf(relax->best.value)) {
            return SPGM_OK;
        }
        copy_state(relax, &relax->best, &relax->now);
        error = visit(relax, factors[i] * relax->best.sigma, status);
    }
    return error;
}

/* The best point may be one on the way, which was not re-optimised. */
static spgm_error finish(struct relax *relax, spgm_status *status) {
    struct run *run = relax->base.run;

    if (run_is_over(run)) {
        return SPGM_OK;
    }
    run->outcome = SPGM_CONVERGED;
    point_set(&relax->base.point, run->best_x);
    return reoptimise(relax, status);
}

static spgm_error sweep(struct relax *relax, spgm_status *status) {
    spgm_error error;

    baseline_measure(&relax->base);
    relax->now.mu = relax->penalty->mu * relax->base.mu;
    relax->dense.sigma = 0;
    relax->sparse_sigma = INFINITY;
    relax->best.value = INFINITY;
    relax->support_size = -1;
    error = relax->penalty->rising ? sweep_up(relax, status) : sweep_down(relax, status);
    if (error == SPGM_OK) {
        error = bisect(relax, status);
    }
    if (error == SPGM_OK) {
        error = refine(relax, status);
    }
    return error == SPGM_OK ? finish(relax, status) : error;
}

static void take_state(struct state *state, const struct problem *problem, struct workspace *workspace) {
    state->x = workspace_doubles(workspace, problem->A->columns);
    state->w = workspace_doubles(workspace, problem->A->rows);
}

static void relax_init(struct relax *relax, struct run *run, struct workspace *workspace) {
    const struct problem *problem = run->problem;
    int64_t m = problem->A->rows;

    baseline_init(&relax->base, run, workspace);
    take_state(&relax->now, problem, workspace);
    take_state(&relax->dense, problem, workspace);
    take_state(&relax->best, problem, workspace);
    relax->old = workspace_doubles(workspace, problem->A->columns);
    relax->c = workspace_doubles(workspace, m);
    relax->y = workspace_doubles(workspace, m);
    relax->d = workspace_doubles(workspace, m);
    relax->state = workspace_doubles(workspace, smooth_state_size(&problem->f));
    relax->support = workspace_integers(workspace, problem->A->columns);
    relax->polish = workspace->failed ? NULL : polish_new(problem, problem->free_count + run->sparsity);
}

spgm_error relax_run(struct run *run, const struct penalty *penalty, spgm_status *status) {
    struct workspace workspace = {0};
    struct relax relax = {.penalty = penalty};
    int64_t capacity = run->problem->free_count + run->sparsity;
    spgm_error error;

    relax_init(&relax, run, &workspace);
    if (relax.polish == NULL) {
        error = status_memory(status, workspace.bytes + polish_bytes(run->problem, capacity));
    } else {
        error = sweep(&relax, status);
    }
    polish_free(relax.polish);
    workspace_free(&workspace);
    return error;
}
