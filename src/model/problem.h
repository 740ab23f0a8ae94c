/*
 * The problem as methods see it: operator, b, h, f, which columns are free. Columns are those of the
 * framed operator: the data's columns, scaled, then the intercept (if any) as the last, free column.
 */
#ifndef SPGM_MODEL_PROBLEM_H
#define SPGM_MODEL_PROBLEM_H

#include "model/loss.h"
#include "model/smooth.h"

struct problem {
    struct linop *A; /* framed                                                  */
    const double *b; /* [A->rows]; labels already -1, +1 for a classifier       */
    struct loss h;
    struct smooth f;
    unsigned char *is_free; /* [A->columns]                                            */
    int64_t free_count;
    int64_t *free_columns; /* [free_count], ascending                                 */
    double objective_unit; /* F in the data's units = objective_unit * F here         */
    double target_unit;    /* b here = (b of the data - shift) / target_unit          */
    double shift;
    double *scale;          /* x_j = target_unit scale_j z_j                           */
    double *centre;         /* column j here = scale_j (a_j - centre_j 1); 0: none     */
    unsigned char *is_idle; /* column j here is zero                                   */
    int has_intercept;
    struct linop *data;         /* the operator under the frame: the data's columns        */
    struct linop *term_data;    /* the operator under the frame of f->C, or NULL           */
    struct workspace workspace; /* owns the arrays above                                   */
};

/* columns that count towards s */
static inline int64_t problem_candidates(const struct problem *p) {
    return p->A->columns - p->free_count;
}

/*
 * HOW SCALING WORKS: methods work on z with x_j = target_unit scale_j z_j and on (b - shift) / target_unit; F is
 * divided by objective_unit. Without need every scale is 1. Where the typical entry is below 1/32 or above 32, all
 * columns have the same power of two as their scale, which brings it near 1: the constants of Algorithm 1 (theta, the
 * start) and the constant column of the intercept are made for that. With `standardize` scale_j = sqrt(m) / ||a_j||.
 * A column that is far larger or smaller than the typical one has a power of two of its own; where it, or b, is so
 * large or small (a norm outside [1e-60, 1e60]) that squares could overflow or vanish, the column is kept as a scaled
 * copy, or b is divided by a power of 4: neither changes a digit. Zero columns keep 1. Free columns are scaled like the
 * others, the intercept is not. What no unit brings into the range of a double is refused with a sentence.
 *
 * HOW CENTRING WORKS: with an intercept, a column whose mean is more than 1000 times its spread is replaced by a copy
 * less its mean, and a target like that (no labels) by b less its mean. Otherwise the digits that tell the rows apart
 * would be lost in sums of squares of the mean. x stays the same, and so do F and the terms of f; only the intercept
 * moves: intercept = target_unit z_n + shift - sum_j centre_j x_j. Such columns have hardly a zero, so that a dense
 * copy of them, the only memory this takes, is not larger than they are. A constant column becomes zero: the intercept
 * is as good.
 */

/* The checked input of the user, borrowed and copied as spgm.h says. */
struct spgm_problem {
    spgm_matrix A;
    const double *b;
    struct spgm_options options; /* those of the group "problem" matter */
    const struct loss_kind *loss;
    double labels[2];         /* of a classifier: lower, upper        */
    double *weights;          /* [rows] or NULL, owned                */
    double *up, *down, *dead; /* [rows] or NULL, owned: user's slopes */
    unsigned char *is_free;   /* [columns] or NULL, owned             */
    double *linear;           /* [columns] or NULL, owned             */
    const struct smooth_term *term;
    spgm_matrix C; /* of the term                          */
    const double *d;
    const struct reduction *reduce; /* NULL: all rows are here              */
};

/* Build what methods see; *framed must be zero. On error framed is left freed. */
spgm_error problem_frame(const struct spgm_problem *problem, int threads, struct problem *framed, spgm_status *status);
void problem_unframe(struct problem *framed);
/* h of the user's problem at the scale of the data, and the target it is for (labels as -1 and +1). */
const double *problem_loss(const struct spgm_problem *problem, struct workspace *workspace, struct loss *h);
/* z from x and intercept, and back. */
void problem_scale(const struct problem *framed, const double *x, double intercept, double *z);
void problem_unscale(const struct problem *framed, const double *z, double *x, double *intercept);

#endif
