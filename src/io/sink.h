/*
 * Where bytes go: a file that appears whole or not at all, standard output, or a device; compressed by the name's
 * extension. Errors wait: writing goes on as if nothing had happened, and sink_finish tells.
 */
#ifndef SPGM_IO_SINK_H
#define SPGM_IO_SINK_H

#include "io/source.h"

struct sink {
    char name[SOURCE_NAME_SIZE]; /* for sentences                                          */
    spgm_status *status;
    spgm_error error; /* the first one                                          */
    int descriptor;
    char *path;              /* what the file will be called, links followed; or NULL  */
    char *temporary;         /* what it is called until then; or NULL                  */
    struct archive *archive; /* of a compressed file                                   */
    char *buffer;
    size_t used;
};

/* "-" is standard output. Call sink_finish in any case. */
void sink_open(struct sink *sink, const char *path, spgm_status *status);
void sink_bytes(struct sink *sink, const void *bytes, size_t size);
void sink_text(struct sink *sink, const char *text);
/* The shortest decimal that reads back as the same double. */
void sink_number(struct sink *sink, double value);
void sink_integer(struct sink *sink, int64_t value);
/* Record an error of the caller, unless there was one before. */
void sink_fail(struct sink *sink, spgm_error error);
/* Flush and give the file its name; on error remove what there is of it. */
spgm_error sink_finish(struct sink *sink);

#endif
