/*
 * The choice of the engine, what the engines share, and the fallback from one to the other.
 *
 * HOW IT WORKS: smooth losses are fitted by `newton`, warm or cold. For the other losses `interior` can make every fit.
 * Where `vertex` applies too, a warm fit consists of its pivots, and a cold fit is an interior point that pivots then
 * move to a vertex. A fit that the pivots cannot prove is made again by `interior` from zero. Nearly dependent columns
 * are fitted once more in an orthonormal basis (`basis`). An engine is created by the first fit that needs it, and a
 * column is loaded into `vertex` when it is fitted, not when the support is set.
 */
#include "fit/fit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fit/basis.h"
#include "fit/block.h"
#include "fit/certificate/certificate.h"
#include "fit/constants.h"
#include "fit/engine.h"
#include "linalg/vector.h"

struct fit {
    struct fit_state state;
    struct workspace workspace;
    const struct fit_engine *cold_engine; /* the engine that can make every fit */
    const struct fit_engine *warm_engine; /* the engine of fits after a change of the support; NULL: cold_engine */
    void *warm, *cold;                    /* the objects of the engines, NULL until the first fit */
    int64_t *loaded;                      /* the column that `warm` has at each position, -1: none [capacity] */
    double *kept;                         /* x of a fit that is repeated [capacity] */
    struct basis *basis;                  /* NULL until a fit has possibly dependent columns */
    int is_plain;                         /* they are not dependent: no basis is needed */
    struct certificate *certificate;      /* NULL until the first proof                                     */
    double bound;                         /* the last bound; NaN: not computed since the last fit */
    spgm_error error;
};

/* The engine with warm starts for a problem; NULL: none. */
static const struct fit_engine *warm_engine_of(const struct problem *problem) {
    return fit_vertex.applies(problem) ? &fit_vertex : NULL;
}

/* The engine that can make every fit of a problem. */
static const struct fit_engine *cold_engine_of(const struct problem *problem) {
    return fit_newton.applies(problem) ? &fit_newton : &fit_interior;
}

int fit_is_warm(const struct problem *problem) {
    return warm_engine_of(problem) != NULL;
}

double fit_work(const struct problem *problem, int64_t size, int is_warm) {
    const struct fit_engine *warm = is_warm ? warm_engine_of(problem) : NULL;

    return (warm != NULL ? warm : cold_engine_of(problem))->work(problem, size, is_warm);
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static void take_arrays(struct fit *fit) {
    struct fit_state *state = &fit->state;
    struct workspace *workspace = &fit->workspace;
    const struct problem *problem = state->problem;

    state->columns = workspace_integers(workspace, state->capacity);
    fit->loaded = workspace_integers(workspace, state->capacity);
    fit->kept = workspace_doubles(workspace, state->capacity);
    state->x = workspace_doubles(workspace, state->capacity + 2);
    state->active.rows = workspace_integers(workspace, state->capacity + 2);
    state->active.signs = workspace_array(workspace, state->capacity + 2, 1);
    state->residual = workspace_doubles(workspace, problem->A->rows);
    state->dual = workspace_doubles(workspace, problem->A->rows);
    state->full = workspace_doubles(workspace, problem->A->columns);
    state->full_columns = workspace_integers(workspace, state->capacity);
    state->smooth = workspace_doubles(workspace, smooth_state_size(&problem->f));
}

struct fit *fit_new(const struct problem *problem, int64_t capacity) {
    struct fit *fit = memory_array(1, sizeof *fit);

    if (fit == NULL) {
        return NULL;
    }
    fit->workspace.memory = problem->A->memory;
    fit->state.problem = problem;
    fit->state.capacity = capacity > 0 ? capacity : 1;
    fit->state.enough = -INFINITY;
    fit->warm_engine = warm_engine_of(problem);
    fit->cold_engine = cold_engine_of(problem);
    take_arrays(fit);
    if (!fit_block_new(&fit->state) || fit->workspace.failed) {
        fit_free(fit);
        return NULL;
    }
    fit->error = fit->cold_engine->applies(problem) ? SPGM_OK : SPGM_ERROR_UNSUPPORTED;
    for (int64_t i = 0; i < fit->state.capacity; i++) {
        fit->loaded[i] = -1;
    }
    fit->state.zero_objective = fabs(fit_value(&fit->state, NULL, fit->state.residual));
    return fit;
}

void fit_free(struct fit *fit) {
    if (fit != NULL) {
        fit->cold_engine->destroy(fit->cold);
        if (fit->warm_engine != NULL) {
            fit->warm_engine->destroy(fit->warm);
        }
        certificate_free(fit->certificate);
        fit_block_free(fit->state.block);
        basis_free(fit->basis);
        workspace_free(&fit->workspace);
        memory_free(fit);
    }
}

void fit_release(struct fit *fit) {
    fit->cold_engine->destroy(fit->cold);
    fit->cold = NULL;
    if (fit->warm_engine != NULL) {
        fit->warm_engine->destroy(fit->warm);
        fit->warm = NULL;
    }
    for (int64_t i = 0; i < fit->state.capacity; i++) {
        fit->loaded[i] = -1;
    }
}

size_t fit_bytes(const struct problem *problem, int64_t capacity) {
    const struct fit_engine *warm = warm_engine_of(problem);

    return cold_engine_of(problem)->bytes(problem, capacity) + fit_block_bytes(problem, capacity) +
           (warm != NULL ? warm->bytes(problem, capacity) : 0);
}

spgm_error fit_error(const struct fit *fit, spgm_status *status) {
    const struct problem *problem = fit->state.problem;

    if (fit->error == SPGM_ERROR_MEMORY) {
        return status_memory(status, fit_bytes(problem, fit->state.capacity));
    }
    if (fit->error == SPGM_ERROR_UNSUPPORTED) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "The loss %s cannot be minimised exactly over a support; set polish to false.",
                          problem->h.kind->name);
    }
    return SPGM_OK;
}

