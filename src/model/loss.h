/*
 * The loss h(r), r = A x - b. What varies is a table of functions; a new loss is one new file and one line in the
 * registry of loss.c; tests/unit/test_loss_conformance runs over every entry. Whatever an algorithm needs to know about
 * a loss it asks here: nothing outside src/model compares names, kinds or families of losses (tools/check-layers.sh).
 *
 *   prox          y = P_mu(c) = argmin h(y) + 1/(2 mu) ||c - y||^2                          (spgm.tex eq. 2)
 *   conjugate     h*(u) = sup_r u'r - h(r), +INFINITY outside its domain (a relative excess of LOSS_DOMAIN_SLACK,
 *                 which rounding may cause, counts as inside)
 *   dual_norm     the smallest mu with P_mu(u) in the zone without loss; for norms inf { t >= 0 : u / t in dom h* }.
 *                 Rows that the prox never moves are left out; +INFINITY when there is no such mu (smooth losses)
 *   lipschitz     L_h: ||any subgradient|| <= L_h                 (Assumption 1); +INFINITY where there is none
 *
 * No loss is negative: h >= 0. Sums and maxima over rows go through h->reduce. A NaN in r gives a NaN value, never a
 * small one.
 */
#ifndef SPGM_MODEL_LOSS_H
#define SPGM_MODEL_LOSS_H

#include <stdint.h>

#include "base/options.h"
#include "base/status.h"
#include "linalg/linop.h"

#define LOSS_DOMAIN_SLACK 1e-10

enum { LOSS_LEVELS = 3 }; /* the most weightings that `curvature` may have */

struct loss;

/* Which engine of src/fit minimises the loss over a support, and what that engine reads. */
enum loss_engine {
    LOSS_BY_KINKS,     /* a sum of pinballs: up, down, dead of every row             */
    LOSS_BY_LEVEL,     /* the largest |r_i|                                          */
    LOSS_BY_CURVATURE, /* a smooth sum over rows: `derivatives`                      */
    LOSS_BY_LENGTH     /* ||r||_2                                                    */
};

/* What b must be. Labels become -1 and +1 before any loss sees them. */
enum loss_target { LOSS_OF_NUMBERS, LOSS_OF_TWO_LABELS };

/* What one pass of the y-step knows: h(c), h(y) and ||c - y||^2 for y = P_mu(c). */
struct loss_split {
    double at_c, at_y, squares;
};

struct loss_ops {
    double (*value)(const struct loss *h, const double *r);
    void (*prox)(const struct loss *h, double mu, const double *c, double *y); /* y may be c */
    /* d = c - P_mu(c), right to the last digits however small mu is, and the values above. d must not be c. */
    void (*split)(const struct loss *h, double mu, const double *c, double *d, struct loss_split *values);
    void (*subgradient)(const struct loss *h, const double *r, double *u);
    double (*conjugate)(const struct loss *h, const double *u);
    /* Nearest point of dom h*, in place. */
    void (*project_dual)(const struct loss *h, double *u);
    double (*dual_norm)(const struct loss *h, const double *u);
    double (*lipschitz)(const struct loss *h);

    /* h(r + alpha d) and its derivative in alpha (one of them at a kink): for exact line searches, see line.h. */
    double (*along)(const struct loss *h, const double *r, const double *d, double alpha, double *slope);
    /*
     * The weights w [rows] >= 0 of a quadratic surrogate of h around r that sees beyond the nearest kinks; u [rows] is
     * the dual vector of a fit at r. `level` < kind->levels chooses how far it sees. Returns the distance from a kink
     * below which it is rounded off, for surrogate_slope; 0 where that has no meaning.
     */
    double (*curvature)(const struct loss *h, const double *r, const double *u, int level, double *w);
    /* The slope u of that surrogate at r: the gradient of h, near kinks that of the surrogate with `floor` and weights
     * w. */
    void (*surrogate_slope)(const struct loss *h, double floor, const double *r, const double *w, double *u);
    /* LOSS_BY_CURVATURE: u = grad h(r) and w = the diagonal of its Hessian (one of them at a break). */
    void (*derivatives)(const struct loss *h, const double *r, double *u, double *w);
    /* lim h(t d) / t for t -> infinity: how fast h grows along d; +INFINITY where it grows faster. */
    double (*recession)(const struct loss *h, const double *d);
    /*
     * For proofs (fit/certificate.h): a number that is not below h*(u) whatever rounding does; +INFINITY where u is not
     * in dom h* for certain. The same for the points around it: 0 <= room_i <= cap and steep_i [rows] are such that
     * v = u + room * q (entry by entry) is in dom h* for every q with ||q||_2 <= 1, and
     * h*(v) - h*(v') <= sum_i steep_i |v_i - v'_i| for two of these.
     */
    double (*conjugate_above)(const struct loss *h, const double *u, double cap, double *room, double *steep);
};

