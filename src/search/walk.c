/*
 * HOW IT WORKS: one framed problem, one best point for every s of the list. Forwards, each s starts from the best point
 * below it with the best priced columns added; backwards, from the best point above it with the columns dropped that
 * cost least. From each start the method of the options (`auto`: local search over exchanges) does what it can. Passes
 * go on over those s whose neighbour has changed since it was last a start. Forwards the point below is itself
 * feasible, so F never rises with s.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "linalg/select.h"
#include "linalg/vector.h"
#include "method/registry.h"
#include "search/auto.h"
#include "search/exchange.h"
#include "search/local.h"
#include "search/path.h"

enum { UPWARDS = 0, DOWNWARDS = 1 };

/* A later visit must lower F by more than this part of it to count as news: less is rounding. */
static const double worth = 1e-9;
/* How many columns are fitted without before the one that leaves is chosen. */
enum { DROPS = 3 };
/* Columns enter and leave in at most about this many fits between two neighbours. */
enum { STAGES = 8 };
/* Up to this many supports times the effort are all fitted, and the optimum is proven. */
enum { SUPPORTS = 64 };

struct walk {
    struct spgm_path *path;
    const struct problem *problem;
    const struct method *method;
    struct exchange *exchange;
    struct workspace workspace;
    double *x;        /* [columns] a start            */
    double *keys;     /* [columns]                    */
    double *scratch;  /* [columns]                    */
    int64_t *chosen;  /* [columns]                    */
    int64_t *support; /* [columns]                    */
    double began, deadline;
    int64_t visited;   /* entries looked at so far     */
    int64_t planned;   /* a guess at how many it will be in all */
    spgm_outcome stop; /* why the walk must end, or SPGM_NOT_RUN */

    /* the visit at hand */
    struct path_entry *entry;
    const char *phase;
};

/* What 0 stands for is 5. */
static int64_t effort(const struct spgm_path *path) {
    return path->options.effort == 0 ? 5 : path->options.effort;
}

static spgm_error walk_init(struct walk *walk, struct spgm_path *path, const struct problem *framed,
                            spgm_status *status) {
    struct workspace *workspace = &walk->workspace;
    int64_t n = framed->A->columns;
    int64_t capacity = path->entries[path->count - 1].capacity;

    *walk = (struct walk){.path = path, .problem = framed, .method = method_find(path->options.method)};
    walk->x = workspace_doubles(workspace, n);
    walk->keys = workspace_doubles(workspace, n);
    walk->scratch = workspace_doubles(workspace, n);
    walk->chosen = workspace_integers(workspace, n);
    walk->support = workspace_integers(workspace, n);
    walk->began = clock_seconds();
    walk->deadline = walk->began + path->options.time_limit;
    walk->planned = 3 * path->count;
    if (!workspace->failed) {
        walk->exchange = exchange_new(framed, capacity);
    }
    return walk->exchange == NULL ? status_memory(status, workspace->bytes + exchange_bytes(framed, capacity))
                                  : SPGM_OK;
}

/* ---- progress and limits -------------------------------------------------------------------------------------- */

/* What the caller sees of an iteration of the method: the s it is at, the F there, how far the walk is. */
static int tick(const spgm_progress *inner, void *context) {
    struct walk *walk = context;
    spgm_progress progress = *inner;

    progress.method = walk->phase;
    progress.iteration = walk->visited;
    progress.seconds = clock_seconds() - walk->began;
    progress.fraction = fmin((double)walk->visited / (double)walk->planned, 0.99);
    return walk->path->progress(&progress, walk->path->progress_context);
}

static int must_stop(struct walk *walk) {
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

        if (tick(&progress, walk)) {
            walk->stop = SPGM_INTERRUPTED;
        }
    }
}

/* ---- points of entries ---------------------------------------------------------------------------------------- */

