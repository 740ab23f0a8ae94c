/* Memory: overflow-checked arrays, and the workspace that a run takes once, before its loop. */
#ifndef SPGM_BASE_MEMORY_H
#define SPGM_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "spgm/spgm.h"

/* Zeroed memory, aligned for vector loads (64 bytes). Returns NULL on overflow or failure; count 0 gives a valid
 * pointer. */
void *memory_array(int64_t count, size_t size);
/*
 * The same. A large array is taken from the memory of the caller (spgm_matrix.memory), unless that is NULL or used up.
 */
void *memory_beside(const spgm_memory *memory, int64_t count, size_t size);
void memory_free(void *pointer); /* of either function; accepts NULL */

/* HOW IT WORKS: a list of blocks that are freed together. After one failure every later request returns NULL too and
 * `failed` stays set, so that a function can take all its arrays and check once. */
struct workspace {
    const spgm_memory *memory; /* the caller's memory for large arrays, as in memory_beside; or NULL */
    struct workspace_block *blocks;
    size_t bytes; /* requested so far, for the error message */
    int failed;
};

double *workspace_doubles(struct workspace *workspace, int64_t count);   /* zeroed */
int64_t *workspace_integers(struct workspace *workspace, int64_t count); /* zeroed */
void *workspace_array(struct workspace *workspace, int64_t count, size_t size);
/* The same, but only from the caller's memory. Returns NULL if it has none left, which does not set `failed`. */
void *workspace_lent(struct workspace *workspace, int64_t count, size_t size);
void workspace_free(struct workspace *workspace);

#endif
