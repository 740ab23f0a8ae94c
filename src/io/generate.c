/*
 * The instances of the paper's experiments (spgm.tex, appendix, "Datasets"; NOTES.md for what it leaves open):
 *
 *     random-M-N     A standard normal
 *     e2006-M-N      M rows and N columns of a LIBSVM file; columns with at least 5 nonzeros (where those are too few:
 *                    4, 3, 2 or 1, the most that leaves enough), scaled to norm sqrt(M)
 *     ...-C          2 % of the (stored) entries of A times 100
 *     ...-O          2 % of the entries of the noise times 100
 *
 *     b = A xbar + sigma randn,  xbar with 100 standard normal entries,  sigma = 10
 *
 * Every part has a random stream of its own, so that -C and -O change nothing but what they are about.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "io/data.h"

enum stream {
    STREAM_MATRIX = 1,
    STREAM_ROWS,
    STREAM_COLUMNS,
    STREAM_CORRUPTION,
    STREAM_SIGNAL,
    STREAM_NOISE,
    STREAM_OUTLIERS
};
enum { LEAST_NONZEROS = 5, USUAL_SUPPORT = 100 };

static const double usual_noise = 10;
static const double corrupted_share = 0.02;
static const double corruption = 100;

struct recipe {
    int is_real; /* e2006 */
    int corrupted, outliers;
    int64_t rows, columns;
    uint64_t seed;
    const spgm_generate_options *options;
    spgm_status *status;
};

static spgm_error out_of_memory(const struct recipe *recipe, int64_t numbers) {
    size_t count = (size_t)numbers;

    return status_memory(recipe->status, count > SIZE_MAX / sizeof(double) ? SIZE_MAX : count * sizeof(double));
}

/* ---- the name ---- */

/* Parse "-256"; returns the rest of the text, or NULL if it does not match. */
static const char *take_size(const char *p, int64_t *size) {
    const char *first = p + 1;

    if (*p != '-') {
        return NULL;
    }
    *size = 0;
    for (p = first; *p >= '0' && *p <= '9' && p - first < 10; p++) {
        *size = *size * 10 + (*p - '0');
    }
    return p > first && *size > 0 && *size <= INT32_MAX ? p : NULL;
}

static spgm_error bad_name(const char *name, spgm_status *status) {
    char excerpt[EXCERPT_SIZE];

    return status_set(
        status, SPGM_ERROR_ARGUMENT,
        "there is no instance '%s': give random-M-N or e2006-M-N, M rows and N columns, and -C or -O after "
        "it for corrupted entries or outliers",
        source_excerpt(name, name + strlen(name), excerpt));
}

static spgm_error parse_name(const char *name, struct recipe *recipe) {
    const char *p;

    recipe->is_real = strncmp(name, "e2006-", 6) == 0;
    if (!recipe->is_real && strncmp(name, "random-", 7) != 0) {
        return bad_name(name, recipe->status);
    }
    p = take_size(strchr(name, '-'), &recipe->rows);
    p = p == NULL ? NULL : take_size(p, &recipe->columns);
    while (p != NULL && *p != '\0') {
        int *flag = strncmp(p, "-C", 2) == 0 ? &recipe->corrupted : strncmp(p, "-O", 2) == 0 ? &recipe->outliers : NULL;

        p = flag == NULL || *flag ? NULL : p + 2;
        if (p != NULL) {
            *flag = 1;
        }
    }
    return p == NULL ? bad_name(name, recipe->status) : SPGM_OK;
}

static spgm_error check_options(const struct recipe *recipe) {
    const spgm_generate_options *options = recipe->options;

    if (options->support < 0 || options->support > recipe->columns) {
        return status_set(recipe->status, SPGM_ERROR_ARGUMENT,
                          "support is %" PRId64 ": it must be from 0 (the default) to the number of columns, %" PRId64,
                          options->support, recipe->columns);
    }
    if (!isfinite(options->noise)) {
        return status_set(recipe->status, SPGM_ERROR_ARGUMENT, "noise is %g: it must be a finite number",
                          options->noise);
    }
    if (recipe->is_real && options->from == NULL) {
        return status_set(recipe->status, SPGM_ERROR_ARGUMENT,
                          "an e2006 instance is drawn from a LIBSVM file: name it with `from`");
    }
    return SPGM_OK;
}

