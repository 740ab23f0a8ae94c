/*
 * Ridge regression by squares on all columns.
 *
 * HOW IT WORKS: a ridge does not see rotations, so that rows may be given by any coordinates with the same products
 * between them. Where there are fewer columns than rows these are the columns, less their means and divided by their
 * deviations; else, with K the products between rows and K = R'R, the columns of R, as many as there are rows. For each
 * fold the sums of squares and products of the other rows are formed once, and a Cholesky factor for each ridge.
 */
#include "select/all_columns.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/linop.h"
#include "linalg/vector.h"
#include "select/constants.h"
#include "select/cv.h"
#include "select/folds.h"

struct all_columns {
    const struct spgm_problem *problem;
    int64_t count, columns;    /* of the data                                                         */
    int64_t size;              /* coordinates of a row, the smaller of these                          */
    int64_t wide;              /* what a system has: coordinates, and the intercept where there is one */
    double *coordinates;       /* [count x size]                                                      */
    double *target;            /* [count] less its mean, the largest 1                                */
    double *root;              /* [count] of the weights                                              */
    double centre, unit;       /* target = (b - centre) / unit                                        */
    double *part;              /* of the rows that are learnt from: [count x (wide + 1)], the target last */
    double *sums;              /* their squares and products [(wide + 1) x (wide + 1)]                */
    double *factor;            /* [wide x wide] */
    double *x;                 /* [wide]        */
    double share;              /* of the weight that is learnt from */
    double ridges[ALL_RIDGES]; /* [ridge_count] descending */
    int64_t ridge_count;
    int64_t splits;
    int64_t *drawn, *work; /* [count] */
    double *mean;          /* x over the folds [size] */
    spgm_problem *scaled;  /* whose ridge acts on the deviations */
    struct stop *stop;
    struct workspace workspace;
};

static double weight_of(const struct all_columns *all, int64_t i) {
    return all->root[i] * all->root[i];
}

/* ---- how large it is --------------------------------------------------------------------------------------------- */

/* From one that shrinks whatever the columns tell about to half, in steps of 4, to where one column is hardly shrunk,
 * in the unit of ridges.c: columns that are alike share their shrinkage. */
static void take_steps(struct all_columns *all) {
    for (double ridge = (double)all->columns; ridge > ALL_LEAST && all->ridge_count < ALL_RIDGES; ridge /= ALL_STEP) {
        all->ridges[all->ridge_count++] = ridge;
    }
}

/* How many splits there is time for, in multiplications; 0: the data are too large. */
static int64_t count_splits(const struct all_columns *all, int64_t folds, const struct spgm_options *options) {
    double m = (double)all->count, r = (double)all->size, n = (double)all->columns;
    double once = all->size < all->columns ? m * m * n / 2 : 0; /* K */
    double split = (double)folds * (m * r * r / 2 + (double)all->ridge_count * r * r * r / 6);
    double most = (ALL_WORK - once) / split - 1; /* the last one is for the ridge chosen */
    int64_t wanted = CV_ROWS_OF_SPLITS / all->count;

    if (most < 1 || m * r > ALL_ENTRIES) {
        return 0;
    }
    wanted = options->repeats > 0 ? options->repeats : wanted < CV_MOST_SPLITS ? wanted : CV_MOST_SPLITS;
    wanted = (double)wanted > most ? (int64_t)most : wanted;
    return wanted < 1 ? 1 : wanted;
}

/* ---- coordinates ------------------------------------------------------------------------------------------------- */

/* Columns [first, first + k) less their means, by weight, and divided by their deviations: block [count x k]. */
static void gather(const struct all_columns *all, const struct linop *A, const double *deviations, int64_t first,
                   int64_t k, double *block) {
    for (int64_t c = 0; c < k; c++) {
        int64_t j = first + c;
        double *column = block + c * all->count, mean = 0, weight = 0;

        linop_gather(A, 1, &j, column, all->count);
        vector_scale(all->count, 1 / deviations[j], column);
        for (int64_t i = 0; i < all->count; i++) {
            mean += weight_of(all, i) * column[i];
            weight += weight_of(all, i);
        }
        for (int64_t i = 0; all->problem->options.intercept && i < all->count; i++) {
            column[i] -= mean / weight;
        }
    }
}

static void transpose(int64_t m, int64_t n, const double *A, double *T) {
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) {
            T[j + i * n] = A[i + j * m];
        }
    }
}

