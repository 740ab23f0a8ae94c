/* From the user's problem to the one that methods see: intercept, free columns, slopes, scaling. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "linalg/accurate.h"
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
    spgm_error error = scaling_choose(problem, &units, workspace, &scaling, status);

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
    frame_free_columns(problem, framed);
    problem_frame_set(problem, framed);
    return SPGM_OK;
}

static spgm_error frame_all(const struct spgm_problem *problem, int threads, struct problem *framed,
                            spgm_status *status) {
    struct units units;
    spgm_error error = scaling_choose_units(problem, &units, status);

    if (error != SPGM_OK) {
        return error;
    }
    framed->has_intercept = problem->options.intercept;
    framed->objective_unit = units.objective;
    framed->target_unit = units.target;
    framed->shift = units.shift;
    framed->b = make_target(problem, units, &framed->workspace);
    make_loss(problem, units, framed->b, &framed->workspace, &framed->h);
    framed->team = team_new(threads);
    framed->workspace.failed |= framed->team == NULL;
    error = frame_operator(problem, units, framed, status);
    if (error != SPGM_OK) {
        return error;
    }
    framed->h.reduce = framed->A->reduce; /* r has the rows of A, wherever they live */
    frame_smooth(problem, units, framed);
    frame_term(problem, units, framed);
    return framed->workspace.failed ? status_memory(status, framed->workspace.bytes) : SPGM_OK;
}

spgm_error problem_frame(const struct spgm_problem *problem, int threads, struct problem *framed, spgm_status *status) {
    spgm_error error;

    memset(framed, 0, sizeof *framed);
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

/* sum_j centre_j x_j - shift: what centring takes from the intercept. Terms may be far larger than their sum. */
static struct accurate moved_by_centring(const struct problem *framed, const double *x) {
    struct accurate sum = {-framed->shift, 0};

    for (int64_t j = 0; j < framed->data->columns; j++) {
        if (framed->centre[j] != 0 && x[j] != 0) {
            accurate_add_product(&sum, framed->centre[j], x[j]);
        }
    }
    return sum;
}

void problem_scale(const struct problem *framed, const double *x, double intercept, double *z) {
    int64_t n = framed->data->columns;

    for (int64_t j = 0; j < n; j++) {
        z[j] = x[j] / (framed->scale[j] * framed->target_unit);
    }
    if (framed->has_intercept) {
        struct accurate sum = moved_by_centring(framed, x);

        accurate_add(&sum, intercept);
        z[n] = accurate_value(sum) / framed->target_unit;
    }
}

void problem_unscale(const struct problem *framed, const double *z, double *x, double *intercept) {
    int64_t n = framed->data->columns;

    *intercept = 0;
    for (int64_t j = 0; j < n; j++) {
        x[j] = z[j] * (framed->scale[j] * framed->target_unit);
        if (framed->data_lower != NULL) {
            x[j] = fmin(fmax(x[j], framed->data_lower[j]), framed->data_upper[j]);
        }
    }
    if (framed->has_intercept) {
        struct accurate sum = moved_by_centring(framed, x);

        accurate_add(&sum, -z[n] * framed->target_unit);
        *intercept = -accurate_value(sum);
    }
}
