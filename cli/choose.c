#include "choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cross.h"

/* The sizes that are tried if none are given. */
enum { SIZE_MAX_TRIED = 50, SIZE_DENSE = 20 };
/* Entries of the data times folds times sizes: above this, cross-validation takes minutes. */
static const double cross_work = 3e8;

/* ---- progress --------------------------------------------------------------------------------------------- */

void choose_progress(struct ticker *ticker, const spgm_progress *p) {
    char took[32], left[32], rest[64] = "", at[64] = "";
    if (p->seconds < ticker->next) {
        return;
    }
    ticker->next = p->seconds + 0.1;
    if (signals_asked()) {
        screen_note(ticker->args, "stopping; again Ctrl-C to end at once");
        return;
    }
    if (p->fraction > 0.02) {
        snprintf(rest, sizeof rest, ", about %s left",
                 screen_seconds(p->seconds * (1 - p->fraction) / p->fraction, left));
    }
    if (isfinite(p->objective)) {
        snprintf(at, sizeof at, "  s = %lld  F %.6g", (long long)p->support, p->objective);
    }
    screen_note(ticker->args, "%s  %.0f %%%s  %s%s", p->method, 100 * p->fraction, at, screen_seconds(p->seconds, took),
                rest);
}

/* ---- sizes -------------------------------------------------------------------------------------------------- */

int choose_check_sizes(const struct task *task, const int64_t *sizes, int64_t count) {
    int64_t columns = task->matrix.columns, least = sizes[0], most = sizes[count - 1];
    if (least < 0 || most > columns) {
        return cli_error("--sparsity %lld: it must be at least 0 and at most the %lld column%s of the data",
                         (long long)(least < 0 ? least : most), (long long)columns, columns == 1 ? "" : "s");
    }
    return CLI_DONE;
}

static int64_t option_integer(const spgm_options *options, const char *name) {
    char text[64];
    return spgm_options_get(options, name, text, sizeof text, NULL) ? 0 : strtoll(text, NULL, 10);
}

static const char *option_text(const spgm_options *options, const char *name, char text[64]) {
    return spgm_options_get(options, name, text, 64, NULL) ? "" : text;
}

/* A model should not have more nonzeros than half the rows it is fitted to. */
int choose_sizes(const struct args *args, const struct task *task, int64_t **sizes, int64_t *count) {
    int64_t folds = option_integer(args->options, "folds"), most = feasible_most(task);
    int64_t carried = task->matrix.rows * (folds - 1) / folds / 2;
    most = most < SIZE_MAX_TRIED ? most : SIZE_MAX_TRIED;
    most = most < carried || most < 2 ? most : carried < 1 ? 1 : carried;
    *count = 0;
    *sizes = malloc((size_t)(SIZE_MAX_TRIED + 1) * sizeof **sizes);
    if (!*sizes) {
        return cli_out_of_memory();
    }
    for (int64_t s = 0; s <= most; s += s < SIZE_DENSE ? 1 : s < 30 ? 2 : 5) {
        (*sizes)[(*count)++] = s;
    }
    return CLI_DONE;
}

const char *choose_sizes_text(const int64_t *sizes, int64_t count, char *text, size_t size) {
    size_t at = 0;
    if (count > 2 && sizes[count - 1] - sizes[0] == count - 1) {
        snprintf(text, size, "%lld to %lld", (long long)sizes[0], (long long)sizes[count - 1]);
        return text;
    }
    if (count > 8) {
        snprintf(text, size, "%lld, %lld, ... %lld", (long long)sizes[0], (long long)sizes[1],
                 (long long)sizes[count - 1]);
        return text;
    }
    for (int64_t i = 0; i < count && at < size; i++) {
        at += (size_t)snprintf(text + at, size - at, "%s%lld", i ? ", " : "", (long long)sizes[i]);
    }
    return text;
}

void choose_heading(const struct args *args, const struct task *task, const char *loss, const int64_t *sizes,
                    int64_t count) {
    char text[128];
    report_problem(args, task, loss, choose_sizes_text(sizes, count, text, sizeof text));
}

static int on_progress(const spgm_progress *progress, void *context) {
    choose_progress(context, progress);
    return signals_asked();
}

/* ---- fit --sparsity auto --------------------------------------------------------------------------------------- */

struct grid {
    int64_t *sizes, count;
    char text[64];
};

static double stored(const struct task *task) {
    const spgm_matrix *A = &task->matrix;
    return A->column_start ? (double)A->column_start[A->columns] : (double)A->rows * (double)A->columns;
}

