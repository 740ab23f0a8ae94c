/* What the files of the exchange search share. */
#ifndef SPGM_SEARCH_EXCHANGE_INTERNAL_H
#define SPGM_SEARCH_EXCHANGE_INTERNAL_H

#include "fit/fit.h"
#include "linalg/swap.h"
#include "linalg/tableau.h"
#include "search/constants.h"
#include "search/exchange.h"

/* The current support and its fit. */
struct current {
    int64_t size;      /* number of columns: free columns first, then the others */
    int64_t *columns;  /* by position [capacity] */
    int64_t *position; /* position of a column in `columns`, or -1 [columns] */
    double *x;         /* [capacity] */
    double *r, *u;     /* residual and dual vector [rows] */
    double *price;     /* A'u + grad f(x), of all columns [columns] */
    double objective;
    struct fit_active active;
    double *block;  /* a copy of the columns of A [rows x full]; NULL: they are read from A */
    int64_t *used;  /* number of candidates that are in, by group, if groups are capped */
    int is_rough;   /* x is approximate, during a walk */
    int64_t *units; /* the units in the support [unit_count] */
    int64_t unit_count;
};

/*
 * The surrogate: a quadratic model of F around the current fit, exact to first order, which prices every exchange.
 * Candidate c is a unit outside the support; its columns are column[first[c]] ... column[first[c + 1] - 1].
 */
struct surrogate {
    int64_t most, count; /* candidates: room, and current number */
    int64_t *unit, *first, *column;
    double *score, *spare; /* [columns + capacity], [columns] */
    int64_t *chosen;       /* [columns] */
    double *left;          /* schur / (norm + diagonal) of a column when last computed [columns] */
    double *weight;        /* W, weights of the rows [rows] */
    double floor;          /* the floor of |r_i| in the weights */
    double *norm;          /* a_q'W a_q [columns] */
    double *diagonal;      /* curvature of f [columns] */
    int64_t norm_age;      /* surrogates since the norms were computed; 0: never computed */
    double *M, *square;    /* (A_S'WA_S + curvature of f)^-1 and scratch [capacity x capacity] */
    int64_t *inverted;     /* the support S that M belongs to, if products are kept [capacity] */
    int64_t inverted_size; /* 0: M is not valid */
    int64_t turns;         /* exchanges by which M was updated since it was formed */
    double *G, *V;         /* A_S'WA_C + curvature of f, and M G [capacity x columns of the candidates] */
    double *schur;         /* Schur complements norm + diagonal - g'Mg, by column of the candidates */
    double *value;         /* [capacity] */
    double *small;         /* scratch of blocks.c, 6 x [largest unit squared] */
};

/* An exchange: unit `out` leaves, candidate `in` enters. */
struct trial {
    double change; /* change of F by the surrogate */
    double line;   /* minimum of the true F along the surrogate's line */
    double alpha;  /* alpha at that minimum */
    int64_t out;   /* unit */
    int64_t in;    /* candidate */
};

/* The most promising exchanges, with F minimised along a line for each. */
struct trials {
    struct trial *list; /* [4 TRIALS] */
    int64_t count;
    int64_t *slot;           /* the slot of a column's image, or -1 [columns] */
    int64_t images;          /* slots for images of each kind; 0: each line is computed by itself */
    double *entering, *Vb;   /* for entering columns: a_q - A_S v_q, and v_q [rows x images], [capacity x images] */
    double *leaving, *Mb;    /* for leaving columns: A_S M_j, and M_j */
    double *line_r, *line_d; /* residual at alpha = 0, and its direction [rows] */
    double *x0, *dx;         /* x at alpha = 0, and its direction: by position, then entering columns [2 capacity] */
    int64_t *list_columns;   /* scratch [2 capacity] */
};

/* Several exchanges on one surrogate; see stroll.c. */
struct stroll {
    struct swap swap;
    int64_t most;               /* room for candidates; 0: not used (groups, caps) */
    int64_t *inside, *outside;  /* columns of the support by position [capacity], and candidates [candidates] */
    double *whole;              /* H_qq of the candidates, the diagonal before the support is eliminated */
    double *x, *room, *value;   /* of the columns inside: x_j, or INFINITY if it may not leave; M_jj */
    double *entering, *leaving; /* products for the two columns of an exchange */
    double *image;              /* a column times the row weights [rows] */
};

/* Inner products of columns of unit length that are kept between surrogates, each in two single-precision numbers; see
 * products.c. */
