/*
 * The path: F never rises with s, is what the data give, is the optimum of every s on problems small enough to
 * enumerate, and does not depend on threads; limits, interrupts and wrong input.
 */
#define FIXTURE_SEED 41
#include "unit/model_fixture.h"

#include <float.h>
#include <inttypes.h>

#include "fake_clock.h"
#include "fit/fit.h"
#include "share.h"
#include "spgm/spgm.h"

enum { SMALL_ROWS = 10, SMALL_COLUMNS = 7, ROWS = 60, COLUMNS = 40 };

/* ---- instances -------------------------------------------------------------------------------------------------- */

struct instance {
    int64_t rows, columns;
    double *A, *b;
    spgm_matrix matrix;
};

/* b = A x + noise with heavy tails, x of three nonzeros; labels for a classifier. */
static struct instance make_instance(int64_t rows, int64_t columns, int is_classifier) {
    struct instance in = {.rows = rows, .columns = columns, .A = fixture_normals(rows * columns, 1)};

    in.b = fixture_normals(rows, 0.5);
    for (int64_t i = 0; i < rows; i++) {
        in.b[i] *= i % 7 == 0 ? 10 : 1;
        for (int64_t j = 0; j < 3; j++) {
            in.b[i] += (double)(j + 1) * in.A[i + (2 * j % columns) * rows];
        }
        if (is_classifier) {
            in.b[i] = in.b[i] > 0 ? 1 : -1;
        }
    }
    if (is_classifier) {
        in.b[0] = 1;
        in.b[1] = -1;
    }
    in.matrix = spgm_dense(rows, columns, in.A);
    return in;
}

static void free_instance(struct instance *in) {
    free(in->A);
    free(in->b);
}

static int is_classifier(const char *loss) {
    return strcmp(loss, "hinge") == 0 || strcmp(loss, "logistic") == 0 || strcmp(loss, "squared_hinge") == 0;
}

/* Pairs of name and value, then NULL. */
static spgm_options *make_options(const char *const *pairs) {
    spgm_options *options = spgm_options_new();

    assert_non_null(options);
    for (; *pairs; pairs += 2) {
        assert_int_equal(spgm_options_set(options, pairs[0], pairs[1], NULL), SPGM_OK);
    }
    return options;
}

static spgm_path *run_path(const spgm_problem *problem, const spgm_options *options, int64_t from, int64_t to) {
    int64_t *list = calloc((size_t)(to - from + 1), sizeof *list);
    spgm_path *path = NULL;
    spgm_status status;

    for (int64_t s = from; s <= to; s++) {
        list[s - from] = s;
    }
    if (spgm_path_new(problem, list, to - from + 1, options, &path, &status) != SPGM_OK ||
        spgm_path_run(path, &status) != SPGM_OK) {
        fail_msg("%s", status.message);
    }
    free(list);
    return path;
}

/* ---- F by the book ---------------------------------------------------------------------------------------------- */

static double book_loss(const char *loss, int64_t rows, const double *r, const double *b) {
    double sum = 0, top = 0;

    for (int64_t i = 0; i < rows; i++) {
        double size = fabs(r[i]), margin = b[i] * (r[i] + b[i]), short_of = margin < 1 ? 1 - margin : 0;

        top = size > top ? size : top;
        if (strcmp(loss, "l1") == 0) {
            sum += size;
        } else if (strcmp(loss, "quantile") == 0) { /* tau 0.3, r = prediction - target */
            sum += r[i] > 0 ? 0.7 * r[i] : -0.3 * r[i];
        } else if (strcmp(loss, "epsilon") == 0) { /* 0.2 */
            sum += size > 0.2 ? size - 0.2 : 0;
        } else if (strcmp(loss, "hinge") == 0) {
            sum += short_of;
        } else if (strcmp(loss, "squared_hinge") == 0) {
            sum += short_of * short_of;
        } else if (strcmp(loss, "logistic") == 0) {
            sum += log1p(exp(-margin));
        } else if (strcmp(loss, "huber") == 0) { /* delta 1 */
            sum += size <= 1 ? size * size / 2 : size - 0.5;
        } else if (strcmp(loss, "squared") == 0) {
            sum += r[i] * r[i] / 2;
        } else {
            sum += r[i] * r[i];
        }
    }
    return strcmp(loss, "linf") == 0 ? top : strcmp(loss, "l2") == 0 ? sqrt(sum) : sum;
}

static double book_objective(const char *loss, const struct instance *in, const double *x, double intercept,
                             double ridge) {
    double *r = fixture_doubles(in->rows);
    double F = 0;

    for (int64_t i = 0; i < in->rows; i++) {
        r[i] = intercept - in->b[i];
        for (int64_t j = 0; j < in->columns; j++) {
            r[i] += in->A[i + j * in->rows] * x[j];
        }
    }
    for (int64_t j = 0; j < in->columns; j++) {
        F += ridge / 2 * x[j] * x[j];
    }
    F += book_loss(loss, in->rows, r, in->b);
    free(r);
    return F;
}

static const char *const losses[] = {"l1",      "quantile", "hinge",    "epsilon",       "linf", "l2",
                                     "squared", "huber",    "logistic", "squared_hinge", NULL};
