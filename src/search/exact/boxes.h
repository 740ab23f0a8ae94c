/* Boxes of columns without ridge and bounds: what boxes.c and boxes_centre.c share. */
#ifndef SPGM_SEARCH_EXACT_BOXES_H
#define SPGM_SEARCH_EXACT_BOXES_H

#include "search/exact/internal.h"

struct bare {
    struct tree *tree;
    struct slot *slot;
    struct workspace workspace;
    int64_t count;                                       /* number of columns of K */
    int64_t *columns;                                    /* [count] */
    double *inverse;                                     /* inverse of A_K'W A_K + damping [count x count] */
    double *scratch;                                     /* [count x count] */
    double *centre, *middle, *room, *w, *from, *weights; /* [rows] */
    double *live;                                        /* 0: dom h* is {0} in this row, whose weight is 0 [rows] */
    double size;                                         /* scale of dual vectors */
    double damping;                                      /* added to the diagonal, relative to it */
    struct endless endless; /* columns without an end, which are not in K, and rows left out for them */
    int is_stuck;           /* there is no centre, and more damping would not help */
    double *tau, *reach;    /* [2 count] */
    double *g, *h;          /* [count] */
    double *t_centre, *t_w; /* A'centre + p and A'w [of tree->columns] */
    double b_centre, b_w;   /* b'centre, b'w */
};

/* The room around u in dom h*, up to cap, into k->room. Returns 0 if u is outside dom h* or next to its boundary. */
int boxes_has_room(struct bare *k, const double *u, double cap);
/* Set w and centre to the middle of dom h*, and live to the rows that have room there. */
void boxes_find_middle(struct bare *k);
/* A point well inside dom h* with A_K'u = -slope, by alternating projections or Newton's method. Returns 0 if none was
 * found. */
int boxes_find_centre(struct bare *k);

#endif
