/* spgm.1, from the same tables and sentences as --help. */
#include "cli.h"

#include <ctype.h>

static void synopsis(struct doc *doc) {
    char lines[4096];
    int at = 0;
    for (int i = 0; command_at(i); i++) {
        at +=
            snprintf(lines + at, sizeof lines - (size_t)at, "spgm %s %s\n", command_at(i)->name, command_at(i)->usage);
    }
    snprintf(lines + at, sizeof lines - (size_t)at, "spgm help [COMMAND]\nspgm --version");
    doc_section(doc, "SYNOPSIS");
    doc_verbatim(doc, lines);
}

static void chapter(struct doc *doc, const struct command *command) {
    char title[64];
    snprintf(title, sizeof title, "SPGM %s", command->name);
    for (char *c = title; *c; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    doc_section(doc, title);
    doc_paragraph(doc, command->summary);
    if (command->describe) {
        command->describe(doc);
    }
    doc_heading(doc, "Options of this command");
    topic_flags(doc, command->flags);
    doc_heading(doc, "Examples");
    doc_verbatim(doc, command->examples);
}

void man_write(FILE *file, const char *date) {
    struct doc doc = doc_roff(file);
    fprintf(file, ".\\\" Made by 'spgm --man' from the tables of the library.\n");
    fprintf(file, ".TH SPGM 1 \"%s\" \"spgm %s\" \"User Commands\"\n", date, spgm_version());
    doc_section(&doc, "NAME");
    fputs("spgm \\- sparse models under losses that most sparse solvers do not support\n", file);
    synopsis(&doc);
    doc_section(&doc, "DESCRIPTION");
    topic_problem(&doc);
    topic_losses(&doc);
    topic_methods(&doc);
    topic_stopping(&doc);
    topic_data(&doc);
    topic_model(&doc);
    for (int i = 0; command_at(i); i++) {
        chapter(&doc, command_at(i));
    }
    doc_section(&doc, "OPTIONS");
    doc_paragraph(&doc, "Commands that solve take every option of the library as a flag.");
    topic_options(&doc);
    topic_exit(&doc);
}
