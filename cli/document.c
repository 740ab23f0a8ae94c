/* One text, two forms: wrapped for a screen, or as the source of a man page. */
#include "cli.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

struct doc_format {
    void (*heading)(struct doc *doc, const char *text);
    void (*paragraph)(struct doc *doc, const char *text);
    void (*verbatim)(struct doc *doc, const char *text);
    void (*item)(struct doc *doc, const char *term, const char *text);
};

/* ---- screen -------------------------------------------------------------------------------------- */

enum { NARROWEST = 40, WIDEST = 100, INDENT = 2, VERBATIM_INDENT = 4, UNBROKEN = 36, FACT_COLUMN = 13 };
enum { BLOCK_NONE, BLOCK_HEADING, BLOCK_PARAGRAPH, BLOCK_VERBATIM, BLOCK_ITEM };

static void put_spaces(FILE *file, int count) {
    for (int i = 0; i < count; i++) {
        fputc(' ', file);
    }
}

/* Length of the first `bytes` bytes on the screen. */
static int word_length(const char *word, size_t bytes) {
    int length = 0;
    for (size_t i = 0; i < bytes; i++) {
        length += ((unsigned char)word[i] & 0xC0) != 0x80;
    }
    return length;
}

/* Bytes up to the next space; a short remark in brackets stays on one line. */
static size_t word_bytes(const char *text) {
    size_t bytes = strcspn(text, " ");
    const char *close = *text == '[' ? strchr(text, ']') : NULL;
    if (close && close - text < UNBROKEN) {
        bytes = (size_t)(close - text) + 1;
        bytes += strcspn(text + bytes, " ");
    }
    return bytes;
}

/* A blank line between blocks, none after a heading and none between items. */
static void begin_block(struct doc *doc, int block) {
    int quiet = doc->block == BLOCK_NONE || doc->block == BLOCK_HEADING || (block == BLOCK_ITEM && doc->block == block);
    if (!quiet) {
        fputc('\n', doc->file);
    }
    doc->block = block;
}

/* Fill lines from `at` on; new lines begin at `indent`. */
static void put_wrapped(struct doc *doc, const char *text, int at, int indent) {
    const char *word = text + strspn(text, " ");
    for (int first = 1; *word; first = 0) {
        size_t bytes = word_bytes(word);
        int length = word_length(word, bytes);
        if (!first && at + 1 + length > doc->width) {
            fputc('\n', doc->file);
            put_spaces(doc->file, indent);
            at = indent;
        } else if (!first) {
            fputc(' ', doc->file);
            at++;
        }
        fwrite(word, 1, bytes, doc->file);
        at += length;
        word += bytes;
        word += strspn(word, " ");
    }
    fputc('\n', doc->file);
}

static void text_heading(struct doc *doc, const char *text) {
    begin_block(doc, BLOCK_HEADING);
    fprintf(doc->file, doc->styled ? "\033[1m%s\033[0m\n" : "%s\n", text);
}

static void text_paragraph(struct doc *doc, const char *text) {
    begin_block(doc, BLOCK_PARAGRAPH);
    put_spaces(doc->file, INDENT);
    put_wrapped(doc, text, INDENT, INDENT);
}

static void text_verbatim(struct doc *doc, const char *text) {
    begin_block(doc, BLOCK_VERBATIM);
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        if (bytes) {
            fprintf(doc->file, "%*s%.*s", VERBATIM_INDENT, "", (int)bytes, text);
        }
        fputc('\n', doc->file);
        text += bytes + (text[bytes] == '\n');
    }
}

static void text_item(struct doc *doc, const char *term, const char *text) {
    int column = doc->column < doc->width / 2 ? doc->column : doc->width / 2;
    begin_block(doc, BLOCK_ITEM);
    put_spaces(doc->file, INDENT);
    fputs(term, doc->file);
    int at = INDENT + screen_length(term);
    if (at + 2 > column) {
        fputc('\n', doc->file);
        at = 0;
    }
    put_spaces(doc->file, column - at);
    put_wrapped(doc, text, column, column);
}