/* Create an engine when it is first needed. Returns 0 if out of memory. */
static int wake(struct fit *fit, const struct fit_engine *engine, void **object) {
    if (*object == NULL && fit->error == SPGM_OK) {
        double has_failed;

        *object = engine->create(&fit->state);
        has_failed = *object == NULL;
        reduce_max(fit->state.problem->A->reduce, &has_failed, 1); /* all processes must fail together */
        fit->error = has_failed > 0 ? SPGM_ERROR_MEMORY : SPGM_OK;
    }
    return fit->error == SPGM_OK;
}

int fit_reserve(struct fit *fit) {
    return wake(fit, fit->cold_engine, &fit->cold) &&
           (fit->warm_engine == NULL || wake(fit, fit->warm_engine, &fit->warm));
}

void fit_set_stop(struct fit *fit, int (*must_stop)(void *context), void *context) {
    fit->state.stop =
        (struct stop){.must_stop = must_stop, .context = context, .is_eager = fit->state.problem->A->reduce != NULL};
}

/* ---- the support ---------------------------------------------------------------------------------------------- */

void fit_set_size(struct fit *fit, int64_t size) {
    fit->state.size = size;
    fit->bound = NAN;
}

void fit_set_column(struct fit *fit, int64_t position, int64_t column) {
    fit->state.columns[position] = column;
    fit->bound = NAN;
    if (fit->warm_engine == NULL) { /* pivots may start from the coefficient of the column that left */
        fit->state.x[position] = 0;
    }
}

void fit_set_support(struct fit *fit, int64_t size, const int64_t *columns) {
    fit->state.size = size;
    fit->bound = NAN;
    memcpy(fit->state.columns, columns, (size_t)size * sizeof *columns);
}

void fit_set_x(struct fit *fit, const double *x) {
    vector_copy(fit->state.size, x, fit->state.x);
}

void fit_set_active(struct fit *fit, const struct fit_active *active) {
    struct fit_active *mine = &fit->state.active;

    mine->count = active->count;
    if (active->count > 0) {
        memcpy(mine->rows, active->rows, (size_t)active->count * sizeof *mine->rows);
        memcpy(mine->signs, active->signs, (size_t)active->count);
    }
}

void fit_get_active(const struct fit *fit, struct fit_active *active) {
    const struct fit_active *mine = &fit->state.active;

    active->count = mine->count;
    memcpy(active->rows, mine->rows, (size_t)mine->count * sizeof *mine->rows);
    memcpy(active->signs, mine->signs, (size_t)mine->count);
}

/* ---- values --------------------------------------------------------------------------------------------------- */

