/*
 * A table with columns of numbers and of text, and how it becomes a matrix.
 *
 * HOW IT WORKS: a reader delivers one number for every field that is kept, row by row: the number itself, for text the
 * number of its level, NaN for a gap. table_finish drops rows or fills gaps. For each level of a category except the
 * first in alphabetical order (or for every level) it makes a column of zeros and ones. A record of this is kept with
 * the matrix and goes into the model file, restricted to the columns that the model uses. From it the reader knows how
 * to read a table to which the model is applied.
 */
#ifndef SPGM_IO_TABLE_H
#define SPGM_IO_TABLE_H

#include "io/collect.h"
#include "io/levels.h"
#include "io/source.h"
#include "spgm/io.h"

/* ---- what became of a table ---- */

enum column_kind {
    COLUMN_EMPTY, /* nothing but gaps                            */
    COLUMN_NUMBER,
    COLUMN_CATEGORY,
    COLUMN_EXCLUDED, /* by the caller                               */
    COLUMN_WEIGHTS,
    COLUMN_DATE, /* left out, where all is to be described      */
    COLUMN_TEXT, /* the same: nearly every row has its own text */
    COLUMN_MIXED /* the same: numbers, and text among them      */
};

enum missing_policy { MISSING_REFUSE, MISSING_DROP, MISSING_MEDIAN };

struct table_column {
    int64_t column; /* of the table, row names and target not counted  */
    char *name;     /* or NULL                                         */
    enum column_kind kind;
    struct levels levels; /* alphabetical                                    */
    int64_t base;         /* the level without a column of its own; -1: none */
    double fill;          /* what a gap becomes, a number or a level; NaN    */
    int64_t missing;
    int64_t first, width; /* columns of the matrix                           */
};

/* The options of the caller that must be repeated to read the same columns again. */
enum reading { READING_EXCLUDE, READING_ONLY, READING_TEXT, READING_CATEGORIES, READINGS };

struct encoding {
    char *reading[READINGS]; /* or NULL                                           */
    int64_t table_columns;   /* of the table, row names and target not counted  */
    int64_t count;
    struct table_column *columns; /* [count], ascending                           */
    int64_t width;                /* columns of the matrix                        */
    int64_t *source;              /* [width] which of `columns` each comes from   */
    int64_t *level;               /* [width] and its level; -1: of a number       */
    enum missing_policy missing;
    int is_plain; /* nothing but numbers, all of them kept        */
};

const char *missing_policy_name(enum missing_policy policy);
/* 0: there is no such policy. */
int missing_policy_find(const char *name, enum missing_policy *policy);
/* Its key in a model file, as in spgm_read_options. */
const char *reading_name(enum reading reading);
/* 0: out of memory. */
int reading_set(struct encoding *encoding, enum reading reading, const char *text);
void encoding_free(struct encoding *encoding);
/* The encoding of the given columns of the matrix, ascending [count]. NULL: out of memory. */
struct encoding *encoding_select(const struct encoding *from, const int64_t *support, int64_t count);

struct encoding_pick { /* a column of a matrix, and of which */
    const struct encoding *from;
    int64_t column;
};

/* The same for columns of several matrices of the same table, ascending by the columns of the table. */
struct encoding *encoding_gather(const struct encoding_pick *picks, int64_t count);

/* ---- while it is read ---- */

enum table_role { ROLE_SKIPPED, ROLE_FEATURE, ROLE_TARGET, ROLE_WEIGHTS };

struct table_field {
    enum table_role role;
    enum column_kind kind;
    int64_t feature;                  /* the number of the column, as in table_column; -1: row names, target      */
    int64_t place;                    /* in a stored row; -1: skipped                                             */
    int is_text;                      /* numbers are levels too                                                   */
    int is_named;                     /* the caller named it, and gets all its levels */
    const struct table_column *known; /* of a model: other levels are unknown; NULL: levels as in the file */
    struct levels levels;             /* with `known`: levels that are not among its levels */
    int64_t missing, first_gap;       /* how many, and the line of the first                                     */
};

struct table {
    struct source *source;
    const spgm_read_options *options;
    spgm_status *status;
    int64_t fields;
    struct table_field *field; /* [fields]                     */
    int has_names;
    char *names;    /* of the fields, NUL after each; or NULL */
    int64_t *start; /* [fields] where each begins             */
    enum missing_policy missing;
    int64_t features, width; /* columns of the table, and how many are kept; width: fields of a stored row */
    int64_t rows;
    struct series values; /* row by row */
    int is_strict;        /* nothing but numbers will do: a vector, say */
    int64_t *model_field; /* the column of the table for each column of the options' model; or NULL */
};

/* The name of a field; NULL: none. */
const char *table_name(const struct table *table, int64_t j);
/* ", column 3 (age): what" after the name of the file and the line */
spgm_error table_fail(const struct table *table, int64_t j, spgm_error code, const char *what);
/* Once roles are known: apply the options exclude, only and text, then assign places. */
spgm_error table_select(struct table *table);
/* The same for the columns that the model of the options uses. */
spgm_error table_select_model(struct table *table);
/* Turn the values into the matrix, target and weights of data. */
spgm_error table_finish(struct table *table, struct spgm_data *data);
void table_free(struct table *table);

#endif
