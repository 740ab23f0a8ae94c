/*
 * The mean of many models, and few columns that stand for it.
 *
 * HOW IT WORKS: a model of few columns depends on single rows, and a mean of such models does not (Breiman, Annals of
 * Statistics 24, 1996; without replacement: Buhlmann and Yu, Annals of Statistics 30, 2002). The members are the models
 * next to the lowest loss outside the folds, in turn, each fitted without one of the folds. Where all columns matter a
 * little, no model of few is a good one: ridge regression on all of them takes part too, by how well it predicts the
 * rows outside the folds beside them, and so do all columns by Huber's loss where they are few. What the mean of all
 * predicts is then the target of squares, and the smallest s is taken whose model predicts nearly the same (projection:
 * Piironen, Paasiniemi and Vehtari, Electronic Journal of Statistics 14, 2020).
 */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "select/all_columns.h"
#include "select/band.h"
#include "select/constants.h"
#include "select/cv.h"
#include "select/members.h"

#define PI 3.14159265358979323846

struct mean {
    const spgm_choice *choices; /* [count]              */
    int64_t *near;              /* [near_count] of them */
    int64_t near_count;
    const int64_t *fold_of_row; /* [rows] */
    int64_t folds;
    const struct spgm_options *options;
    struct member list[PROJECT_MEMBERS]; /* the models of few columns: */
    struct members few;
    double *x; /* the mean [columns] */
    double intercept;
    int64_t used; /* columns of it, [used]: */
    int64_t *columns;
    double *values;
    double until; /* clock_seconds */
    struct stop stop_all;
    struct all_columns *all; /* ridge regression on all columns, or NULL */
    double share;            /* of it in the mean                        */
    double robust_share;     /* of all columns by Huber's loss           */
    double ridge, *linear;   /* of the squares that follow; [columns]    */
    atomic_int stop;
};

static const struct spgm_problem *problem_of(const struct mean *mean) {
    return mean->choices[0].problem;
}

/* Whether models of all columns take part. */
static int has_all(const struct mean *mean) {
    return mean->share > 0 || mean->robust_share > 0;
}

/* ---- which models ------------------------------------------------------------------------------------------------ */

/* The choice that comes next after `last` (-1: the first) by its loss, equal ones in their order. -1: there is none. */
static int64_t next_lowest(const spgm_choice *choices, int64_t count, int64_t last) {
    int64_t next = -1;

    for (int64_t c = 0; c < count; c++) {
        int is_later =
            last < 0 || choices[c].loss > choices[last].loss || (choices[c].loss == choices[last].loss && c > last);

        if (!isnan(choices[c].loss) && is_later && (next < 0 || choices[c].loss < choices[next].loss)) {
            next = c;
        }
    }
    return next;
}

static void take_near(struct mean *mean, int64_t count) {
    int64_t next = next_lowest(mean->choices, count, -1);
    double limit = next < 0 ? 0 : (1 + PROJECT_NEAR) * mean->choices[next].loss;

    while (next >= 0 && mean->choices[next].loss <= limit && mean->near_count < PROJECT_CHOICES) {
        mean->near[mean->near_count++] = next;
        next = next_lowest(mean->choices, count, next);
    }
}

/* ---- their mean -------------------------------------------------------------------------------------------------- */

/* Folds in turn, and choices in turn; where both have gone round together the folds go on by one. */
static spgm_error fit_members(struct mean *mean, spgm_progress_function progress, void *progress_context,
                              spgm_status *status) {
    for (int64_t m = 0; m < PROJECT_MEMBERS; m++) {
        mean->list[m].choice = &mean->choices[mean->near[m % mean->near_count]];
        mean->list[m].fold = (m + m / mean->near_count) % mean->folds;
    }
    mean->few = (struct members){.count = PROJECT_MEMBERS,
                                 .list = mean->list,
                                 .fold_of_row = mean->fold_of_row,
                                 .options = mean->options,
                                 .until = mean->until,
                                 .always = 1,
                                 .stop = &mean->stop};
    return members_fit(&mean->few, progress, progress_context, status);
}

