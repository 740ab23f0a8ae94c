/*
 * The problem as methods see it: operator, b, h, f, which columns are free. Columns are those of the
 * framed operator: the data's columns, scaled, then the intercept (if any) as the last, free column. Columns of sparse
 * data that hold nothing are left out, unless a smooth term makes use of them: no method spends memory or time on them.
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
    double target_unit;    /* b here = b of the data / target_unit                    */
    double *scale;         /* x_j = target_unit scale_j z_j [A->columns]              */
    int is_scaled;         /* zero: every scale is 1                                  */
    int has_intercept;
    int64_t *columns;           /* of the data [data->columns], ascending; NULL: all of them */
    int64_t data_columns;       /* how many the data have                                  */
    struct linop *data;         /* the operator under the frame                            */
    struct linop *term_data;    /* the operator under the frame of f->C, or NULL           */
    struct workspace workspace; /* owns the arrays above                                   */
};

/* The number among the data's columns; of the intercept the one after the last. */
static inline int64_t problem_column(const struct problem *p, int64_t j) {
    return j == p->data->columns ? p->data_columns : p->columns == NULL ? j : p->columns[j];
}

/* columns that count towards s */
static inline int64_t problem_candidates(const struct problem *p) {
    return p->A->columns - p->free_count;
}

/*
 * HOW SCALING WORKS: methods work on z with x_j = target_unit scale_j z_j and on b / target_unit; F is
 * divided by objective_unit. Without need every scale is 1. Where the typical entry is below 1/32 or above 32, all
 * columns have the same power of two as their scale, which brings it near 1: the constants of Algorithm 1 (theta, the
 * start) and the constant column of the intercept are made for that. With `standardize` scale_j = sqrt(m) / ||a_j||.
 * When the data are so large or small (norms of columns or of b outside [1e-60, 1e60]) that squares could overflow or
 * vanish, columns and target are scaled by powers of two, which change no digits. Zero columns keep 1. Free columns are
 * scaled like the others, the intercept is not.
 */

/* Row weights make sense, and equal rows may become one. */
static inline int loss_takes_weights(const struct loss_kind *kind) {
    return kind->separable;
}

/* What spgm_problem_merge_rows made of the rows, in arrays of its own. */
struct merged_rows {
    spgm_matrix A; /* rows 0: they are as the user gave them */
    const double *b;
    double *weights, *up, *down, *dead; /* [A.rows]; the slopes NULL where the user set none */
    double seconds;                     /* that it took */
    struct workspace workspace;         /* owns the arrays */
};

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
    struct merged_rows merged;
};

/* The problem with the rows that methods see; a view, not to be freed. */
struct spgm_problem problem_merged(const struct spgm_problem *problem);
/* Back to the rows as given. */
void problem_unmerge(struct spgm_problem *problem);
/* When a run that starts now began: merging is part of it. */
double problem_began(const struct spgm_problem *problem);

/* Build what methods see; *framed must be zero. On error framed is left freed. */
spgm_error problem_frame(const struct spgm_problem *problem, int threads, struct problem *framed, spgm_status *status);
void problem_unframe(struct problem *framed);
/* h of the user's problem at the scale of the data, and the target it is for (labels as -1 and +1). */
const double *problem_loss(const struct spgm_problem *problem, struct workspace *workspace, struct loss *h);
/* spgm_problem_evaluate for x given by its nonzeros: columns [count] ascending, values [count]. */
spgm_error problem_evaluate(const struct spgm_problem *problem, int64_t count, const int64_t *columns,
                            const double *values, double intercept, double *objective, double *loss_value,
                            double *smooth_value, spgm_status *status);
/* z from x and intercept, and back. */
void problem_scale(const struct problem *framed, const double *x, double intercept, double *z);
void problem_unscale(const struct problem *framed, const double *z, double *x, double *intercept);
/* x_j of the data's column, or the intercept, for z_j = value. */
double problem_coefficient(const struct problem *framed, int64_t j, double value);

#endif
