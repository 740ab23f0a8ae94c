/*
 * Exchanges of units of several columns. For a candidate Q, C = N_QQ - G_Q'V_Q is its Schur complement and
 * y = C^-1 p_Q. Let unit P of S be at the positions p. The best step of the surrogate with Q in and P out is
 *
 *     lambda = (M_pp + V_p C^-1 V_p')^-1 (x_p + V_p y),   d_Q = -y + C^-1 V_p' lambda,   d_S = -M_p lambda - V d_Q,
 *
 * and changes the surrogate by lambda'(x_p + V_p y) / 2 - p_Q'y / 2. For single columns this is the formula of
 * surrogate.c.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/exchange/internal.h"

/* Scratch for a pair (Q, P): parts of surrogate.small, each [largest^2]. */
struct pair {
    int64_t g, h;                        /* numbers of columns of Q and of P */
    double *C, *y, *Vp, *Z, *B, *lambda; /* factor of C; V_p [h x g]; C^-1 V_p' [g x h]; factor of B */
    int64_t *at;                         /* positions of P [h] */
};

static struct pair pair_of(struct exchange *a, int64_t candidate, int64_t out) {
    const struct surrogate *s = &a->surrogate;
    int64_t square = a->set->largest * a->set->largest;
    struct pair p = {.g = s->first[candidate + 1] - s->first[candidate],
                     .C = s->small,
                     .y = s->small + square,
                     .Vp = s->small + 2 * square,
                     .Z = s->small + 3 * square,
                     .B = s->small + 4 * square,
                     .lambda = s->small + 5 * square,
                     .at = a->trials.list_columns};

    for (int64_t k = out >= 0 ? a->set->unit_start[out] : 0; out >= 0 && k < a->set->unit_start[out + 1]; k++) {
        int64_t position = a->current.position[a->set->unit_columns[k]];

        if (position >= 0) {
            p.at[p.h++] = position;
        }
    }
    return p;
}

/* C and y for a candidate. Returns 0 if its columns depend on S or on each other. */
int blocks_factor(struct exchange *a, int64_t candidate) {
    struct surrogate *s = &a->surrogate;
    struct pair p = pair_of(a, candidate, -1);
    int64_t size = a->current.size;
    const int64_t *columns = s->column + s->first[candidate];
    const double *G = s->G + s->first[candidate] * size, *V = s->V + s->first[candidate] * size;

    linop_gram(a->problem->A, p.g, columns, s->weight, p.C);
    smooth_add_curvature(&a->problem->f, p.g, columns, p.C);
    for (int64_t j = 0; j < p.g; j++) {
        double whole = p.C[j + j * p.g];

        for (int64_t i = 0; i < p.g; i++) {
            p.C[i + j * p.g] -= vector_dot(size, G + i * size, V + j * size);
        }
        p.C[j + j * p.g] += DEPENDENT_ENTRY * whole;
        p.y[j] = a->current.price[columns[j]];
    }
    if (!dense_factor(p.g, p.C, p.g)) {
        return 0;
    }
    dense_solve_upper_transposed(p.g, p.C, p.g, p.y);
    dense_solve_upper(p.g, p.C, p.g, p.y);
    return 1;
}

/* V_p, Z = C^-1 V_p', the factor of B = M_pp + V_p Z, and lambda. Returns 0 if B cannot be factored. */
static int solve_pair(struct exchange *a, int64_t candidate, struct pair *p) {
    const struct surrogate *s = &a->surrogate;
    int64_t size = a->current.size;
    const double *V = s->V + s->first[candidate] * size;

    for (int64_t i = 0; i < p->h; i++) {
        double *z = p->Z + i * p->g;

        for (int64_t j = 0; j < p->g; j++) {
            p->Vp[i + j * p->h] = z[j] = V[p->at[i] + j * size];
        }
        dense_solve_upper_transposed(p->g, p->C, p->g, z);
        dense_solve_upper(p->g, p->C, p->g, z);
    }
    for (int64_t j = 0; j < p->h; j++) {
        p->lambda[j] = a->current.x[p->at[j]];
        for (int64_t k = 0; k < p->g; k++) {
            p->lambda[j] += p->Vp[j + k * p->h] * p->y[k];
        }
        for (int64_t i = 0; i < p->h; i++) {
            p->B[i + j * p->h] = s->M[p->at[i] + p->at[j] * size];
            for (int64_t k = 0; k < p->g; k++) {
                p->B[i + j * p->h] += p->Vp[i + k * p->h] * p->Z[k + j * p->g];
            }
        }
    }
    if (!dense_factor(p->h, p->B, p->h)) {
        return 0;
    }
    dense_solve_upper_transposed(p->h, p->B, p->h, p->lambda);
    return 1;
}

/* C and y of the candidate must have been computed (blocks_factor). */
double blocks_change(struct exchange *a, int64_t candidate, int64_t out) {
    struct pair p = pair_of(a, candidate, out);
    const int64_t *columns = a->surrogate.column + a->surrogate.first[candidate];
    double gain = 0;

    for (int64_t j = 0; j < p.g; j++) {
        gain += a->current.price[columns[j]] * p.y[j];
    }
    return solve_pair(a, candidate, &p) ? 0.5 * (vector_sum_squares(p.h, p.lambda) - gain) : INFINITY;
}

/* The line from the best x without P and Q (alpha = 0) to the best x with Q (alpha = 1). */
void blocks_line(struct exchange *a, const struct trial *trial, double *x0, double *dx) {
    const struct surrogate *s = &a->surrogate;
    int64_t size = a->current.size;
    struct pair p = pair_of(a, trial->in, trial->out);
    const double *V = s->V + s->first[trial->in] * size;
    double *alone = p.Vp; /* M_pp^-1 x_p, in the place of V_p, which is no longer needed */

    vector_copy(size, a->current.x, x0);
    memset(x0 + size, 0, (size_t)p.g * sizeof *x0);
    memset(dx, 0, (size_t)(size + p.g) * sizeof *dx);
    if (!blocks_factor(a, trial->in) || !solve_pair(a, trial->in, &p)) {
        return;
    }
    dense_solve_upper(p.h, p.B, p.h, p.lambda);
    for (int64_t j = 0; j < p.g; j++) { /* d_Q */
        dx[size + j] = -p.y[j];
        for (int64_t i = 0; i < p.h; i++) {
            dx[size + j] += p.Z[j + i * p.g] * p.lambda[i];
        }
    }
    for (int64_t j = 0; j < p.h; j++) {
        for (int64_t i = 0; i < p.h; i++) {
            p.B[i + j * p.h] = s->M[p.at[i] + p.at[j] * size];
        }
        alone[j] = a->current.x[p.at[j]];
    }
    if (!dense_factor(p.h, p.B, p.h)) {
        return;
    }
    dense_solve_upper_transposed(p.h, p.B, p.h, alone);
    dense_solve_upper(p.h, p.B, p.h, alone);
    for (int64_t i = 0; i < p.h; i++) {
        vector_axpy(size, -alone[i], s->M + p.at[i] * size, x0);
        vector_axpy(size, alone[i] - p.lambda[i], s->M + p.at[i] * size, dx);
    }
    for (int64_t j = 0; j < p.g; j++) {
        vector_axpy(size, -dx[size + j], V + j * size, dx);
    }
    for (int64_t i = 0; i < p.h; i++) {
        x0[p.at[i]] = dx[p.at[i]] = 0;
    }
}
