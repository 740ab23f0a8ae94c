#include "search/island.h"

#include <math.h>

#include "linalg/vector.h"
#include "search/constants.h"

/* F is never negative without a linear or smooth term, so that a perfect fit cannot be improved. */
static int is_perfect(const struct island *i) {
    const struct smooth *f = &i->run->problem->f;

    return f->linear == NULL && f->term == NULL &&
           islessequal(i->run->best_objective, i->run->problem->h.kind->perfect * i->zero);
}

int island_is_over(struct island *i) {
    return i->error != SPGM_OK || i->run->outcome == SPGM_INTERRUPTED || i->run->spent >= i->run->allowance ||
           is_perfect(i) || run_must_stop(i->run);
}

/* An error of the searches is kept. */
static void look(struct island *i) {
    if (i->error == SPGM_OK) {
        i->error = exchange_error(i->exchange, &i->status);
    }
    if (i->error == SPGM_OK && i->squares != NULL) {
        i->error = squares_error(i->squares, &i->status);
    }
}

/* ---- its beginning ---------------------------------------------------------------------------------------- */

static void begin(struct island *i, struct run *run, double zero) {
    i->run = run;
    i->zero = zero;
    i->tallied = i->floor = INFINITY;
    i->worst = -INFINITY;
}

spgm_error island_first(struct island *i, struct run *run, double zero, spgm_status *status) {
    spgm_error error;

    begin(i, run, zero);
    error = exchange_new(run, &i->exchange, status);
    return error == SPGM_OK ? squares_new(run, 1, &i->squares, status) : error;
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
        i->error = squares_new(&i->own, ISLAND_STREAM + 2 * (uint64_t)number + 1, &i->squares, &i->status);
    }
    if (i->error == SPGM_OK) {
        exchange_settle(i->exchange, i->own.best_x);
        look(i);
    }
}

void island_free(struct island *i) {
    exchange_free(i->exchange);
    squares_free(i->squares);
    workspace_free(&i->workspace);
}

/* ---- what is known ---------------------------------------------------------------------------------------- */

void island_tally(struct island *i) {
    double F = exchange_objective(i->exchange), best = i->run->best_objective;

    i->restarts++;
    if (isless(best, i->tallied - SAME * fabs(i->tallied))) {
        i->agreeing = 0;
    }
    i->tallied = best;
    i->agreeing += islessequal(F, best + SAME * fabs(best));
    i->worst = isgreater(F, i->worst) ? F : i->worst;
}

void island_adopt(struct island *i, const double *x, double objective) {
    double lowest = exchange_lowest(i->exchange);

    if (!i->run->problem->h.kind->is_quadratic && isless(objective, lowest - exchange_margin(i->exchange, lowest))) {
        run_offer(i->run, x, objective);
        exchange_settle(i->exchange, x);
        look(i);
    }
}

/* ---- squares ---------------------------------------------------------------------------------------------- */

double island_worthwhile(const struct island *i) {
    double best = i->run->best_objective;

    return best + (WORTHWHILE - 1) * fabs(best);
}

void island_improve(struct island *i, const double *x) {
    exchange_start(i->exchange, x, 0, island_worthwhile(i));
    island_tally(i);
    look(i);
}

/* The lowest end on squares, fitted for the loss, unless another island has much lower ones. */
static void improve_squares(struct island *i) {
    double best = i->found ? squares_objective(i->squares) : 0;

    if (i->found && islessequal(best, i->floor + SQUARES_NEAR * fabs(i->floor)) && !island_is_over(i)) {
        i->found = 0;
        island_improve(i, squares_best(i->squares));
    }
}

static void begin_visit(struct island *i) {
    i->is_visiting = 1;
    i->tries = i->idle = 0;
    i->before = i->run->best_objective;
}

/* Where squares led nowhere, the next visit is twice as far away. */
static void end_visit(struct island *i) {
    improve_squares(i);
    i->is_visiting = 0;
    i->has_visited = 1;
    i->pause =
        isless(i->run->best_objective, i->before - exchange_margin(i->exchange, i->before)) ? 0 : 2 * i->pause + 1;
    i->visit = i->pause;
}

/* One restart on squares, and what comes of them all after the last. */
static void go_on_visiting(struct island *i) {
    double spent = squares_spent(i->squares);
    int is_lower = squares_restart(i->squares);

    i->run->spent += squares_spent(i->squares) - spent;
    i->idle = is_lower ? 0 : i->idle + 1;
    i->found |= is_lower;
    i->tries++;
    look(i);
    if (i->tries >= (i->has_visited ? SQUARES_MOST : SQUARES_FIRST) || i->idle >= SQUARES_IDLE) {
        end_visit(i);
    }
}

void island_visit(struct island *i) {
    if (i->squares == NULL || island_is_over(i)) {
        return;
    }
    begin_visit(i);
    while (i->is_visiting && !island_is_over(i)) {
        go_on_visiting(i);
    }
}

/* ---- restarts --------------------------------------------------------------------------------------------- */

static void restart(struct island *i) {
    exchange_restart(i->exchange);
    island_tally(i);
    run_note(i->run, exchange_objective(i->exchange), i->run->sparsity);
    look(i);
}

void island_search(struct island *i, double work, int64_t restarts) {
    double until = i->run->spent + work;
    int64_t last = i->restarts + restarts;

    if (!i->is_visiting) { /* the floor may have risen above what it kept to itself */
        improve_squares(i);
    }
    while (i->run->spent < until && i->restarts < last && !island_is_over(i)) {
        if (i->is_visiting) {
            go_on_visiting(i);
        } else if (i->squares != NULL && i->visit-- == 0) {
            begin_visit(i);
        } else {
            restart(i);
        }
    }
}
