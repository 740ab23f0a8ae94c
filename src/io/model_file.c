/*
 * MODEL.json: one object, a field to a line.
 *
 *   objective, loss_value, smooth_value   F, h and f at the solution; bound, gap when a lower bound is known
 *   sparsity, columns                     s, and the number of columns of the data
 *   support, coefficients, names          0-based columns with a nonzero, ascending, and what belongs to each
 *   intercept, target, labels             labels: of a classifier, lower and upper
 *   lower, upper, excluded                where given: a bound of all columns or a list (null: none); columns never in
 *   groups, group_limit                   where given: the group of each column (-1: none); 0: each counts as one
 *   feasible, units                       whether x is in the feasible set; what s counts, where that is groups
 *   label_names, table                    where text was read: the words of the labels; how the table became columns
 *   data, rows, weights, free, chosen     where known: name and rows of the data, sum of the weights, columns that are
 *                                         always in, how s was chosen
 *   outcome, verdict, iterations, seconds of the run; verdict is the outcome as a sentence
 *   date                                  when, where known
 *   options, version                      every option as it was, and the program's version
 *
 * Of more than two labels: classes (and class_names) and models, a list with one such object for each against the rest.
 *
 * Numbers have 17 digits, which read back as the same doubles. Unknown fields are ignored.
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/model.h"
#include "io/sink.h"

enum { DUMP_FLAGS = JSON_ENCODE_ANY | JSON_REAL_PRECISION(17), OPTION_TEXT = 64 };
static const size_t size_limit = (size_t)1 << 30;

/* ---- writing ---- */

