#include "select/quick.h"

#include <math.h>
#include <string.h>

#include "fit/fit.h"
#include "linalg/vector.h"
#include "search/enumerate.h"
#include "search/exchange.h"
#include "select/constants.h"

/* The state of a quick search. */
struct place {
    const struct quick *quick;
    struct problem *framed;
    struct problem guide; /* the guide: a smooth loss, if the loss has one (problem_guide) */
    int has_guide;
    double *unit;     /* framed ridge of each column for the largest ridge [columns] */
    double *models;   /* the last model of each ridge, then under the guide [columns x models] */
    double *raw;      /* [data's columns] */
    int64_t *support; /* [columns] */
    int64_t s, done;  /* current s; number of models found */
    struct workspace workspace;
};

void quick_forget(struct quick_trail *trail) {
    workspace_free(&trail->workspace);
    *trail = (struct quick_trail){0};
}

/* ---- between rounds ---------------------------------------------------------------------------------------------- */

int64_t quick_models(const spgm_problem *problem, int64_t ridges) {
    return ridges * (problem->loss->guide != NULL ? 2 : 1);
}

static void recall(const struct place *place) {
    const struct quick_trail *trail = place->quick->trail;
    int64_t n = place->framed->A->columns;

    for (int64_t k = 0; trail->sizes != NULL && k < trail->count; k++) {
        for (int64_t i = 0; i < trail->sizes[k]; i++) {
            place->models[k * n + trail->columns[k][i]] = trail->values[k][i];
        }
    }
}

static spgm_error remember(struct place *place, spgm_status *status) {
    struct quick_trail *trail = place->quick->trail;
    struct workspace *workspace = &trail->workspace;
    int64_t n = place->framed->A->columns, count = quick_models(place->quick->problem, place->quick->ridge_count);

    quick_forget(trail);
    trail->count = count;
    trail->sizes = workspace_integers(workspace, count);
    trail->columns = workspace_array(workspace, count, sizeof *trail->columns);
    trail->values = workspace_array(workspace, count, sizeof *trail->values);
    for (int64_t k = 0; !workspace->failed && k < count; k++) {
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

/* Report every model to the callback, even if the search was too quick to do so. Returns nonzero to stop. */
static int is_told_to_stop(struct place *place, int64_t support) {
    const spgm_progress progress = {
        .method = "folds", .objective = NAN, .best = NAN, .penalised = NAN, .support = support};

    return place->quick->progress != NULL && tick(&progress, place);
}

struct start {
    const double *x;
    int is_near; /* x is near the fit on its support; for a model under another loss only the support is of use */
};

/* Take the best of at least one start and improve it by exchanges. */
static void improve(struct exchange *search, const struct start *starts, int64_t count) {
    int64_t last = count - 1, best = 0;
    double lowest = INFINITY;

    for (int64_t i = 0; i < count; i++) {
        exchange_start(search, starts[i].x, starts[i].is_near, i < last ? -INFINITY : lowest);
        if (!isgreater(exchange_objective(search), lowest)) {
            lowest = exchange_objective(search);
            best = i;
        }
    }
    if (best < last) {
        exchange_start(search, starts[best].x, starts[best].is_near, INFINITY);
    }
}

static spgm_error search_from(struct run *run, const struct start *starts, int64_t count, spgm_status *status) {
    struct exchange *search = NULL;
    spgm_error error = exchange_new(run, &search, status);

    if (error == SPGM_OK) {
        improve(search, starts, count);
        error = exchange_error(search, status);
    }
    exchange_free(search);
    return error;
}

/* Find the model for the current s and the framed ridges under the loss of `framed`. `model` holds the model of the
 * previous s, which is one start, and receives the result. `beside` (next larger ridge) and `guide` are further starts
 * or NULL. */
static spgm_error find_model(struct place *place, struct problem *framed, double *model, const double *beside,
                             const double *guide, spgm_status *status) {
    struct workspace workspace = {.memory = framed->A->memory};
    struct start starts[3] = {{model, 1}};
    int64_t count = 1;
    struct run run;
    spgm_error error;

    if (beside != NULL) {
        starts[count++] = (struct start){beside, 1};
    }
    if (guide != NULL) {
        starts[count++] = (struct start){guide, 0};
    }
    run_init(&run, framed, place->s, place->quick->options, &workspace);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
        workspace_free(&workspace);
        return error;
    }
    run.progress = place->quick->progress == NULL ? NULL : tick;
    run.progress_context = place;
    run.interrupted = place->quick->stop;
    run.phase = "folds";
    run.allowance = place->s > QUICK_FREE ? QUICK_WORK : INFINITY;
    error = enumerate_count(&run) == 1 ? enumerate_run(&run, status) : search_from(&run, starts, count, status);
    if (error == SPGM_OK && isfinite(run.best_objective)) {
        vector_copy(framed->A->columns, run.best_x, model);
    }
    workspace_free(&workspace);
    return error;
}

/* Find the model for the current s and the k-th ridge, after that of the guide. */
static spgm_error find_at(struct place *place, int64_t k, spgm_status *status) {
    int64_t n = place->framed->A->columns, is_first = k == place->quick->first_ridge;
    double *model = place->models + k * n, *guide = model + place->quick->ridge_count * n;
    spgm_error error = SPGM_OK;

    if (place->has_guide) {
        error = find_model(place, &place->guide, guide, is_first ? NULL : guide - n, NULL, status);
    }
    return error != SPGM_OK || *place->quick->stop
               ? error
               : find_model(place, place->framed, model, is_first ? NULL : model - n, place->has_guide ? guide : NULL,
                            status);
}

/* ---- all models -------------------------------------------------------------------------------------------------- */

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
            error = find_at(place, k, status);
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
    int64_t n = place->framed->A->columns, count;

    place->has_guide = problem_guide(place->framed, workspace, &place->guide);
    count = quick_models(place->quick->problem, place->quick->ridge_count);
    place->unit = workspace_doubles(workspace, n);
    place->models = workspace_doubles(workspace, n > INT64_MAX / 8 / count ? -1 : n * count);
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
