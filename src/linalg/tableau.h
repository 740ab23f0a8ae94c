/*
 * The quadratic of linalg/swap.h in single precision, over many more columns: all of them are candidates at every
 * exchange, each for the TABLEAU_ROWS columns that are cheapest to leave out. An exchange costs about 2 |I| columns
 * operations of four bytes in rows that lie one after the other. For ranking only: it is begun anew every hundred
 * exchanges or so from what was computed in double precision, and what it finds is fitted.
 *
 * Columns have unit length: H_cc = 1, and H holds what is not on the diagonal. The columns that are in have places
 * among the others; their schur is infinite.
 */
#ifndef SPGM_LINALG_TABLEAU_H
#define SPGM_LINALG_TABLEAU_H

#include <stdint.h>

#include "base/memory.h"

/* On random-256-1024 with 30 and 90 columns in, the best of all exchanges leaves out one of the five cheapest in 99.7 %
 * of the steps, and one of the ten cheapest in all. */
enum { TABLEAU_ROWS = 8 };

/* An exchange that prices have not followed yet. */
struct tableau_exchange {
    int64_t enters, leaves;           /* places; -1: there is none */
    int64_t left_row;                 /* where the products of the column that left stand */
    double inverse, pull, v, room, x; /* of linalg/swap.c          */
    double *entering, *leaving;       /* [inside]                  */
};

struct tableau {
    int64_t inside, columns, width; /* width: columns, rounded up                    */
    const float *H;                 /* products with all columns by place, rows `ld` apart     */
    int64_t ld;
    int64_t *in;                  /* places of the columns that are in [inside]              */
    int64_t *row;                 /* where their products stand in H [inside]                */
    double *M, *x;                /* H_II^-1 [inside x inside], and the minimiser [inside]   */
    float *V;                     /* the rows of H_II^-1 H_I. that are priced [TABLEAU_ROWS x pitch] */
    int64_t priced[TABLEAU_ROWS]; /* which ones, -1: none */
    int64_t pitch;
    float *schur, *pull; /* [width]                                                 */
    float *change,
        *which;      /* twice what the minimum changes by, and the place in `priced` that leaves, by column [width] */
    float *t, *back; /* of the exchange that V has not followed yet [width]     */
    struct tableau_exchange turn;
    int64_t *list;   /* scratch [inside + 1]                                                            */
    float *factors;  /* scratch [(inside + 1) x (TABLEAU_ROWS + 1)]                                     */
    double *product; /* scratch [inside]                                                                */
    double value;    /* the minimum, less that at the start                     */
};

/* Memory for so many columns inside and in all. */
void tableau_take(struct tableau *t, int64_t inside, int64_t columns, struct workspace *workspace);
/* `in`, `row`, M and x are given, and the pulls g - H x of all columns [columns], with `columns`, `inside`, H, ld. */
void tableau_begin(struct tableau *t, const double *pull);
/* What exchanges change the minimum by: infinity for columns that are in, or of which no more than `least` is left.
 * Row i may not leave where stays[i]. */
void tableau_price(struct tableau *t, const unsigned char *stays, float least);
/* The row that leaves for column c, which is not in; after tableau_price. */
int64_t tableau_row(const struct tableau *t, int64_t c);
/* Column c, whose products are row `row` of H, enters for row j, which is priced. Prices, schur and pull are old until
 * the next tableau_price. */
void tableau_turn(struct tableau *t, int64_t j, int64_t c, int64_t row);

#endif
