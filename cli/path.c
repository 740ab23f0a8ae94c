/* spgm path: a model for every s of a list. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choose.h"
#include "classes.h"
#include "figure.h"
#include "group.h"
#include "path_figure.h"

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
    {"json", NULL, "JSON whatever the name of --output, and to standard output without it", 0},
    {"figure", "FILE",
     "F and the effects of the columns (coefficient x standard deviation) against s: .svg, .pdf or .png, by gnuplot; "
     "its script is kept",
     0},
    CLI_TALK_FLAGS("the table"),
    {0}};

enum { CRITERIA = 3, WIDTH_MAX = 1000, LINES_MAX = 4 };
static const char *const criteria[CRITERIA] = {"bic", "ebic", "gic"};

/* The models of one problem: all there is, or one label against the rest. */
struct part {
    spgm_path *path;
    double *value[CRITERIA]; /* [count] each; NULL: not for this problem */
    int64_t lowest[CRITERIA];
};

struct models {
    const struct args *args;
    struct task task;
    int64_t *sizes, count;
    struct part *parts; /* [task_parts] */
    double *x, *last;   /* [columns] */
    int has_bound;      /* of any model */
    int64_t rows;       /* of all processes */
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
    int result = group_agree(check_arguments(models));
    result = result ? result : task_load_classes(&models->task, models->args);
    result = result ? result : task_split(&models->task, models->args);
    result = result ? result : choose_check_sizes(&models->task, models->sizes, models->count);
    if (result) {
        return result;
    }
    size_t columns = (size_t)models->task.matrix.columns + 1;
    models->x = calloc(columns, sizeof *models->x);
    models->last = calloc(columns, sizeof *models->last);
    models->parts = calloc((size_t)task_parts(&models->task), sizeof *models->parts);
    if (!models->x || !models->last || !models->parts) {
        return cli_out_of_memory();
    }
    for (int64_t k = 0; k < task_parts(&models->task); k++) {
        if (spgm_path_new(task_part(&models->task, k)->problem, models->sizes, models->count, models->args->options,
                          &models->parts[k].path, &status)) {
            return cli_status(&status);
        }
    }
    return CLI_DONE;
}

static int on_progress(const spgm_progress *progress, void *context) {
    struct models *models = context;
    choose_progress(&models->ticker, progress);
    return signals_asked();
}

/* BIC and its relatives; a problem that has none leaves them out. */
static int measure(const struct models *models, struct part *part) {
    for (int k = 0; k < CRITERIA; k++) {
        part->value[k] = calloc((size_t)models->count, sizeof *part->value[k]);
        if (!part->value[k]) {
            return cli_out_of_memory();
        }
        if (spgm_path_criterion(part->path, criteria[k], part->value[k], &part->lowest[k], NULL)) {
            free(part->value[k]);
            part->value[k] = NULL;
        }
    }
    return CLI_DONE;
}

/* After Ctrl-C the remaining labels get the models that are available at once. */
static int run(struct models *models) {
    spgm_status status;
    int result = CLI_DONE;
    signals_watch(NULL);
    for (int64_t k = 0; k < task_parts(&models->task) && result == CLI_DONE; k++) {
        models->ticker.next = 0;
        spgm_path_set_progress(models->parts[k].path, on_progress, models);
        result = spgm_path_run(models->parts[k].path, &status) ? cli_status(&status) : CLI_DONE;
    }
    signals_release();
    screen_erase();
    for (int64_t k = 0; k < task_parts(&models->task) && result == CLI_DONE; k++) {
        result = measure(models, &models->parts[k]);
    }
    return result;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

/* The next column that enters (sign 1) or leaves (-1), after j; -1: none. */
static int64_t next_change(const struct models *models, int sign, int64_t j) {
    for (j++; j < models->task.matrix.columns; j++) {
        if ((models->x[j] != 0) - (models->last[j] != 0) == sign) {
            return j;
        }
    }
    return -1;
}

/* The number of characters of all changes on one line. */
static int changes_width(const struct models *models) {
    int width = 0;
    char text[LABEL_SIZE];
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int64_t j = next_change(models, sign, -1); j >= 0 && width < WIDTH_MAX; j = next_change(models, sign, j)) {
            width += screen_length(label_column(&models->task.names, j, 0, text)) + 2;
        }
    }
    return width;
}