/* Of the members without a fold, -1: of all. Returns how many there are. */
static int64_t add_up(struct mean *mean, const struct members *members, int64_t fold) {
    int64_t n = problem_of(mean)->A.columns, count = members_add_up(members, fold, n, mean->x, &mean->intercept);

    mean->used = 0;
    for (int64_t j = 0; j < n; j++) {
        if (mean->x[j] != 0) {
            mean->columns[mean->used] = j;
            mean->values[mean->used++] = mean->x[j];
        }
    }
    return count;
}

static void predict(const struct mean *mean, double *predicted) {
    matrix_predict(&problem_of(mean)->A, mean->used, mean->columns, mean->values, mean->intercept, predicted);
}

/* Whether the models of few columns have no error but rounding: nothing is to be mixed into them. */
static int is_perfect(const struct mean *mean) {
    const struct spgm_problem *problem = problem_of(mean);

    return mean->choices[mean->near[0]].loss <=
           SPGM_CV_PERFECT * vector_norm1(problem->A.rows, problem->b) / (double)problem->A.rows;
}

/* ---- and all columns --------------------------------------------------------------------------------------------- */

/* What the models of few columns predict for the rows that they have not seen; NaN: there is none. scratch [rows]. */
static void predict_outside(struct mean *mean, double *scratch, double *outside) {
    int64_t rows = problem_of(mean)->A.rows;

    for (int64_t fold = 0; fold < mean->folds; fold++) {
        int64_t count = add_up(mean, &mean->few, fold);

        predict(mean, scratch);
        for (int64_t i = 0; i < rows; i++) {
            if (mean->fold_of_row[i] == fold) {
                outside[i] = count > 0 ? scratch[i] : NAN;
            }
        }
    }
}

/* The share in the mean, at most `most`, of what predicts `all` [rows x folds], where the mean so far predicts
 * `outside` [rows] for rows that it has not seen. */
static double share_of_all(const struct mean *mean, double most, const double *outside, const double *all) {
    const struct spgm_problem *problem = problem_of(mean);
    double sum = 0, squares = 0, weight = 0, rows = 0, mine = 0, error, share;

    for (int64_t i = 0; i < problem->A.rows; i++) {
        double w = isnan(outside[i]) ? 0 : problem->weights == NULL ? 1 : problem->weights[i];
        double other = all[i + mean->fold_of_row[i] * problem->A.rows];
        double below = w > 0 ? fabs(problem->b[i] - outside[i]) - fabs(problem->b[i] - other) : 0;

        mine += w > 0 ? w * fabs(problem->b[i] - outside[i]) : 0;
        sum += w * below;
        squares += w * below * below;
        weight += w;
        rows += w > 0;
    }
    if (rows < 2 || mine - sum > PROJECT_MOST_ERROR * mine) {
        return 0;
    }
    error = sqrt(fmax(squares / weight - sum / weight * (sum / weight), 0) / (rows - 1));
    share = most * erfc(-sum / weight / (error * PROJECT_CAUTION * sqrt(2.0))) / 2; /* Phi */
    return share > PROJECT_LEAST_SHARE ? share : 0;                                 /* NaN: both predict the same */
}

/* Mixes `all` into the target, which the mean so far predicts, and into what it predicts outside. Returns its share. */
static double mix(const struct mean *mean, double most, const double *all, double *outside, double *target) {
    int64_t rows = problem_of(mean)->A.rows;
    double share = share_of_all(mean, most, outside, all);

    if (share > 0) {
        vector_scale(rows, 1 - share, target);
        for (int64_t fold = 0; fold < mean->folds; fold++) {
            vector_axpy(rows, share / (double)mean->folds, all + fold * rows, target);
        }
        for (int64_t i = 0; i < rows; i++) {
            outside[i] += share * (all[i + mean->fold_of_row[i] * rows] - outside[i]);
        }
    }
    return share;
}

