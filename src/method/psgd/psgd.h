/* Projected subgradient descent. */
#ifndef SPGM_METHOD_PSGD_PSGD_H
#define SPGM_METHOD_PSGD_PSGD_H

#include "method/method.h"

extern const struct method method_psgd;

#endif
