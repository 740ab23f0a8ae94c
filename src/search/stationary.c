/*
 * Which of the paper's kinds of stationary point x is (spgm.tex, section 3.2): basic, Lipschitz and block-k.
 *
 * HOW IT WORKS: the support of x is fitted exactly. x is basic if its F is that of the fit. The dual vector u of the
 * fit is the limit of (A x - b - y) / mu for mu -> 0, so r = grad f(x) + A'u is the gradient in the definitions. x is
 * Lipschitz stationary at mu if it is a projection of x - r / H onto the feasible set, where H = A_s^2 / mu + M_s +
 * theta and A_s = ||A||. A point that is not basic is neither Lipschitz nor block-k stationary.
 *
 * x is block-k stationary if no feasible support that differs from its support in at most k units has a lower F. Each
 * such support is fitted, so the columns outside the working set move too. A point that passes this check also passes
 * with them held fixed, which is the definition as mu and the proximal constants go to 0. A support that is contained
 * in another one that is tried is left out.
 */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/status.h"
#include "fit/fit.h"
#include "linalg/vector.h"
#include "method/method.h"
#include "model/bounded.h"
#include "model/point.h"
#include "search/constants.h"

struct stationary {
    struct run run; /* for its limits, schedule of mu and projections */
    const struct problem *problem;
    struct workspace workspace;
    struct fit *fit;
    spgm_stationarity *out;
    double F, tolerance;        /* F at x, and the least fall that counts as lower */
    double *x, *v, *z, *slope;  /* [columns] */
    double *state;              /* state of f */
    double *square;             /* ||a_j||^2 [columns] */
    double *work;               /* [work_size] */
    int64_t *support, *scratch; /* [columns] */
    int64_t size;
    int64_t *in, *others; /* units in the support, and the other units that may enter [units] */
    int64_t in_count, other_count;
    unsigned char *is_in; /* [units] */
    double best;          /* the lowest F seen */
    double *best_x;       /* [columns] */
    struct random random;
    int is_stopped, has_fitted;
};

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Scratch for the norms of A and C. */
static int64_t work_size(const struct problem *p) {
    int64_t rows = p->f.term != NULL && p->f.C->rows > p->A->rows ? p->f.C->rows : p->A->rows;

    return 2 * p->A->columns + rows;
}

static spgm_error take(struct stationary *c, int64_t sparsity, const struct spgm_options *options,
                       spgm_status *status) {
    struct workspace *w = &c->workspace;
    const struct problem *p = c->problem;
    int64_t n = p->A->columns;

    w->memory = p->A->memory;
    run_init(&c->run, p, sparsity, options, w);
    c->x = workspace_doubles(w, n);
    c->v = workspace_doubles(w, n);
    c->z = workspace_doubles(w, n);
    c->slope = workspace_doubles(w, n);
    c->state = workspace_doubles(w, smooth_state_size(&p->f));
    c->square = workspace_doubles(w, n);
    c->best_x = workspace_doubles(w, n);
    c->work = workspace_doubles(w, work_size(p));
    c->support = workspace_integers(w, n);
    c->scratch = workspace_integers(w, n);
    c->in = workspace_integers(w, p->set.units);
    c->others = workspace_integers(w, p->set.units);
    c->is_in = workspace_array(w, p->set.units, 1);
    return w->failed ? status_memory(status, w->bytes) : SPGM_OK;
}

/* ---- basic ---------------------------------------------------------------------------------------------------- */

/* The units of the support, the other units that may enter, and the support with every column of its units. */
static void list_units(struct stationary *c) {
    const struct feasible *set = &c->problem->set;

    c->size = fit_support_of(c->problem, c->x, c->support);
    for (int64_t i = 0; i < c->size; i++) {
        if (set->unit_of[c->support[i]] >= 0) {
            c->is_in[set->unit_of[c->support[i]]] = 1;
        }
    }
    for (int64_t u = 0; u < set->units; u++) {
        if (c->is_in[u]) {
            c->in[c->in_count++] = u;
        } else {
            c->others[c->other_count++] = u;
        }
    }
}

/* Fit on the support [size], warm-started from the last fit; stop as soon as it is proven not to be lower. */
static double fit_support(struct stationary *c, int64_t size, const int64_t *support) {
    enum fit_outcome outcome;

    fit_set_support(c->fit, size, support);
    if (!fit_is_warm(c->problem)) {
        fit_gather(c->fit, c->best_x);
    }
    outcome = c->has_fitted ? fit_warm(c->fit, c->best) : fit_cold(c->fit);
    c->has_fitted = 1;
    c->out->supports++;
    if (outcome != FIT_CUTOFF && isless(fit_objective(c->fit), c->best)) {
        c->best = fit_objective(c->fit);
        fit_scatter(c->fit, c->best_x);
    }
    return outcome == FIT_CUTOFF ? INFINITY : fit_objective(c->fit);
}

