/*
 * SPGM-IHT: minimise f(x) + h(A x - b) subject to ||x||_0 <= s by smoothing and iterative hard thresholding.
 *
 *     G. Yuan, Smoothing Proximal Gradient Methods for Nonsmooth Sparsity Constrained Optimization, Algorithm 1, Option
 * I.
 */
#include "method/spgm_iht/spgm_iht.h"
#include "method/constants.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/select.h"
#include "linalg/vector.h"
#include "method/smoothing_stages.h"

static int64_t norm_work_size(const struct problem *problem) {
    int64_t rows = problem->A->rows;

    if (problem->f.C != NULL && problem->f.C->rows > rows) {
        rows = problem->f.C->rows;
    }
    return 2 * problem->A->columns + rows;
}

void iht_init(struct iht *iht, struct run *run, struct workspace *workspace) {
    const struct problem *problem = run->problem;
    double *work = workspace_doubles(workspace, norm_work_size(problem));
    struct stop stop = run_stop_half(run);
    int64_t n = problem->A->columns;

    smoothing_init(&iht->base, run, workspace);
    iht->theta = run->options->theta;
    iht->adaptive = run_is_tuned(run) || (!run_is_plain(run) && strcmp(run->options->step_bound, "adaptive") == 0);
    iht->kept = run->sparsity + problem->free_count;
    iht->cut = 0;
    iht->chosen = workspace_integers(workspace, n);
    iht->value = workspace_doubles(workspace, n);
    iht->x_plus = workspace_doubles(workspace, n);
    iht->keys = workspace_doubles(workspace, n);
    iht->near = workspace_doubles(workspace, n);
    iht->scratch = workspace_doubles(workspace, n);
    iht->listed = workspace_integers(workspace, n);
    iht->among = workspace_integers(workspace, n);
    iht->old_support = workspace_integers(workspace, iht->adaptive ? n : 0);
    iht->old_value = workspace_doubles(workspace, iht->adaptive ? n : 0);
    iht->old_residual = workspace_doubles(workspace, iht->adaptive ? problem->A->rows : 0);
    if (workspace->failed) {
        return;
    }
    iht->M_s = smooth_smoothness(&problem->f, work, &stop);
    iht->norm = linop_norm_until(problem->A, work, &stop);
    iht->A_s = run_is_plain(run) ? iht->norm / sqrt(run->options->step_scale) : iht->norm;
    if (iht->adaptive) { /* A_s can never be less than the largest column norm */
        linop_column_squares(problem->A, work);
        iht->A_s = fmin(iht->norm, sqrt(vector_norm_inf(n, work)));
    }
}

void iht_start(struct iht *iht) {
    smoothing_start(&iht->base);
}

/*
 * The indices of the largest keys, ties to the lower index. Most keys are below the smallest one kept last time; if
 * enough are not, only these take part in the selection.
 */
static void choose_largest(struct iht *iht) {
    const double *restrict keys = iht->keys;
    int64_t n = iht->base.problem->A->columns;
    int64_t count = 0;
    double smallest = INFINITY;

    for (int64_t j = 0; j < n; j++) {
        iht->listed[count] = j;
        iht->near[count] = keys[j];
        count += keys[j] >= iht->cut;
    }
    if (count < iht->kept) {
        select_largest(n, keys, iht->kept, iht->chosen, iht->scratch);
    } else {
        select_largest(count, iht->near, iht->kept, iht->among, iht->scratch);
        for (int64_t i = 0; i < iht->kept; i++) {
            iht->chosen[i] = iht->listed[iht->among[i]];
        }
    }
    for (int64_t i = 0; i < iht->kept; i++) {
        smallest = fmin(smallest, keys[iht->chosen[i]]);
    }
    iht->cut = IHT_CUT * smallest;
}

/* The same under groups or with barred columns. */
static void choose_by_rule(struct iht *iht) {
    const struct feasible *set = &iht->base.problem->set;
    struct run *run = iht->base.run;

    iht->kept = set->rule->choose(set, run->sparsity, set->columns, NULL, iht->keys, &run->work, iht->chosen);
}

/* Clip x_plus to its bounds and set the keys to its gains. */
static void bound_keys(struct iht *iht) {
    const struct problem *problem = iht->base.problem;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        iht->keys[j] = problem_key(problem, j, iht->x_plus[j]);
        iht->x_plus[j] = problem_clip(problem, j, iht->x_plus[j]);
    }
}

/* x+ = Pi_s(x - r / H), H = A_s^2 / mu + M_s + theta; free columns are kept.   (eq. 10) */
static void threshold(struct iht *iht) {
    const struct problem *problem = iht->base.problem;
    double H = iht->A_s * iht->A_s + iht->base.mu * (iht->M_s + iht->theta); /* mu H^t                 */
    double inverse = H >= DBL_MIN ? 1 / H : 0;                               /* H = 0: A = 0 and f = 0 */
    const double *restrict x = iht->base.point.x;
    const double *restrict g = iht->base.g;
    double *restrict x_plus = iht->x_plus;
    double *restrict keys = iht->keys;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        x_plus[j] = x[j] - g[j] * inverse;
        keys[j] = fabs(x_plus[j]);
    }
    if (problem->lower != NULL || problem->set.rule->adds) {
        bound_keys(iht);
    }
    if (problem->set.is_plain) {
        for (int64_t i = 0; i < problem->free_count; i++) {
            keys[problem->free_columns[i]] = INFINITY;
        }
        choose_largest(iht);
    } else {
        choose_by_rule(iht);
    }
    for (int64_t i = 0; i < iht->kept; i++) {
        iht->value[i] = x_plus[iht->chosen[i]];
    }
}

