/*
 * Memory in files: every array is an unnamed file of its own, mapped into memory. Its disk space is reserved before
 * use, so that a full disk makes a call fail instead of raising a signal. The system writes pages out when memory is
 * short, and drops them when the array is freed, or at the latest when the process ends, however it ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

#include "base/memory.h"
#include "base/status.h"
#include "spgm/io.h"

enum { PATH_SIZE = 4096 };

struct spgm_scratch {
    spgm_memory memory;
    char directory[PATH_SIZE];
    atomic_int trouble; /* the errno of the first array that could not be placed; 0: none failed */
    int is_in_memory;
};

/* Open an unnamed file in the directory; returns -1 and sets errno on failure. */
static int open_nameless(const char *directory) {
    static const char name[] = "/spgm-XXXXXX";
    char path[PATH_SIZE + sizeof name];
    int descriptor;

    snprintf(path, sizeof path, "%s%s", directory, name);
    descriptor = mkstemp(path);
    if (descriptor >= 0) {
        unlink(path);
    }
    return descriptor;
}

static void *map_bytes(int descriptor, size_t bytes) {
    int error = bytes > INT64_MAX ? EFBIG : EINTR;
    void *array;

    while (error == EINTR) { /* a signal came between */
        error = posix_fallocate(descriptor, 0, (off_t)bytes);
    }
    array = error == 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) : MAP_FAILED;

    errno = error == 0 ? errno : error;
    return array == MAP_FAILED ? NULL : array;
}

static void *scratch_take(void *context, size_t bytes) {
    struct spgm_scratch *scratch = context;
    int descriptor = open_nameless(scratch->directory), none = 0;
    void *array = descriptor < 0 ? NULL : map_bytes(descriptor, bytes);

    if (array == NULL) {
        atomic_compare_exchange_strong(&scratch->trouble, &none, errno);
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return array;
}

static void scratch_give(void *context, void *array, size_t bytes) {
    (void)context;
    munmap(array, bytes);
}

/* Whether files in this place are themselves kept in memory. */
static int is_in_memory(int descriptor) {
#ifdef __linux__
    static const uint32_t tmpfs = 0x01021994U, ramfs = 0x858458f6U;
    struct statfs facts;

    return fstatfs(descriptor, &facts) == 0 && ((uint32_t)facts.f_type == tmpfs || (uint32_t)facts.f_type == ramfs);
#else
    (void)descriptor;
    return 0;
#endif
}

spgm_error spgm_scratch_new(const char *directory, spgm_scratch **scratch, spgm_status *status) {
    struct spgm_scratch *created;
    int descriptor;

    if (directory == NULL || scratch == NULL || strlen(directory) >= PATH_SIZE) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_scratch_new needs a directory and a place for the result");
    }
    descriptor = open_nameless(directory);
    if (descriptor < 0) {
        return status_set(status, SPGM_ERROR_FILE, "cannot make files in %.200s: %s", directory, strerror(errno));
    }
    created = memory_array(1, sizeof *created);
    if (created != NULL) {
        created->memory = (spgm_memory){scratch_take, scratch_give, created};
        memcpy(created->directory, directory, strlen(directory) + 1);
        created->is_in_memory = is_in_memory(descriptor);
    }
    close(descriptor);
    *scratch = created;
    return created == NULL ? status_memory(status, sizeof *created) : status_clear(status);
}

const spgm_memory *spgm_scratch_memory(const spgm_scratch *scratch) {
    return scratch == NULL ? NULL : &scratch->memory;
}

int spgm_scratch_trouble(const spgm_scratch *scratch, char *text, size_t size) {
    int trouble = scratch == NULL ? 0 : atomic_load(&scratch->trouble);

    if (trouble != 0 && text != NULL) {
        snprintf(text, size, "%.200s had no room for the whole workspace (%s): part of it was in memory",
                 scratch->directory, strerror(trouble));
    } else if (text != NULL) {
        snprintf(text, size, "%s", "");
    }
    return trouble != 0;
}

int spgm_scratch_is_in_memory(const spgm_scratch *scratch) {
    return scratch != NULL && scratch->is_in_memory;
}

void spgm_scratch_free(spgm_scratch *scratch) {
    memory_free(scratch);
}