struct products {
    int64_t most, count; /* room for columns (0: none are kept), and current number */
    int64_t pitch;       /* distance between columns in `high` and `low` */
    int64_t *column;     /* the column at a place [most] */
    int64_t *place;      /* the place of a column, or -1 [columns] */
    int64_t *wanted;     /* scratch [most] */
    double *scale;       /* 1 / length, where the length includes the curvature of f [most] */
    float *high, *low;   /* leading and trailing parts [most x pitch]; tours read `high` only */
    double *fresh;       /* [most x PRODUCT_BATCH] */
};

/* Walks with very many candidates, in single precision; see tour.c. */
struct tour {
    struct tableau tableau;
    int64_t most;             /* room for columns; 0: there are no tours */
    int is_open;              /* tours are possible, and F has followed the surrogate so far */
    int is_live;              /* the tableau is valid, and the tour can continue */
    int64_t turns;            /* exchanges since the tableau was built */
    double F, unit;           /* F when it was built, and the unit that x and prices were divided by */
    double credit;            /* multiplications that products may take by now */
    const int64_t *column;    /* the columns of the tableau and their scales: those of the products or, */
    const double *scale;      /* if these are too many, of `few` */
    int64_t *few;             /* the support and the candidates when the tableau was built [most] */
    double *few_scale, *pull; /* [most] */
    float *H;                 /* products of those of the few that were in the support [full + turns x its pitch] */
    int64_t *row, rows;       /* where these products are, or -1 [most]; how many there are */
    double *fresh;            /* [most] */
    float *image;             /* a copy of A by rows, with columns of length 1 [rows x its pitch]; NULL: no copy */
    int64_t drawn;            /* columns of the copy, which are those of `few`; 0: it is not made yet */
    int64_t *place;           /* position of a column in the copy, or -1 [columns] */
    int64_t *all_rows;        /* 0, 1, 2, ... [rows] */
    float *entries;           /* entries of a column [rows] */
    unsigned char *stays;     /* nonzero: the column may not leave now [capacity] */
};

/* The columns in sight: those that are priced between two looks at all columns; see sight.c. */
struct sight {
    int64_t most;     /* columns in sight; 0: all always are */
    int64_t count;    /* current number; 0: all columns, until the next surrogate */
    int64_t looks;    /* surrogates priced on them since all columns were looked at */
    int64_t room;     /* room for columns, also while more candidates are considered */
    int64_t *columns; /* [room] */
    double *value;    /* scratch [room] */
    double *square;   /* squared lengths of all columns [columns] */
    double lowest;    /* lowest F at which a descent ended after a look at all columns */
    int is_measured;  /* `square` is known */
    int is_whole;     /* current.price is valid for all columns at the current fit */
};

/* Exchanges excluded by the fits of others; see excluded.c. */
struct excluded {
    int64_t size;         /* size of the support that they belong to; 0: nothing is known */
    int64_t *columns;     /* its columns [full] */
    unsigned char *sides; /* signs seen of the price of a unit, by leaving unit [full x units]; NULL: not used */
    int64_t *wanted;      /* [columns] */
    double *price;        /* [columns] */
    double spent;         /* work of the last check */
};

struct elite {
    double objective;
    int64_t size, *columns; /* [capacity] */
    double *x;              /* [capacity] */
    struct fit_active active;
};

/* The elites: good local optima that are returned to and crossed. */
struct elites {
    struct elite list[ELITES];
    int64_t count;
};

/* Tabu list: units that moved may not move back for some steps (the tenure). */
struct tabu {
    int64_t step;
    int64_t *enter, *leave; /* the first step at which a unit may enter, or leave, by unit */
};

