#include "select/quick.h"

#include <math.h>
#include <string.h>

#include "fit/fit.h"
#include "linalg/vector.h"
#include "search/enumerate.h"
#include "search/exchange.h"
#include "select/constants.h"

/* Where a quick search is. */
struct place {
    const struct quick *quick;
    struct problem *framed;
    double *unit;     /* of the framed ridges: those of the largest one [columns] */
    double *models;   /* the last model of each ridge [columns x ridges]          */
    double *raw;      /* [data's columns]  */
    int64_t *support; /* [columns]         */
    int64_t s, done;  /* the s at hand; models found */
    struct workspace workspace;
};

void quick_forget(struct quick_trail *trail) {
    workspace_free(&trail->workspace);
    *trail = (struct quick_trail){0};
}

/* ---- between rounds ---------------------------------------------------------------------------------------------- */

static void recall(const struct place *place) {
    const struct quick_trail *trail = place->quick->trail;
    int64_t n = place->framed->A->columns;

    for (int64_t k = 0; trail->sizes != NULL && k < place->quick->ridge_count; k++) {
        for (int64_t i = 0; i < trail->sizes[k]; i++) {
            place->models[k * n + trail->columns[k][i]] = trail->values[k][i];
        }
    }
}

static spgm_error remember(struct place *place, spgm_status *status) {
    struct quick_trail *trail = place->quick->trail;
    struct workspace *workspace = &trail->workspace;
    int64_t n = place->framed->A->columns, ridges = place->quick->ridge_count;

    quick_forget(trail);
    trail->sizes = workspace_integers(workspace, ridges);
    trail->columns = workspace_array(workspace, ridges, sizeof *trail->columns);
    trail->values = workspace_array(workspace, ridges, sizeof *trail->values);
    for (int64_t k = 0; !workspace->failed && k < ridges; k++) {
        const double *x = place->models + k * n;
        int64_t size = fit_support_of(place->framed, x, place->support);

        trail->columns[k] = workspace_integers(workspace, size);
        trail->values[k] = workspace_doubles(workspace, size);
        for (int64_t i = 0; !workspace->failed && i < size; i++) {
            trail->columns[k][i] = place->support[i];
            trail->values[k][i] = x[place->support[i]];
        }
        trail->sizes[k] = workspace->failed ? 0 : size;
    }
    return workspace->failed ? status_memory(status, workspace->bytes) : SPGM_OK;
}

/* ---- one model --------------------------------------------------------------------------------------------------- */

static int tick(const spgm_progress *inner, void *context) {
    const struct place *place = context;
    const struct quick *quick = place->quick;
    spgm_progress progress = *inner;

    progress.fraction = (double)place->done / (double)(quick->count * (quick->last_ridge - quick->first_ridge));
    return quick->progress(&progress, quick->progress_context);
}

/* The caller hears of every model, however quick the search was. */
static int is_told_to_stop(struct place *place, int64_t support) {
    const spgm_progress progress = {
        .method = "folds", .objective = NAN, .best = NAN, .penalised = NAN, .support = support};

    return place->quick->progress != NULL && tick(&progress, place);
}

/* The better one of two starts improved by exchanges; `beside` may be NULL. */
static void improve(struct exchange *search, const double *below, const double *beside) {
    double by_below;

    if (beside == NULL) {
        exchange_start(search, below, 1, INFINITY);
        return;
    }
    exchange_start(search, below, 1, -INFINITY);
    by_below = exchange_objective(search);
    exchange_start(search, beside, 1, by_below);
    if (isgreater(exchange_objective(search), by_below)) {
        exchange_start(search, below, 1, INFINITY);
    }
}

static spgm_error search_from(struct run *run, const double *below, const double *beside, spgm_status *status) {
    struct exchange *search = NULL;
    spgm_error error = exchange_new(run, &search, status);

    if (error == SPGM_OK) {
        improve(search, below, beside);
        error = exchange_error(search, status);
    }
    exchange_free(search);
    return error;
}

