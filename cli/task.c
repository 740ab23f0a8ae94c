/* Data and problem of fit and its relatives: --target, --weights; what else is in feasible.c. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "group.h"

int64_t task_number(const spgm_data *data, int64_t j) {
    return spgm_data_column_source(data, j) + 1;
}

/* ---- reading ------------------------------------------------------------------------------------- */

/* --target is a file when there is one of that name, or when the name is that of a data file. */
static int names_file(const char *target) {
    static const char *const endings[] = {".csv", ".npy", ".mtx", ".svm", ".txt", ".gz", ".bz2", ".xz", ".zst"};
    struct stat info;
    size_t length = strlen(target);
    if (strcmp(target, "-") == 0 || strchr(target, '/') || (stat(target, &info) == 0 && !S_ISDIR(info.st_mode))) {
        return 1;
    }
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && strcmp(target + length - tail, endings[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* A character, or the name of one. */
static int read_character(const struct args *args, const char *flag, char *character) {
    static const struct {
        const char *name;
        char character;
    } names[] = {{"tab", '\t'}, {"\\t", '\t'},  {"comma", ','}, {"semicolon", ';'}, {"bar", '|'},
                 {"pipe", '|'}, {"blank", ' '}, {"space", ' '}, {"point", '.'}};
    const char *word = args_get(args, flag);
    for (size_t i = 0; word && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].name, word) == 0) {
            *character = names[i].character;
            return CLI_DONE;
        }
    }
    if (word && strlen(word) != 1) {
        return cli_error("--%s %s: give one character, or tab, comma, semicolon, bar or blank", flag, word);
    }
    *character = word ? word[0] : '\0';
    return CLI_DONE;
}

/* What the flags say of reading. */
static int read_flags(const struct args *args, spgm_read_options *how) {
    const char *weights = args_get(args, "weights");
    how->names = args_get(args, "names");
    how->categories = args_get(args, "categories");
    how->missing = args_get(args, "missing") ? args_get(args, "missing") : how->missing;
    how->exclude = args_get(args, "exclude");
    how->only = args_get(args, "only");
    how->text = args_get(args, "text");
    how->header = args_get(args, "header");
    how->weights = weights && !names_file(weights) ? weights : NULL;
    how->text_target = args_takes_labels(args->options);
    int result = read_character(args, "separator", &how->separator);
    return result ? result : read_character(args, "decimal", &how->decimal);
}

/* What is being read, for the line that shows it. */
struct reading {
    const struct args *args;
    const char *path;
};

static void show_reading(int64_t bytes, int64_t all, void *context) {
    const struct reading *reading = context;
    if (all > 0) {
        screen_note(reading->args, "reading %s  %.0f %% of %.0f MB", reading->path, 100.0 * (double)bytes / (double)all,
                    (double)all / 1e6);
    } else {
        screen_note(reading->args, "reading %s  %.0f MB", reading->path, (double)bytes / 1e6);
    }
}

int task_read(const struct args *args, const char *path, spgm_read_options how, spgm_data **data) {
    const char *target = args_get(args, "target");
    int separate = target && names_file(target);
    spgm_status status;
    how.no_target = separate;
    if (target) {
        how.target = separate ? NULL : target;
        how.optional_target = 0;
    }
    if (separate && strcmp(path, "-") == 0 && strcmp(target, "-") == 0) {
        return cli_error("DATA and --target cannot both be standard input");
    }
    if (read_flags(args, &how)) {
        return CLI_USAGE;
    }
    struct reading reading = {args, strcmp(path, "-") == 0 ? "standard input" : path};
    how.progress = show_reading;
    how.progress_context = &reading;
    screen_note(args, "reading %s", reading.path);
    if (spgm_data_read(path, &how, data, &status)) {
        return cli_status(&status);
    }
    if (separate && spgm_data_read_target(*data, target, &status)) {
        return cli_status(&status);
    }
    screen_erase();
    return CLI_DONE;
}

/* ---- --weights ------------------------------------------------------------------------------------ */

static int set_weights(struct task *task, const double *weights, const char *where) {
    spgm_status status;
    return spgm_problem_set_weights(task->problem, weights, &status) ? cli_status_of(&status, where) : CLI_DONE;
}

/* A number for every row of the file; rows that were dropped leave theirs. */
static int read_weights(struct task *task, const char *path) {
    spgm_status status;
    int64_t count = 0, rows = spgm_data_rows_read(task->data);
    if (spgm_vector_read(path, &task->weights, &count, &status)) {
        return cli_status(&status);
    }
    if (count != rows) {
        return cli_error("--weights %s has %lld numbers, the data have %lld rows", path, (long long)count,
                         (long long)rows);
    }
    for (int64_t i = 0; i < task->matrix.rows; i++) {
        task->weights[i] = task->weights[spgm_data_row(task->data, task->first_row + i)];
    }
    return set_weights(task, task->weights, path);
}

