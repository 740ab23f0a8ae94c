/* What the parts of the interior-point engine share. */
#ifndef SPGM_FIT_INTERIOR_INTERNAL_H
#define SPGM_FIT_INTERIOR_INTERNAL_H

#include "fit/constants.h"
#include "fit/engine.h"

/* A symmetric positive semidefinite system N z = rhs, solved by a scaled, regularised Cholesky factor with iterative
 * refinement. */
struct system {
    double *N;                     /* [size x size] both triangles           */
    double *R;                     /* [size x size] its scaled factor, upper */
    double *scaling;               /* [size] N_jj^{-1/2}                     */
    double *residual, *correction; /* [size]                                 */
    int64_t size;
    struct gram_plan plan; /* of the support */
    struct stop *stop;
};

/* The state of the interior-point methods by row, [parts x rows] each; rows.c and maximum.c define each array. */
struct pairs {
    double *low, *high, *shift;                  /* rows.c: slopes and offset of each pinball             */
    double *primal, *primal2, *dual, *dual2;     /* the complementary pairs (primal, dual), (primal2, dual2) */
    double *dprimal, *dprimal2, *ddual, *ddual2; /* the direction                                         */
    double *W, *g;                               /* rows.c: du = W (A dz + g)                             */
    double *weight, *image, *scratch;            /* [rows]                                                */
    double theta, dtheta;                        /* maximum.c: the epigraph variable                      */
    double count;                                /* number of complementary pairs over all rows */
    int64_t parts;
};

/* Bounds on z, [capacity] each; walls.c defines each array. None of them is read if is_there is zero. */
struct walls {
    double *low, *high;
    double *below, *above;        /* z - low, high - z                                     */
    double *low_dual, *high_dual; /* their dual variables, 0 where there is no bound */
    double *dlow, *dhigh;         /* the direction of these                                */
    double *wish_low, *wish_high; /* the target changes of the products */
    unsigned char *is_held;       /* low = high = 0                                        */
    double count;                 /* complementary pairs                                   */
    int is_there;
};

struct interior {
    struct fit_state *fit;
    const struct problem *problem; /* the problem of the fit */
    struct workspace workspace;
    double enough, cutoff; /* as in fit_rough             */
    int is_cut;            /* F was found to be above the cutoff */

    /* the columns of the support */
    int64_t k;
    const int64_t *support;
    const struct linop *A; /* the operator that the columns of the support are read from, ... */
    const int64_t *places; /* ... and their positions in it [k] */
    double *Q;             /* Hessian of f on the support [k x k]      */
    double *reach;         /* assumed distance of a minimiser from z [k] */
    double *lengths;       /* ||a_j|| [k]                              */
    double *pull;          /* |grad f| at z = 0 [k]                    */
    int has_curvature;

    /* a pair (z, u) and the values that interior_evaluate computes from it */
    double *z;        /* [capacity]                     */
    double *u;        /* [rows]                         */
    double *r;        /* A z - b [rows]                 */
    double *gradient; /* of f on the support [capacity] */
    double *w;        /* A_S'u + gradient [capacity]    */

    double *best_z; /* [capacity] */
    double *best_u; /* the u of the best bound [rows] */
    double best_objective, best_bound;
    int is_best; /* z is best_z */
    int64_t steps;

    double *dz;   /* [capacity + 1] */
    double *rhs;  /* [capacity + 1] */
    double *more; /* [capacity + 1] */
    struct system system;
    struct pairs pairs;
    struct walls walls;
};

/* Evaluate F and the dual bound at (p->z, p->u), keep the best of each, and return the relative gap of the best. */
double interior_evaluate(struct interior *p);
/* The size that gaps are relative to. */
double interior_size(const struct interior *p);
/* Whether another step is worthwhile: the gap is above INTERIOR_GAP and rounding has not stopped its decrease. */
struct patience {
    double gap; /* the lowest so far      */
    int idle;   /* steps since it last halved */
};
int interior_continue(struct interior *p, double gap, struct patience *patience);
/* g = A_S'v; v [rows], g [k] */
void interior_transpose(const struct interior *p, const double *v, double *g);
double interior_sum(const struct interior *p, double part); /* over the rows of all processes */
double interior_max(const struct interior *p, double part);

/* N = Q + A_S' W A_S in the leading k x k block of the system of `size` unknowns; weight NULL: W = 1. 0: stopped. */
int system_assemble(struct interior *p, int64_t size, const double *weight, double curvature);
int system_factor(struct system *system); /* 0: stopped */
void system_solve(struct system *system, const double *rhs, double *solution);

/* A primal-dual interior-point method; rows.c and maximum.c give its parts. */
struct mehrotra_ops {
    int64_t unknowns; /* beyond z */
    /* from z = 0, evaluated; leaves z, u and the pairs near the central path, or incomplete after a stop */
    void (*start)(struct interior *p);
    /* the sum of the products of the pairs after a step of these lengths */
    double (*complementarity)(const struct interior *p, double primal, double dual);
    int (*assemble)(struct interior *p); /* 0: stopped */
    /* towards products of size `target`; with the second-order correction of the current direction if `correct` */
    void (*direction)(struct interior *p, double target, int correct);
    /* the longest steps that keep the pairs nonnegative */
    void (*lengths)(const struct interior *p, double *primal, double *dual);
    void (*move)(struct interior *p, double primal, double dual);
};

/* The larger of a and b, b if a is NaN; and of a and over / under, under > 0. Equal to fmax, but inlined. */
static inline double larger(double a, double b) {
    return a > b ? a : b;
}
static inline double larger_ratio(double a, double over, double under) {
    return over > a * under ? over / under : a;
}

void mehrotra_run(struct interior *p, const struct mehrotra_ops *ops);
/* rhs = -(w + Q dz + A_S'du) */
void interior_dual_residual(struct interior *p, const double *du);
/* Whether rhs exceeds the rounding of A_S'u. */
int interior_is_left(const struct interior *p);
/* Solve the system for rhs; add the solution to dz and its image to pairs.image. */
void interior_add_solution(struct interior *p);
/* For a start: z += argmin over d of f(z + d) + pull'A d + ||A d||^2_W / 2, then evaluate at z with u = 0. It first
 * asks whether to stop, and then does nothing. */
void mehrotra_newton(struct interior *p, const double *weight, const double *pull);

/* walls.c */
void walls_load(struct interior *p); /* read the bounds of the current support */
/* From z_j to the bound in this direction. */
double walls_distance(const struct interior *p, int64_t j, double direction);
void walls_enter(struct interior *p);             /* move z strictly inside its bounds */
void walls_centre(struct interior *p, double mu); /* set all products to mu */
/* Add their diagonal terms, and unit rows for fixed columns. */
void walls_close_system(struct interior *p, int has_duals);
void walls_wish(struct interior *p, double target, int correct); /* set the target products, before a direction ... */
void walls_add_residual(struct interior *p); /* ... add their terms to the dual equations there ... */
void walls_direct(struct interior *p);       /* ... and, after it, compute the direction of the duals */
double walls_complementarity(const struct interior *p, double primal, double dual);
/* Shorten steps that would leave the bounds. */
void walls_lengths(const struct interior *p, double *primal, double *dual);
void walls_move(struct interior *p, double primal, double dual);
/* Move z_j to a bound if it is closer to the bound than its dual is to zero; `length` is that of u. */
void walls_lean(struct interior *p, double length);

extern const struct mehrotra_ops mehrotra_rows;    /* sums of pinballs   */
extern const struct mehrotra_ops mehrotra_maximum; /* max_i |r_i|        */

#endif
