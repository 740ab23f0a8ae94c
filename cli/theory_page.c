/* theory.html: what the paper proves, figures of it, measured constants beside the proved ones, and kinds of points. */
#include <math.h>
#include <string.h>

#include "chart.h"
#include "page.h"
#include "theory.h"

enum { WIDTH = 401, HEIGHT = 290 };

/* ---- the top ---------------------------------------------------------------------------------------------- */

static void put_tile(FILE *file, const char *small, const char *format, long long a, long long b) {
    fputs("<div><b>", file);
    fprintf(file, format, a, b);
    fputs("</b><span>", file);
    page_text(file, small);
    fputs("</span></div>\n", file);
}

static int64_t count_held(const struct theory *theory) {
    int64_t held = 0;
    for (int64_t i = 0; i < theory->claim_count; i++) {
        held += theory_holds(&theory->claims[i]);
    }
    return held;
}

static void put_tiles(FILE *file, const struct theory *theory) {
    const struct theory_kinds *kinds = &theory->kinds;
    const struct theory_kind_count *count = kinds->count;
    fputs("<div class=\"big\">\n", file);
    put_tile(file, "inequalities of the lemmas and theorems hold", "%lld of %lld", count_held(theory),
             theory->claim_count);
    put_tile(file, "basic stationary points are Lipschitz stationary at a thousandth of the first mu", "%lld of %lld",
             count[KIND_BASIC].stronger, count[KIND_BASIC].points);
    put_tile(file, "of these are block-2 stationary", "%lld of %lld", count[KIND_LIPSCHITZ].stronger,
             count[KIND_LIPSCHITZ].points);
    put_tile(file, "block-2 stationary points are global optima", "%lld of %lld", count[KIND_GLOBAL].points,
             count[KIND_BLOCK_2].points);
    fputs("</div>\n", file);
}

static void put_facts(FILE *file, const struct theory *theory) {
    fputs("<dl class=\"facts\">\n", file);
    page_fact(file, "Problems",
              "minimise ridge/2 ||x||^2 + h(Ax - b) with at most %d nonzeros in x; h = l1 or linf norm",
              THEORY_SPARSITY);
    page_fact(file, "Data",
              "A %d x %d standard normal; planted: b = A x-bar + randn with %d entries of x-bar; zero: b = 0",
              THEORY_ROWS, THEORY_COLUMNS, THEORY_SPARSITY);
    page_fact(file, "Constants",
              "V_s = M_s = ridge; L_h = sqrt(m) or 1; A_s = ||A|| and the eigenvalues over all blocks of "
              "k = %d columns are computed; x-bar and F(x-bar) are proven by branch and bound",
              THEORY_BLOCK);
    page_fact(file, "L_f", "a ridge is Lipschitz on bounded sets only: L_f = ridge times the largest ||x|| of the run");
    page_fact(file, "spgm-bcd", "k = %d columns drawn uniformly, none greedily; expectations are means over runs",
              THEORY_BLOCK);
    page_fact(file, "Every number", "theory.csv%s", theory->quick ? " (--quick: shorter runs and fewer problems)" : "");
    fputs("</dl>\n", file);
}

/* ---- what fails ----------------------------------------------------------------------------------------------- */

static void put_numbers(FILE *file, const struct theory_claim *claim) {
    int holds = theory_holds(claim);
    fprintf(file, "<td%s>%.4g %s %.4g</td>", holds ? "" : " class=\"bad\"", claim->measured,
            claim->at_least ? (holds ? "&ge;" : "&lt;") : (holds ? "&le;" : "&gt;"), claim->proved);
}

static void put_left(FILE *file, const char *text) {
    fputs("<td class=\"left\">", file);
    page_text(file, text);
    fputs("</td>", file);
}

/* Why the two theorems are wrong as they stand, and what is right. */
static void put_correction(FILE *file) {
    page_paragraph(
        file,
        "The theorems with constant mu bound Delta_F by K gamma^t + D mu + a multiple of L_F ||x-bar||. Where the "
        "optimum is x-bar = 0 this is wrong for small t: at t = 1 it would say F(x) - F(0) <= ridge/2 ||x||^2 + D "
        "mu. The proofs apply Lemma lemma:two:non:negative:sequences to a sequence that may be negative. What "
        "they do show has K gamma^t/(1 - gamma^t) in the place of K gamma^t; that holds everywhere below, and is "
        "what the figures draw.");
}