/* x of the entry into walk->x. */
static void unpack(struct walk *walk, const struct path_entry *entry) {
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
    int64_t size = polish_support_of(walk->problem, x, walk->support);
    int is_same = same_support(entry, size, walk->support);
    int is_best = isless(objective, entry->objective);

    entry->visits++;
    entry->agreeing = is_best && !is_same ? 1 : entry->agreeing + is_same;
    entry->worst = fmax(entry->worst, objective);
    if (is_best || is_same) {
        entry->outcome = outcome;
    }
    if (is_best) {
        store(walk, entry, size, x, objective);
    }
}

/* ---- starts --------------------------------------------------------------------------------------------------- */

static spgm_error fit(struct walk *walk, int64_t size, spgm_status *status) {
    return exchange_fit(walk->exchange, size, walk->support, walk->x, status);
}

/* Let the `count` best priced columns into walk->support; returns its new size. */
static int64_t enter(struct walk *walk, int64_t size, int64_t count) {
    int64_t n = walk->problem->A->columns;

    exchange_model(walk->exchange, 0);
    for (int64_t j = 0; j < n; j++) {
        walk->keys[j] = exchange_gain(walk->exchange, j);
    }
    count = count < n ? count : n;
    select_largest(n, walk->keys, count, walk->chosen, walk->scratch);
    for (int64_t i = 0; i < count; i++) {
        if (walk->keys[walk->chosen[i]] > 0) {
            walk->support[size++] = walk->chosen[i];
        }
    }
    return size;
}

/* walk->x: the point of `below` with columns added up to `sparsity`, fitted. */
static spgm_error grow(struct walk *walk, const struct path_entry *below, int64_t sparsity, spgm_status *status) {
    int64_t free_count = walk->problem->free_count;
    int64_t size = below->size;
    int64_t target = sparsity + free_count;
    int64_t batch = (target - size + STAGES - 1) / STAGES;
    spgm_error error;

    unpack(walk, below);
    memcpy(walk->support, below->columns, sizeof(int64_t) * (size_t)size);
    error = fit(walk, size, status);
    while (error == SPGM_OK && size < target && !must_stop(walk)) {
        int64_t grown = enter(walk, size, target - size < batch ? target - size : batch);

        if (grown == size) {
            break;
        }
        size = grown;
        vector_copy(walk->problem->A->columns, walk->exchange->x, walk->x);
        error = fit(walk, size, status);
    }
    vector_copy(walk->problem->A->columns, walk->exchange->x, walk->x);
    return error;
}

/* The positions in the support of the `count` columns that cost least, into walk->chosen. */
static void cheapest(struct walk *walk, int64_t count) {
    for (int64_t i = 0; i < walk->exchange->size; i++) {
        walk->keys[i] = -exchange_cost(walk->exchange, i);
    }
    select_largest(walk->exchange->size, walk->keys, count, walk->chosen, walk->scratch);
}

/* walk->support: that of the fit at hand without the positions chosen [count], ascending. Returns its size. */
static int64_t support_without(struct walk *walk, int64_t count, const int64_t *chosen) {
    int64_t size = 0;
    int64_t next = 0;

    for (int64_t i = 0; i < walk->exchange->size; i++) {
        if (next < count && chosen[next] == i) {
            next++;
        } else {
            walk->support[size++] = walk->exchange->support[i];
        }
    }
    return size;
}

/* The last column to leave: the DROPS cheapest are tried, the best of the fits is in walk->x. */
static spgm_error drop_last(struct walk *walk, spgm_status *status) {
    struct exchange *exchange = walk->exchange;
    int64_t n = walk->problem->A->columns;
    int64_t counted = exchange->size - walk->problem->free_count;
    int64_t tries = counted < DROPS ? counted : DROPS;
    int64_t columns[DROPS], all = exchange->size;
    double best = INFINITY;
    spgm_error error = SPGM_OK;

    cheapest(walk, tries); /* uses walk->scratch, which is the place of the best fit from here on */
    memcpy(walk->support, exchange->support, sizeof(int64_t) * (size_t)all);
    for (int64_t t = 0; t < tries; t++) {
        columns[t] = walk->chosen[t];
    }
    vector_copy(n, exchange->x, walk->x);
    for (int64_t t = 0; error == SPGM_OK && t < tries && (t == 0 || !must_stop(walk)); t++) {
        int64_t left = walk->support[columns[t]];

        walk->support[columns[t]] = walk->support[all - 1];
        error = fit(walk, all - 1, status);
        walk->support[columns[t]] = left;
        if (error == SPGM_OK && (t == 0 || isless(exchange->objective, best))) {
            best = exchange->objective;
            vector_copy(n, exchange->x, walk->scratch);
        }
    }
    vector_copy(n, walk->scratch, walk->x);
    return error;
}

