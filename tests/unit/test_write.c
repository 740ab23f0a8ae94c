#include "unit/io_support.h"

#include <fcntl.h>

static spgm_data *dense(void) {
    return io_read_text("in.csv", "a,\"b, c\",y\n1,0,3\n0.1,-5e-300,6\n", NULL);
}

static spgm_data *sparse(void) {
    return io_read_text("in.svm", "1 1:0.5 3:2\n2\n-3.25 2:1e100\n", NULL);
}

static void assert_written(const spgm_data *data, const char *name, const char *text) {
    spgm_status status = {SPGM_ERROR_COUNT, "x"};
    int before = io_entries();
    unlink(name);
    before -= before - io_entries();
    assert_int_equal(spgm_data_write(data, name, &status), SPGM_OK);
    assert_int_equal(status.code, SPGM_OK);
    assert_string_equal(status.message, "");
    assert_int_equal(io_entries(), before + 1);
    if (text != NULL)
        io_assert_file(name, text);
}

static void every_format_is_written(void **state) {
    (void)state;
    spgm_data *data = dense();
    assert_written(data, "out.svm", "3 1:1\n6 1:0.1 2:-5e-300\n");
    assert_written(data, "out.txt", "3 1:1\n6 1:0.1 2:-5e-300\n");
    assert_written(data, "out.csv", "a,\"b, c\",y\n1,0,3\n0.1,-5e-300,6\n");
    assert_written(data, "out.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0.1\n0\n-5e-300\n");
    spgm_data_free(data);
    data = sparse();
    assert_written(data, "out.libsvm", "1 1:0.5 3:2\n2\n-3.25 2:1e+100\n");
    assert_written(data, "out.csv", "x1,x2,x3,y\n0.5,0,2,1\n0,0,0,2\n0,1e+100,0,-3.25\n");
    assert_written(data, "out.mtx",
                   "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 0.5\n3 2 1e+100\n1 3 2\n");
    spgm_data_free(data);
    spgm_read_options options = {.no_target = 1};
    data = io_read_text("m.csv", "1,2\n", &options);
    assert_written(data, "out.svm", "0 1:1 2:2\n");
    assert_written(data, "out.csv", "x1,x2\n1,2\n");
    spgm_data_free(data);
}

/* Every bit comes back from every format that keeps it. */
static void what_is_written_reads_back(void **state) {
    (void)state;
    static const char *const names[] = {"r.svm",    "r.csv",     "r.mtx",    "r.npy",
                                        "r.svm.gz", "r.csv.bz2", "r.mtx.xz", "r.npy.zst"};
    spgm_data *data = NULL;
    assert_int_equal(spgm_data_generate("random-23-9-C", 4, NULL, &data, NULL), SPGM_OK);
    spgm_matrix A = spgm_data_matrix(data);
    for (size_t i = 0; i < IO_COUNT(names); i++) {
        assert_written(data, names[i], NULL);
        spgm_data *back = io_read(names[i], NULL);
        spgm_matrix B = spgm_data_matrix(back);
        assert_int_equal(B.rows, 23);
        assert_int_equal(B.columns, 9);
        for (int64_t r = 0; r < 23; r++)
            for (int64_t c = 0; c < 9; c++)
                assert_true(io_at(back, r, c) == A.values[r + c * 23]);
        if (strstr(names[i], ".npy") == NULL && strstr(names[i], ".mtx") == NULL)
            io_assert_target(back, 23, spgm_data_target(data));
        spgm_data_free(back);
    }
    spgm_data_free(data);
}

static void npy_of_a_sparse_matrix_is_dense(void **state) {
    (void)state;
    const double expected[] = {0.5, 0, 2, 0, 0, 0, 0, 1e100, 0};
    size_t size;
    spgm_data *data = sparse();
    assert_written(data, "s.npy", NULL);
    spgm_data_free(data);
    data = io_read("s.npy", NULL);
    io_assert_matrix(data, 3, 3, expected);
    spgm_data_free(data);
    char *bytes = io_bytes("s.npy", &size);
    assert_int_equal(size, 128 + 9 * 8); /* the header ends at a multiple of 64, as NumPy has it */
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': True, 'shape': (3, 3), }",
                        68);
    assert_int_equal(bytes[127], '\n');
    free(bytes);
}