/* K, the products between rows, block by block; block, turned [count x ALL_BLOCK], products [count x count] scratch. */
static void multiply_rows(const struct all_columns *all, const struct linop *A, const double *deviations, double *block,
                          double *turned, double *products, double *K) {
    for (int64_t first = 0; first < all->columns; first += ALL_BLOCK) {
        int64_t k = all->columns - first < ALL_BLOCK ? all->columns - first : ALL_BLOCK;

        gather(all, A, deviations, first, k, block);
        transpose(all->count, k, block, turned);
        dense_square(k, all->count, turned, k, products);
        vector_axpy(all->count * all->count, 1, products, K);
        if (stop_after(all->stop, k * all->count * all->count)) {
            return;
        }
    }
}

/* The columns of R where K = R'R, as rows; 0: there is no such R. */
static int factor_rows(struct all_columns *all, double *K) {
    double sum = 0;

    for (int64_t i = 0; i < all->count; i++) {
        sum += K[i + i * all->count];
    }
    for (int64_t i = 0; i < all->count; i++) { /* rows depend on each other, since their mean is 0 */
        K[i + i * all->count] += ALL_ROUNDING * sum / (double)all->count;
    }
    if (!isfinite(sum) || !dense_factor_until(all->count, K, all->count, all->stop)) {
        return 0;
    }
    for (int64_t i = 0; i < all->count; i++) {
        for (int64_t k = 0; k <= i; k++) {
            all->coordinates[i + k * all->count] = K[k + i * all->count];
        }
    }
    return 1;
}

static spgm_error take_coordinates(struct all_columns *all, const double *deviations, int *is_there,
                                   spgm_status *status) {
    struct workspace workspace = {.memory = all->problem->A.memory};
    struct linop *A = linop_new(&all->problem->A);
    int is_long = all->size == all->columns;
    double *block = workspace_doubles(&workspace, is_long ? 0 : all->count * ALL_BLOCK);
    double *turned = workspace_doubles(&workspace, is_long ? 0 : all->count * ALL_BLOCK);
    double *products = workspace_doubles(&workspace, is_long ? 0 : all->count * all->count);
    double *K = workspace_doubles(&workspace, is_long ? 0 : all->count * all->count);
    int is_out = A == NULL || workspace.failed;
    spgm_error error;

    *is_there = !is_out;
    if (!is_out && is_long) {
        gather(all, A, deviations, 0, all->columns, all->coordinates);
    } else if (!is_out) {
        multiply_rows(all, A, deviations, block, turned, products, K);
        *is_there = factor_rows(all, K);
    }
    linop_free(A);
    error = is_out ? status_memory(status, workspace.bytes) : SPGM_OK;
    workspace_free(&workspace);
    return error;
}

/* The target less its mean, in a unit of its own; 0: it is constant. */
static int take_target(struct all_columns *all) {
    const double *b = all->problem->b;
    double weight = 0, mean = 0, largest = 0;

    for (int64_t i = 0; i < all->count; i++) {
        all->root[i] = all->problem->weights == NULL ? 1 : sqrt(all->problem->weights[i]);
        weight += weight_of(all, i);
    }
    for (int64_t i = 0; i < all->count; i++) {
        mean += b[i] * (weight_of(all, i) / weight);
    }
    all->centre = all->problem->options.intercept ? mean : 0;
    for (int64_t i = 0; i < all->count; i++) {
        largest = fmax(largest, fabs(b[i] - all->centre));
    }
    all->unit = largest;
    for (int64_t i = 0; largest > 0 && i < all->count; i++) {
        all->target[i] = (b[i] - all->centre) / largest;
    }
    return largest > 0 && isfinite(largest);
}

/* The steps in the unit of the data. */
static void scale_ridges(struct all_columns *all) {
    double sum = 0, squares = 0;

    for (int64_t i = 0; i < all->count; i++) {
        sum += weight_of(all, i) * fabs(all->target[i]);
        squares += weight_of(all, i) * all->target[i] * all->target[i];
    }
    vector_scale(all->ridge_count, sum * sum / squares, all->ridges);
}

/* ---- one fold ---------------------------------------------------------------------------------------------------- */

