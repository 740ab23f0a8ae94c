/* Memory, and the search as a whole. */
#include "search/swap/swap.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/searcher.h"
#include "search/swap/internal.h"

/* Doubles that the block of candidate columns may take; enough for all columns of the paper's data. */
#define CANDIDATE_ROOM 16777216

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int swap_applies(const struct run *run) {
    return fit_is_warm(run->problem) && run->sparsity > 0 && run->sparsity < problem_candidates(run->problem);
}

static void take_current(struct swap *a) {
    struct workspace *w = &a->workspace;

    a->S = workspace_integers(w, a->size);
    a->position = workspace_integers(w, a->columns);
    a->x = workspace_doubles(w, a->size);
    a->r = workspace_doubles(w, a->rows);
    a->u = workspace_doubles(w, a->rows);
    a->price = workspace_doubles(w, a->columns);
    a->active.rows = workspace_integers(w, a->capacity + 2);
    a->active.signs = workspace_array(w, a->capacity + 2, 1);
    a->As = workspace_doubles(w, a->rows * a->capacity);
    a->full = workspace_doubles(w, a->columns);
    for (int64_t e = 0; e < SWAP_POOL; e++) {
        a->pool[e].support = workspace_integers(w, a->size);
        a->pool[e].x = workspace_doubles(w, a->size);
        a->pool[e].active.rows = workspace_integers(w, a->capacity + 2);
        a->pool[e].active.signs = workspace_array(w, a->capacity + 2, 1);
    }
}

static void take_model(struct swap *a) {
    struct workspace *w = &a->workspace;
    int64_t most = a->most_candidates;

    a->candidate = workspace_integers(w, a->columns);
    a->score = workspace_doubles(w, a->columns + a->capacity);
    a->spare = workspace_doubles(w, a->columns);
    a->left = workspace_doubles(w, a->columns);
    a->w = workspace_doubles(w, a->rows);
    a->norm = workspace_doubles(w, a->columns);
    a->basis = workspace_doubles(w, a->rows * a->size);
    a->M = workspace_doubles(w, a->capacity * a->capacity);
    a->square = workspace_doubles(w, a->capacity * a->capacity);
    a->G = workspace_doubles(w, a->size * most);
    a->V = workspace_doubles(w, a->size * most);
    a->schur = workspace_doubles(w, most);
    a->value = workspace_doubles(w, a->size);
    a->pairs = workspace_array(w, 4 * SWAP_PAIRS, sizeof *a->pairs);
}

static void take_funnel(struct swap *a) {
    struct workspace *w = &a->workspace;

    a->slot = workspace_integers(w, a->columns);
    a->slot_of = workspace_integers(w, a->columns);
    a->E = workspace_doubles(w, a->rows * SWAP_PAIRS);
    a->Vb = workspace_doubles(w, a->size * SWAP_PAIRS);
    a->Fj = workspace_doubles(w, a->rows * SWAP_PAIRS);
    a->Mb = workspace_doubles(w, a->size * SWAP_PAIRS);
    a->line_r = workspace_doubles(w, a->rows);
    a->line_d = workspace_doubles(w, a->rows);
    a->x0 = workspace_doubles(w, a->capacity);
    a->dx = workspace_doubles(w, a->capacity);
    a->ridge = workspace_doubles(w, a->capacity);
    a->T = workspace_integers(w, a->capacity);
    a->Tx = workspace_doubles(w, a->capacity);
    a->barred_in = workspace_integers(w, a->columns);
    a->barred_out = workspace_integers(w, a->columns);
}

/* Every row counts |r_i|. */
static int is_plain(const struct loss *h) {
    if (!h->kind->separable) {
        return 0;
    }
    for (int64_t i = 0; i < h->rows; i++) {
        if (h->up[i] != 1 || h->down[i] != 1 || h->dead[i] != 0) {
            return 0;
        }
    }
    return 1;
}

static int is_late(void *context) {
    return swap_late(context);
}

struct swap *swap_new(struct run *run) {
    struct swap *a = memory_array(1, sizeof *a);
    const struct linop *A = run->problem->A;
    int64_t room = CANDIDATE_ROOM / (A->rows > 0 ? A->rows : 1);

