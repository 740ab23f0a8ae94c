/* Penalty decomposition. */
#ifndef SPGM_METHOD_PDM_PDM_H
#define SPGM_METHOD_PDM_PDM_H

#include "method/method.h"

extern const struct method method_pdm;

#endif
