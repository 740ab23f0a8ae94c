/* What the parts of a certificate share. */
#ifndef SPGM_FIT_CERTIFICATE_INTERNAL_H
#define SPGM_FIT_CERTIFICATE_INTERNAL_H

#include "fit/certificate/certificate.h"
#include "linalg/sum.h"

/*
 * The directions in which u must be right to the last digit: columns of A, or combinations of them that are nearly
 * orthogonal. With the rows weighted by t, S = D B't^2 B D is their Gram matrix at unit diagonal, D the scales.
 */
struct directions {
    int64_t count;
    int64_t *columns;      /* by direction: a column of A [capacity]                                       */
    struct number *defect; /* B'u + what else the slopes have: it should be zero [capacity]                */
    double *gram, *factor; /* S, and its factor [capacity x capacity], ld count                            */
    int has_term;          /* the Hessian of phi is in S: v of its tangent moves, too                      */
    double *scale;         /* D [capacity]                                                                 */
    double least;          /* a proven lower bound on the singular values of t B D                         */
    int is_block;          /* B is in `block`; else its columns are those of A                             */
    double *block;         /* [rows x capacity], taken when columns first turn out to be nearly dependent   */
    double *C;             /* B = A C, upper triangular [capacity x capacity], with the block              */
    double *blur, *hidden; /* of a direction: ||t dB||, and |u|'|dB|, dB the rounding of B [capacity each]  */
    int64_t *kept;         /* the pins that the directions are made of [capacity]                          */
    double *work, *more;   /* [capacity]                                                                    */
};

struct certificate {
    struct fit_state *fit;
    struct workspace workspace;
    int is_short;       /* of memory for the block of directions.c */
    double rows, parts; /* over all parts, and how many of them */
    double term_rows;   /* of the operator of phi, over all parts */

    double *u, *from;          /* [rows] the dual vector, and where its room was measured         */
    double *room, *steep;      /* [rows] see conjugate_above in model/loss.h                      */
    double *weight;            /* [rows] t^2, t = room / roominess <= 1                           */
    double *column, *scratch;  /* [rows]                                                          */
    unsigned char *is_clear;   /* u must stay zero there [rows]                                   */
    double roominess;          /* the largest room                                                */
    double spread;             /* || t (|b| + steep) ||, rounded up                               */
    double conjugate;          /* at least h*(u)                                                  */
    double *state, *term_work; /* of the term of f [its state size], [its rows]                   */
    double *at;                /* where its tangent is taken [capacity]                           */

    struct smooth_tangent tangent; /* of phi                                                         */
    struct number *smooth;         /* its slopes and those of the linear part [capacity]              */
    struct number *slope;          /* the same + A_S'u [capacity]                                     */
    long double *target;           /* minus the slope that x asks for: ridge_j x_j [capacity]         */
    double *reach;                 /* || t a_j ||, rounded up [capacity]                              */
    unsigned char *is_pinned;      /* the slope of the column must be -target to the last digit [capacity] */
    int64_t *pins;                 /* those positions [capacity]                                      */
    int64_t pin_count;
    struct directions directions;
};

/* n operations with doubles change a sum by this part of the sum of the sizes of its terms, at most. */
static inline double rounding_of(double n) {
    return 1.1 * n * DBL_EPSILON;
}

/* The tangent of phi from `at` and `state`, and the slopes of f but for the ridge. */
void certificate_touch(struct certificate *c);

/* The directions of the pins, with `least` proven. 0: the columns are too nearly dependent, or stopped. */
int directions_by_columns(struct certificate *c);
int directions_by_basis(struct certificate *c);
/* The same without a proof, and with a factor that is regular by force: to correct u by. */
int directions_by_force(struct certificate *c);
/* The defects of the u at hand. */
void directions_measure(struct certificate *c);
/* ||q|| of the exact correction t q (of v: q) that makes the defects vanish, at most. */
double directions_length(const struct certificate *c);
/* u -= t^2 B (B't^2 B)^-1 defects, as rounding allows; and the same for v. */
void directions_correct(struct certificate *c);

#endif
