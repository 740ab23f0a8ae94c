/*
 * A file with the finished samples of spgm stability, one per line, so that an interrupted run can continue. The first
 * line is the recipe: a hash of data, options and version. A file with another recipe is refused; an incomplete line is
 * computed again.
 */
#ifndef SPGM_CLI_STABILITY_JOURNAL_H
#define SPGM_CLI_STABILITY_JOURNAL_H

#include "cli.h"

struct journal {
    char *path; /* NULL: none */
    FILE *file;
    char *written; /* [samples] nonzero: has its line */
    int64_t samples;
    int failed; /* a line could not be written; nothing more is */
};

/* Takes over what is there. */
int samples_open(struct journal *journal, const struct args *args, const struct task *task, int64_t sparsity,
                 int independent, spgm_stability *stability);
/* A line for every sample that has none yet. */
void samples_update(struct journal *journal, const spgm_stability *stability);
/* Removes it when all is done. */
int samples_close(struct journal *journal, int is_complete);
void samples_free(struct journal *journal);

#endif
