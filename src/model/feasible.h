/*
 * The feasible set. Columns are those of the framed operator.
 *
 *     lower_j <= x_j <= upper_j  (lower <= 0 <= upper),   x_j = 0 if j is barred,
 *     and the nonzeros that are not free use at most s units and obey the rule.
 *
 * Free columns are always in the model and cost nothing; barred ones are never in it; the others are the candidates. A
 * rule defines what a unit is and which units may be in together. It is a table of functions: a new rule is one more
 * entry in feasible.c, and tests/unit/test_feasible runs over every entry.
 *
 *     columns   a unit is a column
 *     capped    a unit is a column, and of each group at most `limit` columns are in, free ones included; columns in no
 *               group are not restricted
 *     grouped   a unit is a group, however many of its columns are in; a column in no group is a unit of its own. The
 *               groups of free columns are ignored
 *
 *     choose        the best support: maximise the sum of gain_j over S, over the allowed S with at most s units;
 *                   gain >= 0, so that S is as large as possible. The allowed sets of units are the independent sets
 *                   of a matroid (uniform, or a truncated partition matroid), so that this is a selection in expected
 *                   linear time. Ties go to the lower index: of the column, or of the first listed column of the
 *                   group. A NaN gain counts as the smallest; the gains of free and barred columns are not read
 *     adds          nonzero: gains are added up within a unit. Zero: only their order matters, so that an increasing
 *                   function of the gains, such as their square roots, can replace them
 *     may_enter     whether unit `entering` may enter after unit `leaving` (-1: none) has left, s aside; used [groups]
 *                   counts the candidates that are in, by group, and is kept up to date by feasible_note
 *     most_units    the largest number of units that may be in together
 *     most_columns  the largest number of candidates that s units may have
 *
 * The bounds are in problem->lower and problem->upper, where fits read them. problem_clip and problem_key (problem.h)
 * take them into account.
 */
#ifndef SPGM_MODEL_FEASIBLE_H
#define SPGM_MODEL_FEASIBLE_H

#include <stdint.h>

#include "base/memory.h"

struct feasible;

/* Scratch of a selection, for one thread. */
struct feasible_work {
    double *values, *scratch; /* [columns] */
    int64_t *list;            /* [columns] */

    /* NULL where there are no groups */
    unsigned char *is_out; /* [columns]                                        */
    int64_t *touched;      /* groups or units that occur in a list [columns]   */
    int64_t *count;        /* by group or unit, zero between calls             */
};

struct feasible_rule {
    const char *name;
    const char *unit; /* what s counts, for messages: "nonzeros", "groups" */
    int adds;
    /* From `count` listed columns (ascending; NULL: all, count = set->columns) and their gains, write the positions of
     * the best support, ascending, to chosen [count]; returns their number. All listed free columns are among them. */
    int64_t (*choose)(const struct feasible *set, int64_t s, int64_t count, const int64_t *columns, const double *gains,
                      struct feasible_work *work, int64_t *chosen);
    int (*may_enter)(const struct feasible *set, const int64_t *used, int64_t entering, int64_t leaving);
    int64_t (*most_units)(const struct feasible *set);
    int64_t (*most_columns)(const struct feasible *set, int64_t s);
};

/* In the order of their names above. */
extern const struct feasible_rule feasible_columns, feasible_capped, feasible_grouped;
const struct feasible_rule *feasible_rule_at(int64_t index); /* NULL past the end */

struct feasible {
    const struct feasible_rule *rule;
    int64_t columns;
    const unsigned char *is_free; /* [columns]                                                                */
    unsigned char *is_barred;     /* [columns], or NULL: none                                                 */
    int64_t *barred;              /* [barred_count] ascending                                                 */
    int64_t barred_count, candidates;
    int is_plain; /* the rule is `columns` and nothing is barred, so that the best support is the s largest gains */

    /* of a candidate, otherwise -1 [columns]. Units are numbered in the order of their first columns */
    int64_t *unit_of;
    int64_t units;
    int64_t *unit_start, *unit_columns; /* the candidates of unit u, ascending: unit_columns[unit_start[u]] ... */
    int64_t *of_size; /* how many units have each number of columns [columns + 1]; NULL: all have one */
    int64_t largest;  /* number of columns of the largest unit */

    int64_t *group_of; /* -1: none [columns]; NULL: there are no groups                                       */
    int64_t groups;
    int64_t *group_start, *group_columns; /* the candidates of group g, ascending                             */
    int64_t *room;                        /* how many candidates of each group may be in [groups]; NULL: no caps */
    int64_t most;                         /* rule->most_units                                                 */
};

/*
 * Take the arrays (check workspace->failed). is_free [columns] is borrowed, the other arrays are copied. is_barred
 * NULL: none is barred; group_of [columns] numbers the groups 0 to groups - 1, -1: none, NULL: no groups. limit 0: a
 * group counts as one unit; K >= 1: at most K columns of each group.
 */
void feasible_init(struct feasible *set, int64_t columns, const unsigned char *is_free, const unsigned char *is_barred,
                   const int64_t *group_of, int64_t groups, int64_t limit, struct workspace *workspace);
void feasible_work_init(struct feasible_work *work, const struct feasible *set, struct workspace *workspace);

/* The number of units that the columns of a support [size] use; free columns use none. */
int64_t feasible_count(const struct feasible *set, int64_t size, const int64_t *support, struct feasible_work *work);
/* The same for the nonzeros of x [columns]. */
int64_t feasible_count_x(const struct feasible *set, const double *x, struct feasible_work *work);
/* Whether x may have this support [size] of distinct columns: none is barred, at most s units, and the rule holds. */
int feasible_allows(const struct feasible *set, int64_t s, int64_t size, const int64_t *support,
                    struct feasible_work *work);
/* Update used [groups] when a unit enters (change = 1) or leaves (-1). Does nothing unless groups are capped. */
void feasible_note(const struct feasible *set, int64_t *used, int64_t unit, int64_t change);

#endif
