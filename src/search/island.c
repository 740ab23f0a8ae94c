#include "search/island.h"

#include <math.h>

#include "linalg/vector.h"
#include "search/constants.h"

/* Without a linear or smooth term F is never negative, so a perfect fit cannot be improved. */
static int is_perfect(const struct island *i) {
    const struct smooth *f = &i->run->problem->f;

    return f->linear == NULL && f->term == NULL &&
           islessequal(i->run->best_objective, i->run->problem->h.kind->perfect * i->zero);
}

int island_is_over(struct island *i) {
    return i->error != SPGM_OK || i->run->outcome == SPGM_INTERRUPTED || i->run->spent >= i->run->allowance ||
           is_perfect(i) || run_must_stop(i->run);
}

/* Keep the first error of the searches. */
static void look(struct island *i) {
    if (i->error == SPGM_OK) {
        i->error = exchange_error(i->exchange, &i->status);
    }
    for (int64_t k = 0; k < MOST_COMPANIONS; k++) {
        if (i->error == SPGM_OK && i->companions[k].search != NULL) {
            i->error = companion_error(i->companions[k].search, &i->status);
        }
    }
}

/* ---- begin ------------------------------------------------------------------------------------------------ */

static void begin(struct island *i, struct run *run, double zero) {
    i->run = run;
    i->zero = zero;
    i->tallied = INFINITY;
    i->worst = -INFINITY;
    for (int64_t k = 0; k < MOST_COMPANIONS; k++) {
        i->companions[k] = (struct visitor){.known = INFINITY, .floor = INFINITY};
    }
}

/* The random streams of the companions begin at `stream`. Without a time limit only squares and the search among some
 * of the rows are visited. */
static spgm_error take_companions(struct island *i, uint64_t stream, spgm_status *status) {
    spgm_error error = SPGM_OK;

    for (int64_t k = 0; k < MOST_COMPANIONS && error == SPGM_OK; k++) {
        if (k > 0 && k != OF_FEW_ROWS && !run_goes_by_time(i->run)) {
            continue;
        }
        error = companion_new(i->run, k, stream + (uint64_t)k * COMPANION_STREAM, &i->companions[k].search, status);
    }
    return error;
}

spgm_error island_first(struct island *i, struct run *run, double zero, spgm_status *status) {
    spgm_error error;

    begin(i, run, zero);
    error = exchange_new(run, &i->exchange, status);
    return error == SPGM_OK ? take_companions(i, 1, status) : error;
}

static spgm_error take_run(struct island *i, const struct run *beside, int64_t number, const double *x,
                           double objective) {
    run_init(&i->own, beside->problem, beside->sparsity, beside->options, &i->workspace);
    if (i->workspace.failed) {
        return status_memory(&i->status, i->workspace.bytes);
    }
    random_seed(&i->own.random, (uint64_t)beside->options->seed, ISLAND_STREAM + 2 * (uint64_t)number);
    i->own.phase = beside->phase;
    i->own.interrupted = beside->interrupted;
    i->own.called_off = beside->called_off;
    i->own.began = beside->began;
    i->own.deadline = beside->deadline;
    run_offer(&i->own, x, objective);
    return SPGM_OK;
}

void island_settle(struct island *i, const struct run *beside, int64_t number, double zero, const double *x,
                   double objective) {
    begin(i, &i->own, zero);
    i->error = take_run(i, beside, number, x, objective);
    if (i->error == SPGM_OK) {
        i->error = exchange_new(&i->own, &i->exchange, &i->status);
    }
    if (i->error == SPGM_OK) {
        i->error = take_companions(i, ISLAND_STREAM + 2 * (uint64_t)number + 1, &i->status);
    }
    if (i->error == SPGM_OK) {
        exchange_settle(i->exchange, i->own.best_x);
        look(i);
    }
}

void island_free(struct island *i) {
    exchange_free(i->exchange);
    for (int64_t k = 0; k < MOST_COMPANIONS; k++) {
        companion_free(i->companions[k].search);
    }
    workspace_free(&i->workspace);
}

/* ---- what is known ---------------------------------------------------------------------------------------- */

