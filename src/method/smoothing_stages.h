/* The tuned form of both variants of Algorithm 1. */
#ifndef SPGM_METHOD_SMOOTHING_STAGES_H
#define SPGM_METHOD_SMOOTHING_STAGES_H

#include "method/smoothing.h"

struct stages {
    struct smoothing *base;
    void (*step)(void *method); /* one iteration; its results are in base->iteration */
    void *method;
    double passes; /* passes over A of an iteration, approximately */
    /* If not NULL and no start was given, x begins at 0, and the model grows to s columns over this many iterations. */
    int64_t *growth;

    double limit, reserve; /* in passes: the limit of the run, and the part of it that is reserved for the final fit */
};

/* The whole run after smoothing_start: until max_iterations or the limit on passes is reached. */
spgm_error stages_run(struct stages *stages, spgm_status *status);

#endif
