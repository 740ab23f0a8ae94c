#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/decode.h"

enum { BUFFER_START = 1 << 18, BUFFER_SPARE = 64, MAGIC_SIZE = 10, LINE_PEEK = 1 << 14 };
static const size_t line_limit = (size_t)1 << 30;

/* ---- raw bytes ---- */

size_t raw_fill(struct source_raw *raw) {
    char reason[128];
    ssize_t count;

    if (raw->descriptor < 0) {
        return 0;
    }
    if (raw->begin == raw->end) {
        raw->begin = raw->end = 0;
    }
    do {
        count = read(raw->descriptor, raw->room + raw->end, RAW_BLOCK - raw->end);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        strerror_r(errno, reason, sizeof reason);
        raw->error = status_set(raw->status, SPGM_ERROR_FILE, "cannot read %s: %s", raw->name, reason);
        return 0;
    }
    raw->end += (size_t)count;
    raw->read += count;
    if (raw->progress != NULL && raw->read - raw->told >= RAW_REPORT) {
        raw->told = raw->read;
        raw->progress(raw->read, raw->all, raw->progress_context);
    }
    return (size_t)count;
}

/* ---- opening and closing ---- */

void source_name(char name[SOURCE_NAME_SIZE], const char *path, const char *dash) {
    const char *shown = strcmp(path, "-") == 0 ? dash : path;
    size_t length = strlen(shown);

    if (length < SOURCE_NAME_SIZE) {
        memcpy(name, shown, length + 1);
    } else {
        snprintf(name, SOURCE_NAME_SIZE, "...%s", shown + length - (SOURCE_NAME_SIZE - 4));
    }
}

static spgm_error source_init(struct source *source, const char *path, spgm_status *status) {
    memset(source, 0, sizeof *source);
    source->size = -1;
    source->column_limit = INT32_MAX;
    source_name(source->name, path, "standard input");
    source->raw = memory_array(1, sizeof *source->raw);
    if (source->raw == NULL) {
        return status_memory(status, sizeof *source->raw);
    }
    source->raw->descriptor = -1;
    source->raw->name = source->name;
    return SPGM_OK;
}

/* A small file gets a small buffer, with one byte more to detect its end. */
static spgm_error source_buffers(struct source *source, spgm_status *status) {
    struct source_raw *raw = source->raw;

    source->capacity = BUFFER_START;
    if (source->size >= 0 && source->size < BUFFER_START) {
        source->capacity = (size_t)source->size + BUFFER_SPARE;
    }
    source->buffer = memory_array((int64_t)source->capacity + 1, 1);
    if (raw->descriptor >= 0) {
        raw->block = raw->room = memory_array(RAW_BLOCK, 1);
    }
    if (source->buffer == NULL || raw->block == NULL) {
        return status_memory(status, source->capacity + RAW_BLOCK);
    }
    return SPGM_OK;
}

/* A pipe may deliver single bytes: wait for as many as are needed to recognise compression. */
static spgm_error source_begin(struct source *source, spgm_status *status) {
    struct source_raw *raw = source->raw;

    raw->status = status;
    while (raw->end < MAGIC_SIZE && raw_fill(raw) > 0) {
    }
    if (raw->error != SPGM_OK) {
        return raw->error;
    }
    if (raw->end == 0) {
        return status_set(status, SPGM_ERROR_FORMAT, "%s is empty", source->name);
    }
    return decode_begin(raw, status);
}

static spgm_error source_start(struct source *source, spgm_status *status) {
    spgm_error error = source_buffers(source, status);

    if (error == SPGM_OK) {
        error = source_begin(source, status);
    }
    if (error != SPGM_OK) {
        source_close(source);
    }
    return error;
}

static spgm_error open_descriptor(struct source *source, const char *path, spgm_status *status) {
    struct stat facts;
    char reason[128];

    if (strcmp(path, "-") == 0) {
        source->raw->descriptor = STDIN_FILENO;
        return SPGM_OK;
    }
    source->raw->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    source->raw->owned = source->raw->descriptor >= 0;
    if (!source->raw->owned) {
        strerror_r(errno, reason, sizeof reason);
        return status_set(status, SPGM_ERROR_FILE, "cannot open %s: %s", source->name, reason);
    }
    if (fstat(source->raw->descriptor, &facts) == 0 && S_ISREG(facts.st_mode)) {
        source->size = facts.st_size;
    }
    return SPGM_OK;
}

