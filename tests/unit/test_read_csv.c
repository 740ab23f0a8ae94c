#include "unit/io_support.h"

static void a_header_names_the_columns(void **state) {
    (void)state;
    spgm_data *data = io_read_text("a.csv", "age,\"height, \"\"m\"\"\",weight\n1,2,3\n4, \"5\" ,6.5e0\n", NULL);
    const double expected[] = {1, 2, 4, 5};
    const double target[] = {3, 6.5};
    io_assert_matrix(data, 2, 2, expected);
    io_assert_target(data, 2, target);
    assert_string_equal(spgm_data_column_name(data, 0), "age");
    assert_string_equal(spgm_data_column_name(data, 1), "height, \"m\"");
    assert_null(spgm_data_column_name(data, 2));
    assert_null(spgm_data_column_name(data, -1));
    assert_string_equal(spgm_data_target_name(data), "weight");
    assert_string_equal(spgm_data_format(data), "csv");
    spgm_data_free(data);
}

static void a_file_without_a_header_has_no_names(void **state) {
    (void)state;
    spgm_data *data = io_read_text("b.csv", "1,2,3\n4,5,6\n", NULL);
    const double expected[] = {1, 2, 4, 5};
    const double target[] = {3, 6};
    io_assert_matrix(data, 2, 2, expected);
    io_assert_target(data, 2, target);
    assert_null(spgm_data_column_name(data, 0));
    assert_null(spgm_data_target_name(data));
    spgm_data_free(data);
}

static void delimiters_are_found(void **state) {
    (void)state;
    static const char *const texts[] = {
        "a,b,y\n1,2,3\n4,5,6\n",
        "a;b;y\n1;2;3\n4;5;6\n",
        "a\tb\ty\n1\t2\t3\n4\t 5\t6 \n",
        "a b y\n1 2 3\n4 5 6\n",
        "  a   b \"y\"  \n 1   2  3 \n4 \t 5 6\n",
        "\xef\xbb\xbf"
        "a,b,y\r\n1,2,3\r\n\r\n4,5,6\r\n",
        "a|b|y\n1|2|3\n4|5|6\n",
        "a,b,y\r1,2,3\r4,5,6\r",
        "# from somewhere\n\na , b , y\n1 , 2 , 3\n\n  \n# x\n4,5,6",
    };
    const double expected[] = {1, 2, 4, 5};
    const double target[] = {3, 6};
    for (size_t i = 0; i < IO_COUNT(texts); i++) {
        spgm_data *data = io_read_text("c.csv", texts[i], NULL);
        io_assert_matrix(data, 2, 2, expected);
        io_assert_target(data, 2, target);
        assert_string_equal(spgm_data_column_name(data, 0), "a");
        assert_string_equal(spgm_data_column_name(data, 1), "b");
        assert_string_equal(spgm_data_target_name(data), "y");
        spgm_data_free(data);
    }
}

static void the_target_is_chosen_by_name_or_number(void **state) {
    (void)state;
    static const char *const names[] = {"b", "2"};
    const double expected[] = {1, 3, 4, 6};
    const double target[] = {2, 5};
    io_write("d.csv", "a,b,y\n1,2,3\n4,5,6\n");
    for (size_t i = 0; i < IO_COUNT(names); i++) {
        spgm_read_options options = {.target = names[i]};
        spgm_data *data = io_read("d.csv", &options);
        io_assert_matrix(data, 2, 2, expected);
        io_assert_target(data, 2, target);
        assert_string_equal(spgm_data_target_name(data), "b");
        assert_string_equal(spgm_data_column_name(data, 1), "y");
        spgm_data_free(data);
    }
    spgm_read_options options = {.target = "z"};
    io_assert_fails("d.csv", &options, SPGM_ERROR_FORMAT,
                    "d.csv, line 1: there is no column 'z'; the columns are 'a' to 'y', or a number from 1 to 3");
    options.target = "4";
    io_assert_fails("d.csv", &options, SPGM_ERROR_FORMAT,
                    "d.csv, line 1: there is no column '4'; the columns are 'a' to 'y', or a number from 1 to 3");
    io_write("e.csv", "1,2\n3,4\n");
    options.target = "y";
    io_assert_fails("e.csv", &options, SPGM_ERROR_FORMAT,
                    "e.csv, line 1: there is no column 'y'; the file has no header, so give a number from 1 to 2");
    io_write("e.csv", "a,y,y\n1,2,3\n");
    io_assert_fails("e.csv", &options, SPGM_ERROR_FORMAT,
                    "e.csv, line 1: two columns (2 and 3) are called 'y'; name the target by its number");
}

