/* SPGM-IHT: Algorithm 1 of spgm.tex with Option I. README.md has the equations and our departures. */
#ifndef SPGM_METHOD_SPGM_IHT_H
#define SPGM_METHOD_SPGM_IHT_H

#include "method/smoothing.h"

struct iht {
    struct smoothing base;
    double theta;
    double M_s;             /* f is restricted M_s-smooth                                                       */
    double A_s;             /* the bound in use: ||A (x - x')|| <= A_s ||x - x'||                               */
    double norm;            /* ||A||, the bound that always holds                                               */
    int adaptive;           /* A_s < ||A|| is allowed and checked at every step                                 */
    double *x_plus;         /* x^t - r^t / H^t, then its projection [columns]                                   */
    double *keys, *scratch; /* of the selection [columns]                                                       */
    int64_t *chosen;        /* [columns]                                                                        */
    double *old_residual;   /* A x^t - b [rows], adaptive only                                                  */
};

/* Take the arrays (check workspace->failed); then start once and step as often as wanted. */
void iht_init(struct iht *iht, struct run *run, struct workspace *workspace);
void iht_start(struct iht *iht);
/* One iteration of Algorithm 1: (x^t, y^t) to (x^{t+1}, y^{t+1}); what it knows is in base.iteration. */
void iht_step(struct iht *iht);

extern const struct method method_spgm_iht;

#endif
