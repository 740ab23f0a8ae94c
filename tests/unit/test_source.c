/* Compressed files: every one that is cut short or damaged is refused, or reads as if it were whole. */
#include "unit/io_support.h"

#include <fcntl.h>

#include "io/data.h"

static const char *const endings[] = {"gz", "bz2", "xz", "zst"};

/* Enough text that no byte of a header decides over all of it. */
static spgm_data *make_instance(void) {
    spgm_data *data = NULL;
    assert_int_equal(spgm_data_generate("random-6-3", 11, NULL, &data, NULL), SPGM_OK);
    return data;
}

static int same_data(const spgm_data *left, const spgm_data *right) {
    spgm_matrix A = spgm_data_matrix(left), B = spgm_data_matrix(right);
    return A.rows == B.rows && A.columns == B.columns &&
           memcmp(A.values, B.values, (size_t)(A.rows * A.columns) * sizeof(double)) == 0 &&
           memcmp(spgm_data_target(left), spgm_data_target(right), (size_t)A.rows * sizeof(double)) == 0;
}

static void compressed_files_read_like_plain_ones(void **state) {
    (void)state;
    spgm_data *data = make_instance();
    for (size_t i = 0; i < IO_COUNT(endings); i++) {
        char name[32];
        snprintf(name, sizeof name, "a.csv.%s", endings[i]);
        assert_int_equal(spgm_data_write(data, name, NULL), SPGM_OK);
        spgm_data *back = io_read(name, NULL);
        assert_true(same_data(data, back));
        spgm_data_free(back);
        /* the content decides, not the name */
        assert_int_equal(rename(name, "renamed.csv"), 0);
        back = io_read("renamed.csv", NULL);
        assert_true(same_data(data, back));
        spgm_data_free(back);
    }
    spgm_data_free(data);
}

static void a_file_cut_short_is_refused(void **state) {
    (void)state;
    spgm_data *data = make_instance();
    for (size_t i = 0; i < IO_COUNT(endings); i++) {
        char name[32], sentence[128];
        size_t size;
        snprintf(name, sizeof name, "b.csv.%s", endings[i]);
        assert_int_equal(spgm_data_write(data, name, NULL), SPGM_OK);
        char *bytes = io_bytes(name, &size);
        snprintf(sentence, sizeof sentence, "%s is a truncated or damaged %s file (", name, endings[i]);
        for (size_t cut = 8; cut < size; cut++) { /* fewer do not say that they are compressed */
            spgm_status status = {SPGM_OK, ""};
            spgm_data *back = NULL;
            assert_int_equal(data_read_memory(name, bytes, cut, NULL, 0, &back, &status), SPGM_ERROR_FORMAT);
            assert_null(back);
            if (strncmp(status.message, sentence, strlen(sentence)) != 0)
                fail_msg("%zu of %zu bytes: %s", cut, size, status.message);
        }
        free(bytes);
    }
    spgm_data_free(data);
}

/* Flip one bit in each byte in turn. */
static void assert_damage_is_seen(const char *name) {
    size_t size;
    int refused = 0;
    char *bytes = io_bytes(name, &size);
    spgm_data *whole = io_read(name, NULL);
    for (size_t k = 0; k < size; k++) {
        spgm_data *back = NULL;
        bytes[k] ^= (char)(1 << (k % 8));
        if (data_read_memory(name, bytes, size, NULL, 0, &back, NULL) != SPGM_OK)
            refused++;
        else if (!same_data(whole, back))
            fail_msg("%s: byte %zu of %zu is damaged, and other numbers were read", name, k, size);
        spgm_data_free(back);
        bytes[k] ^= (char)(1 << (k % 8));
    }
    assert_true(refused > (int)size / 2);
    spgm_data_free(whole);
    free(bytes);
}

