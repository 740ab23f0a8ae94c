/* Conformal quantiles, and the arrangement of the levels of a band. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "select/band.h"
#include "select/constants.h"

struct scored {
    double score, weight;
};

static int by_score(const void *a, const void *b) {
    const struct scored *p = a, *q = b;

    return p->score < q->score ? -1 : p->score > q->score;
}

/* The score at which the cumulated weight reaches `needed`: that of the first row that does or, with is_between,
 * interpolated between it and the row before. */
static double score_at(const struct scored *rows, int64_t counted, double needed, int is_between) {
    double sum = 0;

    for (int64_t i = 0; i < counted; i++) {
        if (sum + rows[i].weight >= needed) {
            double share = (needed - sum) / rows[i].weight;

            return i == 0 || !is_between ? rows[i].score
                                         : rows[i - 1].score + share * (rows[i].score - rows[i - 1].score);
        }
        sum += rows[i].weight;
    }
    return INFINITY;
}

spgm_error conformal_quantile(const double *scores, const double *weights, int64_t count, double p, int is_between,
                              double *quantile, spgm_status *status) {
    struct scored *rows = memory_array(count, sizeof *rows);
    double total = 0, needed;
    int64_t counted = 0;

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
    needed = p * (total + total / (double)counted) * (1 - CONFORMAL_ROUNDING);
    *quantile = score_at(rows, counted, needed, is_between);
    memory_free(rows);
    return SPGM_OK;
}

spgm_error spgm_conformal_quantile(const double *scores, const double *weights, int64_t count, double p,
                                   double *quantile, spgm_status *status) {
    spgm_error error;

    if (scores == NULL || quantile == NULL || count < 0 || !(p > 0 && p < 1)) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "spgm_conformal_quantile needs scores, a place for the result, and a share between 0 and 1");
    }
    error = conformal_quantile(scores, weights, count, p, 0, quantile, status);
    return error == SPGM_OK ? status_clear(status) : error;
}

/* After the shift lower levels are only moved down and upper ones only up, so that the calibration of each level stays
 * valid. */
void spgm_band_arrange(const double *levels, const double *shifts, int64_t count, double *values) {
    int64_t upper = 0; /* the first level above 1/2 */

    for (int64_t k = 0; k < count; k++) {
        if (isnan(values[k])) { /* without it the ranks of the others are unknown */
            for (int64_t i = 0; i < count; i++) {
                values[i] = NAN;
            }
            return;
        }
    }
    for (int64_t k = 1; k < count; k++) { /* insertion sort: there are few values, nearly in order */
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
