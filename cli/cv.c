/* spgm cv: choose s by cross-validation, then fit all rows. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choose.h"
#include "classes.h"
#include "figure.h"
#include "group.h"

static const struct flag flags[] = {
    {"sparsity", "LIST", "numbers of nonzeros to try, as in 1:20 or 5,10,20; default 0 to 50 as far as the data carry",
     's'},
    {"target", "FILE|COLUMN", "file with the target, or name or number of the target column, as for fit", 0},
    {"weights", "FILE|COLUMN", "a weight >= 0 for every row, as for fit", 0},
    CLI_TABLE_FLAGS,
    CLI_SET_FLAGS(", as for fit"),
    {"output", "MODEL.json", "where the model of all rows with the chosen s goes; '-' is standard output", 'o'},
    CLI_RECORD_FLAGS,
    {"losses", "FILE", "mean, standard error and the loss of each fold for every s, as CSV or, by its name, JSON", 0},
    {"figure", "FILE", "the loss against s, .svg, .pdf or .png, by gnuplot; its script is kept", 0},
    CLI_TALK_FLAGS("the tables"),
    {0}};

struct choice {
    const struct args *args;
    struct task task;
    int64_t *sizes, count;
    struct cross cross;
    spgm_solver *solver; /* NULL: more than two labels */
};

/* ---- arguments ------------------------------------------------------------------------------------------------- */

static int check_arguments(struct choice *choice) {
    const struct args *args = choice->args;
    const char *output = args_get(args, "output"), *losses = args_get(args, "losses");
    int result = args_get(args, "sparsity") ? args_numbers(args, "sparsity", &choice->sizes, &choice->count) : CLI_DONE;
    if (result == CLI_DONE && !choice->sizes && group_all()) {
        result = cli_error("--sparsity is missing: the numbers of nonzeros, as in 1:50 or 5,10,20");
    }
    if (result == CLI_DONE && losses && strcmp(losses, output ? output : "-") == 0) {
        result = cli_error("--losses and the model would go to the same place; use --output MODEL.json");
    }
    result = result ? result : task_check_output(args, output);
    result = result ? result : task_check_output(args, losses);
    return result ? result : figure_check(args_get(args, "figure"));
}

static int prepare(struct choice *choice) {
    int result = group_agree(check_arguments(choice));
    result = result ? result : task_load_classes(&choice->task, choice->args);
    if (result == CLI_DONE && choice->task.classes) {
        result = task_take_class(&choice->task, choice->args, 0); /* its feasible set is that of all */
    }
    if (result == CLI_DONE && !choice->sizes) {
        result = choose_sizes(choice->args, &choice->task, &choice->sizes, &choice->count);
    }
    return result ? result : choose_check_sizes(&choice->task, choice->sizes, choice->count);
}

/* ---- the runs --------------------------------------------------------------------------------------------------- */

static int refit(struct choice *choice) {
    spgm_status status;
    if (spgm_solver_new(choice->task.problem, choice->sizes[choice->cross.chosen], choice->args->options,
                        &choice->solver, &status)) {
        return cli_status(&status);
    }
    screen_note(choice->args, "fitting all rows with s = %lld", (long long)choice->sizes[choice->cross.chosen]);
    signals_watch(choice->solver, NULL);
    spgm_error error = spgm_solver_run(choice->solver, &status);
    signals_release();
    screen_erase();
    return error ? cli_status(&status) : CLI_DONE;
}

static int run(struct choice *choice) {
    int result = cross_run(&choice->cross, choice->args, &choice->task, choice->sizes, choice->count);
    return result || choice->task.classes ? result : refit(choice);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void put_bar(double share, int width) {
    const char *mark = screen_utf8() ? "\u25a0" : "#";
    for (int i = 0; i < (int)lround(share * width); i++) {
        fputs(mark, stderr);
    }
}

struct range {
    double low, high;
};

static struct range range_of_means(const struct choice *choice) {
    struct range range = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < choice->count; i++) {
        double mean = choice->cross.mean[i];
        range.low = mean < range.low ? mean : range.low;
        range.high = mean > range.high ? mean : range.high;
    }
    return range;
}

