/*
 * The problem as methods see it (the frame): operator, b, h, f and the feasible set. The columns are those of the
 * framed operator: the data's columns, scaled, then the intercept (if any) as the last, free column. Empty columns of
 * sparse data are left out unless a smooth term uses them, so that they cost no method memory or time.
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
    struct linop *A; /* the framed operator */
    const double *b; /* [A->rows]; labels are -1 and +1 */
    struct loss h;
    struct smooth f;
    unsigned char *is_free; /* [A->columns]                                            */
    int64_t free_count;
    int64_t *free_columns; /* [free_count], ascending                                 */
    double *lower, *upper; /* bounds on x [A->columns], lower <= 0 <= upper; both NULL: no bounds */
    double objective_unit; /* F in the data's units = objective_unit * F in the frame */
    double target_unit;    /* b in the frame = (b of the data - shift) / target_unit */
    double shift;
    double *scale;          /* x_j = target_unit scale_j z_j                           */
    double *centre;         /* column j in the frame = scale_j (a_j - centre_j 1); 0: not centred */
    unsigned char *is_idle; /* column j of the frame is zero */
    int has_intercept;
    int64_t *columns;           /* their numbers in the data [data->columns], ascending; NULL: all columns */
    int64_t data_columns;       /* number of columns of the data */
    struct linop *data;         /* the operator below the frame: the data's columns */
    struct linop *term_data;    /* the operator below the frame of f->C, or NULL */
    double evaluation;          /* seconds to evaluate F at x = 0 from the raw data */
    double pass;                /* seconds of one pass over A */
    double all_rows;            /* over all processes, if they share the rows: the rows ... */
    double all_nonzeros;        /* ... and the stored entries of A; see problem_rows */
    struct team *team;          /* the threads of the operators */
    struct workspace workspace; /* owns the arrays above                                   */

    struct feasible set;                   /* the feasible set without the bounds; its is_free is the one above */
    const double *data_lower, *data_upper; /* the bounds in the data's units [data->columns], borrowed, or NULL */
};

/* The number of column j in the data; the intercept gets the number after the last column. */
static inline int64_t problem_column(const struct problem *p, int64_t j) {
    return j == p->data->columns ? p->data_columns : p->columns == NULL ? j : p->columns[j];
}

/* The number of columns that count towards s. */
static inline int64_t problem_candidates(const struct problem *p) {
    return p->A->columns - p->free_count - p->set.barred_count;
}

/* Rows and stored entries over all processes, for decisions that depend on size. */
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
 * The part of the time limit that a search may use, so that what follows it fits in. Reserved are, from the times
 * measured while the problem was framed: the step in which the limit passes (up to a pass, which may have to wait for
 * the data, and the columns of the model, which share cache lines with others where A lies by rows); then `reports`
 * reports on models of at most `capacity` columns, each of which reads the columns of the model and evaluates F from
 * the raw data. At least half of the limit is returned.
 */
double problem_search_time(const struct problem *framed, int64_t capacity, int64_t reports, double limit);

/* The nearest value to v within the bounds of x_j. */
static inline double problem_clip(const struct problem *p, int64_t j, double v) {
    return p->lower == NULL ? v : v < p->lower[j] ? p->lower[j] : v > p->upper[j] ? p->upper[j] : v;
}

/*
 * The gain from letting x_j follow v_j when ||x - v||^2 is minimised over the feasible set, for set.rule->choose:
 *
 *     gain_j = v_j^2 - (v_j - c_j)^2 = c_j (2 v_j - c_j),   c_j = clip(v_j)
 *
 * or its square root if only the order matters: |v_j| without bounds, which neither overflows nor underflows.
 */
static inline double problem_key(const struct problem *p, int64_t j, double v) {
    double c = problem_clip(p, j, v);
    double gain = c * (2 * v - c);

    return p->set.rule->adds ? gain : c == v ? fabs(v) : sqrt(gain);
}

