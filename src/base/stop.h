/*
 * A request to stop, asked for between the parts of long work. Who is given one asks every so many multiplications and
 * returns soon after the answer was yes; what was under way is then not finished, and `stopped` says so. After a yes
 * must_stop is not called again until the owner clears `stopped`.
 */
#ifndef SPGM_BASE_STOP_H
#define SPGM_BASE_STOP_H

#include <stddef.h>
#include <stdint.h>

/* Multiplications between two questions: a tenth of a millisecond, next to which a look at the clock is nothing. */
#define STOP_PERIOD (INT64_C(1) << 18)

struct stop {
    int (*must_stop)(void *context); /* NULL: never */
    void *context;
    int64_t work; /* since the last question */
    int stopped;
    int is_eager; /* asks every time: processes with more and fewer rows must ask at the same places */
};

/* Ask now; stop may be NULL. Nonzero: stop. */
static inline int stop_ask(struct stop *stop) {
    if (stop == NULL || stop->must_stop == NULL) {
        return 0;
    }
    stop->work = 0;
    stop->stopped = stop->stopped || stop->must_stop(stop->context);
    return stop->stopped;
}

/* Ask when this much work makes it worth while. */
static inline int stop_after(struct stop *stop, int64_t work) {
    if (stop == NULL || stop->must_stop == NULL) {
        return 0;
    }
    stop->work += work;
    return stop->stopped || ((stop->is_eager || stop->work >= STOP_PERIOD) && stop_ask(stop));
}

#endif
