/*
 * The losses of the registry for tests that draw losses at random, and the formula of one row of each. A new loss is
 * drawn as soon as it is registered; the tests fail until row_bend knows it.
 */
#ifndef SPGM_TESTS_LOSSES_H
#define SPGM_TESTS_LOSSES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "model/loss.h"

/* ---- which loss a seed draws ------------------------------------------------------------------------------------- */

/* Tests record the seeds of past failures, which must keep drawing the same cases. So seeds below FRESH_SEEDS draw from
 * a list that does not grow, and losses that are not in it are drawn by seeds from FRESH_SEEDS on. */
#define FRESH_SEEDS (UINT64_C(1) << 40)

/* The k-th loss of the registry that is not in the list; NULL: there are fewer. */
static inline const char *fresh_loss(const char *const *list, int64_t count, int64_t k) {
    for (int64_t i = 0; loss_kind_at(i) != NULL; i++) {
        int64_t place = 0;

        while (place < count && strcmp(list[place], loss_kind_at(i)->name) != 0)
            place++;
        if (place == count && k-- == 0)
            return loss_kind_at(i)->name;
    }
    return NULL;
}

static inline int64_t fresh_losses(const char *const *list, int64_t count) {
    int64_t fresh = 0;

    while (fresh_loss(list, count, fresh) != NULL)
        fresh++;
    return fresh;
}

static inline const char *loss_of_seed(const char *const *list, int64_t count, uint64_t seed) {
    return seed < FRESH_SEEDS
               ? list[seed % (uint64_t)count]
               : fresh_loss(list, count, (int64_t)((seed - FRESH_SEEDS) % (uint64_t)fresh_losses(list, count)));
}

/* The seed after this one. Up to `last` it counts within the list; after that FRESH_SEEDS follows, with as many seeds
 * for each loss that is not in the list as each one in it has. */
static inline uint64_t seed_after(const char *const *list, int64_t count, uint64_t seed, uint64_t first,
                                  uint64_t last) {
    uint64_t fresh = (last - first) / (uint64_t)count * (uint64_t)fresh_losses(list, count);

    seed = seed + 1 == last ? FRESH_SEEDS : seed + 1;
    return seed < FRESH_SEEDS || seed < FRESH_SEEDS + fresh ? seed : UINT64_MAX;
}

/* Its entry in the registry; the user's slopes ("slopes") are a sum of pinballs, like l1. */
static inline const struct loss_kind *kind_of_loss(const char *name) {
    return loss_find(strcmp(name, "slopes") == 0 ? "l1" : name);
}

/* ---- one row ----------------------------------------------------------------------------------------------------- */

/* A row with what shapes its loss. */
struct row {
    long double b, weight;
    long double quantile, epsilon, delta; /* the options of that name              */
    long double up, down, dead;           /* for the loss "slopes", weights included */
};

/* At r = a'x - b: the value; for a smooth loss its derivatives; for a pinball the interval of its subgradients and the
 * dead zone. */
struct bend {
    long double value, slope, second, up, down, dead;
};

static inline long double larger(long double a, long double b) {
    return a > b ? a : b;
}

static inline struct bend pinball_bend(long double up, long double down, long double dead, long double r) {
    return (struct bend){up * larger(r - dead, 0) + down * larger(-r - dead, 0), 0, 0, up, down, dead};
}

static inline struct bend smooth_bend(long double weight, long double value, long double slope, long double second) {
    return (struct bend){weight * value, weight * slope, weight * second, 0, 0, 0};
}

/* From the definition of each loss that is a sum over rows. Returns 0 if there is none for this loss. */
static inline int row_bend(const char *loss, const struct row *row, long double r, struct bend *bend) {
    long double b = row->b, w = row->weight, size = fabsl(r), margin = b * (r + b), miss = larger(0, 1 - margin);

    if (strcmp(loss, "slopes") == 0)
        *bend = pinball_bend(row->up, row->down, row->dead, r);
    else if (strcmp(loss, "l1") == 0)
        *bend = pinball_bend(w, w, 0, r);
    else if (strcmp(loss, "quantile") == 0)
        *bend = pinball_bend(w * (1 - row->quantile), w * row->quantile, 0, r);
    else if (strcmp(loss, "hinge") == 0)
        *bend = pinball_bend(b < 0 ? w : 0, b < 0 ? 0 : w, 0, r);
    else if (strcmp(loss, "epsilon") == 0)
        *bend = pinball_bend(w, w, row->epsilon, r);
    else if (strcmp(loss, "squared") == 0)
        *bend = smooth_bend(w, r * r / 2, r, 1);
    else if (strcmp(loss, "huber") == 0)
        *bend = size <= row->delta
                    ? smooth_bend(w, r * r / 2, r, 1)
                    : smooth_bend(w, row->delta * (size - row->delta / 2), r > 0 ? row->delta : -row->delta, 0);
    else if (strcmp(loss, "logistic") == 0)
        *bend = smooth_bend(w, margin > 0 ? log1pl(expl(-margin)) : log1pl(expl(margin)) - margin,
                            -b / (1 + expl(margin)), 1 / ((1 + expl(margin)) * (1 + expl(-margin))));
    else if (strcmp(loss, "squared_hinge") == 0)
        *bend = smooth_bend(w, miss * miss, -2 * b * miss, miss > 0 ? 2 : 0);
    else
        return 0;
    return 1;
}

#define NO_FORMULA "no formula for the loss %s: add one to row_bend of tests/losses.h"

#endif
