/* One problem at several quantiles. */
#include <inttypes.h>

#include "model/problem.h"

spgm_error problem_check_levels(const struct spgm_problem *problem, const double *levels, int64_t count,
                                spgm_status *status) {
    if (problem->loss != loss_find("quantile")) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "several quantiles need the loss quantile, but the loss is %s", problem->loss->name);
    }
    if (problem_is_normal(problem)) {
        return problem_refuse_normal("several quantiles", status);
    }
    for (int64_t k = 0; k < count; k++) {
        if (!(levels[k] > 0 && levels[k] < 1) || (k > 0 && !(levels[k] > levels[k - 1]))) {
            return status_set(status, SPGM_ERROR_ARGUMENT,
                              "quantile %" PRId64 " is %g: they must lie between 0 and 1, each above the one before",
                              k + 1, levels[k]);
        }
    }
    return count > 0 ? SPGM_OK
                     : status_set(status, SPGM_ERROR_ARGUMENT, "there are no quantiles: give at least one, as in 0.5");
}

struct spgm_problem problem_at_level(const struct spgm_problem *problem, double level) {
    struct spgm_problem view = *problem;

    view.options.quantile = level;
    return view;
}
