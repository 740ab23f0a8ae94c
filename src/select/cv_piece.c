/*
 * Folds that run elsewhere: a round as a list of pieces, and the work on one piece.
 *
 * HOW IT WORKS: the object that runs hands out the pieces of a round, one for each task, and takes their losses. Where
 * a piece runs, an object made in the same way draws the same folds from the same seed, and does that one task. What a
 * task remembers between rounds (quick.h) is sent as numbers: for each model its size, then its columns and values.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "select/cv.h"

void spgm_cv_set_rounds(spgm_cv *cv, spgm_cv_round_function function, void *context) {
    cv->rounds = function;
    cv->rounds_context = context;
}

/* ---- the trail as numbers ---------------------------------------------------------------------------------------- */

/* How many numbers the trail of models with at most s units may take. */
static int64_t trail_size(const struct spgm_cv *cv, int64_t s) {
    const struct spgm_problem *problem = cv->problem;
    int64_t columns = problem->A.columns + 1;
    int is_plain = problem->is_free == NULL && problem->group_of == NULL; /* s counts all columns but the intercept */
    int64_t models = 0;

    for (int64_t part = 0; part < cv->parts; part++) {
        int64_t of_part = quick_models(cv->problems[part], cv->ridge_count);

        models = of_part > models ? of_part : models;
    }
    return cv->is_open ? models * (1 + 2 * (is_plain && s + 1 < columns ? s + 1 : columns)) : 0;
}

static void pack(const struct quick_trail *trail, double *words) {
    for (int64_t k = 0; trail->sizes != NULL && k < trail->count; k++) {
        *words++ = (double)trail->sizes[k];
        for (int64_t i = 0; i < trail->sizes[k]; i++) {
            *words++ = (double)trail->columns[k][i];
            *words++ = trail->values[k][i];
        }
    }
}

/* Whether a number is an integer from 0 to most. */
static int is_count(double word, int64_t most) {
    return word >= 0 && word <= (double)most && word == floor(word);
}

/* Restore the trail from the numbers of a piece. They come from elsewhere, so each is checked. */
static spgm_error unpack(const struct spgm_cv *cv, const spgm_cv_piece *piece, struct quick_trail *trail,
                         spgm_status *status) {
    int64_t columns = cv->problem->A.columns + 1, at = 0;
    int64_t count = quick_models(cv->problems[piece->number / cv->folds], cv->ridge_count);
    int is_usable = 1;

    trail->count = count;
    trail->sizes = workspace_integers(&trail->workspace, count);
    trail->columns = workspace_array(&trail->workspace, count, sizeof *trail->columns);
    trail->values = workspace_array(&trail->workspace, count, sizeof *trail->values);
    for (int64_t k = 0; is_usable && !trail->workspace.failed && k < count; k++) {
        int64_t left = (piece->trail_size - at - 1) / 2, size;

        is_usable = left >= 0 && is_count(piece->trail[at], left < columns ? left : columns);
        size = is_usable ? (int64_t)piece->trail[at++] : 0;
        trail->columns[k] = workspace_integers(&trail->workspace, size);
        trail->values[k] = workspace_doubles(&trail->workspace, size);
        for (int64_t i = 0; is_usable && !trail->workspace.failed && i < size; i++, at += 2) {
            is_usable = is_count(piece->trail[at], columns - 1) && isfinite(piece->trail[at + 1]);
            trail->columns[k][i] = is_usable ? (int64_t)piece->trail[at] : 0;
            trail->values[k][i] = piece->trail[at + 1];
        }
        trail->sizes[k] = size;
    }
    if (trail->workspace.failed) {
        return status_memory(status, trail->workspace.bytes);
    }
    return is_usable ? SPGM_OK
                     : status_set(status, SPGM_ERROR_ARGUMENT,
                                  "the trail of piece %" PRId64
                                  " is not one: give each piece what the piece of the same number left",
                                  piece->number);
}

static spgm_error refuse(spgm_status *status) {
    return status_set(status, SPGM_ERROR_UNSUPPORTED,
                      "folds do not run elsewhere where rows are spread over processes: leave spgm_cv_set_rounds out");
}

/* ---- one piece --------------------------------------------------------------------------------------------------- */

