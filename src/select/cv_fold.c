/* One task: fit on the rows outside a fold, and judge on the rows of the fold. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/party.h"
#include "select/cv.h"

struct fold {
    struct cv_task *task;
    int64_t train, test;             /* numbers of rows */
    int64_t *train_rows, *test_rows; /* [train], [test] ascending */
    spgm_problem *learn, *judge;
    double *ridges; /* ridges for the rows of the fit [ridge_count] */
    double judge_weight;
    double began; /* clock_seconds at the beginning */
};

/* List the rows outside the fold and those in it. */
static void split_rows(struct fold *fold) {
    const struct spgm_cv *cv = fold->task->run->cv;

    for (int64_t i = 0; i < cv->problem->A.rows; i++) {
        if (cv_is_in(cv, fold->task->fold, i)) {
            fold->test_rows[fold->test++] = i;
        } else {
            fold->train_rows[fold->train++] = i;
        }
    }
}

double cv_weight(const struct spgm_problem *problem) {
    double weight = problem->weights == NULL ? (double)problem->A.rows : 0;

    for (int64_t i = 0; problem->weights != NULL && i < problem->A.rows; i++) {
        weight += problem->weights[i];
    }
    reduce_sum(problem->reduce, &weight, 1);
    return weight;
}

/* The factor by which a ridge for all rows is as strong beside the loss of some of them: for sums over rows, their
 * share of the weight. */
static double share_of(const struct spgm_problem *some, const struct spgm_problem *whole) {
    double (*per_row)(double, double) = whole->loss->per_row;

    return per_row(1, cv_weight(whole)) / per_row(1, cv_weight(some));
}

static spgm_error act_on_deviations(struct spgm_problem *problem, spgm_status *status) {
    memcpy(problem->options.ridge_scale, "deviation", sizeof "deviation");
    return problem_scale_ridge(problem, status);
}

spgm_error cv_set_ridge(struct spgm_problem *some, const struct spgm_problem *whole, double ridge, int by_deviation,
                        spgm_status *status) {
    some->options.ridge = share_of(some, whole) * ridge;
    return by_deviation ? act_on_deviations(some, status) : SPGM_OK;
}

/* Scale the ridges for all rows to the rows of the fit. */
static spgm_error take_ridges(struct fold *fold, spgm_status *status) {
    const struct spgm_cv *cv = fold->task->run->cv;
    const struct spgm_problem *whole = &fold->task->run->views[fold->task->part];
    double share = share_of(fold->learn, whole);

    for (int64_t k = 0; k < cv->ridge_count; k++) {
        fold->ridges[k] = cv->has_ridges ? share * cv->ridges[k] : whole->options.ridge;
    }
    fold->learn->options.ridge = fold->ridges[0];
    return cv->is_scaled ? act_on_deviations(fold->learn, status) : SPGM_OK;
}

/* ---- judging ----------------------------------------------------------------------------------------------------- */

/* Judge a model of the i-th sparsity of this round. */
static spgm_error judge(void *context, int64_t i, int64_t k, const double *x, double intercept, spgm_status *status) {
    const struct fold *fold = context;
    const struct cv_task *task = fold->task;
    const struct spgm_cv *cv = task->run->cv;
    double loss;
    /* with several labels the scores of models are compared, so their size matters */
    spgm_error error = cv->parts == 1 ? problem_judge(fold->judge, x, intercept, &loss, status)
                                      : spgm_problem_evaluate(fold->judge, x, intercept, NULL, &loss, NULL, status);

    if (error == SPGM_OK) {
        cv_losses(cv, task->part, task->fold, task->run->first + i)[k] =
            cv_judge(task)->loss->per_row(loss, fold->judge_weight);
    }
    return error;
}

static void forget(const struct fold *fold) {
    const struct cv_run *run = fold->task->run;

    for (int64_t i = run->first; i < run->last; i++) {
        for (int64_t k = 0; k < run->cv->ridge_count; k++) {
            cv_losses(run->cv, fold->task->part, fold->task->fold, i)[k] = NAN;
        }
    }
}

/* ---- fitting ----------------------------------------------------------------------------------------------------- */

/* Paths are used instead if rows live elsewhere. */
static int is_quick(const struct spgm_problem *problem, const struct spgm_options *options) {
    return problem->reduce == NULL && options->effort <= SPGM_CV_EFFORT && isinf(options->time_limit) &&
           strcmp(options->method, "auto") == 0;
}

static spgm_error search_quickly(struct fold *fold, const struct spgm_options *options, spgm_status *status) {
    struct cv_run *run = fold->task->run;
    struct quick quick = {.problem = fold->learn,
                          .options = options,
                          .count = run->last - run->first,
                          .sparsities = run->cv->sparsities + run->first,
                          .ridge_count = run->cv->ridge_count,
                          .ridges = fold->ridges,
                          .first_ridge = run->first_ridge,
                          .last_ridge = run->last_ridge,
                          .trail = &fold->task->trail,
                          .stop = &run->cv->interrupted,
                          .progress = cv_tick,
                          .progress_context = fold->task,
                          .found = judge,
                          .found_context = fold};

    return quick_run(&quick, status);
}

