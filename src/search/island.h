/*
 * An island: a search on the loss and, where they are of use, on its companions beside it, with random numbers of their
 * own. `auto` has a few of them, which work side by side on the threads of the run and meet after fixed amounts of work
 * (islands.h). What an island does depends on nothing but its number and the problem.
 */
#ifndef SPGM_SEARCH_ISLAND_H
#define SPGM_SEARCH_ISLAND_H

#include "method/method.h"
#include "search/companion.h"
#include "search/exchange.h"

struct visitor {
    struct companion *search; /* or NULL                                          */
    int64_t visit;            /* restarts before the next visit                   */
    int64_t pause;            /* between the last two visits                      */
    double work;              /* on it since the best F fell last                 */
    int has_visited;          /* the first visit is over                          */
    int found;                /* something there that the loss has not seen yet   */
    double known;             /* the best F of the loss that it has started from  */
    double floor;             /* the lowest F there of all islands when they met  */
};

struct island {
    struct run *run; /* that of `auto` for the first one, else `own` */
    struct run own;
    struct workspace workspace;
    struct exchange *exchange;
    struct visitor companions[MOST_COMPANIONS];
    double work;   /* on the loss itself since the best F fell last */
    int64_t quiet; /* restarts on it since then                   */
    double zero;   /* h at x = 0                                    */

    struct visitor *visited; /* now, or NULL                                  */
    int64_t tries, idle;     /* restarts of this visit; in a row that brought nothing */
    double before, spent;    /* the best F, and the work, as a turn began     */

    int64_t restarts, agreeing; /* as in struct run, of this island           */
    int64_t arrivals;           /* of those that agree: from a higher F       */
    double tallied;             /* the best F that `agreeing` counts          */
    double worst;               /* of the ends of the starts                  */
    spgm_error error;
    spgm_status status;
};

/* The first one, on the run itself. */
spgm_error island_first(struct island *island, struct run *run, double zero, spgm_status *status);
/* Another one beside the run, from a feasible x with its F. Takes the memory of its searches; an error is kept. */
void island_settle(struct island *island, const struct run *beside, int64_t number, double zero, const double *x,
                   double objective);
void island_free(struct island *island);

/* A visit to the first companion from its beginning to its end, if there is one. */
void island_visit(struct island *island);
/* What exchanges make of x, where its fit is not much worse than the best. */
void island_improve(struct island *island, const double *x);
double island_worthwhile(const struct island *island); /* F up to which that is tried */
/* The best of all islands becomes that of this one; not where its own walk goes on and on (the squared loss). */
void island_adopt(struct island *island, const double *x, double objective);
/* Restarts, and visits in between, until `work` multiplications or `restarts` restarts on the loss are done. */
void island_search(struct island *island, double work, int64_t restarts);
/* A start of the search on the loss has ended. */
void island_tally(struct island *island);
/* An error, a limit, a stop request, or nothing left to improve. */
int island_is_over(struct island *island);

#endif
