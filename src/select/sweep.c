/*
 * The path: one framed problem serves all s, and the best point of every s is kept.
 *
 * HOW IT WORKS:
 *   1. Forwards. Each s starts from the best point of the s below, with the best priced columns added, and descends by
 *      exchanges of columns (or runs the method of the options).
 *   2. Anchors. A few s, spread over the list, are searched hard, each by a fit of its own with `auto`.
 *   3. Settling. Forwards each s starts from the point below; backwards from the point above without the columns that
 *      cost least. Only neighbours that have changed since they were last a start are used, until nothing changes. So a
 *      good point at one s becomes a good start for all.
 *   4. Laggards. The minimum of F falls with s by less and less, nearly. So the s whose F is highest above the lower
 *      convex hull of F over s is searched again, and the path settles again.
 *
 * The point below is itself feasible, so F never rises with s.
 */
#include "select/sweep.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "search/auto.h"
#include "search/registry.h"
#include "select/constants.h"

static spgm_error sweep_init(struct sweep *sweep, struct spgm_path *path, const struct problem *framed,
                             spgm_status *status) {
    struct workspace *workspace = &sweep->workspace;
    int64_t n = framed->A->columns;

    *sweep = (struct sweep){.path = path, .problem = framed, .method = method_find(path->options.method)};
    sweep->is_auto = sweep->method == &method_auto;
    sweep->effort = path->options.effort == 0 ? 5 : path->options.effort;
    sweep->options = path->options;
    sweep->x = workspace_doubles(workspace, n);
    sweep->support = workspace_integers(workspace, n);
    sweep->began = path->began;
    sweep->deadline = path->deadline;
    return workspace->failed ? status_memory(status, workspace->bytes) : SPGM_OK;
}

/* ---- progress and limits -------------------------------------------------------------------------------------- */

static int uses_all_time(const struct sweep *sweep) {
    return sweep->is_auto && sweep->path->options.effort == 0 && isfinite(sweep->path->options.time_limit);
}

/* Report an iteration of the method to the callback of the path: the current s, its F, and how far the sweep is. */
int sweep_tick(const spgm_progress *inner, void *context) {
    struct sweep *sweep = context;
    spgm_progress progress = *inner;

    progress.method = sweep->phase;
    progress.iteration = sweep->visited;
    progress.seconds = clock_seconds() - sweep->began;
    progress.fraction = sweep->phase_begins + fmin(sweep->phase_done, 1) * (sweep->phase_ends - sweep->phase_begins);
    if (uses_all_time(sweep)) {
        progress.fraction = fmin(progress.seconds / sweep->path->options.time_limit, 0.999);
    }
    return sweep->path->progress(&progress, sweep->path->progress_context);
}

static void enter_phase(struct sweep *sweep, const char *name, double ends) {
    sweep->phase = name;
    sweep->phase_begins = sweep->phase_ends;
    sweep->phase_ends = ends;
    sweep->phase_done = 0;
}

int sweep_must_stop(struct sweep *sweep) {
    if (sweep->stop == SPGM_NOT_RUN && *sweep->path->stop) {
        sweep->stop = SPGM_INTERRUPTED;
    }
    if (sweep->stop == SPGM_NOT_RUN && isgreaterequal(clock_seconds(), sweep->deadline)) {
        sweep->stop = SPGM_TIME_LIMIT;
    }
    return sweep->stop != SPGM_NOT_RUN;
}

/* Report a finished visit, even if the method was too quick to report. */
static void visited(struct sweep *sweep) {
    const struct path_entry *entry = sweep->entry;
    double unit = sweep->problem->objective_unit;

    sweep->visited++;
    if (sweep->path->progress != NULL && sweep->stop != SPGM_INTERRUPTED) {
        spgm_progress progress = {.objective = unit * entry->objective,
                                  .best = unit * entry->objective,
                                  .penalised = unit * entry->objective,
                                  .support = entry->size - sweep->problem->free_count};

        if (sweep_tick(&progress, sweep)) {
            sweep->stop = SPGM_INTERRUPTED;
        }
    }
}

/* The deadline of the next of `count` visits: an equal share of `part` of the time left. */
static double share(const struct sweep *sweep, double part, int64_t count) {
    double now = clock_seconds();

    return now + part * (sweep->deadline - now) / (double)count;
}

