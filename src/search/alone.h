/* A method as it would run alone, inside `auto`: from the start and with the random numbers of the run as it was given.
 */
#ifndef SPGM_SEARCH_ALONE_H
#define SPGM_SEARCH_ALONE_H

#include "method/method.h"

struct alone {
    struct run first;    /* the run as it was given, with arrays for one method at a time   */
    const double *start; /* its x then [columns]                                             */
    double *x, *best;    /* of the method that ran last: where it was, and its end [columns] */
    double *changes;     /* [window]                                                         */
};

/* For `run` as it is now, whose own arrays the methods take besides. */
void alone_init(struct alone *alone, const struct run *run, struct workspace *workspace);
/* The same with arrays of its own, so that two can be at work at once. */
void alone_copy(struct alone *copy, const struct alone *alone, struct workspace *workspace);
/* One method; its end is in alone->best, and offered to `run`, of which its progress is a part. A problem that the
 * method does not take is no error. */
spgm_error alone_run(struct alone *alone, const struct method *method, struct run *run, spgm_status *status);

#endif
