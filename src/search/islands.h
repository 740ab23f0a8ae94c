/*
 * Several islands (island.h), side by side on the threads of the run.
 *
 * HOW IT WORKS: all of them work for a while that is measured in multiplications, never by the clock, and then meet:
 * what each has found is offered to the run in their order. So the same is found whatever the number of threads; one
 * thread takes the islands in turn. Under a time limit what has been found so far counts, in the middle of a round,
 * too. The callback is called by the thread that called `auto` and by no other: by the islands that it works on, and at
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

/* For the run, whose best x is known; at most `most` of them. The first one is there from now on. */
spgm_error islands_new(struct run *run, int64_t most, double zero, struct islands **islands, spgm_status *status);
void islands_free(struct islands *islands); /* accepts NULL */
struct island *islands_first(struct islands *islands);
/* From x, near its own fit, and a greedy start: what squares and exchanges make of them; the others begin. */
spgm_error islands_open(struct islands *islands, const double *x, spgm_status *status);
/* Each works until it has made `restarts` restarts, or its share of a round, and they meet. */
spgm_error islands_round(struct islands *islands, int64_t restarts, spgm_status *status);
/* Methods as they would run alone, each on one of the islands, which improves its end by exchanges. */
spgm_error islands_try_methods(struct islands *islands, struct alone *alone, int count,
                               const struct method *const *methods, spgm_status *status);
/* run->restarts, agreeing and spread as they are now. */
void islands_tally(struct islands *islands);
/* Of the starts that agree, those that began at a higher F: what returns to where it began says nothing. */
int64_t islands_arrivals(const struct islands *islands);

#endif
