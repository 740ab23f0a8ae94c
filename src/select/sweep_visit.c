/* A visit: the search for one entry from one start. All supports are fitted if they are few; otherwise it is a search
 * by exchanges, or a run of another method. */
#include <math.h>
#include <string.h>

#include "fit/fit.h"
#include "linalg/vector.h"
#include "search/auto.h"
#include "search/enumerate.h"
#include "search/exchange.h"
#include "search/prune.h"
#include "select/constants.h"
#include "select/sweep.h"

/* ---- points of entries ---------------------------------------------------------------------------------------- */

void sweep_unpack(struct sweep *sweep, const struct path_entry *entry) {
    memset(sweep->x, 0, sizeof(double) * (size_t)sweep->problem->A->columns);
    for (int64_t i = 0; i < entry->size; i++) {
        sweep->x[entry->columns[i]] = entry->values[i];
    }
}

static int same_support(const struct path_entry *entry, int64_t size, const int64_t *columns) {
    return size == entry->size && memcmp(columns, entry->columns, sizeof *columns * (size_t)size) == 0;
}

/* Make x, with the support sweep->support [size], the point of the entry. */
static void store(struct sweep *sweep, struct path_entry *entry, int64_t size, const double *x, double objective) {
    int is_news = isinf(entry->objective) || entry->objective - objective > SWEEP_NEWS * fabs(entry->objective);

    entry->objective = objective;
    entry->size = size;
    entry->is_news[UPWARDS] |= is_news;
    entry->is_news[DOWNWARDS] |= is_news;
    for (int64_t i = 0; i < size; i++) {
        entry->columns[i] = sweep->support[i];
        entry->values[i] = x[sweep->support[i]];
    }
}

/* Count the end x of a visit, and keep it if it is the best so far. */
static void keep(struct sweep *sweep, const double *x, double objective, spgm_outcome outcome) {
    struct path_entry *entry = sweep->entry;
    int64_t size = fit_support_of(sweep->problem, x, sweep->support);
    int is_same = same_support(entry, size, sweep->support);
    int is_best = isless(objective, entry->objective);

    entry->visits++;
    entry->agreeing = is_best && !is_same ? 1 : entry->agreeing + is_same;
    entry->worst = fmax(entry->worst, objective);
    if (is_best || (is_same && entry->outcome != SPGM_OPTIMAL && entry->outcome != SPGM_LOCAL_OPTIMUM)) {
        entry->outcome = outcome;
    }
    if (is_best) {
        store(sweep, entry, size, x, objective);
    }
}

