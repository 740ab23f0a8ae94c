#include "io/collect.h"

#include <string.h>

#include "base/memory.h"

enum { SMALLEST_CHUNK = 1 << 6, LARGEST_CHUNK = 1 << 15 };

static int64_t next_capacity(int64_t count) {
    return count < SMALLEST_CHUNK ? SMALLEST_CHUNK : count < LARGEST_CHUNK ? count : LARGEST_CHUNK;
}

int series_grow(struct series *series) {
    int64_t capacity = next_capacity(series->count);
    struct series_chunk *chunk = memory_array((int64_t)sizeof *chunk + capacity * (int64_t)sizeof(double), 1);

    if (chunk == NULL) {
        return 0;
    }
    chunk->capacity = capacity;
    *(series->last == NULL ? &series->first : &series->last->next) = chunk;
    series->last = chunk;
    return 1;
}

int entries_grow(struct entries *entries) {
    int64_t capacity = next_capacity(entries->count);
    struct entry_chunk *chunk = memory_array((int64_t)sizeof *chunk + capacity * (int64_t)sizeof(struct entry), 1);

    if (chunk == NULL) {
        return 0;
    }
    chunk->capacity = capacity;
    *(entries->last == NULL ? &entries->first : &entries->last->next) = chunk;
    entries->last = chunk;
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

/* Take memory for the whole series; on failure the series is freed and the error returned. */
static spgm_error series_room(struct series *series, double **values, spgm_status *status) {
    *values = memory_array(series->count, sizeof **values);
    if (*values == NULL) {
        spgm_error error = status_memory(status, (size_t)series->count * sizeof **values);

        series_free(series);
        return error;
    }
    return SPGM_OK;
}

spgm_error series_to_array(struct series *series, double **values, spgm_status *status) {
    spgm_error error = series_room(series, values, status);
    double *to = *values;

    while (series->first != NULL) {
        memcpy(to, series->first->values, (size_t)series->first->used * sizeof *to);
        to += series->first->used;
        series_shift(series);
    }
    series_free(series);
    return error;
}

spgm_error series_to_columns(struct series *series, int64_t columns, double **values, spgm_status *status) {
    int64_t rows = series->count / columns;
    spgm_error error = series_room(series, values, status);
    double *A = *values;
    int64_t i = 0;
    int64_t j = 0;

    while (series->first != NULL) {
        for (int64_t k = 0; k < series->first->used; k++) {
            A[i + j * rows] = series->first->values[k];
            if (++j == columns) {
                j = 0;
                i++;
            }
        }
        series_shift(series);
    }
    series_free(series);
    return error;
}

/*
 * Counts are stored two places further on, so that scattering moves start[j + 1] from the start to the end of column j.
 */
static void count_columns(const struct entries *entries, int64_t columns, int64_t *start) {
    for (const struct entry_chunk *chunk = entries->first; chunk != NULL; chunk = chunk->next) {
        for (int64_t k = 0; k < chunk->used; k++) {
            start[(int64_t)chunk->entries[k].column + 2]++;
        }
    }
    for (int64_t j = 2; j <= columns; j++) {
        start[j] += start[j - 1];
    }
}

static void scatter(const struct entries *entries, int64_t *start, int32_t *row_index, double *values) {
    for (const struct entry_chunk *chunk = entries->first; chunk != NULL; chunk = chunk->next) {
        for (int64_t k = 0; k < chunk->used; k++) {
            const struct entry *entry = &chunk->entries[k];
            int64_t place = start[(int64_t)entry->column + 1]++;

            row_index[place] = entry->row;
            values[place] = entry->value;
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
