#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* Whole lines of the cache; where a sanitizer or valgrind looks on, not a byte more than asked for, so that a read past
 * the end is seen. */
static void *allocate(size_t bytes) {
#ifdef SPGM_EXACT_MEMORY
    void *pointer;
    return posix_memalign(&pointer, ALIGNMENT, bytes == 0 ? 1 : bytes) == 0 ? pointer : NULL;
#else
    size_t lines = bytes / ALIGNMENT + (bytes % ALIGNMENT != 0 || bytes == 0);
    return aligned_alloc(ALIGNMENT, lines * ALIGNMENT);
#endif
}

void *memory_array(int64_t count, size_t size) {
    if (count < 0 || (size > 0 && (uint64_t)count > (PTRDIFF_MAX - ALIGNMENT) / size))
        return NULL;
    size_t bytes = (size_t)count * size;
    void *pointer = allocate(bytes);
    if (pointer)
        memset(pointer, 0, bytes);
    return pointer;
}

void memory_free(void *pointer) {
    free(pointer);
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
