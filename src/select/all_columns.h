/* Ridge regression with the squared loss on all columns, fitted without each of the folds: predictions and
 * coefficients. */
#ifndef SPGM_SELECT_ALL_COLUMNS_H
#define SPGM_SELECT_ALL_COLUMNS_H

#include "base/status.h"
#include "base/stop.h"
#include "model/problem.h"

struct all_columns;

/* The rows of a problem, with its target and weights; all_columns_free accepts NULL. *all is NULL, without an error,
 * where the data are too large for so many folds, where the target is constant, and when `stop`, which is borrowed,
 * said so. */
spgm_error all_columns_new(const struct spgm_problem *problem, int64_t folds, const struct spgm_options *options,
                           struct stop *stop, struct all_columns **all, spgm_status *status);
void all_columns_free(struct all_columns *all);

/*
 * predicted [rows x folds]: column g is what the model fitted without the rows of fold g (numbered 0..folds-1,
 * fold_of_row [rows]) predicts for every row. One ridge for all, that of the lowest mean absolute error outside the
 * folds; where the folds are those that the seed of the options draws, over as many splits as cross-validation takes.
 * The ridge acts on columns divided by their deviations. Returns 0 when stopped, and where there are no such numbers.
 */
int all_columns_predict(struct all_columns *all, const int64_t *fold_of_row, int64_t folds,
                        const struct spgm_options *options, double *predicted);

/* The mean over the folds of the coefficients x [columns] of these models, in the units of the data, and the deviations
 * [columns] that their ridge has acted on. */
spgm_error all_columns_coefficients(const struct all_columns *all, double *x, spgm_status *status);
const double *all_columns_deviations(const struct all_columns *all);

#endif