static spgm_error check_basic(struct stationary *c, spgm_status *status) {
    struct point point;
    double zero;
    spgm_error error;

    point_init(&point, c->problem, &c->workspace);
    if (c->workspace.failed) {
        return status_memory(status, c->workspace.bytes);
    }
    zero = fabs(problem_loss_at_zero(c->problem, c->work));
    point_set(&point, c->x);
    c->F = c->best = point_objective(&point);
    vector_copy(c->problem->A->columns, c->x, c->best_x);
    c->tolerance = STATIONARY_SAME * fabs(c->F) + c->problem->h.kind->perfect * zero;
    fit_support(c, c->size, c->support);
    error = fit_error(c->fit, status);
    if (error != SPGM_OK) {
        return error;
    }
    c->out->objective = c->problem->objective_unit * c->F;
    c->out->support_minimum = c->problem->objective_unit * fmin(c->F, fit_objective(c->fit));
    c->out->support_bound = c->problem->objective_unit * fmin(c->F, fit_bound(c->fit));
    c->out->is_basic = islessequal(c->F - fit_objective(c->fit), c->tolerance);
    return fit_error(c->fit, status);
}

/* ---- Lipschitz -------------------------------------------------------------------------------------------- */

/* r, set to zero where it is zero up to rounding: in the support between bounds, and where a step would gain nothing.
 */
static void measure_slope(struct stationary *c) {
    const struct problem *p = c->problem;
    int64_t n = p->A->columns;
    double length = vector_sum_squares(p->A->rows, fit_dual(c->fit));

    reduce_sum(p->A->reduce, &length, 1);
    length = sqrt(length);
    linop_transpose(p->A, fit_dual(c->fit), c->slope);
    smooth_refresh(&p->f, c->x, c->state);
    smooth_gradient(&p->f, c->x, c->state, c->v);
    vector_axpy(n, 1, c->v, c->slope);
    linop_column_squares(p->A, c->square);
    for (int64_t j = 0; j < n; j++) {
        int is_at_bound = p->lower != NULL && (c->x[j] <= p->lower[j] || c->x[j] >= p->upper[j]);
        int is_inside = (c->x[j] != 0 || p->is_free[j]) && !is_at_bound;
        double noise = NO_SLOPE * (sqrt(c->square[j]) * length + fabs(c->v[j]));

        c->slope[j] = is_inside || !isgreater(fabs(c->slope[j]), noise) ? 0 : c->slope[j];
    }
}

/* Whether x is a projection of x - r / H: its support gains as much there as the best support does. */
static int is_nearest(struct stationary *c, double H) {
    double mine = 0, best = 0, slack = 0;
    int64_t n = c->problem->A->columns;

    for (int64_t j = 0; j < n; j++) {
        double away = c->slope[j] / H;

        c->v[j] = c->x[j] - away;
        mine += away * away;
        slack += c->v[j] * c->v[j];
    }
    vector_copy(n, c->v, c->z);
    run_project(&c->run, c->z);
    for (int64_t j = 0; j < n; j++) {
        double away = c->v[j] - c->z[j];

        best += away * away;
    }
    return islessequal(mine, best + NEAREST_ROUNDING * slack);
}

static void check_lipschitz(struct stationary *c) {
    const struct problem *p = c->problem;
    struct mu_schedule schedule;
    struct stop stop = run_stop(&c->run);
    double norm = linop_norm_until(p->A, c->work, &stop), M = smooth_smoothness(&p->f, c->work, &stop), low, high;
    double unit = p->target_unit * p->target_unit / p->objective_unit, rest = M + c->run.options->theta;

    mu_schedule_init(&schedule, &c->run, c->work);
    high = c->run.options->mu_start > 0 ? schedule.start : SMALL_MU * schedule.start;
    c->out->mu = unit * high;
    if (!c->out->is_basic) {
        return;
    }
    measure_slope(c);
    c->out->is_lipschitz = is_nearest(c, norm * norm / high + rest);
    low = ldexp(schedule.start, -MU_HALVINGS); /* the last mu of the default schedule */
    if (!is_nearest(c, norm * norm / low + rest)) {
        return;
    }
    c->out->largest_mu = INFINITY;
    if (is_nearest(c, fmax(rest, norm * norm / ldexp(schedule.start, MU_HALVINGS)))) {
        return;
    }
    for (high = ldexp(schedule.start, MU_HALVINGS); high > MU_NEAR * low;) {
        double mu = sqrt(low) * sqrt(high);

        if (is_nearest(c, norm * norm / mu + rest)) {
            low = mu;
        } else {
            high = mu;
        }
    }
    c->out->largest_mu = unit * low;
}

