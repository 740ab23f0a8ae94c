/*
 * A sweep over sigma of linearised ADMM on  minimise F(x) + sigma sum_j penalty(x_j)  over all x:
 *
 *     x+  = prox of sigma penalty / H at x - (grad f(x) + A'pi + A'(A x - b - y) / mu) / H,   H = ||A||^2 / mu + M
 *     y+  = P_mu(A x+ - b + mu pi)
 *     pi+ = pi + (A x+ - b - y+) / mu
 *
 * Every solution is projected onto the feasible set (cut to its s largest entries), and F is minimised over these
 * columns; the best is kept. Free columns carry no penalty, and x keeps to its bounds. As in smoothing.h everything is
 * multiplied by mu, and w = mu pi is kept.
 */
#include "method/relax/relax.h"
#include "method/constants.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "fit/fit.h"
#include "linalg/select.h"
#include "linalg/vector.h"
#include "method/baseline.h"

enum { GRID = (RELAX_HIGHEST - RELAX_LOWEST) / 2 + 1 + 2 * RELAX_EXTENSIONS };

/* Start and end of a solve. */
struct state {
    double *x;               /* [columns]                */
    double *w;               /* mu pi [rows]             */
    double mu, sigma, value; /* value: F after re-optimisation over the s largest entries */
    int64_t nonzeros;        /* units: what s counts */
};

struct relax {
    struct baseline base; /* its point is x cut to s entries */
    const struct penalty *penalty;
    struct fit *fit;
    struct state now, dense, best; /* dense: at the largest sigma with at least s nonzeros */
    double sparse_sigma;           /* the smallest sigma above dense.sigma with fewer nonzeros */
    int64_t *live;                 /* nonzeros of x and free columns, ascending [columns] */
    double *live_x;                /* x there               */
    int64_t live_count;
    double step, slope; /* ||x+ - x|| and ||g|| of the last step */
    double A_s;         /* bound on ||A d|| / ||d|| over the steps d that are taken */
    double *c, *q;      /* A x - b, A x - b - y [rows] */
    double *d, *v;      /* work [rows]           */
    double *state;      /* of f at x             */
    struct {
        uint64_t hash;
        double value;
    } seen[RELAX_SEEN]; /* supports that were re-optimised */
    int seen_count;
    double visited[RELAX_SEEN]; /* sigma */
    int visits;
    double primal, dual; /* relative residuals */
};

/* ---- linearised ADMM for one sigma ------------------------------------------------------------------------------- */

/*
 * argmin over the bounds of (x - v)^2 / 2 + lambda penalty(x), given the minimum x without bounds. Between 0 and x the
 * function decreases to x, perhaps after a rise: if x violates a bound, the minimum is at that bound or at 0.
 */
static double prox_within(const struct relax *relax, int64_t j, double v, double lambda, double x) {
    double bound = problem_clip(relax->base.problem, j, x);
    double at_bound;

    if (bound == x) {
        return x;
    }
    at_bound = (bound - v) * (bound - v) / 2 + lambda * relax->penalty->value(bound);
    return islessequal(at_bound, v * v / 2) ? bound : 0;
}

/*
 * x_j+ = prox(v_j) for the active columns, v = x - g / H; lists the nonzeros and, after a look, the columns to watch.
 */
static void move_x(struct relax *relax, double H, int all) {
    struct baseline *base = &relax->base;
    const unsigned char *is_free = base->problem->is_free;
    double lambda = relax->now.mu * relax->now.sigma / H;
    double threshold = relax->penalty->threshold(lambda);
    double moved = 0, slope = 0;
    int64_t live = 0, watched = 0, missed = 0;

    for (int64_t i = 0; i < base->active_count; i++) {
        int64_t j = base->active[i];
        double old = relax->now.x[j];
        double v = old - base->g[j] / H;
        double x = is_free[j] ? v : fabs(v) <= threshold ? 0 : relax->penalty->prox(v, lambda);

        if (base->problem->lower != NULL) {
            x = is_free[j] ? problem_clip(base->problem, j, v) : prox_within(relax, j, v, lambda, x);
        }
        relax->now.x[j] = x;
        moved += (x - old) * (x - old);
        slope += base->g[j] * base->g[j];
        if (x != 0 || is_free[j]) {
            relax->live_x[live] = x;
            relax->live[live++] = j;
            missed += !base->is_watched[j];
        }
        if (all && (x != 0 || is_free[j] || RELAX_MARGIN * fabs(v) > threshold)) {
            base->chosen[watched++] = j;
        }
    }
    relax->live_count = live;
    relax->step = sqrt(moved);
    relax->slope = sqrt(slope);
    if (all) {
        baseline_watch(base, watched, live, missed);
    }
}

