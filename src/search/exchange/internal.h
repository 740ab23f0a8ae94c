/* What the parts of the exchange search share. */
#ifndef SPGM_SEARCH_EXCHANGE_INTERNAL_H
#define SPGM_SEARCH_EXCHANGE_INTERNAL_H

#include "fit/fit.h"
#include "linalg/swap.h"
#include "linalg/tableau.h"
#include "search/constants.h"
#include "search/exchange.h"

/* The current support and its fit. */
struct current {
    int64_t size;      /* free columns, which stand first, and the others               */
    int64_t *columns;  /* by position [capacity]                                        */
    int64_t *position; /* of a column, or -1 [columns]                                  */
    double *x;         /* [capacity]                                                    */
    double *r, *u;     /* residual and dual vector [rows]                               */
    double *price;     /* A'u + grad f(x) [columns]                                     */
    double objective;
    struct fit_active active;
    double *block;  /* the columns of A themselves [rows x full], NULL: read from A  */
    int64_t *used;  /* candidates that are in, by group, where groups are capped     */
    int is_rough;   /* x is approximate, while walking                               */
    int64_t *units; /* the units that are in [unit_count]                            */
    int64_t unit_count;
};

/*
 * The surrogate: a quadratic for F around the current fit, exact to first order, which prices every exchange.
 * Candidate c is a unit outside; its columns are column[first[c]] ... column[first[c + 1] - 1].
 */
struct surrogate {
    int64_t most, count; /* candidates                                               */
    int64_t *unit, *first, *column;
    double *score, *spare; /* [columns + capacity], [columns]                          */
    int64_t *chosen;       /* [columns]                                                */
    double *left;          /* last seen schur / whole by column [columns]              */
    double *weight;        /* of the rows [rows]                                       */
    double floor;          /* of |r_i| in the weights                                  */
    double *norm;          /* a_q'W a_q [columns]                                      */
    double *diagonal;      /* of the curvature of f [columns]                          */
    int64_t norm_age;      /* surrogates since they were taken, 0: never                       */
    double *M, *square;    /* (A_S'WA_S + curvature of f)^-1 and scratch [capacity x capacity]   */
    int64_t *inverted;     /* S of M where products are kept [capacity]                          */
    int64_t inverted_size; /* 0: M stands for nothing                                            */
    int64_t turns;         /* exchanges that M has followed since it was formed                  */
    double *G, *V;         /* A_S'WA_C + f, and M G [capacity x columns of the candidates]       */
    double *schur;         /* whole - g'Mg by column of the candidates                           */
    double *value;         /* [capacity]                                                         */
    double *small;         /* scratch of blocks.c, 6 x [largest unit squared]                    */
};

/* An exchange: unit `out` leaves, candidate `in` enters. */
struct trial {
    double change; /* of F by the surrogate                                      */
    double line;   /* F along the surrogate's line, minimised                     */
    double alpha;  /* where                                                       */
    int64_t out;   /* unit                                                        */
    int64_t in;    /* candidate                                                   */
};

/* The most promising exchanges, and F along a line for each. */
struct trials {
    struct trial *list; /* [4 TRIALS] */
    int64_t count;
    int64_t *slot;           /* where the image of a column stands, or -1 [columns]                  */
    int64_t images;          /* of either kind that there is room for, 0: each line is computed by itself */
    double *entering, *Vb;   /* a_q - A_S v_q, and v_q [rows x images], [capacity x images]           */
    double *leaving, *Mb;    /* A_S M_j, and M_j                                                      */
    double *line_r, *line_d; /* residual on the line and its direction [rows]                         */
    double *x0, *dx;         /* x on the line: by position, then the columns that enter [2 capacity]  */
    int64_t *list_columns;   /* [2 capacity] scratch                                                  */
};

/* Several exchanges on one surrogate, see stroll.c. */
struct stroll {
    struct swap swap;
    int64_t most;               /* candidates; 0: units and rules go without                            */
    int64_t *inside, *outside;  /* columns by position [capacity], and candidates [candidates]         */
    double *whole;              /* H_qq of the candidates                                               */
    double *x, *room, *value;   /* of the columns inside: x_j, INFINITY where it may not leave; M_jj    */
    double *entering, *leaving; /* products of the two columns of an exchange                           */
    double *image;              /* a column times the weights [rows]                                    */
};

