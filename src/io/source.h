/*
 * Where bytes come from: a file, standard input or memory, plain or compressed (found by content). Text readers take
 * lines, binary ones bytes. Sentences begin with the name of the file and, once a line was taken, its number.
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
    char name[SOURCE_NAME_SIZE]; /* as sentences call it; a long path keeps its end         */
    int64_t line;                /* 1-based number of the line last taken; 0: none yet      */
    int64_t size;                /* of the file as it is, when known; else -1               */
    int64_t column_limit;        /* what a sparse file may claim or use; at most 2^31 - 1   */
    struct source_raw *raw;      /* the file, and its decompression                         */
    char *buffer;                /* decoded bytes [begin, end), and room for a NUL          */
    size_t begin, end, capacity;
    int64_t added; /* lines that source_more added to the line last taken      */
    int ended;     /* nothing follows the buffer                              */
    char newline;  /* what ends a line: LF or, in files of old, CR; 0: unknown */
};

/* "-" is standard input. On error nothing stays open. The path is not needed afterwards. */
spgm_error source_open(struct source *source, const char *path, spgm_status *status);
/* The same over borrowed memory, decompression included. */
spgm_error source_open_memory(struct source *source, const char *name, const void *bytes, size_t size,
                              spgm_status *status);
void source_close(struct source *source);
/* Report from now on how much of the file was read. NULL: do not. */
void source_report(struct source *source, spgm_read_progress progress, void *context);
int source_descriptor(const struct source *source); /* of the file as it is, perhaps compressed; -1: memory */

/* The next line without its end (LF, CRLF or, where the first line ends so, CR), with a NUL in its place, and the
 * caller's to change; a UTF-8 mark at the start of the file is left out. *text is NULL after the last line. */
spgm_error source_line(struct source *source, char **text, char **end, spgm_status *status);
/* Add the next line to the one last taken, [*text, *end), with what stands between them; nothing changes at the end of
 * the file. `line` stays the number of the first. */
spgm_error source_more(struct source *source, char **text, char **end, spgm_status *status);
/* Look at the next bytes, up to `size` of them, without taking them; *count is less only when the file ends. */
spgm_error source_peek(struct source *source, size_t size, const char **bytes, size_t *count, spgm_status *status);
/* Take up to `size` bytes; *count is less only when the file ends. */
spgm_error source_take(struct source *source, size_t size, void *bytes, size_t *count, spgm_status *status);

/* "NAME, line 7" and then the rest, which begins with a comma or a colon; without the line when none was taken. */
spgm_error source_fail(const struct source *source, spgm_status *status, spgm_error code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

enum { EXCERPT_SIZE = 40 };
/* What stands at [text, end), fit for a sentence: printable, and cut with "..." when long. */
const char *source_excerpt(const char *text, const char *end, char excerpt[EXCERPT_SIZE]);
/* What is wrong with [text, end) as a number, as the end of a sentence: "is not a number". */
const char *source_number_problem(const char *text, const char *end);
/* SPGM_ERROR_DATA for a number that cannot be used (NaN, infinite, too large), else SPGM_ERROR_FORMAT. */
spgm_error source_number_code(const char *text, const char *end);
/* The end of a path, short enough for a sentence; "-" becomes `dash`. */
void source_name(char name[SOURCE_NAME_SIZE], const char *path, const char *dash);

#endif
