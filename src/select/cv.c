/*
 * Cross-validation over s.
 *
 * HOW IT WORKS: for every fold a path on the other rows, and the loss of each of its models on the rows of the fold.
 * Folds run side by side, each on one thread, so that the numbers do not depend on how many threads there are. The
 * thread that called takes folds like the others, and is the only one that calls back; when no fold is left for it, it
 * waits and keeps calling back until the others are done.
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/party.h"
#include "base/random.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "select/folds.h"
#include "select/path.h"

enum { LISTED_ROWS = 10000000 };               /* of all processes: for more no list of folds is made */
#define FOLD_ROWS UINT64_C(0x666f6c6400000000) /* the streams of the seed that draw folds row by row  */

struct spgm_cv {
    const struct spgm_problem *problem; /* of all rows */
    struct spgm_options options;
    struct workspace workspace; /* owns the arrays                   */
    int64_t count;
    int64_t *sparsities; /* [count] ascending */
    int64_t folds;
    int64_t *fold_of_row; /* [rows]            */
    double *losses;       /* [count x folds], fold by fold; NaN: not known */
    spgm_progress_function progress;
    void *progress_context;
    atomic_int interrupted; /* set from anywhere, by the callback, and by an error: every fold stops */
};

/* What the threads of a run share. */
struct cv_run {
    struct spgm_cv *cv;
    struct team *team;
    pthread_t caller;
    double began, fold_seconds;
    atomic_llong next;     /* fold to take                     */
    atomic_llong taken;    /* folds that some thread works on  */
    atomic_llong finished; /* folds                            */
    _Atomic double *done;  /* [folds] fraction of each         */
    pthread_mutex_t lock;  /* of error and status              */
    spgm_error error;
    spgm_status status;
};

/* One fold at work. */
struct cv_fold {
    struct cv_run *run;
    int64_t fold;
    int64_t train, test;             /* rows of each          */
    int64_t *train_rows, *test_rows; /* [train], [test] ascending */
};

/* ---- creation -------------------------------------------------------------------------------------------------- */

/* Rows of all processes. */
static int64_t all_rows(const struct spgm_cv *cv) {
    double rows = (double)cv->problem->A.rows;

    reduce_sum(cv->problem->reduce, &rows, 1);
    return (int64_t)rows;
}

/* Rows that live elsewhere: the folds that one process would draw, from everybody's labels; of very many rows each
 * draws its fold by its number. */
static spgm_error draw_spread(struct spgm_cv *cv, int64_t rows, spgm_status *status) {
    const struct spgm_problem *problem = cv->problem;
    struct party *party = problem_party(problem);
    int64_t first = party_before(party, problem->A.rows);
    int is_listed = rows <= LISTED_ROWS;
    struct workspace workspace = {0};
    double *labels = workspace_doubles(&workspace, is_listed ? rows : 0);
    int64_t *fold_of_row = workspace_integers(&workspace, is_listed ? rows : 0);
    int64_t *work = workspace_integers(&workspace, is_listed ? rows : 0);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    error = party_agree(party, error, status);
    if (error == SPGM_OK && is_listed) {
        vector_copy(problem->A.rows, problem->b, labels + first);
        party_sum(party, labels, rows);
        folds_draw(rows, problem_has_labels(problem) ? labels : NULL, problem->labels[1], cv->folds,
                   (uint64_t)cv->options.seed, fold_of_row, work);
        memcpy(cv->fold_of_row, fold_of_row + first, (size_t)problem->A.rows * sizeof *fold_of_row);
    }
    for (int64_t i = 0; error == SPGM_OK && !is_listed && i < problem->A.rows; i++) {
        struct random random;

        random_seed(&random, (uint64_t)cv->options.seed, FOLD_ROWS + (uint64_t)(first + i));
        cv->fold_of_row[i] = random_below(&random, cv->folds);
    }
    workspace_free(&workspace);
    return error;
}

static spgm_error draw(struct spgm_cv *cv, spgm_status *status) {
    const struct spgm_problem *problem = cv->problem;
    int64_t rows = all_rows(cv);
    int64_t *work;

    if (cv->folds > rows) {
        return status_set(status, SPGM_ERROR_OPTION,
                          "option folds is %" PRId64 " but the data have %" PRId64
                          " rows: every fold needs at least one",
                          cv->folds, rows);
    }
    if (problem_party(problem) != NULL) {
        return draw_spread(cv, rows, status);
    }
    work = memory_array(cv->problem->A.rows, sizeof *work);
    if (work == NULL) {
        return status_memory(status, (size_t)cv->problem->A.rows * sizeof *work);
    }
    folds_draw(cv->problem->A.rows, problem_has_labels(problem) ? problem->b : NULL, problem->labels[1], cv->folds,
               (uint64_t)cv->options.seed, cv->fold_of_row, work);
    memory_free(work);
    return SPGM_OK;
}