static void the_target_may_be_missing(void **state) {
    (void)state;
    const double whole[] = {1, 2, 3, 4, 5, 6};
    io_write("f.csv", "a,b,c\n1,2,3\n4,5,6\n");
    spgm_read_options options = {.no_target = 1};
    spgm_data *data = io_read("f.csv", &options);
    io_assert_matrix(data, 2, 3, whole);
    assert_null(spgm_data_target(data));
    spgm_data_free(data);

    spgm_read_options named = {.target = "y", .optional_target = 1};
    data = io_read("f.csv", &named);
    io_assert_matrix(data, 2, 3, whole);
    spgm_data_free(data);

    spgm_read_options counted = {.columns = 3, .optional_target = 1};
    data = io_read("f.csv", &counted);
    io_assert_matrix(data, 2, 3, whole);
    spgm_data_free(data);
    counted.columns = 2;
    data = io_read("f.csv", &counted);
    assert_string_equal(spgm_data_target_name(data), "c");
    spgm_data_free(data);
}

static void row_names_are_left_out(void **state) {
    (void)state;
    static const char *const texts[] = {
        "\"\",\"x\",\"y\"\n\"1\",5,6\n\"2\",7,8\n",      /* R's write.csv            */
        ",x,y\n0,5,6\n1,7,8\n",                          /* pandas                   */
        "rownames,x,y\nNorway,5,6\n\"Sri Lanka\",7,8\n", /* a dataset of R, as a file */
        "row,x,y\nA 1,5,6\nB 2,7,8\n",
        "\"x\" \"y\"\n\"1\" 5 6\n\"2\" 7 8\n", /* R's write.table          */
    };
    const double expected[] = {5, 7};
    const double target[] = {6, 8};
    for (size_t i = 0; i < IO_COUNT(texts); i++) {
        spgm_data *data = io_read_text("g.csv", texts[i], NULL);
        io_assert_matrix(data, 2, 1, expected);
        io_assert_target(data, 2, target);
        assert_string_equal(spgm_data_column_name(data, 0), "x");
        assert_string_equal(spgm_data_target_name(data), "y");
        spgm_data_free(data);
        spgm_read_options options = {.target = "2"};
        data = io_read("g.csv", &options); /* numbers count the columns of the file */
        assert_string_equal(spgm_data_target_name(data), "x");
        spgm_data_free(data);
    }
    spgm_data *data = io_read_text("g.csv", "row,x,y\n1,5,6\n", NULL); /* numbers are left out as text is */
    assert_int_equal(spgm_data_matrix(data).columns, 1);
    spgm_data_free(data);
    data = io_read_text("g.csv", ",0,1\n0,5,6\n", NULL); /* pandas, columns without names */
    assert_string_equal(spgm_data_column_name(data, 0), "0");
    spgm_data_free(data);
}

/* Model files are UTF-8, so names are: a header that is not is taken for Latin-1. */
static void names_become_utf8(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"gr\xf6\xdf"
         "e,y\n1,2\n",
         "gr\xc3\xb6\xc3\x9f"
         "e"}, /* Latin-1                */
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80,y\n1,2\n", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"}, /* UTF-8 */
        {"\xc0\xaf,y\n1,2\n", "\xc3\x80\xc2\xaf"},                         /* longer than need be    */
        {"\xed\xa0\x80,y\n1,2\n", "\xc3\xad\xc2\xa0\xc2\x80"},             /* a surrogate            */
        {"\xf4\x90\x80\x80,y\n1,2\n", "\xc3\xb4\xc2\x90\xc2\x80\xc2\x80"}, /* past the last character */
        {"\xe2\x82,y\n1,2\n", "\xc3\xa2\xc2\x82"},                         /* cut short              */
    };
    for (size_t i = 0; i < IO_COUNT(cases); i++) {
        spgm_data *data = io_read_text("u.csv", cases[i].text, NULL);
        assert_string_equal(spgm_data_column_name(data, 0), cases[i].name);
        spgm_data_free(data);
    }
}

#define FILL "fill it in, or use missing=drop (leaves out the row) or missing=median"
#define DATE "is a date or a time; turn it into a number, or exclude the column"

