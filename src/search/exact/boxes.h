/* What the parts of the boxes of columns without ridge and bounds share: boxes.c and the centre, boxes_centre.c. */
#ifndef SPGM_SEARCH_EXACT_BOXES_H
#define SPGM_SEARCH_EXACT_BOXES_H

#include "search/exact/internal.h"

struct bare {
    struct tree *tree;
    struct slot *slot;
    struct workspace workspace;
    int64_t count;                                       /* of K */
    int64_t *columns;                                    /* [count] */
    double *inverse;                                     /* of A_K'A_K [count x count] */
    double *scratch;                                     /* [count x count] */
    double *centre, *middle, *room, *w, *from, *weights; /* [rows] */
    double *live;                                        /* 0: dom h* is {0} in this row, whose weight is 0 [rows] */
    double size;                                         /* of dual vectors */
    double damping;                                      /* of the diagonal, in parts of it */
    struct endless endless;                              /* columns that are none of K, and rows that are left out */
    int is_stuck;                                        /* there is no centre, and that is not for want of damping */
    double *tau, *reach;                                 /* [2 count] */
    double *g, *h;                                       /* [count] */
    double *t_centre, *t_w;                              /* A'centre + p and A'w [of tree->columns] */
    double b_centre, b_w;                                /* b'centre, b'w */
};

/* The room around u in dom h*, up to cap, into k->room. 0: u is outside, or next to the end. */
int boxes_has_room(struct bare *k, const double *u, double cap);
/* The middle of dom h* into w and centre, and which rows have room there. */
void boxes_find_middle(struct bare *k);
/* A point well inside dom h* with A_K'u = -slope, by projections in turn. 0: none was found. */
int boxes_find_centre(struct bare *k);

#endif
