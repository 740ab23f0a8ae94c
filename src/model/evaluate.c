/* F and feasibility from the data as the user gave them: plain loops and counts that share nothing with what the
 * methods use. Residuals are summed as if in twice the precision: their terms may be many orders of magnitude larger
 * than they are. */
#include <inttypes.h>
#include <math.h>

#include "linalg/accurate.h"
#include "linalg/matrix.h"
#include "model/constants.h"
#include "model/line.h"
#include "model/problem.h"

static void add_column(const spgm_matrix *A, int64_t j, double coefficient, struct accurate *sum) {
    for (int64_t i = 0; A->column_start == NULL && i < A->rows; i++) {
        accurate_add_product(&sum[i], coefficient, matrix_entry(A, i, j));
    }
    for (int64_t k = A->column_start == NULL ? 0 : A->column_start[j];
         A->column_start != NULL && k < A->column_start[j + 1]; k++) {
        accurate_add_product(&sum[A->row_index[k]], coefficient, A->values[k]);
    }
}

/* Where a row lies together, row by row: columns would each take a pass. */
static void add_rows(const spgm_matrix *A, int64_t count, const int64_t *columns, const double *values,
                     struct accurate *sum) {
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t k = 0; k < count; k++) {
            accurate_add_product(&sum[i], values[k], matrix_entry(A, i, columns[k]));
        }
    }
}

/* x by its nonzeros. */
struct nonzeros {
    int64_t count;
    const int64_t *columns; /* [count] ascending */
    const double *values;   /* [count]           */
};

/* sum = M x + constant                                                   sum [rows] */
static void multiply(const spgm_matrix *M, struct nonzeros x, double constant, struct accurate *sum) {
    for (int64_t i = 0; i < M->rows; i++) {
        sum[i] = (struct accurate){constant, 0};
    }
    if (M->by_rows) {
        add_rows(M, x.count, x.columns, x.values, sum);
    }
    for (int64_t k = 0; !M->by_rows && k < x.count; k++) {
        add_column(M, x.columns[k], x.values[k], sum);
    }
}

/* a_j'u for the column j of M and u in twice the precision */
static double product(const spgm_matrix *M, int64_t j, const struct accurate *u) {
    int64_t first = M->column_start == NULL ? 0 : M->column_start[j];
    int64_t last = M->column_start == NULL ? M->rows : M->column_start[j + 1];
    struct accurate total = {0, 0};

    for (int64_t k = first; k < last; k++) {
        double entry = M->column_start == NULL ? matrix_entry(M, k, j) : M->values[k];

        accurate_add_product(&total, entry, accurate_value(u[M->column_start == NULL ? k : M->row_index[k]]));
    }
    return accurate_value(total);
}

/* How many sums a residual takes. */
static int64_t sums_of(const spgm_matrix *M) {
    return M->normal == NULL || M->normal->root.rows < M->rows ? M->rows : M->normal->root.rows;
}

/* r = M x + constant - target; sum [sums_of(M)] is scratch */
static void residual(const spgm_matrix *M, struct nonzeros x, double constant, const double *target,
                     struct accurate *sum, double *r) {
    if (M->normal != NULL) { /* without a constant */
        multiply(&M->normal->root, x, 0, sum);
        for (int64_t i = 0; i < M->rows; i++) {
            r[i] = product(&M->normal->root, i, sum) - (target == NULL ? 0 : target[i]);
        }
        return;
    }
    multiply(M, x, constant, sum);
    for (int64_t i = 0; i < M->rows; i++) {
        if (target != NULL) {
            accurate_add(&sum[i], -target[i]);
        }
        r[i] = accurate_value(sum[i]);
    }
}

/* phi(x); it takes x as a vector. */
static spgm_error term_part(const spgm_problem *problem, struct nonzeros x, double *value, spgm_status *status) {
    struct workspace workspace = {.memory = problem->A.memory};
    double *whole = workspace_doubles(&workspace, problem->A.columns);
    struct accurate *sum = workspace_array(&workspace, problem->C.rows, sizeof *sum);
    double *r = workspace_doubles(&workspace, problem->C.rows);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    for (int64_t k = 0; error == SPGM_OK && k < x.count; k++) {
        whole[x.columns[k]] = x.values[k];
    }
    if (error == SPGM_OK) {
        residual(&problem->C, x, 0, NULL, sum, r); /* C x */
        *value = problem->term->formula(problem->C.rows, whole, r, problem->d);
    }
    workspace_free(&workspace);
    return error;
}