double fit_value(struct fit_state *state, const double *z, double *r) {
    const struct problem *problem = state->problem;
    const struct linop *A;
    const int64_t *places = fit_places(state, &A);

    for (int64_t i = 0; i < problem->A->rows; i++) {
        r[i] = -problem->b[i];
    }
    linop_add_columns(A, state->size, places, z, r); /* r = A z - b */
    for (int64_t i = 0; i < state->full_count; i++) {
        state->full[state->full_columns[i]] = 0;
    }
    for (int64_t i = 0; i < state->size; i++) {
        state->full[state->columns[i]] = z[i];
        state->full_columns[i] = state->columns[i];
    }
    state->full_count = state->size;
    smooth_refresh_columns(&problem->f, state->size, state->columns, z, state->smooth);
    return fit_smooth_value(state) + problem->h.ops->value(&problem->h, r);
}

double fit_smooth_value(const struct fit_state *state) {
    return smooth_value_columns(&state->problem->f, state->full, state->smooth, state->full_count, state->full_columns);
}

int fit_is_good(const struct fit_state *state) {
    double size = fmax(fabs(state->objective), FIT_SMALL_GOOD * state->zero_objective);

    return islessequal(state->objective - state->bound, FIT_GAP * size);
}

/* Fall back on the current x, or on 0 if that is better; no bound is known. */
static enum fit_outcome give_up(struct fit *fit) {
    struct fit_state *state = &fit->state;
    const struct loss *h = &state->problem->h;

    state->objective = fit_value(state, state->x, state->residual);
    if (!islessequal(state->objective, state->zero_objective)) {
        memset(state->x, 0, (size_t)state->size * sizeof *state->x);
        state->objective = fit_value(state, state->x, state->residual);
    }
    h->ops->subgradient(h, state->residual, state->dual);
    state->bound = -INFINITY;
    state->active.count = 0;
    return FIT_INEXACT;
}

/* A fit without columns: F is the loss of -b. */
static enum fit_outcome fit_nothing(struct fit *fit) {
    struct fit_state *state = &fit->state;
    const struct loss *h = &state->problem->h;

    for (int64_t i = 0; i < state->problem->A->rows; i++) {
        state->residual[i] = -state->problem->b[i];
    }
    h->ops->subgradient(h, state->residual, state->dual);
    state->objective = state->zero_objective;
    state->bound = state->zero_objective;
    state->active.count = 0;
    return FIT_OPTIMAL;
}

/* ---- fits ----------------------------------------------------------------------------------------------------- */

static enum fit_outcome solve_from_nothing(struct fit *fit, double gap, double cutoff) {
    return wake(fit, fit->cold_engine, &fit->cold) ? fit->cold_engine->solve(fit->cold, gap, cutoff) : give_up(fit);
}

/* Load the changed columns into the warm engine. Returns 0 if stopped or out of memory. */
static int load(struct fit *fit) {
    struct fit_state *state = &fit->state;

    if (!wake(fit, fit->warm_engine, &fit->warm)) {
        return 0;
    }
    for (int64_t i = 0; i < state->size; i++) {
        if (fit->loaded[i] != state->columns[i]) {
            if (stop_after(&state->stop, 8 * state->problem->A->rows)) {
                return 0;
            }
            fit->warm_engine->set_column(fit->warm, i);
            fit->loaded[i] = state->columns[i];
        }
    }
    return 1;
}

/* Whether the fit may be improved in a basis. `newton` has its own orthogonal factor; fits that only `interior` can
 * make (bounds under a maximum) are tried if they were not exact. */
static int has_basis(const struct fit *fit, enum fit_outcome outcome) {
    return fit->warm_engine != NULL || (outcome == FIT_INEXACT && fit->cold_engine == &fit_interior);
}

/* The current fit, or a better one in an orthonormal basis if columns are nearly dependent. If there is no memory for
 * that, the current one. */
static enum fit_outcome improve(struct fit *fit, enum fit_outcome outcome) {
    struct fit_state *state = &fit->state;

    if (fit->is_plain || fit->error != SPGM_OK || state->stop.stopped || !has_basis(fit, outcome) ||
        !isgreater(state->objective, FIT_PERFECT * state->zero_objective) || !basis_applies(state)) {
        return outcome;
    }
    if (fit->basis == NULL) {
        fit->basis = basis_new(state);
    }
    if (fit->basis == NULL || !basis_improve(fit->basis)) {
        return outcome;
    }
    return fit_is_good(state) ? FIT_OPTIMAL : FIT_INEXACT;
}

