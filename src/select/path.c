/* The public side of the path: the list of sparsities, and the report of what the search found. */
#include "select/path.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/party.h"
#include "base/status.h"
#include "fit/fit.h"
#include "linalg/vector.h"
#include "method/method.h"
#include "model/bounded.h"
#include "search/exact.h"
#include "search/large.h"

/* ---- creation ------------------------------------------------------------------------------------------------- */

static spgm_error check_list(const struct spgm_problem *problem, const int64_t *sparsities, int64_t count,
                             spgm_status *status) {
    if (count < 1 || sparsities == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "the list of sparsities is empty: give at least one number of nonzeros");
    }
    for (int64_t i = 0; i < count; i++) {
        if (sparsities[i] < 0 || sparsities[i] > problem->A.columns) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "sparsity %" PRId64 " of the list is %" PRId64
                              ": it must be at least 0 and at most the %" PRId64 " column%s of the data",
                              i + 1, sparsities[i], problem->A.columns, problem->A.columns == 1 ? "" : "s");
        }
    }
    return SPGM_OK;
}

/* Insert in ascending order; returns 0 if the number is already there. */
static int insert(struct spgm_path *path, int64_t sparsity) {
    int64_t i = path->count;

    while (i > 0 && path->entries[i - 1].sparsity > sparsity) {
        path->entries[i] = path->entries[i - 1];
        i--;
    }
    path->entries[i] = (struct path_entry){.sparsity = sparsity};
    path->count++;
    return i == 0 || path->entries[i - 1].sparsity != sparsity;
}

static int64_t free_count(const struct spgm_problem *problem) {
    int64_t count = problem->options.intercept;

    for (int64_t j = 0; problem->is_free != NULL && j < problem->A.columns; j++) {
        count += problem->is_free[j];
    }
    return count;
}

static void reset(struct path_entry *entry) {
    entry->size = 0;
    entry->objective = INFINITY;
    entry->bound = -INFINITY;
    entry->is_final = 0;
    entry->outcome = SPGM_NOT_RUN;
    entry->iterations = entry->visits = entry->agreeing = 0;
    entry->worst = -INFINITY;
    entry->seconds = 0;
    entry->info = (spgm_info){.bound = -INFINITY, .gap = INFINITY, .passes = NAN};
    entry->is_news[0] = entry->is_news[1] = 0;
}

static void take_arrays(struct spgm_path *path) {
    int64_t free_columns = free_count(path->problem);
    int64_t all = path->problem->A.columns + path->problem->options.intercept;

    for (int64_t i = 0; i < path->count; i++) {
        struct path_entry *entry = &path->entries[i];

        entry->capacity = entry->sparsity + free_columns < all ? entry->sparsity + free_columns : all;
        if (path->problem->group_of != NULL && path->problem->group_limit == 0) {
            entry->capacity = all; /* a group counts as one, whatever its size */
        }
        entry->columns = workspace_integers(&path->workspace, entry->capacity);
        entry->values = workspace_doubles(&path->workspace, entry->capacity);
        entry->x = workspace_doubles(&path->workspace, entry->capacity);
        reset(entry);
    }
}

/* Make the entries and their arrays, in ascending order. */
static spgm_error fill(struct spgm_path *path, const int64_t *sparsities, int64_t count, spgm_status *status) {
    path->entries = workspace_array(&path->workspace, count, sizeof *path->entries);
    for (int64_t i = 0; path->entries != NULL && i < count; i++) {
        if (!insert(path, sparsities[i])) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "the sparsity %" PRId64 " is in the list twice: each may appear once", sparsities[i]);
        }
    }
    if (path->entries != NULL) {
        take_arrays(path);
    }
    return path->workspace.failed ? status_memory(status, path->workspace.bytes) : SPGM_OK;
}