static void what_is_wrong_is_said_with_its_line_and_column(void **state) {
    (void)state;
    static const struct io_bad cases[] = {
        {"", SPGM_ERROR_FORMAT, "x.csv is empty"},
        {"\n\n", SPGM_ERROR_FORMAT, "x.csv has no rows"},
        {"a,b\n", SPGM_ERROR_FORMAT, "x.csv has a header but no rows"},
        {"y\n1\n2\n", SPGM_ERROR_FORMAT, "x.csv has no columns besides the target"},
        {"a,y\n1,2\n3\n", SPGM_ERROR_FORMAT, "x.csv, line 3: has only 1 field, where the lines before have 2"},
        {"a,y\n1,2\n\n3,4,5\n", SPGM_ERROR_FORMAT,
         "x.csv, line 4: has more than 2 fields, where the lines before have 2"},
        {"a,b,y\n1,2\n", SPGM_ERROR_FORMAT, "x.csv, line 2: has only 2 fields, where the lines before have 3"},
        {"a,y\n1,2\n1,cat\n", SPGM_ERROR_FORMAT,
         "x.csv, line 3, column 2 (y): 'cat' is not a number, as the values of the target above it are; correct it, or "
         "choose another column as the target"},
        {"1,2\n1,cat\n", SPGM_ERROR_FORMAT,
         "x.csv, line 2, column 2: 'cat' is not a number, as the values of the target above it are; correct it, or "
         "choose another column as the target"},
        {"a,y\n1,2\nx,3\n", SPGM_ERROR_FORMAT,
         "x.csv, line 3, column 1 (a): 'x' is not a number, as the values above it are; correct it, exclude the "
         "column, "
         "or list it under text"},
        {"a,y\n1,yes\n", SPGM_ERROR_FORMAT,
         "x.csv, line 2, column 2 (y): 'yes' is not a number; a target of text needs a loss for labels, such as hinge "
         "or logistic"},
        {"0,1,2\n3,8,5\n", SPGM_ERROR_FORMAT,
         "x.csv, line 1: its fields count up one by one, so it may be a header or data; use header=yes or header=no"},
        {"2001,2002,2003,2004\n3,8,5,1\n", SPGM_ERROR_FORMAT,
         "x.csv, line 1: its fields count up one by one, so it may be a header or data; use header=yes or header=no"},
        {"Ann,1,2\nBob,3,4\n", SPGM_ERROR_FORMAT,
         "x.csv, line 1: begins with text and continues with numbers, so it is neither a header nor data; add a header "
         "(in which a first column of row names is called 'rownames'), or use header=yes or header=no"},
        {"a,y\n,2\n", SPGM_ERROR_DATA, "x.csv, line 2, column 1 (a): the value is missing; " FILL},
        {"a,y\n1,NA\n", SPGM_ERROR_DATA, "x.csv, line 2, column 2 (y): the value is missing; " FILL},
        {"a,b,y\n1,2,3\n4,\"\",6\n", SPGM_ERROR_DATA, "x.csv, line 3, column 2 (b): the value is missing; " FILL},
        {"a,y\n1,?\n", SPGM_ERROR_DATA, "x.csv, line 2, column 2 (y): the value is missing; " FILL},
        {"1,NaN\n", SPGM_ERROR_DATA, "x.csv, line 1, column 2: the value is missing; " FILL},
        {"a,b,y\n1,,3\n,2,3\n4,NA,6\n7,8,9\n", SPGM_ERROR_DATA,
         "x.csv: 3 values are missing, first in line 2, by column: a (1), b (2); use missing=drop (leaves out 3 of "
         "4 "
         "rows) or missing=median, or exclude columns"},
        {"a,y\n1,-inf\n", SPGM_ERROR_DATA, "x.csv, line 2, column 2 (y): '-inf' is not a finite number"},
        {"inf,1\n", SPGM_ERROR_DATA, "x.csv, line 1, column 1: 'inf' is not a finite number"},
        {"-Infinity,1\n", SPGM_ERROR_DATA, "x.csv, line 1, column 1: '-Infinity' is not a finite number"},
        {"a,y\n1,1\n+inf,2\n", SPGM_ERROR_DATA, "x.csv, line 3, column 1 (a): '+inf' is not a finite number"},
        {"a,y\n1e400,2\n", SPGM_ERROR_DATA,
         "x.csv, line 2, column 1 (a): '1e400' is beyond the range of double numbers (1.8e308)"},
        {"a;y\n1,5;2\n", SPGM_ERROR_FORMAT,
         "x.csv, line 2, column 1 (a): '1,5' is not a number; write decimals with a point, or use decimal=,"},
        {"a,y\n1 2,3\n", SPGM_ERROR_FORMAT, "x.csv, line 2, column 1 (a): '1 2' is not a number"},
        {"a,y\n\"1,000\",3\n", SPGM_ERROR_FORMAT,
         "x.csv, line 2, column 1 (a): '1,000' is not a number: remove the thousands separators; if it is a "
         "decimal comma, use decimal=,"},
        {"a,y\n1'000'000,3\n", SPGM_ERROR_FORMAT,
         "x.csv, line 2, column 1 (a): '1'000'000' is not a number: remove the thousands separators"},
        {"a,y\n12 %,3\n", SPGM_ERROR_FORMAT,
         "x.csv, line 2, column 1 (a): '12 %' is not a number: remove the percent signs"},
        {"a,y\n$12.50,3\n", SPGM_ERROR_FORMAT,
         "x.csv, line 2, column 1 (a): '$12.50' is not a number: remove the currency signs"},
        {"a,y\n2024-01-31,3\n", SPGM_ERROR_FORMAT, "x.csv, line 2, column 1 (a): '2024-01-31' " DATE},
        {"a,y\n31.1.24,3\n", SPGM_ERROR_FORMAT, "x.csv, line 2, column 1 (a): '31.1.24' " DATE},
        {"a,y\n1/31/2024 14:05,3\n", SPGM_ERROR_FORMAT, "x.csv, line 2, column 1 (a): '1/31/2024 14:05' " DATE},
        {"a,y\n14:05,3\n", SPGM_ERROR_FORMAT, "x.csv, line 2, column 1 (a): '14:05' " DATE},
        {"a,y\n\"1,2\n", SPGM_ERROR_FORMAT, "x.csv, line 2: has a quote that is never closed"},
        {"a,y\n\"1\"2,3\n", SPGM_ERROR_FORMAT,
         "x.csv, line 2: has text right after a closing quote; a quote inside a field is written twice"},
        {"\xff\xfe"
         "a,y\n",
         SPGM_ERROR_FORMAT, "x.csv is UTF-16 text; save it as UTF-8"},
        {"a,y\n1,abcdefghijklmnopqrstuvwxyzabcdefghijklmnop\n", SPGM_ERROR_FORMAT,
         "x.csv, line 2, column 2 (y): 'abcdefghijklmnopqrstuvwxyzabcdefghij...' is not a number; a target of text "
         "needs a loss for labels, such as hinge or logistic"},
    };
    io_assert_bad("x.csv", cases, IO_COUNT(cases));
    io_write_bytes("x.csv", "a,y\n1,2\0\n", 9);
    io_assert_fails("x.csv", NULL, SPGM_ERROR_FORMAT, "x.csv, line 2, column 2 (y): '2?' is not a number");
    io_write_bytes("x.csv", "a,y\nx\0,2\n", 9);
    io_assert_fails("x.csv", NULL, SPGM_ERROR_FORMAT, "x.csv, line 2, column 1 (a): 'x?' is not a number");
}

