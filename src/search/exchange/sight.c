/*
 * With very many columns, only the columns in sight are priced most of the time: the support, and the columns that came
 * nearest to the best exchange with some column of the support at the last look at all columns. All columns are looked
 * at again by the first step of a walk, once pricing the columns in sight has cost SIGHT_AGE passes; after a return to
 * an elite; and before a descent ends at a new lowest F. So a restart costs less than a pass over the data.
 */
#include <math.h>

#include "linalg/select.h"
#include "search/exchange/internal.h"

void sight_take(struct exchange *a, struct workspace *w) {
    struct sight *t = &a->sight;
    int64_t most = SIGHT * (NEAR_CANDIDATES + a->full);

    if (!a->is_single || a->is_steady || a->columns < SIGHT_PART * most) {
        return;
    }
    t->most = most;
    t->lowest = INFINITY;
    t->room = most > SIGHT_FIRST + a->full ? most : SIGHT_FIRST + a->full;
    t->columns = workspace_integers(w, t->room);
    t->value = workspace_doubles(w, t->room);
    t->square = workspace_doubles(w, a->columns);
}

int64_t exchange_patience(const struct exchange *a) {
    return a->sight.most > 0 ? SIGHT_PATIENCE : 1;
}

void sight_close(struct exchange *a) {
    a->sight.count = 0;
}

int sight_is_due(const struct exchange *a) {
    const struct sight *t = &a->sight;

    return t->most > 0 && (double)(t->looks * t->count) >= SIGHT_AGE * (double)a->columns;
}

/* ---- prices and norms -------------------------------------------------------------------------------------------- */

static void scatter(const struct sight *t, double *all) {
    for (int64_t k = 0; k < t->count; k++) {
        all[t->columns[k]] = t->value[k];
    }
}

void sight_price(struct exchange *a) {
    struct current *c = &a->current;
    struct sight *t = &a->sight;

    t->is_whole = t->count == 0;
    if (t->is_whole) {
        current_prices(a);
        return;
    }
    t->looks++;
    linop_transpose_columns(a->problem->A, t->count, t->columns, c->u, t->value);
    linop_count_priced(a->problem->A, t->count);
    scatter(t, c->price);
    if (current_gradient(a)) {
        smooth_gradient_columns(&a->problem->f, a->all, a->state, t->count, t->columns, t->value);
        for (int64_t k = 0; k < t->count; k++) {
            c->price[t->columns[k]] += t->value[k];
        }
    }
}

void sight_norms(struct exchange *a) {
    struct sight *t = &a->sight;
    struct surrogate *s = &a->surrogate;

    if (t->count == 0) {
        linop_weighted_squares(a->problem->A, a->columns, NULL, s->weight, s->norm);
    } else {
        linop_weighted_squares(a->problem->A, t->count, t->columns, s->weight, t->value);
        scatter(t, s->norm);
    }
}

/* ---- the choice of columns --------------------------------------------------------------------------------------- */

/* Set the columns in sight: the support and the best scored columns, `most` in all. Their norms must be recomputed. */
static void set(struct exchange *a, int64_t most, int64_t scored, const int64_t *columns) {
    struct surrogate *s = &a->surrogate;
    const struct current *c = &a->current;
    struct sight *t = &a->sight;
    int64_t wanted = most - c->size < scored ? most - c->size : scored;

    select_largest(scored, s->score, wanted, s->chosen, s->spare);
    for (int64_t k = 0; k < wanted; k++) {
        t->columns[k] = columns == NULL ? s->chosen[k] : columns[s->chosen[k]];
    }
    for (int64_t k = 0; k < c->size; k++) {
        t->columns[wanted + k] = c->columns[k];
    }
    t->count = wanted + c->size;
    t->looks = 0;
    s->norm_age = 0;
}

void sight_choose(struct exchange *a, int64_t candidates) {
    struct sight *t = &a->sight;

    if (!t->is_whole) {
        current_prices(a);
        t->is_whole = 1;
    }
    if (!t->is_measured) {
        linop_column_squares(a->problem->A, t->square);
        t->is_measured = 1;
    }
    for (int64_t q = 0; q < a->columns; q++) {
        int is_outside = a->set->unit_of[q] >= 0 && a->current.position[q] < 0;

        a->surrogate.score[q] = is_outside ? surrogate_promise(a, q, t->square[q]) : -1; /* the support is added in any
                                                                                            case */
    }
    candidates = candidates < t->room ? candidates : t->room;
    set(a, candidates > t->most ? candidates : t->most, a->columns, NULL);
}

void sight_narrow(struct exchange *a) {
    if (a->sight.count > a->sight.most) {
        trials_score(a);
        set(a, a->sight.most, a->surrogate.count, a->surrogate.column);
    }
}

int sight_widen(struct exchange *a) {
    struct sight *t = &a->sight;
    double F = a->current.objective;

    if (t->count == 0 || t->looks == 0 || isgreaterequal(F + exchange_margin(a, F), t->lowest)) {
        return 0;
    }
    t->lowest = F;
    sight_close(a);
    return 1;
}