/* c = A x - b */
static void follow_x(struct relax *relax) {
    const struct problem *problem = relax->base.problem;

    for (int64_t i = 0; i < problem->A->rows; i++) {
        relax->c[i] = -problem->b[i];
    }
    linop_add_columns(problem->A, relax->live_count, relax->live, relax->live_x, relax->c);
    smooth_refresh(&problem->f, relax->now.x, relax->state);
}

/* Whether steps and mu adapt; otherwise they keep their first values. */
static int adapts(const struct relax *relax) {
    return relax->penalty->adapts && !run_is_plain(relax->base.run);
}

/* A_s for a new sigma. Only the norm of the moving columns matters, and longer steps need fewer iterations. With a
 * nonconvex penalty longer steps lead to other solutions, so A_s is ||A||. */
static void reset_bound(struct relax *relax) {
    const struct baseline *base = &relax->base;
    double least = fmax(RELAX_KEEPS * relax->A_s, sqrt(base->squares));

    relax->A_s = adapts(relax) ? fmin(base->norm, least) : base->norm;
}

/* Raise A_s if the last step shows it to be too small; d holds the last c.   ||A (x+ - x)|| <= A_s ||x+ - x|| */
static void check_bound(struct relax *relax) {
    const struct problem *problem = relax->base.problem;
    double moved = baseline_distance(problem, relax->c, relax->d);

    if (isgreater(moved, relax->A_s * relax->step)) {
        relax->A_s = fmin(relax->base.norm, BOUND_RAISE * moved / relax->step);
    }
}

/* x+ = prox(x - g / H), g = A'(c - y + w) + mu grad f(x). Returns nonzero if all columns were computed. */
static int x_step(struct relax *relax) {
    struct baseline *base = &relax->base;
    double mu = relax->now.mu;
    double H = fmax(relax->A_s * relax->A_s + mu * base->M, LEAST_DIVISOR);
    int all = baseline_look(base);

    for (int64_t i = 0; i < base->problem->A->rows; i++) {
        relax->d[i] = relax->q[i] + relax->now.w[i];
    }
    baseline_gradient(base, relax->d, mu, relax->now.x, relax->state);
    baseline_lap(base, RUN_TIMER_GRADIENT);
    move_x(relax, H, all);
    vector_copy(base->problem->A->rows, relax->c, relax->d);
    follow_x(relax);
    check_bound(relax);
    baseline_lap(base, RUN_TIMER_XSTEP);
    return all;
}

/* w+ = v - P_mu(v) with v = c + w,  y+ = v - w+,  so that q = c - y+ = w+ - w. */
static void y_step(struct relax *relax) {
    const struct problem *problem = relax->base.problem;
    double *w = relax->now.w;
    struct loss_split values;
    double squares = 0;

    vector_copy(problem->A->rows, w, relax->d);
    for (int64_t i = 0; i < problem->A->rows; i++) {
        relax->v[i] = relax->c[i] + w[i];
    }
    problem->h.ops->split(&problem->h, relax->now.mu, relax->v, w, &values);
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < problem->A->rows; i++) {
        relax->q[i] = w[i] - relax->d[i];
        squares += relax->q[i] * relax->q[i];
    }
    reduce_sum(problem->A->reduce, &squares, 1);
    relax->base.iteration.infeasibility = sqrt(squares);
    baseline_lap(&relax->base, RUN_TIMER_YSTEP);
}

/* ||A x - b - y|| / ||b||, and ||H (x+ - x)|| relative to ||A'(pi + ...)||, both independent of units. Valid after a
 * look. */
