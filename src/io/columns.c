/* Column names from a file, and the target and weights from columns, for formats that have none of these. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/data.h"
#include "io/table.h"
#include "io/words.h"

/* ---- names ---- */

/* One name per line; blank lines at the end do not count. Empty names may repeat, so struct levels cannot be used. */
static spgm_error read_names(struct source *source, struct column_names *names, spgm_status *status) {
    int64_t room = 64, size = 1024, used = 0, lines = 0;
    spgm_error error = SPGM_OK;

    names->text = memory_array(size, 1);
    names->start = memory_array(room, sizeof *names->start);
    while (error == SPGM_OK && names->text != NULL && names->start != NULL) {
        char *text, *end, *larger;
        int64_t *longer;

        error = source_line(source, &text, &end, status);
        if (error != SPGM_OK || text == NULL) {
            return error;
        }
        text += strspn(text, " \t");
        while (end > text && (end[-1] == ' ' || end[-1] == '\t')) {
            end--;
        }
        if (end - text >= 2 && *text == '"' && end[-1] == '"') {
            text++;
            end--;
        }
        if (used + 2 * (end - text) + 1 > size) {
            larger = memory_array(2 * (used + 2 * (end - text) + 1), 1);
            if (larger == NULL) {
                break;
            }
            memcpy(larger, names->text, (size_t)used);
            memory_free(names->text);
            names->text = larger;
            size = 2 * (used + 2 * (end - text) + 1);
        }
        if (lines == room) {
            longer = memory_array(2 * room, sizeof *longer);
            if (longer == NULL) {
                break;
            }
            memcpy(longer, names->start, (size_t)lines * sizeof *longer);
            memory_free(names->start);
            names->start = longer;
            room *= 2;
        }
        names->start[lines++] = used;
        used = word_to_utf8(text, end, names->text + used) - names->text;
        names->text[used++] = '\0';
        names->count = end > text ? lines : names->count;
    }
    return error == SPGM_OK ? status_memory(status, (size_t)(2 * size)) : error;
}

spgm_error column_names_read(const char *path, struct column_names *names, spgm_status *status) {
    struct source source;
    spgm_error error = source_open(&source, path, status);

    if (error == SPGM_OK) {
        error = read_names(&source, names, status);
        source_close(&source);
    }
    return error;
}

void column_names_free(struct column_names *names) {
    memory_free(names->text);
    memory_free(names->start);
    memset(names, 0, sizeof *names);
}

spgm_error data_set_names(struct spgm_data *data, const char *path, struct column_names *names, spgm_status *status) {
    char shown[SOURCE_NAME_SIZE];

    if (data->names != NULL || data->encoding != NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "%s is a CSV file: its column names are read from its header, not from a separate file",
                          data->name);
    }
    if (names->count != data->columns) {
        source_name(shown, path, "standard input");
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "%s has %" PRId64 " names, but %s has %" PRId64
                          " columns: give one name per line, one for each column",
                          shown, names->count, data->name, data->columns);
    }
    data->names = names->text;
    data->name_start = names->start;
    *names = (struct column_names){0};
    return SPGM_OK;
}

/* ---- columns that leave the matrix ---- */

static spgm_error find_column(const struct spgm_data *data, const char *what, const char *word, int is_optional,
                              int64_t *found, spgm_status *status) {
    char *end, excerpt[EXCERPT_SIZE];
    long long number = strtoll(word, &end, 10);

    for (int64_t j = 0; data->names != NULL && j < data->columns; j++) {
        if (strcmp(data->names + data->name_start[j], word) == 0) {
            *found = j;
            return SPGM_OK;
        }
    }
    if (!is_optional && *end == '\0' && end != word && number >= 1 && number <= data->columns) {
        *found = number - 1;
        return SPGM_OK;
    }
    return is_optional
               ? SPGM_OK
               : status_set(status, SPGM_ERROR_ARGUMENT,
                            "%s has no column '%s' for the %s; give %sa number from 1 to %" PRId64 ", or a file",
                            data->name, source_excerpt(word, word + strlen(word), excerpt), what,
                            data->names != NULL ? "a name or " : "", data->columns);
}

/* Whether the columns of a large mapped file are used in place. */
static int stays_in_place(const struct spgm_data *data, const spgm_read_options *options) {
    return options->any_layout && data_is_large(data);
}

/* Column j as a vector: a copy, or in place if the columns stay there. */
static spgm_error take_column(const struct spgm_data *data, const spgm_read_options *options, int64_t j,
                              double **vector, spgm_status *status) {
    memory_free(*vector);
    if (stays_in_place(data, options) && data->values != NULL && !data->by_rows) {
        *vector = data->values + j * data->rows;
        return SPGM_OK;
    }
    *vector = memory_beside(stays_in_place(data, options) ? data->memory : NULL, data->rows, sizeof **vector);
    if (*vector == NULL) {
        return status_memory(status, (size_t)data->rows * sizeof **vector);
    }
    if (data->column_start == NULL) {
        for (int64_t i = 0; i < data->rows; i++) {
            (*vector)[i] = data_entry(data, i, j);
        }
        return SPGM_OK;
    }
    for (int64_t k = data->column_start[j]; k < data->column_start[j + 1]; k++) {
        (*vector)[data->row_index[k]] = data->values[k];
    }
    return SPGM_OK;
}

