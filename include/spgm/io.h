/*
 * spgm - files: data sets, generated instances, fitted models.
 *
 * This header is libspgm-io, which is built on libspgm, libarchive, zlib and jansson:
 *
 *     1. Data      files and generated instances
 *     2. Model     prediction, model files
 *
 * The rules of spgm.h hold here too.
 */
#ifndef SPGM_IO_H
#define SPGM_IO_H

#include "spgm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Data ---------------------------------------------------------------------------------- */

typedef struct spgm_data spgm_data;
typedef struct spgm_model spgm_model;

/* Called now and then while a file is read: bytes of it so far, compressed as they may be, and of all of it; -1: not
 * known, as of a pipe. */
typedef void (*spgm_read_progress)(int64_t bytes, int64_t all, void *context);

/* How to read a file. Zero-initialise for the defaults. */
typedef struct spgm_read_options {
    const char *format;  /* NULL: by content and name; else libsvm, csv, mm, npy      */
    const char *target;  /* name or 1-based number of the target's column; NULL: of a CSV file the last */
    int no_target;       /* nonzero: the file holds only the matrix                   */
    int64_t columns;     /* LIBSVM: at least this many columns; 0: as many as appear  */
    int optional_target; /* nonzero: the target may be missing. A file without a column named `target`,
                            or (target NULL) with exactly `columns` columns, then holds only the matrix */
    const char *names;   /* a file with a name on each line, for the columns of a file without names */
    const char *weights; /* name or number, counted as for the target, of a column with weights */
    int any_layout;      /* nonzero: a dense matrix may lie by rows or in single precision, or with columns left out
                            (spgm_matrix), so that a large NPY file in C order or of float32 is mapped too, and stays so
                            where      the target is one of its columns */
    const spgm_memory *memory;   /* NULL, or where the target and weights of a large mapped file are, unless they can be
                                    mapped too; it lives as long as the data */
    spgm_read_progress progress; /* or NULL */
    void *progress_context;
    /*
     * The rest is for CSV. A column of text is a category: it becomes a column of zeros and ones for every level but
     * the first in alphabetical order, named Region=South. Lists are names, patterns (* and ?) or numbers from 1, the
     * target not counted, separated by commas: "age,x*,7:9".
     */
    const char *categories;  /* NULL, "reference": all levels but the first; "full": all; "refuse": no text  */
    const char *missing;     /* gaps: NULL, "refuse"; "drop": the row goes; "median": of the column, for a category its
                                most frequent level. A gap in the target is never filled in                        */
    const char *exclude;     /* columns that are left out                                           */
    const char *only;        /* the columns that are kept                                           */
    const char *text;        /* columns whose numbers are levels: codes, postcodes                  */
    const char *header;      /* NULL, "auto": found; "yes" or "no"                                  */
    char separator;          /* 0: tab, semicolon, comma, bar or blank, found in the first line     */
    char decimal;            /* 0, '.'; or ','                                                      */
    int text_target;         /* nonzero: the target may be text, the number of its level is taken   */
    int survey;              /* nonzero: for a description, refuse as little as can be: gaps are NaN, columns that
                                cannot be used are left out                                                        */
    const spgm_model *model; /* only the columns that this model uses, encoded as it was made, for spgm_model_predict;
                                other columns may hold anything. missing NULL: as the model was made; with "drop" a row
                                with gaps or unknown levels stays and is NaN. The target may hold NaN               */
    const spgm_model *like;  /* all columns that this model was made from, for spgm_model_restrict: categories, missing,
                                exclude, only and text are those of the model where they are NULL                   */
} spgm_read_options;

/* LIBSVM, CSV, Matrix Market or NPY, plain or compressed (gz, bz2, xz, zst); "-" is standard input. */
SPGM_API spgm_error spgm_data_read(const char *path, const spgm_read_options *options, spgm_data **data,
                                   spgm_status *status);
/* A vector: a one-column CSV, NPY, Matrix Market, or the labels of a LIBSVM file; replaces the target. */
SPGM_API spgm_error spgm_data_read_target(spgm_data *data, const char *path, spgm_status *status);
/* A vector of its own, for weights; *values belongs to the caller, who calls spgm_array_free. */
SPGM_API spgm_error spgm_vector_read(const char *path, double **values, int64_t *count, spgm_status *status);
SPGM_API void spgm_array_free(void *values);
/* The same to a file, by its extension as spgm_data_write; a CSV gets `name` (NULL: none) as its header. "-" writes one
 * number to a line of standard output. */
SPGM_API spgm_error spgm_vector_write(const char *path, const char *name, const double *values, int64_t count,
                                      spgm_status *status);

/*
 * An instance of the paper: random-M-N, -C (2 % of A times 100), -O (2 % of the noise times 100),
 * e2006-M-N[-C] from the file `from`. b = A xbar + 10 randn, xbar with `support` normal entries.
 */
