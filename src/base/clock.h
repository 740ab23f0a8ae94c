/* Seconds of a monotonic clock, and named timers for the footer "time by component". */
#ifndef SPGM_BASE_CLOCK_H
#define SPGM_BASE_CLOCK_H

double clock_seconds(void);

#endif
