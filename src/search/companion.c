#include "search/companion.h"

#include <math.h>

#include "linalg/vector.h"
#include "search/constants.h"
#include "search/exchange.h"
#include "search/few_rows.h"

struct companion_form;

struct companion {
    const struct companion_form *form;
    struct problem problem;
    struct run run;
    struct exchange *exchange;
    struct workspace workspace; /* memory of the problem and the run */
    struct few_rows few;        /* if it is a search among some of the rows */
    int is_closed;              /* it would take so many rows that all rows are as good */
    double counted;             /* passes over the copy of the rows that were already charged to A */
    double *end;                /* end of a search before rows were added [columns], in few */
    struct checks checks;
    double searched; /* work done by restarts */
    int is_open;     /* the first restart, which is the descent from the start, was made */
};

/* The difference between a search on a smoother loss and one among some of the rows. */
struct companion_form {
    int (*is_of_use)(const struct run *run, int64_t number);
    spgm_error (*begin)(struct companion *q, const struct run *run, int64_t number, spgm_status *status);
    void (*count)(struct companion *q); /* charge passes over its own data as passes over A */
    void (*leave)(struct companion *q); /* free what the workspace does not own */
};

/* ---- the problem and its search --------------------------------------------------------------------------------- */

/* Begin the search, from x. The memory of fits is taken now, not in the loop. */
static spgm_error begin(struct companion *q, const struct run *run, const double *x, spgm_status *status) {
    spgm_error error;

    if (!q->workspace.failed) {
        run_init(&q->run, &q->problem, run->sparsity, run->options, &q->workspace);
    }
    if (q->workspace.failed) {
        return status_memory(status, q->workspace.bytes);
    }
    q->run.interrupted = run->interrupted;
    q->run.called_off = run->called_off;
    q->run.began = run->began;
    q->run.deadline = run->deadline;
    vector_copy(q->problem.A->columns, x, q->run.best_x);
    error = exchange_new(&q->run, &q->exchange, status);
    if (error == SPGM_OK) {
        exchange_start(q->exchange, x, 0, -INFINITY);
        error = exchange_error(q->exchange, status);
    }
    return error;
}

/* ---- a smoother loss --------------------------------------------------------------------------------------------- */

/* Where few rows decide, a search among these rows replaces the power: beside it the power hardly found anything, for
 * half of the time. */
static int smoother_is_of_use(const struct run *run, int64_t number) {
    return number < problem_companions(run->problem) && (number == 0 || !few_rows_are_of_use(run));
}

static spgm_error begin_smoother(struct companion *q, const struct run *run, int64_t number, spgm_status *status) {
    struct point point;

    point_init(&point, run->problem, &q->workspace);
    if (!q->workspace.failed) {
        point_set(&point, run->best_x);
        problem_companion(run->problem, number, point.residual, &q->workspace, &q->problem);
    }
    return begin(q, run, run->best_x, status);
}

static void nothing(struct companion *q) {
    (void)q; /* it works on A itself */
}

static const struct companion_form smoother = {smoother_is_of_use, begin_smoother, nothing, nothing};

/* ---- some of the rows -------------------------------------------------------------------------------------------- */

static int few_is_of_use(const struct run *run, int64_t number) {
    (void)number;
    return few_rows_are_of_use(run);
}

static void count_few(struct companion *q) {
    if (q->problem.A != NULL) {
        const struct linop *A = q->problem.A;
        double passes = linop_passes(A);

        linop_count(q->few.whole->A, 0, (int64_t)((passes - q->counted) * (double)A->columns * (double)A->rows));
        q->counted = passes;
    }
}

static spgm_error begin_among_few(struct companion *q, const struct run *run, spgm_status *status) {
    q->workspace.memory = run->problem->A->memory;
    q->counted = 0;
    problem_of_rows(run->problem, q->few.count, q->few.rows, &q->workspace, &q->problem);
    return begin(q, run, run->best_x, status);
}

static spgm_error begin_few(struct companion *q, const struct run *run, int64_t number, spgm_status *status) {
    spgm_error error = few_rows_take(&q->few, run, status);

    (void)number;
    if (error == SPGM_OK) {
        q->end = workspace_doubles(&q->few.workspace, run->problem->A->columns);
        error = q->end == NULL ? status_memory(status, q->few.workspace.bytes) : SPGM_OK;
    }
    return error == SPGM_OK ? begin_among_few(q, run, status) : error;
}

static void leave_few(struct companion *q) {
    linop_free(q->problem.A);
    q->problem.A = NULL;
}

static const struct companion_form of_few_rows = {few_is_of_use, begin_few, count_few, leave_few};