/*
 * For proofs: a bound on the relative error of the framed entries of column j, and of the ridge, slope and bounds that
 * go with it, against exact scaling of the data. It is 0 if scale_j is a power of two, which changes no digit, and the
 * column is not centred.
 */
static inline double problem_rounding(const struct problem *p, int64_t j) {
    int exponent;

    return j >= p->data->columns || (frexp(p->scale[j], &exponent) == 0.5 && p->centre[j] == 0) ? 0 : 4 * DBL_EPSILON;
}

/*
 * HOW SCALING WORKS: methods work on z with x_j = target_unit scale_j z_j and on (b - shift) / target_unit; F is
 * divided by objective_unit. Ordinarily every scale is 1.
 *
 * - If the typical entry is below 1/32 or above 32, all columns are scaled by the same power of two, which brings it
 *   near 1: the constants of Algorithm 1 (theta, the start) and the constant column of the intercept assume that size.
 * - With `standardize` scale_j = sqrt(m) / ||a_j||.
 * - A column that is far larger or smaller than the typical one gets a power of two of its own. If the norm of a column
 *   or of b is outside [1e-60, 1e60], so that squares could overflow or underflow, a scaled copy of the column is kept,
 *   or b is divided by a power of 4. Neither changes a digit.
 * - Zero columns keep scale 1. Free columns are scaled like the others, the intercept is not.
 * - Data that no unit brings into the range of a double are refused with an error.
 *
 * HOW CENTRING WORKS: with an intercept, a column whose mean is more than 1000 times its spread is replaced by a copy
 * minus its mean, and such a target (unless it has labels) by b minus its mean. Otherwise sums of squares would lose
 * the digits that distinguish the rows. x, F and the terms of f stay the same; only the intercept changes: intercept =
 * target_unit z_n + shift - sum_j centre_j x_j. Such columns have hardly any zeros, so that a dense copy of them, the
 * only memory this takes, is not larger than they are. A constant column becomes zero, because the intercept can
 * replace it.
 *
 * If A is small and has hardly any zeros, all of it is copied as soon as the mean of some column exceeds its spread,
 * and these columns are shifted by a round number near their means. Searches compare columns by their lengths after the
 * intercept is projected out, of which little would otherwise be left. Differences from a round number are exact, so
 * that equal rows stay equal.
 */

/* The rows as spgm_problem_merge_rows merged them, in arrays of its own. */
struct merged_rows {
    spgm_matrix A; /* rows 0: the rows are those given by the user */
    const double *b;
    double *weights, *up, *down, *dead; /* [A.rows]; the slopes are NULL if the user set none */
    double seconds;                     /* the time that merging took */
    struct workspace workspace;         /* owns the arrays */
};

/* The checked input of the user, borrowed or copied as spgm.h says. */
struct spgm_problem {
    spgm_matrix A;
    const double *b;
    struct spgm_options options; /* only those of the group "problem" are used */
    const struct loss_kind *loss;
    double labels[2];         /* of a classifier: lower and upper */
    double *weights;          /* [rows] or NULL, owned                */
    double *up, *down, *dead; /* [rows] or NULL, owned: the user's slopes */
    unsigned char *is_free;   /* [columns] or NULL, owned             */
    double *linear;           /* [columns] or NULL, owned             */
    const struct smooth_term *term;
    spgm_matrix C; /* the matrix of the term */
    const double *d;
    struct workspace owned;         /* of a subset of rows: its A and b, which are otherwise borrowed */
    const struct reduction *reduce; /* NULL: all rows are in this process */
    struct distribution *shared;    /* target of `reduce`, owned; NULL: all rows are here, or another owns it */
    struct merged_rows merged;
    double seconds;         /* the time that checking it took */
    const int64_t *numbers; /* in a view with some of the columns: their numbers in the data; otherwise NULL */

    double *deviations; /* standard deviations of the columns [columns], owned; NULL: the ridge acts on x itself */

