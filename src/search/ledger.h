/*
 * The ledger: the record that branch and bound keeps of its proof, so that others can check it. It holds the tree and,
 * for every node, the dual vectors that closed it or tightened it. docs/proof.md describes the file made from it.
 *
 * HOW IT WORKS: every processed node has a record, with what distinguishes it from its parent. The steps of a record
 * are dual vectors in the order in which they were applied; each deduces what dual.c deduces. A step for a column is
 * that of a leaf: this column may join those that are in, and no other may. Nodes without a record were closed by the
 * steps of their parents.
 */
#ifndef SPGM_SEARCH_LEDGER_H
#define SPGM_SEARCH_LEDGER_H

#include <stdint.h>

struct ledger_record {
    int64_t parent; /* number of the parent's record; -1: the root */
    int64_t column; /* a column of the unit that was decided; -1: none */
    int is_in;      /* nonzero: the unit is in; 0: it is out */
    int64_t branch; /* a column of the unit that the node was branched on; -1: it was not */
    int64_t first;  /* number of its first step; its last is before the first step of the next record */
};

struct ledger {
    int64_t rows;
    int64_t records, record_room;
    struct ledger_record *record;
    int64_t steps, step_room;
    int64_t *column;   /* for each step: its column, or -1 if it is for the node [step_room] */
    double *alpha;     /* the dual vectors [step_room x rows], in the units of the frame */
    int64_t rough;     /* number of the first steps of the root, which give boxes to columns that have none */
    double most_bytes; /* limit beyond which nothing is kept */
    int is_lost;       /* memory ran out, or that limit was reached */
    int has_boxes;     /* the tree had boxes; without them there is nothing to record */
    double bound;      /* the bound that the tree proved */
};

/* Returns NULL if memory runs out. ledger_free accepts NULL. */
struct ledger *ledger_new(int64_t rows, double most_bytes);
void ledger_free(struct ledger *ledger);
void ledger_clear(struct ledger *ledger);
/* Begin the record of a node; returns its number. */
int64_t ledger_open(struct ledger *ledger, int64_t parent, int64_t column, int is_in);
/* Add a step to the record that was begun last. */
void ledger_note(struct ledger *ledger, int64_t column, const double *alpha);
/* Append all records and steps of `more`. A parent of -2 or less is the record number -2 - parent of `more` itself.
 * Returns the number that its first record now has. */
int64_t ledger_append(struct ledger *ledger, const struct ledger *more);

#endif
