/* Rows spread over processes: the same model and F as on one, for every method and loss, whatever the parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/random.h"
#include "group.h"
#include "search/large.h"
#include "share.h"

enum { ROWS = 90, COLUMNS = 24, SPARSITY = 4 };

/* The data of all processes, and the rows where the parts begin. */
struct whole {
    int64_t rows, columns;
    double *A, *b, *weights; /* weights or NULL */
    int64_t starts[GROUP_MOST + 1];
    const spgm_options *options;
    int64_t sparsity;
    int is_sparse;
    void (*set)(spgm_problem *problem); /* more about the problem, or NULL */
    struct {
        spgm_error error;
        spgm_status status;
        spgm_info info;
        double x[64], intercept, objective;
    } got[GROUP_MOST];
};

/* Rows first..last of the whole as a matrix of their own, dense or sparse. */
struct part {
    spgm_matrix A;
    double *values;
    int64_t *start;
    int32_t *row;
};

static struct part part_of(const struct whole *whole, int64_t first, int64_t last) {
    int64_t rows = last - first, n = whole->columns, count = 0;
    struct part part = {.values = malloc((size_t)(rows * n + 1) * sizeof(double)),
                        .start = malloc((size_t)(n + 1) * sizeof(int64_t)),
                        .row = malloc((size_t)(rows * n + 1) * sizeof(int32_t))};
    part.start[0] = 0;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < rows; i++) {
            double value = whole->A[first + i + j * whole->rows];
            if (!whole->is_sparse || value != 0) {
                part.row[count] = (int32_t)i;
                part.values[count++] = value;
            }
        }
        part.start[j + 1] = count;
    }
    part.A =
        whole->is_sparse ? spgm_sparse(rows, n, part.start, part.row, part.values) : spgm_dense(rows, n, part.values);
    return part;
}

static void part_free(struct part *part) {
    free(part->values);
    free(part->start);
    free(part->row);
}

static void solve_part(struct group_member *me, void *context) {
    struct whole *whole = context;
    int64_t first = whole->starts[me->rank], last = whole->starts[me->rank + 1];
    struct part part = part_of(whole, first, last);
    spgm_communicator communicator = group_communicator(me);
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_status *status = &whole->got[me->rank].status;
    spgm_error error =
        spgm_problem_new_distributed(&part.A, whole->b + first, whole->options, &communicator, &problem, status);
    if (error == SPGM_OK && whole->weights != NULL)
        error = spgm_problem_set_weights(problem, whole->weights + first, status);
    if (error == SPGM_OK && whole->set != NULL)
        whole->set(problem);
    if (error == SPGM_OK)
        error = spgm_solver_new(problem, whole->sparsity, whole->options, &solver, status);
    if (error == SPGM_OK)
        error = spgm_solver_run(solver, status);
    if (error == SPGM_OK) {
        spgm_solver_get_x(solver, whole->got[me->rank].x, &whole->got[me->rank].intercept);
        whole->got[me->rank].info = spgm_solver_get_info(solver);
        error = spgm_problem_evaluate(problem, whole->got[me->rank].x, whole->got[me->rank].intercept,
                                      &whole->got[me->rank].objective, NULL, NULL, status);
    }
    whole->got[me->rank].error = error;
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    part_free(&part);
}

/* Cuts: even parts; uneven ones; the second, and the first, without rows. */
enum { CUTS = 4 };

static void cut(struct whole *whole, int ranks, int kind) {
    for (int k = 0; k <= ranks; k++)
        whole->starts[k] = kind == 1 ? whole->rows * k * k / ranks / ranks : whole->rows * k / ranks;
    if (kind == 2 && ranks > 1)
        whole->starts[ranks > 2 ? 2 : 1] = ranks > 2 ? whole->starts[1] : whole->rows;
    if (kind == 3 && ranks > 1)
        whole->starts[1] = 0;
}

