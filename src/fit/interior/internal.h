/* What the parts of polish share. */
#ifndef SPGM_METHOD_POLISH_INTERNAL_H
#define SPGM_METHOD_POLISH_INTERNAL_H

#include "method/polish/polish.h"

#define POLISH_GAP 1e-10    /* stop at this relative gap, ...                                */
#define POLISH_ENOUGH 1e-8  /* ... at this one when rounding keeps it from falling, ...      */
#define POLISH_PASSES 4     /* most solves per direction: one, and others for what rounding left */
#define POLISH_MAX_STEPS 60 /* ... or after this many steps                                  */

/* A symmetric positive semidefinite system N z = rhs, solved by a scaled, regularised Cholesky factor and refinement.
 */
struct system {
    double *N;                     /* [size x size] both triangles           */
    double *R;                     /* [size x size] its scaled factor, upper */
    double *scaling;               /* [size] N_jj^{-1/2}                     */
    double *residual, *correction; /* [size]                                 */
    int64_t size;
};

/* The row-wise state of the interior-point methods, [parts x rows] each; rows.c and maximum.c say what is what. */
struct interior {
    double *low, *high, *shift;                  /* rows.c: slopes and offset of each pinball             */
    double *primal, *primal2, *dual, *dual2;     /* the complementary pairs (primal, dual), (primal2, dual2) */
    double *dprimal, *dprimal2, *ddual, *ddual2; /* the direction                                         */
    double *W, *g;                               /* rows.c: du = W (A dz + g)                             */
    double *weight, *image, *scratch;            /* [rows]                                                */
    double theta, dtheta;                        /* maximum.c: the epigraph variable                      */
    double count;                                /* complementary pairs over all rows                     */
    int64_t parts;
};

struct polish {
    const struct problem *problem;
    struct workspace workspace;
    int64_t capacity;
    int (*must_stop)(void *context); /* or NULL */
    void *stop_context;
    double enough, cutoff; /* see polish_set_limits */

    /* the columns at hand */
    int64_t k;
    const int64_t *support;
    double *Q;       /* Hessian of f on the support [k x k]      */
    double *reach;   /* how far a minimiser may be from z, [k]   */
    double *lengths; /* ||a_j|| [k]                              */
    int has_curvature;

    /* a pair (z, u) and what follows from it: polish_evaluate */
    double *z;        /* [capacity]                     */
    double *u;        /* [rows]                         */
    double *x;        /* z in its place [columns]       */
    double *state;    /* of f                           */
    double *r;        /* A z - b [rows]                 */
    double *gradient; /* of f on the support [capacity] */
    double *w;        /* A_S'u + gradient [capacity]    */

    double *best_z; /* [capacity] */
    double best_objective, best_bound;
    double zero_objective; /* |F(0)|: the size of the numbers */
    int64_t steps;

    double *dz;   /* [capacity + 1] */
    double *rhs;  /* [capacity + 1] */
    double *more; /* [capacity + 1] */
    struct system system;
    struct interior interior;
};

/* Evaluate F and the dual bound at (p->z, p->u), keep the best of each, and return the relative gap of the best. */
double polish_evaluate(struct polish *p);
/* What gaps are relative to. */
double polish_size(const struct polish *p);
/* Whether another step is worth its while: the gap is above POLISH_GAP and rounding has not stopped it. */
struct patience {
    double gap; /* the lowest so far      */
    int idle;   /* steps since it halved  */
};
int polish_continue(const struct polish *p, double gap, struct patience *patience);
/* g = A_S'v; v [rows], g [k] */
void polish_transpose(const struct polish *p, const double *v, double *g);
double polish_sum(const struct polish *p, double part); /* over the rows that live elsewhere too */
double polish_max(const struct polish *p, double part);

/* N = Q + A_S' W A_S in the leading k x k block of the system of `size` unknowns; weight NULL: W = 1. */
void system_assemble(struct polish *p, int64_t size, const double *weight, double curvature);
void system_factor(struct system *system);
void system_solve(struct system *system, const double *rhs, double *solution);

/* A primal-dual interior-point method; rows.c and maximum.c give its parts. */
struct interior_ops {
    int64_t unknowns;                /* beyond z */
    void (*start)(struct polish *p); /* from z = 0, evaluated; leaves z, u and the pairs on the central path, nearly */
    /* sum of products of the pairs after a step of these lengths */
    double (*complementarity)(const struct polish *p, double primal, double dual);
    void (*assemble)(struct polish *p);
    /* towards products of size `target`; with the second-order correction of the direction at hand if `correct` */
    void (*direction)(struct polish *p, double target, int correct);
    /* the longest steps that keep the pairs nonnegative */
    void (*lengths)(const struct polish *p, double *primal, double *dual);
    void (*move)(struct polish *p, double primal, double dual);
};

/* The larger of a and b, b where a is no number, and of a and over / under, under > 0: what fmax gives, in line. */
static inline double larger(double a, double b) {
    return a > b ? a : b;
}
static inline double larger_ratio(double a, double over, double under) {
    return over > a * under ? over / under : a;
}

void interior_run(struct polish *p, const struct interior_ops *ops);
/* rhs = -(w + Q dz + A_S'du) */
void polish_dual_residual(struct polish *p, const double *du);
/* Whether rhs is more than the rounding of A_S'u. */
int polish_is_left(const struct polish *p);
/* Solve the system for rhs and add the solution to dz and its image to interior.image. */
void polish_add_solution(struct polish *p);
/* z += argmin over d of f(z + d) + pull'A d + ||A d||^2_W / 2, and evaluate there with u = 0: for a start. */
void interior_newton(struct polish *p, const double *weight, const double *pull);

extern const struct interior_ops interior_rows;    /* sums of pinballs   */
extern const struct interior_ops interior_maximum; /* max_i |r_i|        */
void euclidean_run(struct polish *p);              /* ||r||_2            */
void squares_run(struct polish *p);                /* 1/2 ||r||_2^2      */

#endif
