/*
 * A'A, entry by entry not formed: what stands behind a matrix whose `normal` is set. Its root A is a matrix of any
 * other kind; the operator (linop_normal.c) applies A and A' in turn. Single entries cost a dot product: they are for
 * what is read once.
 */
#ifndef SPGM_LINALG_NORMAL_H
#define SPGM_LINALG_NORMAL_H

#include "linalg/linop.h"

struct spgm_normal {
    spgm_matrix root;
    const double *norms; /* of the columns of A'A [columns] */
};

/* The view of A'A; it borrows `normal`. */
spgm_matrix normal_view(const struct spgm_normal *normal);
/* Entry (i, j) of A'A. */
double normal_entry(const struct spgm_normal *normal, int64_t i, int64_t j);

/*
 * Whether A'A is better formed. One product with it costs n^2 multiplications, and one with A and one with A' cost
 * twice what A stores; memory is in the same proportion. A search over supports reads columns of A'A, and there they
 * only need to be read: so it is formed, too, where it takes no more than NORMAL_FORMED_ENTRIES (constants.h).
 */
int normal_is_cheaper_formed(const spgm_matrix *root);
/* norms_j = ||A'a_j|| by threads of the root's team; 0: out of memory. A is of a size that can be squared twice. */
int normal_norms(const spgm_matrix *matrix, const struct linop *root, const int64_t *all, double *norms);

#endif
