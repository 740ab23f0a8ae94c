/*
 * Exchanges that cannot lower F, known from the fits of other exchanges. For u in dom h* let D_S(u) be the bound that u
 * gives on F over the support S,
 *
 *     D_S(u) = -b'u - h*(u) - sum over j in S of v_j(a_j'u),   v_j >= 0 = v_j(0).
 *
 * It is concave in u, at most F_S, and does not fall when S loses columns. Suppose that the dual vectors of the fits of
 * S and of S - i + j, for any j, have D >= F_S. On S - i all of these are at least F_S as well. If the prices a_k'u of
 * a column k by these vectors are not all of one sign, then a_k'u = 0 for some u between two of them, and by concavity
 *
 *     F_{S - i + k} >= D_{S - i + k}(u) = D_{S - i}(u) >= F_S,
 *
 * so the exchange of i for k need not be fitted. This takes an f that is at most a ridge: otherwise prices would depend
 * on x.
 */
#include <math.h>
#include <string.h>

#include "search/exchange/internal.h"

enum { ABOVE = 1, BELOW = 2, BOTH = ABOVE | BELOW };

void excluded_take(struct exchange *a, struct workspace *w) {
    struct excluded *e = &a->excluded;
    const struct smooth *f = &a->problem->f;

    if (!a->is_single || a->is_steady || f->linear != NULL || f->term != NULL || a->problem->A->reduce != NULL ||
        (double)a->full * (double)a->set->units > EXCLUDED_ROOM) {
        return;
    }
    e->sides = workspace_array(w, a->full * a->set->units, 1);
    e->columns = workspace_integers(w, a->full);
    e->wanted = workspace_integers(w, a->columns);
    e->price = workspace_doubles(w, a->columns);
}

static unsigned char side_of(double price) {
    return (unsigned char)((price >= 0 ? ABOVE : 0) | (price <= 0 ? BELOW : 0)); /* NaN is on neither side */
}

/* Whether the dual vector of the present fit proves that F over its support is not below the current F. */
static int is_proof(const struct exchange *a) {
    double F = a->current.objective;

    return isgreaterequal(fit_estimate(a->fit), F - exchange_margin(a, F));
}

static int is_known(const struct exchange *a) {
    const struct current *c = &a->current;

    return a->excluded.size == c->size &&
           memcmp(a->excluded.columns, c->columns, (size_t)c->size * sizeof *c->columns) == 0;
}

void excluded_begin(struct exchange *a, int is_new) {
    struct excluded *e = &a->excluded;
    const struct current *c = &a->current;

    if (e->sides == NULL || (!is_new && is_known(a))) {
        return;
    }
    e->size = 0;
    if (!is_proof(a)) {
        return;
    }
    e->size = c->size;
    memcpy(e->columns, c->columns, (size_t)c->size * sizeof *c->columns);
    for (int64_t unit = 0; unit < a->set->units; unit++) {
        e->sides[unit] = side_of(c->price[unit_first(a, unit)]);
    }
    for (int64_t i = 1; i < c->unit_count; i++) {
        memcpy(e->sides + i * a->set->units, e->sides, (size_t)a->set->units);
    }
}

int excluded_is(const struct exchange *a, int64_t i, int64_t unit) {
    const struct excluded *e = &a->excluded;

    return e->size > 0 && e->sides[i * a->set->units + unit] == BOTH;
}

void excluded_learn(struct exchange *a, int64_t i, int64_t unit) {
    struct excluded *e = &a->excluded;
    unsigned char *sides = e->sides + i * a->set->units;
    int64_t count = 0;

    if (e->size == 0) {
        return;
    }
    sides[unit] = BOTH; /* it has been fitted */
    if (!is_proof(a)) {
        return;
    }
    for (int64_t k = 0; k < a->set->units; k++) {
        if (sides[k] != BOTH && a->current.position[unit_first(a, k)] < 0) {
            e->wanted[count++] = unit_first(a, k);
        }
    }
    linop_transpose_columns(a->problem->A, count, e->wanted, fit_dual(a->fit), e->price);
    linop_count_priced(a->problem->A, count);
    a->run->spent += 2 * (double)a->problem->A->nonzeros / (double)a->columns * (double)count;
    for (int64_t k = 0; k < count; k++) {
        sides[a->set->unit_of[e->wanted[k]]] |= side_of(e->price[k]);
    }
}