static void measure_residuals(struct relax *relax) {
    struct baseline *base = &relax->base;
    double H = relax->A_s * relax->A_s + relax->now.mu * base->M;

    relax->primal = base->iteration.infeasibility / fmax(base->length_b, LEAST_DIVISOR);
    relax->dual = H * relax->step / fmax(relax->slope, LEAST_DIVISOR);
}

/* Change mu. A larger mu weakens the penalty on A x - b - y. pi = w / mu stays the same. */
static void change_mu(struct relax *relax, double factor) {
    relax->now.mu *= factor;
    vector_scale(relax->base.problem->A->rows, factor, relax->now.w);
}

static void balance(struct relax *relax) {
    double ratio = relax->dual / fmax(relax->primal, LEAST_DIVISOR);

    if (ratio > RELAX_BALANCE || ratio < 1.0 / RELAX_BALANCE) {
        change_mu(relax, fmin(fmax(sqrt(ratio), 0.5), 2));
    }
}

/* Set the feasible point to the projection of x, usually x cut to its s largest entries. */
static void cut(struct relax *relax) {
    struct baseline *base = &relax->base;
    const struct feasible *set = &base->problem->set;
    int64_t kept;

    for (int64_t i = 0; i < relax->live_count; i++) {
        base->keys[i] = problem_key(base->problem, relax->live[i], relax->live_x[i]);
    }
    kept = set->rule->choose(set, base->run->sparsity, relax->live_count, relax->live, base->keys, &base->run->work,
                             base->chosen);
    for (int64_t i = 0; i < kept; i++) {
        base->columns[i] = relax->live[base->chosen[i]];
        base->values[i] = relax->live_x[base->chosen[i]];
    }
    baseline_move_columns(base, kept);
}

static void describe(struct relax *relax) {
    const struct problem *problem = relax->base.problem;
    double sum = 0;

    for (int64_t i = 0; i < relax->live_count; i++) {
        sum += problem->is_free[relax->live[i]] ? 0 : relax->penalty->value(relax->live_x[i]);
    }
    relax->base.iteration.mu = relax->now.mu;
    relax->base.iteration.penalised =
        smooth_value_columns(&problem->f, relax->now.x, relax->state, relax->live_count, relax->live) +
        problem->h.ops->value(&problem->h, relax->c) + relax->now.sigma * sum;
}

static void begin(struct relax *relax) {
    const struct problem *problem = relax->base.problem;
    struct loss_split values;

    relax->live_count = 0;
    for (int64_t j = 0; j < problem->A->columns; j++) {
        if (relax->now.x[j] != 0 || problem->is_free[j]) {
            relax->live_x[relax->live_count] = relax->now.x[j];
            relax->live[relax->live_count++] = j;
        }
    }
    follow_x(relax);
    for (int64_t i = 0; i < problem->A->rows; i++) {
        relax->v[i] = relax->c[i] + relax->now.w[i];
    }
    problem->h.ops->split(&problem->h, relax->now.mu, relax->v, relax->q, &values);
    vector_axpy(problem->A->rows, -1, relax->now.w, relax->q); /* y = P_mu(v), q = c - y = v - P_mu(v) - w */
    cut(relax);
    run_stage(relax->base.run, relax->base.iteration.objective);
    baseline_look_next(&relax->base);
}

/* Solve approximately for sigma from the current state. The feasible point is updated only now and then, because only
 * the final x matters. */
static void solve(struct relax *relax, double sigma, int64_t share) {
    int64_t limit = (relax->base.run->options->max_iterations + share - 1) / share;
    int64_t checked = 0;
    int stop = 0;

    relax->now.sigma = sigma;
    reset_bound(relax);
    begin(relax);
    for (int64_t t = 1; !stop; t++) {
        int all = x_step(relax);

        y_step(relax);
        if (all || t % RELAX_PERIOD == 0 || t == limit) {
            cut(relax);
        }
        describe(relax);
        stop = baseline_record(&relax->base) || t >= limit;
        if (all && t - checked >= RELAX_PERIOD) {
            checked = t;
            measure_residuals(relax);
            stop |= islessequal(fmax(relax->primal, relax->dual), RELAX_ACCURACY);
            if (adapts(relax) && t < limit / 2) {
                balance(relax);
            }
        }
    }
}

/* ---- the sweep -------------------------------------------------------------------------------------------- */

