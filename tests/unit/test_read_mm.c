#include "unit/io_support.h"

#define REAL "%%MatrixMarket matrix coordinate real general\n"
#define ARRAY "%%MatrixMarket matrix array real general\n"

static void coordinates_become_compressed_columns(void **state) {
    (void)state;
    /* neither rows nor columns in order, comments and blanks between */
    spgm_data *data = io_read_text(
        "a.mtx", REAL "% a comment\n\n3 4 5\n3 1 7\n1 1 0.5\n\n% another\n2 2 1e0\n3 4 5\r\n 1\t3   -2e3 \n", NULL);
    const double expected[] = {0.5, 0, -2e3, 0, 0, 1, 0, 0, 7, 0, 0, 5};
    io_assert_matrix(data, 3, 4, expected);
    io_assert_compressed(data);
    assert_null(spgm_data_target(data));
    assert_string_equal(spgm_data_format(data), "mm");
    spgm_data_free(data);
}

static void the_kinds_that_can_be_used(void **state) {
    (void)state;
    const double symmetric[] = {1, 2, 0, 2, 0, 3, 0, 3, 0};
    const double pattern[] = {0, 1, 1, 0};
    const double whole[] = {1, 4, 2, 5, 3, 6};
    const double triangle[] = {1, 2, 4, 2, 3, 5, 4, 5, 6};
    spgm_data *data =
        io_read_text("b.mtx", "%%matrixmarket MATRIX Coordinate INTEGER Symmetric\n3 3 3\n1 1 1\n2 1 2\n3 2 3\n", NULL);
    io_assert_matrix(data, 3, 3, symmetric);
    io_assert_compressed(data);
    spgm_data_free(data);
    data = io_read_text("b.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n", NULL);
    io_assert_matrix(data, 2, 2, pattern);
    spgm_data_free(data);
    data = io_read_text("b.mtx", ARRAY "3 2\n1\n2\n3\n4\n5\n6\n", NULL);
    io_assert_matrix(data, 3, 2, whole);
    assert_null(spgm_data_matrix(data).column_start);
    spgm_data_free(data);
    data = io_read_text("b.mtx", "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n4\n3\n5\n6\n", NULL);
    io_assert_matrix(data, 3, 3, triangle);
    spgm_data_free(data);
}

static void content_beats_the_name(void **state) {
    (void)state;
    spgm_data *data = io_read_text("c.csv", ARRAY "1 1\n5\n", NULL);
    assert_string_equal(spgm_data_format(data), "mm");
    spgm_data_free(data);
}

static void no_entries_are_a_matrix_of_zeros(void **state) {
    (void)state;
    const double zeros[] = {0, 0, 0, 0};
    spgm_data *data = io_read_text("d.mtx", REAL "2 2 0\n", NULL);
    io_assert_matrix(data, 2, 2, zeros);
    spgm_data_free(data);
}

#define ANY_BANNER                                                                                                     \
    "x.mtx, line 1: a Matrix Market file begins with '%%MatrixMarket matrix coordinate real general' or the like"