/* Count a start that began at a support with F = origin and ended at F. */
static void tally(struct island *i, double origin, double F) {
    double best = i->run->best_objective, same = best + SAME * fabs(best);

    i->restarts++;
    if (isless(best, i->tallied - SAME * fabs(i->tallied))) {
        i->agreeing = i->arrivals = 0;
    }
    i->tallied = best;
    i->agreeing += islessequal(F, same);
    i->arrivals += islessequal(F, same) && isgreater(origin, same);
    i->worst = isgreater(F, i->worst) ? F : i->worst;
}

void island_tally(struct island *i) {
    tally(i, INFINITY, exchange_objective(i->exchange));
}

void island_adopt(struct island *i, const double *x, double objective) {
    double lowest = exchange_lowest(i->exchange);

    if (!i->run->problem->h.kind->is_quadratic && isless(objective, lowest - exchange_margin(i->exchange, lowest))) {
        run_offer(i->run, x, objective);
        exchange_settle(i->exchange, x);
        look(i);
    }
}

/* ---- turns ------------------------------------------------------------------------------------------------ */

static void begin_turn(struct island *i) {
    i->before = i->run->best_objective;
    i->spent = i->run->spent;
}

/* *work: the work counter of the search whose turn it was. Returns whether the turn has lowered the best F. */
static int end_turn(struct island *i, double *work) {
    int is_lower = isless(i->run->best_objective, i->before - exchange_margin(i->exchange, i->before));

    *work += i->run->spent - i->spent;
    if (is_lower) {
        i->work = 0;
        i->quiet = 0;
        for (int64_t k = 0; k < MOST_COMPANIONS; k++) {
            i->companions[k].work = 0;
        }
    }
    return is_lower;
}

/* Is it time to visit this companion? Squares are visited at intervals, which grow while visits do not lower F. Few
 * rows are visited as soon as the search on all rows stands still, up to their share of the work. Under a time limit
 * every other companion, and squares as well, also gets its share of the work. */
static int is_due(struct island *i, struct visitor *v) {
    if (v->search == NULL) {
        return 0;
    }
    if (companion_is_on_squares(v->search) && v->visit-- == 0) {
        return 1;
    }
    if (companion_is_of_few_rows(v->search)) {
        return !companion_is_closed(v->search) && i->quiet >= FEW_ROWS_AFTER && v->work < FEW_ROWS_SHARE * i->work;
    }
    return run_goes_by_time(i->run) && (i->restarts >= SHARE_AFTER || i->run->spent >= SHARE_AFTER_WORK) &&
           v->work < COMPANION_SHARE * i->work;
}

/* The companion to be visited next; NULL: a restart on the loss. */
static struct visitor *next_turn(struct island *i) {
    for (int64_t k = 0; k < MOST_COMPANIONS; k++) {
        if (is_due(i, &i->companions[k])) {
            return &i->companions[k];
        }
    }
    return NULL;
}

/* ---- companions ------------------------------------------------------------------------------------------- */

double island_worthwhile(const struct island *i) {
    double best = i->run->best_objective;

    return best + (WORTHWHILE - 1) * fabs(best);
}

void island_improve(struct island *i, const double *x) {
    exchange_start(i->exchange, x, 0, island_worthwhile(i));
    island_tally(i);
    look(i);
}

/* Whether the lowest end of a companion is worth a fit for the loss. Among some of the rows F is a lower bound on F
 * over all rows, so it must be below the best; on another companion it must be near the lowest end of all islands. */
static int is_promising(const struct island *i, const struct visitor *v) {
    double F = companion_objective(v->search), best = i->run->best_objective;

    return companion_is_of_few_rows(v->search) ? isless(F, best - exchange_margin(i->exchange, best))
                                               : islessequal(F, v->floor + companion_near(v->search) * fabs(v->floor));
}

/* Fit the end of a search among some of the rows on all rows, and add the rows that it broke. */
static void judge(struct island *i, struct companion *few) {
    double spent = companion_spent(few);

    exchange_start(i->exchange, companion_best(few), 0, i->run->best_objective);
    island_tally(i);
    look(i);
    if (!island_is_over(i)) {
        i->error = companion_learn(few, i->run, &i->status);
        i->run->spent += companion_spent(few) - spent;
    }
}

