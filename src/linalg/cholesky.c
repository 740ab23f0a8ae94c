#include "linalg/cholesky.h"

#include <math.h>

int cholesky_append(int64_t k, double *L, int64_t ld, const double *g, double d, double tiny) {
    double *row = L + k * ld;
    double pivot = d;
    for (int64_t i = 0; i < k; i++) {
        const double *Li = L + i * ld;
        double sum = g[i];
        for (int64_t j = 0; j < i; j++)
            sum -= Li[j] * row[j];
        row[i] = sum / Li[i]; /* L l = g       */
        pivot -= row[i] * row[i];
    }
    if (!isgreater(pivot, tiny * d))
        return 0;
    row[k] = sqrt(pivot); /* d = l'l + pivot */
    return 1;
}

void cholesky_solve(int64_t k, const double *L, int64_t ld, double *r) {
    for (int64_t i = 0; i < k; i++) { /* L v = r  */
        const double *Li = L + i * ld;
        double sum = r[i];
        for (int64_t j = 0; j < i; j++)
            sum -= Li[j] * r[j];
        r[i] = sum / Li[i];
    }
    for (int64_t i = k - 1; i >= 0; i--) { /* L' x = v */
        const double *Li = L + i * ld;
        r[i] /= Li[i];
        for (int64_t j = 0; j < i; j++)
            r[j] -= Li[j] * r[i];
    }
}
