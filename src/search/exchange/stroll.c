/*
 * A stroll: several exchanges on one surrogate of the support and some candidates. Every exchange is priced in O(1) and
 * made in O(s (s + candidates)) by linalg/swap.h, while a new surrogate costs O(rows s (s + candidates)). For the
 * squared loss the surrogate is F itself and its products are kept, so only the candidates become outdated; for other
 * losses the weights do as well.
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/constants.h"
#include "search/exchange/internal.h"

/* Not used with groups, caps and very large supports. */
void stroll_take(struct exchange *a, struct workspace *w) {
    struct stroll *t = &a->stroll;
    int64_t near = NEAR_CANDIDATES + a->full, candidates = a->surrogate.most < near ? a->surrogate.most : near;

    if (!a->habits->walks_roughly || !a->is_single || !a->set->is_plain ||
        (a->full + candidates) * (a->full + candidates) > CANDIDATE_ROOM) {
        return;
    }
    t->most = candidates;
    t->swap.M = a->surrogate.M;
    t->swap.G = a->surrogate.G;
    t->swap.V = a->surrogate.V;
    t->swap.schur = a->surrogate.schur;
    t->swap.pull = workspace_doubles(w, candidates);
    t->swap.x = workspace_doubles(w, a->capacity);
    t->swap.in = workspace_doubles(w, 2 * a->capacity);
    t->swap.out = workspace_doubles(w, 2 * candidates);
    t->inside = workspace_integers(w, a->capacity + candidates);
    t->outside = t->inside;
    t->whole = workspace_doubles(w, candidates);
    t->x = workspace_doubles(w, a->capacity);
    t->room = workspace_doubles(w, a->capacity);
    t->value = workspace_doubles(w, a->capacity);
    t->entering = workspace_doubles(w, candidates);
    t->leaving = workspace_doubles(w, a->capacity);
    t->image = workspace_doubles(w, a->rows);
}

/* Inner products of one column with others, with the curvature of f. */
static void products_of(struct exchange *a, int64_t column, int64_t count, const int64_t *columns, double *row) {
    (a->products.most > 0 ? products_row : surrogate_row)(a, column, count, columns, row);
}

/* H_IO, from kept products or not. Returns 0 if the time is up. */
static int gather_products(struct exchange *a, int are_kept) {
    const struct stroll *t = &a->stroll;
    const struct swap *w = &t->swap;

    if (!are_kept) {
        return surrogate_cross(a);
    }
    if (!products_need(a, w->inside + w->outside, t->inside)) {
        return 0;
    }
    for (int64_t q = 0; q < w->outside; q++) {
        products_row(a, t->outside[q], w->inside, t->inside, w->G + q * w->inside);
    }
    return 1;
}

/* Begin with the candidates of the surrogate. Returns 0 if there are none or the time is up. */
static int begin(struct exchange *a, int are_kept) {
    struct stroll *t = &a->stroll;
    struct swap *w = &t->swap;
    struct surrogate *s = &a->surrogate;
    const struct current *c = &a->current;

    if (s->count == 0) {
        return 0;
    }
    w->inside = c->size;
    w->outside = s->count;
    t->outside = t->inside + w->inside;
    memcpy(t->inside, c->columns, (size_t)w->inside * sizeof *t->inside);
    memcpy(t->outside, s->column, (size_t)w->outside * sizeof *t->outside);
    if (!gather_products(a, are_kept)) {
        return 0;
    }
    vector_copy(w->inside, c->x, w->x);
    for (int64_t q = 0; q < w->outside; q++) {
        int64_t column = t->outside[q];

        w->schur[q] = t->whole[q] = s->norm[column] + s->diagonal[column];
        w->pull[q] = -c->price[column];
    }
    swap_begin(w);
    for (int64_t q = 0; q < w->outside; q++) {
        s->left[t->outside[q]] = fmax(w->schur[q] / t->whole[q], SURROGATE_LEFT);
    }
    return 1;
}

int stroll_build(struct exchange *a, int level, int64_t candidates) {
    return surrogate_prepare(a, level, candidates) && begin(a, a->products.most > 0);
}

int stroll_begin(struct exchange *a, int64_t count) {
    surrogate_set(a, count);
    return begin(a, a->products.most == a->columns);
}

int stroll_excludes(const struct exchange *a, int64_t j, int64_t q) {
    const struct stroll *t = &a->stroll;
    const struct swap *w = &t->swap;
    int64_t column = t->inside[j];
    double whole = a->surrogate.norm[column] + a->surrogate.diagonal[column];

    return isless(w->M[j + j * w->inside] * whole, WELL_POSED) && isgreater(w->schur[q] * WELL_POSED, t->whole[q]) &&
           isgreater(swap_change(w, j, q), EXCLUDED * a->zero);
}

