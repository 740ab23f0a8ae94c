/*
 * The smooth term f(x) = 1/2 sum_j ridge_j x_j^2 + p'x + phi(x).  phi is one of the terms below, or none. A term keeps
 * a state vector (v = C x or v = Q x) that is updated for the columns of x that change, so that a step over few columns
 * costs only these columns. These functions never write to the smooth term and it has no scratch memory, so that
 * several solvers may share one problem.
 *
 * Least squares: C has f->columns columns (framed with the constant 0 under the intercept). Quadratic: Q has the data's
 * columns only, n0 <= f->columns; the columns after them (the intercept) do not enter it, and x = scale * z.
 *
 *     restricted smoothness   Q(x, x') <= M_s/2 ||x - x'||^2              (Assumption 2)
 *     curvature               the block M~_BB with Q(x, x') <= 1/2 ||x - x'||^2_{M~}   (eq. 7); for quadratics it is
 *                             the Hessian
 */
#ifndef SPGM_MODEL_SMOOTH_H
#define SPGM_MODEL_SMOOTH_H

#include <stdint.h>

#include "linalg/linop.h"
#include "linalg/sum.h"

struct smooth;

/* A tangent of phi is determined by a vector v: slope = B'v, where B'B is the Hessian. If v changes by d, the constant
 * falls by at most ||d|| length + ||d||^2 / 2. */
struct smooth_tangent {
    struct number constant;
    double length;
};

struct smooth_term {
    const char *name;
    int64_t (*state_size)(const struct smooth *f);
    void (*reset)(const struct smooth *f, double *state); /* the state at x = 0 */
    void (*refresh)(const struct smooth *f, const double *x, double *state);
    void (*update)(const struct smooth *f, int64_t k, const int64_t *columns, const double *change, double *state);
    double (*value)(const struct smooth *f, const double *x, const double *state); /* phi(x) */
    void (*gradient)(const struct smooth *f, const double *state, double *g);      /* g = grad phi */
    void (*gradient_columns)(const struct smooth *f, const double *state, int64_t k, const int64_t *columns, double *g);
    /* Given up when `stop` (which may be NULL) says so. */
    void (*add_curvature)(const struct smooth *f, int64_t k, const int64_t *columns, double *M, struct stop *stop);
    /* G += (M~)_BC, k x l with leading dimension ld */
    void (*add_cross)(const struct smooth *f, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                      double *G, int64_t ld);
    /* work as in linop_norm for f->C; a stop (NULL: never) leaves a larger upper bound */
    double (*smoothness)(const struct smooth *f, double *work, struct stop *stop);
    /* For proofs: a tangent of phi near z [k], every number with a bound on its error, including that of the scale
     * factors of the frame. phi(x) >= constant + slope'x for every x that is zero outside the k columns. z and the
     * state need not match to the last digit. work [C->rows] */
    struct smooth_tangent (*tangent)(const struct smooth *f, int64_t k, const int64_t *columns, const double *z,
                                     const double *state, double *work, struct number *slope);
    /* phi from v = C x [rows] over the user's data: for the report, independent of all of the above. */
    double (*formula)(int64_t rows, const double *x, const double *v, const double *d);
    int is_framed; /* nonzero: C has the framed columns; zero: the columns of the data, and the term applies f->scale
                      itself */
};

struct smooth {
    int64_t columns;
    double *ridge;                  /* [columns], owned                          */
    double *linear;                 /* [columns] or NULL, owned                  */
    const struct smooth_term *term; /* NULL: none                                */
    struct linop *C;                /* operator of the term (C, or Q), owned     */
    const double *d;                /* its offset, borrowed                      */
    spgm_matrix Q;                  /* quadratic term: the matrix behind C, from which the curvature is read */
    const double *scale;            /* quadratic term: x = scale * z, or NULL    */
};

extern const struct smooth_term smooth_quadratic;     /* 1/2 x'Qx        */
extern const struct smooth_term smooth_least_squares; /* 1/2 ||Cx - d||^2 */

/* The sum of all parts; state [smooth_state_size]. These are what methods call. */
int64_t smooth_state_size(const struct smooth *f);
void smooth_refresh(const struct smooth *f, const double *x, double *state);
/* The same at an x that is zero outside the k columns, where it is z: reads only these columns. */
void smooth_refresh_columns(const struct smooth *f, int64_t k, const int64_t *columns, const double *z, double *state);
void smooth_update(const struct smooth *f, int64_t k, const int64_t *columns, const double *change, double *state);
double smooth_value(const struct smooth *f, const double *x, const double *state);
/* The same for an x that is zero outside the k columns. */
double smooth_value_columns(const struct smooth *f, const double *x, const double *state, int64_t k,
                            const int64_t *columns);
void smooth_gradient(const struct smooth *f, const double *x, const double *state, double *g); /* g = grad f */
void smooth_gradient_columns(const struct smooth *f, const double *x, const double *state, int64_t k,
                             const int64_t *columns, double *g);
void smooth_add_curvature(const struct smooth *f, int64_t k, const int64_t *columns, double *M); /* M += M~_BB, ld k */
/* The same; returns 0 if `stop` ended it early. */
int smooth_add_curvature_until(const struct smooth *f, int64_t k, const int64_t *columns, double *M, struct stop *stop);
/* G += the block of M~ between two disjoint lists of columns, k x l, leading dimension ld */
void smooth_add_cross(const struct smooth *f, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                      double *G, int64_t ld);
double smooth_smoothness(const struct smooth *f, double *work, struct stop *stop); /* M_s */

#endif