/* walk->x: the point of `above` with columns dropped down to `sparsity`, fitted. */
static spgm_error shrink(struct walk *walk, const struct path_entry *above, int64_t sparsity, spgm_status *status) {
    int64_t target = sparsity + walk->problem->free_count;
    int64_t batch = (above->size - target + STAGES - 1) / STAGES;
    int64_t size = above->size;
    spgm_error error = SPGM_OK;

    unpack(walk, above);
    memcpy(walk->support, above->columns, sizeof(int64_t) * (size_t)size);
    if (size > target) {
        error = fit(walk, size, status);
    }
    while (error == SPGM_OK && size > target) {
        int64_t leaving = size - target < batch ? size - target : batch;

        exchange_model(walk->exchange, 0); /* where it fails the cost is x_j^2 */
        if (size - 1 == target) {
            return drop_last(walk, status);
        }
        leaving = leaving == size - target ? leaving - (leaving > 1) : leaving;
        cheapest(walk, leaving);
        vector_copy(walk->problem->A->columns, walk->exchange->x, walk->x);
        size = support_without(walk, leaving, walk->chosen);
        error = fit(walk, size, status);
    }
    return error;
}

/* ---- visits --------------------------------------------------------------------------------------------------- */

static int is_auto(const struct walk *walk) {
    return walk->method == &method_auto;
}

/* Every column may be in, or none that counts: the exact fit is the optimum. */
static int is_convex(const struct walk *walk) {
    return walk->entry->sparsity == 0 || walk->entry->sparsity >= problem_candidates(walk->problem);
}

static spgm_error visit_convex(struct walk *walk, spgm_status *status) {
    const struct exchange *exchange = walk->exchange;
    int64_t size = 0;
    spgm_error error;

    for (int64_t j = 0; j < walk->problem->A->columns; j++) {
        if (walk->entry->sparsity > 0 || walk->problem->is_free[j]) {
            walk->support[size++] = j;
        }
    }
    error = fit(walk, size, status);
    if (error == SPGM_OK) {
        keep(walk, exchange->x, exchange->objective, SPGM_OPTIMAL);
        walk->entry->bound = exchange->bound;
    }
    return error;
}

/* How many supports there are to choose from, as far as that is below `limit`. */
static double supports(const struct walk *walk, double limit) {
    double n = (double)problem_candidates(walk->problem);
    double s = fmin((double)walk->entry->sparsity, n - (double)walk->entry->sparsity);
    double count = 1;

    for (double i = 1; i <= s && count < limit; i++) {
        count *= (n - s + i) / i;
    }
    return count;
}

/* Few enough supports to fit them all. */
static int is_enumerable(const struct walk *walk) {
    double limit = SUPPORTS * (double)effort(walk->path);

    return is_auto(walk) && supports(walk, limit + 1) <= limit;
}

/* The next choice of s numbers below n in lexical order; 0 after the last. */
static int next_choice(int64_t s, int64_t n, int64_t *choice) {
    int64_t i = s - 1;

    while (i >= 0 && choice[i] == n - s + i) {
        i--;
    }
    if (i < 0) {
        return 0;
    }
    choice[i]++;
    for (i++; i < s; i++) {
        choice[i] = choice[i - 1] + 1;
    }
    return 1;
}

/* walk->support: the free columns, then those that count and whose numbers among these are chosen. */
static int64_t support_of_choice(struct walk *walk, int64_t s, const int64_t *choice) {
    const struct problem *problem = walk->problem;
    int64_t size = 0, number = 0, next = 0;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        if (problem->is_free[j]) {
            walk->support[size++] = j;
        } else if (next < s && choice[next] == number++) {
            walk->support[size++] = j;
            next++;
        }
    }
    return size;
}