/* JSON has no NaN and no infinity: null stands for both. */
static json_t *real_json(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static int add(json_t *object, const char *key, json_t *value) {
    return json_object_set_new(object, key, value) == 0;
}

static int add_values(json_t *object, const struct spgm_model *model) {
    const spgm_info *info = &model->info;
    int ok = add(object, "objective", real_json(info->objective)) &&
             add(object, "loss_value", real_json(info->loss_value)) &&
             add(object, "smooth_value", real_json(info->smooth_value));

    if (ok && isfinite(info->bound)) {
        ok = add(object, "bound", json_real(info->bound)) && add(object, "gap", real_json(info->gap));
    }
    if (ok && info->nodes > 0) {
        ok = add(object, "nodes", json_integer(info->nodes));
    }
    return ok;
}

static json_t *integers_json(const int64_t *values, int64_t count) {
    json_t *array = json_array();

    for (int64_t k = 0; array != NULL && k < count; k++) {
        if (json_array_append_new(array, json_integer(values[k])) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static json_t *reals_json(const double *values, int64_t count) {
    json_t *array = json_array();

    for (int64_t k = 0; array != NULL && k < count; k++) {
        if (json_array_append_new(array, real_json(values[k])) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static json_t *names_json(const struct spgm_model *model) {
    json_t *array = json_array();

    for (int64_t k = 0; array != NULL && k < model->count; k++) {
        if (json_array_append_new(array, json_string(model->names + model->name_start[k])) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static json_t *levels_json(const struct levels *levels) {
    json_t *array = json_array();

    for (int64_t k = 0; array != NULL && k < levels->count; k++) {
        if (json_array_append_new(array, json_string(levels_name(levels, k))) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static int add_coefficients(json_t *object, const struct spgm_model *model) {
    return add(object, "sparsity", json_integer(model->sparsity)) &&
           add(object, "columns", json_integer(model->columns)) &&
           add(object, "support", integers_json(model->support, model->count)) &&
           add(object, "coefficients", reals_json(model->coefficients, model->count)) &&
           (model->names == NULL || add(object, "names", names_json(model))) &&
           add(object, "intercept", real_json(model->intercept)) &&
           (model->target_name == NULL || add(object, "target", json_string(model->target_name))) &&
           (!model->is_classifier || add(object, "labels", reals_json(model->labels, 2))) &&
           (model->label_names.count == 0 || add(object, "label_names", levels_json(&model->label_names)));
}

/* A column of the table: its name, its levels, what a gap becomes. */
static json_t *table_column_json(const struct table_column *column) {
    json_t *object = json_object();
    int is_category = column->kind == COLUMN_CATEGORY;
    int ok = object != NULL && add(object, "column", json_integer(column->column)) &&
             (column->name == NULL || add(object, "name", json_string(column->name))) &&
             (!is_category || add(object, "levels", levels_json(&column->levels))) &&
             (isnan(column->fill) || add(object, "fill",
                                         is_category ? json_string(levels_name(&column->levels, (int64_t)column->fill))
                                                     : json_real(column->fill)));

    if (!ok) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

static int add_table(json_t *object, const struct encoding *encoding) {
    json_t *table, *used;
    int ok;

    if (encoding == NULL) {
        return 1;
    }
    table = json_object();
    used = json_array();
    ok = table != NULL && used != NULL;
    for (int64_t i = 0; ok && i < encoding->count; i++) {
        ok = json_array_append_new(used, table_column_json(&encoding->columns[i])) == 0;
    }
    if (!ok) {
        json_decref(table);
        json_decref(used);
        return 0;
    }
    return add(table, "columns", json_integer(encoding->table_columns)) &
           add(table, "missing", json_string(missing_policy_name(encoding->missing))) & add(table, "used", used) &
           add(table, "source", integers_json(encoding->source, encoding->width)) &
           add(table, "level", integers_json(encoding->level, encoding->width)) & add(object, "table", table);
}

/* Nothing where there are none. */
static int add_bounds(json_t *object, const char *key, const struct model_bounds *bounds, int64_t columns) {
    if (bounds->values == NULL && isinf(bounds->all)) {
        return 1;
    }
    return add(object, key, bounds->values == NULL ? json_real(bounds->all) : reals_json(bounds->values, columns));
}

static int add_set(json_t *object, const struct spgm_model *model) {
    int has_groups = model->group_of != NULL;

    return add_bounds(object, "lower", &model->lower, model->columns) &&
           add_bounds(object, "upper", &model->upper, model->columns) &&
           (model->excluded_count == 0 ||
            add(object, "excluded", integers_json(model->excluded, model->excluded_count))) &&
           (!has_groups || add(object, "groups", integers_json(model->group_of, model->columns))) &&
           (!has_groups || add(object, "group_limit", json_integer(model->group_limit))) &&
           add(object, "feasible", json_boolean(model->info.feasible)) &&
           (!has_groups || model->group_limit > 0 || add(object, "units", json_integer(model->info.units)));
}

static json_t *option_json(const struct spgm_options *options, const spgm_option_info *option) {
    char text[OPTION_TEXT] = "";
    double value = 0;

    spgm_options_get(options, option->name, text, sizeof text, NULL);
    switch (option->type) {
    case SPGM_OPTION_FLAG:
        return json_boolean(strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
    case SPGM_OPTION_INTEGER:
        return json_integer(strtoll(text, NULL, 10));
    case SPGM_OPTION_REAL:
        return number_parse_word(text, &value) && isfinite(value) ? json_real(value) : json_string(text);
    default:
        return json_string(text);
    }
}

static json_t *options_json(const struct spgm_options *options) {
    json_t *object = json_object();

    for (int64_t i = 0; object != NULL && i < spgm_option_count(); i++) {
        const spgm_option_info *option = spgm_option_describe(i);

        if (!add(object, option->name, option_json(options, option))) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

static int add_text(json_t *object, const char *key, const char *text) {
    return text == NULL || add(object, key, json_string(text));
}

static int add_record(json_t *object, const struct spgm_model *model) {
    return add_text(object, "data", model->data_name) &&
           (model->rows == 0 || add(object, "rows", json_integer(model->rows))) &&
           (model->weights == 0 || add(object, "weights", real_json(model->weights))) &&
           (model->free_count == 0 || add(object, "free", integers_json(model->free_columns, model->free_count))) &&
           add_text(object, "chosen", model->chosen);
}

static int add_run(json_t *object, const struct spgm_model *model) {
    const spgm_info *info = &model->info;

    return add(object, "outcome", json_string(spgm_outcome_name(info->outcome))) &&
           add(object, "verdict", json_string(spgm_outcome_text(info->outcome))) &&
           add(object, "iterations", json_integer(info->iterations)) &&
           (isnan(info->seconds) || add(object, "seconds", real_json(info->seconds))) &&
           add_text(object, "date", model->date) && add(object, "options", options_json(model->options)) &&
           add(object, "version", json_string(model->version));
}

/* Each field on a line of its own. */
static void write_object(struct sink *sink, json_t *object) {
    const char *separator = "{\n  ";

    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        char *text = json_dumps(json_object_iter_value(at), DUMP_FLAGS);

        if (text == NULL) {
            sink_fail(sink, status_memory(sink->status, size_limit));
            return;
        }
        sink_text(sink, separator);
        sink_text(sink, "\"");
        sink_text(sink, json_object_iter_key(at));
        sink_text(sink, "\": ");
        sink_text(sink, text);
        free(text);
        separator = ",\n  ";
    }
    sink_text(sink, "\n}\n");
}

/* NULL: out of memory. */
static json_t *single_json(const struct spgm_model *model) {
    json_t *object = json_object();

    if (object == NULL || !add_values(object, model) || !add_coefficients(object, model) ||
        !add_table(object, model->encoding) || !add_set(object, model) || !add_record(object, model) ||
        !add_run(object, model)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* A list of models, and the label of each. */
static json_t *combined_json(const struct spgm_model *model) {
    json_t *object = json_object(), *models = json_array();
    int ok = object != NULL && models != NULL;

    for (int64_t k = 0; ok && k < model->class_count; k++) {
        ok = json_array_append_new(models, single_json(model->classes[k])) == 0;
    }
    if (!ok) {
        json_decref(models);
        json_decref(object);
        return NULL;
    }
    ok = add(object, "classes", reals_json(model->class_labels, model->class_count)) &&
         (model->class_names.count == 0 || add(object, "class_names", levels_json(&model->class_names))) &&
         add(object, "sparsity", json_integer(model->sparsity)) &&
         add(object, "columns", json_integer(model->columns)) && add_text(object, "target", model->target_name) &&
         add_record(object, model) && add_text(object, "date", model->date) &&
         add(object, "version", json_string(model->version));
    ok = add(object, "models", models) && ok;
    if (!ok) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

spgm_error spgm_model_write(const spgm_model *model, const char *path, spgm_status *status) {
    json_t *object;
    struct sink sink;
    spgm_error error;

    if (model == NULL || path == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL", model == NULL ? "the model" : "the path");
    }
    object = model->classes == NULL ? single_json(model) : combined_json(model);
    if (object == NULL) {
        return status_memory(status, (size_t)model->count * 64);
    }
    sink_open(&sink, path, status);
    if (sink.error == SPGM_OK) {
        write_object(&sink, object);
    }
    error = sink_finish(&sink);
    json_decref(object);
    return error == SPGM_OK ? status_clear(status) : error;
}

/* ---- reading ---- */

struct model_reader {
    const struct source *source;
    spgm_status *status;
    json_t *object;
    struct spgm_model *model;
};

static spgm_error fail(const struct model_reader *reader, const char *key, const char *what) {
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, ": \"%s\" %s; is it a model file?", key,
                       what);
}

static spgm_error out_of_memory(const struct model_reader *reader) {
    return status_memory(reader->status, (size_t)reader->model->count * 32);
}

/* A number, or null for what is not finite, or missing: then `otherwise`. */
static spgm_error take_real(const struct model_reader *reader, const char *key, double otherwise, double *value) {
    const json_t *found = json_object_get(reader->object, key);

    *value = otherwise;
    if (found == NULL || json_is_null(found)) {
        return SPGM_OK;
    }
    if (!json_is_number(found)) {
        return fail(reader, key, "is not a number");
    }
    *value = json_number_value(found);
    return SPGM_OK;
}

static spgm_error take_integer(const struct model_reader *reader, const char *key, int64_t high, int64_t *value) {
    const json_t *found = json_object_get(reader->object, key);

    if (!json_is_integer(found) || json_integer_value(found) < 0 || json_integer_value(found) > high) {
        return fail(reader, key, found == NULL ? "is missing" : "is not a whole number in its range");
    }
    *value = json_integer_value(found);
    return SPGM_OK;
}

static spgm_error take_text(const struct model_reader *reader, const char *key, char **text) {
    const json_t *found = json_object_get(reader->object, key);
    const char *value = json_string_value(found);

    if (found == NULL || json_is_null(found)) {
        return SPGM_OK;
    }
    if (value == NULL) {
        return fail(reader, key, "is not text");
    }
    *text = memory_array((int64_t)strlen(value) + 1, 1);
    if (*text == NULL) {
        return out_of_memory(reader);
    }
    strcpy(*text, value);
    return SPGM_OK;
}

static spgm_error take_array(const struct model_reader *reader, const char *key, int64_t count, json_t **array) {
    *array = json_object_get(reader->object, key);
    if (!json_is_array(*array)) {
        return fail(reader, key, *array == NULL ? "is missing" : "is not a list");
    }
    if (count >= 0 && (int64_t)json_array_size(*array) != count) {
        return fail(reader, key, "is not as long as \"support\"");
    }
    return SPGM_OK;
}

static spgm_error take_support(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    json_t *array;
    int64_t previous = -1;
    spgm_error error = take_array(reader, "support", -1, &array);

    if (error != SPGM_OK) {
        return error;
    }
    model->count = (int64_t)json_array_size(array);
    model->support = memory_array(model->count, sizeof *model->support);
    if (model->support == NULL) {
        return out_of_memory(reader);
    }
    for (int64_t k = 0; k < model->count; k++) {
        const json_t *value = json_array_get(array, (size_t)k);
        int64_t column = json_integer_value(value);

        if (!json_is_integer(value) || column <= previous || column >= model->columns) {
            return fail(reader, "support", "is not an ascending list of column numbers below \"columns\"");
        }
        model->support[k] = previous = column;
    }
    return SPGM_OK;
}

static spgm_error take_coefficients(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    json_t *array;
    spgm_error error = take_array(reader, "coefficients", model->count, &array);

    if (error != SPGM_OK) {
        return error;
    }
    model->coefficients = memory_array(model->count, sizeof *model->coefficients);
    if (model->coefficients == NULL) {
        return out_of_memory(reader);
    }
    for (int64_t k = 0; k < model->count; k++) {
        const json_t *value = json_array_get(array, (size_t)k);

        if (!json_is_number(value)) {
            return fail(reader, "coefficients", "is not a list of numbers");
        }
        model->coefficients[k] = json_number_value(value);
    }
    return SPGM_OK;
}

static spgm_error measure_names(const struct model_reader *reader, const json_t *array, int64_t *size) {
    for (int64_t k = 0; k < reader->model->count; k++) {
        const json_t *value = json_array_get(array, (size_t)k);

        if (!json_is_string(value)) {
            return fail(reader, "names", "is not a list of texts");
        }
        *size += (int64_t)strlen(json_string_value(value)) + 1;
    }
    return SPGM_OK;
}

static spgm_error take_names(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    json_t *array;
    int64_t size = 0;
    spgm_error error;

    if (json_object_get(reader->object, "names") == NULL) {
        return SPGM_OK;
    }
    error = take_array(reader, "names", model->count, &array);
    error = error == SPGM_OK ? measure_names(reader, array, &size) : error;
    if (error != SPGM_OK) {
        return error;
    }
    model->names = memory_array(size, 1);
    model->name_start = memory_array(model->count, sizeof *model->name_start);
    if (model->names == NULL || model->name_start == NULL) {
        return out_of_memory(reader);
    }
    size = 0;
    for (int64_t k = 0; k < model->count; k++) {
        const char *name = json_string_value(json_array_get(array, (size_t)k));

        model->name_start[k] = size;
        strcpy(model->names + size, name);
        size += (int64_t)strlen(name) + 1;
    }
    return SPGM_OK;
}

static spgm_error take_labels(const struct model_reader *reader) {
    const json_t *array = json_object_get(reader->object, "labels");
    const json_t *low = json_array_get(array, 0);
    const json_t *high = json_array_get(array, 1);

    if (array == NULL) {
        return SPGM_OK;
    }
    if (json_array_size(array) != 2 || !json_is_number(low) || !json_is_number(high)) {
        return fail(reader, "labels", "is not a list of two numbers");
    }
    reader->model->is_classifier = 1;
    reader->model->labels[0] = json_number_value(low);
    reader->model->labels[1] = json_number_value(high);
    return SPGM_OK;
}

/* ---- the table ---- */

/* Texts, each once. */
static spgm_error take_levels(const struct model_reader *reader, const char *key, const json_t *array,
                              struct levels *levels) {
    if (!json_is_array(array)) {
        return fail(reader, key, "is not a list of texts");
    }
    for (size_t k = 0; k < json_array_size(array); k++) {
        const char *text = json_string_value(json_array_get(array, k));
        int64_t level = text == NULL ? -1 : levels_add(levels, text, text + strlen(text));

        if (text == NULL || (level >= 0 && level != (int64_t)k)) {
            return fail(reader, key, "is not a list of different texts");
        }
        if (level < 0) {
            return out_of_memory(reader);
        }
    }
    return SPGM_OK;
}

static spgm_error take_label_names(const struct model_reader *reader) {
    const json_t *array = json_object_get(reader->object, "label_names");

    if (array == NULL) {
        return SPGM_OK;
    }
    if (!reader->model->is_classifier || json_array_size(array) != 2) {
        return fail(reader, "label_names", "is not a list of two texts beside \"labels\"");
    }
    return take_levels(reader, "label_names", array, &reader->model->label_names);
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
    return level < 0 ? fail(reader, "table", "has a \"fill\" that is neither a number nor a level") : SPGM_OK;
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
        return fail(reader, "table", "has a \"column\" that is not in ascending order below \"columns\"");
    }
    if (name != NULL) {
        column->name = memory_array((int64_t)strlen(name) + 1, 1);
        if (column->name == NULL) {
            return out_of_memory(reader);
        }
        strcpy(column->name, name);
    }
    if (levels != NULL) {
        error = take_levels(reader, "table", levels, &column->levels);
    }
    return error == SPGM_OK ? take_fill(reader, json_object_get(object, "fill"), column) : error;
}

/* Which column of the table, and which level, each coefficient belongs to. */
static spgm_error take_sources(const struct model_reader *reader, const json_t *sources, const json_t *levels) {
    struct encoding *encoding = reader->model->encoding;

    if ((int64_t)json_array_size(sources) != encoding->width || (int64_t)json_array_size(levels) != encoding->width) {
        return fail(reader, "table", "has a \"source\" or \"level\" that is not as long as \"support\"");
    }
    for (int64_t k = 0; k < encoding->width; k++) {
        const json_t *source = json_array_get(sources, (size_t)k), *level = json_array_get(levels, (size_t)k);
        int64_t count;

        encoding->source[k] = json_integer_value(source);
        encoding->level[k] = json_integer_value(level);
        if (!json_is_integer(source) || !json_is_integer(level) || encoding->source[k] < 0 ||
            encoding->source[k] >= encoding->count) {
            return fail(reader, "table", "has a \"source\" that is none of the columns it uses");
        }
        count = encoding->columns[encoding->source[k]].levels.count;
        if (encoding->columns[encoding->source[k]].kind == COLUMN_NUMBER
                ? encoding->level[k] != -1
                : encoding->level[k] < 0 || encoding->level[k] >= count) {
            return fail(reader, "table", "has a \"level\" that its column does not have");
        }
    }
    return SPGM_OK;
}

static spgm_error take_table(const struct model_reader *reader) {
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
        return fail(reader, "table", "has no \"columns\", \"missing\" and \"used\"");
    }
    encoding = model->encoding = memory_array(1, sizeof *encoding);
    if (encoding == NULL) {
        return out_of_memory(reader);
    }
    encoding->table_columns = json_integer_value(columns);
    encoding->width = model->count;
    encoding->columns = memory_array(model->count, sizeof *encoding->columns);
    encoding->source = memory_array(model->count, sizeof *encoding->source);
    encoding->level = memory_array(model->count, sizeof *encoding->level);
    if (encoding->columns == NULL || encoding->source == NULL || encoding->level == NULL) {
        return out_of_memory(reader);
    }
    if (!missing_policy_find(missing, &encoding->missing)) {
        return fail(reader, "table", "has a \"missing\" that is not known");
    }
    for (size_t i = 0; i < json_array_size(used) && error == SPGM_OK; i++) {
        encoding->count++;
        error = take_table_column(reader, json_array_get(used, i), i == 0 ? -1 : encoding->columns[i - 1].column,
                                  &encoding->columns[i]);
    }
    return error == SPGM_OK ? take_sources(reader, json_object_get(table, "source"), json_object_get(table, "level"))
                            : error;
}

/* ---- the feasible set ---- */

/* A bound of one column, or of all; null is none. */
static spgm_error take_bound(const struct model_reader *reader, const char *key, const json_t *value, double none,
                             double *bound) {
    *bound = json_is_number(value) ? json_number_value(value) : none;
    if (value != NULL && !json_is_null(value) && !json_is_number(value)) {
        return fail(reader, key, "is neither a number nor a list of numbers");
    }
    return *bound * none < 0 ? fail(reader, key, "does not allow zero") : SPGM_OK;
}

static spgm_error take_bounds(const struct model_reader *reader, const char *key, double none,
                              struct model_bounds *bounds) {
    const json_t *found = json_object_get(reader->object, key);
    int64_t n = reader->model->columns;
    spgm_error error = SPGM_OK;

    bounds->all = none;
    if (!json_is_array(found)) {
        return take_bound(reader, key, found, none, &bounds->all);
    }
    if ((int64_t)json_array_size(found) != n) {
        return fail(reader, key, "is not as long as \"columns\"");
    }
    bounds->values = memory_array(n, sizeof *bounds->values);
    if (bounds->values == NULL) {
        return out_of_memory(reader);
    }
    for (int64_t j = 0; j < n && error == SPGM_OK; j++) {
        error = take_bound(reader, key, json_array_get(found, (size_t)j), none, &bounds->values[j]);
    }
    return error;
}

/* A list of whole numbers from `low` on; ascending and below "columns" if so wanted. */
static spgm_error take_integers(const struct model_reader *reader, const char *key, int64_t low, int is_ascending,
                                int64_t **values, int64_t *count) {
    json_t *array = json_object_get(reader->object, key);

    if (!json_is_array(array)) {
        return fail(reader, key, "is not a list");
    }
    *count = (int64_t)json_array_size(array);
    *values = memory_array(*count, sizeof **values);
    if (*values == NULL) {
        return out_of_memory(reader);
    }
    for (int64_t k = 0; k < *count; k++) {
        const json_t *value = json_array_get(array, (size_t)k);

        (*values)[k] = json_integer_value(value);
        if (!json_is_integer(value) || (*values)[k] < low ||
            (is_ascending && ((*values)[k] >= reader->model->columns || (k > 0 && (*values)[k] <= (*values)[k - 1])))) {
            return fail(reader, key, "is not a list of whole numbers in their range");
        }
    }
    return SPGM_OK;
}

static spgm_error take_groups(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    int64_t count;
    spgm_error error = take_integers(reader, "groups", -1, 0, &model->group_of, &count);

    if (error == SPGM_OK && count != model->columns) {
        error = fail(reader, "groups", "is not as long as \"columns\"");
    }
    return error == SPGM_OK ? take_integer(reader, "group_limit", INT64_MAX, &model->group_limit) : error;
}

/* Of a file without them, as all were once: nothing is set, and x is feasible. */
static spgm_error take_set(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    const json_t *feasible = json_object_get(reader->object, "feasible");
    spgm_error error = take_bounds(reader, "lower", -INFINITY, &model->lower);

    error = error == SPGM_OK ? take_bounds(reader, "upper", INFINITY, &model->upper) : error;
    model->info.feasible = !json_is_false(feasible);
    if (error == SPGM_OK && json_object_get(reader->object, "excluded") != NULL) {
        error = take_integers(reader, "excluded", 0, 1, &model->excluded, &model->excluded_count);
    }
    if (error == SPGM_OK && json_object_get(reader->object, "groups") != NULL) {
        error = take_groups(reader);
    }
    model->info.units = model->count;
    return error != SPGM_OK || json_object_get(reader->object, "units") == NULL
               ? error
               : take_integer(reader, "units", INT64_MAX, &model->info.units);
}

/* Of a file without them, as all were once: nothing is known. */
static spgm_error take_record(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    spgm_error error = take_text(reader, "data", &model->data_name);

    error = error == SPGM_OK ? take_text(reader, "chosen", &model->chosen) : error;
    error = error == SPGM_OK ? take_text(reader, "date", &model->date) : error;
    error = error == SPGM_OK ? take_real(reader, "weights", 0, &model->weights) : error;
    if (error == SPGM_OK && json_object_get(reader->object, "rows") != NULL) {
        error = take_integer(reader, "rows", INT64_MAX, &model->rows);
    }
    if (error == SPGM_OK && json_object_get(reader->object, "free") != NULL) {
        error = take_integers(reader, "free", 0, 1, &model->free_columns, &model->free_count);
    }
    return error;
}

/* The option's value as text that spgm_options_set reads; NULL: of a type that no option has. */
static const char *option_text(const json_t *value, char text[OPTION_TEXT]) {
    switch (json_typeof(value)) {
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    case JSON_INTEGER:
        snprintf(text, OPTION_TEXT, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return text;
    case JSON_REAL:
        number_print(json_real_value(value), text, OPTION_TEXT);
        return text;
    case JSON_STRING:
        return json_string_value(value);
    default:
        return NULL;
    }
}

/* Options that this version does not have are ignored. */
static spgm_error take_options(const struct model_reader *reader) {
    json_t *object = json_object_get(reader->object, "options");

    reader->model->options = spgm_options_new();
    if (reader->model->options == NULL) {
        return out_of_memory(reader);
    }
    for (int64_t i = 0; i < spgm_option_count(); i++) {
        const char *name = spgm_option_describe(i)->name;
        const json_t *value = json_object_get(object, name);
        char buffer[OPTION_TEXT];
        const char *text = value == NULL ? NULL : option_text(value, buffer);
        spgm_status reason;

        if (value == NULL) {
            continue;
        }
        if (text == NULL) {
            return fail(reader, name, "is not the value of an option");
        }
        if (spgm_options_set(reader->model->options, name, text, &reason) != SPGM_OK) {
            return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, ": %.300s", reason.message);
        }
    }
    return SPGM_OK;
}

static spgm_error take_outcome(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    const char *outcome = json_string_value(json_object_get(reader->object, "outcome"));
    const char *version = json_string_value(json_object_get(reader->object, "version"));

    if (outcome != NULL) {
        model->info.outcome = spgm_outcome_from_name(outcome);
        if (model->info.outcome == SPGM_OUTCOME_COUNT) {
            return fail(reader, "outcome", "is not one that is known");
        }
    }
    if (version != NULL) {
        strncpy(model->version, version, sizeof model->version - 1);
    }
    return json_object_get(reader->object, "iterations") == NULL
               ? SPGM_OK
               : take_integer(reader, "iterations", INT64_MAX, &model->info.iterations);
}

static spgm_error take_reals(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    const struct {
        const char *key;
        double otherwise;
        double *value;
    } fields[] = {
        {"objective", NAN, &model->info.objective},
        {"loss_value", NAN, &model->info.loss_value},
        {"smooth_value", NAN, &model->info.smooth_value},
        {"bound", -INFINITY, &model->info.bound},
        {"gap", INFINITY, &model->info.gap},
        {"seconds", NAN, &model->info.seconds},
        {"intercept", 0, &model->intercept},
    };

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        spgm_error error = take_real(reader, fields[i].key, fields[i].otherwise, fields[i].value);

        if (error != SPGM_OK) {
            return error;
        }
    }
    return SPGM_OK;
}

static spgm_error take_model(const struct model_reader *reader) {
    static spgm_error (*const steps[])(const struct model_reader *) = {
        take_support, take_coefficients, take_names,   take_labels,  take_label_names, take_table,
        take_set,     take_record,       take_options, take_outcome, take_reals};
    struct spgm_model *model = reader->model;
    spgm_error error = take_integer(reader, "columns", INT32_MAX, &model->columns);

    error = error == SPGM_OK ? take_integer(reader, "sparsity", INT64_MAX, &model->sparsity) : error;
    error = error == SPGM_OK ? take_text(reader, "target", &model->target_name) : error;
    for (size_t i = 0; error == SPGM_OK && i < sizeof steps / sizeof steps[0]; i++) {
        error = steps[i](reader);
    }
    model->info.support = model->count;
    return error;
}

/* One of the models of a list; on error there is none. */
static spgm_error take_class(const struct model_reader *reader, json_t *object, struct spgm_model **model) {
    struct model_reader part = {.source = reader->source, .status = reader->status, .object = object};
    spgm_error error;

    part.model = memory_array(1, sizeof *part.model);
    if (part.model == NULL) {
        return out_of_memory(reader);
    }
    error = json_object_get(object, "models") != NULL ? fail(&part, "models", "are within a model") : take_model(&part);
    if (error == SPGM_OK && part.model->columns != reader->model->columns) {
        error = fail(&part, "columns", "of one of the models is not that of all");
    }
    if (error != SPGM_OK) {
        spgm_model_free(part.model);
        return error;
    }
    part.model->combined = reader->model;
    *model = part.model;
    return SPGM_OK;
}

static spgm_error take_classes(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    const json_t *models = json_object_get(reader->object, "models");
    const json_t *labels = json_object_get(reader->object, "classes");
    const json_t *names = json_object_get(reader->object, "class_names");
    size_t count = json_array_size(models);
    const char *version = json_string_value(json_object_get(reader->object, "version"));
    spgm_error error = take_integer(reader, "columns", INT32_MAX, &model->columns);

    error = error == SPGM_OK ? take_integer(reader, "sparsity", INT64_MAX, &model->sparsity) : error;
    error = error == SPGM_OK ? take_text(reader, "target", &model->target_name) : error;
    error = error == SPGM_OK ? take_record(reader) : error;
    if (error == SPGM_OK &&
        (count < 2 || json_array_size(labels) != count || (names && json_array_size(names) != count))) {
        error = fail(reader, "models", "is not a list of models as long as \"classes\"");
    }
    if (error == SPGM_OK && names != NULL) {
        error = take_levels(reader, "class_names", names, &model->class_names);
    }
    if (error != SPGM_OK) {
        return error;
    }
    if (version != NULL) {
        strncpy(model->version, version, sizeof model->version - 1);
    }
    model->classes = memory_array((int64_t)count, sizeof *model->classes);
    model->class_labels = memory_array((int64_t)count, sizeof *model->class_labels);
    if (model->classes == NULL || model->class_labels == NULL) {
        return out_of_memory(reader);
    }
    for (size_t k = 0; k < count && error == SPGM_OK; k++) {
        if (!json_is_number(json_array_get(labels, k))) {
            return fail(reader, "classes", "is not a list of numbers");
        }
        model->class_labels[k] = json_number_value(json_array_get(labels, k));
        error = take_class(reader, json_array_get(models, k), &model->classes[k]);
        model->class_count += error == SPGM_OK;
    }
    if (error == SPGM_OK) {
        model->options = spgm_options_copy(model->classes[0]->options);
        error = model->options == NULL ? out_of_memory(reader) : SPGM_OK;
    }
    return error == SPGM_OK ? model_unite(model, reader->status) : error;
}

static spgm_error bad_json(const struct source *source, const json_error_t *reason, spgm_status *status) {
    char excerpt[EXCERPT_SIZE];

    if (reason->text[0] == '\0' || json_error_code(reason) == json_error_out_of_memory) {
        return status_memory(status, size_limit);
    }
    return status_set(status, SPGM_ERROR_FORMAT, "%s, line %d, column %d: is not JSON (%s)", source->name, reason->line,
                      reason->column, source_excerpt(reason->text, reason->text + strlen(reason->text), excerpt));
}

static spgm_error read_model(struct source *source, spgm_model **model, spgm_status *status) {
    struct model_reader reader = {.source = source, .status = status};
    json_error_t reason;
    const char *bytes;
    size_t count;
    spgm_error error = source_peek(source, size_limit, &bytes, &count, status);

    if (error != SPGM_OK) {
        return error;
    }
    memset(&reason, 0, sizeof reason);
    reader.object = json_loadb(bytes, count, JSON_REJECT_DUPLICATES, &reason);
    if (reader.object == NULL) {
        return bad_json(source, &reason, status);
    }
    reader.model = memory_array(1, sizeof *reader.model);
    error = reader.model == NULL                               ? status_memory(status, sizeof *reader.model)
            : json_object_get(reader.object, "models") != NULL ? take_classes(&reader)
                                                               : take_model(&reader);
    json_decref(reader.object);
    if (error != SPGM_OK) {
        spgm_model_free(reader.model);
        return error;
    }
    *model = reader.model;
    return status_clear(status);
}

spgm_error model_read_memory(const char *name, const void *bytes, size_t size, spgm_model **model,
                             spgm_status *status) {
    struct source source;
    spgm_error error = source_open_memory(&source, name, bytes, size, status);

    if (error == SPGM_OK) {
        error = read_model(&source, model, status);
        source_close(&source);
    }
    return error;
}

spgm_error spgm_model_read(const char *path, spgm_model **model, spgm_status *status) {
    struct source source;
    spgm_error error;

    if (path == NULL || model == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL", path == NULL ? "the path" : "model");
    }
    error = source_open(&source, path, status);
    if (error == SPGM_OK) {
        error = read_model(&source, model, status);
        source_close(&source);
    }
    return error;
}
