/*
 * Stability: models of random halves of the rows, and of bootstrap samples.
 *
 * HOW IT WORKS: the fit to all rows comes first, because bootstrap samples are fitted on its columns. Then the samples
 * run side by side, each drawn from its own stream of the seed. A time limit gives a share to the fit, and samples that
 * could not end in time are not begun.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "model/problem.h"
#include "select/constants.h"
#include "select/crew.h"

/* Streams of the seed; others draw starts and folds. */
enum { HALF_STREAM = 0x68616c66, BOOTSTRAP_STREAM = 0x626f6f74 };

struct resample {
    atomic_int is_done; /* set last, when the other fields are complete */
    int64_t count;
    int64_t *columns; /* [count] ascending, owned */
    double *values;   /* [count], owned */
    double intercept;
};

struct spgm_stability {
    const struct spgm_problem *problem;
    struct spgm_options options;
    int64_t sparsity;
    int64_t halves, bootstraps;
    int is_independent;
    struct resample *samples; /* [halves + bootstraps] */
    int64_t *rows;            /* the rows with weight, by label [row_count], owned */
    int64_t row_count, lower; /* number of these rows; the first `lower` of them have the lower label */
    spgm_solver *solver;      /* the fit to all rows, once it has run */
    double *x;                /* its coefficients [columns] */
    spgm_progress_function progress;
    void *progress_context;
    atomic_int interrupted;
};

/* ---- creation -------------------------------------------------------------------------------------------------- */

static int64_t count_of(int64_t asked, int64_t otherwise) {
    return asked < 0 ? 0 : asked == 0 ? otherwise : asked;
}

/* List the rows that may be drawn, those of the lower label first. */
static void list_rows(struct spgm_stability *st) {
    const struct spgm_problem *problem = st->problem;

    for (int is_upper = 0; is_upper < 2; is_upper++) {
        for (int64_t i = 0; i < problem->A.rows; i++) {
            int belongs = problem_has_labels(problem) && problem->b[i] == problem->labels[1];

            if (belongs == is_upper && (problem->weights == NULL || problem->weights[i] > 0)) {
                st->rows[st->row_count++] = i;
            }
        }
        st->lower = is_upper ? st->lower : st->row_count;
    }
}

static spgm_error fill(struct spgm_stability *st, const spgm_stability_settings *settings, spgm_status *status) {
    const spgm_stability_settings none = {0};

    settings = settings == NULL ? &none : settings;
    st->halves = count_of(settings->halves, STABILITY_HALVES);
    st->bootstraps = count_of(settings->bootstrap, STABILITY_BOOTSTRAPS);
    st->is_independent = settings->independent;
    st->halves += !st->is_independent && st->halves % 2;
    if (st->halves > 1000000 || st->bootstraps > 1000000) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%" PRId64 " samples are more than a million",
                          st->halves > 1000000 ? st->halves : st->bootstraps);
    }
    st->samples = memory_array(st->halves + st->bootstraps, sizeof *st->samples);
    st->rows = memory_beside(st->problem->A.memory, st->problem->A.rows, sizeof *st->rows);
    st->x = memory_array(st->problem->A.columns, sizeof *st->x);
    if (st->samples == NULL || st->rows == NULL || st->x == NULL) {
        return status_memory(status, (size_t)(st->halves + st->bootstraps) * sizeof *st->samples);
    }
    list_rows(st);
    return st->row_count >= 4
               ? SPGM_OK
               : status_set(status, SPGM_ERROR_DATA,
                            "%" PRId64 " rows with weight are too few to draw samples from: at least 4", st->row_count);
}

/* The fit to all rows, within its share of a time limit. */
static spgm_error new_solver(struct spgm_stability *st, spgm_status *status) {
    struct spgm_options options = st->options;

    options.time_limit *= STABILITY_FIT_SHARE;
    return spgm_solver_new(st->problem, st->sparsity, &options, &st->solver, status);
}

