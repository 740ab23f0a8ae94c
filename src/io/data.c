#include "io/data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/map.h"
#include "io/table.h"

/* ---- which format ---- */

static const struct reader *const readers[] = {&reader_libsvm, &reader_csv, &reader_mm, &reader_npy};

enum { READER_COUNT = (int)(sizeof readers / sizeof readers[0]), PEEK_SIZE = 1 << 14 };

static const struct reader *reader_find(const char *name) {
    for (int i = 0; i < READER_COUNT; i++) {
        if (strcmp(readers[i]->name, name) == 0) {
            return readers[i];
        }
    }
    return NULL;
}

size_t path_without_compression(const char *path, const char **compression) {
    static const char *const extensions[] = {".gz", ".bz2", ".xz", ".zst"};
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        size_t size = strlen(extensions[i]);

        if (length > size && strcasecmp(path + length - size, extensions[i]) == 0) {
            *compression = extensions[i];
            return length - size;
        }
    }
    *compression = NULL;
    return length;
}

int path_has_extension(const char *path, const char *extensions) {
    const char *compression;
    size_t length = path_without_compression(path, &compression);

    for (const char *word = extensions; *word != '\0';) {
        size_t size = strcspn(word, "|");

        if (length > size && path[length - size - 1] == '.' && strncasecmp(path + length - size, word, size) == 0) {
            return 1;
        }
        word += size + (word[size] == '|');
    }
    return 0;
}

/* Whether the text has a word INDEX:, which only a LIBSVM file has. */
static int has_index(const char *text, const char *end) {
    for (const char *colon = memchr(text, ':', (size_t)(end - text)); colon != NULL;
         colon = memchr(colon + 1, ':', (size_t)(end - colon - 1))) {
        const char *p = colon;

        while (p > text && p[-1] >= '0' && p[-1] <= '9') {
            p--;
        }
        if (p < colon && (p == text || p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\n')) {
            return 1;
        }
    }
    return 0;
}

static const struct reader *reader_by_content(const char *bytes, size_t count) {
    static const char banner[] = "%%MatrixMarket";

    if (count >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0) {
        return &reader_npy;
    }
    if (count >= sizeof banner - 1 && strncasecmp(bytes, banner, sizeof banner - 1) == 0) {
        return &reader_mm;
    }
    return NULL;
}

static const struct reader *reader_by_name(const char *path) {
    for (int i = 0; path != NULL && i < READER_COUNT; i++) {
        if (path_has_extension(path, readers[i]->extensions)) {
            return readers[i];
        }
    }
    return NULL;
}

/* The kind of a file in a known format that cannot be read as data; NULL: unknown. */
static const char *foreign_kind(const char *bytes, size_t count) {
    static const struct {
        const char *magic;
        size_t size;
        const char *kind;
    } kinds[] = {
        {"\x89PNG", 4, "a PNG picture"},
        {"\xff\xd8\xff", 3, "a JPEG picture"},
        {"GIF8", 4, "a GIF picture"},
        {"\x7f"
         "ELF",
         4, "a program (ELF)"},
        {"%PDF", 4, "a PDF document"},
        {"PK\x03\x04", 4, "a ZIP archive, as Excel and NPZ files are; save the table as CSV, the array as NPY"},
        {"\xd0\xcf\x11\xe0", 4, "an old Excel or Word file; save the table as CSV"},
        {"PAR1", 4, "a Parquet file; save it as CSV or NPY"},
        {"ARROW1", 6, "an Arrow file; save it as CSV or NPY"},
        {"\x89HDF", 4, "an HDF5 file; save the table as CSV, the array as NPY"},
        {"MATLAB 5.0 MAT", 14, "a MATLAB file; save the matrix as Matrix Market or CSV"},
        {"RDX", 3, "an R workspace; save the data frame with write.csv"},
        {"X\n\0\0", 4, "an R object (RDS); save the data frame with write.csv"},
        {"SQLite format 3", 15, "an SQLite database; export the table as CSV"},
        {"\x80\x04\x95", 3, "a Python pickle; save the array as NPY, the table as CSV"},
        {"[{", 2, "JSON; the data must be LIBSVM, CSV, Matrix Market or NPY"},
        {"[[", 2, "JSON; the data must be LIBSVM, CSV, Matrix Market or NPY"},
        {"{", 1, "JSON; the data must be LIBSVM, CSV, Matrix Market or NPY"},
        {"<!DOCTYPE", 9, "a web page"},
        {"<html", 5, "a web page"},
        {"<?xml", 5, "XML; the data must be LIBSVM, CSV, Matrix Market or NPY"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (count >= kinds[i].size && memcmp(bytes, kinds[i].magic, kinds[i].size) == 0) {
            return kinds[i].kind;
        }
    }
    if (count >= 262 && memcmp(bytes + 257, "ustar", 5) == 0) {
        return "a tar archive; take the table out of it";
    }
    return NULL;
}

/* Whether more than a twentieth of the bytes are control characters, which text does not have. */
static int is_binary(const char *bytes, size_t count) {
    size_t controls = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned char c = (unsigned char)bytes[i];

        controls += c < 0x20 && !(c >= '\t' && c <= '\r');
    }
    return controls >= 3 && controls * 20 >= count;
}

static spgm_error unknown_format(const char *format, spgm_status *status) {
    return status_set(status, SPGM_ERROR_ARGUMENT, "there is no format '%s': choose libsvm, csv, mm or npy", format);
}

static spgm_error find_reader(struct source *source, const char *path, const char *format, const struct reader **reader,
                              spgm_status *status) {
    const char *bytes;
    size_t count;
    spgm_error error;

    if (format != NULL) {
        *reader = reader_find(format);
        return *reader == NULL ? unknown_format(format, status) : SPGM_OK;
    }
    error = source_peek(source, PEEK_SIZE, &bytes, &count, status);
    if (error != SPGM_OK) {
        return error;
    }
    if (count >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0)) {
        return source_fail(source, status, SPGM_ERROR_FORMAT, " is UTF-16 text; save it as UTF-8");
    }
    if (foreign_kind(bytes, count) != NULL) {
        return source_fail(source, status, SPGM_ERROR_FORMAT, " is %s", foreign_kind(bytes, count));
    }
    *reader = reader_by_content(bytes, count);
    if (*reader == NULL && is_binary(bytes, count)) {
        return source_fail(source, status, SPGM_ERROR_FORMAT,
                           " is neither text nor NPY; the data must be LIBSVM, CSV, Matrix Market or NPY");
    }
    if (*reader == NULL) {
        *reader = reader_by_name(path);
    }
    if (*reader == NULL) {
        *reader = has_index(bytes, bytes + count) ? &reader_libsvm : &reader_csv;
    }
    return SPGM_OK;
}

