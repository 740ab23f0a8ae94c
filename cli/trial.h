/* Runs of methods for compare and paper: one run, and many of them side by side. */
#ifndef SPGM_CLI_TRIAL_H
#define SPGM_CLI_TRIAL_H

#include "cli.h"

/* The lowest F so far, and when it was reached. */
struct trial_point {
    double seconds, best;
};

enum trial_state { TRIAL_WAITING, TRIAL_DONE, TRIAL_REFUSED, TRIAL_INTERRUPTED };

/* One run of a method as it is, and the exact minimum over the support that it found. */
struct trial {
    enum trial_state state;
    double objective, polished; /* F of the method, and after polish      */
    double seconds, polish_seconds;
    double processor_seconds; /* of the run without polish: independent of other jobs on the machine */
    double bound;             /* proven by the method, or -INFINITY */
    double passes;            /* over A, of the run without polish                                 */
    int64_t nonzeros, iterations;
    spgm_outcome outcome;
    int64_t *support; /* [nonzeros] ascending; free with trial_free  */
    struct trial_point *curve;
    int64_t curve_count;
    char *message; /* of a method that cannot take the problem, else NULL */
};

/* Fill the trial. `options` give method and seed; one thread is used. Returns CLI_DONE even if the method refuses the
 * problem; CLI_FAILED: out of memory. Several threads may call it with the same problem. */
int trial_run(struct trial *trial, const spgm_problem *problem, int64_t sparsity, const spgm_options *options,
              int keep_curve);
void trial_free(struct trial *trial);
/* Add the run of another model to the sum, which begins as {0}: F, times, bounds; its columns are numbered from
 * `offset`. The sum is done only if every part is. CLI_FAILED: out of memory. */
int trial_add(struct trial *sum, const struct trial *part, int64_t offset);

/* The remaining time, estimated by the mean times of finished runs of the same kind. */
enum { KINDS_MAX = 64 };
struct forecast {
    double began;            /* of the whole         */
    double spent[KINDS_MAX]; /* seconds of ended runs */
    int64_t ended[KINDS_MAX], left[KINDS_MAX];
};

void forecast_begin(struct forecast *forecast);
void forecast_ended(struct forecast *forecast, int kind, double seconds);
/* Seconds of all remaining runs; a kind without finished runs counts as the mean of all. */
double forecast_left(const struct forecast *forecast);
double forecast_passed(const struct forecast *forecast);

/* Independent pieces of work, each on one thread. */
struct pieces {
    int64_t count;
    int threads;
    int (*work)(void *context, int64_t i); /* called in any thread; a result other than CLI_DONE ends everything */
    int (*done)(void *context, int64_t i); /* after work(i), one at a time, in the order in which they end   */
    void (*tick)(void *context);           /* ten times a second, never while done is running                */
    void *context;
};

/* Returns CLI_DONE or what the first failing piece returned. Ctrl-C (signals_asked) starts no more pieces. */
int pieces_run(const struct pieces *pieces);
/* One per core. */
int pieces_cores(void);

#endif