enum { LOSSES = sizeof losses / sizeof *losses - 1 };

/* ---- F of the path ---------------------------------------------------------------------------------------------- */

static void check_points(const spgm_path *path, const char *loss, const struct instance *in, double ridge) {
    double *x = fixture_doubles(in->columns);
    double last = INFINITY;

    for (int64_t i = 0; i < spgm_path_count(path); i++) {
        double intercept;
        spgm_info info;
        int64_t s = spgm_path_get(path, i, x, &intercept, &info), nonzeros = 0;

        for (int64_t j = 0; j < in->columns; j++) {
            nonzeros += x[j] != 0;
        }
        assert_true(nonzeros <= s && nonzeros == info.support);
        assert_near(info.objective, book_objective(loss, in, x, intercept, ridge), 1e-12 * fabs(info.objective));
        assert_true(info.objective <= last);
        assert_true(info.objective == info.loss_value + info.smooth_value);
        assert_true(info.bound <= info.objective * (1 + 1e-12) && info.outcome != SPGM_NOT_RUN);
        assert_true(info.restarts >= 1 && info.agreeing >= 0 && info.agreeing <= info.restarts);
        last = info.objective;
    }
    free(x);
}

static void f_is_what_the_data_give_and_never_rises(void **state) {
    (void)state;
    PLAIN_ONLY();
    for (int i = 0; losses[i]; i++) {
        const char *const pairs[] = {"loss",    losses[i], "quantile", "0.3", "epsilon",     "0.2",
                                     "threads", "1",       "ridge",    "0.1", "standardize", i % 2 ? "true" : "false",
                                     "effort",  "2",       "delta",    "1",   NULL};
        struct instance in = make_instance(ROWS, COLUMNS, is_classifier(losses[i]));
        spgm_options *options = make_options(pairs);
        spgm_problem *problem = NULL;
        spgm_path *path;

        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        path = run_path(problem, options, 0, 12);
        check_points(path, losses[i], &in, 0.1);
        spgm_path_free(path);
        spgm_problem_free(problem);
        spgm_options_free(options);
        free_instance(&in);
    }
}

/* Every method of the library can be asked for; with gaps in the list, in any order. */
static void every_method_makes_a_path(void **state) {
    int64_t list[] = {9, 0, 40, 3};
    struct instance in = make_instance(ROWS, COLUMNS, 0);

    (void)state;
    for (int64_t i = 0; i < spgm_method_count(); i++) {
        const char *const pairs[] = {
            "method", spgm_method_name(i), "max_iterations", "60",  "threads", "1", "polish", i % 2 ? "true" : "false",
            "effort", SHARE("0", "1"),     "ridge",          "0.1", /* diht needs one */
            NULL};
        spgm_options *options = make_options(pairs);
        spgm_problem *problem = NULL;
        spgm_path *path = NULL;
        spgm_status status;

        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_path_new(problem, list, 4, options, &path, &status), SPGM_OK);
        assert_int_equal(spgm_path_run(path, &status), SPGM_OK);
        assert_int_equal(spgm_path_get(path, 0, NULL, NULL, NULL), 0);
        assert_int_equal(spgm_path_get(path, 1, NULL, NULL, NULL), 3);
        assert_int_equal(spgm_path_get(path, 2, NULL, NULL, NULL), 9);
        assert_int_equal(spgm_path_get(path, 3, NULL, NULL, NULL), 40);
        assert_int_equal(spgm_path_get(path, 4, NULL, NULL, NULL), -1);
        check_points(path, "l1", &in, 0.1);
        spgm_path_free(path);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
    free_instance(&in);
}

/* Methods that prove nothing have a bound of every model where all columns together do not fit the rows: it is not
 * above the optimum, and no worse for few columns than for many. */
static void paths_of_every_method_have_bounds(void **state) {
    struct instance in = make_instance(120, 12, 0);

    (void)state;
    for (int64_t i = 0; i < spgm_method_count(); i++) {
        const char *const pairs[] = {"method", spgm_method_name(i), "threads", "1", "effort", "1", NULL};
        spgm_options *options = make_options(pairs), *exact = make_options(pairs);
        spgm_problem *problem = NULL;
        spgm_path *path, *best;
        double above = INFINITY;

        if (strcmp(spgm_method_name(i), "diht") == 0) { /* has a bound of its own, and needs a ridge */
            spgm_options_free(options);
            spgm_options_free(exact);
            continue;
        }
        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_options_set(exact, "method", "exact", NULL), SPGM_OK);
        path = run_path(problem, options, 1, 4);
        best = run_path(problem, exact, 1, 4);
        for (int64_t k = 0; k < spgm_path_count(path); k++) {
            spgm_info info, optimum;

            spgm_path_get(path, k, NULL, NULL, &info);
            spgm_path_get(best, k, NULL, NULL, &optimum);
            assert_int_equal(optimum.outcome, SPGM_OPTIMAL);
            if (!(info.bound <= optimum.objective && info.bound > 0.3 * optimum.objective && info.bound <= above)) {
                fail_msg("%s, model %d: F = %g, bound %g, and the optimum is %g", spgm_method_name(i), (int)k,
                         info.objective, info.bound, optimum.objective);
            }
            above = info.bound;
        }
        spgm_path_free(path);
        spgm_path_free(best);
        spgm_problem_free(problem);
        spgm_options_free(options);
        spgm_options_free(exact);
    }
    free_instance(&in);
}

