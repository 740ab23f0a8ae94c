/* The intercepts of models with several labels, chosen together. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/data.h"
#include "io/model.h"

/* Whether the fit does not relate the scores to those of other labels: the loss gives no probabilities, and there is an
 * intercept. */
static int is_free(const struct spgm_model *model) {
    char intercept[16] = "";

    spgm_options_get(model->options, "intercept", intercept, sizeof intercept, NULL);
    return isnan(spgm_model_probability(model, 0)) && strcmp(intercept, "true") == 0;
}

/* The k-th label is the class of the rows with this label. */
static void take_class(const struct spgm_model *combined, const double *target, int64_t rows, int64_t k,
                       int64_t *class_of_row) {
    for (int64_t i = 0; i < rows; i++) {
        class_of_row[i] = target[i] == combined->class_labels[k] ? k : class_of_row[i];
    }
}

/* The models were made from these data, so their columns need not be matched by name. */
static void take_scores(const struct spgm_model *combined, const spgm_data *data, double *score, double *scores,
                        int64_t *class_of_row) {
    int64_t count = combined->class_count;

    memset(class_of_row, -1, (size_t)data->rows * sizeof *class_of_row);
    for (int64_t k = 0; k < count; k++) {
        take_class(combined, data->target, data->rows, k, class_of_row);
        model_apply(combined->classes[k], data, combined->classes[k]->support, score);
        for (int64_t i = 0; i < data->rows; i++) {
            scores[i * count + k] = score[i];
        }
    }
}

spgm_error spgm_model_balance(spgm_model *combined, const spgm_data *data, const double *weights, spgm_status *status) {
    struct workspace workspace = {0};
    int64_t count, rows, *class_of_row;
    double *score, *scores, *shifts;
    spgm_error error;

    if (combined == NULL || data == NULL || spgm_model_classes(combined) == 0 || data->columns != combined->columns) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "spgm_model_balance needs a model with several labels and the data it was made from");
    }
    if (!is_free(combined->classes[0])) {
        return status_clear(status);
    }
    count = combined->class_count;
    rows = data->rows;
    score = workspace_doubles(&workspace, rows);
    scores = workspace_doubles(&workspace, rows * count);
    shifts = workspace_doubles(&workspace, count);
    class_of_row = workspace_integers(&workspace, rows);
    error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;
    if (error == SPGM_OK) {
        take_scores(combined, data, score, scores, class_of_row);
        error = spgm_class_shifts(scores, class_of_row, weights, rows, count, shifts, status);
    }
    for (int64_t k = 0; k < count && error == SPGM_OK; k++) {
        combined->classes[k]->intercept += shifts[k];
    }
    workspace_free(&workspace);
    return error == SPGM_OK ? status_clear(status) : error;
}
