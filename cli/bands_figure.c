/* The picture of a band: rows in the order of its middle, and where their targets are. */
#include <math.h>
#include <stdlib.h>

#include "bands_figure.h"
#include "figure.h"

enum {
    DOTS_FEW = 200, /* larger dots for so many rows */
    WIDTH = 760,
    HEIGHT = 460,
    POINTS_MAX = 1500,
    NAME_SIZE = 32
};

struct place {
    double middle;
    int64_t row;
};

static int by_middle(const void *a, const void *b) {
    const struct place *p = a, *q = b;
    if (p->middle != q->middle) {
        return p->middle < q->middle ? -1 : 1;
    }
    return p->row < q->row ? -1 : p->row > q->row;
}

/* The rows that have a prediction, in order of the middle level. */
static int64_t order(const struct band_picture *picture, struct place *places) {
    int64_t middle = 0, known = 0;
    for (int64_t k = 0; k < picture->count; k++) {
        middle = fabs(picture->levels[k] - 0.5) < fabs(picture->levels[middle] - 0.5) ? k : middle;
    }
    for (int64_t i = 0; i < picture->rows; i++) {
        double value = picture->values[i * picture->count + middle];
        if (!isnan(value)) {
            places[known++] = (struct place){value, i};
        }
    }
    qsort(places, (size_t)known, sizeof *places, by_middle);
    return known;
}

int bands_figure(const char *path, const struct band_picture *picture, const struct args *args) {
    int64_t count = picture->count, lines = count + 1;
    struct place *places = malloc(((size_t)picture->rows + 1) * sizeof *places);
    double *numbers = malloc((size_t)(lines + 1) * POINTS_MAX * sizeof *numbers);
    struct chart_series *series = calloc((size_t)lines, sizeof *series);
    char(*names)[NAME_SIZE] = calloc((size_t)lines, sizeof *names);
    int result = places && numbers && series && names ? CLI_DONE : cli_out_of_memory();
    int64_t known = result == CLI_DONE ? order(picture, places) : 0;
    int64_t shown = known < POINTS_MAX ? known : POINTS_MAX;
    for (int64_t at = 0; at < shown; at++) {
        const struct place *place = &places[at * known / shown];
        numbers[at] = (double)(at * known / shown + 1);
        for (int64_t k = 0; k < count; k++) {
            numbers[(k + 1) * POINTS_MAX + at] = picture->values[place->row * count + k];
        }
        numbers[(count + 1) * POINTS_MAX + at] = picture->target ? picture->target[place->row] : NAN;
    }
    for (int64_t k = 0; k < lines && result == CLI_DONE; k++) {
        int is_target = k == count, is_middle = !is_target && picture->levels[k] == 0.5;
        snprintf(names[k], NAME_SIZE, is_target ? "target" : "quantile %g", is_target ? 0 : picture->levels[k]);
        series[k] = (struct chart_series){.label = is_target && !picture->target ? NULL : names[k],
                                          .style = (int)k,
                                          .count = shown,
                                          .x = numbers,
                                          .y = numbers + (k + 1) * POINTS_MAX,
                                          .points = !is_target          ? 0
                                                    : shown <= DOTS_FEW ? 0.5
                                                                        : 0.3,
                                          .colour = is_target ? "#8a8f98" : figure_colour(is_middle ? 1 : 0)};
    }
    if (result == CLI_DONE) {
        struct chart chart = {.title = picture->title,
                              .x_label = "rows in the order of the middle quantile",
                              .y_label = picture->target_name ? picture->target_name : "target",
                              .width = WIDTH,
                              .height = HEIGHT,
                              .count = (int)(picture->target ? lines : count),
                              .series = series};
        struct sheet sheet = {.title = picture->title, .columns = 1, .count = 1, .charts = &chart};
        chart.title = picture->subtitle;
        result = figure_make(path, &sheet, args);
    }
    free(places);
    free(numbers);
    free(series);
    free(names);
    return result;
}
