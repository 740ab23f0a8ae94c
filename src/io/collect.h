/*
 * Numbers that arrive one by one, their count unknown. They are kept in chunks, so that memory grows with the contents
 * of the file and not with what its header claims, and are then put in their places.
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

/* Add a chunk; each is larger than the one before, up to a limit. Returns 0 if out of memory. */
int series_grow(struct series *series);
int entries_grow(struct entries *entries);
void series_free(struct series *series);
void entries_free(struct entries *entries);

/* Returns 0 if out of memory. */
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

/* Move all numbers to one array, owned by the caller; the series is empty afterwards, also on error. */
spgm_error series_to_array(struct series *series, double **values, spgm_status *status);
/* The same for numbers that arrive row by row, `columns` to a row: the array is column-major. count is a multiple of
 * columns. */
spgm_error series_to_columns(struct series *series, int64_t columns, double **values, spgm_status *status);

/* Empty columns cost memory, too. COLUMNS_ALWAYS columns are always accepted, and beyond these COLUMNS_PER_ENTRY for
 * each entry. A larger number is a typing error rather than data. */
#define COLUMNS_ALWAYS INT64_C(100000000)
#define COLUMNS_PER_ENTRY 64
static inline int entries_are_too_few(const struct entries *entries, int64_t columns) {
    return columns > COLUMNS_ALWAYS && (columns - COLUMNS_ALWAYS) / COLUMNS_PER_ENTRY > entries->count;
}

/* The entries as compressed columns, `columns` of them, rows in the order of arrival; the entries are kept. */
spgm_error entries_to_columns(const struct entries *entries, int64_t columns, int64_t **column_start,
                              int32_t **row_index, double **values, spgm_status *status);

#endif
