/* Errors: a code and one sentence. Every fallible internal function returns spgm_error. */
#ifndef SPGM_BASE_STATUS_H
#define SPGM_BASE_STATUS_H

#include "spgm/spgm.h"

/* Set the code and the message (printf style, truncated to fit) and return the code; status may be NULL. */
spgm_error status_set(spgm_status *status, spgm_error code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Set the message for a failed allocation of `bytes`. */
spgm_error status_memory(spgm_status *status, size_t bytes);
/* Set {SPGM_OK, ""}; returns SPGM_OK. */
spgm_error status_clear(spgm_status *status);

#endif