/* Remove `count` numbers from `at` on by moving the `left` numbers behind them. */
static void close_gap(struct spgm_data *data, int64_t at, int64_t count, int64_t left) {
    if (data->singles != NULL) {
        memmove(data->singles + at, data->singles + at + count, (size_t)left * sizeof *data->singles);
    } else {
        memmove(data->values + at, data->values + at + count, (size_t)left * sizeof *data->values);
    }
}

/* Remove column j from the list of used columns. */
static spgm_error leave_out(struct spgm_data *data, int64_t j, spgm_status *status) {
    int64_t *list = data->column_of == NULL ? memory_array(data->columns, sizeof *list) : data->column_of;

    if (list == NULL) {
        return status_memory(status, (size_t)data->columns * sizeof *list);
    }
    for (int64_t k = 0; data->column_of == NULL && k < data->columns; k++) {
        list[k] = k;
    }
    memmove(list + j, list + j + 1, (size_t)(data->columns - 1 - j) * sizeof *list);
    data->column_of = list;
    return SPGM_OK;
}

/* The first or last column of a mapped file is removed by moving the bounds of the matrix. In a large file other
 * columns are left out by a list; otherwise the columns behind are moved, in allocated memory. */
static spgm_error remove_dense(struct spgm_data *data, const spgm_read_options *options, int64_t j,
                               spgm_status *status) {
    int64_t after = data->columns - 1 - j;
    int64_t line = data->by_rows ? 1 : data->rows;

    if (data->column_of != NULL || (j > 0 && after > 0 && stays_in_place(data, options))) {
        return leave_out(data, j, status);
    }
    if (data->map != NULL && j == 0) {
        data->values = data->values == NULL ? NULL : data->values + line;
        data->singles = data->singles == NULL ? NULL : data->singles + line;
    } else if (after > 0 && spgm_data_is_locked(data)) {
        return status_memory(status, data->map_size);
    } else if (after > 0 && data->by_rows) {
        for (int64_t i = 0; i < data->rows; i++) {
            close_gap(data, i * data->stride + j, 1, after);
        }
    } else if (after > 0) {
        close_gap(data, j * line, line, after * line);
    }
    return SPGM_OK;
}

static spgm_error remove_column(struct spgm_data *data, const spgm_read_options *options, int64_t j,
                                spgm_status *status) {
    int64_t after = data->columns - 1 - j;

    if (data->column_start == NULL) {
        spgm_error error = remove_dense(data, options, j, status);

        if (error != SPGM_OK) {
            return error;
        }
    } else {
        int64_t start = data->column_start[j], end = data->column_start[j + 1];
        int64_t left = data->column_start[data->columns] - end;

        memmove(data->values + start, data->values + end, (size_t)left * sizeof *data->values);
        memmove(data->row_index + start, data->row_index + end, (size_t)left * sizeof *data->row_index);
        for (int64_t k = j + 1; k < data->columns; k++) {
            data->column_start[k] = data->column_start[k + 1] - (end - start);
        }
    }
    if (data->names != NULL) {
        memmove(data->name_start + j, data->name_start + j + 1, (size_t)after * sizeof *data->name_start);
    }
    data->columns--;
    return SPGM_OK;
}

spgm_error data_take_columns(struct spgm_data *data, const spgm_read_options *options, spgm_status *status) {
    int64_t target = -1, weights = -1;
    spgm_error error = SPGM_OK;

    if (options->target != NULL && !options->no_target) {
        error = find_column(data, "target", options->target, options->optional_target, &target, status);
    }
    if (error == SPGM_OK && options->weights != NULL) {
        error = find_column(data, "weights", options->weights, 0, &weights, status);
    }
    if (error == SPGM_OK && target >= 0 && target == weights) {
        error = status_set(status, SPGM_ERROR_ARGUMENT, "%s: column %" PRId64 " cannot be both target and weights",
                           data->name, target + 1);
    }
    if (error == SPGM_OK && target >= 0) {
        error = take_column(data, options, target, &data->target, status);
        if (error == SPGM_OK && data->names != NULL) {
            error = data_set_target_name(data, data->names + data->name_start[target], status);
        }
    }
    if (error == SPGM_OK && weights >= 0) {
        error = take_column(data, options, weights, &data->weights, status);
    }
    if (error == SPGM_OK && weights >= 0) {
        error = remove_column(data, options, weights, status);
        target -= target > weights;
    }
    if (error == SPGM_OK && target >= 0) {
        error = remove_column(data, options, target, status);
    }
    return error;
}
