/* Memory, starts and restarts of the exchange search: what callers use. */
#include "search/exchange.h"

#include <math.h>
#include <string.h>

#include "search/exchange/internal.h"

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Products with a copy of the support's columns are several times as fast. For sparse data only a small copy is worth
 * its memory. */
static int has_block(const struct exchange *a) {
    const struct linop *A = a->problem->A;

    return (double)a->rows * (double)a->full <= BLOCK_ROOM ||
           (double)A->nonzeros >= BLOCK_DENSITY * (double)A->rows * (double)A->columns;
}

double exchange_image_room(const struct linop *A) {
    double few = IMAGE_SHARE_MAPPED * (double)A->nonzeros, least = 2.0 * FEWEST_IMAGES * (double)A->rows;

    return fmin(A->is_mapped ? fmax(few, least) : IMAGE_ROOM, 2.0 * TRIALS * (double)A->rows);
}

static int64_t image_count(const struct exchange *a) {
    int64_t room = (int64_t)(exchange_image_room(a->problem->A) / 2) / (a->rows > 0 ? a->rows : 1);

    if (!a->is_single || a->current.block == NULL) {
        return 0;
    }
    return room < FEWEST_IMAGES ? FEWEST_IMAGES : smaller(room, TRIALS);
}

static void take_active(struct exchange *a, struct fit_active *active) {
    active->rows = workspace_integers(&a->workspace, a->capacity + 2);
    active->signs = workspace_array(&a->workspace, a->capacity + 2, 1);
}

static void take_current(struct exchange *a) {
    struct workspace *w = &a->workspace;
    struct current *c = &a->current;

    c->columns = workspace_integers(w, a->capacity);
    c->position = workspace_integers(w, a->columns);
    c->x = workspace_doubles(w, a->capacity);
    c->r = workspace_doubles(w, a->rows);
    c->u = workspace_doubles(w, a->rows);
    c->price = workspace_doubles(w, a->columns);
    c->block = has_block(a) ? workspace_doubles(w, a->rows * a->full) : NULL;
    c->used = workspace_integers(w, a->set->groups);
    c->units = workspace_integers(w, a->capacity);
    take_active(a, &c->active);
    for (int64_t i = 0; i < ELITES; i++) {
        a->elites.list[i].columns = workspace_integers(w, a->capacity);
        a->elites.list[i].x = workspace_doubles(w, a->capacity);
        take_active(a, &a->elites.list[i].active);
    }
}

static void take_surrogate(struct exchange *a) {
    struct workspace *w = &a->workspace;
    struct surrogate *s = &a->surrogate;
    int64_t square = a->capacity * a->capacity, products = s->most * a->set->largest;

    s->unit = workspace_integers(w, a->columns + 1);
    s->first = workspace_integers(w, a->columns + 2);
    s->column = workspace_integers(w, a->columns + 1);
    s->score = workspace_doubles(w, a->columns + a->capacity);
    s->spare = workspace_doubles(w, a->columns);
    s->chosen = workspace_integers(w, a->columns);
    s->left = workspace_doubles(w, a->columns);
    s->weight = workspace_doubles(w, a->rows);
    s->norm = workspace_doubles(w, a->columns);
    s->diagonal = workspace_doubles(w, a->columns);
    s->M = workspace_doubles(w, square);
    s->square = workspace_doubles(w, square);
    s->inverted = workspace_integers(w, a->capacity);
    s->G = workspace_doubles(w, a->full * products);
    s->V = workspace_doubles(w, a->full * products);
    s->schur = workspace_doubles(w, products);
    s->value = workspace_doubles(w, a->capacity);
    s->small = workspace_doubles(w, 6 * a->set->largest * a->set->largest);
}

static void take_trials(struct exchange *a) {
    struct workspace *w = &a->workspace;
    struct trials *t = &a->trials;
    int64_t images = t->images = image_count(a);

    t->list = workspace_array(w, 4 * TRIALS, sizeof *t->list);
    t->slot = workspace_integers(w, a->columns);
    t->entering = workspace_doubles(w, a->rows * images);
    t->Vb = workspace_doubles(w, a->full * images);
    t->leaving = workspace_doubles(w, a->rows * images);
    t->Mb = workspace_doubles(w, a->full * images);
    t->line_r = workspace_doubles(w, a->rows);
    t->line_d = workspace_doubles(w, a->rows);
    t->x0 = workspace_doubles(w, 2 * a->capacity);
    t->dx = workspace_doubles(w, 2 * a->capacity);
    t->list_columns = workspace_integers(w, 2 * a->capacity);
}