static void one_row_and_one_column_are_enough(void **state) {
    (void)state;
    const double expected[] = {1};
    const double target[] = {2};
    spgm_data *data = io_read_text("h.csv", "1,2", NULL);
    io_assert_matrix(data, 1, 1, expected);
    io_assert_target(data, 1, target);
    spgm_data_free(data);
}

/* More numbers than a chunk holds, a width that divides nothing. */
static void tall_files_are_read_whole(void **state) {
    (void)state;
    enum { ROWS = 9973, COLUMNS = 7 };
    FILE *file = fopen("tall.csv", "w");
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            fprintf(file, "%d%c", i * COLUMNS + j, j == COLUMNS - 1 ? '\n' : ',');
    fclose(file);
    spgm_data *data = io_read("tall.csv", NULL);
    assert_int_equal(spgm_data_matrix(data).rows, ROWS);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS - 1; j++)
            assert_true(io_at(data, i, j) == i * COLUMNS + j);
        assert_true(spgm_data_target(data)[i] == i * COLUMNS + COLUMNS - 1);
    }
    spgm_data_free(data);
}

/* ---- vectors ---- */

static void assert_vector(const char *name, int64_t count, const double *expected) {
    double *values = NULL;
    int64_t found = -1;
    spgm_status status;
    spgm_error error = spgm_vector_read(name, &values, &found, &status);
    assert_string_equal(status.message, "");
    assert_int_equal(error, SPGM_OK);
    assert_int_equal(found, count);
    assert_memory_equal(values, expected, (size_t)count * sizeof *values);
    spgm_array_free(values);
}

