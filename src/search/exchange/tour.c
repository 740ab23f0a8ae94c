/*
 * A tour: a walk on the squared loss in single precision, with many candidates at every step: all columns whose
 * products are kept, or the TOUR_COLUMNS most promising ones. stroll.c has the support and 64 others and takes more
 * time for a step. The best exchange among many columns leads to lower minima in as many steps.
 *
 * With too many columns for their products, but a small A, the tour has a copy of A in single precision (`image`), and
 * the products of a column are formed when it enters; then all columns are candidates as well. After TOUR_TURNS
 * exchanges a tour is rebuilt from numbers of double precision. If F has not followed the surrogate by then (columns
 * that nearly depend on each other) there are no more tours, and walks use stroll.c.
 */
#include <math.h>
#include <string.h>

#include "linalg/kernels.h"
#include "linalg/vector.h"
#include "search/exchange/internal.h"

/* Whether products have a place for every column, so that no place is ever reused. */
static int keeps_all(const struct exchange *a) {
    return a->products.most == a->columns;
}

int tour_has_image(const struct exchange *a) {
    return a->columns > PRODUCT_COLUMNS && a->problem->f.term == NULL && a->problem->A->reduce == NULL &&
           (double)a->rows * (double)a->columns <= TOUR_IMAGE;
}

static void take_lists(struct exchange *a, struct workspace *w) {
    struct tour *t = &a->tour;

    t->row = workspace_integers(w, t->most);
    t->few_scale = workspace_doubles(w, t->most);
    t->H = workspace_array(w, (a->full + TOUR_TURNS + 1) * t->tableau.pitch, sizeof *t->H);
}

void tour_take_image(struct exchange *a, struct workspace *w) {
    struct tour *t = &a->tour;

    take_lists(a, w);
    t->place = workspace_integers(w, a->columns);
    t->image = workspace_array(w, a->rows * t->tableau.pitch, sizeof *t->image);
    t->all_rows = workspace_integers(w, a->rows);
    t->entries = workspace_array(w, a->rows, sizeof *t->entries);
    for (int64_t i = 0; !w->failed && i < a->rows; i++) {
        t->all_rows[i] = i;
    }
}

void tour_take(struct exchange *a, struct workspace *w) {
    struct tour *t = &a->tour;

    if (!a->is_steady || a->problem->f.term != NULL) {
        return;
    }
    t->is_open = 1;
    t->most = a->full + NEAR_CANDIDATES > TOUR_COLUMNS ? a->full + NEAR_CANDIDATES : TOUR_COLUMNS;
    t->most = tour_has_image(a) ? a->columns : t->most < a->products.most ? t->most : a->products.most;
    t->pull = workspace_doubles(w, t->most);
    t->stays = workspace_array(w, a->capacity, 1);
    tableau_take(&t->tableau, a->full, t->most, w);
    t->few = workspace_integers(w, t->most);
    if (tour_has_image(a)) {
        tour_take_image(a, w);
    } else if (t->most < a->columns) {
        take_lists(a, w);
        t->fresh = workspace_doubles(w, t->most);
    }
}

/* ---- begin ------------------------------------------------------------------------------------------------------- */

/* The number of columns whose products are worth their cost by now: TOUR_START plus TOUR_CREDIT for each unit of work
 * on exchanges so far. If no products are kept between tours there is nothing to save, and all columns are taken. */
static int64_t width_of(const struct exchange *a) {
    const struct linop *A = a->problem->A;
    double budget = TOUR_START + a->tour.credit, mean = fmax(1, (double)A->nonzeros / (double)A->columns);
    int64_t least = NEAR_CANDIDATES + 2 * a->full, most = a->tour.most;
    int64_t width = keeps_all(a) ? (int64_t)fmin((double)most, sqrt(2 * budget / mean)) : most;

    width = width > least ? width : least;
    return width < most ? width : most;
}

/* Scale to the units of the tableau: columns of length 1, and no number above 1 at first. */
static void set_units(struct exchange *a) {
    const struct current *c = &a->current;
    struct tour *t = &a->tour;
    struct tableau *w = &t->tableau;
    double largest = 0;

    for (int64_t i = 0; i < c->size; i++) {
        w->x[i] = c->x[i] / t->scale[w->in[i]];
        largest = fmax(largest, fabs(w->x[i]));
    }
    for (int64_t q = 0; q < w->columns; q++) {
        t->pull[q] = -c->price[t->column[q]] * t->scale[q];
        largest = fmax(largest, fabs(t->pull[q]));
    }
    t->unit = isnormal(largest) ? largest : 1;
    vector_scale(c->size, 1 / t->unit, w->x);
    vector_scale(w->columns, 1 / t->unit, t->pull);
}

/* Use all columns whose products are kept. */
static void take_all(struct exchange *a) {
    const struct products *p = &a->products;
    const struct current *c = &a->current;
    struct tableau *w = &a->tour.tableau;

    a->tour.column = p->column;
    a->tour.scale = p->scale;
    w->columns = p->count;
    w->H = p->high;
    w->ld = p->pitch;
    for (int64_t i = 0; i < c->size; i++) {
        w->in[i] = w->row[i] = p->place[c->columns[i]];
    }
}

