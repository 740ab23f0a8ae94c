#include "stability_journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the recipe
 * ------------------------------------------------------------------------------------------------------ */

static uint64_t hash(uint64_t seed, const void *bytes, size_t size) { /* FNV-1a */
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        seed = (seed ^ at[i]) * UINT64_C(1099511628211);
    }
    return seed;
}

static uint64_t hash_text(uint64_t seed, const char *text) {
    return hash(seed, text ? text : "", (text ? strlen(text) : 0) + 1);
}

static uint64_t hash_matrix(uint64_t seed, const spgm_matrix *A) {
    seed = hash(seed, &A->rows, sizeof A->rows);
    seed = hash(seed, &A->columns, sizeof A->columns);
    if (A->column_start) {
        size_t stored = (size_t)A->column_start[A->columns];
        seed = hash(seed, A->column_start, ((size_t)A->columns + 1) * sizeof *A->column_start);
        seed = hash(seed, A->row_index, stored * sizeof *A->row_index);
        return hash(seed, A->values, stored * sizeof *A->values);
    }
    size_t size = A->singles ? sizeof *A->singles : sizeof *A->values;
    const char *values = A->singles ? (const char *)A->singles : (const char *)A->values;
    int64_t width = A->column_of ? A->column_of[A->columns - 1] + 1 : A->columns; /* they ascend */
    int64_t lines = A->by_rows ? A->rows : A->columns, length = A->by_rows ? width : A->rows;
    for (int64_t k = 0; k < lines; k++) {
        int64_t line = A->column_of && !A->by_rows ? A->column_of[k] : k;
        seed = hash(seed, values + (size_t)(line * A->leading_dimension) * size, (size_t)length * size);
    }
    return seed;
}

/* A hash of all options that change the results. */
static uint64_t hash_options(uint64_t seed, const spgm_options *options) {
    const spgm_option_info *option;
    char value[128];
    for (int64_t i = 0; (option = spgm_option_describe(i)); i++) {
        if (strcmp(option->name, "threads") != 0 && strcmp(option->name, "time_limit") != 0 &&
            !spgm_options_get(options, option->name, value, sizeof value, NULL)) {
            seed = hash_text(seed, value);
        }
    }
    return seed;
}

static uint64_t recipe(const struct args *args, const struct task *task, int64_t sparsity, int independent) {
    static const char *const given[] = {"free", "exclude", "nonnegative", "lower", "upper", "groups", "group-limit"};
    const double *weights = task->weights ? task->weights : spgm_data_weights(task->data);
    size_t rows = (size_t)task->matrix.rows;
    uint64_t seed = hash_text(UINT64_C(14695981039346656037), spgm_version());
    seed = hash(seed, &sparsity, sizeof sparsity);
    seed = hash(seed, &independent, sizeof independent);
    seed = hash_options(seed, args->options);
    seed = hash_matrix(seed, &task->matrix);
    seed = hash(seed, spgm_data_target(task->data), rows * sizeof(double));
    seed = weights ? hash(seed, weights, rows * sizeof *weights) : seed;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        seed = hash_text(seed, args_get(args, given[i]));
    }
    return seed;
}

/* ---- lines
 * ----------------------------------------------------------------------------------------------------------- */

/* "12 3 0.5 7:1.25 9:-2 11:0.5 ." : half 12 has three nonzeros and the intercept 0.5. Bootstrap samples begin with a b,
 * so that the number of halves may change. */
static int put_line(FILE *file, const spgm_stability *stability, int64_t i, int64_t *columns, double *values) {
    int64_t halves = spgm_stability_halves(stability, NULL);
    double intercept;
    int64_t count = spgm_stability_get_sample(stability, i, columns, values, &intercept);
    char text[32];
    fprintf(file, "%s%lld %lld %s", i < halves ? "" : "b", (long long)(i < halves ? i : i - halves), (long long)count,
            screen_exact(intercept, text));
    for (int64_t k = 0; k < count; k++) {
        fprintf(file, " %lld:%s", (long long)columns[k], screen_exact(values[k], text));
    }
    fputs(" .\n", file);
    return ferror(file);
}