void source_report(struct source *source, spgm_read_progress progress, void *context) {
    source->raw->progress = progress;
    source->raw->progress_context = context;
    source->raw->all = source->size;
}

int source_descriptor(const struct source *source) {
    return source->raw->descriptor;
}

spgm_error source_open(struct source *source, const char *path, spgm_status *status) {
    spgm_error error = source_init(source, path, status);

    if (error != SPGM_OK) {
        return error;
    }
    error = open_descriptor(source, path, status);
    if (error != SPGM_OK) {
        source_close(source);
        return error;
    }
    return source_start(source, status);
}

spgm_error source_open_memory(struct source *source, const char *name, const void *bytes, size_t size,
                              spgm_status *status) {
    spgm_error error = source_init(source, name, status);

    if (error != SPGM_OK) {
        return error;
    }
    source->raw->block = bytes;
    source->raw->end = size;
    source->size = (int64_t)size;
    return source_start(source, status);
}

void source_close(struct source *source) {
    struct source_raw *raw = source->raw;

    if (raw != NULL) {
        decode_end(raw);
        if (raw->owned) {
            close(raw->descriptor);
        }
        memory_free(raw->room);
        memory_free(raw);
    }
    memory_free(source->buffer);
    source->raw = NULL;
    source->buffer = NULL;
}

/* ---- taking bytes ---- */

/* Make room, and add at least one byte to the buffer unless the file has ended. */
static spgm_error buffer_more(struct source *source, spgm_status *status) {
    size_t count;
    spgm_error error;

    if (source->begin > 0) {
        memmove(source->buffer, source->buffer + source->begin, source->end - source->begin);
        source->end -= source->begin;
        source->begin = 0;
    }
    if (source->end == source->capacity) {
        char *larger = memory_array((int64_t)(2 * source->capacity + 1), 1);

        if (larger == NULL) {
            return status_memory(status, 2 * source->capacity);
        }
        memcpy(larger, source->buffer, source->end);
        memory_free(source->buffer);
        source->buffer = larger;
        source->capacity *= 2;
    }
    error = decode_some(source->raw, source->capacity - source->end, source->buffer + source->end, &count, status);
    source->end += count;
    source->ended = error == SPGM_OK && count == 0;
    return error;
}

spgm_error source_peek(struct source *source, size_t size, const char **bytes, size_t *count, spgm_status *status) {
    while (source->end - source->begin < size && !source->ended) {
        spgm_error error = buffer_more(source, status);

        if (error != SPGM_OK) {
            return error;
        }
    }
    *bytes = source->buffer + source->begin;
    *count = source->end - source->begin < size ? source->end - source->begin : size;
    return SPGM_OK;
}

spgm_error source_take(struct source *source, size_t size, void *bytes, size_t *count, spgm_status *status) {
    size_t held = source->end - source->begin;

    *count = held < size ? held : size;
    memcpy(bytes, source->buffer + source->begin, *count);
    source->begin += *count;
    while (*count < size && !source->ended) {
        size_t got;
        spgm_error error = decode_some(source->raw, size - *count, (char *)bytes + *count, &got, status);

        if (error != SPGM_OK) {
            return error;
        }
        *count += got;
        source->ended = got == 0;
    }
    return SPGM_OK;
}

/* The offset from begin of the first newline at or after `searched` (0: a new line), reading on as needed; if there is
 * none, of the end of the file. */
static spgm_error find_newline(struct source *source, size_t searched, size_t *length, spgm_status *status) {
    int is_new = searched == 0;

    for (;;) {
        const char *start = source->buffer + source->begin + searched;
        const char *newline = memchr(start, source->newline, source->end - source->begin - searched);
        spgm_error error;

        if (newline != NULL) {
            *length = (size_t)(newline - source->buffer) - source->begin;
            return SPGM_OK;
        }
        searched = source->end - source->begin;
        if (source->ended) {
            *length = searched;
            return SPGM_OK;
        }
        if (searched > line_limit) {
            source->line += is_new;
            return source_fail(source, status, SPGM_ERROR_FORMAT, ": is longer than 1 GiB, which no text file needs");
        }
        error = buffer_more(source, status);
        if (error != SPGM_OK) {
            return error;
        }
    }
}