/* ---- begin and end ----------------------------------------------------------------------------------------------- */

static int is_of_use(const struct run *run, const struct companion_form *form, int64_t number) {
    const struct problem *p = run->problem;

    return p->lower == NULL && p->set.is_plain && p->set.largest <= 1 &&
           (double)p->A->rows * (double)run_capacity(run) <= COMPANION_ROOM && form->is_of_use(run, number);
}

static spgm_error start(struct companion *q, const struct run *run, int64_t number, uint64_t stream,
                        spgm_status *status) {
    spgm_error error;

    q->workspace.memory = run->problem->A->memory;
    error = q->form->begin(q, run, number, status);
    random_seed(&q->run.random, (uint64_t)run->options->seed, stream);
    return error;
}

static void end(struct companion *q) {
    q->form->count(q);
    exchange_free(q->exchange);
    q->exchange = NULL;
    q->form->leave(q);
    workspace_free(&q->workspace);
}

spgm_error companion_new(const struct run *run, int64_t number, uint64_t stream, struct companion **companion,
                         spgm_status *status) {
    const struct companion_form *form = number == OF_FEW_ROWS ? &of_few_rows : &smoother;
    struct companion *q;
    spgm_error error;

    *companion = NULL;
    if (!is_of_use(run, form, number)) {
        return SPGM_OK;
    }
    q = memory_array(1, sizeof *q);
    if (q == NULL) {
        return status_memory(status, sizeof *q);
    }
    q->form = form;
    q->checks = (struct checks){.first = FEW_ROWS_CHECK, .of = INFINITY};
    error = start(q, run, number, stream, status);
    if (error != SPGM_OK) {
        companion_free(q);
        return error;
    }
    *companion = q;
    return SPGM_OK;
}

void companion_free(struct companion *q) {
    if (q != NULL) {
        end(q);
        few_rows_free(&q->few);
        memory_free(q);
    }
}

void companion_adopt(struct companion *q, const double *x) {
    q->is_open = 1;
    vector_copy(q->problem.A->columns, x, q->run.x);
    exchange_start(q->exchange, q->run.x, 0, INFINITY);
}

int companion_is_of_few_rows(const struct companion *q) {
    return q->form == &of_few_rows;
}

/* ---- the check of all exchanges among some of the rows ----------------------------------------------------------- */

/* Under a time limit the check has a share of the work of the companion. It is needed because the surrogate says little
 * about how far the largest residual falls, and a fit here costs a fraction of one on all rows. */
static int is_check_due(const struct companion *q) {
    if (!companion_is_of_few_rows(q) || !run_goes_by_time(&q->run) || !q->is_open) {
        return 0;
    }
    return companion_checked(q) < q->problem.set.units &&
           q->checks.spent + checks_work(&q->checks, &q->run, q->exchange) <= FEW_ROWS_CHECKS * q->searched;
}

int64_t companion_checked(const struct companion *q) {
    return checks_done(&q->checks, &q->run);
}

int companion_restart(struct companion *q) {
    double before = q->run.best_objective, spent = q->run.spent;

    if (is_check_due(q)) {
        checks_go_on(&q->checks, &q->run, q->exchange);
    } else {
        if (q->is_open) {
            exchange_restart(q->exchange);
        } else {
            companion_adopt(q, q->run.best_x);
        }
        q->searched += q->run.spent - spent;
    }
    q->form->count(q);
    return isless(q->run.best_objective, before - exchange_margin(q->exchange, before)) || isinf(before);
}

/* Begin the search again on the new rows, from the best model of the run and then from its own end. The random numbers
 * continue. */
static spgm_error begin_anew(struct companion *q, const struct run *run, spgm_status *status) {
    struct random random = q->run.random;
    double spent = q->run.spent;
    spgm_error error;

    end(q);
    q->checks.done = 0;
    error = begin_among_few(q, run, status);
    q->run.random = random;
    q->run.spent += spent;
    if (error == SPGM_OK) {
        exchange_start(q->exchange, q->end, 0, INFINITY);
        error = exchange_error(q->exchange, status);
    }
    return error;
}

spgm_error companion_learn(struct companion *q, const struct run *run, spgm_status *status) {
    int64_t count = q->few.count, broken;

    vector_copy(q->problem.A->columns, q->run.best_x, q->end);
    broken = few_rows_learn(&q->few, q->end);
    q->is_closed = broken > 0 && q->few.count == count;
    return q->few.count > count ? begin_anew(q, run, status) : SPGM_OK;
}

int companion_is_closed(const struct companion *q) {
    return q->is_closed;
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

double companion_end(const struct companion *q) {
    return exchange_objective(q->exchange);
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
