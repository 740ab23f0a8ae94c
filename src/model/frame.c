/* From the user's problem to the one that methods see: intercept, free columns, slopes, scaling. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/problem.h"

/* Norms outside this range could overflow or vanish when squared and summed. */
#define NORM_LOW 1e-60
#define NORM_HIGH 1e60
/* Columns with typical entries outside this range are all scaled by the same power of two. */
#define ENTRY_LOW 0x1p-5
#define ENTRY_HIGH 0x1p5
/* From this size on, a dense matrix with at most this share of nonzeros is compressed. */
#define SPARSE_SIZE 65536.0
#define SPARSE_SHARE 0.15
/* 4^511 and 4^-511 are doubles, their squares are not. */
#define UNIT_LIMIT 511
/* A framed ridge beyond this could overflow when it is squared and summed. */
#define RIDGE_HIGH 1e100

/* What the scaling of b by unit (a power of 4) makes of everything else; see problem.h. */
struct units {
    double target;    /* b, residuals, dead zone: divided by this                       */
    double objective; /* F: divided by this                                             */
};

static double power_of_two_near(double value) {
    int exponent = 0;

    frexp(value, &exponent);
    return ldexp(1.0, exponent - 1);
}

/* Not beyond 4^limit nor below 4^-limit. */
static double power_of_four_near(double value, int limit) {
    int exponent = 0;

    frexp(value, &exponent);
    exponent /= 2;
    exponent = exponent > limit ? limit : exponent < -limit ? -limit : exponent;
    return ldexp(1.0, 2 * exponent);
}

static int is_extreme(double norm) {
    return norm != 0 && (norm < NORM_LOW || norm > NORM_HIGH);
}

/* ||a_j|| of the matrix as given, or the largest double where it is beyond that. */
static double column_norm(const spgm_matrix *A, int64_t j) {
    double norm = A->column_start == NULL
                      ? vector_norm(A->rows, A->values + j * A->leading_dimension)
                      : vector_norm(A->column_start[j + 1] - A->column_start[j], A->values + A->column_start[j]);

    return fmin(norm, DBL_MAX);
}

/* The root mean square of ||a_j|| / sqrt(m) over the columns that are not zero, 1 when all are. */
static double typical_entry(int64_t n, const double *norms, double root) {
    double sum = 0;
    int64_t count = 0;

    for (int64_t j = 0; j < n; j++) {
        sum += norms[j] / root * (norms[j] / root);
        count += norms[j] != 0;
    }
    return count > 0 ? sqrt(sum / (double)count) : 1;
}

/* One power of two for all columns, 1 unless their entries are far from 1: theta, the start and the constant column
 * are made for entries of that size. */
static double common_scale(int64_t n, const double *norms, double root) {
    double entry = typical_entry(n, norms, root);

    return entry < ENTRY_LOW || entry > ENTRY_HIGH ? 1 / power_of_two_near(entry) : 1;
}

/* Column scales into framed->scale [columns]. */
static void choose_scales(const struct spgm_problem *problem, struct problem *framed, double *norms) {
    int64_t n = problem->A.columns;
    double root = sqrt((double)problem->A.rows);
    double common;
    int extreme = 0;

    for (int64_t j = 0; j < n; j++) {
        norms[j] = column_norm(&problem->A, j);
        extreme |= is_extreme(norms[j]);
        framed->scale[j] = 1;
    }
    if (framed->has_intercept) {
        framed->scale[n] = 1;
    }
    common = extreme ? 1 : common_scale(n, norms, root);
    framed->is_scaled = extreme || problem->options.standardize || common != 1;
    for (int64_t j = 0; framed->is_scaled && j < n; j++) {
        if (norms[j] != 0) {
            double own = extreme ? 1 / power_of_two_near(norms[j] / root) : root / norms[j];

            framed->scale[j] = extreme || problem->options.standardize ? own : common;
        }
    }
}

