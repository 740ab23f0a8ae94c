/* What the parts of branch and bound share. README.md: the mathematics. */
#ifndef SPGM_SEARCH_EXACT_INTERNAL_H
#define SPGM_SEARCH_EXACT_INTERNAL_H

#include "fit/fit.h"
#include "linalg/sum.h"
#include "search/exact.h"
#include "search/exact/constants.h"
#include "search/ledger.h"

enum { MOST_CHILDREN = DIVE + 2 + (DIVE + 1) * CORE_MOST };
enum { COLUMN_OPEN, COLUMN_IN, COLUMN_OUT };

/* A node: what is decided, what x may then be, and where the dual vector of its parent was. */
struct node {
    double bound;          /* proven: F >= bound for every x of the node that is in its box           */
    int64_t number, depth; /* numbers break ties: the order does not depend on threads                */
    int is_same;           /* as many columns are allowed as in the parent, whose fit it shares         */
    double kappa;          /* multiplier of the budget, where the parent ended                         */
    int64_t origin;        /* record of the parent; -2 - k: the k-th of the slot's own ledger           */
    int64_t decided;       /* a column of the unit that was decided since; -1: none                      */
    int is_in;             /* how                                                                       */
    unsigned char *state;  /* COLUMN_* [columns]; free columns are in, barred ones out                 */
    double *low, *high;    /* every x of the node with F(x) < cutoff is within [columns]               */
    float *u, *w, *z;      /* [rows], [columns], [columns]                                             */
};

/* What all nodes share; read only while a round runs. */
struct tree {
    struct run *run;
    const struct problem *problem;
    int64_t m, n, s;
    struct exact_limits limits;
    double upper;                /* F of the incumbent                                                           */
    double cutoff;               /* a node whose bound reaches this is closed                                    */
    double zero;                 /* |h(-b)|                                                                      */
    double tail;                 /* bounds are this much too high (endless.c)                                    */
    double unproven;             /* the lowest bound of a leaf that could not be proven to reach the cutoff       */
    int has_boxes;               /* every column that may be in has a finite box                                  */
    double *norm;                /* ||a_j||, not below it [columns]                                               */
    double *square;              /* ||a_j||^2, of a zero column 1 [columns]                                        */
    double *ridge;               /* not above lambda_j [columns]                                                   */
    double *slope;               /* p_j + what phi adds at 0 [columns]                                             */
    double rho;                  /* of the splitting                                                               */
    int64_t count;               /* columns that may be in                                                         */
    int64_t *columns;            /* [count]                                                                        */
    double *H, *inverse;         /* A'A + c D + M / rho over these columns, and its inverse [count x count]       */
    double *lowest;              /* the residual of the fit over all columns, NULL: not known [rows]               */
    const struct problem *whole; /* all rows, where `problem` has fewer (rows.c); NULL: it has all        */
    int64_t whole_rows;
    struct problem few;
    struct below below;
    double *weight; /* of the rows in the splitting: 1, of the last one 0 if it stands for others; NULL: 1 [rows] */
    int64_t *place; /* of a column among them, -1: none [columns]                                     */

    uint64_t *refused; /* sets of columns over which F reaches the cutoff, as bits (cores.c) [CORE_SETS] */
    int64_t refused_count;
    struct node root;   /* as it was when the tree began                                                      */
    int is_shrunk;      /* its boxes have been shrunk by pulling at every column                               */
    struct node **heap; /* open nodes, the lowest bound first                                            */
    int64_t open, room, numbers;
    struct node **spare;    /* nodes that are free [room]                                                     */
    int64_t spares, places; /* places: of the heap and of the spare nodes */
    struct workspace workspace;
    int64_t nodes; /* processed                                                                       */
    double work;   /* multiplications so far, about, as they were planned                              */
    double most;   /* that work and what follows may come to                                           */
    double beyond; /* what fits and proofs took besides: it counts for the limit, and moves nothing else  */
};

/* The splitting that raises the bound of a node (split.c). */
struct splitting {
    double *u, *y, *c;              /* [rows] */
    double *x, *z, *w, *rhs, *step; /* [columns] */
    double *unsure;                 /* the root of the diagonal of the inverse, see weight_of [columns] */
    double kappa;
    int64_t tilt_column; /* F - tilt x_j instead of F, to measure how far x_j may go; -1: none */
    double tilt;
    double *inverse, *scratch; /* of the columns `factored` [factor_room^2] */
    int64_t *factored;         /* [columns] */
    int64_t factored_count, factor_room;
};

