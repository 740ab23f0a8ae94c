/* What the first-order baselines share: a feasible point, vectors over columns, and the constants of the problem. */
#ifndef SPGM_METHOD_BASELINE_H
#define SPGM_METHOD_BASELINE_H

#include "method/method.h"
#include "method/row_updates.h"

struct baseline {
    struct run *run;
    const struct problem *problem;
    struct point point; /* feasible x and c = A x - b       */
    double *x;          /* a trial point [columns]          */
    double *g;          /* a gradient [columns]             */
    double *slope;      /* the gradient of f [columns]      */
    double *keys, *scratch;
    int64_t *chosen;
    double *norm_work;
    double norm;    /* ||A||, by baseline_measure_norm      */
    double M;       /* M_s: the smoothness of f             */
    double mu;      /* mu_start, the unit of mu */
    double squares; /* the mean of ||a_j||^2 over the nonzero columns; 1 if there are none */
    double length_b;
    double clock;
    struct iteration iteration;

    /* The active columns (see baseline_look): all columns, or only the watched ones, ascending. */
    const int64_t *active; /* [active_count]                     */
    int64_t active_count;
    int64_t *every, *watched;  /* 0, 1, ..., n - 1; [watched_count]  */
    unsigned char *is_watched; /* [columns]                          */
    int64_t watched_count, age, period, longest_period;
    struct row_updates *updates; /* for A'u when all columns are computed; NULL: by whole products */
    int64_t *columns;            /* of a new point [columns]           */
    double *values;              /* [columns]                          */
};

/* Take the arrays (check workspace->failed), then compute the constants. ||A|| takes some twenty passes and is computed
 * separately. */
void baseline_init(struct baseline *base, struct run *run, struct workspace *workspace);
void baseline_measure(struct baseline *base);
void baseline_measure_norm(struct baseline *base);

/* ||v||, ||u - v|| and u'v over the rows of all processes. */
double baseline_norm(const struct problem *problem, const double *v);
double baseline_distance(const struct problem *problem, const double *u, const double *v);
double baseline_dot(const struct problem *problem, const double *u, const double *v);

/*
 * WATCHED COLUMNS. Most of the cost of an iteration is a pass over A for the gradient, but only the support and its
 * closest competitors can matter in the near future. So the gradient of all columns is computed every `period`
 * iterations only. The most promising columns are then watched, and until the next such look no other column can enter.
 * If more than half of the needed columns were not watched, a look halves the period, if need be to 1; otherwise it
 * doubles the period, up to longest_period. More frequent looks are not better: while fewer columns come and go, the
 * methods settle sooner, and at a lower F.
 */

/* Whether there are many rows for each of the s columns. */
int baseline_is_tall(const struct run *run);
/* Begin an iteration and set the active columns. Returns nonzero if all columns are active (a look). */
int baseline_look(struct baseline *base);
/* Make the next iteration a look, and reset the period to 1. */
void baseline_look_next(struct baseline *base);
/* g_j = a_j'u + weight (grad f)_j for the active columns, 0 for barred ones; x and state as in smooth_gradient. */
void baseline_gradient(struct baseline *base, const double *u, double weight, const double *x, const double *state);
/* Write the free columns and the best feasible support by keys_i of the i-th active column (free columns: infinity),
 * usually the s largest, to `columns`, ascending; returns their number. After a look it also chooses the columns to
 * watch. Keys are as of problem_key. */
int64_t baseline_choose(struct baseline *base);
/* Project x - length g, over the active columns, onto the feasible set; write the result to columns and values and
 * return its number of columns. */
int64_t baseline_threshold(struct baseline *base, double length);
/* After a look: watch the first `count` of `chosen`, ascending. Of `needed` columns, `missed` were not watched. */
void baseline_watch(struct baseline *base, int64_t count, int64_t needed, int64_t missed);
/*
 * Set the point to values_i at columns_i, i < k, and zero elsewhere; columns ascending, with the free ones among them.
 */
void baseline_move_columns(struct baseline *base, int64_t k);

/* Project x onto the feasible set. */
void baseline_project(struct baseline *base, double *x);
/* Set the point to the feasible x; step, objective and support of the iteration follow. */
void baseline_move(struct baseline *base, const double *x);
/* Begin a stage at the feasible x. */
void baseline_stage(struct baseline *base, const double *x);
int baseline_record(struct baseline *base);
/* Try the variants 0, 1, ..., count - 1 of a method (first step lengths, penalties) for 1 / `share` of max_iterations
 * each. run_way makes at most `steps` iterations of one variant and returns the lowest F among them. Returns the
 * variant with the lowest F, or -1 if the run is over. */
int64_t baseline_try(struct baseline *base, int64_t count, int64_t share,
                     double (*run_way)(struct baseline *base, int64_t way, int64_t steps));
/* Add the time since the last call to a timer of the run. */
void baseline_lap(struct baseline *base, enum run_timer timer);

#endif
