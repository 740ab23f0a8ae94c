/*
 * Information criteria along a path: a measure of misfit plus a price per parameter (README.md: which, and from where).
 *
 *     C(s) = D + a k + 2 gamma log binomial(n, s)
 *
 * with m rows that have weight, n columns that may be among the s, k parameters (nonzeros and free columns).
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "select/constants.h"
#include "select/path.h"

struct measure {
    const struct spgm_problem *problem;
    double rows;       /* m: number of rows with weight */
    double mean;       /* mean weight of these rows */
    double candidates; /* n: columns that count towards s */
    double floor;      /* losses below this are rounding */
};

static spgm_error measure_init(struct measure *measure, const struct spgm_problem *problem, int64_t candidates,
                               spgm_status *status) {
    double sum = 0;
    spgm_error error;

    *measure = (struct measure){.problem = problem, .candidates = (double)candidates};
    for (int64_t i = 0; i < problem->A.rows; i++) {
        double weight = problem->weights == NULL ? 1 : problem->weights[i];

        sum += weight;
        measure->rows += weight > 0;
    }
    reduce_sum(problem->reduce, &sum, 1);
    reduce_sum(problem->reduce, &measure->rows, 1);
    measure->mean = sum / measure->rows;
    error = problem_evaluate(problem, 0, NULL, NULL, 0, NULL, &measure->floor, NULL, status);
    measure->floor *= CRITERION_ROUNDING;
    return error;
}

/* The deviance D from the value of h. */
static double misfit(const struct measure *measure, double loss) {
    const struct loss_kind *kind = measure->problem->loss;

    loss = fmax(loss, measure->floor) / measure->mean;
    return kind->deviance(&measure->problem->options, measure->rows, loss);
}

/* a, the price of one parameter. */
static double price(const struct measure *measure, int is_gic) {
    double m = measure->rows;
    double a = is_gic ? log(log(fmax(m, 3))) * log(fmax(measure->candidates, 3)) : log(m);

    return measure->problem->loss->rate * a;
}

static double log_binomial(double n, double k) {
    double sum = 0;

    k = fmin(k, n - k);
    for (double i = 1; i <= k; i++) {
        sum += log((n - k + i) / i);
    }
    return sum;
}

static double criterion(const struct measure *measure, const struct path_entry *entry, double parameters, int is_gic,
                        double gamma) {
    double s = (double)entry->info.support;

    if (parameters >= measure->rows) {
        return INFINITY;
    }
    return misfit(measure, entry->info.loss_value) + price(measure, is_gic) * parameters +
           (gamma > 0 ? 2 * gamma * log_binomial(measure->candidates, s) : 0);
}

static spgm_error check(const struct spgm_path *path, const char *name, spgm_status *status) {
    if (name == NULL || (strcmp(name, "bic") != 0 && strcmp(name, "ebic") != 0 && strcmp(name, "gic") != 0)) {
        return status_set(status, SPGM_ERROR_OPTION, "there is no criterion '%s': it must be one of bic|ebic|gic",
                          name == NULL ? "(null)" : name);
    }
    if (!path->has_run) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "the path has not run: call spgm_path_run before the criterion");
    }
    if (path->problem->term != NULL || path->problem->linear != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "the criteria measure the loss alone and do not apply with a smooth data term: use "
                          "cross-validation instead");
    }
    return SPGM_OK;
}

spgm_error spgm_path_criterion(const spgm_path *path, const char *name, double *values, int64_t *lowest,
                               spgm_status *status) {
    struct measure measure;
    int64_t fixed = path->problem->options.intercept, barred = 0;
    int64_t best = 0;
    double least = INFINITY;
    spgm_error error = check(path, name, status);

    for (int64_t j = 0; path->problem->is_free != NULL && j < path->problem->A.columns; j++) {
        fixed += path->problem->is_free[j];
    }
    for (int64_t j = 0; path->problem->is_excluded != NULL && j < path->problem->A.columns; j++) {
        barred += path->problem->is_excluded[j];
    }
    if (error == SPGM_OK) {
        error = measure_init(&measure, path->problem,
                             path->problem->A.columns + path->problem->options.intercept - fixed - barred, status);
    }
    for (int64_t i = 0; error == SPGM_OK && i < path->count; i++) {
        const struct path_entry *entry = &path->entries[i];
        double gamma = strcmp(name, "ebic") == 0 ? path->options.ebic_gamma : 0;
        double value =
            criterion(&measure, entry, (double)(fixed + entry->info.support), strcmp(name, "gic") == 0, gamma);

        if (values != NULL) {
            values[i] = value;
        }
        if (isless(value, least)) {
            least = value;
            best = i;
        }
    }
    if (error == SPGM_OK && lowest != NULL) {
        *lowest = best;
    }
    return error != SPGM_OK ? error : status_clear(status);
}
