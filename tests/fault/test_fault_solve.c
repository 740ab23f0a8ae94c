/* Every allocation of options, problem and solver fails, for every method and every loss in turn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/status.h"
#include "common.h"
#include "inject.h"
#include "share.h"

enum { ROWS = 12, COLUMNS = 8, SPARSITY = 3, STORED = ROWS * COLUMNS / 2 };

/* The inputs, and copies that tell whether a call changed them. */
struct inputs {
    double dense[ROWS * COLUMNS], b[ROWS], start[COLUMNS], weights[ROWS];
    double quadratic[COLUMNS * COLUMNS], linear[COLUMNS];
    double values[STORED];
    int64_t column_start[COLUMNS + 1];
    int32_t row_index[STORED];
    double far[ROWS * COLUMNS]; /* columns that are copied: one to be centred, one of extreme size */
    int64_t far_start[COLUMNS + 1];
    int32_t far_row[ROWS * COLUMNS];
};

static struct inputs inputs, pristine;
static double x[COLUMNS];
static const double untouched = -123.25;

static void make_inputs(void) {
    for (int i = 0; i < ROWS * COLUMNS; i++)
        inputs.dense[i] = sin(1.7 * i + 0.3 * i * i);
    for (int i = 0; i < ROWS; i++) {
        inputs.b[i] = i % 2 ? 1 : -1; /* fits every loss, classifiers included */
        inputs.weights[i] = 1 + i;
    }
    for (int j = 0; j < COLUMNS; j++) {
        inputs.start[j] = j;
        inputs.linear[j] = 0.1 * j;
        inputs.quadratic[j * (COLUMNS + 1)] = 1 + j;
    }
    for (int k = 0; k < STORED; k++) {
        inputs.row_index[k] = 2 * (k % (ROWS / 2));
        inputs.values[k] = cos(k);
    }
    for (int j = 0; j <= COLUMNS; j++) {
        inputs.column_start[j] = j * (ROWS / 2);
        inputs.far_start[j] = j * ROWS;
    }
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        inputs.far[i] = inputs.dense[i] * (i / ROWS == 2 ? 1e-200 : 1) + (i / ROWS == 1 ? 1e9 : 0);
        inputs.far_row[i] = i % ROWS;
    }
    pristine = inputs;
}

static spgm_matrix dense(void) {
    return spgm_dense(ROWS, COLUMNS, inputs.dense);
}

static spgm_matrix sparse(void) {
    return spgm_sparse(ROWS, COLUMNS, inputs.column_start, inputs.row_index, inputs.values);
}

static spgm_matrix far_dense(void) {
    return spgm_dense(ROWS, COLUMNS, inputs.far);
}

static spgm_matrix far_sparse(void) {
    return spgm_sparse(ROWS, COLUMNS, inputs.far_start, inputs.far_row, inputs.far);
}

static int inputs_intact(const void *context, spgm_error error) {
    (void)context;
    (void)error;
    return memcmp(&inputs, &pristine, sizeof inputs) == 0;
}

/* Options for quick runs on one thread: pairs of name and value, then NULL. */
static spgm_options *quick_options(const char *const *pairs) {
    static const char *const quick[] = {"threads", "1", "max_iterations", "12", "effort", "1", "ridge", "0.1", NULL};
    spgm_options *options = spgm_options_new();
    for (const char *const *pair = quick; *pair; pair += 2)
        check(spgm_options_set(options, pair[0], pair[1], NULL) == SPGM_OK, "option %s", pair[0]);
    for (; pairs && *pairs; pairs += 2)
        check(spgm_options_set(options, pairs[0], pairs[1], NULL) == SPGM_OK, "option %s = %s", pairs[0], pairs[1]);
    return options;
}

/* ---- options --------------------------------------------------------------------------------------- */