/* ---- reading ---- */

static spgm_error check_options(const struct source *source, const spgm_read_options *options, spgm_status *status) {
    if (options->columns < 0 || options->columns > source->column_limit) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "columns is %" PRId64 ": it must be from 0 to %" PRId64,
                          options->columns, source->column_limit);
    }
    return SPGM_OK;
}

/* Options that only apply to tables are refused for other files, rather than silently ignored. */
static spgm_error check_table_options(const struct source *source, const struct reader *reader,
                                      const spgm_read_options *options, spgm_status *status) {
    const struct {
        const char *name, *value;
    } texts[] = {{"categories", options->categories},
                 {"missing", options->missing},
                 {"text", options->text},
                 {"header", options->header}};
    const char *name = options->separator != '\0' ? "separator" : options->decimal != '\0' ? "decimal" : NULL;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].value != NULL && strcmp(texts[i].value, "refuse") != 0) {
            name = texts[i].name;
        }
    }
    if (name == NULL || reader == &reader_csv) {
        return SPGM_OK;
    }
    return status_set(status, SPGM_ERROR_ARGUMENT, "%s is a %s file: '%s' is for CSV files", source->name, reader->name,
                      name);
}

/* A matrix must have columns; a file that only provides a vector of labels need not. */
static spgm_error check_columns(const struct spgm_data *data, spgm_status *status) {
    if (data->columns > 0 || data->for_model != NULL) {
        return SPGM_OK;
    }
    if (data->column_start != NULL) {
        return status_set(status, SPGM_ERROR_FORMAT, "%s has no columns: no line has an INDEX:VALUE", data->name);
    }
    return status_set(status, SPGM_ERROR_FORMAT, "%s has no columns besides the target", data->name);
}

/* With names from a file, a LIBSVM file, which omits zeros, has as many columns as there are names. */
static spgm_error read_named(struct source *source, const struct reader *reader, const spgm_read_options *options,
                             struct spgm_data *data, spgm_status *status) {
    struct column_names names = {0};
    spgm_read_options named = *options;
    spgm_error error = options->names == NULL ? SPGM_OK : column_names_read(options->names, &names, status);

    if (reader == &reader_libsvm && names.count > named.columns && names.count <= source->column_limit) {
        named.columns = names.count;
    }
    error = error == SPGM_OK ? reader->read(source, &named, data, status) : error;
    if (error == SPGM_OK && options->names != NULL) {
        error = data_set_names(data, options->names, &names, status);
    }
    if (error == SPGM_OK && reader != &reader_csv) {
        error = data_take_columns(data, options, status);
    }
    column_names_free(&names);
    return error;
}

