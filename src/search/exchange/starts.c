/* Starts: from a point, by orthogonal least squares, and by the promise of each unit at x = 0. */
#include <math.h>
#include <string.h>

#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/constants.h"
#include "search/exchange/internal.h"

/* ---- fill up a support ------------------------------------------------------------------------------------------- */

/* The unit with the highest promise p^2 / ||a||^2 at the present prices, among those that may still enter; -1: none. */
static int64_t most_promising(struct exchange *a) {
    const struct surrogate *s = &a->surrogate;
    double highest = -1;
    int64_t best = -1;

    for (int64_t unit = 0; unit < a->set->units; unit++) {
        double promise = 0;

        if (a->trials.slot[unit_first(a, unit)] >= 0 ||
            (!a->set->is_plain && !a->set->rule->may_enter(a->set, a->current.used, unit, -1))) {
            continue;
        }
        for (int64_t k = a->set->unit_start[unit]; k < a->set->unit_start[unit + 1]; k++) {
            int64_t q = a->set->unit_columns[k];
            double p = a->current.price[q], whole = s->norm[q] + s->diagonal[q];

            promise += whole > 0 && problem_clip(a->problem, q, -p) != 0 ? p * (p / whole) : 0;
        }
        if (promise > highest) {
            highest = promise;
            best = unit;
        }
    }
    return best;
}

/* Add the `units` most promising units to T, or fewer if the time is up; trials.slot marks what is in. Returns the size
 * of T. */
static int64_t enter_units(struct exchange *a, int64_t size, int64_t units) {
    for (int64_t i = 0; i < units && !exchange_late(a); i++) {
        int64_t unit = most_promising(a);

        if (unit < 0) {
            break;
        }
        for (int64_t k = a->set->unit_start[unit]; k < a->set->unit_start[unit + 1]; k++) {
            a->T[size] = a->set->unit_columns[k];
            a->Tx[size++] = 0;
        }
        a->trials.slot[unit_first(a, unit)] = 1;
        feasible_note(a->set, a->current.used, unit, 1);
    }
    return size;
}

/* Fill T up to the number of units allowed: at once if few are missing, else in stages with a fit after each. */
static int64_t fill_up(struct exchange *a, int64_t size, int64_t units) {
    int64_t target = a->run->sparsity, batch = (target - units + FILL_STAGES - 1) / FILL_STAGES;

    while (units < target) {
        int64_t more = target - units < batch ? target - units : batch, before = size;

        size = enter_units(a, size, more);
        units += more;
        if (size == before || units >= target || exchange_late(a)) {
            size = enter_units(a, size, target - units);
            break;
        }
        fit_set_support(a->fit, size, a->T);
        fit_set_x(a->fit, a->Tx);
        fit_warm(a->fit, INFINITY);
        vector_copy(size, fit_x(a->fit), a->Tx);
        vector_copy(a->rows, fit_dual(a->fit), a->current.u);
        linop_transpose(a->problem->A, a->current.u, a->current.price);
    }
    return size;
}

/* ---- from a point ------------------------------------------------------------------------------------------------ */

/* T: the free columns and the units with nonzeros in x, the larger first, as many columns as there is room for. */
static int64_t support_of(struct exchange *a, const double *x) {
    struct surrogate *s = &a->surrogate;
    int64_t size = a->problem->free_count, chosen;

    memcpy(a->T, a->problem->free_columns, (size_t)size * sizeof *a->T);
    for (int64_t q = 0; q < a->columns; q++) {
        int64_t unit = a->set->unit_of[q];

        s->score[q] = unit >= 0 ? x[q] * x[q] * s->norm[q] : 0;
        a->trials.slot[q] = -1;
    }
    chosen = a->set->rule->choose(a->set, a->units_most, a->columns, NULL, s->score, &a->choose, s->chosen);
    for (int64_t i = 0; i < chosen; i++) {
        int64_t unit = a->set->unit_of[s->chosen[i]];
        int is_new = unit >= 0 && a->trials.slot[unit_first(a, unit)] < 0;
        double in_x = 0;

        for (int64_t k = is_new ? a->set->unit_start[unit] : 0; is_new && k < a->set->unit_start[unit + 1]; k++) {
            in_x += fabs(x[a->set->unit_columns[k]]);
        }
        if (in_x > 0 && size + unit_size(a, unit) <= a->capacity) {
            a->trials.slot[unit_first(a, unit)] = 1;
            for (int64_t k = a->set->unit_start[unit]; k < a->set->unit_start[unit + 1]; k++) {
                a->T[size++] = a->set->unit_columns[k];
            }
        }
    }
    return size;
}

