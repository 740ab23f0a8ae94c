/* The band: a fit for every level, on all rows and without each fold. */
#ifndef SPGM_SELECT_BAND_H
#define SPGM_SELECT_BAND_H

#include <stdatomic.h>

#include "base/options.h"
#include "model/problem.h"

enum band_calibration { BAND_CROSS, BAND_SPLIT, BAND_NONE };

/* The models of all levels on the same rows. */
struct band_fit {
    struct spgm_problem *views; /* [count] the problem at each level */
    spgm_solver **solvers;      /* [count]                           */
};

struct spgm_band {
    const struct spgm_problem *problem;
    struct spgm_options options;
    int64_t sparsity;
    int is_common;
    enum band_calibration calibration;
    int64_t count;
    double *levels, *shifts;    /* [count]                                               */
    int64_t folds;              /* parts that are held out in turn                       */
    int64_t *fold_of_row;       /* [rows]; folds: never held out                         */
    double *held;               /* [rows x count] by models that have not seen the row   */
    int64_t probes;             /* of `cross`: rows where models are compared            */
    double *probed;             /* [(folds + 1) x probes x count] by each fold's models, then by those of all rows */
    struct workspace workspace; /* owns these arrays                                     */

    struct spgm_problem *rows; /* of `split`: those of the fit, owned; else NULL */
    struct band_fit fit;       /* what predicts                                  */
    spgm_progress_function progress;
    void *progress_context;
    atomic_int interrupted;
    atomic_llong folds_done; /* of what is held out, what calibrates */
};

/*
 * Common columns: x [count x columns], the coefficients of every level where the sum of the losses of all levels is
 * minimised and s counts columns that any level uses. One problem: the levels' copies of the data one below the other,
 * and the copies of a column a group.
 */
spgm_error band_joint(const struct spgm_band *band, const struct spgm_problem *problem,
                      const struct spgm_options *options, spgm_progress_function progress, void *context, double *x,
                      spgm_status *status);
/* spgm_conformal_quantile; is_between: where the share falls between two rows, between their scores instead of at the
 * higher one. */
spgm_error conformal_quantile(const double *scores, const double *weights, int64_t count, double p, int is_between,
                              double *quantile, spgm_status *status);
/* What cannot be had with common columns, as a sentence. */
spgm_error band_joint_check(const struct spgm_problem *problem, spgm_status *status);

#endif
