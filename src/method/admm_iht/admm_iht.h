/* ADMM with hard thresholding. */
#ifndef SPGM_METHOD_ADMM_IHT_ADMM_IHT_H
#define SPGM_METHOD_ADMM_IHT_ADMM_IHT_H

#include "method/method.h"

extern const struct method method_admm_iht;

#endif