/* ---- A ---- */

static int64_t stored_entries(const struct spgm_data *data) {
    return data->column_start == NULL ? data->rows * data->columns : data->column_start[data->columns];
}

static spgm_error normal_matrix(const struct recipe *recipe, struct spgm_data *data) {
    struct random random;
    int64_t count = recipe->rows * recipe->columns; /* both are below 2^31 */

    data->values = memory_array(count, sizeof *data->values);
    if (data->values == NULL) {
        return out_of_memory(recipe, count);
    }
    random_seed(&random, recipe->seed, STREAM_MATRIX);
    for (int64_t k = 0; k < count; k++) {
        data->values[k] = random_normal(&random);
    }
    return SPGM_OK;
}

static int compare_integers(const void *a, const void *b) {
    int64_t i = *(const int64_t *)a;
    int64_t j = *(const int64_t *)b;

    return (i > j) - (i < j);
}

/* `count` numbers of {0..bound-1}, ascending. */
static void choose(const struct recipe *recipe, enum stream stream, int64_t bound, int64_t count, int64_t *chosen) {
    struct random random;

    random_seed(&random, recipe->seed, stream);
    random_subset(&random, bound, count, chosen);
    qsort(chosen, (size_t)count, sizeof *chosen, compare_integers);
}

/* place[i]: the row of the instance that row i of the file becomes, or -1. */
static void choose_rows(const struct recipe *recipe, int64_t rows, int64_t *chosen, int64_t *place) {
    choose(recipe, STREAM_ROWS, rows, recipe->rows, chosen);
    for (int64_t i = 0; i < rows; i++) {
        place[i] = -1;
    }
    for (int64_t i = 0; i < recipe->rows; i++) {
        place[chosen[i]] = i;
    }
}

static int64_t count_nonzeros(const struct spgm_data *file, const int64_t *place, int64_t j) {
    int64_t count = 0;

    for (int64_t k = file->column_start[j]; k < file->column_start[j + 1]; k++) {
        count += place[file->row_index[k]] >= 0 && file->values[k] != 0;
    }
    return count;
}

/* The columns with at least `least` nonzeros in the chosen rows. */
static int64_t find_with(const struct spgm_data *file, const int64_t *place, int64_t least, int64_t *usable) {
    int64_t count = 0;

    for (int64_t j = 0; j < file->columns; j++) {
        if (count_nonzeros(file, place, j) >= least) {
            usable[count++] = j;
        }
    }
    return count;
}

/* The columns to draw from: all of them for raw data, otherwise those with enough nonzeros in the chosen rows. */
static int64_t find_usable(const struct recipe *recipe, const struct spgm_data *file, const int64_t *place,
                           int64_t *usable) {
    int64_t least = recipe->options->raw ? 0 : LEAST_NONZEROS;
    int64_t count = find_with(file, place, least, usable);

    while (count < recipe->columns && least > 1) {
        count = find_with(file, place, --least, usable);
    }
    return count;
}

static void scale_column(double *values, int64_t count, double norm) {
    double sum = 0;

    for (int64_t k = 0; k < count; k++) {
        sum += values[k] * values[k];
    }
    for (int64_t k = 0; k < count; k++) {
        values[k] *= norm / sqrt(sum);
    }
}

/* Copy the chosen columns; data has room for them. */
static void copy_columns(const struct recipe *recipe, const struct spgm_data *file, const int64_t *place,
                         const int64_t *columns, struct spgm_data *data) {
    int64_t count = 0;

    for (int64_t j = 0; j < recipe->columns; j++) {
        for (int64_t k = file->column_start[columns[j]]; k < file->column_start[columns[j] + 1]; k++) {
            int64_t i = place[file->row_index[k]];

            if (i >= 0 && file->values[k] != 0) {
                data->row_index[count] = (int32_t)i;
                data->values[count++] = file->values[k];
            }
        }
        data->column_start[j + 1] = count;
        if (!recipe->options->raw) {
            scale_column(data->values + data->column_start[j], count - data->column_start[j],
                         sqrt((double)recipe->rows));
        }
    }
}