static spgm_error smooth_part(const spgm_problem *problem, struct nonzeros x, double *value, spgm_status *status) {
    double squares = 0;
    double linear = 0;
    double term = 0;
    spgm_error error = problem->term == NULL ? SPGM_OK : term_part(problem, x, &term, status);

    for (int64_t k = 0; k < x.count; k++) {
        squares += problem->options.ridge == 0 ? 0 : problem_ridge(problem, x.columns[k]) * x.values[k] * x.values[k];
        linear += problem->linear == NULL ? 0 : problem->linear[x.columns[k]] * x.values[k];
    }
    *value = 0.5 * squares + linear + term;
    return error;
}

/* The lowest h(t (r + b) - b) over 0 <= t <= MOST_OF_SCORES, nearly; r = scores - b is overwritten, scores [rows] is
 * scratch. */
static double at_best_multiple(const struct loss *h, double *r, const double *b, double *scores) {
    double t = 1;

    for (int64_t i = 0; i < h->rows; i++) {
        scores[i] = r[i] + b[i];
        r[i] = -b[i];
    }
    return line_minimise(h, r, scores, (struct parabola){0}, 0, MOST_OF_SCORES, STEPS_OF_SCORES, INFINITY, &t);
}

/* h(r) through the loss of the library at unit scale; labels become -1 and +1. is_judged: as problem_judge has it. */
static spgm_error loss_part(const spgm_problem *problem, struct nonzeros x, double intercept, int is_judged,
                            double *value, spgm_status *status) {
    struct workspace workspace = {.memory = problem->A.memory};
    struct loss h = {0};
    const double *b = problem_loss(problem, &workspace, &h);
    int has_multiple = is_judged && problem->loss->is_of_sign;
    struct accurate *sum = workspace_array(&workspace, sums_of(&problem->A), sizeof *sum);
    double *r = workspace_doubles(&workspace, problem->A.rows);
    double *scores = workspace_doubles(&workspace, has_multiple ? problem->A.rows : 0);
    spgm_error error;

    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    } else {
        residual(&problem->A, x, intercept, b, sum, r);
        h.reduce = problem->reduce;
        *value = has_multiple ? at_best_multiple(&h, r, b, scores) : h.ops->value(&h, r);
        error = SPGM_OK;
    }
    workspace_free(&workspace);
    return error;
}

spgm_error problem_evaluate(const struct spgm_problem *problem, int64_t count, const int64_t *columns,
                            const double *values, double intercept, double *objective, double *loss_value,
                            double *smooth_value, spgm_status *status) {
    struct nonzeros x = {count, columns, values};
    double loss = 0;
    double smooth = 0;
    spgm_error error = loss_part(problem, x, intercept, 0, &loss, status);

    error = error == SPGM_OK ? smooth_part(problem, x, &smooth, status) : error;
    if (error != SPGM_OK) {
        return error;
    }
    if (objective != NULL) {
        *objective = loss + smooth;
    }
    if (loss_value != NULL) {
        *loss_value = loss;
    }
    if (smooth_value != NULL) {
        *smooth_value = smooth;
    }
    return status_clear(status);
}

/* Check workspace->failed. */
static struct nonzeros nonzeros_of(int64_t n, const double *x, struct workspace *workspace) {
    int64_t *columns;
    double *values;
    int64_t count = 0;

    for (int64_t j = 0; j < n; j++) {
        count += x[j] != 0;
    }
    columns = workspace_integers(workspace, count);
    values = workspace_doubles(workspace, count);
    for (int64_t j = 0, k = 0; !workspace->failed && j < n; j++) {
        if (x[j] != 0) {
            columns[k] = j;
            values[k++] = x[j];
        }
    }
    return (struct nonzeros){count, columns, values};
}

