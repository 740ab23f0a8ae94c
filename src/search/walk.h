/*
 * A walk along the entries of a path: what walk.c (passes), walk_start.c (starts from a neighbour) and walk_visit.c
 * (what is done from a start) share.
 */
#ifndef SPGM_SEARCH_WALK_H
#define SPGM_SEARCH_WALK_H

#include "method/method.h"
#include "search/exchange.h"
#include "search/path.h"

enum { UPWARDS = 0, DOWNWARDS = 1 };

/* What is done from a start. */
enum walk_search {
    WALK_SEARCH, /* exchanges until none lowers F, then restarts until `amount` in a row bring nothing */
    WALK_ANCHOR  /* a fit of its own by auto, of the effort `amount`                                   */
};

struct walk {
    struct spgm_path *path;
    const struct problem *problem;
    const struct method *method;
    struct exchange *exchange;
    struct workspace workspace;
    int is_auto;
    int has_warm_fits;           /* the search starts near a fit and finds it in few pivots */
    int64_t effort;              /* 1 to 9 */
    struct spgm_options options; /* those of the path, the effort set for each fit */
    double *x;                   /* [columns] a start */
    double *keys;                /* [columns]         */
    double *scratch;             /* [columns]         */
    int64_t *chosen;             /* [columns]         */
    int64_t *support;            /* [columns]         */
    double began, deadline;
    spgm_outcome stop; /* why the walk must end, or SPGM_NOT_RUN */

    /* progress: the part of the work that this phase is, and how much of the phase is done */
    const char *phase;
    double phase_begins, phase_ends, phase_done;
    int64_t visited;

    struct path_entry *entry; /* the one at hand */
};

int walk_must_stop(struct walk *walk);
/* The progress callback of a run within the walk. */
int walk_tick(const spgm_progress *inner, void *context);

/* walk->x: the point of the entry. */
void walk_unpack(struct walk *walk, const struct path_entry *entry);

/* walk->x: the point of `below` with columns added up to the entry at hand; NULL: from nothing (walk_start.c). */
spgm_error walk_grow(struct walk *walk, const struct path_entry *below, spgm_status *status);
/* walk->x: the point of `above` with columns dropped down to the entry at hand. */
spgm_error walk_shrink(struct walk *walk, const struct path_entry *above, spgm_status *status);

/* So few supports that all are fitted: s = 0, all columns, or not many more (walk_visit.c). */
int walk_is_exact(const struct walk *walk);
/* From the start in walk->x, until `deadline` at the latest. */
spgm_error walk_visit(struct walk *walk, enum walk_search search, int64_t amount, double deadline, spgm_status *status);
/* The point of `below` where it is better than that of the entry at hand: it is feasible there. */
void walk_inherit(struct walk *walk, const struct path_entry *below);

#endif
