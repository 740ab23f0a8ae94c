/*
 * Bands: several quantiles, calibrated.
 *
 * HOW IT WORKS: piece 0 fits the models that predict; piece f > 0 fits without fold f - 1 and predicts its rows. Pieces
 * run side by side. With common columns, a piece first solves one problem for all levels, which chooses the columns.
 * Given these the levels decouple, and each is fitted exactly.
 */
#include "select/band.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "select/constants.h"
#include "select/crew.h"
#include "select/folds.h"

/* ---- creation -------------------------------------------------------------------------------------------------- */

static spgm_error take_settings(struct spgm_band *band, const spgm_band_settings *settings, spgm_status *status) {
    static const char *const names[] = {"cross", "split", "none"};
    const char *name = settings == NULL || settings->calibration == NULL ? names[0] : settings->calibration;
    int found = 0;

    band->is_common = settings != NULL && settings->common_columns;
    while (found < 3 && strcmp(names[found], name) != 0) {
        found++;
    }
    if (found == 3) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "calibration '%s' is not known: choose cross, split or none",
                          name);
    }
    band->calibration = (enum band_calibration)found;
    return band->is_common ? band_joint_check(band->problem, status) : SPGM_OK;
}

/* Draw which rows are held out, and in which fold. */
static spgm_error draw_folds(struct spgm_band *band, spgm_status *status) {
    int64_t rows = band->problem->A.rows;
    int64_t parts = band->calibration == BAND_SPLIT ? BAND_PARTS : band->options.folds;
    int64_t *work;

    band->folds = band->calibration == BAND_CROSS ? parts : 0;
    if (band->calibration == BAND_NONE) {
        return SPGM_OK;
    }
    if (parts > rows) {
        return status_set(status, SPGM_ERROR_OPTION,
                          "calibration splits the rows into %" PRId64 " parts, and the data have %" PRId64
                          " rows: use fewer folds",
                          parts, rows);
    }
    work = memory_beside(band->problem->A.memory, rows, sizeof *work);
    if (work == NULL) {
        return status_memory(status, (size_t)rows * sizeof *work);
    }
    folds_draw(rows, NULL, 0, band->problem->weights, parts, (uint64_t)band->options.seed, 0, band->fold_of_row, work);
    memory_free(work);
    return SPGM_OK;
}

static spgm_error fill(struct spgm_band *band, const double *levels, const spgm_band_settings *settings,
                       spgm_status *status) {
    spgm_error error = problem_check_levels(band->problem, levels, band->count, status);

    error = error ? error : take_settings(band, settings, status);
    if (error != SPGM_OK) {
        return error;
    }
    band->workspace.memory = band->problem->A.memory;
    band->levels = workspace_doubles(&band->workspace, band->count);
    band->shifts = workspace_doubles(&band->workspace, band->count);
    band->fold_of_row = workspace_integers(&band->workspace, band->problem->A.rows);
    band->held = workspace_doubles(&band->workspace, band->problem->A.rows * band->count);
    if (band->calibration == BAND_CROSS) {
        band->probes = band->problem->A.rows < BAND_PROBES ? band->problem->A.rows : BAND_PROBES;
        band->probed = workspace_doubles(&band->workspace, (band->options.folds + 1) * band->probes * band->count);
    }
    band->fit.views = workspace_array(&band->workspace, band->count, sizeof *band->fit.views);
    band->fit.solvers = workspace_array(&band->workspace, band->count, sizeof *band->fit.solvers);
    if (band->workspace.failed) {
        return status_memory(status, band->workspace.bytes);
    }
    memcpy(band->levels, levels, (size_t)band->count * sizeof *levels);
    return draw_folds(band, status);
}

static void free_fit(struct band_fit *fit, int64_t count) {
    for (int64_t k = 0; fit->solvers != NULL && k < count; k++) {
        spgm_solver_free(fit->solvers[k]);
        fit->solvers[k] = NULL;
    }
}

static void forget(struct spgm_band *band) {
    free_fit(&band->fit, band->count);
    spgm_problem_free(band->rows);
    band->rows = NULL;
    band->folds_done = 0;
    for (int64_t i = 0; band->held != NULL && i < band->problem->A.rows * band->count; i++) {
        band->held[i] = NAN;
    }
    for (int64_t k = 0; band->shifts != NULL && k < band->count; k++) {
        band->shifts[k] = 0;
    }
}

