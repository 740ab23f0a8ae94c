/* The elites, a pool of good local optima: kept, returned to and crossed. Also how a support that is too large is cut
 * down. */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/constants.h"
#include "search/exchange/internal.h"

/* ---- keep and return --------------------------------------------------------------------------------------------- */

static int is_current(const struct exchange *a, const struct elite *elite) {
    if (elite->size != a->current.size) {
        return 0;
    }
    for (int64_t k = 0; k < elite->size; k++) {
        if (a->current.position[elite->columns[k]] < 0) {
            return 0;
        }
    }
    return 1;
}

int elites_know(const struct exchange *a) {
    for (int64_t i = 0; i < a->elites.count; i++) {
        if (is_current(a, &a->elites.list[i])) {
            return 1;
        }
    }
    return 0;
}

/* The place in the pool for the current support: a new one, or that of the worst elite if the current F is lower; NULL:
 * none. */
static struct elite *place_for_current(struct exchange *a) {
    struct elites *e = &a->elites;
    struct elite *worst = e->list;

    if (elites_know(a)) {
        return NULL;
    }
    for (int64_t i = 0; i < e->count; i++) {
        worst = e->list[i].objective > worst->objective ? &e->list[i] : worst;
    }
    if (e->count < ELITES) {
        return &e->list[e->count++];
    }
    return a->current.objective < worst->objective ? worst : NULL;
}

/* The F up to which the end of a walk is descended: near the best F, or that of the worst elite. While the pool is not
 * full it is the better half that counts, so that one bad start does not make every end worth a descent. */
double elites_worthwhile(const struct exchange *a) {
    const struct elites *e = &a->elites;
    double limit = a->best + NEAR_BEST * exchange_swing(a->problem) * fabs(a->best);

    for (int64_t i = 0; i < e->count; i++) {
        int64_t better = 0;

        for (int64_t j = 0; j < e->count; j++) {
            better += e->list[j].objective < e->list[i].objective;
        }
        if (e->count == ELITES || better <= (e->count - 1) / 2) {
            limit = fmax(limit, e->list[i].objective);
        }
    }
    return limit;
}

void elites_remember(struct exchange *a) {
    const struct current *c = &a->current;
    struct elite *elite = place_for_current(a);

    if (elite == NULL) {
        return;
    }
    elite->objective = c->objective;
    elite->size = c->size;
    memcpy(elite->columns, c->columns, (size_t)c->size * sizeof *c->columns);
    vector_copy(c->size, c->x, elite->x);
    elite->active.count = c->active.count;
    memcpy(elite->active.rows, c->active.rows, (size_t)c->active.count * sizeof *c->active.rows);
    memcpy(elite->active.signs, c->active.signs, (size_t)c->active.count);
}

void elites_recall(struct exchange *a, const struct elite *elite) {
    sight_close(a);
    current_load(a, elite->size, elite->columns);
    fit_set_active(a->fit, &elite->active);
    current_warm(a, elite->x);
    a->trail.size = 0;
}

/* ---- cut down a support that is too large ------------------------------------------------------------------------ */

/* The cost of dropping the unit of T at position k: by the surrogate or, if M is not available, by |x_k|. noise > 0
 * perturbs it at random. */
static void price_losses(struct exchange *a, int64_t size, int is_sound, double noise) {
    const struct surrogate *s = &a->surrogate;
    int64_t free = a->problem->free_count;

    for (int64_t k = 0; k < size; k++) {
        double loss = is_sound ? 0.5 * a->Tx[k] * a->Tx[k] / s->M[k * size + k] : fabs(a->Tx[k]);

        s->score[k] = k < free ? INFINITY : noise > 0 ? loss * exp(noise * random_normal(&a->run->random)) : loss;
    }
    for (int64_t k = free; !a->is_single && k < size; k++) { /* the cost of a unit is about the sum over its columns, */
        int64_t unit = a->set->unit_of[a->T[k]];

        for (int64_t l = free; l < k; l++) {
            if (a->set->unit_of[a->T[l]] == unit) {
                s->score[l] += s->score[k];
                s->score[k] = INFINITY; /* kept at the first of them */
                break;
            }
        }
    }
}

