#include "choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Sizes that are tried when none are given. */
enum { SIZE_MAX_TRIED = 50, SIZE_DENSE = 20 };
/* Numbers of the data, times folds, times sizes: beyond this cross-validation takes minutes. */
static const double cross_work = 3e8;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

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
        return cli_error("--sparsity %lld: it must be at least 0 and at most the %lld columns of the data",
                         (long long)(least < 0 ? least : most), (long long)columns);
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

/* A model should not have more nonzeros than half the rows that it is fitted to. */
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

void choose_heading(const struct args *args, const struct task *task, const int64_t *sizes, int64_t count) {
    char text[128];
    report_problem(args, task, choose_sizes_text(sizes, count, text, sizeof text));
}

/* ---- cross-validation ---------------------------------------------------------------------------------------- */

static int on_progress(const spgm_progress *progress, void *context) {
    choose_progress(context, progress);
    return signals_asked();
}

static int cross_new(struct cross *cross, int64_t count, int64_t folds) {
    *cross = (struct cross){.count = count, .folds = folds, .best = -1, .simple = -1};
    cross->losses = calloc((size_t)(count * folds), sizeof *cross->losses);
    cross->mean = calloc((size_t)count, sizeof *cross->mean);
    cross->error = calloc((size_t)count, sizeof *cross->error);
    return cross->losses && cross->mean && cross->error ? CLI_DONE : cli_out_of_memory();
}

void cross_free(struct cross *cross) {
    free(cross->losses);
    free(cross->mean);
    free(cross->error);
    *cross = (struct cross){0};
}

/* Nothing of it is computed anew where there is one problem. */
static void take_losses(struct cross *cross, const spgm_cv *cv) {
    for (int64_t i = 0; i < cross->count; i++) {
        spgm_cv_get(cv, i, cross->losses + i * cross->folds, &cross->mean[i], &cross->error[i]);
    }
    cross->best = spgm_cv_best(cv);
    cross->simple = spgm_cv_one_standard_error(cv);
}

static int add_losses(struct cross *cross, const spgm_cv *cv, int64_t classes) {
    double *losses = malloc((size_t)cross->folds * sizeof *losses);
    if (!losses) {
        return cli_out_of_memory();
    }
    for (int64_t i = 0; i < cross->count; i++) {
        spgm_cv_get(cv, i, losses, NULL, NULL);
        for (int64_t k = 0; k < cross->folds; k++) {
            cross->losses[i * cross->folds + k] += losses[k] / (double)classes;
        }
    }
    free(losses);
    return CLI_DONE;
}

/* Mean and standard error of the losses of one size over the folds that are done. */
static void summarise(struct cross *cross, int64_t i) {
    const double *losses = cross->losses + i * cross->folds;
    double sum = 0, square = 0, done = 0;
    for (int64_t k = 0; k < cross->folds; k++) {
        sum += isnan(losses[k]) ? 0 : losses[k];
        done += !isnan(losses[k]);
    }
    cross->mean[i] = done > 0 ? sum / done : NAN;
    for (int64_t k = 0; k < cross->folds; k++) {
        square += isnan(losses[k]) ? 0 : (losses[k] - cross->mean[i]) * (losses[k] - cross->mean[i]);
    }
    cross->error[i] = done > 1 ? sqrt(square / (done - 1) / done) : NAN;
}

static void summarise_all(struct cross *cross) {
    for (int64_t i = 0; i < cross->count; i++) {
        summarise(cross, i);
        if (!isnan(cross->mean[i]) && (cross->best < 0 || cross->mean[i] < cross->mean[cross->best])) {
            cross->best = i;
        }
    }
    cross->simple = cross->best;
    for (int64_t i = cross->best - 1; i >= 0; i--) {
        double room = isnan(cross->error[cross->best]) ? 0 : cross->error[cross->best];
        cross->simple = cross->mean[i] <= cross->mean[cross->best] + room ? i : cross->simple;
    }
}

static int choose_by_rule(struct cross *cross, const struct args *args) {
    char rule[64];
    for (int64_t k = 0; k < cross->folds; k++) {
        cross->finished += !isnan(cross->losses[k]);
    }
    cross->is_1se = strcmp(option_text(args->options, "rule", rule), "1se") == 0;
    cross->chosen = cross->is_1se ? cross->simple : cross->best;
    if (cross->chosen < 0) {
        cli_error("stopped before the first fold was done; nothing is written");
        return CLI_FAILED;
    }
    return CLI_DONE;
}

/* One cross-validation, on the given folds unless they are NULL; free *cv. */
static int run_cross(const struct args *args, const struct task *task, const int64_t *sizes, int64_t count,
                     const int64_t *fold_of_row, spgm_cv **cv) {
    struct ticker ticker = {args, 0};
    spgm_status status;
    int64_t folds = option_integer(args->options, "folds");
    if (spgm_cv_new(task->problem, sizes, count, args->options, cv, &status) ||
        (fold_of_row && spgm_cv_set_folds(*cv, fold_of_row, folds, &status))) {
        return cli_status_of(&status, args->operand[0]);
    }
    spgm_cv_set_progress(*cv, on_progress, &ticker);
    signals_watch(NULL, NULL);
    spgm_error error = spgm_cv_run(*cv, &status);
    signals_release();
    screen_erase();
    return error ? cli_status_of(&status, args->operand[0]) : CLI_DONE;
}