spgm_error spgm_band_new(const spgm_problem *problem, const double *levels, int64_t count, int64_t sparsity,
                         const spgm_options *options, const spgm_band_settings *settings, spgm_band **band,
                         spgm_status *status) {
    spgm_band *created;
    spgm_error error;

    if (problem == NULL || band == NULL || levels == NULL || count < 0) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "spgm_band_new needs a problem, a list of quantiles and a place for the result");
    }
    if (problem->reduce != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "a band needs all rows in one place: they are spread over processes");
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    created->problem = problem;
    created->sparsity = sparsity;
    created->count = count;
    options_take(&created->options, options);
    error = fill(created, levels, settings, status);
    if (error != SPGM_OK) {
        spgm_band_free(created);
        return error;
    }
    forget(created); /* no row has been held out */
    *band = created;
    return status_clear(status);
}

void spgm_band_free(spgm_band *band) {
    if (band != NULL) {
        if (!band->workspace.failed) {
            forget(band);
        }
        workspace_free(&band->workspace);
        memory_free(band);
    }
}

void spgm_band_set_progress(spgm_band *band, spgm_progress_function function, void *context) {
    band->progress = function;
    band->progress_context = context;
}

void spgm_band_interrupt(spgm_band *band) {
    band->interrupted = 1;
}

/* ---- the fits of one piece --------------------------------------------------------------------------------------- */

/* A piece of work: the fits of all levels on the same rows. */
struct band_piece {
    struct spgm_band *band;
    struct crew_piece crew;
    struct spgm_options options;
    double *start; /* coefficients with common columns [count x columns], or NULL */
};

static spgm_error fit_level(struct band_piece *piece, int64_t k, const struct spgm_problem *problem,
                            struct band_fit *fit, spgm_status *status) {
    const struct spgm_band *band = piece->band;
    spgm_error error;

    fit->views[k] = problem_at_level(problem, band->levels[k]);
    piece->options.quantile = band->levels[k];
    error = spgm_solver_new(&fit->views[k], band->sparsity, &piece->options, &fit->solvers[k], status);
    if (error == SPGM_OK && piece->start != NULL) {
        error = spgm_solver_set_start(fit->solvers[k], piece->start + k * problem->A.columns, 0, status);
    }
    if (error == SPGM_OK) {
        spgm_solver_set_progress(fit->solvers[k], crew_progress, &piece->crew);
        error = spgm_solver_run(fit->solvers[k], status);
        spgm_solver_set_progress(fit->solvers[k], NULL, NULL);
    }
    if (error == SPGM_OK && spgm_solver_get_info(fit->solvers[k]).outcome == SPGM_OUT_OF_MEMORY) {
        error = status_memory(status, (size_t)problem->A.rows * sizeof(double));
    }
    return error;
}

/* Choose common columns for all levels; what remains is a fit for each level. */
static spgm_error choose_common(struct band_piece *piece, const struct spgm_problem *problem, spgm_status *status) {
    const struct spgm_band *band = piece->band;
    int64_t size = band->count * problem->A.columns;
    spgm_error error;

    piece->start = memory_array(size, sizeof *piece->start);
    if (piece->start == NULL) {
        return status_memory(status, (size_t)size * sizeof *piece->start);
    }
    error = band_joint(band, problem, &piece->options, crew_progress, &piece->crew, piece->start, status);
    return error ? error : spgm_options_set(&piece->options, "method", "polish", status);
}

static spgm_error fit_levels(struct spgm_band *band, const struct crew_piece *crew, double seconds,
                             const struct spgm_problem *problem, struct band_fit *fit, spgm_status *status) {
    struct band_piece piece = {.band = band, .crew = *crew, .options = band->options};
    spgm_error error = SPGM_OK;

    piece.options.threads = 1;
    piece.options.time_limit = seconds / (double)(band->is_common ? 2 : band->count);
    if (band->is_common) {
        error = choose_common(&piece, problem, status);
    }
    for (int64_t k = 0; error == SPGM_OK && k < band->count; k++) {
        if (band->interrupted && piece.start == NULL) {
            break; /* too little time is left for a useful model of this level */
        }
        error = fit_level(&piece, k, problem, fit, status);
    }
    memory_free(piece.start);
    return error;
}

