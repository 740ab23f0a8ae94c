/* Polish: memory, evaluation of a primal-dual pair with its proof, and the choice of the algorithm by the loss. */
#include "method/polish/polish.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "method/polish/internal.h"

/* ---- memory --------------------------------------------------------------------------------------------------- */

static int64_t parts_of(const struct loss *h) {
    if (h->up == NULL) {
        return 1;
    }
    for (int64_t i = 0; i < h->rows; i++) {
        if (h->dead[i] > 0) {
            return 2;
        }
    }
    return 1;
}

static void take_system(struct system *system, int64_t size, struct workspace *workspace) {
    int64_t square = size <= INT32_MAX ? size * size : -1;

    system->N = workspace_doubles(workspace, square);
    system->R = workspace_doubles(workspace, square);
    system->scaling = workspace_doubles(workspace, size);
    system->residual = workspace_doubles(workspace, size);
    system->correction = workspace_doubles(workspace, size);
}

static void take_interior(struct interior *in, int64_t rows, struct workspace *workspace) {
    double **arrays[] = {&in->low,     &in->high,     &in->shift, &in->primal, &in->primal2, &in->dual, &in->dual2,
                         &in->dprimal, &in->dprimal2, &in->ddual, &in->ddual2, &in->W,       &in->g};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = workspace_doubles(workspace, in->parts * rows);
    }
    in->weight = workspace_doubles(workspace, rows);
    in->image = workspace_doubles(workspace, rows);
    in->scratch = workspace_doubles(workspace, rows);
}

static void take_vectors(struct polish *p, int64_t rows, int64_t columns) {
    double **of_support[] = {&p->reach, &p->lengths, &p->z, &p->gradient, &p->w, &p->best_z, &p->dz, &p->rhs, &p->more};

    for (size_t i = 0; i < sizeof of_support / sizeof *of_support; i++) {
        *of_support[i] = workspace_doubles(&p->workspace, p->capacity + 1);
    }
    p->Q = workspace_doubles(&p->workspace, p->capacity <= INT32_MAX ? p->capacity * p->capacity : -1);
    p->u = workspace_doubles(&p->workspace, rows);
    p->r = workspace_doubles(&p->workspace, rows);
    p->x = workspace_doubles(&p->workspace, columns);
    p->state = workspace_doubles(&p->workspace, smooth_state_size(&p->problem->f));
}

struct polish *polish_new(const struct problem *problem, int64_t capacity) {
    struct polish *p = memory_array(1, sizeof *p);

    if (p == NULL) {
        return NULL;
    }
    p->problem = problem;
    p->capacity = capacity;
    p->cutoff = INFINITY;
    p->interior.parts = parts_of(&problem->h);
    take_system(&p->system, capacity + 1, &p->workspace);
    take_interior(&p->interior, problem->A->rows, &p->workspace);
    take_vectors(p, problem->A->rows, problem->A->columns);
    if (p->workspace.failed) {
        polish_free(p);
        return NULL;
    }
    return p;
}

void polish_free(struct polish *polish) {
    if (polish != NULL) {
        workspace_free(&polish->workspace);
        memory_free(polish);
    }
}

size_t polish_bytes(const struct problem *problem, int64_t capacity) {
    double k = (double)capacity + 1;
    double m = (double)problem->A->rows;

    return (size_t)(sizeof(double) * (3 * k * k + 14 * k + (6 + 11 * (double)parts_of(&problem->h)) * m));
}

/* ---- a pair (z, u) -------------------------------------------------------------------------------------------- */

double polish_sum(const struct polish *p, double part) {
    reduce_sum(p->problem->A->reduce, &part, 1);
    return part;
}

double polish_max(const struct polish *p, double part) {
    reduce_max(p->problem->A->reduce, &part, 1);
    return part;
}

void polish_transpose(const struct polish *p, const double *v, double *g) {
    linop_transpose_columns(p->problem->A, p->k, p->support, v, g);
}