static void put_line(const struct choice *choice, int64_t i, struct range range, int bar) {
    const struct cross *cross = &choice->cross;
    double mean = cross->mean[i], error = cross->error[i];
    char spread[32] = "";
    int64_t s = choice->sizes[i];
    if (isfinite(error)) {
        snprintf(spread, sizeof spread, "%.3g", error);
    }
    const char *bold = i == cross->chosen && screen_styled(stderr) ? "\033[1m" : "", *plain = *bold ? "\033[0m" : "";
    fprintf(stderr, "  %6lld  %s%12.6g%s  %10s  %-8s", (long long)s, bold, mean, plain, spread,
            i == cross->best && i == cross->simple ? "min, 1se"
            : i == cross->best                     ? "min"
            : i == cross->simple                   ? "1se"
                                                   : "");
    if (bar > 0 && range.high > range.low) { /* how far above the lowest */
        fputs("  ", stderr);
        put_bar((mean - range.low) / (range.high - range.low), bar);
    }
    fputc('\n', stderr);
}

static void put_ending(const struct choice *choice) {
    const struct cross *cross = &choice->cross;
    int64_t folds = cross->folds;
    char seconds[32], rule[160];
    snprintf(rule, sizeof rule, "%s",
             cross->is_1se ? "the smallest within one standard error of the lowest mean" : "the lowest mean");
    fprintf(stderr, "\n  chosen     s = %lld: %s", (long long)choice->sizes[cross->chosen], rule);
    if (!cross->is_1se && choice->cross.simple != choice->cross.best) {
        fprintf(stderr, " (--rule 1se takes %lld)", (long long)choice->sizes[choice->cross.simple]);
    }
    fputc('\n', stderr);
    if (cross->chosen == choice->count - 1 && choice->count > 1) {
        fprintf(stderr, "             it is the largest that was tried: a longer --sparsity list may do better\n");
    }
    if (cross->finished < folds) {
        fprintf(stderr, "  stopped    %lld of %lld folds were done; the others are left out\n",
                (long long)cross->finished, (long long)folds);
    }
    fprintf(stderr, "  time       %s for %lld folds\n\n", screen_seconds(cross->seconds, seconds),
            (long long)cross->finished);
}

