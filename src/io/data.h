/* Data as files hold them, and the readers that fill them in. */
#ifndef SPGM_IO_DATA_H
#define SPGM_IO_DATA_H

#include <stdint.h>

#include "io/levels.h"
#include "io/source.h"
#include "spgm/io.h"

struct spgm_data {
    char name[SOURCE_NAME_SIZE]; /* of the file, for sentences                    */
    const char *format;          /* "libsvm", ...                                 */
    int64_t rows, columns;
    double *values;     /* dense: [rows * columns], column-major unless by_rows */
    float *singles;     /* mapped, in the place of values; else NULL           */
    int by_rows;        /* mapped: entry (i, j) is at i * stride + j           */
    int64_t stride;     /* by_rows only                                        */
    int64_t *column_of; /* mapped: column j stands at column_of[j]; NULL: at j  */
    void *map;          /* the file that values are in, or NULL: they are allocated */
    size_t map_size;
    int is_locked;    /* the map cannot be written to */
    void *target_map; /* the file that the target is in, or NULL: it is allocated, or in `map` */
    size_t target_map_size;
    int64_t *column_start;     /* sparse [columns + 1], else NULL                     */
    int32_t *row_index;        /* sparse                                              */
    const spgm_memory *memory; /* of the options                                  */
    double *target;            /* [rows] or NULL                                      */
    double *truth;             /* [columns] or NULL                                   */
    char *target_name;         /* or NULL                                             */
    char *names;               /* names of the columns, NUL after each; or NULL       */
    int64_t *name_start;       /* [columns], offsets into names                       */
    double *weights;           /* [rows] or NULL                                      */
    struct levels labels;      /* of a target of text                                 */
    struct levels unseen;      /* levels that the model does not know, Region=South   */
    int64_t target_missing;
    int64_t rows_read;           /* of the file                                         */
    int64_t *row_of;             /* [rows] which rows of the file; NULL: all            */
    struct encoding *encoding;   /* of a table, or NULL                                 */
    const spgm_model *for_model; /* whose columns these are, in its order; compared only */
};

/* Entry (i, j) of a dense matrix. */
static inline double data_entry(const struct spgm_data *data, int64_t i, int64_t j) {
    int64_t column = data->column_of == NULL ? j : data->column_of[j];
    int64_t at = data->by_rows ? i * data->stride + column : i + column * data->rows;

    return data->singles != NULL ? (double)data->singles[at] : data->values[at];
}

/* In a large mapped file: what memory of the caller's is for. */
int data_is_large(const struct spgm_data *data);

/* A zero data object becomes what the source holds. options are never NULL. On error the caller frees data. */
struct reader {
    const char *name;       /* "csv"                                               */
    const char *extensions; /* "csv|tsv", without the dot                          */
    spgm_error (*read)(struct source *source, const spgm_read_options *options, struct spgm_data *data,
                       spgm_status *status);
};

extern const struct reader reader_libsvm, reader_csv, reader_mm, reader_npy;

/* Read by the format of the options, the content and `path` (which may be NULL). */
spgm_error data_read_source(struct source *source, const char *path, const spgm_read_options *options, spgm_data **data,
                            spgm_status *status);
/* The same from memory: what fuzz targets and tests call. column_limit 0: the usual one. */
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
/* The data take them over; `path` is for the sentence. */
spgm_error data_set_names(struct spgm_data *data, const char *path, struct column_names *names, spgm_status *status);
/* Target and weights that the options say are columns of a matrix. */
spgm_error data_take_columns(struct spgm_data *data, const spgm_read_options *options, spgm_status *status);

/* Does the path end in one of "csv|tsv" after a dot, a compression's extension left out? */
int path_has_extension(const char *path, const char *extensions);
/* The length of `path` without .gz, .bz2, .xz or .zst. *compression is that extension or NULL. */
size_t path_without_compression(const char *path, const char **compression);

#endif
