/* spgm stability: how often columns are selected on halves of the rows, how far coefficients move. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choose.h"
#include "figure.h"
#include "stability_figure.h"
#include "stability_journal.h"

enum { ROWS_SHOWN = 25, NAME_SHOWN = 28 };

static const char caveat[] =
    "intervals hold the columns fixed: they do not cover their choice, so they are too narrow for columns that other "
    "samples would not select";

static const struct flag flags[] = {
    {"sparsity", "S", "number of nonzeros, as for fit; 'auto' chooses it by --criterion", 's'},
    {"target", "FILE|COLUMN", "file with the target, or name or number of the target column, as for fit", 0},
    {"weights", "FILE|COLUMN", "a weight >= 0 for every row, as for fit; rows of weight 0 are never drawn", 0},
    CLI_TABLE_FLAGS,
    CLI_SET_FLAGS(", as for fit"),
    {"subsamples", "N", "halves of the rows that are fitted, default 100; 0: none", 0},
    {"independent", NULL, "draw each half independently; default: in pairs that have no row in common", 0},
    {"bootstrap", "N", "samples of all rows with replacement, for the intervals, default 200; 0: none", 0},
    {"threshold", "X", "a column is stable when at least this share of the halves selects it, default 0.75", 0},
    {"level", "X", "of the intervals, default 0.95", 0},
    {"output", "FILE.json", "where the results go; '-' is standard output", 'o'},
    {"journal", "FILE",
     "where finished samples are kept, so that a run that was stopped goes on when it is given again; default the name "
     "of --output with .journal, which is removed at the end",
     0},
    {"figure", "FILE", "frequencies and intervals, .svg, .pdf or .png, by gnuplot; its script is kept", 0},
    CLI_TALK_FLAGS("the table"),
    {0}};

struct study {
    const struct args *args;
    struct task task;
    int64_t sparsity;
    char why[256];
    double threshold, level;
    spgm_stability *stability;
    struct journal journal;
    struct ticker ticker;
    struct stability_entry *entries; /* by frequency */
    int64_t count;
    spgm_stable_columns stable;
    double intercept, intercept_low, intercept_high;
    int64_t halves, halves_done, bootstraps, bootstraps_done;
};

/* ---- arguments -------------------------------------------------------------------------------------------- */

static int take_count(const struct args *args, const char *flag, int64_t *count) {
    int64_t value = -1;
    int result = args_get(args, flag) ? args_integer(args, flag, &value) : CLI_DONE;
    if (result == CLI_DONE && args_get(args, flag)) {
        if (value < 0) {
            return cli_error("--%s %lld: give a number of samples, 0 for none", flag, (long long)value);
        }
        *count = value == 0 ? -1 : value;
    }
    return result;
}

static int check_arguments(struct study *study) {
    const struct args *args = study->args;
    study->threshold = 0.75;
    study->level = 0.95;
    if (!args_get(args, "sparsity")) {
        return cli_error("--sparsity is missing: the number of nonzero coefficients, or 'auto'");
    }
    int result = args_real(args, "threshold", &study->threshold);
    result = result ? result : args_real(args, "level", &study->level);
    if (result == CLI_DONE && !(study->threshold > 0.5 && study->threshold <= 1)) {
        result = cli_error("--threshold %g: give a share above 0.5 and at most 1", study->threshold);
    }
    if (result == CLI_DONE && !(study->level > 0 && study->level < 1)) {
        result = cli_error("--level %g: give a share between 0 and 1", study->level);
    }
    result = result ? result : task_check_output(args, args_get(args, "output"));
    result = result ? result : task_check_output(args, args_get(args, "journal"));
    return result ? result : figure_check(args_get(args, "figure"));
}

static int prepare(struct study *study) {
    const struct args *args = study->args;
    spgm_stability_settings settings = {.independent = args_get(args, "independent") != NULL};
    spgm_status status;
    int result = check_arguments(study);
    result = result ? result : take_count(args, "subsamples", &settings.halves);
    result = result ? result : take_count(args, "bootstrap", &settings.bootstrap);
    int is_auto = result == CLI_DONE && strcmp(args_get(args, "sparsity"), "auto") == 0;
    if (result == CLI_DONE && !is_auto) {
        result = args_integer(args, "sparsity", &study->sparsity);
    }
    result = result ? result : task_load(&study->task, args);
    if (result == CLI_DONE && is_auto) {
        result = choose_sparsity(args, &study->task, &study->sparsity, study->why, sizeof study->why);
    }
    if (result == CLI_DONE && spgm_stability_new(study->task.problem, study->sparsity, args->options, &settings,
                                                 &study->stability, &status)) {
        result = cli_status(&status);
    }
    return result ? result
                  : samples_open(&study->journal, args, &study->task, study->sparsity, settings.independent,
                                 study->stability);
}

