/* The results of a cross-validation: means, standard errors, rules. */
#include <math.h>
#include <string.h>

#include "select/constants.h"
#include "select/cv.h"

int64_t spgm_cv_count(const spgm_cv *cv) {
    return cv->count;
}

int64_t spgm_cv_ridge_count(const spgm_cv *cv) {
    return cv->ridge_count;
}

int64_t spgm_cv_folds(const spgm_cv *cv) {
    return cv->folds;
}

double spgm_cv_ridge(const spgm_cv *cv, int64_t k) {
    if (k < 0 || k >= cv->ridge_count) {
        return NAN;
    }
    return cv->has_ridges ? cv->ridges == NULL ? NAN : cv->ridges[k] : cv->problem->options.ridge;
}

void spgm_cv_get_fold_of_row(const spgm_cv *cv, int64_t *fold_of_row) {
    memcpy(fold_of_row, cv->fold_of_row, sizeof *fold_of_row * (size_t)cv->problem->A.rows);
}

/* The mean over the problems; NaN if one of them was interrupted. */
static double loss_of(const struct spgm_cv *cv, int64_t fold, int64_t i, int64_t k) {
    double sum = 0;

    for (int64_t part = 0; cv->losses != NULL && part < cv->parts; part++) {
        sum += cv_losses(cv, part, fold, i)[k];
    }
    return cv->losses == NULL ? NAN : sum / (double)cv->parts;
}

/* The mean over the finished folds and its standard error: the square root of the variance between folds over their
 * number in one split, since further splits of the same rows bring no new rows of the population. */
static double mean_of(const struct spgm_cv *cv, int64_t i, int64_t k, double *standard_error) {
    double sum = 0, squares = 0, mean;
    int64_t known = 0;

    for (int64_t fold = 0; fold < cv->folds; fold++) {
        double loss = loss_of(cv, fold, i, k);

        sum += isnan(loss) ? 0 : loss;
        known += !isnan(loss);
    }
    mean = known == 0 ? NAN : sum / (double)known;
    for (int64_t fold = 0; fold < cv->folds; fold++) {
        double loss = loss_of(cv, fold, i, k);

        squares += isnan(loss) ? 0 : (loss - mean) * (loss - mean);
    }
    *standard_error =
        known < 2 ? NAN
                  : sqrt(squares / (double)(known - 1) / ((double)known * (double)cv->shares / (double)cv->folds));
    return mean;
}

/* The ridge with the lowest mean at a sparsity. The largest one among equal ones, or if none is known. */
static int64_t best_ridge(const struct spgm_cv *cv, int64_t i) {
    double lowest = INFINITY, spread;
    int64_t best = 0;

    for (int64_t k = 0; k < cv->ridge_count; k++) {
        double mean = mean_of(cv, i, k, &spread);

        if (isless(mean, lowest)) {
            lowest = mean;
            best = k;
        }
    }
    return best;
}

double cv_lowest(const struct spgm_cv *cv, int64_t first, int64_t last, double *standard_error) {
    double lowest = INFINITY, spread;

    *standard_error = 0;
    for (int64_t i = first; i < last; i++) {
        double mean = mean_of(cv, i, best_ridge(cv, i), &spread);

        if (isless(mean, lowest)) {
            lowest = mean;
            *standard_error = isnan(spread) ? 0 : spread;
        }
    }
    return lowest;
}

/* ---- ridges that may still be the best --------------------------------------------------------------------------- */

/* The sparsity of [first, last) with the lowest mean for a ridge; -1: no mean is known. */
static int64_t best_with(const struct spgm_cv *cv, int64_t k, int64_t first, int64_t last) {
    double lowest = INFINITY, spread;
    int64_t best = -1;

    for (int64_t i = first; i < last; i++) {
        double mean = mean_of(cv, i, k, &spread);

        if (isless(mean, lowest)) {
            lowest = mean;
            best = i;
        }
    }
    return best;
}

/* Whether the loss at (i, k) is clearly above that at (best, best_k), by CV_BEATEN standard errors of their difference
 * over the folds for which both are known. */
static int is_beaten(const struct spgm_cv *cv, int64_t i, int64_t k, int64_t best, int64_t best_k) {
    double sum = 0, squares = 0;
    int64_t known = 0;

    for (int64_t fold = 0; i >= 0 && fold < cv->folds; fold++) {
        double above = loss_of(cv, fold, i, k) - loss_of(cv, fold, best, best_k);

        if (!isnan(above)) {
            sum += above;
            squares += above * above;
            known++;
        }
    }
    if (known < 2) {
        return 1;
    }
    squares = fmax(squares - sum * sum / (double)known, 0) / (double)(known - 1);
    return sum / (double)known > CV_BEATEN * sqrt(squares / ((double)known * (double)cv->shares / (double)cv->folds));
}

