/* The program spgm; spgm-mpi has an entry of its own (cli/mpi). */
#include "cli.h"

int main(int argc, char **argv) {
    return cli_main(argc, argv);
}
