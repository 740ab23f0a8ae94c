#include "method/shrink.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

double shrink_soft(double v, double lambda) {
    double size = fabs(v) - lambda;

    return size <= 0 ? 0 : copysign(size, v);
}

double shrink_half(double v, double lambda) {
    double size = fabs(v);
    double root = cbrt(lambda);
    double cosine;

    if (size <= 1.5 * root * root || lambda == 0) {
        return lambda == 0 ? v : 0;
    }
    cosine = lambda / 4 * 3 / size * sqrt(3 / size);
    return 2.0 / 3 * v * (1 + cos(2.0 / 3 * (pi - acos(fmin(cosine, 1)))));
}