/* ---- exchanges --------------------------------------------------------------------------------------------------- */

/* List x and M_jj of the columns that may leave now; for the others the cost is infinite. */
static void list_leaving(struct exchange *a) {
    struct stroll *t = &a->stroll;
    const struct swap *w = &t->swap;

    for (int64_t j = 0; j < w->inside; j++) {
        int may_leave = j >= a->problem->free_count && a->tabu.leave[a->set->unit_of[t->inside[j]]] <= a->tabu.step;

        t->x[j] = may_leave ? w->x[j] : (double)INFINITY;
        t->room[j] = w->M[j + j * w->inside];
    }
}

static int may_enter(const struct exchange *a, int64_t q) {
    const struct stroll *t = &a->stroll;

    return isgreater(t->swap.schur[q], DEPENDENT_ENTRY * t->whole[q]) &&
           a->tabu.enter[a->set->unit_of[t->outside[q]]] <= a->tabu.step;
}

/* The change by the best exchange, and its two columns; INFINITY: none is allowed. */
static double best_exchange(struct exchange *a, int64_t *leaves, int64_t *enters) {
    struct stroll *t = &a->stroll;
    const struct swap *w = &t->swap;
    double best = INFINITY;

    list_leaving(a);
    for (int64_t q = 0; q < w->outside; q++) {
        double lowest;

        if (!may_enter(a, q) || -0.5 * w->pull[q] * w->pull[q] / w->schur[q] >= best) {
            continue;
        }
        lowest = swap_lowest(w, q, t->x, t->room, t->value);
        if (lowest < best) {
            int64_t j = 0;

            for (int64_t i = 1; i < w->inside; i++) {
                j = t->value[i] < t->value[j] ? i : j;
            }
            best = lowest;
            *leaves = j;
            *enters = q;
        }
    }
    return best;
}

static void make_exchange(struct exchange *a, int64_t leaves, int64_t enters, int is_barred) {
    struct stroll *t = &a->stroll;
    struct swap *w = &t->swap;
    int64_t out = t->inside[leaves], in = t->outside[enters];

    products_of(a, in, w->outside, t->outside, t->entering);
    products_of(a, out, w->inside, t->inside, t->leaving);
    swap_turn(w, leaves, enters, t->entering, t->leaving);
    t->inside[leaves] = in;
    t->outside[enters] = out;
    a->surrogate.inverted[leaves] = in;
    a->surrogate.turns++;
    t->whole[enters] = t->leaving[leaves];
    if (is_barred) {
        walk_bar(a, a->set->unit_of[out], a->set->unit_of[in]);
    }
}

int stroll_wander(struct exchange *a, int64_t steps) {
    struct stroll *t = &a->stroll;
    double F = a->current.objective;

    for (int64_t step = 0; step < steps; step++) {
        int64_t leaves = -1, enters = -1;
        double change;

        a->tabu.step++;
        change = best_exchange(a, &leaves, &enters);
        if (isinf(change)) {
            return 0;
        }
        if (change > 0 && F + t->swap.value < a->trail.lowest) { /* a minimum */
            trail_keep(&a->trail, F + t->swap.value, t->swap.inside, t->inside, t->swap.x);
        }
        make_exchange(a, leaves, enters, 1);
    }
    return 1;
}

int stroll_walk(struct exchange *a, int64_t steps, int64_t least, double enough) {
    const struct swap *w = &a->stroll.swap;
    double F = a->current.objective, last = INFINITY;

    for (int64_t step = 0; step < steps; step++) {
        int64_t leaves = -1, enters = -1;
        double change;

        a->tabu.step++;
        change = best_exchange(a, &leaves, &enters);
        if (isinf(change) ||
            (step >= least && F + w->value <= enough && w->value < last && change > -LEVEL * fabs(F))) {
            return 1;
        }
        last = step == 0 ? last : w->value;
        make_exchange(a, leaves, enters, 1);
    }
    return 0;
}

int64_t stroll_descend(struct exchange *a, int64_t steps, double margin) {
    int64_t step = 0, leaves = -1, enters = -1;

    while (step < steps && isless(best_exchange(a, &leaves, &enters), -margin)) {
        make_exchange(a, leaves, enters, 0);
        step++;
    }
    return step;
}

void stroll_leave(struct exchange *a) {
    const struct stroll *t = &a->stroll;

    for (int64_t k = 0; k < t->swap.inside; k++) {
        a->Tx[k] = problem_clip(a->problem, t->inside[k], t->swap.x[k]);
    }
    current_load(a, t->swap.inside, t->inside);
    current_set(a, a->Tx);
}
