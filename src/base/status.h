/* Errors: a code and one sentence. Every fallible internal function returns spgm_error. */
#ifndef SPGM_BASE_STATUS_H
#define SPGM_BASE_STATUS_H

#include "spgm/spgm.h"

/* Write code and sentence (printf style, cut to fit) and return code; status may be NULL. */
spgm_error status_set(spgm_status *status, spgm_error code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The sentence for a failed allocation of `bytes`. */
spgm_error status_memory(spgm_status *status, size_t bytes);
/* {SPGM_OK, ""}; returns SPGM_OK. */
spgm_error status_clear(spgm_status *status);

#endif
