/*
 * spgm paper: the experiments of the paper's appendix. It makes a plan of runs and saves each run as soon as it has
 * ended; figures and report are made only from finished runs.
 */
#include "paper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "theory.h"

static const struct flag flags[] = {
    {"output", "DIR", "where everything goes, default spgm-paper; runs that are there already are not repeated", 'o'},
    {"quick", NULL, "one start and s = 10, 50, 90: a first look in about a minute", 0},
    {"protocol", "NAME", "plain (one textbook setting of each method), tuned (trials and stages), or both (default)",
     0},
    {"theory", NULL, "instead of the experiments: lemmas and theorems in numbers, on small generated problems", 0},
    {"search", NULL, "instead of them: which settings of the plain methods come closest to the published curves", 0},
    {"from", "FILE", "E2006-tfidf as LIBSVM text, plain or compressed, for the e2006 panels", 0},
    {"published", "FILE",
     "other curves than the published ones, which are in the program (loss,dataset,method,s,objective)", 0},
    {"panels", "LIST", "only these panels: a loss (l1), a dataset (random-256-1024-C), or both (linf/random-256-1024)",
     0},
    {"sparsity", "LIST", "instead of 5,10:90:10", 's'},
    {"methods", "LIST", "instead of all methods of the paper, pdm and omp", 0},
    {"starts", "N", "instead of 5", 0},
    {"threads", "N", "runs at once, default one per core; each run uses one thread", 0},
    {"reproducible", NULL,
     "leave out times, machine and date, so that all files repeat bit for bit, PDFs but for their date", 0},
    CLI_TALK_FLAGS("what was found"),
    {0}};

static const char *const datasets[PAPER_DATASETS] = {"random-256-1024",   "random-256-2048",   "e2006-5000-1024",
                                                     "e2006-5000-2048",   "random-256-1024-C", "random-256-2048-C",
                                                     "e2006-5000-1024-C", "e2006-5000-2048-C"};
static const char *const losses[] = {"l1", "linf"};

static const struct paper_method known[] = {
    {"spgm-bcd", "spgm-bcd", "", 1}, {"spgm-iht", "spgm-iht", "", 1}, {"psgd", "psgd", "", 1},
    {"admm-iht", "admm-iht", "", 1}, {"diht", "diht", "", 1},         {"cvx-l1", "cvx-l1", "", 1},
    {"ncvx-lp", "ncvx-lp", "", 1},   {"pdm", "pdm", "", 0},           {"omp", "omp", "", 0},
};
enum { KNOWN = sizeof known / sizeof known[0] };

/* ---- the plan ------------------------------------------------------------------------------------------ */

const char *paper_dataset(int dataset) {
    return datasets[dataset];
}

const char *paper_protocol_name(enum paper_protocol protocol) {
    return protocol == PROTOCOL_PLAIN ? "plain" : "tuned";
}

enum paper_protocol paper_main_protocol(const struct paper *paper) {
    return paper->protocol[paper->protocols - 1];
}

struct paper_run *paper_at(const struct paper *paper, enum paper_protocol protocol, int panel, int64_t size, int method,
                           int64_t start) {
    for (int p = 0; p < paper->protocols; p++) {
        if (paper->protocol[p] == protocol) {
            int64_t block = ((int64_t)p * paper->panels + panel) * paper->sizes + size;
            return &paper->runs[(block * paper->methods + method) * paper->starts + start];
        }
    }
    return &paper->runs[paper->count];
}

struct paper_place paper_place(const struct paper *paper, int64_t i) {
    int64_t cell = i / paper->starts, block = cell / paper->methods, panel = block / paper->sizes;
    return (struct paper_place){(int)(panel % paper->panels), (int)(cell % paper->methods), block % paper->sizes,
                                i % paper->starts, paper->protocol[panel / paper->panels]};
}

int paper_method_index(const struct paper *paper, const char *key) {
    for (int m = 0; m < paper->methods; m++) {
        if (strcmp(paper->method[m].key, key) == 0) {
            return m;
        }
    }
    return -1;
}