/* ---- passes --------------------------------------------------------------------------------------------------- */

static spgm_error step_up(struct sweep *sweep, int64_t i, int is_first, spgm_status *status) {
    struct path_entry *below = i == 0 ? NULL : &sweep->path->entries[i - 1];
    double deadline = is_first ? share(sweep, sweep->is_auto ? 0.5 : 1, sweep->path->count - i) : INFINITY;

    if (below != NULL) {
        below->is_news[UPWARDS] = 0;
    }
    if (sweep->entry->is_final) {
        return SPGM_OK;
    }
    if (sweep_is_exact(sweep) || below == NULL) {
        memset(sweep->x, 0, sizeof(double) * (size_t)sweep->problem->A->columns);
    } else {
        sweep_unpack(sweep, below);
    }
    return sweep_visit(sweep, SWEEP_SEARCH, 0, deadline, status);
}

static spgm_error step_down(struct sweep *sweep, int64_t i, spgm_status *status) {
    struct path_entry *above = &sweep->path->entries[i + 1];

    above->is_news[DOWNWARDS] = 0;
    if (sweep->entry->is_final) {
        return SPGM_OK;
    }
    sweep_unpack(sweep, above);
    return sweep_visit(sweep, SWEEP_SEARCH, 0, INFINITY, status);
}

static spgm_error pass_up(struct sweep *sweep, int is_first, spgm_status *status) {
    struct spgm_path *path = sweep->path;
    spgm_error error = SPGM_OK;

    for (int64_t i = 0; error == SPGM_OK && i < path->count; i++) {
        double began = clock_seconds();

        sweep->entry = &path->entries[i];
        if (i == 0 ? is_first : !sweep_must_stop(sweep) && (is_first || path->entries[i - 1].is_news[UPWARDS])) {
            error = step_up(sweep, i, is_first, status);
            visited(sweep);
        }
        if (error == SPGM_OK && i > 0) {
            sweep_inherit(sweep, &path->entries[i - 1]);
        }
        sweep->entry->seconds += clock_seconds() - began;
        sweep->phase_done += is_first ? 1 / (double)path->count : 0;
    }
    return error;
}