/* ---- folds of several labels ------------------------------------------------------------------------------------ */

struct ticket {
    double label;
    uint64_t number;
    int64_t row;
};

static int by_ticket(const void *a, const void *b) {
    const struct ticket *p = a, *q = b;
    if (p->label != q->label) {
        return p->label < q->label ? -1 : 1;
    }
    return p->number != q->number ? (p->number < q->number ? -1 : 1) : p->row < q->row ? -1 : p->row > q->row;
}

/* A number for each row from the seed: SplitMix64. */
static uint64_t draw(uint64_t seed, int64_t row) {
    uint64_t z = (seed + 1) * UINT64_C(0xD1342543DE82EF95) + (uint64_t)row * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Each label is spread evenly; the next one goes on where the last one ended. NULL: out of memory. */
static int64_t *draw_folds(const struct args *args, const struct task *task) {
    int64_t rows = task->matrix.rows, folds = option_integer(args->options, "folds");
    uint64_t seed = (uint64_t)option_integer(args->options, "seed");
    const double *target = spgm_data_target(task->data);
    struct ticket *tickets = malloc(((size_t)rows + 1) * sizeof *tickets);
    int64_t *fold_of_row = malloc(((size_t)rows + 1) * sizeof *fold_of_row);
    for (int64_t i = 0; tickets && i < rows; i++) {
        tickets[i] = (struct ticket){target[i], draw(seed, i), i};
    }
    if (tickets && fold_of_row) {
        qsort(tickets, (size_t)rows, sizeof *tickets, by_ticket);
        for (int64_t i = 0; i < rows; i++) {
            fold_of_row[tickets[i].row] = i % folds;
        }
    } else {
        free(fold_of_row);
        fold_of_row = NULL;
    }
    free(tickets);
    return fold_of_row;
}

/* Every label against the rest, all on the same folds. */
static int cross_classes(struct cross *cross, const struct args *args, struct task *task, const int64_t *sizes,
                         int64_t count) {
    int64_t *fold_of_row = draw_folds(args, task);
    int result = fold_of_row ? CLI_DONE : cli_out_of_memory();
    for (int64_t k = 0; k < task->classes && result == CLI_DONE; k++) {
        spgm_cv *cv = NULL;
        result = task_take_class(task, args, k);
        result = result ? result : run_cross(args, task, sizes, count, fold_of_row, &cv);
        if (result == CLI_DONE && k == 0) {
            result = cross_new(cross, count, spgm_cv_folds(cv));
        }
        result = result ? result : add_losses(cross, cv, task->classes);
        spgm_cv_free(cv);
        if (result == CLI_DONE && signals_asked() && k + 1 < task->classes) {
            cli_error("stopped before every label was cross-validated; nothing is written");
            result = CLI_FAILED;
        }
    }
    free(fold_of_row);
    if (result == CLI_DONE) {
        summarise_all(cross);
    }
    return result;
}

static int cross_one(struct cross *cross, const struct args *args, const struct task *task, const int64_t *sizes,
                     int64_t count) {
    spgm_cv *cv = NULL;
    int result = run_cross(args, task, sizes, count, NULL, &cv);
    result = result ? result : cross_new(cross, count, spgm_cv_folds(cv));
    if (result == CLI_DONE) {
        take_losses(cross, cv);
    }
    spgm_cv_free(cv);
    return result;
}

int cross_run(struct cross *cross, const struct args *args, struct task *task, const int64_t *sizes, int64_t count) {
    double began = now();
    *cross = (struct cross){0};
    int result =
        task->classes ? cross_classes(cross, args, task, sizes, count) : cross_one(cross, args, task, sizes, count);
    cross->seconds = now() - began;
    return result ? result : choose_by_rule(cross, args);
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

static int by_cross(const struct args *args, struct task *task, const struct grid *grid, const char *reason,
                    int64_t *sparsity, char *why, size_t size) {
    struct cross cross = {0};
    int result = cross_run(&cross, args, task, grid->sizes, grid->count);
    if (result == CLI_DONE) {
        *sparsity = grid->sizes[cross.chosen];
        snprintf(why, size, "%s of %lld-fold cross-validation over s = %s (%.6g at s = %lld)%s%s",
                 cross.is_1se ? "smallest s within one standard error of the lowest mean loss" : "lowest mean loss",
                 (long long)cross.folds, grid->text, cross.mean[cross.chosen], (long long)*sparsity, reason,
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
    signals_watch(NULL, NULL);
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

/* Of more than two labels the criteria of their models are added, as logarithms of likelihoods are. */
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
        reason = !is_enough  ? "; too few rows for cross-validation (--criterion cv does it all the same)"
                 : !is_small ? "; large data, where cross-validation would take long (--criterion cv does it)"
                             : "; the data are small enough for it (--criterion ebic is faster)";
    }
    if (strcmp(name, "cv") == 0) {
        result = by_cross(args, task, &grid, reason, sparsity, why, size);
    } else {
        result = by_criterion(args, task, &grid, name, reason, sparsity, why, size);
    }
    free(grid.sizes);
    return result;
}
