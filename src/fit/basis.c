/* See basis.h. The basis is made by Gram-Schmidt with each column orthogonalised twice; columns that vanish are left
 * out. */
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
    double *lower, *upper;                /* of z [capacity]      */
    int64_t *kept;                        /* positions of the columns in the basis [capacity] */
    char *is_bounded;                     /* by position: the column keeps its bounds [capacity]       */
    int64_t rank, size;     /* orthonormal columns of Q, and all columns of Q including the bounded ones behind them */
    double *Q;              /* [rows x capacity], NULL until it is needed                         */
    double *v;              /* [rows]                                                             */
    struct problem problem; /* min h(Q z - b)                                                     */
    struct fit *fit;
};

/* Whether x at this position is at a bound. */
static int is_at_bound(const struct fit_state *state, int64_t i) {
    const struct problem *p = state->problem;
    int64_t j = state->columns[i];

    return p->lower != NULL && !(state->x[i] > p->lower[j] && state->x[i] < p->upper[j]);
}

int basis_applies(const struct fit_state *state) {
    const struct problem *p = state->problem;
    int64_t loose = 0;

    if (p->A->reduce != NULL || p->f.term != NULL || p->f.linear != NULL || state->size < 2) {
        return 0;
    }
    for (int64_t i = 0; i < state->size; i++) {
        if (p->f.ridge[state->columns[i]] != 0) {
            return 0;
        }
        loose += !is_at_bound(state, i);
    }
    return loose > 0;
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
    basis->lower = workspace_doubles(&basis->workspace, k);
    basis->upper = workspace_doubles(&basis->workspace, k);
    basis->kept = workspace_integers(&basis->workspace, k);
    basis->is_bounded = workspace_array(&basis->workspace, k, 1);
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

/* A fit object for the problem in the basis: as the given one, but with Q for A and without f. */
static int take_fit(struct basis *basis) {
    const struct problem *p = basis->state->problem;
    int64_t k = basis->state->capacity;
    spgm_matrix matrix = spgm_dense(p->A->rows, k, basis->Q);

    if (basis->fit != NULL) {
        return 1;
    }
    basis->problem = *p;
    basis->problem.lower = p->lower == NULL ? NULL : basis->lower;
    basis->problem.upper = p->lower == NULL ? NULL : basis->upper;
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

/* Tests by the Cholesky factor of the Gram matrix at unit diagonal. Its pivots are the squares of what is left of each
 * column after projection onto the earlier ones; rounding cannot raise a pivot of nearly zero above the threshold. */
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
        G[j + j * k] = 1; /* also for a zero column, which does no harm */
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

/* Mark the columns that keep their bounds: those at a bound, and those whose bounds are at most `large` ||b|| / ||a_j||
 * apart. The column lengths come from is_suspicious. */
static void mark_bounded(struct basis *basis, double large) {
    const struct fit_state *state = basis->state;
    const struct problem *p = state->problem;
    double length = sqrt(vector_sum_squares(p->A->rows, p->b));

    for (int64_t i = 0; i < state->size; i++) {
        int64_t j = state->columns[i];

        basis->is_bounded[i] =
            p->lower != NULL && (is_at_bound(state, i) || p->upper[j] - p->lower[j] <= large * length * basis->z[i]);
    }
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

/* Append the column at this position, orthogonalised against the first `rank` columns, as the last one. Returns what is
 * left of it relative to its length; if that is at most `least`, the column is not appended. */
static double append(struct basis *basis, int64_t position, double least) {
    struct fit_state *state = basis->state;
    int64_t m = state->problem->A->rows, r = basis->rank, l = basis->size;
    double *v = basis->Q + l * m, *column = basis->gram + l * state->capacity;
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
        memset(column + r, 0, (size_t)(l - r) * sizeof *column);
        column[l] = left;
        basis->kept[basis->size++] = position;
    }
    return part;
}

/* The same for a column without bounds, which extends the orthonormal part. */
static double append_free(struct basis *basis, int64_t position, double least) {
    double part = append(basis, position, least);

    basis->rank = basis->size;
    return part;
}

/* Returns nonzero if stopped. */
static int must_stop(struct basis *basis) {
    return stop_after(&basis->state->stop, 4 * basis->state->problem->A->rows * (basis->size + 1));
}

/* Append the bounded columns behind the free ones. The free ones take up the shared part, so that bounds apply only to
 * the remaining part of each column. */
static int append_bounded(struct basis *basis) {
    int are_near = 0;

    for (int64_t i = 0; i < basis->state->size; i++) {
        if (basis->is_bounded[i] && !must_stop(basis)) {
            double left = append(basis, i, BASIS_VANISHED);

            are_near |= left > BASIS_VANISHED && left <= BASIS_NEARLY;
        }
    }
    return are_near;
}

/* Returns nonzero if some columns nearly, but not exactly, depend on others. These are placed last: once the other
 * columns span the whole space, none of them needs large coefficients. */
static int make_basis(struct basis *basis) {
    struct fit_state *state = basis->state;
    int64_t late = 0, are_near = 0;

    basis->rank = basis->size = 0;
    for (int64_t i = 0; i < state->size; i++) {
        double left = basis->is_bounded[i] ? 1 : append_free(basis, i, BASIS_NEARLY);

        if (!isgreater(left, BASIS_NEARLY)) {
            basis->kept[state->size - ++late] = i; /* behind those that are kept, so that each column is in one place */
            are_near |= left > BASIS_VANISHED;
        }
        if (must_stop(basis)) {
            return 0;
        }
    }
    for (int64_t i = state->size - late; are_near && i < state->size; i++) {
        append_free(basis, basis->kept[i], BASIS_VANISHED);
        if (must_stop(basis)) {
            return 0;
        }
    }
    are_near |= append_bounded(basis);
    return are_near != 0 && !state->stop.stopped;
}

/* Columns whose coefficients may become large are freed of their bounds; the others keep theirs, because without bounds
 * their coefficients could diverge, too. If no columns with that choice are nearly dependent, all columns that are not
 * at a bound are freed. */
static int make_first_basis(struct basis *basis) {
    const struct fit_state *state = basis->state;

    mark_bounded(basis, 1 / BASIS_NEARLY);
    if (make_basis(basis)) {
        return 1;
    }
    mark_bounded(basis, 0);
    return state->problem->lower != NULL && !state->stop.stopped && make_basis(basis);
}

/* ---- the fit -------------------------------------------------------------------------------------------------- */

/* x [size] += R^-1 z, each entry at its position. Clips the bounded columns; destroys z. */
static void add_solution(const struct basis *basis, double *z, double *x) {
    const struct fit_state *state = basis->state;

    dense_solve_upper(basis->size, basis->gram, state->capacity, z);
    for (int64_t l = 0; l < basis->size; l++) {
        int64_t i = basis->kept[l];

        x[i] += z[l];
        x[i] = l < basis->rank ? x[i] : problem_clip(state->problem, state->columns[i], x[i]); /* removes rounding */
    }
}

/* Compute x from z, with refinement of the residual A x - Q z. The image of z is v + b. */
static void carry_over(struct basis *basis) {
    struct fit_state *state = basis->state;
    const struct linop *A = state->problem->A;

    memset(state->x, 0, (size_t)state->size * sizeof *state->x);
    vector_copy(basis->size, fit_x(basis->fit), basis->z);
    add_solution(basis, basis->z, state->x);
    for (int round = 0; round < BASIS_REFINEMENTS; round++) {
        for (int64_t i = 0; i < A->rows; i++) {
            basis->v[i] = -fit_residual(basis->fit)[i] - state->problem->b[i];
        }
        linop_add_columns(A, state->size, state->columns, state->x, basis->v); /* v = A x - Q z */
        memset(basis->z, 0, (size_t)basis->size * sizeof *basis->z);
        dense_dot_columns(A->rows, basis->rank, basis->Q, A->rows, basis->v, basis->z);
        vector_scale(basis->rank, -1, basis->z);
        add_solution(basis, basis->z, state->x);
    }
}

static enum fit_outcome fit_in_basis(struct basis *basis) {
    const struct fit_state *state = basis->state;
    const struct problem *p = state->problem;

    for (int64_t l = 0; l < basis->size; l++) {
        int64_t j = state->columns[basis->kept[l]];
        double left = basis->gram[l + l * state->capacity];

        basis->lower[l] = l < basis->rank ? -INFINITY : left * p->lower[j];
        basis->upper[l] = l < basis->rank ? INFINITY : left * p->upper[j];
        fit_set_column(basis->fit, l, l);
    }
    fit_set_size(basis->fit, basis->size);
    fit_rebase(basis->fit);
    return fit_cold(basis->fit);
}

/* Some columns have no bounds in the basis. If x satisfies them nevertheless, it is the minimum with bounds, too.
 * Otherwise mark the column that violates its bounds least to keep them in the next fit, because the larger violations
 * may be a consequence of this one. */
static int is_within(struct basis *basis) {
    const struct fit_state *state = basis->state;
    double least = INFINITY;
    int64_t nearest = -1;

    for (int64_t i = 0; i < state->size; i++) {
        double beyond = fabs(state->x[i] - problem_clip(state->problem, state->columns[i], state->x[i]));

        if (beyond > 0 && isless(beyond, least)) {
            least = beyond;
            nearest = i;
        }
    }
    if (nearest >= 0) {
        basis->is_bounded[nearest] = 1;
    }
    return nearest < 0;
}

/* Take over the results of the fit in the basis other than x. An active row that belongs to a bound is renumbered by
 * the position of its column. */
static void take_over(struct basis *basis) {
    struct fit_state *state = basis->state;
    int64_t m = state->problem->A->rows;

    vector_copy(m, fit_dual(basis->fit), state->dual);
    state->bound = fmin(fit_estimate(basis->fit), state->objective);
    fit_get_active(basis->fit, &state->active);
    for (int64_t t = 0; t < state->active.count; t++) {
        int64_t row = state->active.rows[t];

        state->active.rows[t] = row < m ? row : m + basis->kept[row - m];
    }
    state->steps += fit_steps(basis->fit);
}

int basis_improve(struct basis *basis) {
    struct fit_state *state = basis->state;
    double before = state->objective, spent;
    enum fit_outcome outcome;
    int rounds = 0, may_help;

    if (!is_suspicious(basis) || !take_block(basis)) {
        return 0;
    }
    vector_copy(state->size, state->x, basis->before);
    for (may_help = make_first_basis(basis); may_help && take_fit(basis); may_help = may_help && make_basis(basis)) {
        rounds++;
        spent = fit_spent(basis->fit);
        outcome = fit_in_basis(basis);
        state->spent += fit_spent(basis->fit) - spent;
        carry_over(basis);
        state->objective = fit_value(state, state->x, state->residual);
        may_help = isless(state->objective, before);
        if (may_help && is_within(basis)) {
            take_over(basis);
            return 1;
        }
        may_help = may_help && outcome == FIT_OPTIMAL && rounds < BASIS_ROUNDS;
    }
    if (rounds > 0) {
        vector_copy(state->size, basis->before, state->x);
        state->objective = fit_value(state, state->x, state->residual);
    }
    return 0;
}
