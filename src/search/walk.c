/*
 * HOW IT WORKS: one framed problem, one best point for every s of the list.
 *
 *   1. Forwards: each s starts from the best point below it, with the best priced columns added, and descends by
 *      exchanges of columns (or runs the method of the options).
 *   2. Anchors: a few s over the list are searched hard, as a fit by `auto` does.
 *   3. Settling: forwards from the point below, backwards from the point above without the column that costs least,
 *      over those s whose neighbour has changed since it was last a start, until nothing changes. A good point at one
 *      s so becomes a good start for all.
 *   4. Laggards: the F of best points falls with s by less and less, nearly. So the s whose F lies highest above the
 *      convex hull of the others is searched again, and the path settles again.
 *
 * Forwards the point below is itself feasible, so F never rises with s.
 */
#include "search/walk.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "method/registry.h"
#include "search/auto.h"
#include "search/refit/refit.h"

enum {
    ANCHORS = 5, /* about how many of them                                         */
    ROUNDS = 10, /* of settling, at most                                           */
    PATIENCE = 3 /* of the search of a laggard                                     */
};

static spgm_error walk_init(struct walk *walk, struct spgm_path *path, const struct problem *framed,
                            spgm_status *status) {
    struct workspace *workspace = &walk->workspace;
    int64_t n = framed->A->columns;
    int64_t capacity = path->entries[path->count - 1].capacity;

    *walk = (struct walk){.path = path, .problem = framed, .method = method_find(path->options.method)};
    walk->is_auto = walk->method == &method_auto;
    walk->has_refits = walk->is_auto && refit_applies(framed);
    walk->effort = path->options.effort == 0 ? 5 : path->options.effort;
    walk->options = path->options;
    walk->x = workspace_doubles(workspace, n);
    walk->keys = workspace_doubles(workspace, n);
    walk->scratch = workspace_doubles(workspace, n);
    walk->chosen = workspace_integers(workspace, n);
    walk->support = workspace_integers(workspace, n);
    walk->began = problem_began(path->problem);
    walk->deadline = walk->began + path->options.time_limit;
    if (!workspace->failed) {
        walk->exchange = exchange_new(framed, capacity);
    }
    return walk->exchange == NULL ? status_memory(status, workspace->bytes + exchange_bytes(framed, capacity))
                                  : SPGM_OK;
}

/* ---- progress and limits -------------------------------------------------------------------------------------- */

static int uses_all_time(const struct walk *walk) {
    return walk->is_auto && walk->path->options.effort == 0 && isfinite(walk->path->options.time_limit);
}

/* What the caller sees of an iteration of the method: the s it is at, the F there, how far the walk is. */
int walk_tick(const spgm_progress *inner, void *context) {
    struct walk *walk = context;
    spgm_progress progress = *inner;

    progress.method = walk->phase;
    progress.iteration = walk->visited;
    progress.seconds = clock_seconds() - walk->began;
    progress.fraction = walk->phase_begins + fmin(walk->phase_done, 1) * (walk->phase_ends - walk->phase_begins);
    if (uses_all_time(walk)) {
        progress.fraction = fmin(progress.seconds / walk->path->options.time_limit, 0.999);
    }
    return walk->path->progress(&progress, walk->path->progress_context);
}

static void enter_phase(struct walk *walk, const char *name, double ends) {
    walk->phase = name;
    walk->phase_begins = walk->phase_ends;
    walk->phase_ends = ends;
    walk->phase_done = 0;
}

int walk_must_stop(struct walk *walk) {
    if (walk->stop == SPGM_NOT_RUN && *walk->path->stop) {
        walk->stop = SPGM_INTERRUPTED;
    }
    if (walk->stop == SPGM_NOT_RUN && isgreaterequal(clock_seconds(), walk->deadline)) {
        walk->stop = SPGM_TIME_LIMIT;
    }
    return walk->stop != SPGM_NOT_RUN;
}

/* After a visit: the caller hears of it even when the method was too quick to report. */
static void visited(struct walk *walk) {
    const struct path_entry *entry = walk->entry;
    double unit = walk->problem->objective_unit;

    walk->visited++;
    if (walk->path->progress != NULL && walk->stop != SPGM_INTERRUPTED) {
        spgm_progress progress = {.objective = unit * entry->objective,
                                  .best = unit * entry->objective,
                                  .penalised = unit * entry->objective,
                                  .support = entry->size - walk->problem->free_count};

        if (walk_tick(&progress, walk)) {
            walk->stop = SPGM_INTERRUPTED;
        }
    }
}

/* An equal share of a part of the time that is left, for the next of `count` visits. */
static double share(const struct walk *walk, double part, int64_t count) {
    double now = clock_seconds();

    return now + part * (walk->deadline - now) / (double)count;
}

