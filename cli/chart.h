/*
 * Descriptions of charts. chart.c draws them as inline SVG in a page, without script or network; figure.c draws them
 * with gnuplot as SVG, PDF and PNG files. axis.c lays them out for both.
 */
#ifndef SPGM_CLI_CHART_H
#define SPGM_CLI_CHART_H

#include <stdint.h>
#include <stdio.h>

/* A line with its name at its end. Points whose y is not finite are left out. */
struct chart_series {
    const char *label; /* NULL: none, the line is one of many in the background */
    int style;         /* colour and mark, see style_of                     */
    int64_t count;     /* of points                                         */
    const double *x, *y;
    const double *low, *high; /* NULL, or the ends of a bar through the point */
    int steps;                /* nonzero: a step function without marks; each value holds until the next point */
    const char *colour;       /* of a figure: instead of the style's, and no marks       */
    int dash;                 /* of a figure: as gnuplot counts them; 0: solid           */
    double points;            /* of a figure: the size of dots without a line, 0: a line */
};

/* A straight line across a figure, with its name beside it: at this s, or at this height. */
struct chart_rule {
    double at;
    int is_level;
    const char *label, *colour;
    int dash;
};

struct chart {
    const char *title, *x_label, *y_label;
    int width, height;
    int log_x, log_y;     /* nonzero: logarithmic; log_y < 0: only if the numbers span more than a factor of eight */
    double y_low, y_high; /* what the axis must include, if y_high > y_low: the same axes for several charts */
    int x_ticks;          /* nonzero: ticks at the points of the first series */
    const char *const *x_names; /* of a figure: names of these points instead of numbers, written upright; or NULL */
    int count;
    const struct chart_series *series;
    int rules;
    const struct chart_rule *rule;
};

void chart_lines(FILE *file, const struct chart *chart);

/* One line per name: mean, least and most on a logarithmic axis, and a text at the end. */
struct chart_dot {
    const char *label, *text;
    int style;
    double mean, low, high;
};

void chart_dots(FILE *file, const char *title, const char *x_label, int width, int count, const struct chart_dot *dots);

/* The style of a method: the same colour and mark in every figure. */
int style_of(const char *method);
/* The i-th style that belongs to no method; they repeat. */
int style_spare(int i);
/* The rules for all styles, light and dark. */
void style_sheet(FILE *file);
/* The colour of a style on white, as "#rrggbb", and the number of gnuplot's point type nearest to its mark. */
const char *style_colour(int style);
int style_point(int style);

#endif