/* The columns at work where many are active (pool.c); the inverse is theirs. */
struct pool {
    int64_t *columns, count; /* [columns] */
    unsigned char *is_in;    /* [columns] */
    int is_crowded;          /* more columns were needed at some time than there is room for */
};

/* A dual vector, its bound, and the best one of the node (dual.c). */
struct dual {
    double *alpha;            /* [rows]                                */
    double *t;                /* A'alpha and what else is linear [columns] */
    double *error;            /* of t_j [columns]                      */
    double *room, *steep;     /* [rows]                                */
    double *value, *gain;     /* v_j; what the selection sees [columns] */
    double *unit_value;       /* [units]                               */
    unsigned char *is_chosen; /* [units]                               */
    int64_t *chosen;          /* [columns]                             */
    double base;              /* -b'alpha - h*(alpha) + that of phi's tangent, not above it */
    double best;              /* the best bound of the node            */
    double *first_alpha;      /* [rows] of the first fit of a leaf     */
    struct smooth_tangent tangent;
    struct number *term_slope; /* [columns] */
    double *term_state, *term_work;
    struct feasible_work feasible;
};

/* The fits of a node, and where they begin (leaf.c). */
struct fits {
    struct fit *leaf;
    struct fit *all;            /* of leaves over all rows, where the tree has fewer; NULL: it has all */
    struct fit *whole;          /* of all columns still allowed; NULL: not in use    */
    int has_whole;              /* it has made a fit                                 */
    int64_t *support;           /* [columns] */
    int64_t *tried, tried_size; /* the support that was fitted last for an incumbent [columns] */
    double *x;                  /* of the last fit, where the next one begins [columns] */
    int has_stem;               /* what follows is of the fit over the columns of the node that are in */
    double *stem_x;             /* [columns] */
    struct fit_active stem_active;
    double *branch_x; /* and of that with one column more [columns] */
    struct fit_active branch_active;
};

/* Dual vectors of a node where two columns may still enter, and what they say of its pairs (pairs.c). */
struct pairs {
    int is_at_work;          /* dual vectors of fits are measured for all columns ...                         */
    int is_measured;         /* ... and the last one was                                                      */
    int64_t room;            /* columns at most                                                              */
    int64_t *columns, count; /* that were open when it began [room]                                           */
    int64_t group;           /* columns that are to be refused together with one, next time                  */
    int64_t vectors;         /* so far; the last PAIR_VECTORS are kept                                       */
    double *base;            /* less what the columns that are in can take from it [PAIR_VECTORS]            */
    double *t;               /* by vector, then by column [PAIR_VECTORS * room], as are ...                   */
    double *charge;          /* ... what rounding can do to t_j x_j, and ...                                 */
    double *value;           /* ... v_j of dual.c, or 0 where it is below                                     */
    unsigned char *is_open;  /* the pair is not refused [room * room]                                         */
};

/* Nodes with more children than two (cores.c). */
struct cores {
    uint64_t refused[CORE_NEW]; /* sets that were refused in this round */
    int64_t count;
    float *u, *z; /* where the children begin: of the fit with the columns before it out [CORE_MOST x rows, columns] */
    int64_t fits, from[CORE_MOST + 1]; /* how many; which is of which child, -1: none */
    double tries, successes;           /* of putting columns back: the last few count most */
    double *x;                         /* of the last fit that was not refused [columns] */
    struct fit_active active;
};

/* One node at a time, by one thread. */
struct slot {
    const struct tree *tree;
    struct workspace workspace;
    struct ledger *ledger; /* what was processed in this round; NULL: nobody asked for a certificate       */
    int64_t record;        /* of the node at hand                                                           */
    int has_effect;        /* the dual vector that was applied last decided or tightened something          */
    struct node now, saved;
    struct node children[MOST_CHILDREN]; /* what is left open when the dive ends                          */
    int64_t child_count, used;           /* of them; how many nodes were processed                              */
    int is_busy;
    int64_t *active, active_count; /* in and open columns, ascending [columns] */
    int64_t *units;                /* open ones [units] */

    double upper, cutoff; /* those of the tree, or better                                                  */
    double *best_x;       /* [columns] where upper is of this slot                                          */
    int has_better;
    double unproven;
    double work, beyond;    /* see struct tree; of this round                                              */
    double planned, before; /* of the fits of this round, and what they had taken when it began            */
    spgm_error error_code;
    int is_stopped;

    struct splitting split;
    struct pool pool;
    struct dual dual;
    struct fits fits;
    struct pairs pairs;
    struct cores cores;
};

/* ---- boxes.c ---- */
/* The first boxes: bounds of the user, ridge, the pseudoinverse. Sets has_boxes. */
spgm_error boxes_init(struct tree *tree, struct slot *slot, spgm_status *status);

