/* Threads split work in fixed blocks, so that sums are bitwise the same for any number of threads. */
#ifndef SPGM_BASE_PARALLEL_H
#define SPGM_BASE_PARALLEL_H

#include <stdatomic.h>
#include <stdint.h>

/* The number to use for the option `threads` (0: one per core that this process may use); at least 1. */
int parallel_threads(int64_t requested);

/*
 * A team of threads, the one that calls parallel_for included. Whoever makes a run makes its team and frees it at the
 * end; the threads start when there is work for them and end with the team. NULL: out of memory. team_free accepts
 * NULL.
 */
struct team;
struct team *team_new(int threads);
void team_free(struct team *team);
int team_size(const struct team *team); /* threads; 1 for NULL */
/* Zero in a child that was forked while the team was there: its other threads are not in the child. */
int team_is_whole(const struct team *team);

/* Call body(context, first, last) for the blocks [first, last) of {0..count-1}, each `block` long but the last. Blocks
 * do not depend on the team; NULL: the calling thread alone. body must not touch what another block writes. It may call
 * parallel_for itself, and several threads may call it with one team: who finds the team at work works alone. */
void parallel_for(struct team *team, int64_t count, int64_t block,
                  void (*body)(void *context, int64_t first, int64_t last), void *context);

/*
 * When threads are woken: two functions in a file of their own (parallel_policy.c). A test program that defines them
 * itself is linked with those instead; so it wakes threads for the smallest product, and sees that it did
 * (tests/woken.h).
 */

/* Whether so many multiplications are worth waking threads. */
int parallel_is_worth(int64_t multiplications);
/* Called by the thread that woke others, before it takes a block itself; *taken: blocks taken so far. Does nothing. */
void parallel_woken(const atomic_llong *taken);

#endif
