/*
 * Rows over MPI: a communicator for spgm_problem_new_distributed (libspgm-mpi, built by `make mpi`).
 *
 *     MPI_Init(&argc, &argv);
 *     spgm_communicator all;
 *     if (spgm_mpi_open(MPI_COMM_WORLD, &all)) ...
 *     spgm_problem_new_distributed(&my_rows, my_b, options, &all, &problem, &status);
 *     ...
 *     spgm_mpi_close(&all);
 *     MPI_Finalize();
 */
#ifndef SPGM_MPI_H
#define SPGM_MPI_H

#include <mpi.h>

#include "spgm/spgm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called by every process of `comm`, of which a duplicate is used, so that other messages are not in the way. 0: done;
 * otherwise there is no memory, or MPI refused. Sums are reduced on process 0 and broadcast: the same bits everywhere.
 * Where a process gives up alone, it says why on standard error and ends the job (MPI_Abort). */
SPGM_API int spgm_mpi_open(MPI_Comm comm, spgm_communicator *communicator);
SPGM_API void spgm_mpi_close(spgm_communicator *communicator);
/* Messages and bytes that this process has taken part in, for measurements. */
SPGM_API void spgm_mpi_count(const spgm_communicator *communicator, int64_t *messages, double *bytes);
/* From now on the longest chain of work is measured, at the cost of one more message for each: processor time outside
 * messages, where each message waits for the process that comes last. It is what the job would take on processors of
 * its own, but for the messages. Called by every process. */
SPGM_API void spgm_mpi_time(spgm_communicator *communicator);
SPGM_API double spgm_mpi_path(const spgm_communicator *communicator); /* seconds up to the last message */

#ifdef __cplusplus
}
#endif

#endif