/* Squares and products of the rows outside a fold. */
static void learn(struct all_columns *all, const int64_t *fold_of_row, int64_t fold) {
    int64_t count = 0;
    double weight = 0, whole = 0;

    for (int64_t i = 0; i < all->count; i++) {
        count += fold_of_row[i] != fold;
        weight += fold_of_row[i] != fold ? weight_of(all, i) : 0;
        whole += weight_of(all, i);
    }
    all->share = weight / whole;
    for (int64_t j = 0; j <= all->wide; j++) {
        const double *column = j < all->size ? all->coordinates + j * all->count : all->target;
        double *kept = all->part + j * count;
        int is_constant = j >= all->size && j < all->wide;

        for (int64_t i = 0; i < all->count; i++) {
            if (fold_of_row[i] != fold) {
                *kept++ = all->root[i] * (is_constant ? 1 : column[i]);
            }
        }
    }
    dense_square(count, all->wide + 1, all->part, count, all->sums);
}

/* x of the fold at hand for a ridge; 0: there is none. */
static int solve(struct all_columns *all, double ridge) {
    int64_t n = all->wide, ld = n + 1;

    for (int64_t j = 0; j < n; j++) {
        memcpy(all->factor + j * n, all->sums + j * ld, (size_t)(j + 1) * sizeof(double));
        all->factor[j + j * n] += j < all->size ? ridge * all->share : 0;
    }
    if (!dense_factor_until(n, all->factor, n, all->stop)) {
        return 0;
    }
    memcpy(all->x, all->sums + n * ld, (size_t)n * sizeof(double));
    dense_solve_upper_transposed(n, all->factor, n, all->x);
    dense_solve_upper(n, all->factor, n, all->x);
    return vector_first_bad(n, all->x) < 0;
}

static void predict(const struct all_columns *all, double *predicted) {
    for (int64_t i = 0; i < all->count; i++) {
        predicted[i] = all->wide > all->size ? all->x[all->size] : 0;
    }
    dense_add_columns(all->count, all->size, all->coordinates, all->count, all->x, predicted);
}

/* ---- the ridge --------------------------------------------------------------------------------------------------- */

/* Adds to errors [ridge_count] those of a split outside its folds. */
static void judge(struct all_columns *all, const int64_t *fold_of_row, int64_t folds, double *predicted,
                  double *errors) {
    for (int64_t fold = 0; fold < folds && !stop_ask(all->stop); fold++) {
        learn(all, fold_of_row, fold);
        for (int64_t k = 0; k < all->ridge_count; k++) {
            int is_solved = solve(all, all->ridges[k]);

            errors[k] += is_solved ? 0 : INFINITY;
            if (is_solved) {
                predict(all, predicted);
            }
            for (int64_t i = 0; is_solved && i < all->count; i++) {
                errors[k] += fold_of_row[i] == fold ? weight_of(all, i) * fabs(all->target[i] - predicted[i]) : 0;
            }
        }
    }
}

/* Splits after the first are drawn only where the first one is what the seed draws: folds of the user's own have their
 * reasons. */
static double choose_ridge(struct all_columns *all, const int64_t *fold_of_row, int64_t folds, uint64_t seed,
                           double *predicted) {
    double errors[ALL_RIDGES] = {0};
    int64_t best = 0, splits = all->splits;

    folds_draw(all->count, NULL, 0, NULL, folds, seed, 0, all->drawn, all->work);
    splits = memcmp(all->drawn, fold_of_row, (size_t)all->count * sizeof *all->drawn) == 0 ? splits : 1;
    judge(all, fold_of_row, folds, predicted, errors);
    for (int64_t split = 1; split < splits; split++) {
        folds_draw(all->count, NULL, 0, NULL, folds, seed, split, all->drawn, all->work);
        judge(all, all->drawn, folds, predicted, errors);
    }
    for (int64_t k = 1; k < all->ridge_count; k++) {
        best = errors[k] < errors[best] ? k : best;
    }
    return all->ridges[best];
}

int all_columns_predict(struct all_columns *all, const int64_t *fold_of_row, int64_t folds,
                        const struct spgm_options *options, double *predicted) {
    double ridge = choose_ridge(all, fold_of_row, folds, (uint64_t)options->seed, predicted);

    for (int64_t fold = 0; fold < folds; fold++) {
        double *place = predicted + fold * all->count;

        learn(all, fold_of_row, fold);
        if (!solve(all, ridge)) {
            return 0;
        }
        predict(all, place);
        vector_axpy(all->size, 1 / (double)folds, all->x, all->mean);
        for (int64_t i = 0; i < all->count; i++) {
            place[i] = all->centre + all->unit * place[i];
        }
    }
    return vector_first_bad(all->count * folds, predicted) < 0 && !stop_ask(all->stop);
}

/* ---- coefficients ------------------------------------------------------------------------------------------------ */

