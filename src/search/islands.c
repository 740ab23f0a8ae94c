#include "search/islands.h"

#include <math.h>
#include <pthread.h>

#include "base/parallel.h"
#include "linalg/vector.h"
#include "search/constants.h"

struct islands {
    struct run *run;
    int64_t count;
    struct island list[ISLANDS];
    struct workspace workspace;
    double *start;    /* the best x at the last meeting [columns] */
    double objective; /* its F */
    double zero;      /* h at x = 0 */
    double left;      /* multiplications that an island may still do */
    int64_t arrivals; /* see islands_arrivals */

    spgm_progress_function progress; /* those of the run, while the islands are at work */
    void *progress_context;
    pthread_t caller;
    int64_t seen; /* iterations reported to the callback in this round */
    double best;  /* the lowest F reported to it */
    atomic_int stop;
};

struct island *islands_first(struct islands *c) {
    return &c->list[0];
}

int64_t islands_arrivals(const struct islands *c) {
    return c->arrivals;
}

/* The number of islands: one if rows live elsewhere, if the columns of a support take much memory, or if the problem
 * is small. */
static int64_t count_for(const struct run *run, int64_t most) {
    const struct linop *A = run->problem->A;
    double columns = (double)run_capacity(run);

    return A->reduce == NULL && (double)A->rows * columns <= COMPANION_ROOM &&
                   (double)A->nonzeros * columns >= ISLAND_COST
               ? most
               : 1;
}

spgm_error islands_new(struct run *run, int64_t most, double zero, struct islands **islands, spgm_status *status) {
    struct islands *c = memory_array(1, sizeof *c);

    *islands = c;
    if (c == NULL) {
        return status_memory(status, sizeof *c);
    }
    c->run = run;
    run->called_off = &c->stop;
    c->count = count_for(run, most);
    c->zero = zero;
    c->start = workspace_doubles(&c->workspace, run->problem->A->columns);
    if (c->workspace.failed) {
        return status_memory(status, c->workspace.bytes);
    }
    return island_first(&c->list[0], run, zero, status);
}

void islands_free(struct islands *c) {
    if (c != NULL) {
        for (int64_t k = 0; k < c->count; k++) {
            island_free(&c->list[k]);
        }
        c->run->called_off = NULL;
        workspace_free(&c->workspace);
        memory_free(c);
    }
}

/* ---- the callback ----------------------------------------------------------------------------------------- */

/* Report the progress of an island as that of the run. */
static int hear(const spgm_progress *progress, void *context) {
    struct islands *c = context;
    spgm_progress mine = *progress;

    if (!pthread_equal(pthread_self(), c->caller) || atomic_load(&c->stop)) {
        return atomic_load(&c->stop);
    }
    c->best = fmin(c->best, progress->best);
    mine.best = c->best;
    mine.iteration = c->seen++;
    if (c->progress(&mine, c->progress_context)) {
        atomic_store(&c->stop, 1);
    }
    return atomic_load(&c->stop);
}

static void listen(struct islands *c, struct run *run) {
    run->progress = c->progress == NULL ? NULL : hear;
    run->progress_context = c;
}

/* ---- meetings --------------------------------------------------------------------------------------------- */

/* Count the starts that ended at the best F. If an island's best is not the best of all, none of its own starts did. */
void islands_tally(struct islands *c) {
    struct run *run = c->run;
    double best = run->best_objective, worst = -INFINITY;

    run->restarts = run->agreeing = c->arrivals = 0;
    for (int64_t k = 0; k < c->count; k++) {
        const struct island *i = &c->list[k];

        run->restarts += i->restarts;
        if (islessequal(i->tallied, best + SAME * fabs(best))) {
            run->agreeing += i->agreeing;
            c->arrivals += i->arrivals;
        }
        worst = i->restarts > 0 ? fmax(worst, i->worst) : worst;
    }
    run->spread = isgreater(fabs(best), 0) && run->restarts > 0 ? fmax(0, (worst - best) / fabs(best)) : 0;
}

/* Share the work that is left among the islands. */
static void allot(struct islands *c, double *spent, int64_t *iterations) {
    struct run *run = c->run;

    c->left = (run->allowance - run->spent) / (double)c->count;
    for (int64_t k = 0; k < c->count; k++) {
        struct island *i = &c->list[k];

        spent[k] = i->run == NULL ? 0 : i->run->spent;
        iterations[k] = i->run == NULL ? 0 : i->run->iterations;
        if (k > 0) {
            i->own.allowance = i->own.spent + c->left;
        }
    }
}

/* Merge the work and the best models of the islands, in their order. */
static spgm_error merge(struct islands *c, const double *spent, const int64_t *iterations, spgm_status *status) {
    struct run *run = c->run;
    spgm_error error = SPGM_OK;

    for (int64_t k = 0; k < c->count; k++) {
        struct island *i = &c->list[k];

        if (k > 0) {
            run_offer(run, i->own.best_x, i->own.best_objective);
            run->spent += i->own.spent - spent[k];
            run->iterations += i->own.iterations - iterations[k];
        }
        if (error == SPGM_OK && i->error != SPGM_OK) {
            error = i->error;
            if (status != NULL) {
                *status = i->status;
            }
        }
    }
    return error;
}

