/* The l1 relaxation, thresholded and re-optimised. */
#ifndef SPGM_METHOD_CVX_L1_CVX_L1_H
#define SPGM_METHOD_CVX_L1_CVX_L1_H

#include "method/method.h"

extern const struct method method_cvx_l1;

#endif
