/* The constants of threads. */
#ifndef SPGM_BASE_CONSTANTS_H
#define SPGM_BASE_CONSTANTS_H

#include <stdint.h>

enum {
    THREADS_MAX = 1024,
    SPIN_NANOSECONDS = 100000
}; /* that a thread waits for the next job before it sleeps: parallel.c */

/* Waking threads and waiting for the last costs microseconds on an idle machine, but a slice of the scheduler, some
 * milliseconds, where others compute too: only work of milliseconds is worth it. In multiplications. */
#define WORTH_WAKING (INT64_C(1) << 22)

#endif
