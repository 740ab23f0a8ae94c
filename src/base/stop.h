/*
 * A stop request that long computations poll. A function that is given one asks it every so many multiplications and
 * returns soon after a yes; its result is then incomplete, and `stopped` says so. After a yes must_stop is not called
 * again until the owner clears `stopped`.
 */
#ifndef SPGM_BASE_STOP_H
#define SPGM_BASE_STOP_H

#include <stddef.h>
#include <stdint.h>

/*
 * Multiplications between two questions: a tenth of a millisecond, compared with which reading the clock costs nothing.
 */
#define STOP_PERIOD (INT64_C(1) << 18)

struct stop {
    int (*must_stop)(void *context); /* NULL: never */
    void *context;
    int64_t work; /* since the last question */
    int stopped;
    int is_eager; /* ask every time: processes with different numbers of rows must ask at the same places */
};

/* Ask now; stop may be NULL. Returns nonzero to stop. */
static inline int stop_ask(struct stop *stop) {
    if (stop == NULL || stop->must_stop == NULL) {
        return 0;
    }
    stop->work = 0;
    stop->stopped = stop->stopped || stop->must_stop(stop->context);
    return stop->stopped;
}

/* Count this work, and ask if STOP_PERIOD has passed since the last question. Returns nonzero to stop. */
static inline int stop_after(struct stop *stop, int64_t work) {
    if (stop == NULL || stop->must_stop == NULL) {
        return 0;
    }
    stop->work += work;
    return stop->stopped || ((stop->is_eager || stop->work >= STOP_PERIOD) && stop_ask(stop));
}

#endif
