/* Several quantiles at once: fit --quantiles, and predict with what it made. */
#ifndef SPGM_CLI_BANDS_H
#define SPGM_CLI_BANDS_H

#include "cli.h"

/* Checks the flags that go with --quantiles. Sets the loss, and its level to the one nearest to the middle, by which
 * --sparsity auto chooses. Returns CLI_DONE without --quantiles if nothing else is wrong. */
int bands_check(const struct args *args);
int bands_fit(struct task *task, const struct args *args, int64_t sparsity, const char *chosen);
int bands_predict(const struct args *args, const spgm_model *model, const spgm_data *data);

#endif
