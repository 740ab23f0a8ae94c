/*
 * libarchive decodes bz2, xz and zst. gz goes through zlib (which libarchive uses, too), because libarchive does not
 * verify the checksum at the end of a gz file, so that a damaged file would be read as different numbers.
 *
 * Filters are enabled by the first bytes of the file, never "all": plain text may look like one of the rarer formats (a
 * line "begin 644 x" is uuencode).
 */
#define ZLIB_CONST

#include "io/decode.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"

struct decoder {
    const struct compression *compression;
    struct archive *archive;
    z_stream inflate;
    int has_inflate;
    int ended;
};

struct compression {
    const char *name;
    const char *magic; /* the first bytes; ? is any decimal digit; a shorter file must match as far as it goes */
    size_t size;
    int filter;                              /* libarchive's number of it */
    int (*support)(struct archive *archive); /* NULL: zlib                */
};

/* The magic of bz2 consists of letters: only together with the start of its first or last block does it differ from
 * text. */
static const struct compression compressions[] = {
    {"gz", "\x1f\x8b", 2, ARCHIVE_FILTER_GZIP, NULL},
    {"bz2", "BZh?\x31\x41\x59\x26\x53\x59", 10, ARCHIVE_FILTER_BZIP2, archive_read_support_filter_bzip2},
    {"bz2", "BZh?\x17\x72\x45\x38\x50\x90", 10, ARCHIVE_FILTER_BZIP2, archive_read_support_filter_bzip2},
    {"xz", "\xfd\x37zXZ\x00", 6, ARCHIVE_FILTER_XZ, archive_read_support_filter_xz},
    {"zst", "\x28\xb5\x2f\xfd", 4, ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd},
};

enum { LEAST_MAGIC = 2 };

static spgm_error damaged(const struct source_raw *raw, const char *reason, spgm_status *status) {
    return status_set(status, SPGM_ERROR_FORMAT, "%s is a truncated or damaged %s file (%s): make or fetch it again",
                      raw->name, raw->decoder->compression->name, reason == NULL ? "no reason given" : reason);
}

/* ---- bz2, xz, zst ---- */

static la_ssize_t archive_bytes(struct archive *archive, void *context, const void **bytes) {
    struct source_raw *raw = context;
    size_t count;

    if (raw->begin == raw->end) {
        raw_fill(raw);
    }
    if (raw->error != SPGM_OK) {
        archive_set_error(archive, EIO, "read error");
        return ARCHIVE_FATAL;
    }
    *bytes = raw->block + raw->begin;
    count = raw->end - raw->begin;
    raw->begin = raw->end;
    return (la_ssize_t)count;
}

static spgm_error archive_failure(struct source_raw *raw, spgm_status *status) {
    const char *reason = archive_error_string(raw->decoder->archive);

    if (raw->error != SPGM_OK) {
        return raw->error;
    }
    if (archive_errno(raw->decoder->archive) == ENOMEM) {
        return status_memory(status, RAW_BLOCK);
    }
    return damaged(raw, reason, status);
}

static spgm_error archive_begin(struct source_raw *raw, spgm_status *status) {
    struct decoder *decoder = raw->decoder;
    struct archive_entry *entry;
    int result;

    decoder->archive = archive_read_new();
    if (decoder->archive == NULL) {
        return status_memory(status, sizeof *decoder);
    }
    /* A warning means that libarchive was built without the codec and would run an external program. */
    if (decoder->compression->support(decoder->archive) != ARCHIVE_OK ||
        archive_read_support_format_raw(decoder->archive) != ARCHIVE_OK ||
        archive_read_support_format_empty(decoder->archive) != ARCHIVE_OK) {
        return status_set(status, SPGM_ERROR_FORMAT, "%s is compressed with %s, which this libarchive cannot read",
                          raw->name, decoder->compression->name);
    }
    if (archive_read_open(decoder->archive, raw, NULL, archive_bytes, NULL) != ARCHIVE_OK) {
        return archive_failure(raw, status);
    }
    if (archive_filter_code(decoder->archive, 0) != decoder->compression->filter) {
        return damaged(raw, "its first bytes are", status); /* libarchive would return the bytes unchanged */
    }
    result = archive_read_next_header(decoder->archive, &entry);
    if (result != ARCHIVE_OK && result != ARCHIVE_EOF) {
        return archive_failure(raw, status);
    }
    decoder->ended = result == ARCHIVE_EOF;
    return SPGM_OK;
}

static spgm_error archive_some(struct source_raw *raw, size_t size, void *bytes, size_t *count, spgm_status *status) {
    la_ssize_t got = archive_read_data(raw->decoder->archive, bytes, size);

    if (got < 0) {
        return archive_failure(raw, status);
    }
    *count = (size_t)got;
    raw->decoder->ended = got == 0;
    return SPGM_OK;
}

/* ---- gz ---- */