/* ---- block-k ---------------------------------------------------------------------------------------------------- */

/* The support with `enter` of the other units in place of `out` of its own, into c->scratch. Returns its size. */
static int64_t make_support(struct stationary *c, int64_t out, const int64_t *leaving, int64_t enter,
                            const int64_t *entering) {
    const struct feasible *set = &c->problem->set;
    int64_t size = 0;

    for (int64_t i = 0; i < out; i++) {
        c->is_in[c->in[leaving[i]]] = 0;
    }
    for (int64_t i = 0; i < c->size; i++) {
        int64_t j = c->support[i];

        if (set->unit_of[j] < 0 || c->is_in[set->unit_of[j]]) {
            c->scratch[size++] = j;
        }
    }
    for (int64_t i = 0; i < enter; i++) {
        int64_t u = c->others[entering[i]];

        for (int64_t k = set->unit_start[u]; k < set->unit_start[u + 1]; k++) {
            c->scratch[size++] = set->unit_columns[k];
        }
    }
    for (int64_t i = 0; i < out; i++) {
        c->is_in[c->in[leaving[i]]] = 1;
    }
    return size;
}

static void try_change(struct stationary *c, int64_t out, const int64_t *leaving, int64_t enter,
                       const int64_t *entering) {
    int64_t size = make_support(c, out, leaving, enter, entering);

    if (c->problem->set.is_plain ||
        feasible_allows(&c->problem->set, c->run.sparsity, size, c->scratch, &c->run.work)) {
        fit_support(c, size, c->scratch);
    }
    c->out->changes++;
    c->is_stopped = run_must_stop(&c->run) || fit_error(c->fit, NULL) != SPGM_OK;
}

static double choose_count(int64_t n, int64_t k) {
    double count = 1;

    for (int64_t i = 1; i <= k; i++) {
        count *= (double)(n - k + i) / (double)i;
    }
    return k > n ? 0 : rint(count);
}

/* The next k of n, ascending; 0: there is none. */
static int next_choice(int64_t n, int64_t k, int64_t *choice) {
    int64_t i = k - 1;

    while (i >= 0 && choice[i] == n - k + i) {
        i--;
    }
    if (i < 0) {
        return 0;
    }
    choice[i]++;
    for (int64_t l = i + 1; l < k; l++) {
        choice[l] = choice[l - 1] + 1;
    }
    return 1;
}

static void first_choice(int64_t k, int64_t *choice) {
    for (int64_t i = 0; i < k; i++) {
        choice[i] = i;
    }
}

/* A kind of change: how many units leave and enter together. */
struct kind {
    int64_t out, enter;
    double count;
};

/* The kinds of change of at most k units whose supports are not contained in another one that is tried. Where groups
 * are capped, it is not known beforehand which supports are, and all are tried. */
static int list_kinds(const struct stationary *c, int64_t k, struct kind *kinds, double *total) {
    int is_capped = c->problem->set.room != NULL, count = 0;
    int64_t room = c->run.sparsity - c->in_count;

    *total = 0;
    for (int64_t out = 0; out < k && out <= c->in_count; out++) {
        int64_t most = k - out < out + room ? k - out : out + room;
        int64_t least = is_capped ? 1 : out > 0 ? out + room : most;

        most = most < c->other_count ? most : c->other_count;
        for (int64_t enter = least > 0 ? least : 1; enter <= most; enter++) {
            struct kind kind = {out, enter, choose_count(c->in_count, out) * choose_count(c->other_count, enter)};

            kinds[count++] = kind;
            *total += kind.count;
        }
    }
    return count;
}

static void try_all(struct stationary *c, const struct kind *kind) {
    int64_t leaving[LARGEST_BLOCK], entering[LARGEST_BLOCK];

    first_choice(kind->out, leaving);
    do {
        first_choice(kind->enter, entering);
        do {
            try_change(c, kind->out, leaving, kind->enter, entering);
        } while (!c->is_stopped && next_choice(c->other_count, kind->enter, entering));
    } while (!c->is_stopped && next_choice(c->in_count, kind->out, leaving));
}