/* Too many rows for a proof of the rest, and short fits: the fit over all columns bounds every model, that of the path
 * and that of a fit of its s alone. A subgradient's iterations, which look at a few columns only, count. */
static void a_path_and_its_fits_have_bounds(void **state) {
    static const char *const methods[] = {"auto", "psgd"};
    struct instance in = make_instance(2000, 60, 0);

    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *const pairs[] = {"method", methods[k], "loss", "linf", "threads", "1", "effort", "1", NULL};
        spgm_options *options = make_options(pairs);
        spgm_problem *problem = NULL;
        spgm_path *path;

        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        path = run_path(problem, options, 2, 4);
        for (int64_t i = 0; i < spgm_path_count(path); i++) {
            double x[60];
            spgm_info info, alone;
            int64_t s = spgm_path_get(path, i, NULL, NULL, &info);

            assert_int_equal(spgm_solve(&in.matrix, in.b, s, options, x, NULL, &alone, NULL), SPGM_OK);
            if (!(isfinite(info.bound) && isfinite(alone.bound) && info.bound <= alone.objective * (1 + 1e-12) &&
                  alone.bound <= info.objective * (1 + 1e-12))) {
                fail_msg("%s, s = %d: F = %g and %g, bounds %g and %g", methods[k], (int)s, info.objective,
                         alone.objective, info.bound, alone.bound);
            }
        }
        spgm_path_free(path);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
    free_instance(&in);
}

/* ---- enumeration ------------------------------------------------------------------------------------------------ */

/* Gaussian elimination with pivots; 0 when singular. M [k x k] by rows, destroyed. */
static int solve_square(int k, double *M, double *y) {
    for (int c = 0; c < k; c++) {
        int pivot = c;

        for (int i = c + 1; i < k; i++) {
            pivot = fabs(M[i * k + c]) > fabs(M[pivot * k + c]) ? i : pivot;
        }
        if (fabs(M[pivot * k + c]) < 1e-12) {
            return 0;
        }
        for (int j = 0; j < k; j++) {
            double keep = M[c * k + j];
            M[c * k + j] = M[pivot * k + j];
            M[pivot * k + j] = keep;
        }
        double keep = y[c];
        y[c] = y[pivot];
        y[pivot] = keep;
        for (int i = c + 1; i < k; i++) {
            double factor = M[i * k + c] / M[c * k + c];
            for (int j = c; j < k; j++) {
                M[i * k + j] -= factor * M[c * k + j];
            }
            y[i] -= factor * y[c];
        }
    }
    for (int i = k - 1; i >= 0; i--) {
        for (int j = i + 1; j < k; j++) {
            y[i] -= M[i * k + j] * y[j];
        }
        y[i] /= M[i * k + i];
    }
    return 1;
}

static int members(unsigned set, int count, int *list) {
    int size = 0;

    for (int i = 0; i < count; i++) {
        if (set >> i & 1) {
            list[size++] = i;
        }
    }
    return size;
}

/* min ||A_S x - b||_1: some minimiser fits |S| of the rows exactly. Every choice of rows is tried. */
static double best_vertex(const struct instance *in, unsigned columns) {
    int S[SMALL_COLUMNS], rows[SMALL_ROWS], k = members(columns, SMALL_COLUMNS, S);
    double best = INFINITY;

    for (unsigned set = 0; set < 1u << SMALL_ROWS; set++) {
        double M[SMALL_COLUMNS * SMALL_COLUMNS], y[SMALL_COLUMNS] = {0}, x[SMALL_COLUMNS] = {0};

        if (__builtin_popcount(set) != k) {
            continue;
        }
        members(set, SMALL_ROWS, rows);
        for (int i = 0; i < k; i++) {
            y[i] = in->b[rows[i]];
            for (int j = 0; j < k; j++) {
                M[i * k + j] = in->A[rows[i] + S[j] * SMALL_ROWS];
            }
        }
        if (!solve_square(k, M, y)) {
            continue;
        }
        for (int j = 0; j < k; j++) {
            x[S[j]] = y[j];
        }
        best = fmin(best, book_objective("l1", in, x, 0, 0));
    }
    return best;
}

static void l1_paths_are_optimal_by_enumeration_of_vertices(void **state) {
    static const char *const pairs[] = {"intercept", "false", "threads", "1", NULL};
    spgm_options *options = make_options(pairs);

    (void)state;
    for (int trial = 0; trial < 6; trial++) {
        struct instance in = make_instance(SMALL_ROWS, SMALL_COLUMNS, 0);
        double best[SMALL_COLUMNS + 1];
        spgm_problem *problem = NULL;
        spgm_path *path;

        for (int s = 0; s <= SMALL_COLUMNS; s++) {
            best[s] = INFINITY;
        }
        for (unsigned columns = 0; columns < 1u << SMALL_COLUMNS; columns++) {
            int s = __builtin_popcount(columns);
            best[s] = fmin(best[s], best_vertex(&in, columns));
        }
        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        path = run_path(problem, options, 0, SMALL_COLUMNS);
        for (int s = 0; s <= SMALL_COLUMNS; s++) {
            spgm_info info;
            assert_int_equal(spgm_path_get(path, s, NULL, NULL, &info), s);
            assert_near(info.objective, best[s], 1e-8 * fabs(best[s]));
        }
        spgm_path_free(path);
        spgm_problem_free(problem);
        free_instance(&in);
    }
    spgm_options_free(options);
}

