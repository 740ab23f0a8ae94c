/* The frame: from the user's problem to the one that methods see, with intercept, free columns, slopes and scaling. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "linalg/accurate.h"
#include "linalg/vector.h"
#include "model/constants.h"
#include "model/scaling.h"

static void fill_target(const struct spgm_problem *problem, struct units units, double *b) {
    for (int64_t i = 0; i < problem->A.rows; i++) {
        b[i] = problem_has_labels(problem) ? (problem->b[i] == problem->labels[1] ? 1.0 : -1.0)
                                           : (problem->b[i] - units.shift) / units.target;
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
    struct loss_input input = {
        .options = &problem->options,
        .b = b,
        .weights = problem->weights,
        .up = problem->up,
        .down = problem->down,
        .dead = problem->dead,
        .unit = units.target,
    };

    if (!workspace->failed) {
        loss_prepare(h, problem->loss, problem->A.rows, &input, workspace);
    }
}

const double *problem_loss(const struct spgm_problem *problem, struct workspace *workspace, struct loss *h) {
    struct units units = {1, 1, 0, 1};
    const double *b = make_target(problem, units, workspace);

    make_loss(problem, units, b, workspace, h);
    return b;
}

/* With x = unit scale z: ridge x^2/2 / objective and p'x / objective. */
static void frame_smooth(const struct spgm_problem *problem, struct units units, struct problem *framed) {
    struct smooth *f = &framed->f;
    int64_t n = problem->A.columns;

    f->columns = framed->A->columns;
    f->ridge = workspace_doubles(&framed->workspace, f->columns);
    f->linear = problem->linear == NULL ? NULL : workspace_doubles(&framed->workspace, f->columns);
    for (int64_t j = 0; !framed->workspace.failed && j < n; j++) {
        double step = framed->scale[j] * units.target;

        f->ridge[j] = problem_ridge(problem, j) * step / units.objective * step;
        if (f->linear != NULL) {
            f->linear[j] = problem->linear[j] * step / units.objective;
        }
    }
}

