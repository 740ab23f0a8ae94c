/* Tables with text and gaps: categories, what is left out, what is filled in, and the same again for a model. */
#include <math.h>

#include "unit/io_support.h"

#define HOUSES                                                                                                         \
    "id,Region,age,price\n"                                                                                            \
    "h1,South,10,1\n"                                                                                                  \
    "h2,North,20,2\n"                                                                                                  \
    "h3,West,,3\n"                                                                                                     \
    "h4,South,30,4\n"

static void assert_names(const spgm_data *data, const char *const *names) {
    int64_t columns = spgm_data_matrix(data).columns;
    for (int64_t j = 0; j < columns; j++)
        assert_string_equal(spgm_data_column_name(data, j), names[j]);
    assert_null(names[columns]);
}

static void text_becomes_a_column_for_each_level_but_the_first(void **state) {
    (void)state;
    const double expected[] = {10, 1, 0, 20, 0, 0, 30, 0, 1};
    const double target[] = {1, 2, 3};
    spgm_data *data = io_read_text("a.csv", "age,Region,y\n10,South,1\n20,North,2\n30,West,3\n", NULL);
    io_assert_matrix(data, 3, 3, expected);
    io_assert_target(data, 3, target);
    assert_names(data, (const char *const[]){"age", "Region=South", "Region=West", NULL});
    assert_int_equal(spgm_data_column_source(data, 0), 0);
    assert_int_equal(spgm_data_column_source(data, 1), 1);
    assert_int_equal(spgm_data_column_source(data, 2), 1);
    spgm_table_column column = spgm_data_table_column(data, 1);
    assert_string_equal(column.kind, "category");
    assert_string_equal(column.name, "Region");
    assert_int_equal(column.levels, 3);
    assert_int_equal(column.first, 1);
    assert_int_equal(column.count, 2);
    assert_string_equal(spgm_data_level(data, 1, 0), "North");
    assert_null(spgm_data_level(data, 1, 3));
    spgm_data_free(data);
}

static void all_levels_are_kept_where_asked_for(void **state) {
    (void)state;
    const double expected[] = {0, 1, 1, 0};
    spgm_read_options options = {.categories = "full"};
    spgm_data *data = io_read_text("b.csv", "ok,y\nTRUE,1\nFALSE,2\n", &options);
    io_assert_matrix(data, 2, 2, expected);
    assert_names(data, (const char *const[]){"ok=FALSE", "ok=TRUE", NULL});
    spgm_data_free(data);
}

static void codes_are_levels_where_the_caller_says_so(void **state) {
    (void)state;
    const double expected[] = {0, 1, 0};
    spgm_read_options options = {.text = "zone"};
    spgm_data *data = io_read_text("c.csv", "zone,y\n07,1\n8,2\n07,3\n", &options);
    io_assert_matrix(data, 3, 1, expected);
    assert_names(data, (const char *const[]){"zone=8", NULL});
    spgm_data_free(data);
}

/* Text above text and numbers above numbers: a first row, not a header. */
static void a_file_without_a_header_may_hold_text(void **state) {
    (void)state;
    const double expected[] = {5, 1, 6, 0};
    spgm_data *data = io_read_text("d.csv", "5,setosa,1\n6,rosea,2\n", NULL);
    io_assert_matrix(data, 2, 2, expected);
    assert_names(data, (const char *const[]){"1", "2=setosa", NULL});
    spgm_data_free(data);
}

static void columns_are_left_out_by_name_pattern_or_number(void **state) {
    (void)state;
    static const char *const lists[] = {"id,Region,x*", "id,1:2,4,5", "id,Reg*,x?"};
    const double expected[] = {7, 9};
    for (size_t i = 0; i < IO_COUNT(lists); i++) {
        spgm_read_options options = {.exclude = lists[i], .target = "y"};
        spgm_data *data = io_read_text("e.csv", "id,Region,y,age,x1,x2\na,S,1,7,2024-01-01,\nb,N,2,9,,12%\n", &options);
        io_assert_matrix(data, 2, 1, expected);
        assert_names(data, (const char *const[]){"age", NULL});
        assert_int_equal(spgm_data_column_source(data, 0), 2);
        assert_string_equal(spgm_data_table_column(data, 0).kind, "excluded");
        spgm_data_free(data);
    }
    spgm_read_options only = {.only = "age", .target = "y"};
    spgm_data *data = io_read("e.csv", &only);
    io_assert_matrix(data, 2, 1, expected);
    spgm_data_free(data);
    spgm_read_options wrong = {.exclude = "id,agee"};
    io_assert_fails("e.csv", &wrong, SPGM_ERROR_ARGUMENT,
                    "e.csv has no column 'agee', which 'exclude' names; give names, patterns such as x*, or numbers "
                    "from 1 to 5, the target not counted");
}

