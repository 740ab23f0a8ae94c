/* The communicator over MPI. */
#include "spgm/mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct messenger {
    MPI_Comm comm;
    int rank;
    int64_t messages;
    double bytes;
    int is_timed;
    double path, mark; /* the longest chain of work so far; processor time after the last message */
};

enum { PIECE = 1 << 27 }; /* values or bytes of one message: counts are ints */

static double processor_seconds(void) {
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Before a message: the chains of all processes continue from the slowest one. */
static void meet(struct messenger *m) {
    if (m->is_timed) {
        m->path += processor_seconds() - m->mark;
        MPI_Allreduce(MPI_IN_PLACE, &m->path, 1, MPI_DOUBLE, MPI_MAX, m->comm);
    }
}

static void depart(struct messenger *m) {
    m->mark = m->is_timed ? processor_seconds() : 0;
}

/* On process 0, then to all: MPI_Allreduce may add in another order on each process. */
static int reduce(struct messenger *m, double *values, int64_t count, MPI_Op operation) {
    meet(m);
    for (int64_t first = 0; first < count; first += PIECE) {
        int part = (int)(count - first < PIECE ? count - first : PIECE);
        const void *from = m->rank == 0 ? MPI_IN_PLACE : (const void *)(values + first);
        int failed = MPI_Reduce(from, m->rank == 0 ? values + first : NULL, part, MPI_DOUBLE, operation, 0, m->comm);

        if (failed || MPI_Bcast(values + first, part, MPI_DOUBLE, 0, m->comm)) {
            return 1;
        }
        m->messages++;
        m->bytes += (double)part * sizeof *values;
    }
    depart(m);
    return 0;
}

static int sum(void *context, double *values, int64_t count) {
    return reduce(context, values, count, MPI_SUM);
}

static int max(void *context, double *values, int64_t count) {
    return reduce(context, values, count, MPI_MAX);
}

static int broadcast(void *context, void *data, int64_t bytes, int64_t root) {
    struct messenger *m = context;

    meet(m);
    for (int64_t first = 0; first < bytes; first += PIECE) {
        int part = (int)(bytes - first < PIECE ? bytes - first : PIECE);

        if (MPI_Bcast((char *)data + first, part, MPI_BYTE, (int)root, m->comm)) {
            return 1;
        }
        m->messages++;
        m->bytes += part;
    }
    depart(m);
    return 0;
}

static void fail(void *context, const char *sentence) {
    struct messenger *m = context;

    fprintf(stderr, "spgm-mpi: process %d: %s\n", m->rank, sentence);
    fflush(stderr);
    MPI_Abort(m->comm, 1);
}

int spgm_mpi_open(MPI_Comm comm, spgm_communicator *communicator) {
    struct messenger *m = calloc(1, sizeof *m);
    int size;

    if (m == NULL || MPI_Comm_dup(comm, &m->comm)) {
        free(m);
        return 1;
    }
    MPI_Comm_rank(m->comm, &m->rank);
    MPI_Comm_size(m->comm, &size);
    *communicator = (spgm_communicator){m->rank, size, sum, max, broadcast, fail, m};
    return 0;
}

void spgm_mpi_close(spgm_communicator *communicator) {
    struct messenger *m = communicator->context;

    if (m != NULL) {
        MPI_Comm_free(&m->comm);
        free(m);
        communicator->context = NULL;
    }
}

void spgm_mpi_count(const spgm_communicator *communicator, int64_t *messages, double *bytes) {
    const struct messenger *m = communicator->context;

    *messages = m->messages;
    *bytes = m->bytes;
}

void spgm_mpi_time(spgm_communicator *communicator) {
    struct messenger *m = communicator->context;

    m->is_timed = 1;
    m->path = 0;
    depart(m);
}

double spgm_mpi_path(const spgm_communicator *communicator) {
    const struct messenger *m = communicator->context;

    return m->is_timed ? m->path : 0;
}
