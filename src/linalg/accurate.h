/*
 * Sums in about twice the working precision: high + low holds the sum, where low collects the rounding errors of high
 * (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26, 2005). For the few sums whose terms are far larger than the result.
 */
#ifndef SPGM_LINALG_ACCURATE_H
#define SPGM_LINALG_ACCURATE_H

#include <math.h>

struct accurate {
    double high, low;
};

static inline void accurate_add(struct accurate *sum, double term) {
    double total = sum->high + term;
    double part = total - sum->high;

    sum->low += (sum->high - (total - part)) + (term - part);
    sum->high = total;
}

static inline void accurate_add_product(struct accurate *sum, double a, double b) {
    double product = a * b;

    accurate_add(sum, product);
    sum->low += fma(a, b, -product);
}

/* If the sum is infinite, its collected rounding errors are meaningless. */
static inline double accurate_value(struct accurate sum) {
    return isfinite(sum.high) ? sum.high + sum.low : sum.high;
}

#endif