static int must_stop(void *context) {
    struct mean *mean = context;

    return atomic_load(&mean->stop) || clock_seconds() >= mean->until;
}

static spgm_error mix_ridge(struct mean *mean, double *all, double *outside, double *target, spgm_status *status) {
    spgm_error error =
        all_columns_new(problem_of(mean), mean->folds, mean->options, &mean->stop_all, &mean->all, status);

    if (mean->all != NULL && all_columns_predict(mean->all, mean->fold_of_row, mean->folds, mean->options, all)) {
        mean->share = mix(mean, 1, all, outside, target);
    }
    return error;
}

/* ---- and by Huber's loss ----------------------------------------------------------------------------------------- */

/* Of a handful of columns any may matter, and which ones is for the most part chance. The more there are the more of
 * their noise a fit of all follows. */
static double most_of_robust(const struct mean *mean) {
    int64_t n = problem_of(mean)->A.columns;
    double most = n > 0 && 2 * n <= problem_of(mean)->A.rows ? fmin(1, PROJECT_HANDFUL / (double)n) : 0;

    return most > PROJECT_LEAST_SHARE ? most : 0;
}

/* Twice the median error outside the folds: 1.35 standard deviations of normal errors. */
static spgm_error take_width(const struct mean *mean, const double *outside, double *width, spgm_status *status) {
    const struct spgm_problem *problem = problem_of(mean);
    struct workspace workspace = {.memory = problem->A.memory};
    double *errors = workspace_doubles(&workspace, problem->A.rows);
    double *weights = workspace_doubles(&workspace, problem->A.rows);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    for (int64_t i = 0; error == SPGM_OK && i < problem->A.rows; i++) {
        int is_known = !isnan(outside[i]);

        errors[i] = is_known ? fabs(problem->b[i] - outside[i]) : 0;
        weights[i] = !is_known ? 0 : problem->weights == NULL ? 1 : problem->weights[i];
    }
    error = error ? error : conformal_quantile(errors, weights, problem->A.rows, 0.5, 0, width, status);
    *width *= PROJECT_WIDTH;
    workspace_free(&workspace);
    return error;
}

/* The problem of all columns by Huber's loss. */
static spgm_error new_huber(const struct mean *mean, double width, spgm_problem **huber, spgm_status *status) {
    const struct spgm_problem *problem = problem_of(mean);
    struct spgm_options options = problem->options;
    spgm_error error;

    memcpy(options.loss, "huber", sizeof "huber");
    options.delta = width;
    options.ridge = 0;
    error = spgm_problem_new(&problem->A, problem->b, &options, huber, status);
    if (error == SPGM_OK && problem->weights != NULL) {
        error = spgm_problem_set_weights(*huber, problem->weights, status);
    }
    return error;
}

/* all [rows x folds]: what the members without each fold predict. 0: one is missing. */
static int predict_all(struct mean *mean, const struct members *members, double *all) {
    int64_t rows = problem_of(mean)->A.rows;

    for (int64_t fold = 0; fold < mean->folds; fold++) {
        if (add_up(mean, members, fold) == 0) {
            return 0;
        }
        predict(mean, all + fold * rows);
    }
    return vector_first_bad(rows * mean->folds, all) < 0;
}

