/*
 * The surrogate: a quadratic model of F around a fitted support S with dual vector u,
 *
 *     F(x + d) ~ F(x) + p'd + 1/2 d'(A'W A + Omega) d,      p = A'u + grad f(x).
 *
 * It is exact to first order; the curvature W comes from the loss, Omega is that of f. For candidates C let
 * G = A_S'WA_C + Omega_SC, M = (A_S'WA_S + Omega_SS)^-1, V = M G, and c_q = a_q'Wa_q + Omega_qq - g_q'v_q the Schur
 * complements. The best step with column q in and column j out changes the surrogate by
 *
 *     -p_q^2 / (2 c_q) + (x_j + v_jq p_q / c_q)^2 / (2 (M_jj + v_jq^2 / c_q)),
 *
 * so after one product of size rows x |S| x |C| every exchange costs O(1). blocks.c treats units of several columns.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/select.h"
#include "linalg/vector.h"
#include "search/constants.h"
#include "search/exchange/internal.h"

void surrogate_weigh(struct exchange *a, int level) {
    const struct loss *h = &a->problem->h;

    a->surrogate.floor = h->ops->curvature(h, a->current.r, a->current.u, level % h->kind->levels, a->surrogate.weight);
}

/* Whether x is at a bound; such columns do not move in the surrogate. */
static int is_held(const struct exchange *a, int64_t column, double x) {
    const struct problem *p = a->problem;

    return p->lower != NULL && (x <= p->lower[column] || x >= p->upper[column]);
}

/* Whether M is valid for these columns because it was updated by the exchanges that led to them. After INVERSE_TURNS
 * updates it is formed again, because of rounding errors. */
static int is_inverted(const struct exchange *a, int64_t size, const int64_t *columns) {
    const struct surrogate *s = &a->surrogate;

    return a->is_steady && s->inverted_size == size && s->turns < INVERSE_TURNS &&
           memcmp(s->inverted, columns, (size_t)size * sizeof *columns) == 0;
}

