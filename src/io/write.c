/* Writes data as LIBSVM, CSV, Matrix Market or NPY, by the extension of the name. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/data.h"
#include "io/sink.h"

/* ---- rows of a matrix that is stored by columns ---- */

struct rows {
    const struct spgm_data *data;
    int64_t *start; /* of a sparse matrix: row i has the entries column[k], value[k], start[i] <= k < start[i + 1] */
    int32_t *column;
    double *value;
};

static void rows_free(struct rows *rows) {
    memory_free(rows->start);
    memory_free(rows->column);
    memory_free(rows->value);
}

/* start[i + 1] counts the entries of row i - 1, so that filling in moves it to the end of row i. */
static void rows_fill(struct rows *rows) {
    const struct spgm_data *data = rows->data;
    int64_t count = data->column_start[data->columns];

    for (int64_t k = 0; k < count; k++) {
        rows->start[data->row_index[k] + 2]++;
    }
    for (int64_t i = 2; i <= data->rows; i++) {
        rows->start[i] += rows->start[i - 1];
    }
    for (int64_t j = 0; j < data->columns; j++) {
        for (int64_t k = data->column_start[j]; k < data->column_start[j + 1]; k++) {
            int64_t place = rows->start[data->row_index[k] + 1]++;

            rows->column[place] = (int32_t)j;
            rows->value[place] = data->values[k];
        }
    }
}

static spgm_error rows_new(const struct spgm_data *data, struct rows *rows, spgm_status *status) {
    int64_t count;

    memset(rows, 0, sizeof *rows);
    rows->data = data;
    if (data->column_start == NULL) {
        return SPGM_OK;
    }
    count = data->column_start[data->columns];
    rows->start = memory_array(data->rows + 2, sizeof *rows->start);
    rows->column = memory_array(count, sizeof *rows->column);
    rows->value = memory_array(count, sizeof *rows->value);
    if (rows->start == NULL || rows->column == NULL || rows->value == NULL) {
        rows_free(rows);
        return status_memory(status, (size_t)data->rows * 8 + (size_t)count * 12);
    }
    rows_fill(rows);
    return SPGM_OK;
}

/* Row i, column by column: start with *k = 0; *value is the entry in column j, columns ascending. */
static double rows_value(const struct rows *rows, int64_t i, int64_t j, int64_t *k) {
    const struct spgm_data *data = rows->data;

    if (data->column_start == NULL) {
        return data_entry(data, i, j);
    }
    if (rows->start[i] + *k < rows->start[i + 1] && rows->column[rows->start[i] + *k] == j) {
        return rows->value[rows->start[i] + (*k)++];
    }
    return 0;
}

/* ---- LIBSVM ---- */

static void write_pair(struct sink *sink, int64_t j, double value) {
    sink_text(sink, " ");
    sink_integer(sink, j + 1);
    sink_text(sink, ":");
    sink_number(sink, value);
}

static void write_libsvm_row(struct sink *sink, const struct rows *rows, int64_t i) {
    const struct spgm_data *data = rows->data;

    if (rows->start != NULL) {
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            write_pair(sink, rows->column[k], rows->value[k]);
        }
        return;
    }
    for (int64_t j = 0; j < data->columns; j++) {
        if (data_entry(data, i, j) != 0) {
            write_pair(sink, j, data_entry(data, i, j));
        }
    }
}

static void write_libsvm(struct sink *sink, const struct spgm_data *data) {
    struct rows rows;

    sink_fail(sink, rows_new(data, &rows, sink->status));
    for (int64_t i = 0; sink->error == SPGM_OK && i < data->rows; i++) {
        sink_number(sink, data->target == NULL ? 0 : data->target[i]);
        write_libsvm_row(sink, &rows, i);
        sink_text(sink, "\n");
    }
    rows_free(&rows);
}

/* ---- CSV ---- */