static void improve_found(struct island *i, struct visitor *v) {
    if (v->found && !island_is_over(i) && is_promising(i, v)) {
        v->found = 0;
        if (companion_is_of_few_rows(v->search)) {
            judge(i, v->search);
        } else {
            island_improve(i, companion_best(v->search));
        }
    }
}

/* Companions continue from the best model of the loss, except for squares, whose search goes its own way. */
static void begin_visit(struct island *i, struct visitor *v) {
    begin_turn(i);
    i->visited = v;
    i->tries = i->idle = 0;
    if (!companion_is_on_squares(v->search) && isless(i->before, v->known)) {
        double spent = companion_spent(v->search);

        v->known = i->before;
        companion_adopt(v->search, i->run->best_x);
        i->run->spent += companion_spent(v->search) - spent;
    }
}

/* If a visit has not lowered F, the pause before the next one doubles. */
static void end_visit(struct island *i) {
    struct visitor *v = i->visited;

    improve_found(i, v);
    i->visited = NULL;
    v->has_visited = 1;
    if (end_turn(i, &v->work)) {
        v->pause = 0;
    } else if (v->pause < MOST_PAUSE) {
        v->pause = 2 * v->pause + 1;
    }
    v->visit = v->pause;
}

/* Whether the visit is over. Later visits to squares may be longer, because restarts there take little time. */
static int is_long_enough(const struct island *i) {
    const struct visitor *v = i->visited;
    int64_t times = companion_is_on_squares(v->search) && v->has_visited ? SQUARES_TIMES : 1;

    return i->tries >= (v->has_visited ? times * VISIT_MOST : VISIT_FIRST) || i->idle >= times * VISIT_IDLE;
}

/* One restart on the companion. After the last one of the visit, its lowest end is tried for the loss. */
static void go_on_visiting(struct island *i) {
    struct visitor *v = i->visited;
    double spent = companion_spent(v->search);
    int is_lower = companion_restart(v->search);

    i->run->spent += companion_spent(v->search) - spent;
    i->idle = is_lower ? 0 : i->idle + 1;
    v->found |= is_lower;
    i->tries++;
    look(i);
    if (companion_is_of_few_rows(v->search) && !run_goes_by_time(i->run) && !is_lower &&
        i->tries % FEW_ROWS_TRIES == 0) {
        tally(i, INFINITY, companion_end(v->search)); /* a lower end is counted by `judge` */
    }
    if (is_long_enough(i) || (is_lower && companion_is_of_few_rows(v->search) && is_promising(i, v))) {
        end_visit(i);
    }
}

void island_visit(struct island *i) {
    if (i->companions[0].search == NULL || island_is_over(i)) {
        return;
    }
    begin_visit(i, &i->companions[0]);
    while (i->visited != NULL && !island_is_over(i)) {
        go_on_visiting(i);
    }
}

/* ---- restarts --------------------------------------------------------------------------------------------- */

static void restart(struct island *i) {
    begin_turn(i);
    i->quiet++;
    exchange_restart(i->exchange);
    tally(i, exchange_origin(i->exchange), exchange_objective(i->exchange));
    run_note(i->run, exchange_objective(i->exchange), i->run->sparsity);
    look(i);
    end_turn(i, &i->work);
}

static void take_turn(struct island *i) {
    struct visitor *next = next_turn(i);

    if (next != NULL) {
        begin_visit(i, next);
    } else {
        restart(i);
    }
}

void island_search(struct island *i, double work, int64_t restarts) {
    double until = i->run->spent + work;
    int64_t last = i->restarts + restarts;

    for (int64_t k = 0; k < MOST_COMPANIONS; k++) { /* the floor may have risen above an end that was held back */
        if (i->visited != &i->companions[k]) {
            improve_found(i, &i->companions[k]);
        }
    }
    while (i->run->spent < until && i->restarts < last && !island_is_over(i)) {
        if (i->visited != NULL) {
            go_on_visiting(i);
        } else {
            take_turn(i);
        }
    }
}
