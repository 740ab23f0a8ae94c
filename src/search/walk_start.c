/* Starts from a neighbour: columns that enter a support, columns that leave it. */
#include <math.h>
#include <string.h>

#include "linalg/select.h"
#include "linalg/vector.h"
#include "search/walk.h"

/* How many columns are fitted without before the one that leaves is chosen. */
enum { DROPS = 3 };
/* Columns enter and leave in at most about this many fits between two neighbours. */
enum { STAGES = 8 };

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

/* Columns into the fit at hand until it has `target`. */
static spgm_error fill_up(struct walk *walk, int64_t size, int64_t target, spgm_status *status) {
    int64_t batch = (target - size + STAGES - 1) / STAGES;
    spgm_error error = SPGM_OK;

    while (error == SPGM_OK && size < target && !walk_must_stop(walk)) {
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

spgm_error walk_grow(struct walk *walk, const struct path_entry *below, spgm_status *status) {
    const struct problem *problem = walk->problem;
    int64_t size = below == NULL ? problem->free_count : below->size;
    int64_t target = walk->entry->sparsity + problem->free_count;
    spgm_error error;

    if (below != NULL) {
        walk_unpack(walk, below);
    } else {
        memset(walk->x, 0, sizeof(double) * (size_t)problem->A->columns);
    }
    if (walk->has_warm_fits && target - size <= 1 && below != NULL) {
        return SPGM_OK; /* the search fills up the support by itself */
    }
    memcpy(walk->support, below == NULL ? problem->free_columns : below->columns, sizeof(int64_t) * (size_t)size);
    error = fit(walk, size, status);
    return error != SPGM_OK ? error : fill_up(walk, size, target, status);
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

/* The DROPS cheapest are tried, the best of the fits is in walk->x. */
static spgm_error drop_best(struct walk *walk, spgm_status *status) {
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
    for (int64_t t = 0; error == SPGM_OK && t < tries && (t == 0 || !walk_must_stop(walk)); t++) {
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

/* The model of the point above needs its fit or, where warm fits follow, just the point. */
static spgm_error fit_above(struct walk *walk, int64_t size, spgm_status *status) {
    if (walk->has_warm_fits) {
        exchange_adopt(walk->exchange, size, walk->support, walk->x);
        return SPGM_OK;
    }
    return fit(walk, size, status);
}

/* The last column to leave, from the model at hand. */
static spgm_error drop_last(struct walk *walk, spgm_status *status) {
    vector_copy(walk->problem->A->columns, walk->exchange->x, walk->x);
    if (!walk->has_warm_fits) {
        return drop_best(walk, status);
    }
    cheapest(walk, 1);
    walk->x[walk->exchange->support[walk->chosen[0]]] = 0;
    return SPGM_OK;
}

spgm_error walk_shrink(struct walk *walk, const struct path_entry *above, spgm_status *status) {
    int64_t target = walk->entry->sparsity + walk->problem->free_count;
    int64_t size = above->size;
    int64_t batch = (size - target + STAGES - 1) / STAGES;
    spgm_error error;

    walk_unpack(walk, above);
    if (size <= target) {
        return SPGM_OK;
    }
    memcpy(walk->support, above->columns, sizeof(int64_t) * (size_t)size);
    error = fit_above(walk, size, status);
    while (error == SPGM_OK && size - 1 > target) {
        int64_t leaving = size - 1 - target < batch ? size - 1 - target : batch;

        exchange_model(walk->exchange, 0); /* where it fails the cost is x_j^2 */
        cheapest(walk, leaving);
        vector_copy(walk->problem->A->columns, walk->exchange->x, walk->x);
        size = support_without(walk, leaving, walk->chosen);
        error = fit(walk, size, status);
    }
    if (error == SPGM_OK) {
        exchange_model(walk->exchange, 0);
        error = drop_last(walk, status);
    }
    return error;
}