static void put_table(const struct choice *choice) {
    const char *bold = screen_styled(stderr) ? "\033[1m" : "", *plain = *bold ? "\033[0m" : "";
    int bar = screen_width(stderr) - 1 - 47;
    struct range range = range_of_means(choice);
    choose_heading(choice->args, &choice->task, choice->sizes, choice->count);
    if (choice->task.classes) {
        fprintf(stderr, "%lld labels, each against the rest: losses are means over them\n",
                (long long)choice->task.classes);
    }
    fprintf(stderr, "\n%s  %6s  %12s  %10s%s\n", bold, "s", "loss per row", "std. error", plain);
    for (int64_t i = 0; i < choice->count; i++) {
        put_line(choice, i, range, bar > 30 ? 30 : bar < 8 ? 0 : bar);
    }
    put_ending(choice);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void put_csv(FILE *file, const struct choice *choice) {
    int64_t folds = choice->cross.folds;
    char text[32];
    fputs("s,mean,standard_error,rule", file);
    for (int64_t k = 0; k < folds; k++) {
        fprintf(file, ",fold%lld", (long long)k + 1);
    }
    fputc('\n', file);
    for (int64_t i = 0; i < choice->count; i++) {
        const double *losses = choice->cross.losses + i * folds;
        double mean = choice->cross.mean[i], error = choice->cross.error[i];
        int64_t s = choice->sizes[i];
        fprintf(file, "%lld,%s,", (long long)s, text_csv_number(mean, text));
        fprintf(file, "%s,%s%s%s", text_csv_number(error, text), i == choice->cross.best ? "min" : "",
                i == choice->cross.best && i == choice->cross.simple ? " " : "",
                i == choice->cross.simple ? "1se" : "");
        for (int64_t k = 0; k < folds; k++) {
            fprintf(file, ",%s", text_csv_number(losses[k], text));
        }
        fputc('\n', file);
    }
}

static void put_json(FILE *file, const struct choice *choice) {
    int64_t folds = choice->cross.folds;
    char text[32];
    fputs("{\n  \"data\": ", file);
    text_json(file, choice->args->operand[0]);
    fprintf(file, ",\n  \"version\": \"%s\",\n  \"folds\": %lld,\n  \"chosen\": %lld,\n", spgm_version(),
            (long long)folds, (long long)choice->sizes[choice->cross.chosen]);
    fprintf(file, "  \"min\": %lld,\n  \"1se\": %lld,\n  \"options\": ", (long long)choice->sizes[choice->cross.best],
            (long long)choice->sizes[choice->cross.simple]);
    text_json_options(file, choice->args->options);
    fputs(",\n  \"losses\": [\n", file);
    for (int64_t i = 0; i < choice->count; i++) {
        const double *losses = choice->cross.losses + i * folds;
        double mean = choice->cross.mean[i], error = choice->cross.error[i];
        int64_t s = choice->sizes[i];
        fprintf(file, "    {\"sparsity\": %lld, \"mean\": %s, ", (long long)s, text_json_number(mean, text));
        fprintf(file, "\"standard_error\": %s, \"folds\": [", text_json_number(error, text));
        for (int64_t k = 0; k < folds; k++) {
            fprintf(file, "%s%s", k ? ", " : "", text_json_number(losses[k], text));
        }
        fputs(i + 1 < choice->count ? "]},\n" : "]}\n", file);
    }
    fputs("  ]\n}\n", file);
}

static int write_losses(const struct choice *choice, const char *path) {
    struct outfile out;
    int result = outfile_open(&out, path);
    if (result) {
        return result;
    }
    (text_ends(path, ".json") ? put_json : put_csv)(out.file, choice);
    outfile_failed(&out);
    result = outfile_finish(&out);
    result = result ? result : outfile_commit(&out);
    outfile_discard(&out);
    return result;
}

/* The mean of every s with its standard error, and where the two rules are. */
static int draw_figure(const struct choice *choice, const char *path) {
    const struct cross *cross = &choice->cross;
    size_t count = (size_t)choice->count;
    double *s = malloc(3 * count * sizeof *s), *low = s + count, *high = low + count;
    char title[256], text[2][64];
    if (!s) {
        return cli_out_of_memory();
    }
    for (size_t i = 0; i < count; i++) {
        double error = isfinite(cross->error[i]) ? cross->error[i] : 0;
        s[i] = (double)choice->sizes[i];
        low[i] = cross->mean[i] - error;
        high[i] = cross->mean[i] + error;
    }
    snprintf(text[0], sizeof text[0],
             cross->best == cross->simple ? "lowest mean, also by one standard error: s = %lld"
                                          : "lowest mean: s = %lld",
             (long long)choice->sizes[cross->best]);
    snprintf(text[1], sizeof text[1], "one standard error: s = %lld", (long long)choice->sizes[cross->simple]);
    struct chart_series line = {
        .label = "mean", .count = choice->count, .x = s, .y = cross->mean, .low = low, .high = high};
    struct chart_rule rules[] = {{s[cross->best], 0, text[0], "#b2182b", 2},
                                 {s[cross->simple], 0, text[1], "#5c6370", 3}};
    struct chart chart = {.title = "loss per row outside the fold (bar: standard error)",
                          .x_label = "s, the number of nonzeros allowed",
                          .y_label = "loss per row",
                          .width = 680,
                          .height = 400,
                          .log_y = -1,
                          .x_ticks = 1,
                          .count = 1,
                          .series = &line,
                          .rules = cross->best == cross->simple ? 1 : 2,
                          .rule = rules};
    report_title(choice->args, title, sizeof title);
    int result =
        figure_make(path, &(struct sheet){.title = title, .columns = 1, .count = 1, .charts = &chart}, choice->args);
    free(s);
    return result;
}

/* "cross-validation over 10 folds, the lowest mean of s = 1 to 20" */
static const char *chosen_text(const struct choice *choice, char chosen[256]) {
    char sizes[128];
    choose_sizes_text(choice->sizes, choice->count, sizes, sizeof sizes);
    snprintf(chosen, 256, "cross-validation with %lld folds, %s of s = %s", (long long)choice->cross.folds,
             choice->cross.is_1se ? "the smallest within one standard error of the lowest mean" : "the lowest mean",
             sizes);
    return chosen;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------
 */

static int finish(struct choice *choice) {
    char chosen[256];
    const char *output = args_get(choice->args, "output"), *losses = args_get(choice->args, "losses");
    const char *figure = args_get(choice->args, "figure");
    int talk = screen_wanted(choice->args), result = CLI_DONE;
    if (talk) {
        put_table(choice);
    }
    if (choice->task.classes) {
        result =
            classes_fit(&choice->task, choice->args, choice->sizes[choice->cross.chosen], chosen_text(choice, chosen));
    } else if (talk) {
        report_fit(choice->args, &choice->task, choice->solver, choice->sizes[choice->cross.chosen]);
    }
    if (!choice->task.classes && (output || !talk || !isatty(STDOUT_FILENO) || group_all())) {
        result = task_write_model(&choice->task, choice->args, choice->solver, chosen_text(choice, chosen),
                                  output ? output : "-");
    }
    if (result == CLI_DONE && losses) {
        result = write_losses(choice, losses);
    }
    return result == CLI_DONE && figure && group_is_first() ? draw_figure(choice, figure) : result;
}

static int cv_run(const struct args *args) {
    struct choice choice = {.args = args};
    int result = group_agree(prepare(&choice));
    result = result ? result : run(&choice);
    result = result ? result : finish(&choice);
    spgm_solver_free(choice.solver);
    cross_free(&choice.cross);
    free(choice.sizes);
    task_free(&choice.task);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "How s is chosen");
    doc_paragraph(
        doc, "The rows are shuffled by --seed and split into --folds parts, for a classifier such that both labels "
             "are spread evenly. For every part a path over all s is fitted to the other rows, and each of its "
             "models is judged by the loss on the part: the mean per row; the root of the mean square for l2, the "
             "maximum for linf. --rule min takes the s with the lowest mean over the parts, --rule 1se the "
             "smallest s whose mean is within one standard error of it. Then all rows are fitted with that s.");
    doc_paragraph(
        doc, "A classifier of more than two labels has a model for each against the rest. All have the same s: each "
             "label is cross-validated on the same parts, the losses are the means over the labels, and the model "
             "file holds all models. The time limit is then that of each label.");
    doc_paragraph(doc, "Parts run side by side on --threads threads; the numbers do not depend on how many. The time "
                       "limit is that of the cross-validation, and again that of the last fit. Ctrl-C once: choose "
                       "by the parts that are done.");
    doc_paragraph(doc, "`spgm path` shows information criteria, the fast alternative; `spgm fit --sparsity auto` "
                       "takes one of both.");
}

const struct command command_cv = {
    .name = "cv",
    .summary = "choose the number of nonzeros by cross-validation, and fit",
    .usage = "DATA [--sparsity LIST] [--folds 10] [--rule min] [--output MODEL.json] [options]",
    .operands = {"DATA"},
    .flags = flags,
    .takes_options = 1,
    .describe = describe,
    .topics = {topic_problem, topic_data, topic_losses, topic_methods, topic_model},
    .examples = "spgm cv houses.csv --target price --sparsity 1:20 --loss l1 --output model.json --figure cv.svg\n"
                "spgm cv spam.svm --loss hinge --folds 5 --rule 1se --losses losses.csv > model.json",
    .run = cv_run};
