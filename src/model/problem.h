/*
 * The problem as methods see it: operator, b, h, f, the feasible set. Columns are those of the
 * framed operator: the data's columns, scaled, then the intercept (if any) as the last, free column. Columns of sparse
 * data that hold nothing are left out, unless a smooth term makes use of them: no method spends memory or time on them.
 */
#ifndef SPGM_MODEL_PROBLEM_H
#define SPGM_MODEL_PROBLEM_H

#include <float.h>
#include <math.h>
#include <string.h>

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
    double target_unit;    /* b here = (b of the data - shift) / target_unit          */
    double shift;
    double *scale;          /* x_j = target_unit scale_j z_j                           */
    double *centre;         /* column j here = scale_j (a_j - centre_j 1); 0: none     */
    unsigned char *is_idle; /* column j here is zero                                   */
    int has_intercept;
    int64_t *columns;           /* of the data [data->columns], ascending; NULL: all of them */
    int64_t data_columns;       /* how many the data have                                  */
    struct linop *data;         /* the operator under the frame: the data's columns        */
    struct linop *term_data;    /* the operator under the frame of f->C, or NULL           */
    double evaluation;          /* seconds that F at x = 0 took, from the raw data         */
    double pass;                /* and a pass over A                                       */
    double all_rows;            /* of all processes, where they have parts of the rows ... */
    double all_nonzeros;        /* ... and what they store of A; see problem_rows          */
    struct team *team;          /* of the operators                                        */
    struct workspace workspace; /* owns the arrays above                                   */

    struct feasible set;                   /* what x may be, bounds aside; its is_free is the one above        */
    const double *data_lower, *data_upper; /* the bounds in the data's units [data->columns], borrowed, or NULL */
};

/* The number among the data's columns; of the intercept the one after the last. */
static inline int64_t problem_column(const struct problem *p, int64_t j) {
    return j == p->data->columns ? p->data_columns : p->columns == NULL ? j : p->columns[j];
}

/* columns that count towards s */
static inline int64_t problem_candidates(const struct problem *p) {
    return p->A->columns - p->free_count - p->set.barred_count;
}

/* Rows, and what one pass over A costs, wherever the rows live: for whatever is decided by size. */
static inline double problem_rows(const struct problem *p) {
    return p->A->reduce == NULL ? (double)p->A->rows : p->all_rows;
}

static inline double problem_nonzeros(const struct problem *p) {
    return p->A->reduce == NULL ? (double)p->A->nonzeros : p->all_nonzeros;
}

/* h(-b); r [rows] receives -b. */
static inline double problem_loss_at_zero(const struct problem *p, double *r) {
    for (int64_t i = 0; i < p->A->rows; i++) {
        r[i] = -p->b[i];
    }
    return p->h.ops->value(&p->h, r);
}

/*
 * The limit less what comes after a search, by what was measured when the problem was framed: the step that the clock
 * ends, up to a pass (which may have waited for the data) and the columns of the model, which come with others where
 * rows lie together; then the reports on so many models with at most `capacity` columns, for each the same columns and
 * F from the raw data. At least half the time is left.
 */
double problem_search_time(const struct problem *framed, int64_t capacity, int64_t reports, double limit);

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
 * For proofs: how far the entries of column j, and the ridge, the slope and the bounds that go with it, may be from
 * what the data make of them, relative to themselves. 0 where scale_j is a power of two, which changes no digit, and
 * nothing was taken from the entries.
 */
static inline double problem_rounding(const struct problem *p, int64_t j) {
    int exponent;

    return j >= p->data->columns || (frexp(p->scale[j], &exponent) == 0.5 && p->centre[j] == 0) ? 0 : 4 * DBL_EPSILON;
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
 * Where A is small and has hardly a zero, all of it is copied if the mean of some column is larger than its spread, and
 * these columns are taken from a round number near their means: searches compare columns by their lengths, of which
 * little would otherwise be left beside the intercept. Differences from a round number are exact, so that rows that tie
 * still do.
 */

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
    struct workspace owned;         /* of a subset: A and b, which are borrowed elsewhere */
    const struct reduction *reduce; /* NULL: all rows are here              */
    struct distribution *shared;    /* what reduce points to, owned; NULL: all rows are here, or it is another's */
    struct merged_rows merged;
    double seconds;         /* that its checks took                                     */
    const int64_t *numbers; /* of the columns of a view that has not got all, else NULL */

    double *deviations; /* of the columns [columns], owned; NULL: the ridge acts on x itself  */

    unsigned char *is_excluded;  /* [columns] or NULL, owned                                   */
    double *lower, *upper;       /* [columns], both or none, owned; infinite: no bound         */
    int64_t *group_of;           /* 0 to groups - 1, -1: none [columns] or NULL, owned         */
    int64_t groups, group_limit; /* limit 0: a group counts as one; K: at most K of each       */
};