void cv_follow_ridges(const struct spgm_cv *cv, int64_t first, int64_t last, int64_t *first_ridge,
                      int64_t *last_ridge) {
    double lowest = INFINITY, spread;
    int64_t best = -1, best_k = 0, from, to;

    for (int64_t k = *first_ridge; k < *last_ridge; k++) {
        int64_t i = best_with(cv, k, first, last);

        if (i >= 0 && isless(mean_of(cv, i, k, &spread), lowest)) {
            lowest = mean_of(cv, i, k, &spread);
            best = i;
            best_k = k;
        }
    }
    if (best < 0) {
        return;
    }
    for (from = best_k; from > *first_ridge; from--) {
        if (is_beaten(cv, best_with(cv, from - 1, first, last), from - 1, best, best_k)) {
            break;
        }
    }
    for (to = best_k + 1; to < *last_ridge; to++) {
        if (is_beaten(cv, best_with(cv, to, first, last), to, best, best_k)) {
            break;
        }
    }
    from = from < best_k ? from : best_k - 1; /* its neighbours stay, or come back, because the best ridge moves with
                                                 s */
    to = to > best_k + 1 ? to : best_k + 2;
    *first_ridge = from < 0 ? 0 : from;
    *last_ridge = to > cv->ridge_count ? cv->ridge_count : to;
}

int64_t spgm_cv_get_at(const spgm_cv *cv, int64_t i, int64_t k, double *losses, double *mean, double *standard_error) {
    double average, spread;

    if (i < 0 || i >= cv->count || k < -1 || k >= cv->ridge_count) {
        return -1;
    }
    k = k < 0 ? best_ridge(cv, i) : k;
    for (int64_t fold = 0; losses != NULL && fold < cv->folds; fold++) {
        losses[fold] = loss_of(cv, fold, i, k);
    }
    average = mean_of(cv, i, k, &spread);
    if (mean != NULL) {
        *mean = average;
    }
    if (standard_error != NULL) {
        *standard_error = spread;
    }
    return cv->sparsities[i];
}

int64_t spgm_cv_get(const spgm_cv *cv, int64_t i, double *losses, double *mean, double *standard_error) {
    return spgm_cv_get_at(cv, i, -1, losses, mean, standard_error);
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

int64_t spgm_cv_best(const spgm_cv *cv) {
    double lowest = INFINITY, spread;
    int64_t best = -1;

    for (int64_t i = 0; i < cv->count; i++) {
        double mean = mean_of(cv, i, best_ridge(cv, i), &spread);

        if (isless(mean, lowest)) {
            lowest = mean;
            best = i;
        }
    }
    return best;
}

int spgm_cv_is_whole(const spgm_cv *cv) {
    int64_t best = spgm_cv_best(cv), k = best < 0 ? -1 : best_ridge(cv, best), known = 0;

    for (int64_t fold = 0; best >= 0 && fold < cv->folds; fold++) {
        known += !isnan(loss_of(cv, fold, best, k));
    }
    return best >= 0 && known == cv->folds;
}

/* The mean loss of x = 0 over the problems. */
static double loss_at_zero(const struct spgm_cv *cv) {
    double sum = 0;

    for (int64_t part = 0; part < cv->parts; part++) {
        const struct spgm_problem *problem = cv->judge != NULL ? cv->judge : cv->problems[part];
        double loss = 0;

        problem_evaluate(problem, 0, NULL, NULL, 0, NULL, &loss, NULL, NULL);
        sum += problem->loss->per_row(loss, cv_weight(problem));
    }
    return sum / (double)cv->parts;
}

int spgm_cv_is_perfect(const spgm_cv *cv) {
    double spread;

    return islessequal(cv_lowest(cv, 0, cv->count, &spread), SPGM_CV_PERFECT * loss_at_zero(cv));
}

/* The lowest mean plus its standard error. */
static double limit_of(const struct spgm_cv *cv, int64_t best) {
    double spread, lowest = best < 0 ? NAN : mean_of(cv, best, best_ridge(cv, best), &spread);

    return best < 0 ? NAN : lowest + spread;
}

int64_t spgm_cv_one_standard_error(const spgm_cv *cv) {
    int64_t best = spgm_cv_best(cv);
    double limit = limit_of(cv, best), spread;

    for (int64_t i = 0; i < best; i++) {
        if (islessequal(mean_of(cv, i, best_ridge(cv, i), &spread), limit)) {
            return i;
        }
    }
    return best;
}

static int64_t most_shrunk(const struct spgm_cv *cv, int64_t best) {
    double limit = limit_of(cv, best), spread;
    int64_t last = best_ridge(cv, best);

    for (int64_t k = 0; k < last; k++) {
        if (islessequal(mean_of(cv, best, k, &spread), limit)) {
            return k;
        }
    }
    return last;
}

spgm_error spgm_cv_choose(const spgm_cv *cv, const char *rule, int64_t *i, int64_t *k, spgm_status *status) {
    int is_1se = rule != NULL && strcmp(rule, "1se") == 0, is_shrunk = rule != NULL && strcmp(rule, "shrunk") == 0;
    int64_t size;

    if (rule == NULL || (!is_1se && !is_shrunk && strcmp(rule, "min") != 0 && strcmp(rule, "projected") != 0)) {
        return status_set(status, SPGM_ERROR_OPTION,
                          "there is no rule '%s': it must be one of min|1se|shrunk|projected",
                          rule == NULL ? "(null)" : rule);
    }
    size = is_1se ? spgm_cv_one_standard_error(cv) : spgm_cv_best(cv);
    if (i != NULL) {
        *i = size;
    }
    if (k != NULL) {
        *k = size < 0 ? -1 : is_shrunk ? most_shrunk(cv, size) : best_ridge(cv, size);
    }
    return status_clear(status);
}
