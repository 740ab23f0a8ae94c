/*
 * In which units methods see the data, and from which zero they count: the choices of the frame. See HOW SCALING WORKS
 * in model/problem.h.
 */
#ifndef SPGM_MODEL_SCALING_H
#define SPGM_MODEL_SCALING_H

#include "model/problem.h"

/* Methods see (b - shift) / target; F is divided by objective. target is a power of 4, objective its power `degree`. */
struct units {
    double target, objective, shift;
    double size; /* of b - shift in the data's units: the largest entry, 1 where that is zero or b has labels */
};

/* Methods see scale_j (a_j - centre_j 1). Arrays over the columns of A, in a workspace. */
struct scaling {
    double *scale;
    double *centre;           /* 0: none; the array NULL: none of any                                   */
    unsigned char *is_copied; /* centred, or of a size whose squares are not numbers: kept apart, scaled */
    double *rest;             /* the scale of what is not copied, else 1                                 */
    unsigned char *is_idle;   /* zero once centred                                                       */
    int is_whole;             /* some are centred, and A is small: all of it is copied                   */
};

spgm_error scaling_choose_units(const struct spgm_problem *problem, struct units *units, spgm_status *status);
/* Fails with a sentence where the data, or the coefficients they call for, leave the range of a double. */
spgm_error scaling_choose(const struct spgm_problem *problem, const struct units *units, struct workspace *workspace,
                          struct scaling *scaling, spgm_status *status);

/*
 * The operator over the columns scale_j / rest_j (m_j - centre_j 1): rest is left to the caller, so that most columns
 * need no copy. Those with is_copied have one, in the workspace; where M is sparse, one that is not centred takes a
 * copy of all nonzeros with it. NULL: out of memory.
 */
struct linop *scaling_operator(const spgm_matrix *M, const struct scaling *scaling, struct team *team,
                               const struct reduction *reduce, struct workspace *workspace);
/* For a matrix whose scale is given: which columns are to be copied, and the rest. */
void scaling_set(const spgm_matrix *M, double *scale, struct workspace *workspace, struct scaling *scaling);

#endif