/* No output may replace a file that is read, nor be impossible to write. */
int task_check_output(const struct args *args, const char *path) {
    const char *inputs[] = {args->operand[0],         args_get(args, "target"), args_get(args, "weights"),
                            args_get(args, "groups"), args_get(args, "lower"),  args_get(args, "upper"),
                            args_get(args, "names")};
    int result = outfile_check(path);
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0] && result == CLI_DONE; i++) {
        result = outfile_spare(path, inputs[i]);
    }
    return result;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

/* The problem of the data and a target, with weights and the feasible set. */
static int make_problem(struct task *task, const struct args *args, const double *target) {
    spgm_status status;
    int result = CLI_DONE;
    spgm_error error = group_all() ? spgm_problem_new_distributed(&task->matrix, target, args->options, group_all(),
                                                                  &task->problem, &status)
                                   : spgm_problem_new(&task->matrix, target, args->options, &task->problem, &status);
    if (error) {
        return group_all() ? cli_status(&status) : cli_status_of(&status, args->operand[0]);
    }
    if (spgm_data_weights(task->data)) {
        result = set_weights(task, spgm_data_weights(task->data) + task->first_row, args->operand[0]);
    } else if (args_get(args, "weights")) {
        result = read_weights(task, args_get(args, "weights"));
    }
    result = result ? result : feasible_load(task, args);
    /* merged rows would make samples of rows depend on the parts */
    if (result == CLI_DONE && !group_all() && spgm_problem_merge_rows(task->problem, NULL, &status)) {
        result = cli_status(&status);
    }
    return result;
}

/* Or only one: whatever there is need not be put in order. */
static int has_two_values(const double *values, int64_t count) {
    int64_t other = 0;
    while (other < count && values[other] == values[0]) {
        other++;
    }
    for (int64_t i = other; i < count; i++) {
        if (values[i] != values[0] && values[i] != values[other]) {
            return 0;
        }
    }
    return 1;
}

/* The labels of the target where there are more than two, each in more than a few rows: else it is no list of labels,
 * and the library says so. */
static int find_classes(struct task *task) {
    int64_t rows = task->matrix.rows, count = 0;
    if (has_two_values(spgm_data_target(task->data), rows)) {
        return CLI_DONE;
    }
    double *sorted = task->labels = scratch_array(&task->matrix, rows, sizeof *sorted);
    task->against = scratch_array(&task->matrix, rows, sizeof *task->against);
    if (!sorted || !task->against) {
        return cli_out_of_memory();
    }
    memcpy(sorted, spgm_data_target(task->data), (size_t)rows * sizeof *sorted);
    qsort(sorted, (size_t)rows, sizeof *sorted, text_ascending);
    for (int64_t i = 0; i < rows; i++) {
        if (i == 0 || sorted[i] != sorted[i - 1]) {
            sorted[count++] = sorted[i];
        }
    }
    task->classes = count > 2 && (2 * count <= rows || spgm_data_label(task->data, 0)) ? count : 0;
    return CLI_DONE;
}

static int load_data(struct task *task, const struct args *args, const spgm_model *like) {
    *task = (struct task){0};
    spgm_read_options how = {.any_layout = 1, .memory = scratch_open(&task->scratch, args), .like = like};
    int result = task_read(args, args->operand[0], how, &task->data);
    if (result == CLI_DONE && !spgm_data_target(task->data)) {
        result = cli_error("%s holds no target; give it with --target FILE, or --target COLUMN", args->operand[0]);
    }
    result = group_agree(result);
    if (result) {
        return result;
    }
    task->matrix = spgm_data_matrix(task->data);
    task->matrix.memory = scratch_beside(&task->scratch, &task->matrix);
    result = label_find(&task->names, task->data, task->matrix.columns);
    return result ? result : group_cut(task);
}

int task_load_like(struct task *task, const struct args *args, const spgm_model *like) {
    int result = load_data(task, args, like);
    if (result == CLI_DONE && spgm_data_label(task->data, 2) &&
        !has_two_values(spgm_data_target(task->data), spgm_data_matrix(task->data).rows)) {
        result = cli_error("the target of %s has more than two labels ('%s', '%s', '%s', ...), and %s takes two; fit, "
                           "path, cv and compare take more",
                           args->operand[0], spgm_data_label(task->data, 0), spgm_data_label(task->data, 1),
                           spgm_data_label(task->data, 2), args->command->name);
    }
    return result ? result : make_problem(task, args, spgm_data_target(task->data) + task->first_row);
}

int task_load(struct task *task, const struct args *args) {
    return task_load_like(task, args, NULL);
}

int task_load_classes(struct task *task, const struct args *args) {
    int result = load_data(task, args, NULL);
    if (result == CLI_DONE && args_takes_labels(args->options) && !group_all()) {
        result = find_classes(task);
    }
    return result || task->classes ? result : make_problem(task, args, spgm_data_target(task->data) + task->first_row);
}

static void free_problem(struct task *task) {
    spgm_problem_free(task->problem);
    spgm_array_free(task->weights);
    feasible_free(task);
    task->problem = NULL;
    task->weights = NULL;
    task->free_columns = task->excluded = task->group_of = NULL;
    task->lower = task->upper = NULL;
    task->free_count = task->excluded_count = task->groups = task->group_limit = 0;
}

