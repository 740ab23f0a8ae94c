/*
 * What branch and bound writes down when its proof is to be checked by others: the tree, and for every node the dual
 * vectors that closed it, or told more of it. docs/proof.md has the file that is made of it.
 *
 * HOW IT WORKS: a record for every node that was processed, with what distinguishes it from its parent. Its steps are
 * dual vectors in the order in which they were applied; each deduces what dual.c deduces. A step for a column is that
 * of a leaf, where this column may join those that are in and no other may. Nodes without a record were closed by the
 * steps of their parents.
 */
#ifndef SPGM_SEARCH_LEDGER_H
#define SPGM_SEARCH_LEDGER_H

#include <stdint.h>

struct ledger_record {
    int64_t parent; /* -1: the root                                              */
    int64_t column; /* of the unit that was decided since; -1: none               */
    int is_in;      /* how                                                        */
    int64_t branch; /* a column of the unit that it was split by; -1: it was not */
    int64_t first;  /* of its steps, which end where those of the next begin     */
};

struct ledger {
    int64_t rows;
    int64_t records, record_room;
    struct ledger_record *record;
    int64_t steps, step_room;
    int64_t *column;   /* of a step; -1: of the node [step_room]                          */
    double *alpha;     /* [step_room x rows], in the units of the frame                   */
    int64_t rough;     /* the first steps of the root: boxes for columns that have none   */
    double most_bytes; /* beyond which nothing is kept                                    */
    int is_lost;       /* out of memory, or of that                                       */
    int has_boxes;     /* the tree had boxes: without them there is nothing to write      */
    double bound;      /* that the tree proved                                            */
};

/* NULL: out of memory. ledger_free accepts NULL. */
struct ledger *ledger_new(int64_t rows, double most_bytes);
void ledger_free(struct ledger *ledger);
void ledger_clear(struct ledger *ledger);
/* Returns its number. */
int64_t ledger_open(struct ledger *ledger, int64_t parent, int64_t column, int is_in);
/* A step of the record that was opened last. */
void ledger_note(struct ledger *ledger, int64_t column, const double *alpha);
/* All records and steps of `more`, whose parents are its own records where they are -2 or less (-2 - number). Returns
 * the number that its first record now has. */
int64_t ledger_append(struct ledger *ledger, const struct ledger *more);

#endif
