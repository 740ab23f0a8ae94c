/*
 * Independent pieces of work side by side, each on one thread: for bands, cross-validation and resampling.
 *
 * HOW IT WORKS: each thread takes the next piece until there is none, so what a piece computes does not depend on the
 * number of threads. The calling thread works like the others, and only it calls the callback. When no piece is left
 * for it, it waits and keeps calling back until the others are done.
 */
#ifndef SPGM_SELECT_CREW_H
#define SPGM_SELECT_CREW_H

#include <stdatomic.h>

#include "base/options.h"
#include "base/status.h"

struct crew_piece;

/* How a time limit is shared by pieces that begin one after the other: each gets an equal share of the time left for
 * the pieces left. A piece that could not end in time is not begun, nor is any after it. */
struct rations {
    double within;  /* clock_seconds at the end of the time that is shared */
    double until;   /* clock_seconds by which everything must be over */
    int64_t always; /* so many pieces are begun in any case */
    double least;   /* the shortest time of the pieces that exceeded their share; 0: there is none */
    int is_whole;   /* all pieces are needed: none begins if not all can end */
    int is_over;    /* a piece was left out, and so are all after it */
};

struct crew {
    const char *name; /* becomes progress->method */
    int64_t pieces;
    int64_t done_before; /* number of further pieces that an earlier run did */
    int64_t threads;     /* the option `threads` */
    void *context;
    spgm_error (*work)(void *context, const struct crew_piece *piece, spgm_status *status);
    spgm_progress_function progress; /* callback of the user, or NULL */
    void *progress_context;
    struct rations *rations; /* NULL: there is no time limit */
    atomic_int *stop;        /* set from another thread, by the callback, or after an error: every piece stops */
};

struct crew_run;

struct crew_piece {
    struct crew_run *run;
    int64_t number;
    double seconds; /* its share of the time, or INFINITY */
};

/* Run all pieces. Returns the first error of a piece. */
spgm_error crew_run(const struct crew *crew, spgm_status *status);
/* The progress function for runs inside a piece, with the piece as its context. */
int crew_progress(const spgm_progress *progress, void *piece);
/* The time for one piece if all of them together have time_limit. */
double crew_seconds(const struct crew *crew, double time_limit);
/* The seconds from now for piece `number`, if `turns` pieces are still to run one after the other; negative: do not
 * begin it. */
double rations_take(struct rations *rations, double now, int64_t number, double turns);
/* Note after a piece the time that it was given and the time that it took. */
void rations_note(struct rations *rations, double given, double took);

#endif
