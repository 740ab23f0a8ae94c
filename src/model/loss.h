/*
 * The loss h(r), r = A x - b. Each loss is a table of functions: a new one is a new file and a line in the registry of
 * loss.c, and tests/unit/test_loss_conformance runs over every entry. An algorithm asks this table whatever it needs to
 * know about a loss; code outside src/model never compares names, kinds or families of losses (tools/check-layers.sh).
 *
 *   prox          y = P_mu(c) = argmin h(y) + 1/(2 mu) ||c - y||^2                          (spgm.tex eq. 2)
 *   conjugate     h*(u) = sup_r u'r - h(r), +INFINITY outside its domain (a relative excess of LOSS_DOMAIN_SLACK,
 *                 which rounding may cause, counts as inside)
 *   dual_norm     the smallest mu for which P_mu(u) has no loss; for norms inf { t >= 0 : u / t in dom h* }. Rows that
 *                 the prox never moves are left out; +INFINITY if there is no such mu (smooth losses)
 *   lipschitz     L_h: ||any subgradient|| <= L_h                 (Assumption 1); +INFINITY if there is none
 *
 * Every loss is nonnegative: h >= 0. Sums and maxima over rows go through h->reduce. A NaN in r gives a NaN value,
 * never a finite one.
 */
#ifndef SPGM_MODEL_LOSS_H
#define SPGM_MODEL_LOSS_H

#include <stdint.h>

#include "base/options.h"
#include "base/status.h"
#include "linalg/linop.h"

#define LOSS_DOMAIN_SLACK 1e-10

enum { LOSS_LEVELS = 3 }; /* the largest number of levels of `curvature` */

struct loss;

/* Which engine of src/fit minimises the loss over a support, and what that engine reads from it. */
enum loss_engine {
    LOSS_BY_KINKS,     /* a sum of pinballs: up, down and dead of every row */
    LOSS_BY_LEVEL,     /* the largest |r_i|                                          */
    LOSS_BY_CURVATURE, /* a smooth sum over rows: `derivatives`                      */
    LOSS_BY_LENGTH     /* ||r||_2                                                    */
};

/* What b must contain. Losses always see labels as -1 and +1. */
enum loss_target { LOSS_OF_NUMBERS, LOSS_OF_TWO_LABELS };

/* The values that one y-step computes on the way: h(c), h(y) and ||c - y||^2 for y = P_mu(c). */
struct loss_split {
    double at_c, at_y, squares;
};

struct loss_ops {
    double (*value)(const struct loss *h, const double *r);
    void (*prox)(const struct loss *h, double mu, const double *c, double *y); /* y may be c */
    /* d = c - P_mu(c), accurate to the last digits however small mu is, and the values above. d must not alias c. */
    void (*split)(const struct loss *h, double mu, const double *c, double *d, struct loss_split *values);
    void (*subgradient)(const struct loss *h, const double *r, double *u);
    double (*conjugate)(const struct loss *h, const double *u);
    /* Project u onto dom h*, in place. */
    void (*project_dual)(const struct loss *h, double *u);
    double (*dual_norm)(const struct loss *h, const double *u);
    double (*lipschitz)(const struct loss *h);

    /*
     * h(r + alpha d) and its derivative in alpha (at a kink, any subgradient's), for exact line searches; see line.h.
     */
    double (*along)(const struct loss *h, const double *r, const double *d, double alpha, double *slope);
    /*
     * The weights w [rows] >= 0 of a quadratic surrogate of h around r that takes kinks beyond the nearest ones into
     * account; u [rows] is the dual vector of a fit at r. `level` < kind->levels sets the range of the surrogate.
     * Returns the distance from a kink within which the kink is smoothed, for surrogate_slope; 0 if that has no
     * meaning.
     */
    double (*curvature)(const struct loss *h, const double *r, const double *u, int level, double *w);
    /* The slope u of that surrogate at r: the gradient of h, except near kinks, where it is that of the surrogate with
     * `floor` and weights w. */
    void (*surrogate_slope)(const struct loss *h, double floor, const double *r, const double *w, double *u);
    /* LOSS_BY_CURVATURE: u = grad h(r) and w = the diagonal of its Hessian (at a break, that of either side). */
    void (*derivatives)(const struct loss *h, const double *r, double *u, double *w);
    /* The recession function lim h(t d) / t for t -> infinity; +INFINITY where h grows faster than linearly along d. */
    double (*recession)(const struct loss *h, const double *d);
    /*
     * For proofs (fit/certificate/): an upper bound on h*(u) that holds in spite of rounding; +INFINITY unless u is
     * certainly in dom h*. It also describes the points around u: 0 <= room_i <= cap and steep_i [rows] are such that v
     * = u + room * q (entry by entry) is in dom h* for every q with ||q||_2 <= 1, and h*(v) - h*(v') <= sum_i steep_i
     * |v_i - v'_i| for any two such points.
     */
    double (*conjugate_above)(const struct loss *h, const double *u, double cap, double *room, double *steep);
};

