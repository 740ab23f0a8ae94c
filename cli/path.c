/* spgm path: a model for every s of a list. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choose.h"
#include "figure.h"

static const struct flag flags[] = {
    {"sparsity", "LIST", "numbers of nonzeros, as in 1:50 or 5,10,20 or 10:90:10 (needed)", 's'},
    {"target", "FILE|COLUMN", "file with the target, or name or number of the target column, as for fit", 0},
    {"weights", "FILE|COLUMN", "a weight >= 0 for every row, as for fit", 0},
    CLI_TABLE_FLAGS,
    CLI_SET_FLAGS(", as for fit"),
    {"output", "FILE",
     "a line for every s as CSV or, where the name ends in .json, the models with their coefficients; '-' is "
     "standard output",
     'o'},
    {"figure", "FILE", "F and the coefficients against s, .svg, .pdf or .png, by gnuplot; its script is kept", 0},
    CLI_TALK_FLAGS("the table"),
    {0}};

enum { CRITERIA = 3, LABELS_MAX = 24 };
static const char *const criteria[CRITERIA] = {"bic", "ebic", "gic"};

struct models {
    const struct args *args;
    struct task task;
    int64_t *sizes, count;
    spgm_path *path;
    double *value[CRITERIA]; /* [count] each; NULL: not for this problem */
    int64_t lowest[CRITERIA];
    double *x, *last; /* [columns] */
    int has_bound;    /* of any model */
    struct ticker ticker;
};

/* ---- the run ------------------------------------------------------------------------------------------- */

static int check_arguments(struct models *models) {
    const char *output = args_get(models->args, "output");
    if (!args_get(models->args, "sparsity")) {
        return cli_error("--sparsity is missing: the numbers of nonzeros, as in 1:50 or 5,10,20");
    }
    int result = args_numbers(models->args, "sparsity", &models->sizes, &models->count);
    result = result ? result : task_check_output(models->args, output);
    return result ? result : figure_check(args_get(models->args, "figure"));
}

static int prepare(struct models *models) {
    spgm_status status;
    int result = check_arguments(models);
    result = result ? result : task_load(&models->task, models->args);
    result = result ? result : choose_check_sizes(&models->task, models->sizes, models->count);
    if (result) {
        return result;
    }
    size_t columns = (size_t)models->task.matrix.columns + 1;
    models->x = calloc(columns, sizeof *models->x);
    models->last = calloc(columns, sizeof *models->last);
    if (!models->x || !models->last) {
        return cli_out_of_memory();
    }
    return spgm_path_new(models->task.problem, models->sizes, models->count, models->args->options, &models->path,
                         &status)
               ? cli_status(&status)
               : CLI_DONE;
}

static int on_progress(const spgm_progress *progress, void *context) {
    struct models *models = context;
    choose_progress(&models->ticker, progress);
    return signals_asked();
}

/* BIC and its relatives; a problem that has none leaves them out. */
static int measure(struct models *models) {
    for (int k = 0; k < CRITERIA; k++) {
        models->value[k] = calloc((size_t)models->count, sizeof *models->value[k]);
        if (!models->value[k]) {
            return cli_out_of_memory();
        }
        if (spgm_path_criterion(models->path, criteria[k], models->value[k], &models->lowest[k], NULL)) {
            free(models->value[k]);
            models->value[k] = NULL;
        }
    }
    return CLI_DONE;
}

static int run(struct models *models) {
    spgm_status status;
    spgm_path_set_progress(models->path, on_progress, models);
    signals_watch(NULL, NULL);
    spgm_error error = spgm_path_run(models->path, &status);
    signals_release();
    screen_erase();
    return error ? cli_status(&status) : measure(models);
}

/* ---- the table ------------------------------------------------------------------------------------------ */

/* "+age -rooms": what changed from the model before; as much as fits. */
static void put_changes(const struct models *models, int room) {
    int hidden = 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int64_t j = 0; j < models->task.matrix.columns; j++) {
            int is_in = models->x[j] != 0, was_in = models->last[j] != 0;
            char text[32];
            if (is_in - was_in != sign) {
                continue;
            }
            const char *name = task_column(models->task.data, j, text);
            int length = screen_length(name) + 2;
            if (hidden || length + 5 > room) {
                hidden++;
                continue;
            }
            fprintf(stderr, " %c%s", sign > 0 ? '+' : '-', name);
            room -= length;
        }
    }
    fprintf(stderr, hidden ? " ... %d\n" : "\n", hidden);
}

