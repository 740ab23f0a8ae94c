/* Threads split work in fixed blocks, so that sums are bitwise the same for any number of threads. */
#ifndef SPGM_BASE_PARALLEL_H
#define SPGM_BASE_PARALLEL_H

#include <stdint.h>

/* The number to use for the option `threads` (0: one per core); at least 1. */
int parallel_threads(int64_t requested);

/* Call body(context, first, last) for the blocks [first, last) of {0..count-1}, each `block` long but
 * the last. Blocks do not depend on `threads`. body must not touch what another block writes. */
void parallel_for(int threads, int64_t count, int64_t block, void (*body)(void *context, int64_t first, int64_t last),
                  void *context);

#endif
