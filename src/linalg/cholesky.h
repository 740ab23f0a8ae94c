/* Small Cholesky factors by rows, in the caller's memory, for systems that grow one row at a time; dense.h factors
 * whole matrices. */
#ifndef SPGM_LINALG_CHOLESKY_H
#define SPGM_LINALG_CHOLESKY_H

#include <stdint.h>

/* Given L [k rows of a lower triangle, row i at L + i*ld] of an SPD matrix, append row k for the new row g[0..k-1] =
 * G(k, 0..k-1) and diagonal d. Returns 1. Returns 0 and appends nothing if the new pivot is too small (pivot <= tiny *
 * d). */
int cholesky_append(int64_t k, double *L, int64_t ld, const double *g, double d, double tiny);
/* Solve L L' x = r in place for the leading k rows. */
void cholesky_solve(int64_t k, const double *L, int64_t ld, double *r);

#endif
