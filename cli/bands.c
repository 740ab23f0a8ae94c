/* Several quantiles at once: fit --quantiles, and predict with what it made. */
#include "bands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bands_figure.h"
#include "choose.h"
#include "figure.h"

enum { LEVELS_MAX = 99, NAME_SHOWN = 24 };

/* ---- arguments --------------------------------------------------------------------------------------------------- */

struct levels {
    double values[LEVELS_MAX];
    int64_t count;
};

static int take_level(void *context, const char *word) {
    struct levels *levels = context;
    char *end;
    double value = strtod(word, &end);
    if (levels->count == LEVELS_MAX) {
        return cli_error("--quantiles takes at most %d levels", LEVELS_MAX);
    }
    if (end == word || *end || !(value > 0 && value < 1) ||
        (levels->count && value <= levels->values[levels->count - 1])) {
        return cli_error("--quantiles %s: give levels between 0 and 1 in ascending order, as in 0.1,0.5,0.9", word);
    }
    levels->values[levels->count++] = value;
    return CLI_DONE;
}

static int read_levels(const struct args *args, struct levels *levels) {
    levels->count = 0;
    int result = args_words(args, "quantiles", take_level, levels);
    return result          ? result
           : levels->count ? CLI_DONE
                           : cli_error("--quantiles is empty; give levels as in 0.1,0.5,0.9");
}

/* Set the level by which s is chosen: the one nearest to the middle. */
static void settle_level(const struct args *args, const struct levels *levels) {
    double middle = levels->values[0];
    for (int64_t k = 1; k < levels->count; k++) {
        middle = fabs(levels->values[k] - 0.5) < fabs(middle - 0.5) ? levels->values[k] : middle;
    }
    spgm_options_set_number(args->options, "quantile", middle, NULL);
}

int bands_check(const struct args *args) {
    static const char *const only[] = {"common-columns", "calibration", "figure"};
    static const char *const never[] = {"trace", "start", "certificate"};
    struct levels levels;
    char loss[64] = "";
    if (!args_get(args, "quantiles")) {
        for (size_t i = 0; i < sizeof only / sizeof only[0]; i++) {
            if (args_get(args, only[i])) {
                return cli_error("--%s goes with --quantiles, as in --quantiles 0.1,0.5,0.9", only[i]);
            }
        }
        return CLI_DONE;
    }
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        if (args_get(args, never[i])) {
            return cli_error("--%s applies to a single model, but --quantiles fits one for each level", never[i]);
        }
    }
    spgm_options_get(args->options, "loss", loss, sizeof loss, NULL);
    if (args_gave_loss(args) && !args_loss_has(args->options, "quantile")) {
        return cli_error("--quantiles fits the quantile loss at several levels, but --loss is %s", loss);
    }
    spgm_options_set(args->options, "loss", "quantile", NULL);
    int result = read_levels(args, &levels);
    if (result == CLI_DONE) {
        settle_level(args, &levels);
    }
    return result ? result : figure_check(args_get(args, "figure"));
}

/* ---- how good a band is ----------------------------------------------------------------------------------- */

/* Over the rows that have both. */
struct band_quality {
    int64_t compared, inside; /* between the lowest and the highest level, ends included */
    double width;             /* the mean of highest - lowest                           */
    int64_t *below;           /* [count] targets that are not above the level           */
    double *loss;             /* [count] pinball loss per row                           */
};

static int measure(const double *levels, int64_t count, int64_t rows, const double *values, const double *target,
                   struct band_quality *quality) {
    *quality = (struct band_quality){.below = calloc((size_t)count, sizeof *quality->below),
                                     .loss = calloc((size_t)count, sizeof *quality->loss)};
    if (!quality->below || !quality->loss) {
        return cli_out_of_memory();
    }
    for (int64_t i = 0; i < rows && target; i++) {
        const double *row = values + i * count;
        if (isnan(target[i]) || isnan(row[0])) {
            continue;
        }
        quality->compared++;
        quality->inside += target[i] >= row[0] && target[i] <= row[count - 1];
        quality->width += row[count - 1] - row[0];
        for (int64_t k = 0; k < count; k++) {
            double miss = target[i] - row[k];
            quality->below[k] += target[i] <= row[k];
            quality->loss[k] += miss > 0 ? levels[k] * miss : (levels[k] - 1) * miss;
        }
    }
    quality->width /= (double)(quality->compared ? quality->compared : 1);
    for (int64_t k = 0; k < count; k++) {
        quality->loss[k] /= (double)(quality->compared ? quality->compared : 1);
    }
    return CLI_DONE;
}

