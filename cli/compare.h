/* spgm compare: what its files share. */
#ifndef SPGM_CLI_COMPARE_H
#define SPGM_CLI_COMPARE_H

#include "chart.h"
#include "trial.h"

enum { METHODS_MAX = KINDS_MAX };

/* A method, possibly with settings of its own. */
struct variant {
    char name[160];     /* "spgm-bcd" or "spgm-bcd:random-coordinates=12" */
    const char *method; /* of the registry                                */
    spgm_options *options;
    int style;
};

struct compare {
    const struct args *args;
    struct task task;
    int64_t *sparsity; /* [sizes] ascending */
    int64_t sizes, starts, seed;
    struct variant variant[METHODS_MAX];
    int64_t methods;
    int threads;
    struct trial *trials; /* [sizes x methods x starts] */

    /* of the run */
    int64_t finished;
    struct forecast forecast; /* by method */
    char current[224];
};

/* The variants of --methods (compare_methods.c). */
int compare_choose_methods(struct compare *compare);
void compare_free_methods(struct compare *compare);

const struct trial *compare_trial(const struct compare *compare, int64_t size, int64_t method, int64_t start);

/* Mean and ends over the starts. */
struct spread {
    double mean, low, high;
};

/* The results of one method at one s over all starts. */
struct summary {
    int64_t done;        /* runs that ended; 0: nothing below holds                  */
    const char *message; /* why the method cannot take the problem, or NULL          */
    struct spread raw, polished, seconds;
    const struct trial *best; /* lowest polished F                                       */
    double overlap;           /* share of the best support of all methods that `best` has */
};

struct summary compare_summary(const struct compare *compare, int64_t size, int64_t method);
/* The lowest polished F at this s over all methods and starts; NULL before any run is done. */
const struct trial *compare_best(const struct compare *compare, int64_t size, int64_t *method);
/* The highest proven bound at this s, or -INFINITY. */
double compare_bound(const struct compare *compare, int64_t size, int64_t *method);
/* Share of the columns of `best` that are in the support of `trial`. */
double compare_overlap(const struct trial *trial, const struct trial *best);
const char *compare_option(const struct compare *compare, const char *name, char text[64]);
/* "l1 + ridge 0.01, intercept" */
const char *compare_problem(const struct compare *compare, char text[160]);

/* The table for people, on standard error. */
void compare_table(const struct compare *compare);
/* Every run, as CSV or, where the name ends in .json, JSON. */
int compare_write(const struct compare *compare, const char *path);
/* The page. */
int compare_page(const struct compare *compare, const char *path);

/* Charts (compare_charts.c): room for one number per method and s, and a line for each method. */
struct compare_grid {
    double *x, *y, *low, *high;
    struct chart_series *series;
};
enum compare_quantity { COMPARE_RAW, COMPARE_POLISHED, COMPARE_EXCESS, COMPARE_TIME };

/* Returns zero if out of memory; it must be freed even then. */
int compare_grid_new(struct compare_grid *grid, const struct compare *compare);
void compare_grid_free(struct compare_grid *grid);
/* The chart without its size; its numbers are in the grid. */
struct chart compare_chart(const struct compare *compare, struct compare_grid *grid, enum compare_quantity what);
/* Per cent above the lowest F, but no less than the floor of the drawing. */
double compare_excess(double objective, double lowest);
/* The charts as a file. */
int compare_figure(const struct compare *compare, const char *path);

/* Methods against s: the mean F after exact minimisation, the lowest in bold; and the mean time (compare_text.c). */
void compare_markdown(FILE *file, const struct compare *compare);
void compare_latex(FILE *file, const struct compare *compare);

#endif
