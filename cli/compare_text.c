/* The comparison as a table for a paper or a page: Markdown, LaTeX. */
#include <math.h>
#include <string.h>

#include "compare.h"

/* How a kind of text writes a table. */
struct markup {
    const char *cell, *end_line, *bold, *plain, *end;
    int is_latex;
};

static const struct markup markdown = {" | ", " |\n", "**", "**", "", 0};
static const struct markup latex = {" & ", " \\\\\n", "\\textbf{", "}", "\\bottomrule\n\\end{tabular}\n", 1};

/* The lowest mean at one size, after exact minimisation over the columns of each run. */
static double lowest_mean(const struct compare *compare, int64_t size) {
    double lowest = INFINITY;
    for (int64_t m = 0; m < compare->methods; m++) {
        struct summary sum = compare_summary(compare, size, m);
        lowest = sum.done && sum.polished.mean < lowest ? sum.polished.mean : lowest;
    }
    return lowest;
}

/* Characters with a meaning in LaTeX are escaped. */
static void put_name(FILE *file, const char *name, const struct markup *markup) {
    fputs(markup->is_latex ? "\\texttt{" : "| `", file);
    for (; *name; name++) {
        if (markup->is_latex && strchr("_%#&$", *name)) {
            fputc('\\', file);
        }
        fputc(*name, file);
    }
    fputs(markup->is_latex ? "}" : "`", file);
}

static void put_head(FILE *file, const struct compare *compare, const struct markup *markup) {
    if (markup->is_latex) {
        fputs("% needs \\usepackage{booktabs}\n\\begin{tabular}{l", file);
        for (int64_t i = 0; i <= compare->sizes; i++) {
            fputc('r', file);
        }
        fputs("}\n\\toprule\nmethod", file);
    } else {
        fputs("| method", file);
    }
    for (int64_t i = 0; i < compare->sizes; i++) {
        fprintf(file, markup->is_latex ? "%s$s = %lld$" : "%ss = %lld", markup->cell, (long long)compare->sparsity[i]);
    }
    fprintf(file, "%stime%s", markup->cell, markup->end_line);
    if (markup->is_latex) {
        fputs("\\midrule\n", file);
        return;
    }
    fputs("|---|", file);
    for (int64_t i = 0; i <= compare->sizes; i++) {
        fputs("--:|", file);
    }
    fputc('\n', file);
}

static void put_method(FILE *file, const struct compare *compare, const struct markup *markup, int64_t method) {
    double seconds = 0;
    int64_t cells = 0;
    char text[32];
    put_name(file, compare->variant[method].name, markup);
    for (int64_t i = 0; i < compare->sizes; i++) {
        struct summary sum = compare_summary(compare, i, method);
        fputs(markup->cell, file);
        if (!sum.done) {
            fputc('-', file);
            continue;
        }
        int is_best = sum.polished.mean <= lowest_mean(compare, i) * (1 + 1e-9);
        fprintf(file, "%s%.6g%s", is_best ? markup->bold : "", sum.polished.mean, is_best ? markup->plain : "");
        seconds += sum.seconds.mean;
        cells++;
    }
    fprintf(file, "%s%s%s", markup->cell, cells ? screen_seconds(seconds / (double)cells, text) : "-",
            markup->end_line);
}

static void put_table(FILE *file, const struct compare *compare, const struct markup *markup) {
    put_head(file, compare, markup);
    for (int64_t m = 0; m < compare->methods; m++) {
        put_method(file, compare, markup, m);
    }
    fputs(markup->end, file);
}

void compare_markdown(FILE *file, const struct compare *compare) {
    put_table(file, compare, &markdown);
}

void compare_latex(FILE *file, const struct compare *compare) {
    put_table(file, compare, &latex);
}
