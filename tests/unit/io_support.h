/* Files for tests of readers and writers: each test program works in a folder of its own, so that messages contain
 * plain file names. */
#ifndef TESTS_UNIT_IO_SUPPORT_H
#define TESTS_UNIT_IO_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spgm/io.h"

static char io_folder[256];

static inline int io_setup(void **state) {
    const char *parent = getenv("TMPDIR");
    (void)state;
    snprintf(io_folder, sizeof io_folder, "%s/spgm-io-XXXXXX", parent == NULL ? "/tmp" : parent);
    return mkdtemp(io_folder) == NULL || chdir(io_folder) != 0;
}

static inline int io_entries(void) {
    DIR *folder = opendir(".");
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

static inline int io_teardown(void **state) {
    DIR *folder = opendir(".");
    (void)state;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        unlink(entry->d_name);
    closedir(folder);
    return chdir("/") != 0 || rmdir(io_folder) != 0;
}

static inline void io_write_bytes(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void io_write(const char *name, const char *text) {
    io_write_bytes(name, text, strlen(text));
}

/* The file's bytes and a NUL after them. */
static inline char *io_bytes(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (1 << 20) - 1, file);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static inline void io_assert_file(const char *name, const char *expected) {
    size_t size;
    char *bytes = io_bytes(name, &size);
    assert_string_equal(bytes, expected);
    free(bytes);
}

static inline spgm_data *io_read(const char *name, const spgm_read_options *options) {
    spgm_status status = {SPGM_ERROR_COUNT, "untouched"};
    spgm_data *data = NULL;
    spgm_error error = spgm_data_read(name, options, &data, &status);
    if (error != SPGM_OK)
        print_error("%s\n", status.message);
    assert_int_equal(error, SPGM_OK);
    assert_int_equal(status.code, SPGM_OK);
    assert_string_equal(status.message, "");
    assert_non_null(data);
    return data;
}

static inline spgm_data *io_read_text(const char *name, const char *text, const spgm_read_options *options) {
    io_write(name, text);
    return io_read(name, options);
}

static inline void io_assert_fails(const char *name, const spgm_read_options *options, spgm_error code,
                                   const char *sentence) {
    spgm_status status = {SPGM_OK, ""};
    spgm_data *data = NULL;
    spgm_error error = spgm_data_read(name, options, &data, &status);
    assert_string_equal(status.message, sentence);
    assert_int_equal(error, code);
    assert_int_equal(status.code, code);
    assert_null(data);
    assert_int_equal(spgm_data_read(name, options, &data, NULL), code); /* a status is not needed */
    assert_null(data);
}

/* A text and the error message that reading it must give. */
struct io_bad {
    const char *text;
    spgm_error code;
    const char *sentence;
};

static inline void io_assert_bad(const char *name, const struct io_bad *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        io_write(name, cases[i].text);
        io_assert_fails(name, NULL, cases[i].code, cases[i].sentence);
    }
}

/* A[i, j], whatever the storage. */
static inline double io_at(const spgm_data *data, int64_t i, int64_t j) {
    spgm_matrix A = spgm_data_matrix(data);
    if (A.column_start == NULL)
        return A.values[i + j * A.leading_dimension];
    for (int64_t k = A.column_start[j]; k < A.column_start[j + 1]; k++)
        if (A.row_index[k] == i)
            return A.values[k];
    return 0;
}

/* expected is given by rows, for readability. */
static inline void io_assert_matrix(const spgm_data *data, int64_t rows, int64_t columns, const double *expected) {
    spgm_matrix A = spgm_data_matrix(data);
    assert_int_equal(A.rows, rows);
    assert_int_equal(A.columns, columns);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            assert_memory_equal(&(double){io_at(data, i, j)}, &expected[i * columns + j], sizeof(double));
}

static inline void io_assert_target(const spgm_data *data, int64_t rows, const double *expected) {
    const double *target = spgm_data_target(data);
    assert_non_null(target);
    assert_memory_equal(target, expected, (size_t)rows * sizeof(double));
}

/* Columns in order, rows ascending within each. */
static inline void io_assert_compressed(const spgm_data *data) {
    spgm_matrix A = spgm_data_matrix(data);
    assert_non_null(A.column_start);
    assert_int_equal(A.column_start[0], 0);
    for (int64_t j = 0; j < A.columns; j++) {
        assert_true(A.column_start[j] <= A.column_start[j + 1]);
        for (int64_t k = A.column_start[j]; k < A.column_start[j + 1]; k++) {
            assert_in_range(A.row_index[k], 0, A.rows - 1);
            assert_true(k == A.column_start[j] || A.row_index[k - 1] < A.row_index[k]);
        }
    }
}

#define IO_COUNT(array) (sizeof(array) / sizeof(array)[0])

#endif