/* x, r, the state and the gradient of f, from z; returns F. */
static double evaluate_primal(struct polish *p) {
    const struct problem *problem = p->problem;

    for (int64_t i = 0; i < problem->A->rows; i++) {
        p->r[i] = -problem->b[i];
    }
    linop_add_columns(problem->A, p->k, p->support, p->z, p->r); /* r = A z - b */
    for (int64_t i = 0; i < p->k; i++) {
        p->x[p->support[i]] = p->z[i];
    }
    smooth_refresh(&problem->f, p->x, p->state);
    smooth_gradient_columns(&problem->f, p->x, p->state, p->k, p->support, p->gradient);
    return smooth_value(&problem->f, p->x, p->state) + problem->h.ops->value(&problem->h, p->r);
}

/*
 * The most that w'd + ridge d^2 / 2 can fall below zero. Where ridge is 0, w must vanish; what rounding leaves of it is
 * charged over the reach of d, and a w above rounding proves nothing.
 */
static double charge(double w, double ridge, double reach, double rounding) {
    double by_ridge = ridge > 0 ? w * w / (2 * ridge) : (w == 0 ? 0.0 : INFINITY);
    double by_reach = fabs(w) <= rounding ? fabs(w) * reach : INFINITY;

    return fmin(by_ridge, by_reach);
}

/*
 * F(z + d) >= u'(A(z + d) - b) - h*(u) + f(z) + grad f(z)'d + sum_j ridge_j d_j^2 / 2
 *           = u'r - h*(u) + f(z) + w'd + sum_j ridge_j d_j^2 / 2,         w = A_S'u + grad f(z),
 * for u in dom h*.
 */
static double dual_bound(struct polish *p) {
    const struct problem *problem = p->problem;
    const struct loss *h = &problem->h;
    int64_t m = problem->A->rows;
    double length = sqrt(polish_sum(p, vector_sum_squares(m, p->u)));
    double bound = polish_sum(p, vector_dot(m, p->u, p->r)) - h->ops->conjugate(h, p->u);

    bound += smooth_value(&problem->f, p->x, p->state);
    for (int64_t j = 0; j < p->k; j++) {
        double rounding = 1e-9 * (p->lengths[j] * length + fabs(p->gradient[j]));

        bound -= charge(p->w[j], problem->f.ridge[p->support[j]], 10 * (p->reach[j] + fabs(p->z[j])), rounding);
    }
    return isnan(bound) ? -INFINITY : bound;
}

double polish_size(const struct polish *p) {
    return fmax(fabs(p->best_objective), 1e-6 * p->zero_objective);
}

static double relative_gap(const struct polish *p) {
    double gap = fmax(p->best_objective - p->best_bound, 0);

    return gap == 0 ? 0 : gap / polish_size(p);
}

double polish_evaluate(struct polish *p) {
    double F = evaluate_primal(p);
    double bound;

    if (isless(F, p->best_objective)) {
        p->best_objective = F;
        vector_copy(p->k, p->z, p->best_z);
    }
    p->problem->h.ops->project_dual(&p->problem->h, p->u); /* u in dom h*: no more than rounding in most calls */
    polish_transpose(p, p->u, p->w);
    for (int64_t j = 0; j < p->k; j++) {
        p->w[j] += p->gradient[j]; /* w = A_S'u + grad f */
    }
    bound = dual_bound(p);
    if (isgreater(bound, p->best_bound)) {
        p->best_bound = bound;
    }
    return relative_gap(p);
}

void polish_set_stop(struct polish *polish, int (*must_stop)(void *context), void *context) {
    polish->must_stop = must_stop;
    polish->stop_context = context;
}

void polish_set_limits(struct polish *polish, double gap, double cutoff) {
    polish->enough = gap;
    polish->cutoff = cutoff;
}

int polish_continue(const struct polish *p, double gap, struct patience *patience) {
    if (p->must_stop != NULL && p->must_stop(p->stop_context)) {
        return 0;
    }
    if (isless(gap, patience->gap / 2) || isinf(gap)) {
        patience->gap = gap;
        patience->idle = 0;
    } else {
        patience->idle++;
    }
    return isgreater(gap, POLISH_GAP) && p->steps < POLISH_MAX_STEPS &&
           (patience->idle < 2 || isgreater(gap, POLISH_ENOUGH));
}

