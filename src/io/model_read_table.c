/* Reads the table of a model file: how text and missing values became columns. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/model_file.h"

spgm_error model_take_levels(const struct model_reader *reader, const char *key, const json_t *array,
                             struct levels *levels) {
    if (!json_is_array(array)) {
        return model_fail(reader, key, "is not a list of texts");
    }
    for (size_t k = 0; k < json_array_size(array); k++) {
        const char *text = json_string_value(json_array_get(array, k));
        int64_t level = text == NULL ? -1 : levels_add(levels, text, text + strlen(text));

        if (text == NULL || (level >= 0 && level != (int64_t)k)) {
            return model_fail(reader, key, "is not a list of different texts");
        }
        if (level < 0) {
            return model_out_of_memory(reader);
        }
    }
    return SPGM_OK;
}

spgm_error model_take_label_names(const struct model_reader *reader) {
    const json_t *array = json_object_get(reader->object, "label_names");

    if (array == NULL) {
        return SPGM_OK;
    }
    if (!reader->model->is_classifier || json_array_size(array) != 2) {
        return model_fail(reader, "label_names", "is not a list of two texts beside \"labels\"");
    }
    return model_take_levels(reader, "label_names", array, &reader->model->label_names);
}

static spgm_error take_fill(const struct model_reader *reader, const json_t *fill, struct table_column *column) {
    const char *word = json_string_value(fill);
    int64_t level;

    column->fill = NAN;
    if (fill == NULL) {
        return SPGM_OK;
    }
    if (column->kind == COLUMN_NUMBER && json_is_number(fill)) {
        column->fill = json_number_value(fill);
        return SPGM_OK;
    }
    level = word == NULL ? -1 : levels_find(&column->levels, word, word + strlen(word));
    column->fill = (double)level;
    return level < 0 ? model_fail(reader, "table", "has a \"fill\" that is neither a number nor a level") : SPGM_OK;
}

static spgm_error take_table_column(const struct model_reader *reader, const json_t *object, int64_t previous,
                                    struct table_column *column) {
    const json_t *number = json_object_get(object, "column");
    const json_t *levels = json_object_get(object, "levels");
    const char *name = json_string_value(json_object_get(object, "name"));
    spgm_error error = SPGM_OK;

    column->column = json_integer_value(number);
    column->kind = levels == NULL ? COLUMN_NUMBER : COLUMN_CATEGORY;
    if (!json_is_integer(number) || column->column <= previous ||
        column->column >= reader->model->encoding->table_columns) {
        return model_fail(reader, "table", "has a \"column\" that is not in ascending order below \"columns\"");
    }
    if (name != NULL) {
        column->name = memory_array((int64_t)strlen(name) + 1, 1);
        if (column->name == NULL) {
            return model_out_of_memory(reader);
        }
        strcpy(column->name, name);
    }
    if (levels != NULL) {
        error = model_take_levels(reader, "table", levels, &column->levels);
    }
    return error == SPGM_OK ? take_fill(reader, json_object_get(object, "fill"), column) : error;
}

/* The column of the table, and the level, of each coefficient. */
static spgm_error take_sources(const struct model_reader *reader, const json_t *sources, const json_t *levels) {
    struct encoding *encoding = reader->model->encoding;

    if ((int64_t)json_array_size(sources) != encoding->width || (int64_t)json_array_size(levels) != encoding->width) {
        return model_fail(reader, "table", "has a \"source\" or \"level\" that is not as long as \"support\"");
    }
    for (int64_t k = 0; k < encoding->width; k++) {
        const json_t *source = json_array_get(sources, (size_t)k), *level = json_array_get(levels, (size_t)k);
        int64_t count;

        encoding->source[k] = json_integer_value(source);
        encoding->level[k] = json_integer_value(level);
        if (!json_is_integer(source) || !json_is_integer(level) || encoding->source[k] < 0 ||
            encoding->source[k] >= encoding->count) {
            return model_fail(reader, "table", "has a \"source\" that is not one of the columns it uses");
        }
        count = encoding->columns[encoding->source[k]].levels.count;
        if (encoding->columns[encoding->source[k]].kind == COLUMN_NUMBER
                ? encoding->level[k] != -1
                : encoding->level[k] < 0 || encoding->level[k] >= count) {
            return model_fail(reader, "table", "has a \"level\" that its column does not have");
        }
    }
    return SPGM_OK;
}

static spgm_error take_reading(const struct model_reader *reader, const json_t *table) {
    for (int i = 0; i < READINGS; i++) {
        const json_t *text = json_object_get(table, reading_name((enum reading)i));

        if (text != NULL && !json_is_string(text)) {
            return model_fail(reader, "table",
                              "has an \"exclude\", \"only\", \"text\" or \"categories\" that is not text");
        }
        if (!reading_set(reader->model->encoding, (enum reading)i, json_string_value(text))) {
            return model_out_of_memory(reader);
        }
    }
    return SPGM_OK;
}

spgm_error model_take_table(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    const json_t *table = json_object_get(reader->object, "table");
    const json_t *used = json_object_get(table, "used"), *columns = json_object_get(table, "columns");
    const char *missing = json_string_value(json_object_get(table, "missing"));
    struct encoding *encoding;
    spgm_error error = SPGM_OK;

    if (table == NULL) {
        return SPGM_OK;
    }
    if (!json_is_array(used) || (int64_t)json_array_size(used) > model->count || !json_is_integer(columns) ||
        missing == NULL) {
        return model_fail(reader, "table", "has no \"columns\", \"missing\" and \"used\"");
    }
    encoding = model->encoding = memory_array(1, sizeof *encoding);
    if (encoding == NULL) {
        return model_out_of_memory(reader);
    }
    encoding->table_columns = json_integer_value(columns);
    encoding->width = model->count;
    encoding->columns = memory_array(model->count, sizeof *encoding->columns);
    encoding->source = memory_array(model->count, sizeof *encoding->source);
    encoding->level = memory_array(model->count, sizeof *encoding->level);
    if (encoding->columns == NULL || encoding->source == NULL || encoding->level == NULL) {
        return model_out_of_memory(reader);
    }
    if (!missing_policy_find(missing, &encoding->missing)) {
        return model_fail(reader, "table", "has a \"missing\" that is unknown");
    }
    error = take_reading(reader, table);
    for (size_t i = 0; i < json_array_size(used) && error == SPGM_OK; i++) {
        encoding->count++;
        error = take_table_column(reader, json_array_get(used, i), i == 0 ? -1 : encoding->columns[i - 1].column,
                                  &encoding->columns[i]);
    }
    return error == SPGM_OK ? take_sources(reader, json_object_get(table, "source"), json_object_get(table, "level"))
                            : error;
}
