/* spgm cv: choose s and the ridge by cross-validation, then fit all rows. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choose.h"
#include "classes.h"
#include "cross.h"
#include "figure.h"
#include "group.h"

static const struct flag flags[] = {
    {"sparsity", "LIST",
     "numbers of nonzeros to try, as in 1:20 or 5,10,20; default 0 up to where the loss stops falling", 's'},
    {"ridge", "auto|LIST",
     "ridges to try, as in 0,0.1,1; auto (default): values in proportion to the data, on columns divided by their "
     "standard deviations; a single number is fixed, 0 is none",
     0},
    {"target", "FILE|COLUMN", "file with the target, or name or number of the target column, as for fit", 0},
    {"weights", "FILE|COLUMN", "a weight >= 0 for every row, as for fit", 0},
    CLI_TABLE_FLAGS,
    CLI_SET_FLAGS(", as for fit"),
    {"output", "MODEL.json", "where the model of all rows with the chosen s and ridge goes; '-' is standard output",
     'o'},
    CLI_RECORD_FLAGS,
    {"losses", "FILE",
     "mean, standard error and the loss of each fold for every s and ridge that was tried, as CSV or, by its name, "
     "JSON",
     0},
    {"json", NULL, "the losses and choices as JSON on standard output; the model goes to --output only", 0},
    {"figure", "FILE", "the loss against s, a line for each ridge, .svg, .pdf or .png, by gnuplot; its script is kept",
     0},
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
    if (result == CLI_DONE && args_get(args, "json") &&
        ((output && strcmp(output, "-") == 0) || (losses && strcmp(losses, "-") == 0))) {
        result = cli_error("--json already goes to standard output; give the other one a file");
    }
    if (result == CLI_DONE && losses && strcmp(losses, output ? output : "-") == 0) {
        result = cli_error("--losses and the model would go to the same place; use --output MODEL.json");
    }
    if (result == CLI_DONE && args->chooses_loss && group_all()) {
        result = cli_error("--loss auto cannot be used where the rows are spread over processes");
    }
    result = result ? result : task_check_output(args, output);
    result = result ? result : task_check_output(args, losses);
    result = result ? result : cross_settle_ridge(args);
    return result ? result : figure_check(args_get(args, "figure"));
}

static int prepare(struct choice *choice) {
    int result = group_agree(check_arguments(choice));
    result = result ? result : task_load_classes(&choice->task, choice->args);
    if (result == CLI_DONE && choice->task.classes) {
        result = task_take_class(&choice->task, choice->args, 0); /* its feasible set is that of all */
    }
    return result || !choice->sizes ? result : choose_check_sizes(&choice->task, choice->sizes, choice->count);
}

/* ---- the runs --------------------------------------------------------------------------------------------------- */

static int refit(struct choice *choice) {
    spgm_status status;
    int64_t s = cross_size(&choice->cross);
    if (spgm_solver_new(choice->task.problem, s, choice->args->options, &choice->solver, &status)) {
        return cli_status(&status);
    }
    screen_note(choice->args, "fitting all rows with s = %lld", (long long)s);
    signals_watch(choice->solver);
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
    for (int64_t i = 0; i < choice->cross.count; i++) {
        double mean = choice->cross.mean[i];
        range.low = mean < range.low ? mean : range.low;
        range.high = mean > range.high ? mean : range.high;
    }
    return range;
}