/* Quote a name if necessary: if it has delimiters or quotes inside, or could be read as a number. */
static void write_name(struct sink *sink, const char *name) {
    if (strpbrk(name, ",;\t \"#") == NULL) {
        sink_text(sink, name);
        return;
    }
    sink_text(sink, "\"");
    for (; *name != '\0'; name++) {
        sink_bytes(sink, name, 1);
        if (*name == '"') {
            sink_bytes(sink, name, 1);
        }
    }
    sink_text(sink, "\"");
}

static void write_header(struct sink *sink, const struct spgm_data *data) {
    for (int64_t j = 0; j < data->columns; j++) {
        const char *name = spgm_data_column_name(data, j);

        sink_text(sink, j == 0 ? "" : ",");
        if (name == NULL) {
            sink_text(sink, "x");
            sink_integer(sink, j + 1);
        } else {
            write_name(sink, name);
        }
    }
    if (data->target != NULL) {
        sink_text(sink, ",");
        write_name(sink, data->target_name == NULL ? "y" : data->target_name);
    }
    sink_text(sink, "\n");
}

static void write_csv(struct sink *sink, const struct spgm_data *data) {
    struct rows rows;

    sink_fail(sink, rows_new(data, &rows, sink->status));
    if (sink->error == SPGM_OK) {
        write_header(sink, data);
    }
    for (int64_t i = 0; sink->error == SPGM_OK && i < data->rows; i++) {
        int64_t k = 0;

        for (int64_t j = 0; j < data->columns; j++) {
            sink_text(sink, j == 0 ? "" : ",");
            sink_number(sink, rows_value(&rows, i, j, &k));
        }
        if (data->target != NULL) {
            sink_text(sink, ",");
            sink_number(sink, data->target[i]);
        }
        sink_text(sink, "\n");
    }
    rows_free(&rows);
}

/* ---- Matrix Market ---- */

static void write_mm_sparse(struct sink *sink, const struct spgm_data *data) {
    for (int64_t j = 0; j < data->columns; j++) {
        for (int64_t k = data->column_start[j]; k < data->column_start[j + 1]; k++) {
            sink_integer(sink, data->row_index[k] + 1);
            sink_text(sink, " ");
            sink_integer(sink, j + 1);
            sink_text(sink, " ");
            sink_number(sink, data->values[k]);
            sink_text(sink, "\n");
        }
    }
}

static void write_mm(struct sink *sink, const struct spgm_data *data) {
    int sparse = data->column_start != NULL;
    char size[80];

    sink_text(sink, sparse ? "%%MatrixMarket matrix coordinate real general\n"
                           : "%%MatrixMarket matrix array real general\n");
    snprintf(size, sizeof size, "%" PRId64 " %" PRId64, data->rows, data->columns);
    sink_text(sink, size);
    if (sparse) {
        sink_text(sink, " ");
        sink_integer(sink, data->column_start[data->columns]);
    }
    sink_text(sink, "\n");
    if (sparse) {
        write_mm_sparse(sink, data);
        return;
    }
    for (int64_t k = 0; k < data->rows * data->columns; k++) {
        sink_number(sink, data->values[k]);
        sink_text(sink, "\n");
    }
}

/* ---- NPY ---- */

enum { NPY_ALIGNMENT = 64, NPY_HEADER = 192 };

/* columns 0: a one-dimensional vector. */
static void write_npy_header(struct sink *sink, int64_t rows, int64_t columns) {
    char text[NPY_HEADER];
    char shape[64];
    int length;
    size_t total;

    if (columns == 0) {
        snprintf(shape, sizeof shape, "%" PRId64 ",", rows);
    } else {
        snprintf(shape, sizeof shape, "%" PRId64 ", %" PRId64, rows, columns);
    }
    length = snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': True, 'shape': (%s), }", shape);
    total = (10 + (size_t)length + 1 + NPY_ALIGNMENT - 1) / NPY_ALIGNMENT * NPY_ALIGNMENT;
    sink_bytes(sink, "\x93NUMPY\x01\x00", 8);
    sink_bytes(sink, (unsigned char[]){(unsigned char)(total - 10), 0}, 2); /* total is at most 192 */
    sink_text(sink, text);
    for (size_t i = 10 + (size_t)length; i < total - 1; i++) {
        sink_text(sink, " ");
    }
    sink_text(sink, "\n");
}

