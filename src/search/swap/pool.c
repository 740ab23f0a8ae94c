/* Good local optima: kept, returned to, and crossed. */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/swap/internal.h"

#define NEAR_BEST 1.03

static int is_current(const struct swap *a, const struct elite *elite) {
    for (int64_t k = 0; k < a->size; k++) {
        if (a->position[elite->support[k]] < 0) {
            return 0;
        }
    }
    return 1;
}

/* Where the current support goes: a new place, or that of the worst when it is better; NULL: nowhere. */
static struct elite *place_for_current(struct swap *a) {
    struct elite *worst = a->pool;

    for (int64_t e = 0; e < a->pooled; e++) {
        if (is_current(a, &a->pool[e])) {
            return NULL;
        }
        worst = a->pool[e].objective > worst->objective ? &a->pool[e] : worst;
    }
    if (a->pooled < SWAP_POOL) {
        return &a->pool[a->pooled++];
    }
    return a->objective < worst->objective ? worst : NULL;
}

/* What is not above this is worth a descent: near the best, or as good as the worst of what is kept. */
double pool_worthwhile(const struct swap *a) {
    double limit = a->best * NEAR_BEST;

    for (int64_t e = 0; e < a->pooled; e++) {
        limit = fmax(limit, a->pool[e].objective);
    }
    return limit;
}

void pool_remember(struct swap *a) {
    struct elite *elite = place_for_current(a);

    if (elite == NULL) {
        return;
    }
    elite->objective = a->objective;
    memcpy(elite->support, a->S, (size_t)a->size * sizeof *a->S);
    vector_copy(a->size, a->x, elite->x);
    elite->active.count = a->active.count;
    memcpy(elite->active.rows, a->active.rows, (size_t)a->active.count * sizeof *a->active.rows);
    memcpy(elite->active.signs, a->active.signs, (size_t)a->active.count);
}

void pool_recall(struct swap *a, const struct elite *elite) {
    swap_load(a, elite->support);
    fit_set_x(a->fit, elite->x);
    fit_set_active(a->fit, &elite->active);
    fit_warm(a->fit, INFINITY);
    swap_take(a);
}

/* What each column of T would cost to lose, by the model, with some noise; free columns never go. */
static void price_losses(struct swap *a, int64_t size, int sound) {
    for (int64_t k = 0; k < size; k++) {
        double loss = sound ? 0.5 * a->Tx[k] * a->Tx[k] / a->M[k * size + k] : fabs(a->Tx[k]);

        a->score[k] = k < a->free ? INFINITY : loss * exp(0.5 * random_normal(&a->run->random));
    }
}

/* The last column of T takes the place of column `low`. */
static void drop_from_T(struct swap *a, int64_t low, int64_t last) {
    fit_drop_column(a->fit, low);
    a->T[low] = a->T[last];
    a->Tx[low] = a->Tx[last];
    a->score[low] = a->score[last];
    if (low != last) {
        vector_copy(a->rows, a->As + last * a->rows, a->As + low * a->rows);
    }
}

/* The columns that cost least go, a third of the surplus at a time; the others make up for the first as the model says.
 */
static int64_t drop_cheapest(struct swap *a, int64_t size) {
    int64_t count = (size - a->size + 2) / 3;
    int sound;

    model_weights(a, (int)random_below(&a->run->random, SWAP_LEVELS));
    sound = model_inverse(a, a->T, size);
    price_losses(a, size, sound);
    for (int64_t d = 0; d < count; d++) {
        int64_t low = a->free;

        for (int64_t k = a->free; k < size - d; k++) {
            low = a->score[k] < a->score[low] ? k : low;
        }
        if (sound && d == 0) {
            vector_axpy(size, -a->Tx[low] / a->M[low * size + low], a->M + low * size, a->Tx);
        }
        drop_from_T(a, low, size - 1 - d);
    }
    return size - count;
}

/* Fit T and drop its cheapest columns until as many are left as may be. */
static void shrink(struct swap *a, int64_t size) {
    fit_set_size(a->fit, size);
    for (int64_t k = 0; k < size; k++) {
        fit_set_column(a->fit, k, a->T[k]);
    }
    linop_gather(a->problem->A, size, a->T, a->As, a->rows);
    for (;;) {
        fit_set_x(a->fit, a->Tx);
        fit_warm(a->fit, INFINITY);
        if (size == a->size || swap_late(a)) {
            break;
        }
        vector_copy(size, fit_x(a->fit), a->Tx);
        vector_copy(a->rows, fit_residual(a->fit), a->r);
        vector_copy(a->rows, fit_dual(a->fit), a->u);
        size = drop_cheapest(a, size);
    }
}

void pool_cross(struct swap *a, const struct elite *first, const struct elite *second) {
    int64_t size = a->size;

    pool_recall(a, first);
    memcpy(a->T, first->support, (size_t)size * sizeof *a->T);
    vector_copy(size, first->x, a->Tx);
    for (int64_t k = 0; k < a->size && size < a->capacity; k++) {
        if (a->position[second->support[k]] < 0) {
            a->T[size] = second->support[k];
            a->Tx[size++] = 0;
        }
    }
    shrink(a, size);
    if (swap_late(a)) {
        pool_recall(a, first); /* T may still be too large to be a support */
        return;
    }
    for (int64_t k = 0; k < a->size; k++) {
        a->position[a->S[k]] = -1;
    }
    for (int64_t k = 0; k < a->size; k++) {
        a->S[k] = a->T[k];
        a->position[a->T[k]] = k;
    }
    swap_take(a);
}