/* All supports: the best one is the optimum, and the lowest of their bounds proves it. */
static spgm_error visit_all(struct walk *walk, spgm_status *status) {
    const struct exchange *exchange = walk->exchange;
    int64_t s = walk->entry->sparsity;
    double bound = INFINITY, best = INFINITY;
    spgm_error error = SPGM_OK;
    int has_more = 1;

    for (int64_t i = 0; i < s; i++) {
        walk->chosen[i] = i;
    }
    while (error == SPGM_OK && has_more && (isinf(best) || !must_stop(walk))) {
        error = fit(walk, support_of_choice(walk, s, walk->chosen), status);
        bound = fmin(bound, exchange->bound);
        if (error == SPGM_OK && isless(exchange->objective, best)) {
            best = exchange->objective;
            vector_copy(walk->problem->A->columns, exchange->x, walk->scratch);
        }
        has_more = next_choice(s, problem_candidates(walk->problem), walk->chosen);
    }
    if (error == SPGM_OK) {
        walk->entry->bound = has_more ? -INFINITY : bound;
        keep(walk, walk->scratch, best, has_more ? walk->stop : SPGM_OPTIMAL);
    }
    return error;
}

static void run_prepare(struct run *run, struct walk *walk, double deadline) {
    run->progress = walk->path->progress == NULL ? NULL : tick;
    run->progress_context = walk;
    run->interrupted = walk->path->stop;
    run->deadline = fmin(deadline, walk->deadline);
    run->phase = walk->phase;
    vector_copy(walk->problem->A->columns, walk->x, run->x);
}

/* The end of a run of another method than auto, fitted exactly when the options ask for it. */
static spgm_error polish_end(struct walk *walk, struct run *run, spgm_status *status) {
    int64_t size = polish_support_of(walk->problem, run->best_x, walk->support);
    spgm_error error = exchange_fit(walk->exchange, size, walk->support, run->best_x, status);

    if (error == SPGM_OK) {
        run_offer(run, walk->exchange->x, walk->exchange->objective);
    }
    return error;
}

static spgm_error run_method(struct walk *walk, double deadline, struct workspace *workspace, spgm_status *status) {
    struct run run;
    struct point point;
    spgm_error error;

    run_init(&run, walk->problem, walk->entry->sparsity, &walk->path->options, workspace);
    point_init(&point, walk->problem, workspace);
    if (workspace->failed) {
        return status_memory(status, workspace->bytes);
    }
    run_prepare(&run, walk, deadline);
    run_start(&run, &point);
    error = is_auto(walk) ? local_search(&run, status) : walk->method->run(&run, status);
    if (error == SPGM_OK && !is_auto(walk) && walk->path->options.polish) {
        error = polish_end(walk, &run, status);
    }
    if (error != SPGM_OK) {
        return error;
    }
    if (run.outcome == SPGM_INTERRUPTED) {
        walk->stop = SPGM_INTERRUPTED;
    }
    walk->entry->iterations += run.iterations;
    keep(walk, run.best_x, run.best_objective, run.outcome);
    return SPGM_OK;
}

/* From the start in walk->x. */
static spgm_error visit(struct walk *walk, double deadline, spgm_status *status) {
    struct workspace workspace = {0};
    spgm_error error = is_convex(walk)       ? visit_convex(walk, status)
                       : is_enumerable(walk) ? visit_all(walk, status)
                                             : run_method(walk, deadline, &workspace, status);

    workspace_free(&workspace);
    return error;
}

/* The time that the first pass gives to entry i: an equal share of what is left. */
static double share(const struct walk *walk, int64_t i) {
    double now = clock_seconds();

    return now + (walk->deadline - now) / (double)(walk->path->count - i);
}

