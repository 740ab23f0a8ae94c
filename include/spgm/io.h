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

/* How to read a file. Zero-initialise for the defaults. */
typedef struct spgm_read_options {
    const char *format;  /* NULL: by content and name; else libsvm, csv, mm, npy      */
    const char *target;  /* CSV: name or 1-based number of the target; NULL: the last */
    int no_target;       /* nonzero: the file holds only the matrix                   */
    int64_t columns;     /* LIBSVM: at least this many columns; 0: as many as appear  */
    int optional_target; /* CSV, nonzero: the target may be missing. A file without a column named `target`,
                            or (target NULL) with exactly `columns` columns, then holds only the matrix */
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

SPGM_API spgm_matrix spgm_data_matrix(const spgm_data *data);
SPGM_API const double *spgm_data_target(const spgm_data *data);               /* NULL: none          */
SPGM_API const char *spgm_data_target_name(const spgm_data *data);            /* NULL: unknown       */
SPGM_API const char *spgm_data_column_name(const spgm_data *data, int64_t j); /* NULL: unknown */
SPGM_API const char *spgm_data_format(const spgm_data *data);                 /* "libsvm", "csv" ... */
SPGM_API const double *spgm_data_truth(const spgm_data *data); /* xbar of a generated instance, or NULL */

/* ---- 2. Model --------------------------------------------------------------------------------- */

typedef struct spgm_model spgm_model;

/* The result of a solver that has run, with the options it used; names may be NULL. Copied. */
SPGM_API spgm_error spgm_model_new(const spgm_solver *solver, const spgm_data *names, spgm_model **model,
                                   spgm_status *status);
SPGM_API spgm_error spgm_model_read(const char *path, spgm_model **model, spgm_status *status);
/* "-" is standard output. */
SPGM_API spgm_error spgm_model_write(const spgm_model *model, const char *path, spgm_status *status);
SPGM_API void spgm_model_free(spgm_model *model);
/* What the model holds: x [columns] in the data's units, the options it was made with, the target's name. */
SPGM_API int64_t spgm_model_columns(const spgm_model *model);
SPGM_API void spgm_model_get_x(const spgm_model *model, double *x, double *intercept);
SPGM_API const spgm_options *spgm_model_options(const spgm_model *model);
SPGM_API const char *spgm_model_target_name(const spgm_model *model); /* NULL: unknown */
/* prediction [A->rows] = A x + intercept; columns are matched by name when both have names. */
SPGM_API spgm_error spgm_model_predict(const spgm_model *model, const spgm_data *data, double *prediction,
                                       spgm_status *status);
/* Nonzero for a classifier, whose labels (lower, upper) are then written. */
SPGM_API int spgm_model_labels(const spgm_model *model, double labels[2]);
/* Of the upper label, for a score that spgm_model_predict gave; NaN: the loss of the model gives no probabilities. A
 * score above 0 means the upper label, any other the lower. */
SPGM_API double spgm_model_probability(const spgm_model *model, double score);

#ifdef __cplusplus
}
#endif

#endif /* SPGM_IO_H */