spgm_error spgm_problem_evaluate(const spgm_problem *problem, const double *x, double intercept, double *objective,
                                 double *loss_value, double *smooth_value, spgm_status *status) {
    struct workspace workspace = {.memory = problem->A.memory};
    struct nonzeros found = nonzeros_of(problem->A.columns, x, &workspace);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes)
                                        : problem_evaluate(problem, found.count, found.columns, found.values, intercept,
                                                           objective, loss_value, smooth_value, status);

    workspace_free(&workspace);
    return error;
}

spgm_error problem_judge(const struct spgm_problem *problem, const double *x, double intercept, double *loss,
                         spgm_status *status) {
    struct workspace workspace = {.memory = problem->A.memory};
    struct nonzeros found = nonzeros_of(problem->A.columns, x, &workspace);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes)
                                        : loss_part(problem, found, intercept, 1, loss, status);

    workspace_free(&workspace);
    return error;
}

spgm_outcome problem_outcome(const struct spgm_problem *problem, spgm_outcome outcome, double objective, double bound) {
    double gap = objective - bound, zero = 0;

    if (outcome != SPGM_OPTIMAL || islessequal(gap, REACHES * fabs(objective))) {
        return outcome;
    }
    problem_evaluate(problem, 0, NULL, NULL, 0, &zero, NULL, NULL, NULL);
    return islessequal(gap, REACHES * fabs(objective) + REACHES_ZERO * fabs(zero)) ? outcome : SPGM_LOCAL_OPTIMUM;
}

/* ---- smoothing --------------------------------------------------------------------------------------------------- */

/* h(y) + ||c - y||^2 / (2 mu) at c = A x - b, and y where it is wanted. */
static spgm_error smoothed_loss(const spgm_problem *problem, struct nonzeros x, double intercept, double mu,
                                double *value, double *y, spgm_status *status) {
    struct workspace workspace = {.memory = problem->A.memory};
    struct loss h = {0};
    struct loss_split values;
    const double *b = problem_loss(problem, &workspace, &h);
    struct accurate *sum = workspace_array(&workspace, sums_of(&problem->A), sizeof *sum);
    double *c = workspace_doubles(&workspace, problem->A.rows), *d = workspace_doubles(&workspace, problem->A.rows);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;

    if (error == SPGM_OK) {
        residual(&problem->A, x, intercept, b, sum, c);
        h.ops->split(&h, mu, c, d, &values);
        *value = values.at_y + values.squares / mu / 2;
    }
    for (int64_t i = 0; error == SPGM_OK && y != NULL && i < problem->A.rows; i++) {
        y[i] = c[i] - d[i];
    }
    workspace_free(&workspace);
    return error;
}

spgm_error spgm_problem_smoothing(const spgm_problem *problem, const double *x, double intercept, double mu,
                                  double *value, double *y, spgm_status *status) {
    struct workspace workspace = {.memory = problem->A.memory};
    struct nonzeros found;
    double loss = 0, smooth = 0;
    spgm_error error;

    if (!(mu > 0) || !isfinite(mu)) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "mu is %g: the smoothing parameter must be above 0", mu);
    }
    found = nonzeros_of(problem->A.columns, x, &workspace);
    error = workspace.failed ? status_memory(status, workspace.bytes) : smooth_part(problem, found, &smooth, status);
    error = error == SPGM_OK ? smoothed_loss(problem, found, intercept, mu, &loss, y, status) : error;
    if (error == SPGM_OK && value != NULL) {
        *value = loss + smooth;
    }
    workspace_free(&workspace);
    return error == SPGM_OK ? status_clear(status) : error;
}

/* ---- feasibility ------------------------------------------------------------------------------------------------- */

