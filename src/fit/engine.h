/*
 * What an engine of src/fit is: a table of functions that fit.c drives. An engine works on the state that all engines
 * share; what it needs besides (factors, products, scratch) is its own, taken when the first fit asks for it.
 */
#ifndef SPGM_FIT_ENGINE_H
#define SPGM_FIT_ENGINE_H

#include "base/stop.h"
#include "fit/fit.h"

/* The support and its fit. */
struct fit_state {
    const struct problem *problem;
    int64_t capacity, size;
    int64_t *columns;         /* by position [capacity]                                               */
    double *x;                /* by position: in, where to start; out, the minimiser [capacity + 2]    */
    double *residual, *dual;  /* A_S x - b, and u in dom h* [rows]                                    */
    double objective, bound;  /* F(x), and what the engine takes for a bound on it: no proof          */
    struct fit_active active; /* rows, signs [capacity + 2]                                           */
    double zero_objective;    /* |F(0)|: the size of the numbers                                      */
    const double *low, *high; /* fit_set_reach [columns], or NULL                                     */
    double enough;            /* an F below this is as good as any: a fit may end there                  */
    int64_t steps;
    double spent; /* multiplications of all fits and proofs so far, about                                */
    struct stop stop;
    double *full, *smooth; /* z of the last fit_value in its place [columns], and the state of f there  */
    int64_t *full_columns; /* where `full` is not zero [capacity]                                       */
    int64_t full_count;
    struct fit_block *block; /* where the columns of A lie apart: those of the support; or NULL             */
};

/* The columns of the support as they are best read: of *A, those listed in the result, by position. */
const int64_t *fit_places(struct fit_state *state, const struct linop **A);

struct fit_engine {
    const char *name;
    int refuses; /* a warm fit by `solve` may end at a cutoff also where x may be anything */
    int (*applies)(const struct problem *problem);
    size_t (*bytes)(const struct problem *problem, int64_t capacity);
    void *(*create)(struct fit_state *state); /* for supports of state->capacity columns; NULL: out of memory */
    void (*destroy)(void *engine);            /* accepts NULL */

    double (*work)(const struct problem *problem, int64_t size, int is_warm); /* multiplications of a fit, about */

    /* Minimise from state->x or from nothing, no worse than state->x; gap and cutoff as in fit_rough. All of the state
     * is of the support on return, after a stop, too. NULL: the engine only pivots. */
    enum fit_outcome (*solve)(void *engine, double gap, double cutoff);

    /* Only of an engine that starts warm. fit.c falls back on the other one where it fails. */
    void (*set_column)(void *engine, int64_t position); /* state->columns[position] is another one             */
    void (*begin)(void *engine);                        /* at state->x                                         */
    enum fit_outcome (*adopt)(void *engine);            /* at the fit in the state, which is evaluated afresh  */
    /* From there and the active rows of the state. FIT_INEXACT: state->objective is INFINITY, or all of the state is of
     * the x that the pivots ended at. */
    enum fit_outcome (*pivot)(void *engine, double cutoff);
    void (*settle)(void *engine); /* after a stop: the best x at hand, and all of its fit */
    /* Whether the end of the last pivots would be no proof for columns that nearly depend on each other: where those
     * are well apart, the active rows usually are, too. */
    int (*is_doubtful)(const void *engine);
    /* Only of the engine that fit.c falls back on. */
    void (*restore)(void *engine); /* the end of its last solve into the state once more */
};

extern const struct fit_engine fit_interior, fit_vertex, fit_newton;

/* r [rows] = A_S z - b for z [size]; state->full and state->smooth follow z. Returns F(z). Costs the support, not all
 * columns. */
double fit_value(struct fit_state *state, const double *z, double *r);
double fit_smooth_value(const struct fit_state *state); /* f at the z of the last fit_value */
/* Whether F - bound is at most FIT_GAP of F, or of 1e-3 |F(0)| where F is below that: a perfect fit has F near 0. */
int fit_is_good(const struct fit_state *state);

/* For basis.c: the operator's columns are others than at the last fit, and orthonormal. */
void fit_rebase(struct fit *fit);

#endif
