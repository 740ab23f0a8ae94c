/* What the parts of a refit share. */
#ifndef SPGM_SEARCH_REFIT_INTERNAL_H
#define SPGM_SEARCH_REFIT_INTERNAL_H

#include "search/refit/refit.h"

/*
 * Columns are scaled by scale_j = 1/sqrt(H_j), H_j = max(ridge_j, a tiny proximal weight), so that the quadratic part
 * is 1/2 ||x - centre||^2 and the minimiser on a face of interpolated rows is a projection.
 *
 * A kink is a point where the loss of a row bends: slope -down left of it, +up right of it, at A_i x = place. A row
 * with a dead zone has two.
 */
struct refit {
    const struct problem *problem;
    struct workspace workspace;
    struct polish *polish;
    int64_t rows, capacity, size;
    int (*must_stop)(void *context); /* or NULL */
    void *stop_context;

    double *At;                /* [rows x capacity] row-major, scaled columns           */
    int64_t *columns;          /* [capacity] which column of A stands where             */
    double *dense;             /* [rows] one gathered column                            */
    double *ridge, *H, *scale; /* [capacity]                                            */
    double *norm;              /* ||a_j|| [capacity]                                    */
    int lists;                 /* columns are also kept as lists of nonzeros            */
    int sparse;                /* products go through the lists                         */
    int32_t *list_row;         /* [capacity x rows]                                     */
    double *list_value;        /* [capacity x rows]                                     */
    int64_t *list_size;        /* [capacity]                                            */

    int64_t kinks;
    int64_t *kink_row;         /* [kinks]                                        */
    double *place, *up, *down; /* [kinks]                                        */
    double *offset;            /* A_i x - place [kinks]                          */
    signed char *side;         /* -1, +1, or 0 when interpolated [kinks]         */

    double *x, *x_out;                      /* scaled and not [capacity]                      */
    double *centre, *g, *v, *y, *direction; /* [capacity + 2]                        */
    double *image;                          /* A direction [rows]                             */
    double *Q, *R;                          /* A_Z' = Q [R; 0], [capacity x capacity] each, ld size */
    double *householder;                    /* [capacity]                                     */
    int64_t active;                         /* |Z|                                            */
    int64_t *Z;                             /* kinks or (linf) rows [capacity + 2]            */
    signed char *sign;                      /* linf: of each row [capacity + 2]               */
    double *multiplier, *rate;              /* [capacity + 2]                                 */
    double *break_at, *break_jump;          /* [kinks + capacity + 2]                         */
    int64_t *order;                         /* [kinks + capacity + 2]                         */

    double *residual, *dual;      /* [rows]                                         */
    double *work;                 /* [max(rows, capacity)]                          */
    double *full_x;               /* [columns of A]                                 */
    int64_t out_count, *out_rows; /* active rows of the last solve                  */
    signed char *out_signs;
    double objective, bound, zero_objective, b_max, b_length;
    double unit; /* of the proximal weight                         */
    int64_t pivots;
};

static inline const double *refit_row(const struct refit *p, int64_t i) {
    return p->At + i * p->capacity;
}

void refit_multiply(const struct refit *p, const double *v, double *out);  /* out [rows] = A v  */
void refit_transpose(const struct refit *p, const double *v, double *out); /* out [size] = A' v */

/* Q, R of the active normals. */
void factor_reset(struct refit *p);
/* Append the normal a [size] as column `count`; 0 when it depends on the others within `tolerance`. */
int factor_append(struct refit *p, int64_t count, const double *a, double tolerance);
void factor_delete(struct refit *p, int64_t count, int64_t j);
void factor_project(const struct refit *p, const double *g, double *v); /* v = Q' g    */
void factor_solve(const struct refit *p, int64_t count, double *v);     /* v = R^-1 v  */
void factor_solve_transposed(const struct refit *p, int64_t count, double *v);

/* r and F from the scaled x; x_out. */
void refit_evaluate(struct refit *p);
/* D(u) for u = p->dual in the domain of h*; `linear` is the part without columns. */
double refit_dual_value(struct refit *p, double linear);
/* Move the proximal centre to x, for the columns whose ridge is below H. */
void refit_set_centre(struct refit *p);
int refit_must_stop(const struct refit *p);
int refit_is_proximal(const struct refit *p);
int refit_is_good(const struct refit *p);
/* The `want` entries of order[0..count) with the smallest keys to the front, ascending. */
void refit_smallest(const double *keys, int64_t *order, int64_t count, int64_t want);

/* From p->x. */
enum refit_outcome separable_solve(struct refit *p);
/* From p->x, and the rows and signs in p->order, p->sign of which there are `count`. */
enum refit_outcome maximum_solve(struct refit *p, int64_t count, const int64_t *rows, const signed char *signs,
                                 double cutoff);
/* The `want` rows with the largest |residual| into p->order and their signs into signs. */
void maximum_rows(struct refit *p, int64_t want, signed char *signs);

#endif