/* Inner products of columns of unit length, kept in two numbers of single precision each, see products.c. */
struct products {
    int64_t most, count; /* columns; most 0: none are kept                     */
    int64_t pitch;       /* numbers from one column to the next                */
    int64_t *column;     /* by place [most]                                    */
    int64_t *place;      /* of a column, or -1 [columns]                       */
    int64_t *wanted;     /* scratch [most]                                     */
    double *scale;       /* 1 / length, with the curvature of f [most]         */
    float *high, *low;   /* [most x pitch]; high alone is what tours read      */
    double *fresh;       /* [most x PRODUCT_BATCH]                             */
};

/* Exchanges among many columns at once, see tour.c. */
struct tour {
    struct tableau tableau;
    int64_t most;             /* columns; 0: there are no tours                                  */
    int is_open;              /* it can be had, and has kept to the surrogate so far                 */
    int is_live;              /* it stands somewhere, and can go on                              */
    int64_t turns;            /* exchanges since it was built                                    */
    double F, unit;           /* at that time, and what x and prices were divided by             */
    double credit;            /* multiplications that products may take by now                   */
    const int64_t *column;    /* of the tableau, and their scales: those of the products, or,    */
    const double *scale;      /* where these are too many, those of `few`                        */
    int64_t *few;             /* the support, and the candidates when it was built [most]        */
    double *few_scale, *pull; /* [most]                                                         */
    float *H;                 /* products of those of the few that were in [full + turns x its pitch] */
    int64_t *row, rows;       /* where they stand, or -1 [most]; how many                             */
    double *fresh;            /* [most]                                                               */
    float *image;             /* A, by rows, columns of length one [rows x its pitch]; NULL: no copy   */
    int64_t drawn;            /* columns of the copy, those of `few`; 0: it is not there yet           */
    int64_t *place;           /* of a column in it, or -1 [columns]                                   */
    int64_t *all_rows;        /* 0, 1, 2, ... [rows]                                                  */
    float *entries;           /* of a column [rows]                                                   */
    unsigned char *stays;     /* columns that may not leave now [capacity]                       */
};

/* The columns that are priced between two looks at all of them, see sight.c. */
struct sight {
    int64_t most;     /* columns; 0: all are always in sight                           */
    int64_t count;    /* 0: all are, until the next surrogate                          */
    int64_t looks;    /* at those in sight since all were looked at                    */
    int64_t room;     /* columns while more candidates are looked at                   */
    int64_t *columns; /* [room]                                                        */
    double *value;    /* scratch [room]                                                */
    double *square;   /* lengths of all columns, squared [columns]                     */
    double lowest;    /* F that a descent ended at with all in sight                   */
    int is_measured;  /* they are known                                                */
    int is_whole;     /* current.price is that of the current fit for all columns      */
};

/* Exchanges that the fits of others exclude, see excluded.c. */
struct excluded {
    int64_t size;         /* of the support that they are exchanges of, 0: nothing is known                  */
    int64_t *columns;     /* of it [full]                                                                    */
    unsigned char *sides; /* of zero that prices of a unit were on, by unit that leaves [full x units]; NULL: never */
    int64_t *wanted;      /* [columns] */
    double *price;        /* [columns] */
    double spent;         /* by the last check                                                               */
};

struct elite {
    double objective;
    int64_t size, *columns; /* [capacity] */
    double *x;              /* [capacity] */
    struct fit_active active;
};

/* Good local optima: kept, returned to, crossed. */
struct elites {
    struct elite list[ELITES];
    int64_t count;
};

/* Columns that moved may not move back for a while. */
struct tabu {
    int64_t step;
    int64_t *enter, *leave; /* not before this step, by unit */
};

/* A walk on one quadratic: where it goes on, and the lowest minimum that it came by. */
struct trail {
    int64_t size, kept;      /* columns; 0: there is none */
    int64_t *columns, *best; /* [capacity]                */
    double *x, *best_x;      /* [capacity]                */
    double lowest;           /* F of the minimum          */
};

struct exchange {
    struct run *run;
    const struct problem *problem;
    const struct feasible *set;
    const struct search_habits *habits;
    struct workspace workspace;
    struct fit *fit;
    struct feasible_work choose;
    int64_t rows, columns;
    int64_t full;     /* columns of the largest support, free ones included */
    int64_t capacity; /* of the supports that are fitted on the way         */
    int is_single;    /* every unit is one column                           */
    int is_steady;    /* weights never change, nor bounds hold: F is its own surrogate, and walks go on and on */
    int is_stopped;
    int is_doubtful; /* the last surrogate of a descent found nothing         */
    int64_t restarts;
    double origin;         /* F where the last one began; INFINITY: at no one support */
    double era;            /* lowest F since the walk on squares was thrown off     */
    int64_t idle;          /* restarts there since it fell                          */
    int unrest;            /* doublings of the next walk, see exchange_restart      */
    int64_t starts;        /* of exchange_begin, the first elites */
    int64_t counted_steps; /* of the fit, in run->spent already */
    double best;           /* lowest F of this search    */
    double zero;           /* the loss at x = 0          */
    double *state, *all;   /* of f, and x in its place [columns] */
    double *gradient;      /* of f [columns]                      */
    int64_t *T;            /* a support on its way [capacity]     */
    double *Tx;
    int64_t shrunk;     /* its size after exchange_shrink, 0: the time was up before */
    int64_t units_most; /* of a support on its way                                   */
    struct current current;
    struct surrogate surrogate;
    struct trials trials;
    struct products products;
    struct stroll stroll;
    struct tour tour;
    struct sight sight;
    struct excluded excluded;
    struct elites elites;
    struct tabu tabu;
    struct trail trail;
};

