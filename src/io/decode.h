/* Decompression. Formats are recognised by their first bytes. */
#ifndef SPGM_IO_DECODE_H
#define SPGM_IO_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "spgm/io.h"

/* The bytes of the file. */
struct source_raw {
    const char *name;           /* for messages, borrowed */
    int descriptor;             /* -1: the block has everything */
    int owned;                  /* close the descriptor at the end                     */
    unsigned char *room;        /* buffer for reads [RAW_BLOCK]; NULL: reading from memory */
    const unsigned char *block; /* unused raw bytes [begin, end) */
    size_t begin, end;
    int64_t read, told, all;     /* bytes read, bytes reported, and the size of the file (-1: unknown) */
    spgm_read_progress progress; /* or NULL */
    void *progress_context;
    struct decoder *decoder; /* NULL: not compressed */
    spgm_status *status;     /* of the current call, for errors inside a callback */
    spgm_error error;
};

/* Read more into the block; returns 0 at the end of the file or, with raw->error set, on failure. */
size_t raw_fill(struct source_raw *raw);
/* Check whether the bytes in the block begin a compressed file, and prepare to decompress it. */
spgm_error decode_begin(struct source_raw *raw, spgm_status *status);
/* Up to `size` decompressed bytes; *count is 0 at the end. */
spgm_error decode_some(struct source_raw *raw, size_t size, void *bytes, size_t *count, spgm_status *status);
void decode_end(struct source_raw *raw);

enum { RAW_BLOCK = 1 << 17, RAW_REPORT = 1 << 22 }; /* bytes of one read; bytes between progress reports */

#endif