static void take_rest(struct exchange *a) {
    struct workspace *w = &a->workspace;

    a->state = workspace_doubles(w, smooth_state_size(&a->problem->f));
    a->all = workspace_doubles(w, a->columns);
    a->gradient = workspace_doubles(w, a->columns);
    a->T = workspace_integers(w, a->capacity);
    a->Tx = workspace_doubles(w, a->capacity);
    a->trail.columns = workspace_integers(w, a->capacity);
    a->trail.best = workspace_integers(w, a->capacity);
    a->trail.x = workspace_doubles(w, a->capacity);
    a->trail.best_x = workspace_doubles(w, a->capacity);
    a->tabu.enter = workspace_integers(w, a->set->units);
    a->tabu.leave = workspace_integers(w, a->set->units);
    feasible_work_init(&a->choose, a->set, w);
}

/* The number of columns in the largest support of s units, and room for twice as many units on the way. */
static void choose_sizes(struct exchange *a) {
    int64_t free = a->problem->free_count, s = a->run->sparsity;
    int64_t room = CANDIDATE_ROOM / (a->rows > 0 ? a->rows : 1) / a->set->largest;
    int64_t near;

    a->full = free + a->set->rule->most_columns(a->set, s);
    a->capacity = smaller(free + a->set->rule->most_columns(a->set, smaller(2 * s, a->set->units)), a->columns);
    a->capacity = a->capacity > a->full ? a->capacity : a->full;
    near = NEAR_CANDIDATES + a->full;
    a->surrogate.most = smaller(a->set->units, room > near ? room : near);
    a->units_most = smaller(2 * s, a->set->units);
}

static void fill_tables(struct exchange *a) {
    for (int64_t q = 0; q < a->columns; q++) {
        a->current.position[q] = -1;
        a->trials.slot[q] = -1;
        if (a->products.most > 0) {
            a->products.place[q] = -1;
        }
        a->surrogate.left[q] = 1;
        smooth_add_curvature(&a->problem->f, 1, &q, &a->surrogate.diagonal[q]);
    }
}

static spgm_error init(struct exchange *a, struct run *run, spgm_status *status) {
    const struct linop *A = run->problem->A;

    a->workspace.memory = A->memory;
    a->run = run;
    a->problem = run->problem;
    a->set = &a->problem->set;
    a->habits = a->problem->h.kind->reweights ? &habits_of_sums : &habits_of_peaks;
    a->rows = A->rows;
    a->columns = A->columns;
    a->is_single = a->set->largest <= 1;
    a->best = a->era = INFINITY;
    choose_sizes(a);
    take_current(a);
    take_surrogate(a);
    take_trials(a);
    stroll_take(a, &a->workspace);
    products_take(a, &a->workspace);
    tour_take(a, &a->workspace);
    sight_take(a, &a->workspace);
    excluded_take(a, &a->workspace);
    take_rest(a);
    if (a->workspace.failed) {
        return status_memory(status, a->workspace.bytes);
    }
    a->fit = fit_new(a->problem, a->capacity);
    if (a->fit == NULL) {
        return status_memory(status, fit_bytes(a->problem, a->capacity));
    }
    a->zero = fabs(problem_loss_at_zero(a->problem, a->current.r));
    fit_set_stop(a->fit, exchange_is_late, a);
    fill_tables(a);
    return SPGM_OK;
}

spgm_error exchange_new(struct run *run, struct exchange **search, spgm_status *status) {
    struct exchange *a = memory_array(1, sizeof *a);
    spgm_error error = a == NULL ? status_memory(status, sizeof *a) : init(a, run, status);

    *search = NULL;
    if (error != SPGM_OK) {
        exchange_free(a);
        return error;
    }
    *search = a;
    return SPGM_OK;
}

void exchange_free(struct exchange *a) {
    if (a != NULL) {
        fit_free(a->fit);
        workspace_free(&a->workspace);
        memory_free(a);
    }
}

