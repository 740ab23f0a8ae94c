#include "search/companion.h"

#include <math.h>

#include "linalg/vector.h"
#include "search/constants.h"
#include "search/exchange.h"

struct companion {
    struct problem problem;
    struct run run;
    struct exchange *exchange;
    struct workspace workspace;
    int is_open; /* the first restart is the descent from the start */
};

static int is_of_use(const struct run *run, int64_t number) {
    const struct problem *p = run->problem;

    return number < problem_companions(p) && p->lower == NULL && p->set.is_plain && p->set.largest <= 1 &&
           (double)p->A->rows * (double)run_capacity(run) <= COMPANION_ROOM;
}

static spgm_error start(struct companion *q, const struct run *run, int64_t number, uint64_t stream,
                        spgm_status *status) {
    struct workspace *w = &q->workspace;
    const struct problem *p = run->problem;
    struct point point;
    spgm_error error;

    w->memory = p->A->memory;
    point_init(&point, p, w);
    if (w->failed) {
        return status_memory(status, w->bytes);
    }
    point_set(&point, run->best_x);
    problem_companion(p, number, point.residual, w, &q->problem);
    run_init(&q->run, &q->problem, run->sparsity, run->options, w);
    if (w->failed) {
        return status_memory(status, w->bytes);
    }
    random_seed(&q->run.random, (uint64_t)run->options->seed, stream);
    q->run.interrupted = run->interrupted;
    q->run.called_off = run->called_off;
    q->run.began = run->began;
    q->run.deadline = run->deadline;
    vector_copy(p->A->columns, run->best_x, q->run.best_x);
    error = exchange_new(&q->run, &q->exchange, status);
    if (error == SPGM_OK) { /* a first fit takes the memory of fits now, not in the loop */
        exchange_start(q->exchange, run->best_x, 0, -INFINITY);
        error = exchange_error(q->exchange, status);
    }
    return error;
}

spgm_error companion_new(const struct run *run, int64_t number, uint64_t stream, struct companion **companion,
                         spgm_status *status) {
    struct companion *q;
    spgm_error error;

    *companion = NULL;
    if (!is_of_use(run, number)) {
        return SPGM_OK;
    }
    q = memory_array(1, sizeof *q);
    error = q == NULL ? status_memory(status, sizeof *q) : start(q, run, number, stream, status);
    if (error != SPGM_OK) {
        companion_free(q);
        return error;
    }
    *companion = q;
    return SPGM_OK;
}

void companion_free(struct companion *q) {
    if (q != NULL) {
        exchange_free(q->exchange);
        workspace_free(&q->workspace);
        memory_free(q);
    }
}

void companion_adopt(struct companion *q, const double *x) {
    q->is_open = 1;
    vector_copy(q->problem.A->columns, x, q->run.x);
    exchange_start(q->exchange, q->run.x, 0, INFINITY);
}

int companion_restart(struct companion *q) {
    double before = q->run.best_objective;

    if (q->is_open) {
        exchange_restart(q->exchange);
    } else {
        companion_adopt(q, q->run.best_x);
    }
    return isless(q->run.best_objective, before - exchange_margin(q->exchange, before)) || isinf(before);
}

const double *companion_best(const struct companion *q) {
    return q->run.best_x;
}

int companion_is_on_squares(const struct companion *q) {
    return q->problem.h.kind->is_quadratic;
}

double companion_objective(const struct companion *q) {
    return q->run.best_objective;
}

double companion_near(const struct companion *q) {
    return COMPANION_NEAR * exchange_swing(&q->problem);
}

double companion_spent(const struct companion *q) {
    return q->run.spent;
}

spgm_error companion_error(const struct companion *q, spgm_status *status) {
    return exchange_error(q->exchange, status);
}
