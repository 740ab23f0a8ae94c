/*
 * Numbers that arrive one by one, nobody knows how many: kept in chunks, so that memory follows what the file holds and
 * never what its header claims; then placed where they belong.
 */
#ifndef SPGM_IO_COLLECT_H
#define SPGM_IO_COLLECT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct series_chunk {
    struct series_chunk *next;
    int64_t used, capacity;
    double values[]; /* [capacity] */
};

struct series {
    struct series_chunk *first, *last;
    int64_t count;
};

struct entry {
    double value;
    int32_t row, column;
};

struct entry_chunk {
    struct entry_chunk *next;
    int64_t used, capacity;
    struct entry entries[]; /* [capacity] */
};

struct entries {
    struct entry_chunk *first, *last;
    int64_t count;
};

/* Another chunk, each larger than the one before up to a limit; 0: out of memory. */
int series_grow(struct series *series);
int entries_grow(struct entries *entries);
void series_free(struct series *series);
void entries_free(struct entries *entries);

/* 0: out of memory. */
static inline int series_add(struct series *series, double value) {
    if ((series->last == NULL || series->last->used == series->last->capacity) && !series_grow(series)) {
        return 0;
    }
    series->last->values[series->last->used++] = value;
    series->count++;
    return 1;
}

static inline int entries_add(struct entries *entries, int32_t row, int32_t column, double value) {
    if ((entries->last == NULL || entries->last->used == entries->last->capacity) && !entries_grow(entries)) {
        return 0;
    }
    entries->last->entries[entries->last->used++] = (struct entry){value, row, column};
    entries->count++;
    return 1;
}

/* All numbers in one array, which is the caller's; the series is empty afterwards, also on error. */
spgm_error series_to_array(struct series *series, double **values, spgm_status *status);
/* The same where the numbers come row by row, `columns` to a row: column-major. count is a multiple of columns. */
spgm_error series_to_columns(struct series *series, int64_t columns, double **values, spgm_status *status);

/* Columns cost memory though they be empty: up to this number they are no matter, beyond it there may be so many for
 * each entry. What is above that is a slip of the pen rather than data. */
#define COLUMNS_ALWAYS INT64_C(100000000)
#define COLUMNS_PER_ENTRY 64
static inline int entries_are_too_few(const struct entries *entries, int64_t columns) {
    return columns > COLUMNS_ALWAYS && (columns - COLUMNS_ALWAYS) / COLUMNS_PER_ENTRY > entries->count;
}

/* Compressed columns of `columns` columns, rows in the order of arrival; the entries stay. */
spgm_error entries_to_columns(const struct entries *entries, int64_t columns, int64_t **column_start,
                              int32_t **row_index, double **values, spgm_status *status);

#endif
