#include "io/data.h"
#include "unit/io_support.h"

#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/map.h"
#include "memory_limit.h"
#include "share.h"

/* An NPY file of version `major` with this dictionary and these bytes. */
static void write_npy(const char *name, int major, const char *dictionary, const void *bytes, size_t size) {
    size_t length = strlen(dictionary), at = 6;
    unsigned char *file = calloc(1, 12 + length + size);
    memcpy(file, "\x93NUMPY", at);
    file[at++] = (unsigned char)major;
    file[at++] = 0;
    file[at++] = (unsigned char)length;
    file[at++] = (unsigned char)(length >> 8);
    if (major != 1) {
        file[at++] = 0;
        file[at++] = 0;
    }
    memcpy(file + at, dictionary, length);
    memcpy(file + at + length, bytes, size);
    io_write_bytes(name, file, at + length + size);
    free(file);
}

static void assert_read(const char *dictionary, const void *bytes, size_t size, int64_t rows, int64_t columns,
                        const double *expected) {
    for (int major = 1; major <= 3; major++) {
        write_npy("a.npy", major, dictionary, bytes, size);
        spgm_data *data = io_read("a.npy", NULL);
        io_assert_matrix(data, rows, columns, expected);
        assert_null(spgm_data_target(data));
        assert_string_equal(spgm_data_format(data), "npy");
        spgm_data_free(data);
    }
}

static void both_orders_give_the_same_matrix(void **state) {
    (void)state;
    const double expected[] = {1, 2, 3, 4, 5, 6};
    const double columns[] = {1, 4, 2, 5, 3, 6};
    assert_read("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }      \n", expected, sizeof expected, 2, 3,
                expected);
    assert_read("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", columns, sizeof columns, 2, 3, expected);
    assert_read("{'shape':(6,),'fortran_order':False,'descr':'<f8'}", expected, sizeof expected, 6, 1, expected);
    assert_read("{'descr': '<f8', 'fortran_order': True, 'shape': (1, 6), }", expected, sizeof expected, 1, 6,
                expected);
}

/* A header of 128 bytes in all, as NumPy writes it. */
static void write_aligned(const char *name, const char *order, const void *bytes, size_t size) {
    char dictionary[119];
    int length =
        snprintf(dictionary, sizeof dictionary, "{'descr': '<f8', 'fortran_order': %s, 'shape': (2, 3), }", order);

    memset(dictionary + length, ' ', sizeof dictionary - (size_t)length);
    dictionary[sizeof dictionary - 1] = 0;
    write_npy(name, 1, dictionary, bytes, size);
}

/* Columns of doubles stay where they are; what is done to them does not reach the file. */
static void columns_of_doubles_are_mapped(void **state) {
    (void)state;
    const double expected[] = {1, 2, 3, 4, 5, 6};
    const double columns[] = {1, 4, 2, 5, 3, 6}, broken[] = {1, 4, 2, NAN, 3, 6};
    spgm_data *data;

    write_aligned("a.npy", "True", columns, sizeof columns);
    for (int turn = 0; turn < 2; turn++) {
        data = io_read("a.npy", NULL);
        assert_non_null(data->map);
        io_assert_matrix(data, 2, 3, expected);
        spgm_data_free(data);
    }
    for (int64_t target = 1; target <= 3; target++) {
        const char *const names[] = {"1", "2", "3"};
        const double left[3][4] = {{2, 3, 5, 6}, {1, 3, 4, 6}, {1, 2, 4, 5}};
        const double taken[3][2] = {{1, 4}, {2, 5}, {3, 6}};

        data = io_read("a.npy", &(spgm_read_options){.target = names[target - 1]});
        assert_non_null(data->map);
        io_assert_matrix(data, 2, 2, left[target - 1]);
        io_assert_target(data, 2, taken[target - 1]);
        spgm_data_free(data);
        data = io_read("a.npy", NULL); /* the file is as it was */
        io_assert_matrix(data, 2, 3, expected);
        spgm_data_free(data);
    }
    write_aligned("a.npy", "False", expected, sizeof expected);
    data = io_read("a.npy", NULL);
    assert_null(data->map);
    io_assert_matrix(data, 2, 3, expected);
    spgm_data_free(data);
    write_aligned("a.npy", "True", broken, sizeof broken);
    io_assert_fails("a.npy", NULL, SPGM_ERROR_DATA, "a.npy, row 2, column 2: the value is not a number (NaN)");
    write_aligned("a.npy", "True", columns, sizeof columns - 1);
    io_assert_fails("a.npy", NULL, SPGM_ERROR_FORMAT,
                    "a.npy: the header claims 2 x 3 = 6 numbers, but the file holds only 5");
}