static void vectors_come_in_every_format(void **state) {
    (void)state;
    static const char *const names[] = {"v.csv", "v.csv", "v.csv", "v.txt", "v.svm",
                                        "v.svm", "v.mtx", "v.mtx", "v.csv"};
    static const char *const texts[] = {"w\n1\n2\n4\n",
                                        "1\n2\n4\n",
                                        ",w\n0,1\n1,2\n2,4\n",
                                        "1\n2\n4\n",
                                        "1 1:5\n2\n4 2:1\n",
                                        "1\n2\n4\n",
                                        "%%MatrixMarket matrix array real general\n3 1\n1\n2\n4\n",
                                        "%%MatrixMarket matrix coordinate real general\n1 3 3\n1 3 4\n1 1 1\n1 2 2\n",
                                        "1,2,4\n"};
    const double expected[] = {1, 2, 4};
    for (size_t i = 0; i < IO_COUNT(texts); i++) {
        io_write(names[i], texts[i]);
        assert_vector(names[i], 3, expected);
    }
    const double sparse[] = {0, 2, 0};
    io_write("v.mtx", "%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 2\n");
    assert_vector("v.mtx", 3, sparse);
}

static void a_vector_has_one_column(void **state) {
    (void)state;
    double *values = NULL;
    int64_t count = 0;
    spgm_status status;
    io_write("v.csv", "1,2\n3,4\n5,6\n");
    assert_int_equal(spgm_vector_read("v.csv", &values, &count, &status), SPGM_ERROR_FORMAT);
    assert_string_equal(status.message, "v.csv has 3 rows and 2 columns: a vector must have one row or one column");
    assert_null(values);
    io_write("v.csv", "1\nNA\n");
    assert_int_equal(spgm_vector_read("v.csv", &values, &count, &status), SPGM_ERROR_DATA);
    assert_string_equal(status.message, "v.csv, line 2, column 1: the value is missing; fill it in or remove the row");
}

static void a_target_file_replaces_the_target(void **state) {
    (void)state;
    spgm_status status;
    const double expected[] = {7, 8};
    spgm_data *data = io_read_text("m.csv", "a,y\n1,2\n3,4\n", NULL);
    io_write("t.csv", "price\n7\n8\n");
    assert_int_equal(spgm_data_read_target(data, "t.csv", &status), SPGM_OK);
    assert_string_equal(status.message, "");
    io_assert_target(data, 2, expected);
    assert_string_equal(spgm_data_target_name(data), "price");
    io_write("t.csv", "7\n8\n9\n");
    assert_int_equal(spgm_data_read_target(data, "t.csv", &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message,
                        "t.csv has 3 values, but m.csv has 2 rows: the target needs one value for each row");
    io_assert_target(data, 2, expected);
    assert_int_equal(spgm_data_read_target(data, "none.csv", &status), SPGM_ERROR_FILE);
    spgm_data_free(data);
}

static void decimal_commas_are_numbers_in_the_first_line(void **state) {
    (void)state;
    const spgm_read_options options = {.decimal = ','};
    const double expected[] = {1.5, 2, 2.5, 3};
    const double target[] = {0.25, 4};
    spgm_data *data = io_read_text("f.csv", "1,5;2;0,25\n2,5;3;4\n", &options);
    io_assert_matrix(data, 2, 2, expected);
    io_assert_target(data, 2, target);
    assert_null(spgm_data_column_name(data, 0));
    spgm_data_free(data);
    data = io_read_text("g.csv", "a;1,5;y\n2,5;3;4\n", &options); /* a name above a number, so that 1,5 is a name too */
    assert_string_equal(spgm_data_column_name(data, 1), "1,5");
    spgm_data_free(data);
}

/* One text, with each kind of line end, in buffers that end anywhere: a blank line within quotes, doubled quotes beside
 * line breaks, a quote that is none because the field does not begin with it. */
static void quoted_fields_may_hold_line_breaks(void **state) {
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    for (size_t i = 0; i < IO_COUNT(ends); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "\"price%s(EUR)\",kind,y%s1,\"new%s%s\"\"x\"\"%s\",3%s2,5\" pipe,4%s7,\"new%s%s\"\"x\"\"%s\",5%s",
                 ends[i], ends[i], ends[i], ends[i], ends[i], ends[i], ends[i], ends[i], ends[i], ends[i], ends[i]);
        spgm_data *data = io_read_text("h.csv", text, NULL);
        const double expected[] = {1, 1, 2, 0, 7, 1};
        const double target[] = {3, 4, 5};
        io_assert_matrix(data, 3, 2, expected);
        io_assert_target(data, 3, target);
        assert_string_equal(spgm_data_column_name(data, 0), "price (EUR)");
        assert_string_equal(spgm_data_column_name(data, 1), "kind=new  \"x\" ");
        spgm_data_free(data);
    }
}

