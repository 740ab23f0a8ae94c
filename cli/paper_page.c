/* report.html: what was found, every panel beside the published one, times, and why numbers differ. */
#include <math.h>
#include <string.h>

#include "chart.h"
#include "page.h"
#include "paper.h"

enum { WIDTH = 401, HEIGHT = 330, SIZES_SHOWN = 64 };

/* ---- the top ---------------------------------------------------------------------------------------------- */

static void put_tile(FILE *file, const char *big, const char *small) {
    fputs("<div><b>", file);
    page_text(file, big);
    fputs("</b><span>", file);
    page_text(file, small);
    fputs("</span></div>\n", file);
}

static void put_plain_tile(FILE *file, const struct paper *paper, const struct paper_score *theirs) {
    char big[64], small[160];
    struct paper_score plain = paper_score(paper, 0, paper->panels, PAPER_PLAIN, 0);
    if (paper->protocols < 2 || !plain.cells) {
        return;
    }
    snprintf(big, sizeof big, "%d of %d", plain.wins, plain.cells);
    snprintf(small, sizeof small, "cells with SPGM-BCD lowest, every method with one textbook setting");
    if (theirs->cells) {
        snprintf(small, sizeof small,
                 "cells with SPGM-BCD lowest, every method with one textbook setting (published: %d of %d)",
                 theirs->wins, theirs->cells);
    }
    put_tile(file, big, small);
}

static void put_score_tiles(FILE *file, const struct paper *paper) {
    char big[64], small[160];
    struct paper_score raw = paper_score(paper, 0, paper->panels, PAPER_RAW, 0);
    struct paper_score exact = paper_score(paper, 0, paper->panels, PAPER_POLISHED, 0);
    struct paper_score theirs = paper_score(paper, 0, paper->panels, PAPER_PUBLISHED, 0);
    if (!raw.cells) {
        return;
    }
    fputs("<div class=\"big\">\n", file);
    put_plain_tile(file, paper, &theirs);
    const char *form = paper->protocols > 1 ? "every method tuned" : "raw";
    snprintf(big, sizeof big, "%d of %d", raw.wins, raw.cells);
    snprintf(small, sizeof small, "cells with SPGM-BCD lowest, %s", form);
    if (theirs.cells) {
        snprintf(small, sizeof small, "cells with SPGM-BCD lowest, %s (published: %d of %d)", form, theirs.wins,
                 theirs.cells);
    }
    put_tile(file, big, small);
    snprintf(big, sizeof big, "%.3f", raw.ratio);
    snprintf(small, sizeof small, "its F over the best other, geometric mean, raw");
    if (theirs.cells) {
        snprintf(small, sizeof small, "its F over the best other, geometric mean, raw (published: %.3f)", theirs.ratio);
    }
    put_tile(file, big, small);
    snprintf(big, sizeof big, "%d of %d", exact.wins, exact.cells);
    put_tile(file, big, "cells with SPGM-BCD lowest when every method is polished");
    snprintf(big, sizeof big, "%.3f", exact.ratio);
    put_tile(file, big, "its F over the best other, geometric mean, polished");
    fputs("</div>\n", file);
}

static void put_item(FILE *file, const char *text) {
    fputs("<li>", file);
    page_text(file, text);
    fputs("</li>\n", file);
}

static void put_facts(FILE *file, const struct paper *paper) {
    char text[512], date[32];
    fputs("<dl class=\"facts\">\n", file);
    page_fact(file, "Problem", "minimise 0.005 ||x||^2 + h(Ax - b) with at most s nonzeros in x; h = l1 or linf norm");
    page_fact(file, "Runs", "%lld: %d panels, %lld values of s, %d methods, %lld starts", (long long)paper->count,
              paper->panels, (long long)paper->sizes, paper->methods, (long long)paper->starts);
    if (paper->skipped) {
        page_fact(file, "Left out", "%d e2006 panels, for lack of data (spgm paper --from FILE)", paper->skipped);
    }
    page_fact(file, "Protocol", "%s",
              paper->protocols > 1
                  ? "plain (one textbook setting of each method, no trials) and tuned (trials and stages); raw "
                    "and polished are of the tuned runs"
              : paper->protocol[0] == PROTOCOL_PLAIN ? "plain: one textbook setting of each method, no trials"
                                                     : "tuned: trials and stages");
    page_fact(file, "Published",
              "the curves were read off the drawings of Figures 1 and 2; only ratios and order compare");
    if (!paper->reproducible) {
        page_fact(file, "Machine", "%s; each run on one thread, %d at once", machine_text(text, sizeof text),
                  paper->threads);
        page_fact(file, "Made", "%s", machine_date(date));
    }
    page_fact(file, "Version", "spgm %s", spgm_version());
    fputs("</dl>\n", file);
}

