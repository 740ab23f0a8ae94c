#include "stability_figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"

enum { COLUMNS_MAX = 40, NAME_SHOWN = 24, WIDTH = 560, HEIGHT = 400, LETTER = 7 };

/* What is drawn: numbers by column, and names. */
struct points {
    double x[COLUMNS_MAX], frequency[COLUMNS_MAX], one[COLUMNS_MAX], low[COLUMNS_MAX], high[COLUMNS_MAX];
    char text[COLUMNS_MAX][LABEL_SIZE];
    const char *name[COLUMNS_MAX], *inside[COLUMNS_MAX]; /* of the columns, and of those in the model */
};

/* Returns the length of the longest name. */
static int fill(struct points *points, const struct labels *names, const struct stability_entry *entries,
                int64_t count) {
    int longest = 0;
    for (int64_t k = 0; k < count; k++) {
        const struct stability_entry *entry = &entries[k];
        points->x[k] = (double)(k + 1);
        points->frequency[k] = entry->frequency;
        points->low[k] = entry->low / entry->coefficient;
        points->high[k] = entry->high / entry->coefficient;
        points->name[k] = label_column(names, entry->column, NAME_SHOWN, points->text[k]);
        longest = screen_length(points->name[k]) > longest ? screen_length(points->name[k]) : longest;
    }
    return longest;
}

/* What the chart of intervals needs of the columns of the model alone, at the front; returns how many they are. */
static int64_t gather_model(struct points *points, const struct stability_entry *entries, int64_t count) {
    int64_t in = 0;
    for (int64_t k = 0; k < count; k++) {
        if (entries[k].coefficient != 0) {
            points->low[in] = points->low[k];
            points->high[in] = points->high[k];
            points->one[in] = 1;
            points->inside[in++] = points->name[k];
        }
    }
    return in;
}

int stability_figure(const struct args *args, const struct labels *names, const struct stability_entry *entries,
                     int64_t count, double threshold, int has_intervals) {
    struct points *points = malloc(sizeof *points);
    char title[256];
    if (!points) {
        return cli_out_of_memory();
    }
    count = count < COLUMNS_MAX ? count : COLUMNS_MAX;
    int longest = fill(points, names, entries, count);
    struct chart_series selected = {.count = count, .x = points->x, .y = points->frequency, .points = 0.8};
    struct chart_series interval = selected;
    interval.count = gather_model(points, entries, count);
    interval.y = points->one;
    interval.low = points->low;
    interval.high = points->high;
    struct chart_rule rules[2] = {{threshold, 1, "stable", figure_colour(1), 2},
                                  {0, 1, "no effect", figure_colour(1), 2}};
    struct chart charts[2] = {{.title = "share of the halves that select a column",
                               .y_label = "share",
                               .width = WIDTH,
                               .height = HEIGHT + LETTER * longest,
                               .y_low = 0,
                               .y_high = 1,
                               .x_names = points->name,
                               .count = 1,
                               .series = &selected,
                               .rules = 1,
                               .rule = &rules[0]}};
    charts[1] = charts[0];
    charts[1].title = "bootstrap interval of the coefficient over the coefficient";
    charts[1].y_label = "relative to the fit of all rows";
    charts[1].x_names = points->inside;
    charts[1].series = &interval;
    charts[1].rule = &rules[1];
    report_title(args, title, sizeof title);
    struct sheet sheet = {
        .title = title, .columns = has_intervals ? 2 : 1, .count = has_intervals ? 2 : 1, .charts = charts};
    int result = figure_make(args_get(args, "figure"), &sheet, args);
    free(points);
    return result;
}