static spgm_error pass_down(struct sweep *sweep, spgm_status *status) {
    struct spgm_path *path = sweep->path;
    spgm_error error = SPGM_OK;

    for (int64_t i = path->count - 2; error == SPGM_OK && i >= 0 && !sweep_must_stop(sweep); i--) {
        double began = clock_seconds();

        sweep->entry = &path->entries[i];
        if (path->entries[i + 1].is_news[DOWNWARDS]) {
            error = step_down(sweep, i, status);
            visited(sweep);
        }
        sweep->entry->seconds += clock_seconds() - began;
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

static spgm_error settle(struct sweep *sweep, spgm_status *status) {
    spgm_error error = SPGM_OK;

    for (int round = 0; error == SPGM_OK && round < SWEEP_ROUNDS && has_news(sweep->path) && !sweep_must_stop(sweep);
         round++) {
        error = pass_down(sweep, status);
        if (error == SPGM_OK) {
            error = pass_up(sweep, 0, status);
        }
    }
    return error;
}

/* ---- searches ------------------------------------------------------------------------------------------------- */

static spgm_error search(struct sweep *sweep, int64_t i, enum sweep_search how, int64_t amount, double deadline,
                         spgm_status *status) {
    double began = clock_seconds();
    spgm_error error;

    sweep->entry = &sweep->path->entries[i];
    sweep_unpack(sweep, sweep->entry);
    error = sweep_visit(sweep, how, amount, deadline, status);
    visited(sweep);
    sweep->entry->seconds += clock_seconds() - began;
    return error;
}

/* The two largest s get the effort of the options. The others, which profit from those, get one step less. */
static spgm_error search_anchors(struct sweep *sweep, spgm_status *status) {
    int64_t count = sweep->path->count;
    int64_t step = count / SWEEP_ANCHORS > 1 ? count / SWEEP_ANCHORS : 1;
    int64_t anchors = (count + step - 1) / step;
    int64_t less = sweep->effort > 1 ? sweep->effort - 1 : 1;
    spgm_error error = SPGM_OK;

    for (int64_t k = 0; error == SPGM_OK && k < anchors && !sweep_must_stop(sweep); k++) {
        int64_t i = count - 1 - k * step;

        if (!sweep->path->entries[i].is_final) {
            error =
                search(sweep, i, SWEEP_ANCHOR, k < 2 ? sweep->effort : less, share(sweep, 0.5, anchors - k), status);
        }
        sweep->phase_done += 1 / (double)anchors;
    }
    return error;
}

/* hull [count]: the lower convex hull of F over s, at every s of the list; corners [count] is scratch. */
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

/* The entry that most needs another search: high above the hull, and not searched too often without success; -1: none.
 */
static int64_t laggard(const struct spgm_path *path, const double *hull, const double *trust) {
    double scale = SWEEP_SMALL * fabs(path->entries[0].objective);
    double most = 0;
    int64_t worst = -1;

    for (int64_t i = 0; i < path->count; i++) {
        const struct path_entry *entry = &path->entries[i];
        double excess = (entry->objective - hull[i]) / (fabs(hull[i]) + scale);
        double need = entry->is_final ? 0 : (fmax(excess, 0) + SWEEP_NEED) * trust[i];

        if (isgreater(need, most)) {
            most = need;
            worst = i;
        }
    }
    return worst;
}

static spgm_error search_laggards(struct sweep *sweep, int64_t *corners, double *hull, double *trust,
                                  spgm_status *status) {
    struct spgm_path *path = sweep->path;
    int64_t searches = uses_all_time(sweep) ? INT64_MAX : (path->count << (sweep->effort - 1)) / SWEEP_PER_SEARCH + 1;
    spgm_error error = SPGM_OK;

    for (int64_t i = 0; i < path->count; i++) {
        trust[i] = 1;
    }
    for (int64_t k = 0; error == SPGM_OK && k < searches && !sweep_must_stop(sweep); k++) {
        double before;
        int64_t i;

        lower_hull(path, corners, hull);
        i = path->count == 1 ? (path->entries[0].is_final ? -1 : 0) : laggard(path, hull, trust);
        if (i < 0) {
            break;
        }
        before = path->entries[i].objective;
        error = search(sweep, i, SWEEP_SEARCH, SWEEP_PATIENCE, INFINITY, status);
        if (isless(path->entries[i].objective, before)) {
            error = error == SPGM_OK ? settle(sweep, status) : error;
        } else {
            trust[i] /= 2;
        }
        sweep->phase_done += 1 / (double)searches;
    }
    return error;
}

static spgm_error search_hard(struct sweep *sweep, spgm_status *status) {
    int64_t *corners = workspace_integers(&sweep->workspace, sweep->path->count);
    double *hull = workspace_doubles(&sweep->workspace, sweep->path->count);
    double *trust = workspace_doubles(&sweep->workspace, sweep->path->count);
    spgm_error error;

    if (sweep->workspace.failed) {
        return status_memory(status, sweep->workspace.bytes);
    }
    enter_phase(sweep, "anchors", 0.5);
    error = search_anchors(sweep, status);
    if (error == SPGM_OK) {
        enter_phase(sweep, "settling", 0.65);
        error = settle(sweep, status);
    }
    if (error == SPGM_OK) {
        enter_phase(sweep, "laggards", 0.999);
        error = search_laggards(sweep, corners, hull, trust, status);
    }
    return error;
}

spgm_error path_sweep(struct spgm_path *path, const struct problem *framed, spgm_status *status) {
    struct sweep sweep;
    spgm_error error = sweep_init(&sweep, path, framed, status);

    if (error == SPGM_OK) {
        enter_phase(&sweep, "forwards", sweep.is_auto ? 0.1 : 0.4);
        error = pass_up(&sweep, 1, status);
    }
    if (error == SPGM_OK && sweep.is_auto && !sweep_must_stop(&sweep)) {
        error = search_hard(&sweep, status);
    } else if (error == SPGM_OK) {
        enter_phase(&sweep, "settling", 0.999);
        error = settle(&sweep, status);
    }
    workspace_free(&sweep.workspace);
    return error;
}