static void rows_with_gaps_are_dropped_where_asked_for(void **state) {
    (void)state;
    const double expected[] = {10, 1, 20, 0, 30, 1};
    const double target[] = {1, 2, 4};
    spgm_status status;
    spgm_read_options options = {.missing = "drop", .exclude = "id", .only = "age,Region"};
    spgm_data *data = io_read_text("f.csv", HOUSES, &options);
    assert_names(data, (const char *const[]){"Region=South", "Region=West", "age", NULL});
    for (int i = 0; i < 3; i++) {
        assert_true(io_at(data, i, 2) == expected[2 * i]);
        assert_true(io_at(data, i, 0) == expected[2 * i + 1]);
    }
    io_assert_target(data, 3, target);
    assert_int_equal(spgm_data_rows_read(data), 4);
    assert_int_equal(spgm_data_row(data, 2), 3);
    io_write("t.csv", "5\n6\n7\n8\n"); /* a target for the rows of the file */
    assert_int_equal(spgm_data_read_target(data, "t.csv", &status), SPGM_OK);
    const double replaced[] = {5, 6, 8};
    io_assert_target(data, 3, replaced);
    spgm_data_free(data);
}

static void gaps_become_medians_and_most_frequent_levels(void **state) {
    (void)state;
    const double expected[] = {1, 1, 2, 1, 4, 1, 2, 0};
    spgm_read_options options = {.missing = "median"};
    spgm_data *data = io_read_text("g.csv", "x,c,y\n1,b,1\n,b,2\n4,?,3\n2,a,4\n", &options);
    io_assert_matrix(data, 4, 2, expected);
    assert_int_equal(spgm_data_table_column(data, 0).missing, 1);
    spgm_data_free(data);
    io_write("g.csv", "x,y\n1,1\n2,\n");
    io_assert_fails(
        "g.csv", &options, SPGM_ERROR_DATA,
        "g.csv, line 3, column 2 (y): the target is missing, and targets are never filled in; use missing=drop");
    io_write("g.csv", "x,z,y\n1,,1\n2,,2\n");
    io_assert_fails("g.csv", &options, SPGM_ERROR_DATA,
                    "g.csv, column 2 (z): all values are missing, so there is no median; exclude the column");
    options.missing = "drop";
    io_assert_fails("g.csv", &options, SPGM_ERROR_DATA,
                    "g.csv has no row without a missing value; exclude the columns with the most");
}

static void identifiers_are_refused(void **state) {
    (void)state;
    FILE *file = fopen("h.csv", "w");
    fputs("id,x,y\n", file);
    for (int i = 0; i < 60; i++)
        fprintf(file, "n%d,%d,%d\n", i, i % 7, i % 3);
    fclose(file);
    io_assert_fails("h.csv", NULL, SPGM_ERROR_DATA,
                    "h.csv, column 1 (id): 60 different texts in 60 rows, which suggests names or identifiers; exclude "
                    "the column, or list it under text to get a column for each text");
    spgm_read_options options = {.text = "id"};
    spgm_data *data = io_read("h.csv", &options);
    assert_int_equal(spgm_data_matrix(data).columns, 60);
    spgm_data_free(data);
}

/* Many levels of many rows: stored sparse, with the same entries. */
static void large_categories_are_sparse(void **state) {
    (void)state;
    enum { ROWS = 30000, LEVELS = 100 };
    FILE *file = fopen("i.csv", "w");
    fputs("c,x,d,y\n", file);
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "L%03d,%d,%c,%d\n", i * 7 % LEVELS, i % 2, 'a' + i % 3, i);
    fclose(file);
    spgm_data *data = io_read("i.csv", NULL);
    io_assert_compressed(data);
    assert_int_equal(spgm_data_matrix(data).columns, LEVELS - 1 + 1 + 2);
    assert_string_equal(spgm_data_column_name(data, LEVELS), "d=b");
    for (int i = 0; i < 300; i++) {
        for (int j = 0; j < LEVELS - 1; j++)
            assert_true(io_at(data, i, j) == (i * 7 % LEVELS == j + 1));
        assert_true(io_at(data, i, LEVELS - 1) == i % 2);
        assert_true(io_at(data, i, LEVELS) == (i % 3 == 1));
    }
    spgm_data_free(data);
}

