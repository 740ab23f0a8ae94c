/*
 * Walks on the surrogate itself. It is a quadratic over the support and the candidates; swept (linalg/sweep.h) it gives
 * the minimiser for the support of the moment, the price of every exchange in O(1), and the next support in O(k^2) for
 * k columns in all, where a new surrogate costs O(rows k^2).
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/exchange/internal.h"

/* Groups, caps and very large supports go without. */
void tableau_take(struct exchange *a, struct workspace *w) {
    struct tableau *t = &a->tableau;
    int64_t near = a->full + NEAR_CANDIDATES + a->full;

    near = near < a->columns ? near : a->columns;
    if (!a->habits->walks_roughly || !a->is_single || !a->set->is_plain || near * near > CANDIDATE_ROOM) {
        return;
    }
    t->most = near;
    t->sweep.T = workspace_doubles(w, t->most * t->most);
    t->sweep.c = workspace_doubles(w, t->most);
    t->sweep.scratch = workspace_doubles(w, t->most);
    t->sweep.is_in = workspace_array(w, t->most, 1);
    t->column = workspace_integers(w, t->most);
    t->whole = workspace_doubles(w, t->most);
    t->out = workspace_integers(w, t->most);
    t->x = workspace_doubles(w, t->most);
    t->room = workspace_doubles(w, t->most);
    t->value = workspace_doubles(w, t->most);
}

int tableau_build(struct exchange *a, int level, int64_t candidates) {
    struct tableau *t = &a->tableau;
    struct surrogate *s = &a->surrogate;
    struct current *c = &a->current;
    struct stop stop = {.must_stop = exchange_is_late, .context = a};
    int64_t k = c->size, n;

    if (!surrogate_prepare(a, level, candidates) || s->count == 0) {
        return 0;
    }
    t->sweep.n = n = k + s->count;
    memcpy(t->column, c->columns, (size_t)k * sizeof *t->column);
    memcpy(t->column + k, s->column, (size_t)s->count * sizeof *t->column);
    if (a->products.most > 0 ? !products_gram(a, n, t->column, t->sweep.T)
                             : !linop_gram_until(a->problem->A, n, t->column, s->weight, t->sweep.T, &stop)) {
        return 0;
    }
    smooth_add_curvature(&a->problem->f, n, t->column, t->sweep.T);
    for (int64_t i = 0; i < n; i++) {
        t->whole[i] = t->sweep.T[i + i * n];
        t->sweep.c[i] = -c->price[t->column[i]];
    }
    sweep_begin(&t->sweep, k, s->M, c->x, s->V);
    for (int64_t i = k; i < n; i++) {
        s->norm[t->column[i]] = t->whole[i] - s->diagonal[t->column[i]];
        s->left[t->column[i]] = fmax(t->sweep.T[i + i * n] / t->whole[i], 1e-4);
    }
    return 1;
}

/* ---- exchanges --------------------------------------------------------------------------------------------------- */

/* The columns that may leave now, with what their change costs. */
static int64_t list_leaving(struct exchange *a) {
    struct tableau *t = &a->tableau;
    const struct sweep *w = &t->sweep;
    int64_t count = 0;

    for (int64_t i = a->problem->free_count; i < w->n; i++) {
        if (w->is_in[i] && a->tabu.leave[a->set->unit_of[t->column[i]]] <= a->tabu.step) {
            t->x[count] = w->c[i];
            t->room[count] = -w->T[i + i * w->n];
            t->out[count++] = i;
        }
    }
    return count;
}

static int may_enter(const struct exchange *a, int64_t i) {
    const struct tableau *t = &a->tableau;
    const struct sweep *w = &t->sweep;

    return !w->is_in[i] && isgreater(w->T[i + i * w->n], DEPENDENT_ENTRY * t->whole[i]) &&
           a->tabu.enter[a->set->unit_of[t->column[i]]] <= a->tabu.step;
}