/* The products of one of the few with all of them, from kept products or formed now. */
static void form_row(struct exchange *a, int64_t place, float *H) {
    const struct products *p = &a->products;
    struct tour *t = &a->tour;
    int64_t columns = t->tableau.columns;

    if (t->image != NULL) {
        for (int64_t i = 0; i < a->rows; i++) {
            t->entries[i] = t->image[i * t->tableau.pitch + place];
        }
        kernels_best()->combine_rows(t->tableau.pitch - SINGLES, a->rows, 1, t->image, t->tableau.pitch, t->all_rows,
                                     t->entries, &H);
        a->run->spent += TOUR_STEP * (double)columns * (double)a->rows;
        return;
    }
    if (keeps_all(a)) {
        const float *row = p->high + p->place[t->few[place]] * p->pitch;

        for (int64_t e = 0; e < columns; e++) {
            H[e] = row[p->place[t->few[e]]];
        }
        return;
    }
    surrogate_row(a, t->few[place], columns, t->few, t->fresh);
    for (int64_t e = 0; e < columns; e++) {
        H[e] = (float)(t->fresh[e] * t->scale[place] * t->scale[e]);
    }
    a->run->spent += (double)columns * (double)a->problem->A->nonzeros / (double)a->columns;
}

/* Where the products of a column of the tour are in H. Those of the few are formed when the column first enters. */
static int64_t row_of(struct exchange *a, int64_t place) {
    struct tour *t = &a->tour;

    if (t->column != t->few) {
        return place;
    }
    if (t->row[place] < 0) {
        t->row[place] = t->rows++;
        form_row(a, place, t->H + t->row[place] * t->tableau.ld);
    }
    return t->row[place];
}

/* 1 / length of a column, where the length includes the curvature of f. */
static double length_scale(const struct exchange *a, int64_t column) {
    double whole = a->surrogate.norm[column] + a->surrogate.diagonal[column];

    return isnormal(whole) ? 1 / sqrt(whole) : 1;
}

/* List the columns that may be in and their lengths, and make the copy of A. */
static void draw_image(struct exchange *a) {
    struct tour *t = &a->tour;
    double *image = a->stroll.image;
    int64_t count = 0;

    for (int64_t j = 0; j < a->columns; j++) {
        t->place[j] = -1;
        if (a->set->unit_of[j] < 0 && !a->problem->is_free[j]) {
            continue;
        }
        linop_gather(a->problem->A, 1, &j, image, a->rows);
        t->few_scale[count] = length_scale(a, j);
        for (int64_t i = 0; i < a->rows; i++) {
            t->image[i * t->tableau.pitch + count] =
                (float)(sqrt(a->surrogate.weight[i]) * image[i] * t->few_scale[count]);
        }
        t->place[j] = count;
        t->few[count++] = j;
    }
    t->drawn = count;
}

/* Begin a tableau on this many of the few, without any products yet. */
static void begin_few(struct tour *t, int64_t columns) {
    struct tableau *w = &t->tableau;

    t->column = t->few;
    t->scale = t->few_scale;
    t->rows = 0;
    w->columns = columns;
    w->H = t->H;
    w->ld = w->pitch;
    for (int64_t q = 0; q < columns; q++) {
        t->row[q] = -1;
    }
}

/* Use all columns of the copy. */
static void take_drawn(struct exchange *a) {
    const struct current *c = &a->current;
    struct tour *t = &a->tour;
    struct tableau *w = &t->tableau;

    begin_few(t, t->drawn);
    for (int64_t i = 0; i < c->size; i++) {
        w->in[i] = t->place[c->columns[i]];
        w->row[i] = row_of(a, w->in[i]);
    }
}

/* Use the support and the candidates. */
static void take_few(struct exchange *a) {
    const struct products *p = &a->products;
    const struct surrogate *s = &a->surrogate;
    const struct current *c = &a->current;
    struct tour *t = &a->tour;
    struct tableau *w = &t->tableau;

    begin_few(t, c->size + s->count);
    for (int64_t q = 0; q < w->columns; q++) {
        t->few_scale[q] = keeps_all(a) ? p->scale[p->place[t->few[q]]] : length_scale(a, t->few[q]);
    }
    for (int64_t i = 0; i < c->size; i++) {
        w->in[i] = i;
        w->row[i] = row_of(a, i);
    }
}

static void fill_tableau(struct exchange *a) {
    const struct current *c = &a->current;
    struct tour *t = &a->tour;
    struct tableau *w = &t->tableau;

    w->inside = c->size;
    (t->image != NULL ? take_drawn : keeps_all(a) && a->products.count <= t->most ? take_all : take_few)(a);
    for (int64_t k = 0; k < c->size; k++) {
        for (int64_t i = 0; i < c->size; i++) {
            w->M[i + k * c->size] = a->surrogate.M[i + k * c->size] / (t->scale[w->in[i]] * t->scale[w->in[k]]);
        }
    }
    set_units(a);
    tableau_begin(w, t->pull);
}