    if (a == NULL) {
        return NULL;
    }
    a->run = run;
    a->problem = run->problem;
    a->rows = A->rows;
    a->columns = A->columns;
    a->free = a->problem->free_count;
    a->size = a->free + run->sparsity;
    a->capacity = smaller(a->free + 2 * run->sparsity, a->columns);
    a->is_maximum = !a->problem->h.kind->separable;
    a->is_plain = is_plain(&a->problem->h);
    a->most_candidates = smaller(a->columns, room > swap_near(a) ? room : swap_near(a));
    a->best = INFINITY;
    take_current(a);
    take_model(a);
    take_funnel(a);
    a->fit = a->workspace.failed ? NULL : fit_new(a->problem, a->capacity);
    if (a->fit == NULL) {
        swap_free(a);
        return NULL;
    }
    a->stop = (struct stop){.must_stop = is_late, .context = a};
    fit_set_stop(a->fit, is_late, a);
    for (int64_t q = 0; q < a->columns; q++) {
        a->position[q] = -1;
        a->slot[q] = -1;
        a->left[q] = 1;
    }
    return a;
}

void swap_free(struct swap *a) {
    if (a != NULL) {
        fit_free(a->fit);
        workspace_free(&a->workspace);
        memory_free(a);
    }
}

void swap_restart(struct swap *a) {
    struct random *random = &a->run->random;
    double crossing = a->is_maximum ? 0.15 : 0.03;
    double pick = random_uniform(random);
    const struct elite *first = &a->pool[random_below(random, a->pooled)];
    const struct elite *second = &a->pool[random_below(random, a->pooled)];

    if (pick < crossing && first != second) {
        pool_cross(a, first, second);
    } else {
        if (pick < crossing + 0.05) {
            pool_recall(a, second->objective < first->objective ? second : first);
        }
        walk_away(a);
    }
    if (a->objective <= pool_worthwhile(a) || pick >= 0.9) { /* what is worse is descended now and then */
        swap_descend(a, 0);
        pool_remember(a);
    }
}

/* ---- what auto drives -------------------------------------------------------------------------------- */

static spgm_error create(struct run *run, void **object, spgm_status *status) {
    *object = swap_new(run);
    return *object == NULL ? status_memory(status, (size_t)run->problem->A->columns * sizeof(double)) : SPGM_OK;
}

static void destroy(void *object) {
    swap_free(object);
}

static void descend_from(struct swap *a, const struct elite *elite) {
    if (!swap_late(a)) {
        pool_recall(a, elite);
        swap_descend(a, 0);
        pool_remember(a);
    }
}

/* From x and from the greedy start, the better one first; the better end is the current support. */
static spgm_error begin(void *object, const double *x, spgm_status *status) {
    struct swap *a = object;
    int better;

    if (!fit_reserve(a->fit)) {
        return fit_error(a->fit, status);
    }
    swap_start_near(a, x);
    pool_remember(a);
    if (!swap_late(a)) {
        swap_start_greedy(a);
        if (!swap_late(a)) {
            pool_remember(a);
        }
    }
    better = a->pooled > 1 && a->pool[1].objective < a->pool[0].objective;
    descend_from(a, &a->pool[better]);
    if (a->pooled > 1) {
        double first = a->objective;
        int64_t count = a->pooled;

        descend_from(a, &a->pool[!better]);
        if (isless(first, a->objective) && !swap_late(a)) {
            pool_recall(a, &a->pool[count - 1]);
        }
    }
    return SPGM_OK;
}

static spgm_error improve(struct swap *a, double worthwhile) {
    if (islessequal(a->objective, worthwhile)) {
        swap_descend(a, 0);
        pool_remember(a);
    }
    return SPGM_OK;
}

static spgm_error start_from(void *object, const double *x, double worthwhile, spgm_status *status) {
    struct swap *a = object;

    if (!fit_reserve(a->fit)) {
        return fit_error(a->fit, status);
    }
    swap_start_from(a, x);
    return improve(a, worthwhile);
}

static spgm_error start_near(void *object, const double *x, double worthwhile, spgm_status *status) {
    struct swap *a = object;

    if (!fit_reserve(a->fit)) {
        return fit_error(a->fit, status);
    }
    swap_start_near(a, x);
    return improve(a, worthwhile);
}

static spgm_error restart(void *object, spgm_status *status) {
    (void)status;
    swap_restart(object);
    return SPGM_OK;
}

static spgm_error verify(void *object, int *verdict, spgm_status *status) {
    (void)status;
    *verdict = swap_verify(object);
    return SPGM_OK;
}

static double verify_work(const void *object) {
    return swap_verify_work(object);
}

static double objective(const void *object) {
    return swap_objective(object);
}

const struct searcher searcher_swap = {
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .start_from = start_from,
    .start_near = start_near,
    .restart = restart,
    .verify = verify,
    .verify_work = verify_work,
    .objective = objective,
};
