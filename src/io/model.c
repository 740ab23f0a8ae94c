#include "io/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/data.h"

void spgm_model_free(spgm_model *model) {
    if (model == NULL) {
        return;
    }
    memory_free(model->support);
    memory_free(model->coefficients);
    memory_free(model->names);
    memory_free(model->name_start);
    memory_free(model->target_name);
    memory_free(model->lower.values);
    memory_free(model->upper.values);
    memory_free(model->excluded);
    memory_free(model->group_of);
    memory_free(model->data_name);
    memory_free(model->chosen);
    memory_free(model->date);
    memory_free(model->free_columns);
    for (int64_t k = 0; model->classes != NULL && k < model->class_count; k++) {
        spgm_model_free(model->classes[k]);
    }
    memory_free(model->classes);
    memory_free(model->class_labels);
    memory_free(model->shifts);
    memory_free(model->calibration);
    levels_free(&model->class_names);
    levels_free(&model->label_names);
    encoding_free(model->encoding);
    spgm_options_free(model->options);
    memory_free(model);
}

/* ---- from a solver ---- */

static spgm_error copy_support(const spgm_solver *solver, struct spgm_model *model, spgm_status *status) {
    model->count = spgm_solver_get_nonzeros(solver, NULL, NULL);
    model->support = memory_array(model->count, sizeof *model->support);
    model->coefficients = memory_array(model->count, sizeof *model->coefficients);
    if (model->support == NULL || model->coefficients == NULL) {
        return status_memory(status, (size_t)model->count * 16);
    }
    spgm_solver_get_nonzeros(solver, model->support, model->coefficients);
    spgm_solver_get_x(solver, NULL, &model->intercept);
    return SPGM_OK;
}

static const char *known_name(const struct spgm_data *data, int64_t j) {
    const char *name = spgm_data_column_name(data, j);

    return name == NULL ? "" : name;
}

static spgm_error copy_names(const struct spgm_data *data, struct spgm_model *model, spgm_status *status) {
    int64_t size = 0;

    if (data == NULL || data->names == NULL) {
        return SPGM_OK;
    }
    for (int64_t k = 0; k < model->count; k++) {
        size += (int64_t)strlen(known_name(data, model->support[k])) + 1;
    }
    model->names = memory_array(size, 1);
    model->name_start = memory_array(model->count, sizeof *model->name_start);
    if (model->names == NULL || model->name_start == NULL) {
        return status_memory(status, (size_t)size);
    }
    size = 0;
    for (int64_t k = 0; k < model->count; k++) {
        const char *name = known_name(data, model->support[k]);

        model->name_start[k] = size;
        strcpy(model->names + size, name);
        size += (int64_t)strlen(name) + 1;
    }
    return SPGM_OK;
}

static spgm_error copy_target_name(const struct spgm_data *data, struct spgm_model *model, spgm_status *status) {
    size_t size;

    if (data == NULL || data->target_name == NULL) {
        return SPGM_OK;
    }
    size = strlen(data->target_name) + 1;
    model->target_name = memory_array((int64_t)size, 1);
    if (model->target_name == NULL) {
        return status_memory(status, size);
    }
    memcpy(model->target_name, data->target_name, size);
    return SPGM_OK;
}

/* Copy what a table needs to become these columns again, and the names of its labels. */
static spgm_error copy_table(const struct spgm_data *data, struct spgm_model *model, spgm_status *status) {
    int ok = 1;

    if (data == NULL) {
        return SPGM_OK;
    }
    if (data->encoding != NULL && !data->encoding->is_plain) {
        model->encoding = encoding_select(data->encoding, model->support, model->count);
        ok = model->encoding != NULL;
    }
    if (model->is_classifier && data->labels.count == 2) {
        ok = ok && levels_copy(&data->labels, &model->label_names);
    }
    return ok ? SPGM_OK : status_memory(status, (size_t)model->count * sizeof *model->encoding->columns);
}

