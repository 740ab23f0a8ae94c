/* Exact minimisation over the support of the start, as a method. */
#ifndef SPGM_METHOD_POLISH_METHOD_POLISH_H
#define SPGM_METHOD_POLISH_METHOD_POLISH_H

#include "method/method.h"

extern const struct method method_polish;

#endif
