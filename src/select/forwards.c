/*
 * A path over large data, or over rows that live elsewhere: for each s, from the smallest up, one run of the method,
 * started from the previous model and bounded like a single fit. (The sweeps of sweep.c exchange columns on all rows,
 * which must be in one process and not too many.) When the time is over, the previous model is filled up by the columns
 * that scored best when all were last looked at, without a pass over A.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/party.h"
#include "fit/fit.h"
#include "search/registry.h"
#include "select/sweep.h"

/* What is needed to report the progress of the path. */
struct ticker {
    struct spgm_path *path;
    int64_t done;
    double *scores; /* scores of the columns in the previous run [columns] */
};

static int tick(const spgm_progress *inner, void *context) {
    const struct ticker *ticker = context;
    spgm_progress progress = *inner;

    progress.method = "forwards";
    progress.iteration = ticker->done;
    progress.fraction = (double)ticker->done / (double)ticker->path->count;
    return ticker->path->progress(&progress, ticker->path->progress_context);
}

/* The start: the previous model, or a random point. */
static void start(struct run *run, const struct path_entry *below, struct point *point) {
    if (below == NULL) {
        run_draw(run, run->x);
    }
    for (int64_t i = 0; below != NULL && i < below->size; i++) {
        run->x[below->columns[i]] = below->values[i];
    }
    run->start_given = below != NULL;
    run_project(run, run->x);
    run_start(run, point);
}

static spgm_error polish(struct run *run, int64_t *support, spgm_status *status) {
    int64_t k = fit_support_of(run->problem, run->best_x, support);
    struct fit_report report;
    spgm_error error;

    memcpy(run->x, run->best_x, (size_t)run->problem->A->columns * sizeof *run->x);
    error = fit_once(run->problem, k, support, run->x, &report, run_is_late, run, status);
    run_offer(run, run->x, error == SPGM_OK ? report.objective : NAN);
    return error;
}

static spgm_error search(struct run *run, int64_t *support, spgm_status *status) {
    spgm_error error = method_find(run->options->method)->run(run, status);

    if (error == SPGM_OK) {
        run_fill(run);
    }
    return error == SPGM_OK && run->options->polish ? polish(run, support, status) : error;
}

static void keep(const struct run *run, struct path_entry *entry) {
    const struct problem *p = run->problem;

    entry->size = 0;
    for (int64_t j = 0; j < p->A->columns; j++) {
        if ((run->best_x[j] != 0 || p->is_free[j]) && entry->size < entry->capacity) {
            entry->columns[entry->size] = j;
            entry->values[entry->size++] = run->best_x[j];
        }
    }
    entry->objective = entry->worst = run->best_objective;
    entry->bound = run->bound;
    entry->outcome = run->outcome;
    entry->iterations = run->iterations;
    entry->visits = entry->agreeing = 1;
    entry->seconds = clock_seconds() - run->began;
}

/* One entry, with an equal share of the time left for the entries left. */
static spgm_error visit(struct ticker *ticker, const struct problem *framed, int64_t i, double deadline,
                        spgm_status *status) {
    struct spgm_path *path = ticker->path;
    struct workspace workspace = {.memory = framed->A->memory};
    int64_t *support = workspace_integers(&workspace, framed->A->columns);
    struct run run;
    struct point point;
    spgm_error error;

    run_init(&run, framed, path->entries[i].sparsity, &path->options, &workspace);
    point_init(&point, framed, &workspace);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
        workspace_free(&workspace);
        return error;
    }
    run.deadline = run.began + (deadline - run.began) / (double)(path->count - i);
    run.progress = path->progress == NULL ? NULL : tick;
    run.progress_context = ticker;
    run.interrupted = path->stop;
    run.source = path->problem;
    run_lead(&run);
    start(&run, i > 0 ? &path->entries[i - 1] : NULL, &point);
    memcpy(run.scores, ticker->scores, (size_t)framed->A->columns * sizeof *run.scores);
    error = SPGM_OK;
    if (i > 0 && run_must_stop(&run)) {
        run_fill(&run);
    } else {
        error = search(&run, support, status);
    }
    memcpy(ticker->scores, run.scores, (size_t)framed->A->columns * sizeof *run.scores);
    run_leave(&run);
    if (error == SPGM_OK) {
        keep(&run, &path->entries[i]);
    }
    workspace_free(&workspace);
    return error;
}

spgm_error path_forwards(struct spgm_path *path, const struct problem *framed, spgm_status *status) {
    struct workspace workspace = {.memory = framed->A->memory};
    struct ticker ticker = {.path = path, .scores = workspace_doubles(&workspace, framed->A->columns)};
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    for (; error == SPGM_OK && ticker.done < path->count; ticker.done++) {
        error = visit(&ticker, framed, ticker.done, path->deadline, status);
    }
    workspace_free(&workspace);
    return error;
}
