/*
 * The processes that have the rows of a problem between them (spgm_communicator), as the rest of the library sees them.
 *
 * HOW IT WORKS: every process runs the same program, and whatever is decided is decided from values that are the same
 * everywhere: vectors over columns, and sums and maxima over rows. What only one process can know, that a limit has
 * passed or somebody asked to stop, is known to process 0 and travels with every short sum and maximum, as one more
 * value: all processes learn it between the same two of their steps.
 *
 * A call that fails leaves the values as they are, and every later one does nothing. Runs then end at their next
 * question whether to stop.
 */
#ifndef SPGM_BASE_PARTY_H
#define SPGM_BASE_PARTY_H

#include "base/status.h"

enum party_request { PARTY_GO_ON = 0, PARTY_OUT_OF_TIME, PARTY_INTERRUPTED };

enum { PARTY_ROOM = 255 }; /* values of a short sum */

struct party {
    spgm_communicator all;
    int has_failed;
    enum party_request request;               /* what is agreed                                             */
    enum party_request (*ask)(void *context); /* process 0: is there one? NULL: no                          */
    void *ask_context;
    int wants_stop; /* process 0: the callback said so                            */
    int is_agreed;  /* the error at hand is everybody's                           */
    double room[PARTY_ROOM + 1];
};

/* Like spgm_communicator's, for the hooks of operators and losses. */
void party_sum(void *party, double *values, int64_t count);
void party_max(void *party, double *values, int64_t count);
/* Nonzero: it failed. */
int party_broadcast(struct party *party, void *data, int64_t bytes, int64_t root);
/* Ask process 0 now. */
void party_ask(struct party *party);
/* The error of the lowest process that has one, with its sentence, for all. */
spgm_error party_agree(struct party *party, spgm_error error, spgm_status *status);
/* The sum of `count` over the processes before this one. */
int64_t party_before(struct party *party, int64_t count);
/* Whether all have the same. */
int party_is_same(struct party *party, uint64_t word);
/* At the end of a run: an error that only this process can know makes the others fail; one of theirs is returned here.
 */
spgm_error party_end(struct party *party, spgm_error error, spgm_status *status);

/* A word for party_is_same, from any bytes; begin with 0. */
uint64_t party_word(uint64_t word, const void *data, int64_t bytes);

#endif