/* ---- one support ---------------------------------------------------------------------------------------------- */

static void measure_columns(struct polish *p) {
    const struct problem *problem = p->problem;
    double length_b = sqrt(polish_sum(p, vector_sum_squares(problem->A->rows, problem->b)));
    double *N = p->system.N;
    double largest = 0;

    linop_gram(problem->A, p->k, p->support, NULL, N);
    memset(p->Q, 0, sizeof(double) * (size_t)(p->k * p->k));
    smooth_add_curvature(&problem->f, p->k, p->support, p->Q);
    for (int64_t j = 0; j < p->k; j++) {
        p->lengths[j] = sqrt(N[j + j * p->k]);
        p->reach[j] = p->lengths[j] > 0 ? length_b / p->lengths[j] : 0;
        largest = fmax(largest, fabs(p->Q[j + j * p->k]));
    }
    p->has_curvature = largest > 0;
}

static void begin(struct polish *p, int64_t k, const int64_t *support, const double *x) {
    const struct loss *h = &p->problem->h;
    int64_t m = p->problem->A->rows;

    p->k = k;
    p->support = support;
    p->steps = 0;
    p->best_objective = INFINITY;
    p->best_bound = -INFINITY;
    memset(p->x, 0, sizeof(double) * (size_t)p->problem->A->columns);
    memset(p->z, 0, sizeof(double) * (size_t)k);
    memset(p->u, 0, sizeof(double) * (size_t)m);
    measure_columns(p);
    polish_evaluate(p);
    p->zero_objective = fabs(p->best_objective);
    for (int64_t i = 0; i < k; i++) {
        p->z[i] = x[support[i]];
    }
    evaluate_primal(p);
    h->ops->subgradient(h, p->r, p->u);
}

static spgm_error minimise(struct polish *p, spgm_status *status) {
    const struct loss *h = &p->problem->h;

    if (islessequal(polish_evaluate(p), POLISH_GAP)) {
        return SPGM_OK;
    }
    if (h->up != NULL) {
        interior_run(p, &interior_rows);
    } else if (strcmp(h->kind->name, "linf") == 0) {
        interior_run(p, &interior_maximum);
    } else if (strcmp(h->kind->name, "l2") == 0) {
        euclidean_run(p);
    } else if (strcmp(h->kind->name, "squared") == 0) {
        squares_run(p);
    } else {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "The loss %s cannot be minimised exactly over a support; set polish to false.",
                          h->kind->name);
    }
    return SPGM_OK;
}

spgm_error polish_run(struct polish *p, int64_t k, const int64_t *support, double *x, struct polish_report *report,
                      spgm_status *status) {
    spgm_error error;

    begin(p, k, support, x);
    error = minimise(p, status);
    if (error != SPGM_OK) {
        return error;
    }
    memset(x, 0, sizeof(double) * (size_t)p->problem->A->columns);
    for (int64_t i = 0; i < k; i++) {
        x[support[i]] = p->best_z[i];
    }
    if (report != NULL) {
        *report = (struct polish_report){p->best_objective, p->best_bound, relative_gap(p), p->steps};
    }
    return SPGM_OK;
}

const double *polish_dual(const struct polish *polish) {
    return polish->u;
}

spgm_error polish_support(const struct problem *problem, int64_t k, const int64_t *support, double *x,
                          struct polish_report *report, spgm_status *status) {
    struct polish *p = polish_new(problem, k);
    spgm_error error;

    if (p == NULL) {
        return status_memory(status, polish_bytes(problem, k));
    }
    error = polish_run(p, k, support, x, report, status);
    polish_free(p);
    return error;
}

int64_t polish_support_of(const struct problem *problem, const double *x, int64_t *support) {
    int64_t k = 0;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        if (x[j] != 0 || problem->is_free[j]) {
            support[k++] = j;
        }
    }
    return k;
}