spgm_error spgm_stability_new(const spgm_problem *problem, int64_t sparsity, const spgm_options *options,
                              const spgm_stability_settings *settings, spgm_stability **stability,
                              spgm_status *status) {
    spgm_stability *created;
    spgm_error error;

    if (problem == NULL || stability == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_stability_new needs a problem and a place for the result");
    }
    if (problem->reduce != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "stability needs all rows in one place: they are spread over processes");
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    created->problem = problem;
    created->sparsity = sparsity;
    options_take(&created->options, options);
    error = fill(created, settings, status);
    error = error ? error : new_solver(created, status);
    if (error != SPGM_OK) {
        spgm_stability_free(created);
        return error;
    }
    *stability = created;
    return status_clear(status);
}

void spgm_stability_free(spgm_stability *st) {
    if (st == NULL) {
        return;
    }
    for (int64_t i = 0; st->samples != NULL && i < st->halves + st->bootstraps; i++) {
        memory_free(st->samples[i].columns);
        memory_free(st->samples[i].values);
    }
    spgm_solver_free(st->solver);
    memory_free(st->samples);
    memory_free(st->rows);
    memory_free(st->x);
    memory_free(st);
}

void spgm_stability_set_progress(spgm_stability *st, spgm_progress_function function, void *context) {
    st->progress = function;
    st->progress_context = context;
}

void spgm_stability_interrupt(spgm_stability *st) {
    st->interrupted = 1;
    spgm_solver_interrupt(st->solver);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* Draw one of two halves without common rows from rows[0..count) into drawn. Returns the number of rows. */
static int64_t draw_half(struct random *random, const int64_t *rows, int64_t count, int is_second, int64_t *work,
                         int64_t *drawn) {
    int64_t half = count / 2;

    memcpy(work, rows, (size_t)count * sizeof *rows);
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t other = random_below(random, i + 1), kept = work[i];

        work[i] = work[other];
        work[other] = kept;
    }
    memcpy(drawn, work + (is_second ? half : 0), (size_t)half * sizeof *drawn);
    return half;
}

static int64_t draw_with_replacement(struct random *random, const int64_t *rows, int64_t count, int64_t *drawn) {
    for (int64_t i = 0; i < count; i++) {
        drawn[i] = rows[random_below(random, count)];
    }
    return count;
}

static int by_number(const void *a, const void *b) {
    int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;

    return p < q ? -1 : p > q;
}

/* The rows of sample i, ascending; work, drawn [row_count]. A label with a single row is in no half; a half then has
 * only the other label, which a fit can handle. */
static int64_t draw(const struct spgm_stability *st, int64_t i, int64_t *work, int64_t *drawn) {
    const int64_t *rows[2] = {st->rows, st->rows + st->lower};
    const int64_t counts[2] = {st->lower, st->row_count - st->lower};
    int is_half = i < st->halves, is_second = is_half && !st->is_independent && i % 2;
    int64_t count = 0, number = !is_half ? i - st->halves : st->is_independent ? i : i / 2;
    struct random random;

    random_seed(&random, (uint64_t)st->options.seed,
                (is_half ? HALF_STREAM : BOOTSTRAP_STREAM) + ((uint64_t)number << 32));
    for (int k = 0; k < 2; k++) {
        count += is_half ? draw_half(&random, rows[k], counts[k], is_second, work, drawn + count)
                         : draw_with_replacement(&random, rows[k], counts[k], drawn + count);
    }
    qsort(drawn, (size_t)count, sizeof *drawn, by_number);
    return count;
}

/* ---- one sample -------------------------------------------------------------------------------------------------- */

struct stability_run {
    struct spgm_stability *st;
    int64_t *missing; /* the samples to be computed [pieces] */
};

