/* A model file, and a prediction with it on data that may or may not fit. */
#include "fuzz/fuzz.h"
#include "io/model.h"

static spgm_data *read_text(const char *text) {
    spgm_read_options options = {.no_target = 1};
    spgm_data *data = NULL;
    fuzz_require(data_read_memory("data.csv", text, strlen(text), &options, 0, &data, NULL) == SPGM_OK, "data");
    return data;
}

static void check_model(const spgm_model *model, const char *text) {
    spgm_status status;
    double prediction[2] = {0, 0};
    spgm_data *data = read_text(text);
    fuzz_check_status(spgm_model_predict(model, data, prediction, &status), &status);
    spgm_data_free(data);
    data = NULL;
    spgm_read_options options = {.no_target = 1, .model = model};
    if (data_read_memory("data.csv", text, strlen(text), &options, 0, &data, &status) == SPGM_OK)
        fuzz_require(spgm_model_predict(model, data, prediction, &status) == SPGM_OK, "data read for it fit the model");
    spgm_data_free(data);
    for (int64_t k = 0; k < model->count; k++)
        fuzz_require(model->support[k] >= 0 && model->support[k] < model->columns, "the support is within the columns");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    spgm_model *model = NULL;
    spgm_status status;
    spgm_error error = model_read_memory("model.json", bytes, size, &model, &status);
    fuzz_check_status(error, &status);
    fuzz_require((error == SPGM_OK) == (model != NULL), "a model comes with success, and only then");
    for (int64_t k = 0; model != NULL && k < spgm_model_classes(model); k++) {
        fuzz_require(spgm_model_class(model, k, NULL, NULL) != NULL, "every class has a model");
        check_model(spgm_model_class(model, k, NULL, NULL), "size,weight,colour\n1,2,3\n4,5,6\n");
    }
    if (model != NULL && spgm_model_classes(model) == 0) {
        check_model(model, "size,weight,colour\n1,2,3\n4,5,6\n");
        check_model(model, "1,2,3\n4,5,6\n");
    }
    spgm_model_free(model);
    return 0;
}