/* The lowest change for column q against those that may leave, in value; the formula is that of surrogate.c. */
static double lowest_against(struct exchange *a, int64_t q, int64_t count) {
    struct tableau *t = &a->tableau;
    const struct sweep *w = &t->sweep;
    const double *v = w->T + q * w->n;
    double inverse = 1 / v[q], step = w->c[q] * inverse, gain = w->c[q] * step, lowest = INFINITY;

    for (int64_t o = 0; o < count; o++) {
        double share = v[t->out[o]], x = t->x[o] - share * step;

        t->value[o] = 0.5 * (x * x / (t->room[o] + share * share * inverse) - gain);
    }
    for (int64_t o = 0; o < count; o++) {
        lowest = t->value[o] < lowest ? t->value[o] : lowest;
    }
    return lowest;
}

/* The best exchange of the model; INFINITY: there is none. */
static double best_exchange(struct exchange *a, int64_t *leaves, int64_t *enters) {
    struct tableau *t = &a->tableau;
    const struct sweep *w = &t->sweep;
    int64_t count = list_leaving(a);
    double best = INFINITY;

    for (int64_t q = a->problem->free_count; q < w->n; q++) {
        double lowest;

        if (!may_enter(a, q) || -0.5 * w->c[q] * w->c[q] / w->T[q + q * w->n] >= best) {
            continue;
        }
        lowest = lowest_against(a, q, count);
        if (lowest < best) {
            int64_t o = 0;

            while (t->value[o] > lowest) {
                o++;
            }
            best = lowest;
            *leaves = t->out[o];
            *enters = q;
        }
    }
    return best;
}

/* The support of now is the lowest minimum so far. */
static void keep(struct exchange *a, double F) {
    const struct tableau *t = &a->tableau;
    struct trail *w = &a->trail;

    w->lowest = F;
    w->kept = 0;
    for (int64_t i = 0; i < t->sweep.n; i++) {
        if (t->sweep.is_in[i]) {
            w->best[w->kept] = t->column[i];
            w->best_x[w->kept++] = t->sweep.c[i];
        }
    }
}

int tableau_wander(struct exchange *a, int64_t steps) {
    struct sweep *w = &a->tableau.sweep;
    double F = a->current.objective;

    for (int64_t step = 0; step < steps; step++) {
        int64_t leaves = -1, enters = -1;
        double change;

        a->tabu.step++;
        change = best_exchange(a, &leaves, &enters);
        if (isinf(change)) {
            return 0;
        }
        if (change > 0 && F + w->value < a->trail.lowest) {
            keep(a, F + w->value);
        }
        sweep_toggle(w, enters);
        sweep_toggle(w, leaves);
        walk_bar(a, a->set->unit_of[a->tableau.column[leaves]], a->set->unit_of[a->tableau.column[enters]]);
    }
    return 1;
}

int tableau_walk(struct exchange *a, int64_t steps, int64_t least, double enough) {
    struct sweep *w = &a->tableau.sweep;
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
        sweep_toggle(w, enters);
        sweep_toggle(w, leaves);
        walk_bar(a, a->set->unit_of[a->tableau.column[leaves]], a->set->unit_of[a->tableau.column[enters]]);
    }
    return 0;
}

int64_t tableau_descend(struct exchange *a, int64_t steps, double margin) {
    struct sweep *w = &a->tableau.sweep;
    int64_t step = 0, leaves = -1, enters = -1;

    while (step < steps && isless(best_exchange(a, &leaves, &enters), -margin)) {
        sweep_toggle(w, enters);
        sweep_toggle(w, leaves);
        step++;
    }
    return step;
}

/* Columns that entered take the places of those that left. */
void tableau_leave(struct exchange *a) {
    const struct tableau *t = &a->tableau;
    struct current *c = &a->current;
    int64_t size = c->size, next = size;

    for (int64_t k = 0; k < size; k++) {
        int64_t i = k;

        if (!t->sweep.is_in[k]) {
            while (!t->sweep.is_in[next]) {
                next++;
            }
            i = next++;
        }
        a->T[k] = t->column[i];
        a->Tx[k] = problem_clip(a->problem, t->column[i], t->sweep.c[i]);
    }
    current_load(a, size, a->T);
    vector_copy(size, a->Tx, c->x);
    for (int64_t i = 0; i < a->rows; i++) {
        c->r[i] = -a->problem->b[i];
    }
    current_add(a, c->x, c->r);
}
