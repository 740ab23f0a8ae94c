#include "unit/io_support.h"

#include <jansson.h>
#include <math.h>

#include "io/model.h"

/* The three columns that matter are named; y = 3 size - 2 weight + 1 and some noise. */
static const char people[] =
    "size,colour,weight,y\n"
    "1,5,2,0.1\n2,1,1,5.2\n3,4,7,-4.1\n4,4,1,11.3\n5,2,3,9.9\n6,3,0,19.2\n7,1,5,12.1\n8,5,8,9\n";

struct fitted {
    spgm_data *data;
    spgm_problem *problem;
    spgm_solver *solver;
    spgm_model *model;
};

static void setting(spgm_options *options, const char *name, const char *value) {
    spgm_status status;
    if (spgm_options_set(options, name, value, &status) != SPGM_OK)
        fail_msg("%s", status.message);
}

static struct fitted fit(const char *text, const char *loss, int64_t sparsity) {
    struct fitted f = {0};
    spgm_status status;
    spgm_options *options = spgm_options_new();
    assert_non_null(options);
    setting(options, "loss", loss);
    setting(options, "method", "spgm-bcd");
    setting(options, "ridge", "0.01");
    setting(options, "threads", "1");
    f.data = io_read_text("fit.csv", text, NULL);
    spgm_matrix A = spgm_data_matrix(f.data);
    assert_int_equal(spgm_problem_new(&A, spgm_data_target(f.data), options, &f.problem, &status), SPGM_OK);
    assert_int_equal(spgm_solver_new(f.problem, sparsity, options, &f.solver, &status), SPGM_OK);
    assert_int_equal(spgm_model_new(f.solver, f.data, &f.model, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "the solver has not run: call spgm_solver_run first");
    assert_int_equal(spgm_solver_run(f.solver, &status), SPGM_OK);
    assert_int_equal(spgm_model_new(f.solver, f.data, &f.model, &status), SPGM_OK);
    assert_string_equal(status.message, "");
    spgm_options_free(options);
    return f;
}

static void release(struct fitted *f) {
    spgm_model_free(f->model);
    spgm_solver_free(f->solver);
    spgm_problem_free(f->problem);
    spgm_data_free(f->data);
}

static spgm_model *read_model(const char *name) {
    spgm_status status;
    spgm_model *model = NULL;
    spgm_error error = spgm_model_read(name, &model, &status);
    assert_string_equal(status.message, "");
    assert_int_equal(error, SPGM_OK);
    return model;
}

static double real_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("%s is not a number", key);
    return json_number_value(value);
}

static void the_file_holds_what_the_contract_says(void **state) {
    (void)state;
    struct fitted f = fit(people, "l1", 2);
    spgm_info info = spgm_solver_get_info(f.solver);
    double x[3], intercept;
    spgm_solver_get_x(f.solver, x, &intercept);
    assert_int_equal(spgm_model_write(f.model, "model.json", NULL), SPGM_OK);
    json_t *file = json_load_file("model.json", 0, NULL);
    assert_non_null(file);
    assert_true(real_of(file, "objective") == info.objective);
    assert_true(real_of(file, "loss_value") == info.loss_value);
    assert_true(real_of(file, "smooth_value") == info.smooth_value);
    assert_true(real_of(file, "intercept") == intercept);
    assert_true(real_of(file, "seconds") == info.seconds);
    assert_true(real_of(file, "sparsity") == 2);
    assert_true(real_of(file, "columns") == 3);
    assert_true(real_of(file, "iterations") == (double)info.iterations);
    assert_string_equal(json_string_value(json_object_get(file, "outcome")), spgm_outcome_name(info.outcome));
    assert_string_equal(json_string_value(json_object_get(file, "version")), spgm_version());
    assert_string_equal(json_string_value(json_object_get(file, "target")), "y");
    assert_true(json_object_get(file, "labels") == NULL);
    const json_t *support = json_object_get(file, "support"), *values = json_object_get(file, "coefficients"),
                 *names = json_object_get(file, "names"), *options = json_object_get(file, "options");
    int64_t nonzeros = 0;
    for (int64_t j = 0; j < 3; j++) {
        if (x[j] == 0)
            continue;
        assert_int_equal(json_integer_value(json_array_get(support, (size_t)nonzeros)), j);
        assert_true(json_real_value(json_array_get(values, (size_t)nonzeros)) == x[j]);
        assert_string_equal(json_string_value(json_array_get(names, (size_t)nonzeros)),
                            spgm_data_column_name(f.data, j));
        nonzeros++;
    }
    assert_int_equal(nonzeros, 2);
    assert_int_equal(json_array_size(support), 2);
    assert_int_equal(json_array_size(values), 2);
    assert_int_equal(json_array_size(names), 2);
    assert_string_equal(json_string_value(json_object_get(options, "loss")), "l1");
    assert_true(real_of(options, "ridge") == 0.01);
    assert_true(json_is_true(json_object_get(options, "intercept")));
    assert_int_equal(json_integer_value(json_object_get(options, "threads")), 1);
    assert_string_equal(json_string_value(json_object_get(options, "time_limit")), "inf");
    assert_int_equal(json_object_size(options), spgm_option_count());
    if (!isfinite(info.bound))
        assert_true(json_object_get(file, "bound") == NULL && json_object_get(file, "gap") == NULL);
    json_decref(file);
    release(&f);
}