/* A walk on a fixed quadratic (squared loss): where it continues, and the lowest minimum that it has passed. */
struct trail {
    int64_t size, kept;      /* columns of the current point and of that minimum; 0: there is none */
    int64_t *columns, *best; /* [capacity] */
    double *x, *best_x;      /* [capacity] */
    double lowest;           /* F of that minimum */
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
    int64_t full;     /* columns of the largest feasible support, free ones included */
    int64_t capacity; /* columns of the largest support that is fitted on the way */
    int is_single;    /* every unit is one column */
    int is_steady;    /* squared loss without bounds: weights never change, so the surrogate is F itself, and walks
                         continue */
    int is_stopped;
    int is_doubtful; /* the last surrogate of a descent found no improvement */
    int64_t restarts;
    double origin;         /* F where the last restart began; INFINITY: at no single support */
    double era;            /* lowest F since the last random change of the walk on squares */
    int64_t idle;          /* restarts without a lower F since then */
    int unrest;            /* number of doublings of the next walk, see exchange_restart */
    int64_t starts;        /* starts of exchange_begin, which are the first elites */
    int64_t counted_steps; /* steps of the fit that are already in run->spent */
    double best;           /* lowest F of this search */
    double zero;           /* the loss at x = 0 */
    double *state, *all;   /* state of f, and x over all columns [columns] */
    double *gradient;      /* gradient of f [columns] */
    int64_t *T;            /* support under construction [capacity] */
    double *Tx;
    int64_t shrunk;     /* its size after exchange_shrink; 0: the time was up before */
    int64_t units_most; /* units in the largest support that is fitted on the way */
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
int exchange_is_late(void *search);                                          /* the same, as a callback (base/stop.h) */
void current_load(struct exchange *a, int64_t size, const int64_t *columns); /* load a support, free columns first,
                                                                                into `current` and the fit */
void current_add(const struct exchange *a, const double *d, double *r);      /* r += A_S d for the loaded support */
void current_set(struct exchange *a, const double *x); /* set x of the loaded support, by position, and its residual */
void current_take(struct exchange *a);                 /* make the fit the current one */
void current_prices(struct exchange *a);               /* prices of all columns, from u and x */
int current_gradient(struct exchange *a);        /* set the state of f at x; returns 0 if the gradient of f is zero
                                                    outside the support */
double current_smooth_value(struct exchange *a); /* f(x) */
/* Write the support after a trial to T and x on its line to Tx; returns its size. */
int64_t current_after(struct exchange *a, const struct trial *trial);
/* Fit the current support, warm-started from x and the active rows given to the fit, and make that fit the current one.
 */
void current_warm(struct exchange *a, const double *x);

/* work.c */
void exchange_count(struct exchange *a, int64_t candidates); /* count a new surrogate, and the fits since the last
                                                                count */
void exchange_count_fits(struct exchange *a);                /* count the fits since the last count */
int exchange_is_spent(const struct exchange *a);             /* whether the run may do no more work */

/* surrogate.c */
void surrogate_weigh(struct exchange *a, int level);
int surrogate_invert(struct exchange *a, int64_t size, const int64_t *columns, const double *x);
/* Compute the weights and M at the current support (during a walk after a rough fit), and choose about `count` of the
 * units with the most promising prices as candidates. Returns 0 if M cannot be computed. */
int surrogate_prepare(struct exchange *a, int level, int64_t count);
/* The squared price p_q^2 divided by the curvature that is left of a column of this squared length; 0 if a bound keeps
 * x_q from moving where the price pulls it. */
double surrogate_promise(const struct exchange *a, int64_t q, double square);
/* Prepare the surrogate and compute what exchanges of units need. Returns 0 if that fails or the time is up. */
int surrogate_build(struct exchange *a, int level, int64_t candidates);

/* Inner products of one column with others, with the curvature of f. */
void surrogate_row(struct exchange *a, int64_t column, int64_t count, const int64_t *columns, double *row);
int surrogate_cross(struct exchange *a);                  /* A_S'WA_C + curvature of f into G; returns 0 if the time
                                                             is up */
void surrogate_choose(struct exchange *a, int64_t count); /* choose other candidates, after surrogate_prepare */
void surrogate_set(struct exchange *a, int64_t count);    /* use the candidates listed in `unit` instead */

/* products.c */
void products_take(struct exchange *a, struct workspace *w); /* to be called after stroll_take */
/* A_S'WA_S for weights that never change. Returns 0 if the time is up. */
int products_gram(struct exchange *a, int64_t count, const int64_t *columns, double *T);
/* Make sure that the products of all these columns are kept. Returns 0 if the time is up. */
int products_need(struct exchange *a, int64_t count, const int64_t *columns);
/* Inner products of one column with others, all of them kept, with the curvature of f. */
void products_row(struct exchange *a, int64_t column, int64_t count, const int64_t *columns, double *row);

/* stroll.c */
void stroll_take(struct exchange *a, struct workspace *w);           /* to be called after the surrogate's arrays are
                                                                        taken */
int stroll_build(struct exchange *a, int level, int64_t candidates); /* returns 0 if it cannot be built or the time is
                                                                        up */
/* stroll_begin: the same for the candidates listed in `unit` of the surrogate, after surrogate_prepare.
 * stroll_excludes: whether the exchange of position j for candidate q cannot lower F even with rounding errors, where
 * the surrogate is F itself. */
int stroll_begin(struct exchange *a, int64_t count);
int stroll_excludes(const struct exchange *a, int64_t j, int64_t q);
/* Make the best exchange `steps` times, whether or not it lowers F. Minima on the way are kept in the trail. Returns 0
 * if no exchange is allowed. */
int stroll_wander(struct exchange *a, int64_t steps);
/* Make the best exchange at most `steps` times, whether or not it lowers the surrogate. Returns 1 if it ended before:
 * no exchange is allowed, or after `least` exchanges a minimum of the surrogate was not above `enough`. */
int stroll_walk(struct exchange *a, int64_t steps, int64_t least, double enough);
/* Make at most `steps` best exchanges, each of which lowers the surrogate by more than the margin; returns how many. */
int64_t stroll_descend(struct exchange *a, int64_t steps, double margin);
void stroll_leave(struct exchange *a); /* make the support where it ended the current one, with a rough fit */

/* sight.c */
void sight_take(struct exchange *a, struct workspace *w); /* to be called after products_take */
void sight_close(struct exchange *a);                     /* the next surrogate looks at all columns */
int sight_is_due(const struct exchange *a);               /* whether it is time to look at all columns */
void sight_price(struct exchange *a);                     /* current.price, for the columns in sight or for all */
void sight_norms(struct exchange *a);                     /* surrogate.norm, likewise */
/* Choose the columns in sight by the prices of all columns: `most` of them, or the number of candidates if that is
 * larger. */
void sight_choose(struct exchange *a, int64_t candidates);
void sight_narrow(struct exchange *a); /* cut the columns in sight to `most`, by the best exchanges of a surrogate on
                                          more columns */
int sight_widen(struct exchange *a);   /* called before a descent ends; returns 1 if there are columns that it did not
                                          see */

/* excluded.c */
void excluded_take(struct exchange *a, struct workspace *w);
/* Begin with the fit of the current support. is_new: forget what is known of its exchanges. */
void excluded_begin(struct exchange *a, int is_new);
/* Whether the exchange of the i-th unit of the support for this one cannot lower F. */
int excluded_is(const struct exchange *a, int64_t i, int64_t unit);
void excluded_learn(struct exchange *a, int64_t i, int64_t unit); /* learn from its fit, which was not lower */

/* tour.c */
void tour_take(struct exchange *a, struct workspace *w); /* to be called after products_take */
int tour_has_image(const struct exchange *a);            /* whether the tour has a copy of A instead of products */
void tour_take_image(struct exchange *a, struct workspace *w);
/* Make the best exchange `steps` times, from where the last tour ended or from the current support. Minima on the way
 * are kept in the trail. Returns 0 if no exchange is allowed or the time is up. */
int tour_go(struct exchange *a, int64_t steps);
void tour_end(struct exchange *a); /* write where the tour stands to the trail */

/* trials.c */
void trials_score(struct exchange *a); /* score the candidates by how near they come to the best exchange with a unit */
void trials_choose(struct exchange *a);          /* the best exchanges by the surrogate */
void trials_value(struct exchange *a);           /* minimise F along their lines; the lowest first */
int64_t trials_wanted(const struct exchange *a); /* how many of the lowest are fitted before the descent gives up */

/* blocks.c: the same for units of several columns */
double blocks_change(struct exchange *a, int64_t candidate, int64_t out);
void blocks_line(struct exchange *a, const struct trial *trial, double *x0, double *dx);
int blocks_factor(struct exchange *a, int64_t candidate);

/* trials.c. x on the trial's line is x0 + alpha dx: by the current positions, then the columns that enter. */
void trials_line(struct exchange *a, const struct trial *trial, double *x0, double *dx);

/* descent.c */
void exchange_descend(struct exchange *a);
/* starts.c */
void start_greedy(struct exchange *a);
void start_marginal(struct exchange *a); /* the units that promise most at x = 0, each by itself */
void start_from(struct exchange *a, const double *x, int is_near);
/* walk.c */
void walk_away(struct exchange *a);
void walk_down(struct exchange *a); /* exchanges on the surrogate with rough fits until none lowers it, then an exact
                                       fit */
void walk_kick(struct exchange *a, int64_t moves);                /* exchange random units for random ones */
void walk_bar(struct exchange *a, int64_t left, int64_t entered); /* make the two units of an exchange tabu */
/* Keep a support [size] and its x [size] as the lowest minimum of the trail. */
void trail_keep(struct trail *trail, double F, int64_t size, const int64_t *columns, const double *x);
/* elites.c */
double elites_worthwhile(const struct exchange *a);
int elites_know(const struct exchange *a); /* whether the current support is an elite */
void elites_remember(struct exchange *a);
void elites_recall(struct exchange *a, const struct elite *elite);
void elites_cross(struct exchange *a, const struct elite *first, const struct elite *second);
/* Fit T [size] with Tx, and drop the units that cost least until the rest is feasible for s. */
void exchange_shrink(struct exchange *a, int64_t size, double noise);

#endif
