/*
 * A support with its exact fit, and a quadratic model of F around it that prices every column: what it gains to enter,
 * what it costs to leave, and what an exchange of one for one changes.
 *
 *     F(x + d) ~ F(x) + p'd + 1/2 d'(A'WA + M~)d,      p = A'u + grad f(x),
 *
 * with the dual vector u of the fit, so that p_S = 0: exact to first order. W is the curvature of a reweighted
 * least-squares model of h at the residual; a larger `level` sees further. The model ranks; only exact fits decide.
 */
#ifndef SPGM_SEARCH_EXCHANGE_H
#define SPGM_SEARCH_EXCHANGE_H

#include "base/memory.h"
#include "fit/fit.h"

enum { EXCHANGE_LEVELS = 3 };

struct exchange {
    const struct problem *problem;
    struct fit *fit;
    struct stop stop;
    struct workspace workspace;
    int64_t capacity;

    /* the support and its fit */
    int64_t size;          /* free columns included              */
    int64_t *support;      /* [capacity] in any order            */
    double *x;             /* [columns] zero outside the support */
    double objective;      /* F(x)                               */
    double bound;          /* of F over the support              */
    unsigned char *inside; /* [columns]                        */

    /* the model, of exchange_model */
    double *price;     /* p [columns]                                                   */
    double *weight;    /* W [rows]                                                      */
    double *curvature; /* about a_q'Wa_q + M~_qq [columns], 0: the column does nothing  */
    double *inverse;   /* (A_S'WA_S + M~_SS)^-1 [size x size]                           */
    double *squares;   /* ||a_q||^2 [columns]                                           */
    double *diagonal;  /* M~_qq [columns]                                               */
    double *residual;  /* [rows]                                                        */
    double *state;     /* of f                                                          */
    double *dual;      /* u [rows]                                                      */
    int is_fitted;     /* zero: x was adopted, u is a subgradient                       */
};

/* For supports of at most `capacity` columns, free ones included. NULL: out of memory; exchange_free accepts NULL. */
struct exchange *exchange_new(const struct problem *problem, int64_t capacity);
void exchange_free(struct exchange *exchange);
/* Fits and models are given up soon when must_stop says so; NULL: never. */
void exchange_set_stop(struct exchange *exchange, int (*must_stop)(void *context), void *context);
size_t exchange_bytes(const struct problem *problem, int64_t capacity);

/* Fit exactly over support [size] (distinct, the free columns among them), starting from x [columns]. */
spgm_error exchange_fit(struct exchange *exchange, int64_t size, const int64_t *support, const double *x,
                        spgm_status *status);
/* Take x, which is fitted over support [size] or nearly so, as it is. */
void exchange_adopt(struct exchange *exchange, int64_t size, const int64_t *support, const double *x);
/* Make the model at the fit; level 0 .. EXCHANGE_LEVELS - 1. Zero when its matrix cannot be factored, or someone asked
 * to stop. */
int exchange_model(struct exchange *exchange, int level);
/* About what F falls by when q enters and all of the support moves: p_q^2 / (2 curvature_q); -1 inside. */
double exchange_gain(const struct exchange *exchange, int64_t q);
/* About what F rises by when support[i] leaves and the others move; INFINITY for free columns. */
double exchange_cost(const struct exchange *exchange, int64_t i);

#endif
