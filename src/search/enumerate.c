#include "search/enumerate.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "fit/fit.h"
#include "linalg/vector.h"

enum { NOTE_PERIOD = 64 }; /* supports between two calls of the callback */

/* A support that changes by a column at a time, and its fit. */
struct enumeration {
    struct run *run;
    const struct problem *problem;
    struct workspace workspace;
    struct fit *fit;
    int64_t size;         /* free columns included                            */
    int64_t *candidate;   /* the columns that are not free [candidates]       */
    int64_t *place;       /* where candidate c stands in `columns`, or -1     */
    int64_t *combination; /* c_1 .. c_s of Algorithm R, c_{s+1} [sparsity + 2] */
    double *x;            /* [columns of A]                                   */
    double lowest;        /* of the bounds so far                                  */
    double unit;          /* |h(-b)|: what a perfect fit is measured against       */
    int64_t fits;
};

double enumerate_count(const struct run *run) {
    double n = (double)problem_candidates(run->problem);
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
    double *work;

    *e = (struct enumeration){.run = run, .problem = problem, .size = problem->free_count + run->sparsity};
    e->candidate = workspace_integers(w, n);
    e->place = workspace_integers(w, n);
    e->combination = workspace_integers(w, run->sparsity + 2);
    e->x = workspace_doubles(w, n);
    work = workspace_doubles(w, problem->A->rows);
    e->unit = w->failed ? 0 : loss_at_zero(problem, work);
    e->fit = w->failed ? NULL : fit_new(problem, e->size);
    if (e->fit == NULL) {
        return status_memory(status, w->bytes + fit_bytes(problem, e->size));
    }
    fit_set_stop(e->fit, run_is_late, run);
    return SPGM_OK;
}

static void put(struct enumeration *e, int64_t position, int64_t candidate) {
    e->place[candidate] = position;
    fit_set_column(e->fit, position, e->candidate[candidate]);
}

/* The free columns and the first combination, 0 .. s - 1. */
static void begin(struct enumeration *e) {
    const struct problem *problem = e->problem;
    int64_t count = 0;

    fit_set_size(e->fit, e->size);
    for (int64_t i = 0; i < problem->free_count; i++) {
        fit_set_column(e->fit, i, problem->free_columns[i]);
    }
    for (int64_t j = 0; j < problem->A->columns; j++) {
        if (!problem->is_free[j]) {
            e->place[count] = -1;
            e->candidate[count++] = j;
        }
    }
    for (int64_t i = 0; i < e->run->sparsity; i++) {
        e->combination[i + 1] = i;
        put(e, problem->free_count + i, i);
    }
    e->combination[e->run->sparsity + 1] = count;
    e->lowest = INFINITY;
}

/* Algorithm R: the next combination, as the candidate that leaves and the one that enters. 0: that was the last. */
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

/* Fit the support at hand; a lower F is offered to the run. */
static spgm_error fit(struct enumeration *e, spgm_status *status) {
    enum fit_outcome outcome = e->fits == 0 ? fit_cold(e->fit) : fit_warm(e->fit, e->run->best_objective);
    spgm_error error = fit_error(e->fit, status);

    if (error != SPGM_OK) {
        return error;
    }
    if (outcome != FIT_CUTOFF && isless(fit_objective(e->fit), e->run->best_objective)) {
        fit_scatter(e->fit, e->x);
        run_offer(e->run, e->x, fit_objective(e->fit));
    }
    e->lowest = isless(fit_bound(e->fit), e->lowest) ? fit_bound(e->fit) : e->lowest;
    e->fits++;
    return SPGM_OK;
}

/* Nonzero: the run must stop. */
static int note(struct enumeration *e) {
    if (e->fits % NOTE_PERIOD == 0) {
        return run_note(e->run, e->run->best_objective, e->run->sparsity);
    }
    return run_must_stop(e->run);
}

static spgm_error fit_all(struct enumeration *e, spgm_status *status) {
    int64_t leaves, enters;
    spgm_error error;

    begin(e);
    do {
        error = fit(e, status);
        if (error != SPGM_OK || note(e)) {
            return error;
        }
        if (!next_combination(e->run->sparsity, e->combination, &leaves, &enters)) {
            break;
        }
        put(e, e->place[leaves], enters);
    } while (1);
    e->run->bound = fmin(e->lowest, e->run->best_objective);
    e->run->outcome =
        islessequal(e->run->best_objective - e->run->bound, 1e-6 * fabs(e->run->best_objective) + 1e-9 * e->unit)
            ? SPGM_OPTIMAL
            : SPGM_LOCAL_OPTIMUM;
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