/* ---- held-out rows ----------------------------------------------------------------------------------------------- */

/* values [rows] = A x + intercept. */
static spgm_error predict(const spgm_matrix *A, const spgm_solver *solver, double *values, spgm_status *status) {
    int64_t count = spgm_solver_get_nonzeros(solver, NULL, NULL);
    struct workspace workspace = {0};
    int64_t *columns = workspace_integers(&workspace, count);
    double *x = workspace_doubles(&workspace, count), intercept = 0;
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    if (error == SPGM_OK) {
        spgm_solver_get_nonzeros(solver, columns, x);
        spgm_solver_get_x(solver, NULL, &intercept);
        matrix_predict(A, count, columns, x, intercept, values);
    }
    workspace_free(&workspace);
    return error;
}

/* The rows where models are compared, evenly spread. */
static int64_t probe_row(const struct spgm_band *band, int64_t probe) {
    return (int64_t)((double)probe * (double)band->problem->A.rows / (double)band->probes);
}

static double *probed_by(const struct spgm_band *band, int64_t fold, int64_t probe) {
    return band->probed + (fold * band->probes + probe) * band->count;
}

/* Keep the predictions for the rows of a fold and for the probes. The fold after the last one stands for the models of
 * all rows and has no rows. */
static spgm_error keep_held(struct spgm_band *band, int64_t fold, const struct band_fit *fit, spgm_status *status) {
    int64_t rows = band->problem->A.rows;
    double *values = memory_beside(band->problem->A.memory, rows, sizeof *values);
    spgm_error error = values == NULL ? status_memory(status, (size_t)rows * sizeof *values) : SPGM_OK;

    for (int64_t k = 0; error == SPGM_OK && k < band->count; k++) {
        error = predict(&band->problem->A, fit->solvers[k], values, status);
        for (int64_t i = 0; error == SPGM_OK && i < rows; i++) {
            if (band->fold_of_row[i] == fold) {
                band->held[i * band->count + k] = values[i];
            }
        }
        for (int64_t probe = 0; error == SPGM_OK && probe < band->probes; probe++) {
            probed_by(band, fold, probe)[k] = values[probe_row(band, probe)];
        }
    }
    memory_free(values);
    return error;
}

/* The problem without the rows of the fold. */
static spgm_error subset(const struct spgm_band *band, int64_t fold, struct spgm_problem **problem,
                         spgm_status *status) {
    int64_t rows = band->problem->A.rows, count = 0;
    int64_t *list = memory_beside(band->problem->A.memory, rows, sizeof *list);
    spgm_error error;

    if (list == NULL) {
        return status_memory(status, (size_t)rows * sizeof *list);
    }
    for (int64_t i = 0; i < rows; i++) {
        if (band->fold_of_row[i] != fold) {
            list[count++] = i;
        }
    }
    error = spgm_problem_subset(band->problem, list, count, problem, status);
    memory_free(list);
    return error;
}

static spgm_error run_fold(struct spgm_band *band, const struct crew_piece *crew, double seconds, int64_t fold,
                           spgm_status *status) {
    struct workspace workspace = {0};
    struct spgm_problem *problem = NULL;
    struct band_fit fit = {.views = workspace_array(&workspace, band->count, sizeof *fit.views),
                           .solvers = workspace_array(&workspace, band->count, sizeof *fit.solvers)};
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : subset(band, fold, &problem, status);

    error = error ? error : fit_levels(band, crew, seconds, problem, &fit, status);
    if (error == SPGM_OK && !band->interrupted) { /* predictions of a fit that was cut short are not comparable */
        error = keep_held(band, fold, &fit, status);
        atomic_fetch_add(&band->folds_done, 1);
    }
    if (!workspace.failed) {
        free_fit(&fit, band->count);
    }
    spgm_problem_free(problem);
    workspace_free(&workspace);
    return error;
}

/* The first level without a model; the number of levels if all have one. */
static int64_t missing_level(const struct spgm_band *band) {
    int64_t k = 0;

    while (k < band->count && band->fit.solvers[k] != NULL) {
        k++;
    }
    return k;
}

