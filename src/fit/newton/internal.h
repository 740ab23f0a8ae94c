/* What the parts of the engine newton share. */
#ifndef SPGM_FIT_NEWTON_INTERNAL_H
#define SPGM_FIT_NEWTON_INTERNAL_H

#include <math.h>

#include "base/memory.h"
#include "fit/constants.h"
#include "fit/engine.h"

/*
 * The normal matrix H = c A_S'W A_S + Q, by position; Q is the curvature of f. W are the weights at which it was last
 * formed: a column that changes costs one row of it, O(rows size). c is 1 but for ||r||_2 (length.c).
 */
struct normal {
    double *product; /* A_S'W A_S [capacity x capacity], ld capacity                                       */
    double *W;       /* [rows]                                                                              */
    int is_plain;    /* every weight is 1                                                                   */
    double *Q;       /* [capacity x capacity], ld size; where f has no term only its diagonal is looked at   */
    double *diagonal;
    double c;
    int64_t *column; /* what a row of `product` belongs to, -1: nothing [capacity]                          */
    double *block;   /* [capacity x capacity] scratch                                                       */
    struct gram_plan plan;
};

/* A factor of H over the columns that may move, updated by a column at a time: R'R = H(order, order). */
struct face {
    int64_t count;
    int64_t *order;       /* positions [capacity]                                                           */
    unsigned char *state; /* of every position: MOVES, RESTS, AT_LOWER, AT_UPPER [capacity]                  */
    double *R;            /* upper triangular, ld capacity                                                   */
    double c;             /* of the normal matrix that was factored                                          */
    double least;         /* the smallest pivot over its diagonal entry so far, 1: none                      */
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
    double rho;         /* length.c: h is replaced by (||r||^2 / rho + rho) / 2 */
    double decrement;   /* g'H^-1 g at the last step                       */
    double cutoff;      /* where a fit may end, x within reach; INFINITY: none */
    double *best;       /* the best x of the steps so far [capacity]       */
    int64_t age;        /* steps since H was formed                        */
    int is_far;         /* H was formed with the wider curvature           */
    int has_weights;    /* H was formed at all                             */
    int is_endless;     /* F falls without end, and x is far out           */
    double *basis;      /* qr.c: an orthonormal basis [(rows + capacity) x capacity] */
    double *late_basis; /* the same where it is large: taken when it is first needed, if ever */
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

/* normal.c: bring `product` up to date, at the weights `w` [rows] if not NULL, else at those it has. 0: stopped. */
int normal_form(struct newton *n, const double *w);
void normal_add_smooth(struct newton *n); /* Q or its diagonal for the support at hand */

/* face.c */
/* Factor H over all positions that are not AT a bound; those that depend on others are left to rest. 0: stopped. */
int face_factor(struct newton *n);
int face_append(struct newton *n, int64_t position);   /* 0: it depends on the others, and rests */
double face_pivot(struct newton *n, int64_t position); /* what the columns that move leave of its diagonal entry */
void face_remove(struct newton *n, int64_t position);
/* d = -H^-1 g over the columns that move, 0 elsewhere. Returns g'H^-1 g. */
double face_step(struct newton *n, const double *g, double *d);
/* d_position = 1, and the columns that move give way: H d = 0 over these. */
void face_give_way(struct newton *n, int64_t position, double *d);

/* bounds.c */
void bounds_clip(struct fit_state *s); /* x within its bounds: a step may leave them by rounding */
void bounds_enter(struct newton *n);   /* x within its bounds, none of which holds it yet        */
void bounds_hold(struct newton *n);    /* those at which x stands and is pulled beyond           */
/* How far the step may go, and which bound it meets first; -1: none. */
double bounds_room(const struct newton *n, double furthest, int64_t *meets);
/* A bound was met: the column is held there, and columns that depended on it may move. */
void bounds_meet(struct newton *n, int64_t position);
/* At the minimum of a face (least 0), or where that is worth more than `least`: the bound whose multiplier is most
 * wrong lets go. 0: none is wrong. */
int bounds_release(struct newton *n, double least);

/* qr.c: the step by an orthogonal factor of W^(1/2) A, for columns that are nearly dependent. 0: it does not apply, or
 * stopped. */
int qr_step(struct newton *n);
int qr_is_large(const struct newton *n); /* its basis, which few fits need, is not taken with the rest */

/* ray.c: along a column that rests, where F falls there. 0: there is no such column. */
int ray_follow(struct newton *n);

/* refuse.c: whether F is above the cutoff, by an estimate; the dual vector is then one that says so, and x its own. */
int newton_is_hopeless(struct newton *n);

/* newton.c */
double newton_merit(const struct newton *n); /* what the steps lower: F, or for a given rho its majoriser */
/* x += alpha d, which is where the bound is that d meets, if any. */
void newton_advance(struct newton *n, double alpha, int64_t meets);
/* F, the residual and the gradient at state->x. */
void newton_measure(struct newton *n);
/* H and its factor for the support at hand, at the weights that H was last formed with if has_weights. 0: stopped. */
int newton_begin(struct newton *n, int has_weights);
/* Steps from the point that was measured until F, or its majoriser for the given rho, is at its minimum. */
enum fit_outcome newton_minimise(struct newton *n, double gap);
/* length.c: ||r||_2 from state->x */
enum fit_outcome length_minimise(struct newton *n, double gap);

#endif