/* ---- passes --------------------------------------------------------------------------------------------------- */

static spgm_error step_up(struct walk *walk, int64_t i, int is_first, spgm_status *status) {
    struct path_entry *below = i == 0 ? NULL : &walk->path->entries[i - 1];
    double deadline = is_first ? share(walk, walk->is_auto ? 0.5 : 1, walk->path->count - i) : INFINITY;
    spgm_error error = SPGM_OK;

    if (below != NULL) {
        below->is_news[UPWARDS] = 0;
    }
    if (walk->entry->is_final) {
        return SPGM_OK;
    }
    if (walk_is_exact(walk)) {
        memset(walk->x, 0, sizeof(double) * (size_t)walk->problem->A->columns);
    } else {
        error = walk_grow(walk, below, status);
    }
    return error != SPGM_OK ? error : walk_visit(walk, WALK_SEARCH, 0, deadline, status);
}

static spgm_error step_down(struct walk *walk, int64_t i, spgm_status *status) {
    struct path_entry *above = &walk->path->entries[i + 1];
    spgm_error error;

    above->is_news[DOWNWARDS] = 0;
    if (walk->entry->is_final) {
        return SPGM_OK;
    }
    error = walk_shrink(walk, above, status);
    return error != SPGM_OK ? error : walk_visit(walk, WALK_SEARCH, 0, INFINITY, status);
}

static spgm_error pass_up(struct walk *walk, int is_first, spgm_status *status) {
    struct spgm_path *path = walk->path;
    spgm_error error = SPGM_OK;

    for (int64_t i = 0; error == SPGM_OK && i < path->count; i++) {
        double began = clock_seconds();

        walk->entry = &path->entries[i];
        if (i == 0 ? is_first : !walk_must_stop(walk) && (is_first || path->entries[i - 1].is_news[UPWARDS])) {
            error = step_up(walk, i, is_first, status);
            visited(walk);
        }
        if (error == SPGM_OK && i > 0) {
            walk_inherit(walk, &path->entries[i - 1]);
        }
        walk->entry->seconds += clock_seconds() - began;
        walk->phase_done += is_first ? 1 / (double)path->count : 0;
    }
    return error;
}

static spgm_error pass_down(struct walk *walk, spgm_status *status) {
    struct spgm_path *path = walk->path;
    spgm_error error = SPGM_OK;

    for (int64_t i = path->count - 2; error == SPGM_OK && i >= 0 && !walk_must_stop(walk); i--) {
        double began = clock_seconds();

        walk->entry = &path->entries[i];
        if (path->entries[i + 1].is_news[DOWNWARDS]) {
            error = step_down(walk, i, status);
            visited(walk);
        }
        walk->entry->seconds += clock_seconds() - began;
    }
    return error;
}

static int has_news(const struct spgm_path *path) {
    for (int64_t i = 0; i < path->count; i++) {
        const struct path_entry *entry = &path->entries[i];

        if ((entry->is_news[UPWARDS] && i + 1 < path->count) || (entry->is_news[DOWNWARDS] && i > 0)) {
            return 1;
        }
    }
    return 0;
}

static spgm_error settle(struct walk *walk, spgm_status *status) {
    spgm_error error = SPGM_OK;

    for (int round = 0; error == SPGM_OK && round < ROUNDS && has_news(walk->path) && !walk_must_stop(walk); round++) {
        error = pass_down(walk, status);
        if (error == SPGM_OK) {
            error = pass_up(walk, 0, status);
        }
    }
    return error;
}

/* ---- searches ------------------------------------------------------------------------------------------------- */

static spgm_error search(struct walk *walk, int64_t i, enum walk_search how, int64_t amount, double deadline,
                         spgm_status *status) {
    double began = clock_seconds();
    spgm_error error;

    walk->entry = &walk->path->entries[i];
    walk_unpack(walk, walk->entry);
    error = walk_visit(walk, how, amount, deadline, status);
    visited(walk);
    walk->entry->seconds += clock_seconds() - began;
    return error;
}

/* The two largest by a fit of the same effort; the others, which have their help, by one of one less. */
static spgm_error search_anchors(struct walk *walk, spgm_status *status) {
    int64_t count = walk->path->count;
    int64_t step = count / ANCHORS > 1 ? count / ANCHORS : 1;
    int64_t anchors = (count + step - 1) / step;
    int64_t less = walk->effort > 1 ? walk->effort - 1 : 1;
    spgm_error error = SPGM_OK;

    for (int64_t k = 0; error == SPGM_OK && k < anchors && !walk_must_stop(walk); k++) {
        int64_t i = count - 1 - k * step;

        if (!walk->path->entries[i].is_final) {
            error = search(walk, i, WALK_ANCHOR, k < 2 ? walk->effort : less, share(walk, 0.5, anchors - k), status);
        }
        walk->phase_done += 1 / (double)anchors;
    }
    return error;
}

