/* See basis.h. Gram and Schmidt, each column twice against the basis; what then vanishes is left out. */
#include "fit/basis.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fit/constants.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

struct basis {
    struct fit_state *state;
    struct workspace workspace, block;
    double *gram;                         /* [capacity^2], then R */
    double *z, *part, *before, *no_ridge; /* [capacity]           */
    int64_t *kept;                        /* positions [capacity] */
    int64_t rank;
    double *Q;              /* [rows x capacity], NULL until it is needed */
    double *v;              /* [rows]                                     */
    struct problem problem; /* min h(Q z - b)                             */
    struct fit *fit;
};

int basis_applies(const struct fit_state *state) {
    const struct problem *p = state->problem;

    if (p->A->reduce != NULL || p->f.term != NULL || p->f.linear != NULL || state->size < 2) {
        return 0;
    }
    for (int64_t i = 0; i < state->size; i++) {
        int64_t j = state->columns[i];

        if (p->f.ridge[j] != 0 || (p->lower != NULL && !(state->x[i] > p->lower[j] && state->x[i] < p->upper[j]))) {
            return 0;
        }
    }
    return 1;
}

void basis_free(struct basis *basis) {
    if (basis != NULL) {
        fit_free(basis->fit);
        linop_free(basis->problem.A);
        workspace_free(&basis->block);
        workspace_free(&basis->workspace);
        memory_free(basis);
    }
}

struct basis *basis_new(struct fit_state *state) {
    struct basis *basis = memory_array(1, sizeof *basis);
    int64_t k = state->capacity;

    if (basis == NULL) {
        return NULL;
    }
    basis->state = state;
    basis->workspace.memory = basis->block.memory = state->problem->A->memory;
    basis->gram = workspace_doubles(&basis->workspace, k <= INT32_MAX ? k * k : -1);
    basis->z = workspace_doubles(&basis->workspace, k);
    basis->part = workspace_doubles(&basis->workspace, k);
    basis->before = workspace_doubles(&basis->workspace, k);
    basis->no_ridge = workspace_doubles(&basis->workspace, k);
    basis->kept = workspace_integers(&basis->workspace, k);
    basis->v = workspace_doubles(&basis->workspace, state->problem->A->rows);
    if (basis->workspace.failed) {
        basis_free(basis);
        return NULL;
    }
    return basis;
}

static int take_block(struct basis *basis) {
    int64_t k = basis->state->capacity, m = basis->state->problem->A->rows;

    if (basis->Q == NULL) {
        basis->Q = workspace_doubles(&basis->block, m > 0 && k > INT64_MAX / m ? -1 : m * k);
        basis->block.failed = 0;
    }
    return basis->Q != NULL;
}

/* The fit in the basis: as the other one, with Q for A and without f. */
static int take_fit(struct basis *basis) {
    const struct problem *p = basis->state->problem;
    int64_t k = basis->state->capacity;
    spgm_matrix matrix = spgm_dense(p->A->rows, k, basis->Q);

    if (basis->fit != NULL) {
        return 1;
    }
    basis->problem = *p;
    basis->problem.lower = basis->problem.upper = NULL;
    basis->problem.f = (struct smooth){.columns = k, .ridge = basis->no_ridge};
    matrix.memory = p->A->memory;
    basis->problem.A = linop_dense_new(&matrix);
    basis->fit = basis->problem.A == NULL ? NULL : fit_new(&basis->problem, k);
    if (basis->fit == NULL || !fit_reserve(basis->fit)) {
        fit_free(basis->fit);
        linop_free(basis->problem.A);
        basis->fit = NULL;
        basis->problem.A = NULL;
        return 0;
    }
    fit_set_stop(basis->fit, basis->state->stop.must_stop, basis->state->stop.context);
    return 1;
}

/* ---- do they depend? ------------------------------------------------------------------------------------------ */

/* By the factor of their Gram matrix at unit diagonal, whose pivots are the squares of what is left of each column: no
 * rounding can hide what is below 1e-8 there. */
static int is_suspicious(struct basis *basis) {
    struct fit_state *state = basis->state;
    int64_t k = state->size;
    double *G = basis->gram, *scale = basis->z;

    if (!linop_gram_until(state->problem->A, k, state->columns, NULL, G, &state->stop)) {
        return 0;
    }
    for (int64_t j = 0; j < k; j++) {
        scale[j] = G[j + j * k] > 0 ? 1 / sqrt(G[j + j * k]) : 0;
        for (int64_t i = 0; i <= j; i++) {
            G[i + j * k] *= scale[i] * scale[j];
        }
        G[j + j * k] = 1; /* of a zero column, too, which is in nobody's way */
    }
    if (!dense_factor_until(k, G, k, &state->stop)) {
        return !state->stop.stopped;
    }
    for (int64_t j = 0; j < k; j++) {
        if (!isgreater(G[j + j * k], BASIS_NEARLY)) {
            return 1;
        }
    }
    return 0;
}

/* ---- the basis ------------------------------------------------------------------------------------------------ */

/* coefficients [rank] = Q'v, v -= Q coefficients */
static void orthogonalise(struct basis *basis, double *v, double *coefficients) {
    int64_t m = basis->state->problem->A->rows;

    dense_dot_columns(m, basis->rank, basis->Q, m, v, coefficients);
    for (int64_t l = 0; l < basis->rank; l++) {
        vector_axpy(m, -coefficients[l], basis->Q + l * m, v);
    }
}