/* The optimum over a support by a fit, which carries its own proof. */
static double proven_best(const spgm_problem *problem, unsigned columns, int64_t n) {
    struct problem framed;
    struct fit_report report;
    double *z;
    int64_t support[16], size = 0;

    assert_int_equal(problem_frame(problem, 1, &framed, NULL), SPGM_OK);
    for (int64_t j = 0; j < framed.A->columns; j++) {
        if (j >= n || columns >> j & 1) {
            support[size++] = j;
        }
    }
    z = fixture_doubles(framed.A->columns);
    assert_int_equal(fit_once(&framed, size, support, z, &report, NULL, NULL, NULL), SPGM_OK);
    assert_at_most(report.gap, 1e-7);
    free(z);
    problem_unframe(&framed);
    return report.objective;
}

static void paths_of_every_loss_are_optimal_by_enumeration_of_supports(void **state) {
    enum { N = 6 };

    (void)state;
    for (int trial = 0; trial < 2 * LOSSES; trial++) {
        const char *loss = losses[trial % LOSSES];
        const char *const pairs[] = {"loss",  loss, "quantile", "0.3",  "epsilon", "0.2",
                                     "delta", "1",  "ridge",    "0.05", NULL};
        struct instance in = make_instance(14, N, is_classifier(loss));
        spgm_options *options = make_options(pairs);
        double best[N + 1];
        spgm_problem *problem = NULL;
        spgm_path *path;

        for (int s = 0; s <= N; s++) {
            best[s] = INFINITY;
        }
        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        for (unsigned columns = 0; columns < 1u << N; columns++) {
            int s = __builtin_popcount(columns);
            best[s] = fmin(best[s], proven_best(problem, columns, N));
        }
        path = run_path(problem, options, 0, N);
        for (int s = 0; s <= N; s++) {
            spgm_info info;
            assert_int_equal(spgm_path_get(path, s, NULL, NULL, &info), s);
            if (!(fabs(info.objective - best[s]) <= 1e-6 * fabs(best[s]) + 1e-9)) {
                fail_msg("%s, s = %d: the path has %.12g, the optimum is %.12g", loss, s, info.objective, best[s]);
            }
            assert_int_equal(info.outcome, SPGM_OPTIMAL); /* so few supports are all fitted */
            assert_near(info.bound, best[s], 1e-6 * fabs(best[s]) + 1e-9);
        }
        spgm_path_free(path);
        spgm_problem_free(problem);
        spgm_options_free(options);
        free_instance(&in);
    }
}

/* Whether a set of columns has at most s units, and at most `limit` columns of each group: pairs of columns, the last
 * one alone. */
static int fits_in(unsigned columns, int64_t n, int64_t limit, int s) {
    int units = 0;

    for (int64_t j = 0; j < n; j += 2) {
        int inside = (int)(columns >> j & 1) + (int)(columns >> (j + 1) & 1);

        if (limit > 0 && inside > limit) {
            return 0;
        }
        units += limit > 0 ? inside : inside > 0;
    }
    return units <= s;
}

/* Groups that count as one or are capped, and bounds: every s has its optimum, and no support breaks the rule. */
static void paths_in_a_feasible_set_are_optimal_by_enumeration_of_supports(void **state) {
    enum { N = 7 };
    static const int64_t groups[N] = {4, 4, 9, 9, 2, 2, -1};

    (void)state;
    for (int trial = 0; trial < 2 * LOSSES; trial++) {
        const char *loss = losses[trial % LOSSES];
        const char *const pairs[] = {"loss",  loss, "quantile", "0.3",  "epsilon", "0.2",
                                     "delta", "1",  "ridge",    "0.05", NULL};
        struct instance in = make_instance(16, N, is_classifier(loss));
        spgm_options *options = make_options(pairs);
        double lower[N] = {0}, upper[N], x[N], minimum[1 << N];
        int64_t limit = trial % 2;
        spgm_problem *problem = NULL;
        spgm_path *path;

        for (int j = 0; j < N; j++) {
            lower[j] = j % 3 == 0 ? 0 : -0.8;
            upper[j] = j % 3 == 1 ? 0.6 : INFINITY;
        }
        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_bounds(problem, lower, upper, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_groups(problem, groups, limit, NULL), SPGM_OK);
        for (unsigned columns = 0; columns < 1u << N; columns++) {
            minimum[columns] = fits_in(columns, N, limit, 4) ? proven_best(problem, columns, N) : INFINITY;
        }
        path = run_path(problem, options, 0, 4);
        for (int s = 0; s <= 4; s++) {
            double best = INFINITY;
            unsigned found = 0;
            spgm_info info;

            for (unsigned columns = 0; columns < 1u << N; columns++) {
                best = fits_in(columns, N, limit, s) ? fmin(best, minimum[columns]) : best;
            }
            assert_int_equal(spgm_path_get(path, s, x, NULL, &info), s);
            for (int j = 0; j < N; j++) {
                found |= (x[j] != 0 ? 1u : 0u) << j;
                assert_true(x[j] >= lower[j] && x[j] <= upper[j]);
            }
            assert_true(fits_in(found, N, limit, s));
            if (!(fabs(info.objective - best) <= 1e-6 * fabs(best) + 1e-9)) {
                fail_msg("%s, limit %d, s = %d: the path has %.12g, the optimum is %.12g", loss, (int)limit, s,
                         info.objective, best);
            }
        }
        spgm_path_free(path);
        spgm_problem_free(problem);
        spgm_options_free(options);
        free_instance(&in);
    }
}