static spgm_error run_options(const void *context, spgm_status *status) {
    (void)context;
    spgm_options *options = spgm_options_new(), *copy = options ? spgm_options_copy(options) : NULL;
    spgm_error error = SPGM_OK;
    if (!copy)
        error = status_memory(status, 1); /* these two report by NULL alone */
    if (error == SPGM_OK)
        error = spgm_options_set(copy, "loss", "quantile", status);
    if (error == SPGM_OK)
        error = spgm_options_set_number(copy, "quantile", 0.25, status);
    spgm_options_free(copy);
    spgm_options_free(options);
    return error;
}

/* ---- one call -------------------------------------------------------------------------------------- */

static int lacked_memory; /* a run since this was cleared ended so, with a model */

static int has_model(void) {
    return lacked_memory;
}

struct solve_case {
    spgm_matrix matrix;
    spgm_options *options;
};

static spgm_error run_solve(const void *context, spgm_status *status) {
    const struct solve_case *c = context;
    double intercept = untouched;
    spgm_info info;
    for (int j = 0; j < COLUMNS; j++)
        x[j] = untouched;
    spgm_error error = spgm_solve(&c->matrix, inputs.b, SPARSITY, c->options, x, &intercept, &info, status);
    lacked_memory =
        error == SPGM_OK && info.outcome == SPGM_OUT_OF_MEMORY && info.iterations > 0 && isfinite(info.objective);
    return error;
}

/* On error x is as it was before the call; on success it is a solution. */
static int solve_intact(const void *context, spgm_error error) {
    int nonzeros = 0, kept = 0;
    for (int j = 0; j < COLUMNS; j++) {
        kept += x[j] == untouched;
        nonzeros += x[j] != 0;
    }
    return inputs_intact(context, error) && (error == SPGM_OK ? nonzeros <= SPARSITY : kept == COLUMNS);
}

static void solve_with(spgm_matrix matrix, const char *shape, const char *method, const char *loss,
                       const char *standardize) {
    const char *const pairs[] = {"method", method, "loss", loss, "standardize", standardize, "node_limit", "4", NULL};
    char name[128];
    struct solve_case c = {matrix, quick_options(pairs)};
    snprintf(name, sizeof name, "spgm_solve %s %s %s", method, loss, shape);
    struct scenario scenario = {name, run_solve, &c, solve_intact, has_model};
    int64_t models = fail_every_allocation(&scenario);
    if (strcmp(method, "auto") == 0) /* what the search takes after OMP, and the fits */
        check(models > 10, "%s: only %lld runs left a model", name, (long long)models);
    spgm_options_free(c.options);
}

/* What is allocated depends on the method, and on the loss only by whether it is separable. */
static void solve_all(void) {
    for (int64_t h = 0; h < spgm_loss_count(); h++)
        solve_with(dense(), "dense", "spgm-iht", spgm_loss_name(h), "false");
    solve_with(far_dense(), "far, dense", "spgm-iht", "l1", "false");
    solve_with(far_sparse(), "far, sparse", "spgm-iht", "l1", "false");
    for (int64_t m = 0; m < spgm_method_count(); m++) {
        if (SHARE(1, m % 2 == 0))
            solve_with(dense(), "dense", spgm_method_name(m), "linf", "false");
        if (SHARE(1, m % 2 == 1))
            solve_with(sparse(), "sparse", spgm_method_name(m), "l1", "true");
    }
}

/* A'A, not formed and formed: what stands behind it is taken when the problem is made. */
static void solve_normal(void) {
    for (int i = 0; i < 4; i++) {
        const char *const pairs[] = {"method",    "spgm-bcd", "loss", "linf", "normal", i % 2 ? "formed" : "operator",
                                     "intercept", "false",    NULL};
        struct solve_case c = {i / 2 ? sparse() : dense(), quick_options(pairs)};
        char name[64];
        snprintf(name, sizeof name, "spgm_solve normal %s %s", pairs[5], i / 2 ? "sparse" : "dense");
        struct scenario scenario = {name, run_solve, &c, solve_intact, has_model};
        fail_every_allocation(&scenario);
        spgm_options_free(c.options);
    }
}

