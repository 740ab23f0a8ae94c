/* The paper's instances, taken apart again with independent code. */
#include "unit/io_support.h"

#include <math.h>

static spgm_data *generate(const char *name, uint64_t seed, const spgm_generate_options *options) {
    spgm_status status = {SPGM_ERROR_COUNT, "x"};
    spgm_data *data = NULL;
    spgm_error error = spgm_data_generate(name, seed, options, &data, &status);
    assert_string_equal(status.message, "");
    assert_int_equal(error, SPGM_OK);
    assert_int_equal(status.code, SPGM_OK);
    return data;
}

/* b - A xbar, recomputed row by row. */
static double noise_at(const spgm_data *data, int64_t i) {
    spgm_matrix A = spgm_data_matrix(data);
    double product = 0;
    for (int64_t j = 0; j < A.columns; j++)
        product += io_at(data, i, j) * spgm_data_truth(data)[j];
    return spgm_data_target(data)[i] - product;
}

static int64_t support_of(const spgm_data *data) {
    int64_t count = 0;
    for (int64_t j = 0; j < spgm_data_matrix(data).columns; j++)
        count += spgm_data_truth(data)[j] != 0;
    return count;
}

static void moments(const double *values, int64_t count, double *mean, double *variance) {
    *mean = *variance = 0;
    for (int64_t k = 0; k < count; k++)
        *mean += values[k] / (double)count;
    for (int64_t k = 0; k < count; k++)
        *variance += (values[k] - *mean) * (values[k] - *mean) / (double)count;
}

static void a_random_instance_follows_the_recipe(void **state) {
    (void)state;
    spgm_data *data = generate("random-256-1024", 1, NULL);
    spgm_matrix A = spgm_data_matrix(data);
    double mean, variance, noise[256];
    assert_int_equal(A.rows, 256);
    assert_int_equal(A.columns, 1024);
    assert_null(A.column_start);
    moments(A.values, 256 * 1024, &mean, &variance);
    assert_true(fabs(mean) < 0.01 && fabs(variance - 1) < 0.02);
    assert_int_equal(support_of(data), 100);
    for (int64_t i = 0; i < 256; i++)
        noise[i] = noise_at(data, i);
    moments(noise, 256, &mean, &variance);
    assert_true(fabs(mean) < 2.5 && fabs(variance / 100 - 1) < 0.35);
    assert_string_equal(spgm_data_format(data), "generated");
    spgm_data_free(data);
}

static void the_seed_decides(void **state) {
    (void)state;
    spgm_data *one = generate("random-20-30", 7, NULL), *same = generate("random-20-30", 7, NULL),
              *other = generate("random-20-30", 8, NULL);
    size_t size = 20 * 30 * sizeof(double);
    assert_memory_equal(spgm_data_matrix(one).values, spgm_data_matrix(same).values, size);
    assert_memory_equal(spgm_data_target(one), spgm_data_target(same), 20 * sizeof(double));
    assert_memory_equal(spgm_data_truth(one), spgm_data_truth(same), 30 * sizeof(double));
    assert_int_equal(support_of(one), 30); /* fewer than 100 columns: all of them */
    assert_memory_not_equal(spgm_data_matrix(one).values, spgm_data_matrix(other).values, size);
    spgm_data_free(one);
    spgm_data_free(same);
    spgm_data_free(other);
}

static void corruption_multiplies_two_in_a_hundred(void **state) {
    (void)state;
    spgm_data *plain = generate("random-50-40", 3, NULL), *corrupted = generate("random-50-40-C", 3, NULL);
    const double *before = spgm_data_matrix(plain).values, *after = spgm_data_matrix(corrupted).values;
    int changed = 0;
    for (int k = 0; k < 2000; k++) {
        if (after[k] != before[k]) {
            assert_true(after[k] == 100 * before[k]);
            changed++;
        }
    }
    assert_int_equal(changed, 40);
    assert_memory_equal(spgm_data_truth(plain), spgm_data_truth(corrupted), 40 * sizeof(double));
    for (int64_t i = 0; i < 50; i++) /* b belongs to the corrupted A, with the noise of the plain one */
        assert_true(fabs(noise_at(plain, i) - noise_at(corrupted, i)) < 1e-9);
    spgm_data_free(plain);
    spgm_data_free(corrupted);
}

static void outliers_multiply_two_in_a_hundred_of_the_noise(void **state) {
    (void)state;
    spgm_data *plain = generate("random-150-40", 3, NULL), *outliers = generate("random-150-40-O", 3, NULL),
              *both = generate("random-150-40-C-O", 3, NULL);
    int changed = 0;
    assert_memory_equal(spgm_data_matrix(plain).values, spgm_data_matrix(outliers).values, 6000 * sizeof(double));
    for (int64_t i = 0; i < 150; i++) {
        double ratio = noise_at(outliers, i) / noise_at(plain, i);
        if (fabs(ratio - 1) > 1e-6) {
            assert_true(fabs(ratio - 100) < 1e-6);
            changed++;
        }
        assert_true(fabs(noise_at(both, i) - noise_at(outliers, i)) < 1e-8);
    }
    assert_int_equal(changed, 3);
    spgm_data_free(plain);
    spgm_data_free(outliers);
    spgm_data_free(both);
}

