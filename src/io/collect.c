#include "io/collect.h"

#include <string.h>

#include "base/memory.h"

int series_grow(struct series *series) {
    struct series_chunk *chunk = memory_array(1, sizeof *chunk);

    if (chunk == NULL) {
        return 0;
    }
    if (series->last == NULL) {
        series->first = chunk;
    } else {
        series->last->next = chunk;
    }
    series->last = chunk;
    series->used = 0;
    return 1;
}

int entries_grow(struct entries *entries) {
    struct entry_chunk *chunk = memory_array(1, sizeof *chunk);

    if (chunk == NULL) {
        return 0;
    }
    if (entries->last == NULL) {
        entries->first = chunk;
    } else {
        entries->last->next = chunk;
    }
    entries->last = chunk;
    entries->used = 0;
    return 1;
}

/* Free the first chunk. */
static void series_shift(struct series *series) {
    struct series_chunk *chunk = series->first;

    series->first = chunk->next;
    memory_free(chunk);
}

void series_free(struct series *series) {
    while (series->first != NULL) {
        series_shift(series);
    }
    memset(series, 0, sizeof *series);
}

void entries_free(struct entries *entries) {
    while (entries->first != NULL) {
        struct entry_chunk *chunk = entries->first;

        entries->first = chunk->next;
        memory_free(chunk);
    }
    memset(entries, 0, sizeof *entries);
}

static int64_t series_in_chunk(const struct series *series, const struct series_chunk *chunk) {
    return chunk == series->last ? series->used : CHUNK_NUMBERS;
}

spgm_error series_to_array(struct series *series, double **values, spgm_status *status) {
    double *target = memory_array(series->count, sizeof *target);

    *values = target;
    if (target == NULL) {
        spgm_error error = status_memory(status, (size_t)series->count * sizeof *target);

        series_free(series);
        return error;
    }
    while (series->first != NULL) {
        int64_t count = series_in_chunk(series, series->first);

        memcpy(target, series->first->values, (size_t)count * sizeof *target);
        target += count;
        series_shift(series);
    }
    series_free(series);
    return SPGM_OK;
}

spgm_error series_to_columns(struct series *series, int64_t columns, double **values, spgm_status *status) {
    int64_t rows = series->count / columns;
    double *A = memory_array(series->count, sizeof *A);
    int64_t i = 0;
    int64_t j = 0;

    *values = A;
    if (A == NULL) {
        spgm_error error = status_memory(status, (size_t)series->count * sizeof *A);

        series_free(series);
        return error;
    }
    while (series->first != NULL) {
        int64_t count = series_in_chunk(series, series->first);

        for (int64_t k = 0; k < count; k++) {
            A[i + j * rows] = series->first->values[k];
            if (++j == columns) {
                j = 0;
                i++;
            }
        }
        series_shift(series);
    }
    series_free(series);
    return SPGM_OK;
}

static int64_t entries_in_chunk(const struct entries *entries, const struct entry_chunk *chunk) {
    return chunk == entries->last ? entries->used : CHUNK_ENTRIES;
}

/* start[j + 1] counts column j - 1 (two places on), so that scattering moves start[j + 1] to the end of column j. */
static void count_columns(const struct entries *entries, int64_t columns, int64_t *start) {
    for (const struct entry_chunk *chunk = entries->first; chunk != NULL; chunk = chunk->next) {
        int64_t count = entries_in_chunk(entries, chunk);

        for (int64_t k = 0; k < count; k++) {
            start[chunk->column[k] + 2]++;
        }
    }
    for (int64_t j = 2; j <= columns; j++) {
        start[j] += start[j - 1];
    }
}

static void scatter(const struct entries *entries, int64_t *start, int32_t *row_index, double *values) {
    for (const struct entry_chunk *chunk = entries->first; chunk != NULL; chunk = chunk->next) {
        int64_t count = entries_in_chunk(entries, chunk);

        for (int64_t k = 0; k < count; k++) {
            int64_t place = start[chunk->column[k] + 1]++;

            row_index[place] = chunk->row[k];
            values[place] = chunk->value[k];
        }
    }
}

spgm_error entries_to_columns(const struct entries *entries, int64_t columns, int64_t **column_start,
                              int32_t **row_index, double **values, spgm_status *status) {
    *column_start = memory_array(columns + 2, sizeof **column_start);
    *row_index = memory_array(entries->count, sizeof **row_index);
    *values = memory_array(entries->count, sizeof **values);
    if (*column_start == NULL || *row_index == NULL || *values == NULL) {
        memory_free(*column_start);
        memory_free(*row_index);
        memory_free(*values);
        *column_start = NULL;
        *row_index = NULL;
        *values = NULL;
        return status_memory(status, (size_t)columns * sizeof **column_start +
                                         (size_t)entries->count * (sizeof **row_index + sizeof **values));
    }
    count_columns(entries, columns, *column_start);
    scatter(entries, *column_start, *row_index, *values);
    return SPGM_OK;
}
