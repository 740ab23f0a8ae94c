/* Reading a model file; its contents are described in model_file.h. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/model_file.h"

spgm_error model_fail(const struct model_reader *reader, const char *key, const char *what) {
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, ": \"%s\" %s; is it a model file?", key,
                       what);
}

spgm_error model_out_of_memory(const struct model_reader *reader) {
    return status_memory(reader->status, (size_t)reader->model->count * 32);
}

/* A number; `otherwise` for null, which stands for a number that is not finite, and if missing. */
static spgm_error take_real(const struct model_reader *reader, const char *key, double otherwise, double *value) {
    const json_t *found = json_object_get(reader->object, key);

    *value = otherwise;
    if (found == NULL || json_is_null(found)) {
        return SPGM_OK;
    }
    if (!json_is_number(found)) {
        return model_fail(reader, key, "is not a number");
    }
    *value = json_number_value(found);
    return SPGM_OK;
}

static spgm_error take_integer(const struct model_reader *reader, const char *key, int64_t high, int64_t *value) {
    const json_t *found = json_object_get(reader->object, key);

    if (!json_is_integer(found) || json_integer_value(found) < 0 || json_integer_value(found) > high) {
        return model_fail(reader, key, found == NULL ? "is missing" : "is not a whole number in its range");
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
        return model_fail(reader, key, "is not text");
    }
    *text = memory_array((int64_t)strlen(value) + 1, 1);
    if (*text == NULL) {
        return model_out_of_memory(reader);
    }
    strcpy(*text, value);
    return SPGM_OK;
}

static spgm_error take_array(const struct model_reader *reader, const char *key, int64_t count, json_t **array) {
    *array = json_object_get(reader->object, key);
    if (!json_is_array(*array)) {
        return model_fail(reader, key, *array == NULL ? "is missing" : "is not a list");
    }
    if (count >= 0 && (int64_t)json_array_size(*array) != count) {
        return model_fail(reader, key, "is not as long as \"support\"");
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
        return model_out_of_memory(reader);
    }
    for (int64_t k = 0; k < model->count; k++) {
        const json_t *value = json_array_get(array, (size_t)k);
        int64_t column = json_integer_value(value);

        if (!json_is_integer(value) || column <= previous || column >= model->columns) {
            return model_fail(reader, "support", "is not an ascending list of column numbers below \"columns\"");
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
        return model_out_of_memory(reader);
    }
    for (int64_t k = 0; k < model->count; k++) {
        const json_t *value = json_array_get(array, (size_t)k);

        if (!json_is_number(value)) {
            return model_fail(reader, "coefficients", "is not a list of numbers");
        }
        model->coefficients[k] = json_number_value(value);
    }
    return SPGM_OK;
}

static spgm_error measure_names(const struct model_reader *reader, const json_t *array, int64_t *size) {
    for (int64_t k = 0; k < reader->model->count; k++) {
        const json_t *value = json_array_get(array, (size_t)k);

        if (!json_is_string(value)) {
            return model_fail(reader, "names", "is not a list of texts");
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
        return model_out_of_memory(reader);
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
        return model_fail(reader, "labels", "is not a list of two numbers");
    }
    reader->model->is_classifier = 1;
    reader->model->labels[0] = json_number_value(low);
    reader->model->labels[1] = json_number_value(high);
    return SPGM_OK;
}

/* ---- the feasible set ---- */

/* The bound of one column, or of all columns; null: no bound. */
static spgm_error take_bound(const struct model_reader *reader, const char *key, const json_t *value, double none,
                             double *bound) {
    *bound = json_is_number(value) ? json_number_value(value) : none;
    if (value != NULL && !json_is_null(value) && !json_is_number(value)) {
        return model_fail(reader, key, "is neither a number nor a list of numbers");
    }
    return *bound * none < 0 ? model_fail(reader, key, "does not allow zero") : SPGM_OK;
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
        return model_fail(reader, key, "is not as long as \"columns\"");
    }
    bounds->values = memory_array(n, sizeof *bounds->values);
    if (bounds->values == NULL) {
        return model_out_of_memory(reader);
    }
    for (int64_t j = 0; j < n && error == SPGM_OK; j++) {
        error = take_bound(reader, key, json_array_get(found, (size_t)j), none, &bounds->values[j]);
    }
    return error;
}

/* A list of whole numbers of at least `low`; if requested, ascending and below "columns". */
static spgm_error take_integers(const struct model_reader *reader, const char *key, int64_t low, int is_ascending,
                                int64_t **values, int64_t *count) {
    json_t *array = json_object_get(reader->object, key);

    if (!json_is_array(array)) {
        return model_fail(reader, key, "is not a list");
    }
    *count = (int64_t)json_array_size(array);
    *values = memory_array(*count, sizeof **values);
    if (*values == NULL) {
        return model_out_of_memory(reader);
    }
    for (int64_t k = 0; k < *count; k++) {
        const json_t *value = json_array_get(array, (size_t)k);

        (*values)[k] = json_integer_value(value);
        if (!json_is_integer(value) || (*values)[k] < low ||
            (is_ascending && ((*values)[k] >= reader->model->columns || (k > 0 && (*values)[k] <= (*values)[k - 1])))) {
            return model_fail(reader, key, "is not a list of whole numbers in their range");
        }
    }
    return SPGM_OK;
}

static spgm_error take_groups(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    int64_t count;
    spgm_error error = take_integers(reader, "groups", -1, 0, &model->group_of, &count);

    if (error == SPGM_OK && count != model->columns) {
        error = model_fail(reader, "groups", "is not as long as \"columns\"");
    }
    return error == SPGM_OK ? take_integer(reader, "group_limit", INT64_MAX, &model->group_limit) : error;
}

/* Older files do not have these fields: nothing is then set, and x is feasible. */
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

/* Older files do not have these fields: nothing is then known. */
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

/* The value of an option as text for spgm_options_set; NULL: of a type that no option has. */
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

/* Unknown options, of other versions, are ignored. */
static spgm_error take_options(const struct model_reader *reader) {
    json_t *object = json_object_get(reader->object, "options");

    reader->model->options = spgm_options_new();
    if (reader->model->options == NULL) {
        return model_out_of_memory(reader);
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
            return model_fail(reader, name, "is not the value of an option");
        }
        if (spgm_options_set(reader->model->options, name, text, &reason) != SPGM_OK) {
            return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, ": %.300s", reason.message);
        }
    }
    return SPGM_OK;
}

