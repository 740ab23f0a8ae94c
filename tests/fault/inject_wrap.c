/* Only the allocations that libspgm and the test ask for, through the linker's --wrap; see inject.h. */
#include "inject.h"

#include <errno.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

static struct {
    int armed, forever, fired;
    int64_t first, seen;
} state;

static int must_fail(void) {
    if (!state.armed)
        return 0;
    int64_t number = state.seen++;
    if (number < state.first || (number > state.first && !state.forever))
        return 0;
    state.fired = 1;
    errno = ENOMEM;
    return 1;
}

void *__wrap_malloc(size_t size) {
    return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
    return must_fail() ? NULL : __real_realloc(block, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return must_fail() ? NULL : __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
    return must_fail() ? ENOMEM : __real_posix_memalign(block, alignment, size);
}

char *__wrap_strdup(const char *text) {
    return must_fail() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size) {
    return must_fail() ? NULL : __real_strndup(text, size);
}

void inject_arm(int64_t first, int forever) {
    state.first = first;
    state.forever = forever;
    state.seen = 0;
    state.fired = 0;
    state.armed = 1;
}

int64_t inject_disarm(void) {
    state.armed = 0;
    return state.seen;
}

int inject_fired(void) {
    return state.fired;
}

int inject_fired_in_own(void) {
    return state.fired;
}

int64_t inject_live(void) {
    return 0;
}
