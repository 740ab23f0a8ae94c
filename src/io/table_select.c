/* Which columns of a table are kept: those named in lists, or those that a model uses. */
#include "io/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/model.h"

/* ---- lists of columns: names, patterns, numbers and ranges ---- */

/* * stands for any text, ? for any character. */
static int matches(const char *pattern, const char *pattern_end, const char *text) {
    const char *star = NULL, *retry = NULL;

    while (*text != '\0') {
        if (pattern < pattern_end && *pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (pattern < pattern_end && (*pattern == '?' || *pattern == *text)) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return 0;
        }
    }
    while (pattern < pattern_end && *pattern == '*') {
        pattern++;
    }
    return pattern == pattern_end;
}

/* "7" or "7:9" */
static int is_range(const char *word, const char *end, int64_t *first, int64_t *last) {
    char *after;

    *first = *last = strtoll(word, &after, 10);
    if (after == word) {
        return 0;
    }
    if (after < end && *after == ':') {
        word = after + 1;
        *last = strtoll(word, &after, 10);
    }
    return after == end && after != word && *first >= 1 && *last >= *first;
}

/* Call mark for every column that the word stands for; returns their number. */
static int64_t mark_word(struct table *table, const char *word, const char *end, void (*mark)(struct table_field *)) {
    int64_t count = 0, first = 0, last = 0;

    for (int pass = 0; pass < 2 && count == 0; pass++) { /* by name, then by number */
        if (pass == 1 && !is_range(word, end, &first, &last)) {
            break;
        }
        for (int64_t j = 0; j < table->fields; j++) {
            struct table_field *field = &table->field[j];
            const char *name = table_name(table, j);
            int is_meant = pass == 0 ? name != NULL && matches(word, end, name)
                                     : field->feature + 1 >= first && field->feature + 1 <= last;

            if (field->feature >= 0 && is_meant) {
                mark(field);
                count++;
            }
        }
    }
    return count;
}

/* The error for a word that matches no column: it is the target, which lists cannot name, or a mistake. */
static spgm_error no_such_column(const struct table *table, const char *option, const char *word, const char *end) {
    char excerpt[EXCERPT_SIZE];

    source_excerpt(word, end, excerpt);
    table->source->line = 0;
    if (table->features == 0) {
        return source_fail(table->source, table->status, SPGM_ERROR_ARGUMENT,
                           " has no columns besides the target, so none for '%s', which '%s' names", excerpt, option);
    }
    for (int64_t j = 0; j < table->fields; j++) {
        const char *name = table_name(table, j);

        if (table->field[j].role == ROLE_TARGET && name != NULL && matches(word, end, name)) {
            return source_fail(table->source, table->status, SPGM_ERROR_ARGUMENT,
                               ": '%s' is the target, which '%s' cannot name; choose another column as the target, or "
                               "leave it out of the list",
                               excerpt, option);
        }
    }
    return source_fail(table->source, table->status, SPGM_ERROR_ARGUMENT,
                       " has no column '%s', which '%s' names; give names, patterns such as x*, or numbers "
                       "from 1 to %" PRId64 ", the target not counted",
                       excerpt, option, table->features);
}

static spgm_error mark_list(struct table *table, const char *option, const char *list,
                            void (*mark)(struct table_field *)) {
    for (const char *word = list; word != NULL && *word != '\0';) {
        const char *comma = strchr(word, ',');
        const char *end = comma == NULL ? word + strlen(word) : comma;

        if (end > word && mark_word(table, word, end, mark) == 0) {
            return no_such_column(table, option, word, end);
        }
        word = comma == NULL ? NULL : comma + 1;
    }
    return SPGM_OK;
}

static void mark_excluded(struct table_field *field) {
    field->role = field->role == ROLE_WEIGHTS ? ROLE_WEIGHTS : ROLE_SKIPPED;
    field->kind = field->role == ROLE_WEIGHTS ? field->kind : COLUMN_EXCLUDED;
}

static void mark_only(struct table_field *field) {
    field->role = field->role == ROLE_WEIGHTS ? ROLE_WEIGHTS : ROLE_FEATURE;
    field->kind = field->role == ROLE_WEIGHTS ? field->kind : COLUMN_EMPTY;
}

static void mark_text(struct table_field *field) {
    field->is_text = field->is_named = 1;
}

