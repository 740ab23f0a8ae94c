/*
 * spgm paper --search: the paper leaves open where mu begins, what A_s is and how long the steps of the other methods
 * are. Every method is run in its plain form with a few values of these, and the ones are chosen whose curves come
 * closest to the published ones. The scales of the data differ, so curves are compared as fractions: ours of F(0), the
 * published ones of the highest value in their panel.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "page.h"
#include "paper.h"

/* The first of each method is its plain form as the README states it. */
static const struct paper_method known[] = {
    {"spgm-bcd", "spgm-bcd", "", 1},
    {"spgm-bcd:mu_scale=10", "spgm-bcd", "mu_scale=10", 1},
    {"spgm-bcd:mu_scale=0.1", "spgm-bcd", "mu_scale=0.1", 1},
    {"spgm-bcd:mu_scale=0.01", "spgm-bcd", "mu_scale=0.01", 1},
    {"spgm-bcd:mu_scale=0.001", "spgm-bcd", "mu_scale=0.001", 1},
    {"spgm-iht", "spgm-iht", "", 1},
    {"spgm-iht:mu_scale=10", "spgm-iht", "mu_scale=10", 1},
    {"spgm-iht:mu_scale=0.1", "spgm-iht", "mu_scale=0.1", 1},
    {"spgm-iht:mu_scale=0.01", "spgm-iht", "mu_scale=0.01", 1},
    {"spgm-iht:step_scale=4", "spgm-iht", "step_scale=4", 1},
    {"spgm-iht:step_scale=4:mu_scale=0.1", "spgm-iht", "step_scale=4 mu_scale=0.1", 1},
    {"spgm-iht:step_scale=4:mu_scale=0.01", "spgm-iht", "step_scale=4 mu_scale=0.01", 1},
    {"psgd", "psgd", "", 1},
    {"psgd:step_scale=10", "psgd", "step_scale=10", 1},
    {"psgd:step_scale=0.1", "psgd", "step_scale=0.1", 1},
    {"psgd:step_scale=0.01", "psgd", "step_scale=0.01", 1},
    {"psgd:step_scale=0.001", "psgd", "step_scale=0.001", 1},
    {"admm-iht", "admm-iht", "", 1},
    {"admm-iht:mu_scale=10", "admm-iht", "mu_scale=10", 1},
    {"admm-iht:mu_scale=0.1", "admm-iht", "mu_scale=0.1", 1},
    {"admm-iht:mu_scale=0.01", "admm-iht", "mu_scale=0.01", 1},
    {"diht", "diht", "", 1},
    {"diht:step_scale=10", "diht", "step_scale=10", 1},
    {"diht:step_scale=0.1", "diht", "step_scale=0.1", 1},
    {"diht:step_scale=0.01", "diht", "step_scale=0.01", 1},
    {"cvx-l1", "cvx-l1", "", 1},
    {"cvx-l1:mu_scale=10", "cvx-l1", "mu_scale=10", 1},
    {"cvx-l1:mu_scale=0.1", "cvx-l1", "mu_scale=0.1", 1},
    {"cvx-l1:mu_scale=0.01", "cvx-l1", "mu_scale=0.01", 1},
    {"ncvx-lp", "ncvx-lp", "", 1},
    {"ncvx-lp:mu_scale=10", "ncvx-lp", "mu_scale=10", 1},
    {"ncvx-lp:mu_scale=0.1", "ncvx-lp", "mu_scale=0.1", 1},
    {"ncvx-lp:mu_scale=0.01", "ncvx-lp", "mu_scale=0.01", 1},
};
enum { CANDIDATES = sizeof known / sizeof known[0], METHODS = 7 };

struct search {
    struct paper_method candidate[CANDIDATES];
    int candidates, methods;     /* methods: the first candidate of each has no options */
    double distance[CANDIDATES]; /* mean of |ln(our fraction / published fraction)| */
    int cells[CANDIDATES];
    int plain[METHODS], chosen[METHODS]; /* of the candidates */
    struct paper *last;                  /* all sizes: the plain forms, then the chosen ones that differ */
    int of_plain[METHODS], of_chosen[METHODS];
};

/* ---- fractions ------------------------------------------------------------------------------------------------ */

/* F(0) of a panel. */
static double level(const struct paper *paper, int panel) {
    const spgm_problem *problem = paper->panel[panel].problem;
    double *zero = calloc((size_t)spgm_problem_columns(problem) + 1, sizeof *zero), F = NAN;
    if (zero && spgm_problem_evaluate(problem, zero, 0, &F, NULL, NULL, NULL)) {
        F = NAN;
    }
    free(zero);
    return F;
}