/* Every fold leaves something to learn from, and has something to be judged by. */
static spgm_error check_fold(const struct spgm_cv *cv, int64_t fold, spgm_status *status) {
    const struct spgm_problem *problem = cv->problem;
    double inside = 0, outside = 0, lower = 0, upper = 0;

    for (int64_t i = 0; i < cv->problem->A.rows; i++) {
        double weight = problem->weights == NULL ? 1 : problem->weights[i];

        if (cv->fold_of_row[i] == fold) {
            inside += weight;
        } else {
            outside += weight;
            upper += problem->b[i] == problem->labels[1];
            lower += problem->b[i] == problem->labels[0];
        }
    }
    reduce_sum(problem->reduce, &inside, 1);
    reduce_sum(problem->reduce, &outside, 1);
    reduce_sum(problem->reduce, &lower, 1);
    reduce_sum(problem->reduce, &upper, 1);
    if (inside == 0 || outside == 0) {
        return status_set(status, SPGM_ERROR_DATA,
                          "%s fold %" PRId64 " have weight zero: use fewer folds, or drop rows without weight",
                          inside == 0 ? "all rows of" : "all rows outside of", fold + 1);
    }
    if (problem_has_labels(problem) && (lower == 0 || upper == 0)) {
        return status_set(status, SPGM_ERROR_DATA,
                          "all rows with the label %g are in fold %" PRId64
                          ": a label needs rows in at least two folds",
                          problem->labels[lower > 0], fold + 1);
    }
    return SPGM_OK;
}

/* The list as a path takes it: checked and ascending. */
static spgm_error take_sparsities(struct spgm_cv *cv, const int64_t *sparsities, int64_t count, spgm_status *status) {
    spgm_path *path = NULL;
    spgm_error error = spgm_path_new(cv->problem, sparsities, count, &cv->options, &path, status);

    if (error == SPGM_OK) {
        cv->count = count;
        cv->sparsities = workspace_integers(&cv->workspace, count);
        for (int64_t i = 0; cv->sparsities != NULL && i < count; i++) {
            cv->sparsities[i] = path->entries[i].sparsity;
        }
    }
    spgm_path_free(path);
    return error;
}

static void forget(struct spgm_cv *cv) {
    for (int64_t i = 0; i < cv->count * cv->folds; i++) {
        cv->losses[i] = NAN;
    }
}

static spgm_error take_folds(struct spgm_cv *cv, int64_t folds, spgm_status *status) {
    double *losses = folds <= INT64_MAX / 8 / cv->count ? memory_array(cv->count * folds, sizeof *losses) : NULL;

    if (losses == NULL) {
        return status_memory(status, (size_t)folds * (size_t)cv->count * sizeof *losses);
    }
    memory_free(cv->losses);
    cv->losses = losses;
    cv->folds = folds;
    forget(cv);
    return SPGM_OK;
}

static spgm_error fill(struct spgm_cv *cv, const int64_t *sparsities, int64_t count, spgm_status *status) {
    spgm_error error = take_sparsities(cv, sparsities, count, status);

    if (error == SPGM_OK) {
        cv->fold_of_row = workspace_integers(&cv->workspace, cv->problem->A.rows);
        error = cv->workspace.failed ? status_memory(status, cv->workspace.bytes) : SPGM_OK;
    }
    if (error == SPGM_OK && cv->options.folds <= all_rows(cv)) {
        error = take_folds(cv, cv->options.folds, status);
    }
    if (error == SPGM_OK) {
        cv->folds = cv->options.folds;
        error = draw(cv, status);
    }
    return error;
}