/* A whole number that may be missing. */
static spgm_error take_count(const struct model_reader *reader, const char *key, int64_t *value) {
    return json_object_get(reader->object, key) == NULL ? SPGM_OK : take_integer(reader, key, INT64_MAX, value);
}

static spgm_error take_outcome(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    const char *outcome = json_string_value(json_object_get(reader->object, "outcome"));
    const char *version = json_string_value(json_object_get(reader->object, "version"));

    if (outcome != NULL) {
        model->info.outcome = spgm_outcome_from_name(outcome);
        if (model->info.outcome == SPGM_OUTCOME_COUNT) {
            return model_fail(reader, "outcome", "is not a known one");
        }
    }
    if (version != NULL) {
        strncpy(model->version, version, sizeof model->version - 1);
    }
    return take_count(reader, "iterations", &model->info.iterations) ||
                   take_count(reader, "starts", &model->info.restarts)
               ? SPGM_ERROR_FORMAT
               : take_count(reader, "agreeing", &model->info.agreeing);
}

static spgm_error take_reals(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    const struct {
        const char *key;
        double otherwise;
        double *value;
    } fields[] = {
        {"objective", NAN, &model->info.objective}, {"loss_value", NAN, &model->info.loss_value},
        {"spread", 0, &model->info.spread},         {"smooth_value", NAN, &model->info.smooth_value},
        {"bound", -INFINITY, &model->info.bound},   {"gap", INFINITY, &model->info.gap},
        {"seconds", NAN, &model->info.seconds},     {"intercept", 0, &model->intercept},
        {"passes", NAN, &model->info.passes},
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
        take_support, take_coefficients, take_names,   take_labels, model_take_label_names, model_take_table, take_set,
        take_record,  take_options,      take_outcome, take_reals};
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

/* One of the models of a list; on error *model is NULL. */
static spgm_error take_class(const struct model_reader *reader, json_t *object, struct spgm_model **model) {
    struct model_reader part = {.source = reader->source, .status = reader->status, .object = object};
    spgm_error error;

    part.model = memory_array(1, sizeof *part.model);
    if (part.model == NULL) {
        return model_out_of_memory(reader);
    }
    error = json_object_get(object, "models") != NULL
                ? model_fail(&part, "models", "are nested within one of the models")
                : take_model(&part);
    if (error == SPGM_OK && part.model->columns != reader->model->columns) {
        error = model_fail(&part, "columns", "of one of the models differs from that of the file");
    }
    if (error != SPGM_OK) {
        spgm_model_free(part.model);
        return error;
    }
    part.model->combined = reader->model;
    *model = part.model;
    return SPGM_OK;
}

/* A list of numbers as long as the list of models. */
static spgm_error take_list(const struct model_reader *reader, const char *key, int64_t count, double **values) {
    const json_t *list = json_object_get(reader->object, key);

    *values = memory_array(count, sizeof **values);
    if (*values == NULL) {
        return model_out_of_memory(reader);
    }
    for (int64_t k = 0; k < count; k++) {
        if (!json_is_number(json_array_get(list, (size_t)k))) {
            return model_fail(reader, key, "is not a list of numbers");
        }
        (*values)[k] = json_number_value(json_array_get(list, (size_t)k));
    }
    return (int64_t)json_array_size(list) == count ? SPGM_OK : model_fail(reader, key, "is not as long as \"models\"");
}

/* The labels of classes, or the levels and shifts of a band. */
static spgm_error take_class_labels(const struct model_reader *reader, int64_t count) {
    struct spgm_model *model = reader->model;
    const json_t *names = json_object_get(reader->object, "class_names");
    int is_band = json_object_get(reader->object, "quantiles") != NULL;
    spgm_error error;

    if (count < (is_band ? 1 : 2) ||
        (int64_t)json_array_size(json_object_get(reader->object, is_band ? "quantiles" : "classes")) != count ||
        (names && (is_band || (int64_t)json_array_size(names) != count))) {
        return model_fail(reader, "models", "is not a list of models as long as \"classes\" or \"quantiles\"");
    }
    error = take_list(reader, is_band ? "quantiles" : "classes", count, &model->class_labels);
    if (error == SPGM_OK && is_band) {
        error = take_list(reader, "shifts", count, &model->shifts);
        error = error == SPGM_OK ? take_text(reader, "calibration", &model->calibration) : error;
    }
    for (int64_t k = 1; error == SPGM_OK && is_band && k < count; k++) {
        if (!(model->class_labels[k] > model->class_labels[k - 1])) {
            error = model_fail(reader, "quantiles", "do not ascend");
        }
    }
    return error == SPGM_OK && names != NULL ? model_take_levels(reader, "class_names", names, &model->class_names)
                                             : error;
}

static spgm_error take_classes(const struct model_reader *reader) {
    struct spgm_model *model = reader->model;
    const json_t *models = json_object_get(reader->object, "models");
    int64_t count = (int64_t)json_array_size(models);
    const char *version = json_string_value(json_object_get(reader->object, "version"));
    spgm_error error = take_integer(reader, "columns", INT32_MAX, &model->columns);

    error = error == SPGM_OK ? take_integer(reader, "sparsity", INT64_MAX, &model->sparsity) : error;
    error = error == SPGM_OK ? take_text(reader, "target", &model->target_name) : error;
    error = error == SPGM_OK ? take_record(reader) : error;
    error = error == SPGM_OK ? take_class_labels(reader, count) : error;
    if (error != SPGM_OK) {
        return error;
    }
    if (version != NULL) {
        strncpy(model->version, version, sizeof model->version - 1);
    }
    model->classes = memory_array(count, sizeof *model->classes);
    if (model->classes == NULL) {
        return model_out_of_memory(reader);
    }
    for (int64_t k = 0; k < count && error == SPGM_OK; k++) {
        error = take_class(reader, json_array_get(models, (size_t)k), &model->classes[k]);
        model->class_count += error == SPGM_OK;
    }
    if (error == SPGM_OK) {
        model->options = spgm_options_copy(model->classes[0]->options);
        error = model->options == NULL ? model_out_of_memory(reader) : SPGM_OK;
    }
    return error == SPGM_OK ? model_unite(model, reader->status) : error;
}

static spgm_error bad_json(const struct source *source, const json_error_t *reason, spgm_status *status) {
    char excerpt[EXCERPT_SIZE];

    if (reason->text[0] == '\0' || json_error_code(reason) == json_error_out_of_memory) {
        return status_memory(status, MODEL_SIZE_MAX);
    }
    return status_set(status, SPGM_ERROR_FORMAT, "%s, line %d, column %d: is not JSON (%s)", source->name, reason->line,
                      reason->column, source_excerpt(reason->text, reason->text + strlen(reason->text), excerpt));
}

static spgm_error read_model(struct source *source, spgm_model **model, spgm_status *status) {
    struct model_reader reader = {.source = source, .status = status};
    json_error_t reason;
    const char *bytes;
    size_t count;
    spgm_error error = source_peek(source, MODEL_SIZE_MAX, &bytes, &count, status);

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