int surrogate_invert(struct exchange *a, int64_t size, const int64_t *columns, const double *x) {
    struct surrogate *s = &a->surrogate;
    struct stop stop = {.must_stop = exchange_is_late, .context = a};
    double largest = 0;

    if (is_inverted(a, size, columns)) {
        return 1;
    }
    s->inverted_size = 0;
    if (!(a->products.most > 0 ? products_gram(a, size, columns, s->M)
                               : linop_gram_until(a->problem->A, size, columns, s->weight, s->M, &stop)) ||
        !smooth_add_curvature_until(&a->problem->f, size, columns, s->M, &stop)) {
        return 0;
    }
    for (int64_t k = 0; k < size; k++) {
        largest = fmax(largest, s->M[k * size + k]);
    }
    largest = largest > 0 ? largest : 1;
    for (int64_t k = 0; k < size; k++) {
        s->M[k * size + k] += (is_held(a, columns[k], x[k]) ? SURROGATE_HELD : SURROGATE_RIDGE) * largest;
    }
    if (!dense_factor_until(size, s->M, size, &stop) || !dense_invert_until(size, s->M, s->square, &stop)) {
        return 0;
    }
    s->inverted_size = size;
    s->turns = 0;
    memcpy(s->inverted, columns, (size_t)size * sizeof *columns);
    return 1;
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

double surrogate_promise(const struct exchange *a, int64_t q, double square) {
    const struct surrogate *s = &a->surrogate;
    double whole = (square + s->diagonal[q]) * s->left[q], p = a->current.price[q];

    if (!isgreater(whole, 0) || !isgreater(square + s->diagonal[q], 0) ||
        problem_clip(a->problem, q, -p / whole) == 0) {
        return 0;
    }
    return p * (p / whole);
}

/* The same for all units when these are single columns without bounds: the same numbers, without unpredictable
 * branches. */
static int64_t list_columns_outside(struct exchange *a) {
    struct surrogate *s = &a->surrogate;
    const struct current *c = &a->current;
    int64_t outside = 0;

    for (int64_t i = 0; i < a->set->units; i++) {
        int64_t q = a->set->unit_columns[i];
        double square = s->norm[q] + s->diagonal[q], whole = square * s->left[q], p = c->price[q];
        double promise = p * (p / whole);

        s->score[outside] = promise;
        s->unit[outside] = i;
        outside += (c->position[q] < 0) & (square > 0) & (whole > 0) & (promise > 0);
    }
    return outside;
}

/* The units outside S that are in sight, with the promise of their columns. */
static int64_t list_outside(struct exchange *a) {
    struct surrogate *s = &a->surrogate;
    const struct sight *t = &a->sight;
    int64_t outside = 0, all = t->count > 0 ? t->count : a->set->units;

    if (t->count == 0 && a->set->unit_start[all] == all && a->problem->lower == NULL) {
        return list_columns_outside(a);
    }
    for (int64_t i = 0; i < all; i++) {
        int64_t unit = t->count > 0 ? a->set->unit_of[t->columns[i]] : i;
        double promise = 0;

        if (unit < 0 || a->current.position[unit_first(a, unit)] >= 0) {
            continue;
        }
        for (int64_t k = a->set->unit_start[unit]; k < a->set->unit_start[unit + 1]; k++) {
            int64_t q = a->set->unit_columns[k];

            promise += surrogate_promise(a, q, s->norm[q]);
        }
        if (promise > 0) {
            s->score[outside] = promise;
            s->unit[outside++] = unit;
        }
    }
    return outside;
}

/* The columns of the candidates, in order. */
static void list_columns(struct exchange *a) {
    struct surrogate *s = &a->surrogate;
    int64_t count = 0;

    for (int64_t c = 0; c < s->count; c++) {
        s->first[c] = count;
        for (int64_t k = a->set->unit_start[s->unit[c]]; k < a->set->unit_start[s->unit[c] + 1]; k++) {
            s->column[count++] = a->set->unit_columns[k];
        }
    }
    s->first[s->count] = count;
}

void surrogate_set(struct exchange *a, int64_t count) {
    a->surrogate.count = count;
    list_columns(a);
}

void surrogate_choose(struct exchange *a, int64_t count) {
    struct surrogate *s = &a->surrogate;
    int64_t outside = list_outside(a);

    s->count = count < s->most ? count : s->most;
    if (s->count >= outside) {
        s->count = outside;
    } else {
        select_largest(outside, s->score, s->count, s->chosen, s->spare);
        for (int64_t c = 0; c < s->count; c++) {
            s->unit[c] = s->unit[s->chosen[c]]; /* s->chosen ascends, so no entry is overwritten before it is read */
        }
    }
    list_columns(a);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

void surrogate_row(struct exchange *a, int64_t column, int64_t count, const int64_t *columns, double *row) {
    const struct linop *A = a->problem->A;
    double *image = a->stroll.image;

    linop_gather(A, 1, &column, image, a->rows);
    for (int64_t i = 0; i < a->rows; i++) {
        image[i] *= a->surrogate.weight[i];
    }
    linop_transpose_columns(A, count, columns, image, row);
    smooth_add_cross(&a->problem->f, 1, &column, count, columns, row, 1);
}

int surrogate_cross(struct exchange *a) {
    const struct linop *A = a->problem->A;
    const struct current *c = &a->current;
    struct surrogate *s = &a->surrogate;
    int64_t all = s->first[s->count];

    for (int64_t q = 0; q < all; q += CANDIDATE_BLOCK) {
        int64_t count = all - q < CANDIDATE_BLOCK ? all - q : CANDIDATE_BLOCK;

        if (q > 0 && exchange_late(a)) {
            return 0;
        }
        linop_count(A, c->size * count, 0);
        A->ops->cross(A, c->size, c->columns, count, s->column + q, s->weight, s->G + q * c->size, c->size);
    }
    reduce_sum(A->reduce, s->G, c->size * all);
    smooth_add_cross(&a->problem->f, c->size, c->columns, all, s->column, s->G, c->size);
    if (s->norm_age > 1 && !a->problem->h.kind->is_quadratic) { /* the norms are from an earlier surrogate */
        linop_weighted_squares(A, all, s->column, s->weight, s->schur);
        for (int64_t q = 0; q < all; q++) {
            s->norm[s->column[q]] = s->schur[q];
        }
    }
    return 1;
}

/* V, and the Schur complements of the candidates. Returns 0 if the time is up. */
static int complements(struct exchange *a) {
    struct surrogate *s = &a->surrogate;
    int64_t size = a->current.size, all = s->first[s->count];

    memset(s->V, 0, (size_t)(size * all) * sizeof *s->V);
    for (int64_t q = 0; q < all; q += CANDIDATE_BLOCK) {
        int64_t count = all - q < CANDIDATE_BLOCK ? all - q : CANDIDATE_BLOCK;

        if (q > 0 && exchange_late(a)) {
            return 0;
        }
        dense_multiply(size, count, size, 1, s->M, size, s->G + q * size, size, s->V + q * size, size);
    }
    for (int64_t q = 0; q < all; q++) {
        double whole = s->norm[s->column[q]] + s->diagonal[s->column[q]];

        s->schur[q] = whole - vector_dot(size, s->G + q * size, s->V + q * size);
        s->left[s->column[q]] = fmax(s->schur[q] / whole, SURROGATE_LEFT);
    }
    return 1;
}

/* ---- a rough fit ------------------------------------------------------------------------------------------------- */

/* One reweighted least-squares step on S in place of an exact fit, then its dual estimate and the prices. */
static void rough_fit(struct exchange *a) {
    const struct loss *h = &a->problem->h;
    const struct smooth *f = &a->problem->f;
    struct current *c = &a->current;
    struct surrogate *s = &a->surrogate;
    double *g = a->trials.x0, *d = a->trials.dx;

    h->ops->surrogate_slope(h, s->floor, c->r, s->weight, c->u);
    if (c->block != NULL) {
        dense_dot_columns(a->rows, c->size, c->block, a->rows, c->u, g);
        reduce_sum(a->problem->A->reduce, g, c->size);
    } else {
        linop_transpose_columns(a->problem->A, c->size, c->columns, c->u, g);
    }
    current_smooth_value(a); /* sets the state of f at x */
    smooth_gradient_columns(f, a->all, a->state, c->size, c->columns, d);
    for (int64_t k = 0; k < c->size; k++) {
        g[k] = -(g[k] + d[k]);
    }
    dense_dot_columns(c->size, c->size, s->M, c->size, g, d); /* M is symmetric */
    for (int64_t k = 0; k < c->size; k++) {
        double x = problem_clip(a->problem, c->columns[k], c->x[k] + d[k]);

        d[k] = x - c->x[k];
        c->x[k] = x;
    }
    current_add(a, d, c->r);
    h->ops->surrogate_slope(h, s->floor, c->r, s->weight, c->u);
    c->objective = current_smooth_value(a) + h->ops->value(h, c->r);
    sight_price(a);
}

/* Whether the norms must be recomputed. With weights that never change they stay valid. Otherwise older norms are good
 * enough to choose candidates, except before a descent ends. */
static int is_norm_due(const struct exchange *a) {
    const struct surrogate *s = &a->surrogate;

    return s->norm_age == 0 || (!a->problem->h.kind->is_quadratic && (s->norm_age >= NORM_AGE || a->is_doubtful));
}

int surrogate_prepare(struct exchange *a, int level, int64_t count) {
    struct surrogate *s = &a->surrogate;
    struct current *c = &a->current;

    exchange_count(a, count);
    surrogate_weigh(a, level);
    if (!surrogate_invert(a, c->size, c->columns, c->x)) {
        return 0;
    }
    if (c->is_rough) {
        rough_fit(a);
    }
    if (a->sight.most > 0 && a->sight.count == 0) {
        sight_choose(a, count);
    }
    if (is_norm_due(a)) {
        sight_norms(a);
        s->norm_age = 0;
    }
    s->norm_age++;
    surrogate_choose(a, count);
    return 1;
}

int surrogate_build(struct exchange *a, int level, int64_t candidates) {
    return surrogate_prepare(a, level, candidates) && surrogate_cross(a) && complements(a);
}
