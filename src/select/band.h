/* The band: a fit for every level, to all rows and without each fold. */
#ifndef SPGM_SELECT_BAND_H
#define SPGM_SELECT_BAND_H

#include <stdatomic.h>

#include "base/options.h"
#include "model/problem.h"

enum band_calibration { BAND_CROSS, BAND_SPLIT, BAND_NONE };

/* The models of all levels on the same rows. */
struct band_fit {
    struct spgm_problem *views; /* the problem at each level [count] */
    spgm_solver **solvers;      /* [count] */
};

struct spgm_band {
    const struct spgm_problem *problem;
    struct spgm_options options;
    int64_t sparsity;
    int is_common;
    enum band_calibration calibration;
    int64_t count;
    double *levels, *shifts;    /* [count] */
    int64_t folds;              /* number of parts that are held out in turn */
    int64_t *fold_of_row;       /* fold of each row [rows]; `folds`: never held out */
    double *held;               /* predictions by models that have not seen the row [rows x count] */
    int64_t probes;             /* for `cross`: number of rows where models are compared */
    double *probed;             /* predictions there by each fold's models, then by those of all rows [(folds + 1) x
                                   probes x count] */
    struct workspace workspace; /* owns these arrays */

    struct spgm_problem *rows; /* for `split`: the rows of the fit, owned; else NULL */
    struct band_fit fit;       /* the models that predict new rows */
    spgm_progress_function progress;
    void *progress_context;
    atomic_int interrupted;
    atomic_llong folds_done; /* the folds that calibrate */
};

/*
 * Common columns: x [count x columns] receives the coefficients of every level that minimise the sum of the losses of
 * all levels, where s counts the columns that any level uses. It is one problem: a copy of the data for each level, one
 * below the other, with the copies of a column as a group.
 */
spgm_error band_joint(const struct spgm_band *band, const struct spgm_problem *problem,
                      const struct spgm_options *options, spgm_progress_function progress, void *context, double *x,
                      spgm_status *status);
/* As spgm_conformal_quantile. is_between: if the share falls between two rows, interpolate between their scores instead
 * of taking the higher one. */
spgm_error conformal_quantile(const double *scores, const double *weights, int64_t count, double p, int is_between,
                              double *quantile, spgm_status *status);
/* An error and a sentence if common columns cannot be combined with what is set on the problem. */
spgm_error band_joint_check(const struct spgm_problem *problem, spgm_status *status);

#endif
