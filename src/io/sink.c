#define _XOPEN_SOURCE 700 /* realpath */

#include "io/sink.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/data.h"

enum { SINK_BUFFER = 1 << 16, TEMPORARY_NAME = 48 };

void sink_fail(struct sink *sink, spgm_error error) {
    sink->error = sink->error == SPGM_OK ? error : sink->error;
}

static void fail_errno(struct sink *sink, int number) {
    char reason[128];

    if (sink->error == SPGM_OK) {
        strerror_r(number, reason, sizeof reason);
        sink->error = status_set(sink->status, SPGM_ERROR_FILE, "cannot write %s: %s", sink->name, reason);
    }
}

static void fail_memory(struct sink *sink, size_t bytes) {
    if (sink->error == SPGM_OK) {
        sink->error = status_memory(sink->status, bytes);
    }
}

static void write_all(struct sink *sink, const char *bytes, size_t size) {
    while (size > 0 && sink->error == SPGM_OK) {
        ssize_t written = write(sink->descriptor, bytes, size);

        if (written < 0 && errno != EINTR) {
            fail_errno(sink, errno);
        } else if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
}

/* ---- compression ---- */

static la_ssize_t archive_bytes(struct archive *archive, void *context, const void *bytes, size_t size) {
    struct sink *sink = context;

    (void)archive;
    write_all(sink, bytes, size);
    return sink->error == SPGM_OK ? (la_ssize_t)size : ARCHIVE_FATAL;
}

static void fail_archive(struct sink *sink) {
    if (sink->error != SPGM_OK) {
        return;
    }
    if (archive_errno(sink->archive) == ENOMEM) {
        fail_memory(sink, SINK_BUFFER);
        return;
    }
    sink->error = status_set(sink->status, SPGM_ERROR_FILE, "cannot write %s: %s", sink->name,
                             archive_error_string(sink->archive));
}

/* Equal data make equal files, so no time is stored. For digits the usual level of xz takes twenty times longer and
 * saves only a tenth of the size. */
static int add_filter(struct archive *archive, const char *compression) {
    int result;

    if (strcmp(compression, ".gz") == 0) {
        result = archive_write_add_filter_gzip(archive);
        archive_write_set_filter_option(archive, "gzip", "timestamp", NULL);
    } else if (strcmp(compression, ".bz2") == 0) {
        result = archive_write_add_filter_bzip2(archive);
    } else if (strcmp(compression, ".xz") == 0) {
        result = archive_write_add_filter_xz(archive);
        archive_write_set_filter_option(archive, "xz", "compression-level", "0");
    } else {
        result = archive_write_add_filter_zstd(archive);
    }
    return result;
}

static void open_archive(struct sink *sink, const char *compression) {
    struct archive_entry *entry = archive_entry_new();

    sink->archive = archive_write_new();
    if (sink->archive == NULL || entry == NULL) {
        fail_memory(sink, SINK_BUFFER);
    } else {
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_write_set_bytes_in_last_block(sink->archive, 1);
        if (add_filter(sink->archive, compression) != ARCHIVE_OK ||
            archive_write_set_format_raw(sink->archive) != ARCHIVE_OK ||
            archive_write_open(sink->archive, sink, NULL, archive_bytes, NULL) != ARCHIVE_OK ||
            archive_write_header(sink->archive, entry) != ARCHIVE_OK) {
            fail_archive(sink);
        }
    }
    archive_entry_free(entry);
}

/* ---- files ---- */

/* The file that renaming has to replace, with links followed; for a new file the path as given. */
static char *resolve(const char *path) {
    char *real = realpath(path, NULL);
    size_t size = strlen(path) + 1;

    if (real == NULL && errno != ENOMEM) {
        real = malloc(size);
        if (real != NULL) {
            memcpy(real, path, size);
        }
    }
    return real;
}

/* In the folder of the file, so that renaming stays within one file system; the name is short, so that it cannot be too
 * long. */
static void open_temporary(struct sink *sink) {
    const char *slash = strrchr(sink->path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - sink->path) + 1;

    sink->temporary = malloc(folder + TEMPORARY_NAME);
    if (sink->temporary == NULL) {
        fail_memory(sink, folder + TEMPORARY_NAME);
        return;
    }
    memcpy(sink->temporary, sink->path, folder);
    for (int attempt = 0; attempt < 1000; attempt++) {
        snprintf(sink->temporary + folder, TEMPORARY_NAME, ".spgm-%ld-%d", (long)getpid(), attempt);
        sink->descriptor = open(sink->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (sink->descriptor >= 0 || errno != EEXIST) {
            break;
        }
    }
    if (sink->descriptor < 0) {
        fail_errno(sink, errno);
        free(sink->temporary);
        sink->temporary = NULL;
    }
}

static void open_file(struct sink *sink, const char *path) {
    struct stat facts;
    int exists = stat(path, &facts) == 0;

    if (exists && S_ISDIR(facts.st_mode)) {
        fail_errno(sink, EISDIR);
        return;
    }
    if (exists && !S_ISREG(facts.st_mode)) { /* a device or a pipe is written to directly */
        sink->descriptor = open(path, O_WRONLY | O_CLOEXEC);
        if (sink->descriptor < 0) {
            fail_errno(sink, errno);
        }
        return;
    }
    if (exists && access(path, W_OK) != 0) { /* renaming would replace a write-protected file */
        fail_errno(sink, errno);
        return;
    }
    sink->path = resolve(path);
    if (sink->path == NULL) {
        fail_memory(sink, strlen(path));
        return;
    }
    open_temporary(sink);
}

void sink_open(struct sink *sink, const char *path, spgm_status *status) {
    const char *compression;

    memset(sink, 0, sizeof *sink);
    sink->status = status;
    sink->descriptor = -1;
    source_name(sink->name, path, "standard output");
    sink->buffer = memory_array(SINK_BUFFER, 1);
    if (sink->buffer == NULL) {
        fail_memory(sink, SINK_BUFFER);
        return;
    }
    if (strcmp(path, "-") == 0) {
        sink->descriptor = STDOUT_FILENO;
        return;
    }
    open_file(sink, path);
    path_without_compression(path, &compression);
    if (sink->error == SPGM_OK && compression != NULL) {
        open_archive(sink, compression);
    }
}

/* ---- bytes ---- */

static void flush(struct sink *sink) {
    if (sink->error != SPGM_OK) {
        sink->used = 0;
    } else if (sink->archive == NULL) {
        write_all(sink, sink->buffer, sink->used);
    } else if (sink->used > 0 &&
               archive_write_data(sink->archive, sink->buffer, sink->used) != (la_ssize_t)sink->used) {
        fail_archive(sink);
    }
    sink->used = 0;
}

void sink_bytes(struct sink *sink, const void *bytes, size_t size) {
    const char *from = bytes;

    while (size > 0 && sink->error == SPGM_OK) {
        size_t room = SINK_BUFFER - sink->used;
        size_t count = size < room ? size : room;

        memcpy(sink->buffer + sink->used, from, count);
        sink->used += count;
        from += count;
        size -= count;
        if (sink->used == SINK_BUFFER) {
            flush(sink);
        }
    }
}

void sink_text(struct sink *sink, const char *text) {
    sink_bytes(sink, text, strlen(text));
}

void sink_integer(struct sink *sink, int64_t value) {
    char text[32];
    int length = snprintf(text, sizeof text, "%" PRId64, value);

    sink_bytes(sink, text, (size_t)length);
}

void sink_number(struct sink *sink, double value) {
    char text[40];
    int length = number_print(value, text, sizeof text);

    sink_bytes(sink, text, (size_t)length);
}

/* ---- the end ---- */

static void close_archive(struct sink *sink) {
    if (sink->archive == NULL) {
        return;
    }
    if (sink->error == SPGM_OK && archive_write_close(sink->archive) != ARCHIVE_OK) {
        fail_archive(sink);
    }
    if (sink->error != SPGM_OK) {
        archive_write_fail(sink->archive);
    }
    archive_write_free(sink->archive);
}

static void close_descriptor(struct sink *sink) {
    if (sink->descriptor < 0 || sink->descriptor == STDOUT_FILENO) {
        return;
    }
    if (sink->temporary != NULL && sink->error == SPGM_OK && fsync(sink->descriptor) != 0) {
        fail_errno(sink, errno);
    }
    if (close(sink->descriptor) != 0) {
        fail_errno(sink, errno);
    }
}

static void name_file(struct sink *sink) {
    if (sink->temporary == NULL) {
        return;
    }
    if (sink->error == SPGM_OK && rename(sink->temporary, sink->path) != 0) {
        fail_errno(sink, errno);
    }
    if (sink->error != SPGM_OK) {
        unlink(sink->temporary);
    }
}

spgm_error sink_finish(struct sink *sink) {
    if (sink->buffer != NULL) {
        flush(sink);
    }
    close_archive(sink);
    close_descriptor(sink);
    name_file(sink);
    free(sink->path);
    free(sink->temporary);
    memory_free(sink->buffer);
    return sink->error;
}
