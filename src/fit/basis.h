/*
 * Fits without a ridge over nearly dependent columns: the same problem in an orthonormal basis of the columns' span.
 *
 *     minimise h(A_S x - b)  =  minimise h(Q z - b),     A_S = Q R,  x = R^-1 z
 *
 * If two columns differ by 1e-8, the minimiser may need coefficients of 1e8 times their difference. The engines do not
 * reach such an x: their normal matrices have lost the difference, and their steps are too short. In z the same point
 * is an ordinary one.
 *
 * Columns B that keep their bounds are placed behind the columns F that are treated as free. F takes up the part of B
 * that lies in its span, so that bounds on x_B remain bounds on y:
 *
 *     A_S x = Q z + P y,   A_F = Q R,  (I - Q Q') A_B = P D,  z = R x_F + Q'A_B x_B,  y = D x_B,     D diagonal
 */
#ifndef SPGM_FIT_BASIS_H
#define SPGM_FIT_BASIS_H

#include "fit/engine.h"

struct basis;

/* Whether the current support has no ridge, at least one x is strictly within its bounds, the loss is all of F, and all
 * rows are in this process. */
int basis_applies(const struct fit_state *state);
/* For supports of at most state->capacity columns. Takes k x k numbers now; m x k numbers and a fit of its own when
 * they are first needed. Returns NULL if out of memory. */
struct basis *basis_new(struct fit_state *state);
void basis_free(struct basis *basis);
/*
 * Returns nonzero if the columns are nearly dependent and the fit in their basis was better: the state then holds that
 * fit. Returns zero if the state is unchanged. Lack of memory is not an error: no better fit is then found.
 */
int basis_improve(struct basis *basis);

#endif