/* The processes that have the rows; NULL: this one has them all. */
static inline struct party *problem_party(const struct spgm_problem *problem) {
    return problem->reduce == NULL ? NULL : problem->reduce->party;
}

static inline int problem_has_labels(const struct spgm_problem *problem) {
    return problem->loss->target == LOSS_OF_TWO_LABELS;
}

/* h is taken of A'(Ax - b): problem->A is A'A, formed or not, and problem->b is A'b. */
static inline int problem_is_normal(const struct spgm_problem *problem) {
    return strcmp(problem->options.normal, "off") != 0;
}
/* From the checked A and b of the user (normal.c). */
spgm_error problem_make_normal(struct spgm_problem *problem, spgm_status *status);
/* The sentence for what does not go with it. */
spgm_error problem_refuse_normal(const char *what, spgm_status *status);

/* What column j is called in the user's data, counted from 0. */
static inline int64_t problem_number(const struct spgm_problem *problem, int64_t j) {
    return problem->numbers == NULL ? j : problem->numbers[j];
}

/* The ridge on column j: ridge_j x_j^2 / 2 is its part of f. */
static inline double problem_ridge(const struct spgm_problem *problem, int64_t j) {
    double ridge = problem->options.ridge;

    return problem->deviations == NULL ? ridge : ridge * problem->deviations[j] * problem->deviations[j];
}
/* Take what the ridge acts on by the options, anew when the weights have changed (ridge.c). */
spgm_error problem_scale_ridge(struct spgm_problem *problem, spgm_status *status);

/* Where rows live elsewhere: an error unless all processes ask for the same. */
spgm_error problem_check_shared(const struct spgm_problem *problem, int64_t sparsity,
                                const struct spgm_options *options, spgm_status *status);
/* The problem with the rows that methods see; a view, not to be freed. */
struct spgm_problem problem_merged(const struct spgm_problem *problem);
/* Back to the rows as given. */
void problem_unmerge(struct spgm_problem *problem);
/* When a run that starts now began: the checks of the data and merging are part of it. */
double problem_began(const struct spgm_problem *problem);

/* The loss is that of quantiles, and the levels ascend between 0 and 1; or a sentence. */
spgm_error problem_check_levels(const struct spgm_problem *problem, const double *levels, int64_t count,
                                spgm_status *status);
/* The problem at another quantile; a view, not to be freed. */
struct spgm_problem problem_at_level(const struct spgm_problem *problem, double level);

/*
 * Leave out the columns that hold nothing: with a ridge at most, they lower no F. At least `least` columns stay. The
 * entries stay where they are; *problem, a view that is not to be freed, takes its arrays over columns from the
 * workspace, whose `failed` the caller checks. Returns the columns that stay, ascending; NULL: all of them. Of rows
 * that live elsewhere nothing is known, and all columns stay.
 */
int64_t *problem_drop_empty(struct spgm_problem *problem, int64_t least, struct workspace *workspace);
/* Build what methods see; *framed must be zero. On error framed is left freed. */
spgm_error problem_frame(const struct spgm_problem *problem, int threads, struct problem *framed, spgm_status *status);
void problem_unframe(struct problem *framed);
/* h of the user's problem at the scale of the data, and the target it is for (labels as -1 and +1). */
const double *problem_loss(const struct spgm_problem *problem, struct workspace *workspace, struct loss *h);
/* Smoother problems that are worth a search beside that of the loss (companion.c): how many there are, and one of them
 * by its number from 0, a view that p must outlive, of the size of h at r. Check workspace->failed. */
