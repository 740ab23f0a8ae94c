/* Writing a model file; its contents are described in model_file.h. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "io/model_file.h"
#include "io/sink.h"

enum { DUMP_FLAGS = JSON_ENCODE_ANY | JSON_REAL_PRECISION(17), VERDICT_SIZE = 192 };

/* JSON has no NaN and no infinity: both are written as null. */
static json_t *real_json(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static int add(json_t *object, const char *key, json_t *value) {
    return json_object_set_new(object, key, value) == 0;
}

static int add_text(json_t *object, const char *key, const char *text) {
    return text == NULL || add(object, key, json_string(text));
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

/* A column of the table: its name, its levels, and the value that replaces missing ones. */
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
    ok = add(table, "columns", json_integer(encoding->table_columns)) &
         add(table, "missing", json_string(missing_policy_name(encoding->missing)));
    for (int i = 0; ok && i < READINGS; i++) {
        ok = add_text(table, reading_name((enum reading)i), encoding->reading[i]);
    }
    return ok & add(table, "used", used) & add(table, "source", integers_json(encoding->source, encoding->width)) &
           add(table, "level", integers_json(encoding->level, encoding->width)) & add(object, "table", table);
}

/* Writes nothing if there are no bounds. */
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

static int add_record(json_t *object, const struct spgm_model *model) {
    return add_text(object, "data", model->data_name) &&
           (model->rows == 0 || add(object, "rows", json_integer(model->rows))) &&
           (model->weights == 0 || add(object, "weights", real_json(model->weights))) &&
           (model->free_count == 0 || add(object, "free", integers_json(model->free_columns, model->free_count))) &&
           add_text(object, "chosen", model->chosen);
}

static int add_run(json_t *object, const struct spgm_model *model) {
    const spgm_info *info = &model->info;
    char verdict[VERDICT_SIZE];
    spgm_certainty certainty = spgm_info_verdict(info, verdict, sizeof verdict);

    return add(object, "outcome", json_string(spgm_outcome_name(info->outcome))) &&
           add(object, "certainty", json_string(spgm_certainty_name(certainty))) &&
           add(object, "verdict", json_string(verdict)) &&
           (info->restarts == 0 || (add(object, "starts", json_integer(info->restarts)) &&
                                    add(object, "agreeing", json_integer(info->agreeing)) &&
                                    add(object, "spread", real_json(info->spread)))) &&
           add(object, "iterations", json_integer(info->iterations)) &&
           (isnan(info->passes) || add(object, "passes", real_json(info->passes))) &&
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
            sink_fail(sink, status_memory(sink->status, MODEL_SIZE_MAX));
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
    ok = add(object, model->shifts != NULL ? "quantiles" : "classes",
             reals_json(model->class_labels, model->class_count)) &&
         (model->shifts == NULL || add(object, "shifts", reals_json(model->shifts, model->class_count))) &&
         add_text(object, "calibration", model->calibration) &&
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