/* ---- agreement, panel by panel --------------------------------------------------------------------------------- */

static const char *verdict(const struct paper_score *ours, const struct paper_score *theirs) {
    if (!theirs->cells || !ours->cells) {
        return "";
    }
    if ((ours->ratio < 1) != (theirs->ratio < 1)) {
        return "differs: another winner on average";
    }
    return fabs(log(ours->ratio / theirs->ratio)) < log(1.15) ? "agrees" : "same winner, another factor";
}

static const char *strongest(const struct paper *paper, const struct paper_score *score) {
    int best = -1;
    for (int m = 0; m < paper->methods; m++) {
        if (score->lost_to[m] > (best < 0 ? 0 : score->lost_to[best])) {
            best = m;
        }
    }
    return best < 0 ? "-" : paper->method[best].key;
}

static void put_score(FILE *file, const struct paper_score *score) {
    if (score->cells) {
        fprintf(file, "<td>%d of %d</td><td>%.3f</td>", score->wins, score->cells, score->ratio);
    } else {
        fputs("<td>-</td><td>-</td>", file);
    }
}

static void put_ratio(FILE *file, double ratio) {
    if (isfinite(ratio)) {
        fprintf(file, "<td>%.3f</td>", ratio);
    } else {
        fputs("<td>-</td>", file);
    }
}

static void put_agreement(FILE *file, const struct paper *paper) {
    fputs(
        "<h2>Agreement, panel by panel</h2>\n<p>Cells in which SPGM-BCD is lowest, and its F over the best other "
        "method of the paper (geometric mean over s = 10, ..., 90; below 1: SPGM-BCD is better). Rank correlation: of "
        "the methods of the paper under the plain protocol with the published order, mean over s.</p>\n"
        "<div class=\"wide\"><table>\n<tr><th class=\"left\">panel</th><th>plain</th><th>ratio</th>"
        "<th>rank correlation</th><th>ours, raw</th><th>ratio</th><th>polished</th>"
        "<th>ratio</th><th>published</th><th>ratio</th><th class=\"left\">loses raw mostly to</th>"
        "<th class=\"left\">raw and published</th></tr>\n",
        file);
    for (int i = 0; i < paper->panels; i++) {
        struct paper_score plain = paper_score(paper, i, i + 1, PAPER_PLAIN, 0);
        struct paper_score raw = paper_score(paper, i, i + 1, PAPER_RAW, 0);
        struct paper_score exact = paper_score(paper, i, i + 1, PAPER_POLISHED, 0);
        struct paper_score theirs = paper_score(paper, i, i + 1, PAPER_PUBLISHED, 0);
        fprintf(file, "<tr><td class=\"left\">%s %s</td>", paper->panel[i].loss,
                paper_dataset(paper->panel[i].dataset));
        put_score(file, &plain);
        put_ratio(file, paper_agreement(paper, i, i + 1, PAPER_PLAIN).correlation);
        put_score(file, &raw);
        put_score(file, &exact);
        put_score(file, &theirs);
        fprintf(file, "<td class=\"left\">%s</td><td class=\"left wrap\">%s</td></tr>\n", strongest(paper, &raw),
                verdict(&raw, &theirs));
    }
    fputs("</table></div>\n", file);
}

/* Whether a method is as strong here as it was published. */
static const char *strength(double ours, double theirs) {
    if (!isfinite(ours) || !isfinite(theirs)) {
        return "";
    }
    return ours < 0.9 * theirs ? "stronger here" : ours > theirs / 0.9 ? "weaker here" : "as published";
}