enum { MOST_COMPANIONS = 3 };
int64_t problem_companions(const struct problem *p);
void problem_companion(const struct problem *p, int64_t number, const double *r, struct workspace *workspace,
                       struct problem *companion);
/* Whether h is decided by few of the rows and has nothing that belongs to single ones; and the problem of some of them,
 * rows [count] ascending, a view but for its operator, which the caller frees. F there is at most F of p. Check
 * workspace->failed. */
int problem_is_of_few_rows(const struct problem *p);
void problem_of_rows(const struct problem *p, int64_t count, const int64_t *rows, struct workspace *workspace,
                     struct problem *part);
/*
 * A problem of fewer rows whose F is at most F of p for every x (below.c): the rows [count], ascending, as they are,
 * and where some of the others have a slope at the residual r, a last one that stands for them: its loss is max(r, 0),
 * and r > 0 wherever it matters. The operator is the caller's to free, the rest is a view. In proofs the numbers of
 * that row are sums over the rows of p with multipliers of this length, and its b is off by at most `error`. Check
 * workspace->failed.
 */
struct below {
    int is_there; /* the last row */
    double length, error;
};
int problem_has_below(const struct problem *p);
void problem_below(const struct problem *p, int64_t count, const int64_t *rows, const double *r,
                   struct workspace *workspace, struct problem *part, struct below *below);
/* How far the residual of a row is from where its loss bends; of the largest residual, from being it. reach [rows] */
void problem_reaches(const struct problem *p, const double *r, double *reach);
/* The problem under the smooth loss that guides quick searches for this one (loss_kind.guide), a view that p must
 * outlive; it shares p's ridges. Returns 0 where there is none. Check workspace->failed. */
int problem_guide(const struct problem *p, struct workspace *workspace, struct problem *guide);
/* The feasible set of the frame: barred columns, groups, bounds. Free columns and scales are known already. */
void problem_frame_set(const struct spgm_problem *problem, struct problem *framed);
/* The set of one problem for another with the same columns. */
spgm_error problem_copy_set(const struct spgm_problem *from, struct spgm_problem *to, spgm_status *status);
/* The loss by which a model is judged on rows that it has not seen: h; where only the sign of the scores is the answer
 * (loss_kind.is_of_sign), h at their best multiple t >= 0. */
spgm_error problem_judge(const struct spgm_problem *problem, const double *x, double intercept, double *loss,
                         spgm_status *status);
/* spgm_problem_evaluate for x given by its nonzeros: columns [count] ascending, values [count]. */
spgm_error problem_evaluate(const struct spgm_problem *problem, int64_t count, const int64_t *columns,
                            const double *values, double intercept, double *objective, double *loss_value,
                            double *smooth_value, spgm_status *status);
/* The outcome for the report: what was optimal in the numbers of the frame is not where F, evaluated from the raw data,
 * does not reach the bound. Coefficients of nearly dependent columns that cancel leave F few digits. */
spgm_outcome problem_outcome(const struct spgm_problem *problem, spgm_outcome outcome, double objective, double bound);
/* spgm_problem_check for the report, of x by its nonzeros: only a lack of memory is an error. */
spgm_error problem_check_feasible(const struct spgm_problem *problem, int64_t count, const int64_t *columns,
                                  const double *values, int64_t sparsity, spgm_info *info, spgm_status *status);
/* z from x and intercept, and back; x never leaves its bounds by rounding. */
void problem_scale(const struct problem *framed, const double *x, double intercept, double *z);
void problem_scale_nonzeros(const struct problem *framed, int64_t count, const int64_t *columns, const double *values,
                            double intercept, double *z);
void problem_unscale(const struct problem *framed, const double *z, double *x, double *intercept);
/* x_k, in the data's units, for z_k = value; not for the intercept. */
double problem_coefficient(const struct problem *framed, int64_t k, double value);
/* The intercept for its z = value and the nonzeros of x in the data's units: columns [count] of the frame, x [count].
 */
double problem_intercept(const struct problem *framed, int64_t count, const int64_t *columns, const double *x,
                         double value);

#endif