/* Fit the models that predict: to all rows or, for `split`, to three quarters of them, and predict the others. */
static spgm_error run_final(struct spgm_band *band, const struct crew_piece *crew, double seconds,
                            spgm_status *status) {
    spgm_error error = SPGM_OK;

    if (band->calibration == BAND_SPLIT) {
        error = subset(band, 0, &band->rows, status);
    }
    error = error
                ? error
                : fit_levels(band, crew, seconds, band->rows != NULL ? band->rows : band->problem, &band->fit, status);
    if (error == SPGM_OK && band->calibration != BAND_NONE && missing_level(band) == band->count) {
        error = keep_held(band, band->folds, &band->fit, status); /* `split` has no other fold */
        atomic_fetch_add(&band->folds_done, band->calibration == BAND_SPLIT);
    }
    return error;
}

struct band_run {
    struct spgm_band *band;
    double seconds; /* time limit of a piece */
};

static spgm_error work(void *context, const struct crew_piece *piece, spgm_status *status) {
    struct band_run *run = context;

    return piece->number == 0 ? run_final(run->band, piece, run->seconds, status)
                              : run_fold(run->band, piece, run->seconds, piece->number - 1, status);
}

/* ---- calibration ------------------------------------------------------------------------------------------ */

/* The sign of a level: below 1/2 scores measure how far targets are below predictions, above 1/2 how far above. */
static double sign_of(const struct spgm_band *band, int64_t k) {
    return band->levels[k] < 0.5 ? 1 : -1;
}

/* How far, with that sign, the prediction by a fold's models exceeds that by the models of all rows at a probe; 0 if
 * there are no probes. */
static double beyond(const struct spgm_band *band, int64_t k, int64_t fold, int64_t probe) {
    return band->probes == 0
               ? 0
               : sign_of(band, k) * (probed_by(band, fold, probe)[k] - probed_by(band, band->folds, probe)[k]);
}

/* The shift that a level needs for new rows like a probe, downwards for levels below 1/2. INFINITY: too few rows.
 * scores, weights [rows] are scratch. */
static spgm_error find_shift(const struct spgm_band *band, int64_t k, int64_t probe, double *scores, double *weights,
                             double *shift, spgm_status *status) {
    const struct spgm_problem *problem = band->problem;
    double level = band->levels[k];
    int64_t count = 0;

    for (int64_t i = 0; i < problem->A.rows; i++) {
        double value = band->held[i * band->count + k];

        if (!isnan(value)) {
            scores[count] = sign_of(band, k) * (value - problem->b[i]) - beyond(band, k, band->fold_of_row[i], probe);
            weights[count++] = problem->weights == NULL ? 1 : problem->weights[i];
        }
    }
    /* only `split` has a guarantee that rounding up the rank preserves */
    return conformal_quantile(scores, weights, count, fmax(level, 1 - level), band->calibration == BAND_CROSS, shift,
                              status);
}

/* An error: rows without weight do not calibrate. */
static spgm_error too_few(const struct spgm_band *band, int64_t k, spgm_status *status) {
    const double *weights = band->problem->weights;
    double level = band->levels[k];
    int64_t count = 0;

    for (int64_t i = 0; i < band->problem->A.rows; i++) {
        count += !isnan(band->held[i * band->count + k]) && (weights == NULL || weights[i] > 0);
    }
    return status_set(status, SPGM_ERROR_DATA,
                      "%" PRId64 " rows%s are too few to calibrate the quantile %g, which takes at least %.0f: give "
                      "more rows, or a quantile nearer to 0.5",
                      count, weights == NULL ? "" : " with a weight above 0", level,
                      ceil(fmax(level, 1 - level) / fmin(level, 1 - level) - 1e-9));
}

/* The shift of a level, as described in spgm.h. scores, weights [rows] and shifts, probe_weights [BAND_PROBES] are
 * scratch. */
static spgm_error calibrate(struct spgm_band *band, int64_t k, double *scores, double *weights, double *shifts,
                            double *probe_weights, spgm_status *status) {
    int64_t probes = band->probes > 0 ? band->probes : 1;
    double shift = 0;
    spgm_error error = SPGM_OK;

    if (band->levels[k] == 0.5) {
        return SPGM_OK;
    }
    for (int64_t probe = 0; error == SPGM_OK && probe < probes; probe++) {
        error = find_shift(band, k, probe, scores, weights, &shifts[probe], status);
        if (error == SPGM_OK && isinf(shifts[probe])) {
            error = too_few(band, k, status);
        }
        probe_weights[probe] =
            band->probes == 0 || band->problem->weights == NULL ? 1 : band->problem->weights[probe_row(band, probe)];
    }
    if (error == SPGM_OK) { /* the median */
        error = conformal_quantile(shifts, probe_weights, probes, 0.5, 1, &shift, status);
    }
    band->shifts[k] = error == SPGM_OK ? -sign_of(band, k) * shift : 0;
    return error;
}