static void *copy_of(const void *from, int64_t count, size_t size, spgm_error *error) {
    void *copy = from == NULL ? NULL : memory_array(count, size);

    if (copy != NULL) {
        memcpy(copy, from, (size_t)count * size);
    }
    *error = from != NULL && copy == NULL ? SPGM_ERROR_MEMORY : *error;
    return copy;
}

/* A single number if all are equal. */
static struct model_bounds copy_bounds(const double *from, int64_t n, double none, spgm_error *error) {
    struct model_bounds bounds = {.all = from == NULL || n == 0 ? none : from[0]};
    int are_same = 1;

    for (int64_t j = 1; from != NULL && j < n; j++) {
        are_same = are_same && from[j] == from[0];
    }
    if (!are_same) {
        bounds.values = copy_of(from, n, sizeof *from, error);
    }
    return bounds;
}

/* Copy the feasible set as the user gave it. */
static spgm_error copy_set(const spgm_problem *problem, struct spgm_model *model, spgm_status *status) {
    const unsigned char *is_excluded = spgm_problem_excluded(problem);
    const double *lower, *upper;
    int64_t n = model->columns;
    spgm_error error = SPGM_OK;

    spgm_problem_bounds(problem, &lower, &upper);
    model->lower = copy_bounds(lower, n, -INFINITY, &error);
    model->upper = copy_bounds(upper, n, INFINITY, &error);
    model->group_of = copy_of(spgm_problem_groups(problem, &model->group_limit), n, sizeof *model->group_of, &error);
    for (int64_t j = 0; is_excluded != NULL && j < n; j++) {
        model->excluded_count += is_excluded[j];
    }
    if (model->excluded_count > 0) {
        model->excluded = memory_array(model->excluded_count, sizeof *model->excluded);
        error = model->excluded == NULL ? SPGM_ERROR_MEMORY : error;
    }
    for (int64_t j = 0, k = 0; model->excluded != NULL && j < n; j++) {
        if (is_excluded[j]) {
            model->excluded[k++] = j;
        }
    }
    return error == SPGM_OK ? SPGM_OK : status_memory(status, (size_t)n * sizeof(double));
}

static spgm_error copy_facts(const spgm_solver *solver, struct spgm_model *model, spgm_status *status) {
    const spgm_problem *problem = spgm_solver_get_problem(solver);

    model->info = spgm_solver_get_info(solver);
    model->rows = spgm_problem_rows(problem);
    model->columns = spgm_problem_columns(problem);
    model->sparsity = spgm_solver_get_sparsity(solver);
    model->is_classifier = spgm_problem_labels(problem, model->labels);
    strncpy(model->version, spgm_version(), sizeof model->version - 1);
    model->options = spgm_options_copy(spgm_solver_get_options(solver));
    return model->options == NULL ? status_memory(status, sizeof *model) : SPGM_OK;
}

spgm_error spgm_model_new(const spgm_solver *solver, const spgm_data *names, spgm_model **model, spgm_status *status) {
    struct spgm_model *created;
    int64_t columns;
    spgm_error error;

    if (solver == NULL || model == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL", solver == NULL ? "the solver" : "model");
    }
    if (spgm_solver_get_info(solver).outcome == SPGM_NOT_RUN) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "the solver has not run: call spgm_solver_run first");
    }
    columns = spgm_problem_columns(spgm_solver_get_problem(solver));
    if (names != NULL && names->columns != columns) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "%s has %" PRId64 " columns, but the solver's problem has %" PRId64, names->name,
                          names->columns, columns);
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    error = copy_facts(solver, created, status);
    error = error == SPGM_OK ? copy_support(solver, created, status) : error;
    error = error == SPGM_OK ? copy_names(names, created, status) : error;
    error = error == SPGM_OK ? copy_target_name(names, created, status) : error;
    error = error == SPGM_OK ? copy_table(names, created, status) : error;
    error = error == SPGM_OK ? copy_set(spgm_solver_get_problem(solver), created, status) : error;
    if (error != SPGM_OK) {
        spgm_model_free(created);
        return error;
    }
    *model = created;
    return status_clear(status);
}

