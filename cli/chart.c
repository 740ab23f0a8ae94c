/* Line charts and dot charts as inline SVG. Colours come from the page's style sheet (style.c). */
#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "page.h"

enum { TOP = 34, BOTTOM = 44, LEFT = 60, RIGHT = 124, LABEL_GAP = 14 };

/* ---- the frame --------------------------------------------------------------------------------------- */

static void begin_drawing(FILE *file, const char *title, int width, int height) {
    fprintf(file, "<svg class=\"chart\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"",
            width, height, width, height);
    page_text(file, title);
    fputs("\">\n<text class=\"title\" x=\"8\" y=\"18\">", file);
    page_text(file, title);
    fputs("</text>\n", file);
}

static void draw_x_axis(FILE *file, const struct axis *x, const struct axis *y, const char *label, int height) {
    char text[32];
    double last = -1e9;
    for (int i = 0; i < x->count; i++) {
        double at = axis_at(x, x->tick[i]);
        fprintf(file, "<line class=\"tick\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", at, y->from, at,
                y->from + 4);
        if (at - last > 24) {
            fprintf(file, "<text class=\"number\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", at,
                    y->from + 17, axis_text(x->tick[i], text));
            last = at;
        }
    }
    fprintf(file, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x->from, y->from, x->to,
            y->from);
    fprintf(file, "<text class=\"name\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">", (x->from + x->to) / 2,
            height - 8);
    page_text(file, label);
    fputs("</text>\n", file);
}

