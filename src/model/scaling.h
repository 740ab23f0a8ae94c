/*
 * The units in which methods see the data, and the shifts by which they are centred. See HOW SCALING WORKS in
 * model/problem.h.
 */
#ifndef SPGM_MODEL_SCALING_H
#define SPGM_MODEL_SCALING_H

#include "model/problem.h"

/* Methods see (b - shift) / target; F is divided by objective. target is a power of 4, and objective is target to the
 * power `degree`. */
struct units {
    double target, objective, shift;
    double size; /* the largest entry of b - shift in the data's units; 1 if that is zero or b has labels */
};

/* Methods see scale_j (a_j - centre_j 1). Arrays over the columns of A, in a workspace. */
struct scaling {
    double *scale;
    double *centre;           /* 0: not centred; the array is NULL if no column is */
    unsigned char *is_copied; /* centred, or of a size whose squares are out of range: a scaled copy is kept */
    double *rest;             /* the remaining scale of columns that are not copied, else 1 */
    unsigned char *is_idle;   /* zero after centring */
    int is_whole;             /* some columns are centred and A is small, so that all of it is copied */
};

spgm_error scaling_choose_units(const struct spgm_problem *problem, struct units *units, spgm_status *status);
/* Returns an error if the data, or the coefficients that they call for, exceed the range of a double. */
spgm_error scaling_choose(const struct spgm_problem *problem, const struct units *units, struct workspace *workspace,
                          struct scaling *scaling, spgm_status *status);

/*
 * The operator with the columns scale_j / rest_j (m_j - centre_j 1). The caller applies `rest`, so that most columns
 * need no copy. Columns with is_copied have a copy in the workspace; if M is sparse and such a column is not centred,
 * all nonzeros are copied with it. Returns NULL if out of memory.
 */
struct linop *scaling_operator(const spgm_matrix *M, const struct scaling *scaling, struct team *team,
                               const struct reduction *reduce, struct workspace *workspace);
/* For a matrix whose scale is given: decide which columns are copied, and set `rest`. */
void scaling_set(const spgm_matrix *M, double *scale, struct workspace *workspace, struct scaling *scaling);

#endif
