/* The union of the columns used by the models of several labels, so that a table is read once for all of them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/model.h"

/* A column of the matrix and its place `at` in the support of a model that uses it. */
struct use {
    int64_t column;
    const struct spgm_model *model;
    int64_t at;
};

static int by_column(const void *a, const void *b) {
    const struct use *p = a, *q = b;

    return p->column < q->column ? -1 : p->column > q->column;
}

/* List every used column once, ascending; *count receives their number. Returns NULL if out of memory. */
static struct use *find_uses(const struct spgm_model *combined, int64_t *count) {
    struct use *uses;
    int64_t all = 0;

    for (int64_t k = 0; k < combined->class_count; k++) {
        all += combined->classes[k]->count;
    }
    uses = memory_array(all, sizeof *uses);
    *count = 0;
    for (int64_t k = 0, at = 0; uses != NULL && k < combined->class_count; k++) {
        const struct spgm_model *model = combined->classes[k];

        for (int64_t j = 0; j < model->count; j++) {
            uses[at++] = (struct use){model->support[j], model, j};
        }
    }
    if (uses != NULL) {
        qsort(uses, (size_t)all, sizeof *uses, by_column);
    }
    for (int64_t i = 0; uses != NULL && i < all; i++) {
        if (i == 0 || uses[i].column != uses[i - 1].column) {
            uses[(*count)++] = uses[i];
        }
    }
    return uses;
}

static int take_support(struct spgm_model *combined, const struct use *uses, int64_t count) {
    combined->support = memory_array(count, sizeof *combined->support);
    for (int64_t i = 0; combined->support != NULL && i < count; i++) {
        combined->support[i] = uses[i].column;
    }
    combined->count = combined->support != NULL ? count : 0;
    return combined->support != NULL;
}

static const char *name_of(const struct use *use) {
    return use->model->names + use->model->name_start[use->at];
}

static int take_names(struct spgm_model *combined, const struct use *uses, int64_t count) {
    size_t size = 0;

    for (int64_t i = 0; i < count; i++) {
        if (uses[i].model->names == NULL) {
            return 1;
        }
        size += strlen(name_of(&uses[i])) + 1;
    }
    combined->names = memory_array((int64_t)size, 1);
    combined->name_start = memory_array(count, sizeof *combined->name_start);
    if (combined->names == NULL || combined->name_start == NULL) {
        return 0;
    }
    size = 0;
    for (int64_t i = 0; i < count; i++) {
        combined->name_start[i] = (int64_t)size;
        strcpy(combined->names + size, name_of(&uses[i]));
        size += strlen(name_of(&uses[i])) + 1;
    }
    return 1;
}

static int take_encoding(struct spgm_model *combined, const struct use *uses, int64_t count) {
    const struct encoding *first = combined->classes[0]->encoding;
    struct encoding_pick *picks = first == NULL ? NULL : memory_array(count, sizeof *picks);

    for (int64_t i = 0; picks != NULL && i < count; i++) {
        picks[i] = (struct encoding_pick){uses[i].model->encoding, uses[i].at};
    }
    combined->encoding = picks == NULL ? NULL : encoding_gather(picks, count);
    if (combined->encoding != NULL) {
        combined->encoding->table_columns = first->table_columns;
        combined->encoding->missing = first->missing;
    }
    memory_free(picks);
    return first == NULL || combined->encoding != NULL;
}

/* The models of a file from another program may be of different tables. */
static int have_same_table(const struct spgm_model *combined) {
    const struct encoding *first = combined->classes[0]->encoding;

    for (int64_t k = 1; k < combined->class_count; k++) {
        const struct encoding *other = combined->classes[k]->encoding;

        if ((first == NULL) != (other == NULL) ||
            (first != NULL && (first->table_columns != other->table_columns || first->missing != other->missing))) {
            return 0;
        }
    }
    return 1;
}

/* Check that equal columns of the matrix are the same column of the table, and that the order of columns agrees. */
static int have_same_columns(const struct spgm_model *combined) {
    const struct encoding *all = combined->encoding;

    for (int64_t k = 0; all != NULL && k < combined->class_count; k++) {
        const struct spgm_model *model = combined->classes[k];

        for (int64_t j = 0; j < model->count; j++) {
            const struct table_column *mine = &model->encoding->columns[model->encoding->source[j]];
            int64_t at = model_find(combined, model->support[j]);
            const struct table_column *ours = &all->columns[all->source[at]];

            if (mine->column != ours->column || mine->kind != ours->kind || mine->levels.count != ours->levels.count ||
                model->encoding->level[j] != all->level[at] ||
                (at > 0 && all->source[at] > 0 && ours->column <= all->columns[all->source[at] - 1].column)) {
                return 0;
            }
        }
    }
    return 1;
}

int64_t model_find(const struct spgm_model *combined, int64_t column) {
    int64_t low = 0, high = combined->count;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (combined->support[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

spgm_error model_unite(struct spgm_model *combined, spgm_status *status) {
    int64_t count = 0;
    struct use *uses;
    int ok;

    if (!have_same_table(combined)) {
        return status_set(status, SPGM_ERROR_DATA, "the models of the labels were made from different tables");
    }
    uses = find_uses(combined, &count);
    ok = uses != NULL && take_support(combined, uses, count) && take_names(combined, uses, count) &&
         take_encoding(combined, uses, count);
    memory_free(uses);
    if (!ok) {
        return status_memory(status, (size_t)count * sizeof *uses);
    }
    return have_same_columns(combined)
               ? SPGM_OK
               : status_set(status, SPGM_ERROR_DATA,
                            "the models of the labels do not agree on the columns of their table");
}
