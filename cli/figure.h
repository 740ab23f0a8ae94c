/* Figures as files: FILE.svg, .pdf or .png, drawn by gnuplot from the script FILE.svg.gp that is kept beside it. */
#ifndef SPGM_CLI_FIGURE_H
#define SPGM_CLI_FIGURE_H

#include "chart.h"
#include "cli.h"

/* Colours of lines in turn; the next turn takes another dash. */
enum { FIGURE_COLOURS = 8 };
const char *figure_colour(int i);
/* Of lines in the background. */
#define FIGURE_GREY "#b8bcc2"

/* Charts of the same size, row by row. */
struct sheet {
    const char *title;
    int columns, count;
    const struct chart *charts;
    int has_legend; /* one below all charts, of the lines of the first, instead of names at their ends */
};

/* The ending is known and both files can be written, or a sentence. NULL is fine. */
int figure_check(const char *path);
/* Write the script and draw. Without gnuplot a sentence says how to draw later; that is no failure. */
int figure_make(const char *path, const struct sheet *sheet, const struct args *args);

/* The parts of it, for many figures: the script that draws `name`, of whatever kind; a drawing by it, its kind known by
 * the ending of its name. *code: what gnuplot ended with, 127: there is none. The same script gives the same bytes, but
 * for the date in a PDF. */
int figure_script(const char *script, const char *name, const struct sheet *sheet);
int figure_draw(const char *path, const char *script, int *code);

#endif