typedef struct spgm_generate_options {
    const char *from; /* e2006: the LIBSVM file                                              */
    int64_t support;  /* nonzeros of xbar; 0: 100, or N when that is smaller                 */
    double noise;     /* standard deviation of the noise; 0: 10; negative: none              */
    int raw;          /* e2006: nonzero keeps the columns' own scale and emptiness           */
    int real_target;  /* e2006: nonzero takes the target of the file                         */
} spgm_generate_options;

SPGM_API spgm_error spgm_data_generate(const char *name, uint64_t seed, const spgm_generate_options *options,
                                       spgm_data **data, spgm_status *status);
/* Format by extension: .svm/.libsvm/.txt, .csv, .mtx, .npy, each with .gz .bz2 .xz .zst; MTX and NPY hold A only.
 * "-" is standard output: LIBSVM for a sparse matrix, CSV for a dense one.
 * Written under a temporary name and renamed. */
SPGM_API spgm_error spgm_data_write(const spgm_data *data, const char *path, spgm_status *status);
SPGM_API void spgm_data_free(spgm_data *data);

/*
 * Memory for what is large beside a matrix that is larger than memory: every array is a nameless file in the directory,
 * mapped, whose pages the system writes to the disk where memory is short. Give spgm_scratch_memory to the matrix
 * (spgm_matrix.memory); it lives as long as what is made of that. An array that there is no room for on the disk comes
 * from memory, and trouble says so in a sentence (text [size], NULL is skipped; 0: there was none). 200 characters and
 * the name of the directory hold it. is_in_memory: the directory is itself kept in memory (tmpfs), and nothing is won.
 */
typedef struct spgm_scratch spgm_scratch;

SPGM_API spgm_error spgm_scratch_new(const char *directory, spgm_scratch **scratch, spgm_status *status);
SPGM_API const spgm_memory *spgm_scratch_memory(const spgm_scratch *scratch); /* NULL for NULL */
SPGM_API int spgm_scratch_trouble(const spgm_scratch *scratch, char *text, size_t size);
SPGM_API int spgm_scratch_is_in_memory(const spgm_scratch *scratch);
SPGM_API void spgm_scratch_free(spgm_scratch *scratch);

/* An NPY file of doubles in Fortran order that is not compressed is mapped, not copied, with `any_layout` also a large
 * one in C order or of float32: it must stay as it is until the data is freed. */
SPGM_API spgm_matrix spgm_data_matrix(const spgm_data *data);
/* 1: the values are in a mapped file of which memory could not hold a copy; whoever casts away const must not write. */
SPGM_API int spgm_data_is_locked(const spgm_data *data);
SPGM_API const double *spgm_data_target(const spgm_data *data);               /* NULL: none          */
SPGM_API const char *spgm_data_target_name(const spgm_data *data);            /* NULL: unknown       */
SPGM_API const char *spgm_data_column_name(const spgm_data *data, int64_t j); /* NULL: unknown */
SPGM_API const char *spgm_data_format(const spgm_data *data);                 /* "libsvm", "csv" ... */
SPGM_API const double *spgm_data_truth(const spgm_data *data);   /* xbar of a generated instance, or NULL */
SPGM_API const double *spgm_data_weights(const spgm_data *data); /* of the column of weights, or NULL  */
/* Rows of the file, and which of them row i is, from 0: not the same where rows with gaps were dropped. */
SPGM_API int64_t spgm_data_rows_read(const spgm_data *data);
SPGM_API int64_t spgm_data_row(const spgm_data *data, int64_t i);
/* The k-th level of a target of text, whose number is k; NULL: none. */
SPGM_API const char *spgm_data_label(const spgm_data *data, int64_t k);
SPGM_API int64_t spgm_data_target_missing(const spgm_data *data); /* gaps in it, in a survey or with a model */
/* Of data read for a model with missing "drop": the k-th level that the model has not seen, as Region=South; NULL:
 * there are no more. */
SPGM_API const char *spgm_data_unseen(const spgm_data *data, int64_t k);

/* A column of a CSV file, row names and target not counted. */
typedef struct spgm_table_column {
    const char *name; /* NULL: none                                                                        */
    const char *kind; /* "number", "category", "excluded", "weights", "empty"; in a survey also "date", "text" (nearly
                         every row its own) and "mixed" (text among numbers): these are left out                      */
    int64_t missing;  /* gaps                                  */
    int64_t levels;   /* of a category or text                 */
    int64_t first, count; /* its columns of the matrix             */
} spgm_table_column;

SPGM_API int64_t spgm_data_table_columns(const spgm_data *data); /* 0: not a CSV file */
SPGM_API spgm_table_column spgm_data_table_column(const spgm_data *data, int64_t j);
SPGM_API const char *spgm_data_level(const spgm_data *data, int64_t j, int64_t k);
/* The column of the table, from 0, that column j of the matrix comes from; j itself where there is no table. */
SPGM_API int64_t spgm_data_column_source(const spgm_data *data, int64_t j);

/* ---- 2. Model --------------------------------------------------------------------------------- */