static inline int64_t unit_first(const struct exchange *a, int64_t unit) {
    return a->set->unit_columns[a->set->unit_start[unit]];
}

static inline int64_t unit_size(const struct exchange *a, int64_t unit) {
    return a->set->unit_start[unit + 1] - a->set->unit_start[unit];
}

/* current.c */
int exchange_late(struct exchange *a);
int exchange_is_late(void *search); /* the same, for who asks through a pointer (base/stop.h) */
void current_load(struct exchange *a, int64_t size, const int64_t *columns); /* free ones first; into the fit, too */
void current_add(const struct exchange *a, const double *d, double *r);      /* r += A_S d, for the support loaded  */
void current_set(struct exchange *a, const double *x); /* of the support loaded, by position; and its residual */
void current_take(struct exchange *a);                 /* the fit becomes the current one    */
void current_prices(struct exchange *a);               /* of all columns, from u and x        */
int current_gradient(struct exchange *a);        /* the state of f at x; 0: its gradient is zero outside the support */
double current_smooth_value(struct exchange *a); /* f(x)                                */
/* The support after a trial and x on its line into T and Tx; returns its size. */
int64_t current_after(struct exchange *a, const struct trial *trial);
/* Fit the current support from x, and the active rows that the fit was given, and take it. */
void current_warm(struct exchange *a, const double *x);

/* work.c */
void exchange_count(struct exchange *a, int64_t candidates); /* a new surrogate, and what was fitted since the last */
void exchange_count_fits(struct exchange *a);                /* what was fitted since the last of either       */
int exchange_is_spent(const struct exchange *a);             /* the run may do no more work                     */

/* surrogate.c */
void surrogate_weigh(struct exchange *a, int level);
int surrogate_invert(struct exchange *a, int64_t size, const int64_t *columns, const double *x);
/* The weights and M at the current support, a rough fit while walking, and about `count` of the best priced units as
 * candidates; 0: M cannot be had. */
int surrogate_prepare(struct exchange *a, int level, int64_t count);
/* p_q^2 / (what is left of a column of this squared length), 0 where its bounds let it not go where the price pulls. */
double surrogate_promise(const struct exchange *a, int64_t q, double square);
/* The same with all that exchanges of units need; 0: it cannot be built, or the time is up. */
int surrogate_build(struct exchange *a, int level, int64_t candidates);

/* Products of one column with others, with the curvature of f. */
void surrogate_row(struct exchange *a, int64_t column, int64_t count, const int64_t *columns, double *row);
int surrogate_cross(struct exchange *a);                  /* A_S'WA_C + f into G; 0: the time is up */
void surrogate_choose(struct exchange *a, int64_t count); /* other candidates, after surrogate_prepare */
void surrogate_set(struct exchange *a, int64_t count);    /* the same: those that stand in `unit`      */

/* products.c */
void products_take(struct exchange *a, struct workspace *w); /* after stroll_take */
/* A_S'WA_S for weights that never change; 0: the time is up. */
int products_gram(struct exchange *a, int64_t count, const int64_t *columns, double *T);
/* Products of all these columns are at hand from now on; 0: the time is up. */
int products_need(struct exchange *a, int64_t count, const int64_t *columns);
/* Those of one column with others, all at hand, with the curvature of f. */
void products_row(struct exchange *a, int64_t column, int64_t count, const int64_t *columns, double *row);

/* stroll.c */
void stroll_take(struct exchange *a, struct workspace *w);           /* after the surrogate's */
int stroll_build(struct exchange *a, int level, int64_t candidates); /* 0: there is none, or the time is up */
/* The same with the candidates that stand in `unit` of the surrogate, after surrogate_prepare; and whether the exchange
 * of position j for candidate q cannot lower F, where the surrogate is F itself, rounding allowed for. */
