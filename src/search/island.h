/*
 * An island: a search on the loss with its companions, with random numbers of its own. `auto` has a few of them, which
 * run side by side on the threads of the run and meet after fixed amounts of work (islands.h). What an island does
 * depends only on its number and the problem.
 */
#ifndef SPGM_SEARCH_ISLAND_H
#define SPGM_SEARCH_ISLAND_H

#include "method/method.h"
#include "search/companion.h"
#include "search/exchange.h"

struct visitor {
    struct companion *search; /* may be NULL */
    int64_t visit;            /* restarts on the loss until the next visit */
    int64_t pause;            /* restarts on the loss between the last two visits */
    double work;              /* work on it since the best F fell last */
    int has_visited;          /* the first visit is over */
    int found;                /* it has a lower end that was not yet fitted for the loss */
    double known;             /* the best F of the loss from which it was last started */
    double floor;             /* its lowest F over all islands when they last met */
};

struct island {
    struct run *run; /* for the first island the run of `auto`, else `own` */
    struct run own;
    struct workspace workspace;
    struct exchange *exchange;
    struct visitor companions[MOST_COMPANIONS];
    double work;   /* on the loss itself since the best F fell last */
    int64_t quiet; /* restarts on the loss since then */
    double zero;   /* h at x = 0 */

    struct visitor *visited; /* the companion being visited, or NULL */
    int64_t tries, idle;     /* restarts of this visit, and those in a row that have not lowered F */
    double before, spent;    /* the best F and the work at the beginning of this turn */

    int64_t restarts, agreeing; /* as in struct run, for this island */
    int64_t arrivals;           /* those of `agreeing` that began at a higher F */
    double tallied;             /* the best F to which `agreeing` refers */
    double worst;               /* the highest F at the end of a start */
    spgm_error error;
    spgm_status status;
};

/* Initialise the first island, which works on the run itself. */
spgm_error island_first(struct island *island, struct run *run, double zero, spgm_status *status);
/* Initialise another island beside the run, from a feasible x with its F, and take the memory of its searches. An error
 * is kept in the island. */
void island_settle(struct island *island, const struct run *beside, int64_t number, double zero, const double *x,
                   double objective);
void island_free(struct island *island);

/* Visit the first companion, if there is one, from the beginning of the visit to its end. */
void island_visit(struct island *island);
/* Fit x for the loss, and improve it by exchanges if its F is at most island_worthwhile. */
void island_improve(struct island *island, const double *x);
double island_worthwhile(const struct island *island); /* the F up to which this is done */
/* Take over the best model of all islands. Not for the squared loss, where the island's own walk goes on. */
void island_adopt(struct island *island, const double *x, double objective);
/* Make restarts, and visits in between, until `work` multiplications or `restarts` restarts on the loss are done. */
void island_search(struct island *island, double work, int64_t restarts);
/* Count a start: the search on the loss has ended at its current support. */
void island_tally(struct island *island);
/* Whether to stop: an error, a limit, a stop request, or a perfect fit. */
int island_is_over(struct island *island);

#endif
