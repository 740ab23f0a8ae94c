/* What the parts of the certificate share. */
#ifndef SPGM_FIT_CERTIFICATE_INTERNAL_H
#define SPGM_FIT_CERTIFICATE_INTERNAL_H

#include "fit/certificate/certificate.h"
#include "linalg/sum.h"

/*
 * The directions in which u must be exact: columns of A, or combinations of them that are nearly orthogonal. With the
 * rows weighted by t, S = D B't^2 B D is their Gram matrix scaled to unit diagonal, where D is diagonal.
 */
struct directions {
    int64_t count;
    int64_t *columns;      /* by direction: a column of A [capacity]                                       */
    struct number *defect; /* B'u + the other parts of the slopes; it should be zero [capacity] */
    double *gram, *factor; /* S, and its factor [capacity x capacity], ld count                            */
    int has_term;          /* S includes the Hessian of phi: v of its tangent moves, too */
    double *scale;         /* D [capacity]                                                                 */
    double least;          /* a proven lower bound on the singular values of t B D                         */
    int is_block;          /* B is stored in `block`; otherwise its columns are those of A */
    double *block;         /* [rows x capacity], taken when columns are first found to be nearly dependent */
    double *C;             /* B = A C, C upper triangular [capacity x capacity], taken with the block */
    /* per direction: ||t dB||, and |u|'|dB|, where dB is the rounding error of B [capacity each] */
    double *blur, *hidden;
    int64_t *kept;       /* the pins that the directions are made of [capacity]                          */
    double *work, *more; /* [capacity]                                                                    */
};

struct certificate {
    struct fit_state *fit;
    struct workspace workspace;
    int is_short;       /* there was no memory for the block of directions.c */
    double rows, parts; /* summed over all processes: the rows, and the number of parts */
    double term_rows;   /* rows of the operator of phi, summed over all processes */

    double *u, *from;          /* [rows] the dual vector, and the point at which its room was measured */
    double *room, *steep;      /* [rows] see conjugate_above in model/loss.h                      */
    double *weight;            /* [rows] t^2, t = room / roominess <= 1                           */
    double *column, *scratch;  /* [rows]                                                          */
    unsigned char *is_clear;   /* u must stay zero in this row [rows] */
    double roominess;          /* the largest room                                                */
    double spread;             /* || t (|b| + steep) ||, rounded up                               */
    double conjugate;          /* an upper bound on h*(u) */
    double *state, *term_work; /* of the smooth term of f [its state size], [its rows] */
    double *at;                /* the point of its tangent [capacity] */

    struct smooth_tangent tangent; /* of phi                                                         */
    struct number *smooth;         /* its slopes and those of the linear part [capacity]              */
    struct number *slope;          /* `smooth` + A_S'u [capacity] */
    long double *target;           /* the negative slope that x requires: ridge_j x_j [capacity] */
    double *reach;                 /* || t a_j ||, rounded up [capacity]                              */
    unsigned char *is_pinned;      /* the slope of the column must equal -target exactly [capacity] */
    int64_t *pins;                 /* the pinned positions [capacity] */
    int64_t pin_count;
    struct directions directions;
};

/*
 * An upper bound, relative to the sum of the absolute terms, on the rounding error of a sum of n operations in doubles.
 */
static inline double rounding_of(double n) {
    return 1.1 * n * DBL_EPSILON;
}

/* The tangent of phi at `at` and `state`, and the slopes of f without the ridge. */
void certificate_touch(struct certificate *c);

/* The directions of the pinned columns, with `least` proven. Returns 0 if the columns are too nearly dependent, or
 * stopped. */
int directions_by_columns(struct certificate *c);
int directions_by_basis(struct certificate *c);
/* The same without a proof, with a matrix that is shifted until it has a factor: used only to correct u. */
int directions_by_force(struct certificate *c);
/* The defects of the current u. */
void directions_measure(struct certificate *c);
/* An upper bound on ||q|| of the exact correction t q (of v: q) that makes the defects vanish. */
double directions_length(const struct certificate *c);
/* u -= t^2 B (B't^2 B)^-1 defects, up to rounding; and the same for v. */
void directions_correct(struct certificate *c);

#endif
