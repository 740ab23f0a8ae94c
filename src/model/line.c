#include "model/line.h"

#include <math.h>

/* A bracket of the minimiser: the last points with negative and with positive slope of F. */
struct bracket {
    double low, high, f_low, f_high, g_low, g_high;
    int has_low, has_high;
};

static double tangents_meet(const struct bracket *b) {
    return (b->f_high - b->f_low + b->g_low * b->low - b->g_high * b->high) / (b->g_low - b->g_high);
}

/* Whether the tangents at both ends meet above the cutoff; then all of the convex F is above it. */
static int is_above(const struct bracket *b, double cutoff) {
    return b->has_low && b->has_high && isgreater(b->f_low + b->g_low * (tangents_meet(b) - b->low), cutoff);
}

/* Doubling steps while one side is open; then the point where the tangents meet, or where the slope approximately
 * vanishes. */
static double next_point(const struct bracket *b, int by_tangents, double *reach) {
    if (!b->has_low || !b->has_high) {
        *reach *= 2;
        return b->has_low ? b->low + *reach / 2 : b->high - *reach / 2;
    }
    if (by_tangents)
        return tangents_meet(b);
    return b->low + (b->high - b->low) * fmin(0.9, fmax(0.1, b->g_low / (b->g_low - b->g_high)));
}

static double clip(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

double line_minimise(const struct loss *h, const double *r, const double *d, struct parabola f, double low, double high,
                     int steps, double cutoff, double *alpha) {
    struct bracket b = {.low = low, .high = high};
    double reach = fabs(*alpha) > 0 ? fabs(*alpha) : 1;
    double lowest = INFINITY, at = clip(*alpha, low, high);
    for (int step = 0; step < steps; step++) {
        double slope;
        double value = h->ops->along(h, r, d, at, &slope);
        value += f.constant + f.linear * at + f.quadratic / 2 * at * at;
        slope += f.linear + f.quadratic * at;
        if (value < lowest) {
            lowest = value;
            *alpha = at;
        }
        if (slope > 0)
            b.high = at, b.f_high = value, b.g_high = slope, b.has_high = 1;
        else
            b.low = at, b.f_low = value, b.g_low = slope, b.has_low = 1;
        if (slope == 0 || (slope > 0 && at == low) || (slope < 0 && at == high) || is_above(&b, cutoff))
            break;
        double next = clip(next_point(&b, h->kind->is_peaked, &reach), low, high);
        if (!(next >= b.low && next <= b.high) || next == at)
            break;
        at = next;
    }
    return lowest;
}