static const struct doc_format text_format = {text_heading, text_paragraph, text_verbatim, text_item};

/* ---- man page ------------------------------------------------------------------------------------ */

static void put_roff(FILE *file, const char *text) {
    if (*text == '.' || *text == '\'') {
        fputs("\\&", file);
    }
    for (; *text; text++) {
        switch (*text) {
        case '\\':
            fputs("\\e", file);
            break;
        case '-':
            fputs("\\-", file);
            break;
        case '^':
            fputs("\\(ha", file);
            break;
        case '~':
            fputs("\\(ti", file);
            break;
        case '\'':
            fputs("\\(aq", file);
            break;
        case '`':
            fputs("\\(ga", file);
            break;
        default:
            fputc(*text, file);
        }
    }
}

static void roff_heading(struct doc *doc, const char *text) {
    fputs(".SS ", doc->file);
    put_roff(doc->file, text);
    fputc('\n', doc->file);
    doc->block = BLOCK_HEADING;
}

/* A heading makes the space above its first block itself. */
static void roff_begin(struct doc *doc, int block) {
    if (doc->block != BLOCK_HEADING) {
        fputs(".PP\n", doc->file);
    }
    doc->block = block;
}

static void roff_paragraph(struct doc *doc, const char *text) {
    roff_begin(doc, BLOCK_PARAGRAPH);
    put_roff(doc->file, text);
    fputc('\n', doc->file);
}

static void roff_verbatim(struct doc *doc, const char *text) {
    char line[256];
    roff_begin(doc, BLOCK_VERBATIM);
    fputs(".RS 4\n.nf\n", doc->file);
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)bytes, text);
        put_roff(doc->file, line);
        fputc('\n', doc->file);
        text += bytes + (text[bytes] == '\n');
    }
    fputs(".fi\n.RE\n", doc->file);
}

static void roff_item(struct doc *doc, const char *term, const char *text) {
    doc->block = BLOCK_ITEM;
    fputs(".TP\n\\fB", doc->file);
    put_roff(doc->file, term);
    fputs("\\fR\n", doc->file);
    put_roff(doc->file, text);
    fputc('\n', doc->file);
}

static const struct doc_format roff_format = {roff_heading, roff_paragraph, roff_verbatim, roff_item};

/* ---- either -------------------------------------------------------------------------------------- */

void doc_fact(const char *term, const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (isatty(STDERR_FILENO)) {
        struct doc doc = doc_text(stderr);
        doc.column = FACT_COLUMN;
        doc_item(&doc, term, text);
    } else { /* one line for each, for who searches them */
        fprintf(stderr, "  %-*s%s\n", FACT_COLUMN - INDENT, term, text);
    }
}

struct doc doc_text(FILE *file) {
    int width = screen_width(file);
    width = width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : width;
    return (struct doc){
        .file = file, .format = &text_format, .width = width, .column = 28, .styled = screen_styled(file)};
}

void doc_section(struct doc *doc, const char *title) {
    fputs(".SH ", doc->file);
    put_roff(doc->file, title);
    fputc('\n', doc->file);
    doc->block = BLOCK_HEADING;
}

struct doc doc_roff(FILE *file) {
    return (struct doc){.file = file, .format = &roff_format};
}

void doc_title(struct doc *doc, const char *text) {
    doc->format->heading(doc, text);
    doc->block = BLOCK_PARAGRAPH;
}

void doc_heading(struct doc *doc, const char *text) {
    doc->format->heading(doc, text);
}

void doc_paragraph(struct doc *doc, const char *text) {
    doc->format->paragraph(doc, text);
}

void doc_verbatim(struct doc *doc, const char *text) {
    doc->format->verbatim(doc, text);
}

void doc_item(struct doc *doc, const char *term, const char *text) {
    doc->format->item(doc, term, text);
}