/* Prices at x, from a subgradient of the loss. */
static void price_at(struct exchange *a, const double *x) {
    const struct loss *h = &a->problem->h;
    const struct smooth *f = &a->problem->f;

    linop_multiply(a->problem->A, x, a->current.r);
    vector_axpy(a->rows, -1, a->problem->b, a->current.r);
    h->ops->subgradient(h, a->current.r, a->current.u);
    linop_transpose(a->problem->A, a->current.u, a->current.price);
    if (f->linear != NULL || f->term != NULL) {
        smooth_refresh(f, x, a->state);
        smooth_gradient(f, x, a->state, a->gradient);
        vector_axpy(a->columns, 1, a->gradient, a->current.price);
    }
}

/* Count the units of T in current.used, in place of those of the current support. */
static void count_used(struct exchange *a, int64_t size) {
    struct current *c = &a->current;

    for (int64_t i = 0; i < c->unit_count; i++) {
        feasible_note(a->set, c->used, c->units[i], -1);
    }
    c->unit_count = 0;
    for (int64_t k = a->problem->free_count; k < size; k++) {
        if (a->is_single || a->T[k] == unit_first(a, a->set->unit_of[a->T[k]])) {
            feasible_note(a->set, c->used, a->set->unit_of[a->T[k]], 1);
            c->units[c->unit_count++] = a->set->unit_of[a->T[k]];
        }
    }
}

/* Make T, whose units current.used counts, the current support. */
static void load_T(struct exchange *a, int64_t size) {
    struct current *c = &a->current;

    c->unit_count = 0;
    if (c->used != NULL) {
        memset(c->used, 0, (size_t)a->set->groups * sizeof *c->used);
    }
    current_load(a, size, a->T);
}

static void clear_slots(struct exchange *a) {
    for (int64_t q = 0; q < a->columns; q++) {
        a->trials.slot[q] = -1;
    }
}

void start_from(struct exchange *a, const double *x, int is_near) {
    int64_t size, units;

    sight_close(a);
    linop_column_squares(a->problem->A, a->surrogate.norm);
    a->surrogate.norm_age = 0;
    size = support_of(a, x);
    for (int64_t k = 0; k < size; k++) {
        a->Tx[k] = x[a->T[k]];
    }
    count_used(a, size);
    units = a->current.unit_count;
    if (units > a->run->sparsity) {
        exchange_shrink(a, size, 0);
        size = a->shrunk;
        if (size == 0) { /* the time is up: take the largest entries of x */
            a->units_most = a->run->sparsity;
            size = support_of(a, x);
            for (int64_t k = 0; k < size; k++) {
                a->Tx[k] = x[a->T[k]];
            }
        }
        is_near = 1;
    } else if (units < a->run->sparsity) {
        price_at(a, x);
        size = fill_up(a, size, units);
    }
    clear_slots(a);
    load_T(a, size);
    a->current.active.count = 0;
    fit_set_active(a->fit, &a->current.active);
    if (is_near) {
        current_warm(a, a->Tx);
    } else {
        fit_cold(a->fit);
        current_take(a);
    }
}

void start_marginal(struct exchange *a) {
    int64_t size = a->problem->free_count;

    sight_close(a);
    memset(a->all, 0, (size_t)a->columns * sizeof *a->all);
    linop_column_squares(a->problem->A, a->surrogate.norm);
    a->surrogate.norm_age = 0;
    memcpy(a->T, a->problem->free_columns, (size_t)size * sizeof *a->T);
    clear_slots(a);
    count_used(a, size);
    price_at(a, a->all);
    size = enter_units(a, size, a->run->sparsity);
    clear_slots(a);
    load_T(a, size);
    fit_cold(a->fit);
    current_take(a);
}

/* ---- orthogonal least squares ------------------------------------------------------------------------------------ */

/* The correlations with b and the squared norms of all columns after projection on the orthogonal complement of the
 * chosen columns. Their orthonormal basis is stored in the array for the current support's columns or, if these are not
 * copied, the factor of A_I'A_I is used instead. */
struct greedy {
    double *correlation, *square, *whole, *image; /* [columns] */
    double *basis;                                /* [rows x chosen] or NULL */
    double *L;                                    /* [capacity x capacity] by rows */
    int64_t *independent, rank;                   /* I: the chosen columns that do not depend on others */
    int64_t chosen;
};

static double dot_rows(const struct exchange *a, const double *x, const double *y) {
    double sum = vector_dot(a->rows, x, y);

    reduce_sum(a->problem->A->reduce, &sum, 1);
    return sum;
}

/* The unit whose columns explain most; -1: none may enter. A column that depends on the chosen ones explains nothing.
 */
static int64_t best_unit(struct exchange *a, const struct greedy *g) {
    double highest = -1;
    int64_t best = -1;

    for (int64_t unit = 0; unit < a->set->units; unit++) {
        double gain = 0;

        if (a->trials.slot[unit_first(a, unit)] >= 0 ||
            (!a->set->is_plain && !a->set->rule->may_enter(a->set, a->current.used, unit, -1))) {
            continue;
        }
        for (int64_t k = a->set->unit_start[unit]; k < a->set->unit_start[unit + 1]; k++) {
            int64_t q = a->set->unit_columns[k];

            gain += g->square[q] > START_VANISHED * g->whole[q] && problem_clip(a->problem, q, g->correlation[q]) != 0
                        ? g->correlation[q] * (g->correlation[q] / g->square[q])
                        : -0.5;
        }
        if (gain > highest) {
            highest = gain;
            best = unit;
        }
    }
    return best;
}