/* The lowest F on a companion, over all islands that have visited it. */
static double floor_of(const struct islands *c, int64_t companion) {
    double floor = INFINITY;

    for (int64_t k = 0; k < c->count; k++) {
        const struct companion *search = c->list[k].companions[companion].search;

        floor = search == NULL ? floor : fmin(floor, companion_objective(search));
    }
    return floor;
}

static void set_floor(struct islands *c, int64_t companion, double floor) {
    for (int64_t k = 0; k < c->count; k++) {
        c->list[k].companions[companion].floor = floor;
    }
}

/* Tell every island the best model and the floors of the companions before it continues. */
static void tell(struct islands *c) {
    vector_copy(c->run->problem->A->columns, c->run->best_x, c->start);
    c->objective = c->run->best_objective;
    for (int64_t q = 0; q < MOST_COMPANIONS; q++) {
        set_floor(c, q, floor_of(c, q));
    }
}

/* A round: what all islands do before they meet again. It exists for that long. */
struct round {
    struct islands *islands;
    int64_t restarts;                    /* for a search: restarts */
    struct alone *alone[ISLANDS];        /* for methods: one environment for each island */
    const struct method *const *methods; /* for methods [method_count] */
    int method_count;
};

/* Run `body` on all islands, and meet. The callback sees the run as a whole. */
static spgm_error together(struct round *round, void (*body)(void *context, int64_t first, int64_t last),
                           spgm_status *status) {
    struct islands *c = round->islands;
    struct run *run = c->run;
    spgm_progress_function progress = run->progress;
    void *context = run->progress_context;
    double spent[ISLANDS], allowance = run->allowance;
    int64_t iterations[ISLANDS];
    spgm_error error;

    allot(c, spent, iterations);
    tell(c);
    run->allowance = run->spent + c->left;
    c->progress = progress;
    c->progress_context = context;
    c->caller = pthread_self();
    c->seen = run->iterations + 1;
    c->best = run->problem->objective_unit * run->best_objective;
    listen(c, run);
    for (int64_t k = 1; k < c->count; k++) {
        listen(c, &c->list[k].own);
    }
    parallel_for(run->problem->team, c->count, 1, body, round);
    run->progress = progress;
    run->progress_context = context;
    run->allowance = allowance;
    error = merge(c, spent, iterations, status);
    islands_tally(c);
    if (atomic_load(&c->stop)) {
        run->outcome = SPGM_INTERRUPTED;
    }
    return error;
}

/* ---- rounds ----------------------------------------------------------------------------------------------- */

/* The first island improves its two starts. The others begin on companions and hold back what they find there until all
 * have met. On one thread the first island comes first. */
static void open_island(void *context, int64_t k, int64_t last) {
    struct islands *c = ((struct round *)context)->islands;
    struct island *i = &c->list[k];

    (void)last;
    if (k > 0) {
        island_settle(i, c->run, k, c->zero, c->start, c->objective);
        i->own.allowance = c->left;
        for (int64_t q = 0; q < MOST_COMPANIONS; q++) {
            i->companions[q].floor = -INFINITY;
        }
        island_search(i, ROUND_WORK / 2, 1);
        return;
    }
    island_visit(i);
    if (!island_is_over(i)) {
        exchange_descend_starts(i->exchange, i->companions[0].search == NULL ? INFINITY : island_worthwhile(i));
    }
    island_tally(i);
    i->error = i->error == SPGM_OK ? exchange_error(i->exchange, &i->status) : i->error;
}

spgm_error islands_open(struct islands *c, const double *x, spgm_status *status) {
    struct island *first = islands_first(c);
    spgm_error error;

    exchange_begin(first->exchange, x);
    error = exchange_error(first->exchange, status);
    return error == SPGM_OK ? together(&(struct round){.islands = c}, open_island, status) : error;
}

static void search_island(void *context, int64_t k, int64_t last) {
    const struct round *round = context;
    struct island *i = &round->islands->list[k];

    (void)last;
    island_adopt(i, round->islands->start, round->islands->objective);
    island_search(i, ROUND_WORK, round->restarts);
}

spgm_error islands_round(struct islands *c, int64_t restarts, spgm_status *status) {
    return together(&(struct round){.islands = c, .restarts = restarts}, search_island, status);
}

/* ---- methods ---------------------------------------------------------------------------------------------- */

static void try_methods(void *context, int64_t k, int64_t last) {
    const struct round *round = context;
    struct island *i = &round->islands->list[k];

    (void)last;
    for (int64_t m = k; m < round->method_count && !island_is_over(i); m += round->islands->count) {
        i->error = alone_run(round->alone[k], round->methods[m], i->run, &i->status);
        if (!island_is_over(i)) {
            island_improve(i, round->alone[k]->best);
        }
    }
}

spgm_error islands_try_methods(struct islands *c, struct alone *alone, int count, const struct method *const *methods,
                               spgm_status *status) {
    struct workspace workspace = {.memory = c->run->problem->A->memory};
    struct alone others[ISLANDS];
    struct round round = {.islands = c, .alone = {alone}, .methods = methods, .method_count = count};
    spgm_error error;

    for (int64_t k = 1; k < c->count; k++) {
        round.alone[k] = &others[k];
        alone_copy(&others[k], alone, &workspace);
    }
    error = workspace.failed ? status_memory(status, workspace.bytes) : together(&round, try_methods, status);
    workspace_free(&workspace);
    return error;
}
