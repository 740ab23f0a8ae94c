/*
 * spgm - files: data sets, generated instances, fitted models.
 *
 * This header is the interface of libspgm-io, which is built on libspgm, libarchive, zlib and jansson:
 *
 *     1. Data      files and generated instances
 *     2. Model     model files and predictions
 *
 * The rules at the top of spgm.h hold here too.
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

/* Called from time to time while a file is read. bytes: how many bytes of the file were read so far, compressed or not;
 * all: the size of the file, or -1 if it is not known, as for a pipe. */
typedef void (*spgm_read_progress)(int64_t bytes, int64_t all, void *context);

/* How to read a file. Zero-initialise for the defaults. */
typedef struct spgm_read_options {
    const char *format;  /* NULL: recognised by content and name; else libsvm, csv, mm, npy */
    const char *target;  /* name or 1-based number of the target's column; NULL: the last column of a CSV file */
    int no_target;       /* nonzero: the file holds only the matrix */
    int64_t columns;     /* LIBSVM: the least number of columns; 0: as many as occur */
    int optional_target; /* nonzero: the target may be missing. A file without a column named `target`, or (target NULL)
                            with exactly `columns` columns, is then read as the matrix alone */
    const char *names;   /* a file with one name per line, for files without column names */
    const char *weights; /* name or number (counted as for the target) of a column with row weights */
    int any_layout;      /* nonzero: a dense matrix may be row-major, in single precision or have columns left out
                            (spgm_matrix). A large NPY file in C order or of float32 is then mapped too, also if one of
                            its columns is the target */
    const spgm_memory *memory; /* NULL, or memory for the target and weights of a large mapped file, where these cannot
                                  be mapped themselves; it must outlive the data */
    spgm_read_progress progress; /* may be NULL */
    void *progress_context;
    /*
     * The rest is for CSV files. A text column is a category: it becomes one 0-1 column for each level but the first in
     * alphabetical order, named like Region=South. Lists of columns are names, patterns (* and ?) or numbers from 1,
     * not counting the target, separated by commas: "age,x*,7:9".
     */
    const char *categories; /* NULL or "reference": every level but the first; "full": every level; "refuse": text is an
                               error */
    const char *missing;    /* missing values: NULL or "refuse": an error; "drop": drop the row; "median": use the
                               median of the column, for a category its most frequent level. A missing target is never
                               filled in */
    const char *exclude;    /* columns to leave out */
    const char *only;       /* columns to keep */
    const char *text;       /* columns of numbers to be treated as categories: codes, postcodes */
    const char *header;     /* NULL or "auto": detected; "yes"; "no" */
    char separator;         /* 0: detected in the first line among tab, semicolon, comma, bar and blank */
    char decimal;           /* 0 or '.'; or ',' */
    int text_target;        /* nonzero: the target may be text; its values are then the numbers of the levels */
    int survey; /* nonzero: read for a description, with as few errors as possible: missing values are NaN, and columns
                   that cannot be used are left out */
    const spgm_model *model; /* read for spgm_model_predict: only the columns that this model uses, encoded as for its
                                fit; other columns may hold anything. missing NULL: as for the fit; with "drop", rows
                                with missing values or unknown levels stay and are predicted NaN. The target may be NaN
                              */
    const spgm_model *like;  /* read for spgm_model_restrict: all columns that this model was made from; categories,
                                missing, exclude, only and text are those of the model where they are NULL */
} spgm_read_options;

/* Read a LIBSVM, CSV, Matrix Market or NPY file, plain or compressed (gz, bz2, xz, zst). "-" is standard input. */
SPGM_API spgm_error spgm_data_read(const char *path, const spgm_read_options *options, spgm_data **data,
                                   spgm_status *status);
/* Read a vector that replaces the target: a one-column CSV, NPY or Matrix Market file, or the labels of a LIBSVM file.
 */
SPGM_API spgm_error spgm_data_read_target(spgm_data *data, const char *path, spgm_status *status);
/* Read a vector, for instance of weights. *values belongs to the caller and is freed by spgm_array_free. */
SPGM_API spgm_error spgm_vector_read(const char *path, double **values, int64_t *count, spgm_status *status);
SPGM_API void spgm_array_free(void *values);
/* Write a vector, in the format of the extension as spgm_data_write. A CSV file gets `name` (NULL: none) as its header.
 * "-" writes one number per line to standard output. */
SPGM_API spgm_error spgm_vector_write(const char *path, const char *name, const double *values, int64_t count,
                                      spgm_status *status);

/*
 * Options for an instance of the paper: random-M-N, random-M-N-C (2 % of the entries of A times 100), random-M-N-O (2 %
 * of the noise times 100), or e2006-M-N[-C] from the file `from`. b = A xbar + 10 randn, where xbar has `support`
 * normal entries.
 */
typedef struct spgm_generate_options {
    const char *from; /* e2006: the LIBSVM file */
    int64_t support;  /* nonzeros of xbar; 0: 100, or N if that is smaller */
    double noise;     /* standard deviation of the noise; 0: 10; negative: none */
    int raw;          /* e2006: nonzero keeps the scales of the columns, and empty columns */
    int real_target;  /* e2006: nonzero uses the target of the file */
} spgm_generate_options;

