#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* Smaller arrays are always allocated by the library. The few dozen vectors over rows of a fit then take little
 * compared with the data that the caller's memory is for: 5 MB for 256 MB. */
#define FEWEST_BYTES ((size_t)1 << 17)

/* The origin of an array, stored in front of it. */
struct origin {
    const spgm_memory *memory; /* NULL: allocated by the library */
    void *block;               /* the allocated block ... */
    size_t bytes;              /* ... and its size, in the caller's memory */
};

#ifdef SPGM_EXACT_MEMORY
/* For sanitizers and valgrind: exactly the requested size, so that a read past the end is detected. */
static char *take_own(size_t bytes, struct origin *origin) {
    if (posix_memalign(&origin->block, ALIGNMENT, bytes + ALIGNMENT) != 0)
        return NULL;
    memset(origin->block, 0, bytes + ALIGNMENT);
    return (char *)origin->block + ALIGNMENT;
}
#else
/* Aligned to cache lines and zeroed by calloc: fresh pages from the system are zero already, and pages that are never
 * written cost neither time nor memory (the inner products that a search keeps take 32 MiB, most of which a short
 * search does not touch). */
static char *take_own(size_t bytes, struct origin *origin) {
    origin->block = calloc(1, bytes + 2 * ALIGNMENT);
    return !origin->block ? NULL : (char *)origin->block + 2 * ALIGNMENT - (uintptr_t)origin->block % ALIGNMENT;
}
#endif

static char *take_beside(const spgm_memory *memory, size_t bytes, struct origin *origin) {
    if (memory == NULL || bytes < FEWEST_BYTES)
        return NULL;
    *origin = (struct origin){memory, memory->take(memory->context, bytes + ALIGNMENT), bytes + ALIGNMENT};
    return !origin->block ? NULL : (char *)origin->block + ALIGNMENT;
}

/* From the caller's memory or, unless it must be lent, allocated. */
static void *take(const spgm_memory *memory, int is_lent, int64_t count, size_t size) {
    struct origin origin = {0};
    size_t bytes = (size_t)count * size;
    char *array;

    if (count < 0 || (size > 0 && (uint64_t)count > (PTRDIFF_MAX - 2 * ALIGNMENT) / size))
        return NULL;
    array = take_beside(memory, bytes, &origin);
    if (!array && !is_lent) {
        origin.memory = NULL;
        array = take_own(bytes, &origin);
    }
    if (array)
        memcpy(array - sizeof origin, &origin, sizeof origin);
    return array;
}

void *memory_beside(const spgm_memory *memory, int64_t count, size_t size) {
    return take(memory, 0, count, size);
}

void *memory_array(int64_t count, size_t size) {
    return memory_beside(NULL, count, size);
}

void memory_free(void *pointer) {
    struct origin origin;

    if (!pointer)
        return;
    memcpy(&origin, (char *)pointer - sizeof origin, sizeof origin);
    if (origin.memory)
        origin.memory->give(origin.memory->context, origin.block, origin.bytes);
    else
        free(origin.block);
}

struct workspace_block {
    struct workspace_block *next;
    void *array;
};

static void *workspace_fail(struct workspace *workspace) {
    workspace->failed = 1;
    return NULL;
}

/* Take an array in a block of the list; returns NULL on failure. */
static void *workspace_take(struct workspace *workspace, int is_lent, int64_t count, size_t size) {
    struct workspace_block *block = malloc(sizeof *block);
    if (!block)
        return NULL;
    block->array = take(workspace->memory, is_lent, count, size);
    if (!block->array) {
        free(block);
        return NULL;
    }
    block->next = workspace->blocks;
    workspace->blocks = block;
    return block->array;
}

void *workspace_array(struct workspace *workspace, int64_t count, size_t size) {
    if (workspace->failed)
        return NULL;
    workspace->bytes += count > 0 && (uint64_t)count <= PTRDIFF_MAX / (size + 1) ? (size_t)count * size : 0;
    void *array = workspace_take(workspace, 0, count, size);
    return array ? array : workspace_fail(workspace);
}

void *workspace_lent(struct workspace *workspace, int64_t count, size_t size) {
    return workspace->failed ? NULL : workspace_take(workspace, 1, count, size);
}

double *workspace_doubles(struct workspace *workspace, int64_t count) {
    return workspace_array(workspace, count, sizeof(double));
}

int64_t *workspace_integers(struct workspace *workspace, int64_t count) {
    return workspace_array(workspace, count, sizeof(int64_t));
}

void workspace_free(struct workspace *workspace) {
    struct workspace_block *block = workspace->blocks;
    while (block) {
        struct workspace_block *next = block->next;
        memory_free(block->array);
        free(block);
        block = next;
    }
    *workspace = (struct workspace){.memory = workspace->memory};
}
