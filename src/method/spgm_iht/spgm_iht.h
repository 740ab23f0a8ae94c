/* SPGM-IHT: Algorithm 1 of spgm.tex with Option I. README.md has the equations and our departures. */
#ifndef SPGM_METHOD_SPGM_IHT_H
#define SPGM_METHOD_SPGM_IHT_H

#include "method/smoothing.h"

struct iht {
    struct smoothing base;
    double theta;
    double M_s;   /* f is restricted M_s-smooth                                  */
    double A_s;   /* the bound in use: ||A (x - x')|| <= A_s ||x - x'||          */
    double norm;  /* ||A||, the bound that always holds                          */
    int adaptive; /* A_s < ||A|| is allowed and checked at every step            */

    /* x^{t+1}: value_i at chosen_i, ascending, and zero elsewhere [kept] */
    int64_t kept; /* free columns + s; under groups or with barred columns what there is */
    int64_t *chosen;
    double *value;

    /* of the selection [columns] */
    double *x_plus;  /* x^t - r^t / H^t                                        */
    double *keys;    /* |x_plus|, INFINITY for free columns                    */
    double cut;      /* a little below the smallest key that was kept last     */
    int64_t *listed; /* the columns with a key of at least `cut`, their keys   */
    double *near, *scratch;
    int64_t *among;

    /* x^t and A x^t - b, for an adaptive bound only [columns], [rows] */
    int64_t old_size;
    int64_t *old_support;
    double *old_value, *old_residual;
};

/* Take the arrays (check workspace->failed); then start once and step as often as wanted. */
void iht_init(struct iht *iht, struct run *run, struct workspace *workspace);
void iht_start(struct iht *iht);
/* One iteration of Algorithm 1: (x^t, y^t) to (x^{t+1}, y^{t+1}); what it knows is in base.iteration. */
void iht_step(struct iht *iht);

extern const struct method method_spgm_iht;

#endif