static void release(struct band_quality *quality) {
    free(quality->below);
    free(quality->loss);
}

static double coverage(const struct band_quality *quality) {
    return (double)quality->inside / (double)quality->compared;
}

/* ---- fit -------------------------------------------------------------------------------------------------- */

struct bands {
    const struct args *args;
    struct task *task;
    int64_t sparsity;
    const char *chosen, *calibration;
    struct levels levels;
    double shifts[LEVELS_MAX];
    spgm_band *band;
    int64_t folds, folds_done;
    int is_stopped;
    double *held; /* [rows x count]; shifted once the raw ones were measured */
    struct ticker ticker;
};

static int on_progress(const spgm_progress *progress, void *context) {
    struct bands *bands = context;
    choose_progress(&bands->ticker, progress);
    return signals_asked();
}

static int run(struct bands *bands) {
    const struct args *args = bands->args;
    spgm_band_settings settings = {.common_columns = args_get(args, "common-columns") != NULL,
                                   .calibration = bands->calibration};
    spgm_status status;
    if (spgm_band_new(bands->task->problem, bands->levels.values, bands->levels.count, bands->sparsity, args->options,
                      &settings, &bands->band, &status)) {
        return cli_status(&status);
    }
    spgm_band_set_progress(bands->band, on_progress, bands);
    signals_watch(NULL);
    spgm_error error = spgm_band_run(bands->band, &status);
    signals_release();
    screen_erase();
    if (error && signals_asked()) {
        cli_error("%s; nothing is written", status.message);
        return CLI_FAILED;
    }
    if (error) {
        return cli_status(&status);
    }
    bands->folds = spgm_band_folds(bands->band, &bands->folds_done);
    bands->calibration = bands->folds_done ? bands->calibration : "none";
    bands->is_stopped = signals_asked();
    size_t size = (size_t)(bands->task->matrix.rows * bands->levels.count);
    bands->held = malloc((size + 1) * sizeof *bands->held);
    if (!bands->held) {
        return cli_out_of_memory();
    }
    spgm_band_get_held_out(bands->band, bands->held);
    for (int64_t k = 0; k < bands->levels.count; k++) {
        spgm_band_level(bands->band, k, &bands->shifts[k]);
    }
    return CLI_DONE;
}

/* The coefficients of all levels. */
struct coefficients {
    const struct bands *bands;
    double *x;                    /* [count x columns] */
    double intercept[LEVELS_MAX]; /* [count]           */
    int name;                     /* width of the names */
};

static int is_used(const struct coefficients *all, int64_t j, int64_t first, int64_t last) {
    int64_t columns = all->bands->task->matrix.columns, k = first;
    while (k < last && all->x[k * columns + j] == 0) {
        k++;
    }
    return k < last;
}

static void put_numbers(const char *name, const struct coefficients *all, const double *values, int64_t first,
                        int64_t last) {
    fprintf(stderr, "\n  %-*s", all->name, name);
    for (int64_t k = first; k < last; k++) {
        fprintf(stderr, "  %12.6g", values[k]);
    }
}

/* One line for every column that any level uses, with its coefficient at each of these levels. */
static void put_levels(const struct coefficients *all, int64_t first, int64_t last) {
    const struct bands *bands = all->bands;
    int64_t columns = bands->task->matrix.columns;
    char text[LABEL_SIZE];
    put_numbers("column", all, bands->levels.values, first, last);
    for (int64_t j = 0; j < columns; j++) {
        int skipped = 0; /* where a column is not in the model */
        if (!is_used(all, j, first, last)) {
            continue;
        }
        fputs("\n  ", stderr);
        label_put(stderr, label_column(&bands->task->names, j, NAME_SHOWN, text), all->name);
        for (int64_t k = first; k < last; k++) {
            skipped += 14;
            if (all->x[k * columns + j] != 0) {
                fprintf(stderr, "%*.6g", skipped, all->x[k * columns + j]);
                skipped = 0;
            }
        }
    }
    put_numbers("intercept", all, all->intercept, first, last);
    put_numbers("shift", all, bands->shifts, first, last);
    fputc('\n', stderr);
}

