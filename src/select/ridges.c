/*
 * Ridges in proportion to the data.
 *
 * HOW IT WORKS: let u be the dual vector and h the loss of the best constant model (free columns and intercept), and
 * let columns be divided by their deviation. The slope of the loss along a column is at most about ||u||_1. So a step z
 * along it lowers F by at most about z ||u||_1 - ridge z^2 / 2, which is at best ||u||_1^2 / (2 ridge). At the ridge
 *
 *     unit = ||u||_1^2 / (2 h)
 *
 * that is the whole loss: a single column, however well it fits, is shrunk to about half. For squares the unit is of
 * the size of ||a_j||^2, for absolute values of ||a_j||^2 over the mean of |r|. Similar columns share their shrinkage,
 * so larger ridges matter where many columns are in the model; smaller ridges matter where columns nearly depend on
 * each other.
 */
#include <math.h>

#include "fit/fit.h"
#include "select/constants.h"
#include "select/cv.h"

static const double factors[RIDGES_SCALED] = RIDGES_FACTORS;

/* The unit of one problem; 0: the constant model fits perfectly. */
static spgm_error find_unit(const struct problem *framed, double *unit, spgm_status *status) {
    struct fit *fit = fit_new(framed, framed->free_count);
    spgm_error error = fit == NULL ? status_memory(status, fit_bytes(framed, framed->free_count)) : SPGM_OK;
    double sum = 0, loss;

    if (error == SPGM_OK) {
        fit_set_support(fit, framed->free_count, framed->free_columns);
        fit_cold(fit);
        error = fit_error(fit, status);
    }
    if (error == SPGM_OK) {
        for (int64_t i = 0; i < framed->A->rows; i++) {
            sum += fabs(fit_dual(fit)[i]);
        }
        loss = framed->h.ops->value(&framed->h, fit_residual(fit));
        *unit =
            loss > 0 ? framed->objective_unit / framed->target_unit / framed->target_unit * sum * sum / (2 * loss) : 0;
    }
    fit_free(fit);
    return error;
}

/* The geometric mean of the units of all problems. */
static spgm_error mean_unit(const struct spgm_cv *cv, double *mean, spgm_status *status) {
    double sum = 0;

    for (int64_t part = 0; part < cv->parts; part++) {
        struct problem framed = {0};
        double unit = 0;
        spgm_error error = problem_frame(cv->problems[part], 1, &framed, status);

        if (error == SPGM_OK) {
            error = find_unit(&framed, &unit, status);
            problem_unframe(&framed);
        }
        if (error != SPGM_OK) {
            return error;
        }
        sum += log(unit); /* -INFINITY if a constant model is perfect: then there is no ridge */
    }
    *mean = exp(sum / (double)cv->parts);
    return SPGM_OK;
}

spgm_error cv_scale_ridges(struct spgm_cv *cv, spgm_status *status) {
    double unit = 0;
    double *ridges = memory_array(RIDGES_SCALED, sizeof *ridges);
    spgm_error error = ridges == NULL ? status_memory(status, sizeof factors) : mean_unit(cv, &unit, status);
    int is_usable = error == SPGM_OK && unit > 0 && isfinite(factors[0] * unit);

    if (error != SPGM_OK) {
        memory_free(ridges);
        return error;
    }
    for (int64_t k = 0; is_usable && k < RIDGES_SCALED; k++) {
        ridges[k] = (factors[k] == 0 && problem_has_labels(cv->problem) ? RIDGES_LEAST_FOR_LABELS : factors[k]) * unit;
    }
    memory_free(cv->ridges);
    cv->ridges = ridges;
    cv->ridge_count = is_usable ? RIDGES_SCALED : 1;
    return SPGM_OK;
}