static void make_rows(struct whole *whole, const char *loss, int seed, int64_t rows) {
    struct random random;
    *whole = (struct whole){.rows = rows, .columns = COLUMNS, .sparsity = SPARSITY};
    whole->A = malloc((size_t)rows * COLUMNS * sizeof(double));
    whole->b = malloc((size_t)rows * sizeof(double));
    random_seed(&random, (uint64_t)seed, 5);
    for (int64_t i = 0; i < rows * COLUMNS; i++)
        whole->A[i] = random_normal(&random);
    for (int64_t i = 0; i < rows; i++) {
        double z = 0.7;
        for (int j = 0; j < SPARSITY; j++)
            z += (2.0 - 0.3 * j) * whole->A[i + (3 * j + 1) * rows];
        z += 0.5 * random_normal(&random);
        whole->b[i] = strstr(loss, "hinge") != NULL || strcmp(loss, "logistic") == 0 ? (z > 0 ? 1 : -1) : z;
    }
}

static void make_whole(struct whole *whole, const char *loss, int seed) {
    make_rows(whole, loss, seed, ROWS);
}

static void free_whole(struct whole *whole) {
    free(whole->A);
    free(whole->b);
    free(whole->weights);
}

static spgm_options *options_for(const char *method, const char *loss) {
    spgm_options *options = spgm_options_new();
    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "method", method, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "loss", loss, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "ridge", "0.1", NULL), SPGM_OK); /* diht needs one */
    assert_int_equal(spgm_options_set(options, "threads", "1", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "max_iterations", SHARE("300", "40"), NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "effort", SHARE("0", "1"), NULL), SPGM_OK);
    return options;
}

static void run_group(struct whole *whole, int ranks, int kind) {
    struct group group;
    group_init(&group, ranks);
    cut(whole, ranks, kind);
    group_run(&group, solve_part, whole);
    if (group.has_mismatch)
        for (int k = 0; k < ranks; k++)
            print_message("process %d: call %d of %ld values (the %ld-th)\n", k, (int)group.at[k].call,
                          (long)group.at[k].count, group.calls);
    assert_int_equal(group.has_mismatch, 0);
    group_free(&group);
}

/* The same x on every process to the last bit, the F that a single problem has for it, and that of `alone`. */
static void compare(const struct whole *whole, const struct whole *alone, int ranks, const char *what) {
    double F = alone->got[0].info.objective;
    for (int k = 0; k < ranks; k++) {
        if (whole->got[k].error != alone->got[0].error ||
            !(fabs(whole->got[k].info.objective - F) <= 1e-9 * (1 + fabs(F))))
            fail_msg("%s, %d processes, process %d: error %d, F %.17g, on one %d, %.17g: %s", what, ranks, k,
                     (int)whole->got[k].error, whole->got[k].info.objective, (int)alone->got[0].error, F,
                     whole->got[k].status.message);
        assert_memory_equal(whole->got[k].x, whole->got[0].x, sizeof whole->got[k].x);
        assert_true(whole->got[k].intercept == whole->got[0].intercept);
        assert_true(whole->got[k].objective == whole->got[k].info.objective);
        if (whole->got[k].info.outcome != alone->got[0].info.outcome)
            fail_msg("%s, %d processes: outcome %d, on one %d", what, ranks, (int)whole->got[k].info.outcome,
                     (int)alone->got[0].info.outcome);
        for (int64_t j = 0; j < whole->columns; j++)
            assert_int_equal(whole->got[k].x[j] != 0, alone->got[0].x[j] != 0);
    }
}

/* A few of the cuts for each number of processes, other ones for each `turn`. */
static void check_parts(struct whole *whole, const char *what, int turn) {
    struct whole alone = *whole;
    run_group(&alone, 1, 0);
    for (int ranks = SHARE(2, 3); ranks <= SHARE(GROUP_MOST, 3); ranks++) {
        run_group(whole, ranks, (turn + ranks) % CUTS);
        compare(whole, &alone, ranks, what);
    }
}

/* The model of a problem without processes, for comparison. */
static double solve_alone(const struct whole *whole, double *x) {
    struct part part = part_of(whole, 0, whole->rows);
    spgm_info info;
    spgm_status status;
    if (spgm_solve(&part.A, whole->b, whole->sparsity, whole->options, x, NULL, &info, &status) != SPGM_OK)
        fail_msg("%s", status.message);
    part_free(&part);
    return info.objective;
}