static void write_vector(const char *name, const char *type, int count, const void *bytes, size_t size) {
    char dictionary[119];
    int length = snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }",
                          type, count);

    memset(dictionary + length, ' ', sizeof dictionary - (size_t)length);
    dictionary[sizeof dictionary - 1] = 0;
    write_npy(name, 1, dictionary, bytes, size);
}

/* Beside a mapped matrix a target of doubles is mapped, too; another takes its place, mapped or not. */
static void a_target_is_mapped_with_its_matrix(void **state) {
    (void)state;
    const double columns[] = {1, 4, 2, 5, 3, 6}, target[] = {7, 8}, longer[] = {7, 8, 9}, broken[] = {7, INFINITY};
    const float singles[] = {9, 10};
    spgm_status status;
    spgm_data *data;

    write_aligned("a.npy", "True", columns, sizeof columns);
    write_vector("b.npy", "<f8", 2, target, sizeof target);
    write_vector("c.npy", "<f4", 2, singles, sizeof singles);
    write_vector("d.npy", "<f8", 3, longer, sizeof longer);
    write_vector("e.npy", "<f8", 2, broken, sizeof broken);
    data = io_read("a.npy", NULL);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(spgm_data_read_target(data, "b.npy", &status), SPGM_OK);
        assert_non_null(data->target_map);
        io_assert_target(data, 2, target);
        assert_int_equal(spgm_data_read_target(data, "d.npy", &status), SPGM_ERROR_ARGUMENT);
        assert_int_equal(spgm_data_read_target(data, "e.npy", &status), SPGM_ERROR_DATA);
        io_assert_target(data, 2, target);
        assert_int_equal(spgm_data_read_target(data, "c.npy", &status), SPGM_OK);
        assert_null(data->target_map);
        io_assert_target(data, 2, (const double[]){9, 10});
    }
    spgm_data_free(data);
    write_aligned("a.npy", "False", columns, sizeof columns);
    data = io_read("a.npy", NULL);
    assert_int_equal(spgm_data_read_target(data, "b.npy", &status), SPGM_OK);
    assert_null(data->target_map); /* the matrix is a copy, and so is this */
    io_assert_target(data, 2, target);
    spgm_data_free(data);
}

/* Large ones by rows or of floats too, where the caller takes them so; the target may be any column. */
static void large_files_of_other_layouts_are_mapped(void **state) {
    enum { WIDTH = 64, LINES = 32768 };
    static double values[WIDTH * LINES];
    static float singles[WIDTH * LINES];
    static const char *const names[] = {"1", "30", "64"};
    const spgm_read_options *none = NULL;

    (void)state;
    for (int64_t k = 0; k < WIDTH * LINES; k++) {
        values[k] = singles[k] = (float)(k % 1000) / 8;
    }
    for (int layout = 1; layout < 4; layout++) {
        int by_rows = layout != 2, is_single = layout >= 2;
        char dictionary[119];

        snprintf(dictionary, sizeof dictionary, "{'descr': '<f%d', 'fortran_order': %s, 'shape': (%d, %d), }",
                 is_single ? 4 : 8, by_rows ? "False" : "True", LINES, WIDTH);
        memset(dictionary + strlen(dictionary), ' ', sizeof dictionary - 1 - strlen(dictionary));
        dictionary[sizeof dictionary - 1] = 0;
        write_npy("a.npy", 1, dictionary, is_single ? (const void *)singles : values,
                  is_single ? sizeof singles : sizeof values);
        spgm_data *data = io_read("a.npy", none);
        assert_null(data->map);
        spgm_data_free(data);
        for (int target = 0; target < 3; target++) {
            int64_t taken = strtol(names[target], NULL, 10) - 1;

            data = io_read("a.npy", &(spgm_read_options){.any_layout = 1, .target = names[target]});
            assert_non_null(data->map);
            assert_int_equal(data->columns, WIDTH - 1);
            for (int64_t i = 0; i < LINES; i++) {
                spgm_matrix A = spgm_data_matrix(data);

                for (int64_t j = 0, from = 0; j < WIDTH; j++) {
                    double expected = values[by_rows ? i * WIDTH + j : i + j * LINES];
                    int64_t at = by_rows ? i * A.leading_dimension + from : i + from * A.leading_dimension;

                    if (j == taken) {
                        assert_true(data->target[i] == expected);
                    } else {
                        assert_true((is_single ? (double)A.singles[at] : A.values[at]) == expected);
                        from++;
                    }
                }
            }
            spgm_data_free(data);
        }
    }
    singles[100 * WIDTH + 3] = NAN; /* the file in place is of floats by rows */
    write_npy("a.npy", 1,
              "{'descr': '<f4', 'fortran_order': False, 'shape': (32768, 64), }                          "
              "                               ",
              singles, sizeof singles);
    io_assert_fails("a.npy", &(spgm_read_options){.any_layout = 1}, SPGM_ERROR_DATA,
                    "a.npy, row 101, column 4: the value is not a number (NaN)");
}

