/* What the parts of the newton engine share. */
#ifndef SPGM_FIT_NEWTON_INTERNAL_H
#define SPGM_FIT_NEWTON_INTERNAL_H

#include <math.h>

#include "base/memory.h"
#include "fit/constants.h"
#include "fit/engine.h"

/*
 * The normal matrix H = c A_S'W A_S + Q, by position; Q is the Hessian of f. W has the weights for which the product
 * was last formed: a changed column costs one row of it, O(rows size). c is 1 except for ||r||_2 (length.c).
 */
struct normal {
    double *product; /* A_S'W A_S [capacity x capacity], ld capacity                                       */
    double *W;       /* [rows]                                                                              */
    int is_plain;    /* every weight is 1                                                                   */
    double *Q;       /* [capacity x capacity], ld size; if f has no term only its diagonal is used */
    double *diagonal;
    double c;
    int64_t *column; /* the column of each row of `product`; -1: none [capacity] */
    double *block;   /* [capacity x capacity] scratch                                                       */
    struct gram_plan plan;
};

/* A Cholesky factor of H over the columns that may move, updated one column at a time: R'R = H(order, order). */
struct face {
    int64_t count;
    int64_t *order;       /* positions [capacity]                                                           */
    unsigned char *state; /* state of each position: MOVES, RESTS, AT_LOWER, AT_UPPER [capacity] */
    double *R;            /* upper triangular, ld capacity                                                   */
    double c;             /* c of the normal matrix at factorisation */
    double least;         /* the smallest ratio so far of a pivot to its diagonal entry; 1: no pivots */
    double *rhs;          /* [capacity] in the order of the factor                                           */
};

enum face_state { MOVES, RESTS, AT_LOWER, AT_UPPER };

struct newton {
    struct fit_state *state;
    struct workspace workspace;
    int64_t rows;
    struct normal normal;
    struct face face;
    double *curvature;  /* w of the loss at the residual [rows]            */
    double *gradient;   /* of F by position [capacity]                     */
    double *smooth;     /* the part of f in it [capacity]                  */
    double *d, *image;  /* the step [capacity], and A d [rows]             */
    double rho;         /* length.c: h is majorised by (||r||^2 / rho + rho) / 2 */
    double decrement;   /* g'H^-1 g at the last step                       */
    double cutoff;      /* the fit may end when no x within reach is below this; INFINITY: no cutoff */
    double *best;       /* the best x of the steps so far [capacity]       */
    int64_t age;        /* steps since H was last formed */
    int is_far;         /* H was formed with the wider curvature           */
    int has_weights;    /* H has been formed at least once */
    int is_endless;     /* F decreases without limit, and x is far out */
    double *basis;      /* qr.c: an orthonormal basis [(rows + capacity) x capacity] */
    double *late_basis; /* the same if it is large: taken when it is first needed */
    double *weighted;   /* qr.c: [rows + 3 capacity]                       */
};

static inline double normal_entry(const struct newton *n, int64_t i, int64_t j) {
    const struct normal *N = &n->normal;
    double f = n->state->problem->f.term != NULL ? N->Q[i + j * n->state->size] : i == j ? N->diagonal[i] : 0;

    return N->c * N->product[i + j * n->state->capacity] + f;
}

static inline double newton_size(const struct fit_state *s) {
    return fmax(fabs(s->objective), FIT_SMALL * s->zero_objective);
}

static inline double newton_lower(const struct fit_state *s, int64_t i) {
    return s->problem->lower == NULL ? -INFINITY : s->problem->lower[s->columns[i]];
}

static inline double newton_upper(const struct fit_state *s, int64_t i) {
    return s->problem->upper == NULL ? INFINITY : s->problem->upper[s->columns[i]];
}

static inline int newton_has_bounds(const struct fit_state *s) {
    return s->problem->lower != NULL || s->problem->upper != NULL;
}

/* normal.c: update `product`, at the weights `w` [rows] or, if NULL, at its current ones. Returns 0 if stopped. */
int normal_form(struct newton *n, const double *w);
void normal_add_smooth(struct newton *n); /* set Q, or its diagonal, for the current support */

/* face.c */
/* Factor H over all positions that are not at a bound; those that depend on others are set to RESTS. Returns 0 if
 * stopped. */
int face_factor(struct newton *n);
int face_append(struct newton *n, int64_t position); /* returns 0 if it depends on the others, and then rests */
/* The Schur complement of its diagonal entry with respect to the columns that move. */
double face_pivot(struct newton *n, int64_t position);
void face_remove(struct newton *n, int64_t position);
/* d = -H^-1 g over the columns that move, 0 elsewhere. Returns g'H^-1 g. */
double face_step(struct newton *n, const double *g, double *d);
/* d_position = 1, and d on the columns that move such that H d = 0 there. */
void face_give_way(struct newton *n, int64_t position, double *d);

/* bounds.c */
void bounds_clip(struct fit_state *s); /* clip x to its bounds, which steps may violate by rounding */
void bounds_enter(struct newton *n);   /* bring x within its bounds, with no position held at a bound yet */
void bounds_hold(struct newton *n);    /* hold the positions that are at a bound and are pulled beyond it */
/* The longest feasible step up to `furthest`, and the position that first meets a bound; -1: none. */
double bounds_room(const struct newton *n, double furthest, int64_t *meets);
/* Hold the position at the bound it met; columns that depended on it may now move. */
void bounds_meet(struct newton *n, int64_t position);
/* Release the bound with the most violated multiplier: at the minimum of a face (least = 0), or earlier if the release
 * is worth more than `least`. Returns 0 if there is none. */
int bounds_release(struct newton *n, double least);

/* qr.c: compute the step by an orthogonal factor of W^(1/2) A, for nearly dependent columns. Returns 0 if that does not
 * apply, or if stopped. */
int qr_step(struct newton *n);
/* Whether the basis of qr.c is large: it is rarely needed then, and not taken with the other arrays. */
int qr_is_large(const struct newton *n);

/* ray.c: move along a resting column if F decreases there. Returns 0 if there is none. */
int ray_follow(struct newton *n);

/* refuse.c: whether F is estimated to be above the cutoff; the dual vector and x are then those of the estimate. */
int newton_is_hopeless(struct newton *n);

/* newton.c */
/* The function that the steps decrease: F, or its majoriser for a given rho. */
double newton_merit(const struct newton *n);
/* x += alpha d. The position `meets`, if any, is set exactly to its bound. */
void newton_advance(struct newton *n, double alpha, int64_t meets);
/* Compute F, the residual and the gradient at state->x. */
void newton_measure(struct newton *n);
/* Set up H and its factor for the current support; if has_weights, at the weights for which H was last formed. Returns
 * 0 if stopped. */
int newton_begin(struct newton *n, int has_weights);
/* Take steps from the measured point until F, or its majoriser for the given rho, is minimal. */
enum fit_outcome newton_minimise(struct newton *n, double gap);
/* length.c: minimise with ||r||_2 from state->x */
enum fit_outcome length_minimise(struct newton *n, double gap);

#endif