void sweep_inherit(struct sweep *sweep, const struct path_entry *below) {
    struct path_entry *entry = sweep->entry;

    if (isless(below->objective, entry->objective)) {
        sweep_unpack(sweep, below);
        memcpy(sweep->support, below->columns, sizeof(int64_t) * (size_t)below->size);
        store(sweep, entry, below->size, sweep->x, below->objective);
        if (entry->outcome != SPGM_OPTIMAL) { /* a proof also holds for a point that is lower by rounding */
            entry->outcome = sweep->stop != SPGM_NOT_RUN ? sweep->stop : SPGM_SEARCHED;
        }
    }
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

/* Prepare a run from the start in sweep->x. The best point of the entry is offered to it, so that it knows the F to
 * beat. */
static spgm_error prepare(struct run *run, struct sweep *sweep, double deadline, struct workspace *workspace,
                          spgm_status *status) {
    struct point point;

    run_init(run, sweep->problem, sweep->entry->sparsity, &sweep->options, workspace);
    point_init(&point, sweep->problem, workspace);
    if (workspace->failed) {
        return status_memory(status, workspace->bytes);
    }
    run->progress = sweep->path->progress == NULL ? NULL : sweep_tick;
    run->progress_context = sweep;
    run->interrupted = sweep->path->stop;
    run->deadline = fmin(deadline, sweep->deadline);
    run->phase = sweep->phase;
    vector_copy(sweep->problem->A->columns, sweep->x, run->x);
    if (feasible_count_x(&sweep->problem->set, run->x, &run->work) <= run->sparsity) {
        run_start(run, &point);
    }
    if (isless(sweep->entry->objective, run->best_objective)) {
        sweep_unpack(sweep, sweep->entry);
        run_offer(run, sweep->x, sweep->entry->objective);
    }
    return SPGM_OK;
}

/* Exchanges from run->x and, if patience > 0, restarts; both know the F to beat. */
static spgm_error exchange_columns(struct run *run, int64_t patience, spgm_status *status) {
    double known = run->best_objective;
    double worthwhile = patience > 0 ? INFINITY : known + SWEEP_WORTHLESS * fabs(known);
    struct exchange *search = NULL;
    spgm_error error = exchange_new(run, &search, status);

    if (error == SPGM_OK) {
        exchange_start(search, run->x, 1, worthwhile);
        error = exchange_error(search, status);
    }
    for (int64_t idle = 0; error == SPGM_OK && idle < patience && !run_must_stop(run);) {
        double before = run->best_objective;

        exchange_restart(search);
        error = exchange_error(search, status);
        idle = isless(run->best_objective, before - SWEEP_NEWS * fabs(before)) ? 0 : idle + 1;
        if (error == SPGM_OK && run->outcome != SPGM_INTERRUPTED) {
            run_note(run, exchange_objective(search), run->sparsity);
        }
    }
    if (run->outcome != SPGM_INTERRUPTED && !run_must_stop(run)) {
        run->outcome = SPGM_SEARCHED;
    }
    exchange_free(search);
    return error;
}

/* Fill up or cut down the start, which is the point of a neighbour, to this size, and fit it. */
static spgm_error fit_to_size(struct run *run, spgm_status *status) {
    struct exchange *search = NULL;
    spgm_error error = exchange_new(run, &search, status);

    if (error == SPGM_OK) {
        exchange_start(search, run->x, 1, -INFINITY);
        exchange_get_x(search, run->x);
        error = exchange_error(search, status);
    }
    exchange_free(search);
    return error;
}

/* A fit of its own, with the same start and random numbers as outside a path. It does not know the F to beat, which
 * would make it give up sooner. So the path is never worse than that fit. */
static spgm_error fit_alone(struct sweep *sweep, struct run *run, int64_t effort, spgm_status *status) {
    for (int64_t j = 0; j < sweep->problem->A->columns; j++) {
        run->x[j] = sweep->options.start_scale * random_normal(&run->random);
    }
    run_project(run, run->x);
    sweep->options.effort = effort;
    run->best_objective = INFINITY;
    return method_auto.run(run, status);
}

/* Fit the end of a run of another method exactly, if the options ask for that. */
static spgm_error polish_end(struct sweep *sweep, struct run *run, spgm_status *status) {
    int64_t size = fit_support_of(sweep->problem, run->best_x, sweep->support);
    struct fit_report report;
    spgm_error error;

    vector_copy(sweep->problem->A->columns, run->best_x, sweep->x);
    error = fit_once(sweep->problem, size, sweep->support, sweep->x, &report, run_is_late, run, status);
    if (error == SPGM_OK) {
        run_offer(run, sweep->x, report.objective);
    }
    return error;
}

static spgm_error run_other(struct sweep *sweep, struct run *run, spgm_status *status) {
    spgm_error error = fit_to_size(run, status);

    run->start_given = 1;
    if (error == SPGM_OK) {
        error = sweep->method->run(run, status);
    }
    return error == SPGM_OK && sweep->options.polish ? polish_end(sweep, run, status) : error;
}

static spgm_error run_search(struct sweep *sweep, struct run *run, enum sweep_search search, int64_t amount,
                             spgm_status *status) {
    if (sweep_is_exact(sweep)) {
        return enumerate_run(run, status);
    }
    if (!sweep->is_auto) {
        return run_other(sweep, run, status);
    }
    if (search == SWEEP_ANCHOR) {
        return fit_alone(sweep, run, amount, status);
    }
    random_seed(&run->random, (uint64_t)sweep->options.seed, (uint64_t)(sweep->entry->visits + 1));
    return exchange_columns(run, amount, status);
}

int sweep_is_exact(const struct sweep *sweep) {
    int64_t most = sweep->problem->set.most, s = sweep->entry->sparsity;
    struct run run = {.problem = sweep->problem, .sparsity = s < most ? s : most};
    double count = enumerate_count(&run);

    return count == 1 || (sweep->is_auto && count <= (double)(SWEEP_SUPPORTS << (sweep->effort - 1)));
}

spgm_error sweep_visit(struct sweep *sweep, enum sweep_search search, int64_t amount, double deadline,
                       spgm_status *status) {
    struct path_entry *entry = sweep->entry;
    struct workspace workspace = {.memory = sweep->problem->A->memory};
    struct run run;
    spgm_error error = prepare(&run, sweep, deadline, &workspace, status);

    if (error == SPGM_OK) {
        error = run_search(sweep, &run, search, amount, status);
    }
    if (error == SPGM_OK && sweep->is_auto) {
        error = prune_rounding(&run, status);
    }
    if (error == SPGM_OK) {
        sweep->stop = run.outcome == SPGM_INTERRUPTED ? SPGM_INTERRUPTED : sweep->stop;
        entry->iterations += run.iterations;
        entry->bound = fmax(entry->bound, run.bound);
        entry->is_final = run.outcome == SPGM_OPTIMAL || run.outcome == SPGM_LOCAL_OPTIMUM;
        entry->is_final = entry->is_final && (sweep_is_exact(sweep) || run.outcome == SPGM_OPTIMAL);
        keep(sweep, run.best_x, run.best_objective, run.outcome);
    }
    workspace_free(&workspace);
    return error;
}
