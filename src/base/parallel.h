/* Threads split work into fixed blocks, so that sums are bitwise the same for any number of threads. */
#ifndef SPGM_BASE_PARALLEL_H
#define SPGM_BASE_PARALLEL_H

#include <stdatomic.h>
#include <stdint.h>

/* The number of threads for the option `threads` (0: one per core that this process may use); at least 1. */
int parallel_threads(int64_t requested);

/*
 * A team of `threads` threads, including the one that calls parallel_for. Each run makes a team and frees it at the
 * end; the threads start when there is work for them and end with the team. Returns NULL if out of memory. team_free
 * accepts NULL.
 */
struct team;
struct team *team_new(int threads);
void team_free(struct team *team);
int team_size(const struct team *team); /* number of threads; 1 for NULL */
/* Zero in a child process that was forked while the team existed: the child does not have the other threads. */
int team_is_whole(const struct team *team);

/* Call body(context, first, last) for the blocks [first, last) of {0..count-1}, each `block` long except the last. The
 * blocks do not depend on the team; with NULL the calling thread does all of them. body must not touch what another
 * block writes. body may call parallel_for itself, and several threads may call it with one team: a caller that finds
 * the team busy does its blocks alone. */
void parallel_for(struct team *team, int64_t count, int64_t block,
                  void (*body)(void *context, int64_t first, int64_t last), void *context);

/*
 * When threads are woken: two functions in a file of their own (parallel_policy.c), so that a test program can be
 * linked with its own versions, which wake threads for the smallest product and record that they woke (tests/woken.h).
 */

/* Whether this many multiplications are worth waking threads. */
int parallel_is_worth(int64_t multiplications);
/* Called by the thread that woke the others, before it takes a block itself; *taken: blocks taken so far. Does nothing
 * outside tests. */
void parallel_woken(const atomic_llong *taken);

#endif