/* The highest published value of a panel: nearly F(0), where a method has found nothing. */
static double published_level(const struct paper *paper, int panel) {
    double highest = NAN;
    for (int m = 0; m < paper->methods; m++) {
        for (int k = 0; k < PUBLISHED_SIZES; k++) {
            highest = fmax(highest, paper->published[panel][m][k]);
        }
    }
    return highest;
}

static void measure(struct search *search, const struct paper *paper) {
    double sum[CANDIDATES] = {0};
    for (int panel = 0; panel < paper->panels; panel++) {
        double ours = level(paper, panel), theirs = published_level(paper, panel);
        for (int64_t i = 0; i < paper->sizes * paper->methods; i++) {
            int m = (int)(i % paper->methods);
            double F = paper_mean(paper, panel, i / paper->methods, m, PAPER_PLAIN) / ours;
            double G = paper_mean(paper, panel, i / paper->methods, m, PAPER_PUBLISHED) / theirs;
            if (F > 0 && G > 0 && isfinite(F) && isfinite(G)) {
                sum[m] += fabs(log(F / G));
                search->cells[m]++;
            }
        }
    }
    for (int m = 0; m < search->candidates; m++) {
        search->distance[m] = search->cells[m] ? sum[m] / search->cells[m] : NAN;
    }
}

static void choose(struct search *search) {
    int method = -1;
    for (int m = 0; m < search->candidates; m++) {
        if (search->candidate[m].options[0] == '\0') {
            method++;
            search->methods = method + 1;
            search->plain[method] = search->chosen[method] = m;
        } else if (search->distance[m] < search->distance[search->chosen[method]]) {
            search->chosen[method] = m;
        }
    }
}

struct filter {
    const char *name;
    int matches;
};

static int is_named(void *context, const char *word) {
    struct filter *filter = context;
    filter->matches |= strcmp(word, filter->name) == 0;
    return CLI_DONE;
}

