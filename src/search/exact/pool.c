/*
 * The pool: the columns that ADMM works on where many are open. They are the columns that are in, those that the
 * relaxation uses, and those whose v_j is near or above the multiplier of the budget, below which a column is not used.
 * The other columns stay at zero. The bound counts all columns, and those that it finds to be worth more join the pool.
 * The inverse is extended by one column at a time.
 *
 * A pool is kept from node to node of a slot. Slots take their nodes in the same order for any number of threads, and
 * so pools are the same too.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/exact/internal.h"

int pool_is_used(const struct slot *slot) {
    return slot->active_count > POOL_ENOUGH && slot->split.factor_room > POOL_ENOUGH;
}

void pool_clear(struct slot *slot) {
    for (int64_t i = 0; i < slot->pool.count; i++) {
        slot->pool.is_in[slot->pool.columns[i]] = 0;
    }
    slot->pool.count = 0;
}

/* Extend the inverse by one row and column. */
static void append(struct slot *slot, int64_t j) {
    const struct tree *tree = slot->tree;
    int64_t k = slot->pool.count, ld = slot->split.factor_room;
    const double *H = tree->H + tree->place[j] * tree->count;
    double *inverse = slot->split.inverse, pivot;

    for (int64_t i = 0; i < k; i++) {
        slot->split.rhs[i] = H[tree->place[slot->pool.columns[i]]];
    }
    dense_dot_columns(k, k, inverse, ld, slot->split.rhs, slot->split.step);
    pivot = H[tree->place[j]] - vector_dot(k, slot->split.rhs, slot->split.step);
    if (!(pivot > POOL_DEPENDENT * H[tree->place[j]])) {
        return; /* dependent up to rounding: the column stays at zero */
    }
    dense_rank_one(k, k, 1 / pivot, slot->split.step, slot->split.step, inverse, ld);
    for (int64_t i = 0; i < k; i++) {
        inverse[i + k * ld] = inverse[k + i * ld] = -slot->split.step[i] / pivot;
    }
    inverse[k + k * ld] = 1 / pivot;
    slot->pool.columns[slot->pool.count++] = j;
    slot->pool.is_in[j] = 1;
    slot->work += 2 * (double)(k * k);
}

static int is_needed(const struct slot *slot, int64_t j, double least) {
    return slot->now.state[j] == COLUMN_IN || slot->split.z[j] != 0 || j == slot->split.tilt_column ||
           slot->dual.value[j] > least;
}

/* The number of needed columns among those that may be in; *missing: how many of them are not in the pool. */
static int64_t count_needed(const struct slot *slot, double least, int64_t *missing) {
    int64_t count = 0;

    *missing = 0;
    for (int64_t i = 0; i < slot->active_count; i++) {
        int is_one = is_needed(slot, slot->active[i], least);

        count += is_one;
        *missing += is_one && !slot->pool.is_in[slot->active[i]];
    }
    return count;
}

/* Whether most of the pool is no longer needed, so that it should be rebuilt. */
static int is_stale(const struct slot *slot, int64_t needed, int64_t missing) {
    int64_t kept = needed - missing;

    return slot->pool.count > 2 * kept + POOL_ENOUGH ||
           (slot->pool.count + missing > slot->split.factor_room && slot->pool.count > 2 * kept);
}

int pool_refresh(struct slot *slot) {
    double least, largest = 0;
    int64_t missing, needed;

    for (int64_t i = 0; i < slot->active_count; i++) {
        largest = fmax(largest, slot->dual.value[slot->active[i]]);
    }
    least = fmax(POOL_NEAR * slot->split.kappa, POOL_LEAST * largest);
    needed = count_needed(slot, least, &missing);
    slot->pool.is_crowded |= needed > slot->split.factor_room;
    if (needed > slot->split.factor_room && slot->tree->inverse != NULL) {
        return 0;
    }
    while (needed > slot->split.factor_room && least < largest) {
        least = POOL_RAISE * least;
        needed = count_needed(slot, least, &missing);
    }
    if (is_stale(slot, needed, missing)) {
        pool_clear(slot);
    }
    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t j = slot->active[i];

        if (!slot->pool.is_in[j] && slot->pool.count < slot->split.factor_room && is_needed(slot, j, least)) {
            append(slot, j);
        }
        if (!slot->pool.is_in[j]) {
            slot->split.x[j] = slot->split.z[j] = 0;
        }
    }
    return 1;
}
