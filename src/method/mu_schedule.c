/* The smoothing parameter mu^t: halved every K iterations, constant, or eta / (t + t0).  (spgm.tex, section 4, appendix
 * F) */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "method/constants.h"
#include "method/method.h"

enum { HALVING, CONSTANT, DIMINISHING };

/* The smallest mu with P_mu(-b) = 0: for it the smoothed problem is least squares at x = 0. (NOTES.md) */
static double default_start(const struct problem *problem, double *work) {
    int64_t m = problem->A->rows;
    double start;

    for (int64_t i = 0; i < m; i++) {
        work[i] = -problem->b[i];
    }
    start = problem->h.ops->dual_norm(&problem->h, work);
    if (isfinite(start) && start > 0) {
        return start;
    }
    /* Losses with slopes on one side only may give infinity, and a zero target gives zero. */
    start = vector_norm_inf(m, problem->b);
    reduce_max(problem->A->reduce, &start, 1);
    return start > 0 ? start : 1;
}

void mu_schedule_init(struct mu_schedule *schedule, const struct run *run, double *work) {
    const struct spgm_options *options = run->options;

    schedule->kind = HALVING;
    if (strcmp(options->mu_schedule, "constant") == 0) {
        schedule->kind = CONSTANT;
    } else if (strcmp(options->mu_schedule, "diminishing") == 0) {
        schedule->kind = DIMINISHING;
    }
    schedule->start = options->mu_start > 0 ? options->mu_start : options->mu_scale * default_start(run->problem, work);
    schedule->offset = options->mu_offset;
    schedule->eta = options->mu_eta > 0 ? options->mu_eta : schedule->start * (1 + options->mu_offset);
    schedule->period = options->mu_period;
}

double mu_schedule_at(const struct mu_schedule *schedule, int64_t t) {
    int64_t halvings = (t - 1) / schedule->period;
    double mu = schedule->start;

    if (schedule->kind == HALVING) {
        mu = ldexp(schedule->start, -(int)(halvings < MOST_HALVINGS ? halvings : MOST_HALVINGS));
    } else if (schedule->kind == DIMINISHING) {
        mu = schedule->eta / ((double)t + schedule->offset);
    }
    return mu > SMALLEST_MU ? mu : SMALLEST_MU;
}
