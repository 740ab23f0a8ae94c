/* Cross-validation over s and the ridge: the object and its settings. */
#include "select/cv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/party.h"
#include "base/random.h"
#include "linalg/vector.h"
#include "select/constants.h"
#include "select/folds.h"

#define FOLD_ROWS UINT64_C(0x666f6c6400000000) /* base of the random streams by which each row draws its fold */

/* ---- creation -------------------------------------------------------------------------------------------------- */

/* The number of rows over all processes. */
static int64_t all_rows(const struct spgm_cv *cv) {
    double rows = (double)cv->problem->A.rows;

    reduce_sum(cv->problem->reduce, &rows, 1);
    return (int64_t)rows;
}

static int64_t count_splits(const struct spgm_cv *cv) {
    int64_t wanted = cv->options.repeats, some = cv->is_scaled ? CV_ROWS_OF_SPLITS / cv->problem->A.rows : 1;

    if (!cv->is_drawn) {
        return 1;
    }
    return wanted > 0 ? wanted : some < 1 ? 1 : some > CV_MOST_SPLITS ? CV_MOST_SPLITS : some;
}

/* If rows live elsewhere, draw the folds that one process would draw, from the labels of all. If there are very many
 * rows, each draws its fold by its number. */
static spgm_error draw_spread(const struct spgm_cv *cv, int64_t split, int64_t *folds, spgm_status *status) {
    const struct spgm_problem *problem = cv->problem;
    struct party *party = problem_party(problem);
    int64_t rows = all_rows(cv), first = party_before(party, problem->A.rows);
    int is_listed = rows <= CV_LISTED_ROWS;
    struct workspace workspace = {0};
    double *labels = workspace_doubles(&workspace, is_listed ? rows : 0);
    double *weights = problem->weights != NULL ? workspace_doubles(&workspace, is_listed ? rows : 0) : NULL;
    int64_t *drawn = workspace_integers(&workspace, is_listed ? rows : 0);
    int64_t *work = workspace_integers(&workspace, is_listed ? rows : 0);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    error = party_agree(party, error, status);
    if (error == SPGM_OK && is_listed) {
        vector_copy(problem->A.rows, problem->b, labels + first);
        party_sum(party, labels, rows);
        if (weights != NULL) {
            vector_copy(problem->A.rows, problem->weights, weights + first);
            party_sum(party, weights, rows);
        }
        folds_draw(rows, problem_has_labels(problem) ? labels : NULL, problem->labels[1], weights, cv->shares,
                   (uint64_t)cv->options.seed, split, drawn, work);
        for (int64_t i = 0; i < problem->A.rows; i++) {
            folds[i] = drawn[first + i];
        }
    }
    for (int64_t i = 0; error == SPGM_OK && !is_listed && i < problem->A.rows; i++) {
        struct random random;

        random_seed(&random, (uint64_t)cv->options.seed + (uint64_t)split, FOLD_ROWS + (uint64_t)(first + i));
        folds[i] = random_below(&random, cv->shares);
    }
    workspace_free(&workspace);
    return error;
}

static spgm_error draw_here(const struct spgm_cv *cv, int64_t split, int64_t *folds, spgm_status *status) {
    const struct spgm_problem *problem = cv->problem;
    int64_t *work = memory_beside(problem->A.memory, problem->A.rows, sizeof *work);

    if (work == NULL) {
        return status_memory(status, (size_t)problem->A.rows * sizeof *work);
    }
    folds_draw(problem->A.rows, problem_has_labels(problem) ? problem->b : NULL, problem->labels[1], problem->weights,
               cv->shares, (uint64_t)cv->options.seed, split, folds, work);
    memory_free(work);
    return SPGM_OK;
}