/* ---- the feasible set ---- */

static char *file_text(const char *name) {
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(name, "rb");
    assert_true(text != NULL && file != NULL);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

/* A set is in the file where there is one, and a model that was read writes the same file again. */
static void the_set_is_in_the_file(void **state) {
    (void)state;
    double lower[3] = {0, 0, 0}, upper[3] = {2.5, INFINITY, 0.25};
    int64_t groups[3] = {40, -1, 7}, excluded = 1;
    for (int64_t limit = 0; limit < 2; limit++) {
        struct fitted f = fit(people, "l1", 2);
        spgm_model_free(f.model);
        assert_int_equal(spgm_problem_set_bounds(f.problem, lower, upper, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_excluded(f.problem, &excluded, 1, NULL), SPGM_OK);
        assert_int_equal(spgm_problem_set_groups(f.problem, groups, limit, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_run(f.solver, NULL), SPGM_OK);
        assert_int_equal(spgm_model_new(f.solver, f.data, &f.model, NULL), SPGM_OK);
        assert_int_equal(spgm_model_write(f.model, "set.json", NULL), SPGM_OK);
        char *text = file_text("set.json");
        assert_non_null(strstr(text, "\"lower\": 0.0,"));
        assert_non_null(strstr(text, "\"upper\": [2.5, null, 0.25],"));
        assert_non_null(strstr(text, "\"excluded\": [1],"));
        assert_non_null(strstr(text, "\"groups\": [1, -1, 0],"));
        assert_non_null(strstr(text, limit ? "\"group_limit\": 1," : "\"group_limit\": 0,"));
        assert_non_null(strstr(text, "\"feasible\": true"));
        assert_int_equal(strstr(text, "\"units\"") != NULL, limit == 0);
        spgm_model *model = read_model("set.json");
        assert_int_equal(spgm_model_write(model, "again.json", NULL), SPGM_OK);
        char *again = file_text("again.json");
        assert_string_equal(text, again);
        free(text), free(again);
        spgm_model_free(model);
        release(&f);
    }
}

/* What made a model goes through its file, and a file without it is read as before. */
static void a_record_is_kept(void **state) {
    (void)state;
    struct fitted f = fit(people, "l1", 1);
    const int64_t free_columns[] = {0, 2}, wrong[] = {2, 0};
    spgm_record record = {.data = "people.csv",
                          .weights = 4.5,
                          .free_columns = free_columns,
                          .free_count = 2,
                          .chosen = "by hand",
                          .date = "2026-01-31T12:00:00Z"};
    assert_int_equal(spgm_model_set_record(f.model, &record, NULL), SPGM_OK);
    spgm_model_forget_time(f.model);
    assert_int_equal(spgm_model_write(f.model, "record.json", NULL), SPGM_OK);
    spgm_model *model = read_model("record.json");
    spgm_record back = spgm_model_record(model);
    assert_string_equal(back.data, "people.csv");
    assert_string_equal(back.chosen, "by hand");
    assert_string_equal(back.date, "2026-01-31T12:00:00Z");
    assert_int_equal(back.rows, 8);
    assert_true(back.weights == 4.5);
    assert_int_equal(back.free_count, 2);
    assert_int_equal(back.free_columns[1], 2);
    assert_int_equal(spgm_model_write(model, "again.json", NULL), SPGM_OK);
    char *text = file_text("record.json"), *again = file_text("again.json");
    assert_string_equal(text, again);
    assert_null(strstr(text, "seconds"));
    free(text), free(again);
    record.free_columns = wrong;
    assert_int_equal(spgm_model_set_record(model, &record, NULL), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_model_set_record(NULL, &record, NULL), SPGM_ERROR_ARGUMENT);
    spgm_model_free(model);
    model = NULL;
    static const char old[] = "{\"columns\": 2, \"sparsity\": 1, \"support\": [], \"coefficients\": []}";
    assert_int_equal(model_read_memory("old.json", old, strlen(old), &model, NULL), SPGM_OK);
    back = spgm_model_record(model);
    assert_null(back.data);
    assert_int_equal(back.rows, 0);
    spgm_model_free(model);
    release(&f);
}

static void a_bad_set_is_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {{"\"lower\": 1", "zero"},
                                         {"\"upper\": [1, -1]", "zero"},
                                         {"\"upper\": [1]", "as long"},
                                         {"\"lower\": \"x\"", "number"},
                                         {"\"lower\": [0, {}]", "number"},
                                         {"\"excluded\": [1, 1]", "range"},
                                         {"\"excluded\": [2]", "range"},
                                         {"\"excluded\": 0", "list"},
                                         {"\"groups\": [0], \"group_limit\": 1", "as long"},
                                         {"\"groups\": [0, -2], \"group_limit\": 1", "range"},
                                         {"\"groups\": [0, 0]", "missing"},
                                         {"\"groups\": [0, 0], \"group_limit\": -1", "range"},
                                         {"\"units\": -1", "range"},
                                         {"\"rows\": -1", "range"},
                                         {"\"free\": [2]", "range"},
                                         {"\"data\": 1", "text"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        spgm_model *model = NULL;
        spgm_status status;
        snprintf(text, sizeof text, "{\"columns\": 2, \"sparsity\": 1, \"support\": [], \"coefficients\": [], %s}",
                 bad[i][0]);
        assert_int_equal(model_read_memory("bad.json", text, strlen(text), &model, &status), SPGM_ERROR_FORMAT);
        if (strstr(status.message, bad[i][1]) == NULL)
            fail_msg("%s: %s", bad[i][0], status.message);
    }
}

static void a_model_reads_back_bit_for_bit(void **state) {
    (void)state;
    struct fitted f = fit(people, "quantile", 2);
    double x[3], back_x[3], intercept, back_intercept, labels[2] = {5, 6};
    size_t sizes[2];
    assert_int_equal(spgm_model_write(f.model, "one.json", NULL), SPGM_OK);
    spgm_model *back = read_model("one.json");
    assert_int_equal(spgm_model_columns(back), 3);
    spgm_model_get_x(f.model, x, &intercept);
    spgm_model_get_x(back, back_x, &back_intercept);
    spgm_model_get_x(back, NULL, NULL);
    assert_memory_equal(x, back_x, sizeof x);
    assert_true(intercept == back_intercept);
    assert_string_equal(spgm_model_target_name(back), "y");
    assert_false(spgm_model_labels(back, labels));
    assert_true(labels[0] == 5);
    for (int64_t i = 0; i < spgm_option_count(); i++) {
        char here[64], there[64];
        const char *name = spgm_option_describe(i)->name;
        assert_int_equal(spgm_options_get(spgm_model_options(f.model), name, here, sizeof here, NULL), SPGM_OK);
        assert_int_equal(spgm_options_get(spgm_model_options(back), name, there, sizeof there, NULL), SPGM_OK);
        assert_string_equal(here, there);
    }
    assert_int_equal(spgm_model_write(back, "two.json", NULL), SPGM_OK);
    char *one = io_bytes("one.json", &sizes[0]), *two = io_bytes("two.json", &sizes[1]);
    assert_string_equal(one, two);
    free(one);
    free(two);
    spgm_model_free(back);
    release(&f);
}

static void a_bound_comes_with_its_gap(void **state) {
    (void)state;
    struct fitted f = fit(people, "l1", 1);
    f.model->info.objective = 8;
    f.model->info.bound = 6;
    f.model->info.gap = 0.25;
    assert_int_equal(spgm_model_write(f.model, "gap.json", NULL), SPGM_OK);
    json_t *file = json_load_file("gap.json", 0, NULL);
    assert_true(real_of(file, "bound") == 6);
    assert_true(real_of(file, "gap") == 0.25);
    json_decref(file);
    f.model->info.bound = -INFINITY;
    f.model->info.loss_value = INFINITY;
    assert_int_equal(spgm_model_write(f.model, "gap.json", NULL), SPGM_OK);
    file = json_load_file("gap.json", 0, NULL);
    assert_null(json_object_get(file, "gap"));
    assert_null(json_object_get(file, "bound"));
    assert_true(json_is_null(json_object_get(file, "loss_value")));
    json_decref(file);
    release(&f);
}

static void a_classifier_knows_its_labels(void **state) {
    (void)state;
    struct fitted f = fit("a,b,y\n1,0,3\n2,1,3\n3,0,3\n-1,1,7\n-2,0,7\n-3,1,7\n", "hinge", 1);
    double labels[2];
    assert_true(spgm_model_labels(f.model, NULL));
    assert_true(spgm_model_labels(f.model, labels));
    assert_true(labels[0] == 3 && labels[1] == 7);
    assert_int_equal(spgm_model_write(f.model, "class.json", NULL), SPGM_OK);
    spgm_model *back = read_model("class.json");
    labels[0] = labels[1] = 0;
    assert_true(spgm_model_labels(back, labels));
    assert_true(labels[0] == 3 && labels[1] == 7);
    spgm_model_free(back);
    release(&f);
}

/* ---- prediction ---- */

static const char by_name[] = "{\"columns\": 3, \"sparsity\": 2, \"support\": [0, 2], \"coefficients\": [3, -2.5], "
                              "\"names\": [\"size\", \"weight\"], \"intercept\": 1}";
static const char by_number[] = "{\"columns\": 3, \"sparsity\": 2, \"support\": [0, 2], \"coefficients\": [3, -2.5], "
                                "\"intercept\": 1}";

static void assert_prediction(const char *model_text, const char *name, const char *text, const double *expected,
                              int64_t count) {
    spgm_read_options options = {.no_target = 1};
    double prediction[8];
    io_write("p.json", model_text);
    spgm_model *model = read_model("p.json");
    spgm_data *data = io_read_text(name, text, &options);
    assert_int_equal(spgm_model_predict(model, data, prediction, NULL), SPGM_OK);
    assert_memory_equal(prediction, expected, (size_t)count * sizeof(double));
    spgm_data_free(data);
    spgm_model_free(model);
}

static void predictions_match_columns_by_name_or_place(void **state) {
    (void)state;
    const double expected[] = {1 + 3 * 1 - 2.5 * 2, 1 + 3 * 4 - 2.5 * 5};
    assert_prediction(by_name, "p.csv", "size,colour,weight\n1,9,2\n4,9,5\n", expected, 2);
    assert_prediction(by_name, "p.csv", "weight,y,size,other\n2,9,1,8\n5,9,4,8\n", expected, 2);
    assert_prediction(by_name, "p.csv", "1,9,2\n4,9,5\n", expected, 2);                  /* the file has no names  */
    assert_prediction(by_number, "p.csv", "weight,x,size\n1,9,2\n4,9,5\n", expected, 2); /* the model has none     */
    assert_prediction(by_number, "p.svm", "1:1 3:2\n1:4 2:9 3:5\n", expected, 2);
    assert_prediction(by_number, "p.svm", "1:1 3:2 7:5\n1:4 3:5\n", expected, 2); /* columns never seen     */
    const double shorter[] = {4, 13};
    assert_prediction(by_number, "p.svm", "1:1\n1:4\n", shorter, 2); /* zeros at the end       */
    assert_prediction(by_name, "p.csv", "size,size,weight\n1,9,2\n", (const double[]){-1}, 1); /* as it was fitted */
}

static void assert_no_prediction(const char *model_text, const char *name, const char *text, const char *sentence) {
    spgm_read_options options = {.no_target = 1};
    spgm_status status;
    double prediction[8] = {7};
    io_write("p.json", model_text);
    spgm_model *model = read_model("p.json");
    spgm_data *data = io_read_text(name, text, &options);
    assert_int_equal(spgm_model_predict(model, data, prediction, &status), SPGM_ERROR_DATA);
    assert_string_equal(status.message, sentence);
    assert_true(prediction[0] == 7);
    spgm_data_free(data);
    spgm_model_free(model);
}

static void what_cannot_be_predicted_is_said(void **state) {
    (void)state;
    assert_no_prediction(by_name, "p.csv", "size,mass,colour\n1,2,3\n",
                         "p.csv has no column 'weight', which the model uses");
    assert_no_prediction(by_name, "p.csv", "weight,size,weight\n1,2,3\n",
                         "p.csv has two columns called 'weight', which the model uses");
    assert_no_prediction(by_number, "p.csv", "1,2\n", "p.csv has 2 columns, but the model was made from data with 3");
    spgm_status status;
    double prediction[1];
    assert_int_equal(spgm_model_predict(NULL, NULL, prediction, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "the model is NULL");
}

/* ---- files that are not models ---- */

#define HEAD "{\"columns\": 3, \"sparsity\": 1, "

static void what_is_no_model_is_said(void **state) {
    (void)state;
    static const struct io_bad cases[] = {
        {"", SPGM_ERROR_FORMAT, "x.json is empty"},
        {"{\n\"a\": 1,,}", SPGM_ERROR_FORMAT,
         "x.json, line 2, column 8: is not JSON (string or '}' expected near ',')"},
        {"[1, 2]", SPGM_ERROR_FORMAT, "x.json: \"columns\" is missing; is it a model file?"},
        {"{\"a\": 1, \"a\": 2}", SPGM_ERROR_FORMAT,
         "x.json, line 1, column 12: is not JSON (duplicate object key near '\"a\"')"},
        {"{\"columns\": -3}", SPGM_ERROR_FORMAT,
         "x.json: \"columns\" is not a whole number in its range; is it a model file?"},
        {"{\"columns\": 3}", SPGM_ERROR_FORMAT, "x.json: \"sparsity\" is missing; is it a model file?"},
        {HEAD "\"x\": 1}", SPGM_ERROR_FORMAT, "x.json: \"support\" is missing; is it a model file?"},
        {HEAD "\"support\": 1}", SPGM_ERROR_FORMAT, "x.json: \"support\" is not a list; is it a model file?"},
        {HEAD "\"support\": [3]}", SPGM_ERROR_FORMAT,
         "x.json: \"support\" is not an ascending list of column numbers below \"columns\"; is it a model file?"},
        {HEAD "\"support\": [1, 1]}", SPGM_ERROR_FORMAT,
         "x.json: \"support\" is not an ascending list of column numbers below \"columns\"; is it a model file?"},
        {HEAD "\"support\": [\"a\"]}", SPGM_ERROR_FORMAT,
         "x.json: \"support\" is not an ascending list of column numbers below \"columns\"; is it a model file?"},
        {HEAD "\"support\": [1], \"coefficients\": [1, 2]}", SPGM_ERROR_FORMAT,
         "x.json: \"coefficients\" is not as long as \"support\"; is it a model file?"},
        {HEAD "\"support\": [1], \"coefficients\": [null]}", SPGM_ERROR_FORMAT,
         "x.json: \"coefficients\" is not a list of numbers; is it a model file?"},
        {HEAD "\"support\": [1], \"coefficients\": [1], \"names\": [1]}", SPGM_ERROR_FORMAT,
         "x.json: \"names\" is not a list of texts; is it a model file?"},
        {HEAD "\"support\": [], \"coefficients\": [], \"labels\": [1]}", SPGM_ERROR_FORMAT,
         "x.json: \"labels\" is not a list of two numbers; is it a model file?"},
        {HEAD "\"support\": [], \"coefficients\": [], \"target\": 1}", SPGM_ERROR_FORMAT,
         "x.json: \"target\" is not text; is it a model file?"},
        {HEAD "\"support\": [], \"coefficients\": [], \"intercept\": \"a\"}", SPGM_ERROR_FORMAT,
         "x.json: \"intercept\" is not a number; is it a model file?"},
        {HEAD "\"support\": [], \"coefficients\": [], \"outcome\": \"lucky\"}", SPGM_ERROR_FORMAT,
         "x.json: \"outcome\" is not a known one; is it a model file?"},
        {HEAD "\"support\": [], \"coefficients\": [], \"options\": {\"ridge\": []}}", SPGM_ERROR_FORMAT,
         "x.json: \"ridge\" is not the value of an option; is it a model file?"},
        {HEAD "\"support\": [1], \"coefficients\": [1e400]}", SPGM_ERROR_FORMAT,
         "x.json, line 1, column 68: is not JSON (real number overflow near '1e400')"},
    };
    for (size_t i = 0; i < IO_COUNT(cases); i++) {
        spgm_status status = {SPGM_OK, ""};
        spgm_model *model = NULL;
        io_write("x.json", cases[i].text);
        spgm_error error = spgm_model_read("x.json", &model, &status);
        assert_string_equal(status.message, cases[i].sentence);
        assert_int_equal(error, cases[i].code);
        assert_null(model);
    }
    spgm_status status;
    spgm_model *model = NULL;
    io_write("x.json", HEAD "\"support\": [], \"coefficients\": [], \"options\": {\"ridge\": -1, \"future\": []}}");
    assert_int_equal(spgm_model_read("x.json", &model, &status), SPGM_ERROR_FORMAT);
    assert_non_null(strstr(status.message, "x.json: option ridge is -1"));
    assert_int_equal(spgm_model_read("none.json", &model, &status), SPGM_ERROR_FILE);
    assert_string_equal(status.message, "cannot open none.json: No such file or directory");
    assert_int_equal(spgm_model_read(NULL, &model, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_model_write(NULL, "x.json", &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_model_new(NULL, NULL, &model, &status), SPGM_ERROR_ARGUMENT);
    spgm_model_free(NULL);
}

static void names_need_as_many_columns(void **state) {
    (void)state;
    struct fitted f = fit(people, "l1", 1);
    spgm_status status;
    spgm_model *model = NULL;
    spgm_data *other = io_read_text("other.csv", "a,b\n1,2\n", NULL);
    assert_int_equal(spgm_model_new(f.solver, other, &model, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "other.csv has 1 columns, but the solver's problem has 3");
    assert_int_equal(spgm_model_new(f.solver, NULL, &model, &status), SPGM_OK);
    assert_null(spgm_model_target_name(model));
    spgm_model_free(model);
    spgm_data_free(other);
    release(&f);
}

static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    struct fitted f = fit(people, "l1", 1);
    spgm_status status;
    assert_int_equal(symlink("/dev/full", "full.json"), 0);
    int before = io_entries();
    assert_int_equal(spgm_model_write(f.model, "full.json", &status), SPGM_ERROR_FILE);
    assert_string_equal(status.message, "cannot write full.json: No space left on device");
    assert_int_equal(io_entries(), before);
    release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_holds_what_the_contract_says),
        cmocka_unit_test(the_set_is_in_the_file),
        cmocka_unit_test(a_bad_set_is_refused),
        cmocka_unit_test(a_record_is_kept),
        cmocka_unit_test(a_model_reads_back_bit_for_bit),
        cmocka_unit_test(a_bound_comes_with_its_gap),
        cmocka_unit_test(a_classifier_knows_its_labels),
        cmocka_unit_test(predictions_match_columns_by_name_or_place),
        cmocka_unit_test(what_cannot_be_predicted_is_said),
        cmocka_unit_test(what_is_no_model_is_said),
        cmocka_unit_test(names_need_as_many_columns),
        cmocka_unit_test(a_full_disk_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