static void put_rivals(FILE *file, const struct paper *paper) {
    fputs("<h2>Every method against SPGM-BCD</h2>\n<p>Its F over that of SPGM-BCD, geometric mean over all panels and "
          "s = 10, "
          "..., 90; below 1: the method is better than SPGM-BCD.</p>\n<div class=\"wide\"><table>\n<tr><th "
          "class=\"left\">method</th><th>ours, raw</th><th>ours, polished</th><th>published</th>",
          file);
    fputs(paper->reproducible ? "" : "<th>time over SPGM-BCD</th>", file);
    fputs("<th class=\"left\">raw and published</th></tr>\n", file);
    for (int m = 0; m < paper->methods; m++) {
        double raw = paper_ratio(paper, m, PAPER_RAW), theirs = paper_ratio(paper, m, PAPER_PUBLISHED);
        if (strcmp(paper->method[m].key, "spgm-bcd") == 0) {
            continue;
        }
        fputs("<tr><td class=\"left\">", file);
        page_method(file, paper->method[m].key);
        fputs("</td>", file);
        put_ratio(file, raw);
        put_ratio(file, paper_ratio(paper, m, PAPER_POLISHED));
        put_ratio(file, theirs);
        if (!paper->reproducible) {
            put_ratio(file, paper_time_ratio(paper, m));
        }
        fprintf(file, "<td class=\"left\">%s</td></tr>\n", strength(raw, theirs));
    }
    fputs("</table></div>\n", file);
}

static void put_reasons(FILE *file) {
    fputs("<h2>Why numbers differ</h2>\n<ul>\n", file);
    put_item(file,
             "Scale: the published objectives do not follow from the text. On random-256-1024 they begin near 30,600, "
             "while b = A xbar + 10 randn gives ||b||_1 near 2,900. So only ratios and order can be compared.");
    put_item(
        file,
        "Baselines: under the tuned protocol each method tries several steps or penalties. That makes the baselines "
        "stronger than published; under the plain protocol each has one textbook setting. cvx-l1, ncvx-lp and omp end "
        "with an exact minimisation over their columns, so their raw result "
        "is already polished, while that of SPGM-BCD is where its smoothing stopped. The polished columns show the "
        "choice of columns alone.");
    put_item(file,
             "Instance: A, b and the starts are drawn afresh (seed 1 for the data, seeds 1 to 5 for the starts); the "
             "authors' draws are not recorded.");
    put_item(
        file,
        "e2006: taken as written, the signal in raw tf-idf values near 1e-3 is far below the noise. Here the chosen "
        "columns have at least 5 nonzeros (3 where 2048 columns are asked of the small file) and norm sqrt(m).");
    put_item(
        file,
        "Open in the paper and chosen here: lambda = 0.01, the first mu (the dual norm of b), which coordinates the "
        "greedy choice takes. Plain spgm-bcd draws its 8 random coordinates uniformly, as the paper says; the tuned "
        "form draws half of them from the support, lowers mu slowly, minimises exactly over its columns and raises "
        "mu again. Which values of the open choices come closest to the published curves: spgm paper --search.");
    put_item(
        file,
        "Budget of the tuned protocol: T = 1000 iterations for every method, trials included. That is no more passes "
        "over A than its plain run may take; methods that watch few columns take fewer.");
    fputs("</ul>\n", file);
}

/* ---- panels
 * ---------------------------------------------------------------------------------------------------------- */

static void put_chart(FILE *file, const struct paper *paper, int panel, enum paper_value what, const char *title) {
    struct chart_series series[PAPER_METHODS_MAX];
    double x[SIZES_SHOWN], y[PAPER_METHODS_MAX][SIZES_SHOWN];
    int count = 0;
    int64_t sizes = paper->sizes < SIZES_SHOWN ? paper->sizes : SIZES_SHOWN;
    for (int m = 0; m < paper->methods; m++) {
        int any = 0;
        for (int64_t i = 0; i < sizes; i++) {
            x[i] = (double)paper->sparsity[i];
            y[m][i] = paper_mean(paper, panel, i, m, what);
            any |= isfinite(y[m][i]) != 0;
        }
        if (any) {
            series[count++] = (struct chart_series){.label = paper->method[m].key,
                                                    .style = style_of(paper->method[m].key),
                                                    .count = sizes,
                                                    .x = x,
                                                    .y = y[m]};
        }
    }
    if (count) {
        chart_lines(file, &(struct chart){.title = title,
                                          .x_label = "s",
                                          .y_label = "F, mean over the starts",
                                          .width = WIDTH,
                                          .height = HEIGHT,
                                          .log_y = -1,
                                          .x_ticks = 1,
                                          .count = count,
                                          .series = series});
    }
}

