/* The figures of the paper as files: each panel, and all panels of a loss on one sheet, as SVG and PDF (figure.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "figure.h"
#include "paper.h"

enum { SIZES_MAX = 64, KINDS = 3, WIDTH = 440, HEIGHT = 340 };

static void panel_name(const struct paper *paper, int panel, char *text, size_t size) {
    snprintf(text, size, "%s-%s", paper->panel[panel].loss, paper_dataset(paper->panel[panel].dataset));
}

/* ---- charts ----------------------------------------------------------------------------------------------------- */

/* The numbers of one chart. */
struct block {
    double x[SIZES_MAX], y[PAPER_METHODS_MAX][SIZES_MAX];
    struct chart_series series[PAPER_METHODS_MAX];
    char title[128];
};

/* Every method has its line, so that one legend is right for all charts. */
static struct chart make_chart(const struct paper *paper, struct block *block, int panel, enum paper_value what,
                               const char *title) {
    int64_t sizes = paper->sizes < SIZES_MAX ? paper->sizes : SIZES_MAX;
    snprintf(block->title, sizeof block->title, "%s", title);
    for (int64_t i = 0; i < sizes; i++) {
        block->x[i] = (double)paper->sparsity[i];
        for (int m = 0; m < paper->methods; m++) {
            block->y[m][i] = paper_mean(paper, panel, i, m, what);
        }
    }
    for (int m = 0; m < paper->methods; m++) {
        block->series[m] = (struct chart_series){.label = paper->method[m].key,
                                                 .style = style_of(paper->method[m].key),
                                                 .count = sizes,
                                                 .x = block->x,
                                                 .y = block->y[m]};
    }
    return (struct chart){.title = block->title,
                          .x_label = "s",
                          .y_label = "F, mean over the starts",
                          .width = WIDTH,
                          .height = HEIGHT,
                          .log_y = -1,
                          .x_ticks = 1,
                          .count = paper->methods,
                          .series = block->series};
}

/* The charts of one panel: what the method left and after exact minimisation, with the same axes; and the paper's,
 * whose objectives are of another size. */
static int panel_charts(const struct paper *paper, struct block *blocks, int panel, struct chart *charts) {
    static const enum paper_value what[KINDS] = {PAPER_RAW, PAPER_POLISHED, PAPER_PUBLISHED};
    static const char *const titles[KINDS] = {"as the method left it", "after exact minimisation",
                                              "published (axis of its own)"};
    int count = paper->has_published ? KINDS : KINDS - 1;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int k = 0; k < count; k++) {
        charts[k] = make_chart(paper, &blocks[k], panel, what[k], titles[k]);
        for (int64_t i = 0; what[k] != PAPER_PUBLISHED && i < charts[k].series[0].count * paper->methods; i++) {
            double value = blocks[k].y[i % paper->methods][i / paper->methods];
            low = isfinite(value) && value < low ? value : low;
            high = isfinite(value) && value > high ? value : high;
        }
    }
    for (int k = 0; k < count && what[k] != PAPER_PUBLISHED; k++) {
        charts[k].y_low = low;
        charts[k].y_high = high;
    }
    return count;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Where gnuplot is missing once, it is not asked again: *code keeps what it ended with. */
static int write_sheet(const struct paper *paper, const char *name, const struct sheet *sheet, int *code) {
    static const char *const kinds[] = {"svg", "pdf"};
    char script[4096], path[4096], file[160];
    snprintf(file, sizeof file, "figures/%s.gp", name);
    paper_path(paper, file, script, sizeof script);
    snprintf(file, sizeof file, "%s.svg", name);
    int result = figure_script(script, file, sheet);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && result == CLI_DONE && *code == 0; i++) {
        snprintf(file, sizeof file, "figures/%s.%s", name, kinds[i]);
        result = figure_draw(paper_path(paper, file, path, sizeof path), script, code);
    }
    return result;
}