/* ---- endless.c ---- */
/* Columns whose coefficient has no end one way, less a constant each. */
struct endless {
    struct slot *slot;
    int64_t count, *columns;        /* [count] */
    unsigned char *is_one;          /* of them [tree->n] */
    double *value, *sign;           /* the constant, in the units of linop_unscaled; which way: 1 or -1 [count] */
    unsigned char *is_dead;         /* rows that one of them moves [rows] */
    double *column, *by, *residual; /* [rows] */
    double *sum;                    /* what other columns may bring into a row [rows] */
    double *most, *scratch;         /* what one of them brings to any of these rows [tree->count] */
    int64_t *chosen;                /* [tree->count] */
    int64_t intercept;              /* -1: none */
    double far;                     /* |x| of the intercept without what these columns bring to it */
    int is_shifted, is_limited;     /* one of them has a constant; there are boxes */
};

int endless_applies(const struct tree *tree);
void endless_take(struct endless *e, struct slot *slot, int64_t count, struct workspace *w);
/* The columns of the list that have no end are taken off it. */
void endless_find(struct endless *e, const struct tree *tree, int64_t *columns, int64_t *count);
/* Their boxes by those of the others; again, when these are smaller. 0: there are none. */
int endless_limit(struct endless *e, struct tree *tree);

/* ---- dual.c ---- */
/* The columns of slot->now that may be in, into slot->active. */
void dual_list(struct slot *slot);
/* Measure slot->dual.alpha: base, t and their errors. 0: it is not in dom h* for certain. */
int dual_measure(struct slot *slot);
/* The same, but alpha is not drawn in where rounding put it outside. */
int dual_measure_inside(struct slot *slot);
/*
 * The bound of the alpha that was measured for slot->now, whose boxes are tightened and columns decided by it.
 * +INFINITY: no x of the node has F(x) < cutoff.
 */
double dual_bound(struct slot *slot);
/* The bound of slot->dual.alpha for the support alone, within the boxes of the node. Leaves slot->active as it was. */
double dual_support(struct slot *slot, int64_t size, const int64_t *support);

/* Of the alpha that was measured: v_j from above, and base less the v_j of the columns that are in, where `size` is the
 * sum of their sizes. */
double dual_worth(const struct slot *slot, int64_t j);
double dual_base_of_in(const struct slot *slot, double *size);

/* Write slot->dual.alpha down: for the node, or for the leaf where this column joins. Nothing where nobody asked. */
void dual_record(struct slot *slot, int64_t column);

/* ---- heap.c ---- */
/* A copy of the node among those that are open. 0: there is no room. */
int heap_push(struct tree *tree, const struct node *node);
/* Out of them the one with the lowest bound, of which there must be one. */
void heap_pop(struct tree *tree, struct node *node);
/* In order again, after bounds have changed. */
void heap_order(struct tree *tree);

/* ---- leaf.c ---- */
/* What a node must be below to matter, when `upper` is attained. */
double cutoff_of(const struct tree *tree, double upper);
int64_t leaf_capacity(const struct tree *tree); /* columns that slot->fits.leaf has room for                     */
void leaf_plan(struct slot *slot, const struct problem *problem, int64_t size); /* count a fit as work */
double leaf_spent(const struct slot *slot); /* what the fits of the slot have taken so far, with their proofs     */
/* Fit a support for the incumbent alone: a better one is kept in the slot. */
void slot_try(struct slot *slot, int64_t size, const int64_t *support);
/* The fit of what is in, from which those with one column more begin, from which those of pairs begin. */
void slot_fit_stem(struct slot *slot);
void slot_fit_branch(struct slot *slot, int64_t column);
void slot_fit_pair(struct slot *slot, int64_t first, int64_t second);
/* Whether F over what is in, the column of the last slot_fit_branch and the others reaches the cutoff. They may be more
 * than s: this is no leaf. */
int slot_refuses_group(struct slot *slot, int64_t first, int64_t count, const int64_t *others);
/* The same of slot->fits.support, from slot->fits.x. */
int slot_refuses(struct slot *slot, int64_t size);
/* Close slot->now by fits, where at most so many units are left and one of them may enter. 0: there are more. */
int leaf_close(struct slot *slot, int64_t most);

/* ---- pairs.c ---- */
int pairs_apply(const struct tree *tree); /* nodes with two columns left are closed by pairs */
void pairs_take(struct slot *slot);
/* Close slot->now, where two columns may still enter and not too many are open. 0: it is not of that kind. */
int pairs_close(struct slot *slot);

