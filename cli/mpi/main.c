/* spgm-mpi: the commands fit, path and cv of spgm with the rows spread over MPI processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../group.h"
#include "spgm/mpi.h"

static const char *const help =
    "spgm-mpi - spgm with the rows spread over processes\n"
    "\n"
    "  mpirun -n P spgm-mpi fit|path|cv DATA... [options of that command]\n"
    "\n"
    "DATA is one file, which is cut into P parts of about as many rows, or up to P files, the parts themselves, one "
    "for\n"
    "each process; processes beyond the files have no rows. Files come before the options. 'spgm COMMAND --help' "
    "explains\n"
    "the options. Process 0 writes the results, keeps the time limit and listens to Ctrl-C.\n"
    "\n"
    "  mpirun -n 4 spgm-mpi fit part-*.svm --loss quantile --sparsity 20 --output model.json\n";

static int is_allowed(const char *command) {
    return strcmp(command, "fit") == 0 || strcmp(command, "path") == 0 || strcmp(command, "cv") == 0;
}

/* The arguments of the command for this process: its own file in place of all files. */
static int run(int argc, char **argv, const spgm_communicator *all) {
    int files = 0, result = CLI_DONE;
    while (2 + files < argc && argv[2 + files][0] != '-') {
        files++;
    }
    group_join(all, files);
    if (argc < 2 || !is_allowed(argv[1])) {
        result = cli_error("the command is fit, path or cv; 'spgm-mpi --help' says more");
    } else if (files == 0) {
        result = cli_error("no data: name the files before the options (standard input cannot be cut)");
    } else if (files > all->size) {
        result = cli_error("there are %d files and %d processes: start at least as many processes as there are files",
                           files, (int)all->size);
    }
    result = group_agree(result);
    if (result) {
        return result;
    }
    char **words = malloc((size_t)(argc + 2) * sizeof *words);
    if (!words) {
        return group_agree(cli_out_of_memory());
    }
    words[0] = argv[0];
    words[1] = argv[1];
    words[2] = argv[2 + (all->rank < files ? all->rank : files - 1)];
    memcpy(words + 3, argv + 2 + files, (size_t)(argc - 2 - files) * sizeof *words);
    words[argc - files + 1] = NULL;
    result = group_agree(cli_main(argc - files + 1, words));
    free(words);
    return result;
}

int main(int argc, char **argv) {
    spgm_communicator all;
    MPI_Init(&argc, &argv);
    if (spgm_mpi_open(MPI_COMM_WORLD, &all)) {
        fputs("spgm-mpi: MPI could not be started\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        if (all.rank == 0) {
            fputs(help, stdout);
        }
        spgm_mpi_close(&all);
        MPI_Finalize();
        return 0;
    }
    if (all.rank > 0) { /* process 0 alone prints and writes */
        if (!freopen("/dev/null", "w", stdout)) {
            return 1;
        }
    }
    if (getenv("SPGM_MPI_COUNT") && strcmp(getenv("SPGM_MPI_COUNT"), "time") == 0) {
        spgm_mpi_time(&all);
    }
    int result = run(argc, argv, &all);
    if (all.rank == 0 && getenv("SPGM_MPI_COUNT")) {
        int64_t messages;
        double bytes;
        spgm_mpi_count(&all, &messages, &bytes);
        fprintf(stderr, "%lld messages, %.0f bytes\n", (long long)messages, bytes);
        if (spgm_mpi_path(&all) > 0) {
            fprintf(stderr, "%.2f s of processor time along the longest chain\n", spgm_mpi_path(&all));
        }
    }
    spgm_mpi_close(&all);
    MPI_Finalize();
    return result;
}
