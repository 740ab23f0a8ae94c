/* A fitted model, and its file. */
#ifndef SPGM_IO_MODEL_H
#define SPGM_IO_MODEL_H

#include "io/source.h"
#include "io/table.h"
#include "spgm/io.h"

struct spgm_model {
    spgm_info info;
    int64_t columns;      /* of the data it was made from                       */
    int64_t sparsity;     /* the requested s */
    int64_t count;        /* nonzero coefficients                               */
    int64_t *support;     /* [count], ascending, 0-based                        */
    double *coefficients; /* [count]; NULL for a combined model */
    char *names;          /* of the columns in the support, NUL after each; or NULL */
    int64_t *name_start;  /* [count], offsets into names                        */
    double intercept;
    char *target_name; /* or NULL                                            */
    int is_classifier;
    double labels[2];
    struct levels label_names; /* names of these two labels, if they were text */
    struct encoding *encoding; /* of the table it was made from; NULL: plain numbers */
    struct model_bounds {
        double all;     /* of every column; infinite: none    */
        double *values; /* or one for each [columns], or NULL */
    } lower, upper;
    int64_t *excluded; /* [excluded_count], ascending                        */
    int64_t excluded_count;
    int64_t *group_of; /* -1: none [columns], or NULL                        */
    int64_t group_limit;
    int64_t rows;          /* 0: unknown                                         */
    double weights;        /* their sum; 0: no weights */
    char *data_name;       /* or NULL */
    char *chosen, *date;   /* or NULL */
    int64_t *free_columns; /* [free_count], ascending                            */
    int64_t free_count;
    struct spgm_model **classes;       /* [class_count], each label against the rest; NULL: a single model */
    double *class_labels;              /* [class_count]                                      */
    struct levels class_names;         /* of these labels, or none                           */
    double *shifts;                    /* [class_count] of a band, in which the class labels are quantiles; or NULL */
    char *calibration;                 /* of a band: the calibration method, or NULL */
    const struct spgm_model *combined; /* the combined model that this one is a part of, or NULL */
    int64_t class_count;
    spgm_options *options; /* owned */
    char version[32];
};

/*
 * Give the combined model the union of the columns of its classes as its support, names and encoding, so that a table
 * is read once for all classes. The combined model has no coefficients of its own.
 */
spgm_error model_unite(struct spgm_model *combined, spgm_status *status);
/* The place of a column of the matrix in the support of a combined model, which must have it. */
int64_t model_find(const struct spgm_model *combined, int64_t column);
/* prediction [rows] = A x + intercept, where columns [count] are the columns of the data that form the support. */
void model_apply(const struct spgm_model *model, const spgm_data *data, const int64_t *columns, double *prediction);
/* Read from the text of a model file, for fuzz targets and tests. */
spgm_error model_read_memory(const char *name, const void *bytes, size_t size, spgm_model **model, spgm_status *status);

#endif