/* ---- the run
 * --------------------------------------------------------------------------------------------------------- */

static int on_progress(const spgm_progress *progress, void *context) {
    struct study *study = context;
    choose_progress(&study->ticker, progress);
    samples_update(&study->journal, study->stability);
    return signals_asked();
}

static int run(struct study *study) {
    spgm_status status;
    spgm_stability_set_progress(study->stability, on_progress, study);
    signals_watch(NULL);
    spgm_error error = spgm_stability_run(study->stability, &status);
    signals_release();
    screen_erase();
    samples_update(&study->journal, study->stability);
    study->halves = spgm_stability_halves(study->stability, &study->halves_done);
    study->bootstraps = spgm_stability_bootstraps(study->stability, &study->bootstraps_done);
    if (error) {
        return cli_status(&status);
    }
    return samples_close(&study->journal,
                         study->halves_done == study->halves && study->bootstraps_done == study->bootstraps);
}

static int by_frequency(const void *a, const void *b) {
    const struct stability_entry *p = a, *q = b;
    if (p->frequency != q->frequency && !isnan(p->frequency)) {
        return p->frequency < q->frequency ? 1 : -1;
    }
    return p->column < q->column ? -1 : p->column > q->column;
}

static int collect(struct study *study) {
    int64_t columns = study->task.matrix.columns;
    double *frequencies = malloc(((size_t)columns + 1) * sizeof *frequencies);
    double *x = malloc(((size_t)columns + 1) * sizeof *x);
    spgm_status status;
    study->entries = malloc(((size_t)columns + 1) * sizeof *study->entries);
    int result = frequencies && x && study->entries ? CLI_DONE : cli_out_of_memory();
    if (result == CLI_DONE && spgm_stability_stable(study->stability, study->threshold, &study->stable, &status)) {
        result = cli_status(&status);
    }
    if (result == CLI_DONE) {
        spgm_stability_get_frequencies(study->stability, frequencies);
        spgm_solver_get_x(spgm_stability_solver(study->stability), x, &study->intercept);
        spgm_stability_get_interval(study->stability, -1, study->level, &study->intercept_low, &study->intercept_high);
    }
    for (int64_t j = 0; j < columns && result == CLI_DONE; j++) {
        if (x[j] != 0 || frequencies[j] > 0) {
            struct stability_entry *entry = &study->entries[study->count++];
            *entry = (struct stability_entry){
                .column = j, .frequency = frequencies[j], .coefficient = x[j], .low = NAN, .high = NAN};
            if (x[j] != 0) {
                spgm_stability_get_interval(study->stability, j, study->level, &entry->low, &entry->high);
            }
        }
    }
    if (result == CLI_DONE) {
        qsort(study->entries, (size_t)study->count, sizeof *study->entries, by_frequency);
    }
    free(frequencies);
    free(x);
    return result;
}

/* ---- the table
 * ------------------------------------------------------------------------------------------------------- */

static void put_entry(const struct study *study, const struct stability_entry *entry) {
    char text[LABEL_SIZE], frequency[32] = "";
    if (!isnan(entry->frequency)) {
        snprintf(frequency, sizeof frequency, "%.0f %%", 100 * entry->frequency);
    }
    fputs("  ", stderr);
    label_put(stderr, label_column(&study->task.names, entry->column, NAME_SHOWN, text), NAME_SHOWN);
    fprintf(stderr, "  %9s", frequency);
    if (entry->coefficient != 0) {
        fprintf(stderr, "  %12.6g", entry->coefficient);
    }
    if (entry->coefficient != 0 && !isnan(entry->low)) {
        fprintf(stderr, "  %12.4g to %.4g", entry->low, entry->high);
    }
    fputc('\n', stderr);
}