/* hull [count]: the lower convex hull of F over s, at every s; corners [count] is scratch. */
static void lower_hull(const struct spgm_path *path, int64_t *corners, double *hull) {
    const struct path_entry *e = path->entries;
    int64_t last = 0;

    corners[0] = 0;
    for (int64_t i = 1; i < path->count; i++) {
        while (last > 0) {
            const struct path_entry *a = &e[corners[last - 1]], *b = &e[corners[last]];
            double s = (double)(b->sparsity - a->sparsity) / (double)(e[i].sparsity - a->sparsity);

            if (b->objective < a->objective + s * (e[i].objective - a->objective)) {
                break;
            }
            last--; /* b is not below the line from a to i */
        }
        corners[++last] = i;
    }
    for (int64_t k = 0; k < last; k++) {
        const struct path_entry *a = &e[corners[k]], *b = &e[corners[k + 1]];

        for (int64_t i = corners[k]; i <= corners[k + 1]; i++) {
            double s = (double)(e[i].sparsity - a->sparsity) / (double)(b->sparsity - a->sparsity);

            hull[i] = a->objective + s * (b->objective - a->objective);
        }
    }
}

/* The entry that most needs another search: high above the hull, and not searched in vain too often; -1: none. */
static int64_t laggard(const struct spgm_path *path, const double *hull, const double *trust) {
    double scale = 1e-3 * fabs(path->entries[0].objective);
    double most = 0;
    int64_t worst = -1;

    for (int64_t i = 0; i < path->count; i++) {
        const struct path_entry *entry = &path->entries[i];
        double excess = (entry->objective - hull[i]) / (fabs(hull[i]) + scale);
        double need = entry->is_final ? 0 : (fmax(excess, 0) + 1e-4) * trust[i];

        if (isgreater(need, most)) {
            most = need;
            worst = i;
        }
    }
    return worst;
}

static spgm_error search_laggards(struct walk *walk, int64_t *corners, double *hull, double *trust,
                                  spgm_status *status) {
    struct spgm_path *path = walk->path;
    int64_t searches = uses_all_time(walk) ? INT64_MAX : (path->count << (walk->effort - 1)) / 32 + 1;
    spgm_error error = SPGM_OK;

    for (int64_t i = 0; i < path->count; i++) {
        trust[i] = 1;
    }
    for (int64_t k = 0; error == SPGM_OK && k < searches && !walk_must_stop(walk); k++) {
        double before;
        int64_t i;

        lower_hull(path, corners, hull);
        i = path->count == 1 ? (path->entries[0].is_final ? -1 : 0) : laggard(path, hull, trust);
        if (i < 0) {
            break;
        }
        before = path->entries[i].objective;
        error = search(walk, i, WALK_SEARCH, PATIENCE, INFINITY, status);
        if (isless(path->entries[i].objective, before)) {
            error = error == SPGM_OK ? settle(walk, status) : error;
        } else {
            trust[i] /= 2;
        }
        walk->phase_done += 1 / (double)searches;
    }
    return error;
}

static spgm_error search_hard(struct walk *walk, spgm_status *status) {
    int64_t *corners = workspace_integers(&walk->workspace, walk->path->count);
    double *hull = workspace_doubles(&walk->workspace, walk->path->count);
    double *trust = workspace_doubles(&walk->workspace, walk->path->count);
    spgm_error error;

    if (walk->workspace.failed) {
        return status_memory(status, walk->workspace.bytes);
    }
    enter_phase(walk, "anchors", 0.5);
    error = search_anchors(walk, status);
    if (error == SPGM_OK) {
        enter_phase(walk, "settling", 0.65);
        error = settle(walk, status);
    }
    if (error == SPGM_OK) {
        enter_phase(walk, "laggards", 0.999);
        error = search_laggards(walk, corners, hull, trust, status);
    }
    return error;
}

spgm_error path_walk(struct spgm_path *path, const struct problem *framed, spgm_status *status) {
    struct walk walk;
    spgm_error error = walk_init(&walk, path, framed, status);

    if (error == SPGM_OK) {
        enter_phase(&walk, "forwards", walk.is_auto ? 0.1 : 0.4);
        error = pass_up(&walk, 1, status);
    }
    if (error == SPGM_OK && walk.is_auto && !walk_must_stop(&walk)) {
        error = search_hard(&walk, status);
    } else if (error == SPGM_OK) {
        enter_phase(&walk, "settling", 0.999);
        error = settle(&walk, status);
    }
    exchange_free(walk.exchange);
    workspace_free(&walk.workspace);
    return error;
}
