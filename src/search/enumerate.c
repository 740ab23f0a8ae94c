#include "search/enumerate.h"
#include "search/constants.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "fit/fit.h"
#include "linalg/vector.h"

enum { NOTE_PERIOD = 64 }; /* supports between two calls of the callback */

/* The current support, which changes by one unit at a time, and its fit. */
struct enumeration {
    struct run *run;
    const struct problem *problem;
    struct workspace workspace;
    struct fit *fit;
    int64_t *columns; /* the support: free columns, then the units [capacity] */
    int64_t *place;   /* position of the column of a unit in `columns` [units] */
    struct feasible_work work;
    int64_t *combination; /* c_1 .. c_s of Algorithm R, c_{s+1} [sparsity + 2] */
    double *x;            /* [columns of A] */
    double lowest;        /* the lowest bound so far */
    double unit;          /* |h(-b)|, the scale by which a perfect fit is judged */
    int64_t fits;
};

double enumerate_count(const struct run *run) {
    double n = (double)run->problem->set.units;
    double s = fmin((double)run->sparsity, n - (double)run->sparsity);
    double count = 1;

    for (double i = 1; i <= s && count < 1e18; i++) {
        count *= (n - s + i) / i;
    }
    return count < 1e18 ? rint(count) : INFINITY;
}

static double loss_at_zero(const struct problem *problem, double *work) {
    for (int64_t i = 0; i < problem->A->rows; i++) {
        work[i] = -problem->b[i];
    }
    return fabs(problem->h.ops->value(&problem->h, work));
}

static spgm_error take(struct enumeration *e, struct run *run, spgm_status *status) {
    const struct problem *problem = run->problem;
    struct workspace *w = &e->workspace;
    int64_t n = problem->A->columns;
    int64_t capacity = problem->free_count + problem->set.rule->most_columns(&problem->set, run->sparsity);
    double *work;

    *e = (struct enumeration){.run = run, .problem = problem, .workspace.memory = problem->A->memory};
    e->columns = workspace_integers(w, capacity);
    e->place = workspace_integers(w, problem->set.units);
    feasible_work_init(&e->work, &problem->set, w);
    e->combination = workspace_integers(w, run->sparsity + 2);
    e->x = workspace_doubles(w, n);
    work = workspace_doubles(w, problem->A->rows);
    e->unit = w->failed ? 0 : loss_at_zero(problem, work);
    e->fit = w->failed ? NULL : fit_new(problem, capacity);
    if (e->fit == NULL) {
        return status_memory(status, w->bytes + fit_bytes(problem, capacity));
    }
    fit_set_stop(e->fit, run_is_late, run);
    return SPGM_OK;
}

/* Load the support of the current combination; columns that stay keep their positions. Returns 0 if it breaks a cap. */
static int load(struct enumeration *e, int64_t leaves, int64_t enters) {
    const struct feasible *set = &e->problem->set;
    int64_t size = e->problem->free_count, s = e->run->sparsity;

    if (set->largest <= 1 && leaves >= 0) {
        size += s;
        e->place[enters] = e->place[leaves];
        e->columns[e->place[enters]] = set->unit_columns[set->unit_start[enters]];
    } else {
        for (int64_t i = 1; i <= s; i++) {
            int64_t unit = e->combination[i];

            e->place[unit] = size;
            for (int64_t k = set->unit_start[unit]; k < set->unit_start[unit + 1]; k++) {
                e->columns[size++] = set->unit_columns[k];
            }
        }
    }
    fit_set_support(e->fit, size, e->columns);
    return set->is_plain || feasible_allows(set, s, size, e->columns, &e->work);
}

/* The free columns and the first combination, 0 .. s - 1. */
static void begin(struct enumeration *e) {
    const struct problem *problem = e->problem;

    memcpy(e->columns, problem->free_columns, (size_t)problem->free_count * sizeof *e->columns);
    for (int64_t i = 0; i < e->run->sparsity; i++) {
        e->combination[i + 1] = i;
    }
    e->combination[e->run->sparsity + 1] = problem->set.units;
    e->lowest = INFINITY;
}

/* Algorithm R: the next combination, as the candidate that leaves and the one that enters. Returns 0 after the last
 * one. */
static int next_combination(int64_t t, int64_t *c, int64_t *leaves, int64_t *enters) {
    int64_t j = 2;
    int decrease = t % 2 != 0;

    if (t == 0) {
        return 0;
    }
    *leaves = c[1];
    if (decrease ? c[1] + 1 < c[2] : c[1] > 0) {
        c[1] += decrease ? 1 : -1;
        *enters = c[1];
        return 1;
    }
    for (; j <= t; j++, decrease = !decrease) {
        if (decrease && c[j] >= j) { /* here c_j = c_{j-1} + 1 */
            *leaves = c[j];
            c[j] = c[j - 1];
            *enters = c[j - 1] = j - 2;
            return 1;
        }
        if (!decrease && c[j] + 1 < c[j + 1]) { /* here c_{j-1} = j - 2 */
            *leaves = c[j - 1];
            c[j - 1] = c[j];
            *enters = ++c[j];
            return 1;
        }
    }
    return 0;
}

/* Fit the current support; a lower F is offered to the run. */
static spgm_error fit(struct enumeration *e, spgm_status *status) {
    enum fit_outcome outcome = e->fits == 0 ? fit_cold(e->fit) : fit_warm(e->fit, e->run->best_objective);
    double bound = fit_bound(e->fit);
    spgm_error error = fit_error(e->fit, status);

    if (error != SPGM_OK) {
        return error;
    }
    if (outcome != FIT_CUTOFF && isless(fit_objective(e->fit), e->run->best_objective)) {
        fit_scatter(e->fit, e->x);
        run_offer(e->run, e->x, fit_objective(e->fit));
    }
    e->lowest = fmin(bound, e->lowest);
    e->fits++;
    return fit_error(e->fit, status);
}

/* Report progress. Nonzero: the run must stop. */
static int note(struct enumeration *e) {
    if (e->fits % NOTE_PERIOD == 0) {
        return run_note(e->run, e->run->best_objective, e->run->sparsity);
    }
    return run_must_stop(e->run);
}

/* Whether the best F equals the lowest bound, up to rounding. */
static int is_proven(const struct enumeration *e) {
    double F = e->run->best_objective, rounding = e->problem->h.kind->perfect * e->unit;

    return islessequal(F - e->run->bound, OPTIMAL_GAP * fabs(F) + rounding);
}

static spgm_error fit_all(struct enumeration *e, spgm_status *status) {
    int64_t leaves = -1, enters = -1;
    spgm_error error = SPGM_OK;

    begin(e);
    do {
        if (load(e, leaves, enters)) {
            error = fit(e, status);
        }
        if (error != SPGM_OK || note(e)) {
            return error;
        }
    } while (next_combination(e->run->sparsity, e->combination, &leaves, &enters));
    e->run->bound = fmin(e->lowest, e->run->best_objective);
    e->run->outcome = is_proven(e) ? SPGM_OPTIMAL : SPGM_LOCAL_OPTIMUM;
    return SPGM_OK;
}

spgm_error enumerate_run(struct run *run, spgm_status *status) {
    struct enumeration e;
    double began = clock_seconds();
    spgm_error error = take(&e, run, status);

    if (error == SPGM_OK) {
        error = fit_all(&e, status);
    }
    fit_free(e.fit);
    workspace_free(&e.workspace);
    run->timers[RUN_TIMER_SEARCH] += clock_seconds() - began;
    return error;
}