static void draw_y_axis(FILE *file, const struct axis *x, const struct axis *y, const char *label) {
    char text[32];
    for (int i = 0; i < y->count; i++) {
        double at = axis_at(y, y->tick[i]);
        fprintf(file,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"number\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                x->from, at, x->to, at, x->from - 6, at + 4, axis_text(y->tick[i], text));
    }
    double middle = (y->from + y->to) / 2;
    fprintf(file, "<text class=\"name\" text-anchor=\"middle\" transform=\"translate(14 %.1f) rotate(-90)\">", middle);
    page_text(file, label);
    fputs("</text>\n", file);
}

/* ---- marks ------------------------------------------------------------------------------------------- */

/* Six shapes, filled or hollow, with what the point says when one rests on it. */
static void draw_mark(FILE *file, int style, double x, double y, const char *label, double at_x, double at_y) {
    static const char *const shapes[] = {"M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
                                         "M-3.5,-3.5h7v7h-7z",
                                         "M0,-4.8l4.4,7.6h-8.8z",
                                         "M0,4.8l4.4,-7.6h-8.8z",
                                         "M0,-5l4.5,5l-4.5,5l-4.5,-5z",
                                         "M-3.5,-3.5l7,7m0,-7l-7,7"};
    int shape = style % 6;
    fprintf(file, "<path class=\"%s\" transform=\"translate(%.1f %.1f)\" d=\"%s\"><title>",
            shape == 5        ? "cross"
            : style % 12 >= 6 ? "hollow"
                              : "mark",
            x, y, shapes[shape]);
    page_text(file, label);
    fprintf(file, ": %.6g at %.6g</title></path>\n", at_y, at_x);
}

static void draw_path(FILE *file, const struct chart_series *series, const struct axis *x, const struct axis *y) {
    int begun = 0;
    fputs("<path class=\"line\" d=\"", file);
    for (int64_t i = 0; i < series->count; i++) {
        if (!axis_shows(series, i, x, y)) {
            continue;
        }
        double px = axis_at(x, series->x[i]), py = axis_at(y, series->y[i]);
        if (begun && series->steps) {
            fprintf(file, "H%.1f", px);
        }
        fprintf(file, "%s%.1f,%.1f", begun ? "L" : "M", px, py);
        begun = 1;
    }
    fputs("\"/>\n", file);
}

static void draw_spread(FILE *file, const struct chart_series *series, const struct axis *x, const struct axis *y) {
    for (int64_t i = 0; series->low && i < series->count; i++) {
        if (axis_shows(series, i, x, y) && series->high[i] > series->low[i]) {
            double at = axis_at(x, series->x[i]);
            fprintf(file, "<line class=\"spread\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", at, at,
                    axis_at(y, series->low[i]), axis_at(y, series->high[i]));
        }
    }
}

static void draw_series(FILE *file, const struct chart_series *series, const struct axis *x, const struct axis *y) {
    fprintf(file, "<g class=\"s%d%s\">", series->style, series->style == 0 ? " strong" : "");
    draw_spread(file, series, x, y);
    draw_path(file, series, x, y);
    for (int64_t i = 0; !series->steps && i < series->count; i++) {
        if (axis_shows(series, i, x, y)) {
            draw_mark(file, series->style, axis_at(x, series->x[i]), axis_at(y, series->y[i]), series->label,
                      series->x[i], series->y[i]);
        }
    }
    fputs("</g>\n", file);
}

static void draw_names(FILE *file, const struct chart *chart, const struct axis *x, const struct axis *y) {
    struct end *ends = malloc(((size_t)chart->count + 1) * sizeof *ends);
    int count = ends ? axis_ends(chart, x, y, LABEL_GAP, ends) : 0;
    for (int i = 0; i < count; i++) {
        int style = ends[i].series->style;
        fprintf(file,
                "<g class=\"s%d%s\"><path class=\"leader\" d=\"M%.1f,%.1fL%.1f,%.1fL%.1f,%.1f\"/>"
                "<text class=\"label\" x=\"%.1f\" y=\"%.1f\">",
                style, style == 0 ? " strong" : "", ends[i].x + 6, ends[i].y, x->to + 8, ends[i].at, x->to + 14,
                ends[i].at, x->to + 17, ends[i].at + 4);
        page_text(file, ends[i].series->label);
        fputs("</text></g>\n", file);
    }
    free(ends);
}

/* ---- line charts ------------------------------------------------------------------------------------------ */

/* Room for the longest name at the end of a line. */
static int right_margin(const struct chart *chart) {
    int longest = 0;
    for (int k = 0; k < chart->count; k++) {
        int length = chart->series[k].label ? (int)strlen(chart->series[k].label) : 0;
        longest = length > longest ? length : longest;
    }
    int room = 36 + 7 * longest;
    return room < RIGHT ? RIGHT : room > chart->width / 2 ? chart->width / 2 : room;
}

void chart_lines(FILE *file, const struct chart *chart) {
    struct axis x = {.from = LEFT, .to = chart->width - right_margin(chart)};
    struct axis y = {.from = chart->height - BOTTOM, .to = TOP};
    axes_of(chart, &x, &y);
    begin_drawing(file, chart->title, chart->width, chart->height);
    draw_y_axis(file, &x, &y, chart->y_label);
    draw_x_axis(file, &x, &y, chart->x_label, chart->height);
    for (int k = chart->count - 1; k >= 0; k--) { /* the first one on top */
        draw_series(file, &chart->series[k], &x, &y);
    }
    draw_names(file, chart, &x, &y);
    fputs("</svg>\n", file);
}

/* ---- dot charts -------------------------------------------------------------------------------------------- */

static void draw_dot(FILE *file, const struct chart_dot *dot, const struct axis *x, double y) {
    fprintf(file, "<g class=\"s%d%s\"><text class=\"label\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">", dot->style,
            dot->style == 0 ? " strong" : "", x->from - 10, y + 4);
    page_text(file, dot->label);
    fprintf(file, "</text><line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", x->from, x->to, y,
            y);
    if (dot->high > dot->low) {
        fprintf(file, "<line class=\"range\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>", axis_at(x, dot->low),
                axis_at(x, dot->high), y, y);
    }
    draw_mark(file, dot->style, axis_at(x, dot->mean), y, dot->label, dot->mean, dot->mean);
    fprintf(file, "<text class=\"number\" x=\"%.1f\" y=\"%.1f\">", x->to + 10, y + 4);
    page_text(file, dot->text);
    fputs("</text></g>\n", file);
}

static int left_margin(int count, const struct chart_dot *dots) {
    int longest = 0;
    for (int i = 0; i < count; i++) {
        int length = (int)strlen(dots[i].label);
        longest = length > longest ? length : longest;
    }
    int room = 24 + 7 * longest;
    return room < LEFT + 64 ? LEFT + 64 : room;
}

void chart_dots(FILE *file, const char *title, const char *x_label, int width, int count,
                const struct chart_dot *dots) {
    int height = TOP + BOTTOM + 22 * count + 8;
    struct axis x = axis_new(left_margin(count, dots), width - 84, 1);
    struct axis y = {.from = height - BOTTOM, .to = TOP};
    for (int i = 0; i < count; i++) {
        axis_include(&x, dots[i].low);
        axis_include(&x, dots[i].high);
    }
    axis_finish(&x, 0.04, 6);
    begin_drawing(file, title, width, height);
    draw_x_axis(file, &x, &y, x_label, height);
    for (int i = 0; i < count; i++) {
        draw_dot(file, &dots[i], &x, TOP + 12 + 22 * i);
    }
    fputs("</svg>\n", file);
}
