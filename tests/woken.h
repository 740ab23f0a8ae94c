/*
 * For a test program to include once, so that threads are woken wherever possible: its functions replace
 * src/base/parallel_policy.c. The thread that wakes others lets one of them take the first block, so that in every
 * counted product some blocks ran on threads other than the caller's.
 */
#ifndef SPGM_TESTS_WOKEN_H
#define SPGM_TESTS_WOKEN_H

#include <sched.h>

#include "base/parallel.h"

static int wake_always;              /* zero: no product is worth it, only folds wake threads */
static atomic_llong wakes;           /* so far                                                */
static atomic_llong multiplications; /* of products so far, as operators estimate them        */

int parallel_is_worth(int64_t count) {
    atomic_fetch_add(&multiplications, count);
    return wake_always && count > 0;
}

void parallel_woken(const atomic_llong *taken) {
    atomic_fetch_add(&wakes, 1);
    while (atomic_load(taken) == 0)
        sched_yield();
}

#endif