/* All methods of the figures, or those of --methods among them. */
static int list_candidates(struct search *search, const struct args *args) {
    for (int m = 0; m < CANDIDATES; m++) {
        struct filter filter = {known[m].name, !args_get(args, "methods")};
        int result = filter.matches ? CLI_DONE : args_words(args, "methods", is_named, &filter);
        if (result) {
            return result;
        }
        if (filter.matches) {
            search->candidate[search->candidates++] = known[m];
        }
    }
    return search->candidates ? CLI_DONE : cli_error("--methods has none of the methods in the published figures");
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static struct paper *new_plan(const struct args *args, const char *folder, const char *from) {
    struct paper *paper = calloc(1, sizeof *paper);
    if (!paper) {
        cli_out_of_memory();
        return NULL;
    }
    paper->args = args;
    paper->folder = folder;
    paper->from = from;
    paper->starts = 1;
    paper->plain_only = 1;
    paper->reproducible = args_get(args, "reproducible") != NULL;
    paper->journal = -1;
    return paper;
}

static int set_sizes(struct paper *paper, int64_t step) {
    paper->sparsity = malloc(PUBLISHED_SIZES * sizeof *paper->sparsity);
    for (int64_t s = 10; paper->sparsity && s <= 90; s += step) {
        paper->sparsity[paper->sizes++] = s;
    }
    return paper->sparsity ? CLI_DONE : cli_out_of_memory();
}

/* CLI_FAILED: not all runs have ended. */
static int run_plan(struct paper *paper) {
    int result = paper_prepare(paper);
    if (result == CLI_DONE) {
        result = paper_run_all(paper);
    }
    if (result == CLI_DONE && paper->finished < paper->pending_count) {
        fputs("spgm: stopped; the same command continues\n", stderr);
        return CLI_FAILED;
    }
    return result ? result : journal_finish(paper);
}

static int run_candidates(struct search *search, const struct args *args, const char *folder, const char *from) {
    struct paper *paper = new_plan(args, folder, from);
    if (!paper) {
        return CLI_FAILED;
    }
    memcpy(paper->method, search->candidate, sizeof search->candidate);
    paper->methods = search->candidates;
    int result = set_sizes(paper, 40);
    if (result == CLI_DONE) {
        result = run_plan(paper);
    }
    if (result == CLI_DONE) {
        measure(search, paper);
        choose(search);
    }
    paper_free(paper);
    free(paper);
    return result;
}

static int run_chosen(struct search *search, const struct args *args, const char *folder, const char *from) {
    struct paper *paper = search->last = new_plan(args, folder, from);
    if (!paper) {
        return CLI_FAILED;
    }
    for (int k = 0; k < search->methods; k++) {
        search->of_plain[k] = search->of_chosen[k] = paper->methods;
        paper->method[paper->methods++] = search->candidate[search->plain[k]];
        if (search->chosen[k] != search->plain[k]) {
            search->of_chosen[k] = paper->methods;
            paper->method[paper->methods++] = search->candidate[search->chosen[k]];
        }
    }
    int result = set_sizes(paper, 10);
    return result ? result : run_plan(paper);
}

/* ---- agreement -------------------------------------------------------------------------------------------- */

/* With one form of each method: the plain ones, or the chosen ones. */
static struct paper_agreement agreement(const struct search *search, int chosen, int first, int last) {
    struct paper *paper = search->last;
    for (int m = 0; m < paper->methods; m++) {
        paper->method[m].published = 0;
    }
    for (int k = 0; k < search->methods; k++) {
        paper->method[chosen ? search->of_chosen[k] : search->of_plain[k]].published = 1;
    }
    return paper_agreement(paper, first, last, PAPER_PLAIN);
}

static const char *setting(const struct paper_method *method) {
    return method->options[0] ? method->options : "as its README states";
}

/* ---- page
 * ------------------------------------------------------------------------------------------------------------ */

static void put_tile(FILE *file, const char *text, int same, int cells, double correlation) {
    fprintf(file, "<div><b>%d of %d, %.2f</b><span>", same, cells, correlation);
    page_text(file, text);
    fputs("</span></div>\n", file);
}

static void put_settings(FILE *file, const struct search *search) {
    int method = -1;
    fputs("<h2>Settings</h2>\n<p>How far the fraction F/F(0) is from the published one on average, as a factor, over s "
          "= 10, "
          "50, 90 in all panels; the nearest in bold.</p>\n<div class=\"wide\"><table>\n<tr><th "
          "class=\"left\">method</th>"
          "<th class=\"left\">setting of its plain form</th><th>off by a factor</th></tr>\n",
          file);
    for (int m = 0; m < search->candidates; m++) {
        method += search->candidate[m].options[0] == '\0';
        fputs("<tr><td class=\"left\">", file);
        page_method(file, search->candidate[m].name);
        fprintf(file, "</td><td class=\"left\">%s</td><td%s>%.3f</td></tr>\n", setting(&search->candidate[m]),
                search->chosen[method] == m ? " class=\"best\"" : "", exp(search->distance[m]));
    }
    fputs("</table></div>\n", file);
}

static void put_panel_rows(FILE *file, const struct search *search) {
    fputs(
        "<h2>Agreement, panel by panel</h2>\n<p>Cells (s = 10, ..., 90) in which the lowest of the seven methods is "
        "the "
        "published one, and the rank correlation (Spearman) of the methods with the published order, mean over s.</p>\n"
        "<div class=\"wide\"><table>\n<tr><th class=\"left\">panel</th><th>plain: same lowest</th><th>rank "
        "correlation</th><th>nearest settings: same lowest</th><th>rank correlation</th></tr>\n",
        file);
    for (int i = 0; i < search->last->panels; i++) {
        struct paper_agreement plain = agreement(search, 0, i, i + 1), chosen = agreement(search, 1, i, i + 1);
        fprintf(file,
                "<tr><td class=\"left\">%s %s</td><td>%d of %d</td><td>%.2f</td><td>%d of %d</td><td>%.2f</td></tr>\n",
                search->last->panel[i].loss, paper_dataset(search->last->panel[i].dataset), plain.same, plain.cells,
                plain.correlation, chosen.same, chosen.cells, chosen.correlation);
    }
    fputs("</table></div>\n", file);
}

static void put_chart(FILE *file, const struct search *search, int panel, enum paper_value what, const char *title) {
    const struct paper *paper = search->last;
    struct chart_series series[METHODS];
    double x[PUBLISHED_SIZES], y[METHODS][PUBLISHED_SIZES];
    double unit = what == PAPER_PUBLISHED ? published_level(paper, panel) : level(paper, panel);
    for (int k = 0; k < search->methods; k++) {
        for (int64_t i = 0; i < paper->sizes; i++) {
            x[i] = (double)paper->sparsity[i];
            y[k][i] = paper_mean(paper, panel, i, search->of_chosen[k], what) / unit;
        }
        series[k] = (struct chart_series){.label = search->candidate[search->plain[k]].name,
                                          .style = style_of(search->candidate[search->plain[k]].name),
                                          .count = paper->sizes,
                                          .x = x,
                                          .y = y[k]};
    }
    chart_lines(file, &(struct chart){.title = title,
                                      .x_label = "s",
                                      .y_label = "F as a fraction of F(0)",
                                      .width = 520,
                                      .height = 330,
                                      .log_y = -1,
                                      .x_ticks = 1,
                                      .count = search->methods,
                                      .series = series});
}

static void put_page(FILE *file, const struct search *search) {
    const struct paper *paper = search->last;
    struct paper_agreement plain = agreement(search, 0, 0, paper->panels);
    struct paper_agreement chosen = agreement(search, 1, 0, paper->panels);
    page_begin(file, "Smoothing proximal gradient methods: the open choices");
    fputs("<h1>Smoothing proximal gradient methods: the open choices</h1>\n<p class=\"soft\">Which settings bring the "
          "plain "
          "methods closest to the published curves, by <code>spgm paper --search</code>; one start of each.</p>\n<div "
          "class=\"big\">\n",
          file);
    put_tile(file, "cells with the published method lowest, and rank correlation, plain forms", plain.same, plain.cells,
             plain.correlation);
    put_tile(file, "the same with the nearest setting of each method", chosen.same, chosen.cells, chosen.correlation);
    fputs("</div>\n", file);
    put_settings(file, search);
    put_panel_rows(file, search);
    fputs("<h2>Panels</h2>\n", file);
    for (int i = 0; i < paper->panels; i++) {
        fprintf(file, "<h3>%s loss, %s</h3>\n<div class=\"row two\">\n", paper->panel[i].loss,
                paper_dataset(paper->panel[i].dataset));
        put_chart(file, search, i, PAPER_PLAIN, "Ours, nearest settings");
        put_chart(file, search, i, PAPER_PUBLISHED, "Published");
        fputs("</div>\n", file);
    }
    page_end(file);
}

static void put_csv(FILE *file, const struct search *search) {
    int method = -1;
    fputs("method,setting,cells,distance,chosen\n", file);
    for (int m = 0; m < search->candidates; m++) {
        method += search->candidate[m].options[0] == '\0';
        fprintf(file, "%s,%s,%d,%.9g,%s\n", search->candidate[m].name, search->candidate[m].options, search->cells[m],
                search->distance[m], search->chosen[method] == m ? "yes" : "no");
    }
}

/* What was found, a sentence a line, for the report. */
static void put_sentences(FILE *file, const struct search *search) {
    struct paper_agreement plain = agreement(search, 0, 0, search->last->panels);
    struct paper_agreement chosen = agreement(search, 1, 0, search->last->panels);
    fprintf(
        file,
        "With the nearest setting of each method the lowest one is the published one in %d of %d cells (plain: "
        "%d), and the rank correlation of the methods with the published order is %.2f in the mean (plain: %.2f).\n",
        chosen.same, chosen.cells, plain.same, chosen.correlation, plain.correlation);
    fputs("Nearest settings, and the mean factor between ours and the published fraction of F(0), in brackets that of "
          "the plain form:",
          file);
    for (int k = 0; k < search->methods; k++) {
        const struct paper_method *nearest = &search->candidate[search->chosen[k]];
        fprintf(file, "%s %s %s %.2f (%.2f)", k ? ";" : "", nearest->name,
                nearest->options[0] ? nearest->options : "plain", exp(search->distance[search->chosen[k]]),
                exp(search->distance[search->plain[k]]));
    }
    fprintf(file, ". %d settings, s = 10, 50, 90 and one start; the agreement over s = 10, ..., 90.\n",
            search->candidates);
}

static int write_file(const struct search *search, const char *folder, const char *name,
                      void (*put)(FILE *file, const struct search *search)) {
    char path[4096];
    struct outfile out;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int result = outfile_open(&out, path);
    if (result) {
        return result;
    }
    put(out.file, search);
    outfile_failed(&out);
    result = outfile_finish(&out);
    return result ? result : outfile_commit(&out);
}

static int write_all(const struct search *search, const char *folder) {
    int result = write_file(search, folder, "search.csv", put_csv);
    if (result == CLI_DONE) {
        result = write_file(search, folder, "search.html", put_page);
    }
    if (result == CLI_DONE) {
        result = write_file(search, folder, "search.txt", put_sentences);
    }
    if (result == CLI_DONE && !args_get(search->last->args, "quiet")) {
        struct paper_agreement plain = agreement(search, 0, 0, search->last->panels);
        struct paper_agreement chosen = agreement(search, 1, 0, search->last->panels);
        fprintf(stderr,
                "the lowest method is the published one in %d of %d cells with the nearest settings (plain: %d), rank "
                "correlation %.2f (plain: %.2f); %s/search.html shows them\n",
                chosen.same, chosen.cells, plain.same, chosen.correlation, plain.correlation, folder);
    }
    return result;
}

int paper_search(const struct args *args, const char *folder, const char *from) {
    struct search search = {0};
    char runs[4096];
    snprintf(runs, sizeof runs, "%s/search", folder);
    int result = list_candidates(&search, args);
    if (result == CLI_DONE) {
        result = paper_make_folder(folder);
    }
    if (result == CLI_DONE) {
        result = run_candidates(&search, args, runs, from);
    }
    if (result == CLI_DONE) {
        result = run_chosen(&search, args, runs, from);
    }
    if (result == CLI_DONE) {
        result = write_all(&search, folder);
    }
    if (search.last) {
        paper_free(search.last);
        free(search.last);
    }
    return result;
}