static void put_line(struct models *models, int64_t i) {
    spgm_info info;
    double *swap = models->last;
    models->last = models->x;
    models->x = swap;
    int64_t s = spgm_path_get(models->path, i, models->x, NULL, &info);
    fprintf(stderr, "  %6lld  %12.8g", (long long)s, info.objective);
    for (int k = 0; k < CRITERIA; k++) {
        if (models->value[k]) {
            fprintf(stderr, "  %9.6g%s", models->value[k][i], models->lowest[k] == i ? "*" : " ");
        }
    }
    if (models->has_bound) {
        char gap[32] = "no bound";
        if (info.outcome == SPGM_OPTIMAL) {
            snprintf(gap, sizeof gap, "0");
        } else if (isfinite(info.gap)) {
            snprintf(gap, sizeof gap, "%.3g %%", 100 * info.gap);
        }
        fprintf(stderr, "  %8s", gap);
    }
    put_changes(models, screen_width(stderr) - 1 - 22 - (models->value[0] ? 36 : 0) - (models->has_bound ? 10 : 0));
}

static void put_ending(const struct models *models) {
    char seconds[32];
    int64_t stopped = 0, proven = 0;
    for (int64_t i = 0; i < models->count; i++) {
        spgm_info info;
        spgm_path_get(models->path, i, NULL, NULL, &info);
        stopped += info.outcome == SPGM_INTERRUPTED || info.outcome == SPGM_TIME_LIMIT;
        proven += info.outcome == SPGM_OPTIMAL;
    }
    fputc('\n', stderr);
    if (models->value[0]) {
        fputs("  * lowest of its column", stderr);
        for (int k = 0; k < CRITERIA; k++) {
            fprintf(stderr, "%s %s s = %lld", k ? "," : ":", criteria[k], (long long)models->sizes[models->lowest[k]]);
        }
        fputs("; 'spgm cv' is slower and surer\n", stderr);
    }
    if (proven) {
        fprintf(stderr, "  %lld of the %lld models are proven optimal\n", (long long)proven, (long long)models->count);
    }
    if (stopped) {
        fprintf(stderr, "  stopped before the search of %lld of the %lld models was done\n", (long long)stopped,
                (long long)models->count);
    }
    fprintf(stderr, "  time  %s\n", screen_seconds(spgm_path_seconds(models->path), seconds));
}

