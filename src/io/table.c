#include "io/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/data.h"
#include "io/table_parts.h"

const char *table_name(const struct table *table, int64_t j) {
    const char *name = table->has_names ? table->names + table->start[j] : NULL;

    return name == NULL || name[0] == '\0' ? NULL : name;
}

spgm_error table_fail(const struct table *table, int64_t j, spgm_error code, const char *what) {
    const char *name = table_name(table, j);
    char excerpt[EXCERPT_SIZE];

    if (name == NULL) {
        return source_fail(table->source, table->status, code, ", column %" PRId64 ": %s", j + 1, what);
    }
    return source_fail(table->source, table->status, code, ", column %" PRId64 " (%s): %s", j + 1,
                       source_excerpt(name, name + strlen(name), excerpt), what);
}

void table_free(struct table *table) {
    for (int64_t j = 0; table->field != NULL && j < table->fields; j++) {
        levels_free(&table->field[j].levels);
    }
    memory_free(table->field);
    memory_free(table->names);
    memory_free(table->start);
    memory_free(table->model_field);
    series_free(&table->values);
    table->field = NULL;
    table->names = NULL;
    table->start = NULL;
}

/* ---- target and weights ---- */

static spgm_error take_vector(const struct table *table, const struct table_field *field, const double *raw,
                              double **vector) {
    *vector = memory_array(table->rows, sizeof **vector);
    if (*vector == NULL) {
        return status_memory(table->status, (size_t)table->rows * sizeof **vector);
    }
    memcpy(*vector, raw + field->place * table->rows, (size_t)table->rows * sizeof **vector);
    return SPGM_OK;
}

static spgm_error take_target(const struct table *table, int64_t j, double *raw, struct spgm_data *data) {
    struct table_field *field = &table->field[j];
    const char *name = table_name(table, j);
    spgm_error error = SPGM_OK;

    data->target_missing = field->missing;
    if (table->options->model != NULL && field->missing == table->rows) {
        return SPGM_OK; /* an empty column for what is to be predicted */
    }
    if (field->kind == COLUMN_CATEGORY && field->known == NULL) {
        error = table_sort_levels(table, &field->levels, raw + field->place * table->rows);
    }
    error = error == SPGM_OK ? take_vector(table, field, raw, &data->target) : error;
    data->labels = field->levels;
    memset(&field->levels, 0, sizeof field->levels);
    return error == SPGM_OK && name != NULL ? data_set_target_name(data, name, table->status) : error;
}

static spgm_error take_vectors(const struct table *table, double *raw, struct spgm_data *data) {
    spgm_error error = SPGM_OK;

    for (int64_t j = 0; j < table->fields && error == SPGM_OK; j++) {
        if (table->field[j].role == ROLE_TARGET) {
            error = take_target(table, j, raw, data);
        } else if (table->field[j].role == ROLE_WEIGHTS) {
            error = take_vector(table, &table->field[j], raw, &data->weights);
        }
    }
    return error;
}

/* ---- levels that a model has not seen ---- */

static spgm_error add_unseen(const struct table *table, const char *name, const char *level, struct levels *unseen) {
    size_t size = strlen(name) + strlen(level) + 2;
    char *text = memory_array((int64_t)size, 1);
    int64_t added = -1;

    if (text != NULL) {
        snprintf(text, size, "%s%s%s", name, name[0] == '\0' ? "" : "=", level);
        added = levels_add(unseen, text, text + strlen(text));
    }
    memory_free(text);
    return added < 0 ? status_memory(table->status, size) : SPGM_OK;
}

static spgm_error take_unseen(const struct table *table, struct levels *unseen) {
    spgm_error error = SPGM_OK;

    for (int64_t j = 0; j < table->fields; j++) {
        const struct table_field *field = &table->field[j];
        const char *name = table_name(table, j);

        for (int64_t k = 0; field->known != NULL && k < field->levels.count && error == SPGM_OK; k++) {
            error = add_unseen(table, name == NULL ? "" : name, levels_name(&field->levels, k), unseen);
        }
    }
    return error;
}

/* ---- the end ---- */

/* To be done again with the same table (spgm_read_options.like). */
static spgm_error keep_reading(const struct table *table, struct encoding *encoding) {
    const spgm_read_options *options = table->options;

    return reading_set(encoding, READING_EXCLUDE, options->exclude) &&
                   reading_set(encoding, READING_ONLY, options->only) &&
                   reading_set(encoding, READING_TEXT, options->text) &&
                   reading_set(encoding, READING_CATEGORIES, options->categories)
               ? SPGM_OK
               : status_memory(table->status, 1);
}

spgm_error table_finish(struct table *table, struct spgm_data *data) {
    double *raw = NULL;
    spgm_error error = SPGM_OK;

    table->source->line = 0;
    data->rows_read = table->rows;
    if (table->width > 0) {
        error = series_to_columns(&table->values, table->width, &raw, table->status);
    }
    error = error == SPGM_OK ? table_treat_gaps(table, data, raw) : error;
    data->rows = table->rows;
    error = error == SPGM_OK ? take_vectors(table, raw, data) : error;
    if (error == SPGM_OK && table->options->model != NULL) {
        error = table_make_model_matrix(table, data, raw);
        error = error == SPGM_OK ? take_unseen(table, &data->unseen) : error;
        memory_free(raw);
        return error;
    }
    data->encoding = error == SPGM_OK ? memory_array(1, sizeof *data->encoding) : NULL;
    if (error == SPGM_OK && data->encoding == NULL) {
        error = status_memory(table->status, sizeof *data->encoding);
    }
    error = error == SPGM_OK ? keep_reading(table, data->encoding) : error;
    error = error == SPGM_OK ? table_settle_columns(table, raw, data->encoding) : error;
    error = error == SPGM_OK ? table_name_columns(table, data) : error;
    error = error == SPGM_OK ? table_make_matrix(table, data, &raw) : error;
    memory_free(raw);
    return error;
}
