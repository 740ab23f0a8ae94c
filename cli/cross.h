/* Cross-validation over s and the ridge: what cv and `fit --sparsity auto` share. */
#ifndef SPGM_CLI_CROSS_H
#define SPGM_CLI_CROSS_H

#include "cli.h"

enum { CROSS_RIDGES = 64 }; /* the most numbers of --ridge */

/* The results of a cross-validation. With more than two labels each has a problem of its own on the same folds, and the
 * losses are means over the labels. */
struct cross {
    spgm_cv *cv;
    int64_t count, ridges, folds, finished; /* of sizes, of ridges, of folds and of those that are done */
    int64_t shares;                         /* folds of one split                                      */
    int64_t best, simple;                   /* sizes by the lowest mean and by one standard error      */
    int64_t shrunk_ridge;                   /* of `best`, by one standard error                        */
    int64_t chosen, chosen_ridge;           /* by option `rule`                                        */
    int has_ridges, is_scaled;              /* the ridge was chosen; from values that the data give    */
    char rule[64];
    int64_t projected; /* s by the rule projected; -1: another rule */
    char loss[128];    /* under which the models of the table were fitted, as report_loss has it */
    char losses[160];  /* of --loss auto: what they are, with the lowest mean of each; else empty */
    double seconds;
    int64_t *sizes;       /* [count]                                         */
    double *mean, *error; /* [count] with the best ridge of each             */
    int64_t *ridge;       /* which one that is, from the largest down [count] */
};

/* The sizes, or NULL and 0: as far as the loss falls. The chosen ridge is set in the options and the problem. With
 * --loss auto the loss is chosen as well, among those that spgm_loss_candidate names, by the mean error of their models
 * outside the folds as the first of them measures it. With the rule projected the problem becomes that of squares with
 * the predictions of the mean of models as its target. */
int cross_run(struct cross *cross, const struct args *args, struct task *task, const int64_t *sizes, int64_t count);
void cross_free(struct cross *cross);
/* Set a single number of --ridge in the options; an error if it is not a number. */
int cross_settle_ridge(const struct args *args);
/* The description of the loss in the table if it is not that of the options with its ridge (the table has many ridges,
 * or the model is fitted by squares); otherwise NULL. */
const char *cross_loss(const struct cross *cross);
const char *cross_rule_text(const struct cross *cross);
/* The s of the model: by the table, or of the projection. */
int64_t cross_size(const struct cross *cross);
/* How s and the ridge were chosen, for the model file. */
void cross_sentence(const struct cross *cross, char *text, size_t size);

#endif
