/* What the files of the CSV reader share: read_csv.c reads a file, csv_header.c examines its first two lines,
 * csv_roles.c determines the role of each field, and csv_rows.c reads the rows. */
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
    int64_t fields;     /* in every line */
    int64_t quoted;     /* how many fields of the first line are quoted */
    int has_row_names;  /* the first field of every line is left out           */
    int64_t first_line; /* its line number */
    int64_t target;     /* field, or -1: none                                  */
    int64_t weights;    /* the same                                            */
    char *word;         /* buffer for a level as UTF-8 [word_size] */
    int64_t word_size;
};

struct csv_line {
    char *text, *end; /* a copy with a NUL after it, as UTF-8; text NULL: no line */
};

/* ---- csv_header.c ---- */

spgm_error csv_copy_line(const struct csv *reader, const char *text, const char *end, struct csv_line *line);
/* Find the separator, the number of fields, and the column names if there are any. */
spgm_error csv_study_first_line(struct csv *reader, const char *text, const char *end);
/* Decide whether there are a header and row names; that takes the first two lines. */
spgm_error csv_study_second_line(struct csv *reader, const char *text, const char *end);
/* Field j of the first line. */
struct field csv_name_field(const struct csv *reader, int64_t j);

/* ---- csv_roles.c ---- */

/* Determine the role of each field. */
spgm_error csv_set_roles(struct csv *reader);

/* ---- csv_rows.c ---- */

/* Parse a number. A comma is part of it only if commas are decimal. The field is modified. */
int csv_take_decimal(const struct csv *reader, struct field *field, double *value);
spgm_error csv_read_row(struct csv *reader, char *text, const char *end);

#endif
