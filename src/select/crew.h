/*
 * Independent pieces of work side by side, each on one thread: what bands and resampling are made of.
 *
 * HOW IT WORKS: threads take the next piece until there is none, so that what a piece computes does not depend on how
 * many threads there are. The thread that called works like the others, and is the only one that calls back; when no
 * piece is left for it, it waits and keeps calling back until the others are done.
 */
#ifndef SPGM_SELECT_CREW_H
#define SPGM_SELECT_CREW_H

#include <stdatomic.h>

#include "base/options.h"
#include "base/status.h"

struct crew_piece;

/* What a time limit gives to pieces that begin one after the other: what is left is shared by those that are left, and
 * one that could not end in time does not begin, nor does any after it. */
struct rations {
    double within;  /* clock_seconds until which the shares go            */
    double until;   /* and by which all must be over                      */
    int64_t always; /* so many are done in any case                       */
    double least;   /* what the quickest of those took whose share was too short; 0: there is none */
    int is_whole;   /* all are needed: none begins where not all can end  */
    int is_over;    /* one was left out                                   */
};

struct crew {
    const char *name; /* progress->method              */
    int64_t pieces;
    int64_t done_before; /* pieces besides that an earlier run did */
    int64_t threads;     /* the option                             */
    void *context;
    spgm_error (*work)(void *context, const struct crew_piece *piece, spgm_status *status);
    spgm_progress_function progress; /* of the user, or NULL     */
    void *progress_context;
    struct rations *rations; /* or NULL: there is no limit */
    atomic_int *stop;        /* set from anywhere, by the callback, and by an error: every piece stops */
};

struct crew_run;

struct crew_piece {
    struct crew_run *run;
    int64_t number;
    double seconds; /* its share of the rations, or INFINITY */
};

/* The first error of a piece is returned. */
spgm_error crew_run(const struct crew *crew, spgm_status *status);
/* The progress function of what a piece runs, with the piece as its context. */
int crew_progress(const spgm_progress *progress, void *piece);
/* The time of one piece where all of them have time_limit. */
double crew_seconds(const struct crew *crew, double time_limit);
/* The seconds from now of piece `number`, where `turns` of them are still to come one after the other; negative: none
 * is left.
 */
double rations_take(struct rations *rations, double now, int64_t number, double turns);
/* After a piece: what it was given, and what it took. */
void rations_note(struct rations *rations, double given, double took);

#endif