/* ---- more than two labels ---- */

static spgm_error check_classes(spgm_model *const *models, int64_t count, spgm_status *status) {
    if (count < 2) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "there are %" PRId64 " models: at least two are needed", count);
    }
    for (int64_t k = 0; k < count; k++) {
        if (models[k] == NULL || models[k]->classes != NULL || models[k]->columns != models[0]->columns) {
            return status_set(
                status, SPGM_ERROR_ARGUMENT,
                "model %" PRId64 " is NULL, is itself a combined model, or was made from other data than the first", k);
        }
    }
    return SPGM_OK;
}

static char *copy_text(const char *text, spgm_error *error) {
    return copy_of(text, text == NULL ? 0 : (int64_t)strlen(text) + 1, 1, error);
}

/* Combine models of the same columns, with their labels or levels. On failure the caller keeps the models. */
static spgm_error unite(spgm_model *const *models, int64_t count, const double *labels, const struct levels *names,
                        const double *shifts, const char *calibration, spgm_model **combined, spgm_status *status) {
    struct spgm_model *created = memory_array(1, sizeof *created);
    spgm_error error = SPGM_OK;

    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    created->columns = models[0]->columns;
    created->sparsity = models[0]->sparsity;
    created->rows = models[0]->rows;
    memcpy(created->version, models[0]->version, sizeof created->version);
    created->options = spgm_options_copy(models[0]->options);
    created->target_name = copy_text(models[0]->target_name, &error);
    created->class_labels = copy_of(labels, count, sizeof *labels, &error);
    created->shifts = shifts == NULL ? NULL : copy_of(shifts, count, sizeof *shifts, &error);
    created->calibration = copy_text(calibration, &error);
    if (names != NULL && !levels_copy(names, &created->class_names)) {
        error = SPGM_ERROR_MEMORY;
    }
    created->classes = error == SPGM_OK ? copy_of(models, count, sizeof *models, &error) : NULL;
    if (error != SPGM_OK || created->options == NULL) {
        error = status_memory(status, (size_t)count * sizeof *models);
    } else {
        created->class_count = count;
        error = model_unite(created, status);
    }
    if (error != SPGM_OK) {
        memory_free(created->classes);
        created->classes = NULL;
        spgm_model_free(created);
        return error;
    }
    for (int64_t k = 0; k < count; k++) {
        created->classes[k]->combined = created;
    }
    *combined = created;
    return status_clear(status);
}

spgm_error spgm_model_combine(spgm_model *const *models, int64_t count, const double *labels, const spgm_data *data,
                              spgm_model **combined, spgm_status *status) {
    spgm_error error;

    if (models == NULL || labels == NULL || combined == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "models, labels or combined is NULL");
    }
    error = check_classes(models, count, status);
    return error != SPGM_OK
               ? error
               : unite(models, count, labels, data != NULL && data->labels.count == count ? &data->labels : NULL, NULL,
                       NULL, combined, status);
}

spgm_error spgm_model_combine_band(spgm_model *const *models, int64_t count, const double *levels, const double *shifts,
                                   const char *calibration, spgm_model **combined, spgm_status *status) {
    if (models == NULL || levels == NULL || shifts == NULL || combined == NULL || count < 1) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "models, levels, shifts or combined is NULL, or count is 0");
    }
    for (int64_t k = 0; k < count; k++) {
        if (models[k]->class_count > 0 || models[k]->is_classifier || models[k]->columns != models[0]->columns) {
            return status_set(
                status, SPGM_ERROR_ARGUMENT,
                "model %" PRId64
                " cannot be combined: it must be a single regression model with as many columns as the first",
                k + 1);
        }
    }
    return unite(models, count, levels, NULL, shifts, calibration, combined, status);
}