static void number_places(struct table *table) {
    table->width = 0;
    for (int64_t j = 0; j < table->fields; j++) {
        struct table_field *field = &table->field[j];

        field->place = field->role == ROLE_SKIPPED ? -1 : table->width++;
    }
}

spgm_error table_select(struct table *table) {
    const spgm_read_options *options = table->options;
    spgm_error error = SPGM_OK;

    if (options->only != NULL) {
        for (int64_t j = 0; j < table->fields; j++) {
            if (table->field[j].feature >= 0) {
                mark_excluded(&table->field[j]);
            }
        }
        error = mark_list(table, "only", options->only, mark_only);
    }
    if (error == SPGM_OK && options->exclude != NULL) {
        error = mark_list(table, "exclude", options->exclude, mark_excluded);
    }
    if (error == SPGM_OK && options->text != NULL) {
        error = mark_list(table, "text", options->text, mark_text);
    }
    number_places(table);
    return error;
}

/* ---- the columns of a model ---- */

struct needed { /* what a model needs for one of its columns */
    const char *name;
    int64_t column;
};

/* The column of the table that the model needs: the one at the same place if it has the right name, otherwise the one
 * with that name, otherwise (without names) the one at the same place. */
static spgm_error find_needed(const struct table *table, struct needed needed, int64_t made_from, int64_t *found) {
    int64_t named = -1, count = 0;
    char excerpt[EXCERPT_SIZE];
    const char *end;

    for (int64_t j = 0; j < table->fields; j++) {
        const char *name = table_name(table, j);
        int64_t feature = table->field[j].feature;

        if (feature < 0) {
            continue;
        }
        if (feature == needed.column && (needed.name == NULL || name == NULL || strcmp(name, needed.name) == 0)) {
            *found = j;
            if (table->features == made_from) {
                return SPGM_OK;
            }
        }
        if (name != NULL && needed.name != NULL && strcmp(name, needed.name) == 0) {
            named = j;
            count++;
        }
    }
    if (needed.name == NULL || !table->has_names) {
        return source_fail(table->source, table->status, SPGM_ERROR_DATA,
                           " has %" PRId64 " columns, but the model was made from data with %" PRId64, table->features,
                           made_from);
    }
    end = needed.name + strlen(needed.name);
    if (count != 1) {
        return source_fail(table->source, table->status, SPGM_ERROR_DATA,
                           count == 0 ? " has no column '%s', which the model uses"
                                      : " has two columns called '%s', which the model uses",
                           source_excerpt(needed.name, end, excerpt));
    }
    *found = named;
    return SPGM_OK;
}

static spgm_error select_needed(struct table *table, const struct spgm_model *model) {
    const struct encoding *encoding = model->encoding;
    int64_t count = encoding == NULL ? model->count : encoding->count;
    spgm_error error = SPGM_OK;

    for (int64_t k = 0; k < count && error == SPGM_OK; k++) {
        const struct table_column *column = encoding == NULL ? NULL : &encoding->columns[k];
        struct needed needed = {column != NULL         ? column->name
                                : model->names == NULL ? NULL
                                                       : model->names + model->name_start[k],
                                column != NULL ? column->column : model->support[k]};
        int64_t j = -1;

        if (needed.name != NULL && needed.name[0] == '\0') {
            needed.name = NULL;
        }
        error = find_needed(table, needed, encoding == NULL ? model->columns : encoding->table_columns, &j);
        if (error == SPGM_OK) {
            struct table_field *field = &table->field[j];

            field->role = ROLE_FEATURE;
            field->kind = COLUMN_EMPTY;
            field->known = column;
            field->is_text = column != NULL && column->kind == COLUMN_CATEGORY;
            table->model_field[k] = j;
        }
    }
    return error;
}

spgm_error table_select_model(struct table *table) {
    const struct spgm_model *model = table->options->model;
    int64_t line = table->source->line;
    spgm_error error;

    table->model_field = memory_array(model->count, sizeof *table->model_field);
    if (table->model_field == NULL) {
        return status_memory(table->status, (size_t)model->count * sizeof *table->model_field);
    }
    for (int64_t j = 0; j < table->fields; j++) {
        if (table->field[j].role == ROLE_FEATURE) {
            mark_excluded(&table->field[j]);
        }
    }
    table->source->line = 0;
    error = select_needed(table, model);
    table->source->line = line;
    number_places(table);
    return error;
}