/* What the parameters of a loss are made from. */
struct loss_input {
    const struct spgm_options *options;
    const double *b;                /* [rows] as methods see it: labels -1 and +1, divided by `unit`  */
    const double *weights;          /* [rows] or NULL                                                 */
    const double *up, *down, *dead; /* [rows] or NULL: the user's slopes                              */
    double unit;                    /* of the target: lengths among the parameters are divided by it  */
};

/* An entry of the registry: how a name becomes a loss. */
struct loss_kind {
    const char *name;
    const char *aliases; /* "absolute_error|lad" */
    const char *formula;
    const char *parameter; /* the option that shapes it, "quantile"; NULL: none                                  */
    const struct loss_ops *ops;
    enum loss_engine engine;
    enum loss_target target;
    int is_sum;       /* over rows: weights are allowed, equal rows can be merged                                  */
    int reweights;    /* one reweighted least-squares step comes near a fit: walks may be fitted roughly           */
    int is_peaked;    /* along a line it is best bracketed by tangents: few rows decide, and slopes jump           */
    int is_quadratic; /* its second derivatives do not depend on r                                               */
    int has_breaks;   /* smooth, but its second derivative jumps: it is none beyond a break                        */
    int levels;       /* of `curvature`, 1 .. LOSS_LEVELS                                                          */
    int degree;     /* h(t r) = t^degree h(r) with lengths among the parameters scaled by t: 1, 2 (companions: more); 0:
                       no such rule */
    double perfect; /* of h at x = 0: what rounding leaves of it in a perfect fit                              */
    /* Its place, from 1, among the losses that "auto" tries; 0: it does not. The first one judges, and its lowest error
     * is the parameter of the one that has one: a length. That one is taken unless another is lower by more than a
     * standard error of the difference, which was 1.020 and 1.022 above the best method of scikit-learn on two sets of
     * seeds of bench/generated.py (76 and 71 draws); the lowest one 1.023 and 1.027, l1 alone 1.031 and 1.037. */
    int candidate;
    int is_of_sign; /* only the sign of a'x is the answer: outside the rows of a fit it is judged at the best multiple
                       of the scores, whose size is that of the ridge                                             */
    const struct loss_kind *guide; /* a smooth loss whose good supports are good for this one, where its own slopes say
                                      little of which columns to add; NULL: none                              */
    double guide_share; /* of its value: at this the same ridges shrink as much under both (select/ridges.c) */
    double rate;        /* what one parameter costs in a criterion: 1; 2 where parameters are found at the rate 1/m   */
    /* Take the arrays of h from the workspace (check workspace->failed) and fill them. h->kind, ops and rows are set.
     */
    void (*prepare)(struct loss *h, const struct loss_input *input, struct workspace *workspace);
    /* Out-of-sample loss per unit of weight, from h over rows of `weight` in all. */
    double (*per_row)(double value, double weight);
    /* -2 log likelihood, up to a constant, from h over `rows` rows of mean weight 1, at the best scale. */
    double (*deviance)(const struct spgm_options *options, double rows, double value);
    /* P(upper label) from a'x + intercept; NULL: the loss gives no probabilities. */
    double (*probability)(double score);
};

/* A loss with the parameters of its rows; which of the arrays are there its kind knows. */
struct loss {
    const struct loss_kind *kind;
    const struct loss_ops *ops;
    const struct reduction *reduce;
    int64_t rows;
    /* LOSS_BY_KINKS: h(r) = sum_i up_i max(r_i - dead_i, 0) + down_i max(-r_i - dead_i, 0) */
    double *up, *down, *dead; /* [rows], owned by the workspace of `prepare`, or NULL */
    double *weight;           /* [rows] of a smooth sum, or NULL: every weight is 1   */
    const double *label;      /* [rows] -1 or +1, borrowed from loss_input, or NULL   */
    double width;             /* the length among the parameters (delta of huber)     */
    int are_same;             /* all rows have the first row's slopes: they need not be read */
};

/* h from what the user gave; check workspace->failed. The reduction is set by the caller. */
void loss_prepare(struct loss *h, const struct loss_kind *kind, int64_t rows, const struct loss_input *input,
                  struct workspace *workspace);

const struct loss_kind *loss_find(const char *name); /* by name or alias; NULL: unknown */
const struct loss_kind *loss_kind_at(int64_t index); /* NULL past the end               */
extern const struct loss_kind loss_slopes_kind;      /* spgm_problem_set_slopes         */

/* per_row of the kinds. */
double loss_mean(double value, double weight);      /* value / weight */
double loss_root_mean(double value, double weight); /* value / sqrt(weight) */
double loss_largest(double value, double weight);   /* value */

#endif