static void decimal_commas_and_separators_are_options(void **state) {
    (void)state;
    const double expected[] = {1.5, -0.25};
    const double target[] = {2, 3e5};
    spgm_read_options options = {.decimal = ','};
    spgm_data *data = io_read_text("j.csv", "a;y\n1,5;2\n-0,25;3e5\n", &options);
    io_assert_matrix(data, 2, 1, expected);
    io_assert_target(data, 2, target);
    spgm_data_free(data);
    io_write("j.csv", "a;y\n1.234,5;2\n");
    io_assert_fails("j.csv", &options, SPGM_ERROR_FORMAT,
                    "j.csv, line 2, column 1 (a): '1.234,5' is not a number; with a decimal comma, a point cannot "
                    "separate thousands");
    spgm_read_options separator = {.separator = ':', .format = "csv"};
    data = io_read_text("j.csv", "a:y\n1.5:2\n-0.25:3e5\n", &separator);
    io_assert_matrix(data, 2, 1, expected);
    spgm_data_free(data);
}

static void a_header_is_what_the_caller_says(void **state) {
    (void)state;
    spgm_read_options options = {.header = "yes"};
    spgm_data *data = io_read_text("k.csv", "1,2,3\n4,9,6\n", &options);
    assert_int_equal(spgm_data_matrix(data).rows, 1);
    assert_names(data, (const char *const[]){"1", "2", NULL});
    spgm_data_free(data);
    options.header = "no";
    data = io_read("k.csv", &options);
    assert_int_equal(spgm_data_matrix(data).rows, 2);
    spgm_data_free(data);
    data = io_read_text("k.csv", "\"1\",\"2\",\"3\"\n4,9,6\n", NULL); /* quoted above plain numbers */
    assert_int_equal(spgm_data_matrix(data).rows, 1);
    spgm_data_free(data);
    options.header = "maybe";
    io_assert_fails("k.csv", &options, SPGM_ERROR_ARGUMENT, "header is 'maybe': it must be auto, yes or no");
}

static void weights_and_labels_come_from_columns(void **state) {
    (void)state;
    const double target[] = {1, 0};
    spgm_read_options options = {.weights = "w", .text_target = 1};
    spgm_data *data = io_read_text("l.csv", "x,w,y\n1,2,yes\n3,4,no\n", &options);
    assert_int_equal(spgm_data_matrix(data).columns, 1);
    assert_true(spgm_data_weights(data)[1] == 4);
    io_assert_target(data, 2, target);
    assert_string_equal(spgm_data_label(data, 1), "yes");
    assert_null(spgm_data_label(data, 2));
    spgm_data_free(data);
    options.weights = "y";
    io_assert_fails("l.csv", &options, SPGM_ERROR_ARGUMENT,
                    "l.csv, line 1: column 3 cannot be both target and weights");
}

/* Nothing is refused that can be described. */
static void a_survey_describes(void **state) {
    (void)state;
    static const char *const kinds[] = {"category", "number", "date", "mixed", "empty"};
    spgm_read_options options = {.survey = 1};
    spgm_data *data = io_read_text("m.csv", "c,x,day,m,e,y\na,1,2024-01-01,1,,no\nb,,2024-01-02,z,,yes\n", &options);
    for (int64_t j = 0; j < spgm_data_table_columns(data); j++)
        assert_string_equal(spgm_data_table_column(data, j).kind, kinds[j]);
    assert_int_equal(spgm_data_table_column(data, 1).missing, 1);
    assert_int_equal(spgm_data_table_column(data, 4).missing, 2);
    assert_true(isnan(io_at(data, 1, 1)));
    spgm_data_free(data);
}

