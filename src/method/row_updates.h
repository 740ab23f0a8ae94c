/*
 * A'u for a u of which only some entries change from one product to the next, such as the signs of a residual:
 *
 *     A'u+ = A'u + sum over the changed rows of (u+_i - u_i) a^i
 *
 * This needs a second copy of A by rows, which is kept only if it pays: if A has few zeros and moderate size. Otherwise
 * every product is computed from scratch.
 */
#ifndef SPGM_METHOD_ROW_UPDATES_H
#define SPGM_METHOD_ROW_UPDATES_H

#include "base/memory.h"
#include "linalg/linop.h"

struct row_updates {
    const struct linop *A;
    double *At;      /* A' [columns x rows]; NULL: no copy */
    double *u, *g;   /* of the last product: g = A'u           */
    double *change;  /* of the rows that changed [rows]        */
    int64_t *rows;   /* which they are [rows]                  */
    int64_t updates; /* since the last product from scratch, -1: none yet */
};

/* Take the arrays (check workspace->failed), then copy the rows. */
void row_updates_init(struct row_updates *updates, const struct linop *A, struct workspace *workspace);
void row_updates_fill(struct row_updates *updates);
/* g = A'u */
void row_updates_transpose(struct row_updates *updates, const double *u, double *g);

#endif