/* The result of a solver that has run, with the options it used; names may be NULL. Copied. */
SPGM_API spgm_error spgm_model_new(const spgm_solver *solver, const spgm_data *names, spgm_model **model,
                                   spgm_status *status);
SPGM_API spgm_error spgm_model_read(const char *path, spgm_model **model, spgm_status *status);
/* "-" is standard output. */
SPGM_API spgm_error spgm_model_write(const spgm_model *model, const char *path, spgm_status *status);
SPGM_API void spgm_model_free(spgm_model *model);
/* What made a model, besides what the solver knows; 0 and NULL: not known, left out of the file. */
typedef struct spgm_record {
    const char *data;            /* name of the data                                   */
    int64_t rows;                /* of them; 0: as many as the problem has             */
    double weights;              /* their sum, where rows have weights                 */
    const int64_t *free_columns; /* [free_count], ascending from 0                     */
    int64_t free_count;
    const char *chosen; /* how s was chosen, where it was not given           */
    const char *date;   /* when, as 2026-01-31T12:00:00Z                      */
} spgm_record;

SPGM_API spgm_error spgm_model_set_record(spgm_model *model, const spgm_record *record,
                                          spgm_status *status); /* copied */
SPGM_API void
spgm_model_forget_time(spgm_model *model); /* no seconds in the file, so that equal runs give equal ones */
SPGM_API spgm_record spgm_model_record(const spgm_model *model); /* as long as the model lives */
/* What the model holds: x [columns] in the data's units, the options it was made with, the target's name. */
SPGM_API int64_t spgm_model_columns(const spgm_model *model);
SPGM_API void spgm_model_get_x(const spgm_model *model, double *x, double *intercept);
SPGM_API const spgm_options *spgm_model_options(const spgm_model *model);
SPGM_API const char *spgm_model_target_name(const spgm_model *model); /* NULL: unknown */
/* Set on a problem over the same columns what the model was made with: free columns, as far as the model's record has
 * them, excluded ones, bounds, groups. *sparsity (NULL is skipped) receives the s that was asked for. */
SPGM_API spgm_error spgm_model_restrict(const spgm_model *model, spgm_problem *problem, int64_t *sparsity,
                                        spgm_status *status);
/* prediction [A->rows] = A x + intercept; columns are matched by name when both have names. Data read for the model
 * (spgm_read_options) need no match. */
SPGM_API spgm_error spgm_model_predict(const spgm_model *model, const spgm_data *data, double *prediction,
                                       spgm_status *status);
/* Nonzero for a classifier, whose labels (lower, upper) are then written. A prediction above 0 means the upper one, any
 * other, 0 itself included, the lower; of several scores that are the highest the first one counts. */
SPGM_API int spgm_model_labels(const spgm_model *model, double labels[2]);
/* The words of these labels, where the target was text; else NULL. */
SPGM_API const char *spgm_model_label_name(const spgm_model *model, int upper);
/*
 * A model of more than two labels: one model for each against the rest, whose labels are -1 and 1; the highest score
 * says which. combine takes the models over, when it succeeds; names are those of data's target, where it is text.
 */
SPGM_API spgm_error spgm_model_combine(spgm_model *const *models, int64_t count, const double *labels,
                                       const spgm_data *data, spgm_model **combined, spgm_status *status);
/* Move the intercepts of these models by spgm_class_shifts, from their scores on the data they were made from, with the
 * weights [rows] of the fit or NULL. Losses that give probabilities and models without an intercept stay as they are.
 */
SPGM_API spgm_error spgm_model_balance(spgm_model *combined, const spgm_data *data, const double *weights,
                                       spgm_status *status);
SPGM_API int64_t spgm_model_classes(const spgm_model *model); /* 0: no such model, or a band */
/* The k-th of them, its label and its name (NULL: none); predict with it. */
SPGM_API const spgm_model *spgm_model_class(const spgm_model *model, int64_t k, double *label, const char **name);
/*
 * A band: one model for each quantile of the target, with levels and shifts as spgm_band_level has them. combine_band
 * takes the models over, when it succeeds. spgm_model_class gives them, with the level as label; predict with each, and
 * put the values of a row in order with spgm_model_arrange.
 */
SPGM_API spgm_error spgm_model_combine_band(spgm_model *const *models, int64_t count, const double *levels,
                                            const double *shifts, const char *calibration, spgm_model **combined,
                                            spgm_status *status);
SPGM_API int64_t spgm_model_levels(const spgm_model *model); /* how many quantiles; 0: no band */
/* spgm_band_arrange for values [levels] of one row. */
SPGM_API void spgm_model_arrange(const spgm_model *band, double *values);
/* Of the upper label, for a score that spgm_model_predict gave; NaN: the loss of the model gives no probabilities. A
 * score above 0 means the upper label, any other the lower. */
SPGM_API double spgm_model_probability(const spgm_model *model, double score);

#ifdef __cplusplus
}
#endif

#endif /* SPGM_IO_H */
