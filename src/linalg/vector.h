/* Dense vectors. Sums run in a fixed order whatever the number of threads. Kernels are chosen at run
 * time for the processor (AVX-512, AVX2+FMA, baseline); no function allocates. */
#ifndef SPGM_LINALG_VECTOR_H
#define SPGM_LINALG_VECTOR_H

#include <stdint.h>

#include "linalg/kernels.h"

double vector_dot(int64_t n, const double *x, const double *y);
double vector_sum_squares(int64_t n, const double *x); /* sum x_i^2, plain                    */
double vector_norm(int64_t n, const double *x);        /* ||x||_2, safe against over/underflow */
double vector_norm1(int64_t n, const double *x);
double vector_norm_inf(int64_t n, const double *x); /* NaN if any entry is NaN             */
/* max |x_i + a y_i|, those that are NaN left out; *rise: its slope in a to the right, -INFINITY for n = 0 */
double vector_peak(int64_t n, const double *x, double a, const double *y, double *rise);
/* sum up_i (e_i - dead_i)+ + down_i (-e_i - dead_i)+ at e = x + a y, NaN if there is one; *rise: its slope in a, that
 * on a kink counted as 0 */
double vector_bend(int64_t n, const double *x, double a, const double *y, struct bends bends, double *rise);
void vector_axpy(int64_t n, double a, const double *x, double *y); /* y += a x                       */
void vector_add_squares(int64_t n, double a, const double *x,
                        double *y); /* y_i += a x_i^2, rounded alike wherever i is */
void vector_scale(int64_t n, double a, double *x);
void vector_copy(int64_t n, const double *x, double *y);
/* The first index with a NaN or infinity, or -1. */
int64_t vector_first_bad(int64_t n, const double *x);

double vector_excess(int64_t n, const double *x, double largest, double depth, double *count); /* see kernels.h */
/* See kernels.h: y = log x; the logistic loss at margins t and what its slope is; its proximal operator, nearly. */
void vector_log(int64_t n, const double *x, double *y);
void vector_soft(int64_t n, const double *t, double *value, double *miss);
void vector_soft_prox(int64_t n, const double *label, const double *kappa, const double *c, double *y, double *over);

#endif
