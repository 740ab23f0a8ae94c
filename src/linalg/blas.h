/*
 * The few routines of BLAS and LAPACK that we use, by their Fortran names and with sizes as int64_t. Matrices are
 * column-major; every size must be below 2^31. Fortran expects the length of each text argument at the end of the list.
 *
 * One call at a time: the serial OpenBLAS of Debian keeps its packing buffers in one table without a lock (it is built
 * without USE_LOCKING), so that two threads inside it can be handed the same buffer and corrupt each other's numbers.
 */
#ifndef SPGM_LINALG_BLAS_H
#define SPGM_LINALG_BLAS_H

#include <stddef.h>
#include <stdint.h>

/* Around every call below (blas.c). */
void blas_enter(void);
void blas_leave(void);

void dgemv_(const char *transpose, const int *m, const int *n, const double *alpha, const double *A, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t);
void dgemm_(const char *transpose_a, const char *transpose_b, const int *m, const int *n, const int *k,
            const double *alpha, const double *A, const int *lda, const double *B, const int *ldb, const double *beta,
            double *C, const int *ldc, size_t, size_t);
void dsyrk_(const char *uplo, const char *transpose, const int *n, const int *k, const double *alpha, const double *A,
            const int *lda, const double *beta, double *C, const int *ldc, size_t, size_t);
void dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx, const double *y,
           const int *incy, double *A, const int *lda);
void dpotri_(const char *uplo, const int *n, double *A, const int *lda, int *info, size_t);
void dtrsm_(const char *side, const char *uplo, const char *transpose, const char *diagonal, const int *m, const int *n,
            const double *alpha, const double *A, const int *lda, double *B, const int *ldb, size_t, size_t, size_t,
            size_t);
void dtrsv_(const char *uplo, const char *transpose, const char *diagonal, const int *n, const double *A,
            const int *lda, double *x, const int *incx, size_t, size_t, size_t);
void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info, size_t);
void dpotrs_(const char *uplo, const int *n, const int *columns, const double *A, const int *lda, double *B,
             const int *ldb, int *info, size_t);

/* y = alpha op(A) x + beta y, A m x n */
static inline void blas_gemv(char transpose, int64_t m, int64_t n, double alpha, const double *A, int64_t lda,
                             const double *x, double beta, double *y) {
    int rows = (int)m, columns = (int)n, ld = (int)lda, one = 1;
    blas_enter();
    dgemv_(&transpose, &rows, &columns, &alpha, A, &ld, x, &one, &beta, y, &one, 1);
    blas_leave();
}

/* C = alpha op(A) op(B) + beta C, C m x n, inner size k */
static inline void blas_gemm(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, double alpha,
                             const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C,
                             int64_t ldc) {
    int rows = (int)m, columns = (int)n, inner = (int)k, la = (int)lda, lb = (int)ldb, lc = (int)ldc;
    blas_enter();
    dgemm_(&transpose_a, &transpose_b, &rows, &columns, &inner, &alpha, A, &la, B, &lb, &beta, C, &lc, 1, 1);
    blas_leave();
}

/* One triangle of C = alpha A'A + beta C ('T', A k x n) or alpha AA' + beta C ('N', A n x k), C n x n */
static inline void blas_syrk(char uplo, char transpose, int64_t n, int64_t k, double alpha, const double *A,
                             int64_t lda, double beta, double *C, int64_t ldc) {
    int size = (int)n, inner = (int)k, la = (int)lda, lc = (int)ldc;
    blas_enter();
    dsyrk_(&uplo, &transpose, &size, &inner, &alpha, A, &la, &beta, C, &lc, 1, 1);
    blas_leave();
}

/* B = op(A)^-1 B ('L') or B op(A)^-1 ('R'), A triangular with its own diagonal, B m x n */
static inline void blas_trsm(char side, char uplo, char transpose, int64_t m, int64_t n, const double *A, int64_t lda,
                             double *B, int64_t ldb) {
    int rows = (int)m, columns = (int)n, la = (int)lda, lb = (int)ldb;
    double one = 1;
    blas_enter();
    dtrsm_(&side, &uplo, &transpose, "N", &rows, &columns, &one, A, &la, B, &lb, 1, 1, 1, 1);
    blas_leave();
}

/* x = op(A)^-1 x, A triangular with its own diagonal */
static inline void blas_trsv(char uplo, char transpose, int64_t n, const double *A, int64_t lda, double *x) {
    int size = (int)n, la = (int)lda, one = 1;
    blas_enter();
    dtrsv_(&uplo, &transpose, "N", &size, A, &la, x, &one, 1, 1, 1);
    blas_leave();
}

/* A += alpha x y', A m x n */
static inline void blas_ger(int64_t m, int64_t n, double alpha, const double *x, const double *y, double *A,
                            int64_t lda) {
    int rows = (int)m, columns = (int)n, ld = (int)lda, one = 1;
    blas_enter();
    dger_(&rows, &columns, &alpha, x, &one, y, &one, A, &ld);
    blas_leave();
}

/* One triangle of A^-1 from the factor of lapack_potrf, in place; 0 or the 1-based index of a zero pivot */
static inline int64_t lapack_potri(char uplo, int64_t n, double *A, int64_t lda) {
    int size = (int)n, la = (int)lda, info = 0;
    blas_enter();
    dpotri_(&uplo, &size, A, &la, &info, 1);
    blas_leave();
    return info;
}

/* Cholesky in place in one triangle of A; 0, or the 1-based order of the first leading minor that is not positive */
static inline int64_t lapack_potrf(char uplo, int64_t n, double *A, int64_t lda) {
    int size = (int)n, la = (int)lda, info = 0;
    blas_enter();
    dpotrf_(&uplo, &size, A, &la, &info, 1);
    blas_leave();
    return info;
}

/* B = A^-1 B with the factor of lapack_potrf, B n x columns */
static inline void lapack_potrs(char uplo, int64_t n, int64_t columns, const double *A, int64_t lda, double *B,
                                int64_t ldb) {
    int size = (int)n, count = (int)columns, la = (int)lda, lb = (int)ldb, info = 0;
    blas_enter();
    dpotrs_(&uplo, &size, &count, A, &la, B, &lb, &info, 1);
    blas_leave();
}

#endif
