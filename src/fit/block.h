/*
 * The columns of a support side by side, where those of A lie apart (a matrix by rows): a fit reads them dozens of
 * times. Taken where that is at most 64 MB or an eighth of the data.
 */
#ifndef SPGM_FIT_BLOCK_H
#define SPGM_FIT_BLOCK_H

#include "fit/engine.h"

/* state->block, or NULL where there is none. 0: out of memory. */
int fit_block_new(struct fit_state *state);
void fit_block_free(struct fit_block *block); /* accepts NULL */
size_t fit_block_bytes(const struct problem *problem, int64_t capacity);

#endif