static void copy_state(const struct relax *relax, const struct state *from, struct state *to) {
    struct state kept = *to;

    vector_copy(relax->base.problem->A->columns, from->x, kept.x);
    vector_copy(relax->base.problem->A->rows, from->w, kept.w);
    *to = *from;
    to->x = kept.x;
    to->w = kept.w;
}

static uint64_t hash_support(const struct point *point) { /* FNV-1a */
    uint64_t hash = 14695981039346656037u;

    for (int64_t i = 0; i < point->support_size; i++) {
        hash = (hash ^ (uint64_t)point->support[i]) * 1099511628211u;
    }
    return hash;
}

/* Minimise F over the support of the point to within `gap`. */
static spgm_error minimise(struct relax *relax, double gap, spgm_status *status) {
    struct baseline *base = &relax->base;
    const struct point *point = &base->point;
    spgm_error error;

    fit_set_support(relax->fit, point->support_size, point->support);
    fit_gather(relax->fit, point->x);
    fit_rough(relax->fit, gap, gap > 0 ? base->run->best_objective : INFINITY);
    error = fit_error(relax->fit, status);
    if (error == SPGM_OK) {
        relax->now.value = fit_objective(relax->fit);
        fit_scatter(relax->fit, base->x);
        run_offer(base->run, base->x, relax->now.value);
    }
    baseline_lap(base, RUN_TIMER_POLISH);
    return error;
}

/* The same for the choice of the best support; a support that was seen before costs nothing. */
static spgm_error reoptimise(struct relax *relax, spgm_status *status) {
    uint64_t hash = hash_support(&relax->base.point);
    spgm_error error;

    for (int i = 0; i < relax->seen_count; i++) {
        if (relax->seen[i].hash == hash) {
            relax->now.value = relax->seen[i].value;
            return SPGM_OK;
        }
    }
    error = minimise(relax, RELAX_CLOSE, status);
    if (error == SPGM_OK && relax->seen_count < RELAX_SEEN) {
        relax->seen[relax->seen_count].hash = hash;
        relax->seen[relax->seen_count++].value = relax->now.value;
    }
    return error;
}

static int64_t count_units(const struct relax *relax) {
    return feasible_count_x(&relax->base.problem->set, relax->now.x, &relax->base.run->work);
}

static int was_visited(struct relax *relax, double sigma) {
    for (int i = 0; i < relax->visits; i++) {
        if (fabs(relax->visited[i] / sigma - 1) < RELAX_SAME) {
            return 1;
        }
    }
    if (relax->visits < RELAX_SEEN) {
        relax->visited[relax->visits++] = sigma;
    }
    return 0;
}