    unsigned char *is_excluded;  /* [columns] or NULL, owned                                   */
    double *lower, *upper;       /* [columns], both or neither, owned; infinite: no bound */
    int64_t *group_of;           /* 0 to groups - 1, -1: none [columns] or NULL, owned         */
    int64_t groups, group_limit; /* limit 0: a group counts as one; K: at most K of each       */
};

/* The processes that share the rows; NULL: this process has all of them. */
static inline struct party *problem_party(const struct spgm_problem *problem) {
    return problem->reduce == NULL ? NULL : problem->reduce->party;
}

static inline int problem_has_labels(const struct spgm_problem *problem) {
    return problem->loss->target == LOSS_OF_TWO_LABELS;
}

/* The loss is that of A'(Ax - b) (option normal): problem->A is A'A, formed or not, and problem->b is A'b. */
static inline int problem_is_normal(const struct spgm_problem *problem) {
    return strcmp(problem->options.normal, "off") != 0;
}
/* Set these from the checked A and b of the user (normal.c). */
spgm_error problem_make_normal(struct spgm_problem *problem, spgm_status *status);
/* The error for a setting that cannot be combined with it. */
spgm_error problem_refuse_normal(const char *what, spgm_status *status);

/* The number of column j in the user's data, counted from 0. */
static inline int64_t problem_number(const struct spgm_problem *problem, int64_t j) {
    return problem->numbers == NULL ? j : problem->numbers[j];
}

/* The ridge of column j; its part of f is ridge_j x_j^2 / 2. */
static inline double problem_ridge(const struct spgm_problem *problem, int64_t j) {
    double ridge = problem->options.ridge;

    return problem->deviations == NULL ? ridge : ridge * problem->deviations[j] * problem->deviations[j];
}
/* Compute the deviations that the ridge acts on, as the options say; again when the weights have changed (ridge.c). */
spgm_error problem_scale_ridge(struct spgm_problem *problem, spgm_status *status);

/* For rows spread over processes: an error unless all processes made the same call. */
spgm_error problem_check_shared(const struct spgm_problem *problem, int64_t sparsity,
                                const struct spgm_options *options, spgm_status *status);
/* The problem with the merged rows, if any, as methods see it; a view, not to be freed. */
struct spgm_problem problem_merged(const struct spgm_problem *problem);
/* Undo merging. */
void problem_unmerge(struct spgm_problem *problem);
/* The start time of a run that begins now: checking and merging the data count as part of it. */
double problem_began(const struct spgm_problem *problem);

/* Returns an error unless the loss is the quantile loss and the levels ascend between 0 and 1. */
spgm_error problem_check_levels(const struct spgm_problem *problem, const double *levels, int64_t count,
                                spgm_status *status);
/* The problem at another quantile; a view, not to be freed. */
struct spgm_problem problem_at_level(const struct spgm_problem *problem, double level);

/*
 * Leave out the empty columns: their only term in F is a ridge, so none of them lowers F. At least `least` columns
 * stay. The entries are not moved; *problem, a view that is not to be freed, takes its arrays over columns from the
 * workspace, whose `failed` the caller checks. Returns the remaining columns, ascending; NULL: all. If the rows are
 * spread over processes, all columns stay, because one process cannot tell.
 */
int64_t *problem_drop_empty(struct spgm_problem *problem, int64_t least, struct workspace *workspace);
/* Build the problem that methods see; *framed must be zero. On error nothing is left to free. */
spgm_error problem_frame(const struct spgm_problem *problem, int threads, struct problem *framed, spgm_status *status);
void problem_unframe(struct problem *framed);
/* h of the user's problem in the data's units; returns its target (labels as -1 and +1). */
const double *problem_loss(const struct spgm_problem *problem, struct workspace *workspace, struct loss *h);
/* Companions: smoother problems whose search complements that under the loss itself (companion.c). problem_companions
 * returns how many there are; problem_companion makes one by its number from 0, a view that p must outlive, of the size
 * of h at r. Check workspace->failed. */
enum { MOST_COMPANIONS = 3 };
int64_t problem_companions(const struct problem *p);
void problem_companion(const struct problem *p, int64_t number, const double *r, struct workspace *workspace,
                       struct problem *companion);
