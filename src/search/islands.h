/*
 * Several islands (island.h), side by side on the threads of the run.
 *
 * HOW IT WORKS: all islands work for a time that is measured in multiplications, never by the clock, and then meet. At
 * a meeting, what each has found is offered to the run in the order of the islands. So the result does not depend on
 * the number of threads; with one thread the islands take turns. Under a time limit the improvements of an unfinished
 * round count as well. Only the thread that called `auto` calls the callback: from the islands that it works on, and at
 * every meeting.
 */
#ifndef SPGM_SEARCH_ISLANDS_H
#define SPGM_SEARCH_ISLANDS_H

#include "search/alone.h"
#include "search/island.h"

enum {
    ISLANDS = 2 /* on one thread four were worse for linf at 1 s (README.md, What was tried) */
};

struct islands;

/* At most `most` islands for the run, whose best x is known. The first one is ready at once. */
spgm_error islands_new(struct run *run, int64_t most, double zero, struct islands **islands, spgm_status *status);
void islands_free(struct islands *islands); /* accepts NULL */
struct island *islands_first(struct islands *islands);
/* Improve x, which is near its own fit, and a greedy start, by visits to squares and exchanges. The other islands
 * begin. */
spgm_error islands_open(struct islands *islands, const double *x, spgm_status *status);
/* Each island works until it has made `restarts` restarts or used its share of a round; then they meet. */
spgm_error islands_round(struct islands *islands, int64_t restarts, spgm_status *status);
/* Run methods as they would run alone, each on one of the islands, which improves its end by exchanges. */
spgm_error islands_try_methods(struct islands *islands, struct alone *alone, int count,
                               const struct method *const *methods, spgm_status *status);
/* Update run->restarts, agreeing and spread. */
void islands_tally(struct islands *islands);
/* How many of the starts that agree began at a higher F. A restart that returns to where it began tells nothing. */
int64_t islands_arrivals(const struct islands *islands);

#endif