static int in_library(const char *name) {
    for (int64_t i = 0; spgm_method_name(i); i++) {
        if (strcmp(spgm_method_name(i), name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* A method of the table above, or any other of the library at its defaults. */
static int take_method(void *context, const char *word) {
    struct paper *paper = context;
    struct paper_method method = {word, word, "", 0};
    for (int i = 0; i < KNOWN; i++) {
        method = strcmp(known[i].key, word) == 0 ? known[i] : method;
    }
    for (int64_t i = 0; method.key == word && spgm_method_name(i); i++) {
        if (strcmp(spgm_method_name(i), word) == 0) {
            method.key = method.name = spgm_method_name(i);
        }
    }
    if (method.key == word || !in_library(method.name) || paper->methods == PAPER_METHODS_MAX) {
        return cli_error("--methods: there is no method '%s'; 'spgm fit --help' lists them", word);
    }
    if (paper_method_index(paper, method.key) < 0) {
        paper->method[paper->methods++] = method;
    }
    return CLI_DONE;
}

static int choose_methods(struct paper *paper) {
    if (paper->methods) { /* by who made the plan */
        return CLI_DONE;
    }
    if (args_get(paper->args, "methods")) {
        int result = args_words(paper->args, "methods", take_method, paper);
        return result || paper->methods ? result : cli_error("--methods is empty");
    }
    for (int i = 0; i < KNOWN; i++) {
        if (in_library(known[i].name)) {
            paper->method[paper->methods++] = known[i];
        }
    }
    return CLI_DONE;
}

static int choose_sizes(struct paper *paper) {
    static const int64_t quick[] = {10, 50, 90}, full[] = {5, 10, 20, 30, 40, 50, 60, 70, 80, 90};
    const int64_t *from = args_get(paper->args, "quick") ? quick : full;
    size_t bytes = from == quick ? sizeof quick : sizeof full;
    if (paper->sizes) {
        return CLI_DONE;
    }
    if (args_get(paper->args, "sparsity")) {
        int result = args_numbers(paper->args, "sparsity", &paper->sparsity, &paper->sizes);
        if (result == CLI_DONE && (paper->sparsity[0] < 0 || paper->sparsity[paper->sizes - 1] > 1024)) {
            result = cli_error("--sparsity: the panels take 0 to 1024");
        }
        return result;
    }
    paper->sizes = (int64_t)(bytes / sizeof *from);
    if (!(paper->sparsity = malloc(bytes))) {
        return cli_out_of_memory();
    }
    memcpy(paper->sparsity, from, bytes);
    return CLI_DONE;
}

/* ---- panels --------------------------------------------------------------------------------------------- */

struct panel_name {
    const char *loss, *dataset;
    int matches;
};

static int panel_matches(void *context, const char *word) {
    struct panel_name *name = context;
    size_t length = strlen(name->loss);
    int both =
        strncmp(word, name->loss, length) == 0 && word[length] == '/' && strcmp(word + length + 1, name->dataset) == 0;
    name->matches |= both || strcmp(word, name->loss) == 0 || strcmp(word, name->dataset) == 0;
    return CLI_DONE;
}

static int is_real(int dataset) {
    return strncmp(datasets[dataset], "e2006", 5) == 0;
}

static int panel_wanted(const struct paper *paper, const char *loss, int dataset) {
    struct panel_name name = {loss, datasets[dataset], 0};
    if (!args_get(paper->args, "panels")) {
        return 1;
    }
    return args_words(paper->args, "panels", panel_matches, &name) == CLI_DONE && name.matches;
}

static int choose_panels(struct paper *paper) {
    for (int i = 0; i < PAPER_PANELS; i++) {
        const char *loss = losses[i / PAPER_DATASETS];
        int dataset = i % PAPER_DATASETS;
        if (!panel_wanted(paper, loss, dataset)) {
            continue;
        }
        if (is_real(dataset) && !paper->from) {
            paper->skipped++;
        } else {
            paper->panel[paper->panels++] =
                (struct paper_panel){.loss = loss, .figure = 1 + i / PAPER_DATASETS, .dataset = dataset};
        }
    }
    if (paper->panels + paper->skipped == 0) {
        return cli_error("--panels %s matches no panel: give a loss (l1, linf), a dataset such as random-256-1024 or "
                         "e2006-5000-2048-C, or both as in linf/random-256-1024",
                         args_get(paper->args, "panels"));
    }
    if (paper->skipped && !args_get(paper->args, "quiet")) {
        cli_error("%d e2006 panels are skipped for lack of data: get E2006.train (tf-idf) from "
                  "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/regression.html and give it with --from",
                  paper->skipped);
    }
    return paper->panels ? CLI_DONE : CLI_USAGE;
}

/* ---- files that lie beside the project --------------------------------------------------------------------- */

/* The flag's value, otherwise `name` below $SPGM_SHARED or ../shared if it exists there, otherwise NULL; free the
 * result. */
static char *find_file(const struct args *args, const char *flag, const char *name) {
    const char *given = args_get(args, flag), *shared = getenv("SPGM_SHARED");
    char path[4096];
    if (given) {
        return strdup(given);
    }
    snprintf(path, sizeof path, "%s/%s", shared && *shared ? shared : "../shared", name);
    return access(path, R_OK) == 0 ? strdup(path) : NULL;
}

const char *paper_path(const struct paper *paper, const char *name, char *path, size_t size) {
    snprintf(path, size, "%s/%s", paper->folder, name);
    return path;
}

int paper_write(const struct paper *paper, const char *name, void (*put)(FILE *file, const struct paper *paper)) {
    char path[4096];
    struct outfile out;
    int result = outfile_open(&out, paper_path(paper, name, path, sizeof path));
    if (result) {
        return result;
    }
    put(out.file, paper);
    outfile_failed(&out);
    result = outfile_finish(&out);
    return result ? result : outfile_commit(&out);
}

int paper_make_folder(const char *path) {
    struct stat info;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))) {
        return CLI_DONE;
    }
    return cli_error("cannot make the folder %s: %s", path, strerror(errno));
}

/* ---- the runs ------------------------------------------------------------------------------------------------- */

/* One run under a protocol, with a limit of passes unless that is 0. */
static int solve(const struct paper *paper, const struct paper_place *place, enum paper_protocol protocol, double limit,
                 struct trial *trial) {
    const struct paper_panel *panel = &paper->panel[place->panel];
    spgm_options *options = paper_options(protocol, &paper->method[place->method], panel->loss, place->start);
    int result = CLI_FAILED;
    if (options && (limit == 0 || !spgm_options_set_number(options, "pass_limit", limit, NULL))) {
        result = trial_run(trial, panel->problem, paper->sparsity[place->size], options, 0);
    }
    spgm_options_free(options);
    return result == CLI_FAILED ? cli_out_of_memory() : result;
}

/* The budget of the tuned run, from the plain run, which is done now if the plan has no finished one. */
static int allow(const struct paper *paper, const struct paper_place *place, double *allowed) {
    const struct paper_run *plain =
        paper_at(paper, PROTOCOL_PLAIN, place->panel, place->size, place->method, place->start);
    struct trial trial = {0};
    int result = CLI_DONE;
    trial.passes = plain->passes;
    if (!(plain->passes > 0)) {
        result = solve(paper, place, PROTOCOL_PLAIN, 0, &trial);
    }
    *allowed = PAPER_BUDGET * trial.passes;
    trial_free(&trial);
    return result;
}

static int run_one(void *context, int64_t k) {
    struct paper *paper = context;
    struct paper_place place = paper_place(paper, paper->pending[paper->first + k]);
    struct paper_run *run = &paper->runs[paper->pending[paper->first + k]];
    struct trial trial = {0};
    int result = place.protocol == PROTOCOL_TUNED ? allow(paper, &place, &run->allowed) : CLI_DONE;
    if (result == CLI_DONE) {
        result = solve(paper, &place, place.protocol, run->allowed, &trial);
    }
    run->seconds = trial.seconds; /* for the forecast */
    run->polish_seconds = trial.polish_seconds;
    if (result == CLI_DONE && trial.state != TRIAL_INTERRUPTED) {
        if (paper->reproducible) {
            trial.seconds = trial.processor_seconds = trial.polish_seconds = 0;
        }
        result = journal_add(paper, paper->pending[paper->first + k], &trial);
    }
    trial_free(&trial);
    return result;
}

static int one_ended(void *context, int64_t k) {
    struct paper *paper = context;
    struct paper_place place = paper_place(paper, paper->pending[paper->first + k]);
    struct paper_run *run = &paper->runs[paper->pending[paper->first + k]];
    const struct paper_panel *panel = &paper->panel[place.panel];
    forecast_ended(&paper->forecast, place.method, run->seconds + run->polish_seconds);
    if (paper->reproducible) {
        run->seconds = run->polish_seconds = 0;
    }
    paper->finished += run->state == TRIAL_DONE || run->state == TRIAL_REFUSED;
    snprintf(paper->current, sizeof paper->current, "%s (%s) on %s %s, s = %lld", paper->method[place.method].key,
             paper_protocol_name(place.protocol), panel->loss, datasets[panel->dataset],
             (long long)paper->sparsity[place.size]);
    return CLI_DONE;
}

static void show_progress(void *context) {
    struct paper *paper = context;
    char left[32], took[32];
    if (signals_asked()) {
        screen_note(paper->args, "stopping; again Ctrl-C to end at once");
    } else if (paper->finished) {
        screen_note(paper->args, "%lld of %lld runs, last %s; %s, about %s left",
                    (long long)(paper->count - paper->pending_count + paper->finished), (long long)paper->count,
                    paper->current, screen_seconds(forecast_passed(&paper->forecast), took),
                    screen_seconds(forecast_left(&paper->forecast) / paper->threads, left));
    }
}

static int list_work(struct paper *paper) {
    if (!(paper->pending = malloc(((size_t)paper->count + 1) * sizeof *paper->pending))) {
        return cli_out_of_memory();
    }
    for (int64_t i = 0; i < paper->count; i++) {
        if (paper->runs[i].state == TRIAL_WAITING) {
            paper->pending[paper->pending_count++] = i;
            paper->forecast.left[paper_place(paper, i).method]++;
        }
    }
    return CLI_DONE;
}

/* The runs of one protocol; those of the next depend on them. */
static int run_protocol(struct paper *paper, int64_t last) {
    struct pieces pieces = {
        .threads = paper->threads, .work = run_one, .done = one_ended, .tick = show_progress, .context = paper};
    while (paper->first + pieces.count < paper->pending_count && paper->pending[paper->first + pieces.count] < last) {
        pieces.count++;
    }
    int result = pieces_run(&pieces);
    paper->first += pieces.count;
    return result;
}

int paper_run_all(struct paper *paper) {
    int result = list_work(paper);
    if (result) {
        return result;
    }
    forecast_begin(&paper->forecast);
    signals_watch(NULL);
    for (int p = 1; p <= paper->protocols && result == CLI_DONE; p++) {
        result = run_protocol(paper, paper->count / paper->protocols * p);
    }
    signals_release();
    screen_erase();
    return result;
}

/* ---- from beginning to end -------------------------------------------------------------------------------- */

static int choose_protocols(struct paper *paper) {
    const char *given = paper->plain_only ? "plain" : args_get(paper->args, "protocol");
    int both = !given || strcmp(given, "both") == 0;
    for (int p = 0; p < PROTOCOLS; p++) {
        if (both || strcmp(given, paper_protocol_name((enum paper_protocol)p)) == 0) {
            paper->protocol[paper->protocols++] = (enum paper_protocol)p;
        }
    }
    return paper->protocols ? CLI_DONE : cli_error("--protocol %s: give plain, tuned or both", given);
}

static int check_arguments(struct paper *paper) {
    int64_t threads = pieces_cores();
    int result = args_integer(paper->args, "starts", &paper->starts);
    if (result == CLI_DONE) {
        result = args_integer(paper->args, "threads", &threads);
    }
    if (result) {
        return result;
    }
    if (paper->starts < 1 || paper->starts > 1000 || threads < 1 || threads > 1024) {
        return cli_error("--starts and --threads: give at least 1 and at most 1000");
    }
    paper->threads = (int)threads;
    result = choose_protocols(paper);
    if (result == CLI_DONE) {
        result = choose_methods(paper);
    }
    if (result == CLI_DONE) {
        result = choose_sizes(paper);
    }
    return result ? result : choose_panels(paper);
}

static int read_published(struct paper *paper) {
    const char *path = args_get(paper->args, "published");
    if (path) {
        return published_read(paper, path);
    }
    published_builtin(paper);
    return CLI_DONE;
}

int paper_prepare(struct paper *paper) {
    char path[4096];
    int result = check_arguments(paper);
    if (result == CLI_DONE) {
        result = read_published(paper);
    }
    for (int i = 0; i < paper->panels && result == CLI_DONE; i++) {
        result = paper_make_panel(paper, &paper->panel[i]);
    }
    screen_erase();
    if (result) {
        return result;
    }
    paper->count = paper->protocols * paper->panels * paper->sizes * paper->methods * paper->starts;
    if (!(paper->runs = calloc((size_t)paper->count + 1, sizeof *paper->runs))) {
        return cli_out_of_memory();
    }
    result = paper_make_folder(paper->folder);
    if (result == CLI_DONE) {
        result = paper_make_folder(paper_path(paper, "figures", path, sizeof path));
    }
    return result ? result : journal_open(paper);
}

static void print_line(FILE *file, const char *text) {
    fprintf(file, "  %s\n", text);
}

static int finish(struct paper *paper) {
    if (paper->finished < paper->pending_count) {
        fprintf(stderr, "spgm: stopped after %lld of %lld runs; the same command continues\n",
                (long long)(paper->count - paper->pending_count + paper->finished), (long long)paper->count);
        return CLI_DONE;
    }
    int result = journal_finish(paper);
    if (result == CLI_DONE) {
        result = paper_write(paper, "summary.csv", put_summary_csv);
    }
    if (result == CLI_DONE && !paper->reproducible) {
        result = paper_write(paper, "times.csv", put_times_csv);
    }
    if (result == CLI_DONE) {
        result = paper_figures(paper);
    }
    if (result == CLI_DONE) {
        result = paper_write(paper, "report.html", put_report);
    }
    if (result == CLI_DONE && !args_get(paper->args, "quiet")) {
        fprintf(stderr, "%s/report.html shows the panels beside the published ones; %s/runs.csv has every run\n",
                paper->folder, paper->folder);
    }
    if (result == CLI_DONE && screen_wanted(paper->args)) {
        put_findings(stderr, paper, print_line);
    }
    return result;
}

void paper_free(struct paper *paper) {
    journal_close(paper);
    for (int i = 0; i < paper->panels; i++) {
        spgm_problem_free(paper->panel[i].problem);
    }
    for (int i = 0; i < PAPER_DATASETS; i++) {
        spgm_data_free(paper->data[i]);
    }
    free(paper->runs);
    free(paper->pending);
    free(paper->sparsity);
}

/* Whether nothing was left out: then the open choices are searched as well. */
static int is_whole(const struct args *args) {
    static const char *const less[] = {"quick", "protocol", "panels", "sparsity", "methods", "starts"};
    for (size_t i = 0; i < sizeof less / sizeof *less; i++) {
        if (args_get(args, less[i])) {
            return 0;
        }
    }
    return 1;
}

static int paper_run(const struct args *args) {
    const char *folder = args_get(args, "output");
    if (args_get(args, "theory")) {
        return theory_run(args, folder ? folder : "spgm-paper");
    }
    char *from = find_file(args, "from", "data/e2006/e2006_5000x10000.svm.xz");
    if (args_get(args, "search")) {
        int searched = paper_search(args, folder ? folder : "spgm-paper", from);
        free(from);
        return searched;
    }
    struct paper *paper = calloc(1, sizeof *paper);
    if (!paper) {
        free(from);
        return cli_out_of_memory();
    }
    paper->args = args;
    paper->folder = folder ? folder : "spgm-paper";
    paper->from = from;
    paper->starts = args_get(args, "quick") ? 1 : 5;
    paper->reproducible = args_get(args, "reproducible") != NULL;
    paper->journal = -1;
    int result = paper_prepare(paper);
    if (result == CLI_DONE) {
        result = paper_run_all(paper);
    }
    if (result == CLI_DONE && is_whole(args) && paper->finished == paper->pending_count) {
        result = paper_search(args, paper->folder, from);
    }
    if (result == CLI_DONE) {
        result = finish(paper);
    }
    paper_free(paper);
    free(paper);
    free(from);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "What is run");
    doc_paragraph(
        doc, "Figures 1 and 2 of the paper: the losses l1 and linf, each on random-256-1024, random-256-2048, "
             "e2006-5000-1024, e2006-5000-2048 and their variants -C with 2 % of A times 100; s = 5, 10, 20, ..., 90; "
             "five starts; lambda = 0.01, no intercept, and the paper's value for every constant. Each run is reported "
             "as the method left it (raw, as in the paper) and after exact minimisation over the columns it chose "
             "(polished). The time table: processor time of the l1 runs on the clean data, three starts.");
    doc_paragraph(
        doc,
        "With the protocol plain each method has one textbook setting, which its README states, with the paper's start "
        "and stopping rule. There are no trials, and no refit except for cvx-l1 and ncvx-lp. This shows what the "
        "authors would have seen. With the protocol tuned each method has trials and stages (--tuning tuned of fit and "
        "compare) and twice the passes over A that its plain run with the same s and start took (--pass-limit).");
    doc_paragraph(doc, "The e2006 panels need data: --from FILE, or data/e2006/e2006_5000x10000.svm.xz below "
                       "$SPGM_SHARED or ../shared. The published curves, read off the figures, are in the program.");
    doc_paragraph(doc, "--theory tests the lemmas and theorems numerically instead, in about ten seconds: both "
                       "variants and all schedules of mu on small generated problems, measured constants beside the "
                       "proved ones, and how many stationary points of each kind are also of the next stronger kind.");
    doc_paragraph(doc, "--search runs every method in its plain form with several values of what the paper leaves open "
                       "(the first mu, A_s, steps and penalties), one start and s = 10, 50, 90. The values whose "
                       "curves come closest to the published ones, as fractions of F(0), are then run for every s.");
    doc_heading(doc, "Output");
    doc->column = 20;
    doc_item(doc, "report.html",
             "every panel beside the published one, the time table, and where they agree or differ");
    doc_item(doc, "runs.csv",
             "every run. A run is added as soon as it has ended, and is never repeated: after Ctrl-C, kill -9 or a "
             "power cut the same command continues and ends with the same files");
    doc_item(doc, "summary.csv", "means over the starts");
    doc_item(doc, "times.csv", "the time table");
    doc_item(doc, "theory.html", "with --theory, and theory.csv: every inequality, measured and proved");
    doc_item(doc, "search.html", "with --search, or when nothing is left out, and search.csv; its runs are in search/");
    doc_item(doc, "figures/",
             "SVG and PDF by gnuplot, and the scripts with their data: gnuplot all.gp draws them again");
}

const struct command command_paper = {.name = "paper",
                                      .summary = "the paper's Figures 1 and 2 and its time table, resumable",
                                      .usage = "[--quick] [--output DIR] [--from FILE] [options]",
                                      .flags = flags,
                                      .describe = describe,
                                      .topics = {topic_problem},
                                      .examples = "spgm paper --quick --output quick\n"
                                                  "spgm paper --from E2006.train.bz2 --output paper\n"
                                                  "spgm paper --panels l1/random-256-1024 --methods spgm-bcd,omp",
                                      .run = paper_run};
