/* Conformal quantiles, and the order of the levels of a band. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

struct scored {
    double score, weight;
};

static int by_score(const void *a, const void *b) {
    const struct scored *p = a, *q = b;

    return p->score < q->score ? -1 : p->score > q->score;
}

spgm_error spgm_conformal_quantile(const double *scores, const double *weights, int64_t count, double p,
                                   double *quantile, spgm_status *status) {
    struct scored *rows;
    double total = 0, needed, sum = 0;
    int64_t counted = 0;

    if (scores == NULL || quantile == NULL || count < 0 || !(p > 0 && p < 1)) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "spgm_conformal_quantile needs scores, a place for the result, and a share between 0 and 1");
    }
    rows = memory_array(count, sizeof *rows);
    if (rows == NULL) {
        return status_memory(status, (size_t)count * sizeof *rows);
    }
    for (int64_t i = 0; i < count; i++) {
        double weight = weights == NULL ? 1 : weights[i];

        if (weight > 0) {
            rows[counted++] = (struct scored){scores[i], weight};
            total += weight;
        }
    }
    qsort(rows, (size_t)counted, sizeof *rows, by_score);
    needed = p * (total + total / (double)counted) * (1 - 1e-12); /* p (n + 1) may be a whole number but for rounding */
    *quantile = INFINITY;
    for (int64_t i = 0; i < counted; i++) {
        sum += rows[i].weight;
        if (sum >= needed) {
            *quantile = rows[i].score;
            break;
        }
    }
    memory_free(rows);
    return status_clear(status);
}

/* Lower levels only go down and upper ones only up after the shift, so that what calibration promises of each stays. */
void spgm_band_arrange(const double *levels, const double *shifts, int64_t count, double *values) {
    int64_t upper = 0; /* the first level above 1/2 */

    for (int64_t k = 1; k < count; k++) { /* by insertion: there are few, and they are nearly in order */
        double value = values[k];
        int64_t at = k;

        for (; at > 0 && values[at - 1] > value; at--) {
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
    for (int64_t k = 0; k < count; k++) {
        values[k] += shifts[k];
    }
    while (upper < count && levels[upper] <= 0.5) {
        upper++;
    }
    if (upper > 0 && upper < count && levels[upper - 1] < 0.5 && values[upper - 1] > values[upper]) {
        double kept = values[upper];

        values[upper] = values[upper - 1];
        values[upper - 1] = kept;
    }
    for (int64_t k = upper > 0 ? upper : 1; k < count; k++) {
        values[k] = values[k] < values[k - 1] ? values[k - 1] : values[k];
    }
    for (int64_t k = upper - 2; k >= 0; k--) {
        values[k] = values[k] > values[k + 1] ? values[k + 1] : values[k];
    }
}
