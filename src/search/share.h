/*
 * Searches that need all rows in one process, when rows are spread over processes: one process searches a problem of
 * gathered rows and sends what it finds to all.
 */
#ifndef SPGM_SEARCH_SHARE_H
#define SPGM_SEARCH_SHARE_H

#include "base/party.h"
#include "method/method.h"

/* The processes of a run; NULL if there is only one. */
static inline struct party *run_party(const struct run *run) {
    return run->problem->A->reduce == NULL ? NULL : run->problem->A->reduce->party;
}

/* The result of one process's search, in the data's units. */
struct finding {
    spgm_error error;
    spgm_status status;
    spgm_outcome outcome;
    double intercept, bound, spread;
    int64_t iterations, nodes, restarts, agreeing;
};

/* Send the finding of process `root` to all: x [data_columns] and the result of its run. Does nothing with one process.
 * Returns the error of that run. */
spgm_error share_finding(const struct run *run, int64_t root, struct finding *finding, double *x, spgm_status *status);

/* Begin a run on gathered or sampled rows: limits, interrupts and the callback are those of `run`, and the callback is
 * told the phase of `run`. */
void share_begin(struct run *run, struct run *child);

/* Bytes of A over all processes. */
double share_bytes(const struct run *run);
/*
 * Run the method on all rows, gathered in process 0; its end becomes the end of the run. The run must have a source.
 */
spgm_error share_gathered(struct run *run, const struct method *method, spgm_status *status);

#endif