static spgm_error gzip_begin(struct source_raw *raw, spgm_status *status) {
    if (inflateInit2(&raw->decoder->inflate, 16 + MAX_WBITS) != Z_OK) { /* 16: gz format, with its checksum */
        return status_memory(status, sizeof raw->decoder->inflate);
    }
    raw->decoder->has_inflate = 1;
    return SPGM_OK;
}

/* The end of a member is followed by another member, by nothing, or by zeros as padding. */
static spgm_error gzip_next_member(struct source_raw *raw, spgm_status *status) {
    for (;;) {
        if (raw->begin == raw->end) {
            raw_fill(raw);
        }
        if (raw->error != SPGM_OK || raw->begin == raw->end) {
            raw->decoder->ended = 1;
            return raw->error;
        }
        if (raw->block[raw->begin] != 0) {
            break;
        }
        raw->begin++;
    }
    if (raw->block[raw->begin] != (unsigned char)compressions[0].magic[0]) {
        return damaged(raw, "other bytes follow its end", status);
    }
    inflateReset(&raw->decoder->inflate);
    return SPGM_OK;
}

static spgm_error gzip_some(struct source_raw *raw, size_t size, void *bytes, size_t *count, spgm_status *status) {
    z_stream *z = &raw->decoder->inflate;
    uInt room = (uInt)(size < (1u << 30) ? size : 1u << 30);

    z->next_out = bytes;
    z->avail_out = room;
    while (z->avail_out == room && !raw->decoder->ended) {
        int result;

        if (raw->begin == raw->end) {
            raw_fill(raw);
        }
        if (raw->error != SPGM_OK) {
            return raw->error;
        }
        if (raw->begin == raw->end) {
            return damaged(raw, "it ends too early", status);
        }
        z->next_in = raw->block + raw->begin;
        z->avail_in = (uInt)(raw->end - raw->begin);
        result = inflate(z, Z_NO_FLUSH);
        raw->begin = raw->end - z->avail_in;
        if (result == Z_MEM_ERROR) {
            return status_memory(status, sizeof *z);
        }
        if (result != Z_OK && result != Z_STREAM_END) {
            return damaged(raw, z->msg, status);
        }
        if (result == Z_STREAM_END) {
            spgm_error error = gzip_next_member(raw, status);

            if (error != SPGM_OK) {
                return error;
            }
        }
    }
    *count = room - z->avail_out;
    return SPGM_OK;
}

/* ---- plain ---- */

static spgm_error plain_some(struct source_raw *raw, size_t size, void *bytes, size_t *count) {
    if (raw->begin == raw->end) {
        raw_fill(raw);
    }
    *count = raw->end - raw->begin < size ? raw->end - raw->begin : size;
    memcpy(bytes, raw->block + raw->begin, *count);
    raw->begin += *count;
    return raw->error;
}

/* ---- all ---- */

static int has_magic(const struct compression *compression, const unsigned char *bytes, size_t count) {
    if (count < LEAST_MAGIC) {
        return 0;
    }
    for (size_t i = 0; i < compression->size && i < count; i++) {
        int is_digit = bytes[i] >= '0' && bytes[i] <= '9';

        if (compression->magic[i] == '?' ? !is_digit : (unsigned char)compression->magic[i] != bytes[i]) {
            return 0;
        }
    }
    return 1;
}

static const struct compression *find_compression(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < sizeof compressions / sizeof compressions[0]; i++) {
        if (has_magic(&compressions[i], bytes, count)) {
            return &compressions[i];
        }
    }
    return NULL;
}

spgm_error decode_begin(struct source_raw *raw, spgm_status *status) {
    const struct compression *compression = find_compression(raw->block + raw->begin, raw->end - raw->begin);

    if (compression == NULL) {
        return SPGM_OK;
    }
    raw->status = status;
    raw->decoder = memory_array(1, sizeof *raw->decoder);
    if (raw->decoder == NULL) {
        return status_memory(status, sizeof *raw->decoder);
    }
    raw->decoder->compression = compression;
    return compression->support == NULL ? gzip_begin(raw, status) : archive_begin(raw, status);
}

spgm_error decode_some(struct source_raw *raw, size_t size, void *bytes, size_t *count, spgm_status *status) {
    *count = 0;
    raw->status = status;
    if (raw->decoder == NULL) {
        return plain_some(raw, size, bytes, count);
    }
    if (raw->decoder->ended) {
        return SPGM_OK;
    }
    return raw->decoder->has_inflate ? gzip_some(raw, size, bytes, count, status)
                                     : archive_some(raw, size, bytes, count, status);
}

void decode_end(struct source_raw *raw) {
    if (raw->decoder == NULL) {
        return;
    }
    if (raw->decoder->has_inflate) {
        inflateEnd(&raw->decoder->inflate);
    }
    if (raw->decoder->archive != NULL) {
        archive_read_free(raw->decoder->archive);
    }
    memory_free(raw->decoder);
    raw->decoder = NULL;
}