/* Bounds and excluded columns, x_j by x_j; zero is within all of them. */
static spgm_error check_columns(const spgm_problem *problem, struct nonzeros x, spgm_status *status) {
    for (int64_t k = 0; k < x.count; k++) {
        int64_t j = x.columns[k];
        double value = x.values[k];

        if (!isfinite(value)) {
            return status_set(status, SPGM_ERROR_DATA,
                              "x is not feasible: its entry %" PRId64 " (counted from 0) is %g", j, value);
        }
        if (value != 0 && problem->is_excluded != NULL && problem->is_excluded[j]) {
            return status_set(status, SPGM_ERROR_DATA,
                              "x is not feasible: column %" PRId64 " (counted from 0) is excluded, and its entry is %g",
                              j, value);
        }
        if (problem->lower != NULL && (value < problem->lower[j] || value > problem->upper[j])) {
            return status_set(status, SPGM_ERROR_DATA,
                              "x is not feasible: its entry %" PRId64
                              " (counted from 0) is %.17g, and its bounds are %.17g and %.17g",
                              j, value, problem->lower[j], problem->upper[j]);
        }
    }
    return SPGM_OK;
}

/* Columns by group: free ones, which are in at 0 too, in inside[2 g], nonzeros of the others in inside[2 g + 1];
 * returns the nonzeros that count and have no group. */
static int64_t count_by_group(const spgm_problem *problem, struct nonzeros x, int64_t *inside) {
    int64_t alone = 0;

    for (int64_t j = 0; problem->group_of != NULL && problem->is_free != NULL && j < problem->A.columns; j++) {
        if (problem->is_free[j] && problem->group_of[j] >= 0) {
            inside[2 * problem->group_of[j]]++;
        }
    }
    for (int64_t k = 0; k < x.count; k++) {
        int64_t j = x.columns[k];
        int64_t g = problem->group_of == NULL ? -1 : problem->group_of[j];
        int counts = problem->is_free == NULL || !problem->is_free[j];

        if (x.values[k] != 0 && counts && g >= 0) {
            inside[2 * g + 1]++;
        } else if (x.values[k] != 0) {
            alone += counts;
        }
    }
    return alone;
}

static spgm_error check(const spgm_problem *problem, struct nonzeros x, int64_t sparsity, int64_t *units,
                        spgm_status *status) {
    int64_t limit = problem->group_limit, used;
    int64_t *inside = memory_array(2 * problem->groups, sizeof *inside);
    spgm_error error;

    if (inside == NULL) {
        return status_memory(status, 2 * (size_t)problem->groups * sizeof *inside);
    }
    error = check_columns(problem, x, status);
    used = count_by_group(problem, x, inside);
    for (int64_t g = 0; g < problem->groups; g++) {
        int64_t all = inside[2 * g] + inside[2 * g + 1];

        used += limit > 0 ? inside[2 * g + 1] : inside[2 * g + 1] > 0;
        if (error == SPGM_OK && limit > 0 && all > limit) {
            error = status_set(status, SPGM_ERROR_DATA,
                               "x is not feasible: it has %" PRId64 " %s in one group, and at most %" PRId64
                               " may be in each",
                               all, inside[2 * g] > 0 ? "nonzeros and free columns" : "nonzeros", limit);
        }
    }
    memory_free(inside);
    if (error == SPGM_OK && used > sparsity) {
        error = status_set(status, SPGM_ERROR_DATA, "x is not feasible: it has %" PRId64 " %s, and s is %" PRId64, used,
                           problem->group_of != NULL && limit == 0 ? "groups" : "nonzeros that count", sparsity);
    }
    if (units != NULL) {
        *units = used;
    }
    return error != SPGM_OK ? error : status_clear(status);
}

spgm_error spgm_problem_check(const spgm_problem *problem, const double *x, int64_t sparsity, int64_t *units,
                              spgm_status *status) {
    struct workspace workspace = {.memory = problem->A.memory};
    struct nonzeros found = nonzeros_of(problem->A.columns, x, &workspace);
    spgm_error error =
        workspace.failed ? status_memory(status, workspace.bytes) : check(problem, found, sparsity, units, status);

    workspace_free(&workspace);
    return error;
}

spgm_error problem_check_feasible(const struct spgm_problem *problem, int64_t count, const int64_t *columns,
                                  const double *values, int64_t sparsity, spgm_info *info, spgm_status *status) {
    spgm_error error = check(problem, (struct nonzeros){count, columns, values}, sparsity, &info->units, status);

    info->feasible = error == SPGM_OK;
    return error == SPGM_ERROR_MEMORY ? error : status_clear(status);
}
