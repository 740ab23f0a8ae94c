#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

spgm_error status_set(spgm_status *status, spgm_error code, const char *format, ...) {
    if (status) {
        va_list arguments;
        va_start(arguments, format);
        status->code = code;
        vsnprintf(status->message, sizeof status->message, format, arguments);
        va_end(arguments);
        /* Names from files and users may contain any characters; a message is a single line. */
        for (char *p = status->message; *p; p++)
            if ((unsigned char)*p < 0x20 || *p == 0x7f)
                *p = '?';
    }
    return code;
}

spgm_error status_memory(spgm_status *status, size_t bytes) {
    return status_set(status, SPGM_ERROR_MEMORY,
                      "out of memory: %.1f MB could not be allocated; use fewer columns or rows, or a larger machine",
                      (double)bytes / 1e6);
}

spgm_error status_clear(spgm_status *status) {
    if (status) {
        status->code = SPGM_OK;
        status->message[0] = '\0';
    }
    return SPGM_OK;
}