/* Lines end with CR if one occurs before the first LF and not directly in front of it. */
static spgm_error find_line_end(struct source *source, spgm_status *status) {
    const char *bytes;
    const char *lf;
    const char *cr;
    size_t count;
    spgm_error error = source_peek(source, LINE_PEEK, &bytes, &count, status);

    if (error != SPGM_OK) {
        return error;
    }
    lf = memchr(bytes, '\n', count);
    cr = memchr(bytes, '\r', count);
    source->newline = cr != NULL && cr + 1 < bytes + count && (lf == NULL || cr + 1 < lf) ? '\r' : '\n';
    return SPGM_OK;
}

/* Return `length` bytes from begin, without the line end. */
static void take_line(struct source *source, size_t length, char **text, char **end) {
    *text = source->buffer + source->begin;
    *end = *text + length;
    source->begin += length + (source->begin + length < source->end);
    if (source->newline == '\n' && *end > *text && (*end)[-1] == '\r') {
        (*end)--;
    }
    **end = '\0';
}

spgm_error source_line(struct source *source, char **text, char **end, spgm_status *status) {
    static const char mark[] = "\xef\xbb\xbf";
    size_t length = 0;
    spgm_error error = source->newline == '\0' ? find_line_end(source, status) : SPGM_OK;

    error = error == SPGM_OK ? find_newline(source, 0, &length, status) : error;

    *text = *end = NULL;
    if (error != SPGM_OK) {
        return error;
    }
    if (length == 0 && source->begin == source->end) {
        return SPGM_OK;
    }
    take_line(source, length, text, end);
    if (source->line == 0 && strncmp(*text, mark, 3) == 0) {
        *text += 3;
    }
    source->line += 1 + source->added;
    source->added = 0;
    return SPGM_OK;
}

spgm_error source_more(struct source *source, char **text, char **end, spgm_status *status) {
    size_t start = (size_t)(*text - source->buffer);
    size_t stop = (size_t)(*end - source->buffer);
    size_t next = source->begin, length = 0;
    spgm_error error;

    if (stop == next) {
        return SPGM_OK; /* the file ended here */
    }
    **end = stop + 1 == next ? source->newline : '\r';
    source->begin = start;
    error = find_newline(source, next - start, &length, status);
    if (error == SPGM_OK) {
        take_line(source, length, text, end);
        source->added++;
    }
    return error;
}

/* ---- sentences ---- */

spgm_error source_fail(const struct source *source, spgm_status *status, spgm_error code, const char *format, ...) {
    char rest[SPGM_MESSAGE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(rest, sizeof rest, format, arguments);
    va_end(arguments);
    if (source->line == 0) {
        return status_set(status, code, "%s%s", source->name, rest);
    }
    return status_set(status, code, "%s, line %" PRId64 "%s", source->name, source->line, rest);
}

const char *source_excerpt(const char *text, const char *end, char excerpt[EXCERPT_SIZE]) {
    const size_t longest = EXCERPT_SIZE - 4;
    size_t length = (size_t)(end - text) <= longest ? (size_t)(end - text) : longest;

    while (length < (size_t)(end - text) && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
        length--; /* do not cut inside a UTF-8 character */
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];

        excerpt[i] = (char)(c < 0x20 || c == 0x7f ? '?' : c);
    }
    strcpy(excerpt + length, length < (size_t)(end - text) ? "..." : "");
    return excerpt;
}

static int names_nonfinite(const char *text, const char *end) {
    static const char *const words[] = {"nan", "inf", "infinity"};
    size_t length;

    text += text < end && (*text == '-' || *text == '+');
    length = (size_t)(end - text);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && strncasecmp(text, words[i], length) == 0) {
            return 1;
        }
    }
    return 0;
}

static int is_too_large(const char *text, const char *end) {
    double value;

    return text < end && number_parse(text, end, &value) == end && isinf(value);
}

const char *source_number_problem(const char *text, const char *end) {
    if (names_nonfinite(text, end)) {
        return "is not a finite number";
    }
    return is_too_large(text, end) ? "is beyond the range of double numbers (1.8e308)" : "is not a number";
}

spgm_error source_number_code(const char *text, const char *end) {
    return names_nonfinite(text, end) || is_too_large(text, end) ? SPGM_ERROR_DATA : SPGM_ERROR_FORMAT;
}
