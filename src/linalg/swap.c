#include "linalg/swap.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"
#include "linalg/vector.h"

void swap_begin(struct swap *s) {
    int64_t k = s->inside;

    memset(s->V, 0, (size_t)(k * s->outside) * sizeof *s->V);
    dense_multiply(k, s->outside, k, 1, s->M, k, s->G, k, s->V, k);
    for (int64_t q = 0; q < s->outside; q++) {
        s->schur[q] -= vector_dot(k, s->G + q * k, s->V + q * k);
    }
    s->value = 0;
}

double swap_lowest(const struct swap *s, int64_t q, const double *x, const double *room, double *value) {
    double inverse = 1 / s->schur[q], step = s->pull[q] * inverse;

    return 0.5 *
           (kernels_best()->ratios(s->inside, x, step, s->V + q * s->inside, room, inverse, value) - s->pull[q] * step);
}

/* Candidate slot q receives column j, which has left; x is the value of x_j before it left, and room = M_jj. */
static void take_out(struct swap *s, int64_t j, int64_t q, const double *leaving, double room, double x) {
    int64_t k = s->inside;
    double *V = s->V + q * k, *G = s->G + q * k, product = G[j];

    vector_copy(k, s->in + k, V);
    vector_scale(k, -1 / room, V);
    memcpy(G, leaving, (size_t)k * sizeof *G);
    G[j] = product;
    s->schur[q] = 1 / room;
    s->pull[q] = x / room;
}

/*
 * Two steps of the sweep operator in one pass. q enters: with v = V_q, i = 1 / schur_q and t = H_Oq - H_OI v
 *     M' = M + i v v',   V'_o = V_o - i t_o v,
 * and j leaves: with m = M'_j and room = M'_jj
 *     M'' = M' - m m' / room,   V''_o = V'_o - m V'_jo / room.
 */
void swap_turn(struct swap *s, int64_t j, int64_t q, const double *entering, const double *leaving) {
    int64_t k = s->inside;
    double *v = s->in, *m = s->in + k, *t = s->out, *back = s->out + s->outside;
    double inverse = 1 / s->schur[q], pull = s->pull[q], step = pull * inverse, vj, room, x;

    vector_copy(k, s->V + q * k, v);
    vj = v[j];
    vector_copy(k, s->M + j * k, m);
    vector_axpy(k, inverse * vj, v, m);
    room = m[j];
    x = s->x[j] - step * vj;
    dense_dot_columns(k, s->outside, s->G, k, v, t);
    for (int64_t o = 0; o < s->outside; o++) {
        double left = entering[o] - t[o], along = left * inverse;

        back[o] = (s->V[j + o * k] - vj * along) / room;
        t[o] = along;
        s->schur[o] += back[o] * back[o] * room - left * along;
        s->pull[o] += x * back[o] - pull * along;
        if (o != q) {
            s->G[j + o * k] = entering[o];
        }
    }
    kernels_best()->rank_two(k, s->outside, -1, v, t, -1, m, back, s->V, k);
    kernels_best()->rank_two(k, k, inverse, v, v, -1 / room, m, m, s->M, k);
    vector_axpy(k, -step, v, s->x);
    vector_axpy(k, -x / room, m, s->x);
    s->value += 0.5 * (x * x / room - step * step / inverse);
    /* from here on position j belongs to q */
    for (int64_t o = 0; o < s->outside; o++) {
        s->V[j + o * k] = t[o] + vj * inverse * back[o];
    }
    for (int64_t i = 0; i < k; i++) {
        s->M[j + i * k] = s->M[i + j * k] = inverse * (vj * m[i] / room - v[i]);
    }
    s->M[j + j * k] = inverse - vj * inverse * (vj * inverse) / room;
    s->x[j] = step + x * vj * inverse / room;
    m[j] = -vj * inverse;
    take_out(s, j, q, leaving, room, x);
}