static void what_is_wrong_is_said_with_its_line(void **state) {
    (void)state;
    static const struct io_bad cases[] = {
        {"", SPGM_ERROR_FORMAT, "x.mtx is empty"},
        {"1 2 3\n", SPGM_ERROR_FORMAT, ANY_BANNER},
        {"%%MatrixMarket matrix coordinate real\n", SPGM_ERROR_FORMAT, ANY_BANNER},
        {"%%MatrixMarket vector coordinate real general\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 1: a Matrix Market file of kind 'vector' cannot be used; it must be matrix"},
        {"%%MatrixMarket matrix elemental real general\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 1: a Matrix Market file of kind 'elemental' cannot be used; it must be coordinate or array"},
        {"%%MatrixMarket matrix coordinate complex general\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 1: a Matrix Market file of kind 'complex' cannot be used; it must be real, integer or pattern"},
        {"%%MatrixMarket matrix array pattern general\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 1: a Matrix Market file of kind 'pattern' cannot be used; it must be real or integer"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 1: a Matrix Market file of kind 'hermitian' cannot be used; it must be general or symmetric"},
        {REAL, SPGM_ERROR_FORMAT, "x.mtx, line 1: the size line must be ROWS COLUMNS ENTRIES"},
        {REAL "% c\n2 2\n", SPGM_ERROR_FORMAT, "x.mtx, line 3: the size line must be ROWS COLUMNS ENTRIES"},
        {REAL "2 2 1 1\n", SPGM_ERROR_FORMAT, "x.mtx, line 2: the size line must be ROWS COLUMNS ENTRIES"},
        {ARRAY "2 -2\n", SPGM_ERROR_FORMAT, "x.mtx, line 2: the size line must be ROWS COLUMNS"},
        {REAL "0 2 0\n", SPGM_ERROR_FORMAT, "x.mtx, line 2: the matrix has no rows"},
        {ARRAY "2 0\n", SPGM_ERROR_FORMAT, "x.mtx, line 2: the matrix has no columns"},
        {"%%MatrixMarket matrix array real symmetric\n2 3\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 2: a symmetric matrix cannot have 2 rows and 3 columns"},
        {REAL "2 3000000000 0\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 2: 2 rows and 3000000000 columns are too many; at most 2147483647 of each can be used"},
        {REAL "2 2000000000 1\n1 1 5\n", SPGM_ERROR_FORMAT,
         "x.mtx claims 2000000000 columns, too many for its 1 entries; correct the size line"},
        {REAL "2 2 1\n3 1 5\n", SPGM_ERROR_FORMAT, "x.mtx, line 3: row 3 is not within 1 to 2"},
        {REAL "2 2 1\n1 0 5\n", SPGM_ERROR_FORMAT, "x.mtx, line 3: column 0 is not within 1 to 2"},
        {REAL "2 2 1\n1.5 1 5\n", SPGM_ERROR_FORMAT, "x.mtx, line 3: is not ROW COLUMN VALUE"},
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 3: is not ROW COLUMN"},
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 5\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 3: '5' follows the value, where the line should end"},
        {REAL "2 2 1\n1 1\n", SPGM_ERROR_FORMAT, "x.mtx, line 3: the value is missing"},
        {REAL "2 2 1\n1 1 five\n", SPGM_ERROR_FORMAT, "x.mtx, line 3: the value 'five' is not a number"},
        {REAL "2 2 1\n1 1 1e999\n", SPGM_ERROR_DATA,
         "x.mtx, line 3: the value '1e999' is beyond the range of double numbers (1.8e308)"},
        {REAL "2 2 1\n1 1 NaN\n", SPGM_ERROR_DATA, "x.mtx, line 3: the value 'NaN' is not a finite number"},
        {REAL "2 2 1\n1 1 5 6\n", SPGM_ERROR_FORMAT, "x.mtx, line 3: '6' follows the value, where the line should end"},
        {ARRAY "2 1\n1\ninf\n", SPGM_ERROR_DATA, "x.mtx, line 4: the value 'inf' is not a finite number"},
        {REAL "2 2 2\n1 1 5\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 3: the size line promises 2 entries, but the file ends after 1"},
        {REAL "2 2 1\n1 1 5\n2 2 6\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 4: the size line promises 1 entries, but more follow"},
        {ARRAY "2 2\n1\n2\n3\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 5: the size line promises 4 values, but the file ends after 3"},
        {REAL "2147483647 2147483647 4000000000000000000\n1 1 1\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 2: the size line must be ROWS COLUMNS ENTRIES"},
        {REAL "2147483647 2147483647 400000000000000000\n1 1 1\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 3: the size line promises 400000000000000000 entries, but the file ends after 1"},
        {ARRAY "2147483647 2147483647\n1\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 3: the size line promises 4611686014132420609 values, but the file ends after 1"},
        {REAL "3 3 4\n1 1 5\n2 2 1\n% c\n\n3 3 3\n2 2 6\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 8: the entry in row 2, column 2 is on line 4 already"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 5\n2 1 1\n1 2 1\n", SPGM_ERROR_FORMAT,
         "x.mtx, line 5: the entry in row 2, column 1 is on line 4 already (a symmetric file holds one triangle)"},
    };
    io_assert_bad("x.mtx", cases, IO_COUNT(cases));
}

/* More entries than a chunk holds, the columns backwards. */
static void many_entries_are_sorted(void **state) {
    (void)state;
    enum { SIZE = 150 };
    FILE *file = fopen("many.mtx", "w");
    fputs(REAL, file);
    fprintf(file, "%d %d %d\n", SIZE, SIZE, SIZE * SIZE);
    for (int i = SIZE; i >= 1; i--)
        for (int j = SIZE; j >= 1; j--)
            fprintf(file, "%d %d %d\n", i, j, i * 1000 + j);
    fclose(file);
    spgm_data *data = io_read("many.mtx", NULL);
    io_assert_compressed(data);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            assert_true(io_at(data, i, j) == (i + 1) * 1000 + j + 1);
    spgm_data_free(data);
    file = fopen("many.mtx", "a");
    fprintf(file, "7 9 1\n");
    fclose(file);
    io_assert_fails("many.mtx", NULL, SPGM_ERROR_FORMAT,
                    "many.mtx, line 22503: the size line promises 22500 entries, but more follow");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_become_compressed_columns),
        cmocka_unit_test(the_kinds_that_can_be_used),
        cmocka_unit_test(content_beats_the_name),
        cmocka_unit_test(no_entries_are_a_matrix_of_zeros),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(many_entries_are_sorted),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