int64_t spgm_model_levels(const spgm_model *model) {
    return model->shifts == NULL ? 0 : model->class_count;
}

void spgm_model_arrange(const spgm_model *band, double *values) {
    spgm_band_arrange(band->class_labels, band->shifts, band->class_count, values);
}

int64_t spgm_model_classes(const spgm_model *model) {
    return model->shifts == NULL ? model->class_count : 0;
}

const spgm_model *spgm_model_class(const spgm_model *model, int64_t k, double *label, const char **name) {
    if (k < 0 || k >= model->class_count) {
        return NULL;
    }
    if (label != NULL) {
        *label = model->class_labels[k];
    }
    if (name != NULL) {
        *name = model->class_names.count == model->class_count ? levels_name(&model->class_names, k) : NULL;
    }
    return model->classes[k];
}

/* ---- what made it ---- */

spgm_error spgm_model_set_record(spgm_model *model, const spgm_record *record, spgm_status *status) {
    spgm_error error = SPGM_OK;

    if (model == NULL || record == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL", model == NULL ? "the model" : "the record");
    }
    for (int64_t k = 0; k < record->free_count; k++) {
        if (record->free_columns[k] < (k == 0 ? 0 : record->free_columns[k - 1] + 1) ||
            record->free_columns[k] >= model->columns) {
            return status_set(status, SPGM_ERROR_ARGUMENT, "the free columns are not ascending from 0 to %" PRId64,
                              model->columns - 1);
        }
    }
    memory_free(model->data_name);
    memory_free(model->chosen);
    memory_free(model->date);
    memory_free(model->free_columns);
    model->rows = record->rows == 0 ? model->rows : record->rows;
    model->weights = record->weights;
    model->data_name = copy_text(record->data, &error);
    model->chosen = copy_text(record->chosen, &error);
    model->date = copy_text(record->date, &error);
    model->free_columns = record->free_count == 0
                              ? NULL
                              : copy_of(record->free_columns, record->free_count, sizeof *record->free_columns, &error);
    model->free_count = model->free_columns == NULL ? 0 : record->free_count;
    return error == SPGM_OK ? status_clear(status) : status_memory(status, sizeof *model);
}

void spgm_model_forget_time(spgm_model *model) {
    model->info.seconds = NAN;
}

spgm_record spgm_model_record(const spgm_model *model) {
    return (spgm_record){.data = model->data_name,
                         .rows = model->rows,
                         .weights = model->weights,
                         .free_columns = model->free_columns,
                         .free_count = model->free_count,
                         .chosen = model->chosen,
                         .date = model->date};
}

/* ---- what it holds ---- */

int64_t spgm_model_columns(const spgm_model *model) {
    return model->columns;
}

void spgm_model_get_x(const spgm_model *model, double *x, double *intercept) {
    if (x != NULL) {
        memset(x, 0, (size_t)model->columns * sizeof *x);
        for (int64_t k = 0; model->coefficients != NULL && k < model->count; k++) {
            x[model->support[k]] = model->coefficients[k];
        }
    }
    if (intercept != NULL) {
        *intercept = model->intercept;
    }
}

const spgm_options *spgm_model_options(const spgm_model *model) {
    return model->options;
}

const char *spgm_model_target_name(const spgm_model *model) {
    return model->target_name;
}

int spgm_model_labels(const spgm_model *model, double labels[2]) {
    if (model->is_classifier && labels != NULL) {
        memcpy(labels, model->labels, sizeof model->labels);
    }
    return model->is_classifier;
}

const char *spgm_model_label_name(const spgm_model *model, int upper) {
    return model->label_names.count == 2 ? levels_name(&model->label_names, upper != 0) : NULL;
}

