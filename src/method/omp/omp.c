/*
 * Orthogonal matching pursuit: the columns are chosen one by one for the squared loss,
 *
 *     G(x) = tau f(x) + 1/2 ||A x - b||^2,
 *
 * then F is minimised exactly over the columns chosen.
 *
 *     Y. C. Pati, R. Rezaiifar, P. S. Krishnaprasad, Orthogonal matching pursuit, Asilomar 1993;
 *     T. T. Cai, L. Wang, Orthogonal matching pursuit for sparse signal recovery with noise, IEEE Trans. IT 57, 2011.
 */
#include "method/omp/omp.h"
#include "method/constants.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "fit/fit.h"
#include "linalg/box.h"
#include "linalg/cholesky.h"
#include "linalg/vector.h"

struct omp {
    struct run *run;
    const struct problem *problem;
    struct point point;
    double tau;
    int64_t capacity, size;   /* the most columns and the current number, free ones first */
    int64_t *columns;         /* [capacity] in the order in which they entered */
    unsigned char *closed;    /* [columns] in, or dependent on the columns that are in */
    double *curvature;        /* ||a_j||^2 + tau M~_jj [columns]                      */
    double *g;                /* gradient of G [columns]                              */
    double *rows;             /* a new column [rows]                                  */
    double *L;                /* factor of the Hessian of G on the columns [capacity x capacity] by rows */
    double *M;                /* M~ on the columns and the new one [(capacity + 1)^2], if f has a term */
    double *row, *step, *rhs; /* [capacity + 1]                                     */
    int64_t *used;            /* columns that are in, by group [groups]               */
    int64_t *open;            /* columns that may enter [columns]                     */

    /* with bounds only */
    struct box box;
    double *H;                     /* the Hessian of G on the columns [capacity x capacity] */
    double *z, *p, *lower, *upper; /* [capacity]                                          */
};

static void omp_init(struct omp *omp, struct run *run, struct workspace *workspace) {
    const struct problem *problem = run->problem;
    int64_t n = problem->A->columns;
    int64_t capacity = run_capacity(run);
    int64_t bounded = problem->lower == NULL ? 0 : capacity;

    *omp = (struct omp){.run = run, .problem = problem, .capacity = capacity};
    point_init(&omp->point, problem, workspace);
    omp->columns = workspace_integers(workspace, capacity);
    omp->closed = workspace_array(workspace, n, 1);
    omp->curvature = workspace_doubles(workspace, n);
    omp->g = workspace_doubles(workspace, n);
    omp->rows = workspace_doubles(workspace, problem->A->rows);
    omp->L = workspace_doubles(workspace, capacity * capacity);
    omp->M = workspace_doubles(workspace, problem->f.term == NULL ? 0 : (capacity + 1) * (capacity + 1));
    omp->row = workspace_doubles(workspace, capacity + 1);
    omp->step = workspace_doubles(workspace, capacity + 1);
    omp->rhs = workspace_doubles(workspace, capacity + 1);
    omp->used = workspace_integers(workspace, problem->set.groups);
    omp->open = workspace_integers(workspace, n);
    box_init(&omp->box, bounded, workspace);
    omp->H = workspace_doubles(workspace, bounded * bounded);
    omp->z = workspace_doubles(workspace, bounded);
    omp->p = workspace_doubles(workspace, bounded);
    omp->lower = workspace_doubles(workspace, bounded);
    omp->upper = workspace_doubles(workspace, bounded);
}

/* The weight tau for which f has the same importance relative to half the sum of squares as relative to h, at x = 0. */
static double weight_of_f(const struct omp *omp) {
    const struct problem *problem = omp->problem;
    double squares = vector_sum_squares(problem->A->rows, omp->point.residual) / 2;
    double h = problem->h.ops->value(&problem->h, omp->point.residual);

    reduce_sum(problem->A->reduce, &squares, 1);
    return isgreater(h, 0) && isgreater(squares, 0) ? squares / h : 1;
}

/* x = 0, tau and the diagonal of the Hessian of G. */
static void omp_start(struct omp *omp) {
    const struct problem *problem = omp->problem;
    int64_t n = problem->A->columns;

    memset(omp->g, 0, sizeof(double) * (size_t)n);
    point_set(&omp->point, omp->g);
    omp->tau = weight_of_f(omp);
    linop_column_squares(problem->A, omp->curvature);
    for (int64_t j = 0; j < n; j++) {
        double diagonal = 0;

        smooth_add_curvature(&problem->f, 1, &j, &diagonal);
        omp->curvature[j] += omp->tau * diagonal;
        omp->closed[j] = (unsigned char)!isgreater(omp->curvature[j], 0);
    }
    for (int64_t i = 0; i < problem->set.barred_count; i++) {
        omp->closed[problem->set.barred[i]] = 1;
    }
}

/* The square root of twice the decrease of G along column j, which is still zero: |g_j| / sqrt(G_jj), or less if a
 * bound limits it. */
