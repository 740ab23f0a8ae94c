/*
 * A'A without forming its entries: the view behind a matrix whose `normal` is set. Its root A is a matrix of any other
 * kind; the operator (linop_normal.c) applies A and A' in turn. A single entry costs a dot product, so it is meant for
 * entries that are read once.
 */
#ifndef SPGM_LINALG_NORMAL_H
#define SPGM_LINALG_NORMAL_H

#include "linalg/linop.h"

struct spgm_normal {
    spgm_matrix root;
    const double *norms; /* of the columns of A'A [columns] */
};

/* The view of A'A; borrows `normal`. */
spgm_matrix normal_view(const struct spgm_normal *normal);
/* Entry (i, j) of A'A. */
double normal_entry(const struct spgm_normal *normal, int64_t i, int64_t j);

/*
 * Whether A'A should be formed. One product with it costs n^2 multiplications; one with A and one with A' together cost
 * twice the stored entries of A; memory is in the same proportion. A search over supports reads columns of A'A many
 * times, which is cheapest if they are stored. So A'A is also formed whenever it has at most NORMAL_FORMED_ENTRIES
 * entries (constants.h).
 */
int normal_is_cheaper_formed(const spgm_matrix *root);
/* norms_j = ||A'a_j||, by the threads of the root's team. Returns 0 if out of memory. A must be of a size that can be
 * squared twice. */
int normal_norms(const spgm_matrix *matrix, const struct linop *root, const int64_t *all, double *norms);

#endif
