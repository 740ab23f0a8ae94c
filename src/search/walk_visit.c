/* What is done from a start: all supports where they are few, a search or another method where they are not. */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/auto.h"
#include "search/enumerate.h"
#include "search/prune.h"
#include "search/searcher.h"
#include "search/swap/swap.h"
#include "search/walk.h"

/* A later visit must lower F by more than this part of it to count as news: less is rounding. */
static const double worth = 1e-9;
/* A start whose fit is this much above what is known does not descend below it, nearly always. */
static const double worthless = 0.02;
/* Up to this many supports, twice as many for each step of effort, are all fitted, and the optimum is proven. */
enum { SUPPORTS = 64 };

/* ---- points of entries ---------------------------------------------------------------------------------------- */

void walk_unpack(struct walk *walk, const struct path_entry *entry) {
    memset(walk->x, 0, sizeof(double) * (size_t)walk->problem->A->columns);
    for (int64_t i = 0; i < entry->size; i++) {
        walk->x[entry->columns[i]] = entry->values[i];
    }
}

static int same_support(const struct path_entry *entry, int64_t size, const int64_t *columns) {
    return size == entry->size && memcmp(columns, entry->columns, sizeof *columns * (size_t)size) == 0;
}

/* Make x, with walk->support [size], the point of the entry. */
static void store(struct walk *walk, struct path_entry *entry, int64_t size, const double *x, double objective) {
    int is_news = isinf(entry->objective) || entry->objective - objective > worth * fabs(entry->objective);

    entry->objective = objective;
    entry->size = size;
    entry->is_news[UPWARDS] |= is_news;
    entry->is_news[DOWNWARDS] |= is_news;
    for (int64_t i = 0; i < size; i++) {
        entry->columns[i] = walk->support[i];
        entry->values[i] = x[walk->support[i]];
    }
}

/* The end x of a visit: count it, and keep it when it is the best so far. */
static void keep(struct walk *walk, const double *x, double objective, spgm_outcome outcome) {
    struct path_entry *entry = walk->entry;
    int64_t size = fit_support_of(walk->problem, x, walk->support);
    int is_same = same_support(entry, size, walk->support);
    int is_best = isless(objective, entry->objective);

    entry->visits++;
    entry->agreeing = is_best && !is_same ? 1 : entry->agreeing + is_same;
    entry->worst = fmax(entry->worst, objective);
    if (is_best || (is_same && entry->outcome != SPGM_OPTIMAL && entry->outcome != SPGM_LOCAL_OPTIMUM)) {
        entry->outcome = outcome;
    }
    if (is_best) {
        store(walk, entry, size, x, objective);
    }
}

