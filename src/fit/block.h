/*
 * A contiguous copy of the support's columns, for matrices whose columns are not contiguous (stored by rows), because a
 * fit reads them dozens of times. It is made if it takes at most 64 MB or an eighth of the data.
 */
#ifndef SPGM_FIT_BLOCK_H
#define SPGM_FIT_BLOCK_H

#include "fit/engine.h"

/* Sets state->block, or leaves it NULL where no copy is made. Returns 0 if out of memory. */
int fit_block_new(struct fit_state *state);
void fit_block_free(struct fit_block *block); /* accepts NULL */
size_t fit_block_bytes(const struct problem *problem, int64_t capacity);

#endif