/* One model for each fold. */
static spgm_error fit_robust(struct mean *mean, double width, double *all, int *is_there, spgm_status *status) {
    spgm_choice choice = {.sparsity = problem_of(mean)->A.columns, .by_deviation = 1};
    struct members members = mean->few;
    spgm_problem *huber = NULL;
    spgm_error error = new_huber(mean, width, &huber, status);

    choice.problem = huber;
    choice.ridge = PROJECT_ROBUST_RIDGE * cv_weight(problem_of(mean));
    members.always = 0;
    members.count = mean->folds;
    members.list = memory_array(mean->folds, sizeof *members.list);
    if (error == SPGM_OK && members.list == NULL) {
        error = status_memory(status, (size_t)mean->folds * sizeof *members.list);
    }
    for (int64_t fold = 0; error == SPGM_OK && fold < mean->folds; fold++) {
        members.list[fold] = (struct member){.choice = &choice, .fold = fold};
    }
    if (error == SPGM_OK) {
        error = members_fit(&members, NULL, NULL, status);
        *is_there = error == SPGM_OK && predict_all(mean, &members, all);
        members_free(&members);
    }
    memory_free(members.list);
    spgm_problem_free(huber);
    return error;
}

static spgm_error mix_robust(struct mean *mean, double *all, double *outside, double *target, spgm_status *status) {
    int is_there = 0;
    double width = 0;
    spgm_error error = take_width(mean, outside, &width, status);

    if (error == SPGM_OK && width > 0 && isfinite(width) && !must_stop(mean)) {
        error = fit_robust(mean, width, all, &is_there, status);
    }
    if (is_there) {
        mean->robust_share = mix(mean, most_of_robust(mean), all, outside, target);
    }
    return error;
}

/* Mixes models of all columns into the target, which the members predict. */
static spgm_error mix_all(struct mean *mean, double *target, spgm_status *status) {
    struct workspace workspace = {.memory = problem_of(mean)->A.memory};
    int64_t rows = problem_of(mean)->A.rows;
    double *all = workspace_doubles(&workspace, rows * mean->folds), *outside = workspace_doubles(&workspace, rows);
    double *scratch = workspace_doubles(&workspace, rows);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    if (error == SPGM_OK) {
        predict_outside(mean, scratch, outside);
        error = mix_ridge(mean, all, outside, target, status);
    }
    if (error == SPGM_OK && most_of_robust(mean) > 0) {
        error = mix_robust(mean, all, outside, target, status);
    }
    workspace_free(&workspace);
    return error;
}

/* What the mean predicts. */
static spgm_error take_target(struct mean *mean, double *target, spgm_status *status) {
    spgm_error error = SPGM_OK;

    add_up(mean, &mean->few, -1);
    predict(mean, target);
    if (!is_perfect(mean)) {
        error = mix_all(mean, target, status);
        add_up(mean, &mean->few, -1); /* whose columns are known again */
    }
    return error;
}

/* With more columns than rows some few fit what the mean predicts for these rows by chance, and predict something else
 * for others. So the squares have the penalty ridge/2 ||D (x - z)||^2 there, where z are the coefficients of the mean
 * and D the deviations: they predict the same for rows that are like these only in the size of their entries. */
static spgm_error draw_to_mean(struct mean *mean, spgm_status *status) {
    const struct spgm_problem *problem = problem_of(mean);
    double ridge = PROJECT_DRAW * cv_weight(problem);
    spgm_error error;

    if (mean->share == 0 || problem->A.columns < problem->A.rows) {
        return SPGM_OK;
    }
    error = all_columns_coefficients(mean->all, mean->linear, status);
    for (int64_t j = 0; error == SPGM_OK && j < problem->A.columns; j++) {
        double z = (1 - mean->share) * mean->x[j] + mean->share * mean->linear[j];
        double deviation = all_columns_deviations(mean->all)[j];

        mean->linear[j] = -ridge * deviation * deviation * z;
    }
    mean->ridge = ridge;
    return error;
}

/* ---- few columns instead ----------------------------------------------------------------------------------------- */

/* What fewer columns may cost, of the error. */
static double price(const struct mean *mean) {
    const spgm_matrix *A = &problem_of(mean)->A;

    return fmin(2 * A->columns > A->rows ? PROJECT_PRICE_WIDE : PROJECT_PRICE,
                PROJECT_PRICE_OF_COLUMN * (double)A->columns);
}