static spgm_error keep(struct resample *sample, int64_t count, const int64_t *columns, const double *values,
                       double intercept, spgm_status *status) {
    int64_t *kept_columns = memory_array(count, sizeof *kept_columns);
    double *kept_values = memory_array(count, sizeof *kept_values);

    if (kept_columns == NULL || kept_values == NULL) {
        memory_free(kept_columns);
        memory_free(kept_values);
        return status_memory(status, (size_t)count * 16);
    }
    memcpy(kept_columns, columns, (size_t)count * sizeof *columns);
    memcpy(kept_values, values, (size_t)count * sizeof *values);
    memory_free(sample->columns);
    memory_free(sample->values);
    sample->columns = kept_columns;
    sample->values = kept_values;
    sample->count = count;
    sample->intercept = intercept;
    atomic_store(&sample->is_done, 1);
    return SPGM_OK;
}

static spgm_error keep_model(struct resample *sample, const spgm_solver *solver, spgm_status *status) {
    int64_t count = spgm_solver_get_nonzeros(solver, NULL, NULL);
    struct workspace workspace = {0};
    int64_t *columns = workspace_integers(&workspace, count);
    double *values = workspace_doubles(&workspace, count), intercept;
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    if (error == SPGM_OK) {
        spgm_solver_get_nonzeros(solver, columns, values);
        spgm_solver_get_x(solver, NULL, &intercept);
        error = keep(sample, count, columns, values, intercept, status);
    }
    workspace_free(&workspace);
    return error;
}

static spgm_error fit_sample(const struct stability_run *run, const struct crew_piece *crew, int64_t i,
                             const spgm_problem *problem, spgm_status *status) {
    struct spgm_stability *st = run->st;
    struct spgm_options options = st->options;
    struct crew_piece piece = *crew;
    spgm_solver *solver = NULL;
    spgm_error error = SPGM_OK;

    options.threads = 1;
    options.time_limit = piece.seconds;
    if (i >= st->halves) {
        error = spgm_options_set(&options, "method", "polish", status);
    }
    error = error ? error : spgm_solver_new(problem, st->sparsity, &options, &solver, status);
    if (error == SPGM_OK && i >= st->halves) {
        error = spgm_solver_set_start(solver, st->x, 0, status);
    }
    if (error == SPGM_OK) {
        spgm_solver_set_progress(solver, crew_progress, &piece);
        error = spgm_solver_run(solver, status);
    }
    if (error == SPGM_OK && spgm_solver_get_info(solver).outcome == SPGM_OUT_OF_MEMORY) {
        error = status_memory(status, (size_t)problem->A.rows * sizeof(double));
    }
    if (error == SPGM_OK && !st->interrupted) { /* a fit that was cut short would not be the same sample */
        error = keep_model(&st->samples[i], solver, status);
    }
    spgm_solver_free(solver);
    return error;
}

static spgm_error work(void *context, const struct crew_piece *piece, spgm_status *status) {
    const struct stability_run *run = context;
    const struct spgm_stability *st = run->st;
    struct workspace workspace = {.memory = st->problem->A.memory};
    int64_t *scratch = workspace_integers(&workspace, st->row_count);
    int64_t *drawn = workspace_integers(&workspace, st->row_count);
    int64_t i = run->missing[piece->number];
    spgm_problem *problem = NULL;
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    if (error == SPGM_OK) {
        error = spgm_problem_subset(st->problem, drawn, draw(st, i, scratch, drawn), &problem, status);
    }
    error = error ? error : fit_sample(run, piece, i, problem, status);
    spgm_problem_free(problem);
    workspace_free(&workspace);
    return error;
}

/* ---- run -------------------------------------------------------------------------------------------------- */

static spgm_error fit_all_rows(struct spgm_stability *st, spgm_status *status) {
    spgm_error error;

    if (spgm_solver_get_info(st->solver).outcome != SPGM_NOT_RUN) {
        return SPGM_OK;
    }
    spgm_solver_set_progress(st->solver, st->progress, st->progress_context);
    error = spgm_solver_run(st->solver, status);
    spgm_solver_set_progress(st->solver, NULL, NULL);
    if (error == SPGM_OK) {
        spgm_outcome outcome = spgm_solver_get_info(st->solver).outcome;

        spgm_solver_get_x(st->solver, st->x, NULL);
        st->interrupted = st->interrupted || outcome == SPGM_INTERRUPTED;
        if (outcome == SPGM_OUT_OF_MEMORY) {
            error = status_memory(status, (size_t)st->problem->A.rows * sizeof(double));
        }
    }
    return error;
}