/* Bring the interior point of the last solve into the warm engine. */
static enum fit_outcome adopt(struct fit *fit) {
    fit->cold_engine->restore(fit->cold);
    return fit->warm_engine->adopt(fit->warm);
}

/* From an interior point move to a vertex; keep the interior point if the vertex is no better. If neither is good
 * enough, keep the vertex if its F and bound are better, because vertex does not square the condition number of the
 * columns. */
static enum fit_outcome cross_over(struct fit *fit) {
    struct fit_state *state = &fit->state;
    enum fit_outcome outcome, pivoted;
    double objective, bound;
    int is_better;

    outcome = solve_from_nothing(fit, 0, INFINITY);
    if (fit->error != SPGM_OK || stop_ask(&state->stop) || !load(fit)) {
        return outcome;
    }
    outcome = adopt(fit);
    objective = state->objective;
    bound = state->bound;
    if (objective == 0) {
        return outcome;
    }
    pivoted = fit->warm_engine->pivot(fit->warm, INFINITY);
    is_better = pivoted == FIT_OPTIMAL || (outcome != FIT_OPTIMAL && state->bound >= bound);
    return is_better && islessequal(state->objective, objective) ? pivoted : adopt(fit);
}

/* The end of `interior` depends on its start, if only by rounding. If it was inexact from x (a tiny ridge with columns
 * of very different scales), start again from 0 and keep the lower F. */
static enum fit_outcome begin_again(struct fit *fit) {
    struct fit_state *state = &fit->state;
    double before = state->objective;
    enum fit_outcome outcome;

    if (fit->error != SPGM_OK || stop_ask(&state->stop)) {
        return FIT_INEXACT;
    }
    memcpy(fit->kept, state->x, (size_t)state->size * sizeof *fit->kept);
    memset(state->x, 0, (size_t)state->size * sizeof *state->x);
    outcome = improve(fit, cross_over(fit));
    if (!islessequal(state->objective, before)) {
        memcpy(state->x, fit->kept, (size_t)state->size * sizeof *state->x);
        state->objective = fit_value(state, state->x, state->residual);
        state->bound = fmin(state->bound, state->objective);
        state->active.count = 0;
        outcome = fit_is_good(state) ? FIT_OPTIMAL : FIT_INEXACT;
    }
    return outcome;
}

/* Clip the start to its bounds, because x of an exchanged column may be any number. */
static void begin(struct fit *fit) {
    struct fit_state *state = &fit->state;

    for (int64_t i = 0; i < state->size; i++) {
        state->x[i] = problem_clip(state->problem, state->columns[i], state->x[i]);
    }
    state->stop.stopped = 0;
    fit->bound = NAN;
}

enum fit_outcome fit_cold(struct fit *fit) {
    begin(fit);
    memset(fit->state.x, 0, (size_t)fit->state.size * sizeof *fit->state.x);
    if (fit->warm_engine == NULL) {
        return improve(fit, solve_from_nothing(fit, 0, INFINITY));
    }
    return fit->state.size == 0 ? fit_nothing(fit) : improve(fit, cross_over(fit));
}

enum fit_outcome fit_rough(struct fit *fit, double gap, double cutoff) {
    enum fit_outcome outcome;

    begin(fit);
    outcome = solve_from_nothing(fit, gap, cutoff);
    return gap == 0 && outcome != FIT_CUTOFF ? improve(fit, outcome) : outcome;
}

enum fit_outcome fit_warm(struct fit *fit, double cutoff) {
    enum fit_outcome outcome;

    begin(fit);
    if (fit->warm_engine == NULL) {
        outcome = solve_from_nothing(fit, 0, fit->state.low != NULL || fit->cold_engine->refuses ? cutoff : INFINITY);
        return improve(fit, outcome);
    }
    if (fit->state.size == 0) {
        return fit_nothing(fit);
    }
    if (!load(fit)) {
        return give_up(fit);
    }
    fit->warm_engine->begin(fit->warm);
    outcome = fit->warm_engine->pivot(fit->warm, cutoff);
    if (outcome == FIT_INEXACT && stop_ask(&fit->state.stop)) {
        fit->warm_engine->settle(fit->warm);
        return FIT_INEXACT;
    }
    if (outcome == FIT_INEXACT) {
        outcome = improve(fit, cross_over(fit)); /* no worse than the x at which the pivots ended */
        return outcome == FIT_INEXACT ? begin_again(fit) : outcome;
    }
    return outcome == FIT_OPTIMAL && fit->warm_engine->is_doubtful(fit->warm) ? improve(fit, outcome) : outcome;
}

