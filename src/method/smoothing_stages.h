/* The tuned form of both variants of Algorithm 1. */
#ifndef SPGM_METHOD_SMOOTHING_STAGES_H
#define SPGM_METHOD_SMOOTHING_STAGES_H

#include "method/smoothing.h"

struct stages {
    struct smoothing *base;
    void (*step)(void *method); /* one iteration; what it knows is in base->iteration */
    void *method;
    double passes; /* of an iteration over A, about */
    /* Or NULL. Without a given start x begins at 0, and the model grows to s over this many iterations. */
    int64_t *growth;

    double limit, reserve; /* passes: of the run, and kept of them for the fit at the end */
};

/* The whole run, after smoothing_start: until max_iterations are done, or the passes where they are limited. */
spgm_error stages_run(struct stages *stages, spgm_status *status);

#endif