/* Subtract from column `fresh` its projection on the chosen columns, by the basis. */
static void project_by_basis(struct exchange *a, const struct greedy *g, double *fresh) {
    for (int pass = 0; g->chosen > 0 && pass < 2; pass++) {
        dense_dot_columns(a->rows, g->chosen, g->basis, a->rows, fresh, a->Tx);
        reduce_sum(a->problem->A->reduce, a->Tx, g->chosen);
        vector_scale(g->chosen, -1, a->Tx);
        dense_add_columns(a->rows, g->chosen, g->basis, a->rows, a->Tx, fresh);
    }
}

/* The same by normal equations; a second pass makes up for their rounding errors. */
static void project_by_factor(struct exchange *a, const struct greedy *g, double *fresh) {
    for (int pass = 0; g->rank > 0 && pass < 2; pass++) {
        linop_transpose_columns(a->problem->A, g->rank, g->independent, fresh, a->Tx);
        cholesky_solve(g->rank, g->L, a->capacity, a->Tx);
        vector_scale(g->rank, -1, a->Tx);
        linop_add_columns(a->problem->A, g->rank, g->independent, a->Tx, fresh);
    }
}

/* Add column q to I. */
static void append_to_factor(struct exchange *a, struct greedy *g, int64_t q) {
    linop_cross_column(a->problem->A, g->rank, g->independent, q, NULL, a->Tx);
    if (cholesky_append(g->rank, g->L, a->capacity, a->Tx, g->whole[q], START_DEPENDENT)) {
        g->independent[g->rank++] = q;
    }
}

static void include(struct exchange *a, struct greedy *g, int64_t q) {
    double *fresh = g->basis != NULL ? g->basis + g->chosen * a->rows : a->trials.line_d, norm, share;

    a->T[g->chosen] = q;
    linop_gather(a->problem->A, 1, &q, fresh, a->rows);
    if (g->basis != NULL) {
        project_by_basis(a, g, fresh);
    } else {
        project_by_factor(a, g, fresh);
    }
    g->chosen++;
    norm = sqrt(dot_rows(a, fresh, fresh));
    if (!isgreater(norm * norm, START_DEPENDENT * g->whole[q])) {
        memset(fresh, 0, (size_t)a->rows * sizeof *fresh);
        return;
    }
    if (g->basis == NULL) {
        append_to_factor(a, g, q);
    }
    vector_scale(a->rows, 1 / norm, fresh);
    linop_transpose(a->problem->A, fresh, g->image);
    share = dot_rows(a, fresh, a->problem->b);
    for (int64_t j = 0; j < a->columns; j++) {
        g->correlation[j] -= share * g->image[j];
        g->square[j] -= g->image[j] * g->image[j];
    }
}

/* The time is up: fit the columns chosen so far, which is better than no model. The search ends here. */
static void fit_what_is_there(struct exchange *a, int64_t chosen) {
    fit_set_support(a->fit, chosen, a->T);
    fit_cold(a->fit);
    fit_scatter(a->fit, a->all);
    run_offer(a->run, a->all, fit_objective(a->fit));
}

void start_greedy(struct exchange *a) {
    struct greedy g = {.correlation = a->current.price,
                       .square = a->surrogate.norm,
                       .whole = a->surrogate.score,
                       .image = a->surrogate.spare,
                       .basis = a->current.block,
                       .L = a->surrogate.M,
                       .independent = a->trials.list_columns};
    int64_t units = 0;

    sight_close(a);
    linop_transpose(a->problem->A, a->problem->b, g.correlation);
    linop_column_squares(a->problem->A, g.whole);
    vector_copy(a->columns, g.whole, g.square);
    a->surrogate.inverted_size = 0;
    a->surrogate.norm_age = 0; /* its array was used for the norms here */
    current_load(a, 0, NULL);  /* free the array of its columns for the basis */
    for (int64_t i = 0; i < a->problem->free_count; i++) {
        include(a, &g, a->problem->free_columns[i]);
    }
    for (; units < a->run->sparsity && !exchange_late(a); units++) {
        int64_t unit = best_unit(a, &g);

        if (unit < 0) {
            break;
        }
        a->trials.slot[unit_first(a, unit)] = 1;
        feasible_note(a->set, a->current.used, unit, 1);
        for (int64_t k = a->set->unit_start[unit]; k < a->set->unit_start[unit + 1]; k++) {
            include(a, &g, a->set->unit_columns[k]);
        }
    }
    clear_slots(a);
    if (a->is_stopped) {
        fit_what_is_there(a, g.chosen);
        return;
    }
    load_T(a, g.chosen);
    fit_cold(a->fit);
    current_take(a);
}
