/* Which field of a CSV file is the target, which has the weights, and which remain as columns. */
#include "io/csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/model.h"

static const char *field_name(const struct csv *reader, int64_t j) {
    return reader->table.has_names ? reader->table.names + reader->table.start[j] : NULL;
}

static spgm_error find_named(struct csv *reader, const char *what, const char *name, int64_t *found) {
    for (int64_t j = reader->has_row_names; reader->table.has_names && j < reader->fields; j++) {
        if (strcmp(field_name(reader, j), name) != 0) {
            continue;
        }
        if (*found >= 0) {
            return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                               ": two columns (%" PRId64 " and %" PRId64 ") are called '%s'; name the %s by its number",
                               *found + 1, j + 1, name, what);
        }
        *found = j;
    }
    return SPGM_OK;
}

static void find_numbered(const struct csv *reader, const char *number, int64_t *found) {
    char *end;
    long long value = strtoll(number, &end, 10);

    if (*end == '\0' && end != number && value > reader->has_row_names && value <= reader->fields) {
        *found = value - 1;
    }
}

static spgm_error no_such_column(const struct csv *reader, const char *name) {
    int64_t first = reader->has_row_names;
    int64_t last = reader->fields - 1;
    char excerpts[3][EXCERPT_SIZE];

    source_excerpt(name, name + strlen(name), excerpts[0]);
    if (!reader->table.has_names) {
        return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                           ": there is no column '%s'; the file has no header, so give a number from 1 to %" PRId64,
                           excerpts[0], reader->fields);
    }
    source_excerpt(field_name(reader, first), csv_name_field(reader, first).end, excerpts[1]);
    source_excerpt(field_name(reader, last), csv_name_field(reader, last).end, excerpts[2]);
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": there is no column '%s'; the columns are '%s' to '%s', or a number from %" PRId64
                       " to %" PRId64,
                       excerpts[0], excerpts[1], excerpts[2], first + 1, reader->fields);
}

/* A column by name or number; *found stays -1 if the column is optional and missing. */
static spgm_error find_column(struct csv *reader, const char *what, const char *name, int is_optional, int64_t *found) {
    int64_t line = reader->source->line;
    spgm_error error;

    reader->source->line = reader->first_line;
    error = find_named(reader, what, name, found);
    if (error == SPGM_OK && *found < 0) {
        find_numbered(reader, name, found);
    }
    if (error == SPGM_OK && *found < 0 && !is_optional) {
        error = no_such_column(reader, name);
    }
    reader->source->line = line;
    return error;
}

/* The number of columns that a table without a target has, if it may have none. */
static int64_t columns_without_target(const struct csv *reader) {
    const struct spgm_model *model = reader->options->model;

    if (model == NULL) {
        return reader->options->columns;
    }
    return model->encoding == NULL ? model->columns : model->encoding->table_columns;
}

static spgm_error find_target(struct csv *reader) {
    const spgm_read_options *options = reader->options;

    reader->target = -1;
    if (options->no_target) {
        return SPGM_OK;
    }
    if (options->target == NULL) {
        if (!options->optional_target || columns_without_target(reader) != reader->fields - reader->has_row_names) {
            reader->target = reader->fields - 1;
        }
        return SPGM_OK;
    }
    return find_column(reader, "target", options->target, options->optional_target, &reader->target);
}

static spgm_error find_weights(struct csv *reader) {
    spgm_error error = SPGM_OK;

    reader->weights = -1;
    if (reader->options->weights != NULL) {
        error = find_column(reader, "weights", reader->options->weights, 0, &reader->weights);
    }
    if (error == SPGM_OK && reader->weights >= 0 && reader->weights == reader->target) {
        reader->source->line = reader->first_line;
        error = source_fail(reader->source, reader->status, SPGM_ERROR_ARGUMENT,
                            ": column %" PRId64 " cannot be both target and weights", reader->target + 1);
    }
    return error;
}

spgm_error csv_set_roles(struct csv *reader) {
    struct table *table = &reader->table;
    spgm_error error = find_target(reader);

    error = error == SPGM_OK ? find_weights(reader) : error;
    if (error != SPGM_OK) {
        return error;
    }
    table->fields = reader->fields;
    table->field = memory_array(reader->fields, sizeof *table->field);
    if (table->field == NULL) {
        return status_memory(reader->status, (size_t)reader->fields * sizeof *table->field);
    }
    for (int64_t j = 0; j < reader->fields; j++) {
        struct table_field *field = &table->field[j];
        int is_row_name = j < reader->has_row_names;

        field->role = is_row_name            ? ROLE_SKIPPED
                      : j == reader->target  ? ROLE_TARGET
                      : j == reader->weights ? ROLE_WEIGHTS
                                             : ROLE_FEATURE;
        field->feature = is_row_name || j == reader->target ? -1 : table->features++;
        field->kind = j == reader->weights ? COLUMN_WEIGHTS : COLUMN_EMPTY;
    }
    return reader->options->model != NULL ? table_select_model(table) : table_select(table);
}
