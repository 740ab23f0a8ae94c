/*
 * The sweep operator (Beaton 1964): a quadratic 1/2 x'Hx - g'x minimised over the columns that are in, the others being
 * zero, for sets of columns that change by one at a time. With I the columns that are in and O those that are out
 *
 *     T_II = -H_II^-1,   T_IO = H_II^-1 H_IO,   T_OO = H_OO - H_OI H_II^-1 H_IO,
 *     c_I  = the minimiser,                     c_O  = minus the gradient there.
 *
 * Moving a column in or out costs one symmetric update of T.
 */
#ifndef SPGM_LINALG_SWEEP_H
#define SPGM_LINALG_SWEEP_H

#include <stdint.h>

struct sweep {
    int64_t n;
    double *T; /* [n x n], both triangles                                              */
    double *c; /* [n]                                                                  */
    signed char *is_in;
    double value;    /* the minimum, less that at the start                                  */
    double *scratch; /* [n]                                                                  */
};

/* H is in T, g in c, M = H_II^-1 [k x k] for the first k columns, which are in, their minimiser in x [k], and what is
 * left of g outside in c; V [k x (n - k)] is scratch and receives T_IO. */
void sweep_begin(struct sweep *s, int64_t k, const double *M, const double *x, double *V);
/* Move column p in or out. T_pp must not be zero. */
void sweep_toggle(struct sweep *s, int64_t p);

#endif