/* Whether few of the rows determine h and nothing else belongs to single rows; and the problem of some of the rows,
 * rows [count] ascending, a view except for its operator, which the caller frees. Its F is a lower bound on F of p.
 * Check workspace->failed. */
int problem_is_of_few_rows(const struct problem *p);
void problem_of_rows(const struct problem *p, int64_t count, const int64_t *rows, struct workspace *workspace,
                     struct problem *part);
/*
 * A problem of fewer rows whose F is at most F of p for every x (below.c). It has the rows [count], ascending,
 * unchanged. If some of the other rows have a slope at the residual r, one aggregate row stands for them and comes
 * last: its loss is max(r, 0), and r > 0 wherever it matters. The caller frees the operator; the rest is a view. In
 * proofs, the entries of the aggregate row are sums over rows of p with a vector of multipliers of this length, and its
 * b is off by at most `error`. Check workspace->failed.
 */
struct below {
    int is_there; /* there is an aggregate row */
    double length, error;
};
int problem_has_below(const struct problem *p);
void problem_below(const struct problem *p, int64_t count, const int64_t *rows, const double *r,
                   struct workspace *workspace, struct problem *part, struct below *below);
/* The distance of each residual from the nearest kink; for the maximum, from the largest residual. reach [rows] */
void problem_reaches(const struct problem *p, const double *r, double *reach);
/* The problem under the smooth loss that guides quick searches for this one (loss_kind.guide), a view that p must
 * outlive; it shares the ridges of p. Returns 0 if there is none. Check workspace->failed. */
int problem_guide(const struct problem *p, struct workspace *workspace, struct problem *guide);
/*
 * Set up the feasible set of the frame: barred columns, groups, bounds. Free columns and scales must be known already.
 */
void problem_frame_set(const struct spgm_problem *problem, struct problem *framed);
/* Copy the feasible set to another problem with the same columns. */
spgm_error problem_copy_set(const struct spgm_problem *from, struct spgm_problem *to, spgm_status *status);
/* The loss of a model on rows outside its fit: h; if only the sign of the scores matters (loss_kind.is_of_sign), h at
 * their best multiple t >= 0. */
spgm_error problem_judge(const struct spgm_problem *problem, const double *x, double intercept, double *loss,
                         spgm_status *status);
/* spgm_problem_evaluate for an x given by its nonzeros: columns [count] ascending, values [count]. */
spgm_error problem_evaluate(const struct spgm_problem *problem, int64_t count, const int64_t *columns,
                            const double *values, double intercept, double *objective, double *loss_value,
                            double *smooth_value, spgm_status *status);
/* The outcome to report: "optimal" in the units of the frame is revoked if F, evaluated from the raw data, does not
 * reach the bound. Coefficients of nearly dependent columns that cancel leave F few accurate digits. */
spgm_outcome problem_outcome(const struct spgm_problem *problem, spgm_outcome outcome, double objective, double bound);
/* spgm_problem_check for the report, for x given by its nonzeros: only lack of memory is an error. */
spgm_error problem_check_feasible(const struct spgm_problem *problem, int64_t count, const int64_t *columns,
                                  const double *values, int64_t sparsity, spgm_info *info, spgm_status *status);
/* z from x and intercept, and the reverse; rounding never takes x out of its bounds. */
void problem_scale(const struct problem *framed, const double *x, double intercept, double *z);
void problem_scale_nonzeros(const struct problem *framed, int64_t count, const int64_t *columns, const double *values,
                            double intercept, double *z);
void problem_unscale(const struct problem *framed, const double *z, double *x, double *intercept);
/* x_k in the data's units for z_k = value; not for the intercept. */
double problem_coefficient(const struct problem *framed, int64_t k, double value);
/*
 * The intercept from its z = value and the nonzeros of x in the data's units: columns [count] of the frame, x [count].
 */
double problem_intercept(const struct problem *framed, int64_t count, const int64_t *columns, const double *x,
                         double value);

#endif
