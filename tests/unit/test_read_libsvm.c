#include "unit/io_support.h"

#include <math.h>

static void a_file_becomes_compressed_columns(void **state) {
    (void)state;
    spgm_data *data = io_read_text("a.svm", "1 1:0.5 3:-2e3\n-1.5 2:1\n+3\t1:7 \t 3:.25 4:5.\n", NULL);
    const double expected[] = {0.5, 0, -2e3, 0, 0, 1, 0, 0, 7, 0, 0.25, 5};
    const double target[] = {1, -1.5, 3};
    io_assert_matrix(data, 3, 4, expected);
    io_assert_target(data, 3, target);
    io_assert_compressed(data);
    assert_int_equal(spgm_data_matrix(data).column_start[4], 6);
    assert_string_equal(spgm_data_format(data), "libsvm");
    assert_null(spgm_data_column_name(data, 0));
    assert_null(spgm_data_target_name(data));
    assert_null(spgm_data_truth(data));
    spgm_data_free(data);
}

static void comments_blanks_and_line_ends_do_not_matter(void **state) {
    (void)state;
    spgm_data *data =
        io_read_text("b.svm", "\xef\xbb\xbf# a comment\r\n\r\n1 1:2 # another 5:6\r\n   \t\n#\n2 2:3", NULL);
    const double expected[] = {2, 0, 0, 3};
    const double target[] = {1, 2};
    io_assert_matrix(data, 2, 2, expected);
    io_assert_target(data, 2, target);
    spgm_data_free(data);
}

static void a_row_may_be_empty(void **state) {
    (void)state;
    spgm_data *data = io_read_text("c.svm", "1\n2 1:1\n3\n", NULL);
    const double expected[] = {0, 1, 0};
    io_assert_matrix(data, 3, 1, expected);
    spgm_data_free(data);
}

static void columns_may_be_asked_for(void **state) {
    (void)state;
    spgm_read_options options = {.columns = 5};
    spgm_data *data = io_read_text("d.svm", "1 2:1\n", &options);
    const double expected[] = {0, 1, 0, 0, 0};
    io_assert_matrix(data, 1, 5, expected);
    spgm_data_free(data);
    options.columns = 1;
    data = io_read("d.svm", &options);
    assert_int_equal(spgm_data_matrix(data).columns, 2);
    spgm_data_free(data);
    options.columns = -1;
    io_assert_fails("d.svm", &options, SPGM_ERROR_ARGUMENT, "columns is -1: it must be from 0 to 2147483647");
}

static void a_matrix_needs_no_target(void **state) {
    (void)state;
    spgm_read_options options = {.no_target = 1};
    spgm_data *data = io_read_text("e.svm", "1:2 2:3\n7 1:4\n", &options);
    const double expected[] = {2, 3, 4, 0};
    io_assert_matrix(data, 2, 2, expected);
    assert_null(spgm_data_target(data));
    spgm_data_free(data);
}

static void content_tells_the_format(void **state) {
    (void)state;
    static const char *const texts[] = {"1 1:2\n", "# x\n-1\n1 7:1\n", "1\t1:2\n"};
    for (size_t i = 0; i < IO_COUNT(texts); i++) {
        spgm_data *data = io_read_text("f.txt", texts[i], NULL);
        assert_string_equal(spgm_data_format(data), "libsvm");
        spgm_data_free(data);
    }
}

static void extreme_numbers_are_exact(void **state) {
    (void)state;
    spgm_data *data = io_read_text("g.svm",
                                   "1e-400 1:1.7976931348623157e308 2:5e-324 3:2.2250738585072011e-308 "
                                   "4:9007199254740993 5:0.1000000000000000055511151231257827 6:1e-150 7:-0\n",
                                   NULL);
    const double expected[] = {
        1.7976931348623157e308, 5e-324, 2.2250738585072011e-308, 9007199254740992, 0.1, 1e-150, -0.0};
    io_assert_matrix(data, 1, 7, expected);
    assert_true(spgm_data_target(data)[0] == 0);
    spgm_data_free(data);
}

/* Longer than every buffer on the way. */
static void long_lines_are_read_whole(void **state) {
    (void)state;
    enum { COLUMNS = 100000 };
    FILE *file = fopen("long.svm", "w");
    fprintf(file, "1");
    for (int j = 1; j <= COLUMNS; j++)
        fprintf(file, " %d:%d.5", j, j);
    fprintf(file, "\n2 100000:3\n");
    fclose(file);
    spgm_data *data = io_read("long.svm", NULL);
    spgm_matrix A = spgm_data_matrix(data);
    assert_int_equal(A.rows, 2);
    assert_int_equal(A.columns, COLUMNS);
    assert_int_equal(A.column_start[COLUMNS], COLUMNS + 1);
    for (int64_t j = 0; j < COLUMNS; j++)
        assert_true(A.values[j] == (double)(j + 1) + 0.5);
    assert_true(A.values[COLUMNS] == 3);
    spgm_data_free(data);
}