double spgm_model_probability(const spgm_model *model, double score) {
    char loss[64];

    if (spgm_options_get(model->options, "loss", loss, sizeof loss, NULL) != SPGM_OK) {
        return NAN;
    }
    for (int64_t i = 0; spgm_loss_name(i) != NULL; i++) {
        if (strcmp(spgm_loss_name(i), loss) == 0) {
            return spgm_loss_probability(i, score);
        }
    }
    return NAN;
}

/* ---- prediction ---- */

struct named_column {
    const char *name;
    int64_t column;
};

static int compare_names(const void *a, const void *b) {
    return strcmp(((const struct named_column *)a)->name, ((const struct named_column *)b)->name);
}

static int same_names(const struct spgm_model *model, const struct spgm_data *data) {
    if (model->columns != data->columns) {
        return 0;
    }
    for (int64_t k = 0; k < model->count; k++) {
        if (strcmp(model->names + model->name_start[k], known_name(data, model->support[k])) != 0) {
            return 0;
        }
    }
    return 1;
}

static spgm_error find_column(const struct spgm_data *data, const struct named_column *sorted, const char *name,
                              int64_t *column, spgm_status *status) {
    const struct named_column wanted = {.name = name};
    const struct named_column *found = bsearch(&wanted, sorted, (size_t)data->columns, sizeof *sorted, compare_names);
    int64_t at = found == NULL ? 0 : found - sorted;

    if (found == NULL) {
        return status_set(status, SPGM_ERROR_DATA, "%s has no column '%s', which the model uses", data->name, name);
    }
    if ((at > 0 && compare_names(found, found - 1) == 0) ||
        (at + 1 < data->columns && compare_names(found, found + 1) == 0)) {
        return status_set(status, SPGM_ERROR_DATA, "%s has two columns called '%s', which the model uses", data->name,
                          name);
    }
    *column = found->column;
    return SPGM_OK;
}

static spgm_error match_names(const struct spgm_model *model, const struct spgm_data *data, int64_t *columns,
                              spgm_status *status) {
    struct named_column *sorted = memory_array(data->columns, sizeof *sorted);
    spgm_error error = SPGM_OK;

    if (sorted == NULL) {
        return status_memory(status, (size_t)data->columns * sizeof *sorted);
    }
    for (int64_t j = 0; j < data->columns; j++) {
        sorted[j].name = known_name(data, j);
        sorted[j].column = j;
    }
    qsort(sorted, (size_t)data->columns, sizeof *sorted, compare_names);
    for (int64_t k = 0; error == SPGM_OK && k < model->count; k++) {
        error = find_column(data, sorted, model->names + model->name_start[k], &columns[k], status);
    }
    memory_free(sorted);
    return error;
}

/* columns[k]: the number in the data of the k-th column of the support; -1: missing, all zeros. */
static spgm_error match_columns(const struct spgm_model *model, const struct spgm_data *data, int64_t *columns,
                                spgm_status *status) {
    int sparse = data->column_start != NULL;

    if (data->for_model == model && data->columns == model->count) {
        for (int64_t k = 0; k < model->count; k++) {
            columns[k] = k;
        }
        return SPGM_OK;
    }
    if (model->combined != NULL && data->for_model == model->combined && data->columns == model->combined->count) {
        for (int64_t k = 0; k < model->count; k++) {
            columns[k] = model_find(model->combined, model->support[k]);
        }
        return SPGM_OK;
    }
    if (model->names != NULL && data->names != NULL && !same_names(model, data)) {
        return match_names(model, data, columns, status);
    }
    if (data->columns != model->columns && !sparse) {
        return status_set(status, SPGM_ERROR_DATA,
                          "%s has %" PRId64 " columns, but the model was made from data with %" PRId64, data->name,
                          data->columns, model->columns);
    }
    for (int64_t k = 0; k < model->count; k++) { /* a sparse file omits columns of zeros at its end */
        columns[k] = model->support[k] < data->columns ? model->support[k] : -1;
    }
    return SPGM_OK;
}

