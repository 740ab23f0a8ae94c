/*
 * An allocator that counts: include it in the one source file of a test. Sanitizers replace the allocator themselves;
 * then nothing is counted and CAN_COUNT is 0.
 */
#ifndef SPGM_TESTS_COUNT_ALLOCATIONS_H
#define SPGM_TESTS_COUNT_ALLOCATIONS_H

#include <stddef.h>

static long allocations;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_COUNT 0
#else
#define CAN_COUNT 1

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size) {
    allocations++;
    return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
    allocations++;
    *pointer = __libc_memalign(alignment, size);
    return *pointer == NULL ? 12 : 0;
}
#endif

#endif
