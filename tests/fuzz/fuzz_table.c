/* A table with text and gaps under any options, and the same for a model. */
#include "fuzz/fuzz.h"
#include "io/model.h"

static const char model_text[] =
    "{\"columns\": 4, \"sparsity\": 2, \"support\": [0, 2], \"coefficients\": [1, 2], \"target\": \"y\", \"labels\": "
    "[0, 1], \"label_names\": [\"no\", \"yes\"], \"table\": {\"columns\": 3, \"missing\": \"median\", \"used\": "
    "[{\"column\": 0, \"name\": \"x\", \"fill\": 2}, {\"column\": 2, \"name\": \"c\", \"levels\": [\"a\", \"b\"], "
    "\"fill\": \"b\"}], \"source\": [0, 1], \"level\": [-1, 1]}}";

/* Every column of the matrix comes from one of the table, which has so many. */
static void check_table(const spgm_data *data) {
    int64_t width = 0, columns = spgm_data_table_columns(data);
    for (int64_t j = 0; j < columns; j++) {
        spgm_table_column column = spgm_data_table_column(data, j);
        fuzz_require(column.first == width, "columns of the matrix follow each other");
        width += column.count;
        for (int64_t k = 0; k < column.levels; k++)
            fuzz_require(spgm_data_level(data, j, k) != NULL, "every level has a name");
    }
    fuzz_require(width == spgm_data_matrix(data).columns, "the table makes the matrix");
    for (int64_t j = 0; j < width; j++)
        fuzz_require(spgm_data_column_source(data, j) < columns && spgm_data_column_name(data, j) != (char *)1,
                     "every column has a source");
    for (int64_t i = 0; i < spgm_data_matrix(data).rows; i++)
        fuzz_require(spgm_data_row(data, i) < spgm_data_rows_read(data), "every row is one of the file");
}

static void apply_model(const uint8_t *bytes, size_t size, const char *missing) {
    spgm_model *model = NULL;
    spgm_data *data = NULL;
    spgm_status status;
    fuzz_require(model_read_memory("m", model_text, sizeof model_text - 1, &model, &status) == SPGM_OK, "a model");
    spgm_read_options options = {
        .format = "csv", .model = model, .target = "y", .optional_target = 1, .missing = missing};
    spgm_error error = data_read_memory("file", bytes, size, &options, 0, &data, &status);
    fuzz_check_status(error, &status);
    if (error == SPGM_OK) {
        double *prediction = malloc(((size_t)spgm_data_matrix(data).rows + 1) * sizeof *prediction);
        fuzz_require(prediction != NULL && spgm_model_predict(model, data, prediction, &status) == SPGM_OK,
                     "data read for a model fit it");
        free(prediction);
    }
    spgm_data_free(data);
    spgm_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const missing[] = {NULL, "drop", "median", "refuse"};
    static const char *const header[] = {NULL, "yes", "no", NULL};
    static const char *const lists[] = {NULL, "x", "*", "1:2,c?"};
    spgm_data *data = NULL;
    spgm_status status;
    if (size < 2)
        return 0;
    spgm_read_options options = {.format = "csv",
                                 .missing = missing[bytes[0] & 3],
                                 .header = header[bytes[0] >> 2 & 3],
                                 .categories = bytes[0] & 16 ? "full" : NULL,
                                 .survey = bytes[0] >> 5 & 1,
                                 .decimal = bytes[0] & 64 ? ',' : '\0',
                                 .text_target = bytes[0] >> 7,
                                 .exclude = lists[bytes[1] & 3],
                                 .only = lists[bytes[1] >> 2 & 3],
                                 .text = lists[bytes[1] >> 4 & 3],
                                 .weights = bytes[1] & 64 ? "2" : NULL,
                                 .separator = bytes[1] & 128 ? ';' : '\0'};
    spgm_error error = data_read_memory("file", bytes + 2, size - 2, &options, 0, &data, &status);
    fuzz_check_status(error, &status);
    fuzz_require((error == SPGM_OK) == (data != NULL), "data come with success, and only then");
    if (data != NULL) {
        check_table(data);
        if (!options.survey)
            fuzz_check_data(data, 1);
    }
    spgm_data_free(data);
    apply_model(bytes + 2, size - 2, options.missing);
    return 0;
}
