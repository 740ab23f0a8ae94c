/* Nearly exact line searches: F along a line is minimised in a few evaluations. */
#ifndef SPGM_MODEL_LINE_H
#define SPGM_MODEL_LINE_H

#include "model/loss.h"

/* The smooth term along the line: constant + linear a + quadratic a^2 / 2. */
struct parabola {
    double constant, linear, quadratic;
};

/*
 * Approximately minimise h(r + a d) + f(a) over low <= a <= high from *alpha, with at most `steps` evaluations of h.
 * Returns the lowest value seen and leaves its place in *alpha. It ends early when tangents show that nothing on the
 * line is below the cutoff (INFINITY: no cutoff).
 */
double line_minimise(const struct loss *h, const double *r, const double *d, struct parabola f, double low, double high,
                     int steps, double cutoff, double *alpha);

#endif