/* Scale columns down, by powers of two, until the ridge on them is at most RIDGE_HIGH. */
static void tame_ridge(double ridge, struct units units, struct problem *framed) {
    for (int64_t j = 0; ridge > 0 && j < framed->data->columns; j++) {
        double step = log2(framed->scale[j]) + log2(units.target);
        double excess = log2(ridge) + 2 * step - log2(units.objective) - log2(RIDGE_HIGH);

        if (excess > 0) {
            framed->scale[j] *= exp2(-ceil(excess / 2));
            framed->is_scaled = 1;
        }
    }
}

static struct units choose_units(const struct spgm_problem *problem) {
    double norm = vector_norm_inf(problem->A.rows, problem->b);
    struct units units = {1, 1};

    if (is_extreme(norm) && !problem->loss->classifier && problem->loss->degree > 0) {
        int is_squared = problem->loss->degree != 1;

        units.target = power_of_four_near(norm, is_squared ? UNIT_LIMIT / 2 : UNIT_LIMIT);
        units.objective = is_squared ? units.target * units.target : units.target;
    }
    return units;
}

static void fill_target(const struct spgm_problem *problem, struct units units, double *b) {
    for (int64_t i = 0; i < problem->A.rows; i++) {
        b[i] = problem->loss->classifier ? (problem->b[i] == problem->labels[1] ? 1.0 : -1.0)
                                         : problem->b[i] / units.target;
    }
}

static void fill_slopes(const struct spgm_problem *problem, struct units units, const double *b, struct loss *h) {
    for (int64_t i = 0; i < h->rows; i++) {
        double weight = problem->weights == NULL ? 1 : problem->weights[i];

        if (problem->up != NULL) {
            h->up[i] = problem->up[i];
            h->down[i] = problem->down[i];
            h->dead[i] = problem->dead[i];
        } else {
            problem->loss->slopes(&problem->options, b[i], &h->up[i], &h->down[i], &h->dead[i]);
        }
        h->up[i] *= weight;
        h->down[i] *= weight;
        h->dead[i] /= units.target;
    }
}

static const double *make_target(const struct spgm_problem *problem, struct units units, struct workspace *workspace) {
    double *b = workspace_doubles(workspace, problem->A.rows);

    if (!workspace->failed) {
        fill_target(problem, units, b);
    }
    return b;
}

static void make_loss(const struct spgm_problem *problem, struct units units, const double *b,
                      struct workspace *workspace, struct loss *h) {
    h->kind = problem->loss;
    h->ops = problem->loss->ops;
    h->rows = problem->A.rows;
    if (!problem->loss->separable) {
        return;
    }
    h->up = workspace_doubles(workspace, h->rows);
    h->down = workspace_doubles(workspace, h->rows);
    h->dead = workspace_doubles(workspace, h->rows);
    if (!workspace->failed) {
        fill_slopes(problem, units, b, h);
        loss_compare_rows(h);
    }
}

const double *problem_loss(const struct spgm_problem *problem, struct workspace *workspace, struct loss *h) {
    struct units units = {1, 1};
    const double *b = make_target(problem, units, workspace);

    make_loss(problem, units, b, workspace, h);
    return b;
}

/* With x = unit scale z: ridge x^2/2 / objective, p'x / objective. */
static void frame_smooth(const struct spgm_problem *problem, struct units units, struct problem *framed) {
    struct smooth *f = &framed->f;
    int64_t n = problem->A.columns;

    f->columns = framed->A->columns;
    f->ridge = workspace_doubles(&framed->workspace, f->columns);
    f->linear = problem->linear == NULL ? NULL : workspace_doubles(&framed->workspace, f->columns);
    for (int64_t j = 0; !framed->workspace.failed && j < n; j++) {
        double step = framed->scale[j] * units.target;

        f->ridge[j] = problem->options.ridge * step / units.objective * step;
        if (f->linear != NULL) {
            f->linear[j] = problem->linear[j] * step / units.objective;
        }
    }
}

