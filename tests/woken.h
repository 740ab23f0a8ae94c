/*
 * For a test program to include once, so that threads are woken wherever they can be: its functions take the place of
 * src/base/parallel_policy.c. Whoever wakes threads lets one of them take the first block, so that in every product
 * that is counted here some blocks ran on other threads than the caller's.
 */
#ifndef SPGM_TESTS_WOKEN_H
#define SPGM_TESTS_WOKEN_H

#include <sched.h>

#include "base/parallel.h"

static int wake_always;    /* zero: no product is worth it, only folds wake threads */
static atomic_llong wakes; /* so far */

int parallel_is_worth(int64_t multiplications) {
    return wake_always && multiplications > 0;
}

void parallel_woken(const atomic_llong *taken) {
    atomic_fetch_add(&wakes, 1);
    while (atomic_load(taken) == 0)
        sched_yield();
}

#endif