spgm_error spgm_stability_run(spgm_stability *st, spgm_status *status) {
    int64_t all = st->halves + st->bootstraps;
    struct stability_run run = {.st = st, .missing = memory_array(all, sizeof *run.missing)};
    double until = problem_began(st->problem) + st->options.time_limit;
    struct rations rations = {.within = until, .until = until, .always = 1};
    struct crew crew = {.name = "stability",
                        .threads = st->options.threads,
                        .context = &run,
                        .work = work,
                        .progress = st->progress,
                        .progress_context = st->progress_context,
                        .rations = &rations,
                        .stop = &st->interrupted};
    spgm_error error;

    if (run.missing == NULL) {
        return status_memory(status, (size_t)all * sizeof *run.missing);
    }
    for (int64_t i = 0; i < all; i++) {
        if (!st->samples[i].is_done) {
            run.missing[crew.pieces++] = i;
        }
    }
    crew.done_before = all - crew.pieces;
    st->interrupted = 0;
    error = fit_all_rows(st, status);
    if (error == SPGM_OK && crew.pieces > 0 && !st->interrupted) {
        error = crew_run(&crew, status);
    }
    memory_free(run.missing);
    return error != SPGM_OK ? error : status_clear(status);
}

/* ---- results ---------------------------------------------------------------------------------------------- */

static int64_t finished_of(const struct spgm_stability *st, int64_t first, int64_t count) {
    int64_t finished = 0;

    for (int64_t i = first; i < first + count; i++) {
        finished += atomic_load(&st->samples[i].is_done) != 0;
    }
    return finished;
}

const spgm_solver *spgm_stability_solver(const spgm_stability *st) {
    return spgm_solver_get_info(st->solver).outcome == SPGM_NOT_RUN ? NULL : st->solver;
}

int64_t spgm_stability_halves(const spgm_stability *st, int64_t *finished) {
    if (finished != NULL) {
        *finished = finished_of(st, 0, st->halves);
    }
    return st->halves;
}

int64_t spgm_stability_bootstraps(const spgm_stability *st, int64_t *finished) {
    if (finished != NULL) {
        *finished = finished_of(st, st->halves, st->bootstraps);
    }
    return st->bootstraps;
}

int64_t spgm_stability_get_sample(const spgm_stability *st, int64_t i, int64_t *columns, double *values,
                                  double *intercept) {
    const struct resample *sample = i < 0 || i >= st->halves + st->bootstraps ? NULL : &st->samples[i];

    if (sample == NULL || !atomic_load(&sample->is_done)) {
        return -1;
    }
    if (columns != NULL) {
        memcpy(columns, sample->columns, (size_t)sample->count * sizeof *columns);
    }
    if (values != NULL) {
        memcpy(values, sample->values, (size_t)sample->count * sizeof *values);
    }
    if (intercept != NULL) {
        *intercept = sample->intercept;
    }
    return sample->count;
}

spgm_error spgm_stability_set_sample(spgm_stability *st, int64_t i, const int64_t *columns, const double *values,
                                     int64_t count, double intercept, spgm_status *status) {
    spgm_error error;

    if (i < 0 || i >= st->halves + st->bootstraps || count < 0 || count > st->problem->A.columns ||
        (count > 0 && (columns == NULL || values == NULL))) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "there is no sample %" PRId64 " with %" PRId64 " nonzeros", i,
                          count);
    }
    for (int64_t k = 0; k < count; k++) {
        if (columns[k] < (k == 0 ? 0 : columns[k - 1] + 1) || columns[k] >= st->problem->A.columns) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "the columns of sample %" PRId64 " are not an ascending list of columns", i);
        }
    }
    error = keep(&st->samples[i], count, columns, values, intercept, status);
    return error ? error : status_clear(status);
}