/* Returns what is left of the column, of its length; no more than `least` of it, and it is left out. */
static double append(struct basis *basis, int64_t position, double least) {
    struct fit_state *state = basis->state;
    int64_t m = state->problem->A->rows, r = basis->rank;
    double *v = basis->Q + r * m, *column = basis->gram + r * state->capacity;
    double whole, left, part;

    linop_gather(state->problem->A, 1, &state->columns[position], v, m);
    whole = sqrt(vector_sum_squares(m, v));
    orthogonalise(basis, v, column);
    orthogonalise(basis, v, basis->part);
    vector_axpy(r, 1, basis->part, column);
    left = sqrt(vector_sum_squares(m, v));
    part = whole > 0 ? left / whole : 0;
    if (isgreater(part, least)) {
        vector_scale(m, 1 / left, v);
        column[r] = left;
        basis->kept[basis->rank++] = position;
    }
    return part;
}

/* Nonzero: some of the columns nearly depend on others, but not quite. They come last: where the others span all there
 * is, nothing needs large coefficients. */
static int make_basis(struct basis *basis) {
    struct fit_state *state = basis->state;
    int64_t late = 0, are_near = 0;

    basis->rank = 0;
    for (int64_t i = 0; i < state->size; i++) {
        double left = append(basis, i, BASIS_NEARLY);

        if (!isgreater(left, BASIS_NEARLY)) {
            basis->kept[state->size - ++late] = i; /* behind those that are kept: each column is in one place */
            are_near |= left > BASIS_VANISHED;
        }
        if (stop_after(&state->stop, 4 * state->problem->A->rows * (basis->rank + 1))) {
            return 0;
        }
    }
    for (int64_t i = state->size - late; are_near && i < state->size; i++) {
        append(basis, basis->kept[i], BASIS_VANISHED);
        if (stop_after(&state->stop, 4 * state->problem->A->rows * (basis->rank + 1))) {
            return 0;
        }
    }
    return are_near != 0;
}

/* ---- the fit -------------------------------------------------------------------------------------------------- */

/* x [size] += R^-1 z in its place; z is used up. */
static void add_solution(const struct basis *basis, double *z, double *x) {
    dense_solve_upper(basis->rank, basis->gram, basis->state->capacity, z);
    for (int64_t l = 0; l < basis->rank; l++) {
        x[basis->kept[l]] += z[l];
    }
}

/* x for z, with what rounding left of A x - Q z taken out. The image of z is in v + b. */
static void carry_over(struct basis *basis) {
    struct fit_state *state = basis->state;
    const struct linop *A = state->problem->A;

    memset(state->x, 0, (size_t)state->size * sizeof *state->x);
    vector_copy(basis->rank, fit_x(basis->fit), basis->z);
    add_solution(basis, basis->z, state->x);
    for (int round = 0; round < BASIS_REFINEMENTS; round++) {
        for (int64_t i = 0; i < A->rows; i++) {
            basis->v[i] = -fit_residual(basis->fit)[i] - state->problem->b[i];
        }
        linop_add_columns(A, state->size, state->columns, state->x, basis->v); /* v = A x - Q z */
        dense_dot_columns(A->rows, basis->rank, basis->Q, A->rows, basis->v, basis->z);
        vector_scale(basis->rank, -1, basis->z);
        add_solution(basis, basis->z, state->x);
    }
}

static void fit_in_basis(struct basis *basis) {
    for (int64_t l = 0; l < basis->rank; l++) {
        fit_set_column(basis->fit, l, l);
    }
    fit_set_size(basis->fit, basis->rank);
    fit_rebase(basis->fit);
    fit_cold(basis->fit);
}

/* The fit in the basis knows no bounds: where its x keeps them all the same, it is the minimum within them, too. */
static int is_within(const struct fit_state *state) {
    for (int64_t i = 0; i < state->size; i++) {
        if (state->x[i] != problem_clip(state->problem, state->columns[i], state->x[i])) {
            return 0;
        }
    }
    return 1;
}

int basis_improve(struct basis *basis) {
    struct fit_state *state = basis->state;
    double before = state->objective, spent;
    int is_better;

    if (!is_suspicious(basis) || !take_block(basis) || !make_basis(basis) || !take_fit(basis)) {
        return 0;
    }
    spent = fit_spent(basis->fit);
    fit_in_basis(basis);
    state->spent += fit_spent(basis->fit) - spent;
    vector_copy(state->size, state->x, basis->before);
    carry_over(basis);
    state->objective = fit_value(state, state->x, state->residual);
    is_better = isless(state->objective, before) && is_within(state);
    if (!is_better) {
        vector_copy(state->size, basis->before, state->x);
        state->objective = fit_value(state, state->x, state->residual);
        return 0;
    }
    vector_copy(state->problem->A->rows, fit_dual(basis->fit), state->dual);
    state->bound = fmin(fit_estimate(basis->fit), state->objective);
    fit_get_active(basis->fit, &state->active);
    state->steps += fit_steps(basis->fit);
    return 1;
}
