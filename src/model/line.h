/* Exact line searches, nearly: F along a line, minimised in a few evaluations. */
#ifndef SPGM_MODEL_LINE_H
#define SPGM_MODEL_LINE_H

#include "model/loss.h"

/* The smooth term along the line: constant + linear a + quadratic a^2 / 2. */
struct parabola {
    double constant, linear, quadratic;
};

/*
 * A few steps (at most `steps` evaluations of h) towards the minimiser of h(r + a d) + f(a) over low <= a <= high, from
 * *alpha; the lowest value seen is returned, its place is left in *alpha. It ends as soon as tangents show that nothing
 * on the line is below the cutoff (INFINITY: there is none).
 */
double line_minimise(const struct loss *h, const double *r, const double *d, struct parabola f, double low, double high,
                     int steps, double cutoff, double *alpha);

#endif