int stroll_begin(struct exchange *a, int64_t count);
int stroll_excludes(const struct exchange *a, int64_t j, int64_t q);
/* `steps` best exchanges, whatever they cost; minima on the way are kept in the trail. 0: there is none. */
int stroll_wander(struct exchange *a, int64_t steps);
/* At most `steps` best exchanges of the surrogate, whatever they cost. 1: it ended before, where there is none or at a
 * minimum of the surrogate not above `enough`, after `least` of them. */
int stroll_walk(struct exchange *a, int64_t steps, int64_t least, double enough);
/* At most `steps` best exchanges, each of which lowers the surrogate by more than the margin; how many there were. */
int64_t stroll_descend(struct exchange *a, int64_t steps, double margin);
void stroll_leave(struct exchange *a); /* where it ended becomes the current support, roughly fitted */

/* sight.c */
void sight_take(struct exchange *a, struct workspace *w); /* after products_take                                    */
void sight_close(struct exchange *a);                     /* all columns are looked at next time                    */
int sight_is_due(const struct exchange *a);               /* it has been looked at often enough                     */
void sight_price(struct exchange *a);                     /* current.price, of the columns in sight or of all       */
void sight_norms(struct exchange *a);                     /* surrogate.norm, of the same                            */
/* By the prices of all columns, `most` of them or as many as there shall be candidates. */
void sight_choose(struct exchange *a, int64_t candidates);
void sight_narrow(struct exchange *a); /* to `most`, by the exchanges of a surrogate with more of them than that */
int sight_widen(struct exchange *a);   /* before a descent gives up; 1: there are columns that it did not see */

/* excluded.c */
void excluded_take(struct exchange *a, struct workspace *w);
/* The current support has been fitted; is_new: what is known of its exchanges is forgotten. */
void excluded_begin(struct exchange *a, int is_new);
/* Whether the exchange of the unit at place i for this one cannot lower F. */
int excluded_is(const struct exchange *a, int64_t i, int64_t unit);
void excluded_learn(struct exchange *a, int64_t i, int64_t unit); /* its fit is at hand: F was not lower */

/* tour.c */
void tour_take(struct exchange *a, struct workspace *w); /* after products_take */
int tour_has_image(const struct exchange *a);            /* a copy of A, in the place of products */
void tour_take_image(struct exchange *a, struct workspace *w);
/* `steps` best exchanges from where the last tour ended, or from the current support; minima on the way are kept in the
 * trail. 0: there is none, or the time is up. */
int tour_go(struct exchange *a, int64_t steps);
void tour_end(struct exchange *a); /* where it stands becomes the trail's end */

/* trials.c */
void trials_score(struct exchange *a);  /* candidates, by how near they come to the best exchange with a unit */
void trials_choose(struct exchange *a); /* the best by the surrogate */
void trials_value(struct exchange *a);  /* F along their lines, the lowest first */
int64_t trials_wanted(const struct exchange *a); /* of them, the lowest, are fitted when none of them helps */

/* blocks.c: the same for units of several columns */
double blocks_change(struct exchange *a, int64_t candidate, int64_t out);
void blocks_line(struct exchange *a, const struct trial *trial, double *x0, double *dx);
int blocks_factor(struct exchange *a, int64_t candidate);

/* trials.c: x0 + alpha dx is x on the trial's line, by the positions of now, then the columns that enter */
void trials_line(struct exchange *a, const struct trial *trial, double *x0, double *dx);

/* descent.c */
void exchange_descend(struct exchange *a);
/* starts.c */
void start_greedy(struct exchange *a);
void start_marginal(struct exchange *a); /* the units that promise most at x = 0, each on its own */
void start_from(struct exchange *a, const double *x, int is_near);
/* walk.c */
void walk_away(struct exchange *a);
void walk_down(struct exchange *a); /* exchanges of the surrogate until none helps, roughly fitted, then an exact fit */
void walk_kick(struct exchange *a, int64_t moves);                /* random units for random ones */
void walk_bar(struct exchange *a, int64_t left, int64_t entered); /* for some steps from moving back */
/* A support [size] and its x [size] become the lowest minimum of the trail. */
void trail_keep(struct trail *trail, double F, int64_t size, const int64_t *columns, const double *x);
/* elites.c */
double elites_worthwhile(const struct exchange *a);
int elites_know(const struct exchange *a); /* whether the current support is one of them */
void elites_remember(struct exchange *a);
void elites_recall(struct exchange *a, const struct elite *elite);
void elites_cross(struct exchange *a, const struct elite *first, const struct elite *second);
/* Fit T [size] with Tx and drop the units that cost least until the rest is feasible for s. */
void exchange_shrink(struct exchange *a, int64_t size, double noise);

#endif