static void other_files_do_not_take_options_of_tables(void **state) {
    (void)state;
    const spgm_read_options options[] = {{.missing = "drop"}, {.categories = "full"}, {.text = "1"},
                                         {.header = "yes"},   {.separator = ';'},     {.decimal = ','}};
    static const char *const names[] = {"missing", "categories", "text", "header", "separator", "decimal"};
    io_write("o.svm", "1 1:2\n2 1:3\n");
    for (size_t i = 0; i < IO_COUNT(names); i++) {
        char sentence[100];
        snprintf(sentence, sizeof sentence, "o.svm is a libsvm file: '%s' is for CSV files", names[i]);
        io_assert_fails("o.svm", &options[i], SPGM_ERROR_ARGUMENT, sentence);
    }
}

static void files_of_other_kinds_are_called_what_they_are(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *sentence;
        size_t size;
    } cases[] = {
        {"\x89PNG\r\n\x1a\n", "n.csv is a PNG picture", 8},
        {"\x7f"
         "ELF\2\1\1",
         "n.csv is a program (ELF)", 7},
        {"{\"objective\": 1}", "n.csv is JSON; the data must be LIBSVM, CSV, Matrix Market or NPY", 16},
        {"[{\"a\": 1}]", "n.csv is JSON; the data must be LIBSVM, CSV, Matrix Market or NPY", 10},
        {"\1\2\3\4abc\n", "n.csv is neither text nor NPY; the data must be LIBSVM, CSV, Matrix Market or NPY", 8}};
    char tar[512] = "table.csv";
    for (size_t i = 0; i < IO_COUNT(cases); i++) {
        io_write_bytes("n.csv", cases[i].bytes, cases[i].size);
        io_assert_fails("n.csv", NULL, SPGM_ERROR_FORMAT, cases[i].sentence);
    }
    memcpy(tar + 257, "ustar", 5);
    io_write_bytes("n.csv", tar, sizeof tar);
    io_assert_fails("n.csv", NULL, SPGM_ERROR_FORMAT, "n.csv is a tar archive; take the table out of it");
}

/* ---- models ---- */

