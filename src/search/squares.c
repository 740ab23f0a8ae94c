#include "search/squares.h"

#include <math.h>

#include "linalg/vector.h"
#include "search/constants.h"
#include "search/exchange.h"

struct squares {
    struct problem problem;
    struct run run;
    struct exchange *exchange;
    struct workspace workspace;
    int is_open; /* the first restart is the descent from the start */
};

static int is_of_use(const struct run *run) {
    const struct problem *p = run->problem;

    return !p->h.kind->is_quadratic && p->lower == NULL && p->set.is_plain && p->set.largest <= 1 &&
           (double)p->A->rows * (double)run_capacity(run) <= SQUARES_ROOM;
}

static spgm_error start(struct squares *q, const struct run *run, uint64_t stream, spgm_status *status) {
    struct workspace *w = &q->workspace;
    const struct problem *p = run->problem;
    struct point point;
    spgm_error error;

    point_init(&point, p, w);
    if (w->failed) {
        return status_memory(status, w->bytes);
    }
    point_set(&point, run->best_x);
    problem_squares(p, point.residual, w, &q->problem);
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

spgm_error squares_new(const struct run *run, uint64_t stream, struct squares **squares, spgm_status *status) {
    struct squares *q;
    spgm_error error;

    *squares = NULL;
    if (!is_of_use(run)) {
        return SPGM_OK;
    }
    q = memory_array(1, sizeof *q);
    error = q == NULL ? status_memory(status, sizeof *q) : start(q, run, stream, status);
    if (error != SPGM_OK) {
        squares_free(q);
        return error;
    }
    *squares = q;
    return SPGM_OK;
}

void squares_free(struct squares *q) {
    if (q != NULL) {
        exchange_free(q->exchange);
        workspace_free(&q->workspace);
        memory_free(q);
    }
}

int squares_restart(struct squares *q) {
    double before = q->run.best_objective;

    if (!q->is_open) {
        q->is_open = 1;
        vector_copy(q->problem.A->columns, q->run.best_x, q->run.x);
        exchange_start(q->exchange, q->run.x, 0, INFINITY);
    } else {
        exchange_restart(q->exchange);
    }
    return isless(q->run.best_objective, before - exchange_margin(q->exchange, before)) || isinf(before);
}

const double *squares_best(const struct squares *q) {
    return q->run.best_x;
}

double squares_objective(const struct squares *q) {
    return q->run.best_objective;
}

double squares_spent(const struct squares *q) {
    return q->run.spent;
}

spgm_error squares_error(const struct squares *q, spgm_status *status) {
    return exchange_error(q->exchange, status);
}
