/* More than two labels: a model for each against the rest, all with the same s, in one file. */
#include "classes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct live {
    const struct args *args;
    int64_t sparsity;
    double next; /* seconds when the progress line is due */
};

static int on_progress(const spgm_progress *progress, void *context) {
    struct live *live = context;
    if (progress->seconds >= live->next) {
        screen_progress(progress, live->sparsity);
        live->next = progress->seconds + 0.1;
    }
    return 0;
}

void classes_heading(const struct task *task, int64_t k) {
    char text[32];
    const char *bold = screen_styled(stderr) ? "\033[1m" : "", *plain = *bold ? "\033[0m" : "";
    fprintf(stderr, "%sLabel %s against the rest%s\n", bold, task_class_name(task, k, text), plain);
}

static int solve(const struct args *args, spgm_solver *solver, int64_t sparsity) {
    spgm_status status;
    struct live live = {args, sparsity, 0};
    if (!args_get(args, "quiet") && isatty(STDERR_FILENO)) {
        spgm_solver_set_progress(solver, on_progress, &live);
    }
    signals_watch(solver);
    spgm_error error = spgm_solver_run(solver, &status);
    signals_release();
    screen_erase();
    return error ? cli_status(&status) : CLI_DONE;
}

/* *stopped: Ctrl-C came. */
static int fit_class(struct task *task, const struct args *args, int64_t k, int64_t sparsity, const char *chosen,
                     spgm_model **model, int *stopped) {
    spgm_status status;
    spgm_solver *solver = NULL;
    int result = task_take_class(task, args, k);
    if (result == CLI_DONE && spgm_solver_new(task->problem, sparsity, args->options, &solver, &status)) {
        result = cli_status(&status);
    }
    result = result ? result : solve(args, solver, sparsity);
    if (result == CLI_DONE && screen_wanted(args)) {
        fputs(k ? "\n" : "", stderr);
        classes_heading(task, k);
        report_fit(args, task, solver, sparsity);
    }
    if (result == CLI_DONE) {
        *stopped = spgm_solver_get_info(solver).outcome == SPGM_INTERRUPTED;
        result = task_make_model(task, args, solver, chosen, model);
    }
    spgm_solver_free(solver);
    return result;
}

static int write_models(spgm_model *const *models, const struct task *task, const char *path, int *taken) {
    spgm_status status;
    spgm_model *combined = NULL;
    if (spgm_model_combine(models, task->classes, task->labels, task->data, &combined, &status)) {
        return cli_status(&status);
    }
    *taken = 1;
    const double *weights = spgm_data_weights(task->data) ? spgm_data_weights(task->data) : task->weights;
    if (spgm_model_balance(combined, task->data, weights, &status)) {
        spgm_model_free(combined);
        return cli_status(&status);
    }
    int result = path && spgm_model_write(combined, path, &status) ? cli_status(&status) : CLI_DONE;
    spgm_model_free(combined);
    return result;
}

int classes_fit(struct task *task, const struct args *args, int64_t sparsity, const char *chosen) {
    const char *output = args_get(args, "output");
    int taken = 0, stopped = 0;
    spgm_model **models = calloc((size_t)task->classes, sizeof *models);
    int result = models ? CLI_DONE : cli_out_of_memory();
    for (int64_t k = 0; k < task->classes && result == CLI_DONE; k++) {
        result = fit_class(task, args, k, sparsity, chosen, &models[k], &stopped);
        if (stopped) { /* the others get what can be had at once */
            spgm_options_set(args->options, "time_limit", "0.01", NULL);
        }
    }
    if (result == CLI_DONE) {
        int is_silent = !output && (args_get(args, "json") || (screen_wanted(args) && isatty(STDOUT_FILENO)));
        result = write_models(models, task, is_silent ? NULL : output ? output : "-", &taken);
    }
    for (int64_t k = 0; models && k < task->classes && !taken; k++) {
        spgm_model_free(models[k]);
    }
    free(models);
    return result;
}