SPGM_API spgm_error spgm_data_generate(const char *name, uint64_t seed, const spgm_generate_options *options,
                                       spgm_data **data, spgm_status *status);
/* Write data in the format of the extension: .svm/.libsvm/.txt, .csv, .mtx, .npy, each also with .gz .bz2 .xz .zst. MTX
 * and NPY files hold A only. "-" is standard output: LIBSVM for a sparse matrix, CSV for a dense one. A file is written
 * under a temporary name and then renamed. */
SPGM_API spgm_error spgm_data_write(const spgm_data *data, const char *path, spgm_status *status);
SPGM_API void spgm_data_free(spgm_data *data);

/*
 * Memory on disk for the large arrays that a run needs beside a matrix that is larger than memory. Every array is a
 * mapped nameless file in the directory, whose pages the system writes to disk when memory is short. Set
 * spgm_matrix.memory to spgm_scratch_memory; the scratch must outlive everything that is made of that matrix.
 *
 * If the disk has no room for an array, it comes from memory. spgm_scratch_trouble then returns nonzero and says so in
 * a sentence in text [size] (may be NULL); 200 characters and the name of the directory are enough. is_in_memory:
 * nonzero if the directory is itself kept in memory (tmpfs), so that nothing is gained.
 */
typedef struct spgm_scratch spgm_scratch;

SPGM_API spgm_error spgm_scratch_new(const char *directory, spgm_scratch **scratch, spgm_status *status);
SPGM_API const spgm_memory *spgm_scratch_memory(const spgm_scratch *scratch); /* NULL for NULL */
SPGM_API int spgm_scratch_trouble(const spgm_scratch *scratch, char *text, size_t size);
SPGM_API int spgm_scratch_is_in_memory(const spgm_scratch *scratch);
SPGM_API void spgm_scratch_free(spgm_scratch *scratch);

/* The matrix, valid until the data is freed. An uncompressed NPY file of doubles in Fortran order is mapped, not
 * copied; with `any_layout` so is a large one in C order or of float32. A mapped file must not change until then. */
SPGM_API spgm_matrix spgm_data_matrix(const spgm_data *data);
/* Nonzero: the values are in a mapped file too large to be copied into memory. They must not be written to, even by
 * casting away const. */
SPGM_API int spgm_data_is_locked(const spgm_data *data);
SPGM_API const double *spgm_data_target(const spgm_data *data);               /* NULL: none */
SPGM_API const char *spgm_data_target_name(const spgm_data *data);            /* NULL: unknown */
SPGM_API const char *spgm_data_column_name(const spgm_data *data, int64_t j); /* NULL: unknown */
SPGM_API const char *spgm_data_format(const spgm_data *data);                 /* "libsvm", "csv" ... */
SPGM_API const double *spgm_data_truth(const spgm_data *data);   /* xbar of a generated instance, or NULL */
SPGM_API const double *spgm_data_weights(const spgm_data *data); /* of the column of weights, or NULL */
/* The number of rows in the file, and the row of the file, from 0, that row i comes from. They differ from the rows of
 * the matrix if rows with missing values were dropped. */
SPGM_API int64_t spgm_data_rows_read(const spgm_data *data);
SPGM_API int64_t spgm_data_row(const spgm_data *data, int64_t i);
/* The k-th level of a text target, whose value is k; NULL: none. */
SPGM_API const char *spgm_data_label(const spgm_data *data, int64_t k);
SPGM_API int64_t spgm_data_target_missing(const spgm_data *data); /* missing targets, in a survey or with a model */
/* For data read for a model with missing "drop": the k-th level that the model has not seen, like Region=South; NULL
 * past the last one. */
SPGM_API const char *spgm_data_unseen(const spgm_data *data, int64_t k);

/* A column of a CSV file; row names and target are not counted. */
typedef struct spgm_table_column {
    const char *name; /* NULL: none */
    const char *kind; /* "number", "category", "excluded", "weights", "empty"; in a survey also "date", "text" (nearly
                         every value differs) and "mixed" (text among numbers), which are left out */
    int64_t missing;  /* missing values */
    int64_t levels;   /* number of levels of a category or text */
    int64_t first, count; /* its columns in the matrix */
} spgm_table_column;

SPGM_API int64_t spgm_data_table_columns(const spgm_data *data); /* 0: not a CSV file */
SPGM_API spgm_table_column spgm_data_table_column(const spgm_data *data, int64_t j);
SPGM_API const char *spgm_data_level(const spgm_data *data, int64_t j, int64_t k);
/* The column of the table, from 0, that column j of the matrix comes from; j itself if there is no table. */
SPGM_API int64_t spgm_data_column_source(const spgm_data *data, int64_t j);

/* ---- 2. Model --------------------------------------------------------------------------------- */