/* The last column of T takes position k. */
static void drop_position(struct exchange *a, int64_t k, int64_t last) {
    a->T[k] = a->T[last];
    a->Tx[k] = a->Tx[last];
    a->surrogate.score[k] = a->surrogate.score[last];
}

static int64_t drop_unit(struct exchange *a, int64_t unit, int64_t size) {
    for (int64_t k = size - 1; k >= a->problem->free_count; k--) {
        if (a->set->unit_of[a->T[k]] == unit) {
            drop_position(a, k, --size);
        }
    }
    return size;
}

/* Drop the units that cost least, a third of the surplus at a time. For the first of them the other coefficients are
 * adjusted as the surrogate says. */
static int64_t drop_cheapest(struct exchange *a, int64_t size, int64_t surplus, double noise) {
    const struct surrogate *s = &a->surrogate;
    int64_t count = (surplus + DROP_SHARE - 1) / DROP_SHARE, free = a->problem->free_count;
    int is_sound;

    surrogate_weigh(a, noise > 0 ? (int)random_below(&a->run->random, a->problem->h.kind->levels) : 0);
    is_sound = surrogate_invert(a, size, a->T, a->Tx);
    price_losses(a, size, is_sound, noise);
    for (int64_t d = 0, whole = size; d < count; d++) {
        int64_t low = free;

        for (int64_t k = free; k < size; k++) {
            low = s->score[k] < s->score[low] ? k : low;
        }
        if (is_sound && d == 0 && a->is_single) {
            vector_axpy(whole, -a->Tx[low] / s->M[low * whole + low], s->M + low * whole, a->Tx);
        }
        size = drop_unit(a, a->set->unit_of[a->T[low]], size);
    }
    return size;
}

static void fit_T(struct exchange *a, int64_t size) {
    for (int64_t k = 0; k < size; k++) {
        a->Tx[k] = problem_clip(a->problem, a->T[k], a->Tx[k]);
    }
    fit_set_support(a->fit, size, a->T);
    fit_set_x(a->fit, a->Tx);
    fit_warm(a->fit, INFINITY);
    vector_copy(size, fit_x(a->fit), a->Tx);
}

/* The fit of what is left is not made the current one yet. If the time is up before T is feasible, shrunk is 0. */
void exchange_shrink(struct exchange *a, int64_t size, double noise) {
    a->shrunk = 0;
    for (;;) {
        int64_t surplus = feasible_count(a->set, size, a->T, &a->choose) - a->run->sparsity;

        fit_T(a, size);
        if (surplus <= 0 || exchange_late(a)) {
            a->shrunk = surplus <= 0 ? size : 0;
            return;
        }
        vector_copy(a->rows, fit_residual(a->fit), a->current.r);
        vector_copy(a->rows, fit_dual(a->fit), a->current.u);
        size = drop_cheapest(a, size, surplus, noise);
    }
}

/* ---- cross ------------------------------------------------------------------------------------------------------- */

/* Whether a column of another support may join T: if there is room and no cap is broken. */
static int may_join(const struct exchange *a, int64_t column, int64_t size) {
    int64_t unit = a->set->unit_of[column];

    if (unit < 0 || a->current.position[column] >= 0 || size + unit_size(a, unit) > a->capacity) {
        return 0;
    }
    return a->set->is_plain || a->set->rule->may_enter(a->set, a->current.used, unit, -1);
}

void elites_cross(struct exchange *a, const struct elite *first, const struct elite *second) {
    int64_t size = first->size;

    elites_recall(a, first);
    memcpy(a->T, first->columns, (size_t)size * sizeof *a->T);
    vector_copy(size, first->x, a->Tx);
    for (int64_t k = 0; k < second->size; k++) {
        int64_t q = second->columns[k];

        if (may_join(a, q, size) && (a->is_single || q == unit_first(a, a->set->unit_of[q]))) {
            for (int64_t i = a->set->unit_start[a->set->unit_of[q]]; i < a->set->unit_start[a->set->unit_of[q] + 1];
                 i++) {
                a->T[size] = a->set->unit_columns[i];
                a->Tx[size++] = 0;
            }
        }
    }
    exchange_shrink(a, size, 0.5);
    if (a->shrunk == 0) {
        elites_recall(a, first); /* T may still be too large */
        return;
    }
    current_load(a, a->shrunk, a->T);
    current_take(a);
}
