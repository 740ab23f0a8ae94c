/*
 * The block subproblem of SPGM-BCD, solved globally:
 *
 *     minimise  1/2 z'H z + g'z   over  z = change of x_B    subject to   ||(x_B + z)_j : j optional||_0 <= budget (eq.
 * 12)
 *
 * HOW IT WORKS: with x_B + z supported on S the minimum is a constant minus 1/2 p_S' inv(H_SS) p_S, p = H x_B - g.
 * Adding a coordinate to S never raises it, so only the largest admissible subsets are candidates. They are the leaves
 * of a tree in which a child adds one coordinate, behind those of its parent. A node keeps, for every coordinate i
 * behind it, one more entry of row i of the factor of H_{S+i}, its pivot, and p_i less what S explains; with these the
 * gain of the leaf S + i is explained_i^2 / pivot_i. The best S is then solved once.
 *
 * A coordinate that is a combination of those in S (pivot lost to rounding) gains nothing and stays zero.
 */
#ifndef SPGM_METHOD_BLOCK_H
#define SPGM_METHOD_BLOCK_H

#include <stdint.h>

#include "base/memory.h"
#include "linalg/box.h"

/* Most box problems that one block solves; the leaves of the default 10 coordinates are at most 252. */
#define BLOCK_MOST_BOXES 1024

struct block {
    /* the caller fills these */
    double *H; /* k x k column-major, ld k, symmetric positive definite       [capacity^2] */
    double *g; /* gradient on the block                                       [capacity]   */
    double *x; /* x_B                                                         [capacity]   */
    /* output */
    double *change;  /* z                                                           [capacity]   */
    double *row;     /* row[e * capacity + i]: entry e of the unscaled row i of the factor [capacity^2] */
    double *pivot;   /* pivot[e * capacity + i]: pivot of i given the first e of the path  [(capacity + 1) capacity] */
    double *rest;    /* rest[e * capacity + i]: p_i minus what the first e explain [(capacity + 1) capacity] */
    double *inverse; /* 1 / pivot of the path, 0 for a pivot lost to rounding              [capacity] */
    double *gain;    /* 2 x the decrease by the first e                                    [capacity + 1] */
    double *least;   /* pivots below this are rounding [capacity] */
    int64_t *path;   /* the coordinates of the current node                                [capacity] */
    int64_t *best;   /* those of the best leaf                                             [capacity] */
    double *L;       /* factor for the best leaf                                           [capacity^2] */
    double *right;   /* right side and solution for the best leaf                          [capacity] */
    double best_gain;
    int64_t capacity;

    /* for block_minimise_within; the caller fills these, except the scratch below */
    double *lower, *upper; /* bounds on x_B + z [capacity]                                              */
    int is_bounded;        /* zero: lower and upper are not read */
    int64_t items;         /* item i: the optional coordinates item_start[i] ... item_start[i + 1] - 1 */
    int64_t *item_start;   /* [capacity + 1]                                                            */
    int64_t *item_cap;     /* the cap that each item belongs to, -1: none [capacity] */
    int64_t *cap_room;     /* how many items of a cap may be in [caps <= capacity]                      */
    int64_t caps;

    int64_t *item_path, *item_depth;  /* the items of the current node, coordinates before each [capacity] */
    double *S;                        /* H over a leaf [capacity^2]                                        */
    double *Sp, *Slower, *Supper, *z; /* over a leaf [capacity]                                            */
    double *best_z;                   /* x_B + z at the best leaf [capacity]                               */
    int64_t best_size, boxes;
    struct box box;
};

/* Take the arrays for blocks of up to `capacity` coordinates; check workspace->failed. Those of block_minimise_within
 * apart. */
void block_init(struct block *block, int64_t capacity, struct workspace *workspace);
void block_init_within(struct block *block, struct workspace *workspace);
/*
 * Minimise over a block of k coordinates, of which the first `mandatory` may always be nonzero and at most `budget`
 * of the others. Returns the change of the majoriser, never positive; when no decrease is found, change is zero.
 */
double block_minimise(struct block *block, int64_t k, int64_t mandatory, int64_t budget);
/*
 * The same where the optional coordinates come in items, each of which costs one of the budget however many of its
 * coordinates are nonzero, where of some items only so many may be in (cap_room), and within bounds, which contain x_B.
 * The items are in ascending order, from `mandatory` to k.
 *
 * HOW IT WORKS: items with caps and a budget are a matroid, so all largest sets of items have the same size and are the
 * leaves of the same tree. Within bounds the gain of a leaf without them is an upper bound; where it is above the best
 * so far the box problem is solved. LIMITATIONS: after BLOCK_MOST_BOXES of these the other leaves are left out.
 */
double block_minimise_within(struct block *block, int64_t k, int64_t mandatory, int64_t budget);

#endif