static void add_column(const struct spgm_data *data, int64_t j, double coefficient, double *y) {
    if (j < 0) {
        return;
    }
    if (data->column_start == NULL) {
        for (int64_t i = 0; i < data->rows; i++) {
            y[i] += coefficient * data_entry(data, i, j);
        }
        return;
    }
    for (int64_t k = data->column_start[j]; k < data->column_start[j + 1]; k++) {
        y[data->row_index[k]] += coefficient * data->values[k];
    }
}

void model_apply(const struct spgm_model *model, const spgm_data *data, const int64_t *columns, double *prediction) {
    for (int64_t i = 0; i < data->rows; i++) {
        prediction[i] = model->intercept;
    }
    for (int64_t k = 0; k < model->count; k++) {
        add_column(data, columns[k], model->coefficients[k], prediction);
    }
}

spgm_error spgm_model_predict(const spgm_model *model, const spgm_data *data, double *prediction, spgm_status *status) {
    int64_t *columns;
    spgm_error error;

    if (model == NULL || data == NULL || prediction == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL",
                          model == NULL  ? "the model"
                          : data == NULL ? "data"
                                         : "prediction");
    }
    if (model->classes != NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "the model has %" PRId64 " classes: predict with each of them",
                          model->class_count);
    }
    columns = memory_array(model->count, sizeof *columns);
    if (columns == NULL) {
        return status_memory(status, (size_t)model->count * sizeof *columns);
    }
    error = match_columns(model, data, columns, status);
    if (error == SPGM_OK) {
        model_apply(model, data, columns, prediction);
        error = status_clear(status);
    }
    memory_free(columns);
    return error;
}

/* ---- back on a problem ---- */

/* Returns NULL if there are none, or if out of memory. */
static double *fill_bounds(const struct model_bounds *bounds, int64_t n) {
    double *values = bounds->values != NULL || isfinite(bounds->all) ? memory_array(n, sizeof *values) : NULL;

    for (int64_t j = 0; values != NULL && j < n; j++) {
        values[j] = bounds->values != NULL ? bounds->values[j] : bounds->all;
    }
    return values;
}

spgm_error spgm_model_restrict(const spgm_model *model, spgm_problem *problem, int64_t *sparsity, spgm_status *status) {
    int64_t n = model->columns;
    double *lower = fill_bounds(&model->lower, n), *upper = fill_bounds(&model->upper, n);
    spgm_error error = SPGM_OK;

    if (spgm_problem_columns(problem) != n) {
        error = status_set(status, SPGM_ERROR_ARGUMENT,
                           "the model has %" PRId64 " columns and the data have %" PRId64
                           ": give the data that it was made from, read in the same way",
                           n, spgm_problem_columns(problem));
    } else if ((lower == NULL && (model->lower.values != NULL || isfinite(model->lower.all))) ||
               (upper == NULL && (model->upper.values != NULL || isfinite(model->upper.all)))) {
        error = status_memory(status, (size_t)n * sizeof *lower);
    }
    error = error == SPGM_OK && model->free_count > 0
                ? spgm_problem_set_free_columns(problem, model->free_columns, model->free_count, status)
                : error;
    error = error == SPGM_OK && model->excluded_count > 0
                ? spgm_problem_set_excluded(problem, model->excluded, model->excluded_count, status)
                : error;
    error = error == SPGM_OK && (lower != NULL || upper != NULL)
                ? spgm_problem_set_bounds(problem, lower, upper, status)
                : error;
    error = error == SPGM_OK && model->group_of != NULL
                ? spgm_problem_set_groups(problem, model->group_of, model->group_limit, status)
                : error;
    if (error == SPGM_OK && sparsity != NULL) {
        *sparsity = model->sparsity;
    }
    memory_free(lower);
    memory_free(upper);
    return error == SPGM_OK ? status_clear(status) : error;
}