/* How far the model of few columns may be from the mean, in squares per row: with errors e of the mean, of mean size E,
 * and a difference d, E|e + d| is about E (1 + d^2 / (pi E^2)) for normal e. */
static double allowed(const struct mean *mean) {
    double error = mean->choices[mean->near[0]].loss;

    return price(mean) * PI * error * error;
}

/* Squares of what the mean predicts, on the columns that it uses: all, where ridge regression takes part. */
static spgm_error new_squares(const struct mean *mean, const double *target, const struct spgm_options *options,
                              spgm_problem **squares, spgm_status *status) {
    const struct spgm_problem *problem = problem_of(mean);
    int64_t count = 0, n = problem->A.columns, *others = memory_array(n, sizeof *others);
    spgm_error error;

    if (others == NULL) {
        return status_memory(status, (size_t)n * sizeof *others);
    }
    for (int64_t j = 0; j < n; j++) {
        if (mean->x[j] == 0 && !has_all(mean)) {
            others[count++] = j;
        }
    }
    error = spgm_problem_new(&problem->A, target, options, squares, status);
    if (error == SPGM_OK && problem->weights != NULL) {
        error = spgm_problem_set_weights(*squares, problem->weights, status);
    }
    if (error == SPGM_OK && count > 0) {
        error = spgm_problem_set_excluded(*squares, others, count, status);
    }
    memory_free(others);
    if (error == SPGM_OK && mean->ridge > 0) {
        error = spgm_problem_set_ridge(*squares, mean->ridge, 1, status);
        error = error ? error : spgm_problem_set_linear(*squares, mean->linear, status);
    }
    return error;
}

/* Sizes to try, ascending: those that folds have tried, up to all columns of the mean as far as rows tell them apart.
 */
static int64_t take_sizes(const struct mean *mean, int64_t count, int64_t *sizes) {
    int64_t half = problem_of(mean)->A.rows / 2, largest = 0, found = 0, last = -1;
    int64_t most = has_all(mean) ? problem_of(mean)->A.columns : mean->used;

    most = most < half ? most : half;

    for (int64_t c = 0; c < count; c++) {
        largest = mean->choices[c].sparsity > largest ? mean->choices[c].sparsity : largest;
    }
    most = most < largest ? most : largest;
    for (;;) {
        int64_t next = most;

        for (int64_t c = 0; c < count; c++) {
            int64_t s = mean->choices[c].sparsity;

            next = s > last && s < next ? s : next;
        }
        if (next <= last) {
            return found;
        }
        sizes[found++] = last = next;
    }
}

/* The smallest size that is near enough. Coefficients that nothing draws anywhere fit so many rows by themselves. */
static int64_t smallest_size(const struct mean *mean, const struct spgm_path *path) {
    double rows = (double)problem_of(mean)->A.rows, limit = allowed(mean) * cv_weight(problem_of(mean)) / 2;

    for (int64_t i = 0; i < path->count; i++) {
        double left = mean->ridge > 0 ? rows : rows - 1 - (double)path->entries[i].sparsity;

        if (path->entries[i].info.loss_value <= limit * left / rows) {
            return path->entries[i].sparsity;
        }
    }
    return path->count > 0 ? path->entries[path->count - 1].sparsity : 0;
}

