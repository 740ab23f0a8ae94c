/*
 * Output: a file that appears either complete or not at all, standard output, or a device; compressed according to the
 * extension of its name. Errors are deferred: writing continues without effect, and sink_finish returns the first
 * error.
 */
#ifndef SPGM_IO_SINK_H
#define SPGM_IO_SINK_H

#include "io/source.h"

struct sink {
    char name[SOURCE_NAME_SIZE]; /* for messages */
    spgm_status *status;
    spgm_error error; /* the first one                                          */
    int descriptor;
    char *path;              /* the final name of the file, links followed; or NULL */
    char *temporary;         /* its temporary name; or NULL */
    struct archive *archive; /* of a compressed file                                   */
    char *buffer;
    size_t used;
};

/* "-" is standard output. sink_finish must be called in any case. */
void sink_open(struct sink *sink, const char *path, spgm_status *status);
void sink_bytes(struct sink *sink, const void *bytes, size_t size);
void sink_text(struct sink *sink, const char *text);
/* The shortest decimal that reads back as the same double. */
void sink_number(struct sink *sink, double value);
void sink_integer(struct sink *sink, int64_t value);
/* Record an error of the caller, unless an error is already recorded. */
void sink_fail(struct sink *sink, spgm_error error);
/* Flush and rename the file to its final name; on error remove it. */
spgm_error sink_finish(struct sink *sink);

#endif
