/* What the files of `spgm info` share: facts about columns, and the summary that is printed or written as JSON. */
#ifndef SPGM_CLI_INFO_H
#define SPGM_CLI_INFO_H

#include "cli.h"

enum { NAMED = 5, REMARKS_MAX = 32 }; /* NAMED: so many columns are named in a sentence */

struct facts {
    int64_t column;    /* from 0                                      */
    int64_t nonzeros;  /* entries that are not zero                   */
    double low, high;  /* over all rows                               */
    double norm;       /* Euclidean                                   */
    uint64_t print;    /* equal for equal columns                     */
    int64_t duplicate; /* an earlier column with the same entries, -1 */
    int is_count;      /* 1, 2, 3, ... down the rows, or in order     */
    int is_far;        /* values far from all others                  */
};

struct summary {
    const spgm_data *data;
    spgm_matrix matrix;
    struct labels names;
    struct facts *facts; /* of the columns that hold entries [known], ascending */
    int64_t known, nonzeros;
    double low, high, least; /* least: smallest magnitude above 0 */
    double norm_low, norm_high;
    double *sorted; /* the target, ascending, gaps left out [target_rows], or NULL */
    int64_t target_rows, distinct;
    char *remark[REMARKS_MAX];
    int remarks;
};

/* ---- info_columns.c ------------------------------------------------------------------------------------- */

/* What is asked of a column. */
int info_is_zero(const struct facts *f);
int info_is_constant(const struct facts *f);
int info_is_duplicate(const struct facts *f);
int info_is_single(const struct facts *f);
int info_is_count(const struct facts *f);
int info_is_far(const struct facts *f);

/* Facts of all columns, into the summary, whose data and matrix are set; info_take_facts is nonzero without memory. */
int info_take_facts(struct summary *s);
void info_summarise(struct summary *s);
int info_holds_entries(const spgm_matrix *matrix, int64_t j);
int64_t info_count(const struct summary *s, int (*test)(const struct facts *));

/* ---- info_table.c --------------------------------------------------------------------------------------- */

int info_sort_target(struct summary *s);
double info_median_of_target(const struct summary *s);
int64_t info_count_kind(const struct summary *s, const char *kind);
const char *info_table_name(const struct summary *s, int64_t j, char number[32]);
int64_t info_count_gaps(const struct summary *s, int64_t *columns);

/* ---- info_remarks.c, info_text.c, info_json.c -------------------------------------------------------------- */

/* What may cause trouble, kept in the summary. */
void info_remark_all(struct summary *s);
int info_print(const struct summary *s, const char *path);
int info_put_json(const struct summary *s, const char *path);

#endif
