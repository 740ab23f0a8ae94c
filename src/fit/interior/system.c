/*
 * Small symmetric positive semidefinite systems, possibly singular (duplicate and zero columns, fewer rows than
 * columns).
 *
 * HOW IT WORKS: the matrix is scaled to unit diagonal and factored with a small multiple of the identity added; then
 * the solution is refined against the original matrix. For a consistent singular system the refinement converges to a
 * solution; the regularisation keeps its part in the null space small.
 */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/interior/internal.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

int system_assemble(struct interior *p, int64_t size, const double *weight, double curvature) {
    int64_t k = p->k;
    double *N = p->system.N;

    p->system.size = size;
    if (!linop_gram_again(p->A, k, p->places, weight, N, &p->system.plan, p->system.stop)) {
        return 0;
    }
    for (int64_t i = 0; i < k * k; i++) {
        N[i] += curvature * p->Q[i];
    }
    for (int64_t j = size > k ? k - 1 : -1; j >= 0; j--) { /* change the leading dimension from k to size */
        memmove(N + j * size, N + j * k, sizeof(double) * (size_t)k);
        N[k + j * size] = 0;
    }
    return 1;
}

/* The upper triangle of D N D + regularisation I, factored; returns 0 if a pivot fails or after a stop. */
static int factor_with(struct system *system, double regularisation) {
    int64_t n = system->size;

    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < j; i++) {
            system->R[i + j * n] = system->scaling[i] * system->N[i + j * n] * system->scaling[j];
        }
        system->R[j + j * n] = 1 + regularisation;
    }
    return dense_factor_until(n, system->R, n, system->stop);
}

int system_factor(struct system *system) {
    int64_t n = system->size;

    for (int64_t j = 0; j < n; j++) {
        double d = system->N[j + j * n];

        system->scaling[j] = isgreater(d, 0) ? 1 / sqrt(d) : 1;
    }
    for (double regularisation = REGULARISATION; regularisation < MOST_REGULARISATION;
         regularisation *= MORE_REGULARISATION) {
        if (factor_with(system, regularisation)) {
            return 1;
        }
        if (system->stop->stopped) {
            return 0;
        }
    }
    return 1;
}

static void multiply_residual(struct system *system, const double *rhs, const double *solution) {
    vector_copy(system->size, rhs, system->residual);
    for (int64_t j = 0; j < system->size; j++) {
        vector_axpy(system->size, -solution[j], system->N + j * system->size, system->residual);
    }
}

void system_solve(struct system *system, const double *rhs, double *solution) {
    int64_t n = system->size;
    double last = INFINITY;

    memset(solution, 0, sizeof(double) * (size_t)n);
    vector_copy(n, rhs, system->residual);
    for (int refinement = 0; refinement <= SYSTEM_REFINEMENTS; refinement++) {
        double size = 0;

        for (int64_t j = 0; j < n; j++) {
            system->correction[j] = system->scaling[j] * system->residual[j];
        }
        size = vector_norm(n, system->correction);
        if (!isless(size, last)) {
            return;
        }
        last = size;
        dense_solve_upper_transposed(n, system->R, n, system->correction);
        dense_solve_upper(n, system->R, n, system->correction);
        for (int64_t j = 0; j < n; j++) {
            solution[j] += system->scaling[j] * system->correction[j];
        }
        multiply_residual(system, rhs, solution);
    }
}
