/* What the first-order baselines share: a feasible point, vectors over columns, the constants of the problem. */
#ifndef SPGM_METHOD_BASELINE_H
#define SPGM_METHOD_BASELINE_H

#include "method/method.h"

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
    double norm;    /* ||A||                                */
    double M;       /* M_s: the smoothness of f             */
    double mu;      /* the unit of mu: mu_start             */
    double squares; /* the mean of ||a_j||^2 over the columns that are not zero, 1 when all are */
    double length_b;
    double clock;
    struct iteration iteration;
};

/* Take the arrays (check workspace->failed), then compute the constants. */
void baseline_init(struct baseline *base, struct run *run, struct workspace *workspace);
void baseline_measure(struct baseline *base);

/* ||v|| and u'v over the rows, wherever they live. */
double baseline_norm(const struct problem *problem, const double *v);
double baseline_dot(const struct problem *problem, const double *u, const double *v);

/* Keep the free columns and the s largest of the others. */
void baseline_project(struct baseline *base, double *x);
/* The point becomes the feasible x; step, objective and support of the iteration follow. */
void baseline_move(struct baseline *base, const double *x);
/* A stage begins at the feasible x. */
void baseline_stage(struct baseline *base, const double *x);
int baseline_record(struct baseline *base);
/* Add the time since the last call to a timer of the run. */
void baseline_lap(struct baseline *base, enum run_timer timer);

#endif
