/* The figure of spgm stability. */
#ifndef SPGM_CLI_STABILITY_FIGURE_H
#define SPGM_CLI_STABILITY_FIGURE_H

#include "cli.h"

/* A column that is in the model or was selected on some half. */
struct stability_entry {
    int64_t column;
    double frequency, coefficient, low, high;
};

/* How often the first columns are selected and, where there are bootstrap samples, the intervals of their coefficients
 * relative to the coefficients. */
int stability_figure(const struct args *args, const struct labels *names, const struct stability_entry *entries,
                     int64_t count, double threshold, int has_intervals);

#endif
