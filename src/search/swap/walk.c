/*
 * Walks: forced exchanges away from a local optimum; columns that moved may not move back for a while (tabu). For the
 * pinball family the steps of a walk are fitted roughly, by one reweighted least-squares step each, which is many times
 * cheaper than exact fits and steers as well; the end of the walk is fitted exactly.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/swap/internal.h"

enum { ROUGH_LENGTH = 60, EXACT_LENGTH = 10, TENURE = 5 };

static int random_level(struct swap *a) {
    return (int)random_below(&a->run->random, SWAP_LEVELS);
}

static void bar(struct swap *a, int64_t left, int64_t entered) {
    int64_t tenure = 1 + TENURE / 2 + random_below(&a->run->random, TENURE + 1);

    a->barred_in[left] = a->step + 2 * tenure;
    a->barred_out[entered] = a->step + tenure;
}

/* The best pair of a fresh model. 0: there is none. */
static int best_pair(struct swap *a, int64_t candidates, struct pair *pair) {
    a->step++;
    if (!model_build(a, random_level(a), candidates)) {
        return 0;
    }
    model_best_pairs(a);
    funnel_values(a);
    if (a->pair_count == 0) {
        return 0;
    }
    *pair = a->pairs[0];
    return 1;
}

static void move_roughly(struct swap *a, const struct pair *pair) {
    int64_t left = a->S[pair->position];

    funnel_line(a, pair, a->x0, a->dx);
    for (int64_t k = 0; k < a->size; k++) {
        a->x[k] = a->x0[k] + pair->alpha * a->dx[k];
    }
    swap_replace(a, pair);
    for (int64_t i = 0; i < a->rows; i++) {
        a->r[i] = -a->problem->b[i];
    }
    dense_add_columns(a->rows, a->size, a->As, a->rows, a->x, a->r);
    bar(a, left, pair->column);
}

static void fit_exactly(struct swap *a) {
    for (int64_t k = 0; k < a->size; k++) {
        fit_set_column(a->fit, k, a->S[k]);
    }
    fit_set_x(a->fit, a->x);
    fit_warm(a->fit, INFINITY);
    swap_take(a);
}

static void walk_roughly(struct swap *a) {
    int64_t length = 2 * a->size < ROUGH_LENGTH ? 2 * a->size : ROUGH_LENGTH;
    double last = INFINITY;
    struct pair pair;

    for (int64_t t = 0; t < length && !swap_late(a); t++) {
        a->rough = 1;
        if (!best_pair(a, t == 0 ? a->columns : swap_near(a), &pair)) { /* the first step sees every column */
            break;
        }
        if (t > 2 && a->objective < pool_worthwhile(a) && pair.line > a->objective * (1 - 1e-4) &&
            a->objective < last) {
            break;
        }
        last = a->objective;
        move_roughly(a, &pair);
    }
    fit_exactly(a);
}

static void move_exactly(struct swap *a, const struct pair *pair) {
    int64_t left = a->S[pair->position];

    funnel_line(a, pair, a->x0, a->dx);
    vector_axpy(a->size, pair->alpha, a->dx, a->x0);
    fit_set_column(a->fit, pair->position, pair->column);
    fit_set_x(a->fit, a->x0);
    fit_set_active(a->fit, &a->active);
    fit_warm(a->fit, INFINITY);
    swap_replace(a, pair);
    swap_take(a);
    bar(a, left, pair->column);
}

static void walk_exactly(struct swap *a) {
    double target = a->best * (1 - 1e-9);
    struct pair pair;

    for (int64_t t = 0; t < EXACT_LENGTH && !swap_late(a) && !isless(a->objective, target); t++) {
        if (!best_pair(a, swap_near(a), &pair)) {
            break;
        }
        move_exactly(a, &pair);
    }
}

void walk_away(struct swap *a) {
    if (a->is_maximum) {
        walk_exactly(a);
    } else {
        walk_roughly(a);
    }
    a->step += 1000000; /* nothing is barred any more */
}
