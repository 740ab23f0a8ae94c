/* What the files of branch and bound share. README.md has the mathematics. */
#ifndef SPGM_SEARCH_EXACT_INTERNAL_H
#define SPGM_SEARCH_EXACT_INTERNAL_H

#include "fit/fit.h"
#include "linalg/sum.h"
#include "search/exact.h"
#include "search/exact/constants.h"
#include "search/ledger.h"

enum { MOST_CHILDREN = DIVE + 2 + (DIVE + 1) * CORE_MOST };
enum { COLUMN_OPEN, COLUMN_IN, COLUMN_OUT };

/* A node: what is decided, the boxes of x, and the state of ADMM where its parent ended. */
struct node {
    double bound;          /* proven: F >= bound for every x of the node that is in its boxes */
    int64_t number, depth; /* number breaks ties, so that the order does not depend on threads */
    int is_same;           /* all columns allowed in the parent are allowed, so that the fit over them is shared */
    double kappa;          /* multiplier of the budget at the parent's end */
    int64_t origin;        /* record of the parent; -2 - k: record k of the slot's own ledger */
    int64_t decided;       /* a column of the unit that was decided at the branching; -1: none */
    int is_in;             /* nonzero: it is in; 0: it is out */
    unsigned char *state;  /* COLUMN_* [columns]; free columns are in, excluded ones out */
    double *low, *high;    /* every x of the node with F(x) < cutoff is within these [columns] */
    float *u, *w, *z;      /* state of ADMM [rows], [columns], [columns] */
};

/* What all nodes share; it is only read while a round runs. */
struct tree {
    struct run *run;
    const struct problem *problem;
    int64_t m, n, s;
    struct exact_limits limits;
    double upper;                /* F of the incumbent */
    double cutoff;               /* a node whose bound reaches this value is closed */
    double zero;                 /* |h(-b)| */
    double tail;                 /* every bound is lowered by this (endless.c) */
    double unproven;             /* the lowest bound of a leaf that was not proven to reach the cutoff */
    int has_boxes;               /* every column that may be in has a finite box */
    double *norm;                /* ||a_j|| rounded up [columns] */
    double *square;              /* ||a_j||^2, or 1 for a zero column [columns] */
    double *ridge;               /* lambda_j rounded down [columns] */
    double *slope;               /* p_j plus the slope of phi at 0 [columns] */
    double rho;                  /* rho of ADMM */
    int64_t count;               /* number of columns that may be in */
    int64_t *columns;            /* [count] */
    double *H, *inverse;         /* A'A + c D + curvature / rho over these columns, and its inverse [count x count] */
    double *lowest;              /* residual of the fit over all columns; NULL: not known [rows] */
    const struct problem *whole; /* the problem with all rows, if `problem` has fewer (rows.c); else NULL */
    int64_t whole_rows;
    struct problem few;
    struct below below;
    double *weight; /* weights of the rows in ADMM: 1, but 0 for the last row if it stands for others; NULL: all 1
                       [rows] */
    int64_t *place; /* index of a column in `columns`, or -1 [columns] */

    uint64_t *refused; /* refused sets of columns, as bits (cores.c) [CORE_SETS] */
    int64_t refused_count;
    struct node root;   /* the root as it was when the tree began */
    int is_shrunk;      /* bound tightening at the root was done */
    struct node **heap; /* open nodes, the lowest bound first */
    int64_t open, room, numbers;
    struct node **spare;    /* unused node objects [room] */
    int64_t spares, places; /* number of spares; room in the heap and among the spares */
    struct workspace workspace;
    int64_t nodes; /* nodes processed */
    double work;   /* multiplications so far, estimated as planned */
    double most;   /* limit on that work together with `beyond` */
    double beyond; /* what fits and proofs really took beyond their plan; used only for the limit `total` */
};

/* ADMM on the relaxation of a node (split.c). */
struct splitting {
    double *u, *y, *c;              /* [rows] */
    double *x, *z, *w, *rhs, *step; /* [columns] */
    double *unsure;                 /* square roots of the diagonal of the inverse, see weight_of [columns] */
    double kappa;
    int64_t tilt_column; /* minimise F - tilt x_j instead of F, for bound tightening; -1: no such column */
    double tilt;
    double *inverse, *scratch; /* inverse for the columns `factored` [factor_room^2] */
    int64_t *factored;         /* [columns] */
    int64_t factored_count, factor_room;
};

/* The pool of columns that ADMM works on where many are open (pool.c). The inverse is for these columns. */
struct pool {
    int64_t *columns, count; /* [columns] */
    unsigned char *is_in;    /* [columns] */
    int is_crowded;          /* at some time more columns were needed than there is room for */
};

