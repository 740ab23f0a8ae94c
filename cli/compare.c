/* spgm compare: every method on the user's data. */
#include "compare.h"
#include "choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "figure.h"

static const struct flag flags[] = {
    {"sparsity", "LIST", "numbers of nonzeros to compare at, as in 5,10,20 or 1:20 or 10:90:10 (needed)", 's'},
    {"methods", "LIST",
     "methods, as in spgm-bcd,omp; default all. A method may have settings of its own, and be there several times: "
     "spgm-bcd,spgm-bcd:random-coordinates=12:theta1=0.1",
     0},
    {"starts", "N", "runs of each method, from different random starts; default 5", 0},
    {"target", "FILE|COLUMN", "file with the target, or name or number of the target column, as for fit", 0},
    {"weights", "FILE|COLUMN", "a weight >= 0 for every row, as for fit", 0},
    CLI_TABLE_FLAGS,
    CLI_SET_FLAGS(", as for fit"),
    {"output", "FILE",
     "every run as CSV or, where the name ends in .json, as JSON; a table of means where it ends in .md (Markdown) or "
     ".tex "
     "(LaTeX); '-' is standard output",
     'o'},
    {"json", NULL, "JSON whatever the name of --output, and to standard output without it", 0},
    {"html", "FILE", "a page with figures that needs no network", 0},
    {"figure", "FILE", "objective and time against s: .svg, .pdf or .png, by gnuplot; its script is kept", 0},
    CLI_TALK_FLAGS("the table"),
    {0}};

/* ---- sums over runs -------------------------------------------------------------------------------------- */

const struct trial *compare_trial(const struct compare *compare, int64_t size, int64_t method, int64_t start) {
    return &compare->trials[(size * compare->methods + method) * compare->starts + start];
}

double compare_overlap(const struct trial *trial, const struct trial *best) {
    int64_t common = 0;
    for (int64_t i = 0, j = 0; i < trial->nonzeros && j < best->nonzeros;) {
        int64_t p = trial->support[i], q = best->support[j];
        common += p == q;
        i += p <= q;
        j += q <= p;
    }
    return best->nonzeros ? (double)common / (double)best->nonzeros : 1;
}

const struct trial *compare_best(const struct compare *compare, int64_t size, int64_t *method) {
    const struct trial *best = NULL;
    for (int64_t m = 0; m < compare->methods; m++) {
        for (int64_t k = 0; k < compare->starts; k++) {
            const struct trial *trial = compare_trial(compare, size, m, k);
            if (trial->state == TRIAL_DONE && (!best || trial->polished < best->polished)) {
                best = trial;
                *method = m;
            }
        }
    }
    return best;
}

double compare_bound(const struct compare *compare, int64_t size, int64_t *method) {
    double bound = -INFINITY;
    for (int64_t m = 0; m < compare->methods; m++) {
        for (int64_t k = 0; k < compare->starts; k++) {
            const struct trial *trial = compare_trial(compare, size, m, k);
            if (trial->state == TRIAL_DONE && trial->bound > bound) {
                bound = trial->bound;
                *method = m;
            }
        }
    }
    return bound;
}

static void spread_add(struct spread *spread, double value, int64_t before) {
    spread->mean = (spread->mean * (double)before + value) / (double)(before + 1);
    spread->low = before == 0 || value < spread->low ? value : spread->low;
    spread->high = before == 0 || value > spread->high ? value : spread->high;
}

struct summary compare_summary(const struct compare *compare, int64_t size, int64_t method) {
    struct summary sum = {0};
    int64_t winner;
    for (int64_t k = 0; k < compare->starts; k++) {
        const struct trial *trial = compare_trial(compare, size, method, k);
        if (trial->state == TRIAL_REFUSED) {
            sum.message = trial->message;
        }
        if (trial->state != TRIAL_DONE) {
            continue;
        }
        spread_add(&sum.raw, trial->objective, sum.done);
        spread_add(&sum.polished, trial->polished, sum.done);
        spread_add(&sum.seconds, trial->seconds, sum.done);
        sum.best = !sum.best || trial->polished < sum.best->polished ? trial : sum.best;
        sum.done++;
    }
    if (sum.best) {
        sum.overlap = compare_overlap(sum.best, compare_best(compare, size, &winner));
    }
    return sum;
}

const char *compare_option(const struct compare *compare, const char *name, char text[64]) {
    return spgm_options_get(compare->args->options, name, text, 64, NULL) ? "" : text;
}

const char *compare_problem(const struct compare *compare, char text[160]) {
    char loss[96], ridge[64], intercept[64];
    int at = snprintf(text, 160, "%s", report_loss(compare->args->options, loss));
    if (strtod(compare_option(compare, "ridge", ridge), NULL) > 0) {
        at += snprintf(text + at, 160 - (size_t)at, " + ridge %s", ridge);
    }
    int has_intercept = strcmp(compare_option(compare, "intercept", intercept), "true") == 0;
    snprintf(text + at, 160 - (size_t)at, "%s", has_intercept ? ", with intercept" : ", no intercept");
    return text;
}