/* The term under the frame: phi(unit scale z) / objective, with the factors put into scale and d. */
static void frame_term(const struct spgm_problem *problem, struct units units, struct problem *framed) {
    struct smooth *f = &framed->f;
    struct workspace *workspace = &framed->workspace;
    int64_t n = problem->A.columns;
    double root = sqrt(units.objective);
    double *scale;
    double *d;

    if (problem->term == NULL) {
        return;
    }
    scale = workspace_doubles(workspace, n);
    d = workspace_doubles(workspace, problem->C.rows);
    framed->term_data = linop_new(&problem->C);
    if (workspace->failed || framed->term_data == NULL) {
        workspace->failed = 1;
        return;
    }
    for (int64_t j = 0; j < n; j++) {
        scale[j] = framed->scale[j] * units.target / root;
    }
    for (int64_t i = 0; problem->d != NULL && i < problem->C.rows; i++) {
        d[i] = problem->d[i] / root;
    }
    framed->term_data->threads = framed->A->threads;
    f->term = problem->term;
    f->Q = problem->C;
    f->d = d;
    f->scale = scale;
    f->C = problem->term->is_framed ? linop_framed_new(framed->term_data, scale, framed->has_intercept, 0)
                                    : framed->term_data;
    workspace->failed |= f->C == NULL;
}

static void frame_free_columns(const struct spgm_problem *problem, struct problem *framed) {
    int64_t n = problem->A.columns;

    for (int64_t j = 0; j < framed->A->columns; j++) {
        int is_free = j == n || (problem->is_free != NULL && problem->is_free[j]);

        framed->is_free[j] = (unsigned char)is_free;
        if (is_free) {
            framed->free_columns[framed->free_count++] = j;
        }
    }
}

/* A dense matrix that is mostly zeros is solved as a sparse one: every pass over it costs its nonzeros only. */
static struct linop *make_operator(const spgm_matrix *A, struct workspace *workspace) {
    double size = (double)A->rows * (double)A->columns;
    int64_t most = (int64_t)(SPARSE_SHARE * size);
    spgm_matrix thin;
    int64_t nonzeros;

    if (A->column_start != NULL || size < SPARSE_SIZE || A->rows > INT32_MAX) {
        return linop_new(A);
    }
    nonzeros = matrix_nonzeros(A, most);
    if (nonzeros > most) {
        return linop_new(A);
    }
    thin = matrix_compress(A, nonzeros, workspace);
    return workspace->failed ? NULL : linop_new(&thin);
}

static void frame_operator(const struct spgm_problem *problem, struct units units, int threads,
                           struct problem *framed) {
    struct workspace *workspace = &framed->workspace;
    int64_t columns = problem->A.columns + framed->has_intercept;
    double *norms = workspace_doubles(workspace, columns);

    framed->scale = workspace_doubles(workspace, columns);
    framed->is_free = workspace_array(workspace, columns, 1);
    framed->free_columns = workspace_integers(workspace, columns);
    framed->data = make_operator(&problem->A, workspace);
    if (workspace->failed || framed->data == NULL) {
        workspace->failed = 1;
        return;
    }
    choose_scales(problem, framed, norms);
    tame_ridge(problem->options.ridge, units, framed);
    framed->data->threads = threads;
    framed->A = framed->is_scaled || framed->has_intercept
                    ? linop_framed_new(framed->data, framed->is_scaled ? framed->scale : NULL, framed->has_intercept, 1)
                    : framed->data;
    if (framed->A == NULL) {
        workspace->failed = 1;
        return;
    }
    framed->A->threads = threads;
    frame_free_columns(problem, framed);
}

/* How many columns of a sparse matrix hold entries; at least one, so that there is a column. */
static int64_t count_columns(const spgm_matrix *A) {
    int64_t count = 0;

    for (int64_t j = 0; j < A->columns; j++) {
        count += A->column_start[j + 1] > A->column_start[j];
    }
    return count > 0 ? count : 1;
}

