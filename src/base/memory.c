#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

#ifdef SPGM_EXACT_MEMORY
/* Where a sanitizer or valgrind looks on: not a byte more than asked for, so that a read past the end is seen. */
static void *allocate(size_t bytes) {
    void *pointer;

    if (posix_memalign(&pointer, ALIGNMENT, bytes == 0 ? 1 : bytes) != 0)
        return NULL;
    return memset(pointer, 0, bytes);
}

void memory_free(void *pointer) {
    free(pointer);
}
#else
/* Whole lines of the cache, zeroed by calloc: pages fresh from the system are zero, and one that is never written costs
 * neither time nor memory (the inner products that a search keeps take 32 MiB, of which a short one sees little).
 * What calloc returned stands before the array. */
static void *allocate(size_t bytes) {
    char *block = calloc(1, bytes + 2 * ALIGNMENT), *pointer;

    if (!block)
        return NULL;
    pointer = block + 2 * ALIGNMENT - (uintptr_t)block % ALIGNMENT;
    memcpy(pointer - sizeof block, &block, sizeof block);
    return pointer;
}

void memory_free(void *pointer) {
    char *block = NULL;

    if (pointer)
        memcpy(&block, (char *)pointer - sizeof block, sizeof block);
    free(block);
}
#endif

void *memory_array(int64_t count, size_t size) {
    if (count < 0 || (size > 0 && (uint64_t)count > (PTRDIFF_MAX - 2 * ALIGNMENT) / size))
        return NULL;
    return allocate((size_t)count * size);
}

struct workspace_block {
    struct workspace_block *next;
    void *array;
};

static void *workspace_fail(struct workspace *workspace) {
    workspace->failed = 1;
    return NULL;
}

void *workspace_array(struct workspace *workspace, int64_t count, size_t size) {
    if (workspace->failed)
        return NULL;
    workspace->bytes += count > 0 && (uint64_t)count <= PTRDIFF_MAX / (size + 1) ? (size_t)count * size : 0;
    struct workspace_block *block = malloc(sizeof *block);
    if (!block)
        return workspace_fail(workspace);
    block->array = memory_array(count, size);
    if (!block->array) {
        free(block);
        return workspace_fail(workspace);
    }
    block->next = workspace->blocks;
    workspace->blocks = block;
    return block->array;
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
    *workspace = (struct workspace){0};
}
