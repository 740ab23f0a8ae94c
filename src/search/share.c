#include "search/share.h"

#include <string.h>

#include "base/parallel.h"
#include "model/gather.h"

spgm_error share_finding(const struct run *run, int64_t root, struct finding *finding, double *x, spgm_status *status) {
    struct party *party = run_party(run);

    if (party != NULL) {
        party_broadcast(party, finding, sizeof *finding, root);
        party_broadcast(party, x, run->problem->data_columns * (int64_t)sizeof *x, root);
    }
    if (finding->error != SPGM_OK && party != NULL) {
        party->is_agreed = 1;
    }
    if (finding->error != SPGM_OK && status != NULL) {
        *status = finding->status;
    }
    return finding->error;
}

/* Report the progress of the run on gathered rows as that of the run: with what is known of all rows. */
static int forward_progress(const spgm_progress *progress, void *context) {
    const struct run *run = context;
    spgm_progress mine = *progress;

    mine.method = run->phase;
    mine.iteration += run->iterations;
    mine.best = mine.objective = mine.penalised = run->problem->objective_unit * run->best_objective;
    return run->progress(&mine, run->progress_context);
}

void share_begin(struct run *run, struct run *child) {
    child->began = run->began;
    child->deadline = run->deadline;
    child->interrupted = run->interrupted;
    child->progress = run->progress == NULL ? NULL : forward_progress;
    child->progress_context = run;
}

double share_bytes(const struct run *run) {
    const spgm_matrix *A = &run->source->A;
    double entry = A->column_start != NULL ? 12.0 : A->singles != NULL ? 4.0 : 8.0;

    return entry * problem_nonzeros(run->problem);
}

/* If the child's frame is that of all rows, its progress is reported as it is. */
static void begin_child(struct run *run, const struct problem *framed, struct run *child, double *x) {
    double intercept;

    share_begin(run, child);
    child->progress = run->progress;
    child->progress_context = run->progress_context;
    child->phase = run->phase;
    child->start_given = run->start_given;
    if (run->start_given) {
        problem_unscale(run->problem, run->x, x, &intercept);
        problem_scale(framed, x, intercept, child->x);
    } else {
        run_draw(child, child->x);
    }
    run_project(child, child->x);
}

static void take_finding(const struct problem *framed, const struct run *child, struct finding *found, double *x) {
    found->outcome = child->outcome;
    found->bound = framed->objective_unit * child->bound;
    found->spread = child->spread;
    found->iterations = child->iterations;
    found->nodes = child->nodes;
    found->restarts = child->restarts;
    found->agreeing = child->agreeing;
    problem_unscale(framed, child->best_x, x, &found->intercept);
}

/* On process 0: the method on the gathered problem. */
static void run_whole(struct run *run, struct spgm_problem *whole, const struct method *method, struct finding *found,
                      double *x) {
    struct workspace workspace = {0};
    struct problem framed;
    struct run child;
    struct point point;

    found->error = problem_frame(whole, parallel_threads(run->options->threads), &framed, &found->status);
    if (found->error != SPGM_OK) {
        return;
    }
    run_init(&child, &framed, run->sparsity, run->options, &workspace);
    point_init(&point, &framed, &workspace);
    if (workspace.failed) {
        found->error = status_memory(&found->status, workspace.bytes);
    } else {
        begin_child(run, &framed, &child, x);
        child.source = whole;
        run_start(&child, &point);
        found->error = method->run(&child, &found->status);
        run_fill(&child);
        if (found->error == SPGM_ERROR_MEMORY && child.iterations > 0) {
            child.outcome = SPGM_OUT_OF_MEMORY;
            found->error = SPGM_OK;
        }
        take_finding(&framed, &child, found, x);
    }
    workspace_free(&workspace);
    problem_unframe(&framed);
}

/* Make the finding the end of the run: x in its frame, with F computed from all rows. */
static void end_with(struct run *run, const struct finding *found, const double *x, struct point *point) {
    run->outcome = found->outcome;
    run->bound = found->bound / run->problem->objective_unit;
    run->spread = found->spread;
    run->iterations += found->iterations;
    run->nodes += found->nodes;
    run->restarts += found->restarts;
    run->agreeing += found->agreeing;
    problem_scale(run->problem, x, found->intercept, run->x);
    point_set(point, run->x);
    run->best_objective = INFINITY; /* the best point so far was only the start, which the gathered run had as well */
    run_offer(run, run->x, point_objective(point));
}

spgm_error share_gathered(struct run *run, const struct method *method, spgm_status *status) {
    struct workspace workspace = {0};
    double *x = workspace_doubles(&workspace, run->problem->data_columns);
    struct party *party = run_party(run);
    struct finding found = {0};
    struct spgm_problem whole = {0};
    struct point point;
    spgm_error error;

    point_init(&point, run->problem, &workspace);
    error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;
    error = party_agree(party, error, status);
    error = error == SPGM_OK ? part_gather_all(run->source, &whole, status) : error;
    if (error == SPGM_OK) {
        if (party->all.rank == 0) {
            run_whole(run, &whole, method, &found, x);
        }
        error = share_finding(run, 0, &found, x, status);
    }
    if (error == SPGM_OK) {
        end_with(run, &found, x, &point);
    }
    workspace_free(&whole.owned);
    workspace_free(&workspace);
    return error;
}
