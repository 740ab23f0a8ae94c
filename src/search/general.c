/*
 * The search for every loss, smooth term and operator: local search (local.h) from perturbed supports. A restart takes
 * the best support, or one time in three the last one, and replaces some of its columns: half of the newcomers are
 * drawn from the columns with the largest price, half from all.
 */
#include <math.h>
#include <string.h>

#include "fit/fit.h"
#include "linalg/vector.h"
#include "search/local.h"
#include "search/searcher.h"

struct general {
    struct run *run;
    const struct problem *problem;
    struct local *local;
    struct workspace workspace;
    double *x;        /* [columns]                         */
    double *price;    /* |A'u + grad f| / ||a|| [columns]  */
    double *squares;  /* ||a_j||^2 [columns]               */
    double *residual; /* [rows]                            */
    double *dual;     /* [rows]                            */
    double *state;    /* of f                              */
    int64_t *support; /* [columns]                         */
    unsigned char *inside;
};

static void destroy(void *object) {
    struct general *g = object;

    if (g != NULL) {
        local_free(g->local);
        workspace_free(&g->workspace);
        memory_free(g);
    }
}

static void take(struct general *g) {
    struct workspace *w = &g->workspace;
    int64_t n = g->problem->A->columns;

    g->x = workspace_doubles(w, n);
    g->price = workspace_doubles(w, n);
    g->squares = workspace_doubles(w, n);
    g->residual = workspace_doubles(w, g->problem->A->rows);
    g->dual = workspace_doubles(w, g->problem->A->rows);
    g->state = workspace_doubles(w, smooth_state_size(&g->problem->f));
    g->support = workspace_integers(w, n);
    g->inside = workspace_array(w, n, 1);
}

static spgm_error create(struct run *run, void **object, spgm_status *status) {
    struct general *g = memory_array(1, sizeof *g);
    spgm_error error;

    *object = NULL;
    if (g == NULL) {
        return status_memory(status, sizeof *g);
    }
    g->run = run;
    g->problem = run->problem;
    take(g);
    error = g->workspace.failed ? status_memory(status, g->workspace.bytes) : local_new(run, &g->local, status);
    if (error != SPGM_OK) {
        destroy(g);
        return error;
    }
    linop_column_squares(g->problem->A, g->squares);
    *object = g;
    return SPGM_OK;
}

/* How much F would fall at first along each column, at x: |A'u + grad f(x)| / ||a_j||. */
static void make_prices(struct general *g, const double *x) {
    const struct problem *problem = g->problem;

    linop_multiply(problem->A, x, g->residual);
    vector_axpy(problem->A->rows, -1, problem->b, g->residual);
    problem->h.ops->subgradient(&problem->h, g->residual, g->dual);
    linop_transpose(problem->A, g->dual, g->price);
    smooth_refresh(&problem->f, x, g->state);
    smooth_gradient(&problem->f, x, g->state, g->x);
    for (int64_t j = 0; j < problem->A->columns; j++) {
        g->price[j] = g->squares[j] > 0 ? fabs(g->price[j] + g->x[j]) / sqrt(g->squares[j]) : 0;
    }
}

/* The better priced of `tries` columns drawn from those outside. */
static int64_t draw_column(struct general *g, int tries) {
    int64_t best = -1;

    for (int t = 0; t < tries; t++) {
        int64_t q = random_below(&g->run->random, g->problem->A->columns);

        while (g->inside[q]) {
            q = (q + 1) % g->problem->A->columns;
        }
        best = best < 0 || g->price[q] > g->price[best] ? q : best;
    }
    return best;
}

static void mark(struct general *g, int64_t size) {
    memset(g->inside, 0, (size_t)g->problem->A->columns);
    for (int64_t i = 0; i < g->problem->free_count; i++) {
        g->inside[g->problem->free_columns[i]] = 1;
    }
    for (int64_t i = 0; i < size; i++) {
        g->inside[g->support[i]] = 1;
    }
}

/* Until as many columns are in as may be. */
static int64_t fill_up(struct general *g, int64_t size) {
    while (size < g->problem->free_count + g->run->sparsity) {
        g->support[size] = draw_column(g, 8);
        g->inside[g->support[size++]] = 1;
    }
    return size;
}

static spgm_error start_from(void *object, const double *x, double worthwhile, spgm_status *status) {
    struct general *g = object;
    int64_t size = fit_support_of(g->problem, x, g->support);

    (void)worthwhile; /* there are few starts, and each may lead elsewhere */
    mark(g, size);
    make_prices(g, x);
    vector_copy(g->problem->A->columns, x, g->x);
    return local_improve(g->local, fill_up(g, size), g->support, g->x, status);
}

static spgm_error restart(void *object, spgm_status *status) {
    struct general *g = object;
    struct random *random = &g->run->random;
    const double *from = random_below(random, 3) == 0 ? local_x(g->local) : g->run->best_x;
    int64_t s = g->run->sparsity;
    int64_t moves = 1 + random_below(random, 2 + s / 4);
    int64_t size = fit_support_of(g->problem, from, g->support);

    mark(g, size);
    make_prices(g, from);
    vector_copy(g->problem->A->columns, from, g->x);
    size = fill_up(g, size);
    for (int64_t t = 0; t < moves; t++) {
        int64_t i = random_below(random, size);

        if (!g->problem->is_free[g->support[i]]) {
            int64_t q = draw_column(g, t % 2 == 0 ? 8 : 1);

            g->inside[g->support[i]] = 0;
            g->support[i] = q;
            g->inside[q] = 1;
        }
    }
    return local_improve(g->local, size, g->support, g->x, status);
}

static spgm_error verify(void *object, int *verdict, spgm_status *status) {
    struct general *g = object;
    double best = g->run->best_objective;
    spgm_error error = start_from(g, g->run->best_x, INFINITY, status);
    const int64_t *support;
    int64_t size;

    *verdict = -1;
    if (error != SPGM_OK || isless(local_objective(g->local), best - 1e-9 * fabs(best))) {
        return error;
    }
    error = local_verify(g->local, verdict, status);
    if (error == SPGM_OK && *verdict < 0) {
        size = local_support(g->local, &support);
        memcpy(g->support, support, (size_t)size * sizeof *support);
        error = local_improve(g->local, size, g->support, local_x(g->local), status);
    }
    return error;
}

static double verify_work(const void *object) {
    const struct general *g = object;
    double size = (double)(g->problem->free_count + g->run->sparsity);
    double pairs = (double)g->run->sparsity * (double)(problem_candidates(g->problem) - g->run->sparsity);

    return pairs * 4 * (double)g->problem->A->rows * size * size;
}

static double objective(const void *object) {
    const struct general *g = object;

    return local_objective(g->local);
}

const struct searcher searcher_general = {
    .create = create,
    .destroy = destroy,
    .start_from = start_from,
    .start_near = start_from,
    .restart = restart,
    .verify = verify,
    .verify_work = verify_work,
    .objective = objective,
};
