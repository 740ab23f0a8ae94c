/* Choosing s: what path, cv, compare and `fit --sparsity auto` share. */
#ifndef SPGM_CLI_CHOOSE_H
#define SPGM_CLI_CHOOSE_H

#include "cli.h"

/* The line that says how far a path or a cross-validation is. */
struct ticker {
    const struct args *args;
    double next; /* seconds when it is due */
};

void choose_progress(struct ticker *ticker, const spgm_progress *progress);
/* A sentence when one of the sizes cannot be. */
int choose_check_sizes(const struct task *task, const int64_t *sizes, int64_t count);
/* Sizes for a path where none are given: 0 to 20, then wider steps, as far as the data carry; free *sizes. */
int choose_sizes(const struct args *args, const struct task *task, int64_t **sizes, int64_t *count);
/* What is solved, for people. */
void choose_heading(const struct args *args, const struct task *task, const char *loss, const int64_t *sizes,
                    int64_t count);
/* "1 to 20" or "5, 10, 20" */
const char *choose_sizes_text(const int64_t *sizes, int64_t count, char *text, size_t size);

/* The s of `fit --sparsity auto`, and a sentence that says how and why it was chosen; by cross-validation the ridge,
 * too, which becomes that of the options. */
int choose_sparsity(const struct args *args, struct task *task, int64_t *sparsity, char *why, size_t size);

#endif