/* Print as many levels side by side as fit on the screen. */
static int put_coefficients(const struct bands *bands) {
    int64_t columns = bands->task->matrix.columns, count = bands->levels.count;
    struct coefficients all = {.bands = bands, .name = (int)strlen("intercept")};
    char text[LABEL_SIZE];
    all.x = malloc((size_t)(columns * count + 1) * sizeof *all.x);
    if (!all.x) {
        return cli_out_of_memory();
    }
    for (int64_t k = 0; k < count; k++) {
        spgm_solver_get_x(spgm_band_solver(bands->band, k), all.x + k * columns, &all.intercept[k]);
    }
    for (int64_t j = 0; j < columns; j++) {
        int length =
            is_used(&all, j, 0, count) ? screen_length(label_column(&bands->task->names, j, NAME_SHOWN, text)) : 0;
        all.name = length > all.name ? length : all.name;
    }
    int64_t room = (screen_width(stderr) - 1 - 2 - all.name) / 14;
    room = room < 1 ? 1 : room;
    for (int64_t first = 0; first < count; first += room) {
        put_levels(&all, first, first + room < count ? first + room : count);
    }
    free(all.x);
    return CLI_DONE;
}

static const char *verdict_of(const struct bands *bands, int64_t k, char verdict[192]) {
    spgm_info info = spgm_solver_get_info(spgm_band_solver(bands->band, k));
    spgm_info_verdict(&info, verdict, 192);
    return verdict;
}

/* A single line if all quantiles have the same verdict. */
static void put_verdicts(const struct bands *bands) {
    char verdict[192], first[192];
    int is_same = 1;
    if (args_get(bands->args, "common-columns")) {
        return;
    }
    verdict_of(bands, 0, first);
    for (int64_t k = 1; k < bands->levels.count; k++) {
        is_same &= strcmp(verdict_of(bands, k, verdict), first) == 0;
    }
    if (is_same) {
        doc_fact("verdict", "every quantile: %s", first);
    }
    for (int64_t k = 0; k < bands->levels.count && !is_same; k++) {
        doc_fact("verdict", "quantile %g: %s", bands->levels.values[k], verdict_of(bands, k, verdict));
    }
}

/* What Ctrl-C has cost. */
static void put_stop(const struct bands *bands) {
    if (bands->folds_done < bands->folds && bands->folds_done == 0) {
        doc_fact("stopped", "before there were enough rows to calibrate on: the band covers too few new rows");
    } else if (bands->folds_done < bands->folds) {
        doc_fact("stopped", "after %lld of %lld folds; the shifts are computed from these",
                 (long long)bands->folds_done, (long long)bands->folds);
    } else if (bands->is_stopped) {
        doc_fact("stopped", "before the search was done");
    }
}

/* Measures the held-out predictions before and after the shifts; they stay shifted. */
static int report(struct bands *bands) {
    const double *target = spgm_data_target(bands->task->data), *levels = bands->levels.values;
    int64_t count = bands->levels.count, rows = bands->task->matrix.rows;
    struct band_quality raw = {0}, shifted = {0};
    char sizes[32];
    int result = measure(levels, count, rows, bands->held, target, &raw);
    for (int64_t i = 0; i < rows; i++) {
        spgm_band_arrange(levels, bands->shifts, count, bands->held + i * count);
    }
    result = result ? result : measure(levels, count, rows, bands->held, target, &shifted);
    if (result == CLI_DONE && screen_wanted(bands->args)) {
        snprintf(sizes, sizeof sizes, "%lld", (long long)bands->sparsity);
        report_problem(bands->args, bands->task, NULL, sizes);
        result = put_coefficients(bands);
        if (raw.compared) {
            fputc('\n', stderr);
            doc_fact("held out",
                     "%lld rows: %.1f %% between quantiles %g and %g as fitted (mean width %.4g), "
                     "%.1f %% after calibration (%.4g)",
                     (long long)raw.compared, 100 * coverage(&raw), levels[0], levels[count - 1], raw.width,
                     100 * coverage(&shifted), shifted.width);
        }
        put_verdicts(bands);
        put_stop(bands);
        if (bands->chosen) {
            doc_fact("chosen", "s = %lld: %s", (long long)bands->sparsity, bands->chosen);
        }
    }
    release(&raw);
    release(&shifted);
    return result;
}

