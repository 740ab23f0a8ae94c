/* Data read from files, and the readers that fill them in. */
#ifndef SPGM_IO_DATA_H
#define SPGM_IO_DATA_H

#include <stdint.h>

#include "io/levels.h"
#include "io/source.h"
#include "spgm/io.h"

struct spgm_data {
    char name[SOURCE_NAME_SIZE]; /* of the file, for messages */
    const char *format;          /* "libsvm", ...                                 */
    int64_t rows, columns;
    double *values;     /* dense: [rows * columns], column-major unless by_rows */
    float *singles;     /* mapped numbers of single precision, in place of values; else NULL */
    int by_rows;        /* mapped: entry (i, j) is at i * stride + j           */
    int64_t stride;     /* by_rows only                                        */
    int64_t *column_of; /* mapped: column j is stored as column column_of[j]; NULL: as column j */
    void *map;          /* the mapped file that contains the values; NULL: they are allocated */
    size_t map_size;
    int is_locked;    /* the map is read-only */
    void *target_map; /* the mapped file that contains the target; NULL: it is allocated, or in `map` */
    size_t target_map_size;
    int64_t *column_start;     /* sparse [columns + 1], else NULL                     */
    int32_t *row_index;        /* sparse                                              */
    const spgm_memory *memory; /* that of the options */
    double *target;            /* [rows] or NULL                                      */
    double *truth;             /* [columns] or NULL                                   */
    char *target_name;         /* or NULL                                             */
    char *names;               /* names of the columns, NUL after each; or NULL       */
    int64_t *name_start;       /* [columns], offsets into names                       */
    double *weights;           /* [rows] or NULL                                      */
    struct levels labels;      /* of a text target */
    struct levels unseen;      /* levels that the model does not have, as in Region=South */
    int64_t target_missing;
    int64_t rows_read;           /* rows of the file */
    int64_t *row_of;             /* [rows] their numbers in the file; NULL: all rows are used */
    struct encoding *encoding;   /* of a table, or NULL                                 */
    const spgm_model *for_model; /* the model whose columns these are, in its order; the pointer is only compared */
};

/* Entry (i, j) of a dense matrix. */
static inline double data_entry(const struct spgm_data *data, int64_t i, int64_t j) {
    int64_t column = data->column_of == NULL ? j : data->column_of[j];
    int64_t at = data->by_rows ? i * data->stride + column : i + column * data->rows;

    return data->singles != NULL ? (double)data->singles[at] : data->values[at];
}

/* Whether the data are in a large mapped file, for which the caller's memory is used. */
int data_is_large(const struct spgm_data *data);

/* Reads the source into a zeroed data object. options are never NULL. On error the caller frees data. */
struct reader {
    const char *name;       /* "csv"                                               */
    const char *extensions; /* "csv|tsv", without the dot                          */
    spgm_error (*read)(struct source *source, const spgm_read_options *options, struct spgm_data *data,
                       spgm_status *status);
};

extern const struct reader reader_libsvm, reader_csv, reader_mm, reader_npy;

/* Choose the reader by the format of the options, the content and `path` (which may be NULL), and read. */
spgm_error data_read_source(struct source *source, const char *path, const spgm_read_options *options, spgm_data **data,
                            spgm_status *status);
/* The same from memory, for fuzz targets and tests. column_limit 0: the usual limit. */
spgm_error data_read_memory(const char *name, const void *bytes, size_t size, const spgm_read_options *options,
                            int64_t column_limit, spgm_data **data, spgm_status *status);

spgm_error data_set_target_name(struct spgm_data *data, const char *name, spgm_status *status);

/* Names of columns from a file, one on each line. */
struct column_names {
    char *text; /* NUL after each */
    int64_t *start, count;
};
spgm_error column_names_read(const char *path, struct column_names *names, spgm_status *status);
void column_names_free(struct column_names *names);
/* The data take over the names; `path` is for messages. */
spgm_error data_set_names(struct spgm_data *data, const char *path, struct column_names *names, spgm_status *status);
/* Take the target and the weights out of the matrix if the options say that they are among its columns. */
spgm_error data_take_columns(struct spgm_data *data, const spgm_read_options *options, spgm_status *status);

/* Whether the path ends in a dot and one of "csv|tsv", ignoring the extension of a compression. */
int path_has_extension(const char *path, const char *extensions);
/* The length of `path` without .gz, .bz2, .xz or .zst. *compression is that extension or NULL. */
size_t path_without_compression(const char *path, const char **compression);

#endif
