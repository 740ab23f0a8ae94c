/*
 * For a test program to include once: a clock that replaces src/base/clock.c and is the same on every machine. It
 * advances by clock_step seconds with every reading, and by a nanosecond with every multiplication of a product.
 */
#ifndef SPGM_TESTS_FAKE_CLOCK_H
#define SPGM_TESTS_FAKE_CLOCK_H

#include "base/clock.h"
#include "woken.h"

static double clock_step = 1e-6;
static atomic_llong clock_readings;

double clock_seconds(void) {
    return clock_step * (double)atomic_fetch_add(&clock_readings, 1) + 1e-9 * (double)atomic_load(&multiplications);
}

#endif
