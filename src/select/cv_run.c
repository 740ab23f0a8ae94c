/*
 * The folds of a cross-validation, side by side.
 *
 * HOW IT WORKS: every problem of every fold is a task, each on one thread, so that the numbers do not depend on how
 * many threads there are. The thread that called takes tasks like the others, and is the only one that calls back; when
 * no task is left for it, it waits and keeps calling back until the others are done.
 *
 * Where the range of s follows the data there are rounds, up to s = 8, 16, 32, ...: after each the losses of all folds
 * together say whether a larger s is worth trying. A task goes on from the models of its last round.
 */
#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "base/party.h"
#include "select/cv.h"

enum { FIRST_ROUND = 8 }; /* s of the first round where its range follows the data */
/* The upper half of the range must lower the loss by this part of its standard error to be worth another round. */
static const double worth = 0.1;

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Every fold leaves something to learn from, and has something to be judged by. */
static spgm_error check_fold(const struct spgm_cv *cv, const struct spgm_problem *problem, int64_t fold,
                             spgm_status *status) {
    double inside = 0, outside = 0, lower = 0, upper = 0;

    for (int64_t i = 0; i < cv->problem->A.rows; i++) {
        double weight = problem->weights == NULL ? 1 : problem->weights[i];

        if (cv_is_in(cv, fold, i)) {
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

/* ---- progress --------------------------------------------------------------------------------------------------- */

int cv_all_must_stop(const struct cv_run *run) {
    struct party *party = problem_party(run->cv->problem);
    int stops = cv_must_stop(run);

    if (party != NULL) {
        party_broadcast(party, &stops, sizeof stops, 0);
        stops |= party->has_failed;
    }
    return stops;
}

/* Tell the caller how far all tasks are; only from its own thread. Of rounds whose number is not known each has half of
 * what is left. */
static void call_back(struct cv_run *run, const spgm_progress *inner) {
    struct spgm_cv *cv = run->cv;
    spgm_progress progress = *inner;
    double fraction = 0;

    if (cv->progress == NULL || cv_must_stop(run) || !pthread_equal(pthread_self(), run->caller)) {
        return;
    }
    for (int64_t task = 0; task < run->task_count; task++) {
        fraction += atomic_load(&run->done[task]) / (double)run->task_count;
    }
    if (cv->is_open) {
        fraction = 1 - ldexp(1 - 0.5 * fraction, -(int)run->round);
    }
    progress.method = "cross-validation";
    progress.iteration = run->first * run->task_count + (int64_t)atomic_load(&run->finished) * (run->last - run->first);
    progress.seconds = clock_seconds() - run->began;
    progress.fraction = fmin(fraction, 0.999);
    if (cv->progress(&progress, cv->progress_context)) {
        atomic_store(&cv->interrupted, 1);
    }
}

int cv_tick(const spgm_progress *progress, void *context) {
    const struct cv_task *task = context;

    atomic_store(&task->run->done[task - task->run->tasks], progress->fraction);
    call_back(task->run, progress);
    return cv_must_stop(task->run);
}

/* ---- a round ---------------------------------------------------------------------------------------------------- */

static void keep_error(struct cv_run *run, spgm_error error, const spgm_status *status) {
    pthread_mutex_lock(&run->lock);
    if (run->error == SPGM_OK) {
        run->error = error;
        run->status = *status;
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->cv->interrupted, 1);
}

/* The caller has no task left: it calls back until the others are done with theirs. Its pauses grow, so that it never
 * waits much longer than the others take. In a child that a callback forked there are no others, and their tasks stay
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
    while (!cv_all_must_stop(run)) {
        spgm_status status;
        spgm_error error;
        int64_t task;

        atomic_fetch_add(&run->taken, 1);
        task = atomic_fetch_add(&run->next, 1);
        if (task >= run->task_count) {
            atomic_fetch_add(&run->finished, 1); /* of nothing */
            break;
        }
        error = cv_fold_run(&run->tasks[task], &status);
        if (error != SPGM_OK) {
            keep_error(run, error, &status);
        }
        atomic_store(&run->done[task], 1);
        atomic_fetch_add(&run->finished, 1);
    }
    if (pthread_equal(pthread_self(), run->caller)) {
        wait_for_others(run);
    }
}