/* Solve for sigma from the current state and record the result. */
static spgm_error visit(struct relax *relax, double sigma, int64_t share, spgm_status *status) {
    struct run *run = relax->base.run;
    spgm_error error;

    if (run_is_over(run) || was_visited(relax, sigma)) {
        return SPGM_OK;
    }
    solve(relax, sigma, share);
    if (run_is_over(run)) {
        return SPGM_OK;
    }
    error = reoptimise(relax, status);
    relax->now.nonzeros = count_units(relax);
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

/* The least exponent of the grid for which x = 0 solves the l1 relaxation: 2^e >= |a_j'u + grad f(0)_j|. */
static int zero_exponent(struct relax *relax) {
    struct baseline *base = &relax->base;
    const struct problem *problem = base->problem;
    double largest = 0;

    point_set(&base->point, base->x); /* x is zero as yet */
    problem->h.ops->subgradient(&problem->h, base->point.residual, relax->d);
    baseline_look_next(base);
    baseline_look(base);
    baseline_gradient(base, relax->d, 1, base->point.x, base->point.state);
    for (int64_t j = 0; j < problem->A->columns; j++) {
        largest = problem->is_free[j] ? largest : fmax(largest, fabs(base->g[j]));
    }
    largest = fmin(fmax(largest, ldexp(1, RELAX_LOWEST)), ldexp(1, RELAX_HIGHEST + 2 * RELAX_EXTENSIONS));
    return 2 * (int)ceil((log2(largest) - 1) / 2) + 1;
}

/* A solution of the relaxation with another penalty, on a downward sweep from x = 0, with several times s nonzeros. */
static void begin_by(struct relax *relax, const struct penalty *penalty) {
    const struct penalty *own = relax->penalty;
    int64_t candidates = relax->base.problem->set.units;
    int64_t rows = (int64_t)problem_rows(relax->base.problem);
    int64_t s = relax->base.run->sparsity;
    int64_t wanted = RELAX_FULLER * s;
    int tall = baseline_is_tall(relax->base.run); /* the start may then be rough */

    wanted = wanted < candidates / 2 ? wanted : candidates / 2;
    wanted = wanted < rows / 2 ? wanted : rows / 2; /* a vertex has at most `rows` nonzeros */
    wanted = wanted > s ? wanted : s;
    relax->penalty = penalty;
    relax->now.mu = penalty->mu * relax->base.mu;
    for (int e = zero_exponent(relax); e >= RELAX_LOWEST - 2 * RELAX_EXTENSIONS && relax->now.nonzeros < wanted;) {
        if (run_is_over(relax->base.run)) {
            break;
        }
        solve(relax, ldexp(1, e), tall ? penalty->near_share : penalty->share);
        relax->now.nonzeros = count_units(relax);
        e -= tall && RELAX_NEAR * relax->now.nonzeros >= wanted ? 1 : 2;
    }
    relax->penalty = own;
    change_mu(relax, own->mu * relax->base.mu / relax->now.mu);
}

/* The exponent of the grid at which the slope of the penalty at a typical x_j is that of the penalty of the start. */
static int first_exponent(const struct relax *relax) {
    double sum = 0;
    double mean;

    for (int64_t i = 0; i < relax->live_count; i++) {
        sum += fabs(relax->live_x[i]);
    }
    mean = relax->live_count > 0 ? sum / (double)relax->live_count : 0;
    if (!isgreater(mean, 0)) {
        return RELAX_LOWEST;
    }
    return 2 * (int)floor(log2(relax->now.sigma * mean / relax->penalty->value(mean)) / 2) + 1;
}

/* Sweep up the grid from a solution of the convex relaxation until solutions are sparse. */
static spgm_error sweep_up(struct relax *relax, spgm_status *status) {
    int64_t s = relax->base.run->sparsity;
    spgm_error error = SPGM_OK;
    int exponent;

    begin_by(relax, relax->penalty->begin);
    exponent = first_exponent(relax);
    relax->now.nonzeros = s;
    for (int i = 0; i < GRID && error == SPGM_OK && relax->now.nonzeros >= s && s > 0; i++) {
        error = visit(relax, ldexp(1, exponent + 2 * i), relax->penalty->share, status);
    }
    return error;
}

/* Sweep down from x = 0: first up to the sigma for which x = 0 is the solution, then down until solutions are dense and
 * no longer improve. Near the wanted density the steps are half as long: the best solutions are there, and denser ones
 * take longest. */
static spgm_error sweep_down(struct relax *relax, spgm_status *status) {
    int64_t s = relax->base.run->sparsity;
    int exponent = RELAX_HIGHEST;
    int idle = 0, worse;
    spgm_error error = visit(relax, ldexp(1, exponent), relax->penalty->share, status);

    for (int i = 0; i < RELAX_EXTENSIONS && error == SPGM_OK && relax->now.nonzeros >= s && s > 0; i++) {
        exponent += 2;
        error = visit(relax, ldexp(1, exponent), relax->penalty->share, status);
    }
    while (exponent > RELAX_LOWEST - 2 * RELAX_EXTENSIONS && error == SPGM_OK && idle < RELAX_IDLE) {
        exponent -= RELAX_NEAR * relax->now.nonzeros >= s ? 1 : 2;
        if (relax->now.nonzeros > RELAX_FULL * s || (exponent < RELAX_LOWEST && relax->now.nonzeros >= s)) {
            break;
        }
        error = visit(relax, ldexp(1, exponent), relax->penalty->share, status);
        worse = relax->now.nonzeros >= s && relax->now.value > relax->best.value;
        idle = worse && ldexp(1, exponent) < relax->best.sigma ? idle + 1 : 0;
    }
    return error;
}

/* The plain form: the paper's ten sigma upwards from the start, a tenth of max_iterations for each. */
static spgm_error sweep_plainly(struct relax *relax, spgm_status *status) {
    spgm_error error = SPGM_OK;

    vector_copy(relax->base.problem->A->columns, relax->base.run->x, relax->now.x);
    for (int exponent = RELAX_LOWEST; exponent <= RELAX_HIGHEST && error == SPGM_OK; exponent += 2) {
        error = visit(relax, ldexp(1, exponent), (RELAX_HIGHEST - RELAX_LOWEST) / 2 + 1, status);
    }
    return error;
}

/* Bisect between the last dense solution and the first sparse one. */
static spgm_error bisect(struct relax *relax, spgm_status *status) {
    spgm_error error = SPGM_OK;

    for (int i = 0; i < RELAX_BISECTIONS && error == SPGM_OK; i++) {
        if (relax->dense.sigma <= 0 || isinf(relax->sparse_sigma)) {
            return SPGM_OK;
        }
        copy_state(relax, &relax->dense, &relax->now);
        error = visit(relax, sqrt(relax->dense.sigma) * sqrt(relax->sparse_sigma), relax->penalty->share, status);
    }
    return error;
}

/* Search around the best sigma, by factors of 2 and then sqrt(2), moving on while that improves. */
static spgm_error refine(struct relax *relax, spgm_status *status) {
    static const double factors[] = {2, 0.5, 1.4142135623730951, 0.70710678118654757};
    spgm_error error = SPGM_OK;

    for (size_t i = 0; i < sizeof factors / sizeof *factors && error == SPGM_OK; i++) {
        if (isinf(relax->best.value)) {
            return SPGM_OK;
        }
        copy_state(relax, &relax->best, &relax->now);
        error = visit(relax, factors[i] * relax->best.sigma, relax->penalty->near_share, status);
    }
    return error;
}

/* Minimise F exactly over the support of the best point, which may be an iterate that was never re-optimised. */
static spgm_error finish(struct relax *relax, spgm_status *status) {
    struct run *run = relax->base.run;

    if (run_is_over(run)) {
        return SPGM_OK;
    }
    run->outcome = SPGM_CONVERGED;
    point_set(&relax->base.point, run->best_x);
    return minimise(relax, 0, status);
}

static spgm_error sweep(struct relax *relax, spgm_status *status) {
    spgm_error error;

    baseline_measure(&relax->base);
    baseline_measure_norm(&relax->base);
    relax->now.mu = relax->penalty->mu * relax->base.mu;
    relax->dense.sigma = 0;
    relax->sparse_sigma = INFINITY;
    relax->best.value = INFINITY;
    if (run_is_plain(relax->base.run)) {
        error = sweep_plainly(relax, status);
        return error == SPGM_OK ? finish(relax, status) : error;
    }
    error = relax->penalty->begin != NULL ? sweep_up(relax, status) : sweep_down(relax, status);
    if (error == SPGM_OK && relax->penalty->begin != NULL) {
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
    relax->live = workspace_integers(workspace, problem->A->columns);
    relax->live_x = workspace_doubles(workspace, problem->A->columns);
    relax->c = workspace_doubles(workspace, m);
    relax->q = workspace_doubles(workspace, m);
    relax->v = workspace_doubles(workspace, m);
    relax->d = workspace_doubles(workspace, m);
    relax->state = workspace_doubles(workspace, smooth_state_size(&problem->f));
    relax->fit = workspace->failed ? NULL : fit_new(problem, run_capacity(run));
    if (relax->fit != NULL) {
        fit_set_stop(relax->fit, run_is_late, run);
    }
}

spgm_error relax_run(struct run *run, const struct penalty *penalty, spgm_status *status) {
    struct workspace workspace = {.memory = run->problem->A->memory};
    struct relax relax = {.penalty = penalty};
    int64_t capacity = run_capacity(run);
    spgm_error error;

    relax_init(&relax, run, &workspace);
    if (relax.fit == NULL) {
        error = status_memory(status, workspace.bytes + fit_bytes(run->problem, capacity));
    } else {
        error = sweep(&relax, status);
    }
    fit_free(relax.fit);
    workspace_free(&workspace);
    return error;
}
