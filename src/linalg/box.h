/*
 * A small quadratic programme over a box,
 *
 *     minimise  1/2 z'H z - p'z   subject to  lower <= z <= upper,   H [k x k] symmetric positive semidefinite,
 *
 * by active sets: Newton steps over the coordinates that are not at a bound, cut at the first bound that is hit; at a
 * minimum over these the bound whose multiplier has the wrong sign most is given up. The value never rises and z never
 * leaves the box; after as many steps as BOX_STEPS says z is what it is.
 */
#ifndef SPGM_LINALG_BOX_H
#define SPGM_LINALG_BOX_H

#include <stdint.h>

#include "base/memory.h"

#define BOX_STEPS(k) (4 * (k) + 64)

struct box {
    double *L;          /* factor over the coordinates that move [capacity^2] */
    double *step, *r;   /* p - H z [capacity]                                 */
    int64_t *moving;    /* [capacity]                                         */
    signed char *bound; /* -1 and 1: at lower, at upper; 0: moves [capacity]  */
    int64_t capacity;
};

/* Check workspace->failed. */
void box_init(struct box *box, int64_t capacity, struct workspace *workspace);
/* H by columns with leading dimension ld; z [k]: in, within the box; out, the minimiser. */
void box_minimise(struct box *box, int64_t k, const double *H, int64_t ld, const double *p, const double *lower,
                  const double *upper, double *z);

#endif
