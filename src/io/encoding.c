#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/table.h"

static const char *const policies[] = {"refuse", "drop", "median"};

const char *missing_policy_name(enum missing_policy policy) {
    return policies[policy];
}

int missing_policy_find(const char *name, enum missing_policy *policy) {
    for (int i = 0; i < (int)(sizeof policies / sizeof policies[0]); i++) {
        if (strcmp(policies[i], name) == 0) {
            *policy = (enum missing_policy)i;
            return 1;
        }
    }
    return 0;
}

const char *reading_name(enum reading reading) {
    static const char *const names[READINGS] = {"exclude", "only", "text", "categories"};

    return names[reading];
}

int reading_set(struct encoding *encoding, enum reading reading, const char *text) {
    size_t size = text == NULL ? 0 : strlen(text) + 1;
    char *copy = size == 0 ? NULL : memory_array((int64_t)size, 1);

    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    encoding->reading[reading] = copy;
    return size == 0 || copy != NULL;
}

void encoding_free(struct encoding *encoding) {
    if (encoding == NULL) {
        return;
    }
    for (int i = 0; i < READINGS; i++) {
        memory_free(encoding->reading[i]);
    }
    for (int64_t i = 0; encoding->columns != NULL && i < encoding->count; i++) {
        memory_free(encoding->columns[i].name);
        levels_free(&encoding->columns[i].levels);
    }
    memory_free(encoding->columns);
    memory_free(encoding->source);
    memory_free(encoding->level);
    memory_free(encoding);
}

static int copy_column(const struct table_column *from, struct table_column *to) {
    *to = *from;
    to->name = NULL;
    memset(&to->levels, 0, sizeof to->levels);
    if (from->name != NULL) {
        size_t size = strlen(from->name) + 1;

        to->name = memory_array((int64_t)size, 1);
        if (to->name == NULL) {
            return 0;
        }
        memcpy(to->name, from->name, size);
    }
    return levels_copy(&from->levels, &to->levels);
}

struct encoding *encoding_gather(const struct encoding_pick *picks, int64_t count) {
    struct encoding *to = memory_array(1, sizeof *to);
    int64_t last = -1;
    int ok = to != NULL;

    if (!ok) {
        return NULL;
    }
    *to = (struct encoding){.width = count,
                            .columns = memory_array(count, sizeof *to->columns),
                            .source = memory_array(count, sizeof *to->source),
                            .level = memory_array(count, sizeof *to->level)};
    ok = to->columns != NULL && to->source != NULL && to->level != NULL;
    for (int64_t k = 0; ok && k < count; k++) {
        const struct encoding *from = picks[k].from;
        const struct table_column *column = &from->columns[from->source[picks[k].column]];

        if (column->column != last) {
            ok = copy_column(column, &to->columns[to->count++]);
            last = column->column;
        }
        to->source[k] = to->count - 1;
        to->level[k] = from->level[picks[k].column];
    }
    if (!ok) {
        encoding_free(to);
        to = NULL;
    }
    return to;
}

struct encoding *encoding_select(const struct encoding *from, const int64_t *support, int64_t count) {
    struct encoding_pick *picks = memory_array(count, sizeof *picks);
    struct encoding *to;
    int ok = 1;

    for (int64_t k = 0; picks != NULL && k < count; k++) {
        picks[k] = (struct encoding_pick){from, support[k]};
    }
    to = picks == NULL ? NULL : encoding_gather(picks, count);
    if (to != NULL) {
        to->table_columns = from->table_columns;
        to->missing = from->missing;
        to->is_plain = from->is_plain;
        for (int i = 0; i < READINGS && ok; i++) {
            ok = reading_set(to, (enum reading)i, from->reading[i]);
        }
    }
    memory_free(picks);
    if (!ok) {
        encoding_free(to);
        to = NULL;
    }
    return to;
}