/* Lines count as they stand in the file, and a row has the number of its first line. */
static void a_row_of_several_lines_has_the_number_of_its_first(void **state) {
    (void)state;
    io_write("n.csv", "a,b,y\n1,\"x\n\nz\",3\n2,\"x\n\",oops\n");
    io_assert_fails("n.csv", NULL, SPGM_ERROR_FORMAT,
                    "n.csv, line 5, column 3 (y): 'oops' is not a number, as the values of the target above it are; "
                    "correct it, or choose another column as the target");
    io_write("o.csv", "a,y\n1,2\n\"3,4\n5,6\n");
    io_assert_fails("o.csv", NULL, SPGM_ERROR_FORMAT, "o.csv, line 3: has a quote that is never closed");
}

static void a_line_of_many_buffers_is_joined(void **state) {
    (void)state;
    enum { LINES = 30000 };
    char *text = malloc(LINES * 20 + 100);
    char *to = text + sprintf(text, "a,y\n\"");
    assert_non_null(text);
    for (int i = 0; i < LINES; i++) {
        to += sprintf(to, "line %d, and on\n", i);
    }
    sprintf(to, "\",1\nother,2\n");
    spgm_data *data = io_read_text("long.csv", text, NULL);
    const double target[] = {1, 2};
    io_assert_target(data, 2, target);
    assert_int_equal(spgm_data_matrix(data).columns, 1);
    spgm_data_free(data);
    free(text);
}

static void excel_says_what_separates(void **state) {
    (void)state;
    static const char *const texts[] = {"sep=;\na;b;y\n1;2;3\n4;5;6\n",
                                        "\xef\xbb\xbfSEP=,\r\na,b,y\r\n1,2,3\r\n4,5,6\r\n",
                                        "sep=/\na/b/y\n1/2/3\n4/5/6\n"};
    const double expected[] = {1, 2, 4, 5};
    for (size_t i = 0; i < IO_COUNT(texts); i++) {
        spgm_data *data = io_read_text("s.csv", texts[i], NULL);
        io_assert_matrix(data, 2, 2, expected);
        assert_string_equal(spgm_data_column_name(data, 0), "a");
        spgm_data_free(data);
    }
    io_write("t.csv", "sep=;\n");
    io_assert_fails("t.csv", NULL, SPGM_ERROR_FORMAT, "t.csv has no rows");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_names_the_columns),
        cmocka_unit_test(a_file_without_a_header_has_no_names),
        cmocka_unit_test(delimiters_are_found),
        cmocka_unit_test(the_target_is_chosen_by_name_or_number),
        cmocka_unit_test(the_target_may_be_missing),
        cmocka_unit_test(row_names_are_left_out),
        cmocka_unit_test(names_become_utf8),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line_and_column),
        cmocka_unit_test(one_row_and_one_column_are_enough),
        cmocka_unit_test(tall_files_are_read_whole),
        cmocka_unit_test(vectors_come_in_every_format),
        cmocka_unit_test(a_vector_has_one_column),
        cmocka_unit_test(a_target_file_replaces_the_target),
        cmocka_unit_test(decimal_commas_are_numbers_in_the_first_line),
        cmocka_unit_test(quoted_fields_may_hold_line_breaks),
        cmocka_unit_test(a_row_of_several_lines_has_the_number_of_its_first),
        cmocka_unit_test(a_line_of_many_buffers_is_joined),
        cmocka_unit_test(excel_says_what_separates),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
