/*
 * Input: a file, standard input or memory, plain or compressed (recognised by its content). Readers of text take lines,
 * readers of binary formats take bytes. Error messages begin with the name of the file and, after a line was taken, its
 * number.
 */
#ifndef SPGM_IO_SOURCE_H
#define SPGM_IO_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "spgm/io.h"

enum { SOURCE_NAME_SIZE = 160 };

struct source_raw;

struct source {
    char name[SOURCE_NAME_SIZE]; /* as in messages; of a long path the end is kept */
    int64_t line;                /* 1-based number of the line last taken; 0: none yet      */
    int64_t size;                /* of the file on disk, if known; else -1 */
    int64_t column_limit;        /* the most columns that a sparse file may have; at most 2^31 - 1 */
    struct source_raw *raw;      /* the file and its decompression */
    char *buffer;                /* decoded bytes [begin, end), with room for a NUL */
    size_t begin, end, capacity;
    int64_t added; /* lines that source_more added to the line last taken      */
    int ended;     /* nothing follows the buffer                              */
    char newline;  /* the end of a line: LF or, in old files, CR; 0: unknown */
};

/* "-" is standard input. On error nothing stays open. The path is not used after the call. */
spgm_error source_open(struct source *source, const char *path, spgm_status *status);
/* The same over borrowed memory, decompression included. */
spgm_error source_open_memory(struct source *source, const char *name, const void *bytes, size_t size,
                              spgm_status *status);
void source_close(struct source *source);
/* From now on report how much of the file was read; NULL: no reports. */
void source_report(struct source *source, spgm_read_progress progress, void *context);
int source_descriptor(const struct source *source); /* of the file on disk, perhaps compressed; -1: memory */

/* The next line without its end (LF, CRLF or, if the first line ends so, CR), with a NUL in its place; the caller may
 * modify it. A UTF-8 byte order mark at the start of the file is left out. *text is NULL after the last line. */
spgm_error source_line(struct source *source, char **text, char **end, spgm_status *status);
/* Append the next line to the one last taken, [*text, *end), keeping the line break; at the end of the file nothing
 * changes. `line` remains the number of the first. */
spgm_error source_more(struct source *source, char **text, char **end, spgm_status *status);
/* Look at the next bytes, up to `size`, without taking them; *count is less only at the end of the file. */
spgm_error source_peek(struct source *source, size_t size, const char **bytes, size_t *count, spgm_status *status);
/* Take up to `size` bytes; *count is less only at the end of the file. */
spgm_error source_take(struct source *source, size_t size, void *bytes, size_t *count, spgm_status *status);

/* Set an error message: "NAME, line 7" (no line number if no line was taken), followed by the formatted text, which
 * begins with a comma or a colon. */
spgm_error source_fail(const struct source *source, spgm_status *status, spgm_error code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

enum { EXCERPT_SIZE = 40 };
/* The text [text, end) for a message: printable, and shortened with "..." if long. */
const char *source_excerpt(const char *text, const char *end, char excerpt[EXCERPT_SIZE]);
/* Why [text, end) is not a valid number, as the end of a message: "is not a number". */
const char *source_number_problem(const char *text, const char *end);
/* SPGM_ERROR_DATA for a number that cannot be used (NaN, infinite, too large), otherwise SPGM_ERROR_FORMAT. */
spgm_error source_number_code(const char *text, const char *end);
/* The end of a path, short enough for a message; `dash` for "-". */
void source_name(char name[SOURCE_NAME_SIZE], const char *path, const char *dash);

#endif