static void what_is_wrong_is_said_with_its_line(void **state) {
    (void)state;
    static const struct io_bad cases[] = {
        {"", SPGM_ERROR_FORMAT, "x.svm is empty"},
        {"\n\n# only this\n", SPGM_ERROR_FORMAT, "x.svm has no rows"},
        {"1\n2\n", SPGM_ERROR_FORMAT, "x.svm has no columns: no line has an INDEX:VALUE"},
        {"1 1:2\n2 0:1\n", SPGM_ERROR_FORMAT, "x.svm, line 2: has index 0; LIBSVM indices start at 1"},
        {"1 3:2 2:1\n", SPGM_ERROR_FORMAT, "x.svm, line 1: index 2 comes after index 3; sort the indices of each line"},
        {"1 3:2 3:1\n", SPGM_ERROR_FORMAT, "x.svm, line 1: index 3 appears twice"},
        {"1 2147483648:1\n", SPGM_ERROR_FORMAT,
         "x.svm, line 1: index 2147483648 is too large; at most 2147483647 columns can be used"},
        {"1 1:1\n2 3:1 2000000000:1\n3 7:1\n", SPGM_ERROR_FORMAT,
         "x.svm, line 2: index 2000000000 would make as many columns, too many for the 4 entries of the file; correct "
         "the "
         "index, or number the columns without such gaps"},
        {"1 99999999999999999999:1\n", SPGM_ERROR_FORMAT,
         "x.svm, line 1: '99999999999999999999:1' is not INDEX:VALUE with a whole number before the colon"},
        {"1 1:nan\n", SPGM_ERROR_DATA, "x.svm, line 1: the value 'nan' of index 1 is not a finite number"},
        {"1 1:-inf\n", SPGM_ERROR_DATA, "x.svm, line 1: the value '-inf' of index 1 is not a finite number"},
        {"1 1:1e400\n", SPGM_ERROR_DATA,
         "x.svm, line 1: the value '1e400' of index 1 is beyond the range of double numbers (1.8e308)"},
        {"NaN 1:1\n", SPGM_ERROR_DATA, "x.svm, line 1: the target 'NaN' is not a finite number"},
        {"1 1:abc\n", SPGM_ERROR_FORMAT, "x.svm, line 1: the value 'abc' of index 1 is not a number"},
        {"1 1:0x10\n", SPGM_ERROR_FORMAT, "x.svm, line 1: the value '0x10' of index 1 is not a number"},
        {"1 1:\n", SPGM_ERROR_FORMAT, "x.svm, line 1: index 1 has no value after the colon"},
        {"1 1: 2\n", SPGM_ERROR_FORMAT, "x.svm, line 1: index 1 has no value after the colon"},
        {"1 1\n", SPGM_ERROR_FORMAT, "x.svm, line 1: '1' is not INDEX:VALUE with a whole number before the colon"},
        {"1 -1:2\n", SPGM_ERROR_FORMAT,
         "x.svm, line 1: '-1:2' is not INDEX:VALUE with a whole number before the colon"},
        {"1 :2\n", SPGM_ERROR_FORMAT, "x.svm, line 1: ':2' is not INDEX:VALUE with a whole number before the colon"},
        {"cat 1:2\n", SPGM_ERROR_FORMAT, "x.svm, line 1: the target 'cat' is not a number"},
        {"1,2 1:2\n", SPGM_ERROR_FORMAT, "x.svm, line 1: the target '1,2' is not a number"},
        {"1 1:1\n\n1:2 2:3\n", SPGM_ERROR_FORMAT,
         "x.svm, line 3: has no target before '1:2'; a line is TARGET INDEX:VALUE ..."},
        {"1 qid:3 1:2\n", SPGM_ERROR_FORMAT, "x.svm, line 1: has 'qid:', which belongs to ranking data; remove it"},
    };
    io_assert_bad("x.svm", cases, IO_COUNT(cases));
    io_write_bytes("x.svm", "1 1:2\0 2:3\n", 11);
    io_assert_fails("x.svm", NULL, SPGM_ERROR_FORMAT, "x.svm, line 1: the value '2' of index 1 is not a number");
}

static void what_cannot_be_opened_is_said(void **state) {
    (void)state;
    spgm_read_options options = {.format = "excel"};
    io_assert_fails("missing.svm", NULL, SPGM_ERROR_FILE, "cannot open missing.svm: No such file or directory");
    io_assert_fails(".", NULL, SPGM_ERROR_FILE, "cannot read .: Is a directory");
    io_write("x.svm", "1 1:1\n");
    io_assert_fails("x.svm", &options, SPGM_ERROR_ARGUMENT,
                    "there is no format 'excel': choose libsvm, csv, mm or npy");
    options.format = NULL;
    options.target = "y";
    io_assert_fails("x.svm", &options, SPGM_ERROR_ARGUMENT,
                    "x.svm has no column 'y' for the target; give a number from 1 to 1, or a file");
}

static void null_arguments_are_refused(void **state) {
    (void)state;
    spgm_status status;
    spgm_data *data = NULL;
    double *values = NULL;
    int64_t count = 0;
    assert_int_equal(spgm_data_read(NULL, NULL, &data, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "the path is NULL");
    assert_int_equal(spgm_data_read("x", NULL, NULL, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "data is NULL");
    assert_int_equal(spgm_vector_read(NULL, &values, &count, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_vector_read("x", NULL, &count, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_vector_read("x", &values, NULL, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_data_read_target(NULL, "x", &status), SPGM_ERROR_ARGUMENT);
    spgm_data_free(NULL);
    spgm_array_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_becomes_compressed_columns),
        cmocka_unit_test(comments_blanks_and_line_ends_do_not_matter),
        cmocka_unit_test(a_row_may_be_empty),
        cmocka_unit_test(columns_may_be_asked_for),
        cmocka_unit_test(a_matrix_needs_no_target),
        cmocka_unit_test(content_tells_the_format),
        cmocka_unit_test(extreme_numbers_are_exact),
        cmocka_unit_test(long_lines_are_read_whole),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(what_cannot_be_opened_is_said),
        cmocka_unit_test(null_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