static void write_npy_number(struct sink *sink, double value) {
    unsigned char bytes[8];
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(bits >> (8 * i));
    }
    sink_bytes(sink, bytes, sizeof bytes);
}

static void write_npy(struct sink *sink, const struct spgm_data *data) {
    write_npy_header(sink, data->rows, data->columns);
    for (int64_t j = 0; sink->error == SPGM_OK && j < data->columns; j++) {
        int64_t k = data->column_start == NULL ? 0 : data->column_start[j];

        for (int64_t i = 0; i < data->rows; i++) {
            if (data->column_start == NULL) {
                write_npy_number(sink, data_entry(data, i, j));
            } else if (k < data->column_start[j + 1] && data->row_index[k] == i) {
                write_npy_number(sink, data->values[k++]);
            } else {
                write_npy_number(sink, 0);
            }
        }
    }
}

/* ---- vectors ---- */

static void write_vector(struct sink *sink, const char *path, const char *name, const double *values, int64_t count) {
    int is_npy = path_has_extension(path, "npy");

    if (is_npy) {
        write_npy_header(sink, count, 0);
    } else if (path_has_extension(path, "mtx|mm")) {
        sink_text(sink, "%%MatrixMarket matrix array real general\n");
        sink_integer(sink, count);
        sink_text(sink, " 1\n");
    } else if (name != NULL && path_has_extension(path, "csv")) {
        write_name(sink, name);
        sink_text(sink, "\n");
    }
    for (int64_t i = 0; sink->error == SPGM_OK && i < count; i++) {
        if (is_npy) {
            write_npy_number(sink, values[i]);
        } else {
            sink_number(sink, values[i]);
            sink_text(sink, "\n");
        }
    }
}

spgm_error spgm_vector_write(const char *path, const char *name, const double *values, int64_t count,
                             spgm_status *status) {
    struct sink sink;
    spgm_error error;

    if (path == NULL || values == NULL || count < 1) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s",
                          path == NULL     ? "the path is NULL"
                          : values == NULL ? "values is NULL"
                                           : "count is below 1");
    }
    sink_open(&sink, path, status);
    if (sink.error == SPGM_OK) {
        write_vector(&sink, path, name, values, count);
    }
    error = sink_finish(&sink);
    return error == SPGM_OK ? status_clear(status) : error;
}

/* ---- which format ---- */

struct writer {
    const char *extensions;
    void (*write)(struct sink *sink, const struct spgm_data *data);
};

static const struct writer writers[] = {
    {"svm|libsvm|svmlight|txt", write_libsvm},
    {"csv", write_csv},
    {"mtx|mm", write_mm},
    {"npy", write_npy},
};

static const struct writer *find_writer(const struct spgm_data *data, const char *path) {
    if (strcmp(path, "-") == 0) {
        return &writers[data->column_start == NULL];
    }
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        if (path_has_extension(path, writers[i].extensions)) {
            return &writers[i];
        }
    }
    return NULL;
}

spgm_error spgm_data_write(const spgm_data *data, const char *path, spgm_status *status) {
    const struct writer *writer;
    struct sink sink;
    char name[SOURCE_NAME_SIZE];
    spgm_error error;

    if (data == NULL || path == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL", data == NULL ? "data" : "the path");
    }
    writer = find_writer(data, path);
    if (writer == NULL) {
        source_name(name, path, "standard output");
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "the name %s does not say the format: end it in .svm, .csv, .mtx or .npy, and .gz, .bz2, .xz "
                          "or .zst after that to compress",
                          name);
    }
    sink_open(&sink, path, status);
    if (sink.error == SPGM_OK) {
        writer->write(&sink, data);
    }
    error = sink_finish(&sink);
    return error == SPGM_OK ? status_clear(status) : error;
}