static int draw(const struct bands *bands) {
    const char *path = args_get(bands->args, "figure");
    const double *levels = bands->levels.values;
    char title[256];
    snprintf(title, sizeof title, "%s, quantiles %g to %g", report_file(bands->args->operand[0]), levels[0],
             levels[bands->levels.count - 1]);
    struct band_picture picture = {.title = title,
                                   .subtitle = "held-out rows, calibrated",
                                   .target_name = spgm_data_target_name(bands->task->data),
                                   .rows = bands->task->matrix.rows,
                                   .count = bands->levels.count,
                                   .levels = bands->levels.values,
                                   .values = bands->held,
                                   .target = spgm_data_target(bands->task->data)};
    return path ? bands_figure(path, &picture, bands->args) : CLI_DONE;
}

static int write_model(const struct bands *bands) {
    const char *output = args_get(bands->args, "output");
    spgm_model *models[LEVELS_MAX] = {0}, *combined = NULL;
    spgm_status status;
    int result = CLI_DONE;
    if (!output && screen_wanted(bands->args) && isatty(STDOUT_FILENO)) {
        return CLI_DONE;
    }
    for (int64_t k = 0; k < bands->levels.count && result == CLI_DONE; k++) {
        result = task_make_model(bands->task, bands->args, spgm_band_solver(bands->band, k), bands->chosen, &models[k]);
    }
    if (result == CLI_DONE && spgm_model_combine_band(models, bands->levels.count, bands->levels.values, bands->shifts,
                                                      bands->calibration, &combined, &status)) {
        result = cli_status(&status);
    }
    if (result == CLI_DONE && spgm_model_write(combined, output ? output : "-", &status)) {
        result = cli_status(&status);
    }
    for (int64_t k = 0; k < bands->levels.count && !combined; k++) {
        spgm_model_free(models[k]);
    }
    spgm_model_free(combined);
    return result;
}

int bands_fit(struct task *task, const struct args *args, int64_t sparsity, const char *chosen) {
    const char *calibration = args_get(args, "calibration");
    struct bands bands = {.args = args,
                          .task = task,
                          .sparsity = sparsity,
                          .chosen = chosen,
                          .calibration = calibration ? calibration : "cross",
                          .ticker = {.args = args}};
    int result = read_levels(args, &bands.levels);
    result = result ? result : run(&bands);
    result = result ? result : report(&bands);
    result = result ? result : write_model(&bands);
    result = result ? result : draw(&bands);
    spgm_band_free(bands.band);
    free(bands.held);
    return result;
}

/* ---- predict
 * --------------------------------------------------------------------------------------------------------- */

struct applied {
    const struct args *args;
    const spgm_model *model;
    const spgm_data *data;
    int64_t rows, count;
    double levels[LEVELS_MAX];
    double *values; /* [rows x count] */
};

static int apply(struct applied *applied) {
    spgm_status status;
    double *column = malloc(((size_t)applied->rows + 1) * sizeof *column);
    applied->values = malloc(((size_t)(applied->rows * applied->count) + 1) * sizeof *applied->values);
    int result = column && applied->values ? CLI_DONE : cli_out_of_memory();
    for (int64_t k = 0; k < applied->count && result == CLI_DONE; k++) {
        const spgm_model *model = spgm_model_class(applied->model, k, &applied->levels[k], NULL);
        if (spgm_model_predict(model, applied->data, column, &status)) {
            result = cli_status(&status);
        }
        for (int64_t i = 0; i < applied->rows && result == CLI_DONE; i++) {
            applied->values[i * applied->count + k] = column[i];
        }
    }
    for (int64_t i = 0; i < applied->rows && result == CLI_DONE; i++) {
        spgm_model_arrange(applied->model, applied->values + i * applied->count);
    }
    free(column);
    return result;
}

static int write_values(const struct applied *applied) {
    const char *path = args_get(applied->args, "output");
    struct outfile out;
    char text[32];
    int result = outfile_open(&out, path ? path : "-");
    if (result) {
        return result;
    }
    for (int64_t k = 0; k < applied->count; k++) {
        fprintf(out.file, "%squantile_%s", k ? "," : "", screen_exact(applied->levels[k], text));
    }
    for (int64_t i = 0; i < applied->rows && !outfile_failed(&out); i++) {
        for (int64_t k = 0; k < applied->count; k++) {
            double value = applied->values[i * applied->count + k];
            fprintf(out.file, "%s%s", k ? "," : "\n", text_csv_number(value, text));
        }
    }
    fputc('\n', out.file);
    result = outfile_finish(&out);
    return result ? result : outfile_commit(&out);
}