static void run_round(struct cv_run *run, int threads) {
    for (int64_t task = 0; task < run->task_count; task++) {
        atomic_store(&run->done[task], 0);
    }
    atomic_store(&run->next, 0);
    atomic_store(&run->taken, 0);
    atomic_store(&run->finished, 0);
    parallel_for(run->team, threads, 1, worker, run);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* One past the last sparsity that is at most `most`. */
static int64_t up_to(const struct spgm_cv *cv, int64_t most) {
    int64_t i = 0;

    while (i < cv->listed && cv->sparsities[i] <= most) {
        i++;
    }
    return i;
}

/* Whether a larger s may lower the loss: the upper half of the range did. */
static int is_falling(const struct spgm_cv *cv) {
    double spread;
    int64_t half = up_to(cv, cv->sparsities[cv->count - 1] / 2);
    double upper = cv_lowest(cv, half, cv->count, &spread), lower;

    lower = cv_lowest(cv, 0, half, &spread);
    return isless(upper, lower - worth * spread);
}

static void run_rounds(struct cv_run *run, int threads) {
    struct spgm_cv *cv = run->cv;
    double batches = ceil((double)run->task_count / threads);

    for (run->round = 0; run->last < cv->listed; run->round++) {
        double left = run->began + cv->options.time_limit - clock_seconds();
        int stops;

        run->first = run->last;
        run->last = cv->is_open ? up_to(cv, (int64_t)FIRST_ROUND << run->round) : cv->listed;
        if (run->last == run->first) {
            continue; /* the steps are wider than the round */
        }
        /* Each thread does its tasks one after the other, and each ends in time. */
        run->task_seconds = (cv->is_open ? 0.5 * left : cv->options.time_limit) / batches;
        run_round(run, threads);
        stops = cv_all_must_stop(run);
        if (stops && run->first > 0) {
            break; /* the round counts for no fold, or it would for some of them only */
        }
        cv->count = run->last;
        if (stops || (cv->is_open && !is_falling(cv))) {
            break;
        }
    }
}

/* A fold holds several arrays over columns: those that hold nothing are left out once, but for as many as s asks for.
 */
static spgm_error take_views(struct cv_run *run, spgm_status *status) {
    const struct spgm_cv *cv = run->cv;

    run->views = workspace_array(&run->workspace, cv->parts, sizeof *run->views);
    for (int64_t part = 0; part < cv->parts && !run->workspace.failed; part++) {
        run->views[part] = *cv->problems[part];
        problem_drop_empty(&run->views[part], cv->sparsities[cv->listed - 1], &run->workspace);
    }
    return run->workspace.failed ? status_memory(status, run->workspace.bytes) : SPGM_OK;
}

static spgm_error run_all(struct cv_run *run, spgm_status *status) {
    struct spgm_cv *cv = run->cv;
    int threads = cv->problem->reduce != NULL ? 1 : parallel_threads(cv->options.threads);

    run->task_count = cv->parts * cv->folds;
    threads = threads < run->task_count ? threads : (int)run->task_count;
    run->done = memory_array(run->task_count, sizeof *run->done);
    run->tasks = memory_array(run->task_count, sizeof *run->tasks);
    run->team = team_new(threads);
    if (run->done == NULL || run->tasks == NULL || run->team == NULL) {
        run->error = status_memory(&run->status, (size_t)run->task_count * sizeof *run->tasks);
    } else {
        for (int64_t task = 0; task < run->task_count; task++) {
            run->tasks[task] = (struct cv_task){.run = run, .part = task / cv->folds, .fold = task % cv->folds};
        }
        run->caller = pthread_self();
        pthread_mutex_init(&run->lock, NULL);
        run_rounds(run, threads);
        pthread_mutex_destroy(&run->lock);
    }
    for (int64_t task = 0; run->tasks != NULL && task < run->task_count; task++) {
        quick_forget(&run->tasks[task].trail);
    }
    team_free(run->team);
    memory_free(run->tasks);
    memory_free(run->done);
    if (run->error != SPGM_OK && status != NULL) {
        *status = run->status;
    }
    return run->error;
}

static spgm_error take_losses(struct spgm_cv *cv, spgm_status *status) {
    double blocks = (double)cv->parts * (double)cv->folds * (double)cv->listed * (double)cv->ridge_count;
    int64_t size = blocks < 1e15 ? cv->parts * cv->folds * cv->listed * cv->ridge_count : -1;

    memory_free(cv->losses);
    cv->losses = size < 0 ? NULL : memory_array(size, sizeof *cv->losses);
    if (cv->losses == NULL) {
        return status_memory(status, (size_t)(blocks * sizeof *cv->losses));
    }
    for (int64_t i = 0; i < size; i++) {
        cv->losses[i] = NAN;
    }
    return SPGM_OK;
}

spgm_error spgm_cv_run(spgm_cv *cv, spgm_status *status) {
    struct cv_run run = {.cv = cv, .began = clock_seconds()};
    spgm_status said = {0};
    spgm_error error;

    cv->interrupted = 0;
    cv->count = cv->is_open ? 0 : cv->listed;
    error = cv_draw(cv, &said);
    for (int64_t part = 0; part < cv->parts; part++) {
        for (int64_t fold = 0; error == SPGM_OK && fold < cv->folds; fold++) {
            error = check_fold(cv, cv->problems[part], fold, &said);
        }
    }
    if (error == SPGM_OK && cv->is_scaled) {
        error = cv_scale_ridges(cv, &said);
    }
    if (error == SPGM_OK) {
        error = take_losses(cv, &said);
    }
    if (error == SPGM_OK) {
        error = take_views(&run, &said);
    }
    if (error == SPGM_OK) {
        error = run_all(&run, &said);
    }
    workspace_free(&run.workspace);
    error = party_end(problem_party(cv->problem), error, &said);
    if (error != SPGM_OK && status != NULL) {
        *status = said;
    }
    return error != SPGM_OK ? error : status_clear(status);
}