/* ---- arguments -------------------------------------------------------------------------------------------- */

static int check_numbers(struct compare *compare) {
    char text[64];
    int result = args_integer(compare->args, "starts", &compare->starts);
    if (result) {
        return result;
    }
    if (compare->starts < 1 || compare->starts > 10000) {
        return cli_error("--starts %lld: give 1 to 10000", (long long)compare->starts);
    }
    if (strcmp(compare_option(compare, "method", text), "auto") != 0) {
        return cli_error("compare runs several methods; write --methods %s", text);
    }
    compare->seed = strtoll(compare_option(compare, "seed", text), NULL, 10);
    compare->threads = atoi(compare_option(compare, "threads", text));
    compare->threads = compare->threads ? compare->threads : pieces_cores();
    if (!args_get(compare->args, "sparsity")) {
        return cli_error("--sparsity is missing: the numbers of nonzeros to compare at, as in 5,10,20");
    }
    return args_numbers(compare->args, "sparsity", &compare->sparsity, &compare->sizes);
}

static int check_arguments(struct compare *compare) {
    const char *output = args_get(compare->args, "output"), *html = args_get(compare->args, "html");
    int result = check_numbers(compare);
    if (result == CLI_DONE) {
        result = compare_choose_methods(compare);
    }
    if (result == CLI_DONE && html && strcmp(html, output ? output : "-") == 0) {
        result = cli_error("--html and the runs would go to the same place; use --output FILE");
    }
    if (result == CLI_DONE) {
        result = outfile_check(output);
    }
    result = result ? result : outfile_check(html);
    return result ? result : figure_check(args_get(compare->args, "figure"));
}

static int prepare(struct compare *compare) {
    int result = check_arguments(compare);
    if (result == CLI_DONE) {
        result = task_load_classes(&compare->task, compare->args);
    }
    result = result ? result : task_split(&compare->task, compare->args);
    result = result ? result : choose_check_sizes(&compare->task, compare->sparsity, compare->sizes);
    if (result) {
        return result;
    }
    int64_t count = compare->sizes * compare->methods * compare->starts;
    compare->trials = calloc((size_t)count, sizeof *compare->trials);
    return compare->trials ? CLI_DONE : cli_out_of_memory();
}

/* ---- the runs ------------------------------------------------------------------------------------------------ */

/* The order of runs: all methods and sizes from the first start come first, so that Ctrl-C leaves a complete
 * comparison. */
struct place {
    int64_t size, method, start;
};

static struct place place_of(const struct compare *compare, int64_t i) {
    return (struct place){i / compare->methods % compare->sizes, i % compare->methods,
                          i / compare->methods / compare->sizes};
}

/* With more than two labels a run fits all models one after the other; F is their sum. */
static int run_parts(const struct compare *compare, struct trial *trial, int64_t sparsity, const spgm_options *options,
                     int keep_curve) {
    if (!compare->task.classes) {
        return trial_run(trial, compare->task.problem, sparsity, options, keep_curve);
    }
    int result = CLI_DONE;
    for (int64_t k = 0; k < compare->task.classes && result == CLI_DONE; k++) {
        struct trial part = {0};
        result = trial_run(&part, compare->task.part[k].problem, sparsity, options, 0);
        result = result ? result : trial_add(trial, &part, k * compare->task.matrix.columns);
        trial_free(&part);
        if (trial->state != TRIAL_DONE) {
            break;
        }
    }
    return result;
}

static int run_one(void *context, int64_t i) {
    struct compare *compare = context;
    struct place at = place_of(compare, i);
    struct trial *trial = (struct trial *)compare_trial(compare, at.size, at.method, at.start);
    spgm_options *options = spgm_options_copy(compare->variant[at.method].options);
    int result = CLI_FAILED;
    if (options && !spgm_options_set_number(options, "seed", (double)(compare->seed + at.start), NULL)) {
        result = run_parts(compare, trial, compare->sparsity[at.size], options, at.start == 0);
    }
    spgm_options_free(options);
    return result;
}

static int one_ended(void *context, int64_t i) {
    struct compare *compare = context;
    struct place at = place_of(compare, i);
    const struct trial *trial = compare_trial(compare, at.size, at.method, at.start);
    compare->finished++;
    forecast_ended(&compare->forecast, (int)at.method, trial->seconds + trial->polish_seconds);
    snprintf(compare->current, sizeof compare->current, "%s at s = %lld", compare->variant[at.method].name,
             (long long)compare->sparsity[at.size]);
    return CLI_DONE;
}

