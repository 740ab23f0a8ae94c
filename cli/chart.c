/* Line charts and dot charts as inline SVG. Colours come from the page's style sheet (style.c). */
#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

enum { TOP = 34, BOTTOM = 44, LEFT = 60, RIGHT = 124, LABEL_GAP = 14, TICKS_MAX = 24 };

struct axis {
    double low, high; /* in the units of the data       */
    double from, to;  /* where these lie on the drawing */
    int logarithmic;
    int count; /* of ticks */
    double tick[TICKS_MAX];
};

/* ---- axes -------------------------------------------------------------------------------------------- */

static double axis_at(const struct axis *axis, double value) {
    double share = axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
                                     : (value - axis->low) / (axis->high - axis->low);
    return axis->from + share * (axis->to - axis->from);
}

/* 1, 2 or 5 times a power of ten, so that about `wanted` steps cover the range. */
static double nice_step(double range, int wanted) {
    double rough = range / wanted, power = pow(10, floor(log10(rough))), lead = rough / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void axis_add_tick(struct axis *axis, double value) {
    double slack = 1e-9 * fabs(axis->high - axis->low);
    if (axis->count < TICKS_MAX && value >= axis->low - slack && value <= axis->high + slack) {
        axis->tick[axis->count++] = value;
    }
}

static void linear_ticks(struct axis *axis, int wanted) {
    double step = nice_step(axis->high - axis->low, wanted), first = ceil(axis->low / step - 1e-9);
    for (int i = 0; i < TICKS_MAX; i++) {
        axis_add_tick(axis, (first + i) * step);
    }
}

/* Powers of ten; where they are few also their multiples by 2 and 5, where many every second or third. */
static void logarithmic_ticks(struct axis *axis) {
    static const double few[] = {1, 2, 5}, many[] = {1};
    double decades = log10(axis->high / axis->low);
    const double *lead = decades < 2.5 ? few : many;
    int leads = decades < 2.5 ? 3 : 1, stride = decades > 7 ? 1 + (int)(decades / 7) : 1;
    for (int power = (int)floor(log10(axis->low)); power <= (int)ceil(log10(axis->high)); power++) {
        for (int i = 0; i < leads && power % stride == 0; i++) {
            axis_add_tick(axis, lead[i] * pow(10, power));
        }
    }
}

static void axis_include(struct axis *axis, double value) {
    if (isfinite(value) && (!axis->logarithmic || value > 0)) {
        axis->low = value < axis->low ? value : axis->low;
        axis->high = value > axis->high ? value : axis->high;
    }
}

/* A little room at both ends, and ticks. */
static void axis_finish(struct axis *axis, double room, int wanted) {
    if (axis->low > axis->high) {
        axis->low = axis->logarithmic ? 1 : 0;
        axis->high = axis->low + 1;
    }
    if (axis->logarithmic) {
        double factor = axis->high > axis->low * 1.0001 ? pow(axis->high / axis->low, room) : 1.5;
        axis->low /= factor;
        axis->high *= factor;
        if (axis->high < 7 * axis->low) {
            linear_ticks(axis, wanted);
        } else {
            logarithmic_ticks(axis);
        }
    } else {
        double range = axis->high - axis->low, least = 1e-6 * fabs(axis->high);
        double more = range > least ? room * range : fabs(axis->high) > 0 ? 0.05 * fabs(axis->high) : 1;
        axis->high += more;
        axis->low = axis->low >= 0 && axis->low < more ? 0 : axis->low - more;
        linear_ticks(axis, wanted);
    }
}

/* ---- the frame --------------------------------------------------------------------------------------- */

static const char *tick_text(double value, char text[32]) {
    double size = fabs(value);
    if (size >= 1e6 || (size > 0 && size < 1e-3)) {
        snprintf(text, 32, "%.3g", value);
    } else if (size >= 10000) {
        snprintf(text, 32, "%gk", value / 1000);
    } else {
        snprintf(text, 32, "%.6g", value);
    }
    return text;
}

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
                    y->from + 17, tick_text(x->tick[i], text));
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
                x->from, at, x->to, at, x->from - 6, at + 4, tick_text(y->tick[i], text));
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

static int is_drawn(const struct chart_series *series, int64_t i, const struct axis *x, const struct axis *y) {
    return isfinite(series->y[i]) && isfinite(series->x[i]) && (!y->logarithmic || series->y[i] > 0) &&
           (!x->logarithmic || series->x[i] > 0);
}