/* Read a file with any number of columns, including none. */
static spgm_error read_any(struct source *source, const char *path, const spgm_read_options *options, spgm_data **data,
                           spgm_status *status) {
    const struct reader *reader = NULL;
    struct spgm_data *created;
    spgm_error error = find_reader(source, path, options->format, &reader, status);

    if (error == SPGM_OK) {
        error = check_options(source, options, status);
    }
    error = error == SPGM_OK ? check_table_options(source, reader, options, status) : error;
    if (error != SPGM_OK) {
        return error;
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    memcpy(created->name, source->name, sizeof created->name);
    created->format = reader->name;
    created->memory = options->memory;
    error = read_named(source, reader, options, created, status);
    if (error != SPGM_OK) {
        spgm_data_free(created);
        return error;
    }
    *data = created;
    return SPGM_OK;
}

spgm_error data_read_source(struct source *source, const char *path, const spgm_read_options *options, spgm_data **data,
                            spgm_status *status) {
    static const spgm_read_options defaults = {0};
    spgm_data *created = NULL;
    spgm_error error = read_any(source, path, options == NULL ? &defaults : options, &created, status);

    if (error == SPGM_OK) {
        error = check_columns(created, status);
    }
    if (error != SPGM_OK) {
        spgm_data_free(created);
        return error;
    }
    *data = created;
    return status_clear(status);
}

spgm_error data_read_memory(const char *name, const void *bytes, size_t size, const spgm_read_options *options,
                            int64_t column_limit, spgm_data **data, spgm_status *status) {
    struct source source;
    spgm_error error = source_open_memory(&source, name, bytes, size, status);

    if (error == SPGM_OK) {
        source.column_limit = column_limit > 0 ? column_limit : source.column_limit;
        error = data_read_source(&source, name, options, data, status);
        source_close(&source);
    }
    return error;
}

spgm_error spgm_data_read(const char *path, const spgm_read_options *options, spgm_data **data, spgm_status *status) {
    struct source source;
    spgm_error error;

    if (path == NULL || data == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL", path == NULL ? "the path" : "data");
    }
    error = source_open(&source, path, status);
    if (error == SPGM_OK) {
        if (options != NULL) {
            source_report(&source, options->progress, options->progress_context);
        }
        error = data_read_source(&source, path, options, data, status);
        source_close(&source);
    }
    return error;
}

/* ---- vectors ---- */

/* A one-column or one-row matrix as an array of its own. */
static spgm_error matrix_to_vector(const struct spgm_data *data, double **values, int64_t *count, spgm_status *status) {
    double *vector;

    if (data->columns != 1 && data->rows != 1) {
        return status_set(status, SPGM_ERROR_FORMAT,
                          "%s has %" PRId64 " rows and %" PRId64 " columns: a vector must have one row or one column",
                          data->name, data->rows, data->columns);
    }
    *count = data->columns == 1 ? data->rows : data->columns;
    vector = memory_beside(data->memory, *count, sizeof *vector);
    if (vector == NULL) {
        return status_memory(status, (size_t)*count * sizeof *vector);
    }
    for (int64_t k = 0; data->column_start == NULL && k < *count; k++) {
        vector[k] = data_entry(data, data->columns == 1 ? k : 0, data->columns == 1 ? 0 : k);
    }
    for (int64_t j = 0; data->column_start != NULL && j < data->columns; j++) {
        for (int64_t k = data->column_start[j]; k < data->column_start[j + 1]; k++) {
            vector[data->columns == 1 ? data->row_index[k] : j] = data->values[k];
        }
    }
    *values = vector;
    return SPGM_OK;
}

/* For a LIBSVM file the vector is its target; every other format is read as a matrix. With the caller's memory for
 * large arrays, floats are also read in place. */
static spgm_error read_vector_data(struct source *source, const char *path, const spgm_memory *memory, spgm_data **data,
                                   spgm_status *status) {
    const struct reader *reader;
    spgm_read_options options = {0};
    spgm_error error = find_reader(source, path, NULL, &reader, status);

    if (error != SPGM_OK) {
        return error;
    }
    options.format = reader->name;
    options.no_target = reader != &reader_libsvm;
    options.categories = "refuse";
    options.any_layout = memory != NULL;
    options.memory = memory;
    return read_any(source, path, &options, data, status);
}

static spgm_error open_vector(const char *path, const spgm_memory *memory, spgm_data **data, spgm_status *status) {
    struct source source;
    spgm_error error = source_open(&source, path, status);

    if (error != SPGM_OK) {
        return error;
    }
    error = read_vector_data(&source, path, memory, data, status);
    source_close(&source);
    return error;
}

/* The values of a file that holds a vector, as an array of its own. */
static spgm_error take_vector(struct spgm_data *data, double **values, int64_t *count, spgm_status *status) {
    if (data->target == NULL) {
        return matrix_to_vector(data, values, count, status);
    }
    *values = data->target;
    *count = data->rows;
    data->target = NULL;
    return SPGM_OK;
}

/* The name of a vector, or NULL. */
static char *take_name(struct spgm_data *data) {
    char *name = data->columns == 1 ? data->names : NULL;

    if (name != NULL) { /* begins with the empty name of the row names, if there are any */
        memmove(name, name + data->name_start[0], strlen(name + data->name_start[0]) + 1);
        data->names = NULL;
    }
    return name;
}

spgm_error spgm_vector_read(const char *path, double **values, int64_t *count, spgm_status *status) {
    spgm_data *data = NULL;
    spgm_error error;

    if (path == NULL || values == NULL || count == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL",
                          path == NULL     ? "the path"
                          : values == NULL ? "values"
                                           : "count");
    }
    error = open_vector(path, NULL, &data, status);
    error = error == SPGM_OK ? take_vector(data, values, count, status) : error;
    spgm_data_free(data);
    return error == SPGM_OK ? status_clear(status) : error;
}

