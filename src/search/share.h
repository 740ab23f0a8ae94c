/*
 * Searches that need rows in one place, where rows live elsewhere: one process has a problem of gathered rows and
 * searches it; what it finds goes to all.
 */
#ifndef SPGM_SEARCH_SHARE_H
#define SPGM_SEARCH_SHARE_H

#include "base/party.h"
#include "method/method.h"

/* The processes of a run; NULL: there are no others. */
static inline struct party *run_party(const struct run *run) {
    return run->problem->A->reduce == NULL ? NULL : run->problem->A->reduce->party;
}

/* What one process found, in the data's units. */
struct finding {
    spgm_error error;
    spgm_status status;
    spgm_outcome outcome;
    double intercept, bound, spread;
    int64_t iterations, nodes, restarts, agreeing;
};

/* The finding of the process `root`, x [data_columns] and what became of its run, for all; does nothing where it is
 * alone. Returns the error it had. */
spgm_error share_finding(const struct run *run, int64_t root, struct finding *finding, double *x, spgm_status *status);

/* A run on a part begins: limits, interrupts and callback are those of the run, whose phase the callback is told. */
void share_begin(struct run *run, struct run *child);

/* Bytes of A over all processes. */
double share_bytes(const struct run *run);
/*
 * The method on all rows, gathered on process 0; its end becomes the end of the run. The run must have a source.
 */
spgm_error share_gathered(struct run *run, const struct method *method, spgm_status *status);

#endif