static spgm_error choose_size(const struct mean *mean, int64_t count, const double *target, int64_t *sparsity,
                              spgm_status *status) {
    struct spgm_options options = *mean->options;
    int64_t *sizes = memory_array(count + 1, sizeof *sizes), found;
    spgm_problem *squares = NULL;
    spgm_path *path = NULL;
    spgm_error error = sizes == NULL ? status_memory(status, (size_t)count * sizeof *sizes) : SPGM_OK;

    options.effort = 1;
    error = error ? error : new_squares(mean, target, &options, &squares, status);
    found = error ? 0 : take_sizes(mean, count, sizes);
    error = error ? error : spgm_path_new(squares, sizes, found, &options, &path, status);
    error = error ? error : spgm_path_run(path, status);
    if (error == SPGM_OK) {
        *sparsity = smallest_size(mean, path);
    }
    spgm_path_free(path);
    spgm_problem_free(squares);
    memory_free(sizes);
    return error;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static spgm_error check_problem(const struct spgm_problem *problem, spgm_status *status) {
    if (problem_has_labels(problem)) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "the rule projected is for numbers: few columns lose what a mean of scores gains");
    }
    if (problem->reduce != NULL || problem_is_normal(problem)) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "means of models need all rows in one place, and not the normal equations");
    }
    if (problem->lower != NULL || problem->is_excluded != NULL || problem->is_free != NULL ||
        problem->group_of != NULL || problem->term != NULL || problem->linear != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "the rule projected knows no restrictions and no smooth term but the ridge: leave them out, "
                          "or take the rule min");
    }
    return SPGM_OK;
}

static spgm_error check(const spgm_choice *choices, int64_t count, const spgm_options *options, int64_t folds,
                        spgm_status *status) {
    int64_t known = 0;
    spgm_error error = SPGM_OK;

    if (options == NULL || !loss_find(options->loss)->is_quadratic || options->ridge != 0) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "spgm_project needs the options of the fit that follows: squares, without a ridge");
    }

    for (int64_t c = 0; c < count && error == SPGM_OK; c++) {
        const struct spgm_problem *problem = choices[c].problem;

        if (problem == NULL || problem->A.rows != choices[0].problem->A.rows ||
            problem->A.columns != choices[0].problem->A.columns) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "choice %" PRId64 " needs a problem with as many rows and columns as the first one",
                              c + 1);
        }
        error = check_problem(problem, status);
        known += !isnan(choices[c].loss);
    }
    if (error == SPGM_OK && (known == 0 || folds < 2)) {
        error =
            status_set(status, SPGM_ERROR_ARGUMENT, "spgm_project needs choices with losses, and two folds or more");
    }
    return error;
}

spgm_error spgm_project(const spgm_choice *choices, int64_t count, const int64_t *fold_of_row, int64_t folds,
                        const spgm_options *options, spgm_progress_function progress, void *context, double *target,
                        int64_t *sparsity, double *ridge, double *linear, spgm_status *status) {
    struct mean mean = {.choices = choices, .fold_of_row = fold_of_row, .folds = folds, .options = options};
    struct workspace workspace = {0};
    spgm_error error = check(choices, count, options, folds, status);

    if (error != SPGM_OK) {
        return error;
    }
    mean.linear = linear;
    memset(linear, 0, (size_t)problem_of(&mean)->A.columns * sizeof *linear);
    mean.until = clock_seconds() + options->time_limit;
    mean.stop_all = (struct stop){.must_stop = must_stop, .context = &mean};
    mean.x = workspace_doubles(&workspace, problem_of(&mean)->A.columns);
    mean.columns = workspace_integers(&workspace, problem_of(&mean)->A.columns);
    mean.values = workspace_doubles(&workspace, problem_of(&mean)->A.columns);
    mean.near = workspace_integers(&workspace, PROJECT_CHOICES);
    error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;
    if (error == SPGM_OK) {
        take_near(&mean, count);
        error = fit_members(&mean, progress, context, status);
    }
    *sparsity = 0;
    error = error ? error : take_target(&mean, target, status);
    error = error ? error : draw_to_mean(&mean, status);
    if (error == SPGM_OK && (mean.used > 0 || has_all(&mean))) {
        error = choose_size(&mean, count, target, sparsity, status);
    }
    *ridge = mean.ridge;
    all_columns_free(mean.all);
    members_free(&mean.few);
    workspace_free(&workspace);
    return error != SPGM_OK ? error : status_clear(status);
}