static spgm_error too_few(const struct recipe *recipe, const struct spgm_data *file, const char *what, int64_t wanted,
                          int64_t found) {
    return status_set(recipe->status, SPGM_ERROR_ARGUMENT,
                      "%s has %" PRId64 " %s, fewer than the %" PRId64 " asked for", file->name, found, what, wanted);
}

struct selection {
    int64_t *rows;   /* [recipe rows], ascending                        */
    int64_t *place;  /* [file rows]                                     */
    int64_t *usable; /* [file columns]                                  */
    int64_t *chosen; /* [recipe columns]                                */
};

static spgm_error select_part(const struct recipe *recipe, const struct spgm_data *file, struct selection *part) {
    int64_t count;

    choose_rows(recipe, file->rows, part->rows, part->place);
    count = find_usable(recipe, file, part->place, part->usable);
    if (count < recipe->columns) {
        return too_few(recipe, file, recipe->options->raw ? "columns" : "columns that are not empty", recipe->columns,
                       count);
    }
    choose(recipe, STREAM_COLUMNS, count, recipe->columns, part->chosen);
    for (int64_t j = 0; j < recipe->columns; j++) {
        part->chosen[j] = part->usable[part->chosen[j]];
    }
    return SPGM_OK;
}

static spgm_error copy_part(const struct recipe *recipe, const struct spgm_data *file, const struct selection *part,
                            struct spgm_data *data) {
    int64_t count = 0;

    for (int64_t j = 0; j < recipe->columns; j++) {
        count += count_nonzeros(file, part->place, part->chosen[j]);
    }
    data->column_start = memory_array(recipe->columns + 1, sizeof *data->column_start);
    data->row_index = memory_array(count, sizeof *data->row_index);
    data->values = memory_array(count, sizeof *data->values);
    data->target = recipe->options->real_target ? memory_array(recipe->rows, sizeof *data->target) : NULL;
    if (data->column_start == NULL || data->row_index == NULL || data->values == NULL ||
        (data->target == NULL && recipe->options->real_target)) {
        return out_of_memory(recipe, recipe->columns + recipe->rows + 2 * count);
    }
    copy_columns(recipe, file, part->place, part->chosen, data);
    for (int64_t i = 0; data->target != NULL && i < recipe->rows; i++) {
        data->target[i] = file->target[part->rows[i]];
    }
    return SPGM_OK;
}

static spgm_error take_part(const struct recipe *recipe, const struct spgm_data *file, struct spgm_data *data) {
    struct workspace workspace = {0};
    struct selection part;
    spgm_error error;

    if (file->rows < recipe->rows) {
        return too_few(recipe, file, "rows", recipe->rows, file->rows);
    }
    part.rows = workspace_integers(&workspace, recipe->rows);
    part.place = workspace_integers(&workspace, file->rows);
    part.usable = workspace_integers(&workspace, file->columns);
    part.chosen = workspace_integers(&workspace, recipe->columns);
    error = workspace.failed ? status_memory(recipe->status, workspace.bytes) : select_part(recipe, file, &part);
    if (error == SPGM_OK) {
        error = copy_part(recipe, file, &part, data);
    }
    workspace_free(&workspace);
    return error;
}

static spgm_error real_matrix(const struct recipe *recipe, struct spgm_data *data) {
    const spgm_read_options options = {.format = "libsvm"};
    spgm_data *file = NULL;
    spgm_error error = spgm_data_read(recipe->options->from, &options, &file, recipe->status);

    if (error == SPGM_OK) {
        error = take_part(recipe, file, data);
    }
    spgm_data_free(file);
    return error;
}

/* ---- corruption, signal and noise ---- */

/* Multiply 2 % of the numbers, at least one, by 100. */
static spgm_error corrupt(const struct recipe *recipe, enum stream stream, double *values, int64_t count) {
    int64_t chosen = (int64_t)round(corrupted_share * (double)count);
    struct random random;
    int64_t *which;

    chosen = chosen < 1 ? (count > 0) : chosen;
    which = memory_array(chosen, sizeof *which);
    if (which == NULL) {
        return out_of_memory(recipe, chosen);
    }
    random_seed(&random, recipe->seed, stream);
    random_subset(&random, count, chosen, which);
    for (int64_t k = 0; k < chosen; k++) {
        values[which[k]] *= corruption;
    }
    memory_free(which);
    return SPGM_OK;
}