static int write_panel(const struct paper *paper, struct block *blocks, int panel, int *code) {
    struct chart charts[KINDS];
    char name[128], title[192];
    int count = panel_charts(paper, blocks, panel, charts);
    panel_name(paper, panel, name, sizeof name);
    snprintf(title, sizeof title, "%s loss, %s", paper->panel[panel].loss, paper_dataset(paper->panel[panel].dataset));
    struct sheet sheet = {.title = title, .columns = count, .count = count, .charts = charts, .has_legend = 1};
    return write_sheet(paper, name, &sheet, code);
}

/* All charts of a sheet have logarithmic axes, or none: where one needs it. */
static void agree_on_axes(struct chart *charts, int count) {
    int any = 0;
    for (int i = 0; i < count; i++) {
        struct axis x = {.from = 0, .to = 1}, y = {.from = 0, .to = 1};
        axes_of(&charts[i], &x, &y);
        any = any || y.logarithmic;
    }
    for (int i = 0; i < count; i++) {
        charts[i].log_y = any;
    }
}

/* The panels of one loss on one sheet, as in the paper: in two rows where there are more than four. */
static int write_figure(const struct paper *paper, struct block *blocks, int figure, int *code) {
    struct chart charts[PAPER_PANELS];
    const char *loss = "";
    char title[128], name[32];
    int count = 0;
    for (int i = 0; i < paper->panels; i++) {
        if (paper->panel[i].figure == figure) {
            loss = paper->panel[i].loss;
            charts[count] = make_chart(paper, &blocks[count], i, PAPER_RAW, paper_dataset(paper->panel[i].dataset));
            count++;
        }
    }
    agree_on_axes(charts, count);
    snprintf(name, sizeof name, "figure%d", figure);
    snprintf(title, sizeof title, "%s loss, as the methods left it", loss);
    struct sheet sheet = {.title = title,
                          .columns = count > 4 ? (count + 1) / 2 : count,
                          .count = count,
                          .charts = charts,
                          .has_legend = 1};
    for (int i = 0; i < count && count > 4; i++) { /* a sheet that is printed is made smaller */
        charts[i].width = WIDTH - 80;
        charts[i].height = HEIGHT - 50;
    }
    return count ? write_sheet(paper, name, &sheet, code) : CLI_DONE;
}

static int has_figure(const struct paper *paper, int figure) {
    for (int i = 0; i < paper->panels; i++) {
        if (paper->panel[i].figure == figure) {
            return 1;
        }
    }
    return 0;
}

static void put_all(FILE *file, const struct paper *paper) {
    char name[128];
    fputs("names = '", file);
    for (int i = 0; i < paper->panels; i++) {
        panel_name(paper, i, name, sizeof name);
        fprintf(file, "%s ", name);
    }
    fprintf(file, "%s%s'\n", has_figure(paper, 1) ? "figure1 " : "", has_figure(paper, 2) ? "figure2" : "");
    fputs("do for [name in names] {\n    do for [ending in 'svg pdf'] {\n        kind = ending\n        output = "
          "name.'.'.kind\n"
          "        load name.'.gp'\n    }\n}\n",
          file);
}

static void report_gnuplot(const struct paper *paper, int code) {
    char path[4096];
    paper_path(paper, "figures", path, sizeof path);
    if (code && !args_get(paper->args, "quiet")) {
        cli_error(code == 127 ? "gnuplot is not installed: %s holds the scripts; run 'gnuplot all.gp' there"
                              : "gnuplot failed: %s holds the scripts; 'gnuplot all.gp' there says why",
                  path);
    }
}

int paper_figures(const struct paper *paper) {
    struct block *blocks = malloc(PAPER_PANELS * sizeof *blocks);
    int code = 0, result = blocks ? CLI_DONE : cli_out_of_memory();
    screen_note(paper->args, "drawing the figures");
    for (int i = 0; i < paper->panels && result == CLI_DONE; i++) {
        result = write_panel(paper, blocks, i, &code);
    }
    for (int figure = 1; figure <= 2 && result == CLI_DONE; figure++) {
        result = write_figure(paper, blocks, figure, &code);
    }
    result = result ? result : paper_write(paper, "figures/all.gp", put_all);
    screen_erase();
    report_gnuplot(paper, code); /* the report of the runs does not need them */
    free(blocks);
    return result;
}
