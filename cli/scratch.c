/* The workspace for a large mapped file, in files on a disk, so that it need not fit in memory. */
#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "group.h"

static void remark(const struct scratch *scratch, const char *what) {
    if (!scratch->is_quiet) {
        screen_erase();
        fprintf(stderr, "spgm: note: %s; TMPDIR can name a directory on a disk with room\n", what);
    }
}

/* Return freed memory to the system at once; for smaller data that would cost more than it gains. */
static void give_memory_back(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
#endif
}

static const char *directory_of_files(void) {
    const char *given = getenv("TMPDIR");
    return given && *given ? given : "/var/tmp";
}

const spgm_memory *scratch_open(struct scratch *scratch, const struct args *args) {
    spgm_status status;
    *scratch = (struct scratch){.is_quiet = args_get(args, "quiet") || !group_is_first()};
    if (spgm_scratch_new(directory_of_files(), &scratch->files, &status)) {
        snprintf(scratch->trouble, sizeof scratch->trouble, "%s", status.message);
    }
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is no room, not the end */
    return spgm_scratch_memory(scratch->files);
}

const spgm_memory *scratch_beside(struct scratch *scratch, const spgm_matrix *matrix) {
    char what[2 * SPGM_MESSAGE_SIZE];
    if (!spgm_matrix_is_large(matrix)) {
        return NULL;
    }
    give_memory_back();
    if (!scratch->files) {
        snprintf(what, sizeof what, "workspace beside the large file is in memory: %s", scratch->trouble);
        remark(scratch, what);
    } else if (spgm_scratch_is_in_memory(scratch->files)) {
        snprintf(what, sizeof what, "workspace beside the large file is in memory, where %.200s is",
                 directory_of_files());
        remark(scratch, what);
    }
    return spgm_scratch_memory(scratch->files);
}

void scratch_close(struct scratch *scratch) {
    char what[2 * SPGM_MESSAGE_SIZE];
    if (spgm_scratch_trouble(scratch->files, what, sizeof what)) {
        remark(scratch, what);
    }
    spgm_scratch_free(scratch->files);
    *scratch = (struct scratch){0};
}

/* ---- vectors over rows --------------------------------------------------------------------------- */

/* Before an array: where it came from. */
union origin {
    struct {
        const spgm_memory *memory; /* NULL: calloc */
        size_t bytes;
    } is;
    char room[64];
};

void *scratch_array(const spgm_matrix *matrix, int64_t count, size_t size) {
    size_t bytes = (size_t)(count + 1) * size + sizeof(union origin);
    const spgm_memory *memory = matrix->memory;
    union origin *origin = memory ? memory->take(memory->context, bytes) : NULL;
    memory = origin ? memory : NULL;
    origin = origin ? origin : calloc(1, bytes);
    if (!origin) {
        return NULL;
    }
    origin->is.memory = memory;
    origin->is.bytes = bytes;
    return origin + 1;
}

void scratch_free(void *array) {
    union origin *origin = array ? (union origin *)array - 1 : NULL;
    if (origin && origin->is.memory) {
        origin->is.memory->give(origin->is.memory->context, origin, origin->is.bytes);
    } else {
        free(origin);
    }
}