/* Sort the held-out predictions of each row over the levels. */
static void arrange_all(struct spgm_band *band) {
    for (int64_t i = 0; i < band->problem->A.rows; i++) {
        spgm_band_arrange(band->levels, band->shifts, band->count, band->held + i * band->count); /* shifts are 0 */
    }
    for (int64_t fold = 0; fold <= band->folds; fold++) {
        for (int64_t probe = 0; probe < band->probes; probe++) {
            spgm_band_arrange(band->levels, band->shifts, band->count, probed_by(band, fold, probe));
        }
    }
}

static spgm_error calibrate_all(struct spgm_band *band, spgm_status *status) {
    struct workspace workspace = {.memory = band->problem->A.memory};
    double *scores = workspace_doubles(&workspace, band->problem->A.rows);
    double *weights = workspace_doubles(&workspace, band->problem->A.rows);
    double *shifts = workspace_doubles(&workspace, BAND_PROBES);
    double *probe_weights = workspace_doubles(&workspace, BAND_PROBES);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    if (error == SPGM_OK) {
        arrange_all(band);
    }
    for (int64_t k = 0; error == SPGM_OK && k < band->count; k++) {
        error = calibrate(band, k, scores, weights, shifts, probe_weights, status);
    }
    workspace_free(&workspace);
    return error;
}

/* Compute the shifts: after a stop from the finished folds, and none if these have too few rows. */
static spgm_error calibrate_done(struct spgm_band *band, spgm_status *status) {
    int is_cut = band->interrupted;
    spgm_error error = band->folds_done > 0 ? calibrate_all(band, status) : SPGM_OK;

    if (error == SPGM_ERROR_DATA && is_cut) {
        memset(band->shifts, 0, (size_t)band->count * sizeof *band->shifts);
        band->folds_done = 0;
        error = SPGM_OK;
    }
    return error;
}

spgm_error spgm_band_run(spgm_band *band, spgm_status *status) {
    struct band_run run = {.band = band};
    struct crew crew = {.name = "band",
                        .pieces = 1 + band->folds,
                        .threads = band->options.threads,
                        .context = &run,
                        .work = work,
                        .progress = band->progress,
                        .progress_context = band->progress_context,
                        .stop = &band->interrupted};
    spgm_error error;

    band->interrupted = 0;
    forget(band);
    run.seconds = crew_seconds(&crew, band->options.time_limit);
    error = crew_run(&crew, status);
    if (error == SPGM_OK && missing_level(band) < band->count) {
        error = status_set(status, SPGM_ERROR_UNSUPPORTED, "the band was stopped before its quantile %g had a model",
                           band->levels[missing_level(band)]);
    }
    error = error ? error : calibrate_done(band, status);
    if (error != SPGM_OK) {
        forget(band);
    }
    return error != SPGM_OK ? error : status_clear(status);
}

/* ---- results ---------------------------------------------------------------------------------------------- */

int64_t spgm_band_count(const spgm_band *band) {
    return band->count;
}

double spgm_band_level(const spgm_band *band, int64_t k, double *shift) {
    if (k < 0 || k >= band->count) {
        return NAN;
    }
    if (shift != NULL) {
        *shift = band->shifts[k];
    }
    return band->levels[k];
}

int64_t spgm_band_folds(const spgm_band *band, int64_t *done) {
    if (done != NULL) {
        *done = band->folds_done;
    }
    return band->calibration == BAND_SPLIT ? 1 : band->folds;
}

const spgm_solver *spgm_band_solver(const spgm_band *band, int64_t k) {
    return k < 0 || k >= band->count ? NULL : band->fit.solvers[k];
}

void spgm_band_get_held_out(const spgm_band *band, double *values) {
    memcpy(values, band->held, (size_t)(band->problem->A.rows * band->count) * sizeof *values);
}
