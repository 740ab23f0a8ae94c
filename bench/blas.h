/*
 * The routines of BLAS and LAPACK that the kernels are compared with, by their Fortran names and with sizes as int64_t.
 * Matrices are column-major. Fortran expects the length of each text argument at the end of the list.
 */
#ifndef SPGM_BENCH_BLAS_H
#define SPGM_BENCH_BLAS_H

#include <stddef.h>
#include <stdint.h>

void dgemv_(const char *transpose, const int *m, const int *n, const double *alpha, const double *A, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t);
void dgemm_(const char *transpose_a, const char *transpose_b, const int *m, const int *n, const int *k,
            const double *alpha, const double *A, const int *lda, const double *B, const int *ldb, const double *beta,
            double *C, const int *ldc, size_t, size_t);
void dsyrk_(const char *uplo, const char *transpose, const int *n, const int *k, const double *alpha, const double *A,
            const int *lda, const double *beta, double *C, const int *ldc, size_t, size_t);
void dpotri_(const char *uplo, const int *n, double *A, const int *lda, int *info, size_t);
void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info, size_t);

/* y = alpha op(A) x + beta y, A m x n */
static inline void blas_gemv(char transpose, int64_t m, int64_t n, double alpha, const double *A, int64_t lda,
                             const double *x, double beta, double *y) {
    int rows = (int)m, columns = (int)n, ld = (int)lda, one = 1;
    dgemv_(&transpose, &rows, &columns, &alpha, A, &ld, x, &one, &beta, y, &one, 1);
}

/* C = alpha op(A) op(B) + beta C, C m x n, inner size k */
static inline void blas_gemm(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, double alpha,
                             const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
                             int64_t ldc) {
    int rows = (int)m, columns = (int)n, inner = (int)k, la = (int)lda, lb = (int)ldb, lc = (int)ldc;
    dgemm_(&transpose_a, &transpose_b, &rows, &columns, &inner, &alpha, A, &la, B, &lb, &beta, C, &lc, 1, 1);
}

/* One triangle of C = alpha A'A + beta C ('T', A k x n) or alpha AA' + beta C ('N', A n x k), C n x n */
static inline void blas_syrk(char uplo, char transpose, int64_t n, int64_t k, double alpha, const double *A,
                             int64_t lda, double beta, double *C, int64_t ldc) {
    int size = (int)n, inner = (int)k, la = (int)lda, lc = (int)ldc;
    dsyrk_(&uplo, &transpose, &size, &inner, &alpha, A, &la, &beta, C, &lc, 1, 1);
}

/* One triangle of A^-1 from the factor of lapack_potrf, in place; 0 or the 1-based index of a zero pivot */
static inline int64_t lapack_potri(char uplo, int64_t n, double *A, int64_t lda) {
    int size = (int)n, la = (int)lda, info = 0;
    dpotri_(&uplo, &size, A, &la, &info, 1);
    return info;
}

/* Cholesky in place in one triangle of A; 0, or the 1-based order of the first leading minor that is not positive */
static inline int64_t lapack_potrf(char uplo, int64_t n, double *A, int64_t lda) {
    int size = (int)n, la = (int)lda, info = 0;
    dpotrf_(&uplo, &size, A, &la, &info, 1);
    return info;
}

#endif
