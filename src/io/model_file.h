/*
 * MODEL.json: one object, a field to a line.
 *
 *   objective, loss_value, smooth_value   F, h and f at the solution; bound, gap when a lower bound is known
 *   sparsity, columns                     s, and the number of columns of the data
 *   support, coefficients, names          0-based columns with a nonzero, ascending, and what belongs to each
 *   intercept, target, labels             labels: of a classifier, lower and upper
 *   lower, upper, excluded                where given: a bound of all columns or a list (null: none); columns never in
 *   groups, group_limit                   where given: the group of each column (-1: none); 0: each counts as one
 *   feasible, units                       whether x is in the feasible set; what s counts, where that is groups
 *   label_names, table                    where text was read: the words of the labels; how the table became columns
 *   data, rows, weights, free, chosen     where known: name and rows of the data, sum of the weights, columns that are
 *                                         always in, how s was chosen
 *   outcome, iterations, seconds          of the run
 *   certainty, verdict                    how sure it is: a word, and a sentence that says what to do
 *   starts, agreeing, spread              of a search: starts, those that ended at this F, how far above the worst was
 *   date                                  when, where known
 *   options, version                      every option as it was, and the program's version
 *
 * Of more than two labels: classes (and class_names) and models, a list with one such object for each against the rest.
 *
 * Of a band: quantiles (ascending), shifts, what calibration adds to the prediction of each, and models, one for each.
 *
 * Numbers have 17 digits, which read back as the same doubles. Unknown fields are ignored.
 */
#ifndef SPGM_IO_MODEL_FILE_H
#define SPGM_IO_MODEL_FILE_H

#include <jansson.h>

#include "io/model.h"

enum { OPTION_TEXT = 64 };
#define MODEL_SIZE_MAX ((size_t)1 << 30)

/* State of the reader. */
struct model_reader {
    const struct source *source;
    spgm_status *status;
    json_t *object;
    struct spgm_model *model;
};

/* Report an error: the name of the file and ": "key" what; is it a model file?" */
spgm_error model_fail(const struct model_reader *reader, const char *key, const char *what);
spgm_error model_out_of_memory(const struct model_reader *reader);

/* The parts of the model that describe how a table became columns (model_read_table.c): distinct texts, the names of
 * labels, and the encoding. */
spgm_error model_take_levels(const struct model_reader *reader, const char *key, const json_t *array,
                             struct levels *levels);
spgm_error model_take_label_names(const struct model_reader *reader);
spgm_error model_take_table(const struct model_reader *reader);

#endif