/* F by the surrogate at the tour's present support. */
static double value_of(const struct tour *t) {
    return t->F + t->unit * t->unit * t->tableau.value;
}

/* Choose the candidates, and compute their products if these are kept. Returns 0 if the time is up. */
static int choose_columns(struct exchange *a, int64_t width) {
    struct tour *t = &a->tour;
    const struct current *c = &a->current;

    if (t->image != NULL) {
        if (t->drawn == 0) {
            draw_image(a);
        }
        return 1;
    }
    surrogate_choose(a, width - c->size);
    memcpy(t->few, c->columns, (size_t)c->size * sizeof *t->few);
    memcpy(t->few + c->size, a->surrogate.column, (size_t)a->surrogate.count * sizeof *t->few);
    return !keeps_all(a) || products_need(a, c->size + a->surrogate.count, t->few);
}

/* Build the tableau at the current support. Returns 0 if that fails or the time is up. */
static int build(struct exchange *a) {
    struct tour *t = &a->tour;
    struct current *c = &a->current;
    double expected = value_of(t);
    int64_t width = width_of(a);

    c->is_rough = 1;
    if (!surrogate_prepare(a, 0, NEAR_CANDIDATES + c->size)) {
        return 0;
    }
    if (t->is_live && !(fabs(c->objective - expected) <= TOUR_TRUST * fabs(t->F))) {
        t->is_open = 0;
        return 0;
    }
    if (!choose_columns(a, width)) {
        return 0;
    }
    fill_tableau(a);
    t->F = c->objective;
    t->turns = 0;
    t->is_live = 1;
    return 1;
}

/* Make the tour's support the current one, with a rough fit. */
static void leave(struct exchange *a) {
    tour_end(a);
    current_load(a, a->trail.size, a->trail.columns);
    current_set(a, a->trail.x);
}

void tour_end(struct exchange *a) {
    const struct tour *t = &a->tour;
    const struct tableau *w = &t->tableau;
    struct trail *trail = &a->trail;

    trail->size = w->inside;
    for (int64_t i = 0; i < w->inside; i++) {
        trail->columns[i] = t->column[w->in[i]];
        trail->x[i] = w->x[i] * t->scale[w->in[i]] * t->unit;
    }
}

/* ---- exchanges --------------------------------------------------------------------------------------------------- */

static void list_staying(struct exchange *a) {
    const struct tour *t = &a->tour;
    const struct tableau *w = &t->tableau;

    for (int64_t i = 0; i < w->inside; i++) {
        t->stays[i] = i < a->problem->free_count || a->tabu.leave[a->set->unit_of[t->column[w->in[i]]]] > a->tabu.step;
    }
}

/* The column whose best exchange is the best that is not tabu; -1: there is none. */
static int64_t best_entering(const struct exchange *a) {
    const struct tour *t = &a->tour;
    const struct tableau *w = &t->tableau;
    float lowest = INFINITY;
    int64_t best = -1;

    for (int64_t q = 0; q < w->columns; q++) {
        if (w->change[q] < lowest && a->tabu.enter[a->set->unit_of[t->column[q]]] <= a->tabu.step) {
            lowest = w->change[q];
            best = q;
        }
    }
    return best;
}

/* Make one exchange. Returns 0 if none is allowed. */
static int step(struct exchange *a) {
    struct tour *t = &a->tour;
    struct tableau *w = &t->tableau;
    int64_t enters, row;

    a->tabu.step++;
    list_staying(a);
    tableau_price(w, t->stays, DEPENDENT_SINGLE);
    enters = best_entering(a);
    if (enters < 0) {
        return 0;
    }
    if (w->change[enters] > 0 && value_of(t) < a->trail.lowest) { /* a minimum */
        tour_end(a);
        trail_keep(&a->trail, value_of(t), a->trail.size, a->trail.columns, a->trail.x);
    }
    row = tableau_row(w, enters);
    walk_bar(a, a->set->unit_of[t->column[w->in[row]]], a->set->unit_of[t->column[enters]]);
    tableau_turn(w, row, enters, row_of(a, enters));
    t->turns++;
    return 1;
}

int tour_go(struct exchange *a, int64_t steps) {
    struct tour *t = &a->tour;

    for (int64_t k = 0; k < steps; k++) {
        if (a->trail.size == 0) {
            t->is_live = 0;
        }
        if (!t->is_live || t->turns >= TOUR_TURNS) {
            if (t->is_live) {
                leave(a);
            }
            if (exchange_late(a) || !build(a)) {
                t->is_live = 0;
                return 0;
            }
            a->trail.size = t->tableau.inside;
        }
        if (!step(a)) {
            return 0;
        }
        t->credit += TOUR_CREDIT * (double)t->tableau.inside * (double)t->tableau.columns;
        a->run->spent += TOUR_STEP * (double)t->tableau.inside * (double)t->tableau.columns;
    }
    return 1;
}
