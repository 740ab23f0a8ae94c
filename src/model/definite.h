/* Is a symmetric matrix positive semidefinite? */
#ifndef SPGM_MODEL_DEFINITE_H
#define SPGM_MODEL_DEFINITE_H

#include "base/status.h"

/* Q is checked and symmetric. SPGM_ERROR_DATA with the evidence where it is indefinite. */
spgm_error definite_check(const spgm_matrix *Q, spgm_status *status);

#endif