/* ---- cores.c ---- */
int cores_apply(const struct tree *tree);
void cores_take(struct slot *slot);
/* Split slot->now, where three columns or more may still enter, by the columns without which it is refused: all but one
 * of the children into the slot's list, that one into slot->now. CORES_NONE: it is not of that kind, or that failed. */
enum { CORES_CLOSED, CORES_SPLIT, CORES_NONE };
int cores_split(struct slot *slot);
void cores_merge(struct tree *tree, const struct slot *slot);

/* ---- pool.c ---- */
/* Whether the splitting is to work on a pool, and not on all columns that may be in. */
int pool_is_used(const struct slot *slot);
/* Bring in what is needed, by slot->split.z, slot->split.kappa and the v_j of the last dual vector. 0: all columns are
 * to be at work, because more are needed than a pool has room for. */
int pool_refresh(struct slot *slot);
void pool_clear(struct slot *slot);

/* ---- pulls.c ---- */
/* Whether pulls are for a problem: a loss with kinks, whose boxes are wide without them, no bounds of the user, and so
 * many rows that all columns together do not fit them. */
int pulls_apply(const struct tree *tree);
/* The boxes of slot->now by pulling at every column in turn, both ways. 0: the node is empty. */
int pulls_shrink_boxes(struct slot *slot);
double pulls_work(const struct tree *tree); /* multiplications of that */

/* ---- rows.c ---- */
/* Fewer rows, where they do: tree->problem and what belongs to it, slot->dual.alpha and the fits of the slot. */
spgm_error rows_reduce(struct tree *tree, struct slot *slot, spgm_status *status);
void rows_free(struct tree *tree);

/* ---- split.c ---- */
/* The rho of the splitting by the lengths of residual and dual vector. */
double rho_of(const struct problem *p, double residual, double dual);
/* Raise the bound of slot->now by at most `rounds` rounds of the splitting. Returns it; see dual_bound. */
double split_run(struct slot *slot, int rounds);
/* The matrix of all columns; none where they are too many, or the time is up. 0: out of memory. */
int split_prepare(struct tree *tree, struct slot *slot);
/* Its inverse, for when a pool is not enough; the same. */
int split_invert(struct tree *tree, struct slot *slot);

/* u, w, z and kappa from a node, and into it. */
void split_load(struct slot *slot, const struct node *node);
void split_store(const struct slot *slot, struct node *node);
/* Pull at every column in turn, both ways, so that the boxes of slot->now shrink. 0: the node is empty. */
int split_shrink_boxes(struct slot *slot);

/* ---- node.c ---- */
spgm_error slot_init(struct slot *slot, const struct tree *tree, spgm_status *status);
/* Without boxes: the fit over all columns. */
spgm_error slot_take_whole(struct slot *slot, spgm_status *status);
void slot_free(struct slot *slot);
/* Process slot->now and what it dives into. */
void slot_run(struct slot *slot);
int64_t slot_list_units(struct slot *slot); /* the open ones into slot->units */
int slot_is_late(void *slot);
/* Whether the limit of all work is reached, as far as this slot knows: a dive may be long where fits are. */
int slot_is_spent(struct slot *slot);
void node_copy(const struct tree *tree, const struct node *from, struct node *to);
/* Take the arrays of a node. */
void node_take(const struct tree *tree, int64_t count, struct node *nodes, struct workspace *workspace);
/* all.c: a proven bound of a problem without boxes from the incumbent in slot->fits.leaf, and the multiplications that
 * it takes with so many rounds, of which there is one at least; `fit` has room for all columns. -INFINITY: none. */
int all_applies(const struct problem *p);
double all_work(const struct problem *p, int64_t k, int rounds);
double all_bound(struct slot *slot, struct fit *fit);
int64_t slot_heaviest(struct slot *slot);
/* bound.c: the dual vector of the fit over all columns, where there are boxes; and the bound of the root without its
 * relaxation. */
spgm_error bound_apply_all(struct slot *slot, spgm_status *status);
spgm_error bound_quickly(struct tree *tree, struct slot *slot, spgm_status *status);
/* Without boxes: the bound of the fit over all that may still be in; `is_to_close`: only where it closes the node.
 * 0: stopped, or out of memory. */
int slot_bound_whole(struct slot *slot, int is_to_close);
/* Whether the fit over all that is allowed is so low that its bound is of no use, as where columns separate labels. */
int slot_says_nothing(const struct slot *slot);
int64_t node_units_in(const struct slot *slot);
/* The column whose state is that of its unit: the first that may be in. One of zeros is out from the start. */
int64_t node_unit_column(const struct slot *slot, int64_t unit);
void node_set_unit(const struct slot *slot, struct node *node, int64_t unit, unsigned char state);

#endif
