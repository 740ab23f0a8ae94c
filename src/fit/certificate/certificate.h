/*
 * A lower bound on F over a support that is proven: whatever rounding did to the fit, no feasible x has a lower F. The
 * mathematics is in ../README.md.
 */
#ifndef SPGM_FIT_CERTIFICATE_H
#define SPGM_FIT_CERTIFICATE_H

#include "fit/engine.h"

struct certificate;

/* For the fits of a state; NULL: out of memory. certificate_free accepts NULL. */
struct certificate *certificate_new(struct fit_state *fit);
void certificate_free(struct certificate *certificate);

/* From x and the dual vector of the last fit; -INFINITY where nothing can be proven. A bound that reaches `want` is not
 * raised further. It asks to stop as a fit does, and
 * then knows less. The state is left as it is. 0: out of memory, and the bound is what could be proven without. */
int certificate_bound(struct certificate *certificate, double want, double *bound);

#endif
