/*
 * The problem as methods see it: operator, b, h, f, the feasible set. Columns are those of the
 * framed operator: the data's columns, scaled, then the intercept (if any) as the last, free column.
 */
#ifndef SPGM_MODEL_PROBLEM_H
#define SPGM_MODEL_PROBLEM_H

#include <math.h>

#include "model/feasible.h"
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
    double *lower, *upper; /* bounds on x [A->columns], lower <= 0 <= upper; both NULL: there are none */
    double objective_unit; /* F in the data's units = objective_unit * F here         */
    double target_unit;    /* b here = b of the data / target_unit                    */
    double *scale;         /* x_j = target_unit scale_j z_j [A->columns]              */
    int is_scaled;         /* zero: every scale is 1                                  */
    int has_intercept;
    struct linop *data;         /* the operator under the frame                            */
    struct linop *term_data;    /* the operator under the frame of f->C, or NULL           */
    struct workspace workspace; /* owns the arrays above                                   */

    struct feasible set;                   /* what x may be, bounds aside; its is_free is the one above        */
    const double *data_lower, *data_upper; /* the bounds in the data's units [data->columns], borrowed, or NULL */
};

/* columns that count towards s */
static inline int64_t problem_candidates(const struct problem *p) {
    return p->A->columns - p->free_count - p->set.barred_count;
}

/* The nearest value to v that x_j may have if it is in. */
static inline double problem_clip(const struct problem *p, int64_t j, double v) {
    return p->lower == NULL ? v : v < p->lower[j] ? p->lower[j] : v > p->upper[j] ? p->upper[j] : v;
}

/*
 * What it is worth that x_j may follow v_j when ||x - v||^2 is minimised over the feasible set, for set.rule->choose:
 *
 *     gain_j = v_j^2 - (v_j - c_j)^2 = c_j (2 v_j - c_j),   c_j = clip(v_j)
 *
 * or its root where only the order matters: |v_j| without bounds, which neither overflows nor vanishes.
 */
static inline double problem_key(const struct problem *p, int64_t j, double v) {
    double c = problem_clip(p, j, v);
    double gain = c * (2 * v - c);

    return p->set.rule->adds ? gain : c == v ? fabs(v) : sqrt(gain);
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

    unsigned char *is_excluded;  /* [columns] or NULL, owned                                   */
    double *lower, *upper;       /* [columns], both or none, owned; infinite: no bound         */
    int64_t *group_of;           /* 0 to groups - 1, -1: none [columns] or NULL, owned         */
    int64_t groups, group_limit; /* limit 0: a group counts as one; K: at most K of each       */
};

/* Build what methods see; *framed must be zero. On error framed is left freed. */
spgm_error problem_frame(const struct spgm_problem *problem, int threads, struct problem *framed, spgm_status *status);
void problem_unframe(struct problem *framed);
/* h of the user's problem at the scale of the data, and the target it is for (labels as -1 and +1). */
const double *problem_loss(const struct spgm_problem *problem, struct workspace *workspace, struct loss *h);
/* The feasible set of the frame: barred columns, groups, bounds. Free columns and scales are known already. */
void problem_frame_set(const struct spgm_problem *problem, struct problem *framed);
/* The set of one problem for another with the same columns. */
spgm_error problem_copy_set(const struct spgm_problem *from, struct spgm_problem *to, spgm_status *status);
/* spgm_problem_check for the report: only a lack of memory is an error. */
spgm_error problem_check_feasible(const struct spgm_problem *problem, const double *x, int64_t sparsity,
                                  spgm_info *info, spgm_status *status);
/* UNTIL fits take bounds and the search takes the whole set: a sentence for what `who` cannot do yet. A search cannot
 * take groups and excluded columns either. */
spgm_error problem_refuse_set(const struct spgm_problem *problem, const char *who, int is_search, spgm_status *status);
/* z from x and intercept, and back; x never leaves its bounds by rounding. */
void problem_scale(const struct problem *framed, const double *x, double intercept, double *z);
void problem_unscale(const struct problem *framed, const double *z, double *x, double *intercept);

#endif