spgm_error cv_draw(struct spgm_cv *cv, spgm_status *status) {
    struct party *party = problem_party(cv->problem);
    int64_t rows = cv->problem->A.rows, splits = count_splits(cv);
    int64_t *folds = memory_beside(cv->problem->A.memory, splits * rows, sizeof *folds);
    spgm_error error = folds == NULL ? status_memory(status, (size_t)(splits * rows) * sizeof *folds) : SPGM_OK;

    error = party == NULL ? error : party_agree(party, error, status);
    for (int64_t split = 0; error == SPGM_OK && cv->is_drawn && split < splits; split++) {
        error = party == NULL ? draw_here(cv, split, folds + split * rows, status)
                              : draw_spread(cv, split, folds + split * rows, status);
    }
    if (error != SPGM_OK) {
        memory_free(folds);
        return error;
    }
    if (!cv->is_drawn) {
        memcpy(folds, cv->fold_of_row, (size_t)rows * sizeof *folds);
    }
    memory_free(cv->fold_of_row);
    cv->fold_of_row = folds;
    cv->folds = splits * cv->shares;
    return SPGM_OK;
}

static spgm_error check_shares(const struct spgm_cv *cv, spgm_status *status) {
    int64_t rows = all_rows(cv);

    return cv->shares <= rows ? SPGM_OK
                              : status_set(status, SPGM_ERROR_OPTION,
                                           "option folds is %" PRId64 " but the data have %" PRId64
                                           " rows: every fold needs at least one",
                                           cv->shares, rows);
}

/* Take the list as a path does: checked and ascending. */
static spgm_error take_sparsities(struct spgm_cv *cv, const int64_t *sparsities, int64_t count, spgm_status *status) {
    spgm_path *path = NULL;
    spgm_error error = spgm_path_new(cv->problem, sparsities, count, &cv->options, &path, status);

    if (error == SPGM_OK) {
        cv->listed = cv->count = count;
        cv->sparsities = workspace_integers(&cv->workspace, count);
        for (int64_t i = 0; cv->sparsities != NULL && i < count; i++) {
            cv->sparsities[i] = path->entries[i].sparsity;
        }
        error = cv->workspace.failed ? status_memory(status, cv->workspace.bytes) : SPGM_OK;
    }
    spgm_path_free(path);
    return error;
}

/* Whether s may exceed half the rows: for logistic models, if at least one of the ridges shrinks. */
static int may_exceed(const struct spgm_cv *cv) {
    int has_ridge = cv->has_ridges ? cv->is_scaled || cv->ridges[0] > 0 : cv->problem->options.ridge > 0;

    return has_ridge && problem_has_labels(cv->problem) && !cv->problem->loss->is_of_sign;
}

/* The list of s that follows the data: up to half the rows of a fit, or more if `exceeds`, but at most all columns. */
static int64_t open_list(const struct spgm_cv *cv, int exceeds, int64_t *list) {
    int64_t most = all_rows(cv) / 2 * (cv->options.folds - 1) / cv->options.folds, count = 0;
    int64_t longer = 4 * most < CV_MOST_OF_FEW ? 4 * most : CV_MOST_OF_FEW;

    most = exceeds && longer > most ? longer : most;
    most = most < 1 ? 1 : most;
    most = most < cv->problem->A.columns ? most : cv->problem->A.columns;
    for (int64_t s = 0; s < most;
         s += s < CV_SINGLE_STEPS ? 1 : 1 + s / (s < CV_LEAST_RANGE ? CV_STEP : CV_LATE_STEP)) {
        if (list != NULL) {
            list[count] = s;
        }
        count++;
    }
    if (list != NULL) {
        list[count] = most;
    }
    return count + 1;
}

static spgm_error open_sparsities(struct spgm_cv *cv, spgm_status *status) {
    cv->is_open = 1;
    cv->sparsities = workspace_integers(&cv->workspace, open_list(cv, 1, NULL));
    if (cv->workspace.failed) {
        return status_memory(status, cv->workspace.bytes);
    }
    cv_open(cv);
    return SPGM_OK;
}

void cv_open(struct spgm_cv *cv) {
    if (cv->is_open) {
        cv->listed = open_list(cv, may_exceed(cv), cv->sparsities);
    }
}

/* Discard the results of an earlier run after a change of settings. */
static void forget(struct spgm_cv *cv) {
    memory_free(cv->losses);
    cv->losses = NULL;
    cv->count = cv->is_open ? 0 : cv->listed;
}

