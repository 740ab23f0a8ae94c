/*
 * Sums with a proven bound on their error: what proofs are made of.
 *
 * Terms are added in long double, whatever that is (64 or 113 bits, or those of a double), next to the sum of their
 * sizes. With n terms, each right to a relative error of LDBL_EPSILON (a product of two doubles, say),
 *
 *     |value - exact sum| <= (n + 4) LDBL_EPSILON size                       (Higham 2002, section 4.2, with a factor
 * 2)
 */
#ifndef SPGM_LINALG_SUM_H
#define SPGM_LINALG_SUM_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "linalg/linop.h"

struct sum {
    long double value, size; /* size: the sum of the absolute terms */
    int64_t count;
};

/* A number that is within `error` of the exact one. */
struct number {
    long double value, error;
};

static inline void sum_add(struct sum *sum, long double term) {
    sum->value += term;
    sum->size += fabsl(term);
    sum->count++;
}

/* sum x_i y_i */
static inline struct sum sum_dot(int64_t n, const double *x, const double *y) {
    long double value = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        long double term = (long double)x[i] * y[i];
        value += term;
        size += fabsl(term);
    }
    return (struct sum){value, size, n};
}

/* The sum over the rows of all processes; `relative` is an additional relative error of every term. */
static inline struct number sum_close(struct sum sum, double relative, const struct reduction *reduce) {
    /* the last entry counts the processes */
    double all[4] = {(double)sum.value, (double)sum.size, (double)sum.count, 1};
    if (reduce == NULL)
        return (struct number){sum.value, sum.size * ((long double)(sum.count + 4) * LDBL_EPSILON + relative)};
    reduce_sum(reduce, all, 4);
    return (struct number){all[0], all[1] * ((all[2] + 4) * LDBL_EPSILON + (all[3] + 4) * 2 * DBL_EPSILON + relative)};
}

/* a + factor b, factor exact */
static inline struct number number_add(struct number a, long double factor, struct number b) {
    long double term = factor * b.value, value = a.value + term;
    return (struct number){value, (a.error + fabsl(factor) * b.error) * (1 + 8 * LDBL_EPSILON) +
                                      (fabsl(term) + fabsl(value)) * LDBL_EPSILON};
}

/* A double that is not above, or not below, the exact number. */
static inline double number_below(struct number a) {
    long double low = a.value - a.error;
    return nextafter((double)(low - fabsl(low) * 2 * LDBL_EPSILON), -INFINITY);
}

static inline double number_above(struct number a) {
    return -number_below((struct number){-a.value, a.error});
}

#endif