static double promise(const struct omp *omp, int64_t j) {
    double step = -omp->g[j] / omp->curvature[j];
    double cut = problem_clip(omp->problem, j, step);

    return cut == step ? fabs(omp->g[j]) / sqrt(omp->curvature[j]) : sqrt(omp->curvature[j] * cut * (2 * step - cut));
}

/* g = A'(A x - b) + tau grad f(x) */
static void gradient(struct omp *omp) {
    const struct problem *problem = omp->problem;
    double *grad_f = omp->point.work;
    double began = clock_seconds();

    linop_transpose(problem->A, omp->point.residual, omp->g);
    smooth_gradient(&problem->f, omp->point.x, omp->point.state, grad_f);
    vector_axpy(problem->A->columns, omp->tau, grad_f, omp->g);
    for (int64_t j = 0; j < problem->A->columns; j++) {
        omp->run->scores[j] = omp->closed[j] ? 0 : promise(omp, j);
    }
    omp->run->timers[RUN_TIMER_GRADIENT] += clock_seconds() - began;
}

/* row += tau M~_Sj, which is zero if f is only a ridge */
static void add_curvature(struct omp *omp) {
    int64_t k = omp->size;

    if (omp->problem->f.term == NULL) {
        return;
    }
    memset(omp->M, 0, sizeof(double) * (size_t)((k + 1) * (k + 1)));
    smooth_add_curvature(&omp->problem->f, k + 1, omp->columns, omp->M);
    for (int64_t i = 0; i < k; i++) {
        omp->row[i] += omp->tau * omp->M[i + k * (k + 1)];
    }
}

/* Row `size` of the Hessian of G: a_S'a_j + tau M~_Sj. Appends it to the factor; 0 when column j depends on S. */
static int append(struct omp *omp, int64_t j) {
    const struct problem *problem = omp->problem;
    int64_t k = omp->size;

    omp->columns[k] = j;
    linop_gather(problem->A, 1, &j, omp->rows, problem->A->rows);
    linop_transpose_columns(problem->A, k, omp->columns, omp->rows, omp->row);
    add_curvature(omp);
    omp->closed[j] = 1;
    if (!cholesky_append(k, omp->L, omp->capacity, omp->row, omp->curvature[j], OMP_DEPENDENT)) {
        return 0;
    }
    if (problem->lower != NULL) {
        for (int64_t i = 0; i < k; i++) {
            omp->H[i + k * omp->capacity] = omp->H[k + i * omp->capacity] = omp->row[i];
        }
        omp->H[k + k * omp->capacity] = omp->curvature[j];
        omp->lower[k] = problem->lower[j];
        omp->upper[k] = problem->upper[j];
    }
    omp->size++;
    return 1;
}

/* The open column along which G decreases most: argmax g_j^2 / G_jj; -1: none. */
static int64_t best_column(const struct omp *omp) {
    int64_t best = -1;
    double most = 0;

    for (int64_t j = 0; j < omp->problem->A->columns; j++) {
        if (!omp->closed[j] && isgreater(promise(omp, j), most)) {
            most = promise(omp, j);
            best = j;
        }
    }
    return best;
}

/* Whether the Newton step stays within the bounds. */
static int stays_within(const struct omp *omp) {
    for (int64_t i = 0; i < omp->size; i++) {
        double x = omp->point.x[omp->columns[i]] + omp->step[i];

        if (problem_clip(omp->problem, omp->columns[i], x) != x) {
            return 0;
        }
    }
    return 1;
}

/* The step to the minimum of G over the box: 1/2 z'H z - p'z with p = H x - g. */
static void step_within(struct omp *omp) {
    int64_t k = omp->size;

    for (int64_t i = 0; i < k; i++) {
        omp->z[i] = omp->point.x[omp->columns[i]];
    }
    for (int64_t i = 0; i < k; i++) {
        omp->p[i] = vector_dot(k, omp->H + i * omp->capacity, omp->z) - omp->g[omp->columns[i]];
    }
    box_minimise(&omp->box, k, omp->H, omp->capacity, omp->p, omp->lower, omp->upper, omp->z);
    for (int64_t i = 0; i < k; i++) {
        omp->step[i] = omp->z[i] - omp->point.x[omp->columns[i]];
    }
}

/*
 * x_S = argmin G: one Newton step from the current x, because G is quadratic, or a few within bounds.   L L' d = -g_S
 */
static double minimise(struct omp *omp) {
    const struct problem *problem = omp->problem;

    for (int64_t i = 0; i < omp->size; i++) {
        omp->step[i] = -omp->g[omp->columns[i]];
    }
    cholesky_solve(omp->size, omp->L, omp->capacity, omp->step);
    if (problem->lower != NULL && !stays_within(omp)) {
        step_within(omp);
    }
    point_change(&omp->point, omp->size, omp->columns, omp->step);
    for (int64_t i = 0; problem->lower != NULL && i < omp->size; i++) { /* rounding of the sum */
        omp->point.x[omp->columns[i]] = problem_clip(problem, omp->columns[i], omp->point.x[omp->columns[i]]);
    }
    return vector_norm(omp->size, omp->step);
}