spgm_error spgm_cv_new(const spgm_problem *problem, const int64_t *sparsities, int64_t count,
                       const spgm_options *options, spgm_cv **cv, spgm_status *status) {
    spgm_cv *created;
    spgm_error error;

    if (problem == NULL || cv == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_cv_new needs a problem and a place for the result");
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    created->problem = problem;
    if (options != NULL) {
        created->options = *options;
    } else {
        options_defaults(&created->options);
    }
    error = fill(created, sparsities, count, status);
    if (error != SPGM_OK) {
        spgm_cv_free(created);
        return error;
    }
    *cv = created;
    return status_clear(status);
}

void spgm_cv_free(spgm_cv *cv) {
    if (cv != NULL) {
        memory_free(cv->losses);
        workspace_free(&cv->workspace);
        memory_free(cv);
    }
}

/* ---- folds of the user ----------------------------------------------------------------------------------------- */

static spgm_error check_numbers(const struct spgm_cv *cv, const int64_t *fold_of_row, int64_t folds, int64_t *sizes,
                                spgm_status *status) {
    for (int64_t i = 0; i < cv->problem->A.rows; i++) {
        if (fold_of_row[i] < 0 || fold_of_row[i] >= folds) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "row %" PRId64 " is in fold %" PRId64 ": folds are numbered 0 to %" PRId64, i + 1,
                              fold_of_row[i], folds - 1);
        }
        sizes[fold_of_row[i]]++;
    }
    for (int64_t fold = 0; fold < folds; fold++) {
        if (sizes[fold] == 0) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "fold %" PRId64 " (counted from 0) has no rows: number the folds without gaps", fold);
        }
    }
    return SPGM_OK;
}

spgm_error spgm_cv_set_folds(spgm_cv *cv, const int64_t *fold_of_row, int64_t folds, spgm_status *status) {
    int64_t *sizes;
    spgm_error error;

    if (cv->problem->reduce != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "folds are drawn where rows are spread over processes: leave spgm_cv_set_folds out");
    }
    if (fold_of_row == NULL || folds < 2 || folds > cv->problem->A.rows) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "%" PRId64 " folds given: there must be at least 2, at most the %" PRId64
                          " rows, and a fold for every row",
                          folds, cv->problem->A.rows);
    }
    sizes = memory_array(folds, sizeof *sizes);
    error = sizes == NULL ? status_memory(status, (size_t)folds * sizeof *sizes)
                          : check_numbers(cv, fold_of_row, folds, sizes, status);
    memory_free(sizes);
    if (error == SPGM_OK) {
        error = take_folds(cv, folds, status);
    }
    if (error == SPGM_OK) {
        memcpy(cv->fold_of_row, fold_of_row, sizeof *fold_of_row * (size_t)cv->problem->A.rows);
        status_clear(status);
    }
    return error;
}

void spgm_cv_set_progress(spgm_cv *cv, spgm_progress_function function, void *context) {
    cv->progress = function;
    cv->progress_context = context;
}

