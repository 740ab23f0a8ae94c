/* What the parts of the search share. */
#ifndef SPGM_SEARCH_SWAP_INTERNAL_H
#define SPGM_SEARCH_SWAP_INTERNAL_H

#include "base/stop.h"
#include "fit/fit.h"
#include "search/swap/swap.h"

enum {
    SWAP_LEVELS = 3,  /* weightings of the model                                     */
    SWAP_PAIRS = 50,  /* pairs whose true value along the model's line is computed   */
    SWAP_NEAR = 64,   /* candidates beyond the size of the support                   */
    SWAP_BLOCK = 256, /* candidates between two looks at the clock                   */
    SWAP_POOL = 12    /* good local optima kept                                      */
};

/* An exchange: the column at `position` of the support leaves, `column` enters. */
struct pair {
    double model; /* change of F by the model                        */
    double line;  /* F along the model's line, minimised              */
    double alpha; /* where: the coefficient of the entering column    */
    int64_t position, column, candidate;
};

struct elite {
    double objective;
    int64_t *support; /* [size] */
    double *x;        /* [size] */
    struct fit_active active;
};

struct swap {
    struct run *run;
    const struct problem *problem;
    struct workspace workspace;
    struct fit *fit;
    struct stop stop;
    int64_t rows, columns;
    int64_t free;     /* the free columns stand first in the support and never leave */
    int64_t size;     /* free + sparsity                                             */
    int64_t capacity; /* the largest support fitted on the way                       */
    int is_maximum;   /* linf, else separable                                        */
    int is_plain;     /* every slope is 1, no dead zone                              */
    int stopped;

    /* the current support and its fit */
    int64_t *S;        /* [size]                                     */
    int64_t *position; /* in S, or -1 [columns]                      */
    double *x;         /* [size]                                     */
    double *r, *u;     /* residual and dual [rows]                   */
    double *price;     /* A'u [columns]                              */
    double objective;
    struct fit_active active;
    double *As;   /* its columns [rows x capacity]      */
    int rough;    /* x is approximate, while walking    */
    double *full; /* x in its place [columns]           */
    double best;  /* lowest F of this search            */

    struct elite pool[SWAP_POOL];
    int64_t pooled;

    /* the model over candidates */
    int64_t most_candidates, candidates;
    int64_t *candidate;    /* [columns]                                          */
    double *score, *spare; /* [columns]                                          */
    double *left;          /* last seen schur / (norm + ridge) [columns]         */
    double *w;             /* weights of the rows [rows]                         */
    double floor;          /* of |r_i| in the weights                            */
    double *norm;          /* a_q'W a_q [columns]                                */
    int64_t norm_age;
    double *M, *square; /* (A_S'WA_S + ridge)^-1 and scratch [capacity x capacity] */
    double *basis;      /* of the greedy start [rows x size]                   */
    double *G, *V;      /* A_S'WA_C and M G [size x most_candidates]           */
    double *schur;      /* norm + ridge - g'Mg [most_candidates]               */
    double *value;      /* [size]                                             */
    struct pair *pairs; /* [4 SWAP_PAIRS]                                      */
    int64_t pair_count;

    /* the funnel */
    int64_t *slot, *slot_of;  /* [columns], [size]: where a column's image stands   */
    double *E, *Vb, *Fj, *Mb; /* [rows x SWAP_PAIRS], [size x SWAP_PAIRS], twice    */
    double *line_r, *line_d;  /* [rows]                                             */
    double *x0, *dx, *ridge;  /* [capacity]                                         */

    int64_t *T; /* an extended support [capacity]                     */
    double *Tx; /* [capacity]                                         */
    int64_t step;
    int64_t *barred_in, *barred_out; /* a column may not enter or leave before this step */
};

/* model.c */
void model_weights(struct swap *swap, int level);
int model_inverse(struct swap *swap, const int64_t *support, int64_t size);
int model_build(struct swap *swap, int level, int64_t count);
void model_best_pairs(struct swap *swap);

/* funnel.c */
void funnel_values(struct swap *swap);
/* x along the line of a pair: x0 + alpha dx; the entry at its position is the entering column. */
void funnel_line(const struct swap *swap, const struct pair *pair, double *x0, double *dx);

/* moves.c */
int64_t swap_near(const struct swap *swap);
void swap_take(struct swap *swap); /* the fitted solution becomes the current one */
void swap_load(struct swap *swap, const int64_t *support);
void swap_replace(struct swap *swap, const struct pair *pair); /* in S, position and As only */
int swap_late(struct swap *swap);

/* walk.c */
void walk_away(struct swap *swap);
/* pool.c */
double pool_worthwhile(const struct swap *swap);
void pool_remember(struct swap *swap);
void pool_recall(struct swap *swap, const struct elite *elite);
void pool_cross(struct swap *swap, const struct elite *first, const struct elite *second);

#endif