static void options_are_kept(void **state) {
    (void)state;
    spgm_generate_options options = {.support = 5, .noise = -1};
    spgm_data *data = generate("random-30-20", 2, &options);
    assert_int_equal(support_of(data), 5);
    for (int64_t i = 0; i < 30; i++)
        assert_true(fabs(noise_at(data, i)) < 1e-12);
    spgm_data_free(data);
    options.noise = 1e-3;
    data = generate("random-30-20", 2, &options);
    double noise[30], mean, variance;
    for (int64_t i = 0; i < 30; i++)
        noise[i] = noise_at(data, i);
    moments(noise, 30, &mean, &variance);
    assert_true(variance > 0.2e-6 && variance < 3e-6);
    spgm_data_free(data);
}

/* 12 rows; column j (from 1) has nonzeros in the first j rows; column 7 holds a zero that is written out. */
static void write_file(void) {
    FILE *file = fopen("real.svm", "w");
    for (int i = 1; i <= 12; i++) {
        fprintf(file, "%d", 100 + i);
        for (int j = 1; j <= 9; j++)
            if (i <= j)
                fprintf(file, " %d:%d", j, j == 7 && i == 1 ? 0 : 10 * j + i);
        fprintf(file, "\n");
    }
    fclose(file);
}

static void a_real_instance_takes_usable_columns_at_norm_sqrt_m(void **state) {
    (void)state;
    spgm_generate_options options = {.from = "real.svm"};
    write_file();
    spgm_data *data = generate("e2006-12-5", 6, &options); /* columns 5 to 9 have at least 5 nonzeros */
    spgm_matrix A = spgm_data_matrix(data);
    io_assert_compressed(data);
    for (int64_t j = 0; j < 5; j++) {
        double sum = 0;
        int file_column = (int)j + 5;
        int64_t stored = file_column - (file_column == 7);
        assert_int_equal(A.column_start[j + 1] - A.column_start[j], stored);
        for (int64_t k = A.column_start[j]; k < A.column_start[j + 1]; k++)
            sum += A.values[k] * A.values[k];
        assert_true(fabs(sum - 12) < 1e-12);
        /* ratios within a column are those of the file */
        int64_t first = A.row_index[A.column_start[j]] + 1, last = A.row_index[A.column_start[j + 1] - 1] + 1;
        assert_true(fabs(A.values[A.column_start[j + 1] - 1] / A.values[A.column_start[j]] -
                         (double)(10 * file_column + last) / (double)(10 * file_column + first)) < 1e-14);
    }
    assert_int_equal(support_of(data), 5);
    spgm_data_free(data);
}

/* Too few columns with 5 nonzeros: those with 4 join them, no others. */
static void a_real_instance_makes_do_with_emptier_columns(void **state) {
    (void)state;
    spgm_generate_options options = {.from = "real.svm"};
    write_file();
    spgm_data *data = generate("e2006-12-6", 6, &options);
    spgm_matrix A = spgm_data_matrix(data);
    for (int64_t j = 0; j < 6; j++)
        assert_int_equal(A.column_start[j + 1] - A.column_start[j], j + 4 - (j + 4 == 7));
    spgm_data_free(data);
}

static void a_raw_instance_keeps_numbers_and_target(void **state) {
    (void)state;
    spgm_generate_options options = {.from = "real.svm", .raw = 1, .real_target = 1};
    write_file();
    spgm_data *data = generate("e2006-6-9", 6, &options);
    assert_null(spgm_data_truth(data));
    for (int64_t i = 0; i < 6; i++) {
        int row = (int)spgm_data_target(data)[i] - 100; /* the target tells which row of the file it is */
        assert_true(i == 0 || spgm_data_target(data)[i - 1] < spgm_data_target(data)[i]);
        for (int j = 1; j <= 9; j++)
            assert_true(io_at(data, i, j - 1) == (row <= j && !(j == 7 && row == 1) ? 10 * j + row : 0));
    }
    spgm_data_free(data);
    options.real_target = 0;
    data = generate("e2006-12-9-C", 6, &options);
    int corrupted = 0;
    for (int64_t i = 0; i < 12; i++)
        for (int64_t j = 0; j < 9; j++)
            corrupted += io_at(data, i, j) >= 1000;
    assert_int_equal(corrupted, 1); /* 2 % of 44 */
    spgm_data_free(data);
}