static void put_line(const struct choice *choice, int64_t i, struct range range, int bar) {
    const struct cross *cross = &choice->cross;
    double mean = cross->mean[i], error = cross->error[i];
    char spread[32] = "", ridge[32] = "";
    if (isfinite(error)) {
        snprintf(spread, sizeof spread, "%.3g", error);
    }
    if (cross->ridges > 1) {
        snprintf(ridge, sizeof ridge, "  %10.3g", spgm_cv_ridge(cross->cv, cross->ridge[i]));
    }
    const char *bold = cross->sizes[i] == cross_size(cross) && screen_styled(stderr) ? "\033[1m" : "",
               *plain = *bold ? "\033[0m" : "";
    fprintf(stderr, "  %6lld%s  %s%12.6g%s  %10s  %-8s", (long long)cross->sizes[i], ridge, bold, mean, plain, spread,
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

/* "s = 7, ridge 3.2" */
static const char *pair_text(const struct cross *cross, int64_t i, int64_t k, char text[96]) {
    int at = snprintf(text, 96, "s = %lld", (long long)cross->sizes[i]);
    if (cross->has_ridges) {
        snprintf(text + at, 96 - (size_t)at, ", ridge %.4g", spgm_cv_ridge(cross->cv, k));
    }
    return text;
}

static void put_other_rules(const struct cross *cross) {
    char text[96];
    if (strcmp(cross->rule, "min") != 0) {
        doc_fact("", "--rule min takes %s", pair_text(cross, cross->best, cross->ridge[cross->best], text));
    }
    if (strcmp(cross->rule, "1se") != 0 && cross->simple != cross->best) {
        doc_fact("", "--rule 1se takes %s", pair_text(cross, cross->simple, cross->ridge[cross->simple], text));
    }
    if (strcmp(cross->rule, "shrunk") != 0 && cross->shrunk_ridge != cross->ridge[cross->best]) {
        doc_fact("", "--rule shrunk takes %s", pair_text(cross, cross->best, cross->shrunk_ridge, text));
    }
}

static void put_ending(const struct choice *choice) {
    const struct cross *cross = &choice->cross;
    int64_t folds = cross->folds;
    char seconds[32], text[96];
    fputc('\n', stderr);
    if (cross->projected >= 0) {
        doc_fact("chosen", "s = %lld: few columns for the mean of the models next to the lowest mean loss",
                 (long long)cross->projected);
        doc_fact("", "the model below is fitted by least squares to the predictions of that mean, not to the target "
                     "itself: it minimises no F of the data");
    } else {
        doc_fact("chosen", "%s: %s", pair_text(cross, cross->chosen, cross->chosen_ridge, text),
                 cross_rule_text(cross));
    }
    if (*cross->losses) {
        doc_fact("loss", "the lowest mean absolute error: %s", cross->losses);
    }
    put_other_rules(cross);
    if (choice->sizes && cross_size(cross) == cross->sizes[cross->count - 1] && cross->count > 1) {
        doc_fact("", "it is the largest s that was tried: a longer --sparsity list may do better");
    }
    if (cross->finished < folds) {
        doc_fact("stopped", "%lld of %lld folds were done; the others are left out", (long long)cross->finished,
                 (long long)folds);
    }
    fprintf(stderr, "  time       %s for %lld folds\n\n", screen_seconds(cross->seconds, seconds),
            (long long)cross->finished);
}

static void put_table(const struct choice *choice) {
    const char *bold = screen_styled(stderr) ? "\033[1m" : "", *plain = *bold ? "\033[0m" : "";
    const char *ridge = choice->cross.ridges > 1 ? "       ridge" : "";
    int bar = screen_width(stderr) - 1 - 47 - (*ridge ? 12 : 0);
    struct range range = range_of_means(choice);
    choose_heading(choice->args, &choice->task, cross_loss(&choice->cross), choice->cross.sizes, choice->cross.count);
    if (choice->task.classes) {
        fprintf(stderr, "%lld labels, each against the rest: losses are means over them\n",
                (long long)choice->task.classes);
    }
    fprintf(stderr, "\n%s  %6s%s  %12s  %10s%s\n", bold, "s", ridge, "loss per row", "std. error", plain);
    for (int64_t i = 0; i < choice->cross.count; i++) {
        put_line(choice, i, range, bar > 30 ? 30 : bar < 8 ? 0 : bar);
    }
    put_ending(choice);
}

/* ---- files
 * ------------------------------------------------------------------------------------------------------- */

/* The rules that choose the i-th s and the k-th ridge. */
static const char *rules_of(const struct cross *cross, int64_t i, int64_t k, char text[32]) {
    int is_min = i == cross->best && k == cross->ridge[i], is_1se = i == cross->simple && k == cross->ridge[i];
    int is_shrunk = cross->ridges > 1 && i == cross->best && k == cross->shrunk_ridge;
    snprintf(text, 32, "%s%s%s%s%s", is_min ? "min" : "", is_min && is_1se ? " " : "", is_1se ? "1se" : "",
             is_shrunk && (is_min || is_1se) ? " " : "", is_shrunk ? "shrunk" : "");
    return text;
}

static void put_csv(FILE *file, const struct cross *cross, double *losses) {
    char text[32];
    fputs("s,ridge,mean,standard_error,rule", file);
    for (int64_t fold = 0; fold < cross->folds; fold++) {
        fprintf(file, ",fold%lld", (long long)fold + 1);
    }
    fputc('\n', file);
    for (int64_t i = 0; i < cross->count; i++) {
        for (int64_t k = 0; k < cross->ridges; k++) {
            double mean, error;
            spgm_cv_get_at(cross->cv, i, k, losses, &mean, &error);
            if (isnan(mean)) {
                continue; /* it was not tried */
            }
            fprintf(file, "%lld,%s,", (long long)cross->sizes[i], text_csv_number(spgm_cv_ridge(cross->cv, k), text));
            fprintf(file, "%s,", text_csv_number(mean, text));
            fprintf(file, "%s,", text_csv_number(error, text));
            fputs(rules_of(cross, i, k, text), file);
            for (int64_t fold = 0; fold < cross->folds; fold++) {
                fprintf(file, ",%s", text_csv_number(losses[fold], text));
            }
            fputc('\n', file);
        }
    }
}

static void put_json_pair(FILE *file, const char *name, const struct cross *cross, int64_t i, int64_t k) {
    char text[32];
    fprintf(file, "  \"%s\": {\"sparsity\": %lld, \"ridge\": %s},\n", name, (long long)cross->sizes[i],
            text_json_number(spgm_cv_ridge(cross->cv, k), text));
}

static void put_json_losses(FILE *file, const struct cross *cross, double *losses) {
    char text[32];
    const char *before = "";
    for (int64_t i = 0; i < cross->count; i++) {
        for (int64_t k = 0; k < cross->ridges; k++) {
            double mean, error;
            spgm_cv_get_at(cross->cv, i, k, losses, &mean, &error);
            if (isnan(mean)) {
                continue; /* it was not tried */
            }
            fputs(before, file);
            before = ",\n";
            fprintf(file, "    {\"sparsity\": %lld, \"ridge\": %s, ", (long long)cross->sizes[i],
                    text_json_number(spgm_cv_ridge(cross->cv, k), text));
            fprintf(file, "\"mean\": %s, ", text_json_number(mean, text));
            fprintf(file, "\"standard_error\": %s, \"folds\": [", text_json_number(error, text));
            for (int64_t fold = 0; fold < cross->folds; fold++) {
                fprintf(file, "%s%s", fold ? ", " : "", text_json_number(losses[fold], text));
            }
            fputs("]}", file);
        }
    }
    fputc('\n', file);
}

static void put_json(FILE *file, const struct choice *choice, double *losses) {
    const struct cross *cross = &choice->cross;
    char scale[64] = "";
    fputs("{\n  \"data\": ", file);
    text_json(file, choice->args->operand[0]);
    fprintf(file, ",\n  \"version\": \"%s\",\n  \"folds\": %lld,\n", spgm_version(), (long long)cross->folds);
    if (cross->projected >= 0) {
        fprintf(file, "  \"chosen\": {\"sparsity\": %lld, \"rule\": \"projected\"},\n", (long long)cross->projected);
    } else {
        put_json_pair(file, "chosen", cross, cross->chosen, cross->chosen_ridge);
    }
    put_json_pair(file, "min", cross, cross->best, cross->ridge[cross->best]);
    put_json_pair(file, "1se", cross, cross->simple, cross->ridge[cross->simple]);
    put_json_pair(file, "shrunk", cross, cross->best, cross->shrunk_ridge);
    spgm_options_get(choice->args->options, "ridge_scale", scale, sizeof scale, NULL);
    fprintf(file, "  \"ridge_scale\": \"%s\",\n  \"options\": ", scale);
    text_json_options(file, choice->args->options);
    fputs(",\n  \"losses\": [\n", file);
    put_json_losses(file, cross, losses);
    fputs("  ]\n}\n", file);
}

static int write_losses(const struct choice *choice, const char *path, int is_json) {
    struct outfile out;
    double *losses = malloc((size_t)choice->cross.folds * sizeof *losses);
    int result = losses ? outfile_open(&out, path) : cli_out_of_memory();
    if (result) {
        free(losses);
        return result;
    }
    if (is_json) {
        put_json(out.file, choice, losses);
    } else {
        put_csv(out.file, &choice->cross, losses);
    }
    free(losses);
    outfile_failed(&out);
    result = outfile_finish(&out);
    result = result ? result : outfile_commit(&out);
    outfile_discard(&out);
    return result;
}

/*
 * The data of the figure: the mean for every s with its best ridge and the standard error, and a line for every ridge.
 */
struct curves {
    double *s, *low, *high; /* [count]                            */
    double *mean;           /* of each ridge [count] one by one   */
    char (*names)[32];      /* of the ridges                      */
    struct chart_series *series;
};

static void free_curves(struct curves *curves) {
    free(curves->s);
    free(curves->names);
    free(curves->series);
}

static int make_curves(const struct cross *cross, struct curves *curves) {
    size_t count = (size_t)cross->count, ridges = (size_t)cross->ridges;
    curves->s = calloc((3 + ridges) * count, sizeof *curves->s);
    curves->names = calloc(ridges, sizeof *curves->names);
    curves->series = calloc(ridges + 1, sizeof *curves->series);
    if (!curves->s || !curves->names || !curves->series) {
        return cli_out_of_memory();
    }
    curves->low = curves->s + count;
    curves->high = curves->low + count;
    curves->mean = curves->high + count;
    for (size_t i = 0; i < count; i++) {
        double error = isfinite(cross->error[i]) ? cross->error[i] : 0;
        curves->s[i] = (double)cross->sizes[i];
        curves->low[i] = cross->mean[i] - error;
        curves->high[i] = cross->mean[i] + error;
        for (size_t k = 0; k < ridges; k++) {
            spgm_cv_get_at(cross->cv, (int64_t)i, (int64_t)k, NULL, &curves->mean[k * count + i], NULL);
        }
    }
    curves->series[0] = (struct chart_series){.label = ridges > 1 ? "best ridge" : "mean",
                                              .count = cross->count,
                                              .x = curves->s,
                                              .y = cross->mean,
                                              .low = curves->low,
                                              .high = curves->high};
    for (size_t k = 0; k < ridges && ridges > 1; k++) {
        snprintf(curves->names[k], sizeof *curves->names, "ridge %.3g", spgm_cv_ridge(cross->cv, (int64_t)k));
        curves->series[k + 1] = (struct chart_series){.label = curves->names[k],
                                                      .style = style_spare((int)k),
                                                      .count = cross->count,
                                                      .x = curves->s,
                                                      .y = curves->mean + k * count};
    }
    return CLI_DONE;
}

enum { MARKS = 3 }; /* upright lines of a figure, at most */

/* Vertical lines at the choices of the rules, each with a short name. */
static int mark_rules(const struct cross *cross, char text[MARKS][192], struct chart_rule rules[MARKS]) {
    char pair[96];
    int count = 0;
    if (cross->projected >= 0) {
        snprintf(text[count], sizeof *text, "chosen, projected: s = %lld", (long long)cross->projected);
        rules[count] = (struct chart_rule){(double)cross->projected, 0, text[count], "#1b7837", 1};
        count++;
    }
    snprintf(text[count], sizeof *text, "lowest mean: %s",
             pair_text(cross, cross->best, cross->ridge[cross->best], pair));
    rules[count] = (struct chart_rule){(double)cross->sizes[cross->best], 0, text[count], "#b2182b", 2};
    count++;
    snprintf(text[count], sizeof *text, "one standard error: %s",
             cross->best == cross->simple ? "the same"
                                          : pair_text(cross, cross->simple, cross->ridge[cross->simple], pair));
    rules[count] = (struct chart_rule){(double)cross->sizes[cross->simple], 0, text[count], "#5c6370", 3};
    return count + 1;
}

static int draw_figure(const struct choice *choice, const char *path) {
    const struct cross *cross = &choice->cross;
    struct curves curves = {0};
    char title[256], text[MARKS][192];
    struct chart_rule rules[MARKS];
    int result = make_curves(cross, &curves);
    if (result) {
        free_curves(&curves);
        return result;
    }
    struct chart chart = {.title = "loss per row outside the fold (bar: standard error)",
                          .x_label = "s, the number of nonzeros allowed",
                          .y_label = "loss per row",
                          .width = 680,
                          .height = 400,
                          .log_y = -1,
                          .x_ticks = 1,
                          .count = cross->ridges > 1 ? (int)cross->ridges + 1 : 1,
                          .series = curves.series,
                          .rules = mark_rules(cross, text, rules),
                          .rule = rules};
    report_title(choice->args, title, sizeof title);
    if (cross_loss(cross)) { /* the curves say which ridge is which */
        snprintf(title, sizeof title, "%s, %s", report_file(choice->args->operand[0]), cross_loss(cross));
    }
    result =
        figure_make(path, &(struct sheet){.title = title, .columns = 1, .count = 1, .charts = &chart}, choice->args);
    free_curves(&curves);
    return result;
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static int finish(struct choice *choice) {
    char chosen[512];
    cross_sentence(&choice->cross, chosen, sizeof chosen);
    const char *output = args_get(choice->args, "output"), *losses = args_get(choice->args, "losses");
    const char *figure = args_get(choice->args, "figure");
    int talk = screen_wanted(choice->args), is_json = args_get(choice->args, "json") != NULL, result = CLI_DONE;
    if (talk) {
        put_table(choice);
    }
    if (choice->task.classes) {
        result = classes_fit(&choice->task, choice->args, choice->cross.sizes[choice->cross.chosen], chosen);
    } else if (talk) {
        report_fit(choice->args, &choice->task, choice->solver, cross_size(&choice->cross));
    }
    if (!choice->task.classes && (output || (!is_json && (!talk || !isatty(STDOUT_FILENO) || group_all())))) {
        result = task_write_model(&choice->task, choice->args, choice->solver, chosen, output ? output : "-");
    }
    if (result == CLI_DONE && losses) {
        result = write_losses(choice, losses, text_ends(losses, ".json"));
    }
    if (result == CLI_DONE && is_json) {
        result = write_losses(choice, "-", 1);
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
    doc_heading(doc, "How s and the ridge are chosen");
    doc_paragraph(
        doc, "The rows are shuffled by --seed and split into --folds parts; for a classifier the labels are spread "
             "evenly over the parts. For every part and every ridge, models of all s are fitted to the other rows. "
             "Each model is judged by its loss on the part: the mean per row, for l2 the root of the mean square, for "
             "linf the maximum. With two labels, hinge and squared hinge are judged after the scores are multiplied by "
             "the factor that suits the part best, since only their sign is the answer and a ridge makes them smaller. "
             "Then all rows are fitted with the s and the ridge that --rule takes:");
    doc_item(doc, "min", "the lowest mean over the parts");
    doc_item(doc, "1se", "the smallest s whose mean is within one standard error of the lowest, with its best ridge");
    doc_item(doc, "shrunk", "the s of the lowest mean, and the largest ridge within one standard error of it");
    doc_item(doc, "projected",
             "only with --loss auto, and the default there unless bounds, groups or lists of columns restrict the "
             "model: few columns that predict, by least squares, what an average of good models predicts. The average "
             "is over twenty models near the lowest mean, each fitted without one of the parts, ridge regression and "
             "Huber's loss on all columns, weighted by how well these do beside them. This rule forecasts best; its "
             "model minimises "
             "no F of the data");
    doc_paragraph(
        doc, "Unless --sparsity is given, s goes up to 32, and on until the largest s tried is at least twice the best "
             "one. It ends at half the rows of a fit; for logistic models with a ridge at twice these rows or at 128, "
             "whichever is less. Ridges that are clearly worse up to s = 8, 16, 32, ... are not tried beyond.");
    doc_paragraph(doc,
                  "Unless --ridge is given, seven ridges are tried, from one that shrinks every coefficient towards "
                  "zero down to none (for labels: next to none), in proportion to the data. They act on the columns "
                  "divided by their standard deviations (--ridge-scale deviation), so units do not matter; the "
                  "standard deviation of a rare column counts as at least a fifth of its largest deviation. --ridge 0 "
                  "chooses s alone, without a ridge. The ridge of a part is scaled by its share of the rows.");
    doc_paragraph(doc,
                  "--loss auto also chooses the loss: l1, huber and squared are cross-validated on the same parts and "
                  "compared by the absolute error. The delta of huber is the lowest mean of l1. huber is taken unless "
                  "another loss is lower by more than one standard error of the difference, part by part. Without "
                  "--loss it is l1; SparseRegressorCV of the Python package chooses the loss unless one is given.");
    doc_paragraph(doc, "Parts are searched quickly, each model from its neighbours in s and in the ridge. The last fit "
                       "has effort 4, half the work of `spgm fit`, or a smaller one that is given. With --effort 5 to "
                       "9 each part gets a path of that effort, as in `spgm path`.");
    doc_paragraph(doc, "With more than two labels there is one model for each label against the rest. All have the "
                       "same s and ridge: every label is cross-validated on the same parts, the losses are means over "
                       "the labels, and the model file has all models.");
    doc_paragraph(doc, "Parts run in parallel on --threads threads; the results do not depend on the number of "
                       "threads. The time limit holds for the cross-validation, and again for the last fit. Ctrl-C "
                       "once: choose by the parts that are done.");
    doc_paragraph(doc, "`spgm path` shows information criteria, a fast alternative. `spgm fit --sparsity auto` uses "
                       "cross-validation or a criterion.");
}

const struct command command_cv = {
    .name = "cv",
    .summary = "choose the number of nonzeros and the ridge by cross-validation, and fit",
    .usage = "DATA [--sparsity LIST] [--ridge auto|LIST] [--folds 10] [--rule min] [--output MODEL.json] [options]",
    .operands = {"DATA"},
    .flags = flags,
    .takes_options = 1,
    .chooses_loss = 1,
    .describe = describe,
    .topics = {topic_problem, topic_data, topic_losses, topic_methods, topic_model},
    .examples = "spgm cv houses.csv --target price --loss l1 --output model.json --figure cv.svg\n"
                "spgm cv spam.svm --loss hinge --folds 5 --rule 1se --losses losses.csv > model.json",
    .run = cv_run};
