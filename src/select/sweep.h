/*
 * A sweep over the entries of a path: what sweep.c (passes) and sweep_visit.c (what is done from a start) share.
 */
#ifndef SPGM_SELECT_SWEEP_H
#define SPGM_SELECT_SWEEP_H

#include "method/method.h"
#include "select/path.h"

enum { UPWARDS = 0, DOWNWARDS = 1 };

/* What is done from a start. */
enum sweep_search {
    SWEEP_SEARCH, /* exchanges until none lowers F, then restarts until `amount` in a row bring nothing */
    SWEEP_ANCHOR  /* a fit of its own by auto, of the effort `amount`                                   */
};

struct sweep {
    struct spgm_path *path;
    const struct problem *problem;
    const struct method *method;
    struct workspace workspace;
    int is_auto;
    int64_t effort;              /* 1 to 9 */
    struct spgm_options options; /* those of the path, the effort set for each fit */
    double *x;                   /* [columns] a start */
    int64_t *support;            /* [columns]         */
    double began, deadline;
    spgm_outcome stop; /* why the sweep must end, or SPGM_NOT_RUN */

    /* progress: the part of the work that this phase is, and how much of the phase is done */
    const char *phase;
    double phase_begins, phase_ends, phase_done;
    int64_t visited;

    struct path_entry *entry; /* the one at hand */
};

int sweep_must_stop(struct sweep *sweep);
/* The progress callback of a run within the sweep. */
int sweep_tick(const spgm_progress *inner, void *context);

/* sweep->x: the point of the entry. */
void sweep_unpack(struct sweep *sweep, const struct path_entry *entry);

/* So few supports that all are fitted: s = 0, all columns, or not many more (sweep_visit.c). */
int sweep_is_exact(const struct sweep *sweep);
/* From the start in sweep->x, which may have fewer or more nonzeros than the entry may, until `deadline` at the latest.
 */
spgm_error sweep_visit(struct sweep *sweep, enum sweep_search search, int64_t amount, double deadline,
                       spgm_status *status);
/* The point of `below` where it is better than that of the entry at hand: it is feasible there. */
void sweep_inherit(struct sweep *sweep, const struct path_entry *below);

#endif