spgm_error exchange_error(const struct exchange *a, spgm_status *status) {
    return fit_error(a->fit, status);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

void exchange_begin(struct exchange *a, const double *x) {
    start_from(a, x, 1);
    elites_remember(a);
    if (!exchange_late(a)) {
        start_greedy(a);
        if (!exchange_late(a)) {
            elites_remember(a);
        }
    }
    a->starts = a->elites.count;
}

static void descend_from(struct exchange *a, const struct elite *elite, double worthwhile) {
    if (islessequal(elite->objective, worthwhile) && !exchange_late(a)) {
        elites_recall(a, elite);
        exchange_descend(a);
        elites_remember(a);
    }
}

/* The better start is descended first. At the end the better result is the current support. */
void exchange_descend_starts(struct exchange *a, double worthwhile) {
    struct elites *e = &a->elites;
    int better = a->starts > 1 && e->list[1].objective < e->list[0].objective;
    int64_t count;
    double first;

    descend_from(a, &e->list[better], worthwhile);
    first = a->current.objective;
    count = e->count;
    if (a->starts > 1) {
        descend_from(a, &e->list[!better], worthwhile);
        if (isless(first, a->current.objective) && !exchange_late(a)) {
            elites_recall(a, &e->list[count - 1]);
        }
    }
}

void exchange_settle(struct exchange *a, const double *x) {
    start_from(a, x, 1);
    elites_remember(a);
}

void exchange_start(struct exchange *a, const double *x, int is_near, double worthwhile) {
    start_from(a, x, is_near);
    if (islessequal(a->current.objective, worthwhile)) {
        exchange_descend(a);
        elites_remember(a);
    }
}

/* Where the surrogate is F itself, a walk continues from restart to restart. Whether it has made CAUGHT restarts
 * without a lower F, and should be moved far away so that it does not stay in one valley. */
static int is_caught(struct exchange *a) {
    if (!a->is_steady) {
        return 0;
    }
    if (isless(a->current.objective, a->era - exchange_margin(a, a->era))) {
        a->era = a->current.objective;
        a->idle = 0;
    }
    return a->idle++ >= CAUGHT;
}

static void throw_off(struct exchange *a, const struct elite *from) {
    a->era = INFINITY;
    a->idle = 0;
    a->tabu.step += 1000000; /* the tabu list is empty now */
    elites_recall(a, from);
    walk_kick(a, 1 + (int64_t)(THROWN * (double)a->current.unit_count));
    exchange_descend(a);
}

/* If a walk ended at a known support it was too short, and the next one is twice as long (reactive tabu search: Battiti
 * and Tecchiolli, ORSA J. Computing 6, 1994). Without a time limit, ends that agree end the search instead. */
static void grow_restless(struct exchange *a) {
    if (!run_goes_by_time(a->run) || !elites_know(a)) {
        a->unrest = 0;
    } else if (a->unrest < MOST_UNREST) {
        a->unrest++;
    }
}

double exchange_origin(const struct exchange *a) {
    return a->origin;
}

void exchange_restart(struct exchange *a) {
    struct random *random = &a->run->random;
    double pick = random_uniform(random);
    const struct elite *first = &a->elites.list[random_below(random, a->elites.count)];
    const struct elite *second = &a->elites.list[random_below(random, a->elites.count)];
    const struct elite *better = second->objective < first->objective ? second : first;

    a->origin = INFINITY;
    if (a->restarts++ == 0 && a->problem->h.kind->is_quadratic) {
        start_marginal(a);
        walk_down(a);
    } else if (is_caught(a)) {
        throw_off(a, better);
    } else if (pick < a->habits->crossing && first != second) {
        elites_cross(a, first, second);
    } else if (a->set->units <= FEW_UNITS && pick > 1 - KICK_SHARE) {
        walk_kick(a, 1 + random_below(random, a->current.unit_count));
    } else {
        if (pick < a->habits->crossing + RECALL_SHARE) {
            elites_recall(a, better);
        }
        a->origin = a->current.objective;
        walk_away(a);
    }
    if (a->current.objective <= elites_worthwhile(a) || pick >= 1 - DESCEND_ANYWAY) {
        exchange_descend(a);
        grow_restless(a);
        elites_remember(a);
    }
}
