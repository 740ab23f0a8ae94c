/* More than two labels: a model for each against the rest. */
#ifndef SPGM_CLI_CLASSES_H
#define SPGM_CLI_CLASSES_H

#include "cli.h"

/* Fit every label with `sparsity` nonzeros and write one model file; `chosen` says how s was chosen, or is NULL. */
int classes_fit(struct task *task, const struct args *args, int64_t sparsity, const char *chosen);
/* "Label apple against the rest", on standard error. */
void classes_heading(const struct task *task, int64_t k);

#endif
