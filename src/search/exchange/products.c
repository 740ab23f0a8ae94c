/*
 * Inner products a_i'W a_j, kept. Where the weights of the surrogate never change neighbouring supports share nearly
 * all of theirs, and exchanges cost what their own arithmetic does. Columns get a place when they are first asked for,
 * with their products with all that have one; when there is no place left all are forgotten.
 */
#include <math.h>
#include <string.h>

#include "search/exchange/internal.h"

void products_take(struct exchange *a, struct workspace *w) {
    struct products *p = &a->products;
    int64_t together = a->full + a->stroll.most, least = together > a->capacity ? together : a->capacity;

    if (!a->problem->h.kind->is_quadratic || a->problem->lower != NULL || a->stroll.most == 0 ||
        least > PRODUCT_COLUMNS) {
        return;
    }
    p->most = a->columns < PRODUCT_COLUMNS ? a->columns : PRODUCT_COLUMNS;
    p->G = workspace_doubles(w, p->most * p->most);
    p->fresh = workspace_doubles(w, p->most * PRODUCT_BATCH);
    p->column = workspace_integers(w, p->most);
    p->place = workspace_integers(w, a->columns);
    p->wanted = workspace_integers(w, least);
}

static void forget(struct products *p) {
    for (int64_t i = 0; i < p->count; i++) {
        p->place[p->column[i]] = -1;
    }
    p->count = 0;
}

/* Places for columns that have none [count]; 0: the time is up. */
static int add(struct exchange *a, int64_t count, const int64_t *columns) {
    struct products *p = &a->products;
    const struct linop *A = a->problem->A;

    for (int64_t first = 0, batch; first < count; first += batch) {
        double work = (double)a->rows * (double)(p->count + PRODUCT_BATCH);
        int64_t most = (int64_t)fmax(1, fmin(PRODUCT_BATCH, PRODUCT_WORK / work)), all;

        batch = count - first < most ? count - first : most;
        all = p->count + batch;
        if (first > 0 && exchange_late(a)) {
            return 0;
        }
        memcpy(p->column + p->count, columns + first, (size_t)batch * sizeof *columns);
        linop_count(A, all * batch, 0);
        A->ops->cross(A, all, p->column, batch, columns + first, a->surrogate.weight, p->fresh, all);
        reduce_sum(A->reduce, p->fresh, all * batch);
        for (int64_t k = 0; k < batch; k++) {
            int64_t place = p->count + k;

            p->place[columns[first + k]] = place;
            memcpy(p->G + place * p->most, p->fresh + k * all, (size_t)all * sizeof *p->G);
            for (int64_t i = 0; i < all; i++) {
                p->G[i * p->most + place] = p->fresh[k * all + i];
            }
        }
        p->count = all;
    }
    return 1;
}

int products_need(struct exchange *a, int64_t count, const int64_t *columns) {
    struct products *p = &a->products;
    int64_t missing = 0;

    for (int64_t k = 0; k < count; k++) {
        missing += p->place[columns[k]] < 0;
    }
    if (p->count + missing > p->most) {
        forget(p);
    }
    missing = 0;
    for (int64_t k = 0; k < count; k++) {
        if (p->place[columns[k]] < 0) {
            p->wanted[missing++] = columns[k];
        }
    }
    return add(a, missing, p->wanted);
}

void products_row(const struct exchange *a, int64_t column, int64_t count, const int64_t *columns, double *row) {
    const struct products *p = &a->products;
    const double *G = p->G + p->place[column] * p->most;

    for (int64_t k = 0; k < count; k++) {
        row[k] = G[p->place[columns[k]]];
    }
    smooth_add_cross(&a->problem->f, 1, &column, count, columns, row, 1);
}

int products_gram(struct exchange *a, int64_t count, const int64_t *columns, double *T) {
    const struct products *p = &a->products;

    if (!products_need(a, count, columns)) {
        return 0;
    }
    for (int64_t k = 0; k < count; k++) {
        const double *G = p->G + p->place[columns[k]] * p->most;

        for (int64_t i = 0; i < count; i++) {
            T[i + k * count] = G[p->place[columns[i]]];
        }
    }
    return 1;
}