/* As the program zstd writes it; libarchive writes no checksum, and then damage cannot be seen. */
static const char zst_with_checksum[] =
    "\x28\xb5\x2f\xfd\x04\x68\xbd\x01\x00\x22\xc5\x0c\x0c\xd0\x3d\x05\x80\x8b\x90\x22\xe4\x4c\x34\x16"
    "\x0a\x9e\x67\x86\xcf\x0e\x90\x86\x79\x0e\x99\xf2\x16\xe8\xab\xc7\x18\xe4\x84\x26\x7c\x5d\xfa\xe8"
    "\x04\x67\x88\xc7\x89\xe9\x6e\x67\xbe\x79\x46\x1a\x0e\xde\x6b\x00\xa9\x9f\x5b\xf2";

static void a_damaged_file_is_refused_or_reads_the_same(void **state) {
    (void)state;
    spgm_data *data = make_instance();
    for (size_t i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "c.csv.%s", endings[i]);
        assert_int_equal(spgm_data_write(data, name, NULL), SPGM_OK);
        assert_damage_is_seen(name);
    }
    io_write_bytes("c.csv.zst", zst_with_checksum, sizeof zst_with_checksum - 1);
    assert_damage_is_seen("c.csv.zst");
    spgm_data_free(data);
}

/* "BZh" alone does not make a bz2 file. */
static void text_that_begins_like_a_compressed_file_is_text(void **state) {
    (void)state;
    spgm_data *data = io_read_text("b.csv", "BZh9,y\n1,2\n", NULL);
    assert_string_equal(spgm_data_column_name(data, 0), "BZh9");
    spgm_data_free(data);
}

static void appended(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(name, "ab");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void gz_files_may_have_several_members_and_padding(void **state) {
    (void)state;
    size_t size;
    spgm_data *data = io_read_text("d.csv", "1,2\n3,4\n", NULL);
    assert_int_equal(spgm_data_write(data, "d.svm.gz", NULL), SPGM_OK);
    spgm_data_free(data);
    char *bytes = io_bytes("d.svm.gz", &size);
    appended("d.svm.gz", bytes, size);
    appended("d.svm.gz", "\0\0\0\0\0", 5);
    data = io_read("d.svm.gz", NULL);
    assert_int_equal(spgm_data_matrix(data).rows, 4);
    spgm_data_free(data);
    appended("d.svm.gz", "rubbish", 7);
    io_assert_fails("d.svm.gz", NULL, SPGM_ERROR_FORMAT,
                    "d.svm.gz is a truncated or damaged gz file (other bytes follow its end): make or fetch it again");
    free(bytes);
}

/* gzip, bzip2, xz and zstd of no bytes at all. */
static void an_empty_file_stays_empty_when_compressed(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const char *bytes;
        size_t size;
    } files[] = {
        {"e.csv.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", 20},
        {"e.csv.bz2", "BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00", 14},
        {"e.csv.xz",
         "\xfd"
         "7zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x00\x00\x00\x00\x1c\xdf\x44\x21\x1f\xb6\xf3\x7d\x01\x00\x00\x00\x00\x04YZ",
         32},
        {"e.csv.zst", "\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51", 13},
    };
    for (size_t i = 0; i < IO_COUNT(files); i++) {
        char sentence[64];
        io_write_bytes(files[i].name, files[i].bytes, files[i].size);
        snprintf(sentence, sizeof sentence, "%s has no rows", files[i].name);
        io_assert_fails(files[i].name, NULL, SPGM_ERROR_FORMAT, sentence);
    }
}

/* A file of zeros that is small until it is read. */
static void text_without_line_ends_is_bounded_by_what_it_holds(void **state) {
    (void)state;
    const spgm_read_options csv = {.format = "csv"};
    char *zeros = calloc(1 << 20, 1);
    io_write_bytes("zeros.csv", zeros, 1 << 20);
    io_assert_fails("zeros.csv", NULL, SPGM_ERROR_FORMAT,
                    "zeros.csv is neither text nor NPY; the data must be LIBSVM, CSV, Matrix Market or NPY");
    io_assert_fails("zeros.csv", &csv, SPGM_ERROR_FORMAT,
                    "zeros.csv, line 1, column 1: '????????????????????????????????????...' is not a number");
    free(zeros);
}

