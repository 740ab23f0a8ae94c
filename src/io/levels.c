#include "io/levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FEWEST = 8 };

const char *levels_name(const struct levels *levels, int64_t level) {
    return levels->text + levels->start[level];
}

static uint64_t hash_of(const char *begin, const char *end) {
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; begin < end; begin++) {
        hash = (hash ^ (unsigned char)*begin) * UINT64_C(1099511628211);
    }
    return hash ^ hash >> 32;
}

/* The slot of the text, or the empty slot in which it belongs. */
static int64_t slot_of(const struct levels *levels, const char *begin, const char *end) {
    uint64_t mask = (uint64_t)levels->slot_count - 1;
    size_t length = (size_t)(end - begin);

    for (uint64_t at = hash_of(begin, end) & mask;; at = (at + 1) & mask) {
        const char *name;

        if (levels->slots[at] == 0) {
            return (int64_t)at;
        }
        name = levels_name(levels, levels->slots[at] - 1);
        if (strlen(name) == length && memcmp(name, begin, length) == 0) {
            return (int64_t)at;
        }
    }
}

int64_t levels_find(const struct levels *levels, const char *begin, const char *end) {
    return levels->slot_count == 0 ? -1 : levels->slots[slot_of(levels, begin, end)] - 1;
}

/* Enlarge *array, of which `used` elements are in use, to `room` elements. */
static int enlarge(void **array, int64_t used, int64_t room, size_t size) {
    void *larger = memory_array(room, size);

    if (larger == NULL) {
        return 0;
    }
    if (used > 0) {
        memcpy(larger, *array, (size_t)used * size);
    }
    memory_free(*array);
    *array = larger;
    return 1;
}

/* Rebuild the hash table with more slots. */
static int rehash(struct levels *levels) {
    int64_t count = FEWEST;
    int64_t *slots;

    while (count < 2 * levels->room) {
        count *= 2;
    }
    slots = memory_array(count, sizeof *slots);
    if (slots == NULL) {
        return 0;
    }
    memory_free(levels->slots);
    levels->slots = slots;
    levels->slot_count = count;
    for (int64_t k = 0; k < levels->count; k++) {
        const char *name = levels_name(levels, k);

        slots[slot_of(levels, name, name + strlen(name))] = k + 1;
    }
    return 1;
}

static int make_room(struct levels *levels, int64_t length) {
    void *array;

    if (levels->count == levels->room) {
        int64_t room = levels->room == 0 ? FEWEST : 2 * levels->room;

        array = levels->start;
        if (!enlarge(&array, levels->count, room, sizeof *levels->start)) {
            return 0;
        }
        levels->start = array;
        levels->room = room;
        if (!rehash(levels)) {
            return 0;
        }
    }
    if (levels->used + length + 1 > levels->size) {
        int64_t size = 2 * (levels->used + length + 1);

        array = levels->text;
        if (!enlarge(&array, levels->used, size, 1)) {
            return 0;
        }
        levels->text = array;
        levels->size = size;
    }
    return 1;
}

int64_t levels_add(struct levels *levels, const char *begin, const char *end) {
    int64_t found = levels_find(levels, begin, end);

    if (found >= 0) {
        return found;
    }
    if (!make_room(levels, end - begin)) {
        return -1;
    }
    levels->slots[slot_of(levels, begin, end)] = levels->count + 1;
    levels->start[levels->count] = levels->used;
    if (end > begin) {
        memcpy(levels->text + levels->used, begin, (size_t)(end - begin));
    }
    levels->used += end - begin;
    levels->text[levels->used++] = '\0';
    return levels->count++;
}

struct ranked {
    const char *name;
    int64_t level;
};

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct ranked *)a)->name, ((const struct ranked *)b)->name);
}

int levels_sort(struct levels *levels, int64_t *rank) {
    struct ranked *sorted = memory_array(levels->count, sizeof *sorted);

    if (sorted == NULL) {
        return 0;
    }
    for (int64_t k = 0; k < levels->count; k++) {
        sorted[k] = (struct ranked){levels_name(levels, k), k};
    }
    qsort(sorted, (size_t)levels->count, sizeof *sorted, by_name);
    for (int64_t k = 0; k < levels->count; k++) {
        rank[sorted[k].level] = k;
        sorted[k].level = sorted[k].name - levels->text;
    }
    for (int64_t k = 0; k < levels->count; k++) {
        levels->start[k] = sorted[k].level;
    }
    memory_free(sorted);
    return levels->count == 0 || rehash(levels);
}

int levels_copy(const struct levels *from, struct levels *to) {
    for (int64_t k = 0; k < from->count; k++) {
        const char *name = levels_name(from, k);

        if (levels_add(to, name, name + strlen(name)) < 0) {
            return 0;
        }
    }
    return 1;
}

void levels_free(struct levels *levels) {
    memory_free(levels->text);
    memory_free(levels->start);
    memory_free(levels->slots);
    memset(levels, 0, sizeof *levels);
}
