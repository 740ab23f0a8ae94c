/*
 * A quadratic 1/2 x'Hx - g'x minimised over the columns that are in, the others being zero, for sets of columns that
 * change by an exchange of one for another. With I the columns that are in and O the candidates outside
 *
 *     M = H_II^-1,   V = M H_IO,   schur_q = H_qq - H_qI V_q,   x = the minimiser,   pull = g_O - H_OI x.
 *
 * It keeps what prices every exchange in O(1) and no more: an exchange costs about 4 |I| (|I| + |O|) operations, where
 * two steps of the sweep operator (Beaton 1964) on all columns cost 4 (|I| + |O|)^2.
 */
#ifndef SPGM_LINALG_SWAP_H
#define SPGM_LINALG_SWAP_H

#include <stdint.h>

struct swap {
    int64_t inside, outside; /* columns                                  */
    double *M;               /* [inside x inside]                        */
    double *G;               /* H_IO [inside x outside]                  */
    double *V;               /* [inside x outside]                       */
    double *schur, *pull;    /* [outside]                                */
    double *x;               /* [inside]                                 */
    double value;            /* the minimum, relative to its value at the start */
    double *in, *out;        /* scratch, 2 x [inside] and 2 x [outside]  */
};

/* Given M, G, x, pull, and the diagonal H_qq in schur. */
void swap_begin(struct swap *s);
/* The change of the minimum if inner column j leaves and candidate q enters. */
static inline double swap_change(const struct swap *s, int64_t j, int64_t q) {
    double v = s->V[j + q * s->inside], step = s->pull[q] / s->schur[q], x = s->x[j] - v * step;

    return 0.5 * (x * x / (s->M[j + j * s->inside] + v * v / s->schur[q]) - s->pull[q] * step);
}
/* The lowest of these changes for candidate q, whose schur_q is positive, with `x` and `room` in place of x and the
 * diagonal of M; x_j is infinite for a column that must stay. value [inside] is in the order of the changes. */
double swap_lowest(const struct swap *s, int64_t q, const double *x, const double *room, double *value);
/* Exchange column j for candidate q, whose schur_q is not zero; j takes the place of the candidate. `entering`
 * [outside] has the products of q with the candidates, `leaving` [inside] those of j with the inner columns. */
void swap_turn(struct swap *s, int64_t j, int64_t q, const double *entering, const double *leaving);

#endif