void fit_set_reach(struct fit *fit, const double *low, const double *high) {
    fit->state.low = low;
    fit->state.high = high;
}

void fit_set_enough(struct fit *fit, double objective) {
    fit->state.enough = objective;
}

void fit_rebase(struct fit *fit) {
    fit->is_plain = 1;
    for (int64_t i = 0; i < fit->state.capacity; i++) {
        fit->loaded[i] = -1;
    }
}

/* ---- views ---------------------------------------------------------------------------------------------------- */

const double *fit_x(const struct fit *fit) {
    return fit->state.x;
}

const double *fit_residual(const struct fit *fit) {
    return fit->state.residual;
}

const double *fit_dual(const struct fit *fit) {
    return fit->state.dual;
}

double fit_objective(const struct fit *fit) {
    return fit->state.objective;
}

double fit_estimate(const struct fit *fit) {
    return fit->state.bound;
}

double fit_bound(struct fit *fit) {
    return fit_bound_until(fit, INFINITY);
}

double fit_bound_until(struct fit *fit, double want) {
    if (!isnan(fit->bound)) {
        return fit->bound;
    }
    if (fit->certificate == NULL && fit->error == SPGM_OK) {
        fit->certificate = certificate_new(&fit->state);
        fit->error = fit->certificate == NULL ? SPGM_ERROR_MEMORY : SPGM_OK;
    }
    fit->bound = -INFINITY;
    if (fit->certificate != NULL && !certificate_bound(fit->certificate, want, &fit->bound)) {
        fit->error = SPGM_ERROR_MEMORY;
    }
    return fit->bound;
}

void fit_bring(struct fit *fit, const double *x, const double *u) {
    struct fit_state *state = &fit->state;

    fit_gather(fit, x);
    begin(fit);
    vector_copy(state->problem->A->rows, u, state->dual);
    state->objective = fit_value(state, state->x, state->residual);
    state->bound = -INFINITY;
    state->active.count = 0;
}

double fit_gap(const struct fit *fit) {
    const struct fit_state *state = &fit->state;
    double gap = fmax(state->objective - state->bound, 0);

    return gap == 0 ? 0 : gap / fmax(fabs(state->objective), FIT_SMALL * state->zero_objective);
}

int64_t fit_steps(const struct fit *fit) {
    return fit->state.steps;
}

double fit_spent(const struct fit *fit) {
    return fit->state.spent;
}

/* ---- x in its place ------------------------------------------------------------------------------------------- */

int64_t fit_support_of(const struct problem *problem, const double *x, int64_t *support) {
    int64_t k = 0;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        if (x[j] != 0 || problem->is_free[j]) {
            support[k++] = j;
        }
    }
    return k;
}

void fit_gather(struct fit *fit, const double *x) {
    for (int64_t i = 0; i < fit->state.size; i++) {
        fit->state.x[i] = x[fit->state.columns[i]];
    }
}

void fit_scatter(const struct fit *fit, double *x) {
    memset(x, 0, (size_t)fit->state.problem->A->columns * sizeof *x);
    for (int64_t i = 0; i < fit->state.size; i++) {
        x[fit->state.columns[i]] = fit->state.x[i];
    }
}

spgm_error fit_once(const struct problem *problem, int64_t k, const int64_t *support, double *x,
                    struct fit_report *report, int (*must_stop)(void *context), void *context, spgm_status *status) {
    struct fit *fit = fit_new(problem, k);
    enum fit_outcome outcome;
    spgm_error error;

    if (fit == NULL) {
        return status_memory(status, fit_bytes(problem, k));
    }
    fit_set_stop(fit, must_stop, context);
    fit_set_support(fit, k, support);
    fit_gather(fit, x);
    outcome = fit_rough(fit, 0, INFINITY); /* no warm fit follows, so a vertex is not needed */
    error = fit_error(fit, status);
    if (error == SPGM_OK) {
        fit_scatter(fit, x);
        if (report != NULL) {
            *report = (struct fit_report){outcome, fit_objective(fit), fit_gap(fit), fit_steps(fit)};
        }
    }
    fit_free(fit);
    return error;
}
