/*
 * A'u for a u of which only some entries change from one product to the next, as with the signs of a residual:
 *
 *     A'u+ = A'u + sum over the changed rows of (u+_i - u_i) a^i
 *
 * For that the rows of A are kept a second time, one after the other. Only where it pays: a matrix of few zeros and of
 * moderate size. Elsewhere every product is a whole one.
 */
#ifndef SPGM_METHOD_ROW_UPDATES_H
#define SPGM_METHOD_ROW_UPDATES_H

#include "base/memory.h"
#include "linalg/linop.h"

struct row_updates {
    const struct linop *A;
    double *At;      /* A' [columns x rows], NULL: not kept    */
    double *u, *g;   /* of the last product: g = A'u           */
    double *change;  /* of the rows that changed [rows]        */
    int64_t *rows;   /* which they are [rows]                  */
    int64_t updates; /* since the last whole product, -1: none */
};

/* Take the arrays (check workspace->failed), then copy the rows. */
void row_updates_init(struct row_updates *updates, const struct linop *A, struct workspace *workspace);
void row_updates_fill(struct row_updates *updates);
/* g = A'u */
void row_updates_transpose(struct row_updates *updates, const double *u, double *g);

#endif