/* Multiplications that exchanges may take beyond QUICK_FREE columns, where a fit costs most. */
static double allowance_of(const struct place *place) {
    double work = place->framed->h.ops->derivatives == NULL ? QUICK_WORK : QUICK_WORK_SMOOTH;

    return place->s > QUICK_FREE ? work : INFINITY;
}

/* The model of the s at hand with the framed ridges as they are, into `model`, which holds that of the s before. */
static spgm_error find_model(struct place *place, const double *beside, double *model, spgm_status *status) {
    struct workspace workspace = {.memory = place->framed->A->memory};
    struct run run;
    spgm_error error;

    run_init(&run, place->framed, place->s, place->quick->options, &workspace);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
        workspace_free(&workspace);
        return error;
    }
    run.progress = place->quick->progress == NULL ? NULL : tick;
    run.progress_context = place;
    run.interrupted = place->quick->stop;
    run.phase = "folds";
    run.allowance = allowance_of(place);
    error = enumerate_count(&run) == 1 ? enumerate_run(&run, status) : search_from(&run, model, beside, status);
    if (error == SPGM_OK && isfinite(run.best_objective)) {
        vector_copy(place->framed->A->columns, run.best_x, model);
    }
    workspace_free(&workspace);
    return error;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void set_ridge(struct place *place, int64_t k) {
    const struct quick *quick = place->quick;
    double share = quick->ridges[0] > 0 ? quick->ridges[k] / quick->ridges[0] : 1;

    for (int64_t j = 0; j < place->framed->A->columns; j++) {
        place->framed->f.ridge[j] = share * place->unit[j];
    }
}

static spgm_error find_all(struct place *place, spgm_status *status) {
    const struct quick *quick = place->quick;
    int64_t n = place->framed->A->columns;
    spgm_error error = SPGM_OK;

    for (int64_t i = 0; i < quick->count; i++) {
        place->s = quick->sparsities[i];
        for (int64_t k = quick->first_ridge; k < quick->last_ridge; k++) {
            double *model = place->models + k * n, intercept;

            set_ridge(place, k);
            error = find_model(place, k > quick->first_ridge ? model - n : NULL, model, status);
            if (error != SPGM_OK || *quick->stop) {
                return error;
            }
            problem_unscale(place->framed, model, place->raw, &intercept);
            error = quick->found(quick->found_context, i, k, place->raw, intercept, status);
            place->done++;
            if (error != SPGM_OK || is_told_to_stop(place, place->s)) {
                return error;
            }
        }
    }
    return SPGM_OK;
}

static spgm_error take_arrays(struct place *place, spgm_status *status) {
    struct workspace *workspace = &place->workspace;
    int64_t n = place->framed->A->columns, ridges = place->quick->ridge_count;

    place->unit = workspace_doubles(workspace, n);
    place->models = workspace_doubles(workspace, n > INT64_MAX / 8 / ridges ? -1 : n * ridges);
    place->raw = workspace_doubles(workspace, place->quick->problem->A.columns);
    place->support = workspace_integers(workspace, n);
    if (workspace->failed) {
        return status_memory(status, workspace->bytes);
    }
    vector_copy(n, place->framed->f.ridge, place->unit);
    return SPGM_OK;
}

spgm_error quick_run(const struct quick *quick, spgm_status *status) {
    struct problem framed = {0};
    struct place place = {.quick = quick, .framed = &framed};
    spgm_error error = problem_frame(quick->problem, 1, &framed, status); /* with the largest ridge */

    if (error != SPGM_OK) {
        return error;
    }
    error = take_arrays(&place, status);
    if (error == SPGM_OK) {
        recall(&place);
        error = find_all(&place, status);
    }
    if (error == SPGM_OK) {
        error = remember(&place, status);
    }
    workspace_free(&place.workspace);
    problem_unframe(&framed);
    return error;
}