/* Lines of their own: "enter  a, b, c", as many as fit into a few lines. */
static void put_list(const struct models *models, int sign) {
    const int begin = 18, width = screen_width(stderr) - 1;
    int lines = 1, at = begin;
    int64_t hidden = 0;
    char text[LABEL_SIZE];
    if (next_change(models, sign, -1) < 0) {
        return;
    }
    fprintf(stderr, "          %s  ", sign > 0 ? " enter" : " leave");
    for (int64_t j = next_change(models, sign, -1); j >= 0; j = next_change(models, sign, j)) {
        const char *name = label_column(&models->task.names, j, 0, text);
        int length = screen_length(name) + 1, is_full = at + length > width && at > begin;
        if (hidden || (is_full && lines == LINES_MAX)) {
            hidden++;
            continue;
        }
        if (is_full) {
            fprintf(stderr, "\n%*s", begin, "");
            at = begin;
            lines++;
        }
        fprintf(stderr, "%s ", name);
        at += length;
    }
    if (hidden) {
        fprintf(stderr, "\n%*sand %lld more; --output FILE.json lists all", begin, "", (long long)hidden);
    }
    fputc('\n', stderr);
}

/* "+age -rooms": the changes from the previous model; if too long for the line, below it. */
static void put_changes(const struct models *models, int room) {
    char text[LABEL_SIZE];
    if (changes_width(models) > room) {
        fputc('\n', stderr);
        put_list(models, 1);
        put_list(models, -1);
        return;
    }
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int64_t j = next_change(models, sign, -1); j >= 0; j = next_change(models, sign, j)) {
            fprintf(stderr, " %c%s", sign > 0 ? '+' : '-', label_column(&models->task.names, j, 0, text));
        }
    }
    fputc('\n', stderr);
}