static spgm_error check_piece(const struct spgm_cv *cv, const spgm_cv_piece *piece, spgm_status *status) {
    if (piece->number < 0 || piece->number >= cv->parts * cv->folds || piece->first < 0 ||
        piece->first >= piece->last || piece->last > cv->listed || piece->ridges != cv->ridge_count ||
        piece->first_ridge < 0 || piece->first_ridge >= piece->last_ridge || piece->last_ridge > cv->ridge_count) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "piece %" PRId64 " (sparsities %" PRId64 " to %" PRId64 ", %" PRId64
                          " ridges) is not one of this cross-validation, which has %" PRId64 " folds, %" PRId64
                          " sparsities and %" PRId64 " ridges: make both objects from the same data, in the same way",
                          piece->number, piece->first, piece->last, piece->ridges, cv->parts * cv->folds, cv->listed,
                          cv->ridge_count);
    }
    if (piece->losses == NULL || (piece->trail == NULL && piece->trail_size > 0) ||
        (cv->is_open && piece->trail_size < trail_size(cv, cv->sparsities[piece->last - 1]))) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "piece %" PRId64
                          " has no room for its losses or its trail: it needs as much as the round gave",
                          piece->number);
    }
    return SPGM_OK;
}

static spgm_error run_task(struct spgm_cv *cv, spgm_cv_piece *piece, spgm_status *status) {
    struct cv_run run = {.cv = cv,
                         .began = clock_seconds(),
                         .first = piece->first,
                         .last = piece->last,
                         .first_ridge = piece->first_ridge,
                         .last_ridge = piece->last_ridge,
                         .task_count = 1};
    struct cv_task task = {.run = &run,
                           .piece.seconds = piece->seconds,
                           .part = piece->number / cv->folds,
                           .fold = piece->number % cv->folds};
    spgm_error error = cv_take_views(&run, status);

    run.tasks = &task;
    if (error == SPGM_OK && piece->first > 0 && piece->trail_size > 0) {
        error = unpack(cv, piece, &task.trail, status);
    }
    if (error == SPGM_OK) {
        error = cv_fold_run(&task, status);
    }
    if (error == SPGM_OK) {
        memcpy(piece->losses, cv_losses(cv, task.part, task.fold, piece->first),
               (size_t)((piece->last - piece->first) * piece->ridges) * sizeof *piece->losses);
        if (piece->trail_size > 0) {
            pack(&task.trail, piece->trail);
        }
    }
    quick_forget(&task.trail);
    workspace_free(&run.workspace);
    return error;
}

spgm_error spgm_cv_run_piece(spgm_cv *cv, spgm_cv_piece *piece, spgm_status *status) {
    spgm_error error;

    if (cv->problem->reduce != NULL) {
        return refuse(status);
    }
    error = cv_prepare(cv, status);
    if (error == SPGM_OK) {
        error = check_piece(cv, piece, status);
    }
    if (error == SPGM_OK) {
        error = run_task(cv, piece, status);
    }
    return error != SPGM_OK ? error : status_clear(status);
}

/* ---- a round ----------------------------------------------------------------------------------------------------- */

/* Move the trail of a task to a longer array. */
static int lengthen(spgm_cv_piece *piece, int64_t size) {
    double *longer = memory_array(size, sizeof *longer);

    if (longer != NULL && piece->trail != NULL) {
        memcpy(longer, piece->trail, (size_t)piece->trail_size * sizeof *longer);
    }
    memory_free(piece->trail);
    piece->trail = longer;
    piece->trail_size = longer == NULL ? 0 : size;
    return longer != NULL;
}

/* Whether a piece was done: one that was left out has no loss. */
static int is_done(const spgm_cv_piece *piece) {
    int64_t known = 0;

    for (int64_t i = 0; i < (piece->last - piece->first) * piece->ridges; i++) {
        known += !isnan(piece->losses[i]);
    }
    return known > 0;
}

spgm_error cv_hand_out(struct cv_run *run, double seconds, spgm_status *status) {
    struct spgm_cv *cv = run->cv;
    int64_t size = trail_size(cv, cv->sparsities[run->last - 1]), count = cv_piece_count(run);

    if (cv->problem->reduce != NULL) {
        return refuse(status);
    }
    for (int64_t i = 0; i < count; i++) {
        const struct cv_task *task = cv_task_of(run, i);
        spgm_cv_piece *piece = &run->pieces[i];

        piece->number = task - run->tasks;
        piece->first = run->first;
        piece->last = run->last;
        piece->ridges = cv->ridge_count;
        piece->first_ridge = run->first_ridge;
        piece->last_ridge = run->last_ridge;
        piece->seconds = seconds;
        piece->losses = cv_losses(cv, task->part, task->fold, run->first);
        if (!lengthen(piece, size)) {
            return status_memory(status, (size_t)size * sizeof *piece->trail);
        }
    }
    if (cv->rounds(run->pieces, count, cv->rounds_context)) {
        atomic_store(&cv->interrupted, 1);
    }
    for (int64_t i = 0; i < count; i++) {
        cv_task_of(run, i)->is_done = is_done(&run->pieces[i]);
    }
    return SPGM_OK;
}
