/*
 * Inner products a_i'W a_j that are kept between surrogates, for weights W that never change (squared loss).
 * Neighbouring supports share nearly all of their products, so an exchange costs only its own arithmetic. A column gets
 * a place when it is first needed, with its products with all columns that have one. When no place is left, all
 * products are dropped.
 */
#include <math.h>
#include <string.h>

#include "linalg/kernels.h"
#include "search/exchange/internal.h"

void products_take(struct exchange *a, struct workspace *w) {
    struct products *p = &a->products;
    int64_t together = a->full + a->stroll.most, least = together > a->capacity ? together : a->capacity;

    a->is_steady =
        a->problem->h.kind->is_quadratic && a->problem->lower == NULL && a->stroll.most > 0 && least <= PRODUCT_COLUMNS;
    if (!a->is_steady || tour_has_image(a)) {
        return;
    }
    p->most = a->columns < PRODUCT_COLUMNS ? a->columns : PRODUCT_COLUMNS;
    p->pitch = (p->most + SINGLES - 1) / SINGLES * SINGLES + SINGLES; /* never a power of two */
    p->high = workspace_array(w, p->most * p->pitch, sizeof *p->high);
    p->low = workspace_array(w, p->most * p->pitch, sizeof *p->low);
    p->fresh = workspace_doubles(w, p->most * PRODUCT_BATCH);
    p->scale = workspace_doubles(w, p->most);
    p->column = workspace_integers(w, p->most);
    p->place = workspace_integers(w, a->columns);
    p->wanted = workspace_integers(w, least > p->most ? least : p->most);
}

static void forget(struct products *p) {
    for (int64_t i = 0; i < p->count; i++) {
        p->place[p->column[i]] = -1;
    }
    p->count = 0;
}

/* Split the new rows into both parts and store them row by row, since places lie far apart in memory. */
static void keep(struct products *p, int64_t first, int64_t count) {
    int64_t all = first + count;

    for (int64_t i = 0; i < all; i++) {
        float *high = p->high + i * p->pitch, *low = p->low + i * p->pitch;

        for (int64_t k = 0; k < count; k++) {
            double scaled = p->fresh[k * all + i] * p->scale[i] * p->scale[first + k];

            high[first + k] = (float)scaled;
            low[first + k] = (float)(scaled - (double)high[first + k]);
        }
    }
    for (int64_t k = 0; k < count; k++) {
        float *high = p->high + (first + k) * p->pitch, *low = p->low + (first + k) * p->pitch;

        for (int64_t i = 0; i < first; i++) {
            double scaled = p->fresh[k * all + i] * p->scale[i] * p->scale[first + k];

            high[i] = (float)scaled;
            low[i] = (float)(scaled - (double)high[i]);
        }
    }
}

static double product_at(const struct products *p, int64_t i, int64_t j) {
    int64_t at = i * p->pitch + j;

    return ((double)p->high[at] + (double)p->low[at]) / (p->scale[i] * p->scale[j]);
}

/* Give places to columns that have none [count]. Returns 0 if the time is up. */
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
            int64_t place = p->count + k, column = columns[first + k];
            double whole = p->fresh[k * all + place] + a->surrogate.diagonal[column];

            p->place[column] = place;
            p->scale[place] = isnormal(whole) ? 1 / sqrt(whole) : 1;
        }
        keep(p, p->count, batch);
        p->count = all;
    }
    return 1;
}

/* List the columns that have no place in `wanted`. */
static int64_t list_missing(struct products *p, int64_t count, const int64_t *columns) {
    int64_t missing = 0;

    for (int64_t k = 0; k < count; k++) {
        if (p->place[columns[k]] < 0) {
            p->wanted[missing++] = columns[k];
        }
    }
    return missing;
}

int products_need(struct exchange *a, int64_t count, const int64_t *columns) {
    struct products *p = &a->products;
    int64_t missing = list_missing(p, count, columns);

    if (p->count + missing > p->most) {
        forget(p);
        missing = list_missing(p, count, columns);
    }
    return add(a, missing, p->wanted);
}

void products_row(struct exchange *a, int64_t column, int64_t count, const int64_t *columns, double *row) {
    const struct products *p = &a->products;

    for (int64_t k = 0; k < count; k++) {
        row[k] = product_at(p, p->place[column], p->place[columns[k]]);
    }
    smooth_add_cross(&a->problem->f, 1, &column, count, columns, row, 1);
}

int products_gram(struct exchange *a, int64_t count, const int64_t *columns, double *T) {
    const struct products *p = &a->products;

    if (!products_need(a, count, columns)) {
        return 0;
    }
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < count; i++) {
            T[i + k * count] = product_at(p, p->place[columns[k]], p->place[columns[i]]);
        }
    }
    return 1;
}
