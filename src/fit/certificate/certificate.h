/*
 * A proven lower bound on F over a support: no feasible x has a lower F, whatever rounding did to the fit. The
 * mathematics is in ../README.md.
 */
#ifndef SPGM_FIT_CERTIFICATE_H
#define SPGM_FIT_CERTIFICATE_H

#include "fit/engine.h"

struct certificate;

/* For the fits of this state. Returns NULL if out of memory. certificate_free accepts NULL. */
struct certificate *certificate_new(struct fit_state *fit);
void certificate_free(struct certificate *certificate);

/* A bound from x and the dual vector of the last fit; -INFINITY where nothing can be proven. A bound that reaches
 * `want` is not improved further. The stop request of the fit applies and leaves a weaker bound. The state is
 * unchanged. Returns 0 if out of memory; *bound is then what could be proven without it. */
int certificate_bound(struct certificate *certificate, double want, double *bound);

#endif
