/* Orthogonal matching pursuit on the squared loss, then exact minimisation of F over its support. */
#ifndef SPGM_METHOD_OMP_OMP_H
#define SPGM_METHOD_OMP_OMP_H

#include "method/method.h"

extern const struct method method_omp;

#endif
