/* Data and problem of fit and its relatives: --target, --weights; what else is in feasible.c. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *task_column(const spgm_data *data, int64_t j, char text[32]) {
    const char *name = spgm_data_column_name(data, j);
    snprintf(text, 32, "%lld", (long long)(j + 1));
    return name ? name : text;
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
    screen_note(args, "reading %s", path);
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

static int read_weights(struct task *task, const char *path) {
    spgm_status status;
    double *weights = NULL;
    int64_t count = 0;
    if (spgm_vector_read(path, &weights, &count, &status)) {
        return cli_status(&status);
    }
    int result = CLI_DONE;
    if (count != task->matrix.rows) {
        result = cli_error("--weights %s has %lld numbers, the data have %lld rows", path, (long long)count,
                           (long long)task->matrix.rows);
    } else if (spgm_problem_set_weights(task->problem, weights, &status)) {
        result = cli_status_of(&status, path);
    }
    task->weights = weights;
    return result;
}

/* No output may replace a file that is read, nor be impossible to write. */
int task_check_output(const struct args *args, const char *path) {
    const char *inputs[] = {args->operand[0],         args_get(args, "target"), args_get(args, "weights"),
                            args_get(args, "groups"), args_get(args, "lower"),  args_get(args, "upper")};
    int result = outfile_check(path);
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0] && result == CLI_DONE; i++) {
        result = outfile_spare(path, inputs[i]);
    }
    return result;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

int task_load(struct task *task, const struct args *args) {
    spgm_status status;
    *task = (struct task){0};
    int result = task_read(args, args->operand[0], (spgm_read_options){0}, &task->data);
    if (result) {
        return result;
    }
    task->matrix = spgm_data_matrix(task->data);
    if (!spgm_data_target(task->data)) {
        return cli_error("%s holds no target; give it with --target FILE", args->operand[0]);
    }
    if (spgm_problem_new(&task->matrix, spgm_data_target(task->data), args->options, &task->problem, &status)) {
        return cli_status_of(&status, args->operand[0]);
    }
    if (args_get(args, "weights")) {
        result = read_weights(task, args_get(args, "weights"));
    }
    result = result ? result : feasible_load(task, args);
    if (result == CLI_DONE && spgm_problem_merge_rows(task->problem, NULL, &status)) {
        result = cli_status(&status);
    }
    return result;
}

void task_free(struct task *task) {
    spgm_problem_free(task->problem);
    spgm_data_free(task->data);
    spgm_array_free(task->weights);
    feasible_free(task);
    *task = (struct task){0};
}