static spgm_model *fit(const spgm_data *data, const char *loss, int64_t sparsity) {
    spgm_matrix A = spgm_data_matrix(data);
    spgm_options *options = spgm_options_new();
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_model *model = NULL;
    spgm_options_set(options, "loss", loss, NULL);
    assert_int_equal(spgm_problem_new(&A, spgm_data_target(data), options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, sparsity, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    assert_int_equal(spgm_model_new(solver, data, &model, NULL), SPGM_OK);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return model;
}

/* Through a file and back. */
static spgm_model *again(spgm_model *model) {
    spgm_model *read = NULL;
    spgm_status status;
    assert_int_equal(spgm_model_write(model, "model.json", NULL), SPGM_OK);
    spgm_model_free(model);
    spgm_error error = spgm_model_read("model.json", &read, &status);
    assert_string_equal(status.message, "");
    assert_int_equal(error, SPGM_OK);
    return read;
}

#define TRAIN "id,c,x,y\na,S,1,11\nb,N,2,2\nc,S,,14\nd,N,4,4\ne,W,5,5\nf,W,6,6\n"

static void a_model_takes_the_raw_table(void **state) {
    (void)state;
    spgm_read_options how = {.missing = "median", .exclude = "id"};
    spgm_data *data = io_read_text("train.csv", TRAIN, &how);
    spgm_model *model = again(fit(data, "l1", 2));
    double prediction[3];
    spgm_data_free(data);
    assert_int_equal(spgm_model_columns(model), 3);
    /* other order, other columns, gaps where the model does not look, and one that it fills in */
    io_write("new.csv", "when,x,y,c,z\n2024-01-01,2,?,S,\n,3,,N,text\n1,,,N,5\n");
    spgm_read_options apply = {.model = model, .target = spgm_model_target_name(model), .optional_target = 1};
    data = io_read("new.csv", &apply);
    assert_null(spgm_data_target(data));
    assert_int_equal(spgm_model_predict(model, data, prediction, NULL), SPGM_OK);
    assert_true(fabs(prediction[0] - 12) < 1e-6);
    assert_true(fabs(prediction[1] - 3) < 1e-6);
    assert_true(fabs(prediction[2] - 4) < 1e-6); /* the median of 1, 2, 4, 5, 6 */
    spgm_data_free(data);

    io_write("new.csv", "c,x\nS,2\nE,3\n");
    io_assert_fails("new.csv", &apply, SPGM_ERROR_DATA,
                    "new.csv, line 3, column 1 (c): 'E' is a level that the model has not seen; it knows N, S, W; use "
                    "missing=drop for no prediction of the row");
    apply.missing = "drop";
    data = io_read("new.csv", &apply);
    assert_int_equal(spgm_model_predict(model, data, prediction, NULL), SPGM_OK);
    assert_true(fabs(prediction[0] - 12) < 1e-6);
    assert_true(isnan(prediction[1]));
    assert_string_equal(spgm_data_unseen(data, 0), "c=E");
    assert_null(spgm_data_unseen(data, 1));
    assert_null(spgm_data_unseen(data, -1));
    spgm_data_free(data);
    io_write("new.csv", "x,d\n1,2\n");
    io_assert_fails("new.csv", &apply, SPGM_ERROR_DATA, "new.csv has no column 'c', which the model uses");
    spgm_model_free(model);
}

/* A model of numbers takes a table with whatever else in it, too. */
static void a_plain_model_ignores_other_columns(void **state) {
    (void)state;
    spgm_data *data = io_read_text("p.csv", "a,b,y\n1,5,2\n2,3,4\n3,8,6\n", NULL);
    spgm_model *model = again(fit(data, "l1", 1));
    double prediction[2];
    spgm_data_free(data);
    spgm_read_options apply = {.model = model, .target = "y", .optional_target = 1};
    data = io_read_text("q.csv", "name,b,a\nx,NA,10\nz,text,20\n", &apply);
    assert_int_equal(spgm_model_predict(model, data, prediction, NULL), SPGM_OK);
    assert_true(fabs(prediction[0] - 20) < 1e-9 && fabs(prediction[1] - 40) < 1e-9);
    spgm_data_free(data);
    spgm_model_free(model);
}

static void labels_of_text_go_through_the_model(void **state) {
    (void)state;
    spgm_read_options how = {.text_target = 1};
    spgm_data *data = io_read_text("r.csv", "x,y\n-2,no\n-1,no\n1,yes\n2,yes\n", &how);
    spgm_model *model = again(fit(data, "hinge", 1));
    spgm_data_free(data);
    assert_string_equal(spgm_model_label_name(model, 0), "no");
    assert_string_equal(spgm_model_label_name(model, 1), "yes");
    spgm_read_options apply = {.model = model, .target = "y", .optional_target = 1};
    const double target[] = {1, 0};
    data = io_read_text("s.csv", "x,y\n3,yes\n-3,no\n", &apply);
    io_assert_target(data, 2, target);
    spgm_data_free(data);
    spgm_model_free(model);
}

static void more_labels_are_a_model_for_each(void **state) {
    (void)state;
    spgm_read_options how = {.text_target = 1};
    spgm_data *data = io_read_text("v.csv", "x,y\n-2,a\n-1,b\n1,b\n2,c\n", &how);
    spgm_model *models[3] = {NULL}, *combined = NULL;
    const double labels[] = {0, 1, 2};
    const char *name;
    double label;
    spgm_status status;
    for (int k = 0; k < 3; k++)
        models[k] = fit(data, "l1", 1);
    assert_int_equal(spgm_model_combine(models, 1, labels, data, &combined, NULL), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_model_combine(models, 3, labels, data, &combined, NULL), SPGM_OK);
    combined = again(combined);
    assert_int_equal(spgm_model_classes(combined), 3);
    assert_non_null(spgm_model_class(combined, 2, &label, &name));
    assert_true(label == 2);
    assert_string_equal(name, "c");
    assert_null(spgm_model_class(combined, 3, NULL, NULL));
    assert_string_equal(spgm_model_target_name(combined), "y");
    double prediction[4];
    assert_int_equal(spgm_model_balance(NULL, data, NULL, NULL), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_model_predict(combined, data, prediction, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "the model has 3 classes: predict with each of them");
    spgm_data_free(data);
    /* the target of a table by the names of the classes */
    spgm_read_options apply = {.model = spgm_model_class(combined, 0, NULL, NULL), .target = "y", .optional_target = 1};
    const double target[] = {2, 0};
    data = io_read_text("w.csv", "x,y\n3,c\n-3,a\n", &apply);
    io_assert_target(data, 2, target);
    spgm_data_free(data);
    spgm_model_free(combined);
    static const char *const bad[] = {
        "\"models\": []", "\"models\": [{}, {}], \"classes\": [0]", "\"models\": [{}, {}], \"classes\": [0, 1]",
        "\"models\": [{}, {}], \"classes\": [\"a\", 1]", "\"models\": [{\"models\": []}, {}], \"classes\": [0, 1]"};
    for (size_t i = 0; i < IO_COUNT(bad); i++) {
        char text[256];
        spgm_model *model = NULL;
        snprintf(text, sizeof text, "{\"columns\": 2, \"sparsity\": 1, %s}", bad[i]);
        io_write("m.json", text);
        assert_int_equal(spgm_model_read("m.json", &model, &status), SPGM_ERROR_FORMAT);
    }
}

static void a_damaged_table_is_refused(void **state) {
    (void)state;
    static const struct io_bad cases[] = {
        {"{\"used\": [], \"missing\": \"drop\"}", SPGM_ERROR_FORMAT, "has no \"columns\", \"missing\" and \"used\""},
        {"{\"columns\": 1, \"missing\": \"x\", \"used\": []}", SPGM_ERROR_FORMAT, "has a \"missing\" that is unknown"},
        {"{\"columns\": 1, \"missing\": \"drop\", \"used\": [{\"column\": 1}]}", SPGM_ERROR_FORMAT,
         "has a \"column\" that is not in ascending order below \"columns\""},
        {"{\"columns\": 1, \"missing\": \"drop\", \"used\": [{\"column\": 0}], \"source\": [1], \"level\": [0]}",
         SPGM_ERROR_FORMAT, "has a \"source\" that is not one of the columns it uses"},
        {"{\"columns\": 1, \"missing\": \"drop\", \"used\": [{\"column\": 0}], \"source\": [0], \"level\": [0]}",
         SPGM_ERROR_FORMAT, "has a \"level\" that its column does not have"},
        {"{\"columns\": 1, \"missing\": \"drop\", \"used\": [{\"column\": 0, \"levels\": [\"a\", \"a\"]}]}",
         SPGM_ERROR_FORMAT, "is not a list of different texts"},
        {"{\"columns\": 1, \"missing\": \"drop\", \"used\": [{\"column\": 0, \"fill\": \"a\"}]}", SPGM_ERROR_FORMAT,
         "has a \"fill\" that is neither a number nor a level"},
    };
    for (size_t i = 0; i < IO_COUNT(cases); i++) {
        char text[512], sentence[256];
        spgm_model *model = NULL;
        spgm_status status;
        snprintf(text, sizeof text,
                 "{\"columns\": 2, \"sparsity\": 1, \"support\": [0], \"coefficients\": [1], \"table\": %s}",
                 cases[i].text);
        snprintf(sentence, sizeof sentence, "m.json: \"table\" %s; is it a model file?", cases[i].sentence);
        io_write("m.json", text);
        assert_int_equal(spgm_model_read("m.json", &model, &status), cases[i].code);
        assert_string_equal(status.message, sentence);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_becomes_a_column_for_each_level_but_the_first),
        cmocka_unit_test(all_levels_are_kept_where_asked_for),
        cmocka_unit_test(codes_are_levels_where_the_caller_says_so),
        cmocka_unit_test(a_file_without_a_header_may_hold_text),
        cmocka_unit_test(columns_are_left_out_by_name_pattern_or_number),
        cmocka_unit_test(rows_with_gaps_are_dropped_where_asked_for),
        cmocka_unit_test(gaps_become_medians_and_most_frequent_levels),
        cmocka_unit_test(identifiers_are_refused),
        cmocka_unit_test(large_categories_are_sparse),
        cmocka_unit_test(decimal_commas_and_separators_are_options),
        cmocka_unit_test(a_header_is_what_the_caller_says),
        cmocka_unit_test(weights_and_labels_come_from_columns),
        cmocka_unit_test(a_survey_describes),
        cmocka_unit_test(other_files_do_not_take_options_of_tables),
        cmocka_unit_test(files_of_other_kinds_are_called_what_they_are),
        cmocka_unit_test(a_model_takes_the_raw_table),
        cmocka_unit_test(a_plain_model_ignores_other_columns),
        cmocka_unit_test(labels_of_text_go_through_the_model),
        cmocka_unit_test(more_labels_are_a_model_for_each),
        cmocka_unit_test(a_damaged_table_is_refused),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
