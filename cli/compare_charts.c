/* The charts of a comparison: objective and time against s, for the page and for --figure. */
#include <math.h>
#include <stdlib.h>

#include "compare.h"
#include "figure.h"

int compare_grid_new(struct compare_grid *grid, const struct compare *compare) {
    size_t cells = (size_t)(compare->sizes * compare->methods) + 1;
    *grid = (struct compare_grid){.x = malloc(cells * sizeof(double)),
                                  .y = malloc(cells * sizeof(double)),
                                  .low = malloc(cells * sizeof(double)),
                                  .high = malloc(cells * sizeof(double)),
                                  .series = calloc((size_t)compare->methods + 1, sizeof(struct chart_series))};
    return grid->x && grid->y && grid->low && grid->high && grid->series;
}

void compare_grid_free(struct compare_grid *grid) {
    free(grid->x);
    free(grid->y);
    free(grid->low);
    free(grid->high);
    free(grid->series);
}

static const double floor_percent = 0.01;

double compare_excess(double objective, double lowest) {
    return fmax(100 * (objective - lowest) / fabs(lowest), floor_percent);
}

static void fill_cell(const struct compare *compare, struct compare_grid *grid, int64_t size, int64_t method,
                      enum compare_quantity what) {
    struct summary sum = compare_summary(compare, size, method);
    const struct spread *spread = what == COMPARE_RAW ? &sum.raw : what == COMPARE_TIME ? &sum.seconds : &sum.polished;
    int64_t at = method * compare->sizes + size, winner;
    const struct trial *best = compare_best(compare, size, &winner);
    grid->x[at] = (double)compare->sparsity[size];
    grid->y[at] = sum.done ? spread->mean : NAN;
    grid->low[at] = spread->low;
    grid->high[at] = spread->high;
    if (what == COMPARE_EXCESS && sum.done) {
        grid->y[at] = best->polished > 0 ? compare_excess(spread->mean, best->polished) : NAN;
        grid->low[at] = compare_excess(spread->low, best->polished);
        grid->high[at] = compare_excess(spread->high, best->polished);
    }
}

struct chart compare_chart(const struct compare *compare, struct compare_grid *grid, enum compare_quantity what) {
    static const struct {
        const char *title, *y_label;
        int log_y;
    } kinds[] = {
        [COMPARE_RAW] = {"Objective as the method left it", "F (mean; bar: best to worst)", -1},
        [COMPARE_POLISHED] = {"Objective after exact minimisation over the chosen columns",
                              "F (mean; bar: best to worst)", -1},
        [COMPARE_EXCESS] = {"How far above the lowest F known, after that minimisation",
                            "% above the lowest (0.01: reached)", 1},
        [COMPARE_TIME] = {"Time of one run", "seconds (mean; bar: fastest to slowest)", 1},
    };
    for (int64_t m = 0; m < compare->methods; m++) {
        int64_t at = m * compare->sizes;
        for (int64_t i = 0; i < compare->sizes; i++) {
            fill_cell(compare, grid, i, m, what);
        }
        grid->series[m] = (struct chart_series){.label = compare->variant[m].name,
                                                .style = compare->variant[m].style,
                                                .count = compare->sizes,
                                                .x = grid->x + at,
                                                .y = grid->y + at,
                                                .low = grid->low + at,
                                                .high = grid->high + at};
    }
    return (struct chart){.title = kinds[what].title,
                          .x_label = "s, the number of nonzeros allowed",
                          .y_label = kinds[what].y_label,
                          .log_y = kinds[what].log_y,
                          .x_ticks = 1,
                          .count = (int)compare->methods,
                          .series = grid->series};
}

int compare_figure(const struct compare *compare, const char *path) {
    static const enum compare_quantity shown[] = {COMPARE_RAW, COMPARE_POLISHED, COMPARE_EXCESS, COMPARE_TIME};
    enum { SHOWN = sizeof shown / sizeof shown[0] };
    struct compare_grid grids[SHOWN] = {0};
    struct chart charts[SHOWN];
    char title[256];
    int ok = 1;
    for (int i = 0; i < SHOWN; i++) {
        ok = ok && compare_grid_new(&grids[i], compare);
    }
    for (int i = 0; i < SHOWN && ok; i++) {
        charts[i] = compare_chart(compare, &grids[i], shown[i]);
        charts[i].width = 620;
        charts[i].height = 400;
    }
    report_title(compare->args, title, sizeof title);
    struct sheet sheet = {.title = title, .columns = 2, .count = SHOWN, .charts = charts, .has_legend = 1};
    int result = ok ? figure_make(path, &sheet, compare->args) : cli_out_of_memory();
    for (int i = 0; i < SHOWN; i++) {
        compare_grid_free(&grids[i]);
    }
    return result;
}