/* One loss of each engine of fits for each method; methods that need rows in one place gather them. */
static void every_method(void **state) {
    static const char *const losses[] = {"l1", "linf", "logistic", "l2", "squared"};
    (void)state;
    for (int64_t i = 0; spgm_method_name(i) != NULL; i++)
        for (int k = 0; k < 5; k++) {
            const char *method = spgm_method_name(i);
            spgm_options *options;
            struct whole whole;
            char what[80];
            if (k != i % 5 && (k != (i + 2) % 5 || SHARE(0, 1)))
                continue;
            options = options_for(method, losses[k]);
            make_whole(&whole, losses[k], 3);
            whole.options = options;
            snprintf(what, sizeof what, "%s %s", method, losses[k]);
            check_parts(&whole, what, (int)i + k);
            spgm_options_free(options);
            free_whole(&whole);
        }
}

/* auto, whose end is a fit, for every loss: the model of a single process. */
static void every_loss(void **state) {
    (void)state;
    for (int64_t k = 0; spgm_loss_name(k) != NULL; k++) {
        spgm_options *options = options_for("auto", spgm_loss_name(k));
        struct whole whole;
        double x[64] = {0}, F;
        make_whole(&whole, spgm_loss_name(k), 7);
        assert_int_equal(spgm_options_set(options, "effort", "2", NULL), SPGM_OK);
        assert_int_equal(spgm_options_set(options, "polish", "true", NULL), SPGM_OK);
        whole.options = options;
        check_parts(&whole, spgm_loss_name(k), (int)k);
        F = solve_alone(&whole, x);
        assert_true(fabs(whole.got[0].info.objective - F) <= 1e-8 * F);
        for (int j = 0; j < COLUMNS; j++)
            assert_int_equal(whole.got[0].x[j] != 0, x[j] != 0);
        spgm_options_free(options);
        free_whole(&whole);
    }
}

/* ---- what else a problem may have ------------------------------------------------------------------------- */

