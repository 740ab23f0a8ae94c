/* Choosing s: what path, cv, compare and `fit --sparsity auto` share. */
#ifndef SPGM_CLI_CHOOSE_H
#define SPGM_CLI_CHOOSE_H

#include "cli.h"

/* The progress line of a path or a cross-validation. */
struct ticker {
    const struct args *args;
    double next; /* seconds when it is due */
};

void choose_progress(struct ticker *ticker, const spgm_progress *progress);
/* Checks the sizes, with an error message for one that is not possible. */
int choose_check_sizes(const struct task *task, const int64_t *sizes, int64_t count);
/* Sizes for a path if none are given: 0 to 20, then in wider steps, as far as the data allow; free *sizes. */
int choose_sizes(const struct args *args, const struct task *task, int64_t **sizes, int64_t *count);
/* What is solved, for people. */
void choose_heading(const struct args *args, const struct task *task, const char *loss, const int64_t *sizes,
                    int64_t count);
/* "1 to 20" or "5, 10, 20" */
const char *choose_sizes_text(const int64_t *sizes, int64_t count, char *text, size_t size);

/* The s of `fit --sparsity auto`, and a sentence that says how and why it was chosen. Cross-validation also chooses the
 * ridge, which is set in the options. */
int choose_sparsity(const struct args *args, struct task *task, int64_t *sparsity, char *why, size_t size);

#endif