static spgm_error make_signal(const struct recipe *recipe, double *xbar) {
    int64_t support = recipe->options->support;
    struct random random;
    int64_t *which;

    if (support == 0) {
        support = recipe->columns < USUAL_SUPPORT ? recipe->columns : USUAL_SUPPORT;
    }
    which = memory_array(support, sizeof *which);
    if (which == NULL) {
        return out_of_memory(recipe, support);
    }
    random_seed(&random, recipe->seed, STREAM_SIGNAL);
    random_subset(&random, recipe->columns, support, which);
    for (int64_t k = 0; k < support; k++) {
        xbar[which[k]] = random_normal(&random);
    }
    memory_free(which);
    return SPGM_OK;
}

static spgm_error make_noise(const struct recipe *recipe, double *noise) {
    double sigma = recipe->options->noise == 0 ? usual_noise : fmax(recipe->options->noise, 0);
    struct random random;

    random_seed(&random, recipe->seed, STREAM_NOISE);
    for (int64_t i = 0; i < recipe->rows; i++) {
        noise[i] = sigma * random_normal(&random);
    }
    return recipe->outliers ? corrupt(recipe, STREAM_OUTLIERS, noise, recipe->rows) : SPGM_OK;
}

/* b += A x, column by column */
static void add_product(const struct spgm_data *data, const double *x, double *b) {
    for (int64_t j = 0; j < data->columns; j++) {
        int sparse = data->column_start != NULL;
        int64_t first = sparse ? data->column_start[j] : j * data->rows;
        int64_t last = sparse ? data->column_start[j + 1] : first + data->rows;

        for (int64_t k = first; x[j] != 0 && k < last; k++) {
            b[sparse ? data->row_index[k] : k - first] += data->values[k] * x[j];
        }
    }
}

static spgm_error make_target(const struct recipe *recipe, struct spgm_data *data) {
    spgm_error error;

    data->truth = memory_array(recipe->columns, sizeof *data->truth);
    data->target = memory_array(recipe->rows, sizeof *data->target);
    if (data->truth == NULL || data->target == NULL) {
        return out_of_memory(recipe, recipe->columns + recipe->rows);
    }
    error = make_signal(recipe, data->truth);
    if (error == SPGM_OK) {
        error = make_noise(recipe, data->target);
    }
    if (error == SPGM_OK) {
        add_product(data, data->truth, data->target); /* b = A xbar + sigma randn */
    }
    return error;
}

static spgm_error make_instance(const struct recipe *recipe, struct spgm_data *data) {
    spgm_error error = recipe->is_real ? real_matrix(recipe, data) : normal_matrix(recipe, data);

    data->rows = recipe->rows;
    data->columns = recipe->columns;
    if (error == SPGM_OK && recipe->corrupted) {
        error = corrupt(recipe, STREAM_CORRUPTION, data->values, stored_entries(data));
    }
    if (error == SPGM_OK && data->target == NULL) {
        error = make_target(recipe, data);
    }
    return error;
}

spgm_error spgm_data_generate(const char *name, uint64_t seed, const spgm_generate_options *options, spgm_data **data,
                              spgm_status *status) {
    static const spgm_generate_options defaults = {0};
    struct recipe recipe = {.seed = seed, .options = options == NULL ? &defaults : options, .status = status};
    struct spgm_data *created;
    spgm_error error;

    if (name == NULL || data == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "%s is NULL", name == NULL ? "the name" : "data");
    }
    error = parse_name(name, &recipe);
    if (error == SPGM_OK) {
        error = check_options(&recipe);
    }
    if (error != SPGM_OK) {
        return error;
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    source_name(created->name, name, "-");
    created->format = "generated";
    error = make_instance(&recipe, created);
    if (error != SPGM_OK) {
        spgm_data_free(created);
        return error;
    }
    *data = created;
    return status_clear(status);
}
