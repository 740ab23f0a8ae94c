/* The comparison as a page: what was solved, who won, four figures and the numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "compare.h"
#include "page.h"

enum { CURVES_SHOWN = 4, WIDTH = 600, HEIGHT = 400 };

/* ---- the top ------------------------------------------------------------------------------------------------ */

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
}

static void put_sizes(const struct compare *compare, char *text, size_t size) {
    size_t at = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < compare->sizes && at + 24 < size; i++) {
        at += (size_t)snprintf(text + at, size - at, "%s%lld", i ? ", " : "", (long long)compare->sparsity[i]);
    }
}

static void put_facts(FILE *file, const struct compare *compare) {
    char text[512], rows[32], columns[32], date[32];
    const spgm_matrix *A = &compare->task.matrix;
    const char *target = spgm_data_target_name(compare->task.data);
    fputs("<dl class=\"facts\">\n", file);
    page_fact(file, "Problem", "minimise F(x) = f(x) + h(Ax \xE2\x88\x92 b) with at most s nonzeros in x");
    page_fact(file, "Data", "%s: %s rows, %s columns%s%s", compare->args->operand[0], screen_count(A->rows, rows),
              screen_count(A->columns, columns), target ? ", target " : "", target ? target : "");
    page_fact(file, "Loss", "h(r) = %s  (%s)", spgm_loss_formula(args_loss(compare->args->options)),
              compare_problem(compare, text));
    if (compare->task.classes) {
        page_fact(file, "Labels", "%lld, each against the rest; F, time and nonzeros are sums over them",
                  (long long)compare->task.classes);
    }
    put_sizes(compare, text, sizeof text);
    page_fact(file, "s", "%s", text);
    if (compare->starts == 1) {
        page_fact(file, "Runs", "one for each method and s, seed %lld", (long long)compare->seed);
    } else {
        page_fact(file, "Runs", "%lld from different starts for each method and s, seeds %lld to %lld",
                  (long long)compare->starts, (long long)compare->seed,
                  (long long)(compare->seed + compare->starts - 1));
    }
    page_fact(file, "Machine", "%s; one thread for each run", machine_text(text, sizeof text));
    page_fact(file, "Made", "%s by spgm %s", machine_date(date), spgm_version());
    fputs("</dl>\n", file);
}

/* ---- who won ------------------------------------------------------------------------------------------------- */

/* How often the best run of the method is as low as any. */
static int64_t wins_of(const struct compare *compare, int64_t method, int64_t *possible) {
    int64_t wins = 0, winner;
    *possible = 0;
    for (int64_t i = 0; i < compare->sizes; i++) {
        const struct trial *best = compare_best(compare, i, &winner);
        struct summary sum = compare_summary(compare, i, method);
        *possible += best != NULL;
        wins += best && sum.done && sum.polished.low <= best->polished * (1 + 1e-9);
    }
    return wins;
}

/* Geometric mean over s of (mean polished F) / (lowest F). */
static double excess_of(const struct compare *compare, int64_t method) {
    double sum = 0;
    int64_t count = 0, winner;
    for (int64_t i = 0; i < compare->sizes; i++) {
        const struct trial *best = compare_best(compare, i, &winner);
        struct summary cell = compare_summary(compare, i, method);
        if (best && cell.done && best->polished > 0) {
            sum += log(cell.polished.mean / best->polished);
            count++;
        }
    }
    return count ? exp(sum / (double)count) : NAN;
}

