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

/* On random-256-1024 with 30 and 90 columns in, the best of all exchanges removes one of the five cheapest columns in
 * 99.7 % of the steps, and one of the ten cheapest in all of them. */
enum { TABLEAU_ROWS = 8 };

/* An exchange that the prices do not include yet. */
struct tableau_exchange {
    int64_t enters, leaves;           /* places; -1: no exchange is pending */
    int64_t left_row;                 /* row of H with the products of the column that left */
    double inverse, pull, v, room, x; /* as in linalg/swap.c */
    double *entering, *leaving;       /* [inside]                  */
};

struct tableau {
    int64_t inside, columns, width; /* width: columns, rounded up                    */
    const float *H;                 /* products with all columns, by place; rows are `ld` apart */
    int64_t ld;
    int64_t *in;                  /* places of the columns that are in [inside]              */
    int64_t *row;                 /* their rows in H [inside] */
    double *M, *x;                /* H_II^-1 [inside x inside], and the minimiser [inside]   */
    float *V;                     /* the priced rows of H_II^-1 H_I. [TABLEAU_ROWS x pitch] */
    int64_t priced[TABLEAU_ROWS]; /* which rows these are, -1: none */
    int64_t pitch;
    float *schur, *pull;   /* [width]                                                 */
    float *change, *which; /* by column: twice the change of the minimum, and the place in `priced` of the row that
                              leaves [width] */
    float *t, *back;       /* of the exchange that V does not include yet [width] */
    struct tableau_exchange turn;
    int64_t *list;   /* scratch [inside + 1]                                                            */
    float *factors;  /* scratch [(inside + 1) x (TABLEAU_ROWS + 1)]                                     */
    double *product; /* scratch [inside]                                                                */
    double value;    /* the minimum, relative to its value at the start */
};

/* Take memory for this many columns inside and in all. */
void tableau_take(struct tableau *t, int64_t inside, int64_t columns, struct workspace *workspace);
/* Given `in`, `row`, M and x, `columns`, `inside`, H and ld, and the pulls g - H x of all columns [columns]. */
void tableau_begin(struct tableau *t, const double *pull);
/* Compute the change of the minimum by each exchange: infinity for columns that are in, and for those of which no more
 * than `least` is left after projection. Row i may not leave if stays[i]. */
void tableau_price(struct tableau *t, const unsigned char *stays, float least);
/* The row that leaves for column c, which is not in; valid after tableau_price. */
int64_t tableau_row(const struct tableau *t, int64_t c);
/* Column c, whose products are row `row` of H, enters for row j, which is priced. Prices, schur and pull are not
 * updated until the next tableau_price. */
void tableau_turn(struct tableau *t, int64_t j, int64_t c, int64_t row);

#endif