/* The term in the frame: phi(unit scale z) / objective, with the factors included in scale and d. */
static void frame_term(const struct spgm_problem *problem, struct units units, struct problem *framed) {
    struct smooth *f = &framed->f;
    struct workspace *workspace = &framed->workspace;
    int64_t n = problem->A.columns;
    double root = sqrt(units.objective);
    struct scaling scaling;
    double *scale;
    double *d;

    if (problem->term == NULL) {
        return;
    }
    scale = workspace_doubles(workspace, n);
    d = workspace_doubles(workspace, problem->C.rows);
    for (int64_t j = 0; !workspace->failed && j < n; j++) {
        scale[j] = framed->scale[j] * units.target / root;
    }
    scaling_set(&problem->C, scale, workspace, &scaling);
    if (!workspace->failed) {
        framed->term_data = problem->term->is_framed
                                ? scaling_operator(&problem->C, &scaling, framed->team, NULL, workspace)
                                : linop_new(&problem->C);
    }
    if (framed->term_data == NULL) {
        workspace->failed = 1;
        return;
    }
    for (int64_t i = 0; problem->d != NULL && i < problem->C.rows; i++) {
        d[i] = problem->d[i] / root;
    }
    framed->term_data->team = framed->team;
    f->term = problem->term;
    f->Q = problem->C;
    f->d = d;
    f->scale = scale;
    f->C = problem->term->is_framed ? linop_framed_new(framed->term_data, scaling.rest, framed->has_intercept, 0)
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

static spgm_error frame_operator(const struct spgm_problem *problem, struct units units, struct problem *framed,
                                 spgm_status *status) {
    struct workspace *workspace = &framed->workspace;
    int64_t n = problem->A.columns;
    int is_scaled = 0;
    struct scaling scaling;
    double began = clock_seconds();
    spgm_error error = scaling_choose(problem, &units, workspace, &scaling, status);

    framed->pass = clock_seconds() - began; /* the pass for the column norms */
    if (error != SPGM_OK) {
        return error;
    }
    framed->scale = scaling.scale;
    framed->centre = scaling.centre;
    framed->is_idle = scaling.is_idle;
    framed->is_free = workspace_array(workspace, n + framed->has_intercept, 1);
    framed->free_columns = workspace_integers(workspace, n + framed->has_intercept);
    framed->data = scaling_operator(&problem->A, &scaling, framed->team, problem->reduce, workspace);
    for (int64_t j = 0; j < n; j++) {
        is_scaled |= scaling.rest[j] != 1;
    }
    if (framed->data != NULL) {
        framed->A = is_scaled || framed->has_intercept
                        ? linop_framed_new(framed->data, is_scaled ? scaling.rest : NULL, framed->has_intercept, 1)
                        : framed->data;
    }
    if (workspace->failed || framed->A == NULL) {
        return status_memory(status, workspace->bytes);
    }
    framed->all_rows = (double)framed->A->rows;
    framed->all_nonzeros = (double)framed->A->nonzeros;
    reduce_sum(framed->A->reduce, &framed->all_rows, 1);
    reduce_sum(framed->A->reduce, &framed->all_nonzeros, 1);
    frame_free_columns(problem, framed);
    problem_frame_set(problem, framed);
    return SPGM_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* F must be comparable: at least F(0) must be finite. */
static spgm_error check_size(const struct spgm_problem *problem, spgm_status *status) {
    double objective = 0;
    spgm_error error = problem_evaluate(problem, 0, NULL, NULL, 0, &objective, NULL, NULL, status);

    if (error == SPGM_OK && !isfinite(objective)) {
        error = status_set(status, SPGM_ERROR_DATA,
                           "F exceeds the largest double already at x = 0 (the largest |b_i| is %g): divide the "
                           "target, weights and right-hand sides by a constant",
                           vector_norm_inf(problem->A.rows, problem->b));
    }
    return error;
}

static spgm_error frame_all(const struct spgm_problem *user, int threads, struct problem *framed, spgm_status *status) {
    struct spgm_problem seen = problem_merged(user);
    const struct spgm_problem *problem = &seen;
    struct units units;
    spgm_error error = scaling_choose_units(problem, &units, status);

    framed->evaluation = clock_seconds();
    error = error == SPGM_OK ? check_size(problem, status) : error;
    framed->evaluation = clock_seconds() - framed->evaluation;
    if (error != SPGM_OK) {
        return error;
    }
    framed->data_columns = user->A.columns;
    framed->columns = problem_drop_empty(&seen, 1, &framed->workspace);
    framed->has_intercept = problem->options.intercept;
    framed->objective_unit = units.objective;
    framed->target_unit = units.target;
    framed->shift = units.shift;
    framed->b = make_target(problem, units, &framed->workspace);
    make_loss(problem, units, framed->b, &framed->workspace, &framed->h);
    framed->team = team_new(threads);
    framed->workspace.failed |= framed->team == NULL;
    if (framed->workspace.failed) {
        return status_memory(status, framed->workspace.bytes);
    }
    error = frame_operator(problem, units, framed, status);
    if (error != SPGM_OK) {
        return error;
    }
    framed->h.reduce = framed->A->reduce; /* r has the rows of A */
    frame_smooth(problem, units, framed);
    frame_term(problem, units, framed);
    return framed->workspace.failed ? status_memory(status, framed->workspace.bytes) : SPGM_OK;
}

spgm_error problem_frame(const struct spgm_problem *problem, int threads, struct problem *framed, spgm_status *status) {
    spgm_error error;

    memset(framed, 0, sizeof *framed);
    framed->workspace.memory = problem->A.memory;
    error = frame_all(problem, threads, framed, status);
    if (error != SPGM_OK) {
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
    team_free(framed->team);
    memset(framed, 0, sizeof *framed);
}

/* ---- back to the data's units ------------------------------------------------------------------------------------ */

double problem_coefficient(const struct problem *framed, int64_t k, double value) {
    double x = value * (framed->scale[k] * framed->target_unit);

    return framed->data_lower == NULL ? x : fmin(fmax(x, framed->data_lower[k]), framed->data_upper[k]);
}

/* Centring subtracts sum_j centre_j x_j - shift from the intercept. Its terms may be far larger than the sum. */
double problem_intercept(const struct problem *framed, int64_t count, const int64_t *columns, const double *x,
                         double value) {
    struct accurate sum = {-framed->shift, 0};

    for (int64_t i = 0; i < count; i++) {
        double centre = framed->centre[columns[i]];

        if (centre != 0 && x[i] != 0) {
            accurate_add_product(&sum, centre, x[i]);
        }
    }
    accurate_add(&sum, -value * framed->target_unit);
    return -accurate_value(sum);
}

/* The same for x over the columns of the frame. */
static struct accurate moved_by_centring(const struct problem *framed, const double *x) {
    struct accurate sum = {-framed->shift, 0};

    for (int64_t k = 0; k < framed->data->columns; k++) {
        if (framed->centre[k] != 0 && x[k] != 0) {
            accurate_add_product(&sum, framed->centre[k], x[k]);
        }
    }
    return sum;
}

/* z: on entry x over the columns of the frame, scaled in place. */
static void scale_in_place(const struct problem *framed, double intercept, double *z) {
    int64_t n = framed->data->columns;

    if (framed->has_intercept) {
        struct accurate sum = moved_by_centring(framed, z);

        accurate_add(&sum, intercept);
        z[n] = accurate_value(sum) / framed->target_unit;
    }
    for (int64_t k = 0; k < n; k++) {
        z[k] /= framed->scale[k] * framed->target_unit;
    }
}

void problem_scale(const struct problem *framed, const double *x, double intercept, double *z) {
    for (int64_t k = 0; k < framed->data->columns; k++) {
        z[k] = x[problem_column(framed, k)];
    }
    scale_in_place(framed, intercept, z);
}

void problem_scale_nonzeros(const struct problem *framed, int64_t count, const int64_t *columns, const double *values,
                            double intercept, double *z) {
    for (int64_t k = 0, i = 0; k < framed->data->columns; k++) {
        int64_t j = problem_column(framed, k);

        while (i < count && columns[i] < j) {
            i++;
        }
        z[k] = i < count && columns[i] == j ? values[i] : 0;
    }
    scale_in_place(framed, intercept, z);
}

void problem_unscale(const struct problem *framed, const double *z, double *x, double *intercept) {
    int64_t n = framed->data->columns;

    memset(x, 0, sizeof *x * (size_t)framed->data_columns);
    for (int64_t k = 0; k < n; k++) {
        x[problem_column(framed, k)] = problem_coefficient(framed, k, z[k]);
    }
    *intercept = 0;
    if (framed->has_intercept) {
        struct accurate sum = {-framed->shift, 0};

        for (int64_t k = 0; k < n; k++) {
            double value = x[problem_column(framed, k)];

            if (framed->centre[k] != 0 && value != 0) {
                accurate_add_product(&sum, framed->centre[k], value);
            }
        }
        accurate_add(&sum, -z[n] * framed->target_unit);
        *intercept = -accurate_value(sum);
    }
}

double problem_search_time(const struct problem *framed, int64_t capacity, int64_t reports, double limit) {
    double columns = (double)framed->A->columns, density = problem_nonzeros(framed) / problem_rows(framed) / columns;
    double model = framed->pass * fmin(1, (framed->data->is_apart ? LINE_NUMBERS : 1) * (double)capacity / columns);
    double step = fmin(framed->pass, LAST_STEP * limit) + model;
    double report = framed->evaluation * (1 + COLUMN_REPORT * density * (double)capacity) + model;

    return fmax(limit - step - (double)reports * report, limit / 2);
}
