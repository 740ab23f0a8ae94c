/* Memory: overflow-checked arrays, and the workspace that a run takes once, before its loop. */
#ifndef SPGM_BASE_MEMORY_H
#define SPGM_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "spgm/spgm.h"

/* NULL on overflow or failure. count 0 gives a valid pointer. Zeroed; aligned for vector loads (64). */
void *memory_array(int64_t count, size_t size);
/* The same, where it is large from the memory of the caller: spgm_matrix.memory, which may be NULL or have none left.
 */
void *memory_beside(const spgm_memory *memory, int64_t count, size_t size);
void memory_free(void *pointer); /* of either */

/* HOW IT WORKS: a list of blocks freed together. After one failure every later request returns
 * NULL too and `failed` stays set, so that a function can take all its arrays and check once. */
struct workspace {
    const spgm_memory *memory; /* that its arrays stand beside; NULL, or that of A */
    struct workspace_block *blocks;
    size_t bytes; /* asked for so far, for the error sentence */
    int failed;
};

double *workspace_doubles(struct workspace *workspace, int64_t count);   /* zeroed */
int64_t *workspace_integers(struct workspace *workspace, int64_t count); /* zeroed */
void *workspace_array(struct workspace *workspace, int64_t count, size_t size);
/* The same from the caller's memory, and nowhere else: NULL where it has none, which is no failure. */
void *workspace_lent(struct workspace *workspace, int64_t count, size_t size);
void workspace_free(struct workspace *workspace);

#endif