/* A file of zeros that takes no room but for the first and last row: column j has j + 1 and -(j + 1) there. */
static void write_hollow(const char *name, int by_rows, int is_single, int64_t rows, int64_t columns) {
    char dictionary[119];
    int length =
        snprintf(dictionary, sizeof dictionary, "{'descr': '<f%d', 'fortran_order': %s, 'shape': (%lld, %lld), }",
                 is_single ? 4 : 8, by_rows ? "False" : "True", (long long)rows, (long long)columns);
    size_t width = is_single ? sizeof(float) : sizeof(double);
    int descriptor;

    memset(dictionary + length, ' ', sizeof dictionary - (size_t)length);
    dictionary[sizeof dictionary - 1] = 0;
    write_npy(name, 1, dictionary, "", 0);
    descriptor = open(name, O_RDWR);
    assert_true(descriptor >= 0 && ftruncate(descriptor, 128 + (off_t)width * rows * columns) == 0);
    for (int64_t j = 0; j < columns; j++) {
        for (int end = 0; end < 2; end++) {
            int64_t i = end ? rows - 1 : 0, at = by_rows ? i * columns + j : i + j * rows;
            double value = (double)(end ? -(j + 1) : j + 1);
            float single = (float)value;

            assert_int_equal(pwrite(descriptor, is_single ? (void *)&single : &value, width, 128 + at * (off_t)width),
                             width);
        }
    }
    close(descriptor);
}

static double stored_entry(const spgm_matrix *A, int64_t i, int64_t j) {
    int64_t column = A->column_of[j];
    int64_t at = A->by_rows ? i * A->leading_dimension + column : i + column * A->leading_dimension;

    return A->singles != NULL ? (double)A->singles[at] : A->values[at];
}

/* Where they are columns of a large file, target and weights are left out of the matrix, which stays where it is: 5 %
 * of the file are more than reading it takes. A target of floats in a file of its own is read where it stands, too. */
static void columns_of_a_large_file_are_left_out(void **state) {
    enum { LINES = 1 << 20, WIDTH = 34, TARGET = 17, WEIGHTS = 3 };
    spgm_scratch *scratch = NULL;
    spgm_status status;

    (void)state;
    assert_int_equal(spgm_scratch_new(".", &scratch, &status), SPGM_OK);
    for (int layout = 0; layout < SHARE(4, 2); layout++) {
        int is_single = layout % 2 == 0, by_rows = layout / 2 == 0;
        spgm_read_options how = {
            .any_layout = 1, .target = "17", .weights = "3", .memory = spgm_scratch_memory(scratch)};
        long long before = memory_now("RssAnon:"), bytes = (long long)LINES * WIDTH * (is_single ? 4 : 8);
        spgm_matrix A;
        spgm_data *data;

        write_hollow("large.npy", by_rows, is_single, LINES, WIDTH);
        data = io_read("large.npy", &how);
        A = spgm_data_matrix(data);
        assert_int_equal(A.columns, WIDTH - 2);
        assert_true(spgm_matrix_is_large(&A));
        for (int64_t j = 0, from = 1; j < A.columns; j++, from++) {
            from += from == WEIGHTS || from == TARGET;
            assert_true(stored_entry(&A, 0, j) == (double)from && stored_entry(&A, LINES - 1, j) == (double)-from);
        }
        assert_true(data->target[0] == TARGET && data->target[1] == 0 && data->target[LINES - 1] == -TARGET);
        assert_true(data->weights[0] == WEIGHTS && data->weights[LINES - 1] == -WEIGHTS);
        write_hollow("target.npy", 0, 1, LINES, 1);
        assert_int_equal(spgm_data_read_target(data, "target.npy", &status), SPGM_OK);
        assert_true(data->target[0] == 1 && data->target[1] == 0 && data->target[LINES - 1] == -1);
        assert_true(SHARE(0, 1) || memory_now("RssAnon:") - before < bytes / 20); /* tools take memory of their own */
        spgm_data_free(data);
    }
    spgm_scratch_free(scratch);
    unlink("large.npy");
}