static void put_line(struct models *models, const struct part *part, int64_t i) {
    spgm_info info;
    double *swap = models->last;
    models->last = models->x;
    models->x = swap;
    int64_t s = spgm_path_get(part->path, i, models->x, NULL, &info);
    fprintf(stderr, "  %6lld  %12.8g", (long long)s, info.objective);
    for (int k = 0; k < CRITERIA; k++) {
        if (part->value[k]) {
            const char *bold = part->lowest[k] == i && screen_styled(stderr) ? "\033[1m" : "";
            fprintf(stderr, "  %s%9.6g%s%s", bold, part->value[k][i], part->lowest[k] == i ? "*" : " ",
                    *bold ? "\033[0m" : "");
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
    put_changes(models, screen_width(stderr) - 1 - 22 - (part->value[0] ? 36 : 0) - (models->has_bound ? 10 : 0));
}

static void put_ending(const struct models *models, const struct part *part) {
    char seconds[32];
    int64_t stopped = 0, proven = 0;
    for (int64_t i = 0; i < models->count; i++) {
        spgm_info info;
        spgm_path_get(part->path, i, NULL, NULL, &info);
        stopped += info.outcome == SPGM_INTERRUPTED || info.outcome == SPGM_TIME_LIMIT;
        proven += info.outcome == SPGM_OPTIMAL;
    }
    fputc('\n', stderr);
    if (part->value[0]) {
        char lowest[160];
        int at = 0;
        for (int k = 0; k < CRITERIA; k++) {
            at += snprintf(lowest + at, sizeof lowest - (size_t)at, "%s %s s = %lld", k ? "," : ":", criteria[k],
                           (long long)models->sizes[part->lowest[k]]);
        }
        doc_fact("*", "lowest of its column%s; 'spgm cv' takes longer and is more reliable", lowest);
    }
    if (proven && proven == models->count) {
        fprintf(stderr, "  every model is proven optimal\n");
    } else if (proven) {
        fprintf(stderr, "  proven optimal: %lld of %lld models\n", (long long)proven, (long long)models->count);
    }
    if (stopped) {
        fprintf(stderr, "  stopped before the search of %lld of the %lld models was done\n", (long long)stopped,
                (long long)models->count);
    }
    fprintf(stderr, "  time  %s\n", screen_seconds(spgm_path_seconds(part->path), seconds));
}

static void put_part(struct models *models, const struct part *part) {
    const char *bold = screen_styled(stderr) ? "\033[1m" : "", *plain = *bold ? "\033[0m" : "";
    models->has_bound = 0;
    for (int64_t i = 0; i < models->count; i++) {
        spgm_info info;
        spgm_path_get(part->path, i, NULL, NULL, &info);
        models->has_bound |= isfinite(info.bound);
    }
    fprintf(stderr, "%s  %6s  %12s", bold, "s", "objective");
    for (int k = 0; k < CRITERIA; k++) {
        if (part->value[k]) {
            fprintf(stderr, "  %9s ", criteria[k]);
        }
    }
    fprintf(stderr, models->has_bound ? "  %8s" : "%s", models->has_bound ? "gap" : "");
    int is_narrow = screen_width(stderr) < 24 + (part->value[0] ? 36 : 0) + (models->has_bound ? 10 : 0) + 28;
    fprintf(stderr, " %s%s\n", is_narrow ? "in (+), out" : "columns that enter and leave", plain);
    memset(models->x, 0, (size_t)models->task.matrix.columns * sizeof *models->x);
    for (int64_t i = 0; i < models->count; i++) {
        put_line(models, part, i);
    }
    put_ending(models, part);
}

static void put_table(struct models *models) {
    choose_heading(models->args, task_part(&models->task, 0), NULL, models->sizes, models->count);
    for (int64_t k = 0; k < task_parts(&models->task); k++) {
        fputc('\n', stderr);
        if (models->task.classes) {
            classes_heading(&models->task, k);
        }
        put_part(models, &models->parts[k]);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------ */

static double criterion_at(const struct part *part, int k, int64_t i) {
    return part->value[k] ? part->value[k][i] : NAN;
}

static void csv_part(FILE *file, const struct models *models, int64_t k) {
    const struct part *part = &models->parts[k];
    char text[8][32];
    for (int64_t i = 0; i < models->count; i++) {
        spgm_info info;
        int64_t s = spgm_path_get(part->path, i, NULL, NULL, &info);
        if (models->task.classes) {
            text_csv(file, task_class_name(&models->task, k, text[0]));
            fputc(',', file);
        }
        fprintf(file, "%lld,%lld,%s,%s,%s,%s,%s,%s,%s,%lld,%s,%s\n", (long long)s, (long long)info.support,
                text_csv_number(info.objective, text[0]), text_csv_number(info.loss_value, text[1]),
                text_csv_number(info.smooth_value, text[2]), text_csv_number(info.bound, text[3]),
                text_csv_number(criterion_at(part, 0, i), text[4]), text_csv_number(criterion_at(part, 1, i), text[5]),
                text_csv_number(criterion_at(part, 2, i), text[6]), (long long)info.restarts,
                spgm_outcome_name(info.outcome), text_csv_number(info.seconds, text[7]));
    }
}

/* With more than two labels the first column says which one it is about. */
static void put_csv(FILE *file, struct models *models) {
    fputs(models->task.classes ? "label," : "", file);
    fputs("s,nonzeros,objective,loss,smooth,bound,bic,ebic,gic,starts,outcome,seconds\n", file);
    for (int64_t k = 0; k < task_parts(&models->task); k++) {
        csv_part(file, models, k);
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

static void json_model(FILE *file, struct models *models, const struct part *part, int64_t i) {
    char text[8][32];
    double intercept;
    spgm_info info;
    int64_t s = spgm_path_get(part->path, i, models->x, &intercept, &info);
    fprintf(file, "    {\"sparsity\": %lld, \"objective\": %s, \"loss_value\": %s, \"smooth_value\": %s, ",
            (long long)s, text_json_number(info.objective, text[0]), text_json_number(info.loss_value, text[1]),
            text_json_number(info.smooth_value, text[2]));
    fprintf(file, "\"bound\": %s, \"bic\": %s, \"ebic\": %s, \"gic\": %s, \"intercept\": %s",
            text_json_number(info.bound, text[3]), text_json_number(criterion_at(part, 0, i), text[4]),
            text_json_number(criterion_at(part, 1, i), text[5]), text_json_number(criterion_at(part, 2, i), text[6]),
            text_json_number(intercept, text[7]));
    json_coefficients(file, models);
    fprintf(file, ", \"outcome\": \"%s\", \"seconds\": %s}", spgm_outcome_name(info.outcome),
            text_json_number(info.seconds, text[0]));
}

static void json_path(FILE *file, struct models *models, const struct part *part) {
    fputs("[\n", file);
    for (int64_t i = 0; i < models->count; i++) {
        json_model(file, models, part, i);
        fputs(i + 1 < models->count ? ",\n" : "\n", file);
    }
    fputs("  ]", file);
}

static void put_json(FILE *file, struct models *models) {
    char text[32];
    double seconds = 0;
    for (int64_t k = 0; k < task_parts(&models->task); k++) {
        seconds += spgm_path_seconds(models->parts[k].path);
    }
    fputs("{\n  \"data\": ", file);
    text_json(file, models->args->operand[0]);
    fprintf(file,
            ",\n  \"rows\": %lld,\n  \"columns\": %lld,\n  \"version\": \"%s\",\n  \"seconds\": %s,\n  \"options\": ",
            (long long)models->rows, (long long)models->task.matrix.columns, spgm_version(),
            text_json_number(seconds, text));
    text_json_options(file, models->args->options);
    if (!models->task.classes) {
        fputs(",\n  \"path\": ", file);
        json_path(file, models, &models->parts[0]);
        fputs("\n}\n", file);
        return;
    }
    fputs(",\n  \"labels\": [\n", file);
    for (int64_t k = 0; k < task_parts(&models->task); k++) {
        fputs("  {\"label\": ", file);
        text_json(file, task_class_name(&models->task, k, text));
        fputs(", \"path\": ", file);
        json_path(file, models, &models->parts[k]);
        fputs(k + 1 < models->task.classes ? "},\n" : "}\n", file);
    }
    fputs("  ]\n}\n", file);
}

static int write_output(struct models *models, const char *path) {
    struct outfile out;
    int result = outfile_open(&out, path);
    if (result) {
        return result;
    }
    (text_ends(path, ".json") || args_get(models->args, "json") ? put_json : put_csv)(out.file, models);
    outfile_failed(&out);
    result = outfile_finish(&out);
    result = result ? result : outfile_commit(&out);
    outfile_discard(&out);
    return result;
}

static int draw_figure(const struct models *models, const char *path) {
    int64_t parts = task_parts(&models->task);
    const spgm_path **paths = malloc((size_t)parts * sizeof *paths);
    for (int64_t k = 0; paths && k < parts; k++) {
        paths[k] = models->parts[k].path;
    }
    int result = paths ? path_figure(path, models->args, &models->task, models->count, paths) : cli_out_of_memory();
    free(paths);
    return result;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static int finish(struct models *models) {
    const char *output = args_get(models->args, "output"), *figure = args_get(models->args, "figure");
    int talk = screen_wanted(models->args), result = CLI_DONE;
    models->rows = (int64_t)group_sum((double)models->task.matrix.rows);
    if (talk) {
        put_table(models);
    }
    if (output || args_get(models->args, "json") || !talk || !isatty(STDOUT_FILENO)) {
        result = write_output(models, output ? output : "-");
    }
    return result == CLI_DONE && figure && group_is_first() ? draw_figure(models, figure) : result;
}

static int path_run(const struct args *args) {
    struct models models = {.args = args, .ticker = {args, 0}};
    int result = group_agree(prepare(&models));
    result = result ? result : run(&models);
    result = result ? result : finish(&models);
    for (int64_t k = 0; models.parts && k < task_parts(&models.task); k++) {
        for (int c = 0; c < CRITERIA; c++) {
            free(models.parts[k].value[c]);
        }
        spgm_path_free(models.parts[k].path);
    }
    free(models.parts);
    free(models.x);
    free(models.last);
    free(models.sizes);
    task_free(&models.task);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "How the models are found");
    doc_paragraph(doc,
                  "One run gives the models of all s. Forwards, each s starts from the best model below it with the "
                  "most promising columns added; backwards, from the best model above it without the columns that cost "
                  "least. Each start is improved by the method; `auto` exchanges columns until no exchange that it "
                  "tries lowers F. Passes are repeated until nothing improves. F never rises with s. Where there are "
                  "few enough supports all of them are fitted, and the optimum is proven.");
    doc_paragraph(doc, "The time limit holds for the whole path. Ctrl-C once: stop, and write what is found; every s "
                       "still has a model.");
    doc_paragraph(doc, "With more than two labels there is a path for each label against the rest: a table for each, "
                       "and in CSV a first column with the label. The time limit then holds for each label.");
    doc_heading(doc, "Information criteria");
    doc_paragraph(
        doc, "C = D + a k + 2 gamma log binomial(n, s), the lower the better, for m rows, n columns that count towards "
             "s, and k parameters. D = 2 m log(loss / m) for l1 and quantile (Lee, Noh, Park 2014), m log(sum r_i^2 / "
             "m) for squared and l2, 2 m log(max |r_i|) for linf (with a doubled), 2 loss for hinge.");
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
