/* The current support and its fit, and how another support takes its place. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/constants.h"
#include "search/exchange/internal.h"

int exchange_late(struct exchange *a) {
    a->is_stopped = a->is_stopped || run_must_stop(a->run);
    return a->is_stopped;
}

int exchange_is_late(void *search) {
    return exchange_late(search);
}

double exchange_objective(const struct exchange *a) {
    return a->current.objective;
}

double exchange_lowest(const struct exchange *a) {
    return a->best;
}

void exchange_get_x(const struct exchange *a, double *x) {
    memset(x, 0, (size_t)a->columns * sizeof *x);
    for (int64_t k = 0; k < a->current.size; k++) {
        x[a->current.columns[k]] = a->current.x[k];
    }
}

/* Write x by position to `all`. */
static void put(struct exchange *a, int64_t size, const int64_t *columns, const double *x) {
    for (int64_t k = 0; k < size; k++) {
        a->all[columns[k]] = x[k];
    }
}

/* The same, with zeros elsewhere. */
static void scatter(struct exchange *a, int64_t size, const int64_t *columns, const double *x) {
    memset(a->all, 0, (size_t)a->columns * sizeof *a->all);
    put(a, size, columns, x);
}

static void offer(struct exchange *a) {
    struct current *c = &a->current;

    if (isless(c->objective, a->best - NEWS * fabs(a->best)) || isinf(a->best)) {
        a->best = c->objective;
        scatter(a, c->size, c->columns, c->x);
        run_offer(a->run, a->all, c->objective);
    }
}

/* ---- the support ------------------------------------------------------------------------------------------------- */

static void list_units(struct exchange *a) {
    struct current *c = &a->current;

    for (int64_t i = 0; i < c->unit_count; i++) {
        feasible_note(a->set, c->used, c->units[i], -1);
    }
    c->unit_count = 0;
    for (int64_t k = a->problem->free_count; k < c->size; k++) {
        int64_t unit = a->set->unit_of[c->columns[k]];

        if (a->is_single || c->columns[k] == unit_first(a, unit)) {
            c->units[c->unit_count++] = unit;
            feasible_note(a->set, c->used, unit, 1);
        }
    }
}

void current_load(struct exchange *a, int64_t size, const int64_t *columns) {
    struct current *c = &a->current;
    int64_t same = 0;

    for (int64_t k = 0; k < c->size; k++) {
        c->position[c->columns[k]] = -1;
    }
    while (same < size && same < c->size && c->columns[same] == columns[same]) {
        same++;
    }
    for (int64_t k = same; k < size; k++) {
        if (k >= c->size || c->columns[k] != columns[k]) {
            if (c->block != NULL) {
                linop_gather(a->problem->A, 1, &columns[k], c->block + k * a->rows, a->rows);
            }
            c->columns[k] = columns[k];
        }
    }
    c->size = size;
    for (int64_t k = 0; k < size; k++) {
        c->position[c->columns[k]] = k;
    }
    list_units(a);
    fit_set_support(a->fit, size, c->columns);
}

void current_add(const struct exchange *a, const double *d, double *r) {
    const struct current *c = &a->current;

    if (c->block != NULL) {
        dense_add_columns(a->rows, c->size, c->block, a->rows, d, r);
    } else {
        linop_add_columns(a->problem->A, c->size, c->columns, d, r);
    }
}

void current_set(struct exchange *a, const double *x) {
    struct current *c = &a->current;

    vector_copy(c->size, x, c->x);
    for (int64_t i = 0; i < a->rows; i++) {
        c->r[i] = -a->problem->b[i];
    }
    current_add(a, c->x, c->r);
}

/* ---- the fit ----------------------------------------------------------------------------------------------------- */

double current_smooth_value(struct exchange *a) {
    const struct smooth *f = &a->problem->f;
    struct current *c = &a->current;

    /* without a further term nothing reads the other columns */
    (f->term == NULL ? put : scatter)(a, c->size, c->columns, c->x);
    smooth_refresh(f, a->all, a->state);
    return smooth_value_columns(f, a->all, a->state, c->size, c->columns);
}

int current_gradient(struct exchange *a) {
    const struct smooth *f = &a->problem->f;

    if (f->linear == NULL && f->term == NULL) {
        return 0;
    }
    scatter(a, a->current.size, a->current.columns, a->current.x);
    smooth_refresh(f, a->all, a->state);
    return 1;
}

void current_prices(struct exchange *a) {
    struct current *c = &a->current;

    linop_transpose(a->problem->A, c->u, c->price);
    if (current_gradient(a)) {
        smooth_gradient(&a->problem->f, a->all, a->state, a->gradient);
        vector_axpy(a->columns, 1, a->gradient, c->price);
    }
}

void current_take(struct exchange *a) {
    struct current *c = &a->current;

    vector_copy(c->size, fit_x(a->fit), c->x);
    vector_copy(a->rows, fit_residual(a->fit), c->r);
    vector_copy(a->rows, fit_dual(a->fit), c->u);
    c->objective = fit_objective(a->fit);
    fit_get_active(a->fit, &c->active);
    c->is_rough = 0;
    sight_price(a);
    offer(a);
}

void current_warm(struct exchange *a, const double *x) {
    fit_set_x(a->fit, x);
    fit_warm(a->fit, INFINITY);
    current_take(a);
}

/* ---- an exchange ------------------------------------------------------------------------------------------------- */

/*
 * Write the support after a trial to T, and x on its line at alpha to Tx. Entering columns take the positions of
 * leaving ones; if fewer enter, the last columns fill the gaps.
 */
int64_t current_after(struct exchange *a, const struct trial *trial) {
    const struct current *c = &a->current;
    const struct surrogate *s = &a->surrogate;
    struct trials *t = &a->trials;
    int64_t begin = s->first[trial->in], end = s->first[trial->in + 1], next = begin, size = c->size, holes = 0;

    trials_line(a, trial, t->x0, t->dx);
    memcpy(a->T, c->columns, (size_t)size * sizeof *a->T);
    for (int64_t k = 0; k < size; k++) {
        a->Tx[k] = t->x0[k] + trial->alpha * t->dx[k];
    }
    for (int64_t k = a->problem->free_count; k < size; k++) {
        if (a->set->unit_of[c->columns[k]] == trial->out) {
            if (next < end) {
                a->T[k] = s->column[next];
                a->Tx[k] = t->x0[c->size + next - begin] + trial->alpha * t->dx[c->size + next - begin];
                next++;
            } else {
                t->list_columns[holes++] = k;
            }
        }
    }
    for (; next < end; next++, size++) {
        a->T[size] = s->column[next];
        a->Tx[size] = t->x0[c->size + next - begin] + trial->alpha * t->dx[c->size + next - begin];
    }
    while (holes > 0) {
        int64_t hole = t->list_columns[--holes];

        a->T[hole] = a->T[--size];
        a->Tx[hole] = a->Tx[size];
    }
    for (int64_t k = 0; k < size; k++) {
        a->Tx[k] = problem_clip(a->problem, a->T[k], a->Tx[k]);
    }
    return size;
}
