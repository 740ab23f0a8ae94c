/* Dual iterative hard thresholding. */
#ifndef SPGM_METHOD_DIHT_DIHT_H
#define SPGM_METHOD_DIHT_DIHT_H

#include "method/method.h"

extern const struct method method_diht;

#endif
