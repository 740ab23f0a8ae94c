/* A method inside `auto`, run with the start and the random numbers that it would have alone. */
#ifndef SPGM_SEARCH_ALONE_H
#define SPGM_SEARCH_ALONE_H

#include "method/method.h"

struct alone {
    struct run first;    /* the run as it was given, with arrays for one method at a time */
    const double *start; /* its starting point [columns] */
    double *x, *best;    /* of the method that ran last: its last iterate and its best point [columns] */
    double *changes;     /* [window] */
};

/* Prepare for `run` in its present state. The methods also use arrays of `run`. */
void alone_init(struct alone *alone, const struct run *run, struct workspace *workspace);
/* A copy with arrays of its own, so that two methods can run at once. */
void alone_copy(struct alone *copy, const struct alone *alone, struct workspace *workspace);
/* Run one method. Its end is in alone->best and is offered to `run`; its progress is reported as part of `run`. A
 * problem that the method cannot solve is not an error. */
spgm_error alone_run(struct alone *alone, const struct method *method, struct run *run, spgm_status *status);

#endif
