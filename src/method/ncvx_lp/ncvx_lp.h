/* The l1/2 relaxation, thresholded and re-optimised. */
#ifndef SPGM_METHOD_NCVX_LP_NCVX_LP_H
#define SPGM_METHOD_NCVX_LP_NCVX_LP_H

#include "method/method.h"

extern const struct method method_ncvx_lp;

#endif
