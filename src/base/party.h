/*
 * The processes that share the rows of a problem (spgm_communicator), as the rest of the library sees them.
 *
 * HOW IT WORKS: every process runs the same program and bases every decision on values that are the same everywhere:
 * vectors over columns, and sums and maxima over rows. Some facts are known to one process only, such as that a limit
 * has passed or that the user asked to stop. Process 0 decides about these, and its decision travels with every short
 * sum and maximum as one more value, so that all processes learn it at the same point of the program.
 *
 * A call that fails leaves the values unchanged, and every later call does nothing. Runs then end the next time they
 * ask whether to stop.
 */
#ifndef SPGM_BASE_PARTY_H
#define SPGM_BASE_PARTY_H

#include "base/status.h"

enum party_request { PARTY_GO_ON = 0, PARTY_OUT_OF_TIME, PARTY_INTERRUPTED };

enum { PARTY_ROOM = 255 }; /* the most values of a short sum */

struct party {
    spgm_communicator all;
    int has_failed;
    enum party_request request;               /* the request that all processes know of */
    enum party_request (*ask)(void *context); /* process 0: the current request; NULL: none */
    void *ask_context;
    int wants_stop; /* process 0: the progress callback asked to stop */
    int is_agreed;  /* all processes have agreed on the current error */
    double room[PARTY_ROOM + 1];
};

/* As in spgm_communicator, in the form of the hooks of operators and losses. */
void party_sum(void *party, double *values, int64_t count);
void party_max(void *party, double *values, int64_t count);
/* Returns nonzero on failure. */
int party_broadcast(struct party *party, void *data, int64_t bytes, int64_t root);
/* Distribute the current request of process 0. */
void party_ask(struct party *party);
/* Agree on the error of the lowest process that has one, with its message. */
spgm_error party_agree(struct party *party, spgm_error error, spgm_status *status);
/* The sum of `count` over the processes before this one. */
int64_t party_before(struct party *party, int64_t count);
/* Whether `word` is the same on all processes. */
int party_is_same(struct party *party, uint64_t word);
/* At the end of a run: if one process ran out of memory, which the others cannot know, the communication is made to
 * fail, so that no process waits for it. Returns the error of this process, or else that of another. */
spgm_error party_end(struct party *party, spgm_error error, spgm_status *status);

/* A hash of any bytes for party_is_same; `word` is 0 or the hash so far. */
uint64_t party_word(uint64_t word, const void *data, int64_t bytes);

#endif
