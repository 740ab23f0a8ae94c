/* A figure by gnuplot: FILE.svg, .pdf or .png, drawn by the script FILE.svg.gp that is kept beside it. */
#ifndef SPGM_CLI_FIGURE_H
#define SPGM_CLI_FIGURE_H

#include "cli.h"

/* Colours of lines in turn; the next turn takes another dash. */
enum { FIGURE_COLOURS = 8 };

struct figure {
    const char *path;
    char *script_path;
    struct outfile script;
};

/* The ending is known and both files can be written, or a sentence. NULL is fine. */
int figure_check(const char *path);
/* Open the script and write what every figure begins with; the caller adds data and plots to script.file. */
int figure_open(struct figure *figure, const char *path, int panels);
/* s from first to last along the bottom. */
void figure_range(FILE *file, int64_t first, int64_t last);
/* A text in single quotes. */
void figure_text(FILE *file, const char *text);
/* Finish the script and draw. Without gnuplot a sentence says how to draw later; that is no failure. */
int figure_draw(struct figure *figure, const struct args *args);
void figure_free(struct figure *figure);

#endif