/* 1 for the k-th label, -1 for the rest. */
static void fill_against(const struct task *task, int64_t k, double *against) {
    const double *target = spgm_data_target(task->data);
    for (int64_t i = 0; i < task->matrix.rows; i++) {
        against[i] = target[i] == task->labels[k] ? 1 : -1;
    }
}

int task_take_class(struct task *task, const struct args *args, int64_t k) {
    fill_against(task, k, task->against);
    free_problem(task);
    return make_problem(task, args, task->against);
}

int task_take_target(struct task *task, const struct args *args, double *target) {
    task->against = target;
    free_problem(task);
    return make_problem(task, args, target);
}

int task_is_restricted(const struct task *task) {
    return task->free_count || task->excluded_count || task->lower || task->upper || task->group_of;
}

int task_load_twin(const struct task *task, const struct args *args, struct task *twin) {
    *twin =
        (struct task){.data = task->data, .matrix = task->matrix, .names = task->names, .first_row = task->first_row};
    return make_problem(twin, args, spgm_data_target(task->data) + task->first_row);
}

void task_unload_twin(struct task *twin) {
    free_problem(twin);
}

void task_take_twin(struct task *task, struct task *twin) {
    free_problem(task);
    task->problem = twin->problem;
    task->weights = twin->weights;
    task->free_columns = twin->free_columns;
    task->free_count = twin->free_count;
    task->excluded = twin->excluded;
    task->excluded_count = twin->excluded_count;
    task->lower = twin->lower;
    task->upper = twin->upper;
    task->group_of = twin->group_of;
    task->groups = twin->groups;
    task->group_limit = twin->group_limit;
    *twin = (struct task){0};
}

int task_split(struct task *task, const struct args *args) {
    int result = CLI_DONE;
    task->part = task->classes ? calloc((size_t)task->classes, sizeof *task->part) : NULL;
    if (task->classes && !task->part) {
        return cli_out_of_memory();
    }
    for (int64_t k = 0; k < task->classes && result == CLI_DONE; k++) {
        struct task *part = &task->part[k];
        *part = (struct task){.data = task->data, .matrix = task->matrix, .names = task->names};
        part->against = scratch_array(&task->matrix, task->matrix.rows, sizeof *part->against);
        if (!part->against) {
            return cli_out_of_memory();
        }
        fill_against(task, k, part->against);
        result = make_problem(part, args, part->against);
    }
    return result;
}

int64_t task_parts(const struct task *task) {
    return task->classes ? task->classes : 1;
}

const struct task *task_part(const struct task *task, int64_t k) {
    return task->classes ? &task->part[k] : task;
}

const char *task_class_name(const struct task *task, int64_t k, char text[32]) {
    const char *name = spgm_data_label(task->data, (int64_t)task->labels[k]);
    return name ? name : screen_exact(task->labels[k], text);
}

static double sum_of_weights(const struct task *task) {
    const double *weights = task->weights                   ? task->weights
                            : spgm_data_weights(task->data) ? spgm_data_weights(task->data) + task->first_row
                                                            : NULL;
    double sum = 0;
    for (int64_t i = 0; weights && i < task->matrix.rows; i++) {
        sum += weights[i];
    }
    return group_sum(sum);
}

int task_make_model(const struct task *task, const struct args *args, const spgm_solver *solver, const char *chosen,
                    spgm_model **model) {
    spgm_status status;
    char date[32];
    time_t now = time(NULL);
    struct tm parts;
    int is_reproducible = args_get(args, "reproducible") != NULL;
    spgm_record record = {.data = args->operand[0],
                          .weights = sum_of_weights(task),
                          .free_columns = task->free_columns,
                          .free_count = task->free_count,
                          .rows = group_all() ? (int64_t)group_sum((double)task->matrix.rows) : 0,
                          .chosen = chosen};
    if (!is_reproducible && gmtime_r(&now, &parts) && strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts)) {
        record.date = date;
    }
    spgm_error error = spgm_model_new(solver, task->data, model, &status);
    error = error ? error : spgm_model_set_record(*model, &record, &status);
    if (!error && is_reproducible) {
        spgm_model_forget_time(*model);
    }
    return error ? cli_status(&status) : CLI_DONE;
}

int task_write_model(const struct task *task, const struct args *args, const spgm_solver *solver, const char *chosen,
                     const char *path) {
    spgm_status status;
    spgm_model *model = NULL;
    int result = task_make_model(task, args, solver, chosen, &model);
    if (result == CLI_DONE && group_is_first() && spgm_model_write(model, path, &status)) {
        result = cli_status(&status);
    }
    spgm_model_free(model);
    return result;
}

void task_free(struct task *task) {
    for (int64_t k = 0; task->part && k < task->classes; k++) {
        free_problem(&task->part[k]);
        scratch_free(task->part[k].against);
    }
    free(task->part);
    free_problem(task);
    label_free(&task->names);
    spgm_data_free(task->data);
    scratch_free(task->labels);
    scratch_free(task->against);
    group_free(task);
    scratch_close(&task->scratch);
    *task = (struct task){0};
}