void walk_inherit(struct walk *walk, const struct path_entry *below) {
    struct path_entry *entry = walk->entry;

    if (isless(below->objective, entry->objective)) {
        walk_unpack(walk, below);
        memcpy(walk->support, below->columns, sizeof(int64_t) * (size_t)below->size);
        store(walk, entry, below->size, walk->x, below->objective);
        if (entry->outcome != SPGM_OPTIMAL) { /* a proof holds for what is lower by rounding, too */
            entry->outcome = walk->stop != SPGM_NOT_RUN ? walk->stop : SPGM_SEARCHED;
        }
    }
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

/* A run at the start in walk->x; the best point of the entry is offered, so that the run knows what to beat. */
static spgm_error prepare(struct run *run, struct walk *walk, double deadline, struct workspace *workspace,
                          spgm_status *status) {
    struct point point;

    run_init(run, walk->problem, walk->entry->sparsity, &walk->options, workspace);
    point_init(&point, walk->problem, workspace);
    if (workspace->failed) {
        return status_memory(status, workspace->bytes);
    }
    run->progress = walk->path->progress == NULL ? NULL : walk_tick;
    run->progress_context = walk;
    run->interrupted = walk->path->stop;
    run->deadline = fmin(deadline, walk->deadline);
    run->phase = walk->phase;
    vector_copy(walk->problem->A->columns, walk->x, run->x);
    run_start(run, &point);
    if (isless(walk->entry->objective, run->best_objective)) {
        walk_unpack(walk, walk->entry);
        run_offer(run, walk->x, walk->entry->objective);
    }
    return SPGM_OK;
}

/* Exchanges from run->x and, with patience, restarts, which know the best point too. */
static spgm_error exchange_columns(struct run *run, int64_t patience, spgm_status *status) {
    const struct searcher *searcher = swap_applies(run) ? &searcher_swap : &searcher_general;
    double known = run->best_objective;
    double worthwhile = patience > 0 ? INFINITY : known + worthless * fabs(known);
    void *object = NULL;
    spgm_error error = searcher->create(run, &object, status);

    if (error == SPGM_OK) {
        error = searcher->start_near(object, run->x, worthwhile, status);
    }
    for (int64_t idle = 0; error == SPGM_OK && idle < patience && !run_must_stop(run);) {
        double before = run->best_objective;

        error = searcher->restart(object, status);
        idle = isless(run->best_objective, before - worth * fabs(before)) ? 0 : idle + 1;
        if (error == SPGM_OK && run->outcome != SPGM_INTERRUPTED) {
            run_note(run, searcher->objective(object), run->sparsity);
        }
    }
    if (run->outcome != SPGM_INTERRUPTED && !run_must_stop(run)) {
        run->outcome = SPGM_SEARCHED;
    }
    searcher->destroy(object);
    return error;
}

/* As a fit of its own: the same start, the same random numbers, and no knowledge of what is to be beaten, which would
 * make it give up sooner. So it is not worse than one. */
static spgm_error fit_alone(struct walk *walk, struct run *run, int64_t effort, spgm_status *status) {
    for (int64_t j = 0; j < walk->problem->A->columns; j++) {
        run->x[j] = walk->options.start_scale * random_normal(&run->random);
    }
    run_project(run, run->x);
    walk->options.effort = effort;
    run->best_objective = INFINITY;
    return method_auto.run(run, status);
}

/* The end of a run of another method than auto, fitted exactly when the options ask for it. */
static spgm_error polish_end(struct walk *walk, struct run *run, spgm_status *status) {
    int64_t size = fit_support_of(walk->problem, run->best_x, walk->support);
    spgm_error error = exchange_fit(walk->exchange, size, walk->support, run->best_x, status);

    if (error == SPGM_OK) {
        run_offer(run, walk->exchange->x, walk->exchange->objective);
    }
    return error;
}

static spgm_error run_other(struct walk *walk, struct run *run, spgm_status *status) {
    spgm_error error;

    run->start_given = 1;
    error = walk->method->run(run, status);
    return error == SPGM_OK && walk->options.polish ? polish_end(walk, run, status) : error;
}

static spgm_error run_search(struct walk *walk, struct run *run, enum walk_search search, int64_t amount,
                             spgm_status *status) {
    if (walk_is_exact(walk)) {
        return enumerate_run(run, status);
    }
    if (!walk->is_auto) {
        return run_other(walk, run, status);
    }
    if (search == WALK_ANCHOR) {
        return fit_alone(walk, run, amount, status);
    }
    random_seed(&run->random, (uint64_t)walk->options.seed, (uint64_t)(walk->entry->visits + 1));
    return exchange_columns(run, amount, status);
}

int walk_is_exact(const struct walk *walk) {
    int64_t candidates = problem_candidates(walk->problem);
    int64_t s = walk->entry->sparsity;
    struct run run = {.problem = walk->problem, .sparsity = s < candidates ? s : candidates};
    double count = enumerate_count(&run);

    return count == 1 || (walk->is_auto && count <= (double)(SUPPORTS << (walk->effort - 1)));
}

spgm_error walk_visit(struct walk *walk, enum walk_search search, int64_t amount, double deadline,
                      spgm_status *status) {
    struct path_entry *entry = walk->entry;
    struct workspace workspace = {0};
    struct run run;
    spgm_error error = prepare(&run, walk, deadline, &workspace, status);

    if (error == SPGM_OK) {
        error = run_search(walk, &run, search, amount, status);
    }
    if (error == SPGM_OK && walk->is_auto) {
        error = prune_rounding(&run, status);
    }
    if (error == SPGM_OK) {
        walk->stop = run.outcome == SPGM_INTERRUPTED ? SPGM_INTERRUPTED : walk->stop;
        entry->iterations += run.iterations;
        entry->bound = fmax(entry->bound, run.bound);
        entry->is_final = run.outcome == SPGM_OPTIMAL || run.outcome == SPGM_LOCAL_OPTIMUM;
        entry->is_final = entry->is_final && (walk_is_exact(walk) || run.outcome == SPGM_OPTIMAL);
        keep(walk, run.best_x, run.best_objective, run.outcome);
    }
    workspace_free(&workspace);
    return error;
}
