/* What the files of the CSV reader share: read_csv.c reads a file, csv_header.c looks at its first two lines,
 * csv_roles.c says what each field is for, csv_rows.c reads the rows. */
#ifndef SPGM_IO_CSV_H
#define SPGM_IO_CSV_H

#include "io/csv_lines.h"
#include "io/table.h"
#include "io/words.h"

struct csv {
    struct table table;
    struct csv_lines lines;
    struct source *source;
    const spgm_read_options *options;
    spgm_status *status;
    char decimal;       /* '.' or ','                                          */
    int64_t fields;     /* of every line                                       */
    int64_t quoted;     /* of the fields of the first line                     */
    int has_row_names;  /* the first field of every line is left out           */
    int64_t first_line; /* its number                                         */
    int64_t target;     /* field, or -1: none                                  */
    int64_t weights;    /* the same                                            */
    char *word;         /* room for a level as UTF-8 [word_size]               */
    int64_t word_size;
};

struct csv_line {
    char *text, *end; /* a copy with a NUL after it, as UTF-8; text NULL: no line */
};

/* ---- csv_header.c ---- */

spgm_error csv_copy_line(const struct csv *reader, const char *text, const char *end, struct csv_line *line);
/* Separator and number of fields, and the names, if they are names. */
spgm_error csv_study_first_line(struct csv *reader, const char *text, const char *end);
/* Header and row names; the second line decides with the first. */
spgm_error csv_study_second_line(struct csv *reader, const char *text, const char *end);
/* Field j of the first line. */
struct field csv_name_field(const struct csv *reader, int64_t j);

/* ---- csv_roles.c ---- */

/* What each field is for. */
spgm_error csv_set_roles(struct csv *reader);

/* ---- csv_rows.c ---- */

/* A comma within a number is no part of it unless decimals have commas. The field is changed. */
int csv_take_decimal(const struct csv *reader, struct field *field, double *value);
spgm_error csv_read_row(struct csv *reader, char *text, const char *end);

#endif