spgm_error spgm_path_new(const spgm_problem *problem, const int64_t *sparsities, int64_t count,
                         const spgm_options *options, spgm_path **path, spgm_status *status) {
    spgm_path *created;
    spgm_error error;

    if (problem == NULL || path == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_path_new needs a problem and a place for the path");
    }
    error = check_list(problem, sparsities, count, status);
    if (error != SPGM_OK) {
        return error;
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    created->problem = problem;
    created->stop = &created->interrupted;
    options_take(&created->options, options);
    error = fill(created, sparsities, count, status);
    if (error != SPGM_OK) {
        spgm_path_free(created);
        return error;
    }
    *path = created;
    return status_clear(status);
}

void spgm_path_free(spgm_path *path) {
    if (path != NULL) {
        workspace_free(&path->workspace);
        memory_free(path);
    }
}

void spgm_path_set_progress(spgm_path *path, spgm_progress_function function, void *context) {
    path->progress = function;
    path->progress_context = context;
}

void spgm_path_interrupt(spgm_path *path) {
    path->interrupted = 1;
}

/* ---- report --------------------------------------------------------------------------------------------------- */

static void report_visits(const struct path_entry *entry, const struct problem *framed, spgm_info *info) {
    info->bound = framed->objective_unit * entry->bound;
    info->iterations = entry->iterations;
    info->restarts = entry->visits;
    info->agreeing = entry->agreeing;
    info->spread = entry->worst > entry->objective && entry->objective != 0
                       ? (entry->worst - entry->objective) / fabs(entry->objective)
                       : 0;
    info->seconds = entry->seconds;
    info->outcome = entry->outcome;
}

/* The recomputed F may differ from that of the search in the last digits. If it is above that of the smaller model,
 * take the smaller model, so that F does not rise with s. */
static void level(struct path_entry *entry, const struct path_entry *below) {
    if (!isgreater(entry->info.objective, below->info.objective)) {
        return;
    }
    entry->size = below->size;
    memcpy(entry->columns, below->columns, sizeof *entry->columns * (size_t)below->size);
    memcpy(entry->values, below->values, sizeof *entry->values * (size_t)below->size);
    memcpy(entry->x, below->x, sizeof *entry->x * (size_t)below->size);
    entry->intercept = below->intercept;
    entry->info.objective = below->info.objective;
    entry->info.loss_value = below->info.loss_value;
    entry->info.smooth_value = below->info.smooth_value;
    entry->info.support = below->info.support;
    entry->info.units = below->info.units;
    entry->info.feasible = below->info.feasible;
}

/* Fill x in the data's units and columns from the values in the frame. F is recomputed from the raw data. */
static spgm_error take_entry(const struct spgm_path *path, struct path_entry *entry, const struct problem *framed,
                             double intercept, spgm_status *status) {
    spgm_info *info = &entry->info;
    int64_t count = entry->size;

    info->support = 0;
    for (int64_t i = 0; i < count; i++) {
        entry->x[i] = problem_coefficient(framed, entry->columns[i], entry->values[i]);
        info->support += entry->x[i] != 0 && !framed->is_free[entry->columns[i]];
    }
    entry->intercept =
        framed->has_intercept ? problem_intercept(framed, count, entry->columns, entry->x, intercept) : 0;
    for (int64_t i = 0; i < count; i++) {
        entry->columns[i] = problem_column(framed, entry->columns[i]);
    }
    return problem_evaluate(path->problem, count, entry->columns, entry->x, entry->intercept, &info->objective,
                            &info->loss_value, &info->smooth_value, status);
}

/* The model of an entry whose F is rounding is fitted again nearer to 0. */
static spgm_error shorten_entry(const struct spgm_path *path, struct path_entry *entry, const struct problem *framed,
                                double intercept, spgm_status *status) {
    int64_t n = framed->A->columns;
    double *z = memory_array(n, sizeof *z);
    spgm_error error;

    if (z == NULL) {
        return status_memory(status, (size_t)n * sizeof *z);
    }
    for (int64_t k = 0, i = 0; i < entry->size; k++) { /* back to the columns of the frame */
        if (problem_column(framed, k) == entry->columns[i]) {
            z[k] = entry->values[i];
            entry->columns[i++] = k;
        }
    }
    z[n - 1] = framed->has_intercept ? intercept : z[n - 1];
    error = fit_shorten(path->problem, framed, entry->info.objective, z, path->stop, status);
    for (int64_t i = 0; i < entry->size; i++) {
        entry->values[i] = z[entry->columns[i]];
    }
    intercept = framed->has_intercept ? z[n - 1] : 0;
    memory_free(z);
    return error != SPGM_OK ? error : take_entry(path, entry, framed, intercept, status);
}

/* Fill x and info in the data's units and columns. */
static spgm_error report(const struct spgm_path *path, struct path_entry *entry, const struct problem *framed,
                         spgm_status *status) {
    spgm_info *info = &entry->info;
    int has_intercept = entry->size > 0 && entry->columns[entry->size - 1] == framed->data->columns; /* the last */
    double intercept = has_intercept ? entry->values[entry->size - 1] : 0;
    spgm_error error;

    entry->size -= has_intercept;
    report_visits(entry, framed, info);
    error = take_entry(path, entry, framed, intercept, status);
    if (error == SPGM_OK &&
        fit_has_drowned(path->problem, framed->objective_unit * entry->objective, info->objective)) {
        error = shorten_entry(path, entry, framed, intercept, status);
    }
    if (error == SPGM_OK) {
        error =
            bounded_at(path->problem, entry->size, entry->columns, entry->x, entry->intercept, info->objective, status);
    }
    return error != SPGM_OK ? error
                            : problem_check_feasible(path->problem, entry->size, entry->columns, entry->x,
                                                     entry->sparsity, info, status);
}

static spgm_error report_all(struct spgm_path *path, const struct problem *framed, spgm_status *status) {
    spgm_error error = SPGM_OK;

    for (int64_t i = 0; error == SPGM_OK && i < path->count; i++) {
        error = report(path, &path->entries[i], framed, status);
        if (i > 0) {
            level(&path->entries[i], &path->entries[i - 1]);
        }
    }
    for (int64_t i = path->count - 1; i >= 0; i--) { /* a bound for s holds for every smaller s */
        spgm_info *info = &path->entries[i].info;
        double above = i + 1 < path->count ? path->entries[i + 1].info.bound : -(double)INFINITY;

        info->bound = fmin(fmax(info->bound, above), info->objective);
        info->outcome = problem_outcome(path->problem, info->outcome, info->objective, info->bound);
        info->gap = run_gap(info->outcome, info->objective, info->bound);
    }
    return error;
}

/* Compute a bound for the model of an entry, as at the end of a run that took this many passes and iterations. If
 * memory runs out the model is kept, and its outcome says so, as for a single fit. */
static spgm_error bound_entry(const struct spgm_path *path, const struct problem *framed, struct path_entry *entry,
                              double passes, double iterations, int *is_tried, spgm_status *status) {
    struct workspace workspace = {.memory = framed->A->memory};
    struct run run;
    spgm_error error;

    run_init(&run, framed, entry->sparsity, &path->options, &workspace);
    if (workspace.failed) {
        workspace_free(&workspace);
        entry->outcome = SPGM_OUT_OF_MEMORY;
        return SPGM_OK;
    }
    run.interrupted = path->stop;
    run.deadline = path->deadline;
    memset(run.x, 0, (size_t)framed->A->columns * sizeof *run.x);
    for (int64_t i = 0; i < entry->size; i++) {
        run.x[entry->columns[i]] = entry->values[i];
    }
    run_offer(&run, run.x, entry->objective);
    error =
        run_must_stop(&run) ? SPGM_OK : exact_bound(&run, exact_bound_work(&run, passes, iterations), is_tried, status);
    entry->bound = run.bound;
    workspace_free(&workspace);
    if (error == SPGM_ERROR_MEMORY) {
        entry->outcome = SPGM_OUT_OF_MEMORY;
        error = SPGM_OK;
    }
    return error;
}

/* Compute a bound for every model that has none, for at most the work of the models. report_all hands that of the fit
 * over all columns down to smaller s. */
static spgm_error bound_all(const struct spgm_path *path, const struct problem *framed, spgm_status *status) {
    double count = (double)path->count, iterations = 0, passes;
    int is_tried = 0;
    spgm_error error = SPGM_OK;

    for (int64_t i = 0; i < path->count; i++) {
        iterations += (double)path->entries[i].iterations;
    }
    passes = linop_passes(framed->A) / count;
    iterations /= count;
    for (int64_t i = path->count - 1; i >= 0 && error == SPGM_OK && is_tried != BOUND_OF_ALL; i--) {
        if (path->entries[i].bound == -(double)INFINITY) {
            error = bound_entry(path, framed, &path->entries[i], passes, iterations, &is_tried, status);
        }
    }
    return error;
}

/* A checksum of everything that all processes must ask for alike. */
static uint64_t list_word(const struct spgm_path *path) {
    uint64_t word = 0;

    for (int64_t i = 0; i < path->count; i++) {
        word = party_word(word, &path->entries[i].sparsity, sizeof path->entries[i].sparsity);
    }
    return word >> 1;
}

/* Whether forwards.c finds the path: rows live elsewhere, or a search of the largest s would look at samples. */
static int goes_forwards(const struct spgm_path *path, const struct problem *framed) {
    struct run run = {.problem = framed, .source = path->problem, .sparsity = path->entries[path->count - 1].sparsity};

    return path->problem->reduce != NULL || large_applies(&run, &large_sizes);
}

static spgm_error run_path(struct spgm_path *path, spgm_status *status) {
    struct problem framed;
    spgm_error error;

    path->began = problem_began(path->problem);
    path->interrupted = 0;
    path->has_run = 0;
    for (int64_t i = 0; i < path->count; i++) {
        reset(&path->entries[i]);
    }
    error = bounded_columns(path->problem, path->entries[path->count - 1].sparsity, status);
    if (error == SPGM_OK) {
        error = problem_frame(path->problem, parallel_threads(path->options.threads), &framed, status);
    }
    if (error != SPGM_OK) {
        return error;
    }
    path->deadline = path->began + problem_search_time(&framed, path->entries[path->count - 1].capacity, path->count,
                                                       path->options.time_limit);
    error = goes_forwards(path, &framed) ? path_forwards(path, &framed, status) : path_sweep(path, &framed, status);
    if (error == SPGM_OK && !path->is_for_models && path->problem->reduce == NULL) { /* all rows are here */
        error = bound_all(path, &framed, status);
    }
    if (error == SPGM_OK) {
        error = report_all(path, &framed, status);
    }
    problem_unframe(&framed);
    path->seconds = clock_seconds() - path->began;
    path->has_run = error == SPGM_OK;
    return error;
}

spgm_error spgm_path_run(spgm_path *path, spgm_status *status) {
    struct party *party = problem_party(path->problem);
    spgm_status said = {0};
    spgm_error error =
        party == NULL ? SPGM_OK : problem_check_shared(path->problem, (int64_t)list_word(path), &path->options, &said);

    error = error != SPGM_OK ? error : run_path(path, &said);
    error = party_end(party, error, &said);
    if (error != SPGM_OK && status != NULL) {
        *status = said;
    }
    return error != SPGM_OK ? error : status_clear(status);
}

int64_t spgm_path_count(const spgm_path *path) {
    return path->count;
}

int64_t spgm_path_get(const spgm_path *path, int64_t i, double *x, double *intercept, spgm_info *info) {
    const struct path_entry *entry;
    int64_t n = path->problem->A.columns;

    if (i < 0 || i >= path->count) {
        return -1;
    }
    entry = &path->entries[i];
    if (x != NULL) {
        memset(x, 0, sizeof *x * (size_t)n);
        for (int64_t k = 0; path->has_run && k < entry->size; k++) {
            if (entry->columns[k] < n) {
                x[entry->columns[k]] = entry->x[k];
            }
        }
    }
    if (intercept != NULL) {
        *intercept = path->has_run ? entry->intercept : 0;
    }
    if (info != NULL) {
        *info = entry->info;
    }
    return entry->sparsity;
}

double spgm_path_seconds(const spgm_path *path) {
    return path->seconds;
}
