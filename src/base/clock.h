/* Seconds of a monotonic clock. */
#ifndef SPGM_BASE_CLOCK_H
#define SPGM_BASE_CLOCK_H

double clock_seconds(void);

#endif