/* The progress of one path out of several, as part of the progress of the task. */
struct path_share {
    struct cv_task *task;
    int64_t done; /* paths finished before it */
};

static int on_path(const spgm_progress *inner, void *context) {
    const struct path_share *share = context;
    const struct cv_run *run = share->task->run;
    spgm_progress progress = *inner;

    progress.fraction = ((double)share->done + inner->fraction) / (double)(run->last_ridge - run->first_ridge);
    return cv_tick(&progress, share->task);
}

static spgm_error judge_path(struct fold *fold, const spgm_path *path, int64_t k, spgm_status *status) {
    int64_t n = fold->learn->A.columns;
    double *x = memory_array(n, sizeof *x), intercept;
    spgm_error error = x == NULL ? status_memory(status, (size_t)n * sizeof *x) : SPGM_OK;

    for (int64_t i = 0; error == SPGM_OK && i < path->count; i++) {
        spgm_path_get(path, i, x, &intercept, NULL);
        error = judge(fold, i, k, x, intercept, status);
    }
    memory_free(x);
    return error;
}

static spgm_error search_path(struct fold *fold, int64_t k, const struct spgm_options *options, spgm_status *status) {
    struct cv_run *run = fold->task->run;
    struct path_share share = {fold->task, run->last_ridge - 1 - k};
    spgm_path *path = NULL;
    spgm_error error =
        spgm_path_new(fold->learn, run->cv->sparsities + run->first, run->last - run->first, options, &path, status);

    fold->learn->options.ridge = fold->ridges[k];
    if (error == SPGM_OK) {
        path->stop = &run->cv->interrupted;
        path->is_for_models = 1;
        spgm_path_set_progress(path, on_path, &share);
        error = spgm_path_run(path, status);
    }
    if (error == SPGM_OK && !cv_all_must_stop(run)) {
        error = judge_path(fold, path, k, status);
    }
    spgm_path_free(path);
    return error;
}

/* The time left. If rows live elsewhere all processes must decide alike, so the clock of the first one counts. */
static double seconds_left(const struct fold *fold, double until) {
    struct party *party = problem_party(fold->learn);
    double left = fmax(until - clock_seconds(), 0);

    if (party != NULL) {
        party_broadcast(party, &left, sizeof left, 0);
    }
    return left;
}

/* A path for each ridge, from the smallest up. If the time of the fold is too short for all, larger ridges are left
 * out. The first path is always made: without a model for each s there is nothing to judge. */
static spgm_error search(struct fold *fold, spgm_status *status) {
    const struct cv_run *run = fold->task->run;
    struct spgm_options options = run->cv->options;
    double until = fold->began + fold->task->piece.seconds;
    spgm_error error = SPGM_OK;

    options.threads = 1;
    if (is_quick(fold->learn, &options)) {
        return search_quickly(fold, &options, status);
    }
    for (int64_t k = run->last_ridge - 1; error == SPGM_OK && k >= run->first_ridge && !cv_all_must_stop(run); k--) {
        double left = seconds_left(fold, until);

        if (k < run->last_ridge - 1 && left <= 0) {
            break;
        }
        options.time_limit = left / (double)(k - run->first_ridge + 1);
        error = search_path(fold, k, &options, status);
    }
    return error;
}

spgm_error cv_fold_run(struct cv_task *task, spgm_status *status) {
    struct spgm_cv *cv = task->run->cv;
    const struct spgm_problem *whole = &task->run->views[task->part];
    struct workspace workspace = {.memory = whole->A.memory};
    struct fold fold = {.task = task, .began = clock_seconds()};
    spgm_error error;

    fold.train_rows = workspace_integers(&workspace, whole->A.rows);
    fold.test_rows = workspace_integers(&workspace, whole->A.rows);
    fold.ridges = workspace_doubles(&workspace, cv->ridge_count);
    error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;
    if (error == SPGM_OK) {
        split_rows(&fold);
        error = spgm_problem_subset(whole, fold.train_rows, fold.train, &fold.learn, status);
    }
    if (error == SPGM_OK) {
        error = spgm_problem_subset(cv_judge(task), fold.test_rows, fold.test, &fold.judge, status);
    }
    if (error == SPGM_OK && fold.learn->reduce == NULL) { /* weight 2 and two equal rows fit alike */
        error = spgm_problem_merge_rows(fold.learn, NULL, status);
    }
    if (error == SPGM_OK) {
        error = take_ridges(&fold, status);
    }
    if (error == SPGM_OK) {
        fold.judge_weight = cv_weight(fold.judge);
        error = search(&fold, status);
    }
    if (error != SPGM_OK || cv_all_must_stop(task->run)) { /* models that were cut short would be judged unfairly */
        forget(&fold);
    }
    task->is_done = error == SPGM_OK;
    spgm_problem_free(fold.learn);
    spgm_problem_free(fold.judge);
    workspace_free(&workspace);
    return error;
}