static void summarise(const struct applied *applied, const struct band_quality *quality) {
    char rows[32], compared[32];
    double wanted = 100 * (applied->levels[applied->count - 1] - applied->levels[0]);
    fprintf(stderr, "%s: %s rows, %s compared with their target\n", applied->args->operand[1],
            screen_count(applied->rows, rows), screen_count(quality->compared, compared));
    int64_t skipped = 0;
    for (int64_t i = 0; i < applied->rows; i++) {
        skipped += isnan(applied->values[i * applied->count]);
    }
    report_skipped(applied->data, skipped);
    if (!quality->compared) {
        return;
    }
    fprintf(stderr, "  coverage          %.1f %% between quantiles %g and %g, which are %.4g %% apart\n",
            100 * coverage(quality), applied->levels[0], applied->levels[applied->count - 1], wanted);
    fprintf(stderr, "  mean width        %.6g\n", quality->width);
    for (int64_t k = 0; k < applied->count; k++) {
        fprintf(stderr, "  quantile %-6g    %4.1f %% of the targets are not above it, loss per row %.6g\n",
                applied->levels[k], 100 * (double)quality->below[k] / (double)quality->compared, quality->loss[k]);
    }
}

static int put_json(const struct applied *applied, const struct band_quality *quality) {
    char text[32];
    fputs("{\n  \"model\": ", stdout);
    text_json(stdout, applied->args->operand[0]);
    fputs(",\n  \"data\": ", stdout);
    text_json(stdout, applied->args->operand[1]);
    printf(",\n  \"rows\": %lld,\n  \"compared\": %lld", (long long)applied->rows, (long long)quality->compared);
    if (quality->compared) {
        printf(",\n  \"coverage\": %s", text_json_number(coverage(quality), text));
        printf(",\n  \"mean_width\": %s,\n  \"quantiles\": [", text_json_number(quality->width, text));
        for (int64_t k = 0; k < applied->count; k++) {
            double below = (double)quality->below[k] / (double)quality->compared;
            printf("%s{\"level\": %s", k ? ", " : "", text_json_number(applied->levels[k], text));
            printf(", \"share_not_above\": %s", text_json_number(below, text));
            printf(", \"loss_per_row\": %s}", text_json_number(quality->loss[k], text));
        }
        putchar(']');
    }
    fputs("\n}\n", stdout);
    return outfile_flush();
}

static int draw_applied(const struct applied *applied) {
    const char *path = args_get(applied->args, "figure");
    struct band_picture picture = {.title = report_file(applied->args->operand[1]),
                                   .subtitle = report_file(applied->args->operand[0]),
                                   .target_name = spgm_data_target_name(applied->data),
                                   .rows = applied->rows,
                                   .count = applied->count,
                                   .levels = applied->levels,
                                   .values = applied->values,
                                   .target = spgm_data_target(applied->data)};
    return path ? bands_figure(path, &picture, applied->args) : CLI_DONE;
}

int bands_predict(const struct args *args, const spgm_model *model, const spgm_data *data) {
    struct applied applied = {.args = args,
                              .model = model,
                              .data = data,
                              .rows = spgm_data_matrix(data).rows,
                              .count = spgm_model_levels(model)};
    struct band_quality quality = {0};
    int is_json = args_get(args, "json") != NULL;
    int result = applied.count > LEVELS_MAX ? cli_error("%s has %lld quantiles, and predict takes at most %d",
                                                        args->operand[0], (long long)applied.count, LEVELS_MAX)
                                            : apply(&applied);
    result =
        result ? result
               : measure(applied.levels, applied.count, applied.rows, applied.values, spgm_data_target(data), &quality);
    if (result == CLI_DONE && (!is_json || args_get(args, "output"))) {
        result = write_values(&applied);
    }
    if (result == CLI_DONE && is_json) {
        result = put_json(&applied, &quality);
    }
    if (result == CLI_DONE && screen_wanted(args)) {
        summarise(&applied, &quality);
    }
    result = result ? result : draw_applied(&applied);
    release(&quality);
    free(applied.values);
    return result;
}
