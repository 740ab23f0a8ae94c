/* The layout of a chart: ranges and ticks of its axes, and the places of the names at the ends of its lines. */
#ifndef SPGM_CLI_AXIS_H
#define SPGM_CLI_AXIS_H

#include "chart.h"

enum { TICKS_MAX = 24 };

struct axis {
    double low, high; /* in the units of the data       */
    double from, to;  /* where these lie on the drawing */
    int logarithmic;
    int count; /* of ticks */
    double tick[TICKS_MAX];
};

/* An empty axis; from and to are the positions of its ends. */
struct axis axis_new(double from, double to, int logarithmic);
void axis_include(struct axis *axis, double value);
/* Add a margin at both ends, and about `wanted` ticks. */
void axis_finish(struct axis *axis, double room, int wanted);
double axis_at(const struct axis *axis, double value);
/* The number of a tick: 0.5, 12k, 1e-05. */
const char *axis_text(double value, char text[32]);

/* Both axes of a chart; `from` and `to` of x and y are given. */
void axes_of(const struct chart *chart, struct axis *x, struct axis *y);
/* Can the point be shown on these axes? */
int axis_shows(const struct chart_series *series, int64_t i, const struct axis *x, const struct axis *y);

/* The end of a line, and where its name goes. */
struct end {
    const struct chart_series *series;
    double x, y, at;
};

/* The ends of all lines that have a name, sorted by height, with names at least `gap` apart; returns their number. */
int axis_ends(const struct chart *chart, const struct axis *x, const struct axis *y, double gap, struct end *ends);

#endif