/* ||x^{t+1} - x^t||, over the merged supports of both. */
static double step_length(const struct iht *iht) {
    const struct point *point = &iht->base.point;
    double sum = 0;
    int64_t p = 0;

    for (int64_t i = 0; i < iht->kept; i++) {
        double change = iht->value[i] - point->x[iht->chosen[i]];

        for (; p < point->support_size && point->support[p] < iht->chosen[i]; p++) {
            sum += point->x[point->support[p]] * point->x[point->support[p]];
        }
        p += p < point->support_size && point->support[p] == iht->chosen[i];
        sum += change * change;
    }
    for (; p < point->support_size; p++) {
        sum += point->x[point->support[p]] * point->x[point->support[p]];
    }
    return sqrt(sum);
}

static double row_norm(const struct linop *A, const double *v) {
    double sum = vector_sum_squares(A->rows, v);

    reduce_sum(A->reduce, &sum, 1);
    return sqrt(sum);
}

static void remember_point(struct iht *iht) {
    const struct point *point = &iht->base.point;

    iht->old_size = point->support_size;
    for (int64_t i = 0; i < point->support_size; i++) {
        iht->old_support[i] = point->support[i];
        iht->old_value[i] = point->x[point->support[i]];
    }
    vector_copy(iht->base.problem->A->rows, point->residual, iht->old_residual);
}

/*
 * Whether M-dot majorises R at the new point. f is M_s-smooth, so it does if ||A x^{t+1} - A x^t|| <= A_s ||x^{t+1} -
 * x^t||. The slack is the rounding error of the difference.   (eq. 8)
 */
static int bound_holds(struct iht *iht, double *ratio) {
    const struct linop *A = iht->base.problem->A;
    const double *c = iht->base.point.residual;
    double step = iht->base.iteration.step;
    double slack = 16 * DBL_EPSILON * (row_norm(A, c) + row_norm(A, iht->base.problem->b));
    double moved;

    vector_axpy(A->rows, -1, c, iht->old_residual);
    moved = row_norm(A, iht->old_residual);
    *ratio = moved / step;
    return !isless(iht->A_s, iht->norm) || islessequal(moved, iht->A_s * step + slack);
}

/* x^{t+1} in argmin M-dot(x, x^t, y^t; mu^t) over ||x||_0 <= s, with the first A_s that passes the check.   (eq. 5) */
static void x_step(struct iht *iht) {
    struct point *point = &iht->base.point;

    for (;;) {
        double ratio;

        threshold(iht);
        iht->base.iteration.step = step_length(iht);
        if (iht->adaptive) {
            remember_point(iht);
        }
        point_set_columns(point, iht->kept, iht->chosen, iht->value);
        if (!iht->adaptive || bound_holds(iht, &ratio)) {
            return;
        }
        iht->A_s = fmin(iht->norm, IHT_RAISE * fmax(iht->A_s, ratio));
        point_set_columns(point, iht->old_size, iht->old_support, iht->old_value);
    }
}

void iht_step(struct iht *iht) {
    smoothing_next(&iht->base);     /* mu^t                                                        (S3) */
    smoothing_gradient(&iht->base); /* r^t = grad f(x^t) + A'(A x^t - b - y^t) / mu^t                   */
    smoothing_lap(&iht->base, RUN_TIMER_GRADIENT);
    x_step(iht); /* x^{t+1} = Pi_s(x^t - r^t / H^t)                                            (S1) */
    smoothing_lap(&iht->base, RUN_TIMER_XSTEP);
    smoothing_y_step(&iht->base); /* y^{t+1} = P_mu^t(A x^{t+1} - b)                           (S2) */
    smoothing_lap(&iht->base, RUN_TIMER_YSTEP);
}

static void step(void *iht) {
    iht_step(iht);
}

/* Passes of a step: A'd, and the columns of x. */
static double passes_of_step(const struct run *run) {
    return 1 + (double)run_capacity(run) / (double)run->problem->A->columns;
}

static spgm_error iht_run(struct run *run, spgm_status *status) {
    struct workspace workspace = {.memory = run->problem->A->memory};
    struct iht iht;
    spgm_error error = SPGM_OK;

    iht_init(&iht, run, &workspace);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
        goto cleanup;
    }
    iht_start(&iht);
    if (run_is_tuned(run)) {
        error = stages_run(&(struct stages){&iht.base, step, &iht, passes_of_step(run), NULL, 0, 0}, status);
        goto cleanup;
    }
    do {
        iht_step(&iht);
    } while (!run_iteration(run, iht.base.point.x, &iht.base.iteration));
cleanup:
    workspace_free(&workspace);
    return error;
}

const struct method method_spgm_iht = {
    .name = "spgm-iht",
    .summary = "smoothing proximal gradient method with iterative hard thresholding (cheap steps)",
    .run = iht_run,
};
