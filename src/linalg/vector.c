#include "linalg/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/kernels.h"

double vector_dot(int64_t n, const double *x, const double *y) {
    return kernels_best()->dot(n, x, y);
}

double vector_sum_squares(int64_t n, const double *x) {
    return kernels_best()->sum_squares(n, x);
}

/* ||x|| = 2^e ||2^-e x|| with 2^e about max |x_i|; powers of two change no digits. */
static double norm_scaled(int64_t n, const double *x) {
    double top = vector_norm_inf(n, x);
    if (top == 0 || !isfinite(top))
        return top;
    int exponent;
    frexp(top, &exponent);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double scaled = ldexp(x[i], -exponent);
        sum += scaled * scaled;
    }
    return ldexp(sqrt(sum), exponent);
}

double vector_norm(int64_t n, const double *x) {
    double sum = vector_sum_squares(n, x);
    /* Squares below DBL_MIN lose digits, which do not matter in a sum far above it. */
    if (isgreater(sum, 1e-270) && isless(sum, DBL_MAX))
        return sqrt(sum);
    return norm_scaled(n, x);
}

double vector_norm1(int64_t n, const double *x) {
    return kernels_best()->norm1(n, x);
}

double vector_norm_inf(int64_t n, const double *x) {
    return kernels_best()->largest(n, x);
}

double vector_peak(int64_t n, const double *x, double a, const double *y, double *rise) {
    return kernels_best()->peak(n, x, a, y, rise);
}

double vector_bend(int64_t n, const double *x, double a, const double *y, struct bends bends, double *rise) {
    return kernels_best()->bend(n, x, a, y, bends, rise);
}

void vector_add_squares(int64_t n, double a, const double *x, double *y) {
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        y[i] += a * (x[i] * x[i]);
}

void vector_axpy(int64_t n, double a, const double *x, double *y) {
    kernels_best()->add_columns(n, 1, NULL, x, n, &a, y);
}

void vector_scale(int64_t n, double a, double *x) {
    kernels_best()->scale(n, a, x);
}

void vector_copy(int64_t n, const double *x, double *y) {
    if (n > 0)
        memmove(y, x, (size_t)n * sizeof *y);
}

int64_t vector_first_bad(int64_t n, const double *x) {
    enum { BLOCK = 1024 };
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t length = n - first < BLOCK ? n - first : BLOCK;
        if (isfinite(kernels_best()->largest(length, x + first)))
            continue;
        for (int64_t i = first;; i++)
            if (!isfinite(x[i]))
                return i;
    }
    return -1;
}

void vector_log(int64_t n, const double *x, double *y) {
    kernels_best()->logarithms(n, x, y);
}

void vector_soft(int64_t n, const double *t, double *value, double *miss) {
    kernels_best()->soft(n, t, value, miss);
}

void vector_soft_prox(int64_t n, const double *label, const double *kappa, const double *c, double *y, double *over) {
    kernels_best()->soft_prox(n, label, kappa, c, y, over);
}

double vector_excess(int64_t n, const double *x, double largest, double depth, double *count) {
    return kernels_best()->excess(n, x, largest, depth, count);
}
