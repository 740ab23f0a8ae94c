/*
 * The quadratic of linalg/swap.h in single precision, over many more columns: all of them are candidates at every
 * exchange, which costs about 8 |I| columns operations of four bytes in rows that lie one after the other. For ranking
 * only: it is begun anew every hundred exchanges or so from what was computed in double precision, and what it finds is
 * fitted.
 *
 * Columns have unit length: H_cc = 1, and H holds what is not on the diagonal. The columns that are in have places
 * among the others; their schur is infinite.
 */
#ifndef SPGM_LINALG_TABLEAU_H
#define SPGM_LINALG_TABLEAU_H

#include <stdint.h>

#include "base/memory.h"

struct tableau {
    int64_t inside, columns, width; /* width: columns, rounded up                    */
    const float *H;                 /* products with all columns by place, rows `ld` apart     */
    int64_t ld;
    int64_t *in;   /* places of the columns that are in [inside]              */
    int64_t *row;  /* where their products stand in H [inside]                */
    double *M, *x; /* H_II^-1 [inside x inside], and the minimiser [inside]   */
    float *V;      /* H_II^-1 H_I. [inside x pitch]                           */
    int64_t pitch;
    float *schur, *pull;                  /* [width]                                                 */
    float *step, *inverse, *top, *bottom; /* of prices [width]                       */
    float *which;
    float *t, *back;            /* of the exchange that V has not followed yet [width]     */
    float *v, *m;               /* the same [inside]                                       */
    float *price_x, *room;      /* [inside]                                               */
    double *entering, *leaving; /* scratch [inside]                                  */
    double value;               /* the minimum, less that at the start                     */
    int64_t out;                /* the place that the last exchange left, -1: none         */
};

/* Memory for so many columns inside and in all. */
void tableau_take(struct tableau *t, int64_t inside, int64_t columns, struct workspace *workspace);
/* `in`, `row`, M and x are given, and the pulls g - H x of all columns [columns], with `columns`, `inside`, H, ld. */
void tableau_begin(struct tableau *t, const double *pull);
/* What every exchange changes the minimum by; row i may not leave where stays[i]. */
void tableau_price(struct tableau *t, const unsigned char *stays);
/* The change where column c, which is not in, takes the place of its best row; after tableau_price. */
double tableau_change(const struct tableau *t, int64_t c);
/* Column c, whose products are row `row` of H, enters for row j. Prices are old until the next tableau_price. */
void tableau_turn(struct tableau *t, int64_t j, int64_t c, int64_t row);

#endif