/* A dual vector, its bound, and the best bound of the node (dual.c). */
struct dual {
    double *alpha;            /* [rows] */
    double *t;                /* A'alpha plus the linear terms [columns] */
    double *error;            /* bound on the rounding error of t_j [columns] */
    double *room, *steep;     /* [rows] */
    double *value, *gain;     /* v_j; the gains passed to the selection [columns] */
    double *unit_value;       /* [units] */
    unsigned char *is_chosen; /* [units] */
    int64_t *chosen;          /* [columns] */
    double base;              /* -b'alpha - h*(alpha) plus the constant of phi's tangent, rounded down */
    double best;              /* the best bound of the node so far */
    double *first_alpha;      /* dual vector of the first fit of a leaf [rows] */
    struct smooth_tangent tangent;
    struct number *term_slope; /* [columns] */
    double *term_state, *term_work;
    struct feasible_work feasible;
};

/* The fits of a node and their warm starts (leaf.c). */
struct fits {
    struct fit *leaf;
    struct fit *all;            /* leaves on all rows, if the tree has fewer; else NULL */
    struct fit *whole;          /* fit over all columns that are still allowed; NULL: not used */
    int has_whole;              /* it has fitted once */
    int64_t *support;           /* [columns] */
    int64_t *tried, tried_size; /* the support that was last fitted for a better incumbent [columns] */
    double *x;                  /* x of the last fit, where the next one begins [columns] */
    int has_stem;               /* the stem was fitted: the fit of the columns that are in at the node */
    double *stem_x;             /* x of the stem [columns] */
    struct fit_active stem_active;
    double *branch_x; /* x of the stem's fit with one column more [columns] */
    struct fit_active branch_active;
};

/* Dual vectors of a node with two units left, and what they prove about its pairs (pairs.c). */
struct pairs {
    int is_at_work;          /* dual vectors of fits are to be measured for all columns ... */
    int is_measured;         /* ... and the last one was */
    int64_t room;            /* most columns */
    int64_t *columns, count; /* columns that were open at the beginning [room] */
    int64_t group;           /* number of columns to be fitted together with one, next time */
    int64_t vectors;         /* number of vectors so far; the last PAIR_VECTORS are kept */
    double *base;            /* base minus what the columns that are in can contribute [PAIR_VECTORS] */
    double *t;               /* t_j by vector and column [PAIR_VECTORS * room], ... */
    double *charge;          /* ... rounding error of t_j x_j, likewise, ... */
    double *value;           /* ... and v_j of dual.c, or 0 if it is negative */
    unsigned char *is_open;  /* nonzero: the pair is not refused [room * room] */
};

/* Nodes with more than two children (cores.c). */
struct cores {
    uint64_t refused[CORE_NEW]; /* sets that were refused in this round */
    int64_t count;
    float *u, *z; /* ADMM starts of children, from the fit with the columns before it out [CORE_MOST x rows, columns] */
    int64_t fits, from[CORE_MOST + 1]; /* number of such fits, and which belongs to a child, or -1 */
    double tries, successes;           /* tries of putting columns back, and successes; recent ones count most */
    double *x;                         /* x of the last fit that was not refused [columns] */
    struct fit_active active;
};

/* The worker for one node at a time, on one thread. */
struct slot {
    const struct tree *tree;
    struct workspace workspace;
    struct ledger *ledger; /* records of this round; NULL: no certificate was asked for */
    int64_t record;        /* record of the current node */
    int has_effect;        /* the last dual vector that was applied has decided or tightened something */
    struct node now, saved;
    struct node children[MOST_CHILDREN]; /* nodes left open when the dive ends */
    int64_t child_count, used;           /* their number; the number of nodes processed */
    int is_busy;
    int64_t *active, active_count; /* columns that are in or open, ascending [columns] */
    int64_t *units;                /* open units [units] */

