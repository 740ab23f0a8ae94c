#include "axis.h"

#include <math.h>
#include <stdlib.h>

struct axis axis_new(double from, double to, int logarithmic) {
    return (struct axis){.low = HUGE_VAL, .high = -HUGE_VAL, .from = from, .to = to, .logarithmic = logarithmic};
}

/* ---- axes -------------------------------------------------------------------------------------------- */

double axis_at(const struct axis *axis, double value) {
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

void axis_include(struct axis *axis, double value) {
    if (isfinite(value) && (!axis->logarithmic || value > 0)) {
        axis->low = value < axis->low ? value : axis->low;
        axis->high = value > axis->high ? value : axis->high;
    }
}

void axis_finish(struct axis *axis, double room, int wanted) {
    if (axis->low > axis->high) {
        axis->low = axis->logarithmic ? 1 : 0;
        axis->high = axis->low + 1;
    }
    if (axis->logarithmic) {
        double factor = axis->high > axis->low * 1.0001 ? pow(axis->high / axis->low, room) : 3;
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

const char *axis_text(double value, char text[32]) {
    double size = fabs(value);
    if (size >= 1e9 || (size > 0 && size < 1e-3)) {
        snprintf(text, 32, "%.3g", value);
    } else if (size >= 1e6) {
        snprintf(text, 32, "%gM", value / 1e6);
    } else if (size >= 10000) {
        snprintf(text, 32, "%gk", value / 1000);
    } else {
        snprintf(text, 32, "%.6g", value);
    }
    return text;
}

/* ---- of a chart ------------------------------------------------------------------------------------------- */

int axis_shows(const struct chart_series *series, int64_t i, const struct axis *x, const struct axis *y) {
    return isfinite(series->y[i]) && isfinite(series->x[i]) && (!y->logarithmic || series->y[i] > 0) &&
           (!x->logarithmic || series->x[i] > 0);
}

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

void axes_of(const struct chart *chart, struct axis *x, struct axis *y) {
    *x = axis_new(x->from, x->to, chart->log_x);
    *y = axis_new(y->from, y->to, chart->log_y > 0);
    for (int k = 0; k < chart->count; k++) {
        include_series(&chart->series[k], x, y);
    }
    if (chart->y_high > chart->y_low) {
        axis_include(y, chart->y_low);
        axis_include(y, chart->y_high);
    }
    y->logarithmic = chart->log_y < 0 ? y->low > 0 && y->high > 8 * y->low : chart->log_y;
    int starts_at_zero = !x->logarithmic && x->low == 0;
    axis_finish(x, 0.02, 8);
    axis_finish(y, 0.06, 6);
    if (starts_at_zero) { /* the first points are at the other axis, not on it */
        x->low = -0.02 * x->high;
    }
    if (chart->x_names && chart->count && chart->series[0].count) { /* names stand in the middle of their places */
        x->low = chart->series[0].x[0] - 0.5;
        x->high = chart->series[0].x[chart->series[0].count - 1] + 0.5;
    }
    if (chart->x_ticks && chart->count &&
        chart->series[0].count <= TICKS_MAX) { /* what was asked for, not round numbers */
        x->count = 0;
        for (int64_t i = 0; i < chart->series[0].count; i++) {
            axis_add_tick(x, chart->series[0].x[i]);
        }
    }
}

/* ---- names at the ends of the lines --------------------------------------------------------------------- */

static int by_height(const void *a, const void *b) {
    const struct end *p = a, *q = b;
    return p->y < q->y ? -1 : p->y > q->y;
}

/* Push names apart from low to high, then back from the end. */
static void spread_out(struct end *ends, int count, double low, double high, double gap) {
    for (int i = 0; i < count; i++) {
        double least = i ? ends[i - 1].at + gap : low;
        ends[i].at = ends[i].y > least ? ends[i].y : least;
    }
    for (int i = count - 1; i >= 0; i--) {
        double most = i < count - 1 ? ends[i + 1].at - gap : high;
        ends[i].at = ends[i].at < most ? ends[i].at : most;
    }
}

static int find_ends(const struct chart *chart, const struct axis *x, const struct axis *y, struct end *ends) {
    int count = 0;
    for (int k = 0; k < chart->count; k++) {
        const struct chart_series *series = &chart->series[k];
        int64_t last = series->count - 1;
        while (last >= 0 && !axis_shows(series, last, x, y)) {
            last--;
        }
        if (last >= 0 && series->label) {
            ends[count++] = (struct end){series, axis_at(x, series->x[last]), axis_at(y, series->y[last]), 0};
        }
    }
    return count;
}

int axis_ends(const struct chart *chart, const struct axis *x, const struct axis *y, double gap, struct end *ends) {
    int count = find_ends(chart, x, y, ends);
    double low = y->from < y->to ? y->from : y->to, high = y->from < y->to ? y->to : y->from;
    if (count > 1) {
        qsort(ends, (size_t)count, sizeof *ends, by_height);
    }
    spread_out(ends, count, low + 0.3 * gap, high, gap);
    return count;
}