static void draw_path(FILE *file, const struct chart_series *series, const struct axis *x, const struct axis *y) {
    int begun = 0;
    fputs("<path class=\"line\" d=\"", file);
    for (int64_t i = 0; i < series->count; i++) {
        if (!is_drawn(series, i, x, y)) {
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
        if (is_drawn(series, i, x, y) && series->high[i] > series->low[i]) {
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
        if (is_drawn(series, i, x, y)) {
            draw_mark(file, series->style, axis_at(x, series->x[i]), axis_at(y, series->y[i]), series->label,
                      series->x[i], series->y[i]);
        }
    }
    fputs("</g>\n", file);
}

/* ---- names at the ends of the lines --------------------------------------------------------------------- */

struct end {
    const struct chart_series *series;
    double x, y, at; /* of the last point, and where its name goes */
};

static int by_height(const void *a, const void *b) {
    const struct end *p = a, *q = b;
    return p->y < q->y ? -1 : p->y > q->y;
}

/* Push names apart downwards, then back up from the bottom. */
static void spread_out(struct end *ends, int count, double top, double bottom) {
    for (int i = 0; i < count; i++) {
        double least = i ? ends[i - 1].at + LABEL_GAP : top;
        ends[i].at = ends[i].y > least ? ends[i].y : least;
    }
    for (int i = count - 1; i >= 0; i--) {
        double most = i < count - 1 ? ends[i + 1].at - LABEL_GAP : bottom;
        ends[i].at = ends[i].at < most ? ends[i].at : most;
    }
}

static int find_ends(const struct chart *chart, const struct axis *x, const struct axis *y, struct end *ends) {
    int count = 0;
    for (int k = 0; k < chart->count; k++) {
        const struct chart_series *series = &chart->series[k];
        int64_t last = series->count - 1;
        while (last >= 0 && !is_drawn(series, last, x, y)) {
            last--;
        }
        if (last >= 0) {
            ends[count++] = (struct end){series, axis_at(x, series->x[last]), axis_at(y, series->y[last]), 0};
        }
    }
    return count;
}

static void draw_names(FILE *file, const struct chart *chart, const struct axis *x, const struct axis *y) {
    struct end *ends = malloc(((size_t)chart->count + 1) * sizeof *ends);
    int count = ends ? find_ends(chart, x, y, ends) : 0;
    if (count > 1) {
        qsort(ends, (size_t)count, sizeof *ends, by_height);
    }
    spread_out(ends, count, y->to + 4, y->from);
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

static void include_series(const struct chart_series *series, struct axis *x, struct axis *y) {
    for (int64_t i = 0; i < series->count; i++) {
        axis_include(x, series->x[i]);
        axis_include(y, series->y[i]);
        if (series->low && isfinite(series->y[i])) {
            axis_include(y, series->low[i]);
            axis_include(y, series->high[i]);
        }
    }
}

static void make_axes(const struct chart *chart, struct axis *x, struct axis *y) {
    *x = (struct axis){.low = HUGE_VAL, .high = -HUGE_VAL, .from = LEFT, .to = chart->width - RIGHT};
    *y = (struct axis){.low = HUGE_VAL, .high = -HUGE_VAL, .from = chart->height - BOTTOM, .to = TOP};
    x->logarithmic = chart->log_x;
    y->logarithmic = chart->log_y > 0;
    for (int k = 0; k < chart->count; k++) {
        include_series(&chart->series[k], x, y);
    }
    y->logarithmic = chart->log_y < 0 ? y->low > 0 && y->high > 8 * y->low : chart->log_y;
    axis_finish(x, 0.02, 8);
    axis_finish(y, 0.06, 6);
    if (chart->x_ticks && chart->count) { /* the values that were asked for rather than round ones */
        x->count = 0;
        for (int64_t i = 0; i < chart->series[0].count; i++) {
            axis_add_tick(x, chart->series[0].x[i]);
        }
    }
}

void chart_lines(FILE *file, const struct chart *chart) {
    struct axis x, y;
    make_axes(chart, &x, &y);
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

void chart_dots(FILE *file, const char *title, const char *x_label, int width, int count,
                const struct chart_dot *dots) {
    int height = TOP + BOTTOM + 22 * count + 8;
    struct axis x = {.low = HUGE_VAL, .high = -HUGE_VAL, .from = LEFT + 64, .to = width - 84, .logarithmic = 1};
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
