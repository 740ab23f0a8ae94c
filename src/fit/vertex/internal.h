/* What the parts of the vertex engine share. */
#ifndef SPGM_FIT_VERTEX_INTERNAL_H
#define SPGM_FIT_VERTEX_INTERNAL_H

#include "fit/engine.h"

/*
 * Columns are scaled by scale_j = 1/sqrt(H_j), H_j = max(ridge_j, a tiny proximal weight), so that the quadratic part
 * is 1/2 ||x - centre||^2 and the minimiser on a face of interpolated rows is a projection.
 */
struct products {
    /* [rows x capacity] row-major, scaled columns, followed by unit rows for x_j if x has bounds. NULL if that is too
     * large: A itself is then read, a row into `row` [capacity], and products use `scaled` [capacity] in between. */
    double *At;
    double *short_columns; /* the same columns [capacity x rows] if the rows are short or few: products go through them;
                              or NULL */
    double *row, *scaled;
    double *dense;             /* [rows] one gathered column                            */
    double *ridge, *H, *scale; /* [capacity]                                            */
    double *norm;              /* ||a_j|| [capacity]                                    */
    int lists;                 /* columns are also kept as lists of nonzeros            */
    int sparse;                /* products go through the lists                         */
    int32_t *list_row;         /* [capacity x rows]                                     */
    double *list_value;        /* [capacity x rows]                                     */
    int64_t *list_size;        /* [capacity]                                            */
};

/*
 * A kink is a point at which the loss of a row bends: slope -down left of it, +up right of it, at A_i x = place. A row
 * with a dead zone has two kinks. A bound on x_j is a kink of the unit row `rows + j` whose slope on the infeasible
 * side is an exact penalty: no minimiser can afford it. The kink of a missing bound is infinitely far away.
 */
struct kinks {
    int64_t count;
    int64_t of_rows;           /* number of kinks of rows; those of bounds follow, two for each position */
    int64_t *row;              /* [count]                                        */
    double *place, *up, *down; /* [count]                                        */
    double *kept_place;        /* the unperturbed places while the kinks are perturbed [of_rows] */
    double *offset;            /* A_i x - place [count]                          */
    signed char *side;         /* -1, +1, or 0 when interpolated [count]         */
};

/* A_Z' = Q [R; 0] */
struct factor {
    double *Q, *R;       /* [(capacity + 2)^2] each, ld size */
    double *householder; /* [capacity + 2]                   */
};

/* Z: the interpolated kinks; for linf the rows at the level of the maximum. */
struct active_set {
    int64_t count;
    int64_t *Z;                /* [capacity + 2]                   */
    signed char *sign;         /* linf: of each row [capacity + 2] */
    double *multiplier, *rate; /* [capacity + 2]                   */
};

/* The line search: the direction, and the breakpoints along it. */
struct line {
    double *direction;             /* [capacity + 2]                 */
    double *image;                 /* A direction [rows]             */
    double *break_at, *break_jump; /* [kinks or rows + capacity + 2] */
    int64_t *order;                /* [kinks or rows + capacity + 2] */
};

/* Reference sizes for tolerances. */
struct target {
    double largest, length; /* of b                    */
    double unit;            /* of the proximal weight  */
};

struct vertex {
    struct fit_state *fit;
    struct workspace workspace;
    int64_t rows;
    struct products products;
    struct kinks kinks;
    struct factor factor;
    struct active_set set;
    struct line line;
    struct target target;
    int is_bounded;             /* x has bounds                                               */
    double *x, *start;          /* scaled: the current x, and the x at which the pivots began [capacity + 2] */
    double *centre, *g, *v, *y; /* [capacity + 2]                                             */
    double *work;               /* [max(rows, capacity + 2)]                                  */
};

/* Row i, scaled; valid until the next call. */
const double *vertex_row(const struct vertex *p, int64_t i);

void vertex_multiply(const struct vertex *p, const double *v, double *out);  /* out [rows] = A v  */
void vertex_image(const struct vertex *p, const double *v, double *out);     /* the same, followed by the unit rows */
void vertex_transpose(const struct vertex *p, const double *v, double *out); /* out [size] = A' v */

/* The factor Q, R of the active normals. */
void factor_reset(struct vertex *p);
/* Append the normal a [size] as column `count`; returns 0 if it depends on the others within `tolerance`. */
int factor_append(struct vertex *p, int64_t count, const double *a, double tolerance);
int factor_extend(struct vertex *p, int64_t count, double tolerance); /* the same if p->v already is Q'a */
void factor_delete(struct vertex *p, int64_t count, int64_t j);
void factor_project(const struct vertex *p, const double *g, double *v); /* v = Q' g    */
void factor_solve(const struct vertex *p, int64_t count, double *v);     /* v = R^-1 v  */
void factor_solve_transposed(const struct vertex *p, int64_t count, double *v);

/* Compute x, r and F of the fit from the scaled x. */
void vertex_evaluate(struct vertex *p);
/* D(u) for u = p->fit->dual in dom h*; `linear` is the part of D without columns. */
double vertex_dual_value(struct vertex *p, double linear);
/* A lower bound on F over the x within the reach of the fit, which must be set: `value` is u'(A x - b) - h*(u) at p->x,
 * and e [size] is A'u, scaled. */
double vertex_value_within(const struct vertex *p, double value, const double *e);
/* Move the proximal centre to x, for the columns whose ridge is below H. */
void vertex_set_centre(struct vertex *p);
/* Returns nonzero to stop. Asked once per pivot, which costs a pass over the rows and an update of the factor. */
int vertex_must_stop(struct vertex *p);
int vertex_is_proximal(const struct vertex *p);
/* The `want` entries of order[0..count) with the smallest keys to the front, ascending. */
void vertex_smallest(const double *keys, int64_t *order, int64_t count, int64_t want);

/* Whether F is above the cutoff wherever x is within reach, by the dual vector that is then in the fit. Offsets must be
 * measured at p->x = p->start, where x is left. */
int separable_refuse(struct vertex *p, double cutoff);
/* From p->x. */
enum fit_outcome separable_solve(struct vertex *p, double cutoff);
/* From p->x, and the rows and signs in p->line.order, p->set.sign of which there are `count`. */
enum fit_outcome maximum_solve(struct vertex *p, int64_t count, const int64_t *rows, const signed char *signs,
                               double cutoff);
/* The `want` rows with the largest |residual| into p->line.order and their signs into signs. */
void maximum_rows(struct vertex *p, int64_t want, signed char *signs);

#endif