/* Where no memory could hold a copy, the file can still be read. */
static void what_memory_cannot_hold_is_locked(void **state) {
    (void)state;
    const double columns[] = {1, 4, 2, 5, 3, 6};
    struct rlimit usual, little;
    int descriptor, is_locked = 0, is_obeyed; /* by the system: an emulator may not */
    const char *map;

    write_aligned("a.npy", "True", columns, sizeof columns);
    descriptor = open("a.npy", O_RDONLY);
    assert_true(descriptor >= 0 && getrlimit(RLIMIT_DATA, &usual) == 0);
    little = usual;
    little.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_DATA, &little), 0);
    is_obeyed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0) == MAP_FAILED;
    map = map_file(descriptor, 128 + sizeof columns, &is_locked);
    assert_int_equal(setrlimit(RLIMIT_DATA, &usual), 0);
    assert_non_null(map);
    assert_int_equal(is_locked, is_obeyed);
    assert_memory_equal(map + 128, columns, sizeof columns);
    map_free((void *)map, 128 + sizeof columns);
    assert_null(map_file(descriptor, 7, &is_locked)); /* not its length */
    close(descriptor);
}

static void every_type_of_number_is_read(void **state) {
    (void)state;
    const float f4[] = {1.5f, -0.25f};
    const int8_t i1[] = {-128, 127};
    const int16_t i2[] = {-32768, 32767};
    const int32_t i4[] = {INT32_MIN, INT32_MAX};
    const int64_t i8[] = {INT64_MIN, -3};
    const uint8_t u1[] = {0, 255};
    const uint16_t u2[] = {1, 65535};
    const uint32_t u4[] = {1, UINT32_MAX};
    const uint64_t u8[] = {1, UINT64_C(1) << 63};
    const struct {
        const char *type;
        const void *bytes;
        size_t size;
        double expected[2];
    } cases[] = {
        {"<f4", f4, sizeof f4, {1.5, -0.25}},
        {"|i1", i1, sizeof i1, {-128, 127}},
        {"<i2", i2, sizeof i2, {-32768, 32767}},
        {"<i4", i4, sizeof i4, {-2147483648.0, 2147483647.0}},
        {"<i8", i8, sizeof i8, {-9223372036854775808.0, -3}},
        {"|u1", u1, sizeof u1, {0, 255}},
        {"<u2", u2, sizeof u2, {1, 65535}},
        {"<u4", u4, sizeof u4, {1, 4294967295.0}},
        {"<u8", u8, sizeof u8, {1, 9223372036854775808.0}},
        {"|b1", (const uint8_t[]){1, 0}, 2, {1, 0}},
    };
    for (size_t i = 0; i < IO_COUNT(cases); i++) {
        char dictionary[128];
        snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }",
                 cases[i].type);
        assert_read(dictionary, cases[i].bytes, cases[i].size, 2, 1, cases[i].expected);
    }
}

static void assert_bad(int major, const char *dictionary, const void *bytes, size_t size, spgm_error code,
                       const char *sentence) {
    write_npy("x.npy", major, dictionary, bytes, size);
    io_assert_fails("x.npy", NULL, code, sentence);
}