static void the_same_data_make_the_same_bytes(void **state) {
    (void)state;
    static const char *const endings[] = {"gz", "bz2", "xz", "zst"};
    spgm_data *data = dense();
    for (size_t i = 0; i < IO_COUNT(endings); i++) {
        char first[32], second[32];
        size_t sizes[2];
        snprintf(first, sizeof first, "t1.csv.%s", endings[i]);
        snprintf(second, sizeof second, "t2.csv.%s", endings[i]);
        assert_written(data, first, NULL);
        assert_written(data, second, NULL);
        char *one = io_bytes(first, &sizes[0]), *two = io_bytes(second, &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(one, two, sizes[0]);
        free(one);
        free(two);
    }
    spgm_data_free(data);
}

static void assert_refused(const spgm_data *data, const char *path, spgm_error code, const char *sentence) {
    spgm_status status = {SPGM_OK, ""};
    int before = io_entries();
    assert_int_equal(spgm_data_write(data, path, &status), code);
    assert_string_equal(status.message, sentence);
    assert_int_equal(spgm_data_write(data, path, NULL), code);
    assert_int_equal(io_entries(), before);
}

static void what_cannot_be_written_is_said_and_leaves_nothing(void **state) {
    (void)state;
    spgm_data *data = dense();
    assert_refused(
        data, "out.xls", SPGM_ERROR_ARGUMENT,
        "the name out.xls does not say the format: end it in .svm, .csv, .mtx or .npy, and .gz, .bz2, .xz or "
        ".zst after that to compress");
    assert_refused(
        data, "csv", SPGM_ERROR_ARGUMENT,
        "the name csv does not say the format: end it in .svm, .csv, .mtx or .npy, and .gz, .bz2, .xz or .zst "
        "after that to compress");
    assert_refused(data, "nowhere/out.csv", SPGM_ERROR_FILE, "cannot write nowhere/out.csv: No such file or directory");
    assert_int_equal(mkdir("folder.csv", 0777), 0);
    assert_refused(data, "folder.csv", SPGM_ERROR_FILE, "cannot write folder.csv: Is a directory");
    rmdir("folder.csv");
    assert_int_equal(symlink("/dev/full", "full.csv"), 0);
    assert_refused(data, "full.csv", SPGM_ERROR_FILE, "cannot write full.csv: No space left on device");
    assert_int_equal(symlink("/dev/full", "full.csv.gz"), 0);
    assert_refused(data, "full.csv.gz", SPGM_ERROR_FILE, "cannot write full.csv.gz: No space left on device");
    assert_refused(data, NULL, SPGM_ERROR_ARGUMENT, "the path is NULL");
    assert_refused(NULL, "out.csv", SPGM_ERROR_ARGUMENT, "data is NULL");
    spgm_data_free(data);
}

static void a_link_is_written_through(void **state) {
    (void)state;
    struct stat facts;
    spgm_data *data = dense();
    io_write("real.csv", "old");
    assert_int_equal(symlink("real.csv", "link.csv"), 0);
    assert_int_equal(spgm_data_write(data, "link.csv", NULL), SPGM_OK);
    assert_int_equal(lstat("link.csv", &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    io_assert_file("real.csv", "a,\"b, c\",y\n1,0,3\n0.1,-5e-300,6\n");
    spgm_data_free(data);
}

/* A reader who has the old file open keeps it: the new one is another file. */
static void a_file_is_replaced_whole(void **state) {
    (void)state;
    char old[8] = "";
    spgm_data *data = dense();
    io_write("whole.csv", "old");
    FILE *held = fopen("whole.csv", "r");
    assert_int_equal(spgm_data_write(data, "whole.csv", NULL), SPGM_OK);
    assert_non_null(fgets(old, sizeof old, held));
    assert_string_equal(old, "old");
    fclose(held);
    spgm_data_free(data);
}

static void standard_output_takes_any_matrix(void **state) {
    (void)state;
    spgm_data *data = dense(), *other = sparse();
    fflush(stdout);
    int keep = dup(STDOUT_FILENO);
    int file = open("stdout.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(file, STDOUT_FILENO);
    spgm_error first = spgm_data_write(data, "-", NULL);
    spgm_error second = spgm_data_write(other, "-", NULL);
    spgm_error third = spgm_vector_write("-", "ignored", (const double[]){1, 0.5}, 2, NULL);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    close(file);
    assert_int_equal(first, SPGM_OK);
    assert_int_equal(second, SPGM_OK);
    assert_int_equal(third, SPGM_OK);
    io_assert_file("stdout.txt", "a,\"b, c\",y\n1,0,3\n0.1,-5e-300,6\n1 1:0.5 3:2\n2\n-3.25 2:1e+100\n1\n0.5\n");
    spgm_data_free(data);
    spgm_data_free(other);
}

static void vectors_are_written_and_read_back(void **state) {
    (void)state;
    static const char *const names[] = {"v.csv", "v.npy", "v.mtx", "v.txt", "v.npy.gz"};
    const double values[] = {1, 1.0 / 3, -5e-324};
    for (size_t i = 0; i < IO_COUNT(names); i++) {
        spgm_status status;
        double *back = NULL;
        int64_t count = 0;
        assert_int_equal(spgm_vector_write(names[i], "pre\"diction", values, 3, &status), SPGM_OK);
        assert_int_equal(spgm_vector_read(names[i], &back, &count, &status), SPGM_OK);
        assert_int_equal(count, 3);
        assert_memory_equal(back, values, sizeof values);
        spgm_array_free(back);
    }
    io_assert_file("v.csv", "\"pre\"\"diction\"\n1\n0.3333333333333333\n-4.94065645841247e-324\n");
    spgm_status status;
    assert_int_equal(spgm_vector_write(NULL, NULL, values, 3, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "the path is NULL");
    assert_int_equal(spgm_vector_write("v.csv", NULL, NULL, 3, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "values is NULL");
    assert_int_equal(spgm_vector_write("v.csv", NULL, values, 0, &status), SPGM_ERROR_ARGUMENT);
    assert_string_equal(status.message, "count is below 1");
    assert_int_equal(spgm_vector_write("no/v.csv", NULL, values, 3, &status), SPGM_ERROR_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_written),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(npy_of_a_sparse_matrix_is_dense),
        cmocka_unit_test(the_same_data_make_the_same_bytes),
        cmocka_unit_test(what_cannot_be_written_is_said_and_leaves_nothing),
        cmocka_unit_test(a_link_is_written_through),
        cmocka_unit_test(a_file_is_replaced_whole),
        cmocka_unit_test(standard_output_takes_any_matrix),
        cmocka_unit_test(vectors_are_written_and_read_back),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