/* A vector that the data own, or a column of the mapped file. */
static void free_vector(const struct spgm_data *data, double *vector) {
    if ((uintptr_t)vector - (uintptr_t)data->map >= data->map_size) {
        memory_free(vector);
    }
}

static void forget_target(struct spgm_data *data) {
    if (data->target_map == NULL) {
        free_vector(data, data->target);
    }
    map_free(data->target_map, data->target_map_size);
    memory_free(data->target_name);
    data->target = NULL;
    data->target_map = NULL;
    data->target_name = NULL;
}

static spgm_error wrong_count(const struct spgm_data *data, const char *path, int64_t count, spgm_status *status) {
    char shown[SOURCE_NAME_SIZE];

    source_name(shown, path, "standard input");
    return status_set(status, SPGM_ERROR_ARGUMENT,
                      "%s has %" PRId64 " values, but %s has %" PRId64 " rows: the target needs one value for each row",
                      shown, count, data->name, data->rows);
}

/* If the matrix is mapped and the target can be mapped, too, take over its map. Returns 0 if it cannot. */
static int take_map(struct spgm_data *vector, struct spgm_data *data) {
    if (data->map == NULL || vector->map == NULL || vector->values == NULL || vector->is_locked ||
        vector->columns != 1 || vector->rows != data->rows) {
        return 0;
    }
    forget_target(data);
    data->target = vector->values;
    data->target_map = vector->map;
    data->target_map_size = vector->map_size;
    vector->values = vector->map = NULL;
    vector->map_size = 0;
    return 1;
}

static spgm_error take_target(struct spgm_data *vector, const char *path, struct spgm_data *data, spgm_status *status) {
    double *values = NULL;
    int64_t count = 0;
    spgm_error error = take_vector(vector, &values, &count, status);

    if (error != SPGM_OK) {
        return error;
    }
    if (data->row_of != NULL && count == data->rows_read) { /* one value for each row of the file */
        for (int64_t i = 0; i < data->rows; i++) {
            values[i] = values[data->row_of[i]];
        }
        count = data->rows;
    }
    if (count != data->rows) {
        memory_free(values);
        return wrong_count(data, path, count, status);
    }
    forget_target(data);
    data->target = values;
    data->target_name = take_name(vector);
    return SPGM_OK;
}

spgm_error spgm_data_read_target(spgm_data *data, const char *path, spgm_status *status) {
    spgm_data *vector = NULL;
    spgm_error error;

    if (data == NULL || path == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL", data == NULL ? "data" : "the path");
    }
    error = open_vector(path, data_is_large(data) ? data->memory : NULL, &vector, status);
    if (error == SPGM_OK && !take_map(vector, data)) {
        error = take_target(vector, path, data, status);
    }
    spgm_data_free(vector);
    return error == SPGM_OK ? status_clear(status) : error;
}