static void a_header_that_is_wrong_or_lies_is_said(void **state) {
    (void)state;
    static const double six[6] = {1, 2, 3, 4, 5, 6};
    static const struct {
        const char *dictionary, *sentence;
    } cases[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }",
         "x.npy: the header claims 2 x 4 = 8 numbers, but the file holds only 6"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }",
         "x.npy: the header claims 2 x 2 = 4 numbers, but more bytes follow after 4"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000, 1000000), }",
         "x.npy: the header claims 100000000000 x 1000000 = 100000000000000000 numbers, but the file holds only 6"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000, 100000000000), }",
         "x.npy: the header claims 100000000000 x 100000000000 numbers, more than any file holds"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", "x.npy: the array has no rows"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0), }", "x.npy: the array has no columns"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }",
         "x.npy: the array has more than two dimensions"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
         "x.npy: is a single number, not a matrix or a vector"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 3), }",
         "x.npy: the 'shape' of the NPY header is not a list of whole numbers"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3", /* never closed */
         "x.npy: the 'shape' of the NPY header is not a list of whole numbers"},
        {"{'descr': '<f8', 'fortran_order': False, }", "x.npy: the NPY header has no 'shape'"},
        {"{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 3), }",
         "x.npy: the NPY header has no 'fortran_order' of True or False"},
        {"{'fortran_order': False, 'shape': (2, 3), }", "x.npy: the NPY header has no 'descr'"},
        {"{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }",
         "x.npy: numbers of NPY type '>f8' cannot be used; save them as float64 with the low byte first ('<f8')"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3), }",
         "x.npy: numbers of NPY type '<c16' cannot be used; save them as float64"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }",
         "x.npy: numbers of NPY type '|O' cannot be used; save them as float64"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }",
         "x.npy: numbers of NPY type '<f2' cannot be used; save them as float64"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6,), }",
         "x.npy: numbers of NPY type [('a' cannot be used; save them as float64"},
    };
    for (size_t i = 0; i < IO_COUNT(cases); i++)
        assert_bad(1, cases[i].dictionary, six, sizeof six, SPGM_ERROR_FORMAT, cases[i].sentence);
    assert_bad(4, "", six, 0, SPGM_ERROR_FORMAT, "x.npy: is of an NPY version that is not known (1 to 3 are)");
    io_write_bytes("x.npy", "\x93NUMPY\x01\x00\x40\x00{'des", 15);
    io_assert_fails("x.npy", NULL, SPGM_ERROR_FORMAT, "x.npy: the NPY file ends inside its header");
    io_write_bytes("x.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff{'des", 17);
    io_assert_fails("x.npy", NULL, SPGM_ERROR_FORMAT, "x.npy: the header of the NPY file claims more than 65536 bytes");
    io_write("x.npy", "1,2\n3,4\n");
    io_assert_fails("x.npy", NULL, SPGM_ERROR_FORMAT, "x.npy: is not an NPY file");
    io_write("x.npy", "");
    io_assert_fails("x.npy", NULL, SPGM_ERROR_FORMAT, "x.npy is empty");
}

static void numbers_must_be_finite(void **state) {
    (void)state;
    double six[6] = {1, 2, 3, 4, NAN, 6};
    assert_bad(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", six, sizeof six, SPGM_ERROR_DATA,
               "x.npy, row 2, column 2: the value is not a number (NaN)");
    six[4] = -INFINITY;
    assert_bad(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", six, sizeof six, SPGM_ERROR_DATA,
               "x.npy, row 1, column 3: the value is infinite");
}

/* Across the chunks and the blocks of a read. */
static void large_files_are_read_whole(void **state) {
    (void)state;
    enum { ROWS = 211, COLUMNS = 307 };
    static double values[ROWS * COLUMNS];
    for (int k = 0; k < ROWS * COLUMNS; k++)
        values[k] = k;
    for (int fortran = 0; fortran < 2; fortran++) {
        char header[256];
        snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': %s, 'shape': (211, 307), }",
                 fortran ? "True" : "False");
        write_npy("large.npy", 1, header, values, 0);
        FILE *file = fopen("large.npy", "ab");
        assert_int_equal(fwrite(values, sizeof values, 1, file), 1);
        fclose(file);
        spgm_data *data = io_read("large.npy", NULL);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                assert_true(io_at(data, i, j) == (fortran ? i + j * ROWS : i * COLUMNS + j));
        spgm_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_a_large_file_are_left_out), /* first: no memory that was freed is used again */
        cmocka_unit_test(both_orders_give_the_same_matrix),
        cmocka_unit_test(columns_of_doubles_are_mapped),
        cmocka_unit_test(a_target_is_mapped_with_its_matrix),
        cmocka_unit_test(large_files_of_other_layouts_are_mapped),
        cmocka_unit_test(what_memory_cannot_hold_is_locked),
        cmocka_unit_test(every_type_of_number_is_read),
        cmocka_unit_test(a_header_that_is_wrong_or_lies_is_said),
        cmocka_unit_test(numbers_must_be_finite),
        cmocka_unit_test(large_files_are_read_whole),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
