/* The constants of threads. */
#ifndef SPGM_BASE_CONSTANTS_H
#define SPGM_BASE_CONSTANTS_H

#include <stdint.h>

enum {
    THREADS_MAX = 1024,
    SPIN_NANOSECONDS = 100000
}; /* nanoseconds for which a thread waits for the next job before it sleeps: parallel.c */

/* The least work, in multiplications, for which threads are woken. Waking threads and waiting for the last one costs
 * microseconds on an idle machine, but a time slice of the scheduler, some milliseconds, on a busy one. So only work of
 * milliseconds is worth it. */
#define WORTH_WAKING (INT64_C(1) << 22)

#endif
