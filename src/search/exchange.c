#include "search/exchange.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"

/* ---- memory --------------------------------------------------------------------------------------------------- */

static void take_arrays(struct exchange *e) {
    const struct problem *problem = e->problem;
    struct workspace *workspace = &e->workspace;
    int64_t n = problem->A->columns;
    int64_t m = problem->A->rows;

    e->support = workspace_integers(workspace, e->capacity);
    e->x = workspace_doubles(workspace, n);
    e->inside = workspace_array(workspace, n, 1);
    e->price = workspace_doubles(workspace, n);
    e->weight = workspace_doubles(workspace, m);
    e->curvature = workspace_doubles(workspace, n);
    e->inverse = workspace_doubles(workspace, e->capacity <= INT32_MAX ? 2 * e->capacity * e->capacity : -1);
    e->squares = workspace_doubles(workspace, n);
    e->diagonal = workspace_doubles(workspace, n);
    e->residual = workspace_doubles(workspace, m);
    e->dual = workspace_doubles(workspace, m);
    e->state = workspace_doubles(workspace, smooth_state_size(&problem->f));
}

static void measure_columns(struct exchange *e) {
    linop_column_squares(e->problem->A, e->squares);
    for (int64_t j = 0; j < e->problem->A->columns; j++) {
        smooth_add_curvature(&e->problem->f, 1, &j, &e->diagonal[j]);
    }
}

struct exchange *exchange_new(const struct problem *problem, int64_t capacity) {
    struct exchange *e = memory_array(1, sizeof *e);

    if (e == NULL) {
        return NULL;
    }
    e->problem = problem;
    e->capacity = capacity;
    e->fit = fit_new(problem, capacity);
    take_arrays(e);
    if (e->fit == NULL || e->workspace.failed) {
        exchange_free(e);
        return NULL;
    }
    measure_columns(e);
    return e;
}

void exchange_free(struct exchange *exchange) {
    if (exchange != NULL) {
        fit_free(exchange->fit);
        workspace_free(&exchange->workspace);
        memory_free(exchange);
    }
}

void exchange_set_stop(struct exchange *exchange, int (*must_stop)(void *context), void *context) {
    exchange->stop = (struct stop){.must_stop = must_stop, .context = context};
    fit_set_stop(exchange->fit, must_stop, context);
}

size_t exchange_bytes(const struct problem *problem, int64_t capacity) {
    size_t k = (size_t)capacity;

    return fit_bytes(problem, capacity) +
           sizeof(double) * (2 * k * k + 5 * (size_t)problem->A->columns + 2 * (size_t)problem->A->rows);
}

/* ---- the fit -------------------------------------------------------------------------------------------------- */

void exchange_adopt(struct exchange *e, int64_t size, const int64_t *support, const double *x) {
    if (x != e->x) {
        vector_copy(e->problem->A->columns, x, e->x);
    }
    memset(e->inside, 0, (size_t)e->problem->A->columns);
    for (int64_t i = 0; i < size; i++) {
        e->support[i] = support[i];
        e->inside[support[i]] = 1;
    }
    e->size = size;
    e->is_fitted = 0;
}

spgm_error exchange_fit(struct exchange *e, int64_t size, const int64_t *support, const double *x,
                        spgm_status *status) {
    spgm_error error;

    exchange_adopt(e, size, support, x);
    fit_set_support(e->fit, size, e->support);
    fit_gather(e->fit, e->x);
    fit_rough(e->fit, 0, INFINITY);
    error = fit_error(e->fit, status);
    if (error == SPGM_OK) {
        fit_scatter(e->fit, e->x);
        e->objective = fit_objective(e->fit);
        e->bound = fit_bound(e->fit);
        e->is_fitted = 1;
    }
    return error;
}

/* ---- the model ------------------------------------------------------------------------------------------------ */

/* c = A x - b and grad f(x), and with them p = A'u + grad f(x). */
static void make_prices(struct exchange *e) {
    const struct problem *problem = e->problem;

    linop_multiply(problem->A, e->x, e->residual);
    vector_axpy(problem->A->rows, -1, problem->b, e->residual);
    smooth_refresh(&problem->f, e->x, e->state);
    if (e->is_fitted) {
        vector_copy(problem->A->rows, fit_dual(e->fit), e->dual);
    } else {
        problem->h.ops->subgradient(&problem->h, e->residual, e->dual);
    }
    linop_transpose(problem->A, e->dual, e->price);
    smooth_gradient(&problem->f, e->x, e->state, e->curvature); /* borrowed: filled afresh below */
    vector_axpy(problem->A->columns, 1, e->curvature, e->price);
}

static void make_weights(struct exchange *e, int level) {
    double sums[2] = {0, (double)e->problem->A->rows};

    e->problem->h.ops->curvature(&e->problem->h, e->residual, e->dual, level % e->problem->h.kind->levels, e->weight);
    for (int64_t i = 0; i < e->problem->A->rows; i++) {
        sums[0] += e->weight[i];
    }
    reduce_sum(e->problem->A->reduce, sums, 2);
    for (int64_t j = 0; j < e->problem->A->columns; j++) {
        e->curvature[j] = sums[0] / sums[1] * e->squares[j] + e->diagonal[j];
    }
}

/* M = (A_S'WA_S + M~_SS)^-1, with a little on the diagonal for dependent columns. */
static int invert(struct exchange *e) {
    int64_t k = e->size;
    double *H = e->inverse;
    double top = 0;

    e->stop.stopped = 0;
    if (!linop_gram_until(e->problem->A, k, e->support, e->weight, H, &e->stop) ||
        !smooth_add_curvature_until(&e->problem->f, k, e->support, H, &e->stop)) {
        return 0;
    }
    for (int64_t i = 0; i < k; i++) {
        top = fmax(top, H[i + i * k]);
    }
    for (int64_t i = 0; i < k; i++) {
        H[i + i * k] += 1e-10 * (top > 0 ? top : 1);
    }
    return dense_factor_until(k, H, k, &e->stop) && dense_invert_until(k, H, H + k * k, &e->stop);
}

int exchange_model(struct exchange *e, int level) {
    make_prices(e);
    make_weights(e, level);
    return invert(e);
}

double exchange_gain(const struct exchange *e, int64_t q) {
    if (e->inside[q] || !isgreater(e->curvature[q], 0)) {
        return -1;
    }
    return e->price[q] * (e->price[q] / e->curvature[q]) / 2;
}

double exchange_cost(const struct exchange *e, int64_t i) {
    double x = e->x[e->support[i]];

    return e->problem->is_free[e->support[i]] ? INFINITY : x * (x / e->inverse[i + i * e->size]) / 2;
}