/* What `prepare` computes the parameters of a loss from. */
struct loss_input {
    const struct spgm_options *options;
    const double *b;                /* [rows] in the frame: labels are -1 and +1, other targets are divided by `unit` */
    const double *weights;          /* [rows] or NULL                                                 */
    const double *up, *down, *dead; /* [rows] or NULL: the slopes set by the user */
    double unit;                    /* the unit of the target; parameters that are lengths are divided by it */
};

/* An entry of the registry. */
struct loss_kind {
    const char *name;
    const char *aliases; /* "absolute_error|lad" */
    const char *formula;
    const char *parameter; /* the option that shapes the loss, such as "quantile"; NULL: none */
    const struct loss_ops *ops;
    enum loss_engine engine;
    enum loss_target target;
    int is_sum;    /* a sum over rows: weights are allowed, and equal rows can be merged */
    int reweights; /* one reweighted least-squares step comes close to a fit, so the fits of a search walk may be rough
                    */
    int is_peaked; /* line searches should bracket the minimum by tangents: few rows decide, and slopes jump */
    int is_quadratic; /* its second derivatives do not depend on r                                               */
    int has_breaks;   /* smooth, but its second derivative jumps: it is zero beyond a break */
    int levels;       /* number of levels of `curvature`, 1 .. LOSS_LEVELS */
    int degree;       /* h(t r) = t^degree h(r) if parameters that are lengths are also scaled by t: 1 or 2 (companions:
                         more); 0: no such rule */
    double perfect;   /* relative to h at x = 0: the value that rounding leaves in a perfect fit */
    /* The position, from 1, among the losses that --loss auto tries; 0: not tried. The first one measures the error of
     * all of them, and its lowest mean error is the length parameter of the loss that has one. That loss is taken
     * unless another is lower by more than one standard error of the difference. Relative to the best method of
     * scikit-learn on two sets of seeds of bench/generated.py (76 and 71 draws) this rule was at 1.020 and 1.022,
     * always taking the lowest loss at 1.023 and 1.027, l1 alone at 1.031 and 1.037. */
    int candidate;
    int is_of_sign; /* only the sign of the score a'x matters: on rows outside the fit the loss is measured at the best
                       multiple of the scores, because their size is set by the ridge */
    const struct loss_kind *guide; /* a smooth loss whose good supports are good for this one too, used where the slopes
                                      of this loss say little about which columns to add; NULL: none */
    double guide_share; /* share of the guide's value at which the same ridge shrinks equally under both losses
                           (select/ridges.c) */
    double rate; /* the cost of one parameter in an information criterion: 1; 2 if parameters are estimated at the rate
                    1/m */
    /* Take the arrays of h from the workspace (check workspace->failed) and fill them. The caller has set h->kind, ops
     * and rows. */
    void (*prepare)(struct loss *h, const struct loss_input *input, struct workspace *workspace);
    /* The loss per unit of weight on rows outside the fit, from the value of h over rows of total weight `weight`. */
    double (*per_row)(double value, double weight);
    /* -2 log likelihood at the best scale, up to a constant, from the value of h over `rows` rows of mean weight 1. */
    double (*deviance)(const struct spgm_options *options, double rows, double value);
    /* P(upper label) from the score a'x + intercept; NULL: the loss gives no probabilities. */
    double (*probability)(double score);
};

/* A loss with the parameters of its rows. Its kind determines which of the arrays are present. */
struct loss {
    const struct loss_kind *kind;
    const struct loss_ops *ops;
    const struct reduction *reduce;
    int64_t rows;
    /* LOSS_BY_KINKS: h(r) = sum_i up_i max(r_i - dead_i, 0) + down_i max(-r_i - dead_i, 0) */
    double *up, *down, *dead; /* [rows], owned by the workspace of `prepare`, or NULL */
    double *weight;           /* [rows], for a smooth sum over rows; NULL: every weight is 1 */
    const double *label;      /* [rows] -1 or +1, borrowed from loss_input, or NULL   */
    double width;             /* the parameter that is a length (delta of huber) */
    int are_same;             /* all rows have the slopes of the first row, so the others need not be read */
};

/* Set up h from the input of the user; check workspace->failed. The caller sets the reduction. */
void loss_prepare(struct loss *h, const struct loss_kind *kind, int64_t rows, const struct loss_input *input,
                  struct workspace *workspace);

const struct loss_kind *loss_find(const char *name); /* by name or alias; NULL: unknown */
const struct loss_kind *loss_kind_at(int64_t index); /* NULL past the end */
extern const struct loss_kind loss_slopes_kind;      /* spgm_problem_set_slopes         */

/* Implementations of per_row. */
double loss_mean(double value, double weight);      /* value / weight */
double loss_root_mean(double value, double weight); /* value / sqrt(weight) */
double loss_largest(double value, double weight);   /* value */

#endif
