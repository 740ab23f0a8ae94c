/* What the files of table.h share; table_finish calls these in this order. `raw` has the kept fields column by column,
 * rows x width. */
#ifndef SPGM_IO_TABLE_PARTS_H
#define SPGM_IO_TABLE_PARTS_H

#include "io/table.h"

/* Refuses gaps, or drops their rows; with `median` they stay until table_settle_columns fills them. */
spgm_error table_treat_gaps(struct table *table, struct spgm_data *data, double *raw);
/* Sort the levels alphabetically, and renumber the column accordingly. */
spgm_error table_sort_levels(const struct table *table, struct levels *levels, double *column);
/* Describe each column and record its columns of the matrix. */
spgm_error table_settle_columns(const struct table *table, double *raw, struct encoding *encoding);
/* Names of the matrix's columns: "age", "Region=South"; without a header "3=South", or none when all are numbers. */
spgm_error table_name_columns(const struct table *table, struct spgm_data *data);
/* Make the matrix of data. *raw is set to NULL if it became the matrix. */
spgm_error table_make_matrix(const struct table *table, struct spgm_data *data, double **raw);
/* The columns that the model of the options uses, in its order; gaps that stay are NaN. */
spgm_error table_make_model_matrix(const struct table *table, struct spgm_data *data, const double *raw);

#endif
