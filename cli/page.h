/* A self-contained page: HTML with its style and figures inside, nothing is fetched. */
#ifndef SPGM_CLI_PAGE_H
#define SPGM_CLI_PAGE_H

#include <stdio.h>

void page_begin(FILE *file, const char *title);
void page_end(FILE *file);
/* Text with & < > " made harmless. */
void page_text(FILE *file, const char *text);
/* A line of the list of facts at the top. */
void page_fact(FILE *file, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* <p> with plain text. */
void page_paragraph(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A name with its mark in the colour of the figures. */
void page_method(FILE *file, const char *method);
void page_named(FILE *file, const char *name, int style);

/* "AMD EPYC 7B13, 2 cores, Linux 6.1"; returns text. */
const char *machine_text(char *text, int size);
/* "2026-11-16 10:11" in local time. */
const char *machine_date(char text[32]);

#endif