/* Leave out the columns that hold nothing: with a ridge at most, they lower no F. The entries stay where they are. */
static void drop_empty_columns(struct spgm_problem *problem, struct problem *framed) {
    const spgm_matrix A = problem->A;
    struct workspace *workspace = &framed->workspace;
    int64_t count =
        A.column_start == NULL || problem->linear != NULL || problem->term != NULL ? A.columns : count_columns(&A);
    int64_t *start;
    unsigned char *is_free;

    if (count == A.columns) {
        return;
    }
    framed->columns = workspace_integers(workspace, count);
    start = workspace_integers(workspace, count + 1);
    is_free = workspace_array(workspace, count, 1);
    for (int64_t j = 0, k = 0; !workspace->failed && k < count; j++) {
        if (A.column_start[j + 1] > A.column_start[j] || j + 1 == A.columns) {
            framed->columns[k] = j;
            is_free[k++] = problem->is_free != NULL && problem->is_free[j];
            start[k] = A.column_start[j + 1];
        }
    }
    problem->A = spgm_sparse(A.rows, count, start, A.row_index, A.values);
    problem->is_free = is_free;
}

/* Every F is compared with others: F(0) at least must be a number. */
static spgm_error check_size(const struct spgm_problem *problem, spgm_status *status) {
    double objective = 0;
    spgm_error error = problem_evaluate(problem, 0, NULL, NULL, 0, &objective, NULL, NULL, status);

    if (error == SPGM_OK && !isfinite(objective)) {
        error = status_set(status, SPGM_ERROR_DATA,
                           "F is beyond the largest number already at x = 0 (the largest |b_i| is %g): divide the "
                           "target, weights and right-hand sides by a constant",
                           vector_norm_inf(problem->A.rows, problem->b));
    }
    return error;
}

spgm_error problem_frame(const struct spgm_problem *user, int threads, struct problem *framed, spgm_status *status) {
    struct spgm_problem seen = problem_merged(user);
    const struct spgm_problem *problem = &seen;
    struct units units = choose_units(problem);
    spgm_error error = check_size(problem, status);

    if (error != SPGM_OK) {
        return error;
    }
    memset(framed, 0, sizeof *framed);
    framed->data_columns = user->A.columns;
    drop_empty_columns(&seen, framed);
    framed->has_intercept = problem->options.intercept;
    framed->objective_unit = units.objective;
    framed->target_unit = units.target;
    framed->b = make_target(problem, units, &framed->workspace);
    make_loss(problem, units, framed->b, &framed->workspace, &framed->h);
    frame_operator(problem, units, threads, framed);
    if (!framed->workspace.failed) {
        framed->h.reduce = framed->A->reduce; /* r has the rows of A, wherever they live */
        frame_smooth(problem, units, framed);
        frame_term(problem, units, framed);
    }
    if (framed->workspace.failed) {
        error = status_memory(status, framed->workspace.bytes);
        problem_unframe(framed);
    }
    return error;
}

void problem_unframe(struct problem *framed) {
    if (framed->f.C != framed->term_data) {
        linop_free(framed->f.C);
    }
    linop_free(framed->term_data);
    if (framed->A != framed->data) {
        linop_free(framed->A);
    }
    linop_free(framed->data);
    workspace_free(&framed->workspace);
    memset(framed, 0, sizeof *framed);
}

double problem_coefficient(const struct problem *framed, int64_t j, double value) {
    return j == framed->data->columns ? value * framed->target_unit : value * framed->scale[j] * framed->target_unit;
}

void problem_scale(const struct problem *framed, const double *x, double intercept, double *z) {
    int64_t n = framed->data->columns;

    for (int64_t k = 0; k < n; k++) {
        z[k] = x[problem_column(framed, k)] / framed->scale[k] / framed->target_unit;
    }
    if (framed->has_intercept) {
        z[n] = intercept / framed->target_unit;
    }
}

void problem_unscale(const struct problem *framed, const double *z, double *x, double *intercept) {
    int64_t n = framed->data->columns;

    memset(x, 0, sizeof *x * (size_t)framed->data_columns);
    for (int64_t k = 0; k < n; k++) {
        x[problem_column(framed, k)] = problem_coefficient(framed, k, z[k]);
    }
    *intercept = framed->has_intercept ? problem_coefficient(framed, n, z[n]) : 0;
}