static void put_panels(FILE *file, const struct paper *paper) {
    fputs("<h2>Panels</h2>\n", file);
    for (int i = 0; i < paper->panels; i++) {
        const struct paper_panel *panel = &paper->panel[i];
        fprintf(file, "<h3>%s loss, %s</h3>\n<div class=\"row small\">\n", panel->loss, paper_dataset(panel->dataset));
        if (paper->protocols > 1) {
            put_chart(file, paper, i, PAPER_PLAIN, "Ours, plain");
        }
        put_chart(file, paper, i, PAPER_RAW,
                  paper->protocols > 1 ? "Ours, tuned, raw as in the paper" : "Ours, raw as in the paper");
        put_chart(file, paper, i, PAPER_POLISHED, "Ours, polished");
        put_chart(file, paper, i, PAPER_PUBLISHED, "Published");
        fputs("</div>\n", file);
    }
}

/* ---- times
 * ------------------------------------------------------------------------------------------------------------- */

static void put_time(FILE *file, const struct paper *paper, int dataset, int method) {
    double mean, deviation, published = published_time(dataset, paper->method[method].key);
    char text[2][32];
    if (!paper_time(paper, dataset, method, &mean, &deviation)) {
        fputs("<td>-</td>", file);
        return;
    }
    fprintf(file, "<td>%s", screen_seconds(mean, text[0]));
    if (paper->starts > 1) {
        fprintf(file, " \xC2\xB1 %s", screen_seconds(deviation, text[1]));
    }
    if (isfinite(published)) {
        fprintf(file, "<br><span class=\"soft\">%g s: 1/%.0f</span>", published, published / mean);
    }
    fputs("</td>", file);
}

static void put_times(FILE *file, const struct paper *paper) {
    if (paper->reproducible) {
        return;
    }
    fputs("<h2>Times</h2>\n<p>Processor time, l1 loss: ", file);
    if (paper->starts > 1) {
        fprintf(file, "mean \xC2\xB1 standard deviation over %s, each the mean over all ",
                paper->starts > 2 ? "three runs (starts 1 to 3)" : "two runs");
    } else {
        fputs("one run, the mean over all ", file);
    }
    fputs("s, without polish. Below: the published time (Matlab, 3.2 GHz), and our share of it.</p>\n"
          "<div class=\"wide\"><table>\n<tr><th class=\"left\">dataset</th>",
          file);
    for (int m = 0; m < paper->methods; m++) {
        fprintf(file, "<th>%s</th>", paper->method[m].key);
    }
    fputs("</tr>\n", file);
    for (int dataset = 0; dataset < 4; dataset++) {
        fprintf(file, "<tr><td class=\"left\">%s</td>", paper_dataset(dataset));
        for (int m = 0; m < paper->methods; m++) {
            put_time(file, paper, dataset, m);
        }
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n", file);
}

/* ---- all of it
 * ------------------------------------------------------------------------------------------------------------ */

void put_report(FILE *file, const struct paper *paper) {
    page_begin(file, "Smoothing proximal gradient methods: the experiments again");
    fputs("<h1>Smoothing proximal gradient methods: the experiments again</h1>\n"
          "<p class=\"soft\">Figures 1 and 2 and the time table of the paper, recomputed by <code>spgm "
          "paper</code>.</p>\n",
          file);
    put_score_tiles(file, paper);
    fputs("<ul>\n", file);
    put_findings(file, paper, put_item);
    fputs("</ul>\n", file);
    put_facts(file, paper);
    put_agreement(file, paper);
    if (paper_method_index(paper, "spgm-bcd") >= 0) {
        put_rivals(file, paper);
    }
    put_reasons(file);
    put_panels(file, paper);
    put_times(file, paper);
    page_end(file);
}