static void put_table(struct models *models) {
    const char *bold = screen_styled(stderr) ? "\033[1m" : "", *plain = *bold ? "\033[0m" : "";
    models->has_bound = 0;
    for (int64_t i = 0; i < models->count; i++) {
        spgm_info info;
        spgm_path_get(models->path, i, NULL, NULL, &info);
        models->has_bound |= isfinite(info.bound);
    }
    choose_heading(models->args, &models->task, models->sizes, models->count);
    fprintf(stderr, "\n%s  %6s  %12s", bold, "s", "objective");
    for (int k = 0; k < CRITERIA; k++) {
        if (models->value[k]) {
            fprintf(stderr, "  %9s ", criteria[k]);
        }
    }
    fprintf(stderr, models->has_bound ? "  %8s" : "%s", models->has_bound ? "gap" : "");
    fprintf(stderr, " columns that enter and leave%s\n", plain);
    memset(models->x, 0, (size_t)models->task.matrix.columns * sizeof *models->x);
    for (int64_t i = 0; i < models->count; i++) {
        put_line(models, i);
    }
    put_ending(models);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

static double criterion_at(const struct models *models, int k, int64_t i) {
    return models->value[k] ? models->value[k][i] : NAN;
}

static void put_csv(FILE *file, struct models *models) {
    char text[8][32];
    fputs("s,nonzeros,objective,loss,smooth,bound,bic,ebic,gic,starts,outcome,seconds\n", file);
    for (int64_t i = 0; i < models->count; i++) {
        spgm_info info;
        int64_t s = spgm_path_get(models->path, i, NULL, NULL, &info);
        fprintf(file, "%lld,%lld,%s,%s,%s,%s,%s,%s,%s,%lld,%s,%s\n", (long long)s, (long long)info.support,
                text_csv_number(info.objective, text[0]), text_csv_number(info.loss_value, text[1]),
                text_csv_number(info.smooth_value, text[2]), text_csv_number(info.bound, text[3]),
                text_csv_number(criterion_at(models, 0, i), text[4]),
                text_csv_number(criterion_at(models, 1, i), text[5]),
                text_csv_number(criterion_at(models, 2, i), text[6]), (long long)info.restarts,
                spgm_outcome_name(info.outcome), text_csv_number(info.seconds, text[7]));
    }
}

/* "support", "coefficients" and, where columns have names, "names". */
static void json_coefficients(FILE *file, const struct models *models) {
    static const char *const keys[3] = {"support", "coefficients", "names"};
    int has_names = spgm_data_column_name(models->task.data, 0) != NULL;
    for (int part = 0; part < 2 + has_names; part++) {
        const char *separator = "";
        char text[32];
        fprintf(file, ", \"%s\": [", keys[part]);
        for (int64_t j = 0; j < models->task.matrix.columns; j++) {
            if (models->x[j] == 0) {
                continue;
            }
            fputs(separator, file);
            if (part == 0) {
                fprintf(file, "%lld", (long long)j);
            } else if (part == 1) {
                fputs(text_json_number(models->x[j], text), file);
            } else {
                text_json(file, spgm_data_column_name(models->task.data, j));
            }
            separator = ", ";
        }
        fputc(']', file);
    }
}

static void json_model(FILE *file, struct models *models, int64_t i) {
    char text[8][32];
    double intercept;
    spgm_info info;
    int64_t s = spgm_path_get(models->path, i, models->x, &intercept, &info);
    fprintf(file, "    {\"sparsity\": %lld, \"objective\": %s, \"loss_value\": %s, \"smooth_value\": %s, ",
            (long long)s, text_json_number(info.objective, text[0]), text_json_number(info.loss_value, text[1]),
            text_json_number(info.smooth_value, text[2]));
    fprintf(file, "\"bound\": %s, \"bic\": %s, \"ebic\": %s, \"gic\": %s, \"intercept\": %s",
            text_json_number(info.bound, text[3]), text_json_number(criterion_at(models, 0, i), text[4]),
            text_json_number(criterion_at(models, 1, i), text[5]),
            text_json_number(criterion_at(models, 2, i), text[6]), text_json_number(intercept, text[7]));
    json_coefficients(file, models);
    fprintf(file, ", \"outcome\": \"%s\", \"seconds\": %s}", spgm_outcome_name(info.outcome),
            text_json_number(info.seconds, text[0]));
}

static void put_json(FILE *file, struct models *models) {
    char text[32];
    fputs("{\n  \"data\": ", file);
    text_json(file, models->args->operand[0]);
    fprintf(file,
            ",\n  \"rows\": %lld,\n  \"columns\": %lld,\n  \"version\": \"%s\",\n  \"seconds\": %s,\n  \"options\": ",
            (long long)models->task.matrix.rows, (long long)models->task.matrix.columns, spgm_version(),
            text_json_number(spgm_path_seconds(models->path), text));
    text_json_options(file, models->args->options);
    fputs(",\n  \"path\": [\n", file);
    for (int64_t i = 0; i < models->count; i++) {
        json_model(file, models, i);
        fputs(i + 1 < models->count ? ",\n" : "\n", file);
    }
    fputs("  ]\n}\n", file);
}

static int write_output(struct models *models, const char *path) {
    struct outfile out;
    int result = outfile_open(&out, path);
    if (result) {
        return result;
    }
    (text_ends(path, ".json") ? put_json : put_csv)(out.file, models);
    outfile_failed(&out);
    result = outfile_finish(&out);
    result = result ? result : outfile_commit(&out);
    outfile_discard(&out);
    return result;
}

/* ---- the figure -------------------------------------------------------------------------------------------- */

/* s, F, then the coefficient of every column that is in some model; `used` [columns] says which. */
static void figure_data(FILE *file, struct models *models, const char *used) {
    char text[32];
    fputs("$path << END\n", file);
    for (int64_t i = 0; i < models->count; i++) {
        spgm_info info;
        int64_t s = spgm_path_get(models->path, i, models->x, NULL, &info);
        fprintf(file, "%lld %s", (long long)s, screen_exact(info.objective, text));
        for (int64_t j = 0; j < models->task.matrix.columns; j++) {
            if (used[j]) {
                fprintf(file, " %s", screen_exact(models->x[j], text));
            }
        }
        fputc('\n', file);
    }
    fputs("END\n", file);
}

/* A line for each column; names where there are few enough to be read. */
static void figure_coefficients(FILE *file, const struct models *models, const char *used, int64_t count) {
    int64_t column = 3;
    fputs("set title 'coefficients'\nset ylabel ''\nset key outside right top samplen 1 spacing 0.9\nplot", file);
    for (int64_t j = 0; j < models->task.matrix.columns; j++) {
        char text[32];
        if (!used[j]) {
            continue;
        }
        fprintf(file, "%s $path using 1:%lld with lines linewidth 2 linetype %lld dashtype %lld ",
                column > 3 ? ", \\\n    " : "", (long long)column, (long long)(column - 3) % FIGURE_COLOURS + 1,
                (long long)(column - 3) / FIGURE_COLOURS % 5 + 1);
        column++;
        if (count > LABELS_MAX) {
            fputs("notitle", file);
        } else {
            fputs("title ", file);
            figure_text(file, task_column(models->task.data, j, text));
        }
    }
    fputs(count ? "\n" : " 0 notitle\n", file);
}

static int draw_figure(struct models *models, const char *path) {
    struct figure figure = {0};
    int64_t count = 0;
    char *used = calloc((size_t)models->task.matrix.columns, 1);
    int result = used ? figure_open(&figure, path, 2) : cli_out_of_memory();
    if (result == CLI_DONE) {
        FILE *file = figure.script.file;
        for (int64_t i = 0; i < models->count; i++) {
            spgm_path_get(models->path, i, models->x, NULL, NULL);
            for (int64_t j = 0; j < models->task.matrix.columns; j++) {
                count += models->x[j] != 0 && !used[j];
                used[j] = (char)(used[j] || models->x[j] != 0);
            }
        }
        figure_data(file, models, used);
        figure_range(file, models->sizes[0], models->sizes[models->count - 1]);
        fputs("set multiplot layout 1,2 title ", file);
        figure_text(file, models->args->operand[0]);
        fputs("\nset title 'objective F'\nunset key\nplot $path using 1:2 with linespoints pointtype 7 pointsize 0.5 "
              "linewidth 2 linetype 1\n",
              file);
        figure_coefficients(file, models, used, count);
        fputs("unset multiplot\n", file);
        result = figure_draw(&figure, models->args);
    }
    figure_free(&figure);
    free(used);
    return result;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static int finish(struct models *models) {
    const char *output = args_get(models->args, "output"), *figure = args_get(models->args, "figure");
    int talk = screen_wanted(models->args), result = CLI_DONE;
    if (talk) {
        put_table(models);
    }
    if (output || !talk || !isatty(STDOUT_FILENO)) {
        result = write_output(models, output ? output : "-");
    }
    return result == CLI_DONE && figure ? draw_figure(models, figure) : result;
}

static int path_run(const struct args *args) {
    struct models models = {.args = args, .ticker = {args, 0}};
    int result = prepare(&models);
    result = result ? result : run(&models);
    result = result ? result : finish(&models);
    for (int k = 0; k < CRITERIA; k++) {
        free(models.value[k]);
    }
    free(models.x);
    free(models.last);
    free(models.sizes);
    spgm_path_free(models.path);
    task_free(&models.task);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "How the models are found");
    doc_paragraph(
        doc, "One run for all s. Forwards, each s starts from the best model below it with the best priced columns "
             "added; backwards, from the best model above it without the columns that cost least. From each start "
             "the method does what it can; `auto` exchanges columns until no exchange that it tries lowers F. "
             "Passes go on until nothing improves. F never rises with s. Where there are few enough supports all "
             "of them are fitted, and the optimum is proven.");
    doc_paragraph(doc, "The time limit is that of the whole path. Ctrl-C once: stop, and write what is found; every s "
                       "has a model all the same.");
    doc_heading(doc, "Information criteria");
    doc_paragraph(doc,
                  "C = D + a k + 2 gamma log binomial(n, s), the lower the better, for m rows, n columns that count "
                  "and k parameters. D = 2 m log(loss / m) for l1 and quantile (Lee, Noh, Park 2014), m log(sum "
                  "r_i^2 / m) for squared and l2, 2 m log(max |r_i|) for linf (with a doubled), 2 loss for hinge.");
    doc_item(doc, "bic", "a = log m, gamma = 0");
    doc_item(doc, "ebic", "a = log m, gamma = --ebic-gamma: also charges for the number of models of that size");
    doc_item(doc, "gic", "a = log log m log n, gamma = 0");
}

const struct command command_path = {
    .name = "path",
    .summary = "a model for every number of nonzeros, from one run",
    .usage = "DATA --sparsity LIST [--output FILE] [--figure FILE] [options]",
    .operands = {"DATA"},
    .flags = flags,
    .takes_options = 1,
    .describe = describe,
    .topics = {topic_problem, topic_data, topic_losses, topic_methods},
    .examples = "spgm path houses.csv --target price --sparsity 1:20 --loss l1 --figure path.svg\n"
                "spgm path data.svm -s 5,10,20,50 --ridge 0.01 -o path.json",
    .run = path_run};
