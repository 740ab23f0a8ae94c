/* Compressed bytes in, plain bytes out. Formats are found by their first bytes. */
#ifndef SPGM_IO_DECODE_H
#define SPGM_IO_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "spgm/io.h"

/* Bytes as they are in the file. */
struct source_raw {
    const char *name;           /* for sentences, borrowed                             */
    int descriptor;             /* -1: the block is all there is                       */
    int owned;                  /* close the descriptor at the end                     */
    unsigned char *room;        /* what a read fills [RAW_BLOCK]; NULL: memory         */
    const unsigned char *block; /* raw bytes [begin, end) not used yet                 */
    size_t begin, end;
    int64_t read, told, all;     /* bytes read, of them reported, and of the file (-1: not known) */
    spgm_read_progress progress; /* or NULL */
    void *progress_context;
    struct decoder *decoder; /* NULL: plain                                         */
    spgm_status *status;     /* of the call under way, for errors inside a callback */
    spgm_error error;
};

/* Add what can be read to the block; 0 when the file ends or, with raw->error set, on failure. */
size_t raw_fill(struct source_raw *raw);
/* See whether the bytes in the block begin a compressed file, and prepare to decompress it. */
spgm_error decode_begin(struct source_raw *raw, spgm_status *status);
/* Up to `size` plain bytes; *count 0: the end. */
spgm_error decode_some(struct source_raw *raw, size_t size, void *bytes, size_t *count, spgm_status *status);
void decode_end(struct source_raw *raw);

enum { RAW_BLOCK = 1 << 17, RAW_REPORT = 1 << 22 }; /* bytes of a read; between reports */

#endif
