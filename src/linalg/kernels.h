/*
 * The inner loops that are worth a choice by processor. The same text (kernels_body.h) is compiled once per level.
 *
 * Matrices are column-major; column j is at a + j * ld. `columns` lists the columns to use; NULL stands for 0, 1, 2,
 * ... Within one level a column's sum has the same order in every grouping, so that one column alone gives the same
 * bits as the same column among many; for products as long as the number of columns on the left is the same.
 */
#ifndef SPGM_LINALG_KERNELS_H
#define SPGM_LINALG_KERNELS_H

#include <stdint.h>

#include "base/processor.h"

/* Columns of a matrix: those listed, or 0, 1, 2, ... if the list is NULL. */
struct columns {
    const double *values;
    int64_t ld;
    const int64_t *list;
};

/* Two kinks in every row, at -dead_i and dead_i; the slopes are -down_i, 0 and up_i. */
struct bends {
    const double *up, *down, *dead;
    int are_same; /* all rows have the slopes of the first row */
};

/*
 * A tableau in single precision (linalg/tableau.h) as two of its columns change places, and the lowest price of each
 * column. Rows of V are `ld` apart. With V_i - v_i t - m_i back in the place of V_i and step = pull / schur, `change`
 * is the lowest of (x_i - step V_i)^2 / (room_i + V_i^2 / schur) over the rows i, less pull step, by column, and
 * `which` is its row. It is infinite where every x_i is, and where schur is, or is not above `least`.
 */
struct turned {
    float *V;
    int64_t ld;
    const float *v, *m, *x, *room;        /* by row    */
    const float *t, *back, *schur, *pull; /* by column */
    float least;
    float *change, *which;
};

/*
 * The same, before: what is left of the columns and pulls at them (schur, pull) follows the exchange. With t the column
 * that enters, less what the others have of it, and back the row that leaves: along = inverse t and (back - v along)
 * part take their places, of which schur and pull have back^2 room - t along and x back - enters along more.
 */
struct pulled {
    float *t, *back, *schur, *pull; /* by column */
    float inverse, v, part, room, x, enters;
};

enum { SINGLES = 32 }; /* arrays of single precision are padded to a multiple of this */

struct kernels {
    double (*dot)(int64_t n, const double *x, const double *y);
    double (*sum_squares)(int64_t n, const double *x);
    double (*weighted_square)(int64_t n, const double *w, const double *x); /* sum w_i x_i^2 */
    double (*norm1)(int64_t n, const double *x);
    double (*largest)(int64_t n, const double *x); /* max |x_i|; NaN if any entry is */
    /* max |x_i + a y_i|, ignoring NaN, 0 if there is none; *rise: the steepest slope in a among the largest entries,
     * -INFINITY if there is none */
    double (*peak)(int64_t n, const double *x, double a, const double *y, double *rise);
    /* sum up_i (e_i - dead_i)+ + down_i (-e_i - dead_i)+ at e = x + a y, NaN if any term is; *rise: its slope in a,
     * where terms on a kink count as 0 */
    double (*bend)(int64_t n, const double *x, double a, const double *y, struct bends bends, double *rise);
    void (*scale)(int64_t n, double a, double *x);
    /* g_i = a_{columns_i}' u                                                     g [k] */
    void (*dot_columns)(int64_t m, int64_t k, const int64_t *columns, const double *a, int64_t ld, const double *u,
                        double *g);
    /* y += sum_i z_i a_{columns_i}, added one after the other                     y [m] */
    void (*add_columns)(int64_t m, int64_t k, const int64_t *columns, const double *a, int64_t ld, const double *z,
                        double *y);
    /* G(i, j) += factor sum_r left(r, i) w_r right(r, j) for i < k, j < l; w may be NULL. Entries with i < lowest + j
     * may be left alone (the strict upper triangle for lowest = 0; lowest = -l: none).    G [k x l], ld ldg */
    void (*add_products)(int64_t m, double factor, const double *w, int64_t k, struct columns left, int64_t l,
                         struct columns right, int64_t lowest, double *G, int64_t ldg);
    /* The same up to rounding, by copying the left columns first: two to three times as fast if there are ten or twenty
     * of them and many right columns, slower if there are few. add_products uses it for many left columns. */
    void (*add_panels)(int64_t m, double factor, const double *w, int64_t k, struct columns left, int64_t l,
                       struct columns right, int64_t lowest, double *G, int64_t ldg);
    /* C += factor A B                                              C [m x n], A [m x k], B [k x n] */
    void (*multiply)(int64_t m, int64_t n, int64_t k, double factor, const double *A, int64_t lda, const double *B,
                     int64_t ldb, double *C, int64_t ldc);
    /* A += factor x y'                                                                   A [m x n] */
    void (*rank_one)(int64_t m, int64_t n, double factor, const double *x, const double *y, double *A, int64_t ld);
    /* A += p x y' + q u w'                                                               A [m x n] */
    void (*rank_two)(int64_t m, int64_t n, double p, const double *x, const double *y, double q, const double *u,
                     const double *w, double *A, int64_t ld);
    /* value_i = (x_i - step v_i)^2 / (room_i + inverse v_i^2); returns the lowest, INFINITY for n = 0. Room and inverse
     * are nonnegative.                                                                value [n] */
    double (*ratios)(int64_t n, const double *x, double step, const double *v, const double *room, double inverse,
                     double *value);
    /* sum over i of (depth - (largest - |x_i|))+, and *count, how many of these are above 0 */
    double (*excess)(int64_t n, const double *x, double largest, double depth, double *count);
    /* y_i = log x_i to a unit of the last digit, x_i > 0 and not subnormal                   y [n] */
    void (*logarithms)(int64_t n, const double *x, double *y);
    /* value_i = log(1 + e^-t_i) and miss_i = 1 / (1 + e^t_i)                                 [n] each */
    void (*soft)(int64_t n, const double *t, double *value, double *miss);
    /*
     * Approximate argmin over y of kappa_i log(1 + e^-t(y)) + (y - c_i)^2 / 2, t(y) = label_i y + 1, by a few steps of
     * Halley's method. If over_i is not at most 0, entry i has not converged. kappa <= 100, |c| <= 500.   [n] each
     */
    void (*soft_prox)(int64_t n, const double *label, const double *kappa, const double *c, double *y, double *over);
    /* y_o = sum_i z_io row_{list_i} for `count` y, in single precision; rows are ld apart, z [k x count], y_o [n], n a
     * multiple of SINGLES */
    void (*combine_rows)(int64_t n, int64_t k, int64_t count, const float *rows, int64_t ld, const int64_t *list,
                         const float *z, float *const *y);
    void (*turn_pulls)(int64_t n, const struct pulled *pulled);
    void (*turn_and_price)(int64_t n, int64_t k,
                           const struct turned *turned); /* n columns, a multiple of SINGLES, and k rows */
};

extern const struct kernels kernels_baseline, kernels_avx2, kernels_avx512; /* the last two on x86-64 only */

/* The kernels of a level, and those that are best for this processor. */
const struct kernels *kernels_at(enum processor_level level);
const struct kernels *kernels_best(void);

#endif
