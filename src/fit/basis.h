/*
 * Columns that nearly depend on each other, without a ridge: the same fit in an orthonormal basis of their span.
 *
 *     minimise h(A_S x - b)  =  minimise h(Q z - b),     A_S = Q R,  x = R^-1 z
 *
 * Of two columns that differ by 1e-8 the loss may want 1e8 times the difference. Engines do not get there: their normal
 * matrices have lost the difference, and their steps are too short. In z the same point is an ordinary one.
 *
 * Columns B with bounds come behind the free ones F. Those take up what is shared, and bounds stay bounds:
 *
 *     A_S x = Q z + P y,   A_F = Q R,  (I - Q Q') A_B = P D,  z = R x_F + Q'A_B x_B,  y = D x_B,     D diagonal
 */
#ifndef SPGM_FIT_BASIS_H
#define SPGM_FIT_BASIS_H

#include "fit/engine.h"

struct basis;

/* Whether the support at hand is without ridge, some x is on no bound, and all of F is in its rows, which are all here.
 */
int basis_applies(const struct fit_state *state);
/* For supports of state->capacity columns: k x k numbers now, m x k and a fit of its own when first needed. NULL: out
 * of memory. */
struct basis *basis_new(struct fit_state *state);
void basis_free(struct basis *basis);
/*
 * Nonzero: the columns do nearly depend on each other, and the state is now of the fit in their basis, which is better
 * than the one that was there. Zero: the state is as it was. No memory is no error: then there is no better fit.
 */
int basis_improve(struct basis *basis);

#endif