void spgm_array_free(void *values) {
    memory_free(values);
}

/* ---- the object ---- */

spgm_error data_set_target_name(struct spgm_data *data, const char *name, spgm_status *status) {
    size_t size = strlen(name) + 1;

    data->target_name = memory_array((int64_t)size, 1);
    if (data->target_name == NULL) {
        return status_memory(status, size);
    }
    memcpy(data->target_name, name, size);
    return SPGM_OK;
}

void spgm_data_free(spgm_data *data) {
    if (data == NULL) {
        return;
    }
    forget_target(data);
    free_vector(data, data->weights);
    free_vector(data, data->values);
    map_free(data->map, data->map_size);
    memory_free(data->column_of);
    memory_free(data->column_start);
    memory_free(data->row_index);
    memory_free(data->truth);
    memory_free(data->names);
    memory_free(data->name_start);
    memory_free(data->row_of);
    levels_free(&data->labels);
    levels_free(&data->unseen);
    encoding_free(data->encoding);
    memory_free(data);
}

int data_is_large(const struct spgm_data *data) {
    spgm_matrix matrix = spgm_data_matrix(data);

    return spgm_matrix_is_large(&matrix) || spgm_data_is_locked(data);
}

int spgm_data_is_locked(const spgm_data *data) {
    return data->map != NULL && data->is_locked;
}

spgm_matrix spgm_data_matrix(const spgm_data *data) {
    if (data->column_start != NULL) {
        return spgm_sparse(data->rows, data->columns, data->column_start, data->row_index, data->values);
    }
    return (spgm_matrix){.rows = data->rows,
                         .columns = data->columns,
                         .values = data->values,
                         .leading_dimension = data->by_rows ? data->stride : data->rows,
                         .singles = data->singles,
                         .by_rows = data->by_rows,
                         .column_of = data->column_of,
                         .is_mapped = data->map != NULL};
}

const double *spgm_data_target(const spgm_data *data) {
    return data->target;
}

const char *spgm_data_target_name(const spgm_data *data) {
    return data->target_name;
}

const char *spgm_data_column_name(const spgm_data *data, int64_t j) {
    const char *name;

    if (data->names == NULL || j < 0 || j >= data->columns) {
        return NULL;
    }
    name = data->names + data->name_start[j];
    return name[0] == '\0' ? NULL : name;
}

const char *spgm_data_format(const spgm_data *data) {
    return data->format;
}

const double *spgm_data_truth(const spgm_data *data) {
    return data->truth;
}

const double *spgm_data_weights(const spgm_data *data) {
    return data->weights;
}

int64_t spgm_data_rows_read(const spgm_data *data) {
    return data->row_of == NULL ? data->rows : data->rows_read;
}

int64_t spgm_data_row(const spgm_data *data, int64_t i) {
    return data->row_of == NULL ? i : data->row_of[i];
}

const char *spgm_data_unseen(const spgm_data *data, int64_t k) {
    return data == NULL || k < 0 || k >= data->unseen.count ? NULL : levels_name(&data->unseen, k);
}

const char *spgm_data_label(const spgm_data *data, int64_t k) {
    return k < 0 || k >= data->labels.count ? NULL : levels_name(&data->labels, k);
}

int64_t spgm_data_target_missing(const spgm_data *data) {
    return data->target_missing;
}

int64_t spgm_data_table_columns(const spgm_data *data) {
    return data->encoding == NULL ? 0 : data->encoding->count;
}

spgm_table_column spgm_data_table_column(const spgm_data *data, int64_t j) {
    static const char *const kinds[] = {"empty", "number", "category", "excluded", "weights", "date", "text", "mixed"};
    const struct table_column *column;

    if (j < 0 || j >= spgm_data_table_columns(data)) {
        return (spgm_table_column){0};
    }
    column = &data->encoding->columns[j];
    return (spgm_table_column){.name = column->name,
                               .kind = kinds[column->kind],
                               .missing = column->missing,
                               .levels = column->levels.count,
                               .first = column->first,
                               .count = column->width};
}

const char *spgm_data_level(const spgm_data *data, int64_t j, int64_t k) {
    if (j < 0 || j >= spgm_data_table_columns(data) || k < 0 || k >= data->encoding->columns[j].levels.count) {
        return NULL;
    }
    return levels_name(&data->encoding->columns[j].levels, k);
}

int64_t spgm_data_column_source(const spgm_data *data, int64_t j) {
    return data->encoding == NULL ? j : data->encoding->columns[data->encoding->source[j]].column;
}