static spgm_error fill(struct spgm_cv *cv, const int64_t *sparsities, int64_t count, spgm_status *status) {
    spgm_error error =
        sparsities == NULL && count == 0 ? open_sparsities(cv, status) : take_sparsities(cv, sparsities, count, status);

    cv->shares = cv->folds = cv->options.folds;
    cv->is_drawn = 1;
    cv->ridge_count = 1;
    error = error == SPGM_OK ? check_shares(cv, status) : error;
    error = error == SPGM_OK ? cv_draw(cv, status) : error;
    return error == SPGM_OK ? spgm_cv_add(cv, cv->problem, status) : error;
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
    options_take(&created->options, options);
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
        memory_free(cv->ridges);
        memory_free(cv->problems);
        memory_free(cv->fold_of_row);
        workspace_free(&cv->workspace);
        memory_free(cv);
    }
}

spgm_error spgm_cv_add(spgm_cv *cv, const spgm_problem *problem, spgm_status *status) {
    const struct spgm_problem **problems;

    if (problem == NULL || problem->A.rows != cv->problem->A.rows || problem->A.columns != cv->problem->A.columns) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "spgm_cv_add needs a problem with as many rows and columns as the first one");
    }
    problems = memory_array(cv->parts + 1, sizeof *problems);
    if (problems == NULL) {
        return status_memory(status, (size_t)(cv->parts + 1) * sizeof *problems);
    }
    if (cv->parts > 0) {
        memcpy(problems, cv->problems, (size_t)cv->parts * sizeof *problems);
    }
    forget(cv);
    memory_free(cv->problems);
    problems[cv->parts++] = problem;
    cv->problems = problems;
    return status_clear(status);
}

spgm_error spgm_cv_judge_by(spgm_cv *cv, const spgm_problem *problem, spgm_status *status) {
    if (problem != NULL && (problem->A.rows != cv->problem->A.rows || problem->A.columns != cv->problem->A.columns)) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "spgm_cv_judge_by needs a problem with as many rows and columns as the first one");
    }
    forget(cv);
    cv->judge = problem;
    return status_clear(status);
}

/* ---- ridges ------------------------------------------------------------------------------------------------------ */

/* Sort ridges [count] into `sorted`, descending. */
static spgm_error sort_ridges(const double *ridges, int64_t count, double *sorted, spgm_status *status) {
    for (int64_t k = 0; k < count; k++) {
        int64_t at = k;

        if (!(ridges[k] >= 0) || isinf(ridges[k])) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "ridge %" PRId64 " of the list is %g: it must be a number of at least 0", k + 1,
                              ridges[k]);
        }
        for (; at > 0 && sorted[at - 1] < ridges[k]; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = ridges[k];
        if (at > 0 && sorted[at - 1] == ridges[k]) {
            return status_set(status, SPGM_ERROR_ARGUMENT, "the ridge %g is in the list twice: each may appear once",
                              ridges[k]);
        }
    }
    return SPGM_OK;
}

spgm_error spgm_cv_set_ridges(spgm_cv *cv, const double *ridges, int64_t count, spgm_status *status) {
    double *sorted = NULL;
    spgm_error error = SPGM_OK;

    if ((ridges == NULL) != (count == 0) || count < 0) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "the list of ridges is empty: give at least one, or NULL and 0 for ridges in proportion to "
                          "the data");
    }
    if (ridges == NULL && cv->problem->reduce != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "ridges in proportion to the data are not made where rows are spread over processes: give a "
                          "list of ridges, or none");
    }
    if (ridges != NULL) {
        sorted = memory_array(count, sizeof *sorted);
        error = sorted == NULL ? status_memory(status, (size_t)count * sizeof *sorted)
                               : sort_ridges(ridges, count, sorted, status);
    }
    if (error != SPGM_OK) {
        memory_free(sorted);
        return error;
    }
    forget(cv);
    memory_free(cv->ridges);
    cv->ridges = sorted;
    cv->has_ridges = 1;
    cv->is_scaled = ridges == NULL;
    cv->ridge_count = ridges == NULL ? 1 : count;
    return status_clear(status);
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
        forget(cv);
        cv->shares = cv->folds = folds;
        cv->is_drawn = 0;
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
