/*
 * A fuzz target takes any bytes, and must neither crash, leak nor break a promise. With clang:
 *
 *     tests/fuzz/run.sh TARGET SECONDS
 *
 * and without it every target replays its corpus as an ordinary test (replay_main.c).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/data.h"
#include "linalg/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A promise that no input may break. */
static inline void fuzz_require(int holds, const char *promise) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", promise);
        abort();
    }
}

/* Check that an error has one sentence and success has none. */
static inline void fuzz_check_status(spgm_error error, const spgm_status *status) {
    fuzz_require(status->code == error, "the status has the code that was returned");
    fuzz_require(memchr(status->message, '\0', sizeof status->message) != NULL, "the sentence ends");
    fuzz_require((status->message[0] == '\0') == (error == SPGM_OK), "a sentence comes with an error, and only then");
    for (const char *p = status->message; *p != '\0'; p++)
        fuzz_require((unsigned char)*p >= 0x20 && *p != 0x7f, "the sentence is one printable line");
}

/* Check that data accepted by a reader can be solved: shapes, order, finite numbers, names within bounds. */
static inline void fuzz_check_data(const spgm_data *data, int needs_target) {
    spgm_matrix A = spgm_data_matrix(data);
    spgm_status status;
    fuzz_require(matrix_check(&A, "A", &status) == SPGM_OK, "the matrix can be used");
    fuzz_require(spgm_data_target(data) != NULL || !needs_target, "there is a target");
    if (spgm_data_target(data) != NULL)
        fuzz_require(array_check(spgm_data_target(data), A.rows, "b", &status) == SPGM_OK, "the target can be used");
    size_t length = 0;
    for (int64_t j = 0; j < A.columns; j++) {
        const char *name = spgm_data_column_name(data, j);
        length += name == NULL ? 0 : strlen(name);
    }
    fuzz_require(length < SIZE_MAX, "every name ends");
}

/* The first byte selects the options, the rest is the file. */
static inline int fuzz_read(const char *format, const uint8_t *bytes, size_t size, int needs_target) {
    enum { COLUMN_LIMIT = 1 << 12 };
    spgm_data *data = NULL;
    spgm_status status;
    if (size < 1)
        return 0;
    spgm_read_options options = {.format = format,
                                 .no_target = bytes[0] & 1,
                                 .optional_target = bytes[0] >> 1 & 1,
                                 .target = (bytes[0] & 12) == 4   ? "2"
                                           : (bytes[0] & 12) == 8 ? "y"
                                                                  : NULL,
                                 .columns = bytes[0] >> 4};
    if (format == NULL || strcmp(format, "csv") != 0)
        options.target = NULL;
    spgm_error error = data_read_memory("file", bytes + 1, size - 1, &options, COLUMN_LIMIT, &data, &status);
    fuzz_check_status(error, &status);
    fuzz_require((error == SPGM_OK) == (data != NULL), "data come with success, and only then");
    if (data != NULL)
        fuzz_check_data(data, needs_target && !options.no_target && !options.optional_target);
    spgm_data_free(data);
    return 0;
}

#endif
