#include "method/shrink.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

double shrink_soft(double v, double lambda) {
    double size = fabs(v) - lambda;

    return size <= 0 ? 0 : copysign(size, v);
}

double shrink_soft_threshold(double lambda) {
    return lambda;
}

double shrink_half_threshold(double lambda) {
    double root = cbrt(lambda);

    return 1.5 * root * root;
}

double shrink_half(double v, double lambda) {
    double size = fabs(v);
    double cosine;

    if (size <= shrink_half_threshold(lambda) || lambda == 0) {
        return lambda == 0 ? v : 0;
    }
    cosine = lambda / 4 * 3 / size * sqrt(3 / size);
    return 2.0 / 3 * v * (1 + cos(2.0 / 3 * (pi - acos(fmin(cosine, 1)))));
}
