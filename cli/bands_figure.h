#ifndef SPGM_CLI_BANDS_FIGURE_H
#define SPGM_CLI_BANDS_FIGURE_H

#include "cli.h"

struct band_picture {
    const char *title, *subtitle, *target_name; /* name NULL: unknown                */
    int64_t rows, count;
    const double *levels; /* [count]                                                */
    const double *values; /* [rows x count], row by row; NaN rows are left out       */
    const double *target; /* [rows], or NULL                                         */
};

int bands_figure(const char *path, const struct band_picture *picture, const struct args *args);

#endif