    double upper, cutoff; /* those of the tree, or lower ones found in this round */
    double *best_x;       /* x of `upper`, if it was found by this slot [columns] */
    int has_better;
    double unproven;
    double work, beyond;    /* as in struct tree, for this round */
    double planned, before; /* planned work of the fits of this round, and what they had taken at its beginning */
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
/* The first boxes: bounds of the user, from a ridge, from a pseudoinverse. Sets has_boxes. */
spgm_error boxes_init(struct tree *tree, struct slot *slot, spgm_status *status);

/* ---- endless.c ---- */
/* Columns whose coefficient has no end in one direction, each after subtraction of a constant. */
struct endless {
    struct slot *slot;
    int64_t count, *columns;        /* [count] */
    unsigned char *is_one;          /* whether a column is one of them [tree->n] */
    double *value, *sign;           /* the constant, in the units of linop_unscaled; the direction, 1 or -1 [count] */
    unsigned char *is_dead;         /* whether one of them moves the row [rows] */
    double *column, *by, *residual; /* [rows] */
    double *sum;                    /* largest contribution of other columns to a row [rows] */
    double *most, *scratch;         /* largest contribution of a column to any of these rows [tree->count] */
    int64_t *chosen;                /* [tree->count] */
    int64_t intercept;              /* -1: none */
    double far;                     /* largest |x| of the intercept without the contribution of these columns */
    int is_shifted, is_limited;     /* one of them has a constant; they have boxes */
};

int endless_applies(const struct tree *tree);
void endless_take(struct endless *e, struct slot *slot, int64_t count, struct workspace *w);
/* Move the columns that have no end from the list to `e`. */
void endless_find(struct endless *e, const struct tree *tree, int64_t *columns, int64_t *count);
/* Boxes for these columns from the boxes of the others; may be repeated when those are smaller. Returns 0 if there are
 * none. */
int endless_limit(struct endless *e, struct tree *tree);

/* ---- dual.c ---- */
/* List the columns of slot->now that may be in, in slot->active. */
void dual_list(struct slot *slot);
/* Measure slot->dual.alpha: base, t and their errors. Returns 0 if it is not certain to be in dom h*. */
int dual_measure(struct slot *slot);
/* The same without moving alpha into dom h* if rounding put it outside. */
int dual_measure_inside(struct slot *slot);
/*
 * The bound of the measured alpha for slot->now, whose columns it decides and whose boxes it tightens. Returns
 * +INFINITY if no x of the node has F(x) < cutoff.
 */
double dual_bound(struct slot *slot);
/* The bound of slot->dual.alpha for this support alone, within the boxes of the node. slot->active is not changed. */
double dual_support(struct slot *slot, int64_t size, const int64_t *support);

/* For the measured alpha. dual_worth: v_j, rounded up. The other: base minus the v_j of the columns that are in; `size`
 * receives the sum of their sizes. */
double dual_worth(const struct slot *slot, int64_t j);
double dual_base_of_in(const struct slot *slot, double *size);

/* Record slot->dual.alpha in the certificate, if there is one: for the node, or for the leaf where this column joins.
 */
void dual_record(struct slot *slot, int64_t column);

/* ---- heap.c ---- */
/* Add a copy of the node to the open nodes. Returns 0 if there is no room. */
int heap_push(struct tree *tree, const struct node *node);
/* Remove the open node with the lowest bound; there must be one. */
void heap_pop(struct tree *tree, struct node *node);
/* Restore the order after bounds have changed. */
void heap_order(struct tree *tree);

/* ---- leaf.c ---- */
/* The value that the bound of a node must stay below to matter, if the incumbent has F = upper. */
double cutoff_of(const struct tree *tree, double upper);
int64_t leaf_capacity(const struct tree *tree); /* largest number of columns in slot->fits.leaf */
void leaf_plan(struct slot *slot, const struct problem *problem, int64_t size); /* count a fit as planned work */
double leaf_spent(const struct slot *slot); /* what the fits of the slot have really taken so far, with their proofs */
/* Fit a support only to look for a better incumbent, which is kept in the slot. */
void slot_try(struct slot *slot, int64_t size, const int64_t *support);
/* The stem is the fit of the columns that are in. Fits with one column more (branches) begin there, and fits of pairs
 * begin at a branch. */
void slot_fit_stem(struct slot *slot);
void slot_fit_branch(struct slot *slot, int64_t column);
void slot_fit_pair(struct slot *slot, int64_t first, int64_t second);
/* Whether F over the columns that are in, the column of the last slot_fit_branch and the others reaches the cutoff.
 * These may be more than s columns. */
int slot_refuses_group(struct slot *slot, int64_t first, int64_t count, const int64_t *others);
/* The same for slot->fits.support, beginning at slot->fits.x. */
int slot_refuses(struct slot *slot, int64_t size);
/* Close slot->now by fits if no unit is left, if all open ones may enter, or if one is left and at most `most` are
 * open. Returns 0 otherwise. */
int leaf_close(struct slot *slot, int64_t most);

/* ---- pairs.c ---- */
int pairs_apply(const struct tree *tree); /* whether nodes with two units left are closed by pairs */
void pairs_take(struct slot *slot);
/* Close slot->now if two columns may still enter and not too many are open. Returns 0 if it is not such a node. */
int pairs_close(struct slot *slot);

/* ---- cores.c ---- */
int cores_apply(const struct tree *tree);
void cores_take(struct slot *slot);
/* Split slot->now, with three units left or more, by a core: one child goes into slot->now, the others into the slot's
 * list. CORES_NONE: it is not such a node, or no core was found. */
enum { CORES_CLOSED, CORES_SPLIT, CORES_NONE };
int cores_split(struct slot *slot);
void cores_merge(struct tree *tree, const struct slot *slot);

/* ---- pool.c ---- */
/* Whether ADMM works on a pool instead of all columns that may be in. */
int pool_is_used(const struct slot *slot);
/* Add the columns that are needed, by slot->split.z, slot->split.kappa and the v_j of the last dual vector. Returns 0
 * if more are needed than a pool has room for; ADMM then works on all columns. */
int pool_refresh(struct slot *slot);
void pool_clear(struct slot *slot);

/* ---- pulls.c ---- */
/* Whether pulls are used: for a loss with kinks, without bounds of the user, and with so many more rows than columns
 * that all columns together do not fit them. */
int pulls_apply(const struct tree *tree);
/* Tighten the boxes of slot->now by pulling at every column in turn, both ways. Returns 0 if the node is empty. */
int pulls_shrink_boxes(struct slot *slot);
double pulls_work(const struct tree *tree); /* multiplications that this takes */

/* ---- rows.c ---- */
/* Reduce the rows where that is possible: changes tree->problem and what belongs to it, slot->dual.alpha and the fits
 * of the slot. */
spgm_error rows_reduce(struct tree *tree, struct slot *slot, spgm_status *status);
void rows_free(struct tree *tree);

/* ---- split.c ---- */
/* The rho of ADMM from the norms of residual and dual vector. */
double rho_of(const struct problem *p, double residual, double dual);
/* Raise the bound of slot->now by at most `rounds` rounds of ADMM. Returns the bound; see dual_bound. */
double split_run(struct slot *slot, int rounds);
/* Form H for all columns; not if they are too many or the time is up. Returns 0 if memory runs out. */
int split_prepare(struct tree *tree, struct slot *slot);
/* Form its inverse, for when a pool is not enough; the same conditions. */
int split_invert(struct tree *tree, struct slot *slot);

/* Copy u, w, z and kappa from a node, or to it. */
void split_load(struct slot *slot, const struct node *node);
void split_store(const struct slot *slot, struct node *node);
/* Tighten the boxes of slot->now by pulling at every column in turn, both ways, by ADMM. Returns 0 if the node is
 * empty. */
int split_shrink_boxes(struct slot *slot);

/* ---- node.c ---- */
spgm_error slot_init(struct slot *slot, const struct tree *tree, spgm_status *status);
/* For trees without boxes: the fit over all columns. */
spgm_error slot_take_whole(struct slot *slot, spgm_status *status);
void slot_free(struct slot *slot);
/* Process slot->now and the nodes of its dive. */
void slot_run(struct slot *slot);
int64_t slot_list_units(struct slot *slot); /* list the open units in slot->units */
int slot_is_late(void *slot);
/* Whether the limit on all work is reached, as far as this slot knows. Checked within dives, since fits may make them
 * long. */
int slot_is_spent(struct slot *slot);
void node_copy(const struct tree *tree, const struct node *from, struct node *to);
/* Take the arrays of a node. */
void node_take(const struct tree *tree, int64_t count, struct node *nodes, struct workspace *workspace);
/* all.c. all_bound: a proven bound for a problem without boxes, from the incumbent in slot->fits.leaf; `fit` has room
 * for all columns; -INFINITY: none. all_work: the multiplications that it takes with so many rounds, at least one. */
int all_applies(const struct problem *p);
double all_work(const struct problem *p, int64_t k, int rounds);
double all_bound(struct slot *slot, struct fit *fit);
int64_t slot_heaviest(struct slot *slot);
/* bound.c. bound_apply_all: apply the dual vector of the fit over all columns; there must be boxes. bound_quickly: the
 * bound of the root without its relaxation. */
spgm_error bound_apply_all(struct slot *slot, spgm_status *status);
spgm_error bound_quickly(struct tree *tree, struct slot *slot, spgm_status *status);
/* For trees without boxes: the bound of the fit over all columns that may still be in; is_to_close: only if it closes
 * the node. Returns 0 if stopped or out of memory. */
int slot_bound_whole(struct slot *slot, int is_to_close);
/* Whether the fit over all allowed columns is so low that its bound is useless, as where columns separate the labels.
 */
int slot_says_nothing(const struct slot *slot);
int64_t node_units_in(const struct slot *slot);
/* The column whose state is that of its unit: the first one that may be in. A unit of zero columns is out from the
 * start. */
int64_t node_unit_column(const struct slot *slot, int64_t unit);
void node_set_unit(const struct slot *slot, struct node *node, int64_t unit, unsigned char state);

#endif