static spgm_error step_up(struct walk *walk, int64_t i, int is_first, spgm_status *status) {
    struct path_entry *below = i == 0 ? NULL : &walk->path->entries[i - 1];
    double deadline = is_first ? share(walk, i) : INFINITY;
    spgm_error error = SPGM_OK;

    if (below != NULL) {
        below->is_news[UPWARDS] = 0;
    }
    if (is_convex(walk) || is_enumerable(walk)) {
        return walk->entry->outcome == SPGM_OPTIMAL ? SPGM_OK : visit(walk, deadline, status);
    }
    if (below != NULL) {
        error = grow(walk, below, walk->entry->sparsity, status);
    } else {
        struct path_entry none = {
            .size = walk->problem->free_count, .columns = walk->problem->free_columns, .values = walk->scratch};

        memset(walk->scratch, 0, sizeof(double) * (size_t)walk->problem->A->columns);
        error = grow(walk, &none, walk->entry->sparsity, status);
    }
    return error != SPGM_OK ? error : visit(walk, deadline, status);
}

static spgm_error step_down(struct walk *walk, int64_t i, spgm_status *status) {
    struct path_entry *above = &walk->path->entries[i + 1];
    spgm_error error;

    above->is_news[DOWNWARDS] = 0;
    if (walk->entry->outcome == SPGM_OPTIMAL) {
        return SPGM_OK;
    }
    error = shrink(walk, above, walk->entry->sparsity, status);
    return error != SPGM_OK ? error : visit(walk, INFINITY, status);
}

/* ---- passes --------------------------------------------------------------------------------------------------- */

/* Nothing may be worse than what is below it: the point below is feasible here. */
static void inherit(struct walk *walk, int64_t i) {
    const struct path_entry *below = &walk->path->entries[i - 1];
    struct path_entry *entry = &walk->path->entries[i];

    if (isless(below->objective, entry->objective)) {
        unpack(walk, below);
        memcpy(walk->support, below->columns, sizeof(int64_t) * (size_t)below->size);
        store(walk, entry, below->size, walk->x, below->objective);
        entry->outcome = walk->stop != SPGM_NOT_RUN ? walk->stop : SPGM_SEARCHED;
    }
}

static spgm_error pass_up(struct walk *walk, int is_first, spgm_status *status) {
    struct spgm_path *path = walk->path;
    spgm_error error = SPGM_OK;

    walk->phase = is_first ? "forwards" : "forwards again";
    for (int64_t i = 0; error == SPGM_OK && i < path->count; i++) {
        double began = clock_seconds();

        walk->entry = &path->entries[i];
        if (i == 0 ? is_first : !must_stop(walk) && (is_first || path->entries[i - 1].is_news[UPWARDS])) {
            error = step_up(walk, i, is_first, status);
            visited(walk);
        }
        if (error == SPGM_OK && i > 0) {
            inherit(walk, i);
        }
        walk->entry->seconds += clock_seconds() - began;
    }
    return error;
}

static spgm_error pass_down(struct walk *walk, spgm_status *status) {
    struct spgm_path *path = walk->path;
    spgm_error error = SPGM_OK;

    walk->phase = "backwards";
    for (int64_t i = path->count - 2; error == SPGM_OK && i >= 0 && !must_stop(walk); i--) {
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

static int has_news(const struct spgm_path *path, int direction) {
    int64_t first = direction == UPWARDS ? 0 : 1;
    int64_t last = direction == UPWARDS ? path->count - 2 : path->count - 1;

    for (int64_t i = first; i <= last; i++) {
        if (path->entries[i].is_news[direction]) {
            return 1;
        }
    }
    return 0;
}

spgm_error path_walk(struct spgm_path *path, const struct problem *framed, spgm_status *status) {
    struct walk walk;
    spgm_error error = walk_init(&walk, path, framed, status);
    int64_t rounds = 1 + effort(path);

    if (error == SPGM_OK) {
        error = pass_up(&walk, 1, status);
    }
    for (int64_t round = 0; error == SPGM_OK && round < rounds && !must_stop(&walk); round++) {
        if (has_news(path, DOWNWARDS)) {
            error = pass_down(&walk, status);
        }
        if (error == SPGM_OK) {
            error = pass_up(&walk, 0, status);
        }
        if (!has_news(path, DOWNWARDS)) {
            break;
        }
    }
    exchange_free(walk.exchange);
    workspace_free(&walk.workspace);
    return error;
}