/* ---- sparse data, free columns, weights -------------------------------------------------------------------------- */

static void sparse_weighted_and_free_columns_agree_with_dense(void **state) {
    static const char *const pairs[] = {"threads", "1", "ridge", "0.01", NULL};
    spgm_options *options = make_options(pairs);
    struct instance in = make_instance(40, 20, 0);
    int64_t start[21], free_columns[] = {7, 2};
    int32_t *rows = calloc(800, sizeof *rows);
    double *values = fixture_doubles(800), weights[40], x[2][20];
    spgm_matrix sparse;

    (void)state;
    for (int64_t j = 0; j < 20; j++) {
        start[j] = 40 * j;
        for (int64_t i = 0; i < 40; i++) {
            rows[40 * j + i] = (int32_t)i;
            values[40 * j + i] = in.A[40 * j + i];
        }
    }
    start[20] = 800;
    for (int i = 0; i < 40; i++) {
        weights[i] = 0.5 + i % 3;
    }
    sparse = spgm_sparse(40, 20, start, rows, values);
    for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
        spgm_problem *problem = NULL;
        spgm_path *path;
        spgm_info info;

        assert_int_equal(spgm_problem_new(is_sparse ? &sparse : &in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_weights(problem, weights, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_free_columns(problem, free_columns, 2, NULL), SPGM_OK);
        path = run_path(problem, options, 0, 20); /* more than the 18 that count: the last three are the same */
        assert_int_equal(spgm_path_get(path, 3, x[is_sparse], NULL, &info), 3);
        assert_int_equal(info.support, 3);
        assert_true(x[is_sparse][7] != 0 && x[is_sparse][2] != 0);
        spgm_path_free(path);
        spgm_problem_free(problem);
    }
    for (int j = 0; j < 20; j++) {
        assert_near(x[0][j], x[1][j], 1e-7);
    }
    free(rows);
    free(values);
    free_instance(&in);
    spgm_options_free(options);
}

/* ---- threads, limits, interrupts --------------------------------------------------------------------------------- */

/* Every product wakes the threads, however small it is; there are enough columns for three blocks. */
static void the_path_does_not_depend_on_threads(void **state) {
    enum { WIDE = 150 };
    struct instance in = make_instance(ROWS, WIDE, 0);
    double *x[2] = {fixture_doubles(WIDE), fixture_doubles(WIDE)};
    spgm_path *paths[2];
    spgm_problem *problem = NULL;

    (void)state;
    assert_int_equal(spgm_problem_new(&in.matrix, in.b, NULL, &problem, NULL), SPGM_OK);
    for (int k = 0; k < 2; k++) {
        const char *const pairs[] = {"threads", k ? "3" : "1", "effort", SHARE("2", "1"), NULL};
        spgm_options *options = make_options(pairs);
        long long before = wakes;

        wake_always = 1;
        paths[k] = run_path(problem, options, 1, 10);
        wake_always = 0;
        assert_true(k ? wakes > before + 10 : wakes == before);
        spgm_options_free(options);
    }
    for (int64_t i = 0; i < 10; i++) {
        double intercept[2];
        spgm_path_get(paths[0], i, x[0], &intercept[0], NULL);
        spgm_path_get(paths[1], i, x[1], &intercept[1], NULL);
        assert_memory_equal(x[0], x[1], WIDE * sizeof(double));
        assert_memory_equal(&intercept[0], &intercept[1], sizeof(double));
    }
    for (int k = 0; k < 2; k++) {
        spgm_path_free(paths[k]);
        free(x[k]);
    }
    spgm_problem_free(problem);
    free_instance(&in);
}

struct watcher {
    int64_t calls, stop_after, last;
    double fraction;
};

static int watch(const spgm_progress *progress, void *context) {
    struct watcher *watcher = context;

    watcher->calls++;
    assert_true(progress->iteration >= watcher->last && progress->fraction >= watcher->fraction &&
                progress->fraction < 1 && progress->seconds >= 0 && progress->method != NULL);
    watcher->last = progress->iteration;
    watcher->fraction = progress->fraction;
    return watcher->calls == watcher->stop_after;
}

/* Stopped after any number of calls, the path is whole, feasible, and F does not rise. */
static void an_interrupted_path_is_whole(void **state) {
    struct instance in = make_instance(ROWS, COLUMNS, 0);
    spgm_problem *problem = NULL;
    int64_t list[12];

    (void)state;
    for (int i = 0; i < 12; i++) {
        list[i] = i;
    }
    assert_int_equal(spgm_problem_new(&in.matrix, in.b, NULL, &problem, NULL), SPGM_OK);
    for (int64_t stop_after = 1; stop_after < 60; stop_after += stop_after < 10 ? 1 : 11) {
        struct watcher watcher = {.stop_after = stop_after};
        spgm_path *path = NULL;
        double last = INFINITY;
        spgm_info info;

        assert_int_equal(spgm_path_new(problem, list, 12, NULL, &path, NULL), SPGM_OK);
        spgm_path_set_progress(path, watch, &watcher);
        assert_int_equal(spgm_path_run(path, NULL), SPGM_OK);
        assert_true(watcher.calls == stop_after || (watcher.calls < stop_after && stop_after > 20));
        for (int64_t i = 0; i < 12; i++) {
            spgm_path_get(path, i, NULL, NULL, &info);
            assert_true(isfinite(info.objective) && info.objective <= last && info.outcome != SPGM_NOT_RUN);
            assert_true(info.support <= i);
            last = info.objective;
        }
        assert_true(stop_after > 5 || info.outcome == SPGM_INTERRUPTED);
        spgm_path_free(path);
    }
    spgm_problem_free(problem);
    free_instance(&in);
}

/* By the clock of this test a reading takes a millisecond: however early the time is over, the path is whole, and it
 * ends within a few readings of each s. */
static void a_path_out_of_time_is_whole(void **state) {
    struct instance in = make_instance(ROWS, COLUMNS, 0);

    (void)state;
    clock_step = 1e-3;
    for (double limit = 0; limit < 0.3; limit = 3 * limit + 0.01) {
        spgm_options *options = make_options((const char *const[]){"threads", "1", NULL});
        spgm_problem *problem = NULL;
        spgm_path *path;
        spgm_info info;
        double last = INFINITY;

        assert_int_equal(spgm_options_set_number(options, "time_limit", limit, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        path = run_path(problem, options, 1, 9);
        spgm_path_get(path, 8, NULL, NULL, &info);
        assert_int_equal(info.outcome, SPGM_TIME_LIMIT);
        for (int64_t i = 0; i < 9; i++) {
            spgm_path_get(path, i, NULL, NULL, &info);
            assert_true(isfinite(info.objective) && info.objective <= last && info.support <= i + 1);
            last = info.objective;
        }
        print_message("limit %g s: %g s\n", limit, spgm_path_seconds(path));
        /* what the reports on the models take is set aside: at most half of the time */
        assert_true(spgm_path_seconds(path) >= limit / 2 && spgm_path_seconds(path) <= 1.02 * limit + 0.05);
        spgm_path_free(path);
        spgm_problem_free(problem);
        spgm_options_free(options);
    }
    clock_step = 1e-6;
    free_instance(&in);
}

/* ---- criteria --------------------------------------------------------------------------------------------- */

static double book_binomial(int n, int k) {
    double value = 1;

    for (int i = 0; i < k; i++) {
        value = value * (n - i) / (i + 1);
    }
    return log(value);
}

/* Twice the negative log-likelihood of the density that belongs to the epsilon loss, minimised by brute force. */
static double book_epsilon(double m, double L) {
    double best = INFINITY;

    for (double t = 1e-4; t < 100; t *= 1.0001) {
        best = fmin(best, 2 * m * log(2 * (0.2 + t)) + 2 * L / t);
    }
    return best;
}

/* The same for Huber's, whose density is added up. */
static double book_huber(double m, double L) {
    double best = INFINITY, step = 0.02;

    for (double t = 0.01; t < 20; t *= 1.003) {
        double whole = 0;

        for (double r = step / 2; r < 60 * (1 + t); r += step * (1 + r)) { /* at the middle of intervals that grow */
            double next = r + step * (1 + r), at = (r + next) / 2;
            whole += 2 * (next - r) * exp(-(at <= 1 ? at * at / 2 : at - 0.5) / t);
        }
        whole += step; /* what is left out at zero */
        best = fmin(best, 2 * m * log(whole) + 2 * L / t);
    }
    return best;
}

static double book_misfit(const char *loss, double m, double L) {
    return strcmp(loss, "linf") == 0      ? 2 * m * log(L)
           : strcmp(loss, "l2") == 0      ? m * log(L * L / m)
           : strcmp(loss, "squared") == 0 ? m * log(2 * L / m)
           : is_classifier(loss)          ? 2 * L
           : strcmp(loss, "epsilon") == 0 ? book_epsilon(m, L)
           : strcmp(loss, "huber") == 0   ? book_huber(m, L)
                                          : 2 * m * log(L / m);
}

static void criteria_follow_their_formulas(void **state) {
    enum { N = 12, M = 40 };

    (void)state;
    PLAIN_ONLY();
    for (int l = 0; losses[l]; l++) {
        const char *const pairs[] = {"loss", losses[l], "quantile", "0.3", "epsilon", "0.2", "delta", "1", NULL};
        struct instance in = make_instance(M, N, is_classifier(losses[l]));
        spgm_options *options = make_options(pairs);
        double bic[7], ebic[7], gic[7], factor = strcmp(losses[l], "linf") == 0 ? 2 : 1;
        double near = strcmp(losses[l], "huber") == 0 ? 2e-3 : 1e-5; /* of a sum over the density */
        spgm_problem *problem = NULL;
        spgm_path *path;
        int64_t lowest;

        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        path = run_path(problem, options, 0, 6);
        assert_int_equal(spgm_path_criterion(path, "bic", bic, NULL, NULL), SPGM_OK);
        assert_int_equal(spgm_path_criterion(path, "gic", gic, &lowest, NULL), SPGM_OK);
        assert_int_equal(spgm_path_criterion(path, "ebic", ebic, &lowest, NULL), SPGM_OK);
        for (int64_t i = 0; i < 7; i++) {
            spgm_info info;
            double k, D;

            spgm_path_get(path, i, NULL, NULL, &info);
            k = (double)info.support + 1;
            D = book_misfit(losses[l], M, info.loss_value);
            assert_near(bic[i], D + factor * k * log(M), near * (fabs(D) + 1));
            assert_near(gic[i], D + factor * k * log(log(M)) * log(N), near * (fabs(D) + 1));
            assert_near(ebic[i] - bic[i], 2 * book_binomial(N, (int)info.support), 1e-9 * (fabs(D) + 1));
            assert_true(ebic[i] >= ebic[lowest]);
        }
        spgm_path_free(path);
        spgm_problem_free(problem);
        spgm_options_free(options);
        free_instance(&in);
    }
}

/* Nonzero: F at place i of a path that begins at s = 0 is zero but for rounding. */
static int fits_perfectly(const spgm_path *path, int64_t i) {
    spgm_info none, some;

    spgm_path_get(path, 0, NULL, NULL, &none);
    spgm_path_get(path, i, NULL, NULL, &some);
    return some.objective <= 1e-12 * none.objective;
}

static double support_at(const spgm_path *path, int64_t i) {
    spgm_info info;

    spgm_path_get(path, i, NULL, NULL, &info);
    return (double)info.support;
}

/* Rows without weight are no rows, columns that are never in are no candidates, and weights of any size mean the same.
 */
static void criteria_count_what_counts(void **state) {
    enum { M = 30, N = 8, MORE = 9 };
    static const int64_t excluded[] = {N, N + 1};
    static const char *const names[] = {"bic", "ebic", "gic"};

    (void)state;
    for (int l = 0; losses[l]; l++) {
        const char *const pairs[] = {"loss", losses[l], "quantile", "0.3", "epsilon", "0.2", "delta", "1", NULL};
        struct instance in = make_instance(M + MORE, N + 2, is_classifier(losses[l]));
        spgm_matrix part = spgm_dense(M, N, in.A);
        spgm_options *options = make_options(pairs);
        spgm_problem *few = NULL, *many = NULL;
        spgm_path *path[2];
        double weights[M + MORE] = {0};

        part.leading_dimension = M + MORE;
        for (int i = 0; i < M; i++) {
            weights[i] = 3;
        }
        assert_int_equal(spgm_problem_new(&part, in.b, options, &few, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &many, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_excluded(many, excluded, 2, NULL), SPGM_OK);
        if (spgm_problem_set_weights(many, weights, NULL) == SPGM_OK) { /* a norm takes none */
            path[0] = run_path(few, options, 0, 5);
            path[1] = run_path(many, options, 0, 5);
            for (int k = 0; k < 3; k++) {
                double values[2][6];

                assert_int_equal(spgm_path_criterion(path[0], names[k], values[0], NULL, NULL), SPGM_OK);
                assert_int_equal(spgm_path_criterion(path[1], names[k], values[1], NULL, NULL), SPGM_OK);
                for (int i = 0; i < 6; i++) {
                    double by_columns = 0;

                    assert_int_equal(fits_perfectly(path[0], i), fits_perfectly(path[1], i));
                    if (fits_perfectly(path[0], i)) { /* how many columns do is chance once fewer do: bic counts them */
                        by_columns = k == 0 ? log(M) * (support_at(path[1], i) - support_at(path[0], i)) : NAN;
                    }
                    if (!isnan(by_columns)) {
                        assert_near(values[1][i], values[0][i] + by_columns, 1e-6 * (1 + fabs(values[0][i])));
                    }
                }
            }
            spgm_path_free(path[0]);
            spgm_path_free(path[1]);
        } else {
            assert_true(strcmp(losses[l], "linf") == 0 || strcmp(losses[l], "l2") == 0);
        }
        spgm_problem_free(few);
        spgm_problem_free(many);
        spgm_options_free(options);
        free_instance(&in);
    }
}

/* Strong signal of three columns: the criteria for robust losses find it, whatever the outliers. */
static void criteria_find_the_true_size(void **state) {
    static const char *const names[] = {"bic", "ebic", "gic"};
    struct instance in = make_instance(200, 15, 0);
    spgm_problem *problem = NULL;
    spgm_path *path;

    (void)state;
    assert_int_equal(spgm_problem_new(&in.matrix, in.b, NULL, &problem, NULL), SPGM_OK);
    path = run_path(problem, NULL, 0, 10);
    for (int i = 1; i < 3; i++) {
        int64_t lowest = -1;
        assert_int_equal(spgm_path_criterion(path, names[i], NULL, &lowest, NULL), SPGM_OK);
        assert_int_equal(lowest, 3);
    }
    spgm_path_free(path);
    spgm_problem_free(problem);
    free_instance(&in);
}

/* ---- what is refused -------------------------------------------------------------------------------------- */

static void refuse(const spgm_problem *problem, const int64_t *list, int64_t count, const char *sentence) {
    spgm_path *path = NULL;
    spgm_status status;

    assert_int_equal(spgm_path_new(problem, list, count, NULL, &path, &status), SPGM_ERROR_ARGUMENT);
    assert_null(path);
    assert_string_equal(status.message, sentence);
}

static void what_is_wrong_is_said(void **state) {
    struct instance in = make_instance(SMALL_ROWS, SMALL_COLUMNS, 0);
    int64_t twice[] = {3, 5, 3}, high[] = {1, 8}, low[] = {-1};
    spgm_problem *problem = NULL;
    spgm_path *path = NULL;
    spgm_status status;
    double x[SMALL_COLUMNS], intercept;
    spgm_info info;

    (void)state;
    assert_int_equal(spgm_problem_new(&in.matrix, in.b, NULL, &problem, NULL), SPGM_OK);
    refuse(NULL, low, 1, "spgm_path_new needs a problem and a place for the path");
    refuse(problem, twice, 3, "the sparsity 3 is in the list twice: each may appear once");
    refuse(problem, high, 2,
           "sparsity 2 of the list is 8: it must be at least 0 and at most the 7 columns of the data");
    refuse(problem, low, 1,
           "sparsity 1 of the list is -1: it must be at least 0 and at most the 7 columns of the data");
    refuse(problem, low, 0, "the list of sparsities is empty: give at least one number of nonzeros");
    refuse(problem, NULL, 2, "the list of sparsities is empty: give at least one number of nonzeros");
    assert_int_equal(spgm_path_new(problem, twice, 2, NULL, &path, &status), SPGM_OK);
    assert_int_equal(spgm_path_get(path, 0, x, &intercept, &info), 3);
    assert_true(info.outcome == SPGM_NOT_RUN && x[0] == 0 && intercept == 0);
    assert_int_equal(spgm_path_criterion(path, "bic", x, NULL, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "the path has not run: call spgm_path_run before the criterion");
    assert_int_equal(spgm_path_criterion(path, "aic", x, NULL, &status), SPGM_ERROR_OPTION);
    assert_string_equal(status.message, "there is no criterion 'aic': it must be one of bic|ebic|gic");
    spgm_path_free(path);
    spgm_path_free(NULL);
    spgm_problem_free(problem);
    free_instance(&in);
}

/* 8,000 x 500 numbers are large: one bounded run for each s, from the model below it. */
static void a_path_over_large_data_finds_what_is_planted(void **state) {
    (void)state;
    static const char *const sums[] = {"l1", "linf"};
    struct instance in = make_instance(8000, 500, 0);

    for (int k = 0; k < 2; k++) {
        spgm_options *options = make_options((const char *[]){"loss", sums[k], "ridge", "0", "effort", "1", NULL});
        spgm_problem *problem = NULL;
        spgm_path *path;
        spgm_info info;
        double *x = fixture_doubles(in.columns);

        assert_int_equal(spgm_problem_new(&in.matrix, in.b, options, &problem, NULL), SPGM_OK);
        path = run_path(problem, options, 2, 4);
        check_points(path, sums[k], &in, 0);
        spgm_path_get(path, 1, x, NULL, &info);
        assert_int_equal(info.restarts, 1);
        for (int64_t j = 0; k == 0 && j < 3; j++) { /* the largest rows of linf are noise */
            assert_true(fabs(x[2 * j] - (double)(j + 1)) < 0.1);
        }
        spgm_path_free(path);
        spgm_problem_free(problem);
        spgm_options_free(options);
        free(x);
    }
    free_instance(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f_is_what_the_data_give_and_never_rises),
        cmocka_unit_test(every_method_makes_a_path),
        cmocka_unit_test(paths_of_every_method_have_bounds),
        cmocka_unit_test(a_path_and_its_fits_have_bounds),
        cmocka_unit_test(l1_paths_are_optimal_by_enumeration_of_vertices),
        cmocka_unit_test(paths_of_every_loss_are_optimal_by_enumeration_of_supports),
        cmocka_unit_test(paths_in_a_feasible_set_are_optimal_by_enumeration_of_supports),
        cmocka_unit_test(sparse_weighted_and_free_columns_agree_with_dense),
        cmocka_unit_test(the_path_does_not_depend_on_threads),
        cmocka_unit_test(an_interrupted_path_is_whole),
        cmocka_unit_test(a_path_out_of_time_is_whole),
        cmocka_unit_test(criteria_follow_their_formulas),
        cmocka_unit_test(criteria_count_what_counts),
        cmocka_unit_test(criteria_find_the_true_size),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(a_path_over_large_data_finds_what_is_planted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
