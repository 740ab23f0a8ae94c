/*
 * The nonsmooth term h(r), r = A x - b.  What varies is a table of functions; a new loss is one new file
 * and one line in the registry of loss.c; tests/unit/test_loss_conformance runs over every entry.
 *
 *   prox          y = P_mu(c) = argmin h(y) + 1/(2 mu) ||c - y||^2                          (spgm.tex eq. 2)
 *   conjugate     h*(u) = sup_r u'r - h(r), +INFINITY outside its domain (a relative excess of LOSS_DOMAIN_SLACK,
 *                 which rounding may cause, counts as inside)
 *   dual_norm     the smallest mu with P_mu(u) in the zone without loss; for norms inf { t >= 0 : u / t in dom h* }.
 *                 Rows that the prox never moves are left out; +INFINITY when there is no such mu (squared)
 *   lipschitz     L_h: ||any subgradient|| <= L_h                 (Assumption 1); +INFINITY for squared
 *
 * Sums and maxima over rows go through h->reduce. A NaN in r gives a NaN value, never a small one.
 */
#ifndef SPGM_MODEL_LOSS_H
#define SPGM_MODEL_LOSS_H

#include <stdint.h>

#include "base/options.h"
#include "base/status.h"
#include "linalg/linop.h"

#define LOSS_DOMAIN_SLACK 1e-10

struct loss;

/* What one pass of the y-step knows: h(c), h(y) and ||c - y||^2 for y = P_mu(c). */
struct loss_split {
    double at_c, at_y, squares;
};

struct loss_ops {
    double (*value)(const struct loss *h, const double *r);
    void (*prox)(const struct loss *h, double mu, const double *c, double *y); /* y may be c */
    /* d = c - P_mu(c), right to the last digits however small mu is, and the values above. d must not be c. */
    void (*split)(const struct loss *h, double mu, const double *c, double *d, struct loss_split *values);
    void (*subgradient)(const struct loss *h, const double *r, double *u);
    double (*conjugate)(const struct loss *h, const double *u);
    /* Nearest point of dom h*, in place. */
    void (*project_dual)(const struct loss *h, double *u);
    double (*dual_norm)(const struct loss *h, const double *u);
    double (*lipschitz)(const struct loss *h);
};

/* An entry of the registry: how a name becomes a loss. */
struct loss_kind {
    const char *name;
    const char *aliases; /* "absolute_error|lad" */
    const char *formula;
    const struct loss_ops *ops;
    int separable;  /* of the pinball family: slopes are set, weights allowed */
    int classifier; /* the target must have two values, mapped to -1 and +1   */
    int degree;     /* h(t r) = t^degree h(r) with dead zones scaled by t: 1, 2 for squared, 0 for none */
    /* Slopes of row i with target b_i; NULL when not separable. */
    void (*slopes)(const struct spgm_options *options, double b, double *up, double *down, double *dead);
};

/* h(r) = sum_i up_i max(r_i - dead_i, 0) + down_i max(-r_i - dead_i, 0) for the separable family;
 * up, down, dead are NULL for norms. */
struct loss {
    const struct loss_kind *kind;
    const struct loss_ops *ops;
    const struct reduction *reduce;
    int64_t rows;
    double *up, *down, *dead; /* [rows], owned */
    int are_same; /* all rows have the first row's slopes: they need not be read; loss_compare_rows sets it */
};

void loss_compare_rows(struct loss *h);

const struct loss_kind *loss_find(const char *name); /* by name or alias; NULL: unknown */
const struct loss_kind *loss_kind_at(int64_t index); /* NULL past the end               */
extern const struct loss_kind loss_slopes_kind;      /* spgm_problem_set_slopes         */

#endif