static void put_counts(const struct study *study) {
    const spgm_stable_columns *stable = &study->stable;
    char verdict[192];
    spgm_info info = spgm_solver_get_info(spgm_stability_solver(study->stability));
    if (study->halves_done) {
        char peak[96] = "";
        if (!isnan(stable->unimodal)) {
            snprintf(peak, sizeof peak, "; at most %.2g if the frequencies of such columns have one peak",
                     stable->unimodal);
        }
        fputc('\n', stderr);
        doc_fact("stable", "%lld %s in at least %.0f %% of %lld halves (%.3g of %.0f on average)",
                 (long long)stable->count, stable->count == 1 ? "column is" : "columns are", 100 * study->threshold,
                 (long long)study->halves_done, stable->selected, stable->candidates);
        doc_fact("expected", "at most %.2g of them by chance alone%s", stable->bound, peak);
    }
    if (study->bootstraps_done) {
        doc_fact("intervals", "%.0f %% of %lld bootstrap samples; %s", 100 * study->level,
                 (long long)study->bootstraps_done, caveat);
    }
    spgm_info_verdict(&info, verdict, sizeof verdict);
    doc_fact("objective", "%.10g on all rows", info.objective);
    doc_fact("verdict", "%s", verdict);
    if (study->why[0]) {
        doc_fact("chosen", "s = %lld: %s", (long long)study->sparsity, study->why);
    }
    if (study->halves_done < study->halves || study->bootstraps_done < study->bootstraps) {
        doc_fact("stopped", "after %lld of %lld samples%s", (long long)(study->halves_done + study->bootstraps_done),
                 (long long)(study->halves + study->bootstraps),
                 study->journal.path ? "; the same command goes on" : "; with --journal the same command would go on");
    }
}

static void put_table(const struct study *study) {
    char sizes[32];
    int64_t shown = study->count > ROWS_SHOWN && !args_get(study->args, "verbose") ? ROWS_SHOWN : study->count;
    snprintf(sizes, sizeof sizes, "%lld", (long long)study->sparsity);
    report_problem(study->args, &study->task, NULL, sizes);
    fprintf(stderr, "\n  %-*s  %9s  %12s  %s\n", NAME_SHOWN, "column", "selected", "coefficient",
            study->bootstraps_done ? "interval" : "");
    for (int64_t k = 0; k < shown; k++) {
        put_entry(study, &study->entries[k]);
    }
    if (shown < study->count) {
        fprintf(stderr, "  ... and %lld that were selected less often; --verbose shows all\n",
                (long long)(study->count - shown));
    }
    put_counts(study);
}

/* ---- files
 * ------------------------------------------------------------------------------------------------------------ */

static void json_pair(FILE *file, double low, double high) {
    char text[2][32];
    fprintf(file, "[%s, %s]", text_json_number(low, text[0]), text_json_number(high, text[1]));
}

static void json_entries(FILE *file, const struct study *study) {
    char text[32];
    fputs("  \"columns\": [", file);
    for (int64_t k = 0; k < study->count; k++) {
        const struct stability_entry *entry = &study->entries[k];
        fprintf(file, "%s    {\"column\": %lld", k ? ",\n" : "\n", (long long)entry->column);
        if (spgm_data_column_name(study->task.data, entry->column)) {
            fputs(", \"name\": ", file);
            text_json(file, spgm_data_column_name(study->task.data, entry->column));
        }
        fprintf(file, ", \"frequency\": %s", text_json_number(entry->frequency, text));
        if (entry->coefficient != 0) {
            fprintf(file, ", \"coefficient\": %s, \"interval\": ", text_json_number(entry->coefficient, text));
            json_pair(file, entry->low, entry->high);
        }
        fputc('}', file);
    }
    fputs("\n  ],\n", file);
}

