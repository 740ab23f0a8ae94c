/*
 * The table of functions that an engine provides; fit.c calls them. All engines share the state below. Whatever else an
 * engine needs (factors, products, scratch) it owns, and takes when the first fit asks for it.
 */
#ifndef SPGM_FIT_ENGINE_H
#define SPGM_FIT_ENGINE_H

#include "base/stop.h"
#include "fit/fit.h"

/* The support and its current fit. */
struct fit_state {
    const struct problem *problem;
    int64_t capacity, size;
    int64_t *columns;         /* by position [capacity]                                               */
    double *x;                /* by position: on entry the start, on return the minimiser [capacity + 2] */
    double *residual, *dual;  /* A_S x - b, and the dual vector u in dom h* [rows] */
    double objective, bound;  /* F(x), and the engine's estimate of a lower bound, which is not proven */
    struct fit_active active; /* rows and signs [capacity + 2] */
    double zero_objective;    /* |F(0)|: the scale of tolerances */
    const double *low, *high; /* fit_set_reach [columns], or NULL                                     */
    double enough;            /* a fit may end as soon as F is below this */
    int64_t steps;
    double spent; /* multiplications of all fits and proofs so far, approximately */
    struct stop stop;
    double *full, *smooth; /* the z of the last fit_value as a full vector [columns], and the state of f there */
    int64_t *full_columns; /* the nonzeros of `full` [capacity] */
    int64_t full_count;
    /* contiguous copy of the support's columns, where those of A are not contiguous; or NULL */
    struct fit_block *block;
};

/* Where the columns of the support are read from: the returned columns, by position, of *A. */
const int64_t *fit_places(struct fit_state *state, const struct linop **A);

struct fit_engine {
    const char *name;
    int refuses; /* a warm fit by `solve` may end at a cutoff even if x has no bounds (fit_set_reach) */
    int (*applies)(const struct problem *problem);
    size_t (*bytes)(const struct problem *problem, int64_t capacity);
    void *(*create)(struct fit_state *state); /* for supports of at most state->capacity columns; NULL: out of memory */
    void (*destroy)(void *engine);            /* accepts NULL */

    /* multiplications of a fit, approximately */
    double (*work)(const struct problem *problem, int64_t size, int is_warm);

    /* Minimise from state->x or from zero, with a result no worse than state->x; gap and cutoff as in fit_rough. On
     * return, also after a stop, the whole state belongs to the support. NULL: the engine only pivots. */
    enum fit_outcome (*solve)(void *engine, double gap, double cutoff);

    /* Only for an engine with warm starts by pivots. If it fails, fit.c falls back on the other engine. */
    void (*set_column)(void *engine, int64_t position); /* state->columns[position] has changed */
    void (*begin)(void *engine);                        /* start at state->x */
    enum fit_outcome (*adopt)(void *engine);            /* start at the fit in the state, which is evaluated afresh */
    /* Pivot from there and from the active rows of the state. After FIT_INEXACT either state->objective is INFINITY, or
     * the whole state belongs to the x at which the pivots ended. */
    enum fit_outcome (*pivot)(void *engine, double cutoff);
    void (*settle)(void *engine); /* after a stop: bring the best known x and its fit into the state */
    /* Whether the end of the last pivots does not show that nearly dependent columns were fitted well. Where the
     * columns are well separated, the active rows usually are, too. */
    int (*is_doubtful)(const void *engine);
    /* Only for the engine that fit.c falls back on. */
    void (*restore)(void *engine); /* write the end of its last solve into the state again */
};

extern const struct fit_engine fit_interior, fit_vertex, fit_newton;

/* r [rows] = A_S z - b for z [size]; state->full and state->smooth follow z. Returns F(z). Reads the columns of the
 * support only. */
double fit_value(struct fit_state *state, const double *z, double *r);
double fit_smooth_value(const struct fit_state *state); /* f at the z of the last fit_value */
/* Whether F - bound is at most FIT_GAP of |F|, or of 1e-3 |F(0)| if F is below that (for a perfect fit F is near 0). */
int fit_is_good(const struct fit_state *state);

/* For basis.c: the operator has new columns since the last fit, and they are orthonormal. */
void fit_rebase(struct fit *fit);

#endif