static void what_cannot_be_made_is_said(void **state) {
    (void)state;
    spgm_status status;
    spgm_data *data = NULL;
    static const char *const names[] = {"random",
                                        "random-",
                                        "random-3",
                                        "random-0-5",
                                        "random-5-0",
                                        "random-3-4-X",
                                        "random-3-4-C-C",
                                        "random--3-4",
                                        "random-3-4-",
                                        "gauss-3-4",
                                        "",
                                        "random-99999999999-4",
                                        "random-3-3000000000",
                                        "e2006",
                                        "random-3-4C"};
    for (size_t i = 0; i < IO_COUNT(names); i++) {
        char sentence[256];
        snprintf(
            sentence, sizeof sentence,
            "there is no instance '%s': give random-M-N or e2006-M-N, M rows and N columns, and -C or -O after it for "
            "corrupted entries or outliers",
            names[i]);
        assert_int_equal(spgm_data_generate(names[i], 1, NULL, &data, &status), SPGM_ERROR_ARGUMENT);
        assert_string_equal(status.message, sentence);
        assert_null(data);
    }
    const struct {
        const char *name;
        spgm_generate_options options;
        spgm_error code;
        const char *sentence;
    } cases[] = {
        {"random-3-4",
         {.support = 5},
         SPGM_ERROR_ARGUMENT,
         "support is 5: it must be from 0 (the default) to the number of columns, 4"},
        {"random-3-4",
         {.support = -1},
         SPGM_ERROR_ARGUMENT,
         "support is -1: it must be from 0 (the default) to the number of columns, 4"},
        {"random-3-4", {.noise = NAN}, SPGM_ERROR_ARGUMENT, "noise is nan: it must be a finite number"},
        {"e2006-3-4", {0}, SPGM_ERROR_ARGUMENT, "an e2006 instance is drawn from a LIBSVM file: name it with `from`"},
        {"e2006-3-4", {.from = "none.svm"}, SPGM_ERROR_FILE, "cannot open none.svm: No such file or directory"},
        {"e2006-13-4", {.from = "real.svm"}, SPGM_ERROR_ARGUMENT, "real.svm has 12 rows, fewer than the 13 asked for"},
        {"e2006-12-10",
         {.from = "real.svm"},
         SPGM_ERROR_ARGUMENT,
         "real.svm has 9 columns that are not empty, fewer than the 10 asked for"},
        {"e2006-12-10",
         {.from = "real.svm", .raw = 1},
         SPGM_ERROR_ARGUMENT,
         "real.svm has 9 columns, fewer than the 10 asked for"},
        {"random-2147483647-2147483647",
         {0},
         SPGM_ERROR_MEMORY,
         "out of memory: 18446744073709.6 MB could not be allocated; use fewer columns or rows, or a larger machine"},
    };
    write_file();
    for (size_t i = 0; i < IO_COUNT(cases); i++) {
        assert_int_equal(spgm_data_generate(cases[i].name, 1, &cases[i].options, &data, &status), cases[i].code);
        assert_string_equal(status.message, cases[i].sentence);
        assert_null(data);
    }
    assert_int_equal(spgm_data_generate(NULL, 1, NULL, &data, &status), SPGM_ERROR_ARGUMENT);
    assert_int_equal(spgm_data_generate("random-3-4", 1, NULL, NULL, NULL), SPGM_ERROR_ARGUMENT);
}

static void the_paper_s_real_data_can_be_used(void **state) {
    (void)state;
    const char *shared = getenv("SPGM_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/data/e2006/e2006_5000x10000.svm.xz", shared == NULL ? "" : shared);
    if (shared == NULL || access(path, R_OK) != 0)
        skip();
    spgm_generate_options options = {.from = path};
    spgm_data *data = generate("e2006-5000-1024", 1, &options);
    spgm_matrix A = spgm_data_matrix(data);
    assert_int_equal(A.rows, 5000);
    assert_int_equal(A.columns, 1024);
    for (int64_t j = 0; j < 1024; j++) {
        double sum = 0;
        for (int64_t k = A.column_start[j]; k < A.column_start[j + 1]; k++)
            sum += A.values[k] * A.values[k];
        assert_true(A.column_start[j + 1] - A.column_start[j] >= 5);
        assert_true(fabs(sum / 5000 - 1) < 1e-12);
    }
    spgm_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_instance_follows_the_recipe),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(corruption_multiplies_two_in_a_hundred),
        cmocka_unit_test(outliers_multiply_two_in_a_hundred_of_the_noise),
        cmocka_unit_test(options_are_kept),
        cmocka_unit_test(a_real_instance_takes_usable_columns_at_norm_sqrt_m),
        cmocka_unit_test(a_real_instance_makes_do_with_emptier_columns),
        cmocka_unit_test(a_raw_instance_keeps_numbers_and_target),
        cmocka_unit_test(what_cannot_be_made_is_said),
        cmocka_unit_test(the_paper_s_real_data_can_be_used),
    };
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
