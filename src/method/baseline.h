/* What the first-order baselines share: a feasible point, vectors over columns, the constants of the problem. */
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
    double mu;      /* the unit of mu: mu_start             */
    double squares; /* the mean of ||a_j||^2 over the columns that are not zero, 1 when all are */
    double length_b;
    double clock;
    struct iteration iteration;

    /* The columns at hand (see baseline_look): all or the watched ones, ascending. */
    const int64_t *active; /* [active_count]                     */
    int64_t active_count;
    int64_t *every, *watched;  /* 0, 1, ..., n - 1; [watched_count]  */
    unsigned char *is_watched; /* [columns]                          */
    int64_t watched_count, age, period, longest_period;
    struct row_updates *updates; /* for A'u at a look, NULL: whole products */
    int64_t *columns;            /* of a new point [columns]           */
    double *values;              /* [columns]                          */
};

/* Take the arrays (check workspace->failed), then compute the constants; ||A||, which takes some twenty passes, apart.
 */
void baseline_init(struct baseline *base, struct run *run, struct workspace *workspace);
void baseline_measure(struct baseline *base);
void baseline_measure_norm(struct baseline *base);

/* ||v||, ||u - v|| and u'v over the rows, wherever they live. */
double baseline_norm(const struct problem *problem, const double *v);
double baseline_distance(const struct problem *problem, const double *u, const double *v); /* ||u - v|| */
double baseline_dot(const struct problem *problem, const double *u, const double *v);

/*
 * WATCHED COLUMNS. A pass over A for the gradient is nearly all of what an iteration costs, and only the support and
 * the columns next to it can matter soon. So all columns are looked at every `period` iterations; the most promising
 * are then watched, and until the next look nothing else can enter. The period is halved, to 1 if need be, when a look
 * finds that more than half of the needed columns were not watched, else doubled, to at most longest_period. Looking at
 * all columns more often is not better: with fewer that come and go the methods settle sooner, and lower.
 */

/* Rows are many for each of s columns. */
int baseline_is_tall(const struct run *run);
/* Begin an iteration: sets the columns at hand. Nonzero: it is a look at all of them. */
int baseline_look(struct baseline *base);
/* The next iteration looks at all columns, and the period is 1 again. */
void baseline_look_next(struct baseline *base);
/* g_j = a_j'u + weight (grad f)_j for the columns at hand, 0 for barred ones; x and state as in smooth_gradient. */
void baseline_gradient(struct baseline *base, const double *u, double weight, const double *x, const double *state);
/* From keys_i of the i-th column at hand (free columns: infinity) the free columns and the best feasible support, as a
 * rule the s largest, into `columns`, ascending; returns how many. After a look it chooses the columns to watch. Keys
 * as of problem_key. */
int64_t baseline_choose(struct baseline *base);
/* The projection of x - length g onto the feasible set over the columns at hand, into columns and values; returns how
 * many. */
int64_t baseline_threshold(struct baseline *base, double length);
/* After a look: watch the first `count` of `chosen`, ascending. Of `needed` columns `missed` were not watched. */
void baseline_watch(struct baseline *base, int64_t count, int64_t needed, int64_t missed);
/* The point becomes values_i at columns_i, i < k, and zero elsewhere; columns ascending, the free ones among them. */
void baseline_move_columns(struct baseline *base, int64_t k);

/* The nearest point of the feasible set. */
void baseline_project(struct baseline *base, double *x);
/* The point becomes the feasible x; step, objective and support of the iteration follow. */
void baseline_move(struct baseline *base, const double *x);
/* A stage begins at the feasible x. */
void baseline_stage(struct baseline *base, const double *x);
int baseline_record(struct baseline *base);
/* Ways 0, 1, ..., count - 1 to run a method (from first step lengths, penalties) are tried for a `share` of
 * max_iterations each. run_way makes at most `steps` iterations of one and returns the lowest F among them. Returns the
 * way with the lowest, or -1 when the run is over. */
int64_t baseline_try(struct baseline *base, int64_t count, int64_t share,
                     double (*run_way)(struct baseline *base, int64_t way, int64_t steps));
/* Add the time since the last call to a timer of the run. */
void baseline_lap(struct baseline *base, enum run_timer timer);

#endif