static void set_columns(spgm_problem *problem) {
    double lower[COLUMNS], upper[COLUMNS];
    static const int64_t is_free[] = {0}, excluded[] = {4};
    int64_t groups[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) {
        lower[j] = -1;
        upper[j] = 1.5;
        groups[j] = j / 3;
    }
    assert_int_equal(spgm_problem_set_free_columns(problem, is_free, 1, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_excluded(problem, excluded, 1, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_bounds(problem, lower, upper, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_groups(problem, groups, 1, NULL), SPGM_OK);
}

static double Q[COLUMNS * COLUMNS], d[COLUMNS], p[COLUMNS];

static void set_quadratic(spgm_problem *problem) {
    spgm_matrix matrix = spgm_dense(COLUMNS, COLUMNS, Q);
    assert_int_equal(spgm_problem_set_quadratic(problem, &matrix, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_set_linear(problem, p, NULL), SPGM_OK);
}

static void set_least_squares(spgm_problem *problem) {
    spgm_matrix matrix = spgm_dense(COLUMNS, COLUMNS, Q);
    assert_int_equal(spgm_problem_set_least_squares(problem, &matrix, d, NULL), SPGM_OK);
}

static void merge(spgm_problem *problem) {
    assert_int_equal(spgm_problem_merge_rows(problem, NULL, NULL), SPGM_OK);
}

/* Weights, sparse data, columns far from zero and of extreme size, sets, smooth terms, rows merged within a part. */
static void everything_else(void **state) {
    static void (*const sets[])(spgm_problem *) = {set_columns, set_quadratic, set_least_squares, merge};
    static const char *const methods[] = {"spgm-iht", "spgm-bcd", "auto", "omp"};
    (void)state;
    for (int j = 0; j < COLUMNS; j++) {
        Q[j + j * COLUMNS] = 0.5 + 0.01 * j;
        d[j] = 0.1 * j;
        p[j] = 0.05 * (j % 3);
    }
    for (int set = 0; set < 4; set++)
        for (int k = 0; k < 4; k++) {
            spgm_options *options;
            struct whole whole;
            char what[80];
            if ((set == 3 && k != 2) ||
                SHARE(0, (set != k && set != 3) || set == 2)) /* methods that smooth rows see whether they are merged */
                continue;
            options = options_for(methods[k], "quantile");
            make_whole(&whole, "quantile", 11 + set);
            whole.options = options;
            whole.is_sparse = set % 2;
            whole.set = sets[set];
            whole.weights = malloc(ROWS * sizeof(double));
            for (int i = 0; i < ROWS; i++) {
                whole.weights[i] = i < ROWS / 4 ? 0 : 1 + i % 3; /* a first part without weight */
                for (int j = 0; j < COLUMNS; j++) {
                    double *a = &whole.A[i + j * ROWS];
                    *a = j == 1 ? *a + 1e5 : j == 7 ? *a * 1e80 : (i + j) % 3 == 0 ? 0 : *a;
                }
                if (set == 3 && i % 2 == 1) {
                    for (int j = 0; j < COLUMNS; j++)
                        whole.A[i + j * ROWS] = whole.A[i - 1 + j * ROWS];
                    whole.b[i] = whole.b[i - 1];
                }
            }
            snprintf(what, sizeof what, "%s, set %d", methods[k], set);
            check_parts(&whole, what, set + k);
            spgm_options_free(options);
            free_whole(&whole);
        }
}

/* ---- path and cross-validation
 * ---------------------------------------------------------------------------------------- */

enum { SIZES = 3, FOLDS = 4 };
static const int64_t sizes[SIZES] = {1, 3, 5};

/* What a process found, for three sizes. */
struct chosen {
    struct whole *whole;
    spgm_error error[GROUP_MOST];
    spgm_status status[GROUP_MOST];
    double objective[GROUP_MOST][SIZES], x[GROUP_MOST][SIZES][COLUMNS], bic[GROUP_MOST][SIZES];
    double losses[GROUP_MOST][SIZES][FOLDS];
    int folds[GROUP_MOST][ROWS]; /* of its rows */
};

static void choose_part(struct group_member *me, void *context) {
    struct chosen *all = context;
    int64_t first = all->whole->starts[me->rank], last = all->whole->starts[me->rank + 1];
    struct part part = part_of(all->whole, first, last);
    spgm_communicator communicator = group_communicator(me);
    spgm_problem *problem = NULL;
    spgm_path *path = NULL;
    spgm_cv *cv = NULL;
    spgm_status *status = &all->status[me->rank];
    spgm_error error = spgm_problem_new_distributed(&part.A, all->whole->b + first, all->whole->options, &communicator,
                                                    &problem, status);
    error = error ? error : spgm_path_new(problem, sizes, SIZES, all->whole->options, &path, status);
    error = error ? error : spgm_path_run(path, status);
    error = error ? error : spgm_path_criterion(path, "bic", all->bic[me->rank], NULL, status);
    for (int i = 0; error == SPGM_OK && i < SIZES; i++) {
        spgm_info info;
        spgm_path_get(path, i, all->x[me->rank][i], NULL, &info);
        all->objective[me->rank][i] = info.objective;
    }
    error = error ? error : spgm_cv_new(problem, sizes, SIZES, all->whole->options, &cv, status);
    error = error ? error : spgm_cv_run(cv, status);
    for (int i = 0; error == SPGM_OK && i < SIZES; i++)
        spgm_cv_get(cv, i, all->losses[me->rank][i], NULL, NULL);
    if (error == SPGM_OK) {
        int64_t fold_of_row[ROWS];
        double better[COLUMNS] = {0};
        const double level = 0.5;
        spgm_stationarity kind;
        spgm_band *band = NULL;
        spgm_stability *stability = NULL;
        spgm_cv_get_fold_of_row(cv, fold_of_row);
        for (int64_t i = 0; i < last - first; i++)
            all->folds[me->rank][i] = (int)fold_of_row[i];
        assert_int_equal(spgm_cv_set_folds(cv, fold_of_row, FOLDS, NULL), SPGM_ERROR_UNSUPPORTED);
        assert_int_equal(spgm_problem_stationary(problem, better, 0, 1, 0, NULL, &kind, NULL, NULL, NULL),
                         SPGM_ERROR_UNSUPPORTED);
        /* what does not run on rows of others says so at once, on every process */
        assert_int_equal(spgm_cv_set_ridges(cv, NULL, 0, NULL), SPGM_ERROR_UNSUPPORTED);
        assert_int_equal(spgm_problem_set_ridge(problem, 1, 1, NULL), SPGM_ERROR_UNSUPPORTED);
        assert_int_equal(spgm_band_new(problem, &level, 1, 1, NULL, NULL, &band, NULL), SPGM_ERROR_UNSUPPORTED);
        assert_int_equal(spgm_stability_new(problem, 1, NULL, NULL, &stability, NULL), SPGM_ERROR_UNSUPPORTED);
    }
    all->error[me->rank] = error;
    spgm_cv_free(cv);
    spgm_path_free(path);
    spgm_problem_free(problem);
    part_free(&part);
}

static void compare_chosen(const struct chosen *got, const struct chosen *one, int ranks) {
    for (int k = 0; k < ranks; k++) {
        if (got->error[k] != SPGM_OK)
            fail_msg("process %d: %s", k, got->status[k].message);
        for (int i = 0; i < SIZES; i++) {
            double F = one->objective[0][i];
            assert_true(fabs(got->objective[k][i] - F) <= 1e-9 * F);
            assert_true(i == 0 || got->objective[k][i] <= got->objective[k][i - 1]);
            assert_true(fabs(got->bic[k][i] - one->bic[0][i]) <= 1e-7 * fabs(one->bic[0][i]));
            for (int j = 0; j < COLUMNS; j++)
                assert_int_equal(got->x[k][i][j] != 0, one->x[0][i][j] != 0);
            for (int f = 0; f < FOLDS; f++)
                assert_true(fabs(got->losses[k][i][f] - one->losses[0][i][f]) <= 1e-7 * fabs(one->losses[0][i][f]));
        }
        for (int64_t i = got->whole->starts[k]; i < got->whole->starts[k + 1]; i++)
            assert_int_equal(got->folds[k][i - got->whole->starts[k]], one->folds[0][i]);
    }
}

/* The folds that a problem without processes has. */
static void compare_folds(const struct chosen *one) {
    const struct whole *whole = one->whole;
    struct part part = part_of(whole, 0, ROWS);
    spgm_problem *problem = NULL;
    spgm_cv *cv = NULL;
    int64_t fold_of_row[ROWS];
    assert_int_equal(spgm_problem_new(&part.A, whole->b, whole->options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_new(problem, sizes, SIZES, whole->options, &cv, NULL), SPGM_OK);
    spgm_cv_get_fold_of_row(cv, fold_of_row);
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(fold_of_row[i], one->folds[0][i]);
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    part_free(&part);
}

static void path_and_cv(void **state) {
    static const char *const cases[][2] = {{"auto", "hinge"}, {"omp", "quantile"}};
    (void)state;
    for (int c = 0; c < 2; c++) {
        spgm_options *options = options_for(cases[c][0], cases[c][1]);
        static struct chosen one, got;
        struct whole whole;
        assert_int_equal(spgm_options_set(options, "folds", "4", NULL), SPGM_OK);
        assert_int_equal(spgm_options_set(options, "effort", "1", NULL), SPGM_OK);
        assert_int_equal(spgm_options_set(options, "polish", "true", NULL), SPGM_OK);
        make_whole(&whole, cases[c][1], 3);
        whole.options = options;
        for (int ranks = 1; ranks <= GROUP_MOST; ranks += SHARE(1, 2)) {
            struct group group;
            memset(&got, 0, sizeof got);
            got.whole = &whole;
            group_init(&group, ranks);
            cut(&whole, ranks, (ranks + c) % CUTS);
            group_run(&group, choose_part, &got);
            assert_int_equal(group.has_mismatch, 0);
            group_free(&group);
            if (ranks == 1) {
                one = got;
                compare_folds(&one);
            }
            compare_chosen(&got, &one, ranks);
        }
        spgm_options_free(options);
        free_whole(&whole);
    }
}

/* ---- samples ---------------------------------------------------------------------------------------------- */

static const struct large_sizes small = {
    .entries = 1,
    .sample_rows = 600,
    .fewest_rows = 100,
    .columns = 1,
    .sample_work = 1e6,
    .full_work = 1e7,
    .cached_rows = 800,
    .passes = 10,
};

/* The search by samples on a part, with sizes that make small data large. */
static void search_part(struct group_member *me, void *context) {
    struct whole *whole = context;
    struct part part = part_of(whole, whole->starts[me->rank], whole->starts[me->rank + 1]);
    spgm_communicator communicator = group_communicator(me);
    spgm_status *status = &whole->got[me->rank].status;
    struct workspace workspace = {0};
    spgm_problem *problem = NULL;
    struct problem framed;
    struct run run;
    double *start, *square;
    spgm_error error = spgm_problem_new_distributed(&part.A, whole->b + whole->starts[me->rank], whole->options,
                                                    &communicator, &problem, status);
    error = error != SPGM_OK ? error : problem_frame(problem, 1, &framed, status);
    if (error == SPGM_OK) {
        run_init(&run, &framed, whole->sparsity, whole->options, &workspace);
        start = workspace_doubles(&workspace, framed.A->columns);
        square = workspace_doubles(&workspace, framed.A->columns);
        run.source = problem;
        error = large_first(&run, &small, square, status);
        error = error != SPGM_OK ? error : large_search(&run, &small, square, NULL, start, 3, status);
        problem_unscale(&framed, run.best_x, whole->got[me->rank].x, &whole->got[me->rank].intercept);
        whole->got[me->rank].info.objective = run.best_objective * framed.objective_unit;
        whole->got[me->rank].objective = whole->got[me->rank].info.objective;
        whole->got[me->rank].info.outcome = run.outcome;
        workspace_free(&workspace);
        problem_unframe(&framed);
    }
    whole->got[me->rank].error = error;
    spgm_problem_free(problem);
    part_free(&part);
}

static void samples(void **state) {
    static const char *const losses[] = {"l1", "hinge", "squared", "linf", "logistic"};
    (void)state;
    for (int k = 0; k < 5; k++) {
        spgm_options *options = options_for("auto", losses[k]);
        struct whole whole, alone;
        make_rows(&whole, losses[k], 5, 900);
        whole.options = options;
        whole.is_sparse = k % 2;
        for (int ranks = 1; ranks <= GROUP_MOST; ranks += SHARE(1, 2)) {
            struct group group;
            group_init(&group, ranks);
            cut(&whole, ranks, (ranks + k) % CUTS);
            group_run(&group, search_part, &whole);
            assert_int_equal(group.has_mismatch, 0);
            group_free(&group);
            alone = ranks == 1 ? whole : alone;
            compare(&whole, &alone, ranks, losses[k]);
        }
        spgm_options_free(options);
        free_whole(&whole);
    }
}

static void set_pairs(spgm_problem *problem) {
    int64_t groups[COLUMNS];
    for (int j = 0; j < COLUMNS; j++)
        groups[j] = j / 2;
    assert_int_equal(spgm_problem_set_groups(problem, groups, 1, NULL), SPGM_OK);
}

/* Too large to gather, and not to be sampled: rows that are nearly all empty. */
static void large_with_groups(void **state) {
    enum { MANY = 820000 };
    spgm_options *options = options_for("auto", "squared");
    struct whole whole, alone;
    (void)state;
    assert_int_equal(spgm_options_set(options, "max_iterations", "10", NULL), SPGM_OK);
    make_rows(&whole, "squared", 3, MANY);
    for (int64_t i = 0; i < MANY; i++)
        for (int j = 0; i % 4096 != 0 && j < COLUMNS; j++)
            whole.A[i + j * MANY] = 0;
    whole.options = options;
    whole.is_sparse = 1;
    whole.set = set_pairs;
    alone = whole;
    run_group(&alone, 1, 0);
    run_group(&whole, 3, 1);
    compare(&whole, &alone, 3, "groups");
    assert_int_equal(whole.got[0].info.outcome, SPGM_SEARCHED);
    assert_int_equal(whole.got[0].info.support, SPARSITY);
    spgm_options_free(options);
    free_whole(&whole);
}

/* ---- stops and errors
 * ------------------------------------------------------------------------------------------------ */

struct watched {
    struct whole *whole;
    int calls[GROUP_MOST], stops_after;
    spgm_outcome outcome[GROUP_MOST];
    spgm_error error[GROUP_MOST];
    spgm_status status[GROUP_MOST];
    int64_t support[GROUP_MOST];
    const char *time_limit;
};

struct watcher {
    struct watched *all;
    int rank;
};

static int watch(const spgm_progress *progress, void *context) {
    struct watcher *me = context;
    (void)progress;
    return ++me->all->calls[me->rank] >= me->all->stops_after;
}

static void solve_watched(struct group_member *me, void *context) {
    struct watched *all = context;
    struct watcher watcher = {all, me->rank};
    int64_t first = all->whole->starts[me->rank];
    struct part part = part_of(all->whole, first, all->whole->starts[me->rank + 1]);
    spgm_communicator communicator = group_communicator(me);
    spgm_options *options = spgm_options_copy(all->whole->options);
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_status *status = &all->status[me->rank];
    spgm_error error;
    assert_int_equal(spgm_options_set(options, "time_limit", all->time_limit, NULL), SPGM_OK);
    error = spgm_problem_new_distributed(&part.A, all->whole->b + first, options, &communicator, &problem, status);
    error = error != SPGM_OK ? error : spgm_solver_new(problem, SPARSITY, options, &solver, status);
    if (error == SPGM_OK) {
        spgm_solver_set_progress(solver, watch, &watcher);
        error = spgm_solver_run(solver, status);
        all->outcome[me->rank] = spgm_solver_get_info(solver).outcome;
        all->support[me->rank] = spgm_solver_get_info(solver).support;
    }
    all->error[me->rank] = error;
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
    part_free(&part);
}

/* The callback of process 0 stops all of them, and no other callback is called; so does its clock. */
static void process_0_stops_all(void **state) {
    static const char *const methods[] = {"spgm-iht", "spgm-bcd", "psgd", "auto", "omp", "ncvx-lp"};
    (void)state;
    for (int k = 0; k < 6; k++)
        for (int by_time = 0; by_time < 2; by_time++) {
            spgm_options *options = options_for(methods[k], "l1");
            struct whole whole;
            struct watched all = {.whole = &whole, .stops_after = by_time ? 1000000 : 2, .time_limit = "inf"};
            struct group group;
            make_whole(&whole, "l1", 3);
            whole.options = options;
            all.time_limit = by_time ? "0" : "inf";
            group_init(&group, 3);
            cut(&whole, 3, k % CUTS);
            group_run(&group, solve_watched, &all);
            assert_int_equal(group.has_mismatch, 0);
            for (int rank = 0; rank < 3; rank++) {
                assert_int_equal(all.error[rank], SPGM_OK);
                assert_int_equal(all.outcome[rank], by_time ? SPGM_TIME_LIMIT : SPGM_INTERRUPTED);
                assert_int_equal(all.support[rank], all.support[0]);
            }
            assert_true(by_time || all.calls[0] >= 2);
            assert_int_equal(all.calls[1] + all.calls[2], 0);
            group_free(&group);
            spgm_options_free(options);
            free_whole(&whole);
        }
}

/* Process 1 gets something else; every process returns the same code, and a sentence with the word. */
static void expect_error(struct whole *whole, spgm_error error, const char *word) {
    struct group group;
    group_init(&group, 3);
    cut(whole, 3, 0);
    group_run(&group, solve_part, whole);
    assert_int_equal(group.has_mismatch, 0);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(whole->got[k].error, error);
        assert_string_equal(whole->got[k].status.message, whole->got[0].status.message);
        if (strstr(whole->got[k].status.message, word) == NULL)
            fail_msg("'%s' is not in: %s", word, whole->got[k].status.message);
    }
    group_free(&group);
}

static void errors_are_everybodys(void **state) {
    spgm_options *options = options_for("omp", "hinge");
    struct whole whole;
    (void)state;
    make_whole(&whole, "hinge", 3);
    whole.options = options;
    whole.A[ROWS / 2] = NAN;
    expect_error(&whole, SPGM_ERROR_DATA, "process 1: A is not a number");
    whole.A[ROWS / 2] = 1;
    whole.b[ROWS - 1] = 7;
    expect_error(&whole, SPGM_ERROR_DATA, "more than two values");
    whole.b[ROWS - 1] = 1;
    whole.sparsity = COLUMNS + 1;
    expect_error(&whole, SPGM_ERROR_ARGUMENT, "sparsity");
    whole.sparsity = SPARSITY;
    assert_int_equal(spgm_options_set(options, "method", "diht", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "ridge", "0", NULL), SPGM_OK);
    expect_error(&whole, SPGM_ERROR_UNSUPPORTED, "ridge");
    assert_int_equal(spgm_options_set(options, "method", "exact", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "memory_limit", "1", NULL), SPGM_OK);
    whole.rows = 0; /* nobody has any */
    expect_error(&whole, SPGM_ERROR_ARGUMENT, "no process has any row of A");
    spgm_options_free(options);
    free_whole(&whole);
}

static void solve_differently(struct group_member *me, void *context) {
    struct whole mine = *(struct whole *)context;
    struct whole *whole = context;
    spgm_options *options = spgm_options_copy(whole->options);
    if (me->rank == 1 && whole->is_sparse == 0)
        assert_int_equal(spgm_options_set(options, "seed", "9", NULL), SPGM_OK);
    mine.options = options;
    mine.sparsity += me->rank == 1 && whole->is_sparse;
    solve_part(me, &mine);
    whole->got[me->rank].error = mine.got[me->rank].error;
    whole->got[me->rank].status = mine.got[me->rank].status;
    spgm_options_free(options);
}

static void differences_are_refused(void **state) {
    spgm_options *options = options_for("omp", "l1");
    struct whole whole;
    (void)state;
    make_whole(&whole, "l1", 3);
    whole.options = options;
    for (int by = 0; by < 2; by++) {
        struct group group;
        whole.is_sparse = by;
        group_init(&group, 3);
        cut(&whole, 3, 0);
        group_run(&group, solve_differently, &whole);
        assert_int_equal(group.has_mismatch, 0);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(whole.got[k].error, SPGM_ERROR_ARGUMENT);
            assert_non_null(strstr(whole.got[k].status.message, "the calls of the processes differ"));
        }
        group_free(&group);
    }
    spgm_options_free(options);
    free_whole(&whole);
}

/* The communicator fails after n calls: every process ends and says so. */
static void failures_end_all(void **state) {
    static const char *const methods[] = {"spgm-bcd", "auto", "ncvx-lp", "omp"};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (long n = 1; n < SHARE(3000, 100); n = 3 * n + k) {
            spgm_options *options = options_for(methods[k], "l1");
            struct whole whole;
            struct group group;
            make_whole(&whole, "l1", 3);
            whole.options = options;
            group_init(&group, 3);
            group.fails_after = n;
            cut(&whole, 3, 1);
            group_run(&group, solve_part, &whole);
            for (int rank = 0; rank < 3; rank++)
                assert_int_equal(whole.got[rank].error, group.calls < n ? SPGM_OK : SPGM_ERROR_PROCESS);
            group_free(&group);
            spgm_options_free(options);
            free_whole(&whole);
        }
}

static void communicators_are_checked(void **state) {
    struct group group;
    struct group_member me = {&group, 0};
    struct whole whole;
    struct part part;
    spgm_problem *problem = NULL;
    spgm_communicator good, bad;
    spgm_status status;
    (void)state;
    group_init(&group, 1);
    good = group_communicator(&me);
    make_whole(&whole, "l1", 3);
    part = part_of(&whole, 0, ROWS);
    assert_int_equal(spgm_problem_new_distributed(&part.A, whole.b, NULL, NULL, &problem, &status),
                     SPGM_ERROR_ARGUMENT);
    bad = good, bad.sum = NULL;
    assert_int_equal(spgm_problem_new_distributed(&part.A, whole.b, NULL, &bad, &problem, &status),
                     SPGM_ERROR_ARGUMENT);
    bad = good, bad.rank = 1;
    assert_int_equal(spgm_problem_new_distributed(&part.A, whole.b, NULL, &bad, &problem, &status),
                     SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_problem_new_distributed(&part.A, whole.b, NULL, &good, NULL, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_problem_new_distributed(&part.A, whole.b, NULL, &good, &problem, NULL), SPGM_OK);
    spgm_problem_free(problem);
    part_free(&part);
    free_whole(&whole);
    group_free(&group);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(every_loss),
        cmocka_unit_test(everything_else),
        cmocka_unit_test(path_and_cv),
        cmocka_unit_test(samples),
        cmocka_unit_test(large_with_groups),
        cmocka_unit_test(process_0_stops_all),
        cmocka_unit_test(errors_are_everybodys),
        cmocka_unit_test(differences_are_refused),
        cmocka_unit_test(failures_end_all),
        cmocka_unit_test(communicators_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
