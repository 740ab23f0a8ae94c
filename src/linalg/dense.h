/*
 * Small dense matrices, column-major: products, triangular and symmetric systems. Built on the kernels, without state
 * or locks, so that several threads may work on different matrices at once.
 */
#ifndef SPGM_LINALG_DENSE_H
#define SPGM_LINALG_DENSE_H

#include <stdint.h>

#include "base/stop.h"

/* y = A'x                                         A [m x n] */
void dense_dot_columns(int64_t m, int64_t n, const double *A, int64_t ld, const double *x, double *y);
/* y += A x                                        A [m x n] */
void dense_add_columns(int64_t m, int64_t n, const double *A, int64_t ld, const double *x, double *y);
/* A += factor x y'                                A [m x n] */
void dense_rank_one(int64_t m, int64_t n, double factor, const double *x, const double *y, double *A, int64_t ld);
/* C += factor A B                                 C [m x n], A [m x k], B [k x n] */
void dense_multiply(int64_t m, int64_t n, int64_t k, double factor, const double *A, int64_t lda, const double *B,
                    int64_t ldb, double *C, int64_t ldc);

/* C = A'A, both triangles                         C [n x n], A [m x n] */
void dense_square(int64_t m, int64_t n, const double *A, int64_t ld, double *C);

/* x = R^-1 x and x = R^-T x, R upper triangular   R [n x n], below the diagonal not read */
void dense_solve_upper(int64_t n, const double *R, int64_t ld, double *x);
void dense_solve_upper_transposed(int64_t n, const double *R, int64_t ld, double *x);

/* A = R'R in place in the upper triangle, the only one that is read; returns 0 if a pivot is not positive. */
int dense_factor(int64_t n, double *A, int64_t ld);
/* A^-1, both triangles, in place of the factor that dense_factor left with ld = n; T [n x n] is scratch. */
void dense_invert(int64_t n, double *R, double *T);
/* The same with a stop request (or NULL): after a stop they return 0 and the matrices have no defined contents. */
int dense_factor_until(int64_t n, double *A, int64_t ld, struct stop *stop);
int dense_invert_until(int64_t n, double *R, double *T, struct stop *stop);

#endif