static void show_progress(void *context) {
    struct compare *compare = context;
    char left[32], took[32];
    if (signals_asked()) {
        screen_note(compare->args, "stopping; again Ctrl-C to end at once");
    } else if (compare->finished) {
        screen_note(compare->args, "%lld of %lld runs, last %s; %s, about %s left", (long long)compare->finished,
                    (long long)(compare->sizes * compare->methods * compare->starts), compare->current,
                    screen_seconds(forecast_passed(&compare->forecast), took),
                    screen_seconds(forecast_left(&compare->forecast) / compare->threads, left));
    }
}

static int run_all(struct compare *compare) {
    struct pieces pieces = {.count = compare->sizes * compare->methods * compare->starts,
                            .threads = compare->threads,
                            .work = run_one,
                            .done = one_ended,
                            .tick = show_progress,
                            .context = compare};
    for (int64_t m = 0; m < compare->methods; m++) {
        compare->forecast.left[m] = compare->sizes * compare->starts;
    }
    forecast_begin(&compare->forecast);
    signals_watch(NULL);
    int result = pieces_run(&pieces);
    signals_release();
    screen_erase();
    return result == CLI_FAILED ? cli_out_of_memory() : result;
}

/* ---- the results ------------------------------------------------------------------------------------------------ */

static int any_done(const struct compare *compare) {
    for (int64_t i = 0; i < compare->sizes * compare->methods * compare->starts; i++) {
        if (compare->trials[i].state == TRIAL_DONE || compare->trials[i].state == TRIAL_REFUSED) {
            return 1;
        }
    }
    return 0;
}

static int finish(const struct compare *compare) {
    const char *output = args_get(compare->args, "output"), *html = args_get(compare->args, "html");
    const char *figure = args_get(compare->args, "figure");
    int talk = screen_wanted(compare->args), result = CLI_DONE;
    int is_listed = output || args_get(compare->args, "json");
    if (!any_done(compare)) {
        cli_error("stopped before the first run ended; nothing is written");
        return CLI_FAILED;
    }
    if (talk) {
        compare_table(compare);
    }
    if (html) {
        result = compare_page(compare, html);
    }
    if (result == CLI_DONE && figure) {
        result = compare_figure(compare, figure);
    }
    if (result == CLI_DONE && (is_listed || (!html && !figure && (!talk || !isatty(STDOUT_FILENO))))) {
        result = compare_write(compare, output ? output : "-");
    }
    return result;
}

static int compare_run(const struct args *args) {
    struct compare compare = {.args = args, .starts = 5};
    int result = prepare(&compare);
    if (result == CLI_DONE) {
        result = run_all(&compare);
    }
    if (result == CLI_DONE) {
        result = finish(&compare);
    }
    for (int64_t i = 0; compare.trials && i < compare.sizes * compare.methods * compare.starts; i++) {
        trial_free(&compare.trials[i]);
    }
    free(compare.trials);
    free(compare.sparsity);
    compare_free_methods(&compare);
    task_free(&compare.task);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "What is compared");
    doc_paragraph(doc,
                  "Every method runs at every s from several random starts (seed, seed + 1, ...), each run on one "
                  "thread and --threads of them in parallel. `raw` is F as the method left it. `polished` is F after "
                  "exact minimisation over the columns it chose, which shows how good the choice itself is. `overlap` "
                  "is the share of the columns of the best model found at that s that the method's model also has.");
    doc_paragraph(doc, "With more than two labels a run fits a model for each label against the rest; F, time and "
                       "nonzeros are sums over the labels.");
    doc_paragraph(doc, "A method that cannot solve the problem is listed with the reason. Ctrl-C once: stop, and "
                       "report what is done. The limits (--time-limit, --max-iterations) hold for each run.");
    doc_paragraph(doc, "Without --output the runs go to standard output as CSV, unless that is a terminal, or --html "
                       "or --figure is given.");
}

const struct command command_compare = {
    .name = "compare",
    .summary = "run every method on the same data: objective, time, support",
    .usage = "DATA --sparsity LIST [--methods LIST] [--starts N] [--html FILE] [--figure FILE] [options]",
    .operands = {"DATA"},
    .flags = flags,
    .takes_options = 1,
    .describe = describe,
    .topics = {topic_problem, topic_data, topic_losses, topic_methods, topic_stopping},
    .examples = "spgm compare houses.csv --target price --sparsity 2,5,10 --loss l1 --html compare.html\n"
                "spgm compare data.svm -s 10:50:10 --methods auto,spgm-bcd,omp --starts 3 --ridge 0.01 -o runs.csv\n"
                "spgm compare data.svm -s 10 --methods spgm-bcd,spgm-bcd:random-coordinates=12 -o table.md",
    .run = compare_run};