static void put_json(FILE *file, const struct study *study) {
    char text[32], verdict[192];
    spgm_info info = spgm_solver_get_info(spgm_stability_solver(study->stability));
    spgm_info_verdict(&info, verdict, sizeof verdict);
    fputs("{\n  \"data\": ", file);
    text_json(file, study->args->operand[0]);
    fprintf(file, ",\n  \"sparsity\": %lld,\n  \"objective\": %s,\n  \"verdict\": ", (long long)study->sparsity,
            text_json_number(info.objective, text));
    text_json(file, verdict);
    fprintf(file, ",\n  \"complete\": %s,\n  \"halves\": %lld,\n  \"pairs\": %s,\n  \"bootstraps\": %lld,\n",
            study->halves_done == study->halves && study->bootstraps_done == study->bootstraps ? "true" : "false",
            (long long)study->halves_done, args_get(study->args, "independent") ? "false" : "true",
            (long long)study->bootstraps_done);
    fprintf(file, "  \"threshold\": %s,\n", text_json_number(study->threshold, text));
    fprintf(file, "  \"stable\": %lld,\n  \"selected_on_average\": %s,\n", (long long)study->stable.count,
            text_json_number(study->stable.selected, text));
    fprintf(file, "  \"expected_false\": %s,\n", text_json_number(study->stable.bound, text));
    fprintf(file, "  \"expected_false_unimodal\": %s,\n", text_json_number(study->stable.unimodal, text));
    fprintf(file, "  \"level\": %s,\n  \"intervals\": ", text_json_number(study->level, text));
    text_json(file, caveat);
    fprintf(file, ",\n  \"intercept\": %s,\n  \"intercept_interval\": ", text_json_number(study->intercept, text));
    json_pair(file, study->intercept_low, study->intercept_high);
    fputs(",\n", file);
    json_entries(file, study);
    fputs("  \"options\": ", file);
    text_json_options(file, study->args->options);
    fprintf(file, ",\n  \"version\": \"%s\"\n}\n", spgm_version());
}

static int write_json(const struct study *study) {
    const char *path = args_get(study->args, "output");
    struct outfile out;
    if (!path && screen_wanted(study->args) && isatty(STDOUT_FILENO)) {
        return CLI_DONE;
    }
    int result = outfile_open(&out, path ? path : "-");
    if (result) {
        return result;
    }
    put_json(out.file, study);
    result = outfile_finish(&out);
    return result ? result : outfile_commit(&out);
}

static int stability_run(const struct args *args) {
    struct study study = {.args = args, .ticker = {.args = args}};
    int result = prepare(&study);
    result = result ? result : run(&study);
    result = result ? result : collect(&study);
    if (result == CLI_DONE && screen_wanted(args)) {
        put_table(&study);
    }
    result = result ? result : write_json(&study);
    if (result == CLI_DONE && args_get(args, "figure")) {
        result = stability_figure(args, &study.task.names, study.entries, study.count, study.threshold,
                                  study.bootstraps_done > 0);
    }
    samples_free(&study.journal);
    spgm_stability_free(study.stability);
    free(study.entries);
    task_free(&study.task);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "What it does");
    doc_paragraph(
        doc, "A model is fitted to all rows, as by fit. Then models of the same size are fitted to random halves of "
             "the rows, and the table says how many of the halves select each column. Halves are drawn in pairs "
             "without a common row (Shah and Samworth 2013), or independently with --independent (Meinshausen and "
             "Buehlmann 2010). At most q^2 / (p (2 T - 1)) columns are expected to be stable by chance, where q of p "
             "columns are selected on average and T is --threshold: a smaller S makes this bound stricter.");
    doc_paragraph(
        doc, "For the intervals the coefficients of the model are refitted on the same columns to bootstrap samples, "
             "that is, rows drawn with replacement. The interval contains the share --level of them. It does not "
             "account for the choice of the columns: it is that of a model whose columns were known beforehand.");
    doc_paragraph(doc, "Samples depend only on --seed and their number, not on --threads. After Ctrl-C the finished "
                       "samples are reported; with --output or --journal the same command then does the rest.");
}

const struct command command_stability = {
    .name = "stability",
    .summary = "how often columns are selected on halves of the rows, and bootstrap intervals of the coefficients",
    .usage = "DATA --sparsity S|auto [--loss NAME] [options]",
    .operands = {"DATA"},
    .flags = flags,
    .takes_options = 1,
    .describe = describe,
    .topics = {topic_problem, topic_data, topic_feasible, topic_losses},
    .examples = "spgm stability houses.csv --target price --sparsity 5\n"
                "spgm stability genes.svm --sparsity 10 --subsamples 200 --bootstrap 0 --output stability.json\n"
                "spgm stability houses.csv --target price --sparsity auto --figure stability.svg",
    .run = stability_run};