static void try_some(struct stationary *c, int count, const struct kind *kinds, double total, double samples) {
    int64_t leaving[LARGEST_BLOCK], entering[LARGEST_BLOCK];

    for (double i = 0; i < samples && !c->is_stopped; i++) {
        double at = random_uniform(&c->random) * total;
        int kind = 0;

        for (; kind + 1 < count && at >= kinds[kind].count; kind++) {
            at -= kinds[kind].count;
        }
        random_subset(&c->random, c->in_count, kinds[kind].out, leaving);
        random_subset(&c->random, c->other_count, kinds[kind].enter, entering);
        try_change(c, kinds[kind].out, leaving, kinds[kind].enter, entering);
    }
}

/* With groups that count as one, all columns of a unit that is in belong to the support. */
static void fill_units(struct stationary *c) {
    const struct problem *p = c->problem;

    if (p->set.largest <= 1) {
        return;
    }
    c->size = 0;
    for (int64_t j = 0; j < p->A->columns; j++) {
        if (p->is_free[j] || (p->set.unit_of[j] >= 0 && c->is_in[p->set.unit_of[j]])) {
            c->support[c->size++] = j;
        }
    }
    fit_support(c, c->size, c->support);
}

static void check_block(struct stationary *c, int64_t k) {
    struct kind kinds[LARGEST_BLOCK * LARGEST_BLOCK];
    double total, affordable = fmax(BLOCK_LEAST, floor(BLOCK_WORK / fit_work(c->problem, c->size + k, 1)));
    int count = list_kinds(c, k, kinds, &total);

    if (k > 0) {
        fill_units(c);
    }
    c->out->all_changes = total;
    c->out->is_sampled = total > affordable;
    if (c->out->is_sampled) {
        try_some(c, count, kinds, total, affordable);
    }
    for (int i = 0; i < count && !c->out->is_sampled && !c->is_stopped; i++) {
        try_all(c, &kinds[i]);
    }
    c->out->is_stopped = c->is_stopped;
    c->out->is_block = islessequal(c->F - c->best, c->tolerance);
    c->out->lowest = c->problem->objective_unit * c->best;
}

/* ---- the way in ------------------------------------------------------------------------------------------- */

static spgm_error check_framed(struct stationary *c, const double *x, double intercept, int64_t sparsity, int64_t block,
                               const struct spgm_options *options, spgm_status *status) {
    int64_t capacity;
    spgm_error error = take(c, sparsity, options, status);

    if (error != SPGM_OK) {
        return error;
    }
    problem_scale(c->problem, x, intercept, c->x);
    list_units(c);
    random_seed(&c->random, (uint64_t)options->seed, 1);
    capacity = run_capacity(&c->run) > c->size ? run_capacity(&c->run) : c->size;
    c->fit = fit_new(c->problem, capacity);
    if (c->fit == NULL) {
        return status_memory(status, fit_bytes(c->problem, capacity));
    }
    fit_set_stop(c->fit, run_is_late, &c->run);
    error = check_basic(c, status);
    if (error == SPGM_OK) {
        check_lipschitz(c);
        check_block(c, block);
        error = fit_error(c->fit, status);
    }
    return error;
}

spgm_error spgm_problem_stationary(const spgm_problem *problem, const double *x, double intercept, int64_t sparsity,
                                   int64_t block, const spgm_options *options, spgm_stationarity *result,
                                   double *better, double *better_intercept, spgm_status *status) {
    struct stationary c = {0};
    struct spgm_options defaults;
    struct problem framed = {0};
    spgm_stationarity out = {.block = block};
    spgm_error error = SPGM_OK;

    if (problem == NULL || result == NULL || block < 0 || block > LARGEST_BLOCK) {
        return status_set(
            status, SPGM_ERROR_ARGUMENT,
            "spgm_problem_stationary needs a problem, a place for the result, and blocks of 0 to %d units",
            LARGEST_BLOCK);
    }
    if (problem->reduce != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "stationarity is checked with all rows in one process: make the problem without a "
                          "communicator");
    }
    options_defaults(&defaults);
    options = options == NULL ? &defaults : options;
    error = spgm_problem_check(problem, x, sparsity, NULL, status);
    error = error == SPGM_OK ? bounded_columns(problem, sparsity, status) : error;
    error = error == SPGM_OK ? problem_frame(problem, parallel_threads(options->threads), &framed, status) : error;
    if (error != SPGM_OK) {
        return error;
    }
    c.problem = &framed;
    c.out = &out;
    error = check_framed(&c, x, intercept, sparsity, block, options, status);
    if (error == SPGM_OK) {
        *result = out;
        if (better != NULL) {
            double scratch;

            problem_unscale(&framed, c.best_x, better, better_intercept != NULL ? better_intercept : &scratch);
        }
    }
    fit_free(c.fit);
    workspace_free(&c.workspace);
    problem_unframe(&framed);
    return error != SPGM_OK ? error : status_clear(status);
}
