#include "linalg/sweep.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"

void sweep_begin(struct sweep *s, int64_t k, const double *M, const double *x, double *V) {
    int64_t n = s->n, out = n - k;

    memset(V, 0, (size_t)(k * out) * sizeof *V);
    dense_multiply(k, out, k, 1, M, k, s->T + k * n, n, V, k);
    dense_multiply(out, out, k, -1, s->T + k, n, V, k, s->T + k + k * n, n);
    for (int64_t q = 0; q < out; q++) {
        for (int64_t i = 0; i < k; i++) {
            s->T[i + (k + q) * n] = s->T[k + q + i * n] = V[i + q * k];
        }
    }
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < k; i++) {
            s->T[i + j * n] = -M[i + j * k];
        }
    }
    vector_copy(k, x, s->c);
    memset(s->is_in, 1, (size_t)k);
    memset(s->is_in + k, 0, (size_t)out);
    s->value = 0;
}

void sweep_toggle(struct sweep *s, int64_t p) {
    int64_t n = s->n;
    double *column = s->scratch, inverse = 1 / s->T[p + p * n], c = s->c[p], sign = s->is_in[p] ? -1 : 1;

    vector_copy(n, s->T + p * n, column);
    dense_rank_one(n, n, -inverse, column, column, s->T, n);
    vector_axpy(n, -c * inverse, column, s->c);
    s->value -= 0.5 * c * c * inverse;
    for (int64_t i = 0; i < n; i++) {
        s->T[i + p * n] = s->T[p + i * n] = sign * column[i] * inverse;
    }
    s->T[p + p * n] = -inverse;
    s->c[p] = sign * c * inverse;
    s->is_in[p] = !s->is_in[p];
}