/* List the open columns along which G decreases and whose unit may still enter in `open`, with their gains in
 * run->keys. */
static int64_t list_open(struct omp *omp) {
    const struct feasible *set = &omp->problem->set;
    int64_t count = 0;

    for (int64_t j = 0; j < set->columns; j++) {
        double root = omp->closed[j] || set->unit_of[j] < 0 ? 0 : promise(omp, j);

        if (isgreater(root, 0) && set->rule->may_enter(set, omp->used, set->unit_of[j], -1)) {
            omp->run->keys[count] = set->rule->adds ? root * root : root;
            omp->open[count++] = j;
        }
    }
    return count;
}

/* Returns how many columns of the unit are independent of those that are in. */
static int64_t append_unit(struct omp *omp, int64_t unit) {
    const struct feasible *set = &omp->problem->set;
    int64_t entered = 0;

    for (int64_t i = set->unit_start[unit]; i < set->unit_start[unit + 1]; i++) {
        entered += !omp->closed[set->unit_columns[i]] && append(omp, set->unit_columns[i]);
    }
    return entered;
}

/* Enter the best unit, with all its columns, under groups or with barred columns; returns 0 if no unit lowers G. */
static int enter_unit(struct omp *omp) {
    const struct feasible *set = &omp->problem->set;
    int64_t *chosen = omp->run->chosen;
    int64_t entered = 0, count = 1, unit = -1;

    while (entered == 0 && count > 0) {
        count = list_open(omp);
        count = set->rule->choose(set, 1, count, omp->open, omp->run->keys, &omp->run->work, chosen);
        if (count > 0) {
            unit = set->unit_of[omp->open[chosen[0]]];
            entered = append_unit(omp, unit);
        }
    }
    if (entered > 0) {
        feasible_note(set, omp->used, unit, 1);
    }
    return entered > 0;
}

/* Enter one more column; returns 0 if none lowers G. */
static int enter(struct omp *omp) {
    int64_t j = best_column(omp);

    while (j >= 0 && !append(omp, j)) {
        j = best_column(omp);
    }
    return j >= 0;
}

static int record(struct omp *omp, double step) {
    const struct point *point = &omp->point;
    double squares = vector_sum_squares(omp->problem->A->rows, point->residual) / 2;
    struct iteration iteration = {.objective = point_objective(point), .step = step, .support = point->counted};

    reduce_sum(omp->problem->A->reduce, &squares, 1);
    iteration.penalised = squares + omp->tau * point_smooth_value(point);
    return run_iteration(omp->run, point->x, &iteration);
}

/* A caller that already has a model may call off the selection between two passes; then no column is in yet. */
static int is_called_off(const struct omp *omp) {
    return omp->run->is_fitted_later && run_must_stop(omp->run);
}

static void pursue(struct omp *omp) {
    int stopped = is_called_off(omp);

    if (!stopped) {
        gradient(omp);
        stopped = is_called_off(omp);
    }
    for (int64_t i = 0; i < omp->problem->free_count && !stopped; i++) {
        if (!omp->closed[omp->problem->free_columns[i]]) {
            append(omp, omp->problem->free_columns[i]);
        }
    }
    if (!stopped) {
        minimise(omp);
        stopped = is_called_off(omp);
    }
    for (int64_t chosen = 0; chosen < omp->run->sparsity && !stopped; chosen++) {
        gradient(omp);
        if (!(omp->problem->set.is_plain ? enter(omp) : enter_unit(omp))) {
            break;
        }
        stopped = record(omp, minimise(omp));
    }
}

static spgm_error finish(struct omp *omp, spgm_status *status) {
    struct run *run = omp->run;
    struct fit_report report;
    double began = clock_seconds();
    spgm_error error;

    if (run_is_over(run)) {
        return SPGM_OK;
    }
    vector_copy(omp->problem->A->columns, omp->point.x, run->x);
    if (run->is_fitted_later) {
        run->outcome = SPGM_CONVERGED;
        return SPGM_OK;
    }
    error =
        fit_once(omp->problem, omp->point.support_size, omp->point.support, run->x, &report, run_is_late, run, status);
    if (error == SPGM_OK) {
        run_offer(run, run->x, report.objective);
        run->outcome = run_is_over(run) ? run->outcome : SPGM_CONVERGED;
    }
    run->timers[RUN_TIMER_POLISH] += clock_seconds() - began;
    return error;
}

static spgm_error omp_run(struct run *run, spgm_status *status) {
    struct workspace workspace = {.memory = run->problem->A->memory};
    struct omp omp;
    spgm_error error;

    omp_init(&omp, run, &workspace);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    } else {
        omp_start(&omp);
        pursue(&omp);
        error = finish(&omp, status);
    }
    workspace_free(&workspace);
    return error;
}

const struct method method_omp = {
    .name = "omp",
    .summary = "orthogonal matching pursuit on the squared loss, then exact minimisation over its support",
    .run = omp_run,
};