static void put_failures(FILE *file, const struct theory *theory) {
    if (count_held(theory) == theory->claim_count) {
        return;
    }
    fputs("<h2>What does not hold</h2>\n", file);
    int stated = 0;
    for (int64_t i = 0; i < theory->claim_count; i++) {
        stated |= !theory_holds(&theory->claims[i]) && strstr(theory->claims[i].label, ":stepsize:constant");
    }
    if (stated) {
        put_correction(file);
    }
    fputs("<div class=\"wide\"><table>\n<tr><th class=\"left\">label in spgm.tex</th><th "
          "class=\"left\">statement</th><th "
          "class=\"left\">run</th><th>measured, claimed</th></tr>\n",
          file);
    for (int64_t i = 0; i < theory->claim_count; i++) {
        const struct theory_claim *claim = &theory->claims[i];
        if (!theory_holds(claim)) {
            fputs("<tr>", file);
            put_left(file, claim->label);
            put_left(file, claim->statement);
            fprintf(file, "<td class=\"left\">%s, %s mu, %s, %s</td>", theory_variant_name(claim->variant),
                    theory_schedule_name(claim->schedule), claim->loss,
                    strcmp(claim->target, "zero") == 0 ? "b = 0" : claim->target);
            put_numbers(file, claim);
            fputs("</tr>\n", file);
        }
    }
    fputs("</table></div>\n", file);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static void put_curves(FILE *file, const struct theory_curves *curves) {
    struct chart_series series[THEORY_LINES];
    for (int k = 0; k < curves->lines; k++) {
        series[k] = (struct chart_series){.label = curves->name[k],
                                          .style = style_of(k == 0   ? "spgm-bcd"
                                                            : k == 1 ? "cvx-l1"
                                                                     : "psgd"),
                                          .count = curves->points,
                                          .x = curves->t,
                                          .y = curves->value[k]};
    }
    chart_lines(file, &(struct chart){.title = curves->title,
                                      .x_label = "t",
                                      .y_label = curves->y_label,
                                      .width = WIDTH,
                                      .height = HEIGHT,
                                      .log_x = 1,
                                      .log_y = curves->log_y,
                                      .count = curves->lines,
                                      .series = series});
}

static void put_figures(FILE *file, const struct theory *theory) {
    static const struct {
        const char *title, *text;
    } about[FIGURES] = {
        {"The sandwich of F and its smoothing",
         "Lemma lemma:lip:variable:x(a): F - mu L_h^2/2 <= G(x; mu) <= F along the runs, l1 loss."},
        {"Feasibility", "Lemma lemma:first:bound(a): ||A x - y - b|| <= L_h mu."},
        {"Sufficient decrease",
         "Theorems theorem:convergence:iht(a) and theorem:convergence:bcd(a): each step lowers J "
         "(plus Psi, where mu falls) by at least theta/2 ||x+ - x||^2 + ||y+ - y||^2/(2 mu^1)."},
        {"The O(1/T) way to stationarity",
         "Theorems theorem:convergence:iht(c) and theorem:convergence:bcd(c): the least squared distance to "
         "stationarity "
         "over T iterations, and 2C/(T min(theta, 1/mu^1)). For spgm-bcd the distance is the mean over all blocks. The "
         "paper sums Psi for the constant and the diminishing mu; for mu that is halved the sum is at most L_h^2 "
         "mu^1."},
        {"The way to the optimum",
         "Theorems theorem:IHT:stepsize:constant, theorem:IHT:stepsize:diminishing, theorem:DEC:stepsize:constant and "
         "theorem:DEC:stepsize:diminishing: the lowest F so far minus the optimum, and its bound. With b = 0 the "
         "optimum "
         "is x-bar = 0 and nothing of the bound stays; else a multiple of L_F ||x-bar|| does, which is far above what "
         "is measured."},
    };
    for (int figure = 0; figure < FIGURES; figure++) {
        fprintf(file, "<h2>%s</h2>\n", about[figure].title);
        page_paragraph(file, "%s", about[figure].text);
        fputs("<div class=\"row small\">\n", file);
        for (int64_t i = 0; i < theory->curve_count; i++) {
            if ((int)theory->curves[i].figure == figure) {
                put_curves(file, &theory->curves[i]);
            }
        }
        fputs("</div>\n", file);
    }
}

/* ---- tables of constants ---------------------------------------------------------------------------------- */

static int same_row(const struct theory_claim *a, const struct theory_claim *b) {
    return strcmp(a->label, b->label) == 0 && strcmp(a->statement, b->statement) == 0;
}

static int is_rate(const struct theory_claim *claim) {
    return strstr(claim->label, "stepsize") != NULL || strcmp(claim->label, "lemma:condition:constant") == 0;
}

static int is_first_of_row(const struct theory *theory, int64_t i) {
    for (int64_t k = 0; k < i; k++) {
        if (same_row(&theory->claims[k], &theory->claims[i])) {
            return 0;
        }
    }
    return 1;
}

/* The cell of a row for one loss, target, variant and schedule; a target or variant that does not matter is NULL, -1.
 */
static void put_cell(FILE *file, const struct theory *theory, const struct theory_claim *row, const char *loss,
                     const char *target, int variant, int schedule) {
    for (int64_t i = 0; i < theory->claim_count; i++) {
        const struct theory_claim *claim = &theory->claims[i];
        if (same_row(claim, row) && strcmp(claim->loss, loss) == 0 && (!target || strcmp(claim->target, target) == 0) &&
            (variant < 0 || ((int)claim->variant == variant && (int)claim->schedule == schedule))) {
            put_numbers(file, claim);
            return;
        }
    }
    fputs("<td></td>", file);
}

static void put_row_head(FILE *file, const struct theory_claim *row) {
    fputs("<tr>", file);
    put_left(file, row->label);
    fputs("<td class=\"left wrap\">", file);
    page_text(file, row->statement);
    fputs("</td>", file);
}

static void put_lemmas(FILE *file, const struct theory *theory, const char *loss) {
    fprintf(file,
            "<h3>%s loss</h3>\n<div class=\"wide\"><table>\n<tr><th class=\"left\">label in spgm.tex</th><th "
            "class=\"left\">statement</th>",
            loss);
    for (int k = 0; k < VARIANTS * SCHEDULES; k++) {
        fprintf(file, "<th>%s,<br>%s</th>", theory_variant_name((enum theory_variant)(k / SCHEDULES)),
                theory_schedule_name((enum theory_schedule)(k % SCHEDULES)));
    }
    fputs("</tr>\n", file);
    for (int64_t i = 0; i < theory->claim_count; i++) {
        const struct theory_claim *row = &theory->claims[i];
        if (is_rate(row) || !is_first_of_row(theory, i)) {
            continue;
        }
        put_row_head(file, row);
        for (int k = 0; k < VARIANTS * SCHEDULES; k++) {
            put_cell(file, theory, row, loss, NULL, k / SCHEDULES, k % SCHEDULES);
        }
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n", file);
}

static void put_rates(FILE *file, const struct theory *theory) {
    fputs("<h3>The four theorems on the way to the optimum</h3>\n<div class=\"wide\"><table>\n<tr><th "
          "class=\"left\">label in spgm.tex</th><th class=\"left\">statement</th><th>l1, b = 0</th><th>l1, planted</th>"
          "<th>linf, b = 0</th><th>linf, planted</th></tr>\n",
          file);
    for (int64_t i = 0; i < theory->claim_count; i++) {
        const struct theory_claim *row = &theory->claims[i];
        if (!is_rate(row) || !is_first_of_row(theory, i)) {
            continue;
        }
        put_row_head(file, row);
        put_cell(file, theory, row, "l1", "zero", -1, 0);
        put_cell(file, theory, row, "l1", "planted", -1, 0);
        put_cell(file, theory, row, "linf", "zero", -1, 0);
        put_cell(file, theory, row, "linf", "planted", -1, 0);
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n", file);
}

/* ---- kinds of points
 * --------------------------------------------------------------------------------------------------- */

static const char *const kind_names[KINDS] = {"basic", "Lipschitz", "block-2", "block-4", "global optimum"};

static void put_share(FILE *file, double part, double whole) {
    if (whole > 0) {
        fprintf(file, "<td>%.1f %%</td>", 100 * part / whole);
    } else {
        fputs("<td>-</td>", file);
    }
}

static void put_kind_rows(FILE *file, const struct theory_kinds *kinds) {
    fputs("<div class=\"wide\"><table>\n<tr><th class=\"left\">kind of point</th><th>points</th><th>F above the "
          "optimum</th><th>not of the next kind</th><th>and then F could fall by</th></tr>\n",
          file);
    for (int kind = 0; kind < KINDS; kind++) {
        const struct theory_kind_count *count = &kinds->count[kind];
        double points = (double)count->points, weaker = points - (double)count->stronger;
        fprintf(file, "<tr><td class=\"left\">%s</td><td>%lld</td>", kind_names[kind], (long long)count->points);
        put_share(file, count->excess, points);
        put_share(file, weaker, kind == KIND_GLOBAL ? 0 : points);
        put_share(file, count->lower, kind == KIND_GLOBAL ? 0 : weaker);
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n", file);
}

static void put_mu_rows(FILE *file, const struct theory_kinds *kinds) {
    fputs("<div class=\"wide\"><table>\n<tr><th class=\"left\">mu over mu^1</th>", file);
    for (int k = 0; k < THEORY_MUS; k++) {
        fprintf(file, "<th>%g</th>", theory_mu_share[k]);
    }
    fputs("</tr>\n<tr><td class=\"left\">basic points that are Lipschitz stationary</td>", file);
    for (int k = 0; k < THEORY_MUS; k++) {
        put_share(file, (double)kinds->lipschitz[k], (double)kinds->count[KIND_BASIC].points);
    }
    fprintf(file, "</tr>\n<tr><td class=\"left\">block-%d stationary by the paper's definition</td>", THEORY_BLOCK);
    for (int k = 0; k < THEORY_MUS; k++) {
        put_share(file, (double)kinds->block[k], (double)kinds->asked);
    }
    fputs("</tr>\n</table></div>\n", file);
}

static void put_end_rows(FILE *file, const struct theory_kinds *kinds) {
    fputs("<div class=\"wide\"><table>\n<tr><th class=\"left\">the end of a run of</th><th>runs</th>", file);
    for (int kind = 0; kind < KINDS; kind++) {
        fprintf(file, "<th>%s%s</th>", kind == KIND_GLOBAL ? "" : "at most ", kind_names[kind]);
    }
    fputs("<th>F above the optimum</th></tr>\n", file);
    for (int e = 0; e < THEORY_ENDS; e++) {
        fputs("<tr><td class=\"left\">", file);
        page_named(file, theory_end[e].name, style_of(theory_end[e].method));
        fprintf(file, "</td><td>%lld</td>", (long long)kinds->ends);
        for (int kind = 0; kind < KINDS; kind++) {
            put_share(file, (double)kinds->end_of[e][kind], (double)kinds->ends);
        }
        put_share(file, kinds->end_excess[e], (double)kinds->ends);
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n", file);
}

static void put_kinds(FILE *file, const struct theory *theory) {
    const struct theory_kinds *kinds = &theory->kinds;
    fputs("<h2>Kinds of stationary points</h2>\n", file);
    page_paragraph(
        file,
        "Proposition proposition:hierarchy. On %lld problems (A %d x %d, a signal in every column, standard "
        "deviation of the noise 3, ridge 0.01, half of them under each loss) the minimum over each of the %lld "
        "supports is made: all basic stationary points. Lipschitz: at mu = mu^1/1000. Block-k: no support "
        "within k columns has a lower F.",
        (long long)kinds->problems, THEORY_ROWS, THEORY_COLUMNS, (long long)kinds->supports);
    put_kind_rows(file, kinds);
    page_paragraph(file,
                   "The definitions of the paper (def:point:L, def:point:K) depend on mu. The quadratic terms of both "
                   "majorisers grow like 1/mu, and y stays where it is, so that for small mu a change of the support "
                   "never pays: in the limit every basic point satisfies both, and the hierarchy says nothing more. "
                   "Judged by F itself, as above and by spgm check, block-k stationarity keeps its strength.");
    put_mu_rows(file, kinds);
    page_paragraph(
        file, "Where runs end (plain forms, started at random, then the minimum over their support): the strongest "
              "kind that the end is of.");
    put_end_rows(file, kinds);
    page_paragraph(
        file,
        "Checks: %lld points are block-2 stationary by this table but not by spgm_problem_stationary or the other "
        "way round; %lld block-2 stationary points are not Lipschitz stationary.",
        (long long)kinds->disputed, (long long)kinds->outside);
}

/* ---- all of it
 * ----------------------------------------------------------------------------------------------------------- */

void put_theory(FILE *file, const struct theory *theory) {
    page_begin(file, "Smoothing proximal gradient methods: the theory in numbers");
    fputs("<h1>Smoothing proximal gradient methods: the theory in numbers</h1>\n<p class=\"soft\">The lemmas and "
          "theorems of "
          "the paper along runs, by <code>spgm paper --theory</code>.</p>\n",
          file);
    put_tiles(file, theory);
    put_facts(file, theory);
    put_failures(file, theory);
    put_figures(file, theory);
    put_kinds(file, theory);
    fputs("<h2>Measured constants beside the proved ones</h2>\n", file);
    page_paragraph(
        file, "Each cell: what was measured, at worst over the run, and what is proved. x+, y+ and mu+ are those of "
              "the next iteration.");
    put_rates(file, theory);
    put_lemmas(file, theory, "l1");
    put_lemmas(file, theory, "linf");
    page_end(file);
}
