/*
 * A small quadratic programme over a box,
 *
 *     minimise  1/2 z'H z - p'z   subject to  lower <= z <= upper,   H [k x k] symmetric positive semidefinite,
 *
 * by an active-set method: Newton steps over the coordinates that are not at a bound, cut at the first bound that is
 * hit. At the minimum over these coordinates, the bound with the most violated multiplier is released. The value never
 * rises and z never leaves the box; after BOX_STEPS steps the current z is returned.
 */
#ifndef SPGM_LINALG_BOX_H
#define SPGM_LINALG_BOX_H

#include <stdint.h>

#include "base/memory.h"

#define BOX_STEPS(k) (4 * (k) + 64)

struct box {
    double *L;          /* factor over the free coordinates [capacity^2] */
    double *step, *r;   /* p - H z [capacity]                                 */
    int64_t *moving;    /* [capacity]                                         */
    signed char *bound; /* -1 and 1: at lower, at upper; 0: free [capacity] */
    int64_t capacity;
};

/* Check workspace->failed. */
void box_init(struct box *box, int64_t capacity, struct workspace *workspace);
/* H is stored by columns with leading dimension ld; z [k]: on entry a point in the box, on return the minimiser. */
void box_minimise(struct box *box, int64_t k, const double *H, int64_t ld, const double *p, const double *lower,
                  const double *upper, double *z);

#endif