/* A model from a solver that has run, with the options that it used. names may be NULL. Everything is copied. */
SPGM_API spgm_error spgm_model_new(const spgm_solver *solver, const spgm_data *names, spgm_model **model,
                                   spgm_status *status);
SPGM_API spgm_error spgm_model_read(const char *path, spgm_model **model, spgm_status *status);
/* "-" is standard output. */
SPGM_API spgm_error spgm_model_write(const spgm_model *model, const char *path, spgm_status *status);
SPGM_API void spgm_model_free(spgm_model *model);
/* How a model was made, beyond what the solver knows. Entries that are 0 or NULL are not known and left out of the
 * file. */
typedef struct spgm_record {
    const char *data;            /* name of the data */
    int64_t rows;                /* number of rows; 0: that of the problem */
    double weights;              /* sum of the row weights, if there are any */
    const int64_t *free_columns; /* [free_count], ascending from 0 */
    int64_t free_count;
    const char *chosen; /* how s was chosen, if it was not given */
    const char *date;   /* date and time, as 2026-01-31T12:00:00Z */
} spgm_record;

/* The record is copied. */
SPGM_API spgm_error spgm_model_set_record(spgm_model *model, const spgm_record *record, spgm_status *status);
/* Leave the seconds out of the file, so that equal runs give equal files. */
SPGM_API void spgm_model_forget_time(spgm_model *model);
SPGM_API spgm_record spgm_model_record(const spgm_model *model); /* valid as long as the model lives */
/* The contents of a model: x [columns] in the data's units, the options that it was made with, the name of the target.
 */
SPGM_API int64_t spgm_model_columns(const spgm_model *model);
SPGM_API void spgm_model_get_x(const spgm_model *model, double *x, double *intercept);
SPGM_API const spgm_options *spgm_model_options(const spgm_model *model);
SPGM_API const char *spgm_model_target_name(const spgm_model *model); /* NULL: unknown */
/* Set the restrictions that the model was made with on a problem over the same columns: free columns (if the model's
 * record has them), excluded columns, bounds, groups. *sparsity (may be NULL) receives the s that was asked for. */
SPGM_API spgm_error spgm_model_restrict(const spgm_model *model, spgm_problem *problem, int64_t *sparsity,
                                        spgm_status *status);
/* prediction [A->rows] = A x + intercept. Columns are matched by name if both have names. Data read for the model
 * (spgm_read_options) needs no matching. */
SPGM_API spgm_error spgm_model_predict(const spgm_model *model, const spgm_data *data, double *prediction,
                                       spgm_status *status);
/* Nonzero for a classifier; labels then receives the lower and the upper one. A prediction above 0 means the upper
 * label, any other, including 0, the lower one. If several scores of a model of more than two labels are the highest,
 * the first of them counts. */
SPGM_API int spgm_model_labels(const spgm_model *model, double labels[2]);
/* The text of a label, if the target was text; else NULL. */
SPGM_API const char *spgm_model_label_name(const spgm_model *model, int upper);
/*
 * A model of more than two labels: one model for each label against the rest, whose own labels are -1 and 1; the
 * highest score decides. On success combine takes ownership of the models. Names are those of data's target if it is
 * text.
 */
SPGM_API spgm_error spgm_model_combine(spgm_model *const *models, int64_t count, const double *labels,
                                       const spgm_data *data, spgm_model **combined, spgm_status *status);
/* Add the shifts of spgm_class_shifts to the intercepts of these models. The shifts come from their scores on the data
 * that they were made from, with the weights [rows] of the fit or NULL. Models whose loss gives probabilities, and
 * models without an intercept, stay as they are. */
SPGM_API spgm_error spgm_model_balance(spgm_model *combined, const spgm_data *data, const double *weights,
                                       spgm_status *status);
SPGM_API int64_t spgm_model_classes(const spgm_model *model); /* 0: not a model of more than two labels */
/* The k-th model, for predictions, with its label and the label's name (NULL: none). */
SPGM_API const spgm_model *spgm_model_class(const spgm_model *model, int64_t k, double *label, const char **name);
/*
 * A band: one model for each quantile of the target, with levels and shifts as given by spgm_band_level. On success
 * combine_band takes ownership of the models. spgm_model_class returns them, with the level as label: predict with
 * each, and pass the values of a row to spgm_model_arrange.
 */
SPGM_API spgm_error spgm_model_combine_band(spgm_model *const *models, int64_t count, const double *levels,
                                            const double *shifts, const char *calibration, spgm_model **combined,
                                            spgm_status *status);
SPGM_API int64_t spgm_model_levels(const spgm_model *model); /* number of quantiles; 0: not a band */
/* Apply spgm_band_arrange to values [levels] of one row. */
SPGM_API void spgm_model_arrange(const spgm_model *band, double *values);
/* The probability of the upper label for a score from spgm_model_predict; NaN: the loss of the model gives no
 * probabilities. A score above 0 means the upper label, any other the lower one. */
SPGM_API double spgm_model_probability(const spgm_model *model, double score);

#ifdef __cplusplus
}
#endif

#endif /* SPGM_IO_H */