/* Nonzero if the line is complete; its sample is taken over if the run has one of that number. */
static int take_line(struct journal *journal, char *line, spgm_stability *stability, int64_t *columns, double *values,
                     int64_t room) {
    int is_bootstrap = *line == 'b';
    char *at = line + is_bootstrap;
    int64_t halves = spgm_stability_halves(stability, NULL);
    int64_t limit = is_bootstrap ? spgm_stability_bootstraps(stability, NULL) : halves;
    int64_t i = strtoll(at, &at, 10), count = strtoll(at, &at, 10);
    double intercept = strtod(at, &at);
    if (count < 0 || count > room) {
        return 0;
    }
    for (int64_t k = 0; k < count; k++) {
        columns[k] = strtoll(at, &at, 10);
        if (*at++ != ':') {
            return 0;
        }
        values[k] = strtod(at, &at);
    }
    if (strcmp(at, " .\n") != 0) {
        return 0;
    }
    if (i >= 0 && i < limit) {
        int64_t number = is_bootstrap ? halves + i : i;
        journal->written[number] =
            !spgm_stability_set_sample(stability, number, columns, values, count, intercept, NULL);
    }
    return 1;
}

/* Read the file; *length receives the length of its complete lines. Nonzero if its recipe differs. */
static int read_file(struct journal *journal, const char *header, spgm_stability *stability, int64_t columns,
                     long *length) {
    FILE *file = fopen(journal->path, "r");
    int64_t *list = malloc(((size_t)columns + 1) * sizeof *list);
    double *values = malloc(((size_t)columns + 1) * sizeof *values);
    char *line = NULL;
    size_t room = 0;
    int is_other = 0;
    *length = 0;
    if (file && list && values && getline(&line, &room, file) > 0) {
        is_other = strcmp(line, header) != 0;
        *length = is_other ? 0 : ftell(file);
        while (!is_other && getline(&line, &room, file) > 0 &&
               take_line(journal, line, stability, list, values, columns)) {
            *length = ftell(file);
        }
    }
    if (file) {
        fclose(file);
    }
    free(line);
    free(list);
    free(values);
    return is_other;
}

/* ---- the file
 * ----------------------------------------------------------------------------------------------------------- */

static char *samples_path(const struct args *args) {
    const char *given = args_get(args, "journal"), *output = args_get(args, "output");
    if (given || !output || strcmp(output, "-") == 0) {
        return given ? strdup(given) : NULL;
    }
    char *path = malloc(strlen(output) + sizeof ".journal");
    if (path) {
        sprintf(path, "%s.journal", output);
    }
    return path;
}

int samples_open(struct journal *journal, const struct args *args, const struct task *task, int64_t sparsity,
                 int independent, spgm_stability *stability) {
    char header[64];
    long length = 0;
    *journal = (struct journal){.path = samples_path(args)};
    if (!journal->path) {
        return CLI_DONE;
    }
    journal->samples = spgm_stability_halves(stability, NULL) + spgm_stability_bootstraps(stability, NULL);
    journal->written = calloc((size_t)journal->samples + 1, 1);
    if (!journal->written) {
        return cli_out_of_memory();
    }
    snprintf(header, sizeof header, "spgm stability %016" PRIx64 "\n", recipe(args, task, sparsity, independent));
    if (read_file(journal, header, stability, task->matrix.columns, &length)) {
        return cli_error("%s was written for other data or options; remove it, or name another file with --journal",
                         journal->path);
    }
    journal->file = fopen(journal->path, "a");
    if (!journal->file || ftruncate(fileno(journal->file), length) != 0) {
        return cli_error("cannot write %s: %s", journal->path, strerror(errno));
    }
    if (length == 0) {
        fputs(header, journal->file);
    }
    return CLI_DONE;
}

void samples_update(struct journal *journal, const spgm_stability *stability) {
    for (int64_t i = 0; journal->file && !journal->failed && i < journal->samples; i++) {
        int64_t count = journal->written[i] ? -1 : spgm_stability_get_sample(stability, i, NULL, NULL, NULL);
        if (count < 0) {
            continue;
        }
        int64_t *columns = malloc(((size_t)count + 1) * sizeof *columns);
        double *values = malloc(((size_t)count + 1) * sizeof *values);
        journal->failed =
            !columns || !values || put_line(journal->file, stability, i, columns, values) || fflush(journal->file) != 0;
        journal->written[i] = 1;
        free(columns);
        free(values);
    }
}

int samples_close(struct journal *journal, int is_complete) {
    if (!journal->file) {
        return CLI_DONE;
    }
    int failed = journal->failed | (fclose(journal->file) != 0);
    journal->file = NULL;
    if (is_complete) {
        return unlink(journal->path) ? cli_error("cannot remove %s: %s", journal->path, strerror(errno)) : CLI_DONE;
    }
    return failed ? cli_error("%s could not be written: finished samples will be computed again", journal->path)
                  : CLI_DONE;
}

void samples_free(struct journal *journal) {
    if (journal->file) {
        fclose(journal->file);
    }
    free(journal->path);
    free(journal->written);
}
