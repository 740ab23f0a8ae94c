#include "search/alone.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"

static void take(struct alone *alone, struct workspace *workspace) {
    int64_t n = alone->first.problem->A->columns;

    alone->x = workspace_doubles(workspace, n);
    alone->best = workspace_doubles(workspace, n);
    alone->changes = workspace_doubles(workspace, alone->first.options->window);
}

void alone_init(struct alone *alone, const struct run *run, struct workspace *workspace) {
    int64_t n = run->problem->A->columns;
    double *start = workspace_doubles(workspace, n);

    *alone = (struct alone){.first = *run, .start = start};
    take(alone, workspace);
    if (!workspace->failed) {
        vector_copy(n, run->x, start);
    }
}

/* Of several methods that run at once, the hook that tests use to watch offers is called for the first one only. */
void alone_copy(struct alone *copy, const struct alone *alone, struct workspace *workspace) {
    const struct run *first = &alone->first;
    struct run own;

    *copy = *alone;
    run_init(&own, first->problem, first->sparsity, first->options, workspace);
    copy->first.keys = own.keys;
    copy->first.chosen = own.chosen;
    copy->first.scores = own.scores;
    copy->first.work = own.work;
    copy->first.offered = NULL;
    take(copy, workspace);
}

static int forward_progress(const spgm_progress *progress, void *context) {
    const struct run *run = context;
    spgm_progress mine = *progress;

    mine.iteration += run->iterations;
    mine.best = fmin(progress->best, run->problem->objective_unit * run->best_objective);
    return run->progress(&mine, run->progress_context);
}

static void begin(struct alone *alone, const struct method *method, struct run *run, struct run *child) {
    int64_t n = run->problem->A->columns;

    *child = alone->first;
    child->x = alone->x;
    child->best_x = alone->best;
    child->changes = alone->changes;
    child->phase = method->name;
    child->pass_limit = INFINITY; /* a pass limit must not end what several threads do together */
    child->called_off = run->called_off;
    child->progress = run->progress == NULL ? NULL : forward_progress;
    child->progress_context = run;
    vector_copy(n, alone->start, child->x);
    vector_copy(n, alone->start, child->best_x);
    memset(child->changes, 0, (size_t)child->options->window * sizeof *child->changes);
}

spgm_error alone_run(struct alone *alone, const struct method *method, struct run *run, spgm_status *status) {
    struct run child;
    spgm_error error;

    begin(alone, method, run, &child);
    error = method->run(&child, status);
    run->iterations += child.iterations;
    if (child.outcome == SPGM_INTERRUPTED) {
        run->outcome = SPGM_INTERRUPTED;
    }
    if (error == SPGM_OK || child.iterations > 0) {
        run_offer(run, child.best_x, child.best_objective);
    }
    return error == SPGM_ERROR_UNSUPPORTED ? SPGM_OK : error;
}