void spgm_cv_interrupt(spgm_cv *cv) {
    cv->interrupted = 1;
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

static int must_stop(const struct cv_run *run) {
    return atomic_load(&run->cv->interrupted);
}

/* What process 0 knows of it, for all. */
static int all_must_stop(const struct cv_run *run) {
    struct party *party = problem_party(run->cv->problem);
    int stops = must_stop(run);

    if (party != NULL) {
        party_broadcast(party, &stops, sizeof stops, 0);
        stops |= party->has_failed;
    }
    return stops;
}

/* Tell the caller how far all folds are; only from its own thread. */
static void call_back(struct cv_run *run, const spgm_progress *inner) {
    struct spgm_cv *cv = run->cv;
    spgm_progress progress = *inner;
    double fraction = 0;

    if (cv->progress == NULL || must_stop(run) || !pthread_equal(pthread_self(), run->caller)) {
        return;
    }
    for (int64_t fold = 0; fold < cv->folds; fold++) {
        fraction += atomic_load(&run->done[fold]);
    }
    progress.method = "cross-validation";
    progress.iteration = atomic_load(&run->finished) * cv->count;
    progress.seconds = clock_seconds() - run->began;
    progress.fraction = fmin(fraction / (double)cv->folds, 0.999);
    if (cv->progress(&progress, cv->progress_context)) {
        atomic_store(&cv->interrupted, 1);
    }
}

/* The callback of a fold's path. */
static int on_path(const spgm_progress *progress, void *context) {
    struct cv_fold *fold = context;

    atomic_store(&fold->run->done[fold->fold], progress->fraction);
    call_back(fold->run, progress);
    return must_stop(fold->run);
}

/* ---- one fold --------------------------------------------------------------------------------------------------- */

/* The rows on each side of the fold. */
static void split_rows(struct cv_fold *fold) {
    const struct spgm_cv *cv = fold->run->cv;

    for (int64_t i = 0; i < cv->problem->A.rows; i++) {
        if (cv->fold_of_row[i] == fold->fold) {
            fold->test_rows[fold->test++] = i;
        } else {
            fold->train_rows[fold->train++] = i;
        }
    }
}

static double weight_of(const struct spgm_problem *problem) {
    double weight = problem->weights == NULL ? (double)problem->A.rows : 0;

    for (int64_t i = 0; problem->weights != NULL && i < problem->A.rows; i++) {
        weight += problem->weights[i];
    }
    reduce_sum(problem->reduce, &weight, 1);
    return weight;
}

/* Losses of the models of a path that has run, at losses [count], on the rows of the fold. */
static spgm_error judge(const struct cv_fold *fold, const struct spgm_path *path, double *losses, spgm_status *status) {
    const struct spgm_cv *cv = fold->run->cv;
    spgm_problem *test = NULL;
    double *x = memory_array(cv->problem->A.columns, sizeof *x);
    spgm_error error = x == NULL ? status_memory(status, (size_t)cv->problem->A.columns * sizeof *x)
                                 : spgm_problem_subset(cv->problem, fold->test_rows, fold->test, &test, status);

    for (int64_t i = 0; error == SPGM_OK && i < cv->count; i++) {
        double intercept, loss;

        spgm_path_get(path, i, x, &intercept, NULL);
        error = spgm_problem_evaluate(test, x, intercept, NULL, &loss, NULL, status);
        losses[i] = error == SPGM_OK ? cv->problem->loss->per_row(loss, weight_of(test)) : NAN;
    }
    spgm_problem_free(test);
    memory_free(x);
    return error;
}

static spgm_error fold_path(struct cv_fold *fold, spgm_problem *problem, const struct spgm_options *options,
                            spgm_status *status) {
    struct spgm_cv *cv = fold->run->cv;
    spgm_path *path = NULL;
    spgm_error error = spgm_path_new(problem, cv->sparsities, cv->count, options, &path, status);

    if (error == SPGM_OK) {
        path->stop = &cv->interrupted;
        spgm_path_set_progress(path, on_path, fold);
        error = spgm_path_run(path, status);
    }
    if (error == SPGM_OK && !all_must_stop(fold->run)) { /* a path that was cut short would judge its s unfairly */
        error = judge(fold, path, cv->losses + fold->fold * cv->count, status);
    }
    spgm_path_free(path);
    return error;
}

static spgm_error run_fold(struct cv_fold *fold, spgm_status *status) {
    const struct cv_run *run = fold->run;
    struct workspace workspace = {0};
    struct spgm_options options = run->cv->options;
    spgm_problem *problem = NULL;
    spgm_error error;

    options.threads = 1;
    options.time_limit = run->fold_seconds;
    fold->train_rows = workspace_integers(&workspace, run->cv->problem->A.rows);
    fold->test_rows = workspace_integers(&workspace, run->cv->problem->A.rows);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
        workspace_free(&workspace);
        return error;
    }
    split_rows(fold);
    error = spgm_problem_subset(run->cv->problem, fold->train_rows, fold->train, &problem, status);
    if (error == SPGM_OK) {
        error = fold_path(fold, problem, &options, status);
    }
    spgm_problem_free(problem);
    workspace_free(&workspace);
    return error;
}

/* ---- all folds -------------------------------------------------------------------------------------------------- */

static void keep_error(struct cv_run *run, spgm_error error, const spgm_status *status) {
    pthread_mutex_lock(&run->lock);
    if (run->error == SPGM_OK) {
        run->error = error;
        run->status = *status;
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->cv->interrupted, 1);
}

/* The caller has no fold left: it calls back until the others are done with theirs. Its pauses grow, so that it never
 * waits much longer than the others take. In a child that a callback forked there are no others, and their folds stay
 * unknown. */
static void wait_for_others(struct cv_run *run) {
    struct timespec pause = {0, 100 * 1000};
    const spgm_progress nothing = {.objective = NAN, .best = NAN, .penalised = NAN};

    while (atomic_load(&run->finished) < atomic_load(&run->taken) && team_is_whole(run->team)) {
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < 10 * 1000 * 1000 ? 2 * pause.tv_nsec : pause.tv_nsec;
        call_back(run, &nothing);
    }
}

static void worker(void *context, int64_t first, int64_t last) {
    struct cv_run *run = context;

    (void)first;
    (void)last;
    while (!all_must_stop(run)) {
        struct cv_fold fold = {.run = run};
        spgm_status status;
        spgm_error error;

        atomic_fetch_add(&run->taken, 1);
        fold.fold = atomic_fetch_add(&run->next, 1);
        if (fold.fold >= run->cv->folds) {
            atomic_fetch_add(&run->finished, 1); /* of nothing */
            break;
        }
        error = run_fold(&fold, &status);
        if (error != SPGM_OK) {
            keep_error(run, error, &status);
        }
        atomic_store(&run->done[fold.fold], 1);
        atomic_fetch_add(&run->finished, 1);
    }
    if (pthread_equal(pthread_self(), run->caller)) {
        wait_for_others(run);
    }
}