static void put_verdict(FILE *file, const struct compare *compare) {
    int64_t lead = -1, most = -1, possible = 0;
    double least = HUGE_VAL;
    for (int64_t m = 0; m < compare->methods; m++) {
        int64_t wins = wins_of(compare, m, &possible);
        double excess = excess_of(compare, m);
        if (wins > most || (wins == most && excess < least)) {
            lead = m;
            most = wins;
            least = excess;
        }
    }
    if (lead < 0 || possible == 0) {
        return;
    }
    fputs("<p>", file);
    page_named(file, compare->variant[lead].name, compare->variant[lead].style);
    fprintf(file, " finds the lowest objective at %lld of %lld values of s", (long long)most, (long long)possible);
    if (compare->starts == 1) {
        fputs(".", file);
    } else if (least < 1.0001) {
        fputs(", from every start.", file);
    } else if (isfinite(least)) {
        fprintf(file, "; over its starts it is %.2g&nbsp;%% above the lowest on average.", 100 * (least - 1));
    }
    fputs("</p>\n", file);
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

static void put_objectives(FILE *file, const struct compare *compare, struct compare_grid *grid,
                           enum compare_quantity what) {
    struct chart chart = compare_chart(compare, grid, what);
    chart.width = WIDTH;
    chart.height = HEIGHT;
    chart_lines(file, &chart);
}

/* Over all s and starts. */
static void put_times(FILE *file, const struct compare *compare) {
    struct chart_dot dots[METHODS_MAX];
    char text[METHODS_MAX][32];
    int count = 0;
    for (int64_t m = 0; m < compare->methods; m++) {
        double sum = 0, low = HUGE_VAL, high = 0;
        int64_t runs = 0;
        for (int64_t i = 0; i < compare->sizes * compare->starts; i++) {
            const struct trial *trial = compare_trial(compare, i / compare->starts, m, i % compare->starts);
            if (trial->state == TRIAL_DONE) {
                sum += trial->seconds;
                low = fmin(low, trial->seconds);
                high = fmax(high, trial->seconds);
                runs++;
            }
        }
        if (runs) {
            double mean = sum / (double)runs;
            dots[count] = (struct chart_dot){compare->variant[m].name,
                                             screen_seconds(mean, text[count]),
                                             compare->variant[m].style,
                                             mean,
                                             low,
                                             high};
            count++;
        }
    }
    chart_dots(file, "Time of one run", "seconds (mark: mean; band: fastest to slowest)", WIDTH, count, dots);
}

/* ---- how the runs went ------------------------------------------------------------------------------------ */

static int64_t copy_curve(const struct trial *trial, double lowest, double *x, double *y) {
    for (int64_t i = 0; i < trial->curve_count; i++) {
        x[i] = fmax(trial->curve[i].seconds, 1e-6);
        y[i] = compare_excess(trial->curve[i].best, lowest);
    }
    return trial->curve_count;
}

static void put_curves(FILE *file, const struct compare *compare, int64_t size) {
    struct chart_series series[METHODS_MAX];
    char title[96];
    int64_t total = 1, at = 0, winner;
    const struct trial *best = compare_best(compare, size, &winner);
    for (int64_t m = 0; m < compare->methods; m++) {
        total += compare_trial(compare, size, m, 0)->curve_count;
    }
    double *x = malloc((size_t)total * sizeof *x), *y = malloc((size_t)total * sizeof *y);
    int count = 0;
    for (int64_t m = 0; m < compare->methods && x && y && best && best->polished != 0; m++) {
        const struct trial *trial = compare_trial(compare, size, m, 0);
        int64_t points = trial->state == TRIAL_DONE ? copy_curve(trial, best->polished, x + at, y + at) : 0;
        if (points) {
            series[count++] = (struct chart_series){.label = compare->variant[m].name,
                                                    .style = compare->variant[m].style,
                                                    .count = points,
                                                    .x = x + at,
                                                    .y = y + at,
                                                    .steps = 1};
        }
        at += points;
    }
    if (count) {
        snprintf(title, sizeof title, "How F falls with time, s = %lld", (long long)compare->sparsity[size]);
        chart_lines(file, &(struct chart){.title = title,
                                          .x_label = "seconds",
                                          .y_label = "% above the lowest F known",
                                          .width = WIDTH,
                                          .height = HEIGHT,
                                          .log_x = 1,
                                          .log_y = 1,
                                          .count = count,
                                          .series = series});
    }
    free(x);
    free(y);
}

static void put_figures(FILE *file, const struct compare *compare, struct compare_grid *grid) {
    fputs("<h2>Objective and time</h2>\n<div class=\"row two\">\n", file);
    put_objectives(file, compare, grid, COMPARE_RAW);
    put_objectives(file, compare, grid, COMPARE_POLISHED);
    put_objectives(file, compare, grid, COMPARE_EXCESS);
    put_times(file, compare);
    fputs("</div>\n", file);
    if (compare->task.classes) { /* a run is that of several models */
        return;
    }
    fputs("<h2>Convergence</h2>\n", file);
    page_paragraph(file,
                   "The first start of each method. The lowest F known is the best polished result of any method and "
                   "start; the axis ends at 0.01 %%, and a curve that touches it has reached that value.");
    int64_t shown = compare->sizes < CURVES_SHOWN ? compare->sizes : CURVES_SHOWN;
    fprintf(file, "<div class=\"row%s\">\n", shown % 2 ? "" : " two");
    for (int64_t i = 0; i < shown; i++) {
        put_curves(file, compare, shown == 1 ? 0 : i * (compare->sizes - 1) / (shown - 1));
    }
    fputs("</div>\n", file);
}

/* ---- the table
 * -------------------------------------------------------------------------------------------------------- */

static void put_spread(FILE *file, const struct compare *compare, const struct spread *spread, int is_best) {
    if (compare->starts == 1) {
        fprintf(file, "<td%s>%.6g</td>", is_best ? " class=\"best\"" : "", spread->mean);
    } else {
        fprintf(file, "<td>%.6g</td><td%s>%.6g</td><td>%.6g</td>", spread->mean, is_best ? " class=\"best\"" : "",
                spread->low, spread->high);
    }
}

static void put_row(FILE *file, const struct compare *compare, int64_t size, int64_t method) {
    struct summary sum = compare_summary(compare, size, method);
    int64_t winner;
    char time[32];
    fputs("<tr><td class=\"left\">", file);
    page_named(file, compare->variant[method].name, compare->variant[method].style);
    fputs("</td>", file);
    if (!sum.done) {
        fprintf(file, "<td class=\"left wrap\" colspan=\"%d\">", compare->starts == 1 ? 6 : 10);
        page_text(file, sum.message ? sum.message : "not run");
        fputs("</td></tr>\n", file);
        return;
    }
    const struct trial *best = compare_best(compare, size, &winner);
    put_spread(file, compare, &sum.raw, 0);
    put_spread(file, compare, &sum.polished, sum.polished.low <= best->polished * (1 + 1e-9));
    fprintf(file, "<td>%s</td><td>%lld</td><td>%.0f&nbsp;%%</td><td class=\"left\">%s</td></tr>\n",
            screen_seconds(sum.seconds.mean, time), (long long)sum.best->nonzeros, 100 * sum.overlap,
            spgm_outcome_name(sum.best->outcome));
}

static void put_table(FILE *file, const struct compare *compare) {
    fputs("<h2>All numbers</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"left\">method</th>", file);
    fputs(compare->starts == 1
              ? "<th>F raw</th><th>F polished</th>"
              : "<th>F raw: mean</th><th>best</th><th>worst</th><th>F polished: mean</th><th>best</th><th>worst</th>",
          file);
    fputs("<th>time</th><th>nonzeros</th><th>overlap</th><th class=\"left\">outcome</th></tr>\n", file);
    for (int64_t i = 0; i < compare->sizes; i++) {
        int64_t prover = 0;
        double bound = compare_bound(compare, i, &prover);
        fprintf(file, "<tr class=\"group\"><td colspan=\"11\">s = %lld", (long long)compare->sparsity[i]);
        if (isfinite(bound)) {
            fprintf(file, " <span class=\"soft\">(%s proves: no model of this size has F below %.6g)</span>",
                    compare->variant[prover].name, bound);
        }
        fputs("</td></tr>\n", file);
        for (int64_t m = 0; m < compare->methods; m++) {
            put_row(file, compare, i, m);
        }
    }
    fputs("</table></div>\n", file);
    page_paragraph(
        file, "raw: F as the method left it. polished: F after exact minimisation over the columns it chose. "
              "overlap: the share of the columns of the best model at that s that the method has too. time: of the "
              "raw run. The lowest F of each s is marked.");
}

static void put_methods(FILE *file, const struct compare *compare) {
    fputs("<h2>The methods</h2>\n<dl class=\"facts\">\n", file);
    for (int64_t m = 0; m < compare->methods; m++) {
        for (int64_t i = 0; spgm_method_name(i); i++) {
            if (strcmp(spgm_method_name(i), compare->variant[m].method) == 0) {
                fputs("<dt>", file);
                page_named(file, compare->variant[m].name, compare->variant[m].style);
                fputs("</dt><dd>", file);
                page_text(file, spgm_method_summary(i));
                fputs("</dd>\n", file);
            }
        }
    }
    fputs("</dl>\n", file);
}

static void put_page(FILE *file, const struct compare *compare, struct compare_grid *grid) {
    char title[256];
    snprintf(title, sizeof title, "%lld sparse methods on %s", (long long)compare->methods,
             file_name(compare->args->operand[0]));
    page_begin(file, title);
    fputs("<h1>", file);
    page_text(file, title);
    fputs("</h1>\n", file);
    put_verdict(file, compare);
    put_facts(file, compare);
    put_figures(file, compare, grid);
    put_table(file, compare);
    put_methods(file, compare);
    page_end(file);
}

int compare_page(const struct compare *compare, const char *path) {
    struct outfile out;
    struct compare_grid grid;
    int result = compare_grid_new(&grid, compare) ? outfile_open(&out, path) : cli_out_of_memory();
    if (result == CLI_DONE) {
        put_page(out.file, compare, &grid);
        outfile_failed(&out);
        result = outfile_finish(&out);
        result = result ? result : outfile_commit(&out);
    }
    compare_grid_free(&grid);
    return result;
}
