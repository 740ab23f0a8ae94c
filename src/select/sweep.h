/*
 * The sweep over the entries of a path: what sweep.c (the passes) and sweep_visit.c (the search from a start) share.
 */
#ifndef SPGM_SELECT_SWEEP_H
#define SPGM_SELECT_SWEEP_H

#include "method/method.h"
#include "select/path.h"

enum { UPWARDS = 0, DOWNWARDS = 1 };

/* How a visit searches from its start. */
enum sweep_search {
    SWEEP_SEARCH, /* exchanges until none lowers F, then restarts until `amount` of them in a row do not lower it */
    SWEEP_ANCHOR  /* a fit by `auto` of its own, with effort `amount` */
};

struct sweep {
    struct spgm_path *path;
    const struct problem *problem;
    const struct method *method;
    struct workspace workspace;
    int is_auto;
    int64_t effort;              /* 1 to 9 */
    struct spgm_options options; /* options of the path, with the effort of the present fit */
    double *x;                   /* a starting point [columns] */
    int64_t *support;            /* [columns] */
    double began, deadline;
    spgm_outcome stop; /* why the sweep must end, or SPGM_NOT_RUN */

    /* progress: the shares of the work at which this phase begins and ends, and how much of the phase is done */
    const char *phase;
    double phase_begins, phase_ends, phase_done;
    int64_t visited;

    struct path_entry *entry; /* the current entry */
};

int sweep_must_stop(struct sweep *sweep);
/* The progress callback of a run within the sweep. */
int sweep_tick(const spgm_progress *inner, void *context);

/* Set sweep->x to the point of the entry. */
void sweep_unpack(struct sweep *sweep, const struct path_entry *entry);

/* Whether all supports are fitted because they are few: s = 0, all columns, or not many supports more (sweep_visit.c).
 */
int sweep_is_exact(const struct sweep *sweep);
/* Search for the current entry from sweep->x, which may have fewer or more nonzeros than the entry may have, until
 * `deadline` at the latest. */
spgm_error sweep_visit(struct sweep *sweep, enum sweep_search search, int64_t amount, double deadline,
                       spgm_status *status);
/* Take the point of `below`, which is feasible, if it has a lower F than the current entry. */
void sweep_inherit(struct sweep *sweep, const struct path_entry *below);

#endif