/* Rows [count] whose sum with these factors has the coordinates all->mean: R a = mean, with K = R'R. */
static void combine_rows(const struct all_columns *all, double *factors) {
    for (int64_t k = all->count - 1; k >= 0; k--) {
        const double *row = all->coordinates + k * all->count; /* of R */

        factors[k] = (all->mean[k] - vector_dot(all->count - k - 1, row + k + 1, factors + k + 1)) / row[k];
    }
}

spgm_error all_columns_coefficients(const struct all_columns *all, double *x, spgm_status *status) {
    struct workspace workspace = {.memory = all->problem->A.memory};
    struct linop *A = linop_new(&all->problem->A);
    double *column = workspace_doubles(&workspace, all->count), *factors = workspace_doubles(&workspace, all->count);
    int is_long = all->size == all->columns, is_out = A == NULL || workspace.failed;
    spgm_error error;

    if (!is_out && !is_long) {
        combine_rows(all, factors);
    }
    for (int64_t j = 0; !is_out && j < all->columns; j++) {
        if (!is_long) {
            gather(all, A, all_columns_deviations(all), j, 1, column);
        }
        x[j] = all->unit / all_columns_deviations(all)[j] *
               (is_long ? all->mean[j] : vector_dot(all->count, column, factors));
    }
    linop_free(A);
    error = is_out ? status_memory(status, workspace.bytes) : SPGM_OK;
    workspace_free(&workspace);
    return error;
}

const double *all_columns_deviations(const struct all_columns *all) {
    return all->scaled->deviations;
}

/* ---- the object -------------------------------------------------------------------------------------------------- */

static void take_arrays(struct all_columns *all) {
    struct workspace *workspace = &all->workspace;

    all->coordinates = workspace_doubles(workspace, all->count * all->size);
    all->target = workspace_doubles(workspace, all->count);
    all->root = workspace_doubles(workspace, all->count);
    all->mean = workspace_doubles(workspace, all->size);
    all->part = workspace_doubles(workspace, all->count * (all->wide + 1));
    all->sums = workspace_doubles(workspace, (all->wide + 1) * (all->wide + 1));
    all->factor = workspace_doubles(workspace, all->wide * all->wide);
    all->x = workspace_doubles(workspace, all->wide);
    all->drawn = workspace_integers(workspace, all->count);
    all->work = workspace_integers(workspace, all->count);
}

/* The deviations of the columns, as the ridge of a problem takes them. */
static spgm_error take_deviations(const struct spgm_problem *problem, spgm_problem **scaled, spgm_status *status) {
    spgm_error error = spgm_problem_new(&problem->A, problem->b, &problem->options, scaled, status);

    if (error == SPGM_OK && problem->weights != NULL) {
        error = spgm_problem_set_weights(*scaled, problem->weights, status);
    }
    return error == SPGM_OK ? cv_set_ridge(*scaled, problem, 1, 1, status) : error;
}

static spgm_error fill(struct all_columns *all, int *is_there, spgm_status *status) {
    spgm_error error;

    take_arrays(all);
    if (all->workspace.failed) {
        return status_memory(status, all->workspace.bytes);
    }
    if (!take_target(all)) {
        return SPGM_OK;
    }
    scale_ridges(all);
    error = take_deviations(all->problem, &all->scaled, status);
    return error ? error : take_coordinates(all, all_columns_deviations(all), is_there, status);
}

spgm_error all_columns_new(const struct spgm_problem *problem, int64_t folds, const struct spgm_options *options,
                           struct stop *stop, struct all_columns **all, spgm_status *status) {
    int64_t m = problem->A.rows, n = problem->A.columns;
    struct all_columns *made = memory_array(1, sizeof *made);
    int is_there = 0;
    spgm_error error = SPGM_OK;

    *all = NULL;
    if (made == NULL) {
        return status_memory(status, sizeof *made);
    }
    *made = (struct all_columns){.problem = problem, .count = m, .columns = n, .size = n < m ? n : m, .stop = stop};
    made->workspace.memory = problem->A.memory;
    made->wide = made->size + (problem->options.intercept != 0);
    take_steps(made);
    made->splits = n == 0 ? 0 : count_splits(made, folds, options);
    error = made->splits == 0 ? SPGM_OK : fill(made, &is_there, status);
    if (error != SPGM_OK || !is_there) {
        all_columns_free(made);
        return error;
    }
    *all = made;
    return SPGM_OK;
}

void all_columns_free(struct all_columns *all) {
    if (all != NULL) {
        spgm_problem_free(all->scaled);
        workspace_free(&all->workspace);
        memory_free(all);
    }
}