static spgm_error run_all(struct cv_run *run, spgm_status *status) {
    struct spgm_cv *cv = run->cv;
    int threads = cv->problem->reduce != NULL ? 1 : parallel_threads(cv->options.threads);

    threads = threads < cv->folds ? threads : (int)cv->folds;
    run->done = memory_array(cv->folds, sizeof *run->done);
    run->team = team_new(threads);
    if (run->done == NULL || run->team == NULL) {
        memory_free(run->done);
        team_free(run->team);
        return status_memory(status, (size_t)cv->folds * sizeof *run->done);
    }
    run->caller = pthread_self();
    run->began = clock_seconds();
    /* Each thread does folds / threads of them, one after the other, and a path ends in time. */
    run->fold_seconds = cv->options.time_limit / ceil((double)cv->folds / threads);
    pthread_mutex_init(&run->lock, NULL);
    parallel_for(run->team, threads, 1, worker, run);
    pthread_mutex_destroy(&run->lock);
    team_free(run->team);
    memory_free(run->done);
    if (run->error != SPGM_OK && status != NULL) {
        *status = run->status;
    }
    return run->error;
}

spgm_error spgm_cv_run(spgm_cv *cv, spgm_status *status) {
    struct cv_run run = {.cv = cv};
    spgm_status said = {0};
    spgm_error error = SPGM_OK;

    cv->interrupted = 0;
    forget(cv);
    for (int64_t fold = 0; error == SPGM_OK && fold < cv->folds; fold++) {
        error = check_fold(cv, fold, &said);
    }
    if (error == SPGM_OK) {
        error = run_all(&run, &said);
    }
    error = party_end(problem_party(cv->problem), error, &said);
    if (error != SPGM_OK && status != NULL) {
        *status = said;
    }
    return error != SPGM_OK ? error : status_clear(status);
}

/* ---- results ---------------------------------------------------------------------------------------------------- */

int64_t spgm_cv_count(const spgm_cv *cv) {
    return cv->count;
}

int64_t spgm_cv_folds(const spgm_cv *cv) {
    return cv->folds;
}

void spgm_cv_get_fold_of_row(const spgm_cv *cv, int64_t *fold_of_row) {
    memcpy(fold_of_row, cv->fold_of_row, sizeof *fold_of_row * (size_t)cv->problem->A.rows);
}

/* Mean of the finished folds and its standard error: the root of the variance between folds over their number. */
static double mean_of(const struct spgm_cv *cv, int64_t i, double *standard_error) {
    double sum = 0, squares = 0, mean;
    int64_t known = 0;

    for (int64_t fold = 0; fold < cv->folds; fold++) {
        double loss = cv->losses[fold * cv->count + i];

        sum += isnan(loss) ? 0 : loss;
        known += !isnan(loss);
    }
    mean = known == 0 ? NAN : sum / (double)known;
    for (int64_t fold = 0; fold < cv->folds; fold++) {
        double loss = cv->losses[fold * cv->count + i];

        squares += isnan(loss) ? 0 : (loss - mean) * (loss - mean);
    }
    *standard_error = known < 2 ? NAN : sqrt(squares / (double)(known - 1) / (double)known);
    return mean;
}

int64_t spgm_cv_get(const spgm_cv *cv, int64_t i, double *losses, double *mean, double *standard_error) {
    double average, spread;

    if (i < 0 || i >= cv->count) {
        return -1;
    }
    for (int64_t fold = 0; losses != NULL && fold < cv->folds; fold++) {
        losses[fold] = cv->losses[fold * cv->count + i];
    }
    average = mean_of(cv, i, &spread);
    if (mean != NULL) {
        *mean = average;
    }
    if (standard_error != NULL) {
        *standard_error = spread;
    }
    return cv->sparsities[i];
}

int64_t spgm_cv_best(const spgm_cv *cv) {
    double lowest = INFINITY, spread;
    int64_t best = -1;

    for (int64_t i = 0; i < cv->count; i++) {
        double mean = mean_of(cv, i, &spread);

        if (isless(mean, lowest)) {
            lowest = mean;
            best = i;
        }
    }
    return best;
}

int64_t spgm_cv_one_standard_error(const spgm_cv *cv) {
    int64_t best = spgm_cv_best(cv);
    double spread, other;
    double lowest = best < 0 ? NAN : mean_of(cv, best, &spread);

    for (int64_t i = 0; i < best; i++) {
        if (islessequal(mean_of(cv, i, &other), lowest + spread)) {
            return i;
        }
    }
    return best;
}