static int goes_without(void) {
    return 1;
}

/* Columns that nearly depend on each other, without a ridge: a basis and a fit in it, which a run can do without. */
static void solve_near(void) {
    static const char *const pairs[] = {"method", "omp", "loss", "l1", "ridge", "0", NULL};
    static double near[ROWS * COLUMNS];
    struct solve_case c = {spgm_dense(ROWS, COLUMNS, near), quick_options(pairs)};
    struct scenario scenario = {"spgm_solve omp l1 near", run_solve, &c, solve_intact, goes_without};
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < ROWS; i++)
            near[i + j * ROWS] = inputs.dense[i + j % 2 * ROWS] + 1e-8 * inputs.dense[i + j * ROWS];
    fail_every_allocation(&scenario);
    spgm_options_free(c.options);
}

/* ---- problem and solver in full --------------------------------------------------------------------- */

static spgm_error set_weighted(spgm_problem *problem, const spgm_matrix *Q, spgm_status *status) {
    static const int64_t free_columns[] = {5, 2};
    spgm_error error = spgm_problem_set_weights(problem, inputs.weights, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_free_columns(problem, free_columns, 2, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_linear(problem, inputs.linear, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_quadratic(problem, Q, status);
    return error;
}

static spgm_error set_slopes(spgm_problem *problem, const spgm_matrix *C, spgm_status *status) {
    spgm_error error = spgm_problem_set_slopes(problem, inputs.weights, inputs.weights, NULL, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_least_squares(problem, C, inputs.b, status);
    return error;
}

static spgm_error set_feasible(spgm_problem *problem, const spgm_matrix *unused, spgm_status *status) {
    static const int64_t excluded[] = {1, 3}, free_columns[] = {2};
    double upper[COLUMNS];
    int64_t groups[COLUMNS];
    (void)unused;
    for (int64_t j = 0; j < COLUMNS; j++) {
        upper[j] = 0.1 * (double)(j % 3);
        groups[j] = j / 3 - 1;
    }
    spgm_error error = spgm_problem_set_bounds(problem, NULL, upper, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_excluded(problem, excluded, 2, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_groups(problem, groups, 2, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_free_columns(problem, free_columns, 1, status);
    return error;
}

static spgm_error set_groups(spgm_problem *problem, const spgm_matrix *unused, spgm_status *status) {
    int64_t groups[COLUMNS];
    (void)unused;
    for (int64_t j = 0; j < COLUMNS; j++)
        groups[j] = j % 4;
    return spgm_problem_set_groups(problem, groups, 0, status);
}

static double least_seen;
static int64_t models_seen; /* runs that lacked memory after the callback had seen a model */

static int see(const spgm_progress *progress, void *context) {
    (void)context;
    least_seen = fmin(least_seen, progress->best);
    return 0;
}

/* A run that lacked memory has the best model that it had found: none that was seen before is better. */
static spgm_error run_once(spgm_solver *solver, spgm_status *status) {
    least_seen = INFINITY;
    spgm_solver_set_progress(solver, see, NULL);
    spgm_error error = spgm_solver_run(solver, status);
    if (error == SPGM_OK && spgm_solver_get_info(solver).outcome == SPGM_OUT_OF_MEMORY) {
        double F = spgm_solver_get_info(solver).objective;
        lacked_memory = 1;
        models_seen += isfinite(least_seen);
        check(F <= least_seen + 1e-9 * fabs(least_seen), "out of memory with F = %g after %g", F, least_seen);
    }
    return error;
}

static spgm_error run_solver(const spgm_problem *problem, const spgm_options *options, spgm_status *status) {
    spgm_solver *solver = NULL;
    double objective;
    lacked_memory = 0;
    spgm_error error = spgm_problem_evaluate(problem, inputs.start, 0.5, &objective, NULL, NULL, status);
    if (error == SPGM_OK)
        error = spgm_problem_smoothing(problem, inputs.start, 0.5, 0.1, &objective, NULL, status);
    if (error == SPGM_OK)
        error = spgm_solver_new(problem, SPARSITY, options, &solver, status);
    if (error == SPGM_OK)
        error = spgm_solver_set_start(solver, inputs.start, 0.5, status);
    if (error == SPGM_OK)
        error = run_once(solver, status);
    if (error == SPGM_OK)
        error = run_once(solver, status); /* a second run starts afresh */
    spgm_solver_free(solver);
    return error;
}

struct problem_case {
    spgm_options *options;
    spgm_matrix A, term;
    spgm_error (*set)(spgm_problem *problem, const spgm_matrix *term, spgm_status *status);
};

static spgm_error run_problem(const void *context, spgm_status *status) {
    const struct problem_case *c = context;
    spgm_problem *problem = NULL;
    spgm_error error = spgm_problem_new(&c->A, inputs.b, c->options, &problem, status);
    if (error == SPGM_OK)
        error = c->set(problem, &c->term, status);
    if (error == SPGM_OK)
        error = run_solver(problem, c->options, status);
    spgm_problem_free(problem);
    return error;
}

static void problem_with(const char *name, spgm_matrix term, int methods_count,
                         spgm_error (*set)(spgm_problem *, const spgm_matrix *, spgm_status *)) {
    static const char *const methods[] = {"spgm-iht", "spgm-bcd", "auto"};
    for (int m = 0; m < methods_count; m++) {
        const char *const pairs[] = {"method", methods[m], "standardize", m ? "true" : "false", "effort", "1", NULL};
        char title[128];
        struct problem_case c = {quick_options(pairs), dense(), term, set};
        snprintf(title, sizeof title, "%s %s", name, methods[m]);
        struct scenario scenario = {title, run_problem, &c, inputs_intact, has_model};
        fail_every_allocation(&scenario);
        spgm_options_free(c.options);
    }
}

/* ---- path and cross-validation ----------------------------------------------------------------------- */

static const int64_t path_sparsities[] = {4, 0, 2};

static spgm_error run_path(const void *context, spgm_status *status) {
    const struct solve_case *c = context;
    spgm_problem *problem = NULL;
    spgm_path *path = NULL;
    double values[3];
    spgm_error error = spgm_problem_new(&c->matrix, inputs.b, c->options, &problem, status);
    if (error == SPGM_OK)
        error = spgm_problem_merge_rows(problem, NULL, status); /* half of the sparse rows are empty */
    if (error == SPGM_OK)
        error = spgm_path_new(problem, path_sparsities, 3, c->options, &path, status);
    if (error == SPGM_OK)
        error = spgm_path_run(path, status);
    lacked_memory = 0;
    for (int64_t i = 0; error == SPGM_OK && i < 3; i++) {
        spgm_info info;
        check(spgm_path_get(path, i, NULL, NULL, &info) == 2 * i && isfinite(info.objective), "a model is missing");
        lacked_memory |= info.outcome == SPGM_OUT_OF_MEMORY;
    }
    if (error == SPGM_OK)
        error = spgm_path_criterion(path, "ebic", values, NULL, status);
    spgm_path_free(path);
    spgm_problem_free(problem);
    return error;
}

static spgm_error run_cv(const void *context, spgm_status *status) {
    static const int64_t free_columns[] = {3};
    const struct solve_case *c = context;
    int64_t folds[ROWS];
    spgm_problem *problem = NULL;
    spgm_cv *cv = NULL;
    for (int i = 0; i < ROWS; i++)
        folds[i] = i / 4;
    spgm_error error = spgm_problem_new(&c->matrix, inputs.b, c->options, &problem, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_weights(problem, inputs.weights, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_free_columns(problem, free_columns, 1, status);
    if (error == SPGM_OK)
        error = spgm_cv_new(problem, path_sparsities, 3, c->options, &cv, status);
    if (error == SPGM_OK)
        error = spgm_cv_run(cv, status);
    if (error == SPGM_OK)
        error = spgm_cv_set_folds(cv, folds, 3, status);
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    return error;
}

static spgm_error run_band(const void *context, spgm_status *status) {
    static const double levels[] = {0.3, 0.6};
    const struct solve_case *c = context;
    spgm_band_settings settings = {.common_columns = c->matrix.column_start != NULL};
    spgm_problem *problem = NULL;
    spgm_band *band = NULL;
    spgm_error error = spgm_problem_new(&c->matrix, inputs.b, c->options, &problem, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_weights(problem, inputs.weights, status);
    if (error == SPGM_OK)
        error = spgm_band_new(problem, levels, 2, 2, c->options, &settings, &band, status);
    if (error == SPGM_OK)
        error = spgm_band_run(band, status);
    spgm_band_free(band);
    spgm_problem_free(problem);
    return error;
}

/* Ridges in proportion to the data. */
static spgm_error run_cv_grid(const void *context, spgm_status *status) {
    static const int64_t one = 1;
    const struct solve_case *c = context;
    spgm_problem *problem = NULL;
    spgm_cv *cv = NULL, *open = NULL;
    spgm_error error = spgm_problem_new(&c->matrix, inputs.b, c->options, &problem, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_ridge(problem, 0.1, 1, status);
    if (error == SPGM_OK)
        error = spgm_problem_set_weights(problem, inputs.weights, status);
    if (error == SPGM_OK)
        error = spgm_cv_new(problem, NULL, 0, c->options, &open, status);
    if (error == SPGM_OK)
        error = spgm_cv_new(problem, &one, 1, c->options, &cv, status);
    if (error == SPGM_OK)
        error = spgm_cv_set_ridges(cv, NULL, 0, status);
    if (error == SPGM_OK)
        error = spgm_cv_run(cv, status);
    if (error == SPGM_OK)
        error = spgm_cv_set_ridges(cv, inputs.weights, 1, status);
    if (error == SPGM_OK)
        error = spgm_cv_add(cv, problem, status);
    spgm_cv_free(open);
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    return error;
}

struct elsewhere {
    spgm_cv *there;
    spgm_error error;
    spgm_status status;
};

static int run_there(spgm_cv_piece *pieces, int64_t count, void *context) {
    struct elsewhere *elsewhere = context;
    for (int64_t t = 0; elsewhere->error == SPGM_OK && t < count; t++)
        elsewhere->error = spgm_cv_run_piece(elsewhere->there, &pieces[t], &elsewhere->status);
    return elsewhere->error != SPGM_OK;
}

/* The folds of an open range by another object. */
static spgm_error run_cv_elsewhere(const void *context, spgm_status *status) {
    const struct solve_case *c = context;
    struct elsewhere elsewhere = {0};
    spgm_problem *problem = NULL;
    spgm_cv *cv = NULL;
    spgm_error error = spgm_problem_new(&c->matrix, inputs.b, c->options, &problem, status);
    if (error == SPGM_OK)
        error = spgm_cv_new(problem, NULL, 0, c->options, &elsewhere.there, status);
    if (error == SPGM_OK)
        error = spgm_cv_new(problem, NULL, 0, c->options, &cv, status);
    if (error == SPGM_OK) {
        spgm_cv_set_rounds(cv, run_there, &elsewhere);
        error = spgm_cv_run(cv, status);
        if (elsewhere.error != SPGM_OK) {
            error = elsewhere.error;
            *status = elsewhere.status;
        }
    }
    spgm_cv_free(cv);
    spgm_cv_free(elsewhere.there);
    spgm_problem_free(problem);
    return error;
}

static spgm_error run_stability(const void *context, spgm_status *status) {
    const struct solve_case *c = context;
    const spgm_stability_settings settings = {.halves = 2, .bootstrap = 2};
    spgm_problem *problem = NULL;
    spgm_stability *stability = NULL;
    spgm_stable_columns stable;
    spgm_error error = spgm_problem_new(&c->matrix, inputs.b, c->options, &problem, status);
    if (error == SPGM_OK)
        error = spgm_stability_new(problem, 2, c->options, &settings, &stability, status);
    if (error == SPGM_OK)
        error = spgm_stability_run(stability, status);
    if (error == SPGM_OK)
        error = spgm_stability_stable(stability, 0.75, &stable, status);
    spgm_stability_free(stability);
    spgm_problem_free(problem);
    return error;
}

static void band_all(void) {
    static const char *const pairs[] = {"method", "omp", "folds", "2", "loss", "quantile", NULL};
    for (int k = 0; k < 2; k++) {
        struct solve_case c = {k ? sparse() : dense(), quick_options(pairs)};
        struct scenario band = {k ? "band of common columns" : "band", run_band, &c, inputs_intact, NULL};
        struct scenario stability = {k ? "stability sparse" : "stability", run_stability, &c, inputs_intact, NULL};
        fail_every_allocation(&band);
        fail_every_allocation(&stability);
        spgm_options_free(c.options);
    }
}

static void choose_all(void) {
    static const char *const pairs[] = {"folds", "2", "repeats", "1", NULL};
    static const char *const bcd[] = {"method", "spgm-bcd", "folds", "2", "loss", "hinge", "polish", "true", NULL};
    for (int k = 0; k < 2; k++) {
        struct solve_case c = {k ? sparse() : dense(), quick_options(k ? bcd : pairs)};
        struct scenario path = {k ? "path sparse" : "path dense", run_path, &c, inputs_intact, has_model};
        struct scenario cv = {k ? "cv sparse" : "cv dense", run_cv, &c, inputs_intact, NULL};
        fail_every_allocation(&path);
        fail_every_allocation(&cv);
        if (k == 0) {
            struct scenario grid = {"cv of s and ridge", run_cv_grid, &c, inputs_intact, NULL};
            struct scenario elsewhere = {"cv elsewhere", run_cv_elsewhere, &c, inputs_intact, NULL};
            spgm_options_set(c.options, "effort", "0", NULL);
            fail_every_allocation(&grid);
            fail_every_allocation(&elsewhere);
        }
        spgm_options_free(c.options);
    }
}

/* ---- a communicator ------------------------------------------------------------------------------------ */

static int alone(void *context, double *values, int64_t count) {
    (void)context, (void)values, (void)count;
    return 0;
}

static int alone_broadcast(void *context, void *data, int64_t bytes, int64_t root) {
    (void)context, (void)data, (void)bytes, (void)root;
    return 0;
}

static int given_up; /* times that a run told the others */

static void count_failure(void *context, const char *sentence) {
    (void)context;
    given_up += sentence[0] != '\0';
}

static spgm_error run_distributed(const void *context, spgm_status *status) {
    static const spgm_communicator one = {0, 1, alone, alone, alone_broadcast, count_failure, NULL};
    static const int64_t sizes[] = {1, 3};
    const struct solve_case *c = context;
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_path *path = NULL;
    spgm_cv *cv = NULL;
    spgm_error error = spgm_problem_new_distributed(&c->matrix, inputs.b, c->options, &one, &problem, status);
    error = error ? error : spgm_problem_set_weights(problem, inputs.weights, status);
    error = error ? error : spgm_solver_new(problem, SPARSITY, c->options, &solver, status);
    error = error ? error : spgm_solver_run(solver, status);
    lacked_memory = error == SPGM_OK && spgm_solver_get_info(solver).outcome == SPGM_OUT_OF_MEMORY;
    spgm_solver_free(solver);
    if (c->matrix.column_start == NULL) {
        error = error ? error : spgm_path_new(problem, sizes, 2, c->options, &path, status);
        error = error ? error : spgm_path_run(path, status);
        error = error ? error : spgm_cv_new(problem, sizes, 2, c->options, &cv, status);
        error = error ? error : spgm_cv_run(cv, status);
    }
    spgm_cv_free(cv);
    spgm_path_free(path);
    spgm_problem_free(problem);
    return error;
}

static void distribute_all(void) {
    static const char *const found[] = {"auto", "omp", "exact"};
    for (int k = 0; k < 3; k++) {
        const char *const pairs[] = {
            "method",     found[k], "folds", "2", "loss", k ? "hinge" : "l1", "polish", k ? "true" : "false",
            "node_limit", "4",      NULL};
        struct solve_case c = {k == 1 ? dense() : sparse(), quick_options(pairs)};
        struct scenario scenario = {"distributed", run_distributed, &c, inputs_intact, has_model};
        given_up = 0;
        fail_every_allocation(&scenario);
        check(given_up > 10, "%s: only %d runs told the others", found[k], given_up);
        spgm_options_free(c.options);
    }
}

/* ---- the loop allocates nothing --------------------------------------------------------------------- */

static int64_t allocations_of(const char *method, const char *loss, const char *iterations) {
    const char *const pairs[] = {"method", method,   "loss", loss, "max_iterations", iterations, "tolerance",
                                 "0",      "window", "100",  NULL};
    struct solve_case c = {dense(), quick_options(pairs)};
    spgm_status status;
    inject_arm(INT64_MAX, 0);
    spgm_error error = run_solve(&c, &status);
    int64_t count = inject_disarm();
    check(error == SPGM_OK, "%s %s: %s", method, loss, status.message);
    spgm_options_free(c.options);
    return count;
}

static void loop_allocates_nothing(void) {
    static const char *const methods[] = {"spgm-iht", "spgm-bcd"};
    for (int m = 0; m < 2; m++)
        for (int64_t h = 0; h < spgm_loss_count(); h++) {
            int64_t few = allocations_of(methods[m], spgm_loss_name(h), "5");
            int64_t many = allocations_of(methods[m], spgm_loss_name(h), "500");
            check(few > 0 && few == many, "%s %s: %lld allocations in 5 iterations, %lld in 500", methods[m],
                  spgm_loss_name(h), (long long)few, (long long)many);
        }
}

/* ---- islands ------------------------------------------------------------------------------------------- */

enum { WIDE_ROWS = 50, WIDE_COLUMNS = 1100, WIDE_SPARSITY = 20, WIDE_STRIDE = SHARE(13, 401) };
enum { TALL_ROWS = 700, TALL_COLUMNS = 80, TALL_SPARSITY = 10, TALL_STRIDE = SHARE(53, 901), TALL_CALLS = 120 };
enum { LEAST_MODELS = SHARE(20, 2) }; /* that runs are left with */

struct searched {
    const char *name;
    spgm_matrix matrix;
    const double *b;
    int64_t sparsity, stride; /* of the allocations that fail */
    const spgm_options *options;
    int64_t calls, last; /* of the callback, which ends the run */
};

static int count_calls(const spgm_progress *progress, void *context) {
    struct searched *c = context;

    (void)progress;
    return ++c->calls >= c->last;
}

static spgm_error search_once(struct searched *c, spgm_info *info, spgm_status *status) {
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_error error = spgm_problem_new(&c->matrix, c->b, c->options, &problem, status);

    c->calls = 0;
    error = error == SPGM_OK ? spgm_solver_new(problem, c->sparsity, c->options, &solver, status) : error;
    if (error == SPGM_OK) {
        spgm_solver_set_progress(solver, count_calls, c);
        error = spgm_solver_run(solver, status);
        *info = spgm_solver_get_info(solver);
    }
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    return error;
}

/* Some of the allocations of a run fail, each once. What was found before the searches that they are for begin is
 * kept. */
static void fail_some(struct searched *c) {
    int64_t models = 0, live = 0;
    int fired = 1;
    clock_t began = clock();

    for (int64_t first = 0; fired; first += fault_stride(c->stride)) {
        spgm_status status = status_unwritten();
        spgm_info info = {0};
        spgm_error error;

        live = inject_live();
        inject_arm(first, 0);
        error = search_once(c, &info, &status);
        fired = inject_fired();
        inject_disarm();
        check_sentence(error, &status, c->name);
        check(inject_live() == live, "%s: allocation %lld leaks", c->name, (long long)first);
        models += error == SPGM_OK && info.outcome == SPGM_OUT_OF_MEMORY;
        check(!fired || error == SPGM_ERROR_MEMORY || (error == SPGM_OK && info.outcome == SPGM_OUT_OF_MEMORY),
              "%s: allocation %lld gives %d", c->name, (long long)first, (int)error);
    }
    check(models > LEAST_MODELS, "%s: only %lld runs left a model", c->name, (long long)models);
    printf("%-40s %4lld models %6.2f s\n", c->name, (long long)models, (double)(clock() - began) / CLOCKS_PER_SEC);
}

/* A problem that is large enough for several searches side by side. */
static void islands_all(void) {
    static double A[WIDE_ROWS * WIDE_COLUMNS], b[WIDE_ROWS];
    spgm_options *options = quick_options(NULL);
    struct searched wide = {
        "islands", spgm_dense(WIDE_ROWS, WIDE_COLUMNS, A), b, WIDE_SPARSITY, WIDE_STRIDE, options, 0, INT64_MAX};

    for (int i = 0; i < WIDE_ROWS * WIDE_COLUMNS; i++)
        A[i] = sin(1.7 * i + 0.003 * i * i);
    for (int i = 0; i < WIDE_ROWS; i++)
        b[i] = cos(3.0 * i);
    fail_some(&wide);
    spgm_options_free(options);
}

/* Many rows, few of which decide: a search among these takes memory again as others come in. */
static void few_rows_all(void) {
    static const char *const pairs[] = {"loss", "linf", "effort", "0", "time_limit", "1e6", NULL};
    static double A[TALL_ROWS * TALL_COLUMNS], b[TALL_ROWS];
    spgm_options *options = quick_options(pairs);
    struct searched tall = {
        "few rows", spgm_dense(TALL_ROWS, TALL_COLUMNS, A), b, TALL_SPARSITY, TALL_STRIDE, options, 0, TALL_CALLS};

    for (int i = 0; i < TALL_ROWS * TALL_COLUMNS; i++)
        A[i] = sin(1.7 * i + 0.003 * i * i) + sin(2.3 * i + 0.0051 * i * i) + sin(0.9 * i + 0.0013 * i * i);
    for (int i = 0; i < TALL_ROWS; i++)
        b[i] = cos(3.0 * i) + cos(1.3 * i * i) + cos(0.7 * i * i) + A[i];
    fail_some(&tall);
    spgm_options_free(options);
}

int main(void) {
    make_inputs();
    islands_all();
    few_rows_all();
    struct scenario options = {"options", run_options, NULL, inputs_intact, NULL};
    fail_every_allocation(&options);
    solve_all();
    solve_near();
    solve_normal();
    problem_with("weights, free, linear, quadratic", spgm_dense(COLUMNS, COLUMNS, inputs.quadratic), SHARE(3, 2),
                 set_weighted);
    problem_with("slopes, least squares", sparse(), 2, set_slopes); /* auto takes seconds here */
    problem_with("bounds, excluded, capped, free", sparse(), 2, set_feasible);
    problem_with("groups", sparse(), 2, set_groups);
    choose_all();
    band_all();
    distribute_all();
    loop_allocates_nothing();
    check(models_seen > 10, "only %lld runs lacked memory after a model was seen", (long long)models_seen);
    return report();
}