static void long_names_keep_their_end(void **state) {
    (void)state;
    char path[400] = "", sentence[SPGM_MESSAGE_SIZE];
    for (int i = 0; i < 100; i++)
        strcat(path, "../");
    strcat(path, "nowhere/at/all.csv");
    spgm_status status;
    spgm_data *data = NULL;
    assert_int_equal(spgm_data_read(path, NULL, &data, &status), SPGM_ERROR_FILE);
    snprintf(sentence, sizeof sentence, "cannot open ...%s: No such file or directory",
             path + strlen(path) - (SOURCE_NAME_SIZE - 4));
    assert_string_equal(status.message, sentence);
}

static void excerpts_are_printable(void **state) {
    (void)state;
    char excerpt[EXCERPT_SIZE];
    const char *control = "a\tb\x01\x7f";
    const char *accents = "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                          "x\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
    assert_string_equal(source_excerpt(control, control + 5, excerpt), "a?b??");
    source_excerpt(accents, accents + strlen(accents), excerpt);
    assert_memory_equal(excerpt, accents, 35); /* 36 would cut a character in two */
    assert_string_equal(excerpt + 35, "...");
}

static void standard_input_is_a_file(void **state) {
    (void)state;
    int keep = dup(STDIN_FILENO);
    io_write("in.csv", "a,y\n1,2\n3,x\n");
    int file = open("in.csv", O_RDONLY);
    assert_true(file >= 0 && dup2(file, STDIN_FILENO) >= 0);
    io_assert_fails(
        "-", &(spgm_read_options){.format = "csv"}, SPGM_ERROR_FORMAT,
        "standard input, line 3, column 2 (y): 'x' is not a number, as the values of the target above it are; "
        "correct it, or choose another column as the target");
    dup2(keep, STDIN_FILENO);
    close(keep);
    close(file);
}

struct reports {
    int64_t count, last, all;
};

static void take_report(int64_t bytes, int64_t all, void *context) {
    struct reports *reports = context;
    assert_true(bytes > reports->last);
    *reports = (struct reports){reports->count + 1, bytes, all};
}

static void a_long_file_says_how_far_it_is(void **state) {
    (void)state;
    struct reports reports = {0};
    spgm_read_options how = {.progress = take_report, .progress_context = &reports};
    FILE *file = fopen("long.csv", "w");
    assert_non_null(file);
    for (int i = 0; i < 1000000; i++)
        fprintf(file, "%d,%d\n", i % 1000, i % 7);
    int64_t size = ftell(file);
    fclose(file);
    spgm_data *data = io_read("long.csv", &how);
    assert_int_equal(spgm_data_matrix(data).rows, 1000000); /* every line once */
    assert_int_equal(reports.all, size);
    assert_true(reports.count == 1 && reports.last <= size && reports.last >= size / 2);
    spgm_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressed_files_read_like_plain_ones),
        cmocka_unit_test(a_file_cut_short_is_refused),
        cmocka_unit_test(a_damaged_file_is_refused_or_reads_the_same),
        cmocka_unit_test(text_that_begins_like_a_compressed_file_is_text),
        cmocka_unit_test(gz_files_may_have_several_members_and_padding),
        cmocka_unit_test(an_empty_file_stays_empty_when_compressed),
        cmocka_unit_test(text_without_line_ends_is_bounded_by_what_it_holds),
        cmocka_unit_test(long_names_keep_their_end),
        cmocka_unit_test(excerpts_are_printable),
        cmocka_unit_test(standard_input_is_a_file),
        cmocka_unit_test(a_long_file_says_how_far_it_is),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