void spgm_stability_get_frequencies(const spgm_stability *st, double *frequencies) {
    int64_t finished = finished_of(st, 0, st->halves);

    for (int64_t j = 0; j < st->problem->A.columns; j++) {
        frequencies[j] = finished == 0 ? NAN : 0;
    }
    for (int64_t i = 0; i < st->halves; i++) {
        const struct resample *sample = &st->samples[i];

        for (int64_t k = 0; atomic_load(&sample->is_done) && k < sample->count; k++) {
            frequencies[sample->columns[k]] += 1;
        }
    }
    for (int64_t j = 0; finished > 0 && j < st->problem->A.columns; j++) {
        frequencies[j] /= (double)finished;
    }
}

static double coefficient(const struct resample *sample, int64_t j) {
    if (j < 0) {
        return sample->intercept;
    }
    for (int64_t k = 0; k < sample->count && sample->columns[k] <= j; k++) {
        if (sample->columns[k] == j) {
            return sample->values[k];
        }
    }
    return 0;
}

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;

    return p < q ? -1 : p > q;
}

/* The quantile at share p of a sorted list, interpolated between two values. */
static double at_share(const double *sorted, int64_t count, double p) {
    double place = p * (double)(count - 1);
    int64_t below = (int64_t)floor(place);

    return below + 1 >= count ? sorted[count - 1]
                              : sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

void spgm_stability_get_interval(const spgm_stability *st, int64_t j, double level, double *low, double *high) {
    double *values = memory_array(st->bootstraps, sizeof *values);
    int64_t count = 0;

    *low = *high = NAN;
    for (int64_t i = st->halves; values != NULL && i < st->halves + st->bootstraps; i++) {
        if (atomic_load(&st->samples[i].is_done)) {
            values[count++] = coefficient(&st->samples[i], j);
        }
    }
    if (count > 0) {
        qsort(values, (size_t)count, sizeof *values, by_value);
        *low = at_share(values, count, (1 - level) / 2);
        *high = at_share(values, count, (1 + level) / 2);
    }
    memory_free(values);
}

/* Shah and Samworth, Theorem 2 with its equations 6 to 8: C(tau, B) theta q for B pairs; NaN if it does not apply. */
static double unimodal_bound(double tau, double pairs, double theta, double q) {
    double least = fmin(0.5 + theta * theta, 0.5 + 1 / (2 * pairs) + 0.75 * theta * theta);

    if (!(theta <= 1 / sqrt(3)) || !(tau > least)) {
        return NAN;
    }
    return theta * q *
           (tau <= 0.75 ? 1 / (2 * (2 * tau - 1 - 1 / (2 * pairs)))
                        : 4 * (1 - tau + 1 / (2 * pairs)) / (1 + 1 / pairs));
}

static int is_candidate(const struct spgm_problem *problem, int64_t j) {
    return (problem->is_free == NULL || !problem->is_free[j]) &&
           (problem->is_excluded == NULL || !problem->is_excluded[j]);
}

spgm_error spgm_stability_stable(const spgm_stability *st, double threshold, spgm_stable_columns *result,
                                 spgm_status *status) {
    int64_t n = st->problem->A.columns, finished = finished_of(st, 0, st->halves);
    double *frequencies = memory_array(n, sizeof *frequencies);

    if (frequencies == NULL) {
        return status_memory(status, (size_t)n * sizeof *frequencies);
    }
    *result = (spgm_stable_columns){.bound = NAN, .unimodal = NAN};
    spgm_stability_get_frequencies(st, frequencies);
    for (int64_t j = 0; j < n; j++) {
        if (is_candidate(st->problem, j)) {
            result->candidates += 1;
            result->selected += frequencies[j];
            result->count += frequencies[j] >= threshold - STABILITY_ROUNDING;
        }
    }
    if (finished > 0 && threshold > 0.5 && threshold <= 1) {
        double q = result->selected, theta = q / result->candidates;

        result->bound = theta * q / (2 * threshold - 1);
        if (!st->is_independent) {
            result->unimodal = unimodal_bound(threshold, (double)finished / 2, theta, q);
        }
    }
    memory_free(frequencies);
    return status_clear(status);
}
