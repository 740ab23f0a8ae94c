/* The allocator of the whole process, by interposition; see inject.h. Single-threaded use only while armed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "inject.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own names for what is interposed */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* Parts of the process whose allocations never fail: they end the process when one does. libarchive 3.6 follows the
 * null pointer of a filter or codec that could not be made; jansson 2.14 asserts in its lexer. */
static const char *const spared[] = {"ld-linux", "libarchive", "libzstd", "liblzma", "libbz2", "libjansson"};

struct range {
    uintptr_t first, last;
};

static struct {
    int armed, forever, fired, fired_in_own;
    int64_t first, seen;
    struct range own, spared[16];
    int spared_count;
} state;
static atomic_llong live;

static int is_spared(const char *path) {
    for (size_t i = 0; i < sizeof spared / sizeof spared[0]; i++)
        if (strstr(path, spared[i]))
            return 1;
    return 0;
}

/* The addresses of one loaded object; the program itself comes first and has no name. */
static int note_object(struct dl_phdr_info *info, size_t size, void *context) {
    struct range range = {UINTPTR_MAX, 0};
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        uintptr_t first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t last = first + info->dlpi_phdr[i].p_memsz;
        range.first = first < range.first ? first : range.first;
        range.last = last > range.last ? last : range.last;
    }
    if (info->dlpi_name[0] == '\0' && !state.own.last)
        state.own = range;
    else if (is_spared(info->dlpi_name) && state.spared_count < 16)
        state.spared[state.spared_count++] = range;
    return 0;
}

static int within(struct range range, const void *address) {
    return (uintptr_t)address >= range.first && (uintptr_t)address < range.last;
}

static int must_fail(const void *caller) {
    if (!state.armed)
        return 0;
    for (int i = 0; i < state.spared_count; i++)
        if (within(state.spared[i], caller))
            return 0;
    int64_t number = state.seen++;
    if (number < state.first || (number > state.first && !state.forever))
        return 0;
    if (!state.fired)
        state.fired_in_own = within(state.own, caller);
    state.fired = 1;
    errno = ENOMEM;
    return 1;
}

static void *born(void *block) {
    if (block)
        atomic_fetch_add(&live, 1);
    return block;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) {
    return must_fail(CALLER) ? NULL : born(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return must_fail(CALLER) ? NULL : born(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size) {
    if (must_fail(CALLER))
        return NULL;
    void *moved = __libc_realloc(block, size);
    if (block && size == 0)
        atomic_fetch_sub(&live, 1);
    return block ? moved : born(moved);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return must_fail(CALLER) ? NULL : born(__libc_memalign(alignment, size));
}

void *memalign(size_t alignment, size_t size) {
    return must_fail(CALLER) ? NULL : born(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = must_fail(CALLER) ? NULL : born(__libc_memalign(alignment, size));
    if (!made)
        return ENOMEM;
    *block = made;
    return 0;
}

void free(void *block) {
    if (block)
        atomic_fetch_sub(&live, 1);
    __libc_free(block);
}

void inject_arm(int64_t first, int forever) {
    state.own = (struct range){0, 0};
    state.spared_count = 0;
    dl_iterate_phdr(note_object, NULL);
    state.first = first;
    state.forever = forever;
    state.seen = 0;
    state.fired = state.fired_in_own = 0;
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
    return state.fired_in_own;
}

int64_t inject_live(void) {
    return atomic_load(&live);
}