/* By cross-validation; s grows as long as the loss falls. */
static int by_cross(const struct args *args, struct task *task, const char *reason, int64_t *sparsity, char *why,
                    size_t size) {
    struct cross cross = {0};
    char how[256], ridge[64] = "";
    int result = cross_run(&cross, args, task, NULL, 0);
    if (result == CLI_DONE) {
        double mean;
        *sparsity = cross_size(&cross);
        cross_sentence(&cross, how, sizeof how);
        spgm_cv_get_at(cross.cv, cross.chosen, cross.chosen_ridge, NULL, &mean, NULL);
        if (cross.has_ridges) {
            snprintf(ridge, sizeof ridge, ", ridge %.4g", spgm_cv_ridge(cross.cv, cross.chosen_ridge));
        }
        snprintf(why, size, "%s (%.6g at s = %lld%s)%s%s", how, mean, (long long)*sparsity, ridge, reason,
                 cross.finished < cross.folds ? "; stopped before all folds were done" : "");
    }
    cross_free(&cross);
    return result;
}

static int path_of(const struct args *args, const struct task *task, const struct grid *grid, spgm_path **path) {
    struct ticker ticker = {args, 0};
    spgm_status status;
    if (spgm_path_new(task->problem, grid->sizes, grid->count, args->options, path, &status)) {
        return cli_status(&status);
    }
    spgm_path_set_progress(*path, on_progress, &ticker);
    signals_watch(NULL);
    spgm_error error = spgm_path_run(*path, &status);
    signals_release();
    screen_erase();
    return error ? cli_status(&status) : CLI_DONE;
}

/* Add the criterion of every size to sum [sizes]. */
static int add_criterion(const struct args *args, const struct task *task, const struct grid *grid, const char *name,
                         double *sum) {
    spgm_path *path = NULL;
    spgm_status status;
    double *value = malloc((size_t)grid->count * sizeof *value);
    int result = value ? path_of(args, task, grid, &path) : cli_out_of_memory();
    if (result == CLI_DONE && spgm_path_criterion(path, name, value, NULL, &status)) {
        result = cli_status(&status);
    }
    for (int64_t i = 0; i < grid->count && result == CLI_DONE; i++) {
        sum[i] += value[i];
    }
    free(value);
    spgm_path_free(path);
    return result;
}

/* With more than two labels the criteria of their models are added, as log-likelihoods are. */
static int by_criterion(const struct args *args, struct task *task, const struct grid *grid, const char *name,
                        const char *reason, int64_t *sparsity, char *why, size_t size) {
    double *sum = calloc((size_t)grid->count, sizeof *sum);
    int64_t lowest = 0;
    int result = sum ? CLI_DONE : cli_out_of_memory();
    for (int64_t k = 0; k < task_parts(task) && result == CLI_DONE; k++) {
        result = task->classes ? task_take_class(task, args, k) : CLI_DONE;
        result = result ? result : add_criterion(args, task, grid, name, sum);
    }
    for (int64_t i = 0; i < grid->count && result == CLI_DONE; i++) {
        lowest = sum[i] < sum[lowest] ? i : lowest;
    }
    if (result == CLI_DONE) {
        *sparsity = grid->sizes[lowest];
        snprintf(why, size, "lowest %s over s = %s%s", name, grid->text, reason);
    }
    free(sum);
    return result;
}

int choose_sparsity(const struct args *args, struct task *task, int64_t *sparsity, char *why, size_t size) {
    struct grid grid = {0};
    char name[64];
    const char *reason = "";
    int result = task->classes ? task_take_class(task, args, 0) : CLI_DONE; /* its feasible set is that of all */
    result = result ? result : choose_sizes(args, task, &grid.sizes, &grid.count);
    if (result) {
        return result;
    }
    choose_sizes_text(grid.sizes, grid.count, grid.text, sizeof grid.text);
    option_text(args->options, "criterion", name);
    if (strcmp(name, "auto") == 0) {
        int64_t folds = option_integer(args->options, "folds");
        int is_small = stored(task) * (double)folds * (double)grid.count <= cross_work;
        int is_enough = task->matrix.rows >= 2 * folds;
        snprintf(name, sizeof name, "%s", is_small && is_enough ? "cv" : "ebic");
        reason = !is_enough  ? "; too few rows for cross-validation (--criterion cv uses it all the same)"
                 : !is_small ? "; large data, where cross-validation would take long (--criterion cv uses it)"
                             : "; the data are small enough for it (--criterion ebic is faster)";
    }
    if (strcmp(name, "cv") == 0) {
        result = by_cross(args, task, reason, sparsity, why, size);
    } else {
        result = by_criterion(args, task, &grid, name, reason, sparsity, why, size);
    }
    free(grid.sizes);
    return result;
}
